"""Texts of a program: which are part of a result, and how they are written."""

from __future__ import annotations

import re

import libcst as cst

from selfdebug.codemods._first_order import Place
from selfdebug.codemods._passing import last_of

_LOGS = frozenset(
    (
        *("debug", "info", "warning", "warn", "error", "exception", "critical", "log"),
        *("getLogger", "TypeVar", "NewType", "namedtuple", "import_module", "getenv", "open"),
        *("skip", "deprecated", "add_argument", "option", "argument", "field", "execute"),
    )
)
_PLAIN = re.compile(r"(?P<prefix>[uU]?)(?P<quote>\"\"\"|'''|\"|')")


def is_result(place: Place) -> bool:
    """Say whether a text may be part of a result, and not for a log, an import or an error alone."""
    shapes = place.site.shapes
    child = place.node
    for up in place.tree.ancestors(place.node):
        match up:
            case cst.Call(func=func) if child is not func and last_of(func) in _LOGS:
                return False
            case cst.Raise() | cst.Assert():
                return bool(shapes & {"text", "case", "whitespace"})
            case cst.Expr(value=value) if value is place.node:
                return False
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name)), *_]):
                return not (name.startswith("__") and name.endswith("__"))
            case cst.Comparison(left=cst.Name(value="__name__")):
                return False
        if up is place.statement:
            break
        child = up
    return True


def with_text(node: cst.SimpleString, text: str) -> cst.SimpleString | None:
    """Return a plain literal with another text in the same quotes; None where they cannot hold it."""
    found = _PLAIN.match(node.value)
    if found is None or "\\" in text or found["quote"][0] in text:
        return None
    shown = text.replace("\n", "\\n").replace("\t", "\\t")
    return node.with_changes(value=f"{found.group()}{shown}{found['quote']}")


def text_of(node: cst.CSTNode) -> str | None:
    """Return the text of a plain literal without other escapes than new lines and tabs, or None."""
    if not isinstance(node, cst.SimpleString) or _PLAIN.match(node.value) is None:
        return None
    text = node.evaluated_value
    rest = node.raw_value.replace("\\n", "").replace("\\t", "")
    return text if isinstance(text, str) and "\\" not in rest else None
