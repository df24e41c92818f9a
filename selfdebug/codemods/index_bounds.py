"""IndexBounds: an index, a slice, a range or a count begins or ends one off, or runs the wrong way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import nodes_of
from selfdebug.codemods._edit import expression
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import SEQUENCES, kind_of, may_be
from selfdebug.codemods._passing import are_plain, last_of, passing
from selfdebug.codemods._reach import constant

_ITEMS = "off-by-one missing-item extra-item duplicate empty hang"
_INDEX = small_edit("index", "take the item before or after", 0.12, "off-by-one text")
_END = small_edit("end", "take the item at the other end", 0.12, "order text")
_BOUND = small_edit("bound", "begin or end one earlier or later", 0.15, _ITEMS)
_SHIFTED = small_edit("shifted", "begin and end one earlier or later", 0.06, _ITEMS)
_OPEN = small_edit("open", "leave out a bound", 0.08, _ITEMS)
_CLOSED = small_edit("closed", "leave out the first or the last item", 0.06, _ITEMS)
_STEP = small_edit("step", "go the other way", 0.05, "order")
_ITEMS_FROM = small_edit(
    "items", "take the items from or up to there", 0.03, "type text missing-item"
)
_STRIDE = small_edit(
    "stride", "go on by as much as is taken", 0.3, "extra-item duplicate missing-item"
)
_EVERY = small_edit("every", "leave out every other one", 0.03, "extra-item number")
_CONSTANT = small_edit("constant", "begin at the first or second item", 0.06, "missing-item number")
_WRAPPED = small_edit(
    "wrapped", "go on at the first item behind the last", 0.3, "raises off-by-one missing-item"
)
_START = small_edit("start", "count from one, or from zero", 0.12, "off-by-one")

Bound: TypeAlias = "cst.BaseExpression | None"


class IndexBounds(FirstOrder):
    """Begin or end an index, a slice, a range or a count elsewhere, or go the other way."""

    DESCRIPTION = "Begin or end an index, slice or range one earlier or later."
    NAME = "index-bounds"
    VARIANTS = (
        _INDEX,
        _END,
        _BOUND,
        _SHIFTED,
        _OPEN,
        _CLOSED,
        _STEP,
        _START,
        _ITEMS_FROM,
        _STRIDE,
        _EVERY,
        _CONSTANT,
        _WRAPPED,
    )

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other items, slices, ranges and counts."""
        match place.node:
            case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
                if not isinstance(index, cst.BaseString) and kind_of(place, index) != "str":
                    yield from _indexes(place, index)
            case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice() as part)]):
                yield from _slices(place, part)
            case cst.Name() | cst.Attribute() if _is_looped_over(place):
                for items in ("1:", ":-1"):
                    yield _CLOSED, place.put(f"OLD[{items}]"), "one of the items does not count"
            case cst.Call(func=cst.Name(value="range"), args=args) if are_plain(args):
                yield from _ranges(place, args)
            case cst.Call(func=cst.Name(value="enumerate"), args=args) if args:
                yield from _counts(place, args)


def _is_looped_over(place: Place) -> bool:
    """Say whether a node is a sequence, as far as it is known, whose items come one by one."""
    loops = isinstance(place.parent, cst.For | cst.CompFor) and place.parent.iter is place.node
    return loops and may_be(place, place.node, SEQUENCES)


def _indexes(place: Place, index: cst.BaseExpression) -> Iterator[Form]:
    why = f"the item is not at `{place.code(index)}`"
    kind = kind_of(place, place.node.value) if isinstance(place.node, cst.Subscript) else ""
    number = constant(index)
    if kind in ("dict", "Counter", "defaultdict", "OrderedDict") and number is None:
        return
    others = {0: -1, -1: 0}
    if number in others:
        yield _END, _at(place, _number(others[number])), why
    for new in _beside(index):
        yield _INDEX, _at(place, new), why
    if isinstance(index, cst.BinaryOperation) and not isinstance(index.operator, cst.Modulo):
        yield from _wrapped(place, index)
    if number is None or number > 0:
        yield _ITEMS_FROM, _sliced(place, cst.Slice(index, None)), "all from there on count"
        yield _ITEMS_FROM, _sliced(place, cst.Slice(None, index)), "all up to there count"


def _wrapped(place: Place, index: cst.BinaryOperation) -> Iterator[Form]:
    """Yield an index modulo the number of items, where the file takes others of them so."""
    assert isinstance(place.node, cst.Subscript)
    items = place.code(place.node.value)
    source = place.tree.region.source.text
    around = rf"{re.escape(items)}\[[^\]]*%|% *len\({re.escape(items)}\)"
    if re.search(around, source):
        new = expression(f"(OLD) % len({items})", OLD=index)
        yield _WRAPPED, _at(place, new), f"`{items}` is gone through in a circle"


def _beside(old: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield a number one more and one less than an expression, in the shortest way."""
    number = constant(old)
    if number is not None:
        # Below the first item is the last one.
        yield from (
            _number(each) for each in (number + 1, number - 1) if (each < 0) == (number < 0)
        )
        return
    match old:
        case cst.BinaryOperation(
            left=left, operator=cst.Add() | cst.Subtract() as sign, right=cst.Integer(value="1")
        ):
            yield left
            yield expression("X - 1" if isinstance(sign, cst.Add) else "X + 1", X=left)
        case cst.Name() | cst.Attribute() | cst.Call() | cst.BinaryOperation() | cst.Subscript():
            yield expression("X + 1", X=old)
            yield expression("X - 1", X=old)


def _moves_either_way(bound: cst.BaseExpression) -> bool:
    """Say whether ``_beside`` yields one more, then one less."""
    number = constant(bound)
    return isinstance(bound, cst.Name | cst.Attribute | cst.Call) or (number or 0) > 0


def _number(value: int) -> cst.BaseExpression:
    return cst.parse_expression(str(value))


def _at(place: Place, new: cst.BaseExpression) -> Any:
    return _sliced(place, cst.Index(new))


def _sliced(place: Place, new: cst.BaseSlice) -> Any:
    def make(updated: Any) -> Any:
        element = updated.slice[0].with_changes(slice=new)
        return updated.with_changes(slice=[element])

    return {place.node: make}


def _slices(place: Place, part: cst.Slice) -> Iterator[Form]:
    why = f"`{place.code(place.node)}` takes other items"
    for slot in ("lower", "upper"):
        old: Bound = getattr(part, slot)
        if old is not None:
            for new in _beside(old):
                # From 0 on is from the beginning, up to 0 is nothing.
                if constant(new) != 0 or slot == "lower":
                    made = _spaced(part.with_changes(**{slot: new}))
                    yield _BOUND, _sliced(place, made), why
            if constant(old) != 0 or slot == "upper":
                yield _OPEN, _sliced(place, part.with_changes(**{slot: None})), why
    yield from _closed(place, part, why)
    if part.step is None:
        backwards = part.with_changes(step=_number(-1), second_colon=cst.Colon())
        yield _STEP, _sliced(place, backwards), why
    elif (step := constant(part.step)) is not None and step > 0:
        yield _STEP, _sliced(place, part.with_changes(step=_number(-step))), why
    elif part.lower is None and part.upper is None and isinstance(place.node, cst.Subscript):
        yield _STEP, place.keep(place.node.value), "the items are wanted in their own order"


def _spaced(part: cst.Slice) -> cst.Slice:
    """Return a slice with space around a colon between bounds that are calculated, as PEP 8 has it."""
    bounds = (part.lower, part.upper)
    colon = part.first_colon
    touches = colon.whitespace_before.empty and colon.whitespace_after.empty
    if not (part.step is None and touches and any(map(_is_calculated, bounds))):
        return part
    before, after = (cst.SimpleWhitespace(" " if bound is not None else "") for bound in bounds)
    return part.with_changes(first_colon=cst.Colon(before, after))


def _is_calculated(bound: Bound) -> bool:
    return isinstance(bound, cst.BinaryOperation)


def _closed(place: Place, part: cst.Slice, why: str) -> Iterator[Form]:
    for number in (0, 1) if isinstance(part.lower, cst.Name) else ():
        yield _CONSTANT, _sliced(place, part.with_changes(lower=_number(number))), why
    if part.step is not None:
        return
    if part.lower is None and part.upper is not None:
        yield _CLOSED, _sliced(place, part.with_changes(lower=_number(1))), why
    if part.upper is None and part.lower is not None:
        yield _CLOSED, _sliced(place, part.with_changes(upper=_number(-1))), why


def _ranges(place: Place, args: Sequence[cst.Arg]) -> Iterator[Form]:
    call = place.node
    assert isinstance(call, cst.Call)
    shown = place.code(call)
    why = f"`{shown}` begins or ends elsewhere"
    bounds = args[:2]
    for at, arg in enumerate(bounds):
        for new in _beside(arg.value):
            others = [*args]
            others[at] = arg.with_changes(value=new)
            if at or len(args) > 1 or constant(new) != 0:
                yield _BOUND, passing(call, others), why
    if len(args) == 2 and all(_moves_either_way(arg.value) for arg in bounds):
        for both in zip(*(_beside(arg.value) for arg in bounds), strict=False):
            moved = [arg.with_changes(value=new) for arg, new in zip(bounds, both, strict=True)]
            yield _SHIFTED, passing(call, moved), why
    if len(args) == 1:
        start = cst.Arg(_number(1))
        yield _CLOSED, passing(call, [start, args[0]]), why
        more = expression("X + 1", X=args[0].value)
        yield _START, passing(call, [start, cst.Arg(more)]), f"`{shown}` counts from one"
    elif len(args) == 2:
        yield _OPEN, passing(call, [args[1]]), f"`{shown}` begins at the first"
        step = cst.Arg(_number(-1))
        yield _STEP, passing(call, [*args, step]), f"`{shown}` goes down"
    elif constant(args[2].value) is None or abs(constant(args[2].value) or 0) > 1:
        yield _STEP, passing(call, args[:2]), f"`{shown}` leaves none out"
    yield from _strides(place, args, why)
    if last_of(getattr(place.tree.parents[place.parent], "func", call)) != "reversed":
        yield _STEP, place.put("reversed(OLD)"), f"`{shown}` goes down"


def _strides(place: Place, args: Sequence[cst.Arg], why: str) -> Iterator[Form]:
    """Yield a range that goes on by what a slice from each of its numbers takes, or by two."""
    call = place.node
    assert isinstance(call, cst.Call)
    if len(args) > 2 or not args:
        return
    bounds = [*args] if len(args) > 1 else [cst.Arg(_number(0)), args[0]]
    for size in _taken_at_once(place):
        yield _STRIDE, passing(call, [*bounds, cst.Arg(cst.parse_expression(size))]), why
    yield _EVERY, passing(call, [*bounds, cst.Arg(_number(2))]), why


def _taken_at_once(place: Place) -> Iterator[str]:
    """Yield how many items slices from a loop's number on take: 3 of ``items[at : at + 3]``."""
    loop = place.parent
    if not isinstance(loop, cst.For | cst.CompFor) or not isinstance(loop.target, cst.Name):
        return
    whole = next((up for up in place.tree.ancestors(loop) if isinstance(up, cst.BaseComp)), loop)
    at = loop.target.value
    sizes: dict[str, None] = {}
    for each in nodes_of(loop if isinstance(loop, cst.For) else whole):
        match each:
            case cst.Slice(
                lower=cst.Name(value=one),
                upper=cst.BinaryOperation(
                    left=cst.Name(value=other), operator=cst.Add(), right=size
                ),
            ) if one == other == at:
                sizes[place.code(size)] = None
    yield from sizes


def _counts(place: Place, args: Sequence[cst.Arg]) -> Iterator[Form]:
    call = place.node
    assert isinstance(call, cst.Call)
    if len(args) == 1:
        yield _START, passing(call, [*args, cst.Arg(_number(1))]), "the first one is number 1"
    elif constant(args[1].value) in (0, 1):
        yield _START, passing(call, args[:1]), "the first one is number 0"


IndexBounds.EXAMPLES = examples(
    """
shifted: from the first to the last but one
    def places(first, last):
        return [at for at in «range(first, last)»]
AssertionError: assert [1, 2] == [2, 3]
    def places(first, last):
        return [at for at in range(first + 1, last + 1)]

not shifted: there is one bound only
    def places(last):
        return [at for at in «range(last)»]
AssertionError: assert [1, 2] == [2, 3]

wrapped: as in the other methods
    class Ring:
        def push(self, value):
            self.cells[(self.start + self.used) % len(self.cells)] = value

        def items(self):
            return [«self.cells[self.start + i]» for i in range(self.used)]
IndexError: list index out of range
    class Ring:
        def push(self, value):
            self.cells[(self.start + self.used) % len(self.cells)] = value

        def items(self):
            return [self.cells[(self.start + i) % len(self.cells)] for i in range(self.used)]

not wrapped: nothing goes in a circle
    def last(cells, start, at):
        return «cells[start + at]»
IndexError: list index out of range

stride: one part after the other
    def parts(items, size):
        return [items[at : at + size] for at in «range(len(items))»]
AssertionError: assert [[1, 2], [2]] == [[1, 2]]
    def parts(items, size):
        return [items[at : at + size] for at in range(0, len(items), size)]

stride: in a loop
    def parts(items):
        for at in «range(0, len(items))»:
            yield items[at : at + 3]
AssertionError: assert [[1, 2], [2]] == [[1, 2]]
    def parts(items):
        for at in range(0, len(items), 3):
            yield items[at : at + 3]

every: one after the other is left out
    def evens(items):
        return [items[at] for at in «range(len(items))»]
AssertionError: assert [1, 2, 3] == [1, 3]
    def evens(items):
        return [items[at] for at in range(0, len(items), 2)]

constant: without the first row
    def minor(rows, at):
        return [row[:at] for row in «rows[at:]»]
AssertionError: assert [] == [[1]]
    def minor(rows, at):
        return [row[:at] for row in rows[0:]]

not stride: nothing is sliced
    def parts(items):
        return [items[at] for at in «range(len(items))»]
AssertionError: assert [1, 2] == [1]

index: the item before
    def previous(items, at):
        return «items[at]»  # that was before
AssertionError: assert 2 == 1
    def previous(items, at):
        return items[at + 1]  # that was before

index: the one after the next is not meant
    def following(items, at):
        return «items[at + 1]»
AssertionError: assert 3 == 2
    def following(items, at):
        return items[at]

end: the last one
    def newest(posts):
        return «posts[0]»
AssertionError: assert 'a' == 'b'
    def newest(posts):
        return posts[-1]

bound: up to the end of the word
    def word(text, start, end):
        return «text[start:end]»
AssertionError: assert 'wor' == 'word'
    def word(text, start, end):
        return text[start + 1 : end]

bound: the last number counts
    def numbers(limit):
        return [n * n for n in «range(limit)»]
AssertionError: assert [0, 1] == [0, 1, 4]
    def numbers(limit):
        return [n * n for n in range(limit + 1)]

open: all that follow
    def rest(items):
        return «items[1:-1]»
AssertionError: assert [2] == [2, 3]
    def rest(items):
        return items[:-1]

closed: without the last one
    def inner(lines):
        return «lines[1:]»
AssertionError: assert [2, 3] == [2]
    def inner(lines):
        return lines[1:-1]

closed: nothing is divided by zero
    def divisors(number):
        return [n for n in «range(number)» if number % n == 0]
AssertionError: assert [1] == [1, 2]
    def divisors(number):
        return [n for n in range(1, number) if number % n == 0]

step: from behind
    def turned(text):
        return «text[:]»
AssertionError: assert 'ab' == 'ba'
    def turned(text):
        return text[::-1]

step: from the greatest down
    def countdown(start, end):
        return [*«range(start, end)»]
AssertionError: assert [] == [3, 2]
    def countdown(start, end):
        return [*range(start, end, -1)]

closed: the head of a table is no row
    def rows(lines):
        return [line.split() for line in «lines»]
AssertionError: assert [1, 2] == [2]
    def rows(lines):
        return [line.split() for line in lines[1:]]

items: all that follow
    def rest(parts):
        return «parts[1]»
AssertionError: assert 'b' == ['b', 'c']
    def rest(parts):
        return parts[1:]

start: people count from one
    def numbered(lines):
        return [f"{n} {line}" for n, line in «enumerate(lines)»]
AssertionError: assert ['0 a'] == ['1 a']
    def numbered(lines):
        return [f"{n} {line}" for n, line in enumerate(lines, 1)]

start: both ends are one further
    def pages(count):
        return list(«range(count)»)
AssertionError: assert [0, 1] == [1, 2]
    def pages(count):
        return list(range(1, count + 1))

not any: a key is no index
    def name(row):
        return «row["name"]»
AssertionError: assert 'a' == 'b'

not any: nor is one in a variable
    def price(prices, item):
        return «prices[item]»
AssertionError: assert 1 == 2
where prices: dict = {'a': 1}
where item: str = 'a'

not end: another one is at neither end
    def second(items):
        return «items[1]»
AssertionError: assert 1 == 2

not open: from the first on is all
    def head(items, count):
        return «items[0:]»
AssertionError: assert 1 == 2

not any: a key that is put together
    def price(prices, shop, item):
        return «prices[f"{shop}/{item}"]»
AssertionError: assert 1 == 2

not closed: the items of a mapping have no order to cut
    def names(shops):
        return [name for name in «shops»]
AssertionError: assert ['a', 'b'] == ['b']
where shops: dict = {'a': 1, 'b': 2}

not closed: nor has a set
    def known(names):
        return {name for name in «names»}
AssertionError: assert {1, 2} == {2}
where names: set = {1, 2}

not any: the arguments of a range are spread
    def numbers(bounds):
        return list(«range(*bounds)»)
AssertionError: assert [0] == [0, 1]

not start: it counts from somewhere else
    def numbered(lines):
        return [*«enumerate(lines, 10)»]
AssertionError: assert [10] == [11]

not step: it goes down already
    def countdown(start):
        return [*reversed(«range(start)»)]
AssertionError: assert [1, 0] == [0, 1]

not start: both ends are given
    def pages(first, last):
        return [*«range(first, last)»]
AssertionError: assert [1] == [1, 2]

not closed: only every other item
    def odd(items):
        return «items[1::2]»
AssertionError: assert [2, 4] == [2]

not closed: an attribute that is called
    def names(shop):
        return [row.name for row in «shop.rows()»]
AssertionError: assert [1, 2] == [2]

not bound: from the first to the last is all
    def copied(items):
        return «items[:]»
AssertionError: assert [1] == [2]
"""
)
