"""What stands outside any pytest session: plain tracebacks, a broken root conftest, pasted fragments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from selfdebug.ingestion import blocks, native
from selfdebug.ingestion.kept import Kept
from selfdebug.model import Failure, Raised

TRACEBACK_LIMIT = 400_000
FRAGMENT_LIMIT = 400_000
FAILURE_LIMIT = 1_000
_HEADER = re.compile(
    r"( *)(?P<group>  \+ Exception Group )?Traceback \(most recent call last\):\s*"
)
_CONFTEST = re.compile(r"ImportError while loading conftest '.*'\.\s*")
_OPENINGS = (" ", "T", "I")
_ERROR = re.compile(r"[^\W\d][\w.]*(?:: .*|:?\s*)")
State = Literal["away", "frames", "after", "gap", "between", "conftest"]


@dataclass(slots=True)
class Loose:
    """Reads lines as they come. ``tracebacks`` count only where the log has no pytest session."""

    conftests: list[Failure] = field(default_factory=list)
    tracebacks: list[Failure] = field(default_factory=list)
    fragment: Kept = field(default_factory=lambda: Kept(FRAGMENT_LIMIT))
    _lines: Kept = field(default_factory=lambda: Kept(TRACEBACK_LIMIT))
    _state: State = "away"
    _margin: str = ""
    _seen: set[tuple[str, str, str, int]] = field(default_factory=set)

    def feed(self, line: str) -> None:
        """Take one line."""
        if self.fragment.size < FRAGMENT_LIMIT:
            self.fragment.add(line)
        if self._state != "away":
            if self._continues(line):
                self._lines.add(line.removeprefix(self._margin))
                return
            self._finish()
        self._begin(line)

    def close(self) -> None:
        """The log ends here."""
        self._finish()

    def pasted(self) -> Failure | None:
        """The failure that a piece of a pytest log shows, cut out without any heading."""
        raised, _ = blocks.read(self.fragment.lines())
        return Failure("", "call", raised) if raised and raised.frames else None

    def _begin(self, line: str) -> None:
        if line[:1] not in _OPENINGS:
            return
        if header := _HEADER.fullmatch(line):
            self._state, self._margin = "frames", header[1]
        elif (place := native.FRAME.fullmatch(line)) and place[3] is None:
            self._state, self._margin = "frames", ""
        elif _CONFTEST.fullmatch(line):
            self._state, self._margin = "conftest", ""
            return
        else:
            return
        self._lines.add(line.removeprefix(self._margin))

    def _continues(self, line: str) -> bool:
        """Whether a line still belongs to what was begun; moves the state on."""
        text = line.removeprefix(self._margin)
        blank, indented = not text.strip(), text[:1] == " "
        match self._state:
            case "conftest":
                return indented or bool(
                    blocks.SHORT.fullmatch(text) or blocks.MARKED.fullmatch(text)
                )
            case "frames" if indented:
                return True
            case "frames" | "after":
                ends = self._state == "frames" and _ERROR.fullmatch(text) is not None
                self._state = "gap" if blank else "after"
                return blank or indented or ends
            case "gap":
                self._state = "between"
                return text.strip() in native.RELATIONS
            case _:
                self._state = "between" if blank else "frames"
                return blank or _HEADER.fullmatch(text) is not None

    def _finish(self) -> None:
        lines, state = self._lines.lines(), self._state
        self._lines, self._state = Kept(TRACEBACK_LIMIT), "away"
        if not lines:
            return
        if state == "conftest":
            raised = blocks.read(lines)[0] or native.read(lines)
            found = self.conftests
        else:
            raised, found = native.read(lines), self.tracebacks
        if raised and self._new(raised) and len(found) < FAILURE_LIMIT:
            found.append(Failure("", "collect" if state == "conftest" else "call", raised))

    def _new(self, raised: Raised) -> bool:
        """Whether this is not yet another copy of one that a log repeats."""
        if not raised.frames and not raised.members:
            return False
        last = [(frame.file, frame.line) for frame in raised.frames[-1:]] or [("", 0)]
        key = (raised.type, raised.message, *last[0])
        known = key in self._seen
        self._seen.add(key)
        return not known
