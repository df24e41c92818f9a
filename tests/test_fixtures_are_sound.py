"""Projects in ``fixtures`` fail as they say, and their ``expected.diff`` heals them: plain pytest says so."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

FIXTURES = Path(__file__).parents[1] / "fixtures"
EXPECT: Mapping[str, Any] = {
    path.parent.name: json.loads(path.read_text("utf-8"))
    for path in sorted(FIXTURES.glob("*/expect.json"))
}
HEALED = [name for name in EXPECT if (FIXTURES / name / "expected.diff").exists()]
# No frame names the culprit in these: a value is wrong, or a call never ends (TimeoutError) or goes
# too deep. "file" and "line" are where the slip is.
WRONG: Mapping[str, Any] = {
    f"wrong/{path.parent.name}": json.loads(path.read_text("utf-8"))
    for path in sorted(FIXTURES.glob("wrong/*/expect.json"))
}


@pytest.fixture
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return Path(shutil.copytree(FIXTURES / request.param / "project", tmp_path / "project"))


def causes(name: str) -> Iterator[Mapping[str, Any]]:
    """The failures that a fixture describes, in the order in which they come to light."""
    expect = EXPECT[name]
    if "tests" in expect:
        yield expect
    yield from expect.get("then", ())


def changed_by(cause: Mapping[str, Any]) -> list[str]:
    """The files that the repair of a failure changes: the one where it shows, unless others are named."""
    return list(cause.get("changed", [cause["file"]]))


def exc_type(cause: Mapping[str, Any]) -> str:
    """The exception's name; Python 3.10 misses ``__enter__`` where later ones name the protocol."""
    name = cause["exc_type"]
    return str(cause.get("exc_type_3_10", name) if sys.version_info < (3, 11) else name)


# Starts once, with nothing but pytest; each line that it reads is a folder, and a fork runs its tests.
# A test takes milliseconds; one that has used a second of processor time is in an endless loop.
FORKED_PYTEST = """
import os, signal, sys, pytest, _pytest.config
_pytest.config.get_config()  # imports the plugins that are pytest's own
def end_loop(*args):
    raise TimeoutError
signal.signal(signal.SIGVTALRM, end_loop)
def pytest_runtest_setup():
    signal.setitimer(signal.ITIMER_VIRTUAL, 1)
def pytest_runtest_teardown():
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
options = ["-q", "--tb=native", "-p", "no:cacheprovider", "-o", "junit_family=xunit1"]
for line in sys.stdin:
    child = os.fork()
    if not child:
        os.dup2(2, 1)
        os.chdir(line.strip())
        sys.path.insert(0, os.getcwd())
        hooks = [sys.modules[__name__]]
        os._exit(pytest.main([*options, "--junit-xml=../report.xml"], hooks))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@cache
def forked_pytest() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-B", "-c", FORKED_PYTEST],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        text=True,
    )


def failing(project: Path) -> tuple[int, dict[str, str]]:
    """Run a project's tests; return pytest's exit status and each failing test with its traceback."""
    report = project.parent / "report.xml"
    server = forked_pytest()
    assert server.stdin is not None
    assert server.stdout is not None
    print(project, file=server.stdin, flush=True)
    return int(server.stdout.readline()), {
        node_id(case): bad.text or ""
        for case in ElementTree.parse(report).iter("testcase")
        for bad in (*case.iter("failure"), *case.iter("error"))
    }


def node_id(case: ElementTree.Element) -> str:
    """Rebuild the node id of a JUnit test case; a file that cannot be collected is its own."""
    file, classname = case.get("file", ""), case.get("classname", "")
    if not classname:
        return file
    module = file.removesuffix(".py").replace("/", ".")
    classes = classname.removeprefix(module).split(".")
    return "::".join([file, *filter(None, classes), case.get("name", "")])


def apply(project: Path, diff: Path, *options: str) -> None:
    subprocess.run(
        ["git", "-c", "core.autocrlf=false", "apply", *options, str(diff)],
        cwd=project,
        check=True,
        env={
            "PATH": "/usr/bin:/bin:/usr/local/bin",
            "GIT_CEILING_DIRECTORIES": str(project.parent),
        },
    )


def changed_lines(diff: Path) -> range:
    """The lines of the old file from which a patch takes some, or after which it adds some."""
    head, *hunk = diff.read_text("utf-8").splitlines()[2:]
    start = re.match(r"@@ -(\d+)", head)
    assert start is not None
    assert not any(line.startswith("@@") for line in hunk)
    edits = [index for index, line in enumerate(hunk) if line[0] in "+-"]
    old = [line[0] != "+" for line in hunk]
    first = int(start[1]) + sum(old[: edits[0]])
    return range(first - (not old[edits[0]]), first + max(1, sum(old[edits[0] : edits[-1] + 1])))


def contents(project: Path) -> dict[str, bytes]:
    return {
        path.relative_to(project).as_posix(): path.read_bytes()
        for path in project.rglob("*")
        if path.is_file()
    }


def place(traceback: str, project: Path) -> tuple[str, int]:
    """The last place inside the project that a traceback names."""
    found = re.findall(rf'File "{re.escape(str(project))}/(.+)", line (\d+)', traceback)
    # pytest's own style, for a file whose imports fail.
    found = found or re.findall(r"^(\S+\.py):(\d+): in ", traceback, re.MULTILINE)
    return found[-1][0], int(found[-1][1])


def endings(data: bytes) -> set[bytes]:
    return set(re.findall(rb"\r\n|\r|\n", data))


def cookie(data: bytes) -> str:
    return tokenize.detect_encoding(BytesIO(data).readline)[0]


def names(data: bytes) -> list[str]:
    tokens = tokenize.tokenize(BytesIO(data).readline)
    return [token.string for token in tokens if token.type == tokenize.NAME]


FORMATS: Mapping[str, Callable[[bytes], bool]] = {
    "bom": lambda data: data.startswith(b"\xef\xbb\xbf"),
    "crlf": lambda data: endings(data) == {b"\r\n"},
    "form-feed": lambda data: b"\n\x0c\n" in data,
    "latin-1": lambda data: cookie(data) == "iso-8859-1" and not data.isascii(),
    "mixed": lambda data: endings(data) == {b"\r\n", b"\n"},
    "no-final-newline": lambda data: not data.endswith(b"\n"),
    "non-ascii-names": lambda data: not all(map(str.isascii, names(data))),
    "tabs": lambda data: b"\n\t" in data and b"\n    " not in data,
}


# The end-to-end tests see the same of all; here each eighth has to do, unless all are asked for.
EVERY = "SELFDEBUG_ALL_FIXTURES" in os.environ
SOME = [*EXPECT][:: 1 if EVERY else 8]


@pytest.mark.parametrize(("project", "name"), [(name, name) for name in SOME], indirect=["project"])
def test_it_fails_as_it_says(project: Path, name: str) -> None:
    expected = {test: cause for cause in causes(name) for test in cause["tests"]}

    status, failures = failing(project)

    assert failures.keys() == expected.keys()
    assert (status == 0) == (not expected)
    for test, cause in expected.items():
        assert exc_type(cause) in failures[test]
        assert place(failures[test], project) == (cause["file"], cause["line"])


@pytest.mark.parametrize(
    ("project", "name"),
    [(name, name) for name in SOME if name in HEALED],
    indirect=["project"],
)
def test_its_diff_heals_it_and_touches_no_test(project: Path, name: str) -> None:
    before, diff = contents(project), FIXTURES / name / "expected.diff"

    apply(project, diff)

    after = contents(project)
    changed = {path for path in after if after[path] != before[path]}
    assert changed == {path for cause in causes(name) for path in changed_by(cause)}
    for path in changed:
        assert "test" not in path
        assert endings(after[path]) == endings(before[path])
        assert cookie(after[path]) == cookie(before[path])
        compile(after[path], path, "exec")
    assert failing(project) == (0, {})

    apply(project, diff, "--reverse")
    assert contents(project) == before


# ``make bench-wrong`` heals them all; here each fourth has to do, unless all are asked for.
SOME_WRONG = [*WRONG][:: 1 if EVERY else 4]


@pytest.mark.parametrize(
    ("project", "name"), [(name, name) for name in SOME_WRONG], indirect=["project"]
)
def test_its_wrong_result_fails_by_assertion_and_its_diff_rights_it(
    project: Path, name: str
) -> None:
    expect, before, diff = WRONG[name], contents(project), FIXTURES / name / "expected.diff"

    status, failures = failing(project)

    assert status == 1
    assert list(failures) == expect["tests"]
    assert all(expect["exc_type"] in text for text in failures.values())

    apply(project, diff)

    after = contents(project)
    assert [path for path in after if after[path] != before[path]] == [expect["file"]]
    assert "test" not in expect["file"]
    assert expect["line"] in changed_lines(diff)
    assert failing(project) == (0, {})

    apply(project, diff, "--reverse")
    assert contents(project) == before


@pytest.mark.parametrize("name", [name for name in EXPECT if EXPECT[name]["bytes"]])
def test_its_file_still_has_the_bytes_that_it_is_about(name: str) -> None:
    data = (FIXTURES / name / "project" / EXPECT[name]["file"]).read_bytes()
    assert [form for form, holds in FORMATS.items() if holds(data)] == EXPECT[name]["bytes"]


def test_a_diff_is_there_where_the_tests_can_be_healed_and_only_there() -> None:
    repaired = [name for name, expect in EXPECT.items() if "codemod" in expect]
    assert repaired == HEALED
    assert all(EXPECT[name]["exit_code"] == 0 for name in HEALED)
    assert {path.name for path in FIXTURES.iterdir() if path.is_dir()} == {
        *EXPECT,
        "wrong",
        "rivals",
    }


def test_every_wrong_result_says_which_slip_it_is_and_how_it_is_righted() -> None:
    folders = {f"wrong/{path.name}" for path in (FIXTURES / "wrong").iterdir() if path.is_dir()}
    assert folders == WRONG.keys()
    assert all(
        (expect["kind"], expect["exit_code"]) == ("wrong-result", 0) and expect["slip"]
        for expect in WRONG.values()
    )


def test_together_they_cover_every_form_of_bytes() -> None:
    assert {form for expect in EXPECT.values() for form in expect["bytes"]} == FORMATS.keys()
