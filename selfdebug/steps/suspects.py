"""Where failures may come from that no frame explains: what the tests execute tells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from selfdebug.localization.endless import by_rounds
from selfdebug.localization.independent import independent
from selfdebug.localization.shape import shapes, wanted
from selfdebug.localization.spectrum import Spectrum, left_with, suspicious_sites
from selfdebug.model import Failure, Site, TestRun
from selfdebug.steps.context import Context
from selfdebug.steps.observe import Observation
from selfdebug.syntax.project import Project
from selfdebug.validation.warm import WarmRun

_SITES = 400  # the most suspicious statements
_QUICK = 0.05  # seconds; tests that take no longer are equally quick
_SLOW = 10  # times what the quickest takes


@dataclass(frozen=True)
class Suspects:
    """What the tests execute without a patch, and which of them are to pass in the end.

    ``before`` is the first run of the tests; ``baseline`` one that tells what each test executes.
    """

    project: Project
    before: TestRun
    baseline: WarmRun
    open_tests: frozenset[str]
    passing: frozenset[str]

    def of_tests(self, tests: Iterable[str]) -> Suspects:
        """Return the same where only some tests are to pass."""
        return replace(self, open_tests=frozenset(tests))

    def sites(
        self, failure: Failure, contents: Mapping[Path, bytes] | None = None
    ) -> tuple[Site, ...]:
        """Return the statements that may have made a test fail, the most suspicious first.

        ``contents`` are files that hold something else than the disk.
        """
        told, project = shapes(failure), self.project.changed(contents or {})
        sites = suspicious_sites(self._spectrum(failure.test), failure, project)
        endless = [each for each in self._seen(failure.test) if each.timed_out]
        sites = by_rounds(sites, failure, endless if failure.timed_out else (), project)
        answer = wanted(failure)
        attrs = {} if answer is None else {"wanted": answer}
        return tuple(replace(site, shapes=told, attrs=attrs) for site in sites[:_SITES])

    def independent(self, failures: Sequence[Failure]) -> tuple[tuple[Failure, ...], ...]:
        """Part failures into groups that have no likely cause in common."""
        return independent(self._spectrum(), failures, self.project)

    def _seen(self, test: str) -> tuple[Failure, ...]:
        """Return the failures of a test without a patch."""
        runs = (*self.before.failures, *self.baseline.run.failures)
        return tuple(each for each in runs if each.test == test)

    def _spectrum(self, test: str = "") -> Spectrum:
        returned = self.baseline.values.get(test, {})
        left = left_with(self._seen(test), self.project)
        return Spectrum(
            self.baseline.reached,
            self.open_tests,
            self.passing,
            {at: {**left.get(at, {}), **returned.get(at, {})} for at in (*left, *returned)},
            self.baseline.branches,
        )

    def most_telling_first(self, failures: Iterable[Failure]) -> tuple[Failure, ...]:
        """Return failures, those first that are soon seen again and execute the least."""
        every = tuple(failures)
        quickest = min(map(self.seconds, every))

        def how_telling(failure: Failure) -> tuple[bool, int, str]:
            # Most edits leave a loop without end, and each of these costs all the time it may take.
            slow = failure.timed_out or self.seconds(failure) > _SLOW * max(quickest, _QUICK)
            return slow, len(self.baseline.reached.get(failure.test, ())), failure.test

        return tuple(sorted(every, key=how_telling))

    def seconds(self, failure: Failure) -> float:
        """Return what a failing test takes; of one that does not end what the slowest others take."""
        durations = self.before.durations
        if failure.test in durations and not failure.timed_out:
            return durations[failure.test]
        return max((durations[test] for test in durations.keys() - self.open_tests), default=0.0)


def learn(context: Context, seen: Observation) -> Suspects | None:
    """Run the tests to see what they execute; None where nothing can tell."""
    baseline = context.tests.spectrum(seen.open_tests)
    if baseline is None or seen.before is None:
        return None
    outcomes = baseline.run.outcomes
    passing = frozenset(test for test, outcome in outcomes.items() if outcome == "passed")
    return Suspects(seen.project, seen.before, baseline, seen.open_tests, passing - seen.open_tests)
