"""Examples of the catalogue made into sites, as localization makes them of real failures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from selfdebug.codemods._base import Codemod, Example, Target
from selfdebug.codemods._first_order import FirstOrder
from selfdebug.localization.localize import localize
from selfdebug.localization.statements import site_at
from selfdebug.model import Failure, Frame, Raised, Site, Span
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree, syntax_tree
from selfdebug.syntax.source import Source, decode

ROOT = Path("/nowhere/project")
FILE = ROOT / "shop.py"
PROJECT = Project(ROOT)
_NOTHING: Mapping[str, str] = MappingProxyType({})


def marked(text: str, failure: str) -> tuple[Source, Site]:
    """Read code in which guillemets mark the value that was bad."""
    source, span = _read(FILE, text)
    exc_type, _, message = failure.partition(": ")
    bad = source.between(span)
    return source, Site(FILE, span, "", bad, exc_type, message, bad=span, bad_code=bad)


def _read(file: Path, text: str) -> tuple[Source, Span]:
    start, end = text.index("«"), text.index("»") - 1
    source = decode(file, text.replace("«", "").replace("»", "").encode())
    return source, Span(*source.position(start), *source.position(end))


def whole_target(tree: Tree, site: Site) -> Target:
    """What a codemod gets that is pointed at a tree by hand."""
    return Target(tree, site, PROJECT)


def shown(example: Example, codemod: type[Codemod] | None = None) -> tuple[Project, Site]:
    """The project and the site of an example: the frame is where the guillemets are.

    For a first-order edit they mark the node that is to change, in a suspicious statement.
    """
    source, span = _read(ROOT / example.file, example.before)
    contents = {source.path: source.data}
    contents |= {ROOT / file: code.encode() for file, code in example.beside.items()}
    project = Project(ROOT, (), contents)
    if codemod is not None and issubclass(codemod, FirstOrder):
        return project, _suspicious(example, source, span)
    return project, _site(example, project, source, span)


def _suspicious(example: Example, source: Source, span: Span) -> Site:
    exc_type, _, message = example.failure.partition(": ")
    failure = Failure("test_shop.py::test", "call", Raised(exc_type, message))
    site = site_at(source, syntax_tree(source), span.line, failure)
    assert site is not None
    return replace(
        site,
        bad=span,
        bad_code=source.between(span),
        locals=example.values,
        attrs=example.attrs,
    )


def _site(example: Example, project: Project, source: Source, span: Span) -> Site:
    exc_type, _, message = example.failure.partition(": ")
    quoted = source.line(span.line)
    function = example.called[-1][2] if example.called else None
    frame = Frame(str(source.path), span.line, function, span, quoted, example.values)
    callers = (
        Frame(str(ROOT / file), line, source=project.read(ROOT / file).line(line))
        for file, line, _ in example.called
    )
    raised = Raised(exc_type, message, (*callers, frame), attrs=example.attrs)
    found = localize(Failure("test_shop.py::test", "call", raised), project)
    sites = (*found.sites, *found.in_tests)
    assert sites, found.why
    return sites[0]
