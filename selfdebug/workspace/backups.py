"""Copies of bytes before they are replaced.

A ``.bak`` file in the backup folder for people, and a blob named by its hash beside the journal for
``recover``, because a temporary folder may be emptied by the power loss that makes one need it.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from selfdebug.digest import sha256
from selfdebug.workspace import atomic
from selfdebug.workspace.errors import Damaged


def digest(data: bytes) -> str:
    """Return the SHA-256 of ``data``, in hexadecimal."""
    return sha256(data).hexdigest()


def save(path: Path, data: bytes, folder: Path) -> Path:
    """Keep what a file holds as ``{basename}.{unix time}.bak`` and return its path. Raises OSError.

    Where the name is taken, the next free second's: a backup is never overwritten.
    """
    second = int(time.time())
    while True:
        with suppress(FileExistsError):
            target = folder / f"{path.name}.{second}.bak"
            atomic.save(target, data)
            return target
        second += 1


def store(data: bytes, blobs: Path) -> None:
    """Keep ``data`` in a folder of blobs, once. Raises OSError."""
    with suppress(FileExistsError):
        atomic.save(blobs / digest(data), data)


def fetch(name: str, blobs: Path, backup: Path | None = None) -> bytes:
    """Return the bytes with a hash, from the blobs or else a backup. Raises Damaged if both are lost."""
    for path in (blobs / name, backup):
        with suppress(OSError):
            if path and digest(data := path.read_bytes()) == name:
                return data
    raise Damaged(f"the copy {blobs / name} is lost or damaged")
