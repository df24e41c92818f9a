"""The body of a pull request: what strangers wrote stays in code spans."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from selfdebug.model import (
    Alternative,
    Candidate,
    Difference,
    Edit,
    Explored,
    Healing,
    OriginStep,
    Patch,
    Site,
    Span,
    Traceback,
)
from selfdebug.reporting.diff import unified
from selfdebug.reporting.markdown import markdown

ROOT = Path("/project")
FILE = ROOT / "shop.py"


def healing(message: str = "'NoneType' object has no attribute 'city'") -> Healing:
    site = Site(
        FILE,
        Span(7, 4, 7, 13),
        "Attribute",
        "user.city",
        "AttributeError",
        message,
        bad=Span(7, 4, 7, 8),
        bad_code="user",
        origin=(OriginStep(FILE, 3, "`find` returns it", "return None"),),
    )
    edit = Edit(FILE, 0, 1, b"a", b"b")
    patch = Candidate((edit,), "null-guard", "early-exit", "guard", "user was None", site)
    return Healing(
        run_id="1",
        root=ROOT,
        exit_code=0,
        final_status="pass",
        message="the tests pass again",
        tracebacks=(Traceback("shop.py", 7, "AttributeError", message, test="t.py::test[a`b]"),),
        diff=unified({"shop.py": (b"a = '```'\n", b"b = '```'\n")}),
        patches=(Patch(patch, "medium", ("the cause may lie `earlier`",)),),
        before={"t.py::test[a`b]": "failed", "t.py::other": "passed"},
        after={"t.py::test[a`b]": "passed", "t.py::other": "passed"},
    )


def test_failure_cause_diff_and_verification() -> None:
    body = markdown(healing())
    assert "- ``t.py::test[a`b]`` at `shop.py:7`: `AttributeError: 'NoneType' object" in body
    assert "- `user` at `shop.py:7`. user was None" in body
    assert "  - Where the value came from: `find` returns it at `shop.py:3`\n" in body
    assert "  - Kind: **guard** (guards the failing place; the cause may lie earlier)" in body
    assert "  - Confidence: **medium**\n    - the cause may lie `earlier`" in body
    assert (
        "````diff\n--- a/shop.py\n+++ b/shop.py\n@@ -1 +1 @@\n-a = '```'\n+b = '```'\n````" in body
    )
    assert "2 passed" in body
    assert "- ``t.py::test[a`b]``: failed before, passed after." in body


def test_a_message_cannot_write_markup() -> None:
    body = markdown(healing("</code><img src=x>\n# owned\x1b[2J `"))
    line = next(line for line in body.splitlines() if "img" in line)
    assert line.endswith("`AttributeError: </code><img src=x>`")
    assert "# owned" not in body
    assert "\x1b" not in body


def test_other_patches_come_with_the_call_to_which_they_answer_differently() -> None:
    report = healing()
    made = replace(report.patches[0].candidate, variant="default", why="user or 'x'")
    differs = Difference("find('a|b')", "returns None", "returns 'x'")
    others = (Alternative(made, differs), *[Alternative(made)] * 4)
    body = markdown(replace(report, alternatives=others))
    section = body.partition("### Other patches under which the tests pass\n\n")[2]
    lines = section.partition("\n\n")[0].splitlines()
    assert lines[0] == (
        "- null-guard/default at `shop.py:7`: user or 'x'. `find('a|b')` `returns 'x'` with it,"
        " `returns None` with the patch above."
    )
    assert lines[1:] == [
        *["- null-guard/default at `shop.py:7`: user or 'x'. No difference was found."] * 2,
        "- and 2 more, in the JSON report",
    ]


def test_quoted_code_in_a_sentence_stays_as_it_is_and_the_rest_is_escaped() -> None:
    report = healing()
    made = replace(report.patches[0].candidate, why="`a_b < c` is *not* <b>")
    odd = replace(made, why="an odd ` and <img src=x>")
    body = markdown(replace(report, patches=(Patch(made, "low"), Patch(odd, "low"))))
    assert "`shop.py:7`. `a_b < c` is \\*not\\* \\<b\\>\n" in body
    assert "`shop.py:7`. an odd \\` and \\<img src=x\\>\n" in body


def test_a_run_without_a_patch_tells_where_it_looked_and_how_far_it_came() -> None:
    report = healing()
    suspect = replace(report.patches[0].candidate.site, suspicion=0.5, code="if a:\n    b")
    named = replace(suspect, why="sets `b`, in which it differs")
    failed = replace(
        report,
        final_status="fail",
        message="none healed all",
        patches=(),
        diff=b"",
        after={},
        suspects=(suspect, named),
        branches=(Explored("guard", 4, 1, 3),),
        tried=15,
        small_edits=12,
        search_end="time",
    )
    assert markdown(failed).partition("### Suspicious")[2] == (
        " statements\n\n- `if a:` at `shop.py:7` (0.50)\n"
        "- `if a:` at `shop.py:7` (0.50, sets `b`, in which it differs)\n\n### Search\n\n"
        "- Candidates tried: guard 3 of 4 (1 ruled out).\n"
        "- Small edits tried: 12, until the time was over (--search-seconds).\n\n"
    )


def test_candidates_are_counted_by_branch() -> None:
    branches = (Explored("cause", 3, 0, 2), Explored("guard", 4, 1, 0))
    body = markdown(replace(healing(), branches=branches, tried=2))
    assert body.endswith("- Candidates tried: cause 2 of 3, guard 0 of 4 (1 ruled out).\n")
