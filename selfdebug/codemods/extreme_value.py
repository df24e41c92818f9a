"""ExtremeValue: the latest value is taken where the greatest or least so far had to be kept."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import function_of, loop_of, loops_of, nodes_of, reads, target_names
from selfdebug.codemods._edit import made_of, replaced
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import NUMBERS, kind_of
from selfdebug.codemods._names import code_of, dotted, root
from selfdebug.codemods._near import words_of
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._variables import fits, kind_named, unread, variables

_TELLS = "number missing-item extra-item order"
_KEPT = small_edit("kept", "keep the value if it is the greater or lesser", 0.2, _TELLS)
_EITHER = small_edit("either", "take the greater or lesser of two values", 0.06, _TELLS)
_UNREAD = small_edit("unread", "let the value count that nothing reads", 0.3, _TELLS)
_BOTH = small_edit("both", "let the earlier object's value count too", 0.3, _TELLS)

_GREATEST = frozenset(
    (
        *("end", "stop", "last", "high", "highest", "max", "maximum", "most", "best", "longest"),
        *("largest", "latest", "peak", "top", "upper", "greatest", "biggest", "until", "to"),
        *("right", "bottom", "finish", "deepest", "widest", "warmest", "fastest", "record"),
    )
)
_LEAST = frozenset(
    (
        *("start", "begin", "first", "low", "lowest", "min", "minimum", "least", "shortest"),
        *("smallest", "earliest", "lower", "cheapest", "nearest", "closest", "coldest", "since"),
        *("left", "from", "worst", "slowest"),
    )
)
_USED = (cst.Arg, cst.Assign, cst.Return, cst.Element, cst.DictElement, cst.AnnAssign)
_ORDERED = (*NUMBERS, "", "date", "datetime", "timedelta", "str", "time")
_MOST = 3  # other objects


class ExtremeValue(FirstOrder):
    """Take the greater or lesser of two values: of what was there and what comes, or of two objects."""

    DESCRIPTION = "Take the greater or lesser of two values."
    NAME = "extreme-value"
    VARIANTS = (_KEPT, _UNREAD, _BOTH, _EITHER)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield ``max`` and ``min`` of an assigned value and the old one, or of two objects' values."""
        match place.node:
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
                if dotted(target) and _is_kept(place, target, value):
                    yield from _with_old(place, target, value)
            case cst.Attribute() | cst.Subscript() if place.is_read and _is_used(place):
                yield from _with_other(place, place.node)
            case cst.Name() if place.is_read and _is_used(place):
                yield from _with_unread(place, place.node)


def _is_kept(place: Place, target: cst.BaseExpression, value: cst.BaseExpression) -> bool:
    """Say whether a value may be overwritten that had to stay: in a loop, or of an object."""
    spelling = dotted(target) or ""
    if not isinstance(value, cst.Name | cst.Attribute | cst.Call | cst.BinaryOperation):
        return False
    if kind_of(place, value) not in _ORDERED or spelling in (dotted(value), code_of(value)):
        return False
    if isinstance(target, cst.Attribute):
        function = function_of(place.tree, place.node)
        known = function is not None and function.name.value != "__init__"
    else:
        known = loop_of(place.tree, place.node) is not None and _is_set_before(place, spelling)
    return known and root(spelling) not in reads(value) and not _is_tested(place, spelling)


def _is_set_before(place: Place, name: str) -> bool:
    loops = [*loops_of(place.tree, place.node)]
    begins = place.tree.span(loops[-1]).line
    return place.scopes[0].names.get(name, begins) < begins


def _is_tested(place: Place, spelling: str) -> bool:
    """Say whether a condition around a statement looks at a variable already."""
    return any(
        isinstance(up, cst.If) and root(spelling) in reads(up.test)
        for up in place.tree.ancestors(place.node)
    )


def _with_old(
    place: Place, target: cst.BaseExpression, value: cst.BaseExpression
) -> Iterator[Form]:
    spelling = dotted(target) or ""
    hint = _hint(spelling)
    for name in (hint,) if hint else ("max", "min"):
        change = replaced(place.tree, value, made_of(f"{name}({spelling}, OLD)"))
        yield _KEPT if hint else _EITHER, change, f"`{spelling}` forgot what it was before"


def _hint(name: str) -> str:
    """Return whether the greatest or the least counts, as a name says."""
    words = [*words_of(name.rpartition(".")[2])]
    greatest = not _GREATEST.isdisjoint(words)
    least = not _LEAST.isdisjoint(words)
    return "" if greatest == least else "max" if greatest else "min"


def _is_used(place: Place) -> bool:
    """Say whether a value is used where the greater of two could be."""
    parent = place.parent
    if isinstance(parent, cst.Arg):
        call = place.tree.parents[parent]
        return isinstance(call, cst.Call) and last_of(call.func) not in ("max", "min", "len")
    return isinstance(parent, _USED)


def _with_other(place: Place, node: cst.Attribute | cst.Subscript) -> Iterator[Form]:
    """Yield ``max(last.end, span.end)`` for ``span.end``, where ``last.end`` has a value too."""
    code = code_of(node)
    owner = root(code).partition("[")[0]
    function = function_of(place.tree, node)
    if function is None or not owner.isidentifier() or kind_of(place, node) not in _ORDERED:
        return
    rest = code[len(owner) :]
    known = _read(function)
    others = [name for name in variables(place) if name != owner and f"{name}{rest}" in known]
    for other in others[:_MOST]:
        later = _is_newer(place, owner, other)
        older, newer = (other, owner) if later else (owner, other)
        hint = _hint(rest.lstrip("."))
        for name in ("min", "max") if hint == "min" else ("max", "min"):
            both = place.put(f"{name}({older}{rest}, {newer}{rest})")
            variant = _BOTH if later and name == hint else _EITHER
            yield variant, both, f"`{other}{rest}` may be the one that counts"


def _with_unread(place: Place, node: cst.Name) -> Iterator[Form]:
    """Yield ``max(last_end, end)`` for ``end``, where nothing reads ``last_end``."""
    name, kind = node.value, kind_of(place, node)
    words = {*words_of(name)}
    for other in variables(place):
        known = other in unread(place) and other != name and not words.isdisjoint(words_of(other))
        if not known or kind not in _ORDERED or not fits(kind, kind_named(place, other)):
            continue
        # A word more says which of the two it is: last_end.
        later = [*words_of(other)][-1:] == [name] or _is_newer(place, name, other)
        older, newer = (other, name) if later else (name, other)
        hint = _hint(name)
        for function in (hint,) if hint else ("max", "min"):
            both = place.put(f"{function}({older}, {newer})")
            yield _UNREAD, both, f"nothing reads `{other}`"


@lru_cache(maxsize=64)
def _read(function: cst.FunctionDef) -> frozenset[str]:
    """Return the attributes and items that a function reads, as they are written."""
    nodes = nodes_of(function.body)
    return frozenset(
        code_of(each) for each in nodes if isinstance(each, cst.Attribute | cst.Subscript)
    )


def _is_newer(place: Place, name: str, other: str) -> bool:
    """Say whether a variable got its value after another: an item of a loop is what came last."""
    for loop in loops_of(place.tree, place.node):
        if isinstance(loop, cst.For):
            own = target_names(loop.target)
            if (name in own) != (other in own):
                return name in own
    names = place.scopes[0].names
    return names.get(name, 0) > names.get(other, 0)


ExtremeValue.EXAMPLES = examples(
    """
unread: the span that was joined may end later
    def joined(spans):
        found = []
        for start, end in sorted(spans):
            if found and start <= found[-1][1]:
                last_start, last_end = found[-1]
                found[-1] = (last_start, «end»)
            else:
                found.append((start, end))
        return found
AssertionError: assert [(1, 3)] == [(1, 9)]
where end: int = 3
where last_end: int = 9
    def joined(spans):
        found = []
        for start, end in sorted(spans):
            if found and start <= found[-1][1]:
                last_start, last_end = found[-1]
                found[-1] = (last_start, max(last_end, end))
            else:
                found.append((start, end))
        return found

not unread: a name that has nothing to do with it
    def joined(found, end, count):
        found[-1] = (0, «end»)
AssertionError: assert [(1, 3)] == [(1, 9)]
where end: int = 3
where count: int = 9

kept: of all records
    def longest(words):
        longest = 0
        for word in words:
            «longest = len(word)»  # in letters
        return longest
AssertionError: assert 2 == 5
    def longest(words):
        longest = 0
        for word in words:
            longest = max(longest, len(word))  # in letters
        return longest

kept: of the object
    def add(self, reading):
        «self.lowest = reading.celsius»
AssertionError: assert 2 == 5
    def add(self, reading):
        self.lowest = min(self.lowest, reading.celsius)

either: its name does not tell
    def total(rows):
        found = 0
        for row in rows:
            «found = row.size»
        return found
AssertionError: assert 2 == 5
    def total(rows):
        found = 0
        for row in rows:
            found = max(found, row.size)
        return found

both: a range within the one before
    def merged(spans):
        found = []
        for span in sorted(spans):
            last = found[-1] if found else None
            if last and span.start <= last.end:
                found[-1] = Span(last.start, «span.end»)
            else:
                found.append(span)
        return found
AssertionError: assert 2 == 5
    def merged(spans):
        found = []
        for span in sorted(spans):
            last = found[-1] if found else None
            if last and span.start <= last.end:
                found[-1] = Span(last.start, max(last.end, span.end))
            else:
                found.append(span)
        return found

either: what two ranges have in common
    def common(one, other):
        if one[1] < other[0] or other[1] < one[0]:
            return None
        return «one[0]», one[1]
AssertionError: assert 2 == 5
    def common(one, other):
        if one[1] < other[0] or other[1] < one[0]:
            return None
        return max(one[0], other[0]), one[1]

not any: it is compared
    def longest(words):
        longest = 0
        for word in words:
            if len(word) > longest:
                «longest = len(word)»
        return longest
AssertionError: assert 2 == 5

not any: it is added up
    def longest(words):
        longest = 0
        for word in words:
            «longest = longest + len(word)»
        return longest
AssertionError: assert 2 == 5

not any: it has no value before
    def show(words):
        for word in words:
            «longest = len(word)»
            print(longest)
AssertionError: assert 2 == 5

not any: the object's first value
    def __init__(self, first):
        «self.lowest = first»
AssertionError: assert 2 == 5

not any: no other object has it
    def end(span, other):
        return «span.end»
AssertionError: assert 2 == 5

not any: it is the greater of both
    def end(span, other):
        return max(«span.end», other.end)
AssertionError: assert 2 == 5
"""
)
