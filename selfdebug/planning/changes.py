"""Which expressions an edit changes: what to compare where one run evaluates them.

An edit of an expression changes all those around it too, up to the statement. Where one of them comes
to the same each time, the edit changes nothing that a test could see ("infection" in Just, Ernst and
Fraser: Efficient mutation analysis by propagating and partitioning test execution, ISSTA 2014).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, TypeAlias

_ELSEWHERE = frozenset(
    ("annotation", "decorator_list", "returns", "args", "bases", "keywords", "pattern")
) | {"type_params"}
"""Fields of statements that are not evaluated, or not where they stand."""
_TESTS = frozenset(("test", "ifs", "guard"))
_BLOCKS = frozenset(("body", "orelse", "finalbody"))
_DECLARING = (
    *(ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.ExceptHandler, ast.pattern),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
)
_BINDING = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
_UNWRAPPED = (ast.Starred, ast.Slice)
_LOOKS_AT_NAMES = re.compile(r"\b(?:locals|vars|dir|eval|exec|globals)\b")
_MOST = 6  # expressions around each other


class Unfollowed(Exception):
    """An edit changes more than expressions, or it can't be told where these are evaluated."""


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression before an edit, by its place in the text, and after. ``truth`` is all that counts.

    ``start`` and ``end`` are offsets. Where both are the same nothing stands there yet: ``lead`` and
    ``trail`` are what a statement there needs around it.
    """

    start: int
    end: int
    before: str
    after: str
    truth: bool
    lead: str = ""
    trail: str = ""


Change: TypeAlias = tuple[Expression, ...]
"""The expressions that one part of an edit changes, each around the one before."""


def changes(before: str, after: str) -> tuple[Change, ...]:
    """Return what an edit changes in the text of statements. Raises Unfollowed, SyntaxError."""
    old, new = _parsed(before), _Text(after)
    if _LOOKS_AT_NAMES.search(before):
        raise Unfollowed
    return tuple(_Comparison(old, new, *_unchanged(old, new)).changes(old.tree, new.tree))


@dataclass(frozen=True, slots=True)
class _Step:
    """Two nodes in the same field of others; ``truth`` says whether only that of them counts."""

    old: ast.AST
    new: ast.AST
    field: str
    truth: bool

    @property
    def is_range(self) -> bool:
        """Whether both are ranges of numbers that a loop goes through."""
        called = (each.func for each in (self.old, self.new) if isinstance(each, ast.Call))
        names = [each.id for each in called if isinstance(each, ast.Name)]
        return self.field == "iter" and names == ["range", "range"]


class _Text:
    def __init__(self, text: str) -> None:
        if "\f" in text or "\r" in text.replace("\r\n", ""):
            raise Unfollowed  # lines may end elsewhere than for ast
        self.text, self.tree = text, ast.parse(text)
        self.lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self.lines)]

    def of(self, node: ast.AST) -> str:
        """Return the text of an expression."""
        return self.text[slice(*self.span(node))]

    def indent(self, stmt: ast.stmt) -> str:
        """Return what stands before a statement. Raises Unfollowed where no other can stand there."""
        before = self.lines[stmt.lineno - 1][: stmt.col_offset]
        is_elif = self.lines[stmt.lineno - 1].startswith("elif", stmt.col_offset)
        is_text = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
        if before.strip() or is_elif or is_text or getattr(stmt, "decorator_list", None):
            raise Unfollowed
        return before

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the offsets of an expression or statement, whose columns count bytes."""
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        end = self._at(node.end_lineno, node.end_col_offset)
        return self._at(node.lineno, node.col_offset), end

    def _at(self, line: int, column: int) -> int:
        text = self.lines[line - 1]
        return self._starts[line - 1] + len(text.encode()[:column].decode())


_parsed = lru_cache(maxsize=16)(_Text)
"""The text of a function is compared with many others."""


def _unchanged(old: _Text, new: _Text) -> tuple[int, int]:
    """Count the lines with which two texts begin and end alike."""
    most = min(len(old.lines), len(new.lines))
    head = next((at for at in range(most) if old.lines[at] != new.lines[at]), most)
    room = range(1, most - head + 1)
    return head, next((at - 1 for at in room if old.lines[-at] != new.lines[-at]), most - head)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Finds what differs between the statements of two texts. Its methods raise Unfollowed.

    ``head`` and ``tail`` are how many lines are the same at their beginnings and ends.
    """

    old: _Text
    new: _Text
    head: int
    tail: int

    def changes(self, old: ast.AST, new: ast.AST) -> Iterator[Change]:
        """Yield what differs between two nodes that are no expressions."""
        if type(old) is not type(new):
            raise Unfollowed
        for name, one in ast.iter_fields(old):
            other = getattr(new, name)
            if self._equal(one, other):
                continue
            if name in _ELSEWHERE:
                raise Unfollowed
            if name == "orelse" and isinstance(old, ast.If):
                yield from self._branches(old, one, other)
            elif name in _BLOCKS:
                yield from self._blocks(one, other)
            else:
                yield from self._parts(name, one, other)

    def _parts(self, name: str, one: object, other: object) -> Iterator[Change]:
        for here, there in _pairs(one, other):
            if not isinstance(here, ast.expr):
                yield from self.changes(here, there)
            elif not self._equal(here, there):
                yield self._expressions([*self._way_down(_Step(here, there, name, name in _TESTS))])

    def _branches(
        self, owner: ast.If, old: Sequence[ast.stmt], new: Sequence[ast.stmt]
    ) -> Iterator[Change]:
        """Yield what differs where a condition does not hold: maybe another is asked first."""
        match old, new:
            case _, [ast.If() as added] if self._equal(old, added.orelse):
                self._may_go(added.body)
                told = f"not ({self.old.of(owner.test)}) and ({self._condition(added.test)})"
                start, end = self.old.span(owner.test)
                yield (Expression(start, end, "False", told, truth=True),)
            case [ast.If() as gone], _ if self._equal(gone.orelse, new):
                self._may_go(gone.body)
                yield (self._always(gone.test, "False"),)
            case _:
                yield from self._blocks(old, new)

    def _blocks(self, old: Sequence[ast.stmt], new: Sequence[ast.stmt]) -> Iterator[Change]:
        """Yield what differs between two blocks: maybe a condition is put before statements of one."""
        head = self._alike(old, new)
        shorter = min(len(old), len(new)) - head
        tail = min(self._alike(old[::-1], new[::-1]), shorter)
        here, there = old[head : len(old) - tail], new[head : len(new) - tail]
        match here, there:
            case [], [ast.If(orelse=[]) as added]:
                self._may_go(added.body)
                yield (self._before(old, head, "False", added.test),)
            case [*_], [ast.If() as added] if here and self._equal(added.body, here):
                self._may_go(added.orelse)
                yield (self._before(old, head, "True", added.test),)
            case [ast.If(orelse=[]) as gone], []:
                self._may_go(gone.body)
                yield (self._always(gone.test, "False"),)
            case [ast.If() as gone], [*_] if there and self._equal(gone.body, there):
                self._may_go(gone.orelse)
                yield (self._always(gone.test, "True"),)
            case _ if len(here) == len(there):
                for one, other in zip(here, there, strict=True):
                    yield from self.changes(one, other)
            case _:
                raise Unfollowed

    def _may_go(self, block: Sequence[ast.stmt]) -> None:
        """Raise Unfollowed where statements mean something even if they are never executed."""
        for stmt in block:
            for node in ast.walk(stmt):
                binds = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
                if binds or isinstance(node, _DECLARING) or _binds_or_waits(node):
                    raise Unfollowed

    def _condition(self, test: ast.expr) -> str:
        if any(map(_binds_or_waits, ast.walk(test))):
            raise Unfollowed
        return self.new.of(test)

    def _always(self, test: ast.expr, what: str) -> Expression:
        """Return that a condition goes that would have to come to the same each time."""
        if any(map(_binds_or_waits, ast.walk(test))):
            raise Unfollowed
        return Expression(*self.old.span(test), self.old.of(test), what, truth=True)

    def _before(self, block: Sequence[ast.stmt], at: int, what: str, test: ast.expr) -> Expression:
        """Return that a condition is asked before a statement of a block, or after its last one."""
        if not block:
            raise Unfollowed
        condition = self._condition(test)
        stmt = block[min(at, len(block) - 1)]
        start, end = self.old.span(stmt)
        indent = self.old.indent(stmt)
        if at < len(block):
            return Expression(start, start, what, condition, truth=True, trail="\n" + indent)
        return Expression(end, end, what, condition, truth=True, lead="\n" + indent)

    def _expressions(self, way: Sequence[_Step]) -> Change:
        if any(map(_binds_or_waits, (*ast.walk(way[-1].old), *ast.walk(way[-1].new)))):
            raise Unfollowed
        found = [
            Expression(
                *self.old.span(step.old), self.old.of(step.old), self.new.of(step.new), step.truth
            )
            for step in reversed(way)
            if _is_wrapped(step.old) and _is_wrapped(step.new)
        ]
        if not found:
            raise Unfollowed
        ranges = (self._as_many(step) for step in way if step.is_range)
        return (*found[:_MOST], *ranges)

    def _as_many(self, step: _Step) -> Expression:
        """Return that two ranges have the same numbers in them, wherever they would end."""
        told = f"({self.old.of(step.old)}) == ({self.new.of(step.new)})"
        return Expression(*self.old.span(step.old), "True", told, truth=True)

    def _way_down(self, step: _Step | None) -> Iterator[_Step]:
        """Yield the steps from an expression to the innermost part of it that holds all differences."""
        while step is not None:
            yield step
            step = self._only_difference(step)

    def _only_difference(self, step: _Step) -> _Step | None:
        if type(step.old) is not type(step.new) or isinstance(step.old, ast.JoinedStr):
            return None
        found: list[_Step] = []
        for name, one in ast.iter_fields(step.old):
            try:
                pairs = [*_pairs(one, getattr(step.new, name))]
            except Unfollowed:
                return None
            found += [
                _Step(*pair, name, _is_test(step, name)) for pair in pairs if not self._equal(*pair)
            ]
        return found[0] if len(found) == 1 else None

    def _alike(self, old: Sequence[ast.stmt], new: Sequence[ast.stmt]) -> int:
        """Count the statements with which two blocks begin alike."""
        pairs = enumerate(zip(old, new, strict=False))
        ends = (at for at, pair in pairs if not self._equal(*pair))
        return next(ends, min(len(old), len(new)))

    def _equal(self, one: object, other: object) -> bool:
        """Say whether two nodes, or what fields of them hold, mean the same."""
        if one is other:
            return True
        if type(one) is not type(other):
            return False
        if isinstance(one, ast.AST):
            known = self._equal_by_place(one, other)
            return self._equal_in_all(one, other) if known is None else known
        if isinstance(one, list) and isinstance(other, list):
            return len(one) == len(other) and all(map(self._equal, one, other))
        return one == other and repr(one) == repr(other)

    def _equal_in_all(self, old: ast.AST, new: object) -> bool:
        for name in old._fields:
            if not self._equal(getattr(old, name, None), getattr(new, name, None)):
                return False
        return True

    def _equal_by_place(self, old: Any, new: Any) -> bool | None:
        """Say whether two nodes of a kind mean the same, where their lines are; None elsewhere."""
        begin = getattr(old, "lineno", None)
        if begin is None:
            return None
        shift = len(self.new.lines) - len(self.old.lines)
        if old.end_lineno <= self.head and new.end_lineno <= self.head:
            shift = 0
        elif min(begin + shift, new.lineno) <= len(self.new.lines) - self.tail:
            return None
        return bool(
            begin + shift == new.lineno
            and old.col_offset == new.col_offset
            and old.end_lineno + shift == new.end_lineno
            and old.end_col_offset == new.end_col_offset
        )


def _pairs(one: object, other: object) -> Iterator[tuple[ast.AST, ast.AST]]:
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for here, there in zip(one, other, strict=True):
            yield from _pairs(here, there)
    elif isinstance(one, ast.AST) and isinstance(other, ast.AST):
        yield one, other
    elif one != other or isinstance(one, list):
        raise Unfollowed


def _is_test(step: _Step, field: str) -> bool:
    """Say whether of what stands in a field only its truth counts."""
    if isinstance(step.old, ast.UnaryOp):
        return isinstance(step.old.op, ast.Not)
    return field in _TESTS or (isinstance(step.old, ast.BoolOp) and step.truth)


def _binds_or_waits(node: ast.AST) -> bool:
    """Say whether an expression does what changes the meaning of the function around it."""
    return isinstance(node, _BINDING) or (isinstance(node, ast.comprehension) and node.is_async > 0)


def _is_wrapped(node: ast.AST) -> bool:
    """Say whether another expression may stand in the place of a node."""
    if not isinstance(node, ast.expr) or isinstance(node, _UNWRAPPED):
        return False
    if isinstance(node, ast.Tuple) and any(isinstance(each, ast.Slice) for each in node.elts):
        return False
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
