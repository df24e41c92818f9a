"""Steps that a second Ctrl-C must not cut in half."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
    if hasattr(signal, name)
)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold interrupts back for the length of the block, then deliver the first. Main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[tuple[int, FrameType | None]] = []
    previous = {number: signal.getsignal(number) for number in _SIGNALS}
    caught = [number for number, handler in previous.items() if callable(handler)]
    for number in caught:
        signal.signal(number, lambda *arguments: pending.append(arguments))
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, previous[number])
        if pending:
            signal.raise_signal(pending[0][0])
