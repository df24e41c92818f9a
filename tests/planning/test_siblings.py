"""The same mistake in other places of the project."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from selfdebug.codemods import catalogue
from selfdebug.codemods.null_guard import NullGuard
from selfdebug.model import Candidate, Site, Span
from selfdebug.planning.search import State
from selfdebug.planning.siblings import same_pattern, siblings, widened
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import apply

ROOT = Path("/nowhere/project")
SHOP = """\
def label(user):
    return user.address.city


def größe(kunde):
    ä = kunde.address.city; return ä


def safe(user):
    return user.address.street
"""
OTHER = "def town(order):\n    return order.buyer.address.city\n"
TEST = "def test_it():\n    assert user.address.city\n"
PROJECT = Project(
    ROOT,
    (),
    {
        ROOT / "shop.py": SHOP.encode(),
        ROOT / "other.py": OTHER.encode(),
        ROOT / "test_shop.py": TEST.encode(),
    },
)
SITE = Site(
    ROOT / "shop.py",
    Span(2, 11, 2, 28),
    "Attribute",
    "user.address.city",
    "AttributeError",
    "'NoneType' object has no attribute 'city'",
    bad=Span(2, 11, 2, 23),
    bad_code="user.address",
)


def patch(site: Site) -> Candidate:
    repair = next(NullGuard.repairs(site, PROJECT))
    variant = repair.variant
    return Candidate(repair.edits, NullGuard.NAME, variant.name, variant.kind, repair.why, site)


def test_the_pattern_begins_with_any_variable_and_tests_are_left_out() -> None:
    found = [(each.file.name, each.code, each.bad_code) for each in same_pattern(SITE, PROJECT)]
    assert found == [("shop.py", "kunde.address.city", "kunde.address")]


def test_columns_count_characters() -> None:
    (found,) = same_pattern(SITE, PROJECT)
    assert found.span == Span(6, 8, 6, 26)


def test_a_longer_way_to_the_same_attribute_is_another_pattern() -> None:
    site = replace(SITE, code="order.buyer.address.city", bad_code="order.buyer.address")
    assert [each.file.name for each in same_pattern(site, PROJECT)] == ["other.py"]


def test_a_bare_name_has_no_pattern() -> None:
    assert [*same_pattern(replace(SITE, code="user"), PROJECT)] == []
    assert [*same_pattern(replace(SITE, code="return user"), PROJECT)] == []


def test_the_same_repair_is_offered_there() -> None:
    (found,) = siblings(patch(SITE), PROJECT, catalogue())
    assert (found.site.span.line, found.codemod, found.variant) == (6, "null-guard", "early-exit")


def test_a_place_that_is_guarded_already_is_none() -> None:
    guarded = SHOP.replace("    ä =", "    if kunde.address is None:\n        return None\n    ä =")
    project = PROJECT.changed({**PROJECT.contents, ROOT / "shop.py": guarded.encode()})
    assert [*siblings(patch(SITE), project, catalogue())] == []


def test_only_what_a_test_executes_is_widened_and_lines_are_those_of_before() -> None:
    candidate = patch(SITE)
    now = apply(SHOP.encode(), candidate.edits)
    state = State((), {ROOT / "shop.py": now}, (candidate,))
    others = [
        *siblings(candidate, PROJECT.changed({**PROJECT.contents, **state.contents}), catalogue())
    ]
    assert [other.site.span.line for other in others] == [8]
    assert widened(state, others, PROJECT, {(ROOT / "shop.py", 8)}) is state
    wider = widened(state, others, PROJECT, {(ROOT / "shop.py", 6)})
    assert [each.site.span.line for each in wider.patch] == [2, 8]
    assert wider.contents[ROOT / "shop.py"].decode() == (
        now.decode().replace(
            "    ä = kunde.address.city; return ä\n",
            "    if kunde.address is None:\n        return None\n"
            "    ä = kunde.address.city; return ä\n",
        )
    )


def test_of_two_repairs_in_one_place_the_first_is_made() -> None:
    pair = "def pair(a, b):\n    return a.address.city + b.address.city\n"
    project = PROJECT.changed({**PROJECT.contents, ROOT / "pair.py": pair.encode()})
    candidate = patch(SITE)
    others = [
        each
        for each in siblings(candidate, project, catalogue())
        if each.site.file.name == "pair.py"
    ]
    assert [each.site.code for each in others] == ["a.address.city", "b.address.city"]
    wider = widened(State((), {}, (candidate,)), others, project, {(ROOT / "pair.py", 2)})
    assert wider.contents[ROOT / "pair.py"].decode() == pair.replace(
        "    return", "    if a.address is None:\n        return None\n    return"
    )
