"""One pass over a tree that changes chosen nodes, and new expressions made of old ones."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

import libcst as cst

from selfdebug.syntax.parts import Part, parts_of
from selfdebug.syntax.precedence import fit, parenthesized
from selfdebug.syntax.region import LIBCST_ERRORS, Tree

Node = TypeVar("Node", bound=cst.CSTNode)
Change: TypeAlias = Mapping[cst.CSTNode, Callable[[Any], cst.CSTNode]]
"""What becomes of nodes of the original tree; each function sees its node with inner changes made."""


class Changes(cst.CSTTransformer):
    """The pass itself, for what is in no tree."""

    def __init__(self, change: Change) -> None:
        super().__init__()
        self.change = change

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        change = self.change.get(original_node)
        return updated_node if change is None else change(updated_node)


def changed(tree: Tree, change: Change) -> cst.Module | None:
    """Return the tree's module with a change made; None where the result would not parse."""
    touched = {up for node in change for up in (node, *tree.ancestors(node))}
    try:
        module = _rebuilt(tree.module, touched, change)
        assert isinstance(module, cst.Module)
        _check(tree.code_after(module), module)
    except LIBCST_ERRORS:
        return None
    return module


def _check(code: str, module: cst.Module) -> None:
    """Raise one of ``LIBCST_ERRORS`` where a module's code does not parse.

    ``ast`` is twenty times as fast, but does not know the syntax of newer versions of Python.
    """
    with warnings.catch_warnings(), suppress(SyntaxError, ValueError):
        warnings.simplefilter("ignore")
        ast.parse(code)
        return
    cst.parse_module(code, module.config_for_parsing)


def _rebuilt(node: cst.CSTNode, touched: set[cst.CSTNode], change: Change) -> cst.CSTNode:
    """Return a node with the changes in it made; what they do not touch is not walked through."""
    if node not in touched:
        return node
    new = {
        name: _rebuilt(value, touched, change)
        if isinstance(value, cst.CSTNode)
        else [_rebuilt(each, touched, change) for each in value]
        for name, value in parts_of(node)
        if _holds(value, touched)
    }
    updated = node.with_changes(**new) if new else node
    return change[node](updated) if node in change else updated


def _holds(value: Part, touched: set[cst.CSTNode]) -> bool:
    return value in touched if isinstance(value, cst.CSTNode) else not touched.isdisjoint(value)


def expression(code: str, **parts: cst.BaseExpression) -> cst.BaseExpression:
    """Parse an expression in which names stand for nodes: ``expression("OLD or []", OLD=node)``."""
    if code in parts:
        return parts[code]
    filled = _filled(_template(code), parts)
    assert isinstance(filled, cst.BaseExpression)
    return filled


@lru_cache(maxsize=1024)
def _template(code: str) -> cst.BaseExpression:
    return cst.parse_expression(code)


def _filled(node: cst.CSTNode, parts: Mapping[str, cst.BaseExpression]) -> cst.CSTNode:
    """Return a template with parts in the place of names; the template itself stays as it is."""
    new: dict[str, Part] = {}
    for name, value in parts_of(node):
        if isinstance(value, cst.CSTNode):
            made: Part = _put_in(value, node, parts)
            differs = made is not value
        else:
            made = [_put_in(each, node, parts) for each in value]
            differs = any(one is not other for one, other in zip(made, value, strict=True))
        if differs:
            new[name] = made
    return node.with_changes(**new) if new else node


def _put_in(
    child: cst.CSTNode, parent: cst.CSTNode, parts: Mapping[str, cst.BaseExpression]
) -> cst.CSTNode:
    if isinstance(child, cst.Name):
        part = parts.get(child.value)
        return child if part is None else fit(part, parent, child)
    return _filled(child, parts)


def replaced(
    tree: Tree, old: cst.BaseExpression, make: Callable[[Any], cst.BaseExpression]
) -> Change:
    """Return the change that puts ``make(old)`` in an expression's place.

    Parentheses around the old expression, with the comments in them, go around the new one.
    """
    parent = tree.parents[old]

    def put(updated: cst.BaseExpression) -> cst.BaseExpression:
        if not updated.lpar:
            return fit(make(updated), parent, old)
        new = make(updated.with_changes(lpar=[], rpar=[]))
        inner = new.with_changes(lpar=[], rpar=[]) if _in_one_pair(new) else new
        return inner.with_changes(lpar=updated.lpar, rpar=updated.rpar)

    return {old: put}


def named(tree: Tree, old: cst.BaseExpression, name: str) -> Change:
    """Return the change that puts a name in an expression's place: ``return(find())`` has no space."""
    source, span = tree.region.source, tree.span(old)
    before = source.text[: source.offset(span.line, span.column)]
    for _ in old.lpar:
        before = before.rstrip().removesuffix("(")
    new = cst.Name(name)
    return {old: putting(parenthesized(new) if before[-1:].isalnum() else new)}


def symbol(operator: type[cst.CSTNode]) -> str:
    """Return an operator as it is written."""
    return cst.Module([]).code_for_node(operator()).strip()


def spaced_as(old: Any, new: Callable[..., Node]) -> Node:
    """Return a new operator with the space around an old one."""
    return new(whitespace_before=old.whitespace_before, whitespace_after=old.whitespace_after)


def without_parentheses(tree: Tree, node: cst.BaseExpression) -> cst.BaseExpression:
    """Return an expression without the pair around it, if it needs none and no comment is lost."""
    one_line = not re.search(r"[\r\n]", tree.module.code_for_node(node))
    if one_line and _in_one_pair(node):
        return node.with_changes(lpar=[], rpar=[])
    return node


def _in_one_pair(node: cst.BaseExpression) -> bool:
    return len(node.lpar) == 1 and not isinstance(node, cst.Tuple | cst.GeneratorExp | cst.Yield)


def putting(node: Node) -> Callable[[Any], Node]:
    """Return what puts a node in the place of any other."""
    return lambda _: node


def made_of(code: str) -> Callable[[Any], cst.BaseExpression]:
    """Return what makes an expression of another, which ``OLD`` stands for in the code."""
    return lambda old: expression(code, OLD=old)
