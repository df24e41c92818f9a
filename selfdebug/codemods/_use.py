"""What the code does with a value, and which neutral value of which type would do instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto

import libcst as cst

from selfdebug.codemods._names import dotted
from selfdebug.syntax.precedence import slot_of
from selfdebug.syntax.region import Tree


class Use(Enum):
    """The ways to use a value that raise when it is None."""

    ATTRIBUTE = auto()
    SUBSCRIPT = auto()
    INDEX = auto()
    CALL = auto()
    AWAIT = auto()
    OPERAND = auto()
    COMPARISON = auto()
    CONTAINER = auto()
    ARGUMENT = auto()
    ITERATION = auto()
    UNPACKING = auto()
    MAPPING = auto()
    CONTEXT = auto()
    FORMAT = auto()
    PIECE = auto()
    AUGMENTED = auto()
    TARGET = auto()


PRIMARY = frozenset({Use.ATTRIBUTE, Use.SUBSCRIPT, Use.CALL, Use.AWAIT})
_SLOTS: dict[tuple[type[cst.CSTNode], str], Use] = {
    (cst.Attribute, "value"): Use.ATTRIBUTE,
    (cst.Subscript, "value"): Use.SUBSCRIPT,
    (cst.Index, "value"): Use.INDEX,
    (cst.Call, "func"): Use.CALL,
    (cst.Await, "expression"): Use.AWAIT,
    (cst.BinaryOperation, "left"): Use.OPERAND,
    (cst.BinaryOperation, "right"): Use.OPERAND,
    (cst.UnaryOperation, "expression"): Use.OPERAND,
    (cst.AugAssign, "value"): Use.OPERAND,
    (cst.AugAssign, "target"): Use.AUGMENTED,
    (cst.Comparison, "left"): Use.COMPARISON,
    (cst.ComparisonTarget, "comparator"): Use.COMPARISON,
    (cst.Arg, "value"): Use.ARGUMENT,
    (cst.For, "iter"): Use.ITERATION,
    (cst.CompFor, "iter"): Use.ITERATION,
    (cst.From, "item"): Use.ITERATION,
    (cst.StarredElement, "value"): Use.ITERATION,
    (cst.Assign, "value"): Use.UNPACKING,
    (cst.StarredDictElement, "value"): Use.MAPPING,
    (cst.GeneratorExp, "elt"): Use.PIECE,
    (cst.ListComp, "elt"): Use.PIECE,
    (cst.Element, "value"): Use.PIECE,
    (cst.WithItem, "item"): Use.CONTEXT,
    (cst.FormattedStringExpression, "expression"): Use.FORMAT,
}
_ORDERING = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)
_HARMLESS = frozenset("print repr str bool isinstance type id hasattr getattr setattr".split())

RESULTS: dict[str, str] = {
    **dict.fromkeys(("len", "sum", "int", "float", "abs", "round", "ord"), "0"),
    **dict.fromkeys(("list", "sorted", "range"), "[]"),
    **dict.fromkeys(("tuple", "enumerate", "zip", "map", "filter", "reversed", "iter"), "()"),
    **dict.fromkeys(("any", "bool", "issubclass"), "False"),
    "set": "set()",
    "frozenset": "frozenset()",
    "dict": "{}",
    "all": "True",
    "join": '""',
}
"""What a call of a builtin comes to when there is nothing to give it; ``join`` is str's."""

_ARGUMENTS: dict[str, str] = {
    **dict.fromkeys(
        "len sum list sorted tuple enumerate zip map filter reversed iter any all set frozenset "
        "join extend".split(),
        "()",
    ),
    **dict.fromkeys("int float abs round range sqrt floor ceil isnan chr hex oct bin".split(), "0"),
    **dict.fromkeys("dict update".split(), "{}"),
    **dict.fromkeys(
        "ord basename dirname splitext fullmatch match search sub split findall finditer escape "
        "quote unquote urlparse urlsplit fspath normpath dedent".split(),
        '""',
    ),
}
"""The neutral argument of functions that do not take None."""

_METHODS: dict[type, str] = {str: '""', list: "[]", dict: "{}", set: "set()"}
_MUTATORS = frozenset(
    "append extend insert remove sort reverse add discard update setdefault clear pop popitem".split()
)
_TYPES = {"int": "0", "float": "0", "Decimal": "0", "str": '""', "bytes": 'b""'}
_TYPES |= {"list": "[]", "tuple": "()", "dict": "{}", "set": "set()"}
_DIVIDES = (
    *(cst.Divide, cst.FloorDivide, cst.Modulo, cst.Power),
    *(cst.DivideAssign, cst.FloorDivideAssign, cst.ModuloAssign, cst.PowerAssign),
)
_NUMERIC_SPEC = re.compile(r".*[bcdeEfFgGnoxX%,]$|.*\.\d+$")
_OTHER = re.compile(
    r"(?:concatenate |must be |unsupported operand|not supported between|can't multiply)"
)


def use_of(tree: Tree, node: cst.BaseExpression) -> Use | None:
    """Return how an expression is used where it stands; None for a use that None survives."""
    parent = tree.parents[node]
    use = _SLOTS.get((type(parent), slot_of(parent, node)))
    match use, parent:
        case Use.INDEX, _ if _in_annotation(tree, parent):
            return None
        case Use.COMPARISON, _:
            return _comparison(tree, node, parent)
        case Use.ARGUMENT, cst.Arg(star="*"):
            return Use.ITERATION
        case Use.ARGUMENT, cst.Arg(star="**"):
            return Use.MAPPING
        case Use.ARGUMENT, _:
            return None if not isinstance(tree.parents[parent], cst.Call) else use
        case Use.OPERAND, cst.UnaryOperation(operator=cst.Not()):
            return None
        case Use.OPERAND, cst.BinaryOperation(left=cst.BaseString(), operator=cst.Modulo()):
            return None
        case Use.UNPACKING, cst.Assign(targets=targets):
            unpacks = any(isinstance(each.target, cst.Tuple | cst.List) for each in targets)
            return use if unpacks else None
        case Use.FORMAT, cst.FormattedStringExpression(format_spec=None):
            return None
        case Use.PIECE, _ if not _is_joined(tree, parent):
            return None
        case Use.ITERATION, cst.From() if not isinstance(tree.parents[parent], cst.Yield):
            return None
    return use


def user(tree: Tree, node: cst.BaseExpression) -> cst.CSTNode:
    """Return the expression, or the statement, that fails where ``node`` is None.

    Of a chain that is the whole: ``user.name.upper()`` for ``user``.
    """
    parent = tree.parents[node]
    while isinstance(parent, cst.Arg | cst.Index | cst.SubscriptElement | cst.ComparisonTarget):
        parent = tree.parents[parent]
    if isinstance(parent, cst.BaseExpression):
        return chain(tree, parent)
    return parent


def chain(tree: Tree, node: cst.BaseExpression) -> cst.BaseExpression:
    """Return the longest chain of attributes, items, calls and awaits that begins with ``node``."""
    while use_of(tree, node) in PRIMARY:
        parent = tree.parents[node]
        assert isinstance(parent, cst.BaseExpression)
        node = parent
    return node


def is_target(tree: Tree, node: cst.CSTNode) -> bool:
    """Say whether an expression is assigned to or deleted, not read."""
    parent = tree.parents[node]
    while isinstance(parent, cst.Tuple | cst.List | cst.Element | cst.StarredElement):
        node, parent = parent, tree.parents[parent]
    match parent:
        case cst.AssignTarget() | cst.Del() | cst.AsName():
            return True
        case cst.AnnAssign() | cst.AugAssign() | cst.For() | cst.CompFor() | cst.NamedExpr():
            return parent.target is node
    return False


def is_asynchronous(tree: Tree, node: cst.CSTNode) -> bool:
    """Say whether a ``for`` or ``with`` around an expression is ``async``."""
    parent = tree.parents[node]
    holder = tree.parents[parent] if isinstance(parent, cst.WithItem) else parent
    return getattr(holder, "asynchronous", None) is not None


def callee(tree: Tree, node: cst.BaseExpression) -> str:
    """Return the last name of the function that an expression is an argument of."""
    call = tree.parents[tree.parents[node]]
    match call:
        case cst.Call(func=cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name))):
            return name
    return ""


def survives(tree: Tree, node: cst.BaseExpression) -> bool:
    """Say whether a function that gets an expression as an argument is not known to refuse None."""
    name = callee(tree, node)
    return name in _HARMLESS or name not in _ARGUMENTS


def neutral(tree: Tree, node: cst.BaseExpression, message: str = "") -> str | None:
    """Return the literal that can stand for None where an expression is used, as its use shows.

    It is the only falsy value of the type that is used there, so that ``node or literal`` changes
    nothing but None. None where the use does not show one.
    """
    use = use_of(tree, node)
    parent = tree.parents[node]
    match use, parent:
        case Use.ATTRIBUTE, _:
            return None if mutates(tree, node) else owner(tree, node)
        case Use.SUBSCRIPT, cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice())]):
            return _of_slice(tree, parent)
        case Use.ITERATION, _:
            return None if is_asynchronous(tree, node) else "()"
        case Use.CONTAINER, _:
            return "()"
        case Use.MAPPING, _:
            return "{}"
        case Use.ARGUMENT, _:
            return _ARGUMENTS.get(callee(tree, node))
        case Use.PIECE, _:
            return '""'
        case Use.FORMAT, cst.FormattedStringExpression(format_spec=spec) if spec:
            text = "".join(cst.Module([]).code_for_node(part) for part in spec)
            return "0" if _NUMERIC_SPEC.match(text) else '""'
        case ((Use.OPERAND | Use.AUGMENTED | Use.COMPARISON), _):
            if _is_divisor(parent, node):
                return None
            return _of_operation(parent, node) or _of_message(message)
    return None


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


def _comparison(tree: Tree, node: cst.BaseExpression, parent: cst.CSTNode) -> Use | None:
    whole = parent if isinstance(parent, cst.Comparison) else tree.parents[parent]
    assert isinstance(whole, cst.Comparison)
    operators = [target.operator for target in whole.comparisons]
    operands = [whole.left, *(target.comparator for target in whole.comparisons)]
    place = next(i for i, operand in enumerate(operands) if operand is node)
    if place and isinstance(operators[place - 1], cst.In | cst.NotIn):
        return Use.CONTAINER
    beside = operators[max(place - 1, 0) : place + 1]
    return Use.COMPARISON if any(isinstance(each, _ORDERING) for each in beside) else None


def _is_joined(tree: Tree, node: cst.CSTNode) -> bool:
    """Say whether a comprehension, or the display that an element is in, is what str.join joins."""
    whole = tree.parents[node] if isinstance(node, cst.Element) else node
    argument = tree.parents[whole]
    return (
        isinstance(whole, cst.BaseExpression)
        and isinstance(argument, cst.Arg)
        and isinstance(tree.parents[argument], cst.Call)
        and callee(tree, whole) == "join"
    )


def _in_annotation(tree: Tree, node: cst.CSTNode) -> bool:
    for up in tree.ancestors(node):
        if isinstance(up, cst.Annotation):
            return True
        if isinstance(up, cst.BaseSmallStatement | cst.BaseCompoundStatement):
            return False
    return False


def _of_method(name: str) -> str | None:
    owners = [literal for type_, literal in _METHODS.items() if hasattr(type_, name)]
    return owners[0] if len(owners) == 1 else None


def _of_slice(tree: Tree, whole: cst.Subscript) -> str | None:
    after = neutral(tree, whole)
    return '""' if after == '""' else "[]"


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


def literal_of(node: cst.BaseExpression) -> str | None:
    """Return the falsy literal of the type that an expression shows by its form."""
    match node:
        case cst.Integer() | cst.Float():
            return "0"
        case cst.BinaryOperation(left=left, right=right, operator=operator):
            known = literal_of(left) or literal_of(right)
            return known or ("0" if isinstance(operator, cst.Subtract | cst.Divide) else None)
        case cst.Call(
            func=cst.Attribute(attr=cst.Name(value="join" | "strip" | "upper" | "lower"))
        ):
            return '""'
        case cst.Call(func=cst.Name(value="str")):
            return '""'
        case cst.Call(func=cst.Name(value=name)):
            return RESULTS.get(name)
        case cst.SimpleString(value=text):
            return 'b""' if "b" in text[:2].lower() else '""'
        case cst.FormattedString() | cst.ConcatenatedString():
            return '""'
        case cst.List() | cst.ListComp():
            return "[]"
    return None


def _of_message(message: str) -> str | None:
    """Read the type of the other operand off CPython's message."""
    if not _OTHER.search(message):
        return None
    words = re.findall(r"\w+", message)
    return next((_TYPES[word] for word in words if word in _TYPES), None)


def uses(tree: Tree, spelling: str, within: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Yield every place in a node that reads what a dotted spelling stands for."""
    for child in within.children:
        if isinstance(child, cst.BaseExpression) and dotted(child) == spelling:
            if not is_target(tree, child):
                yield child
        else:
            yield from uses(tree, spelling, child)
