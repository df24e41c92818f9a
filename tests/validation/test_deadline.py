"""A test that does not end is a failure with a traceback, and the others run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from selfdebug.model import TestRun
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
BEFORE, HANGS, AFTER = (f"test_shop.py::test_{name}" for name in ("before", "hangs", "after"))


def run(root: Path, patience: Patience, *args: str, python: Path = HERE) -> TestRun:
    return run_pytest(PytestCommand(root, python, args, timeout=60, patience=patience))


@pytest.mark.parametrize("environment", [PYTEST_9, PYTEST_5], ids=["3.13", "3.7"])
def test_it_fails_where_it_was(tmp_path: Path, environment: tuple[str, ...]) -> None:
    root = write(tmp_path, {"shop.py": SHOP, "test_shop.py": TESTS})
    found = run(root, Patience(0.3), python=python(environment))
    assert found.exit_code == 1
    assert found.outcomes == {BEFORE: "passed", HANGS: "failed", AFTER: "failed"}
    hung, other = found.failures
    assert hung.raised is not None
    assert (hung.timed_out, hung.raised.type) == (True, "TestTimeout")
    assert hung.raised.message.startswith("still running after 0.3")
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
    found = run(root, Patience(0.5), python=python(environment))
    assert found.outcomes == {"test_a.py::test_hangs": "failed", "test_a.py::test_after": "passed"}


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
    found = run(root, Patience(0.1))
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
        time.sleep(0.5)

    def test_a(slow):
        time.sleep(0.5)
    """
    found = run(write(tmp_path, {"test_a.py": source}), Patience(0.4))
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


def test_before_all_time_is_over_a_test_is_to_blame_that_took_most_of_it(tmp_path: Path) -> None:
    source = (
        "import time\n\n\ndef test_a():\n    time.sleep({})\n\n\ndef test_b():\n    time.sleep(9)\n"
    )
    root = write(tmp_path, {"test_a.py": source.format(0)})
    found = run(root, Patience(60, run=2.5))
    assert [each.test for each in found.failures if each.timed_out] == ["test_a.py::test_b"]
    root = write(tmp_path, {"test_a.py": source.format(1.2)})
    command = PytestCommand(root, HERE, timeout=2.5, patience=Patience(60, run=2.0))
    assert run_pytest(command).exit_code is None


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
        child = os.fork()
        if not child:
            time.sleep(1.3)
            os._exit(7)
        with pytest.raises(BaseException, match="still running after"):
            os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7

    def test_threads():
        assert threading.active_count() == 1
    """
    found = run(write(tmp_path, {"test_a.py": source}), Patience(1), "-W", "error")
    assert found.exit_code == 0, found.failures


def test_each_worker_ends_its_own(tmp_path: Path) -> None:
    root = write(tmp_path, {"shop.py": SHOP, "test_shop.py": TESTS})
    found = run(root, Patience(0.5), "-n", "2")
    assert found.outcomes == {BEFORE: "passed", HANGS: "failed", AFTER: "failed"}
    assert [each.timed_out for each in found.failures if each.test == HANGS] == [True]


@pytest.mark.parametrize("interpreter", [Path(sys.executable), HERE], ids=["own", "3.13"])
def test_the_lines_of_a_test_that_hangs_are_known(interpreter: Path, tmp_path: Path) -> None:
    root = write(tmp_path, {"shop.py": SHOP, "test_shop.py": TESTS})
    with started(root, interpreter) as server:
        told = server.reached(Limits(60, patience=Patience(0.3)))
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
            Limits(60, patience=Patience(0.3)),
            first_failure=False,
        )
    assert isinstance(tried, WarmRun)
    assert tried.run.outcomes == {HANGS: "failed", AFTER: "passed"}


def test_what_was_ended_too_soon_gets_the_time_that_the_others_speak_for(tmp_path: Path) -> None:
    source = "import time\n\n\ndef test_a():\n    time.sleep(1.7)\n\n\ndef test_b():\n    time.sleep(0.15)\n"
    command = PytestCommand(
        write(tmp_path, {"test_a.py": source}), HERE, timeout=60, patience=Patience(1, 20, 60)
    )
    runner = Runner(command, lambda _: None)
    assert timed_out(runner.observe(())) == {"test_a.py::test_a"}
    assert runner.again(["test_a.py::test_a"]).exit_code == 0


def test_a_test_hangs_again(tmp_path: Path) -> None:
    root = write(tmp_path, {"shop.py": SHOP, "test_shop.py": TESTS})
    runner = Runner(PytestCommand(root, HERE, timeout=60, patience=Patience(1)), lambda _: None)
    assert timed_out(runner.observe(())) == {HANGS}
    again = runner.again([HANGS, AFTER])
    assert timed_out(again) == {HANGS}
    assert again.outcomes == {HANGS: "failed", AFTER: "failed"}
