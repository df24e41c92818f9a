"""Uses of None that need no failure to be known: an Optional result, used with no check between.

The analysis looks at the statements that follow in the same block, and gives up at the first that it
does not understand: any other mention of the variable, any handler that could catch the failure.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from selfdebug.codemods._checks import leaves
from selfdebug.codemods._library import library_object
from selfdebug.codemods._names import bound, dotted, root
from selfdebug.codemods._place import place, scope
from selfdebug.codemods._use import Use, use_of
from selfdebug.model import Site
from selfdebug.syntax.optional_calls import OPTIONAL_CALLS, RESULTS, Contract
from selfdebug.syntax.region import Tree

_FAILURES: Mapping[Use, tuple[str, str]] = {
    Use.ATTRIBUTE: ("AttributeError", "'NoneType' object has no attribute '{}'"),
    Use.SUBSCRIPT: ("TypeError", "'NoneType' object is not subscriptable"),
    Use.CALL: ("TypeError", "'NoneType' object is not callable"),
    Use.ITERATION: ("TypeError", "'NoneType' object is not iterable"),
    Use.UNPACKING: ("TypeError", "cannot unpack non-iterable NoneType object"),
    Use.CONTAINER: ("TypeError", "argument of type 'NoneType' is not iterable"),
    Use.MAPPING: ("TypeError", "'NoneType' object is not a mapping"),
}
"""The uses that fail for certain, and how CPython says so."""
_CATCHING = re.compile(r"suppress|raises|assertRaises")


@dataclass(frozen=True)
class File:
    """What a file tells about names: its imports, its functions that may return None."""

    tree: Tree

    @cached_property
    def imports(self) -> Mapping[str, str]:
        """Full names by the names that the file gives them."""
        found: dict[str, str] = {}
        for node in self.tree.ranges:
            if isinstance(node, cst.Import):
                found.update(_imported("", node.names))
            elif isinstance(node, cst.ImportFrom) and node.module and not node.relative:
                names = () if isinstance(node.names, cst.ImportStar) else node.names
                found.update(_imported(f"{dotted(node.module)}.", names))
        return found

    @cached_property
    def classes(self) -> frozenset[str]:
        """The names of the module's classes."""
        every = (node for node in self.tree.ranges if isinstance(node, cst.ClassDef))
        return frozenset(
            node.name.value for node in every if scope(self.tree, node) is self.tree.module
        )

    @cached_property
    def optional(self) -> Mapping[str, cst.FunctionDef]:
        """Functions of the module, and ``Class.method``, that are annotated to return None too."""
        every = [node for node in self.tree.ranges if isinstance(node, cst.FunctionDef)]
        names = [self._qualified(node) for node in every]
        return {
            name: node
            for name, node in zip(names, every, strict=True)
            if names.count(name) == 1 and not node.decorators and self._returns_none_too(node)
        }

    def contract(self, node: cst.BaseExpression) -> str | None:
        """Say why an expression may be None by contract or annotation; None where it is not known."""
        if isinstance(node, cst.Await):
            called = node.expression
            return self._annotated(called, awaited=True) if isinstance(called, cst.Call) else None
        if not isinstance(node, cst.Call):
            return None
        known = OPTIONAL_CALLS.get(self._full(node.func) or "")
        if known is not None:
            return None if _has_default(node, known) else known.why
        return self._annotated(node, awaited=False)

    def makes_object(self, node: cst.BaseExpression | None) -> bool:
        """Say whether an expression is a call of a class, of the file or of the standard library."""
        if not isinstance(node, cst.Call):
            return False
        full = self._full(node.func)
        name = "" if self._is_rebound(dotted(node.func) or "", node) else dotted(node.func)
        if name in self.classes or isinstance(library_object(full or ""), type):
            return True
        return isinstance(getattr(builtins, name or "", None), type)

    def _annotated(self, call: cst.Call, *, awaited: bool) -> str | None:
        name = dotted(call.func) or ""
        if name.startswith("self."):
            owner = next(
                (up for up in self.tree.ancestors(call) if isinstance(up, cst.ClassDef)), None
            )
            name = f"{owner.name.value}.{name[5:]}" if owner else ""
        elif self._is_rebound(name, call):
            return None
        known = self.optional.get(name)
        if known is None or (known.asynchronous is not None) is not awaited:
            return None
        return f"{name}() is annotated to return None too"

    def _is_rebound(self, name: str, near: cst.CSTNode) -> bool:
        """Say whether a function around a place uses a name for something of its own."""
        functions = (up for up in self.tree.ancestors(near) if isinstance(up, cst.FunctionDef))
        return any(name in _parameters(up) or name in bound(up.body) for up in functions)

    def _returns_none_too(self, node: cst.FunctionDef) -> bool:
        if node.returns is None:
            return False
        text = self.tree.code(node.returns.annotation).strip("\"'")
        outer = re.sub(r"\[.*\]", "", text)
        return bool(
            re.match(r"(?:\w+\.)?Optional\[", text) or re.search(r"\|\s*None\b|^None\s*\|", outer)
        )

    def _qualified(self, node: cst.FunctionDef) -> str:
        holder = scope(self.tree, node)
        if isinstance(holder, cst.ClassDef):
            return f"{holder.name.value}.{node.name.value}"
        return node.name.value if isinstance(holder, cst.Module) else ""

    def _full(self, func: cst.BaseExpression) -> str | None:
        """Return the full name of a function, or of the method of an instance whose class is known."""
        name = dotted(func)
        if name and root(name) in self.imports and not self._is_rebound(root(name), func):
            return self.imports[root(name)] + name[len(root(name)) :]
        if not isinstance(func, cst.Attribute):
            return None
        owner = self._class_of(func.value)
        return owner and f"{owner}.{func.attr.value}"

    def _class_of(self, node: cst.BaseExpression) -> str | None:
        match node:
            case cst.Dict():
                return "dict"
            case cst.Call(func=func):
                return RESULTS.get(self._full(func) or dotted(func) or "")
            case cst.Name(value=name):
                where = scope(self.tree, place(self.tree, node).statement)
                values = [*self._values(name, where)] or [*self._values(name, self.tree.module)]
                return self._class_of(values[0]) if len(values) == 1 and values[0] else None
        return None

    def _values(self, name: str, where: cst.CSTNode) -> Iterator[cst.BaseExpression | None]:
        """Yield what is assigned to a local variable; None for a binding that is no assignment."""
        if isinstance(where, cst.FunctionDef) and name in _parameters(where):
            yield None
        for node in _own(where):
            match node:
                case cst.Assign(
                    targets=[cst.AssignTarget(target=cst.Name(value=target))], value=value
                ):
                    if target == name:
                        yield value
                case cst.BaseSmallStatement() | cst.For() | cst.With() | cst.NamedExpr():
                    if name in bound(node):
                        yield None


def proven(tree: Tree) -> Iterator[Site]:
    """Yield the uses of results that are None by contract or annotation, in the file's functions."""
    file = File(tree)
    for node in tree.ranges:
        if isinstance(node, cst.Call | cst.Await) and file.contract(node) is not None:
            bad = _use_after(tree, node)
            if bad is not None and not _is_caught(tree, bad):
                yield _site(tree, bad)


def _use_after(tree: Tree, call: cst.Call | cst.Await) -> cst.BaseExpression | None:
    """Return the use of a result that fails where it is None: its own place, or of its variable."""
    where = place(tree, call)
    if where.function is None:
        return None
    if use_of(tree, call) in _FAILURES:
        return call if _fails(tree, call) else None
    match tree.parents[call]:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]) as assign:
            line = tree.parents[assign]
            block = tree.parents[line]
            alone = isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1
            if (
                alone
                and isinstance(block, cst.IndentedBlock)
                and not _is_shared(where.function, name)
            ):
                return _first_use(tree, block.body[block.body.index(line) + 1 :], name)
    return None


def _first_use(
    tree: Tree, lines: Sequence[cst.BaseStatement], name: str
) -> cst.BaseExpression | None:
    for line in lines:
        mentions = [*_mentions(line, name)]
        if mentions:
            first = mentions[0]
            where = place(tree, first)
            here = where.statement is line or tree.parents[where.statement] is line
            fails = use_of(tree, first) in _FAILURES and _fails(tree, first)
            return first if here and where.once and not where.inner and fails else None
        if isinstance(line, cst.SimpleStatementLine) and leaves(line):
            return None
    return None


def _fails(tree: Tree, node: cst.BaseExpression) -> bool:
    """Say whether a use fails for None: None has a few attributes of its own."""
    parent = tree.parents[node]
    return not (isinstance(parent, cst.Attribute) and hasattr(None, parent.attr.value))


def _mentions(node: cst.CSTNode, name: str) -> Iterator[cst.Name]:
    """Yield the places of a name in the order of evaluation, as far as that matters: values first."""
    children = list(node.children)
    if isinstance(node, cst.Assign):
        children = [node.value, *node.targets]
    elif isinstance(node, cst.Attribute | cst.Arg):
        children = [node.value]
    elif isinstance(node, cst.For):
        children = [node.iter, node.target, node.body, *([node.orelse] if node.orelse else [])]
    for child in children:
        if isinstance(child, cst.Name) and child.value == name:
            yield child
        else:
            yield from _mentions(child, name)


def _is_caught(tree: Tree, node: cst.CSTNode) -> bool:
    """Say whether anything around a place might catch its failure."""
    child = node
    for parent in tree.ancestors(node):
        if isinstance(parent, cst.FunctionDef):
            return False
        if isinstance(parent, cst.Try | cst.TryStar) and child is parent.body and parent.handlers:
            return True
        if isinstance(parent, cst.With) and any(
            _CATCHING.search(tree.code(item.item)) for item in parent.items
        ):
            return True
        child = parent
    return False


def _is_shared(function: cst.FunctionDef, name: str) -> bool:
    """Say whether a variable may be changed from elsewhere."""
    return any(
        isinstance(node, cst.Global | cst.Nonlocal)
        and any(item.name.value == name for item in node.names)
        for node in _all(function)
    )


def _site(tree: Tree, bad: cst.BaseExpression) -> Site:
    use, parent = use_of(tree, bad), tree.parents[bad]
    assert use is not None
    exc_type, message = _FAILURES[use]
    attribute = parent.attr.value if isinstance(parent, cst.Attribute) else ""
    span, code = tree.span(bad), tree.code(bad)
    path = tree.region.source.path
    return Site(
        path,
        span,
        type(bad).__name__,
        code,
        exc_type,
        message.format(attribute),
        bad=span,
        bad_code=code,
    )


def _imported(prefix: str, names: Sequence[cst.ImportAlias]) -> Iterator[tuple[str, str]]:
    for alias in names:
        full = dotted(alias.name) or ""
        if alias.asname is not None:
            yield dotted(alias.asname.name) or "", prefix + full
        elif prefix:
            yield full, prefix + full
        else:
            yield root(full), root(full)


def _has_default(call: cst.Call, contract: Contract) -> bool:
    """Say whether a call names what it wants instead of None, or hides its arguments behind a star."""
    if any(arg.star for arg in call.args):
        return True
    if contract.default is None:
        return False
    keyword = any(arg.keyword and arg.keyword.value == contract.default for arg in call.args)
    return keyword or len(call.args) > contract.position


def _parameters(function: cst.FunctionDef) -> set[str]:
    params = function.params
    found = [*params.posonly_params, *params.params, *params.kwonly_params, params.star_kwarg]
    found += [params.star_arg] if isinstance(params.star_arg, cst.Param) else []
    return {each.name.value for each in found if each}


def _own(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for child in node.children:
        yield child
        if not isinstance(child, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            yield from _own(child)


def _all(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _all(child)
