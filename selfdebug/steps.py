"""The steps of the loop, and what they learn on the way for the report at its end."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, BinaryIO

from selfdebug.model import (
    Candidate,
    Failure,
    FinalStatus,
    Healing,
    Judgement,
    Recovery,
    Ruling,
    TestRun,
    Traceback,
    Verdict,
)
from selfdebug.reporting.diff import unified
from selfdebug.reporting.summary import relative
from selfdebug.settings import Settings
from selfdebug.validation.cold import PytestCommand, run_pytest
from selfdebug.validation.judge import failed, judge
from selfdebug.workspace.errors import Changed, Refused, Unwritable
from selfdebug.workspace.session import Run

if TYPE_CHECKING:
    from selfdebug.localization.localize import Diagnosis
    from selfdebug.localization.paths import Project
    from selfdebug.planning.propose import Plan
    from selfdebug.planning.search import Search, State

Step = Callable[[str], None]
_LATER = ("selfdebug.localization.localize", "selfdebug.planning.propose")


class Ended(Exception):
    """The loop is over without a patch: the final status, the exit code, and a sentence."""

    def __init__(self, status: FinalStatus, exit_code: int, message: str):
        self.status, self.exit_code = status, exit_code
        super().__init__(message)


@dataclass
class Stopwatch:
    """Seconds by phase; the time that passes belongs to the phase entered last."""

    seconds: dict[str, float] = field(default_factory=dict)
    _phase: str = "diagnosis"
    _since: float = field(default_factory=time.monotonic)

    def enter(self, phase: str) -> None:
        """Begin, or go on with, a phase."""
        now = time.monotonic()
        self.seconds[self._phase] = self.seconds.get(self._phase, 0.0) + now - self._since
        self._phase, self._since = phase, now

    def read(self) -> dict[str, float]:
        """Return the seconds of all phases, and their total."""
        self.enter(self._phase)
        phases = {name: self.seconds.get(name, 0.0) for name in ("diagnosis", "search", "verification")}
        return {**phases, "total": sum(phases.values())}


@dataclass
class Healer:
    """One run of the loop. Its steps are called in the order in which they stand here."""

    settings: Settings
    step: Step
    attempts: int = 0
    open_tests: frozenset[str] = frozenset()
    before: TestRun | None = None
    after: TestRun | None = None
    tracebacks: tuple[Traceback, ...] = ()
    notes: list[str] = field(default_factory=list)
    clock: Stopwatch = field(default_factory=Stopwatch)
    _run: Run | None = None
    _scratch: Path | None = None
    _files: set[Path] = field(default_factory=set)

    @contextmanager
    def started(self, run: Run) -> Iterator[None]:
        """Hold what a run needs: a scratch folder, and libcst imported while pytest is at work."""
        self._run = run
        Thread(target=lambda: [import_module(name) for name in _LATER], daemon=True).start()
        with tempfile.TemporaryDirectory(prefix="sd-", ignore_cleanup_errors=True) as scratch:
            self._scratch = Path(scratch)
            yield

    def observe(self, log: BinaryIO | None) -> tuple[Failure, ...]:
        """Return the failures to heal, each seen twice. Raises Ended where there are none."""
        if log is None:
            first = self._see(self.settings.nodes)
            again = self._pytest("running the failing tests again", failed(first))
        else:
            first = again = self._see(self._read(log))
        flaky = sorted(failed(first) - failed(again))
        if flaky:
            self.notes.append(f"flaky, and not repaired: {', '.join(flaky)}")
        if not again.failures:
            raise Ended("no-failure", 0, f"{flaky[0]} failed once and then passed: it is flaky")
        self.before, self.open_tests = first, failed(again)
        self.tracebacks = tuple(entry for one in again.failures for entry in self._entries(one))
        return again.failures

    def plausible(self, failures: tuple[Failure, ...]) -> Iterator[State]:
        """Yield patches under which the open tests passed, without a write to the project."""
        from selfdebug.planning.search import Exhausted, State

        self.clock.enter("search")
        try:
            yield from self.search.plausible(State(failures))
        except Exhausted:
            self.notes.append(f"the {self.settings.max_attempts} attempts allowed are used up")

    def prove(self, patch: State) -> bool:
        """Say whether a patch holds: in place, in a fresh pytest process over the whole suite."""
        self.clock.enter("verification")
        verdict = self._prove_dry(patch) if self.settings.dry_run else self._prove_in_place(patch)
        self.clock.enter("search")
        if verdict is None or verdict.judgement is not Judgement.PLAUSIBLE:
            return False
        self.after = verdict.run
        if verdict.run.exit_code:
            self.notes.append(verdict.why)
        return True

    def keep(self, patch: State) -> Healing:
        """End with the patch in place."""
        dry = self.settings.dry_run
        done = "a verified patch was found; nothing was written" if dry else "the tests pass again"
        diff = self._diff(patch.contents)
        return self.end("pass", 0, done, diff=diff, patches=patch.patch)

    def give_up(self) -> Healing:
        """End with everything as it was, and say why."""
        if self.attempts:
            tried = f"{self.attempts} candidate{'s' if self.attempts > 1 else ''} tried"
            return self.end("fail", 128, f"{tried}, and none healed the tests; nothing is changed")
        if self._unparsable:
            return self.end("rejected", 3, f"PATCH-REJECTED: {self._unparsable[0]}")
        if self.search.rejected:
            return self.end("rejected", 3, self.search.rejected[0].why)
        if not any(entry.in_project for entry in self.tracebacks):
            return self.end("no-frame", 2, self._misses[0] if self._misses else "no frame")
        first = self.tracebacks[0]
        return self.end(
            "no-codemod", 3, f"no codemod answers {first.exc_type} at {first.file}:{first.line}"
        )

    def end(
        self,
        status: FinalStatus,
        exit_code: int,
        message: str,
        patches: tuple[Candidate, ...] = (),
        diff: bytes = b"",
    ) -> Healing:
        """Return the report."""
        run, dry = self._run, self.settings.dry_run
        rulings = self.search.rejected if self.attempts or "search" in self.__dict__ else []
        return Healing(
            run_id=run.run_id if run else "",
            root=self.settings.root,
            exit_code=exit_code,
            final_status=status,
            message=message,
            attempts=self.attempts,
            rollback=exit_code in (1, 128, 130),
            files_patched=tuple(sorted(relative(path, self.settings.root) for path in self._files)),
            tracebacks=self.tracebacks,
            diff=diff,
            patches=patches,
            rejected=tuple(rulings),
            before=self.before.outcomes if self.before else {},
            after=self.after.outcomes if self.after else {},
            timings=self.clock.read(),
            versions=self.before.versions if self.before else {},
            recovery=run.recovery() if run and not dry else Recovery(),
            notes=tuple(self.notes),
            dry_run=dry,
        )

    @cached_property
    def project(self) -> Project:
        """The project's files."""
        from selfdebug.localization.paths import Project

        return Project(self.settings.root)

    @cached_property
    def search(self) -> Search:
        """The search for patches."""
        from selfdebug.planning.search import Search

        return Search(self._propose, self._trial)

    def _read(self, log: BinaryIO) -> frozenset[str]:
        """Return the failing tests that a log names. Raises Ended where it shows no failure."""
        from selfdebug.ingestion.logs import read_log

        self.step("reading the log")
        told = read_log(log)
        if not told.failures:
            raise Ended("no-frame", 2, told.complaint or "the log shows no failure")
        self.tracebacks = tuple(entry for one in told.failures for entry in self._entries(one))
        return frozenset(failure.test for failure in told.failures if failure.test)

    def _see(self, tests: Collection[str]) -> TestRun:
        """Run the tests for the first time. Raises Ended where they show nothing to heal."""
        run = self._pytest("running the tests", tests)
        if tests and not run.failures and run.exit_code in (4, 5):
            run = self._pytest("running all tests: those named are not here", ())
        if run.exit_code is None:
            raise Ended("no-frame", 2, f"the tests hang: ended after {run.seconds:.0f} s (timeout)")
        if run.failures:
            return run
        if run.exit_code == 0:
            what = "nothing fails"
            if self.tracebacks:
                what = "the failures of the log no longer occur: it is stale, or a test is flaky"
            raise Ended("no-failure", 0, what)
        why = {2: "was interrupted", 3: "had an internal error", 5: "collected no tests"}
        told = why.get(run.exit_code, f"ended with status {run.exit_code}")
        raise Ended("no-frame", 2, f"pytest {told}: {_last_lines(run.output)}")

    def _pytest(
        self,
        step: str,
        tests: Collection[str],
        replaced: Mapping[Path, bytes] | None = None,
    ) -> TestRun:
        self.step(step)
        settings = self.settings
        # A run that stops at its first failure would not show what else a patch breaks.
        args = (*settings.pytest_args, "--maxfail=0")
        command = PytestCommand(
            settings.root, settings.python, args, settings.timeout, scratch=self._scratch
        )
        return run_pytest(command, select=sorted(tests), replaced=replaced)

    def _propose(self, failure: Failure, state: State) -> Plan:
        from selfdebug.planning.propose import Plan, chosen, propose
        from selfdebug.syntax.source import Unreadable

        found = self._localized(failure, state)
        codemods = chosen(self.settings.select, self.settings.ignore)
        try:
            return propose(found.sites, codemods, self.settings.root, state.contents)
        except Unreadable as error:
            self._unparsable.append(str(error))
            return Plan(())

    def _trial(self, state: State) -> TestRun | None:
        """Run the open tests on a state, off the tree; None where the overlay does not reach them."""
        from selfdebug.planning.search import Exhausted

        if self.attempts >= self.settings.max_attempts:
            raise Exhausted
        self.attempts += 1
        patch = state.patch[-1]
        step = f"trying {patch.codemod} ({patch.variant}) at {_place(patch, self.settings.root)}"
        run = self._pytest(step, self.open_tests, state.contents)
        return run if self._is_proved(run, state.contents) else None

    def _prove_dry(self, patch: State) -> Verdict:
        def run(step: str, tests: Collection[str]) -> TestRun:
            return self._pytest(step, tests, patch.contents)

        after = run("proving it with the whole suite, off the tree", ())
        assert self.before is not None
        return judge(
            after,
            self.open_tests,
            self.before.outcomes,
            lambda tests: run("running again what failed", tests),
            lambda tests: self._pytest("running it without the patch", tests),
        )

    def _prove_in_place(self, patch: State) -> Verdict | None:
        assert self._run is not None
        assert self.before is not None
        changes = {path: (path.read_bytes(), after) for path, after in patch.contents.items()}
        try:
            applied = self._run.write(changes)
        except (Refused, Changed, Unwritable) as error:
            self.search.rejected.append(Ruling(patch.patch[-1], f"PATCH-REJECTED: {error}"))
            return None
        self._files.update(changes)
        before = {path: bytes_before for path, (bytes_before, _) in changes.items()}
        verdict = judge(
            self._pytest("proving it with the whole suite, in place", ()),
            self.open_tests,
            self.before.outcomes,
            lambda tests: self._pytest("running again what failed", tests),
            lambda tests: self._pytest("running it without the patch", tests, before),
        )
        if verdict.judgement is not Judgement.PLAUSIBLE:
            self._run.revert(applied)
            self._run.reject(applied, verdict.why)
            self.search.rejected.append(Ruling(patch.patch[-1], verdict.why))
        return verdict
