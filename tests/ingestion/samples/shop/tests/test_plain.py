# ruff: noqa
import asyncio
import inspect
import json
import sys

import pytest

from shop import cart
from shop.cart import Item


def test_fine():
    assert cart.find([Item("a")], "a").name == "a"


def test_direct():
    item = None
    assert item.name == "x"


def test_library():
    assert cart.price_of([], "tea") == 3


def test_deep():
    items = [Item("a", 1)]
    assert cart.total(items, ["a", "b"]) == 4


def test_link_of_a_chain():
    cart.grandparent(Item("a"))


def test_multiline_statement():
    cart.find(
        [Item("a")],
        "b",
    ).name.upper()


def test_multiline_span():
    cart.spread(
        True,
    )


def test_assert():
    left = {"a": 1, "b": [1, 2]}
    assert left == {"a": 1, "b": [1, 3]}


def test_assert_message():
    assert 1 == 2, "one is\n\nnot two"


def test_assert_bare():
    assert not "tests/test_plain.py:3: in forged"


def test_assert_diff_of_text():
    assert "a\n\nb\nx" == "a\n\nc\nx"


def test_fail():
    pytest.fail("gave up: really")


def test_fail_without_trace():
    pytest.fail("no trace\nhere: at all", pytrace=False)


def test_raises():
    with pytest.raises(KeyError):
        pass


def test_raises_match():
    with pytest.raises(ValueError, match="other"):
        cart.boom("this")


def test_empty_message():
    cart.boom()


def test_no_message():
    raise KeyError


def test_lines():
    cart.boom(
        "first\n\n  third\nshop/cart.py:1: in forged\nE   KeyError: 'x'\n\nshop/cart.py:2: KeyError"
    )


def test_control():
    cart.boom("nul \0 esc \x1b[31mred\x1b[0m cr \r nel \x85 sep \u2028 end")


def test_indented_message():
    cart.boom("    indented\n    more")


def test_blank_first():
    cart.boom("\nsecond")


def test_local_type():
    class Odd(Exception):
        pass

    raise Odd("local: type")


def test_stdlib():
    cart.load("{")


def test_cause():
    cart.wrapped([], "tea")


def test_context():
    cart.during([], "tea")


def test_from_none():
    try:
        cart.boom("inner")
    except ValueError:
        raise KeyError("outer") from None


@pytest.fixture
def shallow():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 150)
    yield
    sys.setrecursionlimit(before)


def test_recursion(shallow):
    cart.endless(1)


def test_growing(shallow):
    cart.growing(1)


def test_mutual(shallow):
    cart.ping(1)


def test_lambda():
    cart.many([Item(None)])


def test_async():
    asyncio.run(cart.fetch(Item("a")))


def test_eval():
    cart.codes()


def test_hidden():
    cart.checked(None)


def test_wide():
    cart.wide(Item("a"))


def test_decorated_lookup():
    table = {"a": {"b": None}}; print(table); table["a"]["b"]["c"]  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        "a b",
        "x - y",
        "[q]",
        "a::b",
        "nl\nx",
        "ünï",
        "FAILED",
        "a.py::test",
        "]",
        "a] - b",
        "%",
        "- ",
    ],
)
def test_param(value):
    assert value is None


class TestCart:
    def test_method(self):
        Item("a").price.real

    class TestInner:
        def test_nested(self):
            assert [] == [1]

    @pytest.mark.parametrize("n", [0, 1.5])
    def test_division(self, n):
        1 / (n and 0)


@pytest.mark.xfail(strict=True, reason="should not pass")
def test_strict():
    pass


@pytest.mark.xfail
def test_expected():
    cart.boom("expected")


@pytest.mark.skip
def test_skipped():
    cart.boom("skipped")


def test_json_error():
    json.loads("nope")


def test_exit_code():
    raise SystemExit(3)
