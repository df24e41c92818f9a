"""JsonDefault: a value that JSON does not know, in a project that shows how it is written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import changed
from selfdebug.codemods._passing import last_of, passing
from selfdebug.model import Site
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree
from selfdebug.syntax.source import Unreadable

_AS_ELSEWHERE = Variant(
    "as-elsewhere", "root-cause", "write it as the project does elsewhere", growth=0, prior=0.85
)
_TEXT = Variant("text", "default", "write it as text", growth=0)

_MESSAGE = re.compile(r"^Object of type (?P<type>\w+) is not JSON serializable")
_AS_TEXT = frozenset(("datetime", "date", "time", "Decimal", "UUID", "PosixPath", "WindowsPath"))
_WRITERS = frozenset(("dump", "dumps"))
_MOST_FILES = 200


class JsonDefault(Codemod):
    """Pass the ``default`` or the encoder that the project's other calls of ``json.dumps`` have."""

    DESCRIPTION = "Write JSON of special values as the project does elsewhere."
    NAME = "json-default"
    ANSWERS = (Answer(("TypeError",), _MESSAGE.pattern, ("Call",)),)
    VARIANTS = (_AS_ELSEWHERE, _TEXT)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the call with the argument that others have, else with ``str``."""
        tree, site = target.tree, target.site
        call = _writer(tree, site)
        found = _MESSAGE.match(site.message)
        if call is None or found is None:
            return
        elsewhere = [*_elsewhere(site, target.project)]
        forms = [
            (_AS_ELSEWHERE, name, code, "as other calls do")
            for name, code in dict.fromkeys(elsewhere)
        ]
        if not elsewhere and found["type"] in _AS_TEXT:
            forms = [(_TEXT, "default", "str", f"of {found['type']}, as text")]
        for form in forms:
            if rewrite := _with(tree, call, *form):
                yield rewrite


def _writer(tree: Tree, site: Site) -> cst.Call | None:
    """Return the call that writes JSON, if it leaves the choice to ``json``."""
    for node in tree.at(site.span):
        if isinstance(node, cst.Call) and last_of(node.func) in _WRITERS:
            given = {arg.keyword.value for arg in node.args if arg.keyword}
            starred = any(arg.star for arg in node.args)
            return None if starred or given & {"default", "cls"} else node
    return None


def _with(
    tree: Tree, call: cst.Call, variant: Variant, name: str, code: str, how: str
) -> Rewrite | None:
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    arg = cst.Arg(cst.parse_expression(code), keyword=cst.Name(name), equal=equal)
    module = changed(tree, passing(call, [*call.args, arg]))
    why = f"`{tree.code(call.func)}` now gets `{name}={code}`, {how}"
    return None if module is None else Rewrite(variant, module, why)


def _elsewhere(site: Site, project: Project) -> Iterator[tuple[str, str]]:
    """Yield the arguments of the project's other calls that mean something at the site."""
    here = read_module(site.file, project)
    known = {*here.imports, *(each.qualname for each in here.definitions), "str", "repr", "vars"}
    for parts in [here.source.path.relative_to(project.root).parts, *project.files][:_MOST_FILES]:
        path = project.root.joinpath(*parts)
        with suppress(Unreadable, OSError):
            if not project.is_test_file(path) and b"json" in project.data(path):
                for name, value in _arguments(read_module(path, project)):
                    if isinstance(value, ast.Name) and value.id in known:
                        yield name, value.id


def _arguments(module: Module) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("json.dumps", "json.dump"):
            for keyword in node.keywords:
                if keyword.arg in ("default", "cls"):
                    yield keyword.arg, keyword.value


JsonDefault.EXAMPLES = examples(
    """
as-elsewhere: another call in the file has a default
    import json

    def encode(value):
        return value.isoformat()

    def save(path, rows):
        path.write_text(json.dumps(rows, default=encode))

    def show(row):
        return «json.dumps(row, indent=2)»
TypeError: Object of type date is not JSON serializable
    import json

    def encode(value):
        return value.isoformat()

    def save(path, rows):
        path.write_text(json.dumps(rows, default=encode))

    def show(row):
        return json.dumps(row, indent=2, default=encode)

as-elsewhere: an encoder that is imported
    import json

    from shop.encoder import Encoder

    def show(row):
        return «json.dumps(row)»
TypeError: Object of type Money is not JSON serializable
beside shop/store.py
    import json

    from shop.encoder import Encoder

    def save(stream, rows):
        json.dump(rows, stream, cls=Encoder)
in shop.py
    import json

    from shop.encoder import Encoder

    def show(row):
        return json.dumps(row, cls=Encoder)

text: a date, where nothing shows more
    import json

    def show(row):
        return «json.dumps(row)»
TypeError: Object of type datetime is not JSON serializable
    import json

    def show(row):
        return json.dumps(row, default=str)

not any: a class of the project's own
    import json

    def show(order):
        return «json.dumps(order)»
TypeError: Object of type Order is not JSON serializable

not any: it has a default
    import json

    def show(order):
        return «json.dumps(order, default=vars)»
TypeError: Object of type datetime is not JSON serializable

not as-elsewhere: what others have is not known here
    import json

    def show(row):
        return «json.dumps(row)»
TypeError: Object of type date is not JSON serializable
beside shop/store.py
    import json

    def encode(value):
        return value.isoformat()

    def save(stream, rows):
        json.dump(rows, stream, default=encode)

not any: the arguments are spread
    import json

    def show(row, options):
        return «json.dumps(row, **options)»
TypeError: Object of type date is not JSON serializable

not text: bytes have an encoding
    import json

    def show(row):
        return «json.dumps(row)»
TypeError: Object of type bytes is not JSON serializable
"""
)
