"""Containers and counters that a function makes, and whether and how it fills them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from selfdebug.codemods._blocks import (
    Loop,
    assigned_names,
    nodes_of,
    simple_statements,
    writes,
)
from selfdebug.codemods._first_order import Place
from selfdebug.codemods._names import code_of, dotted

_ADDING = frozenset(("add", "append", "update", "extend", "insert", "setdefault", "appendleft"))


def is_filled(function: cst.FunctionDef, name: str) -> bool:
    """Say whether a function adds to a container."""
    for each in nodes_of(function.body):
        match each:
            case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=method))):
                if dotted(owner) == name and method in _ADDING:
                    return True
            case cst.AssignTarget(target=cst.Subscript(value=owner)) | cst.AugAssign(target=owner):
                if dotted(owner) == name:
                    return True
    return False


def stores(place: Place, function: cst.FunctionDef, name: str, item: str) -> list[str]:
    """Return how an item is put into a container, by its type or by how it is made."""
    seen = place.values.get(name)
    kind = seen.type if seen else _made(function, name)
    if kind == "set":
        return [f"{name}.add({item})"]
    if kind == "list":
        return [f"{name}.append({item})"]
    if kind == "dict":
        return [f"{name}[{item}] = {value}" for value in ("True", "1")]
    return [f"{name}.add({item})", f"{name}.append({item})"]


def _made(function: cst.FunctionDef, name: str) -> str:
    for each in nodes_of(function.body):
        match each:
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
                if code_of(target) == name:
                    kinds = {cst.List: "list", cst.Dict: "dict", cst.Set: "set"}
                    code = code_of(value)
                    called = code.partition("(")[0] if code.endswith(")") else ""
                    return kinds.get(type(value), called)
    return ""


def waiting(
    place: Place, function: cst.FunctionDef, loop: Loop
) -> Iterator[tuple[str, cst.BaseExpression]]:
    """Yield the variables that are made for a loop, used in it or after it, and not changed by it."""
    changed = writes(loop.body)
    for each in simple_statements(function.body):
        if place.tree.span(each).line >= place.tree.span(loop).line:
            return
        match each:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                if name not in changed and not _is_changed(function, name, each):
                    yield name, value


def _is_changed(function: cst.FunctionDef, name: str, first: cst.BaseSmallStatement) -> bool:
    return any(
        name in assigned_names(each) or _grows(each, name)
        for each in simple_statements(function.body)
        if each is not first
    )


def _grows(statement: cst.BaseSmallStatement, name: str) -> bool:
    return any(
        isinstance(each, cst.Call)
        and isinstance(each.func, cst.Attribute)
        and code_of(each.func.value) == name
        and each.func.attr.value in _ADDING
        for each in nodes_of(statement)
    )


def growing(name: str, value: cst.BaseExpression, items: Sequence[str]) -> Iterator[str]:
    """Yield the statements that add the item in hand to a variable."""
    others = [item for item in items if item != name]
    match value:
        case cst.Integer() | cst.Float():
            yield f"{name} += 1"
            yield from (f"{name} += {item}" for item in others)
        case cst.List(elements=[]):
            yield from (f"{name}.append({item})" for item in others)
        case cst.Call(func=cst.Name(value="set"), args=[]):
            yield from (f"{name}.add({item})" for item in others)
        case cst.SimpleString():
            yield from (f"{name} += {item}" for item in others)
        case cst.Name(value="False" | "True" as flag):
            yield f"{name} = {flag != 'True'}"
