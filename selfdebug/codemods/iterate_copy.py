"""IterateCopy: a container was changed while it was gone through."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import changed, expression, replaced
from selfdebug.codemods._names import dotted
from selfdebug.codemods._place import calls
from selfdebug.model import Site, Span
from selfdebug.syntax.region import Tree

_COPY = Variant("copy", "root-cause", "go through a copy, and change the original", prior=0.85)
_CHANGED = re.compile(
    r"(?:dictionary|Set|set|deque|OrderedDict) (?:keys )?(?:changed (?:size )?|mutated )during iteration"
)
_VIEWS = frozenset(("items", "keys", "values"))


class IterateCopy(Codemod):
    """Go through a list of what a dictionary, a set or a deque holds, where the loop changes it."""

    DESCRIPTION = "Go through a copy of what the loop changes."
    NAME = "iterate-copy"
    ANSWERS = (Answer(("RuntimeError",), _CHANGED.pattern),)
    VARIANTS = (_COPY,)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the loop, or the comprehension, over a copy."""
        tree, site = target.tree, target.site
        loops = [each for each in _loops(tree, site.span) if _is_plain(each.iter)]
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
        each
        for each in loops
        if tree.span(each).line <= span.line <= tree.span(each.iter).end_line
    ]
    exact = [each for each in here if span in (tree.span(each.iter), tree.span(each.target))]
    return exact or [each for each in here if isinstance(each, cst.For)] or here[:1]


def _is_plain(source: cst.BaseExpression) -> bool:
    """Say whether a loop goes through a container itself, or through one of its views."""
    match source:
        case cst.Call(func=cst.Attribute(value=value, attr=cst.Name(value=name)), args=[]):
            return name in _VIEWS and not calls(value)
    return dotted(source) is not None or (
        isinstance(source, cst.Subscript) and not calls(source)
    )


IterateCopy.EXAMPLES = examples(
    '''
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
'''
)
