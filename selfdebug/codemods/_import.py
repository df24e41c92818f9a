"""An import added at the top of a file: in its group, in its order, in the style of its neighbours.

Groups are those of PEP 8, as isort and ruff tell them apart: ``__future__``, the standard library,
other distributions, the project's own modules, relative ones.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import libcst as cst

from selfdebug.model import Edit, Span
from selfdebug.syntax.bindings import FUNCTIONS, dotted
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Region, Tree, parse, splice, statement_region
from selfdebug.syntax.source import Source

Import: TypeAlias = ast.Import | ast.ImportFrom
Order: TypeAlias = Callable[[str], tuple[int, str]]
_IMPORTS = (ast.Import, ast.ImportFrom)
_MADE_FOR_ALL = re.compile(r"#!|#.*(?:coding[:=]|copyright|licen[sc]e|spdx|vim:)", re.IGNORECASE)
_NAMES_A_GROUP = re.compile(
    r"#.*\b(?:std\w*|standard|built-?ins?|third|local|own|project|first|import\w*|librar\w+)\b",
    re.IGNORECASE,
)
_WIDTH = 79, 120  # what a line may take at least, and at most where the file has longer ones


def importing(path: Path, statement: str, project: Project) -> Edit | None:
    """Return the edit that has a file import a name; None where it does so already.

    ``statement`` imports one name: ``import json``, ``from datetime import date as day``. A name that
    is imported for type checkers only does not count. Raises ValueError for any other statement,
    Unreadable where the file does not parse, and OSError.
    """
    wanted = _parsed(statement)
    module = read_module(path, project)
    if any(_provides(module, stmt, wanted) for stmt in _run_at_import(module.tree.body)):
        return None
    block = _block(module.tree)
    same = [stmt for stmt in block if _takes(module, stmt, wanted)]
    if same:
        return _extended(module, same[-1], wanted.names[0])
    if block:
        return _among(module, block, wanted)
    return _first(module.source, module.tree, ast.unparse(wanted))


def import_at(tree: Tree, span: Span) -> cst.Import | cst.ImportFrom | None:
    """Return the import statement that a place is in."""
    for node in tree.ranges:
        if isinstance(node, cst.Import | cst.ImportFrom):
            around = tree.span(node)
            if around.line <= span.line and span.end_line <= around.end_line:
                return node
    return None


def _parsed(statement: str) -> Import:
    try:
        body = ast.parse(statement).body
    except SyntaxError as error:
        raise ValueError(f"no import: {statement}") from error
    if len(body) != 1 or not isinstance(body[0], _IMPORTS) or len(body[0].names) != 1:
        raise ValueError(f"no import of one name: {statement}")
    return body[0]


def _run_at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run when a module is imported, whatever its conditions say."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, ast.If) and dotted(stmt.test).endswith("TYPE_CHECKING"):
            yield from _run_at_import(stmt.orelse)
        elif not isinstance(stmt, (*FUNCTIONS, ast.ClassDef)):
            for name in ("body", "orelse", "finalbody"):
                yield from _run_at_import(getattr(stmt, name, []))


def _provides(module: Module, stmt: ast.stmt, wanted: Import) -> bool:
    alias = wanted.names[0]
    if isinstance(stmt, ast.Import) and isinstance(wanted, ast.Import):
        return any(
            each.asname == alias.asname
            and (
                each.name == alias.name
                or (not each.asname and each.name.startswith(f"{alias.name}."))
            )
            for each in stmt.names
        )
    return _takes(module, stmt, wanted) and any(
        (each.name, each.asname) == (alias.name, alias.asname)
        for each in getattr(stmt, "names", ())
    )


def _takes(module: Module, stmt: ast.stmt, wanted: Import) -> bool:
    """Say whether a ``from`` import is one of the wanted name's module, which it can be added to."""
    return (
        isinstance(stmt, ast.ImportFrom)
        and isinstance(wanted, ast.ImportFrom)
        and module.package(stmt) == module.package(wanted)
        and stmt.names[0].name != "*"
    )


def _block(tree: ast.Module) -> list[Import]:
    """Return the imports at the top of a file, each alone on its lines."""
    found: list[Import] = []
    for stmt in tree.body:
        if isinstance(stmt, _IMPORTS):
            found.append(stmt)
        elif not _may_precede(stmt):
            break
    lines = [line for stmt in tree.body for line in (stmt.lineno, stmt.end_lineno)]
    return [
        stmt
        for stmt in found
        if lines.count(stmt.lineno) == 1 + (stmt.lineno == stmt.end_lineno)
        and lines.count(stmt.end_lineno) == 1 + (stmt.lineno == stmt.end_lineno)
    ]


def _may_precede(stmt: ast.stmt) -> bool:
    match stmt:
        case ast.Expr(value=ast.Constant(value=str())) | ast.If() | ast.Try():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name.startswith("__")
    return False


# --- a name more in an existing import ---


def _extended(module: Module, stmt: Import, new: ast.alias) -> Edit | None:
    region = statement_region(module.source, module.tree, stmt.lineno)
    tree = parse(region)
    line = tree.module.body[0]
    assert isinstance(line, cst.SimpleStatementLine)
    old = line.body[0]
    assert isinstance(old, cst.ImportFrom)
    alias = cst.ImportAlias(
        cst.Name(new.name), cst.AsName(cst.Name(new.asname)) if new.asname else None
    )
    code = tree.module.with_deep_changes(old, **_with(old, alias)).code
    if "\n" not in code.strip() and len(code.rstrip()) > _width(module.source):
        code = tree.module.with_deep_changes(old, **_wrapped(old, alias, region)).code
    return splice(region, code)


def _with(old: cst.ImportFrom, alias: cst.ImportAlias) -> dict[str, object]:
    """Return what changes in an import that gets one more name."""
    assert not isinstance(old.names, cst.ImportStar)
    names = [*old.names]
    separator = _separator(old)
    at = _sorted_place(names, alias)
    if at < len(names):
        names.insert(at, alias.with_changes(comma=cst.Comma(whitespace_after=separator)))
        return {"names": names}
    last = names[-1]
    if isinstance(last.comma, cst.Comma):
        end = last.comma.whitespace_after
        between = cst.Comma(whitespace_after=_remarked(separator, end))
        alias = alias.with_changes(comma=cst.Comma(whitespace_after=_unremarked(end)))
        return {"names": [*names[:-1], last.with_changes(comma=between), alias]}
    if old.rpar is None:
        between = cst.Comma(whitespace_after=separator)
        return {"names": [*names[:-1], last.with_changes(comma=between), alias]}
    end = old.rpar.whitespace_before
    between = cst.Comma(whitespace_after=_remarked(separator, end))
    return {
        "names": [*names[:-1], last.with_changes(comma=between), alias],
        "rpar": old.rpar.with_changes(whitespace_before=_unremarked(end)),
    }


def _separator(old: cst.ImportFrom) -> cst.BaseParenthesizableWhitespace:
    """Return the space that stands between the names: a line break where each has its own line."""
    assert not isinstance(old.names, cst.ImportStar)
    between = [
        each.comma.whitespace_after for each in old.names[:-1] if isinstance(each.comma, cst.Comma)
    ]
    if not between and old.lpar is not None:
        between = [old.lpar.whitespace_after]
    breaks = [each for each in between if isinstance(each, cst.ParenthesizedWhitespace)]
    if breaks and len(breaks) == len(between):
        return _unremarked(breaks[0])
    return cst.SimpleWhitespace(" ")


def _unremarked(
    space: cst.BaseParenthesizableWhitespace,
) -> cst.BaseParenthesizableWhitespace:
    """Return a space without the comments in it."""
    if not isinstance(space, cst.ParenthesizedWhitespace):
        return space
    bare = cst.TrailingWhitespace(newline=space.first_line.newline)
    return space.with_changes(first_line=bare, empty_lines=[])


def _remarked(
    space: cst.BaseParenthesizableWhitespace, old: cst.BaseParenthesizableWhitespace
) -> cst.BaseParenthesizableWhitespace:
    """Return a space with the comments of the old one, which are about the name before it."""
    if not isinstance(old, cst.ParenthesizedWhitespace):
        return space
    remarks = old.first_line.comment is not None or old.empty_lines
    if isinstance(space, cst.ParenthesizedWhitespace):
        return space.with_changes(first_line=old.first_line, empty_lines=old.empty_lines)
    return old if remarks else space


def _wrapped(old: cst.ImportFrom, alias: cst.ImportAlias, region: Region) -> dict[str, object]:
    """Return an import that got too long for one line with each name on its own."""
    assert not isinstance(old.names, cst.ImportStar)

    def broken(indent: str) -> cst.ParenthesizedWhitespace:
        return cst.ParenthesizedWhitespace(last_line=cst.SimpleWhitespace(indent))

    names = [*old.names]
    names.insert(_sorted_place(names, alias), alias)
    commas = [broken(region.indent)] * (len(names) - 1) + [broken("")]
    return {
        "lpar": cst.LeftParen(whitespace_after=broken(region.indent)),
        "rpar": cst.RightParen(),
        "names": [
            name.with_changes(comma=cst.Comma(whitespace_after=space))
            for name, space in zip(names, commas, strict=True)
        ],
    }


def _sorted_place(names: Sequence[cst.ImportAlias], new: cst.ImportAlias) -> int:
    """Return where a name belongs among others: at their end unless they are in an order."""
    spelled = [each.evaluated_name for each in names]
    for key in _ORDERS:
        if len(names) > 1 and all(key(one) <= key(two) for one, two in pairwise(spelled)):
            return _place(spelled, new.evaluated_name, key)
    return _place(spelled, new.evaluated_name, _by_kind) if len(names) == 1 else len(names)


def _by_kind(name: str) -> tuple[int, str]:
    """Constants first, then classes, then the rest: isort's order."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, name.lower()


_ORDERS: tuple[Order, ...] = (_by_kind, lambda name: (0, name.lower()), lambda name: (0, name))


def _place(those: list[str], new: str, key: Order) -> int:
    return sum(key(each) <= key(new) for each in those)


def _width(source: Source) -> int:
    longest = max(map(len, source.text.splitlines()), default=0)
    return max(_WIDTH[0], min(longest, _WIDTH[1]))


# --- a new statement ---


def _among(module: Module, block: list[Import], wanted: Import) -> Edit:
    """Put an import into its group, or between the groups where it is the first of its own."""
    ranks = [_rank(module, stmt) for stmt in block]
    rank = _rank(module, wanted)
    group = [stmt for stmt, each in zip(block, ranks, strict=True) if each == rank]
    code = ast.unparse(wanted)
    if group:
        before = _predecessor(group, wanted)
        return (
            _below(module.source, before, code)
            if before
            else _above(module.source, group[0], code, apart=False)
        )
    apart = _separates(block, ranks)
    lower = [stmt for stmt, each in zip(block, ranks, strict=True) if each < rank]
    if not lower:
        return _above(module.source, block[0], code, apart)
    newline = _newline(module.source)
    return _below(module.source, lower[-1], f"{newline}{code}" if apart else code)


def _rank(module: Module, stmt: Import) -> int:
    """Return the number of an import's group."""
    if isinstance(stmt, ast.ImportFrom) and stmt.level:
        return 4
    name = (stmt.module or "") if isinstance(stmt, ast.ImportFrom) else stmt.names[0].name
    top = name.partition(".")[0]
    if top == "__future__":
        return 0
    if top in sys.stdlib_module_names:
        return 1
    ours = module.project.module(name) or module.project.module(top)
    return 3 if ours or any(parts[0] == top for parts in module.project.files) else 2


def _predecessor(group: list[Import], wanted: Import) -> Import | None:
    """Return the import of a group below which a new one belongs; None for its very top."""
    forms = [isinstance(stmt, ast.ImportFrom) for stmt in group]
    apart = forms == sorted(forms)

    def key(stmt: Import) -> tuple[bool, str]:
        form = isinstance(stmt, ast.ImportFrom)
        name = stmt.module or "" if isinstance(stmt, ast.ImportFrom) else stmt.names[0].name
        return apart and form, name.lower()

    keys = [key(stmt) for stmt in group]
    if keys != sorted(keys):
        return group[-1]
    earlier = [stmt for stmt in group if key(stmt) <= key(wanted)]
    return earlier[-1] if earlier else None


def _separates(block: list[Import], ranks: list[int]) -> bool:
    """Say whether a blank line stands between the groups of a file; it does where there is but one."""
    return all(
        below.lineno - (above.end_lineno or 0) > 1
        for (above, one), (below, other) in pairwise(zip(block, ranks, strict=True))
        if one != other
    )


def _below(source: Source, stmt: ast.stmt, code: str) -> Edit:
    newline = _newline(source)
    line = stmt.end_lineno or stmt.lineno
    start = source.offset(line + 1, 0)
    ended = source.text[:start].endswith(("\n", "\r"))
    return source.edit(start, start, f"{code}{newline}" if ended else f"{newline}{code}")


def _above(source: Source, stmt: ast.stmt, code: str, apart: bool) -> Edit:
    """Insert above a statement and the comments that touch it, but below the name of its group."""
    newline = _newline(source)
    first = stmt.lineno
    while source.line(first - 1).startswith("#") and not (
        _MADE_FOR_ALL.match(source.line(first - 1))
        or (not apart and _NAMES_A_GROUP.match(source.line(first - 1)))
    ):
        first -= 1
    start = source.offset(first, 0)
    return source.edit(start, start, f"{code}{newline}{newline if apart else ''}")


def _first(source: Source, tree: ast.Module, code: str) -> Edit:
    """Insert the first import of a file: below its docstring, or else its opening comments."""
    newline = _newline(source)
    line = 0
    if ast.get_docstring(tree, clean=False) is None:
        line = _opening(source)
    else:
        for stmt in tree.body:
            line = (stmt.end_lineno or line) if not line or stmt.lineno <= line else line
    after = [stmt for stmt in tree.body if stmt.lineno > line]
    wanted = 2 if after and isinstance(after[0], (*FUNCTIONS, ast.ClassDef)) else len(after[:1])
    there = next((n for n in range(wanted) if source.line(line + n + 1).strip()), wanted)
    start = source.offset(line + 1, 0)
    ended = not start or source.text[:start].endswith(("\n", "\r"))
    before = newline * ((not ended) + bool(source.line(line).strip()))
    below = newline * (wanted - there + 1) if ended else ""
    return source.edit(start, start, f"{before}{code}{below}")


def _opening(source: Source) -> int:
    """Return the last line of the comments at the top that are not about the code below them."""
    lines = [source.line(number) for number in range(1, source.lines + 1)]
    comments = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if comments and (comments == len(lines) or not lines[comments].strip()):
        return comments
    marked = (n for n in range(comments, 0, -1) if _MADE_FOR_ALL.match(lines[n - 1]))
    return next(marked, 0)


def _newline(source: Source) -> str:
    """Return how the file's first line ends."""
    found = re.search(r"\r\n|\r|\n", source.text)
    return found.group() if found else "\n"
