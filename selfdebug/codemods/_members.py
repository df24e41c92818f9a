"""What a class of the project has: methods, class variables, and attributes set on its objects."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from selfdebug.syntax.bindings import FUNCTIONS, Function, dotted, is_static
from selfdebug.syntax.modules import Module, definitions
from selfdebug.syntax.scopes import bound_names

_DEPTH = 5  # of bases that are followed


def members(owner: ast.ClassDef, module: Module, depth: int = _DEPTH) -> frozenset[str]:
    """Return the names that a class and its bases in the project give to their objects."""
    found = {*bound_names(owner)}
    for method in owner.body:
        if isinstance(method, FUNCTIONS) and not is_static(method):
            found.update(_set_by(method))
    for base in owner.bases if depth else ():
        found |= _of_base(base, module, depth - 1)
    return frozenset(found)


def _of_base(base: ast.expr, module: Module, depth: int) -> frozenset[str]:
    name = dotted(base).rpartition(".")[2]
    for each in module.definitions:
        if each.qualname == name and isinstance(each.node, ast.ClassDef):
            return members(each.node, module, depth)
    for each in definitions(name, module.project) if name else ():
        if isinstance(each.node, ast.ClassDef):
            return members(each.node, each.module, depth)
    return frozenset(dir(getattr(builtins, name, object))) - frozenset(dir(object))


def _set_by(method: Function) -> Iterator[str]:
    """Yield the attributes that a method sets on its first parameter."""
    parameters = [*method.args.posonlyargs, *method.args.args]
    for node in ast.walk(method):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Store()):
                if parameters and name == parameters[0].arg:
                    yield attr
