"""What the open tests say of a state of the project that is not written to the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from selfdebug.model import Candidate, TestRun
from selfdebug.planning.search import State
from selfdebug.reporting.text import relative
from selfdebug.steps.budget import Budget
from selfdebug.steps.context import Context
from selfdebug.syntax.project import Project
from selfdebug.validation.judge import failed


@dataclass
class Trials:
    """Trials of states, and what they showed.

    ``check_budget`` raises Exhausted where no further one is allowed. ``may_edit`` hears which files
    may have to be edited. ``healed`` are the open tests that passed in some state, ``wider`` the
    patches with the same repair elsewhere.
    """

    context: Context
    open_tests: frozenset[str]
    budget: Budget
    check_budget: Callable[[], None]
    may_edit: Callable[[Iterable[Path]], None]
    healed: frozenset[str] = frozenset()
    wider: list[State] = field(default_factory=list)
    _unhealed_warm: State | None = None

    def announce(self, states: Iterable[State]) -> None:
        """Hear which states will be tried next."""
        self.context.tests.announce((state.contents for state in states), self.open_tests)

    def trial(self, state: State) -> TestRun | None:
        """Run the open tests on a state; None where nothing off the tree can tell.

        Raises Exhausted.
        """
        self.context.originals.of(state.contents)
        patch = state.patch[-1]
        place = _place(patch, self.context.settings.root)
        step = f"trying {patch.codemod} ({patch.variant}) at {place}"
        self.check_budget()
        self.may_edit(state.contents)
        trial = self.context.tests.try_out(state.contents, self.open_tests, step)
        if trial.run is not None:
            self.healed |= self.open_tests - failed(trial.run)
        if trial.cold:
            self.budget.attempt(state.contents)
        elif not trial.executed and trial.run and not trial.run.failures:
            # A test that passed without running the new code says nothing of it.
            return self._cold(state)
        elif self._unhealed_warm is None and trial.run and trial.run.failures:
            self._unhealed_warm = state
        return trial.run

    def second_opinion(self) -> Iterator[State]:
        """Where no candidate passed in the warm runner, let a fresh process judge the first."""
        if self._unhealed_warm is not None and not self.budget.attempts:
            run = self._cold(self._unhealed_warm)
            if run is None or not run.failures:
                yield self._unhealed_warm

    def elsewhere(self, patch: State, project: Project) -> Iterator[State]:
        """Yield a patch with the same repair wherever else a test executes the same pattern."""
        from selfdebug.planning.siblings import siblings, widened

        tests, codemods = self.context.tests, self.context.codemods
        changed = project.changed(patch.contents)
        found = [other for made in patch.patch for other in siblings(made, changed, codemods)]
        wider = widened(patch, found, project, tests.executed())
        self.context.originals.of(wider.contents)
        if wider is not patch:
            trial = tests.try_out(wider.contents, self.open_tests, "trying it elsewhere too")
            if trial.run is None or not trial.run.failures:
                self.wider.append(wider)
                yield wider

    def _cold(self, state: State) -> TestRun | None:
        """Ask a fresh process."""
        self.budget.attempt(state.contents)
        return self.context.tests.try_cold(state.contents, self.open_tests).run


def _place(candidate: Candidate, root: Path) -> str:
    return f"{relative(candidate.site.file, root)}:{candidate.site.span.line}"
