"""WrongVariable: one variable written for another, whose value has what is asked of it."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import changed
from selfdebug.codemods._library import library_module
from selfdebug.codemods._members import members
from selfdebug.codemods._near import likeness
from selfdebug.codemods._rename import name_at, names_of
from selfdebug.model import Value
from selfdebug.syntax.modules import definitions, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.scopes import names_at, scopes_at

_ALIKE = Variant("alike", "root-cause", "use the variable of nearly the same name", prior=0.75)
_UNUSED = Variant("unused", "root-cause", "use the variable that nothing reads", prior=0.5)
_ATTRIBUTE = r"'(?P<type>[\w.]+)' object has no attribute '(?P<name>\w+)'"
_NEEDS = {
    "is not iterable": "__iter__",
    "is not subscriptable": "__getitem__",
    "has no len": "__len__",
    "is not callable": "__call__",
}
_LEAST = 0.7  # how alike two names must be


class WrongVariable(Codemod):
    """Use the variable of the function that is meant: a list's item for the list, and the like."""

    DESCRIPTION = "Use the variable whose value fits."
    NAME = "wrong-variable"
    ANSWERS = (
        Answer(("AttributeError",), _ATTRIBUTE, ("Attribute",)),
        Answer(("TypeError",), rf"object (?:of type )?.*(?:{'|'.join(_NEEDS)})"),
    )
    VARIANTS = (_ALIKE, _UNUSED)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the variables that fit: those of a like name, then one that nothing else reads."""
        tree, site = target.tree, target.site
        bad = name_at(tree, site.bad)
        wanted = _wanted(site.message)
        if bad is None or wanted is None or bad.value in ("self", "cls"):
            return
        module = read_module(site.file, target.project)
        own = scopes_at(module.tree, site.span)[0].names
        known = [name for name in names_at(module.tree, site.span) if name in own]
        fitting = [
            name
            for name in known
            if name != bad.value and _fits(name, wanted, site.locals, target.project)
        ]
        alike = {name: likeness(bad.value, name) for name in fitting}
        unused = [name for name in fitting if len(names_of(tree, bad, name)) == 1]
        for name in sorted(fitting, key=lambda each: -alike[each]):
            if alike[name] >= _LEAST:
                yield from _instead(target, bad, name, _ALIKE, wanted)
            elif [name] == unused:
                yield from _instead(target, bad, name, _UNUSED, wanted)


def _instead(
    target: Target, bad: cst.Name, name: str, variant: Variant, wanted: str
) -> Iterator[Rewrite]:
    new = changed(target.tree, {bad: lambda node: node.with_changes(value=name)})
    if new is not None:
        yield Rewrite(variant, new, f"`{name}` has `{wanted}`, `{bad.value}` has not")


def _wanted(message: str) -> str | None:
    """Return the attribute that the value must have."""
    found = re.search(_ATTRIBUTE, message)
    if found is not None:
        return found["name"]
    return next((name for words, name in _NEEDS.items() if words in message), None)


def _fits(name: str, wanted: str, values: Mapping[str, Value], project: Project) -> bool:
    """Say whether a variable's value is seen, live or by its class, to have an attribute."""
    if f"{name}.{wanted}" in values:
        return True
    value = values.get(name)
    return value is not None and value.type != "NoneType" and wanted in _has(value.type, project)


def _has(type_name: str, project: Project) -> frozenset[str]:
    module, _, name = type_name.rpartition(".")
    # A class of ``io`` is called by the module that is written in C.
    kind = getattr(library_module(module.lstrip("_")) if module else builtins, name, None)
    if isinstance(kind, type):
        return frozenset(dir(kind))
    for each in definitions(name, project):
        if isinstance(each.node, ast.ClassDef):
            return members(each.node, each.module)
    return frozenset()


WrongVariable.EXAMPLES = examples(
    """
alike: the list for its item
    def total(orders):
        amount = 0
        for order in orders:
            amount += «orders».amount
        return amount
AttributeError: 'list' object has no attribute 'amount'
where orders: list = [<shop.Order>]
where order: shop.Order
where order.amount: int = 3
    def total(orders):
        amount = 0
        for order in orders:
            amount += order.amount
        return amount

alike: an item for the list
    def show(line, lines):
        print(line.upper(), len(lines))
        return [each.strip() for each in «line»]
TypeError: 'Line' object is not iterable
where line: shop.Line
where lines: list = ['a']
    def show(line, lines):
        print(line.upper(), len(lines))
        return [each.strip() for each in lines]

alike: a class of the project shows what its objects have
    class Customer:
        def __init__(self, name):
            self.name = name

        def label(self): ...

    def greet(customer, customer_id):
        return "Dear " + «customer_id».label()
AttributeError: 'int' object has no attribute 'label'
where customer: shop.Customer
where customer_id: int = 7
    class Customer:
        def __init__(self, name):
            self.name = name

        def label(self): ...

    def greet(customer, customer_id):
        return "Dear " + customer.label()

unused: the parameter that nothing reads
    def save(path, text):
        with open(path, "w") as file:
            «path».write(text)
AttributeError: 'str' object has no attribute 'write'
where path: str = 'a.txt'
where text: str = 'hello'
where file: _io.TextIOWrapper
    def save(path, text):
        with open(path, "w") as file:
            file.write(text)

unused: text where a list is held too
    def count(name, given):
        «name».append(3)
        return name
AttributeError: 'str' object has no attribute 'append'
where name: str = 'a'
where given: list = []
    def count(name, given):
        given.append(3)
        return name

not any: no variable has the attribute
    def total(orders, name):
        return «orders».amount
AttributeError: 'list' object has no attribute 'amount'
where orders: list = []
where name: str = 'a'

not any: a variable that others read under another name
    def total(orders, basket):
        print(basket.amount)
        return «orders».amount
AttributeError: 'list' object has no attribute 'amount'
where orders: list = []
where basket: shop.Basket
where basket.amount: int = 2

not any: two variables that nothing reads
    def total(orders, basket, cart):
        return «orders».amount
AttributeError: 'list' object has no attribute 'amount'
where basket: shop.Basket
where basket.amount: int = 2
where cart: shop.Basket
where cart.amount: int = 2

not any: the variable gets its value only below
    def total(orders):
        amount = «orders».amount
        order = orders[0]
        return amount + order.amount
AttributeError: 'list' object has no attribute 'amount'
where orders: list = []

not any: an object is what it is
    class Cart:
        def total(self, other):
            return «self».amount
AttributeError: 'Cart' object has no attribute 'amount'
where other: shop.Basket
where other.amount: int = 2
"""
)
