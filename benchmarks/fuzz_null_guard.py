"""NullGuard at random places of the standard library: every edit compiled, compared, taken back.

    python -m benchmarks.fuzz_null_guard [FILES [SEED [PYTHON …]]]

prints how many edits of each variant were made, and each one that a Python rejects though it takes
the file as it was, that loses a comment, or that cannot be taken back. Exit status 1 where there is one.
A walrus is not held against a Python that has none (3.7).
"""

from __future__ import annotations

import re
import subprocess
import sys
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from selfdebug.codemods.null_guard import NullGuard
from tests.codemods.slices import Made, comments, compiles, made, reverted, stdlib

PLACES = 5  # tried in a file
COMPILE = """
import sys, warnings
warnings.simplefilter("ignore")
while True:
    size = sys.stdin.buffer.read(8)
    if not size:
        break
    code = sys.stdin.buffer.read(int(size))
    try:
        compile(code, "fuzzed", "exec", dont_inherit=True)
        answer = b"y"
    except (SyntaxError, ValueError, RecursionError):
        answer = b"n"
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
"""


class Compiler:
    """Another Python, kept running, that says whether it compiles a file."""

    def __init__(self, python: Path) -> None:
        self.python = python
        self.process = subprocess.Popen(
            [python, "-c", COMPILE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __call__(self, data: bytes) -> bool:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(b"%08d" % len(data) + data)
        self.process.stdin.flush()
        return self.process.stdout.read(1) == b"y"

    def close(self) -> None:
        self.process.communicate()


def wrong(one: Made, compilers: list[Compiler]) -> Iterator[str]:
    before, after = one.source.data, one.after
    if reverted(one) != before:
        yield "it cannot be taken back"
    if compiles(before, "before") and not compiles(after, "after"):
        yield "it does not compile"
    if _comments(before) != _comments(after):
        yield "a comment is lost"
    new_walrus = after.count(b":=") > before.count(b":=")
    for compiler in compilers:
        old = new_walrus and re.search(r"3\.7\b", str(compiler.python))
        if not old and compiler(before) and not compiler(after):
            yield f"it does not compile with {compiler.python}"


def _comments(data: bytes) -> Counter[str] | None:
    try:
        return comments(data)
    except (tokenize.TokenError, SyntaxError):
        return None


def main(count: int, seed: int, pythons: tuple[Path, ...]) -> int:
    compilers = [Compiler(python) for python in pythons]
    tally, bad = Counter[str](), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in stdlib(seed, count):
            for one in made(NullGuard, path, seed, PLACES):
                tally[one.variant] += 1
                for why in wrong(one, compilers):
                    bad += 1
                    print(f"{path}:{one.site.span.line}: {one.variant} of {one.site.code}: {why}")
    for compiler in compilers:
        compiler.close()
    for variant, how_often in tally.most_common():
        print(f"{how_often:6} {variant}")
    return 1 if bad else 0


def arguments(count: str = "1000", seed: str = "1", *pythons: str) -> int:
    return main(int(count), int(seed), tuple(map(Path, pythons)))


if __name__ == "__main__":
    sys.exit(arguments(*sys.argv[1:]))
