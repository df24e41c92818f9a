"""AbsentAttribute: not every object that comes here has the attribute."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import changed, expression, replaced
from selfdebug.codemods._names import dotted
from selfdebug.codemods._neutral import neutral
from selfdebug.codemods._style import quoted
from selfdebug.codemods._use import is_target
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

_NAME = Variant(
    "name", "guard", "take what stands for an object without a name", growth=0, prior=0.3
)
_DEFAULT = Variant(
    "default", "default", "take the neutral value where the attribute is absent", growth=0
)
_NAMES = frozenset(("__name__", "__qualname__"))
_OPTIONAL = frozenset(("__doc__", "__module__", "__file__", "__annotations__"))


class AbsentAttribute(Codemod):
    """Read an attribute that some of the objects lack with ``getattr`` and a default."""

    DESCRIPTION = "Read an attribute that some objects lack with a default."
    NAME = "absent-attribute"
    ANSWERS = (Answer(("AttributeError",), r"'(?!NoneType)[\w.]+' object has no attribute"),)
    VARIANTS = (_NAME, _DEFAULT)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the read with a default."""
        tree, site = target.tree, target.site
        node = _read(tree, site)
        owner = None if node is None else dotted(node.value)
        misspelt = "near" in site.attrs
        if node is None or owner is None or owner in ("self", "cls") or misspelt:
            return
        name = node.attr.value
        found = _default(tree, node, owner)
        key = quoted(tree, node, f'"{name}"')
        text = found and quoted(tree, node, found[1])
        if found is None or key is None or text is None:
            return
        made = changed(
            tree,
            replaced(tree, node, lambda _: expression(f"getattr({owner}, {key}, {text})")),
        )
        if made:
            yield Rewrite(found[0], made, f"not every `{owner}` has `{name}`")


def _read(tree: Tree, site: Site) -> cst.Attribute | None:
    """Return the attribute that was read, if nothing is called or stored by it."""
    for node in tree.at(site.span):
        if isinstance(node, cst.Attribute) and not is_target(tree, node):
            called = isinstance(tree.parents[node], cst.Call | cst.Attribute | cst.Subscript)
            return None if called else node
    return None


def _default(tree: Tree, node: cst.Attribute, owner: str) -> tuple[Variant, str] | None:
    name = node.attr.value
    if name in _NAMES:
        return _NAME, f"repr({owner})"
    if name in _OPTIONAL or _may_be_none(tree, node):
        return _DEFAULT, "None"
    literal = neutral(tree, node)
    return (_DEFAULT, literal) if literal else None


def _may_be_none(tree: Tree, node: cst.Attribute) -> bool:
    """Say whether what is done with the value bears that there is none."""
    match tree.parents[node]:
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=cst.Is() | cst.IsNot())]):
            return True
        case cst.BooleanOperation() | cst.UnaryOperation(operator=cst.Not()):
            return True
        case cst.If(test=test) | cst.While(test=test) | cst.IfExp(test=test):
            return test is node
    return False


AbsentAttribute.EXAMPLES = examples(
    """
name: an object that can be called, and is no function
    def describe(step):
        return f"step {«step».__name__}"
AttributeError: 'Retry' object has no attribute '__name__'
    def describe(step):
        return f"step {getattr(step, '__name__', repr(step))}"

name: the quotes of the file
    def describe(steps):
        # in order
        return ', '.join([«step».__qualname__ for step in steps])
AttributeError: 'functools.partial' object has no attribute '__qualname__'
    def describe(steps):
        # in order
        return ', '.join([getattr(step, '__qualname__', repr(step)) for step in steps])

default: a flag that some objects do not have
    def visible(items):
        return [item for item in items if not «item».hidden]
AttributeError: 'Rule' object has no attribute 'hidden'
    def visible(items):
        return [item for item in items if not getattr(item, "hidden", None)]

default: the neutral value that its use shows
    def price(line):
        return line.price * (100 - «line».discount) / 100
AttributeError: 'Line' object has no attribute 'discount'
    def price(line):
        return line.price * (100 - getattr(line, "discount", 0)) / 100

not any: the name is misspelt
    def total(cart):
        return sum(«cart».itms)
AttributeError: 'Cart' object has no attribute 'itms'
with near = items

not any: a method is called
    def total(cart):
        return «cart».sum()
AttributeError: 'Cart' object has no attribute 'sum'

not any: the object's own attribute is to be set in its class
    class Cart:
        def total(self):
            return 2 * «self».rate
AttributeError: 'Cart' object has no attribute 'rate'

not any: it is stored
    def reset(cart):
        «cart».rate = 1
AttributeError: 'Cart' object has no attribute 'rate'

not any: nothing shows what could stand for it
    def rate(cart):
        return «cart».rate
AttributeError: 'Cart' object has no attribute 'rate'

not any: a call would be made twice
    def name():
        return «make()».__name__
AttributeError: 'Cart' object has no attribute '__name__'
"""
)
