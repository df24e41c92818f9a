"""A pytest plugin that makes the process a server, which forks once for each candidate.

It serves in three places. In ``overlay``, before a conftest is imported, the fork goes the whole way
with the candidate's files in the place of the project's: exact for any edit. In ``swap``, after the
collection, the fork only swaps the code of functions (``swap.py``) and runs the tests: for an edit
inside functions, at a fraction of the time. In ``call``, where one test is about to be called with its
fixtures set up, it does the same for that test: for many candidates, and fixtures that did nothing
which a fork could not have for itself.

pytest's own process forks the slots of the first place, then one that goes on to collect and forks
those of the second, and for each test that the host names a process that goes on to the third; it does
nothing itself, so no test can harm it.
"""

# A test may patch pathlib, pytest documents its hooks, and a fork has no other place to remember.
# ruff: noqa: PTH115, PTH118, PTH208, D103, PLW0603

from __future__ import annotations

import _thread
import gc
import json
import os
import shutil
import sys
from collections.abc import Generator
from contextlib import suppress
from functools import partial
from time import perf_counter
from types import CodeType
from typing import Any, NamedTuple, NoReturn

import pytest

from . import slot, started, swap
from .behaviour import Behaviour
from .changed import changed
from .children import children
from .guard import Guard
from .infection import Watch
from .observer import Observer, looking
from .proof import Proof

_SAYS_NOTHING = (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception)
_given: Any = json.loads(os.environ.get("SELFDEBUG_WARM", "null"))
_root = os.environ.get("SELFDEBUG_ROOT", "")
_early: set[str] = set()  # files of the project that were imported before its conftests
_trial: Trial | None = None
_approach: Approach | None = None


class Collected(NamedTuple):
    """What a process knows that collected the tests.

    Its forks keep it to their end: to let go of an object is to write to its memory, which makes a
    copy of that.
    """

    live: swap.Live
    items: list[Any]
    tests: dict[str, Any]


class Trial:
    """What one fork is there for: to run some tests against some replaced files."""

    def __init__(
        self,
        request: slot.Request,
        collected: Collected | None = None,
        guard: Guard | None = None,
    ) -> None:
        self.collected = collected
        self.stop: bool = request["stop"]
        self.folder: str = request["folder"]
        self.select: list[str] = request["select"]
        self.plugin = sys.modules[_given["recorder"]]
        self.recorder = self.plugin.recorder
        report = os.path.join(request["folder"], "report")
        self.inherited, self.recorder.path = self.recorder.path, report
        sys.modules[_given["deadline"]].deadline.follow(request["patience"])
        os.environ["SELFDEBUG_REPORT"] = report
        if self.select:
            vars(self.plugin)["selected"] = dict.fromkeys(self.select)
        self.proof: Proof | None = None
        self.swapped: dict[str, list[CodeType]] = {}
        self.module = sys.modules[_given["overlay"]]
        self.overlay = self.module.Overlay({})
        for path, text in request["replaced"].items():
            self.overlay.serve(path, text.encode("latin-1"))
        self.written: bool = request["written"]
        self.compares: bool = request["behaviour"]
        self.inputs: dict[str, list[str]] = request["inputs"]
        self.behaviour: Behaviour | None = None
        # One of many candidates, which is done with as soon as its test fails.
        self.watch = Watch(request["alternatives"]) if request["alternatives"] else None
        self.hurries: bool = request["known"] == [] and self.stop and self.watch is None
        self.observer: Observer | None = None
        # In a hurry, what it has to say is said only where its test does not just fail.
        self.silent = guard is not None and self.hurries
        self.guard = guard
        if guard is not None:
            guard.confine(self.folder, request["known"])
        elif request["reached"] or request["known"] is not None:
            self.guard = Guard(self.folder, request["known"])
        assert children is not None
        known, lines = request["known"], request["reached"]
        if request["programs"]:
            children.order(report, lines=lines, crashes=not self.stop, known=known)
        if request["reached"]:
            assert self.guard is not None
            self.observer = Observer(request.get("watched", ()), self.guard)

    def place(self) -> None:
        """Put the new code of the files that are loaded already in its place."""
        live = self.collected and self.collected.live
        replaced = self.overlay.served
        if not replaced:
            return
        self.overlay.install()
        for path, source in replaced.items():
            if path in _early:
                raise swap.Unfit("the file is imported before the project's conftests")
            if live is not None and path in live.sources:
                self.swapped[path] = swap.swap(live, path, source)
                self.overlay.loaded.add(self.overlay.expected[path])
        self.overlay.codes.update(self.swapped)
        if self.compares:
            codes = [code for each in self.swapped.values() for code in each]
            functions = [
                each for path in self.swapped if live is not None for each in live.functions[path]
            ]
            places = {
                path: _changed(path, replaced[path]) for path in replaced.keys() - self.swapped
            }
            self.behaviour = Behaviour(codes, functions, places, self.plugin, self.inputs)
            self.behaviour.watch()
        if not self.written:
            self.proof = Proof(replaced, self.overlay.codes)
        if not self.silent:
            self._tell()

    def begin(self, config: Any, test: str) -> None:
        """Write what stands in a report before a test is called."""
        self.recorder.session(config)
        self.recorder.write("start", test=test)
        if self.proof is not None:
            self._tell()

    def _tell(self) -> None:
        self.recorder.write("warm", how="swap" if self.swapped else "overlay")

    def configure(self, config: Any) -> None:
        """Adapt what differs from one trial to the next."""
        if self.stop:
            config.option.maxfail = 1

    def look(self, test: str) -> None:
        """Note the first test that ran what the candidate changes."""
        if self.proof is not None:
            ran = self.proof.look()
            if ran:
                self.proof = None
                self.recorder.write("warm", test=test, ran=ran)

    def decline(self, reason: str) -> NoReturn:
        """End this process: the tests would not tell anything."""
        self.recorder.write("warm", declined=reason)
        os._exit(0)

    def finish(self, passed: bool) -> None:
        """Note what became of the replaced files, and what else the changed functions would do."""
        if not self.overlay.served:
            return
        if self.watch is not None:
            self.recorder.write("warm", same=self.watch.same())
        if self.behaviour is not None and passed:
            self.recorder.write("warm", behaviour=self.behaviour.answers(self.folder))
        spawned = self.module.faults_of_children() > 0
        if self.overlay.loaded.issuperset(self.overlay.expected.values()) and self.swapped:
            # To look at every module makes a copy of many pages of memory.
            record = {"loaded": sorted(self.overlay.loaded), "missed": [], "spawned": spawned}
        else:
            record = self.overlay.record(spawned)
        self.recorder.write(**dict(record, kind="overlay"))


class Approach:
    """What a process is there for that goes on to the call of one test, and forks there.

    What happens until then happens once for all candidates: it must not have left anything that they
    would share, nor run what one of them changes, which ``swap`` finds.
    """

    def __init__(self, test: str, collected: Collected) -> None:
        self.test = test
        self.collected = collected
        self.plugin = sys.modules[_given["recorder"]]
        self.plugin.recorder.path = os.devnull
        sys.modules[_given["deadline"]].deadline.follow(None)
        self.guard = Guard(os.devnull)
        self.guard.notes = True
        self.open = _descriptors()

    def arrive(self, config: Any) -> Trial:
        """Become a slot, or its trial, where the test is about to be called."""
        self.guard.notes = False
        reason = _unsafe()
        if self.guard.touched:
            reason = "its fixtures touch " + ", ".join(sorted(self.guard.touched))
        elif self.open != _descriptors():
            reason = "its fixtures open files"
        if reason is not None:
            self.decline(reason)
        live = self.collected.live
        live.freeze()
        slot.gather()
        arrived = perf_counter()
        place = {"place": "call", "test": self.test}
        slot.spread(_given["slots"])
        request = slot.serve(_given["address"], place, partial(_prepare, live))
        self.plugin.recorder.seconds -= perf_counter() - arrived  # it was not at work
        trial = Trial(request, self.collected, self.guard)
        if not trial.silent:
            trial.begin(config, self.test)
        _attempt(trial)
        return trial

    def decline(self, reason: str) -> NoReturn:
        """End this process: the test has to be tried in the place before."""
        slot.tell(_given["address"], {"place": "call", "test": self.test, "declined": reason})
        os._exit(0)


def _changed(path: str, new: bytes) -> set[int]:
    """Where the functions begin that a new text of a file changes; none where that is not to be told."""
    with suppress(OSError, SyntaxError, ValueError), open(path, "rb") as stream:  # noqa: PTH123
        return changed(stream.read(), new)
    return set()


def _descriptors() -> dict[str, str]:
    """What files this process has open, but its streams and the one that lists them."""
    links = {}
    for each in os.listdir("/proc/self/fd"):
        if int(each) > 2:  # pytest captures these
            with suppress(OSError):
                links[each] = os.readlink("/proc/self/fd/" + each)
    return links


# --- the three places ---


def _before_conftests() -> Trial | None:
    """Become a slot of the first place, or its trial; or the process that goes on and collects."""
    reason = _unsafe()
    if not started.tells():
        reason = "this interpreter does not tell which code ran"
    if reason is not None:
        _decline(reason)
    _early.update(swap.loaded(_root))
    gc.freeze()  # what pytest consists of is not looked through again
    for _ in range(_given["slots"] - 1):  # to clean up takes little of what a trial does here
        if not slot.fork():
            place = {"place": "overlay"}
            trial = Trial(slot.serve(_given["address"], place, lambda _: None))
            _attempt(trial)
            return trial
    collector = slot.fork()
    if collector:
        slot.supervise(_given["address"], collector)
    slot.redirect(_given["output"])
    return None


def _after_collection(session: Any) -> Trial | None:
    """Become a slot of the second place, or its trial; or the process that goes on to the third."""
    global _approach
    reason = _unsafe()
    if reason is not None:
        _decline(reason)
    _unburden(session.config)
    tests = {item.nodeid: item for item in session.items}
    collected = Collected(swap.Live(_root), session.items, tests)
    sys.stdout.flush()
    for _ in range(_given["slots"]):
        if not slot.fork():
            prepare = partial(_prepare, collected.live)
            trial = Trial(slot.serve(_given["address"], {"place": "swap"}, prepare), collected)
            _attempt(trial)
            _choose(session, trial, collected.tests)
            return trial
    test = slot.branch(_given["address"])
    _approach = Approach(test, collected)
    if test not in tests:
        _approach.decline(f"{test} is not the name of one test")
    session.items = [tests[test]]
    session.testscollected, session.testsfailed = 1, 0
    return None


def _unburden(config: Any) -> None:
    """Drop what nobody needs of a trial.

    Its report, so that its style is the one with the least to look up; nor is its outcome remembered,
    for which pytest would go through all tests.
    """
    config.option.tbstyle = "line"
    for name in ("lfplugin", "nfplugin"):
        if config.pluginmanager.has_plugin(name):
            config.pluginmanager.unregister(name=name)


def _prepare(live: swap.Live, request: slot.Request) -> None:
    for path, text in request["replaced"].items():
        with suppress(Exception):  # the trial meets it again, and ends for it alone
            live.prepare(os.path.realpath(path), text.encode("latin-1"))


def _attempt(trial: Trial) -> None:
    try:
        trial.place()
    except swap.Unfit as reason:
        trial.decline(str(reason))


def _choose(session: Any, trial: Trial, tests: dict[str, Any]) -> None:
    """Leave of the collected tests the selected ones, in their order."""
    if not trial.select:
        shutil.copyfile(trial.inherited, trial.recorder.path)
        if trial.observer is not None:
            session.items = trial.observer.nearest(session.items)
        return
    for node in trial.select:
        if not _named(node, tests):
            trial.decline(f"{node} was not collected")
    session.items = _ordered(trial.select, tests)
    session.testscollected, session.testsfailed = len(session.items), 0
    trial.recorder.session(session.config)


def _ordered(select: list[str], tests: dict[str, Any]) -> list[Any]:
    names = dict.fromkeys(name for node in select for name in _named(node, tests))
    return [tests[name] for name in names]


def _named(node: str, tests: dict[str, Any]) -> list[str]:
    """The test with this id, or those of the function, class or file that has it."""
    inside = (node + "::", node + "[")
    return [node] if node in tests else [each for each in tests if each.startswith(inside)]


def _unsafe() -> str | None:
    """Why a fork would not be a faithful copy of this process."""
    threads = _thread._count()
    if threads:
        return f"{threads} threads are running after the tests were collected"
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            kind = os.readlink("/proc/self/fd/" + descriptor)
        except OSError:
            continue
        if kind.startswith(("socket:", "anon_inode:")):
            return "a connection or an event loop is open after the tests were collected"
    return None


def _decline(reason: str) -> NoReturn:
    slot.tell(_given["address"], {"place": "swap", "declined": reason})
    os._exit(0)


# --- hooks that pytest finds by name ---


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests() -> Generator[None, Any, None]:
    global _trial
    if _given is not None:
        _trial = _before_conftests()
    yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_cmdline_main(config: Any) -> Generator[None, Any, None]:
    """One process, which is the fork: nothing that would start others, or share a folder."""
    option = config.option
    if hasattr(option, "numprocesses"):
        option.numprocesses, option.dist, option.tx = 0, "no", []
    option.basetemp = None
    yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtestloop(session: Any) -> Generator[None, Any, None]:
    global _trial
    if _given is not None and _trial is None:
        _trial = _after_collection(session)
        if _trial is not None:
            _trial.configure(session.config)
    elif _trial is not None and _trial.select:
        _unburden(session.config)
        _trial.configure(session.config)
        session.items = _ordered(_trial.select, {item.nodeid: item for item in session.items})
    yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: Any) -> Generator[None, Any, None]:
    trial = _trial
    if trial is not None or _approach is not None:
        _shorten(item)
    if trial is None or trial.observer is None:
        yield
        return
    with trial.observer.test(item.nodeid):
        yield


def _shorten(item: Any) -> None:
    """Have pytest not write up how a test fails, which takes longer than a quick test.

    But where that text is all there is to say.
    """
    write, told = item.repr_failure, sys.modules[_given["recorder"]].told

    def shortened(excinfo: Any, *args: Any, **options: Any) -> Any:
        return write(excinfo, *args, **options) if told(excinfo.value) is None else ""

    item.repr_failure = shortened


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_fixture_setup() -> Generator[None, Any, None]:
    yield from looking(None if _trial is None else _trial.observer)


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtest_call() -> Generator[None, Any, None]:
    yield from looking(None if _trial is None else _trial.observer)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Generator[None, Any, None]:
    """End a trial that is in a hurry where its test fails: most do, and how is of no interest.

    Not before a test that touches more than its own temporary folder has cleaned up.
    """
    global _trial
    if _approach is not None:
        _trial = _approach.arrive(pyfuncitem.config)
    if _trial is None:
        yield
        return
    if _trial.hurries:
        # How the sides of an assertion differ is not told.
        vars(sys.modules["_pytest.assertion.util"])["_reprcompare"] = None
    with sys.modules[_given["deadline"]].deadline.watch():
        result = yield
    if not _trial.hurries:
        return
    expected = next(pyfuncitem.iter_markers("xfail"), None)
    if (
        result.excinfo is None
        or expected is not None
        or issubclass(result.excinfo[0], _SAYS_NOTHING)
    ):
        if _trial.silent:
            _trial.begin(pyfuncitem.config, pyfuncitem.nodeid)
    else:
        slot.finish(1)


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish(nodeid: str) -> None:
    if _trial is not None:
        _trial.look(nodeid)
    elif _approach is not None:
        _approach.decline("the test was not called")


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_sessionfinish(session: Any) -> Generator[None, Any, None]:
    """End a trial here: nobody reads its summary, for which some plugins import a lot.

    But what pytest says where the tests neither passed nor failed.
    """
    yield
    if _trial is not None and (_trial.select or session.exitstatus in (0, 1)):
        _trial.finish(not session.exitstatus)
        _leave(session)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: Any) -> None:
    session = config.pluginmanager.get_plugin("session")
    if _trial is not None and session is not None:
        _leave(session)


def _leave(session: Any) -> NoReturn:
    """End at once: taking a large process down costs more than a test."""
    sys.stdout.flush()
    sys.stderr.flush()
    slot.finish(int(session.exitstatus))
