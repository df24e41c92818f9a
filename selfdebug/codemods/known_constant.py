"""KnownConstant: a value is written out that the module spells otherwise for the same thing."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias, cast

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import function_at
from selfdebug.codemods._names import dotted
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._style import quoted
from selfdebug.syntax.modules import read_module

_TELLS = "text number none type bool empty raises missing-item"
_SAME = small_edit("same-name", "use what the module has for that name elsewhere", 0.12, _TELLS)
_NEAR = small_edit("function", "use another constant of the function", 0.05, _TELLS)
_LONGEST = 20  # characters of a text that is a value and no message
_MOST = 6

_Known: TypeAlias = dict[str, tuple[str, ...]]


class KnownConstant(FirstOrder):
    """Write another constant: one that the module gives to, or compares with, the same name."""

    DESCRIPTION = "Use another constant that the module has for the same thing."
    NAME = "known-constant"
    VARIANTS = (_SAME, _NEAR)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the constants that stand for other values of the same name, then the function's."""
        node = place.node
        own = _literal(node) if place.is_read else None
        if own is None or not isinstance(node, cst.BaseExpression):
            return
        name = _named(place, node)
        same = [each for each in _by_name(place).get(name, ()) if each != own] if name else []
        for variant, codes in ((_SAME, same), (_NEAR, _of_function(place, own))):
            for code in [each for each in codes if variant is _SAME or each not in same][:_MOST]:
                new = quoted(place.tree, node, code)
                if new is not None:
                    yield variant, place.put(new), f"`{code}` is used elsewhere"


def _literal(node: cst.CSTNode) -> str | None:
    """Return a constant in the form in which constants are compared; None for anything else."""
    match node:
        case cst.Name(value="None") | cst.Integer() | cst.Float() | cst.SimpleString():
            return _code(cst.Module([]).code_for_node(node))
    return None


def _code(text: str) -> str | None:
    try:
        return _of_value(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        return None


def _of_value(value: object) -> str | None:
    """Return how a constant is written; None for those that are no value to choose from."""
    if isinstance(value, str) and len(value) <= _LONGEST and value.isprintable():
        return None if {'"', "\\", "'"} & {*value} else f'"{value}"'
    return repr(value) if value is None or type(value) in (int, float) else None


def _named(place: Place, node: cst.BaseExpression) -> str:
    """Return the name of what a constant is given to, or compared with."""
    parent = place.parent
    match parent:
        case cst.Assign(targets=[cst.AssignTarget(target=target)]):
            return _last(target)
        case cst.AnnAssign(target=target):
            return _last(target)
        case cst.Arg(keyword=cst.Name(value=name)):
            return name
        case cst.Param(name=cst.Name(value=name)):
            return name
        case cst.ComparisonTarget():
            around = place.tree.parents[parent]
            return _last(around.left) if isinstance(around, cst.Comparison) else ""
        case cst.Comparison(comparisons=[cst.ComparisonTarget(comparator=other)]):
            return _last(other)
        case cst.BooleanOperation(left=left) if left is not node:
            return _last(left)
    return ""


def _last(node: cst.BaseExpression) -> str:
    return last_of(node) if dotted(node) else ""


def _by_name(place: Place) -> _Known:
    """Return the constants that the module gives to, or compares with, a name; the commonest first."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("known constants", path)
    if key not in parsed:
        counted: dict[str, Counter[str]] = {}
        for node in ast.walk(read_module(path, place.project).tree):
            for name, value in _given(node):
                code = _of_value(value.value) if isinstance(value, ast.Constant) else None
                if name and code is not None:
                    counted.setdefault(name, Counter())[code] += 1
        parsed[key] = {
            name: tuple(code for code, _ in codes.most_common()) for name, codes in counted.items()
        }
    return cast("_Known", parsed[key])


def _given(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((_name(target), value) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield _name(target), value
        case ast.keyword(arg=str() as name, value=value):
            yield name, value
        case ast.arguments():
            named = [*node.posonlyargs, *node.args]
            pairs = zip(named[len(named) - len(node.defaults) :], node.defaults, strict=True)
            yield from ((arg.arg, value) for arg, value in pairs)
        case ast.Compare(left=left, comparators=[right]):
            yield _name(left), right
            yield _name(right), left
        case ast.BoolOp(values=[left, *_, right]):
            yield _name(left), right
        case ast.IfExp(body=body, orelse=other):
            yield _name(body), other


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _of_function(place: Place, own: str) -> list[str]:
    """Return the texts, or the numbers, of the function around; for None the texts too."""
    function = function_at(place)
    if function is None:
        return []
    key = ("constants", place.tree.region.source.path, function.lineno)
    parsed = place.project.parsed
    if key not in parsed:
        docs = ast.get_docstring(function, clean=False)
        values = [each.value for each in ast.walk(function) if isinstance(each, ast.Constant)]
        codes = (_of_value(each) for each in values if each is not None and each != docs)
        parsed[key] = tuple(dict.fromkeys(code for code in codes if code is not None))
    found = cast("tuple[str, ...]", parsed[key])
    is_text = own.startswith('"') or own == "None"
    return [each for each in found if each.startswith('"') == is_text and each != own]


KnownConstant.EXAMPLES = examples(
    """
same-name: what stands for any other name
    def matches(rule, name):
        return rule.name == "*" or rule.name == name

    class Rule:
        def __init__(self, name=«None»):  # any
            self.name = name
AssertionError: assert None == '*'
    def matches(rule, name):
        return rule.name == "*" or rule.name == name

    class Rule:
        def __init__(self, name="*"):  # any
            self.name = name

same-name: a state that is called otherwise
    def close(order):
        order.state = «"done"»

    def is_open(order):
        return order.state != "closed"
AssertionError: assert 'done' == 'closed'
    def close(order):
        order.state = "closed"

    def is_open(order):
        return order.state != "closed"

function: the code that the same function gives
    def kind(code):
        if code < 10:
            return "small"
        if code < 20:
            return «"large"»
        return "huge" if code < 99 else "large"
AssertionError: assert 'large' == 'huge'
    def kind(code):
        if code < 10:
            return "small"
        if code < 20:
            return "small"
        return "huge" if code < 99 else "large"

not any: the function has no other, and the module no other of the name
    LIMIT = 10

    def kind(code):
        return «"small"» if code < LIMIT else None
AssertionError: assert 'small' == 'tiny'

not any: a message
    def check(code):
        if code == "a":
            raise ValueError(«"this is not a code that anybody would know"»)
AssertionError: assert 'small' == 'tiny'

not same-name: another name
    def close(order):
        order.state = «"done"»

    def is_open(order):
        return order.kind != "closed"
AssertionError: assert 'done' == 'closed'

not function: the function's others are texts
    def size(code):
        if code == "small":
            return «1»
        return None
AssertionError: assert 1 == 2

not function: a docstring is no value
    def size(code):
        "small"
        return code or «"large"»
AssertionError: assert 'large' == 'small'
"""
)
