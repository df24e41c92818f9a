"""Projects of three sizes, each with one failing test and the edits that are tried on it."""

from __future__ import annotations

import sys
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

    def label(self) -> str:
        name = {owner}.strip()
        return "basket of " + name
"""
_TEST = """\
from shop.{name} import Basket


"""
_CASE = """\
def test_{number}():
    assert Basket("x").add({number}).add(2).total() == {number} + 2


"""
_NOBODY = """\
def test_{number}():
    assert Basket(None).label() == "basket of "


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


def plain_python() -> Path:
    """Return an interpreter with pytest and no plugins, made by the tests; else this one."""
    from tests.interpreters import interpreter

    version = "{}.{}".format(*sys.version_info)
    return interpreter(version, "pytest==8.4.2") or Path(sys.executable)


def make(folder: Path, size: str, *, healable: bool = False) -> Project:
    """Write the project of that size into the folder. The large one takes a second to import.

    One test fails: by a wrong sum, or where it is to be ``healable``, by a None.
    """
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
        owner = "self.owner" if buggy and healable else '(self.owner or "")'
        text = _MODULE.format(extra=int(buggy and not healable), owner=owner)
        cases = _cases(count, buggy, healable)
        (root / "shop" / f"{name}.py").write_text(text)
        (root / "tests" / f"test_{name}.py").write_text(_TEST.format(name=name) + cases)
    last = f"part_{modules - 1}"
    failing = f"tests/test_{last}.py::test_{each + tests - modules * each - 1}"
    return Project(root, failing, root / "shop" / f"{last}.py")


def _cases(count: int, buggy: bool, healable: bool) -> str:
    if not buggy:
        return "".join(_CASE.format(number=number) for number in range(count))
    last = (_NOBODY if healable else _CASE).format(number=count - 1)
    return _passing(count - 1) + last


def _passing(count: int) -> str:
    return "".join(
        f"def test_owner_{number}():\n    assert Basket({number}).owner == {number}\n\n\n"
        for number in range(count)
    )
