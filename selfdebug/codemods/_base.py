"""What every codemod shares: its data, and the two ways in.

The loop calls ``rewrites`` with the tree of a small region; libcst's own command line calls
``transform_module_impl`` with a whole file, where ``--at`` and ``--trace`` name the sites.
"""

from __future__ import annotations

import argparse
import re
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent
from typing import ClassVar

import libcst as cst
from libcst.codemod import CodemodContext, SkipFile, VisitorBasedCodemodCommand

from selfdebug.model import Kind, Site
from selfdebug.syntax.region import Tree, whole
from selfdebug.syntax.source import decode


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
            and re.search(self.message, site.message) is not None
            and (not self.nodes or site.node in self.nodes)
        )


@dataclass(frozen=True)
class Variant:
    """One form of a repair. ``growth`` bounds the cyclomatic complexity that it may add."""

    name: str
    kind: Kind
    what: str
    growth: int = 1


@dataclass(frozen=True)
class Rewrite:
    """A changed module, and a sentence for the reviewer that says why it is right."""

    variant: Variant
    module: cst.Module
    why: str


@dataclass(frozen=True)
class Example:
    """Code before and after, and the failure between them.

    ``before`` marks the value that was bad with guillemets («user».name); they are not part of the
    code. ``failure`` is ``Type: message``. ``after`` is what the variant makes of it; None says that
    the codemod refuses, or does not offer the ``variant`` that is named. ``note`` says what the
    example shows.
    """

    before: str
    failure: str
    after: str | None
    variant: str = ""
    note: str = ""


_EXAMPLE = re.compile(
    r"^(?P<refused>not )?(?P<variant>[\w-]+): (?P<note>.+)\n"
    r"(?P<before>(?: .*\n|\n)+)"
    r"(?P<failure>\w+(?:: .*)?)\n"
    r"(?P<after>(?: .*\n|\n)*)",
    re.MULTILINE,
)


def examples(text: str) -> tuple[Example, ...]:
    """Read examples written one after the other, each as::

        variant: what the example shows
            the code before
        ExceptionType: its message
            the code after

    Code is indented by four spaces. ``not variant: …`` has no code after: the variant is not offered;
    ``not any: …`` says that the codemod refuses altogether. Raises ValueError for text of another form.
    """
    found = [*_EXAMPLE.finditer(text.lstrip("\n"))]
    if "".join(match.group() for match in found) != text.lstrip("\n"):
        raise ValueError("an example is not of the form: variant, before, failure, after")
    return tuple(_example(match) for match in found)


def _example(match: re.Match[str]) -> Example:
    code = {part: dedent(match[part]).strip("\n") + "\n" for part in ("before", "after")}
    variant = "" if match["variant"] == "any" else match["variant"]
    after = None if match["refused"] else code["after"]
    return Example(code["before"], match["failure"], after, variant, match["note"])


class Codemod(VisitorBasedCodemodCommand):
    """A kind of repair: the failures that it answers, its variants in order, and the rewriting."""

    NAME: ClassVar[str]
    ANSWERS: ClassVar[tuple[Answer, ...]] = ()
    VARIANTS: ClassVar[tuple[Variant, ...]] = ()
    EXAMPLES: ClassVar[tuple[Example, ...]] = ()

    def __init__(
        self, context: CodemodContext, at: list[str] | None = None, trace: str | None = None
    ):
        super().__init__(context)
        self.at = at or []
        self.trace = trace

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """Add the options that point a codemod at sites, for ``libcst.tool``."""
        from selfdebug.codemods._command import log, place

        # libcst.tool pipes each changed file through black unless told not to: the file would lose
        # its format, and fail where black is missing.
        arg_parser.set_defaults(no_format=True)
        arg_parser.add_argument(
            "--at",
            action="append",
            type=place,
            metavar="FILE:LINE[:COL]",
            help="change the code at this place (repeatable); columns count from 1",
        )
        arg_parser.add_argument(
            "--trace",
            type=log,
            metavar="LOG",
            help="change the code that this pytest log or traceback blames",
        )

    @classmethod
    def answers(cls, site: Site) -> bool:
        """Say whether this kind of repair applies to the failure at a site."""
        return any(answer.fits(site) for answer in cls.ANSWERS)

    @classmethod
    @abstractmethod
    def rewrites(cls, tree: Tree, site: Site) -> Iterator[Rewrite]:
        """Yield the rewritten module for each variant that fits, most preferred first.

        ``tree`` may hold a region of the file or all of it; spans in ``site`` are those of the file.
        Nothing is yielded for code that looks alike and must stay.
        """

    @classmethod
    def provable(cls, tree: Tree) -> Iterator[Site]:  # noqa: ARG003 - for those who can prove
        """Yield the sites that are wrong beyond doubt without any failure being known."""
        yield from ()

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """Rewrite a whole file at the sites asked for, or where ``provable`` finds some."""
        from selfdebug.codemods._command import sites_in

        changed = False
        for site in sites_in(self, tree):
            # Each rewrite moves what stands below it, so sites come last first.
            rewrite = next(self.rewrites(self.tree(tree), site), None)
            if rewrite is not None:
                tree, changed = rewrite.module, True
        if not changed:
            raise SkipFile(f"nothing for {self.NAME} to change")
        return tree

    def tree(self, module: cst.Module) -> Tree:
        """Return the tree of the whole file that libcst's tool is working on."""
        from pathlib import Path

        return whole(decode(Path(self.context.filename or ""), module.bytes), module)
