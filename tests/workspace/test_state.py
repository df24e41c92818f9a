"""The lock, the private folders, the journal."""

from __future__ import annotations

import ast
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import selfdebug.workspace
from selfdebug.workspace import history, journal, prune, state
from selfdebug.workspace.errors import Damaged, Locked, Unsafe
from selfdebug.workspace.recovery import recover
from selfdebug.workspace.session import open_run
from tests.workspace.tree import contents, edit


def test_one_run_at_a_time_on_a_tree_by_any_of_its_names(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    with open_run(root):
        for name in (root, tmp_path / "alias", root / "shop/.."):
            with pytest.raises(Locked, match=f"process {os.getpid()}"), open_run(name):
                pass
        with pytest.raises(Locked):
            recover(root)
    with open_run(root):
        pass


def test_the_lock_of_a_killed_process_is_free(root: Path) -> None:
    code = "import os, pathlib, sys\nfrom selfdebug.workspace.session import open_run\n"
    code += "with open_run(pathlib.Path(sys.argv[1])): print('open', flush=True); input()"
    command = [sys.executable, "-c", code, str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"open\n"
        with pytest.raises(Locked, match=f"process {process.pid}"), open_run(root):
            pass
        process.kill()
    with open_run(root):
        pass


def test_two_trees_do_not_wait_for_each_other(root: Path) -> None:
    with open_run(root), open_run(root / "shop"):
        pass


def test_nothing_of_ours_is_ever_in_the_tree(
    root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not even where the home and the temporary folder are in it."""
    monkeypatch.delenv("SELFDEBUG_STATE_DIR")
    monkeypatch.setenv("XDG_STATE_HOME", str(root / "empty"))
    before = contents(root)
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
    assert contents(root) == before
    assert run.folder.is_relative_to(tmp_path / "temporary")

    monkeypatch.setattr(tempfile, "tempdir", str(root / "empty"))
    with pytest.raises(Unsafe, match="SELFDEBUG_STATE_DIR"), open_run(root):
        pass
    monkeypatch.setenv("SELFDEBUG_STATE_DIR", str(tmp_path / "state"))
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
    assert contents(root) == before
    assert run.recovery().backups[0].is_relative_to(tmp_path / "state")


def test_records_go_to_the_temporary_folder_where_home_cannot_be_written(
    root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.delenv("SELFDEBUG_STATE_DIR")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
        run.keep()
    assert run.folder.is_relative_to(tmp_path / "temporary" / "agent-self-debugger-loop")
    assert history.load(root).run_id == run.run_id


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another user's files")
@pytest.mark.parametrize("planted", ["folder", "link"])
def test_a_folder_planted_by_another_user_is_not_used(
    root: Path, tmp_path: Path, planted: str
) -> None:
    folder, trap = tmp_path / "temporary/agent-self-debugger-loop", tmp_path / "trap"
    trap.mkdir()
    if planted == "folder":
        folder.mkdir()
    else:
        folder.symlink_to(trap)
    os.lchown(folder, 1234, 1234)
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
    assert list(trap.iterdir()) == []
    assert list(folder.iterdir()) == []
    assert run.recovery().backups[0].is_relative_to(tmp_path / "state")

    with pytest.raises(Unsafe, match="belongs to another user"), open_run(root, folder) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])


def test_a_link_in_place_of_a_backup_is_not_followed(root: Path, tmp_path: Path) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "backups"
    victim.write_bytes(b"precious")
    folder.mkdir()
    now = 1_700_000_000
    for second in range(now, now + 3):
        (folder / f"run.py.{second}.bak").symlink_to(victim)
    with pytest.MonkeyPatch.context() as clock, open_run(root, folder) as run:
        clock.setattr("time.time", lambda: float(now))
        run.apply([edit(root / "run.py", b"1", b"2")])
    assert victim.read_bytes() == b"precious"
    assert run.recovery().backups == (folder / f"run.py.{now + 3}.bak",)


def test_private_makes_parents_for_the_user_alone(tmp_path: Path) -> None:
    state.private(tmp_path / "a/b")
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b")] == [0o700] * 2


@pytest.mark.parametrize("cut", range(1, 30, 4))
def test_a_torn_last_line_is_as_if_it_had_not_been_written(tmp_path: Path, cut: int) -> None:
    with journal.start(tmp_path, run="r", root="/r", time=0.0) as file:
        journal.append(file, "write", files={})
    path = tmp_path / journal.NAME
    path.write_bytes(path.read_bytes()[:-cut])
    (begin,) = journal.read(tmp_path)
    assert begin["do"] == "begin"

    with journal.resume(tmp_path) as file:
        journal.append(file, "end", state="recovered", files={})
    assert [entry["do"] for entry in journal.read(tmp_path)] == ["begin", "end"]


def test_a_damaged_journal_stops_everything_and_says_where_it_is(root: Path) -> None:
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
    path = run.folder / journal.NAME
    damaged = path.read_bytes().replace(b'{"do": "write"', b'{"do: "write"')
    path.write_bytes(damaged)
    with pytest.raises(Damaged, match=str(path)):
        history.load(root)
    with open_run(root):
        pass  # it has ended: whatever it wrote was taken back
    path.write_bytes(damaged[: damaged.index(b'{"do": "end"')])
    with pytest.raises(Damaged, match=str(path)), open_run(root):
        pass


def test_old_runs_are_pruned_but_not_the_latest(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = []
    for day in (0, 1, 40, 41):
        monkeypatch.setattr("time.time", lambda day=day: 1_700_000_000.0 + day * 24 * 3600)
        with open_run(root) as run:
            run.apply([edit(root / "run.py", b"1", b"2")])
        ids.append(run.run_id)
    assert [record.run_id for record in history.runs(root)] == ids[2:]
    monkeypatch.setattr(prune, "MOST_BYTES", 1)
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
    assert [record.run_id for record in history.runs(root)] == [run.run_id]


@pytest.mark.parametrize("spoiled", [None, b"", b"[]", b'{"a": 1}', b'{"a": [1, "b", {}]}'])
def test_runs_that_ended_are_not_read_again(
    root: Path, monkeypatch: pytest.MonkeyPatch, spoiled: bytes | None
) -> None:
    read: list[str] = []
    outline = journal.outline

    def noted(folder: Path) -> tuple[journal.Entry, ...]:
        read.append(folder.name)
        return outline(folder)

    monkeypatch.setattr(journal, "outline", noted)
    for _ in range(4):
        for note in (root.parent / "state").rglob("ended.json"):
            note.write_bytes(note.read_bytes() if spoiled is None else spoiled)
        read.clear()
        with open_run(root) as run:
            run.apply([edit(root / "run.py", b"1", b"2")])
    ids = [record.run_id for record in history.runs(root)]
    assert (len(ids), ids[-1]) == (4, run.run_id)
    again = ids[:3] if spoiled is not None else []
    assert sorted(read) == sorted([*again, *again, run.run_id])  # as it begins, and as it ends


def test_the_disk_is_changed_through_one_module_only() -> None:
    """So that the crash model sees every change. Lock and scratch folder are no part of the story."""
    found = [
        f"{path.name}:{node.lineno} {ast.unparse(node.func)}"
        for path in sorted(Path(selfdebug.workspace.__file__).parent.glob("*.py"))
        if path.name not in {"disk.py", "lock.py", "scratch.py"}
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call) and _changes_the_disk(ast.unparse(node.func))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("call", "changes"),
    [
        ("os.replace", True),
        ("path.unlink", True),
        ("target.parent.mkdir", True),
        ("open", True),
        ("subprocess.run", True),
        ("disk.unlink", False),
        ("git.run", False),
        ("text.replace", False),
        ("os.open", True),
    ],
)
def test_a_change_to_the_disk_is_seen(call: str, changes: bool) -> None:
    assert _changes_the_disk(call) == changes


def _changes_the_disk(call: str) -> bool:
    """Whether a call may change the disk, by its name alone; ``replace`` may be that of a string."""
    owner, _, name = call.rpartition(".")
    if owner == "disk" or (name == "replace" and owner not in {"os", "path", "temporary"}):
        return False
    return name in _CHANGING or call in {"open", "os.open"} or owner == "subprocess"


_CHANGING = {
    *(
        "chmod",
        "chown",
        "copy_metadata",
        "fsync",
        "link",
        "makedirs",
        "mkdir",
        "remove",
        "removedirs",
    ),
    *("rename", "replace", "rmdir", "setxattr", "symlink", "symlink_to", "touch", "truncate"),
    *("unlink", "utime", "write_bytes", "write_text", "rmtree", "Popen", "hardlink_to"),
}
