"""The project as one archive with a name that says what is in it, to be tried on another machine."""

from __future__ import annotations

import io
import os
import stat
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from selfdebug.digest import sha256
from selfdebug.validation.overlay import left_out

LARGEST = 256 << 20
"""What an archive may take in bytes, packed."""


class TooLarge(Exception):
    """The project does not fit into an archive that is worth sending."""


@dataclass(frozen=True, slots=True)
class Packed:
    """``data`` is a compressed tar file, ``digest`` the SHA-256 of its content, ``name`` the root's."""

    name: str
    digest: str
    data: bytes


def pack(root: Path) -> Packed:
    """Pack the files below a folder; virtual environments, caches and repositories stay behind.

    The same files give the same digest. Links are packed where they lead to a place inside. Raises
    TooLarge, OSError.
    """
    packed, digest = io.BytesIO(), sha256()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for path in _files(root):
            entry = archive.gettarinfo(path, path.relative_to(root).as_posix())
            entry.mtime = entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            body = path.read_bytes() if entry.isreg() else b""
            entry.size, entry.type = len(body), entry.type if not entry.islnk() else tarfile.REGTYPE
            digest.update(entry.tobuf() + sha256(body).digest())
            archive.addfile(entry, io.BytesIO(body))
            if packed.tell() > LARGEST:
                raise TooLarge(f"more than {LARGEST >> 20} MB of files")
    return Packed(root.name, digest.hexdigest(), packed.getvalue())


def unpack(packed: Packed, folder: Path) -> Path:
    """Write the files into a new folder below this one, and return it.

    Nothing is written outside, whatever the archive says. Raises tarfile.TarError, OSError.
    """
    root = folder / packed.name
    root.mkdir()
    with tarfile.open(fileobj=io.BytesIO(packed.data), mode="r:gz") as archive:
        if not hasattr(tarfile, "data_filter"):  # before Python 3.10.12 and 3.11.4
            raise tarfile.TarError("this Python can't unpack an archive of others safely")
        archive.extractall(root, filter="data")
    return root


def _files(root: Path) -> Iterator[Path]:
    inside = os.path.realpath(root)
    for folder, folders, files in os.walk(root):
        ignored = left_out(folder, [*folders, *files]) - {".hypothesis"}
        links = [name for name in folders if Path(folder, name).is_symlink()]
        folders[:] = sorted({*folders} - ignored - {*links})
        for name in sorted({*folders, *links, *files} - ignored):
            path = Path(folder, name)
            if not path.is_symlink():
                mode = path.lstat().st_mode
                if stat.S_ISDIR(mode) or os.access(path, os.R_OK):
                    yield path
            elif not path.readlink().is_absolute() and _leads_inside(path, inside):
                yield path


def _leads_inside(path: Path, root: str) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(root)
