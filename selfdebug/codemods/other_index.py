"""OtherIndex: an index counts from the other end, or from another place, than it was meant to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import cast

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import function_of, nodes_of
from selfdebug.codemods._edit import Change, expression
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import NUMBERS, kind_of
from selfdebug.codemods._names import code_of, dotted
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._variables import kind_named, variables
from selfdebug.syntax.modules import read_module

_TELLS = "order number text raises duplicate missing-item"
_MIRRORED = small_edit("mirrored", "count from the other end", 0.08, "order")
_ELSEWHERE = small_edit(
    "elsewhere", "find the item as other code that uses the sequence", 0.12, _TELLS
)
_OFFSET = small_edit("offset", "count from another index on", 0.06, _TELLS)
_MOST = 4  # variables to count from


class OtherIndex(FirstOrder):
    """Count an index from the other end, from another index, or as elsewhere."""

    DESCRIPTION = "Count an index from the other end or from another place."
    NAME = "other-index"
    VARIANTS = (_MIRRORED, _ELSEWHERE, _OFFSET)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other indexes of an item."""
        node, function = place.node, function_of(place.tree, place.node)
        if function is None:
            return
        match node:
            case cst.Subscript(
                value=value, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]
            ) if _is_counted(place, index):
                why = f"the item is not at `{place.code(index)}`"
                found = [
                    *((_MIRRORED, code) for code in _mirrored(place, function, value, index)),
                    *((_ELSEWHERE, code) for code in _elsewhere(place, value, index)),
                    *((_OFFSET, code) for code in _offset(place, index)),
                ]
                for variant, code in dict.fromkeys(found):
                    made = expression(code, OLD=index)
                    yield variant, _at(node, made), why


def _is_counted(place: Place, index: cst.BaseExpression) -> bool:
    """Say whether an index may be a number that is worked out."""
    plain = isinstance(index, cst.Name | cst.Attribute)
    return plain and (kind_of(place, index) or "int") in NUMBERS


def _at(node: cst.Subscript, index: cst.BaseExpression) -> Change:
    def make(updated: cst.Subscript) -> cst.Subscript:
        element = updated.slice[0].with_changes(slice=cst.Index(index))
        return updated.with_changes(slice=[element])

    return {node: make}


def _mirrored(
    place: Place, function: cst.FunctionDef, value: cst.BaseExpression, index: cst.BaseExpression
) -> Iterator[str]:
    """Yield ``size - 1 - i`` where ``i`` counts up to ``size``, or the length of the sequence."""
    name = dotted(index)
    for each in (*nodes_of(function.body), *place.tree.ancestors(index)):
        match each:
            case (
                cst.For(target=cst.Name(value=counted), iter=cst.Call() as call)
                | cst.CompFor(target=cst.Name(value=counted), iter=cst.Call() as call)
            ) if counted == name and last_of(call.func) == "range":
                last = call.args[0 if len(call.args) == 1 else 1].value
                if isinstance(last, cst.Name | cst.Attribute | cst.Call):
                    yield f"{code_of(last)} - 1 - OLD"
    if (items := dotted(value)) is not None:
        yield f"len({items}) - 1 - OLD"


def _elsewhere(place: Place, value: cst.BaseExpression, index: cst.BaseExpression) -> Iterator[str]:
    """Yield the indexes of the same sequence in other code of the module, counted by this one."""
    items, name = dotted(value), dotted(index)
    for owner, code, names in _indexes(place):
        if owner != items or name in names:
            continue
        local = [each for each in names if each.isidentifier()]
        for old in reversed(names):  # what is counted mostly comes last
            rest = {each for each in local if each != old}
            if rest <= {*variables(place), *place.names, "self"}:
                yield _renamed(code, old)


def _renamed(code: str, old: str) -> str:
    """Return an expression with the index, ``OLD``, in the place of another operand."""
    tree = ast.parse(code, mode="eval")

    class Rename(ast.NodeTransformer):
        def generic_visit(self, node: ast.AST) -> ast.AST:
            if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) == old:
                return ast.Name("OLD", ast.Load())
            return super().generic_visit(node)

    return ast.unparse(Rename().visit(tree))


def _indexes(place: Place) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Return what is calculated as an index in the module: of what, how, and from which operands."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("indexes", path)
    if key not in parsed:
        module = read_module(path, place.project).tree
        parsed[key] = tuple(dict.fromkeys(_calculated(module)))
    return cast("tuple[tuple[str, str, tuple[str, ...]], ...]", parsed[key])


def _calculated(module: ast.Module) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    named = {
        target.id: node.value
        for node in ast.walk(module)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Subscript):
            index = node.slice
            index = named.get(index.id, index) if isinstance(index, ast.Name) else index
            if isinstance(index, ast.BinOp):
                yield ast.unparse(node.value), ast.unparse(index), tuple(_operands(index))


def _operands(node: ast.expr) -> Iterator[str]:
    """Yield the variables and attributes that are the operands of a calculation."""
    if isinstance(node, ast.BinOp):
        yield from _operands(node.left)
        yield from _operands(node.right)
    elif isinstance(node, ast.Name | ast.Attribute):
        yield ast.unparse(node)


def _offset(place: Place, index: cst.BaseExpression) -> Iterator[str]:
    """Yield the index counted from another number of the function, forwards and backwards."""
    name = dotted(index)
    others = (
        each for each in variables(place) if each != name and kind_named(place, each) == "int"
    )
    for other in islice(others, _MOST):
        yield from (f"OLD + {other}", f"OLD - {other}", f"{other} - OLD")


OtherIndex.EXAMPLES = examples(
    """
mirrored: turned by a quarter
    def turned(rows, size):
        return [[«rows[y]»[x] for y in range(size)] for x in range(size)]  # clockwise
AssertionError: assert [[1, 3]] == [[3, 1]]
where size: int = 2
    def turned(rows, size):
        return [[rows[size - 1 - y][x] for y in range(size)] for x in range(size)]  # clockwise

mirrored: from the end of the list
    def pairs(words, at):
        return words[at], «words[at]»
AssertionError: assert ('a', 'a') == ('a', 'b')
where at: int = 0
    def pairs(words, at):
        return words[at], words[len(words) - 1 - at]

elsewhere: in a ring
    class Ring:
        def push(self, item):
            self.items[(self.head + self.size) % 8] = item

        def shown(self):
            for at in range(self.size):
                yield «self.items[at]»  # oldest first
AssertionError: assert [3, 1] == [1, 3]
    class Ring:
        def push(self, item):
            self.items[(self.head + self.size) % 8] = item

        def shown(self):
            for at in range(self.size):
                yield self.items[(self.head + at) % 8]  # oldest first

offset: where the part begins
    def part(items, start, size):
        return [«items[at]» for at in range(size)]  # a copy
AssertionError: assert [1, 2] == [2, 3]
where start: int = 1
    def part(items, start, size):
        return [items[at + start] for at in range(size)]  # a copy

not any: by a key
    def first(rows, name):
        return «rows[name]»
AssertionError: assert 1 == 2
where name: str = 'a'

not any: an index that is worked out
    def first(rows, at):
        return «rows[at + 1]»
AssertionError: assert 1 == 2

not any: a slice
    def first(rows, at):
        return «rows[at:]»
AssertionError: assert 1 == 2

not any: outside of functions
    ROWS = [1, 2]
    AT = 1
    LAST = «ROWS[AT]»
AssertionError: assert 1 == 2

not any: a fixed place
    def first(rows):
        return «rows[0]»
AssertionError: assert 1 == 2
"""
)
