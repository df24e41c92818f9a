"""Candidates tried on a dask.distributed cluster."""

from __future__ import annotations

import logging
from concurrent.futures import Future, wait
from importlib import import_module
from threading import Event
from typing import TYPE_CHECKING, Any, cast

from selfdebug.validation.ahead import Job
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits

if TYPE_CHECKING:
    from selfdebug.validation.warm import Declined, WarmRun

_PATIENCE = 10  # seconds until a scheduler must have answered
_TICK = 0.05  # seconds between looks at ``stop``


class ClusterMissing(Exception):
    """The cluster can't be used: dask is not installed, nothing answers, or it has no workers."""


class ClusterLost(Exception):
    """The cluster did not answer a task to its end."""


class Cluster:
    """A connection to the scheduler at ``url`` (``dask://HOST:PORT``); close it.

    The project is packed and sent to each worker once. A task of a worker that is lost goes to
    another one. Raises ClusterMissing.
    """

    def __init__(self, url: str, command: PytestCommand) -> None:
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            raise ClusterMissing(f"{url} needs dask: pip install 'selfdebug[dask]'") from None
        from selfdebug.validation.packed import TooLarge, pack

        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            self._command, self._packed = command, pack(command.root)
            address = url.replace("dask://", "tcp://", 1)
            self._client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
        except TooLarge as error:
            raise ClusterMissing(f"the project can't be sent to {url}: {error}") from error
        except (OSError, ValueError) as error:
            raise ClusterMissing(f"no dask scheduler answers at {url}") from error
        self.threads = sum(self._client.nthreads().values())
        if not self.threads:
            self.close()
            raise ClusterMissing(f"the cluster at {url} has no workers")
        self._data = self._client.scatter(self._packed, broadcast=True, hash=False)
        self._executor = self._client.get_executor(pure=False)

    def run(
        self, job: Job, allowed: Limits, stop: Event | None = None
    ) -> WarmRun | Declined | None:
        """Let a worker do a job; None once ``stop`` is set. Raises ClusterLost."""
        from selfdebug.validation.remote import Task, attempt

        task = Task(self._command, self._packed.digest, job.contents, job.tests, allowed)
        try:
            future = self._executor.submit(attempt, task, self._data)
            return cast("WarmRun | Declined | None", _result(future, stop))
        except Exception as error:
            # What dask raises, or what a worker that lacks our code or its disk does.
            raise ClusterLost(f"{type(error).__name__}: {error}") from error

    def close(self) -> None:
        """Leave the cluster; it goes on without us."""
        self._client.close(timeout=2)


def _result(future: Future[object], stop: Event | None) -> object:
    while not wait([future], _TICK).done:
        if stop is not None and stop.is_set():
            future.cancel()
            return None
    return future.result()
