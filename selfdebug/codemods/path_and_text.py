"""PathAndText: text was used as a path, or a path as text."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, changed, expression, replaced
from selfdebug.codemods._import import importing
from selfdebug.codemods._operands import bad, sides, types, value_of
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

_PATH = Variant("path", "root-cause", "make a path of the text", prior=0.75)
_TEXT = Variant("text", "root-cause", "make text of the path", prior=0.75)

_ONLY_PATHS = frozenset(
    name for name in dir(pathlib.Path) if not name.startswith("_") and not hasattr(str, name)
)
_ONLY_TEXT = frozenset(
    name for name in dir(str) if not name.startswith("_") and not hasattr(pathlib.Path, name)
)
_LACKS = re.compile(
    r"'(?P<type>str|PosixPath|WindowsPath)' object has no attribute '(?P<name>\w+)'"
)
_PATHS = r"(?:Posix|Windows)Path"
_USED_AS_TEXT = (
    rf"'{_PATHS}' object is not (?:subscriptable|iterable)|type '{_PATHS}' is not iterable"
)


class PathAndText(Codemod):
    """Make a path of text where a path is used, and text of a path where text is."""

    DESCRIPTION = "Tell paths from text."
    NAME = "path-and-text"
    ANSWERS = (
        Answer(("AttributeError",), _LACKS.pattern),
        Answer(("TypeError",), rf"for /: 'str' and 'str'|{_USED_AS_TEXT}"),
    )
    VARIANTS = (_PATH, _TEXT)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the code with a path for text, or the reverse."""
        tree, message = target.tree, target.site.message
        lacks = _LACKS.search(message)
        needs_path = "for /" in message or (
            lacks is not None and lacks["type"] == "str" and lacks["name"] in _ONLY_PATHS
        )
        if needs_path:
            yield from _as_path(target)
        elif lacks is None or (lacks["type"] != "str" and lacks["name"] in _ONLY_TEXT):
            for node in bad(tree, target.site):
                change = replaced(tree, node, lambda new: expression("str(OLD)", OLD=new))
                module = changed(tree, change)
                if module is not None:
                    yield Rewrite(_TEXT, module, f"`{tree.code(node)}` is a path, not text")


def _as_path(target: Target) -> Iterator[Rewrite]:
    tree = target.tree
    needs, name = _known(tree)
    edit = importing(tree.region.source.path, needs, target.project) if needs else None
    for node in _texts(tree, target.site):
        for change in _converted(tree, node, name):
            module = changed(tree, change)
            if module is not None:
                why = f"`{tree.code(node)}` is text, and is used as a path"
                yield Rewrite(_PATH, module, why, () if edit is None else (edit,))


def _texts(tree: Tree, site: Site) -> Iterator[cst.BaseExpression]:
    operands = sides(tree, site)
    if operands and types(site.message) == ("str", "str"):
        yield operands[0]
    else:
        yield from bad(tree, site)


def _known(tree: Tree) -> tuple[str, str]:
    """Return the import that ``Path`` needs, if any, and how the file spells it."""
    text = tree.region.source.text
    if re.search(r"^import pathlib\b", text, re.MULTILINE):
        return "", "pathlib.Path"
    return "from pathlib import Path", "Path"


def _converted(tree: Tree, node: cst.BaseExpression, name: str) -> Iterator[Change]:
    """Yield the change where a variable got the text, for all its uses, then where it is used."""
    given = value_of(tree, node)
    for each in (given, node) if given is not None else (node,):
        yield replaced(tree, each, lambda new: expression(f"{name}(OLD)", OLD=new))


PathAndText.EXAMPLES = examples(
    """
path: text that is divided
    from pathlib import Path

    def target(folder, name):
        return «folder / name»
TypeError: unsupported operand type(s) for /: 'str' and 'str'
    from pathlib import Path

    def target(folder, name):
        return Path(folder) / name

path: the variable that got it, and no import
    import os

    def settings():
        home = os.environ["HOME"]  # always set
        return «home».joinpath("settings.toml")
AttributeError: 'str' object has no attribute 'joinpath'
    import os
    from pathlib import Path

    def settings():
        home = Path(os.environ["HOME"])  # always set
        return home.joinpath("settings.toml")

text: a path that is asked for its end
    def images(folder):
        return [path for path in folder.iterdir() if «path».endswith(".png")]
AttributeError: 'PosixPath' object has no attribute 'endswith'
    def images(folder):
        return [path for path in folder.iterdir() if str(path).endswith(".png")]

text: a word in a path
    def is_hidden(path):
        return "/." in «path»
TypeError: argument of type 'PosixPath' is not iterable
    def is_hidden(path):
        return "/." in str(path)

not any: a method of neither
    def shown(folder):
        return «folder».label()
AttributeError: 'str' object has no attribute 'label'

not any: a path lacks what text lacks too
    def size(path):
        return «path».size
AttributeError: 'PosixPath' object has no attribute 'size'

not any: numbers are divided
    def share(part, whole):
        return «part / whole»
TypeError: unsupported operand type(s) for /: 'str' and 'int'

not any: text, used as text
    def shown(folder):
        return «folder».upper()
AttributeError: 'str' object has no attribute 'uper'
"""
)
