"""The sites that a codemod's own command line asks for, in the file that libcst's tool is at."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst
from libcst.codemod import SkipFile

from selfdebug.model import Site, Span
from selfdebug.syntax.region import Tree

if TYPE_CHECKING:
    from selfdebug.codemods._base import Codemod

_PLACE = re.compile(r"(?P<file>.+?):(?P<line>[1-9]\d*)(?::(?P<column>[1-9]\d*))?")
_CHAIN = (cst.Name, cst.Attribute, cst.Subscript, cst.Call)
_STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)


def place(text: str) -> str:
    """Check an argument of ``--at``. Raises ArgumentTypeError where it is not of the form."""
    if _PLACE.fullmatch(text) is None:
        raise ArgumentTypeError(f"{text!r} is not of the form FILE:LINE or FILE:LINE:COLUMN")
    return text


def log(text: str) -> str:
    """Check an argument of ``--trace``. Raises ArgumentTypeError where there is no such file."""
    if not Path(text).is_file():
        raise ArgumentTypeError(f"there is no file {text!r}")
    return text


def sites_in(codemod: Codemod, module: cst.Module) -> tuple[Site, ...]:
    """Return the file's sites, last first, one a statement: from ``--at``, else ``--trace``, else proof.

    Where several places may be meant, it is the first that the codemod has a rewrite for. Raises
    SkipFile where the file has none, OSError where the log cannot be read.
    """
    file = Path(codemod.context.filename or "")
    tree = codemod.tree(module)
    if codemod.at:
        found = _asked(codemod.at, file, tree)
    elif codemod.trace:
        found = _blamed(Path(codemod.trace), file)
    else:
        found = ((site,) for site in codemod.provable(tree))
    chosen: dict[int, Site] = {}
    for alternatives in found:
        site = _first_answered(codemod, tree, alternatives)
        chosen.setdefault(_statement(tree, site.span), site)
    if not chosen:
        raise SkipFile(f"no place for {codemod.NAME} in {file}")
    return tuple(chosen[line] for line in sorted(chosen, reverse=True))


def _first_answered(codemod: Codemod, tree: Tree, sites: tuple[Site, ...]) -> Site:
    if len(sites) == 1:
        return sites[0]
    answered = (site for site in sites if next(codemod.rewrites(tree, site), None) is not None)
    return next(answered, sites[0])


def _statement(tree: Tree, span: Span) -> int:
    """Return the line on which the statement of a place begins."""
    starts = (tree.span(node).line for node in tree.ranges if isinstance(node, _STATEMENTS))
    return max((line for line in starts if line <= span.line), default=span.line)


def _blamed(trace: Path, file: Path) -> Iterator[tuple[Site, ...]]:
    # The one way up: a log can be read only by the steps above, and libcst.tool starts down here.
    from selfdebug.localization.trace import sites_of_log

    real, here = file.resolve(), Path.cwd()
    root = here if real.is_relative_to(here.resolve()) else real.parent
    for sites in sites_of_log(trace, root):
        if own := tuple(site for site in sites if site.file == real):
            yield own


def _asked(places: list[str], file: Path, tree: Tree) -> Iterator[tuple[Site, ...]]:
    for match in filter(None, map(_PLACE.fullmatch, places)):
        if _is_named(Path(match["file"]), file):
            yield (_site_at(file, tree, int(match["line"]), int(match["column"] or 0)),)


def _is_named(named: Path, file: Path) -> bool:
    """Say whether a path means a file: itself from here, or else the end of its path."""
    if named.exists():
        return named.resolve() == file.resolve()
    return not named.is_absolute() and file.resolve().parts[-len(named.parts) :] == named.parts


def _site_at(file: Path, tree: Tree, line: int, column: int) -> Site:
    """Return the site of a line's code, or of the expression at a column (from 1; 0 for none)."""
    text = tree.region.source.line(line)
    if not text.strip():
        raise SkipFile(f"{file} has no code on line {line}")
    span = Span(line, len(text) - len(text.lstrip()), line, len(text.rstrip()))
    if column:
        span = _expression_at(tree, line, column - 1) or span
    return Site(file.resolve(), span, "", tree.region.source.between(span), "", "")


def _expression_at(tree: Tree, line: int, column: int) -> Span | None:
    """Return the longest chain ``a.b(c)[d]`` that begins at a position, else the least around it."""
    here = line, column
    attributes = {node.attr for node in tree.ranges if isinstance(node, cst.Attribute)}
    spans = {
        node: tree.span(node)
        for node in tree.ranges
        if isinstance(node, cst.BaseExpression) and node not in attributes
    }
    around = {
        node: span
        for node, span in spans.items()
        if (span.line, span.column) <= here < (span.end_line, span.end_column)
    }
    chains = [
        span
        for node, span in around.items()
        if isinstance(node, _CHAIN) and (span.line, span.column) == here
    ]
    if chains:
        return max(chains, key=lambda span: (span.end_line, span.end_column))
    least = max(((span.line, span.column) for span in around.values()), default=None)
    inner = (span for span in around.values() if (span.line, span.column) == least)
    return min(inner, key=lambda span: (span.end_line, span.end_column), default=None)
