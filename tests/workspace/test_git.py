"""Git repositories in every state: the snapshot holds the work, and nothing of the user's moves."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import pytest

from selfdebug.workspace import history, prune, snapshot
from selfdebug.workspace.recovery import recover, revert_kept
from selfdebug.workspace.session import Run, open_run
from selfdebug.workspace.snapshot import Snapshot
from tests.workspace.tree import contents, edit

Seen: TypeAlias = tuple[object, ...]


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    name = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
    command = ["git", "--no-optional-locks", *name, *arguments]
    done = subprocess.run(command, cwd=folder, check=check, capture_output=True, text=True)
    return done.stdout


def seen(root: Path) -> Seen:
    """All that belongs to the user: status, index, stashes, refs, files, merge and rebase state."""
    folder = Path(root, git(root, "rev-parse", "--absolute-git-dir").strip())
    refs = git(root, "for-each-ref").splitlines()
    index = folder / "index"
    state = [path for path in sorted(folder.iterdir()) if path.is_file()]
    return (
        git(root, "status", "--porcelain=v2", "--branch", "--ignored", "--show-stash"),
        index.read_bytes() if index.exists() else None,
        git(root, "stash", "list"),
        [line for line in refs if "refs/selfdebug/" not in line],
        {path.name: path.read_bytes() for path in state},
        contents(root),
    )


def commit(root: Path, *names: str) -> None:
    git(root, "add", "-f", *names)
    git(root, "commit", "-qm", f"add {' '.join(names)}")


@pytest.fixture
def repository(root: Path) -> Path:
    git(root, "init", "-q", "-b", "main")
    commit(root, "run.py", "shop/cart.py")
    return root


def shown(root: Path, run: Run, name: str) -> bytes | None:
    """What the snapshot holds of a file."""
    assert isinstance(run.snapshot, Snapshot), run.snapshot
    assert git(root, "rev-parse", run.snapshot.ref).strip() == run.snapshot.commit
    place = f"{run.snapshot.commit}:{run.snapshot.prefix}{name}"
    done = subprocess.run(["git", "show", place], cwd=root, check=False, capture_output=True)
    return None if done.returncode else done.stdout


def clean(root: Path) -> Path:
    return root


def dirty(root: Path) -> Path:
    """Staged, unstaged, staged and then changed, untracked, ignored, intent-to-add, removed."""
    for name in ("gone.py", "removed.py", "both.py"):
        (root / name).write_text("old\n")
    commit(root, "gone.py", "removed.py", "both.py")
    (root / ".gitignore").write_text("secret*\n")
    (root / "secret.py").write_text("x = 1\n")
    (root / "staged.py").write_text("staged\n")
    (root / "both.py").write_text("staged\n")
    git(root, "add", "staged.py", "both.py")
    git(root, "stash", "store", "-m", "mine", git(root, "stash", "create").strip())
    (root / "both.py").write_text("worked on\n")
    (root / "untracked.py").write_text("untracked\n")
    (root / "new \n ünïcode.py").write_text("odd name\n")
    (root / "intent.py").write_text("intent\n")
    git(root, "add", "-N", "intent.py")
    git(root, "rm", "-q", "gone.py")
    (root / "removed.py").unlink()
    (root / "shop/cart.py").write_bytes(b"total = 1  # worked on\n")
    return root


def subfolder(root: Path) -> Path:
    (root / "run.py").write_bytes(b"x = 1  # worked on\n")
    (root / "shop/beside.py").write_text("untracked\n")
    return root / "shop"


def worktree(root: Path) -> Path:
    other = root.parent / "worktree"
    git(root, "worktree", "add", "-q", "-b", "other", str(other))
    (other / "untracked.py").write_text("untracked\n")
    return other


def submodule(root: Path) -> Path:
    source = root.parent / "source"
    source.mkdir()
    git(source, "init", "-q")
    (source / "part.py").write_text("x = 1\n")
    commit(source, "part.py")
    git(root, "submodule", "add", "-q", str(source), "part")
    git(root, "commit", "-qm", "part")
    (root / "part/part.py").write_text("x = 1  # worked on\n")
    (root / "nested").mkdir()
    git(root / "nested", "init", "-q")
    (root / "nested/own.py").write_text("x = 1\n")
    return root


def merging(root: Path) -> Path:
    """Stopped at a conflict, with one file merged and one not."""
    git(root, "checkout", "-qb", "theirs")
    (root / "both.py").write_text("theirs\n")
    (root / "merged.py").write_text("theirs\n")
    commit(root, "both.py", "merged.py")
    git(root, "checkout", "-q", "main")
    (root / "both.py").write_text("ours\n")
    commit(root, "both.py")
    git(root, "merge", "theirs", check=False)
    assert (root / ".git/MERGE_HEAD").exists()
    return root


def rebasing(root: Path) -> Path:
    git(root, "checkout", "-qb", "topic")
    (root / "both.py").write_text("topic\n")
    commit(root, "both.py")
    git(root, "checkout", "-q", "main")
    (root / "both.py").write_text("main\n")
    commit(root, "both.py")
    git(root, "checkout", "-q", "topic")
    git(root, "rebase", "main", check=False)
    assert (root / ".git/rebase-merge").exists()
    return root


def unborn(root: Path) -> Path:
    git(root, "update-ref", "-d", "HEAD")
    git(root, "rm", "-rq", "--cached", ".")
    (root / ".git/index").unlink(missing_ok=True)
    return root


def index_locked(root: Path) -> Path:
    (root / ".git/index.lock").touch()
    return root


def converted(root: Path) -> Path:
    """Line ends that git converts, and would refuse to."""
    git(root, "config", "core.autocrlf", "true")
    git(root, "config", "core.safecrlf", "true")
    (root / "shop/cart.py").write_bytes(b"total = 1\nmixed\r\n")
    return root


def split_index(root: Path) -> Path:
    git(root, "update-index", "--split-index")
    return dirty(root)


def hooked(root: Path) -> Path:
    """Every hook of git fails, and leaves a file."""
    for name in ("pre-commit", "post-index-change", "reference-transaction", "fsmonitor"):
        hook = root / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {root}/hook-ran\nexit 1\n")
        hook.chmod(0o755)
    with (root / ".git/config").open("a") as file:
        file.write("[core]\nfsmonitor = .git/hooks/fsmonitor\nlogAllRefUpdates = always\n")
        file.write("[commit]\ngpgSign = true\n")
    return root


STATES = (
    clean,
    dirty,
    subfolder,
    worktree,
    submodule,
    merging,
    rebasing,
    unborn,
    index_locked,
    converted,
    split_index,
    hooked,
)


@pytest.mark.parametrize("state", STATES)
def test_after_a_rollback_nothing_of_the_users_has_moved(
    repository: Path, state: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = state(repository)
    target = next(path for path in (root / "cart.py", root / "shop/cart.py") if path.exists())
    name, old = target.relative_to(root).as_posix(), target.read_bytes()
    before = _quietly_seen(root, state)

    with open_run(root) as run:
        applied = run.apply([edit(target, b"1", b"2")])
        stash = run.reject(applied, "the tests still fail")
        run.revert(applied)
        run.apply([edit(target, b"1", b"3")])

    assert _quietly_seen(root, state) == before
    assert stash is not None
    held = shown(root, run, name)
    assert held == (old.replace(b"\r\n", b"\n") if state is converted else old)


def _quietly_seen(root: Path, state: Callable[[Path], Path]) -> Seen:
    """What is seen without the test itself waking a hook."""
    if state is not hooked:
        return seen(root)
    config = root / ".git/config"
    text = config.read_text()
    config.write_text(text.replace("fsmonitor =", "disabled ="))
    try:
        return seen(root)
    finally:
        config.write_text(text)


def test_the_snapshot_holds_uncommitted_work_and_nothing_ignored(repository: Path) -> None:
    root = dirty(repository)
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
    assert isinstance(run.snapshot, Snapshot)
    listed = git(root, "ls-tree", "-rz", "--name-only", run.snapshot.commit).split("\0")
    assert sorted(filter(None, listed)) == sorted(
        name
        for name, (data, _) in contents(root).items()
        if data != "folder" and name != "secret.py"
    )
    for name in filter(None, listed):
        assert shown(root, run, name) == (root / name).read_bytes()
    parent = git(root, "rev-parse", f"{run.snapshot.commit}^").strip()
    assert parent == git(root, "rev-parse", "HEAD").strip()


def test_the_snapshot_of_an_expected_edit_is_taken_ahead(repository: Path) -> None:
    root, path = dirty(repository), repository / "run.py"
    before = path.read_bytes()
    with open_run(root) as run:
        run.prepare([path])
        applied = run.apply([edit(path, b"1", b"2")])
        assert shown(root, run, "run.py") == before
        assert run.reject(applied, "no") is not None
    assert run.recovery().ref in git(root, "for-each-ref", "--format=%(refname)").splitlines()


def test_an_expected_edit_that_is_not_made_leaves_no_ref(repository: Path) -> None:
    root, before = repository, seen(repository)
    with open_run(root) as run:
        run.prepare([root / "run.py"])
    assert seen(root) == before
    assert run.recovery().ref is history.load(root).ref is None
    assert "refs/selfdebug" not in git(root, "for-each-ref")


@pytest.mark.parametrize("by", ["recover", "the next run"])
def test_a_run_killed_before_its_first_edit_leaves_no_ref(
    by: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_: Run) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patched, suppress(ZeroDivisionError):
        patched.setattr(Run, "close", killed)
        with open_run(repository) as run:
            run.prepare([repository / "run.py"])
            run._be_ready()
    assert f"refs/selfdebug/{run.run_id}" in git(repository, "for-each-ref")
    if by == "recover":
        assert recover(repository).runs == ()
    else:
        with open_run(repository) as following:
            following.prepare([repository / "run.py"])
    assert "refs/selfdebug" not in git(repository, "for-each-ref")
    record = history.load(repository, run.run_id)
    assert (record.state, record.ref) == ("untouched", None)


def test_a_file_changed_in_the_second_of_the_index_is_in_the_snapshot(repository: Path) -> None:
    """Git tells a file of the same size and second from the index by reading it: a racy entry."""
    path, now = repository / "shop/cart.py", 1_700_000_000 * 10**9
    os.utime(path, ns=(now, now))
    git(repository, "add", "shop/cart.py")
    path.write_bytes(b"total = 9\n")
    for each in (path, repository / ".git/index"):
        os.utime(each, ns=(now, now))
    with open_run(repository) as run:
        run.apply([edit(repository / "run.py", b"1", b"2")])
    assert shown(repository, run, "shop/cart.py") == b"total = 9\n"


@pytest.mark.parametrize(
    ("state", "name"),
    [
        (clean, "shop/cart.py"),
        (dirty, "shop/cart.py"),
        (dirty, "run.py"),
        (dirty, "intent.py"),
        (dirty, "staged.py"),
        (dirty, "untracked.py"),
        (subfolder, "cart.py"),
        (subfolder, "beside.py"),
        (worktree, "shop/cart.py"),
        (merging, "run.py"),
        (unborn, "run.py"),
        (converted, "shop/cart.py"),
        (converted, "run.py"),
    ],
)
def test_a_rejected_patch_comes_back_by_the_command_that_is_printed(
    repository: Path, state: Callable[[Path], Path], name: str
) -> None:
    root = state(repository)
    target = root / name
    with open_run(root) as run:
        applied = run.apply([edit(target, target.read_bytes()[-3:], b"patched\n")])
        run.revert(applied)
        stash = run.reject(applied, "the tests still fail")
    assert stash is not None
    assert run.recovery().stashes == (stash.command,)
    before = contents(root)

    subprocess.run(stash.command, shell=True, cwd=root, check=True, capture_output=True)

    wanted, got = applied.files[0].after, target.read_bytes()
    assert got.replace(b"\r\n", b"\n") == wanted.replace(b"\r\n", b"\n")
    assert {**contents(root), name: None} == {**before, name: None}


def test_a_rejected_patch_to_a_clean_file_is_a_stash(repository: Path) -> None:
    root = dirty(repository)
    git(root, "rm", "--cached", "-q", "intent.py")
    with open_run(root) as run:
        applied = run.apply([edit(root / "run.py", b"1", b"2")])
        run.revert(applied)
        stash = run.reject(applied, "the tests\nstill fail")
    assert stash is not None
    assert stash.command == f"git stash apply {stash.commit}"
    before = contents(root)
    git(root, "stash", "apply", stash.commit)
    assert contents(root) == dict(before) | {"run.py": (applied.files[0].after, 0o755)}


def test_several_rejected_patches_have_a_ref_each(repository: Path) -> None:
    with open_run(repository) as run:
        for value in (b"2", b"3"):
            applied = run.apply([edit(repository / "run.py", b"1", value)])
            run.revert(applied)
            run.reject(applied, value.decode())
    refs = git(repository, "for-each-ref", "--format=%(refname)", "refs/selfdebug").splitlines()
    assert refs == [
        f"refs/selfdebug/{run.run_id}{end}" for end in ("", "-rejected-1", "-rejected-2")
    ]


@pytest.mark.parametrize("broken", ["no git", "no repository", "unreadable index", "bare"])
def test_without_a_snapshot_the_bytes_are_enough(
    root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, broken: str
) -> None:
    if broken in {"unreadable index", "bare"}:
        git(root, "init", "-q")
    if broken == "unreadable index":
        (root / ".git/index").write_bytes(b"not an index")
    if broken == "bare":
        git(root, "config", "core.bare", "true")
    if broken == "no git":
        monkeypatch.setenv("PATH", str(tmp_path))
    before = contents(root)
    with open_run(root) as run:
        applied = run.apply([edit(root / "run.py", b"1", b"2")])
        assert run.reject(applied, "no") is None
    assert isinstance(run.snapshot, str)
    assert run.snapshot
    assert run.recovery().ref is None
    assert contents(root) == before


def test_large_files_are_left_out_of_the_snapshot_and_named(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "LARGEST_FILE", 100)
    (repository / "data.bin").write_bytes(bytes(101))
    (repository / "small.bin").write_bytes(bytes(100))
    with open_run(repository) as run:
        run.apply([edit(repository / "run.py", b"1", b"2")])
    assert isinstance(run.snapshot, Snapshot)
    assert run.snapshot.skipped == ("data.bin",)
    assert shown(repository, run, "small.bin") == bytes(100)
    assert shown(repository, run, "data.bin") is None


def test_a_kept_patch_is_in_the_work_tree_only(repository: Path) -> None:
    root = dirty(repository)
    before = seen(root)
    with open_run(root) as run:
        run.apply([edit(root / "run.py", b"1", b"2")])
        run.keep()
    assert seen(root)[1:4] == before[1:4]
    revert_kept(root)
    assert seen(root) == before


def test_old_runs_go_with_their_refs_and_backups(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_once() -> Run:
        with open_run(repository) as run:
            applied = run.apply([edit(repository / "run.py", b"1", b"2")])
            run.revert(applied)
            run.reject(applied, "no")
        return run

    monkeypatch.setattr(prune, "MOST_RUNS", 2)
    first, *others = [run_once() for _ in range(3)]
    refs = git(repository, "for-each-ref", "refs/selfdebug")
    assert [record.run_id for record in history.runs(repository)] == [run.run_id for run in others]
    assert first.run_id not in refs
    assert all(run.run_id in refs for run in others)
    assert not first.folder.exists()
    assert not any(path.exists() for path in first.recovery().backups)
    assert all(path.exists() for run in others for path in run.recovery().backups)
