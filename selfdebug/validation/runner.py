"""The project's tests: warm where that is faithful, cold where it is not, and cold for every proof."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from selfdebug.model import TestRun
from selfdebug.validation import warm
from selfdebug.validation.cold import PytestCommand, run_pytest
from selfdebug.validation.limits import Limits, limits
from selfdebug.validation.overlay import OverlayUnusable, run_in_copy
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
    _collected: float = 0.0
    _repeated: float | None = None

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
        self._collected = run.seconds
        return run

    def again(self, tests: Collection[str]) -> TestRun:
        """Run tests that failed once more."""
        self.step("running the failing tests again")
        run = self._warm(tests) or self._cold(tests)
        self._repeated = run.seconds
        return run

    def try_out(self, contents: Contents, tests: Collection[str], step: str) -> Trial:
        """Run tests on files that hold something else than the disk, without writing them."""
        self.step(step)
        warm = self._server and self._try_warm(self._server, contents, sorted(tests))
        return warm or self.try_cold(contents, tests)

    def try_cold(self, contents: Contents, tests: Collection[str]) -> Trial:
        """Do the same in a fresh process."""
        run = self._cold(tests, contents)
        if run.exit_code is None or (_reached(run, contents) and not run.spawned):
            return Trial(run, executed=True, cold=True)
        # Programs that the tests start see the files themselves: only a copy can tell.
        with suppress(OverlayUnusable):
            return Trial(run_in_copy(self.command, contents, select=sorted(tests)), True, cold=True)
        return Trial(None, executed=False, cold=True)

    def prove(self, step: str, tests: Collection[str] = ()) -> TestRun:
        """Run the tests on the tree as it lies there, in a fresh process."""
        self.step(step)
        return self._cold(tests)

    def prove_off_tree(self, step: str, contents: Contents, tests: Collection[str] = ()) -> TestRun:
        """Run the tests on files that are not written, in a fresh process: in a copy if need be.

        Raises OverlayUnusable where neither reaches the tests.
        """
        self.step(step)
        run = self._cold(tests, contents)
        if not contents or run.exit_code is None or (_reached(run, contents) and not run.spawned):
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

    def _try_warm(
        self, server: WarmServer, contents: Contents, tests: Sequence[str], patience: int = 1
    ) -> Trial | None:
        tried = server.run(contents, tests, self._limits(patience), first_failure=False)
        if isinstance(tried, Declined):
            self._note(tried)
            return None
        if tried.run.exit_code is None and patience == 1:
            # On a busy machine a limit may be met by a candidate that is right: ask once more.
            return self._try_warm(server, contents, tests, patience=4)
        return Trial(tried.run, tried.executed, cold=False)

    def _note(self, declined: Declined) -> None:
        note = f"no warm run, each in a fresh process: {declined.reason}"
        if note not in self.notes:
            self.notes.append(note)

    def _limits(self, patience: int) -> Limits:
        """Limit a trial by what the same tests took without it; a module may be imported once more."""
        if self._repeated is None:
            return replace(limits(0), seconds=self.command.timeout)
        allowed = limits(self._repeated)
        seconds = (allowed.seconds + self._collected) * patience
        return replace(allowed, seconds=min(seconds, self.command.timeout))


def _reached(run: TestRun, contents: Contents) -> bool:
    return all(str(path) in run.overlaid for path in contents)
