"""MissingCase: a chain that asks for the constants of a family one by one leaves one of them out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import only
from selfdebug.codemods._edit import made_of
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._names import dotted
from selfdebug.syntax.bindings import nested
from selfdebug.syntax.modules import Module, definitions, read_module
from selfdebug.syntax.region import Tree

_TELLS = "raises extra-item missing-item none text number"
_BRANCH = small_edit("branch", "leave the case to a branch of its own", 0.3, _TELLS, growth=1)
_TOO = small_edit("too", "let a branch take the case, too", 0.3, _TELLS)

_EXITS = (cst.Continue, cst.Break, cst.Return, cst.Pass)


class MissingCase(FirstOrder):
    """Ask for the constant that a chain does not ask for: in a branch that is there, or a new one."""

    DESCRIPTION = "Ask for all constants of a family."
    NAME = "missing-case"
    VARIANTS = (_BRANCH, _TOO)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the chain that a statement is in with a case more above its branch."""
        tree = place.tree
        if place.node is not place.statement:
            return
        branch = next((up for up in tree.ancestors(place.node) if isinstance(up, cst.If)), None)
        chain = _chain(tree, branch) if branch is not None else []
        asked = [(each, found) for each in chain if (found := _asks(tree, each.test))]
        for missing in _missing(place, [name for _, (_, name) in asked]):
            why = f"nothing asks for `{missing}`"
            yield from _branched(place, chain, asked[0][0], missing, why)
            for each, (subject, name) in asked:
                yield _TOO, {each.test: made_of(f"{subject} in ({name}, {missing})")}, why


def _chain(tree: Tree, branch: cst.If) -> list[cst.If]:
    """Return the branches of the chain that a branch belongs to, from its ``if`` on."""
    up = tree.parents[branch]
    while isinstance(up, cst.If) and up.orelse is branch:
        branch, up = up, tree.parents[up]
    found = [branch]
    while isinstance(found[-1].orelse, cst.If):
        found.append(found[-1].orelse)
    return found


def _asks(tree: Tree, test: cst.BaseExpression) -> tuple[str, str] | None:
    """Return what a test compares with one constant, and the constant."""
    match test:
        case cst.Comparison(
            left=left,
            comparisons=[
                cst.ComparisonTarget(operator=cst.Equal() | cst.Is(), comparator=constant)
            ],
        ):
            name = dotted(constant) or ""
            if dotted(left) and name.rpartition(".")[2].isupper():
                return tree.code(left), name
    return None


def _missing(place: Place, asked: list[str]) -> Iterator[str]:
    """Yield the constants of the family of those asked for that are not among them."""
    if not asked:
        return
    module = read_module(place.tree.region.source.path, place.project)
    first = asked[0]
    owner, _, name = first.rpartition(".")
    family = _members(place, owner) if owner else _alike(name, module)
    yield from (each for each in family if each not in asked)


def _members(place: Place, owner: str) -> Iterator[str]:
    """Yield the constants of a class of the project: the members of an Enum, for one."""
    for found in definitions(owner.rpartition(".")[2], place.project):
        if isinstance(found.node, ast.ClassDef):
            yield from (f"{owner}.{name}" for name in _constants(found.node.body))
            return


def _alike(name: str, module: Module) -> Iterator[str]:
    """Yield the constants that a file knows and that share the first or the last word of a name."""
    words = name.split("_")
    known = dict.fromkeys((*_constants(module.tree.body), *module.imports))
    for other in known if len(words) > 1 else ():
        parts = other.split("_")
        if other.isupper() and len(parts) > 1 and (parts[0] == words[0] or parts[-1] == words[-1]):
            yield other


def _constants(body: list[ast.stmt]) -> Iterator[str]:
    for stmt in nested(body):
        if isinstance(stmt, ast.Assign):
            for target in stmt.targets:
                if isinstance(target, ast.Name) and target.id.isupper():
                    yield target.id


def _branched(
    place: Place, chain: list[cst.If], like: cst.If, missing: str, why: str
) -> Iterator[Form]:
    """Yield a branch for the case, with each of the plain exits of the chain, above a statement's."""
    around = [*place.tree.ancestors(place.node)]
    at = next((number for number, each in enumerate(chain) if each.body in around), 0)
    ends = (only(each.body.body[0]) for each in chain if _is_exit(each.body))
    exits = {place.code(each): each for each in ends if isinstance(each, _EXITS)}
    assert isinstance(like.test, cst.Comparison)
    asked = like.test.comparisons[0].with_changes(comparator=cst.parse_expression(missing))
    test = like.test.with_changes(comparisons=[asked])
    for end in exits.values() if at else ():
        body = cst.IndentedBlock([cst.SimpleStatementLine([end])])
        new = cst.If(test, body, orelse=chain[at])
        yield _BRANCH, {chain[at - 1]: partial(_going_on, new)}, why


def _going_on(new: cst.If, old: Any) -> cst.CSTNode:
    branch: cst.If = old.with_changes(orelse=new)
    return branch


def _is_exit(body: cst.BaseSuite) -> bool:
    lines = [*body.body]
    return len(lines) == 1 and isinstance(only(lines[0]), _EXITS)


MissingCase.EXAMPLES = examples(
    """
branch: keys that are to be left out
    ALLOW_EXTRA = 1
    REMOVE_EXTRA = 2

    def checked(items, extra, error):
        for key in items:
            if key in KNOWN:
                # nothing to do
                continue
            elif extra == ALLOW_EXTRA:
                found.append(key)
            elif error:
                «errors.append(error)»
AssertionError: assert [1] == []
    ALLOW_EXTRA = 1
    REMOVE_EXTRA = 2

    def checked(items, extra, error):
        for key in items:
            if key in KNOWN:
                # nothing to do
                continue
            elif extra == ALLOW_EXTRA:
                found.append(key)
            elif extra == REMOVE_EXTRA:
                continue
            elif error:
                errors.append(error)

too: a state that is like another one
    class State(Enum):
        OPEN = 1
        SENT = 2
        PAID = 3

    def due(order):
        if order.state is State.OPEN:
            return order.total
        elif order.state is State.PAID:
            «return 0»
AssertionError: assert None == 5
    class State(Enum):
        OPEN = 1
        SENT = 2
        PAID = 3

    def due(order):
        if order.state in (State.OPEN, State.SENT):
            return order.total
        elif order.state is State.PAID:
            return 0

not any: all are asked for
    class State(Enum):
        OPEN = 1
        PAID = 2

    def due(order):
        if order.state is State.OPEN:
            return order.total
        elif order.state is State.PAID:
            «return 0»
AssertionError: assert 0 == 5

not any: the constants belong to nothing
    LIMIT = 1
    NAME = "a"

    def due(order):
        if order == LIMIT:
            «return 0»
AssertionError: assert 0 == 5
"""
)
