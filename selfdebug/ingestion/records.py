"""What ``plugin.py`` wrote while pytest ran, read back into a TestRun.

The file is evidence from a process that may have died in the middle of a line: what can't be read is
left out, and a test that started and never finished is known by that.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast, get_args

from selfdebug.model import (
    STILL_RUNNING,
    Failure,
    Frame,
    Outcome,
    Phase,
    Raised,
    Span,
    TestRun,
    Value,
)

Record = Mapping[str, Any]
_DIED = "the test process died in this test"
_TOO_LONG = getattr(signal, "SIGVTALRM", 0)  # see validation/deadline.py


@dataclass(slots=True)
class _Story:
    """What the records said so far."""

    failures: dict[tuple[object, ...], Failure] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    durations: dict[str, float] = field(default_factory=dict)
    running: dict[int, str] = field(default_factory=dict)
    workers: set[int] = field(default_factory=set)
    ended: set[int] = field(default_factory=set)
    crashed: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    overlaid: set[str] = field(default_factory=set)
    missed: set[str] = field(default_factory=set)
    spawned: bool = False
    rootdir: str = ""

    def add(self, record: Record) -> None:
        """Take one record in; of a kind that is not known, nothing."""
        tell = getattr(self, f"_{record.get('kind')}", None)
        if tell is not None:
            tell(record)

    def _session(self, record: Record) -> None:
        self.versions.update((key, _text(record.get(key))) for key in ("python", "pytest"))
        self.rootdir = _text(record.get("rootdir"))
        if record.get("worker"):
            self.workers.add(_number(record.get("pid")))

    def _start(self, record: Record) -> None:
        self.running[_number(record.get("pid"))] = _text(record.get("test"))

    def _failure(self, record: Record) -> None:
        failure = _failure(record)
        raised = failure.raised
        about = (raised.type, raised.message) if raised else failure.text
        # Every worker of xdist collects, so each tells of a file that can't be imported.
        self.failures.setdefault((failure.test, failure.phase, failure.subtest, about), failure)
        if failure.phase == "collect":
            self.outcomes[failure.test] = "error"

    def _finish(self, record: Record) -> None:
        test, outcome = _text(record.get("test")), record.get("outcome")
        self.running.pop(_number(record.get("pid")), None)
        self.durations[test] = float(record.get("seconds") or 0)
        self.spawned |= bool(record.get("spawned"))
        if outcome in get_args(Outcome):
            self.outcomes[test] = cast("Outcome", outcome)

    def _crash(self, record: Record) -> None:
        self.crashed[_text(record.get("test"))] = _text(record.get("text"))

    def _exit(self, record: Record) -> None:
        self.ended.add(_number(record.get("pid")))

    def _overlay(self, record: Record) -> None:
        self.overlaid.update(map(_text, record.get("loaded") or ()))
        self.missed.update(map(_text, record.get("missed") or ()))
        self.spawned |= bool(record.get("spawned"))

    def deaths(self) -> dict[str, str]:
        """Tell in which tests a process died, and what is known of it."""
        orderly = self.ended - self.workers  # then the controller told of its workers' deaths
        silent = set(self.running) - self.ended - (self.workers if orderly else set())
        return {self.running[pid]: _DIED for pid in silent} | self.crashed


def read(
    path: Path,
    *,
    exit_code: int | None,
    seconds: float,
    output: str = "",
    moved: tuple[Path, Path] | None = None,
) -> TestRun:
    """Tell what the process did that wrote ``path``, which may be missing or cut off.

    ``moved`` is (where it ran, where the project is), for a run in a copy: the files are named as in
    the project.
    """
    story = _Story()
    for record in _records(path, moved):
        story.add(record)
    deaths = story.deaths()
    for test, text in deaths.items():
        why = STILL_RUNNING if exit_code is None else text
        if text == _DIED and exit_code == -_TOO_LONG:
            why = f"{STILL_RUNNING}, and could not be interrupted"
        story.failures[test, "died"] = Failure(test, "call", None, why)
        story.outcomes[test] = "error"
    return TestRun(
        exit_code=exit_code,
        failures=tuple(story.failures.values()),
        outcomes=story.outcomes,
        seconds=seconds,
        durations=story.durations,
        crashed=tuple(deaths),
        output=output,
        versions=story.versions,
        overlaid=frozenset(story.overlaid - story.missed),
        spawned=story.spawned,
        rootdir=story.rootdir,
    )


def told(path: Path, kind: str, moved: tuple[Path, Path] | None = None) -> Iterator[Record]:
    """Yield the records of a kind as they stand there; ``moved`` is as for ``read``."""
    return (record for record in _records(path, moved) if record.get("kind") == kind)


def _records(path: Path, moved: tuple[Path, Path] | None) -> Iterator[Record]:
    if not path.exists():
        return
    old, new = (json.dumps(f"{each}/")[1:-1].encode() for each in moved or (Path(), Path()))
    with path.open("rb") as lines:
        for line in lines:
            try:
                record = json.loads(line.replace(old, new) if moved else line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record


def _failure(record: Record) -> Failure:
    raised, phase, subtest = (record.get(key) for key in ("raised", "phase", "subtest"))
    return Failure(
        test=_text(record.get("test")),
        phase=cast("Phase", phase) if phase in get_args(Phase) else "call",
        raised=_raised(raised) if isinstance(raised, dict) else None,
        text=_text(record.get("text")),
        subtest=None if subtest is None else _text(subtest),
        evidence=_texts(record.get("evidence")),
    )


def _raised(record: Record) -> Raised:
    before, relation = record.get("before"), record.get("relation")
    return Raised(
        type=_text(record.get("type")),
        message=_text(record.get("message")),
        frames=tuple(_frame(each) for each in _dicts(record.get("frames"))),
        before=_raised(before) if isinstance(before, dict) else None,
        relation=relation if relation in ("cause", "context", "child") else None,
        members=tuple(_raised(each) for each in _dicts(record.get("members"))),
        attrs=_texts(record.get("attrs")),
    )


def _frame(record: Record) -> Frame:
    function, source, variables = (record.get(key) for key in ("function", "source", "locals"))
    return Frame(
        file=_text(record.get("file")),
        line=_number(record.get("line")),
        function=None if function is None else _text(function),
        span=_span(record.get("span")),
        source=None if source is None else _text(source),
        locals=values(variables),
    )


def values(variables: object) -> dict[str, Value]:
    """Return variables by their names as ``plugin.variables`` told of them."""
    return {
        name: _value(value)
        for name, value in (variables if isinstance(variables, dict) else {}).items()
        if isinstance(value, dict)
    }


def _value(record: Record) -> Value:
    text, size = record.get("text"), record.get("size")
    return Value(
        type=_text(record.get("type")),
        text=None if text is None else _text(text),
        size=size if isinstance(size, int) else None,
    )


def _span(value: object) -> Span | None:
    if isinstance(value, list) and len(value) == 4 and all(isinstance(n, int) for n in value):
        return Span(*value)
    return None


def _dicts(value: object) -> list[Record]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _texts(value: object) -> dict[str, str]:
    return {k: _text(v) for k, v in value.items()} if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
