"""A command's temporary folder goes with it, and with the next command where it was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from selfdebug.workspace.scratch import PREFIX, scratch, sweep

HELD = (
    "from selfdebug.workspace.scratch import scratch\nwith scratch() as made: print(made); input()"
)


def temporary() -> Path:
    return Path(tempfile.gettempdir())


def started() -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", HELD],
        env={
            **os.environ,
            "TMPDIR": str(temporary()),
            "PYTHONPATH": str(Path(__file__).parents[2]),
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_it_is_private_and_goes_with_the_command() -> None:
    with scratch() as made:
        assert made.stat().st_mode & 0o777 == 0o700
        (made / "folder").mkdir()
        (made / "folder" / "file").write_text("x")
    assert [*temporary().iterdir()] == []


def test_that_of_a_killed_command_goes_with_the_next_and_that_of_a_living_one_stays() -> None:
    (dead, its), (alive, other) = started(), started()
    (its / "folder").mkdir()
    (its / "folder" / "file").write_text("x")
    dead.send_signal(signal.SIGKILL)
    dead.communicate()
    sweep()
    assert [*temporary().iterdir()] == [other]
    alive.communicate("\n")
    assert [*temporary().iterdir()] == []


def test_that_of_a_command_killed_as_it_began_goes_once_it_is_old() -> None:
    young, old, kept = (temporary() / f"{PREFIX}{name}" for name in ("young", "old", "kept"))
    for folder in (young, old, kept):
        folder.mkdir()
        (folder / ("notes" if folder == kept else "starting")).touch()
    for folder in (old, kept):
        os.utime(folder, (0, 0))
    sweep()
    assert {*temporary().iterdir()} == {young, kept}


@pytest.mark.parametrize("planted", ["folder", "link"])
def test_what_is_not_ours_is_left_alone(planted: str, tmp_path: Path) -> None:
    target = tmp_path / "target"
    (target if planted == "link" else temporary() / f"{PREFIX}x").mkdir()
    if planted == "link":
        (temporary() / f"{PREFIX}x").symlink_to(target)
        (target / "alive").touch()
    sweep()
    assert (temporary() / f"{PREFIX}x").exists()
    assert planted != "link" or (target / "alive").exists()
