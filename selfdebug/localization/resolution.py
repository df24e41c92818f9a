"""What names, calls and parameters of a line stand for, as far as text and recorded frames show."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from selfdebug.localization.messages import NONE
from selfdebug.model import Frame, OriginStep, Value
from selfdebug.syntax.bindings import (
    FUNCTIONS,
    Function,
    bindings,
    dotted,
    is_name,
    is_static,
    last_name,
    line_of,
    methods_of,
    nested,
)
from selfdebug.syntax.modules import Module, definitions, read_module
from selfdebug.syntax.optional_calls import OPTIONAL_CALLS, RESULTS
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import enclosing
from selfdebug.syntax.source import Unreadable

Steps: TypeAlias = tuple[OriginStep, ...]


@dataclass(frozen=True)
class Place:
    """A line of a module, and what is known of the frame that ran it.

    ``wanted`` is the class of the value that is looked for, "" where that is not known.
    """

    module: Module
    line: int
    callers: tuple[Frame, ...] = ()
    locals: Mapping[str, Value] | None = None
    wanted: str = NONE

    @cached_property
    def path(self) -> tuple[ast.stmt, ...]:
        """The statements that hold the line, outermost first."""
        return enclosing(self.module.tree, self.line)

    @property
    def function(self) -> Function | None:
        """The innermost function around the line."""
        return next((each for each in self.path[::-1] if isinstance(each, FUNCTIONS)), None)

    @property
    def owner(self) -> ast.ClassDef | None:
        """The innermost class around the line."""
        return next((each for each in self.path[::-1] if isinstance(each, ast.ClassDef)), None)

    def step(self, node: ast.AST, what: str, *, in_place: bool = False) -> Steps:
        """Return the one step that says what happened at a node."""
        line: int = getattr(node, "lineno", self.line)
        source = self.module.source
        return (OriginStep(source.path, line, what, source.line(line).strip(), in_place),)


def scopes(place: Place) -> Iterator[tuple[Function | None, Place]]:
    """Yield the functions in which a name is looked up, inside out, and None for the module.

    All of an outer block counts, not only what stands above: it ran before the function was called.
    """
    functions = [stmt for stmt in place.path if isinstance(stmt, FUNCTIONS)]
    last = place.module.source.lines
    for function in reversed(functions):
        yield function, place
        place = replace(place, line=last, callers=())
    yield None, place


def full_name(func: ast.expr, place: Place) -> str:
    """Return the dotted name of what is called, through imports and the types of variables."""
    if isinstance(func, ast.Name):
        return place.module.imports.get(func.id, func.id)
    if not isinstance(func, ast.Attribute):
        return ""
    kind = type_of(func.value, place)
    if kind:
        return f"{kind}.{func.attr}"
    top, _, rest = dotted(func).partition(".")
    return f"{place.module.imports.get(top, top)}.{rest}" if top else ""


def type_of(node: ast.expr, place: Place) -> str:
    """Return the class of a value of the standard library, as far as the text shows it."""
    match node:
        case ast.Dict() | ast.DictComp():
            return "dict"
        case ast.Call():
            return RESULTS.get(full_name(node.func, place), "")
        case ast.Name(id=name):
            value = (place.locals or {}).get(name)
            if value is not None and f"{value.type}.get" in OPTIONAL_CALLS:
                return value.type
            for function, at in scopes(place):
                body = function.body if function else at.module.tree.body
                bound = [each for each in bindings(body, name) if line_of(each.node) < at.line]
                if bound:
                    held, line = bound[-1].value, line_of(bound[-1].node)
                    return type_of(held, replace(at, line=line)) if held else ""
    return ""


def definition(func: ast.expr, name: str, place: Place) -> tuple[Function, Place] | None:
    """Return the project's function that a call reaches, and its place."""
    if isinstance(func, ast.Attribute) and (
        is_name(func.value, "self") or is_name(func.value, "cls")
    ):
        return _named(methods_of(place.owner) if place.owner else iter(()), func.attr, place.module)
    if isinstance(func, ast.Name) and func.id not in place.module.imports:
        inside = place.function.body if place.function else []
        every = [*nested(inside), *nested(place.module.tree.body)]
        return _named((s for s in every if isinstance(s, FUNCTIONS)), func.id, place.module)
    module_name, _, attribute = name.rpartition(".")
    module = _imported(module_name, place.module) if module_name else None
    if module is None:
        return _method(func, place) if isinstance(func, ast.Attribute) else None
    functions = (s for s in nested(module.tree.body) if isinstance(s, FUNCTIONS))
    return _named(functions, attribute, module)


def _method(func: ast.Attribute, place: Place) -> tuple[Function, Place] | None:
    """Return the method of the receiver's class, or the project's only one of the name."""
    kind = (place.locals or {}).get(ast.unparse(func.value))
    name = f"{kind.type.rpartition('.')[2]}.{func.attr}" if kind else func.attr
    found = [each for each in definitions(name, place.module.project) if each.owner]
    if len(found) != 1 or not isinstance(found[0].node, FUNCTIONS):
        return None
    return found[0].node, Place(found[0].module, found[0].node.lineno)


def _named(
    functions: Iterator[Function], name: str, module: Module
) -> tuple[Function, Place] | None:
    found = next((each for each in functions if each.name == name), None)
    return (found, Place(module, found.lineno)) if found else None


def _imported(name: str, module: Module) -> Module | None:
    path = module.project.module(name)
    return _read(path, module.project) if path else None


def classes_of(node: ast.expr, place: Place) -> list[ast.ClassDef]:
    """Return the classes of the module that may set an object's fields, the object's own first.

    A method sees objects of its class and of those derived from it.
    """
    value = (place.locals or {}).get(ast.unparse(node))
    name = value.type.rpartition(".")[2] if value else ""
    classes = (s for s in place.module.tree.body if isinstance(s, ast.ClassDef))
    found = [each for each in classes if each.name == name]
    own = place.owner if is_name(node, "self") or is_name(node, "cls") else None
    return [*found, own] if own and own not in found else found


def decorating(decorator: ast.expr, place: Place) -> tuple[Function, Place] | None:
    """Return the function that gets a decorated one: of ``@retry(3)`` the one that ``retry`` returns."""
    func = decorator.func if isinstance(decorator, ast.Call) else decorator
    found = definition(func, full_name(func, place), place)
    if found is None or func is decorator:
        return found
    maker, at = found
    returns = (stmt.value for stmt in nested(maker.body) if isinstance(stmt, ast.Return))
    names = {each.id for each in returns if isinstance(each, ast.Name)}
    inner = (stmt for stmt in maker.body if isinstance(stmt, FUNCTIONS) and stmt.name in names)
    made = next(inner, None)
    return (made, replace(at, line=made.lineno)) if made else None


def passed(function: Function, name: str, place: Place) -> tuple[ast.expr, Place] | None:
    """Return the argument in the recorded caller's call; None where it is not passed or not seen."""
    if not place.callers:
        return None
    *outer, frame = place.callers
    module = _module_of(frame.file, place.module.project)
    if module is None:
        return None
    at = Place(module, frame.line, tuple(outer), frame.locals, place.wanted)
    names = {function.name}
    if function.name == "__init__" and place.owner:
        names.add(place.owner.name)
    for call in _calls(at):
        if last_name(call.func) in names:
            bound = place.owner is not None and not is_static(function)
            argument = _argument(function, call, name, bound=bound)
            return None if argument is None else (argument, at)
    return None


def _argument(function: Function, call: ast.Call, name: str, *, bound: bool) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    positional = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)][bound:]
    if name not in positional:
        return None
    index = positional.index(name)
    before = call.args[: index + 1]
    if len(before) <= index or any(isinstance(each, ast.Starred) for each in before):
        return None
    return before[index]


def _calls(place: Place) -> Iterator[ast.Call]:
    """Yield the calls on a line's innermost statement, those that begin on the line first."""
    statement = place.path[-1:]
    calls = [node for stmt in statement for node in ast.walk(stmt) if isinstance(node, ast.Call)]
    yield from sorted(calls, key=lambda call: call.lineno != place.line)


def _module_of(file: str, project: Project) -> Module | None:
    return next((m for path in project.resolve(file) if (m := _read(path, project))), None)


def _read(path: Path, project: Project) -> Module | None:
    with suppress(Unreadable, OSError):
        return read_module(path, project)
    return None
