"""A machine that stops at any change to the disk, and forgets what was not synced.

Each function of ``selfdebug.workspace.disk`` is a point at which the process may be killed; a write is
two, before it and in its middle. The model of a power loss: bytes, size and mode of a file survive
from its fsync on, names in a folder from the folder's fsync on; of what was not synced, the names may
be lost, or the bytes, or both, or nothing.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from io import FileIO
from itertools import count
from pathlib import Path
from typing import Any, Literal, TypeAlias

from selfdebug.workspace import disk

Lost = Literal["nothing", "names", "bytes", "all"]
Place: TypeAlias = tuple[str, int]
LOST: dict[Lost, tuple[str, ...]] = {
    "nothing": (),
    "names": ("name",),
    "bytes": ("byte",),
    "all": ("name", "byte"),
}
CHANGES = tuple(
    name
    for name, value in vars(disk).items()
    if callable(value) and getattr(value, "__module__", "") == disk.__name__ and name != "append"
)
"""Every function that changes the disk; ``append`` only opens."""


class Killed(BaseException):
    """Stands for SIGKILL: what runs after it, to clean up, can no longer change the disk."""


@dataclass
class Machine:
    """Counts changes, and stops at the one with the number ``at``.

    A sync that is called from the place ``unsynced``, a file and a line, does nothing.
    """

    at: int
    lost: Lost = "nothing"
    unsynced: Place | None = None
    done: int = 0
    volatile: list[tuple[str, Any, Callable[[], object]]] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)

    def step(self) -> None:
        self.done += 1
        if self.done == self.at:
            for kind, _, forget in reversed(self.volatile):
                if kind in LOST[self.lost]:
                    forget()
        if self.done >= self.at:
            raise Killed

    def synced(self, kind: str, key: Any) -> None:
        self.volatile = [entry for entry in self.volatile if entry[:2] != (kind, key)]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Put the machine between selfdebug and the disk."""
        real = {name: getattr(disk, name) for name in CHANGES}
        for name, function in real.items():
            setattr(disk, name, self._wrapped(name, function))
        try:
            yield
        finally:
            for name, function in real.items():
                setattr(disk, name, function)
            for descriptor in self.descriptors:
                os.close(descriptor)

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        model = getattr(self, f"_{name}", None)

        def change(*arguments: Any) -> Any:
            self.step()
            return model(real, *arguments) if model else real(*arguments)

        return change

    def _create(self, real: Callable[..., FileIO], path: Path, *rest: Any) -> FileIO:
        file = real(path, *rest)
        self.volatile.append(("name", path.parent, path.unlink))
        return file

    def _write(self, real: Callable[..., None], file: FileIO, data: bytes) -> None:
        self._remember(Path(os.fsdecode(file.name)))
        real(file, data[: len(data) // 2])
        self.step()
        real(file, data[len(data) // 2 :])

    def _truncate(self, real: Callable[..., None], file: FileIO, size: int) -> None:
        self._remember(Path(os.fsdecode(file.name)))
        real(file, size)

    def _chmod(self, real: Callable[..., None], path: Path, mode: int) -> None:
        self._remember(path)
        real(path, mode)

    def _copy_metadata(self, real: Callable[..., None], source: Path, target: Path) -> None:
        self._remember(target)
        real(source, target)

    def _fsync(self, _real: Callable[..., None], file: FileIO) -> None:
        if self._is_made():
            self.synced("byte", os.fstat(file.fileno()).st_ino)

    def _fsync_dir(self, _real: Callable[..., None], path: Path) -> None:
        if self._is_made():
            self.synced("name", path)

    def _is_made(self) -> bool:
        caller = sys._getframe(3)  # past this, the model and ``change``
        place = Path(caller.f_code.co_filename).name, caller.f_lineno
        return place != self.unsynced

    def _replace(self, real: Callable[..., None], source: Path, target: Path) -> None:
        held = (target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) if target.exists() else ()

        def forget() -> None:
            target.replace(source)
            if held:
                _make(target, *held)

        real(source, target)
        self.volatile.append(("name", target.parent, forget))

    def _unlink(self, real: Callable[..., None], path: Path) -> None:
        if path.exists():
            old, mode = path.read_bytes(), stat.S_IMODE(path.stat().st_mode)
            self.volatile.append(("name", path.parent, lambda: _make(path, old, mode)))
        real(path)

    def _mkdir(self, real: Callable[..., None], path: Path, *rest: Any) -> None:
        real(path, *rest)
        self.volatile.append(("name", path.parent, partial(shutil.rmtree, path)))

    def _execute(
        self, real: Callable[..., Any], command: Sequence[str], cwd: Path, *rest: Any
    ) -> Any:
        """Git locks the ref that it makes, and is killed while it does."""
        if "update-ref" not in command or "--stdin" in command:
            return real(command, cwd, *rest)
        lock = cwd / ".git" / f"{command[-3]}.lock"
        lock.parent.mkdir(exist_ok=True)
        lock.touch()
        self.step()
        lock.unlink()
        return real(command, cwd, *rest)

    def _remember(self, path: Path) -> None:
        """Keep a file's bytes, size and mode, which are lost unless it is synced."""
        descriptor = os.open(path, os.O_RDWR)
        self.descriptors.append(descriptor)
        status = os.fstat(descriptor)
        old = os.pread(descriptor, status.st_size, 0)

        def forget() -> None:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, old, 0)
            os.fchmod(descriptor, stat.S_IMODE(status.st_mode))

        self.volatile.append(("byte", status.st_ino, forget))


def _make(path: Path, data: bytes, mode: int) -> None:
    path.write_bytes(data)
    path.chmod(mode)


def killed(
    story: Callable[[], object], at: int, lost: Lost = "nothing", unsynced: Place | None = None
) -> bool:
    """Run a story and kill it at its change number ``at``; False where it ended before that."""
    with Machine(at, lost, unsynced).running():
        try:
            story()
        except Killed:
            return True
    return False


def points(
    story: Callable[[], object],
    prepare: Callable[[], object],
    lost: Lost,
    unsynced: Place | None = None,
    step: int = 1,
) -> Iterator[int]:
    """Yield the number of each change at which the story was killed, right after that.

    With a ``step``, of each so manieth.
    """
    for at in count(1, step):
        prepare()
        if not killed(story, at, lost, unsynced):
            return
        yield at
