"""The small edits of suspicious statements, likeliest first, made no sooner than they may be wanted.

How likely an edit is to be right: how suspicious its statement is, times the prior of its template,
shared by all edits of that template at the statement, times what the shape of the wrong result tells.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from selfdebug.codemods._base import PRIOR, Codemod, Repair, Variant
from selfdebug.codemods._first_order import FirstOrder
from selfdebug.model import Candidate, Site
from selfdebug.planning.score import size
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import Unreadable

_SUSPICION = 2.0  # a statement half as suspicious is a quarter as likely
_EXPLAINED = 4.0  # how much likelier a template is that explains the shape of the wrong result
_RANK = 0.02  # for each statement that is more suspicious
_TOKEN = 0.05  # for each token added or taken away


def first_order(codemods: Sequence[type[Codemod]]) -> tuple[type[FirstOrder], ...]:
    """Return the codemods of a catalogue that edit suspicious statements."""
    return tuple(each for each in codemods if issubclass(each, FirstOrder))


def frontier(
    sites: Sequence[Site], codemods: Sequence[type[FirstOrder]], project: Project
) -> Iterator[Candidate]:
    """Yield the edits of suspicious statements, the least ``cost`` first.

    ``sites`` come most suspicious first; one is looked at once an edit of it could be the next.
    """
    ready: list[tuple[float, int, Candidate]] = []
    variants = (variant for each in codemods for variant in each.VARIANTS)
    best = min((_of_variant(each, _EXPLAINED) for each in variants), default=0.0)
    made = 0
    for rank, site in enumerate(sites):
        least = best + _of_site(site, rank)
        while ready and ready[0][0] <= least:
            yield heapq.heappop(ready)[2]
        for candidate in _candidates(site, rank, codemods, project):
            heapq.heappush(ready, (candidate.cost, made, candidate))
            made += 1
    while ready:
        yield heapq.heappop(ready)[2]


def _candidates(
    site: Site, rank: int, codemods: Sequence[type[FirstOrder]], project: Project
) -> Iterator[Candidate]:
    for codemod in codemods:
        repairs: list[Repair] = []
        with suppress(Unreadable, OSError):
            repairs += codemod.repairs(site, project)
        shares = Counter(repair.variant.name for repair in repairs)
        for repair in repairs:
            form = repair.variant
            explained = _EXPLAINED if site.shapes.intersection(form.explains) else 1.0
            cost = _of_site(site, rank) + _of_variant(form, explained)
            cost += math.log(shares[form.name]) + _TOKEN * sum(map(size, repair.edits))
            yield Candidate(
                edits=repair.edits,
                codemod=codemod.NAME,
                variant=form.name,
                kind=form.kind,
                why=repair.why,
                site=site,
                growth=form.growth,
                prior=form.prior or PRIOR[form.kind],
                cost=cost,
            )


def _of_site(site: Site, rank: int) -> float:
    return -_SUSPICION * math.log(site.suspicion) + _RANK * rank


def _of_variant(variant: Variant, explained: float) -> float:
    return -math.log((variant.prior or PRIOR[variant.kind]) * explained)
