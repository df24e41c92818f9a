"""RepeatedCheck: a test that is made of one attribute or variable, and is needed of its like too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    beside,
    function_of,
    line_of,
    nodes_of,
    only,
    spellings,
)
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import Line
from selfdebug.codemods._names import code_of
from selfdebug.codemods._variables import attributes, fits, is_alike, kind_named, unread
from selfdebug.syntax.modules import definitions

_OPPOSITE = small_edit(
    "opposite",
    "answer the opposite where its like holds",
    0.25,
    "bool extra-item missing-item",
    growth=1,
)
_SAME = small_edit(
    "same",
    "do the same where its like holds",
    0.12,
    "bool number missing-item extra-item",
    growth=1,
)
_SHOWN = 4
_WIDTH = 60  # characters of a statement that is repeated


class RepeatedCheck(FirstOrder):
    """Repeat an ``if`` for an attribute or a parameter that the function does not look at."""

    DESCRIPTION = "Make a test of what is left out, too."
    NAME = "repeated-check"
    VARIANTS = (_OPPOSITE, _SAME)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the copies above the ``if``, which decide first, and those under it."""
        node, function = place.node, function_of(place.tree, place.node)
        line = line_of(place.tree, node) if node is place.statement else None
        if not isinstance(node, cst.If) or line is None or function is None:
            return
        done = only(node.body.body[0])
        code = code_of(done) if isinstance(done, cst.BaseSmallStatement) else ""
        if node.orelse is not None or len(node.body.body) != 1 or not 0 < len(code) < _WIDTH:
            return
        test = code_of(node.test)
        for old, new in islice(_others(place, function, node), _SHOWN):
            yield from _copies(place, line, (test, code), (old, new))


def _copies(
    place: Place, line: Line, check: tuple[str, str], names: tuple[str, str]
) -> Iterator[Form]:
    test, code = (_renamed(each, *names) for each in check)
    why = f"nothing looks at `{names[1]}`"
    if test == check[0] or "\n" in test + code:
        return
    opposite, same, other = _opposite(code), _SAME, _OPPOSITE
    if code.partition(" ")[0] in ("return", "continue", "break"):
        same, other = place.in_front(same), place.in_front(other)
    if opposite:
        yield other, beside(place.tree, line, f"if {test}:\n    {opposite}", under=False), why
    if not opposite or code != "return None":
        yield same, beside(place.tree, line, f"if {test}:\n    {code}", under=True), why
    if opposite:
        yield other, beside(place.tree, line, f"if {test}:\n    {opposite}", under=True), why


def _renamed(code: str, old: str, new: str) -> str:
    return re.sub(rf"(?<![\w.\"']){re.escape(old)}(?![\w(])", new, code)


def _opposite(code: str) -> str:
    """Return a statement that returns or sets the other truth value; "" for any other statement."""
    for one, other in (("True", "False"), ("False", "True")):
        if re.fullmatch(rf"return {one}|[\w.]+ = {one}", code):
            return code.removesuffix(one) + other
    return ""


def _others(place: Place, function: cst.FunctionDef, node: cst.If) -> Iterator[tuple[str, str]]:
    """Yield what a test reads, each with a like that the function does not read, the likest first."""
    read = {*spellings(function.body), *_attributes_read(function)}
    found: list[tuple[bool, str, str]] = []
    for spelling in spellings(node.test):
        owner, _, attribute = spelling.rpartition(".")
        if owner:
            names = [f"{owner}.{name}" for name in attributes(place, owner)]
        else:
            names = sorted(unread(place))
        for other in names:
            name = other.rpartition(".")[2]
            hidden = name.startswith("_") != attribute.startswith("_")
            if other == spelling or other in read or hidden:
                continue
            if _are_like(place, spelling, other):
                found.append((not is_alike(attribute, name), spelling, other))
    yield from ((old, new) for _, old, new in sorted(found, key=lambda each: each[0]))


def _attributes_read(function: cst.FunctionDef) -> Iterator[str]:
    """Yield every attribute that a function reads, with what it is read of."""
    for each in nodes_of(function.body):
        if isinstance(each, cst.Attribute):
            yield code_of(each)


def _are_like(place: Place, spelling: str, other: str) -> bool:
    """Say whether two values may be tested alike: as a run or the class's annotations show."""
    kinds = kind_named(place, spelling), kind_named(place, other)
    if all(kinds):
        return fits(*kinds)
    noted = _noted(place, spelling), _noted(place, other)
    return bool(noted[0]) and noted[0] == noted[1]


def _noted(place: Place, spelling: str) -> str:
    """Return how an attribute or a parameter is annotated; "" if it is nowhere."""
    owner, _, name = spelling.rpartition(".")
    kind = kind_named(place, owner) if owner else ""
    for each in definitions(kind, place.project) if kind else ():
        for stmt in each.node.body:
            match stmt:
                case ast.AnnAssign(target=ast.Name(id=field), annotation=noted) if field == name:
                    return ast.unparse(noted)
    text = place.tree.region.source.text
    found = re.search(rf"^\s+(?:self\.)?{re.escape(name)}: ([^=\n#]+)", text, re.MULTILINE)
    found = found or re.search(rf"[(,]\s*{re.escape(name)}: ([^=,\n)]+)", text)
    return found[1].strip() if found else ""


RepeatedCheck.EXAMPLES = examples(
    """
opposite: what is shut out comes first
    @dataclass
    class Filter:
        wanted: frozenset[str]
        blocked: frozenset[str]

        def lets_through(self, name):
            # The lists of the user.
            «if name in self.wanted:
                return True»
            return name.startswith("re:")
AssertionError: assert True is False
    @dataclass
    class Filter:
        wanted: frozenset[str]
        blocked: frozenset[str]

        def lets_through(self, name):
            # The lists of the user.
            if name in self.blocked:
                return False
            if name in self.wanted:
                return True
            return name.startswith("re:")

opposite: a parameter that nobody reads
    def shown(row, include, exclude):
        «if row.kind == include:
            return True»
        return False
AssertionError: assert True is False
where include: str = 'a'
where exclude: str = 'b'
    def shown(row, include, exclude):
        if row.kind == exclude:
            return False
        if row.kind == include:
            return True
        return False

opposite: fields of a class in another file
    from rights import Rule

    def may(rules, name):
        for rule in rules:
            «if name in rule.granted:
                return True»
        return False
AssertionError: assert True is False
where rule: rights.Rule = Rule()
beside rights.py
    class Rule:
        folder: str
        granted: set[str]
        denied: set[str]
in shop.py
    from rights import Rule

    def may(rules, name):
        for rule in rules:
            if name in rule.denied:
                return False
            if name in rule.granted:
                return True
        return False

same: the other bound
    def warnings(reading, low, high):
        found = []
        «if reading.value == low:
            found.append(reading)»
        return found
AssertionError: assert [] == [5]
where low: int = 1
where high: int = 5
    def warnings(reading, low, high):
        found = []
        if reading.value == low:
            found.append(reading)
        if reading.value == high:
            found.append(reading)
        return found

not any: the other is looked at
    def shown(row, include, exclude):
        if row.kind == exclude:
            return False
        «if row.kind == include:
            return True»
        return False
AssertionError: assert True is False
where include: str = 'a'
where exclude: str = 'b'

not any: values of other kinds
    def shown(row, include, limit):
        «if row.kind == include:
            return True»
        return False
AssertionError: assert True is False
where include: str = 'a'
where limit: int = 3

not any: there is an else
    def shown(row, include, exclude):
        «if row.kind == include:
            found = True
        else:
            found = False»
        return found
AssertionError: assert True is False
where include: str = 'a'
where exclude: str = 'b'

not any: more than one line is done
    def shown(row, include, exclude):
        «if row.kind == include:
            row.seen = True
            return True»
        return False
AssertionError: assert True is False
where include: str = 'a'
where exclude: str = 'b'

not any: a loop, not a test
    def shown(row, include, exclude):
        «while row.kind == include:
            row = row.next»
        return row
AssertionError: assert True is False
where include: str = 'a'
where exclude: str = 'b'
"""
)
