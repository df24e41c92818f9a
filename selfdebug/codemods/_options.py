"""Where the project declares the options of its command line, with ``argparse`` or ``click``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

import libcst as cst

from selfdebug.codemods._base import Target, target_at
from selfdebug.codemods._passing import last_of
from selfdebug.model import Site, Span
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import Unreadable

_ADDS = "add_argument"


def added(site: Site, project: Project, fits: Callable[[ast.Call], bool]) -> Iterator[Target]:
    """Yield the calls of ``add_argument`` that fit, each as a site of its own; none of a test."""
    for parts in project.files:
        path = project.root.joinpath(*parts)
        if project.is_test_file(path):
            continue
        with suppress(Unreadable, OSError):
            if _ADDS.encode() not in project.data(path):
                continue
            for call in ast.walk(read_module(path, project).tree):
                if isinstance(call, ast.Call) and _adds(call) and fits(call):
                    span = Span(call.lineno, 0, call.lineno, 0)
                    there = replace(site, file=path, span=span, bad=None)
                    yield Target(target_at(there, project).tree, there, project)


def adding(target: Target) -> Iterator[cst.Call]:
    """Yield the calls of ``add_argument`` that begin on a site's line."""
    tree, line = target.tree, target.site.span.line
    for node in tree.ranges:
        adds = isinstance(node, cst.Call) and last_of(node.func) == _ADDS
        if isinstance(node, cst.Call) and adds and tree.span(node).line == line:
            yield node


def names_of(call: ast.Call) -> tuple[str, ...]:
    """Return the names under which the value of an option may be kept, which a call declares."""
    dest = next((each.value for each in call.keywords if each.arg == "dest"), None)
    if isinstance(dest, ast.Constant):
        return (str(dest.value),)
    texts = [each.value for each in call.args if isinstance(each, ast.Constant)]
    return tuple(str(text).lstrip("-").replace("-", "_") for text in texts)


def _adds(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == _ADDS
