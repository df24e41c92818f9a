"""From a failure to sites, and its entry in the JSON output."""

from __future__ import annotations

from pathlib import Path

from selfdebug.localization.localize import localize, traceback_entry
from selfdebug.model import Failure, Frame, Raised, Span, Traceback
from selfdebug.syntax.project import Project

ROOT = Path("/nowhere/project")
TEST = "def test_it():\n    assert find().name\n"


def project(**files: str) -> Project:
    named = {ROOT / f"{name.replace('__', '/')}.py": text.encode() for name, text in files.items()}
    return Project(ROOT, (), named)


def failure(*frames: Frame, message: str = "'NoneType' object has no attribute 'name'") -> Failure:
    return Failure("tests/test_it.py::test_it", "call", Raised("AttributeError", message, frames))


def test_a_place_in_a_test_is_shown_and_not_a_site() -> None:
    frame = Frame("tests/test_it.py", 2, source="assert find().name")
    found = localize(failure(frame), project(tests__test_it=TEST))
    assert (found.sites, found.reason) == ((), "in-test")
    assert [site.bad_code for site in found.in_tests] == ["find()"]
    assert "tests are not edited" in found.why


def test_the_frames_that_led_there_are_places_too_from_the_inside_out() -> None:
    shop = "def total(cart):\n    return add(cart)\ndef add(cart):\n    return cart.name\n"
    frames = (
        Frame("tests/test_it.py", 2, source="assert find().name"),
        Frame("main.py", 1, source="total(None)"),
        Frame("shop.py", 2, source="return add(cart)"),
        Frame("shop.py", 4, source="return cart.name"),
    )
    files = project(shop=shop, main="total(None)\n", tests__test_it=TEST)
    found = localize(failure(*frames), files)
    assert [site.code for site in found.sites] == ["cart.name"]
    assert [(site.code, site.bad_code, site.deeper) for site in found.outer] == [
        ("add(cart)", "cart", True),
        ("total(None)", "None", True),
    ]


def test_a_file_that_does_not_parse_is_left_alone() -> None:
    frame = Frame("shop.py", 1, source="x.name")
    found = localize(failure(frame), project(shop="x.name\ndef (:\n"))
    assert (found.sites, found.reason) == ((), "unparsable")
    assert f"{ROOT}/shop.py:2: SyntaxError" in found.why


def unparsed(file: str) -> Failure:
    frame = Frame(file, 2, source="def (:", span=Span(2, 4, 2, 5))
    raised = Raised("SyntaxError", "invalid syntax", (frame,))
    return Failure("tests/test_it.py", "collect", raised)


def test_a_syntax_error_of_the_project_has_its_line_for_a_site() -> None:
    (site,) = localize(unparsed("shop.py"), project(shop="x = 1\ndef (:\n")).sites
    assert (site.span, site.node, site.code) == (Span(2, 4, 2, 5), "", "def (:")


def test_a_syntax_error_of_a_test_is_left_alone() -> None:
    found = localize(unparsed("tests/test_it.py"), project(tests__test_it="x = 1\ndef (:\n"))
    assert (found.sites, found.reason) == ((), "unparsable")


def test_a_file_that_cannot_be_decoded_is_left_alone() -> None:
    source = {ROOT / "shop.py": b"# coding: utf-8\nx = '\xff'.name\n"}
    found = localize(failure(Frame("shop.py", 2)), Project(ROOT, (), source))
    assert (found.sites, found.reason) == ((), "unparsable")


def test_generated_code_is_left_alone() -> None:
    found = localize(failure(Frame("shop.py", 2)), project(shop="# @generated\nx.name\n"))
    assert (found.sites, found.reason) == ((), "generated")


def test_a_changed_line_is_stale() -> None:
    frame = Frame("shop.py", 1, source="y.name")
    found = localize(failure(frame), project(shop="x.name\n"))
    assert (found.sites, found.reason) == ((), "stale")
    assert "y.name" in found.why


def test_an_entry_counts_columns_from_one() -> None:
    frame = Frame("./shop.py", 2, "label", Span(2, 11, 2, 20), "    return user.name")
    entry = traceback_entry(
        failure(frame), project(shop="def label(user):\n    return user.name\n")
    )
    assert entry == Traceback(
        file="shop.py",
        line=2,
        column=12,
        end_line=2,
        end_column=21,
        exc_type="AttributeError",
        msg="'NoneType' object has no attribute 'name'",
        function="label",
        test="tests/test_it.py::test_it",
        phase="call",
        in_project=True,
    )


def test_an_entry_is_that_of_the_reported_exception() -> None:
    text = "def get(user):\n    try:\n        return user.name\n    except AttributeError as e:\n"
    text += "        raise LookupError from e\n"
    cause = Raised("AttributeError", "m", (Frame("shop.py", 3),))
    raised = Raised("LookupError", "", (Frame("shop.py", 5),), cause, "cause")
    reported = Failure("t", "call", raised)
    entry = traceback_entry(reported, project(shop=text))
    assert (entry.line, entry.exc_type, entry.column) == (5, "LookupError", None)
    assert localize(reported, project(shop=text)).sites[0].span.line == 3


def test_an_entry_outside_the_project_keeps_its_spelling() -> None:
    frame = Frame("/usr/lib/python3.11/json/decoder.py", 3, "decode", Span(3, 0, 3, 4))
    entry = traceback_entry(failure(frame), project())
    assert (entry.file, entry.line) == ("/usr/lib/python3.11/json/decoder.py", 3)
    assert entry.in_project is False


def test_an_entry_without_a_traceback() -> None:
    entry = traceback_entry(Failure("t", "setup", None, "fixture 'x' not found"), project())
    assert (entry.file, entry.line, entry.exc_type) == ("", 0, "")
    assert (entry.msg, entry.phase) == ("fixture 'x' not found", "setup")
