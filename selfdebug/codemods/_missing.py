"""The expressions at a site that may have been None."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._checks import checked
from selfdebug.codemods._names import dotted, root
from selfdebug.codemods._use import use_of
from selfdebug.model import Site, Span
from selfdebug.syntax.region import Tree

_ATTRIBUTE = re.compile(r"has no attribute '(\w+)'")


def missing(tree: Tree, site: Site) -> Iterator[cst.BaseExpression]:
    """Yield what was None: the expression that the site names, else those that fit, inner ones first.

    What is checked on the way, or cannot be None by its form, is left out.
    """
    if site.bad is not None:
        marked = (node for node in tree.at(site.bad) if isinstance(node, cst.BaseExpression))
        yield from (node for node in marked if _may_be(tree, node))
        return
    named = _ATTRIBUTE.search(site.message)
    for node in _within(tree, tree.module, site.span):
        parent = tree.parents[node]
        if named and not (isinstance(parent, cst.Attribute) and parent.attr.value == named[1]):
            continue
        if _may_be(tree, node) and not _has_value(node, site):
            yield node


def _may_be(tree: Tree, node: cst.BaseExpression) -> bool:
    return use_of(tree, node) is not None and not checked(tree, node)


def _has_value(node: cst.BaseExpression, site: Site) -> bool:
    """Say whether the locals show that a name was not None."""
    spelling = dotted(node)
    value = site.locals.get(root(spelling)) if spelling else None
    return isinstance(node, cst.Name) and value is not None and value.type != "NoneType"


def _within(tree: Tree, node: cst.CSTNode, span: Span) -> Iterator[cst.BaseExpression]:
    for child in node.children:
        if child not in tree.ranges:
            continue
        own = tree.span(child)
        if (own.end_line, own.end_column) < (span.line, span.column):
            continue
        if (own.line, own.column) > (span.end_line, span.end_column):
            continue
        yield from _within(tree, child, span)
        inside = (own.line, own.column) >= (span.line, span.column)
        if inside and isinstance(child, cst.BaseExpression):
            yield child
