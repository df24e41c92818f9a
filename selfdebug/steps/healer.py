"""One run of the loop, and what it has come to know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from selfdebug.model import FinalStatus, Healing
from selfdebug.reporting.summary import summary
from selfdebug.steps import report
from selfdebug.steps.context import Context
from selfdebug.steps.observe import Observation, read, see_twice
from selfdebug.syntax.project import Project
from selfdebug.workspace.session import Run

if TYPE_CHECKING:
    from selfdebug.planning.search import State
    from selfdebug.steps.plausible import PatchSearch
    from selfdebug.steps.prove import Proof


class Healer:
    """One run of the loop. Its steps are called in the order in which they stand here.

    What comes after the first run of the tests is imported then, while pytest is at work.
    """

    def __init__(self, context: Context):
        self.context = context
        self.seen = Observation(Project(context.settings.root))
        self.run: Run | None = None
        self.search: PatchSearch | None = None
        self.proof: Proof | None = None

    @contextmanager
    def started(self, run: Run) -> Iterator[None]:
        """Hold the run, and what runs the tests."""
        self.run = run
        with self.context.started(self.context.settings.executor):
            yield

    def observe(self, log: BinaryIO | None) -> None:
        """Learn which failures there are to heal. Raises Ended where there are none."""
        if log is not None:
            self.seen = read(log, self.context)
        self.seen = see_twice(self.context, self.seen)

    def plausible(self) -> Iterator[State]:
        """Yield patches under which the open tests passed, without a write to the project."""
        from selfdebug.steps.plausible import PatchSearch
        from selfdebug.steps.prove import Proof

        assert self.run is not None
        self.search = PatchSearch(self.context, self.seen, self._may_edit)
        self.proof = Proof(self.context, self.run, self.seen, self.search)
        yield from self.search.plausible()

    def _may_edit(self, paths: Iterable[Path]) -> None:
        assert self.run is not None
        if not self.context.settings.dry_run:
            self.run.expect(paths)

    def prove(self, patch: State) -> bool:
        """Say whether a patch holds: in place, in a fresh pytest process over the whole suite."""
        assert self.proof is not None
        return self.proof.holds(patch)

    def keep(self, patch: State) -> Healing:
        """End with the patch in place."""
        assert self.run is not None
        self.context.tests.retire()
        dry = self.context.settings.dry_run
        done = "a verified patch was found; nothing was written" if dry else "the tests pass again"
        healing = self.end("pass", 0, done)
        untried = self.proof.untried if self.proof else ()
        healing = report.healed(healing, patch, self.context, self.seen.project, untried)
        if self.context.settings.siblings and self.search and not self.search.is_wider(patch):
            healing = report.alone(healing)
        (self.run.record if dry else self.run.keep)(summary(healing))
        return healing

    def give_up(self) -> Healing:
        """End with everything as it was, and say why."""
        from selfdebug.steps.ending import advice, unhealed

        assert self.run is not None
        assert self.search is not None
        self.run.rollback()
        written = self.run.state == "rolled-back"
        undone = "what was written is taken back" if written else "nothing was written"
        ending = unhealed(self.context.settings, self.seen, self.search, undone)
        self.context.notes.extend(
            each for each in advice(self.seen, self.search) if each not in ending
        )
        healing = self.end(*ending)
        self.run.record(summary(healing))
        return healing

    def interrupted(self) -> Healing:
        """End as the user wishes; to call when the run is closed."""
        state = self.run.state if self.run else None
        edited = {
            "rolled-back": "what was edited is rolled back",
            "kept": "the patch was kept already",
        }
        what = edited.get(state or "", "nothing was edited")
        return self.end("interrupted", 130, f"interrupted; {what}")

    def end(self, status: FinalStatus, exit_code: int, message: str) -> Healing:
        """Return the report of the run as far as it came, without a patch that is kept."""
        healing = report.begun(self.context, self.seen, self.run, (status, exit_code, message))
        if self.search is not None:
            healing = report.searched(healing, self.search)
        return healing if self.proof is None else report.proved(healing, self.proof)
