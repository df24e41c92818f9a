"""CollectionItem: an item too many in a collection that is written out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeAlias

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form

_SEEN = small_edit("seen", "leave out an item that occurs in what was seen", 0.25)
_OTHER = small_edit("other", "leave out an item", 0.02)
_FEWEST, _MOST = 3, 40  # items of a collection
_Items: TypeAlias = cst.Set | cst.List | cst.Tuple


class CollectionItem(FirstOrder):
    """Leave an item out of a set, list or tuple of constants."""

    DESCRIPTION = "Leave an item out of a collection that is written out."
    NAME = "collection-item"
    VARIANTS = (_SEEN, _OTHER)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the collection without each of its items; those first whose text was seen."""
        node = place.node
        if not isinstance(node, _Items) or not _FEWEST <= len(node.elements) <= _MOST:
            return
        if not all(isinstance(each.value, _CONSTANTS) for each in node.elements):
            return
        if "#" in place.code(node):
            return  # what a comment says of an item would be lost, or said of another
        for number, element in enumerate(node.elements):
            text = place.code(element.value)
            variant = _SEEN if _occurs(text, place) else _OTHER
            yield variant, _without(node, number), f"{text} does not belong there"


_CONSTANTS = (cst.SimpleString, cst.Integer, cst.Float)


def _occurs(text: str, place: Place) -> bool:
    """Say whether a text or number is, or is in, the value of some variable of the function."""
    with suppress(ValueError, SyntaxError):
        value = ast.literal_eval(text)
        if isinstance(value, str):
            return len(value) > 1 and any(
                value in (seen.text or "") for seen in place.values.values()
            )
        return any(seen.text == text for seen in place.values.values())
    return False


def _without(node: _Items, number: int) -> Change:
    def make(updated: Any) -> cst.BaseExpression:
        left: list[Any] = [*updated.elements]
        gone = left.pop(number)
        if number == len(left):
            # What closes the collection stands behind the last item's comma.
            left[-1] = left[-1].with_changes(comma=gone.comma)
        made: cst.BaseExpression = updated.with_changes(elements=left)
        return made

    return {node: make}


CollectionItem.EXAMPLES = examples(
    """
seen: one scheme too many
    def has_path(address):
        scheme, _, rest = address.partition("://")
        return scheme in «{"http", "ftp", "mailto"}» and "/" in rest
AssertionError: assert True is False
where scheme: str = 'mailto'
    def has_path(address):
        scheme, _, rest = address.partition("://")
        return scheme in {"http", "ftp"} and "/" in rest

seen: on lines of their own
    def is_weekend(day):
        return day in «[
            "friday",
            "saturday",
            "sunday",
        ]»
AssertionError: assert True is False
where day: str = 'friday'
    def is_weekend(day):
        return day in [
            "saturday",
            "sunday",
        ]

other: nothing was seen of it
    for size in «[1, 2, 5, 10]»:
        print(size)
AssertionError: assert 4 == 3
    for size in [2, 5, 10]:
        print(size)

not any: two are too few to tell
    if answer in «["y", "yes"]»:
        print(answer)
AssertionError: assert True is False

not any: names are no constants
    def sides(self):
        return max(«[self.a, self.b, self.c]»)
AssertionError: assert 4 == 3

not any: what a comment says would be lost
    SIZES = «{
        1,  # small
        2,  # large
        3,  # huge
    }»
AssertionError: assert 4 == 3

not any: what is spread is no constant
    def sizes(more):
        return «[1, 2, *more]»
AssertionError: assert 4 == 3
"""
)
