"""AdmittedType: a test of a value's class leaves out a class that belongs to those it names."""

from __future__ import annotations

import builtins
import datetime
import decimal
import fractions
import pathlib
import uuid
from collections import abc
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._classes import are_kin, class_names, with_class
from selfdebug.codemods._edit import changed
from selfdebug.codemods._names import dotted
from selfdebug.codemods._place import place
from selfdebug.model import Site
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.region import Tree

_KIN = Variant("kin", "root-cause", "take a class that is near to those named", 0, prior=0.5)

_LIBRARY = {
    "datetime": datetime,
    "decimal": decimal,
    "fractions": fractions,
    "pathlib": pathlib,
    "uuid": uuid,
    "collections.abc": abc,
}
_PUBLIC = {
    "pathlib.PosixPath": "pathlib.Path",
    "pathlib.WindowsPath": "pathlib.Path",
    "pathlib.PurePosixPath": "pathlib.PurePath",
    "pathlib.PureWindowsPath": "pathlib.PurePath",
}


class AdmittedType(Codemod):
    """Name one more class in an ``isinstance`` that a value of the failing frame did not pass."""

    DESCRIPTION = "Let a test of classes take one that belongs to those it names."
    NAME = "admitted-type"
    ANSWERS = (Answer(("*",)),)
    VARIANTS = (_KIN,)

    @classmethod
    def answers(cls, site: Site) -> bool:
        """Say whether a value may have come by a test of its class: wherever values were seen."""
        wrong_code = site.exc_type.rpartition(".")[2] in ("NameError", "SyntaxError", "ImportError")
        return bool(site.exc_type and site.locals) and not wrong_code

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the function with the class in one test more, those of near classes first."""
        tree, site = target.tree, target.site
        module = read_module(site.file, target.project)
        for kinds, name in _tests(tree, site, module):
            made = changed(tree, with_class(kinds, name))
            if made is not None:
                yield Rewrite(_KIN, made, f"`{tree.code(kinds)}` leaves out `{name}`")


def _tests(tree: Tree, site: Site, module: Module) -> Iterator[tuple[cst.Arg, str]]:
    """Yield the class tests up to the failure that the value did not pass which failed."""
    at = next(iter(tree.at(site.bad or site.span)), None)
    scope = place(tree, at).scope if at is not None else None
    about = {dotted(node) for node in _within(at)} if at is not None else set()
    for node in tree.ranges:
        match node:
            case cst.Call(func=cst.Name(value="isinstance"), args=[subject, kinds]):
                value = site.locals.get(dotted(subject.value) or "")
                full = _PUBLIC.get(value.type, value.type) if value else ""
                name = _spelled(full, module)
                above = tree.span(node).line <= site.span.end_line
                near = dotted(subject.value) in about and above
                if name and near and place(tree, node).scope is scope:
                    named = class_names(kinds.value)
                    covered = any(_covers(each, full, module) for each in named)
                    if not covered and _is_near(full, named, module):
                        yield kinds, name


def _within(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _within(child)


def _full(name: str, module: Module) -> str:
    """Return what a name in a file stands for, with its module; builtins without."""
    first, dot, rest = name.partition(".")
    return f"{module.imports.get(first, first)}{dot}{rest}"


def _class(full: str) -> type | None:
    """Return a builtin class, or one of the standard library's that are often tested for."""
    home, _, name = full.rpartition(".")
    found = getattr(_LIBRARY.get(home) if home else builtins, name, None)
    return found if isinstance(found, type) else None


def _covers(name: str, full: str, module: Module) -> bool:
    """Say whether a named class takes what came, or may do so for all that is known."""
    if not name:
        return True  # a variable, or a call
    one, other = _class(_full(name, module)), _class(full)
    if one is not None and other is not None:
        return issubclass(other, one)
    return _full(name, module) == full or name.rpartition(".")[2] == full.rpartition(".")[2]


def _is_near(full: str, named: list[str], module: Module) -> bool:
    """Say whether a class is of a family with one that is named, or of one module, or base, with it."""
    home, _, name = full.rpartition(".")
    for each in named:
        short = each.rpartition(".")[2]
        if are_kin(name, short):
            return True
        if home and home not in _LIBRARY and _full(each, module).rpartition(".")[0] == home:
            return True
    return False


def _spelled(full: str, module: Module) -> str:
    """Return how a file can name a class without an import more; "" where it cannot."""
    home, _, name = full.rpartition(".")
    if name in ("NoneType", "bool", "type", "function", "method", "module", ""):
        return ""
    if not home:
        return name if hasattr(builtins, name) and name not in module.imports else ""
    for alias, stands_for in module.imports.items():
        if stands_for == full or (stands_for.rpartition(".")[2] == name and home not in _LIBRARY):
            return alias
        if stands_for == home:
            return f"{alias}.{name}"
    own = any(each.qualname == name for each in module.definitions)
    return name if own and home not in _LIBRARY else ""


AdmittedType.EXAMPLES = examples(
    """
kin: days beside times
    from datetime import date, datetime

    def encoded(value):
        if isinstance(value, datetime):
            return value.isoformat()
        if isinstance(value, Enum):
            return value.value
        «raise TypeError(f"cannot encode {type(value).__name__}")»
TypeError: cannot encode date
where value: datetime.date
    from datetime import date, datetime

    def encoded(value):
        if isinstance(value, (datetime, date)):
            return value.isoformat()
        if isinstance(value, Enum):
            return value.value
        raise TypeError(f"cannot encode {type(value).__name__}")

kin: a tuple is as good as a list
    def names(value):
        if isinstance(value, (list, set)):  # many
            return [name(each) for each in value]
        return [«value».name]
AttributeError: 'tuple' object has no attribute 'name'
where value: tuple
    def names(value):
        if isinstance(value, (list, set, tuple)):  # many
            return [name(each) for each in value]
        return [value.name]

kin: a union, and a path
    import pathlib

    def load(source):
        if isinstance(source, str | bytes):
            source = open(source)
        return «source».read()
AttributeError: 'PosixPath' object has no attribute 'read'
where source: pathlib.PosixPath
    import pathlib

    def load(source):
        if isinstance(source, str | bytes | pathlib.Path):
            source = open(source)
        return source.read()

not kin: a class that has nothing to do with the one named
    def size(value):
        if isinstance(value, dict):
            return len(value)
        return «value + 1»
TypeError: can only concatenate str (not "int") to str
where value: str

not kin: the failure is not about the value
    def shown(value, names):
        if isinstance(value, list):
            return ", ".join(value)
        return «names.pop()»
IndexError: pop from empty list
where value: tuple

not any: the file has no name for the class
    from datetime import datetime

    def encoded(value):
        if isinstance(value, datetime):
            return value.isoformat()
        «raise TypeError(value)»
TypeError: 2024-01-01
where value: datetime.date

not any: the class is a kind of the one that is named
    from datetime import date, datetime

    def encoded(value):
        if isinstance(value, date):
            return «value.minute»
        return value
AttributeError: 'datetime.datetime' object has no attribute 'minutes'
where value: datetime.datetime

not any: None is a value of its own
    def size(value):
        if isinstance(value, str):
            return len(value)
        return «value + 1»
TypeError: unsupported operand type(s) for +: 'NoneType' and 'int'
where value: NoneType

not any: another function tests for it
    def is_text(value):
        return isinstance(value, str)

    def size(value):
        return «value.size»
AttributeError: 'list' object has no attribute 'size'
where value: list
"""
)
