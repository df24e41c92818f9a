"""The runs that a tree has seen, from their journals.

What their journals say of runs that have ended is noted in one file, so that a new run need not read
each of them: only look whether it is as long as then. What a lost or torn note told is read again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from selfdebug.workspace import atomic, journal, state
from selfdebug.workspace.errors import WorkspaceError
from selfdebug.workspace.journal import Entry

State: TypeAlias = Literal["kept", "rolled-back", "recovered", "untouched", "unfinished"]
REPORT = "report.json"
RUNS = "runs"
_NOTED = "ended.json"


@dataclass(frozen=True, slots=True)
class Record:
    """A past run. ``started`` is in seconds since the epoch; ``folder`` holds journal and blobs.

    ``state`` is "unfinished" where the run was killed with edits in place, and "untouched" where it
    made none. ``files`` maps paths from the root to SHA-256 before and after, for a kept patch.
    """

    run_id: str
    root: Path
    started: float
    state: State
    folder: Path
    files: Mapping[str, tuple[str, str]]
    backups: tuple[Path, ...]
    ref: str | None
    reverts: str | None
    entries: tuple[Entry, ...]

    @property
    def report(self) -> Mapping[str, Any] | None:
        """The JSON summary; None where the run did not come to write one, or what it says is undone."""
        with suppress(OSError, ValueError):
            if self.state not in {"recovered", "unfinished"}:
                report: Mapping[str, Any] = json.loads((self.folder / REPORT).read_bytes())
                return report
        return None


@dataclass(frozen=True, slots=True)
class Outline:
    """What the first and the last line of its journal tell of a past run.

    ``size`` is what its records take, in bytes, ``told`` its journal. One that did not come to
    its end is ``killed``, whether or not it left edits.
    """

    run_id: str
    started: float
    folder: Path
    unfinished: bool
    size: int
    told: int
    killed: bool = False


def runs(root: Path) -> tuple[Record, ...]:
    """Return the runs on a tree, oldest first. Raises Damaged, OSError."""
    found = [record for folder in _folders(root) if (record := read(folder))]
    return tuple(sorted(found, key=lambda record: (record.started, record.run_id)))


def outlines(root: Path) -> tuple[Outline, ...]:
    """Return the same in short, much faster. Raises Damaged, OSError.

    Damage in the midst of the journal of a run that has ended is not found.
    """
    found = [each for place in state.existing(root) for each in _outlines(place)]
    return tuple(sorted(found, key=lambda outline: (outline.started, outline.run_id)))


def note(records: Path, outlines: Iterable[Outline]) -> None:
    """Note of runs that have ended all that ``outlines`` needs, unless that is noted. Raises OSError."""
    ended = {each.folder.name: each for each in outlines if not each.unfinished}
    if ended != _noted(records):
        rows = {name: [run.run_id, run.started, run.size, run.told] for name, run in ended.items()}
        atomic.note(records / _NOTED, json.dumps(rows).encode())


def load(root: Path, run_id: str | None = None) -> Record:
    """Return a run by its id, or by the unique beginning of it; the latest if None.

    Raises WorkspaceError where there is no such run.
    """
    records = runs(root)
    if run_id is not None:
        records = tuple(record for record in records if record.run_id.startswith(run_id))
        exact = tuple(record for record in records if record.run_id == run_id)
        records = exact or records
        if len(records) > 1:
            raise WorkspaceError(f"{root}: several runs begin with {run_id}")
    if not records:
        what = "no run is on record" if run_id is None else f"no run {run_id} is on record"
        raise WorkspaceError(f"{root}: {what}; `selfdebug run` makes one")
    return records[-1]


def told(record: Record) -> str:
    """Say how a run ended, and whether it undid another one or was undone."""
    undone = [
        run.run_id
        for run in runs(record.root)
        if run.state == "kept" and run.reverts == record.run_id
    ]
    did = record.reverts and record.state == "kept"
    said = f"undid run {record.reverts}" if did else record.state
    return f"{said}, undone by run {undone[-1]}" if undone else said


def unfinished(root: Path) -> tuple[Record, ...]:
    """Return the runs that were killed with edits in place, newest first."""
    return tuple(record for record in reversed(runs(root)) if record.state == "unfinished")


def _folders(root: Path) -> Iterator[Path]:
    return (folder for place in state.existing(root) for folder in (place / RUNS).glob("*"))


def _outlines(records: Path) -> Iterator[Outline]:
    noted = _noted(records)
    for folder in (records / RUNS).glob("*"):
        known = noted.get(folder.name)
        if known and known.told == _length(folder):
            yield known
        elif outline := _outline(folder):
            yield outline


def _length(folder: Path) -> int:
    try:
        return (folder / journal.NAME).stat().st_size
    except OSError:
        return 0


def _noted(records: Path) -> dict[str, Outline]:
    try:
        rows = json.loads((records / _NOTED).read_bytes())
        return {
            name: Outline(str(run), float(time), records / RUNS / name, False, int(size), int(told))
            for name, (run, time, size, told) in rows.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _outline(folder: Path) -> Outline | None:
    ends = journal.outline(folder)
    if not ends or ends[0]["do"] != "begin":
        return None
    killed = ends[-1]["do"] != "end"
    record = read(folder) if killed else None
    unfinished = record is not None and record.state == "unfinished"
    size, told = _size(folder), _length(folder)
    return Outline(ends[0]["run"], ends[0]["time"], folder, unfinished, size, told, killed)


def _size(folder: str | Path) -> int:
    with os.scandir(folder) as entries:
        return sum(
            _size(entry.path) if entry.is_dir() else entry.stat().st_size for entry in entries
        )


def read(folder: Path) -> Record | None:
    """Return the run whose records are in a folder; None where it was killed before it began.

    Raises Damaged, OSError.
    """
    entries = journal.read(folder)
    if not entries or entries[0]["do"] != "begin":
        return None
    begin, end = entries[0], _last(entries, "end")
    writes = [
        file for entry in entries if entry["do"] == "write" for file in entry["files"].values()
    ]
    return Record(
        run_id=begin["run"],
        root=Path(begin["root"]),
        started=begin["time"],
        state=end["state"] if end else "unfinished" if writes else "untouched",
        folder=folder,
        files={name: (before, after) for name, (before, after) in end.get("files", {}).items()},
        backups=tuple(Path(file["backup"]) for file in writes),
        ref=_last(entries, "snapshot").get("ref"),
        reverts=begin.get("reverts"),
        entries=entries,
    )


def _last(entries: tuple[Entry, ...], do: str) -> Entry:
    return next((entry for entry in reversed(entries) if entry["do"] == do), {})
