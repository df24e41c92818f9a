"""The project's tests, on their way before anything else of ours is imported.

pytest takes longer to collect them than we take to import libcst, so it starts first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from selfdebug.settings import Settings
from selfdebug.validation import warm
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Patience, suite_memory
from selfdebug.validation.sandbox import Sandbox, SandboxMissing, find
from selfdebug.validation.warm import WarmServer

_REST = 20.0  # how much longer than all others before it a test takes that hangs


@dataclass(frozen=True, slots=True)
class Prepared:
    """How tests are run, and the warm server, where there is one."""

    command: PytestCommand
    server: WarmServer | None = None

    @property
    def sandbox(self) -> str | None:
        """What confines the tests; None where nothing does."""
        sandbox = self.command.sandbox
        return sandbox.how if isinstance(sandbox, Sandbox) else None


@contextmanager
def prepared(
    settings: Settings, scratch: Path, *, plugins: Path | None = None, warmed: bool = True
) -> Iterator[Prepared]:
    """Start what a run needs for the length of the block: the warm server.

    ``scratch`` is the folder for all that the tests need while they run; ``plugins`` is a folder of
    this user alone, to keep what is compiled for later runs.
    """
    # A run that stops at its first failure would not show what else a patch breaks.
    args = (*settings.pytest_args, "--maxfail=0")
    command = PytestCommand(
        settings.root,
        settings.python,
        args,
        settings.timeout,
        scratch=scratch,
        plugins=plugins,
        memory=suite_memory(),
        patience=Patience(settings.test_timeout, _REST, settings.timeout),
        sandbox=_sandbox(settings.root, scratch) if settings.sandbox else None,
    )
    server = warm.start(command, settings.jobs) if warmed else None
    if not isinstance(server, WarmServer):
        yield Prepared(command)
        return
    with server:
        yield Prepared(command, server)


def _sandbox(root: Path, scratch: Path) -> Sandbox | SandboxMissing:
    try:
        return find(root, scratch)
    except SandboxMissing as missing:
        return missing
