"""Old run records go, with their backups and refs, so that they do not pile up."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from selfdebug.workspace import disk, git, history, journal, snapshot
from selfdebug.workspace.history import Outline
from selfdebug.workspace.scratch import clear

LONGEST = 30 * 24 * 3600
"""How long a run is kept, in seconds."""
MOST_BYTES = 256 << 20
"""What the records of one tree may take in all, without the backups in the temporary folder."""
MOST_RUNS = 100
_SLACK = 1.1  # times as many until some go: together, that costs less than one with each run


def prune(root: Path, records: Path) -> None:
    """Remove runs on a tree that are too old or too many. Raises Damaged, OSError.

    The caller holds the lock. The latest run stays, and so does an unfinished one.
    """
    known = [run for run in history.outlines(root) if run.folder.parent == records / history.RUNS]
    end_untouched(root, known)
    excess = [*_excess(known)]
    if excess:
        with suppress(git.GitFailed):
            snapshot.forget(root, [run.run_id for run in excess])
    for run in excess:
        record = history.read(run.folder)
        for backup in record.backups if record else ():
            disk.unlink(backup)
        disk.unlink(run.folder / journal.NAME)  # first: without it a folder is no record
        clear(run.folder)
    begun = {run.folder for run in known}
    for folder in (records / history.RUNS).glob("*"):
        if folder not in begun:  # killed before its journal began
            clear(folder)
    history.note(records, (run for run in known if not run.killed and run not in excess))


def end_untouched(root: Path, runs: Iterable[Outline]) -> None:
    """End those of the runs that were killed before their first edit, and remove their refs.

    The caller holds the lock. Raises Damaged, OSError.
    """
    for run in runs:
        if run.killed and not run.unfinished:
            with suppress(git.GitFailed):
                snapshot.forget(root, [run.run_id])
            with journal.resume(run.folder) as file:
                journal.append(file, "snapshot", why="nothing was edited")
                journal.append(file, "end", state="untouched", files={}, conflicts=[])


def _excess(runs: list[Outline]) -> Iterator[Outline]:
    most = MOST_RUNS if len(runs) > MOST_RUNS * _SLACK else len(runs)
    size = count = 0
    for run in reversed(runs):
        size, count = size + run.size, count + 1
        old = time.time() - run.started > LONGEST
        if count > 1 and not run.unfinished and (old or size > MOST_BYTES or count > most):
            yield run
