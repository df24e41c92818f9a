"""What the changed functions answer to the calls that the tests made, and to neighbours of these.

Two candidates that all tests accept may still differ; how, is the question that a reviewer would ask.
The arguments of the first calls are copied as the tests make them; after the tests the functions are
called again, with one argument at a time turned into a neighbour of it, into what another call passed,
and into inputs of its type that were made elsewhere. What a call leaves its arguments as belongs to its
answer. An audit hook forbids these
calls whatever reaches out of the process; where the tests left a connection or a file open to write
to, of which a hook may hear nothing, no call is made.
"""

# A test may patch pathlib.
# ruff: noqa: PTH115, PTH208

from __future__ import annotations

import ast
import copy
import fcntl
import gc
import os
import signal
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from inspect import CO_OPTIMIZED
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

from .swap import Real

_CALLS = 4  # recorded for each function
_ITEMS = 6  # neighbours of an item
_EACH = 3  # neighbours of an attribute
_TRIED = 150  # calls made for each function, those of the tests and with neighbours
_CROSSED, _MADE = 20, 40  # and with arguments of other calls, and with inputs that were made
_SHOWN = 8  # attributes of an instance
_DEPTH = 3  # of attributes and containers
_LONGEST = 600  # characters of a value
_SECONDS = 1.0  # for one call
_LATE = 3  # calls of a function that do not end, after which no more are made
_ELEMENTS = 20  # taken of a generator
_NOT_TRIED = "is not tried"
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
    """Watches calls of functions, to make them again.

    ``codes`` are known already, of live ``functions``; those of files that are yet to be imported are
    known by their first lines, in ``places``. ``plugin`` has ``view`` and ``attributes``, which tell of
    a value without running its code. ``inputs`` are literals by the type that they have.
    """

    def __init__(
        self,
        codes: Iterable[CodeType],
        functions: Iterable[FunctionType],
        places: Mapping[str, Collection[int]],
        plugin: Any,
        inputs: Mapping[str, Sequence[str]],
    ) -> None:
        self.codes = {id(code): code for code in codes}
        self.functions = list(functions)
        self.places = places
        self.plugin, self.inputs = plugin, inputs
        self.calls: list[Call] = []
        self._real = Real()

    def watch(self) -> None:
        """Begin to copy the arguments of calls."""
        if self.codes or any(self.places.values()):
            sys.setprofile(self._note)

    def _is_watched(self, code: CodeType) -> bool:
        if id(code) not in self.codes:
            lines = self.places.get(self._real[code.co_filename], ())
            if code.co_firstlineno not in lines or not _is_outermost(code):
                return False
            self.codes[id(code)] = code
        return True

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code.co_flags & (_VARARGS | _KEYWORDS) or not self._is_watched(code):
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
                late = guard.late
                for call, arguments in self._tried(calls):
                    name = self._spelled(call, arguments)
                    if name not in found and guard.late - late < _LATE:
                        found[name] = self._surely(function, arguments, guard)
        return found

    def _tried(self, calls: list[Call]) -> Iterator[tuple[Call, dict[str, Any]]]:
        """Yield each call as it was, then with one argument turned into others."""
        yield from islice(_with(calls, self._neighbours), _TRIED)
        for other in calls:
            # What belongs to another call alone says less of this one.
            yield from islice(_crossed(calls, other), _CROSSED // len(calls))
        made = {
            name: [ast.literal_eval(each) for each in texts] for name, texts in self.inputs.items()
        }
        yield from islice(
            _with(calls, lambda value: iter(made.get(_type_of(value), ())), as_is=False), _MADE
        )

    def _function(self, code: CodeType) -> FunctionType | None:
        known = [each for each in self.functions if each.__code__ is code]
        known += [each for each in gc.get_referrers(code) if isinstance(each, FunctionType)]
        return known[0] if known else None

    def _neighbours(self, value: object) -> Iterator[object]:
        """Yield None first, then what differs little from a value; of an instance in one attribute."""
        kind = type(value)
        if value is not None:
            yield None
        if kind in (*_PLAIN, list, tuple, dict):
            yield from _near(value)
            if kind in (list, tuple):
                yield from self._with_other_items(value)
        elif "text" not in self.plugin.view(value):
            yield from self._altered(value)

    def _with_other_items(self, value: Any) -> Iterator[object]:
        """Turn the first or the last item into a neighbour of it."""
        for at in {0, len(value) - 1} if value else ():
            for other in islice(self._neighbours(value[at]), 1, _ITEMS):  # the first is None
                items = [*value]
                items[at] = other
                yield type(value)(items)

    def _altered(self, value: Any) -> Iterator[object]:
        for name, held in islice(self.plugin.attributes(value).items(), _SHOWN):
            if type(held) in _PLAIN:
                for other in islice(self._neighbours(held), 1, 1 + _EACH):
                    with suppress(Exception):  # whatever its class makes of a copy
                        changed = copy.copy(value)
                        object.__setattr__(changed, name, other)
                        yield changed

    def _surely(self, function: FunctionType, arguments: dict[str, Any], guard: _Guard) -> str:
        """Return what a call comes to, if it comes to the same once more: the time is no answer."""
        again = _fresh(arguments)
        outcome = self._outcome(function, arguments, guard)
        if outcome == _NOT_TRIED or outcome == self._outcome(function, again, guard):
            return outcome
        return _NOT_TRIED

    def _outcome(self, function: FunctionType, arguments: dict[str, Any], guard: _Guard) -> str:
        code = function.__code__
        positional = [arguments[name] for name in code.co_varnames[: code.co_argcount]]
        names = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
        before = {name: self._text(value, name) for name, value in arguments.items()}
        try:
            with guard:
                result = _taken(function(*positional, **{name: arguments[name] for name in names}))
                told = "returns " + self._text(result)
                after = {name: self._text(value, name) for name, value in arguments.items()}
                left = (
                    f"{name} as {after[name]}" for name in before if after[name] != before[name]
                )
                return " and leaves ".join([told, *left])
        except _Forbidden:
            return _NOT_TRIED
        except BaseException as error:  # noqa: BLE001 - whatever it raises is its answer
            return "raises " + type(error).__name__

    def _spelled(self, call: Call, arguments: dict[str, Any]) -> str:
        shown = ", ".join(f"{name}={self._text(value, name)}" for name, value in arguments.items())
        return f"{getattr(call.code, 'co_qualname', call.code.co_name)}({shown})"

    def _text(self, value: object, name: str = "") -> str:
        text = self._told(value, name, _DEPTH)
        return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."

    def _told(self, value: Any, name: str, depth: int) -> str:
        """Tell a value, of an instance its attributes; ``name`` is what it is called."""
        seen = self.plugin.view(value, name)
        text: str = seen.get("text") or "<" + seen["type"] + ">"
        kind = type(value)
        if "<" not in text or not depth:
            return text
        if kind is dict:
            pairs = islice(value.items(), _ITEMS)
            told = (f"{self._told(k, '', 0)}: {self._told(v, str(k), depth - 1)}" for k, v in pairs)
            return "{" + ", ".join(told) + "}"
        if kind in (list, tuple):
            told = (self._told(each, "", depth - 1) for each in islice(value, _ITEMS))
            return ("[{}]" if kind is list else "({})").format(", ".join(told))
        own = {} if "text" in seen else self.plugin.attributes(value)
        if not own:
            return text
        told = (
            f"{name}={self._told(v, name, depth - 1)}" for name, v in islice(own.items(), _SHOWN)
        )
        return f"{kind.__name__}({', '.join(told)})"


def _is_outermost(code: CodeType) -> bool:
    """Whether it is a function's own code, and not that of a lambda or a comprehension on its line."""
    return "<" not in code.co_name and bool(code.co_flags & CO_OPTIMIZED)


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


def _with(
    calls: list[Call], others: Callable[[object], Iterator[object]], *, as_is: bool = True
) -> Iterator[tuple[Call, dict[str, Any]]]:
    """Yield the calls, then each with one argument turned into others."""
    for call in calls if as_is else ():
        yield call, _fresh(call.arguments)
    for call in calls:
        for name, value in call.arguments.items():
            for other in others(value):
                yield call, dict(_fresh(call.arguments), **{name: _copied(other)})


def _crossed(calls: list[Call], other: Call) -> Iterator[tuple[Call, dict[str, Any]]]:
    """Yield the calls with one argument of another call each."""
    for call in calls:
        for name in call.arguments:
            if call is not other:
                yield call, dict(_fresh(call.arguments), **{name: _copied(other.arguments[name])})


def _type_of(value: Any) -> str:
    """The name of a simple type, with that of the items, as ``list[int]``; "" for others."""
    kind = type(value)
    if kind in (list, tuple, dict):
        items = {type(each) for each in (value.values() if kind is dict else value)}
        if len(items) == 1 and (kind is not dict or {type(key) for key in value} == {str}):
            inner = items.pop().__name__
            return f"dict[str, {inner}]" if kind is dict else f"{kind.__name__}[{inner}]"
        return ""
    return kind.__name__ if kind in _PLAIN else ""


def _fresh(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: _copied(value) for name, value in arguments.items()}


def _near(value: object) -> Iterator[object]:
    kind = type(value)
    if kind is bool:
        yield not value
    elif kind in (int, float):
        near = (value + 1, value - 1)  # type: ignore[operator]
        yield from dict.fromkeys(kind(each) for each in (0, -1, 1, 2, *near) if each != value)
    elif kind in (str, bytes, list, tuple):
        yield from _shorter_and_longer(value)
    elif kind is dict:
        yield {}
        for key in islice(value, 3):  # type: ignore[call-overload]
            yield {k: v for k, v in value.items() if k != key}  # type: ignore[attr-defined]
            yield {k: None if k == key else v for k, v in value.items()}  # type: ignore[attr-defined]


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
        self.active, self.late = False, 0
        sys.addaudithook(self._hook)
        signal.signal(signal.SIGALRM, self._stop)

    def __enter__(self) -> None:
        self.active = True
        signal.setitimer(signal.ITIMER_REAL, _SECONDS)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.active = False

    def _stop(self, *_: object) -> None:
        self.late += 1
        raise _Forbidden

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
