"""ArithmeticOperator: one operator written for another, operations grouped or counted amiss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._edit import Change, expression, replaced, spaced_as, symbol
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import NUMBERS, kind_of
from selfdebug.codemods._passing import last_of
from selfdebug.syntax.precedence import fit

_OPPOSITE = small_edit("opposite", "calculate the other way", 0.06, "sign number factor")
_DIVISION = small_edit("division", "divide with or without a fraction", 0.07, "rounding type")
_OTHER = small_edit("other", "calculate with another operator", 0.02, "number")
_GROUPING = small_edit("grouping", "calculate in another order", 0.03, "number")
_EXCHANGED = small_edit("exchanged", "exchange two operators", 0.03, "number factor")
_DROPPED = small_edit("dropped", "leave out an operand", 0.02, "off-by-one factor number")
_SIGN = small_edit("sign", "leave out the minus", 0.08, "sign order")
_UP = small_edit("up", "round up", 0.08, "off-by-one rounding")
_CEILING = small_edit("ceiling", "round up what is over, and nothing more", 0.4, "off-by-one")
_ONE = small_edit("one", "count one more or less", 0.04, "off-by-one hang")

Operator: TypeAlias = type[cst.BaseBinaryOp]
_OPPOSITES: dict[Operator, Operator] = {
    cst.Add: cst.Subtract,
    cst.Subtract: cst.Add,
    cst.Multiply: cst.Divide,
    cst.Divide: cst.Multiply,
    cst.FloorDivide: cst.Modulo,
    cst.Modulo: cst.FloorDivide,
    cst.Power: cst.Multiply,
}
_DIVISIONS: dict[Operator, Operator] = {
    cst.Divide: cst.FloorDivide,
    cst.FloorDivide: cst.Divide,
}
_OTHERS: dict[Operator, tuple[Operator, ...]] = {
    cst.Add: (cst.Multiply,),
    cst.Subtract: (cst.Divide, cst.Multiply, cst.Modulo),
    cst.Multiply: (cst.Add, cst.Power, cst.FloorDivide, cst.Subtract),
    cst.Divide: (cst.Subtract, cst.Modulo),
    cst.FloorDivide: (cst.Multiply, cst.Subtract),
    cst.Modulo: (cst.Divide, cst.Multiply),
    cst.Power: (cst.Divide,),
}
_AUGMENTED: dict[Operator, type[cst.BaseAugOp]] = {
    cst.Add: cst.AddAssign,
    cst.Subtract: cst.SubtractAssign,
    cst.Multiply: cst.MultiplyAssign,
    cst.Divide: cst.DivideAssign,
    cst.FloorDivide: cst.FloorDivideAssign,
    cst.Modulo: cst.ModuloAssign,
    cst.Power: cst.PowerAssign,
}
_PLAIN = {augmented: plain for plain, augmented in _AUGMENTED.items()}
_COUNTED = (cst.Name, cst.Attribute, cst.Call, cst.BinaryOperation, cst.Subscript)
_ASSOCIATIVE = (cst.Add, cst.Multiply)


class ArithmeticOperator(FirstOrder):
    """Calculate with another operator, in another order, or with one more or less."""

    DESCRIPTION = "Calculate with another operator, or in another order."
    NAME = "arithmetic-operator"
    VARIANTS = (
        *(_OPPOSITE, _DIVISION, _OTHER, _GROUPING, _EXCHANGED),
        *(_DROPPED, _SIGN, _UP, _CEILING, _ONE),
    )

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield what a calculation, or a number that is returned or given, may have meant."""
        node = place.node
        match node:
            case cst.AugAssign(target=left, operator=operator, value=right):
                old = _PLAIN.get(type(operator))
                if old is not None and _calculates(place, left, right):
                    for variant, new in _instead(old):
                        yield variant, _augmented(node, new), f"it calculated by `{symbol(old)}`"
            case cst.BinaryOperation(left=left, right=right) if _calculates(place, left, right):
                yield from _operations(place, node)
            case cst.UnaryOperation(operator=cst.Minus(), expression=inner) if not isinstance(
                inner, cst.BaseNumber
            ):
                yield _SIGN, place.keep(inner), f"`{place.code(inner)}` has the right sign"
        if isinstance(node, _COUNTED) and _is_counted(place, node):
            for sign in "+-":
                yield _ONE, place.put(f"OLD {sign} 1"), f"`{place.code(node)}` was off by one"


def _operations(place: Place, node: cst.BinaryOperation) -> Iterator[Form]:
    old = type(node.operator)
    if old in _OPPOSITES:
        for variant, new in _instead(old):
            yield variant, _with(place, node, new), f"it calculated by `{symbol(old)}`"
        yield from _without(place, node)
    yield from _regrouped(place, node)
    yield from _exchanged(place, node)
    if old is cst.FloorDivide:
        up = place.put("-(-A // B)", A=node.left, B=node.right)
        yield _UP, up, "what is left over counts as a whole one"
        yield from _rounded_up(place, node)


def _rounded_up(place: Place, node: cst.BinaryOperation) -> Iterator[Form]:
    """Yield a division that rounds up: ``(a + b - 1) // b``."""
    left, by = node.left, place.code(node.right)
    if not isinstance(left, cst.BinaryOperation):
        if not isinstance(left, cst.BaseNumber | cst.UnaryOperation):
            up = place.put("(A + B - 1) // B", A=left, B=node.right)
            yield _UP, up, "what is left over counts as a whole one"
        return
    match left.operator, left.right:
        case cst.Add(), right if by in (place.code(right), place.code(left.left)):
            change = replaced(place.tree, left, lambda old: expression("OLD - 1", OLD=old))
            yield _CEILING, change, "a whole number counted as one more"
        case cst.Subtract(), cst.Integer(value="1"):
            yield _CEILING, replaced(place.tree, left, _plus(by)), "what is left over was lost"


def _plus(by: str) -> Callable[[Any], cst.BaseExpression]:
    """Return what makes ``a + by - 1`` of ``a - 1``."""

    def make(old: Any) -> cst.BaseExpression:
        inner = expression("A + B", A=old.left, B=cst.parse_expression(by))
        made: cst.BaseExpression = old.with_changes(left=fit(inner, old, old.left))
        return made

    return make


def _calculates(place: Place, left: cst.BaseExpression, right: cst.BaseExpression) -> bool:
    """Say whether an operation is seen to be on numbers, or not seen to be on anything else."""
    kinds = {kind_of(place, left), kind_of(place, right)}
    return kinds <= {*NUMBERS, "", "bool", "date", "datetime", "timedelta"}


def _instead(old: Operator) -> Iterator[tuple[Variant, Operator]]:
    yield _OPPOSITE, _OPPOSITES[old]
    if old in _DIVISIONS:
        yield _DIVISION, _DIVISIONS[old]
    for other in _OTHERS[old]:
        yield _OTHER, other


def _with(place: Place, node: cst.BinaryOperation, new: Operator) -> Change:
    def make(updated: Any) -> cst.BaseExpression:
        old = updated.operator
        made = updated.with_changes(operator=spaced_as(old, new))
        # What held together by the old operator's precedence still does.
        left, right = (fit(getattr(updated, slot), made, getattr(made, slot)) for slot in _SIDES)
        result: cst.BaseExpression = made.with_changes(left=left, right=right)
        return result

    return replaced(place.tree, node, make)


_SIDES = ("left", "right")


def _augmented(node: cst.AugAssign, new: Operator) -> Change:
    def make(updated: Any) -> cst.AugAssign:
        old = updated.operator
        made: cst.AugAssign = updated.with_changes(operator=spaced_as(old, _AUGMENTED[new]))
        return made

    return {node: make}


def _regrouped(place: Place, node: cst.BinaryOperation) -> Iterator[Form]:
    """Yield the operation with the other of its two operators first."""
    left, right, outer = node.left, node.right, node.operator
    why = "the parts belonged together otherwise"
    yield from _regrouped_first(place, node, why)
    if isinstance(right, cst.BinaryOperation) and _differs(outer, right.operator):

        def first(updated: Any) -> cst.BaseExpression:
            inner = updated.right.with_changes(lpar=[], rpar=[])
            one = updated.with_changes(right=inner.left, lpar=[], rpar=[])
            return _joined(inner.with_changes(lpar=updated.lpar, rpar=updated.rpar), left=one)

        yield _GROUPING, replaced(place.tree, node, first), why
    if isinstance(left, cst.BinaryOperation) and _differs(left.operator, outer):

        def last(updated: Any) -> cst.BaseExpression:
            inner = updated.left.with_changes(lpar=[], rpar=[])
            other = updated.with_changes(left=inner.right, lpar=[], rpar=[])
            return _joined(inner.with_changes(lpar=updated.lpar, rpar=updated.rpar), right=other)

        yield _GROUPING, replaced(place.tree, node, last), why


def _regrouped_first(place: Place, node: cst.BinaryOperation, why: str) -> Iterator[Form]:
    """Yield ``(a - b) * c / d`` for ``a - b * c / d``."""
    right, chain = node.right, []
    while isinstance(right, cst.BinaryOperation) and not right.lpar:
        chain.append(right)
        right = right.left
    if len(chain) < 2 or not _differs(node.operator, chain[-1].operator):
        return
    made: cst.BaseExpression = node.with_changes(right=right, lpar=[], rpar=[])
    for operation in reversed(chain):
        made = _joined(operation, left=made)
    yield _GROUPING, replaced(place.tree, node, lambda _: made), why


def _exchanged(place: Place, node: cst.BinaryOperation) -> Iterator[Form]:
    """Yield ``a * b + c`` for ``a + b * c``, and the reverse."""
    left, right, sign = node.left, node.right, symbol(type(node.operator))
    if isinstance(right, cst.BinaryOperation) and not right.lpar:
        parts, signs = (left, right.left, right.right), (symbol(type(right.operator)), sign)
    elif isinstance(left, cst.BinaryOperation) and not left.lpar:
        parts, signs = (left.left, left.right, right), (sign, symbol(type(left.operator)))
    else:
        return
    if signs[0] != signs[1] and "\n" not in place.code(node):
        one, two, three = parts
        change = place.put(f"A {signs[0]} B {signs[1]} C", A=one, B=two, C=three)
        yield _EXCHANGED, change, f"`{signs[1]}` and `{signs[0]}` stood in each other's place"


def _differs(one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Say whether it matters which of two operators comes first."""
    return not (type(one) is type(other) and isinstance(one, _ASSOCIATIVE)) and not (
        isinstance(one, cst.Add) and isinstance(other, cst.Subtract)
    )


def _joined(node: cst.BinaryOperation, **sides: cst.BaseExpression) -> cst.BinaryOperation:
    made = node
    for slot, new in sides.items():
        made = made.with_changes(**{slot: fit(new, made, getattr(made, slot))})
    return made


def _without(place: Place, node: cst.BinaryOperation) -> Iterator[Form]:
    sides = (node.left,) if not isinstance(node.operator, _ASSOCIATIVE) else (node.left, node.right)
    for kept in sides:
        other = node.right if kept is node.left else node.left
        yield _DROPPED, place.keep(kept), f"`{place.code(other)}` does not belong in it"


def _is_counted(place: Place, node: cst.BaseExpression) -> bool:
    """Say whether a whole number is what is returned, given a name, passed, or compared."""
    if isinstance(place.parent, cst.BinaryOperation):
        return isinstance(node, cst.Name) and _multiplies(place, place.parent)
    kind = kind_of(place, node)
    if kind == "" and isinstance(node, cst.Name) and isinstance(place.parent, cst.Arg):
        return _is_bound(place)
    if kind not in ("int", "number") or not place.is_read:
        return False
    if isinstance(node, cst.BinaryOperation):
        return not _ends_in_one(node) and _is_bound(place)
    return isinstance(place.parent, _COUNTING)


_COUNTING = (*(cst.Return, cst.Assign, cst.ComparisonTarget, cst.Comparison, cst.Element, cst.Arg),)


def _multiplies(place: Place, parent: cst.BinaryOperation) -> bool:
    """Say whether a page, a row or the like may be multiplied, which people count from one."""
    product = isinstance(parent.operator, cst.Multiply | cst.FloorDivide | cst.Modulo)
    return product and _calculates(place, parent.left, parent.right)


def _is_bound(place: Place) -> bool:
    """Say whether a number is a result, or a bound of a range or of other numbers."""
    match place.parent:
        case cst.Return() | cst.Assign() | cst.Comparison() | cst.ComparisonTarget():
            return True
        case cst.Arg():
            call = place.tree.parents[place.parent]
            return isinstance(call, cst.Call) and last_of(call.func) in ("range", "max", "min")
    return False


def _ends_in_one(node: cst.BinaryOperation) -> bool:
    return isinstance(node.right, cst.Integer) and isinstance(node.operator, cst.Add | cst.Subtract)


ArithmeticOperator.EXAMPLES = examples(
    """
one: one more may be taken
    def taken(x, step, most):
        return min(int(x / step), «most»)
AssertionError: assert 4 == 5
    def taken(x, step, most):
        return min(int(x / step), most + 1)

grouping: what is over freezing first
    def celsius(degrees):
        return «degrees - 32 * 5 / 9»  # of Fahrenheit
AssertionError: assert 194.2 == 100
    def celsius(degrees):
        return (degrees - 32) * 5 / 9  # of Fahrenheit

one: both the odd and the even ones
    def centers(size):
        return [pair for at in range(size) for pair in ((at, at), (at, «at»))]
AssertionError: assert [(0, 0)] == [(0, 1)]
where at: int = 0
    def centers(size):
        return [pair for at in range(size) for pair in ((at, at), (at, at + 1))]

exchanged: the digits so far, and the next one
    def number(text, base):
        value = 0
        for digit in text:
            value = «value + base * int(digit)»  # from the left
        return value
AssertionError: assert 30 == 12
    def number(text, base):
        value = 0
        for digit in text:
            value = value * base + int(digit)  # from the left
        return value

exchanged: a rate that is taken off each
    def net(gross, rate, count):
        return «gross * rate - count»
AssertionError: assert 30 == 12
    def net(gross, rate, count):
        return gross - rate * count

not exchanged: in parentheses it was meant so
    def net(gross, rate, count):
        return «gross * (rate - count)»
AssertionError: assert 30 == 12

opposite: what is taken away
    def balance(paid, spent):
        return «paid + spent»  # in cents
AssertionError: assert 130 == 70
    def balance(paid, spent):
        return paid - spent  # in cents

opposite: in an augmented assignment
    def undo(self, step):
        «self.position+=step.size»
AssertionError: assert 12 == 8
    def undo(self, step):
        self.position-=step.size

opposite: a product that belongs together stays so
    def price(net, rate, months):
        return «(net + rate)  *  months»
AssertionError: assert 36 == 2
    def price(net, rate, months):
        return (net + rate)  /  months

opposite: a sum of products needs its parentheses
    def share(part, whole, count):
        return part / («whole * count»)
AssertionError: assert 1 == 4
    def share(part, whole, count):
        return part / (whole / count)

division: a fraction was lost
    def mean(values):
        return «sum(values) // len(values)»
AssertionError: assert 2 == 2.5
    def mean(values):
        return sum(values) / len(values)

other: what comes on top
    def weight(box):
        return «box.net * 3»
AssertionError: assert 6 == 8
    def weight(box):
        return box.net + 3

grouping: the sum first
    def middle(low, high):
        return «low + high // 2»
AssertionError: assert 8 == 5
    def middle(low, high):
        return (low + high) // 2

grouping: parentheses that are too many
    def total(price, count, fee):
        return «price * (count + fee)»
AssertionError: assert 35 == 23
    def total(price, count, fee):
        return price * count + fee

dropped: nothing is to be added
    def last(items):
        return «items.count + step»
AssertionError: assert 4 == 3
    def last(items):
        return items.count

dropped: with its parentheses
    def area(width, height, border):
        return («width - border») * height
AssertionError: assert 4 == 3
    def area(width, height, border):
        return width * height

sign: it is taken away already
    def rest(amount, fee):
        return amount - «-fee»
AssertionError: assert 12 == 8
    def rest(amount, fee):
        return amount - fee

up: a page that is not full is one
    def pages(count, size):
        return «count // size»
AssertionError: assert 2 == 3
    def pages(count, size):
        return -(-count // size)

ceiling: a last page that is full
    def pages(self):
        return max(1, «(self.total + self.size) // self.size»)
AssertionError: assert 3 == 2
    def pages(self):
        return max(1, (self.total + self.size - 1) // self.size)

ceiling: blocks
    def blocks(length):
        return «(length - 1) // BLOCK»
AssertionError: assert 1 == 2
    def blocks(length):
        return (length + BLOCK - 1) // BLOCK

one: the last day counts
    def span(first: int, last: int):
        return range(«last - first»)
AssertionError: assert 2 == 3
    def span(first: int, last: int):
        return range(last - first + 1)

grouping: shifted first
    def mask(width):
        return «1 << width - 1»
AssertionError: assert 4 == 7
    def mask(width):
        return (1 << width) - 1

one: of the next page
    def begin(page, size):
        return «page» * size
AssertionError: assert 10 == 0
    def begin(page, size):
        return (page + 1) * size

one: the last day counts too
    def days(stay):
        return «stay.nights»
AssertionError: assert 2 == 3
where stay.nights: int = 2
    def days(stay):
        return stay.nights + 1

not any: texts are put together
    def greet(name):
        return «"Dear " + name»
AssertionError: assert 'Dear Al' == 'Dear Al.'

not any: a text is filled in
    def greet(text, name):
        return «text % name»
AssertionError: assert 'Al' == 'Al.'
where text: str = '%s'

not grouping: it makes no difference
    def total(a, b, c):
        return «a + b - c»
AssertionError: assert 1 == 2

not ceiling: it is no rounding
    def middle(low, high):
        return «(low + high) // 2»
AssertionError: assert 2 == 3

not one: nothing tells that it is a number
    def first(order):
        return «order.name»
AssertionError: assert 1 == 2

not any: lists are put together
    def columns(row):
        return «[row.name] + row.values»
AssertionError: assert ['a', 1] == ['a', 2]

not any: a text is repeated
    def rule(width):
        return «"-" * width»
AssertionError: assert '--' == '---'

not any: sets
    def missing(wanted: set, found: set):
        return «wanted - found»
AssertionError: assert {1} == {1, 2}

not any: a list grows
    def collect(rows: list, more):
        «rows += more»
        return rows
AssertionError: assert [1, 2] == [1]

not sign: a number that is written so
    def last(items):
        return items[«-1»]
AssertionError: assert 3 == 2

not division: there is none
    def area(width, height):
        return «width * height»
AssertionError: assert 6 == 2

not grouping: a product belongs together either way
    def volume(a, b, c):
        return «a * b * c»
AssertionError: assert 24 == 12

not exchanged: twice the same operator
    def total(net, tax, fee):
        return «net + tax + fee»
AssertionError: assert 6 == 5

not one: it is counted on already
    def following(at: int):
        return «at + 1»
AssertionError: assert 2 == 3

not one: a price is not counted
    def due(order):
        return «order.price»
AssertionError: assert 2.5 == 3.5
where order.price: float = 2.5

not up: it has a fraction
    def mean(total, count):
        return «total / count»
AssertionError: assert 2.5 == 3

not one: it is given a value there
    def begin(self, size: int):
        «size» = self.step
        return size
AssertionError: assert 1 == 2

not ceiling: something else is taken off
    def blocks(length, used):
        return «(length - used) // BLOCK»
AssertionError: assert 1 == 2

not dropped: nothing is left of a number
    def debt(amount):
        return «-amount»
AssertionError: assert -2 == 2

not opposite: bits have other operators
    def modes(readable, writable):
        return «readable | writable»
AssertionError: assert 1 == 3
"""
)
