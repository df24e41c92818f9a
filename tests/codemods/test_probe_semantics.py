"""A program with probes does what it did: on every interpreter, for every kind of statement."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from selfdebug.codemods._probes import RUNTIME, What, probed, without_probes
from selfdebug.syntax.region import whole
from selfdebug.syntax.source import decode
from tests.codemods.probe_snippets import SNIPPETS, Snippet
from tests.interpreters import base

PYTHONS = ("3.7", "3.11", "3.13")  # the oldest, the first that knows columns, the newest
ALL: tuple[What, ...] = ("before", "values", "caught")
DRIVER = """
import contextlib, io, json, sys, traceback

def run(number, source):
    out, name = io.StringIO(), "snippet_%d.py" % number
    namespace = {"__name__": "snippet", "__builtins__": __builtins__}
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(source, name, "exec"), namespace)
        raised = None
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        where = [(f.lineno, f.name) for f in frames if f.filename == name]
        others = [f.filename for f in frames if "selfdebug" in f.filename]
        raised = [type(error).__name__, str(error), where, others, repr(error.__context__)]
    return out.getvalue(), raised

print(json.dumps([run(*each) for each in json.load(sys.stdin)]))
"""


def marked(source: str) -> list[int]:
    return [n for n, line in enumerate(source.splitlines(), 1) if "# !" in line]


@cache
def instrument(snippet: Snippet, what: tuple[What, ...] = ALL) -> str:
    tree = whole(decode(Path("snippet.py"), snippet.source.encode()))
    module = probed(tree, marked(snippet.source), what)
    return snippet.source if module is None else module.code


def run(python: Path, sources: list[tuple[int, str]], log: Path) -> list[Any]:
    env = {**os.environ, "PYTHONPATH": str(RUNTIME), "SELFDEBUG_PROBES": str(log)}
    done = subprocess.run(
        [python, "-W", "ignore", "-c", DRIVER],
        input=json.dumps(sources),
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


@pytest.mark.parametrize("version", PYTHONS)
def test_programs_print_return_and_raise_what_they_did(version: str, tmp_path: Path) -> None:
    python = base(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    number = tuple(map(int, version.split(".")))
    fit = [(n, each) for n, each in enumerate(SNIPPETS) if each.since <= number]
    log = tmp_path / "probes.jsonl"
    plain = run(python, [(n, each.source) for n, each in fit], log)
    assert not log.exists()
    with_probes = run(python, [(n, instrument(each)) for n, each in fit], log)
    for (n, each), was, now in zip(fit, plain, with_probes, strict=True):
        assert now == was, f"snippet {n}:\n{each.source}\n{instrument(each)}"
    records = [json.loads(line) for line in log.read_text().splitlines()]
    for (n, each), (_, raised) in zip(fit, plain, strict=True):
        own = [record for record in records if Path(record["file"]).name == f"snippet_{n}.py"]
        assert own, f"nothing logged by snippet {n}:\n{each.source}"
        check_caught(each, raised, own)


def check_caught(snippet: Snippet, raised: Any, own: list[Any]) -> None:
    """The exception of a marked statement is in the log."""
    if raised is None or raised[2][-1][0] not in marked(snippet.source):
        return
    caught = {record["exception"]["type"] for record in own if record["kind"] == "DBG-CAUGHT"}
    assert raised[0] in caught, snippet.source


@pytest.mark.parametrize("what", [ALL, ("before",), ("values",), ("caught",)])
def test_probes_are_removed_byte_for_byte_and_lines_keep_their_numbers(
    what: tuple[What, ...],
) -> None:
    for snippet in SNIPPETS:
        new = instrument(snippet, what)
        assert new.count("\n") == snippet.source.count("\n")
        module = whole(decode(Path("snippet.py"), new.encode())).module
        assert without_probes(module).code == snippet.source


def test_there_are_snippets_for_every_position() -> None:
    assert len(SNIPPETS) >= 60
    assert len({each.source for each in SNIPPETS}) == len(SNIPPETS)
