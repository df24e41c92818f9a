"""AssignedTarget: a value is kept under the wrong name, or for too short."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    assigned_names,
    block_of,
    function_of,
    index_of,
    line_of,
    lines_of,
    only,
    params_of,
    reads,
    with_lines,
)
from selfdebug.codemods._edit import Change, putting
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import statements
from selfdebug.codemods._names import code_of
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.scopes import scopes_at

_OBJECT = small_edit("attribute", "keep it on the object", 0.4, "none number")
_OUTER = small_edit("outer", "assign the variable of the outer scope", 0.4)
_AT_ONCE = small_edit("at-once", "assign both at once", 0.25, "number order")
_SWAPPED = small_edit("swapped", "take the two in the other order", 0.1, "order")
_NEAR = small_edit("similar", "assign the name that is much like it", 0.1)
_OTHER = small_edit("other", "assign another variable", 0.04)
_ALIKE = 0.6
_SHOWN = 4


class AssignedTarget(FirstOrder):
    """Assign to another variable or attribute, or to two at once."""

    DESCRIPTION = "Assign to another variable or attribute."
    NAME = "assigned-target"
    VARIANTS = (_OBJECT, _OUTER, _AT_ONCE, _SWAPPED, _NEAR, _OTHER)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other targets of an assignment."""
        function = function_of(place.tree, place.node)
        if function is None or place.node is not place.statement:
            return
        match place.node:
            case cst.Assign(targets=[cst.AssignTarget(target=target)]) as node:
                yield from _others(place, function, target)
                yield from _at_once(place, node)
            case cst.AugAssign(target=target) | cst.For(target=target):
                yield from _others(place, function, target)


def _others(place: Place, function: cst.FunctionDef, target: cst.BaseExpression) -> Iterator[Form]:
    match target:
        case cst.Name(value=name):
            plain = isinstance(place.node, cst.Assign)
            if plain and name in _attributes(place) and "self" in place.names:
                new = cst.Attribute(cst.Name("self"), cst.Name(name))
                yield _OBJECT, {target: putting(new)}, f"`{name}` is forgotten at the end"
            yield from _outer(place, function, name) if plain else ()
            known = sorted(assigned_names(function.body) - {name})
            yield from _by_likeness(target, name, known)
        case cst.Attribute(value=cst.Name(value="self"), attr=attr):
            others = [each for each in _attributes(place) if each != attr.value]
            yield from _by_likeness(attr, attr.value, others)
        case cst.Tuple(elements=[first, second]):
            change: Change = {
                first.value: putting(second.value),
                second.value: putting(first.value),
            }
            yield _SWAPPED, change, "the values come in the other order"


def _by_likeness(target: cst.Name, name: str, others: list[str]) -> Iterator[Form]:
    likeness = {each: SequenceMatcher(None, name, each).ratio() for each in others}
    ranked = sorted(likeness, key=lambda each: -likeness[each])[:_SHOWN]
    for other in ranked:
        variant = _NEAR if likeness[other] >= _ALIKE else _OTHER
        yield variant, {target: _renamed(other)}, f"`{other}` is what it is"


def _renamed(name: str) -> Any:
    return lambda updated: updated.with_changes(value=name)


def _attributes(place: Place) -> list[str]:
    """Return the attributes that the class around gives to ``self``."""
    source, at = place.tree.region.source, place.site.span.line
    for owner in read_module(source.path, place.project).tree.body:
        if isinstance(owner, ast.ClassDef) and owner.lineno <= at <= (owner.end_lineno or 0):
            text = source.slice(owner.lineno, owner.end_lineno or 0)
            found = re.findall(r"\bself\.(\w+)(?:: [^=\n]+)? [-+*/|&]?= ", text)
            return [*dict.fromkeys(found)]
    return []


def _outer(place: Place, function: cst.FunctionDef, name: str) -> Iterator[Form]:
    """Yield the declaration that an assignment means the variable of a function or module around."""
    body = function.body
    if name in reads(body) or any(each.name.value == name for each in params_of(function)):
        return
    tree = read_module(place.tree.region.source.path, place.project).tree
    _, *around = scopes_at(tree, place.site.span)
    for scope in around:
        if name in scope.names and isinstance(body, cst.IndentedBlock):
            module = isinstance(scope.node, ast.Module)
            if module and not _is_variable(scope.node, name):
                return
            code = f"{'global' if module else 'nonlocal'} {name}\n"
            yield (
                _OUTER,
                _at_top(place, body, code),
                f"`{name}` of the scope around stays as it was",
            )
            return


def _is_variable(module: Any, name: str) -> bool:
    stores = (each for stmt in module.body if isinstance(stmt, ast.Assign) for each in stmt.targets)
    return any(isinstance(each, ast.Name) and each.id == name for each in stores)


def _at_top(place: Place, body: cst.IndentedBlock, code: str) -> Change:
    """Return the change that puts a declaration first in a function, under its docstring."""
    lines = lines_of(body)
    first = only(lines[0])
    at = int(isinstance(first, cst.Expr) and isinstance(first.value, cst.BaseString))
    return with_lines(body, [*lines[:at], *statements(place.tree, code, lines[0]), *lines[at:]])


def _at_once(place: Place, node: cst.Assign) -> Iterator[Form]:
    """Yield two assignments as one, where the second should see the first variable as it was."""
    line = line_of(place.tree, node)
    block = block_of(place.tree, line) if line is not None else None
    if line is None or block is None or line is block.body[-1]:
        return
    at = index_of(block, line)
    follower = block.body[at + 1]
    other = only(follower)
    match node.targets[0].target, other:
        case (
            cst.Name(value=name),
            cst.Assign(targets=[cst.AssignTarget(target=cst.Name() as second)], value=value),
        ) if name in reads(value) and second.value != name:
            if place.tree.code(follower) != place.tree.code(other) or _has_comment(follower):
                return
            both = cst.parse_statement(
                f"{name}, {second.value} = {code_of(node.value)}, {code_of(value)}"
            )
            new = cst.ensure_type(both, cst.SimpleStatementLine).with_changes(
                leading_lines=line.leading_lines, trailing_whitespace=_end(line)
            )
            lines = [*block.body[:at], new, *block.body[at + 2 :]]
            yield _AT_ONCE, with_lines(block, lines), f"`{second.value}` needs `{name}` as it was"


def _has_comment(line: cst.CSTNode) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and (
        line.trailing_whitespace.comment is not None
        or any(each.comment for each in line.leading_lines)
    )


def _end(line: cst.CSTNode) -> cst.TrailingWhitespace:
    return cst.ensure_type(line, cst.SimpleStatementLine).trailing_whitespace


AssignedTarget.EXAMPLES = examples(
    """
attribute: a value that is forgotten at the end
    class Cart:
        def __init__(self):
            self.total = 0

        def close(self, items):
            «total = sum(items)»
AssertionError: assert 0 == 5
    class Cart:
        def __init__(self):
            self.total = 0

        def close(self, items):
            self.total = sum(items)

outer: a counter of the module
    visits = 0

    def reset():
        '''Begin anew.'''
        «visits = 0»
AssertionError: assert 3 == 0
    visits = 0

    def reset():
        '''Begin anew.'''
        global visits
        visits = 0

outer: a variable of the function around
    def counter():
        last = None

        def note(value):
            «last = value»

        note(3)
        return last
AssertionError: assert None == 3
    def counter():
        last = None

        def note(value):
            nonlocal last
            last = value

        note(3)
        return last

at-once: the second number needs the first as it was
    def fibonacci(count):
        a, b = 0, 1
        for _ in range(count):
            «a = b»  # the next
            b = a + b
        return a
AssertionError: assert 8 == 5
    def fibonacci(count):
        a, b = 0, 1
        for _ in range(count):
            a, b = b, a + b  # the next
        return a

swapped: what the function gives comes in the other order
    def shown(seconds):
        «rest, minutes = divmod(seconds, 60)»
        return f"{minutes}:{rest}"
AssertionError: assert '5:1' == '1:5'
    def shown(seconds):
        minutes, rest = divmod(seconds, 60)
        return f"{minutes}:{rest}"

similar: the other bound
    def search(values, wanted):
        first, last_index, first_index = 0, len(values), 0
        while values[first] != wanted:
            «last_index += 1»
            first = first_index
        return first
AssertionError: assert 0 == 2
    def search(values, wanted):
        first, last_index, first_index = 0, len(values), 0
        while values[first] != wanted:
            first_index += 1
            first = first_index
        return first

other: another attribute
    class Account:
        def __init__(self):
            self.balance = 0
            self.fees = 0

        def charge(self, amount):
            «self.balance += amount»
AssertionError: assert 0 == 5
    class Account:
        def __init__(self):
            self.balance = 0
            self.fees = 0

        def charge(self, amount):
            self.fees += amount

not attribute: the object has no such attribute
    class Cart:
        def close(self, items):
            «total = sum(items)»
            return total
AssertionError: assert 0 == 5

not outer: the function reads what it assigns
    visits = 0

    def doubled(count):
        «visits = count * 2»
        return visits
AssertionError: assert 0 == 5

not at-once: they have nothing to do with each other
    def area(width, height):
        «one = width»
        two = height
        return one * two
AssertionError: assert 0 == 5

not attribute: the name is not the attribute's
    class Cart:
        def __init__(self):
            self.total = 0

        def close(self, items):
            «amount = sum(items)»
            return amount
AssertionError: assert 0 == 5

not attribute: a static method has no object
    class Cart:
        def __init__(self):
            self.total = 0

        @staticmethod
        def close(items):
            «total = sum(items)»
            return total
AssertionError: assert 0 == 5

not outer: a parameter has the name
    visits = 0

    def reset(visits):
        «visits = 0»
AssertionError: assert 3 == 0

not outer: the module has a function of the name
    def visits():
        return 3

    def reset():
        «visits = 0»
AssertionError: assert 3 == 0

not at-once: a comment tells of the second
    def fibonacci(count):
        a, b = 0, 1
        for _ in range(count):
            «a = b»
            b = a + b  # the one after
        return a
AssertionError: assert 8 == 5

not swapped: three have more than one order
    def shown(seconds):
        «hours, minutes, rest = split(seconds)»
        return f"{hours}:{minutes}:{rest}"
AssertionError: assert '5:1' == '1:5'
"""
)
