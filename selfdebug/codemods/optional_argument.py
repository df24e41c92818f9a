"""OptionalArgument: a call leaves to its default what it had to say, or says what it had to leave."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._edit import made_of
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import kind_of
from selfdebug.codemods._passing import last_of, passing, with_keyword
from selfdebug.codemods._signature import fields, filled, keywords, signature
from selfdebug.codemods._variables import (
    attributes,
    unread,
    unread_imports,
    used_attributes,
    variables,
)
from selfdebug.syntax.modules import definitions, read_module

_TELLS = "order text number missing-item extra-item none raises rounding"
_NAMED = small_edit("named", "pass the variable of the parameter's name on", 0.3)
_UNREAD = small_edit("unread", "pass the parameter that nothing reads on", 0.15)
_OPTION = small_edit("option", "set an option of the function", 0.1, _TELLS)
_MEANT = small_edit("meant", "set an option to what the module imports for it", 0.4, _TELLS)
_KEY = small_edit("key", "order by something else", 0.1, "order")
_UNPACKED = small_edit("unpacked", "order by a part of the items", 0.2, _TELLS)
_FALLBACK = small_edit("fallback", "say what comes if there is nothing", 0.1, "none")
_DROPPED = small_edit("dropped", "leave it to the default", 0.05, _TELLS)

_OPTIONS: dict[str, tuple[str, ...]] = {
    "sorted": ("reverse=True",),
    "sort": ("reverse=True",),
    "split": ("maxsplit=1",),
    "rsplit": ("maxsplit=1",),
    "splitlines": ("keepends=True",),
    "zip": ("strict=True",),
    "round": ("ndigits=2", "ndigits=1"),
    "dumps": (
        *("sort_keys=True", "ensure_ascii=False", "indent=2", "default=str"),
        'separators=(",", ":")',
    ),
    "dump": ("sort_keys=True", "ensure_ascii=False", "indent=2"),
    "sub": ("flags=re.IGNORECASE", "count=1", "flags=re.MULTILINE"),
    "match": ("flags=re.IGNORECASE",),
    "search": ("flags=re.IGNORECASE", "flags=re.MULTILINE"),
    "fullmatch": ("flags=re.IGNORECASE",),
    "findall": ("flags=re.IGNORECASE", "flags=re.MULTILINE"),
    "finditer": ("flags=re.IGNORECASE", "flags=re.MULTILINE"),
    "compile": ("flags=re.IGNORECASE", "flags=re.MULTILINE", "flags=re.DOTALL"),
    "parse_qs": ("keep_blank_values=True",),
    "urlencode": ("doseq=True",),
    "quote": ('safe=""',),
    "dataclass": ("order=True", "frozen=True"),
    "mkdir": ("parents=True",),
    "DictReader": ('delimiter=";"', "skipinitialspace=True", 'delimiter="\\t"'),
    "reader": ('delimiter=";"', "skipinitialspace=True", 'delimiter="\\t"'),
    "writer": ('lineterminator="\\n"', 'delimiter=";"', 'delimiter="\\t"'),
    "encode": ('errors="replace"', 'errors="ignore"'),
    "decode": ('errors="replace"', 'errors="ignore"'),
    "read_text": ('encoding="utf-8"', 'errors="replace"'),
    "wrap": ("break_long_words=False", "break_on_hyphens=False", "drop_whitespace=False"),
    "fill": ("break_long_words=False", "break_on_hyphens=False"),
    "escape": ("quote=False",),
    "accumulate": ("initial=0",),
    "unified_diff": ('lineterm=""',),
    "parse_qsl": ("keep_blank_values=True",),
    "urlsplit": ('scheme="https"',),
    "quantiles": ('method="inclusive"',),
    "isclose": ("abs_tol=1e-9",),
    "product": ("repeat=2",),
    "to_bytes": ("signed=True",),
    "from_bytes": ("signed=True",),
    "popitem": ("last=False",),
    "move_to_end": ("last=False",),
    "isoformat": ('sep=" "', 'timespec="seconds"'),
}
_CONSTANTS: dict[str, tuple[str, str, str]] = {
    "quantize": (
        "rounding",
        "decimal",
        "ROUND_HALF_UP ROUND_HALF_EVEN ROUND_DOWN ROUND_UP ROUND_CEILING ROUND_FLOOR",
    ),
    "to_integral_value": ("rounding", "decimal", "ROUND_HALF_UP ROUND_DOWN ROUND_UP ROUND_FLOOR"),
    "now": ("tz", "datetime", "UTC timezone.utc"),
    "fromtimestamp": ("tz", "datetime", "UTC timezone.utc"),
    "astimezone": ("tz", "datetime", "UTC timezone.utc"),
    "combine": ("tzinfo", "datetime", "UTC timezone.utc"),
    "urlencode": ("quote_via", "urllib.parse", "quote"),
    **dict.fromkeys(
        ("sub", "match", "search", "fullmatch", "findall", "finditer", "compile"),
        ("flags", "re", "IGNORECASE MULTILINE DOTALL"),
    ),
}
"""Options that take a constant of a module: option, module, constants; the likeliest one first."""
_PLACED: dict[str, tuple[int, tuple[str, ...]]] = {
    "pop": (0, ("0",)),
    "replace": (2, ("1",)),
    "int": (1, ("16", "2")),
    "sum": (1, ("[]", "1")),
    "get": (1, ("0", '""', "[]", "{}", "False", "1")),
    "getattr": (2, ("None",)),
    "next": (1, ("None",)),
    "most_common": (0, ("1",)),
    "count": (1, ("1",)),
    "find": (1, ("1",)),
}
"""Options that are passed by their place, and how many arguments come before."""
_FEW = 4
_ORDERING = frozenset(("sorted", "sort", "min", "max", "nlargest", "nsmallest", "groupby"))
_SAYS = frozenset(
    (
        *("reverse", "key", "default", "maxsplit", "keepends", "strict", "start", "sep", "end"),
        *("flags", "count", "indent", "sort_keys", "ndigits", "safe", "tzinfo", "repeat"),
    )
)


class OptionalArgument(FirstOrder):
    """Pass an argument that a call leaves out, or leave one out, or order by another key."""

    DESCRIPTION = "Pass an optional argument, or leave one out."
    NAME = "optional-argument"
    VARIANTS = (_NAMED, _MEANT, _UNREAD, _OPTION, _KEY, _UNPACKED, _FALLBACK, _DROPPED)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the call with an argument more, less, or of another order."""
        node = place.node
        if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
            return
        name = last_of(node.func)
        yield from _constants(place, node, name)
        yield from _options(place, node, name)
        yield from _of_project(place, node, name)
        if name in _ORDERING:
            yield from _keys(place, node, name)
        for arg in node.args:
            if arg.keyword is not None and arg.keyword.value in _SAYS:
                rest = [other for other in node.args if other is not arg]
                if not rest and name == "replace":
                    continue  # it would replace nothing
                why = f"`{arg.keyword.value}` is not to be set"
                yield _DROPPED, passing(node, rest), why


def _options(place: Place, call: cst.Call, name: str) -> Iterator[Form]:
    given = {arg.keyword.value for arg in call.args if arg.keyword is not None}
    why = f"`{name}` has to be told"
    for option in _OPTIONS.get(name, ()):
        keyword, _, value = option.partition("=")
        first = value.partition(".")[0]
        if keyword not in given and (first != "re" or "re" in place.names) and _is_bare(name, call):
            by_place = keyword in ("maxsplit", "ndigits") and len(call.args) == 1
            yield _OPTION, with_keyword(call, "" if by_place else keyword, value), why
    before, values = _PLACED.get(name, (99, ()))
    if len(call.args) == before and not given and _takes_place(place, call, name):
        for value in values:
            variant = _FALLBACK if name in ("get", "getattr", "next") else _OPTION
            yield variant, with_keyword(call, "", value), why
    if name in ("min", "max") and len(call.args) == 1 and "default" not in given:
        for value in ("None", "0", '""'):
            yield _FALLBACK, with_keyword(call, "default", value), why


def _constants(place: Place, call: cst.Call, name: str) -> Iterator[Form]:
    """Yield a call with an option set to a constant that the module imports, or the module has."""
    keyword, module, names = _CONSTANTS.get(name, ("", "", ""))
    if not keyword or not _is_bare(name, call) or keyword in keywords(call.args):
        return
    imports = read_module(place.tree.region.source.path, place.project).imports
    for constant in names.split():
        first = constant.partition(".")[0]
        top = constant if imports.get(first) == f"{module}.{first}" else ""
        code = top or next(
            (f"{each}.{constant}" for each, of in imports.items() if of == module), ""
        )
        known = code.partition(".")[0]
        if known in place.names and not (name in _OPTIONS and code == f"re.{constant}"):
            meant = known in unread_imports(place)
            why = f"`{name}` has to be told"
            yield _MEANT if meant else _OPTION, with_keyword(call, keyword, code), why


def _is_bare(name: str, call: cst.Call) -> bool:
    """Say whether a function gets no options by their places yet."""
    places = sum(arg.keyword is None for arg in call.args)
    most = {
        "sub": 3,
        "split": 1,
        "rsplit": 1,
        "sort": 0,
        "splitlines": 0,
        "isoformat": 0,
        "popitem": 0,
        "compile": 1,
        "now": 0,
        "astimezone": 0,
        "combine": 2,
        "accumulate": 2,
        "unified_diff": 99,
        "isclose": 2,
        "wrap": 2,
        "fill": 2,
        "read_text": 0,
    }
    return places <= most.get(name, 2 if name in ("zip", "product") else 1 + (name in _SEARCHES))


_SEARCHES = frozenset(
    ("match", "search", "fullmatch", "findall", "finditer", "to_bytes", "from_bytes")
)


def _takes_place(place: Place, call: cst.Call, name: str) -> bool:
    """Say whether the object that a method is called on takes such an argument."""
    if not isinstance(call.func, cst.Attribute):
        return name in ("int", "sum", "next", "getattr")
    kind = kind_of(place, call.func.value)
    wanted = {"pop": ("list", ""), "get": ("dict", "", "Counter", "defaultdict")}
    return kind in wanted.get(name, ("str", "", "Counter"))


def _of_project(place: Place, call: cst.Call, name: str) -> Iterator[Form]:
    """Yield the call of a function of the project with a variable for what it leaves to its default."""
    found = next(definitions(name, place.project), None)
    if found is None:
        return
    takes = fields(found.node) if isinstance(found.node, ast.ClassDef) else signature(found)
    left = [each for each in takes.names if each not in filled(takes, call.args)] if takes else []
    known = variables(place)
    for each in left:
        why = f"`{name}` is to know `{each}`"
        if each in known:
            yield _NAMED, with_keyword(call, each, each), why
        elif each in attributes(place, "self"):
            yield _NAMED, with_keyword(call, each, f"self.{each}"), why
        spare = (other for other in known if other in unread(place) and other not in left)
        for other in spare:
            yield _UNREAD, with_keyword(call, each, other), f"`{name}` is to know `{other}`"


# --- keys of an order ---


def _keys(place: Place, call: cst.Call, name: str) -> Iterator[Form]:
    """Yield other keys to order by: of like items the name, of like lengths the text, and so on."""
    key = next((arg for arg in call.args if arg.keyword and arg.keyword.value == "key"), None)
    if key is None:
        if name != "groupby" and len(call.args) < 2:
            for code in _parts_of_items(place, call):
                yield _UNPACKED, with_keyword(call, "key", code), "the items are in another order"
            for code in _simple_keys(place, call):
                yield _KEY, with_keyword(call, "key", code), "the items are in another order"
        return
    match key.value:
        case cst.Lambda(body=body, params=cst.Parameters(params=[cst.Param(name=item)])):
            for code in _bodies(place, body, item.value):
                yield (
                    _KEY,
                    {body: made_of(code)},
                    f"`{place.code(body)}` does not say all of the order",
                )


def _parts_of_items(place: Place, call: cst.Call) -> Iterator[str]:
    """Yield the parts, but the first, of the items that a loop takes apart as it goes through a call."""
    loop = place.parent
    if isinstance(loop, cst.For | cst.CompFor) and loop.iter is call and len(call.args) == 1:
        given = loop.target.elements if isinstance(loop.target, cst.Tuple) else ()
        yield from (f"lambda item: item[{at}]" for at in range(1, len(given)))


def _simple_keys(place: Place, call: cst.Call) -> Iterator[str]:
    yield "len"
    yield "abs"
    yield "str.lower"
    yield "str.casefold"
    yield "lambda item: item[1]"
    yield "lambda item: item[0]"
    names = (part for name in variables(place) for part in attributes(place, name))
    yield from (f"lambda item: item.{part}" for part in [*dict.fromkeys(names)][:4])
    for arg in call.args:
        if kind_of(place, arg.value) in ("dict", "Counter", "defaultdict"):
            yield f"{place.code(arg.value)}.get"


def _bodies(place: Place, body: cst.BaseExpression, item: str) -> Iterator[str]:
    if isinstance(body, cst.Tuple):
        yield from _negated(place, body)
    if isinstance(body, cst.UnaryOperation | cst.Tuple):
        return
    yield "-OLD"
    yield f"(OLD, {item})"
    yield f"(-OLD, {item})"
    match body:
        case cst.Subscript(
            value=cst.Name(value=base),
            slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value=at)))],
        ) if base == item and at in "01":
            other = 1 - int(at)
            yield f"{item}[{other}]"
            yield f"(OLD, {item}[{other}])"
            yield f"(-OLD, {item}[{other}])"
        case cst.Attribute(value=cst.Name(value=base), attr=attr) if base == item:
            for name in variables(place):
                for part in attributes(place, name):
                    if part != attr.value and attr.value in attributes(place, name):
                        yield f"(OLD, {item}.{part})"
            others = [each for each in used_attributes(place) if each != attr.value]
            yield from (f"{item}.{part}" for part in others[:_FEW])


def _negated(place: Place, body: cst.Tuple) -> Iterator[str]:
    """Yield a key of several parts, one of which counts the other way."""
    codes = [place.code(element.value) for element in body.elements]
    for at, element in enumerate(body.elements[:_FEW]):
        if isinstance(element.value, cst.UnaryOperation):
            other = place.code(element.value.expression)
        elif isinstance(element.value, cst.Attribute | cst.Subscript | cst.Name | cst.Call):
            other = f"-{codes[at]}"
        else:
            continue
        if kind_of(place, element.value) != "str" and "\n" not in other:
            yield f"({', '.join([*codes[:at], other, *codes[at + 1 :]])})"


OptionalArgument.EXAMPLES = examples(
    """
key: the most points first, then by name
    def ranked(points):
        return «sorted(points, key=lambda name: (points[name], name))»
AssertionError: assert ['a', 'b'] == ['b', 'a']
    def ranked(points):
        return sorted(points, key=lambda name: (-points[name], name))

unpacked: the shortest way first
    def connected(ways):
        for start, end, length in «sorted(ways)»:
            yield start, end
AssertionError: assert [(1, 2)] == [(2, 3)]
    def connected(ways):
        for start, end, length in sorted(ways, key=lambda item: item[1]):
            yield start, end

not unpacked: the items are whole
    def connected(ways):
        for way in «sorted(ways)»:
            yield way
AssertionError: assert [(1, 2)] == [(2, 3)]

option: the oldest one goes
    def put(cache, key, value):
        cache[key] = value
        if len(cache) > 3:
            «cache.popitem()»  # the oldest
AssertionError: assert None == 2
    def put(cache, key, value):
        cache[key] = value
        if len(cache) > 3:
            cache.popitem(last=False)  # the oldest

named: what the caller was told
    def price(item, member=False): ...

    def total(items, member):
        return sum(«price(item)» for item in items)  # in cents
AssertionError: assert 2 == 1
    def price(item, member=False): ...

    def total(items, member):
        return sum(price(item, member=member) for item in items)  # in cents

named: what the object knows
    def price(item, rate=1): ...

    class Shop:
        def __init__(self, rate):
            self.rate = rate

        def total(self, items):
            return sum(«price(item)» for item in items)
AssertionError: assert 2 == 1
    def price(item, rate=1): ...

    class Shop:
        def __init__(self, rate):
            self.rate = rate

        def total(self, items):
            return sum(price(item, rate=self.rate) for item in items)

unread: under another name
    def price(item, percent=0): ...

    def total(items, discount):
        return sum(«price(item)» for item in items)
AssertionError: assert 2 == 1
    def price(item, percent=0): ...

    def total(items, discount):
        return sum(price(item, percent=discount) for item in items)

option: the greatest first
    def ranked(marks):
        return «sorted(marks)»
AssertionError: assert [1, 2] == [2, 1]
    def ranked(marks):
        return sorted(marks, reverse=True)

option: the first colon counts
    def entry(line):
        return «line.split(":")»
AssertionError: assert ['a', 'b', 'c'] == ['a', 'b:c']
    def entry(line):
        return line.split(":", 1)

option: half a cent is a cent
    import decimal
    CENT = decimal.Decimal("0.01")

    def rounded(amount):
        return «amount.quantize(CENT)»
AssertionError: assert 1 == 2
    import decimal
    CENT = decimal.Decimal("0.01")

    def rounded(amount):
        return amount.quantize(CENT, rounding=decimal.ROUND_HALF_UP)

meant: what is imported
    from decimal import ROUND_DOWN, Decimal

    def rounded(amount):
        return «amount.quantize(Decimal(1))»  # in full
AssertionError: assert 2 == 1
    from decimal import ROUND_DOWN, Decimal

    def rounded(amount):
        return amount.quantize(Decimal(1), rounding=ROUND_DOWN)  # in full

option: the same moment everywhere
    from datetime import datetime, timezone

    def moment(seconds):
        return «datetime.fromtimestamp(seconds)».astimezone(timezone.utc)
AssertionError: assert 1 == 2
    from datetime import datetime, timezone

    def moment(seconds):
        return datetime.fromtimestamp(seconds, tz=timezone.utc).astimezone(timezone.utc)

option: the oldest first
    def take(self):
        return «self.waiting.pop()»
AssertionError: assert 2 == 1
    def take(self):
        return self.waiting.pop(0)

key: by their lengths
    def longest(words):
        return «max(words)»
AssertionError: assert 'b' == 'aa'
    def longest(words):
        return max(words, key=len)

key: the most first
    def ranked(counts):
        return «sorted(counts, key=lambda c: c[1])»
AssertionError: assert [1, 2] == [2, 1]
    def ranked(counts):
        return sorted(counts, key=lambda c: -c[1])

fallback: none is zero
    def stock(counts, item):
        return «counts.get(item)»
AssertionError: assert None == 0
    def stock(counts, item):
        return counts.get(item, 0)

fallback: of no marks at all
    def best(players):
        return «max(p.mark for p in players)»
ValueError: max() arg is an empty sequence
    def best(players):
        return max((p.mark for p in players), default=None)

dropped: in their own order
    def ranked(marks):
        return «sorted(marks, reverse=True)»
AssertionError: assert [2, 1] == [1, 2]
    def ranked(marks):
        return sorted(marks)

not dropped: to replace nothing is to do nothing
    def shown(moment):
        return «moment.replace(tzinfo=UTC)»
AssertionError: assert 12 == 10

not any: nothing to round by is imported
    def rounded(amount):
        return «amount.quantize(CENT)»
AssertionError: assert 1 == 2

not any: it is rounded by something
    import decimal

    def rounded(amount):
        return «amount.quantize(CENT, decimal.ROUND_UP)»
AssertionError: assert 1 == 2

not any: it has no options
    def ranked(marks):
        return «len(marks)»
AssertionError: assert 2 == 1

not named: it is passed
    def price(item, member=False): ...

    def total(items, member):
        return sum(«price(item, member)» for item in items)
AssertionError: assert 2 == 1

not option: a set has no first one
    def take(names):
        return «names.pop()»
AssertionError: assert 2 == 1
where names: set = {1}

not fallback: there is one
    def stock(counts, item):
        return «counts.get(item, 0)»
AssertionError: assert 1 == 0

not any: nobody can see what is passed
    def stock(counts, keys):
        return «counts.get(*keys)»
AssertionError: assert None == 0

not option: the order is given
    def ranked(marks):
        return «sorted(marks, reverse=True)»
AssertionError: assert [2, 1] == [1, 2]

not fallback: a default is given
    def best(marks):
        return «max(marks, default=0)»
AssertionError: assert 0 is None

not any: two values are never empty
    def best(one, other):
        return «max(one, other)»
AssertionError: assert 1 == 2

not key: there are no items to order
    def total(marks):
        return «sum(marks)»
AssertionError: assert 2 == 1

not any: the caller does not have it
    def price(item, member=False): ...

    def total(items):
        return sum(«price(item)» for item in items)
AssertionError: assert 2 == 1

not any: it has a limit
    def pair(line):
        return «line.split(":", 1)»
AssertionError: assert ['a'] == ['a', 'b']

not any: what it has to be told
    def price(item, member): ...

    def total(items):
        return sum(«price(item, member=True)» for item in items)
AssertionError: assert 2 == 1

not any: the constant is of another module
    from colours import ROUND_UP

    def rounded(amount):
        return «amount.quantize(CENT)»
AssertionError: assert 1 == 2
"""
)
