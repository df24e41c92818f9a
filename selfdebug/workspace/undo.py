"""Putting files back, and only where they still hold what a run wrote."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from selfdebug.workspace import atomic, backups, disk
from selfdebug.workspace.errors import Changed, Damaged, Unwritable
from selfdebug.workspace.journal import Entry


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file that was left alone. ``why`` ends the sentence "the file …"; ``backup`` is what it held."""

    path: Path
    why: str
    backup: Path

    def __str__(self) -> str:
        return f"{self.path} {self.why}; what it held before the run is in {self.backup}"


@dataclass(frozen=True, slots=True)
class Touched:
    """All that a run has done to one file, by SHA-256. ``versions`` are (second, size) of each state."""

    path: Path
    original: str
    written: frozenset[str]
    versions: frozenset[tuple[int, int]]
    backup: Path


def touched(root: Path, entries: Iterable[Entry]) -> tuple[Touched, ...]:
    """Return what a run's journal says that it wrote, or was about to write, file by file."""
    found: dict[str, Touched] = {}
    for entry in entries:
        for name, file in entry["files"].items() if entry["do"] == "write" else ():
            last = found.get(name) or Touched(
                root / name, file["before"], frozenset(), frozenset(), Path(file["backup"])
            )
            found[name] = Touched(
                last.path,
                last.original,
                last.written | {file["after"]},
                last.versions | {(second, size) for second, size in file["versions"]},
                last.backup,
            )
    return tuple(found.values())


def temporary(path: Path, run_id: str) -> Path:
    """Return the name under which a run prepares the new bytes of a file, beside it."""
    return path.with_name(f".selfdebug-{run_id}.tmp")


def undo(files: Iterable[Touched], run_id: str, blobs: Path) -> tuple[Conflict, ...]:
    """Bring files back to what they held before a run, and remove what a kill left beside them.

    Files that hold neither what the run wrote nor what they held before are returned as conflicts.
    Goes on after a file that the disk refuses, and raises Unwritable for it at the end.
    """
    results = [_undo(file, run_id, blobs) for file in files]
    for result in results:
        if isinstance(result, Unwritable):
            raise result
    return tuple(result for result in results if isinstance(result, Conflict))


def _undo(file: Touched, run_id: str, blobs: Path) -> Conflict | Unwritable | None:
    try:
        with suppress(FileNotFoundError, NotADirectoryError):
            disk.unlink(temporary(file.path, run_id))
        why = _restore(file, run_id, blobs)
    except OSError as error:
        return Unwritable(file.path, error)
    return Conflict(file.path, why, _proof(file, blobs)) if why else None


def _restore(file: Touched, run_id: str, blobs: Path) -> str | None:
    held = read(file.path)
    if isinstance(held, bytes) and backups.digest(held) == file.original:
        return None
    try:
        data = backups.fetch(file.original, blobs, file.backup)
    except Damaged as error:
        return f"cannot be restored: {error}"
    return put_back(file.path, data, file.written, file.versions, run_id)


def put_back(
    path: Path,
    data: bytes,
    written: Collection[str],
    versions: Collection[tuple[int, int]],
    run_id: str,
) -> str | None:
    """Make a file hold ``data`` if what it holds has one of the hashes ``written``; return why not.

    Its mode and other metadata stay as they are now. Raises OSError.
    """
    held = read(path)
    if isinstance(held, str) or held == data:
        return held if isinstance(held, str) else None
    if backups.digest(held) not in written:
        return "was changed by someone else"
    status = path.stat()
    seen = {*versions, (int(status.st_mtime), status.st_size)}
    mtime_ns = atomic.next_mtime(len(data), seen)
    try:
        atomic.overwrite(path, held, data, temporary(path, run_id), mtime_ns)
    except Changed:
        return "was changed by someone else"
    return None


def read(path: Path) -> bytes | str:
    """Return a regular file's bytes, or why there are none. Raises OSError where reading fails."""
    try:
        if os.path.realpath(path) != str(path):
            return "is now reached through a symbolic link"
        if not stat.S_ISREG(path.lstat().st_mode):
            return "is no longer a regular file"
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return "was removed"


def _proof(file: Touched, blobs: Path) -> Path:
    """Return where the bytes before the run are still to be found."""
    return file.backup if file.backup.exists() else blobs / file.original
