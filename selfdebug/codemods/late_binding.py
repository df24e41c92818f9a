"""LateBinding: functions made in a loop that all see the loop's last value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TypeAlias

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import changed
from selfdebug.codemods._names import bound, identifiers
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._tested import suspected
from selfdebug.model import Site
from selfdebug.syntax.bindings import Function
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_DEFAULT = Variant(
    "default", "root-cause", "bind the loop's value when the function is made", growth=0, prior=0.85
)
Made: TypeAlias = cst.Lambda | cst.FunctionDef
_AT_ONCE = frozenset(
    (
        *("sorted", "sort", "min", "max", "map", "filter", "reduce", "any", "all", "sum", "next"),
        *("groupby", "takewhile", "dropwhile", "sub", "starmap", "apply", "nlargest", "nsmallest"),
    )
)


class LateBinding(Codemod):
    """Bind what a loop has at hand to the functions that it makes, when it makes them."""

    DESCRIPTION = "Bind loop variables to the functions that a loop makes."
    NAME = "late-binding"
    ANSWERS = (Answer(("AssertionError",)),)
    VARIANTS = (_DEFAULT,)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the functions that ran: at the site, or called by the test."""
        yield from suspected(site, project, _makes_functions)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the code in which all functions that a loop makes take its value as a default."""
        tree = target.tree
        late = {node: _late(tree, node) for node in tree.ranges if isinstance(node, Made)}
        late = {made: names for made, names in late.items() if names and _is_plain(made.params)}
        if not late:
            return
        module = changed(tree, {made: partial(_binding, names) for made, names in late.items()})
        if module is not None:
            shown = ", ".join(
                dict.fromkeys(f"`{name}`" for names in late.values() for name in names)
            )
            yield Rewrite(
                _DEFAULT, module, f"all functions that the loop makes see the last {shown}"
            )


def _makes_functions(function: Function) -> bool:
    made = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(each, made) and each is not function for each in ast.walk(function))


def _late(tree: Tree, made: Made) -> list[str]:
    """Return the names of a loop around a function that it reads, if it is kept for later."""
    if isinstance(made, cst.Lambda) and not _is_kept(tree, made):
        return []
    own = {param.name.value for param in _every(made.params)}
    own |= {*bound(made.body)} if isinstance(made, cst.FunctionDef) else set()
    read = [name for name in dict.fromkeys(_read(made.body)) if name not in own]
    for up in tree.ancestors(made):
        if isinstance(up, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            return []
        changing = _changing(up, made)
        if changing:
            return [name for name in read if name in changing]
    return []


def _changing(up: cst.CSTNode, made: Made) -> set[str]:
    """Return the names that a loop binds anew in each turn, but for the function itself."""
    match up:
        case cst.For(target=target, body=body):
            own = {made.name.value} if isinstance(made, cst.FunctionDef) else set()
            return {*identifiers(target), *(name for name in bound(body) if "." not in name)} - own
        case cst.BaseComp(for_in=loop):
            names: set[str] = set()
            each: cst.CompFor | None = loop
            while each is not None:
                names |= {*identifiers(each.target)}
                each = each.inner_for_in
            return names
    return set()


def _is_kept(tree: Tree, made: cst.Lambda) -> bool:
    """Say whether a lambda outlives its turn of the loop: it is stored, appended, or registered."""
    parent = tree.parents[made]
    if isinstance(parent, cst.Arg):
        call = tree.parents[parent]
        return isinstance(call, cst.Call) and last_of(call.func) not in _AT_ONCE and not parent.star
    return isinstance(
        parent,
        cst.Assign | cst.DictComp | cst.ListComp | cst.GeneratorExp | cst.DictElement | cst.Element,
    )


def _read(node: cst.CSTNode) -> Iterator[str]:
    """Yield the variables that a body reads; attributes and keywords are none."""
    match node:
        case cst.Name(value=name):
            yield name
        case cst.Attribute(value=value):
            yield from _read(value)
        case cst.Arg(value=value):
            yield from _read(value)
        case _:
            for child in node.children:
                yield from _read(child)


def _every(params: cst.Parameters) -> Iterator[cst.Param]:
    yield from (*params.posonly_params, *params.params, *params.kwonly_params)
    for star in (params.star_arg, params.star_kwarg):
        if isinstance(star, cst.Param):
            yield star


def _is_plain(params: cst.Parameters) -> bool:
    """Say whether a parameter can be added at the end."""
    has_star = isinstance(params.star_arg, cst.Param | cst.ParamStar)
    return not (has_star or params.star_kwarg or params.posonly_params)


def _binding(names: list[str], made: Made) -> Made:
    """Return a function that takes the values of names as its last defaults."""
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    added = [cst.Param(cst.Name(name), default=cst.Name(name), equal=equal) for name in names]
    params = made.params.with_changes(params=[*made.params.params, *added])
    if isinstance(made, cst.Lambda):
        space = cst.SimpleWhitespace(" ")
        return made.with_changes(params=params, whitespace_after_lambda=space)
    return made.with_changes(params=params)


LateBinding.EXAMPLES = examples(
    """
default: functions in a list
    def multipliers(numbers):
        found = []
        for number in numbers:
            found.append(lambda x: x * number)
        return «found»
AssertionError: assert 6 == 2
    def multipliers(numbers):
        found = []
        for number in numbers:
            found.append(lambda x, number=number: x * number)
        return found

default: a comprehension, seen by a test
in tests/test_menu.py
    from menu import actions

    def test_actions():
        assert «actions(["a", "b"])["a"]()» == "a!"
AssertionError: assert 'b!' == 'a!'
beside menu.py
    def actions(names):
        return {name: lambda: name + "!" for name in names}
in menu.py
    def actions(names):
        return {name: lambda name=name: name + "!" for name in names}

default: a function in a loop
    def handlers(bus, topics):
        for topic in topics:
            def handle(event):
                bus.log(topic, event)
            bus.on(topic, handle)
        return «bus»
AssertionError: assert ['b'] == ['a']
    def handlers(bus, topics):
        for topic in topics:
            def handle(event, topic=topic):
                bus.log(topic, event)
            bus.on(topic, handle)
        return bus

default: what the loop works out
    def checks(rules):
        found = {}
        for name, rule in rules:
            limit = rule["limit"]
            found[name] = lambda value: value < limit
        return «found»
AssertionError: assert True is False
    def checks(rules):
        found = {}
        for name, rule in rules:
            limit = rule["limit"]
            found[name] = lambda value, limit=limit: value < limit
        return found

not any: a function that is used at once
    def best(groups):
        found = []
        for weight, group in groups:
            found.append(max(group, key=lambda item: item * weight))
        return «found»
AssertionError: assert [3] == [2]

not any: it has a value of its own
    def multipliers(numbers):
        return «[lambda x, n=n: x * n for n in numbers]»
AssertionError: assert 6 == 2

not any: what it reads stays
    def multipliers(numbers, factor):
        return «[lambda x: x * factor for n in numbers]»
AssertionError: assert 6 == 2

not any: there is no place for another parameter
    def wrapped(functions):
        return «[lambda *args: f(*args) for f in functions]»
AssertionError: assert 6 == 2
"""
)
