"""The frame of a failure that is the project's, in the source as it is now."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfdebug.localization.frames import Located, Miss, project_frame, project_frames
from selfdebug.model import Failure, Frame, Raised, Span
from selfdebug.syntax.project import Project

ROOT = Path("/nowhere/project")
SHOP = """\
def load(key):
    return None

def price(key):
    try:
        return load(key).price
    except AttributeError as error:
        raise LookupError(key) from error

def total(keys):
    return sum(price(key) for key in keys)

def depth(node):
    return 1 + max(depth(each) for each in children(node))

def children(node):
    return node.children
"""
TEST = "from shop import total\n\ndef test_total():\n    assert total(['a']) == 1\n"
PROJECT = Project(
    ROOT, (), {ROOT / "shop.py": SHOP.encode(), ROOT / "tests/test_shop.py": TEST.encode()}
)


def at(line: int, file: str = "shop.py", **known: object) -> Frame:
    text = {"shop.py": SHOP, "tests/test_shop.py": TEST}.get(file)
    source = text.splitlines()[line - 1].strip() if text else "x()"
    return Frame(file, line, **({"source": source} | known))  # type: ignore[arg-type]


def found(raised: Raised | None) -> Located | Miss:
    return project_frame(Failure("tests/test_shop.py::test_total", "call", raised), PROJECT)


def line(raised: Raised) -> int:
    place = found(raised)
    assert isinstance(place, Located), place
    return place.line


ERROR = "AttributeError"


def test_the_deepest_frame_of_the_project() -> None:
    frames = (at(4, "tests/test_shop.py"), at(11), at(6), at(90, "/usr/lib/python3.11/json.py"))
    place = found(Raised(ERROR, "m", frames))
    assert isinstance(place, Located)
    assert (place.file, place.line, place.deeper, place.in_test) == (
        ROOT / "shop.py",
        6,
        True,
        False,
    )
    assert [frame.line for frame in place.callers] == [4, 11]


def test_what_was_raised_on_behalf_of_a_cause_is_repaired_at_the_cause() -> None:
    cause = Raised(ERROR, "m", (at(6),))
    assert line(Raised("LookupError", "a", (at(11), at(8)), cause, "cause")) == 6


def test_a_handler_that_fails_itself_is_repaired_before_what_it_handled() -> None:
    handled = Raised("KeyError", "k", (at(6),))
    assert line(Raised(ERROR, "m", (at(17),), handled, "context")) == 17


def test_a_raise_while_handling_passes_on() -> None:
    handled = Raised(ERROR, "m", (at(6),))
    assert line(Raised("LookupError", "a", (at(8),), handled, "context")) == 6


def test_the_members_of_a_group_before_the_group() -> None:
    member = Raised(ERROR, "m", (at(17),))
    group = Raised("ExceptionGroup", "g", (at(11),), members=(member,))
    assert line(group) == 17


def test_a_cause_elsewhere_leaves_the_exception_itself() -> None:
    cause = Raised("OSError", "m", (at(1, "/usr/lib/python3.11/socket.py"),))
    assert line(Raised("LookupError", "a", (at(8),), cause, "cause")) == 8


def test_endless_recursion_is_not_blamed_on_where_the_stack_ran_out() -> None:
    turns = (at(14),) * 50
    assert line(Raised("RecursionError", "maximum recursion depth", (*turns, at(17)))) == 14


def test_a_frame_in_a_test_gives_way_to_one_that_is_not() -> None:
    frames = (at(11), at(4, "tests/test_shop.py"))
    places = project_frames(Failure("t", "call", Raised("AssertionError", "", frames)), PROJECT)
    assert not isinstance(places, Miss)
    assert [(place.line, place.in_test) for place in places] == [(11, False), (4, True)]


def test_a_line_that_moved_is_found_by_its_text() -> None:
    moved = Frame("shop.py", 40, span=Span(40, 7, 40, 11), source="return load(key).price")
    place = found(Raised(ERROR, "m", (moved,)))
    assert isinstance(place, Located)
    assert (place.line, place.span) == (6, Span(6, 15, 6, 19))


def test_a_line_of_an_ascii_log() -> None:
    project = Project(ROOT, (), {ROOT / "a.py": "x = 'ü'.y\n".encode()})
    frame = Frame("a.py", 1, source=r"x = '\xfc'.y")
    place = project_frame(Failure("t", "call", Raised(ERROR, "m", (frame,))), project)
    assert isinstance(place, Located)


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (Frame("shop.py", 6, source="return cache[key].price"), "stale"),
        (Frame("shop.py", 99), "stale"),
        (Frame("/usr/lib/python3.11/json/decoder.py", 3), "no-frame"),
        (Frame("<string>", 1), "no-frame"),
    ],
)
def test_no_place(frame: Frame, reason: str) -> None:
    miss = found(Raised(ERROR, "m", (frame,)))
    assert isinstance(miss, Miss)
    assert miss.reason == reason
    assert str(frame.line) in miss.why or frame.file in miss.why


def test_a_failure_without_a_traceback() -> None:
    miss = found(None)
    assert isinstance(miss, Miss)
    assert (miss.reason, miss.why) == ("no-frame", "the failure shows no traceback")


def test_a_bare_name_needs_a_quoted_line(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/views.py").write_text("def show(page):\n    return page.title\n")
    quoted = Frame("/app/views.py", 2, source="return page.title")
    bare = Frame("/app/views.py", 2)
    for frame, kind in ((quoted, Located), (bare, Miss)):
        failure = Failure("t", "call", Raised(ERROR, "m", (frame,)))
        assert isinstance(project_frame(failure, Project(tmp_path)), kind)
