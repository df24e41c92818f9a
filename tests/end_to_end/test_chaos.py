"""The real command line, killed at random instants: what ``make chaos`` does 500 times, a few times."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.chaos import STORIES, Story, copied, killed, leftovers

KILLS = 1  # of each story


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path.resolve()


@pytest.mark.parametrize("name", STORIES)
def test_a_killed_command_leaves_the_tree_as_before_or_as_kept(name: str, folder: Path) -> None:
    story: Story = STORIES[name](folder)
    choose = random.Random(name)
    for _ in range(KILLS):
        after = choose.uniform(0, story.seconds)
        _, wrong = killed(story, after)
        assert wrong == [], f"{story.command} killed after {after} s"


def test_what_a_kill_could_leave_is_seen(folder: Path) -> None:
    with copied(STORIES["probes"](folder).saved) as project:
        before = project.photograph()
        assert [*leftovers(project)] == []
        project.write({"staged.txt": "lost\n"})
        (project.temporary / "selfdebug-x").mkdir()
        assert project.photograph() != before
        assert [path.name for path in leftovers(project)] == ["selfdebug-x"]
