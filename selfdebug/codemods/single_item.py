"""SingleItem: an item stood where a sequence is needed, or a sequence where an item is."""

from __future__ import annotations

import ast
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
from selfdebug.codemods._edit import Change, expression, named, putting, replaced
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._names import dotted
from selfdebug.codemods._operands import bad, of_type, sides, type_of
from selfdebug.model import Site, Span
from selfdebug.syntax.bindings import FUNCTIONS, assigned, nested
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_RANGE = Variant("range", "root-cause", "count up to the number", prior=0.8)
_APPEND = Variant("append", "root-cause", "add the item, which is no list of items", prior=0.8)
_LIST = Variant("list", "root-cause", "put the item into a list of its own", prior=0.7)
_SAME = Variant("same", "root-cause", "make both sides of one kind", prior=0.7)
_SPREAD = Variant("spread", "root-cause", "take the items of both sides", prior=0.4)
_COMMA = Variant("comma", "root-cause", "take away the comma that made a tuple", prior=0.9)

_ADDS = {"extend": "append", "update": "add", "extendleft": "appendleft"}
_TUPLE = frozenset({"tuple"})
_NO_ITEMS = frozenset(("NoneType", "method", "function", "generator", "map", "filter"))
_NOT_ITERABLE = r"'(?P<type>[\w.]+)' object is not iterable"
_CONCATENATED = r'can only concatenate (?P<left>list|tuple) \(not "(?P<right>[\w.]+)"\) to'
_OF_TUPLE = (
    r"'tuple' object|'tuple' and '|and 'tuple'|\(not \"tuple\"\) to str|not tuple|not 'tuple'|"
    r"non-int of type 'float'"
)


class SingleItem(Codemod):
    """Give a sequence where a sequence is needed, and an item where an item is."""

    DESCRIPTION = "Tell an item from a sequence of items."
    NAME = "single-item"
    ANSWERS = (
        Answer(("TypeError",), rf"{_NOT_ITERABLE}|{_CONCATENATED}"),
        Answer(("TypeError", "AttributeError"), _OF_TUPLE),
    )
    VARIANTS = (_RANGE, _APPEND, _LIST, _SAME, _SPREAD, _COMMA)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the code at the site, and the assignments of the file that give what was a tuple."""
        here = target_at(site, project)
        if project.is_test_file(site.file):
            return
        if not re.search(_OF_TUPLE, site.message):
            yield here
            return
        named = [*of_type(here.tree, site, _TUPLE)]
        for node in named or (sides(here.tree, site) or ()):
            if node in named or type_of(site, node) == "tuple":
                yield from _assignments(dotted(node) or "", site, project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the code with a sequence for the item, or the reverse."""
        yield from rewritten(target.tree, _forms(target.tree, target.site))


def _assignments(name: str, site: Site, project: Project) -> Iterator[Target]:
    """Yield the assignments of a dotted name in the site's file, each as a site of its own."""
    module = read_module(site.file, project)
    for stmt in _statements(module.tree.body) if name else ():
        if assigned(stmt, name) is not None:
            span = Span(stmt.lineno, 0, stmt.lineno, 0)
            there = replace(site, span=span, bad=None, node="Assign")
            yield Target(target_at(there, project).tree, there, project)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield all statements of a block, also those inside functions and classes."""
    for stmt in nested(body):
        yield stmt
        if isinstance(stmt, (*FUNCTIONS, ast.ClassDef)):
            yield from _statements(stmt.body)


def _forms(tree: Tree, site: Site) -> Iterator[Form]:
    if re.search(_OF_TUPLE, site.message):
        yield from _stray_commas(tree, site.span.line)
    elif match := re.search(_CONCATENATED, site.message):
        yield from _added(tree, site, match)
    elif match := re.search(_NOT_ITERABLE, site.message):
        yield from _not_iterable(tree, site, match["type"])


def _stray_commas(tree: Tree, line: int) -> Iterator[Form]:
    for node in tree.ranges:
        match node:
            case cst.Assign(value=cst.Tuple(elements=[cst.Element() as element], lpar=[]) as value):
                if tree.span(node).line == line:
                    item = element.value
                    change: Change = {value: putting(item)}
                    why = f"the comma behind `{tree.code(item)}` makes a tuple of it"
                    yield _COMMA, change, why


def _added(tree: Tree, site: Site, match: re.Match[str]) -> Iterator[Form]:
    """Make a list of what is added to one, or let the list grow by an item."""
    operands, (left, right) = sides(tree, site), (match["left"], match["right"].rpartition(".")[2])
    if operands is None or right in _NO_ITEMS:
        return
    _, item = operands
    code = tree.code(item)
    if right in {"list", "tuple", "set", "deque"}:
        change = replaced(tree, item, lambda new: expression(f"{left}(OLD)", OLD=new))
        yield _SAME, change, f"`{code}` is a {right}, and is added to a {left}"
        # A list can do whatever a tuple can, and what the code may do with it later.
        for kind in ("list", "tuple"):
            spread = _spread(tree, operands, kind)
            if spread:
                yield _SPREAD, spread, f"`{code}` is a {right} here, and may be a {left} elsewhere"
    else:
        form = "[OLD]" if left == "list" else "(OLD,)"
        change = replaced(tree, item, lambda new: expression(form, OLD=new))
        yield _LIST, change, f"`{code}` is an item, and is added to a {left}"


def _spread(
    tree: Tree, operands: tuple[cst.BaseExpression, cst.BaseExpression], kind: str
) -> Change | None:
    """Return the change that puts the items of both sides into a new sequence, whatever these are."""
    form = {"list": "[*LEFT, *RIGHT]", "tuple": "(*LEFT, *RIGHT)"}.get(kind)
    whole = tree.parents[operands[1]]
    if form is None or not isinstance(whole, cst.BinaryOperation):
        return None

    def make(old: cst.BinaryOperation) -> cst.BaseExpression:
        return expression(form, LEFT=old.left, RIGHT=old.right)

    return replaced(tree, whole, make)


def _not_iterable(tree: Tree, site: Site, kind: str) -> Iterator[Form]:
    if kind == "NoneType":
        return
    for node in tree.at(site.span):
        match node:
            case cst.AugAssign(target=target, operator=cst.AddAssign(), value=value):
                yield from _grown(tree, site, node, target, value)
                return
            case cst.Call(func=cst.Attribute(attr=attr), args=[cst.Arg(star="")]):
                if attr.value in _ADDS:
                    why = f"`{attr.value}` takes a list, and got a value of type {kind}"
                    yield _APPEND, named(tree, attr, _ADDS[attr.value]), why
                return
    if kind == "int":
        for node in bad(tree, site):
            yield from _counted(tree, node)


def _grown(
    tree: Tree,
    site: Site,
    statement: cst.AugAssign,
    target: cst.BaseExpression,
    value: cst.BaseExpression,
) -> Iterator[Form]:
    """Append to a list where ``+=`` would go through the item."""
    if type_of(site, target) in {"", "list"}:
        call = cst.Call(cst.Attribute(target, cst.Name("append")), [cst.Arg(value)])
        change: Change = {statement: lambda old: cst.Expr(call, semicolon=old.semicolon)}
        yield _APPEND, change, f"`{tree.code(value)}` is an item, not a list of items"


def _counted(tree: Tree, node: cst.BaseExpression) -> Iterator[Form]:
    """Count up to a number that is looped over."""
    loop = tree.parents[node]
    if isinstance(loop, cst.For | cst.CompFor) and loop.iter is node:
        change = replaced(tree, node, lambda new: expression("range(OLD)", OLD=new))
        yield _RANGE, change, f"`{tree.code(node)}` is a number, to which the loop counts"


SingleItem.EXAMPLES = examples(
    """
range: a loop over a length
    def numbered(lines):
        for number in «len(lines)»:  # from 0
            print(number, lines[number])
TypeError: 'int' object is not iterable
    def numbered(lines):
        for number in range(len(lines)):  # from 0
            print(number, lines[number])

range: a comprehension
    def blanks(count):
        return ["" for _ in «count»]
TypeError: 'int' object is not iterable
    def blanks(count):
        return ["" for _ in range(count)]

append: one item for extend
    def add(self, order):
        «self.orders.extend(order)»
TypeError: 'Order' object is not iterable
    def add(self, order):
        self.orders.append(order)

append: one item behind +=
    def collect(rows):
        sizes = []
        for row in rows:
            «sizes += row.size»
        return sizes
TypeError: 'int' object is not iterable
    def collect(rows):
        sizes = []
        for row in rows:
            sizes.append(row.size)
        return sizes

list: one item in a sum of lists
    def path(parents, name):
        return «parents + name»
TypeError: can only concatenate list (not "str") to list
    def path(parents, name):
        return parents + [name]

same: a tuple behind a list
    def columns(row, extra):
        return «row.names + extra»
TypeError: can only concatenate list (not "tuple") to list
    def columns(row, extra):
        return row.names + list(extra)

spread: either side may be a list or a tuple
    def columns(row, extra):
        return «row.names + extra.names»  # in order
TypeError: can only concatenate tuple (not "list") to tuple
    def columns(row, extra):
        return [*row.names, *extra.names]  # in order

not spread: the list itself grows
    def add(names, extra):
        «names += extra»
TypeError: can only concatenate list (not "tuple") to list

comma: a constant that became a tuple
    DELIVERY = 350,  # cents

    def total(net):
        return «net + DELIVERY»
TypeError: unsupported operand type(s) for +: 'int' and 'tuple'
    DELIVERY = 350  # cents

    def total(net):
        return net + DELIVERY

comma: a rate that became a tuple
    RATE = 0.19,

    def tax(net):
        return «net * RATE»
TypeError: can't multiply sequence by non-int of type 'float'
where RATE: tuple = (0.19,)
    RATE = 0.19

    def tax(net):
        return net * RATE

comma: an attribute that became a tuple
    class Cart:
        def __init__(self, owner):
            self.owner = owner,
            self.items = []

        def label(self):
            return «self.owner».title()
AttributeError: 'tuple' object has no attribute 'title'
    class Cart:
        def __init__(self, owner):
            self.owner = owner
            self.items = []

        def label(self):
            return self.owner.title()

not any: a tuple that is meant
    SIZE = (3,)

    def area(width):
        return «width - SIZE»
TypeError: unsupported operand type(s) for -: 'float' and 'tuple'

not any: an object is no number to count to
    def names(order):
        for line in «order»:
            print(line)
TypeError: 'Order' object is not iterable

not any: the sum of a number
    def total(price):
        return sum(«price»)
TypeError: 'int' object is not iterable

not any: None has an origin
    def path(parents, name):
        return «parents + name»
TypeError: can only concatenate list (not "NoneType") to list

not any: a dictionary grows
    def add(prices, name):
        «prices += name»
TypeError: 'int' object is not iterable
where prices: dict = {}

not any: an argument of many
    def add(names, extra):
        «names.extend(*extra)»
TypeError: 'int' object is not iterable

not any: two items are meant
    SIZE = 3, 4

    def area(width):
        return «width - SIZE»
TypeError: unsupported operand type(s) for -: 'int' and 'tuple'

not any: a float is nothing to count to
    def names(size):
        for each in «size»:
            print(each)
TypeError: 'float' object is not iterable
"""
)
