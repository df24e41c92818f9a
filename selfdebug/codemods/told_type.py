"""ToldType: a value is of another type than the code that gets it can use, as the exception tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import function_of
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import kind_of
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._variables import attributes

_SEEN = small_edit("seen", "make the value what is needed of it", 0.5)
_BORN = small_edit("born", "make the value what is needed of it, where it may come from", 0.2)

_LAZY = ("generator", "map", "filter", "zip", "reversed", "dict_keys", "dict_values", "dict_items")
_SET_OPERATORS = frozenset("|&^-")
_CONVERSIONS: dict[tuple[str, str], tuple[str, ...]] = {
    ("str", "int"): ("int(OLD)",),
    ("str", "float"): ("float(OLD)",),
    ("str", "Decimal"): ("Decimal(OLD)",),
    ("str", "bytes"): ("OLD.encode()",),
    ("str", "PosixPath"): ("Path(OLD)",),
    ("bytes", "str"): ("OLD.decode()",),
    ("int", "str"): ("str(OLD)",),
    ("float", "str"): ("str(OLD)",),
    ("float", "Decimal"): ("Decimal(str(OLD))",),
    ("Decimal", "str"): ("str(OLD)",),
    ("list", "set"): ("set(OLD)",),
    ("list", "tuple"): ("tuple(OLD)",),
    ("tuple", "list"): ("list(OLD)",),
    ("set", "list"): ("sorted(OLD)", "list(OLD)"),
    ("NoneType", "int"): ("OLD or 0",),
    ("NoneType", "float"): ("OLD or 0",),
    ("NoneType", "str"): ('OLD or ""',),
    ("NoneType", "list"): ("OLD or []",),
    ("datetime", "date"): ("OLD.date()",),
    **{(kind, other): ("list(OLD)",) for kind in _LAZY for other in ("list", "tuple", "int")},
}
"""What makes of a value of one type one that goes together with another."""
_UNHASHABLE = {"list": "tuple(OLD)", "set": "frozenset(OLD)", "dict": "tuple(OLD.items())"}
_BY_METHODS: tuple[tuple[type, tuple[str, ...], str], ...] = (
    (str, ("int", "float", "Decimal", "PosixPath", "UUID", "bool"), "str(OLD)"),
    (str, ("bytes",), "OLD.decode()"),
    (bytes, ("str",), "OLD.encode()"),
    (Path, ("str",), "Path(OLD)"),
    (set, ("list", "tuple", *_LAZY), "set(OLD)"),
    (list, ("tuple", "set", *_LAZY), "list(OLD)"),
    (dict, ("list", "tuple", "zip"), "dict(OLD)"),
    (datetime, ("str",), "datetime.fromisoformat(OLD)"),
)
"""For classes whose methods are missed: of which types, and what makes one of these."""
_PAIR = re.compile(
    r"unsupported operand type\(s\) for (?P<op>\S+?)=?: '(?P<one>[\w.]+)' and '(?P<other>[\w.]+)'"
    r"|'(?P<op2>[<>=]+)' not supported between instances of '(?P<one2>[\w.]+)' and '(?P<other2>[\w.]+)'"
    r"|can(?:'t| only) (?:compare|concatenate) (?P<other3>[\w.]+) (?:\(not |to )\"?(?P<one3>[\w.]+)"
)
_NOT_HASHABLE = re.compile(r"unhashable type: '(\w+)'")
_NOT_SIZED = re.compile(r"object of type '(\w+)' has no len|'(\w+)' object is not subscriptable")
_WISHES = tuple(
    re.compile(pattern)
    for pattern in (
        r"a (?P<wanted>bytes)-like object is required, not '(?P<given>\w+)'",
        r"(?:must be|expected) (?P<wanted>str|bytes)\b.*?(?:\bnot '?|, )(?P<given>\w+)",
        r"(?:must be|expected) (?P<wanted>str|bytes)\b",
    )
)
_NO_INTEGER = re.compile(r"invalid literal for int\(\) with base 10: '[-+ ]?\d*\.\d+ ?'")
_NO_LIST = re.compile(r"argument must be .*, not '(list|tuple)'")
_NOT_CAUGHT = re.compile("catching classes that do not inherit from BaseException")
_NO_METHOD = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
_COROUTINE = re.compile(r"<coroutine object|'coroutine'")
_USED = (
    *(cst.Return, cst.Assign, cst.AnnAssign, cst.Arg, cst.Element, cst.DictElement, cst.Yield),
    *(cst.GeneratorExp, cst.ListComp, cst.SetComp, cst.BinaryOperation, cst.For, cst.CompFor),
)
_VALUES = (
    *(cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.IfExp, cst.GeneratorExp, cst.List),
    *(cst.ListComp, cst.BooleanOperation),
)
_CONVERTING = ("int", "float", "str", "Decimal", "Path", "bytes", "encode", "decode")
_ENCODINGS = ("charset", "encoding")

_Told: TypeAlias = tuple[str, tuple[str, ...]]


class ToldType(FirstOrder):
    """Make a value of the type that the message of an exception asks for, where the value comes from."""

    DESCRIPTION = "Convert a value where it comes from to the type that is needed."
    NAME = "told-type"
    VARIANTS = (_SEEN, _BORN)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the conversions of a value that may be of the type that the message complains of."""
        node = place.node
        if not isinstance(node, _VALUES) or not place.is_read:
            return
        if isinstance(node, cst.Call) and _NO_INTEGER.search(place.site.message):
            yield from _with_fraction(place, node)
        told = _told(place.site.message)
        if not told or not _is_used(place):
            return
        kind = kind_of(place, node)
        for wrong, codes in told:
            if kind not in ("", wrong) and wrong != "NoneType":
                continue
            for code in (each for form in codes for each in _spelled(place, node, form)):
                variant = _SEEN if kind == wrong else _BORN
                why = f"`{place.code(node)}` may be of type {wrong}"
                yield variant, place.put(code), why


def _is_used(place: Place) -> bool:
    match place.parent:
        case cst.IfExp(test=test):
            return place.node is not test
    return isinstance(place.parent, _USED)


def _with_fraction(place: Place, call: cst.Call) -> Iterator[Form]:
    """Yield ``float(text)`` for ``int(text)`` where the text has a point."""
    match call:
        case cst.Call(func=cst.Name(value="int"), args=[cst.Arg(value=text)]):
            why = f"`{place.code(text)}` has a fraction"
            yield _SEEN, place.put("float(TEXT)", TEXT=text), why


@lru_cache(maxsize=32)
def _told(message: str) -> tuple[_Told, ...]:
    """Return the types of which a message complains, each with what makes one that fits of it."""
    first = message.partition("\n")[0]
    return tuple(dict.fromkeys(told for tell in _TELLING for told in tell(first)))


def _of_pairs(message: str) -> Iterator[_Told]:
    found = _PAIR.search(message)
    if found is None:
        return
    groups = found.groupdict()
    names = [groups[key] for key in ("one", "one2", "one3", "other", "other2", "other3")]
    one, other = (name.rpartition(".")[2] for name in names if name)
    sign = groups["op"] or ""
    if sign in _SET_OPERATORS and one == other == "list":
        yield "list", ("set(OLD)",)
    if sign == "/" and one == other == "str":
        yield "str", ("Path(OLD)",)
    for wrong, right in ((one, other), (other, one)):
        codes = _CONVERSIONS.get((wrong, right), ())
        if codes:
            yield wrong, codes


def _of_hashes(message: str) -> Iterator[_Told]:
    found = _NOT_HASHABLE.search(message)
    if found and found[1] in _UNHASHABLE:
        yield found[1], (_UNHASHABLE[found[1]],)


def _of_sizes(message: str) -> Iterator[_Told]:
    found = _NOT_SIZED.search(message)
    kind = (found[1] or found[2]) if found else ""
    if kind in (*_LAZY, "set"):
        yield kind, ("list(OLD)",)


def _of_wishes(message: str) -> Iterator[_Told]:
    found = next((match for each in _WISHES if (match := each.search(message))), None)
    if found is None:
        return
    wanted, given = found["wanted"], found.groupdict().get("given")
    given = given or ("str" if wanted == "bytes" else "bytes")
    if wanted == "str":
        yield given, ("OLD.decode()" if given == "bytes" else "str(OLD)",)
    elif given == "str":
        yield "str", ("OLD.encode()",)
        yield "bytes", ("OLD.decode()",)


def _of_lists(message: str) -> Iterator[_Told]:
    found = _NO_LIST.search(message)
    if found:
        yield found[1], ("OLD[0]", "OLD[-1]")


def _of_handlers(message: str) -> Iterator[_Told]:
    if _NOT_CAUGHT.search(message):
        yield "list", ("tuple(OLD)",)


def _of_methods(message: str) -> Iterator[_Told]:
    found = _NO_METHOD.search(message)
    if found:
        for owner, kinds, code in _BY_METHODS:
            if found[1] in kinds and hasattr(owner, found[2]):
                yield found[1], (code,)


def _of_coroutines(message: str) -> Iterator[_Told]:
    if _COROUTINE.search(message):
        yield "coroutine", ("await OLD",)


_TELLING: tuple[Callable[[str], Iterator[_Told]], ...] = (
    *(_of_pairs, _of_hashes, _of_sizes, _of_wishes, _of_lists, _of_handlers, _of_methods),
    _of_coroutines,
)


def _spelled(place: Place, node: cst.BaseExpression, code: str) -> Iterator[str]:
    """Yield a conversion as it may be written at a place; nothing where it cannot."""
    name = code.partition("(")[0].partition(".")[0]
    done = isinstance(node, cst.Call) and last_of(node.func) in (name, *_CONVERTING)
    if name in ("Decimal", "Path", "datetime") and name not in place.names:
        return
    if done or (code.startswith("await") and not _may_wait(place, node)):
        return
    if code in ("OLD.decode()", "OLD.encode()"):
        for attribute in attributes(place, "self"):
            if attribute in _ENCODINGS:
                yield code.replace("()", f"(self.{attribute})")
    yield code


def _may_wait(place: Place, node: cst.BaseExpression) -> bool:
    """Say whether a call stands in a coroutine, and is not waited for."""
    function = function_of(place.tree, node)
    waits = function is not None and function.asynchronous is not None
    return waits and isinstance(node, cst.Call)


ToldType.EXAMPLES = examples(
    """
born: only a tuple of classes can be caught
    def retry(on, call):
        errors = (on,) if isinstance(on, type) else «on»
        try:
            return call()
        except errors:
            return None
TypeError: catching classes that do not inherit from BaseException is not allowed
    def retry(on, call):
        errors = (on,) if isinstance(on, type) else tuple(on)
        try:
            return call()
        except errors:
            return None

seen: a set of what was given
    class Role:
        def __init__(self, grants):
            self.grants = «grants»  # of the role itself
TypeError: unsupported operand type(s) for |=: 'set' and 'list'
where grants: list = ['a']
    class Role:
        def __init__(self, grants):
            self.grants = set(grants)  # of the role itself

born: an entry of a file is a text
    def limit(self):
        return «self.get("limit", 1)»
TypeError: '<' not supported between instances of 'str' and 'int'
    def limit(self):
        return int(self.get("limit", 1))

seen: what is a key can be hashed
    def key(args, options):
        return args, «sorted(options)»
TypeError: unhashable type: 'list'
    def key(args, options):
        return args, tuple(sorted(options))

seen: read more than once
    class Column:
        def __init__(self, values):
            self.values = «values»
TypeError: object of type 'generator' has no len()
where values: generator
    class Column:
        def __init__(self, values):
            self.values = list(values)

born: a path of a text
    from pathlib import Path

    class Site:
        def __init__(self, root):
            self.root = «root»
TypeError: unsupported operand type(s) for /: 'str' and 'str'
    from pathlib import Path

    class Site:
        def __init__(self, root):
            self.root = Path(root)

born: exactly what is written
    from decimal import Decimal

    def share(self, factor):
        return self.amount * «factor»
TypeError: unsupported operand type(s) for *: 'decimal.Decimal' and 'float'
    from decimal import Decimal

    def share(self, factor):
        return self.amount * Decimal(str(factor))

born: what is missing counts nothing
    def total(hits):
        return sum(«hit.size» for hit in hits)
TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'
    def total(hits):
        return sum(hit.size or 0 for hit in hits)

born: what is sent is bytes
    def post(send, payload):
        body = «json.dumps(payload)»
        return send(body)
TypeError: body must be bytes
    def post(send, payload):
        body = json.dumps(payload).encode()
        return send(body)

seen: read as it is written
    class Request:
        def __init__(self, body, charset):
            self.body = body
            self.charset = charset

        def fields(self):
            text = «self.body»
            return text.split("&")
TypeError: a bytes-like object is required, not 'str'
where self.body: bytes = b'a=1'
    class Request:
        def __init__(self, body, charset):
            self.body = body
            self.charset = charset

        def fields(self):
            text = self.body.decode(self.charset)
            return text.split("&")

born: texts are joined
    def joined(years):
        names = [«year» for year in years]
        return ", ".join(names)
TypeError: sequence item 0: expected str instance, int found
    def joined(years):
        names = [str(year) for year in years]
        return ", ".join(names)

seen: degrees have fractions
    def reading(day, value):
        return day, «int(value)»
ValueError: invalid literal for int() with base 10: '9.25'
    def reading(day, value):
        return day, float(value)

not any: a word is no number at all
    def reading(day, value):
        return day, «int(value)»
ValueError: invalid literal for int() with base 10: 'warm'

born: a number has no letters
    def shown(value):
        text = «value»
        return text
AttributeError: 'int' object has no attribute 'replace'
    def shown(value):
        text = str(value)
        return text

seen: the last one that was given
    def number(values):
        return int(«values»)
TypeError: int() argument must be a string, a bytes-like object or a real number, not 'list'
where values: list = ['1']
    def number(values):
        return int(values[0])

born: the result, not the promise of one
    async def order(stock, item):
        count = «stock.reserve(item)»
        return count
AssertionError: assert <coroutine object reserve at 0x7f> == 2
    async def order(stock, item):
        count = await stock.reserve(item)
        return count

not any: nothing can wait here
    def order(stock, item):
        count = «stock.reserve(item)»
        return count
AssertionError: assert <coroutine object reserve at 0x7f> == 2

not any: the message says nothing of types
    def limit(self):
        return «self.get("limit", 1)»
AssertionError: assert 1 == 2

not any: it is of another type
    class Role:
        def __init__(self, grants):
            self.grants = «grants»
TypeError: unsupported operand type(s) for |=: 'set' and 'list'
where grants: str = 'a'

not any: the name of the class is not known there
    class Site:
        def __init__(self, root):
            self.root = «root»
TypeError: unsupported operand type(s) for /: 'str' and 'str'

not any: it is converted already
    def limit(self):
        return «int(self.get("limit", 1))»
TypeError: '<' not supported between instances of 'str' and 'int'
"""
)
