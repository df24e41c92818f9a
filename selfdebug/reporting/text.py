"""Text that strangers wrote, made fit for a terminal and for JSON."""

from __future__ import annotations

import re
from pathlib import Path

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clean(message: str) -> str:
    """Strip control characters other than newline and tab, and those that turn the reading order."""
    return _CONTROL.sub("", message)


def relative(path: Path, root: Path) -> str:
    """Return a path relative to the root with ``/``, or as it is where it lies elsewhere."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
