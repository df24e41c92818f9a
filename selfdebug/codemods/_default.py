"""Defaults that are made once, when the function is, and how each call makes one of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import libcst as cst

from selfdebug.codemods._blocks import is_docstring
from selfdebug.codemods._edit import Change
from selfdebug.codemods._insert import above, statements
from selfdebug.codemods._names import code_of
from selfdebug.syntax.region import Tree

_MUTABLE = frozenset(("[]", "{}", "list()", "dict()", "set()", "deque()", "defaultdict(list)"))
# Where annotations are not evaluated, or are so on a Python that knows them.
_NEW_UNIONS = re.compile(
    r"\|\s*None\b|^from __future__ import (?:.*\W)?annotations\b", re.MULTILINE
)


def mutable_params(function: cst.FunctionDef) -> Iterator[cst.Param]:
    """Yield the parameters of a function whose defaults can be changed."""
    every = (
        *function.params.posonly_params,
        *function.params.params,
        *function.params.kwonly_params,
    )
    for param in every:
        if param.default is not None and code_of(param.default) in _MUTABLE:
            yield param


def made_anew(tree: Tree, function: cst.FunctionDef, shared: list[cst.Param]) -> Change | None:
    """Return the change that makes the defaults of parameters None, and new ones in each call."""
    lines = [line for line in function.body.body if isinstance(line, cst.BaseStatement)]
    first = next((line for line in lines if not is_docstring(line)), None)
    if first is None:
        return None
    at = first.body[0] if isinstance(first, cst.SimpleStatementLine) else first
    new = [line for param in shared for line in statements(tree, _refill(param), at)]
    return {
        **above(tree, at, new),
        **{param: partial(_without_default, tree.region.source.text) for param in shared},
    }


def _refill(param: cst.Param) -> str:
    name, default = param.name.value, param.default
    assert default is not None
    return f"if {name} is None:\n    {name} = {code_of(default)}\n"


def _without_default(text: str, param: cst.Param) -> cst.Param:
    """Return a parameter that is None by default, annotated so where the file writes that."""
    annotation = param.annotation
    if annotation is not None:
        code = code_of(annotation.annotation)
        if not re.search(r"\bNone\b|Optional", code):
            code = f"{code} | None" if _NEW_UNIONS.search(text) else code
            code = f"Optional[{code}]" if "Optional[" in text and "|" not in code else code
        annotation = annotation.with_changes(annotation=cst.parse_expression(code))
    return param.with_changes(default=cst.Name("None"), annotation=annotation)
