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
from selfdebug.codemods._missing import missing
from selfdebug.codemods._proof import proven
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

_EARLY_EXIT = Variant("early-exit", "guard", "leave above the statement, as the function does")
_SKIP = Variant("skip", "guard", "run the statement only where the value is there")
_FILTER = Variant("filter", "guard", "leave the item out of the comprehension")
_CONDITIONAL = Variant("conditional", "guard", "evaluate the chain only where the value is there")
_ASSIGNMENT = Variant("assignment", "default", "give the variable a neutral value at its origin")
_DEFAULT = Variant(
    "default", "default", "use the neutral value of the type that the use shows", growth=2
)


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


def _guards(tree: Tree, bad: cst.BaseExpression, message: str) -> Iterator[Form]:
    """Yield the changes that may help, in order: a statement that can be missed is rather skipped."""
    if holds_none(tree, bad, message):
        yield _FILTER, without_items(tree, bad), "items of it were; they are left out"
        yield _DEFAULT, with_items(tree, bad), "items of it were; nothing is joined for them"
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

early-exit: None where the annotation allows it
    def price(item) -> "Decimal | None":
        return «item».price * 2
AttributeError: 'NoneType' object has no attribute 'price'
    def price(item) -> "Decimal | None":
        if item is None:
            return None
        return item.price * 2

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

early-exit: the exception with which other methods miss the same attribute
    class Table:
        def column(self, name):
            return self.rows[«self.header».index(name)]

        def named(self):
            if self.header is None:
                raise HeaderNeeded("no header row")
            return [dict(zip(self.header, row)) for row in self.rows]
AttributeError: 'NoneType' object has no attribute 'index'
    class Table:
        def column(self, name):
            if self.header is None:
                raise HeaderNeeded("no header row")
            return self.rows[self.header.index(name)]

        def named(self):
            if self.header is None:
                raise HeaderNeeded("no header row")
            return [dict(zip(self.header, row)) for row in self.rows]

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

early-exit: a while loop that takes its items goes on too
    async def work(queue):
        while True:
            job = await queue.get()
            await «job».run()
AttributeError: 'NoneType' object has no attribute 'run'
    async def work(queue):
        while True:
            job = await queue.get()
            if job is None:
                continue
            await job.run()

early-exit: a while loop that may make no progress ends
    def walk(node):
        while True:
            print(«node».name)
            node = node.next
AttributeError: 'NoneType' object has no attribute 'name'
    def walk(node):
        while True:
            if node is None:
                break
            print(node.name)
            node = node.next

early-exit: a call is assigned above and not repeated
    def email(user_id):
        return «find(user_id)».email.lower()
AttributeError: 'NoneType' object has no attribute 'email'
    def email(user_id):
        user = find(user_id)
        if user is None:
            return None
        return user.email.lower()

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

early-exit: an asynchronous loop
    async def collect(stream):
        async for item in «stream»:
            print(item)
TypeError: 'async for' requires an object with __aiter__ method, got NoneType
    async def collect(stream):
        if stream is None:
            return
        async for item in stream:
            print(item)

early-exit: a context manager
    def save(lock, data):
        with «lock»:
            data.write()
TypeError: 'NoneType' object does not support the context manager protocol
    def save(lock, data):
        if lock is None:
            return
        with lock:
            data.write()

early-exit: a one-line suite is opened
    def first(items): return «items»[0]  # newest
TypeError: 'NoneType' object is not subscriptable
    def first(items):
        if items is None:
            return None
        return items[0]  # newest

early-exit: a line with semicolons is split
    def move(self, step):
        x = step.x; y = «step.origin».y; print(x, y)  # trace
AttributeError: 'NoneType' object has no attribute 'y'
    def move(self, step):
        x = step.x
        if step.origin is None:
            return
        y = step.origin.y; print(x, y)  # trace

early-exit: a decorator belongs to its statement
    def build(app):
        @«app».route("/")
        def index():
            return ""
        return index
AttributeError: 'NoneType' object has no attribute 'route'
    def build(app):
        if app is None:
            return None
        @app.route("/")
        def index():
            return ""
        return index

early-exit: a comparison method says that it does not know
    class Version:
        def __lt__(self, other):
            return self.number < «other».number
AttributeError: 'NoneType' object has no attribute 'number'
    class Version:
        def __lt__(self, other):
            if other is None:
                return NotImplemented
            return self.number < other.number

early-exit: the subject of a match
    def area(shape):
        match «shape».kind:
            case "square":
                return shape.side**2
        return 0
AttributeError: 'NoneType' object has no attribute 'kind'
    def area(shape):
        if shape is None:
            return 0
        match shape.kind:
            case "square":
                return shape.side**2
        return 0

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

early-exit: a clock that is called before does not set the attribute
    class Entry:
        def __init__(self, clock):
            self._clock = clock
            self._stored_at = None

        def age(self):
            return self._clock() - «self._stored_at»
TypeError: unsupported operand type(s) for -: 'float' and 'NoneType'
    class Entry:
        def __init__(self, clock):
            self._clock = clock
            self._stored_at = None

        def age(self):
            if self._stored_at is None:
                return None
            return self._clock() - self._stored_at

not early-exit: the value is needed only sometimes
    def label(user, short):
        return user.name if short else «user.title».lower()
AttributeError: 'NoneType' object has no attribute 'lower'

not early-exit: a while condition is evaluated again and again
    def last(node):
        while «node».next:
            node = node.next
        return node
AttributeError: 'NoneType' object has no attribute 'next'

not early-exit: an elif is reached only where the tests above it fail
    def role(user):
        if user == "root":
            return "admin"
        elif «user».active:
            return "member"
        return "guest"
AttributeError: 'NoneType' object has no attribute 'active'

not early-exit: a lambda runs later
    def by_name(users):
        return sorted(users, key=lambda user: «user».name)
AttributeError: 'NoneType' object has no attribute 'name'

not early-exit: the call before it would come after it
    def pair(queue):
        return queue.take(), «queue.peek()».id
AttributeError: 'NoneType' object has no attribute 'id'

not early-exit: the call before it may set the attribute
    def start(self):
        return self.connect(), «self.socket».name
AttributeError: 'NoneType' object has no attribute 'name'

not early-exit: the statement itself binds the name before
    def size(path):
        return (entry := lookup(path)), «entry».size
AttributeError: 'NoneType' object has no attribute 'size'

not early-exit: the annotation promises a value, and nothing shows which
    def owner(repo) -> User:
        return «repo».owner
AttributeError: 'NoneType' object has no attribute 'owner'

not early-exit: a function that never returns
    def stop(server) -> NoReturn:
        «server».stop()
        raise SystemExit
AttributeError: 'NoneType' object has no attribute 'stop'

not early-exit: an object would be left without its attributes
    class Client:
        def __init__(self, config):
            self.url = «config».url
            self.retries = 3
AttributeError: 'NoneType' object has no attribute 'url'

not early-exit: leaving a finally block would hide an exception
    def close(self):
        try:
            self.flush()
        finally:
            «self.file».close()
AttributeError: 'NoneType' object has no attribute 'close'

not early-exit: an except* block may not be left
    def report(jobs, log):
        try:
            run(jobs)
        except* ValueError as errors:
            «log».write(errors)
AttributeError: 'NoneType' object has no attribute 'write'

not early-exit: a module has nowhere to return to
    VERSION = «match»[1]
TypeError: 'NoneType' object is not subscriptable

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

skip: an assignment to an attribute
    def rename(self, user, name):
        «user.profile».name = name
        self.save()
AttributeError: 'NoneType' object has no attribute 'name'
    def rename(self, user, name):
        if user.profile is not None:
            user.profile.name = name
        self.save()

skip: deletion of an item
    def forget(self, key):
        del «self.cache»[key]
        self.count -= 1
TypeError: 'NoneType' object does not support item deletion
    def forget(self, key):
        if self.cache is not None:
            del self.cache[key]
        self.count -= 1

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

skip: only its own part of a one-line suite
    def flush(self):
        if self.open: «self.log».flush(); self.count = 0  # both
        return self
AttributeError: 'NoneType' object has no attribute 'flush'
    def flush(self):
        if self.open:
            if self.log is not None:
                self.log.flush()
            self.count = 0  # both
        return self

not skip: later statements need the name
    def show(user):
        name = «user».name
        print(name)
AttributeError: 'NoneType' object has no attribute 'name'

not skip: a generator's caller waits for the value
    def feed(source):
        yield «source».read()
        print("done")
AttributeError: 'NoneType' object has no attribute 'read'

not skip: the statement is only sometimes about the value
    def log(sink, debug):
        debug and «sink».write("x")
        return debug
AttributeError: 'NoneType' object has no attribute 'write'

filter: items that are missing
    def names(users):
        return [«user».name for user in users]
AttributeError: 'NoneType' object has no attribute 'name'
    def names(users):
        return [user.name for user in users if user is not None]

filter: items without the attribute, before the loop inside
    def tags(posts):
        return {tag for post in posts if post.public for tag in «post.tags»}
TypeError: 'NoneType' object is not iterable
    def tags(posts):
        return {tag for post in posts if post.public if post.tags is not None for tag in post.tags}

filter: a generator expression as the only argument
    def total(lines):
        return sum(«line.price» * line.count for line in lines)
TypeError: unsupported operand type(s) for *: 'NoneType' and 'int'
    def total(lines):
        return sum(line.price * line.count for line in lines if line.price is not None)

filter: a dictionary
    INDEX = {«item».key: item for item in ITEMS}
AttributeError: 'NoneType' object has no attribute 'key'
    INDEX = {item.key: item for item in ITEMS if item is not None}

filter: items of an argument
    def youngest(ages):
        return min(«ages», default=0)
TypeError: '<' not supported between instances of 'NoneType' and 'int'
    def youngest(ages):
        return min((age for age in ages if age is not None), default=0)

filter: what is joined
    line = ", ".join(«user.name» for user in users)
TypeError: sequence item 1: expected str instance, NoneType found
    line = ", ".join(user.name for user in users if user.name is not None)

not filter: the value is not one of the items
    def scaled(values, config):
        return [value * «config».scale for value in values]
AttributeError: 'NoneType' object has no attribute 'scale'

not filter: a condition that fails comes before the filter
    def active(users):
        return [user for user in users if «user».active]
AttributeError: 'NoneType' object has no attribute 'active'

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

conditional: of a chain, from the link that was None
    name = «user.profile».name.first
AttributeError: 'NoneType' object has no attribute 'name'
    name = user.profile.name.first if user.profile is not None else None

conditional: a call with a walrus, in parentheses where they are needed
    def port(url):
        return [«parse(url)».port, 80]
AttributeError: 'NoneType' object has no attribute 'port'
    def port(url):
        return [found.port if (found := parse(url)) is not None else None, 80]

conditional: an operand gets the neutral value that the other one shows
    def shipping(order):
        return 5 + «order.address».distance
AttributeError: 'NoneType' object has no attribute 'distance'
    def shipping(order):
        return 5 + (order.address.distance if order.address is not None else 0)

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

conditional: an elif
    def role(user):
        if user == "root":
            return "admin"
        elif «user».active:
            return "member"
        return "guest"
AttributeError: 'NoneType' object has no attribute 'active'
    def role(user):
        if user == "root":
            return "admin"
        elif user is not None and user.active:
            return "member"
        return "guest"

conditional: what is not there is not active
    if not «user».active:
        deny()
AttributeError: 'NoneType' object has no attribute 'active'
    if user is None or not user.active:
        deny()

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

conditional: the condition of a comprehension
    def active(users):
        return [user for user in users if «user».active]
AttributeError: 'NoneType' object has no attribute 'active'
    def active(users):
        return [user for user in users if user is not None and user.active]

conditional: nothing is in a container that is not there
    def allowed(name, allow):
        return name in «allow»
TypeError: argument of type 'NoneType' is not iterable
    def allowed(name, allow):
        return allow is not None and name in allow

conditional: and everything is not in it
    if name not in «seen» and name:
        visit(name)
TypeError: argument of type 'NoneType' is not iterable
    if (seen is None or name not in seen) and name:
        visit(name)

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

conditional: the result of a coroutine
    async def text(session):
        body = (await «session.get()»).text
        return body
TypeError: object NoneType can't be used in 'await' expression
    async def text(session):
        body = (await found).text if (found := session.get()) is not None else None
        return body

conditional: in an f-string, with quotes that it can hold
    line = f"{«user».name}: {count}"
AttributeError: 'NoneType' object has no attribute 'name'
    line = f"{user.name if user is not None else ''}: {count}"

conditional: unpacking gives None to each name
    width, height = «image.size»
TypeError: cannot unpack non-iterable NoneType object
    width, height = image.size if image.size is not None else (None, None)

conditional: a lambda
    key = lambda user: «user».name
AttributeError: 'NoneType' object has no attribute 'name'
    key = lambda user: user.name if user is not None else None

conditional: parentheses and the comments in them stay around it
    total = (
        «cart».lines  # all of them
        .price
    )
AttributeError: 'NoneType' object has no attribute 'lines'
    total = (
        cart.lines  # all of them
        .price if cart is not None else None
    )

not conditional: a decorator has to be something
    @«app».route("/")
    def index(): ...
AttributeError: 'NoneType' object has no attribute 'route'

not conditional: a base class has to be something
    class Local(«base».Model): ...
AttributeError: 'NoneType' object has no attribute 'Model'

not conditional: nothing else can be assigned to
    «page».title = "x"
AttributeError: 'NoneType' object has no attribute 'title'

not conditional: an f-string that shows its own code
    print(f"{«user».name=}")
AttributeError: 'NoneType' object has no attribute 'name'

not conditional: an assertion would fail in another way
    assert «user».active
AttributeError: 'NoneType' object has no attribute 'active'

not conditional: a pattern is no expression
    match shape:
        case «kinds».SQUARE:
            pass
AttributeError: 'NoneType' object has no attribute 'SQUARE'

not conditional: a walrus is not allowed in what is iterated over
    names = [name for name in «load()».names]
AttributeError: 'NoneType' object has no attribute 'names'

not conditional: a walrus in a class would leave an attribute
    class Settings:
        port = «load()».port
AttributeError: 'NoneType' object has no attribute 'port'

not conditional: the test would move a call before another
    total = first() + «second()»
TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'

assignment: iteration shows a list
    def tags(row):
        found = row.get("tags")
        return [tag.strip() for tag in «found»]
TypeError: 'NoneType' object is not iterable
    def tags(row):
        found = row.get("tags") or []
        return [tag.strip() for tag in found]

assignment: str methods show a string, in the file's quotes
    def domain(row):
        email = row['email']
        return «email».partition('@')[2]
AttributeError: 'NoneType' object has no attribute 'partition'
    def domain(row):
        email = row['email'] or ''
        return email.partition('@')[2]

assignment: a conditional expression gets parentheses
    def words(row, raw):
        text = row.raw if raw else row.text
        return «text».split()
AttributeError: 'NoneType' object has no attribute 'split'
    def words(row, raw):
        text = (row.raw if raw else row.text) or ""
        return text.split()

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

not assignment: the value comes from one of two assignments
    def show(row, raw):
        text = row.text
        if raw:
            text = row.raw
        return «text».upper()
AttributeError: 'NoneType' object has no attribute 'upper'

not assignment: a parameter that nobody declared to be optional
    def shout(text):
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

default: a mapping
    for key, value in «options».items():
        print(key, value)
AttributeError: 'NoneType' object has no attribute 'items'
    for key, value in (options or {}).items():
        print(key, value)

default: the other operand is a number
    total = 1 + «item.count» * 2
TypeError: unsupported operand type(s) for *: 'NoneType' and 'int'
    total = 1 + (item.count or 0) * 2

default: the message says that the other operand is a string
    text = first + «last»
TypeError: can only concatenate str (not "NoneType") to str
    text = first + (last or "")

default: an augmented assignment
    «self.count» += 1 if big else 2
TypeError: unsupported operand type(s) for +=: 'NoneType' and 'int'
    self.count = (self.count or 0) + (1 if big else 2)

default: starred arguments
    run(*«args», **options)
TypeError: __main__.run() argument after * must be an iterable, not NoneType
    run(*(args or ()), **options)

default: keyword arguments
    run(*args, **«options»)
TypeError: __main__.run() argument after ** must be a mapping, not NoneType
    run(*args, **(options or {}))

default: a dictionary display
    merged = {"a": 1, **«extra»}
TypeError: 'NoneType' object is not a mapping
    merged = {"a": 1, **(extra or {})}

default: a list display
    merged = [1, *«extra»]
TypeError: Value after * must be an iterable, not NoneType
    merged = [1, *(extra or ())]

default: str.join
    line = ", ".join(«names»)
TypeError: can only join an iterable
    line = ", ".join(names or ())

default: blank items stay in their places
    row = " | ".join(«cells»)
TypeError: sequence item 1: expected str instance, NoneType found
    row = " | ".join(cell or "" for cell in cells)

default: a part of a path
    path = os.path.join("data", «folder»)
TypeError: expected str, bytes or os.PathLike object, not NoneType
    path = os.path.join("data", folder or "")

default: a number for int()
    port = int(«config.port»)
TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'
    port = int(config.port or 0)

default: a format for numbers
    print(f"{«price»:.2f}")
TypeError: unsupported format string passed to NoneType.__format__
    print(f"{price or 0:.2f}")

default: a number for a percent sign
    print("%s: %d" % (name, «count»))
TypeError: %d format: a real number is required, not NoneType
    print("%s: %d" % (name, count or 0))

default: a format for text
    print(f"{«name»:>20}")
TypeError: unsupported format string passed to NoneType.__format__
    print(f"{name or '':>20}")

default: yield from
    def walk(node):
        yield from «node.children»
TypeError: 'NoneType' object is not iterable
    def walk(node):
        yield from node.children or ()

default: a slice of text
    code = «name»[:3].upper()
TypeError: 'NoneType' object is not subscriptable
    code = (name or "")[:3].upper()

not default: nothing shows what the attribute belongs to
    name = «user».name
AttributeError: 'NoneType' object has no attribute 'name'

not default: an empty mapping does not have the key either
    name = «row»["name"]
TypeError: 'NoneType' object is not subscriptable

not default: there is no neutral divisor
    rate = 100 / «count»
TypeError: unsupported operand type(s) for /: 'int' and 'NoneType'

not default: what is changed would be lost
    «names».append("x")
AttributeError: 'NoneType' object has no attribute 'append'

not default: nothing can be called
    result = «callback»()
TypeError: 'NoneType' object is not callable

not default: an empty iterable is no asynchronous one
    async def collect(stream):
        async for item in «stream»:
            print(item)
TypeError: 'async for' requires an object with __aiter__ method, got NoneType

not any: it returns above where the value is missing
    def name(user):
        if user is None:
            return None
        return «user».name
AttributeError: 'NoneType' object has no attribute 'name'

not any: it leaves above where the value is falsy
    def names(users):
        for user in users:
            if not user or user.hidden:
                continue
            print(«user».name)
AttributeError: 'NoneType' object has no attribute 'name'

not any: inside an if that tests it
    if user.profile and user.profile.public:
        print(«user.profile».name)
AttributeError: 'NoneType' object has no attribute 'name'

not any: in the else of a test for None
    if user is None:
        name = ""
    elif full:
        name = «user».name
AttributeError: 'NoneType' object has no attribute 'name'

not any: behind an and
    name = user and «user».name
AttributeError: 'NoneType' object has no attribute 'name'

not any: behind an or
    missing = user is None or «user».name == ""
AttributeError: 'NoneType' object has no attribute 'name'

not any: in a conditional expression
    name = «user».name if user is not None else None
AttributeError: 'NoneType' object has no attribute 'name'

not any: a walrus that is tested
    name = «found».name if (found := find()) is not None else None
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

not any: filled above
    def show(tags=None):
        if tags is None:
            tags = []
        print(len(«tags»))
TypeError: object of type 'NoneType' has no len()

not any: a value that cannot be None
    total = «[1, 2]».total
AttributeError: 'list' object has no attribute 'total'

not any: comparing None for equality does not fail
    same = «user» == other
TypeError: 'NoneType' object is not iterable

not any: an annotation is no use of the value
    def load(path: «config».Path): ...
AttributeError: 'NoneType' object has no attribute 'Path'

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
