"""The functions of the project that a test runs, for failures that only the test notices."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import suppress

from selfdebug.codemods._base import Target, target_at
from selfdebug.codemods._defined import functions_on, target_in
from selfdebug.model import Site
from selfdebug.syntax.bindings import FUNCTIONS, Function
from selfdebug.syntax.modules import Definition, Module, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import Unreadable

_DEPTH = 2  # calls followed from the test
_MOST = 20  # functions looked at


def suspected(site: Site, project: Project, fits: Callable[[Function], bool]) -> Iterator[Target]:
    """Yield the function at a site; for a test's site those that the test calls and that fit.

    Raises Unreadable where the site's file does not parse, and OSError.
    """
    if not project.is_test_file(site.file):
        yield target_at(site, project)
        return
    for found in tested(site, project):
        assert isinstance(found.node, FUNCTIONS)
        if fits(found.node):
            yield target_in(found.node, found.module, site, project)


def tested(site: Site, project: Project) -> Iterator[Definition]:
    """Yield the functions that the test at a site calls, or that those call, nearest first.

    They are found by their names, in the modules that the test and its helpers import. Raises
    Unreadable where the test's file does not parse, and OSError.
    """
    module = read_module(site.file, project)
    around: list[Function] = [*functions_on(module, site.span.line)[-1:]]
    callers: list[tuple[Module, ast.AST]] = [(module, each) for each in around]
    callers += [(module, each) for each in _fixtures(module, around)]
    seen: list[tuple[str, str]] = []
    for _ in range(_DEPTH):
        inner: list[tuple[Module, ast.AST]] = []
        for caller, node in callers:
            for found in _called(caller, node, project):
                key = str(found.module.source.path), found.qualname
                if key not in seen and len(seen) < _MOST:
                    seen.append(key)
                    inner.append((found.module, found.node))
                    yield found
        callers = inner


def _fixtures(module: Module, around: list[Function]) -> Iterator[ast.AST]:
    """Yield the functions of the test's file that share a name with its parameters, or that it calls."""
    names = {arg.arg for each in around for arg in each.args.args}
    names |= {name for each in around for name in _names(each)}
    for found in module.definitions:
        if isinstance(found.node, FUNCTIONS) and found.node.name in names:
            yield found.node


def _called(caller: Module, node: ast.AST, project: Project) -> Iterator[Definition]:
    names = _names(node)
    for module in _reached(caller, project):
        for found in module.definitions:
            if isinstance(found.node, FUNCTIONS):
                owner = found.owner
                made = owner is not None and owner.name in names and found.node.name == "__init__"
                if made or found.node.name in names:
                    yield found


def _names(node: ast.AST) -> set[str]:
    """Return the last names of what a piece of code calls, or reads as an attribute."""
    found = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return found | {func.id for func in calls if isinstance(func, ast.Name)}


def _reached(module: Module, project: Project) -> Iterator[Module]:
    """Yield a module and those of the project that it imports; tests are left out."""
    paths = [module.source.path]
    for full in module.imports.values():
        path = project.module(full) or project.module(full.rpartition(".")[0])
        paths += [path] if path else []
    for path in dict.fromkeys(paths):
        if not project.is_test_file(path):
            with suppress(Unreadable, OSError):
                yield read_module(path, project)
