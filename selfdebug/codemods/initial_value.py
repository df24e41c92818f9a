"""InitialValue: a variable begins with the wrong value, though every step after it is right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._blocks import function_of, loop_of, nodes_of, params_of, reads
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._names import code_of
from selfdebug.codemods._style import quoted

_NUMBER = small_edit("number", "begin with another number", 0.12, "off-by-one factor empty")
_LIMIT = small_edit("limit", "begin below or above every value", 0.15, "number sign")
_FIRST = small_edit("first", "begin with the first item", 0.15, "number sign missing-item")
_FILLED = small_edit("filled", "begin with one item", 0.1, "missing-item empty off-by-one")
_KIND = small_edit("kind", "begin with another kind of container", 0.05, "type")
_SIZE = small_edit("size", "make room for one more", 0.1, "off-by-one")
_NUMBERS = {"0": ("1", "-1"), "1": ("0", "2"), "-1": ("0",), "2": ("1", "0"), "0.0": ("1.0",)}
_ORDER = (cst.LessThan, cst.GreaterThan, cst.LessThanEqual, cst.GreaterThanEqual)
_CONTAINERS = {"[]": ("set()", "{}"), "{}": ("[]", "set()"), "set()": ("[]", "{}")}


class InitialValue(FirstOrder):
    """Let a variable begin with another value."""

    DESCRIPTION = "Let a variable begin with another value."
    NAME = "initial-value"
    VARIANTS = (_NUMBER, _LIMIT, _FIRST, _FILLED, _KIND, _SIZE)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other values of a variable that changes later on."""
        node, function = place.node, function_of(place.tree, place.node)
        if function is None or not isinstance(node, cst.Assign) or len(node.targets) > 1:
            return
        target = node.targets[0].target
        if isinstance(target, cst.Name):
            for value, variant, code, why in _others(place, function, target.value, node.value):
                yield variant, _becomes(place, value, code), why
        elif isinstance(target, cst.Tuple) and isinstance(node.value, cst.Tuple):
            for each, made in zip(target.elements, node.value.elements, strict=False):
                if isinstance(each.value, cst.Name):
                    found = _others(place, function, each.value.value, made.value)
                    yield from (
                        (var, _becomes(place, val, code), why) for val, var, code, why in found
                    )


def _becomes(place: Place, value: cst.BaseExpression, code: str) -> Change:
    new = cst.parse_expression(quoted(place.tree, value, code) or code)
    return {
        value: lambda updated: new.with_changes(
            lpar=[*updated.lpar, *new.lpar], rpar=[*new.rpar, *updated.rpar]
        )
    }


_Other = tuple[cst.BaseExpression, Variant, str, str]


def _others(
    place: Place, function: cst.FunctionDef, name: str, value: cst.BaseExpression
) -> Iterator[_Other]:
    code, why = code_of(value), f"`{name}` begins with `{code_of(value)}`"
    if not _changes_later(place, function, name):
        return
    for number in _NUMBERS.get(code, ()):
        yield value, _NUMBER, number, why
    if code in _NUMBERS or code == "None" or isinstance(value, cst.Subscript | cst.Call):
        yield from _limits(place, function, name, value)
    if code in _CONTAINERS:
        for filled in _filled(function, code):
            yield value, _FILLED, filled, why
        for kind in _CONTAINERS[code]:
            if _suits(function, name, kind):
                yield value, _KIND, kind, why
    yield from _sizes(value, why)


def _changes_later(place: Place, function: cst.FunctionDef, name: str) -> bool:
    """Say whether a variable is changed again under its first assignment, which runs once."""
    here = place.node
    if loop_of(place.tree, here) is not None and not _in_inner_loop(place, name):
        return False
    for each in nodes_of(function.body):
        match each:
            case cst.AssignTarget(target=target) | cst.AugAssign(target=target):
                stored = target.value if isinstance(target, cst.Subscript) else target
                if name in _targets(stored) and each not in getattr(here, "targets", ()):
                    return True
            case cst.Call(func=cst.Attribute(value=cst.Name(value=owner))) if owner == name:
                return True
    return False


def _in_inner_loop(place: Place, name: str) -> bool:
    """Say whether what a loop does begins with the variable, and goes on with it in a loop."""
    loop = loop_of(place.tree, place.node)
    inner = (
        [each for each in nodes_of(loop) if isinstance(each, cst.For | cst.While)] if loop else []
    )
    return any(name in reads(each.body) for each in inner)


def _targets(target: cst.CSTNode) -> set[str]:
    if isinstance(target, cst.Tuple):
        return {code_of(each.value) for each in target.elements}
    return {code_of(target)}


def _limits(
    place: Place, function: cst.FunctionDef, name: str, value: cst.BaseExpression
) -> Iterator[_Other]:
    """Yield a start beyond all values, and the first of them, for what a comparison keeps."""
    why = f"no value may be beyond `{code_of(value)}`"
    if not _is_compared(function, name):
        return
    endless = "math.inf" if "math" in place.names else "inf" if "inf" in place.names else ""
    least = f"-{endless}" if endless else 'float("-inf")'
    for code in (least, endless or 'float("inf")', "None"):
        if code_of(value) not in (code, code.replace('"', "'")):
            yield value, _LIMIT, code, why
    for loop in nodes_of(function.body):
        if isinstance(loop, cst.For) and isinstance(loop.iter, cst.Name):
            first = f"{loop.iter.value}[0]"
            if loop.iter.value in place.names and first != code_of(value):
                yield value, _FIRST, first, why


def _is_compared(function: cst.FunctionDef, name: str) -> bool:
    for each in nodes_of(function.body):
        match each:
            case cst.Comparison(left=left, comparisons=targets):
                sides = [left, *(target.comparator for target in targets)]
                ordered = any(isinstance(target.operator, _ORDER) for target in targets)
                if ordered and any(code_of(side) == name for side in sides):
                    return True
            case cst.Call(func=cst.Name(value="min" | "max"), args=args):
                if any(code_of(arg.value) == name for arg in args):
                    return True
    return False


def _filled(function: cst.FunctionDef, code: str) -> Iterator[str]:
    """Yield containers that hold a parameter, zero, or an empty list from the start."""
    names = [each.name.value for each in params_of(function)][:3]
    if code == "[]":
        yield from (f"[{each}]" for each in (*names, "0", "1", "[]", '""'))
    elif code == "{}":
        yield from (f"{{{name}: {value}}}" for name in names for value in ("0", "None", "[]"))
        yield from ("{0: 1}", "{0: -1}", "{0: 0}")
    else:
        yield from (f"{{{name}}}" for name in names)


def _suits(function: cst.FunctionDef, name: str, kind: str) -> bool:
    """Say whether a container has the methods that are called on the variable."""
    made: Any = {"[]": list, "{}": dict, "set()": set}[kind]
    used: set[str] = set()
    for each in nodes_of(function.body):
        match each:
            case cst.Attribute(value=cst.Name(value=owner), attr=cst.Name(value=attribute)):
                used |= {attribute} if owner == name else set()
            case cst.Subscript(value=cst.Name(value=owner)) if owner == name:
                used.add("__getitem__")
    return all(hasattr(made, method) for method in used)


def _sizes(value: cst.BaseExpression, why: str) -> Iterator[_Other]:
    """Yield another number of cells, and another value in them."""
    match value:
        case cst.BinaryOperation(
            left=cst.List(elements=[cst.Element(value=cell)]),
            operator=cst.Multiply(),
            right=size,
        ):
            if isinstance(size, cst.Name | cst.Call | cst.Attribute):
                yield size, _SIZE, f"({code_of(size)} + 1)", why
                yield size, _SIZE, f"({code_of(size)} - 1)", why
            elif isinstance(size, cst.BinaryOperation) and code_of(size.right) == "1":
                yield size, _SIZE, code_of(size.left), why
            for number in ("0", "1", "-1", "None", 'float("inf")', "True", "False"):
                if number != code_of(cell):
                    yield cell, _NUMBER, number, why


InitialValue.EXAMPLES = examples(
    """
number: a product begins with one
    def product(factors):
        «result = 0»  # nothing yet
        for factor in factors:
            result *= factor
        return result
AssertionError: assert 0 == 6
    def product(factors):
        result = 1  # nothing yet
        for factor in factors:
            result *= factor
        return result

limit: all readings may be below zero
    def highest(readings):
        «best = 0»
        for reading in readings:
            if reading > best:
                best = reading
        return best
AssertionError: assert 0 == -3
    def highest(readings):
        best = float("-inf")
        for reading in readings:
            if reading > best:
                best = reading
        return best

limit: as the module spells it
    import math

    def highest(readings):
        «best = 0.0»
        for reading in readings:
            best = max(best, reading)
        return best
AssertionError: assert 0 == -3
    import math

    def highest(readings):
        best = -math.inf
        for reading in readings:
            best = max(best, reading)
        return best

first: the first reading is as good as any
    def highest(readings):
        «best = 0»
        for reading in readings:
            best = max(best, reading)
        return best
AssertionError: assert 0 == -3
    def highest(readings):
        best = readings[0]
        for reading in readings:
            best = max(best, reading)
        return best

filled: a search that has seen its start
    def reachable(start, links):
        «seen = set()»
        queue = [start]
        while queue:
            for name in links[queue.pop()]:
                if name not in seen:
                    seen.add(name)
                    queue.append(name)
        return seen
AssertionError: assert {'b'} == {'a', 'b'}
    def reachable(start, links):
        seen = {start}
        queue = [start]
        while queue:
            for name in links[queue.pop()]:
                if name not in seen:
                    seen.add(name)
                    queue.append(name)
        return seen

number: one of several variables
    def counts(rows):
        «good, bad = 0, 1»
        for row in rows:
            good += row
            bad += not row
        return good, bad
AssertionError: assert (1, 2) == (1, 1)
    def counts(rows):
        good, bad = 1, 1
        for row in rows:
            good += row
            bad += not row
        return good, bad

size: one cell for every number up to the last
    def sieve(last):
        «prime = [True] * last»
        for number in range(2, last):
            for multiple in range(2 * number, last, number):
                prime[multiple] = False
        return prime
AssertionError: assert 5 == 6
    def sieve(last):
        prime = [True] * (last + 1)
        for number in range(2, last):
            for multiple in range(2 * number, last, number):
                prime[multiple] = False
        return prime

not any: a constant
    def fee(member):
        «base = 1»
        return base * 2 if member else base
AssertionError: assert 2 == 4

not limit: the values are added, not compared
    def total(prices):
        «amount = 0»
        for price in prices:
            amount += price
        return amount
AssertionError: assert 2 == 4

not kind: the variable is indexed
    def names(rows):
        «found = []»
        for row in rows:
            found.insert(0, row)
        return found[0]
AssertionError: assert 2 == 4

not any: each round begins anew
    def sizes(rows):
        found = []
        for row in rows:
            «size = 0»
            size += len(row)
            found.append(size)
        return found
AssertionError: assert [1] == [2]

not first: the loop goes through what a call gives
    def highest(sensor):
        «best = 0»
        for reading in sensor.readings():
            best = max(best, reading)
        return best
AssertionError: assert 0 == -3

not filled: it is filled already
    def reachable(start, links):
        «seen = {start}»
        for name in links[start]:
            seen.add(name)
        return seen
AssertionError: assert {'b'} == {'a', 'b'}

not any: an attribute may have begun elsewhere
    def reset(self, rows):
        «self.count = 0»
        for row in rows:
            self.count += 1
AssertionError: assert 2 == 3

not size: no number says how many there are
    def table(rows):
        «cells = list(rows)»
        cells[0] = None
        return cells
AssertionError: assert 5 == 6
"""
)
