"""A child process that ends as a whole: with its group, its strays, its time, in bounded memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
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
class _Output:
    """The head and the tail of a stream of any length."""

    head: bytearray = field(default_factory=bytearray)
    tail: deque[bytes] = field(default_factory=deque)
    length: int = 0

    def drain(self, stream: IO[bytes]) -> None:
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
        tail = b"".join(self.tail)
        left_out = b"\n[...]\n" if len(tail) > TAIL else b""
        return (bytes(self.head) + left_out + tail[-TAIL:]).decode("utf-8", "replace")


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout: float,
    stop: threading.Event | None = None,
    mark: str = "",
) -> Ended:
    """Run a command in a session of its own and end all that it started.

    After ``timeout`` seconds, or once ``stop`` is set, its process group is asked to end and after a
    grace ended. ``mark`` is a text that occurs in ``env`` and nowhere else: by it, descendants that
    left the group are found (where there is /proc). On KeyboardInterrupt everything is ended first.
    Raises OSError where the command can't be started.
    """
    began = time.monotonic()
    process = subprocess.Popen(
        argv,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    output, over = _Output(), threading.Event()
    reader = _background(output.drain, process.stdout)
    _background(_await, process, over)
    in_time = False
    try:
        in_time = _wait(over, began + timeout, stop)
        if not in_time:
            _signal(process, signal.SIGTERM)
            over.wait(GRACE)
    finally:
        _end(process, mark)
    seconds = time.monotonic() - began
    reader.join(GRACE)
    if not reader.is_alive():
        process.stdout.close()
    return Ended(process.returncode if in_time else None, output.text(), seconds)


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


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    _signal(process, None)
    for pid in _strays(mark):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


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
