"""What the tests log where probes stand in the lines that they run; nothing is written."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from selfdebug.ingestion.probes import read_probes
from selfdebug.model import ProbeRecord, TestRun
from selfdebug.planning.probing import PLUGIN, environment, probe_edits
from selfdebug.reporting.text import relative
from selfdebug.steps.context import Context
from selfdebug.syntax.source import apply
from selfdebug.validation.launch import results
from selfdebug.validation.runner import Runner


@dataclass(frozen=True)
class Probed:
    """What a run of the tests with probes showed."""

    run: TestRun
    records: tuple[ProbeRecord, ...]


def probe(
    context: Context, lines: Mapping[Path, Collection[int]], tests: Collection[str]
) -> Probed:
    """Run tests with probes in these lines and return what they logged.

    Raises Unreadable where a line has no statement to probe, and OverlayUnusable where the lines that
    the tests run cannot be replaced off the tree.
    """
    edits = {path: probe_edits(path, wanted) for path, wanted in lines.items()}
    contents = {path: apply(path.read_bytes(), made) for path, made in edits.items()}
    command = context.tests.command
    assert command.scratch is not None
    log = results(command.scratch) / "probes"
    log.unlink(missing_ok=True)
    probing = replace(command, args=("-p", PLUGIN, *command.args), env=environment(log, os.environ))
    places = ", ".join(relative(path, context.settings.root) for path in contents)
    step = f"running the tests with probes in {places}"
    run = Runner(probing, context.step).prove_off_tree(step, contents, tests)
    return Probed(run, read_probes(log))
