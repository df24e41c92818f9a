"""Programs with a probe on each line marked ``# !``, for every place where a statement can stand.

Each prints what it does; some end in an exception. ``since`` is the first Python that compiles them.
"""

from __future__ import annotations

from typing import NamedTuple


class Snippet(NamedTuple):
    source: str
    since: tuple[int, int] = (3, 7)


_SOURCES = """
x = None
x.y  # !
---
x = [1]; print(x[0]); x[1]  # !
---
def f(u):
    if u: return u.name  # !
f(3)
---
def f(u):
    if u is None: pass
    elif u.name: return 1  # !
f(3)
---
def f(u):
    if u:
        print("yes")
    elif u.x:  # !
        print("x")
    else: print(u.y)  # !
f([])
---
def f(u):
    if u:
        pass
    else: return u.y  # !
f([])
---
for i in range(3): print(i, i * i)  # !
else: print("end", i)  # !
---
for i in None: print(i)  # !
---
def f(d):
    for key, value in d.items():  # !
        print(key, value)
f({"a": 1}), f([])
---
i = 3
while i > 0: print(i); i -= 1  # !
else: print("done")  # !
---
i = 2
while 6 / i:  # !
    print(i)
    i -= 1
---
for i in range(5):
    if i == 1: continue  # !
    if i == 3: break  # !
    print(i)
---
for i in range(5):
    if i == 1:
        continue  # !
    if i == 3:
        break  # !
    print(i)
---
try:
    {}["k"]  # !
except KeyError as error:
    print(repr(error))  # !
else:
    print("no")
finally:
    print("finally")  # !
---
try: {}["k"]  # !
except KeyError as error: print(repr(error)); raise  # !
finally: print("finally")  # !
---
names = {}
try:
    raise ValueError(1)
except names["E"]:  # !
    pass
---
import builtins
try:
    raise ValueError(1)
except (builtins.KeyError, builtins.ValueError) as e:  # !
    print(e)
---
def deco(n):
    def wrap(f):
        print(n, f.__name__)
        return f
    return wrap
class N: a = 3
@deco(N.a)  # !
@deco(N.b)  # !
def f(): pass
---
def deco(f): print(f.__name__); return f
@deco
def f(a=len("abc"), *, b=[].c):  # !
    return a
---
class A:
    x = [i * 2 for i in range(3)]  # !
    y = x.z  # !
---
class Base: pass
class A(Base, metaclass=type(Base).missing):  # !
    pass
---
class A: "doc"; x = len("abc"); print(x)  # !
print(A.__doc__, A.x)
---
class A:
    '''Doc.'''; x = 4  # !
print(A.__doc__, A.x, len(A.__doc__))  # !
---
def f():
    "doc"  # !
    global G  # !
    G = 5  # !
    return G  # !
print(f.__doc__, f(), G)
---
def outer():
    n = 1
    def inner():
        nonlocal n  # !
        n += 1  # !
        return n
    return inner()
print(outer())
---
'''Module doc.'''  # !
from __future__ import annotations  # !
import os.path  # !
from os import sep as s  # !
def f(a: undefined = 1) -> also.undefined: return a  # !
print(__doc__, f.__annotations__, os.path.sep == s)
---
'''Doc.'''; from __future__ import annotations; a = len("ab")  # !
print(__doc__, a)
---
from os.path import *  # !
print(join("a", "b").replace("\\\\", "/"))  # !
---
import no_such_module_here  # !
---
def gen(n):
    x = yield n.real  # !
    print("got", x)
    yield from range(n)  # !
    return n  # !
g = gen(2)
print(next(g), g.send("v"), next(g))
try: next(g)  # !
except StopIteration as stop: print(stop.value)
---
def gen():
    try:
        yield 1  # !
    finally:
        print("closed")
g = gen(); next(g); g.close()
g = gen(); next(g)
try: g.throw(ValueError("thrown"))
except ValueError as e: print(e, e.__traceback__.tb_next.tb_lineno)
---
g = (x.y for x in [None])  # !
next(g)
---
xs = [1, None, 3]
print([x.real for x in xs if x is not None])  # !
print({x: x + 1 for x in xs})  # !
---
f = lambda u: u.name  # !
f(None)
---
rows = [{"n": 2}, {"n": 1}, {}]
print(sorted(rows, key=lambda r: r["n"]))  # !
---
f = lambda *a, k=len("abc"), **kw: (a, k, kw)  # !
print(f(1, z=2))
---
import asyncio
async def one(x):
    await asyncio.sleep(0)  # !
    return x.real  # !
async def main():
    print(await one(1), await one(2))  # !
    print([await one(i) for i in (1, 2)])  # !
    if await one(0): pass  # !
    await one("s")  # !
asyncio.run(main())
---
import asyncio
class Manager:
    async def __aenter__(self): print("in"); return self
    async def __aexit__(self, *e): print("out", e[0])
async def numbers():
    for i in range(2):
        yield i  # !
async def main():
    async with Manager() as m, Manager():  # !
        async for n in numbers():  # !
            print(n)
        print([n async for n in numbers() if n])  # !
        async for n in None: pass  # !
asyncio.run(main())
---
import contextlib
@contextlib.contextmanager
def manager(name):
    print("in", name)
    try: yield name.upper()  # !
    except ZeroDivisionError: print("swallowed")
with manager("a") as a, manager("b") as b:  # !
    print(a, b)
    1 / 0  # !
with None as c:  # !
    pass
---
def f(a, b):
    return a.x if a else b.y  # !
f(None, None)
---
def f(a, b): return a and a.x or b  # !
print(f(0, 2)); f(1, 2)
---
def p(x): print(x); return x
d = {}
d[p("key")] = p("value")  # !
d[p("key")] += p("!")  # !
del d[p("key")]  # !
print(d)
d[p("none")] += p(1)  # !
---
class A:
    def __init__(self): self.__secret = 3; self.items = []
    def go(self): return self.__secret + self.__missing  # !
A().go()
---
class Base:
    def go(self): return "base"
class A(Base):
    def go(self):
        return super().go() + __class__.__name__  # !
    def no(self): return super().no()  # !
print(A().go()); A().no()
---
def f():
    x = 1
    y = 2; print(sorted(locals()))  # !
    return sorted(vars()), sorted(dir()), eval("x + y")  # !
print(f())
---
a, *b = [1, 2, 3]; (c, d), e = (4, 5), 6; print(a, b, c, d, e)  # !
a, b = [1]  # !
---
x = 3
assert x == 3, x.missing  # !
assert x == 4, f"x is {x}"  # !
---
def f(e): raise e from KeyError(1)  # !
f(ValueError("v"))
---
try: 1 / 0
except ZeroDivisionError:
    raise  # !
---
import sys
def f(): sys.exit(3)  # !
f()
---
user, width = None, 7
print(f"{'abc':>{width}}|{width!r:<4}|{width:{width}d}")  # !
print(f'{user.name} {width}')  # !
---
user = None
print(f'''{
  user.name
}''')  # !
---
x = 5
print(f"{x=} {x.real = }" f'{x}' "z")  # ! since 3.8
---
def f(a):
    return-a  # !
print(f(3)); f("s")
---
def f(a):
    return(a).x if(a)else(a)  # !
f(0); f(1)
---
def f(a):
    return (
        a
        .b
        .c
    )  # !
f(3)
---
def f(a, b):
    x = a[
        b:b + 1
    ] + [b]; print(x)  # !
    print(
        a,
        a.missing,
        b,
    )  # !
f([1, 2], 1)
---
total = 1 + \\
    len(3)  # !
---
def f(*a, **k): return a, k
print(f(*[1, 2], *(3,), x=1, **{"y": 2}))  # !
print(f(*None))  # !
---
def f(**k): return k
f(**None)  # !
---
def f(x):
    return x,  # !
print(f(1))
---
def f(x): return x, *x.y  # ! since 3.8
f(1)
---
x = 1,; y = *x, 2; print(x, y)  # !
---
print([(y := 3), y], y)  # ! since 3.8
if (n := len("abc")) > 2: print(n.missing)  # !
---
def f(data):
    while (item := data.pop()) is not None: print(item.real)  # ! since 3.8
    return item
f([None, 1]); f([])
---
def f(x):
    match x.kind:  # ! since 3.10
        case 1: return "one"
f(3)
---
def f(x):
    match x:  # ! since 3.10
        case {"a": a} if a.missing: return a  # !
        case [first, *rest]: return first.y  # !
        case _ if x: return "other"  # !
print(f(3)); f([1])
---
def f(x, y):
    match x, y:  # ! since 3.10
        case int(), str(): return y.upper()  # !
print(f(1, "a"))
---
try:
    raise ExceptionGroup("g", [ValueError(1)])  # !
except* (ValueError, KeyError) as group:  # ! since 3.11
    print(group.exceptions)  # !
---
type Pair[T] = tuple[T, missing]  # ! since 3.12
def first[T: int](x: T) -> T: return x.y  # !
class Box[T](list[T]): size = len("ab")  # !
print(Box.size); first(1)
---
d = {"k": None}
print(f"{d["k"].x}")  # ! since 3.12
---
class A:
    def __enter__(self): return self
    def __exit__(self, *e): return True
with (A() as a,
      A() as b):  # ! since 3.9
    a.x  # !
print("after")
---
import enum
class Color(enum.Enum):
    RED = enum.auto()  # !
    BLUE = "b".upper()  # !
    def show(self): return self.name  # !
print([c.show() for c in Color], Color.BLUE.value)
---
import dataclasses
@dataclasses.dataclass
class P:
    x: int = 1  # !
    y: list = dataclasses.field(default_factory=list)  # !
print(P(), P.__annotations__)
---
from typing import NamedTuple
class P(NamedTuple):
    x: int = len("a")  # !
print(P())
---
class Recorder(dict):
    def __setitem__(self, k, v): print("set", k); dict.__setitem__(self, k, v)
class Meta(type):
    @classmethod
    def __prepare__(cls, *a): return Recorder()
class A(metaclass=Meta):
    x = len("ab")  # !
    y: int = x + 1  # !
---
class Odd:
    def __bool__(self): raise ValueError("truth")
    def __repr__(self): print("repr was called"); return "Odd"
    __str__ = __repr__
    def __eq__(self, other): print("eq was called"); return self
    def __hash__(self): print("hash was called"); return 1
    def __getattr__(self, name): print("asked for", name); raise AttributeError(name)
odd = Odd()
other = odd == odd  # !
odd.attribute if odd is not None else 0  # !
---
class Odd:
    def __bool__(self): raise ValueError("truth")
if Odd():  # !
    pass
---
class E(Exception):
    def __str__(self): print("str was called"); return "e"
def f(): raise E(1)  # !
try: f()
except E: print("handled")
---
import weakref
class A: pass
a = A(); r = weakref.ref(a); a = None; print(r() is None)  # !
print(weakref.ref(A())() is None)  # !
---
import sys
def depth(): return sys._getframe(1).f_code.co_name, sys._getframe(1).f_lineno
def caller(): x = [depth()]; return x[0], depth()  # !
def other(): return depth()  # !
print(caller(), other())
---
import traceback, inspect
def f():
    return inspect.currentframe().f_lineno, traceback.extract_stack()[-1].lineno  # !
print(f())
---
def f():
    try:
        return len(1)  # !
    except TypeError as e:
        return e.__traceback__.tb_lineno, e.__traceback__.tb_next, e.__context__
    finally:
        print("finally")  # !
print(f())
---
def f():
    for i in range(3):
        try:
            i.real  # !
        finally:
            print(i)  # !
            continue  # ! since 3.8
    while True: break  # !
    return i  # !
print(f())
---
def f(n): return 0 if n == 0 else 1 + f(n - 1)  # !
print(f(50))
---
import threading
out = []
def work(i): out.append(i * 2)  # !
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]  # !
for t in threads: t.start()  # !
for t in threads: t.join()  # !
print(sorted(out))
---
import os
if hasattr(os, "fork"):
    pid = os.fork()  # !
    if pid == 0: os._exit(len("abc"))  # !
    print(os.waitpid(pid, 0)[1] >> 8)  # !
---
import sys
seen = []
def tracer(frame, event, arg): seen.append(event); return None
def g(): return 1
sys.settrace(tracer)
if g(): print("under trace")  # !
print(sys.gettrace() is tracer)
sys.settrace(None)
print("call" in seen)
---
x = {**{"a": 1}, "b": [2, {3}], (4,): ...}; print(x["b"][0], x[4,])  # !
x["zz"]  # !
---
x = 1
x: int; y: str = "a"; print(y)  # !
print(not x, ~x, +x, -x, x if not x else x ** -x, x < 2 < 3, 1 in[x], x is not None)  # !
---
a = b = c = len("ab"); print(a, b, c)  # !
if a: b = 1; del c; print(b)  # !
print(c)  # !
---
if 1: import os, sys; from os import path as p  # !
if 1: pass  # !
if 1: from no_such_module_here import x  # !
---
def g():
    x = [(yield), (yield 1)]  # !
    print(x)
    y = yield
    while (yield y): print("again")  # !
i = g(); next(i); i.send("a"); i.send("b"); i.send("y"); i.send(1)
try: i.send(0)
except StopIteration: print("end")
"""


def _snippet(text: str) -> Snippet:
    major, _, minor = text.partition("since ")[2].partition("\n")[0].partition(".")
    source = text.strip("\n") + "\n"
    return Snippet(source, (int(major), int(minor))) if minor else Snippet(source)


SNIPPETS = tuple(_snippet(text) for text in _SOURCES.split("---\n"))
