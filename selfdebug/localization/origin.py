"""Where a bad value came from: a static look back from its use, through calls that the frames recorded.

The look is local and cheap on purpose: the assignments in the function, defaults of parameters, the
arguments that callers passed, attributes set in the class, what functions of the project return, and
for a None the contracts of the standard library. It names one way that explains the value; it is
evidence for a reader and does not prove that no other way exists.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from selfdebug.localization.frames import Located
from selfdebug.localization.messages import NONE
from selfdebug.localization.resolution import (
    Place,
    Steps,
    classes_of,
    decorating,
    definition,
    full_name,
    passed,
    scopes,
    type_of,
)
from selfdebug.model import OriginStep, Span
from selfdebug.syntax.bindings import (
    FUNCTIONS,
    Binding,
    Function,
    assigned,
    bindings,
    default_of,
    falls_through,
    is_generator,
    is_name,
    last_name,
    line_of,
    methods_of,
    nested,
    parameters,
)
from selfdebug.syntax.modules import Module, definitions
from selfdebug.syntax.optional_calls import OPTIONAL_ATTRIBUTES, OPTIONAL_CALLS, Contract
from selfdebug.syntax.project import Project

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


def origin(tree: ast.Module, located: Located, bad: Span, project: Project) -> Steps:
    """Return the steps of a value from where it was born to where it hurt; () where nothing tells."""
    source, values = located.source, located.frame.locals
    with suppress(SyntaxError, ValueError, RecursionError):
        expression = ast.parse(f"({source.between(bad)}\n)", mode="eval").body
        callers = located.callers
        if (located.frame.function or "").endswith(("comp>", "genexpr>")):
            callers = callers[:-1]  # the function that the comprehension stands in
        wanted = _class_of_bad(expression, located)
        place = Place(Module(source, tree, project), bad.line, callers, values, wanted)
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


def _born(node: ast.expr, place: Place, depth: int) -> Steps:
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


def _made(node: ast.expr, place: Place) -> Steps:
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


def _of_name(name: str, place: Place, depth: int) -> Steps:
    """Look through the scopes for what bound a name; the last binding that may be None explains it."""
    for function, at in scopes(place):
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


def _of_manager(body: list[ast.stmt], name: str, place: Place, depth: int) -> Steps:
    """Return how the ``__enter__`` of a class of the project gave a ``with`` statement None."""
    items = (item for stmt in nested(body) if isinstance(stmt, ast.With) for item in stmt.items)
    for item in items:
        target, made = item.optional_vars, item.context_expr
        if target is None or not is_name(target, name) or not isinstance(made, ast.Call):
            continue
        enter = f"{last_name(made.func)}.__enter__"
        for found in definitions(enter, place.module.project):
            if isinstance(found.node, FUNCTIONS):
                at = Place(found.module, found.node.lineno)
                steps = _returned(found.node, at, depth)
                return (*steps, *place.step(made, f"`{name}` is what it returned")) if steps else ()
    return ()


def _of_decorated(name: str, place: Place, depth: int) -> Steps:
    """Return how a function's decorator made None of it."""
    found = definition(ast.Name(name), place.module.imports.get(name, name), place)
    if found is None:
        return ()
    function, at = found
    for decorator in function.decorator_list:
        made = decorating(decorator, at)
        if made is not None and (steps := _returned(*made, depth)):
            return (*steps, *at.step(decorator, f"`{name}` is what the decorator returned"))
    return ()


def _unexplained(binding: Binding, place: Place, depth: int) -> Steps:
    """Name the last assignment of the value itself, where its birth is out of sight.

    What a value was made from has to explain the None, or there is another way that does.
    """
    known = ast.Constant | ast.BinOp | ast.JoinedStr | ast.List | ast.Dict | ast.Tuple | ast.Compare
    if depth < _DEPTH - 1 or isinstance(binding.value, known):
        return ()
    return place.step(binding.node, binding.what)


# --- parameters and the arguments of callers ---


def _of_parameter(function: Function, name: str, place: Place, depth: int) -> Steps:
    found = passed(function, name, place)
    if found is not None:
        argument, at = found
        here = at.step(argument, f"it is passed as `{name}` to `{function.name}`")
        return (*_born(argument, at, depth), *here)
    default = default_of(function, name)
    if isinstance(default, ast.Constant) and type(default.value).__name__ == place.wanted:
        return place.step(default, f"`{name}` is {default.value!r} by default, and not passed")
    return ()


# --- attributes ---


def _of_attribute(node: ast.Attribute, place: Place, depth: int) -> Steps:
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
    owners = classes_of(node.value, place)
    for owner in owners:
        if steps := _of_field(owner, node.attr, place, depth):
            return steps
    if owners:
        return ()
    name = f"{type_of(node.value, place)}.{node.attr}"
    contract = OPTIONAL_ATTRIBUTES.get(name) if place.wanted == NONE else None
    return place.step(node, f"{name}: {contract.why}") if contract else ()


def _of_field(owner: ast.ClassDef, name: str, place: Place, depth: int) -> Steps:
    """Return where a class gives a field None: in a method or in its body."""
    for body, target in (
        *((m.body, f"self.{name}") for m in methods_of(owner)),
        (owner.body, name),
    ):
        for stmt in nested(body):
            value = assigned(stmt, target)
            if value is not None:
                at = replace(place, line=stmt.lineno, callers=(), locals=None)
                if steps := _born(value, at, depth):
                    return (*steps, *at.step(stmt, f"`{target}` is assigned"))
    return ()


# --- calls ---


def _of_call(node: ast.Call, place: Place, depth: int) -> Steps:
    name = full_name(node.func, place)
    contract = OPTIONAL_CALLS.get(name)
    if contract is not None and place.wanted == NONE:
        return () if _has_default(node, contract) else place.step(node, f"{name}: {contract.why}")
    found = definition(node.func, name, place)
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


def _is_in_place(func: ast.Attribute, place: Place) -> bool:
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


def _returned(function: Function, place: Place, depth: int) -> Steps:
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
