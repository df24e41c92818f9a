"""A handler further out than the function that failed."""

from __future__ import annotations

from selfdebug.codemods.widen_except import WidenExcept
from selfdebug.localization.localize import localize
from selfdebug.model import Failure, Frame, Raised
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import apply
from tests.codemods.examples import ROOT

INNER = b"def number(row):\n    return int(row['n'])\n"
OUTER = b"""from rows import number

def load(rows):
    try:
        return [number(row) for row in rows]
    except ValueError:
        return []
"""
TEST = b"""from load import load

def test_load():
    try:
        assert load([{}]) == []
    except ValueError:
        raise
"""
FRAMES = (("test_load.py", 5), ("load.py", 5), ("rows.py", 2))


def healed(outer: bytes) -> dict[str, tuple[str, bytes]]:
    contents = {"rows.py": INNER, "load.py": outer, "test_load.py": TEST}
    project = Project(ROOT, (), {ROOT / name: data for name, data in contents.items()})
    frames = tuple(Frame(str(ROOT / name), line) for name, line in FRAMES)
    failure = Failure("test_load.py::test_load", "call", Raised("KeyError", "'n'", frames))
    (site, *_) = localize(failure, project).sites
    return {
        edit.file.name: (repair.variant.name, apply(contents[edit.file.name], repair.edits))
        for repair in WidenExcept.repairs(site, project)
        for edit in repair.edits
    }


def test_a_caller_that_expects_bad_rows_expects_these_too() -> None:
    after = OUTER.replace(b"except ValueError", b"except (ValueError, KeyError)")
    assert healed(OUTER) == {"load.py": ("further-out", after)}


def test_a_test_is_never_widened() -> None:
    assert healed(OUTER.replace(b"ValueError", b"FileNotFoundError")) == {}
