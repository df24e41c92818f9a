"""A small project with code of every shape, and the edits that can be made to it, one place each."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MODULE = Path("shapes/core.py")
TESTS = Path("tests/test_core.py")

CORE = '''\
"""Code of every shape."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import sys

RATE = 2
NAMES = ["ann", "bob"]


def build(size):
    return {number: number * RATE for number in range(size)}


TABLE = build(3)


def double(value):
    """Twice as much."""
    return value * RATE


def shout(text, mark="!"):
    words = [word.upper() for word in text.split()]
    return " ".join(words) + mark


def times(count):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args):
            result = None
            for _ in range(count):
                result = function(*args)
            return result

        return wrapper

    return decorate


CALLS = []


@times(2)
def called(value):
    CALLS.append(value)
    return len(CALLS)


def counter(start=0):
    count = start

    def step(by=1):
        nonlocal count
        count += by
        return count

    return step


ticks = counter(10)


class Account:
    limit = 100
    opened = build(2)

    def __init__(self, owner, balance=0):
        self.owner = owner
        self.__balance = balance

    @property
    def balance(self):
        return self.__balance

    @balance.setter
    def balance(self, value):
        if value > self.limit:
            raise ValueError("over the limit")
        self.__balance = value

    @classmethod
    def named(cls, name):
        return cls(name.title(), 5)

    @staticmethod
    def fee(amount):
        return amount // 10 + 1

    def deposit(self, amount):
        self.balance = self.balance + amount - self.fee(amount)
        return self.balance

    put = deposit

    def __repr__(self):
        return f"<{self.owner}: {self.balance}>"


class Savings(Account):
    registry = {}

    def __init_subclass__(cls):
        cls.registry[cls.__name__] = cls

    def deposit(self, amount):
        return super().deposit(amount) + 1


class Junior(Savings):
    limit = 50


@dataclasses.dataclass
class Point:
    x: int
    y: int = 3

    def length(self):
        return (self.x**2 + self.y**2) ** 0.5


class Colour(enum.Enum):
    RED = 1
    BLUE = 2

    def next(self):
        return Colour(self.value % 2 + 1)


def count_down(start):
    for number in range(start, 0, -1):
        yield number


async def fetch(key):
    found = TABLE.get(key)
    return found + 1 if found is not None else None


async def stream(keys):
    for key in keys:
        yield await fetch(key)


@contextlib.contextmanager
def open_books(log):
    log.append("open")
    try:
        yield log
    finally:
        log.append("close")


@functools.lru_cache(maxsize=None)
def slow(value):
    return value + 40


if sys.version_info >= (3, 8):

    def modern(value):
        return (value, "new")

else:

    def modern(value):
        return (value, "old")


try:
    import surely_not_installed
except ImportError:

    def fallback():
        return "fallback"


@functools.singledispatch
def kind(value):
    return "thing"


@kind.register(int)
def _(value):
    return "number"


pick = lambda pair: pair[1]  # noqa: E731
add_three = functools.partial(lambda one, two: one + two, 3)


def guarded(mapping, key):
    found = mapping.get(key)
    if found is None:
        return "nothing"
    try:
        return found.strip()
    except AttributeError:
        return str(found)


def outer(values):
    def inner(value, factor=2):
        return value * factor

    return sum(inner(value) for value in values), {inner(v) for v in values}


def last():
    return "last"
'''

TEST = """\
import asyncio
import functools
import inspect

import pytest

from shapes import core
from shapes.core import Account, Colour, Junior, Point, Savings, double, shout
from shapes.names import LOUD, twice


async def collect(keys):
    return [each async for each in core.stream(keys)]


@pytest.fixture(scope="module")
def account():
    return Account.named("eve")


@pytest.mark.parametrize("size", sorted(core.build(3)))
def test_build(size):
    assert core.build(3)[size] == size * 2


def test_table():
    assert core.TABLE == {0: 0, 1: 2, 2: 4}


def test_double():
    assert double(4) == twice(4) == 8
    assert double.__doc__ == "Twice as much."


def test_shout():
    assert shout("so what") == "SO WHAT!"
    assert LOUD("no", mark="?") == "NO?"
    assert inspect.signature(shout).parameters["mark"].default == "!"


def test_wrapped():
    assert core.called(1) == 2
    assert core.called.__name__ == "called"


def test_closure():
    assert core.ticks() == 11
    assert core.counter()(5) == 5


def test_property(account):
    account.balance = 7
    assert account.balance == 7
    with pytest.raises(ValueError, match="over the limit"):
        account.balance = 101


def test_methods():
    account = Account.named("eve")
    assert repr(account) == "<Eve: 5>"
    assert account.put(20) == 22
    assert Account.fee(10) == 2


def test_class_attributes():
    assert (Account.limit, Junior.limit, Account.opened) == (100, 50, {0: 0, 1: 2})
    assert list(Savings.registry) == ["Junior"]


def test_super():
    assert Savings("al", 10).deposit(10) == 19


def test_dataclass():
    assert Point(4).length() == 5
    assert Point(1) == Point(1, 3)


def test_enum():
    assert Colour.RED.next() is Colour.BLUE


def test_generator():
    assert list(core.count_down(3)) == [3, 2, 1]


def test_async():
    assert asyncio.run(core.fetch(2)) == 5
    assert asyncio.run(core.fetch(9)) is None
    assert asyncio.run(collect([1, 0])) == [3, 1]


def test_context_manager():
    log = []
    with core.open_books(log):
        log.append("in")
    assert log == ["open", "in", "close"]


def test_cache():
    assert core.slow(2) == core.slow(2) == 42


def test_conditional():
    assert core.modern(1) == (1, "new")
    assert core.fallback() == "fallback"


def test_dispatch():
    assert (core.kind(1), core.kind("")) == ("number", "thing")


def test_lambdas():
    assert core.pick((1, 2)) == 2
    assert core.add_three(4) == 7


def test_guarded():
    assert core.guarded({"a": " b "}, "a") == "b"
    assert core.guarded({"a": 3}, "a") == "3"
    assert core.guarded({}, "a") == "nothing"


def test_nested():
    assert core.outer([1, 2]) == (6, {2, 4})


def test_names():
    assert core.NAMES == ["ann", "bob"]


def test_source():
    assert inspect.getsource(core.last).startswith("def last():")
    assert core.last() == "last"
"""

NAMES = """\
from .core import double as twice
from .core import shout as LOUD  # noqa: N812
"""


class Edit(NamedTuple):
    """One edit of the module, and the whole text after it."""

    name: str
    text: str


def write(root: Path) -> None:
    """Write the project, whose tests pass, into an empty folder."""
    for path, text in (
        (MODULE, CORE),
        (TESTS, TEST),
        (Path("shapes/names.py"), NAMES),
        (Path("shapes/__init__.py"), ""),
        (Path("pyproject.toml"), '[tool.pytest.ini_options]\npythonpath = ["."]\n'),
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def edits() -> list[Edit]:
    """All edits, in the order of the text: values, operators, statements, functions, classes."""
    tree = ast.parse(CORE)
    formatted = {
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
    }
    found = [edit for node in ast.walk(tree) if node not in formatted for edit in _edits_at(node)]
    return [*found, *_additions()]


def _edits_at(node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Constant):
        yield from _constant(node)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        other = "-" if isinstance(node.op, ast.Add) else "+"
        yield _between("operator", node.left, f" {other} ", node.right)
    elif isinstance(node, ast.Compare):
        other = {"Gt": "<=", "GtE": "<", "Is": "is not", "IsNot": "is"}[type(node.ops[0]).__name__]
        yield _between("comparison", node.left, f" {other} ", node.comparators[0])
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from _function(node)
    elif isinstance(node, ast.ClassDef):
        first = node.body[0]
        line = min([first.lineno, *(d.lineno for d in getattr(first, "decorator_list", []))])
        yield _insert("class attribute", line, "added = 1", first.col_offset)
    if isinstance(node, ast.stmt):
        yield from _statement(node)


def _constant(node: ast.Constant) -> Iterator[Edit]:
    if isinstance(node.value, bool) or node.value is None:
        yield _replace("constant", node, "0")
    elif isinstance(node.value, int):
        yield _replace("number", node, str(node.value + 1))
    elif isinstance(node.value, str) and node.value != "Code of every shape.":
        yield _replace("text", node, repr(node.value + "x"))


def _statement(node: ast.stmt) -> Iterator[Edit]:
    if isinstance(node, ast.Return):
        yield _replace("return", node, "return None")
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)):
        yield _replace("statement", node, "pass")
        yield _insert("raise", node.lineno, 'raise KeyError("inserted")', node.col_offset)
    if isinstance(node, ast.Assign) and node.col_offset:
        yield _insert("guard", node.lineno, "if not RATE:\n    raise KeyError", node.col_offset)


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Edit]:
    body = node.body[0]
    first = min([body.lineno, *(d.lineno for d in getattr(body, "decorator_list", []))])
    yield _insert("nested function", first, "def extra():\n    return RATE\n", body.col_offset)
    yield _insert("import", first, "import json", body.col_offset)
    yield _insert("generator", first, "if not RATE:\n    yield", body.col_offset)
    yield _insert("decorator", node.lineno, "@functools.lru_cache", node.col_offset)
    for decorator in node.decorator_list:
        lines = CORE.split("\n")
        del lines[decorator.lineno - 1]
        yield Edit(f"decorator away at {decorator.lineno}", "\n".join(lines))
    if node.args.args:
        yield _replace("parameter", node.args.args[-1], node.args.args[-1].arg + "_renamed")


def _additions() -> Iterator[Edit]:
    yield Edit("function at the end", CORE + "\n\ndef added():\n    return 1\n")
    yield Edit("import on top", CORE.replace("import enum\n", "import enum\nimport json\n"))
    yield Edit("comment on top", "# a comment\n" + CORE)
    yield Edit("syntax error", CORE.replace("def last():", "def last(:"))
    yield Edit("two functions", CORE.replace("value * RATE", "value + RATE").replace("40", "39"))
    yield Edit("all of it away", "")


def _offset(line: int, column: int) -> int:
    return sum(len(each) for each in CORE.splitlines(keepends=True)[: line - 1]) + column


def _replace(name: str, node: ast.expr | ast.stmt | ast.arg, text: str) -> Edit:
    start = _offset(node.lineno, node.col_offset)
    end = _offset(node.end_lineno or 0, node.end_col_offset or 0)
    return Edit(f"{name} at {node.lineno}:{node.col_offset}", CORE[:start] + text + CORE[end:])


def _between(name: str, left: ast.expr, text: str, right: ast.expr) -> Edit:
    start = _offset(left.end_lineno or 0, left.end_col_offset or 0)
    end = _offset(right.lineno, right.col_offset)
    old = CORE[start:end]
    text = old[: len(old) - len(old.lstrip(" )"))].rstrip() + text  # what closes on the left
    text += old[len(old.rstrip("(")) :]  # and opens on the right
    return Edit(f"{name} at {left.lineno}:{left.col_offset}", CORE[:start] + text + CORE[end:])


def _insert(name: str, line: int, text: str, indent: int) -> Edit:
    at = _offset(line, 0)
    inserted = textwrap.indent(text, " " * indent) + "\n"
    return Edit(f"{name} before {line}", CORE[:at] + inserted + CORE[at:])
