"""What a function of the project takes, and how the arguments of a call fall on it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from selfdebug.syntax.bindings import FUNCTIONS, is_name, is_static
from selfdebug.syntax.modules import Definition


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
