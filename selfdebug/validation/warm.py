"""The warm runner: a server that collected the project's tests already, and forks for each candidate.

What it says of a candidate is what a cold run would say, at about the cost of the tests alone, and
nothing is written to the project. It is not the verdict: the loop ends with a cold run. The half that
lives in the project's interpreter is in ``forked``.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Condition, Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from selfdebug.validation import launch, process
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits
from selfdebug.validation.sandbox import SandboxMissing

if TYPE_CHECKING:
    from selfdebug.model import TestRun, Value

Line: TypeAlias = tuple[Path, int]
Branch: TypeAlias = tuple[Path, int, int]  # a line, and a number for the way taken from there
Watched: TypeAlias = tuple[str, Sequence[tuple[str, bool]]]
"""An expression, and others that would stand in its place, each with whether only its truth counts."""
Place = Literal["call", "swap", "overlay"]
How = Literal["as is", "call", "swap", "overlay", "copy", "cold"]

_PLACES: tuple[Place, ...] = ("swap", "overlay")
_TOLD_BY_TEST = ("reached", "branches", "values", "touched", "scripts")
HOT = 5  # trials of one test in a row until processes wait for more of them where it is called
_PLUGINS: tuple[launch.Plugin, ...] = ("overlay", "deadline", "children", "recorder", "forked")
_MESSAGE = 65536  # bytes; a message is one packet
_STOP = b"stop"  # as in forked/slot.py, which is for Linux only
_TICK = 0.05  # seconds between looks at ``stop``
_DEEPEST = 80  # bytes of a path; the address of a socket holds 107


@dataclass(frozen=True, slots=True)
class Declined:
    """The warm runner can't answer faithfully, so another one has to. ``reason`` is for a person.

    ``spawned`` says that it is because tests start programs, which see files as they are.
    """

    reason: str
    spawned: bool = False


@dataclass(frozen=True, slots=True)
class _Slot:
    """A process that tries one candidate at a time, and the folder that all of them have."""

    connection: socket.socket
    folder: Path


@dataclass(frozen=True, slots=True)
class Ran:
    """Code of the candidate that a test ran; ``digest`` is the SHA-256 of all that it consists of."""

    file: Path
    function: str
    line: int
    digest: str


@dataclass(frozen=True, slots=True)
class WarmRun:
    """What the tests said, how the code was put in place, and the proof that they ran it.

    Also of a fresh process that told as much: ``cold``.
    ``test`` is the first test that ran code on the changed lines, None where no test did.
    ``behaviour`` maps calls of the changed functions, those that the tests made and neighbours of them,
    to what they came to, where that was asked for and the functions were swapped. ``reached`` holds for
    each test that ended the lines of project files, by their real paths, that it executed,
    ``branches`` the ways that it took from lines with more than one (on an interpreter without
    ``sys.monitoring`` from all), ``values`` the variables with which a test's functions returned, by
    the file and the functions' first lines, ``touched`` what it did to its surroundings (see
    ``forked.guard``), ``scripts`` the files that it executed without an import (``runpy``, ``exec``, a
    process), where that was asked for. ``same`` are the numbers of ``alternatives``, each an expression
    and one in its place, that came to the same each time that the former was evaluated.
    """

    run: TestRun
    how: How
    test: str | None = None
    ran: tuple[Ran, ...] = ()
    behaviour: Mapping[str, str] = field(default_factory=dict)
    reached: Mapping[str, frozenset[Line]] = field(default_factory=dict)
    branches: Mapping[str, frozenset[Branch]] = field(default_factory=dict)
    values: Mapping[str, Mapping[Line, Mapping[str, Value]]] = field(default_factory=dict)
    touched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    scripts: Mapping[str, frozenset[Path]] = field(default_factory=dict)
    same: frozenset[tuple[int, int]] = frozenset()

    @property
    def executed(self) -> bool:
        """Whether what the tests said is about the candidate at all."""
        return self.test is not None


def start(
    command: PytestCommand, jobs: int = 1, original: Path | None = None
) -> WarmServer | Declined:
    """Start a server that tries up to ``jobs`` candidates at a time. Does not wait for it.

    ``original`` says that the root is a copy of that project; runs name all files as in the original.
    """
    if not sys.platform.startswith("linux"):
        return Declined("forking a process is safe on Linux only")
    if isinstance(command.sandbox, SandboxMissing):
        return Declined(str(command.sandbox))
    if command.sandbox is not None and len(os.fsencode(command.scratch or "")) > _DEEPEST:
        return Declined("the temporary folder is too deep for a server in a sandbox")
    return WarmServer(command, jobs, original)


class WarmServer:
    """A running server; close it. Its methods may be called from several threads at once."""

    def __init__(self, command: PytestCommand, jobs: int, original: Path | None = None) -> None:
        self.command = command
        self._moved = None if original is None else (command.root, original)
        self._resources = ExitStack()
        scratch = self._resources.enter_context(launch.scratch_folder(command))
        self._folder = self._resources.enter_context(launch.run_folder(scratch))
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # The address of a socket holds 107 bytes, and a temporary folder may be deep.
        self._at = os.open(self._folder.given, os.O_PATH)
        self._resources.callback(os.close, self._at)
        self._listener.bind(f"/proc/self/fd/{self._at}/server")
        self._listener.listen(2 * jobs + 4)
        self._changed = Condition()
        self._idle: dict[Place, list[_Slot]] = {"call": [], "swap": [], "overlay": []}
        self._slots: dict[Place, int] = {"call": 0, "swap": 0, "overlay": 0}
        self._lost: set[Place] = set()
        self._collected: socket.socket | None = None  # the process that forks those for "call"
        self._test, self._times = "", 0  # what was tried last alone, and how often
        self._approaching = False  # whether a process is on its way to the call of that
        self._ended: int | None = None  # pytest's status, where it did not come to serve
        self._seconds = 0.0
        self._declined: str | None = None
        self._gone: str | None = None  # why there is no server
        self._stop = Event()
        self._began = time.monotonic()
        self._threads = [
            Thread(target=self._accept, daemon=True),
            Thread(target=self._run, args=[scratch, jobs], daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> WarmServer:  # noqa: PYI034 - Self needs Python 3.11
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    # --- the server's process ---

    def _run(self, scratch: Path, jobs: int) -> None:
        installed = launch.install(self.command, scratch)
        given = {
            "address": self._address(),
            "output": str(self._folder.results / "output"),
            "overlay": installed.module("overlay"),
            "recorder": installed.module("recorder"),
            "deadline": installed.module("deadline"),
            "slots": jobs + 1,  # one cleans up while the next is at work
        }
        report = self._folder.results / "report"
        env = launch.environment(self.command, installed, scratch, report)
        env["SELFDEBUG_WARM"] = json.dumps(given)
        plugins = [installed.option(each) for each in _PLUGINS]
        line = launch.confined(self.command, launch.argv(self.command, plugins), scratch, env)
        why = "the server ended"
        try:
            ended = process.run(
                line,
                cwd=self.command.root,
                env=env,
                timeout=float("inf"),
                stop=self._stop,
                mark=str(report),
            )
            why = f"{why}: {ended.output[-2000:].strip()}" if ended.output else why
        except (OSError, ValueError) as error:  # the latter for what no command line can have
            why = f"{self.command.python} can't be started: {error}"
        with self._changed:
            self._gone = why
            self._changed.notify_all()

    def _address(self) -> str:
        """Where the server's process finds our socket; a sandbox does not see our process."""
        if self.command.sandbox is not None:
            return str(self._folder.given / "server")
        return f"/proc/{os.getpid()}/fd/{self._at}/server"

    def _accept(self) -> None:
        """Take in the slots, each of which says where it stands, and news of the collection."""
        while True:
            try:
                connection, _ = self._listener.accept()
                hello = json.loads(connection.recv(_MESSAGE))
            except (OSError, ValueError):
                return
            with self._changed:
                self._hear(connection, **hello)
                self._changed.notify_all()

    def _hear(
        self,
        connection: socket.socket,
        place: Place | Literal["collected"],
        declined: str | None = None,
        status: int | None = None,
        test: str = "",
    ) -> None:
        if self._gone is not None:  # it ends where nobody speaks to it
            connection.close()
            return
        if place == "collected":
            self._collected = connection
            return

        if place == "call":
            self._approaching &= test != self._test
            if declined is not None or test != self._test:
                connection.close()  # the other places are there for it, or the search is elsewhere
                return
        if declined is None and status is None:
            self._slots[place] += 1
            self._idle[place].append(_Slot(connection, self._new_folder()))
            return
        connection.close()
        self._declined = self._declined or declined
        if status is not None and not self._slots["swap"] and self._declined is None:
            self._ended, self._seconds = status, time.monotonic() - self._began

    def retire(self) -> None:
        """Let the server begin to end: nothing more is tried."""
        with self._changed:
            self._gone = self._gone or "the server was closed"
            for place in self._idle:
                self._dismiss(place)
            if self._collected is not None:
                self._collected.close()
            self._changed.notify_all()

    def close(self) -> None:
        """End the server with all its candidates, and remove what it left."""
        self.retire()
        self._threads[1].join(process.GRACE)
        self._stop.set()
        self._threads[1].join()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._threads[0].join()
        self._resources.close()

    def _dismiss(self, place: Place) -> None:
        while self._idle[place]:
            self._idle[place].pop().connection.close()
            self._slots[place] -= 1

    def _wait_for_calls(self, test: str) -> None:
        """Have processes wait where a test is called, once that was asked for often enough."""
        with self._changed:
            if test != self._test:
                self._dismiss("call")
                self._test, self._times, self._approaching = test, 0, False
            self._times += 1
            if self._times == HOT and self._collected is not None:
                with suppress(OSError):
                    self._collected.send(test.encode())
                    self._approaching = True

    # --- what it is asked ---

    def ready(self) -> Declined | None:
        """Wait until the tests are collected; Declined if nothing can be tried now."""
        with self._changed:
            self._changed.wait_for(lambda: self._serves("swap") is not None)
            served = self._serves("swap") or self._ended is not None
            return None if served else Declined(self._why())

    def observe(
        self, *, timeout: float | None = None, stop: Event | None = None
    ) -> TestRun | Declined:
        """Run the whole suite as it is: what a cold run says, without collecting once more.

        ``timeout`` in seconds is the command's unless given.
        """
        seconds = self.command.timeout if timeout is None else timeout
        slot = self._take("swap")
        if slot is not None:
            allowed = Limits(seconds, patience=self.command.patience)
            request = _request({}, (), allowed, first_failure=False)
            outcome = self._ask("swap", slot, request, stop)
            return outcome.run if isinstance(outcome, WarmRun) else outcome
        if self._ended is None:
            return Declined(self._why())
        return _read(self._folder.results, self._ended, self._seconds, self._moved)

    def reached(
        self, allowed: Limits, watched: Collection[str] = (), *, stop: Event | None = None
    ) -> WarmRun | Declined:
        """Run the whole suite as it is, and tell in ``reached`` which lines each test executes.

        For the tests ``watched``, which are run first, also tell ``values``; the others of their files
        follow. Each test's time is a few times what it is without this; what is not run in the time
        allowed is left out.
        """
        slot = self._take("swap")
        if slot is None:
            return Declined(self._why())
        request = _request({}, (), allowed, first_failure=False, reached=True)
        request["watched"] = sorted(watched)
        return self._ask("swap", slot, request, stop)

    def run(
        self,
        replaced: Mapping[Path, bytes],
        select: Sequence[str],
        allowed: Limits,
        *,
        first_failure: bool = True,
        stop: Event | None = None,
        behaviour: bool = False,
        inputs: Mapping[str, Sequence[str]] | None = None,
        known: Collection[str] | None = None,
        written: bool = False,
        reached: bool = False,
        programs: bool = True,
        alternatives: Sequence[Watched] = (),
    ) -> WarmRun | Declined:
        """Run the tests with the node ids ``select``, in this order, against replaced files.

        ``replaced`` is what the files of these absolute paths hold. With ``first_failure`` the run
        ends there. It has no exit code when the time of ``allowed`` was over, or ``stop`` was set. With
        ``behaviour`` a run in which all passed also tells what the changed functions do besides, with
        ``inputs`` too, literals by the type that they have. With ``known`` the tests may do nothing to
        their surroundings but that (see ``WarmRun.touched``).
        ``written`` says that the files themselves hold it, so that programs see it too; which code ran
        is then for ``reached`` to tell. ``alternatives`` are expressions that the new text tells the
        watch of before it evaluates them (see ``WarmRun.same``). Programs that tests start are told to
        look at themselves (see ``run_pytest``) unless ``programs`` is False.
        """
        declined = None
        alone = len(select) == 1 and bool(replaced) and not (behaviour or reached)
        if alone:
            self._wait_for_calls(select[0])
        for place in ("call", *_PLACES) if alone else _PLACES:
            slot = self._take(place, allowed.seconds if place == "call" else None)
            if slot is None:
                continue
            if place == "overlay":
                allowed = replace(allowed, seconds=allowed.seconds + allowed.imports)
            request = _request(replaced, select, allowed, first_failure, reached=reached)
            request["known"] = None if known is None else sorted(known)
            request.update(behaviour=behaviour, inputs=inputs or {}, written=written)
            request.update(programs=programs, alternatives=alternatives)
            outcome = self._ask(place, slot, request, stop)
            if isinstance(outcome, WarmRun):
                return outcome
            declined = outcome
        return declined or Declined(self._why())

    def _ask(
        self,
        place: Place,
        slot: _Slot,
        request: Mapping[str, Any],
        stop: Event | None,
    ) -> WarmRun | Declined:
        folder = slot.folder
        try:
            began = time.monotonic()
            answer = self._answer(slot, request, stop)
            if answer is None:
                return Declined("the process that tried the candidate was ended from outside")
            seconds = time.monotonic() - began
            run = _read(folder, answer["status"], seconds, self._moved)
            notes = _notes(folder / "report")
            by_test = told_by_test(folder / "report", self._moved) if request["reached"] else {}
        finally:
            self._give_back(place, slot)
        if "declined" in notes:
            return Declined(notes["declined"])
        if request["replaced"] and run.spawned and not request["written"]:
            reason = "the tests start other programs, which see the files as they are"
            return Declined(reason, spawned=True)
        ran = tuple(
            Ran(self._as_original(each["file"]), each["function"], each["line"], each["digest"])
            for each in notes.get("ran", ())
        )
        how: How = "call" if place == "call" else notes.get("how", "as is")
        behaviour = notes.get("behaviour", {})
        same = frozenset((number, other) for number, other in notes.get("same", ()))
        return WarmRun(run, how, notes.get("test"), ran, behaviour, same=same, **by_test)

    def _as_original(self, file: str) -> Path:
        if self._moved is None or not Path(file).is_relative_to(self._moved[0]):
            return Path(file)
        return self._moved[1] / Path(file).relative_to(self._moved[0])

    def _answer(self, slot: _Slot, request: Mapping[str, Any], stop: Event | None) -> Any:
        """Let a slot try it; None if there is no answer."""
        asked = json.dumps({**request, "folder": str(slot.folder)}).encode()
        if len(asked) > _MESSAGE // 2:
            asked = self._written(asked)
        connection, message = slot.connection, b""
        try:
            connection.send(asked)
            connection.settimeout(None if stop is None else _TICK)
            while True:
                try:
                    message = connection.recv(_MESSAGE)
                    break
                except TimeoutError:
                    if stop is not None and stop.is_set():
                        connection.settimeout(None)
                        connection.send(_STOP)
                        stop = None
        except OSError:
            pass
        if not message:
            connection.close()
        return json.loads(message) if message else None

    def _written(self, request: bytes) -> bytes:
        """Write a request that is too long for a packet, and return where."""
        with tempfile.NamedTemporaryFile(dir=self._folder.given, delete=False) as file:
            file.write(request)
        return os.fsencode(file.name)

    def _give_back(self, place: Place, slot: _Slot) -> None:
        """Let a slot be free again, with nothing left of what it did."""
        if slot.connection.fileno() >= 0:
            slot = _Slot(slot.connection, self._cleared(slot.folder))
        with self._changed:
            if slot.connection.fileno() >= 0 and self._gone is None:
                self._idle[place].append(slot)
            else:
                slot.connection.close()
                self._slots[place] -= 1
                if not self._slots[place]:
                    self._lost.add(place)  # what forked them may live on
            self._changed.notify_all()

    def _cleared(self, folder: Path) -> Path:
        """Return the folder without the report and the output of a trial, or a new one.

        Where the tests left something else, or a link in its place, it is not used again.
        """
        with suppress(OSError):
            if stat.S_ISDIR(folder.lstat().st_mode):
                found = [*folder.iterdir()]
                if all(path.name == "output" or _is_ours(path) for path in found):
                    for path in found:
                        if path.name != "output" or not _is_new(path.lstat()):
                            path.unlink()
                    return folder
        shutil.rmtree(folder, ignore_errors=True)
        return self._new_folder()

    def _new_folder(self) -> Path:
        return Path(tempfile.mkdtemp(prefix="run-", dir=self._folder.results))

    def _take(self, place: Place, seconds: float | None = None) -> _Slot | None:
        """Wait for a free slot; None where there is none to wait for, or not in that time."""
        idle = self._idle[place]
        with self._changed:
            self._changed.wait_for(lambda: idle or self._serves(place) is False, seconds)
            return idle.pop(0) if idle else None

    def _serves(self, place: Place) -> bool | None:
        """Whether there are slots; None while that is open."""
        if self._gone is not None:
            return False
        if self._slots[place]:
            return True
        if place == "call":
            return None if self._approaching else False
        over = self._declined is not None or self._ended is not None or place in self._lost
        return False if place == "swap" and over else None

    def _why(self) -> str:
        return self._declined or self._gone or "no process of the server is left"


def _is_ours(path: Path) -> bool:
    """Whether it is a report, or what processes that tests started were told, or told."""
    return path.name.startswith("report") and not path.is_dir()


def _is_new(status: os.stat_result) -> bool:
    """Whether it is an empty file that has one name."""
    return stat.S_ISREG(status.st_mode) and status.st_size == 0 and status.st_nlink == 1


def _request(
    replaced: Mapping[Path, bytes],
    select: Sequence[str],
    allowed: Limits,
    first_failure: bool,
    *,
    reached: bool = False,
) -> dict[str, Any]:
    """Return what a slot is told to do."""
    return asdict(allowed) | {
        "replaced": {str(path): text.decode("latin-1") for path, text in replaced.items()},
        "select": [node for node in select if node],
        "stop": first_failure,
        "behaviour": False,
        "inputs": {},
        "reached": reached,
        "known": None,
        "written": False,
        "programs": reached,
        "alternatives": [],
    }


def _read(
    folder: Path, exit_code: int | None, seconds: float, moved: tuple[Path, Path] | None
) -> TestRun:
    from selfdebug.ingestion import records  # once the server is on its way

    output = process.Output()
    with suppress(FileNotFoundError), (folder / "output").open("rb") as stream:
        output.drain(stream)
    return records.read(
        folder / "report",
        exit_code=exit_code,
        seconds=seconds,
        output=output.text(),
        moved=moved,
    )


def told_by_test(report: Path, moved: tuple[Path, Path] | None = None) -> dict[str, dict[str, Any]]:
    """Return by fields of a run, and by tests, what these executed, saw and touched."""
    from selfdebug.ingestion import records

    told: dict[str, dict[str, Any]] = {name: {} for name in _TOLD_BY_TEST}
    for record in records.told(report, "reached", moved):
        test = record["test"]
        files = {file: Path(file) for file in (*record["files"], *record["scripts"])}
        told["reached"][test] = frozenset(
            (files[file], line) for file, lines in record["files"].items() for line in lines
        )
        told["branches"][test] = frozenset(
            (files[file], *each) for file, ways in record["branches"].items() for each in ways
        )
        told["scripts"][test] = frozenset(files[file] for file in record["scripts"])
        told["touched"][test] = tuple(record["touched"])
        told["values"][test] = {
            (Path(file), int(first)): records.values(seen)
            for file, functions in record["values"].items()
            for first, seen in functions.items()
        }
    return told


def _notes(report: Path) -> dict[str, Any]:
    """What the server's half adds to the records of a run."""
    notes: dict[str, Any] = {}
    with suppress(FileNotFoundError), report.open("rb") as lines:
        for line in lines:
            if b'"kind":"warm"' in line:
                with suppress(ValueError):
                    notes |= json.loads(line)
    return notes
