"""End a test that runs for too long, by an exception where it is: a pytest plugin.

So it fails with a traceback like any other, and the tests after it run. One file, standard library
only, from Python 3.7 on; it does nothing where there is no timer_create(2), or no 64 bits.
``SELFDEBUG_PATIENCE`` is a JSON object like ``limits.Patience``.

A timer of POSIX sends a signal that nobody else sends: unlike a thread it is no matter to tests that
fork, unlike setitimer(2) no test has a use for it. What catches the exception meets it again after a
while, right where it caught it too. A test that cannot be interrupted, as in a call that does not come
back to Python, is ended with its process.
"""

# Python 3.7 runs this, and pytest documents its hooks.
# ruff: noqa: D103

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

_MOST = 0.8  # of the time of the whole run
_AROUND = 3  # how much longer what is around tests may take: imports, fixtures
_NEXT = 0.25  # of the patience is left once a test was ended, and of that after one more
_LEAST = 2.0  # seconds that are left after several, unless one left less
_AGAIN = 3.0  # seconds to the next exception, at most
_GRACE, _PATIENT = 10.0, 5.0  # seconds, and times its own time, to the end of the process
_SIGNAL_EVENT = 0  # SIGEV_SIGNAL


class TestTimeout(BaseException):
    """A test was ended. Not an Exception: that is what a loop that tries again swallows."""

    __test__ = False
    __module__ = "builtins"  # it is called by its name alone


class _Timer:
    """Sends a signal to this process. Raises OSError, AttributeError where there are no such timers."""

    def __init__(self, number: int) -> None:
        import ctypes  # not sooner: most processes need none

        if ctypes.sizeof(ctypes.c_long) != ctypes.sizeof(ctypes.c_longlong):
            raise OSError("the times of 32 bits have other forms")

        class Event(ctypes.Structure):  # struct sigevent
            _fields_ = (
                ("value", ctypes.c_void_p),
                ("number", ctypes.c_int),
                ("notify", ctypes.c_int),
                ("unused", ctypes.c_char * 48),
            )

        self._times = ctypes.c_long * 4  # struct itimerspec
        self._never = self._times(0, 0, 0, 0)
        library = ctypes.CDLL(None, use_errno=True)
        if not hasattr(library, "timer_create"):
            library = ctypes.CDLL("librt.so.1", use_errno=True)
        self._set = library.timer_settime
        self._id = ctypes.c_void_p()
        event = Event(None, number, _SIGNAL_EVENT, b"")
        made = library.timer_create(
            time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(self._id)
        )
        if made != 0:
            raise OSError(ctypes.get_errno(), "timer_create")

    def set(self, seconds: float, again: float = 0.0) -> None:
        """Let it send the signal then, and each time after that if not 0."""
        times = self._times(int(again), int(again % 1 * 1e9), int(seconds), int(seconds % 1 * 1e9))
        self._set(self._id, 0, times, None)

    def stop(self) -> None:
        """Let it send nothing."""
        self._set(self._id, 0, self._never, None)


class Deadline:
    """The time that the phase of a test has, by what those before it took."""

    def __init__(self) -> None:
        self.follow(json.loads(os.environ.get("SELFDEBUG_PATIENCE", "null")))
        self._began = self._start
        self._before = 0.0
        self._ended = 0  # tests
        self._depth = 0
        self._over = False
        self._timers: tuple[int, list[_Timer]] = (0, [])

    def follow(self, rule: Any) -> None:
        """From now on, as if the run began: a ``limits.Patience``, or None for any time."""
        self._rule, self._start = rule, _now()

    @contextmanager
    def watch(self, factor: int = 1) -> Iterator[None]:
        """Watch a phase; ``factor`` is how much longer than a test it may take."""
        if self._rule is None or self._depth:  # imports and fixtures may be nested
            yield
            return
        self._begin(factor)
        try:
            yield
        finally:
            self._end()

    def _begin(self, factor: int) -> None:
        self._began, self._over, self._depth = _now(), False, 1
        seconds = self._allowed(factor)
        if seconds and self._made():
            raises, kills = self._made()
            raises.set(seconds, min(_AGAIN, seconds))
            kills.set(seconds + min(_GRACE, _PATIENT * seconds))

    def _end(self) -> None:
        self._depth = 0
        for timer in self._timers[1]:
            timer.stop()
        if self._over:
            sys.settrace(None)
            self._ended += 1
        else:
            self._before += _now() - self._began

    def _allowed(self, factor: int) -> float:
        rule, before = self._rule, self._before
        patience = left_after(self._ended, rule["seconds"])
        seconds: float = max(patience * factor, rule["factor"] * before)
        if rule["run"] is None:
            return seconds
        left: float = rule["run"] * _MOST - (_now() - self._start)
        if seconds < left:
            return seconds
        return left if left > before else 0.0  # then all of them are to blame together

    def _made(self) -> list[_Timer]:
        """The timers of this process: a fork has none."""
        if self._timers[0] != os.getpid():
            try:
                signal.signal(signal.SIGURG, self._hear)
                made = [_Timer(signal.SIGURG), _Timer(signal.SIGVTALRM)]
            except (ImportError, AttributeError, OSError, ValueError):
                made = []
            self._timers = (os.getpid(), made)
        return self._timers[1]

    def _hear(self, _number: int, frame: FrameType | None) -> None:
        if self._depth and self._timers[0] == os.getpid():
            if self._over:
                self._insist(frame)
            self._over = True
            raise self._timeout()

    def _insist(self, frame: FrameType | None) -> None:
        """Let the line that follows raise too: that of the ``except`` which caught it last time."""
        sys.settrace(lambda *_: None)
        while frame is not None and "_pytest" not in frame.f_code.co_filename:
            frame.f_trace = self._raise
            frame = frame.f_back

    def _raise(self, _frame: FrameType, event: str, _value: object) -> Any:
        if event == "line" and self._depth:
            raise self._timeout()
        return self._raise

    def _timeout(self) -> TestTimeout:
        return TestTimeout(f"still running after {_now() - self._began:.3g} s")


def left_after(ended: int, seconds: float) -> float:
    """Return how many of the seconds for a test are left once so many were ended."""
    if ended == 0:
        return seconds
    return max(seconds * _NEXT**ended, min(seconds * _NEXT, _LEAST))


def _now(clock: Any = time.monotonic) -> float:
    """The time, also where a test has put another clock in the place of the module's."""
    seconds: float = clock()
    return seconds


deadline = Deadline()


# --- hooks that pytest finds by name ---


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, Any, None]:
    with deadline.watch(_AROUND):
        yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_setup() -> Generator[None, Any, None]:
    with deadline.watch(_AROUND):
        yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call() -> Generator[None, Any, None]:
    with deadline.watch():
        yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_teardown() -> Generator[None, Any, None]:
    with deadline.watch(_AROUND):
        yield
