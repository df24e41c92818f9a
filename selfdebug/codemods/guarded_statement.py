"""GuardedStatement: a statement that is right in some cases only."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    assigned_names,
    function_of,
    line_of,
    loop_of,
    nodes_of,
    params_of,
    simple_statements,
)
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._guards import doubts
from selfdebug.codemods._insert import around
from selfdebug.codemods._names import code_of, dotted

_NEW = small_edit("new", "do it for new items only", 0.15, "duplicate extra-item hang", growth=1)
_BETTER = small_edit("better", "keep the better of both", 0.3, "number text off-by-one", growth=1)
_HEEDED = small_edit("parameter", "heed a parameter that is not used", 0.1, growth=1)
_PRESENT = small_edit(
    "present", "do it where there is something", 0.05, "extra-item none", growth=1, kind="guard"
)
_BOUND = small_edit("bound", "do it within bounds", 0.05, "sign off-by-one", growth=1, kind="guard")
_OTHER = small_edit(
    "other", "do it under a condition of the function", 0.04, growth=1, kind="guard"
)
_VARIANTS = {
    "seen": _NEW,
    "unused": _HEEDED,
    "flag": _OTHER,
    "missing": _PRESENT,
    "bound": _BOUND,
    "donor": _OTHER,
    "pair": _BOUND,
}
_SHOWN = 12


class GuardedStatement(FirstOrder):
    """Run a statement only under a condition."""

    DESCRIPTION = "Run a statement only where it is right."
    NAME = "guarded-statement"
    VARIANTS = (_NEW, _BETTER, _HEEDED, _PRESENT, _BOUND, _OTHER)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the conditions around a simple statement that the code after it can do without."""
        node, function = place.node, function_of(place.tree, place.node)
        if node is not place.statement or not isinstance(node, cst.BaseSmallStatement):
            return
        if function is None or line_of(place.tree, node) is None:
            return
        if not _is_optional(place, function, node):
            return
        for test in _better(place, node):
            better = place.in_front(_BETTER)
            yield better, around(place.tree, node, test), "a worse value took the place"
        for doubt in islice(doubts(place, function), _SHOWN):
            change = around(place.tree, node, doubt.right)
            variant = place.in_front(_VARIANTS[doubt.kind])
            yield variant, change, f"it was done even where `{doubt.wrong}`"


def _is_optional(place: Place, function: cst.FunctionDef, node: cst.BaseSmallStatement) -> bool:
    """Say whether all names have a value without the statement, and the function still returns one."""
    match node:
        case cst.Return():
            return loop_of(place.tree, node) is not None
        case cst.Expr(value=cst.BaseString() | cst.Ellipsis()):
            return False
        case cst.Assign() | cst.AnnAssign():
            return assigned_names(node) <= _bound_before(place, function, node)
    return isinstance(node, cst.AugAssign | cst.Expr | cst.Del | cst.Break | cst.Continue)


def _bound_before(
    place: Place, function: cst.FunctionDef, node: cst.BaseSmallStatement
) -> set[str]:
    """Return the names that have a value before a statement; if it is in a loop, before the first."""
    line = place.tree.span(node).line
    found = {each.name.value for each in params_of(function)}
    around_ = {*place.tree.ancestors(node)}
    for each in simple_statements(function.body):
        block = place.tree.parents[place.tree.parents[each]]
        if place.tree.span(each).line < line and (
            block is function.body or block in around_ or block is function
        ):
            found |= assigned_names(each)
    return found


def _better(place: Place, node: cst.BaseSmallStatement) -> Iterator[str]:
    """Yield the comparisons with what a variable holds, for one that keeps a value of a loop."""
    if loop_of(place.tree, node) is None:
        return
    match node:
        case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
            name, new = dotted(target), code_of(value)
            plain = isinstance(value, cst.Name | cst.Attribute | cst.Subscript | cst.Call)
            if name and plain and "\n" not in new and not _is_taken(node):
                yield from (f"{new} > {name}", f"{new} < {name}")
                yield f"{name} is None or {new} > {name}"
                yield f"{name} is None or {new} < {name}"


def _is_taken(node: cst.BaseSmallStatement) -> bool:
    """Say whether a value is taken from somewhere: asked for twice it would be another."""
    taking = ("pop", "popleft", "get_nowait", "next", "readline", "read", "recv", "input")
    return any(
        isinstance(each, cst.Call) and code_of(each.func).rpartition(".")[2] in taking
        for each in nodes_of(node)
    )


GuardedStatement.EXAMPLES = examples(
    """
new: a list without duplicates
    def tags(posts):
        found = []
        for post in posts:
            «found.append(post.tag)»  # in order
        return found
AssertionError: assert ['a', 'a'] == ['a']
    def tags(posts):
        found = []
        for post in posts:
            if post.tag not in found:
                found.append(post.tag)  # in order
        return found

better: the longest of all
    def longest(words):
        best = ""
        for word in words:
            size = len(word)
            «best = word»
        return best
AssertionError: assert 'a' == 'abc'
    def longest(words):
        best = ""
        for word in words:
            size = len(word)
            if word > best:
                best = word
        return best

parameter: an option that nobody heeds
    def text(lines, numbered=False):
        found = list(lines)
        «found.insert(0, str(len(lines)))»
        return found
AssertionError: assert ['1', 'a'] == ['a']
    def text(lines, numbered=False):
        found = list(lines)
        if numbered:
            found.insert(0, str(len(lines)))
        return found

present: a part that may be missing
    def address(street, city):
        parts = []
        «parts.append(street)»
        parts.append(city)
        return ", ".join(parts)
AssertionError: assert ', Bern' == 'Bern'
where street: str = ''
    def address(street, city):
        parts = []
        if street:
            parts.append(street)
        parts.append(city)
        return ", ".join(parts)

bound: only what was paid in
    def deposits(movements):
        total = 0
        for amount in movements:
            «total += amount»
        return total
AssertionError: assert 3 == 5
where total: int = 3
where amount: int = -2
    def deposits(movements):
        total = 0
        for amount in movements:
            if amount > 0:
                total += amount
        return total

other: under a condition that is asked elsewhere
    def report(rows, least):
        shown = []
        for row in rows:
            if row.size >= least:
                shown.append(row.name)
        for row in rows:
            «shown.append(row.size)»
        return shown
AssertionError: assert ['a', 5, 1] == ['a', 5]
    def report(rows, least):
        shown = []
        for row in rows:
            if row.size >= least:
                shown.append(row.name)
        for row in rows:
            if row.size >= least:
                shown.append(row.size)
        return shown

not any: others need the variable
    def total(rows):
        «amount = sum(rows)»
        return amount
AssertionError: assert 3 == 5
where rows: list = []

not any: the result of the function
    def total(rows):
        «return sum(rows)»
AssertionError: assert 3 == 5
where rows: list = []

not better: no loop goes on
    def name(row, best):
        «best = row.name»
        return best
AssertionError: assert 3 == 5

not better: taken twice it would be another
    def last(queue):
        best = None
        for _ in range(3):
            «best = queue.pop()»
        return best
AssertionError: assert 3 == 5

not any: a docstring is no statement to skip
    def total(rows):
        «"Add up."»
        return sum(rows)
AssertionError: assert 3 == 5
where rows: list = []

not any: a raise has its own condition
    def total(rows, limit):
        if rows:
            «raise ValueError("too many")»
        return 0
AssertionError: assert 3 == 5
where rows: list = []

not any: what is imported is needed
    def total(rows):
        «from math import fsum»
        return fsum(rows)
AssertionError: assert 3 == 5
where rows: list = []
"""
)
