"""The traceback of a program that a test started, where a log shows what it wrote to standard error.

That is captured output of the test, or part of a value that an assertion shows (``stderr='...'``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from selfdebug.ingestion import native
from selfdebug.model import Failure, Raised

_SHOWN = re.compile(r"""\bstderr=(b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*")""", re.DOTALL)


def with_program(failure: Failure) -> Failure:
    """Return a failure as one that comes from the last traceback that a program wrote, if any."""
    if failure.raised is not None:
        for text in _errors(failure):
            program = native.read(_last(text.splitlines()))
            if program is not None and program.frames:
                return replace(failure, raised=_behind(failure.raised, program))
    return failure


def _errors(failure: Failure) -> Iterator[str]:
    """Yield what programs wrote, that which is surely one program's first."""
    raised = failure.raised
    for shown in (raised.message if raised else "", failure.text):
        for match in _SHOWN.finditer(shown):
            with suppress(ValueError, SyntaxError):
                value = ast.literal_eval(match[1])
                yield value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    yield from (text for name, text in failure.evidence.items() if "stderr" in name)


def _last(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines from the last traceback on, with those of the chain that it is the end of."""
    starts = [number for number, line in enumerate(lines) if native.begins(line)]
    while len(starts) > 1:
        between = (line.strip() for line in reversed(lines[: starts[-1]]))
        if next(filter(None, between), "") not in native.RELATIONS:
            break
        starts.pop()
    return lines[starts[-1] :] if starts else ()


def _behind(raised: Raised, program: Raised) -> Raised:
    if raised.before is not None:
        return replace(raised, before=_behind(raised.before, program))
    return replace(raised, before=program, relation="child")
