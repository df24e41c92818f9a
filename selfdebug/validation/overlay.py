"""A throwaway copy of the project with the candidate's files, for where imports can't be replaced.

Symbolic links would resolve back into the project, and a test that writes through a hard link writes
the project's own file: so the copy is one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

from selfdebug.model import TestRun
from selfdebug.validation import launch
from selfdebug.validation.cold import run_pytest
from selfdebug.validation.launch import PytestCommand

_CACHES = {"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
_FOREIGN = {".git", ".hg", ".svn", ".tox", ".nox", "node_modules"}


# The finders of setuptools' editable installs map the names of packages to folders.
_ASK = """
import json, os, sys
finders = [each for name, each in [*sys.modules.items()] if name.startswith("__editable__")]
folders = [path for each in finders for path in getattr(each, "MAPPING", {}).values()]
print(json.dumps(sys.path[1:] + [os.path.dirname(path) for path in folders]))
"""


class OverlayUnusable(Exception):
    """The tests in the copy did not import the files of the copy, so the run tells nothing."""


@contextmanager
def overlay(
    root: Path, replaced: Mapping[Path, bytes], folder: Path | None = None
) -> Iterator[Path]:
    """Copy the project and write the files' new bytes there; the copy is removed after.

    It is made in ``folder``, by default the system's temporary one.

    Left out are virtual environments, caches and other tools' packages. A git repository is copied
    too, its objects as hard links since git never writes one in place. Where .git is a file (a
    worktree, a submodule) it is left out: it leads back to the user's repository. Raises OSError.
    """
    with tempfile.TemporaryDirectory(
        prefix="copy-", dir=folder, ignore_cleanup_errors=True
    ) as made:
        copy = Path(made).resolve() / root.name
        shutil.copytree(root, copy, symlinks=True, ignore=left_out)
        if (root / ".git").is_dir():
            _copy_repository(root / ".git", copy / ".git")
        _turn_links(root, copy)
        for path, content in replaced.items():
            (copy / path.relative_to(root)).write_bytes(content)
        yield copy


def run_in_copy(
    command: PytestCommand,
    replaced: Mapping[Path, bytes],
    *,
    select: Sequence[str] = (),
    stop: Event | None = None,
    programs: bool = False,
) -> TestRun:
    """Run as ``run_pytest`` does, in a copy of the project that holds ``replaced``.

    Where only programs may have executed that, another run with ``programs`` tells whether they did.
    Files are named as in the project itself. Raises PytestMissing, OSError, and OverlayUnusable where
    an installed path of the interpreter made the tests import the project's own files.
    """
    with overlay(command.root, replaced, command.scratch) as copy:
        there = moved(command, copy)
        in_copy = partial(
            run_pytest, there, select=select, replaced=replaced, original=command.root, stop=stop
        )
        run = in_copy(programs=programs)
        unproved = [str(path) for path in replaced if str(path) not in run.overlaid]
        if unproved and run.spawned and not programs and run.exit_code is not None:
            loaded = in_copy(programs=True).overlaid
            run = replace(run, overlaid=run.overlaid | loaded)
            unproved = [path for path in unproved if path not in loaded]
    if unproved and run.exit_code is not None:
        raise OverlayUnusable(f"the tests in a copy did not import its {', '.join(unproved)}")
    return run


def left_out(folder: str, names: list[str]) -> set[str]:
    """Return which of the names in a folder of the project no copy of it needs."""
    return {name for name in names if name in _CACHES | _FOREIGN or _is_odd(Path(folder, name))}


def _is_odd(path: Path) -> bool:
    """Whether it is a virtual environment, a socket or a pipe."""
    mode = path.lstat().st_mode
    if stat.S_ISDIR(mode):
        return (path / "pyvenv.cfg").exists()
    return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode))


def _copy_repository(git: Path, copy: Path) -> None:
    def copy_or_link(source: str, target: str) -> None:
        if Path(source).is_relative_to(git / "objects"):
            with suppress(OSError):
                os.link(source, target)
                return
        shutil.copy2(source, target)

    shutil.copytree(git, copy, symlinks=True, copy_function=copy_or_link)


def _turn_links(root: Path, copy: Path) -> None:
    """Let links of the copy that lead back to the project lead to the same place in the copy."""
    here, there = os.path.realpath(root), os.path.realpath(copy)
    for folder, folders, files in os.walk(copy):
        for link in (Path(folder, name) for name in (*folders, *files)):
            if not link.is_symlink():
                continue
            target = Path(os.path.realpath(link))
            if target.is_relative_to(here) and not target.is_relative_to(there):
                link.unlink()
                link.symlink_to(there / target.relative_to(here))


def moved(command: PytestCommand, copy: Path) -> PytestCommand:
    """Turn the command to the copy: paths in its arguments, and what it imports from the root."""
    here = re.compile(re.escape(str(command.root)) + r"(?=[/\\:;,]|$)")
    args = tuple(here.sub(str(copy), arg) for arg in command.args)
    paths = [path for path in _import_paths(command, copy) if (copy / path).exists()]
    kept = here.sub(str(copy), {**os.environ, **command.env}.get("PYTHONPATH", ""))
    first = os.pathsep.join([*(str(copy / path) for path in paths), *filter(None, [kept])])
    env = {**command.env, "PYTHONPATH": first} if first else command.env
    return replace(command, root=copy, args=args, env=env)


def _import_paths(command: PytestCommand, folder: Path) -> list[Path]:
    """Where in the project its interpreter imports from by itself: editable installs."""
    ask = [str(command.python), "-c", _ASK]
    env = {**os.environ, **command.env}
    ask = launch.confined(command, ask, command.scratch or folder.parent, env)
    shown = subprocess.run(ask, cwd=folder, env=env, capture_output=True, check=False)
    try:
        paths = [Path(path) for path in json.loads(shown.stdout)]
    except ValueError:
        return []
    inside = [path.relative_to(command.root) for path in paths if path.is_relative_to(command.root)]
    return [path for path in inside if "site-packages" not in path.parts]
