"""RefusedArgument: a function checks the class of an argument, and refuses what a caller made for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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
from selfdebug.codemods._conditions import conditions
from selfdebug.codemods._edit import Change, changed, expression, replaced
from selfdebug.codemods._import import importing
from selfdebug.codemods._names import dotted
from selfdebug.codemods._passing import calling
from selfdebug.codemods._place import is_parameter, place
from selfdebug.codemods._sources import argument, outside
from selfdebug.model import Site
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_SOURCE = Variant("source", "root-cause", "convert it where the caller makes it", prior=0.6)
_PASSED = Variant("passed", "root-cause", "convert it where it is passed", prior=0.45)

_PATH = "from pathlib import Path"
_CONVERSIONS: dict[tuple[str, str], tuple[str, str]] = {
    ("str", "bytes"): ("OLD.encode()", ""),
    ("bytes", "str"): ("OLD.decode()", ""),
    ("str", "int"): ("int(OLD)", ""),
    ("str", "float"): ("float(OLD)", ""),
    ("int", "str"): ("str(OLD)", ""),
    ("int", "float"): ("float(OLD)", ""),
    ("float", "str"): ("str(OLD)", ""),
    ("list", "tuple"): ("tuple(OLD)", ""),
    ("tuple", "list"): ("list(OLD)", ""),
    ("generator", "list"): ("list(OLD)", ""),
    ("generator", "tuple"): ("tuple(OLD)", ""),
    ("list", "set"): ("set(OLD)", ""),
    ("set", "list"): ("list(OLD)", ""),
    ("datetime", "date"): ("OLD.date()", ""),
    ("PosixPath", "str"): ("str(OLD)", ""),
    ("str", "Path"): ("Path(OLD)", _PATH),
}
_DEPTH = 3  # calls that are followed back


class RefusedArgument(Codemod):
    """Convert an argument to the class that the function that refused it asks for."""

    DESCRIPTION = "Pass what a function's own check of classes lets through."
    NAME = "refused-argument"
    ANSWERS = (Answer(("TypeError", "ValueError", "AssertionError"), nodes=("Raise", "Assert")),)
    VARIANTS = (_SOURCE, _PASSED)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the call that passed the argument, in the project's own code, as a site of its own."""
        if project.is_test_file(site.file):
            return
        tree = target_at(site, project).tree
        for node in tree.at(site.span):
            for name, kind in _refused(tree, node, site):
                yield from _passing(name, kind, site, project)
            return

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the caller with the conversion where it makes the argument, then where it passes it."""
        tree, site = target.tree, target.site
        code, needs = _CONVERSIONS[site.attrs["came"], site.attrs["asked"]]
        edit = importing(tree.region.source.path, needs, target.project) if needs else None
        arg = argument(target, site.bad_code or "")
        if arg is None:
            return
        for variant, value in ((_SOURCE, _made(tree, arg.value)), (_PASSED, arg.value)):
            module = changed(tree, _converted(tree, value, code)) if value else None
            if module is not None:
                why = f"`{site.bad_code}` is to be {site.attrs['asked']}, not {site.attrs['came']}"
                yield Rewrite(variant, module, why, () if edit is None else (edit,))


def _converted(tree: Tree, value: cst.BaseExpression, code: str) -> Change:
    return replaced(tree, value, lambda old: expression(code, OLD=old))


def _refused(tree: Tree, node: cst.CSTNode, site: Site) -> Iterator[tuple[str, str]]:
    """Yield the parameter that the check above a ``raise`` is about, and the class that it asks for."""
    asserted = node.test if isinstance(node, cst.Assert) else None
    around = next(iter(conditions(tree, node)), None)
    test = asserted or (around.test if around and around.outcome else None)
    for part in _parts(test, bool(asserted)) if test else ():
        match part:
            case cst.Call(args=[cst.Arg(value=cst.Name() as subject), cst.Arg(value=kinds)]):
                came = site.locals.get(subject.value)
                if came is not None and is_parameter(tree, subject):
                    yield from (
                        (subject.value, kind)
                        for kind in _classes(kinds)
                        if (came.type.rpartition(".")[2], kind) in _CONVERSIONS
                    )


def _parts(test: cst.BaseExpression, holds: bool) -> Iterator[cst.BaseExpression]:
    """Yield the calls of ``isinstance`` that a test wants to hold, or not to hold."""
    match test:
        case cst.BooleanOperation(left=left, right=right):
            yield from (*_parts(left, holds), *_parts(right, holds))
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            yield from _parts(inner, not holds)
        case cst.Call(func=cst.Name(value="isinstance")) if holds:
            yield test


def _classes(kinds: cst.BaseExpression) -> Iterator[str]:
    if isinstance(kinds, cst.Tuple):
        for each in kinds.elements:
            yield from _classes(each.value)
    elif name := dotted(kinds):
        yield name.rpartition(".")[2]


def _passing(name: str, kind: str, site: Site, project: Project) -> Iterator[Target]:
    """Yield the calls that led to the parameter, back to the first that makes its value."""
    value = site.locals[name].type.rpartition(".")[2]
    there = replace(site, attrs={"came": value, "asked": kind}, bad_code=name)
    for _ in range(_DEPTH):
        target = next(calling(there, project), None)
        if target is None:
            return
        yield target
        arg = argument(target, name)
        if not (arg and isinstance(arg.value, cst.Name) and is_parameter(target.tree, arg.value)):
            return
        name = arg.value.value
        there = replace(outside(there), bad_code=name)


def _made(tree: Tree, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Return what a variable is assigned before a call, if one of its values alone is no constant."""
    function = place(tree, node).function
    if not isinstance(node, cst.Name) or function is None:
        return None
    found: list[cst.BaseExpression] = []
    for each in tree.ranges:
        match each:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                fixed = isinstance(value, cst.Name) and value.value in ("None", "True", "False")
                if name == node.value and not fixed and place(tree, each).scope is function:
                    found.append(value)
    return found[0] if len(found) == 1 else None


RefusedArgument.EXAMPLES = examples(
    """
source: text for a function that sends bytes
    import json

    def send(url, body=None):
        if body is not None and not isinstance(body, bytes):
            «raise TypeError("body must be bytes")»
        return url, body

    def post(url, payload):
        body = None
        if payload is not None:
            body = json.dumps(payload)  # compact
        return send(url, body)
TypeError: body must be bytes
where body: str
called 12 send
    import json

    def send(url, body=None):
        if body is not None and not isinstance(body, bytes):
            raise TypeError("body must be bytes")
        return url, body

    def post(url, payload):
        body = None
        if payload is not None:
            body = json.dumps(payload).encode()  # compact
        return send(url, body)

passed: an assertion, and an argument by name
    def total(rate, prices):
        «assert isinstance(prices, tuple)»
        return rate * sum(prices)

    def fee(lines):
        return total(1.1, prices=[line.price for line in lines])
AssertionError
where prices: list
called 6 total
    def total(rate, prices):
        assert isinstance(prices, tuple)
        return rate * sum(prices)

    def fee(lines):
        return total(1.1, prices=tuple([line.price for line in lines]))

passed: through a function that only passes it on
    def store(path):
        if not isinstance(path, (Path, Store)):
            «raise TypeError(path)»
        return path

    def save(path):
        return store(path)

    def export(name):
        return save(name + ".csv")
TypeError: a.csv
where path: str
called 10 export
called 7 save
called 7 store
    from pathlib import Path


    def store(path):
        if not isinstance(path, (Path, Store)):
            raise TypeError(path)
        return path

    def save(path):
        return store(Path(path))

    def export(name):
        return save(name + ".csv")

not any: nothing makes such a class of it
    def send(body):
        if not isinstance(body, bytes):
            «raise TypeError("body must be bytes")»

    def post(payload):
        return send(payload)
TypeError: body must be bytes
where body: dict
called 6 send

not any: the class is refused, not asked for
    def send(body):
        if isinstance(body, str):
            «raise TypeError("no text")»

    def post(payload):
        return send(str(payload))
TypeError: no text
where body: str
called 6 send

not any: a test passes it
    def send(body):
        if not isinstance(body, bytes):
            «raise TypeError("body must be bytes")»
TypeError: body must be bytes
where body: str
called tests/test_shop.py:2 send
beside tests/test_shop.py
    def test_send():
        send("a")
"""
)
