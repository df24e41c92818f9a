"""The lines around a statement, the loop and the function that it runs in, and what nodes read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import libcst as cst

from selfdebug.codemods._edit import Change
from selfdebug.codemods._insert import Line, divided, statements
from selfdebug.codemods._names import dotted
from selfdebug.syntax.parts import children_of
from selfdebug.syntax.region import Tree

Loop = cst.For | cst.While
_NESTED = (cst.FunctionDef, cst.ClassDef, cst.Lambda)


def line_of(tree: Tree, statement: cst.CSTNode) -> Line | None:
    """Return the line of a block that a statement is; None where it shares its line with others."""
    line = statement
    if isinstance(statement, cst.BaseSmallStatement):
        line = tree.parents[statement]
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1:
            return None
    if not isinstance(tree.parents.get(line), cst.IndentedBlock):
        return None
    assert isinstance(line, cst.SimpleStatementLine | cst.BaseCompoundStatement)
    return line


def block_of(tree: Tree, line: Line) -> cst.IndentedBlock:
    """Return the block that holds a line."""
    block = tree.parents[line]
    assert isinstance(block, cst.IndentedBlock)
    return block


def lines_of(block: cst.IndentedBlock) -> list[Line]:
    """Return the lines of a block."""
    return [
        line
        for line in block.body
        if isinstance(line, cst.SimpleStatementLine | cst.BaseCompoundStatement)
    ]


def index_of(block: cst.IndentedBlock, line: Line) -> int:
    """Return which line of a block one is."""
    return next(at for at, each in enumerate(block.body) if each is line)


def only(line: cst.CSTNode) -> cst.CSTNode:
    """Return the one statement of a line, or the line itself."""
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        return line.body[0]
    return line


def with_lines(block: cst.IndentedBlock, lines: Sequence[cst.CSTNode]) -> Change:
    """Return the change that gives a block other lines, as they are in the tree or new."""
    return {block: lambda updated: updated.with_changes(body=[*lines])}


def beside(tree: Tree, line: Line, code: str, under: bool = True) -> Change:
    """Return the change that puts a statement under a line, or above it and under its comments."""
    block = block_of(tree, line)
    lines, at = lines_of(block), index_of(block, line)
    new = statements(tree, f"{code}\n", line)
    if under:
        return with_lines(block, [*lines[: at + 1], *new, *lines[at + 1 :]])
    first = new[0].with_changes(leading_lines=line.leading_lines)
    own = line.with_changes(leading_lines=())
    return with_lines(block, [*lines[:at], first, own, *lines[at + 1 :]])


def function_of(tree: Tree, node: cst.CSTNode) -> cst.FunctionDef | None:
    """Return the function that runs a statement; None outside of any."""
    child = node
    for parent in tree.ancestors(node):
        if isinstance(parent, cst.FunctionDef) and child is parent.body:
            return parent
        if isinstance(parent, cst.ClassDef):
            return None
        child = parent
    return None


def loop_of(tree: Tree, node: cst.CSTNode) -> Loop | None:
    """Return the innermost loop of its own function that repeats a statement."""
    return next(loops_of(tree, node), None)


def loops_of(tree: Tree, node: cst.CSTNode) -> Iterator[Loop]:
    """Yield the loops of its own function that repeat a statement, from the inside out."""
    child = node
    for parent in tree.ancestors(node):
        if isinstance(parent, cst.FunctionDef | cst.ClassDef):
            return
        if isinstance(parent, cst.For | cst.While) and child is parent.body:
            yield parent
        child = parent


def whole_if(tree: Tree, block: cst.IndentedBlock) -> cst.If | None:
    """Return the ``if`` of which a block is a branch, with all its branches; None for other blocks."""
    top = tree.parents[block]
    if isinstance(top, cst.Else):
        top = tree.parents[top]
    while isinstance(top, cst.If):
        parent = tree.parents[top]
        if not isinstance(parent, cst.If):
            return top
        top = parent
    return None


def branches(node: cst.If) -> Iterator[cst.If | cst.Else]:
    """Yield an ``if`` and what follows it: each ``elif`` and the ``else``."""
    branch: cst.If | cst.Else | None = node
    while branch is not None:
        yield branch
        branch = branch.orelse if isinstance(branch, cst.If) else None


@lru_cache(maxsize=128)
def nodes_of(node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
    """Return the nodes in a node in the order of the text, but not those in functions within it."""
    found: list[cst.CSTNode] = []
    stack = [*reversed(children_of(node))]
    while stack:
        child = stack.pop()
        found.append(child)
        if not isinstance(child, _NESTED):
            stack += reversed(children_of(child))
    return tuple(found)


def simple_statements(node: cst.CSTNode) -> Iterator[cst.BaseSmallStatement]:
    """Yield the simple statements of a function or a block, in order."""
    yield from (each for each in nodes_of(node) if isinstance(each, cst.BaseSmallStatement))


def params_of(function: cst.FunctionDef) -> tuple[cst.Param, ...]:
    """Return a function's parameters less ``self`` and ``cls``, and less those with a star."""
    params = function.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    return tuple(each for each in every if each.name.value not in ("self", "cls"))


@lru_cache(maxsize=256)
def reads(node: cst.CSTNode) -> frozenset[str]:
    """Return the names that are read when a node runs, in blocks and functions in it too."""
    found: set[str] = set()
    stack = [node]
    while stack:
        part = stack.pop()
        match part:
            case cst.Name(value=name):
                found.add(name)
            case cst.Attribute(value=value):
                stack.append(value)
            case cst.Arg(value=value):
                stack.append(value)
            case cst.AssignTarget(target=cst.Name()) | cst.Annotation():
                pass
            case cst.Param(default=default):
                stack += [default] if default else []
            case cst.For(target=cst.Name()) | cst.CompFor(target=cst.Name()):
                stack += [each for each in children_of(part) if each is not part.target]
            case _:
                stack += children_of(part)
    return frozenset(found)


@lru_cache(maxsize=256)
def spellings(node: cst.CSTNode) -> tuple[str, ...]:
    """Return the dotted names that a node reads, longest first where one begins with another."""
    match node:
        case cst.Name() | cst.Attribute() if spelling := dotted(node):
            return (spelling,)
        case cst.Call(func=cst.Attribute(value=value)):
            parts: list[cst.CSTNode] = [value, *node.args]
        case cst.Call(func=cst.Name()):
            parts = [*node.args]
        case cst.Arg(value=value):
            parts = [value]
        case cst.AssignTarget(target=cst.Name()) | cst.Annotation():
            parts = []
        case _:
            parts = children_of(node)
    return tuple(dict.fromkeys(each for part in parts for each in spellings(part)))


def header(statement: cst.CSTNode) -> list[cst.CSTNode]:
    """Return the parts of a compound statement that run before its block; of another all."""
    match statement:
        case cst.If(test=test) | cst.While(test=test):
            return [test]
        case cst.For(iter=items):
            return [items]
        case cst.With(items=items):
            return [*items]
        case cst.BaseCompoundStatement():
            return []
    return [statement]


def assigned_names(node: cst.CSTNode) -> frozenset[str]:
    """Return the plain names that statements in a node bind or change, loop variables included."""
    found: set[str] = set()
    for each in (node, *nodes_of(node)):
        match each:
            case (
                cst.AssignTarget(target=target)
                | cst.AugAssign(target=target)
                | cst.AnnAssign(target=target)
                | cst.For(target=target)
                | cst.NamedExpr(target=target)
            ):
                found.update(_bound_by(target))
            case cst.AsName(name=target):
                found.update(_bound_by(target))
    return frozenset(found)


def target_names(target: cst.BaseExpression) -> tuple[str, ...]:
    """Return the plain names that a target binds, in order."""
    return tuple(_bound_by(target))


def _bound_by(target: cst.CSTNode) -> Iterator[str]:
    match target:
        case cst.Name(value=name):
            yield name
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            for element in elements:
                yield from _bound_by(element.value)
        case cst.StarredElement(value=value):
            yield from _bound_by(value)


@lru_cache(maxsize=256)
def writes(node: cst.CSTNode) -> frozenset[str]:
    """Return the names whose values a node may change: bound, or changed in place."""
    found = {*assigned_names(node)}
    for each in (node, *nodes_of(node)):
        match each:
            case cst.Call(func=cst.Attribute(value=value), args=args):
                found |= {*reads(value)}.union(*map(reads, args))
            case cst.Call(args=args):
                found = found.union(*map(reads, args))
            case (
                cst.AssignTarget(target=cst.Attribute(value=value) | cst.Subscript(value=value))
                | cst.AugAssign(target=cst.Attribute(value=value) | cst.Subscript(value=value))
                | cst.Del(target=cst.Subscript(value=value))
            ):
                found |= reads(value)
    return frozenset(found)


def depend(one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Say whether it may matter which of two statements runs first."""
    first, second = writes(one), writes(other)
    return not (first.isdisjoint(reads(other) | second) and second.isdisjoint(reads(one)))


def may_leave(node: cst.CSTNode) -> bool:
    """Say whether control may go elsewhere from within a statement: it returns, raises, skips."""
    leaving = cst.Return | cst.Raise | cst.Continue | cst.Break
    return isinstance(node, leaving) or any(isinstance(each, leaving) for each in nodes_of(node))


def is_docstring(line: cst.CSTNode) -> bool:
    """Say whether a line is a string and nothing else."""
    match line:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.BaseString())]):
            return True
    return False


def jump_out(node: cst.CSTNode) -> bool:
    """Say whether a statement breaks or continues a loop around it."""
    if isinstance(node, cst.Break | cst.Continue):
        return True
    if isinstance(node, cst.For | cst.While | cst.FunctionDef | cst.ClassDef):
        return (
            node.orelse is not None and jump_out(node.orelse) if isinstance(node, Loop) else False
        )
    return any(map(jump_out, children_of(node)))


def without(lines: Sequence[Line], at: int) -> list[Line]:
    """Return lines less one; blank lines and comments further above it stay where they are."""
    distant, _ = divided(lines[at].leading_lines)
    rest = [*lines[:at], *lines[at + 1 :]]
    if at < len(rest):
        others, own = divided(rest[at].leading_lines)
        rest[at] = rest[at].with_changes(leading_lines=[*_merged(distant, others, at), *own])
    return rest


def _merged(
    distant: Sequence[cst.EmptyLine], others: Sequence[cst.EmptyLine], at: int
) -> Sequence[cst.EmptyLine]:
    if any(line.comment for line in (*distant, *others)):
        return [*distant, *others]
    return max(distant, others, key=len) if at else distant


def movable(lines: Sequence[Line], at: int) -> Line | None:
    """Return a line with its own comments only; None where comments further above would get lost."""
    distant, own = divided(lines[at].leading_lines)
    if at == len(lines) - 1 and any(line.comment for line in distant):
        return None
    return lines[at].with_changes(leading_lines=own)


def placed(lines: Sequence[Line], at: int, new: Line) -> list[Line]:
    """Return lines with a new one above one of them, or at their end."""
    if at == len(lines):
        return [*lines, new]
    distant, own = divided(lines[at].leading_lines)
    first = new.with_changes(leading_lines=[*distant, *divided(new.leading_lines)[1]])
    return [*lines[:at], first, lines[at].with_changes(leading_lines=own), *lines[at + 1 :]]
