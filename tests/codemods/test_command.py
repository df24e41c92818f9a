"""The sites that ``--at`` and ``--trace`` point a codemod at."""

from __future__ import annotations

from argparse import ArgumentParser
from contextlib import suppress
from pathlib import Path

import libcst as cst
import pytest
from libcst.codemod import CodemodContext, SkipFile

from selfdebug.codemods import NullGuard
from selfdebug.codemods._command import targets_in

CODE = """\
def both(user, order):
    # why
    return (user.name,
            order.owner.name.upper())

def last(user):
    return user.name
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "src/shop.py"
    path.parent.mkdir()
    path.write_text(CODE)
    return path


def sites(file: Path, *at: str, trace: str | None = None) -> list[tuple[int, str]]:
    codemod = NullGuard(CodemodContext(filename=str(file)), list(at), trace)
    found = targets_in(codemod, cst.parse_module(file.read_bytes()))
    return [(target.site.span.line, target.site.code) for target in found]


@pytest.mark.parametrize(
    ("at", "code"),
    [
        ("src/shop.py:7", "return user.name"),
        ("shop.py:7", "return user.name"),
        ("src/shop.py:4:13", "order.owner.name.upper()"),
        ("src/shop.py:4:20", "order.owner"),
        ("src/shop.py:3:13", "user.name"),
    ],
)
def test_at_a_line_or_an_expression(file: Path, at: str, code: str) -> None:
    assert [found for _, found in sites(file, at)] == [code]


def test_an_absolute_path(file: Path) -> None:
    assert sites(file, f"{file}:7") == [(7, "return user.name")]


def test_places_of_a_file_come_last_first_and_one_a_statement(file: Path) -> None:
    found = sites(file, "src/shop.py:3", "src/shop.py:4", "src/shop.py:7")
    assert [line for line, _ in found] == [7, 3]


@pytest.mark.parametrize("at", ["src/other.py:7", "/nowhere/src/shop.py:7", "lib/shop.py:7"])
def test_another_file(file: Path, at: str) -> None:
    with pytest.raises(SkipFile, match="no place for null-guard"):
        sites(file, at)


@pytest.mark.parametrize("at", ["src/shop.py:5", "src/shop.py:99"])
def test_no_code_there(file: Path, at: str) -> None:
    with pytest.raises(SkipFile, match="has no code on line"):
        sites(file, at)


@pytest.mark.parametrize(
    "arguments", [("--at", "shop.py"), ("--at", "shop.py:0"), ("--trace", "no.log")]
)
def test_a_wrong_option_is_a_usage_error(
    file: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    parser = ArgumentParser()
    NullGuard.add_args(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(arguments)
    assert repr(arguments[1]) in capsys.readouterr().err


DIGITS = """\
def digits(phone):
    return "".join(c for c in phone if c.isdigit())

def total(order):
    return order.price.net + order.tax

def domain(mail):
    return mail.lower()
"""


def rewritten(file: Path, at: str) -> tuple[str, list[str]]:
    """The code after the command, and its warnings."""
    file.write_text(DIGITS)
    context = CodemodContext(filename=str(file))
    tree = cst.parse_module(file.read_bytes())
    with suppress(SkipFile):
        tree = NullGuard(context, [at]).transform_module_impl(tree)
    return tree.code, context.warnings


def test_a_line_with_several_values_is_not_guessed_at(file: Path) -> None:
    after, [warning] = rewritten(file, "shop.py:2")
    assert after == DIGITS
    assert warning == (
        "shop.py:2 has several values that may be None: phone (column 31), c (column 40); "
        "give the column: --at shop.py:2:31"
    )


@pytest.mark.parametrize(
    ("header", "made"),
    [
        ("from collections import Counter", "Counter()"),
        ("import collections as c", "c.Counter()"),
        ("class Tally(dict): ...", "Tally()"),
        ("", "{}"),
    ],
)
def test_an_object_made_above_is_not_one_that_may_be_none(
    header: str, made: str, file: Path
) -> None:
    code = f"{header}\n\ndef count(found):\n    seen = {made}\n    for each in found:\n"
    file.write_text(f"{code}        seen[each.key] += 1\n")
    context = CodemodContext(filename=str(file))
    tree = NullGuard(context, ["shop.py:6"]).transform_module_impl(
        cst.parse_module(file.read_bytes())
    )
    assert not context.warnings
    assert tree.code.startswith(f"{code}        if each is None:\n            continue\n")


def test_each_link_of_a_chain_is_a_value_of_its_own(file: Path) -> None:
    after, [warning] = rewritten(file, "shop.py:5")
    assert after == DIGITS
    assert warning == (
        "shop.py:5 has several values that may be None: order (column 12), order.price (column 18),"
        " order.price.net (column 24), order.tax (column 36); give the column: --at shop.py:5:12"
    )


@pytest.mark.parametrize(
    ("at", "before", "after"),
    [
        (
            "shop.py:2:31",
            '    return "',
            '    if phone is None:\n        return None\n    return "',
        ),
        ("shop.py:2:40", "if c.is", "if c is not None and c.is"),
        ("shop.py:2:20", "if c.is", "if c is not None if c.is"),
        (
            "shop.py:5:12",
            "    return o",
            "    if order is None:\n        return None\n    return o",
        ),
        (
            "shop.py:5:18",
            "    return o",
            "    if order.price is None:\n        return None\n    return o",
        ),
        ("shop.py:8", "    return m", "    if mail is None:\n        return None\n    return m"),
    ],
)
def test_a_column_or_a_single_value_is_a_choice(
    file: Path, at: str, before: str, after: str
) -> None:
    assert rewritten(file, at) == (DIGITS.replace(before, after), [])


TRACE = """\
Traceback (most recent call last):
  File "/ci/src/shop.py", line 7, in last
    return user.name
           ^^^^^^^^^
AttributeError: 'NoneType' object has no attribute 'name'
"""


def test_what_a_log_blames(file: Path) -> None:
    Path("out.log").write_text(TRACE)
    assert sites(file, trace="out.log") == [(7, "user.name")]


def test_a_log_that_blames_another_file(file: Path) -> None:
    Path("out.log").write_text(TRACE)
    other = file.with_name("other.py")
    other.write_text("x = 1\n")
    with pytest.raises(SkipFile):
        sites(other, trace="out.log")


def test_a_file_outside_the_current_folder(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here/out.log").write_text(TRACE.replace("/ci/src/shop.py", str(file)))
    monkeypatch.chdir(tmp_path / "here")
    assert sites(file, trace="out.log") == [(7, "user.name")]
