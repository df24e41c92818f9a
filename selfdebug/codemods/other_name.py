"""OtherName: a variable, attribute or constant was written for another one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile
from typing import cast

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._blocks import assigned_names, reads
from selfdebug.codemods._edit import putting
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import kind_of
from selfdebug.codemods._names import dotted
from selfdebug.codemods._variables import (
    attributes,
    constants,
    fits,
    is_alike,
    kind_named,
    unread,
    used_attributes,
    variables,
)
from selfdebug.syntax.modules import read_module

_UNREAD = small_edit("unread", "use the variable that nothing reads", 0.25)
_ALIKE = small_edit("alike", "use the variable of a like name", 0.15)
_UPDATED = small_edit(
    "updated", "compare with the variable that is updated if it holds", 0.3, "number order"
)
_OTHER = small_edit("other", "use another variable of the function", 0.1)
_ATTRIBUTE = small_edit("attribute", "use another attribute of the object", 0.12)
_OWN = small_edit("own", "use the object's attribute for the variable, or the reverse", 0.1)
_PART = small_edit("part", "use an attribute of the object for the object", 0.03, "type")
_CONSTANT = small_edit("constant", "use another constant of the module", 0.1)
_NAMESAKES = small_edit(
    "namesakes", "use the variables that are called as the object's attributes", 0.3
)
_COUNTED = small_edit("counted", "use the attribute that says how many", 0.08, "number off-by-one")
_FIXED = small_edit("fixed", "use the parameter that nothing reads for a constant", 0.15)

_MOST = 8  # other variables for one


class OtherName(FirstOrder):
    """Use another variable, attribute or constant that has a value here."""

    DESCRIPTION = "Use another variable, attribute or constant."
    NAME = "other-name"
    VARIANTS = (
        *(_UNREAD, _UPDATED, _ALIKE, _OTHER, _ATTRIBUTE, _OWN, _PART, _CONSTANT, _FIXED),
        *(_NAMESAKES, _COUNTED),
    )

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the names that may have been meant."""
        if not place.is_read:
            return
        node = place.node
        match node:
            case cst.Name(value="True" | "False" | "None") | cst.Integer() | cst.Float():
                yield from _for_constant(place)
            case cst.SimpleString():
                yield from _for_constant(place)
            case cst.Call():
                yield from _for_call(place, node)
            case cst.Name() if not _is_called(place):
                yield from _for_name(place, node)
            case cst.Attribute() if not _is_called(place):
                yield from _for_attribute(place, node)


def _is_called(place: Place) -> bool:
    parent = place.parent
    if isinstance(parent, cst.Arg):
        return parent.keyword is place.node
    return isinstance(parent, cst.Call | cst.Decorator)


def _for_name(place: Place, node: cst.Name) -> Iterator[Form]:
    name = node.value
    if name.isupper() and len(name) > 1:
        yield from _for_named_constant(place, node)
        return
    known = variables(place)
    if name not in known:
        return
    kind, attribute = kind_of(place, node), _asked_of(place)
    fitting = [each for each in known if each != name and _may_be(place, each, kind, attribute)]
    ranks = {other: _rank(place, name, other) for other in fitting}
    others = [other for other in fitting if ranks[other] is _OTHER][:_MOST]
    for other in (*(each for each in fitting if ranks[each] is not _OTHER), *others):
        yield ranks[other], place.put(other), f"`{name}` was not what is meant"
    if name in attributes(place, "self"):
        yield _OWN, place.put(f"self.{name}"), f"the object has its own `{name}`"
    for part in attributes(place, name)[:_MOST] if not attribute else ():
        yield _PART, place.put(f"{name}.{part}"), f"what counts is its `{part}`"


def _rank(place: Place, name: str, other: str) -> Variant:
    if other in unread(place):
        return _UNREAD
    if other in _updated(place):
        return _UPDATED
    return _ALIKE if is_alike(name, other) else _OTHER


def _updated(place: Place) -> frozenset[str]:
    """Return what an ``if`` updates to which a comparison belongs that does not look at it."""
    test = place.statement.test if isinstance(place.statement, cst.If) else None
    compares = any(
        isinstance(up, cst.ComparisonTarget | cst.Comparison)
        for up in takewhile(lambda up: up is not test, place.tree.ancestors(place.node))
    )
    if test is None or not (compares or isinstance(test, cst.Comparison)):
        return frozenset()
    assert isinstance(place.statement, cst.If)
    return assigned_names(place.statement.body) - reads(test)


def _for_named_constant(place: Place, node: cst.Name) -> Iterator[Form]:
    for other in constants(place):
        kinds = _kind_of_constant(place, node.value), _kind_of_constant(place, other)
        if other != node.value and fits(*kinds):
            yield _CONSTANT, place.put(other), f"`{node.value}` was not what is meant"


def _kind_of_constant(place: Place, name: str) -> str:
    """Return the kind of a constant of the module, as a run or its assignment shows."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("kinds of constants", path)
    if key not in parsed:
        parsed[key] = {
            target.id: _kind_of_value(stmt.value)
            for stmt in read_module(path, place.project).tree.body
            if isinstance(stmt, ast.Assign | ast.AnnAssign) and stmt.value is not None
            for target in (stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target])
            if isinstance(target, ast.Name)
        }
    return kind_named(place, name) or cast("dict[str, str]", parsed[key]).get(name, "")


def _kind_of_value(value: ast.expr) -> str:
    match value:
        case ast.Constant(value=constant):
            return type(constant).__name__
        case ast.BinOp(left=ast.Constant(value=int() | float())):
            return "number"
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
        case ast.List() | ast.Dict() | ast.Set() | ast.Tuple():
            return type(value).__name__.lower()
    return ""


def _asked_of(place: Place) -> str:
    """Return the attribute that is read of a variable."""
    parent = place.parent
    return parent.attr.value if isinstance(parent, cst.Attribute) else ""


def _may_be(place: Place, name: str, kind: str, attribute: str) -> bool:
    """Say whether a variable may stand for one of a kind of which an attribute is read."""
    other = kind_named(place, name)
    if attribute and f"{name}.{attribute}" in place.values:
        return True
    return fits(kind, other)


def _for_attribute(place: Place, node: cst.Attribute) -> Iterator[Form]:
    owner, name = dotted(node.value), node.attr.value
    if owner is None:
        return
    kind = kind_of(place, node)
    why = f"`{place.code(node)}` was not what is meant"
    near = (each for each in used_attributes(place) if is_alike(name, each))
    known = [each for each in dict.fromkeys((*attributes(place, owner), *near)) if each != name]
    fitting = [each for each in known if fits(kind, kind_named(place, f"{owner}.{each}"))]
    alike = [each for each in fitting if is_alike(name, each)]
    for other in (*alike, *(each for each in fitting if each not in alike))[:_MOST]:
        code = f"OWNER.{other}"
        variant = _ALIKE if other in alike else _ATTRIBUTE
        yield variant, place.put(code, OWNER=node.value), why
    if owner == "self" and name in variables(place):
        yield _OWN, place.put(name), f"`{name}` was passed or worked out"


def _for_call(place: Place, node: cst.Call) -> Iterator[Form]:
    """Yield the variables for two attributes or more of one object, and a number for a length."""
    owners: dict[str, dict[cst.CSTNode, str]] = {}
    for arg in node.args:
        match arg.value:
            case cst.Attribute(value=cst.Name(value=owner), attr=cst.Name(value=name)):
                if name in variables(place) and owner != "self":
                    owners.setdefault(owner, {})[arg.value] = name
    for owner, found in owners.items():
        if len(found) > 1:
            change = {each: putting(cst.Name(name)) for each, name in found.items()}
            yield _NAMESAKES, change, f"what counts is not what `{owner}` holds"
    match node:
        case cst.Call(
            func=cst.Name(value="len"),
            args=[cst.Arg(value=cst.Attribute(value=cst.Name()) as items)],
        ):
            owner = place.code(items.value)
            for name in attributes(place, owner):
                counts = fits("int", kind_named(place, f"{owner}.{name}"))
                if counts and name != items.attr.value:
                    yield _COUNTED, place.put(f"{owner}.{name}"), f"`{name}` says how many"


def _for_constant(place: Place) -> Iterator[Form]:
    node = place.node
    assert isinstance(node, cst.BaseExpression)
    if isinstance(place.parent, cst.Param | cst.AnnAssign | cst.ConcatenatedString):
        return
    kind = "" if place.code(node) == "None" else kind_of(place, node)
    for name in sorted(unread(place)):
        if name in variables(place) and fits(kind, kind_named(place, name)):
            yield _FIXED, place.put(name), f"`{name}` says what it is to be"


OtherName.EXAMPLES = examples(
    """
namesakes: the date was moved on
    def moved(day, count):
        year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
        return date(year, month + 1, min(day.day, «days_in(day.year, day.month)»))
ValueError: day is out of range for month
    def moved(day, count):
        year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
        return date(year, month + 1, min(day.day, days_in(year, month)))

counted: the last page has fewer items
    def first(self):
        return self.number * «len(self.items)» + 1
AssertionError: assert 4 == 31
where self.items: list = ['a']
where self.size: int = 10
    def first(self):
        return self.number * self.size + 1

not namesakes: one of them may be meant
    def moved(day, year):
        return «days_in(day.year, 2)»
AssertionError: assert 28 == 29

updated: compared with the least so far
    def least(values, first):
        at = first
        for each in range(first, len(values)):
            if values[each] < values[«first»]:
                at = each
        return at
AssertionError: assert 3 == 2
where at: int = 3
where first: int = 0
where each: int = 3
    def least(values, first):
        at = first
        for each in range(first, len(values)):
            if values[each] < values[at]:
                at = each
        return at

not updated: it is compared with that already
    def least(values, first):
        at = first
        for each in range(first, len(values)):
            if values[«each»] < values[at]:
                at = each
        return at
AssertionError: assert 3 == 2
where at: int = 3
where first: int = 0
where each: int = 3

unread: the parameter that nothing reads
    def share(part, whole, count):
        return whole / «whole» * count  # of one
AssertionError: assert 4 == 2
    def share(part, whole, count):
        return whole / part * count  # of one

alike: the end of a span
    def length(start, end):
        return end - start if end else «end»
AssertionError: assert 0 == 3
    def length(start, end):
        return end - start if end else start

alike: nearly the same name
    def shown(lines):
        for line in lines:
            yield f"{len(«line»)}: {line}, {lines}"
AssertionError: assert 'a' == 'b'
where lines: list = ['a']
    def shown(lines):
        for line in lines:
            yield f"{len(lines)}: {line}, {lines}"

other: a variable of the same kind
    def change(paid, price, name):
        return paid - «paid» if price else name
AssertionError: assert 0 == 3
where paid: int = 5
where price: int = 2
where name: str = 'a'
    def change(paid, price, name):
        return paid - price if price else name

alike: of a comprehension
    def totals(orders):
        return [line for order in orders for line in «orders»]
AssertionError: assert [1] == [2]
    def totals(orders):
        return [line for order in orders for line in order]

attribute: another of the same object
    class Account:
        def __init__(self):
            self.booked = 0
            self.open = 0

        def due(self):
            return «self.booked»
AssertionError: assert 0 == 3
    class Account:
        def __init__(self):
            self.booked = 0
            self.open = 0

        def due(self):
            return self.open

alike: another attribute that the module reads
    def width(box):
        return box.right - box.left

    def depth(node):
        return max(depth(node.left), depth(«node.left»))
AssertionError: assert 1 == 2
    def width(box):
        return box.right - box.left

    def depth(node):
        return max(depth(node.left), depth(node.right))

own: the limit of the object
    class Cart:
        def __init__(self, limit):
            self.limit = limit

        def is_full(self, count, limit):
            return count >= «limit»
AssertionError: assert False
    class Cart:
        def __init__(self, limit):
            self.limit = limit

        def is_full(self, count, limit):
            return count >= self.limit

own: the limit that was passed
    class Cart:
        def __init__(self, limit):
            self.limit = limit

        def is_full(self, count, limit=None):
            return count >= (limit or 0) + «self.limit»
AssertionError: assert False
    class Cart:
        def __init__(self, limit):
            self.limit = limit

        def is_full(self, count, limit=None):
            return count >= (limit or 0) + limit

part: what the object has
    def names(order):
        return [«order», order]
AssertionError: assert [1] == ['a']
where order: shop.Order
where order.name: str = 'a'
    def names(order):
        return [order.name, order]

constant: another one of the module
    MIN_AGE = 6
    MAX_AGE = 99

    def too_old(age):
        return age > «MIN_AGE»
AssertionError: assert True is False
    MIN_AGE = 6
    MAX_AGE = 99

    def too_old(age):
        return age > MAX_AGE

fixed: as many digits as asked for
    def shown(amount, digits):
        return round(amount, «2»)
AssertionError: assert 1.23 == 1.2
    def shown(amount, digits):
        return round(amount, digits)

not constant: a text is no number
    MIN_AGE = 6
    MAX_NAME = "z"

    def too_old(age):
        return age > «MIN_AGE»
AssertionError: assert True is False

not any: a function that is called
    def shown(amount, digits):
        return «round»(amount, digits)
AssertionError: assert 1.23 == 1.2

not any: a target is not read
    def shown(amount, digits):
        «total» = amount + digits
        return total
AssertionError: assert 1.23 == 1.2

not any: of other kinds
    def shown(amount, digits):
        return «amount» * len(digits)
AssertionError: assert 1 == 2
where amount: int = 1
where digits: list = [1]

not fixed: all parameters are read
    def shown(amount, digits):
        return round(amount, digits) + «2»
AssertionError: assert 1.23 == 1.2

not any: the name of an argument
    def shown(lines, names):
        return sorted(lines, «key»=names)
AssertionError: assert ['a'] == ['b']

not any: what a decorator is called
    def cached(function): ...
    def logged(function): ...

    @«cached»
    def total(lines, tax):
        return lines
AssertionError: assert 1 == 2

not any: a loop gives the name its value
    def last(lines, line):
        for «line» in lines:
            pass
        return line
AssertionError: assert 'a' == 'b'

not any: a default is not read in the call
    def shown(amount, digits, width=«2»):
        return round(amount, width)
AssertionError: assert 1.23 == 1.2

not own: the object has no such attribute
    class Cart:
        def __init__(self, most):
            self.most = most

        def is_full(self, count, limit):
            return count >= «limit»
AssertionError: assert False

not any: an attribute of it is read
    def names(order):
        return «order».name
AssertionError: assert 1 == 'a'
where order: shop.Order
where order.name: str = 'a'
where order.title: str = 'b'
"""
)
