"""Which functions a new text of a file changes: in their own lines, or by a name that they read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.util import decode_source

from .swap import Region, edits, outermost


def changed(old: bytes, new: bytes) -> set[int]:
    """Give the first lines, decorators included, of the outermost functions of ``new`` that differ.

    Raises SyntaxError or ValueError where a text can't be read.
    """
    texts = decode_source(old).split("\n"), decode_source(new).split("\n")
    body = ast.parse("\n".join(texts[1])).body
    functions = [*outermost(body, texts[1], ())]
    found: set[int] = set()
    outside: set[int] = set()
    for _, _, first, last in edits(*texts):
        for line in range(first + 1, max(last, first + 1) + 1):
            holding = [each.first for each in functions if each.first <= line <= each.last]
            found.update(holding)
            if not holding and last > first:
                outside.add(line)
    names = {*_bound(body, outside)}
    return found | {each.first for each in functions if names & _read(body, each)}


def _bound(body: list[ast.stmt], lines: set[int]) -> Iterator[str]:
    """The names that statements on lines outside of functions give a value, those of classes too."""
    for stmt in body:
        inner = [each for each in ast.iter_child_nodes(stmt) if isinstance(each, ast.stmt)]
        if isinstance(stmt, (ast.Import, ast.ImportFrom)) and stmt.lineno in lines:
            yield from (each.asname or each.name.partition(".")[0] for each in stmt.names)
        elif inner:
            yield from _bound(inner, lines)
        elif lines & {*range(stmt.lineno, (stmt.end_lineno or stmt.lineno) + 1)}:
            for node in ast.walk(stmt):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id


def _read(body: list[ast.stmt], region: Region) -> set[str]:
    """The names and attributes that the lines of a function speak of."""
    found: set[str] = set()
    for stmt in body:
        for node in ast.walk(stmt):
            if region.first <= getattr(node, "lineno", 0) <= region.last:
                if isinstance(node, ast.Name):
                    found.add(node.id)
                elif isinstance(node, ast.Attribute):
                    found.add(node.attr)
    return found
