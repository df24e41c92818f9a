"""The catalogue for people: what each codemod is for, and what it makes of code."""

from __future__ import annotations

from selfdebug.codemods import catalogue
from selfdebug.codemods.comparison_operator import ComparisonOperator
from selfdebug.codemods.null_guard import NullGuard
from selfdebug.codemods.probe import Probe
from selfdebug.reporting.catalogue import as_json, listing, page


def test_crashes_wrong_results_and_what_only_looks_are_told_apart() -> None:
    assert listing([NullGuard, ComparisonOperator, Probe]) == (
        "Repairs of crashes, where they show or where the bad value was born:\n"
        f"  null-guard           {NullGuard.DESCRIPTION}\n"
        "\n"
        "Small edits of suspicious statements, where an answer is wrong or never comes:\n"
        f"  comparison-operator  {ComparisonOperator.DESCRIPTION}\n"
        "\n"
        "To look on:\n"
        f"  probe                {Probe.DESCRIPTION}\n"
    )
    uses = {each["name"]: each["use"] for each in as_json(catalogue())["codemods"]}
    assert len(uses) == len(catalogue())
    assert (uses["null-guard"], uses["comparison-operator"], uses["probe"]) == (
        "crash",
        "wrong-result",
        "diagnosis",
    )


def test_a_repair_is_a_diff_and_a_refusal_is_code_that_stays() -> None:
    told = page(NullGuard)
    repairs, refusals = told.split("Refusals: code that looks alike and stays:\n")
    assert "    - " in repairs
    assert "    + " in repairs
    assert "\n      rate = 100 / «count»\n" in refusals
    assert not [line for line in refusals.splitlines() if line.lstrip().startswith(("- ", "+ "))]
    assert not [line for line in told.splitlines() if line != line.rstrip()]
