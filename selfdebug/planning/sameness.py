"""What an edit makes of the code, to tell edits apart that compile to different things."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from selfdebug.syntax.modules import read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Region, function_region
from selfdebug.syntax.source import Unreadable, decode


class Differing(NamedTuple):
    """Text of a file that an edit changes, before and after.

    It is that of a function, with stand-ins for the headers around it, or where more differs the whole
    of the file: ``of_function`` says which. ``region`` is where the edit was looked for.
    """

    region: Region
    before: str
    after: str
    of_function: bool


def differing(contents: Mapping[Path, bytes], line: int, project: Project) -> Iterator[Differing]:
    """Yield what differs of the project's files; the edit is on a line. Raises Unreadable, OSError."""
    for path, data in sorted(contents.items()):
        module = read_module(path, project)
        old, new = module.source, decode(path, data)
        before, after = old.text, new.text
        if before == after:
            continue  # an earlier edit, in another file, made it what it is
        region = function_region(old, module.tree, min(line, old.lines))
        start = region.start
        end = start + len(region.text)
        tail = len(before) - end
        inside = before[:start] == after[:start] and before[end:] == after[len(after) - tail :]
        if inside:
            before = region.head + region.text
            after = region.head + after[start : len(after) - tail]
        yield Differing(region, before, after, inside)


def meaning(contents: Mapping[Path, bytes], line: int, project: Project) -> Hashable | None:
    """Return what files that differ from the project's compile to; equal where they do the same.

    An edit of one function is compiled with that alone; ``line`` is in it. None where it does not
    compile, where nothing that runs has changed, or where the file cannot be read.
    """
    try:
        found = [_compiled(each) for each in differing(contents, line, project)]
    except (Unreadable, OSError, SyntaxError, ValueError, RecursionError):
        return None
    return None if None in found else tuple(found) or None


def _compiled(each: Differing) -> Hashable | None:
    new = _described(_code(each.after))
    return None if new == _meant(each.before) else (each.region.source.path, each.region.first, new)


@lru_cache(maxsize=16)
def _meant(text: str) -> Hashable:
    """Return what a function compiles to of which many edits are compared with it."""
    return _described(_code(text))


def _code(text: str) -> CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code: CodeType = compile(text, "<candidate>", "exec", dont_inherit=True)
    return code


def _described(code: CodeType) -> Hashable:
    """Return all of a code object that decides what it does; lines and columns do not."""
    constants = tuple(
        _described(each) if isinstance(each, CodeType) else (type(each).__name__, repr(each))
        for each in code.co_consts
    )
    return (
        *(code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars),
        *(code.co_cellvars, code.co_flags, code.co_argcount, code.co_kwonlyargcount),
        *(code.co_posonlyargcount, getattr(code, "co_exceptiontable", b"")),
    )
