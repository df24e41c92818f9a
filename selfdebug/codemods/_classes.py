"""The classes that a test of a value's class names, and which of them belong together."""

from __future__ import annotations

import libcst as cst

from selfdebug.codemods._edit import Change
from selfdebug.codemods._names import dotted

_FAMILIES = (
    frozenset(("list", "tuple", "set", "frozenset", "deque", "dict_keys", "dict_values")),
    frozenset(("str", "bytes", "bytearray", "memoryview")),
    frozenset(("int", "float", "complex", "Decimal", "Fraction")),
    frozenset(("date", "datetime", "time", "timedelta")),
    frozenset(("str", "Path", "PurePath")),
    frozenset(("dict", "Mapping", "MutableMapping", "OrderedDict")),
)


def are_kin(one: str, other: str) -> bool:
    """Say whether what takes values of one class often takes those of the other, by their names."""
    return any({one, other} <= family for family in _FAMILIES)


def class_names(kinds: cst.BaseExpression) -> list[str]:
    """Return the names in the second argument of ``isinstance``, "" for what is no name."""
    match kinds:
        case cst.Tuple(elements=elements):
            return [name for each in elements for name in class_names(each.value)]
        case cst.BinaryOperation(left=left, right=right, operator=cst.BitOr()):
            return [*class_names(left), *class_names(right)]
    return [dotted(kinds) or ""]


def with_class(kinds: cst.Arg, name: str) -> Change:
    """Return the change that names one class more, as the others are."""
    new = cst.parse_expression(name)

    def put(old: cst.Arg) -> cst.Arg:
        match old.value:
            case cst.Tuple(elements=elements):
                added = [*elements, cst.Element(new)]
                return old.with_changes(value=old.value.with_changes(elements=added))
            case cst.BinaryOperation(operator=cst.BitOr()):
                return old.with_changes(value=cst.BinaryOperation(old.value, cst.BitOr(), new))
        return old.with_changes(value=cst.Tuple([cst.Element(old.value), cst.Element(new)]))

    return {kinds: put}
