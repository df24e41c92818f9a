"""BitwiseOperator: one operator on bits or sets written for another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._edit import Change, replaced
from selfdebug.codemods._first_order import FirstOrder, Place
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import SETS, kind_of
from selfdebug.syntax.precedence import fit

_ITEMS = ("missing-item", "extra-item", "empty", "number", "bool")
_OPPOSITE = Variant("opposite", "root-cause", "use the opposite operator", 0, 0.12, _ITEMS)
_OTHER = Variant("other", "root-cause", "use another operator on bits or sets", 0, 0.06, _ITEMS)

Operator: TypeAlias = type[cst.CSTNode]
_OPPOSITES: dict[Operator, Operator] = {
    cst.BitAnd: cst.BitOr,
    cst.BitOr: cst.BitAnd,
    cst.BitXor: cst.BitAnd,
    cst.LeftShift: cst.RightShift,
    cst.RightShift: cst.LeftShift,
    cst.BitAndAssign: cst.BitOrAssign,
    cst.BitOrAssign: cst.BitAndAssign,
    cst.BitXorAssign: cst.BitOrAssign,
    cst.LeftShiftAssign: cst.RightShiftAssign,
    cst.RightShiftAssign: cst.LeftShiftAssign,
}
_OTHERS: dict[Operator, tuple[Operator, ...]] = {
    cst.BitAnd: (cst.BitXor,),
    cst.BitOr: (cst.BitXor,),
    cst.BitXor: (cst.BitOr,),
    cst.BitAndAssign: (cst.BitXorAssign,),
    cst.BitOrAssign: (cst.BitXorAssign,),
    cst.BitXorAssign: (cst.BitAndAssign,),
}
_ON_SETS: dict[Operator, tuple[Operator, ...]] = {
    cst.BitAnd: (cst.Subtract,),
    cst.BitOr: (cst.Subtract,),
    cst.BitXor: (cst.Subtract,),
    cst.Subtract: (cst.BitAnd, cst.BitOr, cst.BitXor),
}


class BitwiseOperator(FirstOrder):
    """Use another operator on bits, flags or sets."""

    DESCRIPTION = "Use another operator on bits or sets."
    NAME = "bitwise-operator"
    VARIANTS = (_OPPOSITE, _OTHER)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the operation with other operators."""
        node = place.node
        if not isinstance(node, cst.BinaryOperation | cst.AugAssign):
            return
        old = type(node.operator)
        if old in _OPPOSITES:
            yield _OPPOSITE, _with(place, node, _OPPOSITES[old]), "the operator is the opposite one"
        for other in (*_OTHERS.get(old, ()), *_for_sets(place, node)):
            yield _OTHER, _with(place, node, other), "the operator is another one"


def _for_sets(place: Place, node: cst.BinaryOperation | cst.AugAssign) -> tuple[Operator, ...]:
    if not isinstance(node, cst.BinaryOperation):
        return ()
    kinds = {kind_of(place, node.left), kind_of(place, node.right)}
    return _ON_SETS.get(type(node.operator), ()) if kinds & SETS else ()


def _with(place: Place, node: cst.BinaryOperation | cst.AugAssign, new: Operator) -> Change:
    def make(updated: Any) -> Any:
        made = updated.with_changes(operator=_spaced(new, updated.operator))
        if isinstance(node, cst.AugAssign):
            return made
        left, right = (fit(getattr(updated, slot), made, getattr(made, slot)) for slot in _SIDES)
        return made.with_changes(left=left, right=right)

    return {node: make} if isinstance(node, cst.AugAssign) else replaced(place.tree, node, make)


_SIDES = ("left", "right")


def _spaced(new: Callable[..., cst.CSTNode], old: Any) -> cst.CSTNode:
    return new(whitespace_before=old.whitespace_before, whitespace_after=old.whitespace_after)


BitwiseOperator.EXAMPLES = examples(
    """
opposite: both flags
    def modes(readable, writable):
        return «readable & writable»
AssertionError: assert 0 == 3
    def modes(readable, writable):
        return readable | writable

opposite: what both have
    def common(ours, theirs):
        ours = set(ours)
        «ours|=theirs»  # a set
        return ours
AssertionError: assert {1, 2} == {1}
    def common(ours, theirs):
        ours = set(ours)
        ours&=theirs  # a set
        return ours

opposite: shifted the other way
    def pages(address):
        return «address << 12»
AssertionError: assert 4096 == 0
    def pages(address):
        return address >> 12

other: what only one has
    def changed(old, new):
        return «old & new»
AssertionError: assert 1 == 2
    def changed(old, new):
        return old ^ new

other: what is in both, of sets
    def known(names):
        return «set(names) - REGISTERED»
AssertionError: assert set() == {'a'}
    def known(names):
        return set(names) & REGISTERED

not any: numbers are taken away
    def rest(amount, paid):
        return «amount - paid»
AssertionError: assert 1 == 2
where amount: int = 3

not other: a shift has one opposite
    def pages(address):
        return «address << 12»
AssertionError: assert 4096 == 0

not any: another operator
    def pages(count):
        return «count // 12»
AssertionError: assert 4096 == 0
"""
)
