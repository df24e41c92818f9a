"""WidenExcept: the code expects to fail here, and names too few of the exceptions."""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import changed
from selfdebug.codemods._import import importing
from selfdebug.model import Edit, Site, Span
from selfdebug.syntax.bindings import dotted
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import enclosing, function_region, parse
from selfdebug.syntax.source import Unreadable

_WIDENED = Variant("widened", "guard", "catch this exception too", growth=0, prior=0.35)
_FURTHER_OUT = Variant(
    "further-out", "guard", "catch this exception too, in a function that called", 0, prior=0.15
)
_FRAMES = 2  # of the callers that are looked at
_FAULTS = frozenset(
    (
        *("AssertionError", "BaseException", "Exception", "GeneratorExit", "IndentationError"),
        *("KeyboardInterrupt", "MemoryError", "NameError", "NotImplementedError", "RecursionError"),
        *("SyntaxError", "SystemExit", "TabError", "UnboundLocalError", "Failed", "Skipped"),
    )
)
"""What says that the code is wrong, or the test: never to be caught."""
_KIN = tuple(
    frozenset(each.split())
    for each in (
        (
            "ValueError TypeError OverflowError ArithmeticError ZeroDivisionError InvalidOperation "
            "UnicodeError UnicodeDecodeError UnicodeEncodeError JSONDecodeError AttributeError"
        ),
        "KeyError IndexError LookupError TypeError AttributeError StopIteration ValueError",
        (
            "OSError IOError FileNotFoundError PermissionError IsADirectoryError "
            "NotADirectoryError FileExistsError TimeoutError ConnectionError ConnectionResetError "
            "ConnectionRefusedError BrokenPipeError UnicodeDecodeError CalledProcessError "
            "TimeoutExpired JSONDecodeError EOFError"
        ),
        "ImportError ModuleNotFoundError AttributeError",
    )
)
"""Exceptions that the same kinds of operation raise."""


@dataclass(frozen=True)
class _Handler:
    """An ``except`` and the place of the types that it names."""

    span: Span
    names: tuple[str, ...]
    node: ast.ExceptHandler


class WidenExcept(Codemod):
    """Name one more exception in an ``except`` that is there for such failures."""

    DESCRIPTION = "Catch the exception that a try around the failure evidently meant to catch too."
    NAME = "widen-except"
    ANSWERS = (Answer(tuple(name for name in dir(builtins) if name.endswith(("Error", "Exit")))),)
    VARIANTS = (_WIDENED, _FURTHER_OUT)

    @classmethod
    def answers(cls, site: Site) -> bool:
        """Say whether an exception may be caught: also one of the project or of a library."""
        name = site.exc_type.rpartition(".")[2]
        misspelt = name == "AttributeError" and "near" in site.attrs
        return name not in _FAULTS | {""} and not misspelt

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the handlers around the failure, then those around the calls that led to it."""
        if not cls.answers(site):
            return
        own = () if project.is_test_file(site.file) else ((site.file, site.span.line),)
        outer = [
            (path, frame.line)
            for frame in reversed(site.callers[-_FRAMES:])
            for path in project.resolve(frame.file)[:1]
            if not project.is_test_file(path)
        ]
        for path, line in (*own, *outer):
            with suppress(Unreadable, OSError):
                module = read_module(path, project)
                handler = _handler(module, line, site.exc_type)
                if handler is not None:
                    tree = parse(function_region(module.source, module.tree, handler.span.line))
                    inner = (path, line) in own
                    code = module.source.between(handler.span)
                    node = "" if inner else "caller"
                    yield Target(
                        tree,
                        replace(site, file=path, span=handler.span, code=code, node=node, bad=None),
                        project,
                    )
                    return

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the handler with one more exception."""
        tree, site = target.tree, target.site
        try:
            module = read_module(site.file, target.project)
        except (Unreadable, OSError):
            return
        name = _spelling(site.exc_type, module)
        needed: tuple[Edit, ...] = ()
        if name is None and (statement := _import_of(site.exc_type)):
            name = site.exc_type.rpartition(".")[2]
            edit = importing(site.file, statement, target.project)
            needed = () if edit is None else (edit,)
        for node in tree.at(site.span):
            holder = tree.parents.get(node)
            if name is None or not isinstance(holder, cst.ExceptHandler) or node is not holder.type:
                continue
            made = changed(tree, {node: lambda old: _with(old, name)})
            if made:
                variant = _FURTHER_OUT if site.node == "caller" else _WIDENED
                named = f"({site.code})" if isinstance(node, cst.Tuple) else site.code
                why = f"`except {named}` is there for such failures, and {name} is one of them"
                yield Rewrite(variant, made, why, needed)


def _handler(module: Module, line: int, exc_type: str) -> _Handler | None:
    """Return the handler that should have caught an exception on a line; None where several might."""
    name = exc_type.rpartition(".")[2]
    for stmt in reversed(enclosing(module.tree, line)):
        if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef):
            return None
        if not isinstance(stmt, ast.Try) or not _tries(stmt, line):
            continue
        found = [each for node in stmt.handlers if (each := _read(module, node))]
        akin = [each for each in found if any(_are_kin(name, other) for other in each.names)]
        chosen = akin if akin or name in dir(builtins) else found
        if chosen:
            sure = len(chosen) == 1 and len(found) == len(stmt.handlers) and not _uses(chosen[0])
            return chosen[0] if sure else None
    return None


def _tries(stmt: ast.Try, line: int) -> bool:
    return any(each.lineno <= line <= (each.end_lineno or each.lineno) for each in stmt.body)


def _read(module: Module, node: ast.ExceptHandler) -> _Handler | None:
    if node.type is None:
        return None
    types = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    names = tuple(dotted(each).rpartition(".")[2] for each in types)
    span = _span(module, node.type)
    plain = all(names) and not {"Exception", "BaseException"} & {*names}
    return _Handler(span, names, node) if plain else None


def _span(module: Module, node: ast.expr) -> Span:
    """Return a node's place in characters: ``ast`` counts columns in bytes of UTF-8."""

    def column(line: int, offset: int) -> int:
        return len(module.source.line(line).encode()[:offset].decode(errors="replace"))

    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
    first = column(node.lineno, node.col_offset)
    last = column(end_line, end)
    # libcst does not count the parentheses of a tuple as its own.
    inner = isinstance(node, ast.Tuple)
    return Span(node.lineno, first + inner, end_line, last - inner)


def _are_kin(one: str, other: str) -> bool:
    return any({one, other} <= kin for kin in _KIN) and one != other


def _uses(handler: _Handler) -> bool:
    """Say whether a handler reads what not every exception has: ``error.errno``."""
    name = handler.node.name
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        and node.attr not in dir(BaseException)
        for stmt in handler.node.body
        for node in ast.walk(stmt)
    )


def _spelling(exc_type: str, module: Module) -> str | None:
    """Return how an exception is called in a module; None where it has no name there."""
    owner, _, name = exc_type.rpartition(".")
    if not owner:
        return name if isinstance(getattr(builtins, name, None), type) else None
    defined = {each.qualname for each in module.definitions if isinstance(each.node, ast.ClassDef)}
    if name in defined and module.source.path.stem == owner.rpartition(".")[2]:
        return name
    for local, full in module.imports.items():
        if full == exc_type or (full.rpartition(".")[2] == name and _is(full, exc_type)):
            return local
    for local, full in module.imports.items():
        if full == owner or _is(f"{full}.{name}", exc_type):
            return f"{local}.{name}"
    return None


def _import_of(exc_type: str) -> str | None:
    """Return the import of an exception of the standard library, from its outermost public module."""
    owner, _, name = exc_type.rpartition(".")
    parts = owner.split(".")
    for length in range(1, len(parts) + 1):
        module = ".".join(parts[:length])
        if not module.startswith("_") and _is(f"{module}.{name}", exc_type):
            return f"from {module} import {name}"
    return None


def _is(full: str, exc_type: str) -> bool:
    """Say whether a name of the standard library is another one for an exception of it."""
    owner, _, name = full.rpartition(".")
    if owner.partition(".")[0] not in sys.stdlib_module_names:
        return False
    with suppress(ImportError):
        found = getattr(importlib.import_module(owner), name, None)
        return isinstance(found, type) and f"{found.__module__}.{found.__qualname__}" == exc_type
    return False


def _with(old: cst.BaseExpression, name: str) -> cst.BaseExpression:
    new = cst.Element(cst.parse_expression(name))
    if isinstance(old, cst.Tuple):
        return old.with_changes(elements=[*old.elements, new])
    return cst.Tuple([cst.Element(old), new])


WidenExcept.EXAMPLES = examples(
    """
widened: a number that is not there at all
    def number(text):
        try:
            return int(«text»)
        except ValueError:
            return None
TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'
    def number(text):
        try:
            return int(text)
        except (ValueError, TypeError):
            return None

widened: one more in a tuple
    def first_name(person):
        try:
            return «person["names"][0]»
        except (KeyError, TypeError):
            # nobody
            return ""
IndexError: list index out of range
    def first_name(person):
        try:
            return person["names"][0]
        except (KeyError, TypeError, IndexError):
            # nobody
            return ""

widened: the handler among several that is akin
    def load(path):
        try:
            return parse(«open(path)».read())
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise ConfigError(str(error)) from error
IsADirectoryError: [Errno 21] Is a directory: 'conf'
    def load(path):
        try:
            return parse(open(path).read())
        except (FileNotFoundError, IsADirectoryError):
            return {}
        except ValueError as error:
            raise ConfigError(str(error)) from error

widened: an exception of the standard library, by the name that the file has for its module
    import json

    def settings(path):
        try:
            return «json.loads(path.read_text())»
        except FileNotFoundError:
            return {}
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
    import json

    def settings(path):
        try:
            return json.loads(path.read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            return {}

widened: an exception of the project that is imported
    from shop.errors import NotFound

    def price(catalogue, sku):
        try:
            return «catalogue.price(sku)»
        except ValueError:
            return None
shop.errors.NotFound: A17
    from shop.errors import NotFound

    def price(catalogue, sku):
        try:
            return catalogue.price(sku)
        except (ValueError, NotFound):
            return None

widened: an exception of the standard library that has to be imported
    from decimal import Decimal

    def amount(text):
        try:
            return Decimal(«text»)
        except ValueError:
            return None
decimal.InvalidOperation: [<class 'decimal.ConversionSyntax'>]
    from decimal import Decimal, InvalidOperation

    def amount(text):
        try:
            return Decimal(text)
        except (ValueError, InvalidOperation):
            return None

widened: a try at the top of a module
    try:
        LIMIT = int(«os.environ.get("LIMIT")»)
    except ValueError:
        LIMIT = 10
TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'
    try:
        LIMIT = int(os.environ.get("LIMIT"))
    except (ValueError, TypeError):
        LIMIT = 10

widened: the next try further out in the function
    def number(rows):
        try:
            try:
                return int(«rows["n"]»)
            except FileNotFoundError:
                return 0
        except KeyError:
            return -1
TypeError: list indices must be integers or slices, not str
    def number(rows):
        try:
            try:
                return int(rows["n"])
            except FileNotFoundError:
                return 0
        except (KeyError, TypeError):
            return -1

not any: an exception that has nothing to do with those
    def size(path):
        try:
            return «path.stat()».st_size
        except FileNotFoundError:
            return 0
KeyError: 'size'

not any: two handlers that would do
    def read(row, key):
        try:
            return int(«row[key]»)
        except KeyError:
            return 0
        except ValueError:
            return -1
TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'

not any: the exception was raised by the handler itself
    def number(text):
        try:
            return int(text)
        except ValueError:
            return float(«text»)
TypeError: float() argument must be a string or a real number, not 'NoneType'

not any: nor by what follows the try
    def number(text):
        try:
            value = int(text)
        except ValueError:
            return 0
        else:
            return «value».bit_length() + text
TypeError: unsupported operand type(s) for +: 'int' and 'str'

not any: a wrong name is a mistake, whatever is caught
    def number(text):
        try:
            return «integer»(text)
        except ValueError:
            return 0
NameError: name 'integer' is not defined

not any: so is a misspelt attribute
    def last(node):
        try:
            return «node».valeu
        except KeyError:
            return None
AttributeError: 'Node' object has no attribute 'valeu'
with name = valeu
with near = value

not any: the handler reads what the other exceptions do not have
    def read(path):
        try:
            return «path.read_text()»
        except FileNotFoundError as error:
            return error.filename
UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte

not any: an exception that has no name here
    def price(catalogue, sku):
        try:
            return «catalogue.price(sku)»
        except ValueError:
            return None
shop.errors.NotFound: A17

not any: the try is in a function around it
    def outer(texts):
        try:
            def number(text):
                return int(«text»)
            return number
        except ValueError:
            return None
TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'
"""
)
