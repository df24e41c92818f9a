"""ComparisonOperator: one comparison written for another, as `<` for `<=`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._edit import Change, symbol
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form

_OF_BOUNDS = "off-by-one missing-item extra-item duplicate bool raises hang"
_BOUND = small_edit("bound", "count the bound itself, or not", 0.12, _OF_BOUNDS)
_OPPOSITE = small_edit("opposite", "compare the other way", 0.06, "bool raises order")
_OTHER = small_edit("other", "compare for another relation", 0.02, "bool raises hang")
_BOUNDS: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.LessThan: cst.LessThanEqual,
    cst.LessThanEqual: cst.LessThan,
    cst.GreaterThan: cst.GreaterThanEqual,
    cst.GreaterThanEqual: cst.GreaterThan,
}
_OPPOSITES: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.LessThan: cst.GreaterThan,
    cst.GreaterThan: cst.LessThan,
    cst.LessThanEqual: cst.GreaterThanEqual,
    cst.GreaterThanEqual: cst.LessThanEqual,
    cst.Equal: cst.NotEqual,
    cst.NotEqual: cst.Equal,
    cst.In: cst.NotIn,
    cst.NotIn: cst.In,
    cst.Is: cst.IsNot,
    cst.IsNot: cst.Is,
}
_OTHERS: dict[type[cst.BaseCompOp], tuple[type[cst.BaseCompOp], ...]] = {
    cst.LessThan: (cst.GreaterThanEqual, cst.NotEqual),
    cst.LessThanEqual: (cst.GreaterThan, cst.Equal),
    cst.GreaterThan: (cst.LessThanEqual, cst.NotEqual),
    cst.GreaterThanEqual: (cst.LessThan, cst.Equal),
    cst.Equal: (cst.GreaterThanEqual, cst.LessThanEqual),
    cst.NotEqual: (cst.LessThan, cst.GreaterThan),
    cst.Is: (cst.Equal,),
    cst.IsNot: (cst.NotEqual,),
    cst.In: (cst.Equal,),
    cst.NotIn: (cst.NotEqual,),
}


class ComparisonOperator(FirstOrder):
    """Compare by another operator."""

    DESCRIPTION = "Compare by another operator."
    NAME = "comparison-operator"
    VARIANTS = (_BOUND, _OPPOSITE, _OTHER)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the operators that a comparison may have meant."""
        node = place.node
        if not isinstance(node, cst.Comparison):
            return
        for number, target in enumerate(node.comparisons):
            old = type(target.operator)
            for variant, kinds in (
                (_BOUND, (_BOUNDS[old],) if old in _BOUNDS else ()),
                (_OPPOSITE, (_OPPOSITES[old],) if old in _OPPOSITES else ()),
                (_OTHER, _OTHERS.get(old, ())),
            ):
                for kind in kinds:
                    if not _may_be(kind, node, number) or (variant is _OTHER and _refuses(place)):
                        continue
                    yield variant, _with(node, number, kind), f"it compared by `{symbol(old)}`"


def _refuses(place: Place) -> bool:
    """Say whether a check raises for all that differs: it does so to either side on purpose."""
    match place.statement:
        case cst.If(test=test, body=cst.IndentedBlock(body=[*_, last])) if test is place.node:
            raises = isinstance(last, cst.SimpleStatementLine) and isinstance(
                last.body[-1], cst.Raise
            )
            return raises and isinstance(test, cst.Comparison) and _is_unequal(test)
    return False


def _is_unequal(test: cst.Comparison) -> bool:
    return any(isinstance(each.operator, cst.NotEqual) for each in test.comparisons)


def _may_be(kind: type[cst.BaseCompOp], node: cst.Comparison, number: int) -> bool:
    """Say whether an operator may have been meant between these operands."""
    left = node.comparisons[number - 1].comparator if number else node.left
    old, right = type(node.comparisons[number].operator), node.comparisons[number].comparator
    if {old, kind} & {cst.Is, cst.IsNot} and {old, kind} & {cst.Equal, cst.NotEqual}:
        return not (_is_single(left) or _is_single(right))
    if issubclass(kind, cst.Equal | cst.NotEqual) and issubclass(old, cst.In | cst.NotIn):
        return not isinstance(right, cst.Tuple | cst.List | cst.Set | cst.Dict)
    if issubclass(old, cst.Equal | cst.NotEqual) and not issubclass(kind, cst.Equal | cst.NotEqual):
        return not any(isinstance(side, _UNORDERED) or _is_single(side) for side in (left, right))
    return True


_UNORDERED = (cst.BaseString, cst.BaseList, cst.BaseDict, cst.BaseSet, cst.Tuple)


def _is_single(node: cst.BaseExpression) -> bool:
    """Say whether an expression is one of the objects of which there is one only."""
    return isinstance(node, cst.Name) and node.value in ("None", "True", "False")


def _with(node: cst.Comparison, number: int, kind: type[cst.BaseCompOp]) -> Change:
    def make(updated: cst.Comparison) -> cst.Comparison:
        targets = [*updated.comparisons]
        old: Any = targets[number].operator
        space = {
            "whitespace_before": old.whitespace_before,
            "whitespace_after": _word_space(old.whitespace_after, kind),
        }
        if issubclass(kind, cst.In | cst.NotIn | cst.Is | cst.IsNot):
            space["whitespace_before"] = _word_space(old.whitespace_before, kind)
        targets[number] = targets[number].with_changes(operator=kind(**space))
        return updated.with_changes(comparisons=targets)

    return {node: make}


def _word_space(
    space: cst.BaseParenthesizableWhitespace, kind: type[cst.BaseCompOp]
) -> cst.BaseParenthesizableWhitespace:
    """Return the space beside an operator: a word needs some."""
    words = issubclass(kind, cst.In | cst.NotIn | cst.Is | cst.IsNot)
    return cst.SimpleWhitespace(" ") if words and space.empty else space


ComparisonOperator.EXAMPLES = examples(
    """
bound: the limit itself is allowed
    def may_enter(age, least):
        return «age > least»  # of this year
AssertionError: assert False
    def may_enter(age, least):
        return age >= least  # of this year

bound: in the middle of a chain
    def inside(low, at, high):
        if «low <= at <= high»:
            return True
        return False
AssertionError: assert True is False
    def inside(low, at, high):
        if low < at <= high:
            return True
        return False

opposite: the other way round
    while «stock<needed»:
        stock -= 1
AssertionError: assert 0 == 3
    while stock>needed:
        stock -= 1

other: enough is enough
    def is_full(self):
        return «len(self.seats)==self.size»
AssertionError: assert False
    def is_full(self):
        return len(self.seats)>=self.size

not other: a check that refuses all that differs does so on purpose
    def check(rows, expected):
        if «len(rows) != expected»:
            raise ValueError("rows are missing")
AssertionError: assert False

not other: a text is neither more nor less
    def is_open(order):
        return «order.state == "open"»
AssertionError: assert False

not other: None is one object
    def is_open(order):
        return «order.closed is None»
AssertionError: assert False

not any: nothing is compared
    def add(a, b):
        return «a + b»
AssertionError: assert 3 == 4

not other: a list is no single text
    def is_open(order):
        return «order.state in ["open", "new"]»
AssertionError: assert False

not bound: a text has no next one
    def is_open(order):
        return «order.state == "open"»
AssertionError: assert False
"""
)
