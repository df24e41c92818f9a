"""Many candidates of one test: processes wait where it is called, with its fixtures set up."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfdebug.validation import warm
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits
from selfdebug.validation.warm import WarmRun, WarmServer
from tests.interpreters import PYTEST_9, interpreter
from tests.validation import agreement

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="warm runs need Linux")

LIMITS = Limits(20.0, memory=2 * 1024**3, file=4 * 1024**2)
SHOP = """\
import random

random.seed(7)
DRAWN = random.random


def price(items):
    return sum(items) + 1


def parts(items):
    yield from items
"""
CONFTEST = """\
import random
import pytest
import shop


@pytest.fixture
def items():
    return [1, 2]


@pytest.fixture
def priced():
    return shop.price([1, 2])


@pytest.fixture
def begun():
    return shop.parts([1, 2])


@pytest.fixture
def made():
    exec("def inner(total): return shop.price(total)", globals())
    return inner


@pytest.fixture
def seeded():
    random.seed(3)


@pytest.fixture
def written(tmp_path):
    (tmp_path / "note").write_text("1")
    return tmp_path / "note"


@pytest.fixture
def opened():
    with open(__file__) as stream:
        yield stream
"""
TESTS = """\
import random
import unittest
import pytest
import shop


def test_price(items):
    assert shop.price(items) == 3


def test_priced(priced):
    assert priced == 3


def test_begun(begun):
    assert list(begun) == [2, 4]


def test_made(made):
    assert made([1, 2]) == 3


def test_seeded(seeded):
    assert (random.random(), shop.price([0])) == (random.Random(3).random(), 0)


def test_written(written):
    assert written.read_text() == "1"
    written.write_text("2")
    assert shop.price([0]) == 0


def test_opened(opened):
    assert opened.readline() == "import random\\n"
    assert shop.price([0]) == 0


@pytest.mark.xfail(strict=True)
def test_expected():
    assert shop.price([0]) == 1


class TestCase(unittest.TestCase):
    def test_method(self):
        self.assertEqual(shop.price([0]), 0)
"""
RIGHT, WRONG = (("return sum(items) + 1", f"return sum(items) + {extra}") for extra in (0, 2))
HALF, DOUBLE = (("yield from items", f"yield from [each {op} 2 for each in items]") for op in "/*")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmServer]:
    root, scratch = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("scratch")
    for name, text in (("shop", SHOP), ("conftest", CONFTEST), ("test_shop", TESTS)):
        (root / f"{name}.py").write_text(text)
    python = interpreter(*PYTEST_9) or Path(sys.executable)
    server = warm.start(PytestCommand(root, python, scratch=scratch), 1)
    assert isinstance(server, WarmServer)
    with server:
        yield server


def _tried(
    server: WarmServer, test: str, change: tuple[str, str], known: list[str] | None = None
) -> WarmRun:
    file = server.command.root / "shop.py"
    contents = {file: SHOP.replace(*change).encode()}
    run = server.run(contents, [f"test_shop.py::{test}"], LIMITS, known=known)
    assert isinstance(run, WarmRun)
    return run


def _often(server: WarmServer, test: str, change: tuple[str, str] = WRONG) -> None:
    for _ in range(warm.HOT):
        _tried(server, test, change)


@pytest.mark.parametrize("known", [None, []])
@pytest.mark.parametrize("test", ["test_price", "test_seeded", "test_made"])
def test_a_test_that_is_tried_often_is_tried_where_it_is_called(
    server: WarmServer, test: str, known: list[str] | None
) -> None:
    _often(server, test)
    wrong, right, again = (_tried(server, test, each, known) for each in (WRONG, RIGHT, WRONG))
    assert [each.how for each in (wrong, right, again)] == ["call"] * 3
    assert [each.run.exit_code for each in (wrong, right, again)] == [1, 0, 1]
    assert [each.function for each in right.ran] == ["price"]
    assert right.run.outcomes == {f"test_shop.py::{test}": "passed"}


@pytest.mark.parametrize(
    ("test", "wrong", "right"),
    [
        ("test_priced", WRONG, RIGHT),  # a fixture runs what is changed
        ("test_begun", HALF, DOUBLE),  # a fixture begins to
        ("test_written", WRONG, RIGHT),  # a fixture writes what all would share
        ("test_opened", WRONG, RIGHT),  # a fixture opens what all would share
        ("TestCase::test_method", WRONG, RIGHT),  # unittest calls it
    ],
)
def test_what_they_would_share_makes_each_go_the_whole_way(
    server: WarmServer, test: str, wrong: tuple[str, str], right: tuple[str, str]
) -> None:
    _often(server, test, wrong)
    for change, code in ((wrong, 1), (right, 0), (wrong, 1)):
        tried = _tried(server, test, change)
        assert (tried.how, tried.run.exit_code) == ("swap", code)


def test_what_it_says_is_what_a_cold_run_says(server: WarmServer) -> None:
    file = server.command.root / "shop.py"
    _often(server, "test_price")
    for change in (WRONG, RIGHT, ("sum(items) + 1", "items.total"), ("items) + 1", "items) / 0")):
        text = SHOP.replace(*change)
        warmly, differences = agreement.compare(
            server, server.command, file, text, ["test_shop.py::test_price"]
        )
        assert not differences
        assert isinstance(warmly, WarmRun)
        assert warmly.how == "call"


def test_a_failure_that_is_expected_is_none(server: WarmServer) -> None:
    _often(server, "test_expected", RIGHT)
    fails, passes = (
        _tried(server, "test_expected", each, []) for each in (RIGHT, ("+ 1", "+ (1)"))
    )
    assert (fails.how, fails.run.exit_code) == ("call", 0)
    assert (passes.how, passes.run.exit_code) == ("call", 1)


@pytest.mark.parametrize("line", ["while True: pass", "import os; os._exit(3)"])
def test_what_does_not_end_or_ends_all_costs_itself(server: WarmServer, line: str) -> None:
    _often(server, "test_price")
    file = server.command.root / "shop.py"
    bad = SHOP.replace("return sum(items) + 1", line).encode()
    tried = server.run({file: bad}, ["test_shop.py::test_price"], Limits(0.5), known=[])
    assert isinstance(tried, WarmRun)
    assert (tried.how, tried.run.exit_code) == ("call", None if "while" in line else 3)
    assert _tried(server, "test_price", RIGHT).run.exit_code == 0
