"""What NullGuard does to real code, at random places of the standard library."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfdebug.codemods.null_guard import NullGuard
from tests.codemods.slices import comments, compiles, made, reverted, stdlib

SEED = 20
FILES = stdlib(SEED, 30)


@pytest.fixture(scope="module")
def seen() -> set[str]:
    return set()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_edit_compiles_keeps_all_comments_and_can_be_taken_back(
    path: Path, seen: set[str]
) -> None:
    for one in made(NullGuard, path, SEED, places=5):
        seen.add(one.variant)
        where = f"{one.variant} at {one.site.span} for {one.site.code}"
        assert compiles(one.after, str(path)), where
        assert comments(one.after) == comments(one.source.data), where
        assert reverted(one) == one.source.data, where
        assert one.after != one.source.data, where


def test_the_slice_has_all_that_is_common(seen: set[str]) -> None:
    assert seen >= {"early-exit", "skip", "conditional", "default"}
