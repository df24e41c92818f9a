"""Inputs of simple types, made by hypothesis where it is installed (the extra ``hypothesis``).

They are the same in every run: nothing is random, and no example is remembered.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_EXAMPLES = 10  # of each type
_LONGEST = 5  # items of a container, or characters


@cache
def generated(scratch: Path | None = None) -> Mapping[str, tuple[str, ...]]:
    """Return literals by the type that they have, as ``list[int]``; none without hypothesis.

    A process of its own makes them, in a folder of its own below ``scratch``: hypothesis keeps what it
    learns of the modules around it in ``.hypothesis``, and where we run is the user's project.
    """
    found = find_spec("hypothesis")
    if found is None or found.origin is None:
        return {}
    with TemporaryDirectory(prefix="inputs-", dir=scratch, ignore_cleanup_errors=True) as folder:
        # The user's project may be on our path, with modules of the standard library's names.
        path = f"{Path(__file__).parents[2]}{os.pathsep}{Path(found.origin).parents[1]}"
        made = subprocess.run(
            [sys.executable, "-m", __name__],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path, "HYPOTHESIS_STORAGE_DIRECTORY": folder},
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    if made.returncode != 0:
        return {}
    return {name: tuple(texts) for name, texts in json.loads(made.stdout).items()}


def _strategies() -> Iterator[tuple[str, SearchStrategy[Any]]]:
    from hypothesis import strategies as st

    plain: dict[str, SearchStrategy[Any]] = {
        "int": st.integers(-1000, 1000),
        "float": st.floats(-1000, 1000, width=16),
        "str": st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=_LONGEST),
        "bool": st.booleans(),
    }
    yield from plain.items()
    for name, items in plain.items():
        listed = st.lists(items, max_size=_LONGEST)
        yield f"list[{name}]", listed
        yield f"tuple[{name}]", listed.map(tuple)
        yield f"dict[str, {name}]", st.dictionaries(plain["str"], items, max_size=_LONGEST)


def _examples(strategy: SearchStrategy[Any]) -> tuple[str, ...]:
    from hypothesis import HealthCheck, Phase, given, settings

    found: dict[str, None] = {}

    @settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=_EXAMPLES,
        phases=(Phase.generate,),
        suppress_health_check=tuple(HealthCheck),
    )
    @given(strategy)
    def note(value: object) -> None:
        found[repr(value)] = None

    note()
    return tuple(found)


if __name__ == "__main__":
    json.dump({name: _examples(strategy) for name, strategy in _strategies()}, sys.stdout)
