"""A Python file as bytes and as text, and the way from one to the other.

Nothing here parses: lines end where CPython's tokenizer ends them (LF, CRLF, CR), never at form
feeds or U+2028; offsets are code points into ``text``; bytes outside an edit are never re-encoded.
"""

from __future__ import annotations

import re
import tokenize
from bisect import bisect_right
from codecs import BOM_UTF8
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path

from selfdebug.model import Edit, Span

_NEWLINE = re.compile(r"\r\n|\r|\n")


class Unreadable(Exception):
    """A source file that cannot be decoded, parsed, or printed back exactly.

    ``line`` and ``column`` say where, as far as that is known.
    """

    def __init__(self, path: Path, why: str, line: int | None = None, column: int | None = None):
        self.path, self.why, self.line, self.column = path, why, line, column
        place = "" if line is None else f":{line}"
        super().__init__(f"{path}{place}: {why}")


class Outdated(Exception):
    """A file that someone else has changed or removed since it was read."""

    def __init__(self, path: Path):
        self.path = path
        super().__init__(f"{path} was changed by someone else in the meantime; run again")


@dataclass(frozen=True)
class Source:
    """A file's bytes with their decoding. ``text`` holds no byte order mark."""

    path: Path
    data: bytes
    text: str
    encoding: str
    bom: bytes = b""

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The offset at which each line starts; one more entry where the text ends with a newline."""
        return (0, *(match.end() for match in _NEWLINE.finditer(self.text)))

    @property
    def lines(self) -> int:
        """The number of lines that hold text."""
        return len(self.starts) - (self.starts[-1] == len(self.text))

    def line(self, number: int) -> str:
        """Return a line without its newline; "" outside the file."""
        return self.slice(number, number).rstrip("\r\n")

    def slice(self, first: int, last: int) -> str:
        """Return lines ``first`` to ``last``, both included, with their newlines."""
        return self.text[self.offset(first, 0) : self.offset(last + 1, 0)]

    def between(self, span: Span) -> str:
        """Return the text of a span."""
        start = self.offset(span.line, span.column)
        return self.text[start : self.offset(span.end_line, span.end_column)]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position; the text's end for lines after the last."""
        if not 1 <= line <= len(self.starts):
            return 0 if line < 1 else len(self.text)
        return min(self.starts[line - 1] + column, len(self.text))

    def byte_offset(self, line: int, column: int) -> int:
        """Return the offset of a position whose column counts bytes of UTF-8, as those of ``ast`` do."""
        before = self.line(line).encode("utf-8", "surrogatepass")[:column]
        return self.offset(line, len(before.decode("utf-8", "replace")))

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1]

    def edit(self, start: int, end: int, after: str) -> Edit:
        """Return the edit that replaces the text between two offsets.

        Raises Unreadable where ``after`` does not exist in the file's encoding.
        """
        before = self._encode(self.text[start:end])
        first = len(self.bom) + len(self._encode(self.text[:start]))
        if self.data[first : first + len(before)] != before:
            raise Unreadable(self.path, f"{self.encoding} text cannot be edited in place")
        return Edit(self.path, first, first + len(before), before, self._encode(after))

    def _encode(self, text: str) -> bytes:
        try:
            return text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise Unreadable(self.path, f"not expressible in {self.encoding}: {error}") from error


def decode(path: Path, data: bytes) -> Source:
    """Decode a file as CPython does (PEP 263 cookie, UTF-8 by default).

    Raises Unreadable where the bytes do not fit the encoding, or would not come back from it.
    """
    bom = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
        encoding = "utf-8" if bom else encoding
        text = data[len(bom) :].decode(encoding)
        returns = text.encode(encoding) == data[len(bom) :]
    except (SyntaxError, UnicodeError, LookupError) as error:
        raise Unreadable(path, f"cannot be decoded: {error}") from error
    if not returns:
        raise Unreadable(path, f"its {encoding} bytes do not survive decoding")
    return Source(path, data, text, encoding, bom)


def read(path: Path) -> Source:
    """Read and decode a file. Raises Unreadable, OSError."""
    return decode(path, path.read_bytes())


def apply(data: bytes, edits: tuple[Edit, ...]) -> bytes:
    """Return ``data`` with edits of one file made; they may not overlap.

    Raises ValueError where the bytes are not those that an edit was made for.
    """
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        if data[edit.start : edit.end] != edit.before:
            raise ValueError(f"{edit.file}: bytes {edit.start} to {edit.end} have changed")
        data = data[: edit.start] + edit.after + data[edit.end :]
    return data
