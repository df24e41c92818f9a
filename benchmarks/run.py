"""The whole ``run`` next to one plain cold pytest of the same project, in place, in a git repository.

Made projects of three sizes, and bundled ones. The runs alternate, so that all see the same machine;
medians are printed, and the peak memory of the largest process of a run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.projects import SIZES, make, plain_python

FIXTURES = Path(__file__).parent.parent / "fixtures"
NAMES = ("shop_orders", "access_log", "markdown_table")
ROUNDS = 5


class Took(NamedTuple):
    """Wall time of a process in seconds, peak memory of it and its children in MiB, its output."""

    seconds: float
    memory: int
    output: bytes


def took(argv: list[str], root: Path) -> Took:
    """Run a command in a project."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    env["SELFDEBUG_STATE_DIR"] = str(root.parent / "state")
    with tempfile.TemporaryFile() as output:
        began = time.perf_counter()
        child = subprocess.Popen(argv, cwd=root, env=env, stdout=output, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - began
        output.seek(0)
        return Took(seconds, usage.ru_maxrss // 1024, output.read())


def measure(root: Path, python: Path) -> str:
    """Return a line of figures for one project."""
    _commit(root)
    original = {path: path.read_bytes() for path in root.rglob("*.py")}
    log = root.parent / "log"
    pytest = [str(python), "-m", "pytest", "-p", "no:cacheprovider"]
    run = [sys.executable, "-m", "selfdebug", "run", "--json", "--python", str(python)]
    cold: list[Took] = []
    own: list[Took] = []
    given: list[Took] = []
    for _ in range(ROUNDS):
        cold.append(took(pytest, root))
        log.write_bytes(cold[-1].output)
        for argv, times in ((run, own), ([*run, str(log)], given)):
            times.append(took(argv, root))
            report = json.loads(times[-1].output)
            if report["final_status"] != "pass":
                raise SystemExit(f"{root.name} was not healed: {report}")
            for path, before in original.items():
                if path.read_bytes() != before:
                    path.write_bytes(before)
    base, whole, logged = (median(each.seconds for each in times) for times in (cold, own, given))
    tried = 1 + sum(not why["reason"].startswith("PATCH-REJECTED") for why in report["rejected"])
    return (
        f"{root.name:16} pytest {base * 1000:6.0f} ms   run {whole * 1000:6.0f} ms"
        f" = {whole / base:4.2f}x   with a log {logged / base:4.2f}x"
        f"   {tried} tried   peak {max(each.memory for each in own)} MiB"
    )


def _commit(root: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    (root / ".gitignore").write_text("__pycache__\n")
    for args in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "a"]):
        subprocess.run([*git, *args], cwd=root, check=True, capture_output=True)


def main() -> None:
    """Print a line for each project."""
    print(f"the whole run, median of {ROUNDS}, next to one cold pytest of the same project")
    python = plain_python()
    with tempfile.TemporaryDirectory(prefix="sd-bench-") as made:
        for size in SIZES:
            print(
                measure(make(Path(made, f"for-{size}"), size, healable=True).root, python),
                flush=True,
            )
        for name in NAMES:
            root = Path(made, f"for-{name}", name)
            shutil.copytree(FIXTURES / name / "project", root)
            print(measure(root, python), flush=True)


if __name__ == "__main__":
    main()
