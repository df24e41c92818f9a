"""What a function of the project or the standard library takes, and how the arguments of a call fall."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from selfdebug.codemods._library import library_module
from selfdebug.codemods._names import dotted
from selfdebug.model import Value
from selfdebug.syntax.bindings import FUNCTIONS, is_name, is_static
from selfdebug.syntax.modules import Definition, Module


@dataclass(frozen=True)
class Signature:
    """The parameters that a call has to give, without the one that Python passes itself."""

    positional: tuple[str, ...]
    keyword_only: tuple[str, ...]
    required: frozenset[str]
    variadic: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All that can be passed by name."""
        return (*self.positional, *self.keyword_only)


def signature(found: Definition) -> Signature | None:
    """Return what a function or a dataclass takes; None where its text does not show it."""
    node = found.node
    if not isinstance(node, FUNCTIONS):
        return None
    args = node.args
    positional = [arg.arg for arg in (*args.posonlyargs, *args.args)]
    optional = len(args.defaults)
    required = {*positional[: len(positional) - optional]} | {
        arg.arg
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        if default is None
    }
    given = int(found.owner is not None and not is_static(node))
    return Signature(
        tuple(positional[given:]),
        tuple(arg.arg for arg in args.kwonlyargs),
        frozenset(required - {*positional[:given]}),
        args.vararg is not None or args.kwarg is not None,
    )


def fields(owner: ast.ClassDef) -> Signature | None:
    """Return what the ``__init__`` takes that ``dataclass`` makes of a class without bases."""
    decorators = (
        each.func if isinstance(each, ast.Call) else each for each in owner.decorator_list
    )
    if owner.bases or not any(is_name(each, "dataclass") for each in decorators):
        return None
    own = [stmt for stmt in owner.body if isinstance(stmt, ast.AnnAssign)]
    names = [(stmt.target.id, stmt.value) for stmt in own if isinstance(stmt.target, ast.Name)]
    return Signature(
        tuple(name for name, _ in names), (), frozenset(n for n, value in names if value is None)
    )


def of_library(call: cst.Call, module: Module, values: Mapping[str, Value]) -> Signature | None:
    """Return what a builtin, or a callable of the standard library, takes in this version of Python.

    ``values`` are those that variables held: they tell whose method is called. None for anything else.
    """
    name = dotted(call.func) or ""
    owner, _, attr = name.rpartition(".")
    seen = values.get(owner)
    if seen is not None:
        found = getattr(_object(seen.type), attr, None)
        return _inspected(found, 1)
    first, _, rest = name.partition(".")
    full = module.imports.get(first)
    if full is not None:
        return _inspected(_object(f"{full}.{rest}" if rest else full), 0)
    own = any(each.qualname == name for each in module.definitions)
    return None if own else _inspected(getattr(builtins, name, None), 0)


def _object(full: str) -> object:
    """Return what a full name stands for in the standard library; None where it has no such thing."""
    module, _, name = full.rpartition(".")
    if not module:
        return getattr(builtins, name, None)
    loaded = library_module(module)
    return getattr(loaded if loaded is not None else _object(module), name, None)


def _inspected(found: object, given: int) -> Signature | None:
    """Return the signature of a callable less the arguments that Python gives itself."""
    try:
        params = [*inspect.signature(found).parameters.values()][given:]  # type: ignore[arg-type]
    except (TypeError, ValueError):  # it is none, or it does not say
        return None
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    single = [each for each in params if each.kind not in _VARIADIC]
    return Signature(
        # What has no name for callers gets one that no call can have.
        tuple(
            each.name if each.kind is not inspect.Parameter.POSITIONAL_ONLY else f"<{each.name}>"
            for each in single
            if each.kind in by_place
        ),
        tuple(each.name for each in single if each.kind not in by_place),
        frozenset(each.name for each in single if each.default is each.empty),
        len(single) < len(params),
    )


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def argument_for(name: str, takes: Signature, args: Sequence[cst.Arg]) -> cst.Arg | None:
    """Return the argument that falls on a parameter; None where a star may hold it."""
    if any(arg.star for arg in args):
        return None
    for arg, parameter in zip(args, takes.positional, strict=False):
        if arg.keyword is None and parameter == name:
            return arg
    return next((arg for arg in args if arg.keyword and arg.keyword.value == name), None)


def filled(takes: Signature, args: Sequence[cst.Arg]) -> set[str]:
    """Return the parameters that the arguments of a call fill; stars fill nothing that is known."""
    places = [arg for arg in args if arg.keyword is None and not arg.star]
    return {*takes.positional[: len(places)]} | {*keywords(args)}


def keywords(args: Sequence[cst.Arg]) -> Iterator[str]:
    """Yield the names by which arguments are passed."""
    yield from (arg.keyword.value for arg in args if arg.keyword is not None)


def last_name(arg: cst.Arg) -> str:
    """Return what an argument is called: ``rate`` for ``rate`` and ``order.rate``."""
    match arg.value:
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            return name
    return ""
