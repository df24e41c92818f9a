"""What is known of failures, and which codemods would answer them; nothing is tried."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, BinaryIO

from selfdebug.model import Explanation, Failure, Site
from selfdebug.planning.propose import propose
from selfdebug.planning.siblings import same_pattern
from selfdebug.steps.context import Context
from selfdebug.steps.ending import outside
from selfdebug.steps.observe import Observation, read, see_once

if TYPE_CHECKING:
    from selfdebug.localization.localize import Diagnosis

_SIBLINGS, _SUSPECTS = 20, 10  # told of


def explain(context: Context, log: BinaryIO | None) -> Explanation:
    """Explain the failures that a log shows, or a run of the tests. Raises Ended where none does."""
    settings = context.settings
    seen = see_once(context) if log is None else read(log, context)
    found = [seen.localized(failure) for failure in seen.failures]
    sites = _distinct(site for one in found for site in (*one.sites, *one.in_tests))
    answers = [
        tuple(dict.fromkeys(each.codemod for each in plan.candidates))
        for plan in (propose([site], context.codemods, seen.project) for site in sites)
    ]
    sites_answered = [site for site, codemods in zip(sites, answers, strict=True) if codemods]
    alike = (like for site in sites for like in same_pattern(site, seen.project))
    return Explanation(
        root=settings.root,
        exit_code=0 if sites else 2,
        message="; ".join(
            filter(None, (_missed(found), _small_edits(found, sites_answered), outside(seen)))
        ),
        tracebacks=seen.tracebacks,
        sites=tuple(zip(sites, answers, strict=True)),
        siblings=_distinct(alike)[:_SIBLINGS] if settings.siblings else (),
        suspects=_suspects(context, seen, answered=any(answers)),
        sandbox=context.prepared.sandbox,
    )


def _missed(found: list[Diagnosis]) -> str:
    """Say why a failure has no site."""
    return next((each.why for each in found if not each.sites), "")


def _small_edits(found: Iterable[Diagnosis], answered: Sequence[Site]) -> str:
    """Say what else is done where no codemod answers a failure."""
    if all(any(site in answered for site in (*one.sites, *one.in_tests)) for one in found):
        return ""
    return "where no codemod answers, run tries small edits of what the failing test executes"


def _suspects(context: Context, seen: Observation, *, answered: bool) -> tuple[Site, ...]:
    """Return the most suspicious statements where a test hangs, or no codemod answers any frame."""
    unclear: tuple[Failure, ...] = seen.hanging or (() if answered else seen.failures)
    if seen.before is None or not unclear:
        return ()
    from selfdebug.steps.suspects import learn

    suspects = learn(context, seen)
    return suspects.sites(unclear[0])[:_SUSPECTS] if suspects else ()


def _distinct(sites: Iterable[Site]) -> tuple[Site, ...]:
    found: list[Site] = []
    for site in sites:
        found += [] if site in found else [site]
    return tuple(found)
