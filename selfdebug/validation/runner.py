"""The project's tests: warm where that is faithful, cold where it is not, and cold for every proof."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any

from selfdebug.model import TestRun
from selfdebug.validation.ahead import Ahead, Contents, Job
from selfdebug.validation.cluster import Cluster, ClusterLost
from selfdebug.validation.cold import Observed, Spare, run_pytest
from selfdebug.validation.copies import Attempt, Copies
from selfdebug.validation.inputs import generated
from selfdebug.validation.judge import failed, timed_out
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits, Patience, limits, patient
from selfdebug.validation.overlay import OverlayUnusable, run_in_copy
from selfdebug.validation.warm import Declined, WarmRun, WarmServer, Watched, told_by_test

_LEAST = 0.1  # seconds that a run of tests takes at least
_LEARNING = 30.0  # seconds, at least, to learn what each test executes
_DOUBLED, _WATCHED = 2.0, 4.0  # times what one test may take
_USAGE_ERROR = 4  # the status with which pytest ends


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
    """Runs the tests of one project. ``step`` is told of each run; ``notes`` of each fall back.

    The patience of ``command`` is for tests of which nothing is known yet.
    """

    command: PytestCommand
    step: Callable[[str], None]
    notes: list[str] = field(default_factory=list)
    server: WarmServer | None = None
    _cluster: Cluster | None = None
    _copies: Copies | None = None
    _ahead: Ahead[WarmRun | Declined] | None = None
    _spare: Spare | None = None
    _collected: float = 0.0
    _repeated: float | None = None
    _baseline: WarmRun | None = None
    _plain: Mapping[str, str] = field(default_factory=dict)  # outcomes when nobody looked
    _slowest: float = 0.0  # seconds, of a test that ended
    _too_soon: float = 0.0
    _hanging: frozenset[str] = frozenset()
    _broken: set[str] = field(default_factory=set)
    _readers: set[tuple[str, ...]] = field(default_factory=set)  # tests, and files, for a copy

    @contextmanager
    def started(self, jobs: int, executor: str | None = None) -> Iterator[None]:
        """Try up to ``jobs`` candidates at a time: more than one only of those that are announced.

        Or as many as fit on the cluster at the URL ``executor``. Raises ClusterMissing.
        """
        with ExitStack() as resources:
            resources.callback(self._dismiss)
            if executor is not None:
                self._cluster = Cluster(executor, self.command)
                resources.callback(self._cluster.close)
                jobs = max(jobs, self._cluster.threads)
            self._copies = Copies(self.command, jobs, warmed=self.server is not None)
            resources.callback(self._copies.close)
            if jobs > 1:
                threads = resources.enter_context(ThreadPoolExecutor(jobs))
                self._ahead = Ahead(threads, self._run_anywhere, jobs + 2)
                resources.callback(self._ahead.stop)
            yield

    def retire(self) -> None:
        """Hear that nothing more is tried: what ends meanwhile need not be waited for."""
        if self.server is not None:
            self.server.retire()

    def prepare_proof(self) -> None:
        """Let a process start for the next proof, while there is something else to do."""
        if self._spare is None and self.server is not None:
            with suppress(OSError, ValueError):  # then the proof starts its own
                self._spare = Spare(self.command)

    def observe(self, tests: Collection[str]) -> TestRun:
        """Run the tests with these node ids, or the whole suite, on the project as it is."""
        self.step("running the tests")
        rule = self.command.patience
        run = self._warm(tests, rule)
        # Only a new process shows what pytest says of a wrong use.
        if run is None or run.exit_code == _USAGE_ERROR:
            run = self._cold(tests, rule=rule)
        self._collected, self._slowest = _without_hanging(run), _slowest(run)
        self._hanging, self._plain = timed_out(run), run.outcomes
        self._too_soon = _too_soon(run, rule) if rule else 0.0
        if run.failures:
            self.prepare_proof()
        return run

    def again(self, tests: Collection[str], *, programs: bool = False) -> TestRun:
        """Run tests that failed once more; one that did not end gets no longer than may be needed.

        With ``programs`` those that the tests start tell what ended them, which they may notice.
        """
        self.step("running the failing tests again")
        rule = self._patience(_DOUBLED)
        if rule is not None:
            rule = replace(rule, seconds=max(rule.seconds, self._too_soon))
        run = self._warm(tests, rule, programs) or self._cold(tests, None, rule, programs)
        self._repeated = max(_without_hanging(run), self._repeated or 0.0)
        self._hanging = self._hanging.difference(tests) | timed_out(run)
        return run

    def announce(self, trials: Iterable[Contents], tests: Collection[str]) -> None:
        """Hear which trials will be asked for next, in that order."""
        if self._ahead is not None:
            self._ahead.announce(Job(contents, tuple(sorted(tests))) for contents in trials)

    def try_out(self, contents: Contents, tests: Collection[str], step: str) -> Trial:
        """Run tests on files that hold something else than the disk, without writing them.

        Once it is known, they may do no more to their surroundings than without the change.
        """
        self.step(step)
        self.prepare_proof()
        warm = self._try_warm(Job(contents, tuple(sorted(tests)), known=self._touched(tests)))
        return warm or self.try_cold(contents, tests)

    def announce_quick(self, trials: Iterable[Contents], test: str, seconds: float) -> None:
        """Hear which quick trials will be asked for next, in that order."""
        if self._ahead is not None:
            self._ahead.announce(self._quick(contents, test, seconds) for contents in trials)

    def try_quick(self, contents: Contents, test: str, seconds: float) -> TestRun | None:
        """Run one test on files that hold something else than the disk: warm, or not at all.

        It may do no more to its surroundings than it does without (see ``spectrum``). None where only a
        fresh process could tell, or where the test passed and did not run the new code.
        """
        self.prepare_proof()
        job = self._quick(contents, test, seconds)
        tried = self._ahead.result(job) if self._ahead else self._run_anywhere(job)
        if isinstance(tried, Declined) or (tried.run.exit_code == 0 and not tried.executed):
            return None
        return tried.run

    def watch(
        self, contents: Contents, test: str, alternatives: Sequence[Watched], seconds: float
    ) -> WarmRun | None:
        """Run a test that fails, warm, and tell which of some expressions in it come to the same.

        See ``WarmServer.run``. None where it does not fail, or what it shows is not all that it does.
        """
        allowed = replace(limits(0), seconds=seconds, imports=self._collected)
        known = self._touched([test])
        if self.server is None or self._reads(Attempt(contents, (test,), allowed)):
            return None
        seen = self.server.run(contents, [test], allowed, known=known, alternatives=alternatives)
        if isinstance(seen, Declined) or seen.run.exit_code != 1 or not seen.executed:
            return None
        return seen

    def _quick(self, contents: Contents, test: str, seconds: float) -> Job:
        return Job(contents, (test,), seconds, self._touched([test]))

    def _touched(self, tests: Collection[str]) -> tuple[str, ...] | None:
        """Return what tests do to their surroundings without a patch; None where that is not known."""
        if self._baseline is None:
            return None
        return tuple(act for test in tests for act in self._baseline.touched.get(test, ()))

    def try_cold(self, contents: Contents, tests: Collection[str]) -> Trial:
        """Do the same in a fresh process."""
        command = replace(self.command, memory=limits(0).memory, patience=self._patience())
        run = run_pytest(command, select=sorted(tests), replaced=contents, programs=True)
        if run.exit_code is None or (_reached(run, contents) and not run.spawned):
            return Trial(run, executed=True, cold=True)
        # Programs that the tests start see the files themselves: only a copy can tell.
        with suppress(OverlayUnusable):
            run = run_in_copy(command, contents, select=sorted(tests), programs=True)
            return Trial(run, executed=True, cold=True)
        return Trial(None, executed=False, cold=True)

    def behaviour(
        self, contents: Contents, tests: Collection[str], *, thorough: bool = False
    ) -> Mapping[str, str] | None:
        """Return what the functions that differ do besides passing tests; None where one does not pass.

        See ``WarmRun``. Nothing is known of it without a warm server. To be ``thorough``, with inputs
        that hypothesis makes where it is installed, takes a second more, once.
        """
        if self.server is None:
            return None
        tried = self.server.run(
            *(contents, sorted(tests), self._limits(1)),
            first_failure=True,
            behaviour=True,
            inputs=generated(self.command.scratch) if thorough else None,
        )
        if isinstance(tried, Declined) or tried.run.exit_code != 0 or not tried.executed:
            return None
        return tried.behaviour

    def remember_broken(self, broken: Collection[str]) -> None:
        """Hear that a patch broke tests: ``breaks`` looks at later ones more closely."""
        self._broken |= set(broken)
        self._learn_reach()

    def executed(self) -> frozenset[tuple[Path, int]]:
        """Return the lines that some test executes without a patch; none where that is not known."""
        self._learn_reach()
        return (
            frozenset().union(*self._baseline.reached.values()) if self._baseline else frozenset()
        )

    def spectrum(self, failing: Collection[str]) -> WarmRun | None:
        """Return a run without a patch that tells what each test executes; None where nothing can.

        For the tests ``failing`` it also tells what variables held.
        """
        self.step("learning which lines each test executes")
        seconds = min(self.command.timeout, max(_LEARNING, _WATCHED * self._collected))
        allowed = Limits(seconds, patience=self._patience(_WATCHED))
        told = self.server and self.server.reached(allowed, failing)
        self._baseline = (
            told if isinstance(told, WarmRun) else self._spectrum_cold(allowed, failing)
        )
        if self._baseline is not None and self._baseline.run.spawned:
            run = self._baseline.run
            for test in sorted(failed(run) - timed_out(run)):
                if self._plain.get(test) == "passed":
                    self._say(f"fails only while it is looked at, and not repaired: {test}")
        return self._baseline

    def _spectrum_cold(self, allowed: Limits, failing: Collection[str]) -> WarmRun | None:
        told: dict[str, Any] = {}
        observed = Observed(watched=failing, read=lambda report: told.update(told_by_test(report)))
        command = replace(self.command, timeout=allowed.seconds, patience=allowed.patience)
        run = run_pytest(command, observed=observed)
        return WarmRun(run, "cold", None, (), {}, **told) if told["reached"] else None

    def _learn_reach(self) -> None:
        if self._baseline is None:
            self.spectrum(())

    def breaks(self, before: Contents, after: Contents) -> str | None:
        """Name a test that passes on the files as they are, and not with a patch.

        None where there is none, or nothing is known of what tests execute: ``remember_broken`` comes
        first. A test that fails once and then passes says nothing.
        """
        if self._baseline is None or self.server is None:
            return None
        from selfdebug.validation.reach import reaching

        tests = reaching(self._baseline, before, after)
        tests.sort(key=lambda test: test not in self._broken)
        for _ in range(2):
            if not tests:
                return None
            which = (
                "1 test that executes" if len(tests) == 1 else f"{len(tests)} tests that execute"
            )
            self.step(f"running {which} the edited lines")
            allowed = limits(_without_hanging(self._baseline.run))
            tried = self._ask(Attempt(after, tests, allowed, known=self._touched(tests)))
            if isinstance(tried, Declined):
                return None
            tests = sorted(failed(tried.run))
        return tests[0] if tests else None

    def repeats(self, seconds: float) -> int:
        """Return how often the failing tests can be tried in so many seconds, 0 if that is not known."""
        if self.server is None or self._repeated is None:
            return 0
        return int(seconds / max(self._repeated, _LEAST))

    def prove(
        self, step: str, tests: Collection[str] = (), changed: Collection[Path] = ()
    ) -> TestRun:
        """Run the tests on the tree as it lies there, in a fresh process, and nothing beside it.

        ``changed`` are the files that were just written.
        """
        self.step(step)
        if self._ahead is not None:
            self._ahead.stop()
        return (None if tests else self._run_spare(changed)) or self._cold(tests)

    def prove_off_tree(self, step: str, contents: Contents, tests: Collection[str] = ()) -> TestRun:
        """Run the tests on files that are not written, in a fresh process: in a copy if need be.

        Raises OverlayUnusable where neither reaches the tests.
        """
        self.step(step)
        run = (None if tests else self._run_spare((), contents)) or self._cold(tests, contents)
        if not contents or run.exit_code is None or (_reached(run, contents) and not run.spawned):
            return run
        return run_in_copy(self.command, contents, select=sorted(tests))

    def _run_spare(
        self, changed: Collection[Path], contents: Contents | None = None
    ) -> TestRun | None:
        spare, self._spare = self._spare, None
        return None if spare is None else spare.run(changed, contents)

    def _dismiss(self) -> None:
        if self._spare is not None:
            self._spare.close()

    def _cold(
        self,
        tests: Collection[str],
        contents: Contents | None = None,
        rule: Patience | None = None,
        programs: bool = False,
    ) -> TestRun:
        command = replace(self.command, patience=rule)
        return run_pytest(command, select=sorted(tests), replaced=contents, programs=programs)

    def _warm(
        self, tests: Collection[str], rule: Patience | None, programs: bool = False
    ) -> TestRun | None:
        if self.server is None:
            return None
        allowed = Limits(self.command.timeout, patience=rule)
        seen = (
            self.server.run({}, sorted(tests), allowed, first_failure=False, programs=programs)
            if tests
            else self.server.observe()
        )
        if isinstance(seen, Declined):
            self._note(seen)
            return None
        return seen.run if isinstance(seen, WarmRun) else seen

    def _try_warm(self, job: Job) -> Trial | None:
        if self.server is None and self._cluster is None:
            return None
        tried = self._ahead.result(job) if self._ahead else self._run_anywhere(job)
        if isinstance(tried, Declined):
            self._note(tried)
            return None
        executed = tried.executed or (tried.how == "copy" and tried.run.exit_code != 0)
        return Trial(tried.run, executed, cold=False)

    def _run_anywhere(self, job: Job, stop: Event | None = None) -> WarmRun | Declined:
        """Ask the cluster, and this machine where a worker can't tell what this machine would."""
        told = self._ask_cluster(job, stop)
        if told is not None:
            return told
        if job.seconds is not None:
            allowed = replace(limits(0), seconds=job.seconds, imports=self._collected)
            quick = Attempt(job.contents, job.tests, allowed, known=job.known, cold=True)
            return self._ask(quick, stop)
        # On a busy machine a limit may be met by a candidate that is right: it is asked once more.
        attempt = Attempt(job.contents, job.tests, self._limits(1), False, job.known)
        tried = self._ask(attempt, stop)
        ended = isinstance(tried, WarmRun) and tried.run.exit_code is None
        if ended and not (stop is not None and stop.is_set()):
            tried = self._ask(replace(attempt, allowed=self._limits(4)), stop)
        return tried

    def _ask_cluster(self, job: Job, stop: Event | None) -> WarmRun | None:
        # A worker may be as busy as this machine.
        for times in (1, 4) if job.seconds is None else (1,):
            if self._cluster is None:
                return None
            try:
                tried = self._cluster.run(job, self._limits(times), stop)
            except ClusterLost as error:
                self._cluster = None
                self._say(f"the cluster is lost, candidates are tried here: {error}")
                return None
            if not isinstance(tried, WarmRun) or tried.run.exit_code is not None:
                break
        told = isinstance(tried, WarmRun) and tried.run.exit_code is not None and tried.executed
        return tried if isinstance(tried, WarmRun) and told else None

    def _ask(self, attempt: Attempt, stop: Event | None = None) -> WarmRun | Declined:
        """Try a candidate in the place of the project's files, or written in a copy.

        The latter where tests read the files themselves, or where that may be so because only then
        would they have executed it.
        """
        tried: WarmRun | Declined = Declined("there is no warm server")
        if self.server is not None and not self._reads(attempt):
            tried = self.server.run(
                *(attempt.contents, attempt.tests, attempt.allowed),
                first_failure=attempt.first_failure,
                stop=stop,
                known=attempt.known,
            )
            if not self._needs_copy(tried, attempt):
                return tried
        if self._copies is None or (stop is not None and stop.is_set()):
            return tried
        if self.server is None and not attempt.cold:
            return tried  # it is left to a fresh process
        copied = self._copies.run(attempt, stop)
        if isinstance(copied, Declined):
            return tried
        self._readers.add((*attempt.tests, *map(str, attempt.contents)))
        return copied

    def _reads(self, attempt: Attempt) -> bool:
        """Whether tests are known to read a file that differs themselves."""
        if (*attempt.tests, *map(str, attempt.contents)) in self._readers:
            return True
        scripts = self._baseline.scripts if self._baseline else {}
        read = (scripts.get(test, frozenset()) for test in attempt.tests)
        return any(path.resolve() in each for each in read for path in attempt.contents)

    def _needs_copy(self, tried: WarmRun | Declined, attempt: Attempt) -> bool:
        """Whether tests may have seen files as they are, or not have come to what differs."""
        if isinstance(tried, Declined):
            return tried.spawned or attempt.cold
        known = self._baseline.reached if self._baseline else {}
        return not tried.executed and not known.keys() >= {*attempt.tests}

    def _note(self, declined: Declined) -> None:
        self._say(f"no warm run, each in a fresh process: {declined.reason}")

    def _say(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _limits(self, times: int) -> Limits:
        """Limit a trial by what the same tests took without it; a module may be imported once more."""
        rule, seconds = self._patience(), self.command.timeout
        if self._repeated is not None:
            seconds = (limits(self._repeated).seconds + self._collected) * times
            seconds += len(self._hanging) * rule.seconds if rule else 0.0
        seconds = min(seconds, self.command.timeout)
        return replace(limits(0), seconds=seconds, patience=rule)

    def _patience(self, times: float = 1.0) -> Patience | None:
        """Limit each test, where some do not end, by the slowest of those that do."""
        if not self._hanging:
            return None
        return replace(patient(self._slowest, times), run=self.command.timeout)


def _without_hanging(run: TestRun) -> float:
    """Return the seconds that a run took for all but the tests that did not end."""
    return run.seconds - sum(run.durations.get(test, 0.0) for test in timed_out(run))


def _slowest(run: TestRun) -> float:
    """Return the seconds that the slowest test took of those that ended."""
    return max(_of_ended(run), default=0.0)


def _too_soon(run: TestRun, rule: Patience) -> float:
    """Return how many seconds the tests should have had that were ended, by what others after took.

    0 where they had as much.
    """
    ended = [run.durations.get(test, 0.0) for test in timed_out(run)]
    wanted = rule.factor * sum(_of_ended(run))
    return wanted if min(ended, default=wanted) < wanted else 0.0


def _of_ended(run: TestRun) -> list[float]:
    return [run.durations[test] for test in run.durations.keys() - timed_out(run)]


def _reached(run: TestRun, contents: Contents) -> bool:
    return all(str(path) in run.overlaid for path in contents)
