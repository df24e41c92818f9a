"""Parsed files of the project: what their names stand for, and where things are defined."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from selfdebug.syntax.bindings import FUNCTIONS, Function, nested
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import syntax_tree
from selfdebug.syntax.source import Source, Unreadable

Named: TypeAlias = Function | ast.ClassDef
_DEFINED = re.compile(rb"\b(?:def|class)\s+([\w\x80-\xff]+)")


@dataclass(frozen=True)
class Module:
    """A parsed file of the project."""

    source: Source
    tree: ast.Module
    project: Project

    @cached_property
    def imports(self) -> Mapping[str, str]:
        """What the module's names stand for: ``{"np": "numpy", "find": "shop.store.find"}``."""
        found: dict[str, str] = {}
        for stmt in nested(self.tree.body):
            if isinstance(stmt, ast.Import):
                for alias in stmt.names:
                    top = alias.name.partition(".")[0]
                    found[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(stmt, ast.ImportFrom):
                base = self.package(stmt)
                found |= {each.asname or each.name: f"{base}.{each.name}" for each in stmt.names}
        return found

    def package(self, stmt: ast.ImportFrom) -> str:
        """Return the full name of the module that an import is from."""
        if not stmt.level:
            return stmt.module or ""
        parts = self.source.path.relative_to(self.project.root).parts[: -stmt.level]
        return ".".join((*parts, stmt.module) if stmt.module else parts)

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The functions and classes of the module with those inside them, in the order of the text."""
        return tuple(_inside(self, self.tree.body, "", None))


@dataclass(frozen=True)
class Definition:
    """A function or a class of the project; ``owner`` is the class in whose body it stands."""

    module: Module
    node: Named
    qualname: str
    owner: ast.ClassDef | None = None


def read_module(path: Path, project: Project) -> Module:
    """Parse a file of the project, once. Raises Unreadable, OSError."""
    cache = project.parsed
    if path not in cache:
        source = project.read(path)
        cache[path] = Module(source, syntax_tree(source), project)
    found = cache[path]
    assert isinstance(found, Module)
    return found


def definitions(name: str, project: Project) -> Iterator[Definition]:
    """Yield the project's functions and classes of a name, or of a dotted end of their qualified name.

    ``project.files`` gives the order; files of tests are left out, and those that do not parse.
    """
    for path in _defining(project).get(name.rpartition(".")[2], ()):
        with suppress(Unreadable, OSError):
            yield from (
                each
                for each in read_module(path, project).definitions
                if each.qualname == name or each.qualname.endswith(f".{name}")
            )


def _defining(project: Project) -> Mapping[str, list[Path]]:
    """Return the files in whose text names are defined, made once: a search needs few of all files."""
    found = project.parsed.get(_DEFINED)
    if found is None:
        index: dict[str, list[Path]] = {}
        for path in _own_files(project):
            with suppress(OSError):
                for name in dict.fromkeys(_DEFINED.findall(project.data(path))):
                    index.setdefault(name.decode(errors="replace"), []).append(path)
        found = project.parsed[_DEFINED] = index
    assert isinstance(found, dict)
    return found


def imports_of(name: str, project: Project) -> tuple[str, ...]:
    """Return the import statements by which the project's files bind a name, the most common first.

    Relative ones are left out: they mean something else elsewhere.
    """
    mentioned = re.compile(
        rb"\bimport\b[^\n]*|^\s*" + re.escape(name.encode()) + rb"\b", re.MULTILINE
    )
    counted: Counter[str] = Counter()
    for module in _modules(project, mentioned, name.encode()):
        for stmt in nested(module.tree.body):
            counted.update(set(_binding(stmt, name)))
    return tuple(code for code, _ in sorted(counted.items(), key=lambda each: (-each[1], each[0])))


def import_name(path: Path, project: Project) -> str:
    """Return the dotted name by which the project imports one of its files.

    That is the longest end of its path under which a file imports it, and where none does, its path
    from the outermost package, or from below a folder ``src``.
    """
    parts = path.relative_to(project.root).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts
    names = [".".join(parts[at:]) for at in range(len(parts))]
    spelled = [
        re.compile(rb"^\s*(?:from|import)\s+" + re.escape(name.encode()) + rb"\b", re.MULTILINE)
        for name in names
    ]
    files = [project.root.joinpath(*each) for each in project.files]
    for name, pattern in zip(names, spelled, strict=True):
        if any(_mentions(project, file, pattern) for file in files):
            return name
    folders = [project.root.joinpath(*parts[: end + 1]) for end in range(len(parts) - 1)]
    packages = (
        at for at, folder in enumerate(folders) if _is_file(project, folder / "__init__.py")
    )
    return names[next(packages, 1 if parts[0] == "src" and len(parts) > 1 else 0)]


def _mentions(project: Project, file: Path, pattern: re.Pattern[bytes]) -> bool:
    with suppress(OSError):
        return pattern.search(project.data(file)) is not None
    return False


def _is_file(project: Project, path: Path) -> bool:
    return path in project.contents or path.is_file()


def _binding(stmt: ast.stmt, name: str) -> Iterator[str]:
    if isinstance(stmt, ast.Import):
        for alias in stmt.names:
            if name in (alias.asname, alias.name.partition(".")[0] if not alias.asname else None):
                yield ast.unparse(ast.Import([alias]))
    elif isinstance(stmt, ast.ImportFrom) and not stmt.level and stmt.module != "__future__":
        for alias in stmt.names:
            if (alias.asname or alias.name) == name:
                yield ast.unparse(ast.ImportFrom(stmt.module, [alias], 0))


def _modules(project: Project, mentioned: re.Pattern[bytes], also: bytes = b"") -> Iterator[Module]:
    """Yield the project's modules whose bytes show a pattern; tests are left out."""
    for path in _own_files(project):
        with suppress(Unreadable, OSError):
            data = project.data(path)
            if also in data and mentioned.search(data):
                yield read_module(path, project)


def _own_files(project: Project) -> Iterator[Path]:
    for parts in project.files:
        path = project.root.joinpath(*parts)
        if not project.is_test_file(path):
            yield path


def _inside(
    module: Module, body: list[ast.stmt], prefix: str, owner: ast.ClassDef | None
) -> Iterator[Definition]:
    for stmt in nested(body):
        if isinstance(stmt, (*FUNCTIONS, ast.ClassDef)):
            name = f"{prefix}{stmt.name}"
            yield Definition(module, stmt, name, owner)
            inner = stmt if isinstance(stmt, ast.ClassDef) else None
            yield from _inside(module, stmt.body, f"{name}.", inner)
