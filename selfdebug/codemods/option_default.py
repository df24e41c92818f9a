"""OptionDefault: an option that collects values is None where the command line does not give it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._options import added, adding, names_of
from selfdebug.codemods._passing import with_keyword
from selfdebug.model import Site
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_EMPTY = Variant("empty", "root-cause", "collect into an empty list", growth=0, prior=0.7)

_FIELD = re.compile(r"(?P<owner>\w+(?:\.\w+)*)\.(?P<name>\w+)")
_ITEMS = r"not iterable|has no len|is not subscriptable|unsupported operand|only concatenate list"
_COLLECTING = frozenset(("append", "extend", "append_const"))


class OptionDefault(Codemod):
    """Give an option of ``argparse`` that collects values an empty list to begin with.

    https://docs.python.org/3/library/argparse.html#action: without a default it is None.
    """

    DESCRIPTION = "Give options that collect values an empty list by default."
    NAME = "option-default"
    ANSWERS = (Answer(("TypeError",), rf"NoneType.*(?:{_ITEMS})|(?:{_ITEMS}).*NoneType"),)
    VARIANTS = (_EMPTY,)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the calls that add the option to a parser, each as a site of its own."""
        found = _FIELD.fullmatch(site.bad_code or "")
        seen = site.locals.get(found["owner"]) if found else None
        if found is None or seen is None or seen.type.rpartition(".")[2] != "Namespace":
            return
        name = found["name"]
        yield from added(site, project, lambda call: name in names_of(call) and _collects(call))

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the call with an empty list by default."""
        for call in adding(target):
            yield from rewritten(target.tree, _emptied(target.tree, call))


def _collects(call: ast.Call) -> bool:
    """Say whether the option that a call adds collects values."""
    given = {each.arg: each.value for each in call.keywords}
    action, nargs = given.get("action"), given.get("nargs")
    collects = isinstance(action, ast.Constant) and action.value in _COLLECTING
    return collects or (isinstance(nargs, ast.Constant) and nargs.value in ("*", "+"))


def _emptied(tree: Tree, call: cst.Call) -> Iterator[Form]:
    why = "the option is None where it is not given"
    default = next(
        (arg for arg in call.args if arg.keyword and arg.keyword.value == "default"), None
    )
    if default is None:
        yield _EMPTY, with_keyword(call, "default", "[]"), why
    elif tree.code(default.value) == "None":
        change: Change = {default.value: lambda _: cst.List([])}
        yield _EMPTY, change, why


OptionDefault.EXAMPLES = examples(
    """
empty: patterns that may be given several times
in tool/plan.py
    def wanted(name, options):
        return not any(fnmatch(name, each) for each in «options.exclude»)
TypeError: 'NoneType' object is not iterable
where options: argparse.Namespace
beside tool/args.py
    def parse(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("-x", "--exclude", action="append", metavar="PATTERN")
        return parser.parse_args(argv)
in tool/args.py
    def parse(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("-x", "--exclude", action="append", metavar="PATTERN", default=[])
        return parser.parse_args(argv)

empty: a default that is written, and another name
    def parse(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("--skip", nargs="*", default=None, dest="skipped")  # files
        return parser.parse_args(argv)

    def run(options):
        return len(«options.skipped»)
TypeError: object of type 'NoneType' has no len()
where options: argparse.Namespace
    def parse(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("--skip", nargs="*", default=[], dest="skipped")  # files
        return parser.parse_args(argv)

    def run(options):
        return len(options.skipped)

not any: the option is one value
    def parse(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("--skip")
        return parser.parse_args(argv)

    def run(options):
        return len(«options.skip»)
TypeError: object of type 'NoneType' has no len()
where options: argparse.Namespace

not any: it is no option of a parser
    def parse(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("--skip", action="append")
        return parser.parse_args(argv)

    def run(task):
        return len(«task.skip»)
TypeError: object of type 'NoneType' has no len()
where task: tool.Task
"""
)
