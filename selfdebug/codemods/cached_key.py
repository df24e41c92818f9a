"""CachedKey: results are kept under a key that does not tell all that they depend on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import function_of, nodes_of, params_of, reads
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._names import code_of, dotted

_ALL = small_edit("all", "let the key hold all parameters", 0.6)
_ONE = small_edit("one-more", "let the key hold one more parameter", 0.3)
_CACHE = re.compile(r"cache|memo|known|seen|stored|results|computed", re.IGNORECASE)


class CachedKey(FirstOrder):
    """Add the parameters on which a kept result depends to its key."""

    DESCRIPTION = "Add missing parameters to the key of a cache."
    NAME = "cached-key"
    VARIANTS = (_ALL, _ONE)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the keys, at any statement that has one."""
        function = function_of(place.tree, place.node)
        if place.node is not place.statement or function is None:
            return
        for cache, key in _keys(function):
            uses = _uses(function, cache, key)
            own = _own_name(function, key)
            made = _assigned(function, own) if own else uses
            if not any(use in {*nodes_of(place.statement)} for use in (*uses, *made)):
                continue
            missing = _missing(function, cache, made[0] if made else None)
            for names in [missing] if len(missing) == 1 else [missing, *([n] for n in missing)]:
                if names and made:
                    variant = _ALL if names == missing else _ONE
                    change = _longer(place, made, names)
                    yield variant, change, f"`{cache}` does not heed `{'`, `'.join(names)}`"


@lru_cache(maxsize=16)
def _keys(function: cst.FunctionDef) -> tuple[tuple[str, str], ...]:
    """Return the dictionaries that a function stores results in, with the code of the key."""
    found: list[tuple[str, str]] = []
    for each in nodes_of(function.body):
        match each:
            case cst.AssignTarget(
                target=cst.Subscript(
                    value=owner, slice=[cst.SubscriptElement(slice=cst.Index(value=key))]
                )
            ) if (cache := dotted(owner)) and _CACHE.search(cache):
                found.append((cache, code_of(key)))
    return (*dict.fromkeys(found),)


def _uses(function: cst.FunctionDef, cache: str, key: str) -> list[cst.BaseExpression]:
    """Return the places where a key of a cache is written."""
    found: list[cst.BaseExpression] = []
    for each in nodes_of(function.body):
        match each:
            case cst.Subscript(
                value=owner, slice=[cst.SubscriptElement(slice=cst.Index(value=value))]
            ) if dotted(owner) == cache and code_of(value) == key:
                found.append(value)
            case cst.Comparison(
                left=value,
                comparisons=[
                    cst.ComparisonTarget(operator=cst.In() | cst.NotIn(), comparator=owner)
                ],
            ) if dotted(owner) == cache and code_of(value) == key:
                found.append(value)
            case cst.Call(func=cst.Attribute(value=owner), args=[cst.Arg(value=value), *_]) if (
                dotted(owner) == cache and code_of(value) == key
            ):
                found.append(value)
    return found


def _own_name(function: cst.FunctionDef, key: str) -> str:
    """Return the variable that holds the key, if it is no parameter."""
    given = {each.name.value for each in params_of(function)}
    return key if key.isidentifier() and key not in given else ""


def _assigned(function: cst.FunctionDef, name: str) -> list[cst.BaseExpression]:
    return [
        each.value
        for each in nodes_of(function.body)
        if isinstance(each, cst.Assign) and code_of(each.targets[0].target) == name
    ]


def _missing(function: cst.FunctionDef, cache: str, key: cst.BaseExpression | None) -> list[str]:
    """Return the parameters that a function reads and a key leaves out."""
    known = reads(key) if key is not None else frozenset()
    read = reads(function.body)
    names = [each.name.value for each in params_of(function)]
    return [name for name in names if name in read and name not in {*known, cache}]


def _longer(place: Place, keys: list[cst.BaseExpression], names: list[str]) -> Change:
    change: dict[cst.CSTNode, Any] = {}
    for key in keys:
        if isinstance(key, cst.Tuple):
            change[key] = _appended(names)
        else:
            code = f"(KEY, {', '.join(names)})"
            change |= replaced(place.tree, key, _paired(code))
    return change


def _paired(code: str) -> Any:
    return lambda old: expression(code, KEY=old)


def _appended(names: list[str]) -> Any:
    def make(updated: cst.Tuple) -> cst.Tuple:
        space = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        *rest, last = updated.elements
        new = [cst.Element(cst.Name(name)) for name in names]
        joined = [last.with_changes(comma=space), *new]
        parts = [each.with_changes(comma=space) for each in joined[:-1]]
        return updated.with_changes(elements=[*rest, *parts, joined[-1]])

    return make


CachedKey.EXAMPLES = examples(
    """
all: prices by article and currency
    CACHE = {}

    def price(article, currency):
        if article not in CACHE:
            «CACHE[article] = convert(article.price, currency)»
        return CACHE[article]
AssertionError: assert 5 == 6
    CACHE = {}

    def price(article, currency):
        if (article, currency) not in CACHE:
            CACHE[(article, currency)] = convert(article.price, currency)
        return CACHE[(article, currency)]

all: the key has a name
    def ways(steps, longest, memo):
        «key = steps»
        if key in memo:
            return memo[key]
        memo[key] = sum(ways(steps - n, longest, memo) for n in range(1, longest))
        return memo[key]
AssertionError: assert 5 == 6
    def ways(steps, longest, memo):
        key = (steps, longest)
        if key in memo:
            return memo[key]
        memo[key] = sum(ways(steps - n, longest, memo) for n in range(1, longest))
        return memo[key]

one-more: one of several
    class Router:
        def route(self, start, end, mode, log):
            key = (start, end)
            if key not in self._cache:
                log.info(start)
                «self._cache[key] = self.find(start, end, mode)»
            return self._cache[key]
AssertionError: assert 5 == 6
    class Router:
        def route(self, start, end, mode, log):
            key = (start, end, mode)
            if key not in self._cache:
                log.info(start)
                self._cache[key] = self.find(start, end, mode)
            return self._cache[key]

not any: the key tells all
    def price(article, currency, cache):
        if (article, currency) not in cache:
            «cache[(article, currency)] = convert(article.price, currency)»
        return cache[(article, currency)]
AssertionError: assert 5 == 6

not any: no cache but a result
    def counts(words, least):
        found = {}
        for word in words:
            «found[word] = found.get(word, least) + 1»
        return found
AssertionError: assert 5 == 6

not any: a statement that has nothing to do with the key
    def price(article, currency, cache):
        «rate = rates(currency)»
        if article not in cache:
            cache[article] = article.price * rate
        return cache[article]
AssertionError: assert 5 == 6

not any: a function without parameters
    def price(cache):
        if "rate" not in cache:
            «cache["rate"] = rates()»
        return cache["rate"]
AssertionError: assert 5 == 6

not any: what is left out does not matter to the result
    def price(article, cache, log):
        if article not in cache:
            «cache[article] = convert(article)»
        return cache[article]
AssertionError: assert 5 == 6
"""
)
