"""What one candidate may use before it costs itself, and nothing else."""

from __future__ import annotations

import os
from dataclasses import dataclass

FLOOR, CAP = 2.0, 300.0  # seconds
_FACTOR = 10  # how much slower than the test with the bug a repaired one may be
_SHORTEST = 0.5  # seconds for one test
_FILE = 256 * 1024**2


@dataclass(frozen=True, slots=True)
class Patience:
    """After how long a test is ended where it is, as one that fails (see ``deadline.py``).

    After ``seconds``, or ``factor`` times what all tests before it took if that is more: what is around
    tests gets a few times as long. When ``run``, the seconds of the whole run, is nearly over, a test is
    ended that took more of it than all before. None stands for no such limit.
    """

    seconds: float
    factor: float = 0.0
    run: float | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """``seconds`` of wall clock, ``memory`` in bytes of address space on top of what the server's
    process has, ``file`` in bytes for each file written, which bounds the output too.

    None of the latter two stands for no limit. ``imports`` are seconds more for a candidate that has
    to import the project anew. With ``patience`` a test that takes long is ended alone.
    """

    seconds: float
    memory: int | None = None
    file: int | None = None
    imports: float = 0.0
    patience: Patience | None = None


def patient(slowest: float, times: float = 1.0) -> Patience:
    """Limit each test to a few times the ``slowest`` seconds of those that ended, and ``times`` that."""
    return Patience(min(max(_SHORTEST, slowest * _FACTOR), CAP) * times)


def limits(duration: float) -> Limits:
    """Limit a candidate whose tests took ``duration`` seconds without it."""
    seconds = min(max(FLOOR, duration * _FACTOR), CAP)
    return Limits(seconds, max(1024**3, _physical() // 4), _FILE)


def suite_memory() -> int | None:
    """Limit the whole suite in bytes: half of the machine; None where that is not known."""
    return _physical() // 2 if hasattr(os, "sysconf") else None


def _physical() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
