"""RecursionArgument: a function calls itself with the same again, or without what it has found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import function_of, loop_of, nodes_of, params_of, target_names
from selfdebug.codemods._edit import Change, expression, putting, replaced
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._names import code_of, dotted

_LESS = small_edit("smaller", "go on with less", 0.3, "recursion hang")
_PART = small_edit("part", "go on with a part of it", 0.3, "recursion")
_DEEPER = small_edit("deeper", "count how deep it is", 0.15, "off-by-one factor")
_ITEM = small_edit("item", "go on with the item of the loop", 0.3, "recursion")
_EACH = small_edit("each", "do the same with each item", 0.15, "type raises text", growth=1)
_AROUND = small_edit("around", "pass on what the names around stand for, too", 0.3)
_DEPTH = re.compile(r"depth|level|indent|count|step|distance|index|pos|offset|start|i|n|k")


class RecursionArgument(FirstOrder):
    """Call a function from itself with another argument: less, a part, one deeper."""

    DESCRIPTION = "Pass on another argument where a function calls itself."
    NAME = "recursion-argument"
    VARIANTS = (_LESS, _PART, _DEEPER, _ITEM, _EACH, _AROUND)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield other arguments for those that are passed on as they came."""
        node, function = place.node, function_of(place.tree, place.node)
        if not isinstance(node, cst.Call) or function is None:
            return
        if not _is_own(node, function):
            yield from _items(place, function, node)
            return
        yield from _around(function, node)
        given = {each.name.value for each in params_of(function)}
        for arg in node.args:
            if isinstance(arg.value, cst.Name) and arg.value.value in given and not arg.star:
                yield from _others(place, function, arg.value)
        yield from _counted(function, node)


def _is_own(call: cst.Call, function: cst.FunctionDef) -> bool:
    """Say whether a function calls itself."""
    return (dotted(call.func) or "").rpartition(".")[2] == function.name.value


def _items(place: Place, function: cst.FunctionDef, call: cst.Call) -> Iterator[Form]:
    """Yield ``[plain(each) for each in value]`` for ``list(value)`` in a function that calls itself."""
    match call:
        case cst.Call(
            func=cst.Name(value="list" | "tuple" | "set" as kind),
            args=[cst.Arg(value=cst.Name() as items, star="")],
        ) if items.value in {each.name.value for each in params_of(function)}:
            own = (each for each in nodes_of(function.body) if isinstance(each, cst.Call))
            made = next((each for each in own if _is_own(each, function)), None)
            if made is not None and len(params_of(function)) == 1:
                inner = f"{code_of(made.func)}(each) for each in {items.value}"
                code = {"list": f"[{inner}]", "set": f"{{{inner}}}"}.get(kind, f"tuple({inner})")
                yield _EACH, place.put(code), "the items are as the whole"


def _around(function: cst.FunctionDef, call: cst.Call) -> Iterator[Form]:
    """Yield ``{**context, name: item}`` for the ``{name: item}`` that takes the place of ``context``."""
    params = [each.name.value for each in params_of(function)]
    for arg, name in zip(call.args, params, strict=False):
        if not isinstance(arg.value, cst.Dict) or arg.keyword is not None or arg.star:
            continue
        spread = any(isinstance(each, cst.StarredDictElement) for each in arg.value.elements)
        if not spread and arg.value.elements:
            elements = [cst.StarredDictElement(cst.Name(name)), *arg.value.elements]
            new = arg.value.with_changes(elements=elements)
            yield _AROUND, {arg.value: putting(new)}, f"what `{name}` holds is lost on the way"


def _others(place: Place, function: cst.FunctionDef, value: cst.Name) -> Iterator[Form]:
    name = value.value
    seen = place.values.get(name)
    kind = seen.type if seen else _kind(function, name)
    why = f"it went on with `{name}` as it was"
    loop = loop_of(place.tree, place.node)
    if isinstance(loop, cst.For) and (items := target_names(loop.target)):
        yield _ITEM, {value: _putting(items[0])}, why
    if kind in ("int", "float", ""):
        counts = _DEPTH.fullmatch(name) is not None
        yield (_DEEPER if counts else _LESS), _made(place, value, "OLD + 1"), why
        yield _LESS, _made(place, value, "OLD - 1"), why
        yield _LESS, _made(place, value, "OLD // 2"), why
    if kind in ("list", "tuple", "str", ""):
        yield _PART, _made(place, value, "OLD[1:]"), why
        yield _PART, _made(place, value, "OLD[:-1]"), why
    for attribute in _links(function, name):
        yield _PART, _made(place, value, f"OLD.{attribute}"), why


def _made(place: Place, old: cst.Name, code: str) -> Change:
    return replaced(place.tree, old, lambda updated: expression(code, OLD=updated))


def _putting(name: str) -> Any:
    return lambda _: cst.Name(name)


def _kind(function: cst.FunctionDef, name: str) -> str:
    """Return the type that the use of a parameter shows; "" where it shows none."""
    for each in nodes_of(function.body):
        match each:
            case cst.Attribute(value=cst.Name(value=owner)) if owner == name:
                return "object"
            case cst.Subscript(value=cst.Name(value=owner)) if owner == name:
                return "list"
            case cst.BinaryOperation(left=left, right=right):
                sides = {code_of(left), code_of(right)}
                if name in sides and any(side.isdigit() for side in sides):
                    return "int"
    return ""


def _links(function: cst.FunctionDef, name: str) -> list[str]:
    """Return the attributes of a parameter that the function looks at, but not its methods."""
    called = {
        each.func.attr.value
        for each in nodes_of(function.body)
        if isinstance(each, cst.Call) and isinstance(each.func, cst.Attribute)
    }
    found = [
        each.attr.value
        for each in nodes_of(function.body)
        if isinstance(each, cst.Attribute) and code_of(each.value) == name
    ]
    return [each for each in dict.fromkeys(found) if each not in called][:4]


def _counted(function: cst.FunctionDef, call: cst.Call) -> Iterator[Form]:
    """Yield a count for a parameter that has a default and is not passed on."""
    passed = {each.keyword.value for each in call.args if each.keyword}
    params = params_of(function)
    if any(each.star for each in call.args):
        return
    for param in params[len([each for each in call.args if each.keyword is None]) :]:
        name = param.name.value
        number = isinstance(param.default, cst.Integer)
        if number and name not in passed and _DEPTH.fullmatch(name):
            yield _DEEPER, {call: _with(f"{name}={name} + 1")}, f"`{name}` began anew"


def _with(code: str) -> Any:
    added = cst.ensure_type(cst.parse_expression(f"f({code})"), cst.Call).args[0]
    tight = cst.MaybeSentinel.DEFAULT
    added = added.with_changes(
        equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")), comma=tight
    )

    def make(updated: cst.Call) -> cst.Call:
        return updated.with_changes(args=[*updated.args, added])

    return make


RecursionArgument.EXAMPLES = examples(
    """
each: an item may hold a date too
    def plain(value):
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, list):
            return «list(value)»
        return str(value)
AssertionError: assert [1] == ['1']
    def plain(value):
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, list):
            return [plain(each) for each in value]
        return str(value)

around: what is known outside of a loop is known in it
    def run(nodes, context):
        for node in nodes:
            for item in context[node.name]:
                yield from «run(node.body, {node.var: item})»
AssertionError: assert '' == 'a'
    def run(nodes, context):
        for node in nodes:
            for item in context[node.name]:
                yield from run(node.body, {**context, node.var: item})

not each: it does not call itself
    def plain(value):
        return «list(value)»
AssertionError: assert [1] == ['1']

smaller: a sum that never ends
    def total(count):
        if count == 0:
            return 0
        return count + «total(count)»  # and the rest
RecursionError: maximum recursion depth exceeded
where count: int = 3
    def total(count):
        if count == 0:
            return 0
        return count + total(count - 1)  # and the rest

part: the rest of a list
    def largest(values):
        if len(values) == 1:
            return values[0]
        return max(values[0], «largest(values)»)
RecursionError: maximum recursion depth exceeded
    def largest(values):
        if len(values) == 1:
            return values[0]
        return max(values[0], largest(values[1:]))

part: the next of a chain
    def length(node):
        if node.next is None:
            return 1
        return 1 + «length(node)»
RecursionError: maximum recursion depth exceeded
    def length(node):
        if node.next is None:
            return 1
        return 1 + length(node.next)

item: the children of a node
    def names(node):
        found = [node.name]
        for child in node.children:
            found += «names(node)»
        return found
RecursionError: maximum recursion depth exceeded
    def names(node):
        found = [node.name]
        for child in node.children:
            found += names(child)
        return found

deeper: an outline without indentation
    def outline(node, level=0):
        lines = ["  " * level + node.name]
        for child in node.children:
            lines += «outline(child)»
        return lines
AssertionError: assert ['a', 'b'] == ['a', '  b']
    def outline(node, level=0):
        lines = ["  " * level + node.name]
        for child in node.children:
            lines += outline(child, level=level + 1)
        return lines

not any: another function
    def total(count):
        return count + «rest(count)»
AssertionError: assert 1 == 2

not any: it goes on with less
    def total(count):
        return count and count + «total(count - 1)»
AssertionError: assert 1 == 2

not any: outside of functions
    total = «sum([1])»
AssertionError: assert 1 == 2

not any: a function of a like name
    def total(count):
        return count + «total_of(count)»
AssertionError: assert 1 == 2

not any: all arguments at once
    def total(*counts):
        return counts and «total(*counts)»
AssertionError: assert 1 == 2

not any: a variable, not a parameter
    def total(count):
        rest = count - 1
        return count and «total(rest)»
AssertionError: assert 1 == 2
"""
)
