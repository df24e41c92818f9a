"""What a condition comes to with the values that a run recorded, without running any code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from selfdebug.model import Value

_OPERATORS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}


def holds(test: str, values: Mapping[str, Value]) -> bool | None:
    """Say whether a condition of names, constants, ``len`` and one comparison holds; None if unknown."""
    try:
        return bool(_of(ast.parse(test, mode="eval").body, values))
    except (ValueError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError):
        return None


def _of(node: ast.expr, values: Mapping[str, Value]) -> Any:
    """Return what an expression comes to. Raises KeyError or ValueError where that is not known."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name() | ast.Attribute():
            seen = values[ast.unparse(node)]
            return None if seen.type == "NoneType" else ast.literal_eval(seen.text or "")
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not _of(inner, values)
        case ast.Call(func=ast.Name(id="len"), args=[inner]):
            return len(_of(inner, values))
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            return _OPERATORS[type(sign)](_of(left, values), _of(right, values))
    raise ValueError(ast.unparse(node))
