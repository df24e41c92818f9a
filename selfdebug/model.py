"""The nouns that every step of the loop shares. Frozen, and without behaviour beyond themselves.

Coordinates follow libcst everywhere: lines count from 1, columns from 0 in code points (not bytes),
ends are exclusive. Where the outside world says otherwise (CPython's byte columns, a log's carets),
ingestion converts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Literal, TypeAlias

Phase = Literal["collect", "setup", "call", "teardown"]
Kind = Literal["root-cause", "guard", "default"]
Branch = Literal["cause", "guard", "entry", "rewrite", "edit"]
Confidence = Literal["high", "medium", "low"]
ProbeKind = Literal["DBG-PROBE", "DBG-STMT", "DBG-CAUGHT"]
STILL_RUNNING = "still running when the time was up"
Outcome = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of source text."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Value:
    """What a variable held, seen without running any code of the project.

    ``type`` is the qualified type name (``NoneType``, ``str``, ``shop.cart.Cart``); ``text`` a bounded,
    redacted repr, or None where making one would have run user code.
    """

    type: str
    text: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """One entry of a traceback, as its source spelled it: ``file`` may belong to another machine.

    The columns of ``span`` count in ``source``, the quoted line. A log quotes it without its
    indentation: what the file's line has more of it is to be added to both columns.
    """

    file: str
    line: int
    function: str | None = None
    span: Span | None = None
    source: str | None = None
    locals: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception with its frames, outermost first.

    ``before`` is the exception that this one was raised from (``cause``) or while handling
    (``context``), or that ended a program which the test started (``child``). ``members`` are the
    exceptions of an exception group. ``type`` is the name as shown
    (``KeyError``, ``json.decoder.JSONDecodeError``).
    ``attrs`` is what the exception carries besides its message, where our own run saw it: ``name``
    (the missing attribute, name or module), ``object`` (the type that lacks it), ``key``, ``path``,
    ``near`` (existing names that resemble ``name``, comma separated, best first), ``keys`` (a list,
    as Python writes it, of keys that resemble ``key`` in dictionaries that the frame could see);
    of an assertion that compared: ``op``, ``left`` and ``right`` (bounded reprs), ``left_type`` and
    ``right_type``.
    """

    type: str
    message: str
    frames: tuple[Frame, ...] = ()
    before: Raised | None = None
    relation: Literal["cause", "context", "child"] | None = None
    members: tuple[Raised, ...] = ()
    attrs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """One failing report of pytest: a test, or a file that could not be collected, in one phase.

    ``test`` is the node id ("" when unknown). ``raised`` is None where pytest shows only text
    (``pytest.fail(pytrace=False)``, a crashed worker); ``text`` holds it.
    ``source`` is the quoted text of the report's final location where there is no frame.
    """

    test: str
    phase: Phase
    raised: Raised | None
    text: str = ""
    subtest: str | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)

    @property
    def cause(self) -> Raised | None:
        """What ended a program that the test started, if that is known, or else what ended the test."""
        raised = self.raised
        while raised is not None and raised.before is not None:
            if raised.relation == "child":
                return raised.before
            raised = raised.before
        return self.raised

    @property
    def timed_out(self) -> bool:
        """Whether the test was ended where it was: by ``validation.deadline``, or by pytest-timeout.

        Or with its process, which is told by the beginning of ``text``.
        """
        raised = self.raised
        if raised is None:
            return self.text.startswith(STILL_RUNNING)
        return raised.type == "TestTimeout" or (
            raised.type == "Failed" and raised.message.startswith("Timeout")
        )


@dataclass(frozen=True, slots=True)
class TestRun:
    """What one pytest process did. ``exit_code`` is its verdict; None when it was ended at the limit.

    ``outcomes`` maps node ids to the worst outcome over the phases. ``crashed`` names the tests that
    were running when a test process died. ``output`` is the bounded tail of stdout and stderr.
    ``overlaid`` holds the replaced files (see ``validation.cold``) that the tests really loaded;
    ``spawned`` says that they started other processes, where a replacement does not reach.
    ``rootdir`` is what pytest takes for the project's folder; "" where it did not come to that.
    """

    __test__ = False

    exit_code: int | None
    failures: tuple[Failure, ...]
    outcomes: Mapping[str, Outcome]
    seconds: float
    durations: Mapping[str, float] = field(default_factory=dict)
    crashed: tuple[str, ...] = ()
    output: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    overlaid: frozenset[str] = frozenset()
    spawned: bool = False
    rootdir: str = ""


@dataclass(frozen=True, slots=True)
class OriginStep:
    """One step on the way of a bad value, from where it was born to where it hurt.

    ``in_place`` says that the value is what a method returned that changes its object: None.
    """

    file: Path
    line: int
    what: str
    code: str
    in_place: bool = False


@dataclass(frozen=True, slots=True)
class Site:
    """The place of a failure in the project's source, exact to a libcst node.

    ``span`` and ``node`` (the libcst class name) and ``code`` name the failing expression or
    statement. ``bad`` is the span of the sub-expression whose value was wrong (the receiver that was
    None), with its text in ``bad_code``; None where nothing tells. ``certain`` is False where several
    sub-expressions fit and this is one guess of several, best first. ``attrs`` is what the exception
    carries (see ``Raised``); ``deeper`` says that it was raised in code that the site called.
    ``suspicion`` is more than 0 where no traceback but what the tests execute points to a statement:
    how likely, from 0 to 1, it is to be wrong, although ``passing`` tests execute it. ``shapes`` is
    then what a wrong result tells of the fault (see ``localization.shape``), and ``wanted`` among
    ``attrs`` is what the assertion wants, where that is nothing in particular: None, empty, a boolean;
    ``why`` is what speaks against it besides what the tests execute, if anything.
    """

    file: Path
    span: Span
    node: str
    code: str
    exc_type: str
    message: str
    function: str | None = None
    bad: Span | None = None
    bad_code: str | None = None
    certain: bool = True
    origin: tuple[OriginStep, ...] = ()
    locals: Mapping[str, Value] = field(default_factory=dict)
    callers: tuple[Frame, ...] = ()
    attrs: Mapping[str, str] = field(default_factory=dict)
    deeper: bool = False
    suspicion: float = 0.0
    passing: int = 0
    shapes: frozenset[str] = frozenset()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace bytes ``start`` to ``end`` of a file that holds ``before`` there by ``after``."""

    file: Path
    start: int
    end: int
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class Candidate:
    """Edits that may repair a failure, not tried yet.

    ``variant`` names the form that the codemod gave the repair; ``why`` is a sentence for a reviewer;
    ``growth`` is the most cyclomatic complexity that the template may add to the function. ``prior`` is
    how likely the template is right where it applies, from 0 to 1; ``cost`` says how unlikely the
    candidate is, all told (see ``planning.score``): the least is tried first. ``branch`` is where it
    repairs: at the cause, at the failing place, at the function's entry, by another form of the failing
    loop or expression, or by a small edit of a suspicious statement.
    """

    edits: tuple[Edit, ...]
    codemod: str
    variant: str
    kind: Kind
    why: str
    site: Site
    growth: int = 1
    prior: float = 0.0
    cost: float = 0.0
    branch: Branch = "cause"


class Judgement(Enum):
    """The three things that trying a candidate can show."""

    PLAUSIBLE = "plausible"
    FAILS = "fails"
    BREAKS = "breaks"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the tests said of a candidate. ``run`` is the evidence, ``why`` a sentence."""

    judgement: Judgement
    why: str
    run: TestRun


FinalStatus: TypeAlias = Literal[
    "pass", "fail", "no-failure", "no-frame", "no-codemod", "rejected", "interrupted", "error"
]

SearchEnd: TypeAlias = Literal["found", "space", "time", "candidates", "attempts"]
"""Why no more was tried: a patch held, nothing was left, or a limit was reached."""


@dataclass(frozen=True, slots=True)
class Traceback:
    """A failing test and phase as callers are told of it.

    ``file`` is relative to the root with ``/`` where it lies inside (``in_project``), else as the
    source spelled it. Columns count from 1 here, as editors show them.
    """

    file: str
    line: int
    exc_type: str
    msg: str
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    function: str | None = None
    test: str = ""
    phase: Phase = "call"
    in_project: bool = False


@dataclass(frozen=True, slots=True)
class Explored:
    """How many candidates of a branch were proposed, ruled out without a trial, and tried."""

    branch: Branch
    proposed: int
    pruned: int
    tried: int


@dataclass(frozen=True, slots=True)
class Ruling:
    """A candidate with the reason for which it was not kept."""

    candidate: Candidate
    why: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A call to which two patches answer differently: the question that a reviewer would ask.

    ``here`` is what it comes to with the patch that was kept, ``there`` with the other.
    """

    call: str
    here: str
    there: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another candidate under which the open tests passed too.

    ``differs`` is None where it did the same on all inputs that were compared; ``compared`` says
    whether any were. ``becomes`` are the lines that it changes or adds, as it writes them.
    """

    candidate: Candidate
    differs: Difference | None = None
    compared: bool = True
    becomes: str = ""


@dataclass(frozen=True, slots=True)
class Patch:
    """A candidate that was kept, and how far it may be trusted by the rules of ``planning.trust``.

    ``doubts`` are sentences that say why not more.
    """

    candidate: Candidate
    confidence: Confidence
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recovery:
    """How to undo by hand. ``command`` is what to type; ``conflicts`` are files left alone."""

    backups: tuple[Path, ...] = ()
    ref: str | None = None
    command: str | None = None
    conflicts: tuple[str, ...] = ()
    stashes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """What a sub-expression came to."""

    code: str
    span: Span
    value: Value


@dataclass(frozen=True, slots=True)
class ProbeRecord:
    """What one execution of a statement showed: variables before it, values in it, or its exception.

    ``line`` and ``column`` are where the statement begins (or the header's expression, the lambda's
    body), in the file without its probes. ``values`` stand in the order of their evaluation. ``hit``
    counts the executions, ``n`` orders the records of a process.
    """

    kind: ProbeKind
    file: Path
    line: int
    column: int
    code: str
    function: str
    pid: int
    n: int
    hit: int
    locals: Mapping[str, Value] = field(default_factory=dict)
    values: tuple[Seen, ...] = ()
    exception: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Healing:
    """The end of a run, for every kind of report.

    ``message`` is a sentence for people. ``diff`` is the verified patch as bytes. ``siblings`` are the
    same repairs at other places with the same pattern, not made. ``suspects`` are the most suspicious
    statements where no frame names the culprit, ``tried`` counts the candidates. ``small_edits`` of
    these are edits of such statements, and ``pruned`` more were not tried: they change no value in the
    failing test. ``branches`` counts all. ``search_end`` is None where the search did not begin, or was
    cut short. ``before`` and ``after`` map node ids to outcomes.
    ``timings`` are in seconds. ``sandbox`` is what confined the tests, if anything.
    """

    run_id: str
    root: Path
    exit_code: int
    final_status: FinalStatus
    message: str
    attempts: int = 0
    rollback: bool = False
    files_patched: tuple[str, ...] = ()
    tracebacks: tuple[Traceback, ...] = ()
    diff: bytes = b""
    patches: tuple[Patch, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    siblings: tuple[Candidate, ...] = ()
    suspects: tuple[Site, ...] = ()
    tried: int = 0
    small_edits: int = 0
    pruned: int = 0
    branches: tuple[Explored, ...] = ()
    search_end: SearchEnd | None = None
    rejected: tuple[Ruling, ...] = ()
    before: Mapping[str, Outcome] = field(default_factory=dict)
    after: Mapping[str, Outcome] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    recovery: Recovery = field(default_factory=Recovery)
    probes: tuple[ProbeRecord, ...] = ()
    notes: tuple[str, ...] = ()
    dry_run: bool = False
    sandbox: str | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What ``diagnose`` found. Each site comes with the names of the codemods that would answer it.

    ``siblings`` are other sites with the pattern of one of them, where that was asked for.
    ``suspects`` are the most suspicious statements where no frame names the culprit.
    """

    root: Path
    exit_code: int
    message: str
    tracebacks: tuple[Traceback, ...] = ()
    sites: tuple[tuple[Site, tuple[str, ...]], ...] = ()
    siblings: tuple[Site, ...] = ()
    suspects: tuple[Site, ...] = ()
    sandbox: str | None = None
