"""CircularImport: two modules that each need the other before it is ready."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples, target_at
from selfdebug.codemods._import import importing
from selfdebug.model import Edit, Site, Span
from selfdebug.syntax.bindings import FUNCTIONS, Function, dotted
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.project import Project

_TYPES = Variant("types-only", "root-cause", "import it for type checkers only", prior=0.85)
_LATER = Variant("when-called", "root-cause", "import it in the functions that use it", prior=0.6)
_MESSAGE = re.compile(
    r"cannot import name '\w+' from partially initialized module '(?P<module>[\w.]+)'"
)
_MOST = 3  # functions that get an import of their own


@dataclass(frozen=True)
class _Circle:
    """An import that closes a circle, and the names that it binds."""

    module: Module
    statement: ast.ImportFrom

    @property
    def names(self) -> dict[str, ast.alias]:
        """The names that the import binds."""
        return {alias.asname or alias.name: alias for alias in self.statement.names}


class CircularImport(Codemod):
    """Import what closes a circle where it is used: in functions, or for type checkers only."""

    DESCRIPTION = "Break a circle of imports where a name is used only later."
    NAME = "circular-import"
    ANSWERS = (Answer(("ImportError",), _MESSAGE.pattern),)
    VARIANTS = (_TYPES, _LATER)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the import that failed, and the one by which its module came to import this one."""
        if not project.is_test_file(site.file):
            yield target_at(site, project)
        message = _MESSAGE.search(site.message)
        other = project.module(message["module"]) if message else None
        for frame in reversed(site.callers) if other else ():
            if other is not None and Path(frame.file) == other and not project.is_test_file(other):
                here = Span(frame.line, 0, frame.line, 0)
                yield target_at(replace(site, file=other, span=here), project)
                return

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the import at the places that need it, if none does while the module is imported."""
        circle = _circle(target) if _MESSAGE.search(target.site.message) else None
        if circle is None:
            return
        module = circle.module.source.path.stem
        if _only_annotates(circle):
            edits = _for_types(circle)
            why = f"{module} needs {_list(circle)} in annotations only"
            yield Rewrite(_TYPES, target.tree.module, why, edits)
        elif edits := _in_functions(circle):
            why = f"{module} needs {_list(circle)} only when its functions run"
            yield Rewrite(_LATER, target.tree.module, why, edits)


def _circle(target: Target) -> _Circle | None:
    module = read_module(target.site.file, target.project)
    for stmt in module.tree.body:
        line, last = stmt.lineno, stmt.end_lineno or stmt.lineno
        if isinstance(stmt, ast.ImportFrom) and line <= target.site.span.line <= last:
            alone = not any(
                other is not stmt and other.lineno <= last and (other.end_lineno or 0) >= line
                for other in module.tree.body
            )
            remarks = "#" in module.source.slice(line, last)
            plain = stmt.module != "__future__" and stmt.names[0].name != "*"
            return _Circle(module, stmt) if alone and plain and not remarks else None
    return None


def _list(circle: _Circle) -> str:
    return ", ".join(f"`{name}`" for name in circle.names)


def _reads(node: ast.AST, names: dict[str, ast.alias]) -> list[str]:
    found = (each.id for each in ast.walk(node) if isinstance(each, ast.Name))
    return [name for name in found if name in names]


# --- in functions ---


def _in_functions(circle: _Circle) -> tuple[Edit, ...]:
    """Return the edits that import in each function what it uses; none where they are many."""
    tree = circle.module.tree
    functions = {each: _in_body(each, circle) for each in _outermost(tree.body)}
    using = {function: names for function, names in functions.items() if names}
    everywhere = len(_reads(tree, circle.names))
    if not using or len(using) > _MOST or sum(map(len, using.values())) != everywhere:
        return ()
    inner = [_at_top(circle, function, names) for function, names in using.items()]
    if any(edit is None for edit in inner):
        return ()
    return (_without(circle), *(edit for edit in inner if edit is not None))


def _outermost(body: list[ast.stmt]) -> Iterator[Function]:
    for stmt in body:
        if isinstance(stmt, FUNCTIONS):
            yield stmt
        elif isinstance(stmt, ast.ClassDef):
            yield from _outermost(stmt.body)


def _in_body(function: Function, circle: _Circle) -> list[str]:
    return [name for stmt in function.body for name in _reads(stmt, circle.names)]


def _at_top(circle: _Circle, function: Function, names: list[str]) -> Edit | None:
    """Return the edit that imports names at the top of a function, below its docstring."""
    source = circle.module.source
    documented = ast.get_docstring(function, clean=False) is not None
    body = function.body[1:] if documented else function.body
    if not body:
        return None
    first = min([body[0].lineno, *(d.lineno for d in getattr(body[0], "decorator_list", ()))])
    line = source.line(first)
    indent = line[: len(line) - len(line.lstrip())]
    if first == function.lineno or not indent:
        return None
    while source.line(first - 1).lstrip().startswith("#"):
        first -= 1
    aliases = [circle.names[name] for name in sorted(set(names))]
    code = _code(circle, aliases)
    start, newline = source.offset(first, 0), _newline(circle)
    # A docstring or the header stands right above: a blank line sets the import off from code.
    return source.edit(start, start, f"{indent}{code}{newline}{newline}")


def _code(circle: _Circle, aliases: list[ast.alias]) -> str:
    statement = circle.statement
    return ast.unparse(ast.ImportFrom(statement.module, aliases, statement.level))


def _newline(circle: _Circle) -> str:
    found = re.search(r"\r\n|\r|\n", circle.module.source.text)
    return found.group() if found else "\n"


def _without(circle: _Circle) -> Edit:
    """Return the edit that takes the import out, with the blank lines above if it stood alone."""
    source = circle.module.source
    first = circle.statement.lineno
    last = circle.statement.end_lineno or first
    if not source.line(last + 1).strip():
        while first > 1 and not source.line(first - 1).strip():
            first -= 1
        while first == 1 and last < source.lines and not source.line(last + 1).strip():
            last += 1
    start, end = source.offset(first, 0), source.offset(last + 1, 0)
    return source.edit(start, end, "")


# --- for type checkers ---


def _only_annotates(circle: _Circle) -> bool:
    """Say whether the names stand in annotations that are never evaluated, and nowhere else."""
    tree = circle.module.tree
    lazy = any(
        isinstance(stmt, ast.ImportFrom)
        and stmt.module == "__future__"
        and "annotations" in {alias.name for alias in stmt.names}
        for stmt in tree.body
    )
    annotated = [
        name
        for node in ast.walk(tree)
        for annotation in _annotations(node)
        for name in _reads(annotation, circle.names)
    ]
    return lazy and bool(annotated) and len(annotated) == len(_reads(tree, circle.names))


def _annotations(node: ast.AST) -> Iterator[ast.expr]:
    for field in ("annotation", "returns"):
        if isinstance(found := getattr(node, field, None), ast.expr):
            yield found


def _for_types(circle: _Circle) -> tuple[Edit, ...]:
    """Return the edits that put the import under ``if TYPE_CHECKING:``, below the other imports."""
    module = circle.module
    source, newline = module.source, _newline(circle)
    code = _code(circle, circle.statement.names)
    checked = importing(source.path, "from typing import TYPE_CHECKING", module.project)
    there = [
        stmt
        for stmt in module.tree.body
        if isinstance(stmt, ast.If) and dotted(stmt.test).endswith("TYPE_CHECKING")
    ]
    if there:
        line = there[0].body[-1].end_lineno or 0
        shown = source.line(there[0].body[0].lineno)
        indent = shown[: len(shown) - len(shown.lstrip())]
        added = f"{indent}{code}{newline}"
    else:
        imports = [
            stmt for stmt in module.tree.body if isinstance(stmt, ast.Import | ast.ImportFrom)
        ]
        line = imports[-1].end_lineno or 0
        added = f"{newline}if TYPE_CHECKING:{newline}{_indent(source.text)}{code}{newline}"
    start = source.offset(line + 1, 0)
    gone = _without(circle)
    return _joined([source.edit(start, start, added), gone, *((checked,) if checked else ())])


def _joined(edits: list[Edit]) -> tuple[Edit, ...]:
    """Return edits with those that touch made into one."""
    found: list[Edit] = []
    for edit in sorted(edits, key=lambda each: (each.start, each.end)):
        if found and found[-1].end == edit.start:
            last = found[-1]
            before, after = last.before + edit.before, last.after + edit.after
            found[-1] = replace(last, end=edit.end, before=before, after=after)
        else:
            found.append(edit)
    return tuple(found)


def _indent(text: str) -> str:
    found = re.search(r":[ \t]*(?:\r\n|\r|\n)([ \t]+)\S", text)
    return found.group(1) if found else "    "


CircularImport.EXAMPLES = examples(
    '''
when-called: a name that one function uses
in shop/order.py
    import json

    «from shop.invoice import Invoice»


    class Order:
        def invoice(self):
            """Return the invoice."""
            return Invoice(self)
ImportError: cannot import name 'Invoice' from partially initialized module 'shop.invoice'
beside shop/invoice.py
    from shop.order import Order

    class Invoice(Order): ...
in shop/order.py
    import json


    class Order:
        def invoice(self):
            """Return the invoice."""
            from shop.invoice import Invoice

            return Invoice(self)

when-called: each function imports what it uses
in shop/order.py
    import json
    «from .invoice import Invoice, send»
    import re

    def invoice(order):
        return Invoice(order)

    def remind(order):
        # Reminders are invoices.
        send(Invoice(order))
ImportError: cannot import name 'Invoice' from partially initialized module 'shop.invoice'
beside shop/invoice.py
    from shop.order import remind
in shop/order.py
    import json
    import re

    def invoice(order):
        from .invoice import Invoice

        return Invoice(order)

    def remind(order):
        from .invoice import Invoice, send

        # Reminders are invoices.
        send(Invoice(order))

types-only: a name in annotations
in shop/order.py
    from __future__ import annotations

    import json
    «from shop.invoice import Invoice»

    def show(invoice: Invoice) -> str:
        return json.dumps(invoice.lines)
ImportError: cannot import name 'Invoice' from partially initialized module 'shop.invoice'
beside shop/invoice.py
    from shop.order import show
in shop/order.py
    from __future__ import annotations

    import json
    from typing import TYPE_CHECKING

    if TYPE_CHECKING:
        from shop.invoice import Invoice

    def show(invoice: Invoice) -> str:
        return json.dumps(invoice.lines)

types-only: beside others for the type checker
in shop/order.py
    from __future__ import annotations
    from typing import TYPE_CHECKING
    «from shop.invoice import Invoice»

    if TYPE_CHECKING:
        from decimal import Decimal

    def show(invoice: Invoice) -> Decimal: ...
ImportError: cannot import name 'Invoice' from partially initialized module 'shop.invoice'
beside shop/invoice.py
    from shop.order import show
in shop/order.py
    from __future__ import annotations
    from typing import TYPE_CHECKING

    if TYPE_CHECKING:
        from decimal import Decimal
        from shop.invoice import Invoice

    def show(invoice: Invoice) -> Decimal: ...

not any: a class needs its base at once
in shop/order.py
    «from shop.invoice import Invoice»

    class Order(Invoice): ...
ImportError: cannot import name 'Invoice' from partially initialized module 'shop.invoice'
beside shop/invoice.py
    from shop.order import Order

not any: annotations are evaluated without the future import
in shop/order.py
    «from shop.invoice import Invoice»

    def show(invoice: Invoice): ...
ImportError: cannot import name 'Invoice' from partially initialized module 'shop.invoice'
beside shop/invoice.py
    from shop.order import show

not any: a name that is simply not there
in shop/order.py
    «from shop.invoice import Invoice»

    def show():
        return Invoice()
ImportError: cannot import name 'Invoice' from 'shop.invoice' (/home/ann/shop/invoice.py)
beside shop/invoice.py
    class Invoices: ...

not any: a function needs it as a default
in shop/order.py
    «from shop.invoice import Invoice»

    def show(kind=Invoice): ...
ImportError: cannot import name 'Invoice' from partially initialized module 'shop.invoice'
beside shop/invoice.py
    from shop.order import show

not any: all names of the module are imported
in shop/order.py
    «from shop.invoice import *»

    def show():
        return Invoice()
ImportError: cannot import name 'Invoice' from partially initialized module 'shop.invoice'
beside shop/invoice.py
    from shop.order import show

not any: a remark belongs to the import
in shop/order.py
    «from shop.invoice import Invoice»  # has to come first

    def show():
        return Invoice()
ImportError: cannot import name 'Invoice' from partially initialized module 'shop.invoice'
beside shop/invoice.py
    from shop.order import show
'''
)
