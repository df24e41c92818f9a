"""The variables that an expression may use instead of another, and the attributes of objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import cast

import libcst as cst

from selfdebug.codemods._first_order import Place
from selfdebug.codemods._kinds import NUMBERS, Kind, function_at, short_type
from selfdebug.codemods._members import members
from selfdebug.codemods._names import bound, identifiers
from selfdebug.codemods._near import likeness, words_of
from selfdebug.syntax.bindings import FUNCTIONS, parameters
from selfdebug.syntax.modules import definitions, read_module
from selfdebug.syntax.scopes import Scope, class_of

_OBJECTS = frozenset(("self", "cls", "_"))
_ALIKE = 0.6
_COUNTERPARTS = (
    *(
        "start end",
        "start stop",
        "begin end",
        "first last",
        "low high",
        "lower upper",
        "left right",
    ),
    *(
        "min max",
        "old new",
        "previous next",
        "prev next",
        "prev curr",
        "previous current",
        "row col",
    ),
    *("row column", "rows cols", "rows columns", "x y", "i j", "a b", "width height", "key value"),
    *(
        "source target",
        "src dst",
        "parent child",
        "before after",
        "head tail",
        "top bottom",
        "in out",
    ),
    *("debit credit", "from to", "minimum maximum", "smallest largest", "day month", "month year"),
    *("hour minute", "hours minutes", "minutes seconds", "count total", "current next", "up down"),
)
_PAIRS = frozenset(frozenset(pair.split()) for pair in _COUNTERPARTS)


def variables(place: Place) -> tuple[str, ...]:
    """Return the variables of the functions around a place that have a value there, nearest first.

    Those of the module are left out, as is what the statement itself gives its first value.
    """
    outer = _of_scopes(place)
    inner = (name for name in _of_comprehensions(place) if name not in outer)
    return (*inner, *outer)


def _of_scopes(place: Place) -> tuple[str, ...]:
    project, span = place.project, place.site.span
    key = ("variables", place.tree.region.source.path, span)
    if key not in project.parsed:
        scopes = place.scopes
        found = {
            name: 0
            for scope in scopes
            if not isinstance(scope.node, ast.Module)
            for name, line in scope.names.items()
            if scope is not scopes[0] or line < span.line or _is_parameter(scope, name)
        }
        project.parsed[key] = tuple(name for name in found if name not in _OBJECTS)
    return cast("tuple[str, ...]", project.parsed[key])


def _is_parameter(scope: Scope, name: str) -> bool:
    """Say whether a name on the line of a statement has its value already: ``def f(a): return a``."""
    node = scope.node
    return isinstance(node, FUNCTIONS) and any(arg.arg == name for arg in parameters(node))


def _of_comprehensions(place: Place) -> Iterator[str]:
    """Yield the variables of the comprehensions and lambdas around an expression."""
    child = place.node
    for up in place.tree.ancestors(place.node):
        if isinstance(up, cst.BaseComp) and child is not up.for_in:
            loop: cst.CompFor | None = up.for_in
            while loop is not None:
                yield from identifiers(loop.target)
                loop = loop.inner_for_in
        elif isinstance(up, cst.CompFor) and child is not up.iter:
            yield from identifiers(up.target)
        elif isinstance(up, cst.Lambda):
            yield from (param.name.value for param in up.params.params)
        if up is place.statement:
            return
        child = up


def constants(place: Place) -> tuple[str, ...]:
    """Return the module's names in capitals that have a value at a place."""
    statement = place.statement
    own = {*bound(statement)} if isinstance(statement, cst.BaseSmallStatement) else ()
    return tuple(
        name for name in place.names if name.isupper() and name not in own and len(name) > 1
    )


def unread(place: Place) -> frozenset[str]:
    """Return the variables of the function around a place that it never reads."""
    function = function_at(place)
    if function is None:
        return frozenset()
    # Which variables there are depends on the statement, what is read on the function alone.
    key = ("read", place.tree.region.source.path, function.lineno)
    parsed = place.project.parsed
    if key not in parsed:
        parsed[key] = frozenset(
            node.id
            for node in ast.walk(function)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        )
    return frozenset(_of_scopes(place)) - cast("frozenset[str]", parsed[key])


def unread_imports(place: Place) -> frozenset[str]:
    """Return what the module around a place imports and never reads: somebody meant to use it."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("unread imports", path)
    if key not in parsed:
        module = read_module(path, place.project)
        read = {node.id for node in ast.walk(module.tree) if isinstance(node, ast.Name)}
        parsed[key] = frozenset(module.imports) - read
    return cast("frozenset[str]", parsed[key])


@lru_cache(maxsize=4096)
def is_alike(one: str, other: str) -> bool:
    """Say whether two names are easily taken for each other: nearly the same, or ``start``, ``end``."""
    return one != other and (likeness(one, other) >= _ALIKE or _are_counterparts(one, other))


def _are_counterparts(one: str, other: str) -> bool:
    words, others = [*words_of(one)], [*words_of(other)]
    if len(words) != len(others):
        return False
    differing = [{a, b} for a, b in zip(words, others, strict=True) if a != b]
    return len(differing) == 1 and frozenset(differing[0]) in _PAIRS


def attributes(place: Place, owner: str) -> tuple[str, ...]:
    """Return the attributes, methods apart, that an object called ``owner`` has, the seen ones first."""
    return tuple(dict.fromkeys((*_seen(place, owner), *_of_class(place, owner))))


def used_attributes(place: Place) -> tuple[str, ...]:
    """Return the attributes, methods that are called apart, that the module reads of any object."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("used attributes", path)
    if key not in parsed:
        nodes = [*ast.walk(read_module(path, place.project).tree)]
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        read = (
            node for node in nodes if isinstance(node, ast.Attribute) and id(node) not in called
        )
        parsed[key] = tuple(dict.fromkeys(node.attr for node in read))
    return cast("tuple[str, ...]", parsed[key])


def _seen(place: Place, owner: str) -> Iterator[str]:
    for spelling in place.values:
        base, _, name = spelling.rpartition(".")
        if base == owner and name.isidentifier():
            yield name


def _of_class(place: Place, owner: str) -> tuple[str, ...]:
    """Return what the class of an object is seen to give it."""
    function, value = function_at(place), place.values.get(owner)
    if owner == "self" and function is not None:
        name, line = "", function.lineno
    elif value is not None:
        name, line = short_type(value), 0
    else:
        return ()
    key = ("fields", place.tree.region.source.path, name, line)
    parsed = place.project.parsed
    if key not in parsed:
        parsed[key] = tuple(_fields(place, name))
    return cast("tuple[str, ...]", parsed[key])


def _fields(place: Place, name: str) -> Iterator[str]:
    """Yield the fields and properties of the class of a name, of the class around without one."""
    project, function = place.project, function_at(place)
    module = read_module(place.tree.region.source.path, project)
    if not name:
        own = class_of(module.tree, function) if function else None
        found = [] if own is None else [(own, module)]
    else:
        named = definitions(name, project)
        found = [(each.node, each.module) for each in named if isinstance(each.node, ast.ClassDef)]
    for kind, where in found[:1]:
        methods = {
            stmt.name
            for stmt in kind.body
            if isinstance(stmt, FUNCTIONS) and not any(map(_is_property, stmt.decorator_list))
        }
        yield from sorted(members(kind, where) - methods)


def _is_property(decorator: ast.expr) -> bool:
    return ast.unparse(decorator).rpartition(".")[2] in ("property", "cached_property")


def kind_named(place: Place, spelling: str) -> Kind:
    """Return the kind of what a run saw under a name; "" if it saw nothing."""
    value = place.values.get(spelling)
    return "" if value is None or value.type == "NoneType" else short_type(value)


def fits(kind: Kind, other: Kind) -> bool:
    """Say whether a value of one kind may stand for one of another, as far as either is known."""
    return not kind or not other or kind == other or {kind, other} <= NUMBERS
