"""Random places in real files, and what has to hold of every edit there."""

from __future__ import annotations

import io
import random
import sysconfig
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import libcst as cst

from selfdebug.codemods._base import Codemod
from selfdebug.model import Edit, Site
from selfdebug.syntax.region import Tree, function_region, parse, splice, syntax_tree
from selfdebug.syntax.source import Source, Unreadable, apply, read
from tests.codemods.examples import whole_target

STDLIB = Path(sysconfig.get_path("stdlib"))
LONGEST_REGION = 400
_MESSAGES = {
    cst.Attribute: "'NoneType' object has no attribute 'x'",
    cst.Subscript: "'NoneType' object is not subscriptable",
    cst.BinaryOperation: "unsupported operand type(s) for +: 'NoneType' and 'int'",
    cst.Comparison: "'<' not supported between instances of 'NoneType' and 'int'",
}


@dataclass(frozen=True)
class Made:
    """An edit, the file before and after it, and what made it."""

    source: Source
    edit: Edit
    variant: str
    site: Site

    @property
    def after(self) -> bytes:
        return apply(self.source.data, (self.edit,))


def stdlib(seed: int, count: int) -> list[Path]:
    """Files of the running interpreter's library, its tests included."""
    files = [path for path in STDLIB.rglob("*.py") if "site-packages" not in path.parts]
    return random.Random(seed).sample(sorted(files), min(count, len(files)))


def made(codemod: type[Codemod], path: Path, seed: int, places: int) -> Iterator[Made]:
    """Every edit that a codemod has for random places of a file."""
    chooser = random.Random(f"{seed} {path.name}")
    try:
        source = read(path)
        module = syntax_tree(source)
    except Unreadable:
        return
    for _ in range(places):
        try:
            region = function_region(source, module, chooser.randint(1, max(source.lines, 1)))
            if region.last - region.first > LONGEST_REGION:
                continue
            tree = parse(region)
        except Unreadable:
            continue
        site = _site(tree, chooser)
        if site is not None:
            yield from _edits(codemod, tree, site)


def _edits(codemod: type[Codemod], tree: Tree, site: Site) -> Iterator[Made]:
    for rewrite in codemod.rewrites(whole_target(tree, site)):
        edit = splice(tree.region, rewrite.module.code)
        assert edit is not None, f"{rewrite.variant.name} changes nothing at {site}"
        yield Made(tree.region.source, edit, rewrite.variant.name, site)


def _site(tree: Tree, chooser: random.Random) -> Site | None:
    """A random part of an expression or of a header, as if it had been None."""
    first = tree.region.first
    nodes = [
        node
        for node in tree.ranges
        if isinstance(node, cst.BaseExpression) and tree.span(node).line >= first
    ]
    if not nodes:
        return None
    node = chooser.choice(nodes)
    span, parent = tree.span(node), tree.parents[node]
    message = _MESSAGES.get(type(parent), "'NoneType' object is not iterable")
    path = tree.region.source.path
    return Site(path, span, "", tree.code(node), "TypeError", message, bad=span)


def compiles(data: bytes, name: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(data, name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True


def comments(data: bytes) -> Counter[str]:
    tokens = tokenize.tokenize(io.BytesIO(data).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def reverted(one: Made) -> bytes:
    edit = one.edit
    back = replace(edit, end=edit.start + len(edit.after), before=edit.after, after=edit.before)
    return apply(one.after, (back,))
