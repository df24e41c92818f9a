"""The report of a run, as far as the run came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from selfdebug.model import Candidate, FinalStatus, Healing, Patch, Recovery, SearchEnd
from selfdebug.reporting.diff import unified
from selfdebug.reporting.text import relative
from selfdebug.steps.context import Context, Originals
from selfdebug.steps.observe import Observation
from selfdebug.workspace.session import Run

if TYPE_CHECKING:
    from selfdebug.codemods._listing import Template
    from selfdebug.planning.search import State
    from selfdebug.steps.plausible import PatchSearch
    from selfdebug.steps.prove import Proof
    from selfdebug.syntax.project import Project

_SIBLINGS = 20  # told of


def outline(
    context: Context,
    seen: Observation,
    run: Run | None,
    ending: tuple[FinalStatus, int, str],
) -> Healing:
    """Return what is known of every run."""
    status, exit_code, message = ending
    settings, before = context.settings, seen.before
    undone = bool(exit_code and run and run.state == "rolled-back")
    conflicts = run.conflicts if run else ()
    return Healing(
        run_id=run.run_id if run else "",
        root=settings.root,
        exit_code=exit_code,
        final_status=status,
        message=message,
        rollback=exit_code == 128 or undone,
        tracebacks=seen.tracebacks,
        before=before.outcomes if before else {},
        timings=context.clock.read(),
        versions=before.versions if before else {},
        recovery=run.recovery() if run and not settings.dry_run else Recovery(),
        notes=(*context.notes, *(f"left alone: {each}" for each in conflicts)),
        dry_run=settings.dry_run,
        sandbox=context.prepared.sandbox,
    )


def searched(healing: Healing, search: PatchSearch) -> Healing:
    """Add what the search for patches tells."""
    return replace(
        healing,
        attempts=search.budget.attempts,
        tried=search.tries,
        small_edits=search.small_edits_tried,
        pruned=search.pruned,
        branches=search.branches,
        search_end=search.end,
        rejected=tuple(search.rejected),
        suspects=search.suspects,
        probes=tuple(search.proposals.probes),
    )


def proved(healing: Healing, proof: Proof) -> Healing:
    """Add what the proofs of patches tell."""
    return replace(
        healing,
        files_patched=tuple(sorted(relative(path, healing.root) for path in proof.files)),
        alternatives=tuple(chain(*proof.alternatives.values())),
        after=proof.after.outcomes if proof.after else {},
    )


def healed(
    healing: Healing, patch: State, proof: Proof, context: Context, project: Project
) -> Healing:
    """Add the patch that is kept."""
    originals = context.originals
    return replace(
        healing,
        search_end=healing.search_end or "found",
        diff=_diff(patch.contents, originals, healing.root),
        patches=tuple(_trusted(patch, proof, originals, healing.search_end)),
        siblings=tuple(islice(_siblings(patch, project, context.codemods), _SIBLINGS)),
        rejected=tuple(each for each in healing.rejected if each.candidate not in patch.patch),
    )


def _trusted(
    patch: State, proof: Proof, originals: Originals, end: SearchEnd | None
) -> Iterator[Patch]:
    """Yield the candidates of a patch with how far each may be trusted, next to those of its part."""
    from selfdebug.planning.numbering import as_first_seen
    from selfdebug.planning.search import Part, beside
    from selfdebug.planning.trust import trusted

    every = range(len(patch.patch))
    kept = [*as_first_seen(patch.patch, originals)]
    whole = Part(patch, every)
    for part in patch.parts:  # its places are those of the files without the other parts
        own = as_first_seen(part.state.patch, originals)[-len(part.numbers) :]
        kept[part.numbers.start : part.numbers.stop] = own
    for number in every:
        part = next((each for each in patch.parts if number in each.numbers), whole)
        made = part.state.patch[number - part.numbers.stop]
        yield trusted(
            kept[number],
            proof.alternatives.get(number, ()),
            beside(part.state, made),
            end,
            proof.untried if number == every[-1] else (),
        )


def alone(healing: Healing) -> Healing:
    """Say that the repair was made nowhere else, though that was asked for."""
    why = "no other place with the same pattern was found"
    if healing.siblings:
        why = "it does not hold, or no test executes it, at the other places with the same pattern"
    note = f"--siblings: the repair was made in one place: {why}"
    return replace(healing, notes=(*healing.notes, note))


def _siblings(patch: State, project: Project, codemods: Sequence[Template]) -> Iterator[Candidate]:
    """Yield the same repairs at other places, as far as the patch does not make them."""
    from selfdebug.planning.siblings import siblings

    changed = project.changed(patch.contents)
    every = (other for made in patch.patch for other in siblings(made, changed, codemods))
    yield from {(other.site.file, other.site.span): other for other in every}.values()


def _diff(contents: Mapping[Path, bytes], originals: Originals, root: Path) -> bytes:
    return unified(
        {relative(path, root): (originals[path], after) for path, after in contents.items()}
    )
