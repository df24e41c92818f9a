"""OptionFlag: a call leaves a switch as it is by default, and it should be the other way."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._library import library_object
from selfdebug.codemods._names import dotted
from selfdebug.codemods._passing import last_of, with_keyword
from selfdebug.codemods._signature import filled, signature
from selfdebug.syntax.modules import Definition, definitions, read_module

_OWN = small_edit("own", "set a switch of a function of the project", 0.1)
_LIBRARY = small_edit("library", "set a switch of the library's function", 0.1)
_MOST = 8
_RISKY = frozenset(("shell", "follow_symlinks", "missing_ok", "ignore_errors", "exist_ok"))
"""Switches that may hide an error, or reach further than the call does now."""


class OptionFlag(FirstOrder):
    """Pass the opposite of a boolean default."""

    DESCRIPTION = "Turn on what a call leaves off by default, or off what it leaves on."
    NAME = "option-flag"
    VARIANTS = (_OWN, _LIBRARY)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the call with each switch that it does not set."""
        node = place.node
        if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
            return
        name = last_of(node.func)
        given = {arg.keyword.value for arg in node.args if arg.keyword is not None}
        found = next(definitions(name, place.project), None)
        variant = _OWN if found else _LIBRARY
        flags = _of_project(found, node) if found else _of_library(place, node)
        fresh = (each for each in flags if each[0] not in given | _RISKY)
        for keyword, default in islice(fresh, _MOST):
            why = f"`{keyword}` of `{name}` is {default} by default"
            yield variant, with_keyword(node, keyword, str(not default)), why


def _of_project(found: Definition, call: cst.Call) -> Iterator[tuple[str, bool]]:
    """Yield the parameters with a boolean default to which a call passes nothing."""
    takes, node = signature(found), found.node
    if takes is None or isinstance(node, ast.ClassDef):
        return
    passed = filled(takes, call.args)
    for name, default in _defaults(node.args):
        match default:
            case ast.Constant(value=bool() as value) if name not in passed:
                yield name, value


def _defaults(args: ast.arguments) -> Iterator[tuple[str, ast.expr | None]]:
    named = [*args.posonlyargs, *args.args]
    first = len(named) - len(args.defaults)
    yield from ((arg.arg, value) for arg, value in zip(named[first:], args.defaults, strict=True))
    yield from (
        (arg.arg, value) for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    )


def _of_library(place: Place, call: cst.Call) -> Iterator[tuple[str, bool]]:
    full = _full_name(place, call.func)
    places = sum(arg.keyword is None for arg in call.args)
    yield from (each for at, each in _switches(full) if at is None or at >= places)


def _full_name(place: Place, func: cst.BaseExpression) -> str:
    """Return the dotted name of what is called, of a method with the class of its object."""
    name = dotted(func) or ""
    owner, _, method = name.rpartition(".")
    seen = place.values.get(owner)
    if seen is not None:
        return f"{seen.type}.{method}"
    imports = read_module(place.tree.region.source.path, place.project).imports
    first, _, rest = name.partition(".")
    full = imports.get(first, "")
    return f"{full}.{rest}" if full and rest else full


@lru_cache(maxsize=256)
def _switches(full: str) -> tuple[tuple[int | None, tuple[str, bool]], ...]:
    """Return the boolean parameters of a function of the library, those that take a place with it."""
    owner = library_object(full.rpartition(".")[0])
    return tuple(_boolean(library_object(full), bound=int(isinstance(owner, type))))


def _boolean(value: object, bound: int) -> Iterator[tuple[int | None, tuple[str, bool]]]:
    try:
        taken = inspect.signature(value).parameters if callable(value) else {}
    except (ValueError, TypeError):
        return
    for at, param in enumerate(taken.values()):
        if isinstance(param.default, bool) and param.kind is not param.POSITIONAL_ONLY:
            keyword_only = param.kind is param.KEYWORD_ONLY
            yield None if keyword_only else at - bound, (param.name, param.default)


OptionFlag.EXAMPLES = examples(
    """
own: a switch of ours
    def words(text, fold=False, unique=False): ...

    def count(text):
        return len(«words(text)»)  # each once
AssertionError: assert 2 == 1
    def words(text, fold=False, unique=False): ...

    def count(text):
        return len(words(text, fold=True))  # each once

library: a method of an object that a run has seen
    from configparser import ConfigParser

    def saved(config, stream):
        «config.write(stream)»
AssertionError: assert 'a = 1' == 'a=1'
where config: configparser.ConfigParser
    from configparser import ConfigParser

    def saved(config, stream):
        config.write(stream, space_around_delimiters=False)

library: a function that is imported
    import html as markup

    def cell(text):
        return «markup.escape(text)»
AssertionError: assert '&quot;a&quot;' == '"a"'
    import html as markup

    def cell(text):
        return markup.escape(text, quote=False)

not any: the switch is set already
    def words(text, fold=False): ...

    def count(text):
        return len(«words(text, True)»)
AssertionError: assert 2 == 1

not any: nothing is known of the object
    def saved(config, stream):
        «config.write(stream)»
AssertionError: assert 'a = 1' == 'a=1'

not any: more would be done in silence
    import shutil

    def cleared(folder):
        return «shutil.copytree(folder, folder + ".old", None, None, None, True)»
AssertionError: assert 2 == 1
"""
)
