"""Logs of real pytest runs on ``samples/shop``, each with what a hook recorded in that very run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.interpreters import PYTEST_7, PYTEST_8, PYTEST_9, interpreter

HERE = Path(__file__).parent
ENVIRONMENTS = {"7": PYTEST_7, "8": PYTEST_8, "9": PYTEST_9}
Record = dict[str, Any]
_OWN = re.compile(r"site-packages[/\\](?:_pytest|pluggy)[/\\]")


@dataclass(frozen=True)
class Captured:
    """A log, its truth, and the folder in which pytest ran (gone by now: ``sources`` has the text)."""

    log: bytes
    truth: tuple[Record, ...]
    sources: dict[str, tuple[str, ...]]


@cache
def captured(version: str, *options: str, broken: tuple[str, ...] = (), env: str = "") -> Captured:
    """Run pytest of a major version with options; ``broken`` names files that cannot be imported."""
    python = interpreter(*ENVIRONMENTS[version])
    assert python is not None
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder).resolve() / "shop"
        shutil.copytree(
            HERE / "samples" / "shop", project, ignore=shutil.ignore_patterns("__pycache__")
        )
        for each in broken:
            source, _, target = each.partition("->")
            (project / target).parent.mkdir(exist_ok=True)
            shutil.copy(project / "broken" / f"{source}.txt", project / target)
        record = project / "record.jsonl"
        record.touch()
        environment = {
            k: v for k, v in os.environ.items() if k not in {"CI", "BUILD_NUMBER", "COLUMNS"}
        }
        environment |= {"RECORD": str(record), "PYTHONPATH": f"{project}{os.pathsep}{HERE}"}
        environment |= dict([env.split("=")] if env else [])
        command = [
            str(python),
            "-m",
            "pytest",
            "-p",
            "recorder",
            "-p",
            "no:cacheprovider",
            *options,
        ]
        run = subprocess.run(
            command,
            cwd=project,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        truth = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
        files = {f["file"] for each in truth for f in every_frame(each["raised"])}
        return Captured(run.stdout, tuple(truth), {file: _lines(file) for file in files})


def _lines(file: str) -> tuple[str, ...]:
    path = Path(file)
    return tuple(path.read_text("utf-8").split("\n")) if path.is_file() else ()


def every_frame(raised: Record | None) -> Iterator[Record]:
    """The frames of an exception, of those before it and of a group's members."""
    if raised:
        yield from raised["frames"]
        yield from every_frame(raised["before"])
        for member in raised["members"]:
            yield from every_frame(member)


def visible(raised: Record, *, hidden: bool) -> list[Record]:
    """The frames that a log may show, with or without those that ask pytest to hide them."""
    frames = [frame for frame in raised["frames"] if not _OWN.search(frame["file"])]
    return [frame for frame in frames if hidden or not frame["hidden"]]
