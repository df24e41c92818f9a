"""AwareTime: a time without a zone meets one that has a zone."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TypeAlias

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
from selfdebug.codemods._defined import defined_at, target_in
from selfdebug.codemods._edit import expression, replaced
from selfdebug.codemods._forms import rewritten
from selfdebug.codemods._import import importing
from selfdebug.codemods._names import dotted
from selfdebug.codemods._operands import sides, value_of
from selfdebug.codemods._passing import calling, last_of
from selfdebug.codemods._place import is_parameter
from selfdebug.codemods._sources import argument, outside
from selfdebug.codemods._style import returned
from selfdebug.model import Site
from selfdebug.syntax.bindings import FUNCTIONS
from selfdebug.syntax.modules import Module, definitions, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree
from selfdebug.syntax.source import Unreadable

_CLOCK = Variant("clock", "root-cause", "read the clock with a zone", prior=0.8)
_STAMP = Variant("stamp", "root-cause", "make the time of seconds with a zone", prior=0.7)
_READ = Variant("read", "root-cause", "give a zone to what is read or built", prior=0.4)
_ELSEWHERE = Variant("elsewhere", "root-cause", "read another clock with a zone", prior=0.3)

_CLOCKS = frozenset(("utcnow", "now", "today"))
_STAMPS = frozenset(("fromtimestamp", "utcfromtimestamp"))
_MAKERS = frozenset(("strptime", "fromisoformat", "combine"))
_KEPT = frozenset(("replace", "isoformat"))
"""Methods of a time after which it still matters whether it has a zone."""
_Making: TypeAlias = Callable[[cst.BaseExpression], cst.BaseExpression]
_DEPTH = 4  # calls, functions and variables that are followed back
_MOST = 8  # clocks of the project that are no part of the failing operation


@dataclass(frozen=True)
class _Zone:
    """How a file names a zone, and the import that it needs for it, or ""."""

    code: str
    needs: str = ""


class AwareTime(Codemod):
    """Give a time a zone where it is born, in the zone that the file uses, or else UTC.

    https://docs.python.org/3/library/datetime.html#aware-and-naive-objects
    """

    DESCRIPTION = "Give a time a zone where the clock is read, or the time is made."
    NAME = "aware-time"
    ANSWERS = (Answer(("TypeError",), r"offset-naive and offset-aware datetimes"),)
    VARIANTS = (_CLOCK, _STAMP, _READ, _ELSEWHERE)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield where the operands were born, then other places that read a clock without a zone."""
        tree = target_at(site, project).tree
        seen: set[tuple[object, ...]] = set()
        operands = sides(tree, site) or ()
        births = (each for node in operands for each in _births(tree, node, site, project, _DEPTH))
        for born in births:
            if (at := (born.site.file, born.site.span)) not in seen:
                seen.add(at)
                yield born
        others = (
            each for each in _clocks(site, project) if (each.site.file, each.site.span) not in seen
        )
        yield from islice(others, _MOST)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the time with its zone."""
        tree, project = target.tree, target.project
        path = tree.region.source.path
        module = read_module(path, project)
        for call in tree.at(target.site.span):
            if not isinstance(call, cst.Call) or not _is_naive(tree, call, module):
                continue
            zone = _zone(module, utc=last_of(call.func).startswith("utc"))
            if zone is None:
                return
            edit = importing(path, zone.needs, project) if zone.needs else None
            also = () if edit is None else (edit,)
            variant, code = _aware(call)
            if "elsewhere" in target.site.attrs:
                variant = _ELSEWHERE
            parts = {"ZONE": cst.parse_expression(zone.code)}
            if isinstance(call.func, cst.Attribute):
                parts["OWNER"] = call.func.value
            if call.args:
                parts["STAMP"] = call.args[0].value
            change = replaced(tree, call, _maker(code, parts))
            why = f"`{tree.code(call)}` has no zone"
            yield from rewritten(tree, [(variant, change, why)], also=also)


def _maker(code: str, parts: Mapping[str, cst.BaseExpression]) -> _Making:
    return lambda old: expression(code, OLD=old, **parts)


# --- where times are born ---


def _births(
    tree: Tree, node: cst.BaseExpression, site: Site, project: Project, depth: int
) -> Iterator[Target]:
    """Yield the calls that made the value of an expression without a zone."""
    made = value_of(tree, node) or node
    if depth == 0:
        return
    match made:
        case (
            cst.BinaryOperation(left=left, right=right)
            | cst.BooleanOperation(left=left, right=right)
        ):
            for each in (left, right):
                yield from _births(tree, each, site, project, depth - 1)
        case cst.Call() as call:
            yield from _made(tree, call, site, project, depth)
        case cst.Name(value=name) if is_parameter(tree, made):
            target = next(calling(site, project), None)
            given = argument(target, name) if target else None
            if target and given:
                yield from _births(target.tree, given.value, outside(site), project, depth - 1)


def _made(tree: Tree, call: cst.Call, site: Site, project: Project, depth: int) -> Iterator[Target]:
    path = tree.region.source.path
    if _is_naive(tree, call, read_module(path, project)):
        yield Target(tree, replace(site, file=path, span=tree.span(call), bad=None), project)
        return
    if last_of(call.func) == "replace" and isinstance(call.func, cst.Attribute):
        yield from _births(tree, call.func.value, site, project, depth - 1)
        return
    name = last_of(call.func)
    found = [*definitions(name, project)] if name else []
    if len(found) != 1 or not isinstance(found[0].node, FUNCTIONS):
        return
    target = target_in(found[0].node, found[0].module, site, project)
    function = defined_at(target.tree, target.site.span.line)
    for each in returned(function) if function else ():
        if each.value is not None:
            inside = replace(site, file=target.site.file, callers=())
            yield from _births(target.tree, each.value, inside, project, depth - 1)


def _clocks(site: Site, project: Project) -> Iterator[Target]:
    """Yield the calls of the project that read a clock without a zone, those of the file first."""
    paths = [project.root.joinpath(*parts) for parts in project.files]
    for path in sorted({*paths, site.file}, key=lambda each: (each != site.file, each)):
        if not project.is_test_file(path):
            with suppress(Unreadable, OSError):
                yield from _clocks_in(path, site, project)


def _clocks_in(path: Path, site: Site, project: Project) -> Iterator[Target]:
    if b"datetime" not in project.data(path):
        return
    module = read_module(path, project)
    for each in ast.walk(module.tree):
        if isinstance(each, ast.Attribute) and each.attr in _CLOCKS:
            there = replace(site, file=path, attrs={"elsewhere": ""}, bad=None)
            line = replace(site.span, line=each.lineno, end_line=each.lineno)
            tree = target_at(replace(there, span=line), project).tree
            for node in tree.ranges:
                on_line = isinstance(node, cst.Call) and tree.span(node).line == each.lineno
                if isinstance(node, cst.Call) and on_line and _is_naive(tree, node, module):
                    yield Target(tree, replace(there, span=tree.span(node)), project)


def _is_naive(tree: Tree, call: cst.Call, module: Module) -> bool:
    """Say whether a call makes a time that has no zone, and gets none right away."""
    name = _full_name(call.func, module)
    owner, _, method = name.rpartition(".")
    given = len(call.args)
    named = {arg.keyword.value for arg in call.args if arg.keyword is not None}
    if name == "datetime.datetime":
        naive = given >= 3 and "tzinfo" not in named and given < 8
    else:
        naive = owner == "datetime.datetime" and _lacks_zone(tree, call, method)
    return naive and not _gets_zone(tree, call)


def _lacks_zone(tree: Tree, call: cst.Call, method: str) -> bool:
    if method in _CLOCKS:
        return not call.args
    if method in _STAMPS:
        return len(call.args) == 1 and call.args[0].keyword is None
    return method in _MAKERS and "%z" not in tree.code(call)


def _gets_zone(tree: Tree, call: cst.Call) -> bool:
    """Say whether a time is given a zone at once, or turned into something that has none."""
    parent = tree.parents[call]
    if not isinstance(parent, cst.Attribute):
        return False
    after = tree.parents[parent]
    return parent.attr.value not in _KEPT or (
        isinstance(after, cst.Call)
        and any(arg.keyword is not None and arg.keyword.value == "tzinfo" for arg in after.args)
    )


def _full_name(func: cst.BaseExpression, module: Module) -> str:
    first, dot, rest = (dotted(func) or "").partition(".")
    return f"{module.imports.get(first, '')}{dot}{rest}"


# --- their zone ---


def _aware(call: cst.Call) -> tuple[Variant, str]:
    name = last_of(call.func)
    if name in _CLOCKS:
        return _CLOCK, "OWNER.now(ZONE)"
    if name in _STAMPS:
        return _STAMP, "OWNER.fromtimestamp(STAMP, ZONE)"
    return _READ, "OLD.replace(tzinfo=ZONE)"


def _zone(module: Module, *, utc: bool) -> _Zone | None:
    """Return the zone that a file uses already, or UTC; None where it has no name for it."""
    for name in _zones(module):
        if not utc or name.rpartition(".")[2].lower() == "utc":
            return _Zone(name)
    names = {full: name for name, full in module.imports.items()}
    if "datetime.UTC" in names:
        return _Zone(names["datetime.UTC"])
    if "datetime.timezone" in names:
        return _Zone(f"{names['datetime.timezone']}.utc")
    if "datetime" in names:
        return _Zone(f"{names['datetime']}.timezone.utc")
    words = (each.id for each in ast.walk(module.tree) if isinstance(each, ast.Name))
    args = (each.arg for each in ast.walk(module.tree) if isinstance(each, ast.arg))
    if "timezone" in {*module.imports, *words, *args}:
        return None
    return _Zone("timezone.utc", "from datetime import timezone")


def _zones(module: Module) -> Sequence[str]:
    """Return the zones that a file gives to times, by names that hold all over it."""
    found = [
        ast.unparse(value)
        for each in ast.walk(module.tree)
        if isinstance(each, ast.Call)
        for value in _passed(each)
        if isinstance(value, ast.Name | ast.Attribute)
    ]
    known = {*module.imports}
    for stmt in module.tree.body:
        if isinstance(stmt, ast.Assign):
            known |= {each.id for each in stmt.targets if isinstance(each, ast.Name)}
    return [name for name in dict.fromkeys(found) if name.partition(".")[0] in known]


def _passed(call: ast.Call) -> Iterator[ast.expr]:
    """Yield what a call passes as a zone."""
    yield from (each.value for each in call.keywords if each.arg in ("tz", "tzinfo"))
    match call:
        case ast.Call(func=ast.Attribute(attr="now" | "astimezone"), args=[zone]):
            yield zone


AwareTime.EXAMPLES = examples(
    """
clock: it is read in another function, and the module has a name for UTC
    from datetime import datetime, timezone

    def now():
        return datetime.utcnow()

    def read(text):
        return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)

    def age(text):
        created = read(text)
        return «now() - created»
TypeError: can't subtract offset-naive and offset-aware datetimes
    from datetime import datetime, timezone

    def now():
        return datetime.now(timezone.utc)

    def read(text):
        return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)

    def age(text):
        created = read(text)
        return now() - created

clock: the import is added
    from datetime import datetime

    def is_over(event):
        return «event.end < datetime.now()»  # by now
TypeError: can't compare offset-naive and offset-aware datetimes
    from datetime import datetime, timezone

    def is_over(event):
        return event.end < datetime.now(timezone.utc)  # by now

clock: less a while, and the module under a name of its own
    import datetime as dt

    def is_old(event):
        return «event.end < dt.datetime.now() - dt.timedelta(days=1)»
TypeError: can't compare offset-naive and offset-aware datetimes
    import datetime as dt

    def is_old(event):
        return event.end < dt.datetime.now(dt.timezone.utc) - dt.timedelta(days=1)

clock: in the zone of the file
    from datetime import datetime
    from zoneinfo import ZoneInfo

    HERE = ZoneInfo("Europe/Berlin")

    def start(day):
        return datetime(day.year, day.month, day.day, tzinfo=HERE)

    def begun(day):
        at = start(day)
        return «at <= datetime.now()»
TypeError: can't compare offset-naive and offset-aware datetimes
    from datetime import datetime
    from zoneinfo import ZoneInfo

    HERE = ZoneInfo("Europe/Berlin")

    def start(day):
        return datetime(day.year, day.month, day.day, tzinfo=HERE)

    def begun(day):
        at = start(day)
        return at <= datetime.now(HERE)

stamp: the time of a file
    from datetime import datetime, timezone

    def changed(path, since):
        stamp = datetime.fromtimestamp(path.stat().st_mtime)
        return «stamp > since»
TypeError: can't compare offset-naive and offset-aware datetimes
    from datetime import datetime, timezone

    def changed(path, since):
        stamp = datetime.fromtimestamp(path.stat().st_mtime, timezone.utc)
        return stamp > since

read: a time without a zone in a text
    from datetime import datetime, timezone

    def read(text):
        return datetime.strptime(text, "%Y-%m-%d")

    def age(text, now):
        return «now - read(text)»
TypeError: can't subtract offset-naive and offset-aware datetimes
    from datetime import datetime, timezone

    def read(text):
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=timezone.utc)

    def age(text, now):
        return now - read(text)

elsewhere: what an object keeps
    from datetime import datetime, timezone

    class Session:
        def __init__(self):
            self.begun = datetime.utcnow()

        def age(self, now):
            return «now - self.begun»
TypeError: can't subtract offset-naive and offset-aware datetimes
    from datetime import datetime, timezone

    class Session:
        def __init__(self):
            self.begun = datetime.now(timezone.utc)

        def age(self, now):
            return now - self.begun

not any: both were made with a zone, as far as one sees
    from datetime import datetime, timezone

    def is_over(event):
        return «event.end < datetime.now(timezone.utc)»
TypeError: can't compare offset-naive and offset-aware datetimes

not any: it has a zone at once
    from datetime import datetime, timezone

    def is_over(event):
        return «event.end < datetime.utcnow().replace(tzinfo=timezone.utc)»
TypeError: can't compare offset-naive and offset-aware datetimes

not any: the name is another's
    from datetime import datetime
    from django.utils import timezone

    def is_over(event):
        return «event.end < datetime.utcnow()»
TypeError: can't compare offset-naive and offset-aware datetimes

not any: the day is all that counts
    from datetime import datetime

    def today():
        return datetime.now().date()

    def is_over(event, end):
        return «event.end < end»
TypeError: can't compare offset-naive and offset-aware datetimes
"""
)
