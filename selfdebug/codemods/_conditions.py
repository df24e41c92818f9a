"""The conditions that let a statement run, from the inside out, and what each came to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from selfdebug.codemods._checks import leaves
from selfdebug.codemods._place import until
from selfdebug.syntax.region import Tree


@dataclass(frozen=True)
class Condition:
    """A test on the way to a statement, the ``outcome`` that let it run, and what ran in between."""

    test: cst.BaseExpression
    outcome: bool
    between: tuple[cst.CSTNode, ...]


def conditions(tree: Tree, node: cst.CSTNode) -> Iterator[Condition]:
    """Yield the tests around a node, and those above it that leave, up to its function."""
    child = node
    between: tuple[cst.CSTNode, ...] = ()
    for parent in tree.ancestors(node):
        if isinstance(parent, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            return
        if isinstance(parent, cst.IndentedBlock | cst.Module):
            for line in reversed([*until(parent.body, child)]):
                yield from (Condition(test, False, between) for test in _leaving(line))
                between = (line, *between)
        for test, outcome in _around(parent, child):
            yield Condition(test, outcome, between)
        child = parent


def _around(parent: cst.CSTNode, child: cst.CSTNode) -> Iterator[tuple[cst.BaseExpression, bool]]:
    match parent:
        case cst.If(test=test, orelse=orelse):
            if child is not test:
                yield test, child is not orelse
        case cst.IfExp(test=test, body=body):
            if child is not test:
                yield test, child is body
        case cst.While(test=test, body=body):
            if child is body:
                yield test, True
        case cst.BooleanOperation(left=left, operator=operator):
            if child is not left:
                yield left, isinstance(operator, cst.And)
        case cst.BaseComp(for_in=loop) if child is not loop:
            yield from ((each.test, True) for each in _ifs(loop))


def _leaving(line: cst.CSTNode | None) -> Iterator[cst.BaseExpression]:
    """Yield the tests of a statement under which it leaves; those of an ``elif`` too."""
    while isinstance(line, cst.If):
        if leaves(line.body):
            yield line.test
        line = line.orelse


def _ifs(loop: cst.CompFor | None) -> Iterator[cst.CompIf]:
    while loop is not None:
        yield from loop.ifs
        loop = loop.inner_for_in
