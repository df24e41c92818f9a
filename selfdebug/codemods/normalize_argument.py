"""NormalizeArgument: a function that works on many items was given one of them."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence
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
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._insert import above, statements
from selfdebug.codemods._names import bound, code_of
from selfdebug.codemods._operands import bad
from selfdebug.codemods._passing import calling, calls_at, last_of
from selfdebug.codemods._place import first_statement, is_parameter, place
from selfdebug.codemods._signature import Signature, signature
from selfdebug.model import Site
from selfdebug.syntax.modules import Module, definitions, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_PROMISED = Variant(
    "promised", "root-cause", "make a list of one item, as the annotation says", branch="entry"
)
_CALLER = Variant("caller", "root-cause", "pass a list of the one item", growth=0, prior=0.4)
_ONE = Variant(
    "one-item",
    "guard",
    "make a list of one item at the function's entry",
    prior=0.25,
    branch="entry",
)
_MANY = re.compile(r"\b(?:list|tuple|set|frozenset|List|Tuple|Set|Sequence|Iterable|Collection)\b")
_FAILS = (
    r"^'(?P<type>[\w.]+)' object is not (?:iterable|subscriptable)$",
    r"^object of type '(?P<type>[\w.]+)' has no len\(\)$",
)
_NO_ITEMS = frozenset(
    (
        *("NoneType", "bool", "type", "function", "method", "builtin_function_or_method"),
        *("coroutine", "generator", "map", "filter", "zip", "dict_keys", "dict_values", "set"),
    )
)


class NormalizeArgument(Codemod):
    """Make a list of the one item that a caller gave: where it is passed, or at the function's entry."""

    DESCRIPTION = "Take one item where a function works on many."
    NAME = "normalize-argument"
    ANSWERS = (Answer(("TypeError",), "|".join(_FAILS).replace("?P<type>", "")),)
    VARIANTS = (_PROMISED, _CALLER, _ONE)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the function at the site, and the call that led there where it takes only many."""
        if project.is_test_file(site.file):
            return
        here = target_at(site, project)
        yield here
        if any(variant is not _PROMISED for variant, _, _ in _forms(here)):
            yield from calling(site, project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the function with a statement at its top that wraps the item, or its caller."""
        forms = _forms if target.site.bad else _passed
        yield from rewritten(target.tree, forms(target))


def _passed(target: Target) -> Iterator[Form]:
    """Pass a list of the item for the parameter that was bad."""
    tree, name = target.tree, target.site.bad_code or ""
    for call in calls_at(target):
        called = last_of(call.func)
        found = [*definitions(called, target.project)]
        takes = signature(found[0]) if len(found) == 1 else None
        arg = _given_for(name, takes, call.args) if takes else None
        if arg is not None:
            change = replaced(tree, arg.value, lambda old: expression("[OLD]", OLD=old))
            yield _CALLER, change, f"`{called}` takes many as its `{name}`, and was given one"


def _given_for(name: str, takes: Signature, args: Sequence[cst.Arg]) -> cst.Arg | None:
    """Return the argument that falls on a parameter; None where a star may hold it."""
    if any(arg.star for arg in args):
        return None
    for arg, parameter in zip(args, takes.positional, strict=False):
        if arg.keyword is None and parameter == name:
            return arg
    return next((arg for arg in args if arg.keyword and arg.keyword.value == name), None)


def _kind(site: Site) -> str:
    """Return the class of the item that the message names."""
    found = next(filter(None, (re.search(each, site.message) for each in _FAILS)))
    return str(found["type"]).rpartition(".")[2]


def _forms(target: Target) -> Iterator[Form]:
    tree, site = target.tree, target.site
    kind = _kind(site)
    for node in bad(tree, site) if kind not in _NO_ITEMS else ():
        if not isinstance(node, cst.Name) or not is_parameter(tree, node):
            continue
        function = place(tree, node).function
        assert function is not None
        if node.value in bound(function.body):
            continue
        variant = _variant(function, node.value, kind)
        first = first_statement(function)
        if variant is not None and first is not None:
            test = _test(node.value, kind, read_module(site.file, target.project))
            why = f"`{node.value}` stands for many, and one {kind} was given"
            yield variant, _entry(tree, first, node.value, test), why


def _variant(function: cst.FunctionDef, name: str, kind: str) -> Variant | None:
    """Return the form for a parameter that is to be many, by its annotation or by its name."""
    params = function.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    annotation = next(each.annotation for each in every if each.name.value == name)
    if annotation is None:
        return _ONE if re.search(r"[^s]s$|(?:^|_)(?:list|items)$", name) else None
    outside = _outermost(code_of(annotation.annotation).strip("\"'"))
    if not _MANY.search(outside):
        return None
    return _PROMISED if re.search(rf"\b{re.escape(kind)}\b", outside) else replace(_ONE, prior=0.15)


def _outermost(annotation: str) -> str:
    """Return an annotation without what stands in brackets, but for those of unions."""
    union = re.fullmatch(r"(?:\w+\.)?(?:Union|Optional)\[(.*)\]", annotation, re.DOTALL)
    text = union[1] if union else annotation
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", text)) != text:
        text = shorter
    return text


def _test(name: str, kind: str, module: Module) -> str:
    """Ask for the class of the item by its name where the file knows it."""
    own = {each.qualname for each in module.definitions}
    known = kind in own or kind in module.imports or hasattr(builtins, kind)
    return f"isinstance({name}, {kind})" if known else f'not hasattr({name}, "__iter__")'


def _entry(tree: Tree, first: cst.CSTNode, name: str, test: str) -> Change:
    code = f"if {test}:\n    {name} = [{name}]\n"
    return above(tree, first, statements(tree, code, first))


NormalizeArgument.EXAMPLES = examples(
    """
one-item: one order for a function of orders
    from shop.order import Order

    def total(orders, rate=1):
        \"\"\"Add up what is to be paid.\"\"\"
        # cancelled ones too
        return sum(order.price for order in «orders») * rate
TypeError: 'Order' object is not iterable
    from shop.order import Order

    def total(orders, rate=1):
        \"\"\"Add up what is to be paid.\"\"\"
        if isinstance(orders, Order):
            orders = [orders]
        # cancelled ones too
        return sum(order.price for order in orders) * rate

one-item: a number, in a method
    class Chart:
        def plot(self, values):
            for value in «values»:
                self.draw(value)
TypeError: 'float' object is not iterable
    class Chart:
        def plot(self, values):
            if isinstance(values, float):
                values = [values]
            for value in values:
                self.draw(value)

one-item: a class that the file does not know
    def attach(message, files):
        message.size = len(«files»)
        for file in files:
            message.add(file)
TypeError: object of type 'PosixPath' has no len()
    def attach(message, files):
        if not hasattr(files, "__iter__"):
            files = [files]
        message.size = len(files)
        for file in files:
            message.add(file)

caller: a function of the project passes one to a function of many
    def send(members, text):
        for member in «members»:
            member.write(text)

    def remind(member, day):
        send(member, f"Rehearsal on {day}")
TypeError: 'Member' object is not iterable
called 6 send
    def send(members, text):
        for member in members:
            member.write(text)

    def remind(member, day):
        send([member], f"Rehearsal on {day}")

caller: by name
    def total(rate, prices):
        return rate * sum(price for price in «prices»)

    def fee(price):
        return total(1.1, prices=price)
TypeError: 'float' object is not iterable
called 5 total
    def total(rate, prices):
        return rate * sum(price for price in prices)

    def fee(price):
        return total(1.1, prices=[price])

not caller: the function is for one, too
    def mail(to: int | list[int]):
        return [send(number) for number in «to»]

    def remind(member):
        return mail(member.number)
TypeError: 'int' object is not iterable
called 5 mail

not caller: arguments that are unpacked
    def send(text, members):
        return [member.write(text) for member in «members»]

    def remind(*args):
        return send(*args)
TypeError: 'Member' object is not iterable
called 5 send

promised: the annotation allows both
    def mail(to: int | list[int]):
        return [send(number) for number in «to»]
TypeError: 'int' object is not iterable
    def mail(to: int | list[int]):
        if isinstance(to, int):
            to = [to]
        return [send(number) for number in to]

promised: a union of the older kind
    from typing import List, Union

    def mail(to: Union[int, List[int]]):
        return [send(number) for number in «to»]
TypeError: 'int' object is not iterable
    from typing import List, Union

    def mail(to: Union[int, List[int]]):
        if isinstance(to, int):
            to = [to]
        return [send(number) for number in to]

not promised: only many are allowed
    def mail(to: list[int]):
        return [send(number) for number in «to»]
TypeError: 'int' object is not iterable

not promised: another kind of item is allowed
    from typing import List, Union

    def mail(to: Union[str, List[int]]):
        return [send(number) for number in «to»]
TypeError: 'int' object is not iterable

not any: a name for one
    def path(node):
        return [step for step in «node»]
TypeError: 'Node' object is not iterable

not any: the annotation is about one
    def digits(numbers: int):
        return [digit for digit in «numbers»]
TypeError: 'int' object is not iterable

not any: a local variable
    def show(cart):
        orders = cart.open()
        for order in «orders»:
            print(order)
TypeError: 'Order' object is not iterable

not any: a parameter that is assigned
    def show(orders):
        orders = orders.open
        for order in «orders»:
            print(order)
TypeError: 'Order' object is not iterable

not any: None is no item
    def show(orders):
        for order in «orders»:
            print(order)
TypeError: 'NoneType' object is not iterable

not any: a method that was not called
    def show(orders):
        for order in «orders»:
            print(order)
TypeError: 'method' object is not iterable
"""
)
