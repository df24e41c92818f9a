"""Probes in random statements of the standard library: in, compiled, out, and the bytes compared.

    python -m benchmarks.fuzz_probe [FILES [SEED [PYTHON …]]]

prints what was tried and each file that is not as it was. Exit status 1 where there is one.
"""

from __future__ import annotations

import ast
import random
import re
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import libcst as cst

from selfdebug.codemods._probes import without_probes
from selfdebug.model import Edit
from selfdebug.planning.probing import probe_edits
from selfdebug.syntax.source import Unreadable, apply

STATEMENTS = 5  # probed at once in a file
COMPILE = """
import sys, warnings
warnings.simplefilter("ignore")
def compiles(path):
    try:
        with open(path, "rb") as stream:
            compile(stream.read(), path, "exec", dont_inherit=True)
        return True
    except (SyntaxError, ValueError, RecursionError):
        return False
for line in sys.stdin:
    before, after = line.rstrip("\\n").split("\\t")
    if compiles(before) and not compiles(after):
        print(before)
"""


def files(count: int, seed: int) -> list[Path]:
    found = sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))
    own = [path for path in found if "site-packages" not in path.parts]
    return random.Random(seed).sample(own, min(count, len(own)))


def lines(data: bytes, choose: random.Random) -> list[int]:
    """Lines on which a statement begins, or a header's later line."""
    starts = {node.lineno for node in ast.walk(ast.parse(data)) if isinstance(node, ast.stmt)}
    return choose.sample(sorted(starts), min(STATEMENTS, len(starts)))


def probed(file: Path, choose: random.Random) -> list[Edit]:
    """The edits for some lines that can be probed; lines that can't are left out."""
    found = lines(file.read_bytes(), choose)
    return [*probe_edits(file, [line for line in found if shows(file, line)])]


def shows(file: Path, line: int) -> bool:
    try:
        return bool(probe_edits(file, [line]))
    except Unreadable as error:
        if "no statement here" not in error.why:
            raise
        return False


def reverse(edits: list[Edit]) -> tuple[Edit, ...]:
    moved, back = 0, []
    for edit in sorted(edits, key=lambda edit: edit.start):
        start = edit.start + moved
        back.append(Edit(edit.file, start, start + len(edit.after), edit.after, edit.before))
        moved += len(edit.after) - len(edit.before)
    return tuple(back)


def wrong(data: bytes, edits: list[Edit]) -> str | None:
    """What is wrong with the edits of a file."""
    after = apply(data, tuple(edits))
    if len(re.findall(b"\r\n|\r|\n", after)) != len(re.findall(b"\r\n|\r|\n", data)):
        return "lines moved"
    if apply(after, reverse(edits)) != data:
        return "the reverse edits give other bytes"
    module = cst.parse_module(after)
    if module.bytes == after and without_probes(module).bytes != data:
        return "--remove gives other bytes"
    return None


def main(count: int, seed: int, pythons: tuple[Path, ...]) -> int:
    choose, tally, bad = random.Random(seed), Counter[str](), 0
    with tempfile.TemporaryDirectory() as made, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairs = []
        for number, file in enumerate(files(count, seed)):
            try:
                edits = probed(file, choose)
            except (Unreadable, SyntaxError, ValueError) as error:
                tally[f"left alone: {re.sub('[0-9]+', 'N', str(error).rpartition(': ')[2])}"] += 1
                continue
            why = wrong(file.read_bytes(), edits)
            tally["probed" if edits else "nothing to probe"] += 1
            if why is not None:
                bad += 1
                print(f"{file}: {why}")
            after = Path(made, f"{number}.py")
            after.write_bytes(apply(file.read_bytes(), tuple(edits)))
            pairs.append(f"{file}\t{after}\n")
        for python in (Path(sys.executable), *pythons):
            done = subprocess.run(
                [python, "-c", COMPILE],
                input="".join(pairs),
                capture_output=True,
                text=True,
                check=True,
            )
            for name in done.stdout.splitlines():
                bad += 1
                print(f"{name}: compiles no longer with {python}")
    for what, how_often in sorted(tally.items()):
        print(f"{how_often:6} {what}")
    return 1 if bad else 0


def arguments(count: str = "1000", seed: str = "1", *pythons: str) -> int:
    return main(int(count), int(seed), tuple(map(Path, pythons)))


if __name__ == "__main__":
    sys.exit(arguments(*sys.argv[1:]))
