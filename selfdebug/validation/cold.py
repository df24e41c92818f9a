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

_RECORDER = Path(records.__file__).with_name("plugin.py")
_OVERLAY = Path(__file__).with_name("import_overlay.py")
_STUB = """\
import sys
before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
from {} import *
sys.dont_write_bytecode = before
"""


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
    command: PytestCommand,
    *,
    select: Sequence[str] = (),
    replaced: Mapping[Path, bytes] | None = None,
    original: Path | None = None,
    stop: Event | None = None,
) -> TestRun:
    """Run the project's tests, or of them those with the node ids ``select``, in a new process.

    ``replaced`` is what the files of these absolute paths hold for whoever imports them in the run;
    the files stay as they are. It is proved only for those that ``overlaid`` of the run names: a
    script that a test starts, or a plugin that was imported earlier, sees the file itself.
    ``original`` says that the root is a copy of that project where ``replaced`` is written already
    (see ``overlay.py``); the run names all files as in the original.

    The process, with all that it started, is ended after the time of ``command`` or once ``stop`` is
    set; the run has no exit code then. On KeyboardInterrupt it is ended before that goes on.
    Raises PytestMissing.
    """
    with _scratch(command.scratch) as scratch, _folder(scratch) as folder:
        report = folder / "report"
        env = _environment(command, scratch, report)
        plugins = [_RECORDER]
        if select:
            env["SELFDEBUG_SELECT"] = _write(folder / "select", [node for node in select if node])
        if replaced:
            plugins.insert(0, _OVERLAY)
            served = _served(replaced, folder, command.root, original)
            env["SELFDEBUG_OVERLAY"] = _write(folder / "overlay", served)
        try:
            ended = process.run(
                _argv(command, [_plugin(each, scratch) for each in plugins]),
                cwd=command.root,
                env=env,
                timeout=command.timeout,
                stop=stop,
                mark=str(report),
            )
        except OSError as error:
            raise PytestMissing(f"{command.python} can't be started: {error}") from error
        run = records.read(
            report,
            exit_code=ended.exit_code,
            seconds=ended.seconds,
            output=ended.output,
            moved=None if original is None else (command.root, original),
        )
    if not run.versions and "No module named pytest" in ended.output:
        raise PytestMissing(
            f"{command.python} has no pytest: install it there, or name the project's own "
            "interpreter with --python"
        )
    return run


def _argv(command: PytestCommand, plugins: Sequence[str]) -> list[str]:
    # A bytecode file that claims to need no check is checked all the same.
    python = [str(command.python), "--check-hash-based-pycs", "always"]
    loaded = [part for name in plugins for part in ("-p", name)]
    return [*python, "-m", "pytest", *loaded, "--color=no", *command.args]


def _served(
    replaced: Mapping[Path, bytes], folder: Path, root: Path, original: Path | None
) -> dict[str, tuple[str | None, str | None]]:
    """Write down what ``import_overlay.py`` has to serve, or in a copy to watch."""
    if original is not None:
        return {str(root / path.relative_to(original)): (None, str(path)) for path in replaced}
    contents = {path: folder / f"content-{number}" for number, path in enumerate(replaced)}
    for path, content in contents.items():
        content.write_bytes(replaced[path])
    return {str(path): (str(content), None) for path, content in contents.items()}


def _write(path: Path, value: object) -> str:
    path.write_text(json.dumps(value))
    return str(path)


def _plugin(source: Path, scratch: Path) -> str:
    """Copy a plugin to where the project's interpreter finds it, under a name that nobody has.

    pytest recompiles what ``-p`` names at each start, so that is a stub; the plugin itself is
    compiled once for the scratch folder.
    """
    folder = scratch / "plugins"
    folder.mkdir(exist_ok=True)
    stub = next(folder.glob(f"{source.stem}_*_stub.py"), None)
    if stub is None:
        name = f"{source.stem}_{secrets.token_hex(4)}"
        shutil.copyfile(source, folder / f"{name}.py")
        stub = folder / f"{name}_stub.py"
        stub.write_text(_STUB.format(name))
    return stub.stem


def _environment(command: PytestCommand, scratch: Path, report: Path) -> dict[str, str]:
    env = {**os.environ, **command.env}
    paths = [str(scratch / "plugins"), *filter(None, [env.get("PYTHONPATH")])]
    env |= {
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SELFDEBUG_REPORT": str(report),
        "SELFDEBUG_ROOT": str(command.root),
        "SELFDEBUG_CACHE": str(scratch / "cache"),
        "COVERAGE_FILE": str(scratch / "coverage"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(_examples(command.root, scratch)),
    }
    env.setdefault("PYTEST_DEBUG_TEMPROOT", str(scratch))
    return env


def _examples(root: Path, scratch: Path) -> Path:
    """Copy what hypothesis knows of the project: with its failing examples a failure recurs."""
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
def _folder(scratch: Path) -> Iterator[Path]:
    """Make a folder for what is of one run only."""
    with tempfile.TemporaryDirectory(prefix="run-", dir=scratch) as made:
        yield Path(made)
