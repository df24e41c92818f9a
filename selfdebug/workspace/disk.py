"""Every way in which selfdebug changes a disk, one function each, and nothing else.

The rest of the package calls them as ``disk.name(...)``, so that a test can stand between any two
and stage a crash, a full disk or a lost write. Nothing here is atomic by itself: see ``atomic``.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from io import FileIO
from pathlib import Path

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL
_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_DIRECTORY_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EISDIR}


def create(path: Path, mode: int = 0o600) -> FileIO:
    """Create and open a file. Raises FileExistsError where anything, even a link, has the name."""

    def opener(name: str, _: int) -> int:
        return os.open(name, _NEW | _FLAGS, mode)

    return FileIO(os.fspath(path), "w+", opener=opener)


def append(path: Path) -> FileIO:
    """Open a file that exists, to write at its end."""

    def opener(name: str, _: int) -> int:
        return os.open(name, os.O_RDWR | os.O_APPEND | _FLAGS)

    return FileIO(os.fspath(path), "a+", opener=opener)


def write(file: FileIO, data: bytes) -> None:
    """Write all of ``data``."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def truncate(file: FileIO, size: int) -> None:
    """Cut a file to ``size`` bytes."""
    file.truncate(size)


def fsync(file: FileIO) -> None:
    """Wait until a file's bytes and metadata would survive a power loss."""
    os.fsync(file.fileno())


def fsync_dir(path: Path) -> None:
    """Wait until the names in a folder would survive a power loss, where the system can do that."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_DIRECTORY_SYNC:
            raise
    finally:
        os.close(descriptor)


def copy_metadata(source: Path, target: Path) -> None:
    """Give ``target`` the owner, mode, access times, extended attributes and ACL of ``source``."""
    status = source.stat()
    if hasattr(os, "chown"):  # before the mode: it clears set-user-ID
        os.chown(target, status.st_uid, status.st_gid)
    shutil.copystat(source, target)


def chmod(path: Path, mode: int) -> None:
    """Set a file's or folder's mode."""
    path.chmod(mode)


def utime(path: Path, mtime_ns: int) -> None:
    """Set a file's modification time, and its access time to the same."""
    os.utime(path, ns=(mtime_ns, mtime_ns))


def replace(source: Path, target: Path) -> None:
    """Move a file over another in one step."""
    source.replace(target)


def unlink(path: Path) -> None:
    """Remove a file, if it is there."""
    path.unlink(missing_ok=True)


def mkdir(path: Path, mode: int = 0o700) -> None:
    """Make a folder. Raises FileExistsError where anything has the name."""
    path.mkdir(mode)


def rmdir(path: Path) -> None:
    """Remove an empty folder."""
    path.rmdir()


def execute(
    command: Sequence[str], cwd: Path, env: Mapping[str, str], data: bytes, seconds: float
) -> subprocess.CompletedProcess[bytes]:
    """Run a program that may write. Raises OSError, subprocess.TimeoutExpired.

    In a session of its own, so that whoever kills ours does not cut it short: git would leave a lock.
    """
    return subprocess.run(
        command,
        cwd=cwd,
        env=env,
        input=data,
        timeout=seconds,
        capture_output=True,
        check=False,
        start_new_session=True,
    )
