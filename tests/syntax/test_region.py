"""Regions: what is cut parses, prints back, and has the positions of the file."""

from __future__ import annotations

import ast
import random
import sysconfig
import textwrap
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import libcst as cst
import pytest
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from selfdebug.model import Span
from selfdebug.syntax.region import (
    Region,
    enclosing,
    function_region,
    line_region,
    parse,
    splice,
    statement_region,
    syntax_tree,
    whole,
)
from selfdebug.syntax.source import Source, Unreadable, apply, decode

Cut = Callable[[Source, ast.Module, int], Region]
CUTS: tuple[Cut, ...] = (function_region, statement_region, line_region)
LIBRARY = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))


def source_of(text: str) -> Source:
    return decode(Path("shop.py"), text.encode())


def cut(region: Cut, text: str, line: int) -> tuple[tuple[str, ...], str, str]:
    source = source_of(text)
    found = region(source, syntax_tree(source), line)
    assert parse(found).module.code == found.head + found.text + found.tail
    return found.headers, found.text, found.tail


NESTED = dedent("""\
    import os

    class Cart:
        @property
        def total(self):
            # the sum
            for line in self.lines:
                if line.price:
                    yield line.price  # each

        limit = os.environ.get("LIMIT")

    async def main():
        async with lock as held:
            await held
    """)


@pytest.mark.parametrize(
    ("line", "headers", "first", "last"),
    [
        (1, (), "import os", "import os"),
        (4, ("class _:",), "    @property", "yield line.price  # each"),
        (9, ("class _:",), "    @property", "yield line.price  # each"),
        (11, ("class _:",), '    limit = os.environ.get("LIMIT")', '("LIMIT")'),
        (15, (), "async def main():", "await held"),
    ],
)
def test_a_function_or_a_statement_outside(
    line: int, headers: tuple[str, ...], first: str, last: str
) -> None:
    shown, text, _ = cut(function_region, NESTED, line)
    assert shown == headers
    assert text.startswith(first)
    assert text.rstrip("\n").endswith(last)


def test_a_statement_stands_under_the_headers_of_its_blocks() -> None:
    headers, text, _ = cut(statement_region, NESTED, 9)
    assert headers == ("class _:", "    def _():", "        if 1:", "            if 1:")
    assert text == "                yield line.price  # each\n"


BRANCHES = dedent("""\
    def f(a):
        if (a.b and
                a.c):
            x()
        # or
        elif a.d:
            y()
        else: z()
        try:
            x()
        except a.e:
            y()
        with a.f: x()
        match a.g:
            case a.H if a.i:
                x()
        while a.j:
            x()
        for k in a.k:

            x()
    @a.l
    class C(a.m): pass
    """)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (2, "    if (a.b and\n            a.c):\n"),
        (3, "    if (a.b and\n            a.c):\n"),
        (6, "    elif a.d:\n"),
        (11, "    except a.e:\n"),
        (13, "    with a.f: x()\n"),
        (15, "        case a.H if a.i:\n"),
        (17, "    while a.j:\n"),
        (19, "    for k in a.k:\n\n"),
        (1, "def f(a):\n"),
        (22, "@a.l\nclass C(a.m): pass\n"),
        (23, "@a.l\nclass C(a.m): pass\n"),
        (4, "        x()\n"),
    ],
)
def test_the_least_that_holds_a_line(line: int, text: str) -> None:
    assert cut(line_region, BRANCHES, line)[1] == text


def test_code_that_shares_a_line_is_cut_with_it() -> None:
    text = "if a: b.c; d()\ne(); f.g\n"
    assert cut(statement_region, text, 1)[1] == "if a: b.c; d()\n"
    assert cut(statement_region, text, 2)[1] == "e(); f.g\n"


@pytest.mark.parametrize("region", CUTS)
def test_no_code_on_the_line(region: Cut) -> None:
    source = source_of("x = 1\n\n# nothing\ny = 2\n")
    with pytest.raises(Unreadable, match=r"shop\.py:3: no code on this line"):
        region(source, syntax_tree(source), 3)


def test_a_syntax_error_says_where() -> None:
    with pytest.raises(Unreadable, match="SyntaxError") as caught:
        syntax_tree(source_of("x = 1\ny = (\n"))
    assert (caught.value.line, caught.value.column) == (2, 5)


@pytest.mark.parametrize("text", ["\x00", "(" * 300 + ")" * 300])
def test_what_ast_cannot_parse_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        syntax_tree(source_of(text))


def test_what_libcst_does_not_print_back_is_refused() -> None:
    source = source_of("x = 1\n\fx = 1\n")
    with pytest.raises(Unreadable, match="print"):
        parse(whole(source, cst.parse_module("")).region)


@pytest.mark.parametrize("indent", ["\t", "  ", "        "])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_new_code_takes_the_indentation_and_the_newlines_of_the_file(
    indent: str, newline: str
) -> None:
    lines = ("def f():", f"{indent}return 1", "x = 1", "")
    source = source_of(newline.join(lines))
    tree = parse(function_region(source, syntax_tree(source), 3))
    guard = cst.parse_statement("if y:\n    z()\n")
    module = tree.module.with_changes(body=[guard, *tree.module.body])
    edit = splice(tree.region, module.code)
    assert edit is not None
    assert apply(source.data, (edit,)).decode() == newline.join(
        (*lines[:2], "if y:", f"{indent}z()", *lines[2:])
    )


def test_an_edit_is_as_small_as_the_change() -> None:
    source = source_of("class C:\n    def f(self):\n        return a.b  # why\n")
    region = function_region(source, syntax_tree(source), 3)
    code = region.head + region.text.replace("a.b", "a.bc")
    edit = splice(region, code)
    assert edit is not None
    assert (edit.before, edit.after) == (b"", b"c")
    assert splice(region, region.head + region.text) is None


def test_a_rewrite_that_leaves_its_region_is_refused() -> None:
    source = source_of("class C:\n    x = 1\n")
    region = function_region(source, syntax_tree(source), 2)
    with pytest.raises(Unreadable, match="left its region"):
        splice(region, f"x = 2\n{region.head}{region.text}")


def test_no_edit_splits_a_newline() -> None:
    source = source_of("x = 1\r\ny = 2\r\n")
    region = function_region(source, syntax_tree(source), 1)
    edit = splice(region, "x = 1\r\n\r\n")
    assert edit is not None
    assert b"\r\n" in edit.after
    assert apply(source.data, (edit,)) == b"x = 1\r\n\r\ny = 2\r\n"


# --- laws, on real code: the standard library of the interpreter ---


def lines_of(tree: ast.Module, number: int, chance: random.Random) -> list[int]:
    lines = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt | ast.expr)]
    return chance.sample(lines, min(number, len(lines)))


@pytest.mark.parametrize("region", CUTS)
def test_a_region_of_real_code_prints_back_and_stands_where_it_was(region: Cut) -> None:
    chance = random.Random(region.__name__)
    for path in chance.sample(LIBRARY, 12):
        source = decode(path, path.read_bytes())
        syntax = syntax_tree(source)
        for line in lines_of(syntax, 6, chance):
            found = region(source, syntax, line)
            assert found.first <= line <= found.last, (path, line)
            tree = parse(found)
            assert tree.printed.code == found.head + found.text + found.tail
            assert_spans(tree.span, tree.code, tree.module, found)


def assert_spans(
    span: Callable[[cst.CSTNode], Span],
    code: Callable[[cst.CSTNode], str],
    module: cst.Module,
    region: Region,
) -> None:
    """A name's span in the file holds the name."""
    stack: list[cst.CSTNode] = [module]
    while stack:
        node = stack.pop()
        stack.extend(node.children)
        inside = region.first <= span(node).line <= region.last
        if isinstance(node, cst.Name | cst.Integer) and inside and not node.lpar:
            assert code(node) == node.value, (region.source.path, span(node))


def test_the_positions_are_those_of_the_metadata_wrapper() -> None:
    path = Path(textwrap.__file__)
    tree = whole(decode(path, path.read_bytes()))
    module = cst.parse_module(path.read_bytes())
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    theirs = [
        (type(node).__name__, place) for node, place in wrapper.resolve(PositionProvider).items()
    ]
    positions = tree.printed.positions
    ours = [
        (type(node).__name__, CodeRange(positions[start], positions[end]))
        for node, (start, end) in tree.ranges.items()
    ]
    assert ours == theirs


def test_the_innermost_statement_around_a_line() -> None:
    tree = syntax_tree(source_of(BRANCHES))
    kinds = [type(stmt).__name__ for stmt in enclosing(tree, 7)]
    assert kinds == ["FunctionDef", "If", "Expr"]


@pytest.mark.parametrize("cut_at", [function_region, statement_region])
@pytest.mark.parametrize(("line", "name"), [(2, "one"), (6, "two")])
def test_a_page_break_before_a_definition_is_kept(cut_at: Cut, line: int, name: str) -> None:
    text = "x = 1\n\fdef one():\n    a\nclass C:\n  \f\n \f  def two(self):\n        a\n"
    source = source_of(text)
    tree = parse(cut_at(source, syntax_tree(source), line))
    (node,) = tree.names[name]
    assert tree.code(node) == name
    assert node in tree.at(tree.span(node))
    edit = splice(tree.region, tree.module.code.replace(name, "other"))
    assert edit is not None
    assert apply(source.data, (edit,)).decode() == text.replace(name, "other")


@pytest.mark.parametrize("text", ["\f\nx = 1\n", "\f# why\nx = 1\n"])
def test_a_page_break_before_no_code_belongs_to_the_region(text: str) -> None:
    assert whole(source_of(text), cst.parse_module(text)).region.text == text
