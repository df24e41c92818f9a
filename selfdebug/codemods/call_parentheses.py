"""CallParentheses: a function stood where its result was meant, or a value was called."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from contextlib import suppress

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
from selfdebug.codemods._defined import defined_at, target_in
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._edit import named as named_as
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._names import dotted
from selfdebug.codemods._operands import bad, of_type, value_of
from selfdebug.codemods._place import is_parameter
from selfdebug.model import Site
from selfdebug.syntax.bindings import FUNCTIONS, Function, is_static
from selfdebug.syntax.modules import Definition, definitions
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_CALL = Variant("call", "root-cause", "call the function whose result is meant", prior=0.8)
_VALUE = Variant("value", "root-cause", "take the value, which is no function", prior=0.8)
_ITEM = Variant("item", "root-cause", "take an item instead of calling the container", prior=0.7)
_ARGUMENT = Variant("argument", "root-cause", "call the function with what it was indexed by")
_INSTANCE = Variant("instance", "root-cause", "use an instance, not its class", prior=0.6)
_PROPERTY = Variant(
    "property", "root-cause", "make the method a property, as it is used", prior=0.85
)
_METHOD = Variant("method", "root-cause", "make the property a method, as it is used", prior=0.6)

_FUNCTIONS = frozenset(("method", "function", "builtin_function_or_method", "method-wrapper"))
_KINDS = "|".join(sorted(_FUNCTIONS))
_METACLASSES = frozenset({"type", "ABCMeta"})
_INDEXED = frozenset(("list", "dict", "tuple", "str", "OrderedDict", "defaultdict", "Counter"))
_CLASS = re.compile(
    r"type object '(?P<name>\w+)'|'type'|ABCMeta|missing 1 required positional argument: '\w+'$"
)


class CallParentheses(Codemod):
    """Add the parentheses that a call lacks, or take away those of what is no function."""

    DESCRIPTION = "Call what is meant to be called, and nothing else."
    NAME = "call-parentheses"
    ANSWERS = (
        Answer(
            ("TypeError", "AttributeError"), rf"'(?:{_KINDS}|type)'|\b(?:method|function) found"
        ),
        Answer(
            ("TypeError",), r"object is not callable|missing 1 required positional argument: '\w+'$"
        ),
        Answer(("AttributeError",), r"^type object '"),
    )
    VARIANTS = (_CALL, _VALUE, _ITEM, _ARGUMENT, _INSTANCE, _PROPERTY, _METHOD)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the code at the site; for a test's site the definition of what it uses."""
        here, in_test = target_at(site, project), project.is_test_file(site.file)
        called = "is not callable" in site.message
        for node in bad(here.tree, site) if called else of_type(here.tree, site, _FUNCTIONS):
            found = _definition(node, project)
            if found is None or not isinstance(found.node, FUNCTIONS) or not found.owner:
                continue
            if in_test or not (called or _is_called(found.node.name, project)):
                yield target_in(found.node, found.module, site, project)
        if not in_test:
            yield here

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the repairs of what the message says was called, or was not."""
        yield from rewritten(target.tree, _repairs(target))


def _is_called(name: str, project: Project) -> bool:
    """Say whether a file of the project, a test perhaps, calls a method of a name, or passes it on."""
    used = re.compile(rb"\." + re.escape(name.encode()) + rb"\s*[(,)]")
    for parts in project.files:
        with suppress(OSError):
            if used.search(project.data(project.root.joinpath(*parts))):
                return True
    return False


def _repairs(target: Target) -> Iterator[Form]:
    tree, site = target.tree, target.site
    function = defined_at(tree, site.span.line)
    if function is not None:
        yield from _redefined(function, site.message)
    elif "is not callable" in site.message:
        for node in bad(tree, site):
            yield from _uncalled(tree, node, site.message)
    elif _CLASS.search(site.message):
        yield from _instances(target)
    else:
        for node in of_type(tree, site, _FUNCTIONS):
            yield from _called(target, node)


def _redefined(function: cst.FunctionDef, message: str) -> Iterator[Form]:
    name = function.name.value
    names = [dotted(each.decorator) for each in function.decorators]
    params = function.params
    alone = [each.name.value for each in params.params] == ["self"] and not params.kwonly_params
    if "is not callable" in message:
        if names == ["property"]:
            change: Change = {function: lambda updated: updated.with_changes(decorators=[])}
            yield _METHOD, change, f"`{name}` is called, as a method"
    elif not names and alone and function.asynchronous is None:
        decorator = cst.Decorator(cst.Name("property"))
        change = {function: lambda updated: updated.with_changes(decorators=[decorator])}
        yield _PROPERTY, change, f"`{name}` is read without a call, as a property"


def _uncalled(tree: Tree, func: cst.BaseExpression, message: str) -> Iterator[Form]:
    """Take away the parentheses of a call, or make brackets of them."""
    call = tree.parents[func]
    kind = message.split("'")[1].rpartition(".")[2]
    if not isinstance(call, cst.Call) or _is_builtin(func) or kind in {"NoneType", "module"}:
        return
    code = tree.code(func)
    match call.args:
        case []:
            change = replaced(tree, call, lambda updated: updated.func)
            yield _VALUE, change, f"`{code}` is no function, but a value of type {kind}"
        case [cst.Arg(keyword=None, star="")] if kind in _INDEXED:
            change = replaced(
                tree, call, lambda new: expression("A[B]", A=new.func, B=new.args[0].value)
            )
            yield _ITEM, change, f"`{code}` is no function, but a {kind} with items"


def _is_builtin(func: cst.BaseExpression) -> bool:
    """Say whether a variable hides a builtin function: then its name is what is wrong."""
    return isinstance(func, cst.Name) and hasattr(builtins, func.value)


def _called(target: Target, node: cst.BaseExpression) -> Iterator[Form]:
    tree = target.tree
    item = tree.parents[node]
    match item:
        case cst.Subscript(
            value=value, slice=[cst.SubscriptElement(slice=cst.Index(star=None))]
        ) if value is node and "subscriptable" in target.site.message:
            change = replaced(
                tree, item, lambda new: expression("A(B)", A=new.value, B=new.slice[0].slice.value)
            )
            yield _ARGUMENT, change, f"`{tree.code(node)}` is a function"
    given = value_of(tree, node)
    if isinstance(node, cst.Name) and given is None and is_parameter(tree, node):
        return
    func = given if isinstance(given, cst.Name | cst.Attribute) else node
    if isinstance(func, cst.Name | cst.Attribute) and _needs_nothing(func, target.project):
        change = replaced(tree, func, cst.Call)
        yield _CALL, change, f"`{tree.code(func)}` is a function, and its result is meant"


def _instances(target: Target) -> Iterator[Form]:
    """Put an instance in the place of a class: one that is at hand, else a new one."""
    tree, site = target.tree, target.site
    for node in _classes(tree, site):
        given = value_of(tree, node)
        named = given if isinstance(given, cst.Name | cst.Attribute) else node
        name = (dotted(named) or "").rpartition(".")[2]
        found = [*definitions(name, target.project)]
        if not any(isinstance(each.node, ast.ClassDef) for each in found):
            continue
        for variable in _held(site, name):
            yield _INSTANCE, named_as(tree, named, variable), f"`{variable}` is the `{name}` meant"
        if all(_is_made_of_nothing(each) for each in found):
            change = replaced(tree, named, cst.Call)
            yield _INSTANCE, change, f"`{name}` is a class, and an instance is meant"


def _classes(tree: Tree, site: Site) -> Iterator[cst.BaseExpression]:
    if " missing 1 required" not in site.message:
        yield from of_type(tree, site, _METACLASSES)
        return
    for node in tree.at(site.span):
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            # A method that was called on its class took the first argument for its object.
            method = f"{dotted(node.func.value)}.{node.func.attr.value}"
            if site.message.startswith(f"{method}()"):
                yield node.func.value


def _held(site: Site, name: str) -> Iterator[str]:
    for variable, value in site.locals.items():
        if value.type.rpartition(".")[2] == name and variable.isidentifier():
            yield variable


def _is_made_of_nothing(found: Definition) -> bool:
    """Say whether a class can be called without arguments, as far as its own body shows."""
    if not isinstance(found.node, ast.ClassDef) or found.node.decorator_list or found.node.bases:
        return False
    makers = (stmt for stmt in found.node.body if isinstance(stmt, FUNCTIONS))
    return all(_requires(each, 1) == 0 for each in makers if each.name == "__init__")


def _needs_nothing(func: cst.Name | cst.Attribute, project: Project) -> bool:
    """Say whether a function can be called without arguments, as far as the project defines it."""
    name = func.attr.value if isinstance(func, cst.Attribute) else func.value
    own = [each for each in definitions(name, project) if isinstance(each.node, FUNCTIONS)]
    return all(_requires(each.node, _bound(each)) == 0 for each in own)


def _bound(found: Definition) -> int:
    static = isinstance(found.node, FUNCTIONS) and is_static(found.node)
    return int(found.owner is not None and not static)


def _requires(node: Function | ast.ClassDef, given: int) -> int:
    """Return how many arguments a function requires beside those that it is given anyway."""
    assert isinstance(node, FUNCTIONS)
    args = node.args
    positional = len(args.posonlyargs) + len(args.args) - len(args.defaults) - given
    return max(positional, 0) + sum(default is None for default in args.kw_defaults)


def _definition(node: cst.BaseExpression, project: Project) -> Definition | None:
    """Return the only method of the project that an attribute can stand for."""
    if not isinstance(node, cst.Attribute):
        return None
    found = [*definitions(node.attr.value, project)]
    return found[0] if len(found) == 1 else None


CallParentheses.EXAMPLES = examples(
    """
call: a method in a sum
    def with_tax(order):
        return «order.total * 1.19»
TypeError: unsupported operand type(s) for *: 'method' and 'float'
    def with_tax(order):
        return order.total() * 1.19

call: a loop over a method of a dictionary
    def lines(prices):
        for name, price in «prices.items»:  # cheapest first
            print(name, price)
TypeError: 'builtin_function_or_method' object is not iterable
    def lines(prices):
        for name, price in prices.items():  # cheapest first
            print(name, price)

call: the assignment that gave the function
    def initials(name):
        clean = name.strip
        return "".join(part[0] for part in «clean».split())
AttributeError: 'builtin_function_or_method' object has no attribute 'split'
    def initials(name):
        clean = name.strip()
        return "".join(part[0] for part in clean.split())

call: the length of what a method returns
    def is_full(shelf):
        return len(«shelf.books») >= 10
TypeError: object of type 'method' has no len()
    def is_full(shelf):
        return len(shelf.books()) >= 10

call: the items of a sum
    def due(members):
        return «sum(member.owes for member in members)»
TypeError: unsupported operand type(s) for +: 'int' and 'method'
    def due(members):
        return sum(member.owes() for member in members)

property: nobody calls the method
    class Quantity:
        def base(self):  # in metres
            return self.value * self.factor

        def to(self, unit):
            return «self.base / unit.factor»
TypeError: unsupported operand type(s) for /: 'method' and 'float'
    class Quantity:
        @property
        def base(self):  # in metres
            return self.value * self.factor

        def to(self, unit):
            return self.base / unit.factor

not property: another one calls the method
    class Quantity:
        def base(self):
            return self.value * self.factor

        def to(self, unit):
            return «self.base / unit.factor»

        def __str__(self):
            return str(self.base())
TypeError: unsupported operand type(s) for /: 'method' and 'float'

value: a property that is called
    def label(order):
        return f"{«order.total»()} EUR"
TypeError: 'float' object is not callable
    def label(order):
        return f"{order.total} EUR"

item: parentheses for brackets
    def price(prices, name):
        return «prices»(name)
TypeError: 'dict' object is not callable
    def price(prices, name):
        return prices[name]

argument: brackets for parentheses
    def price(catalogue, name):
        return «catalogue.find»[name].price
TypeError: 'method' object is not subscriptable
    def price(catalogue, name):
        return catalogue.find(name).price

instance: a class where one of its instances is meant
    class Cart:
        def __init__(self):
            self.items = []

    def buy(item):
        cart = Cart
        «cart».items.append(item)
AttributeError: type object 'Cart' has no attribute 'items'
    class Cart:
        def __init__(self):
            self.items = []

    def buy(item):
        cart = Cart()
        cart.items.append(item)

instance: the variable at hand
    class Cart:
        def __init__(self, owner):
            self.owner = owner

        def total(self):
            return 1

    def due(cart):
        return «Cart.total()»
TypeError: Cart.total() missing 1 required positional argument: 'self'
where cart: shop.Cart
    class Cart:
        def __init__(self, owner):
            self.owner = owner

        def total(self):
            return 1

    def due(cart):
        return cart.total()

instance: a method that is called on its own class
    class Box:
        def scaled(self, factor):
            return Box(self.width * factor)

        def doubled(self):
            return «Box.scaled(2)»
TypeError: Box.scaled() missing 1 required positional argument: 'factor'
where self: shop.Box
    class Box:
        def scaled(self, factor):
            return Box(self.width * factor)

        def doubled(self):
            return self.scaled(2)

property: a test reads what is a method
in tests/test_shop.py
    def test_area(room):
        assert «room.area + 1» == 13
TypeError: unsupported operand type(s) for +: 'method' and 'int'
beside shop.py
    class Room:
        def area(self):
            return self.width * self.depth
in shop.py
    class Room:
        @property
        def area(self):
            return self.width * self.depth

method: a test calls what is a property
in tests/test_shop.py
    def test_area(room):
        assert «room.area»() == 12
TypeError: 'int' object is not callable
beside shop.py
    class Room:
        @property
        def area(self):
            return self.width * self.depth
in shop.py
    class Room:
        def area(self):
            return self.width * self.depth

not any: the function needs an argument
    def discount(order):
        return order

    def reduced(price):
        return price - «discount»
TypeError: unsupported operand type(s) for -: 'int' and 'function'

not any: a parameter: its caller knows what it passes
    def total(prices, tax):
        return sum(prices) * «tax»
TypeError: unsupported operand type(s) for *: 'int' and 'function'

not any: a variable that hides a builtin
    def report(rows):
        list = rows[0]
        return «list»(rows)
TypeError: 'list' object is not callable

not any: something was missing, not called too often
    def run(callback):
        return «callback»()
TypeError: 'NoneType' object is not callable

not instance: the class needs arguments
    class Cart:
        def __init__(self, owner):
            self.owner = owner

    def buy(item):
        cart = Cart
        «cart».items.append(item)
AttributeError: type object 'Cart' has no attribute 'items'

not any: the class belongs to others
    def today():
        day = date
        return «day».month + 1
TypeError: unsupported operand type(s) for +: 'type' and 'int'

not value: there are arguments
    def label(order):
        return «order.total»(2)
TypeError: 'float' object is not callable

not call: it is called already
    def with_tax(order):
        return «order.total()» * 1.19
TypeError: unsupported operand type(s) for *: 'method' and 'float'

not item: two keys are not one
    def price(prices, shop, name):
        return «prices»(shop, name)
TypeError: 'dict' object is not callable

not item: a set has no items to take
    def is_known(names, name):
        return «names»(name)
TypeError: 'set' object is not callable

not argument: a slice is no argument
    def first(catalogue):
        return «catalogue.find»[:3]
TypeError: 'method' object is not subscriptable

not property: the method takes an argument
in tests/test_shop.py
    def test_area(room):
        assert «room.area + 1» == 13
TypeError: unsupported operand type(s) for +: 'method' and 'int'
beside shop.py
    class Room:
        def area(self, border=0):
            return self.width * self.depth

not method: its value is kept, as no method's is
in tests/test_shop.py
    def test_area(room):
        assert «room.area»() == 12
TypeError: 'int' object is not callable
beside shop.py
    class Room:
        @cached_property
        def area(self):
            return self.width * self.depth

not property: two classes have such a method
in tests/test_shop.py
    def test_area(room):
        assert «room.area + 1» == 13
TypeError: unsupported operand type(s) for +: 'method' and 'int'
beside shop.py
    class Room:
        def area(self):
            return self.width * self.depth

    class Garden:
        def area(self):
            return self.size

not any: a module is called, and not what is in it
    def today():
        return «datetime»(2026, 1, 1)
TypeError: 'module' object is not callable
"""
)
