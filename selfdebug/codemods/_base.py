"""What every codemod shares: its data, and the two ways in.

The loop calls ``repairs`` with a site, which cuts small regions of the project and has ``rewrites``
change them; libcst's own command line runs its ``command`` on a whole file, where ``--at`` and
``--trace`` name the sites.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import dedent
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, overload

import libcst as cst

from selfdebug.model import Branch, Candidate, Edit, Kind, Site, Value
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import LIBCST_ERRORS, Tree, function_region, parse, splice
from selfdebug.syntax.source import Unreadable, apply

if TYPE_CHECKING:
    from selfdebug.codemods._command import Command

PRIOR: Mapping[Kind, float] = MappingProxyType({"root-cause": 0.5, "guard": 0.2, "default": 0.05})
"""How likely a template is right where it applies, by its kind, unless a variant says otherwise."""
BRANCH: Mapping[Kind, Branch] = MappingProxyType(
    {"root-cause": "cause", "guard": "guard", "default": "guard"}
)
"""The branch of the search that a variant belongs to, by its kind, unless it says otherwise."""


@dataclass(frozen=True)
class Answer:
    """A family of failures: exception names as shown, a pattern searched in the message, node kinds.

    An empty tuple of ``nodes`` stands for any node.
    """

    exceptions: tuple[str, ...]
    message: str = ""
    nodes: tuple[str, ...] = ()

    def fits(self, site: Site) -> bool:
        """Say whether a site's failure belongs to the family; a module before the name is ignored."""
        return (
            site.exc_type.rpartition(".")[2] in self.exceptions
            and (not self.nodes or site.node in self.nodes)
            and re.search(self.message, site.message) is not None
        )


@dataclass(frozen=True)
class Variant:
    """One form of a repair. ``growth`` bounds the cyclomatic complexity that it may add.

    ``prior`` is the share of failures, among those for which it is offered, that it rightly repairs: 0
    stands for what is usual for its kind. ``explains`` are shapes of wrong results (see
    ``localization.shape``) for which it is likelier than otherwise. ``branch`` is None for what is usual
    for its kind.
    """

    name: str
    kind: Kind
    what: str
    growth: int = 1
    prior: float = 0.0
    explains: tuple[str, ...] = ()
    branch: Branch | None = None

    @property
    def likely(self) -> float:
        """How likely it is right where it is offered: its own prior, or the usual one."""
        return self.prior or PRIOR[self.kind]


@dataclass(frozen=True)
class Target:
    """Where a codemod is to work: a region that holds the code, parsed, and the site in it.

    ``tree`` may hold a region of the file or all of it; spans in ``site`` are those of the file. The
    site may be another than that of the failure: where the bad value was born, a definition, a caller.
    """

    tree: Tree
    site: Site
    project: Project


@dataclass(frozen=True)
class Rewrite:
    """A changed module, and a sentence for the reviewer that says why it is right.

    ``also`` are edits that it needs outside its region, such as an import at the top of the file;
    they may be all of it.
    """

    variant: Variant
    module: cst.Module
    why: str
    also: tuple[Edit, ...] = ()


@dataclass(frozen=True)
class Repair:
    """The edits of one variant, and a sentence for the reviewer that says why they are right."""

    variant: Variant
    edits: tuple[Edit, ...]
    why: str

    def candidate(self, codemod: type[Codemod], site: Site, cost: float = 0.0) -> Candidate:
        """Return what is to be tried: this repair, by a codemod, of a failure at a site."""
        return Candidate(
            edits=self.edits,
            codemod=codemod.NAME,
            variant=self.variant.name,
            kind=self.variant.kind,
            why=self.why,
            site=site,
            growth=self.variant.growth,
            prior=self.variant.likely,
            cost=cost,
            branch=self.variant.branch or BRANCH[self.variant.kind],
        )


@dataclass(frozen=True)
class Example:
    """Code before and after, and the failure between them.

    ``before`` marks the value that was bad with guillemets («user».name); they are not part of the
    code. ``failure`` is ``Type: message``. ``after`` is what the variant makes of it; None says that
    the codemod refuses, or does not offer the ``variant`` that is named. ``note`` says what the
    example shows. ``values`` is what variables held, ``attrs`` what the exception carried, ``beside``
    other files of the project, ``called`` the files and lines of the calls that led there, outermost
    first, each with the function that it called. The code is in ``file``, and ``after`` is what
    becomes of ``changed``.
    """

    before: str
    failure: str
    after: str | None
    variant: str = ""
    note: str = ""
    values: Mapping[str, Value] = field(default_factory=dict)
    attrs: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)
    called: tuple[tuple[str, int, str], ...] = ()
    file: str = "shop.py"
    changed: str = "shop.py"


_EXAMPLE = re.compile(
    r"^(?P<refused>not )?(?P<variant>[\w-]+): (?P<note>.+)\n"
    r"(?:in (?P<file>\S+)\n)?"
    r"(?P<before>(?: .*\n|\n)+)"
    r"(?P<failure>[\w.]+(?:: .*)?)\n"
    r"(?P<known>(?:(?:where|with|called) .*\n)*)"
    r"(?P<beside>(?:beside \S+\n(?: .*\n|\n)+)*)"
    r"(?:in (?P<changed>\S+)\n)?"
    r"(?P<after>(?: .*\n|\n)*)",
    re.MULTILINE,
)
_VALUE = re.compile(r"where (?P<name>\S+): (?P<type>\S+)(?: = (?P<text>.*))?")
_CALLED = re.compile(r"called (?:(?P<file>[^\s:]+):)?(?P<line>\d+) (?P<function>\w+)")
_ATTR = re.compile(r"with (?P<name>\w+) = (?P<text>.*)")
_BESIDE = re.compile(r"beside (?P<file>\S+)\n(?P<code>(?: .*\n|\n)+)")


class _Examples(Sequence[Example]):
    """Examples that are read when somebody asks for them: a run never does."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _read(self) -> tuple[Example, ...]:
        text = self.text.lstrip("\n")
        found = [*_EXAMPLE.finditer(text)]
        end = 0
        for match in found:
            if match.start() != end:
                break
            end = match.end()
        if end != len(text):
            odd = text[end:].lstrip("\n").partition("\n")[0]
            raise ValueError(f"no example of the form variant, before, failure, after: {odd!r}")
        return tuple(_example(match) for match in found)

    def __len__(self) -> int:
        return len(self._read)

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Example]: ...
    def __getitem__(self, index: int | slice) -> Example | Sequence[Example]:
        return self._read[index]


def examples(text: str) -> Sequence[Example]:
    """Return examples written one after the other, each as::

        variant: what the example shows
            the code before
        ExceptionType: its message
            the code after

    Code is indented by four spaces. ``not variant: …`` has no code after: the variant is not
    offered; ``not any: …`` says that the codemod refuses altogether. Lines under the failure tell
    what else is known: ``where order.lines: list = []`` the type and, if seen, the repr of a
    variable in the failing frame, ``with near = total`` what the exception carries (see
    ``Raised.attrs``), ``called 8 total`` the line (``called test_shop.py:8 total``: of another
    file) that called the function ``total``, in which the failure is, ``beside shop/cart.py`` with
    code under it another file of the project. ``in shop/api.py`` above the code before names its
    file (``shop.py`` otherwise), above the code after the file that is changed.

    To look at them raises ValueError for text of another form.
    """
    return _Examples(text)


def _example(match: re.Match[str]) -> Example:
    file = match["file"] or "shop.py"
    known = match["known"]
    return Example(
        before=_code(match["before"]),
        failure=match["failure"],
        after=None if match["refused"] else _code(match["after"]),
        variant="" if match["variant"] == "any" else match["variant"],
        note=match["note"],
        values={each["name"]: Value(each["type"], each["text"]) for each in _VALUE.finditer(known)},
        attrs={each["name"]: each["text"] for each in _ATTR.finditer(known)},
        called=tuple(
            (each["file"] or file, int(each["line"]), each["function"])
            for each in _CALLED.finditer(known)
        ),
        beside={each["file"]: _code(each["code"]) for each in _BESIDE.finditer(match["beside"])},
        file=file,
        changed=match["changed"] or file,
    )


def _code(text: str) -> str:
    return dedent(text).strip("\n") + "\n"


class Codemod(ABC):
    """A kind of repair: the failures that it answers, its variants in order, and the rewriting.

    It is used as a class, and never made an object. ``libcst.codemod`` is imported for its command only:
    that takes longer than all other imports of a run together.
    """

    DESCRIPTION: ClassVar[str]
    NAME: ClassVar[str]
    ANSWERS: ClassVar[tuple[Answer, ...]] = ()
    VARIANTS: ClassVar[tuple[Variant, ...]] = ()
    EXAMPLES: ClassVar[Sequence[Example]] = ()
    SUSPECTED: ClassVar[str] = "may be bad"

    @classmethod
    def answers(cls, site: Site) -> bool:
        """Say whether this kind of repair applies to the failure at a site."""
        return any(answer.fits(site) for answer in cls.ANSWERS)

    @classmethod
    def repairs(cls, site: Site, project: Project) -> Iterator[Repair]:
        """Yield the repairs of a failure at a site, most preferred first, as edits of the project.

        Raises Unreadable where a file does not parse, and OSError.
        """
        for target in cls.targets(site, project):
            for rewrite in cls.rewrites(target):
                try:
                    edit = splice(target.tree.region, target.tree.code_after(rewrite.module))
                except (Unreadable, RecursionError):
                    continue
                if edit and is_there(edit, target.tree.region.source.data):
                    continue
                if edits := (*rewrite.also, *((edit,) if edit else ())):
                    yield Repair(rewrite.variant, edits, rewrite.why)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the places to rewrite for a failure at a site: its function, unless overridden.

        Raises Unreadable where a file does not parse, and OSError.
        """
        if not project.is_test_file(site.file):
            yield target_at(site, project)

    @classmethod
    @abstractmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the rewritten module for each variant that fits, most preferred first.

        Nothing is yielded for code that looks alike and must stay.
        """

    @classmethod
    def provable(cls, tree: Tree) -> Iterator[Site]:  # noqa: ARG003 - for those who can prove
        """Yield the sites that are wrong beyond doubt without any failure being known."""
        yield from ()

    @classmethod
    def suspects(cls, tree: Tree, site: Site) -> Iterator[cst.BaseExpression]:  # noqa: ARG003
        """Yield the different values at a site of which nobody knows which one was bad.

        ``SUSPECTED`` says in words what is suspected of them.
        """
        yield from ()

    @classmethod
    def command(cls) -> type[Command]:
        """Return the codemod as ``libcst.tool`` runs it, on whole files."""
        from selfdebug.codemods._command import command

        return command(cls)


def target_at(site: Site, project: Project) -> Target:
    """Return the function that a site stands in, or its outermost statement.

    Raises Unreadable where the file does not parse, and OSError.
    """
    module = read_module(site.file, project)
    region = function_region(module.source, module.tree, site.span.line)
    # Most codemods ask for the same function, and parsing it takes longer than what they do with it.
    key = (Tree, site.file, region.first, region.last)
    tree = project.parsed.get(key)
    if not isinstance(tree, Tree):
        tree = project.parsed[key] = parse(region)
    return Target(tree, site, project)


def is_there(edit: Edit, data: bytes) -> bool:
    """Say whether an edit inserts lines that stand there already, as those of an earlier run do."""
    lines, at = edit.after, edit.start
    if edit.before or b"\n" not in lines:
        return False
    return data.endswith(lines, 0, at) or data.startswith(lines, at)


def with_edits(tree: Tree, rewrite: Rewrite) -> cst.Module:
    """Return the rewritten module with the edits that the rewrite needs elsewhere in the same file."""
    also = tuple(edit for edit in rewrite.also if edit.file == tree.region.source.path)
    edit = splice(tree.region, tree.code_after(rewrite.module))
    if not also:
        return rewrite.module
    edits = (*also, edit) if edit else also
    try:
        return cst.parse_module(apply(tree.region.source.data, edits))
    except LIBCST_ERRORS:
        return rewrite.module
