"""AugmentedAssignment: a variable overwritten that should grow, or the reverse."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import assigned_names, function_of, params_of, reads
from selfdebug.codemods._edit import expression, replaced
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form

_GROWN = small_edit(
    "accumulated",
    "add to the variable instead of overwriting it",
    0.12,
    "missing-item number factor text off-by-one",
)
_OTHERWISE = small_edit("combined", "combine it with what the variable holds", 0.03)
_EXTREME = small_edit("extreme", "keep the greater or the lesser of both", 0.05, "number")
_SET = small_edit(
    "overwritten",
    "set the variable instead of adding to it",
    0.06,
    "number factor extra-item duplicate text off-by-one",
)
_OPERATORS: dict[str, tuple[type[cst.BaseAugOp], ...]] = {
    "set": (cst.BitOrAssign,),
    "dict": (cst.BitOrAssign,),
    "bool": (cst.BitOrAssign, cst.BitAndAssign),
    "list": (cst.AddAssign,),
    "str": (cst.AddAssign,),
}
_NUMBERS = (cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign)


class AugmentedAssignment(FirstOrder):
    """Add to a variable that was overwritten, or overwrite one that was added to."""

    DESCRIPTION = "Accumulate instead of overwriting, or the reverse."
    NAME = "augmented-assignment"
    VARIANTS = (_GROWN, _OTHERWISE, _EXTREME, _SET)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other ways to assign."""
        match place.node:
            case cst.AugAssign(target=target) as node:
                why = f"`{place.code(target)}` held something already"
                yield _SET, {node: _overwriting}, why
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value) as node:
                spelling = _changed_again(place, target, value)
                if spelling:
                    yield from _accumulated(place, node, spelling)


def _overwriting(updated: cst.AugAssign) -> cst.Assign:
    sign: Any = updated.operator
    target = cst.AssignTarget(updated.target, sign.whitespace_before, sign.whitespace_after)
    return cst.Assign([target], updated.value, semicolon=updated.semicolon)


def _changed_again(place: Place, target: cst.BaseExpression, value: cst.BaseExpression) -> str:
    """Return what a variable is called that already holds something when it is assigned; or ""."""
    spelling, function = place.code(target), function_of(place.tree, place.node)
    if function is None:
        return ""
    if isinstance(target, cst.Attribute | cst.Subscript):
        made = function.name.value == "__init__" or spelling in place.code(value)
        return "" if made else spelling
    if not isinstance(target, cst.Name) or target.value in reads(value):
        return ""
    around = {*place.tree.ancestors(place.node)}
    if isinstance(function.body, cst.SimpleStatementSuite) or (
        place.tree.parents[place.node] in function.body.body
    ):
        return ""  # every call assigns it anew
    params = {each.name.value for each in params_of(function)}
    before = takewhile(lambda line: line not in around, function.body.body)
    known = target.value in params or any(target.value in assigned_names(line) for line in before)
    return spelling if known else ""


def _accumulated(place: Place, node: cst.Assign, spelling: str) -> Iterator[Form]:
    seen = place.values.get(spelling)
    kinds = _OPERATORS.get(seen.type if seen else "", _NUMBERS)
    for number, kind in enumerate(kinds):
        variant = _OTHERWISE if number else _GROWN
        yield variant, {node: _adding(kind)}, f"`{spelling}` lost what it held"
    if kinds is _NUMBERS and isinstance(node.targets[0].target, cst.Name | cst.Attribute):
        for name in ("max", "min"):
            code = f"{name}({spelling}, NEW)"
            change = replaced(place.tree, node.value, _called(code))
            yield _EXTREME, change, f"`{spelling}` lost a value that may be better"


def _adding(kind: type[cst.BaseAugOp]) -> Any:
    def make(updated: cst.Assign) -> cst.AugAssign:
        target = updated.targets[0]
        before, after = target.whitespace_before_equal, target.whitespace_after_equal
        sign: Any = kind
        return cst.AugAssign(
            target.target, sign(before, after), updated.value, semicolon=updated.semicolon
        )

    return make


def _called(code: str) -> Any:
    return lambda old: expression(code, NEW=old)


AugmentedAssignment.EXAMPLES = examples(
    """
accumulated: a sum over a loop
    def total(prices):
        amount = 0
        for price in prices:
            «amount = price * 2»  # both ways
        return amount
AssertionError: assert 4 == 10
    def total(prices):
        amount = 0
        for price in prices:
            amount += price * 2  # both ways
        return amount

accumulated: what an object counts
    def add(self, count):
        «self.stock=count»
AssertionError: assert 3 == 5
    def add(self, count):
        self.stock+=count

accumulated: sets are joined
    def tags(posts):
        found = set()
        for post in posts:
            «found = set(post.tags)»
        return found
AssertionError: assert {'b'} == {'a', 'b'}
where found: set = {'b'}
    def tags(posts):
        found = set()
        for post in posts:
            found |= set(post.tags)
        return found

combined: a bonus in one case
    def price(base, member):
        amount = base
        if member:
            «amount = 5»
        return amount
AssertionError: assert 5 == 15
    def price(base, member):
        amount = base
        if member:
            amount -= 5
        return amount

extreme: the best of all, not the last
    def longest(words):
        best = 0
        for word in words:
            «best = len(word)»
        return best
AssertionError: assert 1 == 4
    def longest(words):
        best = 0
        for word in words:
            best = max(best, len(word))
        return best

overwritten: a balance that the bank reports
    def sync(self, balance):
        «self.balance += balance»
AssertionError: assert 20 == 10
    def sync(self, balance):
        self.balance = balance

not any: the first value of a variable
    def total(prices):
        «amount = 0»
        for price in prices:
            amount += price
        return amount
AssertionError: assert 4 == 10

not any: an attribute is made
    class Cart:
        def __init__(self, size):
            «self.size = size»
AssertionError: assert 4 == 10

not any: the variable is used in its new value
    def rounded(value):
        for _ in range(3):
            «value = round(value)»
        return value
AssertionError: assert 4 == 10

not any: the value is made of what it held
    def total(prices):
        amount = 0
        for price in prices:
            «amount = amount * 2 + price»
        return amount
AssertionError: assert 3 == 5

not any: every call assigns it anew
    def total(prices, amount):
        «amount = sum(prices)»
        return amount
AssertionError: assert 3 == 5

not any: a function of one line
    def semi(a): «b = a»; b += 2; return b - 1
AssertionError: assert 3 == 5

not any: the constructor makes the attribute
    class Cart:
        def __init__(self, items):
            «self.total = sum(items)»
AssertionError: assert 3 == 5

not extreme: a text is not the greater
    def joined(words):
        text = ""
        for word in words:
            «text = word»
        return text
AssertionError: assert 'b' == 'ab'
where text: str = 'a'
"""
)
