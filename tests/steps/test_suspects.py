"""What is known of suspicious statements."""

from __future__ import annotations

from pathlib import Path

from selfdebug.model import Failure, Frame, Raised, TestRun, Value
from selfdebug.steps.suspects import Suspects
from selfdebug.syntax.project import Project
from selfdebug.validation.warm import WarmRun

TEXT = b"""\
def find(items):
    at = 0
    while at < len(items):
        at = at
    return at
"""


def test_variables_are_known_of_a_function_that_was_ended_in_its_loop(tmp_path: Path) -> None:
    file, test = tmp_path / "search.py", "test_search.py::test_find"
    file.write_bytes(TEXT)
    (tmp_path / "test_search.py").write_bytes(b"find([1])\n")
    held = {"items": Value("list", "[1]"), "at": Value("int", "0")}
    frames = (Frame(str(tmp_path / "test_search.py"), 1), Frame(str(file), 3, locals=held))
    ended = Failure(test, "call", Raised("TestTimeout", "still running after 2 s", frames))
    run = TestRun(1, (ended,), {test: "failed"}, 2.0)
    reached = {test: frozenset((file, line) for line in (2, 3, 4))}
    baseline = WarmRun(run, "as is", None, (), {}, reached=reached)
    suspects = Suspects(Project(tmp_path), run, baseline, frozenset([test]), frozenset())
    assert [site.locals for site in suspects.sites(ended)] == [held] * 3
