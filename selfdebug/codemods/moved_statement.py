"""MovedStatement: a statement a level too deep or too far out, or on the wrong side of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    assigned_names,
    block_of,
    branches,
    depend,
    function_of,
    index_of,
    jump_out,
    line_of,
    lines_of,
    may_leave,
    movable,
    only,
    params_of,
    placed,
    reads,
    simple_statements,
    whole_if,
    with_lines,
    without,
)
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import Line
from selfdebug.syntax.region import Tree

_AFTER = small_edit(
    "after-block",
    "run it once, after the block",
    0.04,
    "missing-item empty factor extra-item duplicate",
)
_BEFORE = small_edit("before-loop", "run it once, before the loop", 0.03, "missing-item")
_INTO = small_edit(
    "into-block", "run it in the block beside it", 0.03, "missing-item extra-item duplicate hang"
)
_BRANCH = small_edit(
    "other-branch", "run it in the branch beside it", 0.1, "missing-item extra-item duplicate empty"
)
_START = small_edit("other-start", "run it first in the branch beside it", 0.03)
_BOTH = small_edit(
    "whichever",
    "run it after the branches, whichever is taken",
    0.15,
    "missing-item off-by-one number factor empty",
)
_SWAPPED = small_edit("swapped", "run it before its neighbour", 0.03, "off-by-one order")
_FARTHER = small_edit("farther", "run it two or three lines away", 0.01)
_FINALLY = small_edit("finally", "run it however the block ends", 0.005, "raises")
_FIXED = (cst.FunctionDef, cst.ClassDef, cst.Import, cst.ImportFrom, cst.Global, cst.Nonlocal)
_OPENED = (cst.If, cst.For, cst.While, cst.With)
_SHOWN = 8
_REACH = 3  # how many lines away a statement may have slipped


class MovedStatement(FirstOrder):
    """Move a statement out of its block, into the one beside it, or past its neighbours."""

    DESCRIPTION = "Move a statement to where it belongs."
    NAME = "moved-statement"
    VARIANTS = (_AFTER, _BEFORE, _INTO, _BRANCH, _BOTH, _START, _SWAPPED, _FARTHER, _FINALLY)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other places that the statement may have."""
        tree, node = place.tree, place.node
        line = line_of(tree, node) if node is place.statement else None
        if line is None or isinstance(node, _FIXED) or _is_text(node):
            return
        lines = lines_of(block_of(tree, line))
        at = next(number for number, each in enumerate(lines) if each is line)
        if not all(isinstance(each, cst.BaseStatement) for each in block_of(tree, line).body):
            return
        if len(lines) > 1 and (moved := movable(lines, at)) is not None:
            yield from _out(tree, line, lines, moved)
            yield from _in(tree, line, lines, moved)
            yield from _past(tree, lines, at, moved)
        if (moved := movable(lines, at)) is not None:
            yield from islice(_across(place, line, lines, moved), _SHOWN)


def _is_text(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Expr) and isinstance(node.value, cst.BaseString | cst.Ellipsis)


def _out(tree: Tree, line: Line, lines: Sequence[Line], moved: Line) -> Iterator[Form]:
    """Yield what takes a line out of its block: the last one after it, the first of a loop before it."""
    block = block_of(tree, line)
    holder = tree.parents[block]
    rest = without(lines, index_of(block, line))
    if line is lines[-1]:
        for outer in _outside(tree, block, farther=_leaves(line)):
            change = _put(tree, block, rest, outer, moved, under=True)
            yield _AFTER, change, "it was done in the block, too early or too often"
        if isinstance(holder, cst.Try) and block is holder.body and not _leaves(line):
            yield _FINALLY, _ended(tree, block, rest, moved), "an exception left it out"
    if line is lines[0] and isinstance(holder, cst.For | cst.While) and block is holder.body:
        outer_line = next(_outside(tree, block), None)
        if outer_line is not None and not may_leave(line):
            change = _put(tree, block, rest, outer_line, moved, under=False)
            yield _BEFORE, change, "it was done anew in every round"


def _leaves(line: Line) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[0], cst.Return)


def _outside(tree: Tree, block: cst.IndentedBlock, farther: bool = False) -> Iterator[Line]:
    """Yield the compound statements around a block that are lines of a block, from the inside out."""
    jumps = jump_out(block.body[-1])
    for up in tree.ancestors(block):
        if isinstance(up, cst.FunctionDef | cst.ClassDef | cst.Module | cst.Match):
            return
        if jumps and isinstance(up, cst.For | cst.While):
            return
        if isinstance(up, cst.BaseCompoundStatement) and line_of(tree, up) is not None:
            yield up
            if not farther:
                return


def _put(
    tree: Tree,
    block: cst.IndentedBlock,
    rest: Sequence[Line],
    outer: Line,
    moved: Line,
    under: bool,
) -> Change:
    """Return the change that takes a line out of a block and puts it under or above one around it."""
    holding = block_of(tree, outer)
    lines = lines_of(holding)
    at = index_of(holding, outer)
    left = outer.deep_replace(block, block.with_changes(body=rest))
    assert isinstance(left, cst.BaseCompoundStatement)
    if under:
        new = [*lines[:at], left, moved, *lines[at + 1 :]]
    else:
        new = placed([*lines[:at], left, *lines[at + 1 :]], at, moved)
    return with_lines(holding, new)


def _ended(
    tree: Tree, block: cst.IndentedBlock, rest: Sequence[Line], moved: Line
) -> Change | None:
    """Return the change that makes the last line of a ``try`` the last that is done in any case."""
    holder = tree.parents[block]
    assert isinstance(holder, cst.Try)
    if holder.finalbody is None:
        end = cst.Finally(cst.IndentedBlock([moved], indent=block.indent))
    elif isinstance(holder.finalbody.body, cst.IndentedBlock):
        own = holder.finalbody.body
        end = holder.finalbody.with_changes(body=own.with_changes(body=[*own.body, moved]))
    else:
        return None
    new = holder.with_changes(body=block.with_changes(body=rest), finalbody=end)
    outer = tree.parents[holder]
    if not isinstance(outer, cst.IndentedBlock):
        return None
    return with_lines(outer, [new if each is holder else each for each in outer.body])


def _in(tree: Tree, line: Line, lines: Sequence[Line], moved: Line) -> Iterator[Form]:
    """Yield what puts a line into the block above it, at its end, or below it, at its beginning."""
    block, at = block_of(tree, line), next(n for n, each in enumerate(lines) if each is line)
    rest = without(lines, at)
    if at:
        for inner in _last_blocks(lines[at - 1]):
            grown = inner.with_changes(body=[*inner.body, moved])
            new = [each.deep_replace(inner, grown) for each in rest]
            if not may_leave(inner.body[-1]) or isinstance(inner.body[-1], cst.If):
                yield _INTO, with_lines(block, new), "it was done once, after the block"
    if at < len(lines) - 1 and not may_leave(line):
        follower = lines[at + 1]
        if isinstance(follower, cst.For | cst.While | cst.If) and depend(line, follower.body):
            body = follower.body
            if isinstance(body, cst.IndentedBlock):
                grown = body.with_changes(body=placed(lines_of(body), 0, moved))
                new = [each.deep_replace(body, grown) for each in rest]
                yield _INTO, with_lines(block, new), "it was done once, before the block"


def _across(place: Place, line: Line, lines: Sequence[Line], moved: Line) -> Iterator[Form]:
    """Yield what takes a line to another branch of its ``if``, above all of them, or one to its own.

    A test that goes through this branch only tells that something is missing in it.
    """
    tree, block = place.tree, block_of(place.tree, line)
    top = whole_if(tree, block)
    outer = line_of(tree, top) if top is not None else None
    if top is None or outer is None:
        return
    others = [each.body for each in branches(top) if each.body is not block]
    for other in (each for each in others if isinstance(each, cst.IndentedBlock)):
        yield from _between(place, top, line, other)
        if line is lines[-1]:
            yield from _behind_all(place, outer, lines_of(other))
        found = lines_of(other)
        if line is lines[-1] and len(found) > 1:
            for each in (found[-1], found[0]):
                yield from _between(place, top, each, block)
    first = line is lines[0] and len(lines) > 1
    if first and not may_leave(line) and depend(line, top.test):
        change = _put(tree, block, without(lines, 0), outer, moved, under=False)
        yield _START, change, "it was done in one branch only"


def _behind_all(place: Place, outer: Line, others: Sequence[Line]) -> Iterator[Form]:
    """Yield what takes the last line of another branch out of it, under all branches."""
    moved = movable(others, len(others) - 1) if len(others) > 1 else None
    last = others[-1]
    if moved is None or may_leave(last) or isinstance(only(last), _FIXED):
        return
    made = {name for each in others[:-1] for name in assigned_names(each)} & reads(last)
    if not made:
        block, rest = block_of(place.tree, last), without(others, len(others) - 1)
        change = _put(place.tree, block, rest, outer, moved, under=True)
        yield _BOTH, change, "it was done in one branch only"


def _between(place: Place, top: cst.If, line: Line, other: cst.IndentedBlock) -> Iterator[Form]:
    """Yield what puts a line of one branch of an ``if`` at an end of another."""
    block = block_of(place.tree, line)
    lines, at = lines_of(block), index_of(block, line)
    made = {name for each in lines[:at] for name in assigned_names(each)} & reads(line)
    moved = movable(lines, at) if len(lines) > 1 else None
    if moved is None or may_leave(line) or isinstance(only(line), _FIXED):
        return
    if not made <= assigned_names(other) | _set_above(place, top):
        return
    left, others = with_lines(block, without(lines, at)), lines_of(other)
    why = "it was done where the test says otherwise"
    end = len(others) - (isinstance(others[-1], cst.SimpleStatementLine) and may_leave(others[-1]))
    yield _BRANCH, {**left, **with_lines(other, placed(others, end, moved))}, why
    if end and any(depend(line, each) for each in others):
        yield _START, {**left, **with_lines(other, placed(others, 0, moved))}, why


def _set_above(place: Place, top: cst.If) -> set[str]:
    """Return the names that have a value above an ``if``, whichever branch is taken."""
    function = function_of(place.tree, top)
    if function is None:
        return {*place.names}
    line = place.tree.span(top).line
    every = (each for each in simple_statements(function.body))
    above = (each for each in every if place.tree.span(each).line < line)
    given = {each.name.value for each in params_of(function)}
    return given.union(*map(assigned_names, above))


def _last_blocks(line: Line) -> Iterator[cst.IndentedBlock]:
    """Yield the block of a statement, and the one with which that ends."""
    while isinstance(line, _OPENED) and isinstance(line.body, cst.IndentedBlock):
        if isinstance(line, cst.If) and line.orelse is not None:
            if isinstance(line.orelse, cst.Else) and isinstance(
                line.orelse.body, cst.IndentedBlock
            ):
                yield line.orelse.body
            return
        yield line.body
        last = line.body.body[-1]
        if not isinstance(last, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            return
        line = last


def _past(tree: Tree, lines: Sequence[Line], at: int, moved: Line) -> Iterator[Form]:
    """Yield what moves a line up or down past lines that it matters to pass."""
    block = block_of(tree, lines[at])
    rest = without(lines, at)
    for step in range(1, _REACH + 1):
        for to in (at - step, at + step):
            if not 0 <= to < len(lines) or not _matters(lines, at, to):
                continue
            if to > at and isinstance(lines[at], cst.SimpleStatementLine) and _leaves(lines[at]):
                continue
            variant = _SWAPPED if step == 1 else _FARTHER
            why = "it came too late" if to < at else "it came too early"
            yield variant, with_lines(block, placed(rest, to, moved)), why


def _matters(lines: Sequence[Line], at: int, to: int) -> bool:
    """Say whether a line does something else before or after the line that stands at its new place."""
    other = lines[to]
    if isinstance(other, cst.FunctionDef | cst.ClassDef) or (to == 0 and _is_docstring(other)):
        return False
    if isinstance(lines[at], cst.SimpleStatementLine) and _leaves(lines[at]):
        return to < at and isinstance(other, cst.BaseCompoundStatement)
    if isinstance(other, cst.SimpleStatementLine) and may_leave(other):
        return False
    return depend(lines[at], other) or may_leave(other)


def _is_docstring(line: Line) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and _is_text(line.body[0])


MovedStatement.EXAMPLES = examples(
    """
whichever: every ballot was cast
    class Count:
        def read(self, ballot):
            if ballot.valid:
                «self.valid.append(ballot)»
            else:
                self.invalid += 1
                self.cast += 1  # all
AssertionError: assert 1 == 2
    class Count:
        def read(self, ballot):
            if ballot.valid:
                self.valid.append(ballot)
            else:
                self.invalid += 1
            self.cast += 1  # all

not whichever: the other branch works it out
    class Count:
        def read(self, ballot):
            if ballot.valid:
                «self.valid.append(ballot)»
            else:
                found = ballot.marks
                self.cast += found
AssertionError: assert 1 == 2

after-block: the result is returned after all rounds
    def total(prices):
        amount = 0
        for price in prices:
            amount += price
            «return amount»
AssertionError: assert 3 == 12
    def total(prices):
        amount = 0
        for price in prices:
            amount += price
        return amount

after-block: what is left over is kept after the last round
    def chunks(items, size):
        found, part = [], []
        for item in items:
            part.append(item)
            if len(part) == size:
                found.append(part)
                # The rest.
                «part = []»
        return found
AssertionError: assert [[1, 2], [3]] == [[1, 2], [3, 4]]
    def chunks(items, size):
        found, part = [], []
        for item in items:
            part.append(item)
            if len(part) == size:
                found.append(part)
            # The rest.
            part = []
        return found

before-loop: a counter that begins anew in each round
    def longest(words):
        for word in words:
            «best = ""»
            if len(word) > len(best):
                best = word
        return best
AssertionError: assert 'a' == 'abc'
    def longest(words):
        best = ""
        for word in words:
            if len(word) > len(best):
                best = word
        return best

into-block: a list that all rounds share
    def table(rows, columns):
        made = []
        «row = []»
        for _ in range(rows):
            for _ in range(columns):
                row.append(0)
            made.append(row)
        return made
AssertionError: assert [[0, 0, 0, 0]] == [[0, 0]]
    def table(rows, columns):
        made = []
        for _ in range(rows):
            row = []
            for _ in range(columns):
                row.append(0)
            made.append(row)
        return made

into-block: a step that is taken only once
    def halvings(number):
        count = 0
        while number > 1:
            number //= 2
        «count += 1»  # one more
        return count
AssertionError: assert 1 == 3
    def halvings(number):
        count = 0
        while number > 1:
            number //= 2
            count += 1  # one more
        return count

swapped: a value is used before its update
    def balances(start, payments):
        found = []
        for payment in payments:
            found.append(start)
            «start += payment»
        return found
AssertionError: assert [0, 5] == [5, 8]
    def balances(start, payments):
        found = []
        for payment in payments:
            start += payment
            found.append(start)
        return found

finally: a depth that is restored after an exception
    def visit(self, node):
        self.depth += 1
        try:
            self.check(node)
            «self.depth -= 1»
        except ValueError:
            self.bad.append(node)
AssertionError: assert 1 == 0
    def visit(self, node):
        self.depth += 1
        try:
            self.check(node)
        except ValueError:
            self.bad.append(node)
        finally:
            self.depth -= 1

other-branch: what opens a group is kept, not what belongs to it
    def groups(lines):
        found, group = [], None
        for line in lines:
            if line.endswith(":"):
                group = [line]
            elif group is not None:
                group.append(line)
                «found.append(group)»  # in order
        return found
AssertionError: assert [] == [['a:']]
    def groups(lines):
        found, group = [], None
        for line in lines:
            if line.endswith(":"):
                group = [line]
                found.append(group)  # in order
            elif group is not None:
                group.append(line)
        return found

other-branch: the counter of the wrong case
    def tally(votes):
        valid = spoilt = 0
        for vote in votes:
            if vote.blank:
                note(vote)
                «valid += 1»
            else:
                count(vote)
        return valid, spoilt
AssertionError: assert (1, 0) == (2, 0)
    def tally(votes):
        valid = spoilt = 0
        for vote in votes:
            if vote.blank:
                note(vote)
            else:
                count(vote)
                valid += 1
        return valid, spoilt

not other-branch: the value is made in this branch
    def label(item):
        if item.name:
            text = item.name.title()
            «item.label = text»
        else:
            item.label = "?"
AssertionError: assert 'A' == 'a'

not any: a block is not left empty
    def first(rows):
        for row in rows:
            «return row»
AssertionError: assert 1 == 2

not swapped: statements that have nothing to do with each other
    def area(width, height):
        one = width + 1
        «two = height + 1»
        return one * two
AssertionError: assert 6 == 2

not any: a docstring
    def area(width, height):
        «'''The area.'''»
        return width * height
AssertionError: assert 6 == 2

not after-block: it is not the last of its block
    def total(prices):
        amount = 0
        for price in prices:
            «amount += price»
            print(price)
        return amount
AssertionError: assert 3 == 12

not before-loop: the first line may leave the loop
    def first(rows):
        for row in rows:
            «if row:
                return row»
            print(row)
AssertionError: assert 1 == 2

not any: a function inside
    def area(width, height):
        «def half(side):
            return side / 2»
        return half(width) * half(height)
AssertionError: assert 6 == 2

not any: an import
    def area(width):
        «import math»
        return math.pi * width
AssertionError: assert 6 == 2

not into-block: the block above leaves the function
    def first(rows):
        count = 0
        for row in rows:
            return row
        «count += 1»
        return count
AssertionError: assert 1 == 2

not finally: nothing can be left out
    def read(path):
        with open(path) as file:
            text = file.read()
            «path = ""»
        return text + path
AssertionError: assert 1 == 2
"""
)
