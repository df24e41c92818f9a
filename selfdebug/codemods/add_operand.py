"""AddOperand: a condition that is there to keep bad values out does not ask for this one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._conditions import Condition, conditions
from selfdebug.codemods._edit import changed, expression, replaced
from selfdebug.codemods._fault import Fault
from selfdebug.codemods._faults import Failing, also, failings
from selfdebug.codemods._names import bound, dotted, identifiers, root
from selfdebug.codemods._place import place
from selfdebug.syntax.region import Tree

_LEAVES_TOO = Variant("leave-too", "guard", "leave where this is wrong too")
_NEEDS_TOO = Variant("need-too", "guard", "run the block only where this is right too")
_ELIF = Variant("elif", "guard", "run the else only where this is right", prior=0.25)
_AKIN = 0.35  # where the condition is about the same variable
_OTHER = 0.15
_REACH = 2  # conditions that are looked at, from the inside out


class AddOperand(Codemod):
    """Add to the condition on the way to a failure the test that its author forgot."""

    DESCRIPTION = "Add an operand to the condition that let a bad value through."
    NAME = "add-operand"
    ANSWERS = (
        Answer(("AttributeError", "IndexError", "KeyError", "OverflowError", "TypeError")),
        Answer(("ValueError",), r"empty|cannot convert float|negative|math domain|positive"),
        Answer(("ZeroDivisionError", "DivisionByZero")),
    )
    VARIANTS = (_LEAVES_TOO, _NEEDS_TOO, _ELIF)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the conditions around the failure, and above it, with one more operand."""
        tree = target.tree
        for failing in failings(tree, target.site):
            spelling = failing.fault.about or dotted(failing.bad)
            if not spelling or place(tree, failing.needs).inner:
                continue
            yield from _narrowed(tree, failing, spelling)
            for condition in _on_the_way(tree, failing, spelling):
                rewrite = _extended(target, condition, failing.fault, spelling)
                if rewrite is not None:
                    yield rewrite


def _on_the_way(tree: Tree, failing: Failing, spelling: str) -> Iterator[Condition]:
    """Yield the nearest conditions at which the value is the one that fails."""
    test = cst.parse_expression(failing.fault.wrong.format(spelling))
    names = {spelling, *identifiers(test)}
    found = 0
    for condition in conditions(tree, failing.needs):
        holder = tree.parents.get(condition.test)
        if not isinstance(holder, cst.If | cst.While) or found == _REACH:
            continue
        if any(not names.isdisjoint(bound(line)) for line in condition.between):
            return
        if not names.isdisjoint(_looped(tree, failing.needs, holder)):
            return
        found += 1
        if not _decides_elsewhere(tree, holder, condition, failing.needs):
            yield condition


def _looped(tree: Tree, needs: cst.CSTNode, holder: cst.CSTNode) -> Iterator[str]:
    """Yield what the loops around a failure bind that begin after a condition."""
    outside = {*tree.ancestors(holder)}
    for up in tree.ancestors(needs):
        if isinstance(up, cst.For) and up not in outside:
            yield from identifiers(up.target)


def _narrowed(tree: Tree, failing: Failing, spelling: str) -> Iterator[Rewrite]:
    """Make the ``else`` in which it failed an ``elif``, if it is about the same variable."""
    test = cst.parse_expression(failing.fault.right.format(spelling))
    for node in tree.ancestors(failing.needs):
        if isinstance(node, cst.FunctionDef | cst.For | cst.While | cst.Try):
            return
        holder = tree.parents.get(node)
        if not isinstance(node, cst.Else) or not isinstance(holder, cst.If):
            continue
        if failing.fault.module or root(spelling) not in identifiers(holder.test):
            return
        made = changed(
            tree,
            {node: lambda old: cst.If(test, old.body, leading_lines=old.leading_lines)},
        )
        if made:
            yield Rewrite(
                _ELIF, made, f"{spelling} {failing.fault.words}: that is not for the else"
            )
        return


def _decides_elsewhere(
    tree: Tree, holder: cst.If | cst.While, condition: Condition, needs: cst.CSTNode
) -> bool:
    """Say whether a condition has another branch, which another outcome would run."""
    if condition.outcome:
        return holder.orelse is not None
    return holder in tree.ancestors(needs) or isinstance(holder.orelse, cst.If)


def _extended(target: Target, condition: Condition, fault: Fault, spelling: str) -> Rewrite | None:
    tree, test = target.tree, condition.test
    variant = _NEEDS_TOO if condition.outcome else _LEAVES_TOO
    form = f"OLD and {fault.right}" if condition.outcome else f"OLD or {fault.wrong}"
    code = form.format(spelling)
    made = changed(tree, replaced(tree, test, lambda old: expression(code, OLD=old)))
    if made is None:
        return None
    akin = root(spelling) in identifiers(test)
    why = f"{spelling} {fault.words}, and `{tree.code(test)}` does not ask for that"
    prior = _AKIN if akin else _OTHER
    return Rewrite(replace(variant, prior=prior), made, why, also(fault, target))


AddOperand.EXAMPLES = examples(
    """
leave-too: nothing to divide by
    def rate(hits, tries):
        if hits == 0:
            return 0
        return hits / «tries»
ZeroDivisionError: division by zero
    def rate(hits, tries):
        if hits == 0 or tries == 0:
            return 0
        return hits / tries

leave-too: a line that has too few fields
    def load(lines):
        for line in lines:
            fields = line.split()
            if line.startswith("#"):
                continue
            yield «fields[1]»
IndexError: list index out of range
    def load(lines):
        for line in lines:
            fields = line.split()
            if line.startswith("#") or len(fields) < 2:
                continue
            yield fields[1]

leave-too: an attribute of what is tested
    def street(user):
        if user is None:
            return ""
        return «user.address».street
AttributeError: 'NoneType' object has no attribute 'street'
    def street(user):
        if user is None or user.address is None:
            return ""
        return user.address.street

need-too: around the block
    def show(self, rows):
        if self.verbose:
            # the newest
            print(«rows[-1]»)
IndexError: list index out of range
    def show(self, rows):
        if self.verbose and rows:
            # the newest
            print(rows[-1])

need-too: an index that may run out
    def skip(text, at):
        while at >= 0:
            if «text[at]» != " ":
                break
            at += 1
        return at
IndexError: string index out of range
    def skip(text, at):
        while at >= 0 and at < len(text):
            if text[at] != " ":
                break
            at += 1
        return at

need-too: two ways to be asked
    def apply(self, name, rate):
        if name == "net" or name == "gross":
            self.total *= «self.rates[name]»
KeyError: 'net'
    def apply(self, name, rate):
        if (name == "net" or name == "gross") and name in self.rates:
            self.total *= self.rates[name]

need-too: a value of another class
    def close(self):
        if self.stream:
            «self.stream».close()
AttributeError: 'list' object has no attribute 'close'
    def close(self):
        if self.stream and hasattr(self.stream, "close"):
            self.stream.close()

elif: the else is for what it can do
    def exact(value):
        if isinstance(value, str):
            value = value.strip()
        else:
            # from a sheet
            check(float(«value»))
        return value
OverflowError: int too large to convert to float
    def exact(value):
        if isinstance(value, str):
            value = value.strip()
        elif not isinstance(value, int):
            # from a sheet
            check(float(value))
        return value

not elif: the test is about something else
    def exact(value, strict):
        if strict:
            value = value.strip()
        else:
            check(float(«value»))
        return value
OverflowError: int too large to convert to float

not any: the value is made after the test
    def rate(self, hits):
        if hits == 0:
            return 0
        tries = self.count()
        return hits / «tries»
ZeroDivisionError: division by zero

not need-too: another branch would run
    def show(self, rows):
        if self.verbose:
            print(«rows[-1]»)
        else:
            print("rows")
IndexError: list index out of range

not any: no condition is on the way
    def rate(hits, tries):
        return hits / «tries»
ZeroDivisionError: division by zero

not any: an item of a comprehension
    def rates(rows):
        if not rows:
            return []
        return [1 / «row.tries» for row in rows]
ZeroDivisionError: division by zero

not any: the test belongs to the function around it
    def outer(tries):
        if tries is None:
            return None
        def rate(hits):
            return hits / «tries»
        return rate
ZeroDivisionError: division by zero

not any: the loop gives the name another value
    def rates(rows, tries):
        if tries:
            for tries in rows:
                print(1 / «tries»)
ZeroDivisionError: division by zero

not need-too: the value is taken again in between
    def show(self, rows):
        if rows:
            rows = self.load()
            print(«rows[-1]»)
IndexError: list index out of range
"""
)
