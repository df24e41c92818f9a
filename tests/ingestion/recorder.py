"""A pytest plugin for the tests: writes what really failed, from live exceptions, as JSON lines.

Loaded with ``-p recorder`` into any interpreter from Python 3.9 on; standard library only.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import json
import os
import traceback
from pathlib import Path

_WRAPPERS = ("CollectError", "ConftestImportFailure")


def pytest_exception_interact(node, call, report):
    error = call.excinfo.value
    if type(error).__name__ in _WRAPPERS and error.__cause__ is not None:
        error = error.__cause__
    describe = getattr(report, "_sub_test_description", None)
    describe = describe or getattr(report, "sub_test_description", None)
    shown = traceback.TracebackException(type(error), error, error.__traceback__)
    raised = {**_raised(error, frozenset(), node), "shape": _shape(shown)}
    _write(report, describe() if describe else None, raised)


def pytest_runtest_logreport(report):
    if report.failed and isinstance(report.longrepr, str) and not hasattr(report, "node"):
        _write(report, None, None)


def _write(report, subtest, raised):
    phase = getattr(report, "when", None) or "collect"
    line = {"test": report.nodeid, "phase": phase, "subtest": subtest, "raised": raised}
    with Path(os.environ["RECORD"]).open("a", encoding="utf-8") as record:
        record.write(json.dumps(line) + "\n")


def _raised(error, above, node=None):
    if error is None or id(error) in above:
        return None
    above = above | {id(error)}
    if hasattr(error, "failures"):
        error = error.failures[0]
    if hasattr(error, "example"):
        return _doctest(error, above)
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    frames = _frames(error.__traceback__)
    if isinstance(error, SyntaxError) and error.filename:
        frames.append(_place(error.filename, error.lineno))
    if type(error).__name__ == "FixtureLookupError":
        code = node.function.__code__
        frames = [_place(code.co_filename, code.co_firstlineno)]
    return {
        "type": type(error).__name__,
        "message": _message(error),
        "frames": frames,
        "before": _raised(before, above),
        "members": [_raised(each, above) for each in getattr(error, "exceptions", ())],
    }


def _shape(shown):
    """Types of an exception, of a group's members, and of what came before, as CPython prints them."""
    before = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)
    members = [_shape(each) for each in getattr(shown, "exceptions", None) or ()]
    return [shown.exc_type.__name__, members, _shape(before) if before else None]


def _doctest(error, above):
    place = _place(error.test.filename, error.test.lineno + error.example.lineno + 1)
    if not hasattr(error, "exc_info"):
        kind = type(error).__name__
        return {"type": kind, "message": None, "frames": [place], "before": None, "members": []}
    inner = _raised(error.exc_info[1], above)
    inside = [f for f in inner["frames"] if "doctest" not in Path(f["file"]).name]
    return {**inner, "frames": [place, *inside]}


def _message(error):
    if type(error).__name__ == "FixtureLookupError":
        return None
    shown = traceback.format_exception_only(type(error), error)
    text = shown[-1] if isinstance(error, SyntaxError) else "".join(shown)
    return text.partition(": ")[2].rstrip("\n")


def _place(file, line):
    return {"file": file, "line": line, "span": None, "hidden": False}


def _frames(tb):
    frames = []
    while tb is not None:
        code, span = tb.tb_frame.f_code, None
        if hasattr(code, "co_positions"):
            span = list(code.co_positions())[tb.tb_lasti // 2]
        hidden = (
            "__tracebackhide__" in tb.tb_frame.f_locals or "__unittest" in tb.tb_frame.f_globals
        )
        frame = {"file": code.co_filename, "line": tb.tb_lineno, "span": span, "hidden": hidden}
        frames.append({**frame, "function": code.co_name})
        tb = tb.tb_next
    return frames
