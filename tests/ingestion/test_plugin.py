"""One small project with every way to fail, run by each pytest; what the plugin recorded of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from selfdebug.model import Failure, Frame, Raised, Span, TestRun
from selfdebug.validation.cold import run_pytest
from selfdebug.validation.launch import PytestCommand
from tests.interpreters import PYTEST_5, PYTEST_7, PYTEST_8, PYTEST_9, interpreter

SHOP = """\
class Profile:
    __slots__ = ("bio", "unset")

    def __init__(self, bio):
        self.bio = bio


class User:
    def __init__(self, name, profile=None):
        self.name = name
        self.profile = profile
        self.never_named = 1


rate = None


def greet(user):
    password = "correct horse"
    return "héllo " + user.name + user.profile.bio.strip()


def slot(user):
    return user.profile.bio.strip()


def charge(amount):
    return rate.of(amount)


def load(data):
    try:
        return data["usr"]
    except KeyError as error:
        raise ValueError("no user in api_key=abc123def") from error


def convert(text):
    try:
        return int(text)
    except ValueError:
        return text.missing_method()


def misspelt(profile):
    return profil.bio


def forever(n):
    return forever(n + 1)
"""

TESTS = """\
import unittest

import pytest

from shop import Profile, User, charge, convert, forever, greet, load, misspelt, slot


def test_attribute():
    assert greet(User("ann")) == "x"


def test_slot():
    slot(User("ann", Profile(None)))


def test_global():
    charge(3)


def test_cause():
    load({"user": 1, "password": "s3cr3t!"})


def test_context():
    convert("x")


def test_name():
    misspelt(Profile("x"))


def test_recursion():
    forever(0)


def test_broken_import():
    import broken


def test_passes():
    pass


@pytest.fixture
def no_setup():
    raise RuntimeError("setup")


@pytest.fixture
def no_teardown():
    yield
    raise RuntimeError("teardown")


def test_setup(no_setup):
    pass


def test_teardown(no_teardown):
    pass


def test_both(no_teardown):
    assert 1 == 2


def test_no_such_fixture(nowhere):
    pass


@pytest.mark.xfail(strict=True)
def test_strict():
    pass


@pytest.mark.xfail
def test_xfail():
    assert 0


@pytest.mark.skip
def test_skip():
    pass


def test_text():
    pytest.fail("only words", pytrace=False)


def test_did_not_raise():
    with pytest.raises(ValueError):
        pass


def test_printed(capfd):
    print("to stdout")
    assert 0


@pytest.mark.parametrize("value", ["a::b", "[x] - y", "é"])
def test_ids(value):
    assert not value


class Case(unittest.TestCase):
    def test_each(self):
        for i in range(3):
            with self.subTest("number", i=i):
                self.assertEqual(i, 1)
"""

FILES = {"shop.py": SHOP, "broken.py": "def f(:\n    pass\n", "tests/test_shop.py": TESTS}
TEST = "tests/test_shop.py::"
ALL = [PYTEST_5, PYTEST_7, PYTEST_8, PYTEST_9]


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return root


def python(environment: tuple[str, ...]) -> Path:
    found = interpreter(*environment)
    if found is None:
        pytest.skip(f"no Python {environment[0]} on this machine")
    return found


@pytest.fixture(scope="module", params=ALL, ids=lambda each: f"py{each[0]}-{each[1]}")
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TestRun:
    root = write(tmp_path_factory.mktemp("project"), FILES)
    return run_pytest(PytestCommand(root, python(request.param)))


Runner = Callable[..., TestRun]


@pytest.fixture
def pytest_run(tmp_path: Path) -> Runner:
    def run(environment: tuple[str, ...], files: dict[str, str], *args: str) -> TestRun:
        return run_pytest(PytestCommand(write(tmp_path, files), python(environment), args))

    return run


def failure(run: TestRun, name: str, phase: str = "call") -> Failure:
    found = [f for f in run.failures if f.test == TEST + name and f.phase == phase]
    assert len(found) == 1, [f.test for f in run.failures]
    return found[0]


def raised(run: TestRun, name: str, phase: str = "call") -> Raised:
    error = failure(run, name, phase).raised
    assert error is not None
    return error


def deepest(error: Raised) -> Frame:
    return error.frames[-1]


def expected_span(code: str, line: int) -> Span:
    column = SHOP.splitlines()[line - 1].index(code)
    return Span(line, column, line, column + len(code))


def line_of(code: str) -> int:
    return next(n for n, text in enumerate(SHOP.splitlines(), 1) if code in text)


def knows_columns(run: TestRun) -> bool:
    major, minor = run.versions["python"].split(".")[:2]
    return (int(major), int(minor)) >= (3, 11)


def test_the_verdict_and_every_outcome(run: TestRun) -> None:
    assert run.exit_code == 1
    assert run.outcomes == {
        TEST + name: outcome
        for name, outcome in {
            "test_attribute": "failed",
            "test_slot": "failed",
            "test_global": "failed",
            "test_cause": "failed",
            "test_context": "failed",
            "test_name": "failed",
            "test_recursion": "failed",
            "test_broken_import": "failed",
            "test_passes": "passed",
            "test_setup": "error",
            "test_teardown": "error",
            "test_both": "error",
            "test_no_such_fixture": "error",
            "test_strict": "failed",
            "test_xfail": "xfailed",
            "test_skip": "skipped",
            "test_text": "failed",
            "test_did_not_raise": "failed",
            "test_printed": "failed",
            "test_ids[a::b]": "failed",
            "test_ids[[x] - y]": "failed",
            "test_ids[\\xe9]": "failed",
            "Case::test_each": "failed",
        }.items()
    }
    assert run.durations.keys() == run.outcomes.keys()
    assert run.crashed == ()


def test_the_frames_lead_from_the_test_to_the_expression(run: TestRun) -> None:
    error = raised(run, "test_attribute")
    assert (error.type, error.message) == (
        "AttributeError",
        "'NoneType' object has no attribute 'bio'",
    )
    assert [(Path(frame.file).name, frame.function) for frame in error.frames] == [
        ("test_shop.py", "test_attribute"),
        ("shop.py", "greet"),
    ]
    frame = deepest(error)
    line = line_of("user.profile.bio.strip() #".rstrip(" #"))
    assert (frame.line, frame.source) == (line, SHOP.splitlines()[line - 1])
    assert Path(frame.file).is_absolute()
    if knows_columns(run):
        assert frame.span == expected_span("user.profile.bio", line)
        assert error.attrs == {"name": "bio", "object": "NoneType"}
    else:
        assert frame.span is None


def test_locals_show_what_was_none(run: TestRun) -> None:
    seen = deepest(raised(run, "test_attribute")).locals
    assert seen["user"].type == "shop.User"
    assert seen["user"].text is None
    assert (seen["user.name"].type, seen["user.name"].text) == ("str", "'ann'")
    assert seen["user.profile"].type == "NoneType"
    assert "user.never_named" not in seen
    slots = deepest(raised(run, "test_slot")).locals
    assert slots["user.profile"].type == "shop.Profile"
    assert slots["user.profile.bio"].type == "NoneType"
    assert deepest(raised(run, "test_global")).locals["rate"].type == "NoneType"


def test_secrets_stay_where_they_are(run: TestRun) -> None:
    seen = deepest(raised(run, "test_attribute")).locals
    assert (seen["password"].type, seen["password"].text) == ("str", "<redacted>")
    error = raised(run, "test_cause")
    assert error.message == "no user in api_key=<redacted>"
    assert deepest(error).locals["data"].text == "{'user': 1, 'password': <redacted>}"


def test_the_cause_and_the_context_come_along(run: TestRun) -> None:
    error = raised(run, "test_cause")
    assert (error.type, error.relation) == ("ValueError", "cause")
    assert error.before is not None
    assert (error.before.type, error.before.message) == ("KeyError", "'usr'")
    assert error.before.attrs == {"key": "'usr'", "keys": "['user']"}
    assert deepest(error.before).line == line_of('data["usr"]')
    error = raised(run, "test_context")
    assert (error.type, error.relation) == ("AttributeError", "context")
    assert error.before is not None
    assert error.before.type == "ValueError"
    assert error.before.before is None


def test_a_misspelt_name_has_neighbours(run: TestRun) -> None:
    error = raised(run, "test_name")
    assert error.type == "NameError"
    if knows_columns(run):  # the attribute came in 3.10, columns in 3.11; none of ours is between
        assert error.attrs["name"] == "profil"
        assert error.attrs["near"].split(", ")[0] == "profile"


def test_a_deep_recursion_is_folded(run: TestRun) -> None:
    error = raised(run, "test_recursion")
    assert error.type == "RecursionError"
    assert error.frames[0].function == "test_recursion"
    assert deepest(error).function == "forever"
    assert 40 < len(error.frames) < 100


def test_a_syntax_error_has_its_place(run: TestRun) -> None:
    error = raised(run, "test_broken_import")
    assert error.type == "SyntaxError"
    frame = deepest(error)
    assert (Path(frame.file).name, frame.line) == ("broken.py", 1)
    assert frame.span is not None
    assert (frame.span.line, frame.source) == (1, "def f(:")
    assert frame.span.column == "def f(:".index(":") or not knows_columns(run)


def test_each_phase_tells_of_itself(run: TestRun) -> None:
    assert raised(run, "test_setup", "setup").message == "setup"
    assert raised(run, "test_teardown", "teardown").message == "teardown"
    assert raised(run, "test_both", "teardown").message == "teardown"
    assert raised(run, "test_both", "call").type == "AssertionError"
    assert raised(run, "test_both", "call").message.startswith("assert 1 == 2")


@pytest.mark.parametrize(
    ("name", "phase", "words"),
    [
        ("test_no_such_fixture", "setup", "fixture 'nowhere' not found"),
        ("test_strict", "call", "[XPASS(strict)]"),
        ("test_text", "call", "only words"),
    ],
)
def test_what_pytest_says_in_words_is_text(run: TestRun, name: str, phase: str, words: str) -> None:
    found = failure(run, name, phase)
    assert found.raised is None
    assert words in found.text


def test_the_machinery_of_pytest_is_no_frame(run: TestRun) -> None:
    error = raised(run, "test_did_not_raise")
    assert [frame.function for frame in error.frames] == ["test_did_not_raise"]
    shown = [f for each in run.failures if each.raised for f in each.raised.frames]
    assert not [f.file for f in shown if "_pytest" in f.file or "pluggy" in f.file]


def test_captured_output_is_evidence(run: TestRun) -> None:
    evidence = failure(run, "test_printed").evidence
    assert any("to stdout" in text for text in evidence.values())


def test_subtests_are_told_apart(run: TestRun) -> None:
    found = [f for f in run.failures if f.test == TEST + "Case::test_each"]
    messages = [f.raised.message for f in found if f.raised]
    if run.versions["pytest"] >= "7":  # built in from 9, pytest-subtests in our 7 and 8
        assert [f.subtest for f in found] == ["[number] (i=0)", "[number] (i=2)"]
        assert messages == ["0 != 1", "2 != 1"]
    else:
        assert messages == ["0 != 1"]


@pytest.mark.parametrize("style", ["no", "native"])
def test_the_style_of_the_log_does_not_matter(pytest_run: Runner, style: str) -> None:
    files = {"shop.py": SHOP, "test_shop.py": TESTS}
    run = pytest_run(PYTEST_9, files, f"--tb={style}", "-k", "test_attribute")
    (found,) = run.failures
    assert found.raised is not None
    line = line_of("user.profile.bio.strip() #".rstrip(" #"))
    assert deepest(found.raised).span == expected_span("user.profile.bio", line)


def test_exception_groups_have_members(pytest_run: Runner) -> None:
    run = pytest_run(
        PYTEST_9,
        {
            "test_group.py": """
            def test_group():
                errors = []
                for text in ("a", "b"):
                    try:
                        int(text)
                    except ValueError as error:
                        errors.append(error)
                raise ExceptionGroup("two", [*errors, ExceptionGroup("inner", [KeyError("k")])])
            """
        },
    )
    (found,) = run.failures
    assert found.raised is not None
    assert found.raised.type == "ExceptionGroup"
    assert [member.type for member in found.raised.members] == [
        "ValueError",
        "ValueError",
        "ExceptionGroup",
    ]
    assert found.raised.members[1].frames[0].line == 6
    assert found.raised.members[2].members[0].message == "'k'"


NASTY = {
    "nasty.py": """
    TOUCHED = []

    class Meta(type):
        def __getattribute__(cls, name):
            TOUCHED.append(("meta", name))
            return type.__getattribute__(cls, name)

        def __instancecheck__(cls, value):
            TOUCHED.append("isinstance")
            return False

        def __eq__(cls, other):
            TOUCHED.append("meta ==")
            return False

        def __hash__(cls):
            TOUCHED.append("meta hash")
            return 1

    def touched(name):
        def method(self, *args):
            TOUCHED.append(name)
            raise RuntimeError(name)
        return method

    class Nasty(metaclass=Meta):
        hidden = property(touched("property"))
        __class__ = property(touched("__class__"))
        for _name in ("repr", "str", "len", "eq", "hash", "bool", "getattr", "iter", "dir", "format"):
            locals()["__%s__" % _name] = touched(_name)

    class NastyDict(dict):
        __len__ = __iter__ = items = __getitem__ = __repr__ = keys = touched("dict")

    class NastyKey:
        __hash__ = lambda self: 1
        __eq__ = __repr__ = touched("key")
    """,
    "test_nasty.py": """
    import nasty

    def test_use():
        value, keyed = nasty.Nasty(), {nasty.NastyKey(): 1}
        many = [value, (value,), {"k": value}]
        mapping = nasty.NastyDict(a=1)
        del nasty.TOUCHED[:]
        raise_with(value, many, mapping, keyed)

    def raise_with(value, many, mapping, keyed):
        hidden = other = value
        raise ValueError("here")

    def test_key():
        table, mapping = {"a_key": 1, nasty.NastyKey(): 2}, nasty.NastyDict(a_key=1)
        del nasty.TOUCHED[:]
        value = nasty.Nasty()
        return table["the_key"]

    def test_untouched():
        assert [each for each in nasty.TOUCHED] == []
    """,
}


@pytest.mark.parametrize(
    "environment", [PYTEST_5, PYTEST_9], ids=lambda each: f"py{each[0]}-{each[1]}"
)
def test_no_code_of_the_project_runs_for_a_repr(
    pytest_run: Runner, environment: tuple[str, ...]
) -> None:
    run = pytest_run(environment, NASTY, "--tb=native", "-p", "no:randomly")
    assert run.outcomes == {
        "test_nasty.py::test_use": "failed",
        "test_nasty.py::test_key": "failed",
        "test_nasty.py::test_untouched": "passed",
    }
    found, keyed = run.failures
    assert keyed.raised is not None
    assert keyed.raised.attrs == {"key": "'the_key'", "keys": "['a_key']"}
    assert found.raised is not None
    seen = deepest(found.raised).locals
    assert (seen["value"].type, seen["value"].text) == ("nasty.Nasty", None)
    assert (seen["mapping"].type, seen["mapping"].size) == ("nasty.NastyDict", 1)
    nasty = "<nasty.Nasty>"
    assert seen["many"].text == f"[{nasty}, ({nasty},), {{'k': {nasty}}}]"
    assert seen["keyed"].text == "{<nasty.NastyKey>: 1}"


def test_big_values_are_bounded(pytest_run: Runner) -> None:
    run = pytest_run(
        PYTEST_9,
        {
            "test_big.py": """
            def test_big():
                text = "x" * 10**6
                items = list(range(10**5))
                number = 10 ** 10**5
                loop = [1]
                loop.append(loop)
                deep = [[[[[[1]]]]]]
                assert not text
            """
        },
    )
    error = run.failures[0].raised
    assert error is not None
    seen = deepest(error).locals
    assert seen["text"].size == 10**6
    assert len(seen["text"].text or "") < 250
    assert (seen["items"].size, seen["items"].text) == (
        10**5,
        "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]",
    )
    assert seen["number"].text == f"<int of {(10**10**5).bit_length()} bits>"
    assert seen["loop"].text == "[1, [...]]"
    assert seen["deep"].text == "[[[[...]]]]"
    assert len(error.message) < 4100


def test_a_test_may_patch_what_writes_the_record(pytest_run: Runner) -> None:
    run = pytest_run(
        PYTEST_9,
        {
            "test_patch.py": """
            import builtins, io, json, os

            def test_patched(monkeypatch):
                for module, name in [
                    (builtins, "open"), (os, "write"), (os, "open"), (json, "dumps"),
                    (io, "open"), (os, "getpid"),
                ]:
                    monkeypatch.setattr(module, name, None)
                None.attribute
            """
        },
        "--tb=native",
    )
    (found,) = run.failures
    assert found.raised is not None
    assert deepest(found.raised).source == "    None.attribute"


def test_no_frame_outlives_its_report(pytest_run: Runner) -> None:
    run = pytest_run(
        PYTEST_9,
        {
            "test_refs.py": """
            import gc, sys, weakref

            class Thing:
                pass

            alive = []

            def test_fails():
                thing = Thing()
                alive.append(weakref.ref(thing))
                raise ValueError

            def test_gone():
                sys.last_value = sys.last_traceback = sys.last_exc = None
                gc.collect()
                assert alive[0]() is None
            """
        },
    )
    assert run.outcomes["test_refs.py::test_gone"] == "passed"


def test_a_latin_1_file_has_columns_in_characters(tmp_path: Path) -> None:
    source = '# coding: latin-1\ndef test_a():\n    x = None; "é" + x.bio\n'
    (tmp_path / "test_latin.py").write_bytes(source.encode("latin-1"))
    run = run_pytest(PytestCommand(tmp_path, python(PYTEST_9)))
    error = run.failures[0].raised
    assert error is not None
    column = source.splitlines()[2].index("x.bio")
    assert deepest(error).span == Span(3, column, 3, column + len("x.bio"))
