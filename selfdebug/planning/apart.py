"""Where two texts of a file differ, in statements: all that has to be looked at to compare them."""

from __future__ import annotations

import ast
import io
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache

from selfdebug.syntax.region import begin_of

_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_AROUND = (*_NAMED, ast.If, ast.For, ast.AsyncFor, ast.While)


@lru_cache(maxsize=2)
def apart(before: str, after: str) -> tuple[str, str]:
    """Return the parts of two texts that differ, in whole statements with one around them.

    The rest means the same in both; headers stand for the statements around. All of both are returned
    where they can't be cut.
    """
    try:
        body = parse(before).body
    except (SyntaxError, ValueError, RecursionError):
        return before, after
    old, new = _lines(before), _lines(after)
    same = _common(old, new)
    behind = min(_common(old[::-1], new[::-1]), len(old) - same, len(new) - same)
    end = len(old) - behind
    headers, block = _block_around(body, old, same, end)
    first, last = _cut(block, same, end, (0, len(old)) if block is body else _extent(block))
    pieces = old[first:last], new[first : last + len(new) - len(old)]
    one, other = ("".join((*headers, *piece)) for piece in pieces)
    try:
        parse(other)
    except (SyntaxError, ValueError, RecursionError):
        return before, after
    return one, other


def _block_around(
    block: list[ast.stmt], lines: Sequence[str], start: int, end: int
) -> tuple[list[str], list[ast.stmt]]:
    """Return the innermost block around some lines, and a header for each statement around it.

    Its last line is none of these: what comes instead of it might not belong to it.
    """
    headers: list[str] = []
    inner: list[ast.stmt] | None = block
    while inner:
        block, inner = inner, None
        for stmt in block:
            header = _header(stmt, lines)
            for each in _blocks(stmt) if header else ():
                first, last = _extent(each)
                if first <= start and end < last and _header(each[0], lines, "x"):
                    headers, inner = [*headers, header], each
    return headers, block


def _blocks(stmt: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a statement of a kind that means nothing for the audit."""
    if isinstance(stmt, _AROUND):
        yield stmt.body
        orelse: list[ast.stmt] = getattr(stmt, "orelse", [])
        if orelse:
            yield orelse


def _header(stmt: ast.stmt, lines: Sequence[str], header: str = "if 1:") -> str:
    """Return a line that opens the same block as a statement, "" where other code precedes that."""
    line = lines[stmt.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    if len(indent) != stmt.col_offset or line.startswith("elif", len(indent)):
        return ""
    if isinstance(stmt, _NAMED):
        header = f"class {stmt.name}:" if isinstance(stmt, ast.ClassDef) else f"def {stmt.name}():"
    return f"{indent}{header}\n"


def _extent(block: Sequence[ast.stmt]) -> tuple[int, int]:
    """Return the first line of a block, counted from 0, and the first behind it."""
    return begin_of(block[0]) - 1, block[-1].end_lineno or 0


def _cut(block: Sequence[ast.stmt], start: int, end: int, most: tuple[int, int]) -> tuple[int, int]:
    """Return the lines of the statements of a block that hold some lines, with one around them."""
    starts = [begin_of(each) - 1 for each in block]
    ends = [most[0], *(each.end_lineno or 0 for each in block)]
    cuts = [start for start, end in zip(starts, ends, strict=False) if end <= start]
    # An else or a decorator belongs to what is not changed beside it.
    first = max((at for at in cuts if at < start), default=most[0])
    return first, min((at for at in cuts if at > end), default=most[1])


def _lines(text: str) -> list[str]:
    """Return the lines as Python counts them, with their ends."""
    return io.StringIO(text, newline="").readlines()


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the lines with which two texts begin alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


@lru_cache(
    maxsize=4
)  # the file as it was, its part that differs, as it was and becomes, and the test
def parse(text: str) -> ast.Module:
    """Parse a piece of code, without a word of warning. Raises what ``ast.parse`` does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)
