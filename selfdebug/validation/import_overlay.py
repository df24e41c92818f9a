"""Imports see other bytes than the files hold: a pytest plugin for the project's own interpreter.

One file, standard library only, from Python 3.7 on, loaded with ``-p`` before the project is
imported. ``SELFDEBUG_OVERLAY`` names a JSON file: for each path the file with the bytes to import
instead (null: the file's own) and the path that must not be imported in its stead (or null).
At the end it appends to ``SELFDEBUG_REPORT`` which of them were really imported.
"""

# A test may patch pathlib, and pytest documents its hooks.
# ruff: noqa: D103, PTH119, PTH122

from __future__ import annotations

import json
import linecache
import os
import sys
import types
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import decode_source
from io import FileIO
from typing import Any

import pytest

try:
    from resource import RUSAGE_CHILDREN, getrusage
except ImportError:  # Windows
    getrusage = None  # type: ignore[assignment]

_dumps = json.JSONEncoder().encode
_get_vars: Any = types.ModuleType.__dict__["__dict__"].__get__  # type: ignore[index]
_get_mro = type.__dict__["__mro__"].__get__


def _real(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))


class Overlay:
    """The replaced files, and what became of them."""

    def __init__(self, replaced: dict[str, list[str | None]]) -> None:
        self.served: dict[str, bytes] = {}
        self.expected: dict[str, str] = {}  # real path -> path as given
        self.elsewhere: dict[str, str] = {}
        self.loaded: set[str] = set()
        self.codes: dict[str, list[types.CodeType]] = {}  # real path -> what it was compiled to
        self.names: set[str] = set()  # last parts of the modules' names
        self.basenames: set[str] = set()  # to look at few files closely
        self.watches = False
        for path, (content, other) in replaced.items():
            self._expect(path)
            if other is not None:
                self.elsewhere[_real(other)] = path
                self.watches = True
            if content is not None:
                with FileIO(content) as stream:
                    self.serve(path, stream.readall())

    def _expect(self, path: str) -> str:
        real = _real(path)
        self.expected[real] = path
        self.basenames.add(os.path.basename(path))
        return real

    def serve(self, path: str, source: bytes) -> None:
        """Have these bytes imported instead of the file's own."""
        self.served[self._expect(path)] = source
        folder, name = os.path.split(path)
        stem = os.path.splitext(name)[0]
        self.names.add(os.path.basename(folder) if stem == "__init__" else stem)
        # Without a modification time, linecache does not look at the file again.
        linecache.cache[path] = (len(source), None, _lines(source), path)

    def source(self, path: str) -> bytes | None:
        """Give the bytes to import instead of the file's own, if there are any."""
        return self.served.get(_real(path)) if os.path.basename(path) in self.basenames else None

    def install(self) -> None:
        """Serve them to every loader of source files, past bytecode and assertion rewriting."""
        get_code, get_data = SourceFileLoader.get_code, SourceFileLoader.get_data

        def overlaid_code(loader: Any, fullname: str) -> Any:
            path = loader.get_filename(fullname)
            source = self.source(path)
            if source is None:
                return get_code(loader, fullname)
            self.loaded.add(self.expected[_real(path)])
            code = loader.source_to_code(source, path)
            self.codes.setdefault(_real(path), []).append(code)
            return code

        def overlaid_data(loader: Any, path: Any) -> bytes:
            source = self.source(os.fspath(path))
            return get_data(loader, path) if source is None else source

        SourceFileLoader.get_code = overlaid_code  # type: ignore[method-assign,assignment]
        SourceFileLoader.get_data = overlaid_data  # type: ignore[method-assign,assignment]
        sys.meta_path.insert(0, self)
        if self.watches and hasattr(sys, "addaudithook"):  # from Python 3.8 on
            sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """In a copy, who opens a file gets what it is to get: for ``runpy`` and ``exec``."""
        path = arguments[0] if event == "open" else None
        if type(path) is str and os.path.basename(path) in self.basenames:
            real = _real(path)
            if real in self.expected:
                self.loaded.add(self.expected[real])

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Take a replaced module from pytest's assertion rewriting, which reads the file itself."""
        if fullname.rpartition(".")[2] not in self.names:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find and find(fullname, path, target)
            if spec is not None:
                self._take(spec)
                return spec
        return None

    def _take(self, spec: ModuleSpec) -> None:
        by_itself = isinstance(spec.loader, SourceFileLoader)
        if not by_itself and spec.origin is not None and self.source(spec.origin) is not None:
            spec.loader = SourceFileLoader(spec.name, spec.origin)

    def record(self, spawned: bool) -> dict[str, Any]:
        """Tell which files were imported as wanted, and which otherwise."""
        missed = set()
        for module in list(sys.modules.values()):
            if types.ModuleType not in _get_mro(type(module)):
                continue
            file = _get_vars(module).get("__file__")
            if type(file) is not str or os.path.basename(file) not in self.basenames:
                continue
            file = _real(file)
            if file in self.elsewhere:
                missed.add(self.elsewhere[file])
            elif file in self.served:
                missed |= {self.expected[file]} - self.loaded
            elif file in self.expected:
                self.loaded.add(self.expected[file])
        return {
            "kind": "overlay",
            "loaded": sorted(self.loaded),
            "missed": sorted(missed),
            "spawned": spawned,
        }


def _lines(source: bytes) -> list[str]:
    return [line + "\n" for line in decode_source(source).split("\n")]


def faults_of_children() -> int:
    """Give a number that grows with every child process that was waited for."""
    return getrusage(RUSAGE_CHILDREN).ru_minflt if getrusage is not None else 0


_overlay = None
if "SELFDEBUG_OVERLAY" in os.environ:
    with FileIO(os.environ["SELFDEBUG_OVERLAY"]) as _stream:
        _overlay = Overlay(json.loads(_stream.readall().decode()))
    _overlay.install()
    _children_before = faults_of_children()


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: Any) -> None:
    global _children_before  # noqa: PLW0603 - what a worker of xdist started for itself is no test's
    if _overlay is not None and hasattr(session.config, "workerinput"):
        _children_before = faults_of_children()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: Any) -> None:
    if _overlay is None:
        return
    spawned = faults_of_children() != _children_before
    if not hasattr(session.config, "workerinput"):  # the children of xdist's controller are workers
        spawned = spawned and getattr(session.config.option, "dist", "no") == "no"
    record = dict(_overlay.record(spawned), pid=os.getpid())
    with FileIO(os.environ["SELFDEBUG_REPORT"], "ab") as stream:
        stream.write(_dumps(record).encode() + b"\n")
