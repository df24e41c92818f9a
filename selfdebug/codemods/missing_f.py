"""MissingF: a string with fields in braces that nothing fills."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import changed, putting, replaced
from selfdebug.codemods._names import bound, code_of
from selfdebug.codemods._tested import suspected
from selfdebug.model import Site
from selfdebug.syntax.bindings import Function
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_PREFIX = Variant("prefix", "root-cause", "let the string fill its fields", growth=0, prior=0.95)

_FIELD = re.compile(r"\{(?P<code>[A-Za-z_][^{}!:]*)(?:![rsa])?(?::[^{}]*)?\}")
_FAILS = (
    *("AssertionError", "FileNotFoundError", "KeyError", "ValueError", "OSError"),
    *("NotADirectoryError", "JSONDecodeError", "ModuleNotFoundError", "LookupError"),
    *("InvalidURL", "Failed"),
)


class MissingF(Codemod):
    """Make an f-string of a string whose braces came out as they are written."""

    DESCRIPTION = "Fill the fields of strings that lack their f."
    NAME = "missing-f"
    ANSWERS = (Answer(_FAILS, _FIELD.pattern),)
    VARIANTS = (_PREFIX,)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the functions that ran: at the site, or called by the test."""
        shown = _shown(site)
        yield from suspected(site, project, lambda function: _holds(function, shown))

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the f-string in the place of the string that the message shows unfilled."""
        tree, shown = target.tree, _shown(target.site)
        for node in tree.ranges:
            if isinstance(node, cst.SimpleString) and _is_template(tree, node, shown):
                new = _filled(node)
                module = new and changed(tree, replaced(tree, node, putting(new)))
                if module:
                    fields = ", ".join(f"`{field}`" for field in shown if field in node.value)
                    yield Rewrite(_PREFIX, module, f"{fields} came out unfilled")


def _shown(site: Site) -> frozenset[str]:
    """Return the fields that the message shows."""
    return frozenset(found.group() for found in _FIELD.finditer(site.message))


def _holds(function: Function, shown: frozenset[str]) -> bool:
    return any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and any(field in node.value for field in shown)
        for node in ast.walk(function)
    )


def _is_template(tree: Tree, node: cst.SimpleString, shown: frozenset[str]) -> bool:
    """Say whether a string has only fields that names at that place fill, and one is shown."""
    if set(node.prefix) - {"r", "R"} or not any(field in node.value for field in shown):
        return False
    parent = tree.parents[node]
    filled_later = isinstance(parent, cst.Attribute) or (
        isinstance(parent, cst.BinaryOperation) and isinstance(parent.operator, cst.Modulo)
    )
    if filled_later or isinstance(parent, cst.Expr):
        return False
    fields = [found["code"] for found in _FIELD.finditer(node.value)]
    braces = node.value.count("{") == node.value.count("}") == len(fields)
    known = _known(tree, node)
    return braces and all(_names(code) <= known for code in fields)


def _names(code: str) -> set[str]:
    """Return the names that an expression reads; one that nothing has for code that is none."""
    try:
        tree = ast.parse(code, mode="eval")
    except SyntaxError:
        return {""}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _known(tree: Tree, node: cst.CSTNode) -> set[str]:
    """Return the names that the functions around a node, and the file, bind."""
    text = tree.region.source.text
    found = {*dir(builtins), *re.findall(r"^(\w+)(?: *:[^=\n]*)? *=", text, re.MULTILINE)}
    found |= {*re.findall(r"^(?:async +)?(?:def|class) +(\w+)", text, re.MULTILINE)}
    for line in re.findall(r"^(?:from \S+ )?import .*", text, re.MULTILINE):
        found |= {*re.findall(r"\w+", line)}
    for up in tree.ancestors(node):
        if isinstance(up, cst.FunctionDef):
            found |= {*bound(up.body), *_parameters(up.params)}
        elif isinstance(up, cst.Lambda):
            found |= {*_parameters(up.params)}
        elif isinstance(up, cst.BaseComp):
            found |= {*bound(up.for_in), *_targets(up.for_in)}
    return found


def _targets(loop: cst.CompFor) -> Iterator[str]:
    yield from re.findall(r"\w+", code_of(loop.target))
    if loop.inner_for_in is not None:
        yield from _targets(loop.inner_for_in)


def _parameters(params: cst.Parameters) -> Iterator[str]:
    for each in (*params.posonly_params, *params.params, *params.kwonly_params):
        yield each.name.value
    for star in (params.star_arg, params.star_kwarg):
        if isinstance(star, cst.Param):
            yield star.name.value


def _filled(node: cst.SimpleString) -> cst.BaseExpression | None:
    """Return the f-string; None where its fields use its own quotes, as before Python 3.12."""
    if any(node.quote[0] in found.group() for found in _FIELD.finditer(node.raw_value)):
        return None
    return cst.parse_expression(f"f{node.value}")


MissingF.EXAMPLES = examples(
    '''
prefix: a message, seen by a test
in tests/test_mail.py
    from mail import greeting

    def test_greeting():
        assert «greeting("Ann")» == "Dear Ann,"
AssertionError: assert 'Dear {name},' == 'Dear Ann,'
beside mail.py
    def greeting(name):
        """Return the first line, Dear {name}."""
        return "Dear {name},"
in mail.py
    def greeting(name):
        """Return the first line, Dear {name}."""
        return f"Dear {name},"

prefix: a file that is not found
    from pathlib import Path

    def load(folder, year):
        path = Path(folder) / '{year}.csv'
        return «path.read_text()»
FileNotFoundError: [Errno 2] No such file or directory: 'data/{year}.csv'
    from pathlib import Path

    def load(folder, year):
        path = Path(folder) / f'{year}.csv'
        return path.read_text()

prefix: the second of two strings
    def line(item, prices):
        return «prices[f"{item.name}" ": {item.size}"]»
KeyError: 'tea: {item.size}'
    def line(item, prices):
        return prices[f"{item.name}" f": {item.size}"]

prefix: with a format
    def rate(part, whole):
        shown = "{part / whole:.1%}"
        return «float(shown)»
ValueError: could not convert string to float: '{part / whole:.1%}'
    def rate(part, whole):
        shown = f"{part / whole:.1%}"
        return float(shown)

not any: it is filled by format
    def greeting(name):
        return «"Dear {name},".format(name=name)»
AssertionError: assert 'Dear {name},' == 'Dear Ann,'

not any: nothing there has the name
    def greeting(person):
        return «"Dear {name},"»
AssertionError: assert 'Dear {name},' == 'Dear Ann,'

not any: braces that are no fields
    def body(name):
        return «'{"name": {name}}'»
AssertionError: assert '{"name": {name}}' == ''

not any: quotes of its own inside
    def greeting(row):
        return «'Dear {row["name"]}, {row[\\'x\\']}'»
AssertionError: assert "Dear {row['x']}," == ''
'''
)
