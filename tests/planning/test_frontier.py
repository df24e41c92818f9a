"""Which small edits come first, and how few are made for that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from selfdebug.codemods._base import Repair, Variant
from selfdebug.codemods._first_order import FirstOrder, Place
from selfdebug.codemods._forms import Form
from selfdebug.model import Site, Span
from selfdebug.planning.frontier import frontier
from selfdebug.syntax.project import Project

FILE = Path("/nowhere/project/shop.py")
PROJECT = Project(FILE.parent, (), {FILE: b"total = price\n"})
asked: list[tuple[str, float]] = []


class _Puts(FirstOrder):
    """Puts the names of its variants in the place of a name."""

    @classmethod
    def repairs(cls, site: Site, project: Project) -> Iterator[Repair]:
        asked.append((cls.NAME, site.suspicion))
        for variant in cls.VARIANTS:
            edit = project.read(site.file).edit(8, 13, variant.name)
            yield Repair(variant, (edit,), "")

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:  # noqa: ARG003 - has its own repairs
        yield from ()


class Likely(_Puts):
    NAME = "likely"
    VARIANTS: ClassVar = (
        Variant("seldom", "root-cause", "", prior=0.01, explains=("order",)),
        Variant("often", "root-cause", "", prior=0.4),
    )


class Unlikely(_Puts):
    NAME = "unlikely"
    VARIANTS: ClassVar = (Variant("rare", "root-cause", "", prior=0.001, explains=("order",)),)


def edits(*suspicions: float, shapes: frozenset[str] = frozenset()) -> Iterator[str]:
    asked.clear()
    sites = [
        Site(FILE, Span(1, 0, 1, 13), "", "", "", "", suspicion=each, shapes=shapes)
        for each in suspicions
    ]
    found = frontier(sites, (Likely, Unlikely), PROJECT, pytest.fail)
    return (f"{each.variant} at {each.site.suspicion}" for each in found)


def test_the_likelier_edit_of_the_more_suspicious_statement_comes_first() -> None:
    assert [*edits(1.0, 0.5)] == [
        *("often at 1.0", "often at 0.5"),
        *("seldom at 1.0", "seldom at 0.5", "rare at 1.0", "rare at 0.5"),
    ]


def test_what_explains_the_wrong_result_is_likelier() -> None:
    order = [*edits(1.0, 0.2, shapes=frozenset(("order",)))]
    assert order[:3] == ["often at 1.0", "seldom at 1.0", "often at 0.2"]


def test_no_codemod_looks_at_a_statement_before_its_turn() -> None:
    found = edits(1.0, 0.1)
    assert [next(found), next(found)] == ["often at 1.0", "seldom at 1.0"]
    assert asked == [("likely", 1.0)]
    assert next(found) == "often at 0.1"
    assert asked == [("likely", 1.0), ("likely", 0.1)]


class Importing(_Puts):
    """Puts a name that has to be imported."""

    NAME = "importing"
    VARIANTS: ClassVar = (Variant("import a", "root-cause", "", prior=0.4),)


def test_what_nobody_imported_is_less_likely() -> None:
    site = Site(FILE, Span(1, 0, 1, 13), "", "", "", "", suspicion=1.0)
    order = [each.variant for each in frontier([site], (Importing, Likely), PROJECT, pytest.fail)]
    assert order == ["often", "import a", "seldom"]


class Failing(Likely):
    """Fails once it has made an edit."""

    NAME = "failing"

    @classmethod
    def repairs(cls, site: Site, project: Project) -> Iterator[Repair]:
        yield next(super().repairs(site, project))
        raise AssertionError("a node of another kind")


def test_a_codemod_that_fails_is_told_of_and_the_others_are_asked() -> None:
    site = Site(FILE, Span(1, 0, 1, 13), "", "", "", "", suspicion=1.0)
    told: list[str] = []
    found = frontier([site], (Failing, Unlikely), PROJECT, told.append)
    assert [(each.codemod, each.variant) for each in found] == [
        ("failing", "seldom"),
        ("unlikely", "rare"),
    ]
    (why,) = told
    assert why.startswith("the codemod failing failed at shop.py:1; please report it: ")
    assert why.endswith("AssertionError('a node of another kind')")
