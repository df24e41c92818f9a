"""Which test ran the code that a candidate changes, and what code that was."""

# A test may patch pathlib.
# ruff: noqa: PTH123

from __future__ import annotations

import dis
from collections.abc import Iterable, Iterator
from importlib.util import decode_source
from types import CodeType
from typing import Any

from . import started, swap

try:
    from _sha2 import sha256  # type: ignore[import-not-found]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha256  # it loads all of OpenSSL, and makes each fork larger


class Proof:
    """Looks whether code on the changed lines of some files began to run.

    ``replaced`` has their new bytes, ``codes`` the code that came of it: grows with each import.
    """

    def __init__(self, replaced: dict[str, bytes], codes: dict[str, list[CodeType]]) -> None:
        self.replaced = replaced
        self.codes = codes
        self._lines: dict[str, set[int]] = {}

    def look(self) -> list[dict[str, Any]]:
        """Describe what of the changed code has run; an empty list while there is none."""
        return [
            _described(path, code)
            for path in self.replaced
            for code in _touched(self.codes.get(path, ()), self._changed(path))
            if started.ran(code)
        ]

    def _changed(self, path: str) -> set[int]:
        if path not in self._lines:
            self._lines[path] = set(_changed(path, self.replaced[path]))
        return self._lines[path]


def _changed(path: str, source: bytes) -> Iterator[int]:
    """The lines of the new text that differ; where lines only went, those around."""
    with open(path, "rb") as stream:
        old = decode_source(stream.read()).split("\n")
    for _, _, first, last in swap.edits(old, decode_source(source).split("\n")):
        yield from range(first + 1, last + 1) if first < last else (first, first + 1)


def _touched(roots: Iterable[CodeType], lines: set[int]) -> list[CodeType]:
    """The code with instructions on the lines; for a line without any, what stands around it."""
    spans = [
        (code, {line for _, line in dis.findlinestarts(code) if line})
        for root in roots
        for code in swap.tree(root)
    ]
    touched = [code for code, own in spans if own & lines]
    around = [
        (code.co_firstlineno, code)
        for code, own in spans
        if own and code.co_firstlineno <= min(lines, default=0) <= max(own) + 1
    ]
    return touched or [code for first, code in around if first == max(around)[0]]


def _described(path: str, code: CodeType) -> dict[str, Any]:
    return {
        "file": path,
        "function": getattr(code, "co_qualname", code.co_name),
        "line": code.co_firstlineno,
        "digest": sha256(repr(swap.deep(code)).encode()).hexdigest(),
    }
