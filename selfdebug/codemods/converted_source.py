"""ConvertedSource: a function returns, or an object keeps, another kind of value than its uses need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import libcst as cst

from selfdebug.codemods._base import (
    Answer,
    Codemod,
    Rewrite,
    Target,
    Variant,
    examples,
    target_at,
)
from selfdebug.codemods._defined import defined_at, own_nodes, target_in
from selfdebug.codemods._edit import Change, changed, expression, replaced
from selfdebug.codemods._fields import classes_at, given, initialiser, stored
from selfdebug.codemods._import import importing
from selfdebug.codemods._names import dotted
from selfdebug.codemods._operands import bad, sides, types, value_of
from selfdebug.codemods._sources import maker
from selfdebug.codemods._style import is_generator, returned
from selfdebug.model import Site
from selfdebug.syntax.bindings import FUNCTIONS
from selfdebug.syntax.modules import Definition, definitions
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_FIELD = Variant("field", "root-cause", "keep it in the field as what it is used as", prior=0.7)
_NAMED = Variant(
    "named", "root-cause", "return what the function's name or annotation says", 1, 0.8
)
_RESULT = Variant("result", "root-cause", "return what its uses need", growth=1, prior=0.4)

_SETS = frozenset(("set", "frozenset"))
_LISTS = frozenset(("list", "tuple"))
_NUMBERS = frozenset(("int", "float"))
_SET_SIGN = re.compile(r"for (?P<sign>[|&^-])=?: ")
_LACKS = re.compile(r"^'(?P<type>[\w.]+)' object has no attribute '(?P<name>\w+)'")
_BUILTINS: dict[str, type] = {"list": list, "set": set, "dict": dict}
_PATHS = frozenset(
    ("joinpath", "exists", "is_file", "is_dir", "iterdir", "glob", "rglob", "mkdir", "read_text")
)
_CONVERTED = re.compile(r"(?:(?:int|float|set|frozenset|list|tuple|dict|Path|date)\b|.*\.date)\(")


@dataclass(frozen=True)
class _Need:
    """An expression whose value was of the wrong kind, and what makes the right one of it."""

    node: cst.BaseExpression
    kind: str
    code: str
    needs: str = ""


class ConvertedSource(Codemod):
    """Convert a value where a function of the project returns it, or a class first keeps it."""

    DESCRIPTION = "Convert what a function returns, or an object keeps, to what its uses need."
    NAME = "converted-source"
    ANSWERS = (
        Answer(("TypeError",), r"unsupported operand .*'(?:str|list|tuple)'"),
        Answer(("TypeError",), r"not supported between .*'str'|can't compare datetime"),
        Answer(("TypeError",), r"non-int of type 'float'"),
        Answer(("AttributeError",), r"^'(?:str|list|tuple|set)' object has no attribute"),
    )
    VARIANTS = (_FIELD, _NAMED, _RESULT)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the functions that return, and the ``__init__`` that keeps, what was amiss."""
        tree = target_at(site, project).tree
        for need in _needs(tree, site):
            yield from _sources(tree, need, site, project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the function with the conversion."""
        tree, site = target.tree, target.site
        function = defined_at(tree, site.span.line)
        code, needs = site.attrs["converted"], site.attrs["needs"]
        edit = importing(tree.region.source.path, needs, target.project) if needs else None
        for variant, change, why in _forms(tree, function, site, code) if function else ():
            if module := changed(tree, change):
                yield Rewrite(variant, module, why, () if edit is None else (edit,))


# --- what is needed ---


def _needs(tree: Tree, site: Site) -> Iterator[_Need]:
    found, operands = types(site.message), sides(tree, site)
    if lacks := _LACKS.search(site.message):
        for node in bad(tree, site):
            yield from _with_attribute(node, lacks["type"], lacks["name"])
    elif "non-int of type 'float'" in site.message:
        for node in operands or ():
            if _seen(site, node) in ("str", ""):
                yield _Need(node, "float", "float(OLD)")
    elif found and operands:
        sign = _SET_SIGN.search(site.message)
        for node, kind, other in zip(operands, found, found[::-1], strict=True):
            yield from _as_operand(tree, node, kind, other, sign["sign"] if sign else "")
        if "can't compare" in site.message:
            # The comparison may have been tried the other way round: the message tells no sides.
            for node in operands:
                yield _Need(node, "date", _DATE)


_DATE = "OLD.date() if isinstance(OLD, datetime) else OLD"


def _as_operand(
    tree: Tree, node: cst.BaseExpression, kind: str, other: str, sign: str
) -> Iterator[_Need]:
    if sign and kind in _LISTS and (other in _SETS or (other in _LISTS and sign in "|&^")):
        yield _Need(node, "set", "set(OLD)")
    elif kind == "str" and other in _NUMBERS:
        first = other if other == "float" else "int"
        for each in (first, *(_NUMBERS - {first})):
            yield _Need(node, each, f"{each}(OLD)")
    elif kind == other == "str" and tree.code(tree.parents[node]).startswith(
        f"{tree.code(node)} /"
    ):
        yield _Need(node, "Path", "Path(OLD)", "from pathlib import Path")


def _with_attribute(node: cst.BaseExpression, kind: str, name: str) -> Iterator[_Need]:
    if kind == "str":
        if name in _PATHS:
            yield _Need(node, "Path", "Path(OLD)", "from pathlib import Path")
        return
    for other, built in _BUILTINS.items():
        if hasattr(built, name) and other != kind and (other == "dict") <= (kind in _LISTS):
            yield _Need(node, other, f"{other}(OLD)")


def _seen(site: Site, node: cst.BaseExpression) -> str:
    value = site.locals.get(dotted(node) or "")
    return value.type if value else ""


# --- where it comes from ---


def _sources(tree: Tree, need: _Need, site: Site, project: Project) -> Iterator[Target]:
    attrs = {"converted": need.code, "needs": need.needs, "kind": need.kind}
    there = replace(site, attrs=attrs, bad_code=None)
    node = value_of(tree, need.node) or need.node
    found = maker(tree, need.node, site, project)
    if found is not None:
        yield from _of_function(found, there, project)
    elif isinstance(node, cst.Attribute) and (owner := dotted(node.value)):
        yield from _of_field(owner, node.attr.value, there, project)


def _of_function(found: Definition, site: Site, project: Project) -> Iterator[Target]:
    """Yield a function, and the ``__init__`` of its class where it returns a field as it is."""
    assert isinstance(found.node, FUNCTIONS)
    target = target_in(found.node, found.module, site, project)
    yield target
    function = defined_at(target.tree, target.site.span.line)
    for each in returned(function) if function and found.owner else ():
        name = (dotted(each.value) if each.value else None) or ""
        if name.startswith("self.") and name.count(".") == 1:
            inside = replace(site, file=found.module.source.path, span=target.site.span, locals={})
            yield from _of_field("self", name.partition(".")[2], inside, project)


def _of_field(owner: str, field: str, site: Site, project: Project) -> Iterator[Target]:
    value = site.locals.get(owner)
    kind = value.type.rpartition(".")[2] if value else ""
    for each in classes_at(site, project) if owner == "self" else definitions(kind, project):
        init = initialiser(each)
        if init is not None and [*stored(init, field)]:
            yield target_in(init, each.module, replace(site, bad_code=f"self.{field}"), project)
            return


# --- the change ---


def _forms(
    tree: Tree, function: cst.FunctionDef, site: Site, code: str
) -> Iterator[tuple[Variant, Change, str]]:
    field = (site.bad_code or "").partition("self.")[2]
    kind = site.attrs["kind"]
    if field:
        values = [value for node in own_nodes(function.body) if (value := given(node, field))]
        if len(values) == 1 and _may_convert(tree, values[0], code):
            yield _FIELD, _put(tree, values, code), f"`self.{field}` is used as a {kind}"
        return
    values = [each.value for each in returned(function) if each.value is not None]
    name = function.name.value
    open_ = [value for value in values if _may_convert(tree, value, code)]
    if is_generator(function) or not open_:
        return
    variant = _NAMED if _says(function, kind) else _RESULT
    if code == _DATE:
        for value in open_:
            yield variant, _put(tree, [value], code), f"`{name}` is to give a date without a time"
    else:
        yield variant, _put(tree, open_, code), f"`{name}` is to give a {kind}"


def _may_convert(tree: Tree, value: cst.BaseExpression, code: str) -> bool:
    """Say whether a value may be of another kind, and is not converted or missing on purpose."""
    fixed = isinstance(value, cst.BaseString | cst.BaseNumber | cst.Dict | cst.Set | cst.BaseComp)
    text = tree.code(value)
    return not (
        fixed
        or text in ("None", "True", "False")
        or _CONVERTED.match(text)
        or (code == _DATE and not isinstance(value, cst.Name))
    )


def _put(tree: Tree, values: list[cst.BaseExpression], code: str) -> Change:
    every = [replaced(tree, value, lambda old: expression(code, OLD=old)) for value in values]
    return {node: make for change in every for node, make in change.items()}


def _says(function: cst.FunctionDef, kind: str) -> bool:
    """Say whether a function's name or annotation promises a kind of value."""
    if function.returns is not None:
        return dotted(function.returns.annotation) == kind
    words = function.name.value.lower().split("_")
    return kind.lower() in words


ConvertedSource.EXAMPLES = examples(
    """
named: the getter of a number
    class Settings:
        def get_int(self, name, default=None):
            return self.values.get(name, default)  # of the file

        def is_privileged(self):
            port = self.get_int("port", 8080)
            return «port < 1024»
TypeError: '<' not supported between instances of 'str' and 'int'
    class Settings:
        def get_int(self, name, default=None):
            return int(self.values.get(name, default))  # of the file

        def is_privileged(self):
            port = self.get_int("port", 8080)
            return port < 1024

result: a number in another file
in shop/total.py
    def total(order):
        return «rate_of(order) * order.net»
TypeError: can't multiply sequence by non-int of type 'float'
beside shop/rates.py
    def rate_of(order):
        if order.free:
            return 0
        return RATES[order.country]
in shop/rates.py
    def rate_of(order):
        if order.free:
            return 0
        return float(RATES[order.country])

named: a time is a date too
    from datetime import date, datetime

    def as_date(value):
        if isinstance(value, date):
            return value
        return date.fromisoformat(value)

    def is_late(ticket, today):
        return «as_date(today) > ticket.due»
TypeError: can't compare datetime.datetime to datetime.date
    from datetime import date, datetime

    def as_date(value):
        if isinstance(value, date):
            return value.date() if isinstance(value, datetime) else value
        return date.fromisoformat(value)

    def is_late(ticket, today):
        return as_date(today) > ticket.due

field: a list where a set is worked with
    class Role:
        def __init__(self, grants=(), parent=None):
            self.grants = grants
            self.parent = parent

        def all_grants(self):
            return «self.grants | self.parent.grants»
TypeError: unsupported operand type(s) for |: 'list' and 'list'
    class Role:
        def __init__(self, grants=(), parent=None):
            self.grants = set(grants)
            self.parent = parent

        def all_grants(self):
            return self.grants | self.parent.grants

field: a method gives what the object keeps
    class Role:
        def __init__(self, grants=()):
            self.grants = grants

        def all_grants(self):
            return self.grants

    def allowed(roles):
        found = set()
        for role in roles:
            «found |= role.all_grants()»
        return found
TypeError: unsupported operand type(s) for |=: 'set' and 'list'
    class Role:
        def __init__(self, grants=()):
            self.grants = set(grants)

        def all_grants(self):
            return self.grants

    def allowed(roles):
        found = set()
        for role in roles:
            found |= role.all_grants()
        return found

field: text that is kept as a folder
    from pathlib import Path

    class Layout:
        def __init__(self, root):
            self.root = root
            self.pages = «self.root / "pages"»
TypeError: unsupported operand type(s) for /: 'str' and 'str'
    from pathlib import Path

    class Layout:
        def __init__(self, root):
            self.root = Path(root)
            self.pages = self.root / "pages"

field: a default that cannot grow
    class Cart:
        def __init__(self, lines=()):
            self.lines = lines

        def add(self, line):
            «self.lines».append(line)
AttributeError: 'tuple' object has no attribute 'append'
    class Cart:
        def __init__(self, lines=()):
            self.lines = list(lines)

        def add(self, line):
            self.lines.append(line)

not any: the function is of another project
    def is_privileged(settings):
        port = settings.get("port")
        return «port < 1024»
TypeError: '<' not supported between instances of 'str' and 'int'

not any: it is converted already
    def port_of(settings):
        return int(settings["port"])

    def is_privileged(settings):
        return «port_of(settings) < settings["limit"]»
TypeError: '<' not supported between instances of 'int' and 'str'

not any: the field is set in several ways
    class Role:
        def __init__(self, grants=None):
            if grants:
                self.grants = grants
            else:
                self.grants = DEFAULT

        def with_parent(self):
            return «self.grants | self.parent.grants»
TypeError: unsupported operand type(s) for |: 'list' and 'list'

not any: numbers are no sets
    class Role:
        def __init__(self, bits=0):
            self.bits = bits

        def both(self, other):
            return «self.bits | other»
TypeError: unsupported operand type(s) for |: 'int' and 'list'
"""
)
