"""SortDirection: things are sorted by several keys, one of which should go the other way."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._passing import last_of, passing
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.region import Tree

_MIXED = small_edit(
    "mixed", "sort by one key downwards and by the others upwards", 0.4, "order swapped"
)
_ALL_BUT_ONE = small_edit(
    "all-but-one", "sort by one key upwards and by the others downwards", 0.3, "order swapped"
)
_TURNED = small_edit("turned", "sort by one key the other way", 0.2, "order swapped")
_SORTING = frozenset(("sorted", "sort"))
_NO_NUMBERS = frozenset(
    (
        *("str", "lower", "upper", "casefold", "strip", "title", "join", "format", "isoformat"),
        *("sorted", "list", "tuple"),
    )
)
_NO_NUMBER = frozenset(("str", "bytes", "list", "tuple", "date", "datetime", "Path"))


class SortDirection(FirstOrder):
    """Negate a number among the keys of a sort, and let the others go up where all went down."""

    DESCRIPTION = "Sort by one of several keys in the other direction."
    NAME = "sort-direction"
    VARIANTS = (_MIXED, _ALL_BUT_ONE, _TURNED)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the sort with one key turned round against the others."""
        call = place.node
        if not isinstance(call, cst.Call) or last_of(call.func) not in _SORTING:
            return
        given = {arg.keyword.value: arg for arg in call.args if arg.keyword is not None}
        down = given.get("reverse")
        if down is not None and place.code(down.value) != "True":
            return
        keys = _keys(given.get("key"))
        if down is not None and len(keys) > 2:  # of two, the other one goes down
            yield from _upwards(place, call, keys, down)
        for part in keys:
            if not _may_be_number(place, part):
                continue
            shown, turned = place.code(part), _negated(place.tree, part)
            if down is not None:
                change = {**turned, **_without(call, down)}
                yield _MIXED, change, f"of the keys only `{shown}` goes down"
            yield _TURNED, turned, f"`{shown}` goes the other way than the other keys"


def _upwards(
    place: Place, call: cst.Call, keys: Sequence[cst.BaseExpression], down: cst.Arg
) -> Iterator[Form]:
    """Yield a sort in which one key goes up: all others are negated."""
    for up in reversed(keys):  # what decides between equals is rather the last one
        others = [key for key in keys if key is not up]
        if all(_may_be_number(place, key) for key in others):
            change = {**_without(call, down)}
            for key in others:
                change |= _negated(place.tree, key)
            yield _ALL_BUT_ONE, change, f"of the keys only `{place.code(up)}` goes up"


def _keys(key: cst.Arg | None) -> Sequence[cst.BaseExpression]:
    """Return the keys of a sort that has several."""
    match key:
        case cst.Arg(value=cst.Lambda(body=cst.Tuple(elements=[_, _, *_] as elements))):
            if not any(isinstance(each, cst.StarredElement) for each in elements):
                return [each.value for each in elements]
    return ()


def _may_be_number(place: Place, part: cst.BaseExpression) -> bool:
    """Say whether a key may be a number: nothing shows that it is something else."""
    match part:
        case cst.Call(func=func):
            return last_of(func) not in _NO_NUMBERS
        case cst.Attribute(attr=cst.Name(value=name)):
            return _NO_NUMBER.isdisjoint(_annotated(place, name))
        case cst.UnaryOperation(operator=operator):
            return isinstance(operator, cst.Minus)
    return isinstance(part, cst.Name | cst.Subscript | cst.BinaryOperation)


def _annotated(place: Place, name: str) -> set[str]:
    """Return the types that classes of the file give to a field of a name."""
    tree = read_module(place.tree.region.source.path, place.project).tree
    return {
        ast.unparse(each.annotation)
        for each in ast.walk(tree)
        if isinstance(each, ast.AnnAssign)
        and isinstance(each.target, ast.Name)
        and each.target.id == name
    }


def _negated(tree: Tree, part: cst.BaseExpression) -> Change:
    if isinstance(part, cst.UnaryOperation):
        inner = part.expression
        return replaced(tree, part, lambda _: inner)
    return replaced(tree, part, lambda old: expression("-OLD", OLD=old))


def _without(call: cst.Call, argument: cst.Arg) -> Change:
    at = call.args.index(argument)

    def put(updated: cst.Call) -> Any:
        left = [*updated.args[:at], *updated.args[at + 1 :]]
        return passing(updated, left)[updated](updated)

    return {call: put}


SortDirection.EXAMPLES = examples(
    """
mixed: most points first, of equal points by name
    def ranked(scores):
        return «sorted(scores, key=lambda s: (s.points, s.player), reverse=True)»  # for the table
AssertionError: assert ['b', 'a'] == ['a', 'b']
    def ranked(scores):
        return sorted(scores, key=lambda s: (-s.points, s.player))  # for the table

mixed: in place, and the field that is text says so
    class Job:
        name: str
        size: int

    def arrange(jobs):
        «jobs.sort(reverse=True, key=lambda job: (job.name, job.size))»
AssertionError: assert ['b', 'a'] == ['a', 'b']
    class Job:
        name: str
        size: int

    def arrange(jobs):
        jobs.sort(key=lambda job: (job.name, -job.size))

mixed: a key that is negated already
    def common(counts):
        return «sorted(counts, key=lambda pair: (-len(pair[0]), pair[0].lower()), reverse=True)»
AssertionError: assert ['b', 'a'] == ['a', 'b']
    def common(counts):
        return sorted(counts, key=lambda pair: (len(pair[0]), pair[0].lower()))

all-but-one: level teams by name
    def table(rows):
        return «sorted(rows, key=lambda r: (r.points, r.goals, r.team), reverse=True)»
AssertionError: assert ['b', 'a'] == ['a', 'b']
    def table(rows):
        return sorted(rows, key=lambda r: (-r.points, -r.goals, r.team))

turned: the longest first
    def common(words):
        return «sorted(words, key=lambda word: (len(word), word.lower()))»
AssertionError: assert ['a', 'bc'] == ['bc', 'a']
    def common(words):
        return sorted(words, key=lambda word: (-len(word), word.lower()))

not any: one key
    def ranked(scores):
        return «sorted(scores, key=lambda s: s.points, reverse=True)»
AssertionError: assert ['b', 'a'] == ['a', 'b']

not all-but-one: two keys that are no numbers
    def table(rows):
        return «sorted(rows, key=lambda r: (r.team.lower(), r.goals, str(r)), reverse=True)»
AssertionError: assert ['b', 'a'] == ['a', 'b']

not any: no key is a number
    def ranked(names):
        return «sorted(names, key=lambda n: (n.lower(), str(n)), reverse=True)»
AssertionError: assert ['b', 'a'] == ['a', 'b']

not any: the caller says which way
    def ranked(scores, down):
        return «sorted(scores, key=lambda s: (s.points, s.player), reverse=down)»
AssertionError: assert ['b', 'a'] == ['a', 'b']
"""
)
