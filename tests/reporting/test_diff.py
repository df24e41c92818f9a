"""Our diffs against git's own reading of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfdebug.model import Edit
from selfdebug.reporting.diff import line_of, text, unified


def git_apply(folder: Path, diff: bytes) -> None:
    (folder / "the.patch").write_bytes(diff)
    subprocess.run(
        ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "the.patch"],
        cwd=folder,
        check=True,
        capture_output=True,
    )


CASES = {
    "a plain change": (b"a\nb\nc\n", b"a\nB\nc\n"),
    "no newline before": (b"a\nb", b"a\nb\n"),
    "no newline after": (b"a\nb\n", b"a\nb"),
    "no newline on both sides": (b"a\nb", b"a\nc"),
    "CRLF": (b"a\r\nb\r\n", b"a\r\nguard\r\nb\r\n"),
    "mixed line ends": (b"a\r\nb\nc\rd\n", b"a\r\nb\nguard\nc\rd\n"),
    "latin-1": ("é = 'ü'\n".encode("latin-1"), "é = 'ö'\n".encode("latin-1")),
    "a form feed": (b"a\n\x0cb\n", b"a\n\x0cc\n"),
    "lines that look like a diff": (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n", b"--- a/x\n+++ b/y\n\n"),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["m.py", "a folder/m y.py", "naïve.py", 'quo"te.py'])
def test_git_apply_takes_the_diff(case: str, name: str, tmp_path: Path) -> None:
    before, after = CASES[case]
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(before)
    git_apply(tmp_path, unified({name: (before, after)}))
    assert path.read_bytes() == after


def test_nothing_changed_is_no_diff() -> None:
    assert unified({"m.py": (b"a\n", b"a\n")}) == b""


def test_files_come_in_the_order_of_their_names() -> None:
    diff = text(unified({"b.py": (b"1\n", b"2\n"), "a.py": (b"1\n", b"2\n")}))
    assert diff == (
        "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-1\n+2\n--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-1\n+2\n"
    )


lines = st.lists(
    st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\x0c\n", b"\xe9\r", b"--- x\n", b"\n"]), max_size=9
).map(b"".join)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(before=lines, after=lines)
def test_any_change_comes_back_from_its_diff(before: bytes, after: bytes, tmp_path: Path) -> None:
    if before == after or not before or not after:
        return
    (tmp_path / "m").write_bytes(before)
    git_apply(tmp_path, unified({"m": (before, after)}))
    assert (tmp_path / "m").read_bytes() == after


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (b"a / b", b"-(-a // b)", "return -(-a // b)"),
        (
            b"    return",
            b"    if not b:\n        return 0\n    return",
            "if not b: return 0 return a / b",
        ),
        (b"    return", b"", "a / b"),
    ],
)
def test_an_edit_as_the_line_that_it_writes(old: bytes, new: bytes, line: str) -> None:
    data = b"def f(a, b):\n    return a / b\n"
    start = data.index(old)
    assert line_of(Edit(Path("m.py"), start, start + len(old), old, new), data) == line


def test_an_edit_that_inserts_lines_as_these_lines() -> None:
    data = b"def f(a, b):\n    return a / b\n"
    at = data.index(b"    return")
    guard = b"    if not b:\n        return 0\n"
    assert line_of(Edit(Path("m.py"), at, at, b"", guard), data) == "if not b: return 0"
    end = data.index(b"\n")
    assert line_of(Edit(Path("m.py"), end, end, b"", b"\n    x = 1"), data) == "x = 1"
