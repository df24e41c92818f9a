"""The code of dataclasses' methods and of patterns, kept from one process to the next.

``dataclasses`` compiles the source of these methods anew whenever a class is made, and ``re`` its
patterns. For the hundreds of libcst and ours that takes as long as everything else that we import.
"""

from __future__ import annotations

import dataclasses
import marshal
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Any, TypeAlias

from selfdebug.workspace import atomic

_MOST = 4 * 1024**2  # bytes of a file before one begins anew: older versions used it, too

# A source, or a pattern with its flags; and its code, or what the module in C makes the pattern of.
_Key: TypeAlias = str | tuple[str | bytes, int]
_Table: TypeAlias = dict[_Key, Any]


@contextmanager
def kept(folder: Path | None) -> Iterator[None]:
    """Within the block, let dataclasses and re take code from a file in the folder, and add to it.

    The folder is of this user alone; None keeps nothing. A source is looked up by all of its text, so
    what is found is what compiling it would give.
    """
    if folder is None:
        yield
        return
    file = folder / f"compiled-{_version()}"
    known = _load(file)
    new: _Table = {}
    try:
        with _methods(known, new), _patterns(known, new):
            yield
    finally:
        if new:
            _save(file, known, new)


@contextmanager
def _methods(known: Mapping[_Key, Any], new: _Table) -> Iterator[None]:
    def execute(source: str, *namespaces: Any) -> None:
        code = known.get(source) or new.get(source)
        if code is None:
            code = new[source] = compile(source, "<string>", "exec", dont_inherit=True)
        exec(code, *namespaces)

    # A global of that module comes before the builtin that it calls.
    vars(dataclasses)["exec"] = execute
    try:
        yield
    finally:
        del vars(dataclasses)["exec"]


@contextmanager
def _patterns(known: Mapping[_Key, Any], new: _Table) -> Iterator[None]:
    names = vars(sys.modules.get("re._compiler") or sys.modules["sre_compile"])
    compiled, made = names["compile"], names["_sre"]
    noting = _Noting(made)

    def compile_(pattern: Any, flags: int = 0) -> Any:
        if type(pattern) not in (str, bytes) or flags & re.DEBUG:
            return compiled(pattern, flags)
        key = pattern, int(flags)
        given = known.get(key) or new.get(key)
        if given is not None:
            return made.compile(*given)
        found = compiled(pattern, flags)
        new[key] = noting.given[found]
        return found

    names.update(compile=compile_, _sre=noting)
    try:
        yield
    finally:
        names.update(compile=compiled, _sre=made)


class _Noting:
    """The module in C that makes patterns, and what it made each of."""

    def __init__(self, made: Any) -> None:
        self._made = made
        self.given: dict[re.Pattern[Any], tuple[object, ...]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)

    def compile(self, pattern: Any, flags: int, code: list[int], *more: Any) -> Any:
        found = self._made.compile(pattern, flags, code, *more)
        # Some of the numbers have names, and are nothing that ``marshal`` writes.
        self.given[found] = (pattern, int(flags), [*map(int, code)], *more)
        return found


def _version() -> str:
    """Name what code looks like here: other interpreters have other files."""
    made: Any = sys.modules["_sre"]
    return f"{MAGIC_NUMBER.hex()}-{made.MAGIC}-{made.CODESIZE}"


def _load(file: Path) -> Mapping[_Key, Any]:
    try:
        known = marshal.loads(file.read_bytes())
    except (OSError, EOFError, ValueError, TypeError):
        return {}
    return known if isinstance(known, dict) else {}


def _save(file: Path, known: Mapping[_Key, Any], new: _Table) -> None:
    data = marshal.dumps({**known, **new})
    if len(data) > _MOST:
        data = marshal.dumps(dict(new))
    with suppress(OSError):  # then the next process compiles it again
        atomic.renew(file, data)
