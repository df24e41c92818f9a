"""Write ``docs/reports.md``: what selfdebug reports of bundled broken projects: ``make reports``.

Run numbers and folders are left out, so that a report changes only when what it says does.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FIXTURES = Path(__file__).parents[1] / "fixtures"
PAGE = Path(__file__).parents[1] / "docs/reports.md"
CRASHES = (
    *("arcade_scores", "flight_search", "seat_map", "webhooks", "theatre_tickets"),
    *("access_log", "exam_grades", "bike_computer", "chat_rooms", "todo_tags"),
)
WRONG = tuple(
    f"wrong/{name}"
    for name in (
        *("access-log-report", "bill-splitting", "election-count", "env-files", "leave-days"),
        *("page-slugs", "parking-fees", "release-feed", "text-columns", "trip-computer"),
    )
)
RIVALS = tuple(
    f"rivals/{name}"
    for name in (
        *("app-settings", "cart-discount", "corner-shop", "exam-average", "holiday-deposit"),
        *("page-count", "parcel-price"),
    )
)
HEAD = """\
# What selfdebug reports

Written by `make reports`, which heals copies of bundled broken projects: `--format markdown`, as it
stands. First ten crashes, of which five are repaired at their cause and five are guarded or get a
default, and say so. Then ten wrong results, and seven more whose tests leave room for rivals that
disagree. *Other patches under which the tests pass* come with a call to which they answer differently,
where one was found: that is what a reviewer has to decide.
"""


def main(names: list[str] | None = None) -> None:
    """Write the page, or print the reports of the projects that are named."""
    if names:
        print("\n".join(map(report, names)))
        return
    reports = []
    for name in (*CRASHES, *WRONG, *RIVALS):
        print(name, flush=True)
        reports.append(report(name))
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text("\n".join((HEAD, *reports)), encoding="utf-8")


def report(name: str) -> str:
    """Heal a copy of a project and return what is reported of it, under its name."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / Path(name).name
        shutil.copytree(FIXTURES / name / "project", root)
        command = [sys.executable, "-m", "selfdebug", "run", "--format", "markdown"]
        env = {**os.environ, "SELFDEBUG_STATE_DIR": str(Path(folder, "state"))}
        done = subprocess.run(
            command, cwd=root, env=env, capture_output=True, text=True, check=False, timeout=900
        )
        text = done.stdout.replace(str(root), root.name)
    text = re.sub(r"^- Undo: .*\n", "", text, flags=re.MULTILINE).replace("\r", "")
    text = re.sub(r"^(#+) ", r"#\1 ", text, flags=re.MULTILINE)
    return f"## fixtures/{name}\n\n{text}"


if __name__ == "__main__":
    main(sys.argv[1:])
