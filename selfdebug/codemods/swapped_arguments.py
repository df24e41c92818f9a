"""SwappedArguments: the right arguments were passed in the wrong order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from selfdebug.codemods._base import (
    Answer,
    Codemod,
    Rewrite,
    Target,
    Variant,
    examples,
    target_at,
)
from selfdebug.codemods._edit import expression, replaced
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._operands import bad
from selfdebug.codemods._passing import are_plain, calling, calls_at, last_of, passing
from selfdebug.codemods._signature import last_name, signature
from selfdebug.model import Site
from selfdebug.syntax.modules import definitions
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_NAMED = Variant(
    "named", "root-cause", "pass each variable as the parameter of its name", prior=0.9
)
_BUILTIN = Variant("builtin", "root-cause", "swap the arguments of a known function", prior=0.8)
_JOIN = Variant("join", "root-cause", "let the separator join the items", prior=0.9)

_FUNCTION = r"'(?:function|method|type|builtin_function_or_method)' object is not iterable"
_COMPLAINTS = {
    "isinstance": r"isinstance\(\) arg 2 must be a type",
    "issubclass": r"issubclass\(\) arg [12] must be a",
    "map": _FUNCTION,
    "filter": _FUNCTION,
    "reduce": r"reduce\(\) arg 2 must support iteration",
    "dump": r"no attribute 'write'|have a 'write' attribute",
    "getattr": r"attribute name must be string",
    "hasattr": r"attribute name must be string",
    "enumerate": r"cannot be interpreted as an integer",
}
"""Functions whose first two arguments are easily swapped, and how they complain of it."""
_LISTED = r"'(?:list|tuple|generator|set|dict_keys|map)' object has no attribute 'join'"


class SwappedArguments(Codemod):
    """Pass arguments in the order of the signature, where names or the message tell of a swap."""

    DESCRIPTION = "Pass arguments in the order of the parameters."
    NAME = "swapped-arguments"
    ANSWERS = (
        Answer(("TypeError", "AttributeError"), "|".join(dict.fromkeys(_COMPLAINTS.values()))),
        Answer(("AttributeError",), _LISTED),
        Answer(
            ("TypeError", "AttributeError"),
            r"^unsupported operand|not supported between|object has no attribute|is not iterable|"
            r"is not subscriptable|is not callable|has no len|must be |can only concatenate|multiply",
        ),
    )
    VARIANTS = (_NAMED, _BUILTIN, _JOIN)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the code at the site, and the call in the project that led there."""
        if not project.is_test_file(site.file):
            yield target_at(site, project)
        yield from calling(site, project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the call with its arguments in another order."""
        yield from rewritten(target.tree, _swaps(target))


def _swaps(target: Target) -> Iterator[Form]:
    tree, message = target.tree, target.site.message
    if re.search(_LISTED, message):
        for node in bad(tree, target.site):
            yield from _joined(tree, node)
        return
    for call in calls_at(target):
        name = last_of(call.func)
        complaint = _COMPLAINTS.get(name)
        args = call.args
        if complaint and re.search(complaint, message) and len(args) > 1 and are_plain(args[:2]):
            swapped = [args[1], args[0], *args[2:]]
            yield _BUILTIN, passing(call, swapped), f"`{name}` takes `{tree.code(args[1])}` first"
        elif not complaint:
            yield from _by_names(target, call, name)


def _by_names(target: Target, call: cst.Call, name: str) -> Iterator[Form]:
    args = [*call.args]
    wanted = _positional(target, name)
    given = [last_name(arg) for arg in args]
    order = _order(given, wanted)
    if order is not None and are_plain(args):
        swapped = [args[at] for at in order]
        shown = ", ".join(wanted)
        yield _NAMED, passing(call, swapped), f"the parameters of `{name}` are `{shown}`"


def _positional(target: Target, name: str) -> tuple[str, ...]:
    """Return the parameters of the project's only function or class of a name."""
    found = [*definitions(name, target.project)]
    if name[:1].isupper():
        found = [*definitions(f"{name}.__init__", target.project)]
    takes = signature(found[0]) if len(found) == 1 else None
    return takes.positional if takes else ()


def _order(given: Sequence[str], wanted: Sequence[str]) -> list[int] | None:
    """Return where each argument is to come from: two swap their places, at least one by its name.

    None where fewer or more of the names tell of another place.
    """
    strays = [at for at, name in enumerate(given) if name in wanted and wanted.index(name) != at]
    if len(strays) not in {1, 2} or len(wanted) < len(given):
        return None
    one, home = strays[0], wanted.index(given[strays[0]])
    swapped = home < len(given) and (strays[1:] == [home] or given[home] not in wanted)
    if not swapped or (len(strays) == 2 and wanted.index(given[home]) != one):
        return None
    order = [*range(len(given))]
    order[one], order[home] = home, one
    return order


def _joined(tree: Tree, items: cst.BaseExpression) -> Iterator[Form]:
    method = tree.parents[items]
    call = tree.parents[method]
    match call:
        case cst.Call(
            args=[cst.Arg(value=cst.SimpleString() | cst.Name() as separator, keyword=None)]
        ):
            change = replaced(
                tree,
                call,
                lambda new: expression("S.join(I)", S=new.args[0].value, I=new.func.value),
            )
            yield _JOIN, change, f"`join` is a method of the separator `{tree.code(separator)}`"


SwappedArguments.EXAMPLES = examples(
    """
named: variables that are called as the parameters
    def repeat(text, count):
        return «text.strip()» * count

    def banner(count, text):
        return repeat(count, text)
AttributeError: 'int' object has no attribute 'strip'
called 5 repeat
    def repeat(text, count):
        return text.strip() * count

    def banner(count, text):
        return repeat(text, count)

named: one name tells, the other argument has none
    def repeat(text, count):
        return «text.strip()» * count

    def banner(text, sizes):
        return repeat(max(sizes), text)
AttributeError: 'int' object has no attribute 'strip'
called 5 repeat
    def repeat(text, count):
        return text.strip() * count

    def banner(text, sizes):
        return repeat(text, max(sizes))

builtin: isinstance takes the value first
    def is_text(value):
        return «isinstance(str, value)»
TypeError: isinstance() arg 2 must be a type, a tuple of types, or a union
    def is_text(value):
        return isinstance(value, str)

builtin: map takes the function first
    def numbers(words):
        return list(«map(words, int)»)
TypeError: 'type' object is not iterable
    def numbers(words):
        return list(map(int, words))

builtin: json.dump takes the file last
    def save(path, data):
        with path.open("w") as file:
            «json.dump(file, data, indent=2)»
AttributeError: 'dict' object has no attribute 'write'
    def save(path, data):
        with path.open("w") as file:
            json.dump(data, file, indent=2)

join: the separator joins
    def shown(names):
        return «names».join(", ")
AttributeError: 'list' object has no attribute 'join'
    def shown(names):
        return ", ".join(names)

not any: the names are those of the parameters already
    def repeat(text, count):
        return «text.strip()» * count

    def banner(count, text):
        return repeat(text, count)
AttributeError: 'int' object has no attribute 'strip'
called 5 repeat

not any: the names tell nothing
    def repeat(text, count):
        return «text.strip()» * count

    def banner(a, b):
        return repeat(a, b)
AttributeError: 'int' object has no attribute 'strip'
called 5 repeat

not any: a function that complains of something else
    def is_text(value):
        return «isinstance(value, "str")»
TypeError: isinstance() argument 2 cannot be a string

not any: nothing to join with
    def shown(names, other):
        return «names».join(other, names)
AttributeError: 'list' object has no attribute 'join'

not any: the arguments are passed by name
    def repeat(text, count):
        return «text.strip()» * count

    def banner(count, text):
        return repeat(text=count, count=text)
AttributeError: 'int' object has no attribute 'strip'
called 5 repeat

not any: nobody can see what is passed
    def repeat(text, count):
        return «text.strip()» * count

    def banner(count, text):
        return repeat(*(count, text))
AttributeError: 'int' object has no attribute 'strip'
called 5 repeat
"""
)
