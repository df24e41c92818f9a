"""BorrowedStatement: a correction that other functions of the project make to such a value too."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeAlias, cast

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._blocks import block_of, function_of, is_docstring, line_of, params_of
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import above, below, statements
from selfdebug.codemods._kinds import NUMBERS, Kind, kind_of
from selfdebug.codemods._names import code_of
from selfdebug.codemods._variables import fits, is_alike, kind_named
from selfdebug.syntax.bindings import FUNCTIONS, Function
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.source import Source, Unreadable

_CORRECTED = small_edit(
    "corrected",
    "correct the value as another function does",
    0.2,
    "number sign text whitespace case",
    growth=1,
)
_BOUND = small_edit(
    "at-bound",
    "correct the value as another function does, at the other side of the bound",
    0.1,
    "number sign",
    growth=1,
)
_APPLIED = small_edit(
    "applied", "do with the value what another function does", 0.08, "number text whitespace case"
)
_CHECKED = small_edit(
    "checked", "check the value as another function does", 0.2, "raises none bool empty", growth=1
)
_OTHER_SIDE: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
}
_SHOWN = 4
_FUNCTIONS = 200  # of a project in which corrections are looked for


@dataclass(frozen=True)
class Correction:
    """A statement of a function that changes a variable by what it held; ``test`` is "" for always.

    With ``leaves`` it changes nothing, but leaves the function where the test holds.

    ``names`` are what it reads besides, ``kind`` that of the variable as far as the statement shows.
    """

    variable: str
    test: str
    change: str
    names: frozenset[str]
    kind: Kind
    other_test: str = ""
    leaves: bool = False


class BorrowedStatement(FirstOrder):
    """Correct a variable as another function of the project corrects one of its kind."""

    DESCRIPTION = "Correct a value as other functions do."
    NAME = "borrowed-statement"
    VARIANTS = (_CORRECTED, _CHECKED, _BOUND, _APPLIED)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the corrections under an assignment, and those of parameters above the first use."""
        node, function = place.node, function_of(place.tree, place.node)
        line = line_of(place.tree, node) if node is place.statement else None
        if line is None or function is None:
            return
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                kind = kind_named(place, name) or kind_of(place, value)
                yield from _corrected(place, function, name, kind, under=True)
        body = [each for each in block_of(place.tree, line).body if not is_docstring(each)]
        if block_of(place.tree, line) is function.body and line is body[0]:
            for name in [each.name.value for each in params_of(function)]:
                yield from _corrected(place, function, name, kind_named(place, name), under=False)


def _corrected(
    place: Place, function: cst.FunctionDef, name: str, kind: Kind, under: bool
) -> Iterator[Form]:
    known = {*place.names, "self"} | vars(builtins).keys()
    fitting = [
        each
        for each in _corrections(place, function)
        if each.names <= known and fits(kind, each.kind) and _is_near(each, name, kind, under)
    ]
    text = code_of(function) if fitting else ""
    fitting.sort(key=lambda each: each.variable != name and not is_alike(each.variable, name))
    for each in islice(fitting, _SHOWN):
        change = _renamed(each.change, each.variable, name)
        if (not each.leaves and change in text) or (
            each.test and _renamed(each.test, each.variable, name) in text
        ):
            continue
        for form, test in _tests(each):
            # What raises in front of a crash heals only a test that asks for just that.
            returns = each.leaves and not each.change.startswith("raise")
            variant = place.in_front(form) if returns else form
            code = f"if {test}:\n    {each.change}\n" if test else f"{each.change}\n"
            new = statements(place.tree, _renamed(code, each.variable, name), place.node)
            if under:
                assert isinstance(place.node, cst.BaseSmallStatement)
                made = below(place.tree, place.node, new)
            else:
                made = above(place.tree, place.node, new)
            yield variant, made, f"another function does that with its `{each.variable}`"


def _is_near(correction: Correction, name: str, kind: Kind, under: bool) -> bool:
    """Say whether a variable may need a correction: its name is the same, or its kind is known to be."""
    if correction.variable == name:
        return True
    both_known = bool(kind) and bool(correction.kind)
    return both_known and (under or is_alike(correction.variable, name))


def _tests(correction: Correction) -> Iterator[tuple[Variant, str]]:
    if correction.leaves:
        yield _CHECKED, correction.test
        return
    yield (_CORRECTED if correction.test else _APPLIED), correction.test
    if correction.other_test:
        yield _BOUND, correction.other_test


def _renamed(code: str, old: str, new: str) -> str:
    return re.sub(rf"(?<![\w.\"']){re.escape(old)}(?!\w)", new, code)


def _corrections(place: Place, function: cst.FunctionDef) -> Iterator[Correction]:
    """Yield the corrections of the other functions of the module, and of those that it imports."""
    path, line = place.tree.region.source.path, place.tree.span(function).line
    seen: set[Correction] = set()
    for where, first, last, correction in _every(place):
        own = where == path and first <= line <= last
        if not own and correction not in seen:
            seen.add(correction)
            yield correction


_Found: TypeAlias = tuple[Path, int, int, Correction]


def _every(place: Place) -> tuple[_Found, ...]:
    """Return what functions correct, each with the file and the lines of its function."""
    key, parsed = ("corrections", place.tree.region.source.path), place.project.parsed
    if key not in parsed:
        parsed[key] = tuple(
            (module.source.path, _first_line(node), node.end_lineno or 0, correction)
            for module, node in islice(_functions(place), _FUNCTIONS)
            for stmt in ast.walk(node)
            for correction in _correction(module.source, stmt)
        )
    return cast("tuple[_Found, ...]", parsed[key])


def _first_line(node: Function) -> int:
    return min((each.lineno for each in node.decorator_list), default=node.lineno)


def _functions(place: Place) -> Iterator[tuple[Module, Function]]:
    """Yield the functions of a module, then those of the project's modules that it imports from."""
    project = place.project
    own = read_module(place.tree.region.source.path, project)
    yield from ((own, each.node) for each in own.definitions if isinstance(each.node, FUNCTIONS))
    names = (full.rpartition(".")[0] for full in own.imports.values())
    for name in dict.fromkeys(filter(None, names)):
        path = project.module(name)
        if path is None or path == own.source.path:
            continue
        with suppress(Unreadable, OSError):
            other = read_module(path, project)
            yield from (
                (other, each.node) for each in other.definitions if isinstance(each.node, FUNCTIONS)
            )


def _correction(source: Source, stmt: ast.AST) -> Iterator[Correction]:
    """Yield what a statement corrects: ``if x < 0: x += DAY``, ``x = x.strip()``, ``x %= DAY``."""
    match stmt:
        case ast.If(test=test, body=[ast.Assign() | ast.AugAssign() as change], orelse=[]):
            variable = _variable(change)
            if variable and variable in _names(test):
                parts = _code(source, test), _code(source, change)
                if all(parts):
                    names = _names(test) | _names(change)
                    yield Correction(
                        variable, *parts, names - {variable}, _kind(test), _moved(source, test)
                    )
        case ast.If(test=test, body=[ast.Raise() | ast.Return() as leave], orelse=[]):
            yield from _check(source, test, leave)
        case ast.Assign() | ast.AugAssign():
            variable, code = _variable(stmt), _code(source, stmt)
            if variable and code and _is_telling(stmt, variable):
                yield Correction(variable, "", code, _names(stmt) - {variable}, _kind(stmt.value))


def _check(source: Source, test: ast.expr, leave: ast.stmt) -> Iterator[Correction]:
    """Yield a test of a variable, under which a function leaves."""
    parts = _code(source, test), _code(source, leave)
    asked = [each.id for each in ast.walk(test) if isinstance(each, ast.Name)]
    variable = next((name for name in asked if not hasattr(builtins, name)), "self")
    if all(parts) and variable != "self":
        names = _names(test) | _names(leave)
        yield Correction(variable, *parts, names - {variable}, _kind(test), leaves=True)


def _variable(stmt: ast.Assign | ast.AugAssign) -> str:
    match stmt:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
            return name
    return ""


def _is_telling(stmt: ast.Assign | ast.AugAssign, variable: str) -> bool:
    """Say whether a statement makes a value right; a counter, a sum or a step does not."""
    if isinstance(stmt, ast.AugAssign):
        return isinstance(stmt.op, ast.Mod | ast.FloorDiv | ast.BitAnd)
    if variable not in _names(stmt.value):
        return False
    match stmt.value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name == variable
        case ast.Call() | ast.BinOp(op=ast.Mod()):
            return True
    return False


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _code(source: Source, node: ast.expr | ast.stmt) -> str:
    """Return the code of a node of one line, "" for any other."""
    if node.end_lineno != node.lineno:
        return ""
    return source.line(node.lineno).encode()[node.col_offset : node.end_col_offset].decode()


def _moved(source: Source, test: ast.expr) -> str:
    """Return a comparison with the bound on its other side; "" for any other test."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OTHER_SIDE:
            return f"{_code(source, left)} {_OTHER_SIDE[type(op)][1]} {_code(source, right)}"
    return ""


def _kind(node: ast.AST) -> Kind:
    """Return the kind of what a test or a value is about, as its constants and methods show."""
    for each in ast.walk(node):
        match each:
            case ast.Constant(value=bool() | None):
                continue
            case ast.Constant(value=value):
                kind = type(value).__name__
                return "number" if kind in NUMBERS else kind
            case ast.Attribute(attr=attr) if attr in _OF_TEXT:
                return "str"
            case ast.Compare(ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
                continue
            case ast.BinOp(op=ast.Mod() | ast.FloorDiv()):
                return "number"
    return ""


_OF_TEXT = frozenset(
    (
        *("strip", "lstrip", "rstrip", "lower", "upper", "casefold", "title", "capitalize"),
        *("removeprefix", "removesuffix", "startswith", "endswith", "expandtabs", "zfill"),
    )
)


BorrowedStatement.EXAMPLES = examples(
    """
checked: no amount below zero here either
    class Account:
        def pay_in(self, amount):
            if amount <= 0:
                raise ValueError("nothing to pay in")
            self.balance += amount

        def pay_out(self, amount):
            «self.balance -= amount»
Failed: DID NOT RAISE <class 'ValueError'>
    class Account:
        def pay_in(self, amount):
            if amount <= 0:
                raise ValueError("nothing to pay in")
            self.balance += amount

        def pay_out(self, amount):
            if amount <= 0:
                raise ValueError("nothing to pay in")
            self.balance -= amount

checked: nothing is known of an unknown name
    def price(prices, name):
        if name not in prices:
            return None
        return prices[name]

    def total(prices, name, count):
        «found = prices.get(name, 0)»
        return found * count
AssertionError: assert 0 is None
    def price(prices, name):
        if name not in prices:
            return None
        return prices[name]

    def total(prices, name, count):
        if name not in prices:
            return None
        found = prices.get(name, 0)
        return found * count

not checked: it asks for what is not known here
    def price(prices, name):
        if name not in prices:
            return None
        return prices[name]

    def shown(name):
        «text = name.title()»
        return text
AssertionError: assert 'A' is None

not checked: the function does so
    def price(prices, name):
        if name not in prices:
            return None
        return prices[name]

    def total(prices, name):
        «count = 2»
        if name not in prices:
            return None
        return count * prices[name]
AssertionError: assert 0 is None

corrected: an angle that goes round
    def heading(start, turn):
        angle = start + turn
        if angle >= 360:
            angle -= 360
        return angle

    def back(start):
        «course = start + 180»  # about
        return course
AssertionError: assert 450 == 90
where course: int = 450
    def heading(start, turn):
        angle = start + turn
        if angle >= 360:
            angle -= 360
        return angle

    def back(start):
        course = start + 180  # about
        if course >= 360:
            course -= 360
        return course

at-bound: a difference that is a whole round
    ROUND = 12

    def ahead(position, other):
        steps = other - position
        if steps <= 0:
            steps += ROUND
        return steps

    def behind(position, other):
        «steps = position - other»
        return steps
AssertionError: assert -4 == 8
where steps: int = -4
    ROUND = 12

    def ahead(position, other):
        steps = other - position
        if steps <= 0:
            steps += ROUND
        return steps

    def behind(position, other):
        steps = position - other
        if steps < 0:
            steps += ROUND
        return steps

corrected: a name that may begin with a sign
    def follow(users, name):
        if name.startswith("@"):
            name = name[1:]
        users.add(name)

    def leave(users, name):
        # Nothing happens to others.
        «users.discard(name)»
AssertionError: assert {'ann'} == set()
where name: str = '@ann'
    def follow(users, name):
        if name.startswith("@"):
            name = name[1:]
        users.add(name)

    def leave(users, name):
        if name.startswith("@"):
            name = name[1:]
        # Nothing happens to others.
        users.discard(name)

applied: keys are put in one form
    def put(store, key, value):
        key = key.strip().lower()
        store[key] = value

    def get(store, key):
        «return store.get(key)»
AssertionError: assert None == 1
where key: str = 'A'
    def put(store, key, value):
        key = key.strip().lower()
        store[key] = value

    def get(store, key):
        key = key.strip().lower()
        return store.get(key)

not any: it is done already
    def put(store, key, value):
        key = key.strip()
        store[key] = value

    def get(store, key):
        «key = key.strip()»
        return store.get(key)
AssertionError: assert None == 1

not any: a value of another kind
    def put(names, name):
        if name == "":
            name = "?"
        names.append(name)

    def count(names):
        «total = len(names)»
        return total
AssertionError: assert 0 == 1
where total: int = 0

not any: a counter corrects nothing
    def put(names, name):
        size = len(names)
        size += 1
        return size

    def count(names):
        «size = len(names)»
        return size
AssertionError: assert 0 == 1
where size: int = 0

not any: the other function has names of its own
    def heading(start, rounds):
        if start >= rounds:
            start -= rounds
        return start

    def back(start):
        «course = start + 180»
        return course
AssertionError: assert 450 == 90

not any: the function does it itself
    def put(store, key, value):
        key = key.strip()
        store[key] = value

    def get(store, key):
        «found = store»
        key = key.strip()
        return found.get(key)
AssertionError: assert None == 1
where key: str = 'a'

not applied: not at the top of the function
    def put(store, key, value):
        key = key.strip()
        store[key] = value

    def get(store, key):
        if key:
            «return store.get(key)»
        return None
AssertionError: assert None == 1
where key: str = ' a'
"""
)
