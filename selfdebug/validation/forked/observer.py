"""Writes down what each test executes and does to its surroundings, programs that it starts included.

A pytest plugin too, for a fresh process. ``SELFDEBUG_OBSERVE`` names a JSON file: whether each test is
``observed``, the tests ``watched``, and what tests may do to their surroundings: ``known``, null for
anything.
"""

# A test may patch pathlib, and pytest documents its hooks.
# ruff: noqa: D103, PTH120

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from io import FileIO
from typing import Any

import pytest

from .child import Teller, tell_lines
from .children import RECORDER, children
from .guard import Guard
from .reached import Reached


class Observer:
    """Looks at tests, one after the other. What they touch is heard by ``guard``.

    ``watched`` are the tests whose variables are looked at.
    """

    def __init__(self, watched: Collection[str], guard: Guard) -> None:
        plugin = sys.modules[RECORDER]
        self._watched = frozenset(watched)
        self._reached = Reached(os.environ["SELFDEBUG_ROOT"], watched, plugin.variables)
        self._reached.leave_out_explanations()
        self._recorder, self._guard = plugin.recorder, guard
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._tell)

    def _tell(self) -> None:
        """In a fork of this process, which is gone before anybody asks what it executed."""
        assert children is not None
        tell_lines(self._reached, Teller(children.file))

    @contextmanager
    def test(self, name: str) -> Iterator[None]:
        """Look at a test from its setup to its end, and write down what was seen."""
        assert children is not None
        self._guard.touched.clear()
        self._guard.notes = True
        self._reached.begin(name)
        yield
        self._reached.rest()
        self._guard.notes = False
        described = children.added(self._reached.described(), self._guard.touched)
        self._recorder.write("reached", test=name, **described)

    @contextmanager
    def code(self) -> Iterator[None]:
        """Look at what is executed."""
        self._reached.watch()
        yield
        self._reached.rest()

    def nearest(self, items: list[Any]) -> list[Any]:
        """Sort tests: those whose variables are looked at, the others of their files, all others.

        Where the time is over before the last, those of another file are missed least.
        """
        files = {test.partition("::")[0] for test in self._watched}

        def distance(item: Any) -> tuple[bool, bool]:
            return item.nodeid not in self._watched, item.nodeid.partition("::")[0] not in files

        return sorted(items, key=distance)


def looking(observer: Observer | None) -> Generator[None, Any, None]:
    """Wrap a hook: what is executed in it is looked at, if anybody looks."""
    if observer is None:
        yield
        return
    with observer.code():
        yield


observer = None
if "SELFDEBUG_OBSERVE" in os.environ and children is not None:
    with FileIO(os.environ["SELFDEBUG_OBSERVE"]) as _stream:
        _given = json.loads(_stream.readall().decode())
    # All that a test run writes to is in one folder, with this run's own in it.
    _report, _free = os.environ["SELFDEBUG_REPORT"], os.path.dirname(os.environ["TMPDIR"])
    _known, _lines = _given["known"], _given["observed"]
    _guard = Guard(_free, _known)
    children.order(_report, lines=_lines, crashes=False, free=_free, known=_known)
    if _given["observed"]:
        observer = Observer(_given["watched"], _guard)


# --- hooks that pytest finds by name, in a fresh process ---


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[Any]) -> None:
    if observer is not None:
        items[:] = observer.nearest(items)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: Any) -> Generator[None, Any, None]:
    if observer is None:
        yield
        return
    with observer.test(item.nodeid):
        yield


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_fixture_setup() -> Generator[None, Any, None]:
    yield from looking(observer)


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtest_call() -> Generator[None, Any, None]:
    yield from looking(observer)
