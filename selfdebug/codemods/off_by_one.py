"""OffByOne: an index ran one past the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._names import code_of, dotted, identifiers
from selfdebug.codemods._use import is_target
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

_RANGE = Variant("shorter-range", "root-cause", "end the range where the items end", 0, prior=0.55)
_LOOP = Variant(
    "shorter-loop", "root-cause", "end the loop where the items end", 0, prior=0.5, branch="rewrite"
)
_LAST = Variant("last-item", "root-cause", "read the last item", growth=0, prior=0.8)
_SHIFT = Variant("shifted-index", "root-cause", "count items from zero", growth=0, prior=0.35)
_FROM_ZERO = Variant("from-zero", "root-cause", "begin to count at zero", growth=0, prior=0.4)
_BELOW = (cst.LessThan, cst.LessThanEqual)


@dataclass(frozen=True)
class _Read:
    """An item read by a variable index, which is ``name`` and a constant ``ahead`` of it."""

    node: cst.Subscript
    sequence: str
    index: cst.BaseExpression
    name: str
    ahead: int


class OffByOne(Codemod):
    """End a loop before its index runs out of the items, or count from where the items begin."""

    DESCRIPTION = "Repair indexes that run one past the end."
    NAME = "off-by-one"
    ANSWERS = (Answer(("IndexError",), r"index out of range"),)
    VARIANTS = (_RANGE, _LOOP, _LAST, _SHIFT, _FROM_ZERO)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the changes of the loop, then those of the index."""
        tree, site = target.tree, target.site
        for node in tree.at(site.span):
            if isinstance(node, cst.Subscript):
                yield from rewritten(tree, _repairs(tree, node, site), f"{tree.code(node)}: ")


def _repairs(tree: Tree, node: cst.Subscript, site: Site) -> Iterator[Form]:
    sequence = dotted(node.value)
    index = _index(node)
    if sequence is None or index is None:
        return
    if _is_length(index, sequence):
        minus_one = cst.UnaryOperation(cst.Minus(), cst.Integer("1"))
        yield _LAST, {index: lambda _: minus_one}, "the last index is one less than the length"
        return
    read = _read(node, sequence, index)
    if read is None:
        return
    for loop in tree.ancestors(node):
        if isinstance(loop, cst.FunctionDef):
            break
        yield from _of_loop(read, loop)
    known = (site.locals.get(read.name), site.locals.get(sequence))
    position, items = (each and (each.text, each.size) for each in known)
    at_end = position and items and position[0] == str(items[1])
    if at_end and not is_target(tree, node) and read.ahead == 0:
        how = f"{read.name} counts from one"
        yield _SHIFT, replaced(tree, index, lambda old: expression("OLD - 1", OLD=old)), how


def _index(node: cst.Subscript) -> cst.BaseExpression | None:
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=value, star=None))]:
            return value
    return None


def _read(node: cst.Subscript, sequence: str, index: cst.BaseExpression) -> _Read | None:
    match index:
        case cst.Name(value=name):
            return _Read(node, sequence, index, name, 0)
        case cst.BinaryOperation(
            left=cst.Name(value=name), operator=cst.Add(), right=cst.Integer() as number
        ):
            return _Read(node, sequence, index, name, number.evaluated_value)
    return None


def _is_length(node: cst.BaseExpression, sequence: str) -> bool:
    match node:
        case cst.Call(func=cst.Name(value="len"), args=[argument]):
            return dotted(argument.value) == sequence
    return False


def _of_loop(read: _Read, loop: cst.CSTNode) -> Iterator[Form]:
    if isinstance(loop, cst.While):
        yield _LOOP, _shorter_loop(read, loop), "the loop went on too long"
    comp = loop.for_in if isinstance(loop, cst.BaseComp) else loop
    if not isinstance(comp, cst.For | cst.CompFor) or read.name not in identifiers(comp.target):
        return
    match comp.iter:
        case cst.Call(func=cst.Name(value="range"), args=args) as call if 0 < len(args) < 3:
            yield _RANGE, _shorter_range(read, call), "the range went on too long"
            if read.ahead == 0 and _ends_after(args[-1].value, read.sequence):
                variant = replace(_SHIFT, prior=0.5)
                yield variant, _one_less(read), f"{read.name} counts from one"
        case cst.Call(func=cst.Name(value="enumerate"), args=[items, start]) as call if (
            read.ahead == 0 and code_of(start.value) == "1"
        ):
            plain = [items.with_changes(comma=cst.MaybeSentinel.DEFAULT)]
            yield _SHIFT, _one_less(read), f"{read.name} counts from one"
            change: Change = {call: lambda old: old.with_changes(args=plain)}
            yield _FROM_ZERO, change, f"{read.name} is an index"


def _one_less(read: _Read) -> Change:
    return {read.index: lambda old: expression("OLD - 1", OLD=old)}


def _ends_after(stop: cst.BaseExpression, sequence: str) -> bool:
    match stop:
        case cst.BinaryOperation(left=left, operator=cst.Add(), right=cst.Integer(value="1")):
            return _is_length(left, sequence)
    return False


def _shorter_range(read: _Read, call: cst.Call) -> Change | None:
    """End a range where the index, which may be ahead of the loop's variable, would run out."""
    stop = call.args[-1].value
    if read.ahead == 0:
        if _ends_after(stop, read.sequence):
            assert isinstance(stop, cst.BinaryOperation)
            left = stop.left
            return {stop: lambda _: left}
        return None
    if not _is_length(stop, read.sequence):
        return None
    return _reduced(stop, read.ahead)


def _shorter_loop(read: _Read, loop: cst.While) -> Change | None:
    """End a loop where the index, ahead of the variable that its condition compares, would run out."""
    for node in _comparisons(loop.test):
        match node:
            case cst.Comparison(
                left=cst.Name(value=name),
                comparisons=[cst.ComparisonTarget(operator=sign, comparator=stop)],
            ) if name == read.name and _is_length(stop, read.sequence) and read.ahead:
                less = read.ahead + isinstance(sign, cst.LessThanEqual)
                if isinstance(sign, _BELOW):
                    return _reduced(stop, less)
    return None


def _reduced(stop: cst.BaseExpression, number: int) -> Change:
    return {stop: lambda old: expression(f"OLD - {number}", OLD=old)}


def _comparisons(test: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        yield from _comparisons(test.left)
        yield from _comparisons(test.right)
    else:
        yield test


OffByOne.EXAMPLES = examples(
    """
shorter-range: each item with the one after it
    def steps(values):
        return [«values[at + 1]» - values[at] for at in range(len(values))]
IndexError: list index out of range
    def steps(values):
        return [values[at + 1] - values[at] for at in range(len(values) - 1)]

shorter-range: the end is not part of a range
    for at in range(len(names) + 1):
        print(at, «names[at]»)  # all of them
IndexError: list index out of range
    for at in range(len(names)):
        print(at, names[at])  # all of them

shorter-range: two ahead
    def triples(text):
        for at in range(0, len(text)):
            yield text[at] + text[at + 1] + «text[at + 2]»
IndexError: string index out of range
    def triples(text):
        for at in range(0, len(text) - 2):
            yield text[at] + text[at + 1] + text[at + 2]

shorter-loop: a while that looks ahead
    def is_sorted(values):
        at = 0
        while at < len(values):
            if values[at] > «values[at + 1]»:
                return False
            at += 1
        return True
IndexError: list index out of range
    def is_sorted(values):
        at = 0
        while at < len(values) - 1:
            if values[at] > values[at + 1]:
                return False
            at += 1
        return True

last-item: the length is no index
    def last(self):
        return «self.lines[len(self.lines)]»
IndexError: list index out of range
    def last(self):
        return self.lines[-1]

shifted-index: numbers that begin at one
    def show(names):
        for number in range(1, len(names) + 1):
            print(number, «names[number]»)
IndexError: list index out of range
    def show(names):
        for number in range(1, len(names) + 1):
            print(number, names[number - 1])

from-zero: an index is counted from zero
    def mark(cells):
        for at, cell in enumerate(cells, 1):
            «cells[at]» = cell.strip()
IndexError: list assignment index out of range
    def mark(cells):
        for at, cell in enumerate(cells):
            cells[at] = cell.strip()

not shorter-range: the range does not look at these items
    for at in range(len(names)):
        print(names[at], «prices[at]»)
IndexError: list index out of range

not shorter-range: nothing shows how long it is
    for at in range(count + 1):
        print(«names[at]»)
IndexError: list index out of range

not shorter-loop: the loop counts something else
    while done < len(names):
        print(«names[at + 1]»)
IndexError: list index out of range

not any: an index that nobody counts
    def pick(names, at):
        return «names[at]»
IndexError: list index out of range

not any: the first of none
    def first(names):
        return «names[0]»
IndexError: list index out of range

not any: a key that is counted
    for at in range(5):
        print(«prices[at]»)
KeyError: 4

not any: a slice ends by itself
    for at in range(len(names)):
        print(«names[at:][0]»)
IndexError: list index out of range
"""
)
