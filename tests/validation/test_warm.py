from __future__ import annotations

import random
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from selfdebug.model import TestRun
from selfdebug.validation import warm
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits
from selfdebug.validation.warm import Declined, WarmRun, WarmServer
from tests.interpreters import PYTEST_5, PYTEST_8, PYTEST_9, interpreter
from tests.validation import agreement, shapes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="warm runs need Linux")

QUICK = Limits(20.0, memory=2 * 1024**3, file=4 * 1024**2)
SHOP = """\
import subprocess
import tempfile


def price(items):
    total = sum(items)
    return total + 1


def label(name):
    return name.upper()
"""
RIGHT = SHOP.replace("total + 1", "total")
TESTS = """\
from shop import label, price


def test_price():
    assert price([1, 2]) == 3


def test_label():
    assert label("a") == "A"
"""
FAILING, PASSING = "test_shop.py::test_price", "test_shop.py::test_label"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return _project(tmp_path / "shop", SHOP)


@pytest.fixture
def command(root: Path, tmp_path: Path) -> PytestCommand:
    (tmp_path / "scratch").mkdir()
    return PytestCommand(root, _python(), scratch=tmp_path / "scratch")


@pytest.fixture
def server(command: PytestCommand) -> Iterator[WarmServer]:
    with _started(command) as server:
        yield server


def _project(root: Path, source: str, tests: str = TESTS, conftest: str = "") -> Path:
    root.mkdir()
    (root / "shop.py").write_text(source)
    (root / "test_shop.py").write_text(tests)
    (root / "conftest.py").write_text(conftest)
    return root


def _python() -> Path:
    return interpreter(*PYTEST_9) or Path(sys.executable)


def _started(command: PytestCommand, jobs: int = 1) -> WarmServer:
    server = warm.start(command, jobs)
    assert isinstance(server, WarmServer)
    return server


def _try(server: WarmServer, text: str, *select: str, limits: Limits = QUICK) -> WarmRun:
    replaced = {server.command.root / "shop.py": text.encode()}
    outcome = server.run(replaced, select or [FAILING, PASSING], limits)
    assert isinstance(outcome, WarmRun), outcome
    return outcome


def _instead(line: str) -> str:
    """The shop with a candidate for ``price`` that does this."""
    return SHOP.replace("    total = sum(items)\n", f"    total = sum(items)\n    {line}\n")


def _processes(mark: Path) -> list[str]:
    """The command lines of the live processes that were started with the folder in their environment."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if str(mark).encode() in environ.read_bytes():
                found.append(environ.with_name("cmdline").read_bytes().decode())
    return found


# --- what it says ---


def test_the_suite_as_it_is_is_observed_as_a_cold_run_would(server: WarmServer) -> None:
    run = server.observe()
    assert isinstance(run, TestRun)
    assert run.exit_code == 1
    assert run.outcomes == {FAILING: "failed", PASSING: "passed"}
    assert [failure.raised and failure.raised.type for failure in run.failures] == [
        "AssertionError"
    ]
    assert "test_shop.py F." in run.output


def test_a_function_that_calls_what_its_module_imports_is_swapped_too(
    command: PytestCommand, root: Path
) -> None:
    # CPython compiles ``os.fspath(x)`` in another way where the module imports os.
    calls = "os.fspath(str(total)); PI.hex(); return total + 1"
    shop = f"import os\nfrom math import pi as PI\n\n{SHOP.replace('return total + 1', calls)}"
    (root / "shop.py").write_text(shop)
    with _started(command) as server:
        replaced = {root / "shop.py": shop.replace("total + 1", "total").encode()}
        tried = server.run(replaced, [FAILING], QUICK)
    assert isinstance(tried, WarmRun)
    assert (tried.how, tried.run.exit_code) == ("swap", 0)


def test_a_candidate_inside_a_function_is_swapped_in(server: WarmServer, root: Path) -> None:
    right, wrong = (_try(server, text) for text in (RIGHT, SHOP.replace("total + 1", "total + 2")))
    assert (right.how, right.run.exit_code, right.test) == ("swap", 0, FAILING)
    assert (wrong.how, wrong.run.exit_code, wrong.test) == ("swap", 1, FAILING)
    assert right.run.overlaid == {str(root / "shop.py")}
    (ran,), (other,) = right.ran, wrong.ran
    assert (ran.file, ran.function, ran.line) == (root / "shop.py", "price", 5)
    assert ran.digest != other.digest
    assert (root / "shop.py").read_text() == SHOP


def test_a_candidate_elsewhere_is_imported_anew(server: WarmServer) -> None:
    text = SHOP.replace("def price(items):", "def price(items, tax=-1):").replace(
        "+ 1", "+ 1 + tax"
    )
    run = _try(server, text)
    assert (run.how, run.run.exit_code, run.test) == ("overlay", 0, FAILING)


def test_the_first_failure_ends_the_run_and_the_order_is_as_given(server: WarmServer) -> None:
    assert list(_try(server, SHOP).run.outcomes) == [FAILING]
    assert list(_try(server, SHOP, PASSING, FAILING).run.outcomes) == [PASSING, FAILING]


def test_code_that_no_test_runs_is_no_repair(server: WarmServer) -> None:
    run = _try(server, SHOP.replace("name.upper()", "name"), FAILING)
    assert not run.executed
    run = _try(server, SHOP.replace("name.upper()", "name.title()"), PASSING)
    assert (run.executed, run.test, run.run.exit_code) == (True, PASSING, 0)


def test_a_failing_test_is_run_again_without_an_edit(server: WarmServer) -> None:
    again = server.run({}, [FAILING], QUICK)
    assert isinstance(again, WarmRun)
    assert (again.how, again.run.exit_code, again.run.outcomes) == ("as is", 1, {FAILING: "failed"})


def test_several_threads_get_each_its_own_verdict(command: PytestCommand) -> None:
    texts = [SHOP.replace("+ 1", f"+ {extra}") for extra in (0, 5, 0, 6, 7, 0)]
    with _started(command, jobs=2) as server, ThreadPoolExecutor(4) as threads:
        codes = [each.run.exit_code for each in threads.map(lambda text: _try(server, text), texts)]
    assert codes == [0, 1, 0, 1, 1, 0]


def _other(python: tuple[str, ...]) -> Path:
    found = interpreter(*python)
    if found is None:
        pytest.skip(f"this machine has no Python {python[0]}")
    return found


def test_a_thread_of_a_plugin_leaves_the_overlay(root: Path) -> None:
    with _started(PytestCommand(root, _other(PYTEST_8))) as server:  # pytest-rerunfailures has one
        declined = server.ready()
        right, wrong = (_try(server, text) for text in (RIGHT, _instead("total = 9")))
    assert declined is not None
    assert "thread" in declined.reason
    assert (right.how, right.run.exit_code, right.test) == ("overlay", 0, FAILING)
    assert (wrong.how, wrong.run.exit_code, wrong.test) == ("overlay", 1, FAILING)


def test_an_interpreter_that_proves_nothing_makes_it_decline(root: Path) -> None:
    with _started(PytestCommand(root, _other(PYTEST_5))) as server:
        declined = server.ready()
    assert declined is not None
    assert "which code ran" in declined.reason


def test_xdist_of_the_project_is_left_out(tmp_path: Path) -> None:
    root = _project(tmp_path / "shop", SHOP)
    command = PytestCommand(root, Path(sys.executable), ("-n", "2"))
    with _started(command) as server:
        run = _try(server, RIGHT)
    assert (run.how, run.run.exit_code) == ("swap", 0)


# --- agreement with the cold runner ---


@pytest.mark.parametrize("seed", [11])
def test_it_agrees_with_the_cold_runner_or_declines(tmp_path: Path, seed: int) -> None:
    root, scratch = tmp_path / "project", tmp_path / "scratch"
    scratch.mkdir()
    shapes.write(root)
    command = PytestCommand(root, _python(), scratch=scratch)
    ways = set()
    with _started(command) as server:
        run = server.observe()
        assert isinstance(run, TestRun)
        assert run.exit_code == 0, run.output
        for edit in random.Random(seed).sample(shapes.edits(), 12):
            answer, differences = agreement.compare(
                server, command, root / shapes.MODULE, edit.text, list(run.outcomes)
            )
            assert not differences, edit
            ways.add(answer.how if isinstance(answer, WarmRun) else "declined")
    assert {"swap", "overlay"} <= ways


# --- candidates that misbehave ---


@pytest.mark.parametrize(
    "line",
    [
        "import os, shutil; shutil.rmtree(tempfile.gettempdir()); os.symlink({}, tempfile.gettempdir())",
        "import shutil; shutil.rmtree(tempfile.gettempdir())",
        "import os; os.symlink({}, tempfile.gettempdir() + '/link')",
        "import os; at = tempfile.gettempdir() + '/output'; os.unlink(at); os.symlink({} + '/dear', at)",
    ],
)
def test_what_is_done_to_the_temporary_folder_costs_nobody_else(
    server: WarmServer, tmp_path: Path, line: str
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/dear").write_text("dear")
    for _ in range(3):  # each of the two processes that wait has its turn
        _try(server, _instead(line.format(repr(str(tmp_path / "mine")))))
        right = _try(server, RIGHT)
        assert (right.run.exit_code, right.run.outcomes[FAILING]) == (0, "passed")
    assert (tmp_path / "mine/dear").read_text() == "dear"


MISBEHAVING = {
    "loops": ("while True: pass", None),
    "exits at once": ("__import__('os')._exit(0)", 0),
    "crashes": ("__import__('ctypes').string_at(0)", -11),
    "kills its group": ("__import__('os').killpg(0, 9)", -9),
    "asks to exit": ("raise SystemExit(0)", 1),
    "takes all memory": ("bytearray(2**40)", 1),
    "recurses": ("price(items)", 1),
    "writes without end": ("for _ in range(2000): print('x' * 10**6, flush=True)", 1),
    "fills the disk": ("tempfile.NamedTemporaryFile().write(bytes(2**24))", 1),
}


@pytest.mark.parametrize("what", MISBEHAVING)
def test_a_candidate_costs_only_itself(what: str, command: PytestCommand) -> None:
    line, exit_code = MISBEHAVING[what]
    seconds = 1.0 if exit_code is None else 20.0
    with _started(command) as server:
        limits = Limits(seconds, QUICK.memory, QUICK.file)
        bad = _try(server, _instead(line), limits=limits)
        good = _try(server, RIGHT)
        assert bad.run.exit_code == exit_code
        assert bad.run.outcomes[FAILING] in ("failed", "error")
        assert good.run.exit_code == 0
    assert _left(command) == ([], [])


FORKS = """\
import os, time
    for _ in range(100):
        if not os.fork():
            os.setsid()
            if os.fork():
                os._exit(0)
            time.sleep(1000)"""
SLEEPS = "subprocess.Popen(['sleep', '1000'], start_new_session=True)"


OWN = 10  # processes of a server with one job: two that wait, four slots, a fork ready in each


@pytest.mark.parametrize("line", [FORKS, SLEEPS], ids=["forks", "starts a program"])
def test_no_process_outlives_its_candidate(line: str, command: PytestCommand) -> None:
    with _started(command) as server:
        outcome = server.run({command.root / "shop.py": _instead(line).encode()}, [FAILING], QUICK)
        alive = _processes(_scratch(command))
        assert len(alive) <= OWN
        assert not any("sleep" in each for each in alive)
        if isinstance(outcome, WarmRun):
            assert outcome.run.exit_code == 1
        assert _try(server, RIGHT).run.exit_code == 0


def test_a_stopped_candidate_is_ended_at_once(server: WarmServer, root: Path) -> None:
    stop = Event()
    with ThreadPoolExecutor(1) as thread:
        replaced = {root / "shop.py": _instead("while True: pass").encode()}
        future = thread.submit(server.run, replaced, [FAILING], Limits(600.0), stop=stop)
        time.sleep(0.2)
        stop.set()
        outcome = future.result()
    assert isinstance(outcome, WarmRun)
    assert outcome.run.exit_code is None
    assert _try(server, RIGHT).run.exit_code == 0


def test_temporary_files_go_with_their_candidate(server: WarmServer, root: Path) -> None:
    run = _try(server, _instead("open(tempfile.mkdtemp() + '/x', 'w').close(); total = -1"))
    assert run.run.exit_code == 1
    assert sorted(each.name for each in root.iterdir()) == [
        "conftest.py",
        "shop.py",
        "test_shop.py",
    ]


def test_closing_ends_a_running_candidate(command: PytestCommand) -> None:
    server = _started(command)
    with ThreadPoolExecutor(1) as thread:
        replaced = {command.root / "shop.py": _instead("while True: pass").encode()}
        future = thread.submit(server.run, replaced, [FAILING], Limits(600.0))
        server.ready()
        time.sleep(0.3)
        server.close()
        assert isinstance(future.result(), Declined)
    assert _left(command) == ([], [])


def test_a_process_that_comes_to_a_closed_server_is_sent_away(command: PytestCommand) -> None:
    server = _started(command)
    server.close()
    late, its = socket.socketpair()
    server._hear(late, place="swap")
    assert its.recv(1) == b""
    its.close()


def _scratch(command: PytestCommand) -> Path:
    assert command.scratch is not None
    return command.scratch


def _left(command: PytestCommand) -> tuple[list[str], list[str]]:
    """What is left of a closed server: processes, and files but for the plugins and caches."""
    kept = {"plugins", "results", "cache", "hypothesis", "coverage"}
    scratch = _scratch(command)
    there = [*scratch.iterdir(), *(scratch / "results").iterdir()]
    return _processes(scratch), [each.name for each in there if each.name not in kept]


# --- where it declines ---


def _declined(tmp_path: Path, **project: str) -> Declined:
    root = _project(tmp_path / "shop", **({"source": SHOP} | project))
    with _started(PytestCommand(root, _python())) as server:
        declined = server.ready()
        assert isinstance(server.observe(), Declined)
    assert declined is not None
    return declined


def test_a_running_thread_makes_it_decline(tmp_path: Path) -> None:
    conftest = (
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    )
    assert "thread" in _declined(tmp_path, conftest=conftest).reason


def test_an_open_connection_makes_it_decline(tmp_path: Path) -> None:
    conftest = "import socket\nconnected = socket.socketpair()\n"
    assert "connection" in _declined(tmp_path, conftest=conftest).reason


def test_tests_that_start_programs_make_it_decline(tmp_path: Path) -> None:
    tests = (
        "import sys, subprocess\n"
        + TESTS
        + (
            "\n\ndef test_script():\n    code = 'import shop; assert shop.price([1, 2]) == 3'\n"
            "    subprocess.run([sys.executable, '-c', code], check=True)\n"
        )
    )
    root = _project(tmp_path / "shop", SHOP, tests)
    with _started(PytestCommand(root, _python())) as server:
        replaced = {root / "shop.py": RIGHT.encode()}
        outcome = server.run(replaced, ["test_shop.py::test_script"], QUICK)
        assert isinstance(outcome, Declined)
        assert "start other programs" in outcome.reason
        assert _try(server, RIGHT).run.exit_code == 0


def test_without_pytest_it_declines(tmp_path: Path) -> None:
    root = _project(tmp_path / "shop", SHOP)
    with _started(PytestCommand(root, tmp_path / "no-python")) as server:
        declined = server.ready()
        assert declined is not None
        assert "can't be started" in declined.reason
        assert isinstance(server.run({}, [FAILING], QUICK), Declined)


def test_what_cannot_be_collected_is_observed_and_repaired(tmp_path: Path) -> None:
    root = _project(tmp_path / "shop", SHOP + "\nDEFAULT = None.name\n")
    with _started(PytestCommand(root, _python())) as server:
        run = server.observe()
        assert isinstance(run, TestRun)
        assert (run.exit_code, run.outcomes) == (2, {"test_shop.py": "error"})
        fixed = _try(server, RIGHT, "test_shop.py")
        assert (fixed.how, fixed.run.exit_code) == ("overlay", 0)


def test_a_conftest_that_fails_is_observed(tmp_path: Path) -> None:
    root = _project(tmp_path / "shop", SHOP, conftest="import shop\nshop.missing\n")
    with _started(PytestCommand(root, _python())) as server:
        assert server.ready() is None
        run = server.observe()
        assert isinstance(run, TestRun)
        assert run.exit_code == 4
        assert [failure.raised and failure.raised.type for failure in run.failures] == [
            "AttributeError"
        ]
        fixed = _try(server, RIGHT + "\n\nmissing = 1\n")
        assert (fixed.how, fixed.run.exit_code) == ("overlay", 0)
