"""Reads beyond the end: what was empty or too short, and the test that tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from selfdebug.codemods._fault import Fault, empty
from selfdebug.codemods._names import code_of, dotted
from selfdebug.model import Site, Value
from selfdebug.syntax.region import Tree

_VIEWS = frozenset(("keys", "values", "items"))
_SORTING = frozenset(("sorted", "list", "tuple", "reversed"))
_ENDLESS = frozenset(("generator", "map", "filter", "zip", "enumerate", "list_iterator"))


@dataclass(frozen=True)
class Reach:
    """A read that found nothing: ``needs`` is the expression that failed, ``bad`` what it read from.

    ``bad`` is None where nothing can tell beforehand, as for an iterator.
    """

    needs: cst.BaseExpression
    bad: cst.BaseExpression | None
    fault: Fault


def reaches(tree: Tree, site: Site) -> Iterator[Reach]:
    """Yield the reads at a site that may have failed for want of items."""
    named = [*tree.at(site.bad)] if site.bad else []
    for node in tree.at(site.span):
        match node:
            case cst.Subscript(
                value=value, slice=[cst.SubscriptElement(slice=cst.Index(value=at))]
            ):
                yield from _subscript(node, value, at, site)
            case cst.Call(args=args) if named:
                subjects = [arg.value for arg in args]
                subjects += [node.func.value] if isinstance(node.func, cst.Attribute) else []
                for bad in subjects:
                    if bad in named:
                        yield _emptied(node, bad, site)


def _emptied(needs: cst.Call, bad: cst.BaseExpression, site: Site) -> Reach:
    source = _source(bad)
    held = _held(source, site)
    testable = held is None or held.type.rpartition(".")[2] not in _ENDLESS
    if isinstance(source, cst.BaseComp) or site.exc_type.endswith("StopIteration"):
        testable = False
    return Reach(needs, source if testable else None, empty(held))


def _source(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return what is empty if a value is: what a comprehension, a view or a sorting goes through."""
    match node:
        case (
            cst.GeneratorExp(for_in=cst.CompFor(iter=source, ifs=[], inner_for_in=None))
            | cst.ListComp(for_in=cst.CompFor(iter=source, ifs=[], inner_for_in=None))
        ):
            return _source(source)
        case cst.Call(func=cst.Attribute(value=source, attr=cst.Name(value=name)), args=[]):
            return source if name in _VIEWS else node
        case cst.Call(func=cst.Name(value=name), args=[cst.Arg(value=source), *_]):
            return _source(source) if name in _SORTING else node
    return node


def _subscript(
    node: cst.Subscript, value: cst.BaseExpression, at: cst.BaseExpression, site: Site
) -> Iterator[Reach]:
    held = _held(value, site)
    size = held.size if held else None
    index = constant(at)
    if index is None:
        fault = _beyond(value, at, site)
        if fault:
            yield Reach(node, value, fault)
        return
    needed = index + 1 if index >= 0 else -index
    if size is not None and size >= needed:
        return
    source = _source(value)
    if needed == 1:
        yield Reach(node, source, empty(_held(source, site)))
    else:
        test = Fault(f"len({{}}) < {needed}", f"len({{}}) >= {needed}", "is too short")
        if index > 0:
            test = Fault(test.wrong, f"len({{}}) > {index}", test.words)
        yield Reach(node, source, test)


def _beyond(value: cst.BaseExpression, at: cst.BaseExpression, site: Site) -> Fault | None:
    """Return the test for a variable index, which was not negative, in a named sequence."""
    sequence, index = dotted(value), code_of(at)
    plain = dotted(at) or (
        isinstance(at, cst.BinaryOperation)
        and isinstance(at.operator, cst.Add | cst.Subtract)
        and dotted(at.left)
        and isinstance(at.right, cst.Integer)
    )
    known = site.locals.get(index)
    if not (plain and sequence) or (known is not None and (known.text or "").startswith("-")):
        return None
    size = f"len({sequence})"
    return Fault(f"{index} >= {size}", f"{index} < {size}", "is out of range", about=sequence)


def constant(node: cst.CSTNode | None) -> int | None:
    """Return the value of a whole number with or without a minus; None for anything else."""
    match node:
        case cst.Integer():
            return node.evaluated_value
        case cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() as number):
            return -number.evaluated_value
    return None


def _held(node: cst.BaseExpression, site: Site) -> Value | None:
    return site.locals.get(dotted(node) or "")
