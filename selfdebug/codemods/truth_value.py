"""TruthValue: what is empty or zero was taken for missing, or what is missing for something else."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import kind_of
from selfdebug.codemods._names import dotted

_MISSING = small_edit("missing", "tell what is missing from what is empty or zero", 0.08)
_DEFAULT = small_edit(
    "default", "use the default only for what is missing", 0.1, "number empty", growth=1
)
_EMPTY = small_edit("empty", "treat what is empty as what is missing", 0.05)
_THERE = small_edit("there", "tell the empty value or zero that came from a missing one", 0.2)
_NOTHING = small_edit("nothing", "treat the empty value that came as a missing one", 0.25)


class TruthValue(FirstOrder):
    """Ask whether a value is None where it was asked whether it is true, and the reverse."""

    DESCRIPTION = "Tell a missing value from an empty one or zero, or treat them alike."
    NAME = "truth-value"
    VARIANTS = (_THERE, _NOTHING, _MISSING, _DEFAULT, _EMPTY)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other question that may be asked of a value."""
        node = place.node
        match node:
            case cst.BooleanOperation(operator=cst.Or(), left=left) if dotted(left):
                yield from _defaulted(place, node)
            case cst.Comparison(
                left=left,
                comparisons=[
                    cst.ComparisonTarget(
                        operator=cst.Is() | cst.IsNot() as sign, comparator=cst.Name(value="None")
                    )
                ],
            ):
                code = "VALUE" if isinstance(sign, cst.IsNot) else "not VALUE"
                variant = _NOTHING if _is_empty(place, left) else _EMPTY
                yield variant, place.put(code, VALUE=left), f"`{place.code(left)}` may be empty"
            case cst.UnaryOperation(operator=cst.Not(), expression=inner) if _may_be_none(
                place, inner
            ):
                yield from _asked(place, inner, "VALUE is None")
        if (
            _is_condition(place)
            and isinstance(node, cst.BaseExpression)
            and _may_be_none(place, node)
        ):
            yield from _asked(place, node, "VALUE is not None")


def _asked(place: Place, value: cst.BaseExpression, code: str) -> Iterator[Form]:
    why = f"`{place.code(value)}` is there even if it is empty or zero"
    variant = _THERE if _is_empty(place, value) else _MISSING
    yield variant, place.put(code, VALUE=value), why


def _is_empty(place: Place, value: cst.BaseExpression) -> bool:
    """Say whether a variable was seen to hold something that is empty or zero, but there."""
    seen = place.values.get(dotted(value) or "")
    if seen is None or seen.type in ("NoneType", "bool"):
        return False
    return seen.size == 0 or seen.text in ("0", "0.0", "''", '""', "[]", "{}", "()")


def _defaulted(place: Place, node: cst.BooleanOperation) -> Iterator[Form]:
    code = "VALUE if VALUE is not None else DEFAULT"
    why = f"`{place.code(node.left)}` holds even if it is empty or zero"
    yield _DEFAULT, place.put(code, VALUE=node.left, DEFAULT=node.right), why


def _is_condition(place: Place) -> bool:
    node, parent = place.node, place.parent
    if isinstance(parent, cst.BooleanOperation):
        return isinstance(parent.operator, cst.And) and node is parent.left
    asks = isinstance(parent, cst.If | cst.While | cst.IfExp | cst.CompIf)
    return asks and getattr(parent, "test", None) is node


def _may_be_none(place: Place, node: cst.BaseExpression) -> bool:
    if not isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
        return False
    return kind_of(place, node) not in ("bool", "module", "function")


TruthValue.EXAMPLES = examples(
    """
missing: zero is a limit too
    def within(amount, limit):
        if «limit»:  # none: no limit
            return amount <= limit
        return True
AssertionError: assert True is False
    def within(amount, limit):
        if limit is not None:  # none: no limit
            return amount <= limit
        return True

missing: the first item is at 0
    def has(items, wanted):
        at = find(items, wanted)
        if «not at»:
            return False
        return True
AssertionError: assert False
    def has(items, wanted):
        at = find(items, wanted)
        if at is None:
            return False
        return True

default: a discount of zero is one
    def discount(customer):
        return «customer.discount or 0.1»
AssertionError: assert 0.1 == 0
    def discount(customer):
        return customer.discount if customer.discount is not None else 0.1

there: zero came, and is a limit
    def within(amount, limit):
        if «limit»:
            return amount <= limit
        return True
AssertionError: assert True is False
where limit: int = 0
    def within(amount, limit):
        if limit is not None:
            return amount <= limit
        return True

nothing: an empty text came
    def number(text, default):
        if «text is None»:
            return default
        return int(text)
ValueError: invalid literal for int() with base 10: ''
where text: str = ''
    def number(text, default):
        if not text:
            return default
        return int(text)

empty: an empty name is none
    def label(user):
        return user.name if «user.name is not None» else "unknown"
AssertionError: assert '' == 'unknown'
    def label(user):
        return user.name if user.name else "unknown"

empty: nothing to do
    def worst(marks):
        if «marks is None»:
            return 0
        return max(marks)
AssertionError: assert 1 == 0
    def worst(marks):
        if not marks:
            return 0
        return max(marks)

not any: it is True or False
    def shown(item):
        return 1 if «item.is_new» else 0
AssertionError: assert 0 == 1
where item.is_new: bool = False

not default: what has to be called is called once
    def label(user):
        return «user.name() or "unknown"»
AssertionError: assert '' == 'unknown'

not there: a text came that says something
    def within(amount, limit):
        if «limit»:
            return amount <= limit
        return True
AssertionError: assert True is False
where limit: str = 'a'

not any: a comparison is True or False
    def label(count):
        return 1 if «count > 1» else 0
AssertionError: assert 0 == 1

not any: it is compared with zero
    def label(count):
        return 1 if «count == 0» else 0
AssertionError: assert 0 == 1

not any: it is asked which object it is
    def same(one, other):
        return «one is other»
AssertionError: assert False is True
"""
)
