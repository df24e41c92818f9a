"""Programs that fail because something is None, each with that something in guillemets.

They run on every interpreter at hand (``raised.py``), so the messages and spans are CPython's own.
"""

from __future__ import annotations

PROGRAMS: dict[str, str] = {
    "attribute": """
def label(user):
    return «user».name
label(None)
""",
    "method": """
def words(text):
    return «text».split(",")
words(None)
""",
    "chain: the first link": """
class Order: customer = None
def city(order):
    return «order.customer».address.city.upper()
city(Order())
""",
    "chain: a later link": """
class Address: city = None
class Customer: address = Address()
class Order: customer = Customer()
def city(order):
    return «order.customer.address.city».upper()
city(Order())
""",
    "chain over lines": """
class Query:
    def filter(self): return self
    def first(self): return None
def name(query):
    return (
        «query
        .filter()
        .first()»
        .name
    )
name(Query())
""",
    "same attribute twice": """
class User:
    def __init__(self, name): self.name = name
def both(a, b):
    return a.name.upper() + «b.name».upper()
both(User("x"), User(None))
""",
    "attribute assigned": """
def rename(user):
    «user».name = "x"
rename(None)
""",
    "attribute deleted": """
def forget(user):
    del «user».name
forget(None)
""",
    "attribute in an augmented assignment": """
def count(stats):
    «stats».hits += 1
count(None)
""",
    "result of a call": """
import re
def number(text):
    return int(«re.search("[0-9]+", text)».group())
number("none")
""",
    "walrus": """
def first(row):
    if (cell := row[0]) is not None or «cell».text:
        return cell
first([None])
""",
    "non-ascii before it": """
def greet(name, gruß):
    return "äöü", name, «gruß».upper()
greet("é", None)
""",
    "tab indented": """
def greet(name):
\tif True:
\t\treturn «name».upper()
greet(None)
""",
    "subscript": """
def head(rows):
    return «rows»[0]
head(None)
""",
    "slice": """
def head(rows):
    return «rows»[1:3]
head(None)
""",
    "subscript of a subscript": """
def cell(table):
    return «table["rows"]»[0]
cell({"rows": None})
""",
    "item assigned": """
def put(cache, key):
    «cache»[key] = 1
put(None, "k")
""",
    "item deleted": """
def drop(cache, key):
    del «cache»[key]
drop(None, "k")
""",
    "index": """
def pick(rows, at):
    return rows[«at»]
pick([1, 2], None)
""",
    "index of a string": """
def letter(text, at):
    return text[«at»]
letter("abc", None)
""",
    "call": """
def fire(handler):
    return «handler»(1)
fire(None)
""",
    "call of an attribute": """
class Button: on_click = None
def press(button):
    return «button.on_click»()
press(Button())
""",
    "call of what a call returned": """
def make(): return None
def fire():
    return «make()»(1)
fire()
""",
    "decorator": """
registered = None
@«registered»
def handler(): pass
""",
    "for": """
def total(items):
    for item in «items»:
        print(item)
total(None)
""",
    "for over a call": """
def load(): return None
def total():
    for item in «load()»:
        print(item)
total()
""",
    "list comprehension": """
def names(users):
    return [user for user in «users»]
names(None)
""",
    "set comprehension": """
def names(users):
    return {user for user in «users»}
names(None)
""",
    "dict comprehension": """
def names(users):
    return {user: 1 for user in «users»}
names(None)
""",
    "generator": """
def names(users):
    return sum(user for user in «users»)
names(None)
""",
    "element in a comprehension": """
def names(users):
    return [«user».name for user in users]
names([None])
""",
    "element in a generator": """
def names(users):
    return list(«user».name for user in users)
names([None])
""",
    "inner loop of a comprehension": """
def flat(rows):
    return [cell for row in rows for cell in «row»]
flat([[1], None])
""",
    "lambda": """
def by_name(users):
    return sorted(users, key=lambda user: «user».name)
by_name([None])
""",
    "iterating built-in": """
def total(numbers):
    return sum(«numbers»)
total(None)
""",
    "list()": """
def copy(items):
    return list(«items»)
copy(None)
""",
    "zip": """
def pairs(keys, values):
    return dict(zip(keys, «values»))
pairs([1], None)
""",
    "extend": """
def add(rows, more):
    rows.extend(«more»)
add([], None)
""",
    "list += None": """
def add(rows, more):
    rows += «more»
add([], None)
""",
    "starred in a display": """
def join(a, b):
    return [*a, *«b»]
join([], None)
""",
    "starred argument": """
def show(parts):
    print(*«parts»)
show(None)
""",
    "double starred argument": """
def show(options):
    print(**«options»)
show(None)
""",
    "double starred in a display": """
def merge(a, b):
    return {**a, **«b»}
merge({}, None)
""",
    "yield from": """
def walk(children):
    yield from «children»
list(walk(None))
""",
    "unpacking": """
def split(pair):
    left, right = «pair»
split(None)
""",
    "unpacking with a star": """
def split(pair):
    left, *right = «pair»
split(None)
""",
    "unpacking a call": """
def find(): return None
def split():
    (left, right) = «find()»
split()
""",
    "plus: left": """
def add(a, b):
    return «a» + b
add(None, 1)
""",
    "plus: right": """
def add(a, b):
    return a + «b»
add(1, None)
""",
    "minus inside more": """
class Box:
    def __init__(self, low, high): self.low, self.high = low, high
def width(box, pad):
    return (pad + 1) * (box.high - «box.low») - pad
width(Box(None, 3), 1)
""",
    "text plus": """
def greet(name):
    return "hello " + «name»
greet(None)
""",
    "list plus": """
def more(rows):
    return [1] + «rows»
more(None)
""",
    "bytes plus": """
def frame(body):
    return b"head" + «body»
frame(None)
""",
    "times": """
def line(width):
    return "-" * «width»
line(None)
""",
    "power": """
def square(x):
    return «x» ** 2
square(None)
""",
    "percent format": """
def show(count):
    return "%d items" % «count»
show(None)
""",
    "percent format of several": """
def show(name, count):
    return "%s: %d items" % (name, «count»)
show("x", None)
""",
    "augmented: the target": """
def count(n):
    «n» += 1
count(None)
""",
    "augmented: the value": """
def count(n, more):
    n -= «more»
count(1, None)
""",
    "unary minus": """
def negate(x):
    return -«x»
negate(None)
""",
    "less: left": """
def small(x, limit):
    return «x» < limit
small(None, 3)
""",
    "less: right": """
def small(x, limit):
    return x < «limit»
small(3, None)
""",
    "chained comparison": """
def inside(low, x, high):
    return low <= x <= «high»
inside(1, 2, None)
""",
    "comparison in an if": """
def check(x, limit):
    if x > 0 and x >= «limit»:
        return True
    elif x:
        return False
check(1, None)
""",
    "comparison in an elif": """
def check(x, limit):
    if x < 0:
        return False
    elif x > «limit»:
        return True
    else:
        return None
check(1, None)
""",
    "while": """
def drain(queue):
    while «queue».items:
        queue.pop()
drain(None)
""",
    "max": """
def top(a, b):
    return max(a, «b»)
top(1, None)
""",
    "in": """
def has(x, rows):
    return x in «rows»
has(1, None)
""",
    "not in": """
def lacks(x, rows):
    if x not in «rows»:
        return True
lacks(1, None)
""",
    "with": """
def read(lock):
    with «lock»:
        return 1
read(None)
""",
    "with: the second": """
import contextlib
def read(a, b):
    with a as x, «b» as y:
        return x, y
read(contextlib.nullcontext(), None)
""",
    "async with": """
import asyncio
async def read(lock):
    async with «lock»:
        return 1
asyncio.run(read(None))
""",
    "await": """
import asyncio
async def wait(task):
    return await «task»
asyncio.run(wait(None))
""",
    "await of a call": """
import asyncio
def start(): return None
async def wait():
    return await «start()»
asyncio.run(wait())
""",
    "async for": """
import asyncio
async def drain(queue):
    async for item in «queue»:
        print(item)
asyncio.run(drain(None))
""",
    "async comprehension": """
import asyncio
async def drain(queue):
    return [item async for item in «queue»]
asyncio.run(drain(None))
""",
    "len": """
def size(rows):
    return len(«rows»)
size(None)
""",
    "len among others": """
def wide(a, b):
    return len(a) + len(«b»)
wide([], None)
""",
    "int": """
def parse(text):
    return int(«text»)
parse(None)
""",
    "float": """
def parse(text):
    return float(«text»)
parse(None)
""",
    "range": """
def count(n):
    return list(range(«n»))
count(None)
""",
    "abs": """
def size(x):
    return abs(«x»)
size(None)
""",
    "round": """
def near(x):
    return round(«x», 2)
near(None)
""",
    "reversed": """
def back(rows):
    return list(reversed(«rows»))
back(None)
""",
    "next": """
def first(rows):
    return next(«rows»)
first(None)
""",
    "open": """
def load(path):
    with open(«path») as stream:
        return stream.read()
load(None)
""",
    "path join": """
import os
def below(root, name):
    return os.path.join(root, «name»)
below("/", None)
""",
    "json.loads": """
import json
def load(text):
    return json.loads(«text»)
load(None)
""",
    "re.match": """
import re
def digits(text):
    return re.match("[0-9]+", «text»)
digits(None)
""",
    "replace": """
def censor(text, word):
    return text.replace(«word», "*")
censor("x", None)
""",
    "join": """
def line(words):
    return ", ".join(«words»)
line(None)
""",
    "join of a display": """
def line(first, last):
    return " ".join([first, «last»])
line("a", None)
""",
    "join of a generator": """
def line(users):
    return " ".join(«user» for user in users)
line([None])
""",
    "format spec": """
def show(price):
    return f"{«price»:.2f}"
show(None)
""",
    "format spec of one of several": """
def show(name, price):
    return f"{name}: {«price»:>8} EUR"
show("x", None)
""",
    "attribute in an f-string": """
def show(user):
    return f"name: {«user».name!r} end"
show(None)
""",
    "format()": """
def show(price):
    return format(«price», ".2f")
show(None)
""",
    "raise": """
def check(error):
    raise «error»
check(None)
""",
    "except": """
expected = None
try:
    1 / 0
except «expected»:
    pass
""",
    "conditional expression": """
def label(user, short):
    return user.initials if short else «user».name
label(None, False)
""",
    "default of a parameter": """
settings = None
def run(level=«settings».level): pass
""",
    "base class": """
models = None
class User(«models».Model): pass
""",
    "class body": """
config = None
class User:
    name = «config».name
""",
    "one-line suite": """
def label(user):
    if True: return «user».name
label(None)
""",
    "semicolons": """
def label(user, other):
    a = other; b = «user».name; return a, b
label(None, None)
""",
    "argument over lines": """
def label(user, other):
    return dict(
        name=str(other),
        city=«user».city,
    )
label(None, 1)
""",
    "keyword of a call over lines": """
def label(a, b):
    return "{} {}".format(
        len(a),
        len(
            «b»
        ),
    )
label([], None)
""",
    "return tuple": """
def both(a, b):
    return (a, «b».name)
both(1, None)
""",
    "dict display": """
def record(user):
    return {"id": 1, "name": «user».name}
record(None)
""",
    "continued line": """
def label(user):
    name = 1 + \\
        «user».name
label(None)
""",
    "nested function": """
def outer(user):
    def inner():
        return «user».name
    return inner()
outer(None)
""",
    "assert": """
def check(user):
    assert «user».name, "no name"
check(None)
""",
}
