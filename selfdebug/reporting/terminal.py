"""The report for people, and the lines that show what a run is at."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfdebug.model import Candidate, Explanation, Healing, Site, Traceback
from selfdebug.reporting.summary import clean, relative

if TYPE_CHECKING:
    from rich.console import Console

_MARKS = {"pass": "[green]healed[/]", "no-failure": "[green]nothing to heal[/]"}


class Progress:
    """Steps of a run on standard error: a live line on a terminal, plain lines elsewhere."""

    def __init__(self, console: Console | None):
        self._console = console

    def __call__(self, step: str) -> None:
        """Show what the run is at now."""
        if self._console is not None:
            self._console.print(f"selfdebug: {clean(step)}", markup=False, highlight=False)


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """Yield where steps go: nowhere if ``quiet``, else standard error."""
    yield Progress(None if quiet else _console(stderr=True))


def tell(healing: Healing, verbosity: int) -> None:
    """Print a run's report; the last line is the SUMMARY that scripts look for."""
    console = _console()
    if verbosity >= 0:
        _story(console, healing, verbosity)
    sys.stdout.flush()
    rollback = str(healing.rollback).lower()
    print(  # noqa: T201 - a line for scripts, whatever the terminal
        f"SUMMARY attempts={healing.attempts} final_status={healing.final_status} rollback={rollback}"
    )


def _story(console: Console, healing: Healing, verbosity: int) -> None:
    for traceback in healing.tracebacks[: None if verbosity else 5]:
        console.print(headline(traceback), markup=False, highlight=False)
    if len(healing.tracebacks) > 5 and not verbosity:
        console.print(f"… and {len(healing.tracebacks) - 5} more failures (-v shows them)")
    for patch in healing.patches:
        console.print(explained(patch, healing.root), markup=False, highlight=False)
    if verbosity > 0:
        for ruling in healing.rejected:
            name = f"{ruling.candidate.codemod}/{ruling.candidate.variant}"
            console.print(f"tried {name}: {clean(ruling.why)}", markup=False, highlight=False)
    if healing.diff and not (healing.dry_run and not console.is_terminal):
        _diff(console, healing.diff)
    elif healing.diff:
        sys.stdout.flush()
        sys.stdout.buffer.write(healing.diff)
    for note in healing.notes:
        console.print(f"note: {clean(note)}", markup=False, highlight=False)
    mark = _MARKS.get(healing.final_status, f"[red]{healing.final_status}[/]")
    console.print(f"{mark}: ", end="")
    console.print(clean(healing.message), markup=False, highlight=False)
    if healing.recovery.command:
        console.print(f"undo with: {healing.recovery.command}", markup=False, highlight=False)


def explain(found: Explanation) -> None:
    """Print a diagnosis: failures, then the place, the bad value and its way, and who answers."""
    console = _console()
    for traceback in found.tracebacks:
        console.print(headline(traceback), markup=False, highlight=False)
    for site, codemods in found.sites:
        span, place = site.span, relative(site.file, found.root)
        guess = "" if site.certain else " (a guess)"
        lines = [
            f"{place}:{span.line}:{span.column + 1}-{span.end_line}:{span.end_column + 1}"
            f" {site.node}: {site.code}",
            f"  bad value: {site.bad_code or 'not known'}{guess}",
            f"  where it came from: {origin(site, found.root) or 'not known'}",
            f"  codemods that answer: {', '.join(codemods) or 'none'}",
        ]
        console.print(clean("\n".join(lines)), markup=False, highlight=False)
    if found.message:
        console.print(clean(found.message), markup=False, highlight=False)


def show(run_id: str, state: str, report: Mapping[str, Any]) -> None:
    """Print what is on record of a past run."""
    console = _console()
    console.print(f"run {run_id}: {state}", markup=False, highlight=False)
    for name in ("final_status", "message", "files_patched"):
        if name in report:
            console.print(f"{name}: {clean(str(report[name]))}", markup=False, highlight=False)
    if report.get("diff"):
        _diff(console, str(report["diff"]).encode("utf-8", "surrogateescape"))


def headline(traceback: Traceback) -> str:
    """Return a failure in a line: the test, the place, and what was raised."""
    place = f"{traceback.file}:{traceback.line}" if traceback.file else "no place"
    if traceback.column is not None:
        place += f":{traceback.column}"
    what = f"{traceback.exc_type}: {traceback.msg}" if traceback.exc_type else traceback.msg
    phase = "" if traceback.phase == "call" else f" ({traceback.phase})"
    return clean(f"FAILED {traceback.test}{phase} {place} {what.partition(chr(10))[0]}".strip())


def explained(patch: Candidate, root: Path) -> str:
    """Return why a patch is right, and the way of the bad value from its birth to its use."""
    lines = [f"{patch.codemod} ({patch.variant}, {patch.kind}): {patch.why}"]
    if way := origin(patch.site, root):
        lines.append(f"  {way}")
    return clean("\n".join(lines))


def origin(site: Site, root: Path) -> str:
    """Return the way of a bad value in a line; "" where nothing is known of it."""
    return " -> ".join(
        f"{step.what} at {relative(step.file, root)}:{step.line}" for step in site.origin
    )


def _diff(console: Console, diff: bytes) -> None:
    from rich.text import Text

    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in clean(diff.decode("utf-8", "replace")).split("\n")[:-1]:
        heading = line.startswith(("+++", "---"))
        style = "bold" if heading else styles.get(line[:1], "")
        console.print(Text(line, style=style), soft_wrap=True)


def _console(stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, soft_wrap=True, emoji=False)
