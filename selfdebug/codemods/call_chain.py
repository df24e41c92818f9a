"""CallChain: the calls of a chain stand in the wrong order, or one is missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import cast

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._names import code_of
from selfdebug.syntax.modules import read_module

_TELLS = "text whitespace case"
_SWAPPED = small_edit("swapped", "call one before the other", 0.12, _TELLS)
_LAST = small_edit("last", "call the first one last, or the last one first", 0.05, _TELLS)
_LONGER = small_edit("longer", "call what chains of the module call, too", 0.08, _TELLS)
_CASES = frozenset(("lower", "upper", "title", "capitalize", "casefold", "swapcase"))
_STRIPS = frozenset(("strip", "lstrip", "rstrip"))
_TEXTS = frozenset(
    (
        *("replace", "removeprefix", "removesuffix", "translate", "expandtabs", "zfill"),
        *("ljust", "rjust", "center"),
    )
)
_LINKS = _CASES | _STRIPS | _TEXTS
_MOST = 4


class CallChain(FirstOrder):
    """Call the methods of a chain on a text in another order, or one more that the module calls."""

    DESCRIPTION = "Call the methods of a chain in another order, or one more."
    NAME = "call-chain"
    VARIANTS = (_SWAPPED, _LAST, _LONGER)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other chains in the place of a whole one."""
        node = place.node
        if not isinstance(node, cst.Call) or isinstance(place.parent, cst.Attribute):
            return
        links = _links(node)
        for order in _orders(links):
            why = f"`{_shown(order[-1])}` is called last"
            yield (_SWAPPED if _is_swap(links, order) else _LAST), _chained(node, links, order), why
        if links:
            for code in islice(_others(place, links), _MOST):
                yield _LONGER, place.put(f"OLD{code}"), f"`{code}` is called elsewhere"


def _links(node: cst.BaseExpression) -> list[cst.Call]:
    """Return the calls of methods of a text with which a chain ends, the first one first."""
    found: list[cst.Call] = []
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        if node.func.attr.value not in _LINKS or (found and node.lpar):
            break
        found.append(node)
        node = node.func.value
    return found[::-1]


def _orders(links: list[cst.Call]) -> Iterator[list[cst.Call]]:
    for at in range(len(links) - 1):
        if not _commute(links[at], links[at + 1]):
            yield [*links[:at], links[at + 1], links[at], *links[at + 2 :]]
    if len(links) > 2:
        yield [*links[1:], links[0]]
        yield [links[-1], *links[:-1]]


def _is_swap(links: Sequence[cst.Call], order: Sequence[cst.Call]) -> bool:
    return sum(one is not other for one, other in zip(links, order, strict=True)) == len("ab")


def _commute(one: cst.Call, other: cst.Call) -> bool:
    """Say whether the order of two calls makes no difference."""
    names = {each.func.attr.value for each in (one, other) if isinstance(each.func, cst.Attribute)}
    bare = not one.args and not other.args
    return _shown(one) == _shown(other) or (bare and bool(names & _CASES) and bool(names & _STRIPS))


def _shown(call: cst.Call) -> str:
    assert isinstance(call.func, cst.Attribute)
    arguments = ", ".join(
        code_of(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for arg in call.args
    )
    return f".{call.func.attr.value}({arguments})"


def _chained(node: cst.Call, links: Sequence[cst.Call], order: Sequence[cst.Call]) -> Change:
    first = cst.ensure_type(links[0].func, cst.Attribute)
    value: cst.BaseExpression = first.value
    for old, link in zip(links, order, strict=True):
        # The places of the dots are the chain's, what is called is the link's.
        func = cst.ensure_type(old.func, cst.Attribute)
        attr = cst.ensure_type(link.func, cst.Attribute).attr
        made = func.with_changes(value=value, attr=attr)
        value = link.with_changes(func=made, lpar=old.lpar, rpar=old.rpar)
    return {node: lambda _: value}


def _others(place: Place, links: Sequence[cst.Call]) -> Iterator[str]:
    own = {_shown(each) for each in links}
    yield from (code for code in _called(place) if code not in own)


def _called(place: Place) -> tuple[str, ...]:
    """Return the calls with constants in chains on texts that the module has."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    key = ("chained", path)
    if key not in parsed:
        found: dict[str, None] = {}
        for node in ast.walk(read_module(path, place.project).tree):
            match node:
                case ast.Call(func=ast.Attribute(attr=name), args=args, keywords=[]):
                    texts = all(
                        isinstance(each, ast.Constant) and isinstance(each.value, str)
                        for each in args
                    )
                    if texts and args and name in _LINKS:
                        shown = ", ".join(ast.unparse(each).replace("'", '"') for each in args)
                        found[f".{name}({shown})"] = None
        parsed[key] = tuple(code for code in found if code.count('"') % 2 == 0)
    return cast("tuple[str, ...]", parsed[key])


CallChain.EXAMPLES = examples(
    """
swapped: what was escaped is not escaped again
    def escaped(text):
        return «text.replace("<", "&lt;").replace("&", "&amp;")»  # for markup
AssertionError: assert '&amp;lt;' == '&lt;'
    def escaped(text):
        return text.replace("&", "&amp;").replace("<", "&lt;")  # for markup

swapped: on lines of its own
    def slug(title):
        return (
            «title.lower()
            .replace(" ", "-")
            .strip()»
        )
AssertionError: assert '-a' == 'a'
    def slug(title):
        return (
            title.replace(" ", "-")
            .lower()
            .strip()
        )

last: first of all
    def slug(title):
        return «title.lower().replace("  ", " ").replace(" ", "-").strip()»
AssertionError: assert '-a-' == 'a'
    def slug(title):
        return title.replace("  ", " ").replace(" ", "-").strip().lower()

longer: as in the other function
    def plain(text):
        return text.replace("&lt;", "<").replace("&gt;", ">")

    def read(text):
        return «text.strip().replace("&lt;", "<")»
AssertionError: assert '&gt;' == '>'
    def plain(text):
        return text.replace("&lt;", "<").replace("&gt;", ">")

    def read(text):
        return text.strip().replace("&lt;", "<").replace("&gt;", ">")

not swapped: it makes no difference
    def key(name):
        return «name.strip().lower()»
AssertionError: assert 'a' == 'b'

not any: what a list does is not known
    def parts(name):
        return «name.split(",").copy()»
AssertionError: assert ['a'] == ['b']

not any: a part of a chain
    def parts(name):
        return «name.strip().replace(".", "")».split(",")
AssertionError: assert ['a'] == ['b']

not longer: nothing else is called
    def parts(name):
        return «name.replace(".", "")»
AssertionError: assert 'a' == 'b'
"""
)
