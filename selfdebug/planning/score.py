"""How unlikely a candidate is to be right: its template's prior, where it stands, and what it adds.

What it adds is told by the tokens of its edits, and by how much harder to follow the code becomes.

The scale is natural logarithms: a candidate that costs 0.7 more is half as likely. Ties are settled by
the order in which sites, codemods and variants come, so that the order of candidates never changes.
"""

from __future__ import annotations

import math
import re

from selfdebug.model import Candidate, Edit
from selfdebug.planning.complexity import Complexity

_FRAME = 0.5  # for each site further from the deepest frame
_FILE = 0.2  # for another file than that of the failure
_TOKEN = 0.02  # for each token added or taken away
_BRANCH = 0.05  # for each unit of cyclomatic complexity added
_NESTED = 0.02  # for each unit of cognitive complexity added
# Names, numbers, texts and operators of a piece of code, which may be cut anywhere.
_TOKENS = re.compile(rb"""\w+|"[^"\n]*"|'[^'\n]*'|#[^\n]*|[-+*/%@&|^<>=!:]+|[^\s\w]""")


def cost(candidate: Candidate, distance: int, added: Complexity) -> float:
    """Return how unlikely a candidate is; ``distance`` counts the sites likelier than its own."""
    elsewhere = any(edit.file != candidate.site.file for edit in candidate.edits)
    tokens = sum(size(edit) for edit in candidate.edits)
    harder = _BRANCH * max(added.cyclomatic, 0) + _NESTED * max(added.cognitive, 0)
    return (
        -math.log(candidate.prior)
        + _FRAME * distance
        + _FILE * elsewhere
        + _TOKEN * tokens
        + harder
    )


def size(edit: Edit) -> int:
    """Return how many tokens an edit takes away and adds."""
    return len(_TOKENS.findall(edit.before)) + len(_TOKENS.findall(edit.after))
