"""One run that watches what edits change, in the place of their trials: where code would hide it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from selfdebug.model import Candidate, Edit, Site, Span
from selfdebug.planning.infection import Infection
from selfdebug.planning.search import State
from selfdebug.syntax.project import Project
from selfdebug.validation.forked.infection import Watch


def seen(root: Path, before: str, edits: list[tuple[str, str]], call: str) -> list[bool]:
    """Say of each edit whether a run shows that it changes nothing."""
    project, states = _project(root, before), []
    for old, new in edits:
        assert before.count(old) == 1, old
        line = before[: before.index(old)].count("\n") + 1
        states.append(_state(root, line, before.replace(old, new)))
    infection = Infection.of(states, project)
    names: dict[str, Any] = {"asyncio": asyncio, "threading": threading, "contextlib": contextlib}
    watch = Watch(infection.watched)
    for text in infection.contents().values():
        exec(compile(text, "shop.py", "exec"), names)
        with contextlib.suppress(LookupError):
            exec(call, names)
    dead = infection.dead(watch.same())
    return [number in dead for number in range(len(edits))]


def _project(root: Path, before: str) -> Project:
    (root / "shop.py").write_text(before)
    return Project(root)


def _state(root: Path, line: int, after: str) -> State:
    site = Site(root / "shop.py", Span(line, 0, line, 1), "", "", "", "")
    candidate = Candidate((Edit(root / "shop.py", 0, 0, b"", b""),), "", "", "root-cause", "", site)
    return State((), {root / "shop.py": after.encode()}, (candidate,))


def test_what_is_wrapped_is_evaluated_as_before(tmp_path: Path) -> None:
    before = "def f(a, b):\n    if a:\n        return a + b * 2\n"
    project = _project(tmp_path, before)
    one = _state(tmp_path, 3, before.replace("* 2", "* 3"))
    guard = _state(tmp_path, 2, before.replace("    if a", "    if b:\n        return 0\n    if a"))
    [text] = Infection.of([one, guard], project).contents().values()
    assert text.decode() == (
        "def f(a, b):\n"
        "    __selfdebug__(3) or ((b),)\n"
        "    if a:\n"
        "        return ((a + ((b * ((2) if __selfdebug__(0) else ((3),))) if __selfdebug__(1)"
        " else ((b * 3),))) if __selfdebug__(2) else ((a + b * 3),))\n"
    )


LOOP = """\
def f(items, limit):
    found = []
    for item in items:
        if item > limit and item != 7: found.append(item)
        while len(found) > 3:
            found.pop()
    return [each * 2 for each in found if each > limit]
"""


@pytest.mark.parametrize(
    ("old", "new", "call", "dead"),
    [
        ("item > limit", "item >= limit", "f([1, 5], 3)", True),
        ("item > limit", "item >= limit", "f([1, 3, 5], 3)", False),
        ("item != 7", "item != 8", "f([1, 2, 5], 3)", True),
        ("item != 7", "item != 8", "f([1, 8], 3)", False),
        ("len(found) > 3", "len(found) > 4", "f([4, 5, 6], 3)", True),
        ("len(found) > 3", "len(found) > 4", "f([4, 5, 6, 7, 8], 3)", False),
        ("each * 2", "each + 2", "f([2], 1)", True),
        ("each * 2", "each + 2", "f([2, 3], 1)", False),
        ("if each > limit", "if item > limit", "f([5], 3)", True),
        ("if each > limit", "if item > limit", "f([5, 1], 3)", False),
        ("    return [", "    if not found:\n        return None\n    return [", "f([5], 3)", True),
        (
            "    return [",
            "    if not found:\n        return None\n    return [",
            "f([1], 3)",
            False,
        ),
        ("found.pop()", "if limit:\n                found.pop()", "f([4, 5, 6, 8], 3)", True),
        ("found.pop()", "if limit:\n                found.pop()", "f([4, 5, 6, 8], 0)", False),
        ("found = []", "found = list()", "f([1], 3)", True),
        ("in items:", "in items[:]:", "f([1], 3)", False),
        ("each * 2", "each * 3", "1", True),
    ],
)
def test_an_edit_is_dead_where_it_changes_no_value_of_the_run(
    tmp_path: Path, old: str, new: str, call: str, dead: bool
) -> None:
    assert seen(tmp_path, LOOP, [(old, new)], call) == [dead]


TRAPS: list[tuple[str, str, str, str, bool]] = [
    # A generator goes on after its caller has changed what it reads.
    ("def g(xs):\n    yield 1\n    yield len(xs) + 1\n", "+ 1", "+ 1 * len(xs)", "xs = [1]; g = g(xs); next(g); next(g)", True),
    ("def g(xs):\n    yield 1\n    yield len(xs) + 1\n", "+ 1", "+ 1 * len(xs)", "xs = [1]; g = g(xs); next(g); xs.append(1); next(g)", False),
    # Each call of a recursion has variables of its own.
    ("def f(n):\n    return n and f(n - 1) + n * 0\n", "n * 0", "n // 4", "f(3)", True),
    ("def f(n):\n    return n and f(n - 1) + n * 0\n", "n * 0", "n // 4", "f(4)", False),
    # What is evaluated before the edit in its statement may change what it reads.
    ("def f(x):\n    return x.pop() + len(x)\n", "len(x)", "len(x[:1])", "f([1, 2])", True),
    ("def f(x):\n    return x.pop() + len(x)\n", "len(x)", "len(x[:1])", "f([1, 2, 3])", False),
    # What is left out must not have had an effect, nor what comes in.
    ("def f(x):\n    return x.pop() * 0\n", "x.pop() * 0", "0", "f([1])", False),
    ("def f(x):\n    return 1\n", "return 1", "return x.pop()", "f([1])", False),
    # An exception of either.
    ("def f(x):\n    return x[3] if x else 0\n", "x[3]", "x[2]", "f([1])", False),
    ("def f(x):\n    return 0 * 1\n", "0 * 1", "0 // 0", "f([1])", False),
    # An iterator would be used up.
    ("def f(x):\n    return sum(x)\n", "sum(x)", "sum(list(x))", "f(iter([1]))", False),
    # Code that runs on the way out, and in a thread.
    ("def f(x):\n    try:\n        return x\n    finally:\n        y = x + 1\n", "+ 1", "+ 2", "f(1)", False),
    ("def f(x):\n    y = x + 0\n", "+ 0", "- 0", "t = threading.Thread(target=f, args=[2]); t.start(); t.join()", True),
    ("def f(x):\n    y = x + 0\n", "x + 0", "abs(x)", "t = threading.Thread(target=f, args=[-2]); t.start(); t.join()", False),
    ("async def f(x):\n    await asyncio.sleep(0)\n    return x + 0\n", "+ 0", "- 0", "asyncio.run(f(1))", True),
    ("async def f(x):\n    await asyncio.sleep(0)\n    return x + 0\n", "x + 0", "await asyncio.sleep(0)", "asyncio.run(f(1))", False),
    # Names mean what they mean there.
    ("def f(x):\n    def g(): return x + 0\n    x = 5\n    return g()\n", "x + 0", "abs(x)", "f(-1)", True),
    ("y = 5\ndef f(x):\n    return [x for x in [1]] + [0 for z in [2]]\n", "0 for", "x * 0 for", "f(1)", True),
    ("y = 5\ndef f(y):\n    return [0 for z in [2]]\n", "0 for", "y - 5 for", "f(4)", False),
    ("def f(len):\n    return 1\n", "return 1", "return len('a')", "f(lambda _: 1)", False),
    ("def f(x):\n    return 1\n    x = y\n", "return 1", "return y", "y = 1; f(1)", True),
    ("def f(x):\n    return 1\n    y = x\n", "return 1", "return y", "y = 1; f(1)", False),
    # A class that answers for itself.
    ("class A:\n    def __eq__(self, other): return True\n    __hash__ = None\ndef f(x):\n    return x == 1\n", "== 1", "== 2", "f(A())", False),
    ("class A:\n    p = property(lambda self: 1)\n    def __init__(self): self.q = 1\ndef f(x):\n    return x.q\n", "return x.q", "return x.p", "f(A())", False),
    ("class A:\n    def __init__(self): self.q = self.r = 1\ndef f(x):\n    return x.q\n", "return x.q", "return x.r", "f(A())", True),
    # A private name.
    ("class A:\n    def __init__(self): self.__q = self.r = 1\n    def f(self):\n        return self.r\n", "return self.r", "return self.__q", "A().f()", False),
    # Nobody else has a list that was made now; others may have the one that is given.
    ("def f(x):\n    return list(x)\n", "list(x)", "x", "f([1])", False),
    ("def f(x):\n    return list(x)\n", "list(x)", "x[:]", "f([1])", True),
    # A default is evaluated elsewhere, a condition that binds makes a variable.
    ("def f(x=1):\n    return x\n", "x=1", "x=2", "f(3)", False),
    ("def f(x):\n    return x\n", "    return x", "    if not x:\n        x = 2\n    return x", "f(3)", False),
    ("def f(x):\n    return x\n", "return x", "return (x := x)", "f(3)", False),
    # One that is told by the loop, not its line.
    ("def f(x):\n    for i in range(x): pass\n", "range(x)", "range(0, x)", "f(3)", True),
    ("def f(x):\n    for i in range(x, 9, 2): pass\n", "9, 2", "8, 2", "f(3)", True),
    ("def f(x):\n    for i in range(x, 9, 2): pass\n", "9, 2", "8, 2", "f(3); f(1); f(9)", True),
    ("def f(x):\n    for i in range(x, 9, 2): pass\n", "9, 2", "8, 2", "f(3); f(4)", False),
    ("def f(x):\n    return [i for i in range(x) if i]\n", "range(x)", "range(x, -1)", "f(0)", True),
    ("def f(x):\n    return range(x)\n", "range(x)", "range(x, -1)", "f(0)", False),
    ("def range(*_): return []\ndef f(x):\n    for i in range(x): pass\n", "in range(x)", "in range(x, 9)", "f(3)", False),
    ("def f(x):\n    while x: x -= 1\n", "while x", "while x > 0", "f(3)", True),
    ("def f(x):\n    while x: x -= 1\n", "while x", "while x > 1", "f(3)", False),
    ("def f(x):\n    while x: x -= 1\n    else: x = 3 + x\n", "3 + x", "3 - x", "f(3)", True),
    ("def f(x):\n    with contextlib.nullcontext(x) as y:\n        return lambda: y + 0\n", "y + 0", "y * 1", "f(3)()", True),
    ("def f(x):\n    match x:\n        case 1 if x > 0: return 2\n        case _: return 3\n", "x > 0", "x >= 0", "f(1)", True),
    ("def f(x):\n    match x:\n        case 1: return 2\n        case _: return 3\n", "case 1", "case 5", "f(9)", False),
]  # fmt: skip


@pytest.mark.parametrize(("before", "old", "new", "call", "dead"), TRAPS)
def test_an_edit_is_not_taken_for_dead_where_the_place_deceives(
    tmp_path: Path, before: str, old: str, new: str, call: str, dead: bool
) -> None:
    assert seen(tmp_path, before, [(old, new)], call) == [dead]


def test_edits_of_the_same_expressions_are_told_apart(tmp_path: Path) -> None:
    edits = [("each * 2", f"each {other}") for other in ("+ 2", "* 1", "** 2", "* 2 + 0 // each")]
    assert seen(tmp_path, LOOP, edits, "f([2], 1)") == [True, False, True, True]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_text_keeps_its_encoding(tmp_path: Path, newline: str) -> None:
    before = newline.join(["# coding: latin-1", "def f(x):", "    é = 'é' * x", "    return é", ""])
    (tmp_path / "shop.py").write_bytes(before.encode("latin-1"))
    state = _state(tmp_path, 3, "")
    state = State(
        (), {tmp_path / "shop.py": before.replace("* x", "* 1").encode("latin-1")}, state.patch
    )
    infection = Infection.of([state], Project(tmp_path))
    [text] = infection.contents().values()
    watch, names = Watch(infection.watched), dict[str, Any]()
    exec(compile(text, "shop.py", "exec"), names)
    assert names["f"](1) == "é"
    assert infection.dead(watch.same()) == {0}


def test_what_a_fork_evaluates_is_not_seen_so_nothing_is_dead(tmp_path: Path) -> None:
    import os

    def fork() -> None:
        if not os.fork():
            os._exit(0)
        os.wait()

    watch = _watching(tmp_path, lambda names: names["f"](1))
    assert watch.same()
    fork()
    assert not watch.same()


def test_what_is_evaluated_too_often_is_not_dead(tmp_path: Path) -> None:
    often = "def f(x):\n    return x + 0\ndef g(x):\n    return x and x + 0\n"
    edits = [("return x + 0", "return x - 0"), ("and x + 0", "and x - 0")]
    call = "[f(1) for _ in range(100_000)]; g({})"
    assert seen(tmp_path, often, edits, call.format(0)) == [False, True]
    assert seen(tmp_path, often, edits, call.format(1)) == [False, False]


def _watching(root: Path, call: Callable[[dict[str, Any]], object]) -> Watch:
    before = "def f(x):\n    return x + 0\n"
    project = _project(root, before)
    infection = Infection.of([_state(root, 2, before.replace("+", "-"))], project)
    watch, names = Watch(infection.watched), dict[str, Any]()
    [text] = infection.contents().values()
    exec(compile(text, "shop.py", "exec"), names)
    call(names)
    return watch
