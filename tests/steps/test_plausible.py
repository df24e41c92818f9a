"""How the search of a run ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfdebug.planning.search import Exhausted, Search, State
from selfdebug.settings import Settings
from selfdebug.steps.context import Context
from selfdebug.steps.observe import Observation
from selfdebug.steps.plausible import PatchSearch
from selfdebug.syntax.project import Project
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.prepare import Prepared


def test_a_limit_that_ends_both_halves_of_the_search_is_noted_once(tmp_path: Path) -> None:
    command = PytestCommand(tmp_path, Path(sys.executable))
    context = Context(Settings(tmp_path), Prepared(command), lambda _: None)
    search = PatchSearch(context, Observation(Project(tmp_path)))
    for seconds in (60, 61):
        with search._while_allowed():
            raise Exhausted(f"ended after {seconds} s")
    assert search.exhausted
    assert context.notes == ["ended after 60 s"]


def test_once_the_time_is_over_no_further_run_of_tests_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def over(_: Search, __: State) -> Iterator[State]:
        search.budget.check(0)
        yield State(())

    command = PytestCommand(tmp_path, Path(sys.executable))
    settings = Settings(tmp_path, search_seconds=-1.0)
    context = Context(settings, Prepared(command), lambda _: None)
    search = PatchSearch(context, Observation(Project(tmp_path)))
    monkeypatch.setattr(Search, "plausible", over)
    monkeypatch.setattr(search, "_small_edits", lambda: pytest.fail("it learns from a run"))
    assert [*search.plausible()] == []
    assert (search.end, search.exhausted) == ("time", True)
