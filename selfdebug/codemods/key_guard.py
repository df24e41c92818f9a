"""KeyGuard: a mapping was asked for a key that it may rightly not have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import libcst as cst

from selfdebug.codemods._absent import conditional
from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._faults import Lookup, is_meant, key_fault, lookup, missing_key
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._leave import LEFT_OUT, filtering, ways_around
from selfdebug.codemods._names import code_of, dotted
from selfdebug.codemods._neutral import literal_of, neutral, refuses_none
from selfdebug.codemods._place import calls, place
from selfdebug.codemods._style import fallbacks, quoted
from selfdebug.codemods._use import Use, is_target, is_tested, use_of, uses
from selfdebug.syntax.region import Tree

_ACCUMULATE = Variant("accumulate", "root-cause", "begin with an empty value", 0, prior=0.7)
_REMOVE = Variant("remove-if-there", "guard", "take out only what is there", growth=0, prior=0.5)
_GET = Variant("get", "default", "read the value with `get` and a default", growth=0, prior=0.35)
_GET_DEEP = Variant("get-deep", "default", "read the inner value with `get` too", 0, prior=0.3)
_EARLY_EXIT = Variant("early-exit", "guard", "leave above the statement, as the function does")
_SKIP = Variant("skip", "guard", "run the statement only where the key is there")
_CONDITIONAL = Variant("conditional", "guard", "read only where the key is there", prior=0.25)
_FILTER = Variant("filter", "guard", "leave the item out of the comprehension", branch="rewrite")
_FIRST = {
    "append": "[]",
    "extend": "[]",
    "insert": "[]",
    "add": "set()",
    "update": "{}",
    "setdefault": "{}",
}
"""What a method that fills a container begins with."""


class KeyGuard(Codemod):
    """Read what may be missing with a default, or test for the key first."""

    DESCRIPTION = "Read keys that may be missing with a default, or only where they are there."
    NAME = "key-guard"
    ANSWERS = (Answer(("KeyError",)),)
    VARIANTS = (
        *(_ACCUMULATE, _REMOVE, _GET, _GET_DEEP),
        *(_EARLY_EXIT, _SKIP, _CONDITIONAL, _FILTER),
    )

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the ways to do without the key."""
        tree, site = target.tree, target.site
        for node in tree.at(site.span):
            found = lookup(node)
            if found is None or not is_meant(tree, found, site):
                continue
            lacked = f"{tree.code(found.mapping)} had no {missing_key(tree, found, site)}: "
            yield from rewritten(tree, _repairs(tree, found), lacked)


def _repairs(tree: Tree, found: Lookup) -> Iterator[Form]:
    if isinstance(found.node, cst.Call) or _is_deleted(tree, found.node):
        yield _REMOVE, _removed(tree, found), "nothing is taken out then"
    elif change := _accumulated(tree, found.node):
        yield _ACCUMULATE, change, "what is collected there begins empty"
        return
    elif not is_target(tree, found.node):
        yield from _gets(tree, found.node)
    yield from _guards(tree, found)


def _guards(tree: Tree, found: Lookup) -> Iterator[Form]:
    fault = key_fault(tree, found)
    if fault is None:
        return
    yield from ways_around(tree, found.node, fault, (_EARLY_EXIT, "it is read"), (_SKIP, LEFT_OUT))
    if isinstance(found.key, cst.Name):
        by_key = replace(fault, right=f"{{}} in {fault.about}", about="")
        yield _FILTER, filtering(tree, found.key, by_key), "such items are left out"
    if is_tested(tree, found.node):
        change = conditional(tree, found.node, fault, found.node)
        yield _CONDITIONAL, change, "it is read only where it is there"


def _is_deleted(tree: Tree, node: cst.CSTNode) -> bool:
    return isinstance(tree.parents[node], cst.Del)


def _removed(tree: Tree, found: Lookup) -> Change | None:
    node, form = found.node, "MAPPING.pop(KEY, None)"
    if isinstance(tree.parents[node], cst.Attribute):
        return None  # None has not what is asked of it
    parts = {"MAPPING": found.mapping, "KEY": found.key}
    if isinstance(node, cst.Subscript):
        deletion = tree.parents[node]
        return {deletion: lambda old: cst.Expr(expression(form, **parts), semicolon=old.semicolon)}
    assert isinstance(node.func, cst.Attribute)
    if node.func.attr.value == "remove":
        form = "MAPPING.discard(KEY)"
    return replaced(tree, node, lambda _: expression(form, **parts))


def _accumulated(tree: Tree, node: cst.Subscript) -> Change | None:
    """Begin with an empty value where the code adds to what the mapping holds."""
    match tree.parents[node]:
        case cst.AugAssign(target=target, value=value) as statement if target is node:
            return _counted(statement, literal_of(value) or _shown_by(statement.operator))
        case cst.Attribute(attr=cst.Name(value=name)) as method if name in _FIRST:
            call = tree.parents[method]
            alone = isinstance(call, cst.Call) and isinstance(tree.parents[call], cst.Expr)
            return _set_first(tree, node, _FIRST[name]) if alone else None
        case cst.Subscript(value=inner) as outer if inner is node and _is_stored(tree, outer):
            return _set_first(tree, node, "{}")
    return None


def _is_stored(tree: Tree, node: cst.Subscript) -> bool:
    """Say whether an item of what is looked up is assigned, by a key and not by a place."""
    number = any(isinstance(each, cst.Integer | cst.Slice) for each in _keys(node))
    return isinstance(tree.parents[node], cst.AssignTarget) and not number


def _keys(node: cst.Subscript) -> list[cst.CSTNode]:
    return [
        each.slice.value if isinstance(each.slice, cst.Index) else each.slice for each in node.slice
    ]


def _shown_by(operator: cst.BaseAugOp) -> str | None:
    return "0" if isinstance(operator, cst.AddAssign | cst.SubtractAssign) else None


def _counted(statement: cst.AugAssign, literal: str | None) -> Change | None:
    """Write ``d[k] = d.get(k, 0) + n`` for ``d[k] += n``."""
    found = lookup(statement.target)
    if literal is None or found is None or calls(found.key) or not dotted(found.mapping):
        return None
    sign = code_of(statement.operator).strip()[:-1]

    def put(old: cst.AugAssign) -> cst.Assign:
        value = expression(
            f"MAPPING.get(KEY, {literal}) {sign} VALUE",
            MAPPING=found.mapping,
            KEY=found.key,
            VALUE=old.value,
        )
        return cst.Assign([cst.AssignTarget(old.target)], value, old.semicolon)

    return {statement: put}


def _set_first(tree: Tree, node: cst.Subscript, literal: str) -> Change:
    def make(old: cst.BaseExpression) -> cst.BaseExpression:
        found = lookup(old)
        assert found is not None
        form = f"MAPPING.setdefault(KEY, {literal})"
        return expression(form, MAPPING=found.mapping, KEY=found.key)

    return replaced(tree, node, make)


def _gets(tree: Tree, node: cst.Subscript) -> Iterator[Form]:
    outer = lookup(tree.parents[node])
    deep = outer and isinstance(outer.node, cst.Subscript) and not is_target(tree, outer.node)
    if outer and deep and not isinstance(outer.key, cst.Integer):
        for literal in _defaults(tree, outer.node):
            yield _GET_DEEP, _got_deep(tree, outer.node, literal), f"{literal} stands for it"
        return
    for literal in _defaults(tree, node):
        change = replaced(tree, node, partial(_got, literal=literal))
        yield _GET, change, f"{literal} stands for it, as the use shows"


def _got(node: cst.BaseExpression, literal: str) -> cst.BaseExpression:
    found = lookup(node)
    assert found is not None
    default = "" if literal == "None" else f", {literal}"
    return expression(f"MAPPING.get(KEY{default})", MAPPING=found.mapping, KEY=found.key)


def _got_deep(tree: Tree, node: cst.BaseExpression, literal: str) -> Change:
    def make(old: cst.BaseExpression) -> cst.BaseExpression:
        assert isinstance(old, cst.Subscript)
        return _got(old.with_changes(value=_got(old.value, "{}")), literal)

    return replaced(tree, node, make)


def _defaults(tree: Tree, node: cst.BaseExpression) -> Iterator[str]:
    """Yield the values that can stand for a missing one where it is read, best first."""
    use, parent = use_of(tree, node), tree.parents[node]
    found: list[str | None] = []
    if isinstance(parent, cst.FormattedStringExpression) or (use and use is not Use.ARGUMENT):
        found = [neutral(tree, node) or ('""' if use is None else None)]
    elif use is Use.ARGUMENT and refuses_none(tree, node):
        found = [neutral(tree, node)]
    elif isinstance(parent, cst.Return) and (function := place(tree, node).function):
        found = [*fallbacks(tree, function)]
    elif isinstance(parent, cst.Assign):
        found = [_of_variable(tree, node, parent)]
    elif not isinstance(parent, cst.AugAssign | cst.Expr | cst.Raise):
        found = ["None"]
    for literal in found:
        if literal and (text := quoted(tree, node, literal)):
            yield text


def _of_variable(tree: Tree, node: cst.BaseExpression, statement: cst.Assign) -> str:
    """Return what all uses of the variable that gets the value show; None where they do not agree."""
    function, target = place(tree, node).function, statement.targets[0].target
    if function is None or not isinstance(target, cst.Name):
        return "None"
    every = uses(tree, target.value, function.body)
    shown = {neutral(tree, each) for each in every if use_of(tree, each)} - {None}
    literal = shown.pop() if len(shown) == 1 else None
    return literal or "None"


KeyGuard.EXAMPLES = examples(
    """
accumulate: a count begins at zero
    def count(words):
        counts = {}
        for word in words:
            «counts[word]» += 1
        return counts
KeyError: 'to'
    def count(words):
        counts = {}
        for word in words:
            counts[word] = counts.get(word, 0) + 1
        return counts

accumulate: a list that is filled
    def by_city(people):
        groups = {}
        for person in people:
            # in their order
            «groups[person.city]».append(person)
        return groups
KeyError: 'Basel'
    def by_city(people):
        groups = {}
        for person in people:
            # in their order
            groups.setdefault(person.city, []).append(person)
        return groups

accumulate: a set
    «self.edges[start]».add(end)
KeyError: 'a'
    self.edges.setdefault(start, set()).add(end)

accumulate: a table of tables
    «prices[shop]»[item] = price
KeyError: 'corner'
    prices.setdefault(shop, {})[item] = price

accumulate: amounts of a kind that nothing shows
    def book(self, account, amount):
        «self.balances[account]» -= amount
KeyError: 'rent'
    def book(self, account, amount):
        self.balances[account] = self.balances.get(account, 0) - amount

get: what is iterated over is empty
    for tag in «post["tags"]»:
        print(tag)
KeyError: 'tags'
    for tag in post.get("tags", ()):
        print(tag)

get: a condition takes None for no
    def is_public(user):
        return bool(«user["public"]» and user["name"])
KeyError: 'public'
    def is_public(user):
        return bool(user.get("public") and user["name"])

get: nothing, where it is returned
    def owner(self, path):
        return «self.owners[path]»
KeyError: '/tmp'
    def owner(self, path):
        return self.owners.get(path)

get: the annotation's empty value
    def members(groups, name) -> list[str]:
        return «groups[name]»
KeyError: 'admin'
    def members(groups, name) -> list[str]:
        return groups.get(name, [])

get: the uses of the variable show a number
    def total(row):
        discount = «row["discount"]»
        return row["price"] * (1 - discount)
KeyError: 'discount'
    def total(row):
        discount = row.get("discount", 0)
        return row["price"] * (1 - discount)

get: text, in the file's quotes
    def slug(row):
        return «row['title']».strip().lower()
KeyError: 'title'
    def slug(row):
        return row.get('title', '').strip().lower()

get: an argument that may be None
    user = User(name=row["name"], email=«row["email"]»)
KeyError: 'email'
    user = User(name=row["name"], email=row.get("email"))

get-deep: the inner one has nothing either
    def city(user):
        return «user["address"]»["city"]
KeyError: 'address'
    def city(user):
        return user.get("address", {}).get("city")

early-exit: the exception that the function raises for bad input
    def price(self, sku):
        if not sku:
            raise ValueError("sku is empty")
        return round(«self.prices[sku]», 2)
KeyError: 'A1'
    def price(self, sku):
        if not sku:
            raise ValueError("sku is empty")
        if sku not in self.prices:
            raise ValueError("prices has no sku")
        return round(self.prices[sku], 2)

early-exit: a loop goes on with the next item
    def apply(rates, rows):
        for row in rows:
            row.amount *= «rates[row.currency]»
KeyError: 'XAU'
    def apply(rates, rows):
        for row in rows:
            if row.currency not in rates:
                continue
            row.amount *= rates[row.currency]

early-exit: what is called has to be there
    def dispatch(kind, event):
        return «HANDLERS[kind]»(event)
KeyError: 'pong'
    def dispatch(kind, event):
        if kind not in HANDLERS:
            return None
        return HANDLERS[kind](event)

skip: what is done with it
    def notify(self, name):
        «self.listeners[name]»(self)
        self.last = name
KeyError: 'saved'
    def notify(self, name):
        if name in self.listeners:
            self.listeners[name](self)
        self.last = name

conditional: a test of what it has
    if «users[name]».active:
        greet(name)
KeyError: 'ann'
    if name in users and users[name].active:
        greet(name)

filter: keys that are not known
    found = [«prices[each]».net for each in basket]
KeyError: 'A1'
    found = [prices[each].net for each in basket if each in prices]

remove-if-there: a key that is gone already
    def close(self, name):
        del «self.open[name]»  # whatever it was
KeyError: 'log'
    def close(self, name):
        self.open.pop(name, None)  # whatever it was

remove-if-there: what is taken out
    timer = «timers.pop(name)»
KeyError: 'poll'
    timer = timers.pop(name, None)

remove-if-there: an element of a set
    «self.waiting.remove(client)»
KeyError: 7
    self.waiting.discard(client)

not accumulate: a method that only reads
    total = «rows[name]».index(3)
KeyError: 'a'

not get: None cannot be called
    result = «HANDLERS[kind]»(event)
KeyError: 'pong'

not get: a value that nothing can stand for is multiplied with others
    area = «sizes[name]» / other
KeyError: 'a'

not filter: the key is the same for all
    found = [«prices[name]» * each for each in counts]
KeyError: 'A1'

not early-exit: the key would be asked for twice
    def next_price(prices):
        return «prices[input()]».net
KeyError: 'A1'

not any: another key of the line was missing
    def city(user):
        return «user["address"]»["city"]
KeyError: 'city'

not any: a class of one's own may have no such methods
    width = «config["width"]»
KeyError: 'width'
where config: shop.config.Config

not get: a place to store has no default
    def move(self, name):
        «self.places[name]».x, self.last = 3, name
KeyError: 'tea'

not accumulate: the method's result is used
    def ticket(self, line):
        place = «self.waiting[line]».append(self)
        return place
KeyError: 'a'

not accumulate: a place in a list that is not there
    def book(self, day, seat, name):
        «self.seats[day]»[0] = name
KeyError: 'mon'

not accumulate: nothing to multiply by
    def grow(self, name, rate):
        «self.sizes[name]» *= rate
KeyError: 'a'

not any: it was missing from something else
    def price(self, sku):
        return «self.catalogue.find(sku)».price
KeyError: 'A1'

not get: the value is raised
    def fail(self, code):
        raise «ERRORS[code]»
KeyError: 404

not skip: the variable is read afterwards
    def total(self, name):
        rate = «self.rates[name]»
        return 100 * rate
KeyError: 'chf'

not get: what is asked for is thrown away
    def check(settings):
        «settings["host"]»
        return True
KeyError: 'host'

not early-exit: the lookup comes later than another test of its line
    def price(sku, prices):
        return sku and «prices[sku]».net
KeyError: 'A1'

not conditional: it is no condition
    def label(names, key):
        return "Name: " + «names[key]»
KeyError: 'a'

not get-deep: a place in a list
    def first(posts):
        return «posts["tags"]»[0]
KeyError: 'tags'

not remove-if-there: None cannot be stopped
    def close(self, name):
        «self.open.pop(name)».stop()
KeyError: 'log'

not accumulate: the key is taken out by a call
    def book(self, day):
        «self.days[day.pop()]» += 1
KeyError: 'mon'

not remove-if-there: no key is named
    def close(self):
        return «self.open.popitem()»
KeyError: 'popitem(): dictionary is empty'
"""
)
