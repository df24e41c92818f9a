"""Candidates tried on a dask.distributed cluster."""

from __future__ import annotations

import logging
from concurrent.futures import CancelledError, Future, wait
from importlib import import_module
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, cast

from selfdebug.validation.ahead import Job
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits

if TYPE_CHECKING:
    from selfdebug.validation.warm import Declined, WarmRun

_PATIENCE = 10  # seconds until a scheduler must have answered
_TICK = 0.05  # seconds between looks at ``stop``
_SENT = 4  # times that a job is given out, each after the loss of a worker with the only copy


class ClusterMissing(Exception):
    """The cluster can't be used: dask is not installed, nothing answers, or it has no workers."""


class ClusterLost(Exception):
    """The cluster did not answer a task to its end."""


class Cluster:
    """A connection to the scheduler at ``url`` (``dask://HOST:PORT``); close it.

    The project is packed and sent to each worker once; once more where dask, which keeps few copies,
    lost them with a worker. A task of a worker that is lost goes to another one. Raises ClusterMissing.
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
        self._data, self._sending = self._send(), Lock()
        self._executor = self._client.get_executor(pure=False)

    def run(
        self, job: Job, allowed: Limits, stop: Event | None = None
    ) -> WarmRun | Declined | None:
        """Let a worker do a job; None once ``stop`` is set. Raises ClusterLost."""
        from selfdebug.validation.remote import Task, attempt

        task = Task(self._command, self._packed.digest, job.contents, job.tests, allowed, job.known)
        for _ in range(_SENT):
            data = self._data
            try:
                future = self._executor.submit(attempt, task, data)
                return cast("WarmRun | Declined | None", _result(future, stop))
            except CancelledError:
                self._send_again(data)
            except Exception as error:
                # What dask raises, or what a worker that lacks our code or its disk does.
                raise ClusterLost(f"{type(error).__name__}: {error}") from error
        raise ClusterLost("one worker after the other is lost")

    def _send(self) -> Any:
        return self._client.scatter(self._packed, broadcast=True, hash=False)

    def _send_again(self, lost: Any) -> None:
        """Send the project to the workers that are left, once for all jobs. Raises ClusterLost."""
        with self._sending:
            if self._data is lost:
                try:
                    self._data = self._send()
                except Exception as error:
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
