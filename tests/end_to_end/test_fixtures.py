"""Every bundled broken project through the real command line: the expected diff, to the byte."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.project import Project

FIXTURES = Path(__file__).parents[2] / "fixtures"
NAMES = sorted(path.parent.name for path in FIXTURES.glob("*/expect.json"))


@pytest.mark.parametrize("name", NAMES)
def test_the_fixture_ends_as_a_good_engineer_would_end_it(name: str, empty: Project) -> None:
    folder = FIXTURES / name
    expected: dict[str, Any] = json.loads((folder / "expect.json").read_text("utf-8"))
    shutil.copytree(folder / "project", empty.root, dirs_exist_ok=True, symlinks=True)
    patch = folder / "expected.diff"
    before = empty.commit().photograph() if not patch.exists() else None
    # Where nothing is to be found, the search through small edits need not be a long one.
    brief = () if patch.exists() else ("--search-seconds", "4")
    ended = empty.heal("--diff", str(empty.home / "the.patch"), *brief)
    report = ended.json
    assert (ended.code, report["final_status"]) == (
        expected["exit_code"],
        expected["final_status"],
    ), report["message"]
    if before is not None:
        assert empty.photograph() == before
        return
    assert (empty.home / "the.patch").read_bytes() == patch.read_bytes()
    assert report["attempts"] == 1
    kept = report["patches"][0]
    assert {key: kept[key] for key in ("codemod", "variant", "kind")} == {
        key: expected[key] for key in ("codemod", "variant", "kind")
    }
    empty.git("apply", "--reverse", "--check", "--whitespace=nowarn", str(patch))
