"""InPlaceResult: the result of a method was used that changes its object and returns None."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from selfdebug.codemods._base import (
    Answer,
    Codemod,
    Rewrite,
    Target,
    Variant,
    examples,
    target_at,
)
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._forms import rewritten
from selfdebug.model import Site, Span
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_STATEMENT = Variant("statement", "root-cause", "change the object, and keep its name", prior=0.9)
_NEW = Variant("new", "root-cause", "make a new object instead of changing the old", prior=0.8)

_MAKING = {
    "sort": "sorted(OLD)",
    "reverse": "OLD[::-1]",
    "append": "[*OLD, ITEM]",
    "extend": "[*OLD, *ITEM]",
    "add": "OLD | {ITEM}",
    "update": "{**OLD, **ITEM}",
}
"""What makes a new object where a method changes the old one."""


class InPlaceResult(Codemod):
    """Do not use the None that a changing method returns: change first, or make a new object."""

    DESCRIPTION = "Do not use the result of methods that change their object."
    NAME = "in-place-result"
    ANSWERS = (
        Answer(("TypeError", "AttributeError"), r"NoneType|\bNone\b"),
        Answer(("TypeError",), r"can only join an iterable|expected string or bytes-like object"),
        Answer(("AssertionError",), r"^assert None "),
    )
    VARIANTS = (_STATEMENT, _NEW)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the lines on the way of the None that call such a method."""
        for step in site.origin:
            if step.in_place and not project.is_test_file(step.file):
                line = Span(step.line, 0, step.line, 0)
                yield target_at(replace(site, file=step.file, span=line, bad=None), project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the code without a use of the None."""
        tree, line = target.tree, target.site.span.line
        for node in tree.ranges:
            match node:
                case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=name))) if (
                    name in _MAKING and tree.span(node).line == line
                ):
                    why = f"`{name}` changes `{tree.code(owner)}` and returns None"
                    found = _apart(tree, node, owner, name)
                    yield from rewritten(tree, ((variant, put, why) for variant, put in found))


def _apart(
    tree: Tree, call: cst.Call, owner: cst.BaseExpression, name: str
) -> Iterator[tuple[Variant, Change]]:
    parent, code = tree.parents[call], tree.code(owner)
    match parent:
        case cst.Expr():
            return
        case cst.Assign(targets=[cst.AssignTarget(target=target)]) if tree.code(target) == code:
            yield _STATEMENT, {parent: lambda old: cst.Expr(old.value, semicolon=old.semicolon)}
            return
    if name == "sort":
        yield _NEW, replaced(tree, call, _sorted)
    elif name == "reverse" or _is_one(call.args):
        yield _NEW, replaced(tree, call, lambda new: _made(new, name))


def _sorted(call: cst.Call) -> cst.Call:
    assert isinstance(call.func, cst.Attribute)
    return call.with_changes(func=cst.Name("sorted"), args=[cst.Arg(call.func.value), *call.args])


def _made(call: cst.Call, name: str) -> cst.BaseExpression:
    assert isinstance(call.func, cst.Attribute)
    parts = {"OLD": call.func.value}
    if call.args:
        parts["ITEM"] = call.args[0].value
    return expression(_MAKING[name], **parts)


def _is_one(args: object) -> bool:
    match args:
        case [cst.Arg(keyword=None, star="")]:
            return True
    return False


InPlaceResult.EXAMPLES = examples(
    """
new: a sorted list
    def ranking(scores):
        ordered = scores.sort(reverse=True)  # best first
        return «ordered»[:3]
TypeError: 'NoneType' object is not subscriptable
    def ranking(scores):
        ordered = sorted(scores, reverse=True)  # best first
        return ordered[:3]

statement: the object gets its own name again
    def collect(rows):
        names = []
        for row in rows:
            names = «names».append(row.name)
        return names
AttributeError: 'NoneType' object has no attribute 'append'
    def collect(rows):
        names = []
        for row in rows:
            names.append(row.name)
        return names

new: what a function returns
    def newest(posts):
        return posts.reverse()

    def first(posts):
        return «newest(posts)»[0]
TypeError: 'NoneType' object is not subscriptable
    def newest(posts):
        return posts[::-1]

    def first(posts):
        return newest(posts)[0]

new: merged settings, used by a test
in tests/test_shop.py
    from shop import merged

    def test_merged():
        assert «merged({}, {"a": 1})» == {"a": 1}
AssertionError: assert None == {'a': 1}
beside shop.py
    def merged(defaults, own):
        return defaults.update(own)
in shop.py
    def merged(defaults, own):
        return {**defaults, **own}

not any: a method of the project's own
    class Posts:
        def sort(self):
            return self.rows

    def first(posts):
        ordered = posts.sort()
        return «ordered»[0]
TypeError: 'NoneType' object is not subscriptable
where posts: shop.Posts

not any: the method gives an item
    def first(posts):
        last = posts.pop()
        return «last».title
AttributeError: 'NoneType' object has no attribute 'title'

not any: several arguments make no one item
    def placed(names, name):
        longer = names.insert(0, name)
        return «longer»[0]
TypeError: 'NoneType' object is not subscriptable

not any: the method gives what is stored
    def first(posts):
        kept = posts.setdefault("first", None)
        return «kept».title
AttributeError: 'NoneType' object has no attribute 'title'

not any: items that are spread make no one item
    def merged(names, more):
        longer = names.extend(*more)
        return «longer»[0]
TypeError: 'NoneType' object is not subscriptable
"""
)
