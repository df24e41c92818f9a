"""Patches of failures that have nothing in common, made together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from selfdebug.model import Candidate, Edit


class Overlap(Exception):
    """Two patches edit the same place."""


def after(patch: Sequence[Candidate], other: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield the candidates of a patch with their edits where they belong once another one is made.

    Both were worked out on the same files, each of their candidates on what the ones before it made of
    them. Raises Overlap.
    """
    others = tuple(other)
    for candidate in patch:
        passed = []
        moved = candidate
        for each in others:
            passed.append(_moved(each, moved))
            moved = _moved(moved, each)
        others = tuple(passed)
        if moved.edits:
            yield moved


def _moved(candidate: Candidate, other: Candidate) -> Candidate:
    """Return a candidate as it is once another one is made, without the edits that both make."""
    edits = (_past(edit, other.edits) for edit in candidate.edits if edit not in other.edits)
    return replace(candidate, edits=tuple(edits))


def _past(edit: Edit, others: Sequence[Edit]) -> Edit:
    """Return an edit of a file of which other ones were made before. Raises Overlap."""
    growth = 0
    for other in others:
        if other.file != edit.file:
            continue
        if other.end <= edit.start:
            growth += len(other.after) - len(other.before)
        elif other.start < edit.end:
            raise Overlap
    return replace(edit, start=edit.start + growth, end=edit.end + growth)
