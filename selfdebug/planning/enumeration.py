"""Try the small edits of suspicious statements one after the other, and weigh those that pass.

More than one edit may make all tests pass, and the first of them is not always right. So the search goes
on for a while after it: those that answer alike, also on inputs that no test has, speak for each other,
and the likeliest answer is the one for which the likeliest edits stand. After one that heals some of the
failures only it goes on for longer: one edit that heals all is likelier than two that share them. So it
does after one of a form that fits nearly everywhere, for others may pass by chance too.
Nothing here runs tests or writes files: what is given to it does.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import NamedTuple, Protocol, TypeAlias

from selfdebug.model import Branch, Candidate, Failure
from selfdebug.planning.search import Exhausted, State, with_candidate
from selfdebug.planning.trust import TELLING

_MOST = 8  # edits that pass, after which no more are looked for
_AFTER = 150  # edits tried after the first that passes, or as many as before it
_LESS = 2.5  # how much less likely, as a logarithm, than the first that passes others may be
_AFTER_VAGUE, _LESS_OF_VAGUE = 200, 2.8  # the same where edits like the first one fit anywhere
_AFTER_PART, _LESS_OF_PART = 400, 4.0  # the same where the first one heals some failures only
_LATE = 100  # edits that get more time once all others were tried
_AT_ONCE = 3  # edits that get it at once: the search may end before the others were tried
_UNWATCHED = 12  # likeliest edits, which are tried at once
_WATCHED = 48  # edits of which one run tells whether they can change anything
_PARTS = 3  # edits that heal some of the failures, from which the search may go on


class Trials(Protocol):
    """What the tests say of states, off the tree."""

    def announce(self, states: Iterator[State], failure: Failure) -> None:
        """Hear which states will be tried next on a failure, in that order, if none passes."""

    def dead(self, states: Sequence[State], failure: Failure) -> frozenset[int]:
        """Return the numbers of those that can't change what a failing test does, as far as known.

        All are made of the same state.
        """

    def heals(self, state: State, failure: Failure, *, patient: bool = False) -> bool | None:
        """Say whether the test of a failure passes; None where its time was over. Raises Exhausted.

        With ``patient`` it has more time.
        """

    def left(self, state: State) -> tuple[Failure, ...] | None:
        """Return the open failures that are left; None where another test breaks. Raises Exhausted."""

    def objection(self, state: State) -> str | None:
        """Say why the last candidate of a state must not be proposed, whatever the tests say."""

    def behaviour(self, state: State) -> Mapping[str, str]:
        """Return what the changed functions answer to the calls of tests and neighbours of them."""


@dataclass
class Enumeration:
    """One search through first-order edits.

    ``tried`` counts the different ones that were run, by their branches, ``pruned`` those that were not,
    for they can't change what the failing test does.
    """

    trials: Trials
    propose: Callable[[Failure, State], Iterator[Candidate]]
    reject: Callable[[State, str], None]
    same_code: Callable[[State], object]
    tried: Counter[Branch] = field(default_factory=Counter)
    pruned: Counter[Branch] = field(default_factory=Counter)
    _seen: set[object] = field(default_factory=set)
    _rows: dict[object, _Row] = field(default_factory=dict)
    _parts: dict[object, list[State]] = field(default_factory=dict)
    _hurried: int = 0

    def plausible(self, state: State, depth: int, most: int | None = None) -> Iterator[State]:
        """Yield the states in which nothing fails, the likeliest first; ``depth`` edits at most.

        Where not one of the ``most`` likeliest edits leads to any, that is all: a second search of the
        state goes on with the others. Raises Exhausted.
        """
        found: list[State] = []
        parts = self._parts.setdefault(_where(state), [])
        ended: Exhausted | None = None
        try:
            found.extend(self._passing(state, parts, most))
        except Exhausted as end:
            ended = end  # what was found until then may be right all the same
        yield from self._ranked(state, found)
        if ended is not None:
            raise ended
        if not found and depth > 1 and most is None:
            for part in parts[:_PARTS]:
                yield from self.plausible(part, depth - 1)

    def _passing(self, state: State, parts: list[State], most: int | None) -> Iterator[State]:
        """Yield what makes all tests pass; ``parts`` is filled with what does so for some.

        Where nothing does, what ran out of time gets more: the machine may be slow.
        """
        failure, passed = state.failures[0], 0
        late: list[State] = []
        begun = self._judged

        def likeliest() -> Iterator[State]:
            row = self._row(state, failure)
            while (following := next(iter(row), None)) is not None:
                left = math.inf if passed or most is None else most - self._judged + begun
                if len(following.pruned) >= left:
                    return
                yield self._taken(row, failure)
            self.pruned.update(row.take_rest())

        for found in self._accepted(likeliest(), failure, parts, late):
            passed += 1
            yield found
        if not passed:
            yield from self._accepted(iter(late), failure, parts, [], patient=True)

    def _accepted(
        self,
        states: Iterator[State],
        failure: Failure,
        parts: list[State],
        late: list[State],
        *,
        patient: bool = False,
    ) -> Iterator[State]:
        """Yield the states that make all tests pass; ``late`` is filled with what ran out of time."""
        most, dearest = math.inf, math.inf  # tries, and how unlikely an edit may be
        passed = 0
        start = self._judged
        for tried in states:
            cost, so_far = tried.patch[-1].cost, self._judged - start
            if so_far > most or cost > dearest:
                return
            healed = self._healed(tried, failure, late, patient)
            if not healed:
                continue
            left = self.trials.left(tried)
            why = None if left is None else self.trials.objection(tried)
            if left is None or why is not None:
                self.reject(tried, why or "tests that passed before fail with it")
                continue
            if left:
                parts.append(replace(tried, failures=left))
                most = min(most, so_far + _AFTER_PART)
                dearest = min(dearest, cost + _LESS_OF_PART)
            else:
                passed += 1
                vague = tried.patch[-1].prior < TELLING
                more, less = (_AFTER_VAGUE, _LESS_OF_VAGUE) if vague else (_AFTER, _LESS)
                most = min(most, max(2 * so_far, so_far + more))
                dearest = min(dearest, cost + less)
                yield replace(tried, failures=())
                if passed == _MOST:
                    return

    def _healed(
        self, tried: State, failure: Failure, late: list[State], patient: bool
    ) -> bool | None:
        """Say whether a test passes. The first that run out of time, the likeliest, get more at once."""
        healed = self.trials.heals(tried, failure, patient=patient)
        if healed is not None or patient:
            return healed
        if self._hurried < _AT_ONCE:
            self._hurried += 1
            return self.trials.heals(tried, failure, patient=True)
        if len(late) < _LATE:
            late.append(tried)
        return None

    @property
    def _judged(self) -> int:
        """How many different edits were judged: the search ends as if all of them had been tried."""
        return self.tried.total() + self.pruned.total()

    def _row(self, state: State, failure: Failure) -> _Row:
        """Return the states to try; a second search of a state goes on where the first one ended."""
        where = _where(state)
        if where not in self._rows:
            different = self._different(state, self.propose(failure, state))
            self._rows[where] = _Row(self._alive(different, failure))
        return self._rows[where]

    def _taken(self, row: _Row, failure: Failure) -> State:
        """Take the next state, which counts as tried, and announce those after it."""
        self.trials.announce((each.state for each in row), failure)
        following = row.waiting.popleft()
        self.tried[_branch(following.state)] += 1
        self.pruned.update(following.pruned)
        return following.state

    def _alive(self, different: Iterator[State], failure: Failure) -> Iterator[_Next | _Pruned]:
        """Yield the states that may change what a test does; last the others after them."""
        yield from (_Next(state, ()) for state in islice(different, _UNWATCHED))
        pruned: list[Branch] = []
        while states := [*islice(different, _WATCHED)]:
            dead = self.trials.dead(states, failure)
            for number, state in enumerate(states):
                if number in dead:
                    pruned.append(_branch(state))
                else:
                    yield _Next(state, tuple(pruned))
                    pruned.clear()
        yield tuple(pruned)

    def _different(self, state: State, candidates: Iterator[Candidate]) -> Iterator[State]:
        where = _where(state)
        for candidate in candidates:
            tried = replace(with_candidate(state, candidate), base=state)
            code = self.same_code(tried)
            if code is not None and (where, code) not in self._seen:
                self._seen.add((where, code))
                yield tried

    def _ranked(self, base: State, found: Sequence[State]) -> Iterator[State]:
        """Yield states by how much speaks for what they answer, each with the others as rivals."""
        answers = [self.trials.behaviour(each) if len(found) > 1 else {} for each in found]
        weights = [math.exp(-each.patch[-1].cost) for each in found]
        mass = {
            number: sum(
                weight
                for weight, other in zip(weights, answers, strict=True)
                if alike(answers[number], other)
            )
            for number in range(len(found))
        }
        order = sorted(
            mass, key=lambda number: (-round(mass[number], 12), found[number].patch[-1].cost)
        )
        for number in order:
            rivals = tuple(found[other].patch[-1] for other in order if other != number)
            yield replace(found[number], base=base, rivals=rivals)


def _where(state: State) -> object:
    """Return what tells a state from others: what the files hold that are edited in it."""
    return tuple(sorted(state.contents.items()))


def _branch(state: State) -> Branch:
    return state.patch[-1].branch


_Pruned: TypeAlias = tuple[Branch, ...]
"""The branches of edits that need not be tried."""


class _Next(NamedTuple):
    """A state to try, and what right before it need not be tried."""

    state: State
    pruned: _Pruned


class _Row:
    """What comes next, of which one may look at as much as one likes before it is taken.

    ``states`` ends with those after the last one that need not be tried.
    """

    def __init__(self, states: Iterator[_Next | _Pruned]) -> None:
        self.waiting: deque[_Next] = deque()
        self._more = states
        self._rest: _Pruned = ()

    def __iter__(self) -> Iterator[_Next]:
        for number in count():
            if number == len(self.waiting):
                more = next(self._more, None)
                if not isinstance(more, _Next):
                    self._rest += more or ()
                    return
                self.waiting.append(more)
            yield self.waiting[number]

    def take_rest(self) -> _Pruned:
        """Return which after the last one need not be tried; later none."""
        rest, self._rest = self._rest, ()
        return rest


def alike(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Say whether two edits answer the calls that were made with both in the same way."""
    return all(other.get(call, answer) == answer for call, answer in one.items())
