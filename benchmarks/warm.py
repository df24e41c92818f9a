"""A candidate in the warm runner beside a cold pytest of the same failing test; memory of a fork."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

from benchmarks.projects import SIZES, Project, make, plain_python
from selfdebug.validation import warm
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import limits
from selfdebug.validation.warm import WarmRun, WarmServer

ROUNDS = 9  # cold runs, and each time as many warm ones beside it
BESIDE = 5


def main() -> None:
    """Measure and print."""
    python = plain_python()
    print(
        f"{'project':8} {'cold':>9} {'start':>9} {'swap':>9} {'ratio':>7} {'overlay':>9} {'ratio':>7}"
    )
    with tempfile.TemporaryDirectory(prefix="sd-bench-") as folder:
        projects = {size: make(Path(folder), size) for size in SIZES}
        for size, project in projects.items():
            _compare(size, project, python)
        _many(projects["small"], python, 200)
        _memory(projects["large"], python)


def _compare(size: str, project: Project, python: Path) -> None:
    command = PytestCommand(project.root, python)
    plain = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", project.failing]
    cold, swapped, overlaid = [], [], []
    with _start(command, 1) as server:
        started = _seconds(server.ready)
        bodies = project.candidates()
        _check(_try(server, project, project.repair()), 0)
        for _ in range(ROUNDS):
            cold.append(
                _seconds(
                    lambda: subprocess.run(
                        plain, cwd=project.root, capture_output=True, check=False
                    )
                )
            )
            swapped += [_swap(server, project, body) for body in islice(bodies, BESIDE)]
            overlaid.append(_seconds(lambda: _try(server, project, next(bodies) + b"\nX = 1\n")))
    base, swap, overlay = map(statistics.median, (cold, swapped, overlaid))
    print(
        f"{size:8} {base * 1e3:6.0f} ms {started * 1e3:6.0f} ms {swap * 1e3:6.1f} ms {base / swap:6.0f}x"
        f" {overlay * 1e3:6.1f} ms {base / overlay:6.1f}x",
        flush=True,
    )


def _many(project: Project, python: Path, count: int) -> None:
    with _start(PytestCommand(project.root, python), 2) as server, ThreadPoolExecutor(2) as threads:
        server.ready()
        bodies = list(islice(project.candidates(), count))
        seconds = _seconds(lambda: list(threads.map(lambda b: _try(server, project, b), bodies)))
    print(f"{count} candidates on small with 2 jobs: {seconds:.2f} s")


def _memory(project: Project, python: Path) -> None:
    """Unique set size: what the end of a process would give back."""
    body = project.repair().replace(b"result = 0", b"result = 0\n    import time; time.sleep(3)")
    with _start(PytestCommand(project.root, python), 1) as server, ThreadPoolExecutor(1) as thread:
        server.ready()
        time.sleep(1.0)
        own = [_unique(pid) for pid in _processes(project.root)]
        trial = thread.submit(_try, server, project, body)
        time.sleep(1.5)
        candidate = max(_unique(pid) for pid in _processes(project.root))
        trial.result()
    print(
        f"unique set size on large: candidate {candidate:.1f} MB;"
        f" all {len(own)} waiting processes of the server {sum(own):.1f} MB"
    )


def _processes(root: Path) -> list[int]:
    """The processes that were started with the folder in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"SELFDEBUG_ROOT={root}\0".encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:  # noqa: PERF203 - it ended meanwhile
            continue
    return found


def _unique(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def _start(command: PytestCommand, jobs: int) -> WarmServer:
    server = warm.start(command, jobs)
    if not isinstance(server, WarmServer):
        raise SystemExit(server.reason)
    return server


def _try(server: WarmServer, project: Project, body: bytes) -> WarmRun:
    outcome = server.run({project.file: body}, [project.failing], limits(1.0))
    if not isinstance(outcome, WarmRun):
        raise SystemExit(outcome.reason)
    return outcome


def _fails(server: WarmServer, project: Project, body: bytes) -> None:
    _check(_try(server, project, body), 1)


def _swap(server: WarmServer, project: Project, body: bytes) -> float:
    return _seconds(lambda: _check(_try(server, project, body), 1))


def _check(run: WarmRun, exit_code: int) -> None:
    if run.how == "overlay" or (run.run.exit_code, run.executed) != (exit_code, True):
        raise SystemExit(f"{run}")


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
