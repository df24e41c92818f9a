"""CallArguments: a call does not fit the signature of what it calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._defined import named_in
from selfdebug.codemods._forms import rewritten
from selfdebug.codemods._names import bound, dotted
from selfdebug.codemods._passing import are_plain, calls_at, last_of, passing
from selfdebug.codemods._place import place
from selfdebug.codemods._signature import (
    Signature,
    fields,
    filled,
    keywords,
    last_name,
    of_library,
    signature,
)
from selfdebug.model import Value
from selfdebug.syntax.modules import definitions, read_module
from selfdebug.syntax.region import Tree

_ADD = Variant("add", "root-cause", "pass the argument that is missing", prior=0.7)
_SPREAD = Variant("spread", "root-cause", "pass the items one by one", prior=0.8)
_GATHER = Variant("gather", "root-cause", "pass the items as one", prior=0.6)
_RENAME = Variant("rename", "root-cause", "pass it under the parameter's name", prior=0.7)
_KEYWORD = Variant("keyword", "root-cause", "pass it by name", prior=0.7)
_DROP = Variant("drop", "guard", "leave out what the function does not take", prior=0.3)
_SELF = Variant("self", "root-cause", "leave out the object, which Python passes", prior=0.9)

Args: TypeAlias = "Sequence[cst.Arg]"
Form: TypeAlias = tuple[Variant, Args, str]

_MISSING = re.compile(r"missing \d+ required (?:positional|keyword-only) arguments?: (.*)")
_TAKES = re.compile(
    r"takes (?:from \d+ to )?\d+ positional arguments? but \d+ |takes no positional arguments|"
    r"^\w+ expected \d+ arguments?, got \d+"
)
_UNEXPECTED = re.compile(
    r"got an unexpected keyword argument '(\w+)'|'(\w+)' is an invalid keyword argument for"
)
_MULTIPLE = re.compile(r"got multiple values for argument '(\w+)'")
_ONE = re.compile(r"(?:(?P<name>\w+)\(\) )?takes exactly one argument \((?P<given>\d+) given\)")
_SINGLE = frozenset(("append", "add", "extend", "update", "join", "extendleft", "appendleft"))


class CallArguments(Codemod):
    """Make the arguments of a call fit the real signature, with what is at hand."""

    DESCRIPTION = "Pass the arguments that a function takes."
    NAME = "call-arguments"
    ANSWERS = (
        Answer(
            ("TypeError",),
            "|".join(each.pattern for each in (_MISSING, _TAKES, _UNEXPECTED, _MULTIPLE, _ONE)),
        ),
    )
    VARIANTS = (_ADD, _SPREAD, _GATHER, _RENAME, _KEYWORD, _SELF, _DROP)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the call with other arguments."""
        takes = _takes(target)
        module = read_module(target.site.file, target.project)
        for call in calls_at(target):
            fits = takes or of_library(call, module, target.site.locals)
            forms = _forms(target, call, fits)
            changes = ((variant, passing(call, args), why) for variant, args, why in forms)
            yield from rewritten(target.tree, changes)


def _takes(target: Target) -> Signature | None:
    """Return the signature of what the message names, also of a dataclass."""
    found = named_in(target.site.message, target.project)
    if found is not None:
        return signature(found)
    made = re.match(r"([\w.<>]+?)\.__init__\(\)", target.site.message)
    classes = [*definitions(made[1], target.project)] if made else []
    if len(classes) == 1 and isinstance(classes[0].node, ast.ClassDef):
        return fields(classes[0].node)
    return None


def _forms(target: Target, call: cst.Call, takes: Signature | None) -> Iterator[Form]:
    message = target.site.message
    if match := _ONE.search(message):
        yield from _gathered(call, match)
    elif takes is None:
        return
    elif match := _MISSING.search(message):
        names = re.findall(r"'(\w+)'", match[1])
        yield from _spread(target, call, takes, names)
        yield from _completed(target, call, takes, names)
    elif match := _TAKES.search(message):
        yield from _reduced(target.tree, call, takes)
    elif match := _UNEXPECTED.search(message):
        yield from _renamed(call, takes, match[1] or match[2])
    elif match := _MULTIPLE.search(message):
        yield from _moved(call, takes, match[1])


def _gathered(call: cst.Call, match: re.Match[str]) -> Iterator[Form]:
    name = last_of(call.func)
    if name in _SINGLE and len(call.args) > 1 and are_plain(call.args):
        items = [cst.Element(each.value) for each in call.args]
        one = cst.Arg(cst.Tuple(items))
        yield _GATHER, [one], f"`{name}` takes one argument, and was given {match['given']}"


def _spread(target: Target, call: cst.Call, takes: Signature, names: list[str]) -> Iterator[Form]:
    """Spread the only argument where it holds just what is to be passed."""
    if len(call.args) != 1 or not are_plain(call.args) or len(names) + 1 != len(takes.required):
        return
    (arg,) = call.args
    code = target.tree.code(arg.value)
    value = target.site.locals.get(dotted(arg.value) or "")
    if value is None:
        return
    size = _size(value)
    fits = len(takes.required) <= size <= len(takes.names)
    if value.type in {"tuple", "list"} and fits:
        yield _SPREAD, [arg.with_changes(star="*")], f"`{code}` holds {size} arguments"
    keys = re.findall(r"[{ ]'(\w+)':", value.text or "")
    if value.type == "dict" and fits and {*keys} >= takes.required:
        yield _SPREAD, [arg.with_changes(star="**")], f"`{code}` holds the arguments by name"


def _size(value: Value) -> int:
    """Return how many items a container held; 0 where that is not known."""
    if value.size is not None:
        return value.size
    try:
        return len(ast.literal_eval(value.text or "()"))
    except (ValueError, TypeError, SyntaxError):
        return 0


def _completed(
    target: Target, call: cst.Call, takes: Signature, names: list[str]
) -> Iterator[Form]:
    """Add what is missing, each from a variable of the parameter's name."""
    args = [*call.args]
    if any(arg.star for arg in args):
        return
    at = _gap(args, takes) if len(names) == 1 else None
    if at is not None:
        names = [takes.positional[at]]
    added = []
    for name in names:
        value = _at_hand(target, call, name)
        if value is None:
            return
        place_ = sum(arg.keyword is None for arg in args) if at is None else at
        if at is not None or takes.positional[place_ : place_ + 1] == (name,):
            args.insert(place_, cst.Arg(value))
        else:
            args.append(_by_name(cst.Arg(value), name))
        added.append(target.tree.module.code_for_node(value))
    yield _ADD, args, f"`{'`, `'.join(added)}` is at hand, and was not passed"


def _gap(args: Sequence[cst.Arg], takes: Signature) -> int | None:
    """Return the place of the argument that was left out, where those after it tell by their names."""
    given = [last_name(arg) for arg in args if arg.keyword is None]
    for at in range(len(given)):
        rest = given[at:]
        if rest == [*takes.positional[at + 1 : at + 1 + len(rest)]] and all(rest):
            return at
    return None


def _at_hand(target: Target, call: cst.Call, name: str) -> cst.BaseExpression | None:
    """Return the variable of a name in sight of a call: a local one, or an attribute of self."""
    function = place(target.tree, call).function
    if function is None:
        return None
    line = target.tree.span(call).line
    params = function.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    if name in {each.name.value for each in every}:
        return cst.Name(name)
    above = [each for each in function.body.body if target.tree.span(each).end_line < line]
    if any(name in bound(each) for each in above) or name in target.site.locals:
        return cst.Name(name)
    owners = [key for key in target.site.locals if re.fullmatch(rf"\w+\.{name}", key)]
    if not owners and every and every[0].name.value == "self":
        assigned = rf"^\s+self\.{name}\b(?:: [^=\n]+)? = "
        text = target.tree.region.source.text
        owners = [f"self.{name}"] if re.search(assigned, text, re.MULTILINE) else []
    return cst.parse_expression(owners[0]) if len(owners) == 1 else None


def _reduced(tree: Tree, call: cst.Call, takes: Signature) -> Iterator[Form]:
    """Take away what is too much, or pass it by name."""
    args = [*call.args]
    places = [arg for arg in args if arg.keyword is None]
    is_method = isinstance(call.func, cst.Attribute)
    if is_method and len(places) == len(takes.positional) + 1 and last_name(places[0]) == "self":
        yield _SELF, args[1:], "Python passes `self` itself"
        return
    if len(args) == 1 and args[0].star == "*" and len(takes.positional) == 1:
        yield _GATHER, [args[0].with_changes(star="")], f"`{takes.positional[0]}` is one argument"
        return
    extra = places[len(takes.positional) :]
    if not extra or any(arg.star for arg in args):
        return
    free = [name for name in takes.keyword_only if name not in keywords(args)]
    names = _meant(extra, free)
    if len(names) == len(extra):
        new = {id(arg): _by_name(arg, name) for arg, name in zip(extra, names, strict=True)}
        shown = "`, `".join(names)
        yield _KEYWORD, [new.get(id(arg), arg) for arg in args], f"`{shown}` is passed by name only"
    elif len(extra) == 1 and not takes.keyword_only:
        strange = [arg for arg in places if last_name(arg) not in takes.positional]
        dropped = strange[0] if len(strange) == 1 else extra[0]
        code = tree.code(dropped.value)
        yield _DROP, [arg for arg in args if arg is not dropped], f"it takes no `{code}`"


def _meant(extra: Sequence[cst.Arg], free: list[str]) -> list[str]:
    """Return the parameters that arguments are meant for, where their names or their forms tell."""
    named = [name for name in free if name in map(last_name, extra)]
    if len(named) == len(extra):
        return named
    values = [arg.value for arg in extra]
    if "key" in free and len(values) == 1 and isinstance(values[0], cst.Lambda | cst.Attribute):
        return ["key"]
    return free


def _renamed(call: cst.Call, takes: Signature, keyword: str) -> Iterator[Form]:
    args = [*call.args]
    left = [name for name in takes.names if name not in filled(takes, args)]
    required = [name for name in left if name in takes.required]
    new = required[0] if len(required) == 1 else _nearest(keyword, required or left)
    if new is not None:
        renamed = [
            arg.with_changes(keyword=cst.Name(new)) if _is_named(arg, keyword) else arg
            for arg in args
        ]
        yield _RENAME, renamed, f"the parameter is called `{new}`"
    if not required:
        kept = [arg for arg in args if not _is_named(arg, keyword)]
        yield _DROP, kept, f"it has no parameter `{keyword}`"


def _nearest(keyword: str, names: Sequence[str]) -> str | None:
    """Return the one name that resembles a keyword, or is part of it or the reverse."""
    found = [
        name
        for name in names
        if SequenceMatcher(None, name, keyword).ratio() >= 0.6
        or {*name.split("_")} & {*keyword.split("_")}
    ]
    return found[0] if len(found) == 1 else None


def _moved(call: cst.Call, takes: Signature, name: str) -> Iterator[Form]:
    """Pass the last argument by the name that is left, where its place is that of another."""
    args = [*call.args]
    places = [arg for arg in args if arg.keyword is None]
    left = [each for each in takes.required if each not in filled(takes, args)]
    if len(left) == 1 and places and takes.positional.index(name) == len(places) - 1:
        last = places[-1]
        moved = [_by_name(arg, left[0]) if arg is last else arg for arg in args]
        yield _KEYWORD, moved, f"it is the `{left[0]}`: `{name}` is passed by name"


def _is_named(arg: cst.Arg, keyword: str) -> bool:
    return arg.keyword is not None and arg.keyword.value == keyword


def _by_name(arg: cst.Arg, name: str) -> cst.Arg:
    tight = cst.SimpleWhitespace("")
    equal = cst.AssignEqual(whitespace_before=tight, whitespace_after=tight)
    return arg.with_changes(keyword=cst.Name(name), equal=equal)


CallArguments.EXAMPLES = examples(
    """
add: a variable of the name is at hand
    def price(net, rate):
        return net * (1 + rate)

    def line(net, rate, count):
        return count * «price(net)»
TypeError: price() missing 1 required positional argument: 'rate'
    def price(net, rate):
        return net * (1 + rate)

    def line(net, rate, count):
        return count * price(net, rate)

add: the one in the middle was left out
    def send(address, subject, body):
        return address + subject + body

    def remind(address, body):
        subject = "Reminder"
        return «send(address, body)»
TypeError: send() missing 1 required positional argument: 'body'
    def send(address, subject, body):
        return address + subject + body

    def remind(address, body):
        subject = "Reminder"
        return send(address, subject, body)

add: an attribute of the object, by name
    class Report:
        def __init__(self, currency):
            self.currency = currency

        def line(self, amount):
            return «formatted(
                amount,
                digits=2,
            )»

    def formatted(amount, *, currency, digits=0):
        return f"{amount} {currency}"
TypeError: formatted() missing 1 required keyword-only argument: 'currency'
    class Report:
        def __init__(self, currency):
            self.currency = currency

        def line(self, amount):
            return formatted(
                amount,
                digits=2,
                currency=self.currency,
            )

    def formatted(amount, *, currency, digits=0):
        return f"{amount} {currency}"

add: a field of a dataclass
    @dataclass
    class Order:
        number: int
        customer: str
        paid: bool = False

    def place(number, customer):
        return «Order(number, paid=True)»
TypeError: Order.__init__() missing 1 required positional argument: 'customer'
    @dataclass
    class Order:
        number: int
        customer: str
        paid: bool = False

    def place(number, customer):
        return Order(number, customer, paid=True)

spread: a pair for two parameters
    def distance(x, y):
        return x + y

    def way(points):
        return sum(«distance(point)» for point in points)
TypeError: distance() missing 1 required positional argument: 'y'
where point: tuple = (1, 2)
    def distance(x, y):
        return x + y

    def way(points):
        return sum(distance(*point) for point in points)

spread: a dictionary with the parameters' names
    def connect(host, port):
        return host, port

    def start(settings):
        return «connect(settings)»
TypeError: connect() missing 1 required positional argument: 'port'
where settings: dict = {'host': 'a', 'port': 1}
    def connect(host, port):
        return host, port

    def start(settings):
        return connect(**settings)

gather: one argument, taken apart
    def total(prices):
        return sum(prices)

    def due(prices):
        return «total(*prices)»
TypeError: total() takes 1 positional argument but 3 were given
    def total(prices):
        return sum(prices)

    def due(prices):
        return total(prices)

gather: append takes one
    def collect(rows, name, price):
        «rows.append(name, price)»
TypeError: list.append() takes exactly one argument (2 given)
    def collect(rows, name, price):
        rows.append((name, price))

rename: the parameter that is left
    def resize(image, width):
        return image, width

    def small(image):
        return «resize(image, size=10)»
TypeError: resize() got an unexpected keyword argument 'size'
    def resize(image, width):
        return image, width

    def small(image):
        return resize(image, width=10)

keyword: what is passed by name only
    def export(rows, *, header):
        return rows, header

    def save(rows):
        return «export(rows, True)»
TypeError: export() takes 1 positional argument but 2 were given
    def export(rows, *, header):
        return rows, header

    def save(rows):
        return export(rows, header=True)

keyword: two values for one parameter
    def resize(width, image):
        return image, width

    def small(image):
        return «resize(image, width=10)»
TypeError: resize() got multiple values for argument 'width'
    def resize(width, image):
        return image, width

    def small(image):
        return resize(image=image, width=10)

self: Python passes it
    class Cart:
        def total(self):
            return 1

        def due(self):
            return «self.total(self)»
TypeError: Cart.total() takes 1 positional argument but 2 were given
    class Cart:
        def total(self):
            return 1

        def due(self):
            return self.total()

drop: the one that is none of the parameters
    def price(net, rate):
        return net * rate

    def due(order, net, rate):
        return «price(order, net, rate)»
TypeError: price() takes 2 positional arguments but 3 were given
    def price(net, rate):
        return net * rate

    def due(order, net, rate):
        return price(net, rate)

rename: a parameter of the standard library
    import json

    def dump(report):
        return «json.dump(report, sys.stdout, indents=2)»
TypeError: JSONEncoder.__init__() got an unexpected keyword argument 'indents'
    import json

    def dump(report):
        return json.dump(report, sys.stdout, indent=2)

rename: a builtin, as Python 3.11 says it
    def show(rows):
        for row in rows:
            «print(row, ends=";")»
TypeError: 'ends' is an invalid keyword argument for print()
    def show(rows):
        for row in rows:
            print(row, end=";")

rename: a method of a class of the standard library
    def save(path, text):
        «path.write_text(text, encodings="utf-8")»
TypeError: Path.write_text() got an unexpected keyword argument 'encodings'
where path: pathlib.PosixPath
    def save(path, text):
        path.write_text(text, encoding="utf-8")

keyword: the key to sort by
    def by_name(people):
        «people.sort(lambda person: person.name)»
        return people
TypeError: list.sort() takes no positional arguments
where people: list = []
    def by_name(people):
        people.sort(key=lambda person: person.name)
        return people

keyword: the key to sort by, of a builtin
    def by_name(people):
        return «sorted(people, str.lower)»
TypeError: sorted expected 1 argument, got 2
    def by_name(people):
        return sorted(people, key=str.lower)

not rename: a function of the project hides the builtin
    from shop.output import print

    def show(rows):
        «print(rows, ends=";")»
TypeError: print() got an unexpected keyword argument 'ends'

not any: the key or the order, nothing tells
    def ranked(people, order):
        return «sorted(people, order)»
TypeError: sorted expected 1 argument, got 2

not any: nothing of the name is at hand
    def price(net, rate):
        return net * (1 + rate)

    def line(net, count):
        return count * «price(net)»
TypeError: price() missing 1 required positional argument: 'rate'

not spread: the pair is too long
    def distance(x, y):
        return x + y

    def way(point):
        return «distance(point)»
TypeError: distance() missing 1 required positional argument: 'y'
where point: tuple = (1, 2, 3)

not any: what is called is not the project's
    def start(host, port):
        return «connect(host)»
TypeError: connect() missing 1 required positional argument: 'port'

not rename: two parameters are as near
    def box(width, height):
        return width * height

    def square(size):
        return «box(side=size)»
TypeError: box() got an unexpected keyword argument 'side'

not drop: a required parameter is left
    def resize(image, width):
        return image, width

    def small(image):
        return «resize(image, size=10)»
TypeError: resize() got an unexpected keyword argument 'size'

not any: it is bound only afterwards
    def price(net, rate):
        return net * (1 + rate)

    def line(net):
        amount = «price(net)»
        rate = amount / net
        return rate
TypeError: price() missing 1 required positional argument: 'rate'

not any: a call of the test itself
in tests/test_shop.py
    def test_price(rate):
        assert «price(100)» == 119
TypeError: price() missing 1 required positional argument: 'rate'
beside shop.py
    def price(net, rate):
        return net * (1 + rate)

not any: an argument is spread already
    def price(net, rate):
        return net * (1 + rate)

    def line(values, rate):
        return «price(*values)»
TypeError: price() missing 1 required positional argument: 'rate'

not add: a function inside has names of its own
    def price(net, rate):
        return net * (1 + rate)

    def lines(nets):
        def tax():
            rate = 0.19
            return rate
        return [«price(net)» for net in nets] + [tax()]
TypeError: price() missing 1 required positional argument: 'rate'

not spread: text has as many characters
    def distance(x, y):
        return x + y

    def way(point):
        return «distance(point)»
TypeError: distance() missing 1 required positional argument: 'y'
where point: str = 'ab'

not spread: other keys
    def connect(host, port):
        return host, port

    def start(settings):
        return «connect(settings)»
TypeError: connect() missing 1 required positional argument: 'port'
where settings: dict = {'name': 'a', 'port': 1}

not gather: a method that may mean something else
    def collect(rows, name, price):
        «rows.book(name, price)»
TypeError: Rows.book() takes exactly one argument (2 given)

not gather: one of them is passed by name
    def collect(rows, name, price):
        «rows.append(name, price=price)»
TypeError: list.append() takes exactly one argument (2 given)

not self: another object is passed
    class Cart:
        def total(self):
            return 1

        def due(self, other):
            return «self.total(other)»
TypeError: Cart.total() takes 1 positional argument but 2 were given

not drop: two are too many
    def price(net, rate):
        return net * rate

    def due(order, day, net, rate):
        return «price(order, day, net, rate)»
TypeError: price() takes 2 positional arguments but 4 were given

not keyword: two names are free for one
    def export(rows, *, header, footer):
        return rows, header, footer

    def save(rows):
        return «export(rows, True)»
TypeError: export() takes 1 positional argument but 2 were given
"""
)
