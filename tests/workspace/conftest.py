from __future__ import annotations

import tempfile
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def private_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Records and backups of each test in a folder of its own, beside the tree."""
    for name in ("temporary", "state"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("SELFDEBUG_STATE_DIR", str(tmp_path / "state"))
    for name, value in {"NOSYSTEM": "1", "GLOBAL": str(tmp_path / "gitconfig")}.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    return tmp_path / "state"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small tree: an executable with CRLF line ends, a plain module in a folder, an empty folder."""
    tree = tmp_path / "tree"
    (tree / "shop").mkdir(parents=True)
    (tree / "empty").mkdir()
    (tree / "run.py").write_bytes(b"#!/usr/bin/env python\r\nx = 1\r\n")
    (tree / "run.py").chmod(0o755)
    (tree / "shop" / "cart.py").write_bytes(b"total = 1\n")
    (tree / "shop" / "cart.py").chmod(0o640)
    return tree
