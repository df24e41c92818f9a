"""The cold runner: a fresh pytest process of the project's own interpreter. Its word is the verdict."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from selfdebug.validation import launch, process
from selfdebug.validation.launch import PytestCommand

if TYPE_CHECKING:
    from selfdebug.model import TestRun


@dataclass(frozen=True, slots=True)
class Observed:
    """What a run is to tell of each test besides, and what tests may do.

    With ``lines`` what they execute and touch; of the tests ``watched`` also what variables held.
    ``read`` is given the report before it is removed. ``known`` is all that tests may do to their
    surroundings but for temporary files; None stands for anything.
    """

    lines: bool = True
    watched: Collection[str] = ()
    known: Collection[str] | None = None
    read: Callable[[Path], None] = lambda _: None


class PytestMissing(Exception):
    """The interpreter of the project can't be started, or can't import pytest."""


def run_pytest(
    command: PytestCommand,
    *,
    select: Sequence[str] = (),
    replaced: Mapping[Path, bytes] | None = None,
    original: Path | None = None,
    stop: Event | None = None,
    observed: Observed | None = None,
    programs: bool = False,
) -> TestRun:
    """Run the project's tests, or of them those with the node ids ``select``, in a new process.

    ``replaced`` is what the files of these absolute paths hold for whoever imports them in the run;
    the files stay as they are. It is proved only for those that ``overlaid`` of the run names: a
    script that a test starts, or a plugin that was imported earlier, sees the file itself.
    ``original`` says that the root is a copy of that project where ``replaced`` is written already
    (see ``overlay.py``); the run names all files as in the original.
    Python programs that tests start tell what they do where ``programs`` or ``observed`` says so; they
    may notice (their environment is another one), so no verdict comes from such a run.

    The process, with all that it started, is ended after the time of ``command`` or once ``stop`` is
    set; the run has no exit code then. On KeyboardInterrupt it is ended before that goes on.
    Raises PytestMissing, SandboxMissing.
    """
    with launch.scratch_folder(command) as scratch, launch.run_folder(scratch) as folder:
        installed, report = launch.install(command, scratch), folder.results / "report"
        env = launch.environment(command, installed, scratch, report)
        plugins = [installed.option("recorder")]
        if programs or observed is not None:
            plugins.insert(0, installed.option("children"))
        if command.patience is not None:
            plugins.insert(0, installed.option("deadline"))
        if select:
            nodes = [node for node in select if node]
            env["SELFDEBUG_SELECT"] = launch.written(folder.given / "select", nodes)
        if replaced:
            plugins.insert(0, installed.option("overlay"))
            served = _served(replaced, folder.given, command.root, original)
            env["SELFDEBUG_OVERLAY"] = launch.written(folder.given / "overlay", served)
        if original is not None:
            env["SELFDEBUG_COPY"] = "1"
        if observed is not None:
            plugins.append(installed.option("observer"))
            env |= _observing(observed, folder)
        try:
            line = launch.confined(command, launch.argv(command, plugins), scratch, env)
            started = process.Process(line, cwd=command.root, env=env, mark=str(report))
        except OSError as error:
            raise PytestMissing(f"{command.python} can't be started: {error}") from error
        ended = started.wait(command.timeout, stop)
        moved = None if original is None else (command.root, original)
        if observed is not None:
            observed.read(report)
        return _read(command, report, ended, moved)


def _observing(observed: Observed, folder: launch.RunFolder) -> dict[str, str]:
    """Write down what ``forked/observer.py`` is to do; temporary files are in the run's own folder."""
    known = None if observed.known is None else [*observed.known]
    given = {"observed": observed.lines, "watched": [*observed.watched], "known": known}
    return {
        "SELFDEBUG_OBSERVE": launch.written(folder.given / "observe", given),
        "TMPDIR": str(folder.results),
    }


_SPARE: tuple[launch.Plugin, ...] = ("gate", "recorder")


class Spare:
    """A fresh pytest process that waits right before it would import anything of the project.

    It is for the next run of the whole suite, which then need not wait for pytest itself to start.
    Close it. Raises OSError where the interpreter can't be started, and where a pipe can't be handed
    on (Windows).
    """

    def __init__(self, command: PytestCommand) -> None:
        self.command = command
        with ExitStack() as resources:
            scratch = resources.enter_context(launch.scratch_folder(command))
            self._folder = resources.enter_context(launch.run_folder(scratch))
            self._installed = launch.install(command, scratch)
            self._report = self._folder.results / "report"
            env = launch.environment(command, self._installed, scratch, self._report)
            plugins = [self._installed.option(each) for each in _SPARE]
            line = launch.confined(command, launch.argv(command, plugins), scratch, env)
            gate, self._order = os.pipe()
            try:
                self.process = process.Process(
                    line,
                    cwd=command.root,
                    env=env | {"SELFDEBUG_GATE": str(gate)},
                    mark=str(self._report),
                    handed=[gate],
                )
            except BaseException:
                os.close(self._order)
                raise
            finally:
                os.close(gate)
            self._resources = resources.pop_all()

    def run(
        self,
        changed: Collection[Path],
        replaced: Mapping[Path, bytes] | None = None,
        stop: Event | None = None,
    ) -> TestRun | None:
        """Run the whole suite as ``run_pytest`` does, and close.

        ``changed`` are the files that were written since the start. None where the process has
        imported one of them already, or ended: then only a new process can tell.
        """
        environment, plugin = {}, None
        if replaced:
            given = self._folder.given
            served = _served(replaced, given, self.command.root, None)
            environment["SELFDEBUG_OVERLAY"] = launch.written(given / "overlay", served)
            plugin = self._installed.option("overlay")
        order = {
            "changed": [os.path.realpath(path) for path in {*changed, *(replaced or ())}],
            "environment": environment,
            "plugin": plugin,
        }
        try:
            with suppress(BrokenPipeError), open(self._order, "wb") as stream:  # noqa: PTH123
                self._order = -1
                stream.write(json.dumps(order).encode())
            ended = self.process.wait(self.command.timeout, stop)
            run = _read(self.command, self._report, ended, None)
        finally:
            self.close()
        return run if run.versions or ended.exit_code is None else None

    def close(self) -> None:
        """End the process and remove what it left."""
        if self._order >= 0:
            os.close(self._order)
            self._order = -1
        self.process.end()
        self._resources.close()


def _served(
    replaced: Mapping[Path, bytes], folder: Path, root: Path, original: Path | None
) -> dict[str, tuple[str | None, str | None]]:
    """Write down what ``import_overlay.py`` has to serve, or in a copy to watch."""
    if original is not None:
        return {str(root / path.relative_to(original)): (None, str(path)) for path in replaced}
    contents = {path: folder / f"content-{number}" for number, path in enumerate(replaced)}
    for path, content in contents.items():
        content.write_bytes(replaced[path])
    return {str(path): (str(content), None) for path, content in contents.items()}


def _read(
    command: PytestCommand,
    report: Path,
    ended: process.Ended,
    moved: tuple[Path, Path] | None,
) -> TestRun:
    from selfdebug.ingestion import records  # while pytest runs, or after

    run = records.read(
        report,
        exit_code=ended.exit_code,
        seconds=ended.seconds,
        output=ended.output,
        moved=moved,
    )
    if not run.versions and "No module named pytest" in ended.output:
        raise PytestMissing(
            f"{command.python} has no pytest: install it there, or name the project's own "
            "interpreter with --python"
        )
    if not report.exists() and ended.exit_code not in (None, 0, 4):  # 4: pytest's own usage error
        raise PytestMissing(
            f"{command.python} did not start pytest; it ended with status {ended.exit_code}"
            f"{': ' if ended.output else ''}{ended.output.strip()}"
        )
    return run
