"""What the text of a function shows: what binds a name, what sets an attribute, how control leaves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Binding:
    """A statement that gives a name its value; ``value`` is None where that has no text."""

    node: ast.AST
    value: ast.expr | None
    what: str


def bindings(body: list[ast.stmt], name: str) -> Iterator[Binding]:
    """Yield what binds a name in a block, nested ones included, functions and classes not."""
    what = f"`{name}` is assigned"
    for stmt in nested(body):
        match stmt:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if is_name(target, name):
                        yield Binding(stmt, value, what)
                    elif _unpacks(target, name):
                        yield Binding(stmt, _unpacked(target, value, name), what)
            case ast.AnnAssign(target=target, value=value) if value and is_name(target, name):
                yield Binding(stmt, value, what)
            case ast.For() | ast.AsyncFor() if _unpacks(stmt.target, name):
                yield Binding(stmt, None, f"`{name}` is an element of what is looped over")
        yield from _inner_bindings(stmt, name, what)


def _inner_bindings(stmt: ast.stmt, name: str, what: str) -> Iterator[Binding]:
    """Yield the walruses and comprehensions of a statement's own expressions that bind a name."""
    for part in _expressions(stmt):
        for node in ast.walk(part):
            if isinstance(node, ast.NamedExpr) and node.target.id == name:
                yield Binding(node, node.value, what)
            elif isinstance(node, ast.comprehension) and _unpacks(node.target, name):
                element = f"`{name}` is an element of what is looped over"
                yield Binding(node.target, None, element)


def _expressions(stmt: ast.stmt) -> Iterator[ast.expr]:
    for field in ("test", "value", "iter", "exc", "msg"):
        if isinstance(part := getattr(stmt, field, None), ast.expr):
            yield part


def is_name(node: ast.expr, name: str) -> bool:
    """Say whether an expression is a name."""
    return isinstance(node, ast.Name) and node.id == name


def _unpacks(target: ast.expr, name: str) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return any(_unpacks(each, name) for each in target.elts)
    return is_name(target, name)


def _unpacked(target: ast.expr, value: ast.expr, name: str) -> ast.expr | None:
    """Return the element that a name gets where both sides are displays of one length."""
    sides = target, value
    if all(isinstance(side, ast.Tuple | ast.List) for side in sides):
        pairs = zip(target.elts, value.elts, strict=False)  # type: ignore[attr-defined]
        return next((one for each, one in pairs if is_name(each, name)), None)
    return None


def default_of(function: Function, name: str) -> ast.expr | None:
    """Return the default of a parameter."""
    args = function.args
    positional = [*args.posonlyargs, *args.args]
    with_default = positional[len(positional) - len(args.defaults) :]
    pairs = [*zip(with_default, args.defaults, strict=True)]
    pairs += [(arg, d) for arg, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d]
    return next((default for arg, default in pairs if arg.arg == name), None)


def parameters(function: Function) -> Iterator[ast.arg]:
    """Yield the parameters that an argument can be passed for by name or place."""
    args = function.args
    yield from (*args.posonlyargs, *args.args, *args.kwonlyargs)


def is_static(function: Function) -> bool:
    """Say whether a method gets no ``self``."""
    return any(is_name(each, "staticmethod") for each in function.decorator_list)


def assigned(stmt: ast.stmt, target: str) -> ast.expr | None:
    """Return what a statement assigns to a dotted name; None where it does not."""
    match stmt:
        case ast.Assign(targets=targets, value=value):
            return value if any(dotted(each) == target for each in targets) else None
        case ast.AnnAssign(target=each, value=value):
            return value if dotted(each) == target else None
    return None


def is_generator(function: Function) -> bool:
    """Say whether a call gives a generator, whatever the function returns."""
    nodes = (node for stmt in nested(function.body) for node in ast.iter_child_nodes(stmt))
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes)


def falls_through(body: list[ast.stmt]) -> bool:
    """Say whether control can run off the end of a block."""
    blocks: list[list[ast.stmt]] = []
    match body[-1]:
        case ast.Return() | ast.Raise():
            return False
        case ast.If(body=then, orelse=orelse) if orelse:
            blocks = [then, orelse]
        case ast.With(body=inner) | ast.AsyncWith(body=inner):
            blocks = [inner]
        case ast.While(test=ast.Constant(value=True), body=inner):
            return any(isinstance(stmt, ast.Break) for stmt in nested(inner))
        case ast.Try(body=tried, handlers=handlers, orelse=orelse, finalbody=final):
            if final and not falls_through(final):
                return False
            blocks = [orelse or tried, *(handler.body for handler in handlers)]
        case ast.Match(cases=cases) if _takes_all(cases[-1]):
            blocks = [case.body for case in cases]
    return not blocks or any(falls_through(block) for block in blocks)


def _takes_all(case: ast.match_case) -> bool:
    pattern = case.pattern
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None and case.guard is None


def nested(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a block in the order of the text; bodies of functions stay closed."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, (*FUNCTIONS, ast.ClassDef)):
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from nested(getattr(stmt, name, []))
        for part in (*getattr(stmt, "handlers", ()), *getattr(stmt, "cases", ())):
            yield from nested(part.body)


def own_nodes(stmt: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement without those of the statements in its blocks."""
    stack: list[ast.AST] = [stmt]
    while stack:
        node = stack.pop()
        yield node
        stack += [
            each
            for each in ast.iter_child_nodes(node)
            if not isinstance(each, ast.stmt | ast.ExceptHandler | ast.match_case)
        ]


def attributes_read(stmt: ast.stmt) -> Iterator[str]:
    """Yield the attributes that a statement reads."""
    for node in own_nodes(stmt):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.attr


def methods_of(owner: ast.ClassDef) -> Iterator[Function]:
    """Yield the methods that stand in a class's own body."""
    yield from (stmt for stmt in owner.body if isinstance(stmt, FUNCTIONS))


def dotted(node: ast.expr) -> str:
    """Return ``a.b.c`` for a name and its attributes; "" for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (start := dotted(node.value)):
        return f"{start}.{node.attr}"
    return ""


def last_name(func: ast.expr) -> str:
    """Return the name by which something is called, without what stands before it."""
    return dotted(func).rpartition(".")[2]


def line_of(node: ast.AST) -> int:
    """Return the line on which a node begins."""
    line: int = getattr(node, "lineno", 0)
    return line
