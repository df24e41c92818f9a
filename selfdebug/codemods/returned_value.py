"""ReturnedValue: a function returns something else than it made, nothing, or one of many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    assigned_names,
    function_of,
    loops_of,
    nodes_of,
    only,
    params_of,
    writes,
)
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import below, statements
from selfdebug.codemods._names import dotted
from selfdebug.codemods._style import is_generator, returned

_BUILT = small_edit(
    "built", "return what the function built", 0.15, "empty missing-item type none number"
)
_OTHER = small_edit("other", "return another variable", 0.04)
_MADE = small_edit("made", "return what the call gives", 0.3, "none")
_ENDED = small_edit("ended", "return the result at the end", 0.4, "none")
_DELEGATED = small_edit("delegated", "yield what another generator yields", 0.4, "type")
_EACH = small_edit("each", "yield every item", 0.05, "missing-item type")
_YIELDED = small_edit("yielded", "yield the items as one", 0.05, "type")
_SHOWN = 4


class ReturnedValue(FirstOrder):
    """Return or yield another value, or one at all."""

    DESCRIPTION = "Return or yield the value that was made."
    NAME = "returned-value"
    VARIANTS = (_BUILT, _OTHER, _MADE, _ENDED, _DELEGATED, _EACH, _YIELDED)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other results."""
        node, function = place.node, function_of(place.tree, place.node)
        if node is not place.statement or function is None or function.name.value == "__init__":
            return
        match node:
            case cst.Return(value=cst.BaseExpression() as value):
                yield from _others(place, function, value)
                if [*loops_of(place.tree, node)] and not is_generator(function):
                    yield _EACH, {node: _yielding}, "only the first was returned"
            case cst.Expr(value=cst.Yield() as value):
                yield from _yields(place, value)
            case cst.Expr(value=cst.Call() as value):
                yield from _called(place, function, node, value)
        yield from _ended(place, function)


def _others(place: Place, function: cst.FunctionDef, value: cst.BaseExpression) -> Iterator[Form]:
    """Yield the variables that a function builds, then those that it only sets or is given."""
    built = [name for name in _built(function) if name in place.names]
    set_ = sorted((assigned_names(function.body) - {*built}) & {*place.names})
    given = [each.name.value for each in params_of(function)]
    own = dotted(value)
    for variant, names in ((_BUILT, built), (_OTHER, [*set_, *given])):
        for name in [each for each in dict.fromkeys(names) if each != own][:_SHOWN]:
            if variant is _BUILT or own is not None:
                change: Change = {value: _named(name)}
                yield variant, change, f"`{name}` is the result"


def _named(name: str) -> Any:
    def make(updated: cst.BaseExpression) -> cst.BaseExpression:
        return cst.Name(name, lpar=updated.lpar, rpar=updated.rpar)

    return make


def _built(function: cst.FunctionDef) -> list[str]:
    """Return the variables that a function changes step by step, the last first."""
    found: list[str] = []
    for each in nodes_of(function.body):
        match each:
            case cst.AugAssign(target=cst.Name(value=name)):
                found.append(name)
            case cst.Call(func=cst.Attribute(value=cst.Name(value=name))):
                found.append(name)
            case cst.AssignTarget(target=cst.Subscript(value=cst.Name(value=name))):
                found.append(name)
    own = assigned_names(function.body)
    return [name for name in dict.fromkeys(reversed(found)) if name in own]


def _yielding(updated: cst.Return) -> cst.Expr:
    return cst.Expr(cst.Yield(updated.value), semicolon=updated.semicolon)


def _yields(place: Place, value: cst.Yield) -> Iterator[Form]:
    match value.value:
        case cst.From(item=item):
            change: Change = {value: lambda updated: updated.with_changes(value=item)}
            yield _YIELDED, change, "the items belong together"
        case cst.Call() as call:
            own = function_of(place.tree, place.node)
            name = (dotted(call.func) or "").rpartition(".")[2]
            recursive = own is not None and name == own.name.value
            variant = _DELEGATED if recursive else _EACH
            yield variant, {value: _from}, "the items are wanted one by one"
        case cst.Name() | cst.Attribute() | cst.Subscript():
            yield _EACH, {value: _from}, "the items are wanted one by one"


def _from(updated: cst.Yield) -> cst.Yield:
    assert isinstance(updated.value, cst.BaseExpression)
    return updated.with_changes(value=cst.From(updated.value))


def _called(
    place: Place, function: cst.FunctionDef, node: cst.Expr, call: cst.Call
) -> Iterator[Form]:
    """Yield a use of what a call gives that nobody takes: of the function itself, or at its end."""
    name = (dotted(call.func) or "").rpartition(".")[2]
    recursive = name == function.name.value
    if is_generator(function):
        if recursive:
            change: Change = {call: lambda old: cst.Yield(cst.From(old))}
            yield _DELEGATED, change, "what it yields was dropped"
        return
    if recursive and any(each.value for each in returned(function)):
        yield _MADE, {node: _returning}, "what it returns was dropped"
        for built in _built(function)[:2]:
            if built in place.names and _is_empty(function, built):
                yield _BUILT, {node: _extending(built)}, "what it returns was dropped"


def _is_empty(function: cst.FunctionDef, name: str) -> bool:
    """Say whether a variable begins as an empty list, a number or a text, to which one can add."""
    for each in nodes_of(function.body):
        match each:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=target))], value=value):
                if target == name:
                    return isinstance(value, cst.List | cst.Integer | cst.SimpleString)
    return False


def _returning(updated: cst.Expr) -> cst.Return:
    return cst.Return(updated.value, semicolon=updated.semicolon)


def _extending(name: str) -> Any:
    def make(updated: cst.Expr) -> cst.AugAssign:
        return cst.AugAssign(
            cst.Name(name), cst.AddAssign(), updated.value, semicolon=updated.semicolon
        )

    return make


def _ended(place: Place, function: cst.FunctionDef) -> Iterator[Form]:
    """Yield a return under the last statement of a function that has returned nothing by then."""
    last, node = only(function.body.body[-1]), place.node
    if last is not node or is_generator(function):
        return
    if isinstance(node, cst.Return | cst.Raise | cst.BaseCompoundStatement):
        return
    if not isinstance(node, cst.BaseSmallStatement):
        return
    names = [*sorted(writes(node)), *_built(function)]
    for name in [each for each in dict.fromkeys(names) if each in assigned_names(function)][:2]:
        lines = statements(place.tree, f"return {name}\n", node)
        yield _ENDED, below(place.tree, node, lines), f"`{name}` was made for nothing"


ReturnedValue.EXAMPLES = examples(
    """
built: the list that was filled, not the one that was given
    def cleaned(rows):
        kept = []
        for row in rows:
            if row:
                kept.append(row)
        «return rows»  # those with text
AssertionError: assert ['', 'a'] == ['a']
    def cleaned(rows):
        kept = []
        for row in rows:
            if row:
                kept.append(row)
        return kept  # those with text

other: the greater of two
    def divisor(large, small):
        while small:
            large, small = small, large % small
        «return small»
AssertionError: assert 0 == 4
    def divisor(large, small):
        while small:
            large, small = small, large % small
        return large

made: the result of the other branch
    def depth(node):
        if node.parent is None:
            return 0
        «depth(node.parent)»
AssertionError: assert None == 0
    def depth(node):
        if node.parent is None:
            return 0
        return depth(node.parent)

built: what the children give is added
    def names(node):
        found = [node.name]
        for child in node.children:
            «names(child)»
        found.sort()
        return found
AssertionError: assert ['a'] == ['a', 'b']
    def names(node):
        found = [node.name]
        for child in node.children:
            found += names(child)
        found.sort()
        return found

ended: a text that is built and forgotten
    def slug(title):
        words = title.lower().split()
        «joined = "-".join(words)»
AssertionError: assert None == 'a-b'
    def slug(title):
        words = title.lower().split()
        joined = "-".join(words)
        return joined

delegated: a generator calls itself
    def walk(node):
        yield node.name
        for child in node.children:
            «walk(child)»
AssertionError: assert ['a'] == ['a', 'b']
    def walk(node):
        yield node.name
        for child in node.children:
            yield from walk(child)

each: lines of all files
    def lines(files):
        for file in files:
            «yield file.lines»
AssertionError: assert [['a']] == ['a']
    def lines(files):
        for file in files:
            yield from file.lines

yielded: pages, not rows
    def pages(source):
        for page in source:
            «yield from page»
AssertionError: assert ['a'] == [['a']]
    def pages(source):
        for page in source:
            yield page

not any: there is no other variable
    def doubled(value):
        «return value * 2»
AssertionError: assert 2 == 4

not any: a procedure that calls itself
    def visit(node):
        node.done = True
        for child in node.children:
            «visit(child)»
AssertionError: assert 2 == 4

not any: an object is made
    class Cart:
        def __init__(self, items):
            «self.items = items»
AssertionError: assert 2 == 4

not each: the function yields already
    def lines(files):
        for file in files:
            yield file.name
            if file.empty:
                «return file.lines»
AssertionError: assert ['a'] == ['a', 'b']

not any: another function is called
    def depth(node):
        if node.parent is None:
            return 0
        «log(node.parent)»
AssertionError: assert None == 0

not any: a number has no items
    def count(files):
        for file in files:
            «yield 1»
AssertionError: assert [1] == [2]

not any: the object keeps what was made
    def fill(cart, title):
        «cart.words = title.split()»
AssertionError: assert None == ['a']

not any: it raises at the end
    def slug(title):
        words = title.split()
        «raise ValueError(words)»
ValueError: ['a']

not built: what is filled is not the function's own
    def cleaned(rows, kept):
        for row in rows:
            kept.append(row)
        «return rows»
AssertionError: assert ['', 'a'] == ['a']
"""
)
