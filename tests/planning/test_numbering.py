"""A patch of two guards tells of both lines as the person's file has them."""

from __future__ import annotations

from pathlib import Path

from selfdebug.model import Candidate, Edit, OriginStep, Site, Span
from selfdebug.planning.numbering import as_first_seen

FILE = Path("/project/m.py")
BEFORE = b"a = 1\nuse(a)\nb = 2\nuse(b)\n"
GUARD = b"if a:\n    "


def candidate(line: int, start: int, born: int) -> Candidate:
    site = Site(
        FILE,
        Span(line, 0, line, 6),
        "Call",
        "use(a)",
        "TypeError",
        "",
        bad=Span(line, 4, line, 5),
        origin=(OriginStep(FILE, born, "born", "a = 1"),),
    )
    return Candidate((Edit(FILE, start, start, b"", GUARD),), "toy", "guard", "guard", "", site)


def places(patch: tuple[Candidate, ...]) -> list[tuple[int, int, int]]:
    return [
        (each.site.span.line, each.site.bad.line if each.site.bad else 0, each.site.origin[0].line)
        for each in patch
    ]


def test_what_stands_below_an_earlier_edit_is_told_where_it_was() -> None:
    first = candidate(2, BEFORE.index(b"use(a)"), 1)
    second = candidate(5, BEFORE.index(b"use(b)") + len(GUARD), 4)
    assert places(as_first_seen((first, second), {FILE: BEFORE})) == [(2, 2, 1), (4, 4, 3)]


def test_what_stands_above_stays() -> None:
    first = candidate(4, BEFORE.index(b"use(b)"), 3)
    second = candidate(2, BEFORE.index(b"use(a)"), 1)
    assert places(as_first_seen((first, second), {FILE: BEFORE})) == [(4, 4, 3), (2, 2, 1)]
