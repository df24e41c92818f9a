"""What every step of a run works with."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias

from selfdebug.settings import Settings
from selfdebug.stopwatch import Stopwatch
from selfdebug.validation.prepare import Prepared
from selfdebug.validation.runner import Runner

if TYPE_CHECKING:
    from selfdebug.codemods._listing import Template
    from selfdebug.model import Failure

Step: TypeAlias = Callable[[str], None]
_LATER = ("selfdebug.localization.localize", "selfdebug.steps.plausible", "selfdebug.steps.prove")


class Originals(dict[Path, bytes]):
    """What files held before any edit, as far as somebody asked."""

    def of(self, paths: Iterable[Path]) -> dict[Path, bytes]:
        """Return what files held when they were first asked for. Raises OSError."""
        return {path: self[path] for path in paths}

    def __missing__(self, path: Path) -> bytes:
        self[path] = path.read_bytes()
        return self[path]


@dataclass(frozen=True)
class Context:
    """The settings of a run, its tests, and where it tells what it does.

    ``step`` is called with a line on what happens now; ``notes`` are for the report.
    """

    settings: Settings
    prepared: Prepared
    step: Step
    notes: list[str] = field(default_factory=list)
    clock: Stopwatch = field(default_factory=Stopwatch)
    originals: Originals = field(default_factory=Originals)

    def note(self, what: str) -> None:
        """Tell something in the report, once."""
        if what not in self.notes:
            self.notes.append(what)

    @cached_property
    def tests(self) -> Runner:
        """The tests of the project."""
        return Runner(self.prepared.command, self.step, self.notes, self.prepared.server)

    @cached_property
    def codemods(self) -> tuple[Template, ...]:
        """The codemods that the settings leave. Raises ValueError where two have the same name."""
        from selfdebug.steps.catalogue import catalogue

        return catalogue(self.settings, self.prepared.command.plugins)

    @contextmanager
    def started(self, executor: str | None = None) -> Iterator[None]:
        """Hold what runs the tests, and import libcst while pytest is at work."""
        with self.tests.started(self.settings.jobs, executor):
            Thread(target=_import_ahead, args=[self], daemon=True).start()
            yield

    def import_answers(self, failures: Iterable[Failure]) -> None:
        """Hear what fails: what may answer it is imported while pytest is at work."""
        raised = {each.raised.type.rpartition(".")[2] for each in failures if each.raised}
        Thread(target=_import_answers, args=[self, raised], daemon=True).start()


def _import_answers(context: Context, exceptions: set[str]) -> None:
    from selfdebug.codemods._listing import import_those_for

    with suppress(Exception):  # the search meets it again, and says so
        import_those_for(exceptions, context.codemods)


def _import_ahead(context: Context) -> None:
    try:
        for name in _LATER:
            import_module(name)
        with suppress(Exception):  # the search meets it again, and says so
            _ = context.codemods
    finally:
        gc.freeze()  # it stays to the end: no search for garbage goes through it
        gc.enable()
