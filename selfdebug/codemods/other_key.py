"""OtherKey: a value is read or kept under another key than the one that is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import cast

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._names import dotted
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._texts import text_of, with_text
from selfdebug.codemods._variables import is_alike
from selfdebug.syntax.modules import read_module

_TELLS = "none number text missing-item extra-item"
_SAME = small_edit("same", "use another key of the same mapping", 0.12, _TELLS)
_ALIKE = small_edit("alike", "use the key of a like name", 0.15, _TELLS)
_OTHER = small_edit("other", "use another key of the module", 0.04, _TELLS)

_READS = frozenset(("get", "pop", "setdefault", "getlist"))
_MOST = 8  # other keys for one
_KEY = re.compile(r"[\w.\- ]{1,40}")


class OtherKey(FirstOrder):
    """Use another key that the module uses too, or that the mapping was seen to have."""

    DESCRIPTION = "Read or keep a value under another key."
    NAME = "other-key"
    VARIANTS = (_SAME, _ALIKE, _OTHER)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the keys that may have been meant."""
        node = place.node
        text, mapping = text_of(node), _mapping(place)
        if text is None or mapping is None or not isinstance(node, cst.SimpleString):
            return
        keys = _keys(place)
        own = dict.fromkeys((*_seen(place, mapping), *keys.get(mapping, ())))
        every = dict.fromkeys(key for others in keys.values() for key in others)
        ranked = [(_ALIKE, key) for key in every if is_alike(text, key)]
        ranked += [(_SAME, key) for key in own if not is_alike(text, key)]
        ranked += [(_OTHER, key) for key in every if key not in own and not is_alike(text, key)]
        for variant, key in ranked[:_MOST]:
            new = with_text(node, key)
            if new is not None and key != text:
                yield variant, place.put("NEW", NEW=new), f"`{key}` is the key"


def _mapping(place: Place) -> str | None:
    """Return the spelling of what a text is a key of; "" where that has none, None for no key."""
    parent, parents = place.parent, place.tree.parents
    if isinstance(parent, cst.Index):
        node = parents[parents[parent]]
        return dotted(node.value) or "" if isinstance(node, cst.Subscript) else None
    if isinstance(parent, cst.Arg):
        call = parents[parent]
        if isinstance(call, cst.Call) and call.args[0] is parent and last_of(call.func) in _READS:
            return dotted(call.func.value) or "" if isinstance(call.func, cst.Attribute) else None
    if isinstance(parent, cst.DictElement) and parent.key is place.node:
        return ""
    return None


def _seen(place: Place, mapping: str) -> Iterator[str]:
    """Yield the keys that a mapping was seen to have."""
    value = place.values.get(mapping)
    if value is None or value.text is None or value.type.rpartition(".")[2] != "dict":
        return
    try:
        held = ast.parse(value.text, mode="eval").body
    except (SyntaxError, ValueError):
        return
    for key in held.keys if isinstance(held, ast.Dict) else ():
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value


def _keys(place: Place) -> dict[str, dict[str, None]]:
    """Return the keys that the module uses, by the spelling of the mapping; "" for dictionaries."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    if ("keys", path) not in parsed:
        found: dict[str, dict[str, None]] = {}
        for node in ast.walk(read_module(path, place.project).tree):
            for mapping, key in _used(node):
                if _KEY.fullmatch(key):
                    found.setdefault(mapping, {})[key] = None
        parsed["keys", path] = found
    return cast("dict[str, dict[str, None]]", parsed["keys", path])


def _used(node: ast.AST) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
            yield ast.unparse(value), key
        case ast.Call(
            func=ast.Attribute(value=value, attr=name), args=[ast.Constant(value=str(key)), *_]
        ) if name in _READS:
            yield ast.unparse(value), key
        case ast.Dict(keys=keys):
            for each in keys:
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield "", each.value


OtherKey.EXAMPLES = examples(
    """
same: another key of the same row
    def total(row):
        return row["count"] * row[«"count"»] + row["price"]  # in cents
AssertionError: assert 4 == 6
    def total(row):
        return row["count"] * row["price"] + row["price"]  # in cents

same: a key that the row was seen to have
    def label(row):
        return row.get(«'label'»)
AssertionError: assert None == 'a'
where row: dict = {'title': 'a'}
    def label(row):
        return row.get('title')

alike: nearly the same key
    def save(user):
        return {"user_name": user.name}

    def load(data):
        return data.get(«"username"», "nobody")
AssertionError: assert 'nobody' == 'Al'
    def save(user):
        return {"user_name": user.name}

    def load(data):
        return data.get("user_name", "nobody")

other: a key of a dictionary of the module
    def save(user):
        return {"name": user.name}

    def load(data):
        return data.get(«"label"», "nobody")
AssertionError: assert 'nobody' == 'Al'
    def save(user):
        return {"name": user.name}

    def load(data):
        return data.get("name", "nobody")

not any: no other key is known
    def load(data):
        return data.get(«"label"», "nobody")
AssertionError: assert 'nobody' == 'Al'

not any: a default is no key
    def load(data):
        return data["name"] or data.get("label", «"nobody"»)
AssertionError: assert 'nobody' == 'Al'

not any: what is printed is no key
    def load(data):
        print(«"name"», data["label"])
AssertionError: assert 1 == 2

not any: an index that is a number
    def load(data):
        return data["name"] or data[«0»]
AssertionError: assert 'nobody' == 'Al'

not any: a key that is put together
    def load(data, part):
        return data["name"] or data[«"label" f"{part}"»]
AssertionError: assert 'nobody' == 'Al'

not any: the value, not the key
    def load(data):
        return {"name": «"label"», "size": data}
AssertionError: assert 1 == 2
"""
)
