"""The state before a run as a commit that nothing but a private ref points to.

Everything goes through a copy of the index, so that the user's index, stash list, HEAD and files are
only read. Git is the second net: its blobs have passed through clean filters and line-end conversion,
so the byte backups are what a rollback uses. The ref keeps the commit from being pruned.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from selfdebug.workspace import atomic, disk, git
from selfdebug.workspace.git import GitFailed

LARGEST_FILE = 16 << 20
"""Changed files above this size, in bytes, are left out of the snapshot and named."""
MOST_BYTES = 256 << 20
"""What a snapshot may take in all, in bytes."""
MOST_FILES = 20_000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A commit of the tree as it was.

    ``index`` is the copied index, with the changed and the untracked files in it; ``prefix`` the root's
    place in the repository; ``dirty`` the paths from the root that differ from the user's index;
    ``skipped`` those that were too large to take.
    """

    commit: str
    ref: str
    index: Path
    prefix: str
    dirty: frozenset[str]
    skipped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stash:
    """A rejected patch as a commit of the form that ``git stash`` makes. ``command`` brings it back."""

    commit: str
    ref: str
    command: str


def take(root: Path, run_id: str, folder: Path) -> Snapshot:
    """Commit what is under ``root`` now to ``refs/selfdebug/{run_id}``. Raises GitFailed, OSError.

    Takes tracked and untracked files, ignored ones not. Outside ``root`` the commit holds what the
    index holds. Submodules count by the commit that they are at, nested repositories not at all.
    ``folder`` is where the copied index goes.
    """
    prefix, original = git.inside(root)
    index = folder / "index"
    _copy_index(original, index)
    dirty = _dirty(root, index)
    taken = tuple(_affordable(root, dirty))
    if taken:
        options = ("--add", "--remove", "-z", "--stdin")
        git.run(root, "update-index", *options, data=_zero(taken), index=index)
    commit = _commit(root, index, _head(root), f"selfdebug: the tree before run {run_id}")
    ref = f"refs/selfdebug/{run_id}"
    _point(root, ref, commit)
    return Snapshot(
        commit, ref, index, prefix, frozenset(dirty), tuple(sorted({*dirty} - {*taken}))
    )


def stash(
    root: Path, snapshot: Snapshot, number: int, contents: Mapping[Path, bytes], why: str
) -> Stash | None:
    """Keep a patch on top of a snapshot as a commit that ``git stash apply`` takes, under its own ref.

    Its first parent is the snapshot, not HEAD, so that what it brings back is the patch alone and not
    the user's uncommitted work. ``contents`` are the files with the patch made. None where none of the
    files is in the repository. Raises GitFailed, OSError.
    """
    index = snapshot.index.with_name(f"index-{number}")
    names = {path.relative_to(root).as_posix(): data for path, data in contents.items()}
    atomic.save(index, snapshot.index.read_bytes())
    try:
        lines = b"".join(_entries(root, snapshot, names))
        if not lines:
            return None
        git.run(root, "update-index", "-z", "--index-info", data=lines, index=index)
        title = why.splitlines()[0] if why else "rejected patch"
        staged = _commit(root, snapshot.index, (snapshot.commit,), f"index before: {title}")
        commit = _commit(root, index, (snapshot.commit, staged), f"selfdebug, rejected: {title}")
    finally:
        disk.unlink(index)
    ref = f"{snapshot.ref}-rejected-{number}"
    _point(root, ref, commit)
    return Stash(commit, ref, _command(root, commit, snapshot, names))


def forget(root: Path, run_ids: Iterable[str]) -> None:
    """Remove the refs of runs; git prunes their commits in its own time. Raises GitFailed."""
    pattern = "--format=delete %(refname)"
    refs = [f"refs/selfdebug/{run_id}{rest}" for run_id in run_ids for rest in ("", "-rejected-*")]
    if commands := git.run(root, "for-each-ref", pattern, *refs):
        git.run(root, "update-ref", "--stdin", data=commands)


def unlock(root: Path, run_ids: Collection[str]) -> None:
    """Remove the locks on refs of runs that are no more, which git leaves where it is killed."""
    with suppress(GitFailed, OSError):
        folder = git.run(root, "rev-parse", "--git-path", "refs/selfdebug").removesuffix(b"\n")
        for lock in (root / os.fsdecode(folder)).glob("*.lock"):
            if lock.stem.partition("-rejected-")[0] in run_ids:
                disk.unlink(lock)


def _copy_index(source: Path, target: Path) -> None:
    """Copy the index with its time: git compares it with the files' to find those that it must read."""
    with suppress(FileNotFoundError):  # nothing was ever added
        mtime_ns = source.stat().st_mtime_ns
        atomic.save(target, source.read_bytes())
        disk.utime(target, mtime_ns)


def _dirty(root: Path, index: Path) -> tuple[str, ...]:
    """Return the paths from the root that differ from the index, or are untracked and not ignored."""
    options = ("--modified", "--deleted", "--others", "--exclude-standard")
    found = git.run(root, "ls-files", "-z", *options, "--", ".", index=index)
    names = (os.fsdecode(name) for name in found.split(b"\0"))
    return tuple(dict.fromkeys(name for name in names if name and not name.endswith("/")))


def _affordable(root: Path, names: Iterable[str]) -> Iterator[str]:
    """Yield the names whose files git can read and that fit into the limits."""
    size = files = 0
    for name in names:
        path = root / name
        try:
            status = path.lstat()
        except OSError:
            yield name  # deleted: the commit does not hold it
            continue
        if not stat.S_ISREG(status.st_mode):
            yield name
        elif status.st_size <= LARGEST_FILE and os.access(path, os.R_OK):
            size, files = size + status.st_size, files + 1
            if size > MOST_BYTES or files > MOST_FILES:
                return
            yield name


def _entries(root: Path, snapshot: Snapshot, names: Mapping[str, bytes]) -> Iterator[bytes]:
    """Yield index entries for new contents of files that the snapshot holds."""
    options = ("--literal-pathspecs", "ls-files", "-z", "--stage", "--")
    listed = git.run(root, *options, *names, index=snapshot.index)
    for entry in filter(None, listed.split(b"\0")):
        mode, _, rest = entry.partition(b" ")
        name = os.fsdecode(rest.partition(b"\t")[2])
        blob = git.run(root, "hash-object", "-w", "--stdin", f"--path={name}", data=names[name])
        path = os.fsencode(snapshot.prefix + name)
        yield b"%s %s\t%s\0" % (mode, blob.strip(), path)


def _commit(root: Path, index: Path, parents: Iterable[str], message: str) -> str:
    tree = _text(git.run(root, "write-tree", index=index))
    options = [option for parent in parents for option in ("-p", parent)]
    return _text(git.run(root, "commit-tree", tree, *options, data=message.encode()))


def _point(root: Path, ref: str, commit: str) -> None:
    """Create a ref. Git refuses where it exists already."""
    git.run(root, "update-ref", ref, commit, "")


def _head(root: Path) -> tuple[str, ...]:
    try:
        return (_text(git.run(root, "rev-parse", "--quiet", "--verify", "HEAD^{commit}")),)
    except GitFailed:  # a branch without commits
        return ()


def _command(root: Path, commit: str, snapshot: Snapshot, names: Iterable[str]) -> str:
    """Return what brings a patch back.

    ``git stash`` refuses where the files have uncommitted changes, or any entry of the index is
    unmerged or only intended to be added.
    """
    options = ("--name-only", "--diff-filter=AU")
    if snapshot.dirty.isdisjoint(names) and not git.run(root, "diff-files", *options):
        return f"git stash apply {commit}"
    return f"git diff --binary {commit}^1 {commit} | git apply"


def _text(output: bytes) -> str:
    return output.decode().strip()


def _zero(names: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(name) + b"\0" for name in names)
