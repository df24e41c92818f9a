"""The catalogue as a run needs it: a codemod is imported once a failure may be one that it answers.

Half of the codemods wait for suspicious statements, and each failure has a few of the others; to import
them all takes as long as everything else of a search that ends soon. What they answer is kept as text,
which holds as long as the files are as they were.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from selfdebug import codemods
from selfdebug.codemods._base import Answer, Codemod, Repair
from selfdebug.codemods._first_order import FirstOrder
from selfdebug.model import Site
from selfdebug.syntax.project import Project


@dataclass(frozen=True)
class Listed:
    """A codemod by the name of its class, imported where it is asked for its repairs.

    ``said`` is what it answers; None where only the class can tell. One that is ``suspicious`` answers
    suspicious statements alone.
    """

    name: str
    NAME: str
    said: tuple[Answer, ...] | None
    suspicious: bool

    @cached_property
    def codemod(self) -> type[Codemod]:
        """The class."""
        return codemods.own(self.name)

    def may_answer(self, exception: str) -> bool:
        """Say whether it may answer some failure by an exception of that name."""
        if self.suspicious or self.said is None:
            return not self.suspicious
        return any(exception in answer.exceptions for answer in self.said)

    def answers(self, site: Site) -> bool:
        """Say what ``Codemod.answers`` says."""
        if self.suspicious and site.suspicion <= 0:
            return False
        if self.said is not None:
            return any(answer.fits(site) for answer in self.said)
        return self.codemod.answers(site)

    def repairs(self, site: Site, project: Project) -> Iterator[Repair]:
        """Yield what ``Codemod.repairs`` yields. Raises as it does."""
        return self.codemod.repairs(site, project)


Template: TypeAlias = Listed | type[Codemod]


def imported(template: Template) -> type[Codemod]:
    """Return the class of a codemod."""
    return template.codemod if isinstance(template, Listed) else template


def import_those_for(exceptions: Collection[str], templates: Iterable[Template]) -> None:
    """Import the codemods that may answer failures by exceptions of these names."""
    for each in templates:
        if isinstance(each, Listed) and any(map(each.may_answer, exceptions)):
            imported(each)


def listing(kept: bytes = b"") -> tuple[tuple[Template, ...], bytes]:
    """Return the catalogue, and what it can be ``kept`` as for later.

    Where that was kept of other files, or is nothing of this form, all codemods are imported. Raises
    ValueError where two have the same name.
    """
    files = _files()
    own: list[Listed] = []
    with suppress(ValueError, TypeError, LookupError, AttributeError, RecursionError):
        told = json.loads(kept)
        own = [_read(*row) for row in told["codemods"]] if told["files"] == files else []
    if own:
        found: tuple[Template, ...] = (*own, *codemods.of_others())
        codemods.distinct(each.NAME for each in found)
        return found, kept
    rows = [_row(name) for name in codemods.__all__]
    return codemods.catalogue(), json.dumps({"files": files, "codemods": rows}).encode()


def _files() -> list[list[Any]]:
    """Return what tells these files from others, as the interpreter does that compiled them."""
    found = sorted(Path(__file__).parent.glob("*.py"))
    return [[str(path), (status := path.stat()).st_mtime_ns, status.st_size] for path in found]


def _row(name: str) -> list[Any]:
    codemod = codemods.own(name)
    how = next(vars(base)["answers"] for base in codemod.__mro__ if "answers" in vars(base))
    as_said = how is vars(Codemod)["answers"]
    said = [astuple(answer) for answer in codemod.ANSWERS] if as_said else None
    return [name, codemod.NAME, said, how is vars(FirstOrder)["answers"]]


def _read(name: str, own: str, said: list[list[Any]] | None, suspicious: bool) -> Listed:
    """Return a codemod as it was kept. Raises ValueError, TypeError where it is nothing of that form."""
    if name not in codemods.__all__ or not isinstance(own, str):
        raise ValueError(name)
    if said is None:
        return Listed(name, own, None, suspicious)
    answers = (Answer(tuple(names), message, tuple(nodes)) for names, message, nodes in said)
    return Listed(name, own, tuple(answers), suspicious)
