"""The small edits of suspicious statements, likeliest first, made no sooner than they may be wanted.

How likely an edit is to be right: how suspicious its statement is, times the prior of its template,
shared by all edits of that template at the statement, times what the shape of the wrong result tells.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from selfdebug.codemods._base import Codemod, Repair, Variant
from selfdebug.codemods._first_order import FirstOrder
from selfdebug.model import Candidate, Edit, Site
from selfdebug.planning.propose import failed
from selfdebug.planning.score import size
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import Unreadable

_SUSPICION = 2.0  # a statement half as suspicious is a quarter as likely
_EXPLAINED = 4.0  # how much likelier a template is that explains the shape of the wrong result
_RANK = 0.02  # for each statement that is more suspicious
_IMPORT = 1.0  # for a name that nobody imported: it was seldom what the author forgot
_TOKEN = 0.05  # for each token added or taken away


def first_order(codemods: Sequence[type[Codemod]]) -> tuple[type[FirstOrder], ...]:
    """Return the codemods of a catalogue that edit suspicious statements."""
    return tuple(each for each in codemods if issubclass(each, FirstOrder))


def frontier(
    sites: Sequence[Site],
    codemods: Sequence[type[FirstOrder]],
    project: Project,
    report: Callable[[str], None],
) -> Iterator[Candidate]:
    """Yield the edits of suspicious statements, the least ``cost`` first.

    ``sites`` come most suspicious first. A codemod looks at one once its likeliest edit there could be
    the next. ``report`` hears of codemods that failed themselves.
    """
    # What a codemod may find comes before what was found for the same cost.
    looks = [
        (_of_site(site, rank) + _at_least(codemod, site.shapes), 0, rank, which, 0)
        for rank, site in enumerate(sites)
        for which, codemod in enumerate(codemods)
    ]
    heapq.heapify(looks)
    found: dict[tuple[int, int, int], Candidate] = {}
    while looks:
        _, is_found, *key = heapq.heappop(looks)
        rank, which, number = key
        if is_found:
            yield found.pop((rank, which, number))
            continue
        made = _candidates(sites[rank], rank, codemods[which], project, report)
        for at, candidate in enumerate(made):
            found[rank, which, at] = candidate
            heapq.heappush(looks, (candidate.cost, 1, rank, which, at))


def _candidates(
    site: Site,
    rank: int,
    codemod: type[FirstOrder],
    project: Project,
    report: Callable[[str], None],
) -> Iterator[Candidate]:
    repairs: list[Repair] = []
    try:
        repairs += codemod.repairs(site, project)
    except (Unreadable, OSError):
        return
    except Exception as error:  # noqa: BLE001 - others may have an answer
        report(failed(codemod.NAME, site, error))
    shares = Counter(repair.variant.name for repair in repairs)
    for repair in repairs:
        form = repair.variant
        cost = _of_site(site, rank) + _of_variant(form, site.shapes)
        cost += math.log(shares[form.name]) + _TOKEN * sum(map(size, repair.edits))
        cost += _IMPORT * any(map(_imports, repair.edits))
        yield repair.candidate(codemod, site, cost)


def _imports(edit: Edit) -> bool:
    return edit.after.lstrip().startswith((b"import ", b"from "))


def _of_site(site: Site, rank: int) -> float:
    return -_SUSPICION * math.log(site.suspicion) + _RANK * rank


@cache
def _at_least(codemod: type[FirstOrder], shapes: frozenset[str]) -> float:
    """Return what the likeliest edit of a codemod costs by its template alone."""
    return min((_of_variant(each, shapes) for each in codemod.VARIANTS), default=math.inf)


def _of_variant(variant: Variant, shapes: frozenset[str]) -> float:
    explained = _EXPLAINED if shapes.intersection(variant.explains) else 1.0
    return -math.log(variant.likely * explained)
