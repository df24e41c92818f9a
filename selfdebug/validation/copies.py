"""Copies of the project in which candidates are written: for tests that read its files themselves.

What a test gives to ``runpy`` or ``exec``, or starts as a program, is read from the disk, where nothing
can take a file's place. So the tests run in a copy, each of which tries one candidate at a time, warm
where that is possible, and else in a fresh process. A candidate under which they pass is tried once
more, to see whether they executed what it changes.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Lock
from typing import Any

from selfdebug.validation import overlay, warm
from selfdebug.validation.cold import Observed, run_pytest
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits
from selfdebug.validation.reach import executes
from selfdebug.validation.warm import Declined, WarmRun, WarmServer, told_by_test

_COLD, _START = 2.0, 5.0  # times what collecting takes, and seconds more, for a fresh process
_WATCHED = 5.0  # times what tests take, where the lines that they execute are told


@dataclass(frozen=True, slots=True)
class Attempt:
    """A candidate, and how to try it. ``known`` is all that tests may do to their surroundings.

    ``cold`` says whether a fresh process may be asked where no warm one can tell.
    """

    contents: Mapping[Path, bytes]
    tests: Sequence[str]
    allowed: Limits
    first_failure: bool = True
    known: Collection[str] | None = None
    cold: bool = False


class Copies:
    """Up to ``most`` copies, made when they are needed; close them. For several threads at once.

    ``warmed`` says whether it is worth to start warm servers there.
    """

    def __init__(self, command: PytestCommand, most: int, *, warmed: bool) -> None:
        self._command, self._most, self._warmed = command, most, warmed
        self._resources = ExitStack()
        self._free: SimpleQueue[_Copy] = SimpleQueue()
        self._made = 0
        self._lock = Lock()

    def close(self) -> None:
        """Remove them. Nothing must be running in one."""
        self._resources.close()

    def run(self, attempt: Attempt, stop: Event | None = None) -> WarmRun | Declined:
        """Run tests in a copy with a candidate; all files are named as in the project."""
        try:
            copy = self._take()
        except OSError as error:
            return Declined(f"the project cannot be copied: {error}")
        try:
            return copy.run(attempt, stop)
        finally:
            self._free.put(copy)

    def _take(self) -> _Copy:
        """Return a copy that is free, a new one, or the next that is given back. Raises OSError."""
        try:
            return self._free.get_nowait()
        except Empty:
            pass
        with self._lock:
            if self._made < self._most:
                copy = _Copy(self._command, self._resources, self._warmed)
                self._made += 1
                return copy
        return self._free.get()


@dataclass
class _Copy:
    """One copy of the project, and a warm server there."""

    command: PytestCommand
    resources: ExitStack
    warmed: bool
    written: int = 0
    root: Path = field(init=False)
    there: PytestCommand = field(init=False)
    server: WarmServer | None = None

    def __post_init__(self) -> None:
        made = overlay.overlay(self.command.root, {}, self.command.scratch)
        self.root = self.resources.enter_context(made)
        self.there = overlay.moved(self.command, self.root)
        server = warm.start(self.there, original=self.command.root) if self.warmed else None
        if isinstance(server, WarmServer):
            self.server = self.resources.enter_context(server)

    def run(self, attempt: Attempt, stop: Event | None) -> WarmRun | Declined:
        """Try a candidate; one under which the tests pass has to be executed by them."""
        here = replace(
            attempt,
            contents={self._there(path): text for path, text in attempt.contents.items()},
            known=None if attempt.known is None else [*map(self._moved, attempt.known)],
        )
        with self._holding(here.contents) as before:
            tried = self._try(here, stop)
            if isinstance(tried, Declined) or tried.run.exit_code != 0:
                return tried
            seconds = attempt.allowed.seconds * _WATCHED
            slower = replace(here, allowed=replace(here.allowed, seconds=seconds))
            seen = self._try(slower, stop, reached=True)
        if isinstance(seen, Declined) or seen.run.exit_code != 0:
            return seen
        after = attempt.contents
        was = {path: before[self._there(path)] for path in after}
        ran = (test for test, lines in seen.reached.items() if executes(lines, was, after))
        return replace(seen, test=next(ran, None))

    def _try(
        self, attempt: Attempt, stop: Event | None, *, reached: bool = False
    ) -> WarmRun | Declined:
        """Run tests on what is written. Where one server can't say it, none is asked again."""
        if self.server is not None:
            tried = self.server.run(
                *(attempt.contents, attempt.tests, attempt.allowed),
                first_failure=attempt.first_failure,
                stop=stop,
                known=attempt.known,
                written=True,
                reached=reached,
            )
            if isinstance(tried, WarmRun):
                return replace(tried, how="copy")
            self.server = None
        if not attempt.cold:
            return Declined("only a fresh process can tell")
        return self._try_cold(attempt, stop, reached=reached)

    def _try_cold(self, attempt: Attempt, stop: Event | None, *, reached: bool) -> WarmRun:
        allowed, told = attempt.allowed, dict[str, Any]()

        def read(report: Path) -> None:
            told.update(told_by_test(report, (self.root, self.command.root)))

        command = replace(
            self.there,
            timeout=allowed.seconds + _COLD * allowed.imports + _START,
            memory=allowed.memory,
            patience=allowed.patience,
        )
        observed = Observed(reached, (), attempt.known, read if reached else lambda _: None)
        run = run_pytest(
            command,
            select=sorted(attempt.tests),
            original=self.command.root,
            stop=stop,
            observed=observed,
        )
        return WarmRun(run, "cold", None, (), {}, **told)

    def _there(self, path: Path) -> Path:
        return self.root / path.relative_to(self.command.root)

    def _moved(self, act: str) -> str:
        return act.replace(f"{self.command.root}{os.sep}", f"{self.root}{os.sep}")

    @contextmanager
    def _holding(self, contents: Mapping[Path, bytes]) -> Iterator[Mapping[Path, bytes]]:
        """Have files hold something else, under a time that they never had before: of bytecode.

        Gives what they held.
        """
        before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in contents}
        self.written += 1
        try:
            for path, text in contents.items():
                path.write_bytes(text)
                later = before[path][1] + self.written * 10**9
                os.utime(path, ns=(later, later))
            yield {path: text for path, (text, _) in before.items()}
        finally:
            for path, (text, time) in before.items():
                path.write_bytes(text)
                os.utime(path, ns=(time, time))
