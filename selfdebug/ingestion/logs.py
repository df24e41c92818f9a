"""A captured log, of pytest or of any Python program, read into failures.

Memory is bounded and time linear whatever the log holds; nothing in it raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

from selfdebug.ingestion import peel
from selfdebug.ingestion.sessions import Reader
from selfdebug.model import Failure, Raised

_CHUNK = 1 << 18
_WRITERS = 64
_ARCHIVES = {
    b"PK\x03\x04": "zip archive",
    b"\x1f\x8b": "gzip file",
    b"\x28\xb5\x2f\xfd": "zstd file",
}


@dataclass(frozen=True, slots=True)
class Log:
    """What a log tells.

    ``sessions`` counts the pytest sessions seen. ``roots`` are the directories in which the tests ran,
    as the log spells them (pytest's ``rootdir:``, tox's directory): hints for frames' relative paths.
    ``complaint`` says, where no failure has a place, why, and what to do; "" where nothing failed.
    """

    failures: tuple[Failure, ...]
    sessions: int
    roots: tuple[str, ...]
    complaint: str


def read_log(stream: BinaryIO) -> Log:
    """Read a log to its end. Frames stay as spelled; spans are as ``ingestion.quoted`` says."""
    chunks = iter(lambda: stream.read(_CHUNK), b"")
    start = next(chunks, b"")
    for magic, kind in _ARCHIVES.items():
        if start.startswith(magic):
            return Log((), 0, (), f"the log is a {kind}: unpack it first")
    readers: dict[str, Reader] = {}
    for writer, line in peel.unwrapped(peel.lines(chain([start], chunks))):
        if reader := readers.get(writer):
            reader.feed(line)
        elif len(readers) < _WRITERS:
            readers[writer] = Reader()
            readers[writer].feed(line)
    for reader in readers.values():
        reader.close()
    return _log(list(readers.values()))


def _log(readers: Sequence[Reader]) -> Log:
    sessions = sum(reader.sessions for reader in readers)
    failures = [
        failure for reader in readers for failure in reader.loose.conftests + reader.failures
    ]
    if not failures and not sessions:
        failures = [failure for reader in readers for failure in reader.loose.tracebacks]
    if not failures and not sessions:
        failures = [found for reader in readers if (found := reader.loose.pasted())]
    roots = dict.fromkeys(chain.from_iterable(reader.roots for reader in readers))
    return Log(tuple(failures), sessions, tuple(roots), _complaint(readers, failures))


def _complaint(readers: Sequence[Reader], failures: Sequence[Failure]) -> str:
    if any(_placed(failure.raised) for failure in failures):
        return ""
    if failures:
        return (
            "the log names failing tests but no place in the source (--tb=no, or failures that carry "
            "none): let selfdebug run pytest itself, or run it with --tb=auto"
        )
    if any(reader.internal_error for reader in readers):
        return "pytest itself broke down (INTERNALERROR), so the log says nothing about the tests"
    if not any(reader.sessions for reader in readers):
        return "there is no pytest session and no Python traceback in the log"
    if not all(reader.finished >= reader.sessions for reader in readers):
        return "the log ends before pytest showed a failure: it is cut, or the run was killed"
    return ""


def _placed(raised: Raised | None) -> bool:
    return raised is not None and (bool(raised.frames) or any(map(_placed, raised.members)))
