"""What can be wrong with a value, as the tests that tell it from a right one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """The test that holds for a wrong value, the one that holds for a right one, and words for people.

    In the tests ``{}`` stands for the value. Where they look at something else instead, as at a list
    before one of its items is read, ``about`` is how that is spelled.
    """

    wrong: str
    right: str
    words: str
    about: str = ""


MISSING = Fault("{} is None", "{} is not None", "is missing")
EMPTY = Fault("not {}", "{}", "is empty")
ZERO = Fault("{} == 0", "{}", "is zero")
