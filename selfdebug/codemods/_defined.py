"""Definitions of the project as places to repair, and what a function's text says of its results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from selfdebug.codemods._base import Target, target_at
from selfdebug.model import Site, Span
from selfdebug.syntax.bindings import FUNCTIONS, Function
from selfdebug.syntax.modules import Definition, Module, definitions
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree, enclosing


def functions_on(module: Module, line: int) -> tuple[Function, ...]:
    """Return the functions that a line of a module belongs to, inside out."""
    path = reversed(enclosing(module.tree, line))
    return tuple(stmt for stmt in path if isinstance(stmt, FUNCTIONS))


def target_in(function: Function, module: Module, site: Site, project: Project) -> Target:
    """Return a function of the project as the place to repair, with its ``def`` line as the site.

    Raises Unreadable, OSError.
    """
    body, path = function.body[0].lineno, module.source.path
    tree = target_at(replace(site, file=path, span=Span(body, 0, body, 0)), project).tree
    line = Span(function.lineno, 0, function.lineno, 0)
    return Target(tree, replace(site, file=path, span=line), project)


def defined_at(tree: Tree, line: int) -> cst.FunctionDef | None:
    """Return the function whose name stands on a line."""
    functions = (node for node in tree.ranges if isinstance(node, cst.FunctionDef))
    return next((each for each in functions if tree.span(each.name).line == line), None)


def own_nodes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes in a node that run when it does: bodies of functions and classes stay closed."""
    for child in node.children:
        yield child
        if not isinstance(child, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            yield from own_nodes(child)


def named_in(message: str, project: Project) -> Definition | None:
    """Return the project's function that a message of CPython begins with: ``Cart.add() takes …``.

    None where there is none, or several have the name.
    """
    found = re.match(r"([\w.<>]+)\(\) ", message)
    name = found[1].replace("<locals>.", "") if found else ""
    every = [*definitions(name, project)] if name else []
    return every[0] if len(every) == 1 else None
