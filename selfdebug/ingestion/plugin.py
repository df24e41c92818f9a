"""A pytest plugin that writes what failed, exactly, as JSON lines to the file ``SELFDEBUG_REPORT``.

One file, standard library only, for Python 3.7 and pytest 5 and later: the runner copies it next to
the project's own interpreter and loads it with ``-p``. ``records.py`` reads what it writes.

It only looks. No code of the project runs to make a repr: values are told apart by their exact type,
attributes are read from instance dictionaries and slots. Nothing goes to standard output, no frame
outlives its report, and what a test patches (``open``, ``os``, ``json``, the clock) does not reach it.
"""

# A test may patch pathlib, and pytest documents its hooks.
# ruff: noqa: D102, D103, PTH100, PTH109, PTH110, PTH118, PTH120

from __future__ import annotations

import collections
import datetime
import decimal
import difflib
import itertools
import json
import linecache
import os
import pathlib
import re
import sys
import tokenize
import types
from io import BytesIO, FileIO
from os import getpid
from typing import TYPE_CHECKING, Any

import pytest

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from typing import TypeGuard

    Record = dict[str, Any]
else:
    Record = dict  # not subscriptable before Python 3.9

MESSAGE = 4000  # characters kept of a message, a text, a captured section
TEXT = 200  # characters kept of one string among the locals
ITEMS = 10  # elements shown of a container
DEPTH = 3  # of nested containers, and of attributes
LOCALS = 60  # variables per frame
OUTER, INNER = 20, 60  # frames kept of each end of a traceback
SEEN = 12  # innermost frames of the project that show their locals
CHAIN = 10  # exceptions followed along __cause__ and __context__
MEMBERS = 20  # exceptions shown of a group
BUDGET = 32_000_000  # bytes written by one process before locals are left out

_CO_OPTIMIZED = 0x1
_TOKEN = "_selfdebug_token"


# Bound now: a test may patch these modules.
_dumps = json.JSONEncoder(separators=(",", ":")).encode
_START = os.getcwd()


# --- looking at objects without running their code ---

_get_mro = type.__dict__["__mro__"].__get__
_get_namespace = type.__dict__["__dict__"].__get__
_get_module = type.__dict__["__module__"].__get__
_get_qualname = type.__dict__["__qualname__"].__get__
_get_cause = BaseException.__dict__["__cause__"].__get__
_get_context = BaseException.__dict__["__context__"].__get__
_get_suppress = BaseException.__dict__["__suppress_context__"].__get__
_get_traceback = BaseException.__dict__["__traceback__"].__get__
_get_args = BaseException.__dict__["args"].__get__


def _ids(*kinds: type) -> frozenset[int]:
    """Types by their identity: ``in`` a tuple or dict of types asks a metaclass's ``__eq__``."""
    return frozenset(map(id, kinds))


_SIZED: tuple[Any, ...] = (dict, list, tuple, set, frozenset, str, bytes, bytearray)
_STRINGS = _ids(str, bytes, bytearray)
_PLAIN = _ids(type(None), bool, float, complex, range, type(...), type(NotImplemented))
_LIBRARY = _ids(
    datetime.date,
    datetime.timedelta,
    decimal.Decimal,
    pathlib.PurePosixPath,
    pathlib.PureWindowsPath,
    type(pathlib.Path()),
)
_MAPPINGS = _ids(dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
_LISTS = _ids(list, collections.deque)
_CONTAINERS = _MAPPINGS | _LISTS | _ids(tuple, set, frozenset)
_CODE = _ids(
    type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType
)


def _derives(kind: type, base: type) -> bool:
    return any(each is base for each in _get_mro(kind))


def type_name(kind: type) -> str:
    """The name as a traceback shows it: ``KeyError``, ``json.decoder.JSONDecodeError``."""
    module, name = _get_module(kind), _get_qualname(kind)
    plain = type(module) is not str or module in ("builtins", "__main__")
    return _text(name if plain else module + "." + name, TEXT)


def view(value: object, name: str = "") -> Record:
    """The type, size and bounded repr of a value, without running any code of its class.

    ``name`` is what it is called: the text of a password is left out.
    """
    kind = type(value)
    seen = Record(type=type_name(kind))
    base = next((each for each in _SIZED if _derives(kind, each)), None)
    if base is not None:
        seen["size"] = base.__len__(value)
    text = _shape(value, kind) or _repr(value, DEPTH, set())
    if text is not None:
        hidden = id(kind) not in _PLAIN and is_secret(name)
        seen["text"] = HIDDEN if hidden else redact(text)
    return seen


def _repr(value: object, depth: int, inside: set[int]) -> str | None:
    """None for a value whose class is not known to be harmless."""
    kind = type(value)
    if id(kind) in _PLAIN or id(kind) in _LIBRARY:
        return repr(value)
    if kind is int:
        bits = int.bit_length(value)  # type: ignore[arg-type]
        return repr(value) if bits <= 512 else f"<int of {bits} bits>"
    if id(kind) in _STRINGS:
        return _quoted(value)  # type: ignore[arg-type]
    if id(kind) in _CONTAINERS:
        return _container(value, depth, inside)
    return None


def _quoted(value: str | bytes) -> str:
    if len(value) <= TEXT:
        return repr(value)
    return f"{value[: TEXT - 60]!r}...{value[-60:]!r}"


def _container(value: Any, depth: int, inside: set[int]) -> str:
    kind = type(value)
    opening, closing = "[]" if id(kind) in _LISTS else ("()" if kind is tuple else "{}")
    if id(value) in inside or not depth:
        return opening + "..." + closing
    inside.add(id(value))
    if id(kind) in _MAPPINGS:
        pairs = itertools.islice(dict.items(value), ITEMS)
        shown = [_pair(key, each, depth - 1, inside) for key, each in pairs]
    else:
        shown = [_repr_or_type(each, depth - 1, inside) for each in itertools.islice(value, ITEMS)]
    inside.discard(id(value))
    if len(value) > ITEMS:
        shown.append("...")
    comma = "," if kind is tuple and len(value) == 1 else ""
    return opening + ", ".join(shown) + comma + closing


def _pair(key: object, value: object, depth: int, inside: set[int]) -> str:
    hidden = type(key) is str and is_secret(key) and id(type(value)) not in _PLAIN
    shown = HIDDEN if hidden else _repr_or_type(value, depth, inside)
    return _repr_or_type(key, depth, inside) + ": " + shown


def _repr_or_type(value: object, depth: int, inside: set[int]) -> str:
    shown = _repr(value, depth, inside)
    if shown is None and type(value) is type:
        shown = f"<class {type_name(value)}>"
    return shown or f"<{type_name(type(value))}>"


def _shape(value: Any, kind: type) -> str | None:
    """Shape and dtype of arrays and frames, which are never asked for their elements."""
    for module, names in (("numpy", ("ndarray",)), ("pandas", ("DataFrame", "Series"))):
        loaded = sys.modules.get(module)
        if loaded is None or type(loaded) is not types.ModuleType:
            continue
        if any(loaded.__dict__.get(name) is kind for name in names):
            return f"<{kind.__name__} of shape {value.shape!r}>"
    return None


def attributes(value: object) -> Record:
    """The instance's own attributes, from its dictionary and slots; properties are not asked."""
    found = Record()
    for cls in _get_mro(type(value)):
        for name, member in _get_namespace(cls).items():
            if type(member) is types.MemberDescriptorType:
                try:
                    found[name] = member.__get__(value)
                except (AttributeError, TypeError):  # an empty slot, or one of another class
                    continue
            elif name == "__dict__" and type(member) is types.GetSetDescriptorType:
                own = member.__get__(value)
                if type(own) is dict:
                    found.update((k, v) for k, v in own.items() if type(k) is str)
    return found


# --- secrets ---

HIDDEN = "<redacted>"
_SECRET_NAME = re.compile(
    r"pass(word|wd|phrase)|^pwd$|secret|api_?key|private_?key|credential|authorization|cookie"
    r"|(^|_)(token|auth|session_?id|csrf\w*)$|access_?key",
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(
    r"AKIA[0-9A-Z]{16}|gh[pousr]_\w{30,}|github_pat_\w{20,}|glpat-[\w-]{20,}|sk-[\w-]{20,}"
    r"|xox[abprs]-[\w-]{10,}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(-----END [A-Z ]*PRIVATE KEY-----)?"
    r"|(?<=://)[^\s/:@]+:[^\s/@]+(?=@)|(?<=[Bb]earer )[\w.~+/-]{8,}=*"
)
_SECRET_PAIR = re.compile(
    r"""((?:\w*(?:password|passwd|secret|api_?key|private_?key|access_?key|access_?token"""
    r"""|auth_?token)\w*)['"]?\s*[:=]\s*)('[^']*'|"[^"]*"|[^\s,;)}\]'"]+)""",
    re.IGNORECASE,
)


def is_secret(name: str) -> bool:
    """Whether a variable or key of this name is likely to hold a secret."""
    return _SECRET_NAME.search(name) is not None


def redact(text: str) -> str:
    """The text without what looks like a key, a password or a token."""
    text = _SECRET_VALUE.sub(HIDDEN, text)
    return _SECRET_PAIR.sub(lambda found: found.group(1) + HIDDEN, text)


def _text(text: str, limit: int = MESSAGE) -> str:
    """A bounded, exact ``str`` that UTF-8 can carry, redacted; its middle left out when long."""
    if len(text) > limit:
        text = text[: limit * 3 // 4] + "..." + text[-limit // 4 :]
    return redact(str.encode(text, "utf-8", "backslashreplace").decode())


# --- frames ---


class Place:
    """Which files belong to the project: under the root, and not installed there."""

    def __init__(self, root: str) -> None:
        self.roots = tuple({_folder(root), _folder(os.path.realpath(root))})
        self.prefixes = tuple({_folder(sys.prefix), _folder(sys.base_prefix)})
        self.internal = tuple(
            _folder(os.path.dirname(str(sys.modules[name].__file__)))
            for name in ("_pytest", "pluggy", __name__)
            if getattr(sys.modules.get(name), "__file__", None)
        )

    def owns(self, file: str) -> bool:
        installed = file.startswith(self.prefixes) or "site-packages" in file
        return file.startswith(self.roots) and not installed

    def hides(self, file: str) -> bool:
        """Whether the frame is pytest's machinery, or that of a plugin next to this file."""
        return file == __file__ or (file.startswith(self.internal) and not self.owns(file))


def _folder(path: str) -> str:
    return os.path.join(os.path.abspath(path), "")


def _absolute(file: str) -> str:
    return file if file.startswith("<") else os.path.normpath(os.path.join(_START, file))


def _steps(traceback: types.TracebackType | None) -> Iterator[types.TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def frames(traceback: types.TracebackType | None, place: Place, locals_: bool) -> list[Record]:
    """What a traceback went through, outermost first; long ones lose their middle."""
    steps = [
        step
        for step in _steps(traceback)
        if not place.hides(_absolute(step.tb_frame.f_code.co_filename))
    ]
    if len(steps) > OUTER + INNER:
        steps = steps[:OUTER] + steps[-INNER:]
    own = [s for s in steps if place.owns(_absolute(s.tb_frame.f_code.co_filename))]
    shown = {id(step) for step in own[-SEEN:]} if locals_ else set()
    return [_frame(step, id(step) in shown) for step in steps]


def _frame(step: types.TracebackType, locals_: bool) -> Record:
    code = step.tb_frame.f_code
    file = _absolute(code.co_filename)
    frame = Record(
        file=file,
        line=step.tb_lineno,
        function=getattr(code, "co_qualname", code.co_name),
        source=_line(file, step.tb_lineno),
        span=_span(code, step.tb_lasti, file),
    )
    if locals_:
        frame["locals"] = variables(step.tb_frame)
    return frame


def _span(code: Any, instruction: int, file: str) -> list[int] | None:
    """Line and column, end line and end column, in characters; None before Python 3.11."""
    if not hasattr(code, "co_positions") or instruction < 0:
        return None
    positions = next(itertools.islice(code.co_positions(), instruction // 2, None), None)
    if positions is None or None in positions:
        return None
    line, end_line, column, end_column = positions
    return [
        line,
        _characters(file, line, column),
        end_line,
        _characters(file, end_line, end_column),
    ]


def _characters(file: str, line: int, column: int) -> int:
    """CPython counts columns in bytes of UTF-8."""
    source = _line(file, line)
    if source is None or source.isascii():
        return column
    return len(source.encode("utf-8", "replace")[:column].decode("utf-8", "replace"))


_NEWLINE = re.compile("\r\n|\r|\n")  # compiled once for all forks of a process
_sources: dict[str, list[str]] = {}


def _line(file: str, line: int) -> str | None:
    """The source line without its end. Files are read once, and not by way of ``builtins.open``."""
    lines = _sources.get(file)
    if lines is None:
        lines = _sources[file] = _read(file)
    return lines[line - 1] if 0 < line <= len(lines) else None


def _read(file: str) -> list[str]:
    cached = linecache.cache.get(file)
    if cached is not None and len(cached) == 4 and cached[1] is None:  # text without a file
        return [each.rstrip("\r\n") for each in cached[2]]
    try:
        with FileIO(file) as stream:
            source = stream.readall()
        encoding, _ = tokenize.detect_encoding(BytesIO(source).readline)
        text = source.decode(encoding, "replace")
    except (OSError, SyntaxError, ValueError):
        return []
    return _NEWLINE.split(text)


def variables(frame: types.FrameType) -> Record:
    """The frame's variables, the globals it names, and by dotted names the attributes it names."""
    code, local = frame.f_code, frame.f_locals
    if type(local) is not dict and not code.co_flags & _CO_OPTIMIZED:
        return Record()  # a class body in a namespace of its own kind
    values = Record((name, value) for name, value in local.items() if _is_plain(name))
    if frame.f_globals is local:
        values = Record((k, v) for k, v in values.items() if k in code.co_names)
    elif type(frame.f_globals) is dict:
        for name in code.co_names:
            if name in frame.f_globals and name not in values:
                values[name] = frame.f_globals[name]
    values = Record((name, v) for name, v in values.items() if id(type(v)) not in _CODE)
    dotted = itertools.chain.from_iterable(
        _dotted(name, value, frozenset(code.co_names), DEPTH) for name, value in values.items()
    )
    every = itertools.chain(values.items(), dotted)
    return Record(
        (name, view(value, name.rpartition(".")[2]))
        for name, value in itertools.islice(every, LOCALS)
    )


def _is_plain(name: object) -> TypeGuard[str]:
    return type(name) is str and name.isidentifier() and not name.startswith("__")


def _dotted(
    prefix: str, value: object, named: frozenset[str], depth: int
) -> Iterator[tuple[str, object]]:
    if not depth or id(type(value)) in _CONTAINERS | _CODE:
        return
    for name, inner in attributes(value).items():
        if name in named:
            yield prefix + "." + name, inner
            yield from _dotted(prefix + "." + name, inner, named, depth - 1)


# --- exceptions ---


def raised(error: BaseException, place: Place, locals_: bool = True) -> Record:
    """The exception, its frames, those it came from, and the members of a group."""
    return _raised(error, place, locals_, set())


def _raised(error: BaseException, place: Place, locals_: bool, inside: set[int]) -> Record:
    inside = inside | {id(error)}
    traceback = _get_traceback(error)
    innermost = collections.deque(_steps(traceback), maxlen=1)
    record = Record(
        type=type_name(type(error)),
        message=message(error),
        frames=frames(traceback, place, locals_) + _syntax_frame(error),
        attrs=details(error, innermost[0].tb_frame if innermost else None),
    )
    before, relation = _before(error)
    if before is not None and id(before) not in inside and len(inside) < CHAIN:
        record["before"] = _raised(before, place, locals_, inside)
        record["relation"] = relation
    members = [each for each in _members(error) if id(each) not in inside]
    if members and len(inside) < CHAIN:
        record["members"] = [_raised(each, place, locals_, inside) for each in members[:MEMBERS]]
    return record


def _before(error: BaseException) -> tuple[BaseException | None, str]:
    cause = _get_cause(error)
    if cause is not None or _get_suppress(error):
        return cause, "cause"
    return _get_context(error), "context"


def _members(error: BaseException) -> tuple[BaseException, ...]:
    if "BaseExceptionGroup" not in [_get_qualname(each) for each in _get_mro(type(error))]:
        return ()
    group = getattr(sys.modules["builtins"], "BaseExceptionGroup", None)
    if group is not None:
        members = group.__dict__["exceptions"].__get__(error)
    else:  # the backport keeps them in the instance
        members = attributes(error).get("_exceptions")
    return members if type(members) is tuple else ()


def message(error: BaseException) -> str:
    """``str`` of it, as pytest and Python themselves ask."""
    try:
        return _text(str(error))
    except Exception:  # noqa: BLE001 - the project's __str__ may raise anything
        return f"<unprintable {type_name(type(error))}>"


def details(error: BaseException, frame: types.FrameType | None) -> Record:
    """What the builtin exceptions carry besides their message; every value a short string."""
    kind = type(error)
    found = Record()
    for base, names in _CARRIED:
        if _derives(kind, base):
            for name in names:
                member = _get_namespace(base).get(name)
                value = None if member is None else member.__get__(error)
                if type(value) in (str, int):
                    found[name] = _text(str(value), TEXT)
    if _derives(kind, KeyError) and len(_get_args(error)) == 1:
        key = _repr(_get_args(error)[0], 1, set())
        if key is not None:
            found["key"] = _text(key, TEXT)
        if frame is not None:
            _key_details(_get_args(error)[0], frame, found)
    if _derives(kind, AttributeError):
        _attribute_details(error, found)
    if _derives(kind, NameError) and frame is not None and "name" in found:
        visible = (frame.f_locals, frame.f_globals, frame.f_builtins)
        _suggest(found, itertools.chain.from_iterable(visible))
    return found


_CARRIED = (
    (AttributeError, ("name",)),  # since Python 3.10
    (NameError, ("name",)),
    (ImportError, ("name", "path", "name_from")),
    (OSError, ("errno", "filename")),
    (SyntaxError, ("filename", "lineno", "offset", "end_lineno", "end_offset", "text")),
)


def _attribute_details(error: BaseException, found: Record) -> None:
    member = AttributeError.__dict__.get("obj")
    if member is None or "name" not in found:
        return
    owner = member.__get__(error)
    found["object"] = type_name(type(owner))
    if type(owner) is types.ModuleType:
        _suggest(found, owner.__dict__)
        return
    classes = _get_mro(owner if type(owner) is type else type(owner))
    names = (_get_namespace(each) for each in classes)
    _suggest(found, itertools.chain(attributes(owner), itertools.chain.from_iterable(names)))


def _suggest(found: Record, names: Iterable[object]) -> None:
    known = {name for name in itertools.islice(names, 5000) if _is_plain(name)}
    try:
        near = difflib.get_close_matches(found["name"], sorted(known), 3, 0.7)
    except Exception:  # noqa: BLE001 - a hint is not worth the record: difflib may be the project's own
        return
    if near:
        found["near"] = ", ".join(near)


def _key_details(key: Any, frame: types.FrameType, found: Record) -> None:
    """The keys like the missing one in the dictionaries that the frame sees and that lack it."""
    if type(key) not in (str, int):
        return
    near: list[str | int] = []
    for mapping in itertools.islice(_mappings(frame), ITEMS * ITEMS):
        keys = [each for each in itertools.islice(mapping, 5000) if type(each) in (str, int)]
        if key not in keys:
            near += [each for each in _like(key, keys) if each not in near]
    if near:
        found["keys"] = _text(repr(near[:5]), TEXT)


def _mappings(frame: types.FrameType) -> Iterator[Iterable[Any]]:
    """The dictionaries of a frame: in its variables, in their attributes, and inside of these."""
    code, local, outer = frame.f_code, frame.f_locals, frame.f_globals
    if type(outer) is not dict or (type(local) is not dict and not code.co_flags & _CO_OPTIMIZED):
        return
    named = [outer[name] for name in code.co_names if name in outer]
    for value in [*local.values(), *named]:
        yield from _inner(value, DEPTH)
        if id(type(value)) not in _CONTAINERS | _CODE:
            for each in attributes(value).values():
                yield from _inner(each, DEPTH)


def _inner(value: Any, depth: int) -> Iterator[Iterable[Any]]:
    if id(type(value)) in _MAPPINGS:
        yield dict.keys(value)
        for each in itertools.islice(dict.values(value), ITEMS) if depth else ():
            yield from _inner(each, depth - 1)
    elif id(type(value)) in _LISTS and depth:
        for each in itertools.islice(value, 1):
            yield from _inner(each, depth - 1)


def _like(key: str | int, keys: list[str | int]) -> list[str | int]:
    """The keys that are the same in another type or case, or spelled nearly so."""
    text = str(key).strip().lower()
    same = [each for each in keys if str(each).strip().lower() == text]
    if type(key) is int:
        return same
    try:
        words = [each for each in keys if type(each) is str]
        return [*same, *difflib.get_close_matches(str(key), words, 3, 0.6)]
    except Exception:  # noqa: BLE001 - a hint is not worth the record
        return same


def _syntax_frame(error: BaseException) -> list[Record]:
    """The place that a SyntaxError names, which no traceback entry holds."""
    if not _derives(type(error), SyntaxError):
        return []
    get = _get_namespace(SyntaxError)
    file, line, offset = (get[k].__get__(error) for k in ("filename", "lineno", "offset"))
    if type(file) is not str or type(line) is not int:
        return []
    file = _absolute(file)
    frame = Record(file=file, line=line, source=_line(file, line))
    if type(offset) is int and offset > 0:
        frame["span"] = [line, offset - 1, line, offset]
    return [frame]


# --- reports ---


def failure(report: Any, error: BaseException | None, place: Place, locals_: bool = True) -> Record:
    """The record of a failing report of pytest, whose exception is at hand.

    ``raised`` is None where the report is text by nature, or its exception could not be read.
    """
    error = told(error)
    record = Record(
        test=report.nodeid,
        phase=getattr(report, "when", None) or "collect",
        raised=None,
        text="",
        evidence=Record((_text(name, TEXT), _text(text)) for name, text in report.sections),
    )
    if error is not None:
        try:
            record["raised"] = raised(error, place, locals_)
        except Exception as trouble:  # noqa: BLE001 - a report must not break the run
            record["text"] = f"<unreadable: {type_name(type(trouble))}>"
    if record["raised"] is None:
        record["text"] = record["text"] or _text(str(report.longrepr))
    return record


def _add_crashed(record: Record, crashed: Record | None) -> None:
    """Let a failure come from the exception that ended a program which the test started."""
    if crashed is None or record["raised"] is None:
        record["raised"] = record["raised"] or crashed
        return
    first = record["raised"]
    while "before" in first:
        first = first["before"]
    first.update(before=crashed, relation="child")


def told(error: Any) -> Any:
    """The project's exception inside pytest's own, or None where pytest has only text to say."""
    if error is None:
        return None
    name, module = type(error).__name__, type(error).__module__ or ""
    if module.partition(".")[0] not in ("_pytest", "pytest") and name != "Failed":
        return error
    if name in ("CollectError", "ConftestImportFailure"):
        return _before(error)[0]  # pytest 5 raises it without ``from``
    if name == "FixtureLookupError" or getattr(error, "pytrace", True) is False:
        return None
    return error


def outcome(report: Any) -> str | None:
    """What one phase says of its test; None where it says nothing."""
    expected_to_fail = hasattr(report, "wasxfail")
    if report.outcome == "failed":
        return "failed" if report.when == "call" else "error"
    if report.outcome == "skipped":
        return "xfailed" if expected_to_fail else "skipped"
    if report.outcome == "passed" and report.when == "call":
        return "xpassed" if expected_to_fail else "passed"
    return None


_RANK = ("passed", "skipped", "xfailed", "xpassed", "failed", "error")


class Recorder:
    """Writes records while pytest runs; one line, one ``write``, so that processes can share."""

    def __init__(self, path: str, root: str) -> None:
        self.path = path
        self.place = Place(root)
        self.controller = False
        self.written = 0
        self.failures: dict[int, Record] = {}
        self.tokens = itertools.count(1)
        self.outcomes: list[str] = []
        self.seconds = 0.0
        self.faults = 0
        self.compared: Record = Record()
        FileIO(path, "ab").close()  # says that pytest came as far as its plugins

    def write(self, kind: str, **fields: object) -> None:
        line = _dumps(dict(fields, kind=kind, pid=getpid())).encode() + b"\n"
        try:
            with FileIO(self.path, "ab") as stream:
                stream.write(line)
        except OSError:  # a full disk: the reader sees that the end is missing
            return
        self.written += len(line)

    def failure(self, report: Any, error: BaseException | None) -> Record:
        return failure(report, error, self.place, self.written < BUDGET)

    def session(self, config: Any) -> None:
        workerinput = getattr(config, "workerinput", None)
        self.controller = workerinput is None and getattr(config.option, "dist", "no") != "no"
        self.write(
            "session",
            worker=workerinput and workerinput.get("workerid"),
            python="{}.{}.{}".format(*sys.version_info),
            pytest=pytest.__version__,
            rootdir=_rootdir(config),
            invocation_dir=_START,
        )

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self) -> Generator[None, Any, None]:
        result = yield
        report = result.get_result()
        if report.outcome == "failed":
            call = getattr(report, "call", None)
            error = call.excinfo.value if call is not None and call.excinfo else None
            self.write("failure", **self.failure(report, error))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if not self.controller:
            self.failures, self.outcomes, self.seconds = {}, [], 0.0
            self.compared = Record()
            self.faults = _faults_of_children()
            self.write("start", test=nodeid)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, call: Any) -> Generator[None, Any, None]:
        result = yield
        report = result.get_result()
        if report.outcome == "failed" and call.excinfo is not None:
            # The report that is logged may be a copy of this one (subtests): a mark survives.
            token = next(self.tokens)
            setattr(report, _TOKEN, token)
            self.failures[token] = self.failure(report, call.excinfo.value)
            _add_crashed(self.failures[token], getattr(report, "selfdebug_crashed", None))
            if self.compared and isinstance(call.excinfo.value, AssertionError):
                shown = self.failures[token]["raised"] or Record()
                shown["attrs"] = Record(shown.get("attrs") or (), **self.compared)

    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        """Note the two sides of an assertion that does not hold; how they are shown is for others."""
        sides = Record((name, view(each)) for name, each in (("left", left), ("right", right)))
        self.compared = Record(op=op)
        for name, seen in sides.items():
            self.compared[name] = seen.get("text") or "<" + seen["type"] + ">"
            self.compared[name + "_type"] = seen["type"]

    def pytest_runtest_logreport(self, report: Any) -> None:
        if self.controller:
            if report.when == "???":  # how xdist says that a worker died in a test
                self.write("crash", test=report.nodeid, text=_text(str(report.longrepr)))
            return
        self.seconds += getattr(report, "duration", 0.0)
        said = outcome(report)
        if said is not None:
            self.outcomes.append(said)
        if report.outcome == "failed":
            known = self.failures.pop(getattr(report, _TOKEN, 0), None)
            record = known or self.failure(report, None)
            self.write("failure", subtest=_subtest(report), **record)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        if not self.controller:
            worst = max(self.outcomes, key=_RANK.index) if self.outcomes else None
            self.write(
                "finish",
                test=nodeid,
                outcome=worst,
                seconds=round(self.seconds, 6),
                spawned=_faults_of_children() > self.faults,
            )

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self.write("exit", status=int(exitstatus))


def _faults_of_children() -> int:
    """Give a number that grows with every process that was started and waited for."""
    return 0 if resource is None else resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt


def _subtest(report: Any) -> str | None:
    context = getattr(report, "context", None)
    if context is None or not hasattr(context, "kwargs"):
        return None
    message = [] if context.msg is None else [f"[{context.msg}]"]
    params = ", ".join(f"{name}={value}" for name, value in context.kwargs.items())
    return _text(" ".join(message + ([f"({params})"] if params else [])) or "(<subtest>)")


def _rootdir(config: Any) -> str:
    return str(getattr(config, "rootpath", None) or config.rootdir)  # rootpath since pytest 6.1


# --- the plugin: hooks that pytest finds by name ---

recorder = None
if "SELFDEBUG_REPORT" in os.environ:
    recorder = Recorder(os.environ["SELFDEBUG_REPORT"], os.environ.get("SELFDEBUG_ROOT") or _START)

_memory = int(os.environ["SELFDEBUG_MEMORY"]) if "SELFDEBUG_MEMORY" in os.environ else None

selected = None
if "SELFDEBUG_SELECT" in os.environ:
    with FileIO(os.environ["SELFDEBUG_SELECT"]) as _stream:
        selected = dict.fromkeys(json.loads(_stream.readall().decode()))  # in their order


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> Generator[None, Any, None]:
    if "SELFDEBUG_CACHE" in os.environ:  # ``-o cache_dir=`` is an error without that plugin
        early_config._inicache["cache_dir"] = os.environ["SELFDEBUG_CACHE"]
    options = early_config.known_args_namespace
    if hasattr(options, "no_cov"):  # a threshold of coverage is no verdict on a few tests
        options.no_cov = True
    result = yield
    if recorder is not None and result.excinfo is not None:
        error = result.excinfo[1]
        cause = told(error)
        if cause is not None and cause is not error:
            test = os.path.relpath(str(error.path), _rootdir(early_config)).replace(os.sep, "/")
            record = raised(cause, recorder.place)
            recorder.write("failure", test=test, phase="collect", raised=record, text="")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: Any) -> None:
    """Collect what ``SELFDEBUG_SELECT`` lists, whatever paths the command line and ini file name.

    The report files that the project's options ask for are left out: this run is not theirs.
    """
    if selected is not None:
        functions = dict.fromkeys(map(_without_parameters, selected))
        config.args[:] = [os.path.join(_rootdir(config), node) for node in functions]
    for option in ("xmlpath", "htmlpath"):
        if getattr(config.option, option, None):
            setattr(config.option, option, None)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtestloop() -> Generator[None, Any, None]:
    """Limit the memory that tests may take on top of what collecting them took.

    Address space that is only reserved, as other languages' runtimes do, does not count.
    """
    statm = "/proc/self/statm"
    if _memory is not None and resource is not None and os.path.exists(statm):
        with FileIO(statm) as stream:
            taken = int(stream.readall().split()[5]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        wanted = taken + _memory
        resource.setrlimit(
            resource.RLIMIT_DATA,
            (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard),
        )
    yield


def _without_parameters(node: str) -> str:
    """Older pytests take ``::`` in a parameter for a separator, and look up each id by itself."""
    path, separator, names = node.partition("::")
    return path + separator + names.partition("[")[0]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    if selected is None:
        return
    left_out = [item for item in items if not _is_selected(item.nodeid)]
    if left_out:
        items[:] = [item for item in items if _is_selected(item.nodeid)]
        config.hook.pytest_deselected(items=left_out)


def _is_selected(node: str) -> bool:
    """Whether it, its function, or a class or file around it is listed."""
    function = _without_parameters(node)
    parts = function.split("::")
    around = {"::".join(parts[: end + 1]) for end in range(len(parts))}
    return selected is not None and not selected.keys().isdisjoint({node} | around)


def pytest_configure(config: Any) -> None:
    if recorder is not None and not config.pluginmanager.is_registered(recorder):
        recorder.session(config)
        config.pluginmanager.register(recorder, "selfdebug-recorder")
