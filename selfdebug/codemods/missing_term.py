"""MissingTerm: a sum of sizes or amounts lacks one of what belongs together."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import function_of, nodes_of
from selfdebug.codemods._edit import made_of, replaced
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import NUMBERS
from selfdebug.codemods._names import dotted, identifiers
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._variables import attributes, fits, kind_named, variables

_TELLS = "number off-by-one text"
_BUILT = small_edit("built", "count the length of all that is put together", 0.3, _TELLS)
_FIELD = small_edit("field", "add the object's other amounts too", 0.06, _TELLS)
_LIKEWISE = small_edit("likewise", "add the same of the other one", 0.12, f"{_TELLS} missing-item")
_MOST = 3


class MissingTerm(FirstOrder):
    """Add to a sum of lengths or fields the length or field that it lacks."""

    DESCRIPTION = "Add the term that a sum lacks."
    NAME = "missing-term"
    VARIANTS = (_BUILT, _FIELD, _LIKEWISE)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the sum with one term more."""
        node = place.node
        match node:
            case cst.BinaryOperation(operator=cst.Add()) if not _is_part(place.parent):
                terms = [*_terms(node)]
                yield from _lengths(place, node, terms)
                yield from _fields(place, terms)
                yield from _likewise(place, terms)


def _is_part(parent: cst.CSTNode) -> bool:
    return isinstance(parent, cst.BinaryOperation) and isinstance(parent.operator, cst.Add)


def _terms(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        yield from _terms(node.left)
        yield from _terms(node.right)
    else:
        yield node


def _lengths(
    place: Place, node: cst.BinaryOperation, terms: list[cst.BaseExpression]
) -> Iterator[Form]:
    """Yield a sum of lengths with that of each other text that the function puts beside these."""
    names = [_measured(term) for term in terms]
    function = function_of(place.tree, place.node)
    if function is None or not all(names):
        return
    for parts in _put_together(function):
        if not {*names} < {*parts}:
            continue
        for name in [each for each in parts if each and each not in names][:_MOST]:
            before = [at for at, each in enumerate(names) if parts.index(each) < parts.index(name)]
            old = _up_to(node, terms[before[-1]] if before else terms[0])
            code = f"OLD + len({name})" if before else f"len({name}) + OLD"
            change = replaced(place.tree, old, made_of(code))
            yield _BUILT, change, f"`{name}` takes room too"


def _up_to(node: cst.BaseExpression, term: cst.BaseExpression) -> cst.BaseExpression:
    """Return the part of a sum that ends with a term."""
    while isinstance(node, cst.BinaryOperation) and node is not term and node.right is not term:
        node = node.left
    return node


def _measured(node: cst.BaseExpression) -> str:
    """Return the variable of which a call takes the length; "" where it is no such call."""
    match node:
        case cst.Call(func=func, args=[cst.Arg(value=value)]) if last_of(func) == "len":
            return dotted(value) or ""
    return ""


def _put_together(function: cst.FunctionDef) -> Iterator[list[str]]:
    """Yield what a function puts together as texts or lists, "" for what is no variable."""
    inner: set[cst.CSTNode] = set()
    for each in nodes_of(function.body):
        match each:
            case cst.FormattedString(parts=parts):
                filled = [getattr(part, "expression", None) for part in parts]
                yield [(dotted(part) or "") if part is not None else "" for part in filled]
            case cst.BinaryOperation(operator=cst.Add(), left=left, right=right):
                inner |= {left, right}
                if each not in inner:
                    yield [dotted(term) or "" for term in _terms(each)]


def _fields(place: Place, terms: list[cst.BaseExpression]) -> Iterator[Form]:
    """Yield a sum of an object's amounts with another of its amounts."""
    spelled = [dotted(term) or "" for term in terms]
    owners = {each.rpartition(".")[0] for each in spelled}
    if len(owners) != 1 or not all(owners):
        return
    owner = owners.pop()
    kinds = [kind_named(place, each) for each in spelled]
    others = [f"{owner}.{name}" for name in attributes(place, owner)]
    for other in [each for each in others if each not in spelled][:_MOST]:
        kind = kind_named(place, other)
        if kind in NUMBERS and all(fits(each, kind) for each in kinds):
            yield _FIELD, place.put(f"OLD + {other}"), f"`{other}` belongs to it"


def _likewise(place: Place, terms: list[cst.BaseExpression]) -> Iterator[Form]:
    """Yield a sum with its last term once more, made of the names that go with those in it."""
    last = terms[-1]
    function = function_of(place.tree, place.node)
    if function is None or isinstance(last, cst.Name | cst.Integer | cst.BaseString):
        return
    code, known = place.code(last), variables(place)
    partners = _partners(function)
    names = [name for name in identifiers(last) if name in known]
    others = {name: partners[name] for name in names if name in partners}
    if not others or "\n" in code:
        return
    made = re.sub(r"(?<![\w.])[^\W\d]\w*", lambda word: others.get(word[0], word[0]), code)
    if made not in map(place.code, terms):
        yield _LIKEWISE, place.put(f"OLD + {made}"), f"`{made}` belongs to it"


def _partners(function: cst.FunctionDef) -> dict[str, str]:
    """Return the names that a condition asks the same of: ``i < len(a) and j < len(b)``."""
    found: dict[str, str] = {}
    for each in nodes_of(function.body):
        match each:
            case cst.BooleanOperation(
                left=cst.Comparison() as one, operator=cst.And(), right=cst.Comparison() as other
            ):
                names, others = ([*identifiers(side)] for side in (one, other))
                pairs = [*zip(names, others, strict=False)]
                if len(names) == len(others):
                    found |= {a: b for a, b in pairs if a != b}
                    found |= {b: a for a, b in pairs if a != b}
    return found


MissingTerm.EXAMPLES = examples(
    """
likewise: what is left of either
    def merged(a, b):
        found, i, j = [], 0, 0
        while i < len(a) and j < len(b):
            if a[i] <= b[j]:
                found.append(a[i])
                i += 1
            else:
                found.append(b[j])
                j += 1
        return «found + a[i:]»  # in order
AssertionError: assert [1, 2] == [1, 2, 3]
    def merged(a, b):
        found, i, j = [], 0, 0
        while i < len(a) and j < len(b):
            if a[i] <= b[j]:
                found.append(a[i])
                i += 1
            else:
                found.append(b[j])
                j += 1
        return found + a[i:] + b[j:]  # in order

not likewise: nothing tells which names go together
    def merged(a, b, i, j):
        return «b + a[i:]»
AssertionError: assert [1, 2] == [1, 2, 3]

built: what stands between the words
    def wrapped(words, gap, width):
        line = ""
        for word in words:
            if «len(line) + len(word)» > width:  # too long
                yield line
                line = ""
            line = f"{line}{gap}{word}"
        yield line
AssertionError: assert 5 == 6
    def wrapped(words, gap, width):
        line = ""
        for word in words:
            if len(line) + len(gap) + len(word) > width:  # too long
                yield line
                line = ""
            line = f"{line}{gap}{word}"
        yield line

built: at the end
    def row(name, dots, price, width):
        if «len(name) + len(dots)» > width:
            name = name[:width]
        return name + dots + price
AssertionError: assert 5 == 6
    def row(name, dots, price, width):
        if len(name) + len(dots) + len(price) > width:
            name = name[:width]
        return name + dots + price

built: before the others
    def row(mark, name, price, width):
        if «len(name) + len(price)» > width:
            name = name[:width]
        return mark + name + price
AssertionError: assert 5 == 6
    def row(mark, name, price, width):
        if len(mark) + len(name) + len(price) > width:
            name = name[:width]
        return mark + name + price

field: all that is to be paid
    def total(order):
        return «order.net + order.tax»
AssertionError: assert 5 == 6
where order.net: int = 4
where order.tax: int = 1
where order.shipping: int = 1
    def total(order):
        return order.net + order.tax + order.shipping

not any: other texts are put together
    def row(name, dots, price, width):
        if «len(name) + len(dots)» > width:
            name = name[:width]
        return f"{name}: {price}"
AssertionError: assert 5 == 6

not any: numbers and texts
    def total(order, fee):
        return «order.net + fee»
AssertionError: assert 5 == 6
where order.net: int = 4
where order.shipping: int = 1

not field: the other field is a text
    def total(order):
        return «order.net + order.tax»
AssertionError: assert 5 == 6
where order.name: str = 'a'

not any: a difference is no sum
    def total(order):
        return «order.net - order.rebate»
AssertionError: assert 5 == 6
where order.shipping: int = 1

not any: of two objects
    def total(order, cart):
        return «order.net + cart.fee»
AssertionError: assert 5 == 6
where order.net: int = 4
where cart.tax: int = 1
"""
)
