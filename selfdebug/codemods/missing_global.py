"""MissingGlobal: a function that means to change a variable outside it, and makes one of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, changed
from selfdebug.codemods._insert import above, statements
from selfdebug.codemods._rename import home, name_at
from selfdebug.syntax.bindings import FUNCTIONS, bindings, parameters
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.scopes import Scope, scopes_at

_GLOBAL = Variant("global", "root-cause", "declare the module's variable", prior=0.7)
_NONLOCAL = Variant("nonlocal", "root-cause", "declare the outer function's variable", prior=0.85)


class MissingGlobal(Codemod):
    """Declare ``global`` or ``nonlocal`` what a function reads from outside and assigns."""

    DESCRIPTION = "Declare the outer variable that a function assigns."
    NAME = "missing-global"
    ANSWERS = (Answer(("UnboundLocalError",), "", ("Name",)),)
    VARIANTS = (_NONLOCAL, _GLOBAL)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the declaration of the nearest variable of the name outside the function."""
        tree, site = target.tree, target.site
        bad = name_at(tree, site.span)
        module = read_module(site.file, target.project)
        own, *outer = scopes_at(module.tree, site.span)
        if bad is None or not isinstance(own.node, FUNCTIONS):
            return
        holder = next((scope for scope in outer if bad.value in scope.names), None)
        if holder is None or bad.value in {each.arg for each in parameters(own.node)}:
            return
        if not _is_assigned(holder, bad.value):
            return
        of_module = isinstance(holder.node, ast.Module)
        word = "global" if of_module else "nonlocal"
        new = changed(tree, _declared(target, bad, f"{word} {bad.value}"))
        if new is not None:
            where = "the module" if of_module else "the function around it"
            why = f"`{bad.value}` is assigned here, but is meant to be that of {where}"
            yield Rewrite(_GLOBAL if of_module else _NONLOCAL, new, why)


def _is_assigned(scope: Scope, name: str) -> bool:
    """Say whether a scope gives the name to a variable, not to a function, class or module."""
    if isinstance(scope.node, ast.Lambda):
        return False
    if isinstance(scope.node, FUNCTIONS) and name in {a.arg for a in parameters(scope.node)}:
        return True
    return next(bindings(scope.node.body, name), None) is not None


def _declared(target: Target, bad: cst.Name, code: str) -> Change:
    tree = target.tree
    function = home(tree, bad)
    assert isinstance(function, cst.FunctionDef)
    word = code.partition(" ")[0]
    lines = function.body.body
    for line in lines:
        for each in getattr(line, "body", ()) if isinstance(line, cst.SimpleStatementLine) else ():
            kind = cst.Global if word == "global" else cst.Nonlocal
            if isinstance(each, kind):
                if any(item.name.value == bad.value for item in each.names):
                    return {}
                return {each: lambda node: _one_more(node, bad.value)}
    first = lines[1] if function.get_docstring(clean=False) is not None else lines[0]
    small = first.body[0] if isinstance(first, cst.SimpleStatementLine) else first
    return above(tree, small, statements(tree, f"{code}\n", bad))


def _one_more(node: cst.Global | cst.Nonlocal, name: str) -> cst.CSTNode:
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    last = node.names[-1].with_changes(comma=comma)
    return node.with_changes(names=[*node.names[:-1], last, cst.NameItem(cst.Name(name))])


MissingGlobal.EXAMPLES = examples(
    '''
global: a cache that is filled once
    _rates = None

    def rates():
        """Load the rates once."""
        if «_rates» is None:
            _rates = load()
        return _rates
UnboundLocalError: cannot access local variable '_rates' where it is not associated with a value
    _rates = None

    def rates():
        """Load the rates once."""
        global _rates
        if _rates is None:
            _rates = load()
        return _rates

global: a counter
    issued = 0

    def next_number():
        # Numbers begin with one.
        «issued» += 1
        return issued
UnboundLocalError: local variable 'issued' referenced before assignment
    issued = 0

    def next_number():
        global issued
        # Numbers begin with one.
        issued += 1
        return issued

global: one more
    opened, closed = 0, 0

    def move():
        global opened
        opened -= 1
        «closed» += 1
UnboundLocalError: local variable 'closed' referenced before assignment
    opened, closed = 0, 0

    def move():
        global opened, closed
        opened -= 1
        closed += 1

nonlocal: a counter in the function around
    def numbered(lines):
        number = 0

        def label(line):
            «number» += 1
            return f"{number}: {line}"

        return [label(line) for line in lines]
UnboundLocalError: cannot access local variable 'number' where it is not associated with a value
    def numbered(lines):
        number = 0

        def label(line):
            nonlocal number
            number += 1
            return f"{number}: {line}"

        return [label(line) for line in lines]

nonlocal: a parameter of the function around
    def limited(call, left):
        def wrapper():
            «left» -= 1
            return call() if left >= 0 else None
        return wrapper
UnboundLocalError: cannot access local variable 'left' where it is not associated with a value
    def limited(call, left):
        def wrapper():
            nonlocal left
            left -= 1
            return call() if left >= 0 else None
        return wrapper

not any: no variable outside has the name
    def total(items):
        for item in items:
            «total_price» += item.price
        return total_price
UnboundLocalError: cannot access local variable 'total_price' where it is not associated with a value

not any: a function of the name would be lost
    def total(items):
        return sum(items)

    def report(items):
        total = «total»(items)
        return f"{total}"
UnboundLocalError: cannot access local variable 'total' where it is not associated with a value

not any: a module of the name would be lost
    import json

    def load(text):
        json = «json».loads(text)
        return json
UnboundLocalError: cannot access local variable 'json' where it is not associated with a value

not any: the class around is no scope of its methods
    class Counter:
        hits = 0

        def record(self):
            «hits» += 1
UnboundLocalError: cannot access local variable 'hits' where it is not associated with a value
'''
)
