"""What fails: told by a log, and seen in runs of the tests before any edit."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from selfdebug.model import Failure, FinalStatus, TestRun, Traceback
from selfdebug.steps.context import Context
from selfdebug.syntax.project import Project
from selfdebug.validation.judge import failed, timed_out

if TYPE_CHECKING:
    from selfdebug.localization.localize import Diagnosis


class Ended(Exception):
    """The loop is over without a patch: the final status, the exit code, and a sentence."""

    def __init__(self, status: FinalStatus, exit_code: int, message: str):
        self.status, self.exit_code = status, exit_code
        super().__init__(message)


@dataclass(frozen=True)
class Observation:
    """The failures, as far as they are known.

    ``before`` is the first run of the tests; None as long as only a log tells of them. ``open_tests``
    are to pass in the end.
    """

    project: Project
    failures: tuple[Failure, ...] = ()
    tracebacks: tuple[Traceback, ...] = ()
    before: TestRun | None = None
    open_tests: frozenset[str] = frozenset()

    @property
    def hanging(self) -> tuple[Failure, ...]:
        """The failures of tests that did not end."""
        return tuple(failure for failure in self.failures if failure.timed_out)

    def localized(
        self, failure: Failure, contents: Mapping[Path, bytes] | None = None
    ) -> Diagnosis:
        """Say where a failure comes from, with files that hold something else than the disk."""
        from selfdebug.localization.localize import localize

        return localize(failure, self.project.changed(contents or {}))

    def of(self, failures: tuple[Failure, ...]) -> Observation:
        """Return the same with other failures."""
        from selfdebug.localization.localize import traceback_entry

        entries = tuple(traceback_entry(failure, self.project) for failure in failures)
        return replace(self, failures=failures, tracebacks=entries)


def read(log: BinaryIO, context: Context) -> Observation:
    """Return the failures that a log shows. Raises Ended where it shows none."""
    from selfdebug.ingestion.logs import read_log

    context.step("reading the log")
    told = read_log(log)
    if not told.failures and told.sessions and not told.complaint:
        raise Ended("no-failure", 0, "nothing fails in the log")
    if not told.failures:
        raise Ended("no-frame", 2, told.complaint or "the log shows no failure")
    seen = Observation(Project(context.settings.root, told.roots))
    return seen.of(tuple(_explained(failure, seen) for failure in told.failures))


def _explained(failure: Failure, seen: Observation) -> Failure:
    """Look for a program that ended in an error, where a failure has no place that may be edited."""
    from selfdebug.ingestion.programs import with_program

    return failure if seen.localized(failure).sites else with_program(failure)


def see_once(context: Context) -> Observation:
    """Run the tests to look at what fails only. Raises Ended where nothing does."""
    nothing = Observation(Project(context.settings.root))
    run = _failing_run(context, context.settings.nodes)
    seen = _with_programs(context, run) if run.spawned else run
    return replace(nothing.of(seen.failures), before=run, open_tests=failed(run))


def see_twice(context: Context, told: Observation) -> Observation:
    """Return the failures to heal, each seen twice: in the log or a run, then in a run.

    Raises Ended where there are none.
    """
    if told.failures:
        context.import_answers(told.failures)
        first = again = _confirm(context, told)
    else:
        first = _failing_run(context, context.settings.nodes)
        context.import_answers(first.failures)
        again = first if first.spawned else context.tests.again(failed(first))
    if first.spawned:
        again = _with_programs(context, first)
    again = _as_seen(first, again)
    passed = failed(first) - failed(again)
    slow = sorted(passed & timed_out(first))
    flaky = sorted(passed - timed_out(first))
    if slow:
        context.notes.append(f"slow, and not hanging: {', '.join(slow)}")
    if flaky:
        context.notes.append(f"flaky, and not repaired: {', '.join(flaky)}")
    if not again.failures:
        why = f"{min(passed)} failed once and then passed"
        raise Ended("no-failure", 0, f"{why}: it is {'flaky' if flaky else 'slow'}")
    return replace(told.of(again.failures), before=first, open_tests=failed(again))


def _confirm(context: Context, told: Observation) -> TestRun:
    """Run the tests that failed in a log. Raises Ended where they pass, or the log is stale."""
    tests = frozenset(failure.test for failure in told.failures if failure.test)
    context.tests.prepare_proof()
    run = _failing_run(context, tests, told_by_log=True)
    if all(told.localized(failure).reason == "stale" for failure in told.failures):
        why = told.localized(told.failures[0]).why
        raise Ended("no-frame", 2, f"the log is stale: {why}; run without it, or with a new one")
    return run


def _failing_run(context: Context, tests: Collection[str], *, told_by_log: bool = False) -> TestRun:
    """Run the tests for the first time. Raises Ended where they show nothing to heal.

    Those that a log tells of may have been named on another machine, and have other names here.
    """
    run = context.tests.observe(tests)
    if told_by_log and tests and not run.failures and run.exit_code in (4, 5):
        run = context.tests.observe(())
    if run.exit_code is None:
        raise Ended("no-frame", 2, f"the tests hang: ended after {run.seconds:.0f} s (timeout)")
    if run.failures:
        return run
    if run.exit_code == 0:
        what = "nothing fails"
        if told_by_log:
            what = "the failures of the log no longer occur: it is stale, or a test is flaky"
        raise Ended("no-failure", 0, what)
    why = {2: "was interrupted", 3: "had an internal error", 5: "collected no tests"}
    told = why.get(run.exit_code, f"ended with status {run.exit_code}")
    raise Ended("no-frame", 2, _not_found(run) or f"pytest {told}: {_last_lines(run.output)}")


def _with_programs(context: Context, first: TestRun) -> TestRun:
    """Run what failed again, where tests start programs: these tell what ended them.

    A program may notice that it is looked at. So a failure that is another one than before is told as
    it was, and what passes is run once more as it is.
    """
    tests = failed(first)
    seen = context.tests.again(tests, programs=True)
    plain: dict[tuple[str, str, str | None], Failure] = {
        (each.test, each.phase, each.subtest): each for each in first.failures
    }
    failures = [
        each if _alike(each, before) else before
        for each in seen.failures
        if (before := plain.get((each.test, each.phase, each.subtest)))
    ]
    known = {each.test for each in failures}
    odd = (each for each in first.failures if each.test in failed(seen) - known)
    seen = replace(seen, failures=(*failures, *odd))
    passed = tests - failed(seen)
    if not passed:
        return seen
    alone = context.tests.again(passed)
    outcomes = {**seen.outcomes, **alone.outcomes}
    return replace(seen, failures=(*seen.failures, *alone.failures), outcomes=outcomes)


def _alike(failure: Failure, before: Failure) -> bool:
    """Whether a test failed as before: what is told of its programs aside, and messages differ."""
    if failure.raised is None or before.raised is None:
        return before.raised is None
    raised, earlier = failure.raised, before.raised
    places = [[(at.file, at.line) for at in each.frames] for each in (raised, earlier)]
    return raised.type == earlier.type and places[0] == places[1]


def _as_seen(first: TestRun, again: TestRun) -> TestRun:
    """Return the second run of tests; of those that did not end, how they were with more time."""
    ended = {failure.test: failure for failure in first.failures if failure.timed_out}
    failures = (
        ended.get(failure.test, failure) if failure.timed_out else failure
        for failure in again.failures
    )
    return replace(again, failures=tuple(failures))


def _not_found(run: TestRun) -> str:
    """Say which test there is not, with pytest's own line; "" where that is not what it says."""
    said = re.search(r"^ERROR: .*not found: (.+)$", run.output, re.MULTILINE)
    if run.exit_code != 4 or said is None:
        return ""
    named = said[1].strip()
    if run.rootdir:
        named = named.removeprefix(f"{run.rootdir}{os.sep}")
    return f"no test is named {named}: {said[0]}"


def _last_lines(output: str) -> str:
    return "\n".join(output.strip().splitlines()[-8:])
