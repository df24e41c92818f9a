"""The catalogue: one file, one class, one kind of repair.

The folder is the registry: ``null_guard.py`` holds ``NullGuard``, and ``selfdebug.codemods.NullGuard``
is that codemod as a command of ``libcst.tool``. Other distributions add theirs through the entry point
group ``selfdebug.codemods``, each entry naming a subclass of ``Codemod``.
Files that begin with an underscore are what the codemods share.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selfdebug.codemods._base import Codemod
    from selfdebug.codemods._command import Command

GROUP = "selfdebug.codemods"
_FILES = {
    "".join(word.title() for word in path.stem.split("_")): path.stem
    for path in sorted(Path(__file__).parent.glob("[!_]*.py"))
}
__all__ = list(_FILES)


def __getattr__(name: str) -> Any:
    if name not in _FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _as_command(name)


@cache  # one class each: libcst.tool sends commands to other processes by their names
def _as_command(name: str) -> type[Command]:
    return own(name).command()


def own(name: str) -> type[Codemod]:
    """Return one of ours by the name of its class."""
    found: type[Codemod] = getattr(import_module(f"{__name__}.{_FILES[name]}"), name)
    return found


@cache
def catalogue() -> tuple[type[Codemod], ...]:
    """Return all codemods, ours in the order of their names, then those of other distributions.

    Raises ValueError where two have the same name.
    """
    found = (*map(own, _FILES), *of_others())
    distinct(codemod.NAME for codemod in found)
    return found


def distinct(names: Iterable[str]) -> None:
    """Raise ValueError where two codemods have the same name."""
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(f"two codemods are named {', '.join(sorted(twice))}")


def of_others() -> Iterator[type[Codemod]]:
    """Yield what other distributions add.

    ``importlib.metadata`` takes long to import, so whether any adds something is looked up before.
    """
    if any(GROUP in text for folder in sys.path for text in _entry_points(Path(folder))):
        from importlib.metadata import entry_points

        for entry in entry_points(group=GROUP):
            yield entry.load()


def _entry_points(folder: Path) -> Iterator[str]:
    """Yield what the distributions installed in a folder say that they offer."""
    if folder.suffix == ".egg" or folder.is_file():
        yield GROUP  # an archive, or of a form of its own: it may
    for kind in ("dist-info", "egg-info"):
        for file in folder.glob(f"*.{kind}/entry_points.txt"):
            with suppress(OSError, UnicodeDecodeError):
                yield file.read_text(encoding="utf-8")
