"""AbsentItem: something was looked for, or taken out, where it was not."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change
from selfdebug.codemods._fault import Fault
from selfdebug.codemods._forms import rewritten
from selfdebug.codemods._insert import around
from selfdebug.codemods._leave import leaving
from selfdebug.codemods._names import dotted
from selfdebug.codemods._operands import type_of
from selfdebug.codemods._place import place
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

_DISCARD = Variant("discard", "root-cause", "take it out if it is there", growth=0, prior=0.7)
_SKIP = Variant("skip", "guard", "take it out only where it is there", prior=0.6)
_EARLY_EXIT = Variant("early-exit", "guard", "leave above the statement, as the function does")

_ABSENT = re.compile(
    r"not in (?:list|tuple|deque|sequence)$|is not in (?:list|tuple|deque)$|^substring not found$"
    r"|^array\.(?:index|remove)\(x\)|^(?:subsection|sequence\.index\(x\)).* not"
)
_TAKES = frozenset(("remove", "index", "rindex"))


class AbsentItem(Codemod):
    """Ask whether something is there before it is taken out or its place is asked for."""

    DESCRIPTION = "Ask whether an item is there before it is taken out or located."
    NAME = "absent-item"
    ANSWERS = (
        Answer(("ValueError",), _ABSENT.pattern),
        Answer(("KeyError",), "", ("Call",)),
    )
    VARIANTS = (_DISCARD, _SKIP, _EARLY_EXIT)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the guards of the call that did not find its item."""
        tree, site = target.tree, target.site
        for node in tree.at(site.span):
            match node:
                case cst.Call(
                    func=cst.Attribute(value=holder, attr=cst.Name(value=method)),
                    args=[cst.Arg(value=item, keyword=None, star="")],
                ) if method in _TAKES:
                    why = f"`{tree.code(item)}` was not in `{tree.code(holder)}`"
                    found = _guarded(tree, site, node, holder, item)
                    yield from rewritten(tree, ((variant, put, why) for variant, put in found))
                    return


def _guarded(
    tree: Tree,
    site: Site,
    call: cst.Call,
    holder: cst.BaseExpression,
    item: cst.BaseExpression,
) -> Iterator[tuple[Variant, Change | None]]:
    is_key = site.exc_type.endswith("KeyError")
    if is_key and type_of(site, holder) not in ("set", ""):
        return
    func = call.func
    if is_key:
        assert isinstance(func, cst.Attribute)
        renamed = func.with_changes(attr=cst.Name("discard"))
        yield _DISCARD, {func: lambda _: renamed}
        return
    there, spelled = dotted(holder), dotted(item) or _constant(item)
    if there is None or spelled is None:
        return
    test = f"{spelled} in {there}"
    where = place(tree, call)
    statement = where.statement
    if isinstance(statement, cst.Expr) and statement.value is call:
        yield _SKIP, around(tree, statement, test)
        return
    fault = Fault(f"{spelled} not in {there}", test, f"has no {spelled}", about=there)
    for change, _ in leaving(tree, holder, fault):
        yield _EARLY_EXIT, change


def _constant(item: cst.BaseExpression) -> str | None:
    match item:
        case cst.SimpleString(value=text) | cst.Integer(value=text):
            return text
    return None


AbsentItem.EXAMPLES = examples(
    """
skip: a listener that has left already
    def unsubscribe(self, listener):
        «self.listeners.remove(listener)»
        self.log("left")
ValueError: list.remove(x): x not in list
    def unsubscribe(self, listener):
        if listener in self.listeners:
            self.listeners.remove(listener)
        self.log("left")

skip: a constant
    def clean(words):
        # the usual suspect
        «words.remove("the")»
        return words
ValueError: list.remove(x): x not in list
    def clean(words):
        # the usual suspect
        if "the" in words:
            words.remove("the")
        return words

discard: a set
    def leave(self, name):
        «self.members.remove(name)»
KeyError: 'ann'
where self.members: set = {'bob'}
    def leave(self, name):
        self.members.discard(name)

early-exit: a place in a list
    def after(names, name):
        if not names:
            return None
        at = «names.index(name)»
        return names[at + 1 :]
ValueError: 'zoe' is not in list
    def after(names, name):
        if not names:
            return None
        if name not in names:
            return None
        at = names.index(name)
        return names[at + 1 :]

early-exit: a sign in text
    def domain(address):
        if not address:
            return ""
        return address[«address.index("@")» + 1 :]
ValueError: substring not found
    def domain(address):
        if not address:
            return ""
        if "@" not in address:
            return ""
        return address[address.index("@") + 1 :]

not any: what is computed may not be computed twice
    def leave(self, names):
        «self.members().remove(next(names))»
ValueError: list.remove(x): x not in list

not any: a dictionary has no remove
    def leave(self, name):
        «self.members.remove(name)»
KeyError: 'ann'
where self.members: shop.Members

not skip: the result is used
    def place(names, name):
        return «names.index(name)»
ValueError: 'zoe' is not in list

not discard: a key, not a member
    def price(prices, name):
        return «prices.pop(name)»
KeyError: 'tea'
"""
)
