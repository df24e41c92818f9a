"""NearKey: a key that a mapping does not have, next to one that it has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples, target_at
from selfdebug.codemods._edit import changed, expression, replaced
from selfdebug.codemods._near import is_slip, nearest
from selfdebug.codemods._place import calls
from selfdebug.model import Site, Span
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import Unreadable

_USE = Variant("use", "root-cause", "read the key that is there", prior=0.8)
_WORDS = Variant("words", "root-cause", "read the key that says the same", prior=0.4)
_DEFINITION = Variant("definition", "root-cause", "store under the key that is read", prior=0.85)
_CONVERT = Variant("convert", "root-cause", "look it up as the type that the keys have", prior=0.8)
_NORMALIZE = Variant("normalize", "root-cause", "look it up as the keys are written", prior=0.6)
_METHODS = ("strip", "lower", "upper", "title", "capitalize")


class NearKey(Codemod):
    """Look a value up under the key that the mapping has: its spelling, its case, its type."""

    DESCRIPTION = "Look up the key that is there, as it is spelled there."
    NAME = "near-key"
    ANSWERS = (Answer(("KeyError",), "", ("Subscript", "Call")),)
    VARIANTS = (_DEFINITION, _USE, _CONVERT, _NORMALIZE, _WORDS)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the place that reads the key, and the only one that writes it in another way."""
        if site.deeper:
            return
        if not project.is_test_file(site.file):
            yield target_at(site, project)
        key = _key(site)
        if isinstance(key, str) and key:
            for path, span in _only_stored(key, project):
                yield target_at(replace(site, file=path, span=span), project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the keys nearest to the one that was missing."""
        tree, site = target.tree, target.site
        key = _key(site)
        if key is None:
            return
        node = next(iter(tree.at(site.span)), None)
        if isinstance(node, cst.SimpleString) and isinstance(key, str):
            if new := changed(tree, replaced(tree, node, partial(_respelled, key=key))):
                yield Rewrite(_DEFINITION, new, f"all read {key!r}, none {node.evaluated_value!r}")
            return
        looked_up = _looked_up(node)
        if isinstance(looked_up, cst.SimpleString):
            for near in nearest(str(key), _spellings(target, str(key))):
                spelled = partial(_respelled, key=near)
                if new := changed(tree, replaced(tree, looked_up, spelled)):
                    variant = _USE if is_slip(str(key), near) else _WORDS
                    yield Rewrite(variant, new, f"there is no key {key!r}, but {near!r}")
        elif looked_up is not None and not calls(looked_up):
            yield from _converted(target, looked_up, key)


def _key(site: Site) -> str | int | None:
    """Return the key that was missing."""
    return next(iter(_literals(f"[{site.attrs.get('key', site.message)}]")), None)


def _literals(text: str) -> list[str | int]:
    with suppress(ValueError, SyntaxError):
        found = ast.literal_eval(text)
        return [each for each in found if type(each) in (str, int)]
    return []


def _looked_up(node: cst.CSTNode | None) -> cst.BaseExpression | None:
    """Return the key of a lookup, or of a ``pop``."""
    match node:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=key))]):
            return key
        case cst.Call(func=cst.Attribute(attr=cst.Name(value="pop")), args=[cst.Arg(value=key)]):
            return key
    return None


def _converted(target: Target, looked_up: cst.BaseExpression, key: str | int) -> Iterator[Rewrite]:
    """Yield the lookups by what the key becomes as another type, in another case, or stripped."""
    known = _literals(target.site.attrs.get("keys", "[]"))
    for variant, code, made in _conversions(key):
        if made in known and type(made) is type(known[known.index(made)]):
            made_of = partial(_made_of, code)
            new = changed(target.tree, replaced(target.tree, looked_up, made_of))
            if new is not None:
                yield Rewrite(variant, new, f"there is no key {key!r}, but {made!r}")
                return


def _made_of(code: str, key: cst.BaseExpression) -> cst.BaseExpression:
    return expression(code, KEY=key)


def _conversions(key: str | int) -> Iterator[tuple[Variant, str, str | int]]:
    if isinstance(key, int):
        yield _CONVERT, "str(KEY)", str(key)
        return
    with suppress(ValueError):
        yield _CONVERT, "int(KEY)", int(key)
    for method in _METHODS:
        yield _NORMALIZE, f"KEY.{method}()", getattr(key, method)()
    for method in _METHODS[1:]:
        yield _NORMALIZE, f"KEY.strip().{method}()", getattr(key.strip(), method)()


def _respelled(old: cst.SimpleString, key: str) -> cst.SimpleString:
    """Return a string literal that holds another key, in the quotes of the old one."""
    code = f"{old.quote}{key}{old.quote}"
    with suppress(ValueError, SyntaxError):
        if ast.literal_eval(code) == key:
            return old.with_changes(value=code)
    return old.with_changes(value=repr(key))


# --- keys in the source ---


def _spellings(target: Target, key: str) -> set[str]:
    """Return the keys that may have been meant: those seen in the failing frame, else in the file."""
    seen = {
        each for each in _literals(target.site.attrs.get("keys", "[]")) if isinstance(each, str)
    }
    if seen:
        return seen
    module = read_module(target.site.file, target.project)
    return {each for each, _ in _stored(module)} - {key}


def _stored(module: Module) -> Iterator[tuple[str, ast.Constant]]:
    """Yield the keys under which a file stores values: in displays, and by assignment."""
    for node in ast.walk(module.tree):
        keys: list[ast.expr | None] = []
        if isinstance(node, ast.Dict):
            keys = node.keys
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            keys = [node.slice]
        for key in keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, key


def _only_stored(key: str, project: Project) -> Iterator[tuple[Path, Span]]:
    """Yield where the nearest key is stored, if the project has it there only, and reads the other."""
    read = _count(key, project)
    if read < 2:
        return
    for parts in project.files:
        path = project.root.joinpath(*parts)
        with suppress(Unreadable, OSError):
            if project.is_test_file(path):
                continue
            module = read_module(path, project)
            stored = [*_stored(module)]
            if key in (each for each, _ in stored):
                return
            for near in nearest(key, {each for each, _ in stored}):
                if _count(near, project) == 1:
                    yield path, _span(module, dict(stored)[near])


def _count(key: str, project: Project) -> int:
    quoted = re.compile(rb"([\"'])" + re.escape(key.encode()) + rb"\1")
    files = (project.root.joinpath(*parts) for parts in project.files)
    return sum(len(quoted.findall(project.data(path))) for path in files)


def _span(module: Module, node: ast.Constant) -> Span:
    source = module.source
    start = source.byte_offset(node.lineno, node.col_offset)
    end = source.byte_offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
    return Span(*source.position(start), *source.position(end))


NearKey.EXAMPLES = examples(
    """
use: a key that is misspelt
    def label(row):
        return «row['quantiy']» + " pieces"
KeyError: 'quantiy'
with keys = ['quantity']
    def label(row):
        return row['quantity'] + " pieces"

use: another case
    def token(headers):
        return «headers["content-type"]»
KeyError: 'content-type'
with keys = ['Content-Type']
    def token(headers):
        return headers["Content-Type"]

use: one of a nested mapping
    def port(config):
        return «config["server"]["prot"]»
KeyError: 'prot'
with keys = ['port']
    def port(config):
        return config["server"]["port"]

use: what the file stores, where no live mapping was seen
    def read(line):
        return {"customer": line[:10], "amount": line[10:]}

    def total(lines):
        return sum(int(«read(line)["amuont"]») for line in lines)
KeyError: 'amuont'
    def read(line):
        return {"customer": line[:10], "amount": line[10:]}

    def total(lines):
        return sum(int(read(line)["amount"]) for line in lines)

words: a key that is written out there
    def label(row):
        return f"{«row['qty']»} pieces"
KeyError: 'qty'
with keys = ['quantity']
    def label(row):
        return f"{row['quantity']} pieces"

use: a key that is taken out
    def options(given):
        return «given.pop("verbos")»
KeyError: 'verbos'
with keys = ['verbose']
    def options(given):
        return given.pop("verbose")

convert: the keys are numbers
    def price(prices, code):
        return «prices[code]»
KeyError: '7'
with keys = [7]
    def price(prices, code):
        return prices[int(code)]

convert: the keys are text, as JSON has them
    def price(prices, item):
        return «prices[item.number]» * 2
KeyError: 7
with keys = ['7']
    def price(prices, item):
        return prices[str(item.number)] * 2

normalize: the keys are in lower case
    def rate(rates, currency):
        return «rates[currency]»
KeyError: 'EUR'
with keys = ['eur']
    def rate(rates, currency):
        return rates[currency.lower()]

normalize: white space around the key
    def rate(rates, fields):
        return «rates[fields[1]]»
KeyError: ' eur'
with keys = ['eur']
    def rate(rates, fields):
        return rates[fields[1].strip()]

definition: what is stored once is what is misspelt
    def read(line):
        return {"custmer": line[:10], "amount": line[10:]}

    def show(row):
        print(«row["customer"]»)

    def key(row):
        return row["customer"].lower()
KeyError: 'customer'
with keys = ['custmer']
    def read(line):
        return {"customer": line[:10], "amount": line[10:]}

    def show(row):
        print(row["customer"])

    def key(row):
        return row["customer"].lower()

not any: no key is alike
    def label(row):
        return «row["colour"]»
KeyError: 'colour'
with keys = ['price', 'name']

not any: nobody knows the keys
    def price(prices, code):
        return «prices[code]»
KeyError: '7'

not convert: text that is no number
    def price(prices, code):
        return «prices[code]»
KeyError: 'seven'
with keys = [7]

not any: a call that may have effects is not wrapped
    def price(prices, codes):
        return «prices[codes.pop()]»
KeyError: '7'
with keys = [7]

not definition: the key is read as it is stored, too
    def read(line):
        return {"custmer": line[:10]}

    def show(row):
        print(«row["customer"]», row["custmer"], row["customer"])
KeyError: 'customer'
with keys = ['custmer']

not any: the name of the key is a variable
    def label(row, colour):
        return «row[colour]»
KeyError: 'colour'
with keys = ['color', 'name']

not any: the keys are numbers, but not this one
    def price(prices, code):
        return «prices[code]»
KeyError: '7'
with keys = [8, 9]

not any: a part of the rows, not a key
    def names(rows):
        return «rows[1:]»
KeyError: 'nmae'
with keys = ['name']

not any: other letters
    def price(prices, code):
        return «prices[code]»
KeyError: 'Pen'
with keys = ['pencil']

not any: a test reads the wrong key
in tests/test_shop.py
    def test_label(row):
        assert «row["nmae"]»
KeyError: 'nmae'
with keys = ['name']

not any: two keys at once
    def price(prices, day):
        return «prices[day, "nmae"]»
KeyError: 'nmae'
with keys = ['name']

not any: a test stores it
    def show(row):
        print(«row["customer"]», row["customer"])
KeyError: 'customer'
with keys = ['id']
beside tests/test_show.py
    ROW = {"custmer": 1}
"""
)
