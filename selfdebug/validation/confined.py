"""Start a command in namespaces of its own, with limits: what ``sandbox.py`` puts before a command.

    python -I -S confined.py SPEC COMMAND ...

SPEC is a JSON object. ``memory`` (bytes of data a process) and ``processes`` (threads count) are the
limits. With ``mounts`` the command also gets new user, mount, process, network and IPC namespaces, see
namespaces(7): all file systems are read-only but for the mounts, each a list of what (``private``,
``visible``, ``writable``, ``covered``), where from and where to, parents first; ``root`` is its working
folder. Where one of this fails nothing is started: exit status 126, and why on standard error.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

FAILED = 126  # the exit status where there is no sandbox
_CLONE = (
    0x10000000 | 0x00020000 | 0x20000000 | 0x40000000 | 0x08000000
)  # user, mount, pid, net, IPC
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 2, 4, 8, 0x4000, 1 << 18
# These three have the same number on every architecture but Alpha.
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_AT_FDCWD, _AT_RECURSIVE, _MOVE_FROM_DESCRIPTOR = -100, 0x8000, 4
_TREE_CLONE, _RDONLY = 1, 1
_CAPABILITY_VERSION = 0x20080522
_PDEATHSIG, _CAPBSET_DROP, _NO_NEW_PRIVS, _AMBIENT, _AMBIENT_CLEAR = 1, 24, 38, 47, 4
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = {"fd": "/proc/self/fd", "ptmx": "pts/ptmx"} | {
    name: f"/proc/self/fd/{number}" for number, name in enumerate(("stdin", "stdout", "stderr"))
}
_RESERVED = 300  # process numbers that are not given anew, see kernel/pid.c

_libc = ctypes.CDLL(None, use_errno=True)


class Refused(Exception):
    """The system does not let us; the message says what."""


def main(spec: dict[str, Any], command: list[str]) -> NoReturn:
    """Become the command, or wait for it outside of its namespaces and end as it does."""
    try:
        if "mounts" in spec:
            _enter()
            lives, living = os.pipe()
            child = os.fork()
            if child:
                _wait(child)
            os.close(living)
            _end_with_parent(lives)
            _prepare(spec)
            child = os.fork()
            if child:
                _reap(child)
        else:
            _limit_processes(spec["processes"])
        _set(resource.RLIMIT_DATA, spec["memory"])
        for number in (
            signal.SIGPIPE,
            signal.SIGXFSZ,
        ):  # Python ignores them, and that is inherited
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)
    except (Refused, OSError) as error:
        print(error, file=sys.stderr, flush=True)  # noqa: T201 - this is the program's output
        os._exit(FAILED)


# --- namespaces ---


def _enter() -> None:
    uid, gid = os.getuid(), os.getgid()
    _call("unshare", _libc.unshare(_CLONE))
    for name, text in (("setgroups", "deny"), ("uid_map", uid), ("gid_map", gid)):
        line = text if isinstance(text, str) else f"{text} {text} 1"
        Path("/proc/self", name).write_text(line)


def _end_with_parent(lives: int) -> None:
    _prctl(_PDEATHSIG, signal.SIGKILL)
    if select.select([lives], [], [], 0)[0]:  # it has ended already
        os._exit(FAILED)
    os.close(lives)


def _prepare(spec: dict[str, Any]) -> None:
    """As the first process of the namespaces: lay out what is seen, then give up all power over it."""
    _bring_up_loopback()
    root = spec["root"]
    _call("mount /", _libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None))
    # Opened before anything lies over it.
    mounts = [(what, _tree(source), Path(target)) for what, source, target in spec["mounts"]]
    devices = [(_tree(f"/dev/{name}"), Path("/dev", name)) for name in _DEVICES]
    _set_read_only("/", recursive=True)
    _make_dev(devices, spec["memory"])
    for what, tree, target in mounts:
        _attach(tree, target)
        if what in ("visible", "covered"):
            _set_read_only(str(target), recursive=True)
    _mount("proc", "/proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    _limit_processes(spec["processes"])
    _set_read_only("/proc")
    os.chdir(root)
    _drop_capabilities()


def _bring_up_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", _IFF_UP))


def _make_dev(devices: Iterable[tuple[int, Path]], memory: int) -> None:
    """A /dev without disks and the like: a read-only file system does not protect those."""
    _mount("tmpfs", "/dev", _MS_NOSUID | _MS_NOEXEC, "size=64k,mode=755")
    for tree, target in devices:
        _attach(tree, target)
    for name, leads_to in _LINKS.items():
        Path("/dev", name).symlink_to(leads_to)
    for name, kind, options in (
        ("shm", "tmpfs", f"size={memory},mode=1777"),
        ("pts", "devpts", "newinstance,ptmxmode=0666,mode=620"),
    ):
        Path("/dev", name).mkdir()
        _mount(kind, f"/dev/{name}", _MS_NOSUID | _MS_NOEXEC, options)
    _set_read_only("/dev")


def _tree(path: str) -> int:
    """Return a descriptor of a copy of the mounts at a path, which are attached nowhere yet."""
    flags = _TREE_CLONE | os.O_CLOEXEC | _AT_RECURSIVE
    opened = _libc.syscall(_OPEN_TREE, _AT_FDCWD, os.fsencode(path), flags)
    return int(_call(f"open_tree {path}", opened))


def _attach(tree: int, target: Path) -> None:
    """Put the mounts of ``_tree`` at a path, which is made if need be."""
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        is_folder = Path(f"/proc/self/fd/{tree}").is_dir()
        target.mkdir() if is_folder else target.touch()
    at = os.fsencode(target)
    moved = _libc.syscall(_MOVE_MOUNT, tree, b"", _AT_FDCWD, at, _MOVE_FROM_DESCRIPTOR)
    _call(f"move_mount {target}", moved)
    os.close(tree)


def _mount(kind: str, target: str, flags: int, options: str = "") -> None:
    done = _libc.mount(kind.encode(), target.encode(), kind.encode(), flags, options.encode())
    _call(f"mount {kind} at {target}", done)


def _set_read_only(path: str, recursive: bool = False) -> None:
    attributes = struct.pack("4Q", _RDONLY, 0, 0, 0)
    flags = _AT_RECURSIVE if recursive else 0
    size = ctypes.c_size_t(len(attributes))
    done = _libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, os.fsencode(path), flags, attributes, size)
    _call(f"mount_setattr {path}", done)


def _drop_capabilities() -> None:
    """Keep no capability, and get none again, not even as root."""
    _prctl(_NO_NEW_PRIVS, 1)
    _prctl(_AMBIENT, _AMBIENT_CLEAR)
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text())
    for capability in range(last + 1):
        _prctl(_CAPBSET_DROP, capability)
    header, none = struct.pack("Ii", _CAPABILITY_VERSION, 0), bytes(24)
    _call("capset", _libc.capset(header, none))


def _wait(child: int) -> NoReturn:
    """Outside: end as the first process in the namespaces does; with this one, all in them end."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the command hears it too, and may need a moment
    status = os.waitpid(child, 0)[1]
    os._exit(_code(status))


def _reap(child: int) -> NoReturn:
    """As the first process of the namespaces: wait for the command, and for its orphans."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        pid, status = os.wait()
        if pid == child:
            os._exit(_code(status))


def _code(status: int) -> int:
    """As a shell gives it: 128 and the signal's number where one ended the process."""
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


# --- limits ---


def _limit_processes(most: int) -> None:
    """Limit the processes and threads of the user in this namespace. Raises Refused.

    The limit of resources does not bind the machine's root, but process numbers can be limited for
    all, in a namespace from Linux 6.14 on.
    """
    _set(resource.RLIMIT_NPROC, most)
    if _binds_this_user():
        return
    try:
        Path("/proc/sys/kernel/pid_max").write_text(str(most + _RESERVED))
    except OSError as error:
        raise Refused(
            f"root has no limit of processes here before Linux 6.14 ({error}); use another user"
        ) from error


def _binds_this_user() -> bool:
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        try:
            grandchild = os.fork()
        except OSError:
            os._exit(0)
        os._exit(1 if grandchild else 0)
    return os.waitpid(child, 0)[1] == 0


def _set(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def _prctl(option: int, value: int) -> None:
    none = ctypes.c_ulong(0)
    _call("prctl", _libc.prctl(option, ctypes.c_ulong(value), none, none, none))


def _call(what: str, result: int) -> int:
    """Return what a system call did. Raises Refused."""
    if result < 0:
        raise Refused(f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2:])
