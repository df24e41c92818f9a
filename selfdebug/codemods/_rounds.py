"""What a round of a loop has in hand, and what the next one may be compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

import libcst as cst

from selfdebug.codemods._blocks import (
    Loop,
    assigned_names,
    nodes_of,
    only,
    reads,
    simple_statements,
    target_names,
)
from selfdebug.codemods._first_order import Place
from selfdebug.codemods._insert import Line
from selfdebug.codemods._names import code_of, dotted


def items(loop: Loop) -> list[str]:
    """Return what a loop has in hand: its own variables, then those that its block assigns."""
    own = target_names(loop.target) if isinstance(loop, cst.For) else ()
    return [*dict.fromkeys((*own, *sorted(assigned_names(loop.body))))]


def ends_round(loop: Loop, line: Line) -> bool:
    """Say whether a round of a loop ends with a statement: its last one, or a ``continue``."""
    return line is loop.body.body[-1] or isinstance(only(line), cst.Continue)


def first_values(place: Place, function: cst.FunctionDef, loop: Loop) -> Iterator[str]:
    """Yield the variables that are set before a loop, read in it, and set nowhere else."""
    counts = Counter(
        name for each in simple_statements(function.body) for name in assigned_names(each)
    )
    around = place.tree.span(loop).line
    read = reads(loop.body)
    taken = target_names(loop.target) if isinstance(loop, cst.For) else ()
    for each in simple_statements(function.body):
        match each:
            case (
                cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))])
                | cst.AnnAssign(target=cst.Name(value=name), value=cst.BaseExpression())
            ) if counts[name] == 1 and name in read and name not in taken:
                if place.tree.span(each).line < around:
                    yield name


def partners(body: cst.BaseSuite, name: str) -> Iterator[tuple[bool, cst.BaseExpression]]:
    """Yield what a variable is subtracted from (True), or only compared with, in either order."""
    for far, pairs in ((True, _distances), (False, _comparisons)):
        for one, other in (pair for each in nodes_of(body) for pair in pairs(each)):
            for own, value in ((one, other), (other, one)):
                if code_of(own) == name:
                    yield from ((far, core) for core in _cores(value))
                elif owner := _of_same_attribute(own, value, name):
                    yield True, owner


def _of_same_attribute(
    own: cst.BaseExpression, value: cst.BaseExpression, name: str
) -> cst.BaseExpression | None:
    """Return the object whose attribute is used against that of a variable: ``a.x - name.x``."""
    match own, value:
        case cst.Attribute(value=cst.Name() as one, attr=attr), cst.Attribute(value=owner):
            if one.value == name and value.attr.value == attr.value:
                return owner
    return None


_Pair: TypeAlias = tuple[cst.BaseExpression, cst.BaseExpression]


def _distances(node: cst.CSTNode) -> Iterator[_Pair]:
    """Yield two expressions between which a node takes what lies between."""
    match node:
        case cst.BinaryOperation(left=one, operator=cst.Subtract(), right=other):
            yield one, other
        case cst.Slice(lower=cst.BaseExpression() as one, upper=cst.BaseExpression() as other):
            yield one, other


def _comparisons(node: cst.CSTNode) -> Iterator[_Pair]:
    match node:
        case cst.Comparison(left=one, comparisons=[cst.ComparisonTarget(comparator=other)]):
            yield one, other
        case cst.Call(args=[cst.Arg(value=one, star=""), cst.Arg(value=other, star="")]):
            yield one, other


def _cores(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield an expression that may be evaluated again, or what the smaller of several is taken of."""
    match node:
        case cst.Call(func=cst.Name(value="min" | "max"), args=args):
            yield from (each.value for each in args if dotted(each.value))
            yield node
        case cst.Name() | cst.Attribute() | cst.Subscript() | cst.BinaryOperation():
            yield node
