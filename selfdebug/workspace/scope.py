"""Which files may be edited at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from selfdebug.workspace import git

_FOREIGN = {
    "site-packages",
    "dist-packages",
    "node_modules",
    "__pypackages__",
    "_vendor",
    "_vendored",
    "vendored",
    "third_party",
    ".git",
    ".hg",
    ".svn",
    ".venv",
    ".tox",
    ".nox",
    ".eggs",
}
"""Folders that hold other people's code, or none."""

_ENVIRONMENT_MARKS = ("pyvenv.cfg", "conda-meta")


def editable(
    root: Path, path: Path, ignored: Callable[[Path, Path], bool] = git.ignored
) -> str | None:
    """Return why a file must not be edited, as the end of the sentence "the file …"; None if it may be.

    A symbolic link counts as the file that it leads to. Whether a file is a test is not asked here.
    ``ignored`` says whether git ignores a file under a root, both by their real paths.
    """
    real, base = Path(os.path.realpath(path)), Path(os.path.realpath(root))
    if not real.is_relative_to(base):
        via = "leads out of" if path.is_symlink() else "is outside"
        return f"{via} the root {base}"
    why = _foreign(base, real) or _unwritable(real)
    return why or ("is ignored by git" if ignored(base, real) else None)


def _foreign(root: Path, path: Path) -> str | None:
    parts = path.relative_to(root).parts[:-1]
    if found := _FOREIGN.intersection(parts):
        return f"belongs to {min(found)}, which is not the project's own code"
    for depth in range(1, len(parts) + 1):
        folder = root.joinpath(*parts[:depth])
        if any((folder / mark).exists() for mark in _ENVIRONMENT_MARKS):
            return f"belongs to the environment in {parts[depth - 1]}"
    return None


def _unwritable(path: Path) -> str | None:
    try:
        status = path.lstat()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file"
    if status.st_nlink > 1:
        return "is a hard link: replacing it would part it from its other names"
    return _forbidden(path, status)


def _forbidden(path: Path, status: os.stat_result) -> str | None:
    if not status.st_mode & 0o222 or not os.access(path, os.W_OK):
        return "is read-only"
    if not os.access(path, os.R_OK):
        return "cannot be read: permission denied"
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return "is in a read-only folder"
    if hasattr(os, "geteuid") and os.geteuid() not in {0, status.st_uid}:
        return "belongs to another user: replacing it would change its owner"
    return None
