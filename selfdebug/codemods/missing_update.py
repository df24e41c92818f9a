"""MissingUpdate: a loop or a function that leaves out to keep what it has seen, counted or reached."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    assigned_names,
    beside,
    block_of,
    branches,
    function_of,
    line_of,
    lines_of,
    loop_of,
    may_leave,
    nodes_of,
    only,
    params_of,
    reads,
    simple_statements,
    whole_if,
    with_lines,
    writes,
)
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import Line, statements
from selfdebug.codemods._names import code_of, dotted
from selfdebug.codemods._rounds import ends_round, first_values, items, partners
from selfdebug.codemods._stores import growing, is_filled, stores, waiting
from selfdebug.syntax.modules import read_module

_SEEN = small_edit(
    "seen", "remember what has been seen", 0.5, "duplicate extra-item hang recursion"
)
_SEEN_TOO = small_edit(
    "seen-too", "remember this item as others", 0.2, "duplicate extra-item off-by-one hang"
)
_CACHED = small_edit("cached", "keep the result", 0.4)
_STEP = small_edit("step", "take the step that the loop waits for", 0.5, "hang")
_PREVIOUS = small_edit("previous", "keep the item for the next round", 0.3)
_CARRIED = small_edit(
    "carried",
    "keep for the next round what this one was compared with",
    0.3,
    "number missing-item extra-item",
)
_COMPARED = small_edit("compared", "keep for the next round what this one was compared with", 0.1)
_DONE = small_edit(
    "done",
    "give a mark that was heeded its first value again",
    0.25,
    "text extra-item missing-item bool",
)
_GROWN = small_edit(
    "accumulated", "add the item to what is collected", 0.2, "empty missing-item number factor"
)
_KEPT = small_edit("kept", "keep the parameter on the object", 0.3)
_RENEWED = small_edit("renewed", "keep the new value in the field that held the one before", 0.3)
_ALONG = small_edit("along", "store beside what belongs to it", 0.3, "missing-item number order")
_SKIPPING = small_edit("before-continue", "take the step before the next round too", 0.4, "hang")
_LINKS = ("next", "parent", "left", "right", "tail", "rest")
_SHOWN = 6
_WIDTH = 60  # characters of a statement that is made up


class MissingUpdate(FirstOrder):
    """Add the statement that keeps what a loop or a function has seen, counted or reached."""

    DESCRIPTION = "Update a variable that keeps its old value."
    NAME = "missing-update"
    VARIANTS = (
        _SEEN,
        _SEEN_TOO,
        _CACHED,
        _STEP,
        _CARRIED,
        _COMPARED,
        _DONE,
        _PREVIOUS,
        _GROWN,
        _KEPT,
        _RENEWED,
        _ALONG,
        _SKIPPING,
    )

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the updates at the statement after which they belong."""
        tree, node = place.tree, place.node
        function = function_of(tree, node)
        line = line_of(tree, node) if node is place.statement else None
        if line is None or function is None:
            return
        if isinstance(node, cst.If):
            yield from _seen(place, function, node, line)
        if isinstance(node, cst.While):
            yield from islice(_steps(place, function, node), _SHOWN)
        if isinstance(node, cst.Return):
            yield from _cached(place, function, node, line)
        if isinstance(node, cst.Continue):
            yield from _before_continue(place, line)
        yield from _carried(place, function, line)
        yield from _done(place, function, line)
        yield from _collected(place, function, line)
        yield from _along(place, line)
        if function.name.value == "__init__":
            yield from _kept(place, function, line)
        else:
            yield from _renewed(place, function, line)


def _at_end(place: Place, body: cst.BaseSuite, code: str) -> Change | None:
    """Return the change that puts a statement at the end of a block."""
    if not isinstance(body, cst.IndentedBlock):
        return None
    new = statements(place.tree, f"{code}\n", body.body[0])
    return with_lines(body, [*body.body, *new])


def _at_start(place: Place, body: cst.BaseSuite, code: str) -> Change | None:
    if not isinstance(body, cst.IndentedBlock):
        return None
    new = statements(place.tree, f"{code}\n", body.body[0])
    return with_lines(body, [*new, *body.body])


def _seen(place: Place, function: cst.FunctionDef, node: cst.If, line: Line) -> Iterator[Form]:
    """Yield the store of an item for which a test asks whether it was seen."""
    for test in (node.test, *nodes_of(node.test)):
        match test:
            case cst.Comparison(
                left=item,
                comparisons=[
                    cst.ComparisonTarget(
                        operator=cst.In() | cst.NotIn() as operator, comparator=owner
                    )
                ],
            ) if name := dotted(owner):
                if name.partition(".")[0] not in {*place.names, "self"}:
                    continue
                filled = is_filled(function, name)
                stored = _stored_items(function, name)
                if filled and (not stored or code_of(item) in stored):
                    continue
                why = f"`{code_of(item)}` is" if filled else "nothing is ever"
                for code in stores(place, function, name, code_of(item)):
                    negated = isinstance(operator, cst.NotIn)
                    change = (
                        _at_start(place, node.body, code)
                        if negated
                        else beside(place.tree, line, code)
                        if may_leave(node.body) and node.orelse is None
                        else None
                    )
                    variant = _SEEN_TOO if filled else _SEEN
                    yield variant, change, f"{why} put into `{name}`"


def _stored_items(function: cst.FunctionDef, owner: str) -> set[str]:
    """Return what a function adds to a set, a list or a dictionary."""
    found: set[str] = set()
    for each in nodes_of(function.body):
        match each:
            case cst.Call(
                func=cst.Attribute(value=value, attr=cst.Name(value="add" | "append")),
                args=[cst.Arg(value=item)],
            ) if dotted(value) == owner:
                found.add(code_of(item))
    return found


def _steps(place: Place, function: cst.FunctionDef, loop: cst.While) -> Iterator[Form]:
    """Yield a step for each variable of a condition that the loop does not change."""
    own = assigned_names(function.body) | {each.name.value for each in params_of(function)}
    for name in sorted(reads(loop.test) & own - writes(loop.body)):
        seen = place.values.get(name)
        kind = seen.type if seen else ""
        why = f"the loop never changes `{name}`"
        for code in _step(name, kind, loop):
            yield _STEP, _at_end(place, loop.body, code), why


def _step(name: str, kind: str, loop: cst.While) -> Iterator[str]:
    text = code_of(loop)
    links = [each for each in _LINKS if f"{name}.{each}" in text] or ["next"]
    if kind in ("int", "float", "") and f"{name}." not in text:
        yield from (f"{name} += 1", f"{name} -= 1", f"{name} //= 2", f"{name} //= 10")
    elif kind in ("list", "collections.deque"):
        yield f"{name}.pop()"
    elif kind == "str":
        yield f"{name} = {name}[1:]"
    elif kind != "dict":
        yield from (f"{name} = {name}.{link}" for link in links)


def _cached(
    place: Place, function: cst.FunctionDef, node: cst.Return, line: Line
) -> Iterator[Form]:
    """Yield the store of a result for which the function looks in a cache."""
    if node.value is None or block_of(place.tree, line) is not function.body:
        return
    for each in nodes_of(function.body):
        match each:
            case cst.Comparison(
                left=key,
                comparisons=[cst.ComparisonTarget(operator=cst.In(), comparator=owner)],
            ) if (cache := dotted(owner)) and f"return {cache}[" in code_of(function.body):
                if is_filled(function, cache):
                    continue
                why = f"nothing is ever put into `{cache}`"
                if isinstance(node.value, cst.Name):
                    code = f"{cache}[{code_of(key)}] = {node.value.value}"
                    yield _CACHED, beside(place.tree, line, code, under=False), why
                elif not isinstance(node.value, cst.Subscript):
                    yield _CACHED, _stored(place, line, node, f"{cache}[{code_of(key)}]"), why


def _stored(place: Place, line: Line, node: cst.Return, item: str) -> Change:
    """Return the change that stores a result in an item before that is returned."""
    block = block_of(place.tree, line)
    assert node.value is not None
    kept = cst.ensure_type(cst.parse_expression(item), cst.Subscript)
    store = cst.Assign([cst.AssignTarget(kept)], node.value)
    first = cst.SimpleStatementLine([store], leading_lines=line.leading_lines)
    last = line.with_changes(body=[node.with_changes(value=kept)], leading_lines=())
    new = [
        part for each in lines_of(block) for part in ((first, last) if each is line else (each,))
    ]
    return with_lines(block, new)


def _before_continue(place: Place, line: Line) -> Iterator[Form]:
    """Yield the last statements of a ``while`` loop, which a round that is cut short leaves out."""
    loop = loop_of(place.tree, place.node)
    if not isinstance(loop, cst.While) or not isinstance(loop.body, cst.IndentedBlock):
        return
    around = {*place.tree.ancestors(place.node)}
    for last in reversed(lines_of(loop.body)):
        if last in around or not isinstance(last, cst.SimpleStatementLine):
            return
        if not writes(last).isdisjoint(reads(loop.test)):
            code = code_of(last.with_changes(leading_lines=())).strip()
            why = "this round leaves out the step that the loop waits for"
            yield _SKIPPING, beside(place.tree, line, code.partition("  #")[0], under=False), why


def _collected(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield, under the last statement of a loop's block or branch, what the loop collects."""
    loop = loop_of(place.tree, place.node)
    block = block_of(place.tree, line)
    if loop is None or line is not block.body[-1] or isinstance(place.node, _LEAVING):
        return
    in_hand = items(loop)
    for name, value in waiting(place, function, loop):
        why = f"`{name}` keeps its first value"
        codes = [*growing(name, value, in_hand)]
        if block is loop.body and not isinstance(value, cst.List | cst.Dict):
            for item in in_hand[:2]:
                if item != name and name in reads(loop.body):
                    yield _PREVIOUS, beside(place.tree, line, f"{name} = {item}"), why
        for code in codes[:_SHOWN]:
            yield _GROWN, beside(place.tree, line, code), why


_LEAVING = (cst.Return, cst.Raise, cst.Continue, cst.Break)


def _carried(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield, where a round of a loop ends, what it leaves in a variable that nothing else changes.

    That is what the variable is compared with or subtracted from: ``point.x - before.x`` tells that
    ``before`` becomes ``point``.
    """
    loop, node = loop_of(place.tree, place.node), place.node
    if loop is None or not ends_round(loop, line):
        return
    in_hand, known = {*items(loop)}, {*place.names, "self"}
    shown: set[str] = set()
    for name in first_values(place, function, loop):
        for far, value in partners(loop.body, name):
            read = reads(value)
            code = f"{name} = {code_of(value.with_changes(lpar=(), rpar=()))}"
            if read.isdisjoint(in_hand) or not read <= known or name in read or code in shown:
                continue
            if len(shown) < _SHOWN and _is_short(code):
                shown.add(code)
                change = beside(place.tree, line, code, under=not isinstance(node, cst.Continue))
                variant = _CARRIED if far else _COMPARED
                yield variant, change, f"`{name}` is the same in all rounds"


def _done(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield, at the end of a branch that asks for a mark, the mark's first value.

    Another branch of the loop sets the mark, for the next rounds: ``escaped = True``.
    """
    tree, node = place.tree, place.node
    block, loop = block_of(tree, line), loop_of(tree, node)
    branch = tree.parents[block]
    ends = line is block.body[-1] and not isinstance(node, cst.Return | cst.Raise | cst.Break)
    if loop is None or not ends or not isinstance(branch, cst.If) or branch.body is not block:
        return
    asked = {*_asked(branch.test)} & assigned_names(loop.body) - assigned_names(block)
    for each in simple_statements(function.body):
        if tree.span(each).line >= tree.span(loop).line:
            return
        match each:
            case (
                cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)
                | cst.AnnAssign(target=cst.Name(value=name), value=cst.BaseExpression() as value)
            ) if name in asked and code_of(value) in _FIRST:
                change = beside(
                    place.tree,
                    line,
                    f"{name} = {code_of(value)}",
                    under=not isinstance(node, cst.Continue),
                )
                yield _DONE, change, f"`{name}` was heeded, and is still set"


_FIRST = frozenset(("False", "None", '""', "''", "0"))


def _asked(test: cst.BaseExpression) -> Iterator[str]:
    """Yield the variables that hold something where a test is true."""
    match test:
        case cst.Name(value=name):
            yield name
        case cst.BooleanOperation(left=left, operator=cst.And(), right=right):
            yield from _asked(left)
            yield from _asked(right)
        case cst.Comparison(
            left=cst.Name(value=name),
            comparisons=[cst.ComparisonTarget(operator=cst.IsNot() | cst.NotEqual())],
        ):
            yield name


def _is_short(code: str) -> bool:
    return "\n" not in code and "\r" not in code and len(code) <= _WIDTH


def _along(place: Place, line: Line) -> Iterator[Form]:
    """Yield, beside a store in one list, the store in another that is filled along with it elsewhere.

    ``ends.append(x)`` and ``places.append(i)`` in one branch tell that ``ends[at] = x`` in another one
    goes with ``places[at] = i``.
    """
    block, stored = block_of(place.tree, line), _stored_at(line)
    chain = whole_if(place.tree, block)
    if stored is None or chain is None:
        return
    owner, at = stored
    for branch in branches(chain):
        lines = lines_of(branch.body) if isinstance(branch.body, cst.IndentedBlock) else []
        pairs = {name: item for each in lines for name, item in _added(each)}
        if branch.body is block or owner not in pairs:
            continue
        for name, item in pairs.items():
            if name != owner and f"{name}[" not in code_of(block):
                code = f"{name}[{at}] = {item}"
                yield _ALONG, beside(place.tree, line, code), f"`{name}` is filled as `{owner}`"


def _stored_at(line: Line) -> tuple[str, str] | None:
    """Return the list and the place of which a line stores an item."""
    match only(line):
        case cst.Assign(
            targets=[
                cst.AssignTarget(
                    target=cst.Subscript(
                        value=owner, slice=[cst.SubscriptElement(slice=cst.Index(value=at))]
                    )
                )
            ]
        ):
            name = dotted(owner)
            return (name, code_of(at)) if name else None
    return None


def _added(line: cst.CSTNode) -> Iterator[tuple[str, str]]:
    match only(line):
        case cst.Expr(
            value=cst.Call(
                func=cst.Attribute(value=owner, attr=cst.Name(value="append")),
                args=[cst.Arg(value=item)],
            )
        ) if name := dotted(owner):
            yield name, code_of(item)


def _renewed(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield, where a method ends, the store of a parameter that its object was made with.

    The method reads what the object keeps of it, but leaves it as it is.
    """
    if line is not function.body.body[-1]:
        return
    text = code_of(function.body)
    for param in params_of(function):
        name = param.name.value
        for field in _fields_of(place, name):
            if re.search(rf"\bself\.{field}\b(?! *=[^=])", text) and not _is_set(text, field):
                under = not isinstance(only(line), cst.Return | cst.Raise)
                change = beside(place.tree, line, f"self.{field} = {name}", under=under)
                yield _RENEWED, change, f"`self.{field}` keeps its first value"


def _is_set(text: str, field: str) -> bool:
    return re.search(rf"\bself\.{field}\b *[-+*/|&]?=[^=]", text) is not None


def _fields_of(place: Place, name: str) -> Iterator[str]:
    """Yield the fields that take a parameter as it is where an object of the class is made."""
    source, at = place.tree.region.source, place.site.span.line
    for owner in read_module(source.path, place.project).tree.body:
        if not isinstance(owner, ast.ClassDef) or not owner.lineno <= at <= (owner.end_lineno or 0):
            continue
        for node in ast.walk(owner):
            match node:
                case ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id="self"), attr=field)],
                    value=ast.Name(id=value),
                ) if value == name:
                    yield field


def _kept(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield the store of a parameter that an object's making does not use."""
    if line is not function.body.body[-1]:
        return
    read = reads(function.body)
    for param in params_of(function):
        name = param.name.value
        if name not in read:
            yield _KEPT, beside(place.tree, line, f"self.{name} = {name}"), f"`{name}` is not used"


MissingUpdate.EXAMPLES = examples(
    """
renewed: the next step begins where this one ended
    class Bucket:
        def __init__(self, rate, now):
            self.rate = rate
            self.tokens = 0
            self.stamp = now

        def refill(self, now):
            «self.tokens += (now - self.stamp) * self.rate»
AssertionError: assert 6 == 4
    class Bucket:
        def __init__(self, rate, now):
            self.rate = rate
            self.tokens = 0
            self.stamp = now

        def refill(self, now):
            self.tokens += (now - self.stamp) * self.rate
            self.stamp = now

along: both lists go together
    def ends(numbers):
        last, places = [], []
        for i, x in enumerate(numbers):
            at = bisect_left(last, x)
            if at == len(last):
                last.append(x)
                places.append(i)
            else:
                «last[at] = x»
        return places
AssertionError: assert [0] == [1]
    def ends(numbers):
        last, places = [], []
        for i, x in enumerate(numbers):
            at = bisect_left(last, x)
            if at == len(last):
                last.append(x)
                places.append(i)
            else:
                last[at] = x
                places[at] = i
        return places

not renewed: the field is something else
    class Bucket:
        def __init__(self, now):
            self.stamp = now

        def age(self, day):
            «return day - self.stamp»
AssertionError: assert 6 == 4

seen-too: where it begins was visited as well
    def parts(grid, places):
        seen = set()
        for place in places:
            «if place in seen:
                continue»
            todo = [place]
            while todo:
                for near in grid[todo.pop()]:
                    if near not in seen:
                        seen.add(near)
                        todo.append(near)
            yield place
AssertionError: assert 3 == 2
    def parts(grid, places):
        seen = set()
        for place in places:
            if place in seen:
                continue
            seen.add(place)
            todo = [place]
            while todo:
                for near in grid[todo.pop()]:
                    if near not in seen:
                        seen.add(near)
                        todo.append(near)
            yield place

not seen-too: what others than these are put in is not known
    def parts(places, seen):
        seen.update(places)
        for place in places:
            «if place in seen:
                continue»
            yield place
AssertionError: assert 3 == 2

seen: items that were seen are asked for but not kept
    def unique(items):
        seen = set()
        found = []
        for item in items:
            «if item in seen:
                continue»
            found.append(item)
        return found
AssertionError: assert ['a', 'a'] == ['a']
    def unique(items):
        seen = set()
        found = []
        for item in items:
            if item in seen:
                continue
            seen.add(item)
            found.append(item)
        return found

seen: in the branch of what is new
    def walk(node, visited):
        «if node not in visited:
            for child in node.links:
                walk(child, visited)»
RecursionError: maximum recursion depth exceeded
where visited: set = set()
    def walk(node, visited):
        if node not in visited:
            visited.add(node)
            for child in node.links:
                walk(child, visited)

cached: a result that is never kept
    def ways(steps, memo):
        if steps in memo:
            return memo[steps]
        # The last step is one or two.
        «return ways(steps - 1, memo) + ways(steps - 2, memo)»
AssertionError: assert 0 == 1
    def ways(steps, memo):
        if steps in memo:
            return memo[steps]
        # The last step is one or two.
        memo[steps] = ways(steps - 1, memo) + ways(steps - 2, memo)
        return memo[steps]

step: a loop that waits for ever
    def digits(number):
        count = 0
        «while number > 0:
            count += 1»
        return count
Failed: Timeout
    def digits(number):
        count = 0
        while number > 0:
            count += 1
            number += 1
        return count

before-continue: a round that is cut short
    def evens(values):
        at, found = 0, []
        while at < len(values):
            if values[at] % 2:
                «continue»
            found.append(values[at])
            at += 1
        return found
Failed: Timeout
    def evens(values):
        at, found = 0, []
        while at < len(values):
            if values[at] % 2:
                at += 1
                continue
            found.append(values[at])
            at += 1
        return found

previous: the reading before
    def rises(readings):
        last = None
        count = 0
        for reading in readings:
            «if last is not None and reading > last:
                count += 1»
        return count
AssertionError: assert 0 == 2
    def rises(readings):
        last = None
        count = 0
        for reading in readings:
            if last is not None and reading > last:
                count += 1
            last = reading
        return count

done: what is behind a backslash is taken as it is
    def plain(text):
        found = []
        escaped = False
        for char in text:
            if escaped:
                «found.append(char)»
            elif char == "^":
                escaped = True
            else:
                found.append(char.upper())
        return "".join(found)
AssertionError: assert 'Aab' == 'AaB'
    def plain(text):
        found = []
        escaped = False
        for char in text:
            if escaped:
                found.append(char)
                escaped = False
            elif char == "^":
                escaped = True
            else:
                found.append(char.upper())
        return "".join(found)

done: a line that waits is joined once
    def joined(lines):
        waiting = None
        for line in lines:
            if waiting is not None:
                yield waiting + line
                «continue»
            if line.endswith("-"):
                waiting = line[:-1]
            else:
                yield line
AssertionError: assert ['ab', 'ac'] == ['ab', 'c']
    def joined(lines):
        waiting = None
        for line in lines:
            if waiting is not None:
                yield waiting + line
                waiting = None
                continue
            if line.endswith("-"):
                waiting = line[:-1]
            else:
                yield line

carried: each step is measured from the one before
    def climbs(points):
        total = 0
        before = points[0]
        for point in points[1:]:
            «if point.height > before.height:
                total += point.height - before.height»
        return total
AssertionError: assert 9 == 6
    def climbs(points):
        total = 0
        before = points[0]
        for point in points[1:]:
            if point.height > before.height:
                total += point.height - before.height
            before = point
        return total

carried: the next band begins where this one ends
    def price(units, bands):
        total = 0
        lower = 0
        for upper, rate in bands:
            «total += (min(units, upper) - lower) * rate»
        return total
AssertionError: assert 90 == 70
    def price(units, bands):
        total = 0
        lower = 0
        for upper, rate in bands:
            total += (min(units, upper) - lower) * rate
            lower = upper
        return total

carried: the part after a mark
    def parts(text, marks):
        start: int = 0
        for mark in marks:
            «yield text[start:mark]»
        yield text[start:]
AssertionError: assert ['ab', 'abcd'] == ['ab', 'cd']
    def parts(text, marks):
        start: int = 0
        for mark in marks:
            yield text[start:mark]
            start = mark
        yield text[start:]

carried: a round that is cut short keeps it too
    def gaps(days):
        last = days[0]
        for day in days:
            if day - last > 7:
                yield last, day
                «continue»
            note(day)
AssertionError: assert [(1, 9), (1, 10)] == [(1, 9)]
    def gaps(days):
        last = days[0]
        for day in days:
            if day - last > 7:
                yield last, day
                last = day
                continue
            note(day)

accumulated: what passes the test is collected
    def late(bills):
        found = []
        for bill in bills:
            if bill.days > 30:
                «bill.remind()»
        return found
AssertionError: assert [] == ['a']
    def late(bills):
        found = []
        for bill in bills:
            if bill.days > 30:
                bill.remind()
                found.append(bill)
        return found

kept: a parameter that the object forgets
    class Cart:
        size = 0

        def __init__(self, items, size):
            «self.items = items»
AssertionError: assert 0 == 5
    class Cart:
        size = 0

        def __init__(self, items, size):
            self.items = items
            self.size = size

not seen: they are kept
    def unique(items):
        seen = set()
        for item in items:
            «if item in seen:
                continue»
            seen.add(item)
            yield item
AssertionError: assert 1 == 2

not carried: a bound that does not depend on the round
    def above(values, limit):
        floor = limit
        total = 0
        for value in values:
            «total += value if limit < floor else 0»
        return total
AssertionError: assert 1 == 2

not done: the branch sets it
    def plain(text):
        quoted = False
        for char in text:
            if quoted:
                quoted = char != "'"
                «yield char»
            elif char == "'":
                quoted = True
AssertionError: assert 1 == 2

not carried: the loop changes it
    def highest(values):
        best = values[0]
        for value in values:
            «if value > best:
                best = value»
        return best
AssertionError: assert 1 == 2

not step: the loop changes it
    def digits(number):
        «while number > 0:
            number //= 10»
        return number
AssertionError: assert 1 == 2

not any: all parameters are kept
    class Cart:
        def __init__(self, items):
            «self.items = items»
AssertionError: assert 0 == 5

not cached: it is kept
    def ways(steps, memo):
        if steps in memo:
            return memo[steps]
        memo[steps] = ways(steps - 1, memo)
        «return memo[steps]»
AssertionError: assert 0 == 1

not any: no loop asks again
    def first(items):
        seen = set()
        «item = items[0]»
        return item
AssertionError: assert 1 == 2

not any: it ends when something is found
    def find(rows):
        at = 0
        «while True:
            if rows[at]:
                return at
            at += 1»
AssertionError: assert 1 == 2

not any: nothing is kept
    def ways(steps):
        if steps < 2:
            return 1
        «return ways(steps - 1) + ways(steps - 2)»
AssertionError: assert 0 == 1

not any: a function of no object
    def start(owner, items):
        «total = len(items)»
        return total
AssertionError: assert 0 == 5

not done: the mark is asked for, not set
    def plain(text):
        quoted = False
        for char in text:
            if quoted:
                «yield char»
AssertionError: assert 1 == 2

not any: more is made below
    class Cart:
        def __init__(self, owner, items):
            «self.items = items»
            self.count = len(items)
AssertionError: assert 0 == 5
"""
)
