"""Conditions under which a statement may be wrong to run, made of what its function has at hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

import libcst as cst

from selfdebug.codemods._blocks import (
    function_of,
    header,
    loop_of,
    nodes_of,
    params_of,
    reads,
    spellings,
    target_names,
)
from selfdebug.codemods._first_order import Place
from selfdebug.codemods._names import code_of, dotted, root
from selfdebug.codemods._recorded import holds
from selfdebug.codemods._variables import is_alike
from selfdebug.syntax.modules import read_module

Kind: TypeAlias = Literal["seen", "unused", "flag", "missing", "bound", "donor", "pair"]
_ADDING = frozenset(("add", "append", "appendleft"))
_GIVEN = frozenset(("seen", "visited", "cache", "memo", "known", "done", "used"))
_SIZED = frozenset(("str", "list", "tuple", "dict", "set", "bytes", "collections.deque"))
_NEGATED: dict[type[cst.BaseCompOp], str] = {
    cst.LessThan: ">=",
    cst.LessThanEqual: ">",
    cst.GreaterThan: "<=",
    cst.GreaterThanEqual: "<",
    cst.Equal: "!=",
    cst.NotEqual: "==",
    cst.In: "not in",
    cst.NotIn: "in",
    cst.Is: "is not",
    cst.IsNot: "is",
}
_DONORS = 3
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_TEXT = re.compile(r"[\n\"']")
_WORDS = frozenset(("not", "in", "is", "None"))


@dataclass(frozen=True)
class Doubt:
    """A condition ``wrong`` under which a statement should not run, its opposite, and what it reads."""

    kind: Kind
    wrong: str
    right: str
    about: str

    @property
    def names(self) -> frozenset[str]:
        """The names that the condition reads."""
        return names_in(self.wrong)


def names_in(code: str) -> frozenset[str]:
    """Return the names that a condition without texts reads."""
    return frozenset(_NAME.findall(code)) - _WORDS


def doubts(place: Place, function: cst.FunctionDef) -> list[Doubt]:
    """Return the conditions that may be missing in front of a statement, the likeliest kinds first.

    Those that did not hold when the function was left in the failing test come last.
    """
    known = {*place.names, "self", "len"}
    used = [each for part in header(place.statement) for each in spellings(part)]
    given = [each.name.value for each in params_of(function)]
    used += [name for name in given if name not in used and name in {*map(root, used)}]
    found = [
        *_seen(place, function, used),
        *_unused(place, function, used),
        *(each for name in used for each in _values(place, name)),
        *_pairs(place, function, used),
        *_donors(place, function, used),
        *_predicates(place, function, used),
    ]
    fitting = [each for each in dict.fromkeys(found) if each.names <= known]
    return sorted(fitting, key=lambda each: holds(each.wrong, place.values) is False)


def _seen(place: Place, function: cst.FunctionDef, used: list[str]) -> Iterator[Doubt]:
    """Yield that an item is in a container already: in one that is filled with it, or goes with it."""
    for owner, item in (*_stored(function), *_passed(function, place.statement)):
        if {root(owner), root(item)} & {root(each) for each in used}:
            yield Doubt("seen", f"{item} in {owner}", f"{item} not in {owner}", item)


def _stored(function: cst.FunctionDef) -> Iterator[tuple[str, str]]:
    """Yield the containers that a function fills, each with what is put in."""
    for each in nodes_of(function.body):
        match each:
            case cst.Call(
                func=cst.Attribute(value=owner, attr=cst.Name(value=method)),
                args=[cst.Arg(value=item)],
            ) if method in _ADDING and dotted(owner) and dotted(item):
                yield code_of(owner), code_of(item)
            case cst.AssignTarget(
                target=cst.Subscript(
                    value=owner, slice=[cst.SubscriptElement(slice=cst.Index(value=item))]
                )
            ) if dotted(owner) and isinstance(item, cst.Name | cst.Attribute | cst.Tuple):
                yield code_of(owner), code_of(item)


def _passed(function: cst.FunctionDef, statement: cst.CSTNode) -> Iterator[tuple[str, str]]:
    """Yield a parameter that keeps what was visited, with the argument of a call of the function."""
    given = [each.name.value for each in params_of(function) if each.name.value in _GIVEN]
    own = [each.name.value for each in params_of(function)]
    for each in (statement, *nodes_of(statement)) if given else ():
        match each:
            case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=item)), *_]):
                if (dotted(func) or "").rpartition(".")[2] == function.name.value:
                    yield from ((name, item) for name in given)
    yield from ((name, own[0]) for name in given if own[0] != name)


def _unused(place: Place, function: cst.FunctionDef, used: list[str]) -> Iterator[Doubt]:
    """Yield what a parameter may say that the function never reads."""
    read = reads(function.body)
    for param in params_of(function):
        name = param.name.value
        if name in read:
            continue
        seen = place.values.get(name)
        default = code_of(param.default) if param.default is not None else ""
        if default in ("True", "False") or (seen is not None and seen.type == "bool"):
            yield Doubt("unused", f"not {name}", name, name)
            yield Doubt("unused", name, f"not {name}", name)
            continue
        for other in [each for each in used if each != name][:2]:
            if _is_sized(place, function, other):
                yield Doubt("unused", f"len({other}) >= {name}", f"len({other}) < {name}", name)
                continue
            yield Doubt("unused", f"{other} > {name}", f"{other} <= {name}", name)
            yield Doubt("unused", f"{other} < {name}", f"{other} >= {name}", name)
            yield Doubt("unused", f"{other} == {name}", f"{other} != {name}", name)


def _is_sized(place: Place, function: cst.FunctionDef, name: str) -> bool:
    """Say whether a variable is a container, as far as its value or its use shows."""
    seen = place.values.get(name)
    if seen is not None:
        return seen.type in _SIZED
    return any(owner == name for owner, _ in _stored(function))


def _values(place: Place, name: str) -> Iterator[Doubt]:
    """Yield that a value is missing, zero or below, as far as its type allows."""
    seen = place.values.get(name)
    kind = seen.type if seen else ""
    if kind == "bool":
        yield Doubt("flag", f"not {name}", name, name)
        yield Doubt("flag", name, f"not {name}", name)
    elif kind in ("int", "float", "decimal.Decimal", "fractions.Fraction"):
        for wrong, right in (("<= 0", "> 0"), ("< 0", ">= 0"), ("== 0", "!= 0")):
            yield Doubt("bound", f"{name} {wrong}", f"{name} {right}", name)
        if kind == "int" and _is_given(place, name):
            yield Doubt("bound", f"{name} <= 1", f"{name} > 1", name)
    elif kind in _SIZED or (seen is None and _may_be_empty(place, name)):
        yield Doubt("missing", f"not {name}", name, name)
        if kind in ("list", "str", "tuple", "") and _is_given(place, name):
            yield Doubt("bound", f"len({name}) < 2", f"len({name}) >= 2", name)
    if kind == "NoneType" or (seen is None and _may_be_none(place, name)):
        yield Doubt("missing", f"{name} is None", f"{name} is not None", name)


def _pairs(place: Place, function: cst.FunctionDef, used: list[str]) -> Iterator[Doubt]:
    """Yield that two parameters do not go together: in the wrong order, or not as many of each."""
    given = [each.name.value for each in params_of(function) if each.name.value in used]
    for at, one in enumerate(given):
        for other in given[at + 1 :]:
            sized = [_is_sized(place, function, name) for name in (one, other)]
            if all(sized):
                yield Doubt(
                    "pair", f"len({one}) != len({other})", f"len({one}) == len({other})", one
                )
            elif not any(sized) and is_alike(one, other):
                yield Doubt("pair", f"{one} > {other}", f"{one} <= {other}", one)
                yield Doubt("pair", f"{one} >= {other}", f"{one} < {other}", one)


def _is_given(place: Place, name: str) -> bool:
    function = function_of(place.tree, place.node)
    return function is not None and any(each.name.value == name for each in params_of(function))


def _may_be_empty(place: Place, name: str) -> bool:
    """Say whether a parameter of which no value was seen is used as a container or a text."""
    function = function_of(place.tree, place.node)
    if function is None or not _is_given(place, name):
        return False
    for each in nodes_of(function.body):
        match each:
            case cst.For(iter=cst.Name(value=owner)) | cst.CompFor(iter=cst.Name(value=owner)):
                if owner == name:
                    return True
            case cst.Subscript(value=cst.Name(value=owner)) if owner == name:
                return True
            case cst.Call(func=cst.Name(value="len" | "max" | "min"), args=[argument, *_]):
                if code_of(argument.value) == name:
                    return True
    return False


def _may_be_none(place: Place, name: str) -> bool:
    """Say whether a parameter of which no value was seen has None for a default, or attributes."""
    function = function_of(place.tree, place.node)
    for param in params_of(function) if function else ():
        if param.name.value == name:
            none = param.default is not None and code_of(param.default) == "None"
            return none or any(
                isinstance(each, cst.Attribute) and code_of(each.value) == name
                for each in nodes_of(function.body if function else param)
            )
    return False


def _donors(place: Place, function: cst.FunctionDef, used: list[str]) -> Iterator[Doubt]:
    """Yield the comparisons that the function makes elsewhere of what the statement uses."""
    around = {*place.tree.ancestors(place.node)}
    here = {root(each) for each in used}
    shown = 0
    for each in nodes_of(function.body):
        match each:
            case cst.Comparison(left=left, comparisons=[target]):
                holder = place.tree.parents[each]
                apart = holder not in around and each not in nodes_of(place.statement)
                negated = _NEGATED.get(type(target.operator))
                if not apart or negated is None or reads(each).isdisjoint(here):
                    continue
                code = code_of(each.with_changes(lpar=(), rpar=()))
                other = f"{code_of(left)} {negated} {code_of(target.comparator)}"
                if shown < _DONORS and not _TEXT.search(code):
                    shown += 1
                    yield Doubt("donor", other, code, code_of(left))
                    yield Doubt("donor", code, other, code_of(left))


def _predicates(place: Place, function: cst.FunctionDef, used: list[str]) -> Iterator[Doubt]:
    """Yield what the module asks of a variable of that name by a method without arguments."""
    own = {root(each) for each in used}
    loop = loop_of(place.tree, place.node)
    if isinstance(loop, cst.For):
        own |= {*target_names(loop.target)}
    around = {code_of(each) for each in nodes_of(function.body) if isinstance(each, cst.Call)}
    asked = [*_asked(place)]
    for name, code in sorted(asked, key=lambda each: each[1] not in around):
        if name in own:
            yield Doubt("donor", f"not {code}", code, name)
            yield Doubt("donor", code, f"not {code}", name)


def _asked(place: Place) -> tuple[tuple[str, str], ...]:
    """Return the calls ``name.method()`` that the module has for a condition, with the name."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("predicates", path)
    if key not in parsed:
        found: dict[tuple[str, str], None] = {}
        for node in ast.walk(read_module(path, place.project).tree):
            match getattr(node, "test", None):
                case ast.UnaryOp(op=ast.Not(), operand=test):
                    pass
                case test:
                    pass
            match test:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=[], keywords=[]):
                    found[name, ast.unparse(test)] = None
        parsed[key] = tuple(found)
    return cast("tuple[tuple[str, str], ...]", parsed[key])
