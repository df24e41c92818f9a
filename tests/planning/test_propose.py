"""From sites to candidates: which come first, and which are never tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from selfdebug.codemods._base import Answer, Codemod, Repair, Rewrite, Target, Variant
from selfdebug.model import Site, Span
from selfdebug.planning.propose import Plan, propose
from selfdebug.syntax.project import Project

ROOT = Path("/nowhere/project")
FILE = ROOT / "shop.py"
TEXT = "total = price\n"
SITE = Site(FILE, Span(1, 8, 1, 13), "Name", "price", "NameError", "")


class _Spells(Codemod):
    """Puts given texts in the place of the site, in the order given."""

    ANSWERS = (Answer(("NameError",)),)
    TEXTS: ClassVar[dict[Variant, str]] = {}

    @classmethod
    def repairs(cls, site: Site, project: Project) -> Iterator[Repair]:
        source = project.read(site.file)
        for variant, text in cls.TEXTS.items():
            yield Repair(variant, (source.edit(8, 13, text),), "")

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:  # noqa: ARG003 - has its own repairs
        yield from ()


def plan(*codemods: type[Codemod], sites: tuple[Site, ...] = (SITE,)) -> Plan:
    return propose(sites, codemods, Project(ROOT, (), {FILE: TEXT.encode()}), ("checks.py::test",))


def texts(found: Plan) -> list[str]:
    return [candidate.edits[0].after.decode() for candidate in found.candidates]


GUARD, CAUSE = Variant("guard", "guard", ""), Variant("cause", "root-cause", "")


class Long(_Spells):
    NAME = "long"
    TEXTS: ClassVar = {GUARD: "price if price else 0", CAUSE: "cost"}


class Short(_Spells):
    NAME = "short"
    TEXTS: ClassVar = {Variant("sure", "guard", "", prior=0.4): "cast", GUARD: "case"}


def test_the_likelier_template_comes_first_then_the_smaller_edit() -> None:
    assert texts(plan(Long, Short)) == ["cost", "cast", "case", "price if price else 0"]


class Preferring(_Spells):
    NAME = "preferring"
    TEXTS: ClassVar = {GUARD: "a.b.c.d.e.f", Variant("other", "guard", ""): "g"}


def test_a_codemods_own_order_of_a_kind_stays() -> None:
    assert texts(plan(Preferring)) == ["a.b.c.d.e.f", "g"]


def test_a_site_further_out_costs_more_and_the_same_edit_counts_once() -> None:
    outer = replace(SITE, code="further out")
    found = plan(Short, sites=(SITE, outer))
    assert [candidate.site.code for candidate in found.candidates] == ["price", "price"]
    alone = plan(Short, sites=(outer, SITE))
    assert [candidate.cost for candidate in found.candidates] == [
        candidate.cost for candidate in alone.candidates
    ]


def test_a_file_with_the_failing_test_is_never_edited_whatever_its_name() -> None:
    checks = ROOT / "checks.py"
    project = Project(ROOT, (), {checks: TEXT.encode()})
    site = replace(SITE, file=checks)
    assert propose((site,), (Short,), project, ("checks.py::test",)) == Plan(())
    assert texts(propose((site,), (Short,), project, ("other.py::test",))) == ["cast", "case"]


class Failing(_Spells):
    NAME = "failing"

    @classmethod
    def repairs(cls, site: Site, project: Project) -> Iterator[Repair]:
        yield from super().repairs(site, project)
        raise AssertionError("a node of another kind")


def test_a_codemod_that_fails_is_told_of_and_the_others_are_asked() -> None:
    found = plan(Failing, Short)
    assert texts(found) == texts(plan(Short))
    (told,) = found.broken
    assert told.startswith("the codemod failing failed at ")
    assert told.endswith("please report it: AssertionError('a node of another kind')")


class Evaluating(_Spells):
    NAME = "evaluating"
    TEXTS: ClassVar = {GUARD: "eval('1')"}


def test_what_the_audit_turns_down_is_told_with_its_reason() -> None:
    found = plan(Evaluating)
    assert found.candidates == ()
    assert [ruling.why for ruling in found.rejected] == ["PATCH-REJECTED: it adds eval"]


def test_weaker_kinds_are_left_out_on_request() -> None:
    found = plan(Long, Short)
    assert texts(found.at_least("root-cause")) == ["cost"]
    assert found.at_least("guard") == found
