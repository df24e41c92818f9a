"""The operand that was None, in failures that the interpreters at hand really raise."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from unittest.mock import MagicMock

import libcst as cst
import pytest

from selfdebug.ingestion.logs import read_log
from selfdebug.localization.localize import localize
from selfdebug.localization.nodes import evaluated
from selfdebug.model import Failure, Frame, Raised, Site, Span, Value
from selfdebug.syntax.project import Project
from tests.localization.bitten import PROGRAMS
from tests.localization.raised import VERSIONS, run

ROOT = Path("/nowhere/project")
TEXTS = tuple((name, text.replace("«", "").replace("»", "")) for name, text in PROGRAMS.items())
NEEDS = {"walrus": "3.8"}


def marked(name: str) -> Span:
    """The place between the guillemets."""
    before, inside, _ = PROGRAMS[name].replace("»", "«").split("«")
    line, last = before.count("\n") + 1, inside.count("\n")
    column = len(before.rpartition("\n")[2])
    end = len(inside.rpartition("\n")[2]) + (0 if last else column)
    return Span(line, column, line + last, end)


def sites(raised: Raised, text: str, forget: Callable[[Frame], Frame]) -> tuple[Site, ...]:
    folder, name = next(
        (str(Path(frame.file).parent), Path(frame.file).name)
        for frame in raised.frames
        if Path(frame.file).name.startswith("program_")
    )
    project = Project(ROOT, (folder,), {ROOT / name: text.encode()})
    known = replace(raised, frames=tuple(map(forget, raised.frames)))
    return localize(Failure("tests/test_it.py::test", "call", known), project).sites


def all_known(frame: Frame) -> Frame:
    return frame


def no_locals(frame: Frame) -> Frame:
    return replace(frame, locals={})


def no_span(frame: Frame) -> Frame:
    return replace(frame, span=None)


def the_line_alone(frame: Frame) -> Frame:
    return replace(frame, span=None, locals={})


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("version", VERSIONS)
def test_the_operand_that_was_none(version: str, name: str) -> None:
    stories = run(version, TEXTS)
    if not stories:
        pytest.skip(f"no Python {version} on this machine")
    if tuple(map(int, version.split("."))) < tuple(map(int, NEEDS.get(name, "3.7").split("."))):
        assert name not in stories  # a syntax error there
        return
    raised, text, place = stories[name].raised, dict(TEXTS)[name], marked(name)

    for forget in (all_known, no_span):
        best, *_ = sites(raised, text, forget)
        assert best.bad == place, forget.__name__

    for forget in (no_locals, the_line_alone):
        found = sites(raised, text, forget)
        assert place in [site.bad for site in found], forget.__name__
        assert found[0].bad == place or not found[0].certain, forget.__name__


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_span_alone_decides_where_the_operation_has_one_operand(name: str) -> None:
    """Operations with several operands of a kind, and calls with several arguments, stay open."""
    open_ones = {
        *("chained comparison", "double starred in a display", "max", "path join"),
        *("percent format of several", "starred in a display", "with: the second", "zip"),
        "inner loop of a comprehension",  # the span is that of the whole before 3.13
    }
    stories = run("3.12", TEXTS)
    if not stories:
        pytest.skip("no Python 3.12 on this machine")
    found = sites(stories[name].raised, dict(TEXTS)[name], no_locals)
    assert found[0].certain == (name not in open_ones)
    assert marked(name) in [site.bad for site in found]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13"])
def test_the_traceback_that_the_interpreter_printed(version: str, name: str) -> None:
    stories = run(version, TEXTS)
    if not stories:
        pytest.skip(f"no Python {version} on this machine")
    (failure,) = read_log(BytesIO(stories[name].text.encode())).failures
    assert failure.raised is not None
    found = sites(failure.raised, dict(TEXTS)[name], all_known)
    assert marked(name) in [site.bad for site in found]
    assert found[0].bad == marked(name) or not found[0].certain


def test_each_site_names_its_text() -> None:
    text = "def label(user):\n    return [user.name\n        .upper()]\n"
    site = in_file(text, 3, "AttributeError", "'NoneType' object has no attribute 'upper'")
    assert (site.node, site.code) == ("Attribute", "user.name\n        .upper")
    assert (site.bad, site.bad_code) == (Span(2, 12, 2, 21), "user.name")
    assert site.certain


def in_file(text: str, line: int, exc_type: str, message: str) -> Site:
    frame = Frame(str(ROOT / "shop.py"), line, source=text.splitlines()[line - 1])
    project = Project(ROOT, (), {ROOT / "shop.py": text.encode()})
    failure = Failure("tests/test_it.py::test", "call", Raised(exc_type, message, (frame,)))
    return localize(failure, project).sites[0]


# Wordings of Python 3.14: Objects/abstract.c, Python/ceval.c and Python/errors.c of its branch.
@pytest.mark.parametrize(
    ("code", "message", "bad"),
    [
        ("x in rows", "argument of type 'NoneType' is not a container or iterable", "rows"),
        (
            "with lock: pass",
            "'NoneType' object does not support the context manager protocol (missed __exit__ method)",
            "lock",
        ),
    ],
)
def test_newer_wordings(code: str, message: str, bad: str) -> None:
    assert in_file(f"{code}\n", 1, "TypeError", message).bad_code == bad


@pytest.mark.parametrize(
    ("code", "exc_type", "message", "node", "bad"),
    [
        ("print(nmae)", "NameError", "name 'nmae' is not defined", "Name", "nmae"),
        ("x = table['a']", "KeyError", "'a'", "Subscript", None),
        ("x = rows[3]", "IndexError", "list index out of range", "Subscript", None),
        ("x = a / len(b)", "ZeroDivisionError", "division by zero", "BinaryOperation", "len(b)"),
        ("x = cart.sum", "AttributeError", "'Cart' object has no attribute 'sum'", "Attribute", "cart"),
        ("x = a < b", "TypeError", "'<' not supported between instances of 'int' and 'str'",
         "Comparison", None),
        ("raise Odd(x)", "Odd", "odd", "Raise", None),
        ("assert a == b", "AssertionError", "assert 1 == 2", "Assert", None),
    ],
)  # fmt: skip
def test_other_exceptions(code: str, exc_type: str, message: str, node: str, bad: str) -> None:
    site = in_file(f"{code}\n", 1, exc_type, message)
    assert (site.node, site.bad_code) == (node, bad)


def test_a_statement_with_a_body_shows_its_header_only() -> None:
    text = "def total(rows):\n    for row in rows:\n        print(row)\n"
    site = in_file(text, 2, "TypeError", "'NoneType' object is not iterable")
    assert (site.node, site.code, site.bad_code) == ("For", "for row in rows", "rows")


def test_what_locals_rule_out_is_no_site() -> None:
    text = "def total(a, b, c):\n    return a.n + b.n + c.n\n"
    values = {"a": Value("shop.Cart"), "b": Value("NoneType"), "c": Value("NoneType")}
    frame = Frame(str(ROOT / "shop.py"), 2, source="return a.n + b.n + c.n", locals=values)
    project = Project(ROOT, (), {ROOT / "shop.py": text.encode()})
    raised = Raised("AttributeError", "'NoneType' object has no attribute 'n'", (frame,))
    found = localize(Failure("t", "call", raised), project).sites
    assert [(site.bad_code, site.certain) for site in found] == [("b", True), ("c", False)]


class Looked(dict[str, object]):
    """A namespace that notes which names are read, and gives for each something that does anything."""

    def __init__(self) -> None:
        super().__init__(__annotations__={})
        self.names: list[str] = []

    def __missing__(self, name: str) -> object:
        self.names.append(name)
        return MagicMock(**{"__iter__.return_value": [1]})


@pytest.mark.parametrize(
    "code",
    [
        "a.b(c, *d, e=f, **g)[h]",
        "b if a else c",
        "t[b] = a",
        "t.x, u[c] = a",
        "t[c]: b = a",
        "a[b:c]",
        "{a: b, **c, d: e}",
        "(x := a) + b",
        "a < b",
        "a @ b ** -c",
        "f'{a!r:{b}} {c}'",
        "for t[b] in a: c",
        "with a as t.x, c as u.x: d",
        "raise a from b",
    ],
)
def test_the_order_is_that_in_which_python_evaluates(code: str) -> None:
    looked = Looked()
    with suppress(Exception):
        exec(code, {}, looked)
    nodes = evaluated(cst.parse_module(code))
    names = [node.value for node in nodes if isinstance(node, cst.Name)]
    assert looked.names
    assert [name for name in names if name in looked.names] == looked.names
