"""Why a run ends with everything as it was."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from selfdebug.model import FinalStatus
from selfdebug.settings import Settings
from selfdebug.steps.observe import Observation
from selfdebug.steps.plausible import PatchSearch

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
    if healed := sorted(search.healed):
        nodes = " ".join(f"--node {shlex.quote(test)}" for test in healed[:5])
        yield f"candidates healed a part of the tests; for that part: {nodes}"
    if seen.hanging:
        yield _hang(seen)
    if narrow := outside(seen):
        yield narrow


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
