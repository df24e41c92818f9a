"""Patches of failures that have nothing in common become one, to the byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from selfdebug.model import Candidate, Edit, Site, Span
from selfdebug.planning.joined import Overlap, after
from selfdebug.syntax.source import apply

FILE, OTHER = Path("/nowhere/shop.py"), Path("/nowhere/cart.py")
BEFORE = b"a = 1\nb = 2\nc = 3\n"
SITE = Site(FILE, Span(1, 0, 1, 5), "Assign", "x = 0", "AssertionError", "")


def candidate(*edits: Edit) -> Candidate:
    return Candidate(edits, "constant", "other", "root-cause", "", SITE)


def put(text: bytes, old: str, new: str) -> Candidate:
    """Replace a text, or write a new one before it where it ends in ``old``."""
    start = text.index(old.encode())
    return candidate(Edit(FILE, start, start + len(old), old.encode(), new.encode()))


def made(text: bytes, *patch: Candidate) -> bytes:
    for each in patch:
        text = apply(text, each.edits)
    return text


@pytest.mark.parametrize("swapped", [False, True])
def test_edits_of_one_file_move_by_what_was_written_above(swapped: bool) -> None:
    patches = [(put(BEFORE, "1", "one"),), (put(BEFORE, "3", "three"),)]
    first, second = reversed(patches) if swapped else patches
    assert made(BEFORE, *first, *after(second, first)) == b"a = one\nb = 2\nc = three\n"


def test_each_may_have_several_edits_one_on_top_of_the_other() -> None:
    first = put(BEFORE, "a = 1\n", "")
    once = made(BEFORE, first)
    one = (first, put(once, "c", "see"))
    second = put(BEFORE, "2", "two")
    twice = made(BEFORE, second)
    other = (second, put(twice, "two", "22"), put(made(twice, put(twice, "two", "22")), "3", "33"))
    for patch, more in ((one, other), (other, one)):
        assert made(BEFORE, *patch, *after(more, patch)) == b"b = 22\nsee = 33\n"


def test_an_edit_of_another_file_stays_where_it_is() -> None:
    elsewhere = candidate(Edit(OTHER, 4, 5, b"1", b"10"))
    assert [*after([elsewhere], [put(BEFORE, "1", "one")])] == [elsewhere]


def test_what_both_make_is_made_once() -> None:
    importing = Edit(FILE, 0, 0, b"", b"import math\n")
    one = candidate(importing, *put(BEFORE, "1", "math.pi").edits)
    other = candidate(importing, *put(BEFORE, "3", "math.e").edits)
    joined = made(BEFORE, one, *after([other], [one]))
    assert joined == b"import math\na = math.pi\nb = 2\nc = math.e\n"
    assert [*after([one], [replace(one)])] == []


def test_two_edits_of_one_place_do_not_go_together() -> None:
    with pytest.raises(Overlap):
        [*after([put(BEFORE, "b = 2", "b = 4")], [put(BEFORE, "2", "3")])]
