"""EndBranch: a branch that does its part and goes on, where it should have ended what it is in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._blocks import (
    assigned_names,
    block_of,
    branches,
    function_of,
    index_of,
    line_of,
    lines_of,
    loop_of,
    may_leave,
    only,
    reads,
    simple_statements,
    whole_if,
    with_lines,
)
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import Line, statements
from selfdebug.codemods._names import code_of
from selfdebug.codemods._style import is_generator, is_procedure, quoted
from selfdebug.syntax.region import Tree

_SIBLING = small_edit(
    "as-sibling", "leave as the branches beside it do", 0.2, "extra-item duplicate number text"
)
_UNDONE = small_edit(
    "undone", "leave before the statements below undo it", 0.3, "number text bool missing-item"
)
_RETURNED = small_edit(
    "returned", "end the function there", 0.05, "extra-item duplicate number text"
)
_WANTED = small_edit("wanted", "return what is wanted there", 0.3)
_LEAVING = (cst.Return, cst.Continue, cst.Break)
_SHOWN = 3


class EndBranch(FirstOrder):
    """Return, continue or break at the end of a branch, after which the rest must not run."""

    DESCRIPTION = "Leave at the end of a branch."
    NAME = "end-branch"
    VARIANTS = (_UNDONE, _SIBLING, _WANTED, _RETURNED)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the exits under the last statement of a branch."""
        tree, node = place.tree, place.node
        function = function_of(tree, node)
        line = line_of(tree, node) if node is place.statement else None
        if line is None or function is None or may_leave(line):
            return
        block = block_of(tree, line)
        top = whole_if(tree, block) or _handled(tree, block)
        if top is None or line is not block.body[-1]:
            return
        rest = _rest(place, top)
        for variant, exit_, why in _exits(place, function, block, top, rest):
            new = statements(tree, f"{exit_}\n", line)
            yield variant, with_lines(block, [*block.body, *new]), why


def _handled(tree: Tree, block: cst.IndentedBlock) -> cst.Try | None:
    """Return the ``try`` of which a block handles an exception."""
    handler = tree.parents[block]
    holder = tree.parents[handler] if isinstance(handler, cst.ExceptHandler) else None
    return holder if isinstance(holder, cst.Try) else None


def _rest(place: Place, top: cst.If | cst.Try) -> Sequence[Line]:
    """Return what runs after an ``if`` or ``try`` in its block."""
    line = line_of(place.tree, top)
    if line is None:
        return ()
    block = block_of(place.tree, line)
    return lines_of(block)[index_of(block, line) + 1 :]


def _exits(
    place: Place,
    function: cst.FunctionDef,
    block: cst.IndentedBlock,
    top: cst.If | cst.Try,
    rest: Sequence[Line],
) -> Iterator[tuple[Variant, str, str]]:
    if not rest:
        return
    loop = loop_of(place.tree, block)
    if undone := _undone(block, rest):
        ways = ["continue"] if loop is not None else [*_returns(place, function, block)][:1]
        yield from ((_UNDONE, exit_, f"`{undone}` is set anew below it") for exit_ in ways)
    known = {*place.names, *assigned_names(block), "self"}
    beside = [exit_ for exit_, read in _beside(place, top) if read <= known]
    for exit_ in [*dict.fromkeys(beside)][:_SHOWN]:
        yield _SIBLING, exit_, f"`{exit_}` ends the branches beside it"
    ways = [*dict.fromkeys(_returns(place, function, block))]
    code = place.site.attrs.get("wanted", "").replace("'", '"')
    wanted = f"return {quoted(place.tree, place.node, code)}"
    if loop is None and code and wanted not in beside and not _is_plain(function):
        yield _WANTED, wanted, "what is below it gives something else"
        beside.append(wanted)
    for exit_ in [each for each in ways if each not in beside][:_SHOWN]:
        yield _RETURNED, exit_, "what is below it was done too"


def _is_plain(function: cst.FunctionDef) -> bool:
    """Say whether a function gives back nothing that its caller would look at."""
    return is_generator(function) or is_procedure(function) or function.name.value == "__init__"


def _undone(block: cst.IndentedBlock, rest: Sequence[Line]) -> str | None:
    """Return what a branch sets in vain: the rest sets it again, whatever it was."""
    again = {code for line in rest for code, read in _set_by(only(line)) if code not in read}
    done = (each for line in block.body for each in simple_statements(line))
    return next((code for each in done for code, _ in _set_by(each) if code in again), None)


def _set_by(statement: cst.CSTNode) -> Iterator[tuple[str, str]]:
    """Yield what a plain statement sets, and the code of the value that it gets."""
    match statement:
        case cst.Assign(targets=targets, value=value):
            yield from ((code_of(each.target), code_of(value)) for each in targets)
        case cst.AugAssign(target=target):
            yield code_of(target), code_of(target)


def _beside(place: Place, top: cst.If | cst.Try) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield how other branches of the same block end, the nearest first, with the names they read."""
    line = line_of(place.tree, top)
    near = [] if line is None else lines_of(block_of(place.tree, line))
    others = [each for each in near if isinstance(each, cst.If) and each is not top]
    others = [top, *others] if isinstance(top, cst.If) else others
    for each in others:
        for branch in branches(each):
            last = only(branch.body.body[-1])
            if isinstance(last, _LEAVING):
                yield code_of(last), reads(last)


def _returns(place: Place, function: cst.FunctionDef, block: cst.IndentedBlock) -> Iterator[str]:
    """Yield the ways to return from a branch: without a value, or with what the function ends with."""
    if function.name.value in ("__init__", "__new__"):
        return
    if is_generator(function) or is_procedure(function):
        yield "return"
        return
    last = only(function.body.body[-1])
    match last:
        case cst.Return(value=cst.Name() | cst.Attribute()):
            if reads(last) <= {*place.names, *assigned_names(block), "self"}:
                yield code_of(last)


EndBranch.EXAMPLES = examples(
    """
undone: an order that is refused is booked nevertheless
    class Account:
        def pay(self, amount):
            left = self.balance - amount
            if left < 0:
                self.refused += 1
                «self.balance = self.limit»  # frozen
            self.balance = left
AssertionError: assert -5 == 0
    class Account:
        def pay(self, amount):
            left = self.balance - amount
            if left < 0:
                self.refused += 1
                self.balance = self.limit  # frozen
                return
            self.balance = left

undone: the fee of a short stay
    def fee(minutes):
        if minutes < 15:
            «due = 0»
        # An hour is charged as a whole.
        due = (minutes + 59) // 60 * 2
        return due
AssertionError: assert 2 == 0
    def fee(minutes):
        if minutes < 15:
            due = 0
            return due
        # An hour is charged as a whole.
        due = (minutes + 59) // 60 * 2
        return due

undone: a mark that each round sets
    def marks(rows, found):
        for row in rows:
            if row.absent:
                «found[row.name] = "-"»
            found[row.name] = str(row.points)
AssertionError: assert {'a': '0'} == {'a': '-'}
    def marks(rows, found):
        for row in rows:
            if row.absent:
                found[row.name] = "-"
                continue
            found[row.name] = str(row.points)

as-sibling: a command that is read as text too
    def execute(lines, out):
        for line in lines:
            if line == "clear":
                out.clear()
                continue
            if line == "beep":
                «out.append("!")»
            if not line:
                break
            out.append(line)
AssertionError: assert ['!', 'beep'] == ['!']
    def execute(lines, out):
        for line in lines:
            if line == "clear":
                out.clear()
                continue
            if line == "beep":
                out.append("!")
                continue
            if not line:
                break
            out.append(line)

returned: a page that is not found is still drawn
    def show(self, name):
        if name not in self.pages:
            «self.screen.error(name)»
        page = self.pages.get(name, self.blank)
        self.screen.draw(page)
AssertionError: assert 2 == 1
    def show(self, name):
        if name not in self.pages:
            self.screen.error(name)
            return
        page = self.pages.get(name, self.blank)
        self.screen.draw(page)

wanted: an error that was noted
    class Reader:
        def number(self, text):
            value = text
            try:
                value = int(text)
            except ValueError as error:
                «self.errors.append(error)»  # told at the end
            return value
AssertionError: assert 'x' is None
with wanted = None
    class Reader:
        def number(self, text):
            value = text
            try:
                value = int(text)
            except ValueError as error:
                self.errors.append(error)  # told at the end
                return None
            return value

not any: nothing is done after it
    def show(self, name):
        if name not in self.pages:
            «self.screen.error(name)»
AssertionError: assert 2 == 1

not undone: the rest builds on it
    def fee(minutes):
        due = 2
        if minutes < 15:
            «due = 0»
        due = due * minutes
        return due
AssertionError: assert 2 == 0

not any: it ends already
    def fee(minutes):
        if minutes < 15:
            «return 0»
        return 2
AssertionError: assert 0 == 2

not any: a loop's own block
    def fill(rows, out):
        for row in rows:
            «out.append(row)»
        out.sort()
AssertionError: assert 0 == 2

not any: the constructor goes on
    class Cart:
        def __init__(self, items):
            if not items:
                «self.note()»
            self.items = items
AssertionError: assert 2 == 1

not any: not the last of its branch
    def show(self, name):
        if name not in self.pages:
            «self.screen.error(name)»
            name = "start"
        self.screen.draw(name)
AssertionError: assert 2 == 1

not returned: what would be returned is made below
    def fee(minutes):
        if minutes < 15:
            «note(minutes)»
        due = minutes * 2
        return due
AssertionError: assert 2 == 0
"""
)
