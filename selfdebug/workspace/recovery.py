"""The way back after a run: finishing what a kill has left, and undoing a patch that was kept."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from selfdebug.workspace import backups, disk, history, journal, prune, scratch, snapshot, state
from selfdebug.workspace.errors import Refused, Unwritable, WorkspaceError
from selfdebug.workspace.history import Record
from selfdebug.workspace.lock import locked
from selfdebug.workspace.scope import editable
from selfdebug.workspace.session import open_run
from selfdebug.workspace.signals import uninterrupted
from selfdebug.workspace.undo import Conflict, read, touched, undo


@dataclass(frozen=True, slots=True)
class Recovered:
    """What ``recover`` did: the runs it finished, the files that are as before, those left alone."""

    runs: tuple[str, ...]
    restored: tuple[Path, ...]
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class Reverted:
    """What ``revert_kept`` did: ``by`` has undone ``run_id``; nothing where there are conflicts."""

    run_id: str
    by: str
    files: tuple[Path, ...]
    conflicts: tuple[Conflict, ...]


def recover(root: Path) -> Recovered:
    """Bring the tree to what it held before the runs that were killed; a kept patch stays.

    Killed itself, it can be started again. Raises Locked where the run is alive, Damaged where a
    journal cannot be read, Unwritable where the disk refuses.
    """
    scratch.sweep()
    root = Path(os.path.realpath(root))
    with locked(root, state.project(root)):
        records = history.unfinished(root)
        restored = [conflict for record in records for conflict in _finish(record)]
        prune.end_untouched(root, history.outlines(root))
        past = history.runs(root)
        for record in past:
            for index in record.folder.glob("index*"):  # copies of git's, of use while a run lives
                disk.unlink(index)
        snapshot.unlock(root, {record.run_id for record in past})
    files = {file.path for record in records for file in touched(root, record.entries)}
    left = {conflict.path for conflict in restored}
    return Recovered(
        tuple(record.run_id for record in records), tuple(sorted(files - left)), tuple(restored)
    )


def revert_kept(root: Path, run_id: str | None = None, backup_dir: Path | None = None) -> Reverted:
    """Undo a kept patch: all of it, or nothing where a file has been changed since.

    Without ``run_id``, the latest that is still in place. It is a run of its own, so it can be undone
    in turn. Raises WorkspaceError where there is no such patch, and as ``open_run`` and ``Run.write``.
    """
    root = Path(os.path.realpath(root))
    record = _kept(root, run_id)
    with open_run(root, backup_dir, reverts=record.run_id) as run:
        contents, conflicts = {}, []
        for name, (before, after) in record.files.items():
            path = root / name
            held = read(path)
            if isinstance(held, bytes) and backups.digest(held) == after:
                contents[path] = (held, backups.fetch(before, record.folder / "blobs"))
            else:
                said = held if isinstance(held, str) else "was changed since"
                conflicts.append(Conflict(path, said, record.folder / "blobs" / before))
        if not conflicts:
            for path in contents:
                if why := editable(root, path):
                    raise Refused(path, why)
            run.write(contents)
            run.keep()
        return Reverted(record.run_id, run.run_id, tuple(contents), tuple(conflicts))


def _finish(record: Record) -> tuple[Conflict, ...]:
    with uninterrupted():
        files = touched(record.root, record.entries)
        conflicts = undo(files, record.run_id, record.folder / "blobs")
        try:
            with journal.resume(record.folder) as file:
                left = [str(conflict.path) for conflict in conflicts]
                journal.append(file, "end", state="recovered", files={}, conflicts=left)
        except OSError as error:
            raise Unwritable(record.folder, error) from error
    return conflicts


def _kept(root: Path, run_id: str | None) -> Record:
    records = (history.load(root, run_id),) if run_id else history.runs(root)
    undone = {run.reverts for run in history.runs(root) if run.state == "kept"}
    for record in reversed(records):
        if record.state == "kept" and (run_id or not (record.reverts or record.run_id in undone)):
            return record
    what = f"run {records[0].run_id} kept no patch" if run_id else "there is no kept patch to undo"
    raise WorkspaceError(f"{root}: {what}")
