"""Reject a candidate unread: what no reviewer would let pass, whatever the tests say."""

from __future__ import annotations

import ast
import importlib.util
import keyword
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from selfdebug.model import Candidate

_BROAD = {"Exception", "BaseException"}
_NO_NAMES = {*keyword.kwlist, "len", "isinstance", "hasattr", "self"}
_BLOCKING = {"sleep", "wait", "acquire", "recv", "accept", "input"}
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
    if _statements(new) < _statements(old):
        return "it deletes a statement"
    grown = _grown(old, new, growth)
    return f"it makes {grown}() more complex than its template may" if grown else None


def masking(candidate: Candidate, before: str, after: str, test: str) -> str | None:
    """Say why a candidate would hide the failure rather than repair it, or None.

    ``before`` and ``after`` are the text of the file with the failure, ``test`` is the source of the
    failing test. A file that does not parse tells nothing.
    """
    try:
        old, new, asserted = _parse(before), _parse(after), _parse(test)
    except (SyntaxError, ValueError, RecursionError):
        return None
    special = (_decided(new) - _decided(old)).keys() & {*_literals(ast.walk(asserted))}
    if special:
        return f"it special-cases {min(special)}, which the test names"
    if candidate.kind == "guard" and (names := _guarded(new) - _guarded(old)):
        at_hand = _words(candidate.site.code) | _words(candidate.site.bad_code or "")
        at_hand |= {name for name, of in _named(new) - _named(old) if not of.isdisjoint(at_hand)}
        if at_hand and all(at_hand.isdisjoint(each) for each in names):
            return f"it guards {', '.join(sorted(*names))}, which the failing code does not use"
    return None


def _decided(tree: ast.Module) -> Counter[str]:
    """Count the constants that the code returns as they are, or compares with to decide what to do."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and node.value is not None:
            found.update(_literals([node.value]))
        elif isinstance(node, ast.If | ast.IfExp):
            for part in ast.walk(node.test):
                # How many items something has to have follows from how it is read.
                if isinstance(part, ast.Compare) and not ast.unparse(part.left).startswith("len("):
                    found.update(_literals([part.left, *part.comparators]))
    return found


def _literals(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the numbers and texts that say something of their own: not 0, 1, -1, "" and the like."""
    for node in nodes:
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, int | float | str | bytes) and value not in (0, 1, 2, "", b""):
            yield repr(value)


def _guarded(tree: ast.Module) -> Counter[frozenset[str]]:
    """Count the tests of ``if`` statements, each by the names that stand in it."""
    tests = (node.test for node in ast.walk(tree) if isinstance(node, ast.If))
    return Counter(frozenset(_words(ast.unparse(test))) for test in tests)


def _named(tree: ast.Module) -> set[tuple[str, frozenset[str]]]:
    """Return the names that are assigned, each with the words of what it stands for."""
    return {
        (node.targets[0].id, frozenset(_words(ast.unparse(node.value))))
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def _words(code: str) -> set[str]:
    return set(re.findall(r"[^\W\d]\w*", code)) - _NO_NAMES


def _statements(tree: ast.Module) -> int:
    """Count the statements; an assignment of several values counts as many times."""
    return sum(
        max(1, len(_tuples(node)))
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and not isinstance(node, ast.Pass)
    )


def _tuples(node: ast.stmt) -> list[ast.expr]:
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            return targets if len(targets) == len(values) else []
    return []


@lru_cache(maxsize=4)  # the file as it was, as it becomes, and the test
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
        case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
            yield from _blocking(items, body)
        case ast.Import(names=names):
            yield from _missing((alias.name for alias in names), root)
        case ast.ImportFrom(module=str(name), level=0):
            yield from _missing([name], root)


def _blocking(items: list[ast.withitem], body: list[ast.stmt]) -> Iterator[str]:
    """Yield the calls under a lock that may not return while others need it."""
    if not any("lock" in ast.unparse(item.context_expr).lower() for item in items):
        return
    for node in (inner for stmt in body for inner in ast.walk(stmt)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in _BLOCKING:
                yield f"a call of {name} under a lock"


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
