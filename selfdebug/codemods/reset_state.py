"""ResetState: what was gathered or counted goes on where it has to begin anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeAlias, cast

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    Loop,
    assigned_names,
    beside,
    block_of,
    function_of,
    index_of,
    line_of,
    lines_of,
    loop_of,
    nodes_of,
    only,
    reads,
    simple_statements,
    with_lines,
    writes,
)
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import Line, statements
from selfdebug.codemods._names import code_of
from selfdebug.syntax.bindings import FUNCTIONS
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.scopes import class_of

_TELLS = "extra-item duplicate number off-by-one text factor bool"
_USED = small_edit("used", "begin anew where the variable was used", 0.3, _TELLS)
_OTHERWISE = small_edit("otherwise", "begin anew where the test does not hold", 0.25, _TELLS)
_OBJECT = small_edit("object", "give the object's field its first value again", 0.2, _TELLS)
_EMPTY = frozenset(
    ("[]", "{}", "set()", "list()", "dict()", "deque()", '""', "''", "0", "0.0", "1")
)
_GROWS = frozenset(("append", "add", "extend", "update", "appendleft", "insert"))
_SHOWN = 3
_LEAVING = (cst.Return, cst.Raise, cst.Continue, cst.Break)


class ResetState(FirstOrder):
    """Give a variable or a field its first value again, in a loop or when its object's state changes."""

    DESCRIPTION = "Begin anew to gather or to count."
    NAME = "reset-state"
    VARIANTS = (_USED, _OTHERWISE, _OBJECT)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the statements that begin anew, under the statement or in an ``else`` of it."""
        node, function = place.node, function_of(place.tree, place.node)
        line = line_of(place.tree, node) if node is place.statement else None
        if line is None or function is None:
            return
        loop = loop_of(place.tree, node)
        if loop is not None:
            yield from _in_loop(place, function, loop, line)
        if isinstance(node, cst.Assign | cst.AugAssign):
            yield from islice(_of_object(place, function, line), _SHOWN)


def _in_loop(place: Place, function: cst.FunctionDef, loop: Loop, line: Line) -> Iterator[Form]:
    for name, first in islice(_gathered(place, function, loop), _SHOWN):
        code = f"{name} = {first}"
        if _uses(place, loop, line, name):
            yield _USED, beside(place.tree, line, code), f"`{name}` goes on after it was used"
        if isinstance(line, cst.If) and line.orelse is None and _grows(line.body, name):
            yield _OTHERWISE, _with_else(place, line, code), f"`{name}` goes on in any case"


def _gathered(place: Place, function: cst.FunctionDef, loop: Loop) -> Iterator[tuple[str, str]]:
    """Yield the variables that begin empty or with a number before a loop, which only adds to them."""
    before = place.tree.span(loop).line
    for each in simple_statements(function.body):
        if place.tree.span(each).line >= before:
            return
        match each:
            case cst.Assign(targets=targets, value=value) if code_of(value) in _EMPTY:
                for target in targets:
                    name = code_of(target.target)
                    if _grows(loop.body, name) and not _begins_anew(loop, name):
                        yield name, code_of(value)


def _grows(body: cst.BaseSuite, name: str) -> bool:
    """Say whether a block adds to a variable."""
    for each in nodes_of(body):
        match each:
            case cst.AugAssign(target=cst.Name(value=own), operator=cst.AddAssign()):
                if own == name:
                    return True
            case cst.Call(func=cst.Attribute(value=cst.Name(value=own), attr=attr)):
                if own == name and attr.value in _GROWS:
                    return True
            case cst.AssignTarget(target=cst.Subscript(value=cst.Name(value=own))) if own == name:
                return True
    return False


def _begins_anew(loop: Loop, name: str) -> bool:
    return any(
        isinstance(each, cst.Assign) and name in assigned_names(each)
        for each in simple_statements(loop.body)
    )


def _uses(place: Place, loop: Loop, line: Line, name: str) -> bool:
    """Say whether a statement of a branch, or behind an inner loop, keeps or gives what was gathered."""
    statement, block = only(line), block_of(place.tree, line)
    if isinstance(statement, (*_LEAVING, cst.BaseCompoundStatement)) or name not in reads(line):
        return False
    if name in assigned_names(line) or _changes(line, name):
        return False
    below = lines_of(block)[index_of(block, line) + 1 :]
    if any(name in reads(each) and not _grows_in(each, name) for each in below):
        return False
    inner = any(isinstance(each, cst.For | cst.While) for each in block.body)
    return block is not loop.body or inner


def _changes(line: Line, name: str) -> bool:
    """Say whether a statement calls a method of a variable, as one that adds to it."""
    return any(
        isinstance(each, cst.Call)
        and isinstance(each.func, cst.Attribute)
        and code_of(each.func.value) == name
        for each in nodes_of(line)
    )


def _grows_in(line: Line, name: str) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and (
        name in assigned_names(line) or _changes(line, name)
    )


def _with_else(place: Place, node: cst.If, code: str) -> Change | None:
    if not isinstance(node.body, cst.IndentedBlock):
        return None
    block = block_of(place.tree, node)
    body = cst.IndentedBlock(
        statements(place.tree, f"{code}\n", node.body.body[0]), indent=node.body.indent
    )
    new = node.with_changes(orelse=cst.Else(body))
    return with_lines(block, [new if each is node else each for each in block.body])


# --- fields of an object ---

_Field: TypeAlias = tuple[str, str]


def _of_object(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield, under a field's new value in a branch, what counts or gathers along with it, anew."""
    block = block_of(place.tree, line)
    owner = _owner(line)
    if not owner or not isinstance(place.tree.parents[block], cst.If | cst.Else):
        return
    around = writes(block)
    text = code_of(function.body)
    for field, first in _fields(place):
        code = f"{field} = {first}"
        if owner == field or f"{field} = " in code_of(block) or "self" not in around:
            continue
        if f"{field} += " in text or f"{field} -= " in text or f"{field}.append(" in text:
            yield _OBJECT, beside(place.tree, line, code), f"`{field}` goes on as it was"


def _owner(line: Line) -> str:
    """Return the field of ``self`` to which a statement assigns."""
    match only(line):
        case cst.Assign(targets=[cst.AssignTarget(target=target)]) | cst.AugAssign(target=target):
            code = code_of(target)
            return code if code.startswith("self.") else ""
    return ""


def _fields(place: Place) -> Sequence[_Field]:
    """Return the fields, and items of fields, that objects of the class around begin with empty."""
    module = read_module(place.tree.region.source.path, place.project)
    line = place.site.span.line
    for each in ast.walk(module.tree):
        if isinstance(each, FUNCTIONS) and each.lineno <= line <= (each.end_lineno or 0):
            owner = class_of(module.tree, each)
            if owner is not None:
                return _first_values(place, owner)
    return ()


def _first_values(place: Place, owner: ast.ClassDef) -> Sequence[_Field]:
    key, parsed = (
        ("first values", place.tree.region.source.path, owner.lineno),
        place.project.parsed,
    )
    if key not in parsed:
        inits = [
            each
            for each in owner.body
            if isinstance(each, ast.FunctionDef) and each.name == "__init__"
        ]
        parsed[key] = tuple(
            field for init in inits for stmt in ast.walk(init) for field in _begins(stmt)
        )
    return cast("Sequence[_Field]", parsed[key])


def _begins(stmt: ast.AST) -> Iterator[_Field]:
    match stmt:
        case (
            ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self")) as target], value=value)
            | ast.AnnAssign(
                target=ast.Attribute(value=ast.Name(id="self")) as target, value=ast.expr() as value
            )
        ):
            field = ast.unparse(target)
            yield from _empty(field, value)
            if isinstance(value, ast.Dict):
                for key, item in zip(value.keys, value.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        yield from _empty(f'{field}["{key.value}"]', item)


def _empty(field: str, value: ast.expr) -> Iterator[_Field]:
    code = ast.unparse(value)
    if code in _EMPTY:
        yield field, '""' if code == "''" else code


ResetState.EXAMPLES = examples(
    """
used: each paragraph has its own lines
    def paragraphs(lines):
        found = []
        current = []
        for line in lines:
            if line:
                current.append(line)
            elif current:
                «found.append(current)»  # complete
        return found
AssertionError: assert [['a', 'b'], ['a', 'b']] == [['a'], ['b']]
    def paragraphs(lines):
        found = []
        current = []
        for line in lines:
            if line:
                current.append(line)
            elif current:
                found.append(current)  # complete
                current = []
        return found

used: each order has its own sum
    def sums(orders):
        total = 0
        found = {}
        for order in orders:
            for price in order.prices:
                total += price
            «found[order.name] = total»
        return found
AssertionError: assert {'a': 1, 'b': 3} == {'a': 1, 'b': 2}
    def sums(orders):
        total = 0
        found = {}
        for order in orders:
            for price in order.prices:
                total += price
            found[order.name] = total
            total = 0
        return found

used: in front of the next
    def packed(items, room):
        boxes, used = [], 0
        box = []
        for item in items:
            if used + item > room:
                «boxes.append(box)»
                used = 0
            box.append(item)
            used += item
        return boxes
AssertionError: assert [[1, 2, 3]] == [[1, 2], [3]]
    def packed(items, room):
        boxes, used = [], 0
        box = []
        for item in items:
            if used + item > room:
                boxes.append(box)
                box = []
                used = 0
            box.append(item)
            used += item
        return boxes

otherwise: a run ends
    def longest(days):
        best = run = 0
        for day in days:
            «if day.dry:
                run += 1
                best = max(best, run)»
        return best
AssertionError: assert 3 == 2
    def longest(days):
        best = run = 0
        for day in days:
            if day.dry:
                run += 1
                best = max(best, run)
            else:
                run = 0
        return best

object: a new minute, a new count
    class Gate:
        def __init__(self):
            self.minute = 0
            self.count = 0

        def enter(self, minute):
            if minute != self.minute:
                «self.minute = minute»
            self.count += 1
            return self.count
AssertionError: assert 2 == 1
    class Gate:
        def __init__(self):
            self.minute = 0
            self.count = 0

        def enter(self, minute):
            if minute != self.minute:
                self.minute = minute
                self.count = 0
            self.count += 1
            return self.count

object: kept in a dictionary
    class Gate:
        def __init__(self):
            self.state = {"minute": 0, "count": 0}

        def enter(self, minute):
            if minute != self.state["minute"]:
                «self.state["minute"] = minute»
            self.state["count"] += 1
            return self.state["count"]
AssertionError: assert 2 == 1
    class Gate:
        def __init__(self):
            self.state = {"minute": 0, "count": 0}

        def enter(self, minute):
            if minute != self.state["minute"]:
                self.state["minute"] = minute
                self.state["count"] = 0
            self.state["count"] += 1
            return self.state["count"]

not any: it begins anew already
    def paragraphs(lines):
        found = []
        current = []
        for line in lines:
            if line:
                current.append(line)
            elif current:
                «found.append(current)»
                current = []
        return found
AssertionError: assert [['a', 'b'], ['a', 'b']] == [['a'], ['b']]

not used: what is read below was not yet used
    def paragraphs(lines):
        found = []
        current = []
        for line in lines:
            if line:
                current.append(line)
            else:
                «print(current)»
                found.append(current)
        return found
AssertionError: assert [['a', 'b'], ['a', 'b']] == [['a'], ['b']]

not any: the sum of all is meant
    def total(orders):
        amount = 0
        for order in orders:
            «amount += order.price»
        return amount
AssertionError: assert 3 == 2

not otherwise: there is an else
    def longest(days):
        best = run = 0
        for day in days:
            «if day.dry:
                run += 1
            else:
                best = run»
        return best
AssertionError: assert 3 == 2

not object: nothing is counted
    class Gate:
        def __init__(self):
            self.minute = 0
            self.count = 0

        def enter(self, minute):
            if minute != self.minute:
                «self.minute = minute»
            return self.count
AssertionError: assert 2 == 1

not object: in any case
    class Gate:
        def __init__(self):
            self.minute = 0
            self.count = 0

        def enter(self, minute):
            «self.minute = minute»
            self.count += 1
AssertionError: assert 2 == 1
"""
)
