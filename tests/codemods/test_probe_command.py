"""The probe as a libcst command: put in at a place, run, taken out again."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import pytest
from libcst.tool import main

from selfdebug.codemods._probes import RUNTIME
from selfdebug.ingestion.probes import read_probes

SHOP = b'''\
"""A shop."""\r
from __future__ import annotations\r
\r
\r
def price(order, rate=1):  # \xe9\r
\tif order.open: return(order.price) * rate\r
\treturn 0, *[order, \r
\t\trate]\r
\r
print(price(None))'''


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "shop.py"
    file.write_bytes(b"# -*- coding: latin-1 -*-\r\n" + SHOP)
    return file


def codemod(file: Path, *args: str) -> str:
    """Run the command as ``python -m libcst.tool`` does; return what it says."""
    said = StringIO()
    command = ["codemod", "-x", "selfdebug.codemods.Probe", "--jobs", "1", *args, str(file)]
    with redirect_stderr(said):
        assert main("libcst.tool", command) == 0, said.getvalue()
    return said.getvalue()


@pytest.mark.parametrize("variant", ["all", "caught"])
def test_probes_go_in_and_come_out_byte_for_byte(shop: Path, variant: str) -> None:
    before = shop.read_bytes()
    places = [part for line in (6, 7, 8, 11) for part in ("--at", f"shop.py:{line}")]
    assert f"PYTHONPATH={RUNTIME}" in codemod(shop, "--variant", variant, *places)
    after = shop.read_bytes()
    assert after != before
    assert after.count(b"selfdebug_probe") >= 2
    assert [line.split(b"#")[1:] for line in after.split(b"\r\n")] == [
        line.split(b"#")[1:] for line in before.split(b"\r\n")
    ]
    codemod(shop, "--remove")
    assert shop.read_bytes() == before


def test_the_probed_program_says_what_it_saw(shop: Path, tmp_path: Path) -> None:
    codemod(shop, "--at", "shop.py:7")
    log = tmp_path / "probes.jsonl"
    env = {**os.environ, "PYTHONPATH": str(RUNTIME), "SELFDEBUG_PROBES": str(log)}
    ran = subprocess.run([sys.executable, shop], env=env, capture_output=True, check=False)
    assert ran.returncode == 1
    assert ran.stdout == b""
    assert b"line 7, in price" in ran.stderr
    assert b"selfdebug_probe.py" not in ran.stderr
    assert [(record.kind, record.line) for record in read_probes(log)] == [
        ("DBG-PROBE", 7),
        ("DBG-STMT", 7),
        ("DBG-CAUGHT", 7),
    ]


def test_probes_are_not_put_in_twice(shop: Path) -> None:
    codemod(shop, "--at", "shop.py:7")
    once = shop.read_bytes()
    codemod(shop, "--at", "shop.py:7")
    assert shop.read_bytes() == once


def test_without_a_place_nothing_changes(shop: Path) -> None:
    before = shop.read_bytes()
    codemod(shop)
    codemod(shop, "--remove")
    assert shop.read_bytes() == before
