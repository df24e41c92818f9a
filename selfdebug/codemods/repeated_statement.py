"""RepeatedStatement: statements that stand twice in a block, one time too many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import block_of, line_of, lines_of, with_lines, without
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import Line

_TELLS = "duplicate extra-item factor off-by-one number order raises"
_FIRST = small_edit("first", "leave out the first of two", 0.4, _TELLS)
_SECOND = small_edit("second", "leave out the second of two", 0.4, _TELLS)
_NOTHING = (cst.Pass, cst.Expr)


class RepeatedStatement(FirstOrder):
    """Leave out statements that stand in their block once more, above or below."""

    DESCRIPTION = "Leave out statements that stand twice."
    NAME = "repeated-statement"
    VARIANTS = (_FIRST, _SECOND)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the block without the statements from this one on that stand twice."""
        tree, node = place.tree, place.node
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
