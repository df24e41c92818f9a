"""Real failures: programs run by the interpreters at hand, with what their tracebacks said."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from selfdebug.model import Frame, Raised, Span, Value
from tests.interpreters import base

RUNNER = r"""
import itertools, json, linecache, sys, traceback

def characters(path, line, column):
    return len(linecache.getline(path, line).encode()[:column].decode())

def span(path, code, at):
    if not hasattr(code, "co_positions"):
        return None
    places = next(itertools.islice(code.co_positions(), at // 2, None))
    if None in places:
        return None
    line, end_line, column, end_column = places
    return [line, characters(path, line, column), end_line, characters(path, end_line, end_column)]

def frames(step):
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename != __file__:
            yield {
                "file": code.co_filename,
                "line": step.tb_lineno,
                "function": code.co_name,
                "span": span(code.co_filename, code, step.tb_lasti),
                "source": linecache.getline(code.co_filename, step.tb_lineno).rstrip("\n"),
                "locals": types(step.tb_frame),
            }
        step = step.tb_next

def types(frame):
    found = {name: frame.f_globals[name] for name in frame.f_code.co_names if name in frame.f_globals}
    found.update(frame.f_locals)
    for _ in range(3):
        for name, value in list(found.items()):
            inner = dict(getattr(type(value), "__dict__", {}))
            inner.update(getattr(value, "__dict__", {}))
            found.update({f"{name}.{k}": inner[k] for k in frame.f_code.co_names if k in inner})
    return {name: type(value).__name__ for name, value in found.items()}

said = {}
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    try:
        exec(compile(text, path, "exec"), {"__name__": "program"})
    except SyntaxError:
        continue
    except BaseException as error:
        said[path] = {
            "type": type(error).__name__,
            "message": str(error),
            "frames": list(frames(error.__traceback__)),
            "text": traceback.format_exc(),
        }
sys.stdout = sys.stderr = open(sys.argv[0] + ".json", "w", encoding="utf-8")
json.dump(said, sys.stdout)
"""


class Story(NamedTuple):
    """What a program raised, and the traceback that its interpreter printed."""

    raised: Raised
    text: str


VERSIONS = ("3.7", "3.8", "3.10", "3.11", "3.12", "3.13")


@cache
def run(version: str, programs: tuple[tuple[str, str], ...]) -> dict[str, Story]:
    """What became of each program on one version; {} where this machine does not have it."""
    python = base(version)
    if python is None:
        return {}
    with TemporaryDirectory() as folder:
        runner = Path(folder, "runner")
        runner.write_text(RUNNER)
        files = {}
        for at, (name, text) in enumerate(programs):
            path = Path(folder, f"program_{at}.py")
            path.write_text(text, encoding="utf-8")
            files[str(path)] = name
        command = [str(python), "-W", "ignore", str(runner), *files]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        said = json.loads(Path(f"{runner}.json").read_text(encoding="utf-8"))
    return {files[path]: Story(_raised(said[path]), said[path]["text"]) for path in said}


def _raised(story: dict[str, object]) -> Raised:
    frames = story["frames"]
    assert isinstance(frames, list)
    return Raised(str(story["type"]), str(story["message"]), tuple(map(_frame, frames)))


def _frame(record: dict[str, object]) -> Frame:
    span, types = record["span"], record["locals"]
    assert isinstance(types, dict)
    return Frame(
        file=str(record["file"]),
        line=int(str(record["line"])),
        function=str(record["function"]),
        span=Span(*span) if isinstance(span, list) else None,
        source=str(record["source"]),
        locals={name: Value(kind) for name, kind in types.items()},
    )
