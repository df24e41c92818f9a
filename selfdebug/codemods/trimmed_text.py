"""TrimmedText: a text keeps at its ends what it is joined by, or what it was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import function_of, nodes_of
from selfdebug.codemods._first_order import FirstOrder, Place, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._kinds import kind_of
from selfdebug.codemods._names import dotted
from selfdebug.codemods._passing import last_of, passing
from selfdebug.codemods._variables import constants, unread, variables

_TELLS = "text whitespace extra-item empty"
_MADE = small_edit("made", "take off what was put in at the ends", 0.15, _TELLS)
_ASKED = small_edit("asked", "take off the end that was asked for", 0.2, _TELLS)
_KNOWN = small_edit("known", "take off a known beginning or end", 0.12, _TELLS)
_CHARACTERS = small_edit("characters", "take off other characters than spaces", 0.06, _TELLS)

_STRIPS = ("strip", "rstrip", "lstrip")
_MAKES = {"sub": 0, "replace": 1, "join": -1, "subn": 0}
"""What puts a text between others, and which argument it is; -1 for the text it is called on."""
_TESTS = {"startswith": "removeprefix", "endswith": "removesuffix"}
_ENDS = {"prefix": "removeprefix", "suffix": "removesuffix", "extension": "removesuffix"}
_LONGEST = 3  # of what separates words
_MOST = 2


class TrimmedText(FirstOrder):
    """Take off a text's ends what separates its parts, or a known beginning or end."""

    DESCRIPTION = "Take a separator, a prefix or a suffix off a text."
    NAME = "trimmed-text"
    VARIANTS = (_MADE, _ASKED, _KNOWN, _CHARACTERS)

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the text less what is too much at its ends."""
        node = place.node
        if not isinstance(node, cst.Name | cst.Attribute | cst.Call) or not place.is_read:
            return
        if isinstance(node, cst.Call):
            yield from _as_made(place, node)
            yield from _of_characters(place, node)
        elif not isinstance(place.parent, cst.Attribute | cst.Call):
            yield from _of_ends(place, node)


def _as_made(place: Place, call: cst.Call) -> Iterator[Form]:
    """Yield a text less the text that the call put between its parts."""
    separator = _put_between(place, call)
    parent = place.parent
    trimmed = isinstance(parent, cst.Attribute) and parent.attr.value in _STRIPS
    if separator and not trimmed:
        for method in _STRIPS:
            yield _MADE, place.put(f"OLD.{method}({separator})"), f"it may end with {separator}"


def _put_between(place: Place, call: cst.Call) -> str:
    """Return the code of the separator that a call joins or replaces by; "" if it does not."""
    name = last_of(call.func)
    if name not in _MAKES or not isinstance(call.func, cst.Attribute):
        return ""
    at = _MAKES[name]
    owner = call.func.value
    if at >= 0 and isinstance(owner, cst.Name) and owner.value == "re":
        at = 1
    if len(call.args) <= at:
        return ""
    return _separator(place, owner if at < 0 else call.args[at].value)


def _separator(place: Place, node: cst.BaseExpression) -> str:
    """Return the code of a text that may stand between words: punctuation, or a variable for it."""
    if isinstance(node, cst.SimpleString) and not node.prefix:
        text = node.evaluated_value
        fits = isinstance(text, str) and 0 < len(text) <= _LONGEST and not text.isalnum()
        return node.value if fits and "\\" not in node.value else ""
    return dotted(node) or "" if kind_of(place, node) == "str" else ""


def _of_characters(place: Place, call: cst.Call) -> Iterator[Form]:
    """Yield ``strip`` with the characters that the function separates by, or a line's end."""
    if last_of(call.func) not in _STRIPS or call.args or not isinstance(call.func, cst.Attribute):
        return
    for separator in ['"\\n"', *_separators(place)][: 1 + _MOST]:
        why = f"spaces belong to it, {separator} does not"
        yield _CHARACTERS, passing(call, [cst.Arg(cst.parse_expression(separator))]), why


def _separators(place: Place) -> list[str]:
    """Return the texts by which the function around a place joins, splits or replaces."""
    function = function_of(place.tree, place.node)
    found: dict[str, None] = {}
    for each in nodes_of(function.body) if function is not None else ():
        if isinstance(each, cst.Call) and last_of(each.func) in ("split", "rsplit", *_MAKES):
            parts = [*(arg.value for arg in each.args)]
            if isinstance(each.func, cst.Attribute):
                parts.append(each.func.value)
            found |= dict.fromkeys(_separator(place, part) for part in parts if _is_text(part))
    return [each for each in found if each]


def _is_text(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.SimpleString)


def _of_ends(place: Place, node: cst.Name | cst.Attribute) -> Iterator[Form]:
    """Yield a text less the beginning or the end that it is asked for, or that has a name."""
    spelling = dotted(node)
    function = function_of(place.tree, place.node)
    if spelling is None or kind_of(place, node) not in ("str", "") or function is None:
        return
    asked = [each for owner, *each in _questions(function) if owner == spelling]
    for method, text in asked[:_MOST]:
        yield _ASKED, place.put(f"OLD.{method}({text})"), f"it is asked for {text}"
    for name in _named_ends(place) if not asked and kind_of(place, node) == "str" else ():
        method = next(each for word, each in _ENDS.items() if word in name.lower())
        if name != spelling:
            yield _KNOWN, place.put(f"OLD.{method}({name})"), f"`{name}` is no part of it"


@lru_cache(maxsize=64)
def _questions(function: cst.FunctionDef) -> tuple[tuple[str, str, str], ...]:
    """Return which texts a function asks how they begin or end, what takes that off, and the end."""
    found: dict[tuple[str, str, str], None] = {}
    for each in nodes_of(function.body):
        match each:
            case cst.Call(
                func=cst.Attribute(value=owner, attr=cst.Name(value=name)),
                args=[cst.Arg(value=cst.SimpleString() | cst.Name() | cst.Attribute() as text)],
            ) if name in _TESTS and (spelling := dotted(owner)):
                end = text.value if isinstance(text, cst.SimpleString) else dotted(text)
                if end:
                    found[spelling, _TESTS[name], end] = None
    return tuple(found)


def _named_ends(place: Place) -> list[str]:
    """Return the variables that nothing reads, and the constants, that are called an end of a text."""
    spare = unread(place)
    known = (*(name for name in variables(place) if name in spare), *constants(place))
    return [name for name in known if any(word in name.lower() for word in _ENDS)][:_MOST]


TrimmedText.EXAMPLES = examples(
    """
made: a title that ends with a full stop
    import re

    def slug(title):
        return «re.sub(r"[^a-z]+", "-", title.lower())»  # of its page
AssertionError: assert 'who-' == 'who'
    import re

    def slug(title):
        return re.sub(r"[^a-z]+", "-", title.lower()).strip("-")  # of its page

made: parts that are empty
    def address(parts):
        return «", ".join(parts)»
AssertionError: assert 'a, ' == 'a'
    def address(parts):
        return ", ".join(parts).strip(", ")

asked: a comment
    def comment(line):
        if line.startswith("#"):
            return «line»
        return None
AssertionError: assert '# a' == ' a'
    def comment(line):
        if line.startswith("#"):
            return line.removeprefix("#")
        return None

known: what its name says
    SUFFIX = ".txt"

    def title(name: str):
        return [«name»]
AssertionError: assert ['a.txt'] == ['a']
    SUFFIX = ".txt"

    def title(name: str):
        return [name.removesuffix(SUFFIX)]

characters: only the end of the line
    def text(line):
        return «line.rstrip()»
AssertionError: assert 'a' == 'a  '
    def text(line):
        return line.rstrip("\\n")

not made: it is taken off
    def slug(title):
        return «title.replace(" ", "-")».strip("-")
AssertionError: assert 'who-' == 'who'

not made: words are put in
    def filled(text, name):
        return «text.replace("NAME", "Ann")»
AssertionError: assert 'who-' == 'who'

not any: nothing is known of its ends
    def title(name: str):
        return [«name»]
AssertionError: assert ['a.txt'] == ['a']

not any: a number
    def last(rows):
        return «rows.index("")»
AssertionError: assert 1 == 2
"""
)
