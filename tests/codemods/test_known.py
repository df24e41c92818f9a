"""What conditions come to for values that were seen: beyond what examples show."""

from __future__ import annotations

import pytest

from selfdebug.codemods._known import holds
from selfdebug.model import Value

SEEN = {
    "n": Value("int", "3"),
    "text": Value("str", "''", 0),
    "rows": Value("list", "[1, 2, ...]", 40),
    "ratio": Value("float", "nan"),
    "nothing": Value("NoneType", "None"),
    "cart": Value("shop.Cart"),
    "cart.lines": Value("list", "[]", 0),
    "flag": Value("bool", "True"),
}


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("n < 3", False),
        ("2 < n <= 3", True),
        ("not text", True),
        ("len(rows) == 40", True),
        ("rows", True),
        ("n + 1 >= len(rows) // 10", True),
        ("ratio != ratio", True),
        ("nothing is None and n", True),
        ("cart is not None", True),
        ("not cart.lines", True),
        ("isinstance(flag, int)", True),
        ("isinstance(n, (str, bytes))", False),
        ("isinstance(cart, shop.Cart)", True),
        ("n in (1, 2)", False),
        ("unseen and n > 5", False),
        ("unseen or n == 3", True),
        ("n == -3", False),
    ],
)
def test_what_the_values_tell(code: str, outcome: bool) -> None:
    assert holds(code, SEEN) is outcome


@pytest.mark.parametrize(
    "code",
    [
        "unseen",
        "unseen and n == 3",
        "cart",
        "cart == n",
        "rows == [1, 2]",
        "isinstance(cart, Basket)",
        "n is flag",
        "n / 0 > 1",
        "text < n",
        "check(n)",
        "n +",
    ],
)
def test_what_they_do_not_tell(code: str) -> None:
    assert holds(code, SEEN) is None
