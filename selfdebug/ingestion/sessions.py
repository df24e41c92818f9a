"""Cuts a stream of lines into pytest sessions, their sections and their blocks, as the lines come.

A test's captured output is part of its block and may hold anything, whole sessions included. Two
facts tell them apart: a session has one FAILURES section, and its last line comes after it. What
remains doubtful is marked so, and ``summary`` decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from selfdebug.ingestion import blocks
from selfdebug.ingestion.kept import Kept
from selfdebug.ingestion.loose import Loose
from selfdebug.ingestion.summary import Report, Section, Session, count, failures, interesting
from selfdebug.model import Failure

BLOCK_LIMIT = 400_000
EVIDENCE_LIMIT = 8_000
TEXT_LIMIT = 8_000
STATUS_LIMIT = 1_000
FAILURE_LIMIT = 5_000
_HEADING = re.compile(r"=+ (.+?) =+")
_TITLE = re.compile(r"(_+) (.+?) (_+)")
_OUTPUT = re.compile(r"-+ (\S.*?) -+")
_COUNTED = re.compile(
    r"(\d{1,9}) (failed|passed|errors?|skipped|deselected|xfailed|xpassed|warnings?)"
)
_LAST = re.compile(r"(?:no tests ran|\d{1,9} [a-z]+.*) in \d+[.\d]*s.*")
_PROGRESS = re.compile(r"(\S.*?) [.sxXuU,-]*[FEu][.FEsxXuU,-]*(?:\s+\[ *\d+%\])?")
_VERBOSE = re.compile(
    r"(?:\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) (\S.*?::.*)|(\S.*?::.*?) (?:FAILED|ERROR)(?: .*)?)"
)
_ROOT = re.compile(r"rootdir: (.+?)(?:, (?:configfile|inifile|testpaths): .*)?")
_TOX = re.compile(r"\S+: exit -?\d+ \(.*?\) (\S+)> .*|\S+: commands\[\d+\] (/\S+)> .*")
_FRAMING = re.compile(
    r"short test summary info|warnings summary.*|PASSES|XFAILURES|XPASSES|rerun test summary info"
    r"|slowest .*durations|tests coverage|coverage: .*"
)
_START = "test session starts"
_SUMMARY = "short test summary info"
_SECTIONS: dict[str, Section] = {"FAILURES": "FAILURES", "ERRORS": "ERRORS"}
Mode = Literal["outside", "progress", "FAILURES", "ERRORS", "summary", "other"]


@dataclass(slots=True)
class Block:
    """A block whose end has not come yet. ``output`` is the captured section that is being read."""

    title: str | None
    section: Section
    doubt: int
    body: Kept = field(default_factory=lambda: Kept(BLOCK_LIMIT))
    outputs: dict[str, Kept] = field(default_factory=dict)
    output: Kept | None = None

    def report(self, crash: str = "") -> Report:
        """The block as read so far; ``crash`` is the line that ended it under ``--tb=line``."""
        lines = self.body.lines()
        raised, text = blocks.read_before(lines, crash) if crash else blocks.read(lines)
        evidence = {
            name: "\n".join(kept.lines()).strip("\n") for name, kept in self.outputs.items()
        }
        gap = bool(crash and lines) and not blocks.begins(lines[0])
        return Report(
            self.title, self.section, raised, text[:TEXT_LIMIT], evidence, self.doubt, crash, gap
        )


@dataclass(slots=True)
class Reader:
    """One writer's lines of a log: feed them in order, then ``close``."""

    failures: list[Failure] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)
    sessions: int = 0
    finished: int = 0
    internal_error: bool = False
    loose: Loose = field(default_factory=Loose)
    _mode: Mode = "outside"
    _session: Session = field(default_factory=Session)
    _block: Block | None = None
    _seen: set[str] = field(default_factory=set)
    _nested: bool = False
    _captured: bool = False
    _untitled: bool | None = False
    _inner: Session = field(default_factory=Session)

    def feed(self, line: str) -> None:
        """Take one line, without its end and without what wrapped it."""
        if line[:1] == "=" and (heading := _HEADING.fullmatch(line.rstrip())):
            self._heading(heading[1], line)
        elif line[:1] == "_" and not self._untitled and (title := _titled(line)):
            self._open(title)
        elif self._block:
            self._in_block(self._block, line)
        elif self._mode == "outside":
            self._outside(line)
        else:
            self._in_session(line)

    def close(self) -> None:
        """The log ends here."""
        self._end_session()
        self.loose.close()

    def _heading(self, text: str, line: str) -> None:
        running = bool(self._seen) and self._session.counts is None
        if text == _START and not running:
            self._end_session()
            self._start()
        elif text in _SECTIONS and not (
            running and ("FAILURES" in self._seen or text in self._seen)
        ):
            self._section(_SECTIONS[text])
        elif text in _SECTIONS or text == _START:
            self._nested = True
            self._print(line)
        elif _status(_LAST, text):
            self._last(text, line)
        elif self._printed_by_a_test(text):
            self._print(line)
        else:
            self._close_block()
            self._mode = "summary" if text == _SUMMARY else "other"
            self._untitled = False
            if self._nested:
                self._inner = Session()
            elif self._mode == "summary":
                self._session.summary.clear()

    def _printed_by_a_test(self, heading: str) -> bool:
        """Whether captured output goes on: only a frame's heading can end it, and ``_last`` doubts that.

        Blocks without titles are lost for good where a frame was printed too.
        """
        if self._block is None or not self._block.output:
            return False
        return not _FRAMING.fullmatch(heading) or (self._nested and self._block.title is None)

    def _start(self) -> None:
        self.sessions += 1
        self._mode = "progress"

    def _section(self, name: Section) -> None:
        if self._session.counts is not None:
            self._end_session()
        if self._mode == "outside":
            self._start()
        self._close_block()
        self._mode = name
        self._seen.add(name)
        self._captured = False
        self._untitled = None if name == "FAILURES" else False

    def _print(self, line: str) -> None:
        """A heading that a test printed."""
        if self._block and self._block.output:
            self._in_block(self._block, line)

    def _last(self, text: str, line: str) -> None:
        """The line with the counts, which closes a session, maybe one that a test printed."""
        counts = count(_COUNTED.findall(text))
        if self._nested and not self._session.knows(self._inner):
            self._print(line)
            self._mode = "FAILURES" if "FAILURES" in self._seen else "ERRORS"
        elif self._mode != "outside":
            if self._nested:  # a test printed the beginning of a session, but no end
                self._session.summary = self._inner.summary
            self._close_block()
            self._session.counts = counts
            self._mode, self._untitled = "other", False
        self._nested, self._inner = False, Session()

    def _end_session(self) -> None:
        self._close_block()
        if self._mode != "outside":
            room = FAILURE_LIMIT - len(self.failures)
            self.failures += islice(failures(self._session, self.roots), room)
            self.finished += self._session.counts is not None
        self._session, self._inner, self._seen = Session(), Session(), set()
        self._nested = self._captured = self._untitled = False
        self._mode = "outside"

    def _open(self, title: str) -> None:
        section: Section = "ERRORS" if title.startswith("ERROR ") else "FAILURES"
        if self._mode == "progress":
            return
        if self._mode == "outside":  # the log begins in the middle
            self._start()
            self._mode = section
        self._close_block()
        self._untitled = False
        certain = self._mode in _SECTIONS and not self._nested
        doubt = 1 if self._captured or self._mode == "summary" else 0
        self._block = Block(title, section, doubt if certain or self._mode == "summary" else 2)

    def _close_block(self, crash: str = "") -> None:
        block, self._block = self._block, None
        if block is None:
            return
        self._captured |= bool(block.outputs)
        known = block.title is not None or crash
        if known and len(self._session.reports) < FAILURE_LIMIT:
            self._session.reports.append(block.report(crash))

    def _in_block(self, block: Block, line: str) -> None:
        if block.title is None and blocks.crash(line, block.body, printed=bool(block.output)):
            self._close_block(line)
        elif line[:1] == "-" and (output := _OUTPUT.fullmatch(line.rstrip())):
            block.output = block.outputs.setdefault(output[1], Kept(EVIDENCE_LIMIT))
        else:
            (block.output or block.body).add(line)

    def _in_session(self, line: str) -> None:
        if self._mode == "FAILURES" and self._untitled is not False and line:
            self._untitled = True
            self._block = Block(None, "FAILURES", int(self._captured))
            self._in_block(self._block, line)
        elif self._mode == "summary" and interesting(line):
            (self._inner if self._nested else self._session).add_summary(line)
        elif self._session.counts is not None:
            self._outside(line)
        elif _status(_LAST, line):
            self._last(line, line)
        elif self._mode == "progress":
            self._progress(line)

    def _progress(self, line: str) -> None:
        if root := _ROOT.fullmatch(line):
            self.roots.append(root[1])
        elif line.startswith("INTERNALERROR> "):
            self.internal_error = True
        elif match := _status(_PROGRESS, line) or _status(_VERBOSE, line):
            self._session.add_failing(match[1] or match[2])

    def _outside(self, line: str) -> None:
        if tox := _status(_TOX, line):
            self.roots.append(tox[1] or tox[2])
        elif line.startswith("INTERNALERROR> "):
            self.internal_error = True
        else:
            self.loose.feed(line)


def _status(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    """Match a line on which pytest or tox says how it goes: a short one, because these backtrack."""
    return pattern.fullmatch(line) if len(line) <= STATUS_LIMIT else None


def _titled(line: str) -> str | None:
    """The title of a block: between two runs of ``_`` of one length, the right one maybe one longer."""
    match = _TITLE.fullmatch(line.rstrip())
    if match is None or not 0 <= len(match[3]) - len(match[1]) <= 1 or match[2].strip("_ ") == "":
        return None
    return match[2]
