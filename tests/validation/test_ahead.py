"""Trials through an executor: in whatever order they end, the caller gets them in its own."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Semaphore

import pytest

from selfdebug.validation.ahead import Ahead, Job


def job(number: int) -> Job:
    return Job({Path("m.py"): b"%d" % number}, ("t",))


class Trials:
    """Jobs that end when they are let go, or stopped; ``begun`` has their numbers."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.go = {number: Event() for number in range(20)}
        self.runs = Semaphore(0)

    def run(self, job: Job, stop: Event) -> str:
        number = int(job.contents[Path("m.py")])
        self.begun.append(number)
        self.runs.release()
        while not self.go[number].wait(0.001):
            if stop.is_set():
                return "stopped"
        return f"answer {number}"

    def finish(self, *numbers: int) -> None:
        for number in numbers:
            self.go[number].set()


@pytest.fixture
def trials() -> Iterator[Trials]:
    made = Trials()
    yield made
    made.finish(*made.go)


def ahead(trials: Trials, threads: ThreadPoolExecutor, window: int = 3) -> Ahead[str]:
    return Ahead(threads, trials.run, window)


def test_what_ends_last_can_be_asked_for_first(trials: Trials) -> None:
    with ThreadPoolExecutor(3) as threads:
        asked = ahead(trials, threads)
        asked.announce(map(job, [1, 2, 3, 4]))
        for _ in range(3):
            trials.runs.acquire()
        trials.finish(3, 2, 1)
        assert [asked.result(job(number)) for number in (1, 2, 3)] == [
            "answer 1",
            "answer 2",
            "answer 3",
        ]
        assert sorted(trials.begun) == [1, 2, 3]


def test_no_more_is_read_of_the_row_than_the_window_holds(trials: Trials) -> None:
    row = map(job, range(1, 20))
    trials.finish(1, 2, 3)
    with ThreadPoolExecutor(1) as threads:
        ahead(trials, threads).announce(row)
        assert next(row) == job(4)


def test_nothing_runs_twice_however_often_it_is_expected(trials: Trials) -> None:
    trials.finish(1, 2, 3)
    with ThreadPoolExecutor(2) as threads:
        asked = ahead(trials, threads)
        for first in (1, 2, 3):
            asked.announce(map(job, range(first, 4)))
            asked.result(job(first))
    assert sorted(trials.begun) == [1, 2, 3]


def test_what_waits_and_is_no_longer_expected_gives_way(trials: Trials) -> None:
    trials.finish(1, 7)
    with ThreadPoolExecutor(1) as threads:
        asked = ahead(trials, threads)
        asked.announce(map(job, [2, 3, 4]))
        trials.runs.acquire()
        asked.announce(map(job, [7]))
        trials.finish(2)
        assert asked.result(job(7)) == "answer 7"
        assert asked.result(job(2)) == "answer 2"
    assert trials.begun == [2, 7]


def test_what_nobody_asks_for_is_stopped_and_tried_again_where_it_is_asked_for(
    trials: Trials,
) -> None:
    with ThreadPoolExecutor(1) as threads:
        asked = ahead(trials, threads)
        asked.announce(map(job, [1, 2]))
        trials.runs.acquire()
        asked.stop()
        trials.finish(1)
        assert asked.result(job(1)) == "answer 1"
    assert trials.begun == [1, 1]


def test_other_tests_or_other_bytes_are_another_job(trials: Trials) -> None:
    trials.finish(1)
    with ThreadPoolExecutor(1) as threads:
        asked = ahead(trials, threads)
        asked.announce([job(1)])
        asked.result(Job(job(1).contents, ("t", "u")))
    assert trials.begun == [1, 1]
