"""Code of dataclasses' methods that is kept from one process to the next."""

from __future__ import annotations

import dataclasses
import marshal
import re
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


def table(folder: Path) -> dict[Any, Any]:
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


@pytest.mark.parametrize(
    ("pattern", "flags", "text"),
    [
        (r"(?P<name>[a-z]+)(?!\d)\b", re.IGNORECASE | re.MULTILINE, "1 Abc\nx2"),
        (rb"(a|b)+?\xff", 0, b"xab\xffb"),
        (r"^\s*(\w+)\s*=\s*(?:\1|é)$", re.VERBOSE, "é = é"),
        (r"a+", re.ASCII, "baa"),
    ],
)
def test_a_kept_pattern_is_the_same_pattern(
    folder: Path, pattern: Any, flags: int, text: Any
) -> None:
    plain = _compiled(pattern, flags)
    with compiled.kept(folder):
        first = _compiled(pattern, flags)
    kept = table(folder)
    assert (pattern, int(flags)) in kept
    with compiled.kept(folder):
        again = _compiled(pattern, flags)
    assert table(folder) == kept
    for each in (first, again):
        assert each == plain
        assert (each.pattern, each.flags) == (plain.pattern, plain.flags)
        assert each.groupindex == plain.groupindex
        assert [*map(_groups, each.finditer(text))] == [*map(_groups, plain.finditer(text))]


def test_a_kept_pattern_is_made_of_what_was_kept(folder: Path) -> None:
    with compiled.kept(folder):
        _compiled("b+", 0)
        _compiled("a+", 0)
    (file,) = folder.iterdir()
    kept = table(folder)
    file.write_bytes(marshal.dumps({**kept, ("a+", 0): kept["b+", 0]}))
    with compiled.kept(folder):
        assert _compiled("a+", 0).findall("aabb") == ["bb"]
    assert _compiled("a+", 0).findall("aabb") == ["aa"]


def test_a_pattern_that_is_wrong_says_so_as_ever(folder: Path) -> None:
    with compiled.kept(folder), pytest.raises(re.error, match="unterminated"):
        _compiled("(", 0)
    assert ("(", 0) not in table(folder)


def _compiled(pattern: Any, flags: int) -> re.Pattern[Any]:
    re.purge()
    return re.compile(pattern, flags)


def _groups(match: re.Match[Any]) -> tuple[Any, ...]:
    return match.span(), *match.groups()
