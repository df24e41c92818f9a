"""Broken, forged and hostile logs: whatever a stranger wrote, reading it must be safe and soon over.

    python -m benchmarks.fuzz_logs [LOGS [SEED]]

Logs of real pytest runs are cut, spliced, mutated and salted with forged sections, hostile paths and
names that no source has; some are huge. Each goes the whole way of ``diagnose``, and to the codemods.
Of each has to hold: nothing raises; no file is opened that is neither the project's nor Python's own;
no control character reaches the terminal or the JSON; nothing that only the log says gets into an edit;
twice the log takes at most about twice the calls. Exit status 1 where one does not.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from selfdebug import loop
from selfdebug.codemods import catalogue
from selfdebug.ingestion.logs import read_log
from selfdebug.model import Explanation
from selfdebug.planning.propose import propose
from selfdebug.reporting import summary, terminal
from selfdebug.settings import Settings
from selfdebug.syntax.project import Project
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.prepare import Prepared
from tests.ingestion.captured import captured

SHOP = Path(__file__).parents[1] / "tests/ingestion/samples/shop"
STYLES = ("auto", "long", "short", "native", "line")
VERSIONS = ("7", "8", "9")
ALIEN = "zq7alien"  # a name that no source has
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
OWN = tuple(
    os.path.realpath(str(folder))
    for folder in (sys.prefix, sys.base_prefix, SHOP.parents[3], *sys.path)
)
HOSTILE = (
    *("/etc/passwd", "../secret.py", "../../../../etc/passwd", "/proc/self/environ", "/dev/zero"),
    *(
        "link.py",
        "shop/../../secret.py",
        "C:\\Windows\\win.ini",
        "\\\\host\\share\\a.py",
        "~/.bashrc",
    ),
    *(
        "shop/cart.py\x00.txt",
        "shop/" * 300 + "cart.py",
        "\x1b]0;x\x07.py",
        "file:///etc/passwd",
        ".",
    ),
)
FORGED = (
    "=== test session starts ===",
    "=================================== FAILURES ===================================",
    "==================================== ERRORS ====================================",
    "___________________________________ test_x ___________________________________",
    "----------------------------- Captured stdout call -----------------------------",
    "=========================== short test summary info ============================",
    "FAILED tests/test_plain.py::test_x - TypeError: " + ALIEN,
    "========================= 1 failed, 2 passed in 0.12s ==========================",
    "Traceback (most recent call last):",
    '  File "shop/cart.py", line 25, in price_of',
    "    return find(name).price + 1",
    "           ^^^^^^^^^^^^^^^^",
    "  + Exception Group Traceback (most recent call last):",
    "    | ExceptionGroup: x (2 sub-exceptions)",
    "    +-+---------------- 1 ----------------",
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
    "  [Previous line repeated 99999999999999999999 more times]",
    "rootdir: /",
    "rootdir: " + "../" * 40,
    "INTERNALERROR> x",
    ">       " + ALIEN + "()",
    "E   NameError: name '" + ALIEN + "' is not defined. Did you mean: '" + ALIEN + "2'?",
    "E   AttributeError: 'NoneType' object has no attribute '" + ALIEN + "'",
    "E   KeyError: '" + ALIEN + "'",
    "E   ModuleNotFoundError: No module named '" + ALIEN + "'",
    "E   TypeError: f() got an unexpected keyword argument '" + ALIEN + "'",
    "E   TypeError: f() missing 1 required positional argument: '" + ALIEN + "'",
    "E   ImportError: cannot import name '" + ALIEN + "' from 'shop' (/etc/passwd)",
    "E   SyntaxError: invalid syntax; import os; os.system('" + ALIEN + "')",
    "E   assert '" + ALIEN + "' == None",
    "shop/cart.py:25: TypeError",
    "shop/cart.py:99999999999999999999: KeyError",
)
Lines = list[bytes]
Mutation = Callable[[Lines, Sequence[Lines], random.Random], Lines]


# --- logs ---


def corpus(styles: Sequence[str] = STYLES, versions: Sequence[str] = VERSIONS) -> list[Lines]:
    """Logs of runs of ``samples/shop``, as lines."""
    return [
        captured(version, f"--tb={style}").log.split(b"\n")
        for version in versions
        for style in styles
    ]


def cut(lines: Lines, _: Sequence[Lines], choose: random.Random) -> Lines:
    whole = b"\n".join(lines)
    ends = sorted(choose.randrange(len(whole) + 1) for _ in range(2))
    return whole[slice(*ends)].split(b"\n")


def spliced(lines: Lines, pool: Sequence[Lines], choose: random.Random) -> Lines:
    other = excerpt(choose.choice(pool), choose)
    return lines[: choose.randrange(len(lines) + 1)] + other[choose.randrange(len(other)) :]


def shuffled(lines: Lines, _: Sequence[Lines], choose: random.Random) -> Lines:
    start = choose.randrange(len(lines) + 1)
    piece = lines[start : start + 60]
    choose.shuffle(piece)
    return lines[:start] + piece + lines[start + 60 :]


def repeated(lines: Lines, _: Sequence[Lines], choose: random.Random) -> Lines:
    start = choose.randrange(len(lines) + 1)
    return lines[:start] + lines[start : start + 20] * choose.randrange(50) + lines[start:]


def garbled(lines: Lines, _: Sequence[Lines], choose: random.Random) -> Lines:
    """Some bytes become any bytes."""
    whole = bytearray(b"\n".join(lines))
    for _each in range(choose.randrange(200) if whole else 0):
        whole[choose.randrange(len(whole))] = choose.randrange(256)
    return bytes(whole).split(b"\n")


def forged(lines: Lines, _: Sequence[Lines], choose: random.Random) -> Lines:
    lines = [*lines]
    for _each in range(choose.randrange(1, 30)):
        lines.insert(choose.randrange(len(lines) + 1), choose.choice(FORGED).encode())
    return lines


def misled(lines: Lines, _: Sequence[Lines], choose: random.Random) -> Lines:
    """Frames name other files, lines and words."""
    swaps: tuple[tuple[bytes, Callable[[], str]], ...] = (
        (rb"[\w./]+\.py(?=[:\"])", lambda: choose.choice(HOSTILE)),
        (rb"(?<=:)\d+(?=:)|(?<=line )\d+", lambda: choose.choice(("0", "-1", "9" * 30, "7"))),
        (rb"'\w+'", lambda: f"'{ALIEN}'"),
        (rb"\b(?:cart|price|name|find)\b", lambda: ALIEN),
    )
    pattern, text = choose.choice(swaps)
    some = choose.random()

    def swap(found: re.Match[bytes]) -> bytes:
        return text().encode() if choose.random() < some else found[0]

    return [re.sub(pattern, swap, line) for line in lines]


def painted(lines: Lines, _: Sequence[Lines], choose: random.Random) -> Lines:
    codes = (
        b"\x1b[31m",
        b"\x1b]0;own\x07",
        b"\x9b2J",
        b"\r",
        b"\b\b",
        b"\x1b[2J",
        "\u202e".encode(),
        b"\x00",
    )
    return [
        line[: len(line) // 2] + choose.choice(codes) + line[len(line) // 2 :]
        if choose.random() < 0.2
        else line
        for line in lines
    ]


def stretched(lines: Lines, _: Sequence[Lines], choose: random.Random) -> Lines:
    """One line is long, or lies deep."""
    lines = [*lines]
    at = choose.randrange(len(lines) + 1)
    piece = choose.choice((b"x", b"a.", b"(", b"'", b"  | ", b" ", b"E   ", b"_ ", b"= ", b"~^"))
    lines.insert(at, piece * choose.randrange(20_000))
    return lines


MUTATIONS: tuple[Mutation, ...] = (
    *(cut, spliced, shuffled, repeated, garbled, forged, misled, painted, stretched),
)


def excerpt(lines: Lines, choose: random.Random) -> Lines:
    """The beginning, some blocks, and the end: a whole log takes seconds to diagnose."""
    starts = [number for number, line in enumerate(lines) if re.match(rb"_{3,} .* _{3,}$", line)]
    if not starts:
        return lines[:400]
    some = sorted(
        choose.sample(range(len(starts) - 1), min(len(starts) - 1, choose.randrange(1, 6)))
    )
    blocks = [line for at in some for line in lines[starts[at] : starts[at + 1]]]
    return lines[: starts[0]][-8:] + blocks + lines[-12:]


def mutated(pool: Sequence[Lines], choose: random.Random) -> bytes:
    lines = excerpt(choose.choice(pool), choose)
    for mutation in choose.choices(MUTATIONS, k=choose.randrange(1, 5)):
        lines = mutation(lines, pool, choose) or [b""]
    return b"\n".join(lines)


# --- what may not happen ---


@dataclass
class Watch:
    """Notes every file that is opened, and every folder listed, while it is on."""

    root: str
    on: bool = False
    foreign: list[str] = field(default_factory=list)

    def start(self) -> None:
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple[object, ...]) -> None:
        if self.on and event in ("open", "os.listdir", "os.scandir"):
            path = args[0]
            if isinstance(path, (str, bytes)):
                real = os.path.realpath(os.fsdecode(path))
                if not real.startswith((self.root + os.sep, *OWN)) and real != self.root:
                    self.foreign.append(real)


@contextlib.contextmanager
def shop() -> Iterator[tuple[Path, Watch]]:
    """A copy of the project of the logs, next to a secret that a link in it leads to."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        root = Path(folder).resolve() / "shop"
        shutil.copytree(SHOP, root, ignore=shutil.ignore_patterns("__pycache__", "broken"))
        (root.parent / "secret.py").write_text("def price_of(name):\n    return find(name).price\n")
        (root / "link.py").symlink_to("../secret.py")
        watch = Watch(str(root))
        watch.start()
        yield root, watch


def wrong(log: bytes, root: Path, watch: Watch) -> Iterator[str]:
    """Whatever is wrong with how a log is taken."""
    out, err = io.StringIO(), io.StringIO()
    watch.foreign.clear()
    watch.on = True
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            found = diagnosed(io.BytesIO(log), root)
            terminal.explain(found)
            made = [*edits(found, root)]
    except BaseException:  # noqa: BLE001 - whatever it is, it is what this looks for
        yield f"it raises: {traceback.format_exc()}"
        return
    finally:
        watch.on = False
    if found.exit_code not in (0, 2):
        yield f"exit {found.exit_code}: {found.message}\n{err.getvalue()}"
    if watch.foreign:
        yield f"outside of the project it opens {watch.foreign[:3]}"
    if CONTROL.search(out.getvalue()) or CONTROL.search(err.getvalue()):
        yield "a control character reaches the terminal"
    if any(
        CONTROL.search(text)
        for text in strings(json.loads(summary.dumps(summary.diagnosis(found))))
    ):
        yield "a control character reaches the JSON"
    if alien := [text for text in made if ALIEN.encode() in text]:
        yield f"text of the log reaches the source: {alien[0]!r}"


def diagnosed(log: BinaryIO, root: Path) -> Explanation:
    tests = Prepared(PytestCommand(root, Path(sys.executable)))
    return loop.diagnose(Settings(root), tests, log, lambda _: None)


def edits(found: Explanation, root: Path) -> Iterator[bytes]:
    project, codemods = Project(root), catalogue()
    for site, _ in found.sites:
        for candidate in propose([site], codemods, project).candidates:
            yield from (edit.after for edit in candidate.edits)


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.items():
            yield from strings(list(each))
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


# --- huge ones ---


class Repeated:
    """The same bytes over and over, ``size`` in all, none kept."""

    def __init__(self, block: bytes, size: int) -> None:
        self.block, self.left, self.at = block, size, 0

    def read(self, size: int) -> bytes:
        size = min(size, self.left)
        self.left -= size
        start, self.at = self.at, (self.at + size) % len(self.block)
        return (self.block[start:] + self.block * (size // len(self.block) + 1))[:size]


def huge(pool: Sequence[Lines], choose: random.Random) -> dict[str, bytes]:
    """What is fed over and over, by its name."""
    frame = b'  File "shop/cart.py", line 25, in price_of\n    return find(name).price + 1\n'
    raised = b"Traceback (most recent call last):\n" + frame + b"AttributeError: x\n\n"
    nested = b"During handling of the above exception, another exception occurred:\n\n"
    group = b"+ Exception Group Traceback (most recent call last):\n"
    inner = [
        b"%s+-+---------------- 1 ----------------\n" % (b"  " * depth) for depth in range(2_000)
    ]
    return {
        "a real log": b"\n".join(choose.choice(pool)),
        "a mutated log": mutated(pool, choose) or b"x",
        "one line": b"x",
        "one line of words": b"E   AttributeError: 'NoneType' ",
        "deep recursion": frame,
        "a chain of exceptions": raised + nested,
        "nested groups": b"  " + group + b"".join(inner),
        "zeros": b"\0",
    }


def calls(block: bytes, size: int) -> int:
    """Count the calls of functions that reading takes, which do not depend on the machine."""
    count = 0

    def note(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(note)
    try:
        read_log(cast("BinaryIO", Repeated(block, size)))
    finally:
        sys.setprofile(None)
    return count


def main(count: int = 2_000, seed: int = 1, megabytes: int = 200) -> int:
    """Try so many logs, then the huge ones; print the slowest and all that is wrong."""
    choose, pool, bad = random.Random(seed), corpus(), 0
    slowest: list[tuple[float, int]] = []
    with shop() as (root, watch):
        for number in range(count):
            log = mutated(pool, random.Random(f"{seed} {number}"))
            began = time.perf_counter()
            for what in wrong(log, root, watch):
                bad += 1
                print(f"log {number}: {what}", flush=True)
            slowest.append(((time.perf_counter() - began) / max(len(log) / 1e6, 0.02), number))
        for name, block in huge(pool, choose).items():
            size = megabytes * 1_000_000 // (4 if name.startswith("one line") else 1)
            began = time.perf_counter()
            found = diagnosed(cast("BinaryIO", Repeated(block, size)), root)
            seconds = time.perf_counter() - began
            ratio = calls(block, 2_000_000) / calls(block, 1_000_000)
            bad += found.exit_code not in (0, 2) or ratio > 2.5
            told = f"twice the log {ratio:.2f} times the calls, exit {found.exit_code}"
            print(f"{name:<24}{size // 10**6:>5} MB {seconds:>8.1f} s, {told}", flush=True)
    seconds, number = max(slowest, default=(0.0, 0))
    print(f"{count} logs; the slowest, number {number}: {seconds:.2f} s per MB, diagnosis included")
    print(f"{bad} violations")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
