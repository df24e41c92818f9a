"""The steps of the loop for failures that no frame explains: the answer is wrong, or never comes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

from selfdebug.codemods._base import Codemod
from selfdebug.localization.endless import by_rounds
from selfdebug.localization.shape import shapes, wanted
from selfdebug.localization.spectrum import Spectrum, suspicious_sites
from selfdebug.model import Candidate, Failure, Kind, Ruling, Site, TestRun
from selfdebug.planning.enumeration import Enumeration
from selfdebug.planning.frontier import first_order, frontier
from selfdebug.planning.propose import objection_to, sources_of
from selfdebug.planning.sameness import meaning
from selfdebug.planning.search import State
from selfdebug.planning.trust import STRENGTH, trusted
from selfdebug.steps.context import Originals
from selfdebug.syntax.project import Project
from selfdebug.validation.judge import failed
from selfdebug.validation.reach import reaching
from selfdebug.validation.runner import Runner
from selfdebug.validation.warm import WarmRun

_SITES = 400  # the most suspicious statements
_FLOOR, _FACTOR = 0.5, 10  # seconds for a quick trial, and how much longer than usual it may take
_QUICK = 0.05  # seconds; tests that take no longer are equally quick
_SHORT, _LONGER = 0.25, 4  # seconds where a test hangs, and times as long in a second trial
_FIRST = (
    150  # edits that are tried alone before a repair of a crash is taken for a part of the cure
)
_ASKED = 20  # tests whose calls tell edits apart
_TOLD = 50  # tries between two lines of progress


@dataclass
class WrongResult:
    """What small edits of suspicious statements make of the open failures.

    A patch has at most ``depth`` small edits, none weaker than ``require``. ``allow`` raises Exhausted
    where time or tries are used up; ``may_edit`` hears which files may have to be edited; ``originals``
    remembers what files held. ``healed`` are the open tests that passed in some state in which nothing
    broke, by edits that are not of low confidence alone.
    """

    tests: Runner
    tree: Project
    codemods: tuple[type[Codemod], ...]
    open_tests: frozenset[str]
    before: TestRun
    originals: Originals
    allow: Callable[[], None]
    step: Callable[[str], None]
    may_edit: Callable[[Iterable[Path]], None]
    rejected: list[Ruling]
    depth: int
    require: Kind
    suspects: tuple[Site, ...] = ()
    healed: frozenset[str] = frozenset()
    _enumeration: Enumeration | None = field(default=None)
    _answers: dict[Hashable, Mapping[str, str]] = field(default_factory=dict)

    @property
    def tried(self) -> int:
        """How many different edits were tried."""
        return self._enumeration.tried if self._enumeration else 0

    def plausible(self, states: Sequence[State]) -> Iterator[State]:
        """Yield patches under which the open tests pass, and those that execute the edited lines.

        They go on from each of the states until one leads to some, after a few alone from the last
        one, in which nothing is edited: one edit that heals all is likelier than two. The likeliest
        first; none where nothing can tell what the tests execute.
        """
        if self._baseline is None or not first_order(self.codemods):
            return
        self._enumeration = Enumeration(self, self._candidates, self._reject, self._same_code)
        alone: list[tuple[State, int | None]] = [(states[-1], _FIRST)] if len(states) > 1 else []
        for state, most in (*alone, *((each, None) for each in states)):
            ordered = self._telling(state.failures)
            self.look(ordered[0])
            found = False
            begun = replace(state, failures=tuple(ordered))
            for patch in self._enumeration.plausible(begun, self.depth, most):
                found = True
                yield patch
            if found:
                return

    def learn(self) -> None:
        """Learn what the tests execute."""
        _ = self._baseline

    def _telling(self, failures: tuple[Failure, ...]) -> list[Failure]:
        """Return failures, those first that are soon seen again and execute the least."""
        assert self._baseline is not None
        reached = self._baseline.reached
        quickest = min(map(self._seconds, failures))

        def how_telling(failure: Failure) -> tuple[bool, int, str]:
            # Most edits leave a loop without end, and each of these costs all the time it may take.
            slow = failure.timed_out or self._seconds(failure) > _FACTOR * max(quickest, _QUICK)
            return slow, len(reached.get(failure.test, ())), failure.test

        return sorted(failures, key=how_telling)

    def look(self, failure: Failure) -> None:
        """Find the most suspicious statements of a failure."""
        self.suspects = self.sites(failure, {})

    @cached_property
    def _baseline(self) -> WarmRun | None:
        return self.tests.spectrum(self.open_tests)

    def sites(self, failure: Failure, contents: Mapping[Path, bytes]) -> tuple[Site, ...]:
        """Return the statements that may have made a test fail, the most suspicious first."""
        baseline = self._baseline
        if baseline is None:
            return ()
        passing = {test for test, said in baseline.run.outcomes.items() if said == "passed"}
        spectrum = Spectrum(
            baseline.reached,
            self.open_tests,
            frozenset(passing - self.open_tests),
            baseline.values.get(failure.test, {}),
            baseline.branches,
        )
        told, project = shapes(failure), self.tree.changed(contents)
        sites = suspicious_sites(spectrum, failure, project)
        runs = (*self.before.failures, *baseline.run.failures)
        seen = [each for each in runs if each.test == failure.test and each.timed_out]
        sites = by_rounds(sites, failure, seen if failure.timed_out else (), project)
        answer = wanted(failure)
        attrs = {} if answer is None else {"wanted": answer}
        return tuple(replace(site, shapes=told, attrs=attrs) for site in sites[:_SITES])

    def _candidates(self, failure: Failure, state: State) -> Iterator[Candidate]:
        project = self.tree.changed(state.contents)
        sites = self.sites(failure, state.contents)
        for each in frontier(sites, first_order(self.codemods), project):
            if STRENGTH[each.kind] >= STRENGTH[self.require]:
                yield each

    def _same_code(self, state: State) -> Hashable:
        line = state.patch[-1].site.span.line
        before = self.tree.changed(state.base.contents if state.base else {})
        return meaning(state.contents, line, before)

    def _reject(self, state: State, why: str) -> None:
        self.rejected.append(Ruling(state.patch[-1], why))

    # --- what the tests say ---

    def expect(self, states: Iterator[State], failure: Failure) -> None:
        """Hear which states will be tried next on a failure's test."""
        contents = (state.contents for state in states)
        self.tests.announce_quick(contents, failure.test, self._allowed(failure))

    def heals(self, state: State, failure: Failure, *, patient: bool = False) -> bool | None:
        """Say whether the test of a failure passes; None where its time was over. Raises Exhausted."""
        self.allow()
        if self.tried % _TOLD == 1:
            self.step(f"trying small edits of suspicious statements ({self.tried - 1} so far)")
        self.originals.of(state.contents)
        seconds = self._allowed(failure) * (_LONGER if patient else 1)
        run = self.tests.try_quick(state.contents, failure.test, seconds)
        if run is None or run.exit_code is not None:
            return run is not None and run.exit_code == 0
        return None

    def left(self, state: State) -> tuple[Failure, ...] | None:
        """Return the open failures that are left; None where another test breaks. Raises Exhausted."""
        self.allow()
        self.may_edit(state.contents)
        patch = state.patch[-1]
        step = f"trying {patch.codemod} ({patch.variant}) on all that it may break"
        trial = self.tests.try_out(state.contents, self.open_tests, step)
        if trial.run is None or trial.run.exit_code is None:
            return None
        before = self.originals.of(state.contents)
        if self.tests.breaks(before, state.contents):
            return None
        healed = self.open_tests - failed(trial.run)
        if not healed <= self.healed and self._is_advisable(state):
            self.healed |= healed
        return trial.run.failures

    def _is_advisable(self, state: State) -> bool:
        """Say whether a state may be kept by itself, and be more than a shot in the dark."""
        last = state.patch[-1]
        trust = trusted(last, (), state.patch[:-1])
        return trust.confidence != "low" and self.objection(state) is None

    def objection(self, state: State) -> str | None:
        """Say why the last edit of a state must not be proposed, whatever the tests say."""
        before = self.tree.changed(state.base.contents if state.base else {})
        return objection_to(state.patch[-1], before, sources_of(self.open_tests, self.tree))

    def behaviour(self, state: State) -> Mapping[str, str]:
        """Return what the changed functions answer to the calls of tests and neighbours of them."""
        key = tuple(sorted(state.contents.items()))
        if key not in self._answers:
            before = self.originals.of(state.contents)
            assert self._baseline is not None
            asked = islice(reaching(self._baseline, before, state.contents), _ASKED)
            contents, tests = {**self.originals, **state.contents}, {*self.open_tests, *asked}
            self._answers[key] = self.tests.behaviour(contents, tests, thorough=True) or {}
        return self._answers[key]

    def _allowed(self, failure: Failure) -> float:
        """Return the seconds that a quick trial gets."""
        return max(_SHORT if failure.timed_out else _FLOOR, _FACTOR * self._seconds(failure))

    def _seconds(self, failure: Failure) -> float:
        """Return what a failing test takes; of one that does not end what the slowest others take."""
        durations = self.before.durations
        if failure.test in durations and not failure.timed_out:
            return durations[failure.test]
        return max((durations[test] for test in durations.keys() - self.open_tests), default=0.0)
