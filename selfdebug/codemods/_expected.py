"""The exception that the failing test waits for: ``pytest.raises(X)``, ``assertRaises(X)``."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from contextlib import suppress

from selfdebug.model import Site
from selfdebug.syntax.bindings import dotted
from selfdebug.syntax.modules import Module, definitions, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import enclosing
from selfdebug.syntax.source import Unreadable

_WAITING = frozenset(("raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp"))


def expected(site: Site, project: Project) -> tuple[str, ...]:
    """Return the exceptions that the test waits for where it failed, by name without module."""
    for frame in reversed(site.callers):
        for path in project.resolve(frame.file)[:1]:
            if not project.is_test_file(path):
                continue
            with suppress(Unreadable, OSError):
                module = read_module(path, project)
                return tuple(dict.fromkeys(_awaited(module, frame.line)))
    return ()


def spelled(name: str, module: Module, project: Project) -> str | None:
    """Return how a module can name an exception without an import more; None where it cannot.

    That is a builtin, what the module defines or imports, or an attribute of a module that it imports.
    """
    if name in module.imports or any(each.qualname == name for each in module.definitions):
        return name
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, Exception):
        return name
    for each in definitions(name, project):
        home = each.module.source.path
        for alias, full in module.imports.items():
            if project.module(full) == home:
                return f"{alias}.{name}"
    return None


def _awaited(module: Module, line: int) -> Iterator[str]:
    for stmt in reversed(enclosing(module.tree, line)):
        if isinstance(stmt, ast.With | ast.AsyncWith):
            for item in stmt.items:
                yield from _named(item.context_expr)
        elif isinstance(stmt, ast.Expr):
            yield from _named(stmt.value)


def _named(node: ast.expr) -> Iterator[str]:
    if not isinstance(node, ast.Call) or not node.args:
        return
    if dotted(node.func).rpartition(".")[2] in _WAITING:
        first = node.args[0]
        for each in first.elts if isinstance(first, ast.Tuple) else [first]:
            if name := dotted(each).rpartition(".")[2]:
                yield name
