"""BitwiseOperator: one operator on bits or sets written for another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import function_of, nodes_of
from selfdebug.codemods._edit import Change, expression, putting, replaced, spaced_as
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import SETS, kind_of
from selfdebug.syntax.precedence import fit

_ITEMS = "missing-item extra-item empty number bool"
_OPPOSITE = small_edit("opposite", "use the opposite operator", 0.12, _ITEMS)
_INVERTED = small_edit(
    "inverted", "take the bits that are not set, or those that are", 0.15, _ITEMS
)
_CLEARED = small_edit("cleared", "clear the bits", 0.08, _ITEMS)
_MASKED = small_edit(
    "masked", "take the lowest bits, which are shifted out next", 0.25, "number bool"
)
_OTHER = small_edit("other", "use another operator on bits or sets", 0.06, _ITEMS)

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
    VARIANTS = (_OPPOSITE, _INVERTED, _CLEARED, _MASKED, _OTHER)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the operation with other operators."""
        node = place.node
        if isinstance(node, cst.Name) and place.is_read:
            yield from _masked(place, node)
        if not isinstance(node, cst.BinaryOperation | cst.AugAssign):
            return
        old = type(node.operator)
        if old in _OPPOSITES:
            yield _OPPOSITE, _with(place, node, _OPPOSITES[old]), "the operator is the opposite one"
        for other in (*_OTHERS.get(old, ()), *_for_sets(place, node)):
            yield _OTHER, _with(place, node, other), "the operator is another one"
        if isinstance(node, cst.BinaryOperation):
            yield from _inverted(place, node)
        else:
            yield from _inverted_value(place, node)


def _masked(place: Place, node: cst.Name) -> Iterator[Form]:
    """Yield the bits of a number that the function shifts out after each look at it."""
    function = function_of(place.tree, node)
    shifts = {} if function is None else _shifted(function)
    taken = isinstance(place.parent, cst.BinaryOperation) and isinstance(
        place.parent.operator, cst.BitAnd | cst.RightShift | cst.LeftShift | cst.Modulo
    )
    asks = isinstance(place.parent, cst.While | cst.ComparisonTarget | cst.Comparison)
    if node.value in shifts and not taken and not asks:
        mask = (1 << shifts[node.value]) - 1
        code = f"OLD & {mask if mask < 16 else hex(mask)}"
        yield _MASKED, place.put(code), f"`{node.value}` has more bits than these"


@lru_cache(maxsize=16)
def _shifted(function: cst.FunctionDef) -> dict[str, int]:
    """Return the variables of which a function drops the lowest bits, and how many at once."""
    found: dict[str, int] = {}
    for each in nodes_of(function.body):
        match each:
            case cst.AugAssign(
                target=cst.Name(value=name),
                operator=cst.RightShiftAssign(),
                value=cst.Integer(value=bits),
            ) if bits.isdecimal() and 0 < int(bits) <= _WIDEST:
                found[name] = int(bits)
    return found


_WIDEST = 32


def _inverted(place: Place, node: cst.BinaryOperation) -> Iterator[Form]:
    """Yield an operation on bits with one side inverted, or as it is where it was inverted."""
    if not (_is_bits(place, node.left) and _is_bits(place, node.right)):
        return
    if isinstance(node.operator, cst.BitAnd):
        for side in (node.right, node.left):
            bare = _bare(side)
            if bare is not None:
                change = replaced(place.tree, side, putting(bare))
                yield _INVERTED, change, f"`{place.code(bare)}` has the bits"
            elif not isinstance(side, cst.BinaryOperation):
                change = replaced(place.tree, side, _put_not)
                yield _INVERTED, change, f"`{place.code(side)}` has the bits that are not wanted"
    elif isinstance(node.operator, cst.BitOr | cst.BitXor):
        parts = {"LEFT": node.left, "RIGHT": node.right}
        why = f"the bits of `{place.code(node.right)}` are not wanted"
        yield _CLEARED, place.put("LEFT & ~RIGHT", **parts), why


def _inverted_value(place: Place, node: cst.AugAssign) -> Iterator[Form]:
    """Yield the same for an augmented assignment."""
    if not (_is_bits(place, node.target) and _is_bits(place, node.value)):
        return
    bare = _bare(node.value)
    value = node.value if bare is None else bare
    why = f"`{place.code(value)}` has the bits"
    if isinstance(node.operator, cst.BitAndAssign):
        make = _put_not if bare is None else putting(bare)
        yield _INVERTED, replaced(place.tree, node.value, make), why
        if bare is not None:
            change = _with(place, node, cst.BitOrAssign)
            yield _CLEARED, {node: _with_value(change[node], bare)}, why
    elif isinstance(node.operator, cst.BitOrAssign | cst.BitXorAssign):
        change = _with(place, node, cst.BitAndAssign)
        inverted = fit(expression("~OLD", OLD=value), node, value)
        yield _CLEARED, {node: _with_value(change[node], inverted)}, why


def _is_bits(place: Place, node: cst.BaseExpression) -> bool:
    """Say whether a value may be bits: a number or flags, no set, no truth value, no dictionary."""
    return kind_of(place, node) not in {*SETS, "bool", "dict", "str", "DataFrame", "Series"}


def _bare(node: cst.BaseExpression) -> cst.BaseExpression | None:
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.BitInvert):
        return node.expression
    return None


def _put_not(old: cst.BaseExpression) -> cst.BaseExpression:
    return expression("~OLD", OLD=old)


def _with_value(
    make: Callable[[Any], cst.CSTNode], value: cst.BaseExpression
) -> Callable[[Any], cst.CSTNode]:
    return lambda updated: make(updated).with_changes(value=value)


def _for_sets(place: Place, node: cst.BinaryOperation | cst.AugAssign) -> tuple[Operator, ...]:
    if not isinstance(node, cst.BinaryOperation):
        return ()
    kinds = {kind_of(place, node.left), kind_of(place, node.right)}
    return _ON_SETS.get(type(node.operator), ()) if kinds & SETS else ()


def _with(place: Place, node: cst.BinaryOperation | cst.AugAssign, new: Operator) -> Change:
    def make(updated: Any) -> Any:
        made = updated.with_changes(operator=spaced_as(updated.operator, new))
        if isinstance(node, cst.AugAssign):
            return made
        left, right = (fit(getattr(updated, slot), made, getattr(made, slot)) for slot in _SIDES)
        return made.with_changes(left=left, right=right)

    return {node: make} if isinstance(node, cst.AugAssign) else replaced(place.tree, node, make)


_SIDES = ("left", "right")


BitwiseOperator.EXAMPLES = examples(
    """
masked: one bit after the other
    def mirrored(number):
        found = 0
        while number:
            found = found << 1 | «number»
            number >>= 1
        return found
AssertionError: assert 7 == 3
    def mirrored(number):
        found = 0
        while number:
            found = found << 1 | number & 1
            number >>= 1
        return found

masked: a byte at a time
    def octets(number):
        found = []
        while number:
            found.append(«number»)
            number >>= 8
        return found
AssertionError: assert [258, 1] == [2, 1]
    def octets(number):
        found = []
        while number:
            found.append(number & 0xff)
            number >>= 8
        return found

not masked: the loop goes on as long as there are bits
    def count(number):
        found = 0
        while «number»:
            number >>= 1
            found += 1
        return found
AssertionError: assert 7 == 3

not masked: nothing is shifted out
    def count(number, found):
        return found | «number»
AssertionError: assert 7 == 3

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

inverted: what the mask leaves
    def masked(mode, mask):
        return «mode & mask»  # of a file
AssertionError: assert 18 == 420
    def masked(mode, mask):
        return mode & ~mask  # of a file

inverted: in an augmented assignment
    def hide(self, layers):
        «self.visible &= layers.bits»
AssertionError: assert 2 == 5
    def hide(self, layers):
        self.visible &= ~layers.bits

inverted: the bits themselves
    def low(address):
        return «address & ~(PAGE - 1)»
AssertionError: assert 4096 == 3
    def low(address):
        return address & (PAGE - 1)

cleared: a flag that goes
    def without(flags, flag):
        return «flags ^ flag»
AssertionError: assert 4 == 0
    def without(flags, flag):
        return flags & ~flag

cleared: of the object
    def close(self):
        «self.state |= OPEN»
AssertionError: assert 1 == 0
    def close(self):
        self.state &= ~OPEN

not inverted: truth values
    def both(a, b):
        return «(a > 0) & (b > 0)»
AssertionError: assert True is False

not inverted: sets
    def common(ours, theirs):
        return «set(ours) & theirs»
AssertionError: assert {1} == {2}

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

not inverted: a dictionary is merged
    def settings(own: dict, other: dict):
        return «own & other»
AssertionError: assert 1 == 2

not any: words for clauses
    def both(a, b):
        return «a and b»
AssertionError: assert 1 == 2

not other: what is taken away is a number
    def rest(self, paid: int):
        «self.amount -= paid»
AssertionError: assert 1 == 2

not any: bits that are turned over have no other operator
    def negated(flags):
        return «~flags»
AssertionError: assert 1 == 0

not cleared: a set is joined
    def known(ours: set, theirs: set):
        return «ours | theirs»
AssertionError: assert {1, 2} == {1}
"""
)
