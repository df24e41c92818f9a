"""Every example of every codemod, in the region that the loop cuts and in the whole file."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from libcst import BaseExpression

from selfdebug.codemods import catalogue
from selfdebug.codemods._base import Codemod, Example
from selfdebug.codemods._use import use_of
from selfdebug.codemods.null_guard import NullGuard
from selfdebug.model import Edit, Site, Span
from selfdebug.syntax.region import Tree, function_region, parse, splice, syntax_tree, whole
from selfdebug.syntax.source import Source, apply, decode
from tests.codemods.examples import FILE, site_of

Cut = Callable[[Source, Site], Tree]
EVERY = [(codemod, example) for codemod in catalogue() for example in codemod.EXAMPLES]
EXAMPLES = [
    pytest.param(codemod, each, id=f"{codemod.NAME}: {each.variant or 'any'}: {each.note}")
    for codemod, each in EVERY
]
REPAIRS = [
    param for param, (_, each) in zip(EXAMPLES, EVERY, strict=True) if each.after is not None
]


def region(source: Source, site: Site) -> Tree:
    return parse(function_region(source, syntax_tree(source), site.span.line))


def file(source: Source, site: Site) -> Tree:
    return whole(source)


def edits(
    codemod: type[Codemod], example: Example, cut: Cut, source: Source, site: Site
) -> Iterator[Edit]:
    """The edits of the example's variant, or of all where it names none."""
    tree = cut(source, site)
    for rewrite in codemod.rewrites(tree, site):
        if rewrite.variant.name == (example.variant or rewrite.variant.name):
            edit = splice(tree.region, rewrite.module.code)
            assert edit is not None
            yield edit


@pytest.mark.parametrize("cut", [region, file])
@pytest.mark.parametrize(("codemod", "example"), EXAMPLES)
def test_example(codemod: type[Codemod], example: Example, cut: Cut) -> None:
    source, site = site_of(example)
    edit = next(edits(codemod, example, cut, source, site), None)
    after = edit and apply(source.data, (edit,)).decode()
    assert after == example.after
    if codemod.ANSWERS and example.after is not None:
        assert codemod.answers(site)


@pytest.mark.parametrize(("codemod", "example"), REPAIRS)
def test_the_file_keeps_its_newlines_and_tabs(codemod: type[Codemod], example: Example) -> None:
    shows_indent = "\n    " in example.before

    def styled(code: str) -> str:
        return (code.replace("    ", "\t") if shows_indent else code).replace("\n", "\r\n")

    assert example.after is not None
    other = replace(example, before=styled(example.before), after=styled(example.after))
    source, site = site_of(other)
    edit = next(edits(codemod, other, region, source, site))
    assert apply(source.data, (edit,)).decode() == other.after


@pytest.mark.parametrize(("codemod", "example"), REPAIRS)
def test_what_is_made_compiles_and_keeps_all_comments(
    codemod: type[Codemod], example: Example
) -> None:
    assert example.after is not None
    ast.parse(example.after)
    source, _ = site_of(example)
    assert comments(example.after) == comments(source.text)


@pytest.mark.parametrize(("codemod", "example"), REPAIRS)
def test_taking_the_edit_back_gives_the_same_bytes(
    codemod: type[Codemod], example: Example
) -> None:
    source, site = site_of(example)
    for edit in edits(codemod, replace(example, variant=""), region, source, site):
        after = apply(source.data, (edit,))
        back = replace(edit, end=edit.start + len(edit.after), before=edit.after, after=edit.before)
        assert apply(after, (back,)) == source.data


@pytest.mark.parametrize(
    ("codemod", "example"), [param for param in REPAIRS if param.values[0] is NullGuard]
)
def test_what_is_guarded_is_not_guarded_again(codemod: type[Codemod], example: Example) -> None:
    source, site = site_of(example)
    assert example.after is not None
    after = decode(FILE, example.after.encode())
    added = after.lines - source.lines
    tree, before = whole(after), whole(source)
    first, last = site.span.line, site.span.line + added
    uses = {use_of(before, bad) for bad in before.at(site.span) if isinstance(bad, BaseExpression)}
    for node in tree.ranges:
        span = tree.span(node)
        if not isinstance(node, BaseExpression) or tree.code(node) != site.bad_code:
            continue
        if first <= span.line <= last and use_of(tree, node) in uses:
            again = replace(site, span=span, bad=span)
            assert [rewrite.variant for rewrite in codemod.rewrites(tree, again)] == []
    by_hand = Span(last, 0, last, len(after.line(last)))
    asked = Site(FILE, by_hand, "", after.line(last), "", "")
    assert [rewrite.variant for rewrite in codemod.rewrites(tree, asked)] == []


def comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]
