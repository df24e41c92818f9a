"""``selfdebug init``: what is missing is added, what is there stays to the byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from selfdebug.init import STUB, CannotMerge, init, merged_codemod_config, merged_pyproject
from selfdebug.settings import Settings, load

OURS = "selfdebug._libcst"

CONFIGS = {
    "": f"modules:\n- {OURS}\n- libcst.codemod.commands\n",
    "modules:\n- mine\n": f"modules:\n- {OURS}\n- mine\n",
    "modules:  # ours\n  # first\n  - mine\nrepo_root: src\n": (
        f"modules:  # ours\n  # first\n  - {OURS}\n  - mine\nrepo_root: src\n"
    ),
    "modules: [mine, other]\n": f"modules: [{OURS}, mine, other]\n",
    "formatter: []": f"formatter: []\nmodules:\n- {OURS}\n- libcst.codemod.commands\n",
    "modules:\r\n- mine\r\n": f"modules:\r\n- {OURS}\r\n- mine\r\n",
}


@pytest.mark.parametrize("before", CONFIGS)
def test_our_module_joins_the_list(before: str) -> None:
    after = merged_codemod_config(before)
    assert after == CONFIGS[before]
    assert yaml.safe_load(after)["modules"][0] == OURS
    assert merged_codemod_config(after) is None


@pytest.mark.parametrize("odd", ["modules: mine\n", "- a\n- b\n", "modules: [\n", "modules: []\n"])
def test_a_config_that_is_not_understood_is_left_to_a_person(odd: str) -> None:
    with pytest.raises(CannotMerge, match="by hand"):
        merged_codemod_config(odd)


def test_the_stub_shows_settings_as_they_are_where_nothing_is_set(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(STUB.replace("# ", ""))
    set_alike, unset = load(tmp_path, {}), Settings(tmp_path.resolve())
    assert replace(set_alike, python=unset.python) == unset
    assert "require" in path.read_text()


def test_the_stub_goes_to_the_end_once() -> None:
    before = '[project]\nname = "x"\n'
    after = merged_pyproject(before)
    assert after == before + "\n" + STUB
    assert merged_pyproject(after) is None


def test_init_says_what_it_did_and_a_second_time_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.selfdebug]\ntimeout = 3\n")
    assert init(tmp_path) == {".libcst.codemod.yaml": "written", "pyproject.toml": "has it already"}
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(init(tmp_path).values()) == {"has it already"}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first


def test_a_file_that_is_there_is_added_to_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(b'[project]\r\nname = "\xc3\xa9"\r\n')
    path.chmod(0o640)
    assert init(tmp_path)["pyproject.toml"] == "added to"
    assert path.read_bytes() == (
        b'[project]\r\nname = "\xc3\xa9"\r\n\r\n' + STUB.replace("\n", "\r\n").encode()
    )
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".libcst.codemod.yaml",
        "pyproject.toml",
    ]


def test_nothing_is_written_where_one_file_cannot_be_merged(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("not toml [")
    with pytest.raises(CannotMerge):
        init(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["pyproject.toml"]
