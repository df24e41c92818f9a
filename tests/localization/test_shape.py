"""What two sides of an assertion tell of the fault between them."""

from __future__ import annotations

import pytest

from selfdebug.localization.shape import shapes, wanted
from selfdebug.model import Failure, Frame, Raised, Value


def of(message: str, source: str = "", **attrs: str) -> set[str]:
    frame = Frame("test_shop.py", 1, source=source or None)
    return set(
        shapes(Failure("test", "call", Raised("AssertionError", message, (frame,), attrs=attrs)))
    )


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("assert 3 == 4", {"off-by-one", "number"}),
        ("assert -5 == 5", {"sign", "number"}),
        ("assert 250 == 25", {"factor", "number"}),
        ("assert 10.004 == 10.0", {"rounding", "number"}),
        ("assert 7 == 19", {"number"}),
        ("assert 2.0 == 3", {"type", "off-by-one", "number"}),
        ("assert True == False", {"bool"}),
        ("assert None == 4", {"none"}),
        ("assert 'Ann' == 'ann'", {"case", "text"}),
        ("assert 'a b ' == 'a b'", {"whitespace", "extra-item", "text"}),
        ("assert 'ab' == 'abc'", {"missing-item", "text"}),
        ("assert [1, 3, 2] == [1, 2, 3]", {"order"}),
        ("assert [1, 2] == [1, 2, 3]", {"missing-item"}),
        ("assert [1, 2, 2] == [1, 2]", {"duplicate"}),
        ("assert [1, 4] == [1]", {"extra-item"}),
        ("assert [] == [1]", {"missing-item", "empty"}),
        ("assert [1, 5] == [1, 6]", {"off-by-one", "number"}),
        ("assert {'a': 1} == {'a': 1, 'b': 2}", {"missing-item"}),
        ("assert {'a': 'X'} == {'a': 'x'}", {"case", "text"}),
        ("3 != 4", {"off-by-one", "number"}),
        ("assert Cart() == Cart()", set()),
    ],
)
def test_two_sides(message: str, expected: set[str]) -> None:
    assert of(message) == expected


def test_what_was_seen_of_the_values_counts_more_than_the_message() -> None:
    assert of("assert 'aaaa...' == 'aaab...'", left="4", right="5", op="==") == {
        "off-by-one",
        "number",
    }


def test_a_constant_on_the_left_is_what_was_wanted() -> None:
    assert of("assert [1, 2] == [1]", "assert [1, 2] == got(1)") == {"missing-item"}
    assert of("assert [1, 2] == [1]", "assert got(1) == [1]") == {"extra-item"}


def test_outside_of_test_modules_the_variables_tell_what_was_compared() -> None:
    def told(source: str) -> set[str]:
        held = {"expected": Value("list", "[1, 2]"), "got": Value("list", "[1]")}
        frame = Frame("common.py", 3, source=source, locals=held)
        return set(shapes(Failure("test", "call", Raised("AssertionError", "", (frame,)))))

    assert told("    assert got == expected") == {"missing-item"}
    assert told("    assert expected == got") == {"missing-item"}
    assert told("    assert expected == other") == set()


def test_decimals_are_numbers() -> None:
    seen = {"left": "Decimal('1.50')", "right": "Decimal('2.50')", "op": "=="}
    assert of("", **seen) == {"off-by-one", "number"}


def test_an_exception_that_did_not_come() -> None:
    raised = Raised("Failed", "DID NOT RAISE <class 'ValueError'>")
    assert shapes(Failure("test", "call", raised)) == {"raises"}


@pytest.mark.parametrize(
    ("raised", "text", "expected"),
    [
        (Raised("RecursionError", "maximum"), "", {"recursion"}),
        (Raised("TestTimeout", "still running after 20 s"), "", {"hang"}),
        (Raised("Failed", "Timeout (>1.0s) from pytest-timeout."), "", {"hang"}),
        (None, "still running when the time was up", {"hang"}),
        (None, "the test process died in this test", set()),
    ],
)
def test_endless_ways(raised: Raised | None, text: str, expected: set[str]) -> None:
    assert shapes(Failure("test", "call", raised, text)) == expected


@pytest.mark.parametrize(
    ("right", "constant"),
    [
        *(("None", "None"), ("''", "''"), ("[]", "[]"), ("False", "False")),
        *(("4", None), ("[0]", None), ("Cart()", None)),
    ],
)
def test_a_constant_that_stands_for_nothing(right: str, constant: str | None) -> None:
    attrs = {"left": "3", "right": right}
    assert wanted(Failure("test", "call", Raised("AssertionError", "", attrs=attrs))) == constant
