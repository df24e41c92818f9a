"""Stale bytecode lies: Python takes a cached file for current if the source's size and second agree.

An edit that keeps the size, within the second of the version that was compiled, reruns the old code.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path


def outdate(source: Path) -> bool:
    """Give a source file that we wrote a modification time that no bytecode of it claims.

    Looks at what any interpreter, and pytest's assertion rewriting, cached of it; the format of their
    headers is that of importlib and PEP 552. Returns whether the time had to change. Raises OSError.
    """
    status = source.stat()
    taken = {second for second, size in _claims(source) if size == status.st_size & 0xFFFFFFFF}
    second = int(status.st_mtime)
    if second & 0xFFFFFFFF not in taken:
        return False
    while second & 0xFFFFFFFF in taken:
        second += 1
    os.utime(source, ns=(status.st_atime_ns, second * 1_000_000_000))
    return True


def _claims(source: Path) -> Iterator[tuple[int, int]]:
    """For each bytecode file, second and size of the source that it was made from."""
    folders = [source.parent / "__pycache__"]
    prefix = os.environ.get("PYTHONPYCACHEPREFIX") or sys.pycache_prefix
    if prefix:
        folders.append(Path(prefix, *source.absolute().parent.parts[1:]))
    for folder in folders:
        for cached in folder.glob(f"{_literal(source.stem)}.*.pyc"):
            with cached.open("rb") as stream:
                header = stream.read(16)
            if len(header) == 16:
                second, size = (int.from_bytes(header[i : i + 4], "little") for i in (8, 12))
                yield second, size


def _literal(name: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)
