"""A candidate is tried without a write to the project, and the run proves that it was the candidate."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from selfdebug.model import TestRun
from selfdebug.validation.cold import run_pytest
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.overlay import OverlayUnusable, overlay, run_in_copy
from tests.interpreters import PYTEST_5, PYTEST_9
from tests.validation.test_cold import HERE, listing, python, write

OLD = "def f(x):\n    return x.bio\n"
NEW = b"# a new line, so that places move\ndef f(x):\n    return None if x is None else x.bio\n"
TEST = "import shop\ndef test_f(): assert shop.f(None) is None\n"


def proved(root: Path, file: str) -> tuple[int, frozenset[str]]:
    return 0, frozenset({str(root / file)})


def tried(root: Path, file: str = "shop.py", here: Path = HERE, *args: str) -> TestRun:
    return run_pytest(PytestCommand(root, here, args), replaced={root / file: NEW})


@pytest.mark.parametrize("environment", [PYTEST_5, PYTEST_9], ids=lambda e: f"py{e[0]}-{e[1]}")
def test_imports_see_the_new_bytes_past_the_bytecode_of_the_old(
    tmp_path: Path, environment: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    root, here = write(tmp_path, {"shop.py": OLD, "test_a.py": TEST}), python(environment)
    subprocess.run([here, "-m", "pytest", "-q"], cwd=root, check=False)
    before = listing(root)
    found = tried(root, "shop.py", here)
    assert (found.exit_code, found.overlaid) == proved(root, "shop.py")
    assert not found.spawned
    assert run_pytest(PytestCommand(root, here)).exit_code == 1
    assert listing(root) == before


def test_failures_show_the_new_source(tmp_path: Path) -> None:
    root = write(tmp_path, {"shop.py": OLD, "test_a.py": "import shop\ndef test_f(): shop.f(1)\n"})
    found = tried(root)
    assert found.failures[0].raised is not None
    frame = found.failures[0].raised.frames[-1]
    source = NEW.decode().splitlines()[2]
    assert (frame.line, frame.source) == (3, source)
    assert frame.span is not None
    assert source[frame.span.column : frame.span.end_column] == "x.bio"
    assert f">       {source.strip()}" in found.output or source.strip() in found.output


IMPORTS = {
    "a package": {
        "pkg/__init__.py": OLD,
        "test_a.py": TEST.replace("shop", "pkg"),
    },
    "a module of a package": {
        "pkg/__init__.py": "",
        "pkg/shop.py": OLD,
        "test_a.py": "from pkg import shop\n" + TEST.split("\n", 1)[1],
    },
    "a plugin that pytest rewrites": {
        "shop.py": OLD,
        "conftest.py": "pytest_plugins = ['shop']\n",
        "test_a.py": TEST,
    },
    "by its path": {
        "shop.py": OLD,
        "test_a.py": """
        import importlib.util
        spec = importlib.util.spec_from_file_location("elsewhere", __file__.replace("test_a", "shop"))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        def test_f(): assert module.f(None) is None
        """,
    },
    "through a symbolic link": {
        "real/shop.py": OLD,
        "test_a.py": "from linked import shop\n" + TEST.split("\n", 1)[1],
    },
    "after a reload": {
        "shop.py": OLD,
        "test_a.py": "import importlib, shop\nimportlib.reload(shop)\n" + TEST,
    },
    "as source": {
        "shop.py": OLD,
        "test_a.py": """
        import inspect, shop
        def test_f():
            assert inspect.getsource(shop.f).count("None") == 2
            assert shop.__loader__.get_source("shop").startswith("# a new")
        """,
    },
}


@pytest.mark.parametrize("how", IMPORTS)
def test_whatever_way_it_is_imported(tmp_path: Path, how: str) -> None:
    root = write(tmp_path, IMPORTS[how])
    file = next(name for name, text in IMPORTS[how].items() if text == OLD)
    if "real/" in file:
        (root / "linked").symlink_to("real")
    found = tried(root, file)
    assert (found.exit_code, found.overlaid) == proved(root, file), found.output


def test_workers_import_it_too(tmp_path: Path) -> None:
    root = write(tmp_path, {"shop.py": OLD, "test_a.py": TEST})
    found = tried(root, "shop.py", python(PYTEST_9), "-n1")
    assert (found.exit_code, found.overlaid) == proved(root, "shop.py")
    assert not found.spawned


def test_a_file_that_does_not_parse_says_so(tmp_path: Path) -> None:
    root = write(tmp_path, {"shop.py": OLD, "test_a.py": TEST})
    found = run_pytest(PytestCommand(root, HERE), replaced={root / "shop.py": b"def f(:\n"})
    assert found.failures[0].raised is not None
    assert found.failures[0].raised.type == "SyntaxError"
    assert found.failures[0].raised.frames[-1].source == "def f(:"


def test_what_only_a_child_process_imports_is_not_proved(tmp_path: Path) -> None:
    source = """
    import subprocess, sys
    def test_f():
        subprocess.run([sys.executable, "-c", "import shop; shop.f(None)"], check=True)
    """
    root = write(tmp_path, {"shop.py": OLD, "test_a.py": source})
    found = tried(root)
    assert (found.exit_code, found.overlaid, found.spawned) == (1, frozenset(), True)
    copied = run_in_copy(PytestCommand(root, HERE), {})
    assert copied.exit_code == 1


def test_what_was_imported_too_early_is_not_proved(tmp_path: Path) -> None:
    ini = "[pytest]\naddopts = -p shop\n"
    root = write(tmp_path, {"shop.py": OLD, "test_a.py": TEST, "pytest.ini": ini})
    found = tried(root)
    assert found.exit_code == 1
    assert found.overlaid == frozenset()


def test_a_run_that_died_proves_nothing(tmp_path: Path) -> None:
    source = "import os, shop\ndef test_f(): os._exit(0)\n"
    root = write(tmp_path, {"shop.py": OLD, "test_a.py": source})
    assert tried(root).overlaid == frozenset()


def test_a_copy_runs_children_and_names_files_as_in_the_project(tmp_path: Path) -> None:
    source = """
    import subprocess, sys, shop
    def test_f():
        subprocess.run([sys.executable, "-c", "import shop; shop.f(None)"], check=True)
    def test_g():
        open("left", "w").close()
        shop.f(1)
    """
    root = write(tmp_path / "project", {"shop.py": OLD, "test_a.py": source})
    before = listing(root)
    found = run_in_copy(PytestCommand(root, HERE), {root / "shop.py": NEW})
    assert found.outcomes == {"test_a.py::test_f": "passed", "test_a.py::test_g": "failed"}
    assert found.failures[0].raised is not None
    frames = found.failures[0].raised.frames
    assert [frame.file for frame in frames] == [str(root / "test_a.py"), str(root / "shop.py")]
    assert found.overlaid == {str(root / "shop.py")}
    assert listing(root) == before


def test_a_copy_of_a_repository_is_a_repository_of_its_own(tmp_path: Path) -> None:
    source = """
    import subprocess, shop
    def test_f():
        assert shop.f(None) is None
        for args in (["add", "."], ["commit", "-qm", "from a test"], ["gc", "-q"]):
            subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", *args], check=True)
    """
    root = write(tmp_path / "project", {"shop.py": OLD, "test_a.py": source})
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / ".venv" / "pyvenv.cfg").touch()
    os.mkfifo(root / "pipe")
    for args in (
        ["init"],
        ["add", "shop.py"],
        ["-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "a"],
    ):
        subprocess.run(["git", *args], cwd=root, check=True, capture_output=True)
    (root / "pipe").unlink()
    before = listing(root)
    os.mkfifo(root / "pipe")
    found = run_in_copy(PytestCommand(root, HERE), {root / "shop.py": NEW})
    (root / "pipe").unlink()
    assert found.exit_code == 0, found.output
    assert listing(root) == before
    with overlay(root, {}) as copy:
        assert not (copy / ".venv").exists()
        assert (copy / ".git" / "HEAD").exists()
    assert not copy.exists()


def test_an_editable_install_is_followed_into_the_copy(tmp_path: Path) -> None:
    root = write(tmp_path / "project", {"src/shop.py": OLD, "tests/test_a.py": TEST})
    command = PytestCommand(root, HERE, env={"PYTHONPATH": str(root / "src")})
    found = run_in_copy(command, {root / "src" / "shop.py": NEW})
    assert (found.exit_code, found.overlaid) == proved(root, "src/shop.py")


def test_a_copy_whose_tests_import_the_original_is_no_use(tmp_path: Path) -> None:
    """As with a finder of an editable install, which no path on sys.path tells of."""
    root = tmp_path / "project"
    finder = f"""
    import importlib.util, sys
    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "shop":
                return importlib.util.spec_from_file_location(name, {str(root / "lib/shop.py")!r})
    sys.meta_path.append(Finder)
    """
    write(root, {"lib/shop.py": OLD, "test_a.py": TEST, "conftest.py": finder})
    replaced = {root / "lib" / "shop.py": NEW}
    with pytest.raises(OverlayUnusable, match="did not import"):
        run_in_copy(PytestCommand(root, HERE), replaced)
    assert run_pytest(PytestCommand(root, HERE), replaced=replaced).exit_code == 0


def test_links_into_the_project_lead_into_the_copy(tmp_path: Path) -> None:
    root = write(tmp_path / "project", {"real/calc.py": "x = 1\n", "other.py": "y = 1\n"})
    (tmp_path / "outside").mkdir()
    links = {"pkg": root / "real", "same": Path("real"), "out": tmp_path / "outside"}
    links |= {"round": Path("../project/real"), "one.py": root / "other.py"}
    for name, target in links.items():
        (root / name).symlink_to(target)
    with overlay(root, {root / "real" / "calc.py": b"x = 2\n"}) as copy:
        led = {name: (copy / name).resolve() for name in links}
        assert led == {
            "pkg": copy / "real",
            "same": copy / "real",
            "out": tmp_path / "outside",
            "round": copy / "real",
            "one.py": copy / "other.py",
        }
        assert (copy / "pkg" / "calc.py").read_bytes() == b"x = 2\n"
    assert {name: (root / name).readlink() for name in links} == links
