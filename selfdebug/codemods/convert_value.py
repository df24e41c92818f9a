"""ConvertValue: text met a number, a float a Decimal, a fraction a place that takes whole numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, changed, expression, replaced
from selfdebug.codemods._import import importing
from selfdebug.codemods._names import dotted
from selfdebug.codemods._neutral import literal_of
from selfdebug.codemods._operands import bad, sides, type_of, types, value_of
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._place import is_parameter
from selfdebug.codemods._style import quoted
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

_TEXT = Variant("text", "root-cause", "turn the value into text, where text is made", prior=0.8)
_NUMBER = Variant("number", "root-cause", "turn the text into the number that is meant", prior=0.7)
_USED = Variant(
    "number", "root-cause", "turn the text into a number at its use", prior=0.5, branch="guard"
)
_FLOOR = Variant("floor", "root-cause", "divide to a whole number", prior=0.8)
_WHOLE = Variant("whole", "guard", "take the whole number", prior=0.3)
_DECIMAL = Variant("decimal", "root-cause", "calculate with Decimal throughout", prior=0.8)
_DATE = Variant("date", "root-cause", "compare dates with dates", prior=0.7)

_NUMBERS = frozenset(("int", "float", "Decimal", "Fraction", "bool"))
_CONTAINERS = frozenset(
    (
        *("NoneType", "bytes", "bytearray", "list", "tuple", "dict", "set", "method", "function"),
        *("type", "builtin_function_or_method", "coroutine", "generator", "map", "filter", "zip"),
    )
)
_NUMERAL = re.compile(r"[+-]?\d+(?P<fraction>\.\d*(?:[eE][+-]?\d+)?)?")
_INTEGRAL = r"cannot be interpreted as an integer|indices must be integers|non-int of type 'float'"
_REAL = (
    r"must be real number, not str|format: a (?:real )?number is required, not str|"
    r"type str doesn't define __round__|bad operand type for (?:abs\(\)|unary [-+]): 'str'"
)


@dataclass(frozen=True)
class _Form:
    """A conversion: how the code changes, why, and the import that it needs."""

    variant: Variant
    change: Change
    why: str
    needs: str = ""


_Forms: TypeAlias = Iterator[_Form]


class ConvertValue(Codemod):
    """Convert the value whose type does not fit: to text, to a number, to a Decimal, to a date."""

    DESCRIPTION = "Convert values whose types do not fit together."
    NAME = "convert-value"
    ANSWERS = (
        Answer(("TypeError",), r'can only concatenate str \(not "|expected str instance, '),
        Answer(
            ("TypeError",),
            r"unsupported operand type\(s\) .*'(?:str|decimal.Decimal|datetime.\w+)'",
        ),
        Answer(
            ("TypeError",), r"not supported between .*'str'|can't compare datetime|non-int of type"
        ),
        Answer(("TypeError",), rf"{_INTEGRAL}|{_REAL}"),
        Answer(("ValueError",), r"Unknown format code '[dfeEgGxX%]' for object of type 'str'"),
    )
    VARIANTS = (_TEXT, _NUMBER, _FLOOR, _WHOLE, _DECIMAL, _DATE)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the code with the conversion that the message and the values ask for."""
        tree, site = target.tree, target.site
        for form in _conversions(tree, site):
            module = changed(tree, form.change)
            if module is not None:
                path = tree.region.source.path
                edit = importing(path, form.needs, target.project) if form.needs else None
                yield Rewrite(form.variant, module, form.why, () if edit is None else (edit,))


def _conversions(tree: Tree, site: Site) -> _Forms:
    for pattern, find in _HANDLERS:
        if re.search(pattern, site.message):
            yield from find(tree, site)
            return


def _wrapped(tree: Tree, node: cst.BaseExpression, code: str) -> Change:
    """Return the change that puts an expression made of another, ``OLD``, in its place."""
    return replaced(tree, node, lambda new: expression(code, OLD=new))


# --- text ---


def _joined(tree: Tree, site: Site) -> _Forms:
    found = re.search(r"expected str instance, (?:\w+\.)*(\w+) found", site.message)
    if found is None or found[1] in _CONTAINERS:
        return
    for node in bad(tree, site):
        why = f"`join` takes text, and got a value of type {found[1]}"
        code = "map(str, OLD)" if isinstance(tree.parents[node], cst.Arg) else "str(OLD)"
        change = _wrapped(tree, node, code)
        yield _Form(_TEXT, change, why)


def _as_text(tree: Tree, node: cst.BaseExpression, kind: str) -> _Forms:
    change = _wrapped(tree, node, "str(OLD)")
    yield _Form(_TEXT, change, f"`{tree.code(node)}` is no text, but of type {kind}")


# --- operands ---


def _operated(tree: Tree, site: Site) -> _Forms:
    named, operands = types(site.message), sides(tree, site)
    if named is None:
        return
    if operands is None:
        yield from _summed(tree, site)
        return
    (left, right), (kind, other) = operands, named
    if "can't compare" in site.message and _is_reversed(site, left, right):
        # The comparison may have been tried the other way round: the message tells no sides.
        kind, other = other, kind
    yield from _pair(tree, site, (left, kind), (right, other))
    yield from _pair(tree, site, (right, other), (left, kind))


def _is_reversed(site: Site, left: cst.BaseExpression, right: cst.BaseExpression) -> bool:
    """Say whether the variables show that a message names the operands in the other order."""
    named = types(site.message)
    seen = type_of(site, left), type_of(site, right)
    return (
        named is not None
        and any(seen)
        and all(kind in {"", shown} for kind, shown in zip(seen, named[::-1], strict=True))
    )


_Operand: TypeAlias = tuple[cst.BaseExpression, str]


def _pair(tree: Tree, site: Site, one: _Operand, two: _Operand) -> _Forms:
    """Convert the first of two operands so that it fits the second, or the reverse."""
    (node, kind), (beside, other) = one, two
    if kind == "str" and other not in _CONTAINERS and other != "str":
        adds = "concatenate" in site.message or " for +" in site.message
        shown = literal_of(node) == '""' or isinstance(node, cst.ConcatenatedString)
        functions = () if shown and adds else _functions(site, node, other)
        for function in functions:
            yield from _as_number(tree, node, function)
        if adds and (not functions or _text_of(site, node) is None):
            yield from _as_text(tree, beside, other)
    elif kind == "float" and other == "Decimal":
        yield from _as_decimal(tree, node)
    elif kind == "datetime" and other == "date":
        change = _wrapped(tree, node, "OLD.date()")
        yield _Form(_DATE, change, f"`{tree.code(node)}` has a time, what it meets has none")


def _functions(site: Site, node: cst.BaseExpression, other: str) -> tuple[str, ...]:
    """Return what may make a number of text, likeliest first: its own digits tell, or its partner."""
    text = _text_of(site, node)
    if other in {"Decimal", "Fraction"}:
        return (other,) if text is None or re.search(r"\d", text) else ()
    if other not in _NUMBERS:
        return ()
    if text is None:
        return ("float",) if other == "float" else ("int", "float")
    return _of_text(text)


def _of_text(text: str) -> tuple[str, ...]:
    numeral = _NUMERAL.fullmatch(text.strip())
    if numeral is None:
        return ()
    return ("float",) if numeral["fraction"] else ("int",)


def _text_of(site: Site, node: cst.BaseExpression) -> str | None:
    """Return the text that an expression was, as far as it was seen."""
    value = site.locals.get(dotted(node) or "")
    shown = value.text if value else None
    if isinstance(node, cst.SimpleString):
        shown = node.value
    try:
        text = ast.literal_eval(shown or "None")
    except (ValueError, SyntaxError):
        return None
    return text if isinstance(text, str) else None


def _as_number(tree: Tree, node: cst.BaseExpression, function: str) -> _Forms:
    """Convert where a variable got the text, which all its uses share, else where it is used."""
    needs, name = _known(tree, function)
    why = f"`{tree.code(node)}` is text, where a number is needed"
    given = value_of(tree, node)
    for each in (given, node) if isinstance(given, cst.Call | cst.Subscript) else (node,):
        change = _wrapped(tree, each, f"{name}(OLD)")
        yield _Form(_USED if _is_given(tree, each) else _NUMBER, change, why, needs)


def _is_given(tree: Tree, node: cst.BaseExpression) -> bool:
    """Say whether an expression is what another function passed or left: a parameter or a field."""
    made = value_of(tree, node) or node
    return isinstance(made, cst.Attribute) or (
        isinstance(made, cst.Name) and is_parameter(tree, made)
    )


def _known(tree: Tree, function: str) -> tuple[str, str]:
    """Return the import that a type needs, if any, and how the file spells it."""
    module = {"Decimal": "decimal", "Fraction": "fractions"}.get(function)
    if module is None:
        return "", function
    if re.search(rf"^import {module}\b", tree.region.source.text, re.MULTILINE):
        return "", f"{module}.{function}"
    return f"from {module} import {function}", function


def _as_decimal(tree: Tree, node: cst.BaseExpression) -> _Forms:
    needs, name = _known(tree, "Decimal")
    why = f"`{tree.code(node)}` is a float, which does not mix with Decimal"
    match node:
        case cst.Float(value=text):
            literal = quoted(tree, node, f'"{text}"')
            if literal is not None:
                new = cst.parse_expression(f"{name}({literal})")
                yield _Form(_DECIMAL, replaced(tree, node, lambda _: new), why, needs)
        case cst.Call(func=cst.Name(value="float") as func):
            change: Change = {func: lambda _: cst.parse_expression(name)}
            yield _Form(_DECIMAL, change, why, needs)
        case _:
            change = _wrapped(tree, node, f"{name}(str(OLD))")
            yield _Form(_DECIMAL, change, why, needs)


def _summed(tree: Tree, site: Site) -> _Forms:
    """Convert the items of a sum."""
    if types(site.message) != ("int", "str"):
        return
    for call in tree.at(site.span):
        if not (isinstance(call, cst.Call) and last_of(call.func) == "sum" and call.args):
            continue
        items = call.args[0].value
        why = f"the items of `{tree.code(items)}` are text"
        if isinstance(items, cst.GeneratorExp | cst.ListComp):
            for function in ("int", "float"):
                yield from _as_number(tree, items.elt, function)
            return
        for function in _of_items(site, items):
            code = f"map({function}, OLD)"
            change = _wrapped(tree, items, code)
            yield _Form(_NUMBER, change, why)


def _of_items(site: Site, node: cst.BaseExpression) -> tuple[str, ...]:
    """Return what may make numbers of a list's items, by those that were seen."""
    value = site.locals.get(dotted(node) or "")
    texts = re.findall(r"'([^']*)'", (value.text if value else None) or "")
    found = {function for text in texts for function in _of_text(text)}
    if not texts:
        return ("int", "float")
    return ("float",) if "float" in found else tuple(found)


def _multiplied(tree: Tree, site: Site) -> _Forms:
    """Convert the text in a product of text and a number, or of two texts."""
    kind = "float" if "'float'" in site.message else "int"
    for node in sides(tree, site) or ():
        if type_of(site, node) == "str" or literal_of(node) == '""':
            for function in _functions(site, node, kind):
                yield from _as_number(tree, node, function)


# --- whole numbers ---


def _integral(tree: Tree, site: Site) -> _Forms:
    found = [node for each in tree.at(site.span) for node in _whole_places(each)]
    for node in dict.fromkeys(found):
        halves = [*_divisions(value_of(tree, node) or node)]
        if halves:
            change: Change = {halves[0]: _floored}
            code = tree.code(halves[0])
            yield _Form(_FLOOR, change, f"`{code}` is a float, where a whole number is needed")
            return
    typed = [node for node in found if type_of(site, node) in {"float", "str"}]
    for node in typed if len(typed) == 1 else ():
        if type_of(site, node) == "float":
            change = _wrapped(tree, node, "int(OLD)")
            yield _Form(_WHOLE, change, f"`{tree.code(node)}` is a float")
        elif _of_text(_text_of(site, node) or "") == ("int",):
            yield from _as_number(tree, node, "int")


def _whole_places(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Yield the expressions of an operation that may have to be whole numbers."""
    match node:
        case cst.Call(args=args):
            yield from (arg.value for arg in args if not arg.star)
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
            yield index
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice() as cut)]):
            yield from filter(None, (cut.lower, cut.upper, cut.step))
        case cst.BinaryOperation(left=left, right=right, operator=cst.Multiply()):
            yield from (left, right)


def _divisions(node: cst.CSTNode) -> Iterator[cst.BinaryOperation]:
    """Yield the divisions whose result an expression is, or is calculated from."""
    match node:
        case cst.BinaryOperation(operator=cst.Divide()):
            yield node
        case cst.BinaryOperation(left=left, right=right):
            yield from _divisions(left)
            yield from _divisions(right)


def _floored(division: cst.BinaryOperation) -> cst.BinaryOperation:
    old = division.operator
    assert isinstance(old, cst.Divide)
    new = cst.FloorDivide(old.whitespace_before, old.whitespace_after)
    return division.with_changes(operator=new)


# --- arguments of functions that take numbers ---


def _real(tree: Tree, site: Site) -> _Forms:
    found = [*bad(tree, site)]
    for each in tree.at(site.span) if not found else ():
        match each:
            case cst.Call(args=args):
                found += [arg.value for arg in args if not arg.star]
            case cst.UnaryOperation(expression=inner):
                found.append(inner)
    typed = [node for node in found if type_of(site, node) == "str"]
    for node in typed or (found if len(found) == 1 else []):
        for function in _functions(site, node, "float"):
            yield from _as_number(tree, node, function)


def _formatted(tree: Tree, site: Site) -> _Forms:
    """Convert what a format for numbers got as text."""
    code = site.message.partition("'")[2][:1]
    found = [
        node
        for node in tree.ranges
        if isinstance(node, cst.FormattedStringExpression)
        and site.span.line <= tree.span(node).line <= site.span.end_line
        and any(tree.code(part).endswith(code) for part in node.format_spec or ())
    ]
    if len(found) == 1:
        node = found[0].expression
        functions = ("int",) if code in "dxX" else _functions(site, node, "float")
        for function in functions:
            yield from _as_number(tree, node, function)


_HANDLERS: tuple[tuple[str, Callable[[Tree, Site], _Forms]], ...] = (
    (r"expected str instance, ", _joined),
    (r"non-int of type 'str'", _multiplied),
    (_INTEGRAL, _integral),
    (_REAL, _real),
    (r"^Unknown format code", _formatted),
    (r"", _operated),
)


ConvertValue.EXAMPLES = examples(
    """
text: a number behind a label
    def label(order):
        return «"Order no. " + order.number» + "!"
TypeError: can only concatenate str (not "int") to str
    def label(order):
        return "Order no. " + str(order.number) + "!"

text: a number in front
    def size(width):
        return «width + " cm"»
TypeError: unsupported operand type(s) for +: 'int' and 'str'
    def size(width):
        return str(width) + " cm"

text: numbers that are joined
    def path(steps):
        return ".".join(«steps»)
TypeError: sequence item 0: expected str instance, int found
    def path(steps):
        return ".".join(map(str, steps))

text: a comprehension that is joined
    def row(order):
        return ",".join([«value» for value in order.values()])
TypeError: sequence item 2: expected str instance, float found
    def row(order):
        return ",".join([str(value) for value in order.values()])

number: the field of a row
    def total(row):
        count = row["count"]  # as in the file
        return «count * row.price» + 1
TypeError: can't multiply sequence by non-int of type 'float'
where count: str = '2'
    def total(row):
        count = int(row["count"])  # as in the file
        return count * row.price + 1

number: text that is compared with a number
    def is_full(shelf, limit):
        return «shelf.size >= limit»
TypeError: '>=' not supported between instances of 'int' and 'str'
where limit: str = '7.5'
    def is_full(shelf, limit):
        return shelf.size >= float(limit)

number: fields that are summed
    def total(rows):
        return «sum(row["price"] for row in rows)»
TypeError: unsupported operand type(s) for +: 'int' and 'str'
    def total(rows):
        return sum(int(row["price"]) for row in rows)

number: a format for numbers
    def label(price):
        return «f"{price:.2f} EUR"»
ValueError: Unknown format code 'f' for object of type 'str'
    def label(price):
        return f"{float(price):.2f} EUR"

floor: the middle of a list
    def median(values):
        middle = len(values) / 2
        return sorted(values)[«middle»]
TypeError: list indices must be integers or slices, not float
    def median(values):
        middle = len(values) // 2
        return sorted(values)[middle]

floor: half as often
    def halves(items):
        return [items[i] for i in «range(len(items) / 2)»]
TypeError: 'float' object cannot be interpreted as an integer
    def halves(items):
        return [items[i] for i in range(len(items) // 2)]

decimal: a rate that is a float
    from decimal import Decimal

    def tax(net):
        return «net * 0.19»
TypeError: unsupported operand type(s) for *: 'decimal.Decimal' and 'float'
    from decimal import Decimal

    def tax(net):
        return net * Decimal("0.19")

decimal: a float that was made of text, and Decimal not imported
    import csv

    def due(net, row):
        return «net + float(row["fee"])»
TypeError: unsupported operand type(s) for +: 'decimal.Decimal' and 'float'
    import csv
    from decimal import Decimal

    def due(net, row):
        return net + Decimal(row["fee"])

date: a time against a day
    def is_late(invoice, now):
        return «now > invoice.due»
TypeError: can't compare datetime.datetime to datetime.date
    def is_late(invoice, now):
        return now.date() > invoice.due

date: the message names the sides in the other order
    def is_late(due, now):
        return «due < now»
TypeError: can't compare datetime.datetime to datetime.date
where due: datetime.date = datetime.date(2026, 1, 1)
where now: datetime.datetime
    def is_late(due, now):
        return due < now.date()

not any: None is no number to show
    def label(order):
        return «"Order no. " + order.number»
TypeError: can only concatenate str (not "NoneType") to str

not number: the text is no number
    def is_full(shelf, limit):
        return «shelf.size >= limit»
TypeError: '>=' not supported between instances of 'int' and 'str'
where limit: str = 'many'

not any: a list does not become text
    def label(order):
        return «"Lines: " + order.lines»
TypeError: can only concatenate str (not "list") to str

not any: bytes have an encoding
    def join(parts):
        return ",".join(«parts»)
TypeError: sequence item 0: expected str instance, bytes found

not any: a key that is no number
    def first(rows, name):
        return rows[«name»]
TypeError: list indices must be integers or slices, not str
where name: str = 'ink'

not number: it is clearly text
    def label(order):
        return «"Order no. " + order.number»
TypeError: can only concatenate str (not "int") to str

not any: lists are added up otherwise
    def total(rows):
        return «sum(row["price"] for row in rows)»
TypeError: unsupported operand type(s) for +: 'int' and 'list'

not floor: nothing is divided
    def first(values, middle):
        return values[«middle»]
TypeError: list indices must be integers or slices, not float

not any: arguments that are spread
    def halves(bounds):
        return [*«range(*bounds)»]
TypeError: 'float' object cannot be interpreted as an integer

not any: either of two floats
    def numbers(first, last):
        return [*«range(first, last)»]
TypeError: 'float' object cannot be interpreted as an integer
where first: float = 1.0
where last: float = 3.0

not any: text that is no number meets a Decimal
    from decimal import Decimal

    def tax(net, rate):
        return «net * rate»
TypeError: unsupported operand type(s) for *: 'decimal.Decimal' and 'str'
where rate: str = 'much'

not date: one has a zone, and the other has none
    def is_late(invoice, now):
        return «now > invoice.due»
TypeError: can't compare offset-naive and offset-aware datetimes

not number: two formats in one line
    def label(price, rate):
        return «f"{price:.2f} at {rate:.2f}"»
ValueError: Unknown format code 'f' for object of type 'str'

not text: what is joined is None
    def path(steps):
        return ".".join(«steps»)
TypeError: sequence item 0: expected str instance, NoneType found
"""
)
