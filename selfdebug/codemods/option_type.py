"""OptionType: what the command line gives is text, and the program counts on a number."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

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
from selfdebug.codemods._forms import rewritten
from selfdebug.codemods._names import code_of, dotted
from selfdebug.codemods._operands import bad, sides, types, value_of
from selfdebug.codemods._options import added, adding, names_of
from selfdebug.codemods._passing import calling, last_of, with_keyword
from selfdebug.codemods._place import is_parameter, place
from selfdebug.codemods._sources import argument, outside
from selfdebug.model import Site
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_WHOLE = Variant("whole", "root-cause", "declare the option as a whole number", prior=0.8)
_FRACTION = Variant("fraction", "root-cause", "declare the option as a number", prior=0.8)

_REAL = r"real number|of type 'float'"
_DEPTH = 3  # calls that pass the value on
_NAMESPACES = frozenset(("args", "arguments", "options", "opts", "ns", "namespace", "parsed"))
_PARSERS = frozenset(("parse_args", "parse_known_args", "parse_intermixed_args"))
_DECIDED = frozenset(("type", "action", "is_flag", "count", "nargs", "choices"))
_DECLARING = frozenset(("option", "argument"))


class OptionType(Codemod):
    """Give an option of ``argparse`` or ``click`` that is used as a number the type of one.

    https://docs.python.org/3/library/argparse.html#type: without a type it is text.
    """

    DESCRIPTION = "Declare options of the command line as the numbers that they are used as."
    NAME = "option-type"
    ANSWERS = (
        Answer(("TypeError",), r"unsupported operand .*'str'|not supported between .*'str'"),
        Answer(("TypeError",), r"'str' object cannot be interpreted as an integer"),
        Answer(("TypeError",), r"non-int of type '(?:str|float)'|must be real number, not str"),
        Answer(("TypeError",), r"indices must be integers|an integer is required"),
        Answer(("TypeError",), r'can only concatenate str \(not "(?:int|float)"\)'),
        Answer(("ValueError",), r"Unknown format code '[dfeEgGxX%]' for object of type 'str'"),
    )
    VARIANTS = (_WHOLE, _FRACTION)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the declarations of the options that the values may be."""
        tree = target_at(site, project).tree
        given = (
            arg.value
            for call in tree.at(site.span)
            if isinstance(call, cst.Call)
            for arg in call.args
        )
        for node in dict.fromkeys((*bad(tree, site), *(sides(tree, site) or ()), *given)):
            yield from _declared(tree, node, site, project, _DEPTH)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the declaration with a type."""
        tree, site = target.tree, target.site
        calls = _decorators(target) if "decorated" in site.attrs else adding(target)
        for call in calls:
            if _given(call).isdisjoint(_DECIDED):
                kind = _kind(call, site)
                variant = _WHOLE if kind == "int" else _FRACTION
                why = f"`{site.attrs['option']}` is text where it has no type"
                yield from rewritten(tree, [(variant, with_keyword(call, "type", kind), why)])


def _given(call: cst.Call) -> set[str]:
    return {arg.keyword.value for arg in call.args if arg.keyword is not None}


def _kind(call: cst.Call, site: Site) -> str:
    """Return the type of number that an option is, by its default or what it meets."""
    default = next(
        (arg.value for arg in call.args if arg.keyword and arg.keyword.value == "default"), None
    )
    text = code_of(default).strip("'\"") if default is not None else ""
    fraction = re.fullmatch(r"-?\d*\.\d+", text) or (
        not re.fullmatch(r"-?\d+", text)
        and ("float" in (types(site.message) or ()) or re.search(_REAL, site.message))
    )
    return "float" if fraction or re.search("code '[feEgG%]'", site.message) else "int"


# --- which option it is ---


def _declared(
    tree: Tree, node: cst.BaseExpression, site: Site, project: Project, depth: int
) -> Iterator[Target]:
    """Yield where the option is declared that an expression is the value of."""
    made = value_of(tree, node) or node
    match made:
        case cst.Attribute(value=owner, attr=cst.Name(value=name)):
            if _is_namespace(tree, owner, site):
                there = replace(site, attrs={"option": name})
                yield from added(there, project, lambda call: name in names_of(call))
        case cst.Name(value=name) if is_parameter(tree, made) and depth:
            function = place(tree, made).function
            if function is not None and [*_declarations(function, name)]:
                attrs = {"option": name, "decorated": function.name.value}
                there = replace(site, span=tree.span(function.name), attrs=attrs, bad=None)
                yield Target(tree, there, project)
                return
            target = next(calling(site, project), None)
            given = argument(target, name) if target else None
            if target and given:
                # What was seen are the variables of another function.
                caller = replace(outside(site), file=target.site.file, locals={})
                yield from _declared(target.tree, given.value, caller, project, depth - 1)


def _is_namespace(tree: Tree, owner: cst.BaseExpression, site: Site) -> bool:
    """Say whether something is what a parser of a command line gives."""
    seen = site.locals.get(dotted(owner) or "")
    if seen is not None:
        return seen.type.rpartition(".")[2] == "Namespace"
    made = value_of(tree, owner)
    if isinstance(made, cst.Call) and last_of(made.func) in _PARSERS:
        return True
    return isinstance(owner, cst.Name) and owner.value in _NAMESPACES


def _decorators(target: Target) -> Iterator[cst.Call]:
    for node in target.tree.at(target.site.span):
        if isinstance(node, cst.Name):
            function = target.tree.parents[node]
            if isinstance(function, cst.FunctionDef):
                yield from _declarations(function, target.site.attrs["option"])


def _declarations(function: cst.FunctionDef, name: str) -> Iterator[cst.Call]:
    """Yield the decorators of ``click`` that declare a parameter of a function."""
    for each in function.decorators:
        call = each.decorator
        if isinstance(call, cst.Call) and last_of(call.func) in _DECLARING:
            made = ast.parse(code_of(call), mode="eval").body
            if isinstance(made, ast.Call) and name in names_of(made):
                yield call


OptionType.EXAMPLES = examples(
    """
whole: a number of rounds
    import argparse

    def main(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("-n", "--rounds", default=3, help="how often")
        args = parser.parse_args(argv)
        for _ in «range(args.rounds)»:
            play()
TypeError: 'str' object cannot be interpreted as an integer
where args: argparse.Namespace
    import argparse

    def main(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("-n", "--rounds", default=3, help="how often", type=int)
        args = parser.parse_args(argv)
        for _ in range(args.rounds):
            play()

whole: the parser is in another file
in tool/plan.py
    def is_late(job, options):
        return «job.age > options.max_age»
TypeError: '>' not supported between instances of 'int' and 'str'
where options: argparse.Namespace
beside tool/args.py
    def parse(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("--max-age")  # in days
        return parser.parse_args(argv)
in tool/args.py
    def parse(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("--max-age", type=int)  # in days
        return parser.parse_args(argv)

fraction: what it meets
    def parse(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("rate")
        return parser.parse_args(argv)

    def tax(net):
        args = parse(None)
        return «net * args.rate»
TypeError: can't multiply sequence by non-int of type 'float'
where args: argparse.Namespace
    def parse(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("rate", type=float)
        return parser.parse_args(argv)

    def tax(net):
        args = parse(None)
        return net * args.rate

whole: it is passed on
    def play(rounds):
        return «rounds + 1»

    def main(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("--rounds", default="1")
        args = parser.parse_args(argv)
        return play(args.rounds)
TypeError: can only concatenate str (not "int") to str
called 8 play
    def play(rounds):
        return rounds + 1

    def main(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("--rounds", default="1", type=int)
        args = parser.parse_args(argv)
        return play(args.rounds)

whole: a command of click
    import click

    @click.command()
    @click.option("-n", "--rounds")
    @click.argument("name")
    def main(rounds, name):
        return [name] * «rounds»
TypeError: can't multiply sequence by non-int of type 'str'
    import click

    @click.command()
    @click.option("-n", "--rounds", type=int)
    @click.argument("name")
    def main(rounds, name):
        return [name] * rounds

not any: it has a type
    def main(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("--rounds", type=str)
        args = parser.parse_args(argv)
        return «range(args.rounds)»
TypeError: 'str' object cannot be interpreted as an integer
where args: argparse.Namespace

not any: it is no option of a parser
    def main(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("--rounds")

    def run(task):
        return «range(task.rounds)»
TypeError: 'str' object cannot be interpreted as an integer
where task: tool.Task

not any: it is another option
    def main(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("--name")
        args = parser.parse_args(argv)
        return «range(args.rounds)»
TypeError: 'str' object cannot be interpreted as an integer
where args: argparse.Namespace
"""
)
