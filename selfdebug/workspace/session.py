"""A run's hold on the tree: what the loop calls to edit files and to get out again.

Order of things, so that a kill between any two leaves a tree that ``recover`` can bring back: lock;
before the first edit journal and snapshot; per edit backup and blob, then the journal entry, all
durable, then the atomic write. What comes before an edit may be done in a thread, which the edit waits
for. ``keep`` is one journal entry: before it a killed run is undone, after
it nothing is left to do.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from itertools import pairwise
from pathlib import Path
from typing import Any

from selfdebug.model import Edit, Recovery
from selfdebug.syntax import source
from selfdebug.workspace import atomic, backups, disk, git, history, journal, prune, snapshot, state
from selfdebug.workspace.backups import digest
from selfdebug.workspace.errors import Changed, Refused, Unfinished, Unwritable, WorkspaceError
from selfdebug.workspace.git import GitFailed
from selfdebug.workspace.history import Outline
from selfdebug.workspace.journal import Entry
from selfdebug.workspace.lock import locked
from selfdebug.workspace.scope import editable
from selfdebug.workspace.signals import uninterrupted
from selfdebug.workspace.snapshot import Snapshot, Stash
from selfdebug.workspace.undo import Conflict, put_back, read, temporary, touched, undo

_UNEDITED = "nothing was edited"
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was edited: its real path, its bytes before and after, the backup, the new time."""

    path: Path
    before: bytes
    after: bytes
    backup: Path
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Applied:
    """What one ``Run.apply`` wrote."""

    files: tuple[Written, ...]


class Run:
    """A run that holds the lock on ``root``. Nothing is written anywhere before an edit is expected.

    ``state`` is None as long as edits can be made. ``conflicts`` are the files that a rollback had to
    leave alone. ``snapshot`` is git's copy of the tree as it was, or why there is none.
    """

    def __init__(self, root: Path, records: Path, backup_dir: Path | None, begin: Entry):
        self.root, self.run_id = root, str(begin["run"])
        self.folder = records / history.RUNS / self.run_id
        self.state: history.State | None = None
        self.conflicts: tuple[Conflict, ...] = ()
        self.snapshot: Snapshot | str = _UNEDITED
        self._records, self._backup_dir, self._begun = records, backup_dir, begin
        self._journal: FileIO | None = None
        self._writes: list[Entry] = []
        self._held: dict[Path, str] = {}
        self._stashes: list[Stash] = []
        self._ignored: dict[Path, bool] = {}
        self._ahead: dict[Path, Future[None]] = {}
        self._thread: ThreadPoolExecutor | None = None

    def prepare(self, paths: Iterable[Path]) -> None:
        """Do what comes before edits of files while the caller does something else.

        The journal begins, the snapshot is taken and what the files hold is kept. Nothing of it is in
        the tree, and no ref stays where no edit follows.
        """
        self._thread = self._thread or ThreadPoolExecutor(1)
        for path in map(self._real, paths):
            if path not in self._ahead:
                self._ahead[path] = self._thread.submit(self._get_ready, path)

    def apply(self, edits: Sequence[Edit], sources: Mapping[Path, bytes] | None = None) -> Applied:
        """Make edits, of one file or several, all or none.

        ``sources`` are the bytes that files held when the edits were worked out. Raises Refused where
        a file must not be edited; Changed where one holds other bytes than these, than an edit's
        ``before``, or than this run wrote; Unwritable where the disk refuses. The files are then as
        they were. Raises ValueError where edits overlap.
        """
        self._be_ready()
        expected = {self._real(path): data for path, data in (sources or {}).items()}
        wanted: dict[Path, list[Edit]] = {}
        for edit in edits:
            wanted.setdefault(self._real(edit.file), []).append(edit)
        return self.write(
            {path: self._edited(path, group, expected.get(path)) for path, group in wanted.items()}
        )

    def write(self, contents: Mapping[Path, tuple[bytes, bytes]]) -> Applied:
        """Make files that may be edited, by their real paths, go from the first to the second bytes.

        All or none. Raises Changed, Unwritable.
        """
        if self.state:
            raise RuntimeError(f"run {self.run_id} has ended: {self.state}")
        changes = {path: pair for path, pair in contents.items() if pair[0] != pair[1]}
        with _writing(self.folder):
            applied = Applied(self._announce(changes) if changes else ())
        try:
            for file in applied.files:
                with _writing(file.path):
                    self._overwrite(file)
        except BaseException:
            self.revert(applied)
            raise
        return applied

    def revert(self, applied: Applied) -> tuple[Conflict, ...]:
        """Undo one ``apply`` where the files still hold what it wrote; return those that do not.

        Raises Unwritable.
        """
        conflicts = []
        for file in reversed(applied.files):
            with _writing(file.path):
                written = {digest(file.after)}
                why = put_back(file.path, file.before, written, self._versions(), self.run_id)
            if why:
                conflicts.append(Conflict(file.path, why, file.backup))
            else:
                self._held[file.path] = digest(file.before)
        return tuple(conflicts)

    def rollback(self) -> tuple[Conflict, ...]:
        """Bring every file back to what it held before the run, and end the run.

        Files that someone else has changed are left alone and returned. Raises Unwritable where the
        disk refuses; the run then stays unfinished, for ``recover``.
        """
        with uninterrupted():
            self._be_ready()
            files = touched(self.root, self._writes)
            self.conflicts = undo(files, self.run_id, self.folder / "blobs")
            self._held.clear()
            self._end("rolled-back" if self._writes else "untouched")
        return self.conflicts

    def keep(self, report: Mapping[str, Any] | None = None) -> None:
        """End the run with its edits in place. ``report`` is what ``show`` will show of it."""
        with uninterrupted():
            self._be_ready()
            if report is not None:
                self.record(report)
            self._end("kept" if self._writes else "untouched")

    def record(self, report: Mapping[str, Any]) -> None:
        """Save the JSON summary of the run; once, before or after its end. Raises Unwritable."""
        self._be_ready()
        with _writing(self.folder):
            self._begin()
            atomic.save(self.folder / history.REPORT, json.dumps(report).encode())

    def reject(self, applied: Applied, why: str) -> Stash | None:
        """Keep a patch that was tried as a stash-like commit; None where git cannot.

        It holds the run's other edits too, where they are in place. To call before or after the
        patch is reverted.
        """
        if self._journal is None or isinstance(self.snapshot, str):
            return None
        number, contents = len(self._stashes) + 1, self._patched(applied)
        try:
            stash = snapshot.stash(self.root, self.snapshot, number, contents, why)
            if stash:
                journal.append(self._journal, "reject", commit=stash.commit, ref=stash.ref, why=why)
                self._stashes.append(stash)
        except (GitFailed, OSError):
            return None
        return stash

    def recovery(self) -> Recovery:
        """Say how to undo by hand what this run did."""
        files = [file for entry in self._writes for file in entry["files"].values()]
        command = f"selfdebug revert {self.run_id} --root {shlex.quote(str(self.root))}"
        return Recovery(
            backups=tuple(Path(file["backup"]) for file in files),
            ref=None if isinstance(self.snapshot, str) else self.snapshot.ref,
            command=command if self.state in {None, "kept"} and files else None,
            conflicts=tuple(map(str, self.conflicts)),
            stashes=tuple(stash.command for stash in self._stashes),
        )

    def close(self) -> None:
        """Roll back what was not kept. A forked child that gets here owns nothing and does nothing."""
        if os.getpid() != self._begun["pid"]:
            return
        with uninterrupted():
            with suppress(WorkspaceError):
                self._be_ready()
            if self.state is None and self._journal:
                self.rollback()
            if self._journal:
                self._journal.close()
                with suppress(OSError, WorkspaceError):
                    disk.unlink(self.folder / "index")
                    prune.prune(self.root, self._records)

    def _get_ready(self, path: Path) -> None:
        """Do what comes before the edit of a file. Raises OSError where the run cannot begin."""
        self._snap(self._begin())
        with suppress(OSError):  # the edit meets it again
            if editable(self.root, path, self._ignores) is None:
                backups.store(path.read_bytes(), self.folder / "blobs")

    def _be_ready(self) -> None:
        """Wait until nothing goes on beside us. Raises Unwritable where the disk refused something."""
        if self._thread is None:
            return
        self._thread.shutdown()
        begun, self._ahead, self._thread = [*self._ahead.values()], {}, None
        with _writing(self.folder):
            for future in begun:
                future.result()

    def _begin(self) -> FileIO:
        """Start the journal, once."""
        if self._journal is None:
            state.private(self.folder / "blobs")
            self._journal = journal.start(self.folder, **self._begun)
        return self._journal

    def _snap(self, file: FileIO) -> None:
        """Take the snapshot, once; a run goes on without, on the byte backups."""
        if self.snapshot is not _UNEDITED:
            return
        try:
            self.snapshot = taken = snapshot.take(self.root, self.run_id, self.folder)
        except (GitFailed, OSError) as error:
            self.snapshot = str(error)
            journal.append(file, "snapshot", why=str(error))
        else:
            facts = {"commit": taken.commit, "ref": taken.ref, "skipped": taken.skipped}
            journal.append(file, "snapshot", **facts)

    def _announce(self, changes: Mapping[Path, tuple[bytes, bytes]]) -> tuple[Written, ...]:
        """Back up and journal what is about to be written, durably."""
        file, folder = self._begin(), self._backups()
        self._snap(file)
        versions, written, entries = self._versions(), [], {}
        for path, (before, after) in changes.items():
            status = path.stat()
            old = (int(status.st_mtime), status.st_size)
            mtime_ns = atomic.next_mtime(len(after), versions | {old})
            backups.store(before, self.folder / "blobs")
            backup = backups.save(path, before, folder)
            written.append(Written(path, before, after, backup, mtime_ns))
            entries[path.relative_to(self.root).as_posix()] = {
                "before": digest(before),
                "after": digest(after),
                "versions": [old, (mtime_ns // 10**9, len(after))],
                "mode": stat.S_IMODE(status.st_mode),
                "backup": str(backup),
            }
        self._writes.append({"do": "write", "files": entries})
        journal.append(file, "write", files=entries)
        return tuple(written)

    def _overwrite(self, file: Written) -> None:
        name = temporary(file.path, self.run_id)
        atomic.overwrite(file.path, file.before, file.after, name, file.mtime_ns)
        self._held[file.path] = digest(file.after)

    def _edited(
        self, path: Path, edits: Sequence[Edit], expected: bytes | None
    ) -> tuple[bytes, bytes]:
        """Return a file's bytes without and with edits. Raises Refused, Changed, ValueError."""
        if why := editable(self.root, self.root / edits[0].file, self._ignores):
            raise Refused(path, why)
        held = path.read_bytes()
        if expected not in {None, held} or self._held.get(path, digest(held)) != digest(held):
            raise Changed(path)
        ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
        if any(one.end > other.start for one, other in pairwise(ordered)):
            raise ValueError(f"{path}: edits overlap")
        try:
            return held, source.apply(held, tuple(edits))
        except ValueError as error:
            raise Changed(path) from error

    def _ignores(self, root: Path, path: Path) -> bool:
        if path not in self._ignored:
            self._ignored[path] = git.ignored(root, path)
        return self._ignored[path]

    def _patched(self, applied: Applied) -> Mapping[Path, bytes]:
        """Return what the files that differ from their originals hold with a patch in place."""
        contents = {}
        for file in touched(self.root, self._writes):
            held = read(file.path)
            if isinstance(held, bytes) and digest(held) in file.written:
                contents[file.path] = held
        return contents | {file.path: file.after for file in applied.files}

    def _end(self, state: history.State) -> None:
        """Journal how the run ended: the one step after which it counts."""
        with _writing(self.folder):
            if self._journal and state == "untouched":
                self._forget_snapshot(self._journal)
            if self._journal:
                journal.append(
                    self._journal,
                    "end",
                    state=state,
                    files=self._kept(),
                    conflicts=[str(conflict.path) for conflict in self.conflicts],
                )
        self.state = state

    def _forget_snapshot(self, file: FileIO) -> None:
        """Leave no ref where no edit followed."""
        if isinstance(self.snapshot, Snapshot):
            with suppress(GitFailed, OSError):
                snapshot.forget(self.root, [self.run_id])
                self.snapshot = _UNEDITED
                journal.append(file, "snapshot", why=_UNEDITED)

    def _kept(self) -> Mapping[str, tuple[str, str]]:
        """Return the files that are not as they were, with hashes before and now."""
        return {
            file.path.relative_to(self.root).as_posix(): (file.original, held)
            for file in touched(self.root, self._writes)
            if (held := self._held.get(file.path, file.original)) != file.original
        }

    def _backups(self) -> Path:
        if self._backup_dir:
            return state.private(self._backup_dir.absolute())
        return state.backups(self.root, self._records)

    def _versions(self) -> frozenset[tuple[int, int]]:
        files = touched(self.root, self._writes)
        return frozenset(version for file in files for version in file.versions)

    def _real(self, path: Path) -> Path:
        return Path(os.path.realpath(self.root / path))


@contextmanager
def open_run(
    root: Path,
    backup_dir: Path | None = None,
    run_id: str | None = None,
    reverts: str | None = None,
) -> Iterator[Run]:
    """Lock a tree for a run; what is not kept by the end of the block is rolled back.

    ``backup_dir`` is where ``.bak`` files go, by default ``agent-self-debugger-loop`` in the temporary
    folder. ``reverts`` names the run that this one undoes. Raises Locked where another process holds
    the tree, Unfinished where an earlier run waits for ``recover``, Unsafe where records cannot be
    kept. Only the folder of the records is touched until the first edit. A run never starts before
    the one that came before it, whatever the clock says.
    """
    if run_id and not _RUN_ID.fullmatch(run_id):
        raise ValueError(f"{run_id!r} is no run id: letters, digits, - and _ only")
    root = Path(os.path.realpath(root))
    records = state.project(root)
    with locked(root, records):
        past = history.outlines(root)
        _check_finished(root, past)
        started = max([time.time(), *(earlier.started + 0.001 for earlier in past)])
        facts = {"root": str(root), "time": started, "pid": os.getpid(), "reverts": reverts}
        run = Run(root, records, backup_dir, {"run": run_id or _new_id(), **facts})
        try:
            yield run
        finally:
            run.close()


def check_finished(root: Path) -> None:
    """Raise Unfinished where a killed run left its edits in place; Locked where one is being proved.

    For those who only read. Raises Damaged.
    """
    root = Path(os.path.realpath(root))
    if any(run.unfinished for run in history.outlines(root)):
        with locked(root, state.project(root)):
            _check_finished(root, history.outlines(root))


def _check_finished(root: Path, past: Iterable[Outline]) -> None:
    for earlier in past:
        if earlier.unfinished:
            raise Unfinished(root, earlier.run_id)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unwritable(Path(error.filename) if error.filename else path, error) from error


def _new_id() -> str:
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{os.urandom(3).hex()}"
