"""Every example of every codemod, in the regions that the loop cuts and in the whole file.

Those that a page of the catalogue can do without are in ``further``, in the same form.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from libcst import BaseExpression

from selfdebug.codemods import catalogue
from selfdebug.codemods._base import Codemod, Example, Repair, Target, examples, with_edits
from selfdebug.codemods._first_order import FirstOrder
from selfdebug.codemods._use import use_of
from selfdebug.codemods.null_guard import NullGuard
from selfdebug.model import Edit, Site, Span
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import whole
from selfdebug.syntax.source import Unreadable, apply, decode
from tests.codemods.examples import FILE, ROOT, shown, whole_target

FURTHER = {
    path.stem: examples(path.read_text("utf-8"))
    for path in (Path(__file__).parent / "further").glob("*.txt")
}
EVERY = [
    (codemod, example)
    for codemod in catalogue()
    for example in (*codemod.EXAMPLES, *FURTHER.pop(codemod.NAME.replace("-", "_"), ()))
]
assert not FURTHER, "of no codemod"
EXAMPLES = [
    pytest.param(codemod, each, id=f"{codemod.NAME}: {each.variant or 'any'}: {each.note}")
    for codemod, each in EVERY
]
REPAIRS = [
    param for param, (_, each) in zip(EXAMPLES, EVERY, strict=True) if each.after is not None
]


def repairs(
    example: Example, codemod: type[Codemod]
) -> Iterator[tuple[bytes, bytes, tuple[Edit, ...]]]:
    """What the example's variant, or all where it names none, makes of the file that is to change."""
    project, site = shown(example, codemod)
    if codemod.ANSWERS and not codemod.answers(site):
        return
    path = ROOT / example.changed
    for repair in offered(codemod, site, project):
        if repair.variant.name == (example.variant or repair.variant.name):
            edits = tuple(edit for edit in repair.edits if edit.file == path)
            before = project.data(path)
            yield before, apply(before, edits), edits


def offered(codemod: type[Codemod], site: Site, project: Project) -> Iterator[Repair]:
    """Its repairs; none where it says why the file that does not parse has to stay so."""
    try:
        yield from codemod.repairs(site, project)
    except Unreadable:
        assert not whole_files(codemod)


def by_hand(example: Example, codemod: type[Codemod]) -> Iterator[bytes]:
    """The same by way of the whole file, as libcst's own tool does."""
    project, site = shown(example, codemod)
    path = ROOT / example.changed
    for target in codemod.targets(site, project):
        if target.site.file != path:
            continue
        tree = whole(project.read(path))
        for rewrite in codemod.rewrites(Target(tree, target.site, project)):
            if rewrite.variant.name == (example.variant or rewrite.variant.name):
                yield with_edits(tree, rewrite).bytes


@pytest.mark.parametrize(("codemod", "example"), EXAMPLES)
def test_example(codemod: type[Codemod], example: Example) -> None:
    after = next((after for _, after, _ in repairs(example, codemod)), None)
    assert (after and after.decode()) == example.after
    if whole_files(codemod):
        assert next(by_hand(example, codemod), None) == after


def whole_files(codemod: type[Codemod]) -> bool:
    """Whether it works on parsed code, which one that repairs a syntax error does not."""
    own = codemod.repairs.__func__  # type: ignore[attr-defined]
    return any(own is each.repairs.__func__ for each in (Codemod, FirstOrder))  # type: ignore[attr-defined]


@pytest.mark.parametrize(("codemod", "example"), REPAIRS)
def test_the_file_keeps_its_newlines_and_tabs(codemod: type[Codemod], example: Example) -> None:
    shows_indent = "\n    " in example.before

    def styled(code: str) -> str:
        return (code.replace("    ", "\t") if shows_indent else code).replace("\n", "\r\n")

    assert example.after is not None
    beside = {file: styled(code) for file, code in example.beside.items()}
    other = replace(
        example, before=styled(example.before), after=styled(example.after), beside=beside
    )
    _, after, _ = next(repairs(other, codemod))
    assert after.decode() == other.after


@pytest.mark.parametrize(("codemod", "example"), REPAIRS)
def test_what_is_made_compiles_and_keeps_all_comments(
    codemod: type[Codemod], example: Example
) -> None:
    assert example.after is not None
    ast.parse(example.after)
    before, _, _ = next(repairs(example, codemod))
    if whole_files(codemod):
        assert comments(example.after) == comments(before.decode())
    else:  # what does not parse has no tokens
        found = re.findall("#.*", before.decode())
        assert re.findall("#.*", example.after) == found


@pytest.mark.parametrize(("codemod", "example"), REPAIRS)
def test_taking_the_edits_back_gives_the_same_bytes(
    codemod: type[Codemod], example: Example
) -> None:
    for before, after, edits in repairs(replace(example, variant=""), codemod):
        restored = after
        for edit in sorted(edits, key=lambda each: each.start):
            end = edit.start + len(edit.after)
            back = replace(edit, end=end, before=edit.after, after=edit.before)
            restored = apply(restored, (back,))
        assert restored == before


@pytest.mark.parametrize(
    ("codemod", "example"), [param for param in REPAIRS if param.values[0] is NullGuard]
)
def test_what_is_guarded_is_not_guarded_again(codemod: type[Codemod], example: Example) -> None:
    project, site = shown(example)
    source = project.read(site.file)
    assert example.after is not None
    after = decode(FILE, example.after.encode())
    added = after.lines - source.lines
    tree, before = whole(after), whole(source)
    first, last = site.span.line, site.span.line + added
    bad = site.bad or site.span
    uses = {use_of(before, each) for each in before.at(bad) if isinstance(each, BaseExpression)}
    for node in tree.ranges:
        span = tree.span(node)
        if not isinstance(node, BaseExpression) or tree.code(node) != site.bad_code:
            continue
        if first <= span.line <= last and use_of(tree, node) in uses:
            again = replace(site, span=span, bad=span)
            found = codemod.rewrites(whole_target(tree, again))
            assert [rewrite.variant for rewrite in found] == []
    by_hand = Span(last, 0, last, len(after.line(last)))
    asked = Site(FILE, by_hand, "", after.line(last), "", "")
    assert [rewrite.variant for rewrite in codemod.rewrites(whole_target(tree, asked))] == []


def comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]
