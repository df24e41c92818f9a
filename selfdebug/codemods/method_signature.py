"""MethodSignature: a method is defined without the parameter that Python passes first."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._defined import defined_at, functions_on, named_in, target_in
from selfdebug.codemods._edit import Change
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._names import dotted, identifiers
from selfdebug.model import Site
from selfdebug.syntax.bindings import FUNCTIONS
from selfdebug.syntax.modules import Definition, read_module
from selfdebug.syntax.project import Project

_SELF = Variant("self", "root-cause", "give the method its first parameter", prior=0.9)
_STATIC = Variant("static", "root-cause", "make the method static", prior=0.4)
_BOUND = Variant("bound", "root-cause", "bind the method, which has a self", prior=0.8)

_FIRST = ("self", "cls", "mcs", "_")


class MethodSignature(Codemod):
    """Give a method its ``self`` or ``cls``, or make it static where it uses neither."""

    DESCRIPTION = "Define methods with the parameter that they are called with."
    NAME = "method-signature"
    ANSWERS = (
        Answer(("TypeError",), r"\(\) takes (?:from \d+ to )?\d+ positional arguments? but \d+ "),
        Answer(("TypeError",), r"\(\) got multiple values for argument '"),
        Answer(("TypeError",), r"\(\) missing 1 required positional argument: '"),
        Answer(("NameError",), r"name '(?:self|cls)' is not defined"),
    )
    VARIANTS = (_SELF, _STATIC, _BOUND)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the method that the message names, or that the failing line is in."""
        found = _method(site, project)
        if found is not None and isinstance(found.node, FUNCTIONS) and found.owner is not None:
            yield target_in(found.node, found.module, site, project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the method with another first parameter or decorator."""
        function = defined_at(target.tree, target.site.span.line)
        if function is not None:
            yield from rewritten(target.tree, _redefined(function, target))


def _method(site: Site, project: Project) -> Definition | None:
    if site.exc_type != "NameError":
        return named_in(site.message, project)
    module = read_module(site.file, project)
    inside = functions_on(module, site.span.line)[-1:]
    return next((each for each in module.definitions if each.node in inside), None)


def _redefined(function: cst.FunctionDef, target: Target) -> Iterator[Form]:
    name, message = function.name.value, target.site.message
    decorators = {dotted(each.decorator) for each in function.decorators}
    every = (*function.params.posonly_params, *function.params.params)
    first = every[0].name.value if every else ""
    if "missing" in message:
        if "staticmethod" in decorators and first == "self":
            yield _BOUND, _without(function, "staticmethod"), f"`{name}` has a `self`"
        return
    if first in _FIRST or "staticmethod" in decorators or name == "__new__":
        return
    if "takes" in message and not _is_one_too_many(message):
        return
    new = "cls" if "classmethod" in decorators or name == "__init_subclass__" else "self"
    yield _SELF, _with_first(function, new), f"`{name}` is a method, but has no `{new}`"
    if new not in identifiers(function.body) and not decorators and _is_asked_of_class(target):
        yield _STATIC, _with_decorator(function), f"`{name}` uses nothing of its object"


def _is_one_too_many(message: str) -> bool:
    found = re.search(r"takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) ", message)
    return found is not None and int(found[2]) == int(found[1]) + 1


def _with_first(function: cst.FunctionDef, name: str) -> Change:
    params = function.params
    slot = "posonly_params" if params.posonly_params else "params"

    def put(updated: cst.Parameters) -> cst.Parameters:
        return updated.with_changes(**{slot: [cst.Param(cst.Name(name)), *getattr(updated, slot)]})

    return {params: put}


def _with_decorator(function: cst.FunctionDef) -> Change:
    static = cst.Decorator(cst.Name("staticmethod"))
    return {function: lambda updated: updated.with_changes(decorators=[static])}


def _without(function: cst.FunctionDef, name: str) -> Change:
    def drop(updated: cst.FunctionDef) -> cst.FunctionDef:
        kept = [each for each in updated.decorators if dotted(each.decorator) != name]
        return updated.with_changes(decorators=kept)

    return {function: drop}


def _is_asked_of_class(target: Target) -> bool:
    """Say whether the files of the failure call the method on its class, without an object."""
    site, project = target.site, target.project
    found = _method(site, project)
    if found is None or found.owner is None:
        return False
    call = re.compile(rf"\b{found.owner.name}\.{found.node.name}\(".encode())
    files = {site.file, *(path for each in site.callers for path in project.resolve(each.file))}
    return any(call.search(project.data(path)) for path in files)


MethodSignature.EXAMPLES = examples(
    """
self: a method without parameters
    class Cart:
        def empty():
            return []

    def reset(cart):
        return «cart.empty()»
TypeError: Cart.empty() takes 0 positional arguments but 1 was given
    class Cart:
        def empty(self):
            return []

    def reset(cart):
        return cart.empty()

self: a test calls the method; there are defaults
in tests/test_shop.py
    def test_discount(cart):
        assert «cart.discount(3, 4)» == 7
TypeError: Cart.discount() takes from 1 to 2 positional arguments but 3 were given
beside shop.py
    class Cart:
        def discount(rate, floor=0):  # in percent
            return rate + floor
in shop.py
    class Cart:
        def discount(self, rate, floor=0):  # in percent
            return rate + floor

self: an argument by its name
    class Image:
        def scale(factor):
            return factor * 2

    def double(image):
        return «image.scale(factor=2)»
TypeError: Image.scale() got multiple values for argument 'factor'
    class Image:
        def scale(self, factor):
            return factor * 2

    def double(image):
        return image.scale(factor=2)

self: a class method
    class Config:
        @classmethod
        def load(path):
            return path

    def start(path):
        return «Config.load(path)»
TypeError: Config.load() takes 1 positional argument but 2 were given
    class Config:
        @classmethod
        def load(cls, path):
            return path

    def start(path):
        return Config.load(path)

self: its body asks for what it does not get
    class Cart:
        def total(rate):
            return sum(«self».prices) * rate
NameError: name 'self' is not defined
    class Cart:
        def total(self, rate):
            return sum(self.prices) * rate

static: it is called on the class elsewhere
    class Text:
        def slug(title):
            return title.lower()

    def address(text, title):
        return «text.slug(title)» + Text.slug(title)
TypeError: Text.slug() takes 1 positional argument but 2 were given
    class Text:
        @staticmethod
        def slug(title):
            return title.lower()

    def address(text, title):
        return text.slug(title) + Text.slug(title)

bound: a static method with a self
    class Cart:
        @staticmethod
        def count(self):
            return len(self.items)

    def size(cart):
        return «cart.count()»
TypeError: Cart.count() missing 1 required positional argument: 'self'
    class Cart:
        def count(self):
            return len(self.items)

    def size(cart):
        return cart.count()

not any: it has a self, and got too much
    class Cart:
        def add(self, item):
            self.items.append(item)

    def buy(cart, item):
        «cart.add(item, 1)»
TypeError: Cart.add() takes 2 positional arguments but 3 were given

not any: a function gets no self
    def total(prices):
        return sum(prices)

    def due(prices):
        return «total(prices, 1)»
TypeError: total() takes 1 positional argument but 2 were given

not any: a static method
    class Text:
        @staticmethod
        def slug(title):
            return title.lower()

    def address(text, title):
        return «text.slug(title, 1)»
TypeError: Text.slug() takes 1 positional argument but 2 were given

not any: two more than it takes
    class Text:
        def slug(title):
            return title.lower()

    def address(text, title):
        return «text.slug(title, 1)»
TypeError: Text.slug() takes 1 positional argument but 3 were given

not static: nobody calls it on the class
    class Cart:
        def empty():
            return []

    def reset(cart):
        return «cart.empty()»
TypeError: Cart.empty() takes 0 positional arguments but 1 was given

not any: an inner function is no method
    def total(prices):
        def rounded(price):
            return round(price, «self».digits)
        return sum(map(rounded, prices))
NameError: name 'self' is not defined
"""
)
