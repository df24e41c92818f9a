"""What can't be collected, and what dies: recorded all the same, and once."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfdebug.ingestion.records import read
from selfdebug.model import TestRun
from selfdebug.validation.cold import run_pytest
from selfdebug.validation.launch import PytestCommand
from tests.ingestion.test_plugin import python, write
from tests.interpreters import PYTEST_5, PYTEST_7, PYTEST_8, PYTEST_9

each_pytest = pytest.mark.parametrize(
    "environment", [PYTEST_5, PYTEST_9], ids=lambda e: f"py{e[0]}-{e[1]}"
)
each_xdist = pytest.mark.parametrize(
    "environment", [PYTEST_7, PYTEST_9], ids=lambda e: f"py{e[0]}-{e[1]}"
)


def run(root: Path, environment: tuple[str, ...], *args: str) -> TestRun:
    return run_pytest(PytestCommand(root, python(environment), args))


@each_pytest
def test_a_file_that_can_not_be_imported(tmp_path: Path, environment: tuple[str, ...]) -> None:
    write(
        tmp_path,
        {
            "shop.py": "import os\nNone.x\n",
            "test_a.py": "import shop\n",
            "test_b.py": "def test_b(:\n",
            "test_c.py": "import no_such_module\n",
        },
    )
    found = run(tmp_path, environment)
    assert found.exit_code == 2
    errors = {each.test: each.raised for each in found.failures}
    assert {each.phase for each in found.failures} == {"collect"}
    assert {test: error and error.type for test, error in errors.items()} == {
        "test_a.py": "AttributeError",
        "test_b.py": "SyntaxError",
        "test_c.py": "ModuleNotFoundError",
    }
    places = {
        test: (Path(error.frames[-1].file).name, error.frames[-1].line)
        for test, error in errors.items()
        if error
    }
    assert places == {
        "test_a.py": ("shop.py", 2),
        "test_b.py": ("test_b.py", 1),
        "test_c.py": ("test_c.py", 1),
    }
    assert found.outcomes == dict.fromkeys(errors, "error")


@each_pytest
def test_a_conftest_that_can_not_be_imported(tmp_path: Path, environment: tuple[str, ...]) -> None:
    files = {"shop.py": "def f(x):\n    return x.bio\n", "test_a.py": "def test_a(): pass\n"}
    write(tmp_path, {**files, "conftest.py": "import shop\n\nshop.f(None)\n"})
    found = run(tmp_path, environment)
    assert found.exit_code == 4
    (failure,) = found.failures
    assert (failure.test, failure.phase) == ("conftest.py", "collect")
    assert failure.raised is not None
    assert failure.raised.type == "AttributeError"
    frames = [(Path(f.file).name, f.line) for f in failure.raised.frames[-2:]]
    assert frames == [("conftest.py", 3), ("shop.py", 2)]


@each_pytest
def test_a_conftest_in_a_folder_that_can_not_be_imported(
    tmp_path: Path, environment: tuple[str, ...]
) -> None:
    files = {"shop.py": "None.x\n", "sub/deep/conftest.py": "import shop\n"}
    write(tmp_path, {**files, "sub/deep/test_a.py": "def test_a(): pass\n"})
    found = run(tmp_path, environment)
    assert found.exit_code not in (0, None)
    errors = [each.raised for each in found.failures if each.raised]
    assert [(e.type, Path(e.frames[-1].file).name) for e in errors] == [
        ("AttributeError", "shop.py")
    ]


DEATHS = {
    "segfault": "import ctypes; ctypes.string_at(0)",
    "exit": "import os; os._exit(3)",
}


@pytest.mark.parametrize("how", DEATHS)
def test_a_test_that_kills_its_process(tmp_path: Path, how: str) -> None:
    source = f"def test_a(): pass\ndef test_dies():\n    {DEATHS[how]}\ndef test_b(): pass\n"
    write(tmp_path, {"test_d.py": source})
    found = run(tmp_path, PYTEST_9)
    assert found.exit_code not in (0, 1, None)
    assert found.crashed == ("test_d.py::test_dies",)
    assert found.outcomes == {"test_d.py::test_a": "passed", "test_d.py::test_dies": "error"}
    (failure,) = found.failures
    assert (failure.test, failure.raised) == ("test_d.py::test_dies", None)
    assert "died" in failure.text


@each_xdist
def test_workers_record_themselves_and_each_failure_once(
    tmp_path: Path, environment: tuple[str, ...]
) -> None:
    source = """
    import os
    import pytest

    @pytest.mark.parametrize("n", range(6))
    def test_n(n):
        assert n % 2

    def test_dies():
        os._exit(3)
    """
    write(tmp_path, {"test_x.py": source})
    found = run(tmp_path, environment, "-n2", "--max-worker-restart=2")
    assert found.exit_code == 1
    assert found.outcomes == {
        **{f"test_x.py::test_n[{n}]": "passed" if n % 2 else "failed" for n in range(6)},
        "test_x.py::test_dies": "error",
    }
    assert sorted(each.test for each in found.failures) == [
        "test_x.py::test_dies",
        *(f"test_x.py::test_n[{n}]" for n in (0, 2, 4)),
    ]
    assert found.crashed == ("test_x.py::test_dies",)
    assert {each.raised.type for each in found.failures if each.raised} == {"AssertionError"}


@each_xdist
def test_workers_that_can_not_collect_say_so_once(
    tmp_path: Path, environment: tuple[str, ...]
) -> None:
    write(tmp_path, {"test_x.py": "import no_such_module\n"})
    found = run(tmp_path, environment, "-n2")
    assert [(each.test, each.phase) for each in found.failures] == [("test_x.py", "collect")]


def test_subtests_of_the_plugin_and_of_pytest(tmp_path: Path) -> None:
    source = """
    def test_many(subtests):
        for n in range(3):
            with subtests.test(msg="half", n=n):
                assert n % 2
    """
    write(tmp_path, {"test_s.py": source})
    for environment in (PYTEST_8, PYTEST_9):
        found = run(tmp_path, environment)
        assert [each.subtest for each in found.failures if each.subtest] == [
            "[half] (n=0)",
            "[half] (n=2)",
        ]
        assert found.outcomes == {"test_s.py::test_many": "failed"}


def test_a_rerun_that_passes_is_no_failure(tmp_path: Path) -> None:
    source = "runs = []\ndef test_flaky():\n    runs.append(1)\n    assert len(runs) > 1\n"
    write(tmp_path, {"test_f.py": source})
    found = run(tmp_path, PYTEST_8, "--reruns=1")
    assert (found.exit_code, found.failures) == (0, ())
    assert found.outcomes == {"test_f.py::test_flaky": "passed"}


def test_a_cut_off_record_loses_only_itself(tmp_path: Path) -> None:
    report = tmp_path / "report"
    report.write_bytes(
        b'{"kind":"start","pid":1,"test":"a"}\n'
        b'{"kind":"finish","pid":1,"test":"a","outcome":"passed","seconds":0.5,"new":[]}\n'
        b'{"kind":"unheard of","pid":1}\n'
        b"\xff\xfe not json\n[1]\n\n"
        b'{"kind":"start","pid":1,"test":"b"}\n'
        b'{"kind":"failure","test":"b","phase":"c'
    )
    found = read(report, exit_code=-9, seconds=1.0)
    assert found.outcomes == {"a": "passed", "b": "error"}
    assert found.durations == {"a": 0.5}
    assert found.crashed == ("b",)


def test_no_record_at_all_is_an_empty_run(tmp_path: Path) -> None:
    found = read(tmp_path / "nothing", exit_code=4, seconds=0.1, output="usage: ...")
    assert (found.exit_code, found.failures, found.outcomes) == (4, (), {})
    assert found.output == "usage: ..."
