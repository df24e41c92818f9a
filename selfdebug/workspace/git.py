"""Git as a quiet tool: no hooks, no prompts, no inherited repository, no locks on the user's index."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from selfdebug.workspace import disk

_KEPT = {"GIT_CEILING_DIRECTORIES", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_AUTHOR_NAME": "selfdebug",
    "GIT_AUTHOR_EMAIL": "selfdebug@localhost",
    "GIT_COMMITTER_NAME": "selfdebug",
    "GIT_COMMITTER_EMAIL": "selfdebug@localhost",
    "LC_ALL": "C",
}
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.splitIndex": "false",
    "core.safecrlf": "false",
    "core.logAllRefUpdates": "false",
    "core.fsync": "committed,loose-object",  # a ref to an object lost in a crash would break `git gc`
    "core.fsyncObjectFiles": "true",  # the same, before git 2.36
    "core.fsyncMethod": "batch",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
_ARGUMENTS = [part for key, value in _SETTINGS.items() for part in ("-c", f"{key}={value}")]


class GitFailed(Exception):
    """Git is not there, or did not do what it was asked. The message is git's own last line.

    ``status`` is its exit status, None where it did not run to its end.
    """

    def __init__(self, message: str, status: int | None = None):
        self.status = status
        super().__init__(message)


def run(
    cwd: Path, *arguments: str, data: bytes = b"", index: Path | None = None, seconds: float = 60
) -> bytes:
    """Run git in a folder and return its standard output. Raises GitFailed.

    With ``index``, that file stands in for the repository's own index.
    """
    program = shutil.which("git")
    if program is None:
        raise GitFailed("git is not installed")
    env = _environment() | ({"GIT_INDEX_FILE": str(index)} if index else {})
    try:
        done = disk.execute([program, *_ARGUMENTS, *arguments], cwd, env, data, seconds)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitFailed(str(error)) from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        said = lines[-1] if lines else f"git {arguments[0]} ended with {done.returncode}"
        raise GitFailed(said, done.returncode)
    return done.stdout


def _environment() -> dict[str, str]:
    """Return our environment without the variables that point git at another repository."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _KEPT
    }
    return inherited | _ENVIRONMENT


def ignored(root: Path, path: Path) -> bool:
    """Say whether git ignores a file. A tree that an outer repository ignores whole counts as none."""
    answer = _ignores(root, path)
    if answer is None:  # in a submodule, which answers for itself
        answer = _ignores(path.parent, path)
    return bool(answer) and not _ignores_all(root)


def inside(root: Path) -> tuple[str, Path]:
    """Return a tree's place in its repository ("" for all of it, else "sub/") and the index file.

    Raises GitFailed where there is no work tree, or one that ignores this tree.
    """
    options = ("--is-inside-work-tree", "--show-prefix", "--git-path", "index")
    answer, *rest = run(root, "rev-parse", *options).splitlines()
    if answer != b"true" or len(rest) != 2:
        raise GitFailed("not in a work tree")
    prefix, index = map(os.fsdecode, rest)
    if prefix and _ignores(root.parent, root):
        raise GitFailed("the repository around it ignores this tree")
    return prefix, root / index


def _ignores_all(root: Path) -> bool:
    try:
        inside(root)
    except GitFailed:
        return True
    return False


def _ignores(folder: Path, path: Path) -> bool | None:
    """Return git's answer; None where it has none."""
    try:
        run(folder, "check-ignore", "--quiet", "--", str(path))
    except GitFailed as error:
        return False if error.status == 1 else None
    return True
