"""Other interpreters with other pytests, made once and kept in ``.venvs`` at the top of the tree."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from filelock import FileLock

VENVS = Path(__file__).parents[1] / ".venvs"

# Python and what is installed for it; pytest comes first and names the environment.
PYTEST_5 = ("3.7", "pytest==5.4.3")
PYTEST_7 = ("3.10", "pytest==7.4.4", "pytest-subtests==0.13.1", "pytest-xdist==3.8.0")
PYTEST_8 = (
    "3.11",
    "pytest==8.4.2",
    "pytest-cov==6.0.0",
    "pytest-rerunfailures==15.0",
    "pytest-subtests==0.14.1",
    "pytest-xdist==3.8.0",
)
PYTEST_9 = ("3.13", "pytest==9.0.3", "pytest-xdist==3.8.0")


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
    others = hashlib.sha256(" ".join(requirements[1:]).encode()).hexdigest()[:6]
    name = f"py{python}-{requirements[0].replace('==', '')}"
    venv = VENVS / (f"{name}-{others}" if requirements[1:] else name)
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
