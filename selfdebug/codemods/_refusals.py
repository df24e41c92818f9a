"""Statements that leave above another one, where what that works on is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from selfdebug.codemods._blocks import assigned_names, block_of, lines_of, reads
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import Place
from selfdebug.codemods._guards import Doubt, names_in
from selfdebug.codemods._insert import Line, above, statements
from selfdebug.codemods._style import quoted


def is_first_use(place: Place, line: Line, doubt: Doubt) -> bool:
    """Say whether no line above in the block reads what is asked about, in the value it has here."""
    lines = lines_of(block_of(place.tree, line))
    names = doubt.names - {"self", "len"}
    if doubt.kind == "seen":
        # The item is kept below, or the container is filled elsewhere.
        names = names_in(doubt.about)
    for each in reversed(lines[: next(n for n, other in enumerate(lines) if other is line)]):
        if not assigned_names(each).isdisjoint(names):
            return True
        if not reads(each).isdisjoint(names):
            return False
    return True


def left_above(place: Place, test: str, exit_: str) -> Change:
    """Return the change that leaves above a statement where a test holds."""
    lines = statements(place.tree, f"if {test}:\n    {exit_}\n", place.node)
    return above(place.tree, place.node, lines)


def refusals(place: Place, found: list[Doubt], name: str) -> Iterator[tuple[Doubt, Change]]:
    """Yield the changes that raise an exception above a statement where something is wrong."""
    for doubt in found:
        if doubt.kind in _REFUSED:
            yield doubt, left_above(place, doubt.wrong, f"raise {name}({_words(place, doubt)})")


_REFUSED = frozenset(("missing", "bound", "donor", "seen", "pair"))


def _words(place: Place, doubt: Doubt) -> str:
    about = describe(doubt.about)
    faults = {"missing": "is missing", "seen": "is there already", "pair": "does not fit"}
    fault = faults.get(doubt.kind, "is out of range")
    literal = f'"{about} {fault}"'
    return quoted(place.tree, place.node, literal) or literal


def describe(spelling: str) -> str:
    """Return in words what a variable, or an attribute, is called."""
    return spelling.rpartition(".")[2].strip("_").replace("_", " ")
