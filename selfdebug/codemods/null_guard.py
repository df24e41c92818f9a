"""NullGuard: something was None where a value was needed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._absent import conditional, defaulted
from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._fault import MISSING
from selfdebug.codemods._fill import filling
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._items import holds_none, with_items, without_items
from selfdebug.codemods._leave import filtering, ways_around
from selfdebug.codemods._missing import choices, missing
from selfdebug.codemods._proof import proven
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

_EARLY_EXIT = Variant("early-exit", "guard", "leave above the statement, as the function does")
_SKIP = Variant("skip", "guard", "run the statement only where the value is there")
_FILTER = Variant("filter", "guard", "leave the item out of the comprehension", branch="rewrite")
_CONDITIONAL = Variant("conditional", "guard", "evaluate the chain only where the value is there")
_ASSIGNMENT = Variant("assignment", "default", "give the variable a neutral value at its origin")
_DEFAULT = Variant(
    "default", "default", "use the neutral value of the type that the use shows", growth=2
)


class NullGuard(Codemod):
    """Guard the one value that was None, evaluating nothing twice and nothing out of order."""

    DESCRIPTION = "Guard values that are None where they are used."
    NAME = "null-guard"
    SUSPECTED = "may be None"
    ANSWERS = (
        Answer(("TypeError", "AttributeError"), r"NoneType|\bNone\b"),
        Answer(("TypeError",), r"can only join an iterable|expected string or bytes-like object$"),
        Answer(("AttributeError",), r"^__a?(?:enter|exit)__$"),
    )
    VARIANTS = (_EARLY_EXIT, _SKIP, _FILTER, _CONDITIONAL, _ASSIGNMENT, _DEFAULT)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the guards of what was None; where that is not known, of all that may have been."""
        tree, site = target.tree, target.site
        for bad in missing(tree, site):
            forms = _guards(tree, bad, site.message)
            yield from rewritten(tree, forms, f"{tree.code(bad)} was None: ")

    @classmethod
    def provable(cls, tree: Tree) -> Iterator[Site]:
        """Yield the uses of results that are None by contract or annotation, with no check before."""
        yield from proven(tree)

    @classmethod
    def suspects(cls, tree: Tree, site: Site) -> Iterator[cst.BaseExpression]:
        """Yield the different values at a site that may have been None."""
        yield from choices(tree, site)


def _guards(tree: Tree, bad: cst.BaseExpression, message: str) -> Iterator[Form]:
    """Yield the changes that may help, in order: a statement that can be missed is rather skipped."""
    if holds_none(tree, bad, message):
        yield _FILTER, without_items(tree, bad), "items of it were; they are left out"
        filled = with_items(tree, bad, message)
        yield _DEFAULT, filled, "items of it were; they count as nothing"
        return
    code = tree.code(bad)
    skip = _SKIP, f"the statement runs only where `{code}` is there"
    yield from ways_around(tree, bad, MISSING, (_EARLY_EXIT, "it is used"), skip)
    yield _FILTER, filtering(tree, bad), f"items without `{code}` are left out"
    yield _CONDITIONAL, conditional(tree, bad), "what needs it is evaluated only where it is there"
    yield _ASSIGNMENT, filling(tree, bad, message), "every use fits the neutral value that it gets"
    yield _DEFAULT, defaulted(tree, bad, message), "its use shows the neutral value that fits"


NullGuard.EXAMPLES = examples(
    r'''
early-exit: a function that returns values returns None
    def city(user):
        return «user.address».city
AttributeError: 'NoneType' object has no attribute 'city'
    def city(user):
        if user.address is None:
            return None
        return user.address.city

early-exit: a function that returns nothing returns
    def greet(user):
        # a friendly one
        print("hello", «user».name)
AttributeError: 'NoneType' object has no attribute 'name'
    def greet(user):
        if user is None:
            return
        # a friendly one
        print("hello", user.name)

early-exit: the answer that the function already has for nothing
    def initials(name):
        if name == "":
            return ""

        words = «name».split()
        return "".join(word[0] for word in words)
AttributeError: 'NoneType' object has no attribute 'split'
    def initials(name):
        if name == "":
            return ""

        if name is None:
            return ""
        words = name.split()
        return "".join(word[0] for word in words)

early-exit: the empty value of the annotated type
    def names(group) -> list[str]:
        members = «group».members
        return [member.name for member in members]
AttributeError: 'NoneType' object has no attribute 'members'
    def names(group) -> list[str]:
        if group is None:
            return []
        members = group.members
        return [member.name for member in members]

early-exit: the exception that the function already raises for bad input
    def ship(order):
        if not order.lines:
            raise ValueError("Order is empty.")
        return «order.address».street
AttributeError: 'NoneType' object has no attribute 'street'
    def ship(order):
        if not order.lines:
            raise ValueError("Order is empty.")
        if order.address is None:
            raise ValueError("Address is missing.")
        return order.address.street

early-exit: the exception that the caller in the file already catches
    def load(path):
        text = read(path)
        return «text».splitlines()

    def main(path):
        try:
            return load(path)
        except ConfigError:
            return []
AttributeError: 'NoneType' object has no attribute 'splitlines'
    def load(path):
        text = read(path)
        if text is None:
            raise ConfigError("text is missing")
        return text.splitlines()

    def main(path):
        try:
            return load(path)
        except ConfigError:
            return []

early-exit: a loop goes on with the next item
    def total(lines):
        result = 0
        for line in lines:
            # gross
            result += «line».price
        return result
AttributeError: 'NoneType' object has no attribute 'price'
    def total(lines):
        result = 0
        for line in lines:
            if line is None:
                continue
            # gross
            result += line.price
        return result

early-exit: unpacking
    def bounds(text):
        start, end = «find_span(text)»
        return text[start:end]
TypeError: cannot unpack non-iterable NoneType object
    def bounds(text):
        span = find_span(text)
        if span is None:
            return None
        start, end = span
        return text[start:end]

early-exit: a generator ends
    def lines(file):
        for line in «file»:
            yield line.strip()
TypeError: 'NoneType' object is not iterable
    def lines(file):
        if file is None:
            return
        for line in file:
            yield line.strip()

early-exit: the message begins as the others of the function do
    def fire(self, event):
        if self.closed:
            raise InvalidEvent(f"{event!r}: the machine is closed")
        step = self.table.get(event)
        return «step».target
AttributeError: 'NoneType' object has no attribute 'target'
    def fire(self, event):
        if self.closed:
            raise InvalidEvent(f"{event!r}: the machine is closed")
        step = self.table.get(event)
        if step is None:
            raise InvalidEvent(f"{event!r}: step is missing")
        return step.target

not early-exit: the value is needed only sometimes
    def label(user, short):
        return user.name if short else «user.title».lower()
AttributeError: 'NoneType' object has no attribute 'lower'

not early-exit: the call before it would come after it
    def pair(queue):
        return queue.take(), «queue.peek()».id
AttributeError: 'NoneType' object has no attribute 'id'

not early-exit: the annotation promises a value, and nothing shows which
    def owner(repo) -> User:
        return «repo».owner
AttributeError: 'NoneType' object has no attribute 'owner'

not early-exit: an object would be left without its attributes
    class Client:
        def __init__(self, config):
            self.url = «config».url
            self.retries = 3
AttributeError: 'NoneType' object has no attribute 'url'

skip: a statement that others do not need, with more to do after it
    def notify(order, callback):
        order.save()
        «callback»(order)  # may be slow
        order.log("done")
TypeError: 'NoneType' object is not callable
    def notify(order, callback):
        order.save()
        if callback is not None:
            callback(order)  # may be slow
        order.log("done")

skip: in a module
    # shut down
    «server».stop()
AttributeError: 'NoneType' object has no attribute 'stop'
    # shut down
    if server is not None:
        server.stop()

skip: a call is assigned above and not repeated
    def finish(self):
        «self.find_window()».close()
        self.closed = True
AttributeError: 'NoneType' object has no attribute 'close'
    def finish(self):
        window = self.find_window()
        if window is not None:
            window.close()
        self.closed = True

not skip: later statements need the name
    def show(user):
        name = «user».name
        print(name)
AttributeError: 'NoneType' object has no attribute 'name'

filter: items that are missing
    def names(users):
        return [«user».name for user in users]
AttributeError: 'NoneType' object has no attribute 'name'
    def names(users):
        return [user.name for user in users if user is not None]

filter: what is joined
    line = ", ".join(«user.name» for user in users)
TypeError: sequence item 1: expected str instance, NoneType found
    line = ", ".join(user.name for user in users if user.name is not None)

filter: the test stands in front of a clause that uses the value
    code = "".join(«part» for part in parts if deep if part.isdigit())
TypeError: sequence item 0: expected str instance, NoneType found
    code = "".join(part for part in parts if deep if part is not None if part.isdigit())

filter: what is added up
    def total(lines):
        return «sum(line.price for line in lines)»
TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'
    def total(lines):
        return sum(line.price for line in lines if line.price is not None)

default: what is not known counts as nothing in a sum
    def total(lines):
        return «sum(line.price for line in lines)»
TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'
    def total(lines):
        return sum(line.price or 0 for line in lines)

not default: nothing is known that could be added to a list
    def every(lines):
        return «sum((line.parts for line in lines), [])»
TypeError: unsupported operand type(s) for +: 'list' and 'NoneType'

not filter: a clause looks at what holds the value, and then uses it
    names = [«order.owner».name for order in orders if order and order.owner != me]
AttributeError: 'NoneType' object has no attribute 'name'

not filter: the value is not one of the items
    def scaled(values, config):
        return [value * «config».scale for value in values]
AttributeError: 'NoneType' object has no attribute 'scale'

not filter: the call would be repeated
    def sizes(paths):
        return [«stat(path)».size for path in paths]
AttributeError: 'NoneType' object has no attribute 'size'

conditional: the whole chain that needs the value
    def slug(post):
        return {"slug": «post.title».lower().replace(" ", "-")}
AttributeError: 'NoneType' object has no attribute 'lower'
    def slug(post):
        return {"slug": post.title.lower().replace(" ", "-") if post.title is not None else None}

conditional: an if tests for it first
    def check(user):
        if «user».active and user.age >= 18:
            return True
        return False
AttributeError: 'NoneType' object has no attribute 'active'
    def check(user):
        if user is not None and user.active and user.age >= 18:
            return True
        return False

conditional: a while that ends
    def last(node):
        while «node».next:
            node = node.next
        return node
AttributeError: 'NoneType' object has no attribute 'next'
    def last(node):
        while node is not None and node.next:
            node = node.next
        return node

conditional: an ordering
    def is_late(task, now):
        return «task.due» < now
TypeError: '<' not supported between instances of 'NoneType' and 'int'
    def is_late(task, now):
        return task.due is not None and task.due < now

default: the length of nothing
    count = len(«items»)
TypeError: object of type 'NoneType' has no len()
    count = len(items or ())

not conditional: a neutral value says the same in fewer words
    count = len(«items»)
TypeError: object of type 'NoneType' has no len()

conditional: an awaited method
    async def ping(client):
        pong = await «client».ping()
        return pong
AttributeError: 'NoneType' object has no attribute 'ping'
    async def ping(client):
        pong = await client.ping() if client is not None else None
        return pong

not conditional: a decorator has to be something
    @«app».route("/")
    def index(): ...
AttributeError: 'NoneType' object has no attribute 'route'

assignment: iteration shows a list
    def tags(row):
        found = row.get("tags")
        return [tag.strip() for tag in «found»]
TypeError: 'NoneType' object is not iterable
    def tags(row):
        found = row.get("tags") or []
        return [tag.strip() for tag in found]

assignment: what is changed keeps its identity when it is empty
    def remember(cache, key, value):
        seen = cache.get(key)
        «seen».append(value)
        return seen
AttributeError: 'NoneType' object has no attribute 'append'
    def remember(cache, key, value):
        seen = cache.get(key)
        if seen is None:
            seen = []
        seen.append(value)
        return seen

assignment: a parameter that is None by default
    def mail(to, cc=None):
        """Send a mail."""
        # copies first
        for address in «cc»:
            send(address)
        send(to)
TypeError: 'NoneType' object is not iterable
    def mail(to, cc=None):
        """Send a mail."""
        if cc is None:
            cc = []
        # copies first
        for address in cc:
            send(address)
        send(to)

not assignment: the uses do not show one type
    def show(row):
        value = row.get("value")
        print(value.title)
        return «value».upper()
AttributeError: 'NoneType' object has no attribute 'upper'

not assignment: the code makes a difference between None and others
    def show(row):
        text = row.get("text")
        if text is None:
            print("no text")
        return «text».upper()
AttributeError: 'NoneType' object has no attribute 'upper'

default: a loop over nothing
    for item in «order.items»:
        print(item)
TypeError: 'NoneType' object is not iterable
    for item in order.items or ():
        print(item)

default: a str method, on a call too
    name = «row.get("name")».strip()
AttributeError: 'NoneType' object has no attribute 'strip'
    name = (row.get("name") or "").strip()

default: the other operand is a number
    total = 1 + «item.count» * 2
TypeError: unsupported operand type(s) for *: 'NoneType' and 'int'
    total = 1 + (item.count or 0) * 2

default: the message says that the other operand is a string
    text = first + «last»
TypeError: can only concatenate str (not "NoneType") to str
    text = first + (last or "")

default: str.join
    line = ", ".join(«names»)
TypeError: can only join an iterable
    line = ", ".join(names or ())

default: a number for int()
    port = int(«config.port»)
TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'
    port = int(config.port or 0)

not default: nothing shows what the attribute belongs to
    name = «user».name
AttributeError: 'NoneType' object has no attribute 'name'

not default: an empty mapping does not have the key either
    name = «row»["name"]
TypeError: 'NoneType' object is not subscriptable

not default: there is no neutral divisor
    rate = 100 / «count»
TypeError: unsupported operand type(s) for /: 'int' and 'NoneType'

not any: it returns above where the value is missing
    def name(user):
        if user is None:
            return None
        return «user».name
AttributeError: 'NoneType' object has no attribute 'name'

not any: inside an if that tests it
    if user.profile and user.profile.public:
        print(«user.profile».name)
AttributeError: 'NoneType' object has no attribute 'name'

not any: an assertion above
    def name(user):
        assert user is not None, "log in first"
        return «user».name
AttributeError: 'NoneType' object has no attribute 'name'

not any: an isinstance above
    def text(node):
        if not isinstance(node, Text):
            return ""
        return «node».data
AttributeError: 'NoneType' object has no attribute 'data'

not any: a comprehension that filters
    names = [«user».name for user in users if user is not None]
AttributeError: 'NoneType' object has no attribute 'name'

not any: a default already
    for item in «items or ()»:
        print(item)
TypeError: 'NoneType' object is not iterable

early-exit: a check that is out of date does not count
    def second(node):
        if node is None:
            return None
        node = node.next
        return «node».value
AttributeError: 'NoneType' object has no attribute 'value'
    def second(node):
        if node is None:
            return None
        node = node.next
        if node is None:
            return None
        return node.value
'''
)
