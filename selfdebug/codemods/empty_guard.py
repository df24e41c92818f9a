"""EmptyGuard: something was read from a sequence that was empty, or too short."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import libcst as cst

from selfdebug.codemods._absent import conditional
from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._leave import LEFT_OUT, filtering, ways_around
from selfdebug.codemods._names import code_of, dotted
from selfdebug.codemods._neutral import literal_of, neutral
from selfdebug.codemods._place import place
from selfdebug.codemods._reach import Reach, constant, reaches
from selfdebug.codemods._style import fallbacks, quoted
from selfdebug.codemods._use import is_target, is_tested
from selfdebug.syntax.region import Tree

_TEST_FIRST = Variant(
    "test-first", "root-cause", "test before reading", growth=0, prior=0.7, branch="rewrite"
)
_AFFIX = Variant("affix", "root-cause", "ask how the text begins or ends", growth=0, prior=0.6)
_LOOP = Variant(
    "loop-condition", "root-cause", "loop while there is something", 0, prior=0.5, branch="rewrite"
)
_SLICE = Variant(
    "slice",
    "root-cause",
    "read a slice, which may be empty",
    growth=0,
    prior=0.35,
    branch="rewrite",
)
_ARGUMENT = Variant("default-argument", "guard", "give what stands for nothing", 0, prior=0.3)
_EARLY_EXIT = Variant("early-exit", "guard", "leave above the statement, as the function does")
_SKIP = Variant("skip", "guard", "run the statement only where there is something to read")
_CONDITIONAL = Variant("conditional", "guard", "read only where there is something")
_FILTER = Variant("filter", "guard", "leave the item out of the comprehension", branch="rewrite")
_INITIAL = {"add": "0", "mul": "1", "or_": "0", "+": "0", "*": "1"}
_TESTS_MEMBERS = (cst.In, cst.NotIn)


class EmptyGuard(Codemod):
    """Answer for what may be empty: in the reading itself, or by what the function returns then."""

    DESCRIPTION = "Guard reads from sequences that were empty or too short."
    NAME = "empty-guard"
    ANSWERS = (
        Answer(("IndexError",)),
        Answer(("ValueError", "TypeError"), r"^(?:min|max|reduce)\(\) .*empty"),
        Answer(("StopIteration",), r"^$"),
        Answer(("StatisticsError",), r"empty|at least one"),
        Answer(("KeyError",), r"pop from an empty set|dictionary is empty"),
    )
    VARIANTS = (
        *(_TEST_FIRST, _AFFIX, _LOOP, _SLICE, _ARGUMENT),
        *(_EARLY_EXIT, _SKIP, _CONDITIONAL, _FILTER),
    )

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the ways to read no more than there is."""
        tree = target.tree
        for reach in reaches(tree, target.site):
            code = tree.code(reach.bad or reach.needs)
            forms = _repairs(tree, reach, target.site.message)
            yield from rewritten(tree, forms, f"{code} {reach.fault.words}: ")


def _repairs(tree: Tree, reach: Reach, message: str) -> Iterator[Form]:
    yield _TEST_FIRST, _tested_first(tree, reach), "the test that is there now comes first"
    yield _LOOP, _loop_condition(tree, reach), "the loop ends then"
    if isinstance(reach.needs, cst.Subscript) and message.startswith("string index"):
        yield _AFFIX, _affix(tree, reach.needs), "no text begins or ends like that"
        yield _SLICE, _sliced(tree, reach.needs), "a slice of it is empty too"
    if isinstance(reach.needs, cst.Call):
        for change, literal in _arguments(tree, reach.needs):
            yield _ARGUMENT, change, f"{literal} stands for nothing"
    yield from _guards(tree, reach)


def _guards(tree: Tree, reach: Reach) -> Iterator[Form]:
    bad, fault = reach.bad, reach.fault
    if bad is None:
        return
    yield from ways_around(tree, bad, fault, (_EARLY_EXIT, "it is read"), (_SKIP, LEFT_OUT))
    yield _FILTER, filtering(tree, bad, fault), "such items are left out"
    test = is_tested(tree, reach.needs)
    variant = replace(_CONDITIONAL, prior=0.4) if test else _CONDITIONAL
    yield variant, conditional(tree, bad, fault, reach.needs), "it is read only where there is one"


def _tested_first(tree: Tree, reach: Reach) -> Change | None:
    """Swap the operands of an ``and`` whose second one tests for what the first one reads."""
    spelling = reach.fault.about or (dotted(reach.bad) if reach.bad else None)
    child: cst.CSTNode = reach.needs
    for parent in tree.ancestors(reach.needs):
        if isinstance(parent, cst.BaseSmallStatement | cst.BaseCompoundStatement):
            return None
        match parent:
            case cst.BooleanOperation(left=left, operator=cst.And(), right=right) if (
                child is left and spelling and _bounds(right, spelling)
            ):
                return {parent: lambda old: old.with_changes(left=old.right, right=old.left)}
        child = parent
    return None


def _bounds(test: cst.BaseExpression, spelling: str) -> bool:
    """Say whether a test asks whether something is empty, or how long it is."""
    if dotted(test) == spelling:
        return True
    sides = [test.left] if isinstance(test, cst.Comparison) else []
    sides += (
        [each.comparator for each in test.comparisons] if isinstance(test, cst.Comparison) else []
    )
    return any(
        isinstance(side, cst.Call)
        and dotted(side.func) == "len"
        and len(side.args) == 1
        and dotted(side.args[0].value) == spelling
        for side in sides
    )


def _loop_condition(tree: Tree, reach: Reach) -> Change | None:
    """Let an endless loop that takes its items end when there are none."""
    takes = isinstance(reach.needs, cst.Call) and reach.bad is not None
    spelling = dotted(reach.bad) if reach.bad else None
    where = place(tree, reach.needs)
    # The line, the block, the loop.
    loop = next(islice(tree.ancestors(where.statement), 2, None), None)
    if not (takes and spelling and where.once and isinstance(loop, cst.While)):
        return None
    if dotted(loop.test) != "True":
        return None
    test = cst.parse_expression(reach.fault.right.format(spelling))
    return {loop.test: lambda _: test}


def _affix(tree: Tree, needs: cst.Subscript) -> Change | None:
    """Ask ``startswith`` or ``endswith`` instead of comparing the first or last character."""
    parent = tree.parents[needs]
    if not (isinstance(parent, cst.Comparison) and needs is parent.left):
        return None
    method = {0: "startswith", -1: "endswith"}.get(_index(needs))  # type: ignore[arg-type]
    match parent.comparisons:
        case [cst.ComparisonTarget(operator=operator, comparator=cst.SimpleString() as text)]:
            single = len(str(text.evaluated_value)) == 1
        case _:
            return None
    if method is None or not single:
        return None
    form = f"SUBJECT.{method}(TEXT)"
    if isinstance(operator, cst.NotEqual):
        form = f"not {form}"
    elif not isinstance(operator, cst.Equal):
        return None

    def make(old: cst.Comparison) -> cst.BaseExpression:
        assert isinstance(old.left, cst.Subscript)
        return expression(form, SUBJECT=old.left.value, TEXT=old.comparisons[0].comparator)

    return replaced(tree, parent, make)


def _sliced(tree: Tree, needs: cst.Subscript) -> Change | None:
    """Read a slice of one character; nothing is in every text, so that ``in`` a text is left alone."""
    slices = {0: cst.Slice(None, cst.Integer("1")), -1: cst.Slice(_MINUS_ONE, None)}
    found = slices.get(_index(needs))  # type: ignore[arg-type]
    parent = tree.parents[needs]
    if found is None or is_target(tree, needs):
        return None
    if isinstance(parent, cst.Comparison | cst.ComparisonTarget):
        targets = parent.comparisons if isinstance(parent, cst.Comparison) else [parent]
        if any(_is_in_text(each) for each in targets):
            return None
    elif not isinstance(parent, cst.Attribute | cst.BinaryOperation):
        return None
    element = cst.SubscriptElement(found)
    return {needs: lambda old: old.with_changes(slice=[element])}


_MINUS_ONE = cst.UnaryOperation(cst.Minus(), cst.Integer("1"))


def _is_in_text(target: cst.ComparisonTarget) -> bool:
    whole = isinstance(target.comparator, cst.Tuple | cst.List | cst.Set)
    return isinstance(target.operator, _TESTS_MEMBERS) and not whole


def _index(needs: cst.Subscript) -> int | None:
    match needs.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=value))]:
            return constant(value)
    return None


def _arguments(tree: Tree, call: cst.Call) -> Iterator[tuple[Change, str]]:
    """Yield the calls with an argument that stands for nothing."""
    name = (dotted(call.func) or "").rpartition(".")[2]
    plain = [arg for arg in call.args if not arg.keyword and not arg.star]
    if name in ("min", "max") and len(plain) == 1:
        for literal in _neutral_literals(tree, call, plain[0].value):
            yield _with(call, f"default={literal}"), literal
    elif name == "next" and len(call.args) == 1:
        yield _with(call, "None"), "None"
    elif name == "reduce" and len(plain) == 2 and (initial := _initial(plain[0].value)):
        yield _with(call, initial), initial


def _neutral_literals(tree: Tree, call: cst.Call, items: cst.BaseExpression) -> Iterator[str]:
    shown = neutral(tree, call) or (
        literal_of(items.elt) if isinstance(items, cst.BaseSimpleComp) else None
    )
    function = place(tree, call).function
    found = [shown] if shown else []
    if isinstance(tree.parents[call], cst.Return) and function:
        found += fallbacks(tree, function)
    elif not shown:
        found += ["0", "None"]
    for literal in dict.fromkeys(found):
        if text := quoted(tree, call, literal):
            yield text


def _initial(function: cst.BaseExpression) -> str | None:
    """Return the value that changes nothing under a reducing function, as far as its form shows it."""
    match function:
        case cst.Lambda(body=cst.BinaryOperation(operator=operator)):
            return _INITIAL.get(code_of(operator).strip())
    return _INITIAL.get((dotted(function) or "").rpartition(".")[2])


def _with(call: cst.Call, argument: str) -> Change:
    made = cst.parse_expression(f"_({argument})")
    assert isinstance(made, cst.Call)
    (new,) = made.args
    if call.args and _is_bare(call.args[0].value):
        # A generator that is the only argument has the call's own parentheses.
        pair = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}

        def put(old: cst.Call) -> cst.Call:
            first = old.args[0]
            return old.with_changes(
                args=[first.with_changes(value=first.value.with_changes(**pair)), new]
            )

        return {call: put}
    return {call: lambda old: old.with_changes(args=[*old.args, new])}


def _is_bare(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.GeneratorExp) and not node.lpar


EmptyGuard.EXAMPLES = examples(
    """
early-exit: a function that returns values returns None
    def newest(entries):
        return «entries[-1]».date
IndexError: list index out of range
where entries: list = []
    def newest(entries):
        if not entries:
            return None
        return entries[-1].date

early-exit: a loop goes on with the next line
    def names(lines):
        for line in lines:
            yield «line.split()[0]».lower()
IndexError: list index out of range
    def names(lines):
        for line in lines:
            parts = line.split()
            if not parts:
                continue
            yield parts[0].lower()

early-exit: a field too few
    def settings(lines):
        found = {}
        for line in lines:
            parts = line.split("=", 1)
            found[parts[0]] = «parts[1]»
        return found
IndexError: list index out of range
    def settings(lines):
        found = {}
        for line in lines:
            parts = line.split("=", 1)
            if len(parts) < 2:
                continue
            found[parts[0]] = parts[1]
        return found

early-exit: the exception that the function raises for bad input
    def first(queue):
        if queue.closed:
            raise QueueError("queue is closed")
        return «queue.items.pop()»
IndexError: pop from empty list
    def first(queue):
        if queue.closed:
            raise QueueError("queue is closed")
        if not queue.items:
            raise QueueError("items is empty")
        return queue.items.pop()

early-exit: the median of nothing
    from statistics import median

    def typical(prices):
        return round(«median(prices)», 2)
StatisticsError: no median for empty data
    from statistics import median

    def typical(prices):
        if not prices:
            return None
        return round(median(prices), 2)

early-exit: an index that runs too far
    def following(self, at):
        return «self.steps[at + 1]»
IndexError: list index out of range
    def following(self, at):
        if at + 1 >= len(self.steps):
            return None
        return self.steps[at + 1]

skip: what follows does not need it
    def close(self):
        «self.stack.pop()»
        self.done = True
IndexError: pop from empty list
    def close(self):
        if self.stack:
            self.stack.pop()
        self.done = True

conditional: the first or nothing
    def label(tags):
        first = «tags[0]»
        return {"label": first}
IndexError: list index out of range
    def label(tags):
        first = tags[0] if tags else None
        return {"label": first}

conditional: a condition of a loop
    def skip_blanks(tokens, at):
        while «tokens[at]» == " ":
            at += 1
        return at
IndexError: list index out of range
    def skip_blanks(tokens, at):
        while at < len(tokens) and tokens[at] == " ":
            at += 1
        return at

conditional: a condition with more than one part
    if ready and «jobs[0]».due < now:
        run()
IndexError: list index out of range
    if ready and jobs and jobs[0].due < now:
        run()

filter: items that have too little
    keys = [«row[1]» for row in rows]
IndexError: list index out of range
    keys = [row[1] for row in rows if len(row) > 1]

default-argument: the width of no column
    def width(rows):
        widest = «max(len(row.name) for row in rows)»
        return widest + 2
ValueError: max() arg is an empty sequence
    def width(rows):
        widest = max((len(row.name) for row in rows), default=0)
        return widest + 2

default-argument: the latest of none, as Python 3.12 says it
    def latest(dates):
        return «max(dates)»
ValueError: max() iterable argument is empty
    def latest(dates):
        return max(dates, default=None)

default-argument: the first that fits
    def find(users, name):
        return «next(user for user in users if user.name == name)»
StopIteration
    def find(users, name):
        return next((user for user in users if user.name == name), None)

default-argument: the product of nothing
    from functools import reduce
    from operator import mul

    total = «reduce(mul, factors)»
TypeError: reduce() of empty iterable with no initial value
    from functools import reduce
    from operator import mul

    total = reduce(mul, factors, 1)

affix: a text that may be empty
    def is_option(word):
        return «word[0]» == "-"
IndexError: string index out of range
    def is_option(word):
        return word.startswith("-")

affix: and one that is to end otherwise
    if «path[-1]» != "/":
        path += "/"
IndexError: string index out of range
    if not path.endswith("/"):
        path += "/"

slice: what is done with a character can be done with none
    def title(word):
        return «word[0]».upper() + word[1:]
IndexError: string index out of range
    def title(word):
        return word[:1].upper() + word[1:]

slice: one of several characters
    if «line[0]» in ("#", ";"):
        skip()
IndexError: string index out of range
    if line[:1] in ("#", ";"):
        skip()

test-first: the test comes too late
    def digits(text, at):
        while «text[at]».isdigit() and at < len(text):
            at += 1
        return at
IndexError: string index out of range
    def digits(text, at):
        while at < len(text) and text[at].isdigit():
            at += 1
        return at

loop-condition: a loop that takes its items
    def drain(queue):
        while True:
            job = «queue.pop(0)»
            job.run()
IndexError: pop from empty list
    def drain(queue):
        while queue:
            job = queue.pop(0)
            job.run()

not slice: nothing is in every text
    if «line[0]» in "#;":
        skip()
IndexError: string index out of range

not slice: a list's slice is another list
    def first(items):
        return «items[0]» == other
IndexError: list index out of range

not affix: more than one character never was equal
    if «word[0]» == "--":
        skip()
IndexError: string index out of range

not default-argument: it has one
    total = «reduce(merge, parts)»
TypeError: reduce() of empty iterable with no initial value

not early-exit: nothing can be asked of an iterator beforehand
    def find(users):
        user = «next(users)»
        return user.name
StopIteration

not loop-condition: the loop does not take from it
    def drain(queue):
        while True:
            job = «queue[0]»
            job.run()
IndexError: list index out of range

not any: an index that is not evaluated twice
    def chosen(items):
        return «items[ask()]»
IndexError: list index out of range

not any: a negative index has no bound above
    def before(items, at):
        return «items[at]»
IndexError: list index out of range
where at: int = -4

not any: a call is not made twice
    def chosen(items, at):
        items[at] = «make()[at]»
IndexError: list index out of range

not skip: what is read is used afterwards
    def label(tags):
        first = «tags[0]»
        return {"label": first}
IndexError: list index out of range

not test-first: the test is of something else
    def digits(text, at, limit):
        while «text[at]».isdigit() and at < limit:
            at += 1
        return at
IndexError: string index out of range

not loop-condition: the loop ends otherwise
    def drain(queue, limit):
        while limit:
            job = «queue.pop(0)»
            limit -= job.cost
IndexError: pop from empty list

not affix: a character in the middle
    def is_hex(word):
        return «word[1]» == "x"
IndexError: string index out of range

not affix: compared with what another variable holds
    def is_option(word, sign):
        return «word[0]» == sign
IndexError: string index out of range

not slice: a place to store
    def capital(letters):
        «letters[0]» = "A"
        return letters
IndexError: list assignment index out of range

not filter: the items are not what is short
    keys = [«header[1]» + row for row in rows]
IndexError: list index out of range

not default-argument: a function that nothing is neutral for
    total = «reduce(lambda a, b: a - b, parts)»
TypeError: reduce() of empty iterable with no initial value

not affix: neither is written out
    def ends_alike(word, other):
        return «word[-1]» == other[-1]
IndexError: string index out of range

not loop-condition: the loop takes from two
    def drain(queue, spare):
        while True:
            job = queue.pop(0) if ready() else «spare.pop(0)»
            job.run()
IndexError: pop from empty list

not skip: the function has to return it
    def last(items):
        return «items.pop()»
IndexError: pop from empty list

not default-argument: what is next comes of a method
    def first(rows):
        return «rows.next()».name
StopIteration
"""
)
