"""What a slip takes away is put back, anywhere in a real module, or nothing is offered at all."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from selfdebug.codemods._tokens import Token, syntax_error, tokens
from selfdebug.codemods.syntax_slip import SyntaxSlip
from selfdebug.model import Site, Span
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import Unreadable, apply

ROOT = Path("/nowhere/project")
FILE = ROOT / "shop.py"
MODULE = '''\
"""Orders of a shop."""

import json
from dataclasses import dataclass


@dataclass
class Order:
    number: str
    lines: list

    def total(self, rate=0.19):
        """Return the price of all lines, with tax."""
        net = sum(line["price"] * line.get("pieces", 1) for line in self.lines)
        return round(net * (1 + rate), 2)

    async def send(self, client):
        for attempt in range(3):
            try:
                return await client.post("/orders", json.dumps({"id": self.number}))
            except (OSError, ValueError) as error:
                if attempt == 2:
                    raise RuntimeError("not sent") from error
        return None


def cheapest(orders, limit=None):
    found = [order for order in orders if order.lines]
    while found and limit is not None and len(found) > limit:
        found.remove(max(found, key=lambda order: order.total()))
    else:
        found = sorted(found, key=Order.total)
    return found[0] if found else None
'''


def healed(broken: str) -> str | None:
    """The file after the only repair that is offered; None where there is none."""
    error = syntax_error(broken)
    assert error is not None
    assert error.lineno is not None
    project = Project(ROOT, (), {FILE: broken.encode()})
    span = Span(error.lineno, 0, error.lineno, 0)
    site = Site(FILE, span, "", "", type(error).__name__, error.msg)
    try:
        (repair,) = SyntaxSlip.repairs(site, project)
    except Unreadable:
        return None
    return apply(broken.encode(), repair.edits).decode()


def ends(text: str) -> Iterator[Token]:
    """The colons at the ends of lines, and the brackets that close there."""
    code = [*tokens(text, 0, 1)]
    for token, after in pairwise(code):
        if token.line != after.line and token.text in (":", ")", "]"):
            yield token


def words(text: str) -> Iterator[Token]:
    for token in tokens(text, 0, 1):
        if keyword.iskeyword(token.text) and len(token.text) > 3 and token.text.islower():
            yield token


@pytest.mark.parametrize("token", [*ends(MODULE)], ids=lambda token: f"{token.text} {token.line}")
def test_what_is_missing_at_the_end_of_a_line(token: Token) -> None:
    broken = MODULE[: token.start] + MODULE[token.end :]
    if syntax_error(broken):
        assert healed(broken) in (MODULE, None)
        assert healed(broken) == MODULE or token.text != ":"


@pytest.mark.parametrize("token", [*words(MODULE)], ids=lambda token: f"{token.text} {token.line}")
def test_a_keyword_with_two_letters_swapped(token: Token) -> None:
    word = token.text[1] + token.text[0] + token.text[2:]
    broken = MODULE[: token.start] + word + MODULE[token.end :]
    assert healed(broken) == MODULE


def test_what_parses_has_no_slip() -> None:
    project = Project(ROOT, (), {FILE: MODULE.encode()})
    site = Site(FILE, Span(1, 0, 1, 0), "", "", "SyntaxError", "invalid syntax")
    assert [*SyntaxSlip.repairs(site, project)] == []


def test_what_does_not_help_is_told_with_its_place() -> None:
    project = Project(ROOT, (), {FILE: b"x = 1\ny = ((\n"})
    site = Site(FILE, Span(2, 0, 2, 0), "", "", "SyntaxError", "'(' was never closed")
    with pytest.raises(Unreadable, match=r"shop\.py:2: SyntaxError: '\(' was never closed"):
        [*SyntaxSlip.repairs(site, project)]


def test_tabs_among_spaces() -> None:
    assert healed(MODULE.replace("        net = sum", "\tnet = sum")) == MODULE


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="it has another meaning since PEP 758")
def test_an_except_of_python_2() -> None:
    written = "(OSError, ValueError) as error"
    plain = MODULE.replace(written, "OSError as error")
    assert healed(MODULE.replace(written, "OSError, error")) == plain
