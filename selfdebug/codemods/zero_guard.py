"""ZeroGuard: something was divided by zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._fault import Fault
from selfdebug.codemods._faults import zero
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._leave import filtering, leaving, skipping
from selfdebug.codemods._names import code_of, dotted, identifiers, may_change, root
from selfdebug.codemods._place import evaluated_before
from selfdebug.syntax.region import Tree

_FROM_ONE = Variant("from-one", "root-cause", "begin to count at one", growth=0)
_EARLY_EXIT = Variant("early-exit", "guard", "leave above the statement, as the function does")
_SKIP = Variant("skip", "guard", "divide only where the divisor is not zero")
_CONDITIONAL = Variant("conditional", "guard", "give 0 where there is nothing to divide by")
_FILTER = Variant("filter", "guard", "leave the item out of the comprehension", branch="rewrite")
_LIKELIER = 0.3  # of the two guards, that which fits the statement better
_ROUNDING = frozenset(("round", "int", "float", "abs", "ceil", "floor"))


class ZeroGuard(Codemod):
    """Answer for a divisor that can be zero: by what the code returns for nothing, or by 0."""

    DESCRIPTION = "Guard divisions whose divisor was zero."
    NAME = "zero-guard"
    ANSWERS = (
        Answer(("ZeroDivisionError", "DivisionByZero", "DivisionUndefined", "InvalidOperation")),
    )
    VARIANTS = (_FROM_ONE, _EARLY_EXIT, _CONDITIONAL, _SKIP, _FILTER)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the guards of the divisor."""
        tree, site = target.tree, target.site
        for divisor in tree.at(site.bad) if site.bad else ():
            if not isinstance(divisor, cst.BaseExpression):
                continue
            found = zero(divisor, site)
            if found is None:
                continue
            bad, fault = found
            forms = _guards(tree, divisor, bad, fault)
            yield from rewritten(tree, forms, f"{tree.code(bad)} {fault.words}: ")


def _guards(
    tree: Tree, divisor: cst.BaseExpression, bad: cst.BaseExpression, fault: Fault
) -> Iterator[Form]:
    whole = _quotient(tree, divisor)
    is_result = isinstance(tree.parents[whole], cst.Return)
    yield _FROM_ONE, _counted_from_one(tree, bad), "the loop begins at one"
    exits = sorted(leaving(tree, bad, fault), key=lambda each: each[1] == "return None")
    for change, exit_ in exits:
        variant = replace(_EARLY_EXIT, prior=_LIKELIER) if is_result else _EARLY_EXIT
        yield variant, change, f"`{exit_}` before it is divided by"
    if isinstance(tree.parents[divisor], cst.AugAssign):
        yield _SKIP, skipping(tree, bad, fault), "nothing is divided then"
        return
    variant = _CONDITIONAL if is_result else replace(_CONDITIONAL, prior=_LIKELIER)
    yield variant, _conditional(tree, whole, bad, fault), "the quotient is 0 then"
    yield _FILTER, filtering(tree, bad, fault), "such items are left out"


def _quotient(tree: Tree, divisor: cst.BaseExpression) -> cst.BaseExpression:
    """Return what is nothing if the quotient is: the product that it is in, and what rounds that."""
    found: cst.BaseExpression = divisor
    for node in tree.ancestors(divisor):
        match node:
            case cst.BinaryOperation(operator=cst.Multiply() | cst.Divide() | cst.FloorDivide()):
                found = node
            case cst.BinaryOperation(operator=cst.Modulo(), right=right) if right is found:
                found = node
            case cst.UnaryOperation(operator=cst.Minus()):
                found = node
            case cst.Call(func=func, args=[first, *_]) if _rounds(func, first, found):
                found = node
            case cst.Arg():
                continue
            case _:
                break
    return found


def _rounds(func: cst.BaseExpression, first: cst.Arg, value: cst.BaseExpression) -> bool:
    name = func.attr if isinstance(func, cst.Attribute) else func
    return first.value is value and isinstance(name, cst.Name) and name.value in _ROUNDING


def _conditional(
    tree: Tree, whole: cst.BaseExpression, bad: cst.BaseExpression, fault: Fault
) -> Change | None:
    spelling = fault.about or dotted(bad)
    if not spelling:
        return None
    test = fault.right.format(spelling)
    seen = {spelling, *identifiers(cst.parse_expression(test))}
    before = [*evaluated_before(tree, bad, whole)]
    if any(may_change(tree, node, name) for node in before for name in seen):
        return None
    return replaced(tree, whole, lambda old: expression(f"WHOLE if {test} else 0", WHOLE=old))


def _counted_from_one(tree: Tree, bad: cst.BaseExpression) -> Change | None:
    """Begin at one where the divisor is what a loop counts, and nothing is looked up by it."""
    if not isinstance(bad, cst.Name):
        return None
    for loop in tree.ancestors(bad):
        if isinstance(loop, cst.FunctionDef):
            return None
        comp = loop.for_in if isinstance(loop, cst.BaseComp) else loop
        if isinstance(comp, cst.For | cst.CompFor) and bad.value in identifiers(comp.target):
            body = loop.body if isinstance(loop, cst.For) else loop
            return None if _looks_up(body, bad.value) else _begun(comp, bad.value)
    return None


def _looks_up(node: cst.CSTNode, name: str) -> bool:
    if isinstance(node, cst.Subscript) and name in {
        root(each) for part in node.slice for each in identifiers(part)
    }:
        return True
    return any(_looks_up(child, name) for child in node.children)


def _begun(loop: cst.For | cst.CompFor, name: str) -> Change | None:
    match loop.iter:
        case cst.Call(func=cst.Name(value="range"), args=[stop]) as call:
            args = f"(1, {code_of(stop.value)})"
        case cst.Call(func=cst.Name(value="range"), args=[start, stop]) as call if (
            code_of(start.value) == "0"
        ):
            args = f"(1, {code_of(stop.value)})"
        case cst.Call(func=cst.Name(value="enumerate"), args=[items]) as call if (
            isinstance(loop.target, cst.Tuple) and dotted(loop.target.elements[0].value) == name
        ):
            args = f"({code_of(items.value)}, start=1)"
        case _:
            return None
    made = cst.parse_expression("_" + args)
    assert isinstance(made, cst.Call)
    return {call: lambda old: old.with_changes(args=made.args)}


ZeroGuard.EXAMPLES = examples(
    """
early-exit: the mean of nothing is 0 where nothing else is known
    def mean(values):
        return sum(values) / «len(values)»
ZeroDivisionError: division by zero
    def mean(values):
        if not values:
            return 0
        return sum(values) / len(values)

early-exit: what the function already answers
    def speed(self, distance):
        if self.paused:
            return None
        return distance / «self.elapsed»
ZeroDivisionError: float division by zero
    def speed(self, distance):
        if self.paused:
            return None
        if self.elapsed == 0:
            return None
        return distance / self.elapsed

early-exit: the exception that the function raises for bad input
    def per_person(bill, people):
        if bill < 0:
            raise ValueError("bill is negative")
        return bill / «people»
ZeroDivisionError: division by zero
    def per_person(bill, people):
        if bill < 0:
            raise ValueError("bill is negative")
        if people == 0:
            raise ValueError("people is zero")
        return bill / people

early-exit: both ends of a range are the same
    def scaled(value, low, high):
        return (value - low) / «(high - low)»
ZeroDivisionError: float division by zero
    def scaled(value, low, high):
        if high == low:
            return 0
        return (value - low) / (high - low)

early-exit: a sum gets a name
    def share(part, parts):
        return part / «sum(parts)»
ZeroDivisionError: division by zero
    def share(part, parts):
        total = sum(parts)
        if total == 0:
            return 0
        return part / total

early-exit: a loop goes on with the next item
    def rates(rows):
        for row in rows:
            # per thousand
            row.rate = row.cases / «row.people» * 1000
ZeroDivisionError: division by zero
    def rates(rows):
        for row in rows:
            if row.people == 0:
                continue
            # per thousand
            row.rate = row.cases / row.people * 1000

early-exit: the factor that was zero
    def density(mass, width, depth):
        return mass / «(width * depth)»
ZeroDivisionError: division by zero
where width: int = 2
where depth: int = 0
    def density(mass, width, depth):
        if depth == 0:
            return 0
        return mass / (width * depth)

early-exit: a class of one's own may be true when it is empty
    def mean(samples):
        return samples.total / «len(samples)»
ZeroDivisionError: division by zero
where samples: lab.Samples
    def mean(samples):
        if len(samples) == 0:
            return 0
        return samples.total / len(samples)

conditional: a percentage in a message
    def progress(done, total):
        percent = round(100 * done / «total»)
        return f"{done} of {total} ({percent} %)"
ZeroDivisionError: division by zero
    def progress(done, total):
        percent = round(100 * done / total) if total else 0
        return f"{done} of {total} ({percent} %)"

conditional: only the quotient is nothing, not what it is added to
    def price(base, fee, pieces):
        total = base + fee / «pieces»
        return round(total, 2)
ZeroDivisionError: division by zero
    def price(base, fee, pieces):
        total = base + (fee / pieces if pieces else 0)
        return round(total, 2)

conditional: in an f-string
    print(f"{hits / «tries»:.1%} hits")
ZeroDivisionError: division by zero
    print(f"{hits / tries if tries else 0:.1%} hits")

filter: a comprehension may leave the item out
    ratios = [row.a / «row.b» for row in rows]
ZeroDivisionError: division by zero
    ratios = [row.a / row.b for row in rows if row.b]

skip: a step that divides
    def normalize(vector, length):
        vector.x /= «length»
        return vector
ZeroDivisionError: float division by zero
    def normalize(vector, length):
        if length:
            vector.x /= length
        return vector

from-one: zero divides nothing
    def divisors(number):
        return [each for each in range(number) if number % «each» == 0]
ZeroDivisionError: integer modulo by zero
    def divisors(number):
        return [each for each in range(1, number) if number % each == 0]

from-one: a running mean
    def means(values):
        total = 0
        for count, value in enumerate(values):
            total += value
            yield total / «count»
ZeroDivisionError: division by zero
    def means(values):
        total = 0
        for count, value in enumerate(values, start=1):
            total += value
            yield total / count

not from-one: a place in a list begins at zero
    def shares(values):
        for at in range(len(values)):
            print(values[at] / «at»)
ZeroDivisionError: division by zero

not from-one: it begins where it is told to
    def shares(values):
        for at in range(-3, 3):
            print(1 / «at»)
ZeroDivisionError: division by zero

not conditional: nothing shows which of the two was zero
    def density(mass, width, depth):
        return mass / «(width * depth)»
ZeroDivisionError: division by zero

not early-exit: the test would come before what it needs
    def mean(rows):
        return rows.load() + 1 / «rows.count»
ZeroDivisionError: division by zero

not skip: others rely on the name
    def mean(total, count):
        result = total / «count»
        return result
ZeroDivisionError: division by zero

not any: a divisor that is zero for everyone
    ratio = 1 / «0»
ZeroDivisionError: division by zero

not any: a power is no division
    def inverse(value):
        return «value» ** -1
ZeroDivisionError: 0.0 cannot be raised to a negative power

not filter: the item is not the comprehension's
    def shares(rows, total):
        return [row / «total» for row in rows]
ZeroDivisionError: division by zero

not skip: the result is returned
    def mean(total, count):
        return total / «count»
ZeroDivisionError: division by zero

not conditional: what is divided in place
    def normalize(vector, length):
        vector.x /= «length»
        return vector
ZeroDivisionError: float division by zero

not from-one: a parameter is not counted
    def part(count):
        for each in range(3):
            print(each / «count»)
ZeroDivisionError: division by zero

not any: the divisor is far from zero
    def half(value):
        return value / «2»
ZeroDivisionError: division by zero

not conditional: the divisor is made by a call that may give another one
    def share(part, rows):
        return part / «next(rows)»
ZeroDivisionError: division by zero
"""
)
