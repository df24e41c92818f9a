"""ShadowedName: an inner loop counts in the variable of the outer one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import function_of, loops_of, nodes_of, reads, target_names
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, is_read, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._names import identifiers

_ALL = small_edit("all", "let the inner loop have a variable of its own", 0.4)
_INNER = small_edit("inner", "use a variable of its own for the inner index", 0.4)
_LETTERS = {"i": "j", "j": "k", "x": "y", "r": "c", "n": "m", "a": "b", "row": "column"}


class ShadowedName(FirstOrder):
    """Give the variable of an inner loop a name of its own where it hides that of an outer loop."""

    DESCRIPTION = "Give an inner loop a variable of its own."
    NAME = "shadowed-name"
    VARIANTS = (_ALL, _INNER)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the inner loop with another variable, read everywhere in it or as last index only."""
        match place.node:
            case cst.For(target=cst.Name(value=name) as target) as loop if (
                loop is place.statement and name in _outer(place)
            ):
                new = _fresh(place, loop, name)
                why = f"the loop around it counts in `{name}`, too"
                inside = [
                    each
                    for each in nodes_of(loop.body)
                    if isinstance(each, cst.Name)
                    and each.value == name
                    and is_read(place.tree, each)
                ]
                if inside and new:
                    yield _ALL, _renamed([target, *inside], new), why
                last = [each for each in inside if _is_last_index(place, each, name)]
                if last and len(last) < len(inside) and new:
                    yield _INNER, _renamed([target, *last], new), why


def _outer(place: Place) -> set[str]:
    """Return the variables of the loops around one."""
    around = [each for each in loops_of(place.tree, place.node) if isinstance(each, cst.For)]
    return {name for each in around for name in target_names(each.target)}


def _fresh(place: Place, loop: cst.For, name: str) -> str:
    """Return a name for the items of a loop that its function does not use; "" without one."""
    function = function_of(place.tree, loop)
    taken = {*identifiers(function)} if function is not None else {*place.names}
    items = [each for each in sorted(reads(loop.iter)) if each.endswith("s") and each != name]
    suggested = [_LETTERS.get(name, ""), *(each[:-1] for each in items), "item", "other", "inner"]
    return next((each for each in suggested if each and each not in taken), "")


def _renamed(nodes: list[cst.Name], name: str) -> Change:
    make: Callable[[Any], cst.CSTNode] = lambda old: old.with_changes(value=name)  # noqa: E731
    return dict.fromkeys(nodes, make)


def _is_last_index(place: Place, node: cst.Name, name: str) -> bool:
    """Say whether a name is the second of two indexes of that name: ``rows[i][i]``."""
    parent = place.tree.parents[node]
    element = place.tree.parents[parent] if isinstance(parent, cst.Index) else None
    whole = place.tree.parents[element] if isinstance(element, cst.SubscriptElement) else None
    if not isinstance(whole, cst.Subscript):
        return False
    if len(whole.slice) > 1:
        return element is whole.slice[-1]
    return isinstance(whole.value, cst.Subscript) and name in reads(whole.value)


ShadowedName.EXAMPLES = examples(
    """
inner: rows and columns
    def total(rows):
        found = 0
        for i in range(len(rows)):
            «for i in range(len(rows[0])):
                found += rows[i][i]»
        return found
AssertionError: assert 8 == 10
    def total(rows):
        found = 0
        for i in range(len(rows)):
            for j in range(len(rows[0])):
                found += rows[i][j]
        return found

all: the cells of each row
    def shown(rows):
        for row in rows:
            cells = []
            «for row in row:  # from the left
                cells.append(str(row))»
            yield len(row), cells
TypeError: object of type 'int' has no len()
    def shown(rows):
        for row in rows:
            cells = []
            for column in row:  # from the left
                cells.append(str(column))
            yield len(row), cells

not any: the loops have variables of their own
    def total(rows):
        for row in rows:
            «for cell in row:
                yield cell»
AssertionError: assert 8 == 10

not any: one loop after the other
    def total(rows):
        for row in rows:
            yield row
        «for row in rows:
            yield row»
AssertionError: assert 8 == 10

not inner: it is no index
    def total(rows):
        for i in rows:
            «for i in i:
                yield i»
AssertionError: assert 8 == 10
"""
)
