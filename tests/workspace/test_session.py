"""Edits and the way back: bytes, modes, conflicts, records."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfdebug.model import Edit
from selfdebug.workspace import atomic, disk, history
from selfdebug.workspace.errors import Changed, Refused, Unfinished, Unwritable, WorkspaceError
from selfdebug.workspace.recovery import recover, revert_kept
from selfdebug.workspace.session import open_run
from tests.workspace.crash import CHANGES
from tests.workspace.tree import contents, edit


def test_an_edit_changes_its_bytes_and_nothing_else(root: Path) -> None:
    before = contents(root)
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
        run.keep()
    expected = dict(before) | {"run.py": (b"#!/usr/bin/env python\r\nx = 2\r\n", 0o755)}
    assert contents(root) == expected


def test_edits_of_one_file_and_of_several_are_made_together(root: Path) -> None:
    cart = root / "shop/cart.py"
    with open_run(root) as run:
        edits = [
            edit(cart, b"1", b"22"),
            edit(cart, b"total", b"t"),
            edit(root / "run.py", b"x", b"y"),
        ]
        run.apply(edits)
        run.keep()
    assert cart.read_bytes() == b"t = 22\n"
    assert (root / "run.py").read_bytes() == b"#!/usr/bin/env python\r\ny = 1\r\n"


def test_a_path_may_be_relative_to_the_root(root: Path) -> None:
    with open_run(root) as run:
        run.apply([Edit(Path("shop/cart.py"), 8, 9, b"1", b"2")])
        run.keep()
    assert (root / "shop/cart.py").read_bytes() == b"total = 2\n"


def test_what_is_not_kept_is_rolled_back_at_the_end(root: Path) -> None:
    before = contents(root)
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
    assert contents(root) == before
    assert history.load(root).state == "rolled-back"


def test_an_interrupt_rolls_back(root: Path) -> None:
    before = contents(root)
    with pytest.raises(KeyboardInterrupt), open_run(root) as run:  # noqa: PT012
        run.apply([edit(root / "run.py", b"1", b"2")])
        signal.raise_signal(signal.SIGINT)
    assert contents(root) == before


def test_a_second_interrupt_waits_for_the_rollback(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, replace = contents(root), disk.replace

    def interrupted(source: Path, target: Path) -> None:
        signal.raise_signal(signal.SIGINT)
        replace(source, target)

    with pytest.raises(KeyboardInterrupt), open_run(root) as run:  # noqa: PT012
        run.apply([edit(root / "run.py", b"1", b"2"), edit(root / "shop/cart.py", b"1", b"2")])
        monkeypatch.setattr(disk, "replace", interrupted)
        run.rollback()
    assert contents(root) == before
    assert history.load(root).state == "rolled-back"


def test_reverting_one_edit_leaves_those_before_it(root: Path) -> None:
    cart = root / "shop/cart.py"
    with open_run(root) as run:
        run.apply([edit(cart, b"1", b"2")])
        second = run.apply([edit(cart, b"2", b"3"), edit(root / "run.py", b"1", b"3")])
        assert run.revert(second) == ()
        assert cart.read_bytes() == b"total = 2\n"
        assert run.rollback() == ()
    assert cart.read_bytes() == b"total = 1\n"


def test_a_file_changed_by_the_user_is_left_alone_and_reported(root: Path) -> None:
    cart = root / "shop/cart.py"
    with open_run(root) as run:
        run.apply([edit(cart, b"1", b"2"), edit(root / "run.py", b"1", b"2")])
        cart.write_bytes(b"total = 2  # mine\n")
        (conflict,) = run.rollback()
    assert cart.read_bytes() == b"total = 2  # mine\n"
    assert (root / "run.py").read_bytes().endswith(b"x = 1\r\n")
    assert (conflict.path, conflict.backup.read_bytes()) == (cart, b"total = 1\n")
    assert str(conflict.backup) in str(conflict)
    assert run.recovery().conflicts == (str(conflict),)
    with open_run(root):
        pass


@pytest.mark.parametrize("put", ["nothing", "folder", "link", "outer link"])
def test_a_file_that_the_user_took_away_is_left_alone(root: Path, put: str) -> None:
    cart, elsewhere = root / "shop/cart.py", root.parent / "elsewhere"
    with open_run(root) as run:
        run.apply([edit(cart, b"1", b"2")])
        if put == "outer link":
            (root / "shop").rename(elsewhere)
            (root / "shop").symlink_to(elsewhere)
        else:
            cart.rename(elsewhere)
        if put == "folder":
            cart.mkdir()
        if put == "link":
            cart.symlink_to(elsewhere)
        before = contents(root.parent)
        (conflict,) = run.rollback()
        after = contents(root.parent)
    assert conflict.path == cart
    assert {name: after[name] for name in before if "state" not in name} == {
        name: value for name, value in before.items() if "state" not in name
    }


def test_a_mode_changed_by_the_user_survives_the_rollback(root: Path) -> None:
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
        (root / "run.py").chmod(0o700)
    assert contents(root)["run.py"] == (b"#!/usr/bin/env python\r\nx = 1\r\n", 0o700)


def test_bytes_that_are_not_there_any_more_are_not_replaced(root: Path) -> None:
    stale = edit(root / "run.py", b"1", b"2")
    (root / "run.py").write_bytes(b"y = 0\n")
    with open_run(root) as run, pytest.raises(Changed, match="left alone"):
        run.apply([stale])
    assert (root / "run.py").read_bytes() == b"y = 0\n"


def test_an_insertion_into_a_file_that_has_changed_is_not_made(root: Path) -> None:
    path = root / "run.py"
    seen = path.read_bytes()
    path.write_bytes(b"# mine\n" + seen)
    with open_run(root) as run, pytest.raises(Changed):
        run.apply([Edit(path, 4, 4, b"", b"!")], sources={path: seen})
    assert path.read_bytes() == b"# mine\n" + seen


def test_a_file_changed_between_two_edits_of_a_run_is_not_edited_again(root: Path) -> None:
    path = root / "run.py"
    with open_run(root) as run:
        run.apply([edit(path, b"1", b"2")])
        path.write_bytes(b"# mine\nx = 2\n")
        with pytest.raises(Changed):
            run.apply([Edit(path, 0, 0, b"", b"!")])
        assert [conflict.path for conflict in run.rollback()] == [path]
    assert path.read_bytes() == b"# mine\nx = 2\n"


def test_a_file_saved_by_the_user_at_the_last_moment_is_not_overwritten(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, before = root / "shop/cart.py", contents(root)
    fsync = disk.fsync

    def saved(file: FileIO) -> None:
        fsync(file)
        if str(file.name).endswith(".tmp") and "shop" in str(file.name):
            path.write_bytes(b"total = 'mine'\n")

    monkeypatch.setattr(disk, "fsync", saved)
    with open_run(root) as run, pytest.raises(Changed):
        run.apply([edit(root / "run.py", b"1", b"2"), edit(path, b"1", b"2")])
    assert contents(root) == dict(before) | {"shop/cart.py": (b"total = 'mine'\n", 0o640)}


def test_overlapping_edits_are_the_callers_mistake(root: Path) -> None:
    path, before = root / "run.py", contents(root)
    with open_run(root) as run, pytest.raises(ValueError, match="overlap"):
        run.apply([Edit(path, 0, 4, b"#!/u", b""), Edit(path, 2, 6, b"/usr", b"")])
    assert contents(root) == before


def test_nothing_is_written_anywhere_before_the_first_edit(root: Path, tmp_path: Path) -> None:
    with open_run(root):
        assert [path.name for path in (tmp_path / "state").rglob("*") if path.is_file()] == ["lock"]
        assert list((tmp_path / "temporary").iterdir()) == []


def test_what_comes_before_an_expected_edit_is_done_already(root: Path, tmp_path: Path) -> None:
    before = contents(root)
    with open_run(root) as run:
        run.prepare([root / "run.py", root / "gone.py", tmp_path / "outside.py"])
        run.rollback()  # waits for it, and finds nothing to take back
    assert contents(root) == before
    (kept,) = history.runs(root)
    assert (kept.state, kept.backups) == ("untouched", ())
    (blob,) = (kept.folder / "blobs").iterdir()
    assert blob.read_bytes() == (root / "run.py").read_bytes()


def test_an_expected_edit_is_refused_as_any_other(root: Path) -> None:
    with open_run(root) as run:
        run.prepare([root / "gone.py", root / "run.py"])
        with pytest.raises(Refused, match="cannot be read"):
            run.apply([Edit(root / "gone.py", 0, 0, b"", b"1")])
        run.prepare([root / "run.py"])
        (written,) = run.apply([edit(root / "run.py", b"1", b"2")]).files
        assert (written.before[-3:-2], written.after[-3:-2]) == (b"1", b"2")


def test_a_disk_that_refuses_an_expected_edit_says_so_at_the_edit(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with open_run(root) as run:
        monkeypatch.setattr("selfdebug.workspace.disk.create", full)
        run.prepare([root / "run.py"])
        with pytest.raises(Unwritable, match="No space left"):
            run.apply([edit(root / "run.py", b"1", b"2")])


def test_two_backups_in_a_second_have_two_names_and_are_private(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept" / "copies"
    with open_run(root, backup_dir=folder) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
        run.apply([edit(root / "run.py", b"2", b"3")])
        run.keep()
    found = sorted(folder.iterdir())
    assert tuple(found) == run.recovery().backups
    assert [path.read_bytes()[-3:-2] for path in found] == [b"1", b"2"]
    assert all(path.match("run.py.*.bak") and path.suffixes[1][1:].isdigit() for path in found)
    assert {stat.S_IMODE(path.stat().st_mode) for path in found} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_backups_go_to_the_temporary_folder_by_default(root: Path) -> None:
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
    (backup,) = run.recovery().backups
    assert backup.parent == Path(tempfile.gettempdir()) / "agent-self-debugger-loop"


def test_records_are_private(root: Path, tmp_path: Path) -> None:
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
        run.keep({"final_status": "pass"})
    paths = list((tmp_path / "state").rglob("*"))
    assert paths
    for path in paths:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.parametrize("target", ["inside", "chain"])
def test_a_link_inside_the_root_is_written_through(root: Path, target: str) -> None:
    (root / "alias.py").symlink_to("shop/cart.py")
    link = root / "alias.py"
    if target == "chain":
        link = root / "second.py"
        link.symlink_to("alias.py")
    before = contents(root)
    with open_run(root) as run:
        run.apply([edit(link, b"1", b"2")])
        assert contents(root) == dict(before) | {"shop/cart.py": (b"total = 2\n", 0o640)}
    assert contents(root) == before


def test_a_link_that_leads_out_of_the_root_is_refused(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_bytes(b"x = 1\n")
    (root / "alias.py").symlink_to(outside)
    with open_run(root) as run, pytest.raises(Refused, match="leads out of the root"):
        run.apply([edit(root / "alias.py", b"1", b"2")])
    assert outside.read_bytes() == b"x = 1\n"


def test_extended_attributes_and_owner_survive(root: Path) -> None:
    path = root / "run.py"
    if os.geteuid() == 0:
        os.chown(path, 1234, 1235)
    try:
        os.setxattr(path, "user.note", b"mine")
    except (OSError, AttributeError):
        pytest.skip("no extended attributes here")
    with open_run(root) as run:
        run.apply([edit(path, b"1", b"2")])
        run.keep()
    assert os.getxattr(path, "user.note") == b"mine"
    if os.geteuid() == 0:
        assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1235)
        assert stat.S_IMODE(path.stat().st_mode) == 0o755


def test_cached_bytecode_of_one_version_is_never_taken_for_another(root: Path) -> None:
    def value() -> str:
        env = {key: text for key, text in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        command = [sys.executable, "-c", "import run; print(run.x)"]
        done = subprocess.run(
            command, cwd=root, env=env, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    path = root / "run.py"
    seen = [value()]
    with open_run(root) as run:
        first = run.apply([edit(path, b"1", b"2")])
        seen.append(value())
        run.revert(first)
        seen.append(value())
        run.apply([edit(path, b"1", b"3")])
        seen.append(value())
        run.rollback()
    seen.append(value())
    assert seen == ["1", "2", "1", "3", "1"]


@given(sizes=st.lists(st.integers(0, 2), min_size=2, max_size=8))
def test_no_two_versions_share_second_and_size(sizes: list[int]) -> None:
    seen: list[tuple[int, int]] = []
    for size in sizes:
        seen.append((atomic.next_mtime(size, seen) // 10**9, size))
    assert len(set(seen)) == len(seen)


@settings(max_examples=60, deadline=None)
@given(
    data=st.binary(max_size=60),
    mode=st.sampled_from([0o600, 0o644, 0o755, 0o4711, 0o200 | 0o444]),
    cuts=st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 8), st.binary(max_size=6)), max_size=4
    ),
    by=st.sampled_from(["revert", "rollback", "exit", "keep and revert"]),
)
def test_apply_then_revert_is_the_identity(
    tmp_path_factory: pytest.TempPathFactory,
    data: bytes,
    mode: int,
    cuts: list[tuple[int, int, bytes]],
    by: str,
) -> None:
    root = tmp_path_factory.mktemp("tree")
    path = root / "module.py"
    path.write_bytes(data)
    path.chmod(mode)
    edits, free, expected = [], 0, b""
    for start, length, after in sorted(cuts):
        if free <= start <= len(data):
            end = min(start + length, len(data))
            edits.append(Edit(path, start, end, data[start:end], after))
            expected += data[free:start] + after
            free = max(end, start + 1)
            expected += data[end:free]
    expected += data[free:]
    before = contents(root)

    with open_run(root) as run:
        applied = run.apply(edits)
        assert path.read_bytes() == expected
        if by == "revert":
            assert run.revert(applied) == ()
            assert contents(root) == before
        elif by == "rollback":
            assert run.rollback() == ()
        elif by == "keep and revert":
            run.keep()
    if by == "keep and revert" and expected != data:
        assert revert_kept(root).conflicts == ()
    assert contents(root) == before


def test_a_kept_patch_is_undone_and_done_again(root: Path) -> None:
    before = contents(root)
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2"), edit(root / "shop/cart.py", b"1", b"2")])
        run.keep({"final_status": "pass"})
    kept = contents(root)
    assert history.load(root).report == {"final_status": "pass"}

    undone = revert_kept(root)
    assert contents(root) == before
    assert undone.run_id == run.run_id
    with pytest.raises(WorkspaceError, match="no kept patch"):
        revert_kept(root)

    revert_kept(root, undone.by)
    assert contents(root) == kept


def test_a_kept_patch_under_later_work_is_not_undone_by_half(root: Path) -> None:
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2"), edit(root / "shop/cart.py", b"1", b"2")])
        run.keep()
    (root / "run.py").write_bytes(b"x = 'later'\n")
    before = contents(root)
    (conflict,) = revert_kept(root).conflicts
    assert conflict.path == root / "run.py"
    assert conflict.backup.read_bytes() == b"#!/usr/bin/env python\r\nx = 1\r\n"
    assert contents(root) == before


def test_only_a_kept_run_can_be_undone(root: Path) -> None:
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
    with pytest.raises(WorkspaceError, match="kept no patch"):
        revert_kept(root, run.run_id)
    with pytest.raises(WorkspaceError, match="no run nonsense"):
        revert_kept(root, "nonsense")


def test_a_run_without_edits_is_on_record_with_its_report(root: Path) -> None:
    with open_run(root) as run:
        run.record({"final_status": "no-codemod"})
    record = history.load(root, run.run_id[:18])
    assert (record.state, record.report) == ("untouched", {"final_status": "no-codemod"})


def test_runs_are_in_order_even_if_the_clock_goes_backwards(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = []
    for now in (2_000_000_000.0, 1_000_000_000.0, 1_500_000_000.0):
        monkeypatch.setattr("time.time", lambda now=now: now)
        with open_run(root) as run:
            run.apply([edit(root / "run.py", b"1", b"2")])
        ids.append(run.run_id)
    assert [record.run_id for record in history.runs(root)] == ids


@dataclass
class Refusal:
    """A function that finds the disk full at one of its calls."""

    function: Callable[..., object]
    at: int
    calls: int = 0

    def __call__(self, *arguments: object) -> object:
        self.calls += 1
        if self.calls == self.at:
            raise DiskFull
        return self.function(*arguments)


@contextmanager
def clear_error() -> Iterator[None]:
    try:
        yield
    except WorkspaceError as error:
        if "No space left" not in str(error):
            raise


class DiskFull(OSError):
    def __init__(self) -> None:
        super().__init__(28, "No space left on device")


@pytest.mark.parametrize("name", [name for name in CHANGES if name not in {"execute", "unlink"}])
def test_a_disk_that_refuses_once_costs_the_edit_only(
    root: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """At each call of a function in turn: the error is clear and the tree as before."""
    before, calls, refused = contents(root), 0, 0
    while calls >= refused:
        refused += 1
        refuse = Refusal(getattr(disk, name), refused)
        with monkeypatch.context() as full, clear_error():
            full.setattr(disk, name, refuse)
            with open_run(root, root.parent / f"backups-{refused}") as run:
                run.apply(
                    [edit(root / "run.py", b"1", b"2"), edit(root / "shop/cart.py", b"1", b"2")]
                )
        if history.unfinished(root):
            recover(root)
        assert contents(root) == before
        calls = refuse.calls
    with open_run(root):
        pass


def test_a_disk_that_stays_full_during_the_rollback_is_made_good_later(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, write = contents(root), disk.write
    with pytest.raises(Unwritable, match="No space left"), open_run(root) as run:  # noqa: PT012
        run.apply([edit(root / "run.py", b"1", b"2"), edit(root / "shop/cart.py", b"1", b"2")])

        def full(file: FileIO, data: bytes) -> None:
            write(file, data[:1])
            raise DiskFull

        monkeypatch.setattr(disk, "write", full)
        run.rollback()
    monkeypatch.setattr(disk, "write", write)

    with pytest.raises(Unfinished) as refused, open_run(root):
        pass
    assert refused.value.command == f"selfdebug recover --root {root}"
    done = recover(root)
    assert done.runs == (run.run_id,)
    assert done.restored == (root / "run.py", root / "shop/cart.py")
    assert contents(root) == before


def test_recover_leaves_what_the_user_has_changed_since_the_kill(root: Path) -> None:
    run_id = _leave_unfinished(root)
    (root / "run.py").write_bytes(b"x = 'mine'\n")
    done = recover(root)
    assert done.runs == (run_id,)
    assert [conflict.path for conflict in done.conflicts] == [root / "run.py"]
    assert (root / "run.py").read_bytes() == b"x = 'mine'\n"
    assert (root / "shop/cart.py").read_bytes() == b"total = 1\n"
    assert history.load(root).state == "recovered"
    with open_run(root):
        pass


def test_recover_takes_the_backup_where_the_blob_is_damaged(root: Path) -> None:
    before = contents(root)
    _leave_unfinished(root)
    for blob in (history.load(root).folder / "blobs").iterdir():
        blob.write_bytes(b"damaged")
    assert recover(root).conflicts == ()
    assert contents(root) == before


def test_recover_says_so_where_every_copy_is_lost(root: Path) -> None:
    _leave_unfinished(root)
    record = history.load(root)
    held = contents(root)
    for path in (*(record.folder / "blobs").iterdir(), *record.backups):
        path.write_bytes(b"damaged")
    conflicts = recover(root).conflicts
    assert {conflict.path.name for conflict in conflicts} == {"run.py", "cart.py"}
    assert all("lost or damaged" in str(conflict) for conflict in conflicts)
    assert contents(root) == held


def _leave_unfinished(root: Path) -> str:
    """Leave what a run leaves that is killed with edits in place: here, a child that just goes."""
    child = os.fork()
    if child == 0:
        try:
            with open_run(root, run_id="killed") as run:
                run.apply(
                    [edit(root / "run.py", b"1", b"2"), edit(root / "shop/cart.py", b"1", b"2")]
                )
                os._exit(0)
        finally:
            os._exit(1)
    os.waitpid(child, 0)
    return "killed"


def test_a_forked_child_does_not_roll_back_the_parents_run(root: Path) -> None:
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
        child = os.fork()
        if child == 0:
            try:
                run.close()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        assert (root / "run.py").read_bytes().endswith(b"x = 2\r\n")


def test_a_run_that_has_ended_takes_no_more_edits(root: Path) -> None:
    with open_run(root) as run:
        run.rollback()
        with pytest.raises(RuntimeError, match="has ended"):
            run.apply([edit(root / "run.py", b"1", b"2")])


@pytest.mark.parametrize("run_id", ["", "../up", "a/b", "-x", "a b", "a.lock"])
def test_a_run_id_is_a_plain_word(root: Path, run_id: str) -> None:
    if run_id:
        with pytest.raises(ValueError, match="no run id"), open_run(root, run_id=run_id):
            pass
