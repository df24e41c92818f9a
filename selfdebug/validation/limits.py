"""What one candidate may use before it costs itself, and nothing else."""

from __future__ import annotations

import os
from dataclasses import dataclass

FLOOR, CAP = 2.0, 300.0  # seconds
_FACTOR = 10  # how much slower than the test with the bug a repaired one may be
_FILE = 256 * 1024**2


@dataclass(frozen=True, slots=True)
class Limits:
    """``seconds`` of wall clock, ``memory`` in bytes of address space on top of what the server's
    process has, ``file`` in bytes for each file written, which bounds the output too.

    None of the latter two stands for no limit. ``imports`` are seconds more for a candidate that has
    to import the project anew.
    """

    seconds: float
    memory: int | None = None
    file: int | None = None
    imports: float = 0.0


def limits(duration: float) -> Limits:
    """Limit a candidate whose tests took ``duration`` seconds without it."""
    seconds = min(max(FLOOR, duration * _FACTOR), CAP)
    return Limits(seconds, max(1024**3, _physical() // 4), _FILE)


def suite_memory() -> int | None:
    """Limit the whole suite in bytes: half of the machine; None where that is not known."""
    return _physical() // 2 if hasattr(os, "sysconf") else None


def _physical() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
