"""What a Python process tells of itself that a test started, and what it may do.

It begins in ``site``, before the program, so that all of that is seen; it writes each thing down as it
happens, for a process may end in many ways. Nothing goes to the program's streams, and no file stays
open. Standard library only, from Python 3.7 on; what is not asked for is not imported.

"""

# A program may patch pathlib; older interpreters run this.
# ruff: noqa: PTH118, PTH119, PTH120

from __future__ import annotations

import atexit
import marshal
import os
import sys
from io import FileIO

try:
    from _json import encode_basestring_ascii as _quoted
except ImportError:
    from json.encoder import encode_basestring_ascii as _quoted

_open, _write, _close = os.open, os.write, os.close
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT

TYPE_CHECKING = False  # typing takes longer to import than all of the interpreter
if TYPE_CHECKING:
    from typing import Any

    _Set = set[Any]
else:
    _Set = set  # not subscriptable before Python 3.9


class Teller:
    """Appends to a file what is told to it, a JSON list a line. What it can't write is lost."""

    def __init__(self, file: str) -> None:
        self._file = file

    def __call__(self, kind: str, *what: Any) -> None:
        """Append something of a kind: texts and numbers."""
        line = ",".join(str(each) if type(each) is int else _quoted(each) for each in (kind, *what))
        self.append(b"[" + line.encode() + b"]")

    def append(self, line: bytes) -> None:
        """Append a line that is JSON already."""
        try:
            file = _open(self._file, _APPEND, 0o600)
        except OSError:  # the test is over, and its folder gone
            return
        try:
            _write(file, line + b"\n")
        except OSError:
            pass
        finally:
            _close(file)


class Told(_Set):
    """A set that tells of each thing that is added, the first time."""

    def __init__(self, tell: Any) -> None:
        super().__init__()
        self._tell = tell

    def add(self, value: Any) -> None:
        """Add a thing, and tell of it."""
        if value not in self:
            super().add(value)
            self._tell(value)


def tell_lines(reached: Any, tell: Teller) -> None:
    """Have each line told as it is executed for the first time from now on."""
    reached.lines = Told(lambda place: tell("line", reached.own(place[0]), place[1]))


class Order:
    """What a process is told to do.

    ``tell`` is the file to write to. The folder ``free`` is for the process to use; ``known`` is what
    else it may do to its surroundings, None for anything. It tells, where that is asked for, the
    ``lines`` that are executed and what is done, ``crashes``: exceptions that nobody caught, as
    ``recorder`` does, the file of that plugin, and the ``files`` of the project that are executed. It
    keeps no bytecode where the project is to stay ``clean``.
    """

    tell: str
    free: str
    root: str
    recorder: str
    lines: bool
    crashes: bool
    files: bool
    clean: bool
    known: Any

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)


class Child:
    """This process, from now on."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self._tell = Teller(order.tell)
        if order.lines or order.known is not None:
            self._guard()
        if order.lines:
            self._trace()
        self._root = os.path.join(os.path.realpath(order.root), "")
        self._files = Told(lambda file: self._tell("file", file))
        if hasattr(sys, "addaudithook") and (order.crashes or order.files):
            sys.addaudithook(self._hear)
        elif order.crashes:  # before Python 3.8
            self._shown, sys.excepthook = sys.excepthook, self._show

    def tell_begin(self) -> None:
        """Say that it is there."""
        self._tell("begun", os.getpid())

    def _guard(self) -> None:
        from .guard import Guard

        guard = Guard(self.order.free, self.order.known)
        guard.touched = Told(lambda act: self._tell("touched", act))
        guard.notes = self.order.known is None

    def _trace(self) -> None:
        from .reached import Reached

        reached = Reached(self.order.root, ("",), self._variables)
        reached.begin("")
        tell_lines(reached, self._tell)
        reached.watch()
        atexit.register(self._tell_values, reached)

    def _variables(self, frame: Any) -> Any:
        return _recorder(self.order.recorder).variables(frame)

    def _tell_values(self, reached: Any) -> None:
        reached.rest()
        with _Unnoticed():
            import json

            self._tell.append(json.dumps(["values", reached.described()["values"]]).encode())

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "sys.excepthook" and self.order.crashes:
            self._note(arguments[2])
        elif event == "exec" and self.order.files:
            name = getattr(arguments[0], "co_filename", "<")
            file = os.path.realpath(name)
            if file.startswith(self._root) and not name.startswith("<"):
                self._files.add(file)

    def _show(self, kind: Any, error: Any, traceback: Any) -> None:
        self._note(error)
        self._shown(kind, error, traceback)

    def _note(self, error: Any) -> None:
        """Write down an exception that nobody caught."""
        try:
            with _Unnoticed():
                import json

                plugin = _recorder(self.order.recorder)
                raised = plugin.raised(error, plugin.Place(self.order.root))
                self._tell.append(json.dumps(["raised", raised]).encode())
        except Exception:  # noqa: BLE001 - the program's own end must not change
            return


class _Unnoticed:
    """Imports are of the standard library, whatever the program has of these names, and do not stay."""

    def __enter__(self) -> None:
        self._path, self._modules = sys.path[:], {*sys.modules}
        sys.path[:] = filter(_is_standard, self._path)

    def __exit__(self, *_: object) -> None:
        sys.path[:] = self._path
        for name in {*sys.modules} - self._modules:
            del sys.modules[name]


def _is_standard(folder: str) -> bool:
    standard = os.path.dirname(os.__file__)
    own = folder == standard or folder.startswith(os.path.join(standard, ""))
    return own and "-packages" not in folder


def _recorder(file: str) -> Any:
    """Import the plugin that records failures, which needs no more of pytest here than its name."""
    name = os.path.basename(file)[:-3]
    if name not in sys.modules:
        lacks = "pytest" not in sys.modules
        if lacks:
            pytest: Any = type(sys)("pytest")
            pytest.hookimpl = lambda *_, **__: lambda function: function
            sys.modules["pytest"] = pytest
        sys.path.insert(0, os.path.dirname(file))
        try:
            __import__(name)
        finally:
            sys.path.remove(os.path.dirname(file))
            if lacks:
                del sys.modules["pytest"]
    return sys.modules[name]


def begin(order: str) -> None:
    """Do what the file of this path says, if it is still there."""
    try:
        with FileIO(order) as stream:
            told = marshal.loads(stream.readall() or b"")
    except OSError:
        return
    if told["clean"]:
        sys.dont_write_bytecode = True
    child = Child(Order(**told))
    child.tell_begin()
