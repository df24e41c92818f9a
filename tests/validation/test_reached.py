"""Which lines a test executes, and which tests a patch may break."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from selfdebug.validation import warm
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits
from selfdebug.validation.reach import reaching
from selfdebug.validation.runner import Runner
from selfdebug.validation.warm import WarmRun, WarmServer
from tests.validation.test_cold import HERE, write

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the warm runner is for Linux only")

SHOP = """\
def price(item):
    if item is None:
        return 0
    return (
        item.price
        * 2
    )


def rows(items):
    for item in items:
        yield item


def unused():
    return 1
"""
TESTS = """\
import pytest
from shop import price, rows


@pytest.fixture(scope="module")
def lent():
    return list(rows([1]))


def test_nothing():
    assert price(None) == 0


def test_rows():
    assert list(rows("ab")) == ["a", "b"]


def test_lent(lent):
    assert lent == [1]


def test_fails():
    assert price(None) == 1
"""
NOTHING, ROWS, LENT, FAILS = (
    f"test_shop.py::test_{name}" for name in ("nothing", "rows", "lent", "fails")
)


def project(folder: Path) -> Path:
    return write(folder / "project", {"shop.py": SHOP, "test_shop.py": TESTS})


def reached(root: Path, python: Path = HERE) -> WarmRun:
    with started(root, python) as server:
        told = server.reached(Limits(60))
    assert isinstance(told, WarmRun)
    return told


def started(root: Path, python: Path = HERE) -> WarmServer:
    server = warm.start(PytestCommand(root, python))
    assert isinstance(server, WarmServer)
    return server


@pytest.mark.parametrize("python", [Path(sys.executable), HERE], ids=["own", "3.13"])
def test_each_test_has_the_lines_that_it_executes_itself(python: Path, tmp_path: Path) -> None:
    told = reached(project(tmp_path), python)
    shop = {
        test: sorted(line for file, line in lines if file.name == "shop.py")
        for test, lines in told.reached.items()
    }
    assert shop == {NOTHING: [2, 3], ROWS: [11, 12], LENT: [11, 12], FAILS: [2, 3]}
    assert told.run.outcomes[FAILS] == "failed"


WAYS = """\
def sign(x):
    if x < 0:
        return -1
    return 1


def busy(limit):
    n = 0
    while n < limit:
        n += 1
    return n
"""
GOING = """\
from ways import busy, sign


def test_minus():
    assert sign(-2) == -1


def test_plus():
    assert sign(2) == 1


def test_both():
    assert sign(2) == -sign(-2)


def test_long():
    assert busy(500) == 500


def test_endless():
    for _ in range(2):
        assert busy(0) == 0
"""


@pytest.mark.parametrize("python", [Path(sys.executable), HERE], ids=["own", "3.13"])
def test_each_test_has_the_ways_that_it_goes_from_a_condition(python: Path, tmp_path: Path) -> None:
    root = write(tmp_path / "project", {"ways.py": WAYS, "test_ways.py": GOING})
    told = reached(root, python)
    minus, plus, both, long, endless = (
        frozenset(
            way
            for way in told.branches[f"test_ways.py::test_{name}"]
            if way[0].name == "ways.py" and way[1] in (2, 9)
        )
        for name in ("minus", "plus", "both", "long", "endless")
    )
    assert len(minus) == len(plus) == len(endless) == 1
    assert {line for _, line, _ in minus | plus} == {2}
    assert both == minus | plus > minus
    assert len(long) > 1
    assert {line for _, line, _ in long | endless} == {9}


ITEM = """\
class Item:
    def __repr__(self):
        return self.name()

    def name(self):
        return "item"
"""
EXPLAINED = """\
import unittest
from item import Item

class Test(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(Item(), Item())

def test_same():
    assert Item() == Item()

def test_shown():
    assert repr(Item()) == "thing"
"""


@pytest.mark.parametrize("python", [Path(sys.executable), HERE], ids=["own", "3.13"])
def test_what_only_explains_a_failed_assertion_is_not_executed_by_it(
    python: Path, tmp_path: Path
) -> None:
    root = write(tmp_path / "project", {"item.py": ITEM, "test_item.py": EXPLAINED})
    told = reached(root, python)
    lines = {
        test.rpartition("_")[2]: sorted(line for file, line in lines if file.name == "item.py")
        for test, lines in told.reached.items()
    }
    assert lines == {"equal": [], "same": [], "shown": [3, 6]}
    assert {*told.run.outcomes.values()} == {"failed"}


def test_what_fails_and_the_other_tests_of_its_file_are_run_before_all_others(
    tmp_path: Path,
) -> None:
    root = project(tmp_path)
    (root / "test_a.py").write_text("def test_other():\n    pass\n")
    with started(root) as server:
        told = server.reached(Limits(60), [FAILS])
    assert isinstance(told, WarmRun)
    assert [*told.reached] == [FAILS, NOTHING, ROWS, LENT, "test_a.py::test_other"]


def test_a_patch_may_break_what_passed_and_executes_its_lines(tmp_path: Path) -> None:
    root = project(tmp_path)
    told, shop = reached(root), root / "shop.py"

    def patched(old: str, new: str) -> set[str]:
        after = SHOP.replace(old, new).encode()
        return set(reaching(told, {shop: SHOP.encode()}, {shop: after}))

    assert patched("return 0", "return 7") == {NOTHING}
    assert patched("yield item", "yield item\n        yield 1") == {ROWS, LENT}
    assert patched("return 1", "return 2") == {ROWS, LENT}  # the closest code above that runs
    assert patched("def price", "X = 1\n\n\ndef price") == set()


def test_after_a_patch_broke_tests_the_next_ones_are_looked_at_before_their_proof(
    tmp_path: Path,
) -> None:
    root = project(tmp_path)
    shop, before = root / "shop.py", SHOP.encode()
    steps: list[str] = []
    with started(root) as server:
        runner = Runner(server.command, steps.append, server=server)
        wrong = {shop: before.replace(b"return 0", b"return 1")}
        assert runner.breaks({shop: before}, wrong) is None
        assert steps == []
        runner.remember_broken([NOTHING])
        assert runner.breaks({shop: before}, wrong) == NOTHING
        harmless = {shop: before.replace(b"return 0", b"return 0 if not item else 1")}
        assert runner.breaks({shop: before}, harmless) is None
    assert shop.read_bytes() == before
