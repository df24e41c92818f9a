"""CheckedType: a check of a value's type lets too few types through, or too many."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._classes import are_kin, class_names, with_class
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import short_type
from selfdebug.codemods._names import dotted
from selfdebug.codemods._passing import passing

_SEEN = small_edit("seen", "take values of the type that came, too", 0.4)
_OTHER = small_edit("other", "take values of the type that came as those of an unlike type", 0.15)
_MORE = small_edit("more", "take values of a related type, too", 0.12)
_FEWER = small_edit("fewer", "take fewer types", 0.05)
_NO_BOOL = small_edit("no-bool", "take no truth value for a number", 0.2, "bool raises", growth=1)
_RELATED = {
    "int": ("float",),
    "float": ("int",),
    "list": ("tuple", "set"),
    "tuple": ("list",),
    "set": ("frozenset",),
    "str": ("bytes",),
    "bytes": ("bytearray",),
    "datetime": ("date",),
    "dict": ("list",),
}
_BUILTIN = frozenset(
    (
        *("int", "float", "complex", "list", "tuple", "set", "frozenset"),
        *("str", "bytes", "bytearray", "dict", "bool", "range"),
    )
)
_NUMBERS = frozenset(("int", "float", "Number", "Real", "Integral", "complex"))


class CheckedType(FirstOrder):
    """Check for another type, too, or not for one of several; tell a truth value from a number."""

    DESCRIPTION = "Take values of more types, or of fewer."
    NAME = "checked-type"
    VARIANTS = (_SEEN, _OTHER, _NO_BOOL, _MORE, _FEWER)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the check with other types."""
        match place.node:
            case cst.Call(func=cst.Name(value="isinstance"), args=[value, kinds]) as call:
                yield from _checks(place, call, value.value, kinds)


def _checks(
    place: Place, call: cst.Call, value: cst.BaseExpression, kinds: cst.Arg
) -> Iterator[Form]:
    names = class_names(kinds.value)
    if not all(names):
        return
    shown = place.code(value)
    for name in names:
        for more in _RELATED.get(name, ()):
            if more not in names and _is_known(place, more):
                why = f"a {more} is as good as a {name}"
                yield _MORE, with_class(kinds, more), why
    came = _type_of(place, value)
    if came and came not in names and _is_known(place, came):
        variant = _SEEN if any(are_kin(came, name) for name in names) else _OTHER
        yield variant, with_class(kinds, came), f"`{shown}` was of type {came}"
    if len(names) > 1 and isinstance(kinds.value, cst.Tuple):
        for name in names:
            rest = [each for each in names if each != name]
            code = rest[0] if len(rest) == 1 else f"({', '.join(rest)})"
            fewer = passing(
                call, [call.args[0], kinds.with_changes(value=cst.parse_expression(code))]
            )
            yield _FEWER, fewer, f"a {name} is not meant"
    if not _NUMBERS.isdisjoint(names) and "bool" not in names and dotted(value):
        code = f"OLD and not isinstance({shown}, bool)"
        yield _NO_BOOL, place.put(code), "True and False are of type int, too"


def _type_of(place: Place, value: cst.BaseExpression) -> str:
    """Return the name of the type that a value was seen to have; "" of None and of unseen ones."""
    seen = place.values.get(dotted(value) or "")
    return "" if seen is None or seen.type in ("NoneType", "bool") else short_type(seen)


def _is_known(place: Place, name: str) -> bool:
    return name in _BUILTIN or name in place.names


CheckedType.EXAMPLES = examples(
    """
seen: a date is written as a time is
    from datetime import date, datetime

    def encode(value):
        if «isinstance(value, datetime)»:  # as text
            return value.isoformat()
        raise TypeError("cannot encode")
TypeError: cannot encode
where value: datetime.date
    from datetime import date, datetime

    def encode(value):
        if isinstance(value, (datetime, date)):  # as text
            return value.isoformat()
        raise TypeError("cannot encode")

seen: one more of several
    def flat(item):
        return [*item] if «isinstance(item, (list, tuple))» else [item]
AssertionError: assert [{1}] == [1]
where item: set = {1}
    def flat(item):
        return [*item] if isinstance(item, (list, tuple, set)) else [item]

other: a text for a number
    def size(value):
        return «isinstance(value, int)»
AssertionError: assert not '3'
where value: str = '3'
    def size(value):
        return isinstance(value, (int, str))

more: a list or a tuple of them
    def flat(item):
        return [*item] if «isinstance(item, list)» else [item]
AssertionError: assert [(1, 2)] == [1, 2]
    def flat(item):
        return [*item] if isinstance(item, (list, tuple)) else [item]

no-bool: True is no number
    def is_number(value):
        return «isinstance(value, (int, float))»
AssertionError: assert not True
    def is_number(value):
        return isinstance(value, (int, float)) and not isinstance(value, bool)

fewer: a text is one item
    def flat(item):
        return [*item] if «isinstance(item, (list, tuple, str))» else [item]
AssertionError: assert ['a', 'b'] == ['ab']
where item: str = 'ab'
    def flat(item):
        return [*item] if isinstance(item, (tuple, str)) else [item]

not any: of a type that is not known there
    def encode(value):
        return «isinstance(value, datetime)»
AssertionError: assert False
where value: shop.Day

not seen: it is let through
    def flat(item):
        return «isinstance(item, list)»
AssertionError: assert True
where item: list = []

not no-bool: a text is checked for
    def is_text(value):
        return «isinstance(value, str)»
AssertionError: assert True

not more: another function is called
    def is_text(value):
        return «issubclass(value, list)»
AssertionError: assert True

not fewer: one is all there is
    def is_text(value):
        return «isinstance(value, str)»
AssertionError: assert True
"""
)
