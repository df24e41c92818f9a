"""The conditions that let a statement run, from the inside out, and what each came to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from selfdebug.codemods._checks import leaves
from selfdebug.syntax.region import Tree


@dataclass(frozen=True)
class Condition:
    """A test on the way to a statement, and the ``outcome`` that let it run.

    ``near`` says that nothing stands between them.
    """

    test: cst.BaseExpression
    outcome: bool
    near: bool


def conditions(tree: Tree, node: cst.CSTNode) -> Iterator[Condition]:
    """Yield the tests around an expression or statement, and those above it that leave, in its function."""
    child, near = node, True
    for parent in tree.ancestors(node):
        if isinstance(parent, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            return
        if isinstance(parent, cst.IndentedBlock | cst.Module):
            for test, is_next in _above(parent, child):
                yield Condition(test, False, near and is_next)
            near = near and parent.body[0] is child
        for test, outcome in _around(parent, child):
            yield Condition(test, outcome, near)
        near = near and not isinstance(parent, cst.BaseCompoundStatement)
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


def _above(
    block: cst.IndentedBlock | cst.Module, child: cst.CSTNode
) -> Iterator[tuple[cst.BaseExpression, bool]]:
    """Yield the tests of statements above that leave, nearest first; those of an ``elif`` too."""
    place = next((i for i, line in enumerate(block.body) if line is child), 0)
    near = True
    for line in reversed(block.body[:place]):
        stmt: cst.CSTNode | None = line
        while isinstance(stmt, cst.If):
            if leaves(stmt.body):
                yield stmt.test, near
            stmt = stmt.orelse
        near = near and isinstance(line, cst.If)


def _ifs(loop: cst.CompFor | None) -> Iterator[cst.CompIf]:
    while loop is not None:
        yield from loop.ifs
        loop = loop.inner_for_in
