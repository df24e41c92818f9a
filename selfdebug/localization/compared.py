"""In which attributes and keys what an assertion compares differs from what it wants.

The assertion names them (``assert bill.tip == 3``), or pytest's explanation does: it tells the
attributes in which two dataclasses differ, the items of mappings, the first elements of sequences.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress

from selfdebug.model import Failure, Raised
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import statements_at
from selfdebug.syntax.source import Unreadable

_ATTRIBUTES = re.compile(r"Differing attributes:\n\s*\[(.*?)\]", re.DOTALL)
_WORD = re.compile(r"\w+")
_PAIR = re.compile(r"^\s*(?:At index \d+ diff: )?(.+?) != (.+)$", re.MULTILINE)
_SIDES = re.compile(r"^(?:assert )?(.+?) == (.+)")
_INDEX = re.compile(r"At index (\d+) diff:")
_CAPTURED = ("err", "out", "stderr", "stdout")
_ASSERTING = ("assertEqual", "assertEquals", "assertIs", "assertAlmostEqual", "assertTrue")


def compared(failure: Failure, project: Project) -> frozenset[str]:
    """Return the names of the attributes and keys; none where nothing tells."""
    raised = failure.raised
    if raised is None or failure.timed_out:
        return frozenset()
    if raised.type.rpartition(".")[2] not in ("AssertionError", "Failed"):
        return frozenset()
    found: set[str] = set()
    with suppress(RecursionError):  # a value may be nested deeper than this interpreter's stack
        found.update(_asserted(raised, project))
        found.update(_explained(raised))
    return frozenset(found)


def _asserted(raised: Raised, project: Project) -> Iterator[str]:
    """Yield the attributes and keys that the statement itself compares."""
    match _failing(raised, project):
        case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
            sides = [left, right]
        case ast.Assert(test=ast.UnaryOp(operand=side)) | ast.Assert(test=side):
            sides = [side]
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name), args=args)) if (
            name in _ASSERTING
        ):
            sides = args[:2]
        case _:
            return
    index = _INDEX.search(raised.message)
    for side in sides:
        yield from _of_side(side, int(index[1]) if index else None)


def _failing(raised: Raised, project: Project) -> ast.stmt | None:
    """Return the statement in which a test failed: as the file has it, or else its line alone."""
    if not raised.frames:
        return None
    frame = raised.frames[-1]
    quoted = (frame.source or "").strip()
    for path in project.resolve(frame.file):
        with suppress(Unreadable, OSError):
            module = read_module(path, project)
            if module.source.line(frame.line).strip().startswith(quoted):
                return next(reversed([*statements_at(module.tree, frame.line)]), None)
    with suppress(SyntaxError, ValueError, MemoryError):
        return next(iter(ast.parse(quoted).body), None)
    return None


def _of_side(side: ast.expr, index: int | None) -> Iterator[str]:
    match side:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if index is not None:
            if index < len(parts):
                yield from _of_side(parts[index], None)
        case ast.Attribute(attr=name) if name not in _CAPTURED:
            yield name
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            yield name
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(name)), *_]):
            yield name
        case ast.Subscript(value=inner) | ast.Call(func=ast.Name(), args=[inner]):
            yield from _of_side(inner, None)


def _explained(raised: Raised) -> Iterator[str]:
    attrs, message = raised.attrs, raised.message
    if (listed := _ATTRIBUTES.search(message)) is not None:
        yield from _WORD.findall(listed[1])
        return
    pairs = _PAIR.findall(message) or _SIDES.findall(message.partition("\n")[0])
    if "left" in attrs and "right" in attrs:
        pairs.append((attrs["left"], attrs["right"]))
    for left, right in pairs:
        one, other = _parsed(left), _parsed(right)
        if one is not None and other is not None:
            yield from _differing(one, other)


def _differing(one: ast.expr, other: ast.expr) -> Iterator[str]:
    """Yield what is not the same in two objects or mappings, or the first such pair of two sequences."""
    match one, other:
        case ((ast.List() | ast.Tuple()), (ast.List() | ast.Tuple())):
            pairs = zip(one.elts, other.elts, strict=False)
            unlike = next((pair for pair in pairs if _text(pair[0]) != _text(pair[1])), None)
            yield from _differing(*unlike) if unlike else ()
        case (ast.Call(), ast.Call()) | (ast.Dict(), ast.Dict()):
            mine, others = _items(one), _items(other)
            for name in mine | others:
                if _text(mine.get(name)) != _text(others.get(name)):
                    yield name


def _items(node: ast.expr) -> dict[str, ast.expr]:
    match node:
        case ast.Call(keywords=keywords):
            return {each.arg: each.value for each in keywords if each.arg}
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return {str(k.value): value for k, value in pairs if isinstance(k, ast.Constant)}
    return {}


def _text(node: ast.expr | None) -> str:
    return "" if node is None else ast.dump(node)


def _parsed(text: str) -> ast.expr | None:
    with suppress(SyntaxError, ValueError, MemoryError, RecursionError):
        return ast.parse(text.strip(), mode="eval").body
    return None
