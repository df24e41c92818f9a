"""RefineCondition: a condition let through what it was there to keep out, or kept out too much."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._conditions import Condition, conditions
from selfdebug.codemods._edit import Change, Changes, changed, expression, replaced
from selfdebug.codemods._known import holds
from selfdebug.codemods._names import dotted, identifiers
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

_BOUNDARY = Variant("boundary", "root-cause", "count the boundary in, or out", growth=0, prior=0.45)
_RANGE = Variant("range", "root-cause", "compare with all on one side", growth=0, prior=0.3)
_CONNECTIVE = Variant("connective", "root-cause", "`or` for `and`, or the reverse", 0, prior=0.4)
_EMPTY_TOO = Variant("empty-too", "root-cause", "take what is empty for missing", 0, prior=0.45)
_ONLY_NONE = Variant("only-none", "root-cause", "take only None for missing", 0, prior=0.5)
_REACH = 3  # conditions that are looked at, from the inside out
_STRICT: Mapping[type[cst.CSTNode], cst.BaseCompOp] = {
    cst.LessThan: cst.LessThanEqual(),
    cst.LessThanEqual: cst.LessThan(),
    cst.GreaterThan: cst.GreaterThanEqual(),
    cst.GreaterThanEqual: cst.GreaterThan(),
}
_SIDES: Mapping[type[cst.CSTNode], tuple[cst.BaseCompOp, ...]] = {
    cst.Equal: (cst.LessThanEqual(), cst.GreaterThanEqual()),
    cst.NotEqual: (cst.GreaterThan(), cst.LessThan()),
}
_NUMBERS = ("int", "float", "complex", "decimal.Decimal", "fractions.Fraction")


@dataclass(frozen=True)
class _Mutation:
    """Another form of a condition: the nodes of it that change."""

    variant: Variant
    change: Change


class RefineCondition(Codemod):
    """Change a test on the way to the failure so that it decides otherwise for the values seen there.

    Only tests whose outcome the values of the failing frame explain are changed, and only so that
    the outcome is another one.
    """

    DESCRIPTION = (
        "Refine the condition that let a bad value through, or that raised for a good one."
    )
    NAME = "refine-condition"
    ANSWERS = (Answer(("*",)),)
    VARIANTS = (_BOUNDARY, _RANGE, _CONNECTIVE, _EMPTY_TOO, _ONLY_NONE)

    @classmethod
    def answers(cls, site: Site) -> bool:
        """Say whether a condition may be to blame: wherever values were seen."""
        wrong_code = site.exc_type.rpartition(".")[2] in ("NameError", "SyntaxError", "ImportError")
        return bool(site.exc_type and site.locals) and not wrong_code

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the tests on the way that decide otherwise with one change, the nearest first."""
        tree, site = target.tree, target.site
        node = next(iter(tree.at(site.bad or site.span)), None)
        if node is None:
            return
        for condition in _on_the_way(tree, node, site):
            test = tree.code(condition.test)
            if holds(test, site.locals) is not condition.outcome:
                continue
            for mutation in _mutations(condition.test):
                if mutation.variant is _RANGE and site.node == "Raise":
                    continue  # a check that refuses all that differs does so on purpose
                other = _mutated(condition.test, mutation.change)
                if holds(other, site.locals) is not (not condition.outcome):
                    continue
                made = changed(tree, _in_place(tree, condition.test, mutation.change))
                if made:
                    seen = _seen(condition.test, site)
                    came = "held" if condition.outcome else "did not hold"
                    yield Rewrite(mutation.variant, made, f"`{test}` {came} {seen}")


def _on_the_way(tree: Tree, node: cst.CSTNode, site: Site) -> Iterator[Condition]:
    """Yield the conditions that are about what failed; above a ``raise`` only what it stands under."""
    raised = site.node == "Raise"
    about = {*identifiers(node)} | {*identifiers(next(iter(tree.at(site.span)), node))}
    found = 0
    for condition in conditions(tree, node):
        if found == _REACH or (raised and found):
            return
        if raised or not about.isdisjoint(identifiers(condition.test)):
            found += 1
            yield condition


def _mutations(test: cst.BaseExpression) -> Iterator[_Mutation]:
    chained = {side for node in _parts(test) for side in _sides(node) if not side.lpar}
    for node in _parts(test):
        for form in (_other_boundary, _other_side, _other_emptiness):
            yield from form(node)
        if node not in chained:
            yield from _other_connective(node)


def _sides(node: cst.CSTNode) -> tuple[cst.BaseExpression, ...]:
    return (node.left, node.right) if isinstance(node, cst.BooleanOperation) else ()


def _parts(test: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a test and the tests in it."""
    yield test
    match test:
        case cst.BooleanOperation(left=left, right=right):
            yield from _parts(left)
            yield from _parts(right)
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            yield from _parts(inner)


def _other_boundary(node: cst.CSTNode) -> Iterator[_Mutation]:
    if isinstance(node, cst.Comparison):
        for target in node.comparisons:
            sign = _STRICT.get(type(target.operator))
            if sign:
                yield _Mutation(_BOUNDARY, {target.operator: _spaced(sign)})


def _other_side(node: cst.CSTNode) -> Iterator[_Mutation]:
    match node:
        case cst.Comparison(comparisons=[cst.ComparisonTarget(comparator=other) as target]):
            number = isinstance(other, cst.BaseNumber | cst.Call)
            for sign in _SIDES.get(type(target.operator), ()) if number else ():
                yield _Mutation(_RANGE, {target.operator: _spaced(sign)})


def _spaced(sign: cst.BaseCompOp) -> Callable[[Any], cst.CSTNode]:
    def put(old: Any) -> cst.CSTNode:
        return sign.with_changes(
            whitespace_before=old.whitespace_before, whitespace_after=old.whitespace_after
        )

    return put


def _other_connective(node: cst.CSTNode) -> Iterator[_Mutation]:
    # Changing one of several would change what belongs together.
    alone = not any(_sides(side) and not side.lpar for side in _sides(node))
    if isinstance(node, cst.BooleanOperation) and alone:
        sign = cst.Or if isinstance(node.operator, cst.And) else cst.And
        yield _Mutation(
            _CONNECTIVE,
            {
                node.operator: lambda old: sign(
                    whitespace_before=old.whitespace_before,
                    whitespace_after=old.whitespace_after,
                )
            },
        )


def _other_emptiness(node: cst.CSTNode) -> Iterator[_Mutation]:
    """Test for None alone, or for what is empty too."""
    match node:
        case cst.Comparison(left=left, comparisons=[target]) if dotted(target.comparator) == "None":
            if isinstance(target.operator, cst.Is):
                yield _Mutation(_EMPTY_TOO, {node: _template("not OLD", left)})
            elif isinstance(target.operator, cst.IsNot):
                yield _Mutation(_EMPTY_TOO, {node: _template("OLD", left)})
        case cst.UnaryOperation(operator=cst.Not(), expression=inner) if dotted(inner):
            yield _Mutation(_ONLY_NONE, {node: _template("OLD is None", inner)})
        case cst.Name() | cst.Attribute() if dotted(node) and dotted(node) not in ("True", "False"):
            yield _Mutation(_ONLY_NONE, {node: _template("OLD is not None", node)})


def _template(
    form: str, inner: cst.BaseExpression
) -> Callable[[cst.BaseExpression], cst.BaseExpression]:
    def put(old: cst.BaseExpression) -> cst.BaseExpression:
        bare = inner.with_changes(lpar=[], rpar=[])
        new = bare if form == "OLD" else expression(form, OLD=bare)
        return new.with_changes(lpar=old.lpar, rpar=old.rpar) if old.lpar else new

    return put


def _mutated(test: cst.BaseExpression, change: Change) -> str:
    """Return the code of a test with a change made."""
    module = cst.Module([cst.SimpleStatementLine([cst.Expr(test)])])
    return module.visit(Changes(change)).code


def _in_place(tree: Tree, test: cst.BaseExpression, change: Change) -> Change:
    """Put a whole test in its place with the parentheses that it needs there."""
    put = change.get(test)
    if put is None:
        return change
    return replaced(tree, test, cast("Callable[[Any], cst.BaseExpression]", put))


def _seen(test: cst.BaseExpression, site: Site) -> str:
    names = dict.fromkeys(name for node in _names(test) if (name := dotted(node)))
    seen = [
        f"{name} = {each.text}" for name in names if (each := site.locals.get(name)) and each.text
    ]
    return f"for {', '.join(seen)}" if seen else "there"


def _names(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _names(child)


RefineCondition.EXAMPLES = examples(
    """
boundary: an index that may be as large as the length
    def find(items, wanted):
        at = 0
        while at <= len(items):
            if «items[at]» == wanted:
                return at
            at += 1
        return -1
IndexError: list index out of range
where items: list = [1, 2]
where at: int = 2
    def find(items, wanted):
        at = 0
        while at < len(items):
            if items[at] == wanted:
                return at
            at += 1
        return -1

boundary: zero is no better than less
    def share(total, people):
        if people < 0:
            raise ValueError("no people")
        return total / «people»
ZeroDivisionError: division by zero
where people: int = 0
    def share(total, people):
        if people <= 0:
            raise ValueError("no people")
        return total / people

boundary: the last allowed value is refused
    def percent(value):
        if value < 0 or value >= 100:
            «raise ValueError(f"no percentage: {value}")»
        return value / 100
ValueError: no percentage: 100
where value: int = 100
    def percent(value):
        if value < 0 or value > 100:
            raise ValueError(f"no percentage: {value}")
        return value / 100

range: a step may pass by the end
    def countdown(start, step):
        while start != 0:
            print(«LABELS[start]»)
            start -= step
IndexError: list index out of range
where start: int = -3
    def countdown(start, step):
        while start > 0:
            print(LABELS[start])
            start -= step

connective: either is needed
    def full_name(first, last):
        if first is None and last is None:
            return ""
        return «first.strip() + last.strip()»
AttributeError: 'NoneType' object has no attribute 'strip'
where first: str = 'Ada'
where last: NoneType = None
    def full_name(first, last):
        if first is None or last is None:
            return ""
        return first.strip() + last.strip()

empty-too: nothing was found is not the same as None
    def newest(entries):
        if entries is None:
            return None
        return «entries[-1]»
IndexError: list index out of range
where entries: list = []
    def newest(entries):
        if not entries:
            return None
        return entries[-1]

empty-too: around the statement
    def width(rows):
        if rows is not None and rows != 7:
            return max(«len(rows[0])», 1)
        return 1
IndexError: list index out of range
where rows: list = []
    def width(rows):
        if rows and rows != 7:
            return max(len(rows[0]), 1)
        return 1

only-none: zero is a number
    def set_limit(self, limit):
        if not limit:
            «raise ValueError("limit is missing")»
        self.limit = limit
ValueError: limit is missing
where limit: int = 0
    def set_limit(self, limit):
        if limit is None:
            raise ValueError("limit is missing")
        self.limit = limit

not any: the values do not explain the way
    def share(total, people):
        if people < 0:
            raise ValueError("no people")
        return total / «people»
ZeroDivisionError: division by zero
where total: int = 5

not any: the test is about something else
    def share(total, people):
        if total < 0:
            raise ValueError("nothing")
        return 1 / «people»
ZeroDivisionError: division by zero
where people: int = 0
where total: int = 0

not range: what differs to the other side is refused on purpose too
    def check(rows, expected):
        if len(rows) != expected:
            «raise ValueError("rows are missing")»
ValueError: rows are missing
where rows: list = [1, 2]
where expected: int = 1

not boundary: the boundary makes no difference
    def percent(value):
        if value < 0 or value > 100:
            «raise ValueError(f"no percentage: {value}")»
        return value / 100
ValueError: no percentage: 120
where value: int = 120

not connective: the whole would mean something else
    def check(low, high, at):
        if low is None or high is None or at is None:
            «raise ValueError("no range")»
ValueError: no range
where low: int = 1
where high: int = 2
where at: NoneType = None

not connective: nor would a part of it
    def check(low, high, at):
        if low is None and high is None and at is None:
            «raise ValueError("no range")»
ValueError: no range
where low: NoneType = None
where high: NoneType = None
where at: NoneType = None

not any: a condition of the function around it does not run here
    def outer(people):
        if people < 0:
            return None
        def share(total):
            return total / «people»
        return share
ZeroDivisionError: division by zero
where people: int = 0

not any: a name that stands for nothing
    def share(total, people):
        if people < 0:
            return 0
        return totl / «people»
NameError: name 'totl' is not defined
where people: int = 0

not any: the test calls what nobody saw
    def share(total, people):
        if is_empty(people):
            return 0
        return total / «people»
ZeroDivisionError: division by zero
where people: int = 0

not any: the value is far from it
    def share(total, people):
        if people < -10:
            return 0
        return total / «people»
ZeroDivisionError: division by zero
where people: int = 0
"""
)
