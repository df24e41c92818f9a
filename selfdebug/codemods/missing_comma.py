"""MissingComma: two items of a display became one, for a comma between them is missing."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from contextlib import suppress
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
from selfdebug.codemods._edit import changed
from selfdebug.model import Site, Span
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree
from selfdebug.syntax.source import Unreadable

_ITEMS = Variant("items", "root-cause", "make two items of what became one", growth=0, prior=0.95)
_STRINGS = Variant("strings", "root-cause", "make two strings of one", growth=0, prior=0.9)

_DISPLAY = (
    *(cst.Tuple, cst.List, cst.Dict, cst.Set, cst.SimpleString, cst.FormattedString),
    *(cst.Integer, cst.Float, cst.ListComp, cst.ConcatenatedString),
)
_CALLED = r"'(?:tuple|list|dict|set|str|int|float)' object is not callable"
_INDEXED = r"(?:list|tuple|string|str) indices must be integers|is not subscriptable"
_NAMED = re.compile(r"['\"](?P<name>[^'\"]+)['\"]")


class MissingComma(Codemod):
    """Put the comma between two items that were written one under the other."""

    DESCRIPTION = "Add commas that are missing between items."
    NAME = "missing-comma"
    ANSWERS = (
        Answer(("TypeError",), _CALLED, ("Call",)),
        Answer(("TypeError",), _INDEXED, ("Subscript",)),
        Answer(("KeyError", "ValueError"), rf"{_NAMED.pattern}|x not in (?:list|tuple)$"),
    )
    VARIANTS = (_ITEMS, _STRINGS)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the code at the site, or the joined strings of the project that hold what is missing."""
        if site.exc_type.endswith("TypeError"):
            yield from super().targets(site, project)
            return
        named = {*_missed(site)}
        for parts in project.files if named else ():
            path = project.root.joinpath(*parts)
            if project.is_test_file(path):
                continue
            with suppress(Unreadable, OSError):
                if not any(_beside_another(name).search(project.data(path)) for name in named):
                    continue
                for line in _joined(project.read(path).text, named):
                    span = Span(line, 0, line, 0)
                    found = replace(site, file=path, span=span, attrs={"names": "\n".join(named)})
                    yield target_at(found, project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the display with one item more."""
        tree, site = target.tree, target.site
        if site.exc_type.endswith("TypeError"):
            yield from _of_call(tree, site)
            return
        names = site.attrs.get("names", "").split("\n")
        for node in tree.ranges:
            if isinstance(node, cst.ConcatenatedString) and _touches(tree, node, site.span.line):
                yield from _of_strings(tree, node, names)


def _missed(site: Site) -> Iterator[str]:
    """Yield the texts that were looked for: in the message, or in a variable at the site."""
    for found in _NAMED.finditer(site.message):
        yield found["name"]
    for name, value in site.locals.items():
        shown = re.fullmatch(_NAMED.pattern, value.text or "") if value.type == "str" else None
        if shown and re.search(rf"\b{re.escape(name)}\b", site.code):
            yield shown["name"]


def _beside_another(name: str) -> re.Pattern[bytes]:
    """Return what finds a string next to another, much quicker than tokens do."""
    own = re.escape(name.encode())
    between = rb"""["'][ \t]*(?:#[^\n]*)?\s*["']"""
    return re.compile(rb"(?:^|[\"'])" + own + between + rb"|" + between + own + rb"[\"']")


def _joined(text: str, names: set[str]) -> Iterator[int]:
    """Yield the lines with a string that is joined to the one before it; one of them is named."""
    before: tokenize.TokenInfo | None = None
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.NL, tokenize.COMMENT):
                continue
            if before is not None and before.type == token.type == tokenize.STRING:
                named = names & {before.string[1:-1], token.string[1:-1]}
                yield from (before.start[0],) if named else ()
            before = token


def _touches(tree: Tree, node: cst.CSTNode, line: int) -> bool:
    return tree.span(node).line <= line <= tree.span(node).end_line


def _of_call(tree: Tree, site: Site) -> Iterator[Rewrite]:
    for node in tree.at(site.span):
        match node:
            case cst.Call(func=first, args=args) if isinstance(first, _DISPLAY):
                second: cst.BaseExpression | None = _parenthesized(args)
            case cst.Subscript(value=first, slice=slices) if isinstance(first, _DISPLAY):
                second = _listed(slices)
            case _:
                continue
        assert isinstance(node, cst.BaseExpression)
        if second is not None:
            yield from _divided(tree, node, first, second, _ITEMS)


def _parenthesized(args: object) -> cst.BaseExpression | None:
    """Return what the parentheses of a call hold, as an expression of its own."""
    assert isinstance(args, tuple | list)
    if any(arg.keyword or arg.star for arg in args):
        return None
    left, right = [cst.LeftParen()], [cst.RightParen()]
    if len(args) == 1 and not isinstance(args[0].comma, cst.Comma):
        found: cst.BaseExpression = args[0].value.with_changes(lpar=left, rpar=right)
        return found
    return cst.Tuple([cst.Element(arg.value, arg.comma) for arg in args], left, right)


def _listed(slices: object) -> cst.BaseExpression | None:
    assert isinstance(slices, tuple | list)
    if not all(isinstance(each.slice, cst.Index) and not each.slice.star for each in slices):
        return None
    return cst.List([cst.Element(each.slice.value, each.comma) for each in slices])


def _of_strings(tree: Tree, node: cst.ConcatenatedString, names: list[str]) -> Iterator[Rewrite]:
    """Yield the display with a string more, if that is one of its items on a line of its own."""
    left, right = node.left, node.right
    if isinstance(right, cst.ConcatenatedString):
        return
    held = [each.evaluated_value for each in (left, right) if isinstance(each, cst.SimpleString)]
    if len(held) == 2 and not set(held).isdisjoint(names):
        yield from _divided(tree, node, left, right, _STRINGS)


def _divided(
    tree: Tree,
    node: cst.BaseExpression,
    first: cst.BaseExpression,
    second: cst.BaseExpression,
    variant: Variant,
) -> Iterator[Rewrite]:
    element = tree.parents[node]
    display = tree.parents[element]
    if not (
        isinstance(element, cst.Element) and isinstance(display, cst.List | cst.Tuple | cst.Set)
    ):
        return
    space = _space_after(node)
    comma = cst.Comma(whitespace_after=space)
    elements = [
        each
        for old in display.elements
        for each in (
            (cst.Element(first, comma), element.with_changes(value=second))
            if old is element
            else (old,)
        )
    ]
    module = changed(tree, {display: lambda old: old.with_changes(elements=elements)})
    if module is not None:
        why = f"a comma is missing after `{tree.code(first)}`"
        yield Rewrite(variant, module, why)


def _space_after(node: cst.CSTNode) -> cst.BaseParenthesizableWhitespace:
    """Return the white space between the two items, as it stands there."""
    match node:
        case cst.ConcatenatedString(whitespace_between=space):
            return space
        case cst.Call(whitespace_after_func=space):
            return space
        case cst.Subscript(whitespace_after_value=space):
            return space
    return cst.SimpleWhitespace(" ")


MissingComma.EXAMPLES = examples(
    """
items: two points
    CORNERS = [
        (0, 0),
        «(0, 1)
        (1, 1)»,
    ]
TypeError: 'tuple' object is not callable
    CORNERS = [
        (0, 0),
        (0, 1),
        (1, 1),
    ]

items: rows of a table, with a comment
    ROWS = [
        «[1, 2]  # first
        [3, 4]»
    ]
TypeError: list indices must be integers or slices, not tuple
    ROWS = [
        [1, 2],  # first
        [3, 4]
    ]

items: text before a group
    ROUTES = ["/", «"/login"
              ("/user", "id")»]
TypeError: 'str' object is not callable
    ROUTES = ["/", "/login",
              ("/user", "id")]

strings: one of the names is not found
    COLOURS = [
        "red",
        "green"
        "blue",
    ]

    def code(name):
        return «COLOURS.index(name)»
ValueError: 'blue' is not in list
    COLOURS = [
        "red",
        "green",
        "blue",
    ]

    def code(name):
        return COLOURS.index(name)

strings: what was looked for is a variable's value
    LETTERS = ("alpha", "beta" "gamma")

    def rank(letter):
        return «LETTERS.index(letter)» + 1
ValueError: tuple.index(x): x not in tuple
where letter: str = 'gamma'
    LETTERS = ("alpha", "beta", "gamma")

    def rank(letter):
        return LETTERS.index(letter) + 1

strings: in another file of the project
    from units import UNITS

    FACTORS = dict(zip(UNITS, (1, 60, 3600)))

    def seconds(number, unit):
        return number * «FACTORS[unit]»
KeyError: 'minute'
beside units.py
    UNITS = ("second", "minute" "hour")
in units.py
    UNITS = ("second", "minute", "hour")

not any: a call of what is not written there
    def total(lines, tax):
        return «lines(tax)»
TypeError: 'list' object is not callable

not any: the strings are one sentence
    HELP = ["usage: "
            "tool", "options"]

    def line(name):
        return «HELP.index(name)»
ValueError: 'colour' is not in list

not any: an argument, not an item
    def show(print_):
        return print_(«"a" ("b")»)
TypeError: 'str' object is not callable

not any: a text that has the comma
    KINDS = ["a", "b"
             , "c"]

    def place(kind):
        return «KINDS.index(kind)»
ValueError: 'bc' is not in list

not any: the name of an argument
    ROWS = [
        «(1, 2)
        (key=3)»,
    ]
TypeError: 'tuple' object is not callable

not any: an argument of many
    ROWS = [
        «(1, 2)
        (*REST)»,
    ]
TypeError: 'tuple' object is not callable

not any: parts of a table
    ROWS = [
        «[1, 2]
        [0:1, 3]»,
    ]
TypeError: list indices must be integers or slices, not tuple
"""
)
