"""The exceptions that a file has to do with, and those that a test waited for in vain."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from functools import lru_cache

from selfdebug.codemods._expected import spelled
from selfdebug.codemods._first_order import Place
from selfdebug.syntax.modules import read_module


def own_exceptions(place: Place) -> list[str]:
    """Return the exceptions that the file defines, raises or catches, and that have a name here."""
    tree = read_module(place.tree.region.source.path, place.project).tree
    reachable = {*place.names, *vars(builtins)}
    return [name for name in _named(tree) if name in reachable]


_AWAITED = re.compile(
    r"<class '(?:(?P<module>[\w.]+)\.)?(?P<name>\w+)'>|^(?P<alone>\w+) not raised"
)


def awaited(place: Place) -> Iterator[tuple[str, str]]:
    """Yield the exceptions that did not come: how the file spells them, and their modules.

    One that the file cannot name is spelled as it would be if it was imported; of one that has a name
    there, or whose module the message does not tell, the module is "".
    """
    message = place.site.message
    if "DID NOT RAISE" not in message and "not raised" not in message:
        return
    path, project = place.tree.region.source.path, place.project
    file = read_module(path, project)
    for found in _AWAITED.finditer(message):
        name, module = found["name"] or found["alone"], found["module"] or ""
        known = spelled(name, file, project)
        if known is not None:
            yield known, ""
        elif (home := project.module(module)) and not project.is_test_file(home) and home != path:
            yield name, module


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
