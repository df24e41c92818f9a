"""How many small edits a search tries in a second, with one job and with two, next to a cold pytest.

Each is a trial of one failing test, as the search for wrong results makes them by the hundred. Processor
time is that of all processes that take part.
"""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.projects import Project, make, plain_python
from benchmarks.warm import _processes, _start
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import limits
from selfdebug.validation.warm import HOT, WarmRun, WarmServer

TRIALS = 200
COLD = 5
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Cost(NamedTuple):
    """Seconds of wall clock, and of processors."""

    wall: float
    busy: float


def main() -> None:
    """Print a line for each project and number of jobs."""
    python = plain_python()
    with tempfile.TemporaryDirectory(prefix="sd-bench-") as folder:
        for size in ("small", "medium"):
            project = make(Path(folder), size)
            cold = _cold(project, python)
            print(f"{size:8} cold {_shown(cold)}", flush=True)
            for jobs in (1, 2):
                each = _each(project, python, jobs)
                print(
                    f"  jobs {jobs}: {1 / each.wall:4.0f} trials a second, each {_shown(each)};"
                    f" a cold run is {cold.wall / each.wall:3.0f} of them,"
                    f" {cold.busy / each.busy:3.0f} by processor time",
                    flush=True,
                )


def _each(project: Project, python: Path, jobs: int) -> Cost:
    with (
        _start(PytestCommand(project.root, python), jobs) as server,
        ThreadPoolExecutor(jobs) as pool,
    ):

        def wrong(body: bytes) -> None:
            outcome = server.run({project.file: body}, [project.failing], limits(1.0), known=())
            if not isinstance(outcome, WarmRun) or outcome.run.exit_code != 1:
                raise SystemExit(f"{outcome}")

        bodies = project.candidates()
        for body in islice(bodies, HOT + 2 * jobs):
            wrong(body)
        cost = _taken(lambda: _used(server), lambda: [*pool.map(wrong, islice(bodies, TRIALS))])
    return Cost(cost.wall / TRIALS, cost.busy / TRIALS)


def _cold(project: Project, python: Path) -> Cost:
    line = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", project.failing]
    runs = [
        _taken(
            lambda: _seconds(resource.getrusage(resource.RUSAGE_CHILDREN)),
            lambda: subprocess.run(line, cwd=project.root, capture_output=True, check=False),
        )
        for _ in range(COLD)
    ]
    return Cost(median(each.wall for each in runs), median(each.busy for each in runs))


def _taken(used: Callable[[], float], work: Callable[[], object]) -> Cost:
    busy, began = used(), time.perf_counter()
    work()
    return Cost(time.perf_counter() - began, used() - busy)


def _used(server: WarmServer) -> float:
    """Return the seconds that this process and those of the server worked, with all that ended."""
    total = _seconds(resource.getrusage(resource.RUSAGE_SELF))
    for pid in _processes(server.command.root):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += sum(map(int, fields[11:15])) / _TICKS
    return total


def _seconds(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime


def _shown(cost: Cost) -> str:
    return f"{cost.wall * 1e3:6.1f} ms, {cost.busy * 1e3:6.1f} ms of processors"


if __name__ == "__main__":
    main()
