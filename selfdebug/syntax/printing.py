"""What libcst prints, with the place of every node in it, and what it prints once a little is changed.

libcst's ``PositionProvider`` counts lines and columns at every token and makes three objects for each
node, which takes three times as long as the printing. Here a node's place is two numbers of tokens,
and lines and columns are counted once, token after token. The places are the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import libcst as cst
from libcst._nodes.internal import CodegenState

from selfdebug.syntax.parts import parts_of

Position: TypeAlias = tuple[int, int]
"""A line, counted from 1, and a column, from 0."""
Range: TypeAlias = tuple[int, int]
"""The first of a row of tokens, and the first that is behind them."""
_NEWLINE = re.compile(r"\r\n?|\n")
_HOLDERS = frozenset((cst.IndentedBlock, cst.Module))
_LINES = frozenset(
    (
        *(cst.SimpleStatementLine, cst.If, cst.For, cst.While, cst.With, cst.Match),
        *(cst.Try, cst.TryStar, cst.FunctionDef, cst.ClassDef),
    )
)
_WITH_BLOCKS = (
    *(cst.IndentedBlock, cst.Else, cst.Finally, cst.If),
    *(cst.ExceptHandler, cst.ExceptStarHandler),
)


@dataclass(frozen=True)
class Printed:
    """A module as libcst prints it.

    ``ranges`` are the tokens of every node, in libcst's order, without the white space and comments
    around it that do not belong to its syntax. ``lines`` are those of the statements of blocks, with
    all that is around them, each with the indentation of its block. ``dropped`` is the line break at
    the end of the last token where the file has none.
    """

    tokens: Sequence[str]
    ranges: Mapping[cst.CSTNode, Range]
    lines: Mapping[cst.CSTNode, tuple[int, int, str]]
    dropped: str

    @cached_property
    def code(self) -> str:
        """The code of the module."""
        return "".join(self.tokens).removesuffix(self.dropped)

    @cached_property
    def positions(self) -> Sequence[Position]:
        """Where each token begins, and where the last one ends."""
        line, column = 1, 0
        found = [(line, column)]
        for token in self.tokens:
            if "\n" in token or "\r" in token:
                pieces = _NEWLINE.split(token)
                line, column = line + len(pieces) - 1, len(pieces[-1])
            else:
                column += len(token)
            found.append((line, column))
        return found

    @cached_property
    def nodes(self) -> Mapping[tuple[Position, Position], Sequence[cst.CSTNode]]:
        """The nodes by where they begin and end."""
        at = self.positions
        found: dict[tuple[Position, Position], list[cst.CSTNode]] = {}
        for node, (start, end) in self.ranges.items():
            found.setdefault((at[start], at[end]), []).append(node)
        return found


def printed(module: cst.Module) -> Printed:
    """Print a module. Raises what libcst raises where it cannot."""
    state = _Recorder(module)
    module._codegen(state)
    if state.dropped:
        state.tokens[-1] = state.dropped
    return Printed(state.tokens, state.ranges, state.lines, state.dropped)


def code_after(module: cst.Module, before: Printed) -> str:
    """Print a module most of whose statements are those of another one, printed before."""
    state = _Plain(module.default_indent, module.default_newline)
    body = [_line(each, "", module, before) for each in module.body]
    module.with_changes(body=body)._codegen(state)
    return "".join(state.tokens)


class _Plain(CodegenState):
    """libcst's state of printing, without its costly way to do nothing."""

    def record_syntactic_position(
        self,
        node: cst.CSTNode,  # noqa: ARG002
        *,
        start_node: cst.CSTNode | None = None,  # noqa: ARG002
        end_node: cst.CSTNode | None = None,  # noqa: ARG002
    ) -> Any:
        return _NOTHING


class _Nothing:
    __slots__ = ()

    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...


_NOTHING = _Nothing()


class _Recorder(CodegenState):
    """libcst's state of printing that remembers which tokens are a node's."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(module.default_indent, module.default_newline)
        self.ranges: dict[cst.CSTNode, Range] = {}
        self.lines: dict[cst.CSTNode, tuple[int, int, str]] = {}
        self.dropped = ""
        self._starts: list[int] = []
        self._whole: dict[cst.CSTNode, tuple[int, int, str]] = {}

    def before_codegen(self, node: cst.CSTNode) -> None:  # noqa: ARG002
        self._starts.append(len(self.tokens))

    def after_codegen(self, node: cst.CSTNode) -> None:
        start, end = self._starts.pop(), len(self.tokens)
        if node not in self.ranges:  # else its syntax is known, which is less
            self.ranges[node] = start, end
        kind = type(node)
        if kind in _HOLDERS:
            # An elif is printed as a statement too, but is none of a block.
            self.lines.update((each, self._whole[each]) for each in node.body)  # type: ignore[attr-defined]
        elif kind in _LINES:
            self._whole[node] = start, end, "".join(self.indent_tokens)

    def pop_trailing_newline(self) -> None:
        if self.tokens:
            # The token stays, so that numbers do not change.
            self.dropped, self.tokens[-1] = self.tokens[-1], ""

    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Any:
        return _Recording(self, node, start_node, end_node)


class _Recording:
    """Notes what is printed inside a ``with`` as the tokens of a node."""

    __slots__ = ("end_node", "node", "start", "start_node", "state")

    def __init__(
        self,
        state: _Recorder,
        node: cst.CSTNode,
        start_node: cst.CSTNode | None,
        end_node: cst.CSTNode | None,
    ) -> None:
        self.state = state
        self.node = node
        self.start_node = start_node
        self.end_node = end_node

    def __enter__(self) -> None:
        self.start = len(self.state.tokens)

    def __exit__(self, *error: object) -> None:
        ranges = self.state.ranges
        start = self.start if self.start_node is None else ranges[self.start_node][0]
        end = len(self.state.tokens) if self.end_node is None else ranges[self.end_node][1]
        ranges[self.node] = start, end


class _Verbatim:
    """Stands for a statement that was printed before."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tokens

    def _codegen(self, state: CodegenState) -> None:
        state.tokens.extend(self.tokens)


def _line(line: Any, indent: str, module: cst.Module, before: Printed) -> Any:
    start, end, depth = before.lines.get(line, (0, 0, None))
    if depth == indent:
        return _Verbatim(before.tokens[start:end])
    return (
        line if isinstance(line, cst.SimpleStatementLine) else _thin(line, indent, module, before)
    )


def _thin(node: Any, indent: str, module: cst.Module, before: Printed) -> Any:
    """Return a statement or block with what was printed before in the place of statements in it."""
    if isinstance(node, cst.IndentedBlock):
        inner = indent + (module.default_indent if node.indent is None else node.indent)
        return node.with_changes(body=[_line(each, inner, module, before) for each in node.body])
    new: dict[str, Any] = {}
    for name, part in parts_of(node):
        if isinstance(part, _WITH_BLOCKS):
            new[name] = _thin(part, indent, module, before)
        elif name == "handlers" and not isinstance(part, cst.CSTNode):
            new[name] = [_thin(each, indent, module, before) for each in part]
    return node.with_changes(**new)
