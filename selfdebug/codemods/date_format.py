"""DateFormat: a date was not written as the format says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice, permutations

import libcst as cst

from selfdebug.codemods._base import (
    Answer,
    Codemod,
    Rewrite,
    Target,
    Variant,
    examples,
    target_at,
)
from selfdebug.codemods._edit import changed, expression, replaced
from selfdebug.codemods._names import dotted
from selfdebug.codemods._operands import value_of
from selfdebug.codemods._passing import last_of
from selfdebug.model import Site, Span
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_FORMAT = Variant("format", "root-cause", "read the date as it is written", growth=0, prior=0.75)
_STRIP = Variant("strip", "root-cause", "drop the white space around the date", growth=0, prior=0.8)

_MESSAGE = re.compile(
    r"^time data (?P<data>(?P<quote>['\"]).*(?P=quote)) does not match format (?P<format>'.*'|\".*\")$",
    re.DOTALL,
)
_REMAINS = re.compile(r"^unconverted data remains: ", re.DOTALL)
_ALTERNATIVES = {
    "%Y": ("%y",),
    "%y": ("%Y",),
    "%m": ("%b", "%B"),
    "%b": ("%B", "%m"),
    "%B": ("%b", "%m"),
    "%H": ("%I",),
    "%I": ("%H",),
    "%a": ("%A",),
    "%A": ("%a",),
    "%S": ("%S.%f",),
}
_TAILS = (
    *("%z", " %z", "Z", " %p", ":%S", " %H:%M", "T%H:%M", " %H:%M:%S", "T%H:%M:%S", ".%f"),
    *("T%H:%M:%S%z", "T%H:%M:%SZ", "T%H:%M:%S.%f", "T%H:%M:%S.%f%z", " %H:%M:%S.%f"),
)
_SEPARATORS = "-/. :T,"
_MOST = 3


class DateFormat(Codemod):
    """Change the least of a format such that it reads the date that was seen."""

    DESCRIPTION = "Read dates in the format in which they are written."
    NAME = "date-format"
    ANSWERS = (
        Answer(("ValueError",), _MESSAGE.pattern),
        Answer(("ValueError",), _REMAINS.pattern),
    )
    VARIANTS = (_STRIP, _FORMAT)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the code at the site, and the module's constant that holds the format."""
        if project.is_test_file(site.file):
            return
        here = target_at(site, project)
        yield here
        call = _call(here.tree, site)
        named = call.args[1].value if call else None
        if call is None or not isinstance(named, cst.Name):
            return
        seen = {"text": _text(site, call.args[0].value)}
        for stmt in read_module(site.file, project).tree.body:
            match stmt:
                case ast.Assign(targets=[ast.Name(id=bound)]) if bound == named.value:
                    span = Span(stmt.lineno, 0, stmt.lineno, 0)
                    yield target_at(replace(site, span=span, attrs=seen), project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the formats nearest to the one that failed, which read what was seen."""
        tree, site = target.tree, target.site
        call = _call(tree, site)
        text = _text(site, call.args[0].value) if call else site.attrs.get("text", "")
        for literal in _literals(tree, site, call):
            old = literal.evaluated_value
            if not isinstance(old, str):
                continue
            if call and _reads(text.strip(), old) and text != text.strip():
                change = replaced(tree, call.args[0].value, partial(_made_of, "TEXT.strip()"))
                if module := changed(tree, change):
                    yield Rewrite(_STRIP, module, f"the date was {text!r}")
            for new in islice(_formats(old, text, site.message), _MOST):
                if module := changed(tree, replaced(tree, literal, partial(_respelled, new))):
                    yield Rewrite(_FORMAT, module, f"{old!r} does not read {text!r}, {new!r} does")


def _call(tree: Tree, site: Site) -> cst.Call | None:
    """Return the call that reads the date."""
    for node in tree.at(site.span):
        if isinstance(node, cst.Call) and last_of(node.func) == "strptime" and len(node.args) == 2:
            return node
    return None


def _text(site: Site, argument: cst.BaseExpression) -> str:
    """Return the date that was seen, "" where nothing tells."""
    found = _MESSAGE.match(site.message)
    value = site.locals.get(dotted(argument) or "")
    with suppress(ValueError, SyntaxError):
        text = ast.literal_eval(found["data"] if found else (value and value.text) or "")
        return text if isinstance(text, str) else ""
    return ""


def _literals(tree: Tree, site: Site, call: cst.Call | None) -> Iterator[cst.SimpleString]:
    """Yield the literal that is the format."""
    if call is not None:
        given: cst.BaseExpression | None = call.args[1].value
        given = value_of(tree, given) if isinstance(given, cst.Name) else given
        if isinstance(given, cst.SimpleString):
            yield given
        return
    for node in tree.ranges:
        match node:
            case cst.Assign(value=cst.SimpleString() as literal) if (
                tree.span(node).line == site.span.line
            ):
                yield literal


def _made_of(code: str, text: cst.BaseExpression) -> cst.BaseExpression:
    return expression(code, TEXT=text)


def _respelled(new: str, literal: cst.SimpleString) -> cst.SimpleString:
    return literal.with_changes(value=f"{literal.prefix}{literal.quote}{new}{literal.quote}")


# --- formats ---


def _formats(old: str, text: str, message: str) -> Iterator[str]:
    """Yield the formats that differ from another in the least and read a text, each date once."""
    remains = _REMAINS.match(message)
    if remains and not text:
        rest = message[remains.end() :]
        yield from (old + tail for tail in _TAILS if _reads(rest, tail))
        return
    found: set[datetime] = set()
    for new in _changes(old, text) if text else ():
        date = _reads(text, new)
        if date is not None and date not in found:
            found.add(date)
            yield new


def _reads(text: str, form: str) -> datetime | None:
    with suppress(ValueError, re.error):
        return datetime.strptime(text, form)
    return None


def _changes(old: str, text: str) -> Iterator[str]:
    parts = re.findall(r"%.|.", old, re.DOTALL)
    yield from _once(parts, text)
    for separated in _separated(parts, text):
        yield from _once(re.findall(r"%.|.", separated, re.DOTALL), text)


def _once(parts: list[str], text: str) -> Iterator[str]:
    old = "".join(parts)
    yield from _separated(parts, text)
    for at, part in enumerate(parts):
        for other in _ALTERNATIVES.get(part, ()):
            yield "".join((*parts[:at], other, *parts[at + 1 :]))
    days = [at for at, part in enumerate(parts) if part in ("%d", "%m", "%Y", "%y", "%b", "%B")]
    for order in permutations(days):
        swapped = list(parts)
        for at, source in zip(days, order, strict=True):
            swapped[at] = parts[source]
        yield "".join(swapped)
    yield from (old + tail for tail in _TAILS)
    yield from ("".join(parts[:end]) for end in range(len(parts) - 1, 1, -1))


def _separated(parts: list[str], text: str) -> Iterator[str]:
    """Yield formats with other signs between the parts, of those that the text has."""
    for mark in dict.fromkeys(part for part in parts if part in _SEPARATORS):
        for other in dict.fromkeys(each for each in text if each in _SEPARATORS):
            if other != mark:
                yield "".join(other if part == mark else part for part in parts)


DateFormat.EXAMPLES = examples(
    """
format: the day comes first
    from datetime import datetime

    def day(text):
        return «datetime.strptime(text, "%m/%d/%Y")»
ValueError: time data '25/12/2024' does not match format '%m/%d/%Y'
    from datetime import datetime

    def day(text):
        return datetime.strptime(text, "%d/%m/%Y")

format: other signs between
    from datetime import datetime

    def day(row):
        return «datetime.strptime(row["day"], '%Y-%m-%d')».date()
ValueError: time data '2024/03/01' does not match format '%Y-%m-%d'
    from datetime import datetime

    def day(row):
        return datetime.strptime(row["day"], '%Y/%m/%d').date()

format: other signs and another order
    from datetime import datetime

    def day(text):
        return «datetime.strptime(text, "%Y-%m-%d")»
ValueError: time data '31.12.2024' does not match format '%Y-%m-%d'
    from datetime import datetime

    def day(text):
        return datetime.strptime(text, "%d.%m.%Y")

format: the year in two digits
    from datetime import datetime

    def day(text):
        return «datetime.strptime(text, "%d.%m.%Y")»
ValueError: time data '31.12.24' does not match format '%d.%m.%Y'
    from datetime import datetime

    def day(text):
        return datetime.strptime(text, "%d.%m.%y")

format: the name of the month
    from datetime import datetime

    def day(text):
        return «datetime.strptime(text, "%d %m %Y")»
ValueError: time data '14 July 2024' does not match format '%d %m %Y'
    from datetime import datetime

    def day(text):
        return datetime.strptime(text, "%d %B %Y")

format: a time follows
    from datetime import datetime

    def moment(text):
        return «datetime.strptime(text, "%Y-%m-%d")»
ValueError: unconverted data remains: T10:30:00
where text: str = '2024-03-01T10:30:00'
    from datetime import datetime

    def moment(text):
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S")

format: a zone follows, and nothing shows the whole
    from datetime import datetime

    def moment(row):
        return «datetime.strptime(row["at"], "%Y-%m-%dT%H:%M:%S")»
ValueError: unconverted data remains: +0200
    from datetime import datetime

    def moment(row):
        return datetime.strptime(row["at"], "%Y-%m-%dT%H:%M:%S%z")

format: a constant of the module
    from datetime import datetime

    STAMP = "%Y-%m-%d %H:%M"

    def moment(text):
        return «datetime.strptime(text, STAMP)»
ValueError: unconverted data remains: :15
where text: str = '2024-03-01 10:30:15'
    from datetime import datetime

    STAMP = "%Y-%m-%d %H:%M:%S"

    def moment(text):
        return datetime.strptime(text, STAMP)

strip: white space around it
    from datetime import datetime

    def day(cells):
        return «datetime.strptime(cells[0], "%Y-%m-%d")»
ValueError: time data ' 2024-03-01' does not match format '%Y-%m-%d'
    from datetime import datetime

    def day(cells):
        return datetime.strptime(cells[0].strip(), "%Y-%m-%d")

not any: no date at all
    from datetime import datetime

    def day(text):
        return «datetime.strptime(text, "%Y-%m-%d")»
ValueError: time data 'tomorrow' does not match format '%Y-%m-%d'

not any: there is no such day
    from datetime import datetime

    def day(text):
        return «datetime.strptime(text, "%Y-%m-%d")»
ValueError: time data '2023-02-30' does not match format '%Y-%m-%d'

not format: the format is made elsewhere
    from datetime import datetime

    def day(text, form):
        return «datetime.strptime(text, form)»
ValueError: time data '2024/03/01' does not match format '%Y-%m-%d'

not any: what follows is no time
    from datetime import datetime

    def day(text):
        return «datetime.strptime(text, "%Y-%m-%d")»
ValueError: unconverted data remains: of our Lord
where text: str = '2024-03-01of our Lord'

not any: what remains is no part of a date
    from datetime import datetime

    def day(text):
        return «datetime.strptime(text, "%Y-%m-%d")»
ValueError: unconverted data remains: !

not strip: white space is not all that is wrong
    from datetime import datetime

    def day(text):
        return «datetime.strptime(text, "%Y-%m-%d")»
ValueError: time data ' 01.03.2024' does not match format '%Y-%m-%d'

not any: an empty text is no day
    from datetime import datetime

    def day(text):
        return «datetime.strptime(text, "%Y-%m-%d")»
ValueError: time data '' does not match format '%Y-%m-%d'

not any: ISO's own parser has no format
    from datetime import datetime

    def day(text):
        return «datetime.fromisoformat(text)»
ValueError: Invalid isoformat string: '01.03.2024'

not any: the format is made of parts
    from datetime import datetime

    def day(text, mark):
        return «datetime.strptime(text, "%Y" + mark + "%m")»
ValueError: time data '2024/03' does not match format '%Y-%m'
"""
)
