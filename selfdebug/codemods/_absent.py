"""Expressions that hold where a value is missing: conditional, or with a neutral value in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import libcst as cst

from selfdebug.codemods._edit import Change, expression, named, replaced, without_parentheses
from selfdebug.codemods._fault import MISSING, Fault
from selfdebug.codemods._names import code_of, dotted, fresh, may_change
from selfdebug.codemods._neutral import RESULTS, neutral, refuses_none
from selfdebug.codemods._place import Place, calls, evaluated_before, place
from selfdebug.codemods._style import fallbacks, quoted
from selfdebug.codemods._use import PRIMARY, Use, callee, chain, is_target, use_of
from selfdebug.syntax.precedence import slot_of
from selfdebug.syntax.region import Tree

_IF = "WHOLE if RIGHT else LITERAL"
_AND = "RIGHT and WHOLE"
_OR = "WRONG or WHOLE"


@dataclass(frozen=True)
class Absence:
    """What stands for ``whole`` where a value is missing: a ``literal``, or the outcome of a test."""

    whole: cst.BaseExpression
    form: str = _IF
    literal: str = "None"


def conditional(
    tree: Tree,
    bad: cst.BaseExpression,
    fault: Fault = MISSING,
    needs: cst.BaseExpression | None = None,
) -> Change | None:
    """Return the change that evaluates what needs a value only where it is not wrong.

    ``needs`` is the expression that fails, where that is not one around the value.

    None where no expression can stand for the missing one, or evaluation would be reordered.
    """
    found = _bearable(tree, chain(tree, needs)) if needs else _absence(tree, bad)
    if found is None or _is_frozen(tree, found.whole):
        return None
    if isinstance(tree.parents[found.whole], cst.Expr):
        return None  # Nobody takes its value: the statement can be skipped as a whole.
    spare = fault is MISSING and found.form is _IF and found.literal != "None"
    if spare and neutral(tree, bad):
        return None  # A neutral value in its place says the same in fewer words.
    literal = quoted(tree, found.whole, found.literal)
    subject = _subject(tree, bad, found, fault.about or dotted(bad))
    if subject is None or literal is None:
        return None
    test, name = subject
    if name is not None and found.whole is bad:
        return None  # The name would stand in place of the choice that makes it.

    right, wrong = (each.replace("{}", "SUBJECT") for each in (fault.right, fault.wrong))
    form = found.form.replace("RIGHT", right).replace("WRONG", wrong).replace("LITERAL", literal)

    def make(updated: Any) -> cst.BaseExpression:
        return expression(form, WHOLE=updated, SUBJECT=test)

    change = dict(replaced(tree, found.whole, make))
    if name is not None:
        change.update(named(tree, bad, name))
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
    sign = code_of(statement.operator).strip()[:-1]

    def put(updated: cst.AugAssign) -> cst.Assign:
        value = expression(f"({spelling} or {text}) {sign} VALUE", VALUE=updated.value)
        target = cst.AssignTarget(updated.target)
        return cst.Assign([target], value, updated.semicolon)

    return {statement: put}


def _absence(tree: Tree, bad: cst.BaseExpression) -> Absence | None:
    """Find the smallest expression around ``bad`` for which something can stand where it is None."""
    use = use_of(tree, bad)
    if use is None or isinstance(tree.parents[bad], cst.AugAssign):
        return None
    if use in PRIMARY or use in (Use.OPERAND, Use.INDEX):
        return _bearable(tree, chain(tree, _holder(tree, bad)))
    find = _ABSENCES.get(use)
    return find(tree, bad) if find else None


def _bearable(tree: Tree, whole: cst.BaseExpression, literal: str = "None") -> Absence | None:
    """Widen an expression until its place bears a value that stands for it."""
    if is_target(tree, whole):
        return None
    if isinstance(tree.parents[whole], cst.Comparison | cst.ComparisonTarget):
        return _compared(tree, whole)
    if _is_condition(tree, whole):
        return _outcome(tree, whole)
    use = use_of(tree, whole)
    if use is None or (use is Use.ARGUMENT and not refuses_none(tree, whole)):
        return Absence(whole, literal=_natural(tree, whole, literal))
    return _replaceable(tree, whole, use)


def _replaceable(tree: Tree, whole: cst.BaseExpression, use: Use) -> Absence | None:
    """Find what stands for an expression whose own place does not bear None either."""
    if use is not Use.ARGUMENT and (known := neutral(tree, whole)) is not None:
        return Absence(whole, literal=known)
    if use in (Use.OPERAND, Use.ARGUMENT, Use.UNPACKING):
        return _absence(tree, whole)
    return None


def _holder(tree: Tree, node: cst.CSTNode) -> cst.BaseExpression:
    holder = next(up for up in tree.ancestors(node) if isinstance(up, cst.BaseExpression))
    assert isinstance(holder, cst.BaseExpression)
    return holder


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


def _unpacked(tree: Tree, value: cst.BaseExpression) -> Absence | None:
    """Give None to each name; a target with a star, or a tuple in a tuple, has no such value."""
    match tree.parents[value]:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple() | cst.List() as target)]):
            elements = target.elements
            if all(type(each) is cst.Element and dotted(each.value) for each in elements):
                nones = ", ".join(["None"] * len(elements)) + ("," if len(elements) == 1 else "")
                return Absence(value, literal=f"({nones})")
    return None


def _formatted(tree: Tree, value: cst.BaseExpression) -> Absence | None:
    return Absence(value, literal=neutral(tree, value) or "None")


def _compared(tree: Tree, node: cst.BaseExpression) -> Absence | None:
    comparison = next(up for up in tree.ancestors(node) if isinstance(up, cst.Comparison))
    assert isinstance(comparison, cst.Comparison)
    return _outcome(tree, comparison)


_ABSENCES: Mapping[Use, Callable[[Tree, cst.BaseExpression], Absence | None]] = {
    Use.COMPARISON: _compared,
    Use.CONTAINER: _compared,
    Use.ARGUMENT: _of_call,
    Use.UNPACKING: _unpacked,
    Use.FORMAT: _formatted,
}


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
    holds = isinstance(whole, cst.Comparison) and _holds_for_none(whole)
    while _is_negated(tree, whole):
        whole, holds = _holder(tree, whole), not holds
    match _decided(tree, whole):
        case cst.Assert():
            return None  # It would fail in another way.
        case cst.While():
            holds = False  # A loop that goes on because a value is missing may never end.
    return Absence(whole, _OR if holds else _AND)


def _is_negated(tree: Tree, node: cst.CSTNode) -> bool:
    parent = tree.parents[node]
    return isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not)


def _decided(tree: Tree, test: cst.CSTNode) -> cst.CSTNode:
    """Return what a test, or the boolean operation that it is part of, decides about."""
    return next(up for up in tree.ancestors(test) if not isinstance(up, cst.BooleanOperation))


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
    tree: Tree, bad: cst.BaseExpression, found: Absence, spelling: str | None
) -> tuple[cst.BaseExpression, str | None] | None:
    """Return what is tested, and the name that stands for ``bad`` from then on, if new."""
    before = [*evaluated_before(tree, bad, found.whole)]
    if spelling:
        if any(may_change(tree, node, spelling) for node in before):
            return None
        return cst.parse_expression(spelling), None
    where = place(tree, bad)
    if any(map(calls, before)) or not _may_assign(tree, bad, where):
        return None
    name = fresh(tree, where, bad)
    value = without_parentheses(tree, bad)
    return expression(f"({name} := VALUE)", VALUE=value), name


def _may_assign(tree: Tree, node: cst.CSTNode, where: Place) -> bool:
    """Say whether a walrus is allowed: not where a class gets it, nor in what is iterated (PEP 572)."""
    in_iterable = any(
        isinstance(tree.parents[up], cst.CompFor) and slot_of(tree.parents[up], up) == "iter"
        for up in (node, *tree.ancestors(node))
        if up in tree.parents
    )
    return not isinstance(where.scope, cst.ClassDef) and not in_iterable
