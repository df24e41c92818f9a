"""The real command line, killed with SIGKILL at random instants: nothing of the user's may be lost.

    python -m benchmarks.chaos [KILLS [SEED]]

Each time a bundled project lies in a repository with staged, unstaged, untracked, ignored and stashed
work; a command starts on it, its process group is killed, and ``recover`` is run. Then the tree must
be exactly as before or exactly as the undisturbed command leaves it (bytes, modes, index, stash list,
refs, untracked files), and no process, lock or temporary file may be left. Exit status 1 where one is.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.end_to_end.project import Project

FIXTURES = Path(__file__).parents[1] / "fixtures"
PATIENCE = 20.0  # seconds that what a killed command has started may go on


@dataclass(frozen=True)
class Story:
    """A command on a bundled project, as it goes undisturbed. ``states`` are the trees it may leave."""

    command: tuple[str, ...]
    saved: Project
    seconds: float
    states: tuple[dict[str, object], ...]


def place(name: str) -> str:
    expected = json.loads((FIXTURES / name / "expect.json").read_text("utf-8"))
    return f"{expected['file']}:{expected['line']}"


def story(folder: Path, name: str, command: tuple[str, ...], *, healed: bool = False) -> Story:
    saved = Project(folder / "project", folder / "home")
    shutil.copytree(FIXTURES / name / "project", saved.root)
    busy(saved)
    if healed:
        assert saved.run("run").code == 0
    with copied(saved) as undisturbed:
        before, began = undisturbed.photograph(), time.monotonic()
        undisturbed.run(*command)
        seconds = time.monotonic() - began
        return Story(command, saved, seconds, (before, undisturbed.photograph()))


STORIES: Mapping[str, Callable[[Path], Story]] = {
    "keeps": partial(story, name="turnstile", command=("run",)),
    "rolls-back": partial(story, name="currency_exchange", command=("run", "--max-attempts=2")),
    "dry": partial(story, name="price_list", command=("run", "--dry-run")),
    "probes": partial(story, name="shop_orders", command=("probe", place("shop_orders"))),
    "reverts": partial(story, name="permissions", command=("revert",), healed=True),
}


def busy(project: Project) -> None:
    """Give a project all the kinds of work that a user may have under way."""
    project.write({"notes.txt": "one\n", "staged.txt": "one\n", ".gitignore": "ignored.txt\n"})
    project.commit()
    project.write({"notes.txt": "stashed\n"}).git("stash", "--quiet")
    project.write({"staged.txt": "staged\n"}).git("add", "staged.txt")
    project.write({"notes.txt": "unstaged\n", "untracked.sh": "x\n", "ignored.txt": "x\n"})
    (project.root / "untracked.sh").chmod(0o750)


class copied:  # noqa: N801 - reads as a function
    """A copy of a project and what selfdebug keeps of it, at a path that is always the same."""

    def __init__(self, saved: Project):
        self.folder = saved.root.parent.with_name(f"{saved.root.parent.name}-copy")
        self.saved = saved

    def __enter__(self) -> Project:
        """Lay the copy where the original was, since records are found by the path of their tree."""
        self.saved.root.parent.rename(self.folder)
        shutil.copytree(self.folder, self.saved.root.parent, symlinks=True)
        return self.saved

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.saved.root.parent, ignore_errors=True)
        self.folder.rename(self.saved.root.parent)


def killed(one: Story, after: float) -> tuple[str, list[str]]:
    """Kill a story after so many seconds; return how far it was, and all that is wrong then."""
    with copied(one.saved) as project:
        process = project.start(*one.command)
        time.sleep(after)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        wrong = [f"still running: {name}" for name in outlived(project)]
        first, second = project.run("recover"), project.run("recover")
        if (first.code, second.code) != (0, 0):
            wrong.append(f"recover says {first.code}, {second.code}: {first.err}{second.err}")
        if "nothing" not in second.out:
            wrong.append("there was something left to recover after recover")
        seen = project.photograph()
        if seen not in one.states:
            wrong.append(f"a third state: {difference(seen, one.states)}")
        wrong += [f"left behind: {path}" for path in leftovers(project)]
        return ended(process.returncode, first.out, unchanged=seen == one.states[0]), wrong


def ended(code: int, out: str, *, unchanged: bool) -> str:
    if code != -signal.SIGKILL:
        return "ended before the kill"
    if "restored" in out or "nothing" not in out:
        return "edits taken back by recover"
    return "no edits in place" if unchanged else "edits kept"


def outlived(project: Project) -> list[str]:
    """The processes with the project's home in their environment that do not end in good time."""
    deadline = time.monotonic() + PATIENCE
    while (found := [*children(project)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def children(project: Project) -> Iterator[str]:
    mark = os.fsencode(project.home)
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (process / "environ").read_bytes():
                yield (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()


def leftovers(project: Project) -> Iterator[Path]:
    """Temporary files; the byte backups stay, and are pruned."""
    yield from (
        path for path in project.temporary.iterdir() if path.name != "agent-self-debugger-loop"
    )
    yield from (project.home / "state").rglob("index*")
    yield from project.root.rglob(".selfdebug-*")
    yield from (project.root / ".git").rglob("*.lock")


def difference(seen: dict[str, object], states: tuple[dict[str, object], ...]) -> str:
    return " or ".join(
        ", ".join(
            sorted(key for key in seen.keys() | state.keys() if seen.get(key) != state.get(key))
        )
        for state in states
    )


def main(kills: int = 500, seed: int = 1) -> int:
    """Kill so many times, the stories in turn; print what happened and all that is wrong."""
    choose, tally, bad = random.Random(seed), Counter[str](), 0
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        every = [make(Path(folder).resolve() / name) for name, make in STORIES.items()]
        for number in range(kills):
            one = every[number % len(every)]
            after = choose.uniform(0, one.seconds)
            how, wrong = killed(one, after)
            tally[f"{' '.join(one.command)}: {how}"] += 1
            bad += bool(wrong)
            for what in wrong:
                print(f"{' '.join(one.command)}, killed after {after:.3f} s: {what}", flush=True)
    for what, count in sorted(tally.items()):
        print(f"{count:6} {what}")
    print(f"{kills} kills, {bad} with anything wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
