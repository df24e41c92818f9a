"""ComparedFields: records are compared by some of the fields that make up their order or identity."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, cast

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._edit import Change, expression
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import short_type
from selfdebug.codemods._names import dotted
from selfdebug.syntax.modules import definitions, read_module

_TELLS = "order bool off-by-one number"
_NEXT = small_edit("next", "compare by the next field where this is the same", 0.35, _TELLS)
_LARGER = small_edit("larger", "compare by the larger unit first", 0.2, _TELLS)
_FIELD = small_edit("field", "compare by another field of the class too", 0.06, _TELLS)
_ITEM = small_edit("item", "compare by the next item too", 0.06, _TELLS)

_UNITS = tuple(
    tuple(each.split())
    for each in (
        *(
            "year month day hour minute second microsecond",
            "major minor patch",
            "major minor micro",
        ),
        *("row column", "row col", "line column", "lineno col_offset", "week weekday", "y x"),
        *("hours minutes seconds", "degrees minutes seconds", "pounds shillings pence"),
        *("chapter verse", "section paragraph", "volume issue page", "last_name first_name"),
        *(
            "surname forename",
            "last first",
        ),
    )
)
"""Fields that come one after the other in an order, the largest unit first."""
_DAY = 3  # of the units of time: a date ends, and a time of day begins
_ORDERS = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)
_EQUAL = (cst.Equal, cst.NotEqual)
_MOST = 4  # further fields of a class


class ComparedFields(FirstOrder):
    """Compare two records by further fields: the day where the months are the same."""

    DESCRIPTION = "Compare records by further fields."
    NAME = "compared-fields"
    VARIANTS = (_NEXT, _LARGER, _FIELD, _ITEM)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the comparison of the same field of two objects with tuples of fields instead."""
        match place.node:
            case cst.Comparison(
                left=cst.Attribute() as left,
                comparisons=[
                    cst.ComparisonTarget(operator=operator, comparator=cst.Attribute() as right)
                ],
            ) if left.attr.value == right.attr.value and dotted(left.value) != dotted(right.value):
                if dotted(left) and dotted(right):
                    yield from _by_fields(place, left, right, isinstance(operator, _ORDERS))
            case cst.Comparison(
                left=cst.Tuple() as left,
                comparisons=[
                    cst.ComparisonTarget(operator=operator, comparator=cst.Tuple() as right)
                ],
            ) if isinstance(operator, (*_ORDERS, *_EQUAL)):
                yield from _by_longer(place, left, right)
            case cst.Comparison(
                left=cst.Subscript() as left,
                comparisons=[
                    cst.ComparisonTarget(operator=operator, comparator=cst.Subscript() as right)
                ],
            ) if isinstance(operator, _ORDERS):
                yield from _by_items(place, left, right)


def _by_fields(
    place: Place, left: cst.Attribute, right: cst.Attribute, ordered: bool
) -> Iterator[Form]:
    name = left.attr.value
    if not (ordered or isinstance(_operator(place), _EQUAL)):
        return
    for variant, fields in (*_by_units(name, ordered), *_by_class(place, left.value, name)):
        change: Change = {side: _all_of(fields) for side in (left, right)}
        yield variant, change, f"`{name}` alone does not tell"


def _operator(place: Place) -> cst.CSTNode:
    return cast("cst.Comparison", place.node).comparisons[0].operator


def _all_of(fields: Sequence[str]) -> Any:
    code = f"({', '.join(f'OWNER.{name}' for name in fields)})"
    return lambda old: expression(code, OWNER=old.value)


def _by_units(name: str, ordered: bool) -> Iterator[tuple[Variant, Sequence[str]]]:
    """Yield the fields of which a unit is one, with those that come after it, or before."""
    for units in _UNITS:
        if name not in units:
            continue
        at = units.index(name)
        for part in _parts(units, at):
            after, before = part[part.index(name) :], part[: part.index(name) + 1]
            if ordered:
                yield from ((_NEXT, after[:end]) for end in range(2, len(after) + 1))
            if len(before) > 1:
                yield _LARGER, before
                yield from [(_LARGER, before[-2:])] if len(before) > 2 else []


def _parts(units: Sequence[str], at: int) -> Iterator[Sequence[str]]:
    """Yield the units that make up one value: those of a date, or of a time of day."""
    if units[0] != "year":
        yield units
    elif at < _DAY:
        yield units[:_DAY]
    else:
        yield units[_DAY:]


def _by_class(
    place: Place, owner: cst.BaseExpression, name: str
) -> Iterator[tuple[Variant, Sequence[str]]]:
    if any(name in units for units in _UNITS):
        return
    fields = _fields_of(place, dotted(owner) or "", name)
    others = [each for each in fields if each != name]
    for other in others[:_MOST]:
        yield _FIELD, (name, other)


def _fields_of(place: Place, owner: str, name: str) -> Sequence[str]:
    """Return the fields of an object's class in their order, the class known by value or field."""
    value = place.values.get(owner)
    for fields in _classes(place, short_type(value) if value is not None else ""):
        if name in fields:
            at = fields.index(name)
            return (*fields[at:], *fields[:at])
    return ()


def _classes(place: Place, kind: str) -> tuple[tuple[str, ...], ...]:
    """Return the fields of the class of a name, then those of the classes of the module."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("fields", path, kind)
    if key not in parsed:
        own = read_module(path, place.project).definitions
        named = definitions(kind, place.project) if kind else ()
        nodes = [each.node for each in (*named, *own)]
        parsed[key] = tuple(_declared(each) for each in nodes if isinstance(each, ast.ClassDef))
    return cast("tuple[tuple[str, ...], ...]", parsed[key])


def _declared(kind: ast.ClassDef) -> tuple[str, ...]:
    return tuple(
        each.target.id
        for each in kind.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    )


def _by_longer(place: Place, left: cst.Tuple, right: cst.Tuple) -> Iterator[Form]:
    """Yield the comparison of the same fields of two objects with one field more."""
    ours, theirs = _of_one(left), _of_one(right)
    if ours is None or theirs is None or ours[1] != theirs[1] or ours[0] == theirs[0]:
        return
    if "#" in place.code(place.node):  # a comment would go with the comma that is copied
        return
    owner, names = ours
    found = {**dict.fromkeys(_after(names)), **dict.fromkeys(_fields_of(place, owner, names[-1]))}
    for name in [each for each in found if each not in names][:_MOST]:
        change: Change = {left: _with_field(owner, name), right: _with_field(theirs[0], name)}
        variant = _NEXT if name in _after(names) else _FIELD
        yield variant, change, f"`{name}` counts too"


def _of_one(node: cst.Tuple) -> tuple[str, tuple[str, ...]] | None:
    """Return the object and the names of the fields of a tuple of its fields alone."""
    spelled = [dotted(each.value) or "" for each in node.elements]
    parts = [each.rpartition(".") for each in spelled]
    owners = {owner for owner, _, _ in parts}
    if len(parts) < 2 or len(owners) != 1 or not all(owners):
        return None
    return owners.pop(), tuple(name for _, _, name in parts)


def _after(names: Sequence[str]) -> tuple[str, ...]:
    for units in _UNITS:
        if names[-1] in units and names[0] in units:
            at = units.index(names[-1]) + 1
            end = _DAY if units[0] == "year" and at <= _DAY else len(units)
            return units[at:end][:1]
    return ()


def _with_field(owner: str, name: str) -> Any:
    def make(updated: cst.Tuple) -> cst.Tuple:
        *rest, last = updated.elements
        comma = rest[0].comma if rest else cst.MaybeSentinel.DEFAULT
        new = cst.Element(cst.parse_expression(f"{owner}.{name}"), comma=last.comma)
        return updated.with_changes(elements=[*rest, last.with_changes(comma=comma), new])

    return make


def _by_items(place: Place, left: cst.Subscript, right: cst.Subscript) -> Iterator[Form]:
    """Yield the comparison of the same item of two sequences with that of the next one, or of all."""
    match left.slice, right.slice:
        case (
            [cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value=at)))],
            [cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value=other)))],
        ) if at == other and place.code(left.value) != place.code(right.value):
            why = f"the items at {at} may be the same"
            code = f"(OWNER[{at}], OWNER[{int(at) + 1}])"
            yield _ITEM, {side: _items(code) for side in (left, right)}, why
            yield _ITEM, {left: lambda _: left.value, right: lambda _: right.value}, why


def _items(code: str) -> Any:
    return lambda old: expression(code, OWNER=old.value)


ComparedFields.EXAMPLES = examples(
    """
next: the same month
    def had_birthday(today, born):
        return «today.month >= born.month»  # this year
AssertionError: assert True is False
    def had_birthday(today, born):
        return (today.month, today.day) >= (born.month, born.day)  # this year

next: the same hour
    def is_late(now, closing):
        if «now.hour>closing.hour»:
            return True
        return False
AssertionError: assert False is True
    def is_late(now, closing):
        if (now.hour, now.minute)>(closing.hour, closing.minute):
            return True
        return False

next: versions
    def is_newer(self, other):
        return «(self.major, self.minor) > (other.major, other.minor)»
AssertionError: assert False is True
    def is_newer(self, other):
        return (self.major, self.minor, self.patch) > (other.major, other.minor, other.patch)

larger: the same month of another year
    def same_month(one, other):
        return «one.month == other.month»
AssertionError: assert True is False
    def same_month(one, other):
        return (one.year, one.month) == (other.year, other.month)

field: of two tasks of one priority
    class Task:
        priority: int
        number: int

    def before(one, other):
        return «one.priority < other.priority»
AssertionError: assert False is True
    class Task:
        priority: int
        number: int

    def before(one, other):
        return (one.priority, one.number) < (other.priority, other.number)

item: pairs
    def before(one, other):
        return «one[0] < other[0]»
AssertionError: assert False is True
    def before(one, other):
        return (one[0], one[1]) < (other[0], other[1])

not any: another field
    def is_over(now, span):
        return «now.hour > span.end»
AssertionError: assert False is True

not any: the day is the last
    def is_earlier(one, other):
        return «(one.month, one.day) < (other.month, other.day)»
AssertionError: assert False is True

not any: one object
    def is_turned(box):
        return «box.width < box.width»
AssertionError: assert False is True

not next: equal in the next unit is another question
    def same_hour(one, other):
        return «one.hour == other.hour»
AssertionError: assert True is False

not any: items of two places
    def before(one, other):
        return «one[0] < other[1]»
AssertionError: assert False is True

not any: one field, and a limit
    def is_late(one, limit):
        return «one.hour > limit»
AssertionError: assert False is True
"""
)
