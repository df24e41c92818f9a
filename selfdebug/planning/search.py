"""Search for edits that turn the open failures green, one cause after the other.

With the edits so far carried along: a candidate that heals all comes first, then those that heal their
own cause lead on to the next; one that only moves the failure to a new place is followed last, from
that new place.
Nothing here runs tests or writes files: ``trial`` and ``propose`` do, or pretend to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias, get_args

from selfdebug.model import Branch, Candidate, Edit, Explored, Failure, Raised, Ruling, TestRun
from selfdebug.planning.propose import Plan
from selfdebug.planning.trust import same_function
from selfdebug.syntax.source import Outdated, apply

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


@dataclass(frozen=True)
class State:
    """The project with some candidates applied, and the failures that are left.

    ``contents`` holds the files that differ from the disk. ``rivals`` were planned after the last
    candidate, for the same failure in the state ``base``, and not tried. ``parts`` are the patches of
    which it is made, where failures with nothing in common were healed each by itself.
    """

    failures: tuple[Failure, ...]
    contents: Mapping[Path, bytes] = field(default_factory=dict)
    patch: tuple[Candidate, ...] = ()
    base: State | None = None
    rivals: tuple[Candidate, ...] = ()
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Part:
    """A patch that is part of a larger one: ``numbers`` are those of its own candidates there."""

    state: State
    numbers: range


Signature: TypeAlias = tuple[str, str, str, tuple[str | None, ...]]
Propose: TypeAlias = Callable[[Failure, State], Plan]
Trial: TypeAlias = Callable[[State], TestRun | None]
Announce: TypeAlias = Callable[[Iterable[State]], None]


def _unheard(_: Iterable[State]) -> None:
    """Run nothing ahead."""


class Exhausted(Exception):
    """What the caller allows is used up. The message says what."""


@dataclass
class Search:
    """One search. ``rejected`` tells what did not work; ``unanswered`` what no codemod answers.

    ``parts`` are the states in which candidates healed their own failures, and nothing led on.

    ``propose`` returns the plan for a failure in a state. ``trial`` runs the open tests in a state
    without writing to the project, and returns None where that is not possible: the state is then
    taken as plausible, for the proof to judge. It raises Exhausted to end the search. ``announce`` is
    told before each trial which ones will follow if none heals, this one first: a lazy row of which
    it may run the head ahead. What is found does not depend on it. A patch has at most ``depth``
    candidates for each test that it heals.
    """

    propose: Propose
    trial: Trial
    announce: Announce = _unheard
    depth: int = 4
    rejected: list[Ruling] = field(default_factory=list)
    unanswered: list[Failure] = field(default_factory=list)
    parts: list[State] = field(default_factory=list)
    _proposed: Counter[Branch] = field(default_factory=Counter)
    _pruned: Counter[Branch] = field(default_factory=Counter)
    _explored: Counter[Branch] = field(default_factory=Counter)
    _tried: set[tuple[tuple[Path, bytes], ...]] = field(default_factory=lambda: {()})
    _hopeless: set[Signature] = field(default_factory=set)

    def plausible(self, state: State, in_vain: int = 0) -> Iterator[State]:
        """Yield states in which no failure of ``state`` is left, best first.

        The last ``in_vain`` candidates of its patch have healed no test.
        """
        if not state.failures:
            yield state
            return
        if in_vain >= self.depth:
            return
        if any(signature(failure) in self._hopeless for failure in state.failures):
            return
        failure, plan = self._next(state)
        healed: list[State] = []
        found = False
        for end in self._ends(state, failure, plan.candidates, healed, in_vain + 1):
            found = True
            yield end
        if not (found or healed):
            self._hopeless.add(signature(failure))

    def _ends(
        self,
        state: State,
        failure: Failure,
        candidates: Sequence[Candidate],
        healed: list[State],
        in_vain: int,
    ) -> Iterator[State]:
        """Yield the states without a failure to which the candidates for one lead.

        ``healed`` is filled with those in which only other failures are left: an edit that heals all is
        tried before two that do so together.
        """
        moved: list[State] = []
        for tried in self._tries(state, candidates):
            if not tried.failures:
                yield tried
            elif any(same(failure, left) for left in tried.failures):
                self._reject(tried, "the same failure is left")
            elif any(left.test == failure.test for left in tried.failures):
                moved.append(tried)
                self._reject(tried, f"it led to {_headline(tried.failures[0])}")
            else:
                healed.append(tried)
        for tried in healed:
            fewer = len(_tests(tried)) < len(_tests(state))
            yield from self._onwards(tried, 0 if fewer else in_vain)
        for tried in moved:
            yield from self._beyond(tried, in_vain)

    def _onwards(self, healed: State, in_vain: int) -> Iterator[State]:
        """Go on to the failures that are left once a candidate has healed its own."""
        ends = False
        for end in self.plausible(healed, in_vain):
            ends = True
            yield end
        if not ends:
            self.parts.append(healed)
            self._reject(
                healed, f"it heals its own failure, and leaves {_headline(healed.failures[0])}"
            )

    @property
    def tries(self) -> int:
        """How many different candidates were tried."""
        return len(self._tried) - 1  # without the project as it is

    @property
    def branches(self) -> tuple[Explored, ...]:
        """What was made of each branch in which there was a candidate, over all failures and states."""
        return explored(self._proposed, self._pruned, self._explored)

    def _next(self, state: State) -> tuple[Failure, Plan]:
        """Return the first failure that some codemod answers: healing it may heal the others too."""
        for failure in state.failures:
            plan = self.propose(failure, state)
            self.rejected.extend(plan.rejected)
            pruned = [each.candidate.branch for each in plan.rejected]
            self._pruned.update(pruned)
            self._proposed.update((*(each.branch for each in plan.candidates), *pruned))
            if plan.candidates:
                return failure, plan
            self.unanswered.append(failure)
        return state.failures[0], Plan(())

    def _beyond(self, moved: State, in_vain: int) -> Iterator[State]:
        """Go on from a new failure of our making: that nothing answers it is no news for the user."""
        own = len(self.unanswered)
        yield from self.plausible(moved, in_vain)
        del self.unanswered[own:]

    def _tries(self, state: State, candidates: Sequence[Candidate]) -> Iterator[State]:
        """Yield the states that each candidate leads to, tested; those that are no news are left out."""
        for number, candidate in enumerate(candidates):
            tried = with_candidate(state, candidate)
            if _key(tried) in self._tried or _takes_back(state, candidate):
                continue
            self.announce(self._untried(state, candidates[number:]))
            self._tried.add(_key(tried))
            self._explored[candidate.branch] += 1
            run = self.trial(tried)
            if run is not None and run.exit_code is None:
                self._reject(tried, f"the tests were ended after {run.seconds:.0f} s")
            else:
                left = () if run is None else run.failures
                rivals = tuple(candidates[number + 1 :])
                yield replace(tried, failures=left, base=state, rivals=rivals)

    def rivals(self, state: State) -> Iterator[State]:
        """Yield the states that other repairs of the last failure would have led to, untried."""
        if state.base is not None:
            yield from self._untried(state.base, state.rivals)

    def _untried(self, state: State, candidates: Sequence[Candidate]) -> Iterator[State]:
        states = (with_candidate(state, candidate) for candidate in candidates)
        return (tried for tried in states if _key(tried) not in self._tried)

    def _reject(self, state: State, why: str) -> None:
        self.rejected.append(Ruling(state.patch[-1], why))


def with_candidate(state: State, candidate: Candidate) -> State:
    """Return the state with a candidate added, its failures those of before.

    Raises Outdated where someone else has changed a file since it was read, OSError.
    """
    contents = dict(state.contents)
    for path in {edit.file for edit in candidate.edits}:
        edits = tuple(edit for edit in candidate.edits if edit.file == path)
        contents[path] = apply(contents[path], edits) if path in contents else _edited(path, edits)
        if path in state.contents and contents[path] == path.read_bytes():
            del contents[path]  # it takes back what an earlier candidate did
    return State(state.failures, contents, (*state.patch, candidate))


def healed_by(state: State) -> list[tuple[Candidate, frozenset[str]]]:
    """Return the candidates of a state with the tests that each heals, or helps the next one to heal."""
    found: list[tuple[Candidate, frozenset[str]]] = []
    tests = frozenset(_tests(state))
    while state.base is not None:
        tests = frozenset(_tests(state.base) - _tests(state)) or tests
        found.append((state.patch[-1], tests))
        state = state.base
    return found[::-1]


def beside(state: State, made: Candidate) -> list[Candidate]:
    """Return the candidates of a state that may fit its tests only together with another one of it.

    Those of other functions that heal tests of their own do not need it.
    """
    healed = healed_by(state)
    own = next((tests for each, tests in healed if each is made), None)
    apart = [
        each
        for each, tests in healed
        if own is not None and own.isdisjoint(tests) and not same_function(each, made)
    ]
    return [each for each in state.patch if each is not made and each not in apart]


def _edited(path: Path, edits: tuple[Edit, ...]) -> bytes:
    try:
        return apply(path.read_bytes(), edits)
    except (ValueError, FileNotFoundError) as error:
        raise Outdated(path) from error


def explored(
    proposed: Counter[Branch], pruned: Counter[Branch], tried: Counter[Branch]
) -> tuple[Explored, ...]:
    """Return what was made of each branch in which there was a candidate."""
    return tuple(
        Explored(each, proposed[each], pruned[each], tried[each])
        for each in get_args(Branch)
        if proposed[each]
    )


def together(*parts: Explored) -> tuple[Explored, ...]:
    """Return what several searches made of each branch."""
    proposed, pruned, tried = Counter[Branch](), Counter[Branch](), Counter[Branch]()
    for each in parts:
        proposed[each.branch] += each.proposed
        pruned[each.branch] += each.pruned
        tried[each.branch] += each.tried
    return explored(proposed, pruned, tried)


def _tests(state: State) -> set[str]:
    return {failure.test for failure in state.failures}


def _takes_back(state: State, candidate: Candidate) -> bool:
    """Say whether a candidate puts back what an earlier one replaced."""
    made = {(edit.before, edit.after) for each in state.patch for edit in each.edits}
    return any((edit.after, edit.before) in made for edit in candidate.edits)


def _key(state: State) -> tuple[tuple[Path, bytes], ...]:
    return tuple(sorted(state.contents.items()))


def signature(failure: Failure) -> Signature:
    """Return what makes two failures the same in the eyes of the search: never a line number.

    An edit above moves lines; the quoted source and the functions stay.
    """
    raised = failure.cause
    if raised is not None and failure.timed_out:  # where, and after how long, is chance
        return failure.test, raised.type, "", ()
    places = () if raised is None else tuple(frame.source for frame in raised.frames[-3:])
    return failure.test, raised.type if raised else "", _message(raised, failure.text), places


def same(one: Failure, other: Failure) -> bool:
    """Say whether two runs show the same failure."""
    return signature(one) == signature(other)


def told_alike(one: Failure, other: Failure) -> bool:
    """Say whether two runs of code that differs in its text only show the same failure of a test."""
    return _without_places(one) == _without_places(other)


def _without_places(failure: Failure) -> tuple[str, str, str]:
    test, kind, message, _ = signature(failure)
    return test, kind, message


def _message(raised: Raised | None, text: str) -> str:
    return _ADDRESS.sub("0x", raised.message if raised else text)


def _headline(failure: Failure) -> str:
    raised = failure.cause
    if raised is None:
        return f"another failure of {failure.test}"
    first = raised.message.partition("\n")[0]
    return f"{raised.type}: {first} in {failure.test}"
