"""Probes for lines of a file, as edits: for an overlay of a test run, or to be written in place."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from selfdebug.codemods._probes import RUNTIME, What, probed
from selfdebug.model import Edit
from selfdebug.syntax.region import Region, parse, splice, statement_region, syntax_tree
from selfdebug.syntax.source import Source, Unreadable, apply, read

ALL: tuple[What, ...] = ("before", "values", "caught")
PLUGIN = "selfdebug_probe"
"""What ``pytest -p`` loads so that no patch of a test comes before the probes' own imports."""


def probe_edits(file: Path, lines: Iterable[int], what: Collection[What] = ALL) -> tuple[Edit, ...]:
    """Return the edits that put probes in the statements on these lines, and move no line.

    Each edit holds the bytes that were there, so that the probes come out again byte for byte.
    Raises OSError, and Unreadable where a line has no statement that could show anything.
    """
    source = read(file)
    tree = syntax_tree(source)
    wanted = sorted({line: statement_region(source, tree, line) for line in lines}.items())
    edits = tuple(
        _edit(region, [line for line, _ in wanted if region.first <= line <= region.last], what)
        for region in _outermost([region for _, region in wanted])
    )
    _check(source, edits)
    return edits


def environment(log: Path, env: Mapping[str, str]) -> dict[str, str]:
    """Return ``env`` with what a program needs for its probes to write their records to ``log``."""
    paths = [str(RUNTIME), *filter(None, [env.get("PYTHONPATH")])]
    return {**env, "PYTHONPATH": os.pathsep.join(paths), "SELFDEBUG_PROBES": str(log)}


def _outermost(regions: list[Region]) -> list[Region]:
    """Leave out the regions inside others: two edits may not overlap."""
    kept: list[Region] = []
    for region in sorted(regions, key=lambda region: (region.first, -region.last)):
        if not kept or region.first > kept[-1].last:
            kept.append(region)
    return kept


def _edit(region: Region, lines: list[int], what: Collection[What]) -> Edit:
    tree = parse(region)
    for line in lines:
        if probed(tree, {line}, what) is None:
            raise Unreadable(region.source.path, "no statement here that a probe can log", line)
    module = probed(tree, lines, what)
    edit = None if module is None else splice(region, module.code)
    if edit is None:
        raise Unreadable(region.source.path, "no probe fits in these lines", region.first)
    return edit


def _check(source: Source, edits: tuple[Edit, ...]) -> None:
    """Raise Unreadable where code that compiles does no longer: too many nested blocks."""
    if not _compiles(source.data):
        return
    if not _compiles(apply(source.data, edits)):
        raise Unreadable(source.path, "with a probe it would not compile: nested too deeply")


def _compiles(data: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(data, "probed.py", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
