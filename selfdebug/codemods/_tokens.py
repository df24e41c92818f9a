"""The tokens of code that does not parse, and the least part of a file that holds its error.

``tokenize`` gives up where a bracket or a quote is open. Offsets are those of the file's text.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from selfdebug.syntax.source import Source

_TOKEN = re.compile(
    r"""(?P<space>[ \t\f]+|\\(?:\r\n|\r|\n))
    |(?P<newline>\r\n|\r|\n)
    |(?P<comment>\#[^\r\n]*)
    |(?P<string>(?i:[rbuft]{0,2})(?:
        \"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}
        |\"(?!\"\")(?:[^"\\\r\n]|\\.)*\"|'(?!'')(?:[^'\\\r\n]|\\.)*'))
    |(?P<open>(?i:[rbuft]{0,2})["'][^\r\n]*)
    |(?P<number>\d[\w.]*|\.\d\w*)
    |(?P<name>\w+)
    |(?P<operator>[!=]==|\*\*=|//=|>>=|<<=|\.\.\.|&&|\|\||=>|=<|<>|=!|:=|->|[-+*/%@&|^<>=!]=
        |\*\*|//|<<|>>|[-+*/%@&|^~<>=()\[\]{},:;.!?$`])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_TOP = re.compile(r"(?:@|(?:async\s+)?def\b|class\b)")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_LEAST = "    "


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of code: its kind (a group of the pattern), and where it stands."""

    kind: str
    text: str
    start: int
    line: int

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.start + len(self.text)


@dataclass(frozen=True)
class Broken:
    """The definitions of a file, or the method, in which a syntax error was noticed.

    ``lines`` are where it may be: those that the parsers name, each with the line of code before it.
    ``head`` is a stand-in for the class around a method.
    """

    source: Source
    first: int
    last: int
    lines: tuple[int, ...]
    message: str
    head: str = ""

    @cached_property
    def start(self) -> int:
        """The offset at which the part begins."""
        return self.source.offset(self.first, 0)

    @cached_property
    def text(self) -> str:
        """The part's lines."""
        return self.source.slice(self.first, self.last)

    @cached_property
    def code(self) -> tuple[Token, ...]:
        """The tokens without space, comments and line ends."""
        return tuple(tokens(self.text, self.start, self.first))

    @cached_property
    def near(self) -> tuple[int, ...]:
        """The places in ``code`` of the tokens in ``lines``."""
        return tuple(at for at, token in enumerate(self.code) if token.line in self.lines)

    @cached_property
    def open(self) -> tuple[int, ...]:
        """The places in ``code`` of the brackets that are open where the part ends or goes wrong."""
        return self._brackets[0]

    @cached_property
    def stray(self) -> int | None:
        """The place in ``code`` of the first closing bracket that fits no open one."""
        return self._brackets[1]

    @cached_property
    def _brackets(self) -> tuple[tuple[int, ...], int | None]:
        stack: list[int] = []
        for at, token in enumerate(self.code):
            if token.text in _PAIRS:
                stack.append(at)
            elif token.text in _PAIRS.values():
                if not stack or _PAIRS[self.code[stack[-1]].text] != token.text:
                    return tuple(stack), at
                stack.pop()
        return tuple(stack), None

    def of_line(self, line: int) -> tuple[int, ...]:
        """Return the places in ``code`` of a line's tokens."""
        return tuple(at for at, token in enumerate(self.code) if token.line == line)

    def around(self, at: int) -> str:
        """Return the innermost bracket that is open before a token, "" for none."""
        stack: list[str] = []
        for token in self.code[:at]:
            if token.text in _PAIRS:
                stack.append(token.text)
            elif token.text in _PAIRS.values() and stack:
                stack.pop()
        return stack[-1] if stack else ""

    def indent(self, line: int) -> str:
        """Return the white space before a line's code."""
        text = self.source.line(line)
        return text[: len(text) - len(text.lstrip(" \t\f"))]

    def code_before(self, line: int) -> int | None:
        """Return the line of code before a line."""
        return next((each for each in range(line - 1, 0, -1) if self._is_code(each)), None)

    def code_after(self, line: int) -> int | None:
        """Return the line of code after a line."""
        after = range(line + 1, self.source.lines + 1)
        return next((each for each in after if self._is_code(each)), None)

    def _is_code(self, line: int) -> bool:
        text = self.source.line(line).strip()
        return bool(text) and not text.startswith("#")

    @cached_property
    def unit(self) -> str:
        """One level of indentation, as the file's first indented line has it."""
        shown = re.search(r":[ \t]*(?:#.*)?(?:\r\n|\r|\n)([ \t]+)\S", self.source.text)
        return shown.group(1) if shown else _LEAST


def tokens(text: str, start: int, line: int) -> Iterator[Token]:
    """Yield the tokens of a text that begins at an offset and a line of its file."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        if kind not in ("space", "newline", "comment"):
            yield Token(kind, match.group(), start + match.start(), line)
        line += len(re.findall(r"\r\n|\r|\n", match.group()))


def closing(bracket: str) -> str:
    """Return the bracket that closes another."""
    return _PAIRS[bracket]


def opening(bracket: str) -> str:
    """Return the bracket that another closes."""
    return next(each for each, close in _PAIRS.items() if close == bracket)


def broken(source: Source, named: int) -> Broken | None:
    """Return the part of a file with its syntax error; None where it has none that a line shows.

    ``named`` is the line that the project's interpreter names.
    """
    error = syntax_error(source.text)
    if error is None or error.lineno is None:
        return None
    whole = Broken(source, 1, source.lines, (), "")
    blamed = {named, error.lineno}
    lines = blamed | {before for line in blamed if (before := whole.code_before(line))}
    first, last = _definition(source, min(lines), max(lines), "")
    if source.line(first).startswith("class") and "indent" not in error.msg:
        body = whole.code_after(first)
        margin = whole.indent(body) if body else ""
        inner = _definition(source, min(lines), max(lines), margin)
        if margin and first < inner[0]:
            first, last = inner[0], min(inner[1], last)
            return Broken(source, first, last, tuple(sorted(lines)), error.msg, "class _:\n")
    return Broken(source, first, last, tuple(sorted(lines)), error.msg)


def _definition(source: Source, first: int, last: int, margin: str) -> tuple[int, int]:
    """Return the first and the last line of the definitions that hold others, by their indentation."""
    while first > 1 and not _defines(source, first, margin):
        first -= 1
    while first > 1 and source.line(first - 1).startswith(f"{margin}@"):
        first -= 1
    while last < source.lines and not _defines(source, last + 1, margin):
        last += 1
    return first, min(last, source.lines)


def _defines(source: Source, line: int, margin: str) -> bool:
    text = source.line(line)
    return text.startswith(margin) and _TOP.match(text, len(margin)) is not None


def syntax_error(text: str) -> SyntaxError | None:
    """Return what keeps a file from being compiled; None where nothing does.

    It is never run: not what it defines, nor what it imports.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<file>", "exec", dont_inherit=True)
        except SyntaxError as error:
            return error
        except (ValueError, RecursionError, MemoryError):
            return SyntaxError("it cannot be compiled")
    return None


def meaning(text: str) -> str | None:
    """Return what makes two texts the same program; None for one that does not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.dump(ast.parse(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def ends_operand(token: Token) -> bool:
    """Say whether an expression may end with a token."""
    words = token.kind == "name" and token.text not in _BETWEEN
    return words or token.kind in ("number", "string") or token.text in _PAIRS.values()


def begins_operand(token: Token) -> bool:
    """Say whether an expression may begin with a token."""
    words = token.kind == "name" and token.text not in _BETWEEN
    return words or token.kind in ("number", "string", "open") or token.text in _PAIRS


def pairs(part: Broken) -> Iterator[tuple[Token, Token, int]]:
    """Yield neighbours among the tokens near an error, with the place of the second."""
    for at in dict.fromkeys(each + more for each in part.near for more in (0, 1)):
        if 0 < at < len(part.code):
            yield part.code[at - 1], part.code[at], at


_BETWEEN = frozenset(
    (
        *("and", "or", "not", "in", "is", "if", "else", "elif", "for", "while", "return", "import"),
        *("from", "as", "def", "class", "with", "try", "except", "finally", "raise", "assert"),
        *("del", "yield", "global", "nonlocal", "pass", "break", "continue", "async"),
    )
)
