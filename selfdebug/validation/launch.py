"""How a pytest process of ours is started: its command line, its environment, its plugins.

A run leaves nothing in the project. It writes no bytecode there, and pytest's cache and temporary
folders, coverage data and hypothesis' examples go to a scratch folder. There it writes to one folder
only, where this process writes nothing: it would follow a link that a test has planted.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from selfdebug.digest import sha256
from selfdebug.validation.limits import Patience
from selfdebug.validation.sandbox import Sandbox, SandboxMissing

Plugin = Literal["recorder", "overlay", "gate", "deadline", "forked", "children", "observer"]

_HERE = Path(__file__).parent
_SOURCES: Mapping[Plugin, Path] = {
    "recorder": _HERE.parent / "ingestion" / "plugin.py",
    "overlay": _HERE / "import_overlay.py",
    "gate": _HERE / "gate.py",
    "deadline": _HERE / "deadline.py",
    "forked": _HERE / "forked",
}
_UNSHADOWED = _HERE / "unshadowed.py"
_STUB = """\
import sys
before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
from unshadowed_{suffix} import unshadowed
with unshadowed():
    from {module} import *
sys.dont_write_bytecode = before
"""


@dataclass(frozen=True, slots=True)
class PytestCommand:
    """How the project runs its tests: ``python -m pytest ARGS`` in ``root``.

    ``timeout`` is in seconds and for one run. ``env`` is laid over this process's environment.
    ``scratch`` is an existing folder outside the root where runs keep their caches from one to the
    next; without it each has its own. It is the caller's to remove. ``plugins`` is a folder of this
    user alone that keeps our plugins, compiled, for later processes. ``memory`` is how many bytes the
    tests in one process may take on top of what collecting them took (on Linux). ``sandbox`` confines
    all that runs code of the project; one that is missing is raised where it would begin. ``patience``
    says how long one test may take (on Linux).
    """

    root: Path
    python: Path
    args: tuple[str, ...] = ()
    timeout: float = 600.0
    env: Mapping[str, str] = field(default_factory=dict)
    scratch: Path | None = None
    plugins: Path | None = None
    memory: int | None = None
    patience: Patience | None = None
    sandbox: Sandbox | SandboxMissing | None = None


@dataclass(frozen=True, slots=True)
class RunFolder:
    """What is of one run only: what the tests are ``given``, and where they leave their ``results``."""

    given: Path
    results: Path


@dataclass(frozen=True, slots=True)
class Installed:
    """Our plugins where the project's interpreter finds them, under names that nobody has."""

    folder: Path
    suffix: str

    def module(self, plugin: Plugin) -> str:
        """Return the name that its module, or package, is imported by."""
        return f"{plugin}_{self.suffix}"

    def option(self, plugin: Plugin) -> str:
        """Return what ``-p`` takes. pytest compiles that anew at each start, so it is a stub."""
        return f"{self.module(plugin)}_stub"


def install(command: PytestCommand, scratch: Path) -> Installed:
    """Copy the plugins to the folder of ``command`` for them, or to the scratch folder, once."""
    digest = sha256()
    for source in (*_SOURCES.values(), _UNSHADOWED):
        for file in sorted(source.rglob("*.py")) if source.is_dir() else [source]:
            digest.update(file.read_bytes())
    suffix = digest.hexdigest()[:12]
    for parent in filter(None, [command.plugins, scratch / "plugins"]):
        folder = parent / suffix
        with suppress(OSError):
            if not folder.is_dir():
                _fill(folder, suffix)
            break
    return Installed(folder, suffix)


def _fill(folder: Path, suffix: str) -> None:
    """Make the folder, or find that another process just did."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        shutil.copyfile(_UNSHADOWED, made / f"unshadowed_{suffix}.py")
        for plugin, source in _SOURCES.items():
            name = f"{plugin}_{suffix}"
            if source.is_dir():
                shutil.copytree(source, made / name, ignore=shutil.ignore_patterns("__pycache__"))
                modules = {
                    f"{each}_{suffix}": f"{name}.{each}" for each in ("children", "observer")
                }
                modules[name] = f"{name}.server"
            else:
                shutil.copyfile(source, made / f"{name}.py")
                modules = {name: name}
            for option, module in modules.items():
                stub = _STUB.format(suffix=suffix, module=module)
                (made / f"{option}_stub.py").write_text(stub)
        made.rename(folder)
    except OSError:
        shutil.rmtree(made, ignore_errors=True)
        if not folder.is_dir():
            raise


def argv(command: PytestCommand, plugins: Sequence[str]) -> list[str]:
    """Return the command line; ``plugins`` are for ``-p``, in this order."""
    # A bytecode file that claims to need no check is checked all the same.
    python = [str(command.python), "--check-hash-based-pycs", "always"]
    loaded = [part for name in plugins for part in ("-p", name)]
    return [*python, "-m", "pytest", *loaded, "--color=no", *command.args]


def confined(
    command: PytestCommand, line: Sequence[str], scratch: Path, env: Mapping[str, str]
) -> list[str]:
    """Return a command line as it is to be started. Raises SandboxMissing."""
    if command.sandbox is None:
        return [*line]
    if isinstance(command.sandbox, SandboxMissing):
        raise command.sandbox
    return command.sandbox.around(line, command.root, scratch, results(scratch), env)


def environment(
    command: PytestCommand, plugins: Installed, scratch: Path, report: Path
) -> dict[str, str]:
    """Return the environment of a process that writes its records to ``report``."""
    env = {**os.environ, **command.env}
    paths = [str(plugins.folder), *filter(None, [env.get("PYTHONPATH")])]
    written = results(scratch)
    env |= {
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SELFDEBUG_REPORT": str(report),
        "SELFDEBUG_ROOT": str(command.root),
        "SELFDEBUG_CACHE": str(written / "cache"),
        "COVERAGE_FILE": str(written / "coverage"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(_examples(command.root, written)),
    }
    if command.memory is not None:
        env["SELFDEBUG_MEMORY"] = str(command.memory)
    if command.patience is not None:
        env["SELFDEBUG_PATIENCE"] = json.dumps(asdict(command.patience))
    env.setdefault("PYTEST_DEBUG_TEMPROOT", str(written))
    return env


def written(path: Path, value: object) -> str:
    """Write a value as JSON, and return the path for an environment variable."""
    path.write_text(json.dumps(value))
    return str(path)


@contextmanager
def scratch_folder(command: PytestCommand) -> Iterator[Path]:
    """Give the command's scratch folder, or one for the length of the block."""
    if command.scratch is not None:
        yield command.scratch
        return
    with tempfile.TemporaryDirectory(prefix="sd-", ignore_cleanup_errors=True) as made:
        yield Path(made)


def results(scratch: Path) -> Path:
    """Return the folder in the scratch folder that tests write to, made if need be."""
    folder = scratch / "results"
    folder.mkdir(exist_ok=True)
    return folder


@contextmanager
def run_folder(scratch: Path) -> Iterator[RunFolder]:
    """Make the two folders of a run."""
    with folders_in(RunFolder(scratch, results(scratch))) as made:
        yield made


@contextmanager
def folders_in(parents: RunFolder) -> Iterator[RunFolder]:
    """Make two such folders, one in each of these."""
    with ExitStack() as made:
        folders = [
            Path(
                made.enter_context(
                    tempfile.TemporaryDirectory(
                        prefix="run-", dir=parent, ignore_cleanup_errors=True
                    )
                )
            )
            for parent in (parents.given, parents.results)
        ]
        yield RunFolder(*folders)


def _examples(root: Path, written: Path) -> Path:
    """Copy what hypothesis knows of the project: with its failing examples a failure recurs."""
    copy, known = written / "hypothesis", root / ".hypothesis"
    if known.is_dir() and not copy.exists():
        shutil.copytree(known, copy, symlinks=True)
    return copy
