"""Which of several small edits is proposed, and when the search ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import pytest

from selfdebug.model import Candidate, Edit, Failure, Site, Span
from selfdebug.planning.enumeration import Enumeration
from selfdebug.planning.search import Exhausted, State

FILE = Path("/nowhere/shop.py")
BEFORE = b"x = 0\n"
ONE, TWO = (Failure(f"test_shop.py::{name}", "call", None) for name in ("one", "two"))
SITE = Site(FILE, Span(1, 0, 1, 5), "Assign", "x = 0", "AssertionError", "", suspicion=1.0)


def candidate(value: str, cost: float, prior: float = 0.5) -> Candidate:
    edit = Edit(FILE, 4, 5, b"0", value.encode())
    return Candidate((edit,), "constant", value, "root-cause", "", SITE, prior=prior, cost=cost)


@dataclass
class Suite:
    """Tests that pass for some values of x; ``answers`` is what the code says to other calls."""

    one: frozenset[str]
    two: frozenset[str] = frozenset("0123456789")
    others: frozenset[str] = frozenset("0123456789")
    bad: frozenset[str] = frozenset()
    answers: Mapping[str, str] = field(default_factory=dict)
    slow: frozenset[str] = frozenset()
    allowed: int = 1000
    unchanging: frozenset[str] = frozenset()
    ran: list[str] = field(default_factory=list)
    ahead: list[str] = field(default_factory=list)

    def announce(self, states: Iterator[State], _: Failure) -> None:
        self.ahead = [value(state) for state in islice(states, 3)]

    def dead(self, states: Sequence[State], _: Failure) -> frozenset[int]:
        return frozenset(at for at, each in enumerate(states) if value(each) in self.unchanging)

    def heals(self, state: State, failure: Failure, *, patient: bool = False) -> bool | None:
        if len(self.ran) == self.allowed:
            raise Exhausted("no more")
        self.ran.append(value(state))
        if value(state) in self.slow and not patient:
            return None
        return value(state) in (self.one if failure is ONE else self.two)

    def left(self, state: State) -> tuple[Failure, ...] | None:
        if value(state) not in self.others:
            return None
        wanted = ((ONE, self.one), (TWO, self.two))
        return tuple(each for each, right in wanted if value(state) not in right)

    def objection(self, state: State) -> str | None:
        return "it hides the failure" if value(state) in self.bad else None

    def behaviour(self, state: State) -> Mapping[str, str]:
        return {"f(9)": self.answers.get(value(state), "returns 0")}


def value(state: State) -> str:
    return state.contents[FILE].decode()[4:-1]


@dataclass
class Search:
    """An enumeration over candidates, and what it turned down."""

    suite: Suite
    candidates: tuple[Candidate, ...]
    rejected: list[str] = field(default_factory=list)

    def propose(self, _: Failure, state: State) -> Iterator[Candidate]:
        text = state.contents.get(FILE, BEFORE)
        for each in self.candidates:
            if text[each.edits[0].start : each.edits[0].end] == each.edits[0].before:
                yield each

    def found(self, depth: int = 1, failures: tuple[Failure, ...] = (ONE,)) -> list[State]:
        return [*self.begun().plausible(State(failures), depth)]

    def begun(self) -> Enumeration:
        return Enumeration(
            self.suite,
            self.propose,
            lambda state, why: self.rejected.append(f"{value(state)}: {why}"),
            lambda state: state.contents[FILE].replace(b" ", b""),
        )

    def twice(self, most: int) -> list[list[str]]:
        """What is found among the likeliest edits, and by a second search of the same state."""
        search = self.begun()
        searches = search.plausible(State((ONE,)), 1, most), search.plausible(State((ONE,)), 2)
        return [[value(each) for each in found] for found in searches]


@pytest.fixture(autouse=True)
def _file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_bytes", lambda _: BEFORE)


def candidates(values: str) -> tuple[Candidate, ...]:
    return tuple(candidate(each, cost / 10) for cost, each in enumerate(values))


def test_the_likeliest_that_passes_comes_first_and_knows_its_rivals() -> None:
    found = Search(Suite(frozenset("35")), candidates("12345")).found()
    assert [value(state) for state in found] == ["3", "5"]
    assert [each.variant for each in found[0].rivals] == ["5"]
    assert found[0].failures == ()


def test_what_most_edits_answer_is_likelier_than_the_first_answer() -> None:
    answers = {"3": "returns 1", "4": "returns 2", "5": "returns 2"}
    found = Search(Suite(frozenset("345"), answers=answers), candidates("12345")).found()
    assert [value(state) for state in found] == ["4", "5", "3"]


def test_what_ran_out_of_time_gets_more_at_once_a_few_times() -> None:
    suite = Suite(frozenset("23"), slow=frozenset("12"))
    assert [value(state) for state in Search(suite, candidates("123")).found()] == ["2", "3"]
    assert suite.ran == [*"11", *"22", "3"]


def test_what_ran_out_of_time_later_gets_more_where_nothing_else_passes() -> None:
    suite = Suite(frozenset("5"), slow=frozenset("12345"))
    search = Search(suite, candidates("123456"))
    assert [value(state) for state in search.found()] == ["5"]
    assert suite.ran == [*"112233", *"456", *"45"]


def test_what_ran_out_of_time_gets_no_more_once_something_passes() -> None:
    suite = Suite(frozenset("45"), slow=frozenset("1234"))
    assert [value(state) for state in Search(suite, candidates("12345")).found()] == ["5"]
    assert suite.ran == [*"112233", *"45"]


def test_an_edit_that_breaks_another_test_is_turned_down() -> None:
    search = Search(Suite(frozenset("23"), others=frozenset("3")), candidates("123"))
    assert [value(state) for state in search.found()] == ["3"]
    assert search.rejected == ["2: tests that passed before fail with it"]


def test_an_edit_that_hides_the_failure_is_turned_down() -> None:
    search = Search(Suite(frozenset("23"), bad=frozenset("2")), candidates("123"))
    assert [value(state) for state in search.found()] == ["3"]
    assert search.rejected == ["2: it hides the failure"]


@pytest.mark.parametrize(("prior", "ran"), [(0.2, "123"), (0.1, "1234")])
def test_much_less_likely_edits_are_not_tried_once_one_passes(prior: float, ran: str) -> None:
    suite = Suite(frozenset("2"))
    costs = {"1": 1.0, "2": 2.0, "3": 4.4, "4": 4.7, "5": 4.9}
    Search(suite, tuple(candidate(each, cost, prior) for each, cost in costs.items())).found()
    assert suite.ran == [*ran]


def test_the_same_code_is_tried_once() -> None:
    suite = Suite(frozenset("3"))
    Search(suite, (*candidates("1"), candidate(" 1", 0.5), *candidates("1"))).found()
    assert suite.ran == ["1"]


def test_what_was_found_counts_when_time_is_up() -> None:
    search = Search(Suite(frozenset("12"), allowed=2), candidates("1234"))
    enumeration = Enumeration(
        search.suite,
        search.propose,
        lambda *_: None,
        lambda state: state.contents[FILE],
    )
    states = enumeration.plausible(State((ONE,)), 1)
    assert value(next(states)) == "1"
    assert value(next(states)) == "2"
    with pytest.raises(Exhausted):
        next(states)


def test_the_next_ones_are_announced() -> None:
    suite = Suite(frozenset())
    Search(suite, candidates("1234")[:2]).found()
    assert suite.ahead == ["2"]


def test_one_edit_that_heals_all_is_waited_for_where_another_heals_a_part() -> None:
    made = (candidate("1", 0.0), candidate("2", 3.5), candidate("3", 4.5))
    suite = Suite(frozenset("12"), two=frozenset("2"))
    assert [value(state) for state in Search(suite, made).found(1, (ONE, TWO))] == ["2"]
    assert suite.ran == ["1", "2"]


def test_two_edits_where_each_heals_a_part() -> None:
    suite = Suite(
        frozenset(["1", "1\ny = 2"]), frozenset(["1\ny = 2"]), frozenset(["1", "1\ny = 2"])
    )
    first = candidate("1", 0.1)
    second = Candidate(
        (Edit(FILE, 5, 5, b"", b"\ny = 2"),), "insert", "y", "root-cause", "", SITE, cost=0.2
    )
    found = Search(suite, (first, second)).found(depth=2, failures=(ONE, TWO))
    assert [state.contents[FILE] for state in found] == [b"x = 1\ny = 2\n"]
    assert [each.codemod for each in found[0].patch] == ["constant", "insert"]


def test_a_second_search_goes_on_where_a_short_one_ended() -> None:
    suite = Suite(one=frozenset("4"))
    found = Search(suite, tuple(candidate(each, float(each)) for each in "12345")).twice(2)
    assert found == [[], ["4"]]
    assert suite.ran == [*"12345"]


def test_a_short_search_that_finds_something_looks_for_its_rivals() -> None:
    suite = Suite(one=frozenset("24"))
    found = Search(suite, tuple(candidate(each, 1.0) for each in "12345")).twice(2)
    assert found[0] == ["2", "4"]


MANY = [f"{number:03}" for number in range(300)]


@pytest.mark.parametrize("most", [None, 20, 37, 150])
@pytest.mark.parametrize("right", ["", "005", "036", "140", "299"])
def test_what_can_change_nothing_is_not_tried_and_the_search_ends_where_it_would(
    most: int | None, right: str
) -> None:
    unchanging = frozenset(each for each in MANY if int(each) % 3 and each != right)
    ends = []
    for dead in (frozenset[str](), unchanging):
        suite = Suite(frozenset([right]), others=frozenset(MANY), unchanging=dead)
        every = tuple(candidate(each, int(each) / 1000) for each in MANY)
        search = Search(suite, every).begun()
        found = [
            [value(each) for each in search.plausible(State((ONE,)), 1, limit)]
            for limit in (most, None)
        ]
        assert search.tried.total() == len(suite.ran)
        assert not dead.intersection(suite.ran[12:])
        ends.append((found, search.tried.total() + search.pruned.total()))
    (with_all, all_tried), (without, judged) = ends
    assert without == with_all
    assert all_tried - 48 <= judged <= all_tried
