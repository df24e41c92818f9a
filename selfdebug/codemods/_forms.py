"""The forms that a repair may take, and the rewrites that come of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from selfdebug.codemods._base import Rewrite, Variant
from selfdebug.codemods._edit import Change, changed
from selfdebug.model import Edit
from selfdebug.syntax.region import Tree

Form: TypeAlias = tuple[Variant, Change | None, str]
"""A variant, what it changes, and why; None where there is nothing that it could change here."""


def rewritten(
    tree: Tree, forms: Iterable[Form], before: str = "", also: tuple[Edit, ...] = ()
) -> Iterator[Rewrite]:
    """Yield the tree with each form's change, unless that would not parse.

    ``before`` stands in front of every form's reason; ``also`` is what every rewrite needs outside.
    """
    for variant, change, why in forms:
        module = changed(tree, change) if change else None
        if module is not None:
            yield Rewrite(variant, module, f"{before}{why}", also)
