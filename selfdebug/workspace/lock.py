"""One run per tree: a lock that the system releases when the process dies, so it is never stale.

``flock`` and ``msvcrt.locking`` directly: they are four lines each, where importing a lock library
costs half as long as an empty pytest run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from selfdebug.workspace.errors import Locked, Unsafe

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_BYTE = 1 << 20  # msvcrt locks a byte range: one that nobody wants to read

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, _BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(root: Path, records: Path) -> Iterator[None]:
    """Hold the lock on a tree, which is a file in the folder of its records. Raises Locked, Unsafe.

    The file stays: removing it would let two processes hold locks on two files of one name.
    """
    descriptor = os.open(records / "lock", _FLAGS, 0o600)
    try:
        try:
            _take(descriptor)
        except (BlockingIOError, PermissionError) as error:
            raise Locked(root, _holder(descriptor)) from error
        except OSError as error:
            hint = "set SELFDEBUG_STATE_DIR to a folder on a local disk"
            raise Unsafe(f"{records} cannot be locked: {error.strerror}; {hint}") from error
        with suppress(OSError):  # only for the message of another run
            os.ftruncate(descriptor, 0)
            os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        os.close(descriptor)


def hold(path: Path, flags: int = 0) -> int:
    """Lock a file and return its descriptor, which is the caller's to close.

    ``flags`` are added to those of ``os.open``. Raises OSError where there is no such file, or another
    process holds the lock.
    """
    descriptor = os.open(path, _FLAGS & ~os.O_CREAT | flags, 0o600)
    try:
        _take(descriptor)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _holder(descriptor: int) -> int | None:
    text = os.read(descriptor, 32)
    return int(text) if text.isdigit() else None
