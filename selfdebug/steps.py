"""The steps of the loop, and what they learn on the way for the report at its end."""

from __future__ import annotations

import gc
import os
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, BinaryIO

from selfdebug.ingestion.probes import read_probes
from selfdebug.model import (
    Alternative,
    Candidate,
    Edit,
    Explanation,
    Failure,
    FinalStatus,
    Healing,
    Judgement,
    ProbeRecord,
    Recovery,
    Ruling,
    Site,
    Span,
    TestRun,
    Traceback,
    Verdict,
)
from selfdebug.reporting.diff import unified
from selfdebug.reporting.summary import summary
from selfdebug.reporting.text import relative
from selfdebug.settings import Settings
from selfdebug.stopwatch import Stopwatch
from selfdebug.syntax.source import Unreadable
from selfdebug.validation.judge import failed, judge, timed_out
from selfdebug.validation.launch import results
from selfdebug.validation.overlay import OverlayUnusable
from selfdebug.validation.prepare import Prepared
from selfdebug.validation.runner import Runner
from selfdebug.workspace.errors import Changed, Refused
from selfdebug.workspace.session import Run

if TYPE_CHECKING:
    from selfdebug.codemods._base import Codemod
    from selfdebug.localization.localize import Diagnosis
    from selfdebug.planning.propose import Plan
    from selfdebug.planning.search import Search, State
    from selfdebug.syntax.project import Project
    from selfdebug.wrong_result import WrongResult

Step = Callable[[str], None]
_SIBLINGS, _SUSPECTS = 20, 10  # told of
_RIVALS = 6  # compared with a patch that is kept
_LATER = ("selfdebug.localization.localize", "selfdebug.planning.search")


class Ended(Exception):
    """The loop is over without a patch: the final status, the exit code, and a sentence."""

    def __init__(self, status: FinalStatus, exit_code: int, message: str):
        self.status, self.exit_code = status, exit_code
        super().__init__(message)


@dataclass(frozen=True)
class Probed:
    """What a run of the tests with probes showed."""

    run: TestRun
    records: tuple[ProbeRecord, ...]


@dataclass
class Healer:
    """One run of the loop. Its steps are called in the order in which they stand here."""

    settings: Settings
    prepared: Prepared
    step: Step
    attempts: int = 0
    open_tests: frozenset[str] = frozenset()
    before: TestRun | None = None
    after: TestRun | None = None
    tracebacks: tuple[Traceback, ...] = ()
    notes: list[str] = field(default_factory=list)
    clock: Stopwatch = field(default_factory=Stopwatch)
    probes: list[ProbeRecord] = field(default_factory=list)
    _alternatives: list[Alternative] = field(default_factory=list)
    tests: Runner = field(init=False)
    _run: Run | None = None
    _hanging: tuple[Failure, ...] = ()
    _doubt: State | None = None
    _too_weak: bool = False
    _exhausted: bool = False
    _partly: frozenset[str] = frozenset()
    _attempted: list[Mapping[Path, bytes]] = field(default_factory=list)
    _files: set[Path] = field(default_factory=set)
    _unparsable: list[str] = field(default_factory=list)
    _misses: list[str] = field(default_factory=list)
    _originals: dict[Path, bytes] = field(default_factory=dict)
    _aliases: tuple[str, ...] = ()

    @contextmanager
    def started(self, run: Run | None = None) -> Iterator[None]:
        """Hold the run, and import libcst while pytest is at work."""
        self._run = run
        self.tests = Runner(self.prepared.command, self.step, self.notes, self.prepared.server)
        with self.tests.started(self.settings.jobs, self.settings.executor if run else None):
            Thread(target=_import_ahead, daemon=True).start()
            yield

    def observe(self, log: BinaryIO | None) -> tuple[Failure, ...]:
        """Return the failures to heal, each seen twice. Raises Ended where there are none."""
        if log is None:
            first = self._see(self.settings.nodes)
            again = _as_seen(first, self.tests.again(failed(first)))
        else:
            first = again = self._see_again(self._read(log))
        passed = failed(first) - failed(again)
        slow = sorted(passed & timed_out(first))
        flaky = sorted(passed - timed_out(first))
        if slow:
            self.notes.append(f"slow, and not hanging: {', '.join(slow)}")
        if flaky:
            self.notes.append(f"flaky, and not repaired: {', '.join(flaky)}")
        if not again.failures:
            why = f"{min(passed)} failed once and then passed"
            raise Ended("no-failure", 0, f"{why}: it is {'flaky' if flaky else 'slow'}")
        self._hanging = tuple(failure for failure in again.failures if failure.timed_out)
        self.before, self.open_tests = first, failed(again)
        self.tracebacks = tuple(self._entry(failure) for failure in again.failures)
        return again.failures

    def plausible(self, failures: tuple[Failure, ...]) -> Iterator[State]:
        """Yield patches under which the open tests passed, without a write to the project."""
        from selfdebug.planning.search import Exhausted, State

        self.clock.enter("search")
        try:
            for patch in self.search.plausible(State(failures)):
                yield from self._with_siblings(patch)
                yield patch
        except Exhausted as end:
            self.notes.append(str(end))
            self._exhausted = True
        yield from self._doubted()
        yield from self._first_order(failures)

    def _first_order(self, failures: tuple[Failure, ...]) -> Iterator[State]:
        """Yield what small edits of suspicious statements make right, once all else has failed."""
        from selfdebug.planning.search import Exhausted

        self.clock.enter("diagnosis")
        self.wrong_result.learn()
        self.clock.enter("search")
        try:
            yield from self.wrong_result.plausible(failures)
        except Exhausted as end:
            self.notes.append(str(end))
            self._exhausted = True

    @cached_property
    def wrong_result(self) -> WrongResult:
        """The search through small edits where no frame names the culprit."""
        from selfdebug.planning.propose import chosen
        from selfdebug.wrong_result import WrongResult

        assert self.before is not None
        return WrongResult(
            tests=self.tests,
            tree=self._tree,
            codemods=chosen(self.settings.select, self.settings.ignore),
            open_tests=self.open_tests,
            before=self.before,
            originals=self._originals,
            allow=self._allow,
            step=self.step,
            rejected=self.search.rejected,
            depth=self.settings.max_attempts,
        )

    @property
    def tries(self) -> int:
        """How many different candidates were tried."""
        small = self.wrong_result.tried if "wrong_result" in self.__dict__ else 0
        return small + (self.search.tries if "search" in self.__dict__ else 0)

    def _with_siblings(self, patch: State) -> Iterator[State]:
        """Yield the patch with the same repair wherever else a test executes the same pattern."""
        if not self.settings.siblings:
            return
        from selfdebug.planning.siblings import siblings, widened

        project = self._tree.changed(patch.contents)
        found = [other for made in patch.patch for other in siblings(made, project)]
        wider = widened(patch, found, self._tree, self.tests.executed())
        for path in wider.contents:
            self._originals.setdefault(path, path.read_bytes())
        if wider is not patch:
            trial = self.tests.try_out(wider.contents, self.open_tests, "trying it elsewhere too")
            if trial.run is None or not trial.run.failures:
                yield wider

    def prove(self, patch: State) -> bool:
        """Say whether a patch holds: in place, in a fresh pytest process over the whole suite.

        Once one broke other tests, the next ones are first tried on those that they may break.
        """
        self.clock.enter("verification")
        before = {path: self._originals[path] for path in patch.contents}
        if broken := self.tests.breaks(before, patch.contents):
            self.search.rejected.append(Ruling(patch.patch[-1], f"{broken} passed before"))
            self.clock.enter("search")
            return False
        self._judged_cold(patch)
        # What differs is told by the files as they are now: the patch is about to be written.
        self._compare(patch)
        try:
            dry = self.settings.dry_run
            verdict = self._prove_dry(patch) if dry else self._prove_in_place(patch)
        except OverlayUnusable as error:
            self.search.rejected.append(Ruling(patch.patch[-1], f"cannot be proved: {error}"))
            verdict = None
        self.clock.enter("search")
        if verdict is not None and verdict.judgement is Judgement.BREAKS:
            self.tests.beware(failed(verdict.run) - self.open_tests)
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
        healing = self.end("pass", 0, done, patch)
        assert self._run is not None
        (self._run.record if dry else self._run.keep)(summary(healing))
        return healing

    def _compare(self, patch: State) -> None:
        """Learn which other candidates the tests would have accepted, and what tells them apart."""
        from selfdebug.planning.trust import difference

        self._alternatives = []
        if not self.tests.quick:
            return
        own: Mapping[str, str] | None = None
        for rival in islice(self.search.rivals(patch), _RIVALS):
            other = self.tests.behaviour({**self._originals, **rival.contents}, self.open_tests)
            if other is None:
                continue
            if own is None:
                own = self.tests.behaviour(patch.contents, self.open_tests) or {}
            self._alternatives.append(Alternative(rival.patch[-1], difference(own, other)))

    def give_up(self) -> Healing:
        """End with everything as it was, and say why."""
        assert self._run is not None
        self._run.rollback()
        if self._partly:
            nodes = " ".join(f"--node {shlex.quote(test)}" for test in sorted(self._partly)[:5])
            self.notes.append(f"candidates healed a part of the tests; for that part: {nodes}")
        ending = self._failure()
        if self._hanging and self._hang() not in ending:
            self.notes.append(self._hang())
        healing = self.end(*ending)
        self._run.record(summary(healing))
        return healing

    def _hang(self) -> str:
        hung = self._hanging[0]
        told = hung.raised.message if hung.raised else hung.text
        return f"the tests hang: {hung.test}: {told} (timeout); --test-timeout allows more"

    def _failure(self) -> tuple[FinalStatus, int, str]:
        if self.attempts or self._exhausted or self.tries:
            tried = f"{self.tries} candidate{'' if self.tries == 1 else 's'} tried"
            return "fail", 128, f"{tried}, and none healed all; everything is as it was"
        if self._unparsable:
            return "rejected", 3, f"PATCH-REJECTED: {self._unparsable[0]}"
        if self.search.rejected:
            return "rejected", 3, self.search.rejected[0].why
        if self._too_weak:
            return "no-codemod", 3, f"no {self.settings.require} repair is known; weaker ones are"
        if self._hanging:
            return "no-frame", 2, self._hang()
        if not any(entry.in_project for entry in self.tracebacks):
            return "no-frame", 2, self._misses[0] if self._misses else "no frame of the project"
        first = self.tracebacks[0]
        return "no-codemod", 3, f"no codemod answers {first.exc_type} at {first.file}:{first.line}"

    def end(
        self,
        status: FinalStatus,
        exit_code: int,
        message: str,
        patch: State | None = None,
    ) -> Healing:
        """Return the report; ``patch`` is what was kept."""
        run, dry = self._run, self.settings.dry_run
        from selfdebug.planning.numbering import as_first_seen
        from selfdebug.planning.trust import trusted

        kept = patch.patch if patch else ()
        rivals = tuple(self._alternatives)
        rejected = self.search.rejected if "search" in self.__dict__ else []
        return Healing(
            run_id=run.run_id if run else "",
            root=self.settings.root,
            exit_code=exit_code,
            final_status=status,
            message=message,
            attempts=self.attempts,
            rollback=exit_code in (1, 128, 130)
            or bool(exit_code and run and run.state == "rolled-back"),
            files_patched=tuple(sorted(relative(path, self.settings.root) for path in self._files)),
            tracebacks=self.tracebacks,
            diff=self._diff(patch.contents) if patch else b"",
            patches=tuple(
                trusted(each, rivals if number == len(kept) else ())
                for number, each in enumerate(as_first_seen(kept, self._originals), 1)
            ),
            alternatives=rivals,
            siblings=self._siblings(patch) if patch else (),
            suspects=self._suspects(),
            tried=self.tries,
            rejected=tuple(ruling for ruling in rejected if ruling.candidate not in kept),
            before=self.before.outcomes if self.before else {},
            after=self.after.outcomes if self.after else {},
            timings=self.clock.read(),
            versions=self.before.versions if self.before else {},
            recovery=run.recovery() if run and not dry else Recovery(),
            probes=tuple(self.probes),
            notes=(
                *self.notes,
                *(f"left alone: {each}" for each in (run.conflicts if run else ())),
            ),
            dry_run=dry,
            sandbox=self.prepared.sandbox,
        )

    def _siblings(self, patch: State) -> tuple[Candidate, ...]:
        """Return the same repairs at other places, as far as the patch does not make them."""
        from selfdebug.planning.siblings import siblings

        project = self._tree.changed(patch.contents)
        every = (other for made in patch.patch for other in siblings(made, project))
        found = {(other.site.file, other.site.span): other for other in every}
        return tuple(islice(found.values(), _SIBLINGS))

    def _suspects(self) -> tuple[Site, ...]:
        """Return the most suspicious statements, as far as they were looked for."""
        if "wrong_result" not in self.__dict__:
            return ()
        return self.wrong_result.suspects[:_SUSPECTS]

    def explain(self, log: BinaryIO | None) -> Explanation:
        """Return what is known of the failures, and which codemods would answer them."""
        from selfdebug.planning.propose import chosen
        from selfdebug.planning.siblings import same_pattern

        failures = self._see_once() if log is None else self._read(log)
        self.tracebacks = tuple(self._entry(failure) for failure in failures)
        found = [self._localized(failure, {}) for failure in failures]
        hanging = tuple(each for each in failures if each.timed_out)
        unclear = hanging or (() if any(each.sites for each in found) else failures)
        if self.before is not None and unclear:
            self.wrong_result.look(unclear[0])
        sites: list[Site] = []
        for site in (site for one in found for site in (*one.sites, *one.in_tests)):
            sites += [site] if site not in sites else []
        codemods = chosen(self.settings.select, self.settings.ignore)
        answered = tuple((site, self._answering(site, codemods)) for site in sites)
        why = next((one.why for one in found if not one.sites), "")
        exit_code = 0 if answered else 2
        other: list[Site] = []
        for site in sites if self.settings.siblings else ():
            other += [each for each in same_pattern(site, self._tree) if each not in other]
        like = tuple(other[:_SIBLINGS])
        suspects = self._suspects()
        return Explanation(
            *(self.settings.root, exit_code, why, self.tracebacks, answered, like, suspects),
            sandbox=self.prepared.sandbox,
        )

    def _answering(self, site: Site, codemods: Sequence[type[Codemod]]) -> tuple[str, ...]:
        """Return the names of the codemods that have a repair for a site, the likeliest first."""
        from selfdebug.planning.propose import propose

        plan = propose([site], codemods, self._tree)
        return tuple(dict.fromkeys(candidate.codemod for candidate in plan.candidates))

    def probe(self, lines: Mapping[Path, Collection[int]], tests: Collection[str]) -> Probed:
        """Run tests with probes in these lines and return what they logged; nothing is written.

        Raises Unreadable where a line has no statement to probe, and Ended where the lines that the
        tests run cannot be replaced off the tree.
        """
        from selfdebug.planning.probing import PLUGIN, environment, probe_edits
        from selfdebug.syntax.source import apply

        edits = {path: probe_edits(path, wanted) for path, wanted in lines.items()}
        contents = {path: apply(path.read_bytes(), made) for path, made in edits.items()}
        command = self.tests.command
        assert command.scratch is not None
        log = results(command.scratch) / "probes"
        log.unlink(missing_ok=True)
        probing = replace(
            command, args=("-p", PLUGIN, *command.args), env=environment(log, os.environ)
        )
        places = ", ".join(relative(path, self.settings.root) for path in contents)
        step = f"running the tests with probes in {places}"
        run = Runner(probing, self.step).prove_off_tree(step, contents, tests)
        return Probed(run, read_probes(log))

    @cached_property
    def search(self) -> Search:
        """The search for patches."""
        from selfdebug.planning.search import Search

        return Search(self._propose, self._trial, self._expect, self.settings.max_attempts)

    def _read(self, log: BinaryIO) -> tuple[Failure, ...]:
        """Return the failures that a log shows. Raises Ended where it shows none."""
        from selfdebug.ingestion.logs import read_log

        self.step("reading the log")
        told = read_log(log)
        if not told.failures and told.sessions and not told.complaint:
            raise Ended("no-failure", 0, "nothing fails in the log")
        if not told.failures:
            raise Ended("no-frame", 2, told.complaint or "the log shows no failure")
        self._aliases = told.roots
        self.tracebacks = tuple(self._entry(failure) for failure in told.failures)
        return told.failures

    def _see_once(self) -> tuple[Failure, ...]:
        """Run the tests to look at what fails only. Raises Ended."""
        self.before = self._see(self.settings.nodes)
        self.open_tests = failed(self.before)
        return self.before.failures

    def _see_again(self, told: tuple[Failure, ...]) -> TestRun:
        """Run the tests that failed in a log. Raises Ended where they pass, or the log is stale."""
        tests = frozenset(failure.test for failure in told if failure.test)
        self.tests.expect_proof()
        run = self._see(tests, elsewhere=True)
        if all(self._localized(failure, {}).reason == "stale" for failure in told):
            why = self._localized(told[0], {}).why
            raise Ended(
                "no-frame", 2, f"the log is stale: {why}; run without it, or with a new one"
            )
        return run

    def _see(self, tests: Collection[str], elsewhere: bool = False) -> TestRun:
        """Run the tests for the first time. Raises Ended where they show nothing to heal.

        ``elsewhere`` says that they were named on another machine, and may have other names here.
        """
        run = self.tests.observe(tests)
        if elsewhere and tests and not run.failures and run.exit_code in (4, 5):
            run = self.tests.observe(())
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

    @cached_property
    def _tree(self) -> Project:
        """The project as it lies on the disk; its list of files is made once."""
        from selfdebug.syntax.project import Project

        return Project(self.settings.root, self._aliases)

    def _localized(self, failure: Failure, contents: Mapping[Path, bytes]) -> Diagnosis:
        from selfdebug.localization.localize import localize

        return localize(failure, self._tree.changed(contents))

    def _entry(self, failure: Failure) -> Traceback:
        from selfdebug.localization.localize import traceback_entry

        return traceback_entry(failure, self._tree)

    def _propose(self, failure: Failure, state: State) -> Plan:
        from selfdebug.planning.propose import chosen, propose

        found = self._localized(failure, state.contents)
        sites = self._told_apart(found.sites, failure, state) if found.sites else ()
        codemods = chosen(self.settings.select, self.settings.ignore)
        project = self._tree.changed(state.contents)
        places = (*sites, *found.outer, *found.in_tests)
        every = propose(places, codemods, project, (failure.test,))
        plan = every.at_least(self.settings.require)
        self._too_weak |= len(plan.candidates) < len(every.candidates)
        if plan.candidates:
            return plan
        if plan.unreadable:
            self._unparsable.append(plan.unreadable)
        if not found.sites:
            (self._unparsable if found.reason == "unparsable" else self._misses).append(found.why)
        return plan

    def _told_apart(
        self, sites: tuple[Site, ...], failure: Failure, state: State
    ) -> tuple[Site, ...]:
        """Where several values may have been the bad one, let probes tell which; it comes first."""
        first = sites[0]
        unclear = not first.certain and len({site.bad for site in sites}) > 1
        if not unclear or not self.settings.probe or first.file in state.contents:
            return sites
        try:
            probed = self.probe({first.file: {first.span.line}}, {failure.test})
        except (Unreadable, OverlayUnusable):
            return sites
        self.probes.extend(probed.records)
        last: dict[Span, str] = {
            seen.span: seen.value.type for record in probed.records for seen in record.values
        }
        bad = tuple(site for site in sites if site.bad and last.get(site.bad) == "NoneType")
        return (*bad, *(site for site in sites if site not in bad))

    def _expect(self, states: Iterable[State]) -> None:
        self.tests.expect((state.contents for state in states), self.open_tests)

    def _trial(self, state: State) -> TestRun | None:
        """Run the open tests on a state, off the tree; None where nothing off the tree can tell."""
        for path in state.contents:
            self._originals.setdefault(path, path.read_bytes())
        patch = state.patch[-1]
        step = f"trying {patch.codemod} ({patch.variant}) at {_place(patch, self.settings.root)}"
        self._allow()
        trial = self.tests.try_out(state.contents, self.open_tests, step)
        if trial.run is not None:
            self._partly |= self.open_tests - failed(trial.run)
        if trial.cold:
            self._judged_cold(state)
        elif not trial.executed and trial.run and not trial.run.failures:
            return self._unexecuted(state)
        elif self._doubt is None and trial.run and trial.run.failures:
            self._doubt = state
        return trial.run

    def _unexecuted(self, state: State) -> TestRun | None:
        """Ask a fresh process: a test that passed without running the new code says nothing of it."""
        self._judged_cold(state)
        return self.tests.try_cold(state.contents, self.open_tests).run

    def _doubted(self) -> Iterator[State]:
        """Where no candidate passed warm, let a fresh process say so of the first."""
        if self._doubt is not None and not self.attempts:
            self._judged_cold(self._doubt)
            trial = self.tests.try_cold(self._doubt.contents, self.open_tests)
            if trial.run is None or not trial.run.failures:
                yield self._doubt

    def _allow(self) -> None:
        """Raise Exhausted where no attempt is left, no candidate, or no time."""
        from selfdebug.planning.search import Exhausted

        settings, seconds = self.settings, self.clock.read()["search"]
        if self.attempts >= settings.max_attempts:
            raise Exhausted(f"the {settings.max_attempts} attempts allowed are used up")
        if self.tries > settings.max_candidates:
            raise Exhausted(f"the {settings.max_candidates} candidates allowed are used up")
        if seconds > settings.search_seconds:
            raise Exhausted(
                f"the search was ended after {seconds:.0f} s; --search-seconds allows more"
            )

    def _judged_cold(self, state: State) -> None:
        """Count an attempt: a candidate that a fresh process judges, once however often it does."""
        if state.contents not in self._attempted:
            self._attempted.append(state.contents)
            self.attempts += 1

    def _prove_dry(self, patch: State) -> Verdict:
        """Judge a patch without writing it."""
        prove = partial(self.tests.prove_off_tree, contents=patch.contents)
        after = prove("proving it with the whole suite, off the tree")
        again = partial(prove, "running again what failed")
        verdict = self._verdict(after, lambda tests: again(tests=tests), {})
        self._rule(patch, verdict)
        return verdict

    def _prove_in_place(self, patch: State) -> Verdict | None:
        assert self._run is not None
        before = {path: self._originals[path] for path in patch.contents}
        try:
            applied = self._run.apply([_whole(path, patch, before[path]) for path in before])
        except (Refused, Changed) as error:
            self.search.rejected.append(Ruling(patch.patch[-1], f"PATCH-REJECTED: {error}"))
            return None
        self._files.update(before)
        after = self.tests.prove("proving it with the whole suite, in place", changed=before)
        verdict = self._verdict(
            after, partial(self.tests.prove, "running again what failed"), before
        )
        if self._rule(patch, verdict):
            self._run.revert(applied)
            self._run.reject(applied, verdict.why)
        return verdict

    def _verdict(
        self,
        after: TestRun,
        again: Callable[[Collection[str]], TestRun],
        unpatched: Mapping[Path, bytes],
    ) -> Verdict:
        assert self.before is not None

        def without(tests: Collection[str]) -> TestRun:
            step = "running it without the patch"
            try:
                return self.tests.prove_off_tree(step, unpatched, tests)
            except OverlayUnusable:
                # Nothing excuses the patch then: without it the tests do not even get to the code.
                return TestRun(0, (), {}, 0.0)

        return judge(after, self.open_tests, self.before.outcomes, again, without)

    def _rule(self, patch: State, verdict: Verdict) -> bool:
        """Note why a patch is not kept; False where it is."""
        rejected = verdict.judgement is not Judgement.PLAUSIBLE
        if rejected:
            self.search.rejected.append(Ruling(patch.patch[-1], verdict.why))
        return rejected

    def _diff(self, contents: Mapping[Path, bytes]) -> bytes:
        root, before = self.settings.root, self._originals
        return unified(
            {relative(path, root): (before[path], after) for path, after in contents.items()}
        )


def _as_seen(first: TestRun, again: TestRun) -> TestRun:
    """Return the second run of tests; of those that did not end, how they were with more time."""
    ended = {failure.test: failure for failure in first.failures if failure.timed_out}
    failures = (
        ended.get(failure.test, failure) if failure.timed_out else failure
        for failure in again.failures
    )
    return replace(again, failures=tuple(failures))


def _import_ahead() -> None:
    try:
        for name in _LATER:
            import_module(name)
        from selfdebug.codemods import catalogue

        with suppress(Exception):  # the search meets it again, and says so
            catalogue()
    finally:
        gc.freeze()  # it stays to the end: no search for garbage goes through it
        gc.enable()


def _whole(path: Path, patch: State, before: bytes) -> Edit:
    return Edit(path, 0, len(before), before, patch.contents[path])


def _place(candidate: Candidate, root: Path) -> str:
    return f"{relative(candidate.site.file, root)}:{candidate.site.span.line}"


def _last_lines(output: str) -> str:
    return "\n".join(output.strip().splitlines()[-8:])
