"""What a condition comes to for the values that variables held when the code failed."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from selfdebug.model import Value


class Unknown(Exception):
    """The values that were seen do not tell."""


@dataclass(frozen=True, eq=False)
class _Seen:
    """A value of which only the class is known, and maybe the size."""

    type: str
    size: int | None

    def __bool__(self) -> bool:
        if self.size is None:
            raise Unknown
        return self.size > 0

    def __len__(self) -> int:
        if self.size is None:
            raise Unknown
        return self.size

    def __eq__(self, _: object) -> bool:
        raise Unknown

    __hash__ = None  # type: ignore[assignment]


def holds(code: str, values: Mapping[str, Value]) -> bool | None:
    """Say whether a condition holds; None where the values do not tell."""
    try:
        return bool(_value(ast.parse(f"({code}\n)", mode="eval").body, values))
    except (Unknown, SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError):
        return None


def seen(code: str, values: Mapping[str, Value]) -> object:
    """Return what an expression came to, as far as the values tell. Raises Unknown."""
    try:
        return _value(ast.parse(f"({code}\n)", mode="eval").body, values)
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError):
        raise Unknown from None


def held(value: Value) -> object:
    """Return what a value was, as far as its text shows."""
    if value.type == "NoneType":
        return None
    if value.type == "float" and value.text is not None:
        return float(value.text)
    whole = value.text is not None and "..." not in value.text and "<" not in value.text
    if whole and value.type in ("int", "str", "bytes", "bool", "list", "tuple", "dict", "set"):
        try:
            found: object = ast.literal_eval(value.text or "")
        except (ValueError, SyntaxError):
            found = _Seen(value.type, value.size)
        return found
    return _Seen(value.type, value.size)


def _value(node: ast.expr, values: Mapping[str, Value]) -> object:
    for kind, evaluate in _KINDS.items():
        if isinstance(node, kind):
            return evaluate(node, values)
    return _looked_up(node, values)


def _looked_up(node: ast.expr, values: Mapping[str, Value]) -> object:
    value = values.get(ast.unparse(node))
    if value is None:
        raise Unknown
    return held(value)


def _constant(node: ast.Constant, _: Mapping[str, Value]) -> object:
    return node.value


def _display(node: ast.Tuple | ast.List | ast.Set, values: Mapping[str, Value]) -> object:
    return tuple(_value(each, values) for each in node.elts)


def _unary(node: ast.UnaryOp, values: Mapping[str, Value]) -> object:
    value = _value(node.operand, values)
    if isinstance(node.op, ast.Not):
        return not value
    if isinstance(node.op, ast.USub) and isinstance(value, int | float):
        return -value
    raise Unknown


def _boolean(node: ast.BoolOp, values: Mapping[str, Value]) -> object:
    """Evaluate with what is known: one operand may decide alone."""
    decides = isinstance(node.op, ast.Or)
    open_ = False
    for each in node.values:
        truth = _truth(each, values)
        if truth is decides:
            return decides
        open_ = open_ or truth is None
    if open_:
        raise Unknown
    return not decides


def _truth(node: ast.expr, values: Mapping[str, Value]) -> bool | None:
    try:
        return bool(_value(node, values))
    except Unknown:
        return None


def _comparison(node: ast.Compare, values: Mapping[str, Value]) -> object:
    left = _value(node.left, values)
    for sign, comparator in zip(node.ops, node.comparators, strict=True):
        right = _value(comparator, values)
        if not _compared(sign, left, right):
            return False
        left = right
    return True


def _compared(sign: ast.cmpop, left: object, right: object) -> bool:
    if isinstance(sign, ast.Is | ast.IsNot):
        if left is not None and right is not None:
            raise Unknown
        return (left is right) is isinstance(sign, ast.Is)
    if isinstance(left, _Seen) or isinstance(right, _Seen):
        raise Unknown
    return bool(_SIGNS[type(sign)](left, right))


def _arithmetic(node: ast.BinOp, values: Mapping[str, Value]) -> object:
    calculate = _SIGNS.get(type(node.op))
    sides = _value(node.left, values), _value(node.right, values)
    if calculate is None or not all(isinstance(side, int | float) for side in sides):
        raise Unknown
    return calculate(*sides)


def _call(node: ast.Call, values: Mapping[str, Value]) -> object:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[argument], keywords=[]):
            size = _size(argument, values)
            if size is None:
                raise Unknown
            return size
        case ast.Call(func=ast.Name(id="isinstance"), args=[argument, kinds], keywords=[]):
            value = values.get(ast.unparse(argument))
            if value is not None:
                return _is_instance(value.type, kinds)
    return _looked_up(node, values)


def _item(node: ast.Subscript, values: Mapping[str, Value]) -> object:
    if ast.unparse(node) in values:
        return _looked_up(node, values)
    container, key = _value(node.value, values), _value(node.slice, values)
    try:
        if isinstance(container, dict):
            return container[key]
        if isinstance(container, list | tuple | str) and isinstance(key, int):
            return container[key]
    except (LookupError, TypeError):
        pass
    raise Unknown


def _size(node: ast.expr, values: Mapping[str, Value]) -> int | None:
    value = values.get(ast.unparse(node))
    if value is not None and value.size is not None:
        return value.size
    found = _value(node, values)
    return len(found) if hasattr(found, "__len__") else None


def _is_instance(name: str, kinds: ast.expr) -> bool:
    every = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
    names = [ast.unparse(each) for each in every]
    if name in names:
        return True
    own = getattr(builtins, name, type(None) if name == "NoneType" else None)
    others = [getattr(builtins, each, None) for each in names]
    if not isinstance(own, type) or not all(isinstance(each, type) for each in others):
        raise Unknown
    return issubclass(own, tuple(each for each in others if isinstance(each, type)))


_SIGNS: Mapping[type[ast.AST], Callable[..., object]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_KINDS: Mapping[type[ast.expr], Callable[..., object]] = {
    ast.Constant: _constant,
    ast.Tuple: _display,
    ast.List: _display,
    ast.Set: _display,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.BinOp: _arithmetic,
    ast.Call: _call,
    ast.Subscript: _item,
}
