"""HashableKey: a list or a set was used as a key, where only what cannot change may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import libcst as cst

from selfdebug.codemods._base import (
    Answer,
    Codemod,
    Rewrite,
    Target,
    Variant,
    examples,
    target_at,
)
from selfdebug.codemods._defined import defined_at, target_in
from selfdebug.codemods._edit import expression, replaced
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._names import dotted
from selfdebug.codemods._operands import type_of, value_of
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._place import place
from selfdebug.codemods._sources import maker
from selfdebug.codemods._style import returned
from selfdebug.model import Site
from selfdebug.syntax.bindings import FUNCTIONS
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_SOURCE = Variant("source", "root-cause", "make the key of a kind that can be one", prior=0.7)
_USE = Variant("use", "root-cause", "turn it into a key where it is used as one", prior=0.8)
_ITEMS = Variant("items", "root-cause", "turn the items into keys", prior=0.7)

_UNHASHABLE = re.compile(r"unhashable type: '(?P<type>list|set|bytearray)'")
_FROZEN = {"list": "tuple", "set": "frozenset", "bytearray": "bytes"}
_KEYED = frozenset(("add", "discard", "remove", "setdefault", "get", "pop", "hash"))
_COLLECTING = frozenset(("set", "frozenset", "Counter", "fromkeys", "update"))


class HashableKey(Codemod):
    """Use a tuple for a list, and a frozenset for a set, where it is to be a key."""

    DESCRIPTION = "Use keys that can be hashed."
    NAME = "hashable-key"
    ANSWERS = (Answer(("TypeError",), _UNHASHABLE.pattern),)
    VARIANTS = (_SOURCE, _USE, _ITEMS)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the code at the site, and the places where the key may have been made."""
        yield from super().targets(site, project)
        tree = target_at(site, project).tree
        keys = (key for whole in tree.at(site.span) for key in _keys(whole))
        for key in keys:
            found = maker(tree, key, site, project) if type_of(site, key) == "tuple" else None
            if found is not None and isinstance(found.node, FUNCTIONS):
                yield target_in(found.node, found.module, site, project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the code with a key that can be hashed."""
        tree, site = target.tree, target.site
        function = defined_at(tree, site.span.line)
        yield from rewritten(tree, _born(tree, site, function) if function else _frozen(tree, site))


def _frozen(tree: Tree, site: Site) -> Iterator[Form]:
    found = _UNHASHABLE.search(site.message)
    kind = found["type"] if found else ""
    for whole in tree.at(site.span) if found else ():
        for key in _suspected(site, [*_keys(whole)], kind):
            yield from _key(tree, key, kind)
            return
        if isinstance(whole, cst.Call) and last_of(whole.func) in _COLLECTING:
            yield from _items(tree, whole, kind)


def _born(tree: Tree, site: Site, function: cst.FunctionDef) -> Iterator[Form]:
    """Freeze what cannot be hashed among the items of a tuple that a function returns."""
    found = _UNHASHABLE.search(site.message)
    kind = found["type"] if found else ""
    for node in (each.value for each in returned(function)):
        if isinstance(node, cst.Tuple):
            every = [
                replaced(tree, each.value, _freezing(kind))
                for each in node.elements
                if isinstance(each, cst.Element) and _is_of(each.value, kind)
            ]
            change = {item: put for each in every for item, put in each.items()}
            if change:
                yield _SOURCE, change, f"`{tree.code(node)}` holds a {kind}, and is used as a key"


def _is_of(node: cst.BaseExpression, kind: str) -> bool:
    makers = {"list": ("list", "sorted", "split", "splitlines"), "set": ("set",)}
    called = last_of(node.func) if isinstance(node, cst.Call) else ""
    return _shows(node, kind) or called in makers.get(kind, ())


def _suspected(site: Site, keys: list[cst.BaseExpression], kind: str) -> list[cst.BaseExpression]:
    """Return the one key that held what cannot be hashed; none where several may have."""
    held = [key for key in keys if type_of(site, key) == kind or _shows(key, kind)]
    open_ = [key for key in keys if not type_of(site, key) and not isinstance(key, cst.BaseString)]
    return held[:1] or (open_ if len(open_) == 1 else [])


def _shows(key: cst.BaseExpression, kind: str) -> bool:
    shown = {"list": (cst.List, cst.ListComp), "set": (cst.Set, cst.SetComp)}
    return isinstance(key, shown.get(kind, ()))


def _keys(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Yield what an operation hashes."""
    match node:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=key))]):
            yield key
        case cst.Comparison(
            left=left, comparisons=[cst.ComparisonTarget(operator=cst.In() | cst.NotIn())]
        ):
            yield left
        case cst.Call(args=[cst.Arg(value=key, star=""), *_]) if last_of(node.func) in _KEYED:
            yield key
        case cst.Dict(elements=elements):
            yield from (each.key for each in elements if isinstance(each, cst.DictElement))
        case cst.Set(elements=elements):
            yield from (each.value for each in elements if isinstance(each, cst.Element))
        case cst.DictComp(key=key):
            yield key
        case cst.SetComp(elt=elt):
            yield elt
        case (
            cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript() as target)])
            | cst.AugAssign(target=cst.Subscript() as target)
        ):
            yield from _keys(target)


def _key(tree: Tree, key: cst.BaseExpression, kind: str) -> Iterator[Form]:
    given, code = value_of(tree, key), tree.code(key)
    why = f"`{code}` is a {kind}, which cannot be a key"
    if given is not None:
        yield _SOURCE, replaced(tree, given, _freezing(kind)), why
    every = [replaced(tree, each, _freezing(kind)) for each in _same(tree, key)]
    yield _USE, {node: put for change in every for node, put in change.items()}, why


def _same(tree: Tree, key: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield the uses of the same variable as a key of the same container."""
    yield key
    spelling, where = dotted(key), place(tree, key)
    container = _container(tree, key)
    for node in tree.ranges if spelling and container and where.function else ():
        for other in _keys(node):
            same = other is not key and dotted(other) == spelling
            same = same and _container(tree, other) == container
            if same and place(tree, other).function is where.function:
                yield other


def _container(tree: Tree, key: cst.BaseExpression) -> str:
    """Return the spelling of what a key is looked up in, "" for none that has a name."""
    for up in tree.ancestors(key):
        match up:
            case cst.Subscript(value=value) | cst.Call(func=cst.Attribute(value=value)):
                return dotted(value) or ""
            case cst.Comparison(comparisons=[cst.ComparisonTarget(comparator=value)]):
                return dotted(value) or ""
            case cst.BaseSmallStatement() | cst.BaseCompoundStatement():
                return ""
    return ""


def _items(tree: Tree, call: cst.Call, kind: str) -> Iterator[Form]:
    if len(call.args) == 1 and not call.args[0].star:
        items = call.args[0].value
        why = f"the items of `{tree.code(items)}` are of type {kind}, which cannot be keys"
        if isinstance(items, cst.GeneratorExp | cst.ListComp | cst.SetComp):
            yield _ITEMS, replaced(tree, items.elt, _freezing(kind)), why
            return
        code = f"map({_FROZEN[kind]}, OLD)"
        yield _ITEMS, replaced(tree, items, lambda new: expression(code, OLD=new)), why


def _freezing(kind: str) -> Callable[[cst.BaseExpression], cst.BaseExpression]:
    def freeze(node: cst.BaseExpression) -> cst.BaseExpression:
        match node:
            case cst.List(elements=[_, *_] as elements) if kind == "list":
                return cst.Tuple(elements, node.lpar, node.rpar).with_changes(
                    lpar=[cst.LeftParen()], rpar=[cst.RightParen()]
                )
            case cst.ListComp() if kind == "list":
                inner = cst.GeneratorExp(node.elt, node.for_in, lpar=[], rpar=[])
                return cst.Call(cst.Name("tuple"), [cst.Arg(inner)])
        return expression(f"{_FROZEN[kind]}(OLD)", OLD=node)

    return freeze


HashableKey.EXAMPLES = examples(
    """
source: another function made the key
    def make_key(args, kwargs):
        return args, sorted(kwargs.items())

    def cached(function, table, args, kwargs):
        key = make_key(args, kwargs)
        return «table[key]»
TypeError: unhashable type: 'list'
where key: tuple
    def make_key(args, kwargs):
        return args, tuple(sorted(kwargs.items()))

    def cached(function, table, args, kwargs):
        key = make_key(args, kwargs)
        return table[key]

use: a row in a set of those seen
    def unique(rows):
        seen = set()
        for row in rows:
            if row not in seen:  # new
                «seen.add(row)»
        return seen
TypeError: unhashable type: 'list'
    def unique(rows):
        seen = set()
        for row in rows:
            if tuple(row) not in seen:  # new
                seen.add(tuple(row))
        return seen

source: the variable that holds the key
    def count(sales, counts):
        for sale in sales:
            key = [sale.year, sale.month]
            counts[key] = «counts.get(key, 0)» + 1
TypeError: unhashable type: 'list'
    def count(sales, counts):
        for sale in sales:
            key = (sale.year, sale.month)
            counts[key] = counts.get(key, 0) + 1

use: a list as the key of a dictionary
    def price(prices, size, colour):
        return «prices[[size, colour]]»
TypeError: unhashable type: 'list'
    def price(prices, size, colour):
        return prices[(size, colour)]

use: sorted letters
    def anagrams(words, groups):
        for word in words:
            «groups[sorted(word)]».append(word)
TypeError: unhashable type: 'list'
    def anagrams(words, groups):
        for word in words:
            groups[tuple(sorted(word))].append(word)

items: the rows of a table
    def distinct(rows):
        return len(«set(rows)»)
TypeError: unhashable type: 'list'
    def distinct(rows):
        return len(set(map(tuple, rows)))

use: a set of sets
    def teams(groups):
        return «{{leader, *rest} for leader, *rest in groups}»
TypeError: unhashable type: 'set'
    def teams(groups):
        return {frozenset({leader, *rest}) for leader, *rest in groups}

not any: a dictionary has no frozen form
    def unique(rows, seen):
        «seen.add(rows)»
TypeError: unhashable type: 'dict'

not any: two may be the key
    def table(a, b):
        return «{a: 1, b: 2}»
TypeError: unhashable type: 'list'

not source: the key comes from the caller
    def price(prices, key):
        return «prices[key]»
TypeError: unhashable type: 'list'

not any: a dictionary among the items
    def distinct(rows):
        return len(«set(rows)»)
TypeError: unhashable type: 'dict'

not any: a slice is no key
    def first(prices):
        return «prices[:3]»
TypeError: unhashable type: 'slice'

not any: text can be hashed
    def price(prices):
        return «prices["tea"]»
TypeError: unhashable type: 'list'

not items: the argument is spread
    def distinct(rows):
        return «set(*rows)»
TypeError: unhashable type: 'list'
"""
)
