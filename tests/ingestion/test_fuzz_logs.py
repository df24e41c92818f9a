"""Hostile logs: what ``make logfuzz`` does with thousands and with 200 MB, with a few and with 1 MB."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from benchmarks import fuzz_logs
from benchmarks.fuzz_logs import (
    ALIEN,
    MUTATIONS,
    Lines,
    Repeated,
    Watch,
    corpus,
    diagnosed,
    huge,
    mutated,
    shop,
    wrong,
)
from selfdebug.model import Explanation, Traceback

LOGS = 12


@pytest.fixture(scope="module")
def pool() -> list[Lines]:
    return corpus(("auto", "native"), ("8",))


@pytest.fixture(scope="module")
def project() -> Iterator[tuple[Path, Watch]]:
    with shop() as made:
        yield made


def test_no_log_does_harm(pool: list[Lines], project: tuple[Path, Watch]) -> None:
    for number in range(LOGS):
        log = mutated(pool, random.Random(f"1 {number}"))
        assert [*wrong(log, *project)] == [], f"log {number}"


def test_no_log_is_too_deep(pool: list[Lines], project: tuple[Path, Watch]) -> None:
    for name, block in huge(pool, random.Random(1)).items():
        size = 100_000 if name == "a real log" else 500_000
        found = diagnosed(cast("BinaryIO", Repeated(block, size)), project[0])
        assert found.exit_code in (0, 2), f"{name}: {found.message}"


def test_every_mutation_changes_logs(pool: list[Lines]) -> None:
    for mutation in MUTATIONS:
        seen = {b"\n".join(mutation(pool[0], pool, random.Random(seed))) for seed in range(9)}
        assert len(seen - {b"\n".join(pool[0])}) > 4, mutation


def reads_outside(root: Path) -> None:
    (root.parent / "secret.py").read_bytes()


def raises(_: Path) -> None:
    raise RecursionError


def takes_over_the_terminal(_: Path) -> None:
    sys.stdout.write("\x1b[2J")


@pytest.mark.parametrize(
    ("harm", "what"),
    [
        (reads_outside, "outside of the project"),
        (raises, "it raises"),
        (takes_over_the_terminal, "reaches the terminal"),
    ],
)
def test_harm_is_noticed(
    harm: Callable[[Path], None],
    what: str,
    project: tuple[Path, Watch],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def harmful(_: BinaryIO, root: Path) -> Explanation:
        harm(root)
        return Explanation(root, 0, "")

    monkeypatch.setattr(fuzz_logs, "diagnosed", harmful)
    assert any(what in each for each in wrong(b"", *project))


def test_harm_in_the_report_is_noticed(
    project: tuple[Path, Watch], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Traceback("a.py", 1, "E", "m", function="\x9b2J")
    broken = Explanation(project[0], 1, "x", (told,))
    monkeypatch.setattr(fuzz_logs, "diagnosed", lambda *_: broken)
    monkeypatch.setattr("selfdebug.reporting.summary.clean", lambda text: text)
    monkeypatch.setattr(fuzz_logs, "edits", lambda *_: iter([f"x.{ALIEN}".encode()]))
    assert [each.partition(":")[0] for each in wrong(b"", *project)] == [
        "exit 1",
        "a control character reaches the JSON",
        "text of the log reaches the source",
    ]
