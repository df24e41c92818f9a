"""UnpackCount: more or fewer values came than there are names for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, made_of
from selfdebug.codemods._fault import Fault
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._leave import leaving
from selfdebug.codemods._names import dotted
from selfdebug.model import Site
from selfdebug.syntax.bindings import FUNCTIONS, nested
from selfdebug.syntax.modules import definitions
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_SPLIT = Variant("split-limit", "root-cause", "split no more often than names", 0, prior=0.6)
_PARTITION = Variant("partition", "root-cause", "split into what is there", 0, prior=0.45)
_ITEMS = Variant("items", "root-cause", "go through keys and values", growth=0, prior=0.6)
_ENUMERATE = Variant("enumerate", "root-cause", "count the items", growth=0, prior=0.6)
_RESULTS = Variant("all-results", "root-cause", "take all that is returned", 0, prior=0.4)
_REST = Variant("rest", "guard", "leave the rest aside", growth=0, prior=0.15)
_EARLY_EXIT = Variant("early-exit", "guard", "leave above the statement, as the function does")
_EXPECTED = re.compile(r"expected (?:at least )?(?P<expected>\d+)(?:, got (?P<got>\d+))?")
_COUNTS = re.compile(
    r"_?(?:i|j|k|n|at|idx|index|pos|position|row_?n\w*|line_?n\w*|no|number|count)"
)
_UNPACKS = (cst.Assign, cst.For, cst.CompFor)


@dataclass(frozen=True)
class _Unpacking:
    """The names, what is unpacked into them, and whether that is each item of it (in a loop)."""

    target: cst.Tuple | cst.List
    value: cst.BaseExpression
    each: bool
    count: int


class UnpackCount(Codemod):
    """Make the number of values fit the names: at their source, or by a test."""

    DESCRIPTION = "Unpack as many values as there are."
    NAME = "unpack-count"
    ANSWERS = (
        Answer(("ValueError",), r"values to unpack"),
        Answer(("TypeError",), r"cannot unpack non-iterable (?!NoneType)"),
    )
    VARIANTS = (_SPLIT, _PARTITION, _ITEMS, _ENUMERATE, _RESULTS, _REST, _EARLY_EXIT)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the ways to unpack what came."""
        tree, site = target.tree, target.site
        found = _unpacking(tree, site)
        if found is None:
            return
        forms = _repairs(tree, found, target)
        yield from rewritten(tree, forms, f"{tree.code(found.value)}: ")


def _unpacking(tree: Tree, site: Site) -> _Unpacking | None:
    node = next(iter(tree.at(site.span)), None)
    for holder in (node, *tree.ancestors(node)) if node else ():
        match holder:
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
                return _of(target, value, each=False)
            case cst.For(target=target, iter=value) | cst.CompFor(target=target, iter=value):
                return _of(target, value, each=True)
            case cst.BaseSmallStatement() | cst.BaseCompoundStatement():
                return None
    return None


def _of(target: cst.BaseExpression, value: cst.BaseExpression, *, each: bool) -> _Unpacking | None:
    if not isinstance(target, cst.Tuple | cst.List):
        return None
    if any(not isinstance(element, cst.Element) for element in target.elements):
        return None
    return _Unpacking(target, value, each, len(target.elements))


def _repairs(tree: Tree, found: _Unpacking, target: Target) -> Iterator[Form]:
    site = target.site
    if found.each:
        yield from _of_loop(found, site)
        return
    expected = _EXPECTED.search(site.message)
    if expected is None:
        return
    too_many = site.message.startswith("too many")
    yield from _of_split(found, too_many)
    if too_many:
        change, rest = _more_names(found, _returned(found.value, target.project), expected["got"])
        yield (_RESULTS, change, f"it has {rest} more")
        yield _REST, _starred(found), "it has more than is needed here"
    count = found.count
    fault = Fault(f"len({{}}) != {count}", f"len({{}}) == {count}", f"are not {count}")
    for change, exit_ in leaving(tree, found.value, fault):
        yield _EARLY_EXIT, change, f"`{exit_}` where it does not come to {count} values"


# --- text ---


def _of_split(found: _Unpacking, too_many: bool) -> Iterator[Form]:
    call = found.value
    match call:
        case cst.Call(
            func=cst.Attribute(attr=cst.Name(value="split" | "rsplit" as name)), args=args
        ):
            pass
        case _:
            return
    if too_many and len(args) < 2:
        limit = found.count - 1
        argument = f"{limit}" if args and not args[0].keyword else f"maxsplit={limit}"
        yield _SPLIT, _with(call, argument), f"what comes after {limit} separators is one part"
    if not too_many and name == "split" and found.count == 2 and args and not args[0].keyword:
        yield _PARTITION, _partitioned(found, call), "the second part may be missing"


def _with(call: cst.Call, argument: str) -> Change:
    made = cst.parse_expression(f"_({argument})")
    assert isinstance(made, cst.Call)
    return {call: lambda old: old.with_changes(args=[*old.args, *made.args])}


def _partitioned(found: _Unpacking, call: cst.Call) -> Change:
    first, second = found.target.elements
    assert isinstance(call.func, cst.Attribute)
    method = call.func.with_changes(attr=cst.Name("partition"))
    separator = call.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    elements = [_followed(first), _followed(cst.Element(cst.Name("_"))), second]
    return {
        found.target: lambda old: old.with_changes(elements=elements),
        call: lambda old: old.with_changes(func=method, args=[separator]),
    }


def _followed(element: cst.BaseElement) -> cst.BaseElement:
    return element.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))


# --- loops ---


def _of_loop(found: _Unpacking, site: Site) -> Iterator[Form]:
    held = site.locals.get(dotted(found.value) or "")
    kind = held.type.rpartition(".")[2] if held else ""
    name = found.target.elements[0].value
    if found.count != 2 or dotted(found.value) is None:
        return
    if kind in ("dict", "defaultdict", "OrderedDict", "Counter"):
        yield _ITEMS, {found.value: made_of("OLD.items()")}, "a mapping is gone through by its keys"
    elif isinstance(name, cst.Name) and _COUNTS.fullmatch(name.value):
        yield _ENUMERATE, {found.value: made_of("enumerate(OLD)")}, "its items have no number"
    elif not kind:
        variant = replace(_ITEMS, prior=0.2)
        yield (
            variant,
            {found.value: made_of("OLD.items()")},
            "a mapping is gone through by its keys",
        )


# --- results ---


def _returned(value: cst.BaseExpression, project: Project) -> int | None:
    """Return how many values a function of the project returns; None where that is not clear."""
    if not isinstance(value, cst.Call):
        return None
    name = (dotted(value.func) or "").rpartition(".")[2]
    found = [each.node for each in definitions(name, project)] if name else []
    counts = {
        len(stmt.value.elts) if isinstance(stmt.value, ast.Tuple) else 0
        for function in found
        if isinstance(function, FUNCTIONS)
        for stmt in nested(function.body)
        if isinstance(stmt, ast.Return)
    }
    return counts.pop() if len(counts) == 1 and len(found) == 1 else None


def _more_names(
    found: _Unpacking, returned: int | None, got: str | None
) -> tuple[Change | None, int]:
    """Take all that is returned, under names that say that it is not used."""
    rest = (returned or int(got or 0)) - found.count
    if rest <= 0:
        return None, rest
    *first, last = found.target.elements
    more = [_followed(cst.Element(cst.Name("_"))) for _ in range(rest)]
    more[-1] = cst.Element(cst.Name("_"))
    elements = [*first, _followed(last), *more]
    return {found.target: lambda old: old.with_changes(elements=elements)}, rest


def _starred(found: _Unpacking) -> Change:
    *first, last = found.target.elements
    elements = [*first, _followed(last), cst.StarredElement(cst.Name("_"))]
    return {found.target: lambda old: old.with_changes(elements=elements)}


UnpackCount.EXAMPLES = examples(
    """
split-limit: the value holds the separator too
    def header(line):
        name, value = «line.split(":")»
        return name.lower(), value.strip()
ValueError: too many values to unpack (expected 2)
    def header(line):
        name, value = line.split(":", 1)
        return name.lower(), value.strip()

split-limit: words, and the rest
    def command(line):
        # LIST all of them
        verb, rest = «line.split()»
        return verb, rest
ValueError: too many values to unpack (expected 2)
    def command(line):
        # LIST all of them
        verb, rest = line.split(maxsplit=1)
        return verb, rest

partition: there may be no separator
    def option(text):
        name, value = «text.split("=", 1)»
        return name, value
ValueError: not enough values to unpack (expected 2, got 1)
    def option(text):
        name, _, value = text.partition("=")
        return name, value

items: a mapping
    def show(prices):
        for name, price in «prices»:
            print(name, price)
ValueError: too many values to unpack (expected 2)
where prices: dict = {'apple': 1}
    def show(prices):
        for name, price in prices.items():
            print(name, price)

items: a mapping with numbers for keys, in a comprehension
    pairs = [(key, value) for key, value in «self.pages»]
TypeError: cannot unpack non-iterable int object
where self.pages: dict = {1: 'a'}
    pairs = [(key, value) for key, value in self.pages.items()]

enumerate: the number of each line
    for number, line in «lines»:
        print(number, line)
ValueError: too many values to unpack (expected 2)
    for number, line in enumerate(lines):
        print(number, line)

all-results: the function returns one more
    def bounds(points):
        return min(points), max(points), len(points)

    def width(points):
        low, high = «bounds(points)»
        return high - low
ValueError: too many values to unpack (expected 2)
    def bounds(points):
        return min(points), max(points), len(points)

    def width(points):
        low, high, _ = bounds(points)
        return high - low

rest: a version has three parts and more
    major, minor = «version»
ValueError: too many values to unpack (expected 2)
    major, minor, *_ = version

early-exit: a line that is no pair
    def load(lines):
        pairs = {}
        for line in lines:
            key, value = «line.split("=")»
            pairs[key] = value
        return pairs
ValueError: not enough values to unpack (expected 2, got 1)
    def load(lines):
        pairs = {}
        for line in lines:
            parts = line.split("=")
            if len(parts) != 2:
                continue
            key, value = parts
            pairs[key] = value
        return pairs

early-exit: the exception that the function raises for bad input
    def point(text):
        if not text:
            raise ValueError("text is empty")
        x, y = «text.split(",")»
        return float(x), float(y)
ValueError: not enough values to unpack (expected 2, got 1)
    def point(text):
        if not text:
            raise ValueError("text is empty")
        parts = text.split(",")
        if len(parts) != 2:
            raise ValueError("parts are not 2")
        x, y = parts
        return float(x), float(y)

not partition: three parts
    a, b, c = «text.split("=")»
ValueError: not enough values to unpack (expected 3, got 1)

not split-limit: it has a limit
    a, b = «text.split("=", 2)»
ValueError: too many values to unpack (expected 2)

not all-results: it returns now two and now three
    def bounds(points):
        if not points:
            return 0, 0
        return min(points), max(points), len(points)

    def width(points):
        low, high = «bounds(points)»
        return high - low
ValueError: too many values to unpack (expected 2)

not rest: nothing is left over
    major, minor = «version»
ValueError: not enough values to unpack (expected 2, got 1)

not any: a star takes the rest
    first, second, *rest = «version»
ValueError: not enough values to unpack (expected at least 2, got 1)

not items: a list of pairs, of which one is wrong
    for name, price in «prices»:
        print(name, price)
ValueError: too many values to unpack (expected 2)
where prices: list = [('a', 1, 2)]

not any: it is split at any white space into three
    a, b, c = «text.split()»
ValueError: not enough values to unpack (expected 3, got 2)

not all-results: nobody knows the function
    def width(points):
        low, high = «bounds(points)»
        return high - low
ValueError: too many values to unpack (expected 2)
"""
)
