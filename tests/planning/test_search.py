"""The search against a toy project: a file that must become "healed", and tests that say how far it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from selfdebug.model import (
    Candidate,
    Edit,
    Explored,
    Failure,
    Frame,
    Raised,
    Ruling,
    Site,
    Span,
    TestRun,
)
from selfdebug.planning.propose import Plan
from selfdebug.planning.search import Search, State, same, signature

BEFORE = b"one two"


def failure(test: str, message: str = "it is None", source: str = "x.y") -> Failure:
    return Failure(
        test, "call", Raised("AttributeError", message, (Frame("m.py", 1, source=source),))
    )


class Toy:
    """A file of two words, one bug each. ``plans`` says which words are offered in place of a word."""

    def __init__(self, folder: Path, plans: dict[str, list[str]]):
        self.file = folder / "words"
        self.file.write_bytes(BEFORE)
        self.plans = plans
        self.trials: list[bytes] = []

    def propose(self, failure: Failure, state: State) -> Plan:
        word = failure.test.encode()
        text = state.contents.get(self.file, BEFORE)
        start = text.find(word)
        if start < 0:
            return Plan(())
        return Plan(
            tuple(self._candidate(start, word, other) for other in self.plans.get(failure.test, ()))
        )

    def _candidate(self, start: int, word: bytes, other: str) -> Candidate:
        edit = Edit(self.file, start, start + len(word), word, other.encode())
        site = Site(self.file, Span(1, 0, 1, 1), "Name", "x", "AttributeError", "it is None")
        return Candidate((edit,), "toy", other, "guard", f"{word!r} to {other}", site)

    def trial(self, state: State) -> TestRun:
        text = state.contents[self.file]
        self.trials.append(text)
        left = [failure(word.decode()) for word in (b"one", b"two") if word in text]
        left += [failure("one", "another error", "x.z")] if b"moved" in text else []
        return TestRun(1 if left else 0, tuple(left), {}, 0.1)

    def search(self) -> Search:
        return Search(self.propose, self.trial)


def found(search: Search, *tests: str) -> list[tuple[str, ...]]:
    start = State(tuple(failure(test) for test in tests))
    return [tuple(step.variant for step in end.patch) for end in search.plausible(start)]


def test_the_first_candidate_that_heals_comes_first_and_rivals_follow(tmp_path: Path) -> None:
    toy = Toy(tmp_path, {"one": ["one!", "1", "I"]})
    search = toy.search()
    toy.trial = lambda state: TestRun(  # type: ignore[method-assign]
        1, (failure("one"),) if b"one" in state.contents[toy.file] else (), {}, 0.1
    )
    search = toy.search()
    assert found(search, "one") == [("1",), ("I",)]
    assert [(ruling.candidate.variant, ruling.why) for ruling in search.rejected] == [
        ("one!", "the same failure is left")
    ]


def test_two_causes_are_healed_one_after_the_other(tmp_path: Path) -> None:
    toy = Toy(tmp_path, {"one": ["1"], "two": ["two!", "2"]})
    assert found(toy.search(), "one", "two") == [("1", "2")]
    assert toy.trials == [b"1 two", b"1 two!", b"1 2"]


def test_a_failure_that_moved_is_followed_after_what_heals_at_once(tmp_path: Path) -> None:
    toy = Toy(tmp_path, {"one": ["moved", "1"], "two": ["2"]})
    assert found(toy.search(), "one", "two")[0] == ("1", "2")


def test_a_moved_failure_that_nothing_answers_is_rejected_with_where_it_led(tmp_path: Path) -> None:
    toy = Toy(tmp_path, {"one": ["moved"]})
    toy.file.write_bytes(b"one")
    search = toy.search()
    toy.plans = {"one": ["moved"]}
    assert found(search, "one") == []
    assert search.unanswered == []
    assert "another error" in search.rejected[-1].why


def test_what_no_codemod_answers_is_told_apart_from_what_did_not_work(tmp_path: Path) -> None:
    search = Toy(tmp_path, {}).search()
    assert found(search, "one") == []
    assert [one.test for one in search.unanswered] == ["one"]
    assert search.rejected == []


def test_the_same_text_is_tried_once(tmp_path: Path) -> None:
    toy = Toy(tmp_path, {"one": ["1", "1"], "two": []})
    assert found(toy.search(), "one") == []
    assert toy.trials == [b"1 two"]


def test_before_each_trial_the_search_tells_which_may_follow(tmp_path: Path) -> None:
    toy = Toy(tmp_path, {"one": ["one!", "moved", "1"], "two": ["two!", "2"]})
    told: list[list[bytes]] = []

    def expect(states: Iterable[State]) -> None:
        told.append([state.contents[toy.file] for state in states])

    search = Search(toy.propose, toy.trial, expect)
    assert next(search.plausible(State((failure("one"), failure("two"))))).failures == ()
    assert told == [
        [b"one! two", b"moved two", b"1 two"],
        [b"moved two", b"1 two"],
        [b"1 two"],
        [b"1 two!", b"1 2"],
        [b"1 2"],
    ]
    assert [row[0] for row in told] == toy.trials


def test_a_trial_that_hangs_is_no_way_on(tmp_path: Path) -> None:
    toy = Toy(tmp_path, {"one": ["1"]})
    search = Search(toy.propose, lambda _: TestRun(None, (), {}, 7.0))
    assert found(search, "one") == []
    assert search.rejected[0].why == "the tests were ended after 7 s"


def test_where_trials_are_not_possible_every_candidate_is_plausible(tmp_path: Path) -> None:
    toy = Toy(tmp_path, {"one": ["1", "I"]})
    assert found(Search(toy.propose, lambda _: None), "one") == [("1",), ("I",)]


@pytest.mark.parametrize(
    ("message", "alike"), [("<A object at 0x7f01>", True), ("<B object at 0x7f00>", False)]
)
def test_addresses_do_not_tell_failures_apart(message: str, alike: bool) -> None:
    one = failure("t", "<A object at 0x7f00>")
    assert same(one, failure("t", message)) is alike


def test_lines_that_an_edit_moved_are_the_same_failure() -> None:
    here = failure("t")
    assert here.raised is not None
    there = Failure(
        "t", "call", Raised("AttributeError", "it is None", (Frame("m.py", 9, source="x.y"),))
    )
    assert signature(here) == signature(there)


def test_where_and_when_a_test_was_ended_does_not_tell_failures_apart() -> None:
    one, other = (
        Failure("t", "call", Raised("TestTimeout", f"still running after {at} s", (frame,)))
        for at, frame in ((20, Frame("m.py", 9, source="x += 1")), (2, Frame("m.py", 8)))
    )
    assert same(one, other)
    assert not same(one, failure("t"))


def test_a_candidate_that_takes_back_an_earlier_one_leads_nowhere_new(tmp_path: Path) -> None:
    toy = Toy(tmp_path, {"one": ["moved", "healed"]})
    back = {"moved": ["one"], **toy.plans}

    def propose(failure: Failure, state: State) -> Plan:
        text = state.contents.get(toy.file, BEFORE)
        word = "moved" if b"moved" in text else failure.test
        toy.plans = {failure.test: back.get(word, [])}
        start = text.find(word.encode())
        candidates = (toy._candidate(start, word.encode(), other) for other in back.get(word, ()))
        return Plan(tuple(candidates)) if start >= 0 else Plan(())

    assert found(Search(propose, toy.trial), "one", "two") == []
    assert BEFORE not in toy.trials


def test_a_patch_has_no_more_candidates_for_each_test_than_allowed(tmp_path: Path) -> None:
    toy = Toy(tmp_path, {"one": ["moved"], "two": ["well"]})

    def propose(failure: Failure, state: State) -> Plan:
        start = state.contents.get(toy.file, b"").find(b"moved")
        if start >= 0 and failure.test == "one":
            return Plan((toy._candidate(start, b"moved", "1"),))
        return toy.propose(failure, state)

    assert found(Search(propose, toy.trial, depth=1), "one", "two") == []
    toy.trials.clear()
    assert found(Search(propose, toy.trial, depth=2), "one", "two") == [("moved", "well", "1")]


def test_of_several_causes_each_has_its_own_candidates(tmp_path: Path) -> None:
    toy = Toy(tmp_path, {"one": ["healed"], "two": ["well"]})
    assert found(Search(toy.propose, toy.trial, depth=1), "one", "two") == [("healed", "well")]


def test_what_was_made_of_each_branch_is_counted(tmp_path: Path) -> None:
    toy = Toy(tmp_path, {"one": ["1", "I", "1st", "first"]})

    def propose(failure: Failure, state: State) -> Plan:
        first, second, *more = toy.propose(failure, state).candidates
        guards = tuple(replace(each, branch="guard") for each in more)
        unsafe = Ruling(replace(first, branch="guard"), "PATCH-REJECTED: it adds eval")
        return Plan((replace(first, branch="rewrite"), second, *guards), (unsafe,))

    search = Search(propose, lambda _: TestRun(0, (), {}, 0.1))
    patches = search.plausible(State((failure("one"),)))
    assert [step.variant for step in next(patches).patch] == ["1"]
    assert search.branches == (
        Explored("cause", proposed=1, pruned=0, tried=0),
        Explored("guard", proposed=3, pruned=1, tried=0),
        Explored("rewrite", proposed=1, pruned=0, tried=1),
    )
    assert len([*patches]) == 3
    assert [each.tried for each in search.branches] == [1, 2, 1]
