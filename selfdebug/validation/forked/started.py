"""Which code objects have begun to run: exactly, and at next to no cost.

From Python 3.12 on ``sys.monitoring`` tells. Before, each code object counts its runs, so that the
interpreter knows when to optimise it; where the count stands is found by watching one that runs.
"""

from __future__ import annotations

import ctypes
import sys
from types import CodeType, FunctionType
from typing import Any, NamedTuple

_SAMPLES = 3


class _Count(NamedTuple):
    """Where in a code object the number of its runs stands, and what it is before the first."""

    offset: int
    zero: int

    def of(self, code: CodeType) -> int:
        return ctypes.c_uint16.from_address(id(code) + self.offset).value


def _find() -> _Count | None:
    found = [_growing() for _ in range(_SAMPLES)]
    everywhere = found[0].intersection(*found[1:])
    return min(everywhere, default=None)


def _growing() -> set[_Count]:
    """Each number in a fresh code object that went up by one with each of three runs."""
    code = next(each for each in compile("def f(): pass", "", "exec").co_consts if _is_code(each))
    function = FunctionType(code, {})
    snapshots = [_numbers(code)]
    for _ in range(_SAMPLES):
        function()
        snapshots.append(_numbers(code))
    return {
        _Count(2 * place, counts[0])
        for place, counts in enumerate(zip(*snapshots))  # noqa: B905 - older interpreters run this
        if [count - counts[0] for count in counts] == list(range(_SAMPLES + 1))
    }


def _numbers(code: CodeType) -> list[int]:
    size = sys.getsizeof(code) // 2
    return list((ctypes.c_uint16 * size).from_address(id(code)))


def _is_code(value: object) -> bool:
    return isinstance(value, CodeType)


if sys.version_info >= (3, 12):
    _seen: dict[int, CodeType] = {}

    def tells() -> bool:
        """Whether this interpreter tells; asked once, before the code that matters runs."""
        monitoring = sys.monitoring
        tool = next((each for each in (4, 3) if monitoring.get_tool(each) is None), None)
        if tool is not None:
            monitoring.use_tool_id(tool, __name__)
            monitoring.register_callback(tool, monitoring.events.PY_START, _note)
            monitoring.set_events(tool, monitoring.events.PY_START)
        return tool is not None

    def ran(code: CodeType) -> bool:
        """Whether this very code object has begun to run."""
        return id(code) in _seen

    def _note(code: CodeType, _offset: int) -> Any:
        _seen[id(code)] = code
        return sys.monitoring.DISABLE  # once is enough

else:
    _count = _find()

    def tells() -> bool:
        """Whether this interpreter tells; asked once, before the code that matters runs."""
        return _count is not None

    def ran(code: CodeType) -> bool:
        """Whether this very code object has begun to run."""
        return _count is not None and _count.of(code) != _count.zero
