"""Failure to sites: the project's frame, the node in today's source, and where its value came from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import libcst as cst

from selfdebug.localization.frames import Located, Miss, Reason, outer_frames, project_frames
from selfdebug.localization.nodes import Clues, Suspect, cut, suspects
from selfdebug.localization.origin import origin
from selfdebug.model import Failure, Frame, Raised, Site, Span, Traceback
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree, syntax_tree
from selfdebug.syntax.source import Unreadable

_SYNTAX_ERRORS = frozenset(("SyntaxError", "IndentationError", "TabError"))
_OUTER = 3  # frames looked at above the deepest


@dataclass(frozen=True)
class Diagnosis:
    """Where a failure happened, and the places to repair.

    ``sites`` are in files that may be edited, best first; ``outer`` in the frames that called the first
    of them, from the inside out; ``in_tests`` in test files, which are shown and never edited. Where
    there are no sites, ``reason`` is a word and ``why`` a sentence, with the place of a syntax error.
    """

    failure: Failure
    located: Located | None = None
    sites: tuple[Site, ...] = ()
    outer: tuple[Site, ...] = ()
    in_tests: tuple[Site, ...] = ()
    reason: Reason | None = None
    why: str = ""


def localize(failure: Failure, project: Project) -> Diagnosis:
    """Map a failure to the nodes of the project's source that may have to change.

    Never raises for what the project or the log holds: a file that cannot be read or parsed is a
    reason.
    """
    frames = project_frames(failure, project)
    if isinstance(frames, Miss):
        return Diagnosis(failure, reason=frames.reason, why=frames.why)
    own: list[Site] = []
    tests: list[Site] = []
    misses: list[Miss] = []
    for located in frames:
        found = sites_of(located, project)
        if isinstance(found, Miss):
            misses.append(found)
        else:
            (tests if located.in_test else own).extend(found)
    first = frames[0]
    if own:
        outer = tuple(_outer(first, own, project, failure.test))
        return Diagnosis(failure, first, tuple(own), outer, tuple(tests))
    miss = misses[0] if misses else Miss("in-test", _only_tests(first))
    return Diagnosis(failure, first, (), (), tuple(tests), miss.reason, miss.why)


def _outer(first: Located, own: list[Site], project: Project, test: str) -> Iterator[Site]:
    known = {(site.file, site.span.line) for site in own}
    for located in islice(outer_frames(first, project, test), _OUTER):
        found = sites_of(located, project)
        for site in () if isinstance(found, Miss) else found:
            if (site.file, site.span.line) not in known:
                yield site


def _only_tests(located: Located) -> str:
    return (
        f"the failure is at {located.file}:{located.line}, which belongs to the tests;"
        " tests are not edited"
    )


def sites_of(located: Located, project: Project) -> tuple[Site, ...] | Miss:
    """Return the sites in one frame, best first; a Miss where its file does not parse."""
    source, raised = located.source, located.raised
    clues = Clues(
        located.line,
        raised.type,
        raised.message,
        located.span,
        located.frame.function,
        located.frame.locals,
        located.deeper,
    )
    try:
        syntax = syntax_tree(source)
        tree = cut(source, syntax, located.line)
    except Unreadable as error:
        if raised.type in _SYNTAX_ERRORS and error.line is not None and not located.in_test:
            return (_unparsed(located),)
        return Miss("unparsable", str(error), error.path, error.line, error.column)
    return tuple(
        _site(tree, syntax, located, suspect, project) for suspect in suspects(tree, clues)
    )


def _unparsed(located: Located) -> Site:
    """Return the line at which the project's interpreter gave up: no node can be told."""
    line = located.line
    width = len(located.source.line(line))
    return Site(
        file=located.file,
        span=located.span or Span(line, 0, line, width),
        node="",
        code=located.source.line(line).strip(),
        exc_type=located.raised.type,
        message=located.raised.message,
        attrs=located.raised.attrs,
        callers=located.callers,
    )


def _site(
    tree: Tree, syntax: ast.Module, located: Located, suspect: Suspect, project: Project
) -> Site:
    bad = None if suspect.bad is None else tree.span(suspect.bad)
    span = _extent(tree, suspect.node, bad)
    return Site(
        file=located.file,
        span=span,
        node=type(suspect.node).__name__,
        code=located.source.between(span),
        exc_type=located.raised.type,
        message=located.raised.message,
        function=located.frame.function,
        bad=bad,
        bad_code=None if bad is None else located.source.between(bad),
        certain=suspect.certain,
        origin=() if bad is None else origin(syntax, located, bad, project),
        locals=located.frame.locals,
        callers=located.callers,
        attrs=located.raised.attrs,
        deeper=located.deeper,
    )


def _extent(tree: Tree, node: cst.CSTNode, bad: Span | None) -> Span:
    """Return a node's span; of a statement with a body, its header up to the wrong operand."""
    span = tree.span(node)
    if not isinstance(node, cst.BaseCompoundStatement | cst.ExceptHandler):
        return span
    end = bad or Span(span.line, span.column, span.line, span.column)
    if bad is None:
        return Span(*end_of_line(tree, span))
    return Span(span.line, span.column, end.end_line, end.end_column)


def end_of_line(tree: Tree, span: Span) -> tuple[int, int, int, int]:
    """Return the rest of a span's first line."""
    width = len(tree.region.source.line(span.line).rstrip())
    return span.line, span.column, span.line, width


# --- the entries of ``tracebacks`` in every JSON output ---


def traceback_entry(failure: Failure, project: Project) -> Traceback:
    """Return a failure's place for the JSON output, in the source as it is now."""
    frames = project_frames(failure, project)
    if isinstance(frames, Miss):
        return _foreign_entry(failure, project)
    located = _reported(failure.cause, frames)
    entry = _entry(failure, located.raised, located.frame, located.line, located.span)
    return replace(entry, file=project.relative(located.file), in_project=True)


def _reported(raised: Raised | None, frames: tuple[Located, ...]) -> Located:
    """Return the place that the report's own exception has, which may not be the best to repair."""
    return next((located for located in frames if located.raised is raised), frames[0])


def _foreign_entry(failure: Failure, project: Project) -> Traceback:
    raised = failure.raised
    frame = raised.frames[-1] if raised and raised.frames else None
    if raised is None or frame is None:
        return _entry(failure, raised, None, None, None)
    entry = _entry(failure, raised, frame, frame.line, None)
    inside = Path(frame.file).is_relative_to(project.root)
    return replace(entry, file=project.relative(Path(frame.file))) if inside else entry


def _entry(
    failure: Failure,
    raised: Raised | None,
    frame: Frame | None,
    line: int | None,
    span: Span | None,
) -> Traceback:
    return Traceback(
        file=frame.file if frame else "",
        line=line or 0,
        exc_type=raised.type if raised else "",
        msg=raised.message if raised else failure.text,
        column=span.column + 1 if span else None,
        end_line=span.end_line if span else None,
        end_column=span.end_column + 1 if span else None,
        function=frame.function if frame else None,
        test=failure.test,
        phase=failure.phase,
    )
