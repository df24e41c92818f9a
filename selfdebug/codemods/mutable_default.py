"""MutableDefault: a default that is made once, when the function is, and changed by its calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._default import made_anew, mutable_params
from selfdebug.codemods._defined import defined_at, own_nodes
from selfdebug.codemods._edit import changed
from selfdebug.codemods._names import bound, dotted
from selfdebug.codemods._tested import suspected
from selfdebug.model import Site
from selfdebug.syntax.bindings import Function
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_NONE = Variant("none", "root-cause", "make the default anew in each call", growth=2, prior=0.85)

_MUTATORS = frozenset(
    (
        *("append", "appendleft", "extend", "insert", "add", "update", "setdefault", "pop"),
        *("popleft", "popitem", "remove", "discard", "clear", "sort", "reverse"),
    )
)


class MutableDefault(Codemod):
    """Make a list, dictionary or set that is a default, and that calls change, anew in each call."""

    DESCRIPTION = "Make mutable defaults anew in each call."
    NAME = "mutable-default"
    ANSWERS = (Answer(("AssertionError",)),)
    VARIANTS = (_NONE,)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the functions that ran: at the site, or called by the test."""
        yield from suspected(site, project, _has_default)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the function with None for a default."""
        tree, line = target.tree, target.site.span.line
        function = defined_at(tree, line) or _around(tree, line)
        if function is None or not isinstance(function.body, cst.IndentedBlock):
            return
        shared = [each for each in mutable_params(function) if _is_shared(function, each)]
        change = made_anew(tree, function, shared) if shared else None
        module = change and changed(tree, change)
        if module:
            names = ", ".join(f"`{each.name.value}`" for each in shared)
            yield Rewrite(_NONE, module, f"all calls share the default of {names}, and change it")


def _has_default(function: Function) -> bool:
    defaults = (*function.args.defaults, *function.args.kw_defaults)
    return any(isinstance(each, ast.List | ast.Dict | ast.Call) for each in defaults)


def _around(tree: Tree, line: int) -> cst.FunctionDef | None:
    found = [
        node
        for node in tree.ranges
        if isinstance(node, cst.FunctionDef)
        and tree.span(node).line <= line <= tree.span(node).end_line
    ]
    return max(found, key=lambda node: tree.span(node).line, default=None)


def _is_shared(function: cst.FunctionDef, param: cst.Param) -> bool:
    """Say whether a call may change its default, or give it away to who may."""
    name = param.name.value
    if name in bound(function.body):
        return any(isinstance(node, cst.AugAssign) for node in _binding(function, name))
    return any(_changes(node, name) or _gives_away(node, name) for node in own_nodes(function.body))


def _binding(function: cst.FunctionDef, name: str) -> list[cst.CSTNode]:
    """Return the augmented assignments of a name, if nothing else binds it."""
    found = [node for node in own_nodes(function.body) if name in _bound_here(node)]
    return found if all(isinstance(node, cst.AugAssign) for node in found) else []


def _bound_here(node: cst.CSTNode) -> set[str]:
    match node:
        case cst.AugAssign() | cst.Assign() | cst.AnnAssign() | cst.NamedExpr() | cst.CompFor():
            return {*bound(node)}
        case cst.For(target=target):
            return {dotted(target) or ""}
    return set()


def _changes(node: cst.CSTNode, name: str) -> bool:
    match node:
        case cst.Call(func=cst.Attribute(value=cst.Name(value=owner), attr=cst.Name(value=method))):
            return owner == name and method in _MUTATORS
        case cst.AssignTarget(target=cst.Subscript(value=cst.Name(value=owner))):
            return owner == name
        case cst.AugAssign(target=cst.Subscript(value=cst.Name(value=owner))):
            return owner == name
        case cst.Del(target=cst.Subscript(value=cst.Name(value=owner))):
            return owner == name
    return False


def _gives_away(node: cst.CSTNode, name: str) -> bool:
    """Say whether a node keeps or returns the object itself."""
    match node:
        case cst.Return(value=cst.Name(value=given)):
            return given == name
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Attribute())], value=cst.Name(value=given)
        ):
            return given == name
        case cst.AnnAssign(target=cst.Attribute(), value=cst.Name(value=given)):
            return given == name
    return False


MutableDefault.EXAMPLES = examples(
    '''
none: a list that each call adds to
    def with_tag(tag, tags=[]):
        """Return the tags with one more."""
        tags.append(tag)
        return «tags»
AssertionError: assert ['a', 'b'] == ['b']
    def with_tag(tag, tags=None):
        """Return the tags with one more."""
        if tags is None:
            tags = []
        tags.append(tag)
        return tags

none: instances that share their list, seen by a test
in tests/test_cart.py
    from cart import Cart

    def test_carts_are_apart():
        Cart().add("tea")
        assert «Cart().lines» == []
AssertionError: assert ['tea'] == []
beside cart.py
    class Cart:
        def __init__(self, lines=[]):
            self.lines = lines

        def add(self, line):
            self.lines.append(line)
in cart.py
    class Cart:
        def __init__(self, lines=None):
            if lines is None:
                lines = []
            self.lines = lines

        def add(self, line):
            self.lines.append(line)

none: annotated, as the file annotates
    def count(words: list[str], seen: dict[str, int] = {}, top: int | None = None):
        for word in words:
            # each once more
            seen[word] = seen.get(word, 0) + 1
        return «seen»
AssertionError: assert {'a': 2} == {'a': 1}
    def count(words: list[str], seen: dict[str, int] | None = None, top: int | None = None):
        if seen is None:
            seen = {}
        for word in words:
            # each once more
            seen[word] = seen.get(word, 0) + 1
        return seen

not any: a default that is only read
    def total(lines, rates={}):
        return sum(«rates.get»(line, 1) for line in lines)
AssertionError: assert 3 == 4

not any: a default that cannot change
    def total(lines, rates=()):
        return «[*lines, *rates]»
AssertionError: assert 3 == 4

not any: it is copied first
    def with_tag(tag, tags=[]):
        tags = list(tags)
        tags.append(tag)
        return «tags»
AssertionError: assert ['a', 'b'] == ['b']
'''
)
