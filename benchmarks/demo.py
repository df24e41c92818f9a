"""Heal a copy of a bundled broken project and show the diff: ``make run``."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FIXTURES = Path(__file__).parent.parent / "fixtures"


def main(name: str = "access_log") -> int:
    """Return the exit code of ``selfdebug run`` on a copy of a fixture."""
    with tempfile.TemporaryDirectory(prefix="selfdebug-demo-") as folder:
        root = Path(folder) / name
        shutil.copytree(FIXTURES / name / "project", root)
        print(f"$ python -m selfdebug run   # in a copy of fixtures/{name}/project", flush=True)
        done = subprocess.run(
            [sys.executable, "-m", "selfdebug", "run", "--root", root], check=False
        )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
