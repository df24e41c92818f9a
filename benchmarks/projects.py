"""Projects of three sizes, each with one failing test and the edits that are tried on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SIZES = {"small": (1, 3), "medium": (40, 300), "large": (100, 5000)}  # modules, tests

_MODULE = """\
def total(prices):
    result = 0
    for price in prices:
        result += price
    return result + {extra}


class Basket:
    def __init__(self, owner):
        self.owner = owner
        self.prices = []

    def add(self, price):
        self.prices.append(price)
        return self

    def total(self):
        return total(self.prices)
"""
_TEST = """\
from shop.{name} import Basket


"""
_CASE = """\
def test_{number}():
    assert Basket("x").add({number}).add(2).total() == {number} + 2


"""
_SECOND = """\
import time

began, ROWS = time.process_time(), {}
while time.process_time() - began < 1.0:
    number = len(ROWS)
    if number < 300_000:
        ROWS[str(number)] = (number, [number])
"""


class Project(NamedTuple):
    """Where it is, the test that fails, and the file at fault."""

    root: Path
    failing: str
    file: Path

    def candidates(self) -> Iterator[bytes]:
        """Wrong repairs without end; the right one is ``repair``."""
        source, number = self.file.read_bytes(), 0
        while True:
            number += 1
            yield source.replace(b"result + 1", b"result + 1 - %d" % (number + 1))

    def repair(self) -> bytes:
        """The file without its bug."""
        return self.file.read_bytes().replace(b"result + 1", b"result")


def make(folder: Path, size: str) -> Project:
    """Write the project of that size into the folder. The large one takes a second to import."""
    modules, tests = SIZES[size]
    root, each = folder / size, tests // modules
    (root / "shop").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n')
    (root / "shop" / "__init__.py").write_text(_SECOND if size == "large" else "")
    for index in range(modules):
        name = f"part_{index}"
        # Only the last has the bug, and only its last test sees it.
        buggy = index == modules - 1
        count = each + (tests - modules * each if buggy else 0)
        text = _MODULE.format(extra=0)
        cases = "".join(_CASE.format(number=number) for number in range(count))
        if buggy:
            text = text.replace("result + 0", "result + 1")
            cases = cases.replace("def test_", "def check_", count - 1)
            cases += _passing(count - 1)
        (root / "shop" / f"{name}.py").write_text(text)
        (root / "tests" / f"test_{name}.py").write_text(_TEST.format(name=name) + cases)
    last = f"part_{modules - 1}"
    failing = f"tests/test_{last}.py::test_{each + tests - modules * each - 1}"
    return Project(root, failing, root / "shop" / f"{last}.py")


def _passing(count: int) -> str:
    return "".join(
        f"def test_owner_{number}():\n    assert Basket({number}).owner == {number}\n\n\n"
        for number in range(count)
    )
