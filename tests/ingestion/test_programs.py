"""A log in which a test shows what ended a program that it started."""

from __future__ import annotations

from io import BytesIO

import pytest

from selfdebug.ingestion.logs import read_log
from selfdebug.ingestion.programs import with_program

TRACEBACK = """\
Traceback (most recent call last):
  File "/home/ann/shop/prog.py", line 12, in <module>
    print(total(rows))
  File "/home/ann/shop/prog.py", line 4, in total
    result += row
TypeError: unsupported operand type(s) for +=: 'int' and 'str'
"""
OTHER = TRACEBACK.replace("line 4", "line 5").replace("TypeError", "ValueError")
CHAIN = f"""{OTHER}
During handling of the above exception, another exception occurred:

{TRACEBACK}"""
LOG = """\
============================= test session starts ==============================
rootdir: /home/ann/shop
collected 1 item

test_prog.py F                                                           [100%]

=================================== FAILURES ===================================
__________________________________ test_prog ___________________________________

    def test_prog():
>       assert {code}
E       {message}

test_prog.py:6: AssertionError
{sections}=========================== short test summary info ============================
FAILED test_prog.py::test_prog - assert 1 == 0
============================== 1 failed in 0.03s ===============================
"""
STDERR = "----------------------------- Captured stderr call -----------------------------\n"


def log(message: str = "assert 1 == 0", sections: str = "") -> bytes:
    return LOG.format(code="done.returncode == 0", message=message, sections=sections).encode()


@pytest.mark.parametrize(
    "text",
    [
        log(sections=STDERR + "reading\n" + TRACEBACK),
        log(sections=STDERR + OTHER + "again\n" + TRACEBACK),
        log(sections=STDERR + OTHER + "\n" + CHAIN),
        log(f"assert 1 == 0\nE        +  where 1 = Done(code=1, stderr={TRACEBACK!r}).code"),
        log(f"assert 1 == 0\nE        +  where 1 = Done(stderr={TRACEBACK.encode()!r}).code"),
    ],
    ids=["captured", "last", "chain", "shown", "bytes"],
)
def test_what_the_program_wrote_last_is_why_the_test_fails(text: bytes) -> None:
    (failure,) = read_log(BytesIO(text)).failures
    assert failure.raised is not None
    assert failure.raised.before is None
    told = with_program(failure)
    assert told.cause is not None
    assert told.cause.type == "TypeError"
    assert [frame.line for frame in told.cause.frames] == [12, 4]
    assert told.raised is not None
    assert (told.raised.type, told.raised.relation) == ("AssertionError", "child")


@pytest.mark.parametrize("sections", ["", STDERR + "reading\n", STDERR + TRACEBACK[:150] + "\n"])
def test_without_a_traceback_nothing_changes(sections: str) -> None:
    (failure,) = read_log(BytesIO(log(sections=sections))).failures
    assert with_program(failure) is failure
