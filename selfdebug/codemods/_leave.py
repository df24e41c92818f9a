"""Ways around a statement, or an item, for which a value is missing: leave, skip, filter."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Variant
from selfdebug.codemods._checks import shows
from selfdebug.codemods._edit import Change, named, without_parentheses
from selfdebug.codemods._fault import MISSING, Fault
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import Line, above, around, statements
from selfdebug.codemods._names import dotted, fresh, identifiers, may_change, root
from selfdebug.codemods._place import Place, calls, evaluated_before, place, reads_state
from selfdebug.codemods._style import early_exits
from selfdebug.syntax.parts import children_of
from selfdebug.syntax.precedence import parenthesized
from selfdebug.syntax.region import Tree

LEFT_OUT = "the statement is left out then"


def ways_around(
    tree: Tree,
    bad: cst.BaseExpression,
    fault: Fault,
    leave: tuple[Variant, str],
    skip: tuple[Variant, str],
) -> Iterator[Form]:
    """Yield what leaves above the statement and what skips it, first what suits the code after it.

    ``leave`` has the variant and what is not done then ("it is read"), ``skip`` the variant and why.
    """
    variant, use = leave
    exits = [
        (variant, change, f"`{exit_}` before {use}") for change, exit_ in leaving(tree, bad, fault)
    ]
    skips = skip[0], skipping(tree, bad, fault), skip[1]
    yield from (skips, *exits) if _followed(tree, bad) else (*exits, skips)


def leaving(
    tree: Tree, bad: cst.BaseExpression, fault: Fault = MISSING
) -> Iterator[tuple[Change, str]]:
    """Yield changes that leave above the statement, each with the statement that leaves.

    A value that may not be evaluated twice is assigned first. Nothing is yielded where the statement
    may do without the value, or would evaluate something else before it.
    """
    where = place(tree, bad)
    if not where.once or where.inner or not _comes_first(tree, bad, where, fault):
        return
    spelling = fault.about or dotted(bad)
    name = spelling or fresh(tree, where, bad)
    for exit_ in early_exits(tree, where, bad, name, fault.words):
        code = f"if {fault.wrong.format(name)}:\n    {exit_}\n"
        if spelling is None:
            yield _hoisted(tree, bad, where, name, code), exit_
        else:
            yield above(tree, where.statement, statements(tree, code, where.statement)), exit_


def skipping(tree: Tree, bad: cst.BaseExpression, fault: Fault = MISSING) -> Change | None:
    """Return the change that runs a statement only where the value is there.

    None for statements that bind a name or leave: others rely on them.
    """
    where = place(tree, bad)
    statement = where.statement
    if not isinstance(statement, cst.BaseSmallStatement) or not _is_effect(statement):
        return None
    if not where.once or where.inner or not _comes_first(tree, bad, where, fault):
        return None
    name = fault.about or dotted(bad)
    if name:
        return around(tree, statement, fault.right.format(name))
    name = fresh(tree, where, bad)
    assign = _assigned(tree, bad, statement, name)
    change = around(tree, statement, fault.right.format(name), [assign])
    return {**change, **named(tree, bad, name)}


def _followed(tree: Tree, bad: cst.BaseExpression) -> bool:
    """Say whether a function goes on after the statement, outside loops, without the value."""
    child: cst.CSTNode = place(tree, bad).statement
    later: list[cst.CSTNode] = []
    for parent in tree.ancestors(child):
        if isinstance(parent, cst.For | cst.While):
            return False
        if isinstance(parent, cst.FunctionDef):
            break
        if isinstance(parent, cst.BaseSuite | cst.SimpleStatementLine):
            later += parent.body[parent.body.index(child) + 1 :]
        child = parent
    spelling = dotted(bad)
    return bool(later) and not any(spelling and _mentions(node, spelling) for node in later)


def _mentions(node: cst.CSTNode, spelling: str) -> bool:
    if isinstance(node, cst.BaseExpression) and dotted(node) == spelling:
        return True
    return any(_mentions(child, spelling) for child in children_of(node))


def filtering(tree: Tree, bad: cst.BaseExpression, fault: Fault = MISSING) -> Change | None:
    """Return the change that leaves an item out of a comprehension where its value is wrong."""
    spelling = fault.about or dotted(bad)
    if spelling is None:
        return None
    child: cst.CSTNode = bad
    for parent in tree.ancestors(bad):
        if isinstance(parent, cst.CompIf | cst.Lambda):
            return None
        if isinstance(parent, cst.BaseComp):
            loop = _binding(parent.for_in, root(spelling))
            if loop is not None and loop is not child:
                return _filter(loop, spelling, fault)
        inner = isinstance(parent, cst.CompFor) and child is parent.inner_for_in
        if inner and root(spelling) in identifiers(parent.target):  # type: ignore[attr-defined]
            return _filter(parent, spelling, fault)  # type: ignore[arg-type]
        if isinstance(parent, cst.BaseSmallStatement | cst.BaseCompoundStatement):
            return None
        child = parent
    return None


def _hoisted(tree: Tree, bad: cst.BaseExpression, where: Place, name: str, code: str) -> Change:
    """Assign a value to a name above the statement, test it, and use the name in its place."""
    assign = _assigned(tree, bad, where.statement, name)
    guard = statements(tree, code, where.statement)
    change = above(tree, where.statement, [assign, *guard])
    return {**change, **named(tree, bad, name)}


def _assigned(tree: Tree, value: cst.BaseExpression, near: cst.CSTNode, name: str) -> Line:
    line = statements(tree, f"{name} = None\n", near)[0]
    target = cst.AssignTarget(cst.Name(name))
    return line.with_changes(body=[cst.Assign([target], _standalone(tree, value))])


def _standalone(tree: Tree, node: cst.BaseExpression) -> cst.BaseExpression:
    """Return an expression that may stand on lines of its own; a line break in it needs parentheses."""
    try:
        cst.parse_statement(tree.module.code_for_node(node))
    except cst.ParserSyntaxError:
        return parenthesized(node)
    return without_parentheses(tree, node)


def _comes_first(tree: Tree, bad: cst.BaseExpression, where: Place, fault: Fault) -> bool:
    """Say whether a value can be looked at above its statement: as the statement would see it."""
    before = [*evaluated_before(tree, bad, where.statement)]
    if fault.about:
        seen = {fault.about, *identifiers(cst.parse_expression(fault.wrong.format(fault.about)))}
        return not any(may_change(tree, node, name) for node in before for name in seen)
    spelling = dotted(bad)
    if spelling is None:
        return not any(calls(node) or reads_state(node) for node in before)
    return not any(may_change(tree, node, spelling) for node in before)


def _is_effect(statement: cst.BaseSmallStatement) -> bool:
    """Say whether a statement can be left out: it binds no new name and does not suspend."""
    match statement:
        case cst.Assign(targets=targets):
            stores = all(isinstance(each.target, cst.Attribute | cst.Subscript) for each in targets)
            return stores and not _yields(statement)
        case cst.Expr() | cst.Del() | cst.AugAssign():
            return not _yields(statement)
    return False


def _yields(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Yield) or any(map(_yields, node.children))


def _binding(comp: cst.CompFor | None, name: str) -> cst.CompFor | None:
    """Return the ``for`` of a comprehension that binds a name."""
    while comp is not None and name not in identifiers(comp.target):
        comp = comp.inner_for_in
    return comp


def _filter(loop: cst.CompFor, spelling: str, fault: Fault) -> Change | None:
    at = len(loop.ifs)
    if fault is MISSING:
        # Only a test for None is safe in front of every use; others may rely on the clauses there.
        uses = (each for each, clause in enumerate(loop.ifs) if _mentions(clause.test, spelling))
        at = next(uses, at)
        if any(_shows_owner(clause.test, spelling) for clause in loop.ifs[at:]):
            return None
    test = cst.parse_expression(fault.right.format(spelling))
    added = cst.CompIf(test, whitespace_before=cst.SimpleWhitespace(" "))
    return {
        loop: lambda updated: updated.with_changes(
            ifs=[*updated.ifs[:at], added, *updated.ifs[at:]]
        )
    }


def _shows_owner(test: cst.BaseExpression, spelling: str) -> bool:
    """Say whether a test is what makes it safe to read a value: that what holds it is there."""
    owners = (spelling[: dot.start()] for dot in re.finditer(r"[.\[]", spelling))
    return any(shows(test, owner, True) for owner in owners)
