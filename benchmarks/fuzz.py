"""All codemods at random places of real files: whatever they do there must be safe to do.

    python -m benchmarks.fuzz [FILES [SEED [PYTHON ...]]]

A failure of an example of each codemod is moved to a random expression of the same kind in a file of
the standard library or of an installed package, whose layout is made odd first, and goes the way that
real failures go: localization, then the codemod. Of every repair has to hold: its edits replace what
they say they replace, their file compiles as it did before (with each PYTHON too), all comments are
there, and taking it back gives the same bytes. Where its place is still there, a second run there
does not make the same repair once more. (It may make another: the failure says that there is cause.)
Exit status 1 where one does not.
"""

from __future__ import annotations

import ast
import builtins
import random
import re
import subprocess
import sys
import sysconfig
import tokenize
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO
from pathlib import Path

from selfdebug.codemods import catalogue
from selfdebug.codemods._base import Codemod, Example, Repair
from selfdebug.codemods._first_order import FirstOrder
from selfdebug.localization.localize import localize
from selfdebug.localization.statements import site_at
from selfdebug.model import Edit, Failure, Frame, Raised, Span, Value
from selfdebug.planning.audit import objection
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import Source, Unreadable, apply, decode

STDLIB = Path(sysconfig.get_path("stdlib"))
PACKAGES = Path(sysconfig.get_path("purelib"))
ROOT = Path("/nowhere/project")
PLACES = 1  # tried in a file, for each codemod
LARGEST = 100_000  # bytes of a file
LONGEST = 100  # lines of a function or a statement of the module
STYLES: tuple[Callable[[bytes], bytes], ...] = (
    lambda code: code,
    lambda code: code.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    lambda code: code.rstrip(b"\r\n"),
    lambda code: re.sub(rb"(?m)^(?:    )+", lambda found: b"\t" * (len(found[0]) // 4), code),
    lambda code: re.sub(rb"(?m)^(def|class) ", rb"\f\n\1 ", code),
    lambda code: re.sub(rb"(?m)^( +)return (?=\w)", rb"\1return \\\n\1    ", code),
    lambda code: re.sub(rb"(?m)^( +)(\w+ = \w+)$", rb"\1pass; \2;", code),
)
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


@dataclass(frozen=True)
class Made:
    """A repair of a file at a forged failure, and what made it."""

    source: Source
    codemod: type[Codemod]
    repair: Repair
    failure: Failure
    edits: tuple[Edit, ...]

    @property
    def after(self) -> bytes:
        return apply(self.source.data, self.edits)

    def __str__(self) -> str:
        assert self.failure.raised is not None
        raised = self.failure.raised
        made = f"{self.codemod.NAME}, {self.repair.variant.name}"
        return f"{raised.frames[0].line}: {made} of {raised.type}: {raised.message}"


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


def files(seed: int, count: int) -> list[Path]:
    """Files of the running interpreter's library, its tests included, and of what is installed."""
    library = [path for path in STDLIB.rglob("*.py") if "site-packages" not in path.parts]
    every = sorted([*library, *PACKAGES.rglob("*.py")])
    return random.Random(seed).sample(every, min(count, len(every)))


def made(path: Path, seed: int, codemods: Sequence[type[Codemod]] = ()) -> Iterator[Made]:
    """Every repair that the codemods have for forged failures at random places of a file."""
    chooser = random.Random(f"{seed} {path.name}")
    try:
        data = odd(path.read_bytes(), chooser)
    except OSError:
        return
    yield from made_of(path, data, chooser, codemods)


def made_of(
    path: Path, data: bytes, chooser: random.Random, codemods: Sequence[type[Codemod]] = ()
) -> Iterator[Made]:
    """The same for a file that holds these bytes."""
    try:
        source = decode(ROOT / path.name, data)
        module = ast.parse(source.data)
    except (SyntaxError, ValueError, RecursionError, Unreadable):
        return
    if len(source.data) > LARGEST:
        return
    project = Project(ROOT, (), {source.path: source.data})
    nodes = [*expressions(module)]
    for codemod in codemods or catalogue():
        for _ in range(PLACES if codemod.EXAMPLES and nodes else 0):
            failure = forged(source, nodes, chooser.choice(codemod.EXAMPLES), chooser)
            for repair in repaired(codemod, failure, project):
                edits = tuple(edit for edit in repair.edits if edit.file == source.path)
                yield Made(source, codemod, repair, failure, edits)


def expressions(module: ast.Module) -> Iterator[ast.expr]:
    """The expressions of a file, those of very long functions and tables left out."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    inside = [node for node in ast.walk(module) if isinstance(node, functions)]
    simple = [each for each in module.body if not isinstance(each, (*functions, ast.ClassDef))]
    for each in (*inside, *simple):
        assert each.end_lineno is not None
        if each.end_lineno - each.lineno < LONGEST:
            yield from (node for node in ast.walk(each) if isinstance(node, ast.expr))


def repaired(codemod: type[Codemod], failure: Failure, project: Project) -> Iterator[Repair]:
    for found in localize(failure, project).sites:
        site = found
        if issubclass(codemod, FirstOrder):
            module = read_module(found.file, project)
            site = site_at(module.source, module.tree, found.span.line, failure) or found
        if codemod.answers(site):
            try:
                yield from codemod.repairs(site, project)
            except Unreadable:
                continue


def odd(data: bytes, chooser: random.Random) -> bytes:
    """Give a file another layout that means the same, or leave it."""
    changed = chooser.choice(STYLES)(data)
    return changed if compiles(changed) else data


def forged(
    source: Source, nodes: Sequence[ast.expr], example: Example, chooser: random.Random
) -> Failure:
    """An example's failure, as if it had happened at an expression of the file."""
    wanted = kind(example.before)
    kinds = [node for node in nodes if isinstance(node, wanted)] or nodes
    node = chooser.choice(kinds)
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start, end = (
        (line, len(source.data.splitlines()[line - 1][:column].decode("utf-8", "replace")))
        for line, column in ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
    )
    parts = [part for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute)]
    held = [*example.values.values(), Value("NoneType", "None")]
    values = {ast.unparse(part): chooser.choice(held) for part in parts if chooser.random() < 0.7}
    exc_type, _, message = example.failure.partition(": ")
    word = name(node, chooser)

    def moved(text: str) -> str:
        return re.sub(r"'(\w+)'", lambda m: m[0] if is_type(m[1]) else f"'{word}'", text)

    frame = Frame(
        str(source.path), start[0], None, Span(*start, *end), source.line(start[0]), values
    )
    raised = Raised(exc_type, moved(message), (frame,), attrs={**example.attrs, "name": word})
    return Failure("test_x.py::test", "call", raised)


@cache
def kind(text: str) -> type[ast.AST]:
    """What kind of expression an example marks."""
    marked = text[text.index("«") + 1 : text.index("»")].replace("«", "")
    try:
        return type(ast.parse(marked.strip(), mode="eval").body)
    except SyntaxError:
        return ast.expr


def is_type(word: str) -> bool:
    return word == "NoneType" or isinstance(getattr(builtins, word, None), type)


def name(node: ast.expr, chooser: random.Random) -> str:
    """A name that stands in an expression."""
    found = [
        part.id if isinstance(part, ast.Name) else part.attr
        for part in ast.walk(node)
        if isinstance(part, ast.Name | ast.Attribute)
    ]
    return chooser.choice(found or ["x"])


def wrong(one: Made, compilers: Sequence[Compiler] = ()) -> Iterator[str]:
    """Whatever is wrong with a repair."""
    before = one.source.data
    if any(before[edit.start : edit.end] != edit.before for edit in one.edits):
        yield "an edit does not replace what it says"
        return
    after = one.after
    if after == before and len(one.edits) == len(one.repair.edits):
        yield "it changes nothing"
    if reverted(one) != before:
        yield "it cannot be taken back"
    if compiles(before) and not compiles(after):
        yield "it does not compile"
    elif lost := comments(before) - comments(after):
        yield f"comments are lost: {[*lost]}"
    if is_made_again(one):
        yield "a second run makes it once more"
    for compiler in compilers:
        if compiler(before) and not compiler(after) and not too_new(before, after, compiler):
            yield f"it does not compile with {compiler.python}"


def is_made_again(one: Made) -> bool:
    """Whether a second run at the same place, with the same failure, adds the same lines again."""
    moved, lines = shifted(one), added(one.edits)
    # Nothing says when a small edit of a suspicious statement is no longer called for.
    if moved is None or not lines or issubclass(one.codemod, FirstOrder):
        return False
    after = decode(one.source.path, one.after)
    return any(
        repair.variant == one.repair.variant and added(repair.edits) == lines
        for repair in repaired(one.codemod, moved, Project(ROOT, (), {after.path: after.data}))
    )


def added(edits: Sequence[Edit]) -> list[bytes]:
    """The whole lines that edits insert."""
    return [edit.after for edit in edits if not edit.before and b"\n" in edit.after]


def shifted(one: Made) -> Failure | None:
    """The failure at the same place of the repaired file; None where that was itself rewritten."""
    assert one.failure.raised is not None
    (frame,) = one.failure.raised.frames
    assert frame.span is not None
    lines = one.source.data.splitlines(keepends=True)
    start, end = (
        sum(map(len, lines[:line])) for line in (frame.span.line - 1, frame.span.end_line)
    )
    indent = len(lines[frame.span.line - 1]) - len(lines[frame.span.line - 1].lstrip())
    start += indent  # lines that are put above it go there
    if any(edit.start < end and edit.end > start for edit in one.edits):
        return None
    shift = sum(
        edit.after.count(b"\n") - edit.before.count(b"\n")
        for edit in one.edits
        if edit.end <= start
    )
    span = replace(frame.span, line=frame.span.line + shift, end_line=frame.span.end_line + shift)
    moved = replace(frame, line=frame.line + shift, span=span)
    return replace(one.failure, raised=replace(one.failure.raised, frames=(moved,)))


def refused(one: Made) -> bool:
    """Whether the audit keeps the loop from trying it, which is allowed but a waste."""
    after = decode(one.source.path, one.after).text
    return objection(one.source.text, after, one.repair.variant.growth, ROOT) is not None


def too_new(before: bytes, after: bytes, compiler: Compiler) -> bool:
    """Whether it is a walrus that a Python of 3.7 rejects."""
    return after.count(b":=") > before.count(b":=") and "3.7" in str(compiler.python)


def reverted(one: Made) -> bytes:
    moved, back = 0, []
    for edit in sorted(one.edits, key=lambda edit: edit.start):
        start = edit.start + moved
        back.append(
            replace(
                edit,
                start=start,
                end=start + len(edit.after),
                before=edit.after,
                after=edit.before,
            )
        )
        moved += len(edit.after) - len(edit.before)
    return apply(one.after, tuple(back))


def compiles(data: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(data, "fuzzed", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            return False
    return True


def comments(data: bytes) -> Counter[str]:
    """The comments of a file; none where tokenize does not read what the compiler does."""
    try:
        tokens = [*tokenize.tokenize(BytesIO(data).readline)]
    except (tokenize.TokenError, SyntaxError):
        return Counter()
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def main(count: int = 200, seed: int = 1, *pythons: Path) -> int:
    """Try so many files; print how many repairs each codemod made and all that is wrong with them."""
    compilers = [Compiler(python) for python in pythons]
    tally, bad, tried, refusals = Counter[str](), 0, 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in files(seed, count):
            tried += 1
            for one in made(path, seed):
                tally[one.codemod.NAME] += 1
                refusals += refused(one)
                for what in wrong(one, compilers):
                    bad += 1
                    print(f"{path}:{one}: {what}", flush=True)
    for compiler in compilers:
        compiler.close()
    for what, how_often in sorted(tally.items()):
        print(f"{how_often:6} {what}")
    print(f"{tried} files, {sum(tally.values())} repairs, {refusals} of them refused by the audit")
    print(f"{bad} violations")
    return 1 if bad else 0


def arguments(count: str = "200", seed: str = "1", *pythons: str) -> int:
    return main(int(count), int(seed), *map(Path, pythons))


if __name__ == "__main__":
    sys.exit(arguments(*sys.argv[1:]))
