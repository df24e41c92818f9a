"""The expressions at a site whose values were of the types that the message names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

import libcst as cst

from selfdebug.codemods._names import bound, dotted
from selfdebug.codemods._place import place
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

Sides: TypeAlias = tuple[cst.BaseExpression, cst.BaseExpression]
_TYPES = tuple(
    re.compile(pattern)
    for pattern in (
        r"unsupported operand type\(s\) for [^:]+: '(?P<left>[^']+)' and '(?P<right>[^']+)'",
        r"not supported between instances of '(?P<left>[^']+)' and '(?P<right>[^']+)'",
        r'can only concatenate (?P<left>\w+) \(not "(?P<right>[\w.]+)"\) to',
        r"can't concat (?P<right>[\w.]+) to (?P<left>\w+)",
        r"can't compare (?P<left>[\w.]+) to (?P<right>[\w.]+)",
    )
)


def types(message: str) -> tuple[str, str] | None:
    """Return the types of the left and the right operand that a message names, without modules."""
    found = next((match for each in _TYPES if (match := each.search(message))), None)
    return found and (_short(found["left"]), _short(found["right"]))


def sides(tree: Tree, site: Site) -> Sides | None:
    """Return the operands of the operation at a site."""
    for node in tree.at(site.span):
        match node:
            case cst.BinaryOperation(left=left, right=right):
                return left, right
            case cst.AugAssign(target=target, value=value):
                return target, value
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(comparator=right)]):
                return left, right
    return None


def of_type(tree: Tree, site: Site, kinds: frozenset[str]) -> Iterator[cst.BaseExpression]:
    """Yield the expressions at a site that held a value of one of some types, as the message says."""
    if site.bad is not None:
        words = re.findall(r"\w+", site.message)
        yield from bad(tree, site) if not kinds.isdisjoint(words) else ()
        return
    named, operands = types(site.message), sides(tree, site)
    if named and operands:
        pairs = zip(operands, named, strict=True)
        yield from (operand for operand, kind in pairs if kind in kinds)
    elif named and not kinds.isdisjoint(named):
        yield from _items(tree, site)


def _items(tree: Tree, site: Site) -> Iterator[cst.BaseExpression]:
    """Yield the items of a comprehension that a call at a site adds up or compares."""
    for node in tree.at(site.span):
        match node:
            case cst.Call(args=[cst.Arg(value=cst.GeneratorExp() | cst.ListComp() as items), *_]):
                yield items.elt


def bad(tree: Tree, site: Site) -> Iterator[cst.BaseExpression]:
    """Yield the expression that the site names as wrong."""
    for node in tree.at(site.bad) if site.bad else ():
        if isinstance(node, cst.BaseExpression):
            yield node


def type_of(site: Site, node: cst.BaseExpression) -> str:
    """Return the type that a variable was seen to hold, without its module; "" where nothing tells."""
    value = site.locals.get(dotted(node) or "")
    return _short(value.type) if value else ""


def value_of(tree: Tree, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Return what a local variable was assigned; None unless a single assignment gives it its value."""
    scope = place(tree, node).scope
    if not isinstance(node, cst.Name) or not isinstance(scope, cst.FunctionDef):
        return None
    name = node.value
    if [*bound(scope.body)].count(name) != 1:
        return None
    for each in tree.ranges:
        match each:
            case (
                cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=given))], value=value)
                | cst.AnnAssign(target=cst.Name(value=given), value=cst.BaseExpression() as value)
            ) if given == name and place(tree, each).scope is scope:
                return value
    return None


def _short(name: str) -> str:
    return name.rpartition(".")[2]
