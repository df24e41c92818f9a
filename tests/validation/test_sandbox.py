"""In a sandbox the tests run as they do outside, and reach nothing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from selfdebug.model import TestRun
from selfdebug.validation import sandbox, warm
from selfdebug.validation.cold import Spare, run_pytest
from selfdebug.validation.launch import PytestCommand, results
from selfdebug.validation.limits import Limits
from selfdebug.validation.overlay import run_in_copy
from selfdebug.validation.sandbox import Sandbox, SandboxMissing
from selfdebug.validation.warm import WarmRun, WarmServer
from tests.interpreters import PYTEST_8, interpreter

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a sandbox needs Linux")

HERE = interpreter(*PYTEST_8) or Path(sys.executable)
ATTEMPTS = """\
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

SECRET = Path({secret!r})
HERE = Path(__file__).parent


def refused(path):
    with pytest.raises(OSError):
        path.write_text("x")
    return True


def test_the_project_is_read_only():
    assert refused(HERE / "new") and refused(Path(__file__))


def test_what_we_wrote_for_the_run_is_read_only():
    parents = Path(os.environ["SELFDEBUG_REPORT"]).parents
    scratch = next(each.parent for each in parents if each.name == "results")
    for folder in (scratch, *filter(None, os.environ["PYTHONPATH"].split(":"))):
        assert refused(Path(folder, "new"))


def test_the_temporary_folder_is_ones_own(tmp_path):
    assert not SECRET.exists()
    (tmp_path / "x").write_text("x")
    with tempfile.TemporaryFile() as file:
        file.write(b"x")
    Path("/tmp/x").write_text("x")


def test_there_is_no_network_but_the_loopback():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
    with pytest.raises(OSError):
        socket.create_connection(("192.0.2.1", 80), 1)
    assert [name for _, name in socket.if_nameindex()] == ["lo"]


def test_devices_are_the_harmless_ones():
    assert not {{"sda", "vda", "mem", "kmsg", "fuse"}} & {{*os.listdir("/dev")}}
    Path("/dev/null").write_text("x")


def test_other_processes_are_out_of_sight():
    assert len([name for name in os.listdir("/proc") if name.isdigit()]) < 40
    setting = Path("/proc/sys/kernel/core_pattern")
    with pytest.raises(OSError):
        setting.write_text(setting.read_text())


def test_no_privilege_is_left_nor_to_be_had():
    status = Path("/proc/self/status").read_text()
    for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert name + ":\\t0000000000000000" in status
    assert "NoNewPrivs:\\t1" in status


def test_memory_is_limited():
    with pytest.raises(MemoryError):
        bytearray(600 << 20)
    limit = "import resource as r; r.setrlimit(r.RLIMIT_DATA, (1 << 40, 1 << 40))"
    assert subprocess.run([sys.executable, "-c", limit], capture_output=True).returncode


def test_processes_are_limited():
    over, before = threading.Event(), threading.active_count()
    with pytest.raises(RuntimeError):
        for _ in range(1000):
            threading.Thread(target=over.wait, daemon=True).start()
    over.set()
    while threading.active_count() > before:
        time.sleep(0.01)
"""
HARMLESS = """\
import os
import signal

from lib import answer


def test_answer():
    assert answer() == 42


def test_signals():
    if not os.fork():
        os.kill(os.getpid(), signal.SIGTERM)
        os._exit(3)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == -signal.SIGTERM
"""
Way = Literal["cold", "warm", "spare", "copy"]


@pytest.fixture(params=["namespaces", "bubblewrap"])
def confining(request: pytest.FixtureRequest, tmp_path: Path) -> Sandbox:
    for way in sandbox._ways():
        if way.how == request.param and not sandbox._refusal(way, tmp_path, tmp_path):
            return replace(way, memory=512 << 20, processes=64)
    pytest.skip(f"{request.param} do not work on this machine")


@pytest.fixture
def command(confining: Sandbox, tmp_path: Path) -> PytestCommand:
    for name in ("project", "scratch"):
        (tmp_path / name).mkdir()
    (tmp_path / "secret").write_text("x")
    return PytestCommand(
        tmp_path / "project",
        HERE,
        ("-p", "no:cacheprovider", "-p", "no:rerunfailures"),
        timeout=60.0,
        scratch=tmp_path / "scratch",
        sandbox=confining,
    )


def written(command: PytestCommand, **files: str) -> dict[Path, bytes]:
    for name, text in files.items():
        (command.root / f"{name}.py").write_text(text)
    return {path: path.read_bytes() for path in command.root.iterdir()}


def outcomes(run: TestRun) -> set[str]:
    assert run.outcomes, run.output
    told = {failure.test: failure.text for failure in run.failures}
    bad = {test: outcome for test, outcome in run.outcomes.items() if outcome != "passed"}
    assert told.keys() <= bad.keys(), told
    return {f"{test}: {outcome}" for test, outcome in bad.items()}


def test_the_tests_reach_nothing(command: PytestCommand, tmp_path: Path) -> None:
    before = written(command, test_reach=ATTEMPTS.format(secret=str(tmp_path / "secret")))
    assert outcomes(run_pytest(command)) == set()
    with_server = warm.start(command)
    assert isinstance(with_server, WarmServer)
    with with_server:
        run = with_server.observe()
        assert isinstance(run, TestRun)
        assert outcomes(run) == set()
    assert {path: path.read_bytes() for path in command.root.iterdir()} == before


def test_without_a_sandbox_they_would(command: PytestCommand, tmp_path: Path) -> None:
    """The attempts are real ones; those that would harm this machine are left out."""
    attempts = ATTEMPTS.format(secret=str(tmp_path / "secret"))
    reaching = attempts.partition("def test_devices_are")[0].replace("/tmp/x", str(tmp_path / "x"))
    written(command, test_reach=reaching)
    assert len(outcomes(run_pytest(replace(command, sandbox=None)))) == 4


@pytest.mark.parametrize("way", ["cold", "warm", "spare", "copy"])
def test_every_kind_of_run_is_as_outside(way: Way, command: PytestCommand) -> None:
    written(command, test_lib=HARMLESS, lib="def answer():\n    return 41\n")
    lib = command.root / "lib.py"
    replaced = {lib: b"def answer():\n    return 42\n"}
    assert outcomes(run(way, command, {})) == {"test_lib.py::test_answer: failed"}
    assert outcomes(run(way, command, replaced)) == set()
    assert lib.read_text().endswith("41\n")
    assert [*(command.scratch or lib).glob("run-*")] == []


def run(way: Way, command: PytestCommand, replaced: dict[Path, bytes]) -> TestRun:
    if way == "cold":
        return run_pytest(command, replaced=replaced)
    if way == "copy":
        return run_in_copy(command, replaced)
    if way == "spare":
        ended = Spare(command).run((), replaced)
        assert ended is not None
        return ended
    server = warm.start(command)
    assert isinstance(server, WarmServer)
    with server:
        # Not the other one, which forks: that is for the other ways.
        told = server.run(replaced, ["test_lib.py::test_answer"], Limits(20.0))
        assert isinstance(told, WarmRun), told
        return told.run


def test_a_run_out_of_time_leaves_no_process(command: PytestCommand, tmp_path: Path) -> None:
    code = (
        "import os, time\ndef test_hang():\n    os.fork()\n    os.setsid()\n    time.sleep(600)\n"
    )
    written(command, test_hang=code)
    assert run_pytest(replace(command, timeout=3.0)).exit_code is None
    assert [*alive(tmp_path)] == []


def alive(mark: Path) -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str(mark).encode() in (process / "environ").read_bytes():
                yield (process / "cmdline").read_text()


def test_sockets_of_other_programs_are_out_of_reach(
    command: PytestCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever they are: here the folder that tests see is not one that everybody shares."""
    monkeypatch.setattr(sandbox, "_SHARED", ("/run",))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    (tmp_path / "scratch/own").mkdir()
    command = replace(command, scratch=tmp_path / "scratch/own")
    at = tmp_path / "agent"
    connect = (
        "import socket, pytest\n"
        "def test_connect():\n"
        "    with socket.socket(socket.AF_UNIX) as agent:\n"
        f"        agent.connect({str(at)!r})\n"
    )
    written(command, test_connect=connect)
    with socket.socket(socket.AF_UNIX) as agent:
        agent.bind(str(at))
        agent.listen()
        assert outcomes(run_pytest(replace(command, sandbox=None))) == set()
        assert outcomes(run_pytest(command)) == {"test_connect.py::test_connect: failed"}


def test_a_missing_sandbox_stops_every_kind_of_run(tmp_path: Path) -> None:
    """Nothing of the project is run outside of it: not even to ask its interpreter for paths."""
    (tmp_path / "test_ran.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    why = SandboxMissing("there is none")
    command = PytestCommand(tmp_path, HERE, sandbox=why)
    for attempt in (run_pytest, Spare, lambda each: run_in_copy(each, {})):
        with pytest.raises(SandboxMissing, match="there is none"):
            attempt(command)
    assert warm.start(command) == warm.Declined("there is none")
    assert not (tmp_path / "ran").exists()


def test_what_stops_each_way_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bubblewrap = tmp_path / "bwrap"
    bubblewrap.write_text("#!/bin/sh\necho bwrap: Creating new namespace failed >&2\nexit 1\n")
    bubblewrap.chmod(0o755)
    broken = tmp_path / "confined.py"
    broken.write_text("import sys\nsys.exit('unshare: Operation not permitted')\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sandbox, "_LAUNCHER", broken)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SandboxMissing) as error:
        sandbox.find(tmp_path, tmp_path)
    assert "bubblewrap: bwrap: Creating new namespace failed" in str(error.value)
    assert "namespaces: unshare: Operation not permitted" in str(error.value)
    assert "leave --sandbox out and use a container" in str(error.value)


def test_a_kernel_that_refuses_is_told_from_the_inside(command: PytestCommand) -> None:
    """In a sandbox none can be made."""
    inner = Sandbox("namespaces", memory=1 << 30)
    assert command.scratch is not None
    line = inner.around(["true"], command.root, command.scratch, results(command.scratch), {})
    env = dict(os.environ)
    outer = replace(inner, processes=100)
    nested = outer.around(line, command.root, command.scratch, results(command.scratch), env)
    ended = subprocess.run(nested, capture_output=True, text=True, check=False)
    assert ended.returncode == 126
    assert "Read-only file system" in ended.stderr or "not permitted" in ended.stderr


def test_the_temporary_folder_itself_is_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "scratch").mkdir()
    with pytest.raises(SandboxMissing, match="move the project"):
        sandbox.find(tmp_path, tmp_path / "scratch")


def test_the_command_line_of_bubblewrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has to say wherever it is installed."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(sandbox, "_SHARED", ())
    monkeypatch.setattr(sandbox, "_sockets", lambda: iter(["/home/ann/agent"]))
    root, scratch = tmp_path / "tmp/project", tmp_path / "tmp/scratch"
    for folder in (root, scratch / "results"):
        folder.mkdir(parents=True)
    confining = Sandbox("bubblewrap", "/usr/bin/bwrap", 1 << 30, 100)
    env = {"PATH": f"{tmp_path}/tmp/bin:{tmp_path}/tmp/project"}
    line = confining.around(["python", "-c", ""], root, scratch, scratch / "results", env)
    told = " ".join(line).replace(str(tmp_path), "").replace(str(sandbox._LAUNCHER), "confined.py")
    assert told.replace(sys.executable, "python") == (
        "/usr/bin/bwrap --unshare-user --unshare-pid --unshare-net --unshare-ipc --die-with-parent "
        "--cap-drop ALL --ro-bind / / --dev /dev --proc /proc "
        "--ro-bind /dev/null /home/ann/agent "
        "--bind /tmp/scratch/results/private/0 /tmp "
        "--ro-bind /tmp/project /tmp/project "
        "--ro-bind /tmp/scratch /tmp/scratch "
        "--bind /tmp/scratch/results /tmp/scratch/results "
        "--chdir /tmp/project -- "
        'python -I -S confined.py {"memory": 1073741824, "processes": 100} python -c '
    )
