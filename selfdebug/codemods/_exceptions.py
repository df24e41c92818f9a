"""The exceptions that a file has to do with."""

from __future__ import annotations

import ast
import builtins
from functools import lru_cache

from selfdebug.codemods._first_order import Place
from selfdebug.syntax.modules import read_module


def own_exceptions(place: Place) -> list[str]:
    """Return the exceptions that the file defines, raises or catches, and that have a name here."""
    tree = read_module(place.tree.region.source.path, place.project).tree
    reachable = {*place.names, *vars(builtins)}
    return [name for name in _named(tree) if name in reachable]


@lru_cache(maxsize=8)
def _named(tree: ast.Module) -> tuple[str, ...]:
    found: list[str] = []
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name, bases=[ast.expr() as base, *_]):
                if ast.unparse(base).endswith(("Error", "Exception")):
                    found.append(name)
            case ast.Raise(exc=ast.Call(func=ast.Name(id=name)) | ast.Name(id=name)):
                found.append(name)
            case ast.ExceptHandler(type=ast.Name(id=name)):
                found.append(name)
    broad = ("Exception", "BaseException")
    return tuple(name for name in dict.fromkeys(found) if name not in broad and name[:1].isupper())
