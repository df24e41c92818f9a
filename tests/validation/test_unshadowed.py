"""Projects with modules of the standard library's names: they get their own, and our plugins do not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfdebug.model import TestRun
from selfdebug.validation import warm
from selfdebug.validation.cold import run_pytest
from selfdebug.validation.launch import PytestCommand, install
from selfdebug.validation.limits import Limits
from selfdebug.validation.warm import WarmRun, WarmServer
from tests.interpreters import PYTEST_5, PYTEST_9, interpreter
from tests.validation.test_cold import HERE, write

NEEDED = """
import sys
before = {*sys.modules, "_pytest", "pytest"}
import pytest, _pytest.config
_pytest.config.get_config()
before |= {*sys.modules}
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import importlib
for name in sys.argv[2:]:
    importlib.import_module(name)
new = {name.partition(".")[0] for name in {*sys.modules} - before}
print(*{name for name in new if not name.startswith("_") and not name[-12:] == sys.argv[2][-12:]})
"""
OWN = "def mine():\n    return {!r} + '!'\n"


NAMES = ("array", "ctypes", "resource", "socket")
"""What our plugins import of the library, and pytest does not."""


def test_there_are_no_other_names(tmp_path: Path) -> None:
    installed = install(PytestCommand(tmp_path, HERE), tmp_path)
    plugins = [
        installed.module(each) for each in ("recorder", "overlay", "gate", "deadline", "forked")
    ]
    modules = [*plugins, f"{installed.module('forked')}.server", installed.option("children")]
    shown = subprocess.run(
        [HERE, "-c", NEEDED, str(installed.folder), *modules],
        capture_output=True,
        check=True,
        text=True,
        env=os.environ | {"SELFDEBUG_ROOT": str(tmp_path)},
    )
    assert {*shown.stdout.split()} & sys.stdlib_module_names <= {*NAMES}


@pytest.fixture(params=["", "src/"], ids=["in the root", "in a folder on the path"])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, tuple[str, ...]]:
    place = request.param
    # pytest needs difflib, too, and takes that of the project where it is in the root.
    names = NAMES if place else (*NAMES, "difflib")
    files = {f"{place}{name}.py": OWN.format(name) for name in names}
    files["pyproject.toml"] = '[tool.pytest.ini_options]\npythonpath = ["src"]\n' if place else ""
    files["test_own.py"] = "".join(
        f"import {name}\ndef test_{name}():\n    assert {name}.mine() == {name!r}\n"
        for name in names
    )
    return write(tmp_path / "project", files), names


@pytest.mark.parametrize("environment", [PYTEST_5, PYTEST_9], ids=["old", "new"])
def test_the_project_gets_its_own_and_is_read_as_any_other(
    project: tuple[Path, tuple[str, ...]], environment: tuple[str, ...]
) -> None:
    root, names = project
    if environment == PYTEST_5 and (root / "src").exists():
        pytest.skip("pytest has no such setting there")
    python = interpreter(*environment)
    if python is None:
        pytest.skip("no such interpreter on this machine")
    run = run_pytest(PytestCommand(root, python))
    assert run.outcomes == {f"test_own.py::test_{name}": "failed" for name in names}
    for failure in run.failures:
        assert failure.raised is not None
        assert failure.raised.message.startswith(f"assert '{failure.test[18:]}!'")


@pytest.fixture
def server(project: tuple[Path, tuple[str, ...]]) -> Iterator[WarmServer]:
    if sys.platform != "linux":
        pytest.skip("warm runs need Linux")
    started = warm.start(PytestCommand(project[0], HERE))
    assert isinstance(started, WarmServer)
    with started:
        yield started


def test_edits_of_such_modules_are_swapped(
    project: tuple[Path, tuple[str, ...]], server: WarmServer
) -> None:
    root, names = project
    seen = server.observe()
    assert isinstance(seen, TestRun)
    assert len(seen.failures) == len(names)
    for name in ("ctypes", "socket"):
        path = next(root.rglob(f"{name}.py"))
        text = path.read_bytes().replace(b" + '!'", b"")
        tried = server.run({path: text}, [f"test_own.py::test_{name}"], Limits(20.0))
        assert isinstance(tried, WarmRun)
        assert (tried.how, tried.run.exit_code, tried.executed) == ("swap", 0, True)
