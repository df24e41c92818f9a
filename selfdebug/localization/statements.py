"""Statements by the lines on which they stand, as the suspects of a failure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from selfdebug.model import Failure, Site, Span
from selfdebug.syntax.bindings import FUNCTIONS, Function
from selfdebug.syntax.modules import Module
from selfdebug.syntax.region import around, blocks_of, statements_at
from selfdebug.syntax.source import Source

NAMING = (*FUNCTIONS, ast.ClassDef)


def site_at(source: Source, tree: ast.Module, line: int, failure: Failure) -> Site | None:
    """Return the first of ``sites_at``; None without one."""
    return next(sites_at(source, tree, line, failure), None)


def sites_at(source: Source, tree: ast.Module, line: int, failure: Failure) -> Iterator[Site]:
    """Yield the innermost statements of a line, of one with a block its header.

    One whose block begins on that line comes after what is in it.
    """
    for path in _paths_at(source, tree.body, line):
        yield _site(source, path, failure)


def _site(source: Source, path: Sequence[ast.stmt], failure: Failure) -> Site:
    raised, span = failure.raised, _span(source, path[-1])
    functions = [stmt for stmt in path[:-1] if isinstance(stmt, FUNCTIONS)]
    return Site(
        file=source.path,
        span=span,
        node=type(path[-1]).__name__,
        code=source.between(span),
        exc_type=raised.type if raised else "",
        message=raised.message if raised else failure.text,
        function=functions[-1].name if functions else None,
        certain=False,
        suspicion=1.0,
    )


def _paths_at(
    source: Source, block: Sequence[ast.stmt], line: int
) -> Iterator[tuple[ast.stmt, ...]]:
    """Yield the statements that hold a line, from the outside in, for each that is innermost there.

    So is one that has a part of its header there, beside the first statement of its block.
    """
    for stmt in around(block, line):
        inner = False
        for each in blocks_of(stmt):
            for path in _paths_at(source, each, line):
                inner = True
                yield stmt, *path
        if not inner or (_inline(source, stmt) == line and not isinstance(stmt, NAMING)):
            yield (stmt,)


def _inline(source: Source, stmt: ast.stmt) -> int | None:
    """Return the line on which both a statement's header ends and its block begins, if any."""
    first = next(iter(getattr(stmt, "body", ())), None)
    if not isinstance(first, ast.stmt):
        return None
    before = source.line(first.lineno).encode("utf-8", "surrogatepass")[: first.col_offset]
    return first.lineno if before.strip() else None


def statement_of(module: Module, span: Span) -> ast.stmt | None:
    """Return the statement whose place ``sites_at`` tells."""
    paths = _paths_at(module.source, module.tree.body, span.line)
    return next((path[-1] for path in paths if _span(module.source, path[-1]) == span), None)


def functions_at(tree: ast.Module, line: int) -> Iterator[Function]:
    """Yield the functions that hold a line, from the inside out."""
    around = [stmt for stmt in statements_at(tree, line) if isinstance(stmt, FUNCTIONS)]
    yield from reversed(around)


def classes_at(tree: ast.Module, line: int) -> Iterator[ast.ClassDef]:
    """Yield the classes that hold a line, from the outside in."""
    yield from (stmt for stmt in statements_at(tree, line) if isinstance(stmt, ast.ClassDef))


def _span(source: Source, stmt: ast.stmt) -> Span:
    """Return a statement's place; of one with a block the place up to where that begins."""
    _, start = source.position(source.byte_offset(stmt.lineno, stmt.col_offset))
    inner: list[ast.stmt | ast.match_case] | None
    inner = getattr(stmt, "body", None) or getattr(stmt, "cases", None)
    if inner is None:
        end = source.byte_offset(stmt.end_lineno or stmt.lineno, stmt.end_col_offset or 0)
        return Span(stmt.lineno, start, *source.position(end))
    first = inner[0].pattern if isinstance(inner[0], ast.match_case) else inner[0]
    if _inline(source, stmt) is not None:
        header = source.text[: source.byte_offset(first.lineno, first.col_offset)].rstrip()
        return Span(stmt.lineno, start, *source.position(len(header)))
    last = max(stmt.lineno, first.lineno - 1)
    return Span(stmt.lineno, start, last, len(source.line(last).rstrip()))
