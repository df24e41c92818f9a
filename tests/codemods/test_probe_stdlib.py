"""Probes in real files: what ``benchmarks/fuzz_probe.py`` does with a thousand, with a few."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.fuzz_probe import files, probed, wrong
from selfdebug.syntax.source import apply

SAMPLE = [path for path in files(60, seed=2) if 500 < path.stat().st_size < 20_000][:4]


@pytest.mark.parametrize("file", SAMPLE, ids=lambda path: path.name)
def test_a_file_of_the_standard_library_is_as_it_was(file: Path) -> None:
    data = file.read_bytes()
    edits = probed(file, random.Random(0))
    assert wrong(data, edits) is None
    compile(apply(data, tuple(edits)), file.name, "exec", dont_inherit=True)
    assert file.read_bytes() == data
