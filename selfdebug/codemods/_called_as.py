"""How a file calls a function of the standard library, and what it would have to import for that."""

from __future__ import annotations

import ast
from typing import cast

from selfdebug.codemods._first_order import Place
from selfdebug.syntax.bindings import nested
from selfdebug.syntax.modules import Module, read_module


def called_as(place: Place, module: str, name: str) -> tuple[str, str]:
    """Return the statement that imports a function, and what it is called after it.

    As the file has it already; else in the way in which it imports from the module; else the whole
    module, or the name where the module is inside of a package.
    """
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("called as", path, module, name)
    if key not in parsed:
        parsed[key] = _spelled(read_module(path, place.project), module, name)
    return cast("tuple[str, str]", parsed[key])


def _spelled(file: Module, module: str, name: str) -> tuple[str, str]:
    alone = f"from {module} import {name}"
    for local, full in file.imports.items():
        if full == f"{module}.{name}":
            return (alone if local == name else f"{alone} as {local}"), local
        if full == module and "." not in module:
            return f"import {module}" + (
                "" if local == module else f" as {local}"
            ), f"{local}.{name}"
    from_it = (
        isinstance(stmt, ast.ImportFrom) and not stmt.level and stmt.module == module
        for stmt in nested(file.tree.body)
    )
    return (
        (alone, name) if "." in module or any(from_it) else (f"import {module}", f"{module}.{name}")
    )
