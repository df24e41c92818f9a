"""What a run may spend on its search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from selfdebug.model import SearchEnd
from selfdebug.planning.search import Exhausted
from selfdebug.settings import Settings
from selfdebug.stopwatch import Stopwatch


@dataclass
class Budget:
    """The attempts, candidates and seconds that the settings allow, and what was spent of them.

    An attempt is a candidate that a fresh process judges: one, however often it does. ``spent`` says
    which limit was reached, if any.
    """

    settings: Settings
    clock: Stopwatch
    spent: SearchEnd | None = None
    _judged: list[Mapping[Path, bytes]] = field(default_factory=list)

    @property
    def attempts(self) -> int:
        """How many attempts were made."""
        return len(self._judged)

    def attempt(self, contents: Mapping[Path, bytes]) -> None:
        """Count an attempt, by what the files are to hold."""
        if contents not in self._judged:
            self._judged.append(contents)

    def check(self, tries: int) -> None:
        """Raise Exhausted where no attempt is left, no candidate after so many, or no time."""
        settings, seconds = self.settings, self.clock.read()["search"]
        if self.attempts >= settings.max_attempts:
            self.spent = "attempts"
            raise Exhausted(f"the {settings.max_attempts} attempts allowed are used up")
        if tries > settings.max_candidates:
            self.spent = "candidates"
            raise Exhausted(f"the {settings.max_candidates} candidates allowed are used up")
        if seconds > settings.search_seconds:
            self.spent = "time"
            raise Exhausted(
                f"the search was ended after {seconds:.0f} s; --search-seconds allows more"
            )
