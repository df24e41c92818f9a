"""Give live functions the code that a new text of their file would have given them.

Only where that is exact: the new text differs inside functions, none of these ran before, and what
their headers evaluate to is the same. The old text, compiled the same way, must give the very code
that is alive; so whatever this module does not know of (instrumentation, a future statement, stale
bytecode) makes it refuse rather than guess.
"""

# A test may patch pathlib; older interpreters run this.
# ruff: noqa: PTH118, PTH123, UP036, B905, I001

from __future__ import annotations

import __future__
import ast
import difflib
import gc
import linecache
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.util import decode_source
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_OPTIMIZED
from types import (
    AsyncGeneratorType,
    CodeType,
    CoroutineType,
    FunctionType,
    GeneratorType,
    ModuleType,
)
from typing import TYPE_CHECKING, Any, NamedTuple

from . import started

if TYPE_CHECKING:
    _Paths = dict[str, str]
else:
    _Paths = dict  # not subscriptable before Python 3.9

_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag
_KIND = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Unfit(Exception):
    """The new text can't be put in place by swapping code. The message says why."""


class Region(NamedTuple):
    """The lines of an outermost function, decorators included, and the headers that it stands under."""

    first: int
    last: int
    headers: tuple[str, ...]


class Parsed(NamedTuple):
    """The lines of a file, its outermost functions, and the names that its imports bind."""

    lines: list[str]
    regions: list[Region]
    imported: list[str]


class Live:
    """What is alive of the files under ``root``: their texts, functions and suspended generators."""

    def __init__(self, root: str) -> None:
        self.root = folder(root)
        self.functions: dict[str, list[FunctionType]] = defaultdict(list)
        self.suspended: dict[str, list[CodeType]] = defaultdict(list)
        self.sources: dict[str, bytes] = {}
        self._real = Real()
        self._parsed: dict[str, Parsed] = {}
        self._codes: dict[tuple[str, Region], CodeType] = {}
        self.freeze()

    def freeze(self) -> None:
        """Take in what came to life since the last time, and let the collector look at it no more."""
        gc.collect()
        for each in gc.get_objects():
            kind = type(each)
            if kind is FunctionType:
                self._keep(self.functions, each.__code__, each)
            elif kind in _SUSPENDED:
                code = getattr(each, _SUSPENDED[kind])
                self._keep(self.suspended, code, code)
        files = {path for path in loaded(self.root) | set(self.functions) if path.endswith(".py")}
        for path in files - self.sources.keys():
            self.sources.update((path, source) for source in _read(path))
        gc.freeze()

    def _keep(self, table: dict[str, list[Any]], code: CodeType, value: object) -> None:
        path = self._real[code.co_filename]
        if path.startswith(self.root):
            table[path].append(value)

    def parsed(self, path: str) -> Parsed:
        """Give what the text of a file tells, read once."""
        if path not in self._parsed:
            text = decode_source(self.sources[path])
            lines, body = text.split("\n"), ast.parse(text).body
            self._parsed[path] = Parsed(lines, [*outermost(body, lines, ())], [*_imported(body)])
        return self._parsed[path]

    def code(self, path: str, region: Region) -> CodeType:
        """Give what the lines of a function compile to, from the module down, made once."""
        if (path, region) not in self._codes:
            self._codes[path, region] = self.compiled(
                path, region, _Lines(self.parsed(path).lines, region.first, region.last)
            )
        return self._codes[path, region]

    def compiled(self, path: str, region: Region, lines: _Lines) -> CodeType:
        """Compile lines that stand in a function's place, from the module down. Raises Unfit."""
        imported = self.parsed(path).imported
        return _compiled(lines, self.template(path, region), region.headers, imported)

    def template(self, path: str, region: Region) -> CodeType:
        """Give live code of the function, which knows its file's name and future statements."""
        for function in self.functions[path]:
            if function.__code__.co_firstlineno == region.first:
                return function.__code__
        raise Unfit(f"no function from line {region.first} is alive")

    def prepare(self, path: str, source: bytes) -> None:
        """Make what ``swap`` will need and remember. Raises Unfit."""
        if path in self.sources and not self._knows(path, source):
            for region in _growths(self, path, _lines(source)):
                self.code(path, region)

    def _knows(self, path: str, source: bytes) -> bool:
        """Whether what differs begins in a function that was compiled before: most edits are alike."""
        old = self.sources[path]
        line = old.count(b"\n", 0, _alike(old, source)) + 1
        return any(known == path and at.first <= line <= at.last for known, at in self._codes)


_SUSPENDED = {
    GeneratorType: "gi_code",
    CoroutineType: "cr_code",
    AsyncGeneratorType: "ag_code",
}


def loaded(root: str) -> set[str]:
    """Give the files below a folder that modules were made of."""
    modules = [each for each in list(sys.modules.values()) if isinstance(each, ModuleType)]
    files = {vars(module).get("__file__") for module in modules}
    real, prefix = Real(), folder(root)
    paths = {real[file] for file in files if isinstance(file, str)}
    return {path for path in paths if path.startswith(prefix)}


def folder(path: str) -> str:
    """Give what the real paths of all files below a folder begin with."""
    return os.path.join(os.path.realpath(path), "")


class Real(_Paths):
    """The real paths of files. To look up each of many folders once takes a tenth of the time."""

    def __init__(self) -> None:
        super().__init__()
        self._folders: dict[str, str] = {}

    def __missing__(self, path: str) -> str:
        parent, name = os.path.split(path)
        if os.path.islink(path):  # noqa: PTH114 - a test may patch pathlib
            real = os.path.realpath(path)
        else:
            if parent not in self._folders:
                self._folders[parent] = os.path.realpath(parent)
            real = os.path.join(self._folders[parent], name)
        self[path] = real
        return real


def _alike(old: bytes, new: bytes) -> int:
    """How many bytes the two begin with that are the same."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _read(path: str) -> Iterator[bytes]:
    try:
        with open(path, "rb") as stream:
            yield stream.read()
    except OSError:
        return


def outermost(
    body: Iterable[ast.AST], lines: list[str], headers: tuple[str, ...]
) -> Iterator[Region]:
    """Give the places of the functions that stand in no other one, those of classes too."""
    for node in body:
        if isinstance(node, _FUNCTIONS):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield Region(first, node.end_lineno or first, headers)
            continue
        line = lines[getattr(getattr(node, "pattern", node), "lineno", 1) - 1]
        indent = line[: len(line) - len(line.lstrip())]
        header = f"class {node.name}:" if isinstance(node, ast.ClassDef) else "if 1:"
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, name, ())
            if isinstance(inner, list):
                # A handler brings the header for its body, at the place of its statement's.
                under = headers if name == "handlers" else (*headers, indent + header)
                yield from outermost(inner, lines, under)


def _imported(body: Iterable[ast.AST]) -> Iterator[str]:
    """The names that imports bind in the module's own scope."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if alias.name != "*":
                    yield alias.asname or alias.name.partition(".")[0]
        elif not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield from _imported(ast.iter_child_nodes(node))


# --- from the change of a text to the change of code ---


class Change(NamedTuple):
    """A function's code by its file's old text and by the new one; both from the module down."""

    region: Region
    growth: int
    old: CodeType
    new: CodeType


def swap(live: Live, path: str, source: bytes) -> list[CodeType]:
    """Give the functions of ``path`` the code of its new text, and return the outermost of it.

    All live functions, wherever they are known by whatever name; those below the edit take the new
    line numbers. Raises Unfit, and has changed nothing then.
    """
    if sys.version_info < (3, 8):
        raise Unfit("swapping code needs Python 3.8")
    new = _lines(source)
    changes = list(_changed(live, path, new))
    swaps = [each for change in changes for each in _swaps(live, path, change)]
    moves = [
        (function, _moved(function.__code__, growth))
        for function in live.functions[path]
        for growth in [_growth(function.__code__.co_firstlineno, changes)]
        if growth
    ]
    entry = (len(source), None, [line + "\n" for line in new], path)
    for function, code in swaps + moves:
        linecache.cache[code.co_filename] = entry
        function.__code__ = code
    return [code for change in changes for code in _functions(change.new)]


def _changed(live: Live, path: str, new: list[str]) -> Iterator[Change]:
    """For each function whose lines differ, its code before and after."""
    above = 0
    for region, growth in sorted(_growths(live, path, new).items()):
        old = live.code(path, region)
        lines = _Lines(new, region.first + above, region.last + above + growth)
        above += growth
        after = live.compiled(path, region, lines)
        yield Change(region, growth, old, after)


def _growths(live: Live, path: str, new: list[str]) -> dict[Region, int]:
    """The functions whose lines differ, and by how many lines they grow. Raises Unfit."""
    try:
        old, regions, _ = live.parsed(path)
    except (SyntaxError, ValueError) as error:
        raise Unfit(f"the file as it was can't be parsed: {error}") from None
    growths: dict[Region, int] = {}
    for start, end, first, last in edits(old, new):
        inside = [each for each in regions if _holds(each, start, end)]
        if not inside:
            raise Unfit(f"line {start + 1} is not inside a function")
        growths[inside[0]] = growths.get(inside[0], 0) + last - first - (end - start)
    return growths


def _lines(source: bytes) -> list[str]:
    try:
        return decode_source(source).split("\n")
    except (SyntaxError, ValueError) as error:
        raise Unfit(f"the new text can't be decoded: {error}") from None


def edits(old: list[str], new: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Give for each run of lines that differs its start and end in the old text and in the new."""
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    room = range(1, shorter - head + 1)
    tail = next((i - 1 for i in room if old[-i] != new[-i]), shorter - head)
    middle = old[head : len(old) - tail], new[head : len(new) - tail]
    matcher = difflib.SequenceMatcher(None, *middle, autojunk=False)
    for tag, *places in matcher.get_opcodes():
        if tag != "equal":
            start, end, first, last = (head + place for place in places)
            yield start, end, first, last


def _holds(region: Region, start: int, end: int) -> bool:
    """Whether the lines are the function's; what is put right below it may turn out to be."""
    return region.first - 1 < start + (end > start) and end <= region.last


class _Lines(NamedTuple):
    text: list[str]
    first: int
    last: int


def _compiled(
    lines: _Lines, template: CodeType, headers: tuple[str, ...], imported: list[str]
) -> CodeType:
    """Compile the lines alone, where they stand, under headers like their own.

    What the module imports stands above: the compiler calls a method of such a name in its own way.
    """
    gap = [""] * (lines.first - 1 - len(headers))
    if gap and imported:
        headers, gap = ("import " + ", ".join(imported), *headers), gap[1:]
    text = "\n".join([*headers, *gap, *lines.text[lines.first - 1 : lines.last], ""])
    flags = template.co_flags & _FUTURE
    try:
        code: CodeType = compile(text, template.co_filename, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise Unfit(f"not one whole function: {error}") from None
    return code


def _swaps(live: Live, path: str, change: Change) -> Iterator[tuple[FunctionType, CodeType]]:
    if any(_stands_in(change.region, code) for code in live.suspended[path]):
        raise Unfit("a generator of it is already running")
    functions = [each for each in live.functions[path] if _stands_in(change.region, each.__code__)]
    alive = [code for function in functions for code in tree(function.__code__)]
    ran = {_key(code) for code in alive if started.ran(code)}
    pairs = list(_pairs(change.old, change.new, True))
    for old, new, surely_ran in pairs:
        if _own(old) != _own(new) and (surely_ran or _key(old) in ran):
            raise Unfit(f"{old.co_name} ran when the tests were collected")
    for function in functions:
        yield function, _successor(function, pairs)


def _pairs(old: CodeType, new: CodeType, ran: bool) -> Iterator[tuple[CodeType, CodeType, bool]]:
    """Pair the code of both texts; the module's and the classes' down to the function surely ran."""
    yield old, new, ran
    inner = nested(old), nested(new)
    if [code.co_name for code in inner[0]] == [code.co_name for code in inner[1]]:
        for before, after in zip(*inner):
            yield from _pairs(before, after, ran and not before.co_flags & CO_OPTIMIZED)


def _successor(function: FunctionType, pairs: list[tuple[CodeType, CodeType, bool]]) -> CodeType:
    """Find what the function's code becomes, of which the function must be able to be."""
    code = function.__code__
    known = [new for old, new, _ in pairs if _key(old) == _key(code) and deep(old) == deep(code)]
    if not known:
        raise Unfit(f"{code.co_name} is not the code that the file's text gives")
    new = known[0]
    if any(deep(each) != deep(new) for each in known):
        raise Unfit(f"several functions on line {code.co_firstlineno} look like {code.co_name}")
    if new.co_freevars != code.co_freevars:
        raise Unfit(f"{code.co_name} closes over other variables")
    if (new.co_flags ^ code.co_flags) & _KIND:
        raise Unfit(f"{code.co_name} becomes another kind of function")
    if _docstring(new) != _docstring(code):
        raise Unfit(f"the docstring of {code.co_name} changes")
    return new


# --- code objects ---


def nested(code: CodeType) -> list[CodeType]:
    """Give the code objects among the constants, in order."""
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def tree(code: CodeType) -> Iterator[CodeType]:
    """The code object and all that is nested in it."""
    yield code
    for each in nested(code):
        yield from tree(each)


def _functions(code: CodeType) -> Iterator[CodeType]:
    """The outermost functions under a module and its classes, which themselves do not run."""
    for each in nested(code):
        yield from (each,) if each.co_flags & CO_OPTIMIZED else _functions(each)


def _key(code: CodeType) -> tuple[int, str]:
    return code.co_firstlineno, code.co_name


def _stands_in(region: Region, code: CodeType) -> bool:
    return region.first <= code.co_firstlineno <= region.last


def _own(code: CodeType) -> tuple[object, ...]:
    """All that a code object does by itself, wherever it stands; of nested code only the name."""
    return (
        code.co_name,
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_flags,
        code.co_argcount,
        code.co_kwonlyargcount,
        getattr(code, "co_posonlyargcount", 0),
        getattr(code, "co_exceptiontable", b""),
        [_constant(each) for each in code.co_consts],
    )


def _constant(value: object) -> object:
    # 1, 1.0 and True are equal, and so are 0.0 and -0.0.
    return value.co_name if isinstance(value, CodeType) else (type(value), repr(value))


def deep(code: CodeType) -> list[tuple[object, ...]]:
    """Give all that a code object consists of, as values to compare; positions but for the first line
    are left out.
    """
    return [(_own(each), each.co_firstlineno) for each in tree(code)]


def _docstring(code: CodeType) -> str | None:
    """What the interpreter takes for the docstring when it makes a function of the code."""
    from types import CellType

    cells = tuple(CellType() for _ in code.co_freevars)
    return FunctionType(code, {}, None, None, cells).__doc__


def _growth(line: int, changes: list[Change]) -> int:
    """By how many lines a function that began on ``line``, outside of the changes, moves."""
    if any(change.region.first <= line <= change.region.last for change in changes):
        return 0
    return sum(change.growth for change in changes if change.region.last < line)


def _moved(code: CodeType, lines: int) -> CodeType:
    """The same code, that many lines further down."""
    constants = tuple(
        _moved(each, lines) if isinstance(each, CodeType) else each for each in code.co_consts
    )
    return code.replace(co_firstlineno=code.co_firstlineno + lines, co_consts=constants)
