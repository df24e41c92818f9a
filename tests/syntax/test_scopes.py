"""The names that can be read at a place: those of its scopes, as far as they have a value there."""

from __future__ import annotations

import ast

import pytest

from selfdebug.model import Span
from selfdebug.syntax.scopes import bound_names, names_at, scopes_at

CODE = """\
import os.path as paths
from json import loads as read, dumps

LIMIT = 3

class Cart:
    size = 1

    def fill(self, items, *more, key=None, **rest):
        global LIMIT
        for first, (second, *others) in items:
            total = (half := first) / 2
        with open(key) as file: HERE_1
        try:
            late = [row for row in items if HERE_2]
        except ValueError as error:
            def inner(deep): HERE_3
        match key:
            case {"a": found, **left}: HERE_4
        after = lambda given: HERE_5
        LIMIT = 4

    width = HERE_6
"""
MODULE = {"paths", "read", "dumps", "LIMIT", "Cart"}
FUNCTION = {"self", "items", "more", "key", "rest", "first", "second", "others", "total", "half"}


def at(mark: str) -> set[str]:
    line = next(n for n, text in enumerate(CODE.splitlines(), 1) if mark in text)
    column = CODE.splitlines()[line - 1].index(mark)
    return {*names_at(ast.parse(CODE), Span(line, column, line, column + len(mark)))}


@pytest.mark.parametrize(
    ("mark", "names"),
    {
        "HERE_1": FUNCTION | {"file"},
        "HERE_2": FUNCTION | {"file", "late", "row"},
        "HERE_3": FUNCTION | {"file", "late", "error", "inner", "deep", "found", "left", "after"},
        "HERE_4": FUNCTION | {"file", "late", "error", "inner", "found", "left"},
        "HERE_5": FUNCTION | {"file", "late", "error", "inner", "found", "left", "after", "given"},
        "HERE_6": {"size", "fill", "width"},
    }.items(),
)
def test_the_names_at_a_place(mark: str, names: set[str]) -> None:
    assert at(mark) == names | MODULE


def test_the_scopes_are_those_around_the_place_without_classes_of_methods() -> None:
    line = next(n for n, text in enumerate(CODE.splitlines(), 1) if "HERE_3" in text)
    found = scopes_at(ast.parse(CODE), Span(line, 30, line, 36))
    assert [getattr(scope.node, "name", "") for scope in found] == ["inner", "fill", ""]


def test_a_name_declared_global_is_bound_elsewhere() -> None:
    function = ast.parse("def f():\n    global a\n    a = 1\n    b = 2\n").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert bound_names(function) == {"b": 4}


def test_a_default_and_a_decorator_are_evaluated_around_the_function() -> None:
    tree = ast.parse("@mark\ndef f(a, b=seen):\n    c = 1\n")
    assert {*names_at(tree, Span(2, 11, 2, 15))} == {"f"}
    assert {*names_at(tree, Span(1, 1, 1, 5))} == {"f"}
