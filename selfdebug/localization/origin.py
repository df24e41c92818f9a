"""Where a bad value came from: a static look back from its use, through calls that the frames recorded.

The look is local and cheap on purpose: the assignments in the function, defaults of parameters, the
arguments that callers passed, attributes set in the class, what functions of the project return, and
for a None the contracts of the standard library. It names one way that explains the value; it is
evidence for a reader and does not prove that no other way exists.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from selfdebug.localization.frames import Located
from selfdebug.localization.messages import NONE
from selfdebug.model import Frame, OriginStep, Span, Value
from selfdebug.syntax.bindings import (
    FUNCTIONS,
    Binding,
    Function,
    assigned,
    bindings,
    default_of,
    dotted,
    falls_through,
    is_generator,
    is_name,
    is_static,
    last_name,
    line_of,
    nested,
    parameters,
)
from selfdebug.syntax.modules import Module, definitions, read_module
from selfdebug.syntax.optional_calls import OPTIONAL_ATTRIBUTES, OPTIONAL_CALLS, RESULTS, Contract
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import enclosing
from selfdebug.syntax.source import Unreadable

Steps: TypeAlias = tuple[OriginStep, ...]
_LIST = frozenset(("append", "clear", "extend", "insert", "remove", "reverse", "sort"))
_SET = frozenset(("add", "clear", "difference_update", "discard", "remove", "update"))
_DICT = frozenset(("clear", "update"))
IN_PLACE = {
    "list": _LIST,
    "set": _SET,
    "dict": _DICT,
    "defaultdict": _DICT,
    "OrderedDict": _DICT,
    "Counter": _DICT,
    "deque": _LIST - {"sort"} | {"appendleft", "extendleft", "rotate"},
}
"""The methods of builtin containers that change them and return None."""
_DEPTH = 8  # steps followed before the look back gives up


@dataclass(frozen=True)
class _Place:
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
        return enclosing(self.module.tree, self.line)

    @property
    def function(self) -> Function | None:
        return next((each for each in self.path[::-1] if isinstance(each, FUNCTIONS)), None)

    @property
    def owner(self) -> ast.ClassDef | None:
        return next((each for each in self.path[::-1] if isinstance(each, ast.ClassDef)), None)

    def step(self, node: ast.AST, what: str, *, in_place: bool = False) -> Steps:
        line: int = getattr(node, "lineno", self.line)
        source = self.module.source
        return (OriginStep(source.path, line, what, source.line(line).strip(), in_place),)


def origin(tree: ast.Module, located: Located, bad: Span, project: Project) -> Steps:
    """Return the steps of a value from where it was born to where it hurt; () where nothing tells."""
    source, values = located.source, located.frame.locals
    with suppress(SyntaxError, ValueError, RecursionError):
        expression = ast.parse(f"({source.between(bad)}\n)", mode="eval").body
        callers = located.callers
        if (located.frame.function or "").endswith(("comp>", "genexpr>")):
            callers = callers[:-1]  # the function that the comprehension stands in
        wanted = _class_of_bad(expression, located)
        place = _Place(Module(source, tree, project), bad.line, callers, values, wanted)
        steps = _born(_moved(expression, bad.line), place, _DEPTH)
        if steps:
            code = source.line(bad.line).strip()
            return _merged((*steps, OriginStep(source.path, bad.line, "it is used here", code)))
    return ()


def _class_of_bad(expression: ast.expr, located: Located) -> str:
    """Return the class of the value that was wrong, "" where nothing tells."""
    value = located.frame.locals.get(ast.unparse(expression))
    if value is not None:
        return value.type.rpartition(".")[2]
    said = re.search(r"\bNoneType\b|\bNone\b|^__a?(?:enter|exit)__$", located.raised.message)
    return NONE if said else ""


def _merged(steps: Steps) -> Steps:
    """Make one step of those that follow each other on one line."""
    merged: list[OriginStep] = []
    for step in steps:
        if merged and (merged[-1].file, merged[-1].line) == (step.file, step.line):
            last = merged[-1]
            in_place = last.in_place or step.in_place
            merged[-1] = replace(step, what=f"{last.what}; {step.what}", in_place=in_place)
        else:
            merged.append(step)
    return tuple(merged)


def _moved(expression: ast.expr, line: int) -> ast.expr:
    ast.increment_lineno(expression, line - 1)
    return expression


def _born(node: ast.expr, place: _Place, depth: int) -> Steps:
    """Return the steps by which an expression got the wanted value; () where that is not known."""
    steps: Steps = ()
    if not depth:
        return steps
    match node:
        case ast.Name():
            steps = _of_name(node.id, place, depth - 1)
        case ast.Attribute():
            steps = _of_attribute(node, place, depth - 1)
        case ast.Call():
            steps = _of_call(node, place, depth - 1)
        case ast.Await(value=inner) | ast.NamedExpr(value=inner):
            steps = _born(inner, place, depth)
        case ast.IfExp(body=one, orelse=other):
            steps = _born(other, place, depth) or _born(one, place, depth)
        case ast.BoolOp(op=ast.Or(), values=values):
            steps = _born(values[-1], place, depth)
        case ast.BoolOp(values=values):
            steps = next(filter(None, (_born(each, place, depth) for each in values)), ())
        case _:
            steps = _made(node, place)
    return steps


def _made(node: ast.expr, place: _Place) -> Steps:
    """Return the step at which an expression itself makes the wanted value."""
    made = _class_of_literal(node)
    if place.wanted == NONE:
        return place.step(node, "None is written here") if made == NONE else ()
    if place.wanted and made not in (None, place.wanted):
        return ()
    literal = isinstance(node, ast.Constant | ast.List | ast.Dict | ast.Set | ast.Tuple)
    return place.step(node, "it is written here" if literal else "it is computed here")


def _class_of_literal(node: ast.expr) -> str | None:
    """Return the class of a display or a literal; None for what only running it would tell."""
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    return next((name for kind, name in _LITERALS.items() if isinstance(node, kind)), None)


_LITERALS: Mapping[type[ast.expr], str] = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.Tuple: "tuple",
    ast.JoinedStr: "str",
    ast.GeneratorExp: "generator",
    ast.Lambda: "function",
    ast.Compare: "bool",
}


# --- names ---


def _of_name(name: str, place: _Place, depth: int) -> Steps:
    """Look through the scopes for what bound a name; the last binding that may be None explains it."""
    for function, at in _scopes(place):
        body = function.body if function else place.module.tree.body
        found = [each for each in bindings(body, name) if line_of(each.node) <= at.line]
        for binding in reversed(found):
            here = replace(place, line=line_of(binding.node))
            steps = () if binding.value is None else _born(binding.value, here, depth)
            if steps or (binding.value is None and place.wanted != NONE):
                return (*steps, *here.step(binding.node, binding.what))
        if not found and (steps := _of_manager(body, name, at, depth)):
            return steps
        if found:
            return _unexplained(found[-1], place, depth)
        if function and name in {arg.arg for arg in parameters(function)}:
            return _of_parameter(function, name, at, depth)
    return _of_decorated(name, place, depth)


def _of_manager(body: list[ast.stmt], name: str, place: _Place, depth: int) -> Steps:
    """Return how the ``__enter__`` of a class of the project gave a ``with`` statement None."""
    items = (item for stmt in nested(body) if isinstance(stmt, ast.With) for item in stmt.items)
    for item in items:
        target, made = item.optional_vars, item.context_expr
        if target is None or not is_name(target, name) or not isinstance(made, ast.Call):
            continue
        enter = f"{last_name(made.func)}.__enter__"
        for found in definitions(enter, place.module.project):
            if isinstance(found.node, FUNCTIONS):
                at = _Place(found.module, found.node.lineno)
                steps = _returned(found.node, at, depth)
                return (*steps, *place.step(made, f"`{name}` is what it returned")) if steps else ()
    return ()


def _of_decorated(name: str, place: _Place, depth: int) -> Steps:
    """Return how a function's decorator made None of it."""
    found = _definition(ast.Name(name), place.module.imports.get(name, name), place)
    if found is None:
        return ()
    function, at = found
    for decorator in function.decorator_list:
        made = _decorating(decorator, at)
        if made is not None and (steps := _returned(*made, depth)):
            return (*steps, *at.step(decorator, f"`{name}` is what the decorator returned"))
    return ()


def _decorating(decorator: ast.expr, place: _Place) -> tuple[Function, _Place] | None:
    """Return the function that gets a decorated one: of ``@retry(3)`` the one that ``retry`` returns."""
    func = decorator.func if isinstance(decorator, ast.Call) else decorator
    found = _definition(func, _full_name(func, place), place)
    if found is None or func is decorator:
        return found
    maker, at = found
    returns = (stmt.value for stmt in nested(maker.body) if isinstance(stmt, ast.Return))
    names = {each.id for each in returns if isinstance(each, ast.Name)}
    inner = (stmt for stmt in maker.body if isinstance(stmt, FUNCTIONS) and stmt.name in names)
    made = next(inner, None)
    return (made, replace(at, line=made.lineno)) if made else None


def _unexplained(binding: Binding, place: _Place, depth: int) -> Steps:
    """Name the last assignment of the value itself, where its birth is out of sight.

    What a value was made from has to explain the None, or there is another way that does.
    """
    known = ast.Constant | ast.BinOp | ast.JoinedStr | ast.List | ast.Dict | ast.Tuple | ast.Compare
    if depth < _DEPTH - 1 or isinstance(binding.value, known):
        return ()
    return place.step(binding.node, binding.what)


def _scopes(place: _Place) -> Iterator[tuple[Function | None, _Place]]:
    """Yield the functions in which a name is looked up, inside out, and None for the module.

    All of an outer block counts, not only what stands above: it ran before the function was called.
    """
    functions = [stmt for stmt in place.path if isinstance(stmt, FUNCTIONS)]
    last = place.module.source.lines
    for function in reversed(functions):
        yield function, place
        place = replace(place, line=last, callers=())
    yield None, place


# --- parameters and the arguments of callers ---


def _of_parameter(function: Function, name: str, place: _Place, depth: int) -> Steps:
    found = _passed(function, name, place)
    if found is not None:
        argument, at = found
        here = at.step(argument, f"it is passed as `{name}` to `{function.name}`")
        return (*_born(argument, at, depth), *here)
    default = default_of(function, name)
    if isinstance(default, ast.Constant) and type(default.value).__name__ == place.wanted:
        return place.step(default, f"`{name}` is {default.value!r} by default, and not passed")
    return ()


def _passed(function: Function, name: str, place: _Place) -> tuple[ast.expr, _Place] | None:
    """Return the argument in the recorded caller's call; None where it is not passed or not seen."""
    if not place.callers:
        return None
    *outer, frame = place.callers
    module = _module_of(frame.file, place.module.project)
    if module is None:
        return None
    at = _Place(module, frame.line, tuple(outer), frame.locals, place.wanted)
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


def _calls(place: _Place) -> Iterator[ast.Call]:
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


# --- attributes ---


def _of_attribute(node: ast.Attribute, place: _Place, depth: int) -> Steps:
    code = ast.unparse(node)
    function = place.function
    if function:
        before = [
            stmt
            for stmt in nested(function.body)
            if assigned(stmt, code) is not None and stmt.lineno < place.line
        ]
        for stmt in reversed(before):
            value = assigned(stmt, code)
            assert value is not None
            if steps := _born(value, replace(place, line=stmt.lineno), depth):
                return (*steps, *place.step(stmt, f"`{code}` is assigned"))
    owners = _classes_of(node.value, place)
    for owner in owners:
        if steps := _of_field(owner, node.attr, place, depth):
            return steps
    if owners:
        return ()
    name = f"{_type(node.value, place)}.{node.attr}"
    contract = OPTIONAL_ATTRIBUTES.get(name) if place.wanted == NONE else None
    return place.step(node, f"{name}: {contract.why}") if contract else ()


def _classes_of(node: ast.expr, place: _Place) -> list[ast.ClassDef]:
    """Return the classes of the module that may set an object's fields, the object's own first.

    A method sees objects of its class and of those derived from it.
    """
    value = (place.locals or {}).get(ast.unparse(node))
    name = value.type.rpartition(".")[2] if value else ""
    classes = (s for s in place.module.tree.body if isinstance(s, ast.ClassDef))
    found = [each for each in classes if each.name == name]
    own = place.owner if is_name(node, "self") or is_name(node, "cls") else None
    return [*found, own] if own and own not in found else found


def _of_field(owner: ast.ClassDef, name: str, place: _Place, depth: int) -> Steps:
    """Return where a class gives a field None: in a method or in its body."""
    for body, target in (*((m.body, f"self.{name}") for m in _methods(owner)), (owner.body, name)):
        for stmt in nested(body):
            value = assigned(stmt, target)
            if value is not None:
                at = replace(place, line=stmt.lineno, callers=(), locals=None)
                if steps := _born(value, at, depth):
                    return (*steps, *at.step(stmt, f"`{target}` is assigned"))
    return ()


def _methods(owner: ast.ClassDef) -> Iterator[Function]:
    yield from (stmt for stmt in owner.body if isinstance(stmt, FUNCTIONS))


# --- calls ---


def _of_call(node: ast.Call, place: _Place, depth: int) -> Steps:
    name = _full_name(node.func, place)
    contract = OPTIONAL_CALLS.get(name)
    if contract is not None and place.wanted == NONE:
        return () if _has_default(node, contract) else place.step(node, f"{name}: {contract.why}")
    found = _definition(node.func, name, place)
    if found is not None:
        function, at = found
        return _returned(function, replace(at, wanted=place.wanted), depth)
    if place.wanted != NONE:
        return place.step(node, f"`{last_name(node.func) or 'a call'}` returns it")
    if isinstance(node.func, ast.Attribute) and _is_in_place(node.func, place):
        what = f"`{node.func.attr}` changes the object and returns None"
        return place.step(node, what, in_place=True)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "get" and len(node.args) == 1:
        return place.step(node, "`get` finds nothing and has no default")
    return ()


def _is_in_place(func: ast.Attribute, place: _Place) -> bool:
    """Say whether a method is one by which a builtin container is changed."""
    value = (place.locals or {}).get(ast.unparse(func.value))
    if value is not None:
        return func.attr in IN_PLACE.get(value.type.rpartition(".")[2], ())
    return any(func.attr in methods for methods in IN_PLACE.values())


def _has_default(node: ast.Call, contract: Contract) -> bool:
    if contract.default is None:
        return False
    named = any(keyword.arg in {contract.default, None} for keyword in node.keywords)
    return named or len(node.args) > contract.position


def _full_name(func: ast.expr, place: _Place) -> str:
    """Return the dotted name of what is called, through imports and the types of variables."""
    if isinstance(func, ast.Name):
        return place.module.imports.get(func.id, func.id)
    if not isinstance(func, ast.Attribute):
        return ""
    kind = _type(func.value, place)
    if kind:
        return f"{kind}.{func.attr}"
    top, _, rest = dotted(func).partition(".")
    return f"{place.module.imports.get(top, top)}.{rest}" if top else ""


def _type(node: ast.expr, place: _Place) -> str:
    """Return the class of a value of the standard library, as far as the text shows it."""
    match node:
        case ast.Dict() | ast.DictComp():
            return "dict"
        case ast.Call():
            return RESULTS.get(_full_name(node.func, place), "")
        case ast.Name(id=name):
            value = (place.locals or {}).get(name)
            if value is not None and f"{value.type}.get" in OPTIONAL_CALLS:
                return value.type
            for function, at in _scopes(place):
                body = function.body if function else at.module.tree.body
                bound = [each for each in bindings(body, name) if line_of(each.node) < at.line]
                if bound:
                    held, line = bound[-1].value, line_of(bound[-1].node)
                    return _type(held, replace(at, line=line)) if held else ""
    return ""


def _definition(func: ast.expr, name: str, place: _Place) -> tuple[Function, _Place] | None:
    """Return the project's function that a call reaches, and its place."""
    if isinstance(func, ast.Attribute) and (
        is_name(func.value, "self") or is_name(func.value, "cls")
    ):
        return _named(_methods(place.owner) if place.owner else iter(()), func.attr, place.module)
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


def _method(func: ast.Attribute, place: _Place) -> tuple[Function, _Place] | None:
    """Return the method of the receiver's class, or the project's only one of the name."""
    kind = (place.locals or {}).get(ast.unparse(func.value))
    name = f"{kind.type.rpartition('.')[2]}.{func.attr}" if kind else func.attr
    found = [each for each in definitions(name, place.module.project) if each.owner]
    if len(found) != 1 or not isinstance(found[0].node, FUNCTIONS):
        return None
    return found[0].node, _Place(found[0].module, found[0].node.lineno)


def _named(
    functions: Iterator[Function], name: str, module: Module
) -> tuple[Function, _Place] | None:
    found = next((each for each in functions if each.name == name), None)
    return (found, _Place(module, found.lineno)) if found else None


def _imported(name: str, module: Module) -> Module | None:
    path = module.project.module(name)
    return _read(path, module.project) if path else None


def _returned(function: Function, place: _Place, depth: int) -> Steps:
    """Return how a function comes to return the wanted value."""
    returns = [stmt for stmt in nested(function.body) if isinstance(stmt, ast.Return)]
    if is_generator(function):
        return ()
    for stmt in returns:
        at = replace(place, line=stmt.lineno)
        if stmt.value is None:
            if place.wanted == NONE:
                return at.step(stmt, f"`{function.name}` returns without a value")
        elif steps := _born(stmt.value, at, depth):
            return (*steps, *at.step(stmt, f"`{function.name}` returns it"))
    if place.wanted == NONE and falls_through(function.body):
        return place.step(function.body[-1], f"`{function.name}` ends here without a return")
    return ()
