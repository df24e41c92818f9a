"""Reject a candidate unread: what no reviewer would let pass, whatever the tests say."""

from __future__ import annotations

import ast
import importlib.util
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

_BROAD = {"Exception", "BaseException"}
_DANGEROUS = {"eval", "exec"}
_BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.Assert,
    ast.comprehension,
    ast.match_case,
)


def objection(before: str, after: str, growth: int, root: Path) -> str | None:
    """Say why a file may not become ``after``, or None.

    ``growth`` is the cyclomatic complexity (McCabe 1976, with boolean operators counted) that the
    template may add to one function. A file that did not parse before has nothing to compare with.
    """
    try:
        new = _parse(after)
    except (SyntaxError, ValueError, RecursionError) as error:
        return f"it does not parse: {error}"
    try:
        old = _parse(before)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found = _hazards(new, root) - _hazards(old, root)
    if found:
        return f"it adds {', '.join(sorted(found))}"
    grown = _grown(old, new, growth)
    return f"it makes {grown}() more complex than its template may" if grown else None


def _parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _hazards(tree: ast.Module, root: Path) -> Counter[str]:
    return Counter(hazard for node in ast.walk(tree) for hazard in _hazard(node, root))


def _hazard(node: ast.AST, root: Path) -> Iterator[str]:
    match node:
        case ast.ExceptHandler(type=None):
            yield "a bare except"
        case ast.ExceptHandler(type=caught) if caught and _BROAD & _names(caught):
            yield "a broad except"
        case ast.Name(id=name) if name in _DANGEROUS:
            yield name
        case ast.keyword(arg="shell", value=ast.Constant(value=True)):
            yield "shell=True"
        case ast.Import(names=names):
            yield from _missing((alias.name for alias in names), root)
        case ast.ImportFrom(module=str(name), level=0):
            yield from _missing([name], root)


def _names(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _missing(modules: Iterator[str] | list[str], root: Path) -> Iterator[str]:
    for module in modules:
        top = module.partition(".")[0]
        if not (_in_project(top, root) or top in sys.stdlib_module_names or _installed(top)):
            yield f"an import of {module}, which is not importable"


def _in_project(top: str, root: Path) -> bool:
    places = (root, root / "src")
    return any((place / top).is_dir() or (place / f"{top}.py").is_file() for place in places)


def _installed(top: str) -> bool:
    try:
        return importlib.util.find_spec(top) is not None
    except (ImportError, ValueError):
        return False


def _grown(old: ast.Module, new: ast.Module, growth: int) -> str | None:
    """Return the name of a function that gained more branches than allowed."""
    before, after = _complexities(old), _complexities(new)
    for name, complexity in after.items():
        if complexity - before.get(name, 1) > growth:
            return name
    return None


def _complexities(tree: ast.Module) -> dict[str, int]:
    """Return the complexity of each function by its place in the tree, nested ones apart."""
    found: dict[str, int] = {}
    stack: list[tuple[str, ast.AST]] = [("module", tree)]
    while stack:
        name, node = stack.pop()
        found.setdefault(name, 1)
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = child.name if name == "module" else f"{name}.{child.name}"
            elif isinstance(child, _BRANCHES):
                found[name] += 1
            elif isinstance(child, ast.BoolOp):
                found[name] += len(child.values) - 1
            stack.append((inner, child))
    return found
