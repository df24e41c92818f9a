"""The expressions at a site that may have been None."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._checks import checked
from selfdebug.codemods._names import bound, dotted, root
from selfdebug.codemods._neutral import refuses_none
from selfdebug.codemods._use import Use, use_of
from selfdebug.model import Site, Span
from selfdebug.syntax.region import Tree

_ATTRIBUTE = re.compile(r"has no attribute '(\w+)'")
_FIXED = (cst.FunctionDef, cst.ClassDef, cst.Import, cst.ImportFrom)


def missing(tree: Tree, site: Site) -> Iterator[cst.BaseExpression]:
    """Yield what was None: the expression that the site names, else those that fit, inner ones first.

    What is checked on the way, or cannot be None by its form, is left out. Where no failure is known,
    one such check at the site says that it is answered already.
    """
    if site.bad is not None:
        for node in tree.at(site.bad):
            known = site.bad_code in (None, tree.code(node))
            if known and isinstance(node, cst.BaseExpression) and _may_be(tree, node):
                yield node
        return
    inside = [node for node in _within(tree, tree.module, site.span) if use_of(tree, node)]
    if not site.exc_type:
        if not any(_is_answered(tree, node) for node in inside):
            yield from _likely(tree, inside)
        return
    yield from (node for node in inside if _fits(tree, node, site) and _may_be(tree, node))


def _may_be(tree: Tree, node: cst.BaseExpression) -> bool:
    return use_of(tree, node) is not None and not checked(tree, node)


def _fits(tree: Tree, node: cst.BaseExpression, site: Site) -> bool:
    """Say whether the message and the locals allow that a value was None."""
    parent = tree.parents[node]
    if named := _ATTRIBUTE.search(site.message):
        return isinstance(parent, cst.Attribute) and parent.attr.value == named[1]
    spelling = dotted(node)
    value = site.locals.get(root(spelling)) if spelling else None
    return value is None or value.type == "NoneType" or not isinstance(node, cst.Name)


def _is_answered(tree: Tree, node: cst.BaseExpression) -> bool:
    """Say whether somebody thought of None here: by a check, or by another value in its place."""
    answered = dotted(node) or isinstance(node, cst.BooleanOperation | cst.IfExp)
    return bool(answered) and checked(tree, node)


def _likely(tree: Tree, nodes: list[cst.BaseExpression]) -> Iterator[cst.BaseExpression]:
    """Leave out what is hardly ever None: modules, classes, functions, methods, ``self``."""
    fixed = {"self", "cls", *dir(builtins)}
    for node in tree.ranges:
        if isinstance(node, _FIXED):
            fixed.update(bound(node))
    for node in nodes:
        use = use_of(tree, node)
        method = use is Use.CALL and not isinstance(node, cst.Name)
        taken = use is Use.INDEX or (use is Use.ARGUMENT and not refuses_none(tree, node))
        if not (method or taken or dotted(node) in fixed or checked(tree, node)):
            yield node


def _within(tree: Tree, node: cst.CSTNode, span: Span) -> Iterator[cst.BaseExpression]:
    for child in node.children:
        if child not in tree.ranges:
            continue
        own = tree.span(child)
        start, end = (own.line, own.column), (own.end_line, own.end_column)
        if end < (span.line, span.column) or start > (span.end_line, span.end_column):
            continue
        yield from _within(tree, child, span)
        if start >= (span.line, span.column) and isinstance(child, cst.BaseExpression):
            yield child
