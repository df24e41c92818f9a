"""The project's tests: warm where that is faithful, cold where it is not, and cold for every proof."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from selfdebug.model import TestRun
from selfdebug.validation import warm
from selfdebug.validation.cold import PytestCommand, run_pytest
from selfdebug.validation.limits import Limits, limits
from selfdebug.validation.overlay import run_in_copy
from selfdebug.validation.warm import Declined, WarmRun, WarmServer

Contents = Mapping[Path, bytes]


@dataclass(frozen=True, slots=True)
class Trial:
    """What the tests said of files that were not written.

    ``run`` is None where nothing off the tree can tell. ``executed`` says whether they ran the new
    code; ``cold`` whether a fresh process said so.
    """

    run: TestRun | None
    executed: bool
    cold: bool


@dataclass
class Runner:
    """Runs the tests of one project. ``step`` is told of each run; ``notes`` of each fall back."""

    command: PytestCommand
    step: Callable[[str], None]
    notes: list[str] = field(default_factory=list)
    _server: WarmServer | None = None
    _durations: Mapping[str, float] = field(default_factory=dict)

    @contextmanager
    def warmed(self, jobs: int) -> Iterator[None]:
        """Keep a warm server for the length of the block; it starts while the caller goes on."""
        server = warm.start(self.command, jobs)
        if isinstance(server, Declined):
            yield
            return
        self._server = server
        with server:
            yield

    def observe(self, tests: Collection[str]) -> TestRun:
        """Run the tests with these node ids, or the whole suite, on the project as it is."""
        self.step("running the tests")
        run = self._warm(tests) or self._cold(tests)
        self._durations = {**self._durations, **run.durations}
        return run

    def again(self, tests: Collection[str]) -> TestRun:
        """Run tests that failed once more."""
        self.step("running the failing tests again")
        return self._warm(tests) or self._cold(tests)

    def try_out(self, contents: Contents, tests: Collection[str], step: str) -> Trial:
        """Run tests on files that hold something else than the disk, without writing them."""
        self.step(step)
        if self._server is not None:
            tried = self._server.run(
                contents, sorted(tests), self._limits(tests), first_failure=False
            )
            if isinstance(tried, WarmRun):
                return Trial(tried.run, tried.executed, cold=False)
            self._note(tried)
        return self.try_cold(contents, tests)

    def try_cold(self, contents: Contents, tests: Collection[str]) -> Trial:
        """Do the same in a fresh process."""
        run = self._cold(tests, contents)
        if run.exit_code is None or _reached(run, contents):
            return Trial(run, executed=True, cold=True)
        return Trial(None, executed=False, cold=True)

    def prove(self, step: str, tests: Collection[str] = ()) -> TestRun:
        """Run the tests on the tree as it lies there, in a fresh process."""
        self.step(step)
        return self._cold(tests)

    def prove_off_tree(self, step: str, contents: Contents, tests: Collection[str] = ()) -> TestRun:
        """Run the tests on files that are not written, in a fresh process: in a copy if need be."""
        self.step(step)
        run = self._cold(tests, contents)
        if not contents or run.exit_code is None or _reached(run, contents):
            return run
        return run_in_copy(self.command, contents, select=sorted(tests))

    def _cold(self, tests: Collection[str], contents: Contents | None = None) -> TestRun:
        return run_pytest(self.command, select=sorted(tests), replaced=contents)

    def _warm(self, tests: Collection[str]) -> TestRun | None:
        if self._server is None:
            return None
        allowed = Limits(self.command.timeout)
        seen = (
            self._server.run({}, sorted(tests), allowed, first_failure=False)
            if tests
            else self._server.observe()
        )
        if isinstance(seen, Declined):
            self._note(seen)
            return None
        return seen.run if isinstance(seen, WarmRun) else seen

    def _note(self, declined: Declined) -> None:
        note = f"no warm run, each in a fresh process: {declined.reason}"
        if note not in self.notes:
            self.notes.append(note)

    def _limits(self, tests: Collection[str]) -> Limits:
        known = [self._durations[test] for test in tests if test in self._durations]
        if len(known) < len(tests):
            return Limits(self.command.timeout, limits(0).memory, limits(0).file)
        allowed = limits(sum(known))
        return Limits(min(allowed.seconds, self.command.timeout), allowed.memory, allowed.file)


def _reached(run: TestRun, contents: Contents) -> bool:
    return all(str(path) in run.overlaid for path in contents)
