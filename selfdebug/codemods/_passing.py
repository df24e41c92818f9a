"""The call at a site, or that led there, and other arguments for it laid out as its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import libcst as cst

from selfdebug.codemods._base import Target, target_at
from selfdebug.codemods._edit import Change
from selfdebug.model import Site, Span
from selfdebug.syntax.precedence import parenthesized
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree


def calls_at(target: Target) -> Iterator[cst.Call]:
    """Yield the call that is the site; without columns, the only one there of what the message names."""
    tree, span = target.tree, target.site.span
    exact = [node for node in tree.at(span) if isinstance(node, cst.Call)]
    if exact:
        yield exact[0]
        return
    named = re.match(r"(?:[\w.<>]+\.)?(\w+)\(\) ", target.site.message)
    found = [
        node
        for node in tree.ranges
        if isinstance(node, cst.Call)
        and named
        and last_of(node.func) == named[1]
        and span.line <= tree.span(node).line <= span.end_line
    ]
    if len(found) == 1:
        yield found[0]


def calling(site: Site, project: Project) -> Iterator[Target]:
    """Yield the call of the project that led to the failing function, as a site of its own.

    Raises Unreadable where its file does not parse, and OSError.
    """
    if not site.callers:
        return
    frame, name = site.callers[-1], (site.function or "").rpartition(".")[2]
    for path in project.resolve(frame.file):
        if project.is_test_file(path):
            continue
        line = Span(frame.line, 0, frame.line, 0)
        tree = target_at(replace(site, file=path, span=line), project).tree
        for node in tree.ranges:
            if isinstance(node, cst.Call) and _is_on(tree, node, frame.line):
                called = last_of(node.func)
                if called == name or (name == "__init__" and called[:1].isupper()):
                    yield Target(
                        tree, replace(site, file=path, span=tree.span(node), bad=None), project
                    )


def _is_on(tree: Tree, call: cst.Call, line: int) -> bool:
    span = tree.span(call)
    return span.line <= line <= span.end_line


def last_of(func: cst.BaseExpression) -> str:
    """Return the last name of what is called."""
    if isinstance(func, cst.Attribute):
        return func.attr.value
    return func.value if isinstance(func, cst.Name) else ""


def are_plain(args: Sequence[cst.Arg]) -> bool:
    """Say whether arguments are passed by their places only."""
    return all(arg.keyword is None and not arg.star for arg in args)


def passing(call: cst.Call, args: Sequence[cst.Arg]) -> Change:
    """Return the change that gives a call other arguments, laid out as its own."""
    return {call: lambda updated: updated.with_changes(args=[*_laid_out(args, call.args)])}


def with_keyword(call: cst.Call, keyword: str, value: str) -> Change:
    """Return the change that passes one more argument, by its place where ``keyword`` is ""."""
    space = cst.SimpleWhitespace("")
    arg = cst.Arg(
        cst.parse_expression(value),
        keyword=cst.Name(keyword) if keyword else None,
        equal=cst.AssignEqual(space, space) if keyword else cst.MaybeSentinel.DEFAULT,
    )
    return passing(call, [*map(_in_parentheses, call.args), arg])


def _in_parentheses(arg: cst.Arg) -> cst.Arg:
    """Return an argument as it may stand beside others: a generator needs parentheses of its own."""
    value = arg.value
    alone = isinstance(value, cst.GeneratorExp) and not value.lpar
    return arg.with_changes(value=parenthesized(value)) if alone else arg


def _laid_out(new: Sequence[cst.Arg], old: Sequence[cst.Arg]) -> Iterator[cst.Arg]:
    """Give each argument the comma and the white space of the one that stood in its place."""
    for at, arg in enumerate(new):
        last = at == len(new) - 1
        model = old[-1] if last and old else None
        if not last and len(old) > 1:
            model = old[at] if at < len(old) - 1 else old[0]
        comma = cst.MaybeSentinel.DEFAULT if model is None else model.comma
        after = cst.SimpleWhitespace("") if model is None else model.whitespace_after_arg
        yield arg.with_changes(comma=comma, whitespace_after_arg=after)
