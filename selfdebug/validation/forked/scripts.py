"""Which files of the project are executed in other ways than by an import.

``runpy`` and ``exec`` read a file themselves: what takes its place in an import does not reach them. The
interpreter's audit events tell of each module's code before it runs, and of each text that is compiled:
one that is the text of the file that was opened last is that file's, also under the name ``<string>``.
"""

# A test may patch pathlib; older interpreters run this.
# ruff: noqa: PTH123

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import decode_source
from types import CodeType
from typing import Any

_IMPORTING = ("<frozen importlib", "importlib/_bootstrap")
_REWRITING = "_pytest/assertion/rewrite.py"


class Scripts:
    """Hears of code, as soon as it is asked to. ``real`` gives the path of a file of the project.

    ``files`` holds the paths of what was executed without an import.
    """

    def __init__(self, real: Callable[[str], str | None]) -> None:
        self.files: set[str] = set()
        self.hears = False
        self._real = real
        self._nameless: dict[int, tuple[CodeType, str]] = {}
        self._opened = ""
        self._compiled: tuple[str, str] | None = None  # the name of a text, and whose it is
        self._busy = False
        if hasattr(sys, "addaudithook"):  # from Python 3.8 on
            sys.addaudithook(self._hear)

    def of(self, code: CodeType) -> str | None:
        """Give the file that code without a name of its own was read from, if that is known."""
        known = self._nameless.get(id(code))
        return None if known is None else known[1]

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.hears or self._busy or event not in ("open", "compile", "exec"):
            return
        self._busy = True
        try:
            getattr(self, "_" + event)(*arguments)
        finally:
            self._busy = False

    def _open(self, path: Any, *_: Any) -> None:
        if type(path) is str and path.endswith(".py"):
            self._opened = self._real(path) or self._opened

    def _compile(self, source: Any, name: Any, *_: Any) -> None:
        self._compiled = None
        nameless = type(source) in (str, bytes) and self._real(str(name)) is None
        if nameless and self._opened and _is_text_of(self._opened, source):
            self._compiled = str(name), self._opened

    def _exec(self, code: Any, *_: Any) -> None:
        if type(code) is not CodeType:
            return
        path = self._real(code.co_filename)
        if path is None and self._compiled is not None:
            name, path = self._compiled
            if code.co_filename != name:
                return
            self._keep(code, path)
        if path is not None and not _is_import(sys._getframe(1).f_back):
            self.files.add(path)

    def _keep(self, code: CodeType, path: str) -> None:
        self._nameless[id(code)] = code, path  # kept, so that no other gets its identity
        for each in code.co_consts:
            if type(each) is CodeType:
                self._keep(each, path)


def _is_import(frame: Any) -> bool:
    """Whether a frame that executes a module is of the import system, or of pytest's part in it."""
    if frame is None:  # the interpreter itself executes the program
        return False
    name: str = frame.f_code.co_filename
    return name.startswith(_IMPORTING) or name.replace("\\", "/").endswith(_REWRITING)


def _is_text_of(path: str, source: str | bytes) -> bool:
    try:
        with open(path, "rb") as stream:
            held = stream.read()
        text = source if isinstance(source, str) else source.decode()
        return held == source or decode_source(held) == text
    except (OSError, SyntaxError, ValueError):
        return False
