"""Which failures may have a cause in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfdebug.localization.independent import independent
from selfdebug.localization.spectrum import Spectrum
from selfdebug.model import Failure
from selfdebug.syntax.project import Project

ONE, TWO, THREE = "test_shop.py::one", "test_shop.py::two", "test_cart.py::three"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("shop.py", "cart.py", "test_shop.py", "test_cart.py"):
        (tmp_path / name).write_text("x = 1\n" * 30)
    return tmp_path.resolve()


def groups(root: Path, executed: dict[str, dict[str, set[int]]], *failing: str) -> list[list[str]]:
    reached = {
        test: frozenset((root / file, line) for file, lines in files.items() for line in lines)
        for test, files in executed.items()
    }
    passing = frozenset(reached.keys() - set(failing))
    spectrum = Spectrum(reached, frozenset(failing), passing, {})
    failures = [Failure(test, "call", None) for test in failing]
    found = independent(spectrum, failures, Project(root))
    return [[failure.test for failure in group] for group in found]


def test_failures_of_the_same_code_belong_together_and_others_do_not(root: Path) -> None:
    executed = {
        ONE: {"shop.py": {3, 4}, "test_shop.py": {1, 2}},
        TWO: {"cart.py": {7}, "test_shop.py": {1, 5}},
        THREE: {"shop.py": {4, 5}},
    }
    assert groups(root, executed, ONE, TWO, THREE) == [[ONE, THREE], [TWO]]


def test_one_that_shares_code_with_two_joins_them(root: Path) -> None:
    executed = {ONE: {"shop.py": {3}}, TWO: {"shop.py": {9}}, THREE: {"shop.py": {3, 9}}}
    assert groups(root, executed, ONE, TWO, THREE) == [[ONE, TWO, THREE]]


def test_what_many_passing_tests_go_through_joins_nothing(root: Path) -> None:
    executed = {ONE: {"shop.py": {1, 3}}, TWO: {"shop.py": {1, 9}}}
    passing = {f"test_shop.py::good{number}": {"shop.py": {1}} for number in range(4)}
    assert groups(root, executed | passing, ONE, TWO) == [[ONE], [TWO]]
    del passing["test_shop.py::good3"]
    assert groups(root, executed | passing, ONE, TWO) == [[ONE, TWO]]


def test_what_tells_most_of_one_failure_joins_it_to_all_that_execute_it(root: Path) -> None:
    executed = {ONE: {"shop.py": {1, 3, 5}}, TWO: {"shop.py": {1, 3}}}
    passing = {f"test_shop.py::good{number}": {"shop.py": {1, 3}} for number in range(8)}
    assert groups(root, executed | passing, ONE, TWO) == [[ONE, TWO]]


def test_a_test_of_which_nothing_is_known_may_have_any_cause(root: Path) -> None:
    executed = {ONE: {"shop.py": {3}}, TWO: {"cart.py": {9}}}
    assert groups(root, executed, ONE, TWO, THREE) == [[ONE, TWO, THREE]]
