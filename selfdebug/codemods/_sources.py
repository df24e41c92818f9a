"""The functions of the project that made a value, followed back through the calls that passed it on."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from selfdebug.codemods._base import Target
from selfdebug.codemods._operands import value_of
from selfdebug.codemods._passing import calling, last_of
from selfdebug.codemods._place import is_parameter
from selfdebug.codemods._signature import argument_for, signature
from selfdebug.model import Site
from selfdebug.syntax.bindings import FUNCTIONS
from selfdebug.syntax.modules import Definition, definitions
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_DEPTH = 3  # calls that are followed back


def maker(tree: Tree, node: cst.BaseExpression, site: Site, project: Project) -> Definition | None:
    """Return the function whose result an expression is; None where several have its name, or none.

    A variable is followed to its only assignment, a parameter to the argument that a caller passed.
    """
    for _ in range(_DEPTH):
        made = value_of(tree, node) or node
        if isinstance(made, cst.Call):
            name = last_of(made.func)
            found = [*definitions(name, project)] if name else []
            return found[0] if len(found) == 1 and isinstance(found[0].node, FUNCTIONS) else None
        if not isinstance(made, cst.Name) or not is_parameter(tree, made):
            return None
        target = next(calling(site, project), None)
        given = argument(target, made.value) if target else None
        if target is None or given is None:
            return None
        tree, node, site = target.tree, given.value, outside(site)
    return None


def argument(target: Target, name: str) -> cst.Arg | None:
    """Return the argument that falls on a parameter of what the call at a site calls."""
    for call in target.tree.at(target.site.span):
        called = last_of(call.func) if isinstance(call, cst.Call) else ""
        for found in definitions(called, target.project) if called else ():
            takes = signature(found)
            if takes is not None and name in takes.names and isinstance(call, cst.Call):
                return argument_for(name, takes, call.args)
    return None


def outside(site: Site) -> Site:
    """Return a site as seen from the call that led to its function: the calls that led there."""
    frame = site.callers[-1]
    return replace(site, callers=site.callers[:-1], function=frame.function)
