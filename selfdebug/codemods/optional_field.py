"""OptionalField: a field is None where the caller left it out, though its methods need a value."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from functools import partial

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._defined import defined_at, own_nodes, target_in
from selfdebug.codemods._edit import changed, expression, replaced
from selfdebug.codemods._fields import classes_at, given, initialiser, stored
from selfdebug.codemods._fill import takes_none
from selfdebug.model import Site
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.project import Project

_SIBLING = Variant("as-sibling", "root-cause", "store what another class stores", 1, 0.85)
_EMPTY = Variant("empty", "root-cause", "store the empty container that it is filled like", 1, 0.6)
_BUILTINS = frozenset(dir(builtins))
_FIELD = re.compile(r"self\.(\w+)")
_FILLED = {
    "append": "[]",
    "extend": "[]",
    "insert": "[]",
    "setdefault": "{}",
    "add": "set()",
    "[]=": "{}",
}


class OptionalField(Codemod):
    """Store a value in a field where ``__init__`` was not given one, as its class needs it."""

    DESCRIPTION = "Give fields that callers leave out a value of their own."
    NAME = "optional-field"
    ANSWERS = (Answer(("TypeError", "AttributeError"), "NoneType"),)
    VARIANTS = (_SIBLING, _EMPTY)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the ``__init__`` that stored the None: of the object's class, or of the method's."""
        found = _FIELD.fullmatch(site.bad_code or "")
        for owner in classes_at(site, project) if found else ():
            init = initialiser(owner)
            if init and found and any(isinstance(x, ast.Name) for x in stored(init, found[1])):
                yield target_in(init, owner.module, site, project)
                return

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the ``__init__`` with a value for what it was not given."""
        tree, field = target.tree, (target.site.bad_code or "").partition(".")[2]
        function = defined_at(tree, target.site.span.line)
        for node in own_nodes(function.body) if function else ():
            value = given(node, field)
            if not isinstance(value, cst.Name) or function is None:
                continue
            for variant, code, why in _values(target, field, value.value):
                optional = takes_none(tree, function, value.value)
                change = replaced(tree, value, partial(_parsed, code)) if optional else None
                if change and (module := changed(tree, change)):
                    yield Rewrite(variant, module, why)


def _parsed(code: str, _: cst.BaseExpression) -> cst.BaseExpression:
    return expression(code)


def _values(target: Target, field: str, name: str) -> Iterator[tuple[Variant, str, str]]:
    """Yield what can be stored for a parameter: as other classes of the file do, or as it is used."""
    source = target.tree.region.source
    module = read_module(source.path, target.project)
    for other in module.definitions:
        init = initialiser(other)
        for value in stored(init, field) if init else ():
            if not isinstance(value, ast.Name) and _reads(value) == {name}:
                code = ast.get_source_segment(source.text, value) or ""
                yield _SIBLING, code, f"`{other.qualname}` keeps `{code}` there"
                return
    if empty := _FILLED.get(_use(target.site)):
        code = f"{empty} if {name} is None else {name}"
        yield _EMPTY, code, f"`self.{field}` is filled, and `{name}` may be left out"


def _reads(value: ast.expr) -> set[str]:
    """Return the names that an expression reads, builtins left out."""
    return {each.id for each in ast.walk(value) if isinstance(each, ast.Name)} - _BUILTINS


def _use(site: Site) -> str:
    """Return the method that the failing code calls to fill the field; ``[]=`` for a stored item."""
    if "does not support item assignment" in site.message:
        return "[]="
    found = re.search(r"has no attribute '(\w+)'", site.message)
    return found[1] if found else ""


OptionalField.EXAMPLES = examples(
    """
as-sibling: another class of the file takes care of it
    class Form:
        def __init__(self, hooks=None):
            self.hooks = {} if hooks is None else hooks

    class Upload:
        def __init__(self, hooks=None):
            self.hooks = hooks

        def on(self, event, hook):
            «self.hooks»[event] = hook
TypeError: 'NoneType' object does not support item assignment
    class Form:
        def __init__(self, hooks=None):
            self.hooks = {} if hooks is None else hooks

    class Upload:
        def __init__(self, hooks=None):
            self.hooks = {} if hooks is None else hooks

        def on(self, event, hook):
            self.hooks[event] = hook

as-sibling: the method stands in a base, the field is set in the class of the object
    class Base:
        def on(self, event, hook):
            «self.hooks»[event] = hook

    class Form(Base):
        def __init__(self, hooks=None):
            self.hooks = hooks or {}

    class Upload(Base):
        def __init__(self, hooks=None):
            self.hooks = hooks
TypeError: 'NoneType' object does not support item assignment
where self: shop.Upload
    class Base:
        def on(self, event, hook):
            self.hooks[event] = hook

    class Form(Base):
        def __init__(self, hooks=None):
            self.hooks = hooks or {}

    class Upload(Base):
        def __init__(self, hooks=None):
            self.hooks = hooks or {}

empty: items are added to it
    class Cart:
        def __init__(self, lines: list[str] | None = None):
            # may come from an earlier order
            self.lines = lines

        def add(self, line):
            «self.lines».append(line)
AttributeError: 'NoneType' object has no attribute 'append'
    class Cart:
        def __init__(self, lines: list[str] | None = None):
            # may come from an earlier order
            self.lines = [] if lines is None else lines

        def add(self, line):
            self.lines.append(line)

not any: the caller has to give it
    class Cart:
        def __init__(self, lines):
            self.lines = lines

        def add(self, line):
            «self.lines».append(line)
AttributeError: 'NoneType' object has no attribute 'append'

not any: nothing tells what it may be
    class Job:
        def __init__(self, owner=None):
            self.owner = owner

        def mail(self):
            return «self.owner».mail
AttributeError: 'NoneType' object has no attribute 'mail'

not any: it is set to something else
    class Job:
        def __init__(self, runs=None):
            self.runs = load(runs)

        def start(self, run):
            «self.runs».append(run)
AttributeError: 'NoneType' object has no attribute 'append'

not as-sibling: what the other class stores needs what is not there
    class Form:
        def __init__(self, hooks=None):
            self.hooks = merged(hooks, DEFAULTS)

    class Upload:
        def __init__(self, hooks=None):
            self.hooks = hooks

        def on(self, event):
            return «self.hooks»[event]
TypeError: 'NoneType' object is not subscriptable
"""
)
