"""One failure's block in pytest's FAILURES or ERRORS section, in any of its styles.

``long`` prints ``path:line: Type`` below the source, ``short`` ``path:line: in function`` above it,
``native`` CPython's traceback; ``auto`` and exception groups mix them (``_pytest/_code/code.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from selfdebug.ingestion import native
from selfdebug.ingestion.kept import Kept
from selfdebug.ingestion.quoted import exception, of_the_project, under
from selfdebug.model import Frame, Raised

_AT = r"(?!> |E  |[^\W\d]\w* += )(?P<file>\S.*?):(?P<line>[0-9]{1,9})"
SHORT = re.compile(rf"{_AT}: in (?P<function>.+)")
PLACE = re.compile(rf"{_AT}:(?: (?P<type>.*))?")
MARKED = re.compile(r"E(?:   .*)?")
_CRASH = re.compile(r"(?P<file>/.*?|[A-Za-z]:[\\/].*?|<[^>]*>):(?P<line>[0-9]{1,9}): (?P<text>.*)")
_ALONE = re.compile(r".* \[single exception in (?P<group>\S+)\]")
_SEPARATOR = re.compile(r"_(?: _){9,} ?")
_WORKER = re.compile(r"\[gw\d+\] .+ -- Python .+")
_MISSING = re.compile(r"file (?P<file>.+), line (?P<line>[0-9]{1,9})")
_QUOTING = ("", " ", ">")
_DEF = re.compile(r"\s*(?:async\s+)?def\s+([^\W\d]\w*)")
_EXAMPLE = re.compile(r"(?:\d{3,}|\?\?\?) +>>> (.*)")
DOCTEST = ("DocTestFailure", "UnexpectedException", "MultipleDoctestFailures")


def read(lines: Sequence[str]) -> tuple[Raised | None, str]:
    """What the block says was raised, and the block's plain text where it says nothing of the sort."""
    body = list(lines[1:] if lines and _WORKER.fullmatch(lines[0]) else lines)
    raised = _doctest(body) or _missing_fixture(body) or _chain(body)
    return raised, "" if raised else "\n".join(body).strip()


def begins(line: str) -> bool:
    """Whether a block may begin so under ``--tb=line``: else the line is the text of another test."""
    return bool(MARKED.fullmatch(line)) or native.begins(line)


def crash(line: str, before: Kept, *, printed: bool) -> bool:
    """Tell whether a line names a failure's place under ``--tb=line``, after the lines ``before``.

    In ``printed`` output it must repeat a line of the message to be believed.
    """
    match = _CRASH.fullmatch(line)
    if match is None or not printed:
        return match is not None
    return any(each.endswith(match["text"]) for each in before.lines())


def read_before(lines: Sequence[str], crash_line: str) -> tuple[Raised | None, str]:
    """What was raised at the place that a crash line names; ``lines`` came before it."""
    match = _CRASH.fullmatch(crash_line)
    if match is None:
        return None, crash_line
    raised = _doctest([*lines, crash_line]) or _chain(lines)
    if raised is None:
        raised = _told_in_a_line(match["text"])
    place = Frame(match["file"], int(match["line"]))
    return replace(raised, frames=raised.frames or of_the_project([place])), ""


def _told_in_a_line(text: str) -> Raised:
    if alone := _ALONE.fullmatch(text):
        return Raised(alone["group"], text)
    return Raised(*exception(text))


def _chain(lines: Sequence[str]) -> Raised | None:
    """The last exception of the block; pytest tells the first link of a chain first."""
    result: Raised | None = None
    relation: native.Relation | None = None
    for follows, part in _links(lines):
        first = next(filter(str.strip, part), "")
        link = native.read(part) if native.begins(first) else _entries(part)
        if link is None:
            return None
        if result is None or _same(result, link):
            # Around a group pytest prints a neighbour twice, in its own style and in CPython's.
            result = link if result is None else result
        else:
            result = native.after(link, result, relation)
        relation = follows
    return result


def _same(one: Raised, other: Raised) -> bool:
    return (
        one.type.rpartition(".")[2] == other.type.rpartition(".")[2]
        and one.message == other.message
        and [f.line for f in one.frames[-1:]] == [f.line for f in other.frames[-1:]]
    )


def _links(lines: Sequence[str]) -> Iterator[tuple[native.Relation | None, list[str]]]:
    """The parts of a chain, each with its relation to the part after it."""
    part: list[str] = []
    for line in lines:
        if line[:1] in "TD" and (relation := native.RELATIONS.get(line.rstrip())):
            yield relation, part
            part = []
        else:
            part.append(line)
    yield None, part


@dataclass
class _Entry:
    """One entry of a traceback while its lines come in. ``place`` is set early in the short style."""

    place: re.Match[str] | None = None
    lines: list[str] = field(default_factory=list)


def _entries(lines: Sequence[str]) -> Raised | None:
    """An exception in the long or the short style, or in pytest's mix of both."""
    frames: list[Frame] = []
    marked: list[str] = []
    kind: str | None = None
    entry = _Entry()
    for line in lines:
        if line[:1] in _QUOTING:
            entry.lines.append(line)
        elif _SEPARATOR.fullmatch(line):
            frames += _short(entry)
            entry = _Entry()
        elif MARKED.fullmatch(line):
            marked.append(line)
        elif place := SHORT.fullmatch(line):
            frames += _short(entry)
            entry = _Entry(place)
        elif entry.place is None and (place := _closing(line, entry, marked)):
            frames.append(_long(place, entry.lines))
            kind = place["type"] or None
            entry = _Entry()
        else:
            entry.lines.append(line)
    frames += _short(entry)
    if not marked:
        return None
    where, text = _text(marked)
    shown, message = exception(text, kind)
    return Raised(shown, message, of_the_project([*frames, *where]))


def _closing(line: str, entry: _Entry, marked: Sequence[str]) -> re.Match[str] | None:
    """The location below a long entry: after a blank line, and after source or a message."""
    if not entry.lines or entry.lines[-1].strip():
        return None
    if not marked and not any(each.startswith(">") for each in entry.lines):
        return None
    return PLACE.fullmatch(line)


def _short(entry: _Entry) -> list[Frame]:
    if entry.place is None:
        return []
    number = int(entry.place["line"])
    source, span = under(number, tuple(line[4:] for line in entry.lines if line.startswith("    ")))
    return [Frame(entry.place["file"], number, entry.place["function"], span, source)]


def _long(place: re.Match[str], lines: Sequence[str]) -> Frame:
    number, at = int(place["line"]), _last(lines, ">")
    if at is None:
        return Frame(place["file"], number)
    source, span = under(number, tuple(line[4:] for line in lines[at : at + 2]))
    return Frame(place["file"], number, _function(lines[: at + 1]), span, source)


def _last(lines: Sequence[str], start: str) -> int | None:
    return next((i for i in reversed(range(len(lines))) if lines[i].startswith(start)), None)


def _function(lines: Sequence[str]) -> str | None:
    """The name in the ``def`` that the quoted source begins with."""
    quoted = [line[4:] for line in lines if line.startswith(("    ", ">   "))]
    outer = min((len(q) - len(q.lstrip()) for q in quoted if q.strip()), default=0)
    names = (_DEF.match(q) for q in quoted if len(q) - len(q.lstrip()) == outer)
    return next((name[1] for name in names if name), None)


def _text(marked: Sequence[str]) -> tuple[list[Frame], str]:
    """The text of the ``E`` lines, and the place that a syntax error carries in its own text."""
    lines = [line[1:] for line in marked]
    pad = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    lines = [line[pad:] for line in lines]
    if not native.opens_frame(lines[0]):
        return [], "\n".join(lines)
    frames, rest = native.frames(lines)
    return frames, "\n".join(rest)


def _missing_fixture(lines: Sequence[str]) -> Raised | None:
    place = _MISSING.fullmatch(lines[0]) if lines else None
    marked = [line for line in lines if MARKED.fullmatch(line)]
    if place is None or not marked:
        return None
    name = next((name for line in lines if (name := _DEF.match(line))), None)
    frame = Frame(
        place["file"],
        int(place["line"]),
        name and name[1],
        source=name and name.string.strip(),
    )
    return Raised("FixtureLookupError", _text(marked)[1], (frame,))


def _doctest(lines: Sequence[str]) -> Raised | None:
    """A doctest: the wrong output at its example, or what the example raised, from there inwards."""
    place = next(
        (p for line in reversed(lines) if line.strip() and (p := PLACE.fullmatch(line))), None
    )
    if place is None or place["type"] not in DOCTEST:
        return None
    at = lines.index(place.string)
    example = next((e[1] for line in reversed(lines[:at]) if (e := _EXAMPLE.match(line))), None)
    frame = Frame(place["file"], int(place["line"]), source=example)
    begin = next((i for i, line in enumerate(lines) if native.BEGIN.fullmatch(line)), None)
    inner = native.read(lines[begin:at]) if begin is not None else None
    if inner and place["type"] == "UnexpectedException":
        inside = [f for f in inner.frames if not f.file.startswith("<doctest ")]
        inside = [f for f in inside if f.function != "__run"]
        return replace(inner, frames=(frame, *inside))
    shown = [line for line in lines[:at] if not re.match(r"\d{3,} |\?\?\? ", line)]
    return Raised(place["type"], "\n".join(shown).strip("\n"), (frame,))
