"""MisspeltAttribute: an attribute that the object does not have, next to one that it has."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples, target_at
from selfdebug.codemods._edit import Change, changed
from selfdebug.codemods._library import library_module
from selfdebug.codemods._members import members
from selfdebug.codemods._near import is_slip, nearest
from selfdebug.codemods._rename import alike
from selfdebug.model import Site, Span
from selfdebug.syntax.bindings import FUNCTIONS
from selfdebug.syntax.modules import Module, definitions, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree
from selfdebug.syntax.scopes import bound_names
from selfdebug.syntax.source import Source

_USE = Variant("use", "root-cause", "read the attribute that exists", prior=0.8)
_WORDS = Variant("words", "root-cause", "read the attribute that says the same", prior=0.4)
_OTHER = Variant("other-language", "root-cause", "call the method by its Python name", prior=0.8)
_DEFINITION = Variant(
    "definition", "root-cause", "give the attribute the name that is read", prior=0.85
)
_MESSAGE = re.compile(
    r"(?:(?P<kind>type object|module) )?'(?P<type>[\w.]+)'(?: object)? has no attribute '(?P<name>\w+)'"
)
_PRIVATE = re.compile(r"__\w*(?<!__)")
_ELSEWHERE = {
    "list": {"push": "append", "add": "append", "addAll": "extend", "concat": "extend"},
    "deque": {"push": "append", "add": "append", "shift": "popleft", "unshift": "appendleft"},
    "set": {"append": "add", "push": "add", "extend": "update", "addAll": "update"},
    "dict": {"iteritems": "items", "itervalues": "values", "iterkeys": "keys"},
    "str": {"trim": "strip", "toLowerCase": "lower", "toUpperCase": "upper", "indexOf": "find"},
}
"""What methods of the builtins are called in Python 2, JavaScript and Java."""


class _Lack(NamedTuple):
    """What a message says: the class, or the module, and the name that it does not have."""

    kind: str
    type: str
    name: str


class MisspeltAttribute(Codemod):
    """Write a misspelt attribute or method as the one that the object has."""

    DESCRIPTION = "Write a misspelt attribute as the one that exists."
    NAME = "misspelt-attribute"
    ANSWERS = (
        Answer(("AttributeError",), _MESSAGE.pattern, ("Attribute",)),
        Answer(("AttributeError",), r"^\w+$", ("Attribute",)),
    )
    VARIANTS = (_DEFINITION, _USE, _OTHER, _WORDS)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the place that reads the attribute, and the only one that gives it another name."""
        if not project.is_test_file(site.file):
            yield target_at(site, project)
        message = _lack(site)
        if message is None or message.kind:
            return
        name = message.name
        for owner, module in _classes(message.type, project):
            for near in nearest(name, members(owner, module)):
                span = _only_place(owner, module, near)
                # Where several places of the code read it, or a test, it is not they that are wrong.
                if span and _reads(name, project) > (not project.is_test_file(site.file)):
                    there = replace(site, file=module.source.path, span=span, node="Name")
                    yield target_at(there, project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the names nearest in spelling among those that the object has."""
        message = _lack(target.site)
        found = target.tree.at(target.site.span)
        attribute = next((node for node in found if isinstance(node, cst.Attribute)), None)
        if message is None:
            return
        name = message.name
        if target.site.node == "Name":
            yield from _defined(target, name)
        if attribute is None or attribute.attr.value != name:
            return
        other = _ELSEWHERE.get(message.type.rpartition(".")[2], {}).get(name)
        if other and (new := changed(target.tree, _renamed(target.tree, attribute, other))):
            yield Rewrite(_OTHER, new, f"Python calls `{name}` of a {message.type} `{other}`")
            return
        for near in nearest(name, _visible(target, message)):
            if new := changed(target.tree, _renamed(target.tree, attribute, near)):
                why = f"{message.type} has no `{name}`, but `{near}`"
                yield Rewrite(_USE if is_slip(name, near) else _WORDS, new, why)


def _lack(site: Site) -> _Lack | None:
    """Return what was missing; an enumeration says the name alone before Python 3.12."""
    found = _MESSAGE.search(site.message)
    if found is not None:
        return _Lack(found["kind"] or "", found["type"], found["name"])
    owner, _, name = site.code.rpartition(".")
    if name == site.message and owner.rpartition(".")[2].isidentifier():
        return _Lack("type object", owner.rpartition(".")[2], name)
    return None


def _defined(target: Target, name: str) -> Iterator[Rewrite]:
    """Yield the place that sets the attribute, or defines the method, with the name that is read."""
    tree = target.tree
    old = next(iter(tree.at(target.site.span)), None)
    if not isinstance(old, cst.Name) or old.value == name:
        return
    if new := changed(tree, {old: lambda node: node.with_changes(value=name)}):
        yield Rewrite(_DEFINITION, new, f"all read `{name}`, none `{old.value}`")


def _renamed(tree: Tree, attribute: cst.Attribute, name: str) -> Change:
    """Return the change of the attribute wherever the function reads it from the same object."""
    same = alike(tree, attribute)
    return {node.attr: lambda attr: attr.with_changes(value=name) for node in same}


def _known(target: Target, message: _Lack) -> set[str]:
    """Return the attributes that the live object, its class or its module shows."""
    near = target.site.attrs.get("near", "").split(", ")
    found = {name for name in near if name.isidentifier()}
    if message.kind == "module":
        path = target.project.module(message.type)
        if path is not None:
            return found | bound_names(read_module(path, target.project).tree).keys()
        return found | _public(library_module(message.type))
    for owner, module in _classes(message.type, target.project):
        found |= members(owner, module)
    return found | _public(_builtin(message.type))


def _visible(target: Target, message: _Lack) -> set[str]:
    """Return the known attributes without those that only the code of the class itself can read."""
    known = _known(target, message)
    module, line = read_module(target.site.file, target.project), target.site.span.line
    name = message.type.rpartition(".")[2]
    own = (e for e in ast.walk(module.tree) if isinstance(e, ast.ClassDef) and e.name == name)
    if any(each.lineno <= line <= (each.end_lineno or 0) for each in own):
        return known
    return {each for each in known if not _PRIVATE.fullmatch(each)}


def _builtin(type_name: str) -> object:
    """Return a class of the builtins or the standard library, by the name that a message gives it."""
    module, _, name = type_name.rpartition(".")
    kind = getattr(library_module(module) if module else builtins, name, None)
    return kind if isinstance(kind, type) else None


def _public(owner: object) -> set[str]:
    return set() if owner is None else {name for name in dir(owner) if not name.startswith("_")}


def _classes(type_name: str, project: Project) -> Iterator[tuple[ast.ClassDef, Module]]:
    name = type_name.rpartition(".")[2]
    if type_name != "NoneType" and not hasattr(builtins, name):
        for each in definitions(name, project):
            if isinstance(each.node, ast.ClassDef):
                yield each.node, each.module


# --- the definition ---


def _only_place(owner: ast.ClassDef, module: Module, name: str) -> Span | None:
    """Return where a class names an attribute, if that is the only mention in the whole project."""
    if _count(re.compile(rb"\b" + name.encode() + rb"\b"), module.project) != 1:
        return None
    for node in ast.walk(owner):
        if isinstance(node, ast.Attribute) and node.attr == name:
            return _span(module.source, node)
        if isinstance(node, FUNCTIONS) and node.name == name:
            column = module.source.line(node.lineno).index(name)
            return Span(node.lineno, column, node.lineno, column + len(name))
    return None


def _span(source: Source, node: ast.Attribute) -> Span:
    end = source.byte_offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
    return Span(*source.position(end - len(node.attr)), *source.position(end))


def _reads(name: str, project: Project) -> int:
    """Count the places that read an attribute by a name."""
    return _count(re.compile(rb"\." + name.encode() + rb"\b"), project)


def _count(pattern: re.Pattern[bytes], project: Project) -> int:
    files = (project.root.joinpath(*parts) for parts in project.files)
    return sum(len(pattern.findall(project.data(path))) for path in files)


MisspeltAttribute.EXAMPLES = examples(
    """
use: a method
    class Cart:
        def total(self):
            return sum(self.prices)

    def show(cart: Cart):
        print(«cart».totl())
AttributeError: 'Cart' object has no attribute 'totl'
    class Cart:
        def total(self):
            return sum(self.prices)

    def show(cart: Cart):
        print(cart.total())

use: an attribute, wherever the function reads it
    class Order:
        def __init__(self):
            self.quantity = 1

        def label(self):
            if «self».quantitiy > 1:  # several
                return f"{self.quantitiy} pieces"
            return "one"

        def free(self):
            return self.quantity > 9
AttributeError: 'Order' object has no attribute 'quantitiy'
    class Order:
        def __init__(self):
            self.quantity = 1

        def label(self):
            if self.quantity > 1:  # several
                return f"{self.quantity} pieces"
            return "one"

        def free(self):
            return self.quantity > 9

use: what only the live object has
    def show(row):
        return «row».user_nmae
AttributeError: 'Row' object has no attribute 'user_nmae'
with near = user_name
    def show(row):
        return row.user_name

use: a method of a builtin
    def clean(lines):
        return [«line».lowercase() for line in lines if line.startswth("#")]
AttributeError: 'str' object has no attribute 'startswth'
with near = startswith
    def clean(lines):
        return [line.lowercase() for line in lines if line.startswith("#")]

use: a function of a module
    import math

    def side(area):
        return «math».sqr(area)
AttributeError: module 'math' has no attribute 'sqr'
    import math

    def side(area):
        return math.sqrt(area)

use: a function of a module of the project
    from shop import money

    def total(order):
        return «money».round_price(order.amount)
AttributeError: module 'shop.money' has no attribute 'round_price'
beside shop/money.py
    def price_rounded(amount): ...

    def rounded_price(amount): ...
in shop.py
    from shop import money

    def total(order):
        return money.rounded_price(order.amount)

use: a member of an enumeration
    from enum import Enum

    class State(Enum):
        CANCELLED = 1
        OPEN = 2

    def close(job):
        job.state = «State».CANCELED
AttributeError: type object 'State' has no attribute 'CANCELED'
    from enum import Enum

    class State(Enum):
        CANCELLED = 1
        OPEN = 2

    def close(job):
        job.state = State.CANCELLED

use: an enumeration's own message
    from enum import Enum

    class State(Enum):
        RUNNING = 2

    def begin(job):
        job.state = «State.RUNING»
AttributeError: RUNING
    from enum import Enum

    class State(Enum):
        RUNNING = 2

    def begin(job):
        job.state = State.RUNNING

other-language: as JavaScript has it
    def active(users):
        found = []
        for user in users:
            «found».push(user)
        return found
AttributeError: 'list' object has no attribute 'push'
    def active(users):
        found = []
        for user in users:
            found.append(user)
        return found

other-language: as Python 2 had it
    def show(prices):
        for name, price in «prices».iteritems():
            print(name, price)
AttributeError: 'dict' object has no attribute 'iteritems'. Did you mean: 'items'?
    def show(prices):
        for name, price in prices.items():
            print(name, price)

definition: what is set once is what is misspelt
    class Cart:
        def __init__(self):
            self.itmes = []  # what is bought

        def add(self, item):
            «self».items.append(item)

        def count(self):
            return len(self.items)
AttributeError: 'Cart' object has no attribute 'items'
    class Cart:
        def __init__(self):
            self.items = []  # what is bought

        def add(self, item):
            self.items.append(item)

        def count(self):
            return len(self.items)

definition: a method that all call by another name
    class Cart:
        def additem(self, item): ...

    def fill(cart: Cart, items):
        «cart».add_item(items[0])
        cart.add_item(items[1])
AttributeError: 'Cart' object has no attribute 'add_item'
    class Cart:
        def add_item(self, item): ...

    def fill(cart: Cart, items):
        cart.add_item(items[0])
        cart.add_item(items[1])

definition: a method that the tests call by another name
in tests/test_cart.py
    def test_add(cart):
        «cart».add_item("pen")
AttributeError: 'Cart' object has no attribute 'add_item'
beside cart.py
    class Cart:
        def additem(self, item): ...
in cart.py
    class Cart:
        def add_item(self, item): ...

not definition: what only the message says
    class Cart:
        def __init__(self):
            self.items = []

    def first(cart: Cart):
        return «cart.items»[0]
AttributeError: 'Cart' object has no attribute 'item'

not any: None has nothing
    def show(user):
        return «user».name
AttributeError: 'NoneType' object has no attribute 'name'

not any: the class has nothing alike
    class Cart:
        def total(self): ...

    def show(cart: Cart):
        return «cart».currency
AttributeError: 'Cart' object has no attribute 'currency'

not any: a class that nobody knows
    def show(cart):
        return «cart».totl()
AttributeError: 'Cart' object has no attribute 'totl'

not definition: others read the attribute as it is set
    class Cart:
        def __init__(self):
            self.itmes = []

        def add(self, item):
            «self».items.append(item)

        def count(self):
            return len(self.itmes)
AttributeError: 'Cart' object has no attribute 'items'

not other-language: the class has its own push
    class Stack:
        def push(self, item): ...

    def fill(stack: Stack):
        «stack».add(1)
AttributeError: 'Stack' object has no attribute 'add'

not any: nobody knows what the class calls it
    def fill(rows):
        «rows».push(1)
AttributeError: 'Rows' object has no attribute 'push'

not any: a variable of the method, not an attribute
    class Cart:
        def add(self, item):
            items = [item]
            return «self».itmes
AttributeError: 'Cart' object has no attribute 'itmes'

not any: a module that has nothing alike
    import math

    def area(radius):
        return «math».circumference(radius)
AttributeError: module 'math' has no attribute 'circumference'

not any: a test's mistake
in tests/test_cart.py
    from cart import Cart

    def test_add(cart: Cart):
        «cart».itmes.append(1)
AttributeError: 'Cart' object has no attribute 'itmes'
beside cart.py
    class Cart:
        def __init__(self):
            self.items = []

        def count(self):
            return len(self.items)

not definition: two places set it
    class Cart:
        def __init__(self):
            self.itmes = []

        def clear(self):
            self.itmes = []

        def add(self, item):
            «self».items.append(item)
AttributeError: 'Cart' object has no attribute 'items'

not any: only what the class keeps for itself
    class Cart:
        def __total(self): ...

    def show(cart: Cart):
        return «cart».total
AttributeError: 'Cart' object has no attribute 'total'
"""
)
