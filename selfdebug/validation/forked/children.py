"""Python processes that tests start, and those that these start, tell what they do: a pytest plugin.

They find ``site/sitecustomize.py`` first on their path, which runs ``child.py``. A process that is to
look at no environment (``python -I``, ``-E``), or not to run ``site`` (``-S``), tells nothing. What is
no Python program gets the environment that the test gives it.
"""

# A test may patch pathlib, and pytest documents its hooks.
# ruff: noqa: D103, PTH100, PTH110, PTH118, PTH120, PTH202

from __future__ import annotations

import functools
import json
import marshal
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import suppress
from io import FileIO
from typing import Any

import pytest

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_SITE = os.path.join(_PACKAGE, "site")
RECORDER = "recorder_" + __package__.partition("_")[2]
_EXECUTABLE, _SHELL, _ENV = 2, 8, 10  # their places among the arguments of Popen
_PYTHON = re.compile(
    r"(?:^|[/\\\s'\"])(?:python|pypy)w?[\d.]*(?:\.exe)?(?=$|[\s'\"])", re.IGNORECASE
)
_IN_SHELL = re.compile(_PYTHON.pattern + r"|\.py\b", re.IGNORECASE)


class Children:
    """The processes that tests start from now on. They tell in the ``file``, next to the report."""

    def __init__(self) -> None:
        self.file, self._read = "", 0
        self.files: set[str] = set()
        self._root = os.environ["SELFDEBUG_ROOT"]
        self._order = ""

    def _listen(self) -> None:
        """Look at each process from now on, once it is known that they are to tell something."""
        start = subprocess.Popen.__init__

        @functools.wraps(start)
        def started(popen: Any, *args: Any, **options: Any) -> None:
            given = _argument(_ENV, "env", args, options)
            around = os.environ if given is None else given
            env = self._seen(around) if _runs_python(args, options) else self._unseen(around)
            if env is not None and len(args) > _ENV:
                args = (*args[:_ENV], env, *args[_ENV + 1 :])
            elif env is not None:
                options["env"] = env
            start(popen, *args, **options)

        subprocess.Popen.__init__ = started  # type: ignore[method-assign,assignment]

    def order(
        self,
        report: str,
        *,
        lines: bool = False,
        crashes: bool = True,
        files: bool = False,
        free: str = "",
        known: Any = None,
    ) -> None:
        """Tell them what to do, as in ``child.Order``; the report's folder is free unless another is."""
        self.file, self._read = f"{report}.{os.getpid()}", 0
        recorder = os.path.join(os.path.dirname(_PACKAGE), RECORDER + ".py")
        free = free or os.path.dirname(report)
        said = {
            "tell": self.file,
            "free": free,
            "root": self._root,
            "recorder": recorder,
            "lines": lines,
            "crashes": crashes,
            "files": files,
            "clean": "PYTHONDONTWRITEBYTECODE" in os.environ,
            "known": known,
        }
        with open(self.file + ".order", "wb") as stream:  # noqa: PTH123
            stream.write(marshal.dumps(said, 2))
        if not self._order:
            self._listen()
        self._order = self.file + ".order"
        os.environ.update(self._seen(os.environ) or {})

    def _seen(self, env: Any) -> dict[str, str] | None:
        """The environment of a process that is to tell; None where it has what that takes, or is odd."""
        if not isinstance(env, Mapping) or not all(isinstance(each, str) for each in env):
            return None
        path = env.get("PYTHONPATH") or ""
        if not isinstance(path, str):
            return None
        paths = os.pathsep.join([_SITE, *filter(None, [_without_site(path)])])
        added = {"SELFDEBUG_CHILD": self._order, "PYTHONPATH": paths}
        return None if added.items() <= env.items() else {**env, **added}

    def _unseen(self, env: Any) -> dict[str, str] | None:
        """The environment of another process: without what is ours; None where there is nothing."""
        if not isinstance(env, Mapping) or "SELFDEBUG_CHILD" not in env:
            return None
        rest = {name: value for name, value in env.items() if name != "SELFDEBUG_CHILD"}
        path = _without_site(rest.pop("PYTHONPATH", ""))
        return {**rest, "PYTHONPATH": path} if path else rest

    def forget(self) -> None:
        """Leave out what they told until now, but which files: another test begins."""
        self.files.update(file for (file,) in self.told("file"))
        self._read = os.path.getsize(self.file) if os.path.exists(self.file) else 0

    def told(self, kind: str) -> Iterator[list[Any]]:
        """Give what they told of that kind since."""
        return (what for each, *what in self._lines() if each == kind)

    def crashes(self, message: str) -> Iterator[Any]:
        """Give the exceptions that ended programs, as far as a test fails for them, by its message.

        A test may expect that a program fails: it goes on to the next, then, and does not show that
        error.
        """
        later = False
        for kind, what in reversed([(each[0], each[1]) for each in self._lines()]):
            later |= kind == "begun"
            if kind == "raised" and (not later or what["type"].rpartition(".")[2] in message):
                yield what

    def _lines(self) -> Iterator[list[Any]]:
        if not os.path.exists(self.file):
            return
        with FileIO(self.file) as stream:
            stream.seek(self._read)
            lines = stream.readall().split(b"\n")
        for line in lines:
            with suppress(ValueError):  # not written to its end
                yield json.loads(line)

    def added(self, described: dict[str, Any], touched: Collection[str]) -> dict[str, Any]:
        """Give what a test executed and ``touched`` together with what its processes did."""
        files, values = dict(described["files"]), dict(described["values"])
        for path, line in self.told("line"):
            if line not in files.setdefault(path, []):
                files[path].append(line)
        for (seen,) in self.told("values"):
            for path, functions in seen.items():
                values[path] = {**functions, **values.get(path, {})}
        scripts = {*described["scripts"], *(path for path, _ in self.told("line"))}
        acts = {*touched, *(act for (act,) in self.told("touched"))}
        return {
            **described,
            "files": files,
            "values": values,
            "scripts": sorted(scripts),
            "touched": sorted(acts),
        }


def _argument(place: int, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return args[place] if len(args) > place else options.get(name)


def _runs_python(args: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Whether a process is a Python program, or names one that it is to run (``env``, a shell)."""
    command = _argument(0, "args", args, options)
    given = command if isinstance(command, (list, tuple)) else [command]
    try:
        words = [os.fsdecode(each) for each in given]
        program = os.fsdecode(_argument(_EXECUTABLE, "executable", args, options) or words[0])
    except (TypeError, ValueError, IndexError):  # Popen says so
        return False
    if _argument(_SHELL, "shell", args, options):
        return any(map(_IN_SHELL.search, words))
    return any(map(_PYTHON.search, [program, *words])) or _is_script(program)


@functools.lru_cache(maxsize=64)
def _is_script(program: str) -> bool:
    """Whether a program is a file whose first line names Python."""
    try:
        with FileIO(shutil.which(program) or program) as stream:
            first = stream.read(256).split(b"\n")[0]
    except (OSError, ValueError):
        return False
    return first.startswith(b"#!") and b"python" in first


def _without_site(path: str) -> str:
    return os.pathsep.join(each for each in path.split(os.pathsep) if each != _SITE)


children = Children() if "SELFDEBUG_REPORT" in os.environ else None
if children is not None and "SELFDEBUG_WARM" not in os.environ:
    children.order(os.environ["SELFDEBUG_REPORT"], files="SELFDEBUG_COPY" in os.environ)


# --- hooks that pytest finds by name ---


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart() -> None:
    if children is not None:
        children.forget()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(call: Any) -> Generator[None, Any, None]:
    """Lay what ended a program before the recorder, which hears of the report after this."""
    result = yield
    report = result.get_result()
    if children is None or report.outcome != "failed":
        return
    plugin = sys.modules[RECORDER]
    place = plugin.recorder.place
    message = plugin.message(call.excinfo.value) if call.excinfo is not None else ""
    for raised in children.crashes(message):
        if any(place.owns(frame["file"]) for frame in raised["frames"]):
            report.selfdebug_crashed = raised
            break


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """In a copy of the project, what programs executed was executed there."""
    if children is not None and "SELFDEBUG_COPY" in os.environ:
        children.forget()
        loaded = sorted(children.files)
        sys.modules[RECORDER].recorder.write("overlay", loaded=loaded, missed=[], spawned=False)
