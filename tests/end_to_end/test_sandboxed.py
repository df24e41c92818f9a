"""``--sandbox``: healed as without it, and nothing is run where there is none."""

from __future__ import annotations

import json
import tempfile

import pytest

from selfdebug.cli import main
from selfdebug.validation import sandbox
from selfdebug.validation.sandbox import SandboxMissing
from tests.end_to_end.project import HEALED, Project, validate


def test_a_suite_is_healed_in_a_sandbox(project: Project) -> None:
    (project.home / "scratch").mkdir(parents=True)
    try:
        how = sandbox.find(project.root, project.home / "scratch").how
    except SandboxMissing as missing:
        pytest.skip(str(missing))
    ended = project.heal("--sandbox")
    assert (ended.code, ended.json["sandbox"], ended.json["notes"]) == (0, how, [])
    assert (project.root / "names.py").read_text() == HEALED
    assert [*project.temporary.glob("selfdebug-*")] == []


@pytest.mark.parametrize("command", ["run", "diagnose", "probe"])
def test_without_one_nothing_is_run(
    command: str,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sandbox, "_refusal", lambda *_: "Operation not permitted")
    monkeypatch.setattr(tempfile, "tempdir", str(project.temporary))
    monkeypatch.setenv("SELFDEBUG_STATE_DIR", str(project.home / "state"))
    ran = project.home / "ran"
    project.write({"conftest.py": f"open({str(ran)!r}, 'w')\n"})
    before = project.photograph()
    line = [command, *["names.py:6"] * (command == "probe"), "--sandbox", "--root"]
    with pytest.raises(SystemExit) as ended:
        main([*line, str(project.root), *["--json"] * (command != "probe")])
    assert ended.value.code == 4
    told = capsys.readouterr()
    assert "namespaces: Operation not permitted" in told.out + told.err
    if command != "probe":
        validate(json.loads(told.out), command)
    assert not ran.exists()
    assert project.photograph() == before
