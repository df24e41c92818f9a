"""What an expression would come to, found without running any code of the project."""

from __future__ import annotations

import ast
import collections
import datetime
import enum
import math
from dataclasses import dataclass
from decimal import Decimal
from types import FrameType
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfdebug.validation.forked.pure import Budget, Evaluator, Unknown, same


class Touchy:
    """Whoever asks it anything has run its code."""

    def _asked(self, *_: object) -> Any:
        raise AssertionError("it was asked")

    __eq__ = __lt__ = __bool__ = __len__ = __iter__ = __add__ = __getattr__ = __str__ = _asked
    __contains__ = __getitem__ = __index__ = __format__ = __call__ = __repr__ = __neg__ = _asked
    __hash__ = None  # type: ignore[assignment]

    @property
    def __class__(self) -> Any:
        raise AssertionError("it was asked")

    @__class__.setter
    def __class__(self, _: object) -> None: ...


class Keyed(Touchy):
    def __hash__(self) -> int:  # type: ignore[override]
        raise AssertionError("it was asked")


class Above(type):
    def __eq__(cls, other: object) -> bool:
        raise AssertionError("it was asked")

    __hash__ = None  # type: ignore[assignment]


class Ruled(metaclass=Above): ...


class Colour(enum.Enum):
    RED = 1


class Point(NamedTuple):
    x: int


@dataclass
class Dish:
    price: int
    LIMIT = 7

    @property
    def tax(self) -> int:
        raise AssertionError("it was asked")

    def __getattr__(self, name: str) -> int:
        raise AssertionError("it was asked")


class Slotted:
    __slots__ = ("size",)

    def __init__(self) -> None:
        self.size = 3


GIVEN: dict[str, Any] = {
    "n": 3,
    "m": -2,
    "big": 2**70,
    "half": 0.5,
    "minus": -0.0,
    "yes": True,
    "nothing": None,
    "s": "a,b ",
    "t": "",
    "raw": b"x",
    "xs": [3, 1, 2],
    "ys": [],
    "pair": (1, "a"),
    "d": {"a": 1, 2: [5]},
    "u": {1, 2},
    "r": range(3),
    "deep": [[1, 2], [3]],
    "many": collections.defaultdict(list, k=[1]),
    "cost": Decimal("1.10"),
    "day": datetime.date(2024, 2, 29),
    "math": math,
    "datetime": datetime,
    "dish": Dish(4),
    "Dish": Dish,
    "Colour": Colour,
    "point": Point(5),
    "slotted": Slotted(),
    "odd": Touchy(),
    "odds": [Touchy(), 1],
    "keyed": {1: Touchy()},
    "ruled": Ruled(),
    "rulers": [Ruled()],
    "others": [Ruled()],
    "key": Keyed(),
    "dishes": [Dish(4), Dish(2)],
    "Decimal": Decimal,
}


def frame() -> FrameType:
    names: dict[str, Any] = {}
    exec(f"def function({', '.join(GIVEN)}):\n    yield", names)
    found: FrameType = names["function"](**GIVEN).gi_frame
    return found


FRAME = frame()


def found(text: str, steps: int = 10_000) -> Any:
    return Evaluator(FRAME, Budget(steps)).value(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    "text",
    [
        "n + m * 2 ** n // 2 % 7 - -n",
        "big >> 3 | 5 ^ n & ~m",
        "half / 3 + n",
        "n < 4 <= big and not m or t",
        "s.strip().split(',')[0].upper() + 'é' * n",
        "f'{n:03d}|{s!r:>8}|{half:.2f}|{xs}'",
        "'%d of %s' % (n, s)",
        "xs[-1] + xs[n - 3] + len(xs[:2])",
        "[x * 2 for row in deep for x in row if x != 2]",
        "{x: str(x) for x in xs}['a' == 'b' or 1]",
        "sum(x for x in xs) + min(xs) + max(1, n, key=abs) + max(ys, default=4)",
        "sorted(xs, key=lambda x: -x, reverse=True)",
        "sorted(['b', 'A'], key=str.lower)",
        "any(x > 2 for x in xs) and all(xs) and any(ys)",
        "list(zip(xs, 'ab')) + list(enumerate(xs, 1)) + list(reversed(xs))",
        "d['a'] + d[2][0] + d.get('no', 9) + ('a' in d) + (3 not in xs)",
        "[*xs, *r, n] == list(d.items())",
        "(day - datetime.timedelta(days=1)).isoformat() + str(day.weekday() + day.year)",
        "cost * 2 + Decimal('0.1') > 1",
        "math.floor(half) + math.isqrt(n)",
        "nothing is None and yes is not False",
        "isinstance(n, (int, str)) and not isinstance(yes, float)",
        "dish.price + dish.LIMIT + Dish.LIMIT + point.x + slotted.size",
        "Colour.RED == Colour.RED and Colour.RED != n and Colour.RED in [Colour.RED]",
        "[each.price for each in dishes][0] + sorted(dishes, key=lambda each: each.price)[0].price",
        "'-'.join(str(x) for x in xs) if xs else odd",
        "n or odd",
        "many['k'] + many.get('no', [])",
        "u & {2, 3} | frozenset([n])",
        "round(half * 3, 1) + abs(m) + divmod(n, 2)[1] + int('12') + float('1.5') + ord('a')",
        "{**{}} if ys else 5",
    ],
)
def test_a_value_is_what_python_finds(text: str) -> None:
    expected = eval(text, GIVEN.copy())
    value = found(text)
    assert (type(value), value) == (type(expected), expected)


@pytest.mark.parametrize(
    "text",
    [
        *("odd == n", "n == odd", "odd < n", "not odd", "odd and n", "odd + n", "-odd", "odd[0]"),
        *(
            "odd.price",
            "odd()",
            "len(odd)",
            "str(odd)",
            "f'{odd}'",
            "[*odd]",
            "n in odd",
            "odd in xs",
        ),
        *(
            "ruled == n",
            "ruled.x",
            "not ruled",
            "rulers == xs",
            "len(ruled)",
            "[x for x in rulers]",
        ),
        *("odd in odds", "odds == odds", "odds < odds", "sorted(odds)", "max(odds)", "sum(odds)"),
        *("odds.index(1)", "1 in odds", "any(odds)", "str(odds)", "keyed == keyed", "{key: 1}"),
        *("{key}", "d[key]", "key in d", "d.get(key)", "isinstance(odd, int)", "odd is odds"),
        *("'%s' % odd", "'%s' % (odd,)", "bool(odd)", "xs[odd]", "','.join(odds)", "range(odd)"),
        *("dish.tax", "dish.missing", "dish == dish", "dish.__class__", "print(n)", "input()"),
        *(
            "sorted(xs, key=odd)",
            "[x for x in odd]",
            "s.encode('odd')",
            "s.format(odd)",
            "open('x')",
        ),
        *("xs.append(1)", "xs.pop()", "d.setdefault(1, 2)", "many['new']", "missing", "d['new']"),
        *(
            "2 ** 100000000",
            "1 << 100000000",
            "'x' * 100000000",
            "xs * 100000000",
            "list(range(10**9))",
        ),
        *("'%100000000d' % n", "f'{n:100000000}'", "s.ljust(100000000)", "sum(range(10**9))"),
        *("(lambda: n)()", "[y := n]", "math.factorial(100000)", "datetime.date.today()", "s.foo"),
        *("list(reversed({n}))", "list(reversed(zip(xs)))", "__mangled"),
    ],
)
def test_what_runs_somebodys_code_or_makes_too_much_is_unknown(text: str) -> None:
    with pytest.raises(Unknown):
        found(text)


def test_no_more_steps_are_taken_than_are_allowed() -> None:
    assert found("[x for x in range(500)]", 4000)[-1] == 499
    with pytest.raises(Unknown):
        found("[x for x in range(500)]", 1000)


def test_a_variable_that_is_not_bound_yet_is_not_taken_for_a_global() -> None:
    names: dict[str, Any] = {"x": 1}
    exec("def function():\n    yield\n    x = 2\n    return x", names)
    with pytest.raises(Unknown):
        Evaluator(names["function"]().gi_frame, Budget(100)).value(ast.Name("x", ast.Load()))


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("n", "1 + 2", True),
        ("1", "True", False),
        ("1", "1.0", False),
        ("0.0", "minus", False),
        ("0.0", "half - half", True),
        ("float('nan')", "float('nan')", False),
        ("cost", "Decimal('1.1')", False),
        ("pair", "(1, 'a')", True),
        ("xs", "xs", True),
        ("xs", "xs[:]", False),
        ("xs[:]", "list(xs)", True),
        ("xs[:]", "sorted(xs)", False),
        ("[ys, ys]", "[ys, ys]", True),
        ("[[]] * 2", "[[], []]", False),
        ("[[], []]", "[[]] * 2", False),
        ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", False),
        ("{'a': 1}", "dict(a=1)", True),
        ("u | {3}", "{1, 2, 3}", False),
        ("dish", "dishes[0]", False),
        ("odd", "odd", True),
        ("odd", "odds[0]", False),
        ("(odds[0],)", "(odd,)", False),
        ("tuple(rulers)", "tuple(rulers[::-1])", True),
        ("tuple(rulers)", "tuple(rulers * 2)[1:]", True),
        ("tuple(rulers)", "tuple(others)", False),
        ("range(n)", "range(0, n)", True),
        ("range(n)", "range(0, n, 2)", False),
        ("(x for x in xs)", "(x for x in xs)", False),
    ],
)
def test_values_are_the_same_where_nothing_can_tell_them_apart(
    one: str, other: str, alike: bool
) -> None:
    evaluator = Evaluator(FRAME, Budget(10_000))
    old, new = (evaluator.value(ast.parse(each, mode="eval").body) for each in (one, other))
    assert same(old, new, evaluator.fresh) is alike


_OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^")
_COMPARISONS = ("<", "<=", "==", "!=", ">", ">=", "in", "not in", "and", "or")
_CALLS = ("len", "abs", "min", "max", "sum", "sorted", "any", "all", "int", "str", "bool", "list")


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, inner)
    operators = st.sampled_from(_OPERATORS + _COMPARISONS)
    calls = st.sampled_from((*_CALLS, "tuple", "set", "round", "repr", "range"))
    return st.one_of(
        st.builds(lambda pair, op: f"({pair[0]} {op} {pair[1]})", two, operators),
        st.builds(lambda each, call: f"{call}({each})", inner, calls),
        st.builds(lambda pair: f"({pair[0]})[{pair[1]}]", two),
        st.builds(lambda pair: f"({pair[0]})[{pair[1]}:]", two),
        st.builds(lambda pair: f"[{pair[0]}, {pair[1]}]", two),
        st.builds(lambda pair: f"[{pair[0]} for x in {pair[1]} if x]", two),
        st.builds(lambda pair: f"({pair[0]} if {pair[1]} else n)", two),
        st.builds(lambda each: f"(not {each})", inner),
        st.builds(lambda each: f"f'{{{each}!r:>5}}'", inner),
        st.builds(lambda pair: f"({pair[0]}).count({pair[1]})", two),
    )


_NAMES = ("n", "m", "half", "yes", "nothing", "s", "t", "xs", "ys", "pair", "d", "u", "r", "deep")
_OTHERS = (
    "cost",
    "day",
    "dish",
    "odd",
    "odds",
    "x",
    "0",
    "1",
    "-1",
    "2.5",
    "'a'",
    "None",
    "()",
    "[]",
)
_LEAVES = st.sampled_from(_NAMES + _OTHERS)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=300, deadline=None)
@given(st.recursive(_LEAVES, _grown, max_leaves=6))
def test_any_value_that_is_found_is_what_python_finds(text: str) -> None:
    try:
        value = found(text)
    except Exception:  # noqa: BLE001 - nothing is said of it
        return
    expected = eval(text, {**GIVEN, "x": 0} if "for x" in text else GIVEN.copy())
    assert _alike(value, expected)


def _alike(one: Any, other: Any) -> bool:
    if type(one) in (list, tuple) and type(one) is type(other):
        return len(one) == len(other) and all(map(_alike, one, other))
    return one is other or (type(one) is type(other) and repr(one) == repr(other))
