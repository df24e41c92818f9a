"""NormalizeArgument: a function that works on many items was given one of them."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._insert import above, statements
from selfdebug.codemods._names import bound, code_of
from selfdebug.codemods._operands import bad
from selfdebug.codemods._place import first_statement, is_parameter, place
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.region import Tree

_PROMISED = Variant("promised", "root-cause", "make a list of one item, as the annotation says")
_ONE = Variant("one-item", "guard", "make a list of one item at the function's entry", prior=0.25)
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
    """Make a list of the one item that a caller gave, at the entry of the function."""

    DESCRIPTION = "Take one item where a function works on many."
    NAME = "normalize-argument"
    ANSWERS = (Answer(("TypeError",), "|".join(_FAILS).replace("?P<type>", "")),)
    VARIANTS = (_PROMISED, _ONE)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the function with a statement at its top that wraps the item."""
        yield from rewritten(target.tree, _forms(target))


def _forms(target: Target) -> Iterator[Form]:
    tree, site = target.tree, target.site
    found = next(filter(None, (re.search(each, site.message) for each in _FAILS)))
    kind = found["type"].rpartition(".")[2]
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
