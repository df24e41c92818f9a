"""A sandbox for all that runs the project's code: bubblewrap, or the namespaces of Linux themselves.

Inside there is no network but a loopback of its own, every file system is read-only, and what other
users and programs share (the temporary folders, ``/run``, ``/dev``, sockets) is out of sight. A folder
in the scratch folder of the run is all that tests may write to; the temporary folders, as they see
them, are in it.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Literal

from selfdebug.validation.limits import suite_memory

How = Literal["bubblewrap", "namespaces"]
PROCESSES = 512  # of all tests together, threads included
_PATIENCE = 20.0  # seconds for a start that does nothing
_LAUNCHER = Path(__file__).with_name("confined.py")
_SHARED = ("/tmp", "/var/tmp", "/run", "/var/run")  # what others write to is hidden


class SandboxMissing(Exception):
    """This system has no sandbox for us; the message says what was tried and what to do."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A place in the sandbox. ``what`` is as in ``confined.py``."""

    what: Literal["private", "visible", "writable", "covered"]
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Sandbox:
    """One way to confine a command; ``memory`` is in bytes, for each process."""

    how: How
    program: str = ""
    memory: int = 0
    processes: int = PROCESSES

    def around(
        self,
        command: Sequence[str],
        root: Path,
        scratch: Path,
        written: Path,
        env: Mapping[str, str],
    ) -> list[str]:
        """Return the command that runs ``command`` in ``root``, confined.

        ``written`` is the folder in ``scratch`` that it may write to. It sees, read-only, what it needs
        of the folders that are hidden otherwise: the project, its interpreter, ``scratch``, and what
        ``PATH`` and ``PYTHONPATH`` of ``env`` name. Raises SandboxMissing where one of those folders is
        the project itself.
        """
        limits = {"memory": self.memory, "processes": self.processes}
        launcher = [sys.executable, "-I", "-S", str(_LAUNCHER)]
        needed = _needed(command, env) | {str(root), str(scratch)}
        mounts = [*_mounts(root, written, needed)]
        if self.how == "namespaces":
            listed = [(mount.what, mount.source, mount.target) for mount in mounts]
            spec = json.dumps({**limits, "root": str(root), "mounts": listed})
            return [*launcher, spec, *command]
        options = [word for mount in mounts for word in (_OPTIONS[mount.what], *_ends(mount))]
        return [
            *(self.program, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc"),
            *("--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/"),
            *("--dev", "/dev", "--proc", "/proc", *options, "--chdir", str(root), "--"),
            *(*launcher, json.dumps(limits), *command),
        ]


_OPTIONS = {
    "private": "--bind",
    "visible": "--ro-bind",
    "writable": "--bind",
    "covered": "--ro-bind",
}


def _ends(mount: Mount) -> tuple[str, str]:
    return mount.source, mount.target


def find(root: Path, scratch: Path) -> Sandbox:
    """Return a sandbox that works here, as a start with nothing to do shows.

    Raises SandboxMissing.
    """
    if not sys.platform.startswith("linux"):
        raise SandboxMissing("--sandbox needs Linux; leave it out, or use a container")
    refusals = []
    for sandbox in _ways():
        why = _refusal(sandbox, root, scratch)
        if why is None:
            return sandbox
        refusals.append(f"{sandbox.how}: {why}")
    raise SandboxMissing(
        f"--sandbox does not work here: {'; '.join(refusals)}. Install bubblewrap or allow user "
        "namespaces (Linux 5.14 or newer), or leave --sandbox out and use a container"
    )


def _ways() -> Iterator[Sandbox]:
    memory = suite_memory() or 0
    # Under bubblewrap the machine's root could write to /proc/sys, and its processes have no limit.
    bubblewrap = which("bwrap") if os.geteuid() else None
    if bubblewrap:
        yield Sandbox("bubblewrap", bubblewrap, memory)
    yield Sandbox("namespaces", memory=memory)


def _refusal(sandbox: Sandbox, root: Path, scratch: Path) -> str | None:
    """Say why a sandbox does not start; None where it does."""
    nothing = [sys.executable, "-I", "-S", "-c", ""]
    command = sandbox.around(nothing, root, scratch, scratch, {})
    try:
        ended = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if ended.returncode == 0:
        return None
    said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    return said[-1] if said else f"it ended with status {ended.returncode}"


def _needed(command: Sequence[str], env: Mapping[str, str]) -> set[str]:
    """What a command needs in sight wherever it lies."""
    python = which(command[0], path=env.get("PATH")) or command[0]
    found = {str(_LAUNCHER.parent), sys.prefix, sys.base_prefix}
    found |= {str(Path(each).parent.parent) for each in (python, os.path.realpath(python))}
    for name in ("PATH", "PYTHONPATH"):
        found |= {*env.get(name, "").split(os.pathsep)}
    return {each for each in found if Path(each).is_absolute() and Path(each).is_dir()}


def _mounts(root: Path, written: Path, needed: set[str]) -> Iterator[Mount]:
    """Yield what differs from a read-only view of everything, parents first."""
    hidden = [*dict.fromkeys(map(os.path.realpath, (*_SHARED, tempfile.gettempdir())))]
    hidden = [folder for folder in hidden if Path(folder).is_dir()]
    if str(root) in hidden:
        raise SandboxMissing(f"--sandbox hides {root}, where the project is; move the project")
    mounts = {folder: _private(folder, number, written) for number, folder in enumerate(hidden)}
    for path in needed - {*hidden}:
        if _is_below(path, hidden):
            mounts[path] = Mount("visible", os.path.realpath(path), path)
    for path in _sockets():
        if not _is_below(path, [*hidden, "/dev"]):
            mounts[path] = Mount("covered", os.devnull, path)
    mounts[str(written)] = Mount("writable", str(written), str(written))
    yield from (mounts[path] for path in sorted(mounts, key=lambda path: Path(path).parts))


def _private(folder: str, number: int, written: Path) -> Mount:
    own = written / "private" / str(number)
    own.mkdir(parents=True, exist_ok=True)
    return Mount("private", str(own), folder)


def _is_below(path: str, folders: Sequence[str]) -> bool:
    return any(Path(folder) in Path(path).parents for folder in folders)


def _sockets() -> Iterator[str]:
    """The sockets with a path that programs of this machine wait at: one needs no network for them."""
    with suppress(OSError):
        for line in Path("/proc/net/unix").read_bytes().splitlines()[1:]:
            path = os.fsdecode(line.split(maxsplit=7)[7]) if len(line.split()) > 7 else ""
            with suppress(OSError):
                if path.startswith("/") and stat.S_ISSOCK(Path(path).stat().st_mode):
                    yield os.path.realpath(path)
