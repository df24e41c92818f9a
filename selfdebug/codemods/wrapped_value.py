"""WrappedValue: a value is used as it came where it had to be cleaned, sorted, rounded or bounded."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, cast

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._blocks import (
    assigned_names,
    function_of,
    nodes_of,
    params_of,
    target_names,
)
from selfdebug.codemods._edit import Change, expression
from selfdebug.codemods._first_order import FirstOrder, Place, own_nodes, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import NUMBERS, Kind, function_at, kind_of
from selfdebug.codemods._names import code_of, root
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._signature import signature
from selfdebug.codemods._variables import fits, kind_named, unread, variables
from selfdebug.syntax.modules import Definition, definitions, read_module

_NO_LETTERS = "raises missing-item extra-item empty none text"
_TEXT = small_edit("text", "clean the text, or ignore its case", 0.06, "whitespace case text")
_ITEMS = small_edit("items", "sort, turn round or copy the items", 0.05, "order duplicate")
_NUMBER = small_edit("number", "round the number or drop its sign", 0.05, "rounding sign number")
_BOUNDED = small_edit("bounded", "keep the number within its bounds", 0.04, "number sign")
_KIND = small_edit("kind", "make it a value of another kind", 0.04, "type")
_ALSO = small_edit("also", "clean it as the other text", 0.15, "case whitespace bool")
_COMPARED = small_edit(
    "compared",
    "write it in the case of the constants that it is compared with",
    0.2,
    "case text bool",
)
_BOTH = small_edit("both", "compare without regard to case or space", 0.04, "case bool")
_PROJECT = small_edit("project", "pass it through a function of the project", 0.05)
_FIRST = small_edit(
    "first",
    "pass what was given through the project's function for it",
    0.2,
    "case whitespace missing-item empty bool",
)
_ONE = small_edit("one", "take the text as one item, not its letters", 0.2, _NO_LETTERS)
_EACH = small_edit("each", "make numbers of all the texts", 0.12, "order text type number bool")
_LIVE = small_edit(
    "live",
    "loop over a copy, as what a round calls may change the items",
    0.2,
    "missing-item off-by-one number duplicate hang",
)
_REMOVED = small_edit("removed", "use the value as it is", 0.06)

_WRAPS: dict[Variant, dict[Kind, tuple[str, ...]]] = {
    _TEXT: {"str": ("OLD.strip()", "OLD.lower()", "OLD.upper()")},
    _ITEMS: {
        "list": ("sorted(OLD)", "OLD[::-1]", "list(dict.fromkeys(OLD))", "OLD.copy()", "set(OLD)"),
        "tuple": ("tuple(sorted(OLD))", "OLD[::-1]"),
        "set": ("sorted(OLD)", "OLD.copy()"),
        "dict": (
            "dict(sorted(OLD.items()))",
            "OLD.copy()",
            "sorted(OLD)",
            "OLD.items()",
            "OLD.values()",
        ),
        "generator": ("sorted(OLD)", "list(OLD)", "set(OLD)"),
        "str": ("OLD[::-1]",),
    },
    _NUMBER: {
        "int": ("abs(OLD)", "-OLD"),
        "float": ("round(OLD, 2)", "round(OLD)", "int(OLD)", "abs(OLD)", "-OLD"),
        "number": ("round(OLD, 2)", "abs(OLD)", "round(OLD)", "int(OLD)", "-OLD"),
    },
    _BOUNDED: {"int": ("max(OLD, 0)",), "float": ("max(OLD, 0)",), "number": ("max(OLD, 0)",)},
    _KIND: {
        "str": ("int(OLD)", "float(OLD)", "len(OLD)"),
        "int": ("str(OLD)", "float(OLD)", "bool(OLD)"),
        "number": ("str(OLD)", "float(OLD)"),
        "float": ("str(OLD)",),
        "list": ("len(OLD)", "tuple(OLD)", "sum(OLD)"),
        "tuple": ("list(OLD)", "len(OLD)"),
        "set": ("list(OLD)", "len(OLD)"),
        "dict": ("list(OLD)", "len(OLD)"),
        "generator": ("tuple(OLD)", "sum(OLD)"),
        "range": ("list(OLD)",),
        "zip": ("list(OLD)", "dict(OLD)"),
        "reversed": ("list(OLD)",),
    },
}
_BY_SHAPE = {
    "whitespace": ((_TEXT, "OLD.strip()"),),
    "case": ((_TEXT, "OLD.lower()"), (_TEXT, "OLD.upper()"), (_TEXT, "OLD.title()")),
    "order": ((_ITEMS, "sorted(OLD)"), (_ITEMS, "OLD[::-1]")),
    "duplicate": ((_ITEMS, "list(dict.fromkeys(OLD))"), (_ITEMS, "set(OLD)")),
    "sign": ((_NUMBER, "abs(OLD)"), (_NUMBER, "-OLD"), (_BOUNDED, "max(OLD, 0)")),
    "rounding": ((_NUMBER, "round(OLD, 2)"), (_NUMBER, "round(OLD)"), (_NUMBER, "int(OLD)")),
    "type": tuple(
        (_KIND, f"{kind}(OLD)") for kind in ("str", "int", "float", "list", "tuple", "len")
    ),
    "number": ((_BOUNDED, "max(OLD, 0)"), (_NUMBER, "abs(OLD)")),
}
"""What is tried with a value of which nothing shows what kind it is."""

_TAKEN_OFF = frozenset(
    (
        *(
            "sorted",
            "reversed",
            "list",
            "set",
            "tuple",
            "str",
            "int",
            "float",
            "abs",
            "round",
            "len",
        ),
        *("bool", "frozenset", "dict", "sum", "max", "min", "deepcopy", "copy"),
    )
)
_METHODS = frozenset(
    (
        *("strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold"),
        *("copy", "keys", "values", "items"),
    )
)
_USED = (
    *(cst.Return, cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Arg, cst.Comparison, cst.For),
    *(
        cst.ComparisonTarget,
        cst.Element,
        cst.DictElement,
        cst.Index,
        cst.Slice,
        cst.CompFor,
        cst.BaseComp,
    ),
    *(cst.FormattedStringExpression, cst.BinaryOperation, cst.Attribute, cst.Yield, cst.IfExp),
)
_VALUES = (
    *(cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.BinaryOperation, cst.ListComp),
    *(cst.GeneratorExp, cst.IfExp),
)
_LIMITS = frozenset(("max", "limit", "maximum", "cap", "most"))
_MOST = 5  # functions of the project


class WrappedValue(FirstOrder):
    """Pass a value through a function or method that cleans, sorts or rounds it, or stop that."""

    DESCRIPTION = "Clean, sort, round, bound or copy a value, or use it as it is."
    NAME = "wrapped-value"
    VARIANTS = (
        _TEXT,
        _ITEMS,
        _NUMBER,
        _BOUNDED,
        _KIND,
        _ALSO,
        _COMPARED,
        _BOTH,
        _FIRST,
        _PROJECT,
        _ONE,
        _EACH,
        _LIVE,
        _REMOVED,
    )

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield a value in the calls that may be missing around it, and without those that are there."""
        node = place.node
        if isinstance(node, cst.Call):
            yield from _without(place, node)
            yield from _as_one(place, node)
        if isinstance(place.parent, cst.Assign) and isinstance(node, cst.Tuple | cst.Call):
            yield from _as_numbers(place, node)
        if isinstance(node, cst.Comparison):
            yield from _on_both_sides(place, node)
        if isinstance(node, cst.Name) and place.is_read:
            yield from _as_elsewhere(place, node)
        if isinstance(node, cst.Attribute | cst.Subscript):
            yield from _while_it_changes(place, node)
        if isinstance(node, _VALUES) and place.is_read and _is_used(place, node):
            for variant, code in _wraps(place, node):
                if _makes_a_difference(place, node, code):
                    yield variant, place.put(code), f"`{place.code(node)}` was used as it came"
            yield from _in_case(place, node)
            yield from _through_project(place, node)


def _while_it_changes(place: Place, node: cst.Attribute | cst.Subscript) -> Iterator[Form]:
    """Yield a copy of an object's items for a loop that calls what each item is or holds."""
    match place.parent:
        case cst.For(target=target, iter=items, body=body) if items is node:
            calls = (each for each in nodes_of(body) if isinstance(each, cst.Call))
            called = {root(code_of(call.func)) for call in calls}
            if not called.isdisjoint(target_names(target)) and kind_of(place, node) != "dict":
                yield _LIVE, place.put("list(OLD)"), "the items may change while each is called"


def _is_used(place: Place, node: cst.BaseExpression) -> bool:
    """Say whether a value is used where another one of its kind could be."""
    parent = place.parent
    match parent:
        case cst.Comparison() | cst.ComparisonTarget():
            return "None" not in place.code(place.tree.parents[node]).split()
        case cst.Attribute():
            return kind_of(place, node) == "str"
        case cst.IfExp(test=test):
            return node is not test
        case cst.Arg(star=star):
            return not star
    return isinstance(parent, _USED)


def _wraps(place: Place, node: cst.BaseExpression) -> Iterator[tuple[Variant, str]]:
    kind = kind_of(place, node)
    operand = isinstance(place.parent, cst.BinaryOperation | cst.AugAssign)
    if kind:
        for variant, by_kind in _WRAPS.items():
            if not (operand and variant in (_KIND, _ITEMS)):
                yield from ((variant, code) for code in by_kind.get(kind, ()))
        if kind in NUMBERS and not operand:
            yield from ((_BOUNDED, f"min(OLD, {name})") for name in _limits(place))
        return
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, _REAL):
        yield from ((_NUMBER, code) for code in _WRAPS[_NUMBER]["number"])
        yield from ((_BOUNDED, code) for code in _WRAPS[_BOUNDED]["number"])
    elif isinstance(node, cst.Name | cst.Attribute | cst.Subscript):
        yield from ((_ALSO, f"OLD.{name}()") for name in _cleaned(place))
    for shape in sorted(place.site.shapes):
        yield from _BY_SHAPE.get(shape, ())


_REAL = (cst.Multiply, cst.Divide)


def _cleaned(place: Place) -> Iterator[str]:
    """Yield the methods by which the statement cleans another text."""
    for node in own_nodes(place.statement):
        match node:
            case cst.Call(func=cst.Attribute(attr=cst.Name(value=name)), args=[]):
                if name in ("strip", "lower", "upper", "casefold", "title"):
                    yield name


def _limits(place: Place) -> Iterator[str]:
    """Yield the numbers that nothing reads yet, or that are called a limit."""
    for name in variables(place):
        limits = name in unread(place) or not _LIMITS.isdisjoint(name.split("_"))
        if limits and fits("int", kind_named(place, name)):
            yield name


def _makes_a_difference(place: Place, node: cst.BaseExpression, code: str) -> bool:
    """Say whether a call around a value does what is not done already."""
    parent = place.parent
    name = code.partition("(")[0].rpartition(".")[2]
    if name == "bool" and _is_measured(place):
        return False
    if isinstance(node, cst.Call) and last_of(node.func) == name:
        return False
    if isinstance(parent, cst.Attribute) and parent.attr.value in _METHODS | {name}:
        return False
    if isinstance(parent, cst.Arg):
        call = place.tree.parents[parent]
        func = last_of(call.func) if isinstance(call, cst.Call) else ""
        # The items in another order have the same sum, and so on.
        same = func in ("sum", "len", "set", "sorted", "max", "min", "any", "all", "frozenset")
        return not (
            func == name or (same and name in ("sorted", "copy", "list", "tuple", "OLD[::-1]"))
        )
    if isinstance(parent, cst.For | cst.CompFor):
        return name not in ("len", "str", "sum")
    return True


def _is_measured(place: Place) -> bool:
    """Say whether a number is one of several or a size: a truth value makes no sense there."""
    parent = place.parent
    if isinstance(parent, cst.Arg):
        call = place.tree.parents[parent]
        return isinstance(call, cst.Call) and last_of(call.func) in _OF_NUMBERS
    return isinstance(parent, cst.Element | cst.Index | cst.Slice)


_OF_NUMBERS = frozenset(("max", "min", "sum", "range", "round", "abs", "divmod", "pow"))


def _as_one(place: Place, call: cst.Call) -> Iterator[Form]:
    """Yield ``(name,)`` for ``tuple(name)`` where that is a text, or may be one."""
    displays = {"tuple": "(ITEM,)", "list": "[ITEM]", "set": "{ITEM}", "frozenset": "{ITEM}"}
    match call:
        case cst.Call(func=cst.Name(value=name), args=[cst.Arg(value=cst.Name() as item, star="")]):
            if name in displays and kind_of(place, item) in ("str", "", "tuple", "list", "set"):
                yield _ONE, place.put(displays[name], ITEM=item), "each letter was an item"


def _as_numbers(place: Place, node: cst.Tuple | cst.Call) -> Iterator[Form]:
    """Yield the numbers of texts that are unpacked: ``int(row[1]), int(row[2])``."""
    match place.parent:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple())]):
            pass
        case _:
            return
    why = "digits were compared or joined as texts"
    if isinstance(node, cst.Call):
        if last_of(node.func) in ("split", "groups", "rsplit", "partition"):
            for kind in ("int", "float"):
                yield _EACH, place.put(f"map({kind}, OLD)"), why
        return
    values = [element.value for element in node.elements]
    if all(isinstance(each, cst.Subscript | cst.Name) and _is_text(place, each) for each in values):
        for kind in ("int", "float"):
            yield _EACH, {each: _called(kind) for each in values}, why


def _is_text(place: Place, node: cst.BaseExpression) -> bool:
    """Say whether a value was seen to be a text, or an item of a list of texts."""
    owner = node.value if isinstance(node, cst.Subscript) else node
    seen = place.values.get(place.code(owner))
    if seen is None and isinstance(owner, cst.Name):
        text = place.tree.region.source.text
        parts = rf"^\s*{re.escape(owner.value)} = .*\.r?split\("
        return isinstance(node, cst.Subscript) and bool(re.search(parts, text, re.MULTILINE))
    if seen is None or isinstance(node, cst.Name):
        return seen is not None and seen.type == "str"
    return seen.type == "str" or (seen.text or "")[1:2] in ("'", '"')


def _called(function: str) -> Callable[[Any], cst.CSTNode]:
    return lambda old: expression(f"{function}(OLD)", OLD=old)


def _without(place: Place, call: cst.Call) -> Iterator[Form]:
    why = f"`{place.code(call)}` is not wanted, the value itself is"
    match call:
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=name)), args=[]):
            if name in _METHODS:
                yield _REMOVED, place.keep(owner), why
        case cst.Call(func=func, args=[cst.Arg(value=value, keyword=None, star=""), *rest]) if (
            last_of(func) in _TAKEN_OFF
        ):
            if last_of(func) in ("max", "min") and len(call.args) == 2:
                yield _REMOVED, place.keep(value), why
                yield _REMOVED, place.keep(call.args[1].value), why
            elif len(rest) <= 1 and not isinstance(value, cst.GeneratorExp):
                yield _REMOVED, place.keep(value), why


def _on_both_sides(place: Place, node: cst.Comparison) -> Iterator[Form]:
    match node.comparisons:
        case [
            cst.ComparisonTarget(
                operator=cst.Equal() | cst.NotEqual() | cst.In() | cst.NotIn() as sign,
                comparator=right,
            )
        ] if not isinstance(right, cst.Tuple | cst.List | cst.Set | cst.SimpleString):
            kinds = {kind_of(place, node.left), kind_of(place, right)}
            # What is equal to a text is one, what it is found in may be a list.
            texts = {"str"} == (
                kinds - {""} if isinstance(sign, cst.Equal | cst.NotEqual) else kinds
            )
            if texts and "." not in place.code(right).rpartition("(")[0]:
                for method in ("lower", "strip"):
                    change: Change = {side: _calling(method) for side in (node.left, right)}
                    yield _BOTH, change, f"`{place.code(node)}` did not ignore a difference"


def _in_case(place: Place, node: cst.BaseExpression) -> Iterator[Form]:
    """Yield a text in the case of all constants that it, or what gets it, is compared with."""
    match place.parent:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            function = function_of(place.tree, node)
            around = function.body if function is not None else place.statement
            compared = [each for each in nodes_of(around) if isinstance(each, cst.Comparison)]
            asked = [each for each in compared if place.code(each.left) == name]
        case cst.Comparison(left=left) as comparison if left is node:
            asked = [comparison]
        case _:
            return
    texts = [text for each in asked for text in _compared_with(place, each)]
    cased = [text for text in texts if text.lower() != text.upper()]
    for method, fits_all in (("upper", str.isupper), ("lower", str.islower)):
        done = isinstance(node, cst.Call) and last_of(node.func) in ("upper", "lower", "casefold")
        if cased and all(map(fits_all, cased)) and not done:
            why = f"it is compared with {', '.join(map(repr, cased[:3]))}"
            yield _COMPARED, place.put(f"OLD.{method}()"), why


def _compared_with(place: Place, node: cst.Comparison) -> Iterator[str]:
    for target in node.comparisons:
        if isinstance(target.operator, cst.Equal | cst.NotEqual | cst.In | cst.NotIn):
            with suppress(ValueError, SyntaxError):
                value = ast.literal_eval(place.code(target.comparator))
                values = [value] if isinstance(value, str) else value
                if isinstance(values, list | tuple | set | dict):
                    yield from sorted(each for each in values if isinstance(each, str))


def _calling(method: str) -> Callable[[Any], cst.CSTNode]:
    return lambda old: expression(f"OLD.{method}()", OLD=old)


def _through_project(place: Place, node: cst.BaseExpression) -> Iterator[Form]:
    """Yield the value passed to the functions of the module that take one and give one."""
    if isinstance(place.parent, cst.Attribute | cst.BinaryOperation | cst.Comparison):
        return
    own = function_at(place)
    used = (last_of(node.func) if isinstance(node, cst.Call) else "", own.name if own else "")
    for name in [each for each in _converters(place) if each not in used][:_MOST]:
        yield _PROJECT, place.put(f"{name}(OLD)"), f"`{name}` was not asked"


def _as_elsewhere(place: Place, node: cst.Name) -> Iterator[Form]:
    """Yield a parameter, where it is read first, passed through a function that the module uses."""
    function = function_of(place.tree, node)
    if function is None or _first_read(function, node.value) is not node:
        return
    if isinstance(place.parent, cst.Call | cst.FormattedStringExpression):
        return
    around = place.tree.parents[place.parent]
    caller = last_of(around.func) if isinstance(around, cst.Call) else ""
    for name in _converters(place):
        if name not in (caller, function.name.value) and name in _called_names(place):
            yield _FIRST, place.put(f"{name}(OLD)"), f"`{name}` is what others are passed through"


def _first_read(function: cst.FunctionDef, name: str) -> cst.CSTNode | None:
    """Return where a parameter is read first that keeps its value."""
    given = any(each.name.value == name for each in params_of(function))
    if not given or name in assigned_names(function.body):
        return None
    named = (each for each in nodes_of(function.body) if isinstance(each, cst.Name))
    return next((each for each in named if each.value == name), None)


def _called_names(place: Place) -> frozenset[str]:
    """Return the names of the functions that the module calls."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("called", path)
    if key not in parsed:
        nodes = ast.walk(read_module(path, place.project).tree)
        parsed[key] = frozenset(
            node.func.id
            for node in nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        )
    return cast("frozenset[str]", parsed[key])


def _converters(place: Place) -> tuple[str, ...]:
    """Return the functions of the project, known to the module, that take one value and give one."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("converters", path)
    if key not in parsed:
        module = read_module(path, place.project)
        own = (each.node.name for each in module.definitions if _converts(each))
        others = (name for name, full in module.imports.items() if _is_converter(place, full))
        parsed[key] = tuple(dict.fromkeys((*own, *others)))
    return cast("tuple[str, ...]", parsed[key])


def _is_converter(place: Place, full: str) -> bool:
    """Say whether an import is of a function of the project that takes one value and gives one."""
    name = full.rpartition(".")[2]
    found = next(definitions(name, place.project), None) if "." in full else None
    return found is not None and _converts(found)


def _converts(found: Definition) -> bool:
    takes = signature(found)
    if "." in found.qualname or takes is None or takes.variadic or len(takes.positional) != 1:
        return False
    return any(isinstance(each, ast.Return) and each.value for each in ast.walk(found.node))


WrappedValue.EXAMPLES = examples(
    """
live: a handler may take itself off
    def emit(self, name, event):
        for handler in «self.handlers[name]»:
            handler(event)
AssertionError: assert 1 == 2
    def emit(self, name, event):
        for handler in list(self.handlers[name]):
            handler(event)

not live: nothing is called that could change them
    def names(self):
        for user in «self.users[0]»:
            print(user.name)
AssertionError: assert 1 == 2

one: a name is one item
    def kinds(types):
        return «tuple(types)»  # as given
AssertionError: assert ('a', 'b') == ('ab',)
where types: str = 'ab'
    def kinds(types):
        return (types,)  # as given

each: goals are numbers
    def result(parts):
        ours, theirs = «parts[1], parts[2]»
        return ours > theirs
AssertionError: assert False is True
where parts: list = ['a', '10', '9']
    def result(parts):
        ours, theirs = int(parts[1]), int(parts[2])
        return ours > theirs

each: parts of a line
    def result(line):
        parts = line.split()
        ours, theirs = «parts[1], parts[2]»
        return ours > theirs
AssertionError: assert False is True
    def result(line):
        parts = line.split()
        ours, theirs = int(parts[1]), int(parts[2])
        return ours > theirs

each: what a line has
    def result(line):
        ours, theirs = «line.split(":")»
        return ours > theirs
AssertionError: assert False is True
    def result(line):
        ours, theirs = map(int, line.split(":"))
        return ours > theirs

not each: they are numbers
    def result(parts):
        ours, theirs = «parts[1], parts[2]»
        return ours > theirs
AssertionError: assert False is True
where parts: list = [1, 10, 9]

not one: the items of a range are not letters
    def kinds():
        return «tuple(range(3))»
AssertionError: assert (0, 1) == (1, 2)

both: not the word itself, however it is written
    def others(word, words):
        return [each for each in words if «each != word»]  # in order
AssertionError: assert ['a', 'b'] == ['b']
where word: str = 'A'
    def others(word, words):
        return [each for each in words if each.lower() != word.lower()]  # in order

text: spaces around it
    def key(line):
        name, _, value = line.partition("=")
        return «name», value  # as text
AssertionError: assert 'a ' == 'a'
where name: str = 'a '
    def key(line):
        name, _, value = line.partition("=")
        return name.strip(), value  # as text

items: in order
    def listed(names):
        return «[name for name in names]»
AssertionError: assert [2, 1] == [1, 2]
    def listed(names):
        return sorted([name for name in names])

number: as far as it goes
    def distance(a, b):
        return «len(a) - len(b)»
AssertionError: assert -1 == 1
    def distance(a, b):
        return abs(len(a) - len(b))

number: to the cent
    def tax(amount):
        return «amount * 0.19»
AssertionError: assert 1.899 == 1.9
    def tax(amount):
        return round(amount * 0.19, 2)

bounded: not below nothing
    def left(stock, sold):
        return «stock - sold»
AssertionError: assert -1 == 0
where stock: int = 2
where sold: int = 3
    def left(stock, sold):
        return max(stock - sold, 0)

kind: text of a number
    def label(number):
        return [«number»]
AssertionError: assert [1] == ['1']
where number: int = 1
    def label(number):
        return [str(number)]

also: both without regard to case
    def mentions(text, word):
        return text.lower().count(«word»)
AssertionError: assert 0 == 1
    def mentions(text, word):
        return text.lower().count(word.lower())

both: small and capital letters are the same
    def same(name: str, other: str):
        return «name == other»
AssertionError: assert False
    def same(name: str, other: str):
        return name.lower() == other.lower()

project: the module has a function for it
    def normal(name):
        return name.strip().lower()

    def add(names, name):
        names[«name»] = True
        return names
AssertionError: assert {'A': True} == {'a': True}
    def normal(name):
        return name.strip().lower()

    def add(names, name):
        names[normal(name)] = True
        return names

first: as the names that it is looked for in
    def fold(text):
        return text.casefold().replace("ß", "ss")

    def search(names, query):
        words = «query».split()
        return [name for name in names if all(word in fold(name) for word in words)]
AssertionError: assert [] == ['Ann']
    def fold(text):
        return text.casefold().replace("ß", "ss")

    def search(names, query):
        words = fold(query).split()
        return [name for name in names if all(word in fold(name) for word in words)]

first: as a key
    def normal(path):
        return path.rstrip("/") or "/"

    class Routes:
        def add(self, path, view):
            self.views[normal(path)] = view

        def find(self, path):
            return self.views.get(«path»)
AssertionError: assert None == 1
    def normal(path):
        return path.rstrip("/") or "/"

    class Routes:
        def add(self, path, view):
            self.views[normal(path)] = view

        def find(self, path):
            return self.views.get(normal(path))

removed: as they came
    def listed(names):
        return «sorted(names)»
AssertionError: assert [1, 2] == [2, 1]
    def listed(names):
        return names

removed: the case matters
    def key(name):
        return («name.lower()») + "!"
AssertionError: assert 'a!' == 'A!'
    def key(name):
        return name + "!"

compared: a mark that may be written in any case
    def hours(hour, mark):
        mark = «mark.strip()»
        if mark == "PM" and hour < 12:
            return hour + 12
        return 0 if mark == "AM" and hour == 12 else hour
AssertionError: assert 3 == 15
    def hours(hour, mark):
        mark = mark.strip().upper()
        if mark == "PM" and hour < 12:
            return hour + 12
        return 0 if mark == "AM" and hour == 12 else hour

compared: an answer
    def agrees(answer):
        return «answer» in ("yes", "y")
AssertionError: assert False is True
    def agrees(answer):
        return answer.lower() in ("yes", "y")

not compared: constants in both cases
    def agrees(answer):
        return «answer» in ("yes", "Y")
AssertionError: assert False is True

not first: it was read before
    def fold(text):
        return text.casefold()

    def search(names, query):
        known = fold(query) in names
        return known or «query».split()
AssertionError: assert [] == ['Ann']

not first: nobody uses the function
    def fold(text):
        return text.casefold()

    def search(names, query):
        return «query».split()
AssertionError: assert [] == ['Ann']

not any: nothing tells what it is
    def key(name):
        return «name»
AssertionError: assert 'a!' == 'A!'

not items: a sum does not depend on the order
    def total(prices):
        return sum(«tuple(prices)»)
AssertionError: assert 1 == 2

not text: it is stripped already
    def key(line: str):
        return «line».strip()
AssertionError: assert 'a' == 'A'

not any: None is None
    def has(name: str):
        return «name» is None
AssertionError: assert False

not any: one of them is a number
    def same(one: str, other: int):
        return «one == other»
AssertionError: assert False is True

not any: the argument of a star
    def show(names: list):
        print(*«names»)
AssertionError: assert 'a b' == 'b a'

not any: it is called for what it does
    def key(name):
        return «name.load()»
AssertionError: assert 'a!' == 'A!'

not any: the function itself
    def fold(text):
        return «text»
AssertionError: assert 'A' == 'a'

not any: it takes two values
    def joined(first, last):
        return first + last

    def show(name):
        return [«name»]
AssertionError: assert ['a'] == ['A']

not compared: the text is in that case already
    def agrees(answer):
        return «answer.lower()» in ("yes", "y")
AssertionError: assert False is True

not any: a target is not read
    def key(line):
        «text» = line
        return text
AssertionError: assert 'a ' == 'a'
"""
)
