"""What can be wrong with a value, as the tests that tell it from a right one."""

from __future__ import annotations

from dataclasses import dataclass

from selfdebug.model import Value


@dataclass(frozen=True)
class Fault:
    """The test that holds for a wrong value, the one that holds for a right one, and words for people.

    In the tests ``{}`` stands for the value. Where they look at something else instead, as at a list
    before one of its items is read, ``about`` is how that is spelled. ``module`` has to be imported
    for them.
    """

    wrong: str
    right: str
    words: str
    about: str = ""
    module: str = ""


MISSING = Fault("{} is None", "{} is not None", "is missing")
EMPTY = Fault("not {}", "{}", "is empty")
ZERO = Fault("{} == 0", "{}", "is zero")

_PLAIN = frozenset(
    ("list", "tuple", "dict", "set", "frozenset", "str", "bytes", "collections.deque")
)


def empty(value: Value | None) -> Fault:
    """Return the test for an empty container: its truth, unless its class may see that in another way.

    ``value`` is what it held, as far as that is known.
    """
    if value is None or value.type in _PLAIN:
        return EMPTY
    return Fault("len({}) == 0", "len({}) > 0", EMPTY.words)
