"""The project's own files, and the way to them from paths that another machine spelled.

A log from a container, a CI job or Windows names files that do not exist here. A frame's file is
taken for one of ours where the path leads below the root, or where its longest suffix fits one file
only and the source line that the log quotes stands in it. Nothing outside the root is ever ours,
however it is spelled, and neither is what others wrote inside it: environments, builds, vendored and
generated code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from selfdebug.syntax.source import Source, decode

_FOREIGN = frozenset(
    (
        *("site-packages", "dist-packages", "node_modules", "__pycache__", "__pypackages__"),
        *("_vendor", "_vendored", "vendored", "third_party"),
    )
)
# Also fine names for a package of one's own, which holds an __init__.py.
_FOREIGN_UNLESS_PACKAGE = frozenset(["build", "dist", "env", "venv", "vendor", "virtualenv"])
_INSTALLED = frozenset(("site-packages", "dist-packages"))
_TEST_FOLDERS = frozenset(("test", "tests"))
_TEST_NAME = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\|[^/]*\\")
_STANDARD_LIBRARY = re.compile(
    r"/(?:lib(?:64)?/(?:python|pypy)\d[\d.]*t?|[^/]*python[^/]*/(?:.*/)?lib)/(?!site-packages/)",
    re.IGNORECASE,
)
_GENERATED = re.compile(rb"@generated|do not edit", re.IGNORECASE)
_LISTS = frozenset(("files", "_index"))
_HEAD = 600  # bytes at the start of a file in which generators leave their mark


@dataclass(frozen=True)
class Project:
    """The tree under repair.

    ``root`` is made real (absolute, no symbolic links). ``aliases`` are other names of the root: the
    rootdir that a log shows, the folder of a copy in which the tests ran. ``contents`` holds files
    that differ from the disk; ``parsed`` is the memory of ``syntax.modules``
    and of the codemods, for what is costly to parse.
    """

    root: Path
    aliases: tuple[str, ...] = ()
    contents: Mapping[Path, bytes] = field(default_factory=dict)
    parsed: dict[Hashable, object] = field(default_factory=dict, compare=False, repr=False)
    _resolved: dict[str, tuple[Path, ...]] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", Path(os.path.realpath(self.root)))

    def changed(self, contents: Mapping[Path, bytes]) -> Project:
        """Return the project with other files that differ from the disk."""
        if contents == self.contents:
            return self
        other = replace(self, contents=contents, parsed={})
        if contents.keys() <= {
            self.root.joinpath(*parts) for parts in self.__dict__.get("files", ())
        }:
            # The same files: a walk over the disk is not repeated.
            other.__dict__.update(
                {name: self.__dict__[name] for name in _LISTS & self.__dict__.keys()}
            )
        return other

    def data(self, path: Path) -> bytes:
        """Return a file's bytes, from ``contents`` or the disk. Raises OSError."""
        data = self.contents.get(path)
        return path.read_bytes() if data is None else data

    def read(self, path: Path) -> Source:
        """Return a file's source, from ``contents`` or the disk. Raises Unreadable, OSError."""
        return decode(path, self.data(path))

    def relative(self, path: Path) -> str:
        """Return a path of the project relative to the root, with ``/``."""
        return path.relative_to(self.root).as_posix()

    def owns(self, path: str | Path) -> Path | None:
        """Return the real path of a file that is the project's to change; None for any other."""
        real = os.path.realpath(self.root / path)
        top = os.path.join(self.root, "")  # noqa: PTH118 - Path drops the separator
        if not real.startswith(top) or not real.endswith(".py"):
            return None
        if self._foreign(Path(real[len(top) :]).parts[:-1]):
            return None
        found = Path(real)
        return found if found in self.contents or found.is_file() else None

    def _foreign(self, folders: tuple[str, ...]) -> bool:
        """Say whether a file in these nested folders below the root was written by others."""
        place = str(self.root)
        for name in folders:
            place = f"{place}{os.sep}{name}"
            if _foreign_folder(place, name):
                return True
        return False

    def resolve(self, file: str) -> tuple[Path, ...]:
        """Return the project's files that a frame's path may mean, as a rule one or none.

        Several are equally good by their names; the quoted source line has to choose.
        """
        if file not in self._resolved:
            self._resolved[file] = self._resolve(file)
        return self._resolved[file]

    def _resolve(self, file: str) -> tuple[Path, ...]:
        if file.startswith("<") or not file.endswith(".py"):
            return ()
        for spelled in self._here(file):
            if found := self.owns(spelled):
                return (found,)
        path = _spelling(file)
        installed = _after_installed(path)
        if installed is not None:
            return self._provided(installed)
        if _STANDARD_LIBRARY.search(path) or (Path(path).is_absolute() and Path(path).exists()):
            return ()
        return self._by_suffix(path)

    def _here(self, file: str) -> Iterator[str]:
        # Not worked out lexically: the real path of "link/../x.py" depends on the link.
        yield file
        path = _spelling(file)
        yield path
        for alias in self.aliases:
            top = _spelling(alias).rstrip("/") + "/"
            if path.startswith(top):
                yield path[len(top) :]

    def _provided(self, parts: tuple[str, ...]) -> tuple[Path, ...]:
        """Return the source of an installed copy: the same module, below a folder without a package."""
        if parts[0] in {"_pytest", "pluggy"}:
            return ()
        return tuple(
            self.root.joinpath(*own)
            for own in self._index.get(parts[-1], ())
            if own[-len(parts) :] == parts and not self._is_package(own[: -len(parts)])
        )

    def module(self, name: str) -> Path | None:
        """Return the file of a module by its dotted name; None where it is not one of ours alone."""
        *folders, last = name.split(".")
        for parts in ((*folders, f"{last}.py"), (*folders, last, "__init__.py")):
            near = self.owns(self.root.joinpath(*parts))
            found = (near,) if near else self._provided(parts)
            if len(found) == 1:
                return found[0]
        return None

    def _is_package(self, parts: tuple[str, ...]) -> bool:
        return bool(parts) and self.root.joinpath(*parts, "__init__.py").exists()

    def _by_suffix(self, path: str) -> tuple[Path, ...]:
        parts = tuple(part for part in path.split("/") if part not in {"", ".", ".."})
        length = 1
        best: list[tuple[str, ...]] = []
        for own in self._index.get(parts[-1], ()):
            common = _common_suffix(own, parts)
            if common >= length:
                best = [own] if common > length else [*best, own]
                length = common
        return tuple(self.root.joinpath(*own) for own in best)

    def names_little(self, path: Path, file: str) -> bool:
        """Say whether only the bare file name speaks for a match: too little without a quoted line."""
        own = path.relative_to(self.root).parts
        return len(own) > 1 and _common_suffix(own, tuple(_spelling(file).split("/"))) < 2

    @cached_property
    def files(self) -> tuple[tuple[str, ...], ...]:
        """The parts, below the root, of all Python files that are the project's own."""
        found = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = [
                name
                for name in sorted(folders)
                if not _foreign_folder(f"{folder}{os.sep}{name}", name)
            ]
            python = [name for name in sorted(names) if name.endswith(".py")]
            if python:
                parts = Path(folder).relative_to(self.root).parts
                found += [(*parts, name) for name in python if self._inside(folder, name)]
        new = (path.relative_to(self.root).parts for path in self.contents)
        return tuple(dict.fromkeys((*found, *new)))

    def _inside(self, folder: str, name: str) -> bool:
        place = f"{folder}{os.sep}{name}"
        return not os.path.islink(place) or self.owns(place) is not None  # noqa: PTH114 - hot loop

    @cached_property
    def _index(self) -> Mapping[str, tuple[tuple[str, ...], ...]]:
        found: dict[str, list[tuple[str, ...]]] = {}
        for parts in self.files:
            found.setdefault(parts[-1], []).append(parts)
        return {name: tuple(each) for name, each in found.items()}

    def is_test_file(self, path: Path, nodeids: Iterable[str] = ()) -> bool:
        """Say whether a file belongs to the tests, which are never edited.

        By pytest's default names, a folder ``tests`` or ``test``, or a node id that names the file.
        """
        relative = self.relative(path)
        *folders, name = relative.split("/")
        return (
            _TEST_NAME.fullmatch(name) is not None
            or not _TEST_FOLDERS.isdisjoint(folders)
            or any(relative == _spelling(nodeid.partition("::")[0]) for nodeid in nodeids)
        )


def is_generated(source: Source) -> bool:
    """Say whether a file's head marks it as the output of a program: ``@generated``, "do not edit"."""
    return _GENERATED.search(source.data, 0, _HEAD) is not None


def _foreign_folder(place: str, name: str) -> bool:
    return (
        name in _FOREIGN
        or name.startswith(".")
        or name.endswith(".egg-info")
        or (name in _FOREIGN_UNLESS_PACKAGE and not os.path.exists(f"{place}/__init__.py"))  # noqa: PTH110
        or os.path.exists(f"{place}/pyvenv.cfg")  # noqa: PTH110 - hot loop
    )


def _spelling(file: str) -> str:
    """Return a path with ``/`` and its ``.`` and ``..`` worked out, also one spelled by Windows."""
    path = file.replace("\\", "/") if _WINDOWS.match(file) else file
    return os.path.normpath(path) if "/." in path or path.startswith("./") else path


def _after_installed(path: str) -> tuple[str, ...] | None:
    parts = path.split("/")
    places = [at for at, part in enumerate(parts) if part in _INSTALLED]
    return tuple(parts[places[-1] + 1 :]) if places else None


def _common_suffix(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    length = 0
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b:
            break
        length += 1
    return length
