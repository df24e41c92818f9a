"""What a candidate does besides passing the tests, told by calls like those that the tests made."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from selfdebug.validation import warm
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits
from selfdebug.validation.warm import Declined, WarmRun
from tests.interpreters import PYTEST_9, interpreter

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="warm runs need Linux")


def behaviour(
    folder: Path,
    before: str,
    after: str,
    test: str,
    inputs: Mapping[str, tuple[str, ...]] | None = None,
) -> dict[str, str]:
    """What the changed functions of ``after`` answer once its test has passed."""
    root = folder / "project"
    root.mkdir()
    (root / "shop.py").write_text(before)
    (root / "test_shop.py").write_text(f"import shop\n\n\ndef test_shop():\n    {test}\n")
    (folder / "scratch").mkdir()
    python = interpreter(*PYTEST_9) or Path(sys.executable)
    started = warm.start(PytestCommand(root, python, scratch=folder / "scratch"))
    assert not isinstance(started, Declined)
    with started as server:
        replaced = {root / "shop.py": after.encode()}
        tests, allowed = ["test_shop.py::test_shop"], Limits(20.0)
        tried = server.run(replaced, tests, allowed, behaviour=True, inputs=inputs)
    assert isinstance(tried, WarmRun)
    assert tried.run.exit_code == 0, tried.run.output
    return dict(tried.behaviour)


def test_a_call_of_the_test_and_its_neighbours(tmp_path: Path) -> None:
    before = "def half(n):\n    return n / 0\n"
    found = behaviour(tmp_path, before, before.replace("0", "2"), "assert shop.half(4) == 2")
    assert found == {
        "half(n=4)": "returns 2.0",
        "half(n=None)": "raises TypeError",
        "half(n=0)": "returns 0.0",
        "half(n=-1)": "returns -0.5",
        "half(n=1)": "returns 0.5",
        "half(n=2)": "returns 1.0",
        "half(n=5)": "returns 2.5",
        "half(n=3)": "returns 1.5",
    }


def test_inputs_of_the_type_of_an_argument(tmp_path: Path) -> None:
    made = {"int": ("70",), "list[int]": ("[5, 5]", "[]"), "str": ("'x'",)}
    before = "def most(items, n):\n    return None\n"
    after = "def most(items, n):\n    return max(items) * n\n"
    found = behaviour(tmp_path, before, after, "assert shop.most([1, 2], 3) == 6", made)
    assert found["most(items=[5, 5], n=3)"] == "returns 15"
    assert found["most(items=[1, 2], n=70)"] == "returns 140"
    assert not [call for call in found if "'x'" in call]


def test_arguments_of_the_calls_of_a_test_are_crossed(tmp_path: Path) -> None:
    before = "def add(a, b):\n    return a - b\n"
    test = "assert (shop.add(10, 20), shop.add(300, 400)) == (30, 700)"
    found = behaviour(tmp_path, before, before.replace("-", "+"), test)
    assert found["add(a=10, b=400)"] == "returns 410"
    assert found["add(a=300, b=20)"] == "returns 320"


def test_an_edit_that_imports(tmp_path: Path) -> None:
    before = "def root(n):\n    return n\n"
    after = "import math\n\n\ndef root(n):\n    return math.isqrt(n)\n"
    found = behaviour(tmp_path, before, after, "assert shop.root(16) == 4")
    assert found["root(n=16)"] == "returns 4"
    assert found["root(n=-1)"] == "raises ValueError"


def test_functions_that_read_a_constant_of_their_module(tmp_path: Path) -> None:
    before = (
        "RATES = {\n    'book': 5,\n    'food': 7,\n}\n\n\nclass Bill:\n    LEAST = 3\n\n"
        "    def rate(self, kind):\n        return RATES[kind]\n\n\n"
        "def other(n):\n    return [n for n in (n,)]\n"
    )
    test = "assert (shop.Bill().rate('food'), shop.other(2)) == (8, [2])"
    found = behaviour(tmp_path, before, before.replace("7", "8"), test)
    asked = {call.partition("kind=")[2]: answer for call, answer in found.items() if "Bill" in call}
    assert asked["'food')"] == "returns 8"
    assert asked["' food')"] == "raises KeyError"
    assert not [call for call in found if "other" in call]


def test_an_attribute_of_an_argument_has_neighbours(tmp_path: Path) -> None:
    before = (
        "from dataclasses import dataclass\n\n"
        "@dataclass(frozen=True)\n"
        "class Entry:\n"
        "    status: int\n\n"
        "def bad(entries):\n"
        "    return [each.status > 600 for each in entries]\n"
    )
    test = "assert shop.bad([shop.Entry(200)]) == [False]"
    found = behaviour(tmp_path, before, before.replace("600", "500"), test)
    assert found["bad(entries=[Entry(status=200)])"] == "returns [False]"
    assert found["bad(entries=[Entry(status=-1)])"] == "returns [False]"


def test_what_a_call_leaves_behind_belongs_to_its_answer(tmp_path: Path) -> None:
    before = (
        "class Till:\n"
        "    def __init__(self):\n"
        "        self.coins = [1]\n"
        "    def put(self, coin):\n"
        "        self.coins.append(-coin)\n"
    )
    after = before.replace("-coin", "coin")
    test = "t = shop.Till(); t.put(2); assert t.coins == [1, 2]"
    found = behaviour(tmp_path, before, after, test)

    assert found["Till.put(self=Till(coins=[1]), coin=2)"] == (
        "returns None and leaves self as Till(coins=[1, 2])"
    )


def test_methods_see_a_copy_of_their_object_as_it_was(tmp_path: Path) -> None:
    before = (
        "class Till:\n"
        "    def __init__(self):\n"
        "        self.sum = 10\n"
        "    def take(self, n=1):\n"
        "        self.sum -= None\n"
        "        return self.sum\n"
    )
    test = "assert shop.Till().take() == 9"
    found = behaviour(tmp_path, before, before.replace("None", "n"), test)
    own = {call: answer for call, answer in found.items() if "sum=10" in call}
    assert [answer for call, answer in own.items() if "n=1" in call] == [
        "returns 9 and leaves self as Till(sum=9)"
    ]
    assert [answer for call, answer in own.items() if "n=2" in call] == [
        "returns 8 and leaves self as Till(sum=8)"
    ]


def test_what_reaches_out_of_the_process_is_not_tried(tmp_path: Path) -> None:
    before = (
        "import os\n\n"
        "def clear(path, really=False):\n"
        "    if not really:\n"
        "        return path.name\n"
        "    os.unlink(path)\n"
        "    return 'gone'\n"
    )
    precious = tmp_path / "precious"
    precious.write_text("bytes")
    test = f"assert shop.clear({str(precious)!r}) == {str(precious)!r}"
    found = behaviour(tmp_path, before, before.replace("path.name", "path"), test)

    answers = {call: answer for call, answer in found.items() if call.endswith("really=True)")}
    assert [*answers.values()] == ["is not tried"]
    assert precious.read_text() == "bytes"


def test_nothing_is_tried_while_a_database_is_open(tmp_path: Path) -> None:
    file = tmp_path / "shop.db"
    before = (
        "import sqlite3\n\n"
        f"DB = sqlite3.connect({str(file)!r}, isolation_level=None)\n"
        "DB.execute('create table if not exists sold (n)')\n\n"
        "def sell(n):\n"
        "    DB.execute('insert into sold values (?)', (n / 0,))\n"
        "    return n\n"
    )
    found = behaviour(tmp_path, before, before.replace("n / 0", "n"), "assert shop.sell(4) == 4")
    assert found == {}
    assert sqlite3.connect(file).execute("select n from sold").fetchall() == [(4,)]


def test_a_call_that_does_not_end_costs_itself_alone(tmp_path: Path) -> None:
    before = "def down(n):\n    while n != 0:\n        n -= None\n    return 'down'\n"
    found = behaviour(
        tmp_path, before, before.replace("None", "1"), "assert shop.down(2) == 'down'"
    )
    assert found["down(n=-1)"] == "is not tried"
    assert found["down(n=1)"] == "returns 'down'"


def test_what_is_different_each_time_is_no_answer(tmp_path: Path) -> None:
    before = "import random\n\ndef tag(n):\n    return [n * None, random.random()][:n]\n"
    found = behaviour(tmp_path, before, before.replace("None", "2"), "assert shop.tag(2)[0] == 4")
    assert found["tag(n=1)"] == "returns [2]"
    assert found["tag(n=3)"] == "is not tried"


def test_after_some_calls_that_do_not_end_no_more_are_made(tmp_path: Path) -> None:
    before = "def down(n):\n    while n != 0:\n        n -= None\n    return 'down'\n"
    after, inputs = before.replace("None", "1"), {"int": ("-5", "-6", "-7", "4")}
    found = behaviour(tmp_path, before, after, "assert shop.down(2) == 'down'", inputs)
    endless = [call for call, answer in found.items() if answer == "is not tried"]
    assert endless == ["down(n=-1)", "down(n=-5)", "down(n=-6)"]
    assert "down(n=4)" not in found


def test_nothing_is_tried_where_a_test_fails(tmp_path: Path) -> None:
    before = "def half(n):\n    return n / 0\n"
    with pytest.raises(AssertionError):
        behaviour(tmp_path, before, before.replace("0", "3"), "assert shop.half(4) == 2")
