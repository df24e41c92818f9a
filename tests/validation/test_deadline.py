"""A test that does not end is a failure with a traceback, and the others run."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from selfdebug.model import STILL_RUNNING, Failure, TestRun
from selfdebug.validation import deadline
from selfdebug.validation.cold import run_pytest
from selfdebug.validation.judge import timed_out
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits, Patience
from selfdebug.validation.runner import Runner
from selfdebug.validation.warm import WarmRun
from tests.interpreters import PYTEST_5, PYTEST_8, PYTEST_9
from tests.validation.test_cold import HERE, python, write
from tests.validation.test_reached import started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="for Linux only")

SHOP = """\
def count(down):
    while down:
        down = step(down)
    return "done"


def step(down):
    return down - 1
"""
TESTS = """\
from shop import count


def test_before():
    assert count(1) == "done"


def test_hangs():
    assert count(-1) == "done"


def test_after():
    assert count(2) == 3
"""
# Once a test was ended the next ones have a quarter of this: a busy machine may need some of it.
A_SECOND = Patience(1)
BEFORE, HANGS, AFTER = (f"test_shop.py::test_{name}" for name in ("before", "hangs", "after"))


def run(root: Path, patience: Patience, *args: str, python: Path = HERE) -> TestRun:
    return run_pytest(PytestCommand(root, python, args, timeout=60, patience=patience))


@pytest.mark.parametrize("environment", [PYTEST_9, PYTEST_5], ids=["3.13", "3.7"])
def test_it_fails_where_it_was(tmp_path: Path, environment: tuple[str, ...]) -> None:
    root = write(tmp_path, {"shop.py": SHOP, "test_shop.py": TESTS})
    found = run(root, A_SECOND, python=python(environment))
    assert found.exit_code == 1
    assert found.outcomes == {BEFORE: "passed", HANGS: "failed", AFTER: "failed"}
    hung, other = found.failures
    assert hung.raised is not None
    assert (hung.timed_out, hung.raised.type) == (True, "TestTimeout")
    assert hung.raised.message.startswith("still running after 1")
    loop = hung.raised.frames[1]
    assert (Path(loop.file).name, loop.function, loop.line in (2, 3)) == ("shop.py", "count", True)
    assert (loop.locals["down"].text or "").startswith("-")
    assert all(Path(frame.file).name != "deadline.py" for frame in hung.raised.frames)
    assert not other.timed_out


@pytest.mark.parametrize("environment", [PYTEST_9, PYTEST_8, PYTEST_5], ids=["3.13", "3.11", "3.7"])
def test_what_tries_again_after_every_exception_is_ended_too(
    tmp_path: Path, environment: tuple[str, ...]
) -> None:
    source = """
    import time

    def test_hangs():
        while True:
            try:
                time.sleep(0.01)
            except:
                continue

    def test_after():
        pass
    """
    root = write(tmp_path, {"test_a.py": source})
    found = run(root, A_SECOND, python=python(environment))
    assert found.outcomes == {"test_a.py::test_hangs": "failed", "test_a.py::test_after": "passed"}


def test_each_test_that_was_ended_leaves_less_to_the_next_but_some() -> None:
    assert [deadline.left_after(ended, 20) for ended in range(4)] == [20, 5, 2, 2]
    assert [deadline.left_after(ended, 4) for ended in range(4)] == [4, 1, 1, 1]


def test_a_call_that_does_not_come_back_is_ended_with_its_process(tmp_path: Path) -> None:
    source = "import itertools\n\n\ndef test_hangs():\n    sum(itertools.repeat(0))\n"
    found = run(write(tmp_path, {"test_a.py": source}), Patience(0.3))
    assert [failure.text for failure in found.failures] == [
        "still running when the time was up, and could not be interrupted"
    ]
    assert found.failures[0].timed_out
    assert found.crashed == ("test_a.py::test_hangs",)


def test_a_file_that_cannot_be_imported_to_its_end(tmp_path: Path) -> None:
    root = write(
        tmp_path, {"test_a.py": "while True:\n    pass\n", "test_b.py": "def test_b(): pass"}
    )
    found = run(root, Patience(0.5))
    assert [(each.test, each.phase, each.timed_out) for each in found.failures] == [
        ("test_a.py", "collect", True)
    ]
    raised = found.failures[0].raised
    assert raised is not None
    assert raised.frames[-1].line in (1, 2)


def test_a_fixture_has_more_time_than_a_test(tmp_path: Path) -> None:
    source = """
    import time
    import pytest

    @pytest.fixture
    def slow():
        time.sleep(0.7)

    def test_a(slow):
        time.sleep(9)
    """
    found = run(write(tmp_path, {"test_a.py": source}), Patience(0.6))
    assert [(each.phase, each.timed_out) for each in found.failures] == [("call", True)]


def test_a_slow_test_among_slow_ones_does_not_hang(tmp_path: Path) -> None:
    source = """
    import time

    def test_a():
        time.sleep(0.1)

    def test_b():
        time.sleep(1)
    """
    found = run(write(tmp_path, {"test_a.py": source}), Patience(0.5, factor=20))
    assert found.exit_code == 0


@dataclass
class Clock:
    """Time that passes only when it is told to, and the timer that goes by it."""

    now: float = 0.0
    alarm: float | None = None

    def set(self, seconds: float, _again: float = 0.0) -> None:
        self.alarm = seconds

    def stop(self) -> None:
        pass


def allowed(run: deadline.Deadline, clock: Clock, seconds: float) -> float | None:
    """How long a test may take, which takes so many seconds."""
    clock.alarm = None
    with run.watch():
        clock.now += seconds
    return clock.alarm


def test_before_all_time_is_over_a_test_is_to_blame_that_took_most_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(deadline, "_now", lambda: clock.now)
    monkeypatch.setattr(deadline.Deadline, "_made", lambda _: [clock, Clock()])
    run = deadline.Deadline()
    run.follow(asdict(Patience(60, run=10)))
    assert [allowed(run, clock, seconds) for seconds in (1, 2, 1)] == [8, 7, 5]
    assert allowed(run, clock, 0.5) is None  # four seconds are left, and all together took as many


def test_it_is_no_matter_to_what_tests_do_with_signals_and_forks(tmp_path: Path) -> None:
    source = """
    import os, signal, threading, time
    import pytest

    def ring(number, frame):
        raise TimeoutError

    def test_alarm():
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(TimeoutError):
            time.sleep(9)

    def test_fork():
        gate, key = os.pipe()
        child = os.fork()
        if not child:
            os.close(key)
            os.read(gate, 1)
            os._exit(7)
        with pytest.raises(BaseException, match="still running after"):
            os.waitpid(child, 0)
        os.close(key)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7

    def test_threads():
        assert threading.active_count() == 1
    """
    found = run(write(tmp_path, {"test_a.py": source}), A_SECOND, "-W", "error")
    assert found.exit_code == 0, found.failures


def test_each_worker_ends_its_own(tmp_path: Path) -> None:
    root = write(tmp_path, {"shop.py": SHOP, "test_shop.py": TESTS})
    found = run(root, A_SECOND, "-n", "2")
    assert found.outcomes == {BEFORE: "passed", HANGS: "failed", AFTER: "failed"}
    assert [each.timed_out for each in found.failures if each.test == HANGS] == [True]


@pytest.mark.parametrize("interpreter", [Path(sys.executable), HERE], ids=["own", "3.13"])
def test_the_lines_of_a_test_that_hangs_are_known(interpreter: Path, tmp_path: Path) -> None:
    root = write(tmp_path, {"shop.py": SHOP, "test_shop.py": TESTS})
    with started(root, interpreter) as server:
        told = server.reached(Limits(60, patience=A_SECOND))
    assert isinstance(told, WarmRun)
    assert told.run.outcomes == {BEFORE: "passed", HANGS: "failed", AFTER: "failed"}
    lines = {
        test: {line for file, line in told.reached[test] if file.name == "shop.py"}
        for test in told.reached
    }
    assert lines == {BEFORE: {2, 3, 4, 8}, HANGS: {2, 3, 8}, AFTER: {2, 3, 4, 8}}


def test_a_trial_tells_of_other_tests_though_one_hangs(tmp_path: Path) -> None:
    root = write(tmp_path, {"shop.py": SHOP, "test_shop.py": TESTS})
    right = SHOP.replace('"done"', "3").encode()
    with started(root) as server:
        tried = server.run(
            {root / "shop.py": right},
            [HANGS, AFTER],
            Limits(60, patience=A_SECOND),
            first_failure=False,
        )
    assert isinstance(tried, WarmRun)
    assert tried.run.outcomes == {HANGS: "failed", AFTER: "passed"}


def test_what_was_ended_too_soon_gets_the_time_that_the_others_speak_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = []

    def seen(command: PytestCommand, **_: object) -> TestRun:
        """The first test was ended after a second; the second took two tenths of one."""
        rules.append(command.patience)
        ended = Failure("first", "call", None, STILL_RUNNING)
        return TestRun(1, (ended,), {}, 2.0, {"first": 1.0, "second": 0.2})

    monkeypatch.setattr("selfdebug.validation.runner.run_pytest", seen)
    command = PytestCommand(tmp_path, HERE, timeout=60, patience=Patience(1, factor=20))
    runner = Runner(command, lambda _: None)
    runner.observe(())
    runner.again(["first"])
    assert rules == [Patience(1, factor=20), Patience(4, run=60)]


def test_a_test_hangs_again(tmp_path: Path) -> None:
    root = write(tmp_path, {"shop.py": SHOP, "test_shop.py": TESTS})
    runner = Runner(PytestCommand(root, HERE, timeout=60, patience=A_SECOND), lambda _: None)
    assert timed_out(runner.observe(())) == {HANGS}
    again = runner.again([HANGS, AFTER])
    assert timed_out(again) == {HANGS}
    assert again.outcomes == {HANGS: "failed", AFTER: "failed"}
