"""An expression put into any place keeps its meaning: the syntax tree says so."""

from __future__ import annotations

import ast

import libcst as cst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfdebug.codemods._edit import changed, expression, replaced
from selfdebug.syntax.precedence import Level, fit, level
from selfdebug.syntax.region import whole
from selfdebug.syntax.source import decode
from tests.codemods.examples import FILE

OPERATORS = (
    *("+", "-", "*", "/", "//", "%", "@", "**", "<<", ">>", "&", "|", "^"),
    *("and", "or", "<", "in", "is"),
)
ATOMS = st.sampled_from(["a", "b.c", "f(x)", "d[0]", "1", "'s'", "[e]", "(g, h)", "-i", "not j"])


def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, st.sampled_from(OPERATORS), inner).map(
            lambda t: f"({t[0]}) {t[1]} ({t[2]})"
        ),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]}) if ({t[1]}) else ({t[2]})"),
        inner.map(lambda each: f"lambda: ({each})"),
        inner.map(lambda each: f"-({each})"),
        inner.map(lambda each: f"not ({each})"),
        inner.map(lambda each: f"(n := ({each}))"),
        inner.map(lambda each: f"({each}).attribute"),
        inner.map(lambda each: f"[*({each}), 1]"),
        inner.map(lambda each: f"f(*({each}), **({each}))"),
        inner.map(lambda each: f"[k for k in ({each}) if ({each})]"),
    )


EXPRESSIONS = st.recursive(ATOMS, compound, max_leaves=6)
PLACES = st.sampled_from(
    [
        *(f"X {operator} y" for operator in OPERATORS),
        *(f"y {operator} X" for operator in OPERATORS),
        *(
            "X.y",
            "X[y]",
            "X(y)",
            "y(X)",
            "y(*X)",
            "y(**X)",
            "y(z=X)",
            "-X",
            "not X",
            "y[X]",
            "y[X:]",
        ),
        *("X if y else z", "y if X else z", "y if z else X", "[X]", "[*X]", "{X: y}", "{**X}"),
        *("lambda: X", "[y for y in X]", "[X for y in z]", "[y for y in z if X]", "(y := X)"),
    ]
)


def bare(code: str) -> cst.BaseExpression:
    """Parse without the parentheses that are not needed in code that stands alone."""
    return cst.parse_expression(ast.unparse(ast.parse(code, mode="eval")))


def meaning(code: str) -> str:
    tree = ast.parse(code, mode="eval")
    return ast.dump(Flat().visit(tree))


class Flat(ast.NodeTransformer):
    """``a and (b and c)`` means ``a and b and c``."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        self.generic_visit(node)
        values: list[ast.expr] = []
        for value in node.values:
            same = isinstance(value, ast.BoolOp) and type(value.op) is type(node.op)
            values += value.values if same and isinstance(value, ast.BoolOp) else [value]
        node.values = values
        return node


@given(EXPRESSIONS, PLACES)
def test_an_expression_means_the_same_in_every_place(code: str, where: str) -> None:
    made = expression(where, X=bare(code))
    assert meaning(cst.Module([]).code_for_node(made)) == meaning(where.replace("X", f"({code})"))


@given(EXPRESSIONS, EXPRESSIONS, PLACES)
def test_what_is_replaced_leaves_the_rest_as_it_was(old: str, new: str, where: str) -> None:
    text = f"{where.replace('X', f'({old})')}\n"
    tree = whole(decode(FILE, text.encode()))
    node = next(
        node
        for node in tree.ranges
        if isinstance(node, cst.BaseExpression) and tree.module.code_for_node(node) == f"({old})"
    )
    module = changed(tree, replaced(tree, node, lambda _: bare(new)))
    assert module is not None
    assert meaning(module.code) == meaning(where.replace("X", f"({new})", 1))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a if b else c", Level.TEST),
        ("a or b", Level.OR),
        ("a + b", Level.SUM),
        ("a * b", Level.TERM),
        ("-a", Level.FACTOR),
        ("a**b", Level.POWER),
        ("a.b", Level.PRIMARY),
        ("a", Level.ATOM),
        ("(a or b)", Level.ATOM),
    ],
)
def test_levels(code: str, expected: Level) -> None:
    assert level(cst.parse_expression(code)) is expected


@pytest.mark.parametrize(
    ("statement", "new", "expected"),
    [
        ("if(a).b: pass", "x and y", "if(x and y): pass"),
        ("return(a).b", "x", "return(x)"),
        ("assert(a)", "not x", "assert(not x)"),
        ("x = 1 .real", "2", "x = 2"),
    ],
)
def test_a_keyword_without_a_space_keeps_its_parenthesis(
    statement: str, new: str, expected: str
) -> None:
    tree = whole(decode(FILE, f"def f():\n    {statement}\n".encode()))
    old = next(
        node.test if isinstance(node, cst.If | cst.Assert) else node.value
        for node in tree.ranges
        if isinstance(node, cst.If | cst.Return | cst.Assert | cst.Assign)
    )
    assert old is not None
    module = changed(tree, replaced(tree, old, lambda _: cst.parse_expression(new)))
    assert module is not None
    assert module.code == f"def f():\n    {expected}\n"


def test_the_attribute_of_a_number_needs_parentheses() -> None:
    attribute = cst.parse_expression("a.real")
    assert isinstance(attribute, cst.Attribute)
    number = fit(cst.Integer("1"), attribute, attribute.value)
    assert cst.Module([]).code_for_node(number) == "(1)"
