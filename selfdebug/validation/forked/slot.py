"""A slot tries one candidate at a time, in a fork, and ends all that this leaves behind.

As a "subreaper", see prctl(2), a slot inherits the processes whose parents are gone, so that none gets
away. It needs no third process between itself and the candidate: forking a large one costs time.
"""

# A test may patch pathlib.
# ruff: noqa: PTH118, PTH123, PTH208

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import socket
import stat
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_prctl = ctypes.CDLL(None).prctl
_fork = ctypes.PyDLL(None).fork
_madvise = ctypes.CDLL(None).madvise
_madvise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_MADV_COLLAPSE, _HUGE = 25, 2 * 1024 * 1024
_MESSAGE = 65536  # bytes; a message is one packet
STOP = b"stop"

if TYPE_CHECKING:
    Request = dict[str, Any]
else:
    Request = dict  # not subscriptable before Python 3.9


def tell(address: str, message: Request) -> int:
    """Connect to the host, say what this process is, and give the descriptor of the connection."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(address)
    connection.send(json.dumps(message).encode())
    return connection.detach()


def fork() -> int:
    """Fork as os.fork(2) does, but without what Python and its modules do on that occasion.

    Nobody else forks here: that ``random`` is seeded anew and pools are emptied would tell the tests.
    Where there is one thread, all that is left out is the renewal of locks that nobody holds.
    """
    child: int = _fork()
    if child < 0:
        raise OSError("fork")
    return child


def gather() -> None:
    """Bring what this process has in memory together in huge pages, where the kernel does that.

    To fork a process of many small pages, and to end it, takes longer than a quick test. See madvise(2).
    """
    with open("/proc/self/maps") as maps:
        mappings = [line.split() for line in maps]
    for span, access, _, _, inode, *_ in mappings:
        if access == "rw-p" and inode == "0":
            start, end = (int(each, 16) for each in span.split("-"))
            first = -(-start // _HUGE) * _HUGE
            if end - first >= _HUGE:
                _madvise(first, (end - first) // _HUGE * _HUGE, _MADV_COLLAPSE)


def branch(address: str) -> str:
    """Fork for each test that the host names, until it is gone; returns only in the forks, with that."""
    connection = tell(address, {"place": "collected"})
    while True:
        test = os.read(connection, _MESSAGE).decode()
        if not test:
            rest()
        if not fork():
            os.close(connection)
            return test


def spread(forks: int) -> None:
    """Return in so many forks; this process stays until all have ended."""
    for _ in range(forks):
        if not fork():
            return
    rest()


def rest() -> NoReturn:
    """Stay until all forks have ended."""
    with suppress(ChildProcessError):
        while True:
            os.wait()
    os._exit(0)


def serve(address: str, place: Request, prepare: Callable[[Request], None]) -> Request:
    """Answer the host's requests until it is gone.

    Returns only in the forks, each with the request that it is there for; ``prepare`` is called with
    it meanwhile, and what that remembers serves the later ones. A fork waits for its request, and its
    answer not for its end where it started no process: both take time where memory is large.
    """
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    awake, wake = os.pipe()
    for each in (awake, wake):
        os.set_blocking(each, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    connection, streams = tell(address, place), _streams()
    while True:
        orders, order = os.pipe()
        told, tell_end = os.pipe()
        child = fork()
        if not child:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for each in (connection, awake, wake, order, told):
                os.close(each)
            return _await(orders, tell_end, streams)
        os.close(orders)
        os.close(tell_end)
        asked = _next(connection)
        _hand(order, asked)
        request = _read(asked)
        deadline = time.monotonic() + request["seconds"]
        _settle(request["folder"])
        prepare(request)
        in_time, status = _wait(child, [told, connection, awake], deadline)
        if status is None:
            status = _end(child)
            _answer(connection, status if in_time else None)
        else:
            _answer(connection, status)
            _end(child)
        os.close(told)


def finish(status: int) -> NoReturn:
    """End the fork; tell its slot how, unless that has to look for what the tests started."""
    if os.getpid() == _told_by[0] and not _started_any():
        os.write(_told_by[1], bytes([status]))
    os._exit(status)


def _started_any() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt > 0
    return True


_told_by: list[int] = []  # the process that may tell how the trial ended, and where


def _await(orders: int, tell_end: int, streams: Streams) -> Request:
    """In a fork: wait for the request, and accept its limits."""
    os.setsid()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    _told_by[:] = os.getpid(), tell_end
    asked = b"".join(iter(lambda: os.read(orders, _MESSAGE), b""))
    if not asked:
        os._exit(0)
    os.close(orders)
    request = _read(asked)
    _confine(request, streams)
    return request


def _next(connection: int) -> bytes:
    """Wait for the next request, or the path of a file with one that is long."""
    while True:
        asked = os.read(connection, _MESSAGE)
        if not asked:
            os._exit(0)
        if asked != STOP:  # what ended by itself meanwhile
            return asked


def _hand(order: int, asked: bytes) -> None:
    with suppress(OSError):  # then the fork is gone already
        while asked:
            asked = asked[os.write(order, asked) :]
    os.close(order)


def _answer(connection: int, status: int | None) -> None:
    with suppress(OSError):  # then the host is gone, and there is no next request
        os.write(connection, json.dumps({"status": status}).encode())


def _read(asked: bytes) -> Request:
    if not asked.startswith(b"{"):
        with open(asked, "rb") as stream:
            asked = stream.read()
    return Request(json.loads(asked))


def _wait(child: int, watched: list[Any], deadline: float) -> tuple[bool, int | None]:
    """Wait for the child, but not beyond its time, nor once the host says something or is gone.

    Returns whether it ended, and with what status if it told that itself.
    """
    told, connection, awake = watched
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        left = deadline - time.monotonic()
        ready = select.select(watched, [], [], max(left, 0))[0]
        if told in ready:
            status = os.read(told, 1)
            if status:
                return True, status[0]
            watched = [connection, awake]
        elif left <= 0 or connection in ready:
            return False, None
        elif ready:
            os.read(awake, 4096)
    return True, None


def _end(child: int) -> int:
    """End the child's session and all its other descendants; return how it ended itself."""
    for kill in (os.killpg, os.kill):
        with suppress(OSError):
            kill(child, signal.SIGKILL)
    status = _status(os.waitpid(child, 0)[1])
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status
        if not pid:
            for orphan in _children():
                with suppress(OSError):
                    os.kill(orphan, signal.SIGKILL)
            time.sleep(0.0005)


def _status(status: int) -> int:
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _children() -> list[int]:
    mine = str(os.getpid()).encode()
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as stat_file:
                if stat_file.read().rpartition(b")")[2].split()[1] == mine:
                    found.append(int(name))
    return found


def supervise(address: str, child: int) -> NoReturn:
    """Tell the host how the child ended, and stay until all others have."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    while True:
        try:
            pid, status = os.wait()
        except ChildProcessError:
            os._exit(0)
        if pid == child:
            with suppress(OSError):
                tell(address, {"place": "swap", "status": _status(status)})


# --- what a candidate may do ---

_OUTPUT = os.fstat(1)


def _confine(request: Request, streams: Streams) -> None:
    _settle(request["folder"])
    _lead(os.path.join(request["folder"], "output"), streams)
    _limit(resource.RLIMIT_CORE, 0)
    if request["memory"] is not None:
        with open("/proc/self/statm", "rb") as statm:
            pages = int(statm.read().split()[0])
        _limit(resource.RLIMIT_AS, pages * resource.getpagesize() + request["memory"])
    if request["file"] is not None:
        _limit(resource.RLIMIT_FSIZE, request["file"])


def _limit(what: int, value: int) -> None:
    hard = resource.getrlimit(what)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(what, (value, hard))


def _settle(folder: str) -> None:
    """Let temporary files be made there: a slot does so for all its forks."""
    if tempfile.tempdir != folder:
        tempfile.tempdir = folder
        os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = folder


class Streams(NamedTuple):
    """The descriptors that lead where standard output did, and those of files without a name.

    The latter, like those that pytest captures output in, are shared with the other forks, position and
    all.
    """

    output: list[int]
    nameless: list[int]


def redirect(path: str) -> None:
    """Let every descriptor that leads where standard output did lead to the file."""
    _lead(path, _streams())


def _streams() -> Streams:
    found = Streams([], [])
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        try:
            status = os.fstat(descriptor)
        except OSError:  # the one that listed them
            continue
        if os.path.samestat(status, _OUTPUT):
            found.output.append(descriptor)
        elif stat.S_ISREG(status.st_mode) and not status.st_nlink:
            found.nameless.append(descriptor)
    return found


def _lead(path: str, streams: Streams) -> None:
    global _OUTPUT  # noqa: PLW0603
    output = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor in streams.output:
        os.dup2(output, descriptor, os.get_inheritable(descriptor))
    for descriptor in streams.nameless:
        _unshare(descriptor)
    _OUTPUT = os.fstat(output)
    os.close(output)


def _unshare(descriptor: int) -> None:
    own = os.memfd_create("captured")
    size = os.fstat(descriptor).st_size
    if size:
        os.write(own, os.pread(descriptor, size, 0))
    os.lseek(own, os.lseek(descriptor, 0, os.SEEK_CUR), os.SEEK_SET)
    os.dup2(own, descriptor, os.get_inheritable(descriptor))
    os.close(own)
