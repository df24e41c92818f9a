"""What an expression would come to, found without running any code of the project.

It takes values of the built-in types as they are and knows what these do; of other objects it reads
plain attributes and asks who they are. Whatever else an expression does, it is ``Unknown``. Standard
library only, from Python 3.8 on.
"""

# ruff: noqa: B905, SIM905, UP036

from __future__ import annotations

import ast
import collections
import datetime
import enum
import math
import operator
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import (
    BuiltinFunctionType,
    FrameType,
    FunctionType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
)
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    _List = list[Any]
else:
    _List = list  # not subscriptable before Python 3.9
_LONGEST = 10_000  # items, or digits, of what an operation may make
_DEEPEST = 20  # containers in each other
_NUMBERS = (int, bool, float, complex)
_DATES = (datetime.date, datetime.timedelta)
_MOMENTS = (datetime.datetime, datetime.time)
_SCALARS = {*_NUMBERS, str, bytes, type(None), type(Ellipsis), *_DATES, *_MOMENTS}
_FIXED = (list, tuple, set, frozenset, collections.deque)
_MAPS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
_SEQUENCES = (list, tuple, str, bytes, range)
_FRESH = (list, dict, set)
_LONG_DIGITS = re.compile(r"\d{4}|\*")


_Point = collections.namedtuple("_Point", "x")  # noqa: PYI024 - its attributes are of the kind of all


class Unknown(Exception):
    """Code of the project would run, or too much would be made, to find a value."""


class Budget:
    """How many steps may be taken. Raises Unknown where they are used up."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Take away steps."""
        self.left -= steps
        if self.left < 0:
            raise Unknown


# --- what is known of values ---


def _bases(kind: type) -> tuple[type, ...]:
    found: tuple[type, ...] = type.__dict__["__mro__"].__get__(kind)
    return found


def _own(kind: type) -> Mapping[str, Any]:
    found: Mapping[str, Any] = type.__dict__["__dict__"].__get__(kind)
    return found


def _class_attribute(kind: type, name: str) -> Any:
    """Find what a class has by a name. Raises LookupError."""
    for base in _bases(kind):
        own = _own(base)
        if name in own:
            return own[name]
    raise LookupError(name)


def _is_decimal(kind: type) -> bool:
    module = sys.modules.get("decimal")
    return module is not None and kind is vars(module).get("Decimal")


def _is_tame(kind: type) -> bool:
    """Whether to compare a class with others, or to look it up, runs no code of its own class."""
    above = type(kind)
    return above is type or not any(
        name in _own(base)
        for base in _bases(above)
        if base is not type and base is not object
        for name in ("__eq__", "__hash__")
    )


def _is_scalar(value: Any) -> bool:
    kind = type(value)
    if not _is_tame(kind):
        return False
    if kind in _MOMENTS:
        return value.tzinfo is None or type(value.tzinfo) is datetime.timezone
    return kind in _SCALARS or _is_decimal(kind)


def _is_compared_by_identity(kind: type) -> bool:
    """Whether objects of a class are equal to themselves only, and hashed without its own code."""
    hashed = _class_attribute(kind, "__hash__")
    equal = _class_attribute(kind, "__eq__"), _class_attribute(kind, "__ne__")
    return equal == (object.__eq__, object.__ne__) and hashed in (
        object.__hash__,
        enum.Enum.__hash__,
    )


class Values:
    """Looks at values, and makes new ones. ``fresh`` are those that nobody else has."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.fresh: dict[int, Any] = {}

    def made(self, value: Any) -> Any:
        """Note that a value was made here."""
        kind = type(value)
        if kind in (*_FRESH, tuple, str, bytes):
            self.budget.spend(len(value) // 8)
        if kind in _FRESH:
            self.fresh[id(value)] = value
        return value

    def is_exact(self, value: Any, depth: int = 0) -> bool:
        """Whether a value consists of built-in values only."""
        return self._consists(value, _is_scalar, depth)

    def is_plain(self, value: Any, depth: int = 0) -> bool:
        """Whether to compare a value for equality, or to hash it, runs nobody's code."""
        return self._consists(
            value, lambda each: _is_scalar(each) or _is_compared_by_identity(type(each)), depth
        )

    def _consists(self, value: Any, of: Callable[[Any], bool], depth: int) -> bool:
        kind = type(value)
        self.budget.spend()
        if not _is_tame(kind):
            raise Unknown
        if kind in _FIXED or kind in _MAPS:
            if depth > _DEEPEST:
                raise Unknown
            parts = [*value, *value.values()] if kind in _MAPS else value
            return all(self._consists(each, of, depth + 1) for each in parts)
        if kind is slice:
            return all(of(each) for each in (value.start, value.stop, value.step))
        return kind is range or of(value)

    def exact(self, *values: Any) -> None:
        """Raise Unknown where a value does not consist of built-in values only."""
        if not all(map(self.is_exact, values)):
            raise Unknown

    def plain(self, *values: Any) -> None:
        """Raise Unknown where to compare a value for equality may run somebody's code."""
        if not all(map(self.is_plain, values)):
            raise Unknown

    def truth(self, value: Any) -> bool:
        """Say whether a value counts as true. Raises Unknown."""
        kind = type(value)
        if not (_is_scalar(value) or kind in _FIXED or kind in _MAPS or kind is range):
            for name in ("__bool__", "__len__"):
                for base in _bases(kind):
                    if name in _own(base):
                        raise Unknown
        return bool(value)

    def items(self, value: Any) -> list[Any]:
        """List what a loop over a value goes through. Raises Unknown."""
        kind = type(value)
        known = (*_SEQUENCES, *_FIXED, *_MAPS, Passing)
        if kind not in known or len(value) > _LONGEST:
            raise Unknown
        self.budget.spend(len(value))
        return list(value)

    def attribute(self, value: Any, name: str) -> Any:
        """Read an attribute that is stored as it is. Raises Unknown."""
        kind = type(value)
        if kind is ModuleType:
            return _stored(vars(value), name)
        if kind in _SCALARS:
            return self._of_scalar(value, name)
        if issubclass(kind, type):
            return _of_class(value, name)
        if not _is_usual(kind):
            raise Unknown
        try:
            found = _class_attribute(kind, name)
        except LookupError:
            return _stored(_variables(value), name)
        if type(found) in _STORED:
            return found.__get__(value, kind)
        if type(found) is FunctionType or not _is_descriptor(found):
            own = _variables(value, {})
            if name in own or type(found) is not FunctionType:
                return own.get(name, found)
        raise Unknown

    def _of_scalar(self, value: Any, name: str) -> Any:
        if type(value) in (*_DATES, *_MOMENTS) and name in _FIELDS and _is_scalar(value):
            return getattr(value, name)
        raise Unknown


_STORED = (MemberDescriptorType, type(_Point.x))
_FIELDS = frozenset("year month day hour minute second microsecond days seconds fold".split())
_FIELDS |= frozenset(("microseconds", "resolution"))


def _is_usual(kind: type) -> bool:
    """Whether the attributes of an object are looked up as usual, and its class is what it says."""
    looked_up = _class_attribute(kind, "__getattribute__")
    own_class = _class_attribute(kind, "__class__") is object.__dict__["__class__"]
    return own_class and looked_up in (object.__getattribute__, tuple.__getattribute__)


def _stored(variables: Mapping[str, Any], name: str) -> Any:
    if name not in variables:
        raise Unknown
    return variables[name]


def _variables(value: Any, default: Any = None) -> Any:
    """Give what an object stores by names; ``default`` where it has no such dictionary."""
    kind = type(value)
    for base in _bases(kind):
        found = _own(base).get("__dict__")
        if found is not None and type(found).__name__ != "getset_descriptor":
            raise Unknown
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        found = default
    if type(found) is not dict:
        raise Unknown
    return found


def _is_descriptor(value: Any) -> bool:
    names = ("__get__", "__set__", "__delete__")
    return any(name in _own(base) for base in _bases(type(value)) for name in names)


def _of_class(value: Any, name: str) -> Any:
    if type(value) not in (type, type(enum.Enum)) and type(value).__module__ != "abc":
        raise Unknown
    if type(value) is type(enum.Enum):
        members = _own(value).get("_member_map_", {})
        if name in members:
            return members[name]
    try:
        _class_attribute(type(value), name)
    except LookupError:
        try:
            found = _class_attribute(value, name)
        except LookupError:
            raise Unknown from None
        if not _is_descriptor(found) or type(found) is MethodDescriptorType:
            return found
    raise Unknown


def same(one: Any, other: Any, fresh: Mapping[int, Any]) -> bool:
    """Say whether the rest of a program can't tell a value from another.

    ``fresh`` are containers that nobody else has: only their contents count.
    """
    return _Same(fresh).holds(one, other)


class _Same:
    def __init__(self, fresh: Mapping[int, Any]) -> None:
        self.fresh = fresh
        self.pairs: dict[int, int] = {}

    def holds(self, one: Any, other: Any) -> bool:
        if one is other:
            return id(one) not in self.fresh or self.pairs.setdefault(id(one), id(one)) == id(one)
        kind = type(one)
        if kind is not type(other) or not _is_tame(kind):
            return False
        if kind in (list, dict):
            return self._are_alike(one, other)
        if kind is tuple:
            return self._all(one, other)
        if kind in (range, slice):
            return self._all((one.start, one.stop, one.step), (other.start, other.stop, other.step))
        return _is_same_scalar(kind, one, other)

    def _are_alike(self, one: Any, other: Any) -> bool:
        """Compare containers that may be changed later on: what is one of them must not be two."""
        if id(one) not in self.fresh or id(other) not in self.fresh:
            return False
        for here, there in ((one, other), (other, one)):
            if self.pairs.setdefault(id(here), id(there)) != id(there):
                return False
        if type(one) is dict:
            return self._all([*one.items()], [*other.items()])
        return self._all(one, other)

    def _all(self, one: Any, other: Any) -> bool:
        return len(one) == len(other) and all(map(self.holds, one, other))


def _is_same_scalar(kind: type, one: Any, other: Any) -> bool:
    if kind is float:
        return bool(one == other) and math.copysign(1, one) == math.copysign(1, other)
    if _is_decimal(kind):
        return bool(one.as_tuple() == other.as_tuple())
    if kind in _MOMENTS:
        alike = one.tzinfo is other.tzinfo and one.fold == other.fold
        return alike and bool(one == other)
    return kind in (int, str, bytes, *_DATES) and bool(one == other)


# --- what operations come to ---


class Passing(_List):
    """What a generator or another iterator will give: to be consumed at once."""


_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_CONVERSIONS: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}
_ORDER: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _bounded(op: type, left: Any, right: Any) -> None:
    """Raise Unknown where an operation could make something huge."""
    if op in (ast.Pow, ast.LShift):
        if not all(type(each) in _NUMBERS for each in (left, right)):
            raise Unknown
        if type(left) is int and (abs(right) > _LONGEST or left.bit_length() * right > _LONGEST):
            raise Unknown
    elif op is ast.Mult:
        for many, times in ((left, right), (right, left)):
            if hasattr(type(many), "__len__"):
                if type(times) is not int or len(many) * times > _LONGEST:
                    raise Unknown
            elif type(many) is int and many.bit_length() > _LONGEST:
                raise Unknown
    elif op is ast.Mod and type(left) in (str, bytes) and _LONG_DIGITS.search(repr(left)):
        raise Unknown


_METHODS: dict[type, frozenset[str]] = {
    str: frozenset(
        "capitalize casefold count endswith find index isalnum isalpha isascii isdecimal isdigit"
        " isidentifier islower isnumeric isprintable isspace istitle isupper join lower lstrip"
        " ljust rjust center zfill partition removeprefix removesuffix replace rfind rindex rpartition"
        " rsplit rstrip split splitlines startswith strip swapcase title upper encode".split()
    ),
    bytes: frozenset(
        "count decode endswith find index isalnum isalpha isdigit islower isspace isupper join"
        " lower lstrip partition replace rfind rindex rpartition rsplit rstrip split splitlines"
        " startswith strip upper hex".split()
    ),
    int: frozenset(("bit_length", "bit_count", "conjugate")),
    float: frozenset(("is_integer", "as_integer_ratio")),
    list: frozenset(("count", "index", "copy")),
    tuple: frozenset(("count", "index")),
    range: frozenset(("count", "index")),
    set: frozenset(("issubset", "issuperset", "isdisjoint")),
    frozenset: frozenset(("issubset", "issuperset", "isdisjoint")),
    datetime.date: frozenset("isoformat weekday isoweekday toordinal replace isocalendar".split()),
    datetime.datetime: frozenset(
        "isoformat weekday isoweekday toordinal replace date time".split()
    ),
    datetime.timedelta: frozenset(("total_seconds",)),
    **{kind: frozenset(("get", "copy", "keys", "values", "items")) for kind in _MAPS[:1]},
    **{kind: frozenset(("get", "keys", "values", "items")) for kind in _MAPS[1:]},
}
_VIEWS = frozenset(("keys", "values", "items"))
_CODED = frozenset(("encode", "decode"))
_FILLING = frozenset(("ljust", "rjust", "center", "zfill"))
_JOINING = frozenset(("replace", "join"))
_MATH = frozenset(
    "floor ceil trunc sqrt fabs isclose isnan isinf isfinite hypot gcd copysign fmod fsum log log2"
    " log10 exp sin cos tan atan atan2 radians degrees isqrt".split()
)


class Evaluator(Values):
    """Finds what expressions come to where a frame stands. Its methods raise Unknown.

    And whatever the expression would raise itself.
    """

    def __init__(self, frame: FrameType, budget: Budget) -> None:
        super().__init__(budget)
        code = frame.f_code
        self._inner: dict[str, Any] = {}  # the variables of comprehensions and lambdas
        self._locals: Mapping[str, Any] = frame.f_locals
        self._bound = frozenset((*code.co_varnames, *code.co_cellvars, *code.co_freevars))
        self._globals, self._builtins = frame.f_globals, frame.f_builtins

    def value(self, node: ast.AST) -> Any:
        """Give what an expression comes to."""
        self.budget.spend()
        find = _FINDERS.get(type(node))
        found = None if find is None else find(self, node)
        if find is None or not _is_tame(type(found)):
            raise Unknown
        return found

    def _name(self, node: ast.Name) -> Any:
        name = node.id
        if name.startswith("__") and not name.endswith("__"):
            raise Unknown  # in a class it stands for another name
        if name in self._inner:
            return self._inner[name]
        if name in self._locals:
            return self._locals[name]
        if name in self._bound:
            raise Unknown
        if name in self._globals:
            return self._globals[name]
        return _stored(self._builtins, name)

    def _constant(self, node: Any) -> Any:
        return node.value

    # --- displays ---

    def _several(self, nodes: list[ast.expr]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found.extend(self.items(self.value(node.value)))
            else:
                found.append(self.value(node))
        return found

    def _list(self, node: ast.List) -> Any:
        return self.made(self._several(node.elts))

    def _tuple(self, node: ast.Tuple) -> Any:
        return tuple(self._several(node.elts))

    def _set(self, node: ast.Set) -> Any:
        found = self._several(node.elts)
        self.plain(found)
        return self.made(set(found))

    def _dict(self, node: ast.Dict) -> Any:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values):
            if key is None:
                raise Unknown
            at = self.value(key)
            self.plain(at)
            found[at] = self.value(value)
        return self.made(found)

    # --- operators ---

    def _unary(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return not self.truth(value)
        if not _is_scalar(value):
            raise Unknown
        return _UNARY[type(node.op)](value)

    def _binary(self, node: ast.BinOp) -> Any:
        return self.operation(type(node.op), self.value(node.left), self.value(node.right))

    def operation(self, op: type, left: Any, right: Any) -> Any:
        """Give what a binary operator makes of two values."""
        if op not in _BINARY:
            raise Unknown
        for each in (left, right):
            if not _is_scalar(each):
                self._container_operand(op, left, right)
        if op is ast.Mod and type(left) in (str, bytes):
            self.exact(right)
        _bounded(op, left, right)
        return self.made(_BINARY[op](left, right))

    def _container_operand(self, op: type, left: Any, right: Any) -> None:
        kinds = {type(left), type(right)}
        is_joined = op is ast.Add and kinds in ({list}, {tuple})
        is_repeated = op is ast.Mult and kinds in ({list, int}, {tuple, int})
        is_formatted = op is ast.Mod and type(left) in (str, bytes) and type(right) is tuple
        if kinds <= {set, frozenset} and op in (ast.Sub, ast.BitAnd, ast.BitOr, ast.BitXor):
            self.plain(left, right)
        elif not (is_joined or is_repeated or is_formatted):
            raise Unknown

    def _boolean(self, node: ast.BoolOp) -> Any:
        value: Any = None
        for each in node.values:
            value = self.value(each)
            if self.truth(value) is isinstance(node.op, ast.Or):
                return value
        return value

    def _conditional(self, node: ast.IfExp) -> Any:
        return self.value(node.body if self.truth(self.value(node.test)) else node.orelse)

    def _compare(self, node: ast.Compare) -> Any:
        left = self.value(node.left)
        for op, each in zip(node.ops, node.comparators):
            right = self.value(each)
            if not self._holds(type(op), left, right):
                return False
            left = right
        return True

    def _holds(self, op: type, left: Any, right: Any) -> bool:
        if op in (ast.Is, ast.IsNot):
            if not any(each is None or each is True or each is False for each in (left, right)):
                raise Unknown
            return (left is right) is (op is ast.Is)
        if op in (ast.In, ast.NotIn):
            return self._contains(right, left) is (op is ast.In)
        if op in _ORDER:
            self.exact(left, right)
            return bool(_ORDER[op](left, right))
        self.plain(left, right)
        return (left == right) is (op is ast.Eq)

    def _contains(self, whole: Any, part: Any) -> bool:
        kind = type(whole)
        if kind not in (*_SEQUENCES, *_FIXED, *_MAPS, Passing):
            raise Unknown
        parts = list(whole) if kind in _MAPS or kind is Passing else whole
        self.plain(part, parts)
        return part in whole

    def _subscript(self, node: ast.Subscript) -> Any:
        whole, at = self.value(node.value), self.value(node.slice)
        kind = type(whole)
        if kind in _SEQUENCES:
            if type(at) not in (int, bool, slice) or not self.is_exact(at):
                raise Unknown
            found = whole[at]
            return self.made(found) if type(at) is slice else found
        if kind is re.Match and type(at) in (int, str):
            return whole[at]
        if kind not in _MAPS:
            raise Unknown
        self.plain([*whole], at)
        if at not in whole:  # what would be made then, or raised
            raise Unknown
        return dict.__getitem__(whole, at)

    def _slice(self, node: ast.Slice) -> Any:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if each is None else self.value(each) for each in parts))

    def _index(self, node: Any) -> Any:
        return self.value(node.value)  # before Python 3.9

    def _attribute(self, node: ast.Attribute) -> Any:
        name = node.attr
        if name.startswith("__"):
            raise Unknown
        return self.attribute(self.value(node.value), name)

    # --- texts ---

    def _joined(self, node: ast.JoinedStr) -> Any:
        return "".join([self.value(each) for each in node.values])

    def _formatted(self, node: ast.FormattedValue) -> Any:
        value = self.value(node.value)
        how = "" if node.format_spec is None else self.value(node.format_spec)
        if _LONG_DIGITS.search(how):
            raise Unknown
        self.exact(value)
        if node.conversion != -1:
            value = _CONVERSIONS[node.conversion](value)
        return format(value, how)

    # --- comprehensions ---

    def _listed(self, node: Any) -> Any:
        return self.made([*self._comprehended(node, node.elt)])

    def _given(self, node: Any) -> Any:
        return Passing(self._comprehended(node, node.elt))

    def _set_of(self, node: Any) -> Any:
        found = [*self._comprehended(node, node.elt)]
        self.plain(found)
        return self.made(set(found))

    def _dict_of(self, node: Any) -> Any:
        pairs = [*self._comprehended(node, ast.Tuple([node.key, node.value], ast.Load()))]
        self.plain([key for key, _ in pairs])
        return self.made(dict(pairs))

    def _comprehended(self, node: Any, result: ast.expr) -> Iterator[Any]:
        outer = self._inner
        self._inner = dict(outer)
        try:
            yield from self._rounds(node.generators, result)
        finally:
            self._inner = outer

    def _rounds(self, loops: list[ast.comprehension], result: ast.expr) -> Iterator[Any]:
        if not loops:
            yield self.value(result)
            return
        loop, *others = loops
        if loop.is_async:
            raise Unknown
        for each in self.items(self.value(loop.iter)):
            self._bind(loop.target, each)
            if all(self.truth(self.value(test)) for test in loop.ifs):
                yield from self._rounds(others, result)

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self._inner[target.id] = value
            return
        if not isinstance(target, (ast.Tuple, ast.List)):
            raise Unknown
        values = self.items(value)
        if len(values) != len(target.elts):
            raise Unknown
        for part, each in zip(target.elts, values):
            self._bind(part, each)

    # --- calls ---

    def _call(self, node: ast.Call) -> Any:
        if any(each.arg is None for each in node.keywords):
            raise Unknown
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value)
            if not issubclass(type(owner), (type, ModuleType)):
                return self._method(owner, node.func.attr, node)
            function = self.attribute(owner, node.func.attr)
        else:
            function = self.value(node.func)
        for known, find in _CALLED:
            if function is known:
                return find(self, node)
        if type(function) is BuiltinFunctionType and function.__module__ == "math":
            return self._calculated(function, node)
        if type(function) is type and _is_decimal(function):
            return self._converted(function, node)
        raise Unknown

    def _arguments(self, node: ast.Call) -> tuple[list[Any], dict[str, Any]]:
        """Give the arguments, a list in the place of each iterator."""
        args = [list(each) if type(each) is Passing else each for each in self._several(node.args)]
        return args, {str(each.arg): self.value(each.value) for each in node.keywords}

    def _method(self, owner: Any, name: str, node: ast.Call) -> Any:
        kind = type(owner)
        if name not in _METHODS.get(kind, ()) or (kind in _MOMENTS and not _is_scalar(owner)):
            raise Unknown
        args, options = self._arguments(node)
        self.plain(args, options, [*owner] if kind in _MAPS else owner)
        if (name in _CODED and args) or options.keys() & {"encoding"}:
            raise Unknown  # a codec may be the project's
        if name in _FILLING and args[0] > _LONGEST:
            raise Unknown
        if name in _JOINING and len(owner) * sum(map(len, args[1:2] or args)) > _LONGEST**2:
            raise Unknown
        found = getattr(owner, name)(*args, **options)
        if name in _VIEWS:
            return Passing(found)
        return found if name == "get" else self.made(found)

    def _calculated(self, function: Any, node: ast.Call) -> Any:
        args, options = self._arguments(node)
        self.exact(args, options)
        if function.__name__ not in _MATH:
            raise Unknown
        return function(*args, **options)

    def _converted(self, function: Any, node: ast.Call) -> Any:
        args = self._several(node.args)
        options = {str(each.arg): self.value(each.value) for each in node.keywords}
        if Passing in map(type, args):
            raise Unknown
        self.exact(args, options)
        return self.made(function(*args, **options))

    def _length(self, node: ast.Call) -> int:
        (whole,) = self._several(node.args)
        if type(whole) not in (*_SEQUENCES, *_FIXED, *_MAPS):
            raise Unknown
        return len(whole)

    def _is_instance(self, node: ast.Call) -> bool:
        value, kinds = self._several(node.args)
        asked = kinds if type(kinds) is tuple else (kinds,)
        kind = type(value)
        if any(type(each) is not type for each in asked):
            raise Unknown
        if not _is_scalar(value) and kind not in (*_FIXED, *_MAPS) and not _is_usual(kind):
            raise Unknown
        return issubclass(kind, asked)

    def _consumed(self, function: Any, node: ast.Call) -> Any:
        """Call what makes one container of what a loop would go through."""
        if node.keywords:
            raise Unknown
        items = [self.items(each) for each in self._several(node.args)]
        if function in (set, frozenset):
            self.plain(*items)
        return self.made(function(*items))

    def _passed(self, function: Any, node: ast.Call) -> Any:
        """Call what gives one after the other."""
        args, options = self._arguments(node)
        many = len(args) if function is zip else 1
        self.exact(args[many:], options)
        return Passing(function(*map(self.items, args[:many]), *args[many:], **options))

    def _reversed(self, node: ast.Call) -> Any:
        whole, *others = self._several(node.args)
        if others or node.keywords or type(whole) not in _REVERSED:
            raise Unknown  # a set or an iterator can't be reversed
        return Passing(reversed([*self.items(whole)]))

    def _summed(self, node: ast.Call) -> Any:
        args, options = self._arguments(node)
        items = [*self.items(args[0]), *args[1:], *options.values()]
        if not all(_is_scalar(each) for each in items):
            raise Unknown
        return sum(items[: len(items) - len(args[1:]) - len(options)], *args[1:], **options)

    def _tested(self, function: Any, node: ast.Call) -> bool:
        (items,) = map(self.items, self._several(node.args))
        return bool(function([self.truth(each) for each in items]))

    def _ordered(self, function: Any, node: ast.Call) -> Any:
        """Call what compares items."""
        options = {
            str(each.arg): self._key(each.value) if each.arg == "key" else self.value(each.value)
            for each in node.keywords
        }
        args = self._several(node.args)
        if len(args) == 1:
            args = [self.items(args[0])]
        if options.get("key") is None:
            self.exact(*args)
        self.exact({name: each for name, each in options.items() if name != "key"})
        return (
            self.made(function(*args, **options))
            if function is sorted
            else function(*args, **options)
        )

    def _key(self, node: ast.expr) -> Any:
        """Give the function that tells what to compare of an item."""
        if isinstance(node, ast.Lambda):
            arguments = node.args
            if len(arguments.args) != 1 or len([*ast.iter_child_nodes(arguments)]) != 1:
                raise Unknown
            name, body = arguments.args[0].arg, node.body
            return lambda each: self._applied(name, each, body)
        found = self.value(node)
        if found is not None and not any(found is each for each in _MEASURES):
            raise Unknown
        return found and (lambda each: self._measured(found, each))

    def _measured(self, function: Any, value: Any) -> Any:
        self.exact(value)
        return function(value)

    def _applied(self, name: str, value: Any, body: ast.expr) -> Any:
        outer = self._inner
        self._inner = {**outer, name: value}
        try:
            found = self.value(body)
        finally:
            self._inner = outer
        self.exact(found)
        return found


_REVERSED = (list, tuple, str, bytes, range)
_MEASURES = (len, abs, str.lower, str.upper, str.casefold, str.strip)
_CALLED: list[tuple[Any, Callable[[Evaluator, ast.Call], Any]]] = [
    (len, Evaluator._length),
    (isinstance, Evaluator._is_instance),
    (sum, Evaluator._summed),
    (reversed, Evaluator._reversed),
]


def _with(find: Callable[[Evaluator, Any, ast.Call], Any], *functions: Any) -> None:
    def bound(function: Any) -> Callable[[Evaluator, ast.Call], Any]:
        return lambda evaluator, node: find(evaluator, function, node)

    _CALLED.extend((each, bound(each)) for each in functions)


_with(Evaluator._consumed, list, tuple, set, frozenset)
_with(Evaluator._passed, enumerate, zip)
_with(Evaluator._tested, any, all)
_with(Evaluator._ordered, sorted, min, max)
_with(Evaluator._converted, abs, round, divmod, int, str, float, bool, repr, ord, chr, range, hex)
_with(Evaluator._converted, oct, dict, datetime.date, datetime.timedelta, datetime.datetime)


_FINDERS: dict[type, Any] = {
    ast.Constant: Evaluator._constant,
    ast.Name: Evaluator._name,
    ast.List: Evaluator._list,
    ast.Tuple: Evaluator._tuple,
    ast.Set: Evaluator._set,
    ast.Dict: Evaluator._dict,
    ast.UnaryOp: Evaluator._unary,
    ast.BinOp: Evaluator._binary,
    ast.BoolOp: Evaluator._boolean,
    ast.IfExp: Evaluator._conditional,
    ast.Compare: Evaluator._compare,
    ast.Subscript: Evaluator._subscript,
    ast.Slice: Evaluator._slice,
    ast.Attribute: Evaluator._attribute,
    ast.JoinedStr: Evaluator._joined,
    ast.FormattedValue: Evaluator._formatted,
    ast.ListComp: Evaluator._listed,
    ast.GeneratorExp: Evaluator._given,
    ast.SetComp: Evaluator._set_of,
    ast.DictComp: Evaluator._dict_of,
    ast.Call: Evaluator._call,
}
if sys.version_info < (3, 9):
    _FINDERS[ast.Index] = Evaluator._index
