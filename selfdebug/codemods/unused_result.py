"""UnusedResult: a call gives what its argument should become, and nobody keeps it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import kind_of
from selfdebug.codemods._names import code_of, dotted
from selfdebug.codemods._passing import last_of
from selfdebug.syntax.bindings import FUNCTIONS
from selfdebug.syntax.modules import definitions

_PURE = small_edit("pure", "keep what a call without any other effect gives", 0.8)
_OWN = small_edit("own", "keep what a function of the project gives back", 0.5)
_TEXTS = frozenset(
    (
        *("strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold"),
        *("replace", "removeprefix", "removesuffix", "expandtabs", "zfill", "center", "format"),
        *("ljust", "rjust", "encode", "decode", "translate", "swapcase"),
    )
)
_OTHERS = frozenset(
    (
        *("union", "intersection", "difference", "symmetric_difference", "quantize", "astimezone"),
        *("with_suffix", "with_name", "with_stem", "resolve", "expanduser", "relative_to", "copy"),
    )
)
_FUNCTIONS = frozenset(("sorted", "reversed", "abs", "round", "deepcopy", "int", "float", "str"))


class UnusedResult(FirstOrder):
    """Give a variable what a call makes of it."""

    DESCRIPTION = "Keep the result of a call that nobody uses."
    NAME = "unused-result"
    VARIANTS = (_PURE, _OWN)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the assignment of the result to what the call was given."""
        match place.node:
            case cst.Expr(value=cst.Call() as call) as node if node is place.statement:
                why = f"nothing is done with what `{code_of(call.func)}` gives"
                for variant, taker in _takers(place, call):
                    yield variant, {node: _assigned(taker, call)}, why


def _assigned(taker: cst.BaseExpression, call: cst.Call) -> Callable[[Any], cst.CSTNode]:
    target = taker.with_changes(lpar=(), rpar=())
    assert isinstance(target, cst.Name | cst.Attribute | cst.Subscript)
    made = cst.Assign([cst.AssignTarget(target)], call)
    return lambda old: made.with_changes(semicolon=old.semicolon)


def _takers(place: Place, call: cst.Call) -> Iterator[tuple[Variant, cst.BaseExpression]]:
    """Yield what may be meant to become the result of a call."""
    name, func = last_of(call.func), call.func
    given = [arg.value for arg in call.args if not arg.star and _may_take(place, arg.value)]
    if isinstance(func, cst.Attribute) and _may_take(place, func.value):
        kind = kind_of(place, func.value)
        text = name in _TEXTS and kind in ("str", "bytes", "")
        if text or name in _OTHERS:
            yield _PURE, func.value
            return
    if isinstance(func, cst.Name) and name in _FUNCTIONS:
        yield from ((_PURE, each) for each in given[:1])
    elif _gives(place, name):
        yield from ((_OWN, each) for each in given)


def _may_take(place: Place, node: cst.BaseExpression) -> bool:
    """Say whether something is a variable, or an attribute of one, that may be assigned to."""
    spelling = dotted(node)
    if spelling is None:
        return False
    first, _, rest = spelling.partition(".")
    return bool(rest) or (first in place.names and first not in ("self", "cls"))


def _gives(place: Place, name: str) -> bool:
    """Say whether the function of the project with a name returns something, and not by the way."""
    found = [each.node for each in definitions(name, place.project)]
    return bool(found) and all(
        isinstance(each, FUNCTIONS) and any(map(_returns_value, ast.walk(each))) for each in found
    )


def _returns_value(node: ast.AST) -> bool:
    match node:
        case ast.Return(value=ast.Constant(value=None | True | False)):
            return False
        case ast.Return(value=ast.expr()):
            return True
    return False


UnusedResult.EXAMPLES = examples(
    """
own: headers that are made anew
    def cleaned(event):
        return Event(event.headers.lower())

    def send(event):
        «cleaned(event)»  # as the other side wants it
        return event.text()
AssertionError: assert 'A' == 'a'
    def cleaned(event):
        return Event(event.headers.lower())

    def send(event):
        event = cleaned(event)  # as the other side wants it
        return event.text()

pure: a text never changes
    def key(name):
        «name.strip()»
        return name.lower()
AssertionError: assert ' a' == 'a'
    def key(name):
        name = name.strip()
        return name.lower()

pure: sorted makes another list
    class Queue:
        def first(self):
            «sorted(self.items)»
            return self.items[0]
AssertionError: assert 2 == 1
    class Queue:
        def first(self):
            self.items = sorted(self.items)
            return self.items[0]

not any: it says whether it did something
    def add(event):
        log.append(event)
        return True

    def send(event):
        «add(event)»
        return event.text()
AssertionError: assert 'A' == 'a'

not any: a method that may change its object
    def key(names):
        «names.sort()»
        return names[0]
AssertionError: assert 'b' == 'a'

not any: the function gives nothing back
    def cleaned(event):
        event.headers = event.headers.lower()

    def send(event):
        «cleaned(event)»
        return event.text()
AssertionError: assert 'A' == 'a'
"""
)
