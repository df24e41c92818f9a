r"""The story of a run as JSON lines, each durable before what it announces happens.

Entries, by ``do``:
``begin``     run, root, pid, time, and ``reverts`` (a run id) where the run undoes another
``snapshot``  commit, ref and skipped files of the git snapshot, or ``why`` there is none
``write``     ``files``: path from the root, sha256 ``before`` and ``after``, their ``versions``
              (second and size, see ``atomic.next_mtime``), mode before, path of the backup.
              The bytes before are in ``blobs/<sha256>`` beside the journal
``reject``    commit and ref of a rejected patch, and why
``end``       ``state``: kept, rolled-back or recovered; ``files``: path to [before, after] of what
              is different now; ``conflicts``. The last one counts

A crash can tear the last line only, and what it announces has then not happened.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any, TypeAlias

from selfdebug.workspace import disk
from selfdebug.workspace.errors import Damaged

Entry: TypeAlias = Mapping[str, Any]
NAME = "journal.jsonl"


def start(folder: Path, **facts: Any) -> FileIO:
    """Create the journal of a run with its first entry, durably. Raises OSError."""
    file = disk.create(folder / NAME)
    append(file, "begin", **facts)
    disk.fsync_dir(folder)
    return file


def resume(folder: Path) -> FileIO:
    """Open a journal to go on with it, without the line that a crash has torn."""
    path = folder / NAME
    data = path.read_bytes()
    file = disk.append(path)
    if not data.endswith(b"\n"):
        disk.truncate(file, data.rfind(b"\n") + 1)
    return file


def append(file: FileIO, do: str, **fields: Any) -> None:
    """Add an entry durably. Raises OSError; the journal is then without it."""
    line = json.dumps({"do": do, **fields}).encode() + b"\n"
    size = file.seek(0, 2)
    try:
        disk.write(file, line)
        disk.fsync(file)
    except BaseException:
        with suppress(OSError):
            disk.truncate(file, size)
        raise


def read(folder: Path) -> tuple[Entry, ...]:
    """Return the entries of a run's journal; none where it has not begun.

    Raises Damaged where a line other than the last cannot be read, and OSError.
    """
    return _parsed(folder, _lines(folder))


def outline(folder: Path) -> tuple[Entry, ...]:
    """Return the first and the last entry only, in a fraction of the time. Raises as ``read`` does."""
    lines = _lines(folder)
    return _parsed(folder, [*lines[:1], *lines[1:][-1:]])


def _lines(folder: Path) -> list[bytes]:
    try:
        *lines, _torn = (folder / NAME).read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    return lines


def _parsed(folder: Path, lines: list[bytes]) -> tuple[Entry, ...]:
    try:
        return tuple(json.loads(line) for line in lines)
    except ValueError as error:
        raise Damaged(f"{folder / NAME} is damaged: {error}") from error
