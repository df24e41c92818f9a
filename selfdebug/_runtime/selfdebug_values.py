"""What a value looks like from outside: type, size and bounded repr, without a secret in it.

Standard library only, from Python 3.7 on: it runs inside the project's own interpreter. No code of the
project runs for it: values are told apart by their exact type, attributes are read from instance
dictionaries and slots.
"""

from __future__ import annotations

import collections
import datetime
import decimal
import itertools
import pathlib
import re
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeGuard

    Record = dict[str, Any]
else:
    Record = dict  # not subscriptable before Python 3.9

MESSAGE = 4000  # characters kept of a message
TEXT = 200  # characters kept of one string
ITEMS = 10  # elements shown of a container
DEPTH = 3  # of nested containers, and of attributes
LOCALS = 60  # variables per frame

_CO_OPTIMIZED = 0x1

_get_mro = type.__dict__["__mro__"].__get__
_get_namespace = type.__dict__["__dict__"].__get__
_get_module = type.__dict__["__module__"].__get__
_get_qualname = type.__dict__["__qualname__"].__get__
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

_ATOMS = _PLAIN | _LIBRARY | _ids(int, str, bytes)
_get_filename = OSError.__dict__["filename"].__get__


def message(error: BaseException) -> str:
    """Its message: ``str`` of it where that runs Python's own code only, else its arguments."""
    kind, shown = type(error), list(_get_args(error))
    namespaces = map(_get_namespace, _get_mro(kind))
    method = next(names["__str__"] for names in namespaces if "__str__" in names)
    parts = [*shown, _get_filename(error)] if _derives(kind, OSError) else shown
    of_python = type(method) is types.WrapperDescriptorType
    if of_python and all(id(type(each)) in _ATOMS for each in parts):
        return _text(str(error))
    return _text(", ".join(_repr_or_type(each, DEPTH, set()) for each in shown))


def is_code(value: object) -> bool:
    """Whether it is a function, a method, a class or a module: its name says all."""
    return id(type(value)) in _CODE
