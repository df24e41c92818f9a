"""Why a run ends with everything as it was."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from selfdebug.model import Candidate, FinalStatus
from selfdebug.reporting.text import relative
from selfdebug.settings import Settings
from selfdebug.steps.observe import Observation
from selfdebug.steps.plausible import PatchSearch

_NODES = 12  # told of

Ending: TypeAlias = tuple[FinalStatus, int, str]


def unhealed(settings: Settings, seen: Observation, search: PatchSearch, undone: str) -> Ending:
    """Return final status, exit code and a sentence; ``undone`` ends it."""
    proposals, rejected = search.proposals, search.rejected
    if search.budget.attempts or search.exhausted or search.tries:
        tried = f"{search.tries} candidate{'' if search.tries == 1 else 's'} tried"
        why = (
            f"what heals was not written: {search.refused}" if search.refused else "none healed all"
        )
        return "fail", 128, f"{tried}, and {why}; {undone}"
    if proposals.unparsable:
        return "rejected", 3, f"PATCH-REJECTED: {proposals.unparsable[0]}"
    if rejected:
        return "rejected", 3, rejected[0].why
    if proposals.too_weak:
        return "no-codemod", 3, f"no {settings.require} repair is known; weaker ones are"
    if seen.hanging:
        return "no-frame", 2, _hang(seen)
    if not any(entry.in_project for entry in seen.tracebacks):
        return "no-frame", 2, proposals.misses[0] if proposals.misses else "no frame of the project"
    first = seen.tracebacks[0]
    return "no-codemod", 3, f"no codemod answers {first.exc_type} at {first.file}:{first.line}"


def advice(seen: Observation, search: PatchSearch) -> Iterator[str]:
    """Yield what the user may do about it."""
    for patch, tests in search.alone:
        made = "; ".join(_told(candidate, seen.project.root) for candidate in patch)
        yield f"healed by itself: {tests[0]}{_and_more(tests, 1)}, by {made}"
    if nodes := [*_nodes(search.healed, seen.open_tests)]:
        told = " ".join(f"--node {shlex.quote(node)}" for node in nodes[:_NODES])
        more = _and_more(nodes, _NODES)
        yield f"candidates healed a part of the tests; for that part: {told}{more}"
    if seen.hanging:
        yield _hang(seen)
    if narrow := outside(seen):
        yield narrow


def _nodes(healed: Collection[str], open_tests: Collection[str]) -> Iterator[str]:
    """Yield the node ids of tests, of a file in which they are all that fails its own."""
    for file, tests in groupby(sorted(healed), _file):
        own = [*tests]
        every = sum(_file(test) == file for test in open_tests)
        yield from [file] if 1 < len(own) == every else own


def _file(test: str) -> str:
    return test.partition("::")[0]


def _told(candidate: Candidate, root: Path) -> str:
    place = f"{relative(candidate.site.file, root)}:{candidate.site.span.line}"
    return f"{candidate.codemod} ({candidate.variant}) at {place}"


def _and_more(told: Sequence[str], shown: int) -> str:
    return f" and {len(told) - shown} more" if len(told) > shown else ""


def outside(seen: Observation) -> str:
    """Say that the run's root is only a part of the folder that pytest takes for the project's.

    A command that was given in a subfolder has that for its root, and edits nothing above it.
    """
    if seen.before is None or not seen.before.rootdir:
        return ""
    root, whole = seen.project.root, Path(seen.before.rootdir).resolve()
    if whole == root or not root.is_relative_to(whole):
        return ""
    return (
        f"only files in {root} may be edited; the whole project: --root {shlex.quote(str(whole))}"
    )


def _hang(seen: Observation) -> str:
    hung = seen.hanging[0]
    told = hung.raised.message if hung.raised else hung.text
    return f"the tests hang: {hung.test}: {told} (timeout); --test-timeout allows more"
