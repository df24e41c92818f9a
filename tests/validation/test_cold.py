"""A cold run gives the verdict, ends all that it started, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from textwrap import dedent

import pytest

from selfdebug.model import TestRun
from selfdebug.validation.cold import PytestMissing, run_pytest
from selfdebug.validation.launch import PytestCommand
from selfdebug.workspace.atomic import next_mtime, overwrite
from tests.interpreters import PYTEST_5, PYTEST_8, PYTEST_9, base, interpreter

HERE = interpreter(*PYTEST_9) or Path(sys.executable)
WITH_HYPOTHESIS = Path(sys.executable)


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return root


def python(environment: tuple[str, ...]) -> Path:
    found = interpreter(*environment)
    if found is None:
        pytest.skip(f"no Python {environment[0]} on this machine")
    return found


def run(root: Path, *args: str, python: Path = HERE, **settings: object) -> TestRun:
    return run_pytest(PytestCommand(root, python, args), **settings)  # type: ignore[arg-type]


def listing(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(root)): (path.lstat().st_mtime_ns, path.read_bytes())
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    root = write(
        tmp_path / "project",
        {
            "shop.py": "def f(x):\n    return x.bio\n",
            "conftest.py": "",
            "pytest.ini": "[pytest]\naddopts = --junitxml=report.xml --ff -p shop_plugin\n",
            "shop_plugin.py": "",
            "test_a.py": """
            import subprocess, sys, shop
            from hypothesis import given, strategies as st

            def test_fails(tmp_path):
                (tmp_path / "file").write_text("x")
                subprocess.run([sys.executable, "-c", "import shop"], check=True)
                shop.f(None)

            @given(st.integers())
            def test_hypothesis(n):
                assert n < 100
            """,
        },
    )
    subprocess.run(["git", "init", "-q", root], check=True)
    before = listing(root)
    found = run(root, python=WITH_HYPOTHESIS)
    assert found.exit_code == 1
    assert len(found.failures) == 2
    assert listing(root) == before
    assert {path.name for path in root.iterdir()} == {".git", *(n for n in before if "/" not in n)}


def test_hypothesis_sees_the_known_example_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)  # there hypothesis keeps no examples
    source = """
    from hypothesis import given, settings, strategies as st

    @settings(max_examples=1, derandomize=False)
    @given(st.integers())
    def test_rare(n):
        assert n != 123456789
    """
    root = write(tmp_path / "project", {"test_a.py": source})
    teach = dedent(
        """
        from hypothesis.database import DirectoryBasedExampleDatabase, choices_to_bytes
        import test_a
        from hypothesis.internal.reflection import function_digest
        base = DirectoryBasedExampleDatabase(".hypothesis/examples")
        key = function_digest(test_a.test_rare.hypothesis.inner_test)
        base.save(key, choices_to_bytes([123456789]))
        """
    )
    subprocess.run([WITH_HYPOTHESIS, "-c", teach], cwd=root, check=True)
    before = listing(root)
    assert run(root, python=WITH_HYPOTHESIS).exit_code == 1
    assert listing(root) == before


def test_the_chosen_tests_and_no_others(tmp_path: Path) -> None:
    ids = ["a::b", "[x] - y", "é", "nl\nx", "-k", "../a"]
    source = f"""
    import pytest

    @pytest.mark.parametrize("value", {ids!r})
    def test_ids(value):
        pass

    def test_other():
        pass
    """
    ini = "[pytest]\ntestpaths = tests\naddopts = tests other\n"
    root = write(
        tmp_path,
        {"pytest.ini": ini, "tests/test_a.py": source, "other/test_o.py": "def test_o(): pass\n"},
    )
    for here in (python(PYTEST_5), HERE):
        everything = run(root, "tests", python=here)
        assert len(everything.outcomes) == len(ids) + 2
        chosen = [node for node in everything.outcomes if "test_ids" in node][:-1]
        assert set(run(root, "tests", python=here, select=chosen).outcomes) == set(chosen)
    assert len(run(root, select=["tests/test_a.py::test_ids"]).outcomes) == len(ids)
    assert len(run(root, select=["tests/test_a.py"]).outcomes) == len(ids) + 1
    assert run(root, select=["tests/test_a.py::test_gone"]).exit_code == 4


def test_a_root_below_the_rootdir(tmp_path: Path) -> None:
    files = {
        "pytest.ini": "[pytest]\n",
        "app/tests/test_a.py": "def test_a(): pass\ndef test_b(): pass\n",
    }
    root = write(tmp_path, files) / "app"
    assert set(run(root).outcomes) == {"app/tests/test_a.py::test_a", "app/tests/test_a.py::test_b"}
    one = "app/tests/test_a.py::test_b"
    assert run(root, select=[one]).outcomes == {one: "passed"}


def test_the_chosen_tests_on_workers(tmp_path: Path) -> None:
    root = write(tmp_path, {"test_a.py": "def test_a(): pass\ndef test_b(): assert 0\n"})
    one = "test_a.py::test_b"
    assert run(root, "-n1", python=python(PYTEST_9), select=[one]).outcomes == {one: "failed"}


def test_more_tests_than_a_command_line_can_name(tmp_path: Path) -> None:
    source = """
    import pytest

    @pytest.mark.parametrize("value", ["x" * 3000 + str(n) for n in range(1000)])
    def test_ids(value):
        pass
    """
    root = write(tmp_path, {"test_a.py": source})
    chosen = [f"test_a.py::test_ids[{'x' * 3000}{n}]" for n in range(999)]
    found = run(root, select=chosen)
    assert found.exit_code == 0
    assert len(found.outcomes) == 999


def test_a_hanging_test_is_ended_with_all_its_processes(tmp_path: Path) -> None:
    source = """
    import os, signal, subprocess, sys, time

    def test_hangs():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
        group = subprocess.Popen(sleep)
        stray = subprocess.Popen(sleep, start_new_session=True)
        with open("pids", "w") as pids:
            pids.write("%d %d %d" % (os.getpid(), group.pid, stray.pid))
        time.sleep(600)
    """
    root = write(tmp_path, {"test_a.py": source})
    found = run_pytest(PytestCommand(root, HERE, timeout=3))
    assert found.exit_code is None
    assert found.crashed == ("test_a.py::test_hangs",)
    assert "time was up" in found.failures[0].text
    pids = [int(pid) for pid in (root / "pids").read_text().split()]
    assert [is_alive(pid) for pid in pids] == [False, False, False]


def test_what_a_passing_run_left_running_is_ended(tmp_path: Path) -> None:
    source = """
    import subprocess, sys

    def test_leaves():
        sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
        pids = [subprocess.Popen(sleep, start_new_session=new).pid for new in (False, True)]
        with open("pids", "w") as out:
            out.write("%d %d" % tuple(pids))
    """
    root = write(tmp_path, {"test_a.py": source})
    assert run(root).exit_code == 0
    pids = [int(pid) for pid in (root / "pids").read_text().split()]
    assert [is_alive(pid) for pid in pids] == [False, False]


def test_a_run_can_be_stopped(tmp_path: Path) -> None:
    source = "import time\ndef test_slow():\n    open('begun', 'w').close()\n    time.sleep(600)\n"
    root, stop = write(tmp_path, {"test_a.py": source}), threading.Event()

    def when_begun() -> None:
        while not (root / "begun").exists():
            time.sleep(0.02)
        stop.set()

    threading.Thread(target=when_begun, daemon=True).start()
    assert run(root, stop=stop).exit_code is None


def test_an_interrupt_ends_the_run_and_goes_on(tmp_path: Path) -> None:
    source = """
    import os, time
    def test_slow():
        with open("pid.part", "w") as out:
            out.write(str(os.getpid()))
        os.rename("pid.part", "pid")
        time.sleep(600)
    """
    root = write(tmp_path, {"test_a.py": source})
    main = f"""
    from pathlib import Path
    from selfdebug.validation.cold import run_pytest
    from selfdebug.validation.launch import PytestCommand
    try:
        run_pytest(PytestCommand(Path({str(root)!r}), Path({str(HERE)!r})))
    except KeyboardInterrupt:
        print("interrupted")
    """
    parent = subprocess.Popen(
        [HERE, "-c", dedent(main)], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    )
    while not (root / "pid").exists():
        assert parent.poll() is None
        time.sleep(0.02)
    parent.send_signal(signal.SIGINT)
    shown, _ = parent.communicate(timeout=60)
    assert shown == b"interrupted\n"
    assert not is_alive(int((root / "pid").read_text()))


def test_output_without_end_is_bounded_and_keeps_both_ends(tmp_path: Path) -> None:
    source = "def test_loud():\n    for _ in range(500):\n        print('x' * 100_000)\n"
    found = run(write(tmp_path, {"test_a.py": source}), "-s")
    assert found.exit_code == 0
    assert "test session starts" in found.output
    assert "1 passed" in found.output
    assert len(found.output) < 300_000


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory is taken")
def test_memory_has_a_limit_that_what_is_only_reserved_does_not_meet(tmp_path: Path) -> None:
    source = """
    import mmap
    def test_greedy():
        bytearray(300 * 1024**2)
    def test_modest():
        bytearray(50 * 1024**2)
    def test_reserved():
        mmap.mmap(-1, 2 * 1024**3, prot=mmap.PROT_READ)
    """
    root = write(tmp_path, {"test_a.py": source})
    command = PytestCommand(root, HERE, memory=200 * 1024**2)
    assert run_pytest(command).outcomes == {
        "test_a.py::test_greedy": "failed",
        "test_a.py::test_modest": "passed",
        "test_a.py::test_reserved": "passed",
    }


def test_standard_input_is_empty(tmp_path: Path) -> None:
    source = "import sys\ndef test_in():\n    assert sys.stdin.read() == ''\n"
    assert run(write(tmp_path, {"test_a.py": source}), "-s").exit_code == 0


def test_output_has_no_colour(tmp_path: Path) -> None:
    ini = "[pytest]\naddopts = --color=yes\n"
    root = write(tmp_path, {"test_a.py": "def test_a(): pass\n", "pytest.ini": ini})
    assert "\x1b" not in run_pytest(PytestCommand(root, HERE, env={"FORCE_COLOR": "1"})).output


def test_an_interpreter_without_pytest(tmp_path: Path) -> None:
    bare = base("3.9") or base("3.8") or base("3.7")
    if bare is None:
        pytest.skip("no other Python on this machine")
    with pytest.raises(PytestMissing, match="has no pytest"):
        run_pytest(PytestCommand(tmp_path, bare, env={"PYTHONNOUSERSITE": "1"}))
    with pytest.raises(PytestMissing, match="can't be started"):
        run_pytest(PytestCommand(tmp_path, tmp_path / "python"))


def test_wrong_usage_is_a_run_with_its_words(tmp_path: Path) -> None:
    found = run(tmp_path, "--no-such-option")
    assert (found.exit_code, found.outcomes) == (4, {})
    assert "--no-such-option" in found.output


@pytest.mark.parametrize("options", ["-p no:cacheprovider", "--lf", "--strict-config"])
def test_any_setting_of_the_cache_will_do(tmp_path: Path, options: str) -> None:
    root = write(
        tmp_path,
        {
            "pytest.ini": f"[pytest]\naddopts = {options}\nfilterwarnings = error\n",
            "test_a.py": "def test_a(): pass\n",
        },
    )
    found = run(root)
    assert (found.exit_code, "warning" in found.output) == (0, False)
    assert not (root / ".pytest_cache").exists()


def test_a_threshold_of_coverage_is_no_verdict(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "pytest.ini": "[pytest]\naddopts = --cov=shop --cov-fail-under=90 --cov-report=xml\n",
            "shop.py": "def never():\n    return 1\n",
            "test_a.py": "import shop\ndef test_a(): pass\n",
        },
    )
    before = listing(root)
    assert run(root, python=python(PYTEST_8)).exit_code == 0
    assert listing(root) == before


@pytest.mark.parametrize("environment", [PYTEST_5, PYTEST_9], ids=lambda e: f"py{e[0]}-{e[1]}")
def test_bytecode_of_other_source_is_not_run(
    tmp_path: Path, environment: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    test = "import shop\ndef test_a(): assert shop.answer == 42\n"
    root = write(tmp_path, {"shop.py": "answer = 41\n", "test_a.py": test})
    source, here = root / "shop.py", python(environment)
    now = time.time_ns() + 3600 * 10**9  # so that the edit falls into the second of the original
    os.utime(source, ns=(now, now))
    monkeypatch.setattr(time, "time_ns", lambda: now)
    subprocess.run([here, "-m", "pytest", "-q"], cwd=root, check=False)
    assert list((root / "__pycache__").glob("shop.*.pyc"))
    source.write_text("answer = 42\n")
    os.utime(source, ns=(now, now))
    assert run(root, python=here).exit_code == 1, "the trap is set"
    taken = {(now // 10**9, len("answer = 41\n"))}
    mtime = next_mtime(len("answer = 42\n"), taken)
    overwrite(source, b"answer = 42\n", b"answer = 42\n", root / "temporary", mtime)
    assert run(root, python=here).exit_code == 0


def test_bytecode_that_asks_not_to_be_checked_is_checked(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "shop.py": "answer = 41\n",
            "test_a.py": "import shop\ndef test_a(): assert shop.answer == 42\n",
        },
    )
    unchecked = "invalidation_mode=p.PycInvalidationMode.UNCHECKED_HASH"
    code = f"import py_compile as p; p.compile('shop.py', {unchecked})"
    subprocess.run([HERE, "-c", code], cwd=root, check=True)
    (root / "shop.py").write_text("answer = 42\n")
    assert run(root).exit_code == 0


def test_a_run_in_a_scratch_folder_leaves_it_to_the_caller(tmp_path: Path) -> None:
    root = write(tmp_path / "project", {"test_a.py": "def test_a(): assert 0\n"})
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = PytestCommand(root, HERE, ("--lf",), scratch=scratch)
    assert run_pytest(command).exit_code == 1
    assert (scratch / "results" / "cache").is_dir()
    assert not list(scratch.rglob("run-*"))
