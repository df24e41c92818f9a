"""ValueGuard: a value was there, but of a class or a size with which nothing can be done."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._absent import conditional
from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._faults import Failing, also, value_failings
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._leave import LEFT_OUT, filtering, ways_around
from selfdebug.syntax.region import Tree

_EARLY_EXIT = Variant(
    "early-exit", "guard", "leave above the statement, as the function does", prior=0.15
)
_SKIP = Variant("skip", "guard", "run the statement only for a value that fits", prior=0.15)
_CONDITIONAL = Variant("conditional", "guard", "evaluate it only for a value that fits", prior=0.15)
_FILTER = Variant(
    "filter", "guard", "leave the item out of the comprehension", prior=0.15, branch="rewrite"
)


class ValueGuard(Codemod):
    """Test the class or the sign of a value before it is used, in the style of the function."""

    DESCRIPTION = (
        "Guard values of a wrong class, numbers that are not finite or have the wrong sign."
    )
    NAME = "value-guard"
    ANSWERS = (
        Answer(("TypeError",), r"^(?:argument of type |object of type )?'(?!NoneType)\w+'"),
        Answer(("AttributeError",), r"'(?!NoneType)\w+' object has no attribute"),
        Answer(
            ("ValueError", "OverflowError"), r"cannot convert float|too large to convert to float"
        ),
        Answer(
            ("ValueError",), r"negative (?:shift|values)|math domain|(?:negative|positive) input"
        ),
    )
    VARIANTS = (_EARLY_EXIT, _SKIP, _CONDITIONAL, _FILTER)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the guards of the value that was wrong."""
        tree, site = target.tree, target.site
        for node in tree.at(site.bad) if site.bad else ():
            if not isinstance(node, cst.BaseExpression):
                continue
            for failing in value_failings(tree, node, site):
                needed = also(failing.fault, target)
                why = f"{tree.code(node)} {failing.fault.words}: "
                yield from rewritten(tree, _guards(tree, failing), why, needed)


def _guards(tree: Tree, failing: Failing) -> Iterator[Form]:
    bad, fault = failing.bad, failing.fault
    yield from ways_around(tree, bad, fault, (_EARLY_EXIT, "it is used"), (_SKIP, LEFT_OUT))
    yield _FILTER, filtering(tree, bad, fault), "such items are left out"
    why = "what needs it is evaluated only where it fits"
    yield _CONDITIONAL, conditional(tree, bad, fault), why


ValueGuard.EXAMPLES = examples(
    """
early-exit: text has no items of its own
    def keys(data) -> list[str]:
        return [key for key in «data».keys()]
AttributeError: 'str' object has no attribute 'keys'
    def keys(data) -> list[str]:
        if not isinstance(data, dict):
            return []
        return [key for key in data.keys()]

early-exit: not a number has no whole one
    def rounded(value):
        return int(«value»)
ValueError: cannot convert float NaN to integer
    import math


    def rounded(value):
        if not math.isfinite(value):
            return None
        return int(value)

early-exit: the root of what is below zero
    import math

    def distance(square):
        return math.sqrt(«square»)
ValueError: math domain error
    import math

    def distance(square):
        if square < 0:
            return None
        return math.sqrt(square)

early-exit: the exception that the function raises for bad input
    from math import log

    def decibel(power):
        if power > LIMIT:
            raise ValueError("power is too much")
        return 10 * log(«power»)
ValueError: math domain error
    from math import log

    def decibel(power):
        if power > LIMIT:
            raise ValueError("power is too much")
        if power <= 0:
            raise ValueError("power is not positive")
        return 10 * log(power)

early-exit: a loop goes on with what fits
    def texts(nodes):
        for node in nodes:
            yield «node».text
AttributeError: 'Comment' object has no attribute 'text'
    def texts(nodes):
        for node in nodes:
            if not hasattr(node, "text"):
                continue
            yield node.text

early-exit: a number is not iterated over
    def depth(tree) -> int:
        return 1 + max(depth(each) for each in «tree»)
TypeError: 'int' object is not iterable
    def depth(tree) -> int:
        if isinstance(tree, int):
            return 0
        return 1 + max(depth(each) for each in tree)

skip: what is closed only if it can be
    def stop(self):
        «self.stream».close()
        self.running = False
AttributeError: 'list' object has no attribute 'close'
    def stop(self):
        if hasattr(self.stream, "close"):
            self.stream.close()
        self.running = False

conditional: what is no text is taken as it is
    def shown(value):
        text = «value».strip()
        return text or "-"
AttributeError: 'int' object has no attribute 'strip'
    def shown(value):
        text = value.strip() if isinstance(value, (str, bytes)) else None
        return text or "-"

filter: items without the attribute
    names = [«each».name for each in plugins]
AttributeError: 'Broken' object has no attribute 'name'
    names = [each.name for each in plugins if hasattr(each, "name")]

not any: the attribute is only misspelt
    def name(plugin):
        return «plugin».nmae
AttributeError: 'Plugin' object has no attribute 'nmae'
with near = name

not any: a function was not called
    def name(plugin):
        return «plugin».name
AttributeError: 'function' object has no attribute 'name'

not any: a special method says nothing of what fits
    def opened(path):
        return «path».__fspath__()
AttributeError: 'int' object has no attribute '__fspath__'

not any: the class that was wrong is one of the project
    def total(cart):
        return sum(«cart»)
TypeError: 'Cart' object is not iterable

not filter: the value is the same for all items
    names = [«plugin».name + each for each in suffixes]
AttributeError: 'Broken' object has no attribute 'name'

not skip: others rely on the name
    def name(plugin):
        found = «plugin».name
        return found
AttributeError: 'Broken' object has no attribute 'name'

not any: the sign is not what is wrong
    import math

    def angle(value):
        return math.acos(«value»)
ValueError: math domain error
where value: float = 2.0

not any: a number that is written there
    import math

    def side():
        return math.sqrt(«-1»)
ValueError: math domain error

not filter: a loop is no comprehension
    def names(plugins):
        for plugin in plugins:
            yield «plugin».name
AttributeError: 'Broken' object has no attribute 'name'
"""
)
