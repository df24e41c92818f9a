"""EarlyExit: a case in which a function, or a round of a loop, should have ended before a statement."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    block_of,
    function_of,
    line_of,
    lines_of,
    loop_of,
    nodes_of,
    params_of,
    reads,
    writes,
)
from selfdebug.codemods._exceptions import awaited, own_exceptions
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._guards import Doubt, doubts
from selfdebug.codemods._insert import Line
from selfdebug.codemods._names import code_of, dotted
from selfdebug.codemods._refusals import is_first_use, left_above, refusals
from selfdebug.codemods._style import fallbacks, is_generator, is_procedure, quoted, returned

_SEEN = small_edit(
    "seen",
    "leave out what has been seen",
    0.12,
    "duplicate extra-item hang recursion order",
    growth=1,
)
_UNUSED = small_edit("parameter", "heed a parameter that is not used", 0.1, growth=1)
_MISSING = small_edit(
    "missing", "leave where there is nothing to work on", 0.06, "none empty", growth=1, kind="guard"
)
_BASE = small_edit("base-case", "end the recursion", 0.15, "recursion", growth=1)
_BOUND = small_edit("bound", "leave at the bound", 0.04, "sign hang", growth=1, kind="guard")
_OTHER = small_edit(
    "other", "leave under a condition of the function", 0.03, growth=1, kind="guard"
)
_WANTED = small_edit(
    "wanted", "return what is wanted where there is nothing", 0.2, growth=1, kind="guard"
)
_RAISED = small_edit("raised", "raise where the value is wrong", 0.25, "raises", growth=1)
_VARIANTS = {
    "seen": _SEEN,
    "unused": _UNUSED,
    "flag": _OTHER,
    "missing": _MISSING,
    "bound": _BOUND,
    "donor": _OTHER,
    "pair": _BOUND,
}
_SHOWN = 12
_VALUES = 4


class EarlyExit(FirstOrder):
    """Return, continue, break or raise above a statement, in a case that the code leaves out."""

    DESCRIPTION = "Leave early in a case that was left out."
    NAME = "early-exit"
    VARIANTS = (_SEEN, _UNUSED, _MISSING, _BASE, _BOUND, _OTHER, _WANTED, _RAISED)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the exits above the first statement that uses what they ask about."""
        tree, node, function = place.tree, place.node, function_of(place.tree, place.node)
        line = line_of(tree, node) if node is place.statement else None
        if line is None or function is None or _is_nested(place, line):
            return
        if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Import | cst.ImportFrom):
            return
        found = [each for each in doubts(place, function) if is_first_use(place, line, each)]
        yield from islice(_exits(place, function, line, found), _SHOWN)
        if not place.site.shapes or "raises" in place.site.shapes:
            yield from islice(_raises(place, function, found), _VALUES)


def _is_nested(place: Place, line: Line) -> bool:
    """Say whether a line is in another block than that of its function or loop."""
    holder = place.tree.parents[block_of(place.tree, line)]
    return not isinstance(holder, cst.FunctionDef | cst.For | cst.While)


def _exits(
    place: Place, function: cst.FunctionDef, line: Line, found: list[Doubt]
) -> Iterator[Form]:
    loop = loop_of(place.tree, place.node)
    for doubt in found:
        if loop is not None:
            exits = _of_loop(place, line, loop, doubt)
        else:
            exits = _of_function(place, function, doubt)
        for exit_ in exits:
            variant = _VARIANTS[doubt.kind]
            if doubt.kind in ("missing", "bound", "donor") and _is_recursive(function):
                variant = _BASE if loop is None else variant
            if _is_wanted(place, exit_) and variant.kind == "guard":
                variant = _WANTED
            change = left_above(place, doubt.wrong, exit_)
            yield place.in_front(variant), change, f"`{exit_}` where `{doubt.wrong}`"


def _is_wanted(place: Place, exit_: str) -> bool:
    """Say whether the assertion wants exactly what would be returned: nothing, or a boolean."""
    wanted = place.site.attrs.get("wanted", "")
    return wanted != "" and exit_.replace('"', "'") == f"return {wanted}"


def _of_loop(place: Place, line: Line, loop: cst.For | cst.While, doubt: Doubt) -> Iterator[str]:
    """Yield how a round ends: a ``while`` goes on only with what the round has taken or changed."""
    if block_of(place.tree, line) is not loop.body:
        return
    lines = lines_of(block_of(place.tree, line))
    earlier = lines[: next(n for n, other in enumerate(lines) if other is line)]
    changed = {name for each in earlier for name in writes(each)}
    if isinstance(loop, cst.For):
        changed |= reads(loop.target)
    if not doubt.names.isdisjoint(changed):
        yield "continue"
    if doubt.kind in ("unused", "bound", "donor", "missing") and not doubt.names.isdisjoint(
        {*changed, *writes(loop.body)}
    ):
        yield "break"


def _of_function(place: Place, function: cst.FunctionDef, doubt: Doubt) -> Iterator[str]:
    if function.name.value == "__init__":
        return
    if is_generator(function) or is_procedure(function):
        yield "return"
        return
    if doubt.kind == "unused" and not any(
        isinstance(each, cst.Return) for each in nodes_of(function.body)
    ):
        return
    for value in [*dict.fromkeys(_results(place, function, doubt))][:_VALUES]:
        yield f"return {quoted(place.tree, place.node, value) or value}"


def _results(place: Place, function: cst.FunctionDef, doubt: Doubt) -> Iterator[str]:
    """Yield what a function may return: as it does elsewhere, the value itself, nothing of its kind."""
    found = [*fallbacks(place.tree, function)]
    values = [each.value for each in returned(function) if each.value is not None]
    constants = [
        code_of(each)
        for each in values
        if isinstance(each, cst.SimpleString | cst.Integer) or code_of(each) in ("True", "False")
    ]
    yield from (value for value in found if value != "None")
    yield from constants
    if any(isinstance(each, cst.Comparison | cst.BooleanOperation) for each in values):
        yield from ("False", "True")
    if any(each.name.value == doubt.about for each in params_of(function)):
        yield doubt.about
    if any(isinstance(each, cst.BinaryOperation) for each in values):
        yield from ("0", "1")
    yield from (value for value in found if value == "None")


def _is_recursive(function: cst.FunctionDef) -> bool:
    return any(
        isinstance(each, cst.Call)
        and (dotted(each.func) or "").rpartition(".")[2] == function.name.value
        for each in nodes_of(function.body)
    )


def _raises(place: Place, function: cst.FunctionDef, found: list[Doubt]) -> Iterator[Form]:
    """Yield the refusal of a parameter, with an exception that the file knows."""
    waited = {name for name, _ in awaited(place)}
    names = [name for name in own_exceptions(place)[:2] if name not in waited]
    given = {each.name.value for each in params_of(function)}
    asked = [each for each in found if not each.names.isdisjoint(given)]
    for name in names or (["ValueError"] if not waited else []):
        for doubt, change in refusals(place, asked, name):
            yield _RAISED, change, f"nothing refuses `{doubt.wrong}`"


EarlyExit.EXAMPLES = examples(
    """
seen: what was visited is not visited again
    def reachable(start, links):
        seen = set()
        queue = [start]
        while queue:
            name = queue.pop()
            # Its neighbours come next.
            «seen.add(name)»
            queue += links[name]
        return seen
Failed: Timeout
    def reachable(start, links):
        seen = set()
        queue = [start]
        while queue:
            name = queue.pop()
            if name in seen:
                continue
            # Its neighbours come next.
            seen.add(name)
            queue += links[name]
        return seen

parameter: a limit that nobody heeds
    def names(rows, limit):
        found = []
        for row in rows:
            «found.append(row.name)»
        return found
AssertionError: assert ['a', 'b'] == ['a']
where found: list = ['a', 'b']
    def names(rows, limit):
        found = []
        for row in rows:
            if len(found) >= limit:
                break
            found.append(row.name)
        return found

missing: the mean of nothing
    def mean(values):
        «return sum(values) / len(values)»
AssertionError: assert None == 0
where values: list = []
    def mean(values):
        if not values:
            return 0
        return sum(values) / len(values)

base-case: a chain ends somewhere
    def length(node):
        «return 1 + length(node.next)»
RecursionError: maximum recursion depth exceeded
    def length(node):
        if node is None:
            return 0
        return 1 + length(node.next)

bound: nothing is left to share out
    def shares(amounts, rest):
        found = []
        for amount in amounts:
            «share = min(amount, rest)»
            rest -= share
            found.append(share)
        return found
AssertionError: assert [3, 0] == [3]
where rest: int = 0
    def shares(amounts, rest):
        found = []
        for amount in amounts:
            if rest <= 0:
                break
            share = min(amount, rest)
            rest -= share
            found.append(share)
        return found

raised: an amount that is refused
    class Refused(Exception):
        pass

    class Account:
        def pay(self, amount):
            «self.balance -= amount»
AssertionError: a negative amount was paid
where amount: int = -5
    class Refused(Exception):
        pass

    class Account:
        def pay(self, amount):
            if amount <= 0:
                raise Refused("amount is out of range")
            self.balance -= amount

wanted: nothing is known of nobody
    def oldest(people):
        «ranked = sorted(people, key=age)»
        return ranked[-1] if ranked else UNKNOWN
AssertionError: assert 'unknown' is None
where people: list = []
with wanted = None
    def oldest(people):
        if not people:
            return None
        ranked = sorted(people, key=age)
        return ranked[-1] if ranked else UNKNOWN

not missing: a statement above uses it already
    def mean(values):
        total = sum(values)
        «return total / len(values)»
AssertionError: assert None == 0
where values: list = []

not any: in a branch
    def name(row, short):
        if short:
            «return row.name[0]»
        return row.name
AssertionError: assert 'a' == 'ab'

not seen: nothing is kept
    def total(rows):
        amount = 0
        for row in rows:
            «amount += row.price»
        return amount
AssertionError: assert 5 == 4

not any: a constructor returns nothing
    class Cart:
        def __init__(self, items):
            «self.total = sum(items)»
AssertionError: assert 0 == 5

not any: an import leaves nothing out
    def mean(values):
        «from statistics import mean»
        return mean(values)
AssertionError: assert None == 0

not bound: text has no sign
    def shares(amounts, rest):
        for amount in amounts:
            «yield amount + rest»
AssertionError: assert 'a' == 'b'
where rest: str = 'b'

not base-case: the function does not call itself
    def length(node):
        «return 1 + size(node.next)»
RecursionError: maximum recursion depth exceeded
"""
)
