"""AfterLoop: what a loop does between its items is needed once more, behind the last one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    assigned_names,
    beside,
    function_of,
    line_of,
    nodes_of,
    only,
    params_of,
    reads,
    simple_statements,
    spellings,
    target_names,
)
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import Line
from selfdebug.codemods._names import code_of, dotted, root
from selfdebug.codemods._variables import attributes, fits, is_alike, kind_named

_REST = small_edit(
    "rest",
    "do with what is behind the last item as with what is between two",
    0.3,
    "missing-item empty number",
    growth=1,
)
_SIZES = frozenset(("str", "list", "tuple", "bytes", "collections.deque", ""))
_SHOWN = 6
_WIDTH = 80  # characters of a statement that is repeated


class AfterLoop(FirstOrder):
    """Repeat under a loop what it does between two items, up to the end instead of an item."""

    DESCRIPTION = "Do after a loop what it does for each item."
    NAME = "after-loop"
    VARIANTS = (_REST,)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the copies under a loop."""
        loop, function = place.node, function_of(place.tree, place.node)
        line = line_of(place.tree, loop) if loop is place.statement else None
        if not isinstance(loop, cst.For) or line is None or function is None:
            return
        if loop.orelse is None and isinstance(loop.body, cst.IndentedBlock):
            yield from islice(_copies(place, function, loop, line), _SHOWN)


def _copies(place: Place, function: cst.FunctionDef, loop: cst.For, line: Line) -> Iterator[Form]:
    firsts = dict(_carried(place, function, loop))
    items = {*target_names(loop.target)}
    for step in loop.body.body:
        code = _repeatable(step)
        carried = [name for name in firsts if name in reads(step)]
        of_items = [each for each in spellings(step) if root(each) in items]
        if not code or not carried or len(of_items) != 1 or assigned_names(step) & {*carried}:
            continue
        for end in _ends(place, function, firsts[carried[0]], of_items[0]):
            copy = _with(code, of_items[0], end)
            if copy != code and not items & {*re.findall(r"\w+", copy)} - {end}:
                change = beside(place.tree, line, copy)
                yield _REST, change, f"what is behind the last `{of_items[0]}` was left out"


def _carried(
    place: Place, function: cst.FunctionDef, loop: cst.For
) -> Iterator[tuple[str, cst.BaseExpression]]:
    """Yield the variables with which a loop goes on where its last round ended, and what they were."""
    again = {
        name
        for each in simple_statements(loop.body)
        if isinstance(each, cst.Assign) and not reads(each).isdisjoint(target_names(loop.target))
        for name in assigned_names(each)
    }
    line = place.tree.span(loop).line
    for each in simple_statements(function.body):
        if place.tree.span(each).line >= line:
            return
        match each:
            case (
                cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)
                | cst.AnnAssign(target=cst.Name(value=name), value=cst.BaseExpression() as value)
            ) if name in again:
                yield name, value


def _repeatable(step: cst.CSTNode) -> str:
    """Return the code of a small statement of a loop, or of an ``if`` with one; "" for any other."""
    test = ""
    if isinstance(step, cst.If):
        if step.orelse is not None or len(step.body.body) != 1:
            return ""
        test, step = f"if {code_of(step.test)}:\n    ", step.body.body[0]
    done = only(step)
    if not isinstance(done, cst.Expr | cst.AugAssign):
        return ""
    code = code_of(done.with_changes(semicolon=cst.MaybeSentinel.DEFAULT))
    short = "\n" not in code and "\r" not in code and len(code) <= _WIDTH
    return f"{test}{code}" if short and test.count("\n") <= 1 else ""


def _ends(
    place: Place, function: cst.FunctionDef, first: cst.BaseExpression, item: str
) -> Iterator[str]:
    """Yield what may be the end of that of which a variable first held the beginning."""
    attribute = item.rpartition(".")[2]
    begin = dotted(first)
    kind = kind_named(place, begin) if begin else "int"
    if begin and "." in begin:
        owner, _, start = begin.rpartition(".")
        names = [each for each in attributes(place, owner) if each not in (start, attribute)]
        names += [attribute] if attribute not in (start, item) else []
        names.sort(key=lambda each: not is_alike(start, each))
        yield from (
            f"{owner}.{each}"
            for each in names
            if is_alike(start, each) or (kind and kind == kind_named(place, f"{owner}.{each}"))
        )
        return
    params = [each.name.value for each in params_of(function)]
    unread = [each for each in params if each not in reads(function.body)]
    alike = [each for each in params if begin and is_alike(begin, each)]
    for name in dict.fromkeys((*alike, *unread)):
        if name != begin and fits(kind, kind_named(place, name)):
            yield name
    if isinstance(first, cst.Integer):
        yield from _sizes(place, function, params)


def _sizes(place: Place, function: cst.FunctionDef, params: list[str]) -> Iterator[str]:
    """Yield nothing, for a slice without end, and the lengths of what the function takes items of."""
    indexed = {
        each.value.value
        for each in nodes_of(function.body)
        if isinstance(each, cst.Subscript) and isinstance(each.value, cst.Name)
    }
    yield ""
    for name in params:
        kind = kind_named(place, name)
        if name in indexed and kind in _SIZES:
            yield f"len({name})"


def _with(code: str, item: str, end: str) -> str:
    """Return code with the end in the place of an item; without an end only slices go up to it."""
    if not end:
        cut = re.sub(rf"(?<=:) ?{re.escape(item)}(?=\])", "", code)
        return code if re.search(rf"(?<![\w.]){re.escape(item)}(?!\w)", cut) else cut
    return re.sub(rf"(?<![\w.\"']){re.escape(item)}(?![\w(])", end, code)


AfterLoop.EXAMPLES = examples(
    """
rest: the text behind the last mark
    def pieces(text, marks):
        found = []
        start = 0
        «for mark in marks:
            found.append(text[start:mark])
            start = mark»
        # All pieces.
        return found
AssertionError: assert ['ab'] == ['ab', 'c']
    def pieces(text, marks):
        found = []
        start = 0
        for mark in marks:
            found.append(text[start:mark])
            start = mark
        found.append(text[start:])
        # All pieces.
        return found

rest: the last leg of a journey
    def walked(journey, stops):
        total = 0
        position = journey.begin
        «for stop in stops:
            total += abs(stop.km - position)
            position = stop.km»
        return total
AssertionError: assert 3 == 5
where journey.begin: int = 0
where journey.end: int = 5
    def walked(journey, stops):
        total = 0
        position = journey.begin
        for stop in stops:
            total += abs(stop.km - position)
            position = stop.km
        total += abs(journey.end - position)
        return total

rest: what is free at the end of a row of seats
    def gaps(first, last, taken):
        free = first
        «for seat in sorted(taken):
            if free < seat:
                yield free, seat
            free = seat + 1»
AssertionError: assert [] == [(3, 9)]
    def gaps(first, last, taken):
        free = first
        for seat in sorted(taken):
            if free < seat:
                yield free, seat
            free = seat + 1
        if free < last:
            yield free, last

not any: nothing goes on from round to round
    def total(prices, limit):
        amount = 0
        «for price in prices:
            amount += price»
        return amount
AssertionError: assert 3 == 5

not any: the items are of another kind than the bounds
    def pairs(names, first, count):
        before = first
        «for name in names:
            yield before, name
            before = name»
AssertionError: assert 3 == 5
where first: str = 'a'
where count: int = 3

not any: there is an else
    def pieces(text, marks):
        start = 0
        «for mark in marks:
            yield text[start:mark]
            start = mark
        else:
            yield text[start:]»
AssertionError: assert ['ab'] == ['ab', 'c']

not any: no loop over items
    def pieces(text, marks):
        start = 0
        «while marks:
            yield text[start:marks[0]]
            start = marks.pop(0)»
AssertionError: assert ['ab'] == ['ab', 'c']

not any: two items in one statement
    def pairs(rows, first):
        before = first
        «for row in rows:
            print(before, row.begin, row.end)
            before = row.end»
AssertionError: assert 3 == 5
"""
)
