"""UnreadValue: what a function was given, or worked out, has no part in what it makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import function_of, params_of
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
_OPERAND = small_edit("operand", "calculate with the value that nothing reads", 0.1, "number sign")

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


class UnreadValue(FirstOrder):
    """Let a variable that nothing reads be part of a tuple, a list, a text, a call or a sum."""

    DESCRIPTION = "Let a value that nothing reads be part of the result."
    NAME = "unread-value"
    VARIANTS = (_ALL, _ELEMENT, _TEXT, _ARGUMENT, _OPERAND)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the expression with one of the function's unread variables more."""
        node = place.node
        if not isinstance(node, _EXTENDED) or not place.is_read:
            return
        names = _spare(place)
        if not names:
            return
        match node:
            case cst.Tuple() | cst.List() | cst.Set() if _may_grow(place, node):
                yield from _elements(place, node, names)
            case cst.FormattedString(parts=parts):
                yield from _texts(node, parts, names)
            case cst.Call(func=func, args=args) if last_of(func) in _TAKE_ANY:
                if len(args) > 1 and are_plain(args):
                    yield from _arguments(place, node, names)
        if isinstance(place.parent, cst.Return | cst.Assign) and is_number(place, node):
            yield from _operands(place, names)


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


def _operands(place: Place, names: Sequence[str]) -> Iterator[Form]:
    for name in names:
        if kind_named(place, name) in NUMBERS:
            for sign in "+-*":
                yield _OPERAND, place.put(f"OLD {sign} {name}"), _why([name])


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
