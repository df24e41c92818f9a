"""The expressions at a site that may have been None."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence

import libcst as cst

from selfdebug.codemods._checks import checked, never_none
from selfdebug.codemods._items import gone_through
from selfdebug.codemods._names import bound, dotted, root
from selfdebug.codemods._neutral import refuses_none
from selfdebug.codemods._operands import value_of
from selfdebug.codemods._proof import File
from selfdebug.codemods._use import Use, use_of
from selfdebug.model import Site, Span
from selfdebug.syntax.region import Tree

_ATTRIBUTE = re.compile(r"has no attribute '(\w+)'")
_CHAIN = (cst.Name, cst.Attribute, cst.Subscript, cst.Call)
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
    if items := [*_of_calls(tree, site)]:
        yield from items
        return
    every = [*_within(tree, tree.module, site.span)]
    inside = [node for node in every if use_of(tree, node)]
    if not site.exc_type:
        file = File(tree)
        if not any(_is_answered(tree, node) for node in every if not _is_made(file, node)):
            yield from _likely(file, inside)
        return
    yield from (node for node in inside if _fits(tree, node, site) and _may_be(tree, node))


def _of_calls(tree: Tree, site: Site) -> Iterator[cst.BaseExpression]:
    """Yield what a call at a site goes through, where an item of that was None."""
    for node in tree.at(site.span):
        items = gone_through(tree, node, site.message)
        if items is not None:
            yield items


def choices(tree: Tree, site: Site) -> Iterator[cst.BaseExpression]:
    """Yield the different values at a site that may have been None: of a chain each link.

    What a method of a link returns is not asked for: the link itself may be None first.
    """
    starts: set[tuple[int, int]] = set()
    codes: set[str] = set()
    for node in missing(tree, site):
        span, code = tree.span(node), tree.code(node)
        start = span.line, span.column
        if not isinstance(node, _CHAIN) or (isinstance(node, cst.Call) and start in starts):
            continue
        starts.add(start)
        if code not in codes:
            codes.add(code)
            yield node


def _may_be(tree: Tree, node: cst.BaseExpression) -> bool:
    return use_of(tree, node) is not None and not checked(tree, node)


def _fits(tree: Tree, node: cst.BaseExpression, site: Site) -> bool:
    """Say whether the message and the locals allow that a value was None."""
    value = site.locals.get(node.value) if isinstance(node, cst.Name) else None
    if value is not None and value.type != "NoneType":
        return False
    named, parent = _ATTRIBUTE.search(site.message), tree.parents[node]
    return named is None or (isinstance(parent, cst.Attribute) and parent.attr.value == named[1])


def _is_answered(tree: Tree, node: cst.BaseExpression) -> bool:
    """Say whether somebody thought of None here: by a check, or by another value in its place."""
    match node, tree.parents[node]:
        case cst.Comparison(comparisons=[target]), cst.CompIf():
            return dotted(target.comparator) == "None"
    answers = dotted(node) or isinstance(node, cst.BooleanOperation | cst.IfExp)
    used = use_of(tree, node) is not None or isinstance(tree.parents[node], cst.BaseSimpleComp)
    return bool(answers) and used and checked(tree, node)


def _likely(file: File, nodes: list[cst.BaseExpression]) -> Iterator[cst.BaseExpression]:
    """Leave out what is hardly ever None: modules, classes and objects of them, functions, ``self``."""
    tree = file.tree
    fixed = {"self", "cls", *dir(builtins)}
    modules: set[str] = set()
    for node in tree.ranges:
        if isinstance(node, _FIXED):
            fixed.update(bound(node))
        if isinstance(node, cst.Import):
            modules.update(bound(node))
    for suspect in nodes:
        spelling = dotted(suspect) or ""
        use = use_of(tree, suspect)
        method = use is Use.CALL and not isinstance(suspect, cst.Name)
        taken = use is Use.INDEX or (use is Use.ARGUMENT and not refuses_none(tree, suspect))
        known = spelling in fixed or root(spelling) in modules
        if not (method or taken or known or _is_made(file, suspect) or checked(tree, suspect)):
            yield suspect


def _is_made(file: File, node: cst.BaseExpression) -> bool:
    """Say whether the function makes an object, or what holds an item: it knows what it put there."""
    owner = node.value if isinstance(node, cst.Subscript) else node
    made = value_of(file.tree, owner)
    chosen = isinstance(made, cst.BooleanOperation | cst.IfExp)  # with None in mind
    return file.makes_object(made) or (made is not None and not chosen and never_none(made))


def _within(tree: Tree, node: cst.CSTNode, span: Span) -> Iterator[cst.BaseExpression]:
    for child in _in_order(node):
        if child not in tree.ranges:
            continue
        own = tree.span(child)
        start, end = (own.line, own.column), (own.end_line, own.end_column)
        if end < (span.line, span.column) or start > (span.end_line, span.end_column):
            continue
        yield from _within(tree, child, span)
        if start >= (span.line, span.column) and isinstance(child, cst.BaseExpression):
            yield child


def _in_order(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """Return the children of a node as they are evaluated: the loops of a comprehension come first."""
    if isinstance(node, cst.BaseComp):
        return sorted(node.children, key=lambda child: child is not node.for_in)
    return node.children
