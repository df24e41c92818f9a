"""What ran while modules were imported, before any test, and is read by what the tests execute."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from selfdebug.localization.setting import sets
from selfdebug.localization.statements import classes_at, functions_at, statement_of
from selfdebug.model import Span
from selfdebug.syntax.bindings import FUNCTIONS, Function, last_name, own_nodes
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import blocks_of
from selfdebug.syntax.source import Unreadable

Line: TypeAlias = tuple[Path, int]


def read_by(module: Module, span: Span, project: Project) -> Iterator[Line]:
    """Yield the statements outside functions whose names a line reads, and its function's header."""
    path, line = module.source.path, span.line
    for function in functions_at(module.tree, line):
        if function.args.defaults or any(function.args.kw_defaults):
            yield path, function.lineno
        break
    statement = statement_of(module, span)
    for node in own_nodes(statement) if statement else ():
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                yield from _bound_outside(module, name, project)
            case ast.Attribute(attr=name, value=ast.Name(id="self" | "cls")):
                for owner in classes_at(module.tree, line):
                    yield from ((path, each) for each in _assigned(owner, name))
            case ast.Attribute(attr=name, value=ast.Name(id=base)):
                yield from _bound_outside(module, f"{base}.{name}", project)


def _bound_outside(module: Module, dotted: str, project: Project) -> Iterator[Line]:
    base, _, attribute = dotted.partition(".")
    wanted = attribute or base
    for stmt in module.tree.body if attribute else ():
        if isinstance(stmt, ast.ClassDef) and stmt.name == base:
            yield from ((module.source.path, line) for line in _assigned(stmt, wanted))
    if not attribute:
        yield from ((module.source.path, line) for line in _assigned(module.tree, base))
    full = module.imports.get(base)
    if full is None:
        return
    where = full if attribute else full.rpartition(".")[0]
    other = project.module(where) if where else None
    if other is not None and other != module.source.path:
        with suppress(Unreadable, OSError):
            tree = read_module(other, project).tree
            name = attribute or full.rpartition(".")[2]
            yield from ((other, line) for line in _assigned(tree, name))


def _assigned(owner: ast.Module | ast.ClassDef, name: str) -> Sequence[int]:
    return _assignments(owner).get(name, ())


@lru_cache(maxsize=64)
def _assignments(owner: ast.Module | ast.ClassDef) -> Mapping[str, Sequence[int]]:
    """Return the lines on which a module or class itself assigns a value to names."""
    found: dict[str, list[int]] = defaultdict(list)
    for stmt in owner.body:
        match stmt:
            case ast.Assign(targets=targets):
                names = {each.id for each in targets if isinstance(each, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)):
                names = {name}
            case _:
                continue
        for name in names:
            found[name].append(stmt.lineno)
    return found


@dataclass(frozen=True)
class RunAtImport:
    """Functions that ran while modules were imported, and not in the failing test.

    ``setting`` are their statements by the attributes that they set, ``beside`` all those of functions
    in which one does.
    """

    setting: Mapping[str, frozenset[Line]]
    beside: Mapping[str, frozenset[Line]]


def run_at_import(modules: Sequence[Module], executed: Collection[Line]) -> RunAtImport:
    """Return the functions of modules that their statements outside functions call, by name.

    ``executed`` are the lines of the failing test.
    """
    setting: dict[str, frozenset[Line]] = defaultdict(frozenset)
    beside: dict[str, frozenset[Line]] = defaultdict(frozenset)
    for function, path in _called(modules).items():
        lines = {(path, stmt.lineno): stmt for stmt in _statements(function)}
        if lines.keys().isdisjoint(executed):
            for line, name in ((line, name) for line, stmt in lines.items() for name in sets(stmt)):
                setting[name] |= {line}
                beside[name] |= lines.keys()
    return RunAtImport(setting, beside)


def _called(modules: Sequence[Module]) -> dict[Function, Path]:
    named = _by_name(modules)
    found: dict[Function, Path] = {}
    todo = [name for module in modules for name in _called_outside(module.tree.body)]
    while todo:
        for function, path in named[todo.pop()]:
            if function not in found:
                found[function] = path
                todo += _calls(function)
    return found


def _by_name(modules: Sequence[Module]) -> dict[str, list[tuple[Function, Path]]]:
    """Return the functions of modules by their names, and those that make objects by their classes'."""
    named: dict[str, list[tuple[Function, Path]]] = defaultdict(list)
    for module in modules:
        for each in module.definitions:
            if isinstance(each.node, FUNCTIONS):
                makes = each.node.name == "__init__" and each.owner is not None
                name = each.owner.name if makes and each.owner else each.node.name
                named[name].append((each.node, module.source.path))
    return named


def _called_outside(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Yield what statements outside functions call, as far as an import runs them."""
    for stmt in body:
        if isinstance(stmt, ast.If) and "__name__" in _names(stmt.test):
            continue
        for node in own_nodes(stmt):
            if isinstance(node, ast.Call):
                yield last_name(node.func)
        yield from map(last_name, getattr(stmt, "decorator_list", ()))
        for block in () if isinstance(stmt, FUNCTIONS) else blocks_of(stmt):
            yield from _called_outside(block)


def _names(node: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _calls(function: Function) -> Iterator[str]:
    return (last_name(node.func) for node in ast.walk(function) if isinstance(node, ast.Call))


def _statements(function: Function) -> Iterator[ast.stmt]:
    """Yield the statements of a function and of those inside it: a decorator returns one."""
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and not isinstance(node, (*FUNCTIONS, ast.Raise)):
            yield node
