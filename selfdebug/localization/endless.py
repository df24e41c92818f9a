"""Where a test goes round without end: the loop that it does not leave, or the cycle of calls.

A test that was ended was somewhere in its endless loop, or in what that calls. Where it was seen more
than once, at different places, the loop is in the innermost function that is the same each time.
A stack that overflowed shows the cycle: the calls that recur.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from selfdebug.model import Failure, Frame, Site
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import enclosing
from selfdebug.syntax.source import Unreadable

# How suspicious a statement is that goes round, one in a function that is called meanwhile or holds the
# loop, and any other.
_ROUND, _NEAR, _FAR = 1.0, 0.8, 0.5


def by_rounds(
    sites: Sequence[Site], failure: Failure, seen: Sequence[Failure], project: Project
) -> tuple[Site, ...]:
    """Return suspicious statements with those first, and all others less suspicious, that go round.

    ``seen`` are the failures of other runs. Those of a failure that is none of that kind stay as they
    are.
    """
    stacks = [_own_frames(each, project) for each in (failure, *seen)]
    ranges = [*_ranges(failure, [stack for stack in stacks if stack], project)]
    if not ranges:
        return tuple(sites)
    weighed = [replace(site, suspicion=site.suspicion * _weight(site, ranges)) for site in sites]
    return tuple(sorted(weighed, key=lambda site: -site.suspicion))


_Range: TypeAlias = tuple[str, int, int, float]


def _own_frames(failure: Failure, project: Project) -> list[Frame]:
    """Return the frames of the project, with the real paths of their files."""
    frames = failure.raised.frames if failure.raised else ()
    owned = ((project.owns(frame.file), frame) for frame in frames)
    return [replace(frame, file=str(file)) for file, frame in owned if file is not None]


def _weight(site: Site, ranges: Sequence[_Range]) -> float:
    return max(
        (
            weight
            for file, first, last, weight in ranges
            if str(site.file) == file and first <= site.span.line <= last
        ),
        default=_FAR,
    )


def _ranges(
    failure: Failure, stacks: Sequence[Sequence[Frame]], project: Project
) -> Iterator[_Range]:
    if not stacks:
        return
    if failure.timed_out:
        yield from _of_loop(stacks, project)
    elif failure.raised and failure.raised.type.rpartition(".")[2] == "RecursionError":
        yield from _of_cycle(stacks[0], project)


def _of_loop(stacks: Sequence[Sequence[Frame]], project: Project) -> Iterator[_Range]:
    """Yield the endless loop, its function, and the functions that were seen to run in it."""
    depth = _common(stacks)
    for number in range(depth - 1, -1, -1):
        lines = {stack[number].line for stack in stacks}
        path = _around(stacks[0][number], project)
        loops = [node for node in path if isinstance(node, ast.While | ast.For | ast.AsyncFor)]
        held = [loop for loop in loops if all(_holds(loop, line) for line in lines)]
        if held:
            yield _range(stacks[0][number], held[-1], _ROUND)
            yield from _functions(stacks[0][number : number + 1], project)
            yield from (
                each for stack in stacks for each in _functions(stack[number + 1 :], project)
            )
            return
    yield from (each for stack in stacks for each in _functions(stack[depth - 1 :], project))


def _common(stacks: Sequence[Sequence[Frame]]) -> int:
    """Return how many frames are the same function called from the same place, at least one."""
    depth = 0
    for frames in zip(*stacks, strict=False):
        if len({(frame.file, frame.function) for frame in frames}) > 1:
            break
        depth += 1
        if len({frame.line for frame in frames}) > 1:
            break
    return max(depth, 1)


def _of_cycle(frames: Sequence[Frame], project: Project) -> Iterator[_Range]:
    """Yield the calls that recur, and their functions."""
    times = Counter((frame.file, frame.line) for frame in frames)
    most = max(times.values())
    cycle = {place for place, many in times.items() if many > max(1, most // 2)}
    once = {(frame.file, frame.line): frame for frame in frames}
    for place in sorted(cycle):
        frame = once[place]
        yield frame.file, frame.line, frame.line, _ROUND
        yield from _functions([frame], project)


def _functions(frames: Sequence[Frame], project: Project) -> Iterator[_Range]:
    for frame in frames:
        path = _around(frame, project)
        functions = [
            node for node in path if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        if functions:
            yield _range(frame, functions[-1], _NEAR)


def _around(frame: Frame, project: Project) -> Sequence[ast.stmt]:
    with suppress(Unreadable, OSError):
        return enclosing(read_module(Path(frame.file), project).tree, frame.line)
    return ()


def _holds(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _range(frame: Frame, node: ast.stmt, weight: float) -> _Range:
    return frame.file, node.lineno, node.end_lineno or node.lineno, weight
