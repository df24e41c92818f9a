"""AddBranch: an ``if`` that lacks its ``else``, or that should be an ``elif``, or the reverse."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    beside,
    block_of,
    function_of,
    index_of,
    line_of,
    lines_of,
    may_leave,
    nodes_of,
    only,
    reads,
    simple_statements,
    with_lines,
    without,
    writes,
)
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import Line, divided, statements
from selfdebug.codemods._names import code_of

_ELIF = small_edit(
    "elif",
    "ask only where the test above did not hold",
    0.25,
    "number text extra-item duplicate factor",
)
_IF = small_edit("if", "ask whatever the tests above came to", 0.12, "missing-item number text")
_OTHERWISE = small_edit(
    "otherwise",
    "do the next statement only where the test did not hold",
    0.12,
    "extra-item duplicate off-by-one number",
)
_ALWAYS = small_edit("always", "do what is in the else in any case", 0.06, "missing-item")
_ELSE = small_edit("else", "do the like where the test does not hold", 0.06, "missing-item")
_MIRRORED = small_edit(
    "mirrored",
    "decide the opposite case the other way",
    0.15,
    "number bool sign off-by-one missing-item",
    growth=1,
)
_OPPOSITE: dict[type[cst.CSTNode], type[cst.BaseAugOp]] = {
    cst.AddAssign: cst.SubtractAssign,
    cst.SubtractAssign: cst.AddAssign,
}
_SHOWN = 4


class AddBranch(FirstOrder):
    """Add an ``else``, join two ``if`` to one with ``elif``, or part them."""

    DESCRIPTION = "Add, join or part the branches of an if."
    NAME = "add-branch"
    VARIANTS = (_ELIF, _IF, _OTHERWISE, _ALWAYS, _ELSE, _MIRRORED)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other branches of an ``if``."""
        tree, node = place.tree, place.node
        if not isinstance(node, cst.If) or node is not place.statement:
            return
        parent = tree.parents[node]
        if isinstance(parent, cst.If) and parent.orelse is node:
            yield from _parted(place, node, parent)
            return
        line = line_of(tree, node)
        if line is not None:
            yield from _joined(place, node, line)
            yield from _next(place, node, line)
            yield from _always(place, node, line)
            yield from _likewise(place, node, line)
            yield from _mirrored(place, node, line)


def _joined(place: Place, node: cst.If, line: Line) -> Iterator[Form]:
    """Yield the ``if`` as another branch of the one above it."""
    block = block_of(place.tree, line)
    lines, at = lines_of(block), index_of(block, line)
    before = lines[at - 1] if at else None
    if not isinstance(before, cst.If) or len(lines) != len(block.body):
        return
    last = _last(before)
    if last.orelse is not None or _leaves(before):
        return
    # What stands between both, with its comments, stays above the new branch.
    branch = node.with_changes(leading_lines=divided(node.leading_lines)[1])
    new = before.deep_replace(last, last.with_changes(orelse=branch))
    rest = [new if each is before else each for each in lines if each is not line]
    if not any(each.comment for each in divided(node.leading_lines)[0]):
        yield _ELIF, with_lines(block, rest), "both may hold"


def _last(node: cst.If) -> cst.If:
    while isinstance(node.orelse, cst.If):
        node = node.orelse
    return node


def _leaves(node: cst.If) -> bool:
    """Say whether control does not come out of an ``if`` where its test holds."""
    last = node.body.body[-1]
    return isinstance(only(last), cst.Return | cst.Raise | cst.Continue | cst.Break)


def _parted(place: Place, node: cst.If, parent: cst.If) -> Iterator[Form]:
    """Yield the branch, with those after it, as an ``if`` of its own."""
    top: cst.CSTNode = parent
    while isinstance(place.tree.parents[top], cst.If):
        top = place.tree.parents[top]
    line = line_of(place.tree, top)
    if line is None or _leaves(parent):
        return
    block = block_of(place.tree, line)
    left = line.deep_replace(parent, parent.with_changes(orelse=None))
    new = [part for each in block.body for part in ((left, node) if each is line else (each,))]
    yield _IF, with_lines(block, new), "both may hold"


def _next(place: Place, node: cst.If, line: Line) -> Iterator[Form]:
    """Yield the statement under an ``if`` as what is done otherwise."""
    block = block_of(place.tree, line)
    lines, at = lines_of(block), index_of(block, line)
    last = _last(node)
    if at + 1 >= len(lines) or last.orelse is not None or _leaves(node):
        return
    follower = lines[at + 1]
    if isinstance(only(follower), cst.FunctionDef | cst.ClassDef) or _binds_anew(place, follower):
        return
    distant, own = divided(follower.leading_lines)
    if any(each.comment for each in distant):
        return
    body = cst.IndentedBlock([follower.with_changes(leading_lines=own)], indent=_indent(node))
    new = node.deep_replace(last, last.with_changes(orelse=cst.Else(body)))
    rest = without(lines, at + 1)
    yield (
        _OTHERWISE,
        with_lines(block, [new if each is line else each for each in rest]),
        f"`{_shown(follower)}` was done in any case",
    )


def _indent(node: cst.If) -> str | None:
    return node.body.indent if isinstance(node.body, cst.IndentedBlock) else None


def _binds_anew(place: Place, line: Line) -> bool:
    """Say whether a statement gives a name its first value, which others rely on."""
    match only(line):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            return name not in place.names
    return False


def _shown(line: Line) -> str:
    return code_of(line.with_changes(leading_lines=())).strip().partition("\n")[0]


def _always(place: Place, node: cst.If, line: Line) -> Iterator[Form]:
    """Yield what stands in the ``else`` under the whole statement."""
    last = _last(node)
    if not isinstance(last.orelse, cst.Else) or last.orelse.leading_lines or _leaves(node):
        return
    body = last.orelse.body
    if not isinstance(body, cst.IndentedBlock) or body.footer or may_leave(body):
        return
    block = block_of(place.tree, line)
    left = node.deep_replace(last, last.with_changes(orelse=None))
    inner = lines_of(body)
    new = [part for each in block.body for part in ((left, *inner) if each is line else (each,))]
    if not body.header.comment and not _is_alternative(node, body):
        yield _ALWAYS, with_lines(block, new), "it was left out where the test holds"


def _is_alternative(node: cst.If, body: cst.IndentedBlock) -> bool:
    """Say whether both branches set the same, so that the second would undo the first."""
    return any(
        isinstance(each, cst.Assign) and writes(each) <= writes(node.body)
        for each in simple_statements(body)
    )


def _likewise(place: Place, node: cst.If, line: Line) -> Iterator[Form]:
    """Yield an ``else`` that does the opposite of the one statement of the ``if``."""
    last = _last(node)
    done = only(last.body.body[0]) if len(last.body.body) == 1 else None
    if last.orelse is not None or done is None or not isinstance(last.body, cst.IndentedBlock):
        return
    block = block_of(place.tree, line)
    for code in [*dict.fromkeys(_opposites(place, done))][:_SHOWN]:
        lines = statements(place.tree, f"{code}\n", last.body.body[0])
        body = cst.IndentedBlock(lines, indent=last.body.indent)
        new = node.deep_replace(last, last.with_changes(orelse=cst.Else(body)))
        change: Change = with_lines(block, [new if each is line else each for each in block.body])
        yield _ELSE, change, f"`{code}` where no test holds"


_MIRRORS: dict[type[cst.BaseCompOp], str] = {
    cst.LessThan: ">",
    cst.GreaterThan: "<",
    cst.LessThanEqual: ">=",
    cst.GreaterThanEqual: "<=",
}


def _mirrored(place: Place, node: cst.If, line: Line) -> Iterator[Form]:
    """Yield, under a comparison of two values, the opposite one with what is opposite then."""
    match node:
        case cst.If(
            test=cst.Comparison(
                left=left, comparisons=[cst.ComparisonTarget(operator=sign, comparator=right)]
            ),
            body=cst.IndentedBlock(body=[only_line]),
            orelse=None,
        ) if type(sign) in _MIRRORS:
            test = f"{code_of(left)} {_MIRRORS[type(sign)]} {code_of(right)}"
            function = function_of(place.tree, node)
            asked = code_of(function) if function is not None else ""
            done = _other_way(only(only_line), code_of(left), code_of(right))
        case _:
            return
    if done and test not in asked and "\n" not in test:
        code = f"if {test}:\n    {done}"
        yield _MIRRORED, beside(place.tree, line, code), f"nothing is done if `{test}`"


def _other_way(done: cst.CSTNode, one: str, other: str) -> str:
    """Return what does the opposite, or the same with two values exchanged; "" if nothing does."""
    code = code_of(done)
    match done:
        case cst.Return(value=cst.Name(value="True" | "False" as truth)):
            return f"return {truth != 'True'}"
        case cst.Return(value=cst.UnaryOperation(operator=cst.Minus(), expression=inner)):
            return f"return {code_of(inner)}"
        case cst.Return(value=cst.Integer(value=number)) if number != "0":
            return f"return -{number}"
        case cst.AugAssign(operator=cst.AddAssign() | cst.SubtractAssign()) if (
            one not in code and other not in code
        ):
            plus = isinstance(done.operator, cst.AddAssign)
            return code.replace(*(("+=", "-=") if plus else ("-=", "+=")))
    if one.isidentifier() and other.isidentifier() and "\n" not in code:
        swapped = {one: other, other: one}
        made = re.sub(r"(?<![\w.\"'])[^\W\d]\w*", lambda word: swapped.get(word[0], word[0]), code)
        return made if made != code else ""
    return ""


def _opposites(place: Place, done: cst.CSTNode) -> Iterator[str]:
    match done:
        case cst.AugAssign(target=target, operator=operator, value=value):
            kind = _OPPOSITE.get(type(operator))
            if kind is not None:
                sign = "-=" if kind is cst.SubtractAssign else "+="
                yield f"{code_of(target)} {sign} {code_of(value)}"
            yield f"{code_of(target)} = 0"
            yield f"{code_of(target)} = 1"
        case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
            yield from _other_values(place, code_of(target), value)
        case cst.Expr(
            value=cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=attr), args=args)
        ):
            items = ", ".join(code_of(each) for each in args)
            for other in _built_like(place, name):
                yield f"{other}.{attr.value}({items})"


def _other_values(place: Place, target: str, value: cst.BaseExpression) -> Iterator[str]:
    """Yield what else a variable is set to: the opposite, nothing, or what the function has."""
    code = code_of(value)
    if code in ("True", "False"):
        yield f"{target} = {code != 'True'}"
        return
    function = function_of(place.tree, place.node)
    for each in nodes_of(function.body) if function else ():
        if isinstance(each, cst.Comparison) and code in (sides := _sides(each)):
            yield from (f"{target} = {side}" for side in sides if side not in (code, target))
    yield f"{target} = None"


def _sides(node: cst.Comparison) -> list[str]:
    return [code_of(node.left), *(code_of(each.comparator) for each in node.comparisons)]


def _built_like(place: Place, name: str) -> list[str]:
    """Return the variables that begin as the same empty container."""
    function = function_of(place.tree, place.node)
    made: dict[str, str] = {}
    for each in simple_statements(function.body) if function else ():
        match each:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=own))], value=value):
                if not reads(value):
                    made[own] = code_of(value)
    return [own for own, value in made.items() if own != name and value == made.get(name)]


AddBranch.EXAMPLES = examples(
    """
mirrored: the greater one comes last
    def compared(a, b):
        «if a < b:
            return -1»
        return 0  # the same
AssertionError: assert 0 == 1
    def compared(a, b):
        if a < b:
            return -1
        if a > b:
            return 1
        return 0  # the same

mirrored: the other one wins
    def play(ours, theirs, wins):
        «if ours > theirs:
            wins.append(ours)»
        return wins
AssertionError: assert [] == [3]
    def play(ours, theirs, wins):
        if ours > theirs:
            wins.append(ours)
        if ours < theirs:
            wins.append(theirs)
        return wins

not mirrored: the opposite is asked already
    def compared(a, b):
        «if a < b:
            return -1»
        return 1 if a > b else 0
AssertionError: assert 0 == 1

not mirrored: equal is not more or less
    def compared(a, b):
        «if a == b:
            return 1»
        return 0
AssertionError: assert 0 == 1

elif: a discount is given once
    def price(amount):
        if amount > 100:
            amount -= 20
        # Small orders.
        «if amount > 50:
            amount -= 5»
        return amount
AssertionError: assert 85 == 90
    def price(amount):
        if amount > 100:
            amount -= 20
        # Small orders.
        elif amount > 50:
            amount -= 5
        return amount

if: both marks are set
    def marks(number):
        found = []
        if number % 3 == 0:
            found.append("fizz")
        «elif number % 5 == 0:
            found.append("buzz")»
        return found
AssertionError: assert ['fizz'] == ['fizz', 'buzz']
    def marks(number):
        found = []
        if number % 3 == 0:
            found.append("fizz")
        if number % 5 == 0:
            found.append("buzz")
        return found

otherwise: the count begins anew, or goes on
    def runs(values):
        run, before = 1, None
        for value in values:
            «if value != before:
                run = 1»
            run += 1  # once more
            before = value
        return run
AssertionError: assert 3 == 2
    def runs(values):
        run, before = 1, None
        for value in values:
            if value != before:
                run = 1
            else:
                run += 1  # once more
            before = value
        return run

always: every row is counted
    def read(rows):
        bad = seen = 0
        for row in rows:
            «if not row:
                bad += 1
            else:
                seen += 1»
        return bad, seen
AssertionError: assert (1, 1) == (1, 2)
    def read(rows):
        bad = seen = 0
        for row in rows:
            if not row:
                bad += 1
            seen += 1
        return bad, seen

else: what is not even goes into the other list
    def divided(values):
        even = []
        odd = []
        for value in values:
            «if value % 2 == 0:
                even.append(value)»
        return even, odd
AssertionError: assert ([2], []) == ([2], [1])
    def divided(values):
        even = []
        odd = []
        for value in values:
            if value % 2 == 0:
                even.append(value)
            else:
                odd.append(value)
        return even, odd

else: a step back
    def level(steps):
        height = 0
        for step in steps:
            «if step == "up":
                height += 1»
        return height
AssertionError: assert 2 == 1
    def level(steps):
        height = 0
        for step in steps:
            if step == "up":
                height += 1
            else:
                height -= 1
        return height

not elif: the first test leaves
    def price(amount):
        if amount > 100:
            return amount - 20
        «if amount > 50:
            return amount - 5»
        return amount
AssertionError: assert 85 == 90

not any: no test is made
    def price(amount):
        «amount -= 5»
        return amount
AssertionError: assert 85 == 90

not otherwise: others need the variable
    def price(amount):
        «if amount > 100:
            amount -= 20»
        rounded = round(amount)
        return rounded
AssertionError: assert 85 == 90

not if: the branch above leaves
    def marks(number):
        if number % 3 == 0:
            return "fizz"
        «elif number % 5 == 0:
            return "buzz"»
        return ""
AssertionError: assert 'fizz' == 'buzz'

not else: there is one
    def level(steps):
        height = 0
        for step in steps:
            «if step == "up":
                height += 1
            else:
                height = 0»
        return height
AssertionError: assert 2 == 1

not always: both set the same
    def fee(member):
        «if member:
            due = 1
        else:
            due = 2»
        return due
AssertionError: assert 1 == 2

not otherwise: the branch leaves
    def price(amount):
        «if amount > 100:
            return 100»
        amount -= 20
        return amount
AssertionError: assert 85 == 90

not elif: a comment stands between them
    def price(amount):
        if amount > 100:
            amount -= 20
        # Small orders.

        «if amount > 50:
            amount -= 5»
        return amount
AssertionError: assert 85 == 90
"""
)
