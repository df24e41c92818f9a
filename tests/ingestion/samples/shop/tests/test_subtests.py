# ruff: noqa
import pytest

from shop import cart


def test_subtests(subtests):
    for i in range(3):
        with subtests.test(msg="round", i=i):
            assert i == 1
    with subtests.test("a - b::c"):
        cart.boom("sub")


def test_subtests_then_failure(subtests):
    with subtests.test():
        cart.price_of([], "x")
    cart.boom("whole")
