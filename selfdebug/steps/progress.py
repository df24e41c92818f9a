"""How far a run of the loop has come, and how it ends from there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from selfdebug.model import FinalStatus, Healing
from selfdebug.reporting.summary import summary
from selfdebug.steps import report
from selfdebug.steps.context import Context
from selfdebug.steps.observe import Observation
from selfdebug.workspace.session import Run

if TYPE_CHECKING:
    from selfdebug.planning.search import State
    from selfdebug.steps.plausible import PatchSearch
    from selfdebug.steps.prove import Proof


@dataclass(frozen=True)
class Progress:
    """What a run knows so far: ``run`` is None before the tree is locked."""

    context: Context
    seen: Observation
    run: Run | None

    def report(self, status: FinalStatus, exit_code: int, message: str) -> Healing:
        """Return the report of a run that ends here, without a patch that is kept."""
        return report.outline(self.context, self.seen, self.run, (status, exit_code, message))


@dataclass(frozen=True)
class Searching(Progress):
    """A run that knows what fails, and looks for a patch that heals it."""

    run: Run
    search: PatchSearch
    proof: Proof

    def plausible(self) -> Iterator[State]:
        """Yield patches under which the open tests passed, without a write to the project."""
        yield from self.search.plausible()

    def holds(self, patch: State) -> bool:
        """Say whether a fresh pytest process over the whole suite accepts a patch, which then stays."""
        return self.proof.holds(patch)

    def report(self, status: FinalStatus, exit_code: int, message: str) -> Healing:
        """Return the report of a run that ends here, without a patch that is kept."""
        healing = super().report(status, exit_code, message)
        return report.proved(report.searched(healing, self.search), self.proof)


def begin_search(context: Context, seen: Observation, run: Run) -> Searching:
    """Go on to the search. What it needs was imported while pytest was at work."""
    from selfdebug.steps.plausible import PatchSearch
    from selfdebug.steps.prove import Proof

    def may_edit(paths: Iterable[Path]) -> None:
        if not context.settings.dry_run:
            run.prepare(paths)

    search = PatchSearch(context, seen, may_edit)
    return Searching(context, seen, run, search, Proof(context, run, seen, search))


def keep(at: Searching, patch: State) -> Healing:
    """End with a patch that holds in place; a dry run wrote none."""
    at.context.tests.retire()
    settings = at.context.settings
    if settings.dry_run:
        message, close = "a verified patch was found; nothing was written", at.run.record
    else:
        message, close = _healed(at), at.run.keep
    healing = at.report("pass", 0, message)
    healing = report.healed(healing, patch, at.proof, at.context, at.seen.project)
    if settings.siblings and not at.search.is_wider(patch):
        healing = report.alone(healing)
    close(summary(healing))
    return healing


def _healed(at: Searching) -> str:
    """Say which tests pass: others of the suite may fail, as they did before."""
    after = at.proof.after
    return "the tests to heal pass again" if after and after.exit_code else "the tests pass again"


def give_up(at: Searching) -> Healing:
    """End with everything as it was, and say why."""
    from selfdebug.steps.ending import advice, unhealed

    at.run.rollback()
    written = at.run.state == "rolled-back"
    undone = "what was written is taken back" if written else "nothing was written"
    ending = unhealed(at.context.settings, at.seen, at.search, undone)
    at.context.notes.extend(each for each in advice(at.seen, at.search) if each not in ending)
    healing = at.report(*ending)
    at.run.record(summary(healing))
    return healing


def interrupted(at: Progress) -> Healing:
    """End as the user wishes; to call when the run is closed."""
    edited = {
        "rolled-back": "what was edited is rolled back",
        "kept": "the patch was kept already",
    }
    state = at.run.state if at.run else None
    return at.report("interrupted", 130, edited.get(state or "", "nothing was edited"))
