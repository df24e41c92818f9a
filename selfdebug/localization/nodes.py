"""From a line, a span and a message to the libcst node that failed and the operand that was wrong.

The operations that can have raised the message (``messages.py``) are collected in the order in which
Python evaluates them, and narrowed down: by the span that CPython 3.11 and later records, else by
the line; then by what the variables held.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache

import libcst as cst

from selfdebug.localization.messages import NONE, Operand, Reading, readings
from selfdebug.model import Span, Value
from selfdebug.syntax.region import Tree, line_region, parse, statement_region
from selfdebug.syntax.source import Source, Unreadable


@dataclass(frozen=True)
class Clues:
    """What a frame tells about the operation in its line that failed.

    ``deeper`` says that the exception was raised in code that the line called.
    """

    line: int
    exc_type: str
    message: str
    span: Span | None = None
    function: str | None = None
    locals: Mapping[str, Value] = field(default_factory=dict)
    deeper: bool = False


@dataclass(frozen=True, eq=False)
class Suspect:
    """An operation that may have failed, and its operand that may have been wrong."""

    node: cst.CSTNode
    operand: Operand = field(default_factory=lambda: Operand(None))
    certain: bool = True

    @property
    def bad(self) -> cst.BaseExpression | None:
        """The expression whose value was wrong."""
        return self.operand.expression


def cut(source: Source, tree: ast.Module, line: int) -> Tree:
    """Parse the least of a file that holds the code of a line. Raises Unreadable."""
    try:
        return parse(line_region(source, tree, line))
    except Unreadable:
        return parse(statement_region(source, tree, line))


def suspects(tree: Tree, clues: Clues) -> tuple[Suspect, ...]:
    """Return the operations that may have failed, best first; the only one is certain."""
    scope = _scope(tree, clues.function)
    for reading in readings(clues.exc_type, clues.message, deeper=clues.deeper):
        if found := _narrowed(tree, scope, clues, reading):
            return found
    node = _node_at(tree, clues)
    return () if node is None else (Suspect(node),)


def _narrowed(
    tree: Tree, scope: list[cst.CSTNode], clues: Clues, reading: Reading
) -> tuple[Suspect, ...]:
    every = (Suspect(node, operand) for node in scope for operand in reading.operands(node))
    judged = {each: _held(each.operand, clues.locals, reading.type or NONE) for each in every}
    if reading.rule.held:
        found = [each for each, held in judged.items() if held]
    else:
        found = [each for each, held in judged.items() if held is not False or not reading.type]
    found = _by_span(tree, clues.span, found) if clues.span else _by_line(tree, clues.line, found)
    found = _first(found, lambda each: each.operand.strong)
    return _ranked(found, judged)


def _first(found: list[Suspect], *tests: Callable[[Suspect], bool]) -> list[Suspect]:
    """Keep those that pass the first test that any passes; all where none passes any."""
    for test in tests:
        if kept := [each for each in found if test(each)]:
            return kept
    return found


def _by_span(tree: Tree, span: Span, found: list[Suspect]) -> list[Suspect]:
    def exact(each: Suspect) -> bool:
        return span in (tree.span(each.node), each.bad and tree.span(each.bad))

    def around(each: Suspect) -> bool:
        return _within(span, tree.span(each.node)) and tree.span(each.node) == least

    def inside(each: Suspect) -> bool:
        return _within(tree.span(each.node), span)

    holding = [tree.span(each.node) for each in found if _within(span, tree.span(each.node))]
    least = min(holding, key=_size, default=None)
    return _first(found, exact, around, inside)


def _by_line(tree: Tree, line: int, found: list[Suspect]) -> list[Suspect]:
    def own(each: Suspect) -> bool:
        named = each.node.attr if isinstance(each.node, cst.Attribute) else each.node
        return line in (tree.span(each.node).line, tree.span(named).line)

    def covers(each: Suspect) -> bool:
        span = tree.span(each.node)
        return span.line <= line <= span.end_line

    return _first(found, own, covers)


def _ranked(found: list[Suspect], judged: Mapping[Suspect, bool | None]) -> tuple[Suspect, ...]:
    """Put first what is known to have held the wrong value: that is certain, and so is an only one."""
    ranked = sorted(found, key=lambda each: not judged[each])
    return tuple(
        replace(each, certain=at == 0 and (len(ranked) == 1 or judged[each] is True))
        for at, each in enumerate(ranked)
    )


def _held(operand: Operand, values: Mapping[str, Value], kind: str) -> bool | None:
    """Say whether an operand held a value of a class; None where nothing tells."""
    node = operand.expression
    if node is None or operand.holds:
        return None
    value = values.get(dotted(node))
    if value is not None:
        return value.type.rpartition(".")[2] == kind.rpartition(".")[2]
    if kind != NONE:
        return None
    if isinstance(node, cst.Name) and node.value == "None":
        return True
    return False if never_none(node) else None


def dotted(node: cst.CSTNode) -> str:
    """Return ``a.b.c`` for a name and its attributes; "" for any other expression."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute) and (start := dotted(node.value)):
        return f"{start}.{node.attr.value}"
    return ""


def never_none(node: cst.CSTNode) -> bool:
    """Say whether an expression cannot be None, whatever its parts are."""
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Name) and node.func.value in _NEVER_NONE
    return isinstance(node, _VALUES)


_VALUES = (
    *(cst.BaseString, cst.BaseNumber, cst.Tuple, cst.List, cst.Set, cst.Dict, cst.BaseComp),
    *(cst.Comparison, cst.Lambda),
)
_NEVER_NONE = frozenset(
    (
        *(
            "abs",
            "all",
            "any",
            "bool",
            "bytes",
            "dict",
            "enumerate",
            "float",
            "format",
            "frozenset",
        ),
        *("hash", "id", "int", "isinstance", "iter", "len", "list", "map", "ord", "chr", "range"),
        *("repr", "reversed", "round", "set", "sorted", "str", "tuple", "type", "zip", "filter"),
    )
)


# --- order of evaluation ---

_SCOPES: Mapping[str, type[cst.CSTNode]] = {
    "<lambda>": cst.Lambda,
    "<genexpr>": cst.GeneratorExp,
    "<listcomp>": cst.ListComp,
    "<setcomp>": cst.SetComp,
    "<dictcomp>": cst.DictComp,
}
_ORDER: Mapping[type[cst.CSTNode], tuple[str, ...]] = {
    cst.AnnAssign: ("value", "target", "annotation"),
    cst.Assign: ("value", "targets"),
    cst.CompFor: ("iter", "target"),
    cst.DictComp: ("for_in", "key", "value"),
    cst.For: ("iter", "target"),
    cst.GeneratorExp: ("for_in", "elt"),
    cst.IfExp: ("test", "body", "orelse"),
    cst.ListComp: ("for_in", "elt"),
    cst.NamedExpr: ("value", "target"),
    cst.SetComp: ("for_in", "elt"),
}
"""Where Python does not evaluate the parts of a node in the order of the text."""
_LATER: Mapping[type[cst.CSTNode], tuple[str, ...]] = {
    cst.CompFor: ("ifs", "inner_for_in"),
    cst.For: ("body", "orelse"),
}
"""The parts that come after what the node itself does."""
_SILENT = (
    *("comma", "dot", "equal", "footer", "header", "lbracket", "leading", "lines_", "lpar"),
    *("operator", "rbracket", "rpar", "semicolon", "trailing", "whitespace"),
)
"""How the names of fields begin that hold no code to evaluate."""


@cache
def _parts(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    names = (each.name for each in fields(kind))
    return _ORDER.get(kind) or tuple(name for name in names if not name.startswith(_SILENT))


def evaluated(node: cst.CSTNode) -> list[cst.CSTNode]:
    """Return a node and its parts in the order in which Python evaluates them."""
    found: list[cst.CSTNode] = []
    _evaluate(node, found)
    return found


def _evaluate(node: cst.CSTNode, found: list[cst.CSTNode]) -> None:
    _evaluate_parts(node, _parts(type(node)), found)
    found.append(node)
    _evaluate_parts(node, _LATER.get(type(node), ()), found)


def _evaluate_parts(node: cst.CSTNode, names: tuple[str, ...], found: list[cst.CSTNode]) -> None:
    for name in names:
        part = getattr(node, name)
        if isinstance(part, cst.CSTNode):
            _evaluate(part, found)
        elif isinstance(part, list | tuple):
            for each in part:
                _evaluate(each, found)


def _scope(tree: Tree, function: str | None) -> list[cst.CSTNode]:
    """Return the nodes that run in a frame: those of the lambda or comprehension it is named after."""
    nodes = evaluated(tree.module)
    kind = _SCOPES.get((function or "").rpartition(".")[2])
    if kind is None:
        return nodes
    inner = [part for node in nodes if isinstance(node, kind) for part in evaluated(node)]
    return list(dict.fromkeys(inner)) or nodes


# --- places ---


def _node_at(tree: Tree, clues: Clues) -> cst.CSTNode | None:
    """Return the expression that a span marks, or the statement that a line belongs to."""
    nodes = [node for node in evaluated(tree.module) if isinstance(node, _NAMED)]
    if clues.span is not None:
        span = _bare(tree, clues.span)
        around = [node for node in nodes if _within(span, tree.span(node))]
        if around:
            least = min(_size(tree.span(node)) for node in around)
            return next(node for node in around if _size(tree.span(node)) == least)
    statements = [node for node in nodes if not isinstance(node, cst.BaseExpression)]
    here = [
        node
        for node in statements
        if tree.span(node).line <= clues.line <= tree.span(node).end_line
    ]
    return min(here, key=lambda node: _size(tree.span(node)), default=None)


_NAMED = (cst.BaseExpression, cst.BaseSmallStatement, cst.BaseCompoundStatement)


def _bare(tree: Tree, span: Span) -> Span:
    """Return a span without the parentheses that CPython counts as part of a tuple or generator."""
    source = tree.region.source
    start = source.offset(span.line, span.column)
    end = source.offset(span.end_line, span.end_column)
    text = source.text[start:end]
    if tree.at(span) or not (text.startswith("(") and text.endswith(")")):
        return span
    inner = text[1:-1]
    start += 1 + len(inner) - len(inner.lstrip())
    end -= 1 + len(inner) - len(inner.rstrip())
    return Span(*source.position(start), *source.position(end))


def _within(inner: Span, outer: Span) -> bool:
    return (outer.line, outer.column) <= (inner.line, inner.column) and (
        (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    )


def _size(span: Span) -> tuple[int, int]:
    return span.end_line - span.line, span.end_column - span.column
