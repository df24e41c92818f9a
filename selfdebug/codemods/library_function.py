"""LibraryFunction: a value that the standard library has a function for, which nobody called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._called_as import called_as
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import NUMBERS, kind_of
from selfdebug.codemods._passing import last_of

_ROUNDED = small_edit("rounded", "round up or down", 0.04, "off-by-one rounding number type")
_HALF = small_edit("half-up", "round halves up, not to even", 0.05, "off-by-one rounding")
_CLOSE = small_edit("close", "compare floats as nearly equal", 0.3, "bool")
_EXACT = small_edit("exact", "make a decimal of what is shown", 0.3, "rounding")
_SUM = small_edit("sum", "add floats without a loss", 0.05, "rounding")
_ESCAPED = small_edit(
    "escaped",
    "escape what is put into markup, an address or a pattern",
    0.2,
    "text raises bool empty none missing-item",
)
_NORMALIZED = small_edit(
    "normalized", "bring accents into one form", 0.1, "text bool missing-item extra-item empty none"
)

_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|<[a-zA-Z][^<>]*$|^[^<>]*>|=[\"']$")
_ADDRESS = re.compile(r"[?&][\w-]+=$|://\S*/$")
_MATCHING = frozenset(
    ("compile", "match", "search", "fullmatch", "findall", "finditer", "sub", "split", "subn")
)
_ASCII_ONLY = 'normalize("NFKD", OLD).encode("ascii", "ignore").decode()'

_Imported: TypeAlias = Iterator[tuple[str, Form]]


class LibraryFunction(FirstOrder):
    """Round, compare, copy, escape or normalize a value as the standard library does; import that."""

    DESCRIPTION = "Pass a value through a function of the standard library."
    NAME = "library-function"
    VARIANTS = (_ROUNDED, _HALF, _CLOSE, _EXACT, _SUM, _ESCAPED, _NORMALIZED)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the decimal of what a float is shown as."""
        match place.node:
            case cst.Call(func=func, args=[cst.Arg(value=value, star="", keyword=None)]):
                if last_of(func) == "Decimal" and _is_float(place, value):
                    what = f"{place.code(func)}(str(VALUE))"
                    why = f"`{place.code(value)}` is a float, which is not exact"
                    yield _EXACT, place.put(what, VALUE=value), why

    @classmethod
    def importing(cls, place: Place) -> _Imported:
        """Yield the value in the function that is missing around it."""
        node = place.node
        if not place.is_read or not isinstance(node, cst.BaseExpression):
            return
        if isinstance(node, cst.BinaryOperation | cst.Call):
            yield from _rounded(place, node)
        if isinstance(node, cst.Comparison):
            yield from _compared(place, node)
        yield from _escaped(place, node)
        yield from _normalized(place, node)


def _of(place: Place, module: str, name: str, variant: Variant, code: str, why: str) -> _Imported:
    """Yield the node replaced by code in which ``name`` calls the module's function."""
    statement, spelled = called_as(place, module, name)
    yield statement, (variant, place.put(code.replace(f"{name}(", f"{spelled}(", 1)), why)


# --- numbers ---


def _rounded(place: Place, node: cst.BinaryOperation | cst.Call) -> _Imported:
    code = place.code(node)
    match node:
        case cst.BinaryOperation(left=left, right=right, operator=cst.FloorDivide()):
            inner = f"{_operand(place, left)} / {_operand(place, right)}"
            yield from _of(
                place, "math", "ceil", _ROUNDED, f"ceil({inner})", f"`{code}` rounds down"
            )
        case cst.BinaryOperation(operator=cst.Divide()) if kind_of(place, node) in ("", *NUMBERS):
            if not _is_rounded(place):
                yield from _of(
                    place, "math", "ceil", _ROUNDED, "ceil(OLD)", f"`{code}` is to be whole"
                )
        case cst.Call(func=cst.Name(value="int" | "round" as name), args=[cst.Arg(value=value)]):
            if kind_of(place, value) in NUMBERS or isinstance(value, cst.BinaryOperation):
                yield from _whole(place, name, place.code(value))
        case cst.Call(func=cst.Name(value="sum"), args=[_]) if _may_be_rounding(place):
            argument = place.code(node.args[0].value)
            yield from _of(
                place, "math", "fsum", _SUM, f"fsum({argument})", "each step of a sum is rounded"
            )


def _may_be_rounding(place: Place) -> bool:
    return not place.site.shapes or "rounding" in place.site.shapes


def _operand(place: Place, node: cst.BaseExpression) -> str:
    """Return an operand of ``//`` as one of ``/``, which binds as tightly."""
    return f"({place.code(node)})" if node.lpar else place.code(node)


def _is_rounded(place: Place) -> bool:
    """Say whether a quotient is made whole by what is around it."""
    match place.parent:
        case cst.Arg():
            call = place.tree.parents[place.parent]
            return isinstance(call, cst.Call) and last_of(call.func) in _ROUNDING
    return isinstance(place.parent, cst.BinaryOperation)


_ROUNDING = frozenset(("int", "round", "ceil", "floor", "trunc"))


def _whole(place: Place, name: str, value: str) -> _Imported:
    """Yield the other ways to make a number whole, but those that ``other-method`` knows."""
    if not {"math", "ceil", "floor"}.intersection(place.names):
        why = f"`{name}` rounds the other way"
        yield from _of(place, "math", "ceil", _ROUNDED, f"ceil({value})", why)
        yield from _of(place, "math", "floor", _ROUNDED, f"floor({value})", why)
    if name == "round":
        halves = "`round` gives the even one of two that are as near"
        yield from _of(place, "math", "floor", _HALF, f"floor({value} + 0.5)", halves)


def _compared(place: Place, node: cst.Comparison) -> _Imported:
    match node:
        case cst.Comparison(
            left=left,
            comparisons=[
                cst.ComparisonTarget(operator=cst.Equal() | cst.NotEqual(), comparator=right)
            ],
        ) if _is_float(place, left) or _is_float(place, right):
            unlike = isinstance(node.comparisons[0].operator, cst.NotEqual)
            code = f"{'not ' if unlike else ''}isclose({place.code(left)}, {place.code(right)})"
            why = f"`{place.code(node)}` asks whether floats are equal to the last digit"
            yield from _of(place, "math", "isclose", _CLOSE, code, why)


def _is_float(place: Place, node: cst.BaseExpression) -> bool:
    match node:
        case cst.BinaryOperation(operator=cst.Divide(), left=left, right=right):
            return {kind_of(place, left), kind_of(place, right)} <= {"int", "float", "number", ""}
    return kind_of(place, node) == "float"


# --- texts ---


def _escaped(place: Place, node: cst.BaseExpression) -> _Imported:
    if not isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
        return
    if isinstance(node, cst.Call) and last_of(node.func) in ("escape", "quote", "quote_plus"):
        return
    code = place.code(node)
    if _is_constant(code) or kind_of(place, node) not in ("str", ""):
        return
    before = _text_before(place, node)
    if before and _MARKUP.search(before):
        why = f"`{code}` may hold what is markup"
        yield from _of(place, "html", "escape", _ESCAPED, "escape(OLD)", why)
    if before and _ADDRESS.search(before):
        why = f"`{code}` may hold what has a meaning in an address"
        yield from _of(place, "urllib.parse", "quote", _ESCAPED, "quote(OLD)", why)
    if _is_in_pattern(place, node):
        why = f"`{code}` may hold what has a meaning in a pattern"
        yield from _of(place, "re", "escape", _ESCAPED, "escape(OLD)", why)


def _is_constant(code: str) -> bool:
    """Say whether an expression is named as a constant, or as a pattern itself."""
    name = code.rpartition(".")[2]
    return name.isupper() or "pattern" in name.lower() or "regex" in name.lower()


def _text_before(place: Place, node: cst.BaseExpression) -> str:
    """Return the literal text in front of a value that is put into one."""
    match place.parent:
        case cst.FormattedStringExpression() as part:
            text = place.tree.parents[part]
            if not isinstance(text, cst.FormattedString):
                return ""  # it is how another value is formatted
            at = next(n for n, each in enumerate(text.parts) if each is part)
            before = text.parts[at - 1] if at else None
            return before.value if isinstance(before, cst.FormattedStringText) else ""
        case cst.BinaryOperation(left=left, operator=cst.Add(), right=right) if right is node:
            while isinstance(left, cst.BinaryOperation):
                left = left.right
            return left.raw_value if isinstance(left, cst.SimpleString) else ""
    return ""


def _is_in_pattern(place: Place, node: cst.BaseExpression) -> bool:
    """Say whether a value is, or becomes a part of, the pattern that a call of ``re`` is given."""
    child: cst.CSTNode = node
    for up in place.tree.ancestors(node):
        match up:
            case cst.Call(func=cst.Attribute(value=cst.Name(value="re"), attr=attr), args=args):
                return attr.value in _MATCHING and args[0] is child
            case (
                cst.FormattedStringExpression()
                | cst.FormattedString()
                | cst.BinaryOperation()
                | cst.ConcatenatedString()
                | cst.Arg()
            ):
                child = up
            case _:
                return False
    return False


def _normalized(place: Place, node: cst.BaseExpression) -> _Imported:
    """Yield the value with its accents in one form, and without them, where texts have some."""
    if not isinstance(node, cst.Name | cst.Attribute) or kind_of(place, node) != "str":
        return
    if place.site.message.isascii():
        return
    why = f"`{place.code(node)}` may be written in more than one way"
    for code in ('normalize("NFC", OLD)', _ASCII_ONLY):
        yield from _of(place, "unicodedata", "normalize", _NORMALIZED, code, why)


LibraryFunction.EXAMPLES = examples(
    '''
rounded: a page that is not full is one too
    import math

    def pages(lines, size):
        count = «(lines + 1) // size»
        return count
AssertionError: assert 2 == 3
    import math

    def pages(lines, size):
        count = math.ceil((lines + 1) / size)
        return count

rounded: the last page
    """Pages."""

    from pathlib import Path

    def pages(items: list, size: int) -> int:
        return «len(items) // size»
AssertionError: assert 2 == 3
    """Pages."""

    import math
    from pathlib import Path

    def pages(items: list, size: int) -> int:
        return math.ceil(len(items) / size)

rounded: as the file imports from the module
    from math import sqrt

    def side(area):
        return «int(sqrt(area) * 1.5)»  # in tiles
AssertionError: assert 2 == 3
    from math import ceil, sqrt

    def side(area):
        return ceil(sqrt(area) * 1.5)  # in tiles

half-up: what people call rounding
    def points(shares):
        return [«round(share * 10)» for share in shares]
AssertionError: assert [2] == [3]
    import math


    def points(shares):
        return [math.floor(share * 10 + 0.5) for share in shares]

close: a sum of parts
    def is_whole(parts):
        return «sum(parts) == 1.0»
AssertionError: assert False is True
    import math


    def is_whole(parts):
        return math.isclose(sum(parts), 1.0)

exact: a price of a float
    from decimal import Decimal

    def price(amount: float):
        return «Decimal(amount)»
AssertionError: assert Decimal('0.1000000000000000055511151231257827') == Decimal('0.1')
    from decimal import Decimal

    def price(amount: float):
        return Decimal(str(amount))

sum: many small amounts
    def total(shares):
        return «sum(shares)»
AssertionError: assert 0.9999999999999999 == 1.0
    import math


    def total(shares):
        return math.fsum(shares)

escaped: a name in markup
    def row(name):
        return f"<td>{«name»}</td>"
AssertionError: assert '<td>a<b</td>' == '<td>a&lt;b</td>'
    import html


    def row(name):
        return f"<td>{html.escape(name)}</td>"

escaped: a value in an address
    BASE = "https://example.org/find"

    def address(words):
        return BASE + "?q=" + «words»
AssertionError: assert 'https://example.org/find?q=a b' == 'https://example.org/find?q=a%20b'
    from urllib.parse import quote

    BASE = "https://example.org/find"

    def address(words):
        return BASE + "?q=" + quote(words)

escaped: a word in a pattern
    import re

    def count(text, word):
        return len(re.findall(r"\\b" + «word» + r"\\b", text))
AssertionError: assert 2 == 1
    import re

    def count(text, word):
        return len(re.findall(r"\\b" + re.escape(word) + r"\\b", text))

normalized: one name, written in two ways
    def same(one: str, other: str):
        return «one» == other
AssertionError: assert 'Zoe\u0308' == 'Zo\u00eb'
    import unicodedata


    def same(one: str, other: str):
        return unicodedata.normalize("NFC", one) == other

not any: the name stands for something else here
    def pages(items, size):
        math = load()
        return «len(items) // size»
AssertionError: assert 2 == 3

not escaped: a pattern of ours
    import re

    WORD = r"\\w+"

    def count(text):
        return len(re.findall(«WORD», text))
AssertionError: assert 2 == 1

not close: whole numbers
    def is_full(taken: int, seats: int):
        return «taken == seats»
AssertionError: assert False is True

not normalized: plain letters
    def same(one: str, other: str):
        return «one» == other
AssertionError: assert 'Zoe' == 'Zo'

not any: it is rounded already
    import math

    def pages(items, size):
        return math.ceil(«len(items) / size»)
AssertionError: assert 2 == 3

not any: a text is exact
    from decimal import Decimal

    def price(amount: str):
        return «Decimal(amount)»
AssertionError: assert Decimal('0.1') == Decimal('0.10')

not any: it is escaped already
    import html

    def row(name):
        return f"<td>{«html.escape(name)»}</td>"
AssertionError: assert '<td>a<b</td>' == '<td>a&lt;b</td>'

not any: text that is no markup
    def row(name):
        return f"Name: {«name»}"
AssertionError: assert 'Name: a<b' == 'Name: a&lt;b'

not any: how wide another value is written
    def cell(value):
        return f"<td>{value:>{«width_of(value)»}}</td>"
AssertionError: assert '<td>a</td>' == '<td> a</td>'

not any: a number has nothing to escape
    def row(count: int):
        return f"<td>{«count»}</td>"
AssertionError: assert '<td>1</td>' == '<td>2</td>'

not any: what is searched, not the pattern
    import re

    def count(text, word):
        return len(re.findall(word, «text»))
AssertionError: assert 2 == 1

not any: a start is given
    def total(shares, start):
        return «sum(shares, start)»
AssertionError: assert 0.9999999999999999 == 1.0

not any: to some places
    def points(share):
        return «round(share * 10, 1)»
AssertionError: assert 2.2 == 2.3
'''
)
