"""Code that asks, compares or takes the same twice, or changes nothing: no repair may add it."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

_OPERATORS = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.BitXor, ast.BitAnd, ast.BitOr)
_CHOOSING = frozenset(("max", "min"))
_MOVING = re.compile(
    r"pop|next|read|recv|receive|rand|choice|choose|draw|roll|shuffle|sample|take|step|advance|consume"
    r"|token|scan|parse|input|factor|term|expr|operand|create|make|new|uuid|id$|^[A-Z]"
)
"""Functions that give something else each time, or an object of its own: of what they read or draw."""
_NEUTRAL: tuple[tuple[int, tuple[type[ast.operator], ...]], ...] = (
    (0, (ast.Add, ast.Sub, ast.LShift, ast.RShift)),
    (1, (ast.Mult, ast.Pow)),
)
"""Numbers by which an operation changes nothing."""
KINDS = (
    *(ast.BoolOp, ast.Compare, ast.BinOp, ast.Call, ast.IfExp, ast.Assign, ast.AugAssign),
    *(ast.Tuple, ast.List, ast.Set),
)


def redundancies(nodes: Iterable[ast.AST]) -> Counter[str]:
    """Count what some nodes say for nothing, each as a sentence with their code."""
    return Counter(said for node in nodes for said in _said(node))


def _said(node: ast.AST) -> Iterator[str]:
    if _is_redundant(node):
        yield f"two parts of `{ast.unparse(node)}` are the same"
    match node:
        case (
            ast.BinOp(op=op, right=ast.Constant(value=int(number)))
            | ast.AugAssign(op=op, value=ast.Constant(value=int(number)))
        ):
            if any(number == neutral and isinstance(op, by) for neutral, by in _NEUTRAL):
                yield f"`{ast.unparse(node)}` changes nothing"


def _is_redundant(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        # A target and what is read differ in their ``ctx``; a call in them may have been made anew.
        shown = [*map(ast.unparse, (*node.targets, node.value))]
        return not isinstance(node.value, ast.Call) and len(set(shown)) < len(shown)
    parts = [*map(ast.dump, _parts(node))]
    return len(set(parts)) < len(parts) and not any(map(_may_differ, ast.walk(node)))


def _parts(node: ast.AST) -> Sequence[ast.AST]:
    """Return the parts of a node that say nothing new if they are the same."""
    match node:
        case ast.BoolOp(values=values):
            return values
        case ast.Compare(left=left, ops=[_], comparators=[right]):
            return left, right
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
            return left, right
        case ast.IfExp(body=body, orelse=orelse):
            return body, orelse
        case ast.Call(func=ast.Name(id=name), args=[_, _, *_] as args) if name in _CHOOSING:
            return args
        case (
            ast.Set(elts=items)
            | ast.Tuple(elts=items, ctx=ast.Load())
            | ast.List(elts=items, ctx=ast.Load())
        ):
            return [*filter(_holds_variable, items)]
    return ()


def _holds_variable(node: ast.AST) -> bool:
    """Say whether a part is not only made of constants and types: ``(0, 0)`` and ``[str, str]`` are."""
    names = (each.id for each in ast.walk(node) if isinstance(each, ast.Name))
    return any(not hasattr(builtins, name) and not name[0].isupper() for name in names)


def _may_differ(node: ast.AST) -> bool:
    """Say whether a part may give another value the second time."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            # ``get`` without a key takes from a queue.
            return bool(_MOVING.search(name)) or (name == "get" and not node.args)
    return isinstance(node, ast.Call | ast.Await | ast.NamedExpr | ast.Yield | ast.YieldFrom)
