"""What the code does with a value, as far as it matters when the value is None."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum, auto
from typing import TypeAlias

import libcst as cst

from selfdebug.codemods._names import dotted, root
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


def use_of(tree: Tree, node: cst.BaseExpression) -> Use | None:
    """Return how an expression is used where it stands; None for a use that None survives."""
    parent = tree.parents[node]
    use = _SLOTS.get((type(parent), slot_of(parent, node)))
    refine = _REFINED.get(use) if use else None
    return refine(tree, node) if refine else use


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


def is_tested(tree: Tree, node: cst.CSTNode) -> bool:
    """Say whether an expression is part of a condition."""
    for parent in tree.ancestors(node):
        if isinstance(parent, cst.If | cst.While | cst.IfExp | cst.CompIf):
            return True
        if isinstance(parent, cst.BaseSmallStatement | cst.BaseCompoundStatement | cst.BaseComp):
            return False
    return False


def is_asynchronous(tree: Tree, node: cst.CSTNode) -> bool:
    """Say whether a ``for`` or ``with`` around an expression is ``async``."""
    parent = tree.parents[node]
    holder = tree.parents[parent] if isinstance(parent, cst.WithItem) else parent
    return getattr(holder, "asynchronous", None) is not None


def callee(tree: Tree, node: cst.BaseExpression) -> str:
    """Return the last name of the function that an expression is an argument of.

    ``os.path.join`` is "path.join", to be told from str's.
    """
    match tree.parents[tree.parents[node]]:
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value="join"))) if (
            dotted(owner) or ""
        ).endswith("path"):
            return "path.join"
        case cst.Call(func=cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name))):
            return name
    return ""


def uses(tree: Tree, spelling: str, within: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Yield every place in a node that reads what a dotted spelling stands for."""
    for name in tree.named(root(spelling), within):
        node = _spelled(tree, name, spelling)
        if node is not None and node is not within and not is_target(tree, node):
            yield node


def _spelled(tree: Tree, name: cst.Name, spelling: str) -> cst.BaseExpression | None:
    """Return what is spelled so and begins with a name."""
    node: cst.BaseExpression = name
    while dotted(node) != spelling:
        parent = tree.parents[node]
        if not (isinstance(parent, cst.Attribute | cst.Subscript) and parent.value is node):
            return None
        node = parent
    return None if _is_label(tree, node) else node


def _is_label(tree: Tree, node: cst.BaseExpression) -> bool:
    """Say whether a name is that of an attribute, or of a parameter of what is called."""
    match tree.parents[node]:
        case cst.Attribute(attr=label) | cst.Arg(keyword=label):
            return label is node
    return False


def _attribute(tree: Tree, node: cst.BaseExpression) -> Use | None:
    """Leave out the attributes that None has, and the names of modules."""
    parent = tree.parents[node]
    assert isinstance(parent, cst.Attribute)
    outer = next(up for up in tree.ancestors(node) if not isinstance(up, cst.Attribute))
    named = isinstance(outer, cst.ImportAlias | cst.ImportFrom)
    return None if named or hasattr(None, parent.attr.value) else Use.ATTRIBUTE


def _operand(tree: Tree, node: cst.BaseExpression) -> Use | None:
    match tree.parents[node]:
        case cst.UnaryOperation(operator=cst.Not()):
            return None
        case cst.BinaryOperation(left=cst.BaseString() as text, operator=cst.Modulo()):
            return None if node is text else Use.FORMAT
    return Use.OPERAND


def _comparison(tree: Tree, node: cst.BaseExpression) -> Use | None:
    parent = tree.parents[node]
    whole = parent if isinstance(parent, cst.Comparison) else tree.parents[parent]
    assert isinstance(whole, cst.Comparison)
    operators = [target.operator for target in whole.comparisons]
    operands = [whole.left, *(target.comparator for target in whole.comparisons)]
    place = next(i for i, operand in enumerate(operands) if operand is node)
    if place and isinstance(operators[place - 1], cst.In | cst.NotIn):
        return Use.CONTAINER
    beside = operators[max(place - 1, 0) : place + 1]
    return Use.COMPARISON if any(isinstance(each, _ORDERING) for each in beside) else None


def _argument(tree: Tree, node: cst.BaseExpression) -> Use | None:
    parent = tree.parents[node]
    if not isinstance(parent, cst.Arg) or not isinstance(tree.parents[parent], cst.Call):
        return None
    return {"*": Use.ITERATION, "**": Use.MAPPING}.get(parent.star, Use.ARGUMENT)


def _index(tree: Tree, node: cst.BaseExpression) -> Use | None:
    for up in tree.ancestors(node):
        if isinstance(up, cst.Annotation):
            return None
        if isinstance(up, cst.BaseSmallStatement | cst.BaseCompoundStatement):
            break
    return Use.INDEX


def _iteration(tree: Tree, node: cst.BaseExpression) -> Use | None:
    parent = tree.parents[node]
    raised = isinstance(parent, cst.From) and not isinstance(tree.parents[parent], cst.Yield)
    return None if raised else Use.ITERATION


def _unpacking(tree: Tree, node: cst.BaseExpression) -> Use | None:
    parent = tree.parents[node]
    assert isinstance(parent, cst.Assign)
    unpacks = any(isinstance(each.target, cst.Tuple | cst.List) for each in parent.targets)
    return Use.UNPACKING if unpacks else None


def _format(tree: Tree, node: cst.BaseExpression) -> Use | None:
    parent = tree.parents[node]
    assert isinstance(parent, cst.FormattedStringExpression)
    return Use.FORMAT if parent.format_spec else None


def _piece(tree: Tree, node: cst.BaseExpression) -> Use | None:
    """Look whether str.join joins the comprehension or display around a value, or ``%`` formats it."""
    parent = tree.parents[node]
    whole = tree.parents[parent] if isinstance(parent, cst.Element) else parent
    if isinstance(whole, cst.Tuple) and use_of(tree, whole) is Use.FORMAT:
        return Use.FORMAT
    argument = tree.parents[whole]
    joined = (
        isinstance(whole, cst.BaseExpression)
        and isinstance(argument, cst.Arg)
        and isinstance(tree.parents[argument], cst.Call)
        and callee(tree, whole) == "join"
    )
    return Use.PIECE if joined else None


_Refine: TypeAlias = Callable[[Tree, cst.BaseExpression], Use | None]
_REFINED: dict[Use, _Refine] = {
    Use.ATTRIBUTE: _attribute,
    Use.OPERAND: _operand,
    Use.COMPARISON: _comparison,
    Use.ARGUMENT: _argument,
    Use.INDEX: _index,
    Use.ITERATION: _iteration,
    Use.UNPACKING: _unpacking,
    Use.FORMAT: _format,
    Use.PIECE: _piece,
}
