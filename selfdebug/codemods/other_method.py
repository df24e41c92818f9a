"""OtherMethod: a function or method was called for a related one."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import cast

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._edit import Change, putting
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import NUMBERS, function_at, kind_of
from selfdebug.codemods._library import library_object
from selfdebug.codemods._names import dotted
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._signature import Signature, signature
from selfdebug.codemods._variables import is_alike, unread_imports
from selfdebug.syntax.modules import Definition, read_module
from selfdebug.syntax.scopes import class_of

_TELLS = "order text case whitespace number off-by-one bool rounding"
_NEAR = small_edit("near", "call the counterpart of the function", 0.15, _TELLS)
_RELATED = small_edit("related", "call a related function", 0.06, _TELLS)
_MEANT = small_edit("meant", "round by the function that is imported", 0.4, _TELLS)
_ROUNDED = small_edit("rounded", "round the other way", 0.15, "rounding off-by-one number text")
_FIELD = small_edit("field", "read a related attribute", 0.12, "number text")
_ALIKE = small_edit("alike", "call the project's function of a like name", 0.15)
_PROJECT = small_edit("project", "call another function of the project", 0.04)

_TOTAL = small_edit("total", "count all, or each only once", 0.12, "number factor text")
_ZONE = small_edit("zone", "convert to the zone, or take its hour for one there", 0.25)
_LIKE = small_edit("like", "call the method of the class that is called nearly so", 0.12, _TELLS)

_MOST = 6  # other functions of the project for one

_PAIRS = (
    *("min max", "any all", "lstrip rstrip", "upper lower", "find rfind", "index rindex"),
    *(
        "split rsplit",
        "partition rpartition",
        "startswith endswith",
        "append extend",
        "ljust rjust",
    ),
    *("pop popleft", "append appendleft", "extend extendleft", "sum len"),
    *("isupper islower", "union intersection", "match fullmatch", "match search", "keys values"),
    *("bisect_left bisect_right", "insort_left insort_right", "nlargest nsmallest", "sin cos"),
    *(
        "weekday isoweekday",
        "title capitalize",
        "add remove",
        "start end",
        "removeprefix removesuffix",
    ),
    *("issubset issuperset", "mean median"),
    *("isdigit isalpha", "isalpha isalnum"),
    *("permutations combinations", "after before", "fromtimestamp utcfromtimestamp", "now utcnow"),
    *("log log10", "gcd lcm", "pstdev stdev", "pvariance variance"),
    *("accumulate reduce", "takewhile dropwhile", "add discard", "quote quote_plus", "hex bin"),
)
_FAMILIES = (
    *("strip lstrip rstrip", "upper lower title capitalize casefold swapcase", "keys values items"),
    *("find index rfind rindex count", "split rsplit partition", "splitlines split"),
    *(
        "match search fullmatch",
        "findall search",
        "ljust rjust center",
    ),
    *("isdigit isalpha isalnum isnumeric isdecimal isspace isidentifier", "sum len max min"),
    *("union intersection difference symmetric_difference", "sorted reversed list set"),
    *("append add insert", "get pop setdefault", "remove discard pop", "mean median mode"),
    *("permutations combinations combinations_with_replacement product", "abs round"),
    *("add update", "startswith endswith match", "today now", "group groups groupdict"),
    *("bisect bisect_left bisect_right", "replace removeprefix removesuffix", "log log2 log10"),
    *("union update", "any all sum", "islice takewhile dropwhile", "enumerate zip", "str repr"),
)
_FIELDS = (
    *(
        "days seconds total_seconds()",
        "year month day",
        "hour minute second",
        "numerator denominator",
    ),
    *("stem name suffix", "name parent", "real imag", "netloc hostname", "path query fragment"),
    *("start() end()", "start stop", "username password", "lineno col_offset", "minute second"),
)
_TYPES = ("list set dict", "int float str", "int list", "str list")


def _related(groups: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return for each name the others of its groups."""
    found: dict[str, dict[str, None]] = {}
    for group in groups:
        names = group.split()
        for name in names:
            found.setdefault(name, {}).update(dict.fromkeys(each for each in names if each != name))
    return {name: tuple(others) for name, others in found.items()}


_COUNTERPARTS = _related(_PAIRS)
_RELATIVES = _related(_FAMILIES)
_FIELDS_OF = _related(_FIELDS)
_TYPES_OF = _related(_TYPES)
_BUILTIN = frozenset(
    (
        *("min", "max", "any", "all", "sum", "len", "sorted", "reversed", "list", "set", "abs"),
        *("round", "int", "enumerate", "zip", "str", "repr", "hex", "bin"),
    )
)


class OtherMethod(FirstOrder):
    """Call the counterpart or a relative of a function or method, or read a related attribute."""

    DESCRIPTION = "Call a related function or method."
    NAME = "other-method"
    VARIANTS = (_MEANT, _ROUNDED, _ZONE, _TOTAL, _NEAR, _RELATED, _LIKE, _FIELD, _ALIKE, _PROJECT)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the functions, methods and attributes that may have been meant."""
        if isinstance(place.node, cst.Call):
            yield from _rounded(place, place.node)
        match place.node:
            case cst.Call(func=cst.Name() as func) as call:
                yield from _functions(place, call, func)
                yield from _total(place, call, func.value)
            case cst.Call(func=cst.Attribute() as func) as call:
                yield from _methods(place, call, func)
                yield from _in_zone(call, func)
            case cst.Attribute(value=owner, attr=attr) if place.is_read:
                yield from _fields(place, owner, attr.value)
            case cst.Name(value=name) if isinstance(place.parent, cst.Arg) and place.is_read:
                yield from _passed(place, name)


def _total(place: Place, call: cst.Call, name: str) -> Iterator[Form]:
    """Yield the sum of what is counted for how many different things are, and the reverse."""
    match call.args:
        case [cst.Arg(value=counts)] if name == "len" and kind_of(place, counts) in _COUNTS:
            put = place.put("sum(COUNTS.values())", COUNTS=counts)
            yield _TOTAL, put, f"`{place.code(counts)}` says how often"
        case [
            cst.Arg(
                value=cst.Call(
                    func=cst.Attribute(value=counts, attr=cst.Name(value="values")), args=[]
                )
            )
        ] if name == "sum":
            yield _TOTAL, place.put("len(COUNTS)", COUNTS=counts), "each counts once"


_COUNTS = frozenset(("dict", "Counter", "defaultdict"))


def _in_zone(call: cst.Call, func: cst.Attribute) -> Iterator[Form]:
    """Yield the same moment in another zone for the same hour there, and the reverse."""
    zone = cst.Name("tzinfo")
    match call.args:
        case [cst.Arg(keyword=cst.Name(value="tzinfo")) as arg] if func.attr.value == "replace":
            name, new = "astimezone", cst.Arg(arg.value)
        case [cst.Arg(keyword=None, star="") as arg] if func.attr.value == "astimezone":
            tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
            name, new = "replace", cst.Arg(arg.value, keyword=zone, equal=tight)
        case _:
            return
    change: Change = {func.attr: putting(cst.Name(name)), arg: putting(new)}
    yield _ZONE, change, f"`{func.attr.value}` gives another moment or hour"


_ROUNDING = ("ceil", "floor", "trunc", "round", "int")


def _rounded(place: Place, call: cst.Call) -> Iterator[Form]:
    """Yield the other functions that make a whole number of a number, where they are at hand."""
    name = last_of(call.func)
    plain = isinstance(call.func, cst.Name) or place.code(call.func) == f"math.{name}"
    if name not in _ROUNDING or len(call.args) != 1 or not plain or _is_text(place, call):
        return
    for other in _ROUNDING:
        spelled = _spelled(place, other)
        if other != name and spelled and {name, other} != {"int", "trunc"}:
            meant = spelled.partition(".")[0] in unread_imports(place)
            change: Change = {call.func: putting(cst.parse_expression(spelled))}
            yield _MEANT if meant else _ROUNDED, change, f"`{name}` rounds the other way"


def _spelled(place: Place, name: str) -> str:
    """Return how a function that rounds is called in the module; "" where it is not imported."""
    if name in ("round", "int") or name in place.names:
        return name
    return f"math.{name}" if "math" in place.names else ""


def _is_text(place: Place, call: cst.Call) -> bool:
    """Say whether the value may be a text of which a number is made."""
    value = call.args[0].value
    known = isinstance(value, cst.BinaryOperation) or kind_of(place, value) in NUMBERS
    return last_of(call.func) == "int" and not known


def _functions(place: Place, call: cst.Call, func: cst.Name) -> Iterator[Form]:
    name, why = func.value, f"`{func.value}` is not what is asked for"
    for variant, other in _others(name):
        if other in (_BUILTIN if name in _BUILTIN else place.names):
            yield variant, _renamed(func, other), why
    if name == "set" and len(call.args) == 1:
        unique = place.put("dict.fromkeys(ITEMS)", ITEMS=call.args[0].value)
        yield _RELATED, unique, "each item counts once, in the order in which they came"
    yield from _of_project(place, call, func, None)


def _methods(place: Place, call: cst.Call, func: cst.Attribute) -> Iterator[Form]:
    name = func.attr.value
    kind, why = kind_of(place, func.value), f"`{name}` is not what is asked for"
    for variant, other in _others(name):
        if other not in _BUILTIN and _has(kind, other):
            yield variant, _renamed(func.attr, other), why
    seen = place.values.get(dotted(func.value) or "")
    for other in _like(seen.type, name, len(call.args)) if seen else ():
        if other not in _COUNTERPARTS.get(name, ()) and other not in _RELATIVES.get(name, ()):
            yield _LIKE, _renamed(func.attr, other), why
    if isinstance(func.value, cst.Name) and func.value.value in ("self", "cls"):
        yield from _of_project(place, call, func.attr, func.value.value)
    if not call.args and f"{name}()" in _FIELDS_OF:
        for field in _FIELDS_OF[f"{name}()"]:
            yield _FIELD, place.put(f"OWNER.{field}", OWNER=func.value), why


@lru_cache(maxsize=256)
def _like(kind: str, name: str, given: int) -> tuple[str, ...]:
    """Return the methods of a class of the library that are called like another one of it.

    One name begins or ends with the other: ``time`` and ``timetz``, ``read`` and ``readline``.
    """
    owner = library_object(kind) if "." in kind else getattr(builtins, kind, None)
    if not isinstance(owner, type) or len(name) < 3 or not hasattr(owner, name):
        return ()
    names = (each for each in dir(owner) if each not in (name, *_DANGEROUS) and each[0] != "_")
    near = (
        each
        for each in names
        if each.startswith(name) or name.startswith(each) or each.endswith(name)
    )
    fitting = (each for each in near if len(each) >= 3 and _may_get(getattr(owner, each), given))
    return tuple(sorted(fitting, key=lambda each: (not each.startswith(name), len(each))))


_DANGEROUS = frozenset(("unlink", "rmdir", "rename", "replace", "truncate", "sendall", "sendto"))


def _may_get(method: object, given: int) -> bool:
    """Say whether a method may be called with so many arguments, as far as it tells."""
    if not callable(method):
        return False
    try:
        inspect.signature(method).bind(*range(given + 1))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _others(name: str) -> Iterator[tuple[Variant, str]]:
    near = _COUNTERPARTS.get(name, ())
    yield from ((_NEAR, other) for other in near)
    yield from ((_RELATED, other) for other in _RELATIVES.get(name, ()) if other not in near)


_CLASSES: dict[str, type] = {
    each.__name__: each for each in (str, bytes, list, tuple, dict, set, frozenset, int, float)
}


def _has(kind: str, name: str) -> bool:
    """Say whether an object of a kind has a method, as far as its class is known."""
    known = _CLASSES.get(kind)
    return known is None or hasattr(known, name)


def _renamed(old: cst.Name, name: str) -> Change:
    return {old: lambda node: node.with_changes(value=name)}


def _fields(place: Place, owner: cst.BaseExpression, name: str) -> Iterator[Form]:
    if isinstance(place.parent, cst.Call) and place.parent.func is place.node:
        return
    if isinstance(owner, cst.Name) and owner.value in ("self", "cls"):
        return
    for other in _FIELDS_OF.get(name, ()):
        yield _FIELD, place.put(f"OWNER.{other}", OWNER=owner), f"`{name}` is not what is asked for"


def _passed(place: Place, name: str) -> Iterator[Form]:
    """Yield the other builtin that is passed: to ``defaultdict``, ``map`` or as a key."""
    others = (*_TYPES_OF.get(name, ()), *(each for _, each in _others(name) if name in _BUILTIN))
    for other in dict.fromkeys(others):
        if other in _BUILTIN or other in ("dict", "float"):
            yield _RELATED, place.put(other), f"`{name}` is not what is asked for"


# --- functions of the project ---


def _of_project(place: Place, call: cst.Call, func: cst.Name, owner: str | None) -> Iterator[Form]:
    """Yield the functions of the module, or methods of the class, that take as many arguments."""
    if any(arg.star for arg in call.args):
        return
    known = _takers(place, owner)
    if func.value not in known:
        return
    own = function_at(place)
    fitting = [
        name
        for name, takes in known.items()
        if name != func.value and _takes(takes, call) and (own is None or name != own.name)
    ]
    why = f"`{func.value}` is not what is asked for"
    for name in fitting:
        if is_alike(func.value, name):
            yield _ALIKE, _renamed(func, name), why
    for name in islice((each for each in fitting if not is_alike(func.value, each)), _MOST):
        yield _PROJECT, _renamed(func, name), why


def _takes(takes: Signature, call: cst.Call) -> bool:
    places = [arg for arg in call.args if arg.keyword is None]
    names = {arg.keyword.value for arg in call.args if arg.keyword is not None}
    given = {*takes.positional[: len(places)], *names}
    fits = len(places) <= len(takes.positional) and names <= {*takes.names}
    return fits and takes.required <= given


def _takers(place: Place, owner: str | None) -> dict[str, Signature]:
    """Return what the module's functions take, or the methods of the class around a place."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    module = read_module(path, place.project)
    function = function_at(place)
    kind = class_of(module.tree, function) if owner and function else None
    key = ("takers", path, kind.name if kind else None)
    if key not in parsed:
        parsed[key] = {
            each.node.name: takes
            for each in module.definitions
            if _is_of(each, kind) and (takes := signature(each)) is not None
        }
    return cast("dict[str, Signature]", parsed[key])


def _is_of(found: Definition, kind: ast.ClassDef | None) -> bool:
    name = found.node.name
    if name.startswith("__") or getattr(found.node, "decorator_list", None):
        return False
    return found.owner is kind if kind else "." not in found.qualname


OtherMethod.EXAMPLES = examples(
    """
total: each word as often as it occurs
    def share(tally, word):
        return tally[word] / «len(tally)»
AssertionError: assert 1.5 == 0.5
where tally: collections.Counter = Counter({'a': 3, 'b': 3})
    def share(tally, word):
        return tally[word] / sum(tally.values())

zone: the moment stays the same
    def shown(moment):
        return «moment.replace(tzinfo=UTC)»
AssertionError: assert 12 == 10
    def shown(moment):
        return moment.astimezone(UTC)

zone: the hour was read there
    def read(text, zone):
        return «parsed(text).astimezone(zone)»
AssertionError: assert 12 == 10
    def read(text, zone):
        return parsed(text).replace(tzinfo=zone)

not zone: an hour is no zone
    def noon(moment):
        return «moment.replace(hour=12)»
AssertionError: assert 12 == 10

near: the greatest
    def best(marks):
        return «min(marks)»  # of all
AssertionError: assert 1 == 3
    def best(marks):
        return max(marks)  # of all

near: one item after the other
    def collect(pages):
        found = []
        for page in pages:
            «found.append(page)»
        return found
AssertionError: assert [[1]] == [1]
    def collect(pages):
        found = []
        for page in pages:
            found.extend(page)
        return found

near: at the end
    def is_draft(name):
        return «name.startswith("~")»
AssertionError: assert False
    def is_draft(name):
        return name.endswith("~")

near: from the other side
    def extension(name):
        return «name.partition(".")»[2]
AssertionError: assert 'tar.gz' == 'gz'
    def extension(name):
        return name.rpartition(".")[2]

related: on one side only
    def clean(line):
        return «line.strip()»
AssertionError: assert 'a' == ' a'
    def clean(line):
        return line.lstrip()

related: an entry that stays
    def use(cache, key):
        return «cache.pop(key, None)»
AssertionError: assert None == 1
where cache: dict = {}
    def use(cache, key):
        return cache.get(key, None)

meant: a tin that is not emptied is paid too
    import math

    def tins(litres, size):
        return «round(litres / size)»  # of paint
AssertionError: assert 2 == 3
    import math

    def tins(litres, size):
        return math.ceil(litres / size)  # of paint

meant: it is imported
    from math import floor

    def row(height, size):
        return «int(height / size)»
AssertionError: assert -1 == -2
    from math import floor

    def row(height, size):
        return floor(height / size)

rounded: to the nearest one
    import math

    def percent(part, whole):
        return «math.floor(part / whole * 100)»
AssertionError: assert 66 == 67
    import math

    def percent(part, whole):
        return math.ceil(part / whole * 100)

field: all of it in seconds
    def elapsed(start, end):
        return («(end - start).seconds»)
AssertionError: assert 0 == 86400
    def elapsed(start, end):
        return ((end - start).days)

alike: the function of the other kind
    def price_of(item): ...

    def prices_of(item): ...

    def total(items):
        return sum(«price_of(item)» for item in items)
AssertionError: assert 1 == 2
    def price_of(item): ...

    def prices_of(item): ...

    def total(items):
        return sum(prices_of(item) for item in items)

project: another method with as many arguments
    class Shop:
        def open(self, day): ...

        def close(self, day): ...

        def end(self, day):
            «self.open(day)»
AssertionError: assert 1 == 2
    class Shop:
        def open(self, day): ...

        def close(self, day): ...

        def end(self, day):
            self.close(day)

like: the time with its zone
    import datetime as dt

    def clock(when: dt.datetime):
        return «when.time()»
AssertionError: assert '10:00' == '10:00+01:00'
where when: datetime.datetime
    import datetime as dt

    def clock(when: dt.datetime):
        return when.timetz()

not like: nothing is known of the object
    def title(stream):
        return «stream.time()».strip()
AssertionError: assert 'a b' == 'a'

not rounded: the number of a text
    import math

    def size(fields):
        return «int(fields[0])»
AssertionError: assert 66 == 67

not rounded: to some places
    import math

    def price(amount):
        return «round(amount, 2)»
AssertionError: assert 66 == 67

not any: nothing is known of it
    def best(marks):
        return «choose(marks)»
AssertionError: assert 1 == 3

not near: a list has no such method
    def add(names, name):
        «names.append(name)»
        return names
AssertionError: assert [1] == [2]
where names: tuple = ('a',)

not project: it takes other arguments
    class Shop:
        def open(self, day): ...

        def close(self): ...

        def end(self, day):
            «self.open(day)»
AssertionError: assert 1 == 2

not field: the object's own attribute
    class Span:
        def length(self):
            return «self.start»
AssertionError: assert 1 == 2

not any: the function itself
    def total(marks):
        return sum(marks)

    def mean(marks):
        return «total(marks)» / 2
AssertionError: assert 1 == 3

not any: nobody knows how many arguments there are
    def open_(day): ...

    def close(day): ...

    def end(*days):
        «open_(*days)»
AssertionError: assert 1 == 2

not any: the name of a parameter
    def best(max, marks):
        return «choose(key=max)»
AssertionError: assert 1 == 3

not near: the object's class has no such method
    def start(text):
        return «text.find("a")»
AssertionError: assert -1 == 1
where text: list = ['a']

not any: a value that is set
    def move(span):
        «span.start» = 1
        return span
AssertionError: assert 1 == 2
"""
)
