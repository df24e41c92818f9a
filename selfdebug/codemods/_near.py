"""Which of the names that exist a misspelt one may have been meant to be.

Names are compared as people confuse them: letters dropped, doubled, swapped or mistaken (Damerau's
four slips, https://doi.org/10.1145/363958.363994), another case, words joined or in another order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LEAST = 0.6  # of 1.0, for names that are the same but for case and underscores
_SLIP = 0.75
_CLEARLY = 0.15  # a name that is this much nearer than another leaves that out


def nearest(name: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Return the names that may have been meant, the most likely first; none where none is near."""
    scored = {each: likeness(name, each) for each in known if each != name}
    best = max(scored.values(), default=0.0)
    least = max(_LEAST, best - _CLEARLY)
    near = sorted((-score, each) for each, score in scored.items() if score >= least)
    return tuple(each for _, each in near[:limit])


def is_slip(name: str, near: str) -> bool:
    """Say whether a name is another one mistyped, and not one that has the same words or letters."""
    return likeness(name, near) >= _SLIP


def likeness(one: str, other: str) -> float:
    """Return how alike two names are, from 0.0 to 1.0."""
    folded, like = _folded(one), _folded(other)
    if not folded or not like:
        return 0.0
    if folded == like:
        return 1.0
    if min(len(folded), len(like)) < 3:
        return 0.0
    slips = distance(folded, like)
    if slips <= max(1, min(len(folded), len(like)) // 4):
        return 1.0 - slips / (2 + min(len(folded), len(like))) - 0.05 * (folded[0] != like[0])
    return max(_by_words(one, other), 0.65 * _is_short_for(*sorted((folded, like), key=len)))


def _is_short_for(short: str, long: str) -> bool:
    """Say whether a name is another one with letters left out: ``qty`` for ``quantity``."""
    letters = iter(long)
    return short[0] == long[0] and all(letter in letters for letter in short)


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def _by_words(one: str, other: str) -> float:
    """Return how much of their words two names share: ``user_name`` and ``name_of_user``."""
    words, others = set(words_of(one)), set(words_of(other))
    both = words & others
    if not any(len(word) > 2 for word in both):
        return 0.0
    share = len(both) / len(words | others)
    return 0.85 if share == 1 else 0.7 if share >= 0.5 else 0.0


def words_of(name: str) -> Iterator[str]:
    """Yield the words of a name, in lower case."""
    for word in _WORDS.findall(name):
        yield word.lower()


def distance(one: str, other: str) -> int:
    """Return the least number of slips between two words: a letter more, less, other, or swapped."""
    older: list[int] = []
    row: list[int] = [*range(len(other) + 1)]
    for i, a in enumerate(one, start=1):
        above, row = row, [i]
        for j, b in enumerate(other, start=1):
            least = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                least = min(least, older[j - 2] + 1)
            row.append(least)
        older = above
    return row[-1]


def better_spelt(one: str, other: str, known: Callable[[str], bool]) -> bool:
    """Say whether the words that only the first name has are known, and those of the second not."""
    mine, its = set(words_of(one)), set(words_of(other))
    ours, others = mine - its, its - mine
    return bool(ours and others) and all(map(known, ours)) and not any(map(known, others))


@cache
def is_word(word: str) -> bool:
    """Say whether a word stands in the part of Python's manual that the interpreter brings along."""
    try:
        from pydoc_data.topics import topics
    except ImportError:  # some distributions leave it out
        return False
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    # A substring is found a hundred times as fast as a word.
    return any(word in text and pattern.search(text) for text in topics.values())
