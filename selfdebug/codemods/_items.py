"""Items that are missing in what a function goes through: leave them out, or give them a value."""

from __future__ import annotations

import re

import libcst as cst

from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._leave import filtering
from selfdebug.codemods._names import identifiers
from selfdebug.codemods._place import place
from selfdebug.codemods._style import quoted
from selfdebug.codemods._use import Use, callee, use_of
from selfdebug.syntax.region import Tree

_ABOUT_ITEMS = re.compile(r"sequence item \d+|not supported between|unsupported operand")
_NUMBERS = re.compile(r"'(?:int|float|complex|(?:\w+\.)?Decimal|(?:\w+\.)?Fraction)'")
_GOES_THROUGH = frozenset({"join", "sorted", "min", "max", "sum"})


def holds_none(tree: Tree, bad: cst.BaseExpression, message: str) -> bool:
    """Say whether a failure speaks of the items of an argument, and not of the argument."""
    return (
        use_of(tree, bad) is Use.ARGUMENT
        and callee(tree, bad) in _GOES_THROUGH
        and _ABOUT_ITEMS.search(message) is not None
    )


def gone_through(tree: Tree, call: cst.CSTNode, message: str) -> cst.BaseExpression | None:
    """Return what a call goes through, if it failed for an item of that."""
    match call:
        case cst.Call(args=[cst.Arg(value=items, star=""), *_]) if holds_none(tree, items, message):
            return items
    return None


def without_items(tree: Tree, bad: cst.BaseExpression) -> Change | None:
    """Return the change that leaves the missing items out."""
    if isinstance(bad, cst.BaseSimpleComp):
        return filtering(tree, bad.elt)
    return _comprehended(tree, bad, "{0} for {0} in OLD if {0} is not None")


def with_items(tree: Tree, bad: cst.BaseExpression, message: str) -> Change | None:
    """Return the change that joins "" and adds 0 for the missing items; others have no neutral item."""
    text = quoted(tree, bad, '""') if callee(tree, bad) == "join" else None
    if callee(tree, bad) == "sum" and _NUMBERS.search(message):
        text = "0"
    if text is None:
        return None
    if isinstance(bad, cst.BaseSimpleComp):
        return replaced(tree, bad.elt, lambda old: expression(f"OLD or {text}", OLD=old))
    return _comprehended(tree, bad, f"{{0}} or {text} for {{0}} in OLD")


def _comprehended(tree: Tree, bad: cst.BaseExpression, form: str) -> Change | None:
    function = place(tree, bad).function or tree.module
    name = _singular(bad)
    if name in identifiers(function):
        return None
    call = tree.parents[tree.parents[bad]]
    alone = isinstance(call, cst.Call) and len(call.args) == 1

    def make(old: cst.BaseExpression) -> cst.BaseExpression:
        made = expression(f"({form.format(name)})", OLD=old)
        return made.with_changes(lpar=[], rpar=[]) if alone else made

    if alone:
        return {bad: make}
    return replaced(tree, bad, make)


def _singular(node: cst.BaseExpression) -> str:
    """Name an item after what holds it."""
    match node:
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            one = re.sub(r"ies$", "y", name)
            one = re.sub(r"(?<=s|x)es$|(?<=ch|sh)es$|(?<![s])s$", "", one) if one == name else one
            return one if one not in (name, "") else "item"
    return "item"
