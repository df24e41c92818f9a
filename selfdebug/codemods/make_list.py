"""MakeList: an iterator or a view stood where a list is needed, or an iterator was used twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

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
from selfdebug.codemods._defined import defined_at, own_nodes, target_in
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._fields import classes_at, given, initialiser, stored
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._insert import above, statements
from selfdebug.codemods._names import dotted
from selfdebug.codemods._operands import of_type, type_of, value_of
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._place import is_parameter, place
from selfdebug.codemods._style import returned
from selfdebug.codemods._use import uses
from selfdebug.model import Site
from selfdebug.syntax.bindings import FUNCTIONS, is_generator
from selfdebug.syntax.modules import definitions
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_FIELD = Variant("field", "root-cause", "keep a list in the field, for every use", prior=0.85)
_SOURCE = Variant("source", "root-cause", "make a list where the values come from", prior=0.8)
_USE = Variant("use", "root-cause", "make a list where one is needed", prior=0.7)
_ENTRY = Variant(
    "entry", "root-cause", "make a list of the argument at the entry", prior=0.6, branch="entry"
)

_ITERATORS = ("generator", "map", "filter", "zip", "enumerate", "list_iterator", "islice", "chain")
_KINDS = frozenset((*_ITERATORS, "dict_keys", "dict_values", "dict_items", "list_reverseiterator"))
_KIND = rf"(?:{'|'.join(sorted(_KINDS))})"
_LACKS = (
    rf"'(?:itertools\.)?{_KIND}' object (?:is not subscriptable|is not reversible|has no attribute"
    rf" '(?:append|copy|count|extend|index|insert|pop|remove|reverse|sort)')"
)
_EMPTY = r"is an empty sequence|argument is empty|division by zero|requires at least one data point"


class MakeList(Codemod):
    """Make a list of what can be gone through once, or has no places."""

    DESCRIPTION = "Make lists where lists are needed."
    NAME = "make-list"
    ANSWERS = (
        Answer(("TypeError", "AttributeError"), _LACKS),
        Answer(
            ("TypeError",),
            rf"object of type '{_KIND}' has no len|unsupported operand .*'{_KIND}'|"
            rf'\(not "{_KIND}"\) to list|Object of type {_KIND} is not JSON serializable',
        ),
        Answer(("ValueError", "ZeroDivisionError", "StatisticsError"), _EMPTY),
    )
    VARIANTS = (_FIELD, _SOURCE, _USE, _ENTRY)

    @classmethod
    def answers(cls, site: Site) -> bool:
        """Say whether something at the site could be gone through only once, or had no places."""
        used_up = any(value.type in _ITERATORS for value in site.locals.values())
        return super().answers(site) and (used_up or not re.search(_EMPTY, site.message))

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the code at the site, and the function that gave what a test or the code uses."""
        here = target_at(site, project)
        if not project.is_test_file(site.file):
            yield here
        for node in of_type(here.tree, site, _KINDS):
            yield from _stored(node, site, project)
            call = node if isinstance(node, cst.Call) else value_of(here.tree, node)
            name = last_of(call.func) if isinstance(call, cst.Call) else ""
            found = [*definitions(name, project)] if name else []
            made = found[0].node if len(found) == 1 else None
            if isinstance(made, FUNCTIONS) and not is_generator(made):
                yield target_in(made, found[0].module, site, project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the code with a list in the place of the iterator."""
        yield from rewritten(target.tree, _lists(target))


def _stored(node: cst.BaseExpression, site: Site, project: Project) -> Iterator[Target]:
    """Yield the ``__init__`` that keeps an iterator in a field of its object."""
    name = (dotted(node) or "").partition("self.")[2]
    for owner in classes_at(site, project) if name.isidentifier() else ():
        init = initialiser(owner)
        if init is not None and [*stored(init, name)]:
            yield target_in(init, owner.module, replace(site, bad_code=f"self.{name}"), project)
            return


def _lists(target: Target) -> Iterator[Form]:
    tree, site = target.tree, target.site
    function = defined_at(tree, site.span.line)
    if function is not None and function.name.value == "__init__":
        yield from _kept(tree, function, (site.bad_code or "").partition(".")[2])
    elif function is not None:
        yield from _returned(tree, function)
    elif re.search(_EMPTY, site.message):
        yield from _used_twice(tree, site)
    else:
        within = site.node == "Call" and not site.bad
        for node in _args(tree, site) if within else of_type(tree, site, _KINDS):
            yield from _listed(tree, node)


def _args(tree: Tree, site: Site) -> Iterator[cst.BaseExpression]:
    """Yield the first argument of a call that complains from within: ``json.dumps``."""
    for node in tree.at(site.span):
        if isinstance(node, cst.Call) and node.args:
            yield node.args[0].value


def _listed(tree: Tree, node: cst.BaseExpression) -> Iterator[Form]:
    given = value_of(tree, node)
    if given is not None:
        yield _SOURCE, _as_list(tree, given), f"`{tree.code(node)}` is needed as a list"
    elif isinstance(node, cst.Name) and is_parameter(tree, node):
        yield from _at_entry(tree, node)
    else:
        yield _USE, _as_list(tree, node), f"`{tree.code(node)}` has no places"


def _as_list(tree: Tree, node: cst.BaseExpression) -> Change:
    if isinstance(node, cst.GeneratorExp):
        return {node: lambda updated: cst.ListComp(updated.elt, updated.for_in)}
    return replaced(tree, node, lambda updated: expression("list(OLD)", OLD=updated))


def _kept(tree: Tree, function: cst.FunctionDef, field: str) -> Iterator[Form]:
    """Keep a list in a field, where it is filled once with what may be an iterator."""
    values = [value for node in own_nodes(function.body) if (value := given(node, field))]
    if len(values) == 1 and not isinstance(values[0], cst.List | cst.Tuple | cst.ListComp):
        yield _FIELD, _as_list(tree, values[0]), f"`self.{field}` is used as a list, and repeatedly"


def _returned(tree: Tree, function: cst.FunctionDef) -> Iterator[Form]:
    """Return a list where a function returns an iterator that it made itself."""
    values = [each.value for each in returned(function) if each.value is not None]
    if len(values) == 1 and _is_iterator(values[0]):
        change = _as_list(tree, values[0])
        yield _SOURCE, change, f"the result of `{function.name.value}` is used as a list"


def _is_iterator(node: cst.BaseExpression) -> bool:
    match node:
        case cst.GeneratorExp():
            return True
        case cst.Call(func=cst.Name(value=name)):
            return name in {"map", "filter", "zip", "enumerate", "reversed"}
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=name)), args=[]):
            return name in {"keys", "values", "items"}
    return False


def _used_twice(tree: Tree, site: Site) -> Iterator[Form]:
    """Make a list of a variable that held an iterator and is used more than once."""
    for node in tree.at(site.span):
        function = place(tree, node).function
        if function is None:
            return
        names = [name for name, value in site.locals.items() if value.type in _ITERATORS]
        for name in names:
            found = [*uses(tree, name, function.body)]
            if len(found) > 1 and type_of(site, found[-1]) in _ITERATORS:
                yield from _listed_for_all(tree, found[-1])
        return


def _listed_for_all(tree: Tree, node: cst.BaseExpression) -> Iterator[Form]:
    given = value_of(tree, node)
    if given is not None:
        why = f"`{tree.code(node)}` is gone through twice, and was used up by then"
        yield _SOURCE, _as_list(tree, given), why
    elif isinstance(node, cst.Name) and is_parameter(tree, node):
        yield from _at_entry(tree, node)


def _at_entry(tree: Tree, node: cst.Name) -> Iterator[Form]:
    function = place(tree, node).function
    if function is None:
        return
    body = function.body.body[function.get_docstring() is not None :]
    if not body or not isinstance(body[0], cst.BaseStatement):
        return
    first = body[0].body[0] if isinstance(body[0], cst.SimpleStatementLine) else body[0]
    line = statements(tree, f"{node.value} = list({node.value})\n", first)
    yield _ENTRY, above(tree, first, line), f"`{node.value}` may be an iterator, good for one use"


MakeList.EXAMPLES = examples(
    """
source: a generator expression that is counted
    def share(rows):
        paid = (row for row in rows if row.paid)  # in full
        return len(«paid») / len(rows)
TypeError: object of type 'generator' has no len()
    def share(rows):
        paid = [row for row in rows if row.paid]  # in full
        return len(paid) / len(rows)

field: an argument that is kept, and may be an iterator
    class Column:
        def __init__(self, values, name=None):
            self.values = values  # as they come
            self.name = name

        def __len__(self):
            return len(«self.values»)
TypeError: object of type 'generator' has no len()
    class Column:
        def __init__(self, values, name=None):
            self.values = list(values)  # as they come
            self.name = name

        def __len__(self):
            return len(self.values)

field: a choice that is kept
    class Retrier:
        def __init__(self, delays=None):
            self.delays = delays if delays is not None else backoff()

        def call(self):
            return [wait(each) for each in «self.delays + [0]»]
TypeError: unsupported operand type(s) for +: 'generator' and 'list'
    class Retrier:
        def __init__(self, delays=None):
            self.delays = list(delays if delays is not None else backoff())

        def call(self):
            return [wait(each) for each in self.delays + [0]]

not field: another method filled it
    class Column:
        def load(self, values):
            self.values = values

        def __len__(self):
            return len(«self.values»)
TypeError: object of type 'generator' has no len()

use: the keys of a dictionary
    def first(prices):
        return «prices.keys()»[0]
TypeError: 'dict_keys' object is not subscriptable
    def first(prices):
        return list(prices.keys())[0]

use: a view in a sum of lists
    def columns(row, extra):
        return «row.keys() + extra»
TypeError: unsupported operand type(s) for +: 'dict_keys' and 'list'
    def columns(row, extra):
        return list(row.keys()) + extra

source: a map that is sorted in place
    def ranked(words):
        sizes = map(len, words)
        «sizes».sort()
        return sizes
AttributeError: 'map' object has no attribute 'sort'
    def ranked(words):
        sizes = list(map(len, words))
        sizes.sort()
        return sizes

source: a test takes an item of what a function returns
in tests/test_shop.py
    def test_first(rows):
        assert «names(rows)»[0] == "ink"
TypeError: 'map' object is not subscriptable
beside shop.py
    def names(rows):
        return map(str.title, rows)
in shop.py
    def names(rows):
        return list(map(str.title, rows))

source: an iterator that is used up
    def spread(rows):
        sizes = (row.size for row in rows)
        low = min(sizes)
        return «max(sizes)» - low
ValueError: max() arg is an empty sequence
where sizes: generator
    def spread(rows):
        sizes = [row.size for row in rows]
        low = min(sizes)
        return max(sizes) - low

entry: an argument that is used up
    def mean(values):
        \"\"\"The arithmetic mean.\"\"\"
        total = sum(values)
        return total / «len([*values])»
ZeroDivisionError: division by zero
where values: generator
    def mean(values):
        \"\"\"The arithmetic mean.\"\"\"
        values = list(values)
        total = sum(values)
        return total / len([*values])

not any: nothing was used up
    def spread(rows):
        return «max(rows)»
ValueError: max() arg is an empty sequence
where rows: list = []

not any: it is used once
    def largest(sizes):
        return «max(sizes)»
ValueError: max() arg is an empty sequence
where sizes: generator

not any: a set has no order to take an item from
    def first(names):
        return «names»[0]
TypeError: 'set' object is not subscriptable

not any: a generator function is called by a test
in tests/test_shop.py
    def test_first(rows):
        assert «names(rows)»[0] == "ink"
TypeError: 'generator' object is not subscriptable
beside shop.py
    def names(rows):
        for row in rows:
            yield row.name

not any: two functions have the name
in tests/test_shop.py
    def test_first(rows):
        assert «names(rows)»[0] == "ink"
TypeError: 'map' object is not subscriptable
beside shop.py
    def names(rows):
        return map(str, rows)
beside store.py
    def names(rows):
        return map(repr, rows)

not any: the iterator is another one's
    def largest(sizes, others):
        return «max(others)»
ValueError: max() arg is an empty sequence
where sizes: generator
where others: list = []
"""
)
