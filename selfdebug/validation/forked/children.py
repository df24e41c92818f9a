"""Python processes that tests start, and those that these start, tell what they do: a pytest plugin.

They find ``site/sitecustomize.py`` first on their path, which runs ``child.py``. A process that is to
look at no environment (``python -I``, ``-E``), or not to run ``site`` (``-S``), tells nothing.
"""

# A test may patch pathlib, and pytest documents its hooks.
# ruff: noqa: D103, PTH100, PTH110, PTH118, PTH120, PTH202

from __future__ import annotations

import functools
import json
import marshal
import os
import subprocess
import sys
from collections.abc import Collection, Generator, Iterator, Mapping
from io import FileIO
from typing import Any

import pytest

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_SITE = os.path.join(_PACKAGE, "site")
RECORDER = "recorder_" + __package__.partition("_")[2]
_ENV = 10  # the place of ``env`` among the arguments of Popen


class Children:
    """The processes that tests start from now on. They tell in the ``file``, next to the report."""

    def __init__(self) -> None:
        self.file, self._read = "", 0
        self.files: set[str] = set()
        self._root = os.environ["SELFDEBUG_ROOT"]
        self._names: dict[str, str] = {}
        start = subprocess.Popen.__init__

        @functools.wraps(start)
        def started(popen: Any, *args: Any, **options: Any) -> None:
            given = args[_ENV] if len(args) > _ENV else options.get("env")
            env = self._seen(os.environ if given is None else given)
            if len(args) > _ENV:
                args = (*args[:_ENV], env or given, *args[_ENV + 1 :])
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
            "known": known,
        }
        with open(self.file + ".order", "wb") as stream:  # noqa: PTH123
            stream.write(marshal.dumps(said, 2))
        self._names["SELFDEBUG_CHILD"] = self.file + ".order"
        os.environ.update(self._seen(os.environ) or {})

    def _seen(self, env: Any) -> dict[str, str] | None:
        """The environment of a process that is to tell; None where it has what that takes, or is odd."""
        if not self._names or not isinstance(env, Mapping):
            return None
        order, path = self._names["SELFDEBUG_CHILD"], env.get("PYTHONPATH")
        first = (path or "").split(os.pathsep)[0] if isinstance(path or "", str) else ""
        if first == _SITE and env.get("SELFDEBUG_CHILD") == order:
            return None
        rest = [path] if path and first != _SITE else [path[len(_SITE) + 1 :]] if path else []
        paths = os.pathsep.join([_SITE, *filter(None, rest)])
        return {**env, "SELFDEBUG_CHILD": order, "PYTHONPATH": paths}

    def forget(self) -> None:
        """Leave out what they told until now, but which files: another test begins."""
        self.files.update(file for (file,) in self.told("file"))
        self._read = os.path.getsize(self.file) if os.path.exists(self.file) else 0

    def told(self, kind: str) -> Iterator[list[Any]]:
        """Give what they told of that kind since."""
        if not os.path.exists(self.file):
            return
        with FileIO(self.file) as stream:
            stream.seek(self._read)
            lines = stream.readall().split(b"\n")
        for line in lines:
            try:
                name, *what = json.loads(line)
            except ValueError:  # not written to its end
                continue
            if name == kind:
                yield what

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


children = Children() if "SELFDEBUG_REPORT" in os.environ else None
if children is not None:
    children.order(os.environ["SELFDEBUG_REPORT"], files="SELFDEBUG_COPY" in os.environ)


# --- hooks that pytest finds by name ---


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart() -> None:
    if children is not None:
        children.forget()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, None]:
    """Lay what ended a program before the recorder, which hears of the report after this."""
    result = yield
    report = result.get_result()
    if children is None or report.outcome != "failed":
        return
    place = sys.modules[RECORDER].recorder.place
    for (raised,) in children.told("raised"):
        if any(place.owns(frame["file"]) for frame in raised["frames"]):
            report.selfdebug_crashed = raised


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """In a copy of the project, what programs executed was executed there."""
    if children is not None and "SELFDEBUG_COPY" in os.environ:
        children.forget()
        loaded = sorted(children.files)
        sys.modules[RECORDER].recorder.write("overlay", loaded=loaded, missed=[], spawned=False)
