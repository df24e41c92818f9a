"""Every edit of the shapes, tried by the warm and by the cold runner: on all tests, then on one alone.

The one is the first that executes the edit. It is asked for so often that processes wait where it is
called, so that all three places of the warm runner are compared with the cold one.
``python -m benchmarks agreement`` takes long; ``python -m benchmarks.agreement 3 20`` takes the third of
twenty slices, and the tests a smaller one.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.projects import plain_python
from benchmarks.warm import _start
from selfdebug.model import TestRun
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.warm import HOT, WarmRun, WarmServer
from tests.validation import agreement, shapes

_SEED = 1


class Comparison:
    """What the two runners said of edits, counted by how the warm one tried them."""

    def __init__(self, server: WarmServer, command: PytestCommand, tests: Sequence[str]) -> None:
        self.server, self.command, self.tests = server, command, tests
        self.file = command.root / shapes.MODULE
        self.said: Counter[str] = Counter()

    def every(self, edits: Sequence[shapes.Edit]) -> None:
        """Compare edits on all tests, and each on the first that executes it."""
        firsts: dict[str, list[shapes.Edit]] = {}
        for edit in edits:
            test = self._both(edit, self.tests)
            if test is not None:
                firsts.setdefault(test, []).append(edit)
        for test, own in firsts.items():
            for _ in range(HOT):
                agreement.try_warm(self.server, self.file, own[0].text, [test])
            for edit in own:
                self._both(edit, [test], " alone")

    def _both(self, edit: shapes.Edit, tests: Sequence[str], alone: str = "") -> str | None:
        """Return the first test that executes the edit."""
        answer, differences = agreement.compare(
            self.server, self.command, self.file, edit.text, tests
        )
        self.said[(answer.how if isinstance(answer, WarmRun) else "declined") + alone] += 1
        if differences:
            self.said["disagreed"] += 1
            print(edit.name, *(tests if alone else ()), *differences, sep="\n    ", flush=True)
        return answer.test if isinstance(answer, WarmRun) else None


def _slice() -> Iterator[shapes.Edit]:
    """Yield the edits that the command line asks for: all, or each so manieth in a fixed disorder."""
    edits = shapes.edits()
    random.Random(_SEED).shuffle(edits)
    part, parts = map(int, sys.argv[1:]) if __name__ == "__main__" and sys.argv[1:] else (1, 1)
    yield from edits[part - 1 :: parts]


def main() -> None:
    """Compare and print; ends with status 1 where the two disagree."""
    edits = [*_slice()]
    with tempfile.TemporaryDirectory(prefix="sd-bench-") as folder:
        root, scratch = Path(folder, "project"), Path(folder, "scratch")
        scratch.mkdir()
        shapes.write(root)
        command = PytestCommand(root, plain_python(), scratch=scratch)
        with _start(command, 1) as server:
            run = server.observe()
            if not isinstance(run, TestRun):
                raise SystemExit(run.reason)
            comparison = Comparison(server, command, list(run.outcomes))
            comparison.every(edits)
    said = comparison.said
    print(f"{len(edits)} edits:", ", ".join(f"{n} {what}" for what, n in sorted(said.items())))
    if said["disagreed"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
