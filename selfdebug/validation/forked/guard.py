"""Lets code that nobody has read touch no more of the machine than the tests touch without it.

A small edit may turn a path into another one. So what a failing test deletes, renames, writes, connects
to or signals is learnt in the run without an edit, by the interpreter's audit events, and under an edit
the test may do that again, at the same places, and nothing else but in its own temporary folder.
"""

# A test may patch pathlib.
# ruff: noqa: PTH115, PTH118

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing takes long to import, in each program that tests start
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

# Those that take the descriptor of a folder last, in which a path is looked up.
_RELATIVE = frozenset(
    (
        *("os.remove", "os.rmdir", "os.rename", "os.chmod", "os.chown", "os.mkdir", "os.link"),
        *("os.symlink", "os.utime"),
    )
)
_PLACES = _RELATIVE | {"open", "os.truncate", "os.setxattr", "os.removexattr", "sqlite3.connect"}
_ACTS = (
    *("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "os.kill", "os.killpg"),
    *("subprocess.Popen", "socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"),
    *("signal.pthread_kill", "pty.spawn", "webbrowser.open", "syslog.", "ftplib.", "smtplib."),
    *("imaplib.", "poplib.", "nntplib.", "telnetlib.", "urllib.Request", "http.client.connect"),
)
_WRITES = os.O_WRONLY | os.O_RDWR
_FREE = ("/dev/", "/proc/self/", "<memory>")


class Guard:
    """Hears what the process does to its surroundings, and forbids what is not ``known``.

    ``folder`` is free to use. Without ``known`` all is allowed, and only noted while ``notes`` is set.
    """

    def __init__(self, folder: str, known: Collection[str] | None = None) -> None:
        self.notes = False
        self.touched: set[str] = set()
        self.confine(folder, known)
        if hasattr(sys, "addaudithook"):  # from Python 3.8 on
            sys.addaudithook(self._hear)

    def confine(self, folder: str, known: Collection[str] | None) -> None:
        """Be from now on as if made with these: no process gets rid of what hears its events."""
        self._known = None if known is None else frozenset(known)
        self._free = tuple({os.path.join(each, "") for each in (folder, os.path.realpath(folder))})

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._known is None and not self.notes:
            return
        if event in _PLACES:
            if event == "open" and not _is_for_writing(arguments):
                return
            folder = arguments[-1] if event in _RELATIVE else None
            places = [_place(each, folder) for each in arguments[: 1 if event == "open" else 2]]
            touched = [each for each in places if each and not self._is_free(each)]
        elif event.startswith(_ACTS):
            touched = [""]
        else:
            return
        for place in touched:
            self._judge(event + " " + place)

    def _judge(self, act: str) -> None:
        if self._known is None:
            self.touched.add(act)
        elif act not in self._known:
            raise PermissionError("not tried with a change that nobody has read: " + act)

    def _is_free(self, place: str) -> bool:
        # A file without a name is opened by that of its folder.
        return os.path.join(place, "").startswith((*self._free, *_FREE))


def _is_for_writing(arguments: tuple[Any, ...]) -> bool:
    mode, flags = arguments[1], arguments[2]
    if isinstance(mode, str):
        return not set(mode).isdisjoint("wax+")
    return isinstance(flags, int) and bool(flags & _WRITES)


def _place(value: object, folder: object) -> str | None:
    """Give the real path that an argument names; None for descriptors and what is no path."""
    if isinstance(value, bytes):
        value = os.fsdecode(value)
    if not isinstance(value, str):
        return None
    if value.startswith((":memory:", "<")):
        return "<memory>"
    if type(folder) is int and folder >= 0:
        value = os.path.join(os.readlink("/proc/self/fd/" + str(folder)), value)
    return os.path.realpath(value)
