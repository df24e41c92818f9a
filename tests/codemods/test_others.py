"""Codemods that other distributions add."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from selfdebug.codemods import catalogue

MODULE = """\
from selfdebug.codemods.null_guard import NullGuard

class House(NullGuard):
    NAME = "house-rule"
"""


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    catalogue.cache_clear()
    yield
    catalogue.cache_clear()


@pytest.mark.parametrize("info", ["house_codemods-1.dist-info", "house_codemods.egg-info"])
def test_an_installed_distribution_adds_its_codemods(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, info: str
) -> None:
    before = [codemod.NAME for codemod in catalogue()]
    (tmp_path / "house_codemods.py").write_text(MODULE)
    (tmp_path / info).mkdir()
    for name in ("METADATA", "PKG-INFO"):
        (tmp_path / info / name).write_text("Metadata-Version: 2.1\nName: house\nVersion: 1\n")
    (tmp_path / info / "entry_points.txt").write_text(
        "[selfdebug.codemods]\nhouse = house_codemods:House\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    catalogue.cache_clear()
    assert [codemod.NAME for codemod in catalogue()] == [*before, "house-rule"]
