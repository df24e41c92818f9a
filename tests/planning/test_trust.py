"""How far a patch may be trusted: the rules, each next to a case that just misses it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from selfdebug.model import (
    Alternative,
    Candidate,
    Difference,
    Kind,
    OriginStep,
    SearchEnd,
    Site,
    Span,
)
from selfdebug.planning.trust import difference, trusted

SITE = Site(Path("shop.py"), Span(1, 0, 1, 4), "Name", "user", "NameError", "")
PATCH = Candidate((), "rename", "name", "root-cause", "why", SITE, prior=0.9)
DIFFERS = Difference("f(x=None)", "returns 1", "raises TypeError")


def rival(kind: Kind, differs: Difference | None = DIFFERS) -> Alternative:
    return Alternative(replace(PATCH, codemod="other", kind=kind), differs)


@pytest.mark.parametrize(
    ("patch", "rivals", "confidence"),
    [
        (PATCH, (), "high"),
        (PATCH, (rival("guard"),), "high"),
        (PATCH, (rival("root-cause", None),), "high"),
        (PATCH, (rival("root-cause"),), "medium"),
        (replace(PATCH, prior=0.4), (), "medium"),
        (replace(PATCH, site=replace(SITE, certain=False)), (), "medium"),
        (replace(PATCH, kind="guard"), (), "medium"),
        (replace(PATCH, kind="guard"), (rival("default"),), "medium"),
        (replace(PATCH, kind="guard"), (rival("guard"),), "low"),
        (replace(PATCH, kind="guard"), (rival("root-cause"),), "low"),
        (replace(PATCH, kind="default"), (), "low"),
    ],
)
def test_confidence(patch: Candidate, rivals: tuple[Alternative, ...], confidence: str) -> None:
    assert trusted(patch, rivals).confidence == confidence


SLIP = replace(PATCH, prior=0.2, cost=3.0, site=replace(SITE, suspicion=0.7, passing=3))


def other(cost: float, differs: Difference | None = DIFFERS) -> Alternative:
    return Alternative(replace(SLIP, codemod="other", cost=cost), differs)


@pytest.mark.parametrize(
    ("patch", "rivals", "confidence"),
    [
        (SLIP, (), "high"),
        (SLIP, (other(3.1, None),), "high"),
        (SLIP, (other(3.6),), "low"),
        (SLIP, (other(3.8),), "medium"),
        (replace(SLIP, site=replace(SLIP.site, passing=0)), (other(3.8),), "low"),
        (replace(SLIP, site=replace(SLIP.site, passing=0)), (), "medium"),
        (replace(SLIP, prior=0.1, site=replace(SLIP.site, passing=0)), (), "low"),
        (replace(SLIP, prior=0.1, site=replace(SLIP.site, passing=1)), (), "medium"),
        (replace(SLIP, site=replace(SLIP.site, passing=2)), (), "medium"),
        (replace(SLIP, prior=0.1), (), "medium"),
        (replace(SLIP, prior=0.009), (), "low"),
        (replace(SLIP, kind="guard"), (), "medium"),
        (replace(SLIP, prior=0.1), (other(3.8),), "medium"),
        (replace(SLIP, prior=0.1, site=replace(SLIP.site, passing=2)), (other(3.8),), "low"),
        (replace(SLIP, prior=0.1), (Alternative(SLIP, compared=False),), "low"),
        (SLIP, (Alternative(replace(SLIP, kind="guard"), DIFFERS),), "low"),
    ],
)
def test_confidence_in_a_small_edit(
    patch: Candidate, rivals: tuple[Alternative, ...], confidence: str
) -> None:
    assert trusted(patch, rivals).confidence == confidence


ELSEWHERE = replace(SLIP, site=replace(SLIP.site, function="ship"))


@pytest.mark.parametrize(
    ("beside", "confidence"),
    [
        ([ELSEWHERE], "high"),
        ([replace(ELSEWHERE, prior=0.1)], "low"),
        ([SLIP], "low"),
        ([ELSEWHERE, replace(SLIP, site=replace(SLIP.site, function="pay"))], "low"),
        ([PATCH, PATCH], "high"),
    ],
)
def test_several_small_edits_that_may_fit_by_chance_are_little_trusted(
    beside: list[Candidate], confidence: str
) -> None:
    assert trusted(SLIP, (), beside).confidence == confidence


def test_how_little_the_tests_say_of_a_statement_is_told() -> None:
    patch = replace(SLIP, site=replace(SLIP.site, passing=1))
    assert trusted(patch, ()).doubts == (
        "of the tests that passed before, only 1 executes the statement; confidence high asks for 3",
    )


@pytest.mark.parametrize("end", ["time", "candidates"])
def test_a_small_edit_found_by_a_search_that_was_cut_off_is_not_beyond_doubt(
    end: SearchEnd,
) -> None:
    assert trusted(SLIP, (), end="found").confidence == "high"
    cut = trusted(SLIP, (), end=end)
    (doubt,) = cut.doubts
    assert cut.confidence == "medium"
    assert doubt.startswith("the search for others that pass was cut off by --")


@pytest.mark.parametrize("patch", [PATCH, SLIP])
def test_a_rival_that_was_not_compared_is_a_doubt(patch: Candidate) -> None:
    told = trusted(patch, (Alternative(replace(patch, codemod="other"), compared=False),))
    assert told.confidence == "medium"
    assert told.doubts == ("not compared with what passes too: other (name)",)


def test_repairs_that_there_was_no_time_to_try_are_a_doubt_unless_they_are_weaker() -> None:
    other = replace(PATCH, codemod="other")
    told = trusted(PATCH, (), untried=(other, replace(other, kind="guard")))
    assert told.confidence == "medium"
    assert told.doubts == (
        "for want of time it was not compared with another repair that may pass too",
    )
    assert trusted(PATCH, (), untried=(replace(other, kind="guard"),)).confidence == "high"


def test_a_value_that_is_repaired_where_it_is_used_is_a_doubt() -> None:
    used = replace(PATCH, branch="guard")
    step = OriginStep(Path("conf/read.py"), 12, "it is passed as `limit` to `top`", "top(limit)")
    told = trusted(replace(used, site=replace(SITE, origin=(step,))), ())
    assert told.confidence == "medium"
    assert told.doubts == ("the value is repaired where it is used; it was born at read.py:12",)
    assert trusted(used, ()).doubts == (
        "the value is repaired where it is used; it was born elsewhere",
    )


def test_a_doubt_asks_the_question_that_a_reviewer_would_ask() -> None:
    assert trusted(PATCH, (rival("root-cause"),)).doubts == (
        "other (name) passes too, but `f(x=None)` raises TypeError there and returns 1 here",
    )


def test_the_first_call_with_two_answers_tells_behaviours_apart() -> None:
    here = {"f(1)": "returns 1", "f(2)": "returns 2", "f(3)": "returns 3"}
    assert difference(here, here) is None
    there = {"f(1)": "returns 1", "f(3)": "raises KeyError", "f(2)": "returns 9"}
    assert difference(here, there) == Difference("f(2)", "returns 2", "returns 9")


def test_a_call_that_raises_tells_behaviours_apart_where_no_other_does() -> None:
    here = {"f(None)": "raises TypeError", "f(2)": "returns 2"}
    there = {"f(None)": "returns 0", "f(2)": "returns 9"}
    assert difference(here, there) == Difference("f(2)", "returns 2", "returns 9")
    assert difference(here, {"f(None)": "returns 0"}) == (
        Difference("f(None)", "raises TypeError", "returns 0")
    )


def test_a_call_that_was_made_with_one_of_them_only_tells_nothing() -> None:
    assert difference({"f(1)": "returns 1"}, {"f(2)": "returns 2"}) is None
    assert difference({"f(1)": "is not tried"}, {"f(1)": "returns 2"}) is None
