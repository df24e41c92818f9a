"""What code did before an edit and is not done after it: a value is read, a variable is changed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from selfdebug.syntax.bindings import FUNCTIONS

_ADDING = frozenset(
    ("append", "appendleft", "extend", "extendleft", "insert", "insort", "add", "update")
)
_FILLING = _ADDING | frozenset(
    ("setdefault", "remove", "discard", "pop", "popleft", "clear", "sort", "reverse")
)


def lost(before: ast.AST, after: ast.AST) -> str | None:
    """Say what nothing reads or changes any more, where that was done before, or None.

    A slip may make other work be for nothing, and its repair does not. What belongs to the caller, and
    what is taken out or sorted, may stay as it is: to leave that alone can be a repair.
    """
    idle = _unread(after) - _unread(before)
    if idle:
        return f"nothing reads `{min(idle)[1]}` any more"
    stale = _changed(before) - _changed(after) - (_set(after) - _set(before)).keys()
    return f"nothing changes `{min(stale)[1]}` any more" if stale else None


def _unread(tree: ast.AST) -> set[tuple[str, str]]:
    """Return the variables that are assigned, filled or sorted, and never read, with their function."""
    return {
        (function.name, name)
        for function in _functions(tree)
        for name in _assigned(function) - _read(function)
    }


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, FUNCTIONS))


def _assigned(function: ast.AST) -> set[str]:
    """Return the variables to which a function alone assigns values, each by itself."""
    found: set[str] = set()
    shared: set[str] = set()
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]):
                found.add(name)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                found.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                shared.update(names)
    return found - shared


def _read(function: ast.AST) -> set[str]:
    filled = {id(owner) for node in ast.walk(function) for owner in _filled(node)}
    return {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in filled
    }


def _filled(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the objects that a statement changes without a look at what they hold."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=attr))):
            if attr in _FILLING:
                yield owner
        case ast.Assign(targets=targets):
            yield from (_owner(target) for target in targets if isinstance(target, ast.Subscript))
        case ast.AugAssign(target=ast.Subscript() as target):
            yield _owner(target)


def _owner(target: ast.expr) -> ast.expr:
    while isinstance(target, ast.Subscript):
        target = target.value
    return target


def _changed(tree: ast.AST) -> set[tuple[str, str]]:
    """Return the fields that are set once an object is made, and variables that are stepped or filled.

    Each variable stands with its function.
    """
    found: set[tuple[str, str]] = set()
    for function in _functions(tree):
        made = function.name in ("__init__", "__post_init__")
        own = _assigned(function) | _stepped(function)
        for target in (each for node in ast.walk(function) for each in _targets(node)):
            if isinstance(target, ast.Name) and target.id in own:
                found.add((function.name, target.id))
            elif isinstance(target, ast.Attribute) and not made:
                found.add(("", f".{target.attr}"))
    return found


def _stepped(function: ast.AST) -> set[str]:
    steps = (node.target for node in ast.walk(function) if isinstance(node, ast.AugAssign))
    return {target.id for target in steps if isinstance(target, ast.Name)}


def _targets(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a statement or a call changes; a variable that is only set anew is left out."""
    match node:
        case ast.AugAssign(target=target):
            yield _owner(target)
        case ast.Assign(targets=targets):
            parts = (part for each in targets for part in getattr(each, "elts", [each]))
            yield from (_owner(part) for part in parts if not isinstance(part, ast.Name))
        case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in _ADDING:
            yield _owner(owner)


def _set(tree: ast.AST) -> Counter[tuple[str, str]]:
    """Count the assignments to each variable, with its function."""
    return Counter(
        (function.name, target.id)
        for function in _functions(tree)
        for node in ast.walk(function)
        for target in (node.targets if isinstance(node, ast.Assign) else ())
        if isinstance(target, ast.Name)
    )
