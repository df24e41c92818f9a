"""A process that waits for the next run of the whole suite says what one that starts later would say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from selfdebug.validation.cold import Spare, run_pytest
from selfdebug.validation.launch import PytestCommand
from tests.interpreters import PYTEST_5, PYTEST_8, interpreter
from tests.validation.test_cold import HERE, is_alive, write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes can't be handed on")
FILES = {
    "shop.py": "PRICE = 1\n",
    "conftest.py": "import shop\n",
    "test_shop.py": "from shop import PRICE\n\ndef test_price():\n    assert PRICE == 2\n"
    "\ndef test_other():\n    pass\n",
}
RIGHT = {"test_shop.py::test_price": "passed", "test_shop.py::test_other": "passed"}


def project(folder: Path) -> Path:
    return write(folder / "project", FILES)


@pytest.mark.parametrize("environment", [None, PYTEST_5, PYTEST_8], ids=["9", "5", "8"])
def test_it_sees_the_tree_as_it_is_when_told(
    environment: tuple[str, ...] | None, tmp_path: Path
) -> None:
    python = interpreter(*environment) if environment else HERE
    if python is None:
        pytest.skip("no such interpreter on this machine")
    root = project(tmp_path)
    command = PytestCommand(root, python, ("-n", "2") if environment == PYTEST_8 else ())
    spare = Spare(command)
    (root / "shop.py").write_text("PRICE = 2\n")
    run = spare.run([root / "shop.py"])
    assert run is not None
    assert (run.exit_code, run.outcomes) == (0, RIGHT)
    assert run.versions == run_pytest(command).versions


def test_the_garbage_of_the_project_is_found(tmp_path: Path) -> None:
    test = (
        "import gc, weakref\n\n\nclass Node:\n    pass\n\n\ndef test_it_goes():\n    node = Node()\n"
        "    node.self = node\n    left = weakref.ref(node)\n    del node\n    gc.collect()\n"
        "    assert left() is None\n"
    )
    run = Spare(PytestCommand(write(tmp_path / "project", {"test_node.py": test}), HERE)).run(())
    assert run is not None
    assert run.outcomes == {"test_node.py::test_it_goes": "passed"}


def test_what_it_imported_before_the_change_it_can_not_judge(tmp_path: Path) -> None:
    root = project(tmp_path)
    spare = Spare(PytestCommand(root, HERE, ("-p", "shop")))
    (root / "shop.py").write_text("PRICE = 2\n")
    assert spare.run([root / "shop.py"]) is None
    spare = Spare(PytestCommand(root, HERE, ("-p", "shop")))
    run = spare.run([root / "test_shop.py"])
    assert run is not None
    assert run.outcomes == RIGHT


def test_it_takes_files_that_are_not_written(tmp_path: Path) -> None:
    root = project(tmp_path)
    shop = root / "shop.py"
    run = Spare(PytestCommand(root, HERE)).run((), {shop: b"PRICE = 2\n"})
    assert run is not None
    assert (run.outcomes, set(run.overlaid)) == (RIGHT, {str(shop)})
    assert shop.read_text() == FILES["shop.py"]


def test_one_that_is_not_needed_ends_and_leaves_nothing(tmp_path: Path) -> None:
    root, scratch = project(tmp_path), tmp_path / "scratch"
    scratch.mkdir()
    spare = Spare(PytestCommand(root, HERE, scratch=scratch))
    pid = spare.process.pid
    assert is_alive(pid)
    spare.close()
    spare.close()
    assert not is_alive(pid)
    assert list(scratch.rglob("run-*")) == []
    assert sorted(path.name for path in root.iterdir()) == sorted(FILES)


def test_its_time_begins_when_it_is_told(tmp_path: Path) -> None:
    root = write(tmp_path, {"test_a.py": "def test_a():\n    while True: pass\n"})
    spare = Spare(PytestCommand(root, HERE, timeout=1))
    run = spare.run(())
    assert run is not None
    assert run.exit_code is None
    assert not is_alive(spare.process.pid)


def test_an_interpreter_that_is_not_there(tmp_path: Path) -> None:
    root, scratch = project(tmp_path), tmp_path / "scratch"
    scratch.mkdir()
    with pytest.raises(OSError, match="no-python"):
        Spare(PytestCommand(root, tmp_path / "no-python", scratch=scratch))
    assert list(scratch.rglob("run-*")) == []


def test_our_plugins_are_compiled_once_for_all_runs(tmp_path: Path) -> None:
    root, plugins = project(tmp_path), tmp_path / "plugins"
    command = PytestCommand(root, HERE, plugins=plugins)
    run_pytest(command)
    compiled = {path: path.stat().st_mtime_ns for path in plugins.rglob("*.pyc")}
    names = {path.name.partition(".")[0].partition("_")[0] for path in compiled}
    assert names - {""} == {"recorder", "unshadowed"}
    run_pytest(command)
    assert {path: path.stat().st_mtime_ns for path in plugins.rglob("*.pyc")} == compiled
