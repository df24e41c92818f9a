"""Candidates that misbehave, each in the warm runner: its cost, what is left, and that all goes on."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.projects import Project, make, plain_python
from benchmarks.warm import _processes, _start, _try
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import limits
from selfdebug.validation.warm import HOT, WarmRun, WarmServer

BODIES = {
    "an endless loop": "while True: pass",
    "100 processes": "[__import__('os').fork() or __import__('time').sleep(60) for _ in range(100)]",
    "os._exit": "__import__('os')._exit(0)",
    "a segfault": "__import__('ctypes').string_at(0)",
    "2 GB of output": "[__import__('os').write(2, b'x' * 1_000_000) for _ in range(2000)]",
    "sys.exit": "__import__('sys').exit(0)",
    "all memory": "bytearray(1 << 40)",
}


def main() -> None:
    """Print a line for each; ends with status 1 where one is taken for right or leaves a process."""
    with tempfile.TemporaryDirectory(prefix="sd-bench-") as folder:
        project = make(Path(folder), "small")
        with _start(PytestCommand(project.root, plain_python()), 1) as server:
            for _ in range(HOT):  # from then on some wait where the test is called
                _try(server, project, project.repair())
            time.sleep(0.5)
            waiting = len(_processes(project.root))
            for name, body in BODIES.items():
                _measure(server, project, name, body, waiting)


def _measure(server: WarmServer, project: Project, name: str, body: str, waiting: int) -> None:
    text = project.file.read_bytes().replace(b"result = 0", b"result = 0\n    " + body.encode(), 1)
    began = time.perf_counter()
    outcome = server.run({project.file: text}, [project.failing], limits(0.0))
    seconds = time.perf_counter() - began
    after = _try(server, project, project.repair())
    time.sleep(0.5)
    left = len(_processes(project.root)) - waiting
    right = isinstance(outcome, WarmRun) and outcome.run.outcomes.get(project.failing) == "passed"
    how = f"exit {outcome.run.exit_code}" if isinstance(outcome, WarmRun) else outcome.reason
    print(
        f"{name:16} {seconds:5.2f} s  {how[:50]:50} then the repair: exit {after.run.exit_code};"
        f" {left} processes left",
        flush=True,
    )
    if right or left > 0 or after.run.exit_code:
        raise SystemExit(1)
