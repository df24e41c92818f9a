"""DonorExpression: an expression that the function uses elsewhere is what was meant here too."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from itertools import islice
from typing import cast

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._blocks import function_of, nodes_of, params_of, reads
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import NUMBERS, kind_of
from selfdebug.codemods._names import code_of, dotted
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._variables import fits, variables
from selfdebug.syntax.modules import read_module

_TARGET = small_edit("target", "give a variable what it is given elsewhere in the function", 0.12)
_OWNER = small_edit("owner", "use the attribute of that name which another object has", 0.15)
_SAME = small_edit("same", "use an expression of the function", 0.08)
_OPERATION = small_edit("operation", "calculate on as the module does elsewhere", 0.06, "number")
_COMBINED = small_edit("combined", "pass on what was found so far with what is new", 0.2)
_CONSTANTS = (cst.Integer, cst.Float, cst.SimpleString)
_DONORS = (cst.Attribute, cst.Subscript, cst.Call, cst.BinaryOperation)
_REMAINDERS: dict[type[ast.operator], str] = {ast.Mod: "%", ast.FloorDiv: "//"}
_BINDING = (cst.Lambda, cst.BaseComp, cst.NamedExpr, cst.Await, cst.Yield, cst.FormattedString)
_FIXED = (
    *(cst.Call, cst.Attribute, cst.Subscript, cst.Expr, cst.Raise, cst.Await, cst.Param),
    *(cst.FormattedStringExpression, cst.UnaryOperation, cst.For, cst.CompFor),
)
"""What an expression may stand in without being an operand, an argument or a value like any other."""
_TAKING = frozenset(
    (
        *("pop", "popleft", "popitem", "next", "heappop", "get_nowait", "read", "readline"),
        *("append", "add", "extend", "insert", "remove", "update", "setdefault", "clear", "input"),
    )
)
_ACCUMULATED = frozenset(("str", "list", "tuple", "bytes", "set", "")) | NUMBERS
_MOST, _FEW = 10, 3  # expressions, and operations, for one


class DonorExpression(FirstOrder):
    """Use an expression of the function in the place of another, or calculate on as elsewhere."""

    DESCRIPTION = "Use an expression that the function uses elsewhere."
    NAME = "donor-expression"
    VARIANTS = (_TARGET, _OWNER, _SAME, _OPERATION, _COMBINED)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield what the function has in the place of an expression whose value is used."""
        node, function = place.node, function_of(place.tree, place.node)
        if function is None or not place.is_read or not isinstance(node, cst.BaseExpression):
            return
        if isinstance(place.parent, _FIXED):
            return
        likely = dict.fromkeys((*_by_target(place, function), *_of_owners(place, function)))
        given = {code for _, code in likely}
        others = (code for code in _donors(place, function) if code not in given)
        for variant, code in (*likely, *((_SAME, code) for code in islice(others, _MOST))):
            yield variant, place.put(code), f"`{place.code(node)}` was not what is meant"
        for operation in islice(_operations(place), _FEW):
            yield (
                _OPERATION,
                place.put(f"OLD {operation}"),
                f"`{place.code(node)}` is not all of it",
            )
        for code in _combined(place, function):
            yield _COMBINED, place.put(code), "what was found so far got lost"


def _by_target(place: Place, function: cst.FunctionDef) -> Iterator[tuple[Variant, str]]:
    """Yield the other values of the variable that the statement assigns to."""
    match place.statement:
        case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
            wanted = dotted(target) if value is place.node else None
        case _:
            return
    for each in nodes_of(function.body):
        match each:
            case cst.Assign(targets=[cst.AssignTarget(target=other)], value=value) if (
                wanted and value is not place.node and dotted(other) == wanted
            ):
                code = code_of(value)
                if code != place.code(place.node) and _is_known(place, value):
                    yield _TARGET, code


def _of_owners(place: Place, function: cst.FunctionDef) -> Iterator[tuple[Variant, str]]:
    """Yield ``other.name`` for ``name`` where another variable is seen to have such an attribute."""
    name = place.node.value if isinstance(place.node, cst.Name) else ""
    asked = {
        dotted(each.value)
        for each in nodes_of(function.body)
        if isinstance(each, cst.Attribute) and each.attr.value == name
        if not isinstance(place.tree.parents[each], cst.AssignTarget)
    }
    kinds = {place.values[each].type for each in asked if each and each in place.values}
    others = [each for each in variables(place) if each != name]
    alike = [each for each in others if each in place.values and place.values[each].type in kinds]
    for other in dict.fromkeys((*(each for each in others if each in asked), *alike)):
        yield _OWNER, f"{other}.{name}"


def _donors(place: Place, function: cst.FunctionDef) -> Iterator[str]:
    """Yield other expressions of the function that may be of the same kind, the nearest first."""
    node, tree = place.node, place.tree
    if not isinstance(node, (cst.Name, *_CONSTANTS, *_DONORS)):
        return
    fixed = isinstance(node, _CONSTANTS)
    kind, line, own = kind_of(place, node), tree.span(node).line, place.code(node)
    around = {node, *tree.ancestors(node), *nodes_of(node)}
    fitting: dict[str, int] = {}
    for each in nodes_of(function.body):
        if fixed and isinstance(each, cst.BinaryOperation):
            continue  # what nobody took for a calculation was hardly meant to be one
        if isinstance(each, _DONORS) and each not in around and _is_whole(place, each):
            code, far = place.code(each), abs(tree.span(each).line - line)
            nearer = far < fitting.get(code, far + 1) and code != own and "\n" not in code
            if nearer and fits(kind, kind_of(place, each)) and _is_known(place, each):
                fitting[code] = far
    yield from sorted(fitting, key=lambda code: fitting[code])


def _is_whole(place: Place, donor: cst.CSTNode) -> bool:
    """Say whether an expression is used for its value, and gives the same if it is asked twice."""
    parent = place.tree.parents[donor]
    if isinstance(parent, cst.Call | cst.Attribute | cst.Expr | cst.AssignTarget | cst.Annotation):
        return False
    return not any(
        isinstance(each, cst.Call) and last_of(each.func) in _TAKING
        for each in (donor, *nodes_of(donor))
    )


def _is_known(place: Place, node: cst.CSTNode) -> bool:
    """Say whether all names of an expression have a value at a place."""
    if any(isinstance(each, _BINDING) for each in (node, *nodes_of(node))):
        return False
    known = {*variables(place), *place.names, "self", "cls"}
    return all(name in known or hasattr(builtins, name) for name in reads(node))


def _operations(place: Place) -> Iterator[str]:
    """Yield the divisions that the module makes, for a number that is returned, kept or an index."""
    parent, kind = place.parent, kind_of(place, place.node)
    if not isinstance(parent, cst.Return | cst.Assign | cst.Index | cst.Element):
        return
    if kind not in NUMBERS and not (kind == "" and isinstance(place.node, cst.BinaryOperation)):
        return
    for operation, names in _divisions(place):
        if names <= {*variables(place), *place.names} and not place.code(place.node).endswith(
            operation
        ):
            yield operation


def _divisions(place: Place) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return what the module divides by, with the names in it: ``% 10``, ``// size``."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("divisions", path)
    if key not in parsed:
        found = {
            f"{_REMAINDERS[type(each.op)]} {ast.unparse(each.right)}": frozenset(
                name.id for name in ast.walk(each.right) if isinstance(name, ast.Name)
            )
            for each in ast.walk(read_module(path, place.project).tree)
            if isinstance(each, ast.BinOp)
            and type(each.op) in _REMAINDERS
            and isinstance(each.right, ast.Constant | ast.Name | ast.Attribute)
            and not isinstance(each.left, ast.Constant | ast.JoinedStr)
        }
        parsed[key] = tuple(found.items())
    return cast("tuple[tuple[str, frozenset[str]], ...]", parsed[key])


def _combined(place: Place, function: cst.FunctionDef) -> Iterator[str]:
    """Yield the sum of a parameter and what a function passes for it where it calls itself."""
    arg = place.parent
    if not isinstance(arg, cst.Arg):
        return
    call = place.tree.parents[arg]
    if not isinstance(call, cst.Call) or last_of(call.func) != function.name.value:
        return
    at = next(index for index, each in enumerate(call.args) if each is arg)
    params = [each.name.value for each in params_of(function)]
    if arg.keyword is None and any(each.star or each.keyword for each in call.args[:at]):
        return
    name = arg.keyword.value if arg.keyword else params[at] if at < len(params) else ""
    if name not in params or name in reads(place.node):
        return
    kinds = {kind_of(place, place.node), kind_of(place, cst.Name(name))}
    if kinds <= _ACCUMULATED and len(kinds - {""}) <= 1:
        yield from (f"{name} + OLD", f"OLD + {name}")


DonorExpression.EXAMPLES = examples(
    """
target: what it is given where it begins
    def failures(text, table):
        length = 0
        for letter in text:
            if letter == "x":
                length = table[length - 1]
            elif letter == "y":
                length = «0»  # a part may still fit
        return length
AssertionError: assert 0 == 2
    def failures(text, table):
        length = 0
        for letter in text:
            if letter == "x":
                length = table[length - 1]
            elif letter == "y":
                length = table[length - 1]  # a part may still fit
        return length

owner: the key of the node that took the place
    def delete(node, key):
        heir = node.right
        node.key = heir.key
        node.right = delete(node.right, «key»)
        return node
AssertionError: assert [1, 2, 2] == [1, 2]
    def delete(node, key):
        heir = node.right
        node.key = heir.key
        node.right = delete(node.right, heir.key)
        return node

same: a price after the discount
    def total(price, discount):
        if price * (1 - discount) < 10:
            return 10
        return «price»  # of one
AssertionError: assert 100 == 90
where price: int = 100
where discount: float = 0.1
    def total(price, discount):
        if price * (1 - discount) < 10:
            return 10
        return price * (1 - discount)  # of one

operation: the day after the last one of a week
    DAYS = 7

    def before(day):
        return (day + DAYS - 1) % DAYS

    def after(day):
        return «day + 1»
AssertionError: assert 7 == 0
where day: int = 6
    DAYS = 7

    def before(day):
        return (day + DAYS - 1) % DAYS

    def after(day):
        return (day + 1) % DAYS

combined: the names of the folders above
    def paths(folder, above):
        found = [above + folder.name]
        for inner in folder.folders:
            found += paths(inner, «folder.name»)
        return found
AssertionError: assert ['a', 'b'] == ['a', 'ab']
where above: str = ''
    def paths(folder, above):
        found = [above + folder.name]
        for inner in folder.folders:
            found += paths(inner, above + folder.name)
        return found

not any: of another kind
    def shown(price, names):
        label = names[0].strip()
        return label, «price»
AssertionError: assert ('a', 1) == ('a', 2)
where price: int = 1

not same: a calculation where a number stands
    def first(rows, count):
        size = count * 2
        return rows[«0»]
AssertionError: assert 1 == 2

not any: of a name that has no value here
    def first(rows):
        last = «0»
        for row in rows:
            last = row.size
        return last
AssertionError: assert 1 == 2

not any: what is taken away is not taken twice
    def first(rows):
        kept = rows.pop()
        return kept, «rows»
AssertionError: assert 1 == 2

not any: a function that is called
    def first(rows):
        return rows.pop(«rows»[0].size)
AssertionError: assert 1 == 2

not operation: an index that is divided already
    def at(ring, index):
        return ring[«index % 5»]
AssertionError: assert 1 == 2
where index: int = 6

not combined: the parameter is passed on
    def paths(folder, above):
        return [paths(inner, «above + inner.name») for inner in folder]
AssertionError: assert 1 == 2
where above: str = ''
"""
)
