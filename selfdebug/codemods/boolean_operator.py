"""BooleanOperator: `and` for `or`, a `not` too many or too few, clauses that belong together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import kind_of
from selfdebug.codemods._names import dotted
from selfdebug.syntax.precedence import fit

_TELLS = "bool raises missing-item extra-item"
_OTHER = small_edit("other", "ask for both, or for either", 0.1, _TELLS)
_NEGATED = small_edit("negated", "ask for the opposite", 0.03, _TELLS)
_AFFIRMED = small_edit("affirmed", "leave out the `not`", 0.06, _TELLS)
_GROUPING = small_edit("grouping", "join the clauses in another order", 0.06, _TELLS)

_ASKS = (cst.If, cst.While, cst.IfExp, cst.CompIf, cst.Assert, cst.BooleanOperation)
_ASKED = (
    *(cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.BooleanOperation),
    cst.BinaryOperation,
)


class BooleanOperator(FirstOrder):
    """Ask for both or either, for the opposite, or join clauses in another order."""

    DESCRIPTION = "Join conditions by the other operator, negate them, or group them otherwise."
    NAME = "boolean-operator"
    VARIANTS = (_OTHER, _NEGATED, _AFFIRMED, _GROUPING)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield what a condition, or a part of it, may have meant."""
        node = place.node
        match node:
            case cst.BooleanOperation():
                if not _falls_back(node):
                    yield _OTHER, _exchanged(place, node), f"it asked by `{_word(node)}`"
                yield from _regrouped(place, node)
            case cst.UnaryOperation(operator=cst.Not(), expression=inner):
                yield _AFFIRMED, place.keep(inner), f"what counts is whether `{place.code(inner)}`"
                yield from _spread(place, node)
        if isinstance(node, _ASKED) and _is_asked(place, node):
            yield (
                _NEGATED,
                place.put("not OLD"),
                f"what counts is that `{place.code(node)}` does not hold",
            )


def _falls_back(node: cst.BooleanOperation) -> bool:
    """Say whether a new object or a display stands for what is missing: ``cache or Cache()``."""
    match node:
        case cst.BooleanOperation(operator=cst.Or(), right=cst.Call(func=func)):
            return (dotted(func) or "").rpartition(".")[2][:1].isupper()
        case cst.BooleanOperation(operator=cst.Or(), right=right):
            return isinstance(right, _DISPLAYS)
    return False


_DISPLAYS = (cst.List, cst.Dict, cst.Tuple, cst.Set, cst.BaseString, cst.BaseNumber)


def _is_asked(place: Place, node: cst.BaseExpression) -> bool:
    """Say whether it matters of an expression only if it holds."""
    parent = place.parent
    if isinstance(parent, cst.IfExp):
        return node is parent.test
    if isinstance(parent, cst.If | cst.While | cst.CompIf | cst.Assert):
        return node is parent.test
    if isinstance(parent, cst.BooleanOperation):
        return _is_tested(place, parent) or kind_of(place, node) == "bool"
    carried = isinstance(parent, cst.Return | cst.Assign | cst.Lambda | cst.Arg)
    return carried and place.is_read and kind_of(place, node) == "bool"


def _is_tested(place: Place, node: cst.CSTNode) -> bool:
    """Say whether a boolean operation is part of a condition."""
    tree = place.tree
    parent = tree.parents[node]
    while isinstance(parent, cst.BooleanOperation) or (
        isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not)
    ):
        node, parent = parent, tree.parents[parent]
    return isinstance(parent, _ASKS) and getattr(parent, "test", None) is node


def _exchanged(place: Place, node: cst.BooleanOperation) -> Change:
    other = cst.Or if isinstance(node.operator, cst.And) else cst.And

    def make(updated: Any) -> cst.BaseExpression:
        old = updated.operator
        made = updated.with_changes(operator=other(old.whitespace_before, old.whitespace_after))
        left, right = (fit(getattr(updated, slot), made, getattr(made, slot)) for slot in _SIDES)
        result: cst.BaseExpression = made.with_changes(left=left, right=right)
        return result

    return replaced(place.tree, node, make)


_SIDES = ("left", "right")


def _regrouped(place: Place, node: cst.BooleanOperation) -> Iterator[Form]:
    """Yield the clauses with the other of two different operators first, or under a leading `not`."""
    left, right = node.left, node.right
    why = "the clauses belonged together otherwise"
    if isinstance(right, cst.BooleanOperation) and type(right.operator) is not type(node.operator):

        def first(updated: Any) -> cst.BaseExpression:
            inner = updated.right.with_changes(lpar=[], rpar=[])
            one = updated.with_changes(right=inner.left, lpar=[], rpar=[])
            return _joined(inner, "left", one)

        yield _GROUPING, replaced(place.tree, node, first), why
    if isinstance(left, cst.BooleanOperation) and type(left.operator) is not type(node.operator):

        def last(updated: Any) -> cst.BaseExpression:
            inner = updated.left.with_changes(lpar=[], rpar=[])
            other = updated.with_changes(left=inner.right, lpar=[], rpar=[])
            return _joined(inner, "right", other)

        yield _GROUPING, replaced(place.tree, node, last), why
    if isinstance(left, cst.UnaryOperation) and isinstance(left.operator, cst.Not):

        def under(updated: Any) -> cst.BaseExpression:
            clauses = _joined(updated, "left", updated.left.expression)
            return expression("not OLD", OLD=clauses)

        yield _GROUPING, replaced(place.tree, node, under), "the `not` was meant for all of it"


def _spread(place: Place, node: cst.UnaryOperation) -> Iterator[Form]:
    """Yield a `not` over clauses as one that is meant for the first only."""
    if isinstance(node.expression, cst.BooleanOperation):

        def make(updated: Any) -> cst.BaseExpression:
            inner = updated.expression.with_changes(lpar=[], rpar=[])
            return _joined(inner, "left", expression("not OLD", OLD=inner.left))

        yield (
            _GROUPING,
            replaced(place.tree, node, make),
            "the `not` was meant for the first clause",
        )


def _joined(node: cst.BooleanOperation, slot: str, new: cst.BaseExpression) -> cst.BooleanOperation:
    return node.with_changes(**{slot: fit(new, node, getattr(node, slot))})


def _word(node: cst.BooleanOperation) -> str:
    return "and" if isinstance(node.operator, cst.And) else "or"


BooleanOperator.EXAMPLES = examples(
    """
not other: what stands for a missing value is no condition
    def __init__(self, cache=None):
        self.cache = «cache or Cache()»
AssertionError: assert 2 == 1

other: either will do
    def is_free(day):
        return «day.is_holiday and day.weekday() > 4»  # Saturday, Sunday
AssertionError: assert False
    def is_free(day):
        return day.is_holiday or day.weekday() > 4  # Saturday, Sunday

other: an `or` under an `and` needs parentheses
    def may_ship(order):
        return «order.packed and order.picked» and order.paid
AssertionError: assert False
    def may_ship(order):
        return (order.packed or order.picked) and order.paid

negated: what is not yet done
    def open_tasks(tasks):
        return [task for task in tasks if «task.done»]
AssertionError: assert [] == [1]
    def open_tasks(tasks):
        return [task for task in tasks if not task.done]

negated: a call that says yes or no
    def is_clean(text):
        return «any(c.isspace() for c in text)»
AssertionError: assert False
    def is_clean(text):
        return not any(c.isspace() for c in text)

affirmed: what is there
    def shown(items):
        if «not items»:
            return len(items)
        return 0
AssertionError: assert 0 == 2
    def shown(items):
        if items:
            return len(items)
        return 0

grouping: the clauses with `or` first
    def may_enter(guest):
        return «guest.member or guest.staff and guest.badge»
AssertionError: assert True is False
    def may_enter(guest):
        return (guest.member or guest.staff) and guest.badge

grouping: all of it is denied
    def is_idle(job):
        return «not job.running and job.queued»
AssertionError: assert False
    def is_idle(job):
        return not (job.running and job.queued)

grouping: only the first is denied
    def is_idle(job):
        return «not (job.running or job.queued)»
AssertionError: assert False
    def is_idle(job):
        return not job.running or job.queued

not negated: a comparison has an operator for that
    def is_late(now, due):
        return «now > due»
AssertionError: assert False

not negated: a default is no condition
    def title(book):
        return «book.title» or "Untitled"
AssertionError: assert 'A' == 'B'

not grouping: one operator only
    def may_ship(order):
        return «order.paid and order.packed and order.picked»
AssertionError: assert True is False

not any: bits are no clauses
    def is_free(day):
        return «day.holiday & day.sunday»
AssertionError: assert False

not negated: an argument that may be anything
    def shown(page, items):
        page.show(«items»)
AssertionError: assert 0 == 2

not negated: what a name is bound to
    def copied(items):
        rows = «items.rows»
        return rows
AssertionError: assert 0 == 2

not grouping: there is one clause only
    def is_idle(job):
        return «not job.busy»
AssertionError: assert False

not other: a choice between two values
    def title(book):
        return «book.title if book else "Untitled"»
AssertionError: assert 'A' == 'B'
"""
)
