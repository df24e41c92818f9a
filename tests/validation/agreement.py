"""Whether the warm and the cold runner say the same of an edit, to the line of each frame."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from selfdebug.model import Failure, Raised, TestRun
from selfdebug.validation.cold import run_pytest
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits
from selfdebug.validation.warm import Declined, WarmRun, WarmServer

SECONDS = 60.0
_ADDRESS = re.compile(r"(0x|\.\.\.)[0-9a-fx]+")


def compare(
    server: WarmServer, command: PytestCommand, file: Path, text: str, select: Sequence[str]
) -> tuple[WarmRun | Declined, list[str]]:
    """Try an edit both ways; return what the warm runner answered, and in what the two differ."""
    warm = try_warm(server, file, text, select)
    if isinstance(warm, Declined):
        return warm, []
    cold = run_pytest(command, select=select, replaced={file: text.encode()})
    pairs = zip(_told(warm.run, file), _told(cold, file), strict=True)
    return warm, [f"{was!r} but cold {should!r}" for was, should in pairs if was != should]


def try_warm(
    server: WarmServer, file: Path, text: str, select: Sequence[str]
) -> WarmRun | Declined:
    """Ask the warm runner of an edit, with all the time that it may need."""
    return server.run({file: text.encode()}, select, Limits(SECONDS), first_failure=False)


def _told(run: TestRun, file: Path) -> Iterator[object]:
    yield run.exit_code
    yield dict(sorted(run.outcomes.items()))
    yield sorted(_failure(failure, file) for failure in run.failures)


def _failure(failure: Failure, file: Path) -> tuple[str, ...]:
    return failure.test, failure.phase, *_raised(failure.raised, file)


def _raised(raised: Raised | None, file: Path) -> Iterator[str]:
    while raised is not None:
        yield f"{raised.type}: {_ADDRESS.sub('...', raised.message)}"
        for frame in raised.frames:
            if Path(frame.file) == file:
                yield f"{frame.line} {frame.function} {frame.source} {frame.span}"
        raised = raised.before
