"""The whole ``run`` on bundled projects next to one plain cold pytest of the same project.

The runs alternate, so that both see the same machine; medians are printed, and the peak memory of the
largest process of a run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

FIXTURES = Path(__file__).parent.parent / "fixtures"
NAMES = ("shop_orders", "access_log", "markdown_table")
ROUNDS = 5


def seconds(argv: list[str], folder: Path) -> tuple[float, int]:
    """Return the wall time of a process, and the peak memory of it and its children in MiB."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    env["SELFDEBUG_STATE_DIR"] = str(folder / "state")
    began = time.perf_counter()
    child = subprocess.Popen(
        argv, cwd=folder / "project", env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, usage = os.wait4(child.pid, 0)
    return time.perf_counter() - began, usage.ru_maxrss // 1024


def measure(name: str) -> str:
    """Return a line of figures for one fixture."""
    python = sys.executable
    cold, own, given, memory = [], [], [], 0
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            shutil.copytree(FIXTURES / name / "project", folder / "project")
            log = folder / "log"
            with log.open("wb") as out:
                pytest = [python, "-m", "pytest", "-p", "no:cacheprovider"]
                subprocess.run(pytest, cwd=folder / "project", stdout=out, check=False)
            cold.append(seconds(pytest, folder)[0])
            run = [python, "-m", "selfdebug", "run", "--dry-run"]
            took, peak = seconds(run, folder)
            own.append(took)
            given.append(seconds([*run, str(log)], folder)[0])
            memory = max(memory, peak)
    base = median(cold)
    return (
        f"{name:16} pytest {base * 1000:6.0f} ms   run {median(own) * 1000:6.0f} ms"
        f" = {median(own) / base:4.2f}x   with a log {median(given) / base:4.2f}x   peak {memory} MiB"
    )


def main() -> None:
    """Print a line for each fixture."""
    print(f"the whole run, median of {ROUNDS}, next to one cold pytest of the same project")
    for name in NAMES:
        print(measure(name), flush=True)


if __name__ == "__main__":
    main()
