"""The neutral value of the type that a use shows: what can stand in the place of None.

It is always the one falsy value of its type, so that ``value or literal`` changes nothing but None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import libcst as cst

from selfdebug.codemods._names import code_of
from selfdebug.codemods._use import Use, callee, is_asynchronous, is_target, use_of
from selfdebug.syntax.region import Tree


def by_word(words: Mapping[str, str]) -> dict[str, str]:
    """Turn ``{value: "key key"}`` into ``{key: value, key: value}``."""
    return {word: value for value, text in words.items() for word in text.split()}


RESULTS = by_word(
    {
        "0": "len sum int float abs round ord",
        "[]": "list sorted range",
        "()": "tuple enumerate zip map filter reversed iter",
        "{}": "dict",
        "set()": "set",
        "frozenset()": "frozenset",
        "False": "any bool issubclass",
        "True": "all",
        '""': "join",
    }
)
"""What a call of a builtin comes to when there is nothing to give it; ``join`` is str's."""
_ARGUMENTS = by_word(
    {
        "()": "len sum list sorted tuple enumerate zip map filter reversed iter any all set frozenset "
        "join extend",
        "0": "int float abs round range sqrt floor ceil isnan chr hex oct bin",
        "{}": "dict update",
        '""': "ord path.join basename dirname splitext fullmatch match search sub split findall "
        "finditer escape quote unquote urlparse urlsplit fspath normpath dedent",
    }
)
"""The neutral argument of functions that do not take None."""
_SHOWN: Mapping[type[cst.CSTNode], str] = {
    cst.Integer: "0",
    cst.Float: "0",
    cst.FormattedString: '""',
    cst.ConcatenatedString: '""',
    cst.List: "[]",
    cst.ListComp: "[]",
}
_TYPES = by_word(
    {"0": "int float Decimal", '""': "str", 'b""': "bytes", "[]": "list", "()": "tuple"}
)
_METHODS: Mapping[type, str] = {str: '""', list: "[]", dict: "{}", set: "set()"}
_TEXT_METHODS = frozenset({"join", "strip", "upper", "lower", "title", "format", "replace"})
_MUTATORS = frozenset(
    (
        *("append", "extend", "insert", "remove", "sort", "reverse", "add", "discard"),
        *("update", "setdefault", "clear", "pop", "popitem"),
    )
)
_DIVIDES = (
    *(cst.Divide, cst.FloorDivide, cst.Modulo, cst.Power),
    *(cst.DivideAssign, cst.FloorDivideAssign, cst.ModuloAssign, cst.PowerAssign),
)
_NUMERIC_SPEC = re.compile(r".*[bcdeEfFgGnoxX%,]$|.*\.\d+$")
_OTHER = re.compile(
    r"concatenate |must be |unsupported operand|not supported between|can't multiply"
)


def neutral(tree: Tree, node: cst.BaseExpression, message: str = "") -> str | None:
    """Return the literal that can stand for None where an expression is used, as its use shows.

    None where the use does not show one.
    """
    use = use_of(tree, node)
    parent = tree.parents[node]
    if use in (Use.OPERAND, Use.AUGMENTED, Use.COMPARISON):
        if _is_divisor(parent, node):
            return None
        return _of_operation(parent, node) or _of_message(message)
    find = _NEUTRAL.get(use) if use else None
    return find(tree, node) if find else None


def refuses_none(tree: Tree, node: cst.BaseExpression) -> bool:
    """Say whether a function that gets an expression as an argument is known not to take None."""
    return callee(tree, node) in _ARGUMENTS


def mutates(tree: Tree, node: cst.BaseExpression) -> bool:
    """Say whether an expression is used to change the object that it stands for."""
    parent = tree.parents[node]
    match parent:
        case cst.Attribute(attr=cst.Name(value=name)):
            return name in _MUTATORS
        case cst.Subscript():
            return is_target(tree, parent)
    return False


def owner(tree: Tree, node: cst.BaseExpression) -> str | None:
    """Return the empty value of the one builtin type that has the method called on an expression."""
    match tree.parents[node]:
        case cst.Attribute(attr=cst.Name(value=name)) as method:
            return _of_method(name) if use_of(tree, method) is Use.CALL else None
    return None


def literal_of(node: cst.BaseExpression) -> str | None:
    """Return the falsy literal of the type that an expression shows by its form."""
    match node:
        case cst.BinaryOperation(left=left, right=right, operator=operator):
            known = literal_of(left) or literal_of(right)
            return known or ("0" if isinstance(operator, cst.Subtract | cst.Divide) else None)
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=name))):
            return '""' if name in _TEXT_METHODS else None
        case cst.Call(func=cst.Name(value=name)):
            return '""' if name == "str" else RESULTS.get(name)
        case cst.SimpleString(value=text):
            return 'b""' if "b" in text[:2].lower() else '""'
    return _SHOWN.get(type(node))


def _of_attribute(tree: Tree, node: cst.BaseExpression) -> str | None:
    return None if mutates(tree, node) else owner(tree, node)


def _of_iterable(tree: Tree, node: cst.BaseExpression) -> str | None:
    return None if is_asynchronous(tree, node) else "()"


def _of_argument(tree: Tree, node: cst.BaseExpression) -> str | None:
    return _ARGUMENTS.get(callee(tree, node))


def _of_slice(tree: Tree, node: cst.BaseExpression) -> str | None:
    """Take a slice for a list's, unless what is done with it shows text."""
    match tree.parents[node]:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice())]) as whole:
            if not is_target(tree, whole):
                return '""' if neutral(tree, whole) == '""' else "[]"
    return None


def _of_format(tree: Tree, node: cst.BaseExpression) -> str | None:
    place = tree.parents[node]
    if not isinstance(place, cst.FormattedStringExpression):
        return "0"  # Of what ``%`` formats, only numbers cannot be None.
    text = "".join(code_of(part) for part in place.format_spec or ())
    return "0" if _NUMERIC_SPEC.match(text) else '""'


_NEUTRAL: Mapping[Use, Callable[[Tree, cst.BaseExpression], str | None]] = {
    Use.ATTRIBUTE: _of_attribute,
    Use.SUBSCRIPT: _of_slice,
    Use.ITERATION: _of_iterable,
    Use.CONTAINER: lambda *_: "()",
    Use.MAPPING: lambda *_: "{}",
    Use.PIECE: lambda *_: '""',
    Use.ARGUMENT: _of_argument,
    Use.FORMAT: _of_format,
}


def _of_method(name: str) -> str | None:
    owners = [literal for type_, literal in _METHODS.items() if hasattr(type_, name)]
    return owners[0] if len(owners) == 1 else None


def _is_divisor(parent: cst.CSTNode, node: cst.BaseExpression) -> bool:
    """Say whether an operand is one that no neutral value can stand for."""
    match parent:
        case cst.BinaryOperation(right=right, operator=operator):
            return node is right and isinstance(operator, _DIVIDES)
        case cst.AugAssign(value=value, operator=operator):
            return node is value and isinstance(operator, _DIVIDES)
    return False


def _of_operation(parent: cst.CSTNode, node: cst.BaseExpression) -> str | None:
    """Read the type off the other operand."""
    match parent:
        case cst.BinaryOperation(left=left, right=right):
            return literal_of(right if node is left else left)
        case cst.AugAssign(target=target, value=value):
            return literal_of(value if node is target else target)
        case cst.Comparison(comparisons=[cst.ComparisonTarget(comparator=comparator)]):
            return literal_of(comparator)
    return None


def _of_message(message: str) -> str | None:
    """Read the type of the other operand off CPython's message."""
    if not _OTHER.search(message):
        return None
    words = re.findall(r"\w+", message)
    return next((_TYPES[word] for word in words if word in _TYPES), None)
