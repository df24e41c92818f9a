"""What the tests say of small edits that are not written to the disk."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from selfdebug.model import Failure
from selfdebug.planning.infection import Infection
from selfdebug.planning.propose import objection_to, sources_of
from selfdebug.planning.search import State, beside, told_alike
from selfdebug.planning.trust import trusted
from selfdebug.steps.context import Context
from selfdebug.steps.suspects import Suspects
from selfdebug.syntax.source import Unreadable
from selfdebug.validation.judge import failed
from selfdebug.validation.reach import reaching

_FLOOR, _FACTOR = 0.5, 10  # seconds for a quick trial, and how much longer than usual it may take
_SHORT, _LONGER = 0.25, 4  # seconds where a test hangs, and times as long in a second trial
_ASKED = 20  # tests whose calls tell edits apart
_WATCHING = 2.0  # seconds more for a test while expressions in it are compared
_TOLD = 50  # tries between two lines of progress

MayEdit: TypeAlias = Callable[[Iterable[Path]], None]


@dataclass
class SmallEditTrials:
    """Trials of states for an ``Enumeration``, on the open tests of ``suspects``.

    ``check_budget`` raises Exhausted where no further one is allowed; ``may_edit`` hears which files
    may have to be edited; ``passed`` is called where all open tests pass. ``healed`` are the open tests
    that passed in some state in which nothing broke, by edits that are not of low confidence alone.
    """

    context: Context
    suspects: Suspects
    check_budget: Callable[[], None]
    may_edit: MayEdit
    passed: Callable[[], None] = lambda: None
    healed: frozenset[str] = frozenset()
    _tried: int = 0
    _answers: dict[Hashable, Mapping[str, str]] = field(default_factory=dict)

    def announce(self, states: Iterator[State], failure: Failure) -> None:
        """Hear which states will be tried next on a failure's test."""
        contents = (state.contents for state in states)
        self.context.tests.announce_quick(contents, failure.test, self._allowed(failure))

    def dead(self, states: Sequence[State], failure: Failure) -> frozenset[int]:
        """Return the numbers of those that can't change what a failing test does.

        One run tells, in which each expression that they change comes to the same without them. Of a
        test that is ended for its time it can't.
        """
        base = states[0].base.contents if states[0].base else {}
        infection = Infection.of(states, self.suspects.project.changed(base))
        if failure.timed_out or not infection.edits:
            return frozenset()
        try:
            contents = {**base, **infection.contents()}
        except (Unreadable, OSError):
            return frozenset()
        self.context.originals.of(contents)
        seconds = self._allowed(failure) + _WATCHING
        tests, watched = self.context.tests, infection.watched
        seen = tests.watch(contents, failure.test, watched, seconds)
        if seen is None or not any(told_alike(failure, each) for each in seen.run.failures):
            return frozenset()
        return infection.dead(seen.same)

    def heals(self, state: State, failure: Failure, *, patient: bool = False) -> bool | None:
        """Say whether the test of a failure passes; None where its time was over. Raises Exhausted."""
        self.check_budget()
        if self._tried % _TOLD == 0:
            step = f"trying small edits of suspicious statements ({self._tried} so far)"
            self.context.step(step)
        self._tried += 1
        self.context.originals.of(state.contents)
        seconds = self._allowed(failure) * (_LONGER if patient else 1)
        run = self.context.tests.try_quick(state.contents, failure.test, seconds)
        if run is None or run.exit_code is not None:
            return run is not None and run.exit_code == 0
        return None

    def left(self, state: State) -> tuple[Failure, ...] | None:
        """Return the open failures that are left; None where another test breaks. Raises Exhausted."""
        self.check_budget()
        self.may_edit(state.contents)
        tests, patch = self.context.tests, state.patch[-1]
        open_tests, before = self.suspects.open_tests, self.context.originals.of(state.contents)
        step = f"trying {patch.codemod} ({patch.variant}) on all that it may break"
        trial = tests.try_out(state.contents, open_tests, step)
        if trial.run is None or trial.run.exit_code is None:
            return None
        if tests.breaks(before, state.contents):
            return None
        if not trial.run.failures and self.objection(state) is None:
            self.passed()
        healed = open_tests - failed(trial.run)
        if not healed <= self.healed and self._is_advisable(state):
            self.healed |= healed
        return trial.run.failures

    def _is_advisable(self, state: State) -> bool:
        """Say whether a state may be kept by itself, and be more than a shot in the dark."""
        trust = trusted(state.patch[-1], (), beside(state, state.patch[-1]))
        return trust.confidence != "low" and self.objection(state) is None

    def objection(self, state: State) -> str | None:
        """Say why the last edit of a state must not be proposed, whatever the tests say."""
        project = self.suspects.project
        before = project.changed(state.base.contents if state.base else {})
        tests = sources_of(self.suspects.open_tests, project)
        return objection_to(state.patch[-1], before, tests)

    def behaviour(self, state: State) -> Mapping[str, str]:
        """Return what the changed functions answer to the calls of tests and neighbours of them."""
        key = tuple(sorted(state.contents.items()))
        if key not in self._answers:
            originals = self.context.originals
            before = originals.of(state.contents)
            asked = islice(reaching(self.suspects.baseline, before, state.contents), _ASKED)
            contents, tests = {**originals, **state.contents}, {*self.suspects.open_tests, *asked}
            self._answers[key] = self.context.tests.behaviour(contents, tests, thorough=True) or {}
        return self._answers[key]

    def _allowed(self, failure: Failure) -> float:
        """Return the seconds that a quick trial gets."""
        least = _SHORT if failure.timed_out else _FLOOR
        return max(least, _FACTOR * self.suspects.seconds(failure))
