"""Source with any layout that Python allows: what a codemod leaves alone stays as it is, to the byte."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.fuzz import compiles, made_of, wrong
from selfdebug.codemods.convert_value import ConvertValue
from selfdebug.codemods.misspelt_name import MisspeltName
from selfdebug.codemods.null_guard import NullGuard
from selfdebug.codemods.value_guard import ValueGuard

CODEMODS = (NullGuard, ValueGuard, MisspeltName, ConvertValue)
NAMES = ("user", "größe", "变量", "_x", "match", "type", "case")
SIMPLE = (
    *(
        "{a} = {b}.name",
        "{a} = {b}[0] + {c}",
        "print({a}.total, *{b}, sep={c})",
        "return {a}.b.c(1)",
    ),
    *(
        "{a} = f'{{{b}.x!r:>{{{c}}}}} {{f\"{{{a}.y}}\"}}'",
        "assert ({a} := {b}.get({c})) is not {b}",
    ),
    *(
        "{a} = [{b}.z for {b} in {c} if {b}]",
        "del {a}[{b}]",
        "{a} = lambda {b}, /, *, {c}=1: {b}.d",
    ),
    *(
        "{a} = {b} \\\n    .name",
        "{a} = (\n  {b}.name  # why\n  , {c},\n)",
        "{a}: int = {b}.n  # type: x",
    ),
    *("{a} = {b}.x; {c} = {a}.y ;", "if {a}.ok: {b} = {c}.d", "global g1; g1 = {a}.x"),
    *("{a} = '''x\n  {b}\n''' + {c}.s", "raise {a}.Error({b}) from {c}"),
)
AROUND = (
    *("if {a}.b:\n{body}", "for {a} in {b}.c:\n{body}", "while {a}.b > 1:\n{body}"),
    *("with {a}.open() as {b}, {c}:\n{body}", "try:\n{body}\nfinally:\n{body}"),
    *(
        "match {a}.kind:\n{tab}case {{'k': {b}}} if {b}.c:\n{deep}",
        "@{a}.wraps\n@({b} or {c})\ndef f({a}, {b}=1, *{c}):\n{body}",
    ),
    *("class C({a}.Base):\n{body}", "async def g({a}):\n{body}"),
)
NEW = (
    "type T[{a}] = list[{a}]",
    "def h[T: int]({a}: T) -> T:\n{body}",
    "class D[*Ts]({a}.B):\n{body}",
)
TRIES = 2  # places for each codemod
INDENTS = ("    ", "\t", " ", "  \t")


@st.composite
def layouts(draw: st.DrawFn) -> bytes:
    """A module of functions in which statements stand in a layout that is rarely seen."""
    indent = draw(st.sampled_from(INDENTS))
    around = AROUND + (NEW if sys.version_info >= (3, 12) else ())
    name = st.sampled_from(NAMES)

    def names() -> dict[str, str]:
        return {key: draw(name) for key in "abc"}

    def block(depth: int) -> str:
        parts = []
        for _ in range(draw(st.integers(1, 3))):
            if depth < 3 and draw(st.booleans()):
                text = draw(st.sampled_from(around))
                inner = indented(block(depth + 1), indent)
                parts.append(
                    text.format(**names(), tab=indent, body=inner, deep=indented(inner, indent))
                )
            else:
                parts.append(draw(st.sampled_from(SIMPLE)).format(**names()))
            parts += draw(
                st.lists(
                    st.sampled_from(["", "\f", "# odd", f"{indent}# deep", "pass"]), max_size=2
                )
            )
        return "\n".join(parts)

    head = draw(
        st.sampled_from(
            ["", "\ufeff", "#!/usr/bin/env python\n", "# -*- coding: utf-8 -*-\n", "\f\n"]
        )
    )
    code = (
        f"{head}def outer(user, größe, 变量, _x, match, type, case):\n{indented(block(0), indent)}"
    )
    end = draw(st.sampled_from(["", "\n", "\n\n\f", "\n# end", "\\\n"]))
    line_end = draw(st.sampled_from(["\n", "\r\n"]))
    return (code + end).replace("\n", line_end).encode()


def indented(text: str, indent: str) -> str:
    return "\n".join(indent + line if line.strip() else line for line in text.split("\n"))


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(data=layouts(), seed=st.integers(0, 9))
def test_a_repair_in_an_odd_layout_is_safe(data: bytes, seed: int) -> None:
    for one in made_of(Path("odd.py"), data, random.Random(seed), CODEMODS * TRIES):
        assert [*wrong(one)] == [], f"{one}\n{one.after.decode()}"


def test_most_of_these_layouts_compile() -> None:
    tried: list[bytes] = []

    @settings(max_examples=60, derandomize=True, database=None, deadline=None)
    @given(data=layouts())
    def collect(data: bytes) -> None:
        tried.append(data)

    collect()
    good = [data for data in tried if compiles(data)]
    assert len(good) > len(tried) // 4
    some = [[*made_of(Path("odd.py"), data, random.Random(1), CODEMODS)] for data in good]
    assert sum(map(len, some)) > 5
    every = b"".join(good)
    for odd in (
        b"\f",
        b"\\",
        b"; ",
        b"f'",
        "größe".encode(),
        b"@",
        b":=",
        b"match",
        b"\t",
        b"\r\n",
    ):
        assert odd in every, odd
