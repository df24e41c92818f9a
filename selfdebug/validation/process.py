"""A child process that ends as a whole: with its group, its strays, its time, in bounded memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

HEAD = 64 * 1024  # bytes of output kept from the start
TAIL = 192 * 1024  # and from the end
GRACE = 2.0  # seconds between being asked to end and being ended
_CHUNK = 64 * 1024
_TICK = 0.05  # seconds between looks at ``stop``


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process went. ``exit_code`` is None where it was ended for its time or on request."""

    exit_code: int | None
    output: str
    seconds: float


@dataclass(slots=True)
class Output:
    """The head and the tail of a stream of any length."""

    head: bytearray = field(default_factory=bytearray)
    tail: deque[bytes] = field(default_factory=deque)
    length: int = 0

    def drain(self, stream: IO[bytes]) -> None:
        """Read it to its end."""
        while chunk := os.read(stream.fileno(), _CHUNK):
            room = HEAD - len(self.head)
            self.head += chunk[:room]
            if rest := chunk[room:] if room else chunk:
                self._keep(rest)

    def _keep(self, chunk: bytes) -> None:
        self.tail.append(chunk)
        self.length += len(chunk)
        while self.length - len(self.tail[0]) >= TAIL:
            self.length -= len(self.tail.popleft())

    def text(self) -> str:
        """Return what was kept; a mark stands for what was not."""
        tail = b"".join(self.tail)
        left_out = b"\n[...]\n" if len(tail) > TAIL else b""
        return (bytes(self.head) + left_out + tail[-TAIL:]).decode("utf-8", "replace")


class Process:
    """A command in a session of its own. Raises OSError where it can't be started.

    ``mark`` is a text that occurs in ``env`` and nowhere else: by it, descendants that left the
    process group are found (where there is /proc). ``handed`` are descriptors that the command keeps.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        mark: str = "",
        handed: Collection[int] = (),
    ) -> None:
        self._mark, self._output, self._over = mark, Output(), threading.Event()
        self._process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=handed,
        )
        assert self._process.stdout is not None
        self._stdout = self._process.stdout
        self._reader = _background(self._output.drain, self._stdout)
        _background(_await, self._process, self._over)

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def wait(self, timeout: float, stop: threading.Event | None = None) -> Ended:
        """Wait for its end, and end all that it started.

        After ``timeout`` seconds from now, or once ``stop`` is set, its process group is asked to end
        and after a grace ended. On KeyboardInterrupt everything is ended first.
        """
        began, in_time = time.monotonic(), False
        try:
            in_time = _wait(self._over, began + timeout, stop)
            if not in_time:
                _signal(self._process, signal.SIGTERM)
                self._over.wait(GRACE)
        finally:
            self.end()
        seconds = time.monotonic() - began
        code = self._process.returncode if in_time else None
        return Ended(code, self._output.text(), seconds)

    def end(self) -> None:
        """End it now with all that it started; nothing where it has ended so."""
        if self._stdout.closed:
            return
        _signal(self._process, None)
        for pid in _strays(self._mark):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join(GRACE)
        if not self._reader.is_alive():
            self._stdout.close()


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout: float,
    stop: threading.Event | None = None,
    mark: str = "",
) -> Ended:
    """Start a command, and wait for its end as ``Process`` does. Raises OSError."""
    return Process(argv, cwd=cwd, env=env, mark=mark).wait(timeout, stop)


def _background(function: object, *args: object) -> threading.Thread:
    thread = threading.Thread(target=function, args=args, daemon=True)  # type: ignore[arg-type]
    thread.start()
    return thread


def _await(process: subprocess.Popen[bytes], over: threading.Event) -> None:
    """See the process end without reaping it, so that its group's number stays its own."""
    if hasattr(os, "waitid"):
        with suppress(ChildProcessError):  # reaped already, at the end of its time
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    else:
        process.wait()
    over.set()


def _wait(over: threading.Event, deadline: float, stop: threading.Event | None) -> bool:
    while (left := deadline - time.monotonic()) > 0:
        if over.wait(left if stop is None else min(left, _TICK)):
            return True
        if stop is not None and stop.is_set():
            return False
    return over.is_set()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals | None) -> None:
    """Send it to the whole group; None is the signal that can't be caught."""
    if sys.platform == "win32":
        tree = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(tree, capture_output=True, check=False)
        return
    with suppress(OSError):
        os.killpg(process.pid, number or signal.SIGKILL)


def _strays(mark: str) -> Iterable[int]:
    if not mark:
        return
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark.encode() in environment.read_bytes():
                yield int(environment.parent.name)
