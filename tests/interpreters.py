"""Other interpreters with other pytests, made once and kept in ``.venvs`` at the top of the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from filelock import FileLock

VENVS = Path(__file__).parents[1] / ".venvs"


@cache
def base(python: str) -> Path | None:
    """The interpreter of version ``python`` ("3.7") on this machine: on PATH, or pyenv's newest."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    installed = (pyenv / "versions").glob(f"{python}.*/bin/python")
    on_path = shutil.which(f"python{python}")
    found = [*sorted(installed, reverse=True), *([Path(on_path)] if on_path else [])]
    return next((path for path in found if _version(path) == python), None)


@cache
def interpreter(python: str, *requirements: str) -> Path | None:
    """The python of a virtual environment of that version with exactly these ``name==version``.

    None where this machine has no such interpreter. Raises CalledProcessError where pip fails.
    """
    source = base(python)
    if source is None:
        return None
    venv = VENVS / "-".join([f"py{python}", *(re.sub("==", "", each) for each in requirements)])
    VENVS.mkdir(exist_ok=True)
    with FileLock(f"{venv}.lock"):
        if not (venv / "complete").exists():
            shutil.rmtree(venv, ignore_errors=True)
            subprocess.run([source, "-m", "venv", venv], check=True)
            environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
            pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "-q", *requirements]
            subprocess.run(pip, check=True, env=environment, stdout=subprocess.DEVNULL)
            (venv / "complete").touch()
    return venv / "bin" / "python"


def _version(python: Path) -> str | None:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    shown = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return shown.stdout.strip() or None
