"""Which tests a patch may break: those that execute the lines it edits; and which executed it."""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from selfdebug.validation.forked.swap import edits
from selfdebug.validation.warm import WarmRun


def reaching(
    baseline: WarmRun, before: Mapping[Path, bytes], after: Mapping[Path, bytes]
) -> list[str]:
    """Return the tests that passed in a run without the patch and execute the lines that it edits.

    The quickest first. ``baseline`` is what ``WarmServer.reached`` told; ``before`` and ``after`` are
    what the files hold without and with the patch.
    """
    tests: dict[tuple[Path, int], set[str]] = defaultdict(set)
    lines: dict[Path, set[int]] = defaultdict(set)
    for test, reached in baseline.reached.items():
        for file, line in reached:
            tests[file, line].add(test)
            lines[file].add(line)
    found: set[str] = set()
    for path, text in after.items():
        file = path.resolve()
        executed = sorted(lines[file])
        for line in _edited(before[path], text):
            # A line without code of its own belongs to the statement that began above it.
            place = bisect_right(executed, line) - 1
            if place >= 0:
                found |= tests[file, executed[place]]
    outcomes, durations = baseline.run.outcomes, baseline.run.durations
    passed = (test for test in found if outcomes.get(test) == "passed")
    return sorted(passed, key=lambda test: (durations.get(test, 0.0), test))


def executes(
    reached: Collection[tuple[Path, int]], before: Mapping[Path, bytes], after: Mapping[Path, bytes]
) -> bool:
    """Say whether the lines that a test executed of a patched project are of code that differs.

    That is some line of the innermost function in which one differs, or of the file outside functions.
    """
    for path, text in after.items():
        file = path.resolve()
        lines = sorted(line for each, line in reached if each == file)
        old, new = (each.decode("utf-8", "replace").splitlines() for each in (before[path], text))
        for _, _, first, last in edits(old, new):
            changed = range(first + 1, last + 1) if first < last else (first, first + 1)
            spans = [_code_around(line, text) for line in changed]
            if any(start <= line <= end for start, end in spans for line in lines):
                return True
    return False


def _code_around(line: int, text: bytes) -> tuple[int, int]:
    """Return the first and last line of the body of the innermost function around a line."""
    found = 1, text.count(b"\n") + 1
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return found  # newer than this interpreter
    for node in ast.walk(tree):  # from the outside in
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first, last = node.body[0].lineno, node.end_lineno or node.lineno
            if first <= line <= last:
                found = first, last
    return found


def _edited(before: bytes, after: bytes) -> Iterator[int]:
    """The lines of the old text that an edit replaces, or between which it inserts."""
    old, new = (text.decode("utf-8", "replace").splitlines() for text in (before, after))
    for start, end, _, _ in edits(old, new):
        yield from range(start + 1, end + 1) if start < end else (start, start + 1)
