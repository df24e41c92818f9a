"""The commands as people type them: ``python -m libcst.tool codemod selfdebug.codemods.NullGuard``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULE = b"""import re


def major(version):
    match = re.match(r"(\\d+)", version)  # digits\r
    return int(match[1])


def label(user):
    return user.name.upper()
"""
PROVEN = MODULE.replace(
    b"    return int", b"    if match is None:\n        return None\n    return int"
)
AT = MODULE.replace(
    b"    return user", b"    if user is None:\n        return None\n    return user"
)
LOG = """
    def test_label():
>       assert label(None) == ""

tests/test_mod.py:5:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

user = None

    def label(user):
>       return user.name.upper()
               ^^^^^^^^^
E       AttributeError: 'NoneType' object has no attribute 'name'

src/mod.py:10: AttributeError
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    for name in ("mod", "twin"):
        (tmp_path / "src" / f"{name}.py").write_bytes(MODULE)
    for number in range(5):
        (tmp_path / "src" / f"plain{number}.py").write_bytes(b"x = 1\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_mod.py").write_text(
        "from src.mod import label\n\n\ndef test_label():\n    assert label(None) == ''\n"
    )
    (tmp_path / "pytest.log").write_text(
        "=================================== FAILURES ===================================\n"
        "__________________________________ test_label __________________________________\n"
        f"{LOG}"
        "=========================== short test summary info ============================\n"
        "FAILED tests/test_mod.py::test_label - AttributeError: 'NoneType' object has n...\n"
        "============================== 1 failed in 0.01s ===============================\n"
    )
    shutil.copy(ROOT / ".libcst.codemod.yaml", tmp_path)
    return tmp_path


def codemod(project: Path, *arguments: str) -> tuple[bytes, bytes]:
    """Run the command on a machine without black; return ``mod.py`` and ``twin.py`` afterwards."""
    command = ["-m", "libcst.tool", "codemod", "selfdebug.codemods.NullGuard", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": ""}
    run = subprocess.run(
        [sys.executable, *command], cwd=project, env=environment, capture_output=True, check=False
    )
    assert run.returncode == 0, run.stderr.decode()
    return (project / "src/mod.py").read_bytes(), (project / "src/twin.py").read_bytes()


def test_with_neither_option_only_what_is_proven_is_guarded_and_once(project: Path) -> None:
    (project / "src/twin.py").write_bytes(PROVEN)
    assert codemod(project, "src") == (PROVEN, PROVEN)


def test_at_a_line_and_once(project: Path) -> None:
    (project / "src/twin.py").write_bytes(AT)
    at = ("--at", "src/mod.py:10:12", "--at", "src/twin.py:12")
    assert codemod(project, *at, "src/mod.py", "src/twin.py") == (AT, AT)


def test_where_a_log_says_so(project: Path) -> None:
    assert codemod(project, "--trace", "pytest.log", "src/") == (AT, MODULE)
