"""Edits that compile to the same code are one edit."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

from selfdebug.planning.sameness import meaning
from selfdebug.syntax.project import Project

ROOT = Path("/nowhere/project")
FILE = ROOT / "shop.py"
TEXT = """\
LIMIT = 10


def total(items):
    amount = 0
    for item in items:
        amount = amount + item
    return amount
"""


def of(old: str, new: str, line: int = 7) -> Hashable:
    project = Project(ROOT, (), {FILE: TEXT.encode()})
    assert old in TEXT
    return meaning({FILE: TEXT.replace(old, new).encode()}, line, project)


def test_other_code_is_told_apart() -> None:
    made = [of("amount + item", new) for new in ("amount - item", "item + amount", "amount * item")]
    assert None not in made
    assert len(set(made)) == 3


def test_layout_is_no_difference() -> None:
    assert of("amount + item", "item+amount") == of("amount + item", "(item\n        + amount)")


def test_what_changes_nothing_that_runs_is_no_edit() -> None:
    assert of("amount + item", "(amount + item)  # all") is None


def test_an_edit_beside_one_of_another_file_is_told_by_its_own_file() -> None:
    other = ROOT / "tags.py"
    project = Project(ROOT, (), {FILE: TEXT.encode(), other: b"SIZE = 2\n"})
    new = TEXT.replace("amount + item", "amount - item").encode()
    assert meaning({FILE: new, other: b"SIZE = 2\n"}, 7, project) == meaning(
        {FILE: new}, 7, project
    )
    assert meaning({FILE: TEXT.encode(), other: b"SIZE = 2\n"}, 7, project) is None


def test_true_is_not_one() -> None:
    assert of("amount = 0", "amount = False", 5) not in (None, of("amount = 0", "amount = 0.0", 5))


def test_what_does_not_compile_is_no_edit() -> None:
    assert of("amount + item", "amount +") is None


def test_a_statement_of_the_module() -> None:
    assert of("LIMIT = 10", "LIMIT = 11", 1) not in (None, of("LIMIT = 10", "LIMIT = 9", 1))


def test_edits_in_two_places() -> None:
    both = TEXT.replace("LIMIT = 10", "LIMIT = 11").replace("amount + item", "amount - item")
    project = Project(ROOT, (), {FILE: TEXT.encode()})
    assert meaning({FILE: both.encode()}, 7, project) not in (
        None,
        of("amount + item", "amount - item"),
    )
