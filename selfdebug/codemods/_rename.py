"""A variable called by another name, within the function or statement of a place."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._edit import Change
from selfdebug.model import Span
from selfdebug.syntax.parts import children_of
from selfdebug.syntax.region import Tree

_STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)


def name_at(tree: Tree, span: Span | None) -> cst.Name | None:
    """Return the name that stands exactly at a place."""
    found = tree.at(span) if span else ()
    return next((node for node in found if isinstance(node, cst.Name)), None)


def home(tree: Tree, node: cst.CSTNode) -> cst.CSTNode:
    """Return the innermost function around a node, else its outermost statement outside classes."""
    around = [node, *tree.ancestors(node)]
    function = next((each for each in around if isinstance(each, cst.FunctionDef)), None)
    statements = [
        each
        for each in around
        if isinstance(each, _STATEMENTS) and not isinstance(each, cst.ClassDef)
    ]
    return function or (statements[-1] if statements else tree.module)


def names_of(tree: Tree, near: cst.Name, name: str) -> tuple[cst.Name, ...]:
    """Return where the function around a node has a variable, read or bound; attributes are none."""
    found = tree.named(name, home(tree, near))
    return tuple(each for each in found if _is_variable(tree, each))


def renamed(tree: Tree, near: cst.Name, old: str, new: str) -> Change:
    """Return the change that calls a variable of the function around a node by another name."""
    return {node: lambda name: name.with_changes(value=new) for node in names_of(tree, near, old)}


def alike(tree: Tree, attribute: cst.Attribute) -> Iterator[cst.Attribute]:
    """Yield where the function around an attribute has the same of the same object."""
    code = tree.code(attribute)
    return (each for each in _attributes(home(tree, attribute)) if tree.code(each) == code)


def _attributes(node: cst.CSTNode) -> Iterator[cst.Attribute]:
    if isinstance(node, cst.Attribute):
        yield node
    for child in children_of(node):
        yield from _attributes(child)


def _is_variable(tree: Tree, node: cst.Name) -> bool:
    match tree.parents[node]:
        case cst.Attribute(attr=attr):
            return attr is not node
        case cst.Arg(keyword=keyword) | cst.MatchKeywordElement(key=keyword):
            return keyword is not node
        case cst.ImportAlias() | cst.ImportFrom():
            return False
    return True
