"""Which module of the standard library has a name, as far as people import names from it.

The modules are those that https://docs.python.org/3/library lists and that cost little to import;
their ``__all__``, or what they define themselves, says what they have.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

_MODULES = (
    *(
        "collections",
        "collections.abc",
        "typing",
        "dataclasses",
        "datetime",
        "pathlib",
        "functools",
    ),
    *("itertools", "decimal", "enum", "abc", "contextlib", "math", "random", "copy", "time", "re"),
    *(
        "json",
        "os",
        "os.path",
        "sys",
        "io",
        "textwrap",
        "statistics",
        "fractions",
        "heapq",
        "bisect",
    ),
    *("string", "uuid", "hashlib", "base64", "logging", "tempfile", "shutil", "subprocess", "glob"),
    *("threading", "queue", "concurrent.futures", "urllib.parse", "html", "types", "warnings"),
    *("inspect", "struct", "secrets", "hmac", "zoneinfo", "pprint", "operator", "calendar", "csv"),
    *(
        "traceback",
        "weakref",
        "fnmatch",
        "getpass",
        "platform",
        "shlex",
        "signal",
        "socket",
        "zlib",
    ),
)
_ACTS_WHEN_IMPORTED = frozenset(
    ("antigravity", "this", "idlelib", "turtle", "turtledemo", "tkinter")
)
_TOO_PLAIN = frozenset(
    (
        *(
            "e",
            "add",
            "sub",
            "mul",
            "index",
            "name",
            "path",
            "sep",
            "open",
            "link",
            "read",
            "write",
        ),
        *(
            "pos",
            "neg",
            "and_",
            "or_",
            "not_",
            "lt",
            "le",
            "eq",
            "ne",
            "gt",
            "ge",
            "environ",
            "error",
        ),
        *(
            "count",
            "concat",
            "contains",
            "call",
            "stat",
            "system",
            "remove",
            "rename",
            "mod",
            "pow",
        ),
    )
)
"""Names that a file is likelier to have misspelt or lost than to mean from the library."""


def library_module(name: str) -> ModuleType | None:
    """Return a module of the standard library; None where there is none or it acts when imported."""
    top = name.partition(".")[0]
    if top not in sys.stdlib_module_names or top in _ACTS_WHEN_IMPORTED or top.startswith("_"):
        return None
    try:
        return import_module(name) if find_spec(name) else None
    except (ImportError, ValueError):
        return None


def library_object(full: str) -> object | None:
    """Return what a dotted name stands for in the standard library: a class, a function; or None."""
    parts = full.split(".")
    for size in range(len(parts) - 1, 0, -1):
        value: object = library_module(".".join(parts[:size]))
        if value is not None:
            for part in parts[size:]:
                value = getattr(value, part, None)
            return value
    return None


def modules_with(name: str, preferred: Iterable[str] = ()) -> Iterator[str]:
    """Yield the modules of the standard library that have a name, ``preferred`` ones first."""
    if name in _TOO_PLAIN or name.startswith("_"):
        return
    seen: set[int] = set()
    first = [each for each in preferred if each in _MODULES]
    for module in dict.fromkeys((*first, *_MODULES)):
        if name in _public(module) and (loaded := library_module(module)) is not None:
            value = id(getattr(loaded, name))
            if value not in seen:
                seen.add(value)
                yield module


@cache
def _public(module: str) -> frozenset[str]:
    loaded = library_module(module)
    if loaded is None:
        return frozenset()
    listed = getattr(loaded, "__all__", None)
    if listed is not None:
        return frozenset(listed)
    own = (name for name in dir(loaded) if not name.startswith("_"))
    return frozenset(name for name in own if not isinstance(getattr(loaded, name), ModuleType))
