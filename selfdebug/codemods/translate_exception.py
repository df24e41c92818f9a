"""TranslateException: what fails inside has a name of its own outside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import changed
from selfdebug.codemods._expected import expected, spelled
from selfdebug.codemods._insert import tried
from selfdebug.model import Site, Span
from selfdebug.syntax.bindings import FUNCTIONS, Function, dotted, nested, parameters
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import enclosing, function_region, parse
from selfdebug.syntax.source import Unreadable

_TRANSLATED = Variant(
    "translated", "root-cause", "raise what the function raises for bad input", prior=0.4
)
_FAULTS = frozenset(("NameError", "UnboundLocalError", "ImportError", "RecursionError"))
_FRAMES = 3  # looked at, from the inside out


class TranslateException(Codemod):
    """Turn what an operation raises into the exception that the function promises its callers.

    That is one that the function raises by itself elsewhere, and that a caller catches, or the test
    waits for.
    """

    DESCRIPTION = "Raise the function's own exception where an operation inside it fails."
    NAME = "translate-exception"
    ANSWERS = (Answer(("ValueError", "TypeError", "KeyError", "IndexError", "OSError")),)
    VARIANTS = (_TRANSLATED,)

    @classmethod
    def answers(cls, site: Site) -> bool:
        """Say whether the failure is of an operation, and not raised by the project on purpose."""
        name = site.exc_type.rpartition(".")[2]
        return site.node != "Raise" and name not in _FAULTS | {"AssertionError"}

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the innermost function on the way that raises what is waited for."""
        if not cls.answers(site):
            return
        outer = [
            (path, frame.line)
            for frame in reversed(site.callers[-_FRAMES:])
            for path in project.resolve(frame.file)[:1]
        ]
        for path, line in ((site.file, site.span.line), *outer):
            with suppress(Unreadable, OSError):
                module = read_module(path, project)
                function = _function(module, line)
                if function is None or project.is_test_file(path):
                    continue
                if _reraised(site, module, function, line, project):
                    tree = parse(function_region(module.source, module.tree, line))
                    where = Span(line, 0, line, len(module.source.line(line)))
                    yield Target(tree, replace(site, file=path, span=where), project)
                    return

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the failing statement in a ``try`` that raises what the function raises elsewhere."""
        tree, site = target.tree, target.site
        module = read_module(site.file, target.project)
        function = _function(module, site.span.line)
        caught = spelled(site.exc_type.rpartition(".")[2], module, target.project)
        statement = _statement(target)
        if function is None or caught is None or statement is None:
            return
        for code in _reraised(site, module, function, site.span.line, target.project):
            handler = f"except {caught}:\n    raise {code}\n"
            if any(_chains(node) for node in ast.walk(module.tree)) and "error" not in code:
                handler = f"except {caught} as error:\n    raise {code} from error\n"
            made = changed(tree, tried(tree, statement, handler))
            if made:
                why = f"callers wait for `{code.partition('(')[0]}`, which the function raises elsewhere"
                yield Rewrite(_TRANSLATED, made, why)


def _function(module: Module, line: int) -> Function | None:
    path = enclosing(module.tree, line)
    return next((each for each in reversed(path) if isinstance(each, FUNCTIONS)), None)


def _statement(target: Target) -> cst.BaseSmallStatement | None:
    """Return the simple statement on the site's line, unless a ``try`` holds it already."""
    tree, line = target.tree, target.site.span.line
    for node in tree.ranges:
        span = tree.span(node)
        if isinstance(node, cst.BaseSmallStatement) and span.line <= line <= span.end_line:
            around = [up for up in tree.ancestors(node) if isinstance(up, cst.Try | cst.TryStar)]
            return None if around else node
    return None


def _reraised(
    site: Site, module: Module, function: Function, line: int, project: Project
) -> tuple[str, ...]:
    """Return the one expression that the function raises, and that somebody waits for."""
    waited = {*expected(site, project), *_caught(site, project)}
    classes = _made(function)
    found: dict[str, str] = {}
    for stmt in nested(function.body):
        if isinstance(stmt, ast.Raise) and stmt.exc is not None:
            code = ast.get_source_segment(module.source.text, stmt.exc) or ""
            name = classes.get(code, dotted(_called(stmt.exc)))
            if name.rpartition(".")[2] in waited and _in_scope(stmt.exc, function, line):
                found.setdefault(name, code)
    codes = [code for code in found.values() if "\n" not in code]
    return (codes[0],) if len(found) == len(codes) == 1 else ()


def _called(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _made(function: Function) -> dict[str, str]:
    """Return the variables that the function gives an object made by a call, with what is called."""
    return {
        target.id: dotted(stmt.value.func)
        for stmt in nested(function.body)
        if isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Call)
        for target in stmt.targets
        if isinstance(target, ast.Name)
    }


def _in_scope(raised: ast.expr, function: Function, line: int) -> bool:
    """Say whether all variables of an expression are parameters, or bound above a line."""
    above = [stmt for stmt in nested(function.body) if (stmt.end_lineno or 0) < line]
    known = {arg.arg for arg in parameters(function)}
    known |= {
        node.id
        for stmt in above
        if isinstance(stmt, ast.Assign)
        for target in stmt.targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name)
    }
    local = {
        node.id
        for stmt in nested(function.body)
        for node in ast.walk(stmt)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    used = {node.id for node in ast.walk(raised) if isinstance(node, ast.Name)}
    return (used & local) <= known


def _caught(site: Site, project: Project) -> Iterator[str]:
    """Yield what the callers on the way catch around the call."""
    for frame in site.callers:
        for path in project.resolve(frame.file)[:1]:
            with suppress(Unreadable, OSError):
                module = read_module(path, project)
                for stmt in enclosing(module.tree, frame.line):
                    if isinstance(stmt, ast.Try) and _tries(stmt, frame.line):
                        yield from (name for each in stmt.handlers for name in _names(each))


def _tries(stmt: ast.Try, line: int) -> bool:
    return any(each.lineno <= line <= (each.end_lineno or 0) for each in stmt.body)


def _names(handler: ast.ExceptHandler) -> Iterator[str]:
    kind = handler.type
    for each in kind.elts if isinstance(kind, ast.Tuple) else [kind] if kind else []:
        name = dotted(each).rpartition(".")[2]
        if name not in ("", "Exception", "BaseException"):
            yield name


def _chains(node: ast.AST) -> bool:
    return isinstance(node, ast.Raise) and node.cause is not None


TranslateException.EXAMPLES = examples(
    """
translated: the test waits for what the function raises elsewhere
    class BadAmount(Exception):
        pass

    def amount(text):
        if not text:
            raise BadAmount(f"no amount: {text!r}")
        # cents
        value = «int(text)»
        return value
ValueError: invalid literal for int() with base 10: 'x'
called test_shop.py:5 amount
beside test_shop.py
    import pytest
    from shop import BadAmount, amount
    def test_letters():
        with pytest.raises(BadAmount):
            amount("x")
in shop.py
    class BadAmount(Exception):
        pass

    def amount(text):
        if not text:
            raise BadAmount(f"no amount: {text!r}")
        # cents
        try:
            value = int(text)
        except ValueError:
            raise BadAmount(f"no amount: {text!r}")
        return value

translated: a caller catches it; exceptions are chained here
    class BadAmount(Exception):
        pass

    def amount(text):
        if not text:
            raise BadAmount("no amount") from None
        return «int(text)»

    def total(lines):
        try:
            return sum(amount(line) for line in lines)
        except BadAmount:
            return 0
ValueError: invalid literal for int() with base 10: 'x'
called 11 amount
    class BadAmount(Exception):
        pass

    def amount(text):
        if not text:
            raise BadAmount("no amount") from None
        try:
            return int(text)
        except ValueError as error:
            raise BadAmount("no amount") from error

    def total(lines):
        try:
            return sum(amount(line) for line in lines)
        except BadAmount:
            return 0

translated: an exception that the function makes first
    def octets(address):
        wrong = AddressError(f"no address: {address}")
        parts = address.split(".")
        if len(parts) != 4:
            raise wrong
        return [«int(part)» for part in parts]

    class AddressError(Exception):
        pass

    def is_address(text):
        try:
            octets(text)
        except AddressError:
            return False
        return True
ValueError: invalid literal for int() with base 10: 'x'
called 13 octets
    def octets(address):
        wrong = AddressError(f"no address: {address}")
        parts = address.split(".")
        if len(parts) != 4:
            raise wrong
        try:
            return [int(part) for part in parts]
        except ValueError:
            raise wrong

    class AddressError(Exception):
        pass

    def is_address(text):
        try:
            octets(text)
        except AddressError:
            return False
        return True

not any: nobody waits for what the function raises
    def amount(text):
        if not text:
            raise BadAmount("no amount")
        return «int(text)»
ValueError: invalid literal for int() with base 10: 'x'
called test_shop.py:3 amount
beside test_shop.py
    from shop import amount
    def test_letters():
        assert amount("x") == 0

not any: the function raises nothing by itself
    def amount(text):
        return «int(text)»
ValueError: invalid literal for int() with base 10: 'x'
called test_shop.py:5 amount
beside test_shop.py
    import pytest
    from shop import BadAmount, amount
    def test_letters():
        with pytest.raises(BadAmount):
            amount("x")

not any: it is tried already
    def amount(text):
        if not text:
            raise BadAmount("no amount")
        try:
            return «int(text)»
        except TypeError:
            return 0
ValueError: invalid literal for int() with base 10: 'x'
called test_shop.py:5 amount
beside test_shop.py
    import pytest
    from shop import BadAmount, amount
    def test_letters():
        with pytest.raises(BadAmount):
            amount("x")

not any: what is raised needs a variable that is set below
    def amount(text):
        value = «int(text)»
        limit = LIMITS[value]
        if value > limit:
            raise BadAmount(f"more than {limit}")
        return value
ValueError: invalid literal for int() with base 10: 'x'
called test_shop.py:5 amount
beside test_shop.py
    import pytest
    from shop import BadAmount, amount
    def test_letters():
        with pytest.raises(BadAmount):
            amount("x")

not any: a name that does not exist is a mistake of the code itself
    def amount(text):
        if not text:
            raise BadAmount("no amount")
        return «integer»(text)
NameError: name 'integer' is not defined
called test_shop.py:5 amount
beside test_shop.py
    import pytest
    from shop import BadAmount, amount
    def test_letters():
        with pytest.raises(BadAmount):
            amount("x")
"""
)
