"""ConditionClause: a condition asks for too little or too much."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import Any, cast

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, own_nodes, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import NUMBERS, function_at, kind_of
from selfdebug.codemods._names import dotted, identifiers
from selfdebug.codemods._variables import attributes, kind_named, unread, variables
from selfdebug.syntax.modules import read_module

_TELLS = "bool missing-item extra-item raises off-by-one duplicate hang"
_DROPPED = small_edit("dropped", "leave out a clause", 0.06, _TELLS)
_DONOR = small_edit("donor", "ask for what the function asks elsewhere too", 0.12, _TELLS, growth=1)
_TOGETHER = small_edit(
    "together", "ask for what the module asks along with it elsewhere", 0.35, _TELLS
)
_UNREAD = small_edit("unread", "ask for a variable that nothing reads", 0.15, _TELLS, growth=1)
_INDEXED = small_edit("indexed", "ask whether the index is one", 0.12, "raises hang", growth=1)
_NEW = small_edit("new", "ask for a property of a variable too", 0.08, _TELLS, growth=1)
_CONSTANT = small_edit(
    "constant", "ask whether it is what the module asks for elsewhere", 0.08, _TELLS, growth=1
)
_CASE = small_edit("case", "narrow one of the cases", 0.06, _TELLS, growth=1)
_CHAIN = small_edit("chain", "ask for both bounds", 0.06, _TELLS)
_FILTER = small_edit("filter", "leave out items", 0.1, "extra-item duplicate", growth=1)
_UNFILTERED = small_edit("unfiltered", "keep all items", 0.06, "missing-item empty")

_DONORS = 6  # conditions from elsewhere that are joined
_CLAUSES = 10  # others
_CONSTANTS = 4  # that an operand is compared with
_WORDS = ("and", "or")


class ConditionClause(FirstOrder):
    """Join a clause to a condition, or leave one out; filter what is looped over, or do not."""

    DESCRIPTION = "Add a clause to a condition, or leave one out."
    NAME = "condition-clause"
    VARIANTS = (
        *(_DROPPED, _TOGETHER, _DONOR, _UNREAD, _INDEXED, _NEW, _CASE),
        *(_CONSTANT, _CHAIN),
        *(_FILTER, _UNFILTERED),
    )

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the condition with more or fewer clauses."""
        node = place.node
        if isinstance(node, cst.BooleanOperation) and _is_condition(place.tree.parents, node):
            yield from _without(place, node)
        if isinstance(node, cst.BaseExpression) and _is_whole(place, node):
            yield from _with(place, node)
        if isinstance(node, cst.BooleanOperation) and _is_condition(place.tree.parents, node):
            yield from _narrowed(place, node)
        if isinstance(node, cst.Comparison) and isinstance(place.parent, cst.BooleanOperation):
            yield from _chained(place, node)
        if isinstance(node, cst.BaseComp):
            yield from _filtered(place, node)


def _is_condition(parents: Any, node: cst.CSTNode) -> bool:
    """Say whether clauses decide something, and do not choose a default: ``name or "unknown"``."""
    parent = parents[node]
    while isinstance(parent, cst.BooleanOperation | cst.UnaryOperation):
        node, parent = parent, parents[parent]
    if getattr(parent, "test", None) is node:
        return True
    return isinstance(parent, cst.Return | cst.Assign | cst.Arg | cst.Lambda) and any(
        isinstance(side, cst.Comparison | cst.UnaryOperation) for side in _clauses(node)
    )


def _clauses(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Yield the clauses that ``and`` and ``or`` join."""
    if isinstance(node, cst.BooleanOperation):
        yield from _clauses(node.left)
        yield from _clauses(node.right)
    elif isinstance(node, cst.BaseExpression):
        yield node


def _without(place: Place, node: cst.BooleanOperation) -> Iterator[Form]:
    for kept, other in ((node.left, node.right), (node.right, node.left)):
        yield _DROPPED, place.keep(kept), f"`{place.code(other)}` does not matter"


def _is_whole(place: Place, node: cst.BaseExpression) -> bool:
    """Say whether an expression is all of a condition."""
    parent = place.parent
    if getattr(parent, "test", None) is node:
        return not (isinstance(node, cst.Name) and node.value in ("True", "False"))
    decides = kind_of(place, node) == "bool" and not isinstance(node, cst.Name)
    return isinstance(parent, cst.Return | cst.Lambda) and decides and place.is_read


def _with(place: Place, node: cst.BaseExpression) -> Iterator[Form]:
    own = {place.code(clause) for clause in _clauses(node)}
    loops = isinstance(place.parent, cst.While)
    why = "more than `{}` matters" if not loops else "it goes on as long as `{}` holds, and more"
    why = why.format(place.code(node))
    for index in _indexes(place, node):
        yield _INDEXED, place.put(f"{index} and OLD"), why
    yield from _chained(place, node)
    yield from _together(place, node)
    new = (clause for clause in _donors(place) if clause not in own)
    for clause in islice(new, _DONORS):
        yield from ((_DONOR, place.put(f"OLD {word} {clause}"), why) for word in _WORDS)
    for operand, constant in islice(_unasked(place, node), _CONSTANTS):
        yield _CONSTANT, place.put(f"{operand} != {constant} and OLD"), why
        yield _CONSTANT, place.put(f"OLD or {operand} == {constant}"), why
    for variant, clause in islice(_new_clauses(place, node), _CLAUSES):
        if clause not in own:
            yield from ((variant, place.put(f"OLD {word} {clause}"), why) for word in _WORDS)


def _narrowed(place: Place, node: cst.BooleanOperation) -> Iterator[Form]:
    """Yield ``a or b and c`` for ``a or b``: one of the cases holds under a condition only."""
    if not isinstance(node.operator, cst.Or):
        return
    own = {place.code(clause) for clause in _clauses(node)}
    for case in (node.right, node.left):
        if isinstance(case, cst.BooleanOperation):
            continue
        inner = Place(place.tree, case, place.statement, place.site, place.project)
        new = (*_donors(place), *(clause for _, clause in _new_clauses(place, case)))
        for clause in islice((each for each in dict.fromkeys(new) if each not in own), _CLAUSES):
            why = f"`{place.code(case)}` alone does not decide"
            yield _CASE, inner.put(f"OLD and {clause}"), why


def _unasked(place: Place, node: cst.BaseExpression) -> Iterator[tuple[str, str]]:
    """Yield the operands of a condition with the texts that the module compares others with."""
    asked = place.code(node)
    for each in own_nodes(node):
        match each:
            case cst.Comparison(left=cst.Name() | cst.Attribute() | cst.Subscript() as left):
                if kind_of(place, left) in ("str", "") and "\n" not in place.code(left):
                    operand = place.code(left)
                    yield from ((operand, text) for text in _texts(place) if text not in asked)


def _texts(place: Place) -> tuple[str, ...]:
    """Return the texts that the module compares values with, or looks for."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("compared texts", path)
    if key not in parsed:
        found = (
            ast.unparse(side).replace("'", '"')
            for node in ast.walk(read_module(path, place.project).tree)
            if isinstance(node, ast.Compare)
            for side in (node.left, *node.comparators)
            if isinstance(side, ast.Constant) and isinstance(side.value, str)
        )
        parsed[key] = tuple(text for text in dict.fromkeys(found) if text.count('"') == 2)
    return cast("tuple[str, ...]", parsed[key])


def _indexes(place: Place, node: cst.BaseExpression) -> Iterator[str]:
    """Yield the clauses that say that an index in a condition is one."""
    for each in own_nodes(node):
        match each:
            case cst.Subscript(
                value=value, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]
            ) if dotted(value) and isinstance(index, cst.Name | cst.BinaryOperation):
                code, items = place.code(index), place.code(value)
                if kind_of(place, value) in ("dict", "defaultdict", "Counter"):
                    yield f"{code} in {items}"
                else:
                    yield f"{code} < len({items})"
                    yield f"{code} >= 0"


def _chained(place: Place, node: cst.BaseExpression) -> Iterator[Form]:
    """Yield ``0 <= at < size`` for ``at < size``, and ``low <= at <= high`` with what is at hand."""
    match node:
        case cst.Comparison(
            left=cst.Name() | cst.Attribute() as left,
            comparisons=[cst.ComparisonTarget(operator=cst.LessThan() | cst.LessThanEqual())],
        ):
            for low in ("0", *_bounds(place, left)):
                yield (
                    _CHAIN,
                    place.put(f"{low} <= {place.code(node)}"),
                    "there is a lower bound too",
                )


def _bounds(place: Place, node: cst.BaseExpression) -> Iterator[str]:
    kind = kind_of(place, node)
    if kind:
        yield from (name for name in variables(place) if kind_named(place, name) == kind)


def _donors(place: Place) -> tuple[str, ...]:
    """Return the conditions of the function around a place that can be asked there."""
    function = function_at(place)
    if function is None:
        return ()
    key = ("conditions", place.tree.region.source.path, function.lineno)
    parsed = place.project.parsed
    if key not in parsed:
        parsed[key] = tuple(_conditions(function))
    here = place.site.span.line
    known = {*place.names, *variables(place)} - _left_over(function, here)
    found = cast("tuple[tuple[int, str, frozenset[str]], ...]", parsed[key])
    near = sorted(found, key=lambda each: abs(each[0] - here))
    return tuple(dict.fromkeys(code for _, code, names in near if names <= known))


def _left_over(function: ast.AST, line: int) -> frozenset[str]:
    """Return the variables of the loops that end above a line: they hold whatever came last."""
    loops = (node for node in ast.walk(function) if isinstance(node, ast.For | ast.AsyncFor))
    targets = (each.target for each in loops if (each.end_lineno or line) < line)
    return frozenset(
        part.id for each in targets for part in ast.walk(each) if isinstance(part, ast.Name)
    )


def _conditions(function: ast.AST) -> Iterator[tuple[int, str, frozenset[str]]]:
    """Yield the clauses of a function's conditions: their lines, their code, and the names in it."""
    for node in ast.walk(function):
        test = getattr(node, "test", None)
        tests = getattr(node, "ifs", [] if test is None else [test])
        for each in tests:
            for clause in each.values if isinstance(each, ast.BoolOp) else [each]:
                if isinstance(clause, ast.Constant | ast.NamedExpr | ast.BoolOp | ast.IfExp):
                    continue
                names = {part.id for part in ast.walk(clause) if isinstance(part, ast.Name)}
                yield clause.lineno, ast.unparse(clause), frozenset(names - _BUILTINS)


def _together(place: Place, node: cst.BaseExpression) -> Iterator[Form]:
    """Yield the condition with what another function asks along with one of its clauses."""
    clauses = [*_clauses(node)]
    own = [_plain(place.code(clause)) for clause in clauses]
    if isinstance(node, cst.BooleanOperation) and not _joins_all(node):
        return
    known = {*place.names, *variables(place), *_BUILTINS}
    done: set[str] = set()
    for theirs in _conjunctions(place):
        if {*own}.isdisjoint(theirs):
            continue
        for at, (code, names) in enumerate(theirs.items()):
            if code not in own and code not in done and names <= known:
                done.add(code)
                after = _clauses_before(own, [*theirs], at)
                whole = _up_to(node, clauses[max(after - 1, 0)])
                inner = Place(place.tree, whole, place.statement, place.site, place.project)
                new = f"OLD and {code}" if after else f"{code} and OLD"
                yield _TOGETHER, inner.put(new), f"`{code}` is asked elsewhere"


def _clauses_before(own: list[str], theirs: list[str], at: int) -> int:
    """Return after how many of a condition's clauses one belongs, in the order of others."""
    before = [own.index(each) for each in theirs[:at] if each in own]
    later = [own.index(each) for each in theirs[at:] if each in own]
    return before[-1] + 1 if before else min(later)


def _joins_all(node: cst.BaseExpression) -> bool:
    """Say whether all clauses of a condition have to hold, joined from the left."""
    while isinstance(node, cst.BooleanOperation):
        if not isinstance(node.operator, cst.And) or isinstance(node.right, cst.BooleanOperation):
            return False
        node = node.left
    return True


def _up_to(node: cst.BaseExpression, clause: cst.BaseExpression) -> cst.BaseExpression:
    """Return the part of a condition that ends with a clause."""
    while isinstance(node, cst.BooleanOperation) and node.right is not clause:
        node = node.left
    return node


def _plain(code: str) -> str:
    """Return an expression's code as ``ast`` writes it."""
    try:
        return ast.unparse(ast.parse(f"({code})", mode="eval"))
    except SyntaxError:
        return code


def _conjunctions(place: Place) -> tuple[dict[str, frozenset[str]], ...]:
    """Return the clauses that the module joins by ``and``, each with the names in it."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("conjunctions", path)
    if key not in parsed:
        nodes = ast.walk(read_module(path, place.project).tree)
        joined = (node for node in nodes if isinstance(node, ast.BoolOp))
        parsed[key] = tuple(
            {ast.unparse(each): frozenset(_names_of(each)) for each in node.values}
            for node in joined
            if isinstance(node.op, ast.And)
        )
    return cast("tuple[dict[str, frozenset[str]], ...]", parsed[key])


def _names_of(clause: ast.expr) -> Iterator[str]:
    for part in ast.walk(clause):
        if isinstance(
            part, ast.BoolOp | ast.NamedExpr | ast.IfExp | ast.Lambda | ast.comprehension
        ):
            yield ""  # no name: it stays where it is
        elif isinstance(part, ast.Name):
            yield part.id


_BUILTINS = frozenset(("len", "isinstance", "any", "all", "sum", "min", "max", "set", "int", "str"))


def _new_clauses(place: Place, node: cst.BaseExpression) -> Iterator[tuple[Variant, str]]:
    """Yield clauses on the variables that nothing reads, then on those that the condition is about."""
    spare = [name for name in variables(place) if name in unread(place)]
    for name in spare:
        yield from ((_UNREAD, clause) for clause in _about(place, name))
    asked = {*identifiers(node)}
    for name in variables(place):
        if kind_named(place, name) == "set":  # it is there to be asked
            yield from ((_NEW, clause) for clause in _membership(place, name, "set"))
    near = [name for name in variables(place) if name in asked]
    far = [name for name in variables(place) if name not in asked and name not in spare]
    for name in (*near, *far):
        yield from ((_NEW, clause) for clause in _about(place, name) if clause != place.code(node))
    for owner in (*near, "self"):
        for part in attributes(place, owner):
            if kind_named(place, f"{owner}.{part}") == "bool":
                yield from ((_NEW, code) for code in (f"{owner}.{part}", f"not {owner}.{part}"))


def _about(place: Place, name: str) -> Iterator[str]:
    """Yield what may be asked of a variable, by what kind of value it held."""
    kind = kind_named(place, name)
    value = place.values.get(name)
    if value is not None and value.type == "NoneType":
        yield f"{name} is not None"
        yield f"{name} is None"
    elif kind == "bool":
        yield name
        yield f"not {name}"
    elif kind in NUMBERS:
        yield f"{name} > 0"
        yield f"{name} == 0"
        others = (each for each in variables(place) if each != name)
        yield from (f"{name} != {each}" for each in others if kind_named(place, each) == kind)
    elif kind in ("str", "list", "tuple", "dict", "set", "deque"):
        yield name
        yield f"not {name}"
        yield from _membership(place, name, kind) if kind != "set" else ()
    elif not kind and name in unread(place):
        yield name
        yield f"{name} is None"


def _membership(place: Place, name: str, kind: str) -> Iterator[str]:
    if kind in ("set", "dict", "list"):
        for each in variables(place):
            if kind_named(place, each) in ("str", "int", "tuple"):
                yield f"{each} not in {name}"
                yield f"{each} in {name}"


# --- comprehensions ---


def _filtered(place: Place, node: cst.BaseComp) -> Iterator[Form]:
    loop = node.for_in
    if loop.inner_for_in is None and loop.ifs:
        fewer = loop.with_changes(ifs=loop.ifs[:-1])
        change: Change = {node: lambda old: old.with_changes(for_in=fewer)}
        yield _UNFILTERED, change, f"`{place.code(loop.ifs[-1].test)}` does not matter"
    if loop.inner_for_in is not None or loop.ifs:
        return
    inner = Place(place.tree, _item(node), place.statement, place.site, place.project)
    names = [*identifiers(loop.target)]
    clauses = [clause for clause in _donors(inner) if not {*names}.isdisjoint(_names_in(clause))]
    clauses += [clause for name in names for clause in _of_item(place, name)]
    for clause in islice(dict.fromkeys(clauses), _CLAUSES):
        yield _FILTER, {node: _filtering(clause)}, f"only items with `{clause}` count"


def _item(node: cst.BaseComp) -> cst.CSTNode:
    item = node.key if isinstance(node, cst.DictComp) else getattr(node, "elt", None)
    assert item is not None
    return item


def _names_in(code: str) -> Iterator[str]:
    yield from identifiers(cst.parse_expression(code))


def _of_item(place: Place, name: str) -> Iterator[str]:
    yield name
    yield f"{name} is not None"
    for part in attributes(place, name):
        if kind_named(place, f"{name}.{part}") == "bool":
            yield f"{name}.{part}"
            yield f"not {name}.{part}"
    others = (each for each in variables(place) if each != name)
    for other in others:
        kind = kind_named(place, other)
        if kind in ("set", "dict", "list", "tuple"):
            yield f"{name} not in {other}"
            yield f"{name} in {other}"
        elif other in unread(place):
            yield f"{name} != {other}"
            yield f"{name} == {other}"


def _filtering(clause: str) -> Any:
    def make(updated: Any) -> Any:
        test = cst.CompIf(cst.parse_expression(clause))
        return updated.with_changes(for_in=updated.for_in.with_changes(ifs=[test]))

    return make


ConditionClause.EXAMPLES = examples(
    """
not donor: what the loop's variable holds in the end is chance
    def unclosed(text):
        stack = []
        for ch in text:
            if ch == "(":
                stack.append(ch)
        if «stack»:
            return stack[-1]
AssertionError: assert '(' is None

constant: three of a kind, but no empty ones
    def won(board, a, b):
        if board[a] == board[b]:
            return board[a]
        return " " not in board

    def has_won(board, a, b):
        return «board[a] == board[b]»
AssertionError: assert True is False
    def won(board, a, b):
        if board[a] == board[b]:
            return board[a]
        return " " not in board

    def has_won(board, a, b):
        return board[a] != " " and board[a] == board[b]

chain: in a longer condition
    def inside(at, size, ready):
        return ready and «at < size»
AssertionError: assert True is False
    def inside(at, size, ready):
        return ready and 0 <= at < size

case: only where it was before
    def stays(count, alive):
        alive.add(4)
        return «count == 3 or count == 2»
AssertionError: assert True is False
where count: int = 2
where alive: set = {2}
    def stays(count, alive):
        alive.add(4)
        return count == 3 or count == 2 and count not in alive

not case: where all have to hold
    def stays(count, alive):
        return «count > 3 and count < 9»
AssertionError: assert True is False

together: as where it is counted
    class Store:
        def held(self, now):
            return [h for h in self.rows if h.ours and not h.sent and h.expires > now]

        def count(self, now):
            return sum(h.count for h in self.rows if «h.ours and h.expires > now»)
AssertionError: assert 5 == 3
    class Store:
        def held(self, now):
            return [h for h in self.rows if h.ours and not h.sent and h.expires > now]

        def count(self, now):
            return sum(h.count for h in self.rows if h.ours and not h.sent and h.expires > now)

together: in front of the clause that both have
    def held(rows, order, now):
        return [row for row in rows if row.order == order and not row.sent and row.due > now]

    def count(rows, kind, now):
        return sum(
            row.count
            for row in rows
            if «row.kind == kind and row.due > now»  # not yet
        )
AssertionError: assert 5 == 3
    def held(rows, order, now):
        return [row for row in rows if row.order == order and not row.sent and row.due > now]

    def count(rows, kind, now):
        return sum(
            row.count
            for row in rows
            if row.kind == kind and not row.sent and row.due > now  # not yet
        )

together: at the end
    def first(rows):
        for row in rows:
            if row.open and row.free:
                return row

    def count(rows):
        found = 0
        for row in rows:
            if «row.open»:
                found += 1
        return found
AssertionError: assert 5 == 3
    def first(rows):
        for row in rows:
            if row.open and row.free:
                return row

    def count(rows):
        found = 0
        for row in rows:
            if row.open and row.free:
                found += 1
        return found

dropped: members need no badge
    def may_enter(guest):
        return «guest.age >= 18 and guest.badge»  # at the door
AssertionError: assert False
    def may_enter(guest):
        return guest.age >= 18  # at the door

dropped: the other one, with its parentheses
    def may_enter(guest):
        if (guest.age < 3 or «guest.age > 60 and guest.badge»):
            return 0
        return 9
AssertionError: assert 9 == 0
    def may_enter(guest):
        if (guest.age < 3 or guest.age > 60):
            return 0
        return 9

donor: what is asked elsewhere too
    def state(order):
        if order.paid and not order.sent:
            return "open"
        if «order.sent»:
            return "done"
        return "new"
AssertionError: assert 'done' == 'new'
    def state(order):
        if order.paid and not order.sent:
            return "open"
        if order.sent and order.paid:
            return "done"
        return "new"

unread: the parameter that nothing reads
    def shown(items, drafts):
        for item in items:
            if «item.public»:
                yield item
AssertionError: assert [] == [1]
where drafts: bool = True
    def shown(items, drafts):
        for item in items:
            if item.public and drafts:
                yield item

indexed: as long as there is one
    def skip(text, at):
        while «text[at] == " "»:
            at += 1
        return at
IndexError: string index out of range
    def skip(text, at):
        while at < len(text) and text[at] == " ":
            at += 1
        return at

new: nothing comes of nothing
    def ratio(part, whole):
        if «part < whole»:
            return part / whole
        return 1
AssertionError: assert 1 == 0
where part: int = 0
where whole: int = 2
    def ratio(part, whole):
        if part < whole and part > 0:
            return part / whole
        return 1

chain: not below zero
    def inside(at, size):
        return «at < size»
AssertionError: assert True is False
    def inside(at, size):
        return 0 <= at < size

filter: without those that are missing
    def names(rows):
        return «[row for row in rows]»
AssertionError: assert [None] == []
    def names(rows):
        return [row for row in rows if row]

unfiltered: all of them
    def names(rows):
        return «[row.name for row in rows if row.active]»
AssertionError: assert [] == ['a']
    def names(rows):
        return [row.name for row in rows]

not any: a default is no condition
    def name(row):
        return row.title or row.name or «"unknown"»
AssertionError: assert 'a' == 'b'

not dropped: nor are two
    def name(row):
        return «row.title or row.name»
AssertionError: assert 'a' == 'b'

not any: it goes on for ever on purpose
    def serve(queue):
        while «True»:
            yield queue.get()
AssertionError: assert 'a' == 'b'

not filter: it has one
    def names(rows):
        return «[row.name for row in rows if row.active]»
AssertionError: assert [] == ['a']

not chain: there is a lower bound
    def inside(at, size):
        return «0 <= at < size»
AssertionError: assert True is False

not together: what is asked there is not known here
    def first(rows, day):
        for row in rows:
            if row.open and row.free > day:
                return row

    def count(rows):
        return sum(1 for row in rows if «row.open»)
AssertionError: assert 5 == 3

not dropped: one clause is all there is
    def may_enter(guest):
        return «guest.age >= 18»
AssertionError: assert False

not chain: a bound above is meant
    def is_old(at, size):
        return «at > size»
AssertionError: assert True is False

not indexed: a key is no index
    def is_open(shops, name):
        return «shops["a"] == name»
AssertionError: assert True is False

not constant: nothing is compared with a text
    def has_won(board, a, b):
        return «board[a] == board[b]»
AssertionError: assert True is False

not together: elsewhere one of the two is enough
    def first(rows):
        return [row for row in rows if row.open or row.free]

    def count(rows):
        return sum(1 for row in rows if «row.open»)
AssertionError: assert 5 == 3

not unfiltered: there is no filter
    def names(rows):
        return «[row.name for row in rows]»
AssertionError: assert [] == ['a']

not donor: it is asked in another function only
    def is_done(order):
        if order.paid:
            return True
        return False

    def state(order):
        if «order.sent»:
            return "done"
        return "new"
AssertionError: assert 'done' == 'new'

not unfiltered: one of two loops
    def pairs(rows):
        return «[(row, day) for row in rows for day in row.days if day.free]»
AssertionError: assert [] == [1]
"""
)
