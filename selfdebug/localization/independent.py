"""Failures that have no likely cause in common: each group of them can be healed by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from selfdebug.localization.importing import Line
from selfdebug.localization.spectrum import Spectrum
from selfdebug.model import Failure
from selfdebug.syntax.project import Project

_SHARED = 4  # times as many tests execute what is no likely cause as the line that tells most


def independent(
    spectrum: Spectrum, failures: Sequence[Failure], project: Project
) -> tuple[tuple[Failure, ...], ...]:
    """Part failures into groups, in their order, that share no likely cause of one of them.

    Of what a test executes, these are the lines that few passing tests execute: what all tests go
    through joins no groups. A test of which nothing is known may have any cause, and joins them all.
    """
    own = {
        each.test: frozenset(_of_project(spectrum.reached.get(each.test, ()), each.test, project))
        for each in failures
    }
    if not all(own.values()):
        return (tuple(failures),)
    causes = _likely_causes(spectrum, own)
    groups: list[set[str]] = []
    for test, lines in own.items():
        joined = [
            group
            for group in groups
            if any(causes[test] & own[each] or causes[each] & lines for each in group)
        ]
        groups = [group for group in groups if group not in joined]
        groups.append({test}.union(*joined))
    parted = (tuple(each for each in failures if each.test in group) for group in groups)
    return tuple(sorted(parted, key=lambda group: failures.index(group[0])))


def _likely_causes(
    spectrum: Spectrum, own: Mapping[str, frozenset[Line]]
) -> Mapping[str, frozenset[Line]]:
    """Return the lines that each of some tests executes, and few passing ones do."""
    every = frozenset[Line]().union(*own.values())
    passing = Counter(
        line
        for test in spectrum.passing
        for line in spectrum.reached.get(test, ())
        if line in every
    )
    most = {
        test: _SHARED * (1 + min(passing[line] for line in lines)) for test, lines in own.items()
    }
    return {
        test: frozenset(line for line in lines if 1 + passing[line] <= most[test])
        for test, lines in own.items()
    }


def _of_project(lines: Iterable[Line], test: str, project: Project) -> Iterator[Line]:
    edited: dict[Path, bool] = {}
    for path, line in lines:
        if path not in edited:
            real = project.owns(path)
            edited[path] = real is not None and not project.is_test_file(real, (test,))
        if edited[path]:
            yield path, line
