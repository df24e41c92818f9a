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
    "GIT_LITERAL_PATHSPECS": "1",
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
    """Git is not there, or did not do what it was asked. The message is git's own last line."""


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
        raise GitFailed(lines[-1] if lines else f"git {arguments[0]} ended with {done.returncode}")
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
    return any(_ignores(folder, path) for folder in (root, path.parent)) and not is_ignored(root)


def is_ignored(root: Path) -> bool:
    """Say whether the repository around a tree ignores all of it."""
    try:
        prefix = run(root, "rev-parse", "--show-prefix").strip()
    except GitFailed:
        return False
    return bool(prefix) and _ignores(root.parent, root)


def _ignores(folder: Path, path: Path) -> bool:
    try:
        run(folder, "check-ignore", "--quiet", "--", str(path))
    except GitFailed:
        return False
    return True
