"""SharedState: one list, dictionary or set where there should be several."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import block_of, function_of, line_of, nodes_of, with_lines
from selfdebug.codemods._called_as import called_as
from selfdebug.codemods._default import made_anew, mutable_params
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import below, statements
from selfdebug.codemods._names import code_of, dotted
from selfdebug.codemods._neutral import literal_of
from selfdebug.codemods._variables import unread_imports
from selfdebug.syntax.modules import read_module

_ROWS = small_edit("rows", "make each item anew", 0.6, "extra-item duplicate", growth=1)
_KEYS = small_edit("keys", "make the value of each key anew", 0.6, "extra-item", growth=1)
_COPIED = small_edit(
    "copied", "keep or give away a copy", 0.08, "empty duplicate extra-item missing-item"
)
_INNER = small_edit("inner", "copy the items too", 0.15, "extra-item number", growth=1)
_DEEP = small_edit("deep", "copy what is inside too", 0.4)
_DEEPER = small_edit(
    "deeper",
    "copy what is inside too, with a module that the file has not imported",
    0.1,
    "extra-item number missing-item text",
)
_ALIASED = small_edit("own", "begin with a copy of it", 0.06, "extra-item missing-item empty")
_EACH = small_edit(
    "each-object", "give each object one of its own", 0.6, "extra-item duplicate number", growth=1
)
_CALL = small_edit(
    "each-call", "make the default anew in each call", 0.5, "extra-item duplicate number", growth=2
)
_KINDS: Mapping[str, str] = {"[]": "list", "{}": "dict", "set()": "set"}
_STORING = frozenset(("append", "add", "insert", "put", "appendleft", "setdefault"))


class SharedState(FirstOrder):
    """Make, keep or give away a container of its own, where several places change one."""

    DESCRIPTION = "Copy or make anew what several places change."
    NAME = "shared-state"
    VARIANTS = (_ROWS, _KEYS, _COPIED, _INNER, _DEEP, _DEEPER, _ALIASED, _EACH, _CALL)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the copies."""
        if place.node is place.statement:
            yield from _of_class(place)
        match place.node:
            case cst.FunctionDef(body=cst.IndentedBlock()) as node if node is place.statement:
                yield from _of_default(place, node)
            case cst.BinaryOperation(operator=cst.Multiply()) as node:
                yield from _rows(place, node)
            case cst.Call() as node:
                yield from _keys(place, node)
                yield from _copies(place, node)
            case cst.Name() | cst.Attribute() as node:
                yield from _given(place, node)

    @classmethod
    def importing(cls, place: Place) -> Iterator[tuple[str, Form]]:
        """Yield the copies of all that is in a container."""
        if isinstance(place.node, cst.Call):
            yield from _deeper(place, place.node)


def _of_default(place: Place, function: cst.FunctionDef) -> Iterator[Form]:
    """Yield None for the defaults that a function changes, or gives to others who may."""
    shared = [each for each in mutable_params(function) if _gets_out(function, each.name.value)]
    if shared:
        names = ", ".join(f"`{each.name.value}`" for each in shared)
        change = made_anew(place.tree, function, shared)
        yield _CALL, change, f"all calls share the default of {names}"


def _gets_out(function: cst.FunctionDef, name: str) -> bool:
    """Say whether a function changes what a parameter holds, or passes, keeps or returns it."""
    for node in nodes_of(function.body):
        match node:
            case (
                cst.Arg(value=cst.Name(value=given))
                | cst.Return(value=cst.Name(value=given))
                | cst.Yield(value=cst.Name(value=given))
                | cst.Element(value=cst.Name(value=given))
                | cst.DictElement(value=cst.Name(value=given))
                | cst.Assign(value=cst.Name(value=given))
                | cst.AnnAssign(value=cst.Name(value=given))
                | cst.AugAssign(target=cst.Name(value=given))
            ) if given == name:
                return True
        if _changed_by(node) == name:
            return True
    return False


def _rows(place: Place, node: cst.BinaryOperation) -> Iterator[Form]:
    """Yield the comprehension for a list of many times the same."""
    for items, times in ((node.left, node.right), (node.right, node.left)):
        if isinstance(items, cst.List) and len(items.elements) == 1:
            item = items.elements[0].value
            if _is_container(item) and not isinstance(items.elements[0], cst.StarredElement):
                change = replaced(place.tree, node, _listed(item, times))
                yield _ROWS, change, "all items are one and the same"


def _listed(item: cst.BaseExpression, times: cst.BaseExpression) -> Any:
    return lambda _: expression("[ITEM for _ in range(TIMES)]", ITEM=item, TIMES=times)


def _is_container(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.left, cst.List) or isinstance(node.right, cst.List)
    return isinstance(node, cst.List | cst.Dict | cst.Set) or code_of(node) in _MADE


_MADE = frozenset(("list()", "dict()", "set()", "deque()", "defaultdict(list)", "defaultdict(int)"))


def _keys(place: Place, call: cst.Call) -> Iterator[Form]:
    match call:
        case cst.Call(
            func=cst.Attribute(value=cst.Name(value="dict"), attr=cst.Name(value="fromkeys")),
            args=[cst.Arg(value=keys), cst.Arg(value=value)],
        ) if _is_container(value):
            change = replaced(place.tree, call, _keyed(keys, value))
            yield _KEYS, change, "all keys have one and the same value"


def _keyed(keys: cst.BaseExpression, value: cst.BaseExpression) -> Any:
    return lambda _: expression("{key: VALUE for key in KEYS}", KEYS=keys, VALUE=value)


def _copies(place: Place, call: cst.Call) -> Iterator[Form]:
    """Yield the deeper copy for one that shares its items."""
    match call:
        case cst.Call(func=cst.Attribute(value=cst.Name(value="copy"), attr=cst.Name("copy"))):
            change: Change = {call.func: lambda old: old.with_changes(attr=cst.Name("deepcopy"))}
            yield _DEEP, change, "the copies share what is in them"
        case cst.Call(func=cst.Name(value="copy"), args=[_]) if "deepcopy" in place.names:
            yield _DEEP, {call.func: lambda _: cst.Name("deepcopy")}, "the copies share their items"
    copied = _copied(call)
    if copied is None:
        return
    seen = place.values.get(dotted(copied) or "")
    text = (seen and seen.text) or ""
    if text.startswith("[["):
        code = "[list(row) for row in OLD]"
        change = replaced(place.tree, call, lambda _: expression(code, OLD=copied))
        yield _INNER, change, "the copies share their rows"
    elif text.startswith("{") and text.partition(": ")[2].startswith("["):
        code = "{key: list(value) for key, value in OLD.items()}"
        change = replaced(place.tree, call, lambda _: expression(code, OLD=copied))
        yield _INNER, change, "the copies share their values"


def _deeper(place: Place, call: cst.Call) -> Iterator[tuple[str, Form]]:
    copied = _copied(call)
    if copied is not None:
        statement, name = called_as(place, "copy", "deepcopy")
        change = replaced(place.tree, call, lambda _: expression(f"{name}(OLD)", OLD=copied))
        known = not {"copy", "deepcopy"}.isdisjoint(place.names)
        yield statement, (_DEEP if known else _DEEPER, change, "the copies share what is in them")


def _copied(call: cst.Call) -> cst.BaseExpression | None:
    match call:
        case cst.Call(func=cst.Name(value="list" | "dict"), args=[cst.Arg(value=value, star="")]):
            return value
        case cst.Call(func=cst.Attribute(value=value, attr=cst.Name(value="copy")), args=[]):
            return value
    return None


def _given(place: Place, node: cst.BaseExpression) -> Iterator[Form]:
    """Yield a copy of a container that is returned, stored or taken over, and changed by others."""
    parent = place.tree.parents[node]
    spelling, variant = place.code(node), _COPIED
    match parent:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=taker))]):
            variant = _ALIASED
            shown = _changes(place, taker, spelling)
        case _:
            shown = _is_stored(place, parent) or _is_returned(place, parent, node)
    kind = _kind(place, node) if shown else None
    if kind is None:
        return
    why = f"others see what becomes of `{spelling}`"
    for name, code in (("copy", "copy.deepcopy(OLD)"), ("deepcopy", "deepcopy(OLD)")):
        if name in unread_imports(place):
            yield _DEEP, place.put(code), why
    change = replaced(place.tree, node, lambda old: expression(f"{kind}(OLD)", OLD=old))
    yield variant, change, why


def _is_stored(place: Place, parent: cst.CSTNode) -> bool:
    match parent:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute() | cst.Subscript())]):
            return True
        case cst.Arg(star="", keyword=None):
            call = place.tree.parents[parent]
            match call:
                case cst.Call(func=cst.Attribute(attr=cst.Name(value=method))):
                    return method in _STORING
    return isinstance(parent, cst.Yield | cst.Element)


def _is_returned(place: Place, parent: cst.CSTNode, node: cst.CSTNode) -> bool:
    """Say whether a node is returned that others know too: an attribute, a parameter, a global."""
    if not isinstance(parent, cst.Return):
        return False
    return isinstance(node, cst.Attribute) or _is_given(place, place.code(node))


def _is_given(place: Place, name: str) -> bool:
    """Say whether a name is a parameter, or no variable of the function."""
    function = function_of(place.tree, place.node)
    params = function.params.params if function else ()
    if any(each.name.value == name for each in params):
        return True
    return function is not None and not any(
        isinstance(each, cst.AssignTarget) and code_of(each.target) == name
        for each in nodes_of(function.body)
    )


def _changes(place: Place, *names: str) -> bool:
    """Say whether the function changes one of these in place."""
    function = function_of(place.tree, place.node)
    changed = [_changed_by(each) for each in nodes_of(function.body)] if function else []
    return any(name in changed for name in names)


def _changed_by(node: cst.CSTNode) -> str | None:
    """Return how what a node changes in place is spelled."""
    match node:
        case cst.Call(func=cst.Attribute(value=value, attr=cst.Name(value=method))):
            return dotted(value) if method in _CHANGING else None
        case (
            cst.AssignTarget(target=cst.Subscript(value=value))
            | cst.AugAssign(target=cst.Subscript(value=value))
            | cst.Del(target=cst.Subscript(value=value))
        ):
            return dotted(value)
    return None


_CHANGING = frozenset(
    (
        *("append", "extend", "insert", "remove", "pop", "popleft", "clear", "sort", "reverse"),
        *("add", "discard", "update", "setdefault", "popitem"),
    )
)


def _kind(place: Place, node: cst.BaseExpression) -> str | None:
    """Return what makes a copy of a value: its type, as seen at run time or as first assigned."""
    spelling = place.code(node)
    seen = place.values.get(spelling)
    if seen is not None:
        return seen.type if seen.type in ("list", "dict", "set") else None
    function = function_of(place.tree, node)
    for each in nodes_of(function.body) if function else ():
        if isinstance(each, cst.Assign) and code_of(each.targets[0].target) == spelling:
            return _KINDS.get(literal_of(each.value) or "")
    return None


def _of_class(place: Place) -> Iterator[Form]:
    """Yield the container of a class, which its objects change, as one that each object makes."""
    module = read_module(place.tree.region.source.path, place.project)
    at = place.site.span.line
    owner = next((each for each in _classes(module.tree) if _holds(each, at)), None)
    if owner is None:
        return
    made = next((each for each in owner.body if _is_init(each)), None)
    node = place.statement
    if not isinstance(node, cst.BaseSmallStatement) or (made and not _is_last(place, made)):
        return
    for name, code, line in _shared(owner):
        why = f"all objects share `{name}`"
        if made is None and line == at:
            yield _EACH, _with_init(place, name, code), why
        elif made is not None:
            lines = statements(place.tree, f"self.{name} = {code}\n", node)
            yield _EACH, below(place.tree, node, lines), why


def _classes(module: ast.Module) -> Iterator[ast.ClassDef]:
    yield from (each for each in module.body if isinstance(each, ast.ClassDef))


def _holds(owner: ast.ClassDef, line: int) -> bool:
    return owner.lineno <= line <= (owner.end_lineno or 0)


def _is_init(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.FunctionDef) and stmt.name == "__init__"


def _shared(owner: ast.ClassDef) -> Iterator[tuple[str, str, int]]:
    """Yield the containers of a class that methods change through ``self``, never assigned there."""
    text = "\n".join(ast.unparse(each) for each in owner.body if isinstance(each, ast.FunctionDef))
    changing = "|".join(sorted(_CHANGING))
    for stmt in owner.body:
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                code = ast.unparse(value)
                changes = rf"self\.{name}(?:\[.*\] [-+*|]?= |\.(?:{changing})\()"
                changed = code in _EMPTY and re.search(changes, text)
                if changed and not re.search(rf"self\.{name} = ", text):
                    yield name, code, stmt.lineno


_EMPTY = frozenset(("[]", "{}", *_MADE))


def _is_last(place: Place, made: ast.stmt) -> bool:
    """Say whether the place is the last statement of a method."""
    last = made.body[-1] if isinstance(made, ast.FunctionDef) else made
    return place.tree.span(place.statement).line == last.lineno


def _with_init(place: Place, name: str, code: str) -> Change | None:
    """Return the change that makes an attribute of the class one of each object."""
    line = line_of(place.tree, place.node)
    if line is None:
        return None
    new = statements(place.tree, f"def __init__(self):\n    self.{name} = {code}\n", place.node)[0]
    block = block_of(place.tree, line)
    made = new.with_changes(leading_lines=line.leading_lines)
    return with_lines(block, [made if each is line else each for each in block.body])


SharedState.EXAMPLES = examples(
    """
deep: an import that nothing uses tells what was meant
    import copy

    def merged(base, extra):
        result = «base»
        for key, value in extra.items():
            result[key] = value
        return result
AssertionError: assert {'a': 2} == {'a': 1}
where base: dict = {'a': 2}
    import copy

    def merged(base, extra):
        result = copy.deepcopy(base)
        for key, value in extra.items():
            result[key] = value
        return result

rows: a board whose rows are one list
    def board(width, height):
        return «[[0] * width] * height»  # empty
AssertionError: assert [[1], [1]] == [[1], [0]]
    def board(width, height):
        return [[0] * width for _ in range(height)]  # empty

keys: days that share their tasks
    def week(days):
        return «dict.fromkeys(days, [])»
AssertionError: assert {'mon': ['a'], 'tue': ['a']} == {'mon': ['a'], 'tue': []}
    def week(days):
        return {key: [] for key in days}

each-call: guests share the extras that one has booked
    «def booking(guest, extras=[]):
        return Booking(guest, extras)»  # new
AssertionError: assert ['bed'] == []
    def booking(guest, extras=None):
        if extras is None:
            extras = []
        return Booking(guest, extras)  # new

each-call: the annotation says so too
    from __future__ import annotations

    «def tagged(text: str, tags: dict[str, int] = {}) -> dict[str, int]:
        for word in text.split():
            tags[word] = len(word)
        return tags»
AssertionError: assert {'a': 1, 'b': 1} == {'b': 1}
    from __future__ import annotations

    def tagged(text: str, tags: dict[str, int] | None = None) -> dict[str, int]:
        if tags is None:
            tags = {}
        for word in text.split():
            tags[word] = len(word)
        return tags

not each-call: the default is only read
    «def price(amount, rates={}):
        return amount * rates.get("eur", 1)»
AssertionError: assert 2 == 1

copied: paths of a search that goes on with the same list
    def paths(node, path, found):
        path.append(node)
        if not node.children:
            found.append(«path»)
        for child in node.children:
            paths(child, path, found)
        path.pop()
AssertionError: assert [[], []] == [['a'], ['b']]
where path: list = []
    def paths(node, path, found):
        path.append(node)
        if not node.children:
            found.append(list(path))
        for child in node.children:
            paths(child, path, found)
        path.pop()

copied: callers change what the object keeps
    class Cart:
        def items(self):
            return «self._items»
AssertionError: assert 2 == 1
where self._items: list = [1, 2]
    class Cart:
        def items(self):
            return list(self._items)

own: a default is taken over and changed
    def settings(base, extra):
        merged = «base»
        merged.update(extra)
        return merged
AssertionError: assert {'a': 1} == {}
where base: dict = {'a': 1}
    def settings(base, extra):
        merged = dict(base)
        merged.update(extra)
        return merged

deep: nested settings
    import copy

    def fork(settings):
        return «copy.copy(settings)»
AssertionError: assert {'a': [1]} == {'a': []}
    import copy

    def fork(settings):
        return copy.deepcopy(settings)

deeper: nested settings, in a file that copies nothing else
    def fork(settings):
        return «settings.copy()»
AssertionError: assert {'a': [1]} == {'a': []}
    import copy


    def fork(settings):
        return copy.deepcopy(settings)

inner: a grid is copied with its rows
    def stepped(grid):
        after = «list(grid)»
        after[0][0] = 1
        return after
AssertionError: assert [[1]] == [[0]]
where grid: list = [[1]]
    def stepped(grid):
        after = [list(row) for row in grid]
        after[0][0] = 1
        return after

each-object: carts that share their items
    class Cart:
        items = []

        def __init__(self, owner):
            «self.owner = owner»

        def add(self, item):
            self.items.append(item)
AssertionError: assert ['a', 'b'] == ['b']
    class Cart:
        items = []

        def __init__(self, owner):
            self.owner = owner
            self.items = []

        def add(self, item):
            self.items.append(item)

each-object: a class without a constructor
    class Cart:
        # What is in it.
        «items = []»

        def add(self, item):
            self.items.append(item)
AssertionError: assert ['a', 'b'] == ['b']
    class Cart:
        # What is in it.
        def __init__(self):
            self.items = []

        def add(self, item):
            self.items.append(item)

not each-object: nobody changes it
    class Cart:
        kinds = []

        def __init__(self, owner):
            «self.owner = owner»
AssertionError: assert ['a', 'b'] == ['b']

not any: numbers cannot be changed
    def zeros(count):
        return «[0] * count»
AssertionError: assert [0] == [1]

not any: a list that is the function's own
    def doubled(values):
        found = []
        for value in values:
            found.append(value * 2)
        return «found»
AssertionError: assert [0] == [1]

not own: nobody changes it
    def total(base):
        values = «base»
        return sum(values)
AssertionError: assert 1 == 2
where base: list = [1]

not any: each row is made anew
    def board(size):
        return [«[0] * size» for _ in range(size)]
AssertionError: assert [1, 1] == [1, 0]

not any: a text cannot be changed
    def groups(names):
        return «dict.fromkeys(names, "")»
AssertionError: assert {'a': ''} == {'a': 'b'}

not any: a number cannot be changed
    class Cart:
        def count(self):
            return «self._count»
AssertionError: assert 2 == 1
where self._count: int = 2

not any: a default that cannot change
    «def add(item, items=()):
        return [*items, item]»
AssertionError: assert [1, 2] == [2]

not any: each object makes its own
    class Cart:
        items = []

        def __init__(self, owner):
            self.items = []
            «self.owner = owner»

        def add(self, item):
            self.items.append(item)
AssertionError: assert ['a', 'b'] == ['b']

not any: the deepest copy is made
    import copy

    def fork(settings):
        return «copy.deepcopy(settings)»
AssertionError: assert {'a': [1]} == {'a': []}

not inner: there is nothing inside
    def stepped(row):
        after = «list(row)»
        after[0] = 1
        return after
AssertionError: assert [1] == [0]
where row: list = [0]
"""
)
