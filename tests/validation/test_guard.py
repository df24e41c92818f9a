"""A change that nobody has read does no more to the machine than the tests do without it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from selfdebug.model import TestRun
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits
from selfdebug.validation.runner import Runner
from selfdebug.validation.warm import WarmServer, start
from tests.validation.test_cold import HERE, write

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the warm runner is for Linux only")

CACHE = """\
import os
import shutil


def clean(folder, keep, other):
    for name in os.listdir(folder):
        if name != keep:
            os.remove(os.path.join(folder, name))


def forget(folder, other):
    shutil.rmtree(folder)


def log(path, other):
    with open(path, "a") as stream:
        stream.write("x")
"""
TESTS = """\
from pathlib import Path

import pytest
from cache import clean, forget, log

HERE = Path(__file__).parent


def test_clean(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(name)
    clean(tmp_path, "a", HERE / "precious")
    assert [each.name for each in tmp_path.iterdir()] == ["b"]


def test_forget(tmp_path):
    (tmp_path / "x").mkdir()
    forget(tmp_path / "x", HERE / "precious")
    assert False


def test_log():
    log(HERE / "log.txt", HERE / "precious/data")
    assert False


@pytest.fixture
def lent():
    path = HERE / "lent.txt"
    path.write_text("")
    yield path
    path.unlink()


def test_lent(lent):
    log(lent, HERE / "precious/data")
    assert False
"""


def project(folder: Path) -> Path:
    return write(
        folder / "project",
        {"cache.py": CACHE, "test_cache.py": TESTS, "precious/data": "mine", "log.txt": ""},
    )


def tried(root: Path, old: str, new: str, test: str) -> TestRun | None:
    """What the test says under a change, tried as one of many."""
    assert old in CACHE
    server = start(PytestCommand(root, HERE))
    assert isinstance(server, WarmServer)
    with server:
        runner = Runner(server.command, lambda _: None, server=server)
        names = [f"test_cache.py::test_{name}" for name in ("clean", "forget", "log", "lent")]
        assert runner.spectrum(names) is not None
        contents = {root / "cache.py": CACHE.replace(old, new).encode()}
        with runner.started(1):
            return runner.try_quick(contents, f"test_cache.py::test_{test}", 20)


def untouched(root: Path) -> bool:
    data = root / "precious/data"
    return data.exists() and data.read_text() == "mine"


@pytest.mark.parametrize(
    ("old", "new", "test"),
    [
        ("os.path.join(folder, name)", "os.path.join(other, 'data')", "clean"),
        ("shutil.rmtree(folder)", "shutil.rmtree(other)", "forget"),
        ('open(path, "a")', 'open(other, "a")', "log"),
        ('open(path, "a")', 'open(other, "w")', "log"),
    ],
)
def test_what_is_not_of_the_test_is_out_of_reach(
    tmp_path: Path, old: str, new: str, test: str
) -> None:
    root = project(tmp_path)
    run = tried(root, old, new, test)
    assert run is not None
    assert run.exit_code == 1
    assert untouched(root)


def test_a_temporary_folder_is_free_to_use(tmp_path: Path) -> None:
    run = tried(project(tmp_path), "name != keep", "name == keep", "clean")
    assert run is not None
    assert run.exit_code == 0


def test_a_change_outside_functions_is_tried_too(tmp_path: Path) -> None:
    old = CACHE.partition("            os.remove")[0]
    new = old.replace("import shutil\n", 'import shutil\n\nKEPT = "b"\n')
    run = tried(project(tmp_path), old, new.replace("!= keep", "!= KEPT"), "clean")
    assert run is not None
    assert run.exit_code == 0


def test_what_the_test_does_anyway_is_allowed(tmp_path: Path) -> None:
    root = project(tmp_path)
    run = tried(root, '"x"', '"yz"', "log")
    assert run is not None
    assert run.failures[0].raised is not None
    assert run.failures[0].raised.type == "AssertionError"
    assert (root / "log.txt").read_text() == "x" + "yz"


def test_what_a_test_lends_it_gives_back(tmp_path: Path) -> None:
    root = project(tmp_path)
    run = tried(root, '"x"', '"yz"', "lent")
    assert run is not None
    assert run.exit_code == 1
    assert not (root / "lent.txt").exists()


def test_without_a_guard_it_would_be_gone(tmp_path: Path) -> None:
    root = project(tmp_path)
    server = start(PytestCommand(root, HERE))
    assert isinstance(server, WarmServer)
    contents = {
        root / "cache.py": CACHE.replace("shutil.rmtree(folder)", "shutil.rmtree(other)").encode()
    }
    with server:
        server.run(contents, ["test_cache.py::test_forget"], Limits(20))
    assert not untouched(root)
