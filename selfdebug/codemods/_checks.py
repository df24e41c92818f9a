"""Checks for None that the code already makes on the way to an expression."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from selfdebug.codemods._names import changes, dotted
from selfdebug.codemods._place import until
from selfdebug.syntax.region import Tree

_LEAVES = (cst.Return, cst.Raise, cst.Continue, cst.Break)
_NEVER_NONE = (
    cst.BaseNumber,
    cst.BaseString,
    cst.BaseDict,
    cst.BaseList,
    cst.BaseSet,
    cst.BaseComp,
    cst.Tuple,
    cst.Lambda,
    cst.Comparison,
)
_BOUNDARIES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
_REPEATED = (cst.For, cst.While, cst.Try, cst.TryStar)
_CONSTRUCTORS = frozenset(
    (
        *("bool", "bytearray", "bytes", "dict", "enumerate", "filter", "float", "frozenset", "hex"),
        *("id", "int", "len", "list", "map", "object", "open", "ord", "range", "repr", "reversed"),
        *("round", "set", "sorted", "str", "sum", "super", "tuple", "type", "zip"),
    )
)


def never_none(node: cst.BaseExpression) -> bool:
    """Say whether an expression cannot be None, by its form alone."""
    match node:
        case cst.NamedExpr(value=value):
            return never_none(value)
        case cst.BooleanOperation(left=left, right=right, operator=operator):
            return never_none(right) and (isinstance(operator, cst.Or) or never_none(left))
        case cst.IfExp(body=body, orelse=orelse, test=test):
            return never_none(orelse) and (never_none(body) or _tests(test, body))
        case cst.Call(func=cst.Name(value=name)):
            return name in _CONSTRUCTORS
        case cst.UnaryOperation(operator=operator):
            return isinstance(operator, cst.Not)
    return isinstance(node, _NEVER_NONE) or dotted(node) in ("True", "False")


def checked(tree: Tree, node: cst.BaseExpression) -> bool:
    """Say whether an expression is known not to be None where it stands: by form, check or value."""
    spelling = dotted(node)
    if never_none(node) or spelling is None:
        return never_none(node)
    child: cst.CSTNode = node
    for parent in tree.ancestors(node):
        if isinstance(parent, _BOUNDARIES) and child is parent.body:
            return False
        if _on_branch(parent, child, spelling):
            return True
        known = _before(parent, child, spelling)
        if known is not None:
            return known
        if isinstance(parent, _REPEATED) and changes(parent, spelling):
            return False
        child = parent
    return False


def shows(test: cst.BaseExpression, spelling: str, outcome: bool) -> bool:
    """Say whether a test that comes out as ``outcome`` shows that a value is not None."""
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return shows(inner, spelling, not outcome)
        case cst.BooleanOperation(left=left, right=right, operator=operator):
            each = (shows(left, spelling, outcome), shows(right, spelling, outcome))
            return any(each) if isinstance(operator, cst.And) is outcome else all(each)
        case cst.NamedExpr(target=target, value=value):
            return (outcome and dotted(target) == spelling) or shows(value, spelling, outcome)
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget() as target]):
            return _compares(left, target, spelling, outcome)
        case cst.Call(func=cst.Name(value="isinstance" | "hasattr" | "callable"), args=args):
            return outcome and bool(args) and dotted(args[0].value) == spelling
    return outcome and dotted(test) == spelling


def leaves(body: cst.BaseSuite | cst.SimpleStatementLine) -> bool:
    """Say whether a block or a line ends by leaving: with return, raise, continue or break."""
    last: cst.CSTNode | None = body.body[-1] if body.body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return isinstance(last, _LEAVES)


def _tests(test: cst.BaseExpression, body: cst.BaseExpression) -> bool:
    spelling = dotted(body)
    return spelling is not None and shows(test, spelling, True)


def _compares(
    left: cst.BaseExpression, target: cst.ComparisonTarget, spelling: str, outcome: bool
) -> bool:
    is_none = isinstance(target.comparator, cst.Name) and target.comparator.value == "None"
    subject = left.target if isinstance(left, cst.NamedExpr) else left
    if dotted(subject) != spelling:
        return False
    match target.operator:
        case cst.IsNot() | cst.NotEqual():
            return outcome if is_none else not outcome and never_none(target.comparator)
        case cst.Is() | cst.Equal():
            return not outcome if is_none else outcome and never_none(target.comparator)
    return False


def _on_branch(parent: cst.CSTNode, child: cst.CSTNode, spelling: str) -> bool:
    """Say whether ``child`` is reached only where a test of ``parent`` shows the value."""
    match parent:
        case (
            cst.If(test=test, body=body)
            | cst.While(test=test, body=body)
            | cst.IfExp(test=test, body=body)
        ):
            return child is not test and shows(test, spelling, child is body)
        case cst.BooleanOperation(left=left, operator=operator):
            return child is not left and shows(left, spelling, isinstance(operator, cst.And))
        case cst.BaseComp():
            return child is not parent.for_in and _filtered(parent.for_in, None, spelling)
        case cst.CompFor(iter=iter_):
            return child is not iter_ and _filtered(parent, child, spelling)
    return False


def _filtered(comp: cst.CompFor | None, before: cst.CSTNode | None, spelling: str) -> bool:
    while comp is not None:
        for condition in comp.ifs:
            if condition is before:
                return False
            if shows(condition.test, spelling, True):
                return True
        comp = comp.inner_for_in if before is None else None
    return False


def _before(parent: cst.CSTNode, child: cst.CSTNode, spelling: str) -> bool | None:
    """Return what the statements before ``child`` in its block show; None where they show nothing."""
    if not isinstance(parent, cst.IndentedBlock | cst.Module):
        return None
    for line in reversed([*until(parent.body, child)]):
        for statement in reversed(_parts(line)):
            known = _effect(statement, spelling)
            if known is not None:
                return known
    return None


def _effect(statement: cst.CSTNode, spelling: str) -> bool | None:
    match statement:
        case cst.Assert(test=test) if shows(test, spelling, True):
            return True
        case cst.If(test=test, body=body, orelse=None) if shows(test, spelling, False):
            if leaves(body):
                return True
            return _assigns(body, spelling)
        case (
            cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)
            | cst.AnnAssign(target=target, value=cst.BaseExpression() as value)
        ) if dotted(target) == spelling:
            return never_none(value)
    return False if changes(statement, spelling) else None


def _assigns(body: cst.BaseSuite, spelling: str) -> bool | None:
    effects = [_effect(part, spelling) for line in body.body for part in _parts(line)]
    return next((known for known in reversed(effects) if known is not None), None)


def _parts(line: cst.CSTNode) -> Sequence[cst.CSTNode]:
    if isinstance(line, cst.SimpleStatementLine):
        return [*line.body]
    return [line]
