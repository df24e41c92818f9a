"""How much harder to follow a file becomes.

Cyclomatic complexity is McCabe's (1976), with boolean operators counted; cognitive complexity is that of
G. Ann Campbell, SonarSource (2018): each break of the linear flow counts, and counts the more the deeper
it is nested; a row of the same boolean operators counts once. What functions within functions add is
left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from selfdebug.planning.apart import apart, parse

BRANCHES = (
    *(ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert),
    *(ast.comprehension, ast.match_case),
)
_NESTS = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Match)
_NESTED = frozenset(("body", "orelse", "cases"))


@dataclass(frozen=True)
class Complexity:
    """What code has of either kind, or how much one text has more than another."""

    cyclomatic: int = 0
    cognitive: int = 0


def added(before: str, after: str) -> Complexity:
    """Return how much more complex a text is than another; nothing where either does not parse."""
    try:
        old, new = map(_of, apart(before, after))
    except (SyntaxError, ValueError, RecursionError):
        return Complexity()
    return Complexity(new.cyclomatic - old.cyclomatic, new.cognitive - old.cognitive)


@lru_cache(maxsize=4)
def _of(text: str) -> Complexity:
    return complexity(parse(text))


def complexity(tree: ast.Module) -> Complexity:
    """Return the complexity of all that stands in a module, functions and methods together."""
    found = [*ast.walk(tree)]
    branches = sum(isinstance(node, BRANCHES) for node in found)
    operators = sum(len(node.values) - 1 for node in found if isinstance(node, ast.BoolOp))
    return Complexity(branches + operators, _cognitive(tree, 0))


def _cognitive(node: ast.AST, depth: int) -> int:
    """Count the breaks of the flow in a node, each with how deep it is nested."""
    found = _plain_else(node)
    for name, child in _children(node):
        if name == "orelse" and _is_elif(node):
            found += 1 + _cognitive(child, depth)
            continue
        inner = depth + (isinstance(node, _NESTS) and name in _NESTED)
        if isinstance(child, ast.BoolOp):
            found += 1
        elif isinstance(child, _NESTS):
            found += 1 + inner
        found += _cognitive(child, inner)
    return found


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for name in node._fields:
        value = getattr(node, name, None)
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST):
                yield name, child


def _is_elif(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)


def _plain_else(node: ast.AST) -> int:
    looped = isinstance(node, ast.If | ast.For | ast.AsyncFor | ast.While)
    return int(looped and bool(node.orelse) and not _is_elif(node))  # type: ignore[attr-defined]
