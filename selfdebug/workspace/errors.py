"""What can stop an edit, each with a message that says what to do next."""

from __future__ import annotations

import shlex
from pathlib import Path


class WorkspaceError(Exception):
    """The tree cannot be worked on. The message is for people; nothing was left half done."""


class Locked(WorkspaceError):
    """Another live process works on the same tree. ``pid`` is None where it is not known."""

    def __init__(self, root: Path, pid: int | None):
        self.root, self.pid = root, pid
        who = "another selfdebug run" if pid is None else f"another selfdebug run (process {pid})"
        super().__init__(f"{root}: {who} works on this tree; wait for it to end, or end it")


class Unfinished(WorkspaceError):
    """An earlier run was killed before it could keep or revert its edits."""

    def __init__(self, root: Path, run_id: str):
        self.root, self.run_id = root, run_id
        self.command = f"selfdebug recover --root {shlex.quote(str(root))}"
        super().__init__(
            f"{root}: run {run_id} was killed with edits in place; first `{self.command}`"
        )


class Unsafe(WorkspaceError):
    """A folder of ours is missing, not writable, or in other hands."""


class Refused(WorkspaceError):
    """A file that must not be edited. ``why`` completes the sentence "the file …"."""

    def __init__(self, path: Path, why: str):
        self.path, self.why = path, why
        super().__init__(f"{path} {why}; it was not edited")


class Changed(WorkspaceError):
    """A file no longer holds the bytes that an edit was made for: someone else wrote to it."""

    def __init__(self, path: Path):
        self.path = path
        super().__init__(f"{path} was changed by someone else in the meantime; it was left alone")


class Unwritable(WorkspaceError):
    """The disk refused a write. The files are as they were, or ``selfdebug recover`` will say so."""

    def __init__(self, path: Path, error: OSError):
        self.path, self.error = path, error
        super().__init__(f"{path} cannot be written: {error.strerror or error}")


class Damaged(WorkspaceError):
    """A journal or a saved copy does not hold what was written to it."""
