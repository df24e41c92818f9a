"""MovedName: a name of the standard library that another Python version has elsewhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, changed, expression, putting, replaced
from selfdebug.codemods._import import import_at, importing
from selfdebug.codemods._imported import called, taken_from, uses_renamed
from selfdebug.codemods._moved import BUILTINS, METHODS, MODULES, NAMES
from selfdebug.codemods._names import dotted
from selfdebug.codemods._rename import alike, name_at, renamed
from selfdebug.syntax.bindings import is_name
from selfdebug.syntax.modules import read_module

_IMPORT = Variant("import", "root-cause", "import it from where it is today", prior=0.9)
_READ = Variant("read", "root-cause", "read it from where it is today", prior=0.9)
_BUILTIN = Variant("builtin", "root-cause", "use the builtin that took its place", prior=0.9)
_METHOD = Variant("method", "root-cause", "write what took the method's place", prior=0.9)
_NO_NAME = r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'"
_NO_MODULE = r"No module named '(?P<module>[\w.]+)'"
_NO_ATTRIBUTE = r"^module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'"
_NO_METHOD = r"^'(?P<type>[\w.]+)' object has no attribute '(?P<name>\w+)'"


class MovedName(Codemod):
    """Take a name of the standard library from where this Python has it."""

    DESCRIPTION = "Take a name from where today's standard library has it."
    NAME = "moved-name"
    ANSWERS = (
        Answer(("ImportError",), _NO_NAME),
        Answer(("ModuleNotFoundError",), _NO_MODULE),
        Answer(
            ("AttributeError",),
            f"{_NO_ATTRIBUTE}|{_NO_METHOD}".replace("?P<name>", ""),
            ("Attribute",),
        ),
        Answer(("NameError",), rf"name '(?:{'|'.join(BUILTINS)})' is not defined", ("Name",)),
    )
    VARIANTS = (_IMPORT, _READ, _BUILTIN, _METHOD)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the code with the name that took the old one's place, if the tables have one."""
        tree, site = target.tree, target.site
        bad = name_at(tree, site.span)
        if bad is not None and bad.value in BUILTINS and site.exc_type == "NameError":
            new = BUILTINS[bad.value]
            if module := changed(tree, renamed(tree, bad, bad.value, new)):
                yield Rewrite(_BUILTIN, module, f"Python 3 has `{new}` for `{bad.value}`")
            return
        statement = import_at(tree, site.span)
        if isinstance(statement, cst.ImportFrom):
            yield from _imported(target, statement)
        elif isinstance(statement, cst.Import):
            yield from _module(target, statement)
        for node in tree.at(site.span):
            if isinstance(node, cst.Attribute):
                yield from _read(target, node)
                yield from _method(target, node)


# --- imports ---


def _imported(target: Target, statement: cst.ImportFrom) -> Iterator[Rewrite]:
    """Yield the import with what has moved taken from where it is now."""
    old = dotted(statement.module) if statement.module and not statement.relative else None
    if old is None or isinstance(statement.names, cst.ImportStar):
        return
    moved = {alias: new for alias in statement.names if (new := _today(old, alias.evaluated_name))}
    places = {new.rpartition(".")[0] for new in moved.values()}
    if len(places) != 1:
        return
    place = places.pop()
    names = [called(alias, new.rpartition(".")[2]) for alias, new in moved.items()]
    also = [
        edit
        for alias, new in moved.items()
        if not alias.asname
        for edit in uses_renamed(target, alias.evaluated_name, new.rpartition(".")[2])
    ]
    change = taken_from(target.tree, statement, [*moved], names, place)
    if module := changed(target.tree, change):
        what = ", ".join(f"`{old}.{alias.evaluated_name}`" for alias in moved)
        yield Rewrite(_IMPORT, module, f"{what} is in `{place}` today", tuple(also))


def _today(module: str, name: str) -> str | None:
    """Return where a name is today, with its module; None where it has not moved."""
    if module in MODULES:
        return f"{MODULES[module]}.{name}"
    return NAMES.get(f"{module}.{name}")


def _module(target: Target, statement: cst.Import) -> Iterator[Rewrite]:
    """Yield the import of a module by its name of today, with what reads from it."""
    message = re.search(_NO_MODULE, target.site.message)
    for alias in statement.names if message else ():
        old = alias.evaluated_name
        new = MODULES.get(old) or _only_place(target, old)
        if message is None or message["module"] != old or new is None:
            continue
        if not alias.asname and "." in old:
            continue
        also = () if alias.asname else tuple(uses_renamed(target, old, new))
        put = expression(new)
        if module := changed(target.tree, {alias.name: putting(put)}):
            yield Rewrite(_IMPORT, module, f"`{old}` is called `{new}` today", also)


def _only_place(target: Target, module: str) -> str | None:
    """Return the one module that has today all that the file reads from a module."""
    tree = read_module(target.site.file, target.project).tree
    read = [
        NAMES.get(f"{module}.{node.attr}", "")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and is_name(node.value, module)
    ]
    places = {name.rpartition(".")[0] for name in read}
    return places.pop() or None if len(places) == 1 else None


# --- reads ---


def _read(target: Target, node: cst.Attribute) -> Iterator[Rewrite]:
    """Yield the reads of a name from the module that has it today."""
    message = re.search(_NO_ATTRIBUTE, target.site.message)
    new = NAMES.get(f"{message['module']}.{node.attr.value}") if message else None
    module = read_module(target.site.file, target.project)
    if message is None or new is None or message["name"] != node.attr.value:
        return
    code, place = target.tree.code(node), new.rpartition(".")[0]
    if module.imports.get(target.tree.code(node.value)) != message["module"]:
        return
    put = expression(new)
    change: Change = {}
    for each in alike(target.tree, node):
        change = {**change, **replaced(target.tree, each, putting(put))}
    edit = importing(target.site.file, f"import {place}", target.project)
    if new_module := changed(target.tree, change):
        also = (edit,) if edit else ()
        yield Rewrite(_READ, new_module, f"`{code}` is `{new}` today", also)


def _method(target: Target, node: cst.Attribute) -> Iterator[Rewrite]:
    message = re.search(_NO_METHOD, target.site.message)
    if message is None or message["name"] != node.attr.value:
        return
    name, call = node.attr.value, target.tree.parents[node]
    change: Change | None = None
    if new := METHODS.get(f"{message['type']}.{name}"):
        change = {node.attr: lambda attr: attr.with_changes(value=new)}
    elif isinstance(call, cst.Call) and name == "has_key" and len(call.args) == 1:
        parent = target.tree.parents[call]
        absent = isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not)
        new = "not in" if absent else "in"
        put = expression(f"KEY {new} OBJ", KEY=call.args[0].value, OBJ=node.value)
        old = parent if absent else call
        assert isinstance(old, cst.BaseExpression)
        change = replaced(target.tree, old, putting(put))
    elif isinstance(call, cst.Call) and name == "next" and not call.args:
        new, put = "next()", expression("next(OBJ)", OBJ=node.value)
        change = replaced(target.tree, call, putting(put))
    if change and (module := changed(target.tree, change)):
        yield Rewrite(_METHOD, module, f"Python 3 has `{new}` for `{name}`")


MovedName.EXAMPLES = examples(
    """
import: an abstract class
    «from collections import Mapping»

    def is_table(value):
        return isinstance(value, Mapping)
ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/collections/__init__.py)
    from collections.abc import Mapping

    def is_table(value):
        return isinstance(value, Mapping)

import: what stays is still imported from there
    «from collections import Mapping, OrderedDict, Sequence»  # containers

    def table(value):
        return isinstance(value, (Mapping, Sequence)) and OrderedDict(value)
ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/collections/__init__.py)
    from collections import OrderedDict  # containers
    from collections.abc import Mapping, Sequence

    def table(value):
        return isinstance(value, (Mapping, Sequence)) and OrderedDict(value)

import: one that is called otherwise, too
    «from time import clock»

    def timed(job):
        start = clock()
        return job(), clock() - start
ImportError: cannot import name 'clock' from 'time' (unknown location)
    from time import perf_counter

    def timed(job):
        start = perf_counter()
        return job(), perf_counter() - start

import: a module by its new name, and what reads from it
    «import ConfigParser»

    def load(path):
        parser = ConfigParser.RawConfigParser()
        parser.read(path)
        return parser
ModuleNotFoundError: No module named 'ConfigParser'
    import configparser

    def load(path):
        parser = configparser.RawConfigParser()
        parser.read(path)
        return parser

import: a module under a name of the file's own
    «import xml.etree.cElementTree as ET»

    def root(text):
        return ET.fromstring(text)
ModuleNotFoundError: No module named 'xml.etree.cElementTree'
    import xml.etree.ElementTree as ET

    def root(text):
        return ET.fromstring(text)

import: a name of a module that has another name
    «from StringIO import StringIO»

    def lines(text):
        return StringIO(text).readlines()
ModuleNotFoundError: No module named 'StringIO'
    from io import StringIO

    def lines(text):
        return StringIO(text).readlines()

read: from the module that has it now
    import collections

    def is_table(value):
        return isinstance(value, «collections.Mapping»)
AttributeError: module 'collections' has no attribute 'Mapping'
    import collections
    import collections.abc

    def is_table(value):
        return isinstance(value, collections.abc.Mapping)

read: another name in the same module
    import time

    def timed(job):
        start = «time.clock»()
        return job(), time.clock() - start
AttributeError: module 'time' has no attribute 'clock'
    import time

    def timed(job):
        start = time.perf_counter()
        return job(), time.perf_counter() - start

builtin: text is always Unicode
    def text(value):
        return value if isinstance(value, «unicode») else unicode(value)
NameError: name 'unicode' is not defined
    def text(value):
        return value if isinstance(value, str) else str(value)

method: a membership test
    def price(prices, name):
        if not «prices.has_key»(name):
            return 0
        return prices[name]
AttributeError: 'dict' object has no attribute 'has_key'
    def price(prices, name):
        if name not in prices:
            return 0
        return prices[name]

method: the next item
    def header(reader):
        return «reader.next»()
AttributeError: '_csv.reader' object has no attribute 'next'
    def header(reader):
        return next(reader)

not any: a name that was never there
    «from collections import Maping»
ImportError: cannot import name 'Maping' from 'collections' (/usr/lib/collections/__init__.py)

not any: a module that nobody knows
    «import shopping»
ModuleNotFoundError: No module named 'shopping'

not any: a module of the project has the name
    from shop import collections

    def is_table(value):
        return isinstance(value, «collections.Mapping»)
AttributeError: module 'collections' has no attribute 'Mapping'

not any: two new places for one statement
    «from urllib2 import urlopen, HTTPError»
ModuleNotFoundError: No module named 'urllib2'

not any: a method that takes an argument
    class Reader: ...

    def header(reader):
        return «reader.next»(1)
AttributeError: 'Reader' object has no attribute 'next'

not any: a test for two keys
    def price(prices, name):
        return «prices.has_key»(name, 0)
AttributeError: 'dict' object has no attribute 'has_key'

not any: the method is passed on
    def known(prices, names):
        return filter(«prices.has_key», names)
AttributeError: 'dict' object has no attribute 'has_key'

not any: all names of a module
    «from collections import *»

    def is_table(value):
        return isinstance(value, Mapping)
ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/collections/__init__.py)

not any: a module of the project next to it
in shop/api.py
    «from .collections import Mapping»
ImportError: cannot import name 'Mapping' from 'shop.collections' (/home/ann/shop/collections.py)
beside shop/collections.py
    Map = dict

not any: a module with dots whose reads would change
    «import xml.etree.cElementTree»

    def root(text):
        return xml.etree.cElementTree.fromstring(text)
ModuleNotFoundError: No module named 'xml.etree.cElementTree'

not any: what is read is in two places today
    «import urllib2»

    def load(address):
        try:
            return urllib2.urlopen(address)
        except urllib2.URLError:
            return None
ModuleNotFoundError: No module named 'urllib2'
"""
)
