"""What is read from a log is what really failed, for every style, pytest and wrapper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from io import BytesIO

import pytest

from selfdebug.ingestion.logs import Log, read_log
from selfdebug.model import Failure, Frame, Raised
from tests.ingestion.captured import Captured, Record, captured, every_frame, visible

STYLES = {
    "auto": ("--tb=auto", "--doctest-modules"),
    "short": ("--tb=short", "--doctest-modules"),
    "native": ("--tb=native", "--doctest-modules"),
    "line": ("--tb=line", "--doctest-modules"),
    "long": ("--tb=long", "-vv", "-rA", "--color=yes", "-l", "--doctest-modules"),
    "xdist": ("-n2", "-q"),
}
BROKEN = (
    "test_syntax.py->tests/test_syntax.py",
    "test_indent.py->tests/test_indent.py",
    "test_missing_module.py->tests/test_missing_module.py",
    "test_module_error.py->tests/test_module_error.py",
    "test_mismatch.py->tests/test_mismatch.py",
    "test_imports_broken.py->tests/test_imports_broken.py",
    "test_syntax_of_library.py->syntax_of_library.py",
    "conftest.py->tests/sub/conftest.py",
    "test_missing_module.py->tests/sub/test_below.py",
)
each_pytest = pytest.mark.parametrize("version", ["7", "8", "9"])
LOGS = [
    *[("7", style) for style in ("auto", "native", "line")],
    *[("8", style) for style in ("auto", "short", "native", "line", "long")],
    *[("9", style) for style in ("short", "native", "line", "long", "xdist")],
]
each_log = pytest.mark.parametrize(("version", "style"), LOGS)


def run(version: str, style: str) -> Captured:
    return captured(version, *STYLES[style], "tests", *(() if style == "xdist" else ("shop",)))


@cache
def read(log: bytes) -> Log:
    return read_log(BytesIO(log))


def plain(text: str) -> str:
    """A message as a log can carry it: no control characters, no spaces at the ends of lines."""
    text = re.sub(r"\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f]", "", text)
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def same_file(shown: str, real: str) -> bool:
    """Whether the path of a log, relative to where pytest ran, is that of a live frame."""
    return real == shown or real.endswith("/" + re.sub(r"^(\.\./)+", "", shown))


def same_subtest(failure: Failure, record: Record) -> bool:
    """xdist turns a subtest's values into their reprs: ``(i=0)`` becomes ``(i='0')``."""
    return (failure.subtest or "").replace("'", "") == (record["subtest"] or "").replace("'", "")


def matched(log: Log, truth: tuple[Record, ...]) -> list[tuple[Failure, Record]]:
    """Every record with the one failure that tells of it. Nothing may be left over on either side."""
    left, pairs = list(log.failures), []
    for record in truth:
        of_test = [f for f in left if f.test == record["test"] and f.phase == record["phase"]]
        found = [f for f in of_test if same_subtest(f, record)]
        assert found, f"not read: {record['test']} {record['phase']} {record['subtest']}"
        left.remove(found[0])
        pairs.append((found[0], record))
    assert not left, "invented"
    return pairs


def carries_place(version: str, style: str, record: Record) -> bool:
    """Whether such a log says anywhere where that failure was."""
    raised = record["raised"]
    if raised is None or not visible(raised, hidden=True):
        return False
    if style != "line":
        return not (raised["message"] or "").startswith("no trace")
    if record["phase"] != "call":
        return bool(raised["type"] == "FixtureLookupError")
    return version == "9" or not record["test"].startswith("shop/documented.py")


def carries_chain(version: str, style: str, record: Record) -> bool:
    special = record["test"].startswith("shop/documented.py") or "missing" in record["test"]
    return not special and carries_place(version, style, record)


def deepest(raised: Record, style: str, frame: Frame) -> Record:
    """The frame that the style shows last; under ``line`` it may be one that asks to be hidden."""
    hidden = style == "native" or (style == "line" and "unittest" in frame.file)
    return visible(raised, hidden=hidden)[-1]


@each_log
def test_every_failure_is_read_and_none_invented(version: str, style: str) -> None:
    run_ = run(version, style)
    assert len(run_.truth) > 80
    matched(read(run_.log), run_.truth)


@each_log
def test_type_and_place_are_right(version: str, style: str) -> None:
    run_ = run(version, style)
    for failure, record in matched(read(run_.log), run_.truth):
        if not carries_place(version, style, record):
            assert failure.raised is None or not failure.raised.frames
            continue
        raised, true = failure.raised, record["raised"]
        assert raised is not None, failure
        assert raised.type.rpartition(".")[2] == true["type"]
        last = deepest(true, style, raised.frames[-1])
        assert raised.frames[-1].line == last["line"], failure
        assert same_file(raised.frames[-1].file, last["file"]), failure


@each_log
def test_messages_are_whole(version: str, style: str) -> None:
    run_ = run(version, style)
    for failure, record in matched(read(run_.log), run_.truth):
        if not carries_place(version, style, record) or record["raised"]["message"] is None:
            continue
        assert failure.raised is not None
        message, true = failure.raised.message, record["raised"]["message"]
        if style == "line" and not ("\n" in message or failure.raised.members):
            true = true.split("\n")[0]
        if "[single exception in ExceptionGroup]" not in message:
            assert plain(message) == plain(true)


def links(raised: Raised | None) -> Iterator[Raised]:
    while raised:
        yield raised
        for member in raised.members:
            yield from links(member)
        raised = raised.before


@each_log
def test_no_frame_is_invented(version: str, style: str) -> None:
    run_ = run(version, style)
    for failure, record in matched(read(run_.log), run_.truth):
        real = [(f["line"], f["file"]) for f in every_frame(record["raised"])]
        for frame in (frame for link in links(failure.raised) for frame in link.frames):
            assert any(frame.line == line and same_file(frame.file, file) for line, file in real)


@pytest.mark.parametrize(("version", "style"), [log for log in LOGS if log[1] != "line"])
def test_chains_and_groups_are_whole(version: str, style: str) -> None:
    run_ = run(version, style)
    groups = chains = 0
    for failure, record in matched(read(run_.log), run_.truth):
        if not carries_chain(version, style, record):
            continue
        assert failure.raised is not None
        assert shape(failure.raised) == record["raised"]["shape"]
        groups += bool(failure.raised.members)
        chains += bool(failure.raised.before)
    assert groups >= 4
    assert chains >= 4


def shape(raised: Raised) -> list[object]:
    before = shape(raised.before) if raised.before else None
    return [raised.type.rpartition(".")[2], [shape(each) for each in raised.members], before]


@pytest.mark.parametrize(
    ("version", "style", "least"),
    [
        ("8", "auto", 60),
        ("8", "short", 60),
        ("9", "long", 60),
        ("8", "native", 60),
        ("9", "native", 60),
    ],
)
def test_carets_give_the_columns(version: str, style: str, least: int) -> None:
    run_ = run(version, style)
    spans = 0
    for failure, record in matched(read(run_.log), run_.truth):
        real = list(every_frame(record["raised"]))
        for frame in (
            frame for link in links(failure.raised) for frame in link.frames if frame.span
        ):
            same = [f for f in real if f["line"] == frame.line and same_file(frame.file, f["file"])]
            assert span_in_file(frame, same[0], run_) in [
                characters(f, run_) for f in same if f["span"]
            ]
            spans += 1
    assert spans >= least


def span_in_file(frame: Frame, real: Record, run_: Captured) -> tuple[int, int, int, int]:
    """The span of a log's frame, made absolute as the model says: plus the line's indentation."""
    assert frame.span is not None
    line = run_.sources[real["file"]][frame.line - 1]
    indent = len(line) - len(line.lstrip())
    span = frame.span
    return span.line, span.column + indent, span.end_line, span.end_column + indent


def characters(real: Record, run_: Captured) -> tuple[int, int, int, int]:
    """A live frame's span, its byte columns made characters."""
    line, end_line, column, end_column = real["span"]
    source = run_.sources[real["file"]]
    start, end = source[line - 1].encode()[:column], source[end_line - 1].encode()[:end_column]
    return line, len(start.decode()), end_line, len(end.decode())


@each_pytest
def test_without_tracebacks_the_log_complains_and_names_the_tests(version: str) -> None:
    run_ = captured(version, "--tb=no", "tests")
    log = read(run_.log)
    assert "--tb=no" in log.complaint
    assert sorted(f.test for f in log.failures) == sorted(r["test"] for r in run_.truth)
    assert not any(f.raised.frames for f in log.failures if f.raised)


@each_pytest
def test_collection_errors(version: str) -> None:
    # pytest 7 stops at a conftest that fails.
    broken = BROKEN if version != "7" else BROKEN[:7]
    run_ = captured(version, "tests", broken=broken)
    pairs = matched(read(run_.log), run_.truth)
    assert len(pairs) == (6 if version == "7" else 7)
    for failure, record in pairs:
        if record["test"].endswith("test_mismatch.py"):
            assert failure.raised is None
            assert "number of names" in failure.text
            continue
        assert failure.raised is not None
        last = visible(record["raised"], hidden=False)[-1]
        assert failure.raised.type == record["raised"]["type"]
        assert (failure.raised.frames[-1].line, failure.raised.message) == (
            last["line"],
            record["raised"]["message"],
        )
        assert same_file(failure.raised.frames[-1].file, last["file"])


@each_pytest
def test_root_conftest_error_has_no_session(version: str) -> None:
    log = read(captured(version, "tests", broken=("conftest.py->conftest.py",)).log)
    (failure,) = log.failures
    assert log.sessions == 0
    assert failure.raised is not None
    assert (failure.phase, failure.raised.type, failure.raised.message) == (
        "collect",
        "ValueError",
        "conftest",
    )
    assert [frame.file for frame in failure.raised.frames] == ["conftest.py", "shop/cart.py"]


@pytest.mark.parametrize("style", ["auto", "line"])
def test_on_ci_the_summary_is_whole_and_has_many_lines(style: str) -> None:
    run_ = captured("8", f"--tb={style}", "tests", env="CI=1")
    matched(read(run_.log), run_.truth)


def test_the_summary_counts_though_a_test_printed_a_heading_and_the_last_one_printed_too() -> None:
    tests = ["test_forged.py::test_prints_a_traceback", "test_plain.py::test_decorated_lookup"]
    run_ = captured("9", "-q", *(f"tests/{test}" for test in tests))
    assert [failure.test for failure in read(run_.log).failures] == [f"tests/{t}" for t in tests]
    matched(read(run_.log), run_.truth)


@pytest.mark.parametrize("number", ["99999999999999999999", "-1", "None"])
@pytest.mark.parametrize("margin", ["", "E     "])
def test_a_frame_of_no_possible_line_is_left_out_and_the_exception_stays(
    number: str, margin: str
) -> None:
    traceback = (
        '  File "app.py", line 9, in y',
        "    n += int(m.group(1))",
        f'  File "app.py", line {number}, in y',
        "    x",
        "ZeroDivisionError: division by zero",
    )
    opening = "_____ ERROR collecting test_app.py _____" if margin else ""
    lines = [opening, "Traceback (most recent call last):", *traceback]
    if margin:
        lines = [
            opening,
            *(margin + line for line in (*traceback[2:4], *traceback[:2], traceback[-1])),
        ]
        lines = ["=== FAILURES ===", *lines, "=== 1 failed in 0.1s ==="]
    (failure,) = read("\n".join((*lines, "")).encode()).failures
    assert failure.raised is not None
    assert (failure.raised.type, failure.raised.message) == (
        "ZeroDivisionError",
        "division by zero",
    )
    assert failure.raised.frames == (Frame("app.py", 9, "y", source="n += int(m.group(1))"),)


def test_no_exception_is_made_of_an_indented_line() -> None:
    log = b'Traceback (most recent call last):\n  File "app.py", line 9, in y\n  x\nKeyError: 1\n'
    assert read(log).failures == ()
