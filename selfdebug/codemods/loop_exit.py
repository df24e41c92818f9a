"""LoopExit: a loop that ends, goes on or returns where it should do another of these."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    assigned_names,
    block_of,
    function_of,
    line_of,
    loop_of,
    may_leave,
    only,
    target_names,
)
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import below, statements
from selfdebug.codemods._style import is_generator, is_procedure

_EXCHANGED = small_edit(
    "exchanged", "break instead of continue, or the reverse", 0.15, "missing-item extra-item empty"
)
_NOT_YET = small_edit("not-yet", "look at the other items before it returns", 0.06)
_RETURNED = small_edit("returned", "return from the loop at once", 0.04)
_STOPPED = small_edit(
    "stopped", "stop at the first item that fits", 0.04, "extra-item duplicate hang"
)
_SKIPPED = small_edit("skipped", "go on with the next item", 0.03, "extra-item")
_CONSTANTS = frozenset(("True", "False", "None", "0", "-1", '""', "''", "[]"))


class LoopExit(FirstOrder):
    """Leave a loop, or a round of it, another way: break, continue or return."""

    DESCRIPTION = "Leave a loop, or a round of it, another way."
    NAME = "loop-exit"
    VARIANTS = (_EXCHANGED, _NOT_YET, _RETURNED, _STOPPED, _SKIPPED)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield other exits for one that is there, and one where a branch has none."""
        node = place.node
        loop = loop_of(place.tree, node) if node is place.statement else None
        if loop is None:
            return
        if isinstance(node, cst.Break | cst.Continue | cst.Pass | cst.Return):
            yield from _exchanged(place, node)
        elif isinstance(node, cst.BaseSmallStatement) and not isinstance(node, cst.Raise):
            yield from _added(place, node)


def _exchanged(place: Place, node: cst.BaseSmallStatement) -> Iterator[Form]:
    match node:
        case cst.Break():
            yield _EXCHANGED, _becomes(node, cst.Continue()), "the items after it were left out"
            for value in _results(place):
                made = cst.Return(cst.parse_expression(value))
                yield _RETURNED, _becomes(node, made), f"`{value}` is the result then"
        case cst.Continue():
            yield _EXCHANGED, _becomes(node, cst.Break()), "the items after it were looked at"
        case cst.Pass():
            yield _EXCHANGED, _becomes(node, cst.Continue()), "the rest was done nevertheless"
            yield _EXCHANGED, _becomes(node, cst.Break()), "the loop went on nevertheless"
        case cst.Return(value=None):
            yield _NOT_YET, _becomes(node, cst.Continue()), "it returned at the first such item"
        case cst.Return(value=value) if value and place.code(value) in _CONSTANTS:
            yield _NOT_YET, _becomes(node, cst.Continue()), "it returned at the first such item"
            yield _NOT_YET, _becomes(node, cst.Break()), "it returned before what is after the loop"


def _becomes(node: cst.BaseSmallStatement, new: cst.BaseSmallStatement) -> Change:
    return {node: lambda updated: new.with_changes(semicolon=updated.semicolon)}


def _results(place: Place) -> Iterator[str]:
    """Yield what a function may return from within its loop: the item, or a variable set before."""
    function, loop = function_of(place.tree, place.node), loop_of(place.tree, place.node)
    if function is None or is_generator(function) or is_procedure(function):
        return
    items = target_names(loop.target) if isinstance(loop, cst.For) else ()
    block = next(up for up in place.tree.ancestors(place.node) if isinstance(up, cst.IndentedBlock))
    yield from dict.fromkeys((*sorted(assigned_names(block)), *items))


def _added(place: Place, node: cst.BaseSmallStatement) -> Iterator[Form]:
    """Yield an exit under the last statement of a branch."""
    tree = place.tree
    line = line_of(tree, node)
    if line is None:
        return
    block = block_of(tree, line)
    branch = tree.parents[block]
    branch = tree.parents[branch] if isinstance(branch, cst.Else) else branch
    if only(block.body[-1]) is not node or not isinstance(branch, cst.If) or may_leave(node):
        return
    yield _STOPPED, below(tree, node, statements(tree, "break\n", node)), "the loop went on"
    if not _ends_round(place, branch):
        change = below(tree, node, statements(tree, "continue\n", node))
        yield _SKIPPED, change, "the rest was done for this item too"


def _ends_round(place: Place, branch: cst.If) -> bool:
    """Say whether nothing is done after a branch in the same round."""
    child: cst.CSTNode = branch
    for up in place.tree.ancestors(branch):
        if isinstance(up, cst.For | cst.While):
            return True
        if isinstance(up, cst.IndentedBlock) and up.body[-1] is not child:
            return False
        child = up
    return True


LoopExit.EXAMPLES = examples(
    """
exchanged: one bad line does not end the file
    def parsed(lines):
        found = []
        for line in lines:
            if line.startswith("#"):
                «break»  # a comment
            found.append(line.split("="))
        return found
AssertionError: assert [] == [['a', '1']]
    def parsed(lines):
        found = []
        for line in lines:
            if line.startswith("#"):
                continue  # a comment
            found.append(line.split("="))
        return found

exchanged: what was only passed over
    def total(rows):
        amount = 0
        for row in rows:
            if row.cancelled:
                «pass»
            amount += row.price
        return amount
AssertionError: assert 7 == 5
    def total(rows):
        amount = 0
        for row in rows:
            if row.cancelled:
                continue
            amount += row.price
        return amount

not-yet: the answer is known only after all items
    def has_free(seats):
        for seat in seats:
            if seat.taken:
                «return False»
            return True
        return False
AssertionError: assert False is True
    def has_free(seats):
        for seat in seats:
            if seat.taken:
                continue
            return True
        return False

returned: the loop around goes on
    def find(grid, wanted):
        place = None
        for row in grid:
            for cell in row:
                if cell == wanted:
                    place = (row, cell)
                    «break»
        return place
AssertionError: assert (2, 1) == (1, 1)
    def find(grid, wanted):
        place = None
        for row in grid:
            for cell in row:
                if cell == wanted:
                    place = (row, cell)
                    return place
        return place

stopped: the first that fits, not the last
    def first_free(rooms):
        found = None
        for room in rooms:
            if room.free:
                «found = room»
        return found
AssertionError: assert 'B' == 'A'
    def first_free(rooms):
        found = None
        for room in rooms:
            if room.free:
                found = room
                break
        return found

skipped: one item is not counted twice
    def sizes(values):
        small = other = 0
        for value in values:
            if value < 5:
                «small += 1»
            other += 1
        return small, other
AssertionError: assert (1, 2) == (1, 1)
    def sizes(values):
        small = other = 0
        for value in values:
            if value < 5:
                small += 1
                continue
            other += 1
        return small, other

not any: no loop is around it
    def total(rows):
        «return 0»
AssertionError: assert 0 == 2

not skipped: nothing is done after the branch
    def count(values):
        small = 0
        for value in values:
            if value < 5:
                «small += 1»
        return small
AssertionError: assert 1 == 2

not any: a result that only this item gives
    def find(rows, key):
        for row in rows:
            if row.key == key:
                «return row»
AssertionError: assert 1 == 2

not any: the loop is over
    def total(rows):
        for row in rows:
            print(row)
        «return row»
AssertionError: assert 1 == 2

not any: it fails in any case
    def check(rows):
        for row in rows:
            if not row:
                «raise ValueError(row)»
ValueError: []

not any: not the last of its branch
    def count(values):
        small = 0
        for value in values:
            if value < 5:
                «small += 1»
                print(value)
        return small
AssertionError: assert 1 == 2

not returned: a generator returns nothing
    def find(rows, key):
        for row in rows:
            if row.key == key:
                «break»
            yield row
AssertionError: assert [1] == [2]

not any: the loop of another function
    def shown(rows):
        for row in rows:
            def show(text):
                «text += "!"»
                return text
            print(show(row))
AssertionError: assert 1 == 2
"""
)
