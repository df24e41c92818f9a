# ruff: noqa
import pytest

from shop import cart


@pytest.fixture
def broken():
    return cart.price_of([], "fixture")


@pytest.fixture
def messy():
    yield 1
    cart.boom("teardown")


@pytest.fixture
def dependent(broken):
    return broken


def test_setup(broken):
    pass


def test_dependent(dependent):
    pass


def test_teardown(messy):
    pass


def test_both(messy):
    assert messy == 2


def test_missing(nowhere):
    pass


class TestGroup:
    def test_missing_too(self, nowhere_else):
        pass

    @pytest.mark.parametrize("x", ["a - b"])
    def test_setup_param(self, broken, x):
        pass
