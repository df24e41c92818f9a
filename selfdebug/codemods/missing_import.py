"""MissingImport: a name that the file uses and does not import."""

from __future__ import annotations

import ast
import builtins
import itertools
import re
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._import import importing
from selfdebug.codemods._library import library_module, modules_with
from selfdebug.codemods._rename import name_at
from selfdebug.syntax.bindings import dotted, nested
from selfdebug.syntax.modules import Module, definitions, import_name, imports_of, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree
from selfdebug.syntax.scopes import bound_names, names_at
from selfdebug.syntax.source import Unreadable

_AS_ELSEWHERE = Variant("as-elsewhere", "root-cause", "import it as other files do", prior=0.85)
_OWN = Variant("own", "root-cause", "import it from the project's module that has it", prior=0.8)
_LIBRARY = Variant("library", "root-cause", "import it from the standard library", prior=0.8)
_SUBMODULE = Variant("submodule", "root-cause", "import the module inside the package", prior=0.8)
_ALIAS = Variant("alias", "root-cause", "import it under its usual short name", prior=0.7)

_SHORT = {"np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot", "sns": "seaborn"} | {
    "ET": "xml.etree.ElementTree",
    "dt": "datetime",
    "mp": "multiprocessing",
    "sa": "sqlalchemy",
}
_MOST = 3


class MissingImport(Codemod):
    """Import a name from where the project imports or defines it, or from the standard library."""

    DESCRIPTION = "Import a name that is used."
    NAME = "missing-import"
    ANSWERS = (
        Answer(("NameError",), r"name '\w+' is not defined", ("Name",)),
        Answer(("AttributeError",), r"^module '[\w.]+' has no attribute '\w+'", ("Attribute",)),
    )
    VARIANTS = (_AS_ELSEWHERE, _OWN, _LIBRARY, _SUBMODULE, _ALIAS)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the file with an import at its top, from the likeliest place first."""
        found: dict[str, Rewrite] = {}
        for variant, statement, why in _statements(target):
            with suppress(ValueError):
                edit = importing(target.site.file, statement, target.project)
                if edit is not None and statement not in found:
                    found[statement] = Rewrite(variant, target.tree.module, why, (edit,))
        yield from [*found.values()][:_MOST]


def _statements(target: Target) -> Iterator[tuple[Variant, str, str]]:
    tree, site = target.tree, target.site
    module = read_module(site.file, target.project)
    if (name := name_at(tree, site.span)) is not None:
        if not hasattr(builtins, name.value) and name.value not in names_at(module.tree, site.span):
            yield from _for_name(target, module, name)
        return
    for node in tree.at(site.span):
        if isinstance(node, cst.Attribute) and (inner := _submodule(target, module, node)):
            yield _SUBMODULE, f"import {inner}", f"importing the package does not import `{inner}`"


def _for_name(target: Target, module: Module, name: cst.Name) -> Iterator[tuple[Variant, str, str]]:
    project, path = target.project, module.source.path
    for statement in imports_of(name.value, project):
        if not _is_from(statement, path, project):
            yield _AS_ELSEWHERE, statement, f"other files have `{statement}`"
    for statement in (*_definitions(name.value, module), *_modules(target.tree, name, module)):
        yield _OWN, statement, f"`{name.value}` is the project's, and not imported here"
    for statement in _from_library(target.tree, name, module):
        yield _LIBRARY, statement, f"`{name.value}` is used, and not imported"
    known = _SHORT.get(name.value)
    if known and find_spec(known.partition(".")[0]):
        statement = f"import {known} as {name.value}"
        yield _ALIAS, statement, f"`{name.value}` is the usual short name of {known}"


def _is_from(statement: str, path: Path, project: Project) -> bool:
    """Say whether a statement imports from a file itself."""
    stmt = ast.parse(statement).body[0]
    return isinstance(stmt, ast.ImportFrom) and project.module(stmt.module or "") == path


# --- the project ---


def _definitions(name: str, module: Module) -> Iterator[str]:
    """Yield the imports of a function, a class or a constant from the modules that define it."""
    project = module.project
    places = [each.module for each in definitions(name, project) if each.qualname == name]
    if name.isupper():
        places += _assigning(name, project)
    for place in dict.fromkeys(each.source.path for each in places):
        if place != module.source.path:
            yield f"from {_spelled(place, module)} import {name}"


def _assigning(name: str, project: Project) -> Iterator[Module]:
    mentioned = re.compile(rb"^" + name.encode() + rb"\b[^\n]*=", re.MULTILINE)
    for parts in project.files:
        path = project.root.joinpath(*parts)
        with suppress(Unreadable, OSError):
            if not project.is_test_file(path) and mentioned.search(project.data(path)):
                yield read_module(path, project)


def _modules(tree: Tree, name: cst.Name, module: Module) -> Iterator[str]:
    """Yield the imports of a module of the project that has what is read from the name."""
    attr = _read_from(tree, name)
    project = module.project
    for parts in project.files if attr else ():
        path = project.root.joinpath(*parts)
        if (
            parts[-1] != f"{name.value}.py"
            or project.is_test_file(path)
            or path == module.source.path
        ):
            continue
        with suppress(Unreadable, OSError):
            if attr in bound_names(read_module(path, project).tree):
                package, _, last = _spelled(path, module).rpartition(".")
                dots = "." if package and not package.strip(".") else ""
                yield f"from {package}{dots} import {last}" if package or dots else f"import {last}"


def _spelled(path: Path, module: Module) -> str:
    """Return the name of a project's module, relative where the file imports its neighbours so."""
    relative = (
        stmt for stmt in nested(module.tree.body) if isinstance(stmt, ast.ImportFrom) and stmt.level
    )
    if path.parent == module.source.path.parent and next(relative, None):
        return f".{path.stem}"
    return import_name(path, module.project)


# --- the standard library ---


def _from_library(tree: Tree, name: cst.Name, module: Module) -> Iterator[str]:
    attr = _read_from(tree, name)
    loaded = library_module(name.value) if attr else None
    if loaded is not None and (attr in dir(loaded) or library_module(f"{name.value}.{attr}")):
        yield f"import {name.value}"
        return
    used = (stmt.module for stmt in nested(module.tree.body) if isinstance(stmt, ast.ImportFrom))
    for place in modules_with(name.value, [each for each in used if each]):
        value = getattr(library_module(place), name.value)
        if _is_used_as_made(tree, name) and (attr is None or hasattr(value, attr)):
            yield f"from {place} import {name.value}"


def _is_used_as_made(tree: Tree, name: cst.Name) -> bool:
    """Say whether a name is called, read from, inherited, decorates or annotates, not a plain value."""
    parent = tree.parents[name]
    if name.value[0].isupper() or name.value in {"inf", "nan", "pi", "tau"}:
        return True
    called = isinstance(parent, cst.Call) and parent.func is name
    return called or isinstance(parent, cst.Attribute | cst.Decorator | cst.Annotation | cst.Arg)


def _read_from(tree: Tree, name: cst.Name) -> str | None:
    """Return the attribute that is read from a name."""
    parent = tree.parents[name]
    return parent.attr.value if isinstance(parent, cst.Attribute) else None


def _submodule(target: Target, module: Module, node: cst.Attribute) -> str | None:
    """Return the longest name of a module that an attribute begins, of a package that is imported."""
    found = re.match(r"module '([\w.]+)' has no attribute '(\w+)'", target.site.message)
    if found is None or found[2] != node.attr.value:
        return None
    spelled = dotted(ast.parse(target.tree.code(node), mode="eval").body)
    if spelled != f"{found[1]}.{found[2]}" or module.imports.get(spelled.partition(".")[0]) is None:
        return None
    chain = [up for up in target.tree.ancestors(node) if isinstance(up, cst.Attribute)]
    names = itertools.accumulate((up.attr.value for up in chain), _joined, initial=spelled)
    modules = (name for name in names if library_module(name) or target.project.module(name))
    return max(modules, key=len, default=None)


def _joined(package: str, name: str) -> str:
    return f"{package}.{name}"


MissingImport.EXAMPLES = examples(
    '''
library: a module
    """Load settings."""

    from pathlib import Path

    def load(path: Path):
        return «json».loads(path.read_text())
NameError: name 'json' is not defined
    """Load settings."""

    import json
    from pathlib import Path

    def load(path: Path):
        return json.loads(path.read_text())

library: a class
    import re

    def words(text):
        counts = «defaultdict»(int)
        for word in re.findall(r"\\w+", text):
            counts[word] += 1
        return counts
NameError: name 'defaultdict' is not defined
    import re
    from collections import defaultdict

    def words(text):
        counts = defaultdict(int)
        for word in re.findall(r"\\w+", text):
            counts[word] += 1
        return counts

library: one more name of a module
    from datetime import date

    def due(day: date):
        return day + «timedelta»(days=30)
NameError: name 'timedelta' is not defined
    from datetime import date, timedelta

    def due(day: date):
        return day + timedelta(days=30)

library: the class and not the module of the same name
    def stamp(text):
        return «datetime».strptime(text, "%Y")
NameError: name 'datetime' is not defined
    from datetime import datetime


    def stamp(text):
        return datetime.strptime(text, "%Y")

library: the module and not its class
    def stamp(text):
        return «datetime».datetime.strptime(text, "%Y")
NameError: name 'datetime' is not defined
    import datetime


    def stamp(text):
        return datetime.datetime.strptime(text, "%Y")

library: a decorator
    import functools

    @«contextmanager»
    def opened(path):
        yield path
NameError: name 'contextmanager' is not defined
    import functools
    from contextlib import contextmanager

    @contextmanager
    def opened(path):
        yield path

as-elsewhere: as other files of the project do
    def price(text):
        return «D»(text)
NameError: name 'D' is not defined
beside cart.py
    from decimal import Decimal as D
in shop.py
    from decimal import Decimal as D


    def price(text):
        return D(text)

own: a function of another module
    from shop.model import Order

    def total(order: Order):
        return «rounded»(order.amount)
NameError: name 'rounded' is not defined
beside shop/model.py
    class Order: ...
beside shop/money.py
    def rounded(amount): ...
in shop.py
    from shop.model import Order
    from shop.money import rounded

    def total(order: Order):
        return rounded(order.amount)

own: a neighbour, as the file imports its neighbours
in shop/api.py
    from .model import Order

    def total(order: Order):
        return «rounded»(order.amount, LIMIT)
NameError: name 'rounded' is not defined
beside shop/__init__.py
    """The shop."""
beside shop/model.py
    class Order: ...
beside shop/money.py
    def rounded(amount): ...
in shop/api.py
    from .model import Order
    from .money import rounded

    def total(order: Order):
        return rounded(order.amount, LIMIT)

own: a module of the project
in src/shop/api.py
    def total(order):
        return «money».rounded(order.amount)
NameError: name 'money' is not defined
beside src/shop/__init__.py
    """The shop."""
beside src/shop/money.py
    def rounded(amount): ...
in src/shop/api.py
    from shop import money


    def total(order):
        return money.rounded(order.amount)

own: a constant
in api.py
    def page(items):
        return items[:«PAGE_SIZE»]
NameError: name 'PAGE_SIZE' is not defined
beside settings.py
    PAGE_SIZE = 20
in api.py
    from settings import PAGE_SIZE


    def page(items):
        return items[:PAGE_SIZE]

submodule: a package does not import its modules
    import xml

    def root(text):
        return «xml».etree.ElementTree.fromstring(text)
AttributeError: module 'xml' has no attribute 'etree'
    import xml
    import xml.etree.ElementTree

    def root(text):
        return xml.etree.ElementTree.fromstring(text)

alias: a short name that all use
    def parse(text):
        return «ET».fromstring(text)
NameError: name 'ET' is not defined
    import xml.etree.ElementTree as ET


    def parse(text):
        return ET.fromstring(text)

not any: nothing of the project or the library has the name
    def total(order):
        return «rounded_total»(order.amount)
NameError: name 'rounded_total' is not defined

not any: a value of a plain name is no module
    def first(rows):
        return rows[«index»]
NameError: name 'index' is not defined

not any: the module has no such attribute
    def tick(clock):
        return «time».advance(clock)
NameError: name 'time' is not defined

not any: a test's own helper is not for the program
    def total(order):
        return «make_order»()
NameError: name 'make_order' is not defined
beside tests/helpers.py
    def make_order(): ...

not any: a package that has no such module
    import xml

    def root(text):
        return «xml».tree.fromstring(text)
AttributeError: module 'xml' has no attribute 'tree'

not any: a builtin is there without an import
    def total(order):
        return «sum»(order)
NameError: name 'sum' is not defined

not any: only a method has the name
    def total(order):
        return «rounded»(order.amount)
NameError: name 'rounded' is not defined
beside money.py
    class Money:
        def rounded(self): ...

not any: what is read is not the module's
    def load(text):
        return «json».parse(text)
NameError: name 'json' is not defined

not any: the module itself lacks the name
    import json

    def load(text):
        return «json.parse»(text)
AttributeError: module 'json' has no attribute 'parse'

not any: a module that has something else
    def total(order):
        return «money».rounded(order.amount)
NameError: name 'money' is not defined
beside money.py
    LIMIT = 3

not any: it is imported under another name already
    import json as js

    def load(text):
        return «js.parse»(text)
AttributeError: module 'json' has no attribute 'parse'

not any: the short name is not installed
    def mean(values):
        return «sns».mean(values)
NameError: name 'sns' is not defined

not any: a constant that a function sets
    def page(items):
        return items[:«PAGE_SIZE»]
NameError: name 'PAGE_SIZE' is not defined
beside settings.py
    def load():
        PAGE_SIZE = 20
        return PAGE_SIZE
'''
)
