"""CPython's tracebacks: chains, exception groups, syntax errors, folded recursion, 3.11's anchors.

The format is that of ``traceback.TracebackException.format`` (Python 3.7 to 3.14).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from selfdebug.ingestion.quoted import exception, of_the_project, under
from selfdebug.model import Frame, Raised

Relation = Literal["cause", "context"]
RELATIONS: dict[str, Relation] = {
    "The above exception was the direct cause of the following exception:": "cause",
    "During handling of the above exception, another exception occurred:": "context",
}
BEGIN = re.compile(
    r"(?: *\+ Exception Group |Exception Group )?Traceback \(most recent call last\):\s*"
)
FRAME = re.compile(r'  File "(.*)", line ([0-9]{1,9})(?:, in (.*))?')
_OPENING = re.compile(r'  File ".*", line \S+(?:, in .*)?')
_MEMBER = re.compile(r"\+-{16} .+ -{16}\s*")
_CLOSE = re.compile(r"\+-{36,}\s*")
_MARGIN = "  "
_DEPTH = 40
CHAIN = 10  # exceptions kept of a chain, as many as the plugin records


def read(lines: Sequence[str], margin: str = _MARGIN) -> Raised | None:
    """The exception that these lines of a traceback end with, its chain in ``before``.

    ``margin`` is the indentation of this level's ``|``: two columns for a group on its own.
    Text before the first traceback is skipped. None where there is no exception line.
    """
    result: Raised | None = None
    relation: Relation | None = None
    own: list[str] = []
    members: list[Raised] = []
    rest = iter(_rows(lines, margin))
    for text, below in rest:
        if below is not None:
            members = [each for part in below if (each := _member(part, margin))]
        elif follows := RELATIONS.get(text.strip()):
            result, relation = _link(own, members, result, relation) or result, follows
            own, members = [], []
        else:
            own.append(text)
    return _link(own, members, result, relation) or result


def _member(lines: Sequence[str], margin: str) -> Raised | None:
    return read(lines, margin + "  ") if len(margin) < 2 * _DEPTH else None


def _rows(lines: Sequence[str], margin: str) -> list[tuple[str, list[list[str]] | None]]:
    """Lines of this level without the margin; a group's members as lists of lines, in their place."""
    rows: list[tuple[str, list[list[str]] | None]] = []
    parts: list[list[str]] | None = None
    grouped = len(margin) > len(_MARGIN)
    for line in lines:
        if parts is not None and line.startswith(margin + "  "):
            below = line[len(margin) + 2 :]
            if _MEMBER.fullmatch(below):
                parts.append([])
            elif not _CLOSE.fullmatch(below):
                parts[-1].append(line)
            continue
        parts = None
        grouped = grouped or line.startswith(margin + "+ Exception Group Traceback ")
        if grouped and line.startswith(margin + "+-+-"):
            parts = [[]]
            rows.append(("", parts))
        elif grouped and line.startswith((margin + "|", margin + "+ ")):
            rows.append((line[len(margin) + 2 :], None))
        else:
            rows.append((line, None))
            grouped = len(margin) > len(_MARGIN)
    return rows


def _link(
    lines: Sequence[str],
    members: Sequence[Raised],
    before: Raised | None,
    relation: Relation | None,
) -> Raised | None:
    begin = next((i for i, line in enumerate(lines) if begins(line)), -1)
    found, rest = frames(lines[begin + 1 :])
    text = "\n".join(rest).strip("\n")
    if not text or text[0] == " ":  # CPython indents no exception
        return None
    kind, message = exception(text)
    link = Raised(kind, message, of_the_project(found), members=tuple(members))
    return after(link, before, relation)


def after(link: Raised, before: Raised | None, relation: Relation | None) -> Raised:
    """Add an exception to a chain, whose oldest ones are left out where it grows too long."""
    kept = _latest(before, CHAIN - 1)
    return replace(link, before=kept, relation=relation if kept else None)


def _latest(raised: Raised | None, most: int) -> Raised | None:
    if raised is None or not most:
        return None
    older = _latest(raised.before, most - 1)
    return replace(raised, before=older, relation=raised.relation if older else None)


def begins(line: str) -> bool:
    """Whether a traceback's header stands here, at the margin."""
    return BEGIN.fullmatch(line) is not None


def opens_frame(line: str) -> bool:
    """Whether a line reads like a frame's first, be it of a place that no file has (``line None``)."""
    return _OPENING.fullmatch(line) is not None


def frames(lines: Sequence[str]) -> tuple[list[Frame], Sequence[str]]:
    """Frames, and what follows them: the exception's text. Frames of no possible line are left out."""
    entries: list[tuple[re.Match[str] | None, list[str]]] = []
    rest: Sequence[str] = ()
    for i, line in enumerate(lines):
        if opens_frame(line):
            entries.append((FRAME.fullmatch(line), []))
        elif line.startswith("    ") and entries:
            entries[-1][1].append(line[4:])
        elif line.strip() and not line.startswith("  [Previous line repeated "):
            rest = lines[i:]
            break
    return [_frame(match, quoted) for match, quoted in entries if match], rest


def _frame(match: re.Match[str], quoted: Sequence[str]) -> Frame:
    line = int(match[2])
    source, span = under(line, tuple(quoted), wide=True)
    return Frame(match[1], line, match[3], span, source)
