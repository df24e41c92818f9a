"""TextPattern: a format, a date's format or a regular expression is written amiss."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import NUMBERS, kind_of, may_be
from selfdebug.codemods._passing import last_of

_TELLS = "text whitespace rounding missing-item extra-item case"
_SPEC = small_edit("spec", "format the value otherwise", 0.12, _TELLS)
_PLAIN = small_edit("plain", "format a value that is written as it is", 0.06, _TELLS)
_FIXED = small_edit("fixed", "show all digits behind the point, also zeros", 0.2, "text")
_DATE = small_edit("date", "write or read another part of the date", 0.2, _TELLS)
_REGEX = small_edit("regex", "match more, less, or elsewhere", 0.15, f"{_TELLS} bool none empty")

_SPECS = re.compile(
    r"(?P<fill>.?(?=[<>^=]))?(?P<align>[<>^=])?(?P<sign>[-+ ])?(?P<alt>#)?(?P<zero>0)?(?P<width>\d+)?"
    r"(?P<comma>[,_])?(?P<precision>\.\d+)?(?P<type>[bcdeEfFgGnosxX%])?"
)
_CODES = {
    "d": "j",
    "j": "d",
    "m": "M",
    "M": "m",
    "y": "Y",
    "Y": "y",
    "H": "I",
    "I": "H",
    "b": "B",
    "B": "b",
    "a": "A",
    "A": "a",
    "w": "u",
    "U": "W",
    "W": "V",
    "S": "f",
    "p": "P",
}
_DATES = re.compile(r"%[dmyYHIMSbBaAjpfwuUWV]")
_FORMATS = re.compile(r"%[-0-9.]*[dfsxeg]|\{\w*:[^{}]+\}")
_PATTERNS = frozenset(
    ("match", "search", "fullmatch", "findall", "finditer", "sub", "split", "compile")
)
_QUANTIFIED = re.compile(r"(?<!\\)(?:\\\\)*(?P<sign>[*+?])(?P<lazy>\??)")
_CLASSES = {r"\d": (r"\w", r"\d+"), r"\w": (r"\S", r"\w+"), r"\s": (r"\s*",), r"\S": (r"\w",)}
_ESCAPED = re.compile(r"(?<!\\)\.(?![*+?{])")


class TextPattern(FirstOrder):
    """Write a format, a date's format or a regular expression otherwise."""

    DESCRIPTION = "Format a value otherwise, or match another pattern."
    NAME = "text-pattern"
    VARIANTS = (_SPEC, _PLAIN, _FIXED, _DATE, _REGEX)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the other formats and patterns."""
        match place.node:
            case cst.FormattedString() as text:
                for index, part in enumerate(text.parts):
                    if isinstance(part, cst.FormattedStringExpression):
                        yield from _formats(place, text, index, part)
            case cst.Call() as call:
                yield from _fixed(place, call)
            case cst.SimpleString() as text if place.is_read:
                yield from _of_text(place, text)


def _fixed(place: Place, call: cst.Call) -> Iterator[Form]:
    """Yield a number with its digits for one that is rounded and then shown, or shown as it is."""
    shown, parent = _is_shown(place), place.parent
    digits, value, whole = "", call.args[0].value if call.args else None, place
    match call:
        case cst.Call(func=cst.Name(value="round"), args=[_, cst.Arg(value=cst.Integer() as last)]):
            digits = last.value if shown else ""
        case cst.Call(func=cst.Name(value="str"), args=[_]) if value is not None:
            rounded = isinstance(value, cst.Call) and last_of(value.func) == "round"
            digits = "2" if not rounded and kind_of(place, value) == "float" else ""
    if not digits or value is None:
        return
    why = f"`{place.code(value)}` is shown without its last zeros"
    if isinstance(parent, cst.Arg):
        around = place.tree.parents[parent]
        if isinstance(around, cst.Call) and last_of(around.func) == "str":
            whole = replace(place, node=around)
    if isinstance(parent, cst.FormattedStringExpression):
        yield _FIXED, _filled(parent, value, f".{digits}f"), why
    else:
        yield _FIXED, whole.put(f'format(VALUE, ".{digits}f")', VALUE=value), why


def _is_shown(place: Place) -> bool:
    """Say whether a number becomes a text where it stands."""
    parent = place.parent
    if isinstance(parent, cst.FormattedStringExpression):
        return parent.format_spec is None and parent.conversion is None
    if isinstance(parent, cst.Arg):
        call = place.tree.parents[parent]
        return isinstance(call, cst.Call) and last_of(call.func) in ("print", "str", "write")
    return False


def _filled(part: cst.FormattedStringExpression, value: cst.BaseExpression, spec: str) -> Change:
    new = part.with_changes(expression=value, format_spec=[cst.FormattedStringText(spec)])
    return {part: lambda _: new}


def _formats(
    place: Place, text: cst.FormattedString, index: int, part: cst.FormattedStringExpression
) -> Iterator[Form]:
    spec = part.format_spec
    shown = place.code(part.expression)
    if spec is None:
        if part.equal is None and part.conversion is None:
            number = may_be(place, part.expression, NUMBERS)
            for new in ("02d", ".2f", ".1f", ",") if number else ():
                yield _PLAIN, _spelled(text, index, new), f"`{shown}` is to be formatted"
            yield _PLAIN, _converted(text, index), f"`{shown}` is to be shown with its quotes"
        return
    old = "".join(getattr(each, "value", "{") for each in spec)
    if "{" not in old:
        variant = _DATE if _DATES.search(old) else _SPEC
        for new in _dates(old) if variant is _DATE else _specs(old):
            yield variant, _spelled(text, index, new), f"`{shown}` is to be formatted otherwise"
        if variant is _SPEC:
            yield _SPEC, _spelled(text, index, ""), f"`{shown}` is shown as it is"


def _spelled(text: cst.FormattedString, index: int, spec: str) -> Change:
    def make(updated: Any) -> Any:
        parts = [*updated.parts]
        new = [cst.FormattedStringText(spec)] if spec else None
        parts[index] = parts[index].with_changes(format_spec=new)
        return updated.with_changes(parts=parts)

    return {text: make}


def _converted(text: cst.FormattedString, index: int) -> Change:
    def make(updated: Any) -> Any:
        parts = [*updated.parts]
        parts[index] = parts[index].with_changes(conversion="r")
        return updated.with_changes(parts=parts)

    return {text: make}


def _specs(spec: str) -> Iterator[str]:
    """Yield formats that differ in one of their parts: digits, width, fill, side, thousands."""
    found = _SPECS.fullmatch(spec)
    if found is None:
        return
    parts = {name: value or "" for name, value in found.groupdict().items()}
    for name, values in _parts(parts):
        for value in values:
            new = "".join((parts | {name: value}).values())
            if new != spec:
                yield new


def _parts(parts: dict[str, str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    if parts["precision"]:
        digits = int(parts["precision"][1:])
        yield "precision", tuple(f".{n}" for n in (digits + 1, digits - 1, 0, 2) if n >= 0)
    if parts["width"]:
        width = int(parts["width"])
        yield "width", (f"{width + 1}", f"{width - 1}")
        yield "zero", ("" if parts["zero"] else "0",)
        yield "align", tuple(side for side in "<>^" if side != parts["align"])
    yield "comma", ("" if parts["comma"] else ",",)
    if parts["type"] in {*"feg%"} and parts["type"]:
        yield "type", tuple(each for each in "fge%" if each != parts["type"])
    if parts["type"] in {*"xXbod"} and parts["type"]:
        yield "type", tuple(each for each in "xXd" if each != parts["type"])
    if not parts["sign"] and parts["type"]:
        yield "sign", ("+",)


def _of_text(place: Place, node: cst.SimpleString) -> Iterator[Form]:
    raw, parent = node.raw_value, place.parent
    call = place.tree.parents.get(parent) if isinstance(parent, cst.Arg) else None
    name = last_of(call.func) if isinstance(call, cst.Call) else ""
    if _DATES.search(raw) and (name in ("strftime", "strptime") or len(_DATES.findall(raw)) > 1):
        found = ((_DATE, new, "another part of the date is meant") for new in _dates(raw))
    elif name in _PATTERNS and isinstance(call, cst.Call) and _is_pattern(call, parent):
        found = ((_REGEX, new, "the pattern is to match otherwise") for new in _regexes(raw, name))
    elif _FORMATS.search(raw):
        found = ((_SPEC, new, "the value is to be formatted otherwise") for new in _percent(raw))
    else:
        return
    for variant, new, why in found:
        value = f"{node.prefix}{node.quote}{new}{node.quote}"
        yield variant, place.put("NEW", NEW=node.with_changes(value=value)), why


def _is_pattern(call: cst.Call, arg: cst.CSTNode) -> bool:
    """Say whether an argument is the pattern of a function of ``re``."""
    owner = call.func.value if isinstance(call.func, cst.Attribute) else None
    return isinstance(owner, cst.Name) and owner.value in ("re", "regex") and call.args[0] is arg


def _dates(text: str) -> Iterator[str]:
    for match in _DATES.finditer(text):
        other = _CODES.get(match.group()[1])
        if other:
            yield f"{text[: match.start()]}%{other}{text[match.end() :]}"
    swapped = re.sub(r"%d(.?)%m", r"%m\1%d", text)
    swapped = re.sub(r"%m(.?)%d", r"%d\1%m", text) if swapped == text else swapped
    if swapped != text:
        yield swapped


def _percent(text: str) -> Iterator[str]:
    """Yield a text with one of its formats otherwise: ``%.1f`` and ``{:.1f}``."""
    for match in re.finditer(r"%(?P<spec>[-0-9.]*)(?P<type>[dfsxeg])", text):
        for new in (".2", ".1", ".0", "02", "03", "") if match["type"] in "df" else ():
            if new != match["spec"] and ("." in new) <= (match["type"] == "f"):
                yield f"{text[: match.start('spec')]}{new}{text[match.end('spec') :]}"
    for match in re.finditer(r"\{\w*:(?P<spec>[^{}]+)\}", text):
        for new in _specs(match["spec"]):
            yield f"{text[: match.start('spec')]}{new}{text[match.end('spec') :]}"


def _regexes(pattern: str, function: str) -> Iterator[str]:
    """Yield patterns that differ by a quantifier, an anchor, a class of characters or an escape."""
    found = dict.fromkeys(_changed_patterns(pattern, function))
    for new in found:
        try:
            re.compile(new)
        except (re.error, RecursionError, OverflowError):
            continue
        if new != pattern:
            yield new


def _changed_patterns(pattern: str, function: str) -> Iterator[str]:
    yield from _quantified(pattern)
    if function in ("match", "search", "compile", "sub", "findall"):
        yield pattern[:-1] if pattern.endswith("$") else f"{pattern}$"
        yield pattern[1:] if pattern.startswith("^") else f"^{pattern}"
        yield rf"\b{pattern}\b"
    yield from _of_other_characters(pattern)
    for match in re.finditer(r"\{(\d+)\}", pattern):
        for count in (f"{match[1]},", f"1,{match[1]}"):
            yield f"{pattern[: match.start()]}{{{count}}}{pattern[match.end() :]}"


def _quantified(pattern: str) -> Iterator[str]:
    for match in _QUANTIFIED.finditer(pattern):
        before, after = pattern[: match.start("sign")], pattern[match.end() :]
        sign, lazy = match["sign"], match["lazy"]
        if before.endswith("("):
            continue
        if sign == "?":
            yield f"{before}{after}"
            yield f"{before}*{after}"
        else:
            yield f"{before}{sign}{'' if lazy else '?'}{after}"
            yield f"{before}{'+' if sign == '*' else '*'}{lazy}{after}"


def _of_other_characters(pattern: str) -> Iterator[str]:
    for match in re.finditer(r"\\[dwsS](?![+*?{])", pattern):
        for new in _CLASSES[match.group()]:
            yield f"{pattern[: match.start()]}{new}{pattern[match.end() :]}"
    for match in _ESCAPED.finditer(pattern):
        yield rf"{pattern[: match.start()]}\.{pattern[match.end() :]}"
    for match in re.finditer(r"\[(?P<first>\^?)", pattern):
        before, after = pattern[: match.end()], pattern[match.end() :]
        for new in ("A-Z", "0-9") if after.startswith("a-z") else ():
            yield f"{before}{new}{after}"
        yield f"{before}-{after}"


TextPattern.EXAMPLES = examples(
    r"""
fixed: cents have two digits
    def bill(total):
        print("Total:", «round(total, 2)»)
AssertionError: assert 'Total: 2.5' == 'Total: 2.50'
    def bill(total):
        print("Total:", format(total, ".2f"))

fixed: in a text
    def bill(total):
        return f"Total: {«round(total, 2)»}"
AssertionError: assert 'Total: 2.5' == 'Total: 2.50'
    def bill(total):
        return f"Total: {total:.2f}"

fixed: instead of both calls
    def bill(total):
        return "Total: " + str(«round(total, 1)»)
AssertionError: assert 'Total: 2' == 'Total: 2.0'
    def bill(total):
        return "Total: " + format(total, ".1f")

not fixed: it stays a number
    def bill(total):
        return «round(total, 2)»
AssertionError: assert 2.5 == 2.6

not fixed: rounded to tens of what is no constant
    def bill(total, digits):
        print(«round(total, digits)»)
AssertionError: assert '2.5' == '2.50'

spec: one digit more
    def shown(amount):
        return «f"{amount:.1f} EUR"»  # rounded
AssertionError: assert '1.2 EUR' == '1.23 EUR'
    def shown(amount):
        return f"{amount:.2f} EUR"  # rounded

spec: filled up with zeros
    def clock(hours, minutes):
        return "%d:%02d" % (hours, minutes) if hours else «"%d"» % minutes
AssertionError: assert '5' == '05'
    def clock(hours, minutes):
        return "%d:%02d" % (hours, minutes) if hours else "%02d" % minutes

spec: in a text that is filled in later
    def shown(amount):
        return «"{:.1f}"».format(amount)
AssertionError: assert '1.2' == '1.23'
    def shown(amount):
        return "{:.2f}".format(amount)

plain: always with two digits
    def clock(minutes):
        return «f"{minutes}"»
AssertionError: assert '5' == '05'
    def clock(minutes):
        return f"{minutes:02d}"

date: a year of two digits
    def stamp(when):
        return when.strftime(«"%Y-%m-%d"»)
AssertionError: assert '2024-03-05' == '24-03-05'
    def stamp(when):
        return when.strftime("%y-%m-%d")

date: in a formatted string
    def stamp(when):
        return «f"{when:%M}"»
AssertionError: assert '03' == '00'
    def stamp(when):
        return f"{when:%m}"

regex: as little as possible
    import re

    def tag(text):
        return re.search(«r"<(.*)>"», text)
AssertionError: assert 'a><b' == 'a'
    import re

    def tag(text):
        return re.search(r"<(.*?)>", text)

regex: up to the end
    import re

    def is_code(text):
        return bool(re.match(«"[A-Z]{3}"», text))
AssertionError: assert True is False
    import re

    def is_code(text):
        return bool(re.match("[A-Z]{3}$", text))

not any: nothing is formatted
    def shown(amount):
        return «"{amount}"»
AssertionError: assert '1.2' == '1.23'

not any: no pattern is
    def parts(text):
        return text.split(«"."»)
AssertionError: assert ['a'] == ['a', 'b']

not any: how wide depends
    def shown(amount, width):
        return «f"{amount:{width}}"»
AssertionError: assert '1.2' == '1.23'

not date: a share of a hundred
    def shown(amount):
        return «"100 % sure"»
AssertionError: assert '1.2' == '1.23'

not any: a text that is only alike a format
    def shown(amount):
        return «"about {amount:d"»
AssertionError: assert '1.2' == '1.23'

not any: what is searched, not the pattern
    import re

    def parts(pattern):
        return re.findall(pattern, «"a.b"»)
AssertionError: assert ['a'] == ['a', 'b']

not any: a method that takes no pattern
    def parts(text):
        return text.replace(«"[a-z]"», "")
AssertionError: assert ['a'] == ['a', 'b']

not any: it shows its name
    def shown(amount):
        return «f"{amount=}"»
AssertionError: assert 'amount=1' == '1'
"""
)
