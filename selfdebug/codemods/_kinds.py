"""What kind of value an expression has, as far as its text, its annotation or a run shows."""

from __future__ import annotations

import ast
from typing import TypeAlias

import libcst as cst

from selfdebug.codemods._first_order import Place
from selfdebug.codemods._names import dotted
from selfdebug.codemods._neutral import by_word
from selfdebug.codemods._passing import last_of
from selfdebug.model import Span, Value
from selfdebug.syntax.bindings import FUNCTIONS, Function
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.scopes import function_of

Kind: TypeAlias = str
NUMBERS = frozenset(("int", "float", "Decimal", "Fraction", "number"))
SEQUENCES = frozenset(("list", "tuple", "str", "bytes", "range", "deque"))
SETS = frozenset(("set", "frozenset", "dict_keys", "Counter"))
_LITERALS: dict[type[cst.CSTNode], Kind] = {
    cst.Integer: "int",
    cst.Float: "float",
    cst.FormattedString: "str",
    cst.Comparison: "bool",
    cst.List: "list",
    cst.ListComp: "list",
    cst.Tuple: "tuple",
    cst.Dict: "dict",
    cst.DictComp: "dict",
    cst.Set: "set",
    cst.SetComp: "set",
    cst.GeneratorExp: "generator",
    cst.Lambda: "function",
}
_BY_CALL = by_word(
    {
        "str": "str repr format strip lstrip rstrip lower upper title capitalize casefold swapcase "
        "join replace zfill ljust rjust center strftime isoformat removeprefix removesuffix input "
        "decode chr hex bin",
        "int": "int len ord find rfind index rindex count floor ceil toordinal weekday isoweekday",
        "float": "float total_seconds sqrt fsum",
        "number": "sum abs round",
        "bool": "bool isinstance hasattr all any startswith endswith isdigit isalpha isalnum isspace "
        "isupper islower callable issubclass issubset issuperset isdisjoint is_file is_dir exists",
        "list": "list sorted split rsplit splitlines findall readlines",
        "tuple": "tuple partition rpartition divmod",
        "set": "set frozenset union intersection difference symmetric_difference",
        "dict": "dict fromkeys groupdict defaultdict OrderedDict",
        "Counter": "Counter",
        "Decimal": "Decimal quantize",
        "Fraction": "Fraction",
        "zip": "zip",
        "reversed": "reversed",
        "enumerate": "enumerate",
        "range": "range",
    }
)
_ANNOTATED = by_word(
    {
        "list": "list List MutableSequence Sequence",
        "dict": "dict Dict Mapping MutableMapping",
        "set": "set Set frozenset FrozenSet AbstractSet",
        "tuple": "tuple Tuple",
        "str": "str Text",
        "int": "int",
        "float": "float",
        "bool": "bool",
        "bytes": "bytes",
        "Decimal": "Decimal",
        "date": "date",
        "datetime": "datetime",
    }
)


def kind_of(place: Place, node: cst.CSTNode) -> Kind:
    """Return the name of the class of an expression's value, ``number`` for any number; "" unknown."""
    kind = _LITERALS.get(type(node))
    if kind is not None:
        return kind
    match node:
        case cst.SimpleString():
            return "bytes" if node.prefix.lower().startswith("b") else "str"
        case cst.Name(value="True" | "False") | cst.UnaryOperation(operator=cst.Not()):
            return "bool"
        case cst.Name() | cst.Attribute():
            return _of_variable(place, node)
        case cst.Call(func=func):
            return _BY_CALL.get(last_of(func), "")
    return _of_parts(place, node)


def _of_parts(place: Place, node: cst.CSTNode) -> Kind:
    match node:
        case cst.ConcatenatedString(left=inner) | cst.UnaryOperation(expression=inner):
            return kind_of(place, inner)
        case cst.BinaryOperation():
            return _of_operation(place, node)
        case cst.BooleanOperation(left=one, right=other) | cst.IfExp(body=one, orelse=other):
            return kind_of(place, one) or kind_of(place, other)
        case cst.Subscript(value=value, slice=[cst.SubscriptElement(slice=cst.Slice())]):
            return kind_of(place, value)
        case cst.Subscript(value=value) if kind_of(place, value) == "str":
            return "str"
    return ""


def is_number(place: Place, node: cst.CSTNode) -> bool:
    """Say whether an expression is seen to be a number."""
    return kind_of(place, node) in NUMBERS


def may_be(place: Place, node: cst.CSTNode, kinds: frozenset[str]) -> bool:
    """Say whether an expression is of one of some kinds, or nothing tells what it is."""
    kind = kind_of(place, node)
    return not kind or kind in kinds


def _of_operation(place: Place, node: cst.BinaryOperation) -> Kind:
    left, right, sign = kind_of(place, node.left), kind_of(place, node.right), node.operator
    if left == "str" or (right == "str" and isinstance(sign, cst.Add)):
        return "str"
    if isinstance(sign, cst.Divide) and left == right == "int":
        return "float"
    if left == right:
        return left or ("number" if isinstance(sign, cst.FloorDivide | cst.Power) else "")
    if {left, right} <= {*NUMBERS, ""}:
        # A sequence times a whole number is a sequence.
        repeats = isinstance(sign, cst.Multiply) and {left, right} == {"int", ""}
        return "" if repeats else "number"
    return left or right if isinstance(sign, cst.Add) else left


def _of_variable(place: Place, node: cst.Name | cst.Attribute) -> Kind:
    spelling = dotted(node) or ""
    value = place.values.get(spelling)
    if value is not None and value.type != "NoneType":
        return short_type(value)
    return _annotated(place, spelling)


def short_type(value: Value) -> Kind:
    """Return the name of a value's class without its module."""
    return value.type.rpartition(".")[2]


def function_at(place: Place) -> Function | None:
    """Return the function around a place, as ``ast`` has it."""
    project, span = place.project, place.site.span
    path = place.tree.region.source.path
    key = ("function", path, span)
    if key not in project.parsed:
        tree = read_module(path, project).tree
        project.parsed[key] = function_of(place.scopes) or _headed(tree, span)
    found = project.parsed[key]
    assert found is None or isinstance(found, FUNCTIONS)
    return found


def _headed(tree: ast.Module, span: Span) -> Function | None:
    """Return the function whose header is at a place."""
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS) and node.lineno == span.line:
            return node
    return None


def _annotated(place: Place, name: str) -> Kind:
    function = function_at(place)
    if function is None:
        return ""
    args = function.args
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs):
        if arg.arg == name and arg.annotation is not None:
            base = arg.annotation
            base = base.value if isinstance(base, ast.Subscript) else base
            return _ANNOTATED.get(ast.unparse(base).rpartition(".")[2], "")
    return ""
