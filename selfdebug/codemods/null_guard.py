"""NullGuard: something was None where a value was needed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._absent import conditional, defaulted
from selfdebug.codemods._base import Answer, Codemod, Rewrite, Variant, examples  # noqa: F401
from selfdebug.codemods._edit import Change, changed
from selfdebug.codemods._fill import filling
from selfdebug.codemods._leave import filtering, followed, leaving, skipping
from selfdebug.codemods._missing import missing
from selfdebug.codemods._proof import proven
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

_EARLY_EXIT = Variant("early-exit", "guard", "leave above the statement, as the function does")
_SKIP = Variant("skip", "guard", "run the statement only where the value is there")
_FILTER = Variant("filter", "guard", "leave the item out of the comprehension")
_CONDITIONAL = Variant("conditional", "guard", "evaluate the chain only where the value is there")
_ASSIGNMENT = Variant("assignment", "default", "give the variable a neutral value at its origin")
_DEFAULT = Variant("default", "default", "use the neutral value of the type that the use shows")


class NullGuard(Codemod):
    """Guard the one value that was None, evaluating nothing twice and nothing out of order."""

    DESCRIPTION = "Guard values that are None where they are used."
    NAME = "null-guard"
    ANSWERS = (
        Answer(("TypeError", "AttributeError"), r"NoneType|\bNone\b"),
        Answer(("TypeError",), r"can only join an iterable|expected string or bytes-like object$"),
        Answer(("AttributeError",), r"^__a?(?:enter|exit)__$"),
    )
    VARIANTS = (_EARLY_EXIT, _SKIP, _FILTER, _CONDITIONAL, _ASSIGNMENT, _DEFAULT)

    @classmethod
    def rewrites(cls, tree: Tree, site: Site) -> Iterator[Rewrite]:
        """Yield the guards of what was None; where that is not known, of all that may have been."""
        for bad in missing(tree, site):
            for variant, change, how in _guards(tree, bad, site.message):
                module = change and changed(tree, change)
                if module:
                    yield Rewrite(variant, module, f"{tree.code(bad)} was None: {how}")

    @classmethod
    def provable(cls, tree: Tree) -> Iterator[Site]:
        """Yield the uses of results that are None by contract or annotation, with no check before."""
        yield from proven(tree)


def _guards(
    tree: Tree, bad: cst.BaseExpression, message: str
) -> Iterator[tuple[Variant, Change | None, str]]:
    code = tree.code(bad)
    skip = _SKIP, skipping(tree, bad), f"the statement runs only where `{code}` is there"
    first = followed(tree, bad)
    if first:
        yield skip
    for change, exit_ in leaving(tree, bad):
        yield _EARLY_EXIT, change, f"`{exit_}` before it is used"
    if not first:
        yield skip
    yield _FILTER, filtering(tree, bad), f"items without `{code}` are left out"
    yield _CONDITIONAL, conditional(tree, bad), "what needs it is evaluated only where it is there"
    yield _ASSIGNMENT, filling(tree, bad, message), "every use fits the neutral value that it gets"
    yield _DEFAULT, defaulted(tree, bad, message), "its use shows the neutral value that fits"
