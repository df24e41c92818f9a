"""A log reads the same whatever carried it; what tests print, and where a log is cut, invents nothing."""

from __future__ import annotations

import re
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import BinaryIO, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfdebug.ingestion.logs import Log, read_log
from tests.ingestion.captured import Captured, captured, every_frame
from tests.ingestion.test_logs import links, same_file

FORGING = ("tests/test_forged.py", "tests/test_groups.py", "tests/test_subtests.py")


def run(version: str, *options: str) -> Captured:
    return captured(version, *options, *FORGING)


def read(log: bytes) -> Log:
    return read_log(BytesIO(log))


def lines_of(log: bytes) -> list[str]:
    return log.decode().removesuffix("\n").split("\n")


def each_line(wrap: Callable[[int, str], str]) -> Callable[[bytes], bytes]:
    return lambda log: "".join(
        wrap(i, line) + "\n" for i, line in enumerate(lines_of(log))
    ).encode()


def clock(i: int) -> str:
    return f"{i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}"


def colours(i: int, line: str) -> str:
    """Codes inside of words, as a highlighter writes them; a hyperlink; a bare reset at the end."""
    shown = re.sub(r"(\w)(\w)", "\\1\x1b[39;49;00m\\2", line) if i % 2 else f"\x1b[1m\x1b[31m{line}"
    return f"\x1b]8;;https://ci.example/{i}\x1b\\{shown}\x1b[0m"


WRAPPERS: dict[str, Callable[[bytes], bytes]] = {
    "github": each_line(lambda i, line: f"2023-07-25T{clock(i)}.0566564Z {line}"),
    "github, blanks trimmed": each_line(
        lambda i, line: f"2023-07-25T{clock(i)}.05Z {line}".rstrip()
    ),
    "gh run view": each_line(
        lambda i, line: f"tests (3.12)\tRun pytest\t2023-07-25T{clock(i)}.1Z {line}"
    ),
    "gitlab": each_line(lambda i, line: f"2024-01-01T{clock(i)}.000001Z 01O {line}"),
    "jenkins": each_line(lambda i, line: f"{clock(i)} {line}"),
    "jenkins pipeline": each_line(lambda i, line: f"[2024-01-02T{clock(i)}.123Z] {line}"),
    "compose": each_line(lambda _, line: f"tests-1  | {line}"),
    "compose, two services": each_line(
        lambda i, line: f"tests-1  | {line}" + ("\ndb-1     | LOG:  ready" if i % 3 == 0 else "")
    ),
    "kubectl": each_line(lambda _, line: f"[pod/tests-abc/main] {line}"),
    "docker build": each_line(lambda i, line: f"#12 {i / 7:.3f} {line}"),
    "syslog": each_line(lambda i, line: f"Nov  9 {clock(i)} host ci[123]: {line}"),
    "indented": each_line(lambda _, line: f"    {line}" if line.strip() else ""),
    "carriage returns": each_line(lambda _, line: f"{line}\r"),
    "colours": each_line(colours),
    "colours under timestamps": lambda log: WRAPPERS["github"](WRAPPERS["colours"](log)),
    "byte order mark": lambda log: b"\xef\xbb\xbf" + WRAPPERS["github"](log),
    "powershell": lambda log: log.decode().encode("utf-16"),
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("options", [("8", "--tb=auto"), ("9", "--tb=native"), ("9", "--tb=line")])
def test_a_wrapped_log_reads_like_the_bare_one(wrapper: str, options: tuple[str, ...]) -> None:
    log = run(*options).log
    bare, wrapped = read(log), read(WRAPPERS[wrapper](log))
    assert len(bare.failures) > 12
    assert wrapped == bare


def test_every_session_of_tox_and_its_folder_is_read() -> None:
    first, second = run("8", "--tb=auto").log, run("9", "--tb=short").log
    log = (
        b"py311: commands[0]> pytest\n"
        + first
        + b"py311: exit 1 (2.41 seconds) /home/ci/shop> pytest pid=77\n"
        + b"py313: commands[0]> pytest\n"
        + second
        + b"py313: exit 1 (1.07 seconds) /home/ci/shop> pytest pid=78\n"
        + b"  py311: FAIL code 1\n  py313: FAIL code 1\n  evaluation failed :( (3.61 seconds)\n"
    )
    both = read(log)
    assert both.failures == read(first).failures + read(second).failures
    assert both.sessions == 2
    assert "/home/ci/shop" in both.roots


def test_windows_paths_stay_as_spelled() -> None:
    log = run("8", "--tb=short").log.decode()
    there = re.sub(
        r"^(tests|shop)/(\w+\.py:\d+: in)", r"D:\\a\\shop\\\1\\\2", log, flags=re.MULTILINE
    )
    bare, windows = read(log.encode()), read(there.encode())
    files = {f.file for x in windows.failures for link in links(x.raised) for f in link.frames}
    assert "D:\\a\\shop\\shop\\cart.py" in files
    assert [(f.test, f.raised and f.raised.type) for f in windows.failures] == [
        (f.test, f.raised and f.raised.type) for f in bare.failures
    ]


@pytest.mark.parametrize("style", ["auto", "short", "native", "line"])
@pytest.mark.parametrize("version", ["8", "9"])
def test_what_a_test_prints_is_evidence(version: str, style: str) -> None:
    run_ = run(version, f"--tb={style}")
    log = read(run_.log)
    assert "forged" not in str([(f.test, f.raised) for f in log.failures]).replace(
        "test_forged.py", ""
    )
    printed = {f.test.rpartition("::")[2]: f.evidence for f in log.failures}
    if style != "line":
        for test in ("test_prints_a_traceback", "test_logs"):
            assert "Traceback" in printed[test]["Captured stderr call"]
        assert "handled" in printed["test_logs"]["Captured log call"]


def told(log: Log) -> Iterator[tuple[str, str, int]]:
    """Test, file and line of each failure that has a place."""
    for failure in log.failures:
        if failure.raised and failure.raised.frames:
            last = failure.raised.frames[-1]
            yield failure.test, last.file, last.line


@pytest.mark.parametrize("options", [("8", "--tb=auto"), ("9", "--tb=short"), ("9", "--tb=native")])
def test_a_cut_log_invents_nothing(options: tuple[str, ...]) -> None:
    run_ = run(*options)
    real = [(r["test"], f["file"], f["line"]) for r in run_.truth for f in every_frame(r["raised"])]
    tests = {r["test"] for r in run_.truth}
    seen = 0
    for end in range(0, len(run_.log), len(run_.log) // 150):
        log = read(run_.log[:end])
        assert {f.test for f in log.failures} <= tests | {""}
        for test, file, line in told(log):
            assert any(t.startswith(test) and n == line and same_file(file, f) for t, f, n in real)
            seen += 1
    assert seen > 100


PLAIN = """\
starting
Traceback (most recent call last):
  File "/app/main.py", line 9, in <module>
    run(None)
    ~~~^^^^^^
  File "/app/main.py", line 4, in run
    return job.name.upper()
           ^^^^^^^^
AttributeError: 'NoneType' object has no attribute 'name'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/main.py", line 11, in <module>
    sys.exit(report(error))
  File "/app/main.py", line 6, in report
    raise KeyError(error)
KeyError: AttributeError("'NoneType' object has no attribute 'name'")
done
"""


def test_a_plain_traceback_needs_no_pytest() -> None:
    (failure,) = read(PLAIN.encode()).failures
    assert failure.raised is not None
    assert (failure.test, failure.raised.type, failure.raised.frames[-1].line) == (
        "",
        "KeyError",
        6,
    )
    before = failure.raised.before
    assert before is not None
    assert (failure.raised.relation, before.type, before.frames[-1].function) == (
        "context",
        "AttributeError",
        "run",
    )
    span = before.frames[-1].span
    assert before.frames[-1].source == "return job.name.upper()"
    assert span is not None
    assert before.frames[-1].source[span.column : span.end_column] == "job.name"


def test_of_a_long_chain_the_latest_exceptions_are_kept() -> None:
    begin, during, _ = PLAIN.partition("During handling of the above exception, another")
    first = begin.removeprefix("starting\n")
    log = "\n".join(
        first.replace("line 4", f"line {number}") + during + " exception occurred:\n"
        for number in range(2_000)
    )
    (failure,) = read((log + first).encode()).failures
    lines = [link.frames[-1].line for link in links(failure.raised)]
    assert sorted(lines) == [4, *range(1_991, 2_000)]


def test_a_plain_traceback_beside_a_pytest_session_is_no_failure() -> None:
    assert read(PLAIN.encode() + run("8", "--tb=auto").log) == read(run("8", "--tb=auto").log)


def test_a_syntax_error_without_traceback() -> None:
    (failure,) = read(
        b'  File "/app/x.py", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax\n'
    ).failures
    assert failure.raised is not None
    assert (failure.raised.type, failure.raised.frames[-1].line) == ("SyntaxError", 3)


def test_a_block_pasted_without_its_headings() -> None:
    log = run("8", "--tb=auto").log.decode()
    block = log.partition("test_quiet_after_all ____")[2].partition("\n")[2].partition("\n___")[0]
    (failure,) = read(block.encode()).failures
    assert failure.raised is not None
    assert (failure.raised.type, failure.raised.message) == ("ValueError", "quiet")
    assert [frame.function for frame in failure.raised.frames] == ["test_quiet_after_all", "boom"]


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (b"", "no pytest session"),
        (b"\x00\xff\xfe" * 999, "no pytest session"),
        (b"PK\x03\x04rest", "unpack"),
        (b"\x1f\x8brest", "unpack"),
        (
            b"INTERNALERROR> Traceback (most recent call last):\nINTERNALERROR> KeyError: 1\n",
            "INTERNALERROR",
        ),
        (b"=== test session starts ===\ncollected 1 item\n\ntest_a.py F", "cut"),
    ],
)
def test_a_log_without_failures_is_explained(log: bytes, said: str) -> None:
    assert read(log).failures == ()
    assert said in read(log).complaint


def test_a_green_log_has_no_complaint() -> None:
    green = "=== test session starts ===\ntest_a.py . [100%]\n\n=== 1 passed in 0.01s ===\n"
    assert read(green.encode()) == Log((), 1, (), "")


def test_a_crashed_worker_is_a_failure_without_a_place() -> None:
    crash = ("test_crash.py->tests/test_crash.py",)
    (failure,) = read(captured("9", "-n1", "tests/test_crash.py", broken=crash).log).failures
    assert (failure.test, failure.phase) == ("tests/test_crash.py::test_dies", "call")
    assert failure.raised is None
    assert "crashed while running" in failure.text


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_no_log_is_too_broken(data: st.DataObject) -> None:
    """Lines of real logs in any order, with pieces gone and garbage between."""
    pool = lines_of(run("9", "--tb=native").log)[:400] + lines_of(run("8", "--tb=auto").log)[:400]
    garbage = st.text(max_size=40) | st.sampled_from(
        [
            "=== FAILURES ===",
            "___ x ___",
            "--- Captured x ---",
            "E",
            "E   ",
            "x:1:",
            "  + Exception Group",
        ]
    )
    drawn = data.draw(st.lists(st.sampled_from(pool) | garbage, max_size=120))
    cut = data.draw(st.integers(0, 3))
    for failure in read(
        "\n".join(line[cut:] for line in drawn).encode("utf-8", "replace")
    ).failures:
        assert all(
            each.isprintable() or each in "\n\t" or ord(each) > 159 for each in str(failure.text)
        )


class Stream:
    """A beginning, then the same bytes over and over, ``size`` in all, none kept."""

    def __init__(self, begin: bytes, block: bytes, size: int) -> None:
        self.begin, self.block, self.left = begin, block, size

    def read(self, size: int) -> bytes:
        size = min(size, self.left)
        self.left -= size
        begin, self.begin = self.begin, b""
        return (begin + self.block * (size // len(self.block) + 1))[:size]


FAILED = b"=== test session starts ===\n=== FAILURES ===\n___ test_a ___\n\n"
ENDLESS = {
    "one line": b"x" * 9_999,
    "binary": bytes(range(256)),
    "captured output": b"-- Captured stdout call --\n" + b"DEBUG something happened\n" * 99,
    "frames": b'  File "a.py", line 1, in f\n    f()\n    ~^^\n',
    "messages": b"E   KeyError: 'a'\n",
    "escapes": b"\x1b[31m\x1b]0;title",
    "tracebacks": PLAIN.encode(),
    "summary": b"=== short test summary info ===\n" + b"FAILED t.py::a - b - c - d\n" * 999,
    "blocks": b"___ test_a ___\n\n>   f()\nE   KeyError\n\nt.py:1: KeyError\n",
}


@pytest.mark.parametrize("block", ENDLESS)
def test_memory_is_bounded(block: str) -> None:
    def peak(size: int) -> int:
        tracemalloc.start()
        try:
            read_log(cast("BinaryIO", Stream(FAILED, ENDLESS[block], size)))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(1_600_000) < 1.2 * peak(800_000) + 500_000


@pytest.mark.parametrize("block", ENDLESS)
def test_work_is_linear(block: str) -> None:
    """Counted in calls of Python and C functions, which do not depend on the machine."""

    def calls(size: int) -> int:
        count = 0

        def note(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(note)
        try:
            read_log(cast("BinaryIO", Stream(FAILED, ENDLESS[block], size)))
        finally:
            sys.setprofile(None)
        return count

    assert calls(400_000) < 2.5 * calls(200_000) + 1_000
