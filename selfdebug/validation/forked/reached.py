"""Which lines of the project's files each test executes.

From Python 3.12 on ``sys.monitoring`` tells of each line once; before, the trace function does, which
is set for code of the project only. What a fixture of a wider scope executes counts for the test that
it was made for.
"""

from __future__ import annotations

import sys
import threading
from types import CodeType, FrameType
from typing import Any

from . import swap


class Reached:
    """Collects the lines that run between ``begin`` and ``end``, of files under a folder."""

    def __init__(self, root: str) -> None:
        self.root = swap.folder(root)
        self.lines: set[tuple[str, int]] = set()
        self._real = swap.Real()

    def owns(self, code: CodeType) -> bool:
        """Whether the code is of a file of the project."""
        path = self._real[code.co_filename]
        return path.startswith(self.root) and "site-packages" not in path

    def described(self) -> dict[str, list[int]]:
        """Give the lines by their file's real path."""
        files: dict[str, list[int]] = {}
        for name, line in sorted(self.lines):
            files.setdefault(self._real[name], []).append(line)
        return files

    if sys.version_info >= (3, 12):
        _tool: int | None = None

        def begin(self) -> None:
            """Forget what ran before, and watch."""
            monitoring = sys.monitoring
            self.lines.clear()
            if self._tool is not None:
                monitoring.restart_events()
                return
            free = (each for each in (3, 4, 5, 2) if monitoring.get_tool(each) is None)
            self._tool = next(free, None)
            if self._tool is not None:
                events = monitoring.events
                monitoring.use_tool_id(self._tool, __name__)
                monitoring.register_callback(self._tool, events.PY_START, self._start)
                monitoring.register_callback(self._tool, events.PY_RESUME, self._start)
                monitoring.register_callback(self._tool, events.LINE, self._line)
                monitoring.set_events(self._tool, events.PY_START | events.PY_RESUME)

        def end(self) -> None:
            """Watch no more."""

        def _start(self, code: CodeType, _offset: int) -> Any:
            if self.owns(code):
                sys.monitoring.set_local_events(self._tool or 0, code, sys.monitoring.events.LINE)
            return sys.monitoring.DISABLE

        def _line(self, code: CodeType, line: int) -> Any:
            self.lines.add((code.co_filename, line))
            return sys.monitoring.DISABLE  # once is enough

    else:

        def begin(self) -> None:
            """Forget what ran before, and watch."""
            self.lines.clear()
            threading.settrace(self._call)
            sys.settrace(self._call)

        def end(self) -> None:
            """Watch no more."""
            sys.settrace(None)
            threading.settrace(None)

        def _call(self, frame: FrameType, _event: str, _value: Any) -> Any:
            return self._line if self.owns(frame.f_code) else None

        def _line(self, frame: FrameType, event: str, _value: Any) -> Any:
            if event == "line":
                self.lines.add((frame.f_code.co_filename, frame.f_lineno))
            return self._line
