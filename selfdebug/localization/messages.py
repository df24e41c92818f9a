"""What CPython's messages tell about the operation that failed and the operand that was wrong.

One rule per wording, from 3.7 to 3.14. A rule looks at one libcst node and yields the operands of it
that the message may mean. The texts are those of CPython's ``Objects/abstract.c``, ``Python/ceval.c``
and the built-in types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import libcst as cst

NONE = "NoneType"


@dataclass(frozen=True, slots=True)
class Operand:
    """A part of an operation that a message may mean.

    ``expression`` is None where the value that was wrong has no text of its own (an element that a
    loop unpacks). ``strong`` says that the operation is of the kind that makes this message, and not
    only one that might. ``holds`` says that the value was found inside the operand's.
    """

    expression: cst.BaseExpression | None
    strong: bool = True
    holds: bool = False


Finder: TypeAlias = "Callable[[cst.CSTNode, re.Match[str]], Iterable[Operand]]"


@dataclass(frozen=True)
class Rule:
    """A wording: the exceptions that carry it, and what finds the operands in a node.

    ``held`` says that the wording fits so much that only an operand known to be None counts.
    """

    exceptions: frozenset[str]
    pattern: re.Pattern[str]
    find: Finder
    held: bool = False


@dataclass(frozen=True)
class Reading:
    """A message understood: ``type`` is the class of the wrong value as CPython names it, or ""."""

    rule: Rule
    match: re.Match[str]

    @property
    def type(self) -> str:
        """The class of the value that was wrong, "" where the wording does not tell."""
        groups = self.match.groupdict()
        named: str | None = groups.get("type")
        if named:
            return NONE if named == "None" else named
        return NONE if NONE in (groups.get("left"), groups.get("right")) else ""

    def operands(self, node: cst.CSTNode) -> Iterable[Operand]:
        """Return the operands of a node that the message may mean."""
        return self.rule.find(node, self.match)


def readings(exc_type: str, message: str, *, deeper: bool) -> Iterator[Reading]:
    """Yield what an exception may mean, most precise first.

    One that was raised ``deeper``, inside a call, speaks of what was passed.
    """
    name = exc_type.rpartition(".")[2]
    for rule in _PASSED if deeper else (*_RULES, *_PASSED):
        if rule.exceptions and name not in rule.exceptions:
            continue
        if match := rule.pattern.search(message):
            yield Reading(rule, match)


def _attribute(node: cst.CSTNode, match: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Attribute) and node.attr.value == match["name"]:
        yield Operand(node.value)


def _subscript(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Subscript):
        yield Operand(node.value)


def _index(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Subscript):
        for element in node.slice:
            if isinstance(element.slice, cst.Index):
                yield Operand(element.slice.value)


def _called(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Call):
        yield Operand(node.func)
    elif isinstance(node, cst.Decorator):
        yield Operand(node.decorator)


def _iterated(node: cst.CSTNode, match: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.For | cst.CompFor):
        yield Operand(node.iter)
    elif isinstance(node, cst.StarredElement):
        yield Operand(node.value)
    elif isinstance(node, cst.Yield) and isinstance(node.value, cst.From):
        yield Operand(node.value.item)
    elif isinstance(node, cst.AugAssign):
        yield Operand(node.value)
    elif isinstance(node, cst.Call):
        iterates = _name(node.func) in _ITERATES
        yield from (Operand(arg.value, strong=iterates or arg.star != "") for arg in node.args)
    else:
        yield from _unpacked(node, match)


def _unpacked(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Assign):
        if any(isinstance(each.target, cst.Tuple | cst.List) for each in node.targets):
            yield Operand(node.value)
    elif isinstance(node, cst.For | cst.CompFor) and isinstance(node.target, cst.Tuple | cst.List):
        yield Operand(None)


def _star(node: cst.CSTNode, match: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Call):
        for arg in node.args:
            if arg.star == match["star"]:
                yield Operand(arg.value)
    elif isinstance(node, cst.StarredElement) and match["star"] == "*":
        yield Operand(node.value)


def _mapping(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.StarredDictElement):
        yield Operand(node.value)
    elif isinstance(node, cst.Call):
        yield from (Operand(arg.value) for arg in node.args if arg.star == "**")


def _container(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.ComparisonTarget) and isinstance(node.operator, cst.In | cst.NotIn):
        yield Operand(node.comparator)


def _operator(node: cst.CSTNode, match: re.Match[str]) -> Iterator[Operand]:
    sign = match["op"].removesuffix(" or pow()")
    sides: tuple[cst.BaseExpression, ...] = ()
    if isinstance(node, cst.BinaryOperation) and _sign(node.operator) == sign:
        sides = node.left, node.right
    elif isinstance(node, cst.AugAssign) and _sign(node.operator) == sign:
        sides = node.target, node.value
    elif isinstance(node, cst.Call) and f"{_name(node.func)}()" == sign:
        sides = tuple(arg.value for arg in node.args[:2])
    yield from _sides(sides, match)


def _compared(node: cst.CSTNode, match: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Comparison):
        left = node.left
        for target in node.comparisons:
            if _sign(target.operator) == match["op"]:
                yield from _sides((left, target.comparator), match)
            left = target.comparator
    elif isinstance(node, cst.Call) and _name(node.func) in {"sorted", "min", "max", "sort"}:
        several = len(node.args) > 1
        yield from (Operand(arg.value, holds=not several) for arg in node.args if not arg.keyword)


def _asserted(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    """Find what an assertion compares, which pytest spells out."""
    if isinstance(node, cst.Assert) and isinstance(node.test, cst.Comparison):
        yield Operand(node.test.left)


def _sides(sides: tuple[cst.BaseExpression, ...], match: re.Match[str]) -> Iterator[Operand]:
    types = match["left"], match["right"]
    yield from (Operand(side) for side, kind in zip(sides, types, strict=False) if kind == NONE)
    if sides and NONE not in types:
        yield Operand(None)


def _unary(node: cst.CSTNode, match: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.UnaryOperation) and _sign(node.operator) == match["op"]:
        yield Operand(node.expression)
    elif isinstance(node, cst.Call) and f"{_name(node.func)}()" == match["op"] and node.args:
        yield Operand(node.args[0].value)


def _right(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        yield Operand(node.right)
    elif isinstance(node, cst.AugAssign) and isinstance(node.operator, cst.AddAssign):
        yield Operand(node.value)
    elif isinstance(node, cst.Call):
        yield from (Operand(arg.value, strong=False) for arg in node.args)


def _multiplied(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        yield Operand(node.right)
        yield Operand(node.left)
    elif isinstance(node, cst.AugAssign) and isinstance(node.operator, cst.MultiplyAssign):
        yield Operand(node.value)


def _divided(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.BinaryOperation) and _sign(node.operator) in {"/", "//", "%"}:
        yield Operand(node.right)
    elif isinstance(node, cst.AugAssign) and _sign(node.operator) in {"/=", "//=", "%="}:
        yield Operand(node.value)
    elif isinstance(node, cst.Call) and _name(node.func) == "divmod" and len(node.args) > 1:
        yield Operand(node.args[1].value)


def _percent(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Modulo):
        yield from (Operand(each) for each in _elements(node.right) or (node.right,))


def _formatted(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.FormattedStringExpression) and node.format_spec is not None:
        yield Operand(node.expression)
    elif isinstance(node, cst.Call):
        formats = _name(node.func) == "format"
        yield from (Operand(arg.value, strong=formats) for arg in node.args)


def _joined(node: cst.CSTNode, match: re.Match[str]) -> Iterator[Operand]:
    if not (isinstance(node, cst.Call) and _name(node.func) == "join" and len(node.args) == 1):
        return
    joined, index = node.args[0].value, int(match["index"])
    if isinstance(joined, cst.GeneratorExp | cst.ListComp | cst.SetComp):
        yield Operand(joined.elt)
    elif index < len(elements := _elements(joined)):
        yield Operand(elements[index])
    else:
        yield Operand(joined, holds=True)


def _managed(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.WithItem):
        yield Operand(node.item)


def _awaited(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Await):
        yield Operand(node.expression)


def _async_iterated(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.For | cst.CompFor) and node.asynchronous is not None:
        yield Operand(node.iter)


def _raised(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Raise) and node.exc is not None:
        yield Operand(node.exc)


def _caught(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.ExceptHandler | cst.ExceptStarHandler) and node.type is not None:
        yield from (Operand(each) for each in _elements(node.type) or (node.type,))


def _named(node: cst.CSTNode, match: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Name) and node.value == match["name"]:
        yield Operand(node)


def _key(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Subscript):
        yield Operand(None)
    elif isinstance(node, cst.Call) and _name(node.func) in ("pop", "remove"):
        yield Operand(None, strong=False)


def _emptied(node: cst.CSTNode, match: re.Match[str]) -> Iterator[Operand]:
    """Find what held nothing: the first argument, of ``reduce`` the second."""
    if isinstance(node, cst.Call):
        named = match.groupdict().get("function") or _EMPTIED
        given = [arg.value for arg in node.args if not (arg.keyword or arg.star)]
        at = 1 if _name(node.func) == "reduce" else 0
        if len(given) > at and _name(node.func) in named:
            yield Operand(given[at])


def _converted(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Call) and node.args:
        whole = _name(node.func) in ("int", "round", "floor", "ceil", "trunc", "float")
        yield Operand(node.args[0].value, strong=whole)


def _domain(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Call) and node.args:
        known = _name(node.func) in ("sqrt", "isqrt", "log", "log2", "log10", "factorial")
        yield Operand(node.args[0].value, strong=known)


def _shifted(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.BinaryOperation) and _sign(node.operator) in ("<<", ">>"):
        yield Operand(node.right)


def _next(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Call) and _name(node.func) == "next" and node.args:
        yield Operand(node.args[0].value)


def _popped(node: cst.CSTNode, _: re.Match[str]) -> Iterator[Operand]:
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        yield Operand(node.func.value, strong=node.func.attr.value.startswith("pop"))


def _argument(node: cst.CSTNode, match: re.Match[str]) -> Iterator[Operand]:
    """Find what was passed to a function that refuses its type."""
    if not isinstance(node, cst.Call):
        return
    groups = match.groupdict()
    name, number = groups.get("function"), groups.get("number")
    named = name is not None and _name(node.func) == name
    for at, arg in enumerate(node.args, start=1):
        if number is None or not named or int(number) == at:
            yield Operand(arg.value, strong=named)


def _name(func: cst.BaseExpression) -> str:
    """Return the last name of what is called."""
    if isinstance(func, cst.Attribute):
        return func.attr.value
    return func.value if isinstance(func, cst.Name) else ""


def _sign(operator: cst.CSTNode) -> str:
    if isinstance(operator, cst.NotEqual):
        return operator.value
    return _SIGNS.get(type(operator).__name__, "")


def _elements(node: cst.BaseExpression) -> tuple[cst.BaseExpression, ...]:
    """Return the elements of a display whose places are known: one without a star."""
    if not isinstance(node, cst.Tuple | cst.List):
        return ()
    if any(isinstance(each, cst.StarredElement) for each in node.elements):
        return ()
    return tuple(each.value for each in node.elements)


_SIGNS = {
    name + suffix: sign + equals
    for name, sign in {
        "Add": "+",
        "Subtract": "-",
        "Multiply": "*",
        "MatrixMultiply": "@",
        "Divide": "/",
        "FloorDivide": "//",
        "Modulo": "%",
        "Power": "**",
        "LeftShift": "<<",
        "RightShift": ">>",
        "BitAnd": "&",
        "BitOr": "|",
        "BitXor": "^",
    }.items()
    for suffix, equals in (("", ""), ("Assign", "="))
} | {
    "Minus": "-",
    "Plus": "+",
    "BitInvert": "~",
    "LessThan": "<",
    "LessThanEqual": "<=",
    "GreaterThan": ">",
    "GreaterThanEqual": ">=",
    "Equal": "==",
}

_ITERATES = frozenset(
    (
        *("all", "any", "dict", "enumerate", "filter", "frozenset", "iter", "list", "map", "max"),
        *("min", "set", "sorted", "sum", "tuple", "zip", "extend", "update", "union", "join"),
        *("fromkeys", "chain", "from_iterable", "islice", "deque", "Counter", "OrderedDict"),
    )
)
_EMPTIED = frozenset(
    (
        *("choice", "mean", "fmean", "median", "median_low", "median_high", "mode", "stdev"),
        *("variance", "pstdev", "pvariance", "harmonic_mean", "geometric_mean"),
    )
)
_OBJECT = r"'(?P<type>[^']+)' object"
_GOT = r"'?(?P<type>[\w.]+)'?"


def _rule(exceptions: str, pattern: str, find: Finder) -> Rule:
    return Rule(frozenset(exceptions.split()), re.compile(pattern, re.DOTALL), find)


_OPERANDS = r"'(?P<left>[^']+)' and '(?P<right>[^']+)'"
_RULES: tuple[Rule, ...] = (
    _rule("AttributeError", r"^(?P<name>__a?(?:enter|exit)__)$", _managed),
    _rule(
        "AttributeError",
        r"(?:type object |module )?'(?P<type>[^']+)'(?: object)? has no attribute '(?P<name>\w+)'",
        _attribute,
    ),
    _rule("AttributeError", r"has no attribute '(?P<name>\w+)'", _attribute),
    _rule("TypeError", rf"{_OBJECT} is not subscriptable", _subscript),
    _rule("TypeError", rf"{_OBJECT} (?:does not|doesn't) support (?:item|slice)", _subscript),
    _rule("TypeError", rf"{_OBJECT} is not callable", _called),
    _rule("TypeError", r"argument of type '(?P<type>[^']+)' is not", _container),
    _rule("TypeError", r"cannot unpack non-iterable (?P<type>[\w.]+) object", _unpacked),
    _rule("TypeError", rf"{_OBJECT} is not iterable", _iterated),
    _rule("TypeError", rf"'async for' requires .* got {_GOT}", _async_iterated),
    _rule("TypeError", rf"{_OBJECT} does not support the .*context manager protocol", _managed),
    _rule("TypeError", r"object (?P<type>[\w.]+) can't be used in 'await' expression", _awaited),
    _rule("TypeError", rf"{_OBJECT} can't be awaited", _awaited),
    _rule(
        "TypeError", rf"after (?P<star>\*\*?) must be an? (?:iterable|mapping), not {_GOT}", _star
    ),
    _rule("TypeError", rf"{_OBJECT} is not a mapping", _mapping),
    _rule("TypeError", rf"unsupported operand type\(s\) for (?P<op>[^:]+): {_OPERANDS}", _operator),
    _rule(
        "TypeError", rf"'(?P<op>[<>=!]+)' not supported between instances of {_OPERANDS}", _compared
    ),
    _rule("TypeError", r"bad operand type for (?:unary )?(?P<op>[^:]+): '(?P<type>[^']+)'", _unary),
    _rule("TypeError", r'can only concatenate \w+ \(not "(?P<type>[\w.]+)"\) to', _right),
    _rule("TypeError", r"can't concat (?P<type>[\w.]+) to", _right),
    _rule("TypeError", rf"^must be str, not {_GOT}", _right),
    _rule(
        "TypeError", r"can't multiply sequence by non-int of type '(?P<type>[^']+)'", _multiplied
    ),
    _rule("TypeError", rf"(?:indices|index) must be (?:.*not {_GOT})?", _index),
    _rule("TypeError", rf"^%\w format: .* required, not {_GOT}", _percent),
    _rule(
        "TypeError", r"unsupported format string passed to (?P<type>[\w.]+)\.__format__", _formatted
    ),
    _rule("TypeError", rf"sequence item (?P<index>\d+): expected .* {_GOT} found", _joined),
    _rule("TypeError", r"exceptions must derive from BaseException", _raised),
    _rule("TypeError", r"catching classes that do not inherit", _caught),
    _rule("TypeError", r"object of type '(?P<type>[^']+)' has no (?P<function>len)\(\)", _argument),
    _rule("TypeError", r"^(?P<function>zip) argument #(?P<number>\d+) must support", _argument),
    _rule("TypeError", r"can only (?P<function>join) an iterable", _argument),
    _rule("ValueError", r"^invalid literal for (?P<function>int)\(\) with base", _argument),
    _rule("ValueError", r"^could not convert string to (?P<function>float): ", _argument),
    _rule("NameError UnboundLocalError", r"'(?P<name>\w+)'", _named),
    _rule(
        "ValueError TypeError",
        r"^(?P<function>min|max|reduce)\(\) .*\bempty\b",
        _emptied,
    ),
    _rule(
        "ValueError OverflowError", r"^cannot convert float|^int too large to convert", _converted
    ),
    _rule("ValueError", r"math domain|nonnegative input|positive input|negative values", _domain),
    _rule("ValueError", r"^negative shift count", _shifted),
    _rule("StopIteration", r"", _next),
    _rule(
        "IndexError KeyError", r"^'?pop from (?:an )?empty|^'?pop(?:item)?\(\): .*empty", _popped
    ),
    _rule("KeyError IndexError", r"", _key),
    _rule("ZeroDivisionError DivisionByZero DivisionUndefined InvalidOperation", r"", _divided),
    _rule("AssertionError", r"^assert (?P<type>None) (?:==|is|in) ", _asserted),
)
_NAMES_NONE = r"\b(?P<type>NoneType|(?<=not )None)\b"
_PASSED: tuple[Rule, ...] = (
    _rule("", rf"^(?P<function>\w+)\(\) arg(?:ument)? (?P<number>\d+).*{_NAMES_NONE}", _argument),
    _rule("", rf"^(?P<function>\w+)\(\).*{_NAMES_NONE}", _argument),
    _rule("", _NAMES_NONE, _argument),
    _rule("StatisticsError IndexError", r"\bempty\b|requires at least one", _emptied),
    _rule("TypeError", r"^expected string or bytes-like object", _argument),
    replace(_rule("TypeError AttributeError ValueError", r"", _argument), held=True),
)
"""What an exception says that was raised inside a call, of which only the arguments are in sight."""
