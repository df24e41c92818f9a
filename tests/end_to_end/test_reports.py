"""``docs/reports.md`` is in step with the expected diffs of bundled projects, and with the tool."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.reports import CRASHES, PAGE, RIVALS, WRONG, report

FIXTURES = Path(__file__).parents[2] / "fixtures"


def told(name: str) -> str:
    """The page's report of a project."""
    page = PAGE.read_text("utf-8")
    found = re.search(
        rf"^## fixtures/{name}\n\n(.*?)(?=^## fixtures/|\Z)", page, re.MULTILINE | re.DOTALL
    )
    assert found, f"make reports: {name} is missing"
    return found[1]


@pytest.mark.parametrize("name", CRASHES)
def test_a_report_shows_the_expected_patch(name: str) -> None:
    diff = re.search(r"^```+diff\n(.*?)^```+$", told(name), re.MULTILINE | re.DOTALL)
    assert diff
    assert diff[1] == (FIXTURES / name / "expected.diff").read_text("utf-8")


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_result_is_reported_with_a_patch(name: str) -> None:
    # Which one of several that do the same is kept is for ``make bench-wrong`` to say.
    assert "```diff\n" in told(name)


@pytest.mark.parametrize("name", CRASHES)
def test_a_report_of_a_crash_names_the_kind_and_the_codemod(name: str) -> None:
    expect = json.loads((FIXTURES / name / "expect.json").read_text("utf-8"))
    kind = re.search(r"- Kind: \*\*(.+?)\*\* .*, (\S+)/(\S+)$", told(name), re.MULTILINE)
    assert kind
    assert kind.groups() == (expect["kind"], expect["codemod"], expect["variant"])


def test_ten_reports_have_rivals_that_disagree() -> None:
    page = PAGE.read_text("utf-8").split("\n## fixtures/")
    assert sum(" with the patch above.\n" in each for each in page) == 10


@pytest.mark.parametrize("name", RIVALS)
def test_a_report_of_rivals_shows_a_call_to_which_one_answers_differently(name: str) -> None:
    assert "```diff\n" in told(name)
    rivals = told(name).partition("#### Other patches under which the tests pass\n")[2]
    differs = re.search(
        r"^- \S+ at .*\. `+(.+?)`+ `+(.+?)`+ with it, `+(.+?)`+ with the patch above\.$",
        rivals,
        re.MULTILINE,
    )
    assert differs
    call, there, here = differs.groups()
    assert re.fullmatch(r"[\w.]+\(.*\)", call)
    assert there != here
    assert there.startswith(("returns ", "raises "))
    assert here.startswith(("returns ", "raises "))


def test_a_report_is_as_the_tool_writes_it_now() -> None:
    assert report("seat_map").strip() == f"## fixtures/seat_map\n\n{told('seat_map')}".strip()
