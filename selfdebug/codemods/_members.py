"""What a class of the project has: methods, class variables, and attributes set on its objects."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from selfdebug.syntax.bindings import FUNCTIONS, Function, dotted, is_name, is_static
from selfdebug.syntax.modules import Module, definitions
from selfdebug.syntax.scopes import bound_names

_DEPTH = 5  # of bases that are followed


def members(
    owner: ast.ClassDef, module: Module, depth: int = _DEPTH, *, of_class: bool = False
) -> frozenset[str]:
    """Return the names that a class and its bases in the project give to their objects.

    ``of_class`` leaves out what only the objects have: the attributes that methods set on them.
    """
    found = {*bound_names(owner)}
    methods = (each for each in owner.body if isinstance(each, FUNCTIONS) and not is_static(each))
    for method in methods:
        if not of_class or is_of_class(method):
            found.update(_set_by(method))
    for base in owner.bases if depth else ():
        found |= _of_base(base, module, depth - 1, of_class)
    return frozenset(found)


def is_of_class(method: Function) -> bool:
    """Say whether a method is one of the class: it gets the class, and no object."""
    return any(is_name(each, "classmethod") for each in method.decorator_list)


def _of_base(base: ast.expr, module: Module, depth: int, of_class: bool) -> frozenset[str]:
    name = dotted(base).rpartition(".")[2]
    for each in module.definitions:
        if each.qualname == name and isinstance(each.node, ast.ClassDef):
            return members(each.node, module, depth, of_class=of_class)
    for each in definitions(name, module.project) if name else ():
        if isinstance(each.node, ast.ClassDef):
            return members(each.node, each.module, depth, of_class=of_class)
    return frozenset(dir(getattr(builtins, name, object))) - frozenset(dir(object))


def _set_by(method: Function) -> Iterator[str]:
    """Yield the attributes that a method sets on its first parameter."""
    parameters = [*method.args.posonlyargs, *method.args.args]
    for node in ast.walk(method):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Store()):
                if parameters and name == parameters[0].arg:
                    yield attr
