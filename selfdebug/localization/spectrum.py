"""Suspicious statements: what failing tests execute and passing ones do not.

A line's suspicion is Ochiai's coefficient (Abreu et al., 2007): of the failing tests that execute it to
the mean of all failing tests and all tests that execute it. D* (Wong et al., 2014, with the usual
exponent 2) settles ties. Parametrised tests count one by one. A line from which a failing test goes a
way that few others go is nearly as suspicious as that way. And where there is more to get wrong in a
statement, it is a little more suspicious.
Statements outside functions ran before any test began, or for the first test that imports their module,
which says little. What a suspicious function reads of them, and the defaults of its parameters, is
nearly as suspicious as the function.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf, sqrt
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

from selfdebug.model import Failure, Site, Span, Value
from selfdebug.syntax.bindings import FUNCTIONS, Function
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.project import Project, is_generated
from selfdebug.syntax.region import begin_of, blocks_of, statements_at
from selfdebug.syntax.source import Source, Unreadable

Line: TypeAlias = tuple[Path, int]
Branch: TypeAlias = tuple[Path, int, int]
_ONCE = 0.2  # how suspicious what ran outside functions for one test only is, next to other code
_MANY, _PLENTY = 20, 0.1  # parts of a statement, and the power to which more of them count
_WAY = 0.8  # how suspicious a line is, next to the way that a test takes from it
_LAST = 0.1  # how suspicious an import or a definition is in which nothing is computed
_BEFORE = 0.6  # how suspicious what ran at import is, next to the code that reads it


@dataclass(frozen=True)
class Spectrum:
    """The lines that each test executes, the ways that it takes from them, and which tests fail.

    ``values`` are variables that functions returned with in a failing test, by their first lines.
    """

    reached: Mapping[str, frozenset[Line]]
    failing: frozenset[str]
    passing: frozenset[str]
    values: Mapping[Line, Mapping[str, Value]]
    branches: Mapping[str, frozenset[Branch]] = field(default_factory=dict)


class Score(NamedTuple):
    """How suspicious a line is: Ochiai's coefficient, D*, and how many tests execute it."""

    ochiai: float
    dstar: float
    passing: int
    failing: int

    def lessened(self, factor: float) -> Score:
        """Return the score of what is less suspicious than tests tell."""
        return self._replace(ochiai=self.ochiai * factor, dstar=self.dstar * factor)


_NEVER = Score(0.0, 0.0, 0, 0)


def suspicions(spectrum: Spectrum, wanted: str) -> Mapping[Line, Score]:
    """Return the scores of the lines that the failing test ``wanted`` executes."""
    found = _scores(spectrum.reached, spectrum, wanted)
    for (path, line, _), score in _scores(spectrum.branches, spectrum, wanted).items():
        way, known = score.lessened(_WAY), found.get((path, line))
        if known is not None and way.ochiai > known.ochiai:
            found[path, line] = known._replace(ochiai=way.ochiai, dstar=way.dstar)
    return found


_Part = TypeVar("_Part", Line, Branch)


def _scores(
    executed: Mapping[str, frozenset[_Part]], spectrum: Spectrum, wanted: str
) -> dict[_Part, Score]:
    failed, passed = (
        [executed[test] for test in tests if test in executed]
        for tests in (spectrum.failing, spectrum.passing)
    )
    parts = executed.get(wanted, frozenset())
    failing, passing = (
        Counter(part for each in tests for part in each & parts) for tests in (failed, passed)
    )
    found: dict[_Part, Score] = {}
    for part in parts:
        in_failing, in_passing = failing[part], passing[part]
        ochiai = in_failing / sqrt(len(failed) * (in_failing + in_passing))
        others = in_passing + len(failed) - in_failing
        dstar = in_failing**2 / others if others else inf
        found[part] = Score(ochiai, dstar, in_passing, in_failing)
    return found


def suspicious_sites(spectrum: Spectrum, failure: Failure, project: Project) -> tuple[Site, ...]:
    """Return the statements that may have made a test fail, the most suspicious first.

    Those of tests are left out, of files that cannot be read, and of generated ones.
    """
    files: dict[Path, dict[int, Score]] = {}
    for (path, line), score in suspicions(spectrum, failure.test).items():
        files.setdefault(path, {})[line] = score
    found: list[_Scored] = []
    for path, lines in sorted(files.items()):
        module = _module(path, project, failure.test)
        if module is not None:
            found += _in_functions(module, lines, spectrum, failure)
    found += [*_before(found, failure, project)]
    ranked = sorted(
        (_weighed(*each, project) for each in found),
        key=lambda each: (-each[0].ochiai, -each[0].dstar),
    )
    first = {(site.file, site.span): site for _, site in reversed(ranked)}
    return tuple(site for _, site in ranked if first[site.file, site.span] is site)


def site_at(source: Source, tree: ast.Module, line: int, failure: Failure) -> Site | None:
    """Return the first of ``sites_at``; None without one."""
    return next(sites_at(source, tree, line, failure), None)


def sites_at(source: Source, tree: ast.Module, line: int, failure: Failure) -> Iterator[Site]:
    """Yield the innermost statements of a line, of one with a block its header.

    One whose block begins on that line comes after what is in it.
    """
    for path in _paths_at(source, tree.body, line):
        yield _site(source, path, failure)


def _site(source: Source, path: Sequence[ast.stmt], failure: Failure) -> Site:
    raised, span = failure.raised, _span(source, path[-1])
    functions = [stmt for stmt in path[:-1] if isinstance(stmt, FUNCTIONS)]
    return Site(
        file=source.path,
        span=span,
        node=type(path[-1]).__name__,
        code=source.between(span),
        exc_type=raised.type if raised else "",
        message=raised.message if raised else failure.text,
        function=functions[-1].name if functions else None,
        certain=False,
        suspicion=1.0,
    )


_PARTS = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript, ast.IfExp, ast.comprehension),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.cmpop, ast.AugAssign),
)
_NAMING = (*FUNCTIONS, ast.ClassDef)
_Scored: TypeAlias = tuple[Score, Site]


def _in_functions(
    module: Module,
    lines: Mapping[int, Score],
    spectrum: Spectrum,
    failure: Failure,
) -> Iterator[_Scored]:
    best: dict[Span, _Scored] = {}
    source, tree = module.source, module.tree
    found = (
        (line, score, site)
        for line, score in sorted(lines.items())
        for site in sites_at(source, tree, line, failure)
        if not (site.node == "Expr" and _is_docstring(_statement_of(module, site.span)))
    )
    for line, score, site in found:
        if site.function is None and score.failing + score.passing == 1:
            # Some test has to be the first that imports a module.
            score = score.lessened(_ONCE)  # noqa: PLW2901
        if site.span in best and best[site.span][0] >= score:
            continue
        first = next((begin_of(each) for each in _functions(tree, line)), 0)
        seen = spectrum.values.get((source.path, first), {})
        best[site.span] = (
            score,
            replace(site, suspicion=score.ochiai, passing=score.passing, locals=seen),
        )
    yield from best.values()


def _weighed(score: Score, site: Site, project: Project) -> _Scored:
    """Lessen how suspicious a statement is by how little there is in it to get wrong."""
    stmt = _statement_of(read_module(site.file, project), site.span)
    many = min(_parts(stmt), _MANY) if stmt else 0
    less = score.lessened(((many + 0.5) / (_MANY + 0.5)) ** _PLENTY)
    bare = isinstance(stmt, _NAMING) and not (many or stmt.decorator_list)
    if bare or isinstance(stmt, ast.Import | ast.ImportFrom):
        less = less.lessened(_LAST)
    return less, replace(site, suspicion=less.ochiai)


def _parts(stmt: ast.stmt) -> int:
    """Count the operators, operands, calls and the like of a statement; of a function's the defaults."""
    nodes: Iterable[ast.AST] = _own_nodes(stmt)
    if isinstance(stmt, FUNCTIONS):
        defaults = (*stmt.args.defaults, *filter(None, stmt.args.kw_defaults))
        nodes = (node for each in defaults for node in ast.walk(each))
    return sum(isinstance(node, _PARTS) for node in nodes)


def _before(found: list[_Scored], failure: Failure, project: Project) -> Iterator[_Scored]:
    """Yield what ran before the tests and is read by suspicious functions."""
    known = {(site.file, site.span): score for score, site in found}
    best: dict[Line, Score] = {}
    for score, site in found:
        module = _module(site.file, project, failure.test)
        if module is None:
            continue
        for path, line in _read_by(module, site.span, project):
            best[path, line] = max(score, best.get((path, line), score))
    for (path, line), score in sorted(best.items()):
        module = _module(path, project, failure.test)
        less = score.lessened(_BEFORE)
        for site in sites_at(module.source, module.tree, line, failure) if module else ():
            if less > known.get((site.file, site.span), _NEVER):
                yield less, replace(site, suspicion=less.ochiai, passing=less.passing)


def _read_by(module: Module, span: Span, project: Project) -> Iterator[Line]:
    """Yield the statements outside functions whose names a line reads, and its function's header."""
    path, line = module.source.path, span.line
    for function in _functions(module.tree, line):
        if function.args.defaults or any(function.args.kw_defaults):
            yield path, function.lineno
        break
    statement = _statement_of(module, span)
    for node in _own_nodes(statement) if statement else ():
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                yield from _bound_outside(module, name, project)
            case ast.Attribute(attr=name, value=ast.Name(id="self" | "cls")):
                for owner in _classes(module.tree, line):
                    yield from ((path, each) for each in _assigned(owner.body, name))
            case ast.Attribute(attr=name, value=ast.Name(id=base)):
                yield from _bound_outside(module, f"{base}.{name}", project)


def _bound_outside(module: Module, dotted: str, project: Project) -> Iterator[Line]:
    base, _, attribute = dotted.partition(".")
    wanted = attribute or base
    for stmt in module.tree.body:
        if attribute and isinstance(stmt, ast.ClassDef) and stmt.name == base:
            yield from ((module.source.path, line) for line in _assigned(stmt.body, wanted))
    if not attribute:
        yield from ((module.source.path, line) for line in _assigned(module.tree.body, base))
    full = module.imports.get(base)
    if full is None:
        return
    where = full if attribute else full.rpartition(".")[0]
    other = project.module(where) if where else None
    if other is not None and other != module.source.path:
        with suppress(Unreadable, OSError):
            body = read_module(other, project).tree.body
            name = attribute or full.rpartition(".")[2]
            yield from ((other, line) for line in _assigned(body, name))


def _assigned(body: list[ast.stmt], name: str) -> Iterator[int]:
    for stmt in body:
        targets = (
            stmt.targets
            if isinstance(stmt, ast.Assign)
            else [stmt.target]
            if isinstance(stmt, ast.AnnAssign | ast.AugAssign)
            else []
        )
        if any(isinstance(each, ast.Name) and each.id == name for each in targets):
            yield stmt.lineno


def _module(path: Path, project: Project, test: str) -> Module | None:
    own = project.owns(path)
    if own is None or project.is_test_file(own, (test,)):
        return None
    with suppress(Unreadable, OSError):
        module = read_module(own, project)
        return None if is_generated(module.source) else module
    return None


# --- statements by their lines ---


def _paths_at(
    source: Source, block: Sequence[ast.stmt], line: int
) -> Iterator[tuple[ast.stmt, ...]]:
    """Yield the statements that hold a line, from the outside in, for each that is innermost there.

    So is one that has a part of its header there, beside the first statement of its block.
    """
    for stmt in block:
        if (stmt.end_lineno or stmt.lineno) < line:
            continue
        if begin_of(stmt) > line:
            return
        inner = False
        for each in blocks_of(stmt):
            for path in _paths_at(source, each, line):
                inner = True
                yield stmt, *path
        if not inner or (_inline(source, stmt) == line and not isinstance(stmt, _NAMING)):
            yield (stmt,)


def _inline(source: Source, stmt: ast.stmt) -> int | None:
    """Return the line on which both a statement's header ends and its block begins, if any."""
    first = next(iter(getattr(stmt, "body", ())), None)
    if not isinstance(first, ast.stmt):
        return None
    before = source.line(first.lineno).encode("utf-8", "surrogatepass")[: first.col_offset]
    return first.lineno if before.strip() else None


def _statement_of(module: Module, span: Span) -> ast.stmt | None:
    """Return the statement whose place ``_span`` told."""
    paths = _paths_at(module.source, module.tree.body, span.line)
    return next((path[-1] for path in paths if _span(module.source, path[-1]) == span), None)


def _is_docstring(stmt: ast.stmt | None) -> bool:
    return (
        isinstance(stmt, ast.Expr)
        and isinstance(stmt.value, ast.Constant)
        and isinstance(stmt.value.value, str)
    )


def _functions(tree: ast.Module, line: int) -> Iterator[Function]:
    """Yield the functions that hold a line, from the inside out."""
    around = [stmt for stmt in statements_at(tree, line) if isinstance(stmt, FUNCTIONS)]
    yield from reversed(around)


def _classes(tree: ast.Module, line: int) -> Iterator[ast.ClassDef]:
    yield from (stmt for stmt in statements_at(tree, line) if isinstance(stmt, ast.ClassDef))


def _own_nodes(stmt: ast.stmt) -> Iterator[ast.AST]:
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


def _span(source: Source, stmt: ast.stmt) -> Span:
    """Return a statement's place; of one with a block the place up to where that begins."""
    _, start = source.position(source.byte_offset(stmt.lineno, stmt.col_offset))
    inner: list[ast.stmt | ast.match_case] | None
    inner = getattr(stmt, "body", None) or getattr(stmt, "cases", None)
    if inner is None:
        end = source.byte_offset(stmt.end_lineno or stmt.lineno, stmt.end_col_offset or 0)
        return Span(stmt.lineno, start, *source.position(end))
    first = inner[0].pattern if isinstance(inner[0], ast.match_case) else inner[0]
    if _inline(source, stmt) is not None:
        header = source.text[: source.byte_offset(first.lineno, first.col_offset)].rstrip()
        return Span(stmt.lineno, start, *source.position(len(header)))
    last = max(stmt.lineno, first.lineno - 1)
    return Span(stmt.lineno, start, last, len(source.line(last).rstrip()))
