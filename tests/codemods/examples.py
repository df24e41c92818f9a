"""Examples of the catalogue made into sites, as localization would make them."""

from __future__ import annotations

from pathlib import Path

from selfdebug.codemods._base import Example
from selfdebug.model import Site, Span
from selfdebug.syntax.source import Source, decode

FILE = Path("shop.py")


def marked(text: str, failure: str) -> tuple[Source, Site]:
    """Read code in which guillemets mark the value that was bad."""
    start, end = text.index("«"), text.index("»") - 1
    source = decode(FILE, text.replace("«", "").replace("»", "").encode())
    span = Span(*source.position(start), *source.position(end))
    exc_type, _, message = failure.partition(": ")
    bad = source.text[start:end]
    return source, Site(FILE, span, "", bad, exc_type, message, bad=span, bad_code=bad)


def site_of(example: Example) -> tuple[Source, Site]:
    return marked(example.before, example.failure)
