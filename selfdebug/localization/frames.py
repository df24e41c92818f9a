"""The frame of a failure that is the project's own, and its line in today's source.

The exception that a test reports is often not the one to repair: ``raise ServiceError from error``
passes on what went wrong before, and a group passes on its members.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from selfdebug.model import Failure, Frame, Raised, Span
from selfdebug.syntax.project import Project, is_generated
from selfdebug.syntax.source import Source, Unreadable

Reason = Literal["no-frame", "stale", "unparsable", "generated", "in-test"]
_CARRIES_ON = re.compile(r"raise\b")


@dataclass(frozen=True)
class Located:
    """A frame of the project. ``line`` and ``span`` are those of the source as it is now.

    ``deeper`` says that the frame called code outside the project, which raised; ``callers`` are the
    project's frames further out, with their files resolved, outermost first.
    """

    file: Path
    line: int
    span: Span | None
    frame: Frame
    raised: Raised
    in_test: bool
    source: Source
    deeper: bool = False
    callers: tuple[Frame, ...] = ()


@dataclass(frozen=True)
class Miss:
    """Why a failure has no place in the project. ``why`` is a sentence, with the place if any."""

    reason: Reason
    why: str
    file: Path | None = None
    line: int | None = None
    column: int | None = None


def project_frames(failure: Failure, project: Project) -> tuple[Located, ...] | Miss:
    """Return the project's frames to look at, best first.

    For each exception of the chain and of its groups, most telling first: the deepest frame in the
    project, and where that stands in a test file the deepest that does not.
    """
    found: list[Located] = []
    misses: list[Miss] = []
    for raised in _most_telling(failure.raised, project):
        for place in _places(raised, project, failure.test):
            if isinstance(place, Miss):
                misses.append(place)
                break
            if not any((place.file, place.line) == (seen.file, seen.line) for seen in found):
                found.append(place)
    if found:
        # What the code did says more than where the test noticed.
        return tuple(sorted(found, key=lambda place: place.in_test))
    return next(iter(misses), Miss("no-frame", _no_frame(failure, project)))


def project_frame(failure: Failure, project: Project) -> Located | Miss:
    """Return the project's frame that tells most about a failure."""
    found = project_frames(failure, project)
    return found if isinstance(found, Miss) else found[0]


def outer_frames(located: Located, project: Project, test: str) -> Iterator[Located]:
    """Yield the frames of the project that led to one, from the inside out; those of tests are left out.

    A fix often belongs further out than the crash: the deepest frame is the right one in two of three.
    """
    for number in range(len(located.callers) - 1, -1, -1):
        frame, callers = located.callers[number], located.callers[:number]
        place = _place(frame, located.raised, project, test, callers)
        if isinstance(place, Located) and not place.in_test:
            yield replace(place, deeper=True)


def _no_frame(failure: Failure, project: Project) -> str:
    frames = [frame for raised in _every(failure.raised) for frame in raised.frames]
    if not frames:
        return "the failure shows no traceback"
    last = frames[-1]
    return f"no frame lies in {project.root}; the last one is {last.file}:{last.line}"


def _every(raised: Raised | None) -> Iterator[Raised]:
    """Yield an exception, the members of its group, and those before it, each with its own."""
    if raised is not None:
        yield raised
        for inner in (*raised.members, *([raised.before] if raised.before else [])):
            yield from _every(inner)


def _most_telling(raised: Raised | None, project: Project) -> Iterator[Raised]:
    if raised is None:
        return
    first: list[Raised] = list(raised.members)
    if raised.before is not None and _passes_on(raised, project):
        first.append(raised.before)
    for inner in first:
        yield from _most_telling(inner, project)
    yield raised
    if raised.before is not None and raised.before not in first:
        yield from _most_telling(raised.before, project)


def _passes_on(raised: Raised, project: Project) -> bool:
    """Say whether an exception was made by a ``raise`` on behalf of the one before it."""
    if raised.relation in ("cause", "child") or not raised.frames:
        return True
    frame = raised.frames[-1]
    return _CARRIES_ON.match((frame.source or _line(frame, project)).strip()) is not None


def _line(frame: Frame, project: Project) -> str:
    for file in project.resolve(frame.file):
        with suppress(Unreadable, OSError):
            return project.read(file).line(frame.line)
    return ""


def _places(raised: Raised, project: Project, test: str) -> Iterator[Located | Miss]:
    """Yield the deepest project frame, and if it is a test's also the deepest that is not."""
    own = [(at, frame) for at, frame in enumerate(raised.frames) if project.resolve(frame.file)]
    if raised.type.rpartition(".")[2] == "RecursionError":
        own = _one_turn(own)
    last = len(raised.frames) - 1
    for index in range(len(own) - 1, -1, -1):
        at, frame = own[index]
        callers = tuple(frame for _, frame in own[:index])
        place = _place(frame, raised, project, test, callers)
        if isinstance(place, Located) and at < last:
            place = replace(place, deeper=True)
        if index == len(own) - 1 or (isinstance(place, Located) and not place.in_test):
            yield place
        if isinstance(place, Miss) or not place.in_test:
            return


def _one_turn(own: list[tuple[int, Frame]]) -> list[tuple[int, Frame]]:
    """Drop the frames after the call that recurs most: where the stack ran out is chance."""
    turns = Counter((frame.file, frame.line) for _, frame in own)
    if not turns:
        return own
    most = max(turns.values())
    while len(own) > 1 and turns[own[-1][1].file, own[-1][1].line] < most:
        own = own[:-1]
    return own


def _place(
    frame: Frame, raised: Raised, project: Project, test: str, callers: tuple[Frame, ...]
) -> Located | Miss:
    fitting: list[Located] = []
    miss: Miss | None = None
    for file in project.resolve(frame.file):
        try:
            source = project.read(file)
        except Unreadable as error:
            return Miss("unparsable", str(error), file, error.line, error.column)
        except OSError as error:
            miss = Miss("no-frame", f"{file} cannot be read: {error.strerror}", file)
            continue
        if is_generated(source):
            miss = Miss("generated", f"{file} was generated by a program", file, frame.line)
            continue
        if not frame.source and project.names_little(file, frame.file):
            miss = Miss("no-frame", f"{frame.file} names no file of the project beyond doubt", None)
            continue
        line = _todays_line(frame, source)
        if line is None:
            why = f"{file}:{frame.line} is not what the traceback quotes: {frame.source!r}"
            miss = Miss("stale", why, file, frame.line)
            continue
        span = _todays_span(frame, source, line)
        in_test = project.is_test_file(file, (test,))
        fitting.append(Located(file, line, span, frame, raised, in_test, source, callers=callers))
    if len(fitting) == 1:
        return fitting[0]
    return miss or Miss("no-frame", f"{frame.file} may be several files of the project")


def _todays_line(frame: Frame, source: Source) -> int | None:
    """Return the line that the traceback quotes, wherever it now stands; None if that is not clear."""
    quoted = _quoted(frame)
    if not quoted:
        return frame.line if 1 <= frame.line <= source.lines else None
    # A log may show a multi-line statement by its first line, or by a later one.
    if _same(source.line(frame.line), quoted):
        return frame.line
    matches = [line for line in range(1, source.lines + 1) if _same(source.line(line), quoted)]
    return matches[0] if len(matches) == 1 else None


def _quoted(frame: Frame) -> str:
    lines = (frame.source or "").strip().splitlines()
    return lines[0].strip() if lines else ""


def _same(line: str, quoted: str) -> bool:
    line = line.strip()
    return line == quoted or line.encode("ascii", "backslashreplace").decode() == quoted


def _todays_span(frame: Frame, source: Source, line: int) -> Span | None:
    """Return the frame's span in columns of the file: logs count from the quoted line's first character.

    None where it does not fit into the source.
    """
    span = frame.span
    if span is None:
        return None
    here = source.line(line)
    shift = _margin(here) - _margin(frame.source) if frame.source else 0
    moved = line - frame.line
    start, end = span.column + shift, span.end_column + shift
    last = source.line(span.end_line + moved)
    if not (0 <= start <= len(here) and 0 < end <= len(last)):
        return None
    return Span(span.line + moved, start, span.end_line + moved, end)


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())
