"""How the time of a search is shared."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfdebug.planning.search import Exhausted
from selfdebug.settings import Settings
from selfdebug.steps.budget import Budget
from selfdebug.stopwatch import Stopwatch


class Clock(Stopwatch):
    """Shows the seconds of search that a test says."""

    now = 0.0

    def read(self) -> dict[str, float]:
        return {"search": self.now}


def end(budget: Budget, clock: Clock) -> None:
    clock.now = 60.4
    budget.check(1)


def test_a_part_that_uses_up_its_share_ends_and_the_search_goes_on(tmp_path: Path) -> None:
    clock = Clock()
    budget = Budget(Settings(tmp_path, search_seconds=60), clock)
    clock.now = 10
    allowed = []
    with budget.share(5) as share:
        for clock.now in (12, 14, 16, 18):
            budget.check(1)
            allowed.append(clock.now)
    assert allowed == [12, 14]
    assert (share.over, budget.spent, budget.left) == (True, None, 44)
    budget.check(1)


def test_a_part_that_needs_less_is_not_over(tmp_path: Path) -> None:
    budget = Budget(Settings(tmp_path), Clock())
    with budget.share(5) as share:
        budget.check(1)
    assert not share.over


def test_the_end_of_all_time_is_no_part_s_own(tmp_path: Path) -> None:
    clock = Clock()
    budget = Budget(Settings(tmp_path, search_seconds=60), clock)
    clock.now = 59
    with pytest.raises(Exhausted, match="60"), budget.share(90):
        end(budget, clock)
    assert budget.spent == "time"


def test_once_it_has_what_it_is_for_a_part_goes_on_for_as_long_again(tmp_path: Path) -> None:
    clock = Clock()
    budget = Budget(Settings(tmp_path), clock)
    budget.hasten()  # of no part
    clock.now = 10
    with budget.share(20) as share:
        clock.now = 18
        budget.hasten()
        clock.now = 26
        budget.check(1)
        clock.now = 26.1
        budget.check(1)
    assert share.over


def test_one_that_has_it_at_once_goes_on_for_a_third_of_its_share(tmp_path: Path) -> None:
    clock = Clock()
    budget = Budget(Settings(tmp_path), clock)
    with budget.share(30) as share:
        budget.hasten()
        clock.now = 10
        budget.check(1)
        clock.now = 10.1
        budget.check(1)
    assert share.over
