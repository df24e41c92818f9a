"""Code of dataclasses' methods that is kept from one process to the next."""

from __future__ import annotations

import dataclasses
import marshal
from pathlib import Path
from typing import Any

import pytest

from selfdebug.workspace import atomic, compiled


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "kept"
    made.mkdir()
    return made


def made() -> Any:
    return dataclasses.make_dataclass("Point", [("x", int), ("y", int, 0)], frozen=True)


def table(folder: Path) -> dict[str, Any]:
    (file,) = folder.iterdir()
    found = marshal.loads(file.read_bytes())
    assert isinstance(found, dict)
    return found


def test_what_a_class_needs_is_kept_and_gives_the_same_class(folder: Path) -> None:
    with compiled.kept(folder):
        before = made()
    kept = table(folder)
    assert any("__init__(self" in source for source in kept)
    with compiled.kept(folder):
        after = made()
    plain = made()
    assert table(folder) == kept
    for kind in (before, after):
        assert repr(kind(1)) == repr(plain(1)) == "Point(x=1, y=0)"
        assert (kind(1) == kind(1, 0), kind(1) == kind(2)) == (True, False)
        assert kind.__init__.__code__ == plain.__init__.__code__
        with pytest.raises(dataclasses.FrozenInstanceError):
            kind(1).x = 2


def test_kept_code_is_run_in_the_place_of_its_source(folder: Path) -> None:
    with compiled.kept(folder):
        made()
    (file,) = folder.iterdir()
    other = {
        source: compile(source.replace("!r", "!s"), "<string>", "exec") for source in table(folder)
    }
    file.write_bytes(marshal.dumps(other))
    with compiled.kept(folder):
        kind = dataclasses.make_dataclass("Point", [("x", int), ("y", int, 0)], frozen=True)
    assert repr(kind("a")) == "Point(x=a, y=0)"
    assert repr(made()("a")) == "Point(x='a', y=0)"


@pytest.mark.parametrize("content", [b"", b"not a table", marshal.dumps(3), marshal.dumps({})[:1]])
def test_a_file_that_is_no_table_is_made_anew(folder: Path, content: bytes) -> None:
    with compiled.kept(folder):
        made()
    (file,) = folder.iterdir()
    right = table(folder)
    file.write_bytes(content)
    with compiled.kept(folder):
        assert made()(1).x == 1
    assert table(folder) == right


def test_what_grew_too_large_begins_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with compiled.kept(folder):
        dataclasses.make_dataclass("Old", ["old"])
    monkeypatch.setattr(compiled, "_MOST", 1)
    with compiled.kept(folder):
        made()
    assert not any("old" in source for source in table(folder))


def test_nothing_is_kept_without_a_folder_or_on_a_full_disk(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with compiled.kept(None):
        assert made()(1).x == 1
    monkeypatch.setattr(atomic, "save", full)
    with compiled.kept(folder):
        assert made()(1).x == 1
    assert not [*folder.iterdir()]
    assert "exec" not in vars(dataclasses)
