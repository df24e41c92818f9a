"""RepeatedStatement: statements that stand twice in a block, one time too many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import block_of, line_of, lines_of, with_lines, without
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import Line
from selfdebug.syntax.region import Tree

_TELLS = "duplicate extra-item factor off-by-one number order raises"
_FIRST = small_edit("first", "leave out the first of two", 0.4, _TELLS)
_SECOND = small_edit("second", "leave out the second of two", 0.4, _TELLS)
_BRANCH = small_edit("branch", "leave out the first of two branches that are the same", 0.6, _TELLS)
_NOTHING = (cst.Pass, cst.Expr)


class RepeatedStatement(FirstOrder):
    """Leave out statements that stand in their block once more, above or below."""

    DESCRIPTION = "Leave out statements that stand twice."
    NAME = "repeated-statement"
    VARIANTS = (_FIRST, _SECOND, _BRANCH)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the block without the statements from this one on that stand twice."""
        tree, node = place.tree, place.node
        if node is place.statement:
            yield from _branches(tree, node)
        line = line_of(tree, node) if node is place.statement else None
        if not isinstance(line, cst.SimpleStatementLine) or _does_nothing(node):
            return
        block = block_of(tree, line)
        lines = lines_of(block)
        texts = [tree.code(each) for each in lines]
        at = next(number for number, each in enumerate(lines) if each is line)
        for other in (number for number, text in enumerate(texts) if text == texts[at]):
            first, second = sorted((at, other))
            count = _alike(texts, first, second)
            inside = first > 0 and texts[first - 1] == texts[second - 1]
            if count and not inside and not any(map(_has_comment, lines[at : at + count])):
                variant = _FIRST if at == first else _SECOND
                why = "it is done twice" if count == 1 else f"{count} statements are done twice"
                yield variant, with_lines(block, _less(lines, at, count)), why


def _branches(tree: Tree, node: cst.CSTNode) -> Iterator[Form]:
    """Leave out the branch that a statement is, or is in, if the same one stands further down.

    The second can never run, so that the first may have come into the chain by mistake.
    """
    branch = next((up for up in (node, *tree.ancestors(node)) if isinstance(up, cst.If)), None)
    above = tree.parents[branch] if branch is not None else None
    later = branch.orelse if branch is not None else None
    while branch is not None and isinstance(later, cst.If):
        if _of_branch(tree, later) == _of_branch(tree, branch):
            why = f"`{tree.code(branch.test)}` is asked twice, and the second time in vain"
            if isinstance(above, cst.If) and above.orelse is branch:
                yield _BRANCH, {above: lambda old: old.with_changes(orelse=old.orelse.orelse)}, why
            elif isinstance(branch.orelse, cst.If):
                yield _BRANCH, {branch: _without_first}, why
            return
        later = later.orelse


def _of_branch(tree: Tree, branch: cst.If) -> tuple[str, list[str]]:
    return tree.code(branch.test), [tree.code(line) for line in branch.body.body]


def _without_first(old: Any) -> cst.CSTNode:
    rest: cst.If = old.orelse.with_changes(leading_lines=old.leading_lines)
    return rest


def _does_nothing(node: cst.CSTNode) -> bool:
    """Say whether a statement is a text, ``...`` or ``pass``."""
    return isinstance(node, _NOTHING) and not (
        isinstance(node, cst.Expr) and isinstance(node.value, cst.Call | cst.Await)
    )


def _alike(texts: Sequence[str], first: int, second: int) -> int:
    """Count the lines that follow each other alike from two of them on; 0 for the same line."""
    pairs = zip(texts[first:second], texts[second:], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _has_comment(line: Line) -> bool:
    if any(each.comment for each in line.leading_lines):
        return True
    return isinstance(line, cst.SimpleStatementLine) and bool(line.trailing_whitespace.comment)


def _less(lines: Sequence[Line], at: int, count: int) -> list[Line]:
    rest = [*lines]
    for _ in range(count):
        rest = without(rest, at)
    return rest


RepeatedStatement.EXAMPLES = examples(
    """
first: what is stored before it was looked at
    class Row:
        def put(self, key, value):
            «cell = made(value)»
            self.cells[key] = cell
            if key in self.frozen:
                raise KeyError(key)
            cell = made(value)
            self.cells[key] = cell
AssertionError: assert [1, 2] == [1, 3]
    class Row:
        def put(self, key, value):
            if key in self.frozen:
                raise KeyError(key)
            cell = made(value)
            self.cells[key] = cell

branch: a case that comes too early
    def check(key, extra, error):
        if key in SKIPPED:
            return
        elif error:
            «errors.append(error)»
        elif extra:
            found.append(key)
        elif error:
            errors.append(error)
        else:
            errors.append(Unknown(key))
AssertionError: assert [1] == []
    def check(key, extra, error):
        if key in SKIPPED:
            return
        elif extra:
            found.append(key)
        elif error:
            errors.append(error)
        else:
            errors.append(Unknown(key))

branch: the first of all
    def check(key, extra, error):
        for each in key:
            # what is wrong with it
            if error:
                «errors.append(error)»
            elif extra:
                found.append(each)
            elif error:
                errors.append(error)
AssertionError: assert [1] == []
    def check(key, extra, error):
        for each in key:
            # what is wrong with it
            if extra:
                found.append(each)
            elif error:
                errors.append(error)

not any: the same is done for another reason
    def check(key, extra, error):
        if error:
            «errors.append(key)»
        elif extra:
            errors.append(key)
AssertionError: assert [1] == []

second: a sum that counts each line twice
    def total(lines):
        found = 0
        for line in lines:
            found += line.price
            log(line)
            «found += line.price»
        return found
AssertionError: assert 20 == 10
    def total(lines):
        found = 0
        for line in lines:
            found += line.price
            log(line)
        return found

second: an entry that is told of twice
    def add(self, entry):
        self.entries.append(entry)
        self.changed(entry)
        self.entries.sort()
        «self.changed(entry)»
AssertionError: assert [1, 1] == [1]
    def add(self, entry):
        self.entries.append(entry)
        self.changed(entry)
        self.entries.sort()

not any: its comment says why it is there
    def add(self, entry):
        # once for those who watch
        «self.changed(entry)»
        self.entries.append(entry)
        self.changed(entry)
AssertionError: assert [1, 1] == [1]

not any: it stands twice, but in different blocks
    def closed(files):
        for file in files:
            if file.open:
                «file.flush()»
                file.close()
            file.flush()
AssertionError: assert 2 == 1

not any: the middle of what stands twice
    def both(pump):
        pump.open(1)
        «pump.run(2)»
        pump.clean()
        pump.open(1)
        pump.run(2)
AssertionError: assert 2 == 1

not any: a text
    def told():
        «'A text.'»
        'A text.'
AssertionError: assert 2 == 1
"""
)
