"""Suspicious statements: what failing tests execute and passing ones do not.

A line's suspicion is Ochiai's coefficient (Abreu et al., 2007): of the failing tests that execute it to
the mean of all failing tests and all tests that execute it. D* (Wong et al., 2014, with the usual
exponent 2) settles ties. Parametrised tests count one by one. A line from which a failing test goes a
way that few others go is nearly as suspicious as that way. And where there is more to get wrong in a
statement, it is a little more suspicious.
Statements outside functions ran before any test began, or for the first test that imports their module,
which says little. What a suspicious function reads of them, and the defaults of its parameters, is
nearly as suspicious as the function. So is what functions did meanwhile that sets what it reads.
Where it is known in which attributes or keys a result differs, what sets these is more suspicious.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf, sqrt
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

from selfdebug.localization.compared import compared
from selfdebug.localization.importing import Line, read_by, run_at_import
from selfdebug.localization.setting import Placed, defining
from selfdebug.localization.statements import (
    NAMING,
    classes_at,
    functions_at,
    sites_at,
    statement_of,
)
from selfdebug.model import Failure, Site, Span, Value
from selfdebug.syntax.bindings import FUNCTIONS, attributes_read, own_nodes
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.project import Project, is_generated
from selfdebug.syntax.region import begin_of
from selfdebug.syntax.source import Unreadable

Branch: TypeAlias = tuple[Path, int, int]
_ONCE = 0.2  # how suspicious what ran outside functions for one test only is, next to other code
_MANY, _PLENTY = 20, 0.1  # parts of a statement, and the power to which more of them count
_WAY = 0.8  # how suspicious a line is, next to the way that a test takes from it
_LAST = 0.1  # how suspicious an import or a definition is in which nothing is computed
_UNNAMED = 0.85  # how suspicious one is that does not set what differs, where others do
_BEFORE = 0.6  # how suspicious what ran at import is, next to the code that reads it


@dataclass(frozen=True)
class Spectrum:
    """The lines that each test executes, the ways that it takes from them, and which tests fail.

    ``values`` are variables that functions returned with in a failing test, or were left with (see
    ``left_with``), by their first lines.
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
    found += [*_at_import(found, spectrum, failure, project)]
    ranked = sorted(
        _pointed([_weighed(*each, project) for each in found], failure, project),
        key=lambda each: (-each[0].ochiai, -each[0].dstar),
    )
    first = {(site.file, site.span): site for _, site in reversed(ranked)}
    return tuple(site for _, site in ranked if first[site.file, site.span] is site)


def left_with(failures: Iterable[Failure], project: Project) -> Mapping[Line, Mapping[str, Value]]:
    """Return the variables of functions that an exception ended, by their first lines.

    Of a test that is ended in its loop nothing else tells them.
    """
    found: dict[Line, dict[str, Value]] = {}
    for failure in failures:
        for frame in failure.raised.frames if failure.raised else ():
            module = _module(Path(frame.file), project, failure.test)
            function = module and next(functions_at(module.tree, frame.line), None)
            if module and function:
                found.setdefault((module.source.path, begin_of(function)), {}).update(frame.locals)
    return found


_PARTS = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript, ast.IfExp, ast.comprehension),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.cmpop, ast.AugAssign),
)
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
        if not (site.node == "Expr" and _is_docstring(statement_of(module, site.span)))
    )
    for line, score, site in found:
        if site.function is None and score.failing + score.passing == 1:
            # Some test has to be the first that imports a module.
            score = score.lessened(_ONCE)  # noqa: PLW2901
        if site.span in best and best[site.span][0] >= score:
            continue
        first = next((begin_of(each) for each in functions_at(tree, line)), 0)
        seen = spectrum.values.get((source.path, first), {})
        best[site.span] = (
            score,
            replace(site, suspicion=score.ochiai, passing=score.passing, locals=seen),
        )
    yield from best.values()


def _weighed(score: Score, site: Site, project: Project) -> _Scored:
    """Lessen how suspicious a statement is by how little there is in it to get wrong."""
    stmt = statement_of(read_module(site.file, project), site.span)
    many = min(_parts(stmt), _MANY) if stmt else 0
    less = score.lessened(((many + 0.5) / (_MANY + 0.5)) ** _PLENTY)
    bare = isinstance(stmt, NAMING) and not (many or stmt.decorator_list)
    if bare or isinstance(stmt, ast.Import | ast.ImportFrom):
        less = less.lessened(_LAST)
    return less, replace(site, suspicion=less.ochiai)


def _at_import(
    found: list[_Scored], spectrum: Spectrum, failure: Failure, project: Project
) -> Iterator[_Scored]:
    """Yield what functions executed before the tests that set what suspicious statements read."""
    executed = spectrum.reached.get(failure.test, frozenset())
    files = sorted({site.file for _, site in found})
    ran = run_at_import([read_module(file, project) for file in files], executed)
    best: dict[Line, Score] = {}
    for score, site in found:
        stmt = statement_of(read_module(site.file, project), site.span)
        less = score.lessened(_BEFORE)
        for name in attributes_read(stmt) if stmt else ():
            for lines, known in ((ran.beside, less.lessened(_BEFORE)), (ran.setting, less)):
                best |= {at: max(known, best.get(at, known)) for at in lines.get(name, ())}
    for (path, line), less in sorted(best.items()):
        module = read_module(path, project)
        for site in sites_at(module.source, module.tree, line, failure):
            yield less, replace(site, suspicion=less.ochiai, passing=less.passing)


def _pointed(found: list[_Scored], failure: Failure, project: Project) -> list[_Scored]:
    """Lessen how suspicious is what does not set that in which the result differs, where others do."""
    told = defining(
        [_placed(site, project) for _, site in found], compared(failure, project), project
    )
    if not any(told):
        return found
    return [
        (score, replace(site, why=_differs(names)))
        if names
        else (less := score.lessened(_UNNAMED), replace(site, suspicion=less.ochiai))
        for (score, site), names in zip(found, told, strict=True)
    ]


def _placed(site: Site, project: Project) -> Placed:
    module = read_module(site.file, project)
    stmt = statement_of(module, site.span) or ast.Pass()
    function = next(functions_at(module.tree, site.span.line), None)
    owners = [*classes_at(module.tree, site.span.line)]
    if function is None and owners and not getattr(stmt, "value", None):
        stmt = ast.Pass()  # a field is declared
    return Placed(stmt, function, owners[-1] if owners else None)


def _differs(names: frozenset[str]) -> str:
    quoted = " and ".join(f"`{name}`" for name in sorted(names))
    return f"sets {quoted}, in which the result differs"


def _parts(stmt: ast.stmt) -> int:
    """Count the operators, operands, calls and the like of a statement; of a function's the defaults."""
    nodes: Iterable[ast.AST] = own_nodes(stmt)
    if isinstance(stmt, FUNCTIONS):
        defaults = (*stmt.args.defaults, *filter(None, stmt.args.kw_defaults))
        nodes = (node for each in defaults for node in ast.walk(each))
    return sum(isinstance(node, _PARTS) for node in nodes)


def _before(found: list[_Scored], failure: Failure, project: Project) -> Iterator[_Scored]:
    """Yield what ran before the tests and is read by suspicious functions."""
    known = {(site.file, site.span): score for score, site in found}
    best: dict[Line, Score] = {}
    for score, site in found:
        for path, line in read_by(read_module(site.file, project), site.span, project):
            best[path, line] = max(score, best.get((path, line), score))
    modules = {path: _module(path, project, failure.test) for path in {path for path, _ in best}}
    for (path, line), score in sorted(best.items()):
        module = modules[path]
        less = score.lessened(_BEFORE)
        for site in sites_at(module.source, module.tree, line, failure) if module else ():
            if less > known.get((site.file, site.span), _NEVER):
                yield less, replace(site, suspicion=less.ochiai, passing=less.passing)


def _is_docstring(stmt: ast.stmt | None) -> bool:
    return (
        isinstance(stmt, ast.Expr)
        and isinstance(stmt.value, ast.Constant)
        and isinstance(stmt.value.value, str)
    )


def _module(path: Path, project: Project, test: str) -> Module | None:
    own = project.owns(path)
    if own is None or project.is_test_file(own, (test,)):
        return None
    with suppress(Unreadable, OSError):
        module = read_module(own, project)
        return None if is_generated(module.source) else module
    return None
