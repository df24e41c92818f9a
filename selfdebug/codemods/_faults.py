"""What was wrong with a value where it failed: zero, too short, without a key, of another class."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from selfdebug.codemods._base import Target
from selfdebug.codemods._fault import MISSING, ZERO, Fault, empty
from selfdebug.codemods._import import importing
from selfdebug.codemods._known import holds
from selfdebug.codemods._names import dotted, identifiers
from selfdebug.codemods._place import calls
from selfdebug.codemods._reach import reaches
from selfdebug.model import Edit, Site
from selfdebug.syntax.region import Tree

_MAPPINGS = frozenset(
    ("dict", "OrderedDict", "defaultdict", "Counter", "mappingproxy", "_Environ", "ChainMap")
)
_LONGEST = 40  # characters of a key that is written a second time
_TYPES: tuple[type, ...] = (str, bytes, int, float, bool, list, tuple, dict, set, frozenset)
_WRONG_TYPE = re.compile(r"^(?:argument of type |object of type )?'(\w+)'")
_NO_NUMBER = re.compile(r"cannot convert float (?:NaN|infinity)")
_NEGATIVE = re.compile(r"negative (?:shift count|values)|nonnegative input|math domain error")
_NO_ATTRIBUTE = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
_NO_OBJECTS = frozenset(("NoneType", "type", "function", "method", "module", "coroutine"))
_POSITIVE = frozenset(("log", "log2", "log10"))


@dataclass(frozen=True)
class Failing:
    """An expression that failed, the value in it that was wrong, and what was wrong with that."""

    needs: cst.BaseExpression
    bad: cst.BaseExpression
    fault: Fault


def failings(tree: Tree, site: Site) -> Iterator[Failing]:
    """Yield what may have been wrong at a site, in the order of the nodes."""
    for node in tree.at(site.bad) if site.bad else ():
        if isinstance(node, cst.BaseExpression):
            yield from _of_operand(tree, node, site)
    if site.exc_type == "KeyError":
        for node in tree.at(site.span):
            found = lookup(node)
            fault = found and is_meant(tree, found, site) and key_fault(tree, found)
            if found and fault:
                yield Failing(found.node, found.node, fault)
        return
    for reach in reaches(tree, site):
        if reach.bad is not None:
            yield Failing(reach.needs, reach.bad, reach.fault)


def _of_operand(tree: Tree, node: cst.BaseExpression, site: Site) -> Iterator[Failing]:
    held = site.locals.get(dotted(node) or "")
    if "ZeroDivision" in site.exc_type or "DivisionByZero" in site.exc_type:
        found = zero(node, site)
        if found:
            yield Failing(node, *found)
    elif (held is not None and held.type == "NoneType") or "NoneType" in site.message:
        yield Failing(node, node, MISSING)
    else:
        yield from value_failings(tree, node, site)


# --- zero ---


def zero(divisor: cst.BaseExpression, site: Site) -> tuple[cst.BaseExpression, Fault] | None:
    """Return the part of a divisor that has to be tested, and the test; None where none is plain."""
    match divisor:
        case cst.BinaryOperation(left=left, operator=cst.Multiply(), right=right):
            zeros = [each for each in (left, right) if _was_zero(each, site)]
            return zero(zeros[0], site) if len(zeros) == 1 else None
        case cst.BinaryOperation(left=left, operator=cst.Subtract(), right=right):
            one, other = dotted(left), dotted(right)
            if one is None or other is None:
                return None
            words = f"is {other}"
            return divisor, Fault(f"{one} == {other}", f"{one} != {other}", words, about=one)
        case cst.Call(func=cst.Name(value="float" | "int" | "abs"), args=[argument]):
            return zero(argument.value, site)
        case cst.Call(func=cst.Name(value="len"), args=[cst.Arg(value=value)]):
            return value, empty(site.locals.get(dotted(value) or ""))
    return (divisor, ZERO) if isinstance(divisor, cst.Call) or dotted(divisor) else None


def _was_zero(node: cst.BaseExpression, site: Site) -> bool:
    value = site.locals.get(dotted(node) or "")
    return value is not None and value.text in ("0", "0.0", "-0.0")


# --- keys ---


@dataclass(frozen=True)
class Lookup:
    """An item that a mapping did not have; ``node`` is the subscript, or the call that removes."""

    node: cst.Subscript | cst.Call
    mapping: cst.BaseExpression
    key: cst.BaseExpression


def lookup(node: cst.CSTNode) -> Lookup | None:
    """Return the item that a node asks a mapping for; None where it does no such thing."""
    match node:
        case cst.Subscript(
            value=mapping, slice=[cst.SubscriptElement(slice=cst.Index(value=key, star=None))]
        ):
            return Lookup(node, mapping, key)
        case cst.Call(
            func=cst.Attribute(value=mapping, attr=cst.Name(value="pop" | "remove")),
            args=[cst.Arg(value=key, keyword=None, star="")],
        ):
            return Lookup(node, mapping, key)
    return None


def is_meant(tree: Tree, found: Lookup, site: Site) -> bool:
    """Say whether it is the key that was missing, and the mapping one that has the usual methods."""
    held = site.locals.get(dotted(found.mapping) or "")
    if held is not None and held.type.rpartition(".")[2] not in _MAPPINGS | {"set"}:
        return False
    if isinstance(found.key, cst.SimpleString):
        return repr(found.key.evaluated_value) == site.attrs.get("key", site.message)
    return not tree.code(found.key).startswith("lambda")


def missing_key(tree: Tree, found: Lookup, site: Site) -> str:
    """Return the key that was missing: its value where the failure shows that, else its code."""
    shown = str(site.attrs.get("key", site.message))
    if site.exc_type == "KeyError" and 0 < len(shown) <= _LONGEST and shown.isprintable():
        return shown
    return tree.code(found.key)


def key_fault(tree: Tree, found: Lookup) -> Fault | None:
    """Return the test for a key; None where the key or the mapping may not be evaluated twice."""
    mapping, key = dotted(found.mapping), tree.code(found.key)
    if mapping is None or calls(found.key) or len(key) > _LONGEST:
        return None
    words = "has no " + key.replace('"', "").replace("'", "")
    return Fault(f"{key} not in {mapping}", f"{key} in {mapping}", words, about=mapping)


# --- classes and numbers ---


def also(fault: Fault, target: Target) -> tuple[Edit, ...]:
    """Return the edit by which a file gets the module that a test needs, if it lacks it."""
    if not fault.module:
        return ()
    edit = importing(target.site.file, f"import {fault.module}", target.project)
    return () if edit is None else (edit,)


def value_failings(tree: Tree, node: cst.BaseExpression, site: Site) -> Iterator[Failing]:
    """Yield what was wrong with a value that was there: its class, or the number that it was."""
    fault = _number(tree, site) or _type(site)
    if fault is None or not {*identifiers(node)}:  # what is written there is wrong for everyone
        return
    if holds(fault.wrong.format(tree.code(node)), site.locals) is not False:
        yield Failing(node, node, fault)


def _number(tree: Tree, site: Site) -> Fault | None:
    if _NO_NUMBER.search(site.message):
        return Fault("not math.isfinite({})", "math.isfinite({})", "is not finite", module="math")
    if site.message.startswith("int too large to convert to float"):
        return Fault("isinstance({}, int)", "not isinstance({}, int)", "is too large")
    if site.exc_type == "ValueError" and _NEGATIVE.search(site.message):
        whole = next(iter(tree.at(site.span)), None)
        name = dotted(whole.func) if isinstance(whole, cst.Call) else ""
        if (name or "").rpartition(".")[2] in _POSITIVE:
            return Fault("{} <= 0", "{} > 0", "is not positive")
        return Fault("{} < 0", "{} >= 0", "is negative")
    return None


def _type(site: Site) -> Fault | None:
    """Return the test for the class that has the attribute, or against the one that was seen."""
    found = _WRONG_TYPE.search(site.message)
    kind = site.exc_type.rpartition(".")[2]
    if found is None or kind not in ("TypeError", "AttributeError") or "near" in site.attrs:
        return None
    if kind == "AttributeError":
        return _attribute(site)
    if found[1] in {each.__name__ for each in _TYPES}:
        name = found[1]
        test = f"isinstance({{}}, {name})"
        return Fault(test, f"not {test}", f"is of type {name}")
    return None


def _attribute(site: Site) -> Fault | None:
    match = _NO_ATTRIBUTE.search(site.message)
    if match is None or match[1] in _NO_OBJECTS:
        return None
    name = match[2]
    owners = [each.__name__ for each in _TYPES if hasattr(each, name)]
    if owners == ["int", "float", "bool"] or len(owners) > 2 or name.startswith("_"):
        return None
    if owners:
        kinds = owners[0] if len(owners) == 1 else f"({', '.join(owners)})"
        words = f"is not of type {' or '.join(owners)}"
        return Fault(f"not isinstance({{}}, {kinds})", f"isinstance({{}}, {kinds})", words)
    return Fault(f'not hasattr({{}}, "{name}")', f'hasattr({{}}, "{name}")', f"has no {name}")
