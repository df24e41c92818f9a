"""Bytes to text and back, as CPython reads a source file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfdebug.model import Edit, Span
from selfdebug.syntax.source import Unreadable, apply, decode

PATH = Path("shop.py")


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        ("x = 'ü'\n".encode(), "x = 'ü'\n", "utf-8"),
        (b"\xef\xbb\xbfx = 1\r\n", "x = 1\r\n", "utf-8"),
        (b"# coding: latin-1\nx = '\xfc'\n", "# coding: latin-1\nx = 'ü'\n", "iso-8859-1"),
        (b"", "", "utf-8"),
    ],
)
def test_decoding(data: bytes, text: str, encoding: str) -> None:
    source = decode(PATH, data)
    assert (source.text, source.encoding) == (text, encoding)


@pytest.mark.parametrize(
    "data",
    [
        b"x = '\xff'\n",
        b"# coding: nonsense\n",
        b"\xef\xbb\xbf# coding: latin-1\n",
        b"# coding: utf-7\nx = '+AAAAAA-'\n",
    ],
)
def test_what_does_not_decode_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable, match=r"shop\.py: "):
        decode(PATH, data)


def test_lines_end_where_the_tokenizer_ends_them() -> None:
    source = decode(PATH, "a\r\nb\rc\fd\u2028e\nf".encode())
    assert source.lines == 4
    assert [source.line(n) for n in range(6)] == ["", "a", "b", "c\fd\u2028e", "f", ""]


def test_an_edit_behind_a_byte_order_mark_counts_bytes() -> None:
    source = decode(PATH, "\ufeffä = b\n".encode())
    edit = source.edit(4, 5, "ß")
    assert edit == Edit(PATH, 8, 9, b"b", "ß".encode())
    assert apply(source.data, (edit,)) == "\ufeffä = ß\n".encode()


def test_what_the_encoding_cannot_say_is_refused() -> None:
    source = decode(PATH, b"# coding: latin-1\nx = 1\n")
    with pytest.raises(Unreadable, match="iso-8859-1"):
        source.edit(0, 1, "€")


def test_bytes_that_changed_are_not_edited() -> None:
    with pytest.raises(ValueError, match="bytes 0 to 1 have changed"):
        apply(b"y = 1\n", (Edit(PATH, 0, 1, b"x", b"z"),))


TEXT = st.text(st.sampled_from("abä€𝄞 \t#'\n\r\f\u2028"), max_size=40)


@given(TEXT)
def test_offsets_and_positions_are_inverse(text: str) -> None:
    source = decode(PATH, text.encode())
    for offset in range(len(text) + 1):
        assert source.offset(*source.position(offset)) == offset


@given(TEXT)
def test_the_lines_make_the_text(text: str) -> None:
    source = decode(PATH, text.encode())
    assert source.slice(1, source.lines) == text
    assert "".join(source.slice(n, n) for n in range(1, source.lines + 1)) == text


@given(TEXT, st.data())
def test_an_edit_replaces_its_span_and_can_be_taken_back(text: str, data: st.DataObject) -> None:
    source = decode(PATH, text.encode())
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    after = data.draw(TEXT)
    edit = source.edit(start, end, after)
    changed = apply(source.data, (edit,))
    assert changed.decode() == text[:start] + after + text[end:]
    back = Edit(PATH, edit.start, edit.start + len(edit.after), edit.after, edit.before)
    assert apply(changed, (back,)) == source.data


@given(TEXT, st.data())
def test_the_text_of_a_span(text: str, data: st.DataObject) -> None:
    source = decode(PATH, text.encode())
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    span = Span(*source.position(start), *source.position(end))
    assert source.between(span) == text[start:end]
