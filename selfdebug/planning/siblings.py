"""Places with the same pattern as one that was repaired: the same mistake is rarely made once."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from selfdebug.codemods._listing import Template
from selfdebug.model import Candidate, Edit, Site, Span
from selfdebug.planning.search import State
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import Unreadable, apply


def same_pattern(site: Site, project: Project) -> Iterator[Site]:
    """Yield the sites whose expression is that of a site but for the variable that it begins with.

    Files come in the order of ``project.files``; tests are left out, and so is the site itself.
    """
    pattern = _expression(site.code)
    if pattern is None or isinstance(pattern, ast.Name | ast.Constant):
        return
    shape, inner = _shape(pattern), _inner(pattern, site)
    for module in _modules(project, site.code):
        for node in ast.walk(module.tree):
            if isinstance(node, ast.expr) and type(node) is type(pattern) and _shape(node) == shape:
                found = _site(site, module, node, inner)
                if (found.file, found.span) != (site.file, site.span):
                    yield found


def siblings(
    patch: Candidate, project: Project, codemods: Sequence[Template]
) -> Iterator[Candidate]:
    """Yield the same repair at the sites with the same pattern, wherever its codemod offers it too.

    ``project`` holds the patch already, so that what it repaired is not found again. The codemod is one
    of ``codemods``.
    """
    codemod = next((each for each in codemods if patch.codemod == each.NAME), None)
    if codemod is None:
        return
    for site in same_pattern(patch.site, project):
        with suppress(Unreadable, OSError):
            for repair in codemod.repairs(site, project):
                if repair.variant.name == patch.variant:
                    yield replace(patch, edits=repair.edits, why=repair.why, site=site)
                    break


def widened(
    patch: State,
    others: Sequence[Candidate],
    before: Project,
    executed: Collection[tuple[Path, int]],
) -> State:
    """Return the patch with those of the other repairs that stand on lines executed before it.

    ``others`` were made for the patched files, ``before`` holds the files as they were.
    """
    made: list[Candidate] = []
    edits: dict[Path, list[Edit]] = {}
    for other in others:
        line = _line_before(other.site, before, patch)
        own = [edit for edit in other.edits if edit.file == other.site.file]
        apart = not _overlaps(own, edits.get(other.site.file, ()))
        if (other.site.file, line) in executed and len(own) == len(other.edits) and apart:
            edits.setdefault(other.site.file, []).extend(own)
            made.append(other)
    contents = dict(patch.contents)
    for file, wanted in edits.items():
        contents[file] = apply(contents.get(file) or before.data(file), tuple(wanted))
    return replace(patch, contents=contents, patch=(*patch.patch, *made)) if made else patch


def _overlaps(edits: Sequence[Edit], others: Sequence[Edit]) -> bool:
    return any(one.start <= two.end and two.start <= one.end for one in edits for two in others)


def _line_before(site: Site, before: Project, patch: State) -> int | None:
    """Return the line that a site had before the patch; None where the patch made it."""
    now = patch.contents.get(site.file)
    if now is None:
        return site.span.line
    matcher = SequenceMatcher(None, before.data(site.file).splitlines(), now.splitlines(), False)
    for tag, first, _, start, end in matcher.get_opcodes():
        if tag == "equal" and start < site.span.line <= end:
            return first + site.span.line - start
    return None


def _expression(code: str) -> ast.expr | None:
    with suppress(SyntaxError, ValueError, RecursionError):
        return ast.parse(f"({code}\n)", mode="eval").body
    return None


def _shape(node: ast.expr) -> str:
    """Return what an expression looks like, whatever the variable is that it begins with."""
    root = node
    while isinstance(root, ast.Attribute | ast.Subscript | ast.Call | ast.Await):
        root = root.func if isinstance(root, ast.Call) else root.value
    text = ast.dump(node)
    return text.replace(ast.dump(root), "_", 1) if isinstance(root, ast.Name) else text


def _inner(pattern: ast.expr, site: Site) -> int:
    """Return the place of the bad value among the parts of a pattern; 0 is the whole."""
    bad = _expression(site.bad_code or "")
    if bad is None:
        return 0
    dumps = [ast.dump(node) for node in ast.walk(pattern)]
    return dumps.index(ast.dump(bad)) if ast.dump(bad) in dumps else 0


def _modules(project: Project, code: str) -> Iterator[Module]:
    """Yield the modules that hold the last word of an expression; tests and odd files are left out."""
    words = re.findall(r"[^\W\d]\w*", code)
    mentioned = words[-1].encode() if words else b""
    for parts in project.files:
        path = project.root.joinpath(*parts)
        with suppress(Unreadable, OSError):
            if not project.is_test_file(path) and mentioned in project.data(path):
                yield read_module(path, project)


def _site(site: Site, module: Module, node: ast.expr, inner: int) -> Site:
    span = _span(module, node)
    part = [*ast.walk(node)][inner]
    bad = _span(module, part) if inner and isinstance(part, ast.expr) else None
    return replace(
        site,
        file=module.source.path,
        span=span,
        code=module.source.between(span),
        function=None,
        bad=bad,
        bad_code=None if bad is None else module.source.between(bad),
        origin=(),
        locals={},
        callers=(),
    )


def _span(module: Module, node: ast.expr) -> Span:
    """Return a node's place; ``ast`` counts columns in bytes of UTF-8."""
    ends = (
        (node.lineno, node.col_offset),
        (node.end_lineno or node.lineno, node.end_col_offset or 0),
    )
    (line, column), (end_line, end_column) = (
        (line, len(module.source.line(line).encode()[:column].decode(errors="replace")))
        for line, column in ends
    )
    return Span(line, column, end_line, end_column)
