"""AwaitedException: the exception that a test waits for does not come."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import function_of, header, line_of, nodes_of, spellings
from selfdebug.codemods._edit import putting
from selfdebug.codemods._exceptions import awaited
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._guards import Doubt, doubts
from selfdebug.codemods._kinds import NUMBERS, kind_of
from selfdebug.codemods._refusals import describe, is_first_use, refusals
from selfdebug.codemods._style import quoted

_REFUSED = small_edit("refused", "raise it where the value is wrong", 0.3, "raises", growth=1)
_LIMIT = small_edit("limit", "raise it above a limit of the statement", 0.15, "raises", growth=1)
_INSTEAD = small_edit("instead", "raise it where the function gives up in silence", 0.3, "raises")
_NOTHING = frozenset(("None", "False", "0", "-1", "[]", "{}", "()", '""', "''"))
_MOST = 8


class AwaitedException(FirstOrder):
    """Raise the exception that a test waits for in vain, above what works on a wrong value."""

    DESCRIPTION = "Raise the exception that a test waits for in vain."
    NAME = "awaited-exception"
    VARIANTS = (_INSTEAD, _REFUSED, _LIMIT)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the refusals with an exception that the file can name."""
        if place.node is place.statement:
            for name in (name for name, module in awaited(place) if not module):
                yield from _raised(place, name)

    @classmethod
    def importing(cls, place: Place) -> Iterator[tuple[str, Form]]:
        """Yield the refusals with an exception that the file has to import."""
        if place.node is place.statement:
            for name, module in awaited(place):
                for form in _raised(place, name) if module else ():
                    yield f"from {module} import {name}", form


def _raised(place: Place, name: str) -> Iterator[Form]:
    node, function = place.node, function_of(place.tree, place.node)
    line = line_of(place.tree, node)
    if line is None or function is None:
        return
    yield from _instead(place, name)
    if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Import | cst.ImportFrom | cst.Raise):
        return
    found = [each for each in doubts(place, function) if is_first_use(place, line, each)]
    for variant, asked in ((_REFUSED, found), (_LIMIT, [*_limits(place)])):
        for doubt, change in islice(refusals(place, asked, name), _MOST):
            yield variant, change, f"nothing refuses `{doubt.wrong}`"


def _instead(place: Place, name: str) -> Iterator[Form]:
    """Yield the exception in the place of a statement that leaves a branch with nothing done."""
    match place.node:
        case cst.Pass():
            pass
        case cst.Return(value=value) if value is None or place.code(value) in _NOTHING:
            pass
        case _:
            return
    block = place.tree.parents[place.tree.parents[place.node]]
    branch = place.tree.parents[block]
    if not isinstance(branch, cst.If | cst.Else | cst.ExceptHandler):
        return
    about = [*spellings(branch.test)][:1] if isinstance(branch, cst.If) else []
    words = f'"{describe(about[0])} is not valid"' if about else ""
    code = f"raise {name}({quoted(place.tree, place.node, words) or words})\n"
    line = cst.parse_statement(code)
    assert isinstance(line, cst.SimpleStatementLine)
    raised = line.body[0]
    why = f"nobody hears of it when `{place.code(place.node)}` is all that happens"
    yield _INSTEAD, {place.node: putting(raised)}, why


def _limits(place: Place) -> Iterator[Doubt]:
    """Yield that a number of the statement is beyond a constant that stands there too."""
    nodes = [each for part in header(place.statement) for each in (part, *nodes_of(part))]
    limits = {each.value: None for each in nodes if isinstance(each, cst.Integer)}
    for each in dict.fromkeys(filter(None, (_number(place, node) for node in nodes))):
        for limit in (limit for limit in limits if limit not in ("0", "1")):
            yield Doubt("bound", f"{each} >= {limit}", f"{each} < {limit}", _about(each))
            yield Doubt("bound", f"{each} > {limit}", f"{each} <= {limit}", _about(each))


def _number(place: Place, node: cst.CSTNode) -> str:
    """Return the code of a number that is read: a variable, or what is made of one."""
    match node:
        case cst.Call(func=cst.Name(value="int" | "float" | "len"), args=[cst.Arg(value=inner)]):
            return place.code(node) if isinstance(inner, cst.Name | cst.Attribute) else ""
        case cst.Name() | cst.Attribute() if kind_of(place, node) in NUMBERS:
            return place.code(node)
    return ""


def _about(code: str) -> str:
    return code.rpartition("(")[2].rstrip(")")


AwaitedException.EXAMPLES = examples(
    """
instead: nothing is said of what cannot be joined
    class Table:
        def joined(self, other):
            if not isinstance(other, Table):
                «return»  # it is none
            return Table(self.rows + other.rows)
Failed: DID NOT RAISE <class 'TypeError'>
    class Table:
        def joined(self, other):
            if not isinstance(other, Table):
                raise TypeError("other is not valid")  # it is none
            return Table(self.rows + other.rows)

not instead: the result of the function
    def rows(table):
        «return []»
Failed: DID NOT RAISE <class 'TypeError'>

refused: the exception that the test waits for
    class Refused(Exception):
        pass

    class Overdrawn(Exception):
        pass

    def booked(start: int, end: int):
        «return list(range(start, end))»
Failed: DID NOT RAISE <class 'shop.Overdrawn'>
where start: int = 5
where end: int = 3
    class Refused(Exception):
        pass

    class Overdrawn(Exception):
        pass

    def booked(start: int, end: int):
        if start > end:
            raise Overdrawn("start does not fit")
        return list(range(start, end))

refused: an exception of another module
    def booked(rooms):
        «return rooms[0]»
Failed: DID NOT RAISE <class 'errors.NoRoom'>
where rooms: str = ''
beside errors.py
    class NoRoom(Exception): ...
in shop.py
    from errors import NoRoom


    def booked(rooms):
        if not rooms:
            raise NoRoom("rooms is missing")
        return rooms[0]

not any: nothing is known to be waited for
    def booked(rooms):
        «return rooms[0]»
AssertionError: assert 'a' == 'b'
where rooms: str = 'a'

limit: minutes of a time zone
    def offset(zone):
        if zone:
            hours, minutes = zone.split(":")
            «total = int(minutes) + int(hours) * 60»
            return total
        return 0
Failed: DID NOT RAISE <class 'ValueError'>
where zone: str = '01:60'
where hours: str = '01'
where minutes: str = '60'
    def offset(zone):
        if zone:
            hours, minutes = zone.split(":")
            if int(minutes) >= 60:
                raise ValueError("minutes is out of range")
            total = int(minutes) + int(hours) * 60
            return total
        return 0

not any: a value that is read is no limit by itself
    def shift(hours):
        «return hours»
Failed: DID NOT RAISE <class 'ValueError'>

not instead: no branch, but a loop
    def rows(tables):
        for table in tables:
            «pass»
        return []
Failed: DID NOT RAISE <class 'TypeError'>

not any: it is raised already
    def rows(table):
        if not table:
            «raise ValueError("no table")»
        return table.rows
Failed: DID NOT RAISE <class 'TypeError'>
"""
)
