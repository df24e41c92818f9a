"""UnreadOption: a parameter that nothing reads is called as an option of a function that is called."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import kind_of
from selfdebug.codemods._library import library_object
from selfdebug.codemods._names import dotted
from selfdebug.codemods._passing import are_plain, with_keyword
from selfdebug.codemods._variables import unread, variables
from selfdebug.syntax.modules import read_module

_NAMED = small_edit("named", "pass the value that nothing reads as the option of its name", 0.5)
_MEANT = small_edit("meant", "pass the value that nothing reads as the option that it is for", 0.3)

_WORDS = {
    "ndigits": "digits places precision decimals",
    "sep": "separator delimiter sep",
    "maxsplit": "limit most count splits",
    "default": "fallback missing otherwise",
    "key": "by order",
    "reverse": "descending desc reversed backwards",
    "start": "first begin offset initial",
    "chars": "characters letters strip",
    "fillchar": "fill pad padding",
    "stop": "end limit",
    "step": "size stride width",
    "count": "times limit most",
    "base": "radix",
    "width": "size length",
    "suffix": "ending extension",
    "prefix": "beginning",
}
"""What a variable may be called that is an option of the library."""
_KEYWORDS: dict[str, tuple[str, ...]] = {"min": ("key", "default"), "max": ("key", "default")}
"""Options of functions that do not tell which they take."""
_OWNERS: tuple[type, ...] = (str, dict, list, set, bytes)


class UnreadOption(FirstOrder):
    """Pass a parameter that nothing reads to a function of the library that has such an option."""

    DESCRIPTION = "Pass a value that nothing reads as the option of its name."
    NAME = "unread-option"
    VARIANTS = (_NAMED, _MEANT)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the call with one argument more."""
        call = place.node
        if not isinstance(call, cst.Call) or any(arg.star for arg in call.args):
            return
        spare = unread(place)
        names = [name for name in variables(place) if name in spare]
        options = _options(place, call) if names else {}
        for option, by_place in options.items():
            for name in names:
                if name == option or name in _WORDS.get(option, "").split():
                    variant = _NAMED if name == option else _MEANT
                    change = with_keyword(call, "" if by_place else option, name)
                    yield variant, change, f"nothing reads `{name}`"


def _options(place: Place, call: cst.Call) -> Mapping[str, bool]:
    """Return what a call may pass more, and whether it has to go by its place."""
    name = dotted(call.func) or ""
    if name in _KEYWORDS and name not in place.names:
        found = dict.fromkeys(_KEYWORDS[name], False)
    else:
        function = _called(place, call, name)
        if function is None or not are_plain([arg for arg in call.args if arg.keyword is None]):
            return {}
        given = sum(arg.keyword is None for arg in call.args)
        found = dict(_left(function, given))
    taken = {arg.keyword.value for arg in call.args if arg.keyword is not None}
    return {option: by_place for option, by_place in found.items() if option not in taken}


def _called(place: Place, call: cst.Call, name: str) -> object | None:
    """Return the function of the library, or the method of a built-in class, that is called."""
    imports = read_module(place.tree.region.source.path, place.project).imports
    first, _, rest = name.partition(".")
    if first in imports:
        return library_object(f"{imports[first]}.{rest}" if rest else imports[first])
    if name and not rest and name not in place.names:
        found: object | None = getattr(builtins, name, None)
        return found
    if isinstance(call.func, cst.Attribute):
        kind, attr = kind_of(place, call.func.value), call.func.attr.value
        fitting = [each for each in _OWNERS if each.__name__ == kind or not kind]
        return next((getattr(each, attr) for each in fitting if hasattr(each, attr)), None)
    return None


@lru_cache(maxsize=256)
def _left(function: object, given: int) -> Sequence[tuple[str, bool]]:
    """Return the optional parameters behind so many arguments; True for those without keyword."""
    if not callable(function):
        return ()
    try:
        params = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):
        return ()
    if params and params[0].name == "self":
        params = params[1:]
    found: list[tuple[str, bool]] = []
    for at, param in enumerate(params):
        if at < given and param.kind is not param.KEYWORD_ONLY:
            continue
        if param.default is param.empty or param.kind is param.VAR_KEYWORD:
            continue
        if param.kind is not param.POSITIONAL_ONLY:
            found.append((param.name, False))
        elif at == given:
            found.append((param.name, True))
    return tuple(found)


UnreadOption.EXAMPLES = examples(
    """
named: in the order that is asked for
    def best(items, count, key=None):
        return «sorted(items, reverse=True)»[:count]
AssertionError: assert [3, 2] == [-3, 2]
    def best(items, count, key=None):
        return sorted(items, reverse=True, key=key)[:count]

named: what comes for a missing key
    def price(prices, name, default=None):
        return «prices.get(name)»  # may be unknown
AssertionError: assert None == 0
where prices: dict = {}
    def price(prices, name, default=None):
        return prices.get(name, default)  # may be unknown

named: of a function of the library
    import json

    def shown(value, indent):
        return «json.dumps(value)»
AssertionError: assert '[1]' == '[]'
    import json

    def shown(value, indent):
        return json.dumps(value, indent=indent)

meant: as many digits as are asked for
    def mean(values, digits):
        return «round(sum(values) / len(values))»
AssertionError: assert 2 == 1.67
    def mean(values, digits):
        return round(sum(values) / len(values), ndigits=digits)

meant: parted by what is given
    def fields(line: str, delimiter):
        return «line.split()»
AssertionError: assert ['a;b'] == ['a', 'b']
    def fields(line: str, delimiter):
        return line.split(sep=delimiter)

named: the greatest by something
    def best(items, key):
        return «max(items)»
AssertionError: assert 3 == -4
    def best(items, key):
        return max(items, key=key)

not any: it is passed already
    def best(items, key):
        return «sorted(items, key=len)»
AssertionError: assert [3, 2] == [-3, 2]

not any: all parameters are read
    def best(items, key):
        return key(«sorted(items)»)
AssertionError: assert [3, 2] == [-3, 2]

not any: the function is one of the project
    def sorted(items, key=None): ...

    def best(items, key):
        return «sorted(items)»
AssertionError: assert [3, 2] == [-3, 2]

not any: no option is called so
    def best(items, color):
        return «sorted(items)»
AssertionError: assert [3, 2] == [-3, 2]
"""
)
