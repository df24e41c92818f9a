"""The single slips that may keep a file from parsing: one token too few, too many, or another one.

Each is proposed only near the place that the parsers name; whether the file parses without it, and
whether another slip explains the error as well, is for the caller to find out.
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from selfdebug.codemods._near import distance
from selfdebug.codemods._tokens import (
    Broken,
    Token,
    begins_operand,
    closing,
    ends_operand,
    opening,
    pairs,
)


@dataclass(frozen=True)
class Slip:
    """One way to make the code right: put ``after`` in the place of what two offsets enclose.

    ``name`` is the kind of slip. ``rank`` is 0 for the usual ones, more for those to think of later.
    """

    name: str
    start: int
    end: int
    after: str
    why: str
    rank: int = 0


def slips(part: Broken) -> Iterator[Slip]:
    """Yield the slips that may explain a syntax error; of those that do the same, the best first."""
    for kind in _KINDS:
        yield from kind(part)


def _insert(name: str, at: int, text: str, where: str, rank: int = 0) -> Slip:
    return Slip(name, at, at, text, f"`{text.strip()}` was missing {where}", rank)


def _swap(name: str, token: Token, text: str, rank: int = 0) -> Slip:
    why = f"`{token.text}` stood where `{text.strip()}` belongs"
    return Slip(name, token.start, token.end, text, why, rank)


# --- what is missing between tokens ---

_LEAVES = ("return", "raise", "continue", "break", "pass")


def _colons(part: Broken) -> Iterator[Slip]:
    for line in part.lines:
        at = part.of_line(line)
        if at and part.code[at[-1]].text != ":":
            yield _insert("colon", part.code[at[-1]].end, ":", f"at the end of line {line}")
    for left, right, _ in pairs(part):
        if right.text in _LEAVES and left.line == right.line and left.text != ":":
            yield _insert("colon", left.end, ":", f"before `{right.text}`")


def _between(part: Broken) -> Iterator[Slip]:
    for left, right, at in pairs(part):
        if not (ends_operand(left) and begins_operand(right)):
            continue
        where, around = f"after `{left.text}`", part.around(at)
        head = part.code[part.of_line(left.line)[0]].text
        if around or head in ("import", "from", "for", "global"):
            yield _insert("comma", left.end, ",", where)
        if around == "{":
            yield _insert("colon", left.end, ":", where)
        before = [token.text for token in part.code[max(at - 6, 0) : at]]
        if "for" in before and "in" not in before[before.index("for") :]:
            yield _insert("keyword", left.end, " in", where)


def _headers(part: Broken) -> Iterator[Slip]:
    """Yield the words that open a definition: ``total(self):`` with a block below."""
    for line in part.lines:
        at = part.of_line(line)
        if len(at) > 3 and part.code[at[1]].text == "(" and part.code[at[-1]].text == ":":
            first = part.code[at[0]]
            if first.kind == "name" and not keyword.iskeyword(first.text):
                word = "class " if first.text[0].isupper() else "def "
                yield _insert("keyword", first.start, word, f"before `{first.text}`")


def _asynchronous(part: Broken) -> Iterator[Slip]:
    if "outside async" not in part.message and "'await' outside" not in part.message:
        return
    inner = len(part.indent(part.lines[-1]))
    for line in range(part.lines[-1], part.first - 1, -1):
        at = part.of_line(line)
        if at and len(part.indent(line)) < inner and part.code[at[0]].text == "def":
            start = part.code[at[0]].start
            yield _insert("keyword", start, "async ", "before a function that awaits")
            return


# --- brackets ---

_WEAKER = frozenset(
    ("<", ">", "<=", ">=", "==", "!=", "and", "or", "if", "else", "in", "is", "not", "for")
)
_MOST_LINES = 30  # looked through for the end of an open bracket


def _closers(part: Broken) -> Iterator[Slip]:
    if not part.open:
        return
    bracket = part.code[part.open[-1]]
    close = closing(bracket.text)
    if part.stray is None:
        yield from reversed([*_ends(part, part.open[-1], close)])
        return
    wrong = part.code[part.stray]
    before = part.code[part.stray - 1]
    yield _insert("bracket", before.end, close, f"before `{wrong.text}`")
    yield _swap("bracket", wrong, close)
    yield Slip("bracket", wrong.start, wrong.end, "", f"`{wrong.text}` was one too many")
    yield _swap("bracket", bracket, opening(wrong.text), 1)


def _ends(part: Broken, opened: int, close: str) -> Iterator[Slip]:
    bracket, code = part.code[opened], part.code
    margin = part.indent(bracket.line)
    hangs = opened + 1 < len(code) and code[opened + 1].line != bracket.line
    for at in range(opened, len(code)):
        token = code[at]
        outside = token.line != bracket.line and len(part.indent(token.line)) <= len(margin)
        if token.line > bracket.line + _MOST_LINES or (outside and token.text not in ")]}"):
            return
        following = code[at + 1] if at + 1 < len(code) else None
        where = f"to close the `{bracket.text}` of line {bracket.line}"
        if following is None or following.line != token.line:
            if hangs and at > opened:
                newline = "\r\n" if "\r\n" in part.source.text else "\n"
                end = part.source.offset(token.line, len(part.source.line(token.line).rstrip()))
                yield _insert("bracket", max(end, token.end), f"{newline}{margin}{close}", where)
            else:
                yield _insert("bracket", token.end, close, where)
        else:
            usual = following.text in _WEAKER or _is_last(part, at + 1, ":")
            yield _insert("bracket", token.end, close, where, 0 if usual else 1)


def _is_last(part: Broken, at: int, text: str) -> bool:
    code = part.code
    ends = at + 1 == len(code) or code[at + 1].line != code[at].line
    return code[at].text == text and ends


def _strays(part: Broken) -> Iterator[Slip]:
    """Yield one closing bracket less, or one opening bracket more, where none is open."""
    if part.stray is None or part.open:
        return
    wrong = part.code[part.stray]
    line = [at for at in part.of_line(wrong.line) if at <= part.stray]
    for at in reversed(line):
        token = part.code[at]
        if token.text == wrong.text:
            start, end = token.start, token.end
            if len(part.of_line(token.line)) == 1:
                start, end = (part.source.offset(token.line + more, 0) for more in (0, 1))
            yield Slip("bracket", start, end, "", f"`{token.text}` closed nothing")
        elif begins_operand(token) and token.kind != "operator":
            where = f"before `{token.text}`"
            yield _insert("bracket", token.start, opening(wrong.text), where)


# --- one token for another ---

_SPELLED = {
    "=>": (">=", "->"),
    "=<": ("<=",),
    "<>": ("!=",),
    "=!": ("!=",),
    "===": ("==",),
    "!==": ("!=",),
    "&&": ("and",),
    "||": ("or",),
    "!": ("not ",),
    "->": (":", "."),
    ";": (",", ":"),
    ":=": ("=",),
    "==": ("=",),
}
_LATER = {".": (",",), ":": (",",), ",": (".",)}
_CONDITION = frozenset(("if", "elif", "while", "assert", "return", "and", "or", "not"))
_COMPARED = _CONDITION | {"=", "lambda"}  # what is compared outside of these is used by nobody
_ALIKE = {
    "elseif": "elif",
    "elsif": "elif",
    "function": "def",
    "func": "def",
    "fn": "def",
    "fun": "def",
    "catch": "except",
    "throw": "raise",
    "foreach": "for",
    "unless": "if not",
    "else": "elif",
    "elif": "else",
    "using": "with",
    "include": "import",
}


def _operators(part: Broken) -> Iterator[Slip]:
    for at in part.near:
        token = part.code[at]
        for text in _SPELLED.get(token.text, ()):
            yield _swap("operator", token, _spaced(part, token, text))
        for text in _LATER.get(token.text, ()) if _may_be_other(part, at) else ():
            yield _swap("operator", token, text, 1)
        yield from _equals(part, at)
        if token.text == "," and part.code[part.of_line(token.line)[0]].text == "except":
            yield _swap("keyword", token, " as")


def _may_be_other(part: Broken, at: int) -> bool:
    return bool(part.around(at)) and not _is_misplaced(part)


def _is_misplaced(part: Broken) -> bool:
    """Say whether an argument is at fault for its place, which no other sign around it mends."""
    return "follows keyword argument" in part.message


def _spaced(part: Broken, token: Token, text: str) -> str:
    """Give a word that stands for signs the spaces that signs do without."""
    if not text.isalpha():
        return text
    before, after = part.source.text[token.start - 1], part.source.text[token.end : token.end + 1]
    return " " * (not before.isspace()) + text + " " * (not after.isspace())


def _equals(part: Broken, at: int) -> Iterator[Slip]:
    """Yield what ``=`` and ``:`` were meant to be: a comparison, a key's value, an argument's."""
    token, around = part.code[at], part.around(at)
    if token.text == "=":
        line = {part.code[each].text for each in part.of_line(token.line) if each < at}
        binds = _binds(part, at)
        if not _is_misplaced(part) and (around or line & _COMPARED):
            yield _swap("operator", token, "==", 0 if line & _CONDITION and not binds else 1)
        if binds:
            yield _swap("operator", token, ":=")
        if around == "{":
            yield _swap("operator", token, ":")
    elif token.text == ":" and around == "(":
        yield _swap("operator", token, "=")
    elif token.text == "," and around == "{":
        yield _swap("operator", token, ":")


def _binds(part: Broken, at: int) -> bool:
    """Say whether a condition gives a name its first value, which is used later."""
    name = part.code[at - 1].text
    before = any(token.text == name for token in part.code[: at - 1])
    return name.isidentifier() and not before and name in (each.text for each in part.code[at:])


def _keywords(part: Broken) -> Iterator[Slip]:
    for at in part.near:
        token = part.code[at]
        if token.kind != "name":
            continue
        for word in _meant(token.text):
            yield _swap("keyword", token, word)
        following = part.code[at + 1] if at + 1 < len(part.code) else token
        if (token.text, following.text) == ("else", "if"):
            why = "`else if` is spelled `elif`"
            yield Slip("keyword", token.start, following.end, "elif", why)


def _meant(name: str) -> Iterator[str]:
    if name in _ALIKE:
        yield _ALIKE[name]
    if keyword.iskeyword(name) or hasattr(builtins, name):
        return
    for word in keyword.kwlist:
        least = 2 if min(len(name), len(word)) >= 5 else 1
        if word[0].islower() and (word == name.lower() or distance(name, word) <= least):
            yield word


# --- too much ---

_BRACKETS = frozenset("()[]{}")


def _doubled(part: Broken) -> Iterator[Slip]:
    for left, right, _ in pairs(part):
        words = left.kind != "name" or keyword.iskeyword(left.text)
        if left.text == right.text and words and left.text not in _BRACKETS:
            yield Slip("stray", left.end, right.end, "", f"`{right.text}` stood there twice")
    for at in part.near:
        token = part.code[at]
        if token.text in (",", ":", ";", ".", "=") and not _is_needed(part, at):
            why = f"`{token.text}` did not belong there"
            yield Slip("stray", token.start, token.end, "", why, 1)


def _is_needed(part: Broken, at: int) -> bool:
    """Say whether without a token two words would be one, or a value is not there yet."""
    token, text = part.code[at], part.source.text
    ends = at + 1 == len(part.code) or part.code[at + 1].line != token.line
    if token.text == "=" and ends and not part.around(at):
        return True
    beside = text[token.start - 1 : token.start] + text[token.end : token.end + 1]
    return re.fullmatch(r"\w\w", beside) is not None


# --- strings, numbers and characters ---

_APOSTROPHE = re.compile(r"(?<!\w)'([^'\"\\\r\n]*\w'\w[^'\"\\\r\n]*)'")
_STRING_ENDS = re.compile(r"(?=[ \t]*(?:[,)\]}:]|$|[-+%*/] ))")
_BEFORE_STRING = frozenset(("=", "(", "[", "{", ",", ":", "+", "==", "!=", "return", "in", "%"))


def _quotes(part: Broken) -> Iterator[Slip]:
    for at, token in enumerate(part.code):
        if token.kind != "open":
            continue
        prefix = len(token.text) - len(token.text.lstrip("rRbBuUfFtT"))
        quote = token.text[prefix]
        if at and part.code[at - 1].text == quote * 2 and part.code[at - 1].end == token.start:
            yield _tripled(token, quote)
        else:
            yield from _ended(part, at, token, prefix, quote)
            yield from _begun(part, at, token, quote)
        return


def _tripled(token: Token, quote: str) -> Slip:
    """End a string in three quotes on its line."""
    body = token.text.rstrip().rstrip(quote)
    end = token.start + len(body)
    why = f"`{quote * 3}` was missing at the end of the string"
    return Slip("quote", end, token.start + len(token.text.rstrip()), quote * 3, why)


def _ended(part: Broken, at: int, token: Token, prefix: int, quote: str) -> Iterator[Slip]:
    other = "'" if quote == '"' else '"'
    text = token.text[prefix + 1 :].rstrip()
    key = part.around(at) == "{" and ":" in text
    for match in _STRING_ENDS.finditer(text):
        end = token.start + prefix + 1 + match.start()
        where = "at the end of the string"
        rank = 1 if key and match.start() < len(text) and text[match.start()] != ":" else 0
        if text[: match.start()].endswith(other):
            why = f"a string that begins with `{quote}` ended with `{other}`"
            yield Slip("quote", end - 1, end, quote, why, rank)
            rank += 1
        yield _insert("quote", end, quote, where, rank)


def _begun(part: Broken, at: int, token: Token, quote: str) -> Iterator[Slip]:
    for before in part.of_line(token.line):
        first = part.code[before]
        begins = 0 < before < at and part.code[before - 1].text in _BEFORE_STRING
        if begins and first.kind in ("name", "number"):
            yield _insert("quote", first.start, quote, "at the start of the string")


def _apostrophes(part: Broken) -> Iterator[Slip]:
    for line in part.lines:
        for match in _APOSTROPHE.finditer(part.source.line(line)):
            start = part.source.offset(line, match.start())
            why = "an apostrophe ended the string"
            yield Slip("quote", start, start + len(match.group()), f'"{match[1]}"', why)


_TYPOGRAPHIC = str.maketrans("“”„‘’‚–—−×÷…", "\"\"\"'''---*/.")  # noqa: RUF001


def _characters(part: Broken) -> Iterator[Slip]:
    for line in part.lines:
        found = [part.code[at] for at in part.of_line(line)]
        odd = [token for token in found if token.kind == "other" and not token.text.isascii()]
        if odd:
            start, end = odd[0].start, odd[-1].end
            text = part.source.text[start:end]
            for token in odd:
                text = text.replace(token.text, _ascii(token.text))
            why = f"`{odd[0].text}` (U+{ord(odd[0].text):04X}) is no character of Python"
            yield Slip("character", start, end, text, why)
        if spaces := re.search(r"\\([ \t]+)$", part.source.line(line)):
            start = part.source.offset(line, spaces.start(1))
            why = "spaces followed the backslash that continues the line"
            yield Slip("character", start, start + len(spaces[1]), "", why)


def _ascii(character: str) -> str:
    if unicodedata.category(character) == "Cf":
        return ""
    return unicodedata.normalize("NFKC", character.translate(_TYPOGRAPHIC))


def _numbers(part: Broken) -> Iterator[Slip]:
    for at in part.near:
        token = part.code[at]
        if re.fullmatch(r"0+[1-9]\d*", token.text):
            yield _swap("number", token, token.text.lstrip("0"))
            with suppress(ValueError):
                int(token.text, 8)
                yield _swap("number", token, f"0o{token.text.lstrip('0')}")


def _prints(part: Broken) -> Iterator[Slip]:
    """Yield the call that a statement of Python 2 became."""
    for line in part.lines:
        at = part.of_line(line)
        if len(at) > 1 and part.code[at[0]].text == "print":
            start, end = part.code[at[0]].end, part.code[at[-1]].end
            given = part.source.text[start:end].strip()
            if not given.endswith(",") and not given.startswith((">>", "(", "=")):
                why = "`print` is a function: its arguments stand in parentheses"
                yield Slip("bracket", start, end, f"({given})", why)


# --- indentation ---


def _indentation(part: Broken) -> Iterator[Slip]:
    line = part.lines[-1]
    before = part.code_before(line)
    if before is None:
        return
    own, above = part.indent(line), part.indent(before)
    if "expected an indented block" in part.message:
        yield from _shifted(part, line, line, above + part.unit)
    elif "unexpected indent" in part.message:
        yield from _shifted(part, line, _run(part, line), above)
    elif "unindent does not match" in part.message:
        for level in _levels(part, line):
            rank = abs(_width(level) - _width(own))
            yield from _shifted(part, line, _run(part, line), level, rank)
    elif "outside" in part.message:
        for level in (level for level in _levels(part, line) if len(own) < len(level)):
            if len(level) <= len(above):
                yield from _shifted(part, line, line, level)


def _width(margin: str) -> int:
    return len(margin.expandtabs(4))


def _levels(part: Broken, line: int) -> tuple[str, ...]:
    above = (each for each in range(part.first, line) if part.of_line(each))
    return tuple(dict.fromkeys(part.indent(each) for each in above))


def _run(part: Broken, line: int) -> int:
    """Return the last line of those that are indented like a line, or deeper."""
    last, margin = line, len(part.indent(line))
    while (after := part.code_after(last)) and len(part.indent(after)) >= margin:
        last = after
    return last


def _shifted(part: Broken, first: int, last: int, indent: str, rank: int = 0) -> Iterator[Slip]:
    """Yield lines with another indentation; none where a string of several lines is among them."""
    margin = part.indent(first)
    lines = [part.source.slice(each, each) for each in range(first, last + 1)]
    inside = (token for token in part.code if first <= token.line <= last)
    if any(token.kind == "string" and "\n" in token.text for token in inside):
        return
    moved = [indent + text.removeprefix(margin) if text.strip() else text for text in lines]
    start = part.source.offset(first, 0)
    why = f"line {first} was not indented as its block is"
    yield Slip("indentation", start, start + len("".join(lines)), "".join(moved), why, rank)


def _tabs(part: Broken) -> Iterator[Slip]:
    """Yield the lines with tabs, or with spaces, where the most have the other."""
    lines = [each for each in range(part.first, part.last + 1) if part.of_line(each)]
    kinds = Counter("\t" in part.indent(each) for each in lines if part.indent(each))
    if len(kinds) < 2:
        return
    has_tabs = kinds[True] <= kinds[False]
    odd = [each for each in lines if part.indent(each) and ("\t" in part.indent(each)) is has_tabs]
    for width in dict.fromkeys((4 if "\t" in part.unit else len(part.unit), 8)):
        start, end = part.source.offset(odd[0], 0), part.source.offset(odd[-1] + 1, 0)
        text = "".join(
            _retabbed(part.source.slice(each, each), width, has_tabs)
            if each in odd
            else part.source.slice(each, each)
            for each in range(odd[0], odd[-1] + 1)
        )
        why = "tabs and spaces were mixed in the indentation"
        yield Slip("indentation", start, end, text, why)


def _retabbed(text: str, width: int, has_tabs: bool) -> str:
    code = text.lstrip(" \t")
    margin = text[: len(text) - len(code)]
    if has_tabs:
        return margin.replace("\t", " " * width) + code
    return margin.replace(" " * width, "\t") + code


_KINDS: tuple[Callable[[Broken], Iterator[Slip]], ...] = (
    *(_colons, _between, _closers, _strays, _operators, _keywords, _headers, _asynchronous),
    *(_quotes, _apostrophes, _characters, _numbers, _prints, _indentation, _tabs, _doubled),
)
