"""UnusedResult: what a variable should become is calculated, and nobody keeps it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst

from selfdebug.codemods._base import Variant, examples
from selfdebug.codemods._edit import expression, spaced_as
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import Kind, function_at, kind_of
from selfdebug.codemods._names import code_of, dotted
from selfdebug.codemods._passing import last_of
from selfdebug.syntax.bindings import FUNCTIONS
from selfdebug.syntax.modules import definitions, read_module

_PURE = small_edit("pure", "keep what a call without any other effect gives", 0.8)
_OWN = small_edit("own", "keep what a function of the project gives back", 0.5)
_CALCULATED = small_edit("calculated", "keep what is calculated", 0.8)
_EQUAL = small_edit("equal", "assign instead of comparing", 0.8)
_STATUS = small_edit("status", "end the program with the status that a function returns", 0.8)
_DELEGATED = small_edit("delegated", "yield what the other generator yields", 0.7)
_TEXTS = frozenset(
    (
        *("strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold"),
        *("replace", "removeprefix", "removesuffix", "expandtabs", "zfill", "center", "format"),
        *("ljust", "rjust", "encode", "decode", "translate", "swapcase"),
    )
)
_OTHERS = frozenset(
    (
        *("union", "intersection", "difference", "symmetric_difference", "quantize", "astimezone"),
        *("with_suffix", "with_name", "with_stem", "resolve", "expanduser", "relative_to", "copy"),
        *("joinpath", "absolute", "_replace"),
    )
)
_DATED = frozenset(("date", "datetime", "time"))
_PARTS = frozenset(
    ("year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo", "fold")
)
_FUNCTIONS = frozenset(("sorted", "reversed", "abs", "round", "deepcopy", "int", "float", "str"))


class UnusedResult(FirstOrder):
    """Give a variable what a call or a calculation makes of it; yield what a generator gives."""

    DESCRIPTION = "Keep the result of a call or a calculation that nobody uses."
    NAME = "unused-result"
    VARIANTS = (_PURE, _OWN, _STATUS, _DELEGATED, _CALCULATED, _EQUAL)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the assignment of the result to what it was made from."""
        if place.node is not place.statement:
            return
        match place.node:
            case cst.Expr(value=cst.BinaryOperation(left=left) as value) as node:
                if _may_take(place, left):
                    why = f"nothing is done with `{place.code(value)}`"
                    yield _CALCULATED, {node: _augmented}, why
            case (
                cst.Expr(
                    value=cst.Comparison(
                        left=left, comparisons=[cst.ComparisonTarget(cst.Equal(), right)]
                    )
                ) as node
            ) if _may_take(place, left):
                why = f"nothing is done with `{place.code(node)}`"
                yield _EQUAL, {node: _assigned(left, right)}, why
            case cst.Expr(value=cst.Call() as call) as node:
                why = f"nothing is done with what `{code_of(call.func)}` gives"
                if _is_delegated(place, call):
                    yield _DELEGATED, {node: _yielded(call)}, why
                if _is_program(place) and _gives(place, last_of(call.func)):
                    yield _STATUS, {node: _ended(place, call)}, why
                for variant, taker in _takers(place, call):
                    yield variant, {node: _assigned(taker, call)}, why


def _augmented(old: cst.Expr) -> cst.CSTNode:
    value = cst.ensure_type(old.value, cst.BinaryOperation)
    operator: type[cst.BaseAugOp] = getattr(cst, f"{type(value.operator).__name__}Assign")
    return cst.AugAssign(
        _target(value.left), spaced_as(value.operator, operator), value.right, old.semicolon
    )


def _assigned(taker: cst.BaseExpression, value: cst.BaseExpression) -> Callable[[Any], cst.CSTNode]:
    made = cst.Assign([cst.AssignTarget(_target(taker))], value)
    return lambda old: made.with_changes(semicolon=old.semicolon)


def _target(taker: cst.BaseExpression) -> cst.Name | cst.Attribute | cst.Subscript:
    target = taker.with_changes(lpar=(), rpar=())
    assert isinstance(target, cst.Name | cst.Attribute | cst.Subscript)
    return target


def _is_delegated(place: Place, call: cst.Call) -> bool:
    """Say whether a generator calls a generator of the project, which does nothing by itself."""
    function = function_at(place)
    if not isinstance(function, ast.FunctionDef) or not _yields(function):
        return False
    found = [each.node for each in definitions(last_of(call.func), place.project)]
    return bool(found) and all(
        isinstance(each, ast.FunctionDef) and _yields(each) for each in found
    )


def _yields(function: ast.FunctionDef) -> bool:
    return any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(function))


def _yielded(call: cst.Call) -> Callable[[Any], cst.CSTNode]:
    made = cst.Yield(cst.From(call))
    return lambda old: old.with_changes(value=made)


def _is_program(place: Place) -> bool:
    """Say whether a statement runs when its file is the program, and only then."""
    if function_at(place) is not None:
        return False
    if place.tree.region.source.path.name == "__main__.py":
        return True
    around = (each for each in place.tree.ancestors(place.node) if isinstance(each, cst.If))
    return any(re.search(r"\b__name__ == ['\"]__main__", place.code(each.test)) for each in around)


def _ended(place: Place, call: cst.Call) -> Callable[[Any], cst.CSTNode]:
    """Return what ends the program with what a call gives, by ``sys.exit`` where it is at hand."""
    imports = read_module(place.tree.region.source.path, place.project).imports
    ways = {full: name for name, full in imports.items()}
    name = ways.get("sys.exit") or (f"{ways['sys']}.exit" if "sys" in ways else "")
    if name:
        value = expression(f"{name}(STATUS)", STATUS=call)
        return lambda old: old.with_changes(value=value)
    made = cst.Raise(expression("SystemExit(STATUS)", STATUS=call))
    return lambda old: made.with_changes(semicolon=old.semicolon)


def _takers(place: Place, call: cst.Call) -> Iterator[tuple[Variant, cst.BaseExpression]]:
    """Yield what may be meant to become the result of a call."""
    name, func = last_of(call.func), call.func
    given = [arg.value for arg in call.args if not arg.star and _may_take(place, arg.value)]
    if isinstance(func, cst.Attribute) and _may_take(place, func.value):
        kind = kind_of(place, func.value)
        text = name in _TEXTS and kind in ("str", "bytes", "")
        if text or name in _OTHERS or _is_of_date(call, kind):
            yield _PURE, func.value
            return
    if isinstance(func, cst.Name) and name in _FUNCTIONS:
        yield from ((_PURE, each) for each in given[:1])
    elif _gives(place, name):
        yield from ((_OWN, each) for each in given)


def _is_of_date(call: cst.Call, kind: Kind) -> bool:
    """Say whether a call makes a date or a time of another one: its class or its arguments tell."""
    named = {arg.keyword.value for arg in call.args if arg.keyword is not None}
    dated = kind in _DATED or (kind == "" and bool(named) and named <= _PARTS)
    return last_of(call.func) == "replace" and dated


def _may_take(place: Place, node: cst.BaseExpression) -> bool:
    """Say whether something is a variable, or an attribute of one, that may be assigned to."""
    spelling = dotted(node)
    if spelling is None:
        return False
    first, _, rest = spelling.partition(".")
    return bool(rest) or (first in place.names and first not in ("self", "cls"))


def _gives(place: Place, name: str) -> bool:
    """Say whether the function of the project with a name returns something, and not by the way."""
    found = [each.node for each in definitions(name, place.project)]
    return bool(found) and all(
        isinstance(each, FUNCTIONS) and any(map(_returns_value, ast.walk(each))) for each in found
    )


def _returns_value(node: ast.AST) -> bool:
    match node:
        case ast.Return(value=ast.Constant(value=None | True | False)):
            return False
        case ast.Return(value=ast.expr()):
            return True
    return False


UnusedResult.EXAMPLES = examples(
    """
pure: a part of the time is named
    def later(value):
        «value.replace(hour=12)»
        return value
AssertionError: assert 9 == 12
    def later(value):
        value = value.replace(hour=12)
        return value

pure: a time with its zone
    def read(text, zone):
        found = datetime.fromisoformat(text)
        «found.replace(tzinfo=zone)»
        return found
TypeError: can't compare offset-naive and offset-aware datetimes
where found: datetime.datetime
    def read(text, zone):
        found = datetime.fromisoformat(text)
        found = found.replace(tzinfo=zone)
        return found

delegated: the parts of each part
    def walk(node):
        yield node.name
        for child in node.children:
            «walk(child)»  # depth first
AssertionError: assert ['a'] == ['a', 'b']
    def walk(node):
        yield node.name
        for child in node.children:
            yield from walk(child)  # depth first

not delegated: it yields nothing
    def log(node):
        print(node.name)

    def walk(node):
        yield node.name
        «log(node)»
AssertionError: assert ['a'] == ['a', 'b']

not delegated: the function is no generator
    def parts(node):
        yield node.name

    def walk(node):
        «parts(node)»
AssertionError: assert None == ['a', 'b']

own: headers that are made anew
    def cleaned(event):
        return Event(event.headers.lower())

    def send(event):
        «cleaned(event)»  # as the other side wants it
        return event.text()
AssertionError: assert 'A' == 'a'
    def cleaned(event):
        return Event(event.headers.lower())

    def send(event):
        event = cleaned(event)  # as the other side wants it
        return event.text()

pure: a text never changes
    def key(name):
        «name.strip()»
        return name.lower()
AssertionError: assert ' a' == 'a'
    def key(name):
        name = name.strip()
        return name.lower()

pure: sorted makes another list
    class Queue:
        def first(self):
            «sorted(self.items)»
            return self.items[0]
AssertionError: assert 2 == 1
    class Queue:
        def first(self):
            self.items = sorted(self.items)
            return self.items[0]

calculated: the loop never gets on
    def digits(number):
        total = 0
        while number > 0:
            total += number % 10
            «number // 10»  # the next one
        return total
TestTimeout: still running after 20 s
    def digits(number):
        total = 0
        while number > 0:
            total += number % 10
            number //= 10  # the next one
        return total

calculated: a field of an object
    class Queue:
        def push(self, item):
            self.items.append(item)
            «self.size + 1»
AssertionError: assert 0 == 1
    class Queue:
        def push(self, item):
            self.items.append(item)
            self.size += 1

equal: a comparison in the place of an assignment
    def state(door):
        result = "open"
        if door.shut:
            «result == "shut"»
        return result
AssertionError: assert 'open' == 'shut'
    def state(door):
        result = "open"
        if door.shut:
            result = "shut"
        return result

status: a program whose exit code nobody sets
    import sys

    def main(argv):
        if len(argv) != 2:
            return 2
        return 0

    if __name__ == "__main__":
        «main(sys.argv)»  # as a script
AssertionError: assert 0 == 2
    import sys

    def main(argv):
        if len(argv) != 2:
            return 2
        return 0

    if __name__ == "__main__":
        sys.exit(main(sys.argv))  # as a script

status: without the module sys
    def main():
        return 1 if problems() else 0

    if __name__ == '__main__':
        «main()»
AssertionError: assert 0 == 1
    def main():
        return 1 if problems() else 0

    if __name__ == '__main__':
        raise SystemExit(main())

not any: the function returns nothing
    def main():
        print("hello")

    if __name__ == "__main__":
        «main()»
AssertionError: assert 0 == 1

not any: it runs on import too
    def setup():
        return 1

    «setup()»
AssertionError: assert 0 == 1

not any: an operator that may be a call of the project
    def pipeline(load):
        «load() >> store»
        return 1
AssertionError: assert 0 == 1

not any: it says whether it did something
    def add(event):
        log.append(event)
        return True

    def send(event):
        «add(event)»
        return event.text()
AssertionError: assert 'A' == 'a'

not any: a method that may change its object
    def key(names):
        «names.sort()»
        return names[0]
AssertionError: assert 'b' == 'a'

not any: the function gives nothing back
    def cleaned(event):
        event.headers = event.headers.lower()

    def send(event):
        «cleaned(event)»
        return event.text()
AssertionError: assert 'A' == 'a'
"""
)
