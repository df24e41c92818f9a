"""The steps of the loop for failures that no frame explains: the answer is wrong, or never comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from selfdebug.codemods._listing import imported
from selfdebug.model import Branch, Candidate, Explored, Failure, Ruling, Site
from selfdebug.planning.enumeration import Enumeration
from selfdebug.planning.frontier import first_order, frontier
from selfdebug.planning.joined import Overlap, after
from selfdebug.planning.sameness import meaning
from selfdebug.planning.search import (
    Exhausted,
    Part,
    State,
    explored,
    healed_by,
    with_candidate,
)
from selfdebug.planning.trust import STRENGTH
from selfdebug.steps.budget import Budget
from selfdebug.steps.context import Context
from selfdebug.steps.small_edits import MayEdit, SmallEditTrials
from selfdebug.steps.suspects import Suspects
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import Outdated

# Edits that are tried alone before a repair of a crash is taken for a part of the cure.
_FIRST = 150
_BRIEF = 0.5  # seconds that are not worth another round
_LIKELIEST = 3  # patches of a group that are tried on the others


@dataclass
class Group:
    """Failures to heal together, the statements that the first makes suspicious, and the search.

    ``found`` are the patches under which they do not fail, the likeliest first; ``ended`` says whether
    the search for them came to its end. ``before`` is where repairs of crashes
    led to, which may be part of them.
    """

    failures: tuple[Failure, ...]
    suspects: tuple[Site, ...]
    trials: SmallEditTrials
    enumeration: Enumeration
    before: State
    found: list[State] = field(default_factory=list)
    ended: bool = False

    @property
    def tests(self) -> frozenset[str]:
        """The tests that are to pass."""
        return self.trials.suspects.open_tests

    def own(self, patch: State) -> tuple[Candidate, ...]:
        """Return what a patch consists of without the repairs of other failures that came before."""
        before = healed_by(self.before)
        others = [made for made, tests in before if tests.isdisjoint(self.tests)]
        return tuple(each for each in patch.patch if each not in others)


@dataclass
class WrongResults:
    """The search for small edits of suspicious statements that heal the open failures.

    ``check_budget`` raises Exhausted where time or tries are used up; ``may_edit`` hears which files
    may have to be edited; ``rejected`` is filled with what did not work.
    """

    context: Context
    suspects: Suspects
    budget: Budget
    check_budget: Callable[[], None]
    may_edit: MayEdit
    rejected: list[Ruling]
    groups: list[Group] = field(default_factory=list)

    @property
    def tried(self) -> int:
        """How many different edits were tried."""
        return sum(group.enumeration.tried.total() for group in self.groups)

    @property
    def pruned(self) -> int:
        """How many others can't change what the failing tests do."""
        return sum(group.enumeration.pruned.total() for group in self.groups)

    @property
    def branches(self) -> tuple[Explored, ...]:
        """What was made of each branch of the small edits."""
        tried, pruned = Counter[Branch](), Counter[Branch]()
        for group in self.groups:
            tried.update(group.enumeration.tried)
            pruned.update(group.enumeration.pruned)
        return explored(tried + pruned, pruned, tried)

    @property
    def healed(self) -> frozenset[str]:
        """The open tests that passed in some state in which nothing broke."""
        return frozenset[str]().union(*(group.trials.healed for group in self.groups))

    def plausible(self, states: Sequence[State]) -> Iterator[State]:
        """Yield patches under which the open tests pass, and those that execute the edited lines.

        They go on from each of the states until one leads to some. In the last one nothing is edited.
        Failures that have nothing in common are healed group by group. The likeliest come first.
        """
        parted = self.suspects.independent(states[-1].failures)
        if len(parted) > 1:  # no edit heals them all
            state = of_whole_groups(states[0], parted)
            parted = self.suspects.independent(state.failures)
            groups = [self._group(failures, states[0]) for failures in parted]
            yield from self._group_by_group(groups, state)
        else:
            yield from self._together(states)

    def _together(self, states: Sequence[State]) -> Iterator[State]:
        """Yield patches that heal all failures, those first that do so from the first state."""
        together = self._group(states[-1].failures, states[-1])
        alone: list[tuple[State, int | None]] = [(states[-1], _FIRST)] if len(states) > 1 else []
        for state, most in (*alone, *((each, None) for each in states)):
            found = False
            ordered = self.suspects.most_telling_first(state.failures)
            for patch in together.enumeration.plausible(
                replace(state, failures=ordered), self._depth, most
            ):
                found = True
                yield patch
            if found:
                return

    @property
    def alone(self) -> Iterator[tuple[Sequence[Candidate], Sequence[str]]]:
        """The likeliest patch of each group that may be healed by itself, and the tests it heals."""
        for group in self.groups:
            if group.tests <= group.trials.healed:
                yield from ((group.own(patch), sorted(group.tests)) for patch in group.found[:1])

    def behaviour(self, state: State) -> Mapping[str, str]:
        """Return what the functions that a small edit changes answer to calls."""
        tests = {failure.test for failure in (state.base or state).failures}
        group = next(each for each in self.groups if tests <= each.tests)
        return group.trials.behaviour(state)

    @property
    def _depth(self) -> int:
        return self.context.settings.max_attempts

    def _group(self, failures: Sequence[Failure], before: State) -> Group:
        ordered = self.suspects.most_telling_first(failures)
        suspects = self.suspects.of_tests(each.test for each in failures)
        trials = SmallEditTrials(
            *(self.context, suspects, self.check_budget, self.may_edit, self.budget.hasten)
        )
        propose = partial(_candidates, self.context, suspects)
        same_code = partial(_same_code, suspects.project)
        search = Enumeration(trials, propose, self._reject, same_code)
        group = Group(ordered, suspects.sites(ordered[0]), trials, search, before)
        self.groups.append(group)
        return group

    def _reject(self, state: State, why: str) -> None:
        self.rejected.append(Ruling(state.patch[-1], why))

    # --- failures that have nothing in common ---

    def _group_by_group(self, groups: Sequence[Group], state: State) -> Iterator[State]:
        """Yield the patches of all groups joined, each found in its own share of the time."""
        ended: Exhausted | None = None
        try:
            self._search_in_turn(groups, state)
        except Exhausted as end:
            ended = end  # what was found until then may be right all the same
        if all(group.found for group in groups):
            yield from self._joined(groups, state)
        if ended is not None:
            raise ended

    def _search_in_turn(self, groups: Sequence[Group], state: State) -> None:
        """Find patches of each group. What a group leaves of its share is for those without a patch.

        Raises Exhausted.
        """
        open_groups = groups
        while open_groups and self.budget.left > _BRIEF:
            seconds = self.budget.left / len(open_groups)
            for group in open_groups:
                group.found += _of_others(group, groups)
                if group.found:
                    group.ended = True
                else:
                    self._search(group, state, seconds)
            open_groups = [each for each in groups if not (each.found or each.ended)]
        if not all(group.ended for group in groups):
            self.budget.spent = "time"

    def _search(self, group: Group, state: State, seconds: float) -> None:
        """Go on with the search of a group for a while. Raises Exhausted."""
        begin = replace(state, failures=group.failures)
        with self.budget.share(seconds) as share:
            for patch in group.enumeration.plausible(begin, self._depth):
                group.found.append(patch)
        group.ended = not share.over

    def _joined(self, groups: Sequence[Group], state: State) -> Iterator[State]:
        """Yield the likeliest patches of all groups together, then those with another one for a group.

        Raises Exhausted where no more may be proved.
        """
        suspects = self.suspects.of_tests(each.test for each in state.failures)
        check = self.budget.check_attempts
        trials = SmallEditTrials(self.context, suspects, check, self.may_edit)
        for chosen in _choices([group.found for group in groups]):
            joined: State | None = state
            for group, patch in zip(groups, chosen, strict=True):
                if joined is not None and not _healed(group, joined):
                    joined = _with_part(joined, patch, len(state.patch), trials)
            if joined is not None and not joined.failures:
                yield joined


def of_whole_groups(state: State, groups: Sequence[Sequence[Failure]]) -> State:
    """Return a state without the candidates that heal a group of failures in part.

    One small edit may heal all of the group. It is the state itself where they cannot be left out.
    """
    left = {each.test for each in state.failures}
    open_failures = [each for group in groups if left & _tests(group) for each in group]
    kept = [made for made, tests in healed_by(state) if tests.isdisjoint(_tests(open_failures))]
    if len(kept) == len(state.patch):
        return state
    whole = State(tuple(open_failures))
    try:
        for candidate in kept:
            whole = with_candidate(whole, candidate)
    except (Outdated, ValueError):  # it was worked out on what an earlier one had made of the file
        return state
    return whole


def _tests(failures: Iterable[Failure]) -> frozenset[str]:
    return frozenset(each.test for each in failures)


def _of_others(group: Group, groups: Sequence[Group]) -> Iterator[State]:
    """Yield the likeliest patches of other groups that heal a group too: its cause was a common one.

    Raises Exhausted.
    """
    for other in groups:
        yield from (patch for patch in other.found[:_LIKELIEST] if group.trials.left(patch) == ())


def _choices(found: Sequence[Sequence[State]]) -> Iterator[tuple[State, ...]]:
    """Yield one patch of each group, first the likeliest of all, then another one for one of them."""
    likeliest = tuple(patches[0] for patches in found)
    yield likeliest
    for number, patches in enumerate(found):
        for other in patches[1:]:
            yield (*likeliest[:number], other, *likeliest[number + 1 :])


def _healed(group: Group, state: State) -> bool:
    return group.tests.isdisjoint(_tests(state.failures))


def _with_part(state: State, patch: State, made: int, trials: SmallEditTrials) -> State | None:
    """Return a state with a patch besides; None where they do not go together, or break a test.

    Of both patches the first ``made`` candidates are the same.
    """
    joined = state
    with suppress(Overlap):
        for candidate in after(patch.patch[made:], state.patch[made:]):
            joined = with_candidate(joined, candidate)
    if joined is state:
        return None
    left = trials.left(joined)
    if left is None:
        return None
    part = Part(patch, range(len(state.patch), len(joined.patch)))
    return replace(joined, failures=left, parts=(*state.parts, part))


def _candidates(
    context: Context, suspects: Suspects, failure: Failure, state: State
) -> Iterator[Candidate]:
    """Yield the small edits of the statements that a failure makes suspicious, the likeliest first."""
    codemods = first_order(tuple(map(imported, context.codemods)))
    project = suspects.project.changed(state.contents)
    sites = suspects.sites(failure, state.contents)
    for each in frontier(sites, codemods, project, context.note):
        if STRENGTH[each.kind] >= STRENGTH[context.settings.require]:
            yield each


def _same_code(project: Project, state: State) -> Hashable:
    """Return what is the same for edits that do the same; None where the code does not parse."""
    line = state.patch[-1].site.span.line
    before = project.changed(state.base.contents if state.base else {})
    return meaning(state.contents, line, before)
