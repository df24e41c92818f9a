"""MergeOrder: of two mappings that are merged, the wrong one wins."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import block_of, line_of, lines_of, only, reads, with_lines
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._names import code_of, dotted

_LAST = small_edit("last-wins", "let the other one win", 0.35, "order")
_DEFAULTS = small_edit("defaults-first", "let the given items win", 0.35)
_UPDATED = small_edit("updated", "update the other one", 0.1)
_KEPT = small_edit("kept", "keep the value that a key has", 0.1)
_MAPPINGS = frozenset(("dict", "collections.OrderedDict", "collections.defaultdict"))


class MergeOrder(FirstOrder):
    """Merge mappings in the other order."""

    DESCRIPTION = "Let the other of two merged mappings win."
    NAME = "merge-order"
    VARIANTS = (_LAST, _DEFAULTS, _UPDATED, _KEPT)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other orders."""
        match place.node:
            case cst.Dict(elements=elements) as node:
                yield from _unpacked(node, elements)
            case cst.BinaryOperation(operator=cst.BitOr(), left=left, right=right) as node:
                if _is_mapping(place, left) or _is_mapping(place, right):
                    yield _LAST, {node: _exchanged}, f"`{place.code(right)}` wins"
            case cst.Call(func=cst.Name(value="ChainMap"), args=[first, second]) as node:
                change: Change = {node: _with_args(second, first)}
                yield _LAST, change, f"`{place.code(first.value)}` wins"
            case cst.Expr(value=cst.Call()) as node:
                yield from _updated(place, node)
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript())]) as node:
                yield from _stored(place, node)


def _unpacked(node: cst.Dict, elements: Any) -> Iterator[Form]:
    """Yield a display with two of its parts exchanged, at least one of which is unpacked."""
    for at, (first, second) in enumerate(pairwise(elements)):
        starred = [isinstance(each, cst.StarredDictElement) for each in (first, second)]
        if any(starred):
            variant = _LAST if all(starred) else _DEFAULTS
            yield variant, {node: _with_parts(at)}, f"`{code_of(second.value)}` wins"


def _with_parts(at: int) -> Any:
    def make(updated: cst.Dict) -> cst.Dict:
        parts = [*updated.elements]
        first, second = parts[at : at + 2]
        parts[at] = second.with_changes(comma=first.comma)
        parts[at + 1] = first.with_changes(comma=second.comma)
        return updated.with_changes(elements=parts)

    return make


def _exchanged(updated: cst.BinaryOperation) -> cst.BinaryOperation:
    return updated.with_changes(left=updated.right, right=updated.left)


def _with_args(*args: cst.Arg) -> Any:
    def make(updated: cst.Call) -> cst.Call:
        commas = [each.comma for each in updated.args]
        new = [arg.with_changes(comma=comma) for arg, comma in zip(args, commas, strict=True)]
        return updated.with_changes(args=new)

    return make


def _is_mapping(place: Place, node: cst.BaseExpression) -> bool:
    seen = place.values.get(dotted(node) or "")
    return isinstance(node, cst.Dict) or (seen is not None and seen.type in _MAPPINGS)


def _updated(place: Place, node: cst.Expr) -> Iterator[Form]:
    """Yield the update the other way round: of a copy of the argument, where the line above has one."""
    match node.value:
        case cst.Call(
            func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="update")) as func,
            args=[
                cst.Arg(value=cst.Name() | cst.Attribute() as other, star="", keyword=None) as arg
            ],
        ):
            before = _line_before(place, node)
            if isinstance(before, cst.Assign) and code_of(before.targets[0].target) == name:
                source = _copied(before.value)
                if source is not None and code_of(source) != code_of(other):
                    change: Change = {source: lambda _: other, arg.value: lambda _: source}
                    yield _UPDATED, change, f"`{code_of(other)}` wins"
            else:
                change = {func.value: lambda _: other, arg.value: lambda _: cst.Name(name)}
                yield _UPDATED, change, f"`{name}` was changed"


def _line_before(place: Place, node: cst.CSTNode) -> cst.CSTNode | None:
    line = line_of(place.tree, node)
    lines = lines_of(block_of(place.tree, line)) if line else []
    at = next((number for number, each in enumerate(lines) if each is line), 0)
    return only(lines[at - 1]) if at else None


def _copied(value: cst.BaseExpression) -> cst.BaseExpression | None:
    """Return the variable of which an expression makes a copy."""
    match value:
        case cst.Call(func=cst.Name(value="dict"), args=[cst.Arg(value=source, star="")]):
            return source
        case cst.Call(func=cst.Attribute(value=source, attr=cst.Name(value="copy")), args=[]):
            return source
    return None


def _stored(place: Place, node: cst.Assign) -> Iterator[Form]:
    """Yield ``setdefault`` for a store in a loop that overwrites what a key has already."""
    line = line_of(place.tree, node)
    target = node.targets[0].target
    match target:
        case cst.Subscript(
            value=owner, slice=[cst.SubscriptElement(slice=cst.Index(value=key, star=None))]
        ) if line is not None and _in_loop(place, key):
            call = cst.Call(
                cst.Attribute(owner, cst.Name("setdefault")), [cst.Arg(key), cst.Arg(node.value)]
            )
            block = block_of(place.tree, line)
            new = line.with_changes(body=[cst.Expr(call)])
            lines = [new if each is line else each for each in lines_of(block)]
            yield _KEPT, with_lines(block, lines), "a later item took the place of the first"


def _in_loop(place: Place, key: cst.BaseExpression) -> bool:
    """Say whether a key is another one in every round of a loop."""
    loops = (up for up in place.tree.ancestors(place.node) if isinstance(up, cst.For))
    names = [*(code_of(each.target) for each in loops)]
    return any(not reads(key).isdisjoint(name.split(", ")) for name in names)


MergeOrder.EXAMPLES = examples(
    """
last-wins: what the user sets wins
    def settings(defaults, own):
        return «{**own, **defaults}»  # both
AssertionError: assert {'size': 1} == {'size': 2}
    def settings(defaults, own):
        return {**defaults, **own}  # both

defaults-first: a constant is only a default
    def request(options):
        return «{
            **options,
            "timeout": 5,
        }»
AssertionError: assert {'timeout': 5} == {'timeout': 9}
    def request(options):
        return {
            "timeout": 5,
            **options,
        }

last-wins: by the operator
    def settings(defaults, own):
        return «own | defaults»
AssertionError: assert {'size': 1} == {'size': 2}
where own: dict = {'size': 2}
    def settings(defaults, own):
        return defaults | own

updated: the copy is of the wrong one
    def settings(defaults, own):
        merged = dict(own)
        «merged.update(defaults)»
        return merged
AssertionError: assert {'size': 1} == {'size': 2}
    def settings(defaults, own):
        merged = dict(defaults)
        merged.update(own)
        return merged

kept: the first price of an article
    def first_prices(offers):
        found = {}
        for name, price in offers:
            «found[name] = price»
        return found
AssertionError: assert {'a': 2} == {'a': 1}
    def first_prices(offers):
        found = {}
        for name, price in offers:
            found.setdefault(name, price)
        return found

not any: nothing is unpacked
    def request(name):
        return «{"name": name, "timeout": 5}»
AssertionError: assert {'timeout': 5} == {'timeout': 9}

not any: bits of numbers
    def flags(own, other):
        return «own | other»
AssertionError: assert 3 == 1
where own: int = 3

not any: the key is one and the same
    def mark(found, names):
        for name in names:
            «found["last"] = name»
AssertionError: assert 3 == 1

not any: sets have no order
    def names(own, other):
        return «own | other»
AssertionError: assert {1} == {2}
where own: set = {1}
where other: set = {2}

not any: one mapping only
    def request(options):
        return «{**options}»
AssertionError: assert {'timeout': 5} == {'timeout': 9}
"""
)
