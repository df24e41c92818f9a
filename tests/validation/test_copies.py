"""Candidates for what tests read from the disk themselves are tried in a copy of the project."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.overlay import run_in_copy
from selfdebug.validation.runner import Runner
from selfdebug.validation.warm import WarmServer, start
from tests.validation.test_cold import write

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the warm runner is for Linux only")

PROGRAM = """\
import os
import sys


def total(rows):
    return sum(rows) + 1


def unused():
    return 1


def log(path, other):
    with open(path, "w") as stream:
        stream.write("x")


if __name__ == "__main__":
    log(sys.argv[1], os.path.join(os.path.dirname(__file__), "precious"))
    print(total(map(int, input().split())))
"""
TESTS = """\
import io, runpy, subprocess, sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("prog.py")


def test_started(tmp_path):
    command = [sys.executable, str(PROGRAM), str(tmp_path / "log")]
    done = subprocess.run(command, input="1 2", capture_output=True, text=True)
    assert done.stdout == "3\\n"


def test_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("1 2"))
    monkeypatch.setattr(sys, "argv", ["prog.py", str(tmp_path / "log")])
    runpy.run_path(str(PROGRAM), run_name="__main__")
    assert capsys.readouterr().out == "3\\n"
"""
STARTED, RUN = "test_prog.py::test_started", "test_prog.py::test_run"


@contextmanager
def runner(folder: Path) -> Iterator[Runner]:
    """A runner that knows what the tests of the project do."""
    root = write(folder / "project", {"prog.py": PROGRAM, "test_prog.py": TESTS, "precious": "x"})
    server = start(PytestCommand(root, Path(sys.executable)))
    assert isinstance(server, WarmServer)
    with server:
        known = Runner(server.command, lambda _: None, server=server)
        with known.started(1):
            known.spectrum([STARTED, RUN])
            yield known


def test_a_candidate_is_what_programs_execute(tmp_path: Path) -> None:
    with runner(tmp_path) as known:
        root = known.command.root
        before = {path: path.read_bytes() for path in sorted(root.iterdir())}

        def said(test: str, old: str, new: str) -> int | None:
            changed = {root / "prog.py": PROGRAM.replace(old, new).encode()}
            run = known.try_quick(changed, test, 20)
            return None if run is None else run.exit_code

        for test in (STARTED, RUN):
            assert said(test, "(rows) + 1", "(rows)") == 0
            assert said(test, "(rows) + 1", "(rows) + 0") == 0
            assert said(test, "(rows) + 1", "(rows) + 2") == 1
            assert said(test, "return 1", "return 2") == 1
            healed = PROGRAM.replace(" + 1", "").encode()
            trial = known.try_out({root / "prog.py": healed}, [test], "")
            assert trial.run is not None
            assert (trial.run.exit_code, trial.executed, trial.cold) == (0, True, False)
        assert {path: path.read_bytes() for path in sorted(root.iterdir())} == before


def test_a_candidate_that_passing_tests_do_not_execute_says_nothing(tmp_path: Path) -> None:
    with runner(tmp_path) as known:
        program = known.command.root / "prog.py"
        program.write_text(PROGRAM.replace(" + 1", ""))
        assert known.try_quick({program: b"x = 1\n" + program.read_bytes()}, STARTED, 20)
        unread = program.read_text().replace("return 1", "return 2").encode()
        assert known.try_quick({program: unread}, STARTED, 20) is None


def test_a_program_does_no_more_to_the_machine_than_without_the_change(tmp_path: Path) -> None:
    with runner(tmp_path) as known:
        root = known.command.root
        other = PROGRAM.replace("open(path", "open(other").replace(" + 1", "")
        outside = other.replace(
            'os.path.join(os.path.dirname(__file__), "precious")', f"{str(tmp_path / 'new')!r}"
        )
        for text in (other, outside):
            run = known.try_quick({root / "prog.py": text.encode()}, STARTED, 20)
            assert run is not None
            assert run.exit_code == 1
        assert (root / "precious").read_text() == "x"
        assert not (tmp_path / "new").exists()


def test_fresh_processes_do_the_same_where_no_server_can(tmp_path: Path) -> None:
    root = write(tmp_path / "project", {"prog.py": PROGRAM, "test_prog.py": TESTS, "precious": "x"})
    known = Runner(PytestCommand(root, Path(sys.executable)), lambda _: None)
    healed = PROGRAM.replace(" + 1", "")
    texts = {
        healed: 0,
        PROGRAM.replace("+ 1", "+ 2"): 1,
        healed.replace("open(path", "open(other"): 1,
    }
    with known.started(1):
        told = known.spectrum([STARTED, RUN])
        assert told is not None
        assert told.scripts[STARTED] == told.scripts[RUN] == {root / "prog.py"}
        for text, exit_code in texts.items():
            run = known.try_quick({root / "prog.py": text.encode()}, STARTED, 20)
            assert run is not None
            assert run.exit_code == exit_code
    assert (root / "precious").read_text() == "x"
    assert (root / "prog.py").read_text() == PROGRAM


def test_a_fresh_process_in_a_copy_proves_what_programs_execute(tmp_path: Path) -> None:
    root = write(tmp_path / "project", {"prog.py": PROGRAM, "test_prog.py": TESTS})
    healed = {root / "prog.py": PROGRAM.replace(" + 1", "").encode()}
    for test in (STARTED, RUN):
        run = run_in_copy(PytestCommand(root, Path(sys.executable)), healed, select=[test])
        assert run.exit_code == 0
        assert run.overlaid == {str(root / "prog.py")}
