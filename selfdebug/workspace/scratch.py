"""The folder where a command keeps what it needs while it runs, in the system's temporary folder.

A command that is killed can't remove its own, so each removes those of the dead first. A lock on a file
inside says whether a folder's process is alive; the system releases it however the process ends.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from selfdebug.workspace import disk, lock

PREFIX = "selfdebug-"
_ALIVE, _BEFORE = "alive", "starting"
_STARTING = 3600  # seconds after which a folder without that file is nobody's


@contextmanager
def scratch() -> Iterator[Path]:
    """Make a private folder that is removed after, and remove those that killed commands left."""
    sweep()
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as made:
        folder = Path(made).resolve()
        descriptor = lock.hold(folder / _BEFORE, os.O_CREAT | os.O_EXCL)
        try:
            # Under this name only once it is locked, or a sweep could take it for a dead one's.
            disk.replace(folder / _BEFORE, folder / _ALIVE)
            yield folder
        finally:
            os.close(descriptor)


def sweep() -> None:
    """Remove the folders of commands that are no more. What belongs to another user is left alone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if _is_own(folder):
                _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder unless its process lives, the file that tells last. Raises OSError."""
    try:
        descriptor = lock.hold(folder / _ALIVE)
    except FileNotFoundError:
        # Its process is about to make the file, or was killed before it could.
        old = time.time() - folder.stat().st_mtime > _STARTING
        if old and ((folder / _BEFORE).exists() or not any(folder.iterdir())):
            clear(folder)
        return
    try:
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                clear(path)
            elif path.name != _ALIVE:
                disk.unlink(path)
    finally:
        os.close(descriptor)
    clear(folder)


def clear(folder: Path) -> None:
    """Remove a folder with all that is in it. Raises OSError."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            clear(path)
        else:
            disk.unlink(path)
    disk.rmdir(folder)


def _is_own(folder: Path) -> bool:
    return not folder.is_symlink() and (
        not hasattr(os, "geteuid") or folder.lstat().st_uid == os.geteuid()
    )
