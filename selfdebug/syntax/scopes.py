"""The names that can be read at a place, by the scopes that bind them.

https://docs.python.org/3/reference/executionmodel.html#naming-and-binding says what binds a name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from selfdebug.model import Span
from selfdebug.syntax.bindings import FUNCTIONS, Function

ScopeNode: TypeAlias = Function | ast.Lambda | ast.ClassDef | ast.Module
_INNER = (*FUNCTIONS, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Scope:
    """A function, class or module, with the first line on which each of its names is bound."""

    node: ScopeNode
    names: Mapping[str, int]


def scopes_at(tree: ast.Module, span: Span) -> tuple[Scope, ...]:
    """Return the scopes in which a name at a place is looked up, from the inside out.

    Classes count only where the place is in their own body. Variables of a comprehension around the
    place are given to the scope that holds it.
    """
    path = [*_path(tree, span)]
    found: list[Scope] = []
    inner: dict[str, int] = {}
    for node in reversed(path):
        if isinstance(node, _COMPREHENSIONS):
            targets = (stored for each in node.generators for stored in _stored(each.target))
            inner |= dict.fromkeys(targets, node.lineno)
        elif not (isinstance(node, ast.ClassDef) and found):
            assert isinstance(node, (*_INNER, ast.Module))
            found.append(Scope(node, {**bound_names(node), **inner}))
            inner = {}
    return tuple(found)


def function_of(scopes: tuple[Scope, ...]) -> Function | None:
    """Return the innermost function of some scopes."""
    return next((each.node for each in scopes if isinstance(each.node, FUNCTIONS)), None)


def names_at(tree: ast.Module, span: Span) -> dict[str, int]:
    """Return the names that have a value at a place, those of the nearest scope first.

    A name that its function binds only further down is left out; builtins are.
    """
    found: dict[str, int] = {}
    scopes = scopes_at(tree, span)
    for scope in scopes:
        for name, line in scope.names.items():
            if line <= span.line or scope is not scopes[0] or isinstance(scope.node, ast.Module):
                found.setdefault(name, line)
    return found


def class_of(tree: ast.Module, function: Function) -> ast.ClassDef | None:
    """Return the class in whose body a function stands."""
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return next((node for node in classes if function in node.body), None)


@lru_cache(maxsize=64)  # those of the module are asked for at every place in it
def bound_names(scope: ScopeNode) -> Mapping[str, int]:
    """Return the names that a scope binds and the first line on which it does; no ``global`` ones."""
    found: dict[str, int] = {}
    elsewhere: set[str] = set()
    for node in own_nodes(scope):
        if isinstance(node, ast.Global | ast.Nonlocal):
            elsewhere.update(node.names)
        for name in _binds(node):
            line = getattr(node, "lineno", 0)
            found[name] = min(found.get(name, line), line)
    return {name: line for name, line in found.items() if name not in elsewhere}


def own_nodes(scope: ScopeNode) -> Iterator[ast.AST]:
    """Yield the nodes that belong to a scope itself; of nested ones only the node that opens them.

    What a comprehension binds is left out: it is seen only there.
    """
    if isinstance(scope, (*FUNCTIONS, ast.Lambda)):
        yield from _arguments(scope.args)
    body = scope.body if isinstance(scope.body, list) else [scope.body]
    stack: list[ast.AST] = [*reversed(body)]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, _INNER):
            continue
        if isinstance(node, _COMPREHENSIONS):
            stack += [each for each in ast.walk(node) if isinstance(each, ast.NamedExpr)]
            continue
        stack += reversed([*ast.iter_child_nodes(node)])


def _arguments(args: ast.arguments) -> Iterator[ast.arg]:
    yield from (*args.posonlyargs, *args.args, *args.kwonlyargs)
    yield from filter(None, (args.vararg, args.kwarg))


def _binds(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.arg(arg=name):
            yield name
        case ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            for alias in aliases:
                yield alias.asname or alias.name.partition(".")[0]


def _stored(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name):
            yield node.id


def _path(tree: ast.Module, span: Span) -> Iterator[ast.AST]:
    """Yield the scopes and comprehensions around a place, from the outside in."""
    yield tree
    node: ast.AST | None = tree
    while node is not None:
        inside = (each for each in _children(node) if _holds(each, span))
        node = next(inside, None)
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            if not any(_holds(stmt, span) for stmt in node.body):
                return
            yield node
        elif isinstance(node, (ast.Lambda, *_COMPREHENSIONS)):
            yield node


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that run in its scope; a function's decorators run around it."""
    if isinstance(node, ast.Lambda):
        yield node.body
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield from node.body
    else:
        yield from ast.iter_child_nodes(node)


def _holds(node: ast.AST, span: Span) -> bool:
    """Say whether a place is in a node; columns of ``ast`` count bytes, so that lines decide first."""
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    if first is None or last is None:
        # A node without a place, such as a comprehension's part or an argument list.
        return any(_holds(each, span) for each in ast.iter_child_nodes(node))
    if first == span.line == last and span.end_line == span.line:
        start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0)
        return bool(start <= span.column <= end)
    return bool(first <= span.line <= last)
