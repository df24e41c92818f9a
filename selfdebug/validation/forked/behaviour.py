"""What the changed functions answer to the calls that the tests made, and to neighbours of these.

Two candidates that all tests accept may still differ; how, is the question that a reviewer would ask.
The arguments of the first calls are copied as the tests make them; after the tests the functions are
called again, with one argument at a time turned into a neighbour of it. An audit hook forbids these
calls whatever reaches out of the process; where the tests left a connection or a file open to write
to, of which a hook may hear nothing, no call is made.
"""

# A test may patch pathlib.
# ruff: noqa: PTH115, PTH208

from __future__ import annotations

import copy
import fcntl
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from types import (
    AsyncGeneratorType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
)
from typing import Any, NamedTuple

_CALLS = 4  # recorded for each function
_ITEMS = 6  # neighbours of an item
_TRIED = 60  # calls made for each function
_SECONDS = 1.0  # for one call
_ELEMENTS = 20  # taken of a generator
_VARARGS, _KEYWORDS = 0x4, 0x8
_PLAIN = (type(None), bool, int, float, str, bytes)
_REACHING_OUT = (
    *("os.", "shutil.", "subprocess.", "socket.", "sqlite3.", "ftplib.", "smtplib.", "urllib."),
    *("http.", "imaplib.", "poplib.", "telnetlib.", "ctypes.", "pty.", "signal.", "webbrowser."),
    *("fcntl.", "mmap.", "resource.", "syslog.", "nntplib.", "tempfile."),
)
_READING = frozenset(("os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.getxattr"))


class _Forbidden(BaseException):
    """A call tried to reach out of the process, or took too long."""


class Call(NamedTuple):
    """A function's code with the arguments of one call, by the names of its parameters."""

    code: CodeType
    arguments: dict[str, Any]


class Behaviour:
    """Watches calls of functions, to make them again. ``view`` tells a value without its code."""

    def __init__(
        self,
        codes: Iterable[CodeType],
        functions: Iterable[FunctionType],
        view: Callable[[Any], Any],
    ) -> None:
        self.codes = {id(code): code for code in codes}
        self.functions = list(functions)
        self.view = view
        self.calls: list[Call] = []

    def watch(self) -> None:
        """Begin to copy the arguments of calls."""
        if self.codes:
            sys.setprofile(self._note)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or id(code) not in self.codes or code.co_flags & (_VARARGS | _KEYWORDS):
            return
        if sum(call.code is code for call in self.calls) < _CALLS:
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            try:
                arguments = {name: _copied(frame.f_locals[name]) for name in names}
            except Exception:  # noqa: BLE001 - what can't be copied is not called again
                return
            self.calls.append(Call(code, arguments))

    def answers(self, private: str) -> dict[str, str]:
        """Return what each call, and each neighbour of it, comes to; by a text of the call.

        ``private`` is the folder of this process, where open files are no matter.
        """
        sys.setprofile(None)
        found: dict[str, str] = {}
        if _is_connected(private):
            return found
        guard = _Guard()
        for code in self.codes.values():
            function = self._function(code)
            calls = [call for call in self.calls if call.code is code]
            if function is not None:
                for name, arguments in islice(_tried(calls, self._text), _TRIED):
                    found[name] = self._outcome(function, arguments, guard)
        return found

    def _function(self, code: CodeType) -> FunctionType | None:
        known = [each for each in self.functions if each.__code__ is code]
        known += [each for each in gc.get_referrers(code) if isinstance(each, FunctionType)]
        return known[0] if known else None

    def _outcome(self, function: FunctionType, arguments: dict[str, Any], guard: _Guard) -> str:
        code = function.__code__
        positional = [arguments[name] for name in code.co_varnames[: code.co_argcount]]
        names = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
        try:
            arguments = {name: arguments[name] for name in names}
            with guard:
                result = _taken(function(*positional, **arguments))
                return "returns " + self._text(result)
        except _Forbidden:
            return "is not tried"
        except BaseException as error:  # noqa: BLE001 - whatever it raises is its answer
            return "raises " + type(error).__name__

    def _text(self, value: object) -> str:
        seen = self.view(value)
        text: str = seen.get("text") or "<" + seen["type"] + ">"
        return text


def _copied(value: Any) -> Any:
    if isinstance(value, _PLAIN):
        return value
    return copy.deepcopy(value)


def _taken(value: Any) -> Any:
    """The first elements of a generator: it has done nothing yet."""
    if isinstance(value, GeneratorType):
        return list(islice(value, _ELEMENTS))
    if isinstance(value, (CoroutineType, AsyncGeneratorType)):
        getattr(value, "close", lambda: None)()
        raise _Forbidden
    return value


def _tried(
    calls: list[Call], text: Callable[[object], str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each call as it was, then with one argument turned into a neighbour."""
    for call in calls:
        yield _spelled(call, call.arguments, text), _fresh(call.arguments)
    for call in calls:
        for name, value in call.arguments.items():
            for other in _neighbours(value):
                arguments = dict(_fresh(call.arguments), **{name: other})
                yield _spelled(call, arguments, text), arguments


def _fresh(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: _copied(value) for name, value in arguments.items()}


def _spelled(call: Call, arguments: dict[str, Any], text: Callable[[object], str]) -> str:
    shown = ", ".join(f"{name}={text(value)}" for name, value in arguments.items())
    return f"{getattr(call.code, 'co_qualname', call.code.co_name)}({shown})"


def _neighbours(value: object) -> Iterator[object]:
    kind = type(value)
    if value is not None:
        yield None
    if kind is bool:
        yield not value
    elif kind in (int, float):
        near = (value + 1, value - 1)  # type: ignore[operator]
        yield from dict.fromkeys(kind(each) for each in (0, -1, 1, 2, *near) if each != value)
    elif kind in (str, bytes, list, tuple):
        yield from _shorter_and_longer(value)
        if kind in (list, tuple):
            yield from _with_other_items(value)
    elif kind is dict:
        yield {}
        for key in islice(value, 3):  # type: ignore[call-overload]
            yield {k: v for k, v in value.items() if k != key}  # type: ignore[attr-defined]
            yield {k: None if k == key else v for k, v in value.items()}  # type: ignore[attr-defined]


def _with_other_items(value: Any) -> Iterator[object]:
    """Turn the first or the last item into a neighbour of it."""
    for at in {0, len(value) - 1} if value else ():
        for other in islice(_neighbours(value[at]), 1, _ITEMS):  # the first is None
            items = [*value]
            items[at] = other
            yield type(value)(items)


def _shorter_and_longer(value: Any) -> Iterator[object]:
    empty = type(value)()
    if value:
        yield empty
        yield value[:1]
        yield value[1:]
        yield value + value[-1:]
    if type(value) is str:
        yield value.swapcase()
        yield " " + value
    if type(value) is list:
        yield [*value, None]


class _Guard:
    """Lets a call neither reach out of the process nor run for long. It stays to the process's end."""

    def __init__(self) -> None:
        self.active = False
        sys.addaudithook(self._hook)
        signal.signal(signal.SIGALRM, _stop)

    def __enter__(self) -> None:
        self.active = True
        signal.setitimer(signal.ITIMER_REAL, _SECONDS)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.active = False

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.active and _reaches_out(event, arguments):
            raise _Forbidden


def _is_connected(private: str) -> bool:
    """Whether the process could change something outside without a word: databases do so in C."""
    for name in os.listdir("/proc/self/fd"):
        try:
            leads = os.readlink("/proc/self/fd/" + name)
            writes = fcntl.fcntl(int(name), fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
        except OSError:
            continue
        inside = leads.startswith((os.path.join(private, ""), "/dev/", "/memfd:", "/proc/"))  # noqa: PTH118
        if leads.startswith("socket:") or (leads.startswith("/") and writes and not inside):
            return True
    return False


def _reaches_out(event: str, arguments: tuple[Any, ...]) -> bool:
    if event == "open":
        mode, flags = arguments[1], arguments[2]
        writes = isinstance(mode, str) and set(mode) & set("wax+")
        return bool(writes or (mode is None and isinstance(flags, int) and flags & 3))
    return event.startswith(_REACHING_OUT) and event not in _READING


def _stop(*_: object) -> None:
    raise _Forbidden
