"""IterateCopy: a container was changed while it was gone through."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._defined import own_nodes
from selfdebug.codemods._edit import changed, expression, replaced
from selfdebug.codemods._names import dotted
from selfdebug.codemods._place import calls
from selfdebug.codemods._tested import suspected
from selfdebug.model import Site, Span
from selfdebug.syntax.bindings import Function
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_COPY = Variant(
    "copy", "root-cause", "go through a copy, and change the original", prior=0.85, branch="rewrite"
)
_CHANGED = re.compile(
    r"(?:dictionary|Set|set|deque|OrderedDict) (?:keys )?(?:changed (?:size )?|mutated )during iteration"
)
_VIEWS = frozenset(("items", "keys", "values"))


class IterateCopy(Codemod):
    """Go through a list of what a dictionary, a set or a deque holds, where the loop changes it."""

    DESCRIPTION = "Go through a copy of what the loop changes."
    NAME = "iterate-copy"
    ANSWERS = (Answer(("RuntimeError",), _CHANGED.pattern), Answer(("AssertionError",)))
    VARIANTS = (_COPY,)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the loop's function: at the site, or of those that the test calls."""
        if site.exc_type == "RuntimeError":
            yield from super().targets(site, project)
        else:
            yield from suspected(site, project, _takes_out)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the loop, or the comprehension, over a copy."""
        tree, site = target.tree, target.site
        told = site.exc_type == "RuntimeError"
        loops = _loops(tree, site.span) if told else [*_skipping(tree)]
        loops = [each for each in loops if _is_plain(each.iter)]
        if not loops:
            return
        source = loops[-1].iter
        code = "list(SOURCE)"
        module = changed(tree, replaced(tree, source, lambda old: expression(code, SOURCE=old)))
        if module is not None:
            yield Rewrite(_COPY, module, f"`{tree.code(source)}` changes while it is gone through")


def _loops(tree: Tree, span: Span) -> list[cst.For | cst.CompFor]:
    """Return the loops whose header is the site; of several the one that the columns fit."""
    loops = [node for node in tree.ranges if isinstance(node, cst.For | cst.CompFor)]
    here = [
        each for each in loops if tree.span(each).line <= span.line <= tree.span(each.iter).end_line
    ]
    exact = [each for each in here if span in (tree.span(each.iter), tree.span(each.target))]
    return exact or [each for each in here if isinstance(each, cst.For)] or here[:1]


def _takes_out(function: Function) -> bool:
    """Say whether a function takes items out of anything while a loop runs."""
    loops = [node for node in ast.walk(function) if isinstance(node, ast.For)]
    names = {n.attr for loop in loops for n in ast.walk(loop) if isinstance(n, ast.Attribute)}
    return "remove" in names


def _skipping(tree: Tree) -> Iterator[cst.For]:
    """Yield the loops that skip an item of their list for each that they remove from it."""
    for loop in tree.ranges:
        name = dotted(loop.iter) if isinstance(loop, cst.For) else None
        if isinstance(loop, cst.For) and name is not None:
            inner = [*own_nodes(loop.body)]
            ends = any(isinstance(node, cst.Break | cst.Return) for node in inner)
            removes = any(
                isinstance(node, cst.Call)
                and isinstance(node.func, cst.Attribute)
                and (dotted(node.func.value), node.func.attr.value) == (name, "remove")
                for node in inner
            )
            if removes and not ends:
                yield loop


def _is_plain(source: cst.BaseExpression) -> bool:
    """Say whether a loop goes through a container itself, or through one of its views."""
    match source:
        case cst.Call(func=cst.Attribute(value=value, attr=cst.Name(value=name)), args=[]):
            return name in _VIEWS and not calls(value)
    return dotted(source) is not None or (isinstance(source, cst.Subscript) and not calls(source))


IterateCopy.EXAMPLES = examples(
    """
copy: items that are taken out
    def expire(sessions, now):
        for key, session in «sessions.items()»:
            if session.ends < now:
                del sessions[key]
RuntimeError: dictionary changed size during iteration
    def expire(sessions, now):
        for key, session in list(sessions.items()):
            if session.ends < now:
                del sessions[key]

copy: the keys themselves
    def clean(self):
        «for» name in self.cache:
            if name.startswith("_"):
                self.cache.pop(name)
RuntimeError: dictionary changed size during iteration
    def clean(self):
        for name in list(self.cache):
            if name.startswith("_"):
                self.cache.pop(name)

copy: a set that grows
    def close(graph, seen):
        for node in «seen»:  # and what they lead to
            seen.update(graph[node])
RuntimeError: Set changed size during iteration
    def close(graph, seen):
        for node in list(seen):  # and what they lead to
            seen.update(graph[node])

copy: the change is made in a call
    def stop(self):
        for job in «self.jobs.values()»:
            self.finish(job)

    def finish(self, job):
        del self.jobs[job.name]
RuntimeError: dictionary changed size during iteration
    def stop(self):
        for job in list(self.jobs.values()):
            self.finish(job)

    def finish(self, job):
        del self.jobs[job.name]

copy: the inner loop of two
    def merge(groups):
        for name in groups:
            for member in «groups[name]»:
                groups[name].discard(member)
RuntimeError: Set changed size during iteration
    def merge(groups):
        for name in groups:
            for member in list(groups[name]):
                groups[name].discard(member)

copy: a deque
    def drain(queue):
        for job in «queue»:
            if job.done:
                queue.remove(job)
RuntimeError: deque mutated during iteration
    def drain(queue):
        for job in list(queue):
            if job.done:
                queue.remove(job)

copy: a list that skips an item for each that it removes, seen by a test
in tests/test_tasks.py
    from tasks import Tasks

    def test_clear_done():
        tasks = Tasks(["x a", "x b", "c"])
        tasks.clear_done()
        assert «tasks.lines» == ["c"]
AssertionError: assert ['x b', 'c'] == ['c']
beside tasks.py
    class Tasks:
        def __init__(self, lines):
            self.lines = lines

        def clear_done(self):
            for line in self.lines:
                if line.startswith("x "):
                    self.lines.remove(line)
in tasks.py
    class Tasks:
        def __init__(self, lines):
            self.lines = lines

        def clear_done(self):
            for line in list(self.lines):
                if line.startswith("x "):
                    self.lines.remove(line)

not any: the loop ends with what it removes
    def drop(names, prefix):
        for name in names:
            if name.startswith(prefix):
                names.remove(name)
                break
        return «names»
AssertionError: assert ['b'] == []

not any: a generator changes what it reads itself
    def expire(self):
        for key in «self.expired()»:
            del self.sessions[key]
RuntimeError: dictionary changed size during iteration

not any: it is a copy already
    def expire(sessions):
        for key in «list(sessions)»:
            del sessions[key]
RuntimeError: dictionary changed size during iteration

not any: the loop takes from another list
    def clear(names, done):
        for name in done:
            names.remove(name)
        return «names»
AssertionError: assert ['b'] == []

not any: a call that may give another dictionary each time
    def expire(self):
        for key in «self.open().items()»:
            del self.sessions[key]
RuntimeError: dictionary changed size during iteration

not any: no loop is in the line
    def total(prices):
        return «sum(prices.values())»
RuntimeError: dictionary changed size during iteration

not any: a slice is a copy already
    def drop(names, prefix):
        for name in names[:]:
            if name.startswith(prefix):
                names.remove(name)
        return «names»
AssertionError: assert ['b'] == []
"""
)
