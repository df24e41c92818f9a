"""A neutral value for a variable, at the assignment or the parameter that brought the None."""

from __future__ import annotations

import libcst as cst

from selfdebug.codemods._checks import never_none, shows
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._insert import above, below, statements
from selfdebug.codemods._names import changes, dotted
from selfdebug.codemods._neutral import mutates, neutral, owner
from selfdebug.codemods._place import first_statement, place
from selfdebug.codemods._style import quoted
from selfdebug.codemods._use import use_of, uses
from selfdebug.syntax.region import Tree

_BINDING = (cst.For, cst.While, cst.Try, cst.TryStar, cst.With)


def filling(tree: Tree, bad: cst.BaseExpression, message: str) -> Change | None:
    """Return the change that fills a variable where the function gets it.

    The type has to be evident: all that the function does with the variable fits it.
    """
    where = place(tree, bad)
    if not isinstance(bad, cst.Name) or where.function is None or where.inner:
        return None
    literal = _evident(tree, bad, where.function, message)
    text = literal and quoted(tree, where.function, literal)
    if text is None:
        return None
    fill = f"if {bad.value} is None:\n    {bad.value} = {text}\n"
    found = _last_change(tree, bad, where.function)
    if found is None:
        top = first_statement(where.function)
        optional = top is not None and takes_none(tree, where.function, bad.value)
        return above(tree, top, statements(tree, fill, top)) if top and optional else None
    value = _assigned(found, bad.value)
    if value is None or never_none(value) or dotted(value) == "None":
        return None
    if any(mutates(tree, each) for each in uses(tree, bad.value, where.function)):
        # ``or`` would swap an empty object that others hold for a new one.
        assert isinstance(found, cst.BaseSmallStatement)
        return below(tree, found, statements(tree, fill, found))
    return replaced(tree, value, lambda updated: expression(f"OLD or {text}", OLD=updated))


def _evident(tree: Tree, bad: cst.Name, function: cst.FunctionDef, message: str) -> str | None:
    """Return the neutral value that every use of a variable allows; None where they disagree."""
    found: set[str] = set()
    for each in uses(tree, bad.value, function.body):
        if use_of(tree, each) is None:
            if _is_tested(tree, each):
                return None
            continue
        literal = neutral(tree, each, message if each is bad else "") or owner(tree, each)
        if literal is None:
            return None
        found.add(literal)
    found = found - {"()"} if len(found) > 1 else found
    return {"()": "[]"}.get(literal := found.pop(), literal) if len(found) == 1 else None


def _is_tested(tree: Tree, node: cst.BaseExpression) -> bool:
    """Say whether the code makes a difference between None and other values here."""
    parent = tree.parents[node]
    return isinstance(parent, cst.Comparison) and (
        shows(parent, dotted(node) or "", True) or shows(parent, dotted(node) or "", False)
    )


def _last_change(tree: Tree, node: cst.Name, function: cst.FunctionDef) -> cst.CSTNode | None:
    """Return the statement before a use that last changed the variable; None for none."""
    child: cst.CSTNode = node
    for parent in tree.ancestors(node):
        if parent is function:
            return None
        if isinstance(parent, cst.IndentedBlock):
            place_ = next(i for i, line in enumerate(parent.body) if line is child)
            for line in reversed(parent.body[:place_]):
                parts = line.body if isinstance(line, cst.SimpleStatementLine) else [line]
                for part in reversed(parts):
                    if changes(part, node.value):
                        return part
        if isinstance(parent, _BINDING) and changes(parent, node.value):
            return parent
        child = parent
    return None


def _assigned(statement: cst.CSTNode, name: str) -> cst.BaseExpression | None:
    match statement:
        case (
            cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)
            | cst.AnnAssign(target=target, value=cst.BaseExpression() as value)
        ) if dotted(target) == name:
            return value
    return None


def takes_none(tree: Tree, function: cst.FunctionDef, name: str) -> bool:
    """Say whether a parameter is declared to take None, by default or by annotation."""
    params = function.params
    for each in (*params.posonly_params, *params.params, *params.kwonly_params):
        if each.name.value == name:
            default = each.default is not None and dotted(each.default) == "None"
            annotation = tree.code(each.annotation) if each.annotation else ""
            return default or "None" in annotation or "Optional" in annotation
    return False
