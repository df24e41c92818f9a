"""Sites to candidates: every variant of every codemod that answers, audited, in a fixed order."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TypeVar

from selfdebug.codemods._listing import Template, imported
from selfdebug.model import Candidate, Edit, Kind, Ruling, Site
from selfdebug.planning.audit import masking, objection
from selfdebug.planning.complexity import Complexity, added
from selfdebug.planning.score import cost
from selfdebug.planning.trust import STRENGTH
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import Unreadable, apply, decode

_Any = TypeVar("_Any", bound=Template)


@dataclass(frozen=True)
class Plan:
    """The candidates worth trying, best first, and those that the audit turned down.

    ``unreadable`` says why a file that may hold the fault could not be rewritten, "" where all could;
    ``broken`` which codemods failed themselves.
    """

    candidates: tuple[Candidate, ...]
    rejected: tuple[Ruling, ...] = ()
    unreadable: str = ""
    broken: tuple[str, ...] = ()

    def at_least(self, kind: Kind) -> Plan:
        """Return the plan without the candidates of weaker kinds."""
        strong = (each for each in self.candidates if STRENGTH[each.kind] >= STRENGTH[kind])
        return replace(self, candidates=tuple(strong))


class UnknownCodemod(Exception):
    """A name given to ``--select`` or ``--ignore`` that the catalogue does not have."""


def chosen(select: Sequence[str], ignore: Sequence[str], every: Sequence[_Any]) -> tuple[_Any, ...]:
    """Return a catalogue less what the user left out. Raises UnknownCodemod."""
    names = {codemod.NAME for codemod in every}
    for name in (*select, *ignore):
        if name not in names:
            near = get_close_matches(name, names, n=3)
            meant = f"; did you mean {' or '.join(near)}?" if near else ";"
            raise UnknownCodemod(
                f"no codemod is named {name!r}{meant} `selfdebug codemods` lists them all"
            )
    return tuple(
        codemod
        for codemod in every
        if (not select or codemod.NAME in select) and codemod.NAME not in ignore
    )


def propose(
    sites: Sequence[Site],
    codemods: Sequence[Template],
    project: Project,
    tests: Collection[str] = (),
) -> Plan:
    """Return what the codemods make of the sites, the likeliest first (see ``score``).

    Sites come best first. One in a test file is repaired elsewhere or not at all: tests are not edited.
    ``tests`` are node ids whose files count as tests, whatever they are called.
    """
    kept: dict[tuple[Edit, ...], Candidate] = {}
    rejected: list[Ruling] = []
    unreadable: list[str] = []
    broken: list[str] = []
    failing = sources_of(tests, project)
    for distance, site in enumerate(sites):
        least: dict[tuple[str, Kind], float] = {}
        for candidate in _candidates(site, codemods, project, unreadable, broken):
            if any(project.is_test_file(edit.file, tests) for edit in candidate.edits):
                continue
            # A codemod knows best which of its own forms of one kind comes first.
            form = candidate.codemod, candidate.kind
            own = cost(candidate, distance, _added(candidate, project))
            least[form] = max(own, least.get(form, 0))
            scored = replace(candidate, cost=least[form])
            same = kept.get(candidate.edits)
            if same is not None and same.cost <= scored.cost:
                continue
            why = objection_to(candidate, project, failing)
            if why is None:
                kept[candidate.edits] = scored
            elif same is None:
                rejected.append(Ruling(candidate, f"PATCH-REJECTED: {why}"))
    best = tuple(sorted(kept.values(), key=lambda each: each.cost))
    return Plan(best, tuple(rejected), next(iter(unreadable), ""), tuple(broken))


def _candidates(
    site: Site,
    codemods: Sequence[Template],
    project: Project,
    unreadable: list[str],
    broken: list[str],
) -> Iterator[Candidate]:
    for codemod in codemods:
        if not codemod.answers(site):
            continue
        try:
            for repair in codemod.repairs(site, project):
                yield repair.candidate(imported(codemod), site)
        except (Unreadable, OSError) as error:
            unreadable.append(str(error))
        except Exception as error:  # noqa: BLE001 - others may have an answer
            broken.append(failed(codemod.NAME, site, error))


def failed(codemod: str, site: Site, error: Exception) -> str:
    """Return what a report says of a codemod that failed at a site; the others are still asked."""
    return (
        f"the codemod {codemod} failed at {site.file.name}:{site.span.line};"
        f" please report it: {error!r}"
    )


def _added(candidate: Candidate, project: Project) -> Complexity:
    """Return how much more complex a candidate makes the file of its first edit."""
    path = candidate.edits[0].file
    edits = tuple(edit for edit in candidate.edits if edit.file == path)
    try:
        before = project.read(path)
        return added(before.text, decode(path, apply(before.data, edits)).text)
    except (Unreadable, OSError, ValueError):
        return Complexity()


def objection_to(candidate: Candidate, project: Project, failing: str) -> str | None:
    """Say why a candidate may not be tried, for the first of its files where that is so.

    ``failing`` is the source of the failing tests.
    """
    for path in dict.fromkeys(edit.file for edit in candidate.edits):
        edits = tuple(edit for edit in candidate.edits if edit.file == path)
        try:
            before = project.read(path)
            after = decode(path, apply(before.data, edits))
        except (Unreadable, ValueError) as error:
            return str(error)
        why = objection(before.text, after.text, candidate.growth, project.root)
        why = why or masking(candidate, before.text, after.text, failing)
        if why:
            return why
    return None


def sources_of(tests: Collection[str], project: Project) -> str:
    """Return the source of the failing tests; of those that are not plain functions, the whole file."""
    found: list[str] = []
    for test in sorted(tests):
        file, _, name = test.partition("::")
        with suppress(Unreadable, OSError):
            module = read_module(project.root / file, project)
            name = name.partition("[")[0].replace("::", ".")
            bodies = [each.node for each in module.definitions if each.qualname == name]
            found += [ast.unparse(node) for node in bodies] or [module.source.text]
    return "\n".join(found)
