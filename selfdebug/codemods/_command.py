"""A codemod as a command of ``libcst.tool``, and the sites that its command line asks for."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import libcst as cst
from libcst.codemod import CodemodContext, SkipFile, VisitorBasedCodemodCommand

from selfdebug.codemods._base import Codemod, Rewrite, Target, is_there, with_edits
from selfdebug.model import Site, Span
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree, splice, whole
from selfdebug.syntax.source import Unreadable, decode

_PLACE = re.compile(r"(?P<file>.+?):(?P<line>[1-9]\d*)(?::(?P<column>[1-9]\d*))?")
_CHAIN = (cst.Name, cst.Attribute, cst.Subscript, cst.Call)
_STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)


class Command(VisitorBasedCodemodCommand):
    """A codemod that ``--at`` and ``--trace`` point at sites; with neither it needs proof of a fault."""

    CODEMOD: ClassVar[type[Codemod]]

    def __init__(
        self, context: CodemodContext, at: list[str] | None = None, trace: str | None = None
    ):
        super().__init__(context)
        self.at = at or []
        self.trace = trace

    @staticmethod
    def add_args(arg_parser: ArgumentParser) -> None:
        """Add the options that point a codemod at sites."""
        # libcst.tool pipes each changed file through black unless told not to: the file would lose
        # its format, and fail where black is missing.
        arg_parser.set_defaults(no_format=True)
        arg_parser.add_argument(
            "--at",
            action="append",
            type=place,
            metavar="FILE:LINE[:COL]",
            help="change the code at this place (repeatable); columns count from 1",
        )
        arg_parser.add_argument(
            "--trace",
            type=log,
            metavar="LOG",
            help="change the code that this pytest log or traceback blames",
        )

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """Rewrite a whole file at the sites asked for, or where the codemod can prove some."""
        changed = False
        for target in targets_in(self, tree):
            # Each rewrite moves what stands below it, so sites come last first.
            here = Target(self.tree(tree), target.site, target.project)
            rewrite = next(_rewrites(self.CODEMOD, here), None)
            if rewrite is not None:
                tree, changed = with_edits(here.tree, rewrite), True
        if not changed:
            raise SkipFile(f"nothing for {self.CODEMOD.NAME} to change")
        return tree

    def tree(self, module: cst.Module) -> Tree:
        """Return the tree of the whole file that libcst's tool is working on."""
        return whole(decode(Path(self.context.filename or ""), module.bytes), module)


def command(codemod: type[Codemod], base: type[Command] = Command) -> type[Command]:
    """Return a codemod as a command with its name and words."""
    words: dict[str, Any] = {
        "CODEMOD": codemod,
        "DESCRIPTION": codemod.DESCRIPTION,
        "__doc__": codemod.__doc__,
        "__module__": __package__,
    }
    return type(codemod.__name__, (base,), words)


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


def targets_in(command: Command, module: cst.Module) -> tuple[Target, ...]:
    """Return what to rewrite in the file, last first, one a statement: ``--at``, ``--trace``, or proof.

    Where several places may be meant, it is the first that the codemod has a rewrite for. Raises
    SkipFile where the file has none, OSError where the log cannot be read.
    """
    codemod, file = command.CODEMOD, Path(command.context.filename or "").resolve()
    tree = command.tree(module)
    project = Project(_root(file), contents={file: tree.region.source.data})
    found: Iterator[tuple[Site, ...]]
    if command.at:
        found = ((site,) for site in _asked(command, file, tree))
    elif command.trace:
        found = _blamed(Path(command.trace), project.root)
    else:
        found = ((site,) for site in codemod.provable(tree))
    chosen: dict[int, Target] = {}
    for sites in found:
        target = _first_answered(codemod, sites, project, file)
        if target is not None:
            chosen.setdefault(_statement(tree, target.site.span), target)
    if not chosen:
        raise SkipFile(f"no place for {codemod.NAME} in {file}")
    return tuple(chosen[line] for line in sorted(chosen, reverse=True))


def _rewrites(codemod: type[Codemod], target: Target) -> Iterator[Rewrite]:
    """Yield the rewrites that make a change which is not there already."""
    region = target.tree.region
    for rewrite in codemod.rewrites(target):
        edit = splice(region, rewrite.module.code)
        if edit is None or not is_there(edit, region.source.data):
            yield rewrite


def _root(file: Path) -> Path:
    here = Path.cwd().resolve()
    return here if file.is_relative_to(here) else file.parent


def _first_answered(
    codemod: type[Codemod], sites: tuple[Site, ...], project: Project, file: Path
) -> Target | None:
    """Return the first target in the file for which there is a rewrite, or else the first."""
    try:
        targets = [
            target
            for site in sites
            for target in codemod.targets(site, project)
            if target.site.file == file
        ]
    except (Unreadable, OSError):
        return None
    if len(targets) == 1:
        return targets[0]
    answered = (each for each in targets if next(_rewrites(codemod, each), None) is not None)
    return next(answered, targets[0] if targets else None)


def _statement(tree: Tree, span: Span) -> int:
    """Return the line on which the statement of a place begins."""
    starts = (tree.span(node).line for node in tree.ranges if isinstance(node, _STATEMENTS))
    return max((line for line in starts if line <= span.line), default=span.line)


def _blamed(trace: Path, root: Path) -> Iterator[tuple[Site, ...]]:
    # The one way up: a log can be read only by the steps above, and libcst.tool starts down here.
    from selfdebug.localization.trace import sites_of_log

    yield from sites_of_log(trace, root)


def _asked(command: Command, file: Path, tree: Tree) -> Iterator[Site]:
    """Yield the sites of ``--at`` in a file; where a line alone leaves a choice, warn of it instead."""
    for match in filter(None, map(_PLACE.fullmatch, command.at)):
        if not _is_named(Path(match["file"]), file):
            continue
        line, column = int(match["line"]), int(match["column"] or 0)
        suspects = [*command.CODEMOD.suspects(tree, _site_at(file, tree, line, 0))]
        chosen = [node for node in suspects if _end_of_chain(tree, node) == (line, column - 1)]
        site = _site_at(file, tree, line, column)
        if column and chosen:
            yield replace(site, bad=tree.span(chosen[0]), bad_code=tree.code(chosen[0]))
        elif column or len(suspects) <= 1:
            yield site
        else:
            command.warn(_choice(match[0], command.CODEMOD.SUSPECTED, tree, suspects))


def _choice(at: str, suspected: str, tree: Tree, nodes: list[cst.BaseExpression]) -> str:
    """Return the words for a choice between values on a line, by their columns (from 1)."""
    columns = [_end_of_chain(tree, node)[1] + 1 for node in nodes]
    codes = (" ".join(tree.code(node).split()) for node in nodes)
    listed = ", ".join(
        f"{code} (column {column})" for code, column in zip(codes, columns, strict=True)
    )
    return (
        f"{at} has several values that {suspected}: {listed}; "
        f"give the column: --at {at}:{columns[0]}"
    )


def _end_of_chain(tree: Tree, node: cst.BaseExpression) -> tuple[int, int]:
    """Return the line and column (from 0) of the last link of ``a.b(c)[d]``: all begin in one place."""
    match node:
        case cst.Attribute(attr=attr):
            span = tree.span(attr)
        case cst.Subscript(value=inner) | cst.Call(func=inner):
            span = tree.span(inner)
            return span.end_line, span.end_column
        case _:
            span = tree.span(node)
    return span.line, span.column


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
