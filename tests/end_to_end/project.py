"""A project in a temporary folder, the real command line run on it, and everything it must not touch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SOURCE = '''\
"""Names of people."""


def initials(person):
    """Return the first letters of a name; "" for nobody."""
    parts = person.name.split()  # title case already
    return "".join(part[0] for part in parts)
'''

HEALED = SOURCE.replace(
    "    parts = person.name.split()",
    '    if person is None:\n        return ""\n    parts = person.name.split()',
)

TESTS = """\
from types import SimpleNamespace

from names import initials


def test_two_names():
    assert initials(SimpleNamespace(name="Ada Lovelace")) == "AL"


def test_nobody():
    assert initials(None) == ""
"""

# The plugins of our own tests are none of the project's, and hypothesis' takes a second per start.
BARE_PYTEST = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


@dataclass(frozen=True)
class Ended:
    """How a command ended. ``json`` is its standard output, read."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one object on standard output, valid against the schema."""
        report: dict[str, Any] = json.loads(self.out)
        return report


@dataclass(frozen=True)
class Project:
    """A project under test. ``home`` holds what selfdebug keeps outside of it."""

    root: Path
    home: Path

    def write(self, files: dict[str, str | bytes]) -> Project:
        """Write files by their path relative to the root."""
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def git(self, *args: str, cwd: Path | None = None) -> str:
        """Run git in the project, with an identity and without anybody's settings."""
        env = {
            **os.environ,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *args],
            cwd=cwd or self.root,
            env=env,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def commit(self, message: str = "a") -> Project:
        """Make the project a repository with all its files committed."""
        if not (self.root / ".git").exists():
            self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self

    def start(
        self, *args: str, stdin: Any = subprocess.DEVNULL, stdout: Any = subprocess.PIPE
    ) -> subprocess.Popen[str]:
        """Start ``python -m selfdebug`` in the root."""
        env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        env |= {
            "SELFDEBUG_STATE_DIR": str(self.home / "state"),
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": str(Path(__file__).parents[2]),
            **BARE_PYTEST,
        }
        return subprocess.Popen(
            [sys.executable, "-m", "selfdebug", *args],
            cwd=self.root,
            env=env,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    @property
    def temporary(self) -> Path:
        """The system's temporary folder as the command sees it."""
        folder = self.home / "tmp"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def run(self, *args: str, stdin: str | None = None, timeout: float = 120) -> Ended:
        """Run a command to its end."""
        process = self.start(
            *args, stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL
        )
        out, err = process.communicate(stdin, timeout=timeout)
        return Ended(process.returncode, out, err)

    def heal(self, *args: str, stdin: str | None = None) -> Ended:
        """Run ``run --json`` and check its report against the schema and the exit code."""
        ended = self.run("run", "--json", *args, stdin=stdin)
        assert ended.out, ended.err
        validate(ended.json, "run")
        assert ended.json["exit_code"] == ended.code, ended.err
        return ended

    def log(self, *args: str) -> str:
        """Return the log of a plain pytest run."""
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **BARE_PYTEST}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args],
            cwd=self.root,
            env=env,
            check=False,
            capture_output=True,
            text=True,
        )
        return done.stdout + done.stderr

    def passes(self) -> bool:
        """Whether the suite passes, in a process of its own that trusts no bytecode file."""
        return " passed" in self.log("-q") and "failed" not in self.log("-q")

    def photograph(self) -> dict[str, object]:
        """Return everything that must be as before: bytes, modes, links, index, refs, stashes."""
        seen: dict[str, object] = {}
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if ".git/" in f"{name}/":
                continue
            status = path.lstat()
            body: object = path.readlink() if path.is_symlink() else None
            body = path.read_bytes() if path.is_file() and body is None else body
            seen[name] = (oct(status.st_mode), body)
        if (self.root / ".git").exists():
            # First the index as it lies there: git may write it when asked what it holds.
            index = self.git("rev-parse", "--path-format=absolute", "--git-path", "index").strip()
            seen["index"] = Path(index).read_bytes() if Path(index).exists() else None
            refs = self.git("for-each-ref").splitlines()
            seen["refs"] = [ref for ref in refs if "\trefs/selfdebug/" not in ref]
            seen["stash"] = self.git("stash", "list")
            seen["status"] = self.git(
                "status", "--porcelain=v2", "--untracked-files=all", "--ignored"
            )
        return seen


@cache
def _validator(name: str) -> Draft202012Validator:
    schema = json.loads(files("selfdebug.reporting").joinpath("schema.json").read_text("utf-8"))
    return Draft202012Validator({**schema, "anyOf": [{"$ref": f"#/$defs/{name}"}]})


def validate(report: object, name: str) -> None:
    """Check a report against its part of the schema in the package."""
    _validator(name).validate(report)
