"""Flags and ``[tool.selfdebug]`` of the project's pyproject.toml, as one frozen value; a flag wins."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_args

from selfdebug.model import Kind

if sys.version_info >= (3, 11):
    from tomllib import loads as toml
else:
    from tomli import loads as toml


__all__ = ["BadSettings", "Settings", "load", "toml"]


_EXECUTOR = re.compile(r"dask://([^\s/:@?#]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}/?")


class BadSettings(Exception):
    """A setting that does not exist, or a value that it cannot have. The message names both."""


@dataclass(frozen=True)
class Settings:
    """What one run was asked to do.

    ``timeout`` is in seconds, for one run of the tests; ``search_seconds`` for all trials together. A
    test that takes ``test_timeout``, and far longer than all others, is taken to hang.
    """

    root: Path
    nodes: tuple[str, ...] = ()
    max_attempts: int = 4
    max_candidates: int = 10_000
    search_seconds: float = 60.0
    dry_run: bool = False
    backup_dir: Path | None = None
    timeout: float = 600.0
    test_timeout: float = 20.0
    python: Path = Path(sys.executable)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    probe: bool = True
    jobs: int = 1
    executor: str | None = None
    require: Kind = "default"
    siblings: bool = False
    sandbox: bool = False
    pytest_args: tuple[str, ...] = ()


def load(root: Path, flags: Mapping[str, Any]) -> Settings:
    """Join the project's settings with the flags that were given; None stands for not given.

    Raises BadSettings.
    """
    root = root.resolve()
    if not root.is_dir():
        raise BadSettings(f"--root {root} is not a directory")
    known = {field.name for field in fields(Settings)}
    given = {name: value for name, value in flags.items() if name in known and value is not None}
    settings = Settings(root, **(_project_settings(root) | given))
    if len(settings.python.parts) > 1:
        # Runs start in other folders too. A link is kept: it leads to the environment.
        settings = replace(settings, python=settings.python.absolute())
    _check(settings)
    return settings


_MOST_JOBS = 256  # processes
_LONGEST = 1e6  # seconds


def _check(settings: Settings) -> None:
    """Raise BadSettings where a value is none that it can have."""
    if settings.max_attempts < 1:
        raise BadSettings(f"max-attempts must be at least 1, not {settings.max_attempts}")
    if settings.max_candidates < 1:
        raise BadSettings(f"max-candidates must be at least 1, not {settings.max_candidates}")
    if not 1 <= settings.jobs <= _MOST_JOBS:
        raise BadSettings(f"jobs must be 1 to {_MOST_JOBS}, not {settings.jobs}")
    if settings.require not in get_args(Kind):
        kinds = ", ".join(get_args(Kind))
        raise BadSettings(f"require must be one of {kinds}, not {settings.require!r}")
    if settings.executor is not None and not _EXECUTOR.fullmatch(settings.executor):
        raise BadSettings(f"executor must be dask://HOST:PORT, not {settings.executor!r}")
    if settings.executor is not None and settings.sandbox:
        raise BadSettings("sandbox and executor exclude each other: workers have no sandbox")
    _check_limits_and_words(settings)


def _check_limits_and_words(settings: Settings) -> None:
    for name in ("timeout", "test_timeout", "search_seconds"):
        seconds = getattr(settings, name)
        if not 0 < seconds <= _LONGEST:  # nor is NaN
            shown = name.replace("_", "-")
            raise BadSettings(f"{shown} must be 0 to {_LONGEST:.0f} seconds, not {seconds:g}")
    for word in (*settings.pytest_args, *settings.nodes, str(settings.python)):
        if "\0" in word:
            raise BadSettings(f"{word!r} has a NUL character, which no command line can have")


def _project_settings(root: Path) -> dict[str, Any]:
    path = root / "pyproject.toml"
    try:
        table = toml(path.read_text("utf-8")).get("tool", {}).get("selfdebug", {})
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadSettings(f"{path} cannot be read: {error}") from error
    return {
        name.replace("-", "_"): _converted(path, name, value, root) for name, value in table.items()
    }


def _converted(path: Path, name: str, value: object, root: Path) -> object:
    """Return a value of the table as Settings holds it."""
    kind = _KINDS.get(name)
    if kind is None:
        raise BadSettings(
            f"{path}: [tool.selfdebug] has no setting {name!r}; it has {', '.join(sorted(_KINDS))}"
        )
    if not kind.fits(value):
        raise BadSettings(f"{path}: [tool.selfdebug] {name} = {value!r} is not {kind.words}")
    return kind.convert(root, value)


@dataclass(frozen=True)
class _Kind:
    words: str
    fits: Callable[[object], bool]
    convert: Callable[[Path, Any], object] = lambda _, value: value


# A bool is an int to Python, but not to a person who writes a setting: types are compared exactly.
_WHOLE = _Kind("a whole number", lambda value: type(value) is int)
_NUMBER = _Kind("a number", lambda value: type(value) in (int, float), lambda _, v: float(v))
_FLAG = _Kind("true or false", lambda value: type(value) is bool)
_WORD = _Kind("a string", lambda value: type(value) is str)
_PATH = _Kind("a path", lambda value: type(value) is str, lambda root, value: root / value)
_WORDS = _Kind(
    "a list of strings",
    lambda value: isinstance(value, list) and all(type(word) is str for word in value),
    lambda _, value: tuple(value),
)
_REPAIR = _Kind(f"one of {', '.join(get_args(Kind))}", lambda value: value in get_args(Kind))
_KINDS = {
    "require": _REPAIR,
    "siblings": _FLAG,
    "sandbox": _FLAG,
    "max-attempts": _WHOLE,
    "max-candidates": _WHOLE,
    "search-seconds": _NUMBER,
    "dry-run": _FLAG,
    "backup-dir": _PATH,
    "timeout": _NUMBER,
    "test-timeout": _NUMBER,
    "python": _PATH,
    "select": _WORDS,
    "ignore": _WORDS,
    "probe": _FLAG,
    "jobs": _WHOLE,
    "executor": _WORD,
    "nodes": _WORDS,
    "pytest-args": _WORDS,
}
