"""What holds for the whole test run, and what it prints at its end."""

from __future__ import annotations

import signal

import pytest

# A job in the background of a shell ignores interrupts, and would pass that on to all it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the number of instants at which the crash model has killed a run."""
    passed = terminalreporter.stats.get("passed", [])
    count = sum(name == "crash points" for each in passed for name, _ in each.user_properties)
    if count:
        terminalreporter.write_line(
            f"crash model: killed at {count} points, no tree in a third state"
        )
