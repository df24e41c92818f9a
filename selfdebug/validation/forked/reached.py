"""Which lines of the project's files each test executes, which ways it takes from one to the next, and
what the variables of functions hold.

From Python 3.12 on ``sys.monitoring`` tells of each line and of each outcome of a condition once, as
far as the interpreter lets it; before, the trace function does, which is set for code of the project
only, and the line that comes next stands for the outcome. What a fixture of a wider scope executes
counts for the test that it was made for.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Iterator
from inspect import CO_OPTIMIZED
from itertools import islice
from types import CodeType, FrameType
from typing import Any

from . import swap
from .scripts import Scripts

_EXPLAINING = {
    "_pytest.assertion.rewrite": ("_saferepr", "_call_reprcompare", "_format_assertmsg"),
    "unittest.case": ("safe_repr", "_common_shorten_repr"),
}
"""What shows values to people once an assertion has failed: the reprs of a project are no suspects."""
_RETURNS = 3  # of each function at which its variables are looked at
_ALIKE = (
    100  # times that a branch goes the same way until it counts as going both: to look costs time
)


if sys.version_info >= (3, 12):
    _EVENTS = sys.monitoring.events
    # Python 3.14 tells the ways of a branch apart, and stops to tell of each by itself.
    _EACH_WAY = hasattr(_EVENTS, "BRANCH_LEFT")
    _BRANCHES = (_EVENTS.BRANCH_LEFT, _EVENTS.BRANCH_RIGHT) if _EACH_WAY else (_EVENTS.BRANCH,)
    _WATCHED = sum(_BRANCHES) | _EVENTS.LINE | _EVENTS.PY_RETURN

    class _Taken:
        """The way that was taken first at a branch, how often, and whether both count as taken."""

        __slots__ = ("both", "code", "times", "to")

        def __init__(self, code: CodeType, to: int) -> None:
            self.code, self.to = code, to  # the code, to keep its id
            self.times, self.both = 0, False


class Reached:
    """Collects the lines that run between ``watch`` and ``rest``, of files under a folder.

    And the branches: a line and a number for the way that is taken from there.

    For the tests ``watched`` also the variables with which functions return, as ``view`` tells them
    of a frame.
    """

    def __init__(
        self, root: str, watched: Collection[str], view: Callable[[FrameType], dict[str, Any]]
    ) -> None:
        self.root = swap.folder(root)
        self.lines: set[tuple[str, int]] = set()
        self._known: dict[tuple[str, int, str, int], tuple[int, int, int]] = {}
        self.values: dict[tuple[str, int], dict[str, Any]] = {}
        self._watched, self._view = frozenset(watched), view
        self._looks = False
        self._returns: dict[tuple[str, int], int] = {}
        self._real = swap.Real()
        self._mine: dict[str, bool] = {}
        self.scripts = Scripts(self.own)

    def leave_out_explanations(self) -> None:
        """Have what runs only to explain a failed assertion not count, from now on in this process."""
        for name, functions in _EXPLAINING.items():
            module = sys.modules.get(name)
            for function in functions:
                if hasattr(module, function):
                    setattr(module, function, self._aside(getattr(module, function)))

    def owns(self, code: CodeType) -> bool:
        """Whether the code is of a file of the project."""
        name = code.co_filename
        mine = self._mine.get(name)
        if mine is None:
            if name.startswith("<"):
                return self.scripts.of(code) is not None
            mine = self._mine[name] = self.own(name) is not None
        return mine

    def own(self, name: str) -> str | None:
        """Give the real path of a file of the project; None for others."""
        if name.startswith("<"):
            return None
        path = self._real[name]
        return path if path.startswith(self.root) and "site-packages" not in path else None

    def _name(self, code: CodeType) -> str:
        name = code.co_filename
        return (self.scripts.of(code) or name) if name.startswith("<") else name

    def described(self) -> dict[str, Any]:
        """Give the lines and branches by real paths, the variables by that and the function's line.

        ``scripts`` are the files among them that were executed without an import.
        """
        files: dict[str, list[int]] = {}
        for name, line in sorted(self.lines):
            files.setdefault(self._real[name], []).append(line)
        branches: dict[str, list[tuple[int, int]]] = {}
        for name, line, way in sorted(self._branches()):
            branches.setdefault(self._real[name], []).append((line, way))
        values: dict[str, dict[int, Any]] = {}
        for (name, first), seen in self.values.items():
            values.setdefault(self._real[name], {})[first] = seen
        return {
            "files": files,
            "branches": branches,
            "values": values,
            "scripts": sorted(self.scripts.files),
        }

    def _forget(self, test: str) -> None:
        self.lines.clear()
        self.values.clear()
        self._returns.clear()
        self.scripts.files.clear()
        self._looks = test in self._watched

    def _look(self, frame: FrameType) -> bool:
        """Note a function's variables as it returns; False where it was looked at often enough."""
        code = frame.f_code
        if not self._looks or not code.co_flags & CO_OPTIMIZED:
            return False
        key = self._name(code), code.co_firstlineno
        times = self._returns[key] = self._returns.get(key, 0) + 1
        if times <= _RETURNS:
            # A variable may be bound on some ways through the function only.
            self.values[key] = {**self._view(frame), **self.values.get(key, {})}
        return times < _RETURNS

    if sys.version_info >= (3, 12):
        _tool: int | None = None
        _is_aside = False

        def _aside(self, explain: Callable[..., Any]) -> Callable[..., Any]:
            def aside(*args: Any, **kwargs: Any) -> Any:
                before, self._is_aside = self._is_aside, True
                try:
                    return explain(*args, **kwargs)
                finally:
                    self._is_aside = before

            return aside

        def begin(self, test: str) -> None:
            """Forget what ran before: a test begins."""
            monitoring = sys.monitoring
            self._forget(test)
            self._taken: dict[tuple[int, int], _Taken] = {}
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
                monitoring.register_callback(self._tool, events.PY_RETURN, self._return)
                for each in _BRANCHES:
                    monitoring.register_callback(self._tool, each, self._branch)
                monitoring.set_events(self._tool, events.PY_START | events.PY_RESUME)

        def watch(self) -> None:
            """Look at what runs from now on."""
            self.scripts.hears = True

        def rest(self) -> None:
            """Look at nothing: code of others takes longer with each look."""
            self.scripts.hears = False

        def _start(self, code: CodeType, _offset: int) -> Any:
            if self._is_aside:
                return None  # it may run again, to be looked at
            if self.owns(code):
                sys.monitoring.set_local_events(self._tool or 0, code, _WATCHED)
            return sys.monitoring.DISABLE

        def _line(self, code: CodeType, line: int) -> Any:
            if self._is_aside:
                return None
            self.lines.add((self._name(code), line))
            return sys.monitoring.DISABLE  # once is enough

        def _branch(self, code: CodeType, offset: int, to: int) -> Any:
            if self._is_aside:
                return None
            seen = self._taken.get((id(code), offset))
            if seen is None:
                seen = self._taken[id(code), offset] = _Taken(code, to)
            seen.times += 1
            seen.both |= seen.to != to or seen.times == _ALIKE
            return sys.monitoring.DISABLE if seen.both or _EACH_WAY else None

        def _branches(self) -> Iterator[tuple[str, int, int]]:
            for (_, offset), seen in [*self._taken.items()]:
                code = seen.code
                name = self._name(code)
                where = name, code.co_firstlineno, code.co_name, offset
                if where not in self._known:
                    line = next(islice(code.co_positions(), offset // 2, None))[0]
                    number = 2 * len(self._known)
                    self._known[where] = line or code.co_firstlineno, number, seen.to
                line, number, first = self._known[where]
                for way in (0, 1) if seen.both else (int(seen.to != first),):
                    yield name, line, number + way

        def _return(self, _code: CodeType, _offset: int, _value: Any) -> Any:
            if self._is_aside or self._look(sys._getframe(1)):
                return None
            return sys.monitoring.DISABLE

    else:

        def _aside(self, explain: Callable[..., Any]) -> Callable[..., Any]:
            def aside(*args: Any, **kwargs: Any) -> Any:
                before = sys.gettrace()
                sys.settrace(None)
                try:
                    return explain(*args, **kwargs)
                finally:
                    sys.settrace(before)

            return aside

        def begin(self, test: str) -> None:
            """Forget what ran before: a test begins."""
            self._forget(test)
            self._arcs: set[tuple[str, int, int]] = set()
            self._at: dict[int, int] = {}

        def watch(self) -> None:
            """Look at what runs from now on."""
            self.scripts.hears = True
            threading.settrace(self._call)
            sys.settrace(self._call)

        def rest(self) -> None:
            """Look at nothing: code of others takes longer with each look."""
            sys.settrace(None)
            threading.settrace(None)
            self.scripts.hears = False

        def _branches(self) -> Iterator[tuple[str, int, int]]:
            return iter(self._arcs)

        def _call(self, frame: FrameType, _event: str, _value: Any) -> Any:
            self._at.pop(id(frame), None)  # another frame may have had that id
            return self._line if self.owns(frame.f_code) else None

        def _line(self, frame: FrameType, event: str, _value: Any) -> Any:
            name, line, here = self._name(frame.f_code), frame.f_lineno, id(frame)
            if event == "line":
                self.lines.add((name, line))
                if here in self._at:
                    self._arcs.add((name, self._at[here], line))
                self._at[here] = line
            elif event == "return":
                self._at.pop(here, None)
                self._look(frame)
            return self._line
