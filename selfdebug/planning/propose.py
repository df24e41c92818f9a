"""Sites to candidates: every variant of every codemod that answers, audited, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from selfdebug.codemods import catalogue
from selfdebug.codemods._base import Codemod
from selfdebug.model import Candidate, Kind, Ruling, Site
from selfdebug.planning.audit import objection
from selfdebug.syntax.region import Tree, function_region, parse, splice, syntax_tree
from selfdebug.syntax.source import Source, Unreadable, apply, decode

_ORDER: Mapping[Kind, int] = {"root-cause": 0, "guard": 1, "default": 2}


@dataclass(frozen=True)
class Plan:
    """The candidates worth trying, best first, and those that the audit turned down."""

    candidates: tuple[Candidate, ...]
    rejected: tuple[Ruling, ...] = ()


class UnknownCodemod(Exception):
    """A name given to ``--select`` or ``--ignore`` that the catalogue does not have."""


def chosen(select: Sequence[str] = (), ignore: Sequence[str] = ()) -> tuple[type[Codemod], ...]:
    """Return the catalogue less what the user left out. Raises UnknownCodemod."""
    every = catalogue()
    names = {codemod.NAME for codemod in every}
    for name in (*select, *ignore):
        if name not in names:
            raise UnknownCodemod(
                f"no codemod is named {name!r}; there are {', '.join(sorted(names))}"
            )
    return tuple(
        codemod
        for codemod in every
        if (not select or codemod.NAME in select) and codemod.NAME not in ignore
    )


def propose(
    sites: Sequence[Site],
    codemods: Sequence[type[Codemod]],
    root: Path,
    contents: Mapping[Path, bytes],
) -> Plan:
    """Return what the codemods make of the sites: sites in their order, in each causes before guards.

    ``contents`` holds files that differ from the disk. Raises Unreadable where a file does not parse.
    """
    kept: list[Candidate] = []
    rejected: list[Ruling] = []
    seen: set[tuple[object, ...]] = set()
    for site in sites:
        found = [*_candidates(site, codemods, contents)]
        for candidate, source in sorted(found, key=lambda pair: _ORDER[pair[0].kind]):
            if candidate.edits in seen:
                continue
            seen.add(candidate.edits)
            after = decode(source.path, apply(source.data, candidate.edits))
            why = objection(source.text, after.text, candidate.growth, root)
            if why is None:
                kept.append(candidate)
            else:
                rejected.append(Ruling(candidate, f"PATCH-REJECTED: {why}"))
    return Plan(tuple(kept), tuple(rejected))


def _candidates(
    site: Site, codemods: Sequence[type[Codemod]], contents: Mapping[Path, bytes]
) -> Iterator[tuple[Candidate, Source]]:
    answering = [codemod for codemod in codemods if codemod.answers(site)]
    if not answering:
        return
    data = contents.get(site.file)
    source = decode(site.file, site.file.read_bytes() if data is None else data)
    tree = parse(function_region(source, syntax_tree(source), site.span.line))
    for codemod in answering:
        for candidate in _rewritten(codemod, tree, site):
            yield candidate, source


def _rewritten(codemod: type[Codemod], tree: Tree, site: Site) -> Iterator[Candidate]:
    for rewrite in codemod.rewrites(tree, site):
        try:
            edit = splice(tree.region, rewrite.module.code)
        except (Unreadable, RecursionError):
            continue
        if edit is not None:
            variant = rewrite.variant
            yield Candidate(
                (edit,), codemod.NAME, variant.name, variant.kind, rewrite.why, site, variant.growth
            )
