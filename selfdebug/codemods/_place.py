"""Where an expression stands: its statement, its scope, and what is evaluated before it.

https://docs.python.org/3/reference/expressions.html#evaluation-order says what comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import libcst as cst

from selfdebug.syntax.parts import children_of
from selfdebug.syntax.region import Tree

Scope: TypeAlias = cst.FunctionDef | cst.ClassDef | cst.Module
_STATEMENTS = (cst.BaseSmallStatement, cst.BaseCompoundStatement)
_INNER = (cst.Lambda, cst.BaseComp)
_LATER: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.Lambda: ("body",),
    cst.BooleanOperation: ("right",),
    cst.IfExp: ("body", "orelse"),
    cst.ListComp: ("elt",),
    cst.SetComp: ("elt",),
    cst.GeneratorExp: ("elt",),
    cst.DictComp: ("key", "value"),
    cst.CompFor: ("ifs", "inner_for_in"),
    cst.CompIf: ("test",),
    cst.While: ("test",),
    cst.Assert: ("msg",),
    cst.MatchCase: ("guard", "pattern"),
    cst.ExceptHandler: ("type",),
    cst.ExceptStarHandler: ("type",),
}


@dataclass(frozen=True)
class Place:
    """The place of an expression.

    ``inner`` are the lambdas and comprehensions between it and its statement, inside out. ``once`` says
    that it is evaluated exactly once whenever the statement runs, unless something before it raises.
    """

    statement: cst.BaseSmallStatement | cst.BaseCompoundStatement
    scope: Scope
    inner: tuple[cst.Lambda | cst.BaseComp, ...]
    once: bool

    @property
    def function(self) -> cst.FunctionDef | None:
        """The function whose code the statement is."""
        return self.scope if isinstance(self.scope, cst.FunctionDef) else None


def place(tree: Tree, node: cst.CSTNode) -> Place:
    """Return the place of an expression, or of a statement."""
    inner: list[cst.Lambda | cst.BaseComp] = []
    once = True
    child = node
    while not isinstance(child, _STATEMENTS):
        parent = tree.parents[child]
        if _is_later(parent, child):
            once = False
        if isinstance(parent, _INNER) and _is_inside(parent, child):
            inner.append(parent)
        child = parent
    while isinstance(elif_ := child, cst.If) and isinstance(tree.parents[elif_], cst.If):
        once, child = False, tree.parents[elif_]
    assert isinstance(child, _STATEMENTS)
    return Place(child, scope(tree, child), tuple(inner), once)


def may_await(tree: Tree, node: cst.CSTNode) -> bool:
    """Say whether ``await`` may stand at a place: straight in the body of an ``async def``."""
    where = place(tree, node)
    closed = any(isinstance(each, cst.Lambda | cst.GeneratorExp) for each in where.inner)
    return where.function is not None and where.function.asynchronous is not None and not closed


def first_statement(function: cst.FunctionDef) -> cst.CSTNode | None:
    """Return the function's first statement after its docstring."""
    body = [
        part
        for line in function.body.body
        for part in (line.body[:1] if isinstance(line, cst.SimpleStatementLine) else [line])
    ]
    documented = function.get_docstring() is not None
    return next(iter(body[1:] if documented else body), None)


def scope(tree: Tree, statement: cst.CSTNode) -> Scope:
    """Return the function, class or module whose code a statement is."""
    found = next(
        up
        for up in tree.ancestors(statement)
        if isinstance(up, cst.FunctionDef | cst.ClassDef | cst.Module)
    )
    assert isinstance(found, cst.FunctionDef | cst.ClassDef | cst.Module)
    return found


def evaluated_before(tree: Tree, node: cst.CSTNode, root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes of ``root`` that are evaluated, as a whole, before ``node`` in it."""
    child = node
    while child is not root:
        parent = tree.parents[child]
        yield from _earlier(parent, child)
        child = parent


def until(nodes: Sequence[cst.CSTNode], child: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes before one of them."""
    for node in nodes:
        if node is child:
            return
        yield node


def is_parameter(tree: Tree, node: cst.Name) -> bool:
    """Say whether a name is a parameter of the function that it is used in."""
    function = place(tree, node).function
    params = function.params if function else cst.Parameters()
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    return any(each.name.value == node.value for each in every)


def calls(node: cst.CSTNode) -> bool:
    """Say whether evaluating a node may run any code that it names: a call, an await, a yield."""
    if isinstance(node, cst.Call | cst.Await | cst.Yield | cst.NamedExpr | cst.BaseComp):
        return True
    if isinstance(node, cst.Lambda):
        return False
    return any(calls(child) for child in children_of(node))


def reads_state(node: cst.CSTNode) -> bool:
    """Say whether a node reads what a call elsewhere could change: an attribute or an item."""
    if isinstance(node, cst.Attribute | cst.Subscript):
        return True
    return any(reads_state(child) for child in children_of(node))


def _is_later(parent: cst.CSTNode, child: cst.CSTNode) -> bool:
    """Say whether ``parent`` evaluates ``child`` never, or more than once, or not at once."""
    if isinstance(parent, cst.Comparison):
        return any(child is target for target in parent.comparisons[1:])
    return any(_holds(parent, slot, child) for slot in _LATER.get(type(parent), ()))


def _is_inside(parent: cst.Lambda | cst.BaseComp, child: cst.CSTNode) -> bool:
    if isinstance(parent, cst.Lambda):
        return child is parent.body
    return child is not parent.for_in or not isinstance(child, cst.CompFor)


def _holds(parent: cst.CSTNode, slot: str, child: cst.CSTNode) -> bool:
    value = getattr(parent, slot)
    return value is child or (isinstance(value, Sequence) and any(v is child for v in value))


def _earlier(parent: cst.CSTNode, child: cst.CSTNode) -> Iterator[cst.CSTNode]:
    match parent:
        case cst.Assign(targets=targets, value=value):
            yield from () if child is value else (value, *until(targets, child))
        case cst.AnnAssign(value=value) if value:
            yield from () if child is value else (value,)
        case cst.AugAssign(target=target):
            yield from () if child is target else (target,)
        case cst.IfExp(test=test):
            yield from () if child is test else (test,)
        case cst.For() | cst.CompFor() | cst.BaseComp():
            return
        case cst.Call(func=cst.Attribute(value=value)) if child is not parent.func:
            # Looking a method up before its arguments are evaluated is taken to be harmless.
            yield from (
                (value, *until(parent.args, child)) if calls(value) else until(parent.args, child)
            )
        case _:
            yield from until(parent.children, child)
