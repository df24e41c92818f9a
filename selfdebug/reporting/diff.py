"""Unified diffs that ``git apply`` takes, made from bytes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping

from selfdebug.model import Edit

_PLAIN = re.compile(rb"[^\x00-\x1f\"\\\x7f-\xff]+")
_LINES = re.compile(rb"[^\n]*\n|[^\n]+")
_END = b"\n\\ No newline at end of file\n"


def unified(changes: Mapping[str, tuple[bytes, bytes]]) -> bytes:
    """Return the diff of files by their path relative to the root, each before and after.

    Lines end at LF alone, as git has it; a line that the file ends without one is marked.
    """
    return b"".join(
        part
        for path, (before, after) in sorted(changes.items())
        if before != after
        for part in _file(path, before, after)
    )


def line_of(edit: Edit, data: bytes) -> str:
    """Return the whole lines that an edit of a file's bytes writes, as one line without indentation."""
    start, end = edit.start, edit.end
    if not edit.after.startswith((b"\n", b"\r")):
        start = data.rfind(b"\n", 0, start) + 1
    if not edit.after.endswith(b"\n"):
        end = data.find(b"\n", end)
    line = data[start : edit.start] + edit.after + data[edit.end : end if end >= 0 else len(data)]
    return " ".join(line.decode("utf-8", "replace").split())


def text(diff: bytes) -> str:
    """Return a diff as text; bytes that are not UTF-8 become lone surrogates (PEP 383)."""
    return diff.decode("utf-8", "surrogateescape")


def _file(path: str, before: bytes, after: bytes) -> Iterator[bytes]:
    name = path.encode()
    lines = difflib.diff_bytes(
        difflib.unified_diff,
        _LINES.findall(before),
        _LINES.findall(after),
        _label(b"a/" + name),
        _label(b"b/" + name),
        lineterm=b"\n",
    )
    for line in lines:
        yield line if line.endswith(b"\n") else line + _END


def _label(name: bytes) -> bytes:
    """Spell a path as git does: quoted where it must be, with a tab after one that has spaces."""
    if not _PLAIN.fullmatch(name):
        escaped = b"".join(
            byte if _PLAIN.fullmatch(byte) else b"\\%03o" % byte[0]
            for byte in (name[i : i + 1] for i in range(len(name)))
        )
        return b'"' + escaped + b'"'
    return name + b"\t" if b" " in name else name
