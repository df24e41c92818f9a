"""Probes put into code, on the lines that are there, and taken out again.

No line is added, so that every line keeps its number::

    with __import__("selfdebug_probe").caught(S): __import__("selfdebug_probe").before(S); total += 1
    if __import__("selfdebug_probe").before(S)(__import__("selfdebug_probe").catching(S)(cart.open)):
    return __import__("selfdebug_probe").value(AT, S, user).name

``S`` names the place and the code, ``AT`` where the probe begins that a value belongs to. The module
``selfdebug_probe`` is in the folder ``RUNTIME``. A ``with`` catches in a line of its own; header
expressions and one-line suites, where no statement fits, have an expression watch itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import libcst as cst

from selfdebug.codemods._edit import changed
from selfdebug.codemods._evaluated import Evaluated, evaluated, is_constant
from selfdebug.model import Span
from selfdebug.syntax.region import Tree

RUNTIME = Path(__file__).parents[1] / "_runtime"
"""The folder to put on the ``PYTHONPATH`` of a program with probes."""

What: TypeAlias = Literal["before", "values", "caught"]
Body: TypeAlias = cst.SimpleStatementLine | cst.SimpleStatementSuite
_MODULE = "selfdebug_probe"
_CODE = 60  # characters of code that a probe carries
_COMMA_PRONE = (cst.Tuple, cst.Yield, cst.GeneratorExp)
"""What needs parentheses as an argument: it gets a pair more, and loses one on the way out."""


def probed(tree: Tree, lines: Collection[int], what: Collection[What]) -> cst.Module | None:
    """Return the module with probes in the statements on these lines; None where nothing can be seen.

    Of a compound statement, the header is its line. Statements with probes stay as they are.
    """
    plan = _Plan(tree, what)
    for node in tree.ranges:
        if isinstance(node, cst.SimpleStatementLine | cst.SimpleStatementSuite):
            span = _body_span(tree, node)
            if any(span.line <= line <= span.end_line for line in lines) and plan.is_new(node):
                plan.body(node, span)
        elif expressions := tuple(_header(node)):
            first, last = _header_lines(tree, node, expressions)
            if any(first <= line <= last for line in lines):
                for expression in filter(plan.is_new, expressions):
                    plan.expression(expression)
    return changed(tree, plan.change) if plan.change else None


def without_probes(module: cst.Module) -> cst.Module:
    """Return the module as it was before probes were put in."""
    return module.visit(_Removal())


# --- where ---


def _header(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Yield the expressions that a compound statement evaluates before its body.

    Before Python 3.9 a decorator is a dotted name and a call at most, so only arguments are taken. A
    constant test is left out: the compiler knows that ``while True`` has no end.
    """
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        calls = (each.decorator for each in node.decorators)
        yield from (arg.value for call in calls if isinstance(call, cst.Call) for arg in call.args)
    if isinstance(node, cst.FunctionDef):
        groups = (node.params.posonly_params, node.params.params, node.params.kwonly_params)
        yield from (each.default for group in groups for each in group if each.default is not None)
    elif isinstance(node, cst.ClassDef):
        yield from (arg.value for arg in (*node.bases, *node.keywords))
    elif isinstance(node, cst.With):
        yield from (item.item for item in node.items)
    else:
        name = _HEADERS.get(type(node))
        expression = None if name is None else getattr(node, name)
        folded = isinstance(node, cst.If | cst.While) and is_constant(expression)
        if isinstance(expression, cst.BaseExpression) and not folded:
            yield expression


_HEADERS: dict[type[cst.CSTNode], str] = {
    cst.If: "test",
    cst.While: "test",
    cst.For: "iter",
    cst.ExceptHandler: "type",
    cst.ExceptStarHandler: "type",
    cst.Match: "subject",
    cst.MatchCase: "guard",
}


def _header_lines(
    tree: Tree, node: cst.CSTNode, expressions: Sequence[cst.BaseExpression]
) -> tuple[int, int]:
    decorators: Sequence[cst.Decorator] = getattr(node, "decorators", ())
    spans = [tree.span(each) for each in (*decorators, *expressions)]
    start = tree.span(node).line
    return min(start, *(span.line for span in spans)), max(
        start, *(span.end_line for span in spans)
    )


def _body_span(tree: Tree, body: Body) -> Span:
    first, last = tree.span(body.body[0]), tree.span(body.body[-1])
    return Span(first.line, first.column, last.end_line, last.end_column)


def _pinned(body: Body) -> int:
    """Count the statements that must come first in their block: docstring and ``__future__`` imports."""
    first = body.body[0]
    docstring = isinstance(first, cst.Expr) and isinstance(
        first.value, cst.SimpleString | cst.ConcatenatedString
    )
    future = [_is_future(each) for each in body.body]
    return len(future) - future[::-1].index(True) if True in future else int(docstring)


def _is_future(statement: cst.BaseSmallStatement) -> bool:
    match statement:
        case cst.ImportFrom(module=cst.Name(value="__future__")):
            return True
    return False


# --- putting in ---


class _Plan:
    """What becomes of the nodes of a tree; changes of one node are made in the order given."""

    def __init__(self, tree: Tree, what: Collection[What]) -> None:
        self.tree, self.what = tree, what
        self.change: dict[cst.CSTNode, Callable[[Any], cst.CSTNode]] = {}

    def is_new(self, node: cst.CSTNode) -> bool:
        """Whether no probe is in it; of a one-line suite, in all its line."""
        line = self.tree.parents[node] if isinstance(node, cst.SimpleStatementSuite) else node
        return _MODULE not in self.tree.code(line)

    def body(self, body: Body, span: Span) -> None:
        """Probe the simple statements of one line."""
        pinned = _pinned(body)
        if pinned == len(body.body):
            return
        for statement in body.body:
            self.values(statement, f"{span.line}:{span.column}")
        alone = isinstance(body, cst.SimpleStatementLine) and not pinned
        spec = self.spec(span)
        if "caught" in self.what and not alone:
            self.then(body, lambda line: _led(line, pinned, _call("catching", spec)))
        if "before" in self.what:
            self.then(body, lambda line: _led(line, pinned, _call("before", spec)))
        if "caught" in self.what and alone:
            self.then(body, lambda line: _guarded(line, _call("caught", spec)))

    def expression(self, node: cst.BaseExpression) -> None:
        """Probe an expression of a header."""
        self.values(node, self.at(node))
        self.whole(node)

    def values(self, code: cst.CSTNode, at: str) -> None:
        deferred: dict[cst.CSTNode, Evaluated] = {}
        for each in evaluated(code):
            if each.root is not code:
                deferred.setdefault(each.root, each)
            if "values" in self.what:
                self.value(each, at if each.root is code else self.at(each.root))
        for root, inner in deferred.items():
            assert isinstance(root, cst.BaseExpression)
            self.whole(root, inner.quotes)

    def value(self, each: Evaluated, at: str) -> None:
        quote = _quote(each.quotes)
        if quote is not None:
            spec = self.spec(self.tree.span(each.node), each.quotes)
            self.around(each.node, lambda node: _call("value", at, spec, node, quote=quote))

    def whole(self, node: cst.BaseExpression, quotes: Collection[str] = ()) -> None:
        """Have an expression itself say that it begins, and that it fails."""
        quote = _quote(quotes)
        if quote is None:
            return
        spec = self.spec(self.tree.span(node), quotes)
        if "caught" in self.what:
            self.around(node, lambda inner: _applied("catching", spec, inner, quote))
        if "before" in self.what:
            self.around(node, lambda inner: _applied("before", spec, inner, quote))

    def around(
        self, node: cst.BaseExpression, make: Callable[[cst.BaseExpression], cst.Call]
    ) -> None:
        # Where the old code needed no space before it, the new code begins with a parenthesis too.
        bare = not node.lpar and re.match(r"\w", self.tree.code(node)) is not None
        lpar = [] if bare else [cst.LeftParen()]
        rpar = [] if bare else [cst.RightParen()]
        self.then(node, lambda inner: make(inner).with_changes(lpar=lpar, rpar=rpar))

    def then(self, node: cst.CSTNode, make: Callable[[Any], cst.CSTNode]) -> None:
        earlier = self.change.get(node)
        self.change[node] = make if earlier is None else lambda inner: make(earlier(inner))

    def at(self, node: cst.CSTNode) -> str:
        span = self.tree.span(node)
        return f"{span.line}:{span.column}"

    def spec(self, span: Span, quotes: Collection[str] = ()) -> str:
        place = f"{span.line}:{span.column}-{span.end_line}:{span.end_column}"
        code = " ".join(self.tree.region.source.between(span).split())
        if quotes and not re.fullmatch(r"[\w. ()\[\],]*", code):
            return place
        return f"{place} {code if len(code) <= _CODE else code[: _CODE - 3] + '...'}"


def _quote(quotes: Collection[str]) -> str | None:
    return next((each for each in "\"'" if each not in quotes), None)


def _call(name: str, *args: str | cst.BaseExpression, quote: str = '"') -> cst.Call:
    hook = cst.Call(cst.Name("__import__"), [cst.Arg(_string(_MODULE, quote))])
    values = [_string(arg, quote) if isinstance(arg, str) else arg for arg in args]
    return cst.Call(cst.Attribute(hook, cst.Name(name)), [cst.Arg(value) for value in values])


def _string(text: str, quote: str) -> cst.SimpleString:
    plain = quote not in text and "\\" not in text and text.isprintable()
    return cst.SimpleString(f"{quote}{text}{quote}" if plain else repr(text))


def _applied(name: str, spec: str, node: cst.BaseExpression, quote: str) -> cst.Call:
    if isinstance(node, _COMMA_PRONE):
        node = node.with_changes(
            lpar=[cst.LeftParen(), *node.lpar], rpar=[*node.rpar, cst.RightParen()]
        )
    return cst.Call(_call(name, spec, quote=quote), [cst.Arg(node)])


def _led(body: Body, pinned: int, call: cst.Call) -> Body:
    semicolon = cst.Semicolon(whitespace_after=cst.SimpleWhitespace(" "))
    new = [*body.body[:pinned], cst.Expr(call, semicolon), *body.body[pinned:]]
    return body.with_changes(body=new)


def _guarded(line: cst.SimpleStatementLine, call: cst.Call) -> cst.With:
    suite = cst.SimpleStatementSuite(line.body, trailing_whitespace=line.trailing_whitespace)
    return cst.With([cst.WithItem(call)], suite, leading_lines=line.leading_lines)


# --- taking out ---


def _is_probe(node: cst.CSTNode, *names: str) -> bool:
    match node:
        case cst.Call(
            func=cst.Attribute(
                value=cst.Call(
                    func=cst.Name(value="__import__"),
                    args=[cst.Arg(value=cst.SimpleString(value=module))],
                ),
                attr=cst.Name(value=name),
            )
        ):
            return module[1:-1] == _MODULE and name in names
    return False


class _Removal(cst.CSTTransformer):
    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        if _is_probe(original_node, "value"):
            return updated_node.args[-1].value
        if not _is_probe(original_node.func, "before", "catching"):
            return updated_node
        inner = updated_node.args[0].value
        if isinstance(original_node.args[0].value, _COMMA_PRONE):
            return inner.with_changes(lpar=inner.lpar[1:], rpar=inner.rpar[:-1])
        return inner

    def leave_With(
        self, original_node: cst.With, updated_node: cst.With
    ) -> cst.With | cst.SimpleStatementLine:
        suite = updated_node.body
        if not (
            _is_probe(original_node.items[0].item, "caught")
            and isinstance(suite, cst.SimpleStatementSuite)
        ):
            return updated_node
        return cst.SimpleStatementLine(
            suite.body, updated_node.leading_lines, suite.trailing_whitespace
        )

    def leave_SimpleStatementLine(
        self,
        original_node: cst.SimpleStatementLine,  # noqa: ARG002
        updated_node: cst.SimpleStatementLine,
    ) -> cst.SimpleStatementLine:
        return updated_node.with_changes(body=_own(updated_node.body))

    def leave_SimpleStatementSuite(
        self,
        original_node: cst.SimpleStatementSuite,  # noqa: ARG002
        updated_node: cst.SimpleStatementSuite,
    ) -> cst.SimpleStatementSuite:
        return updated_node.with_changes(body=_own(updated_node.body))


def _own(body: Sequence[cst.BaseSmallStatement]) -> list[cst.BaseSmallStatement]:
    return [each for each in body if not (isinstance(each, cst.Expr) and _leads(each.value))]


def _leads(node: cst.BaseExpression) -> bool:
    return _is_probe(node, "before", "catching")
