"""Every bundled broken project through the real command line: the expected diff, to the byte.

What a project says of its failures, and that its diff heals it, is seen here too; for each eighth plain
pytest says the same in ``tests/test_fixtures_are_sound.py``.
"""

from __future__ import annotations

import shutil

import pytest

from tests.end_to_end.project import Project
from tests.test_fixtures_are_sound import (
    EXPECT,
    FIXTURES,
    causes,
    changed_by,
    contents,
    cookie,
    endings,
    exc_type,
)

# The frame in which the stack was full, and a program of which its own exception is told.
CHANCE = ("RecursionError", "CalledProcessError")


@pytest.mark.parametrize("name", EXPECT)
def test_the_fixture_ends_as_a_good_engineer_would_end_it(name: str, empty: Project) -> None:
    folder, expected = FIXTURES / name, EXPECT[name]
    shutil.copytree(folder / "project", empty.root, dirs_exist_ok=True, symlinks=True)
    patch, before = folder / "expected.diff", contents(empty.root)
    untouched = empty.commit().photograph() if not patch.exists() else None
    # Where nothing is to be found, the search through small edits need not be a long one.
    brief = () if patch.exists() else ("--search-seconds", "4")
    ended = empty.heal("--diff", str(empty.home / "the.patch"), *brief)
    report = ended.json
    assert (ended.code, report["final_status"]) == (
        expected["exit_code"],
        expected["final_status"],
    ), report["message"]
    told = {each["test"]: each for each in report["tracebacks"]}
    for cause in causes(name):
        for test in cause["tests"]:
            at, shown = told.pop(test), exc_type(cause)
            if shown not in CHANCE:
                place = (at["exc_type"], at["file"], at["line"])
                assert place == (shown, cause["file"], cause["line"])
    assert not told
    if untouched is not None:
        assert empty.photograph() == untouched
        return
    assert (empty.home / "the.patch").read_bytes() == patch.read_bytes()
    assert report["attempts"] == 1
    kept = report["patches"][0]
    assert {key: kept[key] for key in ("codemod", "variant", "kind")} == {
        key: expected[key] for key in ("codemod", "variant", "kind")
    }
    after = contents(empty.root)
    changed = {path for path in before if after[path] != before[path]}
    assert changed == {path for cause in causes(name) for path in changed_by(cause)}
    assert not [path for path in changed if "test" in path]
    assert [(endings(after[path]), cookie(after[path])) for path in changed] == [
        (endings(before[path]), cookie(before[path])) for path in changed
    ]
    assert report["tests"]["after"]["failed"] == report["tests"]["after"]["errors"] == 0
