"""Which sub-expressions a piece of code evaluates, each once and in place.

Left out is what only looks like an expression (targets, keywords, annotations, patterns, the parts of
a t-string) and what would say nothing (constants, displays, names of builtins that are called).
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

_VALUES = (
    cst.Name,
    cst.Attribute,
    cst.Subscript,
    cst.Call,
    cst.BinaryOperation,
    cst.BooleanOperation,
    cst.UnaryOperation,
    cst.Comparison,
    cst.IfExp,
    cst.Await,
    cst.NamedExpr,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
)
_OPAQUE = (
    cst.Annotation,
    cst.AsName,
    cst.Global,
    cst.Import,
    cst.ImportFrom,
    cst.Nonlocal,
    cst.TemplatedString,
    cst.TypeAlias,
    cst.TypeParameters,
)
_SEQUENCES = (cst.Tuple, cst.List, cst.Element, cst.StarredElement)
_CONSTANTS = frozenset({"True", "False", "None", "__debug__"})
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True)
class Evaluated:
    """An expression, and the code that it runs with: what was given, or what a lambda or generator does.

    ``quotes`` are those of the f-strings around it, which its code can't contain before Python 3.12.
    """

    node: cst.BaseExpression
    root: cst.CSTNode
    quotes: frozenset[str] = frozenset()


def evaluated(code: cst.CSTNode) -> Iterator[Evaluated]:
    """Yield the sub-expressions of a simple statement or an expression, in lambdas too."""
    return _within(code, code, frozenset(), stored=False)


def is_constant(node: cst.CSTNode | None) -> bool:
    """Whether it has the same value always."""
    if isinstance(node, cst.Name):
        return node.value in _CONSTANTS
    if isinstance(node, cst.UnaryOperation):
        return is_constant(node.expression)
    return isinstance(node, cst.BaseNumber | cst.BaseString | cst.Ellipsis)


def _within(
    node: cst.CSTNode, root: cst.CSTNode, quotes: frozenset[str], *, stored: bool
) -> Iterator[Evaluated]:
    if isinstance(node, cst.FormattedString):
        quotes = quotes | {node.start[-1]}
    target = _target(node)
    for part in _parts(node):
        inner = part if part is _deferred(node) else root
        is_stored = part is target or (stored and isinstance(node, _SEQUENCES))
        yield from _within(part, inner, quotes, stored=is_stored)
    if isinstance(node, _VALUES) and not stored and not is_constant(node):
        yield Evaluated(node, root, quotes)


def _deferred(node: cst.CSTNode) -> cst.CSTNode | None:
    """Return what the node has evaluated later, maybe after its statement."""
    if isinstance(node, cst.Lambda):
        return node.body
    return node.elt if isinstance(node, cst.GeneratorExp) else None


def _target(node: cst.CSTNode) -> cst.CSTNode | None:
    """Return what the node assigns to or deletes."""
    if isinstance(node, cst.AssignTarget | cst.AugAssign | cst.AnnAssign | cst.CompFor | cst.Del):
        return node.target
    return None


def _parts(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """Return the children that hold evaluated code."""
    if isinstance(node, _OPAQUE):
        return ()
    if isinstance(node, cst.FormattedStringExpression) and node.equal is not None:
        return ()  # f"{a.b=}" shows its own source
    if isinstance(node, cst.Attribute | cst.Arg | cst.NamedExpr):
        return (node.value,)
    if isinstance(node, cst.Param):
        return () if node.default is None else (node.default,)
    if isinstance(node, cst.Call) and _is_builtin(node.func):
        return node.args
    return node.children


def _is_builtin(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Name) and node.value in _BUILTINS
