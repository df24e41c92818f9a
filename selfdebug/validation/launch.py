"""How a pytest process of ours is started: its command line, its environment, its plugins.

A run leaves nothing in the project. It writes no bytecode there, and pytest's cache and temporary
folders, coverage data and hypothesis' examples go to a scratch folder.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Literal

Plugin = Literal["recorder", "overlay", "gate", "forked"]

_HERE = Path(__file__).parent
_SOURCES: Mapping[Plugin, Path] = {
    "recorder": _HERE.parent / "ingestion" / "plugin.py",
    "overlay": _HERE / "import_overlay.py",
    "gate": _HERE / "gate.py",
    "forked": _HERE / "forked",
}
_STUB = """\
import sys
before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
from {} import *
sys.dont_write_bytecode = before
"""


@dataclass(frozen=True, slots=True)
class PytestCommand:
    """How the project runs its tests: ``python -m pytest ARGS`` in ``root``.

    ``timeout`` is in seconds and for one run. ``env`` is laid over this process's environment.
    ``scratch`` is an existing folder outside the root where runs keep their caches from one to the
    next; without it each has its own. It is the caller's to remove. ``plugins`` is a folder of this
    user alone that keeps our plugins, compiled, for later processes. ``memory`` is how many bytes the
    tests in one process may take on top of what collecting them took (on Linux).
    """

    root: Path
    python: Path
    args: tuple[str, ...] = ()
    timeout: float = 600.0
    env: Mapping[str, str] = field(default_factory=dict)
    scratch: Path | None = None
    plugins: Path | None = None
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Installed:
    """Our plugins where the project's interpreter finds them, under names that nobody has."""

    folder: Path
    suffix: str

    def module(self, plugin: Plugin) -> str:
        """Return the name that its module, or package, is imported by."""
        return f"{plugin}_{self.suffix}"

    def option(self, plugin: Plugin) -> str:
        """Return what ``-p`` takes. pytest compiles that anew at each start, so it is a stub."""
        return f"{self.module(plugin)}_stub"


def install(command: PytestCommand, scratch: Path) -> Installed:
    """Copy the plugins to the folder of ``command`` for them, or to the scratch folder, once."""
    digest = sha256()
    for source in _SOURCES.values():
        for file in sorted(source.glob("*.py")) if source.is_dir() else [source]:
            digest.update(file.read_bytes())
    suffix = digest.hexdigest()[:12]
    for parent in filter(None, [command.plugins, scratch / "plugins"]):
        folder = parent / suffix
        with suppress(OSError):
            if not folder.is_dir():
                _fill(folder, suffix)
            break
    return Installed(folder, suffix)


def _fill(folder: Path, suffix: str) -> None:
    """Make the folder, or find that another process just did."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        for plugin, source in _SOURCES.items():
            name = f"{plugin}_{suffix}"
            if source.is_dir():
                shutil.copytree(source, made / name, ignore=shutil.ignore_patterns("__pycache__"))
                stub = _STUB.format(f"{name}.server")
            else:
                shutil.copyfile(source, made / f"{name}.py")
                stub = _STUB.format(name)
            (made / f"{name}_stub.py").write_text(stub)
        made.rename(folder)
    except OSError:
        shutil.rmtree(made, ignore_errors=True)
        if not folder.is_dir():
            raise


def argv(command: PytestCommand, plugins: Sequence[str]) -> list[str]:
    """Return the command line; ``plugins`` are for ``-p``, in this order."""
    # A bytecode file that claims to need no check is checked all the same.
    python = [str(command.python), "--check-hash-based-pycs", "always"]
    loaded = [part for name in plugins for part in ("-p", name)]
    return [*python, "-m", "pytest", *loaded, "--color=no", *command.args]


def environment(
    command: PytestCommand, plugins: Installed, scratch: Path, report: Path
) -> dict[str, str]:
    """Return the environment of a process that writes its records to ``report``."""
    env = {**os.environ, **command.env}
    paths = [str(plugins.folder), *filter(None, [env.get("PYTHONPATH")])]
    env |= {
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SELFDEBUG_REPORT": str(report),
        "SELFDEBUG_ROOT": str(command.root),
        "SELFDEBUG_CACHE": str(scratch / "cache"),
        "COVERAGE_FILE": str(scratch / "coverage"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(_examples(command.root, scratch)),
    }
    if command.memory is not None:
        env["SELFDEBUG_MEMORY"] = str(command.memory)
    env.setdefault("PYTEST_DEBUG_TEMPROOT", str(scratch))
    return env


def written(path: Path, value: object) -> str:
    """Write a value as JSON, and return the path for an environment variable."""
    path.write_text(json.dumps(value))
    return str(path)


@contextmanager
def scratch_folder(command: PytestCommand) -> Iterator[Path]:
    """Give the command's scratch folder, or one for the length of the block."""
    if command.scratch is not None:
        yield command.scratch
        return
    with tempfile.TemporaryDirectory(prefix="sd-", ignore_cleanup_errors=True) as made:
        yield Path(made)


@contextmanager
def run_folder(scratch: Path) -> Iterator[Path]:
    """Make a folder for what is of one run only."""
    with tempfile.TemporaryDirectory(
        prefix="run-", dir=scratch, ignore_cleanup_errors=True
    ) as made:
        yield Path(made)


def _examples(root: Path, scratch: Path) -> Path:
    """Copy what hypothesis knows of the project: with its failing examples a failure recurs."""
    copy, known = scratch / "hypothesis", root / ".hypothesis"
    if known.is_dir() and not copy.exists():
        shutil.copytree(known, copy, symlinks=True)
    return copy
