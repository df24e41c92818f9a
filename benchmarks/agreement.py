"""Every edit of the shapes, or as many as asked for, tried by the warm and by the cold runner.

``python -m benchmarks agreement`` takes minutes; the tests take a slice of it.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.projects import plain_python
from benchmarks.warm import _start
from selfdebug.model import TestRun
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.warm import WarmRun
from tests.validation import agreement, shapes


def main() -> None:
    """Compare and print; ends with status 1 where the two disagree."""
    said: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="sd-bench-") as folder:
        root, scratch = Path(folder, "project"), Path(folder, "scratch")
        scratch.mkdir()
        shapes.write(root)
        command = PytestCommand(root, plain_python(), scratch=scratch)
        with _start(command, 1) as server:
            run = server.observe()
            if not isinstance(run, TestRun):
                raise SystemExit(run.reason)
            for edit in shapes.edits():
                answer, differences = agreement.compare(
                    server, command, root / shapes.MODULE, edit.text, list(run.outcomes)
                )
                said[answer.how if isinstance(answer, WarmRun) else "declined"] += 1
                if differences:
                    said["disagreed"] += 1
                    print(edit.name, *differences, sep="\n    ")
    print(f"{len(shapes.edits())} edits:", ", ".join(f"{n} {what}" for what, n in said.items()))
    if said["disagreed"]:
        raise SystemExit(1)
