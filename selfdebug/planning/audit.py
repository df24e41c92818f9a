"""Reject a candidate unread: what no reviewer would let pass, whatever the tests say."""

from __future__ import annotations

import ast
import importlib.util
import keyword
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path

from selfdebug.model import Candidate
from selfdebug.planning.apart import apart, parse
from selfdebug.planning.complexity import BRANCHES
from selfdebug.planning.lost import lost
from selfdebug.planning.redundant import KINDS, redundancies

_BROAD = {"Exception", "BaseException"}
_NO_NAMES = {*keyword.kwlist, "len", "isinstance", "hasattr", "self"}
_BLOCKING = {"sleep", "wait", "acquire", "recv", "accept", "input"}
_DANGEROUS = {"eval", "exec"}
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("body", "orelse", "finalbody")
_LEAVES = frozenset(("ctx", "op", "ops"))  # fields of which nothing is to be known
_SUSPICIOUS = (
    *(ast.ExceptHandler, ast.Name, ast.keyword, ast.With, ast.AsyncWith),
    *(ast.Import, ast.ImportFrom),
)


@dataclass(frozen=True)
class _Facts:
    """What the audit has to know of a piece of code, gathered in one walk.

    ``branches`` count for each function, by its name in the tree; ``decided`` are the constants that
    the code returns as they are, or compares with to decide what to do; ``tests`` those of ``if``
    statements, ``named`` the names that are assigned; ``wasted`` are assignments that an exit right
    after them leaves unread; ``composed`` are the nodes that may say something for nothing.
    """

    statements: int
    branches: Mapping[str, int]
    suspicious: Sequence[ast.AST]
    decided: Counter[str]
    tests: Sequence[ast.expr]
    named: Sequence[ast.Assign]
    wasted: Counter[tuple[str, str]]
    composed: Sequence[ast.AST]

    def hazards(self, root: Path) -> Counter[str]:
        """Count what no reviewer would let pass."""
        return Counter(hazard for node in self.suspicious for hazard in _hazard(node, root))

    @cached_property
    def guarded(self) -> Counter[frozenset[str]]:
        """Count the tests of ``if`` statements, each by the names that stand in it."""
        return Counter(frozenset(_words(ast.unparse(test))) for test in self.tests)

    @cached_property
    def assigned(self) -> set[tuple[str, frozenset[str]]]:
        """The names that are assigned, each with the words of what it stands for."""
        return {
            (target.id, frozenset(_words(ast.unparse(node.value))))
            for node in self.named
            if isinstance(target := node.targets[0], ast.Name)
        }


def objection(before: str, after: str, growth: int, root: Path) -> str | None:
    """Say why a file may not become ``after``, or None.

    ``growth`` is the cyclomatic complexity (McCabe 1976, with boolean operators counted) that the
    template may add to one function. A file that did not parse before has nothing to compare with.
    """
    earlier, later = apart(before, after)
    try:
        new = _facts(later)
    except (SyntaxError, ValueError, RecursionError) as error:
        return f"it does not parse: {error}"
    try:
        old = _facts(earlier)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found = new.hazards(root) - old.hazards(root)
    if found:
        return f"it adds {', '.join(sorted(found))}"
    if new.statements < old.statements and not _stood_twice(before, after):
        return "it deletes a statement"
    if lost := [*_lost(new.wasted - old.wasted, before)]:
        return f"nothing reads what `{lost[0]}` assigns any more"
    then, now = redundancies(old.composed), redundancies(new.composed)
    if now.total() > then.total():
        return min(now - then)
    grown = _grown(old, new, growth)
    return f"it makes {grown}() more complex than its template may" if grown else None


def masking(candidate: Candidate, before: str, after: str, test: str) -> str | None:
    """Say why a candidate would hide the failure rather than repair it, or None.

    ``before`` and ``after`` are the text of the file with the failure, ``test`` is the source of the
    failing test. A file that does not parse tells nothing.
    """
    try:
        old, new = map(_facts, apart(before, after))
        asserted = _asserted(test)
    except (SyntaxError, ValueError, RecursionError):
        return None
    special = (new.decided - old.decided).keys() & asserted
    if special:
        return f"it special-cases {min(special)}, which the test names"
    if candidate.site.suspicion and (gone := lost(parse(before), parse(after))):
        return gone
    # Where the answer is wrong no value failed, and the condition is what the statement lacks.
    crashed = not candidate.site.suspicion
    if crashed and candidate.kind == "guard" and (names := new.guarded - old.guarded):
        at_hand = _words(candidate.site.code) | _words(candidate.site.bad_code or "")
        at_hand |= {name for name, of in new.assigned - old.assigned if not of.isdisjoint(at_hand)}
        if at_hand and all(at_hand.isdisjoint(each) for each in names):
            return f"it guards {', '.join(sorted(*names))}, which the failing code does not use"
    return None


@lru_cache(maxsize=4)
def _facts(text: str) -> _Facts:
    """Gather the facts of a piece of code. Raises what ``ast.parse`` does."""
    every = _nodes(parse(text))
    nodes = [node for _, node in every]
    branches = dict.fromkeys((name for name, _ in every), 1)
    for name, node in every:
        if isinstance(node, BRANCHES):
            branches[name] += 1
        elif isinstance(node, ast.BoolOp):
            branches[name] += len(node.values) - 1
    statements = (node for node in nodes if isinstance(node, ast.stmt))
    return _Facts(
        statements=sum(_weight(node) for node in statements),
        branches=branches,
        suspicious=[node for node in nodes if isinstance(node, _SUSPICIOUS)],
        decided=Counter(_decided(nodes)),
        tests=[node.test for node in nodes if isinstance(node, ast.If)],
        named=[node for node in nodes if isinstance(node, ast.Assign)],
        wasted=Counter(_wasted(nodes)),
        composed=[node for node in nodes if isinstance(node, KINDS)],
    )


def _nodes(tree: ast.Module) -> list[tuple[str, ast.AST]]:
    """Return the nodes of a tree, each with the name of its function or class; operators left out."""
    found: list[tuple[str, ast.AST]] = [("module", tree)]
    for name, node in found:  # grows on the way
        for field in node._fields:
            value = getattr(node, field, None) if field not in _LEAVES else None
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, _NAMED):
                    found.append(
                        (child.name if name == "module" else f"{name}.{child.name}", child)
                    )
                elif isinstance(child, ast.AST):
                    found.append((name, child))
    return found


def _decided(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the constants that the code returns as they are, or compares with to decide what to do."""
    for node in nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            yield from _literals([node.value])
        elif isinstance(node, ast.If | ast.IfExp):
            for part in ast.walk(node.test):
                # How many items something has to have follows from how it is read.
                if isinstance(part, ast.Compare) and not ast.unparse(part.left).startswith("len("):
                    yield from _literals([part.left, *part.comparators])


@lru_cache(maxsize=2)
def _asserted(test: str) -> frozenset[str]:
    return frozenset(_literals(ast.walk(parse(test))))


def _literals(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the numbers and texts that say something of their own: not 0, 1, -1, "" and the like."""
    for node in nodes:
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, int | float | str | bytes) and value not in (0, 1, 2, "", b""):
            yield repr(value)


def _stood_twice(before: str, after: str) -> bool:
    """Say whether all statements that are gone stood once more: in their block, or in a like branch."""
    try:
        trees = [parse(text) for text in (before, after)]
        old, new = map(_simple, trees)
    except (SyntaxError, ValueError, RecursionError):
        return False
    gone = Counter(said for block in old for said in block) - Counter(
        said for block in new for said in block
    )
    twice = {said for block in old for said, times in Counter(block).items() if times > 1}
    twice |= {*_asked_twice(trees[0])}
    return bool(gone) and gone.keys() <= twice


def _asked_twice(tree: ast.Module) -> Iterator[str]:
    """Yield what the branches of a chain do that stand in it once more, under the same condition."""
    for node in ast.walk(tree):
        chain = [node] if isinstance(node, ast.If) else []
        while chain and len(chain[-1].orelse) == 1 and isinstance(chain[-1].orelse[0], ast.If):
            chain.append(chain[-1].orelse[0])
        said = [(ast.dump(each.test), *map(ast.dump, each.body)) for each in chain]
        for (_, *body), times in Counter(said).items():
            yield from body if times > 1 else ()


def _simple(tree: ast.Module) -> list[list[str]]:
    """Return what the statements of each block say, those with blocks of their own left out."""
    blocks = (getattr(node, field, ()) for node in ast.walk(tree) for field in _BLOCKS)
    return [
        [ast.dump(stmt) for stmt in block if not hasattr(stmt, "body")]
        for block in blocks
        if isinstance(block, list)
    ]


def _wasted(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield the variables, with their assignments, that an exit right after these does not read."""
    blocks = (getattr(node, field, ()) for node in nodes for field in _BLOCKS)
    for one, end in (
        pair for block in blocks if isinstance(block, list) for pair in pairwise(block)
    ):
        match one, end:
            case ast.Assign(targets=[ast.Name(name)]), ast.Return() | ast.Raise():
                if name not in _names(end):
                    yield name, ast.unparse(one)


def _lost(wasted: Iterable[tuple[str, str]], text: str) -> Iterator[str]:
    """Yield the assignments to variables that nothing reads after their function was left."""
    for name, statement in wasted:
        if not any(name in _lent(node) for node in ast.walk(parse(text))):
            yield statement


def _lent(node: ast.AST) -> Iterable[str]:
    """Return the variables that something else may read after their function was left."""
    match node:
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
        case ast.Lambda() | ast.Try(finalbody=[_, *_]):
            return _names(node)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            inner = (each for each in ast.walk(node) if isinstance(each, _NAMED))
            return {name for each in inner if each is not node for name in _names(each)}
    return ()


def _words(code: str) -> set[str]:
    return set(re.findall(r"[^\W\d]\w*", code)) - _NO_NAMES


def _weight(node: ast.stmt) -> int:
    """Count a statement; an assignment of several values counts as many times."""
    return 0 if isinstance(node, ast.Pass) else max(1, len(_tuples(node)))


def _tuples(node: ast.stmt) -> list[ast.expr]:
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            return targets if len(targets) == len(values) else []
    return []


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


def _names(node: ast.AST) -> set[str]:
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


def _grown(old: _Facts, new: _Facts, growth: int) -> str | None:
    """Return the name of a function that gained more branches than allowed."""
    for name, branches in new.branches.items():
        if branches - old.branches.get(name, 1) > growth:
            return name
    return None
