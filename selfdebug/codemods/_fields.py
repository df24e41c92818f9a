"""The fields of an object: the class that has them, and the method that first gives them a value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._names import dotted
from selfdebug.model import Site
from selfdebug.syntax.bindings import Function, assigned, methods_of, nested
from selfdebug.syntax.modules import Definition, definitions, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import enclosing


def classes_at(site: Site, project: Project) -> Iterator[Definition]:
    """Yield the class of the object at a site, and the one that its method stands in."""
    seen, module = site.locals.get("self"), read_module(site.file, project)
    if seen is not None:
        yield from definitions(seen.type.rpartition(".")[2], project)
    around = enclosing(module.tree, site.span.line)
    yield from (each for each in module.definitions if each.node in around)


def initialiser(owner: Definition) -> Function | None:
    """Return the ``__init__`` that stands in a class's own body; None where it has none."""
    methods = methods_of(owner.node) if isinstance(owner.node, ast.ClassDef) else ()
    return next((each for each in methods if each.name == "__init__"), None)


def stored(function: Function, field: str) -> Iterator[ast.expr]:
    """Yield what a function stores in a field."""
    values = (assigned(stmt, f"self.{field}") for stmt in nested(function.body))
    yield from (value for value in values if value is not None)


def given(node: cst.CSTNode, field: str) -> cst.BaseExpression | None:
    """Return what a statement stores in a field; None for another statement."""
    match node:
        case (
            cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)
            | cst.AnnAssign(target=target, value=cst.BaseExpression() as value)
        ) if dotted(target) == f"self.{field}":
            return value
    return None
