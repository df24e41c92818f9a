"""Inputs that hypothesis makes by type."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

from selfdebug.validation.inputs import generated


def test_literals_have_the_type_that_they_stand_under() -> None:
    made = generated()
    assert {"int", "str", "list[int]", "tuple[float]", "dict[str, bool]"} <= made.keys()
    for name in ("int", "str", "bool", "float"):
        values = [ast.literal_eval(each) for each in made[name]]
        assert {type(each).__name__ for each in values} == {name}
        items = [item for each in made[f"list[{name}]"] for item in ast.literal_eval(each)]
        assert {type(each).__name__ for each in items} == {name}
    assert all(1 < len(texts) <= 10 for texts in made.values())


def test_they_are_the_same_in_every_run() -> None:
    first = generated()
    generated.cache_clear()
    assert generated() == first


def test_nothing_is_left_where_the_user_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    generated.cache_clear()
    assert generated()
    assert [*tmp_path.iterdir()] == []


def test_a_run_that_is_killed_leaves_what_is_removed_with_its_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: list[Path] = []

    def run(*_: object, cwd: str, **__: object) -> subprocess.CompletedProcess[str]:
        places.append(Path(cwd).parent)
        return subprocess.CompletedProcess([], 1)

    monkeypatch.setattr(subprocess, "run", run)
    assert generated(tmp_path) == {}
    assert places == [tmp_path]


def test_there_are_none_without_hypothesis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfdebug.validation.inputs.find_spec", lambda _name: None)
    generated.cache_clear()
    assert generated() == {}
    generated.cache_clear()
