"""One run of a test in the place of many trials: what it shows of edits that can't change its outcome.

Each expression that one of the edits changes is wrapped, where it stands, so that what it comes to and
what it would come to are compared each time that it is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

from selfdebug.planning.changes import Expression, Unfollowed, changes
from selfdebug.planning.sameness import differing
from selfdebug.planning.search import State
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Region
from selfdebug.syntax.source import Unreadable

_FUNCTION = re.compile(r"\s*(?:@|(?:async\s+)?def\b)")
WATCH = "__selfdebug__"
"""The name in ``builtins`` of what is called before an expression is evaluated, with its number."""
Watched: TypeAlias = tuple[str, tuple[tuple[str, bool], ...]]
"""An expression, and others that would stand in its place, each with whether only its truth counts."""


class _Place(NamedTuple):
    path: Path
    start: int
    end: int
    before: str
    lead: str
    trail: str


@dataclass
class Infection:
    """A test run that watches the expressions that edits of a project change.

    ``edits`` says for each edit, by its number, for each of its parts which alternatives of which
    expressions stand for it; edits that can't be watched are not in it.
    """

    project: Project
    edits: dict[int, tuple[tuple[tuple[int, int], ...], ...]] = field(default_factory=dict)
    _places: dict[_Place, int] = field(default_factory=dict)
    _after: list[list[tuple[str, bool]]] = field(default_factory=list)

    @classmethod
    def of(cls, states: Sequence[State], project: Project) -> Infection:
        """Watch what the last edits of states change that are made of the project."""
        made = cls(project)
        for number, state in enumerate(states):
            with suppress(Unfollowed, Unreadable, OSError, SyntaxError, ValueError, RecursionError):
                made.edits[number] = tuple(made._parts(state))
        return made

    def _parts(self, state: State) -> Iterator[tuple[tuple[int, int], ...]]:
        line = state.patch[-1].site.span.line
        for each in differing(state.contents, line, self.project):
            if not (each.of_function and _runs_later(each.region)):
                raise Unfollowed
            shift = each.region.start - len(each.region.head)
            for change in changes(each.before, each.after):
                path = each.region.source.path
                yield tuple(self._number(path, shift, expression) for expression in change)

    def _number(self, path: Path, shift: int, each: Expression) -> tuple[int, int]:
        """Return the number of an expression, and that of what would stand in its place."""
        start, end = each.start + shift, each.end + shift
        place = _Place(path, start, end, each.before, each.lead, each.trail)
        if place not in self._places:
            self._places[place] = len(self._places)
            self._after.append([])
        number = self._places[place]
        others, after = self._after[number], (each.after, each.truth)
        if after not in others:
            others.append(after)
        return number, others.index(after)

    @property
    def watched(self) -> tuple[Watched, ...]:
        """What is to be evaluated and compared, by its number."""
        pairs = zip(self._places, self._after, strict=True)
        return tuple((place.before, tuple(others)) for place, others in pairs)

    def contents(self) -> Mapping[Path, bytes]:
        """Return what the files hold for the run. Raises Unreadable, OSError."""
        inserted: dict[Path, list[_Inserted]] = {}
        for (place, number), others in zip(self._places.items(), self._after, strict=True):
            inserted.setdefault(place.path, []).extend(_around(place, number, others))
        return {path: self._with(path, each) for path, each in inserted.items()}

    def _with(self, path: Path, inserted: list[_Inserted]) -> bytes:
        source = self.project.read(path)
        text, at = [], 0
        for each in sorted(inserted):
            text += [source.text[at : each.offset], each.text]
            at = each.offset
        text.append(source.text[at:])
        try:
            return source.bom + "".join(text).encode(source.encoding)
        except UnicodeEncodeError as error:
            raise Unreadable(path, str(error)) from error

    def dead(self, same: Collection[tuple[int, int]]) -> frozenset[int]:
        """Return the edits that change nothing, of the alternatives that always came to the same."""
        held = frozenset(same)
        return frozenset(
            number
            for number, parts in self.edits.items()
            if parts and all(not held.isdisjoint(part) for part in parts)
        )


def _runs_later(region: Region) -> bool:
    """Say whether a region is a function: what a module runs at its import is seldom tried quickly."""
    return _FUNCTION.match(region.text) is not None


class _Inserted(NamedTuple):
    """Text to insert; of several at one place ``order`` says which comes first."""

    offset: int
    order: tuple[int, int]
    text: str


def _around(place: _Place, number: int, others: Sequence[tuple[str, bool]]) -> Iterator[_Inserted]:
    """Yield what makes an expression one that is watched: outer ones begin first and end last."""
    after = ", ".join(f"({text})" for text, _ in others)
    if place.start < place.end:
        yield _Inserted(place.end, (0, -place.start), f") if {WATCH}({number}) else ({after},))")
        yield _Inserted(place.start, (3, -place.end), "((")
        return
    text = f"{place.lead}{WATCH}({number}) or ({after},){place.trail}"
    yield _Inserted(place.start, (1 if place.lead else 2, number), text)
