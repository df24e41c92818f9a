"""NormalizeArgument: a function that works on many items was given one of them."""

from __future__ import annotations

import builtins
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
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._insert import above, statements
from selfdebug.codemods._names import bound, code_of
from selfdebug.codemods._operands import bad
from selfdebug.codemods._passing import calling, calls_at, last_of
from selfdebug.codemods._place import first_statement, is_parameter, place
from selfdebug.codemods._signature import argument_for, signature
from selfdebug.model import Site, Span
from selfdebug.syntax.modules import Module, definitions, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_PROMISED = Variant(
    "promised", "root-cause", "make a list of one item, as the annotation says", branch="entry"
)
_CALLER = Variant("caller", "root-cause", "pass a list of the one item", growth=0, prior=0.4)
_PIECES = Variant(
    "pieces",
    "root-cause",
    "make a list of one item that was taken apart",
    prior=0.4,
    branch="entry",
)
_ONE = Variant(
    "one-item",
    "guard",
    "make a list of one item at the function's entry",
    prior=0.25,
    branch="entry",
)
_REACH = 4  # frames
_MANY = re.compile(r"\b(?:list|tuple|set|frozenset|List|Tuple|Set|Sequence|Iterable|Collection)\b")
_FAILS = (
    r"^'(?P<type>[\w.]+)' object is not (?:iterable|subscriptable)$",
    r"^object of type '(?P<type>[\w.]+)' has no len\(\)$",
)
_OF_PIECE = (
    r"^'str' object has no attribute|^string indices must be integers|"
    r"^'int' object (?:has no attribute|is not subscriptable)"
)
"""How the characters of a text, the keys of a dictionary or the bytes of bytes fail as items."""
_APART = frozenset(("dict", "str", "bytes"))
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
    ANSWERS = (
        Answer(("TypeError",), "|".join(_FAILS).replace("?P<type>", "")),
        Answer(("TypeError", "AttributeError"), _OF_PIECE),
    )
    VARIANTS = (_PROMISED, _CALLER, _PIECES, _ONE)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the function at the site, and the call that led there where it takes only many."""
        if project.is_test_file(site.file):
            return
        here = target_at(site, project)
        if re.search(_OF_PIECE, site.message):
            yield from _going_through(site, project)
            return
        yield here
        if any(variant is not _PROMISED for variant, _, _ in _forms(here)):
            yield from calling(site, project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the function with a statement at its top that wraps the item, or its caller."""
        apart = target.site.bad is None and not target.site.node
        forms = _taken_apart if apart else _forms if target.site.bad else _passed
        yield from rewritten(target.tree, forms(target))


def _going_through(site: Site, project: Project) -> Iterator[Target]:
    """Yield the functions on the way whose loop goes through one of their parameters, inside out."""
    frames = [(site.file, site.span.line, site.locals)]
    frames += [
        (path, frame.line, frame.locals)
        for frame in reversed(site.callers)
        for path in project.resolve(frame.file)
    ]
    for path, line, values in frames[:_REACH]:
        kinds = {name: value for name, value in values.items() if value.type in _APART}
        if kinds and not project.is_test_file(path):
            span = Span(line, 0, line, 0)
            there = replace(site, file=path, span=span, bad=None, node="", locals=kinds)
            yield Target(target_at(there, project).tree, there, project)


def _taken_apart(target: Target) -> Iterator[Form]:
    """Make a list of the one item of a parameter, where a loop took it apart."""
    tree, site = target.tree, target.site
    for node in tree.ranges:
        if not isinstance(node, cst.For | cst.CompFor):
            continue
        items, holder = node.iter, tree.parents[node] if isinstance(node, cst.CompFor) else node
        span = tree.span(holder)
        seen = site.locals.get(items.value) if isinstance(items, cst.Name) else None
        if not (span.line <= site.span.line <= span.end_line and seen):
            continue
        function = place(tree, items).function
        if isinstance(items, cst.Name) and function is not None and is_parameter(tree, items):
            first = first_statement(function)
            if first is not None and items.value not in bound(function.body):
                test = f"isinstance({items.value}, {seen.type})"
                why = f"`{items.value}` was one {seen.type}, and the loop took it apart"
                yield _PIECES, _entry(tree, first, items.value, test), why


def _passed(target: Target) -> Iterator[Form]:
    """Pass a list of the item for the parameter that was bad."""
    tree, name = target.tree, target.site.bad_code or ""
    for call in calls_at(target):
        called = last_of(call.func)
        found = [*definitions(called, target.project)]
        takes = signature(found[0]) if len(found) == 1 else None
        arg = argument_for(name, takes, call.args) if takes else None
        if arg is not None:
            change = replaced(tree, arg.value, lambda old: expression("[OLD]", OLD=old))
            yield _CALLER, change, f"`{called}` takes many as its `{name}`, and was given one"


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

pieces: the keys of the one order that was given
    def load(data):
        return [Order(«raw».get("number")) for raw in data]
AttributeError: 'str' object has no attribute 'get'
where data: dict
    def load(data):
        if isinstance(data, dict):
            data = [data]
        return [Order(raw.get("number")) for raw in data]

pieces: the letters of the one name that was given
    def sizes(tables, names):
        for name in names:
            yield tables[name].size + «name».width
AttributeError: 'str' object has no attribute 'width'
where names: str = 'ink'
    def sizes(tables, names):
        if isinstance(names, str):
            names = [names]
        for name in names:
            yield tables[name].size + name.width

not any: no parameter was gone through
    def sizes(names):
        found = load(names)
        for name in found:
            yield «name».width
AttributeError: 'str' object has no attribute 'width'
where names: str = 'ink'
where found: str = 'ink'

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
