"""What a worker of a cluster does: unpack a project once, keep a warm server of it, try candidates.

``attempt`` is a pure function of its arguments. A worker needs selfdebug, and an interpreter that has
what the project's tests need.
"""

from __future__ import annotations

import atexit
import os
import sys
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from selfdebug.validation import overlay, warm
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits
from selfdebug.validation.packed import Packed, unpack
from selfdebug.validation.warm import Declined, WarmRun, WarmServer

_KEPT = 2  # projects whose servers a worker keeps


@dataclass(frozen=True)
class Task:
    """One trial. ``command`` is as on the caller's machine, and so are all paths.

    ``known`` is all that the tests may do to their surroundings; None stands for anything.
    """

    command: PytestCommand
    digest: str
    contents: Mapping[Path, bytes]
    tests: tuple[str, ...]
    allowed: Limits
    known: tuple[str, ...] | None = None


class _Server:
    """A warm server in an unpacked copy of a project."""

    def __init__(self, command: PytestCommand, packed: Packed, folder: str | None) -> None:
        with ExitStack() as resources:
            made = Path(
                resources.enter_context(
                    tempfile.TemporaryDirectory(
                        prefix="sd-", dir=folder, ignore_cleanup_errors=True
                    )
                )
            ).resolve()
            self.copy = unpack(packed, made)
            python = command.python if command.python.exists() else Path(sys.executable)
            here = replace(command, python=python, scratch=None, plugins=None)
            moved = overlay.moved(here, self.copy)
            server = warm.start(moved, _threads(), original=command.root)
            if isinstance(server, WarmServer):
                resources.enter_context(server)
            self.server = server
            self.close = resources.pop_all().close


_lock = threading.Lock()
_servers: OrderedDict[tuple[object, ...], _Server] = OrderedDict()


def attempt(task: Task, packed: Packed) -> WarmRun | Declined:
    """Run a task's tests, and name all files as on the caller's machine."""
    key = (task.digest, task.command.root, task.command.python, task.command.args)
    with _lock:
        if key not in _servers:
            _servers[key] = _Server(task.command, packed, _local_folder())
        _servers.move_to_end(key)
        unused = [_servers.popitem(last=False)[1] for _ in range(len(_servers) - _KEPT)]
        server = _servers[key]
    for each in unused:
        each.close()
    if isinstance(server.server, Declined):
        return server.server
    root = task.command.root
    contents = {server.copy / path.relative_to(root): text for path, text in task.contents.items()}
    known = task.known
    if known is not None:
        known = tuple(act.replace(f" {root}{os.sep}", f" {server.copy}{os.sep}") for act in known)
    return server.server.run(
        *(contents, task.tests, task.allowed), first_failure=False, known=known
    )


@atexit.register
def _close() -> None:
    while _servers:
        _servers.popitem()[1].close()


def _local_folder() -> str | None:
    """The folder that the worker's own supervisor removes, should it be killed."""
    from distributed import get_worker

    try:
        return str(get_worker().local_directory)
    except ValueError:  # called without a worker
        return None


def _threads() -> int:
    from distributed import get_worker

    try:
        return int(get_worker().state.nthreads)
    except ValueError:
        return 1
