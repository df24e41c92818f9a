"""The report for people, and the lines that show what a run is at."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from selfdebug.model import Alternative, Explanation, Healing, Patch, Ruling, Site, Traceback
from selfdebug.reporting import probes
from selfdebug.reporting.text import clean, relative

if TYPE_CHECKING:
    from rich.console import Console

_FEW, _MOST = 5, 3  # failures and alternatives that are told without -v
_SECONDS = 5  # between two lines of progress of one kind, where they are kept
_SILENT = 10  # seconds without a line until one says what goes on
_NAMES = re.compile(r"\S*[^\sA-Za-z,]\S*")
_ENDS = {
    "found": "enough to choose among those that pass",
    "space": "all that were worth a try",
    "time": "until the time was over (--search-seconds)",
    "candidates": "until the candidates allowed were used up (--max-candidates)",
    "attempts": "until the attempts allowed were used up (--max-attempts)",
}
_MARKS = {"pass": "[green]healed[/]", "no-failure": "[green]nothing to heal[/]"}


@contextmanager
def progress(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Yield where the steps of a run go: nowhere, to a live line on a terminal, or to plain lines."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        from rich.markup import escape

        with _console(stderr=True).status("selfdebug") as status:
            yield lambda step: status.update(escape(clean(step)))
    else:
        lines = Lines(
            lambda step: print(f"selfdebug: {clean(step)}", file=sys.stderr, flush=True)  # noqa: T201
        )
        over = Event()
        Thread(target=_remind, args=[lines, over], daemon=True).start()
        try:
            yield lines
        finally:
            over.set()


def _remind(lines: Lines, over: Event) -> None:
    while not over.wait(1.0):
        lines.remind()


@dataclass
class Lines:
    """Steps of a run as lines of a log: of those of one kind one in a few seconds, by ``clock``.

    What tells lines of one kind apart are names, places and numbers: words with more than letters.
    """

    write: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    _told: dict[str, float] = field(default_factory=dict)
    _latest: tuple[str, float] | None = None
    _written: float = 0.0

    def __call__(self, step: str) -> None:
        """Write a step, unless one of its kind was written a moment ago."""
        kind, now = _NAMES.sub("", step), self.clock()
        self._latest = step, now
        if kind not in self._told or now - self._told[kind] >= _SECONDS:
            self._told[kind] = self._written = now
            self.write(step)

    def remind(self) -> None:
        """Write that the latest step goes on, where nothing was written for ten seconds."""
        now, latest = self.clock(), self._latest
        if latest is not None and now - self._written >= _SILENT:
            self._written = now
            self.write(f"{latest[0]}: for {now - latest[1]:.0f} s")


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
    shown = healing.tracebacks[: None if verbosity else _FEW]
    _plain(console, *map(headline, shown))
    if len(shown) < len(healing.tracebacks):
        _plain(
            console, f"… and {len(healing.tracebacks) - len(shown)} more failures (-v shows them)"
        )
    _plain(console, *(explained(patch, healing.root) for patch in healing.patches))
    _plain(console, *_others(healing, verbosity))
    _plain(console, *(_sibling(other.site, healing.root) for other in healing.siblings))
    if not healing.patches:
        _plain(console, *(_suspect(site, healing.root) for site in healing.suspects))
    if verbosity > 0:
        _plain(console, *branches(healing), *map(_turned_down, healing.rejected))
    _plain(console, *small_edits(healing))
    _patch(console, healing)
    _plain(console, *probes.lines(healing.probes, healing.root))
    _plain(console, *_sandboxed(healing.sandbox), *(f"note: {note}" for note in healing.notes))
    console.print(_MARKS.get(healing.final_status, f"[red]{healing.final_status}[/]"), end=": ")
    _plain(console, healing.message)
    if healing.recovery.command:
        _plain(console, f"undo with: {healing.recovery.command}")


def _sandboxed(sandbox: str | None) -> list[str]:
    return [f"the tests ran in a sandbox ({sandbox})"] if sandbox else []


def _sibling(site: Site, root: Path) -> str:
    place = f"{relative(site.file, root)}:{site.span.line}:{site.span.column + 1}"
    return f"the same pattern at {place}: {site.code}"


def _suspect(site: Site, root: Path) -> str:
    place = f"{relative(site.file, root)}:{site.span.line}:{site.span.column + 1}"
    first = site.code.partition("\n")[0]
    why = f" ({site.why})" if site.why else ""
    return f"suspicious ({site.suspicion:.2f}) at {place}: {first}{why}"


def branches(healing: Healing) -> Iterator[str]:
    """Say how many candidates of which branch were tried: one line, or none where none was proposed."""
    told = [
        f"{each.branch} {each.tried} of {each.proposed}"
        + (f" ({each.pruned} ruled out)" if each.pruned else "")
        for each in healing.branches
    ]
    if told:
        yield f"Candidates tried: {', '.join(told)}."


def small_edits(healing: Healing) -> Iterator[str]:
    """Say how many small edits were tried and what ended that; nothing where none were in question."""
    end = healing.search_end
    if healing.small_edits or end not in ("found", "space", None):
        why = f", {_ENDS[end]}" if end else ""
        more = f"; {healing.pruned} more change no value in the test" if healing.pruned else ""
        yield f"Small edits tried: {healing.small_edits}{why}{more}."


def _others(healing: Healing, verbosity: int) -> Iterator[str]:
    shown = healing.alternatives[: None if verbosity else _MOST]
    yield from (_alternative(other, healing) for other in shown)
    if more := len(healing.alternatives) - len(shown):
        yield f"… and {more} more that pass (-v shows them)"


def _alternative(other: Alternative, healing: Healing) -> str:
    made, differs = other.candidate, other.differs
    told = "no difference was found" if other.compared else "it was not compared"
    if differs:
        told = f"{differs.call} {differs.there} with it"
    place, words = _at(made.site, healing.root), in_own_words(other, healing)
    return f"also passes: {made.codemod} ({made.variant}) at {place}: {words}; {told}"


def in_own_words(other: Alternative, healing: Healing) -> str:
    """Return why a rival is right, or what it writes where the words would be those of another patch."""
    why = other.candidate.why
    told = [each.candidate.why for each in healing.patches]
    told += [each.candidate.why for each in healing.alternatives]
    return f"`{other.becomes}`" if told.count(why) > 1 and other.becomes else why


def _at(site: Site, root: Path) -> str:
    return f"{relative(site.file, root)}:{site.span.line}"


def _turned_down(ruling: Ruling) -> str:
    return f"tried {ruling.candidate.codemod}/{ruling.candidate.variant}: {ruling.why}"


def _patch(console: Console, healing: Healing) -> None:
    """Print the diff: in colour for a person, as bytes that git takes for a pipe."""
    if console.is_terminal:
        _diff(console, healing.diff)
    else:
        console.file.flush()
        sys.stdout.buffer.write(healing.diff)
        sys.stdout.buffer.flush()


def _plain(console: Console, *lines: str) -> None:
    for line in lines:
        console.print(clean(line), markup=False, highlight=False)


def explain(found: Explanation) -> None:
    """Print a diagnosis: failures, then the place, the bad value and its way, and who answers."""
    console = _console()
    _plain(console, *map(headline, found.tracebacks))
    for site, codemods in found.sites:
        _plain(console, *_located(site, codemods, found.root))
    _plain(console, *(_sibling(site, found.root) for site in found.siblings))
    _plain(console, *(_suspect(site, found.root) for site in found.suspects))
    _plain(console, *_sandboxed(found.sandbox))
    if found.message:
        _plain(console, found.message)


def _located(site: Site, codemods: Sequence[str], root: Path) -> Iterator[str]:
    """Yield the place of a failure, and what is known of it."""
    span, guess = site.span, "" if site.certain else " (a guess)"
    place = f"{relative(site.file, root)}:{span.line}:{span.column + 1}"
    yield f"{place}-{span.end_line}:{span.end_column + 1} {site.node}: {site.code}"
    if site.bad_code:
        yield f"  bad value: {site.bad_code}{guess}"
    if way := origin(site, root):
        yield f"  where it came from: {way}"
    if codemods:
        yield f"  codemods that answer: {', '.join(codemods)}"


def show(run_id: str, state: str, report: Mapping[str, Any]) -> None:
    """Print what is on record of a past run."""
    console = _console()
    told = [f"{name}: {report[name]}" for name in ("final_status", "message") if name in report]
    _plain(console, f"run {run_id}: {state}", *told)
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


def explained(patch: Patch, root: Path) -> str:
    """Return why a patch is right, what speaks against it, and the way of the bad value to its use."""
    made = patch.candidate
    form = f"{made.codemod} ({made.variant}, {made.kind}, confidence {patch.confidence})"
    lines = [f"{form} at {_at(made.site, root)}: {made.why}"]
    if way := origin(made.site, root):
        lines.append(f"  {way}")
    lines += [f"  but: {doubt}" for doubt in patch.doubts]
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
