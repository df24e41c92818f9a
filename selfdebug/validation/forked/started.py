"""Which code objects began to run, exactly, since ``begin``."""

from __future__ import annotations

import sys
import threading
from types import CodeType
from typing import Any

_codes: dict[int, CodeType] = {}
_profilers: list[Any] = []


def begin() -> None:
    """Note from now on each code object that starts, in this thread and in those it starts."""
    if sys.version_info >= (3, 12):
        _monitor()
    else:
        _profile()
        threading.setprofile(_profile)


def pause() -> None:
    """Stop noting, where noting costs time."""
    if _profilers:
        threading.setprofile(None)
        for profiler in _profilers:
            profiler.disable()
        codes()
        _profilers.clear()


def codes() -> dict[int, CodeType]:
    """Give what started so far, by identity: equal code may stand in several places."""
    for profiler in _profilers:
        for entry in profiler.getstats():
            if type(entry.code) is CodeType:
                _codes[id(entry.code)] = entry.code
    return _codes


def _profile(*_event: object) -> None:
    """The C profiler of cProfile; one for each thread, since it keeps a stack."""
    import _lsprof

    profiler = _lsprof.Profiler(subcalls=False, builtins=False)
    _profilers.append(profiler)
    profiler.enable(subcalls=False, builtins=False)


if sys.version_info >= (3, 12):

    def _monitor() -> None:
        """Code that was seen once is not looked at again, so this costs next to nothing."""
        monitoring = sys.monitoring
        tool = next(each for each in (4, 3) if monitoring.get_tool(each) in (None, __name__))
        if monitoring.get_tool(tool) is None:
            monitoring.use_tool_id(tool, __name__)
        monitoring.register_callback(tool, monitoring.events.PY_START, _note)
        monitoring.set_events(tool, monitoring.events.PY_START)

    def _note(code: CodeType, _offset: int) -> Any:
        _codes[id(code)] = code
        return sys.monitoring.DISABLE
