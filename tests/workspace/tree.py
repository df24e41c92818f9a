"""What a tree holds, and edits to it."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from selfdebug.model import Edit

Contents: TypeAlias = Mapping[str, tuple[bytes | str, int]]


def contents(root: Path) -> Contents:
    """Everything below a folder but ``.git``: bytes, link target or "folder", and mode."""
    found: dict[str, tuple[bytes | str, int]] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if ".git" in name.parts:
            continue
        mode = stat.S_IMODE(path.lstat().st_mode)
        if path.is_symlink():
            found[str(name)] = (str(path.readlink()), mode)
        else:
            found[str(name)] = ("folder" if path.is_dir() else path.read_bytes(), mode)
    return found


def edit(path: Path, before: bytes, after: bytes) -> Edit:
    """The edit that replaces the first place in a file where ``before`` stands."""
    start = path.read_bytes().index(before)
    return Edit(path, start, start + len(before), before, after)
