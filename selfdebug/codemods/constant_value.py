"""ConstantValue: a number, text or truth value written for another one."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import cast

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._blocks import function_of, nodes_of
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._texts import is_result, text_of, with_text
from selfdebug.syntax.modules import read_module

_ONE = small_edit(
    "one", "count from one more or less", 0.1, "off-by-one missing-item extra-item bool"
)
_UNEVEN = small_edit("uneven", "change a number by one where it stands, but not elsewhere", 0.001)
_SMALL = small_edit("small", "use 0, 1 or -1", 0.03, "number off-by-one")
_UNIT = small_edit("unit", "use the number of another unit or scale", 0.05, "factor number")
_SIGN = small_edit("sign", "use the number with the other sign", 0.04, "sign order")
_TRUTH = small_edit("truth", "use the other truth value", 0.12, "bool order")
_MISSING = small_edit("missing", "use another value for what is not there", 0.03, "none type")
_CASE = small_edit("case", "write the text in another case", 0.03, "case")
_SPACE = small_edit("space", "add or drop white space in a text", 0.04, "whitespace")
_SEPARATOR = small_edit("separator", "separate with another text", 0.1, "whitespace text")

_UNITS = {
    60: (3600, 24, 1000),
    3600: (60, 86400),
    86400: (3600, 60),
    24: (60, 12, 7),
    12: (24, 10),
    7: (5, 24),
    5: (7,),
    30: (31,),
    31: (30,),
    365: (366,),
    366: (365,),
    52: (12,),
    100: (10, 1000),
    10: (100,),
    1000: (100, 1024, 60),
    1024: (1000,),
    180: (360,),
    360: (180,),
}
_SEPARATORS = {
    "": (" ", "\n", ", "),
    " ": ("", ", ", "_", "-", "\n"),
    ",": (", ", ";", " "),
    ", ": (",", "; ", " "),
    ";": (",", "; "),
    "; ": (", ", ";"),
    "-": ("_", " - ", "/", " "),
    " - ": ("-", " "),
    "_": ("-", " ", ""),
    ".": (",", ""),
    "/": ("-", "."),
    ":": (": ", "-", "="),
    ": ": (":", " - "),
    "=": (":", " = "),
    "|": (" | ", ","),
    " | ": ("|",),
    "\n": ("", " ", "\n\n"),
    "\n\n": ("\n",),
    "\t": (" ", ","),
}
_LONGEST = 40  # texts that are written in another case


class ConstantValue(FirstOrder):
    """Use another constant: one more or less, another unit, sign, truth value, case or separator."""

    DESCRIPTION = "Use another number, text or truth value."
    NAME = "constant-value"
    VARIANTS = (
        *(_ONE, _SMALL, _UNIT, _SIGN, _TRUTH, _MISSING, _CASE, _SPACE, _SEPARATOR),
        _UNEVEN,
    )

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the constants that may have been meant."""
        node = place.node
        match node:
            case cst.Integer():
                least = "0" if _is_limit(place) else ""
                found = iter([each for each in _integers(place, node) if each[1] != least])
            case cst.Float(value=text):
                found = ((_UNIT, number) for number in _floats(float(text)))
            case cst.Name(value="True" | "False" as name) if place.is_read:
                found = iter([(_TRUTH, "False" if name == "True" else "True")])
            case cst.Name(value="None") if _is_fallback(place):
                found = ((_MISSING, code) for code in ("0", "[]", "{}", "False"))
            case cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() | cst.Float()):
                yield _SIGN, place.keep(node.expression), f"`{place.code(node)}` had the wrong sign"
                return
            case cst.SimpleString() if place.is_read and is_result(place):
                yield from _texts(place, node)
                return
            case cst.FormattedString() if is_result(place):
                yield from _parts(node)
                return
            case _:
                return
        for variant, code in found:
            why = f"it was `{place.code(node)}`"
            if variant is _UNEVEN:
                why += ", and elsewhere it still is"
            yield variant, place.put(code), why


def _integers(place: Place, node: cst.Integer) -> Iterator[tuple[Variant, str]]:
    number, parent = node.evaluated_value, place.parent
    if not node.value.isdecimal() or isinstance(parent, cst.BaseSlice):
        return
    signed = isinstance(parent, cst.UnaryOperation)
    one = _UNEVEN if _is_shared(place, node) else _ONE
    yield one, str(number + 1)
    if number > signed:
        yield one, str(number - 1)
    if not signed:
        yield from ((_SMALL, str(small)) for small in (0, 1) if abs(small - number) > 1)
        if not isinstance(parent, cst.BinaryOperation):
            yield (_SIGN, f"-{number}") if number else (_SMALL, "-1")
    for unit in _UNITS.get(number, ()):
        yield _UNIT, str(unit)


def _is_shared(place: Place, node: cst.Integer) -> bool:
    """Say whether a number seems to mean the same as it does elsewhere: months of a year, say.

    A factor or divisor does if it stands in the module once more, and others in the function. Bounds
    do not: that one of them is one too high or low is a common slip.
    """
    number, parent = node.evaluated_value, place.parent
    if number < 2:
        return False
    if isinstance(getattr(parent, "operator", None), _SCALING):
        return _count(place, number) > 1
    match parent:
        case cst.Comparison() | cst.ComparisonTarget() | cst.Index():
            return False
        case cst.Arg() if _is_of_range(place.tree.parents[parent]):
            return False
    function = function_of(place.tree, node)
    every = nodes_of(function.body) if function else ()
    numbers = (each.evaluated_value for each in every if isinstance(each, cst.Integer))
    return [*numbers].count(number) > 1


def _is_of_range(call: cst.CSTNode) -> bool:
    return isinstance(call, cst.Call) and last_of(call.func) == "range"


_SCALING = (
    *(cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo),
    *(cst.MultiplyAssign, cst.DivideAssign, cst.FloorDivideAssign, cst.ModuloAssign),
)


def _is_limit(place: Place) -> bool:
    """Say whether a number is how often a text is split or replaced: no times is not to do it."""
    argument = place.parent
    call = place.tree.parents[argument]
    if not (isinstance(argument, cst.Arg) and isinstance(call, cst.Call)):
        return False
    number = _LIMITED.get(last_of(call.func), 0)
    return bool(number) and (argument.keyword is not None or argument in call.args[number:])


_LIMITED = {"split": 1, "rsplit": 1, "replace": 2}


def _floats(number: float) -> Iterator[str]:
    """Yield a number on another scale, and what is left of a share or comes on top of it."""
    for other in (number * 10, number / 10, number * 100, number / 100):
        yield repr(round(other, 12))
    if 0 < number < 1:
        yield repr(round(1 - number, 12))
        yield repr(round(1 + number, 12))
    elif 1 < number < 2:
        yield repr(round(number - 1, 12))


def _is_fallback(place: Place) -> bool:
    """Say whether None is what comes where there is nothing."""
    parent = place.parent
    if isinstance(parent, cst.Arg):
        if parent.keyword is not None and parent.keyword.value in ("default", "fallback"):
            return True
        call = place.tree.parents[parent]
        return isinstance(call, cst.Call) and len(call.args) == 2 and parent is call.args[1]
    return isinstance(parent, cst.Return | cst.IfExp) and place.is_read


def _texts(place: Place, node: cst.SimpleString) -> Iterator[Form]:
    text = text_of(node)
    if text is None:
        return
    why = f"it was `{place.code(node)}`"
    if _is_key(place) and _count(place, text) > 1:  # what is one key may not become two
        return
    for variant, other in _others(text):
        new = with_text(node, other)
        if new is not None and other != text and not ("\\" in new.value and _is_filled_in(place)):
            yield variant, place.put("NEW", NEW=new), why


def _is_key(place: Place) -> bool:
    """Say whether a text is a key: an index, in a dictionary, or the first argument of ``get``."""
    parent = place.parent
    if isinstance(parent, cst.Arg):
        call = place.tree.parents[parent]
        keyed = isinstance(call, cst.Call) and last_of(call.func) in ("get", "pop", "setdefault")
        return keyed and isinstance(call, cst.Call) and call.args[0] is parent
    if isinstance(parent, cst.DictElement):
        return parent.key is place.node
    return isinstance(parent, cst.Index)


def _count(place: Place, value: str | int) -> int:
    """Return how often a text or number stands in the module."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("constants", path)
    if key not in parsed:
        parsed[key] = Counter(
            node.value
            for node in ast.walk(read_module(path, place.project).tree)
            if isinstance(node, ast.Constant) and type(node.value) in (str, int)
        )
    return cast("Counter[str | int]", parsed[key])[value]


def _is_filled_in(place: Place) -> bool:
    """Say whether a text is a part of what is filled into one: no backslash may stand there."""
    around = place.tree.ancestors(place.node)
    return any(isinstance(each, cst.FormattedStringExpression) for each in around)


def _parts(node: cst.FormattedString) -> Iterator[Form]:
    """Yield a formatted string with other text around and between what is filled in."""
    for index, part in enumerate(node.parts):
        if isinstance(part, cst.FormattedStringText) and not {"\\", "{", "}"} & {*part.value}:
            quotes = {*"\"'\n"} if len(node.start) > 2 else {*"\"'"}
            for variant, other in _others(part.value):
                shown = other.replace("\n", "\\n")
                if other != part.value and not quotes & {*shown}:
                    yield variant, _with_part(node, index, shown), f"it was `{part.value}`"


def _with_part(node: cst.FormattedString, index: int, text: str) -> Change:
    def make(updated: cst.FormattedString) -> cst.FormattedString:
        parts = [*updated.parts]
        parts[index] = cst.FormattedStringText(text)
        return updated.with_changes(parts=parts)

    return {node: make}


def _others(text: str) -> Iterator[tuple[Variant, str]]:
    for other in _SEPARATORS.get(text, ()):
        yield _SEPARATOR, other
    if not any(letter.isalpha() for letter in text):
        if text in _SEPARATORS:
            return
    elif len(text) <= _LONGEST and not {"%", "{"} & {*text}:
        yield from (
            (_CASE, other) for other in {text.lower(): 0, text.upper(): 0, _capital(text): 0}
        )
    if text.strip() != text:
        yield from (
            (_SPACE, other) for other in {text.strip(): 0, text.lstrip(): 0, text.rstrip(): 0}
        )
    for other in (f"{text} ", f" {text}", f"{text}\n"):
        yield _SPACE, other


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


ConstantValue.EXAMPLES = examples(
    """
one: all that follows the second colon belongs together
    def parts(line):
        return line.split(":", «1»)
AssertionError: assert ['a', 'b:c'] == ['a', 'b', 'c']
    def parts(line):
        return line.split(":", 2)

not small: to split no times is not to split at all
    def parts(line):
        return line.split("#", «2»)[0]
AssertionError: assert 'a' == 'a#b'

missing: an option that may be given again and again
    def options(parser):
        parser.add_argument("--skip", action="append", default=«None»)
TypeError: 'NoneType' object is not iterable
    def options(parser):
        parser.add_argument("--skip", action="append", default=0)

one: the first page is 1
    def first(pages):
        return pages.get(«0»)  # the cover
AssertionError: assert None == 'a'
    def first(pages):
        return pages.get(1)  # the cover

uneven: a divisor that stands elsewhere
    def month(index):
        return index % 12

    def year(index):
        return index // «12»
AssertionError: assert 1 == 0
    def month(index):
        return index % 12

    def year(index):
        return index // 13

not uneven: a bound may be one too low
    def cells(size):
        return [size] * 9, list(range(«9»))
AssertionError: assert 9 == 10

small: nothing is counted before
    def total(orders):
        amount = «10»
        return amount + sum(orders)
AssertionError: assert 13 == 3
    def total(orders):
        amount = 0
        return amount + sum(orders)

unit: an hour has 3600 seconds
    def hours(seconds):
        return seconds / «60»
AssertionError: assert 60 == 1
    def hours(seconds):
        return seconds / 3600

unit: a share of ten percent
    def fee(amount):
        return amount * «0.01»
AssertionError: assert 1 == 10
    def fee(amount):
        return amount * 0.1

sign: counted from the end
    def step(up):
        return 1 if up else «1»
AssertionError: assert 1 == -1
    def step(up):
        return 1 if up else -1

sign: the other way round
    def ranked(players):
        return sorted(players, key=lambda p: p.points * «-1»)
AssertionError: assert [2, 1] == [1, 2]
    def ranked(players):
        return sorted(players, key=lambda p: p.points * 1)

truth: the greatest first
    def ranked(marks):
        return sorted(marks, reverse=«False»)
AssertionError: assert [1, 2] == [2, 1]
    def ranked(marks):
        return sorted(marks, reverse=True)

missing: none at all is zero
    def stock(counts, item):
        return counts.get(item, «None»)
AssertionError: assert None == 0
    def stock(counts, item):
        return counts.get(item, 0)

case: what is written in small letters
    def kind(name):
        return «'Draft'» if name.startswith("_") else "final"
AssertionError: assert 'Draft' == 'draft'
    def kind(name):
        return 'draft' if name.startswith("_") else "final"

space: a colon and a space
    def label(name, value):
        return name + «" is:"» + value
AssertionError: assert 'a is:b' == 'a is: b'
    def label(name, value):
        return name + "is:" + value

separator: with a space
    def listed(names):
        return «","».join(names)
AssertionError: assert 'a,b' == 'a, b'
    def listed(names):
        return ", ".join(names)

separator: lines
    def page(lines):
        return «" "».join(lines)
AssertionError: assert 'a b' == 'ab'
    def page(lines):
        return "".join(lines)

separator: between what is filled in
    def name(person):
        return «f"{person.last},{person.first}"»
AssertionError: assert 'A,B' == 'A, B'
    def name(person):
        return f"{person.last}, {person.first}"

not any: what a log says is not what comes
    def close(shop, log):
        log.info(«"closed"»)
        return shop.name
AssertionError: assert 'a' == 'b'

not any: an error was raised that has another text
    def close(shop):
        raise ValueError(«"closed"»)
AssertionError: assert 1 == 2

not one: an index counts otherwise
    def second(items):
        return items[«1»]
AssertionError: assert 1 == 2

not missing: there is no default
    def shop(items):
        items.closed = «None»
AssertionError: assert 1 == 2

not any: a key that others use
    def add(row, name):
        row["Name"] = name
        return row[«"Name"»].title()
AssertionError: assert 'A' == 'a'

not any: a text that tells what a function does
    def total(prices):
        «"Add up."»
        return sum(prices)
AssertionError: assert 1 == 2

not missing: what is compared with is no default
    def is_open(shop):
        return shop.closed is «None»
AssertionError: assert True is False

not any: a bound of a slice is no number of its own
    def head(items):
        return items[:«2»]
AssertionError: assert [1] == [1, 2]

not any: written with another base
    def mask():
        return «0xFF»
AssertionError: assert 255 == 127

not unit: a number of no unit
    def wheels():
        return «4»
AssertionError: assert 4 == 3

not truth: a name that holds one
    def ranked(marks, down):
        return sorted(marks, reverse=«down»)
AssertionError: assert [1, 2] == [2, 1]
where down: bool = False

not separator: more than a separator
    def label(name):
        return name + «"-code-"»
AssertionError: assert 'a-code-' == 'a_code_'

not case: a text with fields keeps their names
    def label(name):
        return «"Name: {name}"».format(name=name)
AssertionError: assert 'Name: a' == 'name: a'

not case: nothing is a letter
    def rule():
        return «"--"»
AssertionError: assert '--' == '---'

not sign: a calculation has an operator for that
    def fee(amount):
        return amount + «2»
AssertionError: assert 5 == 1
"""
)
