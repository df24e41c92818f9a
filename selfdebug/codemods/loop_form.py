"""LoopForm: a loop over the right items in the wrong order or form, or a test that should be a loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    block_of,
    function_of,
    jump_out,
    line_of,
    lines_of,
    may_leave,
    nodes_of,
    params_of,
    reads,
    simple_statements,
    target_names,
    with_lines,
    writes,
)
from selfdebug.codemods._edit import Change, expression, putting, replaced
from selfdebug.codemods._first_order import FirstOrder, Place, reaches_out, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import Line, above, statements
from selfdebug.codemods._kinds import SEQUENCES, may_be
from selfdebug.codemods._names import code_of

_COPY = small_edit("copy", "go through a copy of what changes", 0.4, "missing-item extra-item")
_REVERSED = small_edit("reversed", "go through the items backwards", 0.03, "order")
_BACKWARDS = small_edit("backwards", "count from the last item", 0.12, "order number bool text")
_SORTED = small_edit("sorted", "go through the items in order", 0.03, "order")
_VIEW = small_edit("view", "go through the values or the items", 0.05, "type")
_PAIRS = small_edit("pairs", "pair each item with the next", 0.05)
_NESTED = small_edit("exchanged-loops", "let the inner loop be the outer one", 0.1, "order")
_REPEATED = small_edit(
    "repeated",
    "do it as often as the condition holds",
    0.05,
    "off-by-one missing-item number extra-item",
)
_KEPT = small_edit(
    "kept", "keep the items that each round goes through", 0.2, "missing-item empty number"
)
_ONCE = small_edit("once", "do it once, if the condition holds", 0.02, "hang")
_For: TypeAlias = cst.For | cst.CompFor
_REMOVING = frozenset(("remove", "pop", "popleft", "append", "discard", "insert", "add", "clear"))


class LoopForm(FirstOrder):
    """Go through a copy, backwards, in order, the other way round, or again and again."""

    DESCRIPTION = "Loop over the items in another order or form."
    NAME = "loop-form"
    VARIANTS = (
        _COPY,
        _REVERSED,
        _BACKWARDS,
        _SORTED,
        _VIEW,
        _PAIRS,
        _NESTED,
        _REPEATED,
        _KEPT,
        _ONCE,
    )

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other forms of a loop at what it goes through, and those of the whole."""
        node, parent = place.node, place.tree.parents.get(place.node)
        if isinstance(parent, cst.For | cst.CompFor) and node is parent.iter:
            yield from _items(place, parent, parent.iter)
        elif isinstance(node, cst.For | cst.CompFor):
            yield from _exchanged(node)
        elif isinstance(node, cst.If | cst.While):
            yield from _repeated(place, node)
        if isinstance(node, cst.For) and node is place.statement:
            yield from _kept(place, node)


def _kept(place: Place, loop: cst.For) -> Iterator[Form]:
    """Yield a list, above a loop, of a parameter that each round goes through: it may be used up."""
    function = function_of(place.tree, loop)
    given = {each.name.value for each in params_of(function)} if function else set()
    for each in nodes_of(loop.body):
        match each:
            case cst.For(iter=cst.Name(value=name)) | cst.CompFor(iter=cst.Name(value=name)):
                seen = place.values.get(name)
                if name in given and (seen is None or seen.type in _USED_UP):
                    new = statements(place.tree, f"{name} = list({name})\n", loop)
                    yield _KEPT, above(place.tree, loop, new), f"`{name}` may be used up"
                    return


_USED_UP = frozenset(("generator", "map", "filter", "zip", "_csv.reader", "csv.DictReader"))


def _items(place: Place, loop: _For, items: cst.BaseExpression) -> Iterator[Form]:
    code = place.code(items)
    if isinstance(loop, cst.For) and _is_changed(loop, code):
        yield _COPY, _made(place, items, "list(OLD)"), f"the loop changes `{code}`"
    name = place.code(items.func) if isinstance(items, cst.Call) else ""
    if name not in ("reversed", "sorted", "list", "set", "enumerate", "zip", "dict"):
        yield _REVERSED, _made(place, items, "reversed(OLD)"), "the order of the items counts"
    if name == "enumerate" and isinstance(items, cst.Call):
        yield from _backwards(place, items)
    if name not in ("reversed", "sorted", "range", "enumerate", "zip"):
        yield _SORTED, _made(place, items, "sorted(OLD)"), "the order of the items counts"
    seen = place.values.get(code)
    if seen is None or seen.type in ("dict", "collections.defaultdict", "collections.Counter"):
        yield from _views(place, loop, items)
    if name == "zip" and isinstance(items, cst.Call):
        yield from _pairs(items)


def _backwards(place: Place, call: cst.Call) -> Iterator[Form]:
    """Yield a count of items that come the other way, or as they are where they came backwards."""
    counted = call.args[0].value if call.args else None
    match counted:
        case cst.Name() | cst.Attribute() | cst.Subscript() if may_be(place, counted, SEQUENCES):
            yield _BACKWARDS, _made(place, counted, "reversed(OLD)"), "the last item is the first"
        case cst.Call(func=cst.Name(value="reversed"), args=[cst.Arg(value=items)]):
            change = replaced(place.tree, counted, lambda _: items)
            yield _BACKWARDS, change, "the first item is the first"


def _made(place: Place, old: cst.BaseExpression, code: str) -> Change:
    return replaced(place.tree, old, lambda updated: expression(code, OLD=updated))


def _is_changed(loop: cst.For, code: str) -> bool:
    """Say whether the body of a loop adds to or takes from what it goes through."""
    if not code.replace(".", "").isidentifier() or code.partition(".")[0] not in writes(loop.body):
        return False
    text = code_of(loop.body)
    return any(f"{code}.{method}(" in text for method in _REMOVING) or f"del {code}[" in text


def _views(place: Place, loop: _For, items: cst.BaseExpression) -> Iterator[Form]:
    """Yield what a dictionary is gone through by: two names take items, one name values."""
    if not isinstance(items, cst.Name | cst.Attribute | cst.Subscript):
        return
    code, two = place.code(items), len(target_names(loop.target)) == 2
    text = code_of(loop.body if isinstance(loop, cst.For) else _comprehension(place, loop))
    if f"{code}[" in text or (two and code not in place.values):
        return
    if two or code in place.values:
        method = "items" if two else "values"
        yield _VIEW, _made(place, items, f"OLD.{method}()"), f"`{code}` gives its keys"


def _comprehension(place: Place, loop: cst.CompFor) -> cst.CSTNode:
    return next(up for up in place.tree.ancestors(loop) if isinstance(up, cst.BaseComp))


def _pairs(call: cst.Call) -> Iterator[Form]:
    match call.args:
        case [cst.Arg(value=first, star=""), cst.Arg(value=second, star="")] if code_of(
            first
        ) == code_of(second):
            change: Change = {second: lambda old: expression("OLD[1:]", OLD=old)}
            yield _PAIRS, change, "each item was paired with itself"


def _exchanged(loop: _For) -> Iterator[Form]:
    """Yield the exchange of two loops, the inner of which does not depend on the outer."""
    inner: cst.CSTNode | None = loop.inner_for_in if isinstance(loop, cst.CompFor) else None
    if isinstance(loop, cst.For) and isinstance(loop.body, cst.IndentedBlock):
        inner = loop.body.body[0] if len(loop.body.body) == 1 else None
    if not isinstance(inner, type(loop)) or (isinstance(loop, cst.CompFor) and loop.ifs):
        return
    assert isinstance(inner, cst.For | cst.CompFor)
    if reads(inner.iter).isdisjoint(target_names(loop.target)):
        yield (
            _NESTED,
            {
                loop.target: putting(inner.target),
                loop.iter: putting(inner.iter),
                inner.target: putting(loop.target),
                inner.iter: putting(loop.iter),
            },
            "the loops are nested the wrong way round",
        )


def _repeated(place: Place, node: cst.If | cst.While) -> Iterator[Form]:
    """Yield a loop for a test whose body changes what it tests, and the reverse."""
    line = line_of(place.tree, node)
    if line is None or node.orelse is not None or reads(node.test).isdisjoint(writes(node.body)):
        return
    if isinstance(node, cst.While):
        if not jump_out(node.body):
            new: Line = cst.If(node.test, node.body, leading_lines=node.leading_lines)
            yield _ONCE, _instead(place, line, new), "it went on where one round was enough"
    elif not may_leave(node.body) and not any(map(reaches_out, simple_statements(node.body))):
        new = cst.While(node.test, node.body, leading_lines=node.leading_lines)
        yield _REPEATED, _instead(place, line, new), "once was not enough"


def _instead(place: Place, line: Line, new: Line) -> Change:
    block = block_of(place.tree, line)
    return with_lines(block, [new if each is line else each for each in lines_of(block)])


LoopForm.EXAMPLES = examples(
    """
kept: a generator is used up by the first round
    def joined(left, right):
        «for key, text in left:
            for other, more in right:
                if other == key:
                    yield key, text, more»
AssertionError: assert ['a'] == ['a', 'b']
    def joined(left, right):
        right = list(right)
        for key, text in left:
            for other, more in right:
                if other == key:
                    yield key, text, more

not kept: a list is not used up
    def joined(left, right):
        «for key, text in left:
            for other, more in right:
                yield key, text, more»
AssertionError: assert ['a'] == ['a', 'b']
where right: list = [1]

backwards: the last digit counts ones
    def number(digits, base):
        found = 0
        for at, digit in «enumerate(digits)»:
            found += digit * base**at
        return found
AssertionError: assert 201 == 102
    def number(digits, base):
        found = 0
        for at, digit in enumerate(reversed(digits)):
            found += digit * base**at
        return found

not backwards: a set has no order
    def number(digits):
        return [at for at, digit in «enumerate(digits)»]
AssertionError: assert 201 == 102
where digits: set = {1}

copy: a list that loses items while it is gone through
    def without_empty(rows):
        for row in «rows»:  # in place
            if not row:
                rows.remove(row)
        return rows
AssertionError: assert [[], 1] == [1]
    def without_empty(rows):
        for row in list(rows):  # in place
            if not row:
                rows.remove(row)
        return rows

reversed: the last step is undone first
    def undo(self):
        for step in «self.steps»:
            step.revert()
AssertionError: assert ['a', 'b'] == ['b', 'a']
    def undo(self):
        for step in reversed(self.steps):
            step.revert()

sorted: a report in the order of names
    def report(stock):
        return [f"{name}: {stock[name]}" for name in «stock»]
AssertionError: assert ['b: 1', 'a: 2'] == ['a: 2', 'b: 1']
    def report(stock):
        return [f"{name}: {stock[name]}" for name in sorted(stock)]

view: the amounts, not the names
    def total(stock):
        return sum(amount for amount in «stock»)
AssertionError: assert 3 == 30
where stock: dict = {1: 10, 2: 20}
    def total(stock):
        return sum(amount for amount in stock.values())

pairs: steps between readings
    def steps(readings):
        return [later - before for before, later in «zip(readings, readings)»]
AssertionError: assert [0, 0] == [2]
    def steps(readings):
        return [later - before for before, later in zip(readings, readings[1:])]

exchanged-loops: columns of rows
    def seats(rows, numbers):
        «for number in numbers:
            for row in rows:  # from the stage
                yield f"{row}{number}"»
AssertionError: assert ['A1', 'B1'] == ['A1', 'A2']
    def seats(rows, numbers):
        for row in rows:
            for number in numbers:  # from the stage
                yield f"{row}{number}"

repeated: digits are added until one is left
    def root(number):
        «if number > 9:
            number = sum(map(int, str(number)))»
        return number
AssertionError: assert 11 == 2
    def root(number):
        while number > 9:
            number = sum(map(int, str(number)))
        return number

once: a fee that is taken once
    def charged(amount):
        «while amount > 100:
            amount += 5»
        return amount
AssertionError: it never ended
    def charged(amount):
        if amount > 100:
            amount += 5
        return amount

not copy: the loop does not change what it goes through
    def kept(rows):
        found = []
        for row in «rows»:
            found.append(row)
        return found
AssertionError: assert [1] == [2]

not exchanged-loops: the inner loop goes through what the outer one gives
    def cells(rows):
        return [cell «for row in rows for cell in row»]
AssertionError: assert [1] == [2]

not any: the test cannot change
    def fee(member):
        amount = 5
        «if member:
            amount -= 1»
        return amount
AssertionError: assert 4 == 3

not copy: a list of another object changes
    def without_empty(rows, other):
        for row in «rows»:
            if not row:
                other.rows.remove(row)
        return rows
AssertionError: assert [[], 1] == [1]

not any: they are sorted already
    def report(names):
        return [name for name in «sorted(names)»]
AssertionError: assert ['a', 'b'] == ['b', 'a']

not view: each amount is looked up
    def total(stock):
        return sum(stock[name] for name in «stock»)
AssertionError: assert 3 == 30
where stock: dict = {1: 10, 2: 20}

not view: a list has no values
    def total(prices):
        return sum(price for price in «prices»)
AssertionError: assert 3 == 30
where prices: list = [1, 2]

not any: two lists
    def steps(before, after):
        return [b - a for a, b in «zip(before, after)»]
AssertionError: assert [0, 0] == [2]

not exchanged-loops: more is done than the inner loop
    def seats(rows, numbers):
        «for number in numbers:
            yield number
            for row in rows:
                yield f"{row}{number}"»
AssertionError: assert ['A1', 'B1'] == ['A1', 'A2']

not any: the body leaves the function
    def root(number):
        «if number > 9:
            number = sum(map(int, str(number)))
            return number»
        return number
AssertionError: assert 11 == 2

not any: another case is left out
    def root(number):
        «if number > 9:
            number = number // 10
        else:
            number = 0»
        return number
AssertionError: assert 11 == 2

not any: the loop leaves by itself
    def charged(amount):
        «while amount > 100:
            amount += 5
            break»
        return amount
AssertionError: assert 105 == 110
"""
)
