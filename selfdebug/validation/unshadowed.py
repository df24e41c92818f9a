"""Import a plugin of ours with the standard library's modules, whatever the project calls its own.

``python -m pytest`` looks for modules in the project first, and what pytest needs may be the project's
already. A module of the library that only we need is taken out of ``sys.modules`` again where the
project has one of that name, which it then gets.
One file, standard library only, from Python 3.7 on.
"""

# Whatever else is imported could be the project's.
# ruff: noqa: PTH113, PTH118, PTH120

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import ModuleType

_OURS = os.path.dirname(os.path.realpath(__file__))


@contextmanager
def unshadowed() -> Iterator[None]:
    """Let the block import what is not the project's."""
    root = os.path.join(os.path.realpath(os.environ.get("SELFDEBUG_ROOT") or os.curdir), "")
    path, own = sys.path[:], _loaded(root)
    sys.path[:] = [each for each in path if not _is_of_project(each, root)]
    for name in own:
        del sys.modules[name]
    loaded = {*sys.modules}
    try:
        yield
    finally:
        sys.path[:] = path
        new = {name.partition(".")[0] for name in {*sys.modules} - loaded}
        shadowed = {name for name in new if any(_has(folder, name) for folder in _folders(root))}
        for name in [*sys.modules]:
            if name not in loaded and name.partition(".")[0] in shadowed:
                del sys.modules[name]
        sys.modules.update(own)


def _loaded(root: str) -> dict[str, ModuleType]:
    """The project's modules that are loaded already."""
    found = {}
    for name, module in [*sys.modules.items()]:
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.startswith(root) and _is_of_project(file, root):
            found[name] = module
    return found


def _is_of_project(entry: str, root: str) -> bool:
    """Whether a folder or file is the project's own: of no environment that stands in it."""
    real = os.path.join(os.path.realpath(entry), "")
    others = [
        os.path.join(os.path.realpath(each), "") for each in (_OURS, sys.prefix, sys.base_prefix)
    ]
    inside = [each for each in others if each.startswith(root)]
    return real.startswith(root) and not real.startswith(tuple(inside))


def _folders(root: str) -> Iterator[str]:
    """Yield the folders from which tests import: the root, and those in it."""
    yield root
    with suppress(OSError), os.scandir(root) as entries:
        yield from (each.path for each in entries if each.name[:1] != "." and each.is_dir())


def _has(folder: str, name: str) -> bool:
    """Whether a folder has a module or a package of that name."""
    files = name + ".py", os.path.join(name, "__init__.py")
    return any(os.path.isfile(os.path.join(folder, each)) for each in files)
