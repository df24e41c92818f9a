"""Wrong results through the whole command line: the small projects of ``fixtures/wrong``.

For each it prints whether it was healed, with the diff that is right, at which attempt, after how many
candidates, in what time, and how suspicious the faulty statement was among all. Those that were held out
were written by somebody who did not know the edits, and no edit was built after they had been tried.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

FIXTURES = Path(__file__).parents[1] / "fixtures/wrong"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? ")


@dataclass(frozen=True)
class Result:
    """What became of one project. ``rank`` counts from 1; 0 stands for a statement not among ten."""

    name: str
    status: str
    exact: bool
    attempts: int
    tried: int
    rank: int
    seconds: float
    codemod: str
    confidence: str
    rivals: int
    held_out: bool


def main(argv: list[str] | None = None) -> None:
    """Heal a copy of each project, or of those that are named, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a folder for the reports")
    given = parser.parse_args(argv)
    names = given.names or sorted(path.parent.name for path in FIXTURES.glob("*/expect.json"))
    results = [*_told(names, given.jobs, given.keep)]
    held = [each for each in results if each.held_out]
    print(f"built on: {summary([each for each in results if not each.held_out])}")
    print(f"held out: {summary(held)}")


def _told(names: list[str], jobs: int, keep: Path | None) -> Iterator[Result]:
    for name in names:
        result = attempt(name, jobs, keep)
        print(
            f"{name:24} {result.status:10} {'exact' if result.exact else '-':6}"
            f" {result.attempts} attempts {result.tried:5} tried  rank {result.rank or '-':>2}"
            f" {result.seconds:5.1f} s  {result.codemod} {result.confidence}"
            f" {result.rivals} rivals",
            flush=True,
        )
        yield result


def summary(results: list[Result]) -> str:
    """Return the counts that a reader wants."""
    if not results:
        return "none"
    healed = [each for each in results if each.status == "pass"]
    first = [each for each in healed if each.exact and each.attempts == 1]
    among = {most: sum(0 < each.rank <= most for each in results) for most in (1, 5, 10)}
    return (
        f"{len(results)} projects: {len(healed)} healed, {len(first)} exactly as expected at the"
        f" first attempt; faulty statement among the first 1, 5, 10: {[*among.values()]};"
        f" median {median(each.seconds for each in results):.1f} s,"
        f" {median(each.tried for each in results):.0f} candidates"
    )


def attempt(name: str, jobs: int, keep: Path | None) -> Result:
    """Let the command line diagnose and heal a copy of a project."""
    expected = (FIXTURES / name / "expected.diff").read_text()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / name
        shutil.copytree(FIXTURES / name / "project", root)
        for command in (["init", "-q"], ["add", "-A"], [*_AUTHOR, "commit", "-qm", "broken"]):
            subprocess.run(["git", *command], cwd=root, check=True)
        state = Path(folder) / "state"
        seen = _json(["diagnose", "--json"], root, state)
        report = _json(["run", "--json", "--jobs", str(jobs)], root, state)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{name}.json").write_text(json.dumps(report, indent=1))
    patch = report["patches"][0] if report["patches"] else {}
    return Result(
        name=name,
        status=report["final_status"],
        exact=_changes(report["diff"]) == _changes(expected),
        attempts=report["attempts"],
        tried=report["tried"],
        rank=_rank(seen["suspects"], expected),
        seconds=report["timings"]["total"],
        codemod=f"{patch['codemod']}/{patch['variant']}" if patch else report["message"][:60],
        confidence=patch.get("confidence", ""),
        rivals=len(report["alternatives"]),
        held_out=json.loads((FIXTURES / name / "expect.json").read_text()).get("set") == "held-out",
    )


_AUTHOR = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]


def _json(command: list[str], root: Path, state: Path) -> Any:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    env["SELFDEBUG_STATE_DIR"] = str(state)
    ran = subprocess.run(
        [sys.executable, "-m", "selfdebug", *command],
        cwd=root,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    return json.loads(ran.stdout)


def _changes(diff: str) -> list[str]:
    lines = (line for line in diff.splitlines() if not line.startswith(("+++", "---")))
    return [line for line in lines if line[:1] in ("+", "-")]


def _rank(suspects: list[dict[str, Any]], expected: str) -> int:
    """Return how many suspects one has to look at to see one that the right diff changes."""
    faulty = {*_faulty(expected)}
    for rank, each in enumerate(suspects, 1):
        lines = range(each["line"], each["end_line"] + 1)
        if any((each["file"], line) in faulty for line in lines):
            return rank
    return 0


def _faulty(diff: str) -> Iterator[tuple[str, int]]:
    """Yield the old lines that a diff takes away, or between which it inserts."""
    file, line = "", 0
    for text in diff.splitlines():
        if text.startswith("--- "):
            file = text[4:].removeprefix("a/").partition("\t")[0]
        elif found := _HUNK.match(text):
            line = int(found[1])
        elif text.startswith("-"):
            yield file, line
            line += 1
        elif text.startswith("+") and not text.startswith("+++"):
            yield from ((file, line - 1), (file, line))
        elif text.startswith(" ") or not text:
            line += 1


if __name__ == "__main__":
    main()
