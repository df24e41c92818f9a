"""Whether a patch holds: a fresh pytest process over the whole suite says so."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from selfdebug.model import Alternative, Candidate, Edit, Judgement, TestRun, Verdict
from selfdebug.planning.search import Part, State
from selfdebug.planning.trust import difference
from selfdebug.reporting.diff import line_of
from selfdebug.steps.context import Context
from selfdebug.steps.observe import Observation
from selfdebug.steps.plausible import PatchSearch
from selfdebug.validation.judge import failed, judge
from selfdebug.validation.overlay import OverlayUnusable
from selfdebug.workspace.errors import Changed, Refused
from selfdebug.workspace.session import Run

_RIVALS = 6  # compared with a patch that is kept
_PATIENCE = 5  # seconds that the tests may take for that


@dataclass
class Proof:
    """Proofs of patches, and what they showed.

    ``after`` is the run under the patch that holds; ``alternatives`` are, for the number of a candidate
    of it, the others that the open tests accept in its place; ``untried`` those for which there was no
    time. ``files`` were written, be it for a moment.
    """

    context: Context
    run: Run
    seen: Observation
    search: PatchSearch
    after: TestRun | None = None
    alternatives: dict[int, tuple[Alternative, ...]] = field(default_factory=dict)
    untried: tuple[Candidate, ...] = ()
    files: set[Path] = field(default_factory=set)

    def holds(self, patch: State) -> bool:
        """Say whether a patch holds; it is then in place, unless the run is a dry one.

        Once one broke other tests, the next ones are first tried on those that they may break.
        """
        self.context.clock.enter("verification")
        verdict = self._verdict_on(patch)
        self.context.clock.enter("search")
        if verdict is None:
            return False
        if verdict.judgement is Judgement.BREAKS:
            self.context.tests.remember_broken(failed(verdict.run) - self.seen.open_tests)
        if verdict.judgement is not Judgement.PLAUSIBLE:
            return False
        self.after = verdict.run
        if verdict.run.exit_code:
            self.context.notes.append(verdict.why)
        return True

    def _verdict_on(self, patch: State) -> Verdict | None:
        """Return what the proof says; None where it need not or cannot be made."""
        tests, before = self.context.tests, self.context.originals.of(patch.contents)
        if broken := tests.breaks(before, patch.contents):
            self.search.reject(patch, f"{broken} passed before")
            return None
        self.search.budget.attempt(patch.contents)
        # What differs is told by the files as they are now: the patch is about to be written.
        self.alternatives, self.untried = {}, ()
        for part in patch.parts or (Part(patch, range(len(patch.patch))),):
            self._look_at_rivals(part.state, part.numbers[-1])
        prove = self._off_tree if self.context.settings.dry_run else self._in_place
        try:
            return prove(patch, before)
        except OverlayUnusable as error:
            self.search.reject(patch, f"cannot be proved: {error}")
            return None

    def _look_at_rivals(self, patch: State, number: int) -> None:
        """Compare what the tests would have accepted in the place of a patch's last candidate.

        That is the candidate with this number of all that are made.
        """
        rivals = [*islice(self.search.rivals(patch), _RIVALS)]
        looked_at = len(rivals)
        if not patch.patch[-1].site.suspicion:  # what small edits answer is known already
            looked_at = max(self.context.tests.repeats(_PATIENCE) - 1, 0)
        self.alternatives[number] = tuple(self._compared(patch, rivals[:looked_at]))
        self.untried += tuple(each.patch[-1] for each in rivals[looked_at:])

    def _compared(self, patch: State, rivals: Sequence[State]) -> Iterator[Alternative]:
        """Yield the other candidates that the tests would have accepted, and what tells them apart."""
        own: Mapping[str, str] | None = None
        for rival in rivals:
            other = self._behaviour(rival)
            if other is None:
                continue
            if own is None:
                own = self._behaviour(patch) or {}
            yield Alternative(
                rival.patch[-1],
                difference(own, other),
                not own.keys().isdisjoint(other),
                self._becomes(rival, patch.base),
            )

    def _becomes(self, rival: State, base: State | None) -> str:
        """Return the lines that the last candidate of a state writes."""
        before = {**self.context.originals.of(rival.contents), **(base.contents if base else {})}
        return " ".join(line_of(edit, before[edit.file]) for edit in rival.patch[-1].edits)

    def _behaviour(self, patch: State) -> Mapping[str, str] | None:
        """Return what a patch answers to calls that its tests make; None where one does not pass."""
        if patch.patch[-1].site.suspicion:
            return self.search.behaviour(patch)
        contents = {**self.context.originals, **patch.contents}
        return self.context.tests.behaviour(contents, self.seen.open_tests)

    def _off_tree(self, patch: State, _before: Mapping[Path, bytes]) -> Verdict:
        """Judge a patch without writing it. Raises OverlayUnusable."""
        prove = partial(self.context.tests.prove_off_tree, contents=patch.contents)
        after = prove("proving it with the whole suite, off the tree")
        again = partial(prove, "running again what failed")
        verdict = self._judged(after, lambda tests: again(tests=self._with_open(tests)), {})
        if verdict.judgement is not Judgement.PLAUSIBLE:
            self.search.reject(patch, verdict.why)
        return verdict

    def _in_place(self, patch: State, before: Mapping[Path, bytes]) -> Verdict | None:
        """Write a patch and judge it; it is taken back where it does not hold."""
        try:
            applied = self.run.apply(
                [Edit(path, 0, len(old), old, patch.contents[path]) for path, old in before.items()]
            )
        except (Refused, Changed) as error:
            self.search.refused = str(error)
            self.search.reject(patch, f"PATCH-REJECTED: {error}")
            return None
        self.files.update(before)
        prove = self.context.tests.prove
        after = prove("proving it with the whole suite, in place", changed=before)
        verdict = self._judged(after, partial(prove, "running again what failed"), before)
        if verdict.judgement is not Judgement.PLAUSIBLE:
            self.search.reject(patch, verdict.why)
            self.run.revert(applied)
            self.run.reject(applied, verdict.why)
        return verdict

    def _with_open(self, tests: Collection[str]) -> Collection[str]:
        """Return tests with the open ones: that these import the patched files is sure."""
        return {*tests, *self.seen.open_tests}

    def _judged(
        self,
        after: TestRun,
        again: Callable[[Collection[str]], TestRun],
        unpatched: Mapping[Path, bytes],
    ) -> Verdict:
        """Return what a run under a patch says of it; ``unpatched`` takes the patch off again."""
        assert self.seen.before is not None

        def without(tests: Collection[str]) -> TestRun:
            step = "running it without the patch"
            try:
                return self.context.tests.prove_off_tree(step, unpatched, self._with_open(tests))
            except OverlayUnusable:
                # Nothing excuses the patch then: without it the tests do not even get to the code.
                return TestRun(0, (), {}, 0.0)

        return judge(after, self.seen.open_tests, self.seen.before.outcomes, again, without)
