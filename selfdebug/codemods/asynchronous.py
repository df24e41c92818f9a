"""Asynchronous: a coroutine was used without ``await``, or ``async`` is missing or too much."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, expression, replaced, without_parentheses
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._names import dotted
from selfdebug.codemods._operands import bad, of_type, value_of
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._place import may_await
from selfdebug.syntax.modules import definitions
from selfdebug.syntax.region import Tree

_AWAIT = Variant("await", "root-cause", "await the coroutine whose result is meant", prior=0.9)
_PLAIN = Variant("plain", "root-cause", "take the value, which is no awaitable", prior=0.7)
_ASYNC = Variant("async", "root-cause", "make the `for` or `with` asynchronous", prior=0.9)
_SYNC = Variant("sync", "root-cause", "make the `for` or `with` a plain one", prior=0.8)

_COROUTINE = frozenset({"coroutine", "Future", "Task"})
_UNAWAITED = r"'(?:coroutine|_?asyncio\.(?:Task|Future)|Task|Future)'|got coroutine|coroutine found"
_NOT_AWAITABLE = (
    r"object (?P<type>[\w.]+) can't be used in 'await' expression|"
    r"'(?P<other>[\w.]+)' object can't be awaited"
)
_WITH_ASYNC = r"does not support the context manager protocol"
_WITH_PLAIN = r"does not support the asynchronous context manager protocol"
_FOR_PLAIN = r"'async for' requires an object with __aiter__ method, got (?P<type>\w+)"


class Asynchronous(Codemod):
    """Put ``await`` and ``async`` where coroutines, and only they, are used."""

    DESCRIPTION = "Await coroutines, and nothing else."
    NAME = "asynchronous"
    ANSWERS = (
        Answer(("TypeError", "AttributeError"), _UNAWAITED),
        Answer(("TypeError",), rf"'async_generator' object is not iterable|{_NOT_AWAITABLE}"),
        Answer(("TypeError",), rf"{_WITH_ASYNC}|{_WITH_PLAIN}|{_FOR_PLAIN}"),
        Answer(("AttributeError",), r"^__a?enter__$"),
    )
    VARIANTS = (_AWAIT, _PLAIN, _ASYNC, _SYNC)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the code with the word that is missing, or without the one too many."""
        yield from rewritten(target.tree, _changes(target))


def _changes(target: Target) -> Iterator[Form]:
    tree, site = target.tree, target.site
    message = site.message
    if re.search(_UNAWAITED, message):
        for node in of_type(tree, site, _COROUTINE):
            yield from _awaited(tree, node)
    elif found := re.search(_NOT_AWAITABLE, message):
        is_none = "NoneType" in found.groups()
        for node in bad(tree, site):
            # A function may return None and need no await; a variable that is None lacks its task.
            if isinstance(node, cst.Call) or not is_none:
                yield from _not_awaited(tree, node)
    else:
        for node in bad(tree, site):
            yield from _switched(target, node)


def _awaited(tree: Tree, node: cst.BaseExpression) -> Iterator[Form]:
    """Await a call where it stands, or where a variable got it."""
    call = node if isinstance(node, cst.Call) else value_of(tree, node) or _item(tree, node)
    if not isinstance(call, cst.Call) or not may_await(tree, call):
        return
    change = replaced(tree, call, lambda new: expression("await OLD", OLD=new))
    yield _AWAIT, change, f"`{tree.code(call)}` is a coroutine until it is awaited"


def _item(tree: Tree, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Return what made the items of the list that a loop variable goes through."""
    for loop in tree.ranges if isinstance(node, cst.Name) else ():
        match loop:
            case (
                cst.For(target=cst.Name(value=name), iter=items)
                | cst.CompFor(target=cst.Name(value=name), iter=items)
            ) if name == dotted(node):
                made = value_of(tree, items) or items
                return made.elt if isinstance(made, cst.ListComp) else None
    return None


def _not_awaited(tree: Tree, node: cst.BaseExpression) -> Iterator[Form]:
    awaiting = tree.parents[node]
    if isinstance(awaiting, cst.Await):
        change = replaced(tree, awaiting, lambda new: without_parentheses(tree, new.expression))
        yield _PLAIN, change, f"`{tree.code(node)}` is no awaitable"


def _switched(target: Target, node: cst.BaseExpression) -> Iterator[Form]:
    """Add ``async`` to the ``for`` or ``with`` that uses an expression, or take it away."""
    tree, message = target.tree, target.site.message
    parent = tree.parents[node]
    holder = tree.parents[parent] if isinstance(parent, cst.WithItem) else parent
    if not isinstance(holder, cst.For | cst.CompFor | cst.With):
        return
    code = tree.code(node)
    if holder.asynchronous is None and _is_asynchronous(target, node) and may_await(tree, node):
        change: Change = {
            holder: lambda updated: updated.with_changes(asynchronous=cst.Asynchronous())
        }
        yield _ASYNC, change, f"`{code}` is asynchronous"
    elif holder.asynchronous is not None and "coroutine" not in message:
        yield (
            _SYNC,
            {holder: lambda updated: updated.with_changes(asynchronous=None)},
            f"`{code}` is not asynchronous",
        )


def _is_asynchronous(target: Target, node: cst.BaseExpression) -> bool:
    """Say whether a value can only be used with ``async``, by the message or the class's methods."""
    message = target.site.message
    if "async_generator" in message or "__aexit__" in message or "asynchronous" in message:
        return True
    named = re.search(r"'(?:[\w.]+\.)?(\w+)' object", message)
    name = named[1] if named else last_of(node.func) if isinstance(node, cst.Call) else ""
    found = [each.node for each in definitions(name, target.project)]
    return any(
        isinstance(stmt, ast.AsyncFunctionDef) and stmt.name == "__aenter__"
        for owner in found
        if isinstance(owner, ast.ClassDef)
        for stmt in owner.body
    )


Asynchronous.EXAMPLES = examples(
    """
await: an attribute of what a coroutine returns
    async def greeting(store, number):
        return "Hello " + «store.find(number)».name
AttributeError: 'coroutine' object has no attribute 'name'
    async def greeting(store, number):
        return "Hello " + (await store.find(number)).name

await: the assignment that gave the coroutine
    async def names(store):
        rows = store.fetch()  # sorted
        return [row.name for row in «rows»]
TypeError: 'coroutine' object is not iterable
    async def names(store):
        rows = await store.fetch()  # sorted
        return [row.name for row in rows]

await: a sum
    async def total(store):
        return «store.net() + store.tax»
TypeError: unsupported operand type(s) for +: 'coroutine' and 'int'
    async def total(store):
        return await store.net() + store.tax

await: the items of a list
    async def total(store, numbers):
        rows = [store.find(number) for number in numbers]
        return sum(«row».price for row in rows)
AttributeError: 'coroutine' object has no attribute 'price'
    async def total(store, numbers):
        rows = [await store.find(number) for number in numbers]
        return sum(row.price for row in rows)

plain: the function is not asynchronous
    async def load(path):
        return await «read(path)»
TypeError: object str can't be used in 'await' expression
    async def load(path):
        return read(path)

plain: a function that returns None is not asynchronous
    async def stop(log):
        await «log.close()»
TypeError: object NoneType can't be used in 'await' expression
    async def stop(log):
        log.close()

async: a loop over an asynchronous generator
    async def collect(stream):
        for item in «stream.items()»:
            print(item)
TypeError: 'async_generator' object is not iterable
    async def collect(stream):
        async for item in stream.items():
            print(item)

async: a context manager with __aenter__
    class Session:
        async def __aenter__(self):
            return self

        async def __aexit__(self, *_):
            pass

    async def fetch(url):
        with «Session()» as session:
            return await session.get(url)
TypeError: 'Session' object does not support the context manager protocol
    class Session:
        async def __aenter__(self):
            return self

        async def __aexit__(self, *_):
            pass

    async def fetch(url):
        async with Session() as session:
            return await session.get(url)

sync: a list is looped over
    async def collect(rows):
        async for row in «rows»:
            print(row)
TypeError: 'async for' requires an object with __aiter__ method, got list
    async def collect(rows):
        for row in rows:
            print(row)

not any: nothing can be awaited here
    def greeting(store, number):
        return "Hello " + «store.find(number)».name
AttributeError: 'coroutine' object has no attribute 'name'

not any: a lambda is no coroutine
    async def keys(store):
        return sorted(store.rows, key=lambda row: «store.rank(row)».value)
AttributeError: 'coroutine' object has no attribute 'value'

not any: a context manager of neither kind
    class Session:
        pass

    async def fetch(url):
        with «Session()» as session:
            return await session.get(url)
TypeError: 'Session' object does not support the context manager protocol

not any: the task that is awaited is missing
    async def stop(poller):
        await «poller.task»
TypeError: object NoneType can't be used in 'await' expression

not any: the coroutine comes from the caller
    async def names(rows):
        return [row.name for row in «rows»]
TypeError: 'coroutine' object is not iterable

not any: a generator expression is no coroutine
    async def total(store, numbers):
        return sum(«store.find(number)».price for number in numbers)
AttributeError: 'coroutine' object has no attribute 'price'

not sync: a coroutine has to be awaited first
    async def collect(rows):
        async for row in «rows()»:
            print(row)
TypeError: 'async for' requires an object with __aiter__ method, got coroutine

not async: a function that is not asynchronous
    def collect(stream):
        for item in «stream.items()»:
            print(item)
TypeError: 'async_generator' object is not iterable

not await: a function inside is not asynchronous
    async def report(store):
        def title(number):
            return «store.find(number)».name
        return title(1)
AttributeError: 'coroutine' object has no attribute 'name'

not async: a list of what a generator gives
    async def collect(stream):
        return list(«stream.items()»)
TypeError: 'async_generator' object is not iterable
"""
)
