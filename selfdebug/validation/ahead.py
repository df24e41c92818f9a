"""Trials that run before they are asked for, so that a search keeps several processors at work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, Future, wait
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Generic, NamedTuple, TypeAlias, TypeVar

Contents: TypeAlias = Mapping[Path, bytes]
Answer = TypeVar("Answer")


class Job(NamedTuple):
    """Tests to run, and what some files hold for them.

    ``seconds`` is all the time that the tests get; None stands for a time with a second chance.
    ``known`` is all that they may do to their surroundings; None stands for anything.
    """

    contents: Contents
    tests: tuple[str, ...]
    seconds: float | None = None
    known: tuple[str, ...] | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two of them the same."""
        return self.tests, frozenset(self.contents.items())


class _Begun(NamedTuple, Generic[Answer]):
    future: Future[Answer]
    stop: Event


class Ahead(Generic[Answer]):
    """Runs jobs through an executor. ``run`` does one; it ends soon once its event is set.

    The caller asks for results in its own order, so that what it makes of them does not depend on
    how many run at a time. Of those that it expects, up to ``window`` wait for it.
    """

    def __init__(
        self, executor: Executor, run: Callable[[Job, Event], Answer], window: int
    ) -> None:
        self._executor, self._run, self._window = executor, run, window
        self._begun: dict[tuple[object, ...], _Begun[Answer]] = {}

    def announce(self, jobs: Iterable[Job]) -> None:
        """Begin the first few of the jobs that will be asked for next, if nothing comes between.

        Earlier ones that are not among them go on where they run already.
        """
        wanted = {job.key: job for job in islice(jobs, self._window)}
        for key in self._begun.keys() - wanted.keys():
            if self._begun[key].future.cancel():
                del self._begun[key]
        for key, job in wanted.items():
            if key not in self._begun:
                self._begun[key] = self._begin(job)

    def result(self, job: Job) -> Answer:
        """Return what a job showed; wait for it, and begin it where nobody announced it."""
        begun = self._begun.pop(job.key, None) or self._begin(job)
        return begun.future.result()

    def stop(self) -> None:
        """End all jobs that nobody asked for, and wait until they have ended."""
        for begun in self._begun.values():
            begun.future.cancel()
            begun.stop.set()
        wait([begun.future for begun in self._begun.values()])
        self._begun.clear()

    def _begin(self, job: Job) -> _Begun[Answer]:
        stop = Event()
        return _Begun(self._executor.submit(self._run, job, stop), stop)
