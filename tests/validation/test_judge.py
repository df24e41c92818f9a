"""When a patch may stay: said by outcomes and the exit status, never by counted text."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from selfdebug.model import Judgement, Outcome, TestRun, Verdict
from selfdebug.validation.judge import judge

GREEN: Mapping[str, Outcome] = {"t.py::open": "passed", "t.py::other": "passed"}
BEFORE: Mapping[str, Outcome] = {"t.py::open": "failed", "t.py::other": "passed"}


def run(exit_code: int | None, outcomes: Mapping[str, Outcome]) -> TestRun:
    return TestRun(exit_code, (), outcomes, 1.0)


def ruled(
    after: TestRun,
    before: Mapping[str, Outcome] = BEFORE,
    again: Mapping[str, Outcome] | None = None,
    unpatched: Mapping[str, Outcome] | None = None,
    open_tests: Collection[str] = ("t.py::open",),
) -> Verdict:
    def unasked(_: Collection[str]) -> TestRun:
        raise AssertionError("no run was needed")

    return judge(
        after,
        open_tests,
        before,
        unasked if again is None else lambda _: run(1, again),
        unasked if unpatched is None else lambda _: run(1, unpatched),
    )


def test_a_green_suite_is_plausible() -> None:
    assert ruled(run(0, GREEN)).judgement is Judgement.PLAUSIBLE


def test_an_open_test_that_still_fails_is_named() -> None:
    verdict = ruled(run(1, BEFORE))
    assert verdict.judgement is Judgement.FAILS
    assert verdict.why == "t.py::open still fails"


@pytest.mark.parametrize("gone", [{"t.py::other": "passed"}, {**GREEN, "t.py::open": "skipped"}])
def test_an_open_test_that_no_longer_runs_is_not_healed(gone: Mapping[str, Outcome]) -> None:
    verdict = ruled(run(0, gone))
    assert verdict.judgement is Judgement.FAILS
    assert "did not run to its end" in verdict.why


def test_a_file_that_could_not_be_collected_must_show_its_tests() -> None:
    assert ruled(run(0, {}), open_tests=["t.py"]).judgement is Judgement.FAILS
    assert ruled(run(0, GREEN), open_tests=["t.py"]).judgement is Judgement.PLAUSIBLE


def test_a_test_that_passed_before_may_not_fail() -> None:
    broken: Mapping[str, Outcome] = {**GREEN, "t.py::other": "failed"}
    verdict = ruled(run(1, broken), again=broken, unpatched={"t.py::other": "passed"})
    assert verdict.judgement is Judgement.BREAKS
    assert verdict.why == "t.py::other passed before"


def test_a_test_that_passes_when_run_again_is_flaky() -> None:
    broken: Mapping[str, Outcome] = {**GREEN, "t.py::other": "failed"}
    verdict = ruled(run(1, broken), again=GREEN)
    assert verdict.judgement is Judgement.PLAUSIBLE
    assert verdict.why == "the tests to heal pass; t.py::other failed only now and then"


def test_a_test_that_fails_without_the_patch_too_is_not_its_doing() -> None:
    broken: Mapping[str, Outcome] = {**GREEN, "t.py::other": "failed"}
    verdict = ruled(run(1, broken), before={"t.py::open": "failed"}, again=broken, unpatched=broken)
    assert verdict.judgement is Judgement.PLAUSIBLE
    assert verdict.why == "the tests to heal pass; t.py::other failed before too"


def test_what_was_known_to_fail_is_not_run_again() -> None:
    known: Mapping[str, Outcome] = {"t.py::open": "failed", "t.py::other": "error"}
    after = run(1, {"t.py::open": "passed", "t.py::other": "error"})
    assert ruled(after, before=known).judgement is Judgement.PLAUSIBLE


@pytest.mark.parametrize("status", [2, 3, 4, 5, -11])
def test_a_status_other_than_passed_or_failed_is_no_proof(status: int) -> None:
    verdict = ruled(run(status, GREEN))
    assert verdict.judgement is Judgement.FAILS
    assert str(status) in verdict.why


def test_a_status_of_failure_without_a_failed_test_is_no_proof() -> None:
    """A coverage threshold, for instance."""
    assert ruled(run(1, GREEN)).judgement is Judgement.FAILS


def test_a_hang_is_a_timeout() -> None:
    verdict = ruled(run(None, GREEN))
    assert (verdict.judgement, verdict.why) == (
        Judgement.FAILS,
        "the tests were ended after 1 s (timeout)",
    )
