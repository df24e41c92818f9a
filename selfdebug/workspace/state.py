"""Where run records and backups live: private folders, never inside the tree that is worked on.

A tree's records are in ``projects/<name>-<hash of its real path>`` under ``$SELFDEBUG_STATE_DIR`` if
that is set; otherwise under the user's state folder (XDG base directories and their counterparts), or
under the system's temporary folder where that one cannot be written.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from selfdebug.digest import sha256
from selfdebug.workspace import disk
from selfdebug.workspace.errors import Unsafe

TEMPORARY = "agent-self-debugger-loop"


def project(root: Path) -> Path:
    """Return the folder for a tree's records, made if need be. Raises Unsafe if there can be none."""
    problems = []
    for folder in _places(root):
        made = _try(folder)
        if isinstance(made, Path):
            return made
        problems.append(made)
    hint = "set SELFDEBUG_STATE_DIR to a folder of your own outside the tree"
    raise Unsafe("; ".join((f"no place to keep records of {root}", *problems, hint)))


def existing(root: Path) -> tuple[Path, ...]:
    """Return the folders that hold records of a tree: usually one, two if the place has changed."""
    found = []
    for folder in _places(root):
        with suppress(OSError, Unsafe):
            _check(folder)
            found.append(folder)
    return tuple(found)


def plugins(root: Path) -> Path | None:
    """Return the folder that keeps our plugins for pytest, compiled; None where there can be none."""
    for base in _bases():
        if not _inside(base, root):
            with suppress(OSError, Unsafe):
                return private(base / "plugins")
    return None


def backups(root: Path, records: Path) -> Path:
    """Return the default folder for byte backups, made if need be. Raises Unsafe, OSError.

    It is in the temporary folder; next to the records where that is in other hands or in the tree.
    """
    folder = _temporary()
    if not _inside(folder, root):
        with suppress(OSError, Unsafe):
            return private(folder)
    return private(records / "backups")


def private(folder: Path) -> Path:
    """Make a folder and its parents for this user alone, and return it.

    Raises Unsafe where it is there already and another user could have planted it, and OSError.
    """
    missing = [folder]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for each in reversed(missing):
        with suppress(FileExistsError):
            disk.mkdir(each, 0o700)
            disk.fsync_dir(each.parent)
    _check(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Unsafe(f"{folder} is not writable")
    return folder


def _try(folder: Path) -> Path | str:
    try:
        return private(folder)
    except (OSError, Unsafe) as error:
        return str(error)


def _places(root: Path) -> Iterator[Path]:
    real = os.path.realpath(root)
    digest = sha256(os.fsencode(real)).hexdigest()[:16]
    name = f"{Path(real).name or 'root'}-{digest}"
    for base in _bases():
        if not _inside(base, root):
            yield base / "projects" / name


def _bases() -> Iterator[Path]:
    if chosen := os.environ.get("SELFDEBUG_STATE_DIR"):
        yield Path(chosen).absolute()
        return
    from platformdirs import user_state_path

    yield user_state_path("selfdebug", appauthor=False)
    yield _temporary()


def _temporary() -> Path:
    return Path(tempfile.gettempdir()) / TEMPORARY


def _inside(folder: Path, root: Path) -> bool:
    return Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root))


def _check(folder: Path) -> None:
    """Raise Unsafe where a folder, or the link that leads to it, belongs to another user."""
    for status in (folder.lstat(), folder.stat()):
        if hasattr(os, "geteuid") and status.st_uid not in {os.geteuid(), 0}:
            raise Unsafe(f"{folder} belongs to another user")
    if not stat.S_ISDIR(folder.stat().st_mode):
        raise Unsafe(f"{folder} is not a folder")
