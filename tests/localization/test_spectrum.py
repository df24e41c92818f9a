"""From what tests execute to the statements that are likely to be wrong."""

from __future__ import annotations

from dataclasses import replace
from math import inf, sqrt
from pathlib import Path

import pytest

from selfdebug.localization.spectrum import Spectrum, suspicions, suspicious_sites
from selfdebug.localization.statements import site_at, sites_at
from selfdebug.model import Failure, Frame, Raised, Site, Value
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import syntax_tree
from selfdebug.syntax.source import decode

ROOT = Path("/nowhere/project")
FILE = ROOT / "shop.py"
TEXT = """\
LIMIT = 10
NAME = "shop"


class Cart:
    rate = 2
    label = "cart"

    def total(self, items, extra=0):
        if len(items) > LIMIT:
            amount = 0
        else:
            amount = sum(
                items
            )
        return amount * self.rate
"""
FAILURE = Failure("test_shop.py::wrong", "call", Raised("AssertionError", "assert 1 == 2"))


def spectrum(reached: dict[str, set[int]], **values: Value) -> Spectrum:
    """What tests execute of the file; those named ``wrong`` fail."""
    tests = {f"test_shop.py::{name}": lines for name, lines in reached.items()}
    failing = frozenset(test for test in tests if "wrong" in test)
    return Spectrum(
        {test: frozenset((FILE, line) for line in lines) for test, lines in tests.items()},
        failing,
        frozenset(tests) - failing,
        {(FILE, 9): values},
    )


def sites(seen: Spectrum) -> list[Site]:
    project = Project(ROOT, (), {FILE: TEXT.encode()})
    return [*suspicious_sites(seen, FAILURE, project)]


def test_a_line_of_failing_tests_only_is_the_most_suspicious() -> None:
    seen = spectrum({"wrong": {10, 11}, "right": {10, 13}, "other": {10}})
    assert suspicions(seen, "test_shop.py::wrong") == {
        (FILE, 10): (1 / sqrt(3), 1 / 2, 2, 1),
        (FILE, 11): (1.0, inf, 0, 1),
    }


def test_a_line_of_half_the_failing_tests() -> None:
    seen = spectrum({"wrong": {10, 11}, "wrong too": {10}, "right": {10}})
    found = suspicions(seen, "test_shop.py::wrong")
    assert found[FILE, 11] == (1 / sqrt(2), 1.0, 0, 1)
    assert found[FILE, 10] == (2 / sqrt(2 * 3), 4.0, 1, 2)


def test_the_one_failing_test_of_a_suite_still_ranks() -> None:
    found = sites(spectrum({"wrong": {10, 13}}))
    assert [(site.span.line, round(site.suspicion, 2)) for site in found[:2]] == [
        (10, 0.88),
        (13, 0.86),
    ]


def test_statements_in_order_with_what_they_read_of_the_module_and_the_class() -> None:
    found = sites(spectrum({"wrong": {10, 13, 14, 16}, "right": {10, 11, 16}}))
    assert [(site.code.partition("\n")[0], round(site.suspicion, 2)) for site in found] == [
        ("amount = sum(", 0.86),
        ("if len(items) > LIMIT:", 0.62),
        ("return amount * self.rate", 0.61),
        ("def total(self, items, extra=0):", 0.46),
        ("LIMIT = 10", 0.34),
        ("rate = 2", 0.34),
    ]


def test_of_equally_suspicious_statements_the_one_with_more_in_it_comes_first() -> None:
    found = sites(spectrum({"wrong": {10, 11, 16}, "right": {10, 11, 16}}))
    assert [site.code.partition("\n")[0] for site in found[:3]] == [
        "if len(items) > LIMIT:",
        "return amount * self.rate",
        "amount = 0",
    ]


def test_a_line_is_nearly_as_suspicious_as_the_way_that_failing_tests_go_from_it() -> None:
    lines = {"wrong": {10, 16}, "right": {10, 16}, "other": {10, 16}}
    seen = spectrum(lines)
    ways = {"wrong": {(10, 1)}, "right": {(10, 0)}, "other": {(10, 0)}}
    branches = {
        f"test_shop.py::{name}": frozenset((FILE, *way) for way in taken)
        for name, taken in ways.items()
    }
    assert suspicions(seen, FAILURE.test)[FILE, 10] == (1 / sqrt(3), 1 / 2, 2, 1)
    told = suspicions(replace(seen, branches=branches), FAILURE.test)
    assert told[FILE, 10] == (0.8, inf, 2, 1)
    assert told[FILE, 16] == (1 / sqrt(3), 1 / 2, 2, 1)


def test_what_was_seen_of_variables_goes_with_the_statement() -> None:
    found = sites(spectrum({"wrong": {10}}, items=Value("list", "[1, 2]")))
    assert found[0].locals == {"items": Value("list", "[1, 2]")}


@pytest.mark.parametrize("name", ["test_shop.py", "conftest.py", "tests/build.py"])
def test_what_tests_execute_of_themselves_is_not_suspicious(name: str) -> None:
    file = ROOT / name
    project = Project(ROOT, (), {file: b"limit = 1\n"})
    seen = Spectrum(
        {FAILURE.test: frozenset({(file, 1)})}, frozenset({FAILURE.test}), frozenset(), {}
    )
    assert suspicious_sites(seen, FAILURE, project) == ()


def test_a_file_that_does_not_parse_and_a_generated_one_are_left_out() -> None:
    broken, made = ROOT / "broken.py", ROOT / "made.py"
    project = Project(ROOT, (), {broken: b"x = (\n", made: b"# @generated\nx = 1\n"})
    lines = frozenset({(broken, 1), (made, 2)})
    seen = Spectrum({FAILURE.test: lines}, frozenset({FAILURE.test}), frozenset(), {})
    assert suspicious_sites(seen, FAILURE, project) == ()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (10, "if len(items) > LIMIT:"),
        (11, "amount = 0"),
        (14, "amount = sum(\n                items\n            )"),
        (9, "def total(self, items, extra=0):"),
    ],
)
def test_the_statement_of_a_line(line: int, code: str) -> None:
    source = decode(FILE, TEXT.encode())
    site = site_at(source, syntax_tree(source), line, FAILURE)
    assert site is not None
    assert site.code == code


def test_an_elif_is_a_statement_of_its_own() -> None:
    source = decode(FILE, b"if a:\n    b = 1\nelif c:\n    b = 2\n")
    site = site_at(source, syntax_tree(source), 3, FAILURE)
    assert site is not None
    assert site.code == "elif c:"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("x = 1; y = a - b\n", ["x = 1", "y = a - b"]),
        ("if a: return b\n", ["return b", "if a:"]),
        ("if a is not None: x = 1; y = 2\n", ["x = 1", "y = 2", "if a is not None:"]),
        ("while a and (\n    b): c()\n", ["while a and (\n    b):"]),
        ("def f(a): return a - 1\n", ["return a - 1"]),
    ],
)
def test_all_statements_of_a_line_are_suspects(code: str, found: list[str]) -> None:
    source = decode(FILE, code.encode())
    sites = sites_at(source, syntax_tree(source), 1, FAILURE)
    assert [site.code for site in sites] == found


def test_imports_and_definitions_come_last_and_docstrings_not_at_all() -> None:
    code = (
        '"""A shop."""\nimport os\n\n\ndef late(a):\n    "Say."\n    import re\n'
        "    x = 1; y = a - 1\n    return x\n"
    )
    project = Project(ROOT, (), {FILE: code.encode()})
    seen = spectrum({"wrong": {1, 2, 5, 6, 7, 8, 9}, "right": {8, 9}})
    ranked = suspicious_sites(seen, FAILURE, project)
    assert [each.code for each in ranked] == [
        *("y = a - 1", "x = 1", "return x", "import re", "import os", "def late(a):")
    ]


def test_what_the_first_import_of_a_module_executes_is_hardly_suspicious() -> None:
    found = sites(spectrum({"wrong": {1, 2, 5, 10, 16}, "right": {10}, "other": {10}}))
    assert [(each.span.line, round(each.suspicion, 2)) for each in found] == [
        *((16, 0.86), (10, 0.51), (6, 0.49), (9, 0.46), (1, 0.28)),
        *((2, 0.16), (5, 0.01)),
    ]


def ranked(text: str, lines: set[int], failure: Failure = FAILURE) -> list[tuple[int, float, str]]:
    """The suspects of a file of which one test executes these lines, and fails."""
    project = Project(ROOT, (), {FILE: text.encode()})
    seen = Spectrum(
        {failure.test: frozenset((FILE, line) for line in lines)},
        frozenset({failure.test}),
        frozenset(),
        {},
    )
    found = suspicious_sites(seen, failure, project)
    return [(site.span.line, round(site.suspicion, 2), site.why) for site in found]


def test_what_sets_the_attribute_comes_first_in_which_the_result_differs() -> None:
    text = """\
class Line:
    sent: int
    errors: int

    def add(self, entry):
        self.sent += entry.size + entry.head
        self.errors += entry.status > 500
"""
    wrong = Raised("AssertionError", "assert 0 == 1", (source("assert line.errors == 1"),))
    failure = replace(FAILURE, raised=wrong)
    assert ranked(text, {6, 7})[:2] == [(6, 0.92, ""), (7, 0.9, "")]
    assert ranked(text, {6, 7}, failure)[:2] == [
        (7, 0.9, "sets `errors`, in which the result differs"),
        (6, 0.78, ""),
    ]


def source(code: str) -> Frame:
    return Frame(str(ROOT / "test_shop.py"), 1, source=code)


def test_so_does_what_computes_an_argument_for_it() -> None:
    text = """\
class Summary:
    def __init__(self, coldest, warmest):
        self.range = coldest, warmest

def summary(readings):
    low, high = readings[0], readings[0]
    for each in readings:
        low = min(low, each)
        high = min(high, each)
    return Summary(low, high)
"""
    told = "assert Summary() == Summary()\n  Differing attributes:\n  ['warmest']"
    failure = replace(FAILURE, raised=Raised("AssertionError", told, (source("assert a == b"),)))
    why = "sets `warmest`, in which the result differs"
    found = ranked(text, {6, 7, 8, 9, 10}, failure)
    assert {line: said for line, _, said in found} == {6: why, 7: "", 8: "", 9: why, 10: why}
    assert [line for line, _, said in found if said] == [line for line, _, _ in found[:3]]


def test_what_a_property_computes_is_not_set_by_a_variable_of_its_name() -> None:
    text = """\
class Ticket:
    @property
    def due(self):
        due = self.opened + 1
        return due
"""
    wrong = Raised("AssertionError", "assert 0 == 1", (source("assert ticket.due == 1"),))
    assert {why for *_, why in ranked(text, {4, 5}, replace(FAILURE, raised=wrong))} == {""}


def test_what_ran_at_import_and_set_what_is_read_is_suspicious() -> None:
    text = """\
class Registry:
    def __init__(self):
        self.by_type = {}

    def register(self, types=()):
        types = tuple(types)
        def decorate(cls):
            self.by_type[types] = cls
            return cls
        return decorate

    def unused(self):
        self.by_type.clear()

    def best(self, kind):
        return self.by_type[kind]

registry = Registry()

@registry.register("json")
class Reader:
    pass

if __name__ == "__main__":
    registry.unused()
"""
    lines = {line: score for line, score, _ in ranked(text, {16})}
    assert lines == {16: 0.86, 3: 0.49, 6: 0.31, 8: 0.53, 9: 0.28, 10: 0.28}


def test_what_the_test_executes_itself_is_told_by_that_alone() -> None:
    text = """\
class Role:
    def __init__(self, grants):
        self.grants = grants

    def all(self):
        return self.grants

GUEST = Role([1])
"""
    assert [line for line, _, _ in ranked(text, {6})] == [6, 3]
    assert {line for line, score, _ in ranked(text, {3, 6}) if score > 0.8} == {6, 3}
