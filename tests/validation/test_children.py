"""What programs tell that tests start: the lines that they execute, and what ended them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from selfdebug.model import Failure
from selfdebug.settings import Settings
from selfdebug.steps.context import Context
from selfdebug.steps.observe import Observation, see_twice
from selfdebug.syntax.project import Project
from selfdebug.validation.cold import run_pytest
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits
from selfdebug.validation.prepare import prepared
from selfdebug.validation.warm import WarmRun, WarmServer, start
from tests.validation.test_cold import HERE, write

PROGRAM = """\
import sys


def total(rows):
    result = 0
    for row in rows:
        result += row
    return result


if __name__ == "__main__":
    print("reading", file=sys.stderr)
    print(total(input().split()))
"""
STARTS = """\
import os, runpy, subprocess, sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROGRAM = HERE / "prog.py"
WAYS = {
    "script": [str(PROGRAM)],
    "module": ["-m", "prog"],
    "text": ["-c", "import prog; prog.total([]); prog.total(['1'])"],
    "isolated": ["-I", str(PROGRAM)],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("env", [None, {"PYTHONPATH": "lib", "PATH": ""}])
def test_popen(way, env):
    command = [sys.executable, *WAYS[way]]
    done = subprocess.run(command, input="1 2", capture_output=True, text=True, cwd=HERE, env=env)
    assert done.stdout == "3\\n"
"""


def causes(failures: tuple[Failure, ...]) -> dict[str, tuple[str, str, int, str | None]]:
    """What ended the program of each test, where that is known: exception, file, line, a value."""
    found = {}
    for failure in failures:
        child = failure.raised.before if failure.raised else None
        if child is not None:
            assert failure.raised is not None
            assert failure.raised.relation == "child"
            last = child.frames[-1]
            row = last.locals["row"].text if "row" in last.locals else None
            found[failure.test] = (child.type, Path(last.file).name, last.line, row)
    return found


@pytest.mark.parametrize("python", [Path(sys.executable), HERE], ids=["own", "3.13"])
def test_what_ended_a_program_is_why_its_test_fails(python: Path, tmp_path: Path) -> None:
    root = write(tmp_path / "project", {"prog.py": PROGRAM, "test_prog.py": STARTS})
    run = run_pytest(PytestCommand(root, python), programs=True)
    told = ("TypeError", "prog.py", 7, "'1'")
    seen = [f"test_prog.py::test_popen[{env}-{way}]" for env in ("None", "env1") for way in SEEN]
    assert causes(run.failures) == dict.fromkeys(seen, told)
    assert len(run.failures) == 8


SEEN = ("script", "module", "text")
QUIET = """\
import os, subprocess, sys


def started(*options):
    command = [sys.executable, *options, "prog.py"]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ)


def test_same():
    seen, isolated = started(), started("-I")
    assert (seen.stdout, seen.stderr) == (isolated.stdout, isolated.stderr)
    assert "ZeroDivisionError" in seen.stderr


def test_own_sitecustomize():
    code = "import sitecustomize; print(sitecustomize.OWN)"
    env = {**os.environ, "PYTHONPATH": "lib"}
    assert subprocess.check_output([sys.executable, "-c", code], text=True, env=env) == "yes\\n"


def test_hook():
    code = "import sys; sys.excepthook = lambda *_: print('mine'); sys.exit(1 if sys.path[0] else 1/0)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).stdout == b"mine\\n"
"""
CRASHES = """\
import os, sys
print([each for each in sys.path if "site" in os.path.basename(each) and "-" not in each])
1 / 0
"""


def test_a_program_does_not_notice(tmp_path: Path) -> None:
    files = {"prog.py": CRASHES, "test_prog.py": QUIET, "lib/sitecustomize.py": "OWN = 'yes'\n"}
    root = write(tmp_path / "project", files)
    run = run_pytest(PytestCommand(root, Path(sys.executable)), programs=True)
    assert {failure.test: failure.raised for failure in run.failures} == {}
    assert sorted(each.name for each in root.iterdir()) == ["lib", "prog.py", "test_prog.py"]


EXECUTES = (
    STARTS
    + """

def test_runpy(monkeypatch):
    monkeypatch.setattr("builtins.input", lambda: "")
    runpy.run_path(str(PROGRAM), run_name="__main__")


def test_exec():
    names = {"__name__": "prog"}
    exec(PROGRAM.read_text(), names)
    names["total"]([])


def test_compiled():
    exec(compile(PROGRAM.read_bytes(), str(PROGRAM), "exec"), {"__name__": "prog"})


def test_system():
    os.system(f"{sys.executable} -m prog < /dev/null")


def test_fork():
    import multiprocessing, prog
    child = multiprocessing.get_context("fork").Process(target=prog.total, args=([],))
    child.start()
    child.join()


def test_import():
    import prog
    prog.total([])
"""
)
DEFINED, CALLED = {1, 4, 11}, {5, 6, 8}
RAN = {
    **dict.fromkeys(("script", "module"), DEFINED | {5, 6, 7, 12, 13}),
    "text": DEFINED | {5, 6, 7, 8},
    "isolated": set(),
    "runpy": DEFINED | CALLED | {12, 13},
    "exec": DEFINED | CALLED,
    "compiled": DEFINED,
    "system": DEFINED | {12, 13},
    "fork": DEFINED | CALLED,
    "import": CALLED,  # it was imported before
}


@pytest.mark.skipif(sys.platform != "linux", reason="the warm runner is for Linux only")
@pytest.mark.parametrize("python", [Path(sys.executable), HERE], ids=["own", "3.13"])
def test_a_test_executes_what_its_programs_execute(python: Path, tmp_path: Path) -> None:
    files = {"prog.py": PROGRAM, "test_prog.py": EXECUTES.replace("None, {", "{")}
    root = write(tmp_path / "project", files)
    server = start(PytestCommand(root, python))
    assert isinstance(server, WarmServer)
    with server:
        told = server.reached(Limits(60), ["test_prog.py::test_popen[env0-text]"])
    assert isinstance(told, WarmRun)
    program = root / "prog.py"
    names = {test: test.rpartition("-")[2].rpartition("_")[2].rstrip("]") for test in told.reached}
    assert {
        name: {line for file, line in told.reached[test] if file == program}
        for test, name in names.items()
    } == RAN
    read = {name for test, name in names.items() if program in told.scripts[test]}
    assert read == RAN.keys() - {"isolated", "import"}
    values = told.values["test_prog.py::test_popen[env0-text]"]
    assert values[program, 4]["rows"].text == "[]"


NOTICED = """\
import os, subprocess, sys
from pathlib import Path

SHOW = "import os; print(sorted(each for each in os.environ if each != 'LC_CTYPE'))"


def shown(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options).stdout.strip()


def test_other_programs():
    assert shown("env", env={"A": "1"}) == "A=1"
    assert shown("env", env={b"A": b"1"}) == "A=1"
    assert "SELFDEBUG_CHILD" not in shown("env")
    assert shown("echo $PYTHONPATH", shell=True, env={**os.environ, "PYTHONPATH": "/x"}) == "/x"


def test_given():
    added = ["A", "PYTHONPATH", "SELFDEBUG_CHILD"]
    names = {shown(sys.executable, "-c", SHOW, env={"A": "1"}) for _ in range(2)}
    names.add(shown("tool", env={"A": "1", "PATH": os.environ["PATH"]}, executable="./tool"))
    assert names == {str(added), str(sorted([*added, "PATH"]))}


def test_noticed():
    assert shown(sys.executable, "-c", SHOW, env={"A": "1"}) == "['A']"


def test_wrong():
    done = subprocess.run([sys.executable, "-c", "import prog; prog.half(1)"])
    assert done.returncode == 0
"""
HALF = "def half(n):\n    return n.half\n"


def noticing(folder: Path) -> Path:
    root = write(folder / "project", {"prog.py": HALF, "test_prog.py": NOTICED})
    tool = root / "tool"
    tool.write_text(
        f"#!{sys.executable}\nimport os\nprint(sorted({{*os.environ}} - {{'LC_CTYPE'}}))"
    )
    tool.chmod(0o755)
    return root


def test_only_python_programs_get_other_variables(tmp_path: Path) -> None:
    command = PytestCommand(noticing(tmp_path), Path(sys.executable))
    observed = run_pytest(command, programs=True).outcomes
    said = {test.rpartition("_")[2]: outcome for test, outcome in observed.items()}
    assert said == {"programs": "passed", "given": "passed", "noticed": "failed", "wrong": "failed"}


def test_what_fails_only_while_looked_at_is_not_to_heal(tmp_path: Path) -> None:
    root = noticing(tmp_path)
    with prepared(Settings(root), tmp_path) as tests:
        context = Context(Settings(root), tests, lambda _: None)
        with context.started():
            seen = see_twice(context, Observation(Project(root)))
            assert seen.open_tests == {"test_prog.py::test_given", "test_prog.py::test_wrong"}
            context.tests.spectrum(seen.open_tests)
    assert causes(seen.failures) == {
        "test_prog.py::test_wrong": ("AttributeError", "prog.py", 2, None)
    }
    noticed = "test_prog.py::test_noticed"
    assert context.notes == [f"fails only while it is looked at, and not repaired: {noticed}"]


SHADOWED = """\
import os, subprocess, sys


def tool(*words):
    command = [sys.executable, "lib/tool.py", *words]
    return subprocess.run(command, capture_output=True, text=True, env={"A": "1"})


def test_expected():
    bad = tool("x")
    assert bad.returncode == 1 and "ValueError" in bad.stderr
    assert tool("2").stdout == "5"


def test_shown():
    bad = tool("x")
    tool("2")
    assert bad.stderr == ""


def test_last():
    tool("2")
    assert tool("x").stdout == "4"
"""
SHADOWS = "open('imported', 'w').close()\n"
TOOL = "import sys\nimport half\nprint(half.half(sys.argv[1]), end='')\n"


def test_the_crash_that_a_test_expects_is_not_why_it_fails(tmp_path: Path) -> None:
    """And modules of the project are not imported to tell of a crash."""
    files = {"tool.py": TOOL, "half.py": "def half(n):\n    return int(n) * 2\n"}
    files |= {"json.py": SHADOWS, "inspect.py": SHADOWS}
    files = {f"lib/{name}": text for name, text in files.items()} | {"test_tool.py": SHADOWED}
    root = write(tmp_path / "project", files)
    before = sorted(root.rglob("*"))
    run = run_pytest(PytestCommand(root, Path(sys.executable)), programs=True)
    told = ("ValueError", "half.py", 2, None)
    assert causes(run.failures) == {
        "test_tool.py::test_shown": told,
        "test_tool.py::test_last": told,
    }
    assert len(run.failures) == 3
    assert sorted(root.rglob("*")) == before
