"""How complex code is, and what an edit adds."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from selfdebug.planning.complexity import Complexity, added, complexity

CODE = {
    "nothing branches": ("def f(a):\n    return a\n", 0, 0),
    "a branch": ("def f(a):\n    if a:\n        return 1\n", 1, 1),
    "an else": ("if a:\n    b()\nelse:\n    c()\n", 1, 2),
    "an elif is no deeper": ("if a:\n    b()\nelif c:\n    d()\nelif e:\n    f()\n", 3, 3),
    "a branch in a loop": ("for a in b:\n    if a:\n        c()\n", 2, 3),
    "a row of operators": ("if a and b and c:\n    d()\n", 3, 2),
    "rows of different operators": ("if a and b or c:\n    d()\n", 3, 3),
    "a condition in a branch": ("if a:\n    b = c if d else e\n", 2, 3),
    "a handler": ("try:\n    a()\nexcept KeyError:\n    if b:\n        c()\n", 2, 3),
    "a comprehension": ("a = [b for b in c if b]\n", 1, 0),
}


@pytest.mark.parametrize("what", CODE)
def test_complexity_counts_as_its_authors_say(what: str) -> None:
    code, cyclomatic, cognitive = CODE[what]
    assert complexity(ast.parse(code)) == Complexity(cyclomatic, cognitive)


def test_a_guard_counts_the_more_the_deeper_it_is_put() -> None:
    before = dedent(
        """
        def total(orders):
            found = 0
            for order in orders:
                for line in order.lines:
                    found += line.price
                    found += line.tax
                    order.seen()
            return found
        """
    )
    outside = before.replace(
        "    found = 0\n", "    if orders is None:\n        return 0\n    found = 0\n"
    )
    inside = before.replace(
        "            found += line.tax\n",
        "            if line.tax:\n                    found += line.tax\n",
    )
    assert added(before, outside) == Complexity(1, 1)
    assert added(before, inside) == Complexity(1, 3)
    assert added(inside, before) == Complexity(-1, -3)


def test_what_does_not_parse_tells_nothing() -> None:
    assert added("a = 1\n", "a = (\n") == Complexity()
