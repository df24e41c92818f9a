"""What a probe calls: it writes down, as JSON lines, what a statement saw.

Standard library only, from Python 3.7 on: this folder goes on the ``PYTHONPATH`` of the program that
holds probes. ``SELFDEBUG_PROBES`` names the file; ``-`` is standard output; unset, nothing is written.

A probe never changes what the program does: no code of the program runs to show a value, no value is
kept, and no error of ours comes out. Each record has ``kind``, ``file``, ``span`` (line, column, end
line, end column; of the file without its probes), ``code``, ``at`` (where the span of its probe
begins), ``function``, ``pid``, ``thread``, ``n`` (the order in the process) and ``hit`` (how often
the probe was reached); ``DBG-PROBE`` has ``locals``, ``DBG-STMT`` a ``value``, ``DBG-CAUGHT`` an
``exception`` and ``locals``.
"""

# The program may patch pathlib.
# ruff: noqa: PTH109, PTH118

from __future__ import annotations

import atexit
import itertools
import json
import os
import re
import sys
import threading
from collections import deque
from io import FileIO
from os import getpid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType, TracebackType

    from selfdebug._runtime import selfdebug_values as values
    from selfdebug._runtime.selfdebug_values import Record
else:
    import selfdebug_values as values
    from selfdebug_values import Record

FIRST = 20  # hits of a probe that are written at once
LAST = 20  # hits kept besides, and written at the end
SEEN = 5000  # hits that are looked at; after them only exceptions are
WATCHED = 500  # hits in which an expression's exception is waited for
CODE = 80  # characters of code shown

# Bound now: a test may patch these modules.
_dumps = json.JSONEncoder(separators=(",", ":")).encode
_get_frame, _get_ident = sys._getframe, threading.get_ident
_get_trace, _set_trace = sys.gettrace, sys.settrace
_START = os.getcwd()
_PATH = os.environ.get("SELFDEBUG_PROBES", "")
if _PATH not in ("", "-"):
    _PATH = os.path.join(_START, _PATH)

_order = itertools.count(1)
_busy = threading.local()


class _Hits:
    """How often a probe was reached, and its last records that are not written yet."""

    __slots__ = ("count", "last")

    def __init__(self) -> None:
        self.count = itertools.count(1)
        self.last: deque[Record] = deque(maxlen=LAST)


_probes: dict[tuple[str, str, str], _Hits] = {}


# --- what the inserted code calls ---


def before(spec: str) -> Callable[[Any], Any]:
    """Log the caller's variables. Called with a value, the result gives it back."""
    _log("DBG-PROBE", _get_frame(1), spec, _locals)
    return _same


def value(at: str, spec: str, seen: Any) -> Any:
    """Log a value and give it back. Functions, methods, classes and modules are not worth a line."""
    if not values.is_code(seen):
        name = re.search(r"(\w*)\W*$", spec)
        called = name.group(1) if name else ""
        _log("DBG-STMT", _get_frame(1), spec, lambda _: Record(value=values.view(seen, called)), at)
    return seen


class _Caught:
    __slots__ = ("spec",)

    def __init__(self, spec: str) -> None:
        self.spec = spec

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        _: TracebackType | None,
    ) -> None:
        if error is not None and kind is not GeneratorExit:
            _raised(_get_frame(1), self.spec, error)


caught = _Caught


def catching(spec: str) -> Callable[[Any], Any]:
    """Log an exception that passes through the caller until it goes on to other lines or returns.

    Where a ``with`` can't stand, a trace function sees the exception pass; under another one (a
    debugger, coverage) it is not seen. Called with a value, the result gives it back.
    """
    frame = _get_frame(1)
    if _PATH and _get_trace() is None and next(_hits("watch", frame, spec).count) <= WATCHED:
        frame.f_trace = _Watch(spec).step
        _set_trace(_no_trace)
    return _same


def _same(value: Any) -> Any:
    return value


class _Watch:
    __slots__ = ("lines", "spec")

    def __init__(self, spec: str) -> None:
        (first, _, last, _), _ = _parsed(spec)
        self.spec, self.lines = spec, range(first, last + 1)

    def step(self, frame: FrameType, event: str, seen: Any) -> Any:
        if event == "exception" and seen[0] is StopIteration:  # how a loop ends
            return self.step
        if event == "exception":
            _raised(frame, self.spec, seen[1])
        elif event != "return" and frame.f_lineno in self.lines:
            return self.step
        frame.f_trace = None
        if _get_trace() is _no_trace:
            _set_trace(None)
        return None


def _no_trace(frame: FrameType, event: str, seen: Any) -> None:
    """The trace function of the frames that nobody watches."""


# --- records ---


def _locals(frame: FrameType) -> Record:
    return Record(locals=values.variables(frame))


def _raised(frame: FrameType, spec: str, error: BaseException) -> None:
    def seen(frame: FrameType) -> Record:
        shown = Record(type=values.type_name(type(error)), message=values.message(error))
        return Record(exception=shown, locals=values.variables(frame))

    _log("DBG-CAUGHT", frame, spec, seen)


def _log(
    kind: str,
    frame: FrameType,
    spec: str,
    look: Callable[[FrameType], Record],
    at: str | None = None,
) -> None:
    # A probe in what this module itself calls (json, re) would come back here.
    if not _PATH or getattr(_busy, "now", False):
        return
    _busy.now = True
    try:
        hits = _hits(kind, frame, spec)
        hit = next(hits.count)
        if hit > SEEN and kind != "DBG-CAUGHT":
            return
        record = dict(_head(kind, frame, spec, at), hit=hit, **look(frame))
        if hit > FIRST:
            hits.last.append(record)
        elif kind == "DBG-CAUGHT":
            flush(record)
        else:
            _append([record])
    except Exception:  # noqa: BLE001 - the program must not see that it is watched
        pass
    finally:
        _busy.now = False


def _hits(kind: str, frame: FrameType, spec: str) -> _Hits:
    return _probes.setdefault((kind, frame.f_code.co_filename, spec), _Hits())


def _head(kind: str, frame: FrameType, spec: str, at: str | None) -> Record:
    span, code = _parsed(spec)
    name = frame.f_code.co_filename
    return Record(
        kind=kind,
        file=name if name.startswith("<") else os.path.normpath(os.path.join(_START, name)),
        span=span,
        code=code,
        at=at or f"{span[0]}:{span[1]}",
        function=getattr(frame.f_code, "co_qualname", frame.f_code.co_name),
        pid=getpid(),
        thread=_get_ident(),
        n=next(_order),
    )


def _parsed(spec: str) -> tuple[list[int], str]:
    place, _, code = spec.partition(" ")
    return [int(number) for number in re.split("[:-]", place)], code


# --- the file ---


def flush(*records: Record) -> None:
    """Write the records that are kept back, then those given."""
    kept = [
        probe.last.popleft() for probe in list(_probes.values()) for _ in range(len(probe.last))
    ]
    _append([*sorted(kept, key=lambda record: record["n"]), *records])


def _append(records: list[Record]) -> None:
    if not records or not _PATH:
        return
    data = b"".join(_dumps(record).encode() + b"\n" for record in records)
    with FileIO(1, "wb", closefd=False) if _PATH == "-" else FileIO(_PATH, "ab") as stream:
        while data:
            data = data[stream.write(data) or 0 :]


def _forget() -> None:
    for probe in _probes.values():
        probe.last.clear()
    _busy.now = False


atexit.register(flush)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
