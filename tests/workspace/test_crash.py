"""Killed at any change to the disk, with any of the unsynced lost: before, or kept, and nothing else."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from selfdebug.planning.probing import probe_edits
from selfdebug.syntax.source import apply
from selfdebug.validation.overlay import overlay
from selfdebug.workspace import disk
from selfdebug.workspace.backups import digest
from selfdebug.workspace.errors import Unfinished, WorkspaceError
from selfdebug.workspace.history import runs, unfinished
from selfdebug.workspace.recovery import recover, revert_kept
from selfdebug.workspace.scratch import scratch
from selfdebug.workspace.session import open_run
from tests.workspace.crash import LOST, Lost, Place, points
from tests.workspace.tree import Contents, contents, edit

Story = Callable[[Path], None]
KilledAt = Callable[..., Iterator[int]]
FOLDERS = ("tree", "state", "temporary")
# A kill alone, and one with all unsynced lost, come at each change; with a half lost, and where git is
# asked after each, at each third. ``make crash`` has them all at each.
THIRD = 1 if "SELFDEBUG_EACH_CHANGE" in os.environ else 3
STEPS: dict[Lost, int] = {lost: 1 if lost in ("nothing", "all") else THIRD for lost in LOST}


@pytest.fixture(autouse=True)
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine has its own idea of what is synced; the real disk need not be waited for."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def killed_at(record_property: Callable[[str, object], None]) -> KilledAt:
    """As ``points``, counted for the end of the test run, where their number is printed."""

    def counted(
        story: Callable[[], object], prepare: Callable[[], object], lost: Lost, step: int = 0
    ) -> Iterator[int]:
        for at in points(story, prepare, lost, step=step or STEPS[lost]):
            record_property("crash points", 1)
            yield at

    return counted


@pytest.fixture
def no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))


def keeps(root: Path) -> None:
    with open_run(root) as run:
        one = edit(root / "run.py", b"1", b"one or two")
        run.apply([one, edit(root / "shop/cart.py", b"1", b"2")])
        run.keep({"final_status": "pass"})


def keeps_what_it_expected(root: Path) -> None:
    """As the loop does: what comes before an edit is done while candidates are tried."""
    with open_run(root) as run:
        run.prepare([root / "run.py"])
        run.prepare([root / "run.py", root / "shop/cart.py"])
        run.apply([edit(root / "run.py", b"1", b"one or two")])
        run.keep({"final_status": "pass"})


def expects_in_vain(root: Path) -> None:
    with open_run(root) as run:
        run.prepare([root / "run.py"])
        run.rollback()
        run.record({"final_status": "fail"})


def keeps_the_second_try(root: Path) -> None:
    with open_run(root) as run:
        run.revert(run.apply([edit(root / "run.py", b"1", b"2")]))
        run.apply([edit(root / "run.py", b"1", b"3")])
        run.keep({"final_status": "pass"})


def rolls_back(root: Path) -> None:
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2"), edit(root / "shop/cart.py", b"1", b"2")])
        run.apply([edit(root / "run.py", b"2", b"3")])
        run.rollback()


def fails(root: Path) -> None:
    with suppress(ZeroDivisionError), open_run(root) as run:
        run.apply([edit(root / "shop/cart.py", b"1", b"2")])
        raise ZeroDivisionError


def undoes_a_kept_patch(root: Path) -> None:
    revert_kept(root)


class Stage:
    """A tree with its records, to be set up again and again as they are now."""

    def __init__(self, root: Path, name: str):
        self.root, self.saved, self.start = root, root.parent / name, contents(root)
        shutil.rmtree(self.saved, ignore_errors=True)
        for folder in FOLDERS:
            shutil.copytree(root.parent / folder, self.saved / folder, symlinks=True)

    def reset(self) -> None:
        for folder in FOLDERS:
            shutil.rmtree(self.root.parent / folder)
            shutil.copytree(self.saved / folder, self.root.parent / folder, symlinks=True)

    def end(self, story: Story) -> Contents:
        story(self.root)
        end = contents(self.root)
        self.reset()
        return end


def assert_recovered(root: Path, start: Contents, end: Contents, where: str) -> None:
    """What the next command meets is a finished run, or one that it sends to ``recover``."""
    try:
        with open_run(root):
            assert contents(root) in (start, end), f"{where}: a third state, and no word of it"
    except Unfinished:
        recover(root)
    assert contents(root) in (start, end), f"{where}: a third state"
    if contents(root) == end != start:
        assert runs(root)[-1].state == "kept", f"{where}: kept without a word"
    for name, (_, after) in runs(root)[-1].files.items() if runs(root) else ():
        assert digest((root / name).read_bytes()) == after, f"{where}: what was kept is lost"
    for path, held in backed_up(root):
        assert path.exists(), f"{where}: a backup that the journal names is lost"
        assert digest(path.read_bytes()) == held, f"{where}: a backup holds something else"
    assert recover(root).runs == ()
    with open_run(root):
        pass


def backed_up(root: Path) -> Iterator[tuple[Path, str]]:
    for record in runs(root):
        for entry in record.entries:
            for file in entry["files"].values() if entry["do"] == "write" else ():
                yield Path(file["backup"]), file["before"]
                yield record.folder / "blobs" / file["before"], file["before"]


@pytest.mark.usefixtures("no_git")
@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("story", [keeps_what_it_expected, keeps_the_second_try, rolls_back, fails])
def test_killed_anywhere_the_tree_is_as_before_or_as_kept(
    root: Path, story: Story, lost: Lost, killed_at: KilledAt
) -> None:
    stage = Stage(root, "saved")
    end = stage.end(story)

    seen = []
    for at in killed_at(lambda: story(root), stage.reset, lost):
        assert_recovered(root, stage.start, end, f"killed at change {at}, lost {lost}")
        seen.append(contents(root))

    assert len(seen) > 20 // STEPS[lost]
    assert stage.start in seen


@pytest.mark.usefixtures("no_git")
@pytest.mark.parametrize("lost", LOST)
def test_killed_while_undoing_a_kept_patch(root: Path, lost: Lost, killed_at: KilledAt) -> None:
    keeps(root)
    stage = Stage(root, "saved")
    end = stage.end(undoes_a_kept_patch)
    assert end != stage.start

    for at in killed_at(lambda: undoes_a_kept_patch(root), stage.reset, lost):
        assert_recovered(root, stage.start, end, f"killed at change {at}, lost {lost}")


@pytest.mark.usefixtures("no_git")
@pytest.mark.parametrize(
    ("story", "lost"), [(keeps, "nothing"), (keeps, "all"), (rolls_back, "all")]
)
def test_recover_may_be_killed_too(
    root: Path, story: Story, lost: Lost, killed_at: KilledAt
) -> None:
    stage, count, met = Stage(root, "saved"), 0, [contents(root)]
    for at in killed_at(lambda: story(root), stage.reset, lost):
        if contents(root) in met or not unfinished(root):
            continue
        met.append(contents(root))
        broken = Stage(root, "broken")
        for second in killed_at(lambda: recover(root), broken.reset, lost):
            where = f"killed at change {at}, recover at {second}, lost {lost}"
            assert_recovered(root, stage.start, stage.start, where)
            count += 1
    assert count > 20


def probes(root: Path) -> None:
    """As the loop does: probes in a copy first, then a patch in place."""
    with scratch() as folder, open_run(root) as run:
        path = root / "run.py"
        probed = apply(path.read_bytes(), probe_edits(path, [2]))
        with overlay(root, {path: probed}, folder) as copy:
            assert (copy / "run.py").read_bytes() == probed != path.read_bytes()
        run.apply([edit(path, b"1", b"2")])
        run.keep({"final_status": "pass"})


@pytest.mark.usefixtures("no_git")
@pytest.mark.parametrize("lost", ["nothing", "all"])
def test_killed_in_a_run_with_probes(
    root: Path, lost: Lost, killed_at: KilledAt, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever is killed does not remove its temporary folders.
    monkeypatch.setattr(tempfile.TemporaryDirectory, "cleanup", lambda _: None)
    monkeypatch.setattr(tempfile.TemporaryDirectory, "_cleanup", lambda *_, **__: None)
    stage = Stage(root, "saved")
    end = stage.end(probes)
    temporary = root.parent / "temporary"
    left = 0
    for at in killed_at(lambda: probes(root), stage.reset, lost):
        for folder in temporary.glob("selfdebug-*"):
            left += 1
            os.utime(
                folder, (0, 0)
            )  # one that was killed at its very beginning is known by its age
        recover(root)
        assert [*temporary.glob("selfdebug-*")] == []
        assert_recovered(root, stage.start, end, f"killed at change {at}, lost {lost}")
    assert left > 20


def rejects(root: Path) -> None:
    with open_run(root) as run:
        first = run.apply([edit(root / "run.py", b"1", b"2")])
        assert run.reject(first, "no")


@pytest.mark.parametrize("story", [rejects, keeps_what_it_expected, expects_in_vain])
def test_killed_in_a_git_repository(root: Path, story: Story, killed_at: KilledAt) -> None:
    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout

    def seen() -> tuple[str, bytes, str]:
        status = git("--no-optional-locks", "status", "--porcelain=v2", "--ignored")
        refs = [line for line in git("for-each-ref").splitlines() if "refs/selfdebug/" not in line]
        index = (root / ".git/index").read_bytes()
        return status, index, "".join(refs)

    git("init", "-q")
    git("add", "run.py")
    git("commit", "-qm", "first")
    git("add", "-N", "shop/cart.py")
    stage = Stage(root, "saved")
    before, end = seen(), stage.end(story)
    for at in killed_at(lambda: story(root), stage.reset, "all", THIRD):
        assert_recovered(root, stage.start, end, f"killed at change {at}")
        assert seen()[1:] == before[1:]
        assert contents(root) != stage.start or seen() == before
        assert [*(root / ".git").rglob("*.lock")] == []
    assert git("fsck", "--full", "--no-dangling") == ""


STORIES: tuple[Story, ...] = (keeps, rolls_back)
SYNCED = sorted(
    (path.name, node.lineno)
    for path in Path(disk.__file__).parent.glob("*.py")
    for node in ast.walk(ast.parse(path.read_bytes()))
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("disk.fsync", "disk.fsync_dir")
)


@pytest.mark.usefixtures("no_git")
@pytest.mark.parametrize("place", SYNCED, ids=lambda place: ":".join(map(str, place)))
def test_each_sync_is_needed(root: Path, place: Place) -> None:
    """Without any one of them some kill loses something, so none can go unnoticed."""
    stage = Stage(root, "saved")
    for story in STORIES:
        end = stage.end(story)
        for lost in ("bytes", "names", "all"):
            for at in points(partial(story, root), stage.reset, lost, place):
                if not is_recovered(root, stage.start, end, f"killed at change {at}"):
                    return
            stage.reset()
    pytest.fail("no kill shows that it is missing")


def is_recovered(root: Path, start: Contents, end: Contents, where: str) -> bool:
    try:
        assert_recovered(root, start, end, where)
    except (AssertionError, OSError, WorkspaceError):
        return False
    return True


def _rename_without_sync(path: Path, _: bytes, after: bytes, temporary: Path, __: int) -> None:
    with disk.create(temporary) as file:
        disk.write(file, after)
        disk.copy_metadata(path, temporary)
    disk.replace(temporary, path)
    disk.fsync_dir(path.parent)


def _rename_before_write(path: Path, _: bytes, after: bytes, temporary: Path, __: int) -> None:
    with disk.create(temporary) as file:
        disk.copy_metadata(path, temporary)
        disk.fsync(file)
    disk.replace(temporary, path)
    disk.fsync_dir(path.parent)
    with FileIO(str(path), "r+") as file:
        disk.write(file, after)
        disk.fsync(file)


def _write_in_place(path: Path, _: bytes, after: bytes, __: Path, ___: int) -> None:
    with FileIO(str(path), "r+") as file:
        disk.truncate(file, 0)
        disk.write(file, after)
        disk.fsync(file)


def _append_without_sync(file: FileIO, do: str, **fields: Any) -> None:
    disk.write(file, json.dumps({"do": do, **fields}).encode() + b"\n")


def _append_all_but_writes(file: FileIO, do: str, **fields: Any) -> None:
    if do != "write":
        _append_without_sync(file, do, **fields)
        disk.fsync(file)


@pytest.mark.usefixtures("no_git")
@pytest.mark.parametrize(
    ("function", "broken", "lost"),
    [
        ("atomic.overwrite", _rename_without_sync, "bytes"),
        ("atomic.overwrite", _rename_before_write, "nothing"),
        ("atomic.overwrite", _write_in_place, "nothing"),
        ("journal.append", _append_without_sync, "bytes"),
        ("journal.append", _append_all_but_writes, "nothing"),
    ],
)
def test_the_model_notices_a_missing_sync_and_a_wrong_order(
    root: Path, monkeypatch: pytest.MonkeyPatch, function: str, broken: object, lost: Lost
) -> None:
    stage = Stage(root, "saved")
    end = stage.end(keeps)
    monkeypatch.setattr(f"selfdebug.workspace.{function}", broken)

    def check() -> None:
        for at in points(lambda: keeps(root), stage.reset, lost):
            assert_recovered(root, stage.start, end, f"killed at change {at}")

    with pytest.raises(AssertionError, match="a third state"):
        check()
