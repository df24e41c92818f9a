"""The part of a file that libcst has to parse: one function, or one statement outside functions.

libcst's parse and positions cost about a hundred times ``ast.parse``, so ``ast`` finds the enclosing
function and libcst sees only its lines, under stand-in headers that open the same blocks at the same
columns (``class _:``, ``if 1:``). Positions differ from the file's by a line offset only, and what
lies outside the region stays byte for byte the same by construction.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias, cast

import libcst as cst

from selfdebug.model import Edit, Span
from selfdebug.syntax.parts import children_of
from selfdebug.syntax.printing import Position, Printed, Range, code_after, printed
from selfdebug.syntax.source import Source, Unreadable

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Statement: TypeAlias = cst.BaseSmallStatement | cst.BaseCompoundStatement
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_TRY_STAR = getattr(ast, "TryStar", ast.Try)
_NEWLINE = re.compile(r"\r\n|\r|\n")
_INDENT = re.compile(r"[ \t\f]*")
_FEED = re.compile(r"[ \t\f]*\f(?=[ \t]*[^\s#])")
LIBCST_ERRORS = (cst.ParserSyntaxError, cst.CSTValidationError, SyntaxError, RecursionError)
"""What libcst raises on source that it cannot parse or print: such a file is left alone."""


@dataclass(frozen=True)
class Region:
    """Lines ``first`` to ``last`` of a file, both included, and the headers they stand under.

    ``tail`` is a stand-in for the body where the lines are only the header of a statement. A form feed
    before the code of the first line stays outside: CPython counts the indentation anew behind it,
    and libcst does not print it back.
    """

    source: Source
    first: int
    last: int
    headers: tuple[str, ...] = ()
    indent: str = "    "
    newline: str = "\n"
    tail: str = ""

    @cached_property
    def skipped(self) -> int:
        """The columns of the first line that stay outside."""
        feed = _FEED.match(self.source.line(self.first))
        return feed.end() if feed else 0

    @property
    def start(self) -> int:
        """The offset at which the region begins."""
        return self.source.offset(self.first, self.skipped)

    @property
    def text(self) -> str:
        """The region's own lines."""
        return self.source.text[self.start : self.source.offset(self.last + 1, 0)]

    @property
    def head(self) -> str:
        """The stand-in headers as lines."""
        return "".join(header + self.newline for header in self.headers)

    @property
    def shift(self) -> int:
        """What to add to a line of the parsed region to get the line of the file."""
        return self.first - 1 - len(self.headers)


@dataclass(frozen=True)
class Tree:
    """A parsed region. ``module`` holds the stand-in headers too; spans are those of the file."""

    region: Region
    module: cst.Module

    @cached_property
    def printed(self) -> Printed:
        """The module's code, and where its nodes stand in it."""
        return printed(self.module)

    @property
    def ranges(self) -> Mapping[cst.CSTNode, Range]:
        """The tokens of all nodes, in libcst's order; ``span`` tells where they stand."""
        return self.printed.ranges

    def code_after(self, module: cst.Module) -> str:
        """Return the code of the module once it is changed; asked twice in a row it prints once."""
        last = self._last
        if not last or last[0] is not module:
            last[:] = module, code_after(module, self.printed)
        return cast("str", last[1])

    @cached_property
    def _last(self) -> list[cst.Module | str]:
        return []

    @cached_property
    def parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        """The parent of every node but the module."""
        found: dict[cst.CSTNode, cst.CSTNode] = {}
        stack: list[cst.CSTNode] = [self.module]
        while stack:
            node = stack.pop()
            children = children_of(node)
            found.update(dict.fromkeys(children, node))
            stack.extend(children)
        return found

    @cached_property
    def statements(self) -> tuple[tuple[Statement, Span], ...]:
        """The statements with their places, in no order that counts."""
        return tuple(
            (node, self.span(node))
            for node in self.ranges
            if isinstance(node, cst.BaseSmallStatement | cst.BaseCompoundStatement)
        )

    @cached_property
    def names(self) -> Mapping[str, Sequence[cst.Name]]:
        """The names that stand in the code, by what they say, each in the order of the text."""
        found: dict[str, list[cst.Name]] = {}
        for node in self.ranges:  # a name is printed at once
            if type(node) is cst.Name:
                found.setdefault(node.value, []).append(node)
        return found

    def named(self, name: str, within: cst.CSTNode) -> Iterator[cst.Name]:
        """Yield where a node has a name, in the order of the text."""
        for node in self.names.get(name, ()):
            if node is within or any(up is within for up in self.ancestors(node)):
                yield node

    @cached_property
    def texts(self) -> dict[cst.CSTNode, str]:
        """What nodes were printed as where they stand, by those who needed it; empty at first."""
        return {}

    def span(self, node: cst.CSTNode) -> Span:
        """Return a node's place in the file."""
        first, behind = self.ranges[node]
        start, end = map(
            self._in_file, (self.printed.positions[first], self.printed.positions[behind])
        )
        return Span(*start, *end)

    def _in_file(self, position: Position) -> Position:
        line, column = position[0] + self.region.shift, position[1]
        return line, column + (self.region.skipped if line == self.region.first else 0)

    def at(self, span: Span) -> Sequence[cst.CSTNode]:
        """Return the nodes that have exactly this place in the file; several nodes may share one."""
        start = self._in_region(span.line, span.column)
        return self.printed.nodes.get((start, self._in_region(span.end_line, span.end_column)), ())

    def _in_region(self, line: int, column: int) -> Position:
        skipped = self.region.skipped if line == self.region.first else 0
        return line - self.region.shift, column - skipped

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield a node's parents from the inside out."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def code(self, node: cst.CSTNode) -> str:
        """Return a node's source text, as the file spells it."""
        return self.region.source.between(self.span(node))


def parse(region: Region) -> Tree:
    """Parse a region. Raises Unreadable where libcst cannot, or does not print the text back."""
    text = region.head + region.text + region.tail
    try:
        tree = Tree(region, cst.parse_module(text))
        returns = tree.printed.code == text
    except LIBCST_ERRORS as error:
        why = f"libcst cannot parse the code at line {region.first}: {_first_line(error)}"
        raise Unreadable(region.source.path, why, region.first) from error
    if not returns:
        raise Unreadable(region.source.path, "libcst does not print the code back", region.first)
    return _indented(tree, text)


def _indented(tree: Tree, text: str) -> Tree:
    """Give a region without a block the file's indentation: libcst could see none, and took four spaces.

    Its parser does not heed ``PartialParserConfig.default_indent``.
    """
    if tree.region.headers or tree.module.default_indent == tree.region.indent:
        return tree
    module = tree.module.with_changes(default_indent=tree.region.indent)
    other = Tree(tree.region, module)
    return other if module.code == text else tree


def splice(region: Region, code: str) -> Edit | None:
    """Return the smallest edit that turns the region into ``code``, its text with headers.

    None where nothing changed. Raises Unreadable where a stand-in was touched.
    """
    head, tail = region.head, region.tail
    if not (code.startswith(head) and code.endswith(tail)):
        raise Unreadable(region.source.path, "the rewrite left its region", region.first)
    old, new = region.text, code[len(head) : len(code) - len(tail)]
    return None if old == new else least(region.source, region.start, old, new)


def least(source: Source, offset: int, old: str, new: str) -> Edit:
    """Return the smallest edit of a file that turns the text ``old`` at an offset into another."""
    start = _common_prefix(old, new)
    end = _common_prefix(old[start:][::-1], new[start:][::-1])
    start, end = _whole_newlines(old, new, start, end)
    return source.edit(offset + start, offset + len(old) - end, new[start : len(new) - end])


def whole(source: Source, module: cst.Module | None = None) -> Tree:
    """Return the tree of a whole file, parsed already or not."""
    region = Region(source, 1, max(source.lines, 1))
    return parse(region) if module is None else Tree(region, module)


def syntax_tree(source: Source) -> ast.Module:
    """Parse a whole file with ``ast``. Raises Unreadable with the place of a syntax error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source.text)
        except SyntaxError as error:
            raise Unreadable(
                source.path, f"SyntaxError: {error.msg}", error.lineno, error.offset
            ) from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise Unreadable(source.path, f"cannot be parsed: {_first_line(error)}") from error


def enclosing(tree: ast.Module, line: int) -> tuple[ast.stmt, ...]:
    """Return the statements that hold a line, from the outside in; decorators belong to theirs.

    An ``elif``, which ``ast`` shows as an ``if`` inside an ``else``, is part of its ``if``.
    """
    path: list[ast.stmt] = []
    for inner in statements_at(tree, line):
        if not (path and _is_elif(path[-1], inner)):
            path.append(inner)
    return tuple(path)


def statements_at(tree: ast.Module, line: int) -> Iterator[ast.stmt]:
    """Yield the statements that hold a line as ``enclosing`` does, and each ``elif`` as one of them."""
    block: Sequence[ast.stmt] = around(tree.body, line)
    while block:
        inner = next((stmt for stmt in block if begin_of(stmt) <= line <= _last(stmt)), None)
        if inner is None:
            return
        yield inner
        block = [*_statements(inner)]


def around(block: Sequence[ast.stmt], line: int) -> Sequence[ast.stmt]:
    """Return those of many statements that may hold a line: a module has thousands."""
    end = bisect_right(block, line, key=begin_of)
    start = end
    while start and _last(block[start - 1]) >= line:
        start -= 1
    return block[start:end]


def function_region(source: Source, tree: ast.Module, line: int) -> Region:
    """Cut the innermost function that runs a line, or the outermost statement outside classes.

    A function's decorators and defaults are run by what is around it. Raises Unreadable where no
    statement stands on the line.
    """
    path = enclosing(tree, line)
    if not path:
        raise Unreadable(source.path, "no code on this line", line)
    depth = _depth(path, line)
    while depth and _indent_of(source, path[depth]) is None:
        depth -= 1
    return _cut(source, tree, path[: depth + 1])


def statement_region(source: Source, tree: ast.Module, line: int) -> Region:
    """Cut the innermost statement around a line, with its whole block where it has one.

    Raises Unreadable where no statement stands on the line.
    """
    path = enclosing(tree, line)
    if not path:
        raise Unreadable(source.path, "no code on this line", line)
    depth = len(path) - 1
    while depth and _indent_of(source, path[depth]) is None:
        depth -= 1
    return _cut(source, tree, path[: depth + 1])


def line_region(source: Source, tree: ast.Module, line: int) -> Region:
    """Cut the least that holds the code of a line: a simple statement, or the header of a compound one.

    It is for looking only: its headers do not show in what kind of block it stands. Raises Unreadable
    where no statement stands on the line.
    """
    path = enclosing(tree, line)
    region = _head_region(source, path, line) if path else None
    if region is None:
        region = statement_region(source, tree, line)
        if len(region.headers) > 1:
            region = replace(region, headers=("if 1:",))
    return region


def _head_region(source: Source, path: tuple[ast.stmt, ...], line: int) -> Region | None:
    """Cut the header that holds a line; None where there is none, or other code shares its lines."""
    found = [head for head in _heads(path[-1]) if head.first <= line < begin_of(head.body[0])]
    if not found:
        return None
    head = found[-1]
    outside, inside = _indent_of(source, path[-1]), _indent_of(source, head.body[0])
    if outside is None or inside is None:
        return None
    headers = (*(("if 1:",) if outside else ()), *((outside + head.opener,) if head.opener else ()))
    newline = _newline(source, head.first, head.first)
    tail = f"{inside}pass{newline}"
    last = begin_of(head.body[0]) - 1
    return Region(source, head.first, last, headers, _unit(source, path), newline, tail)


class _Head(NamedTuple):
    """A line that opens a block: its first line, the block, and what has to stand before it."""

    first: int
    body: list[ast.stmt]
    opener: str = ""


def _heads(stmt: ast.stmt) -> Iterator[_Head]:
    if isinstance(stmt, ast.Try | _TRY_STAR):
        for handler in stmt.handlers:
            yield _Head(handler.lineno, handler.body, "try: pass")
    elif isinstance(stmt, ast.Match):
        for case in stmt.cases:
            yield _Head(case.pattern.lineno, case.body, "match _:")
    elif isinstance(body := getattr(stmt, "body", None), list):
        yield _Head(begin_of(stmt), body)
        while isinstance(stmt, ast.If) and stmt.orelse and _is_elif(stmt, stmt.orelse[0]):
            stmt = stmt.orelse[0]
            assert isinstance(stmt, ast.If)
            yield _Head(stmt.lineno, stmt.body, "if 1: pass")


def _depth(path: tuple[ast.stmt, ...], line: int) -> int:
    functions = [
        depth
        for depth, stmt in enumerate(path)
        if isinstance(stmt, _FUNCTIONS) and line >= begin_of(stmt.body[0])
    ]
    if functions:
        return functions[-1]
    classes = 0
    while classes < len(path) - 1 and isinstance(path[classes], ast.ClassDef):
        classes += 1
    return classes


def _cut(source: Source, tree: ast.Module, path: tuple[ast.stmt, ...]) -> Region:
    *outer, target = path
    siblings = _block_of(outer[-1] if outer else tree, target)
    first, last = _whole_lines(siblings, target)
    headers = tuple(f"{_indent_of(source, stmt) or ''}{_header(stmt)}" for stmt in outer)
    newline = _newline(source, first, last)
    return Region(source, first, last, headers, _unit(source, path), newline)


def _newline(source: Source, first: int, last: int) -> str:
    """Return how the lines end, or else the file's first line."""
    found = _NEWLINE.search(source.slice(first, last)) or _NEWLINE.search(source.text)
    return found.group() if found else "\n"


def _header(stmt: ast.stmt) -> str:
    if isinstance(stmt, ast.ClassDef):
        return "class _:"
    if isinstance(stmt, ast.AsyncFunctionDef):
        return "async def _():"
    return "def _():" if isinstance(stmt, ast.FunctionDef) else "if 1:"


def _unit(source: Source, path: tuple[ast.stmt, ...]) -> str:
    """Return one level of indentation: the region's own first, then any that the file shows."""
    for stmt in reversed(path):
        inner = next(_statements(stmt), None)
        outside, inside = _indent_of(source, stmt), inner and _indent_of(source, inner)
        if outside is not None and inside and inside.startswith(outside) and inside != outside:
            return inside[len(outside) :]
    shown = re.search(r":[ \t]*(?:#.*)?(?:\r\n|\r|\n)([ \t]+)\S", source.text)
    return shown.group(1) if shown else "    "


def _indent_of(source: Source, stmt: ast.stmt) -> str | None:
    """Return the white space before a statement; None where other code stands before it."""
    line = source.line(begin_of(stmt))
    space = _INDENT.match(line)
    assert space is not None
    decorated = bool(getattr(stmt, "decorator_list", None))
    column = len(line.encode()[: stmt.col_offset].decode(errors="replace"))
    alone = decorated or space.end() == column
    return space.group().rpartition("\f")[2] if alone else None


def _whole_lines(siblings: list[ast.stmt], target: ast.stmt) -> tuple[int, int]:
    """Return the lines of a statement and of those that share a line with it (semicolons)."""
    first, last = begin_of(target), _last(target)
    grown = True
    while grown:
        grown = False
        for stmt in siblings:
            if begin_of(stmt) <= last and _last(stmt) >= first:
                wider = min(first, begin_of(stmt)), max(last, _last(stmt))
                grown = grown or wider != (first, last)
                first, last = wider
    return first, last


def _block_of(parent: ast.AST, target: ast.stmt) -> list[ast.stmt]:
    for block in blocks_of(parent):
        if target in block:
            return block
    return [target]


def blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a statement."""
    for name in ("body", "orelse", "finalbody"):
        if isinstance(block := getattr(node, name, None), list):
            yield block
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def _statements(stmt: ast.stmt) -> Iterator[ast.stmt]:
    for block in blocks_of(stmt):
        yield from block


def _is_elif(outer: ast.stmt, inner: ast.stmt) -> bool:
    same = isinstance(outer, ast.If) and isinstance(inner, ast.If)
    return same and inner.col_offset == outer.col_offset


def begin_of(stmt: ast.stmt) -> int:
    """Return the line on which a statement begins, with its decorators."""
    decorators: list[ast.expr] = getattr(stmt, "decorator_list", [])
    return min((stmt.lineno, *(decorator.lineno for decorator in decorators)))


def _last(stmt: ast.stmt) -> int:
    return stmt.end_lineno or stmt.lineno


def _common_prefix(one: str, other: str) -> int:
    bound = min(len(one), len(other))
    low, high = 0, bound
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _whole_newlines(old: str, new: str, start: int, end: int) -> tuple[int, int]:
    """Draw back from the middle of a CRLF pair, so that no edit splits one."""
    if (
        start
        and old[start - 1] == "\r"
        and "\n" in (old[start : start + 1], new[start : start + 1])
    ):
        start -= 1
    if (
        end
        and old[len(old) - end] == "\n"
        and (old[: len(old) - end].endswith("\r") or new[: len(new) - end].endswith("\r"))
    ):
        end -= 1
    return start, end


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
