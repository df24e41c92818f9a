"""What hides a failure is never called a repair of its cause."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from selfdebug.codemods import catalogue
from selfdebug.codemods._base import Codemod, Example
from selfdebug.codemods._first_order import FirstOrder
from selfdebug.codemods.borrowed_statement import BorrowedStatement
from selfdebug.codemods.early_exit import EarlyExit
from selfdebug.codemods.guarded_statement import GuardedStatement
from selfdebug.codemods.repeated_check import RepeatedCheck
from tests.codemods.examples import shown

CAUSES = [
    pytest.param(codemod, example, id=f"{codemod.NAME}: {example.note}")
    for codemod in catalogue()
    if not issubclass(codemod, FirstOrder)
    for example in codemod.EXAMPLES
    if example.after is not None and example.changed == example.file
    if any(each.name == example.variant and each.kind == "root-cause" for each in codemod.VARIANTS)
    if codemod.NAME != "syntax-slip"  # before, there is nothing to count
]


def ways_out(code: str) -> tuple[int, int]:
    """Count the branches and handlers, and those of them that only leave, or do not raise."""
    every = [n for n in ast.walk(ast.parse(code)) if isinstance(n, ast.If | ast.ExceptHandler)]
    leaving = [
        node
        for node in every
        if (
            not isinstance(node.body[-1], ast.Raise)
            if isinstance(node, ast.ExceptHandler)
            else len(node.body) == 1
            and isinstance(node.body[0], ast.Return | ast.Continue | ast.Break | ast.Pass)
        )
    ]
    return len(every), len(leaving)


@pytest.mark.parametrize(("codemod", "example"), CAUSES)
def test_a_repair_of_the_cause_adds_no_way_around_it(
    codemod: type[Codemod], example: Example
) -> None:
    assert example.after is not None
    before = example.before.replace("«", "").replace("»", "")
    # A recursion lacks just that: the case in which it ends.
    lacks = codemod.NAME == "end-recursion" and example.variant == "base-case"
    more, leaving = (
        new - old for new, old in zip(ways_out(example.after), ways_out(before), strict=True)
    )
    assert min(more, leaving) <= lacks


CHECKS = [
    pytest.param(codemod, example, id=f"{codemod.NAME}: {example.note}")
    for codemod in (BorrowedStatement, EarlyExit, GuardedStatement, RepeatedCheck)
    for example in codemod.EXAMPLES
    if example.after is not None and example.variant not in ("corrected", "at-bound", "applied")
    if example.note != "the other bound"  # it corrects a value, and goes on
]


@pytest.mark.parametrize(("codemod", "example"), CHECKS)
def test_a_check_in_front_of_a_crash_is_a_guard_unless_it_raises(
    codemod: type[FirstOrder], example: Example
) -> None:
    project, site = shown(example, codemod)
    crash = replace(site, exc_type="KeyError", message="'b'", shapes=frozenset(("raises",)))
    for repair in codemod.repairs(crash, project):
        added = b"".join(edit.after for edit in repair.edits)
        if repair.variant.name == example.variant and b"raise" not in added:
            assert repair.variant.kind == "guard"
