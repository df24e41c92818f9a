"""New statements above a statement, or an ``if`` around it, with every comment kept.

A statement's own comments (those that touch it) stay with it; blank lines and comments further up go
above what is inserted. One-line suites are opened into blocks, lines with semicolons are split.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import libcst as cst

from selfdebug.codemods._edit import Change
from selfdebug.syntax.region import Tree

Line: TypeAlias = cst.SimpleStatementLine | cst.BaseCompoundStatement
Arrange: TypeAlias = Callable[[Line], Sequence[Line]]


def statements(tree: Tree, code: str, near: cst.CSTNode) -> list[Line]:
    """Parse statements, those with blocks indented as the block that holds ``near``."""
    blocks = (up for up in tree.ancestors(near) if isinstance(up, cst.IndentedBlock))
    indent = next((block.indent for block in blocks), None)
    module = cst.parse_module(code)
    return [*(module if indent is None else module.visit(_Indented(indent))).body]


class _Indented(cst.CSTTransformer):
    def __init__(self, indent: str) -> None:
        super().__init__()
        self.indent = indent

    def leave_IndentedBlock(
        self,
        original_node: cst.IndentedBlock,  # noqa: ARG002
        updated_node: cst.IndentedBlock,
    ) -> cst.IndentedBlock:
        return updated_node.with_changes(indent=self.indent)


def above(tree: Tree, target: cst.CSTNode, new: Sequence[Line]) -> Change:
    """Return the change that inserts lines above a statement, simple or compound."""

    def arrange(line: Line) -> Sequence[Line]:
        distant, own = divided(line.leading_lines)
        return [new[0].with_changes(leading_lines=distant), *new[1:], _under(line, own)]

    return _arranged(tree, target, arrange, alone=False)


def below(tree: Tree, target: cst.BaseSmallStatement, new: Sequence[Line]) -> Change:
    """Return the change that inserts lines under a simple statement."""
    return _arranged(tree, target, lambda line: [line, *new], alone=True)


def around(
    tree: Tree, target: cst.BaseSmallStatement, test: str, before: Sequence[Line] = ()
) -> Change:
    """Return the change that makes a simple statement the body of ``if test:``, under new lines."""

    def arrange(line: Line) -> Sequence[Line]:
        header = statements(tree, f"if {test}:\n    pass\n", target)[0]
        assert isinstance(header, cst.If)
        new = [*before, header.with_changes(body=header.body.with_changes(body=[_under(line, ())]))]
        return [_under(new[0], line.leading_lines), *new[1:]]

    return _arranged(tree, target, arrange, alone=True)


def tried(tree: Tree, target: cst.BaseSmallStatement, handler: str) -> Change:
    """Return the change that makes a simple statement the body of a ``try`` with these handlers."""

    def arrange(line: Line) -> Sequence[Line]:
        made = statements(tree, f"try:\n    pass\n{handler}", target)[0]
        assert isinstance(made, cst.Try)
        new = made.with_changes(body=made.body.with_changes(body=[_under(line, ())]))
        return [_under(new, line.leading_lines)]

    return _arranged(tree, target, arrange, alone=True)


def _arranged(tree: Tree, target: cst.CSTNode, arrange: Arrange, alone: bool) -> Change:
    """Let ``arrange`` say what stands for the line of ``target`` in its block.

    The line holds only the statement itself and, unless it is to be ``alone``, those that follow it.
    """
    parent = tree.parents[target]
    if isinstance(parent, cst.SimpleStatementSuite):
        return {parent: lambda suite: _opened(suite, parent.body.index(target), arrange, alone)}
    small = isinstance(parent, cst.SimpleStatementLine)
    line = parent if small else target
    block = tree.parents[line]
    assert isinstance(block, cst.IndentedBlock | cst.Module)
    place = next(i for i, other in enumerate(block.body) if other is line)

    def put(updated: Any) -> Any:
        body = list(updated.body)
        index = parent.body.index(target) if isinstance(parent, cst.SimpleStatementLine) else 0
        body[place : place + 1] = _split(body[place], index, arrange, alone)
        return updated.with_changes(body=body)

    return {block: put}


def _split(line: Line, index: int, arrange: Arrange, alone: bool) -> list[Line]:
    if not isinstance(line, cst.SimpleStatementLine):
        return [*arrange(line)]
    end = index + 1 if alone else len(line.body)
    before, own, after = line.body[:index], line.body[index:end], line.body[end:]
    lines: list[Line] = []
    for part in filter(None, (before, own, after)):
        piece = line.with_changes(body=_ended(part))
        if lines:
            piece = piece.with_changes(leading_lines=())
        if part[-1] is not line.body[-1]:
            piece = piece.with_changes(trailing_whitespace=cst.TrailingWhitespace())
        lines += arrange(piece) if part is own else [piece]
    return lines


def _ended(part: Sequence[cst.BaseSmallStatement]) -> list[cst.BaseSmallStatement]:
    return [*part[:-1], part[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]


def _opened(
    suite: cst.SimpleStatementSuite, index: int, arrange: Arrange, alone: bool
) -> cst.IndentedBlock:
    line = cst.SimpleStatementLine(suite.body, trailing_whitespace=suite.trailing_whitespace)
    return cst.IndentedBlock(_split(line, index, arrange, alone))


def divided(
    lines: Sequence[cst.EmptyLine],
) -> tuple[Sequence[cst.EmptyLine], Sequence[cst.EmptyLine]]:
    """Divide the lines above a statement into the distant ones and its own comments."""
    own = len(lines)
    while own and lines[own - 1].comment is not None:
        own -= 1
    return lines[:own], lines[own:]


def _under(line: Line, leading: Sequence[cst.EmptyLine]) -> Line:
    return line.with_changes(leading_lines=leading)
