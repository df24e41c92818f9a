"""What hides a failure is never called a repair of its cause."""

from __future__ import annotations

import ast

import pytest

from selfdebug.codemods import catalogue
from selfdebug.codemods._base import Codemod, Example
from selfdebug.codemods._first_order import FirstOrder

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
