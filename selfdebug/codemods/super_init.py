"""SuperInit: an attribute is missing because the base class was never initialised."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._defined import defined_at, target_in
from selfdebug.codemods._edit import Change, changed
from selfdebug.codemods._insert import above, statements
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._signature import Signature, signature
from selfdebug.model import Site
from selfdebug.syntax.bindings import Function, assigned, methods_of, nested
from selfdebug.syntax.bindings import dotted as spelling
from selfdebug.syntax.modules import Definition, definitions
from selfdebug.syntax.project import Project

_INIT = Variant("init", "root-cause", "initialise the base class", prior=0.9)
_MISSING = re.compile(r"'(?:[\w.]+\.)?(?P<type>\w+)' object has no attribute '(?P<name>\w+)'")


class SuperInit(Codemod):
    """Call the base class's ``__init__`` where a class has its own and forgot it."""

    DESCRIPTION = "Initialise the base class."
    NAME = "super-init"
    ANSWERS = (Answer(("AttributeError",), _MISSING.pattern),)
    VARIANTS = (_INIT,)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the ``__init__`` of the class that lacks what its base would have set."""
        found = _MISSING.search(site.message)
        for each in definitions(found["type"], project) if found else ():
            own = _initialiser(each)
            if own is not None and found and _base_of(each, found["name"], project):
                yield target_in(own, each.module, site, project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the ``__init__`` with a call of the base's, given its own parameters by name."""
        function = defined_at(target.tree, target.site.span.line)
        found = _MISSING.search(target.site.message)
        if function is None or found is None or _calls_base(function):
            return
        for each in definitions(found["type"], target.project):
            base = _base_of(each, found["name"], target.project)
            change = base and _calling(target, function, base)
            module = change and changed(target.tree, change)
            if base and module:
                name = base.qualname.partition(".")[0]
                yield Rewrite(
                    _INIT, module, f"`{name}.__init__` sets `{found['name']}`, and was not called"
                )


def _initialiser(found: Definition) -> Function | None:
    if not isinstance(found.node, ast.ClassDef):
        return None
    return next((each for each in methods_of(found.node) if each.name == "__init__"), None)


def _base_of(
    found: Definition, attribute: str, project: Project, seen: frozenset[str] = frozenset()
) -> Definition | None:
    """Return the ``__init__`` of the first of a class's bases, near or far, that sets an attribute."""
    for base in found.node.bases if isinstance(found.node, ast.ClassDef) else ():
        name = spelling(base).rpartition(".")[2]
        for each in definitions(name, project) if name not in {"", *seen} else ():
            own = next(iter(definitions(f"{name}.__init__", project)), None)
            if own is None:
                return _base_of(each, attribute, project, seen | {name})
            assert not isinstance(own.node, ast.ClassDef)
            body = nested(own.node.body)
            if any(assigned(stmt, f"self.{attribute}") is not None for stmt in body):
                return own
    return None


def _calls_base(function: cst.FunctionDef) -> bool:
    return "__init__" in map(last_of, _called(function.body))


def _called(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    for child in node.children:
        if isinstance(child, cst.Call):
            yield child.func
        yield from _called(child)


def _calling(target: Target, function: cst.FunctionDef, base: Definition) -> Change | None:
    takes, first = signature(base), _first(function)
    arguments = None if takes is None else _arguments(function, takes)
    if arguments is None or first is None:
        return None
    line = f"super().__init__({', '.join(arguments)})\n"
    return above(target.tree, first, statements(target.tree, line, first))


def _arguments(function: cst.FunctionDef, takes: Signature) -> list[str] | None:
    """Return the arguments of the parameters' names; None where a required one is not at hand."""
    params = function.params
    own = {each.name.value for each in (*params.params, *params.kwonly_params)}
    if not takes.required <= own:
        return None
    arguments: list[str] = []
    for name in takes.positional:
        if name in own:
            at_its_place = len(arguments) == takes.positional.index(name)
            arguments.append(name if at_its_place else f"{name}={name}")
    return arguments + [f"{name}={name}" for name in takes.keyword_only if name in own]


def _first(function: cst.FunctionDef) -> cst.CSTNode | None:
    """Return the statement above which the call goes: the first after a docstring."""
    documented = function.get_docstring() is not None
    body = function.body.body[documented:]
    if not body:
        return None
    return body[0].body[0] if isinstance(body[0], cst.SimpleStatementLine) else body[0]


SuperInit.EXAMPLES = examples(
    """
init: the base sets it up
    class Repository:
        def __init__(self):
            self.rows = {}

        def add(self, key, row):
            «self».rows[key] = row

    class Orders(Repository):
        def __init__(self, currency):
            self.currency = currency
AttributeError: 'Orders' object has no attribute 'rows'
    class Repository:
        def __init__(self):
            self.rows = {}

        def add(self, key, row):
            self.rows[key] = row

    class Orders(Repository):
        def __init__(self, currency):
            super().__init__()
            self.currency = currency

init: its parameters are passed on, in another file
in shop/models.py
    from shop.base import Model

    class Order(Model):
        def __init__(self, number, lines, name):
            \"\"\"An order of some lines.\"\"\"
            # Sorted by price.
            self.lines = sorted(lines)

        def label(self):
            return «self».number
AttributeError: 'Order' object has no attribute 'number'
beside shop/base.py
    class Model:
        def __init__(self, number, note="", name=""):
            self.number = number
            self.name = name
in shop/models.py
    from shop.base import Model

    class Order(Model):
        def __init__(self, number, lines, name):
            \"\"\"An order of some lines.\"\"\"
            super().__init__(number, name=name)
            # Sorted by price.
            self.lines = sorted(lines)

        def label(self):
            return self.number

not any: the base needs what is not at hand
    class Model:
        def __init__(self, number):
            self.number = number

    class Order(Model):
        def __init__(self, lines):
            self.lines = lines

        def label(self):
            return «self».number
AttributeError: 'Order' object has no attribute 'number'

not any: the base is initialised
    class Model:
        def __init__(self, number):
            self.number = number

    class Order(Model):
        def __init__(self, number):
            print(«self».number)
            super().__init__(number)
AttributeError: 'Order' object has no attribute 'number'

not any: no base sets it
    class Model:
        def __init__(self, number):
            self.number = number

    class Order(Model):
        def __init__(self, number):
            print(«self».lines)
AttributeError: 'Order' object has no attribute 'lines'
"""
)
