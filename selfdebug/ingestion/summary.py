"""Whose failure is it: pytest's short test summary, matched with the blocks above it.

A block's title is not a node id (``TestCart.test_total[a b]``), and a summary line does not say where
the id ends (``FAILED tests/test_cart.py::test_total[a - b] - KeyError: 'a - b'``). Together they do.
Titles that no summary line knows were printed by a test.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from selfdebug.ingestion import blocks
from selfdebug.ingestion.quoted import exception, tells
from selfdebug.model import Failure, Phase, Raised

Section = Literal["FAILURES", "ERRORS"]
_SUBTEST = re.compile(
    r"SUBFAIL(?:ED)?(?P<after>[\[(].*)|(?P<before>[\[(].*?) SUBFAIL(?:ED)? (?P<rest>.*)"
)
_TITLE = re.compile(r"ERROR (at setup of|at teardown of|collecting) (.*)", re.DOTALL)
_CRASHED = re.compile(r"worker '\w+' crashed while running '(.+)'", re.DOTALL)
_PHASES: dict[str, Phase] = {
    "at setup of": "setup",
    "at teardown of": "teardown",
    "collecting": "collect",
}
_SPLITS = 12
_AHEAD = 200
LIMIT = 5_000


@dataclass(frozen=True, slots=True)
class Report:
    """A block as it was read. ``title`` is None under ``--tb=line``, where ``crash`` is its line.

    ``doubt``: 0 where only pytest can have written it, 1 where captured output came before it,
    2 inside a session that a test seems to have printed. ``gap``: text stood before a crash line that
    belongs to other tests.
    """

    title: str | None
    section: Section
    raised: Raised | None
    text: str
    evidence: Mapping[str, str]
    doubt: int = 0
    crash: str = ""
    gap: bool = False

    @property
    def doctest(self) -> bool:
        """Whether the crash line is a doctest's location."""
        return self.crash.endswith(blocks.DOCTEST)


@dataclass(slots=True)
class Session:
    """What one pytest session printed, as far as it was needed to name its failures."""

    reports: list[Report] = field(default_factory=list)
    summary: list[str] = field(default_factory=list)
    failing: set[str] = field(default_factory=set)
    counts: dict[Section, int] | None = None

    def add_summary(self, line: str) -> None:
        """Note a line of the short test summary."""
        if len(self.summary) < LIMIT:
            self.summary.append(line)

    def add_failing(self, name: str) -> None:
        """Note a file or a node id that the progress lines show failing."""
        if len(self.failing) < LIMIT:
            self.failing.add(name)

    def knows(self, printed: Session) -> bool:
        """Whether a summary that seemed to be a printed session's names a block that is surely ours."""
        entries = [entry for line in printed.summary if (entry := _entry(line))]
        titles = {title for entry in entries for title, _, _ in entry.readings}
        sure = [report for report in self.reports if report.doubt == 0]
        return any(
            _name(report) in titles
            or (report.crash and any(_fits(report, each) for each in entries))
            for report in sure
        )


@dataclass(slots=True)
class _Entry:
    """One line of the summary: every way to read its node id, as (title, id, message)."""

    readings: list[tuple[str, str, str]]
    subtest: bool
    taken: bool = False

    def described(self, title: str, id_: str) -> str | None:
        """What the title says beyond the node id: which subtest it was."""
        return title.removeprefix(_dotted(id_)).strip() if self.subtest else None


def failures(session: Session, roots: Sequence[str]) -> Iterator[Failure]:
    """The session's failures, in the order of the log; those that only the summary names come last."""
    for section in ("ERRORS", "FAILURES"):
        reports = [report for report in session.reports if report.section == section]
        lines = [
            line for line in session.summary if line.startswith("ERROR") == (section == "ERRORS")
        ]
        entries = [entry for line in lines if (entry := _entry(line))]
        yield from _of_reports(reports, entries, session, roots)
        if entries and session.counts is None and not entries[-1].taken:
            entries.pop()  # it may be cut in the middle
        yield from (_bare(entry, section) for entry in entries if not entry.taken)


def _of_reports(
    reports: Sequence[Report], entries: Sequence[_Entry], session: Session, roots: Sequence[str]
) -> list[Failure]:
    owners = _owners(reports, entries)
    found: list[Failure] = []
    for i, report in enumerate(reports):
        if i in owners:
            found.append(_named(report, owners[i]))
        elif _credible(report, session, reports, bool(entries)):
            found.append(_named(report, _derived(report, roots)))
        elif found:  # the test before printed it, and what follows it
            found[-1] = replace(found[-1], evidence={**report.evidence, **found[-1].evidence})
    return found


def _entry(line: str) -> _Entry | None:
    word, _, rest = line.partition(" ")
    if word in {"FAILED", "ERROR"}:
        return _Entry(
            [(_dotted(id_), id_, message) for id_, message in _splits(rest)], subtest=False
        )
    match = _SUBTEST.fullmatch(line)
    if match is None:
        return None
    if match["before"]:
        described = [(match["before"], match["rest"])]
    else:
        cuts = [cut.start() for cut in re.finditer(" ", match["after"])][:_SPLITS]
        described = [(match["after"][:cut], match["after"][cut + 1 :]) for cut in cuts]
        described = [(what, rest) for what, rest in described if "::" in rest]
    described.sort(key=lambda pair: (_unbalanced(pair[0]), " " in pair[1].partition("::")[0]))
    readings = [
        (f"{_dotted(id_)} {what}", id_, message)
        for what, rest in described
        for id_, message in _splits(rest)
    ]
    return _Entry(readings, subtest=True) if readings else None


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """Node id and message for each ``' - '`` that may stand between them, the likeliest first."""
    cuts = [cut.start() for cut in re.finditer(" - ", text)][:_SPLITS]
    pairs = [(text[:cut], text[cut + 3 :]) for cut in cuts]
    pairs.append((text, ""))
    return iter(sorted(pairs, key=_unlikely))


def _unlikely(pair: tuple[str, str]) -> tuple[bool, bool, bool]:
    id_, message = pair
    function = id_.partition("::")[2].partition("[")[0]
    says = not message or tells(message.removesuffix("...")) or "[single exception in" in message
    return " " in function, not says, _unbalanced(id_)


def _unbalanced(text: str) -> bool:
    return text.count("[") != text.count("]") or text.count("(") != text.count(")")


def _dotted(id_: str) -> str:
    """The title that pytest gives the block of a node id."""
    path, separator, name = id_.partition("::")
    if not separator:
        return path
    function, bracket, parameters = name.partition("[")
    return function.replace("::", ".") + bracket + parameters


def _owners(
    reports: Sequence[Report], entries: Sequence[_Entry]
) -> dict[int, tuple[str, str | None]]:
    """Node id and subtest of each report that the summary knows, by the report's index."""
    index: dict[str, list[tuple[_Entry, str]]] = defaultdict(list)
    for entry in entries:
        for title, id_, _ in entry.readings:
            index[title].append((entry, id_))
    owners: dict[int, tuple[str, str | None]] = {}
    for i in sorted(range(len(reports)), key=lambda i: reports[i].doubt):
        if (name := _name(reports[i])) is None:
            continue
        free = [(entry, id_) for entry, id_ in index[name] if not entry.taken]
        if not free:
            continue
        entry, id_ = next((each for each in free if _lies_in(reports[i], each[1])), free[0])
        entry.taken = True
        owners[i] = id_, entry.described(name, id_)
    return owners | _in_order(reports, entries)


def _name(report: Report) -> str | None:
    """The title as ``_dotted`` spells it."""
    if crashed := _CRASHED.search(report.text):
        return _dotted(crashed[1])
    if report.title is None:
        return None
    name = match[2] if (match := _TITLE.fullmatch(report.title)) else report.title
    return "" if name == "test session" else name.removeprefix("[doctest] ")


def _lies_in(report: Report, id_: str) -> bool:
    frames = report.raised.frames[:1] if report.raised else ()
    path = id_.partition("::")[0]
    return any(frame.file.replace("\\", "/").endswith(path) for frame in frames)


def _in_order(
    reports: Sequence[Report], entries: Sequence[_Entry]
) -> dict[int, tuple[str, str | None]]:
    """Owners under ``--tb=line``: the summary keeps the order of the crash lines.

    Without text between them two crash lines belong to neighbours; with it, to tests further apart.
    """
    owners: dict[int, tuple[str, str | None]] = {}
    rest = [entry for entry in entries if not entry.taken]
    position = 0
    for i, report in enumerate(reports):
        if report.title is not None:
            continue
        ahead = rest[position : position + _AHEAD]
        fits = [position + j for j, entry in enumerate(ahead) if _fits(report, entry)]
        if not fits:
            continue
        entry = rest[fits[0]]
        entry.taken, position = True, fits[0] + 1
        title, id_ = next((t, id_) for t, id_, text in entry.readings if _says(report, id_, text))
        owners[i] = id_, entry.described(title, id_)
    return owners


def _fits(report: Report, entry: _Entry) -> bool:
    return any(_says(report, id_, message) for _, id_, message in entry.readings)


def _says(report: Report, id_: str, message: str) -> bool:
    """Whether a summary line, maybe cut, is that of the crash line. A doctest's bears no message."""
    if message:
        return report.crash.partition(": ")[2].startswith(message.removesuffix("...").rstrip())
    return report.title is None and report.doctest and _lies_in(report, id_)


def _credible(
    report: Report, session: Session, reports: Sequence[Report], summarised: bool
) -> bool:
    """Whether a report that the summary does not name is pytest's own."""
    if report.doubt > 1 or (report.raised is None and not report.text):
        return False
    if summarised and session.counts is not None:
        return report.title is None and not report.doubt
    if report.doubt == 0:
        return True
    likely = [each for each in reports if each.doubt < 2]
    if session.counts is not None and len(likely) == session.counts.get(report.section, 0):
        return True
    id_ = _derived(report, ())[0]
    return bool(id_) and (id_ in session.failing or id_.partition("::")[0] in session.failing)


def _derived(report: Report, roots: Sequence[str]) -> tuple[str, str | None]:
    """The node id from the title and the test function's frame; "" where that frame is not shown."""
    if crashed := _CRASHED.search(report.text):
        return crashed[1], None
    name = _name(report)
    if name is None or report.raised is None or not report.raised.frames:
        return "", None
    if _phase(report) == "collect":
        return name, None
    first = report.raised.frames[0]
    function, bracket, parameters = name.partition("[")
    if first.function != function.rpartition(".")[2]:
        return "", None
    file = first.file.replace("\\", "/")
    root = next((root for root in roots if file.startswith(root.rstrip("/") + "/")), "")
    file = file[len(root) :].lstrip("/") if root else file
    return f"{file}::{function.replace('.', '::')}{bracket}{parameters}", None


def _phase(report: Report) -> Phase:
    match = _TITLE.fullmatch(report.title or "")
    if match:
        return _PHASES[match[1]]
    return "call" if report.section == "FAILURES" else "setup"


def _named(report: Report, owner: tuple[str, str | None]) -> Failure:
    return Failure(owner[0], _phase(report), report.raised, report.text, owner[1], report.evidence)


def _bare(entry: _Entry, section: Section) -> Failure:
    """A failure of which the log has only the summary's line (``--tb=no``)."""
    title, id_, message = entry.readings[0]
    whole = ": " in message or not message.endswith("...")
    raised = Raised(*exception(message)) if whole and tells(message) else None
    phase: Phase = "call" if section == "FAILURES" else "setup" if "::" in id_ else "collect"
    return Failure(id_, phase, raised, message, entry.described(title, id_))


def interesting(line: str) -> bool:
    """Whether a line of the summary names a failure."""
    return line.startswith(("FAILED ", "ERROR ", "SUBFAIL")) or " SUBFAIL" in line[:200]


def count(words: Iterable[tuple[str, str]]) -> dict[Section, int]:
    """Failures and errors from the words of the last line: ``3 failed, 1 passed, 2 errors``."""
    counts = {word.rstrip("s"): int(number) for number, word in words}
    return {"FAILURES": counts.get("failed", 0), "ERRORS": counts.get("error", 0)}
