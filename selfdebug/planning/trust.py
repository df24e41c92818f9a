"""How far a patch that all tests accept may be trusted, and what tells its rivals apart from it.

The rules, the first that fits:

- ``low``: it puts a neutral value in the place of a missing one (kind ``default``), or it is a guard
  and another candidate that is not weaker passes the same tests but answers some call differently;
- ``high``: it repairs the cause (kind ``root-cause``) by a template that is right more often than not,
  it does so where the bad value was born and not where it is used, the place of the failure is beyond
  doubt, and every other ``root-cause`` candidate that passes the
  same tests was compared with it, and answers alike;
- ``medium``: all others.

A small edit of a suspicious statement, which no frame points to, has rules of its own:

- ``low``: another edit of any kind that passes the same tests answers some call differently, and it is
  at least half as likely, or no test that passed before executes the statement, or fewer than three do
  and the edit is of a form that fits nearly everywhere (a prior of less than 0.2); or it is of such a
  form, and none executes the statement or another that passes could not be compared with it; or of one
  that is hardly ever right (a prior of less than 0.01); or it
  takes more than one small edit of a function, or more than two in all, or two of which one fits nearly
  everywhere: enough of them bend any code to its tests. Edits of different functions that heal tests of
  their own are not counted together;
- ``high``: the search for others came to its end, every edit that passes was compared and answers all
  calls alike, at least three tests that passed before execute the statement and pass with it, and its
  template asks for evidence of its own (a prior of 0.2 or more): an edit that fits nearly everywhere
  passes by chance too often; and it is no guard;
- ``medium``: all others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from selfdebug.model import Alternative, Candidate, Difference, Kind, Patch, SearchEnd, Site

STRENGTH: Mapping[Kind, int] = {"root-cause": 2, "guard": 1, "default": 0}
_LIKELY = 0.5
_PINNED = 3  # tests
TELLING = 0.2  # the least prior of a template that asks for evidence
_HARDLY_EVER = 0.01
_HALF = math.log(2)
_GUARDED = "the failing place is guarded; the cause may lie earlier"
_CUT: Mapping[SearchEnd | None, str] = {
    "time": "--search-seconds",
    "candidates": "--max-candidates",
    "attempts": "--max-attempts",
}


def trusted(
    patch: Candidate,
    rivals: Sequence[Alternative],
    beside: Sequence[Candidate] = (),
    end: SearchEnd | None = None,
    untried: Sequence[Candidate] = (),
) -> Patch:
    """Return an edit with how far it may be trusted next to its rivals, and those made ``beside`` it.

    The latter are those without which it may not fit (see ``planning.search.beside``).
    ``end`` says what ended the search for small edits; ``untried`` are other repairs of a crash for
    which there was no time.
    """
    if patch.site.suspicion:
        return _trusted_slip(patch, rivals, [each for each in beside if each.site.suspicion], end)
    doubts = (*_doubts(patch, rivals), *_untried(patch, untried))
    if patch.kind == "default" or (patch.kind == "guard" and _contested(patch, rivals)):
        return Patch(patch, "low", doubts)
    return Patch(patch, "medium" if doubts else "high", doubts)


def _trusted_slip(
    patch: Candidate,
    rivals: Sequence[Alternative],
    beside: Sequence[Candidate],
    end: SearchEnd | None,
) -> Patch:
    contested = [rival for rival in rivals if rival.differs]
    doubts = [*map(_disagreement, contested), *_unknown(rivals), *_of_slip(patch)]
    if end in _CUT:
        doubts.append(f"the search for others that pass was cut off by {_CUT[end]}")
    bent = len(beside) > 1 or any(_bends(patch, each) for each in beside)
    if bent:
        doubts.append(f"it takes {len(beside) + 1} small edits: together they may fit by chance")
    close = any(rival.candidate.cost <= patch.cost + _HALF for rival in contested)
    vague = patch.prior < TELLING
    watching = patch.site.passing
    unwatched = contested and watching < (_PINNED if vague else 1)
    by_chance = vague and (not watching or any(not rival.compared for rival in rivals))
    if bent or close or unwatched or by_chance or patch.prior < _HARDLY_EVER:
        return Patch(patch, "low", tuple(doubts))
    return Patch(patch, "medium" if doubts else "high", tuple(doubts))


def _of_slip(patch: Candidate) -> Iterator[str]:
    """Yield what speaks against a small edit, whatever others there are."""
    if patch.kind == "guard":
        yield _GUARDED
    if patch.prior < _HARDLY_EVER:
        yield f"{patch.why}: edits of this form are hardly ever right"
    elif patch.prior < TELLING:
        yield "edits of this form fit in many places: it may pass by chance"
    if patch.site.passing < _PINNED:
        execute = {0: "none executes", 1: "only 1 executes"}.get(
            patch.site.passing, f"only {patch.site.passing} execute"
        )
        yield (
            f"of the tests that passed before, {execute} the statement;"
            f" confidence high asks for {_PINNED}"
        )


def _bends(one: Candidate, other: Candidate) -> bool:
    """Say whether two small edits may fit together by chance."""
    return min(one.prior, other.prior) < TELLING or same_function(one, other)


def same_function(one: Candidate, other: Candidate) -> bool:
    """Say whether two candidates repair the same function."""
    return (one.site.file, one.site.function) == (other.site.file, other.site.function)


def _disagreement(rival: Alternative) -> str:
    differs = rival.differs
    assert differs is not None
    return (
        f"{rival.candidate.codemod} ({rival.candidate.variant}) passes too, but"
        f" `{differs.call}` {differs.there} there and {differs.here} here"
    )


def _doubts(patch: Candidate, rivals: Sequence[Alternative]) -> Iterator[str]:
    if patch.kind == "default":
        yield "a neutral value stands for the one that was missing"
    elif patch.kind == "guard":
        yield _GUARDED
    elif patch.prior < _LIKELY:
        yield "repairs of this form are wrong as often as right"
    elif patch.branch == "guard":
        yield _born(patch.site)
    if not patch.site.certain:
        yield "which of several values was bad is a guess"
    yield from map(_disagreement, _contested(patch, rivals))
    yield from _unknown(rival for rival in rivals if _is_as_strong(rival.candidate, patch))


def _unknown(rivals: Iterable[Alternative]) -> Iterator[str]:
    """Say which rivals were not compared with a patch, if any."""
    unknown = [rival.candidate for rival in rivals if not rival.compared]
    if unknown:
        names = dict.fromkeys(f"{each.codemod} ({each.variant})" for each in unknown)
        yield f"not compared with what passes too: {', '.join(names)}"


def _untried(patch: Candidate, untried: Iterable[Candidate]) -> Iterator[str]:
    if left := [each for each in untried if _is_as_strong(each, patch)]:
        others = "another repair" if len(left) == 1 else f"{len(left)} other repairs"
        yield f"for want of time it was not compared with {others} that may pass too"


def _is_as_strong(one: Candidate, other: Candidate) -> bool:
    return STRENGTH[one.kind] >= STRENGTH[other.kind]


def _born(site: Site) -> str:
    """Say that a value is repaired where it is used, and where it was born if that is known."""
    born = next((f"at {step.file.name}:{step.line}" for step in site.origin[:1]), "elsewhere")
    return f"the value is repaired where it is used; it was born {born}"


def _contested(patch: Candidate, rivals: Iterable[Alternative]) -> list[Alternative]:
    """Return the rivals that are not weaker, and answer some call differently."""
    return [rival for rival in rivals if rival.differs and _is_as_strong(rival.candidate, patch)]


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> Difference | None:
    """Return the first call, in the order in which they were made, with two different answers.

    One that raises with either says less: perhaps nobody would call it so. Calls that were not tried
    with both tell nothing.
    """
    found = [
        Difference(call, answer, other)
        for call, answer in here.items()
        if (other := there.get(call, answer)) != answer and _NOT_TRIED not in (answer, other)
    ]
    raising = [each for each in found if "raises" in (each.here[:6], each.there[:6])]
    return next((each for each in found if each not in raising), next(iter(raising), None))


_NOT_TRIED = "is not tried"  # as in validation/forked/behaviour.py, which runs elsewhere
