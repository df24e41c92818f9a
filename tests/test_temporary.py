"""A test run that is killed leaves nothing that pytest does not remove later."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest


def test_temporary_folders_of_tests_and_of_what_they_start_are_among_pytest_s_own(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    assert Path(tempfile.gettempdir()).is_relative_to(tmp_path_factory.getbasetemp())
    assert os.environ["TMPDIR"] == tempfile.gettempdir()
