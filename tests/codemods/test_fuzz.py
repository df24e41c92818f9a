"""All codemods at random places of real files: what ``make fuzz`` does with hundreds, with a few."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.fuzz import STYLES, Made, compiles, files, made, made_of, wrong
from selfdebug.codemods.empty_guard import EmptyGuard
from selfdebug.codemods.null_guard import NullGuard
from selfdebug.model import Edit, Failure, Frame, Raised
from selfdebug.syntax.source import decode

SEED = 20
SMALL = [path for path in files(SEED, 60) if 1_000 < path.stat().st_size < 8_000]
SOURCE = b"def f(x):\n    return x.y  # why\n"


@pytest.mark.parametrize("path", SMALL[:3], ids=lambda path: path.stem)
def test_a_repair_compiles_keeps_all_comments_and_can_be_taken_back(path: Path) -> None:
    for one in made(path, SEED):
        assert [*wrong(one)] == [], str(one)


@pytest.mark.parametrize("path", SMALL[3:11], ids=lambda path: path.stem)
def test_a_guard_compiles_keeps_all_comments_and_can_be_taken_back(path: Path) -> None:
    for one in made(path, SEED, (NullGuard,)):
        assert [*wrong(one)] == [], str(one)


def test_failures_of_all_kinds_are_forged_so_that_codemods_answer(tmp_path: Path) -> None:
    code = Path(__file__).parents[2] / "fixtures/warehouse/project/warehouse/stock.py"
    (tmp_path / "stock.py").write_bytes(code.read_bytes())
    found = [one for seed in range(2) for one in made(tmp_path / "stock.py", seed)]
    assert len({one.codemod for one in found}) >= 3
    assert len({one.source.data for one in found}) >= 2  # layouts


def test_a_second_run_that_guards_once_more_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    code = b"def f(a, b):\n    print(a)\n    c = a[b]\n    return c\n"
    for noticed in (False, True):
        if noticed:
            monkeypatch.setattr("selfdebug.codemods._base.is_there", lambda *_: False)
        every = (
            one
            for seed in range(60)
            for one in made_of(Path("m.py"), code, random.Random(seed), (EmptyGuard,))
        )
        assert any("a second run" in what for one in every for what in wrong(one)) == noticed


def test_every_layout_is_another_and_means_the_same() -> None:
    code = b"import a\n\n\ndef f(x):\n    y = x\n    return y\n"
    layouts = {style(code) for style in STYLES}
    assert len(layouts) == len(STYLES)
    assert all(map(compiles, layouts))


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        (b"  # why", b"", "comments are lost"),
        (b"return", b"return (", "does not compile"),
        (b"x.y", b"x.y", "changes nothing"),
        (b"z.y", b"x.y", "does not replace what it says"),
    ],
)
def test_what_may_not_be_is_noticed(before: bytes, after: bytes, what: str, tmp_path: Path) -> None:
    source = decode(tmp_path / "m.py", SOURCE)
    start = max(SOURCE.find(before), 0)
    edit = Edit(source.path, start, start + len(before), before, after)
    failure = Failure("t", "call", Raised("TypeError", "", (Frame("m.py", 1),)))
    (tmp_path / "m.py").write_bytes(SOURCE)
    base = next(one for seed in range(50) for one in made(tmp_path / "m.py", seed, (NullGuard,)))
    bad = Made(source, base.codemod, replace(base.repair, edits=(edit,)), failure, (edit,))
    assert any(what in each for each in wrong(bad))
