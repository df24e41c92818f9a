"""Names: what an expression is called, what statements bind, and names that are still free."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator
from functools import lru_cache

import libcst as cst

from selfdebug.codemods._place import Place, calls
from selfdebug.syntax.parts import children_of
from selfdebug.syntax.region import Tree

_NESTED = frozenset((cst.FunctionDef, cst.ClassDef, cst.Lambda))
_BINDING = frozenset(
    (
        *(cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.For, cst.Del),
        *(cst.ImportAlias, cst.AsName, cst.MatchAs, cst.MatchStar, cst.MatchMapping),
        *(cst.FunctionDef, cst.ClassDef),
    )
)
_VERBS = re.compile(
    r"_*(?:get|find|fetch|load|read|lookup|look_up|query|select|search|build|make|create|parse|"
    r"resolve|compute|open|request|receive|pop|next|first|last|try)(?:_(?:or_none|optional))?_+(\w+)"
)
_IMPORTED = re.compile(r"^(?:import|from .* import .*?)\b(\w+)\r?$", re.MULTILINE)
_RESULTS = {
    "match": "match",
    "search": "match",
    "fullmatch": "match",
    "findall": "matches",
    "split": "parts",
    "splitlines": "lines",
    "readlines": "lines",
    "sum": "total",
}
_SUFFIX = re.compile(r"_(?:id|key|name|code|slug|pk|by_\w+)$")


def dotted(node: cst.CSTNode) -> str | None:
    """Return the spelling of an expression that may be evaluated twice; None for any other.

    Those are names, their attributes, and items with a constant key: ``order.lines[0]``.
    """
    match node:
        case cst.Name(value=name):
            return name
        case cst.Attribute(value=value, attr=cst.Name(value=attr)):
            base = dotted(value)
            return base and f"{base}.{attr}"
        case cst.Subscript(value=value, slice=[cst.SubscriptElement(slice=cst.Index(value=key))]):
            base, constant = dotted(value), _constant(key)
            return base and constant and f"{base}[{constant}]"
    return None


def root(spelling: str) -> str:
    """Return the name with which a dotted spelling begins."""
    return re.split(r"[.\[]", spelling, maxsplit=1)[0]


def code_of(node: cst.CSTNode) -> str:
    """Return the code of any node, also of one that is not in a file's tree."""
    return cst.Module([]).code_for_node(node)


@lru_cache(maxsize=256)  # codemods and their forms ask for the same blocks
def bound(node: cst.CSTNode) -> tuple[str, ...]:
    """Return what a node binds in its own scope, dotted: names, attributes, items; imports, defs.

    An item with a key that is not constant is spelled with its opening bracket only: ``rows[``.
    """
    found: list[str] = []
    stack = [node]
    while stack:
        part = stack.pop()
        kind = type(part)
        if kind in _BINDING:
            found += _bound(part)
        if kind not in _NESTED:
            stack += reversed(children_of(part))
    return tuple(found)


def _bound(node: cst.CSTNode) -> Iterator[str]:
    match node:
        case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
            yield name.value
        case cst.ImportAlias(name=name, asname=None):
            yield root(dotted(name) or "")
        case cst.AsName(name=name):
            yield from _targets(name)
        case cst.MatchAs(name=cst.Name(value=name)) | cst.MatchStar(name=cst.Name(value=name)):
            yield name
        case cst.MatchMapping(rest=cst.Name(value=name)):
            yield name
        case (
            cst.AssignTarget(target=target)
            | cst.AnnAssign(target=target)
            | cst.AugAssign(target=target)
            | cst.NamedExpr(target=target)
            | cst.For(target=target)
            | cst.Del(target=target)
        ):
            yield from _targets(target)


def changes(node: cst.CSTNode, spelling: str) -> bool:
    """Say whether running a node may change what a dotted spelling stands for."""
    if "." in spelling or "[" in spelling:
        # Any call may set an attribute.
        if calls(node):
            return True
        return any(name == spelling or _is_part(name, spelling) for name in bound(node))
    return spelling in bound(node)


def may_change(tree: Tree, node: cst.CSTNode, spelling: str) -> bool:
    """Say whether running a node may change a value, as ``changes`` does, but with a look at the file.

    Of what is called, modules that the file imports and callables that it keeps in attributes are
    taken not to reach back, unless they are given the object.
    """
    if any(name in (spelling, root(spelling)) or _is_part(name, spelling) for name in bound(node)):
        return True
    return spelling != root(spelling) and not _reaches_nothing(tree, node, root(spelling))


def _reaches_nothing(tree: Tree, node: cst.CSTNode, owner: str) -> bool:
    if isinstance(node, cst.Await | cst.Yield):
        return False
    if isinstance(node, cst.Call):
        given = any(owner in identifiers(arg) for arg in node.args)
        if given or not _is_foreign(tree, dotted(node.func) or ""):
            return False
    return all(_reaches_nothing(tree, child, owner) for child in children_of(node))


def _is_foreign(tree: Tree, function: str) -> bool:
    text = tree.region.source.text
    if "." not in function:
        return hasattr(builtins, function)
    kept = rf"^\s*{re.escape(function)}(?::.*)? = \w+\r?$"
    module = rf"^import (?:.*\b)?{re.escape(root(function))}\b"
    return re.search(f"{kept}|{module}", text, re.MULTILINE) is not None


def identifiers(node: cst.CSTNode) -> Iterator[str]:
    """Yield every name that occurs in a node, as a variable or as anything else."""
    if isinstance(node, cst.Name):
        yield node.value
    for child in children_of(node):
        yield from identifiers(child)


def fresh(tree: Tree, place: Place, value: cst.BaseExpression) -> str:
    """Return a name for a value that the scope does not use yet."""
    text = tree.region.source.text
    if place.function:
        taken = {*identifiers(place.function), *_IMPORTED.findall(text)}
    else:
        taken = {*re.findall(r"\w+", text)}
    names = [*_suggested(value), "found", "result", "value"]
    names += [f"value_{number}" for number in range(2, len(taken) + 3)]
    return next(name for name in names if _is_free(name, taken))


def _suggested(value: cst.BaseExpression) -> Iterator[str]:
    match value:
        case cst.Await(expression=inner):
            yield from _suggested(inner)
        case cst.Call(func=cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name))):
            if name in _RESULTS:
                yield _RESULTS[name]
            if verb := _VERBS.fullmatch(name):
                yield re.sub(r"_(?:or_none|by_\w+|for_\w+|from_\w+)$", "", verb.group(1))
            yield from _from_argument(value)
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=key))]):
            yield from _from_constant(key)


def _from_argument(call: cst.Call) -> Iterator[str]:
    if call.args and not call.args[0].star:
        match call.args[0].value:
            case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
                if _SUFFIX.search(name):
                    yield _SUFFIX.sub("", name)
            case constant:
                yield from _from_constant(constant)


def _from_constant(key: cst.BaseExpression) -> Iterator[str]:
    if isinstance(key, cst.SimpleString) and isinstance(text := key.evaluated_value, str):
        name = re.sub(r"[\s\-.]+", "_", text).lower()
        if name.isascii() and name.isidentifier():
            yield name


def _is_free(name: str, taken: set[str]) -> bool:
    reserved = keyword.iskeyword(name) or (keyword.issoftkeyword(name) and name != "match")
    return not (name in taken or reserved or hasattr(builtins, name))


def _is_part(name: str, spelling: str) -> bool:
    return spelling.startswith((f"{name}.", f"{name}[")) or (
        name.endswith("[") and spelling.startswith(name)
    )


def _targets(node: cst.CSTNode) -> Iterator[str]:
    match node:
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            for element in elements:
                yield from _targets(element.value)
        case cst.StarredElement(value=value):
            yield from _targets(value)
        case cst.Subscript(value=value) if dotted(node) is None and (base := dotted(value)):
            yield f"{base}["
        case _:
            if spelling := dotted(node):
                yield spelling


def _constant(key: cst.BaseExpression) -> str | None:
    match key:
        case cst.SimpleString(value=text) | cst.Integer(value=text):
            return text
        case cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer(value=text)):
            return f"-{text}"
    return None
