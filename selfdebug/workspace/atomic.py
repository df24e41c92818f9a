"""Files that are at every instant either all old or all new, even after a power loss."""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from pathlib import Path

from selfdebug.workspace import disk
from selfdebug.workspace.errors import Changed


def save(path: Path, data: bytes) -> None:
    """Write a new private file durably. Raises FileExistsError; leaves nothing behind on failure."""
    file = disk.create(path)
    try:
        with file:
            disk.write(file, data)
            disk.fsync(file)
    except BaseException:
        disk.unlink(path)
        raise
    disk.fsync_dir(path.parent)


def renew(path: Path, data: bytes) -> None:
    """Make a private file hold other bytes, whether it is there or not. Raises OSError."""
    temporary = path.with_name(f"{path.name}-{os.urandom(8).hex()}")
    save(temporary, data)
    disk.replace(temporary, path)


def note(path: Path, data: bytes) -> None:
    """Do the same with what may be lost, or torn, in a power loss: nobody waits for it to be durable."""
    temporary = path.with_name(f"{path.name}-{os.urandom(8).hex()}")
    try:
        with disk.create(temporary) as file:
            disk.write(file, data)
        disk.replace(temporary, path)
    except BaseException:
        disk.unlink(temporary)
        raise


def overwrite(path: Path, before: bytes, after: bytes, temporary: Path, mtime_ns: int) -> None:
    """Replace a file that holds ``before`` by one that holds ``after``, with the same metadata.

    ``temporary`` is a name in the same folder. Raises Changed where the file holds something else at
    the last moment before the switch, and OSError; the file and the folder are then as they were.
    """
    try:
        file = disk.create(temporary)
        with file:
            disk.write(file, after)
            disk.copy_metadata(path, temporary)
            disk.utime(temporary, mtime_ns)
            disk.fsync(file)
        if path.read_bytes() != before:
            raise Changed(path)
        disk.replace(temporary, path)
    except BaseException:
        disk.unlink(temporary)
        raise
    disk.fsync_dir(path.parent)


def next_mtime(size: int, seen: Collection[tuple[int, int]]) -> int:
    """Return a modification time in nanoseconds for a new version of ``size`` bytes.

    CPython takes cached bytecode for current when the source has the whole second and the size that
    it was compiled from (PEP 552), so no two versions may share both. ``seen`` holds them as
    (second, size). The time is now, or the first free second after: a rollback moves it forward too,
    because file watchers and make look for newer, not for different.
    """
    now = time.time_ns()
    while (now // 10**9, size) in seen:
        now += 10**9
    return now
