"""Import statements rewritten: other modules, other names, and what reads them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import libcst as cst

from selfdebug.codemods._base import Target
from selfdebug.codemods._edit import Change, expression
from selfdebug.codemods._insert import below
from selfdebug.model import Edit
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.region import Tree


def taken_from(
    tree: Tree,
    statement: cst.ImportFrom,
    moved: Sequence[cst.ImportAlias],
    names: Sequence[cst.ImportAlias],
    place: str,
) -> Change:
    """Return the change that imports some names of a statement, spelled anew, from another module.

    What stays is still imported from the old one.
    """
    assert not isinstance(statement.names, cst.ImportStar)
    stay = [alias for alias in statement.names if alias not in moved]
    module = expression(place)
    assert isinstance(module, cst.Name | cst.Attribute)
    if not stay:
        return {statement: lambda node: node.with_changes(module=module, names=names)}
    bare = [alias.with_changes(comma=cst.MaybeSentinel.DEFAULT) for alias in names]
    new = cst.ImportFrom(module=module, names=bare)
    rest = [*stay[:-1], stay[-1].with_changes(comma=statement.names[-1].comma)]
    line = cst.SimpleStatementLine([new])
    return {
        statement: lambda node: node.with_changes(names=rest),
        **below(tree, statement, [line]),
    }


def called(alias: cst.ImportAlias, name: str) -> cst.ImportAlias:
    """Return an imported name as another one."""
    return alias.with_changes(name=cst.Name(name))


def uses_renamed(target: Target, old: str, new: str) -> Iterator[Edit]:
    """Yield the edits that write a name of the file anew, wherever it is read."""
    if old == new:
        return
    module = read_module(target.site.file, target.project)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name) and node.id == old:
            start = module.source.byte_offset(node.lineno, node.col_offset)
            yield module.source.edit(start, start + len(old), new)
