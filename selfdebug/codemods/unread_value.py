"""UnreadValue: what a function was given, or worked out, has no part in what it makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    assigned_names,
    function_of,
    loop_of,
    params_of,
    reads,
    simple_statements,
)
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import NUMBERS, is_number, kind_of
from selfdebug.codemods._passing import are_plain, last_of, passing
from selfdebug.codemods._variables import fits, kind_named, unread, variables

_ALL = small_edit("all", "let all count that nothing reads", 0.15)
_ELEMENT = small_edit("element", "add the value that nothing reads", 0.35)
_TEXT = small_edit("text", "add the value that nothing reads to the text", 0.25)
_ARGUMENT = small_edit("argument", "pass the value that nothing reads too", 0.2)
_OPERAND = small_edit(
    "operand", "calculate with the value that nothing reads", 0.25, "number sign factor"
)
_SHARE = small_edit(
    "share", "take off or put on the share that nothing reads", 0.2, "number factor rounding"
)
_DIVISOR = small_edit("divisor", "divide by the value that nothing reads", 0.08, "number factor")
_CARRIED = small_edit(
    "carried", "calculate with what an earlier round left", 0.2, "number off-by-one"
)
_BETWEEN = small_edit("between", "part the values by the text that nothing reads", 0.2, "text")

_TAKE_ANY = frozenset(
    (
        *("max", "min", "gcd", "lcm", "hypot", "chain", "zip", "join", "joinpath", "Path"),
        *("PurePath", "PurePosixPath", "union", "intersection", "difference", "product"),
    )
)
"""Functions that take as many values of one kind as there are."""
_TYPES = frozenset(("isinstance", "issubclass", "startswith", "endswith", "namedtuple"))
_COMPUTED = (cst.Name, cst.Attribute, cst.Call, cst.Subscript)
_MOST = 3  # values that nothing reads
_SHARES = frozenset(
    (
        *("discount", "rate", "tax", "vat", "share", "fee"),
        *("percent", "ratio", "interest", "markup", "margin"),
    )
)
_CALCULATED = (cst.Return, cst.Assign, cst.AugAssign, cst.ComparisonTarget, cst.Comparison)
_ROUNDED = frozenset(("round", "int", "float", "max", "min", "abs", "append", "ceil", "floor"))


class UnreadValue(FirstOrder):
    """Let a variable that nothing reads be part of a tuple, a text, a call or a calculation."""

    DESCRIPTION = "Let a value that nothing reads be part of the result."
    NAME = "unread-value"
    VARIANTS = (
        *(_ALL, _ELEMENT, _TEXT, _BETWEEN, _ARGUMENT),
        *(_OPERAND, _SHARE, _DIVISOR, _CARRIED),
    )

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the expression with one of the function's unread variables more."""
        node = place.node
        if not isinstance(node, _EXTENDED) or not place.is_read:
            return
        names = _spare(place)
        if _is_calculated(place) and is_number(place, node):
            yield from _operands(place, names)
            for name in _left_over(place):
                why = f"no round reads what `{name}` was left at"
                yield _CARRIED, place.put(f"OLD + {name}"), why
        if not names:
            return
        match node:
            case cst.Tuple() | cst.List() | cst.Set() if _may_grow(place, node):
                yield from _elements(place, node, names)
            case cst.FormattedString(parts=parts):
                yield from _texts(node, parts, names)
                yield from _between(place, node, parts, names)
            case cst.Call(func=func, args=args) if last_of(func) in _TAKE_ANY:
                if len(args) > 1 and are_plain(args):
                    yield from _arguments(place, node, names)


_EXTENDED = (
    *(cst.Tuple, cst.List, cst.Set, cst.FormattedString, cst.BinaryOperation),
    *_COMPUTED,
)


def _spare(place: Place) -> list[str]:
    """Return what the function around has that nothing in it reads."""
    spare = unread(place)
    found = [name for name in variables(place) if name in spare and not name.startswith("_")]
    return found if len(found) <= _MOST else []


def _why(names: Sequence[str]) -> str:
    return f"nothing reads `{'`, `'.join(names)}`"


def _may_grow(place: Place, node: cst.Tuple | cst.List | cst.Set) -> bool:
    """Say whether a literal holds values of the function, and not a fixed number of them."""
    values = [element.value for element in node.elements]
    if len(values) < 2 or not any(isinstance(each, _COMPUTED) for each in values):
        return False
    if "#" in place.code(node):  # a comment would go with the comma that is copied
        return False
    match place.parent:
        case cst.Arg():
            call = place.tree.parents[place.parent]
            return not (isinstance(call, cst.Call) and last_of(call.func) in _TYPES)
        case cst.Assign(targets=targets):
            return all(isinstance(each.target, cst.Name | cst.Attribute) for each in targets)
        case cst.For() | cst.BinaryOperation(operator=cst.Modulo()) | cst.ExceptHandler():
            return False
    return True


def _elements(
    place: Place, node: cst.Tuple | cst.List | cst.Set, names: Sequence[str]
) -> Iterator[Form]:
    if not isinstance(node, cst.Tuple):
        kinds = [kind_of(place, element.value) for element in node.elements]
        names = [
            name for name in names if all(fits(kind, kind_named(place, name)) for kind in kinds)
        ]
    if len(names) > 1:
        yield _ALL, _longer(place, node, names), _why(names)
    for name in names:
        yield _ELEMENT, _longer(place, node, [name]), _why([name])


def _longer(place: Place, node: cst.Tuple | cst.List | cst.Set, names: Sequence[str]) -> Change:
    order = _order(place)

    def make(updated: Any) -> Any:
        elements = [*updated.elements]
        between, end = elements[0].comma, elements[-1].comma
        for name in names:
            elements.insert(_index(elements, name, order), cst.Element(cst.Name(name)))
        spaced = [each.with_changes(comma=between) for each in elements[:-1]]
        return updated.with_changes(elements=[*spaced, elements[-1].with_changes(comma=end)])

    return {node: make}


def _order(place: Place) -> list[str]:
    function = function_of(place.tree, place.node)
    return [each.name.value for each in params_of(function)] if function else []


def _index(elements: Sequence[cst.BaseElement], name: str, order: Sequence[str]) -> int:
    """Return where a name belongs: last, unless all are parameters, in the order of these."""
    own = [each.value.value for each in elements if isinstance(each.value, cst.Name)]
    if (
        name in order
        and own == [each for each in order if each in own]
        and len(own) == len(elements)
    ):
        return sum(order.index(each) < order.index(name) for each in own)
    return len(elements)


def _texts(node: cst.FormattedString, parts: Sequence[Any], names: Sequence[str]) -> Iterator[Form]:
    """Yield a text of filled-in values, with the same text between all of them, with one more."""
    between = {part.value for part in parts[1::2] if isinstance(part, cst.FormattedStringText)}
    alternate = all(isinstance(part, cst.FormattedStringExpression) for part in parts[::2])
    if not (alternate and len(between) == 1 and len(parts) % 2):
        return
    for name in names:
        more = [*parts, parts[1], cst.FormattedStringExpression(cst.Name(name))]
        yield _TEXT, {node: _with_parts(more)}, _why([name])


def _with_parts(parts: Sequence[Any]) -> Any:
    return lambda old: old.with_changes(parts=parts)


def _arguments(place: Place, call: cst.Call, names: Sequence[str]) -> Iterator[Form]:
    kinds = [kind_of(place, arg.value) for arg in call.args]
    for name in names:
        if all(fits(kind, kind_named(place, name)) for kind in kinds):
            args = [*call.args, cst.Arg(cst.Name(name))]
            yield _ARGUMENT, passing(call, args), _why([name])


def _between(
    place: Place, node: cst.FormattedString, parts: Sequence[Any], names: Sequence[str]
) -> Iterator[Form]:
    """Yield a text with an unread one where it always has the same sign between two values."""
    for at, (before, part, after) in enumerate(zip(parts, parts[1:], parts[2:], strict=False)):
        filled = isinstance(before, _FILLED) and isinstance(after, _FILLED)
        if not filled or not isinstance(part, cst.FormattedStringText):
            continue
        for name in names if part.value.strip(" ").strip(_SIGNS) == "" else ():
            if kind_of(place, cst.Name(name)) == "str":
                new = cst.FormattedStringExpression(cst.Name(name))
                more = [*parts[: at + 1], new, *parts[at + 2 :]]
                yield _BETWEEN, {node: _with_parts(more)}, _why([name])


_FILLED = cst.FormattedStringExpression
_SIGNS = ",;:-_./|"


def _is_calculated(place: Place) -> bool:
    """Say whether an expression is all of a result, of what is kept, compared, or rounded."""
    parent = place.parent
    if isinstance(parent, cst.Arg):
        call = place.tree.parents[parent]
        return isinstance(call, cst.Call) and last_of(call.func) in _ROUNDED
    return isinstance(parent, _CALCULATED)


def _operands(place: Place, names: Sequence[str]) -> Iterator[Form]:
    for name in names:
        kind = kind_of(place, cst.Name(name))
        if kind not in NUMBERS:
            continue
        for sign in "+-*":
            yield _OPERAND, place.put(f"OLD {sign} {name}"), _why([name])
        for sign in ("/", "//"):
            yield _DIVISOR, place.put(f"OLD {sign} {name}"), _why([name])
        if kind != "int" or not _SHARES.isdisjoint(name.split("_")):
            yield from _shares(place, name, kind)


def _shares(place: Place, name: str, kind: str) -> Iterator[Form]:
    share = f"{name} / 100" if kind == "int" else name
    for sign in "-+":
        yield _SHARE, place.put(f"OLD * (1 {sign} {share})"), _why([name])


def _left_over(place: Place) -> list[str]:
    """Return the numbers that each round of the loop around gives a value, which none reads."""
    loop, function = loop_of(place.tree, place.node), function_of(place.tree, place.node)
    if loop is None or function is None:
        return []
    lines = loop.body.body if isinstance(loop.body, cst.IndentedBlock) else ()
    given = {name for line in lines for name in _assigned(line)} - reads(loop.body)
    before = {
        name
        for each in simple_statements(function.body)
        if place.tree.span(each).line < place.tree.span(loop).line
        for name in assigned_names(each)
    }
    return sorted(name for name in given & before if kind_named(place, name) in NUMBERS)


def _assigned(line: cst.CSTNode) -> frozenset[str]:
    return assigned_names(line) if isinstance(line, cst.SimpleStatementLine) else frozenset()


UnreadValue.EXAMPLES = examples(
    """
element: what a route depends on
    def key(self, start, end, mode):
        return «start, end»  # for the cache
AssertionError: assert 1 == 2
    def key(self, start, end, mode):
        return start, end, mode  # for the cache

element: in the order of the parameters
    def fingerprint(name, size, flags):
        return hash((«name, flags»))
AssertionError: assert 1 == 2
    def fingerprint(name, size, flags):
        return hash((name, size, flags))

element: on a line of its own
    def address(self, street, city, country):
        return ", ".join(
            «[
                street,
                city.upper(),
            ]»
        )
AssertionError: assert 'a, B' == 'a, B, c'
    def address(self, street, city, country):
        return ", ".join(
            [
                street,
                city.upper(),
                country,
            ]
        )

all: several
    def key(photo, width, height):
        found = «photo.name, photo.size»
        return found
AssertionError: assert 1 == 2
    def key(photo, width, height):
        found = photo.name, photo.size, width, height
        return found

text: as the values before
    def key(table, row, column):
        return «f"{table}:{row}"»
AssertionError: assert 'a:1' == 'a:1:2'
    def key(table, row, column):
        return f"{table}:{row}:{column}"

argument: the greatest of three
    def width(title, body, least):
        return «max(len(title), len(body))»
AssertionError: assert 3 == 8
    def width(title, body, least):
        return max(len(title), len(body), least)

operand: for as many as are ordered
    def add(lines, price: int, count, gift):
        lines.append(«price + gift»)
AssertionError: assert [3] == [5]
where gift: int = 1
where count: int = 3
    def add(lines, price: int, count, gift):
        lines.append(price + gift + count)

share: what comes off
    def total(price, count, discount):
        return «price * count»  # rounded later
AssertionError: assert 20 == 10
where price: int = 10
where count: int = 2
where discount: float = 0.5
    def total(price, count, discount):
        return price * count * (1 - discount)  # rounded later

divisor: of each
    def share(bill: int, guests):
        return «bill»
AssertionError: assert 90 == 30
where guests: int = 3
    def share(bill: int, guests):
        return bill / guests

carried: what is over counts in the next place
    def added(pairs):
        over = 0
        digits = []
        for one, other in pairs:
            place = «one + other»
            over = place // 10
            digits.append(place % 10)
        return digits, over
AssertionError: assert ([2, 2], 0) == ([2, 3], 0)
where one: int = 8
where other: int = 4
where over: int = 0
    def added(pairs):
        over = 0
        digits = []
        for one, other in pairs:
            place = one + other + over
            over = place // 10
            digits.append(place % 10)
        return digits, over

between: what stands between them
    def name(given, family, gap):
        return «f"{given} {family}"»
AssertionError: assert 'a b' == 'a-b'
where gap: str = '-'
    def name(given, family, gap):
        return f"{given}{gap}{family}"

operand: what is to be paid besides
    def total(price: int, fee):
        return «price»
AssertionError: assert 100 == 105
where fee: int = 5
    def total(price: int, fee):
        return price + fee

not any: all is read
    def key(start, end):
        return «start, end»
AssertionError: assert 1 == 2

not any: two values for two names
    def swap(first, second, mode):
        first, second = «second, first»
AssertionError: assert 1 == 2

not any: they are types
    def is_number(value, strict):
        return isinstance(value, («int, float»))
AssertionError: assert 1 == 2

not share: a number of things is no share
    def total(price: int, count):
        return «price»
AssertionError: assert 100 == 105
where count: int = 5

not carried: the rounds read it
    def steps(values):
        last = 0
        for value in values:
            step = «value - last»
            last = value
        return step
AssertionError: assert 1 == 2
where value: int = 2
where last: int = 1

not operand: a text is no number
    def total(price: int, label):
        return «price»
AssertionError: assert 100 == 105
where label: str = 'a'

not between: a word is no sign
    def greet(name, place, day):
        return «f"{name} of {place}"»
AssertionError: assert 'a of b' == 'b'
where day: str = 'c'

not any: as many values as the text takes
    def shown(name, size, unit):
        return "%s: %d" % («name, size»)
AssertionError: assert 1 == 2

not text: the text is no list of values
    def greet(name, place, day):
        return «f"{name} of {place}!"»
AssertionError: assert 1 == 2

not any: a name that says that nobody reads it
    def key(start, end, _mode):
        return «start, end»
AssertionError: assert 1 == 2

not any: a comment stands between
    def key(start, end, mode):
        return [
            «len(start),  # the first
            len(end)»,
        ]
AssertionError: assert 1 == 2
"""
)
