"""The search for patches under which the open tests pass, without a write to the project."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from selfdebug.model import Candidate, Explored, Ruling, SearchEnd, Site
from selfdebug.planning.search import Exhausted, Search, State, together
from selfdebug.steps.budget import Budget
from selfdebug.steps.context import Context
from selfdebug.steps.observe import Observation
from selfdebug.steps.propose import Proposals
from selfdebug.steps.trials import Trials

if TYPE_CHECKING:
    from selfdebug.steps.wrong_result import WrongResults

_SUSPECTS = 10  # told of


class PatchSearch:
    """The search of one run: by frames first, then by small edits of suspicious statements.

    ``may_edit`` hears which files may have to be edited. ``budget``, ``proposals`` and ``trials`` hold
    what it spent and learned. ``exhausted`` says whether it ended because nothing more was allowed,
    ``refused`` why a patch that passed was not written.
    """

    def __init__(
        self,
        context: Context,
        seen: Observation,
        may_edit: Callable[[Iterable[Path]], None] = lambda _: None,
    ):
        self.context, self.seen = context, seen
        self.budget = Budget(context.settings, context.clock)
        self.proposals = Proposals(context, seen)
        self.trials = Trials(context, seen.open_tests, self.budget, self._check_budget, may_edit)
        self.exhausted = False
        self.refused = ""
        self._through = False
        self._by_frames = Search(
            *(self.proposals.plan, self.trials.trial, self.trials.announce),
            depth=context.settings.max_attempts,
        )
        self._by_small_edits: WrongResults | None = None

    @property
    def tries(self) -> int:
        """How many different candidates were tried."""
        return self._by_frames.tries + self.small_edits_tried

    @property
    def small_edits_tried(self) -> int:
        """How many of them were small edits of suspicious statements."""
        return self._by_small_edits.tried if self._by_small_edits else 0

    @property
    def pruned(self) -> int:
        """How many small edits were not tried, for they can't change what the failing test does."""
        return self._by_small_edits.pruned if self._by_small_edits else 0

    @property
    def branches(self) -> tuple[Explored, ...]:
        """What was made of each branch of the candidates."""
        small = self._by_small_edits.branches if self._by_small_edits else ()
        return together(*self._by_frames.branches, *small)

    @property
    def rejected(self) -> list[Ruling]:
        """What did not work."""
        return self._by_frames.rejected

    @property
    def suspects(self) -> tuple[Site, ...]:
        """The most suspicious statements of what was not healed by itself, if they were looked for."""
        groups = self._by_small_edits.groups if self._by_small_edits else ()
        sites = [group.suspects for group in groups if not group.found] or [
            group.suspects for group in groups
        ]
        few = (each[: -(-_SUSPECTS // len(sites))] for each in sites)
        return tuple(islice(chain(*few), _SUSPECTS))

    def reject(self, patch: State, why: str) -> None:
        """Note why a patch is not kept."""
        self.rejected.append(Ruling(patch.patch[-1], why))

    def plausible(self) -> Iterator[State]:
        """Yield the patches, the likeliest first."""
        with self._while_allowed():
            for patch in self._by_frames.plausible(State(self.seen.failures)):
                if self.context.settings.siblings:
                    yield from self.trials.elsewhere(patch, self.seen.project)
                yield patch
        if self.budget.spent == "time":
            return  # what comes next begins with a run of tests, which may be slow
        yield from self.trials.second_opinion()
        self.context.clock.enter("diagnosis")
        self._by_small_edits = self._small_edits()
        if self._by_small_edits is not None:
            states = [*self._most_healed(), State(self.seen.failures)]
            with self._while_allowed():
                yield from self._by_small_edits.plausible(states)
        self._through = True

    @property
    def end(self) -> SearchEnd | None:
        """Why nothing more was tried, as far as the search is the reason."""
        return self.budget.spent or ("space" if self._through else None)

    def _most_healed(self) -> Iterator[State]:
        """Yield the state from which most was healed by frames: of several bugs one may be a crash."""
        if parts := self._by_frames.parts:
            yield min(parts, key=lambda each: (len(each.failures), len(each.patch)))

    @property
    def healed(self) -> frozenset[str]:
        """The open tests that passed in some state."""
        small = self._by_small_edits.healed if self._by_small_edits else frozenset()
        return self.trials.healed | small

    @property
    def alone(self) -> Iterator[tuple[Sequence[Candidate], Sequence[str]]]:
        """The patches that heal failures which have nothing in common with others, and their tests."""
        if self._by_small_edits is not None:
            yield from self._by_small_edits.alone

    def is_wider(self, patch: State) -> bool:
        """Say whether a patch makes its repair at other places too."""
        return any(patch is each for each in self.trials.wider)

    def rivals(self, patch: State) -> Iterator[State]:
        """Yield the states that other repairs of the last failure would have led to, untried."""
        return self._by_frames.rivals(patch)

    def behaviour(self, patch: State) -> Mapping[str, str]:
        """Return what the functions that a small edit changes answer to calls."""
        return self._by_small_edits.behaviour(patch) if self._by_small_edits else {}

    def _small_edits(self) -> WrongResults | None:
        """Return the search through small edits, for where no frame names the culprit.

        None where nothing can tell what the tests execute.
        """
        from selfdebug.steps.suspects import learn
        from selfdebug.steps.wrong_result import WrongResults

        suspects = learn(self.context, self.seen)
        if suspects is None:
            return None
        return WrongResults(
            *(self.context, suspects, self.budget, self._check_budget),
            *(self.trials.may_edit, self.rejected),
        )

    def _check_budget(self) -> None:
        self.budget.check(self.tries)

    @contextmanager
    def _while_allowed(self) -> Iterator[None]:
        self.context.clock.enter("search")
        try:
            yield
        except Exhausted as end:
            if not self.exhausted:  # the first search that was ended says why the next one is too
                self.context.notes.append(str(end))
            self.exhausted = True
