"""What a run may spend on its search."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from selfdebug.model import SearchEnd
from selfdebug.planning.search import Exhausted
from selfdebug.settings import Settings
from selfdebug.stopwatch import Stopwatch


class ShareOver(Exhausted):
    """A part of the search has used up its share of the time."""


@dataclass
class Share:
    """A part of the search's time; ``over`` says whether it did not suffice."""

    over: bool = False


@dataclass
class Budget:
    """The attempts, candidates and seconds that the settings allow, and what was spent of them.

    An attempt is a candidate that a fresh process judges: one, however often it does. ``spent`` says
    which limit was reached, if any.
    """

    settings: Settings
    clock: Stopwatch
    spent: SearchEnd | None = None
    _share: float = math.inf  # seconds of search at which the share of a part ends
    _share_began: float = 0.0
    _judged: list[Mapping[Path, bytes]] = field(default_factory=list)

    @property
    def attempts(self) -> int:
        """How many attempts were made."""
        return len(self._judged)

    def attempt(self, contents: Mapping[Path, bytes]) -> None:
        """Count an attempt, by what the files are to hold."""
        if contents not in self._judged:
            self._judged.append(contents)

    @property
    def seconds(self) -> float:
        """How long the search took until now."""
        return self.clock.read()["search"]

    @property
    def left(self) -> float:
        """How many seconds the search may go on."""
        return max(0.0, self.settings.search_seconds - self.seconds)

    @contextmanager
    def share(self, seconds: float) -> Iterator[Share]:
        """End a part of the search after so many seconds, at the next check, without an error."""
        share = Share()
        self._share_began = self.seconds
        self._share = self._share_began + seconds
        try:
            yield share
        except ShareOver:
            share.over = True
        finally:
            self._share = math.inf

    def hasten(self) -> None:
        """Hear that what a share of the time is for was found: better ones need not be sought for long.

        That is as long again, or for a third of what is left of the share.
        """
        now = self.seconds
        if now < self._share < math.inf:
            longer = max(now - self._share_began, (self._share - now) / 3)
            self._share = min(self._share, now + longer)

    def check_attempts(self) -> None:
        """Raise Exhausted where no attempt is left."""
        if self.attempts >= self.settings.max_attempts:
            self.spent = "attempts"
            raise Exhausted(f"the {self.settings.max_attempts} attempts allowed are used up")

    def check(self, tries: int) -> None:
        """Raise Exhausted where no attempt is left, no candidate after so many, or no time."""
        self.check_attempts()
        settings, seconds = self.settings, self.seconds
        if tries > settings.max_candidates:
            self.spent = "candidates"
            raise Exhausted(f"the {settings.max_candidates} candidates allowed are used up")
        if seconds > settings.search_seconds:
            self.spent = "time"
            raise Exhausted(
                f"the search was ended after {seconds:.0f} s; --search-seconds allows more"
            )
        if seconds > self._share:
            raise ShareOver
