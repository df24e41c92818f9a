"""MisspeltImport: an import of a module or name that does not exist, next to one that does."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples, target_at
from selfdebug.codemods._edit import Change, changed, expression, putting
from selfdebug.codemods._import import import_at
from selfdebug.codemods._imported import called, taken_from, uses_renamed
from selfdebug.codemods._library import library_module, modules_with
from selfdebug.codemods._names import dotted
from selfdebug.codemods._near import nearest
from selfdebug.model import Edit, Site, Span
from selfdebug.syntax.bindings import FUNCTIONS, nested
from selfdebug.syntax.modules import Module, definitions, import_name, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.scopes import bound_names

_MODULE = Variant("module", "root-cause", "import the module that exists", prior=0.85)
_NAME = Variant("name", "root-cause", "import the name that the module has", prior=0.8)
_ELSEWHERE = Variant("elsewhere", "root-cause", "import it from the module that has it", prior=0.85)
_DEFINITION = Variant(
    "definition", "root-cause", "define it under the name that is asked for", prior=0.8
)
_NO_NAME = re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'")
_NO_MODULE = re.compile(r"^No module named '(?P<module>[\w.]+)'$")


class MisspeltImport(Codemod):
    """Import the module or name that exists: nearest in spelling, or where the project has it."""

    DESCRIPTION = "Import the module or the name that exists."
    NAME = "misspelt-import"
    ANSWERS = (
        Answer(("ImportError",), _NO_NAME.pattern),
        Answer(("ModuleNotFoundError",), _NO_MODULE.pattern),
    )
    VARIANTS = (_MODULE, _ELSEWHERE, _NAME, _DEFINITION)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the import, and the only definition that a test asks for by another name."""
        if not project.is_test_file(site.file):
            yield target_at(site, project)
            return
        message = _NO_NAME.search(site.message)
        path = project.module(message["module"]) if message else None
        if message is not None and path is not None and not project.is_test_file(path):
            module = read_module(path, project)
            near = nearest(message["name"], bound_names(module.tree), limit=1)
            for span in _only_definition(module, near):
                yield target_at(replace(site, file=path, span=span), project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the import of what exists."""
        site = target.site
        statement = import_at(target.tree, site.span)
        if (message := _NO_NAME.search(site.message)) is not None:
            if isinstance(statement, cst.ImportFrom):
                yield from _elsewhere(target, statement, message)
                yield from _names(target, statement, message)
            elif statement is None:
                yield from _defined(target, message["name"])
        elif message := _NO_MODULE.search(site.message):
            if isinstance(statement, cst.ImportFrom):
                yield from _from_module(target, statement, message["module"])
            elif statement is not None:
                yield from _modules(target, statement, message["module"])


# --- modules ---


def _from_module(target: Target, statement: cst.ImportFrom, missing: str) -> Iterator[Rewrite]:
    module = read_module(target.site.file, target.project)
    spelled = (dotted(statement.module) or "") if statement.module else ""
    stmt = ast.parse(f"from {'.' * len(statement.relative)}{spelled} import _").body[0]
    assert isinstance(stmt, ast.ImportFrom)
    full = module.package(stmt)
    if full != missing and not full.startswith(f"{missing}."):
        return
    for new in _near_modules(missing, target.project):
        above = len(full) - len(spelled)
        code = f"{new}{full[len(missing) :]}"[above:]
        if full[:above] == new[:above] and (
            rewritten := changed(target.tree, _from(statement, code))
        ):
            yield Rewrite(_MODULE, rewritten, f"there is no module `{missing}`, but `{new}`")
    for new in _inside(missing, module) if not statement.relative else ():
        code = f"{new}{full[len(missing) :]}"
        if rewritten := changed(target.tree, _from(statement, code)):
            yield Rewrite(_MODULE, rewritten, f"`{missing}` is `{new}` here")


def _from(statement: cst.ImportFrom, code: str) -> Change:
    """Return the change of the module in a ``from`` import; one dot in front makes it relative."""
    name = expression(code.removeprefix("."))
    assert isinstance(name, cst.Name | cst.Attribute)
    if code.startswith("."):
        dots = [cst.Dot()]
        return {statement: lambda node: node.with_changes(module=name, relative=dots)}
    return {statement: lambda node: node.with_changes(module=name)}


def _modules(target: Target, statement: cst.Import, missing: str) -> Iterator[Rewrite]:
    """Yield the ``import`` of a module that exists, with what reads from it."""
    module = read_module(target.site.file, target.project)
    for alias in statement.names:
        name = alias.evaluated_name
        if name != missing and not name.startswith(f"{missing}."):
            continue
        for new in _near_modules(missing, target.project):
            code = f"{new}{name[len(missing) :]}"
            also = () if alias.asname else _reads(target, missing, new)
            put: Change = {alias.name: putting(expression(code))}
            if also is not None and (rewritten := changed(target.tree, put)):
                why = f"there is no module `{missing}`, but `{new}`"
                yield Rewrite(_MODULE, rewritten, why, also)
        if name == missing and len(statement.names) == 1 and not alias.asname:
            yield from _from_package(target, statement, module, missing)


def _from_package(
    target: Target, statement: cst.Import, module: Module, missing: str
) -> Iterator[Rewrite]:
    """Yield ``from package import module`` for a module that stands in a package."""
    for new in _inside(missing, module):
        package, _, last = new.rpartition(".")
        dots = [cst.Dot()] if not package else []
        names = [cst.ImportAlias(cst.Name(last))]
        parent = expression(package) if package else None
        assert parent is None or isinstance(parent, cst.Name | cst.Attribute)
        other = cst.ImportFrom(module=parent, names=names, relative=dots)
        if rewritten := changed(target.tree, {statement: putting(other)}):
            yield Rewrite(_MODULE, rewritten, f"`{missing}` is `{new}` here")


def _reads(target: Target, missing: str, new: str) -> tuple[Edit, ...] | None:
    """Return the edits of what reads a misspelt module; None where its name is one of a package."""
    if "." not in missing:
        return tuple(uses_renamed(target, missing, new))
    tree = read_module(target.site.file, target.project).tree
    last = missing.rpartition(".")[2]
    read = any(isinstance(node, ast.Attribute) and node.attr == last for node in ast.walk(tree))
    return None if read else ()


def _near_modules(missing: str, project: Project) -> tuple[str, ...]:
    """Return the modules of the same package, or at the top, that are spelled nearly so."""
    package, _, last = missing.rpartition(".")
    known = {
        name.removeprefix(f"{package}.").partition(".")[0]
        for name in _own_modules(project)
        if not package or name.startswith(f"{package}.")
    }
    if not package:
        known |= {name for name in sys.stdlib_module_names if not name.startswith("_")}
    return tuple(f"{package}.{near}" if package else near for near in nearest(last, known - {last}))


def _own_modules(project: Project) -> Iterator[str]:
    for parts in project.files:
        if not project.is_test_file(project.root.joinpath(*parts)):
            names = [*parts[:-1], parts[-1].removesuffix(".py")]
            names = names[1:] if names[0] == "src" else names
            yield ".".join(names[:-1] if names[-1] == "__init__" else names)


def _inside(missing: str, module: Module) -> Iterator[str]:
    """Yield a module that stands next to the file in a package, relative where the file has such."""
    beside = module.source.path.parent / f"{missing}.py"
    package = beside.with_name("__init__.py")
    if module.project.owns(beside) is None or module.project.owns(package) is None:
        return
    relative = (s for s in nested(module.tree.body) if isinstance(s, ast.ImportFrom) and s.level)
    yield f".{missing}" if any(relative) else f"{import_name(package, module.project)}.{missing}"


# --- names ---


def _names(target: Target, statement: cst.ImportFrom, message: re.Match[str]) -> Iterator[Rewrite]:
    """Yield the import of the nearest name, with what reads it by the wrong one."""
    alias = _alias(statement, message["name"])
    for near in nearest(message["name"], _known(message["module"], target.project)):
        also = () if alias is None or alias.asname else uses_renamed(target, message["name"], near)
        if alias and (new := changed(target.tree, {alias: partial(called, name=near)})):
            why = f"`{message['module']}` has no `{message['name']}`, but `{near}`"
            yield Rewrite(_NAME, new, why, tuple(also))


def _known(module: str, project: Project) -> set[str]:
    """Return what can be imported from a module of the project or the standard library."""
    path = project.module(module)
    if path is not None:
        return {*bound_names(read_module(path, project).tree)}
    return {name for name in dir(library_module(module)) if not name.startswith("_")}


def _elsewhere(
    target: Target, statement: cst.ImportFrom, message: re.Match[str]
) -> Iterator[Rewrite]:
    """Yield the import of the same name from another module that has it."""
    alias = _alias(statement, message["name"])
    places = [*_places(message["name"], target)]
    for place in places[:2]:
        if alias and place != message["module"]:
            change = taken_from(target.tree, statement, [alias], [alias], place)
            if new := changed(target.tree, change):
                yield Rewrite(_ELSEWHERE, new, f"`{message['name']}` is in `{place}`")


def _places(name: str, target: Target) -> Iterator[str]:
    project = target.project
    paths = [
        each.module.source.path for each in definitions(name, project) if each.qualname == name
    ]
    found = dict.fromkeys(path for path in paths if path != target.site.file)
    yield from (import_name(path, project) for path in found)
    if not paths:
        yield from modules_with(name)


def _alias(statement: cst.ImportFrom, name: str) -> cst.ImportAlias | None:
    aliases = () if isinstance(statement.names, cst.ImportStar) else statement.names
    return next((alias for alias in aliases if alias.evaluated_name == name), None)


# --- definitions ---


def _only_definition(module: Module, names: tuple[str, ...]) -> Iterator[Span]:
    """Yield where a name is defined, if the project mentions it nowhere else."""
    for stmt in module.tree.body:
        if isinstance(stmt, (*FUNCTIONS, ast.ClassDef)) and stmt.name in names:
            mentioned = re.compile(rb"\b" + stmt.name.encode() + rb"\b")
            files = (module.project.root.joinpath(*parts) for parts in module.project.files)
            if sum(len(mentioned.findall(module.project.data(file))) for file in files) == 1:
                column = module.source.line(stmt.lineno).index(stmt.name)
                yield Span(stmt.lineno, column, stmt.lineno, column + len(stmt.name))


def _defined(target: Target, name: str) -> Iterator[Rewrite]:
    old = next((n for n in target.tree.at(target.site.span) if isinstance(n, cst.Name)), None)
    if old and (new := changed(target.tree, {old: lambda node: node.with_changes(value=name)})):
        yield Rewrite(_DEFINITION, new, f"what is asked for is `{name}`, not `{old.value}`")


MisspeltImport.EXAMPLES = examples(
    """
module: a module of the project
in shop/api.py
    «from shop.stroe import find»

    def get(key):
        return find(key)
ModuleNotFoundError: No module named 'shop.stroe'
beside shop/__init__.py
    # The shop.
beside shop/store.py
    def find(key): ...
in shop/api.py
    from shop.store import find

    def get(key):
        return find(key)

module: a neighbour that is imported relatively
in shop/api.py
    «from .stroe import find»  # the only store
ModuleNotFoundError: No module named 'shop.stroe'
beside shop/__init__.py
    # The shop.
beside shop/store.py
    def find(key): ...
in shop/api.py
    from .store import find  # the only store

module: a package on the way
    «from shop.modle.order import Order»
ModuleNotFoundError: No module named 'shop.modle'
beside shop/__init__.py
    # The shop.
beside shop/model/__init__.py
    # What is sold.
beside shop/model/order.py
    class Order: ...
in shop.py
    from shop.model.order import Order

module: one of the standard library, with what reads from it
    «import jason»

    def load(text):
        return jason.loads(text)
ModuleNotFoundError: No module named 'jason'
    import json

    def load(text):
        return json.loads(text)

module: a neighbour in a package, as the project imports it
in shop/api.py
    «import store»

    def get(key):
        return store.find(key)
ModuleNotFoundError: No module named 'store'
beside shop/__init__.py
    # The shop.
beside shop/store.py
    def find(key): ...
in shop/api.py
    from shop import store

    def get(key):
        return store.find(key)

module: a neighbour, relative as the others
in shop/api.py
    from .model import Order
    «from store import find»
ModuleNotFoundError: No module named 'store'
beside shop/__init__.py
    # The shop.
beside shop/model.py
    class Order: ...
beside shop/store.py
    def find(key): ...
in shop/api.py
    from .model import Order
    from .store import find

name: a function that is misspelt everywhere
in shop/api.py
    «from shop.store import fnid»

    def get(key):
        return fnid(key)
ImportError: cannot import name 'fnid' from 'shop.store' (/home/ann/shop/store.py)
beside shop/store.py
    def find(key): ...
in shop/api.py
    from shop.store import find

    def get(key):
        return find(key)

name: only the import is misspelt
    «from datetime import timdelta»

    WEEK = timedelta(days=7)
ImportError: cannot import name 'timdelta' from 'datetime' (/usr/lib/datetime.py)
    from datetime import timedelta

    WEEK = timedelta(days=7)

elsewhere: the project has it in another module
    «from shop.model import Order, rounded»
ImportError: cannot import name 'rounded' from 'shop.model' (/home/ann/shop/model.py)
beside shop/model.py
    class Order: ...
beside shop/money.py
    def rounded(amount): ...
in shop.py
    from shop.model import Order
    from shop.money import rounded

elsewhere: the standard library has it in another module
    «from collections import dataclass»

    @dataclass
    class Order: ...
ImportError: cannot import name 'dataclass' from 'collections' (/usr/lib/collections/__init__.py)
    from dataclasses import dataclass

    @dataclass
    class Order: ...

definition: a test asks for another name
in tests/test_dates.py
    «from dates import parse_date»
ImportError: cannot import name 'parse_date' from 'dates' (/home/ann/dates.py)
beside dates.py
    def prase_date(text): ...
in dates.py
    def parse_date(text): ...

not any: no module is spelled so
    «import requests_oauth_helper»
ModuleNotFoundError: No module named 'requests_oauth_helper'

not any: the module has nothing alike
    «from shop.store import archive»
ImportError: cannot import name 'archive' from 'shop.store' (/home/ann/shop/store.py)
beside shop/store.py
    def find(key): ...

not any: the module is not ready yet
    «from shop.store import find»
ImportError: cannot import name 'find' from partially initialized module 'shop.store' (/home/ann)
beside shop/store.py
    def find(key): ...

not definition: others use the name
in tests/test_dates.py
    «from dates import parse_date»
ImportError: cannot import name 'parse_date' from 'dates' (/home/ann/dates.py)
beside dates.py
    def parse_dates(text): ...
beside report.py
    from dates import parse_dates

not any: a package that is not installed
    «import numpy»

    def mean(values):
        return numpy.mean(values)
ModuleNotFoundError: No module named 'numpy'

not any: another module lacks the name
    «from shop.store import find»
ImportError: cannot import name 'Ordr' from 'shop.model' (/home/ann/shop/model.py)
beside shop/model.py
    class Order: ...
beside shop/store.py
    from shop.model import Ordr
    def find(key): ...

not any: the import that fails is in another module
    «import shop.store»
ModuleNotFoundError: No module named 'jsn'
beside shop/store.py
    import jsn

not any: everything is imported, whatever it is
    «from shop.store import *»
ImportError: cannot import name 'fnid' from 'shop.store' (/home/ann/shop/store.py)
beside shop/store.py
    def find(key): ...

not any: what is alike is only in a function
    «from shop.store import fnid»
ImportError: cannot import name 'fnid' from 'shop.store' (/home/ann/shop/store.py)
beside shop/store.py
    def load():
        find = len
        return find

not any: a test's own class is not for the program
    «from shop.model import Order, FakeStore»
ImportError: cannot import name 'FakeStore' from 'shop.model' (/home/ann/shop/model.py)
beside shop/model.py
    class Order: ...
beside tests/fakes.py
    class FakeStore: ...

not any: a method of that name is not to be imported
    «from shop.model import Order, rounded»
ImportError: cannot import name 'rounded' from 'shop.model' (/home/ann/shop/model.py)
beside shop/model.py
    class Order: ...
beside shop/money.py
    class Money:
        def rounded(self): ...

not any: the test has it from the standard library
in tests/test_dates.py
    «from datetime import parse_date»
ImportError: cannot import name 'parse_date' from 'datetime' (/usr/lib/datetime.py)
"""
)
