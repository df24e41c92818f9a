"""Every example of every codemod, in the regions that the loop cuts and in the whole file.

Those that a page of the catalogue can do without are in ``further``, in the same form.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

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


class Made(NamedTuple):
    """What a variant makes of the file that is to change."""

    variant: str
    before: bytes
    after: bytes
    edits: tuple[Edit, ...]


def repairs(example: Example, codemod: type[Codemod]) -> Iterator[Made]:
    """What all variants make of an example."""
    project, site = shown(example, codemod)
    if codemod.ANSWERS and not codemod.answers(site):
        return
    path = ROOT / example.changed
    for repair in offered(codemod, site, project):
        edits = tuple(edit for edit in repair.edits if edit.file == path)
        before = project.data(path)
        yield Made(repair.variant.name, before, apply(before, edits), edits)


def own(example: Example, every: Iterable[Made]) -> Made | None:
    """The first by the example's variant, or by any where it names none."""
    return next((each for each in every if each.variant == (example.variant or each.variant)), None)


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
    """It is as it says, compiles, keeps all comments, and is taken back to the same bytes."""
    every = [*repairs(example, codemod)]
    made = own(example, every)
    assert (made and made.after.decode()) == example.after
    if whole_files(codemod):
        assert next(by_hand(example, codemod), None) == (made and made.after)
    if made is None:
        return
    ast.parse(made.after)
    if whole_files(codemod):
        assert comments(made.after.decode()) == comments(made.before.decode())
    else:  # what does not parse has no tokens
        assert re.findall(b"#.*", made.after) == re.findall(b"#.*", made.before)
    for each in every:
        assert taken_back(each) == each.before


def taken_back(made: Made) -> bytes:
    restored = made.after
    for edit in sorted(made.edits, key=lambda each: each.start):
        end = edit.start + len(edit.after)
        back = replace(edit, end=end, before=edit.after, after=edit.before)
        restored = apply(restored, (back,))
    return restored


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
    made = own(other, repairs(other, codemod))
    assert made
    assert made.after.decode() == other.after


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
