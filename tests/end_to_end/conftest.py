"""Projects for the end-to-end tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.project import SOURCE, TESTS, Project


@pytest.fixture
def empty(tmp_path: Path) -> Project:
    """A project without files."""
    (tmp_path / "project").mkdir()
    return Project(tmp_path / "project", tmp_path / "home")


@pytest.fixture
def project(empty: Project) -> Project:
    """A project with one module that fails on None, and its tests."""
    return empty.write({"names.py": SOURCE, "test_names.py": TESTS})
