"""What may never be tried, whatever the tests would say of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from selfdebug.model import Candidate, Site, Span
from selfdebug.planning.audit import masking, objection

BEFORE = "def load(path):\n    return open(path).read()\n"

REFUSED = {
    "a bare except": "def load(path):\n    try:\n        return 1\n    except:\n        return None\n",
    "a broad except": "def load(p):\n    try:\n        return 1\n    except Exception:\n        return 2\n",
    "a broad except in a tuple": (
        "def load(p):\n    try:\n        return 1\n    except (OSError, BaseException):\n        return 2\n"
    ),
    "eval": "def load(path):\n    return eval(path)\n",
    "exec": "def load(path):\n    exec(path)\n",
    "shell=True": "def load(path):\n    return run(path, shell=True)\n",
    "an import of nowhere_to_be_found": "import nowhere_to_be_found\n\ndef load(path):\n    return 1\n",
    "deletes a statement": "def load(path):\n    pass\n",
    "a call of sleep under a lock": (
        "def load(path):\n    with LOCK:\n        time.sleep(1)\n    return open(path).read()\n"
    ),
    "does not parse": "def load(path):\n    return (\n",
    "more complex": (
        "def load(path):\n    if path:\n        if path.a:\n            return 1\n    return open(path).read()\n"
    ),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_hazard_is_refused_with_its_reason(reason: str, tmp_path: Path) -> None:
    why = objection(BEFORE, REFUSED[reason], 1, tmp_path)
    assert why is not None
    assert reason.removesuffix(" in a tuple") in why


ALLOWED = {
    "one more branch": "def load(path):\n    if path is None:\n        return None\n    return open(path).read()\n",
    "a narrow except": (
        "def load(path):\n    try:\n        return open(path).read()\n    except OSError:\n        return ''\n"
    ),
    "an import of the standard library": "import json\n\n\ndef load(path):\n    return json.load(open(path))\n",
    "shell=False": "def load(path):\n    return run(path, shell=False)\n",
}


@pytest.mark.parametrize("change", ALLOWED)
def test_a_plain_repair_is_not_refused(change: str, tmp_path: Path) -> None:
    assert objection(BEFORE, ALLOWED[change], 1, tmp_path) is None


SAME_TWICE = {
    "a and a": ("a and b", "a and a"),
    "x.y == x.y": ("x.y == x.z", "x.y == x.y"),
    "n - n": ("n - m", "n - n"),
    "max(n, n)": ("max(n, m)", "max(n, n)"),
    "a if b else a": ("a if b else c", "a if b else a"),
    "clock.now() - clock.now()": ("clock.now() - begun", "clock.now() - clock.now()"),
    "d.get(k) == d.get(k)": ("d.get(k) == d.get(n)", "d.get(k) == d.get(k)"),
    "(a.x, a.y, a.y)": ("sorted((a.x, a.z, a.y))", "sorted((a.x, a.y, a.y))"),
    "[n, n]": ("sum([n, m])", "sum([n, n])"),
}


@pytest.mark.parametrize("code", SAME_TWICE)
def test_nobody_says_the_same_twice(code: str, tmp_path: Path) -> None:
    before, after = (f"def f(*_):\n    return {each}\n" for each in SAME_TWICE[code])
    assert objection(before, after, 1, tmp_path) == f"two parts of `{code}` are the same"
    assert objection(after, before, 1, tmp_path) is None


@pytest.mark.parametrize(
    ("code", "other"),
    [
        ("n += 0", "n += 1"),
        ("n *= 1", "n *= 2"),
        ("n = m + 0", "n = m + 1"),
        ("n = m ** 1", "n = m"),
    ],
)
def test_nobody_adds_nothing(code: str, other: str, tmp_path: Path) -> None:
    before, after = (f"def f(n, m):\n    {each}\n    return n\n" for each in (other, code))
    shown = code.removeprefix("n = ")
    assert objection(before, after, 1, tmp_path) == f"`{shown}` changes nothing"
    assert objection(after, before, 1, tmp_path) is None


@pytest.mark.parametrize("code", ["x = x", "d[k] = d[k]", "self.n = self.n"])
def test_nobody_assigns_what_is_there_already(code: str, tmp_path: Path) -> None:
    before = f"def f(*_):\n    {code.partition(' = ')[0]} = other\n"
    after = f"def f(*_):\n    {code}\n"
    assert objection(before, after, 1, tmp_path) == f"two parts of `{code}` are the same"
    assert objection(after, after + "\n", 1, tmp_path) is None


@pytest.mark.parametrize(
    "code", ["x = 0, 0", "x: dict[str, str] = {}", "first, _, _ = row", "x = [next(it), next(it)]"]
)
def test_items_that_are_the_same_for_a_reason_may_be_added(code: str, tmp_path: Path) -> None:
    assert objection("x = None\n", f"x = None\n{code}\n", 1, tmp_path) is None


def test_what_a_call_gives_may_differ_the_second_time(tmp_path: Path) -> None:
    before, after = "x = take() - rest\n", "x = take() - take()\n"
    assert objection(before, after, 1, tmp_path) is None


def test_what_stood_twice_before_may_stay(tmp_path: Path) -> None:
    before, after = "x = a and a and b\n", "x = a and a and c\n"
    assert objection(before, after, 1, tmp_path) is None


def test_what_was_there_before_is_the_authors_business(tmp_path: Path) -> None:
    before = "def f(x):\n    try:\n        return eval(x.y)\n    except:\n        return 0\n"
    after = before.replace("x.y", "x.z")
    assert objection(before, after, 0, tmp_path) is None


def test_a_second_hazard_of_a_kind_that_was_there_is_refused(tmp_path: Path) -> None:
    before = "a = eval('1')\n"
    assert objection(before, before + "b = eval('2')\n", 0, tmp_path) == "it adds eval"


def test_an_import_of_the_project_itself_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "src" / "shop").mkdir(parents=True)
    assert objection("x = 1\n", "from shop import cart\nx = 1\n", 0, tmp_path) is None


def test_complexity_counts_for_each_function_apart(tmp_path: Path) -> None:
    before = "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n"
    after = before.replace("return x", "return x if x else 0")
    assert objection(before, after, 1, tmp_path) is None
    assert (
        objection(before, after, 0, tmp_path) == "it makes f() more complex than its template may"
    )


# --- what hides a failure ---

SITE = Site(Path("shop.py"), Span(2, 11, 2, 21), "Attribute", "user.name", "AttributeError", "")
GUARD = Candidate((), "guard", "early-exit", "guard", "", SITE)
USER = "def label(user, other):\n    return user.name.upper()\n"
TEST = 'def test_label():\n    assert label(User(id=77), None) == "ANN"\n'


def guarded(line: str) -> str:
    return USER.replace("    return", f"    if {line}\n    return")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("user.id == 77:\n        return None", "special-cases 77"),
        ("user is None:\n        return 'ANN'", "special-cases 'ANN'"),
        ("other is None:\n        return None", "guards other"),
    ],
)
def test_what_hides_the_failure_is_refused(line: str, why: str) -> None:
    found = masking(GUARD, USER, guarded(line), TEST)
    assert found is not None
    assert why in found


@pytest.mark.parametrize(
    "line", ["user is None:\n        return None", "not user.id:\n        return 'nobody'"]
)
def test_a_guard_of_what_failed_is_none_of_that(line: str) -> None:
    assert masking(GUARD, USER, guarded(line), TEST) is None


def test_a_guard_of_what_a_suspicious_statement_does_not_use_is_none_of_that() -> None:
    slip = replace(GUARD, site=replace(GUARD.site, suspicion=0.5))
    assert masking(slip, USER, guarded("other is None:\n        return None"), TEST) is None


def test_a_guard_of_a_name_for_what_failed_is_none_of_that_either() -> None:
    named = USER.replace("user.name.upper", "found.upper").replace(
        "    return",
        "    found = user.name\n    if found is None:\n        return None\n    return",
    )
    other = named.replace("= user.name", "= other")
    assert masking(GUARD, USER, named, TEST) is None
    assert masking(GUARD, USER, other, TEST) == (
        "it guards found, which the failing code does not use"
    )


BUILT = """
def rise(numbers):
    tails = []
    path = []
    for number in numbers:
        tails.append(number)
        path.append(tails[-1])
    path.reverse()
    return path
"""


@pytest.mark.parametrize("line", ["return tails", "return sorted(tails)"])
def test_a_small_edit_that_leaves_what_was_built_unread_is_refused(line: str) -> None:
    slip = replace(GUARD, kind="root-cause", site=replace(GUARD.site, suspicion=0.5))
    after = BUILT.replace("return path", line)
    assert masking(slip, BUILT, after, TEST) == "nothing reads `path` any more"
    assert masking(slip, after, BUILT, TEST) is None


def test_a_small_edit_may_leave_a_parameter_and_a_loop_variable_alone() -> None:
    slip = replace(GUARD, kind="root-cause", site=replace(GUARD.site, suspicion=0.5))
    before = "def f(row, width):\n    for at, _ in enumerate(row):\n        width[at] = 1\n"
    assert masking(slip, before, before.replace("width[at]", "row[0]"), TEST) is None


JOINED = """
class Groups:
    def __init__(self, n):
        self.parent = list(range(n))
        self.size = [1] * n

    def join(self, a, b, at):
        at += 1
        self.parent[b] = a
        self.size[a] += self.size[b]
        return at
"""


@pytest.mark.parametrize(
    ("line", "other", "gone"),
    [
        ("self.size[a] +=", "self.parent[a] +=", ".size"),
        ("self.parent[b] = a", "self.size[b] = a", ".parent"),
        ("at += 1", "print(at)", "at"),
    ],
)
def test_a_small_edit_after_which_nothing_changes_a_field_is_refused(
    line: str, other: str, gone: str
) -> None:
    slip = replace(GUARD, kind="root-cause", site=replace(GUARD.site, suspicion=0.5))
    after = JOINED.replace(line, other)
    assert masking(slip, JOINED, after, TEST) == f"nothing changes `{gone}` any more"
    assert masking(slip, after, JOINED, TEST) is None


@pytest.mark.parametrize(
    ("line", "other"),
    [("rows.sort()", "rows = sorted(rows)"), ("rows.append(1)", "rows = [*rows, 1]")],
)
def test_a_small_edit_may_leave_alone_what_belongs_to_the_caller(line: str, other: str) -> None:
    slip = replace(GUARD, kind="root-cause", site=replace(GUARD.site, suspicion=0.5))
    before = f"def last(rows):\n    {line}\n    return rows\n"
    assert masking(slip, before, before.replace(line, other), TEST) is None


def test_a_length_that_the_test_names_too_is_no_special_case() -> None:
    assert masking(GUARD, USER, guarded("len(user.name) < 77:\n        return None"), TEST) is None


def test_a_key_that_the_test_names_too_is_no_special_case() -> None:
    before = 'def rate(config):\n    return config["tiemout"]\n'
    after = before.replace("tiemout", "timeout")
    assert masking(GUARD, before, after, 'def test():\n    rate({"timeout": 3})\n') is None


def test_two_assignments_may_become_one_of_two_values(tmp_path: Path) -> None:
    before = "def step(a, b):\n    a = b\n    b = a + b\n    return a, b\n"
    joined = before.replace("a = b\n    b = a + b", "a, b = b, a + b")
    fewer = before.replace("a = b\n    b = a + b", "a = b + b")
    assert objection(before, joined, 0, tmp_path) is None
    assert objection(before, fewer, 0, tmp_path) == "it deletes a statement"


NESTED = """\
class Store:
    def load(self, paths):
        found = []
        for path in paths:
            if path.exists():
                first = path.read_text()
                found.append(first)
                found.sort()
            else:
                self.missing.append(path)
                self.log(path)
                self.count += 1
        return found
"""
DEEP = {
    "deletes a statement": ("                found.append(first)\n", ""),
    "eval": ("found.append(first)", "found.append(eval(first))"),
    "makes Store.load() more complex": (
        "                found.append(first)\n",
        (
            "                if first:\n                    if first[0]:\n"
            "                        found.append(first)\n"
        ),
    ),
    "a bare except": (
        "                self.log(path)\n",
        (
            "                try:\n                    self.log(path)\n"
            "                except:\n                    pass\n"
        ),
    ),
    "does not parse": ("found.append(first)", "found.append(first"),
}


@pytest.mark.parametrize("reason", DEEP)
def test_what_is_deep_in_a_function_is_seen_like_the_rest(reason: str, tmp_path: Path) -> None:
    old, new = DEEP[reason]
    why = objection(NESTED, NESTED.replace(old, new), 1, tmp_path)
    assert why is not None
    assert reason in why


def test_a_branch_may_be_put_between_the_statements_of_a_block(tmp_path: Path) -> None:
    after = NESTED.replace(
        "                self.log(path)\n", "            if path:\n                self.log(path)\n"
    )
    assert objection(NESTED, after, 1, tmp_path) is None
    assert objection(NESTED, after, 0, tmp_path) is not None


def test_a_call_is_seen_to_be_under_a_lock_that_is_far_above_it(tmp_path: Path) -> None:
    body = "".join(f"            step({number})\n" for number in range(9))
    before = f"def run(lock):\n    with lock:\n        for each in ALL:\n{body}    return 1\n"
    after = before.replace("            step(5)\n", "            step(5)\n            sleep(5)\n")
    why = objection(before, after, 0, tmp_path)
    assert why == "it adds a call of sleep under a lock"


def test_an_exit_does_not_throw_away_what_was_just_computed(tmp_path: Path) -> None:
    before = "def one(word):\n    if word:\n        found = word[:-1]\n    return found\n"
    lost = before.replace("[:-1]\n", "[:-1]\n        return word\n")
    read = before.replace("[:-1]\n", "[:-1]\n        return found.strip()\n")
    assert objection(before, lost, 0, tmp_path) == (
        "nothing reads what `found = word[:-1]` assigns any more"
    )
    assert objection(before, read, 0, tmp_path) is None


@pytest.mark.parametrize(
    "lends", ["global found", "see = lambda: found", "def see(): return found"]
)
def test_what_others_read_later_is_not_thrown_away(lends: str, tmp_path: Path) -> None:
    before = f"def one(word):\n    {lends}\n    if word:\n        found = 1\n    return word\n"
    after = before.replace("= 1\n", "= 1\n        return None\n")
    assert objection(before, after, 0, tmp_path) is None


def test_of_what_stands_twice_in_a_block_one_may_go(tmp_path: Path) -> None:
    before = "def add(x):\n    seen(x)\n    keep(x)\n    seen(x)\n    if x:\n        keep(x)\n"
    once = before.replace("    seen(x)\n", "", 1)
    lost = before.replace("    keep(x)\n", "", 1)
    assert objection(before, once, 0, tmp_path) is None
    assert objection(before, lost, 0, tmp_path) == "it deletes a statement"


def test_of_two_branches_with_one_condition_one_may_go(tmp_path: Path) -> None:
    before = (
        "def add(x, y):\n    if x:\n        keep(x)\n    elif y:\n        keep(y)\n"
        "    elif x:\n        keep(x)\n"
    )
    once = before.replace("    if x:\n        keep(x)\n    el", "    ", 1)
    lost = before.replace("    elif y:\n        keep(y)\n", "", 1)
    assert once != before
    assert objection(before, once, 0, tmp_path) is None
    assert objection(before, lost, 0, tmp_path) == "it deletes a statement"
