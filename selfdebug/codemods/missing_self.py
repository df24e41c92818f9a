"""MissingSelf: an attribute or method of the object, read as if it were a variable."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import changed
from selfdebug.codemods._members import is_of_class, members
from selfdebug.codemods._rename import name_at, names_of
from selfdebug.syntax.bindings import Function, is_static
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.scopes import class_of, function_of, names_at, scopes_at

_OBJECT = Variant("object", "root-cause", "read it from the object", prior=0.9)
_CLASS = Variant("class", "root-cause", "read it from the class", prior=0.85)


class MissingSelf(Codemod):
    """Write ``self.``, ``cls.`` or the class before what belongs to it."""

    DESCRIPTION = "Read what belongs to the object or its class from there."
    NAME = "missing-self"
    ANSWERS = (
        Answer(("NameError",), r"name '\w+' is not defined", ("Name",)),
        Answer(("UnboundLocalError",), "", ("Name",)),
    )
    VARIANTS = (_OBJECT, _CLASS)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the one form in which a method can reach what its class or its object has."""
        tree, site = target.tree, target.site
        bad = name_at(tree, site.span)
        if bad is None:
            return
        module = read_module(site.file, target.project)
        function = function_of(scopes_at(module.tree, site.span)[::-1])
        owner = class_of(module.tree, function) if function else None
        if function is None or owner is None or not _is_free(module, target, bad.value):
            return
        variant, before = _reached_by(function, owner)
        spelling = f"{before}.{bad.value}"
        known = members(owner, module, of_class=variant is _CLASS)
        if before and (spelling in site.locals or bad.value in known):
            new = changed(
                tree,
                {
                    node: lambda name: cst.Attribute(cst.Name(before), name)
                    for node in names_of(tree, bad, bad.value)
                },
            )
            if new is not None:
                yield Rewrite(variant, new, f"`{bad.value}` is no variable; `{before}` has it")


def _is_free(module: Module, target: Target, name: str) -> bool:
    """Say whether a name stands for nothing at the place, or for a local that is only added to."""
    scopes = scopes_at(module.tree, target.site.span)
    if name not in scopes[0].names:
        return name not in names_at(module.tree, target.site.span)
    bad = name_at(target.tree, target.site.span)
    assert bad is not None
    added = (
        isinstance(target.tree.parents[n], cst.AugAssign) for n in names_of(target.tree, bad, name)
    )
    return any(added) and not any(
        isinstance(target.tree.parents[n], cst.AssignTarget | cst.AnnAssign | cst.Param)
        for n in names_of(target.tree, bad, name)
    )


def _reached_by(function: Function, owner: ast.ClassDef) -> tuple[Variant, str]:
    """Return what a method writes before a name of its object or class, "" where it has neither."""
    first = next(iter([*function.args.posonlyargs, *function.args.args]), None)
    if is_static(function):
        return _CLASS, owner.name
    if first is None:
        return _OBJECT, ""
    return (_CLASS if is_of_class(function) else _OBJECT), first.arg


MissingSelf.EXAMPLES = examples(
    """
object: an attribute that __init__ sets
    class Cart:
        def __init__(self, items):
            self.items = items

        def total(self):
            return sum(item.price for item in «items»)
NameError: name 'items' is not defined
    class Cart:
        def __init__(self, items):
            self.items = items

        def total(self):
            return sum(item.price for item in self.items)

object: a method that is called
    class Report:
        def rows(self):
            return [«format_row»(row) for row in self.data]

        def format_row(self, row):
            return ", ".join(row)
NameError: name 'format_row' is not defined
    class Report:
        def rows(self):
            return [self.format_row(row) for row in self.data]

        def format_row(self, row):
            return ", ".join(row)

object: wherever the method reads it
    class Timer:
        elapsed = 0

        def show(self):
            if «elapsed» > 60:  # seconds
                return f"{elapsed // 60} min"
            return f"{elapsed} s"
NameError: name 'elapsed' is not defined
    class Timer:
        elapsed = 0

        def show(self):
            if self.elapsed > 60:  # seconds
                return f"{self.elapsed // 60} min"
            return f"{self.elapsed} s"

object: a count that is added to
    class Counter:
        def __init__(self):
            self.hits = 0

        def record(self):
            «hits» += 1
            return hits
UnboundLocalError: cannot access local variable 'hits' where it is not associated with a value
    class Counter:
        def __init__(self):
            self.hits = 0

        def record(self):
            self.hits += 1
            return self.hits

object: what a base in another file sets
    from shop.base import Store

    class Basket(Store):
        def first(self):
            return «records»[0]
NameError: name 'records' is not defined
beside shop/base.py
    class Store:
        def __init__(self):
            self.records = []
in shop.py
    from shop.base import Store

    class Basket(Store):
        def first(self):
            return self.records[0]

object: what only the live object shows
    class Page:
        def title(self):
            return «heading».upper()
NameError: name 'heading' is not defined
where self.heading: str = 'Home'
    class Page:
        def title(self):
            return self.heading.upper()

object: in a function inside the method
    class Queue:
        def __init__(self):
            self.jobs = []

        def sorter(self):
            return lambda job: «jobs».index(job)
NameError: name 'jobs' is not defined
    class Queue:
        def __init__(self):
            self.jobs = []

        def sorter(self):
            return lambda job: self.jobs.index(job)

class: a class variable read by a class method
    class Settings:
        DEFAULTS = {}

        @classmethod
        def load(cls):
            return cls(«DEFAULTS»)
NameError: name 'DEFAULTS' is not defined
    class Settings:
        DEFAULTS = {}

        @classmethod
        def load(cls):
            return cls(cls.DEFAULTS)

class: a static method has the class's name only
    class Money:
        PRECISION = 2

        @staticmethod
        def rounded(value):
            return round(value, «PRECISION»)
NameError: name 'PRECISION' is not defined
    class Money:
        PRECISION = 2

        @staticmethod
        def rounded(value):
            return round(value, Money.PRECISION)

not any: the class has no such thing
    class Cart:
        def total(self):
            return sum(«items»)
NameError: name 'items' is not defined

not any: a function of no class
    def total(cart):
        return sum(«items»)
NameError: name 'items' is not defined

not any: a local that is set up on some paths
    class Cart:
        def __init__(self):
            self.total = 0

        def sum(self, items):
            if items:
                total = sum(items)
            return «total»
UnboundLocalError: cannot access local variable 'total' where it is not associated with a value

not any: the method has no object to read it from
    class Cart:
        items = []

        def total():
            return sum(«items»)
NameError: name 'items' is not defined

not any: only another class has it
    class Cart:
        def total(self):
            return sum(«items»)

    class Order:
        def __init__(self, items):
            self.items = items
NameError: name 'items' is not defined

not any: the function of another class inside
    class Cart:
        items = []

        class Line:
            def total(self):
                return sum(«items»)
NameError: name 'items' is not defined

not any: a parameter of that name is deleted
    class Cart:
        def __init__(self, items):
            self.items = items

        def replace(self, items):
            del items
            return «items»
UnboundLocalError: cannot access local variable 'items' where it is not associated with a value

not any: only objects have it, and there is none
    class Money:
        def __init__(self):
            self.amount = 0

        @staticmethod
        def rounded():
            return round(«amount»)
NameError: name 'amount' is not defined

not any: only objects have it, not the class
    class Money:
        def __init__(self):
            self.amount = 0

        @classmethod
        def rounded(cls):
            return round(«amount»)
NameError: name 'amount' is not defined
"""
)
