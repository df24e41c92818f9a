"""The style of the code around a place: how its function leaves early, and which quotes it uses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

import libcst as cst

from selfdebug.codemods._names import bound, code_of, dotted, identifiers
from selfdebug.codemods._neutral import by_word, literal_of
from selfdebug.codemods._place import Place
from selfdebug.syntax.parts import children_of
from selfdebug.syntax.region import Tree

_NESTED = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
_EMPTY_OF = by_word(
    {
        "[]": "list List Sequence Collection Iterable MutableSequence",
        "{}": "dict Dict Mapping MutableMapping",
        "set()": "set Set MutableSet AbstractSet",
        "frozenset()": "frozenset FrozenSet",
        "False": "bool",
        "0": "int",
        "0.0": "float",
        '""': "str Text",
        'b""': "bytes",
    }
)
_EMPTY_TEXT = frozenset({'""', 'b""'})
_OPEN = frozenset({"None", "Optional", "Any", "object"})
_PROTOCOL = by_word(
    {
        "False": "__bool__ __contains__",
        "0": "__len__ __int__ __index__ __hash__",
        '""': "__str__ __repr__ __format__",
        "iter(())": "__iter__",
        "NotImplemented": "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __add__ __radd__ __sub__ "
        "__rsub__ __mul__ __rmul__ __and__ __or__ __xor__",
    }
)
_NEUTRAL = frozenset(
    ["None", "False", '""', "''", "0", "0.0", "[]", "{}", "()", "set()", "dict()", "list()", "-1"]
)
_TAKING = frozenset({"get", "pop", "popleft", "get_nowait", "recv", "readline", "read", "next"})


def quoted(tree: Tree, node: cst.CSTNode, literal: str) -> str | None:
    """Return a literal in the file's quotes; None where f-strings around the node leave none."""
    if '"' not in literal:
        return literal
    outer = {
        up.start.lstrip("rRfFtT")[0]
        for up in tree.ancestors(node)
        if isinstance(up, cst.FormattedString | cst.TemplatedString)
    }
    free = [quote for quote in _quotes(tree.region.source.text) if quote not in outer]
    return literal.replace('"', free[0]) if free else None


def early_exits(
    tree: Tree, place: Place, value: cst.BaseExpression, name: str, fault: str
) -> Iterator[str]:
    """Yield the statements that can leave above a statement when a value is wrong, best first.

    ``name`` is what the value is called there, ``fault`` says in words what is wrong. Nothing is yielded
    where leaving would be a syntax error, would hide an exception, or would break what the function
    promises.
    """
    if _within(tree, place.statement, cst.Finally):
        return
    loop = _loop(tree, place.statement)
    if loop is not None and _made_in(loop, value):
        yield _next_item(loop, value)
    elif place.function and not _within(tree, place.statement, cst.ExceptStarHandler):
        raises = (
            *_by_siblings(tree, place.function, dotted(value) or ""),
            *_raises(tree, place.function, name, fault),
        )
        returns = _returns(tree, place.function, place.statement)
        # A function that says that it may return None does so before it takes a missing value for bad.
        optional = (_annotation(place.function) or set()) & {"None", "Optional"}
        if optional and not is_procedure(place.function):
            yield from returns
            yield from raises
        else:
            yield from raises
            yield from returns


def fallbacks(tree: Tree, function: cst.FunctionDef) -> Iterator[str]:
    """Yield what a function returns when it has nothing to return, as source text; may be nothing."""
    protocol = _PROTOCOL.get(function.name.value)
    annotation = _annotation(function)
    if protocol is not None:
        yield protocol
        return
    own = _own_fallback(tree, function)
    if annotation is not None and not annotation & _OPEN:
        literal = _of_annotation(function) or own
        yield from () if literal is None else (literal,)
        return
    yield own or "None"
    if annotation is None and own is None:
        yield from _shown(function)


def returned(function: cst.FunctionDef) -> tuple[cst.Return, ...]:
    """Return the function's own return statements."""
    return tuple(node for node in _own(function.body) if isinstance(node, cst.Return))


def is_generator(function: cst.FunctionDef) -> bool:
    """Say whether a function is a generator."""
    return any(isinstance(node, cst.Yield) for node in _own(function.body))


def is_procedure(function: cst.FunctionDef) -> bool:
    """Say whether a function returns no value."""
    if _annotation(function) == {"None"}:
        return True
    values = [each.value for each in returned(function) if each.value is not None]
    return not values and (_annotation(function) or {"None"}) <= _OPEN


def _returns(tree: Tree, function: cst.FunctionDef, statement: cst.CSTNode) -> Iterator[str]:
    if function.name.value == "__init__" and not _is_last(function, tree, statement):
        return
    if function.name.value in ("__new__", "__enter__", "__aenter__"):
        return
    if is_generator(function) or is_procedure(function):
        yield "return"
        return
    for literal in fallbacks(tree, function):
        yield f"return {quoted(tree, function, literal) if literal in _EMPTY_TEXT else literal}"


def _made_in(loop: cst.For | cst.While, value: cst.BaseExpression) -> bool:
    """Say whether a value may be another one in every round of a loop."""
    names = {*bound(loop)}
    return dotted(value) in names or not names.isdisjoint(identifiers(value))


def _next_item(loop: cst.For | cst.While, value: cst.BaseExpression) -> str:
    """Choose how to go on: a ``while`` that makes no progress of its own must not be continued."""
    if isinstance(loop, cst.For):
        return "continue"
    names = {*identifiers(value)}
    sources = [value] if dotted(value) is None else []
    sources += [
        node.value
        for node in _own(loop.body)
        if isinstance(node, cst.Assign) and dotted(node.targets[0].target) in names
    ]
    return "continue" if sources and all(map(_takes, sources)) else "break"


def _takes(value: cst.BaseExpression) -> bool:
    match value:
        case cst.Await(expression=inner):
            return _takes(inner)
        case cst.Call(func=cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name))):
            return name in _TAKING
    return False


def _raises(tree: Tree, function: cst.FunctionDef, spelling: str, fault: str) -> Iterator[str]:
    """Raise what the function already raises for bad input, or what a caller here already catches."""
    for node in _own(function.body):
        match node:
            case cst.Raise(
                exc=cst.Call(func=func, args=[cst.Arg(value=cst.BaseString() as text)])
            ) if (name := dotted(func)) and _guards(tree, node):
                words = f"{_words(spelling)} {fault}"
                yield f"raise {name}({_message(tree, function, text, words)})"
                return
    if caught := _caught_by_callers(tree, function.name.value):
        missing = quoted(tree, function, f'"{_words(spelling)} {fault}"')
        yield f"raise {caught}({missing})"


def _by_siblings(tree: Tree, function: cst.FunctionDef, spelling: str) -> Iterator[str]:
    """Raise what other methods of the class raise where they miss the same attribute of the object."""
    if not spelling.startswith("self."):
        return
    module = _parsed(tree.region.source.text)
    line = tree.span(function.name).line
    classes = [node for node in ast.walk(module) if isinstance(node, ast.ClassDef)]
    around = [each for each in classes if each.lineno <= line <= (each.end_lineno or 0)]
    for node in ast.walk(around[-1]) if around else ():
        match node:
            case ast.If(test=test, body=[ast.Raise(exc=ast.expr() as raised, cause=None)]) if (
                _misses(test, spelling) and _stands_alone(raised)
            ):
                code = ast.get_source_segment(tree.region.source.text, raised) or ""
                yield from () if "\n" in code else (f"raise {code}",)
                return


@lru_cache(maxsize=2)
def _parsed(text: str) -> ast.Module:
    """Parse a file for all that ask; what does not parse is taken to be empty."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def _misses(test: ast.expr, spelling: str) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ast.unparse(operand) == spelling
        case ast.Compare(
            left=left, ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=None)]
        ):
            return ast.unparse(left) == spelling
    return False


def _stands_alone(raised: ast.expr) -> bool:
    """Say whether what is raised uses no variable but the object itself."""
    func = raised.func if isinstance(raised, ast.Call) else raised
    rest = {node.id for node in ast.walk(raised) if isinstance(node, ast.Name)}
    return rest <= {"self", ast.unparse(func).partition(".")[0]}


def _message(tree: Tree, function: cst.FunctionDef, text: cst.BaseString, words: str) -> str | None:
    """Word a message as another one of the function is: what it begins with, capital and full stop."""
    code = tree.code(text)
    subject = re.match(r"f(?:\"|')(\{[^{}\"']+\}: )", code)
    if subject:
        return "f" + str(quoted(tree, function, f'"{subject[1]}{words}"'))
    code = code.lstrip("rRbBuUfF").strip("\"'")
    if code[:1].isupper():
        words = words[0].upper() + words[1:]
    if code.endswith("."):
        words += "."
    return quoted(tree, function, f'"{words}"')


def _words(spelling: str) -> str:
    return re.split(r"[.\[]", spelling.rstrip("]"))[-1].strip("\"'").strip("_").replace("_", " ")


def _guards(tree: Tree, node: cst.Raise) -> bool:
    """Say whether a raise is the whole answer to a test, as for bad input."""
    block = tree.parents[tree.parents[node]]
    return isinstance(block, cst.IndentedBlock) and isinstance(tree.parents[block], cst.If)


def _caught_by_callers(tree: Tree, name: str) -> str | None:
    """Return the exception that every ``try`` around a call of the function in this file names."""
    module = _parsed(tree.region.source.text)
    found: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Try) and any(_calls(stmt, name) for stmt in node.body):
            found.update(_caught(handler) for handler in node.handlers)
    exact = found - {"", "Exception", "BaseException", "AttributeError", "TypeError"}
    return exact.pop() if len(found) == len(exact) == 1 else None


def _calls(stmt: ast.stmt, name: str) -> bool:
    return any(
        isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) == name
        for node in ast.walk(stmt)
    )


def _caught(handler: ast.ExceptHandler) -> str:
    simple = isinstance(handler.type, ast.Name | ast.Attribute)
    return ast.unparse(handler.type) if handler.type and simple else ""


def _loop(tree: Tree, statement: cst.CSTNode) -> cst.For | cst.While | None:
    """Return the innermost loop whose body a statement is in, unless leaving it is not allowed."""
    child = statement
    for parent in tree.ancestors(statement):
        if isinstance(parent, cst.FunctionDef | cst.ClassDef | cst.ExceptStarHandler):
            return None
        if isinstance(parent, cst.For | cst.While) and child is parent.body:
            return parent
        child = parent
    return None


def _within(tree: Tree, statement: cst.CSTNode, kind: type[cst.CSTNode]) -> bool:
    """Say whether a statement is in a block of this kind in its own function."""
    for parent in tree.ancestors(statement):
        if isinstance(parent, kind):
            return True
        if isinstance(parent, cst.FunctionDef):
            return False
    return False


def _is_last(function: cst.FunctionDef, tree: Tree, statement: cst.CSTNode) -> bool:
    last = function.body.body[-1]
    return statement is last or last in tree.ancestors(statement)


@lru_cache(maxsize=8)
def _own(node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
    """Return the nodes of a function that are not those of a function or class in it, in order."""
    found: list[cst.CSTNode] = []
    stack = [*reversed(children_of(node))]
    while stack:
        child = stack.pop()
        if not isinstance(child, _NESTED):
            found.append(child)
            stack += reversed(children_of(child))
    return tuple(found)


def _annotation(function: cst.FunctionDef) -> set[str] | None:
    """Return the words of the return annotation outside brackets; None without one."""
    if function.returns is None:
        return None
    text = _text(function.returns.annotation)
    if re.match(r"(?:\w+\.)?Union\[", text):
        text = text.partition("[")[2].rstrip("]")
    while "[" in text:
        shorter = re.sub(r"\[[^\[\]]*\]", "", text)
        if shorter == text:
            break
        text = shorter
    return {name.rpartition(".")[2] for name in re.findall(r"[\w.]+", text)}


def _of_annotation(function: cst.FunctionDef) -> str | None:
    assert function.returns is not None
    if re.fullmatch(r"(?:tuple|Tuple)(?:\[.*, ?\.\.\.\])?", _text(function.returns.annotation)):
        return "()"
    names = _annotation(function) or set()
    found = {_EMPTY_OF.get(name) for name in names}
    return found.pop() if len(found) == 1 else None


def _text(annotation: cst.BaseExpression) -> str:
    return code_of(annotation).strip("\"'")


def _own_fallback(tree: Tree, function: cst.FunctionDef) -> str | None:
    """Return the constant with which the function already answers that there is nothing."""
    values = [tree.code(each.value) for each in returned(function) if each.value]
    bare = any(each.value is None for each in returned(function))
    neutral = {value for value in values if value in _NEUTRAL}
    if bare or "None" in neutral:
        return "None"
    if len(neutral) == 1:
        return neutral.pop().replace("''", '""')
    answers = {
        tree.code(each.value)
        for each in returned(function)
        if isinstance(each.value, cst.SimpleString | cst.Name) and _is_guard(tree, each)
    } & {*values}
    literals = {answer for answer in answers if answer[0] in "\"'"}
    return literals.pop() if len(literals) == 1 and not neutral else None


def _is_guard(tree: Tree, node: cst.Return) -> bool:
    line = tree.parents[node]
    block = tree.parents[line]
    holder = tree.parents[block] if isinstance(block, cst.IndentedBlock) else block
    return isinstance(holder, cst.If) and holder.orelse is None


def _shown(function: cst.FunctionDef) -> Iterator[str]:
    """Yield the empty value of the one type that all returned expressions show."""
    found = {_empty(each.value) for each in returned(function) if each.value}
    if len(found) == 1 and (literal := found.pop()) is not None:
        yield literal


def _empty(value: cst.BaseExpression) -> str | None:
    match value:
        case cst.Tuple(elements=elements):
            return ", ".join(["None"] * len(elements)) if len(elements) > 1 else None
        case cst.Comparison() | cst.UnaryOperation(operator=cst.Not()):
            return "False"
        case cst.Dict() | cst.DictComp():
            return "{}"
        case cst.Set() | cst.SetComp():
            return "set()"
        case cst.BooleanOperation(left=left, right=right):
            return "False" if _empty(left) == _empty(right) == "False" else None
    return literal_of(value)


def _quotes(text: str) -> tuple[str, str]:
    """Return the quotes, the more used first."""
    shown = re.findall(r"\"\"\"|'''|(?<!\w)[rbuf]?([\"'])", text, re.IGNORECASE)
    return ("'", '"') if shown.count("'") > shown.count('"') else ('"', "'")
