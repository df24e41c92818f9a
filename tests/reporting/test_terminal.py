"""The report for people, and the lines of progress."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from selfdebug.model import (
    Alternative,
    Candidate,
    Difference,
    Healing,
    Patch,
    SearchEnd,
    Site,
    Span,
)
from selfdebug.reporting.terminal import Lines, tell

ROOT = Path("/project")
SITE = Site(ROOT / "shop.py", Span(7, 4, 7, 13), "Name", "user", "TypeError", "no")
HEALING = Healing("1", ROOT, 0, "pass", "the tests pass again")


def told(healing: Healing, capsys: pytest.CaptureFixture[str], verbosity: int = 0) -> list[str]:
    tell(healing, verbosity)
    return capsys.readouterr().out.splitlines()


def test_other_patches_that_pass_stand_in_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    made = Candidate((), "null-guard", "skip", "guard", "user was None", SITE)
    differs = Difference("find(2)", "returns None", "returns 1")
    report = replace(HEALING, alternatives=(Alternative(made, differs), *[Alternative(made)] * 4))
    line = "also passes: null-guard (skip) at shop.py:7: user was None; "
    same = line + "no difference was found"
    assert told(report, capsys)[:4] == [
        line + "find(2) returns 1 with it",
        *[same] * 2,
        "… and 2 more that pass (-v shows them)",
    ]
    assert told(report, capsys, verbosity=1)[1:5] == [same] * 4


def test_a_rival_with_the_words_of_the_patch_shows_what_it_writes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = Candidate((), "null-guard", "skip", "guard", "user was None", SITE)
    rival = Alternative(made, compared=False, becomes="if user is not None: x()")
    patch = Patch(replace(made, variant="early-exit"), "medium")
    report = replace(HEALING, patches=(patch,), alternatives=(rival,))
    assert told(report, capsys)[:2] == [
        "null-guard (early-exit, guard, confidence medium) at shop.py:7: user was None",
        "also passes: null-guard (skip) at shop.py:7: `if user is not None: x()`; it was not compared",
    ]


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("found", "enough to choose among those that pass"),
        ("space", "all that were worth a try"),
        ("time", "until the time was over (--search-seconds)"),
    ],
)
def test_small_edits_are_counted_with_what_ended_them(
    end: SearchEnd, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = replace(HEALING, tried=312, small_edits=312, search_end=end)
    assert f"Small edits tried: 312, {words}." in told(report, capsys)


def test_small_edits_that_change_nothing_are_counted_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = replace(HEALING, tried=312, small_edits=312, pruned=150, search_end="found")
    line = next(each for each in told(report, capsys) if each.startswith("Small edits"))
    assert line.endswith("those that pass; 150 more change no value in the test.")


def test_a_crash_healed_without_small_edits_does_not_mention_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert not any("Small" in line for line in told(replace(HEALING, search_end="found"), capsys))


def test_of_lines_of_one_kind_one_in_a_few_seconds_is_written() -> None:
    written: list[str] = []
    now = 0.0
    write = Lines(written.append, clock=lambda: now)
    steps = {
        0.0: "running the tests",
        0.1: "trying null-guard (skip) at shop.py:7",
        0.2: "trying near-key (other) at cart.py:12",
        0.3: "running 2 tests that execute the edited lines",
        0.4: "running 31 tests that execute the edited lines",
        0.5: "running the failing tests again",
        6.0: "trying near-key (other) at cart.py:30",
        6.1: "trying near-key (other) at cart.py:31",
    }
    for now, step in steps.items():  # noqa: B007 - the clock reads it
        write(step)
    assert written == [steps[at] for at in (0.0, 0.1, 0.3, 0.5, 6.0)]


def test_a_step_that_takes_long_is_told_every_ten_seconds() -> None:
    written: list[str] = []
    now = 0.0
    write = Lines(written.append, clock=lambda: now)
    write.remind()
    write("running the tests")
    for now in (9.0, 10.0, 19.0, 20.5):  # noqa: B007 - the clock reads it
        write.remind()
    now = 21.0
    write("running the failing tests again")
    write.remind()
    assert written == [
        *("running the tests", "running the tests: for 10 s", "running the tests: for 20 s"),
        "running the failing tests again",
    ]
