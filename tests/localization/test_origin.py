"""Where a None came from: the lines from its birth to its use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from selfdebug.localization.localize import localize
from selfdebug.model import Failure, Frame, Raised, Value
from selfdebug.syntax.project import Project

ROOT = Path("/nowhere/project")


NO_X = "'NoneType' object has no attribute 'x'"


def way(
    text: str, values: dict[str, str] | None = None, *, message: str = NO_X, **files: str
) -> list[tuple[int, str]]:
    """The numbered lines of the origin. ``#N`` marks the frames, outermost first, the last fails."""
    marks = sorted(
        (int(m[1]), text.count("\n", 0, m.start()) + 1) for m in re.finditer(r"#(\d)", text)
    )
    locals_ = {name: Value(kind) for name, kind in (values or {}).items()}
    *outer, last = (line for _, line in marks)
    frames = (*(Frame("shop.py", line) for line in outer), Frame("shop.py", last, locals=locals_))
    contents = {
        ROOT / f"{name}.py": code.encode() for name, code in {"shop": text, **files}.items()
    }
    failure = Failure("t", "call", Raised("AttributeError", message, frames))
    site = localize(failure, Project(ROOT, (), contents)).sites[0]
    return [(step.line, step.what) for step in site.origin]


USED = "it is used here"


def test_a_parameter_that_was_not_passed() -> None:
    assert way("def label(a, user=None):\n    return user.x #1\n") == [
        (1, "`user` is None by default, and not passed"),
        (2, USED),
    ]


def test_an_argument_of_the_recorded_caller() -> None:
    text = (
        "def main():\n    user = None\n    label(1, user) #1\ndef label(a, user):\n    user.x #2\n"
    )
    assert way(text) == [
        (2, "None is written here; `user` is assigned"),
        (3, "it is passed as `user` to `label`"),
        (5, USED),
    ]


def test_a_keyword_through_two_callers() -> None:
    text = """\
def main(key=None):
    show(key=key) #1
def show(key):
    label(user=key) #2
def label(*, user):
    user.x #3
"""
    assert [line for line, _ in way(text)] == [1, 2, 4, 6]


def test_the_argument_of_a_method_and_of_a_constructor() -> None:
    text = """\
class Cart:
    def __init__(self, user):
        user.x #2
Cart(None) #1
"""
    assert [line for line, _ in way(text)] == [4, 3]


def test_a_contract_of_the_standard_library() -> None:
    text = "import re as regex\ndef label(text):\n    m = regex.search('a', text)\n    m.x #1\n"
    assert way(text) == [
        (3, "re.search: None where the pattern does not match; `m` is assigned"),
        (4, USED),
    ]


def test_the_result_of_a_compiled_pattern() -> None:
    text = "from re import compile\nWORD = compile('a')\ndef f(t):\n    WORD.match(t).x #1\n"
    assert way(text)[0] == (4, f"re.Pattern.match: None where the pattern does not match; {USED}")


def test_an_attribute_of_the_standard_library() -> None:
    text = """\
import xml.etree.ElementTree as ET
def title(page):
    root = ET.fromstring(page)
    text = root.find("title").text
    return text.x #1
"""
    kind = "xml.etree.ElementTree.Element.text"
    assert way(text) == [
        (4, f"{kind}: None for an element without text; `text` is assigned"),
        (5, USED),
    ]


def test_a_call_with_a_default_is_not_the_birth() -> None:
    text = "def f(key):\n    table = {}\n    found = table.get(key, 0)\n    found.x #1\n"
    assert way(text) == [(3, "`found` is assigned"), (4, USED)]


def test_a_dictionary_by_its_recorded_type() -> None:
    text = "def f(table, key):\n    found = table.get(key)\n    found.x #1\n"
    assert way(text, {"table": "dict"})[0] == (
        2,
        "dict.get: None for a key that is not there; `found` is assigned",
    )


@pytest.mark.parametrize(
    ("body", "line", "what"),
    [
        (
            "    for each in key:\n        if each:\n            return each\n",
            2,
            "ends here without",
        ),
        ("    if key:\n        return 1\n    return\n", 4, "returns without a value"),
        ("    return None\n", 2, "None is written here"),
        ("    if key:\n        return 1\n    elif 2:\n        raise ValueError\n", 2, "ends here"),
        ("    with key:\n        print(key)\n", 2, "ends here"),
    ],
)
def test_a_function_that_returns_none(body: str, line: int, what: str) -> None:
    text = f"def find(key):\n{body}\nfind(1).x #1\n"
    first, last = way(text)
    assert first[0] == line
    assert what in first[1]
    assert last[1] == USED


@pytest.mark.parametrize(
    "body",
    [
        "    return 1\n",
        "    raise ValueError\n",
        "    if key:\n        return 1\n    else:\n        raise ValueError\n",
        "    while True:\n        print(key)\n",
        "    try:\n        return 1\n    except ValueError:\n        raise\n",
        "    match key:\n        case 1:\n            return 1\n        case _:\n            return 2\n",
        "    yield 1\n",
    ],
)
def test_a_function_that_does_not_return_none(body: str) -> None:
    assert way(f"def find(key):\n{body}\nfind(1).x #1\n") == []


def test_a_function_of_another_file() -> None:
    text = "from store import find\ndef f():\n    found = find(1)\n    found.x #1\n"
    store = "def find(key):\n    print(key)\n"
    assert way(text, store=store) == [
        (2, "`find` ends here without a return"),
        (3, "`found` is assigned"),
        (4, USED),
    ]


def test_an_attribute_set_in_the_class() -> None:
    text = """\
class Cart:
    def __init__(self):
        self.owner = None
    def label(self):
        return self.owner.x #1
"""
    assert way(text) == [(3, "None is written here; `self.owner` is assigned"), (5, USED)]


def test_an_attribute_of_an_object_by_its_recorded_class() -> None:
    text = "class Cart:\n    owner = None\ndef label(cart):\n    return cart.owner.x #1\n"
    assert [line for line, _ in way(text, {"cart": "shop.Cart"})] == [2, 4]
    assert way(text) == []


def test_the_branch_that_is_none() -> None:
    text = (
        "def f(a):\n    if a:\n        b = 1\n    else:\n        b = None\n    b = b if a else b\n"
    )
    assert way(f"{text}    b.x #1\n")[0][0] == 5


def test_a_variable_of_an_outer_function() -> None:
    text = (
        "def f():\n    found = None\n    def g():\n        return found.x #2\n    return g() #1\n"
    )
    assert [line for line, _ in way(text)] == [2, 4]


def test_what_cannot_be_looked_into_is_named_where_it_was_assigned() -> None:
    text = "from json import loads\ndef f(t):\n    data = loads(t)\n    data.x #1\n"
    assert way(text) == [(3, "`data` is assigned"), (4, USED)]


def test_code_that_calls_itself_ends() -> None:
    text = "def f(n):\n    return g(n)\ndef g(n):\n    return f(n)\nf(1).x #1\n"
    assert way(text) == []


def test_an_assignment_in_terms_of_itself_ends() -> None:
    assert way("def f(a):\n    a = a.b\n    a.x #1\n") == [(2, "`a` is assigned"), (3, USED)]


# --- values that are something else than None ---

TEXT = "'str' object has no attribute 'x'"


def test_a_value_of_the_wrong_class_through_parameters_of_three_frames() -> None:
    text = """\
def main():
    raw = "12"
    show(raw) #1
def show(number):
    label(number=number) #2
def label(number):
    return number.x #3
"""
    assert way(text, {"number": "str"}, message=TEXT) == [
        (2, "it is written here; `raw` is assigned"),
        (3, "it is passed as `number` to `show`"),
        (5, "it is passed as `number` to `label`"),
        (7, USED),
    ]


def test_a_branch_that_makes_another_class_does_not_explain_it() -> None:
    text = """\
def main(a):
    value = "text"
    if a:
        value = [a]
    return value.x #1
"""
    assert way(text, {"value": "str"}, message=TEXT) == [
        (2, "it is written here; `value` is assigned"),
        (5, USED),
    ]
    assert way(text, {"value": "list"}, message=TEXT.replace("str", "list"))[0][0] == 4


def test_what_a_function_of_the_project_returns_for_it() -> None:
    text = """\
def find(key):
    if key:
        return {}
    return "none"
def main(key):
    found = find(key)
    return found.x #1
"""
    assert way(text, {"found": "str"}, message=TEXT) == [
        (4, "it is written here; `find` returns it"),
        (6, "`found` is assigned"),
        (7, USED),
    ]


def test_what_others_return_is_where_the_look_ends() -> None:
    text = "import json\ndef main(text):\n    data = json.loads(text)\n    return data.x #1\n"
    assert way(text, {"data": "list"}, message="'list' object has no attribute 'x'") == [
        (3, "`loads` returns it; `data` is assigned"),
        (4, USED),
    ]


def test_a_field_that_the_class_of_the_object_sets_and_its_base_reads() -> None:
    text = """\
class Base:
    def label(self):
        return self.user.x #1
class Badge(Base):
    def __init__(self, user=None):
        self.user = user
"""
    assert way(text, {"self": "shop.Badge"}) == [
        (5, "`user` is None by default, and not passed"),
        (6, "`self.user` is assigned"),
        (3, USED),
    ]
    assert way(text) == []
