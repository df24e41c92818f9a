"""The sites that a captured log blames, for codemods that run on their own."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from selfdebug.ingestion.logs import read_log
from selfdebug.localization.localize import localize
from selfdebug.model import Site
from selfdebug.syntax.project import Project


def sites_of_log(log: Path, root: Path) -> tuple[tuple[Site, ...], ...]:
    """Return, for each failure of a log that has them, the sites that may be edited, best first.

    A log is read once for all files of a run. Raises OSError.
    """
    return _sites(log, root, log.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _sites(log: Path, root: Path, _modified: int) -> tuple[tuple[Site, ...], ...]:
    with log.open("rb") as stream:
        read = read_log(stream)
    project = Project(root, read.roots)
    found = (localize(failure, project).sites for failure in read.failures)
    return tuple(sites for sites in found if sites)
