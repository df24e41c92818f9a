"""In which attributes and keys a failing assertion finds a difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfdebug.localization.compared import compared
from selfdebug.model import Failure, Frame, Raised
from selfdebug.syntax.project import Project

ROOT = Path("/nowhere/project")


def of(message: str, source: str = "", kind: str = "AssertionError", **attrs: str) -> set[str]:
    frame = Frame("test_shop.py", 1, source=source or None)
    raised = Raised(kind, message, (frame,), attrs=attrs)
    return {*compared(Failure("test", "call", raised), Project(ROOT))}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("assert bill.tip == 3", {"tip"}),
        ("assert 3 == bills[0].tip", {"tip"}),
        ("assert bill['tip'] == 3", {"tip"}),
        ("assert bill.get('tip') == 3", {"tip"}),
        ("assert round(bill.tip) == 3", {"tip"}),
        ("assert not bill.paid", {"paid"}),
        ("self.assertEqual(bill.tip, 3)", {"tip"}),
        ("assert total(bill) == 3", set()),
        ("assert capsys.readouterr().out == '3'", set()),
    ],
)
def test_the_assertion_names_what_it_compares(source: str, found: set[str]) -> None:
    assert of("assert 4 == 3", source) == found


def test_of_a_row_of_attributes_the_one_that_differs() -> None:
    told = "assert (1, 0) == (1, 2)\n  \n  At index 1 diff: 0 != 2\n  Use -v to get more diff"
    assert of(told, "assert (line.sent, line.errors) == (1, 2)") == {"errors"}


def test_dataclasses_differ_in_attributes() -> None:
    told = (
        "assert Rect(left=20,...t=60, top=100) == Rect(left=20,...ht=60, top=60)\n  \n"
        "  Omitting 3 identical items, use -vv to show\n"
        "  Differing attributes:\n  ['right', 'top']\n  \n"
        "  Drill down into differing attribute right:\n    right: 1 != 2"
    )
    assert of(told, "assert cut(a, b) == Rect(20, 0, 60, 60)") == {"right", "top"}


def test_of_a_list_the_first_objects_that_differ() -> None:
    told = (
        "assert [Span(start=1, end=5)] == [Span(start=1, end=9)]\n  \n"
        "  At index 0 diff: Span(start=1, end=5) != Span(start=1, end=9)\n"
        "  Use -v to get more diff"
    )
    assert of(told, "assert merge(spans) == merged") == {"end"}


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("{'Ann': 40, 'Ben': 1}", "{'Ann': 40, 'Ben': 40}", {"Ben"}),
        ("{'Ann': 40}", "{'Ann': 40, 'Ben': 40}", {"Ben"}),
        ("[{'a': 1}, {'a': 2, 'b': 3}]", "[{'a': 1}, {'a': 2, 'b': 4}]", {"b"}),
        ("{1: 'a'}", "{1: 'b'}", {"1"}),
        ("[3, 4]", "[3, 5]", set()),
        ("<shop.Cart>", "<shop.Cart>", set()),
    ],
)
def test_the_values_that_were_seen(one: str, other: str, found: set[str]) -> None:
    assert of("assert a == b", "assert a == b", left=one, right=other) == found


def test_an_exception_compares_nothing() -> None:
    assert of("'tip'", "assert bill['tip'] == 3", kind="KeyError") == set()
    assert compared(Failure("test", "call", None), Project(ROOT)) == frozenset()


def test_an_assertion_over_several_lines_is_read_where_it_stands() -> None:
    file = ROOT / "test_shop.py"
    text = b"def test_tip():\n    assert (\n        bill(3).tip\n        == 3\n    )\n"
    project = Project(ROOT, (), {file: text})

    def told(line: int, source: str) -> set[str]:
        frames = (Frame(str(file), line, source=source),)
        raised = Raised("AssertionError", "assert 4 == 3", frames)
        return {*compared(Failure("test", "call", raised), project)}

    assert told(2, "    assert (") == {"tip"}
    assert told(2, "assert bill.paid") == {"paid"}  # the file is another one by now
    assert told(200, "assert bill.paid") == {"paid"}


def test_a_value_that_is_nested_too_deep_tells_nothing() -> None:
    deep = "+".join("1" * 3000)
    assert of("assert a == b", "assert a == b", left=f"[{deep}]", right=f"[{deep}+1]") == set()
