"""Which statements a test goes round in that does not end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from selfdebug.localization.endless import by_rounds
from selfdebug.localization.statements import site_at
from selfdebug.model import Failure, Frame, Raised, Site
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import syntax_tree
from selfdebug.syntax.source import decode

ROOT = Path("/nowhere/project")
FILE = ROOT / "shop.py"
TEXT = """\
def resolve(code):
    current = code
    for attempt in range(1):
        while True:
            if leads(current):
                break
            current = next_of(current)
    return current


def leads(code):
    for each in range(3):
        code += 1
    return code


def size(folder):
    if folder is None:
        return 0
    total = 1
    return total + size(folder)


def other():
    return 1
"""
PROJECT = Project(ROOT, (), {FILE: TEXT.encode()})


def failure(kind: str, *places: tuple[str, int]) -> Failure:
    frames = [Frame(str(FILE), line, function) for function, line in places]
    frames.insert(0, Frame("/elsewhere/python/runner.py", 3, "run"))
    return Failure("test_shop.py::test", "call", Raised(kind, "", tuple(frames)))


def weights(*seen: Failure) -> dict[int, float]:
    """How suspicious each line is, of lines that are alike without its stack."""
    source = decode(FILE, TEXT.encode())
    tree = syntax_tree(source)
    lines = [2, 3, 4, 5, 7, 8, 12, 13, 18, 21, 25]
    sites = [site for line in lines if (site := site_at(source, tree, line, seen[0]))]
    found = by_rounds([replace(each, suspicion=1.0) for each in sites], seen[0], seen[1:], PROJECT)
    assert [each.suspicion for each in found] == sorted(
        (each.suspicion for each in found), reverse=True
    )
    return {line_of(each): each.suspicion for each in found}


def line_of(site: Site) -> int:
    return site.span.line


def test_the_loop_comes_first_then_its_function() -> None:
    assert weights(failure("TestTimeout", ("resolve", 7))) == {
        **dict.fromkeys((4, 5, 7), 1.0),
        **dict.fromkeys((2, 3, 8), 0.8),
        **dict.fromkeys((12, 13, 18, 21, 25), 0.5),
    }


def test_a_loop_that_ends_in_a_function_that_is_called_meanwhile() -> None:
    found = weights(
        failure("TestTimeout", ("resolve", 5), ("leads", 13)),
        failure("TestTimeout", ("resolve", 7)),
    )
    assert {line for line, weight in found.items() if weight == 1.0} == {4, 5, 7}
    assert (found[12], found[13], found[25]) == (0.8, 0.8, 0.5)


def test_the_innermost_loop_where_it_was_seen_in_one_place_only() -> None:
    found = weights(failure("TestTimeout", ("resolve", 5), ("leads", 13)))
    assert {line for line, weight in found.items() if weight == 1.0} == {12, 13}


def test_where_there_is_no_loop_the_functions_on_the_stack_come_first() -> None:
    found = weights(failure("TestTimeout", ("size", 21), ("other", 25)))
    assert {line for line, weight in found.items() if weight == 0.8} == {25}


def test_the_calls_that_recur_come_first() -> None:
    found = weights(failure("RecursionError", ("resolve", 7), *[("size", 21)] * 40, ("other", 25)))
    assert (found[21], found[18], found[25], found[7]) == (1.0, 0.8, 0.5, 0.5)


def test_a_failure_of_another_kind_stays_as_it_is() -> None:
    found = weights(failure("AssertionError", ("resolve", 7)))
    assert set(found.values()) == {1.0}
    assert set(weights(Failure("test", "call", None, "died")).values()) == {1.0}
