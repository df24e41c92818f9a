"""Real bugs of real packages through the whole ``run``: ``make bench-repair``, ``make bench-releases``.

The cases are recreated by the set's own ``prepare.py`` from the package registry; SELFDEBUG_BENCH names
its folder. A manifest names packages, releases and hunks: that of the set, or ``releases.json``, made of
neighbouring releases of other packages: each hunk back makes tests fail that fail on the older release.
A patch under which all tests pass is plausible; whether it is right has been judged by a reader, whose
verdict in ``verdicts.json`` holds for the patch with that digest only. No source of a package is kept in
the project.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
SET = Path(os.environ.get("SELFDEBUG_BENCH", HERE.parents[1] / "shared/bench"))
WORK = Path(os.environ.get("SELFDEBUG_BENCH_WORK", HERE.parent / ".bench"))
VERDICTS = HERE / "verdicts.json"


@dataclass(frozen=True)
class Result:
    """What became of one case. ``verdict`` is a reader's, "" for a patch that none has read."""

    case: str
    status: str
    attempts: int
    kind: str
    confidence: str
    codemod: str
    seconds: float
    digest: str
    verdict: str
    why: str


def main(argv: list[str] | None = None) -> None:
    """Run the cases of a kind, or those that are named, and print a line for each and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--kind", default="crash", choices=["crash", "wrong-output", "all"])
    parser.add_argument("--manifest", type=Path, default=SET / "cases.json")
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args(argv)
    cases = chosen.cases or [
        case["id"]
        for case in json.loads(chosen.manifest.read_text())["cases"]
        if chosen.kind in (case["kind"], "all")
    ]
    WORK.mkdir(exist_ok=True)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        results = [*_told(pool.map(partial(attempt, manifest=chosen.manifest), cases))]
    print(summary(results))
    (WORK / f"{chosen.kind}.json").write_text(
        json.dumps([asdict(each) for each in results], indent=1)
    )


def _told(results: Iterator[Result]) -> Iterator[Result]:
    for each in results:
        patch = f"{each.codemod} {each.kind}/{each.confidence}" if each.digest else each.why
        verdict = each.verdict or "unread" if each.digest else ""
        print(
            f"{each.case:26} {each.status:10} {each.attempts} attempts {each.seconds:6.1f} s"
            f"  {verdict:10} {patch}",
            flush=True,
        )
        yield each


def summary(results: list[Result]) -> str:
    """Return the counts that a reader wants."""
    plausible = [each for each in results if each.digest]
    right = [each for each in plausible if each.verdict == "equivalent"]
    wrong = [each for each in plausible if each.verdict == "wrong"]
    first = [each for each in plausible if each.attempts == 1]
    took = median(each.seconds for each in results) if results else 0.0
    return (
        f"{len(results)} cases: {len(plausible)} plausible ({len(first)} at the first attempt),"
        f" {len(right)} equivalent, {len(wrong)} wrong"
        f" ({sum(each.confidence == 'high' for each in wrong)} of them with high confidence);"
        f" median {took:.1f} s"
    )


def attempt(case: str, manifest: Path) -> Result:
    """Recreate a case of a manifest, let the command line heal it, and put it back as it was."""
    folder = WORK / case
    if not folder.exists():
        prepare = [sys.executable, str(SET / "prepare.py"), case, str(folder), "--truth"]
        known = ["--cache", str(WORK / "cache"), "--manifest", str(manifest)]
        subprocess.run([*prepare, *known], check=True, capture_output=True, timeout=900)
    subprocess.run(["git", "-C", str(folder), "checkout", "-q", "."], check=True)
    python = str(WORK / f"{case}.venv/bin/python")
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    env["SELFDEBUG_STATE_DIR"] = str(WORK / "state")
    ran = subprocess.run(
        [sys.executable, "-m", "selfdebug", "run", "--json", "--dry-run", "--python", python],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )
    (WORK / f"{case}.err").write_text(ran.stderr)
    report: dict[str, Any] = json.loads(ran.stdout)
    (WORK / f"{case}.report.json").write_text(json.dumps(report, indent=1))
    (WORK / f"{case}.diff").write_text(report["diff"])
    return _result(case, report)


def _result(case: str, report: dict[str, Any]) -> Result:
    diff = report["diff"]
    digest = hashlib.sha256(diff.encode()).hexdigest()[:16] if diff else ""
    judged = json.loads(VERDICTS.read_text()).get(case, {}) if VERDICTS.exists() else {}
    patch = report["patches"][0] if report["patches"] else {}
    return Result(
        case,
        report["final_status"],
        report["attempts"],
        patch.get("kind", ""),
        patch.get("confidence", ""),
        " + ".join(f"{each['codemod']} ({each['variant']})" for each in report["patches"]),
        report["timings"].get("total", 0.0),
        digest,
        judged.get(digest, {}).get("verdict", ""),
        report["message"],
    )


if __name__ == "__main__":
    main()
