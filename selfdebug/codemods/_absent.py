"""Expressions that hold where a value is missing: conditional, or with a neutral value in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import libcst as cst

from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._names import dotted, fresh, may_change
from selfdebug.codemods._place import Place, calls, evaluated_before, place
from selfdebug.codemods._style import fallbacks, quoted
from selfdebug.codemods._use import (
    PRIMARY,
    RESULTS,
    Use,
    callee,
    chain,
    is_asynchronous,
    is_target,
    neutral,
    survives,
    use_of,
)
from selfdebug.syntax.precedence import slot_of
from selfdebug.syntax.region import Tree

_IF = "WHOLE if SUBJECT is not None else {}"
_AND = "SUBJECT is not None and WHOLE"
_OR = "SUBJECT is None or WHOLE"


@dataclass(frozen=True)
class Absence:
    """What stands for ``whole`` where a value is missing: a ``literal``, or the outcome of a test."""

    whole: cst.BaseExpression
    form: str = _IF
    literal: str = "None"


def conditional(tree: Tree, bad: cst.BaseExpression) -> Change | None:
    """Return the change that evaluates what needs a value only where it is there.

    None where no expression can stand for the missing one, or evaluation would be reordered.
    """
    found = _absence(tree, bad)
    if found is None or _is_frozen(tree, found.whole):
        return None
    if isinstance(tree.parents[found.whole], cst.Expr):
        return None  # Nobody takes its value: the statement can be skipped as a whole.
    if found.form is _IF and found.literal != "None" and neutral(tree, bad):
        return None  # A neutral value in its place says the same in fewer words.
    literal = quoted(tree, found.whole, found.literal)
    subject = _subject(tree, bad, found)
    if subject is None or literal is None:
        return None
    test, name = subject

    def make(updated: Any) -> cst.BaseExpression:
        return expression(found.form.format(literal), WHOLE=updated, SUBJECT=test)

    change = dict(replaced(tree, found.whole, make))
    if name is not None:
        change[bad] = lambda _: cst.Name(name)
    return change


def defaulted(tree: Tree, bad: cst.BaseExpression, message: str) -> Change | None:
    """Return the change that puts the neutral value of the type in use in the place of None."""
    literal = neutral(tree, bad, message)
    text = literal and quoted(tree, bad, literal)
    if text is None or _is_frozen(tree, bad):
        return None
    if use_of(tree, bad) is Use.AUGMENTED:
        return _augmented(tree, bad, text)
    return replaced(tree, bad, lambda updated: expression(f"OLD or {text}", OLD=updated))


def _augmented(tree: Tree, bad: cst.BaseExpression, text: str) -> Change | None:
    statement = tree.parents[bad]
    spelling = dotted(bad)
    if spelling is None or not isinstance(statement, cst.AugAssign):
        return None
    sign = cst.Module([]).code_for_node(statement.operator).strip()[:-1]

    def put(updated: cst.AugAssign) -> cst.Assign:
        value = expression(f"({spelling} or {text}) {sign} VALUE", VALUE=updated.value)
        target = cst.AssignTarget(updated.target)
        return cst.Assign([target], value, updated.semicolon)

    return {statement: put}


def _absence(tree: Tree, bad: cst.BaseExpression) -> Absence | None:
    """Find the smallest expression around ``bad`` for which something can stand where it is None."""
    use = use_of(tree, bad)
    parent = tree.parents[bad]
    if use is Use.COMPARISON or use is Use.CONTAINER:
        return _outcome(tree, _comparison(tree, bad))
    if use is Use.ARGUMENT:
        return _of_call(tree, bad)
    if use is Use.UNPACKING:
        return _unpacked(parent, bad)
    if use is Use.FORMAT:
        return Absence(bad, literal=neutral(tree, bad) or "None")
    if use is Use.INDEX:
        return _bearable(tree, chain(tree, _holder(tree, bad)))
    if use in PRIMARY or (use is Use.OPERAND and isinstance(parent, cst.BaseExpression)):
        assert isinstance(parent, cst.BaseExpression)
        return _bearable(tree, chain(tree, parent))
    return None


def _holder(tree: Tree, node: cst.CSTNode) -> cst.BaseExpression:
    holder = next(up for up in tree.ancestors(node) if isinstance(up, cst.BaseExpression))
    assert isinstance(holder, cst.BaseExpression)
    return holder


def _bearable(tree: Tree, whole: cst.BaseExpression, literal: str = "None") -> Absence | None:
    """Widen an expression until its place bears a value that stands for it."""
    parent = tree.parents[whole]
    if is_target(tree, whole):
        return None
    use = use_of(tree, whole)
    if _is_compared(tree, whole) or use in (Use.COMPARISON, Use.CONTAINER):
        return _outcome(tree, _comparison(tree, whole))
    if _is_condition(tree, whole):
        return _outcome(tree, whole)
    if use is Use.ARGUMENT:
        return Absence(whole, literal=literal) if survives(tree, whole) else _of_call(tree, whole)
    if use is Use.OPERAND:
        if (known := neutral(tree, whole)) is not None:
            return Absence(whole, literal=known)
        if not isinstance(parent, cst.BaseExpression):
            return None
        return _bearable(tree, chain(tree, parent))
    if use is Use.UNPACKING:
        return _unpacked(parent, whole)
    if use in (Use.ITERATION, Use.MAPPING):
        return (
            None
            if is_asynchronous(tree, whole)
            else Absence(whole, literal=neutral(tree, whole) or "()")
        )
    if use is Use.FORMAT:
        return Absence(whole, literal=neutral(tree, whole) or "None")
    if use is not None:
        return None
    return Absence(whole, literal=_natural(tree, whole, literal))


def _natural(tree: Tree, whole: cst.BaseExpression, literal: str) -> str:
    """Return what a place that bears None would rather have: what the function returns, or no text."""
    parent = tree.parents[whole]
    if isinstance(parent, cst.FormattedStringExpression):
        return '""'
    function = place(tree, whole).function
    if isinstance(parent, cst.Return) and function and literal == "None":
        return next(fallbacks(tree, function), "None")
    return literal


def _of_call(tree: Tree, argument: cst.BaseExpression) -> Absence | None:
    call = _holder(tree, argument)
    literal = RESULTS.get(callee(tree, argument), "None")
    whole = chain(tree, call)
    return _bearable(tree, whole, literal if whole is call else "None")


def _unpacked(parent: cst.CSTNode, value: cst.BaseExpression) -> Absence | None:
    assert isinstance(parent, cst.Assign)
    match [target.target for target in parent.targets]:
        case [cst.Tuple(elements=elements) | cst.List(elements=elements)]:
            if all(
                isinstance(each.value, cst.Name) and type(each) is cst.Element for each in elements
            ):
                nones = ", ".join(["None"] * len(elements)) + ("," if len(elements) == 1 else "")
                return Absence(value, literal=f"({nones})")
    return None


def _is_compared(tree: Tree, node: cst.BaseExpression) -> bool:
    return isinstance(tree.parents[node], cst.Comparison | cst.ComparisonTarget)


def _comparison(tree: Tree, node: cst.CSTNode) -> cst.Comparison:
    found = next(up for up in tree.ancestors(node) if isinstance(up, cst.Comparison))
    assert isinstance(found, cst.Comparison)
    return found


def _is_condition(tree: Tree, node: cst.CSTNode) -> bool:
    """Say whether only the truth of an expression counts where it stands."""
    parent = tree.parents[node]
    match parent:
        case cst.UnaryOperation(operator=cst.Not()):
            return True
        case cst.BooleanOperation():
            return _is_condition(tree, parent)
        case cst.If() | cst.While() | cst.IfExp() | cst.CompIf() | cst.Assert():
            return parent.test is node
        case cst.MatchCase():
            return parent.guard is node
    return False


def _outcome(tree: Tree, whole: cst.BaseExpression) -> Absence | None:
    """Return what a test comes to where the value is missing, as if None had been tested."""
    if isinstance(tree.parents[whole], cst.Assert):
        return None
    holds = isinstance(whole, cst.Comparison) and _holds_for_none(whole)
    negated = False
    while isinstance(parent := tree.parents[whole], cst.UnaryOperation) and isinstance(
        parent.operator, cst.Not
    ):
        whole, holds, negated = parent, not holds, True
    if holds and negated and isinstance(tree.parents[whole], cst.While):
        holds = False  # A loop that goes on because a value is missing may never end.
    return Absence(whole, _OR if holds else _AND)


def _holds_for_none(comparison: cst.Comparison) -> bool:
    target = comparison.comparisons[-1]
    is_none = isinstance(target.comparator, cst.Name) and target.comparator.value == "None"
    if isinstance(target.operator, cst.Is | cst.Equal):
        return is_none
    return isinstance(target.operator, cst.NotIn | cst.NotEqual | cst.IsNot) and not is_none


def _is_frozen(tree: Tree, node: cst.CSTNode) -> bool:
    """Say whether a place does not take another expression: its text or its form means something."""
    for parent in tree.ancestors(node):
        match parent:
            case cst.Decorator() | cst.MatchPattern() | cst.Annotation() | cst.ClassDef():
                return True
            case cst.FormattedStringExpression(equal=cst.AssignEqual()):
                return True
            case cst.BaseSmallStatement() | cst.BaseCompoundStatement():
                return False
    return False


def _subject(
    tree: Tree, bad: cst.BaseExpression, found: Absence
) -> tuple[cst.BaseExpression, str | None] | None:
    """Return what is compared with None, and the name that stands for ``bad`` from then on, if new."""
    spelling = dotted(bad)
    before = [*evaluated_before(tree, bad, found.whole)]
    if spelling is not None:
        if any(may_change(tree, node, spelling) for node in before):
            return None
        return cst.parse_expression(spelling), None
    where = place(tree, bad)
    if any(map(calls, before)) or not _may_assign(tree, bad, where):
        return None
    name = fresh(tree, where, bad)
    value = bad.with_changes(lpar=[], rpar=[]) if len(bad.lpar) == 1 else bad
    return expression(f"({name} := VALUE)", VALUE=value), name


def _may_assign(tree: Tree, node: cst.CSTNode, where: Place) -> bool:
    """Say whether a walrus is allowed: not where a class gets it, nor in what is iterated (PEP 572)."""
    in_iterable = any(
        isinstance(tree.parents[up], cst.CompFor) and slot_of(tree.parents[up], up) == "iter"
        for up in (node, *tree.ancestors(node))
        if up in tree.parents
    )
    return not isinstance(where.scope, cst.ClassDef) and not in_iterable
