"""Parentheses where an expression's new place needs them, by the precedence of Python's grammar.

Levels follow https://docs.python.org/3/reference/expressions.html#operator-precedence, loosest first.
"""

from __future__ import annotations

from dataclasses import fields
from enum import IntEnum
from typing import TypeVar

import libcst as cst

Node = TypeVar("Node", bound=cst.BaseExpression)


class Level(IntEnum):
    """How tightly an expression holds together."""

    BARE = 0
    TEST = 1
    OR = 2
    AND = 3
    NOT = 4
    COMPARISON = 5
    BIT_OR = 6
    BIT_XOR = 7
    BIT_AND = 8
    SHIFT = 9
    SUM = 10
    TERM = 11
    FACTOR = 12
    POWER = 13
    AWAIT = 14
    PRIMARY = 15
    ATOM = 16


_OPERATORS: dict[type[cst.CSTNode], Level] = {
    cst.Or: Level.OR,
    cst.And: Level.AND,
    cst.Not: Level.NOT,
    cst.BitOr: Level.BIT_OR,
    cst.BitXor: Level.BIT_XOR,
    cst.BitAnd: Level.BIT_AND,
    cst.LeftShift: Level.SHIFT,
    cst.RightShift: Level.SHIFT,
    cst.Add: Level.SUM,
    cst.Subtract: Level.SUM,
    cst.Power: Level.POWER,
}
_EXPRESSIONS: dict[type[cst.CSTNode], Level] = {
    cst.Tuple: Level.BARE,
    cst.Yield: Level.BARE,
    cst.NamedExpr: Level.BARE,
    cst.GeneratorExp: Level.BARE,
    cst.IfExp: Level.TEST,
    cst.Lambda: Level.TEST,
    cst.Comparison: Level.COMPARISON,
    cst.Await: Level.AWAIT,
    cst.Attribute: Level.PRIMARY,
    cst.Call: Level.PRIMARY,
    cst.Subscript: Level.PRIMARY,
}
_SLOTS: dict[tuple[type[cst.CSTNode], str], Level] = {
    (cst.Attribute, "value"): Level.PRIMARY,
    (cst.Call, "func"): Level.PRIMARY,
    (cst.Subscript, "value"): Level.PRIMARY,
    (cst.Await, "expression"): Level.PRIMARY,
    (cst.Decorator, "decorator"): Level.PRIMARY,
    (cst.Comparison, "left"): Level.BIT_OR,
    (cst.ComparisonTarget, "comparator"): Level.BIT_OR,
    (cst.IfExp, "body"): Level.OR,
    (cst.IfExp, "test"): Level.OR,
    (cst.CompFor, "iter"): Level.OR,
    (cst.CompIf, "test"): Level.OR,
    (cst.StarredElement, "value"): Level.BIT_OR,
    (cst.StarredDictElement, "value"): Level.BIT_OR,
}


def level(node: cst.BaseExpression) -> Level:
    """Return how tightly an expression holds together as it is written."""
    if node.lpar:
        return Level.ATOM
    if isinstance(node, cst.BinaryOperation | cst.BooleanOperation):
        return _OPERATORS.get(type(node.operator), Level.TERM)
    if isinstance(node, cst.UnaryOperation):
        return _OPERATORS.get(type(node.operator), Level.FACTOR)
    return _EXPRESSIONS.get(type(node), Level.ATOM)


def needed(parent: cst.CSTNode, slot: str) -> Level:
    """Return the least level that an expression needs to stand in a field of ``parent``."""
    if isinstance(parent, cst.BinaryOperation):
        own = _OPERATORS.get(type(parent.operator), Level.TERM)
        if own is Level.POWER:
            return Level.AWAIT if slot == "left" else Level.FACTOR
        return own if slot == "left" else Level(own + 1)
    if isinstance(parent, cst.BooleanOperation):
        return _OPERATORS[type(parent.operator)]
    if isinstance(parent, cst.UnaryOperation):
        return _OPERATORS.get(type(parent.operator), Level.FACTOR)
    if isinstance(parent, cst.Arg) and parent.star:
        return Level.BIT_OR
    return _SLOTS.get((type(parent), slot), Level.TEST)


def slot_of(parent: cst.CSTNode, child: cst.CSTNode) -> str:
    """Return the name of the field that holds ``child``. Raises LookupError where none does."""
    for field in fields(parent):
        value = getattr(parent, field.name)
        if value is child or (isinstance(value, list | tuple) and any(v is child for v in value)):
            return field.name
    raise LookupError(f"{type(parent).__name__} does not hold this {type(child).__name__}")


def parenthesized(node: Node) -> Node:
    """Return the expression in one more pair of parentheses."""
    return node.with_changes(
        lpar=[cst.LeftParen(), *node.lpar], rpar=[*node.rpar, cst.RightParen()]
    )


def fit(new: Node, parent: cst.CSTNode, old: cst.BaseExpression) -> Node:
    """Return ``new`` as it can stand where ``parent`` holds ``old``, in parentheses if need be."""
    slot = slot_of(parent, old)
    tight = level(new) >= needed(parent, slot)
    number = slot == "value" and isinstance(parent, cst.Attribute) and isinstance(new, cst.Integer)
    in_braces = isinstance(parent, cst.FormattedStringExpression) and isinstance(new, cst.Lambda)
    touches = _touches(new, old) and not isinstance(parent, _AFTER_SIGN)
    if not tight or (number and not new.lpar) or in_braces or touches:
        return parenthesized(new)
    return new


_AFTER_SIGN = (cst.Assign, cst.AugAssign, cst.AnnAssign, cst.Arg, cst.Index)
"""What has a sign or a bracket, and no word, in front of the expression that it holds."""


def _touches(new: cst.BaseExpression, old: cst.BaseExpression) -> bool:
    """Say whether ``new`` could run into the word before it: ``if(a).b`` has no space to lose."""
    return _first(old) == "(" and not _first(new)


def _first(node: cst.CSTNode) -> str:
    """Return the bracket with which an expression begins; "" for any other beginning."""
    while not getattr(node, "lpar", ()):
        match node:
            case cst.BinaryOperation(left=inner) | cst.BooleanOperation(left=inner):
                node = inner
            case cst.Comparison(left=inner) | cst.IfExp(body=inner) | cst.Call(func=inner):
                node = inner
            case cst.Attribute(value=inner) | cst.Subscript(value=inner):
                node = inner
            case cst.Tuple(elements=[cst.Element(value=inner), *_]):
                node = inner
            case cst.List() | cst.ListComp():
                return "["
            case cst.Dict() | cst.DictComp() | cst.Set() | cst.SetComp():
                return "{"
            case cst.NamedExpr(target=inner) | cst.ConcatenatedString(left=inner):
                node = inner
            case _:
                return ""
    return "("
