"""What a run of the tests says of a patch. The exit status decides; text is never counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TypeAlias

from selfdebug.model import Judgement, Outcome, TestRun, Verdict

Rerun: TypeAlias = Callable[[Collection[str]], TestRun]
_GOOD: frozenset[Outcome] = frozenset({"passed", "skipped", "xfailed"})


def judge(
    after: TestRun,
    open_tests: Collection[str],
    before: Mapping[str, Outcome],
    again: Rerun,
    unpatched: Rerun,
) -> Verdict:
    """Say whether a patch may be kept: the open tests pass, and none that passed before fails.

    ``before`` is as much as is known of the outcomes without the patch. Tests that fail and were not
    known to are run once more with the patch (``again``: one that passes is flaky), then without it
    (``unpatched``: one that fails is not the patch's doing).
    """
    if after.exit_code is None:
        why = f"the tests were ended after {after.seconds:.0f} s (timeout)"
        return Verdict(Judgement.FAILS, why, after)
    failing = failed(after)
    if left := sorted(failing & set(open_tests)):
        return Verdict(Judgement.FAILS, f"{_names(left)} still fails", after)
    if lost := sorted(test for test in open_tests if _is_lost(test, after)):
        return Verdict(Judgement.FAILS, f"{_names(lost)} did not run to its end", after)
    if after.exit_code == 0:
        return Verdict(Judgement.PLAUSIBLE, "the suite passes", after)
    broken = failing - {test for test, outcome in before.items() if outcome not in _GOOD}
    now_and_then = broken - failed(again(broken)) if broken else broken
    broken -= now_and_then
    if broken:
        broken -= failed(unpatched(broken))
    if broken:
        return Verdict(Judgement.BREAKS, f"{_names(sorted(broken))} passed before", after)
    if after.exit_code != 1 or not failing:
        why = f"pytest ended with status {after.exit_code}"
        return Verdict(Judgement.FAILS, why, after)
    return Verdict(Judgement.PLAUSIBLE, _besides(failing - now_and_then, now_and_then), after)


def failed(run: TestRun) -> frozenset[str]:
    """Return the node ids that failed in any phase."""
    named = {failure.test for failure in run.failures}
    return frozenset(
        named | {test for test, end in run.outcomes.items() if end not in _GOOD | {"xpassed"}}
    )


def timed_out(run: TestRun) -> frozenset[str]:
    """Return the node ids of tests that were ended where they were."""
    return frozenset(failure.test for failure in run.failures if failure.timed_out)


def _is_lost(test: str, after: TestRun) -> bool:
    """Whether a test, or every test of a file that could not be collected, is gone."""
    if "::" in test:
        return after.outcomes.get(test) != "passed"
    if test.endswith("conftest.py"):
        return not after.outcomes
    return bool(test.endswith(".py")) and not any(name.startswith(test) for name in after.outcomes)


def _besides(failed_before: frozenset[str], now_and_then: frozenset[str]) -> str:
    told = ["the tests to heal pass"]
    if failed_before:
        told.append(f"{_names(sorted(failed_before))} failed before too")
    if now_and_then:
        told.append(f"{_names(sorted(now_and_then))} failed only now and then")
    return "; ".join(told)


def _names(tests: list[str]) -> str:
    return tests[0] if len(tests) == 1 else f"{tests[0]} and {len(tests) - 1} more"
