"""MissingAwait: a coroutine went on as if it were its result, and nothing failed at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._place import may_await
from selfdebug.syntax.modules import definitions

_TOLD = small_edit("told", "await the coroutine that the failure shows", 0.9)
_OWN = small_edit("own", "await what an `async def` of the project gives", 0.4, "type none raises")
_TAKERS = frozenset(
    (
        *("gather", "create_task", "ensure_future", "wait_for", "wait", "shield", "as_completed"),
        *("run", "run_until_complete", "run_coroutine_threadsafe", "start_soon", "Task", "timeout"),
    )
)
"""What is given coroutines as they are."""


class MissingAwait(FirstOrder):
    """Await the call of an ``async def`` of the project."""

    DESCRIPTION = "Await coroutines whose results are meant."
    NAME = "missing-await"
    VARIANTS = (_TOLD, _OWN)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the call behind ``await``."""
        match place.node:
            case cst.Call(func=func) as call if not _is_taken(place) and may_await(
                place.tree, call
            ):
                names = _coroutines(place, last_of(func))
                shown = any(f"coroutine object {name} at" in place.site.message for name in names)
                if names:
                    why = f"`{place.code(func)}` gives a coroutine until it is awaited"
                    yield _TOLD if shown else _OWN, place.put("await OLD"), why


def _is_taken(place: Place) -> bool:
    """Say whether a call is awaited, or what it gives is passed on to be awaited."""
    parent = place.parent
    if isinstance(parent, cst.Arg):
        taker = place.tree.parents[parent]
        return isinstance(taker, cst.Call) and last_of(taker.func) in _TAKERS
    return isinstance(parent, cst.Await)


def _coroutines(place: Place, name: str) -> list[str]:
    """Return the qualified names of the project's functions of a name, if all are coroutines."""
    found = [*definitions(name, place.project)] if name else []
    own = all(isinstance(each.node, ast.AsyncFunctionDef) for each in found)
    return [each.qualname for each in found] if own else []


MissingAwait.EXAMPLES = examples(
    """
told: the coroutine came back as the result
    class Store:
        async def reserve(self, item):
            return self.stock.pop(item, 0)

        async def order(self, item):
            «reserved = self.reserve(item)»  # all of it
            return reserved
AssertionError: assert [<coroutine object Store.reserve at 0x7f0c>] == [2]
    class Store:
        async def reserve(self, item):
            return self.stock.pop(item, 0)

        async def order(self, item):
            reserved = await self.reserve(item)  # all of it
            return reserved

own: a coroutine is always true
    async def is_open(shop):
        return shop.open

    async def visit(shop):
        if «is_open(shop)»:
            return "in"
        return "out"
AssertionError: assert 'in' == 'out'
    async def is_open(shop):
        return shop.open

    async def visit(shop):
        if await is_open(shop):
            return "in"
        return "out"

own: nobody waits for it
    async def save(row):
        rows.append(row)

    async def add(row):
        «save(row)»
AssertionError: assert [] == [1]
    async def save(row):
        rows.append(row)

    async def add(row):
        await save(row)

not any: all are awaited together
    async def load(name):
        return name

    async def load_all(names):
        «return await asyncio.gather(load(names[0]), load(names[1]))»
AssertionError: assert ['a', 'b'] == ['b', 'a']

not any: the function is no coroutine
    async def load(name):
        return name

    def first(names):
        «return load(names[0])»
AssertionError: assert 'a' == 'b'

not any: another method of that name is none
    class Store:
        async def load(self, name):
            return name

    class Cache:
        def load(self, name):
            return name

    async def first(store, names):
        «return store.load(names[0])»
AssertionError: assert 'a' == 'b'
"""
)
