"""What the difference between a wrong result and the right one tells of the fault.

A shape is a word: ``off-by-one``, ``sign``, ``factor`` (one number is a whole multiple of the other),
``rounding`` (nearly equal), ``number`` (any other two), ``bool``, ``none`` (None came), ``type``,
``case``, ``whitespace``, ``text``, ``order`` (the same items), ``missing-item``, ``extra-item``,
``duplicate``, ``empty`` (nothing came), ``raises`` (an exception did not come, or one did), ``hang``,
``recursion``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import zip_longest
from typing import Any

from selfdebug.model import Failure, Raised

_COMPARED = re.compile(r"(?:assert )?(?P<left>.+?) (?P<op>==|!=) (?P<right>.+)")
_NOT_RAISED = re.compile(r"DID NOT RAISE|not raised|DID NOT WARN")
_WANTED = ("expect", "want", "desired", "correct")
_NEARLY = 0.02  # of the larger one: no more than rounding explains
_FACTOR = 1000  # at most
_UNKNOWN = object()


def shapes(failure: Failure) -> frozenset[str]:
    """Return the shapes of a failure; none where nothing is known of what came and what should."""
    raised = failure.raised
    if failure.timed_out:
        return frozenset(("hang",))
    if raised is None:
        return frozenset()
    if raised.type == "RecursionError":
        return frozenset(("recursion",))
    if _NOT_RAISED.search(raised.message):
        return frozenset(("raises",))
    if raised.type.rpartition(".")[2] not in ("AssertionError", "Failed"):
        return frozenset(("raises",))
    came, wanted = _sides(raised)
    if came is _UNKNOWN or wanted is _UNKNOWN:
        return frozenset(_of_words(raised))
    return frozenset(_told(came, wanted))


def wanted(failure: Failure) -> str | None:
    """Return the code of a constant that stands for nothing, or a boolean, if a test wants that."""
    if failure.raised is None or failure.timed_out:
        return None
    code = repr(_sides(failure.raised)[1])
    return code if code in _PLAIN else None


_PLAIN = frozenset(("None", "False", "True", "0", "''", "[]", "{}", "()", "set()", "0.0", "b''"))


def _sides(raised: Raised) -> tuple[Any, Any]:
    """Return what came and what was wanted, ``_UNKNOWN`` for what cannot be read."""
    attrs = raised.attrs
    if attrs.get("op", "==") not in ("==", "is", ""):
        return _UNKNOWN, _UNKNOWN
    found = _COMPARED.match(raised.message.partition("\n")[0])
    if "left" in attrs and "right" in attrs:
        left, right = attrs["left"], attrs["right"]
    elif found is not None:
        left, right = found["left"], found["right"]
    else:
        left, right = _seen(raised)
    sides = _value(left), _value(right)
    return sides[::-1] if _wanted_first(raised) else sides


def _seen(raised: Raised) -> tuple[str, str]:
    """Return what the compared variables held where pytest does not say: outside of test modules."""
    match _asserted(raised):
        case ast.Assert(test=ast.Compare(ast.Name(left), [ast.Eq()], [ast.Name(right)])):
            held = raised.frames[-1].locals
            one, other = (held[name].text if name in held else None for name in (left, right))
            return one or "", other or ""
    return "", ""


def _wanted_first(raised: Raised) -> bool:
    """Say whether the assertion names what is wanted before what came."""
    match _asserted(raised):
        case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
            return _is_wanted(left) and not _is_wanted(right)
        case ast.Expr(value=ast.Call(args=[left, right, *_])):
            return _is_wanted(left) and not _is_wanted(right)
    return False


def _asserted(raised: Raised) -> ast.stmt | None:
    source = raised.frames[-1].source if raised.frames else None
    with suppress(SyntaxError, ValueError):
        return next(iter(ast.parse((source or "").strip()).body), None)
    return None


def _is_wanted(node: ast.expr) -> bool:
    """Say whether an expression is a constant, or a name that says so of what it stands for."""
    if isinstance(node, ast.Name):
        return node.id.lower().startswith(_WANTED)
    return not any(isinstance(each, ast.Name | ast.Call) for each in ast.walk(node))


def _value(text: str) -> Any:
    with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
        return ast.literal_eval(text)
    found = re.fullmatch(r"Decimal\('(.+)'\)|Fraction\((\d+), 1\)", text)
    with suppress(ValueError):
        return float(found[1] or found[2]) if found else _UNKNOWN
    return _UNKNOWN


def _of_words(raised: Raised) -> Iterator[str]:
    """Yield what is told where a side cannot be read: the types, and what an assertion is about."""
    attrs, message = raised.attrs, raised.message
    if attrs.get("left") == "None" or "assert None" in message:
        yield "none"
    elif attrs.get("left_type", "") != attrs.get("right_type", ""):
        yield "type"
    if re.match(r"assert (?:not )?(?:True|False)|(?:True|False) is not", message):
        yield "bool"


def _told(came: Any, wanted: Any) -> Iterator[str]:
    if came is None or wanted is None:
        yield "none"
    elif isinstance(came, bool) or isinstance(wanted, bool):
        yield "bool"
    elif isinstance(came, int | float) and isinstance(wanted, int | float):
        yield from _of_numbers(came, wanted)
    elif isinstance(came, str) and isinstance(wanted, str):
        yield from _of_texts(came, wanted)
    elif type(came) is not type(wanted):
        yield "type"
    elif isinstance(came, dict):
        yield from _of_mappings(came, wanted)
    elif isinstance(came, list | tuple | set | frozenset):
        yield from _of_items(came, wanted)
    if came in ("", [], (), {}, set()) and wanted:
        yield "empty"


def _of_numbers(came: float, wanted: float) -> Iterator[str]:
    if type(came) is not type(wanted):
        yield "type"
    if abs(came - wanted) == 1:
        yield "off-by-one"
    if came and came == -wanted:
        yield "sign"
    small, large = sorted((abs(came), abs(wanted)))
    if small and large % small == 0 and 1 < large / small <= _FACTOR:
        yield "factor"
    if large and came != wanted and abs(came - wanted) <= max(_NEARLY * large, 0.011):
        yield "rounding"
    yield "number"


def _of_texts(came: str, wanted: str) -> Iterator[str]:
    if came.casefold() == wanted.casefold():
        yield "case"
    if "".join(came.split()) == "".join(wanted.split()):
        yield "whitespace"
    if wanted.startswith(came) or wanted.endswith(came):
        yield "missing-item"
    if came.startswith(wanted) or came.endswith(wanted):
        yield "extra-item"
    if sorted(came) == sorted(wanted):
        yield "order"
    yield "text"


def _of_items(came: Collection[Any], wanted: Collection[Any]) -> Iterator[str]:
    one, other = ([repr(each) for each in side] for side in (came, wanted))
    if sorted(one) == sorted(other):
        yield "order"
    elif set(one) == set(other) and len(one) > len(other):
        yield "duplicate"
    elif len(one) < len(other) and set(one) <= set(other):
        yield "missing-item"
    elif len(one) > len(other) and set(other) <= set(one):
        yield "extra-item"
    else:
        # What is wrong with the items themselves, if they come in pairs.
        pairs = zip_longest(came, wanted) if len(one) == len(other) else ()
        for left, right in pairs:
            if left != right:
                yield from _told(left, right)
                return


def _of_mappings(came: dict[Any, Any], wanted: dict[Any, Any]) -> Iterator[str]:
    if wanted.keys() - came.keys():
        yield "missing-item"
    if came.keys() - wanted.keys():
        yield "extra-item"
    for key in (key for key in came if key in wanted):
        if came[key] != wanted[key]:
            yield from _told(came[key], wanted[key])
            return
