"""SwappedOperands: two operands, arguments, elements or arms stand in each other's place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice, pairwise
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._edit import Change, replaced
from selfdebug.codemods._first_order import FirstOrder, Place, is_read, own_nodes, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import NUMBERS, SETS, kind_of
from selfdebug.codemods._near import likeness
from selfdebug.codemods._passing import last_of, passing
from selfdebug.codemods._signature import last_name, signature
from selfdebug.codemods._variables import fits, kind_named, variables
from selfdebug.syntax.modules import definitions
from selfdebug.syntax.precedence import fit

_OPERANDS = small_edit("operands", "calculate the other way round", 0.08, "sign number order")
_NAMED = small_edit("named", "pass each argument as the parameter of its name", 0.4)
_ARGUMENTS = small_edit("arguments", "swap two arguments", 0.05, "sign order")
_ELEMENTS = small_edit("elements", "swap two elements", 0.06, "order number")
_KEYS = small_edit("keys", "use the key for the value, and the reverse", 0.06)
_ARMS = small_edit("arms", "swap what comes if it holds and if not", 0.06, "bool")
_INDEXES = small_edit("indexes", "swap row and column", 0.08)
_NAMES = small_edit("names", "use each of two variables for the other", 0.06, "order number sign")
_MEMBER = small_edit("member", "ask whether the other one holds this one", 0.02, "bool")

_ORDERED = (
    *(cst.Subtract, cst.Divide, cst.FloorDivide, cst.Modulo, cst.Power),
    *(cst.LeftShift, cst.RightShift),
)
_SYMMETRIC = frozenset(("max", "min", "gcd", "lcm", "hypot", "isclose", "union", "intersection"))
_TYPED = frozenset(("isinstance", "issubclass", "getattr", "setattr", "hasattr", "range", "print"))


class SwappedOperands(FirstOrder):
    """Let two operands, arguments, elements, or the arms of a condition change places."""

    DESCRIPTION = "Swap two operands, arguments, elements or arms."
    NAME = "swapped-operands"
    VARIANTS = (_NAMED, _OPERANDS, _ARGUMENTS, _ELEMENTS, _KEYS, _ARMS, _INDEXES, _NAMES, _MEMBER)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the code with two of its parts in each other's place."""
        swap = _SWAPS.get(type(place.node))
        if swap is not None:
            yield from swap(place, place.node)
        if _is_all(place):
            yield from _names(place, place.node)


def _is_all(place: Place) -> bool:
    """Say whether an expression is all that is returned, assigned, yielded or asked."""
    parent = place.parent
    if not isinstance(place.node, cst.BinaryOperation | cst.Tuple | cst.Call | cst.Comparison):
        return False
    return isinstance(parent, cst.Return | cst.Assign | cst.AugAssign) or (
        getattr(parent, "test", None) is place.node
    )


def _names(place: Place, node: cst.CSTNode) -> Iterator[Form]:
    """Yield an expression in which two variables, of which it reads one twice, change places."""
    found: dict[str, list[cst.Name]] = {}
    for each in own_nodes(node):
        if isinstance(each, cst.Name) and is_read(place.tree, each):
            found.setdefault(each.value, []).append(each)
    known = [name for name in found if name in variables(place)]
    for one, other in islice(combinations(known, 2), _MOST):
        if len(found[one]) + len(found[other]) < _FEWEST:  # the others swap two operands
            continue
        if fits(kind_named(place, one), kind_named(place, other)):
            change: Change = {
                each: _named(new)
                for old, new in ((one, other), (other, one))
                for each in found[old]
            }
            yield _NAMES, change, f"`{one}` and `{other}` were taken for each other"


def _named(name: str) -> Callable[[Any], cst.CSTNode]:
    return lambda old: old.with_changes(value=name)


_MOST, _FEWEST = 6, 3  # pairs of variables, and how often the expression reads these


def _operands(place: Place, node: cst.BinaryOperation) -> Iterator[Form]:
    if _matters(place, node):
        why = f"`{place.code(node.right)}` comes first"
        yield _OPERANDS, _exchanged(place, node, "left", "right"), why


def _matters(place: Place, node: cst.BinaryOperation) -> bool:
    """Say whether the order of the operands makes a difference."""
    left, right = kind_of(place, node.left), kind_of(place, node.right)
    if place.code(node.left) == place.code(node.right):
        return False
    if isinstance(node.operator, cst.Add):
        return bool({left, right} & {"str", "bytes", "list", "tuple"})
    if isinstance(node.operator, cst.BitOr):
        return bool({left, right} & {"dict", "Counter"})
    if isinstance(node.operator, cst.Modulo) and left in ("str", "bytes"):
        return False
    return isinstance(node.operator, _ORDERED)


def _exchanged(place: Place, node: cst.BinaryOperation | cst.IfExp, one: str, other: str) -> Change:
    """Return the change that has what two fields of a node hold change places."""

    def make(updated: Any) -> Any:
        first, last = getattr(updated, one), getattr(updated, other)
        swapped = {one: fit(last, updated, first), other: fit(first, updated, last)}
        return updated.with_changes(**swapped)

    return replaced(place.tree, node, make)


def _swap(one: cst.CSTNode, other: cst.CSTNode) -> Change:
    """Return the change that has two nodes of one kind of place change places."""
    return {one: lambda _: other, other: lambda _: one}


def _comparisons(place: Place, node: cst.Comparison) -> Iterator[Form]:
    """Yield `b in a` for `a in b`; other comparisons have an operator for it."""
    match node.comparisons:
        case [cst.ComparisonTarget(operator=cst.In() | cst.NotIn(), comparator=right)]:
            kinds = {kind_of(place, node.left), kind_of(place, right)}
            if kinds <= {"", "str"} and not isinstance(right, cst.BaseString | cst.Tuple):
                why = f"`{place.code(node.left)}` holds the other one"
                yield _MEMBER, _swap(node.left, right), why


def _arguments(place: Place, call: cst.Call) -> Iterator[Form]:
    args, name = [*call.args], last_of(call.func)
    plain = [arg for arg in args if arg.keyword is None and not arg.star]
    if len(plain) < 2 or name in _SYMMETRIC | _TYPED:
        return
    wanted = _parameters(place, call)
    for at in range(len(plain) - 1):
        one, other = plain[at], plain[at + 1]
        if place.code(one) == place.code(other) or not _may_swap(place, one.value, other.value):
            continue
        swapped = [*args]
        swapped[at], swapped[at + 1] = other, one
        variant = _NAMED if _are_named_so(wanted[at : at + 2], (one, other)) else _ARGUMENTS
        why = f"`{name}` takes `{place.code(other)}` first"
        yield variant, passing(call, swapped), why


def _parameters(place: Place, call: cst.Call) -> Sequence[str]:
    """Return the parameters of the function of the project that is called."""
    for found in definitions(last_of(call.func), place.project):
        if not isinstance(found.node, ast.ClassDef) and (takes := signature(found)):
            return takes.positional
    return ()


def _are_named_so(wanted: Sequence[str], args: Sequence[cst.Arg]) -> bool:
    """Say whether two arguments are called as the parameters in each other's place."""
    if len(wanted) < 2:
        return False
    given = [last_name(arg) for arg in args]
    now = likeness(given[0], wanted[0]) + likeness(given[1], wanted[1])
    then = likeness(given[1], wanted[0]) + likeness(given[0], wanted[1])
    return then > now


def _may_swap(place: Place, one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Say whether two values may be of one kind."""
    kinds = {kind_of(place, one), kind_of(place, other)}
    return len(kinds - {""}) < 2 or kinds <= {*NUMBERS, ""} or kinds <= {*SETS, ""}


def _elements(place: Place, node: cst.Tuple | cst.List) -> Iterator[Form]:
    parent = place.parent
    if isinstance(
        parent, cst.ComparisonTarget | cst.SubscriptElement | cst.Index | cst.ExceptHandler
    ):
        return
    values = [element.value for element in node.elements if isinstance(element, cst.Element)]
    if not 2 <= len(values) <= 4 or len(values) != len(node.elements):
        return
    for one, other in pairwise(values):
        if place.code(one) != place.code(other):
            why = f"`{place.code(other)}` comes first"
            yield _ELEMENTS, _swap(one, other), why


def _fields(place: Place, node: cst.FormattedString) -> Iterator[Form]:
    filled = [
        part.expression for part in node.parts if isinstance(part, cst.FormattedStringExpression)
    ]
    for one, other in pairwise(filled):
        if place.code(one) != place.code(other):
            yield _ELEMENTS, _swap(one, other), f"`{place.code(other)}` comes first"


def _keys(place: Place, node: cst.DictComp) -> Iterator[Form]:
    if place.code(node.key) != place.code(node.value):
        yield _KEYS, _swap(node.key, node.value), f"`{place.code(node.value)}` is the key"


def _arms(place: Place, node: cst.IfExp) -> Iterator[Form]:
    if place.code(node.body) != place.code(node.orelse):
        why = f"`{place.code(node.orelse)}` comes if it holds"
        yield _ARMS, _exchanged(place, node, "body", "orelse"), why


def _indexes(place: Place, node: cst.Subscript) -> Iterator[Form]:
    match node:
        case cst.Subscript(
            value=cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=one))]),
            slice=[cst.SubscriptElement(slice=cst.Index(value=other))],
        ):
            pair = one, other
        case cst.Subscript(
            slice=[
                cst.SubscriptElement(slice=cst.Index(value=one)),
                cst.SubscriptElement(slice=cst.Index(value=other)),
            ]
        ):
            pair = one, other
        case _:
            return
    if place.code(pair[0]) != place.code(pair[1]):
        yield _INDEXES, _swap(*pair), f"`{place.code(pair[1])}` is the first index"


_SWAPS: dict[type[cst.CSTNode], Callable[[Place, Any], Iterator[Form]]] = {
    cst.BinaryOperation: _operands,
    cst.Comparison: _comparisons,
    cst.Call: _arguments,
    cst.Tuple: _elements,
    cst.List: _elements,
    cst.FormattedString: _fields,
    cst.DictComp: _keys,
    cst.IfExp: _arms,
    cst.Subscript: _indexes,
}

SwappedOperands.EXAMPLES = examples(
    """
names: the one for the other, in all of it
    def step(a, b, x, y):
        return «x, y - a // b * x»
AssertionError: assert (1, 2) == (2, 1)
    def step(a, b, x, y):
        return y, x - a // b * y

not names: each is read once
    def step(x, y):
        return «x + y * 2»
AssertionError: assert 5 == 4

not names: of unlike kinds
    def step(x, y):
        return «x * 2 + len(y) - x»
AssertionError: assert 5 == 4
where x: int = 2
where y: list = [1]

operands: the change from old to new
    def change(old, new):
        return «old - new»  # per day
AssertionError: assert -2 == 2
    def change(old, new):
        return new - old  # per day

operands: each keeps its parentheses
    def share(part, rest):
        return «part + rest - part * 2»
AssertionError: assert -2 == 2
    def share(part, rest):
        return part * 2 - (part + rest)

operands: the sign after the amount
    def shown(amount):
        return «"EUR " + str(amount)»
AssertionError: assert 'EUR 2' == '2EUR '
    def shown(amount):
        return str(amount) + "EUR "

named: each as the parameter of its name
    def area(width, height): ...

    def room(height, width):
        return «area(height, width)»
AssertionError: assert 3 == 4
    def area(width, height): ...

    def room(height, width):
        return area(width, height)

arguments: what is cut from what
    def rest(total, taken):
        return «minus(taken, total, 0)»
AssertionError: assert -1 == 1
    def rest(total, taken):
        return minus(total, taken, 0)

elements: the smaller first
    def bounds(values):
        return «max(values), min(values)»
AssertionError: assert (3, 1) == (1, 3)
    def bounds(values):
        return min(values), max(values)

elements: of a formatted string
    def name(person):
        return «f"{person.first}, {person.last}"»
AssertionError: assert 'A, B' == 'B, A'
    def name(person):
        return f"{person.last}, {person.first}"

keys: by their names
    def by_name(names):
        return «{number: name for number, name in names}»
AssertionError: assert {1: 'a'} == {'a': 1}
    def by_name(names):
        return {name: number for number, name in names}

arms: the other of two
    def sign(number):
        return «"-" if number >= 0 else "+"»
AssertionError: assert '-' == '+'
    def sign(number):
        return "+" if number >= 0 else "-"

indexes: the row comes first
    def cell(grid, row, column):
        return «grid[column][row]»
AssertionError: assert 2 == 3
    def cell(grid, row, column):
        return grid[row][column]

member: what is looked for in what
    def mentions(text, word):
        return «text in word»
AssertionError: assert False
    def mentions(text, word):
        return word in text

not any: a sum is the same either way
    def total(net, tax):
        return «net + tax»
AssertionError: assert 1 == 2

not any: so is the greater one
    def best(ours, theirs):
        return «max(ours, theirs)»
AssertionError: assert 1 == 2

not any: a number is no text
    def repeat(text):
        return «fill(text, 3)»
AssertionError: assert 1 == 2
where text: str = 'a'

not elements: the order of what is looked through
    def is_weekend(day):
        return day in «("Sat", "Sun")»
AssertionError: assert False

not any: a product is the same either way
    def area(width, height):
        return «width * height»
AssertionError: assert 1 == 2

not any: each argument says which it is
    def room(width, height):
        return «area(width=width, height=height)»
AssertionError: assert 3 == 4

not any: the values of a starred list
    def room(size, depth):
        return «area(*size, depth)»
AssertionError: assert 3 == 4

not any: elements that another list fills
    def row(first, rest):
        return «[first, *rest]»
AssertionError: assert [1, 2] == [2, 1]

not any: the key is the value
    def known(names):
        return «{name: name for name in names}»
AssertionError: assert {1: 1} == {'a': 'a'}
"""
)
