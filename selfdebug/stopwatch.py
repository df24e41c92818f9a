"""Seconds by phase of a run."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass
class Stopwatch:
    """Seconds by phase; the time that passes belongs to the phase entered last."""

    seconds: dict[str, float] = field(default_factory=dict)
    _phase: str = "diagnosis"
    _since: float = field(default_factory=time.monotonic)

    def enter(self, phase: str) -> None:
        """Begin, or go on with, a phase."""
        now = time.monotonic()
        self.seconds[self._phase] = self.seconds.get(self._phase, 0.0) + now - self._since
        self._phase, self._since = phase, now

    def read(self) -> dict[str, float]:
        """Return the seconds of all phases, and their total."""
        self.enter(self._phase)
        phases = {
            name: self.seconds.get(name, 0.0) for name in ("diagnosis", "search", "verification")
        }
        return {**phases, "total": sum(phases.values())}
