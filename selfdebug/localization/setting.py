"""Which statements give the attributes and keys their values in which a result differs.

Attributes are told apart by their names alone. A variable stands for an attribute where it has its name,
or is what an object gets for it when it is made.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selfdebug.syntax.bindings import FUNCTIONS, Function, last_name, own_nodes
from selfdebug.syntax.modules import definitions
from selfdebug.syntax.project import Project

_CHANGING = frozenset(
    (
        *("add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "insert"),
        *("move_to_end", "pop", "popitem", "popleft", "remove", "reverse", "rotate", "setdefault"),
        *("sort", "subtract", "update", "difference_update", "intersection_update"),
    )
)
"""Methods of containers that change what they are called on."""


@dataclass(frozen=True)
class Placed:
    """A statement with the function and the class around it."""

    stmt: ast.stmt
    function: Function | None = None
    owner: ast.ClassDef | None = None


def defining(
    places: Sequence[Placed], names: frozenset[str], project: Project
) -> list[frozenset[str]]:
    """Return which of the names each statement gives a value, or a variable for it."""
    names = frozenset(name for name in names if not _is_computed(name, project))
    if not names:
        return [frozenset() for _ in places]
    found = [names & {*sets(place.stmt)} for place in places]
    passed: dict[tuple[Function | None, str], set[str]] = defaultdict(set)
    for number, place in enumerate(places):
        for name, argument in _arguments(place, names, project):
            found[number] |= {name}
            for node in ast.walk(argument):
                if isinstance(node, ast.Name):
                    passed[place.function, node.id].add(name)
    for number, place in enumerate(places):
        for variable in _bound(place.stmt):
            found[number] |= passed.get((place.function, variable), set())
    return found


def _is_computed(name: str, project: Project) -> bool:
    """Say whether a property may have that name: what it computes is not set anywhere."""
    return any(isinstance(each.node, FUNCTIONS) for each in definitions(name, project))


def sets(stmt: ast.stmt) -> Iterator[str]:
    """Yield the variables, attributes and keys that a statement gives a value, or changes."""
    for node in own_nodes(stmt):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.Subscript(value=held, slice=key, ctx=ast.Store() | ast.Del()):
                yield from _held(held)
                yield from _keys([key])
            case ast.Call(func=ast.Attribute(value=held, attr=method)) if method in _CHANGING:
                yield from _held(held)
            case ast.Dict(keys=keys):
                yield from _keys(keys)
    yield from _bound(stmt)


def _bound(stmt: ast.stmt) -> Iterator[str]:
    for node in own_nodes(stmt):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _held(node: ast.expr) -> Iterator[str]:
    """Yield what holds a value that is changed: ``a.b[i]`` is held by the attribute ``b``."""
    match node:
        case ast.Attribute(attr=name):
            yield name
        case ast.Subscript(value=inner) | ast.Call(func=ast.Attribute(value=inner)):
            yield from _held(inner)


def _keys(nodes: Sequence[ast.expr | None]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _arguments(
    place: Placed, names: frozenset[str], project: Project
) -> Iterator[tuple[str, ast.expr]]:
    """Yield what attributes of these names get where an object is made."""
    for node in own_nodes(place.stmt):
        if not isinstance(node, ast.Call):
            continue
        yield from ((each.arg, each.value) for each in node.keywords if each.arg in names)
        called = last_name(node.func)
        made = place.owner.name if called == "cls" and place.owner is not None else called
        for each in definitions(made, project) if made and node.args else ():
            for name, argument in zip(_fields(each.node), node.args, strict=False):
                if name in names:
                    yield name, argument


def _fields(made: Function | ast.ClassDef) -> Iterator[str]:
    """Yield what a class is made from, as its ``__init__`` or its annotations tell."""
    body = made.body if isinstance(made, ast.ClassDef) else []
    for stmt in body:
        if isinstance(stmt, ast.FunctionDef) and stmt.name == "__init__":
            yield from (each.arg for each in stmt.args.args[1:])
            return
    for stmt in body:
        if isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name):
            yield stmt.target.id
