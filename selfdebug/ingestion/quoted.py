"""What the formats share: an exception's one-line text, and a quoted source line with its carets.

A traceback quotes source without its indentation, so a column of the file cannot be known before the
file is read. The spans made here count columns from the first non-blank character of line
``Frame.line``, for both ends: add that line's indentation in the file to ``column`` and
``end_column`` to get columns of the file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from selfdebug.model import Frame, Span

MESSAGE_LIMIT = 16_000
FRAME_LIMIT = 128
_TYPE = r"[^\W\d]\w*(?:\.(?:[^\W\d]\w*|<locals>))*"
_EXCEPTION = re.compile(rf"({_TYPE})(?:: ?(.*))?", re.DOTALL)
_CARETS = re.compile(r"\s*[~^]+\s*")
_ELIDED = re.compile(r"\s*\.\.\.<([0-9]{1,9}) lines?>\.\.\.\s*")
_OWN = re.compile(r"(?:site|dist)-packages[/\\](?:_pytest|pluggy)[/\\]")


def exception(text: str, shown_type: str | None = None) -> tuple[str, str]:
    """Type and message of ``Type: message``. A bare assertion (``assert 1 == 2``) has no type.

    ``shown_type`` is what pytest wrote behind the location, the type without its module.
    """
    text = text[:MESSAGE_LIMIT]
    match = _EXCEPTION.fullmatch(text)
    if match and match[1].rpartition(".")[2].startswith((shown_type or "").rpartition(".")[2]):
        return match[1], match[2] or ""
    return shown_type or "AssertionError", text


def tells(text: str) -> bool:
    """Whether a text reads like an exception: ``Type``, ``Type: message`` or a bare assertion."""
    return text.startswith("assert ") or _EXCEPTION.fullmatch(text) is not None


@lru_cache(maxsize=512)
def under(
    line: int, quoted: tuple[str, ...], *, wide: bool = False
) -> tuple[str | None, Span | None]:
    """The stripped source line and the span that the caret lines below it mark.

    ``quoted`` begins with the text of ``line``; further lines follow where Python 3.13 shows a
    statement whole. ``~~~^~~~`` is one span, as ``co_positions`` gives it. ``wide`` says that carets
    are counted in terminal cells: where that differs from characters there is no span.
    """
    if not quoted or quoted[0].strip() in {"", "???"}:
        return None, None
    first = quoted[0].strip()
    if len(quoted) == 1:
        return first, None
    indent = len(quoted[0]) - len(quoted[0].lstrip())
    marks = list(_marks(quoted[1:]))
    if not marks or marks[0][0] != 0:
        return first, None
    (_, column, _), (last, _, end) = marks[0], marks[-1]
    span = Span(line, column - indent, line + last, end - indent)
    return first, None if _unsure(first, span, wide=wide) else span


def _marks(lines: Iterable[str]) -> Iterable[tuple[int, int, int]]:
    """Rows below the first, counted as lines of the file, that carets underline: row, start, end."""
    row = 0
    for line in lines:
        if _CARETS.fullmatch(line):
            yield row, len(line) - len(line.lstrip()), len(line.rstrip())
        elif elided := _ELIDED.fullmatch(line):
            row += int(elided[1])
        else:
            row += 1


def _unsure(source: str, span: Span, *, wide: bool) -> bool:
    """True where the carets stop at the line's end in the middle of brackets, or count cells."""
    if (
        wide
        and not source.isascii()
        and any(unicodedata.east_asian_width(each) in "WF" for each in source)
    ):
        return True
    marked = source[span.column : span.end_column]
    opened = sum(map(marked.count, "([{")) - sum(map(marked.count, ")]}"))
    return span.line == span.end_line and span.end_column >= len(source) and opened > 0


def of_the_project(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Without the frames of pytest and pluggy; endless recursion folded to its two ends."""
    kept = [frame for frame in frames if not _OWN.search(frame.file)]
    if len(kept) > FRAME_LIMIT:
        kept = kept[: FRAME_LIMIT // 2] + kept[-FRAME_LIMIT // 2 :]
    return tuple(kept)
