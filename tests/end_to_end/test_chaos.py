"""The real command line, killed at random instants: what ``make chaos`` does 500 times, a few times."""

from __future__ import annotations

import random

import pytest

from benchmarks.chaos import Story, copied, killed, leftovers, stories

KILLS = 2  # of each story


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> list[Story]:
    return [*stories(tmp_path_factory.mktemp("chaos").resolve())]


def test_a_killed_command_leaves_the_tree_as_before_or_as_kept(every: list[Story]) -> None:
    choose = random.Random(1)
    for one in every:
        for _ in range(KILLS):
            after = choose.uniform(0, one.seconds)
            _, wrong = killed(one, after)
            assert wrong == [], f"{one.command} killed after {after} s"


def test_what_a_kill_could_leave_is_seen(every: list[Story]) -> None:
    with copied(every[0].saved) as project:
        before = project.photograph()
        assert [*leftovers(project)] == []
        project.write({"staged.txt": "lost\n"})
        (project.temporary / "selfdebug-x").mkdir()
        assert project.photograph() != before
        assert [path.name for path in leftovers(project)] == ["selfdebug-x"]
