"""NumberText: text that says a number, but not as ``int`` or ``float`` read one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._fault import EMPTY, Fault
from selfdebug.codemods._forms import rewritten
from selfdebug.codemods._leave import filtering, leaving, skipping
from selfdebug.codemods._names import dotted
from selfdebug.codemods._passing import last_of, passing
from selfdebug.codemods._place import place
from selfdebug.codemods._style import quoted
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

_SEPARATORS = Variant("separators", "root-cause", "drop what groups the digits", prior=0.8)
_DECIMAL = Variant("decimal-comma", "root-cause", "read a comma as the decimal point", prior=0.6)
_UNIT = Variant("unit", "root-cause", "drop the sign of the currency or the unit", prior=0.75)
_FRACTION = Variant("fraction", "root-cause", "read the fraction before it is cut off", prior=0.6)
_BASE = Variant(
    "base", "root-cause", "read the number in the base that it is written in", prior=0.8
)
_SPLIT = Variant("split", "root-cause", "split at any white space", prior=0.8)
_FILTER = Variant(
    "filter", "guard", "leave blank items out of the comprehension", prior=0.4, branch="rewrite"
)
_SKIP = Variant("skip", "guard", "run the statement only where there is text")
_EARLY_EXIT = Variant("early-exit", "guard", "leave above the statement, as the function does")
_DEFAULT = Variant("default", "default", "take no text for zero", growth=1, prior=0.1)

_MESSAGE = re.compile(
    r"^invalid literal for int\(\) with base \d+: (?P<text>.+)$"
    r"|^could not convert string to float: (?P<number>.+)$",
    re.DOTALL,
)
_READERS = frozenset(("int", "float", "Decimal"))
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:(?P<mark>[,\s'’ ])\d{3})+(?:(?P<point>[.,])\d+)?")  # noqa: RUF001
_EUROPEAN = re.compile(r"[-+]?\d{1,3}(?:\.\d{3})*,\d+")
_SIGNS = frozenset(("$", "€", "£", "¥", "₹", "#", "~", "≈", "USD", "EUR", "GBP", "CHF", "JPY"))
_UNITS = frozenset(
    (
        *_SIGNS,
        *("%", "‰", "°", "°C", "°F", "g", "kg", "mg", "t", "lb", "oz", "m", "km", "cm", "mm", "mi"),
        *("ft", "in", "s", "ms", "min", "h", "d", "px", "pt", "em", "rem", "b", "kb", "mb", "gb"),
        *("tb", "B", "KB", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "Hz", "kHz", "MHz", "GHz"),
        *("V", "A", "W", "kW", "kWh", "l", "ml", "pcs", "x"),
    )
)
"""What may stand around a number: never a text of the failure's own, which strangers may write."""
_AFFIXES = re.compile(r"(?P<head>\D*?)(?P<number>[-+]?\d[\d.,\s'’ ]*?)(?P<tail>[^\d]*)")  # noqa: RUF001


class NumberText(Codemod):
    """Read a number as it was written: grouped, with a unit, in another base; skip blank text."""

    DESCRIPTION = "Read numbers as they were written."
    NAME = "number-text"
    ANSWERS = (
        Answer(("ValueError",), _MESSAGE.pattern),
        Answer(("InvalidOperation",), "ConversionSyntax"),
    )
    VARIANTS = (
        *(_SEPARATORS, _DECIMAL, _UNIT, _FRACTION, _BASE, _SPLIT),
        *(_FILTER, _SKIP, _EARLY_EXIT, _DEFAULT),
    )

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the ways to read the text that was seen."""
        tree, site = target.tree, target.site
        call = _reader(tree, site)
        argument = call and _argument(call)
        text = None if call is None or argument is None else _text(site, argument)
        if call is None or argument is None or text is None:
            return
        blank = not text.strip()
        why = f"`{tree.code(argument)}` was {text!r}"
        found = (_blank if blank else _written)(tree, call, argument, text)
        yield from rewritten(tree, ((variant, change, why) for variant, change in found))


def _reader(tree: Tree, site: Site) -> cst.Call | None:
    """Return the call that could not read its text."""
    for node in tree.at(site.span):
        if isinstance(node, cst.Call) and last_of(node.func) in (*_READERS, "map"):
            return node
    return None


def _argument(call: cst.Call) -> cst.BaseExpression | None:
    """Return the text that a call reads, or what ``map`` reads it from."""
    given = [arg.value for arg in call.args if not (arg.star or arg.keyword)]
    if last_of(call.func) != "map":
        return given[0] if len(given) == len(call.args) == 1 else None
    return given[1] if len(given) == 2 and last_of(given[0]) in _READERS else None


def _text(site: Site, argument: cst.BaseExpression) -> str | None:
    found = _MESSAGE.match(site.message)
    value = site.locals.get(dotted(argument) or "")
    shown = (found["text"] or found["number"]) if found else value and value.text
    with suppress(ValueError, SyntaxError):
        text = ast.literal_eval(shown or "")
        return text if isinstance(text, str) else None
    return "" if shown == "" else None


# --- text that is written in another way ---


def _written(
    tree: Tree, call: cst.Call, argument: cst.BaseExpression, text: str
) -> Iterator[tuple[Variant, Change | None]]:
    if last_of(call.func) == "map":
        return
    whole = last_of(call.func) == "int"
    for variant, steps, left in _readings(text):
        if whole and not re.fullmatch(r"\s*[-+]?\d+\s*", left):
            continue
        code = "TEXT" + "".join(_spelled(tree, argument, step) for step in steps)
        yield variant, replaced(tree, argument, partial(_made_of, code))
    yield from _in_base(call, text) if whole else ()
    if whole and _NUMBER.fullmatch(text.strip()):
        yield _FRACTION, replaced(tree, argument, lambda old: expression("float(TEXT)", TEXT=old))


def _made_of(code: str, text: cst.BaseExpression) -> cst.BaseExpression:
    return expression(code, TEXT=text)


def _readings(text: str) -> Iterator[tuple[Variant, tuple[tuple[str, ...], ...], str]]:
    """Yield the calls of str methods that make a number of a text, and the number."""
    yield from _grouped(text.strip(), ())
    found = _AFFIXES.fullmatch(text)
    if not found or not (found["head"].strip() or found["tail"].strip()):
        return
    head, tail = found["head"].strip(), found["tail"].strip()
    if (head and head not in _SIGNS) or (tail and tail not in _UNITS):
        return
    steps: tuple[tuple[str, ...], ...] = ((("lstrip", head),) if head else ()) + (
        (("removesuffix", tail) if len(tail) > 1 else ("rstrip", tail),) if tail else ()
    )
    number = found["number"]
    if _NUMBER.fullmatch(number.strip()):
        yield _UNIT, steps, number
    for _, more, left in _grouped(number.strip(), steps):
        yield _UNIT, more, left


def _grouped(
    text: str, before: tuple[tuple[str, ...], ...]
) -> Iterator[tuple[Variant, tuple[tuple[str, ...], ...], str]]:
    grouped = _GROUPED.fullmatch(text)
    if grouped and grouped["mark"] != grouped["point"]:
        steps = (*before, ("replace", grouped["mark"], ""))
        left = text.replace(grouped["mark"], "")
        if grouped["point"] == ",":
            steps, left = (*steps, ("replace", ",", ".")), left.replace(",", ".")
        yield _SEPARATORS, steps, left
    if _EUROPEAN.fullmatch(text):
        dots = (("replace", ".", ""),) if "." in text else ()
        steps = (*before, *dots, ("replace", ",", "."))
        yield _DECIMAL, steps, text.replace(".", "").replace(",", ".")


def _spelled(tree: Tree, near: cst.CSTNode, step: tuple[str, ...]) -> str:
    method, *args = step
    return f".{method}({', '.join(_literal(tree, near, arg) for arg in args)})"


def _literal(tree: Tree, near: cst.CSTNode, text: str) -> str:
    """Return a text as a literal, in the file's quotes where that needs no escapes."""
    plain = text.isprintable() and not re.search(r"[\"'\\]", text)
    return (plain and quoted(tree, near, f'"{text}"')) or repr(text)


def _in_base(call: cst.Call, text: str) -> Iterator[tuple[Variant, Change | None]]:
    """Yield the call with the base that the digits show."""
    text = text.strip().lower().lstrip("+-")
    for pattern, base in (
        (r"0x[0-9a-f]+", 16),
        (r"0b[01]+", 2),
        (r"0o[0-7]+", 8),
        (r"[0-9a-f]*[a-f][0-9a-f]*", 16),
    ):
        if re.fullmatch(pattern, text):
            args = [cst.Arg(call.args[0].value), cst.Arg(cst.Integer(str(base)))]
            yield _BASE, passing(call, args)
            return


# --- text that is blank ---


def _blank(
    tree: Tree, call: cst.Call, argument: cst.BaseExpression, text: str
) -> Iterator[tuple[Variant, Change | None]]:
    yield _SPLIT, _split(tree, argument)
    if last_of(call.func) == "map":
        return
    if dotted(argument) is not None:
        fault = EMPTY if not text else Fault("not {}.strip()", "{}.strip()", "is blank")
        yield _FILTER, filtering(tree, argument, fault)
        for change, _ in leaving(tree, argument, fault):
            yield _EARLY_EXIT, change
        yield _SKIP, skipping(tree, argument, fault)
    if not text and isinstance(argument, cst.Name | cst.Attribute | cst.Subscript):
        yield _DEFAULT, replaced(tree, argument, lambda old: expression("TEXT or 0", TEXT=old))


def _split(tree: Tree, argument: cst.BaseExpression) -> Change | None:
    """Split at any white space the text whose pieces are read: ``split(" ")`` gives empty ones."""
    source: cst.BaseExpression | None = argument
    if isinstance(argument, cst.Name):
        comps = (each for each in place(tree, argument).inner if isinstance(each, cst.BaseComp))
        loops = (comp.for_in for comp in comps)
        named = (loop for loop in loops if dotted(loop.target) == argument.value)
        source = next((loop.iter for loop in named), None)
    match source:
        case cst.Call(
            func=cst.Attribute(attr=cst.Name(value="split")),
            args=[cst.Arg(value=cst.SimpleString() as mark, keyword=None)],
        ) if mark.evaluated_value in (" ", "\t"):
            return {source: lambda old: old.with_changes(args=[])}
    return None


NumberText.EXAMPLES = examples(
    """
default: an empty cell of a table
    def amounts(rows, column):
        for row in rows:
            yield float(«row[column]»)
ValueError: could not convert string to float: ''
    def amounts(rows, column):
        for row in rows:
            yield float(row[column] or 0)

separators: thousands
    def amount(row):
        return «int(row["amount"])»
ValueError: invalid literal for int() with base 10: '1,234,567'
    def amount(row):
        return int(row["amount"].replace(",", ""))

separators: with a fraction
    def amount(text):
        return round(«float(text)», 2)
ValueError: could not convert string to float: '12,345.60'
    def amount(text):
        return round(float(text.replace(",", "")), 2)

separators: spaces, in the file's quotes
    def people(row):
        return «int(row['people'])»
ValueError: invalid literal for int() with base 10: '8 400 000'
    def people(row):
        return int(row['people'].replace(' ', ''))

separators: a decimal, which says less in its message
    def price(text):
        return «Decimal(text)»
decimal.InvalidOperation: [<class 'decimal.ConversionSyntax'>]
where text: str = '1,299.00'
    def price(text):
        return Decimal(text.replace(",", ""))

decimal-comma: as most of Europe writes
    def weight(text):
        return «float(text)» * 1000
ValueError: could not convert string to float: '2,5'
    def weight(text):
        return float(text.replace(",", ".")) * 1000

decimal-comma: with dots between the thousands
    def price(cells):
        return «float(cells[2])»
ValueError: could not convert string to float: '1.299,90'
    def price(cells):
        return float(cells[2].replace(".", "").replace(",", "."))

unit: a currency
    def price(text):
        return «float(text)»
ValueError: could not convert string to float: '$12.50'
    def price(text):
        return float(text.lstrip("$"))

unit: a percent sign
    def rate(text):
        return «int(text)» / 100
ValueError: invalid literal for int() with base 10: '19%'
    def rate(text):
        return int(text.rstrip("%")) / 100

unit: a currency before grouped digits
    def price(text):
        return «float(text)»
ValueError: could not convert string to float: '$1,250.00'
    def price(text):
        return float(text.lstrip("$").replace(",", ""))

unit: a word
    def weight(row):
        return «float(row["weight"])»
ValueError: could not convert string to float: '12.5 kg'
    def weight(row):
        return float(row["weight"].removesuffix("kg"))

fraction: whole numbers that a spreadsheet wrote
    def pieces(cell):
        return «int(cell)»
ValueError: invalid literal for int() with base 10: '12.0'
    def pieces(cell):
        return int(float(cell))

base: a number with a prefix
    def address(text):
        return «int(text)»
ValueError: invalid literal for int() with base 10: '0x1F40'
    def address(text):
        return int(text, 16)

base: hexadecimal digits
    def channel(colour):
        return «int(colour[1:3])»
ValueError: invalid literal for int() with base 10: 'fa'
    def channel(colour):
        return int(colour[1:3], 16)

split: columns that are aligned with spaces
    def numbers(line):
        return [«int(word)» for word in line.split(" ")]
ValueError: invalid literal for int() with base 10: ''
    def numbers(line):
        return [int(word) for word in line.split()]

split: mapped
    def numbers(line):
        return list(«map(int, line.split(" "))»)
ValueError: invalid literal for int() with base 10: ''
    def numbers(line):
        return list(map(int, line.split()))

filter: blank items
    def numbers(line):
        return [«int(word)» for word in line.split(",")]
ValueError: invalid literal for int() with base 10: ''
    def numbers(line):
        return [int(word) for word in line.split(",") if word]

early-exit: a field that is left empty
    def age(row):
        if row.hidden:
            return None
        return «int(row.age)»
ValueError: invalid literal for int() with base 10: ''
    def age(row):
        if row.hidden:
            return None
        if not row.age:
            return None
        return int(row.age)

not any: text that says no number
    def age(text):
        return «int(text)»
ValueError: invalid literal for int() with base 10: 'unknown'

not any: a date
    def day(text):
        return «int(text)»
ValueError: invalid literal for int() with base 10: '2024-03-01'

not separators: digits that are not grouped by three
    def amount(text):
        return «int(text)»
ValueError: invalid literal for int() with base 10: '1,23,4'

not base: it has one
    def channel(text):
        return «int(text, 10)»
ValueError: invalid literal for int() with base 10: 'fa'

not default: what the text is made by may not be run twice
    def age(rows):
        return «int(next(rows))»
ValueError: invalid literal for int() with base 10: ''

not fraction: float reads it anyway
    def age(text):
        return «float(text)»
ValueError: could not convert string to float: '1.2.3'

not any: two numbers
    def width(text):
        return «int(text)»
ValueError: invalid literal for int() with base 10: '640x480'

not any: a list of numbers
    def weight(text):
        return «float(text)»
ValueError: could not convert string to float: '2,5,7'

not any: int cannot read what is left
    def price(text):
        return «int(text)»
ValueError: invalid literal for int() with base 10: '$12.50'

not any: text that is read in parts
    def sizes(text):
        return list(«map(int, text.split("x"))»)
ValueError: invalid literal for int() with base 10: '640px'

not any: arguments that nobody counts
    def size(parts):
        return «int(*parts)»
ValueError: invalid literal for int() with base 10: '1,200'

not any: digits that no base of ours has
    def channel(colour):
        return «int(colour)»
ValueError: invalid literal for int() with base 10: 'fz'

not split: an empty column says something
    def numbers(line):
        return [«int(word)» for word in line.split(";")]
ValueError: invalid literal for int() with base 10: ''

not filter: the place of each item counts
    def pair(line):
        first, last = line
        return [«int(first)», int(last)]
ValueError: invalid literal for int() with base 10: ''

not default: blank, but not empty
    def age(text):
        return «int(text)»
ValueError: invalid literal for int() with base 10: '  '
"""
)
