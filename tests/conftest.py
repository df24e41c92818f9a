"""What holds for the whole test run, and what it prints at its end."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator

import pytest

# A job in the background of a shell ignores interrupts, and would pass that on to all it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a test run that is killed leaves of our temporary folders is pytest's to remove."""
    folder = str(tmp_path_factory.mktemp("t"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the number of instants at which the crash model has killed a run."""
    passed = terminalreporter.stats.get("passed", [])
    count = sum(name == "crash points" for each in passed for name, _ in each.user_properties)
    if count:
        terminalreporter.write_line(
            f"crash model: killed at {count} points, no tree in a third state"
        )
