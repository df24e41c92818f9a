"""The code of dataclasses' methods, kept from one process to the next.

``dataclasses`` compiles the source of these methods anew whenever a class is made. For the two hundred
of libcst and ours that takes as long as everything else that we import.
"""

from __future__ import annotations

import dataclasses
import marshal
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from typing import Any

from selfdebug.workspace import atomic, disk

_MOST = (
    4 * 1024**2
)  # bytes of a file before one begins anew: what older versions used is in it, too


@contextmanager
def kept(folder: Path | None) -> Iterator[None]:
    """Within the block, let dataclasses take their code from a file in the folder, and add to it.

    The folder is of this user alone; None keeps nothing. A source is looked up by all of its text, so
    what is found is what compiling it would give.
    """
    if folder is None:
        yield
        return
    file = folder / f"dataclasses-{MAGIC_NUMBER.hex()}"
    known = _load(file)
    new: dict[str, CodeType] = {}

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
        if new:
            _save(file, known, new)


def _load(file: Path) -> Mapping[str, CodeType]:
    try:
        known = marshal.loads(file.read_bytes())
    except (OSError, EOFError, ValueError, TypeError):
        return {}
    return known if isinstance(known, dict) else {}


def _save(file: Path, known: Mapping[str, CodeType], new: Mapping[str, CodeType]) -> None:
    data = marshal.dumps({**known, **new})
    if len(data) > _MOST:
        data = marshal.dumps(dict(new))
    temporary = file.with_name(f"{file.name}-{secrets.token_hex(8)}")
    with suppress(OSError):  # then the next process compiles it again
        atomic.save(temporary, data)
        disk.replace(temporary, file)
