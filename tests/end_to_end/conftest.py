"""Projects for the end-to-end tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.project import SOURCE, TESTS, Project


@pytest.fixture(scope="session")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a command keeps for the next one, whatever the project is: each user has it but once."""
    return tmp_path_factory.mktemp("plugins")


@pytest.fixture
def empty(tmp_path: Path, plugins: Path) -> Project:
    """A project without files, of somebody who has used selfdebug before."""
    (tmp_path / "project").mkdir()
    (tmp_path / "home/state").mkdir(parents=True, mode=0o700)
    (tmp_path / "home/state/plugins").symlink_to(plugins)
    return Project(tmp_path / "project", tmp_path / "home")


@pytest.fixture
def project(empty: Project) -> Project:
    """A project with one module that fails on None, and its tests."""
    return empty.write({"names.py": SOURCE, "test_names.py": TESTS})
