"""The cold runner: a fresh pytest process of the project's own interpreter. Its word is the verdict.

A run leaves nothing in the project. It writes no bytecode there, and pytest's cache and temporary
folders, coverage data and hypothesis' examples go to a scratch folder.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from selfdebug.ingestion import records
from selfdebug.model import TestRun
from selfdebug.validation import process

_PLUGIN = Path(records.__file__).with_name("plugin.py")


class PytestMissing(Exception):
    """The interpreter of the project can't be started, or can't import pytest."""


@dataclass(frozen=True, slots=True)
class PytestCommand:
    """How the project runs its tests: ``python -m pytest ARGS`` in ``root``.

    ``timeout`` is in seconds and for one run. ``env`` is laid over this process's environment.
    ``scratch`` is an existing folder outside the root where runs keep their caches from one to the
    next; without it each has its own. It is the caller's to remove.
    """

    root: Path
    python: Path
    args: tuple[str, ...] = ()
    timeout: float = 600.0
    env: Mapping[str, str] = field(default_factory=dict)
    scratch: Path | None = None


def run_pytest(
    command: PytestCommand, *, select: Sequence[str] = (), stop: Event | None = None
) -> TestRun:
    """Run the project's tests, or of them those with the node ids ``select``, in a new process.

    The process, with all that it started, is ended after the time of ``command`` or once ``stop`` is
    set; the run has no exit code then. On KeyboardInterrupt it is ended before that goes on.
    Raises PytestMissing.
    """
    with _scratch(command.scratch) as scratch, _report(scratch) as report:
        env = _environment(command, scratch, report)
        if select:
            chosen = report.with_suffix(".select")
            chosen.write_text(json.dumps([node for node in select if node]))
            env["SELFDEBUG_SELECT"] = str(chosen)
        try:
            ended = process.run(
                _argv(command, scratch),
                cwd=command.root,
                env=env,
                timeout=command.timeout,
                stop=stop,
                mark=str(report),
            )
        except OSError as error:
            raise PytestMissing(f"{command.python} can't be started: {error}") from error
        run = records.read(
            report, exit_code=ended.exit_code, seconds=ended.seconds, output=ended.output
        )
    if not run.versions and "No module named pytest" in ended.output:
        raise PytestMissing(
            f"{command.python} has no pytest: install it there, or name the project's own "
            "interpreter with --python"
        )
    return run


def _argv(command: PytestCommand, scratch: Path) -> list[str]:
    own = ["-p", _plugin(scratch), "-o", f"cache_dir={scratch / 'cache'}", "--color=no"]
    # A bytecode file that claims to need no check is checked all the same.
    python = [str(command.python), "--check-hash-based-pycs", "always"]
    return [*python, "-m", "pytest", *own, *command.args]


def _plugin(scratch: Path) -> str:
    """Copy the plugin to where the project's interpreter finds it, under a name of its own."""
    folder = scratch / "plugins"
    folder.mkdir(exist_ok=True)
    known = next(folder.glob("_selfdebug_*.py"), None)
    if known is None:
        known = folder / f"_selfdebug_{secrets.token_hex(4)}.py"
        shutil.copyfile(_PLUGIN, known)
    return known.stem


def _environment(command: PytestCommand, scratch: Path, report: Path) -> dict[str, str]:
    env = {**os.environ, **command.env}
    paths = [str(scratch / "plugins"), *filter(None, [env.get("PYTHONPATH")])]
    env |= {
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SELFDEBUG_REPORT": str(report),
        "SELFDEBUG_ROOT": str(command.root),
        "COVERAGE_FILE": str(scratch / "coverage"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(_examples(command.root, scratch)),
    }
    env.setdefault("PYTEST_DEBUG_TEMPROOT", str(scratch))
    return env


def _examples(root: Path, scratch: Path) -> Path:
    """What hypothesis knows of the project: with its failing examples a failure is seen again."""
    copy, known = scratch / "hypothesis", root / ".hypothesis"
    if known.is_dir() and not copy.exists():
        shutil.copytree(known, copy, symlinks=True)
    return copy


@contextmanager
def _scratch(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="sd-", ignore_cleanup_errors=True) as made:
        yield Path(made)


@contextmanager
def _report(scratch: Path) -> Iterator[Path]:
    """A new name for one run's records, in a folder that is removed after."""
    with tempfile.TemporaryDirectory(prefix="run-", dir=scratch) as made:
        yield Path(made) / "report"
