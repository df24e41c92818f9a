"""ExceptionKind: another exception is raised, or caught, than the one that is meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._edit import Change
from selfdebug.codemods._exceptions import own_exceptions
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form

_RAISED = small_edit("raised", "raise another exception", 0.15, "raises")
_CAUGHT = small_edit("caught", "catch another exception", 0.1, "raises none")
_SHOWN = 8
_NEAR = {
    "KeyError": ("IndexError", "AttributeError", "LookupError", "ValueError"),
    "IndexError": ("KeyError", "LookupError", "ValueError"),
    "ValueError": ("TypeError", "KeyError", "ArithmeticError"),
    "TypeError": ("ValueError", "AttributeError", "KeyError"),
    "AttributeError": ("KeyError", "TypeError"),
    "ZeroDivisionError": ("ValueError", "ArithmeticError", "OverflowError"),
    "StopIteration": ("IndexError", "ValueError"),
    "FileNotFoundError": ("OSError", "PermissionError"),
    "RuntimeError": ("ValueError", "TypeError"),
    "NotImplementedError": ("ValueError", "TypeError"),
    "UnicodeDecodeError": ("ValueError",),
}


class ExceptionKind(FirstOrder):
    """Raise or catch another exception."""

    DESCRIPTION = "Raise or catch another exception."
    NAME = "exception-kind"
    VARIANTS = (_RAISED, _CAUGHT)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other classes: those of the module first, then near ones of Python's own."""
        match place.node:
            case cst.Raise(exc=(cst.Call(func=cst.Name() as name) | (cst.Name() as name))):
                yield from _others(place, _RAISED, [name])
            case cst.Try(handlers=handlers):
                yield from _others(place, _CAUGHT, [*_caught(handlers)])


def _caught(handlers: Sequence[cst.ExceptHandler]) -> Iterator[cst.Name]:
    for handler in handlers:
        if isinstance(handler.type, cst.Name):
            yield handler.type


def _others(place: Place, variant: Variant, names: list[cst.Name]) -> Iterator[Form]:
    taken = {each.value for each in names}
    own = own_exceptions(place)
    for node in names:
        others = dict.fromkeys((*own, *_NEAR.get(node.value, ())))
        for name in [*others][:_SHOWN]:
            if name not in taken:
                change: Change = {node: _named(name)}
                yield variant, change, f"`{node.value}` is not what it is about"


def _named(name: str) -> Any:
    return lambda updated: updated.with_changes(value=name)


ExceptionKind.EXAMPLES = examples(
    """
raised: the module has an exception for it
    class OutOfStock(Exception):
        pass

    def take(stock, name):
        if not stock.get(name):
            «raise KeyError(name)»  # nothing left
        stock[name] -= 1
Failed: DID NOT RAISE <class 'shop.OutOfStock'>
    class OutOfStock(Exception):
        pass

    def take(stock, name):
        if not stock.get(name):
            raise OutOfStock(name)  # nothing left
        stock[name] -= 1

raised: a value of the wrong type
    def halved(number):
        if not isinstance(number, int):
            «raise ValueError("not a number")»
        return number / 2
AssertionError: assert False
    def halved(number):
        if not isinstance(number, int):
            raise TypeError("not a number")
        return number / 2

caught: a list is asked, not a dictionary
    def third(items):
        «try:
            return items[2]
        except KeyError:
            return None»
AssertionError: assert False
    def third(items):
        try:
            return items[2]
        except IndexError:
            return None

not any: it is raised again
    def third(items):
        try:
            return items[2]
        except IndexError:
            «raise»
AssertionError: assert False

not any: all exceptions are caught
    def third(items):
        «try:
            return items[2]
        except Exception:
            return None»
AssertionError: assert False

not any: an exception made elsewhere
    def fail(errors):
        «raise errors.last»
AssertionError: assert False

not any: nothing near it is known
    def fail():
        «raise MemoryError»
AssertionError: assert False

not any: several are caught at once
    def third(items):
        «try:
            return items[2]
        except (KeyError, ValueError):
            return None»
AssertionError: assert False
"""
)
