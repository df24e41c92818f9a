"""NullGuard where an example cannot show it: order, guesses, columns, encodings, proof."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfdebug.codemods.null_guard import NullGuard
from selfdebug.model import Site, Span, Value
from selfdebug.syntax.region import function_region, parse, splice, syntax_tree, whole
from selfdebug.syntax.source import apply, decode
from tests.codemods.examples import FILE, marked, whole_target

ATTRIBUTE = "AttributeError: 'NoneType' object has no attribute 'name'"


def variants(code: str, failure: str = ATTRIBUTE) -> list[str]:
    source, site = marked(code, failure)
    return [
        rewrite.variant.name for rewrite in NullGuard.rewrites(whole_target(whole(source), site))
    ]


def guesses(code: str, failure: str, **values: Value) -> list[str]:
    """What is guarded where only the line and the message are known."""
    source, site = marked(code, failure)
    line = Span(site.span.line, 0, site.span.line, len(source.line(site.span.line)))
    blind = replace(site, span=line, bad=None, bad_code=None, locals=values)
    whys = [rewrite.why for rewrite in NullGuard.rewrites(whole_target(whole(source), blind))]
    return list(dict.fromkeys(why.partition(" was None")[0] for why in whys))


def test_leaving_comes_first_where_the_value_is_all_that_matters() -> None:
    assert variants("def f(user):\n    print(«user».name)\n") == [
        "early-exit",
        "skip",
        "conditional",
    ]


def test_skipping_comes_first_where_the_function_goes_on_without_the_value() -> None:
    code = "def f(log):\n    «log».name()\n    save()\n"
    assert variants(code) == ["skip", "early-exit"]


def test_guards_come_before_defaults() -> None:
    code = "def f(row):\n    tags = row.get('tags')\n    return [tag for tag in «tags»]\n"
    assert variants(code, "TypeError: 'NoneType' object is not iterable") == [
        "early-exit",
        "early-exit",
        "assignment",
        "default",
    ]


def test_the_message_names_the_attribute() -> None:
    code = "def f(a, b):\n    return a.title + «b».name\n"
    assert guesses(code, ATTRIBUTE) == ["b"]


def test_locals_rule_out_what_had_a_value() -> None:
    code = "def f(a, b):\n    return a.name + «b».name\n"
    assert guesses(code, ATTRIBUTE) == ["a", "b"]
    assert guesses(code, ATTRIBUTE, a=Value("shop.User")) == ["b"]


def test_several_that_fit_come_in_the_order_of_evaluation() -> None:
    code = "def f(a, b):\n    return a.x.name + «b».name\n"
    assert guesses(code, ATTRIBUTE) == ["a.x", "b"]


def test_without_a_failure_modules_classes_methods_and_self_are_not_suspected() -> None:
    code = "import os\ndef f(self, user):\n    return os.sep.join(self.b(«user».name))\n"
    assert guesses(code, "") == ["user", "self.b(user.name)"]


def test_a_site_whose_code_has_moved_is_left_alone() -> None:
    source, site = marked("def f(user):\n    return «user».name\n", ATTRIBUTE)
    assert [*NullGuard.rewrites(whole_target(whole(source), replace(site, bad_code="order")))] == []


CLAUSES = ("c.isdigit()", "len(c) > 1", "c < '7'", "deep", "not c.isspace()")


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(CLAUSES), max_size=4), st.lists(st.sampled_from(["7a", "12", None]))
)
def test_a_filter_goes_through_what_is_there_as_before(
    clauses: list[str], items: list[str | None]
) -> None:
    code = f"found = [«c».name() for c in items {' '.join(f'if {each}' for each in clauses)}]\n"
    source, site = marked(code.replace("name", "upper"), ATTRIBUTE.replace("name", "upper"))
    rewrites = NullGuard.rewrites(whole_target(whole(source), site))
    after = next(each for each in rewrites if each.variant.name == "filter").module.code
    there = {"deep": True, "items": [each for each in items if each is not None]}
    every = {"deep": True, "items": items}
    exec(source.text, there)
    exec(after, every)
    assert every["found"] == there["found"]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "utf-8-sig", "cp1252"])
def test_only_the_bytes_of_the_edit_change(encoding: str) -> None:
    cookie = "" if encoding == "utf-8-sig" else f"# coding: {encoding}\r\n"
    text = (
        f"{cookie}größe = 'é'\r\ndef f(straße):\n\t# café\r\n\treturn straße.name\r\n\f\r\nx = 'ü'"
    )
    source = decode(FILE, text.encode(encoding))
    line = text.count("\n", 0, text.index("return")) + 1
    span = Span(line, 8, line, 14)
    site = Site(FILE, span, "Attribute", "straße", "AttributeError", ATTRIBUTE, bad=span)
    tree = parse(function_region(source, syntax_tree(source), line))
    rewrite = next(NullGuard.rewrites(whole_target(tree, site)))
    edit = splice(tree.region, rewrite.module.code)
    assert edit is not None
    comment = "\t# café\r\n"
    after = text.replace(comment, f"\tif straße is None:\n\t\treturn None\n{comment}")
    assert apply(source.data, (edit,)).decode(encoding) == after


PROVEN = """
import os
import re
import shutil
from os import environ as env
from typing import Optional

NUMBER = re.compile("[0-9]+")

def find(key) -> Optional[str]: ...
async def fetch(key) -> "str | None": ...

class Shop:
    def owner(self) -> "User | None": ...

    def name(self):
        return «self.owner()».name

def group(text):
    match = re.match("a", text)
    print("matched")
    return «match».group()

def items(text):
    return «NUMBER.match(text)»[0], «env.get("HOME")».split()

def loop():
    options = {}
    for option in «options.get("all")»:
        print(option)

async def ask(key):
    answer = await fetch(key)
    return «answer».strip()

def shout(key):
    return «find(key)».upper()
"""


def proven(code: str) -> list[Span]:
    return [site.span for site in NullGuard.provable(whole(decode(FILE, code.encode())))]


def test_an_optional_result_used_at_once_or_unchecked_is_proof() -> None:
    plain = PROVEN.replace("«", "").replace("»", "")
    source = whole(decode(FILE, plain.encode())).region.source
    found = [source.between(span) for span in sorted(proven(plain))]
    assert found == [part.partition("»")[0] for part in PROVEN.split("«")[1:]]


@pytest.mark.parametrize(
    "body",
    [
        "m = re.match('a', s)\nif m:\n    print(m.group())",
        "m = re.match('a', s)\nassert m\nprint(m.group())",
        "m = re.match('a', s)\ncheck(m)\nprint(m.group())",
        "m = re.match('a', s)\nm = m or other\nprint(m.group())",
        "m = re.match('a', s)\nreturn m and m.group()",
        "m = re.match('a', s)\nreturn lambda: m.group()",
        "m = re.match('a', s)\nif s:\n    m = other\nprint(m.group())",
        "m = re.match('a', s)\nfor x in s:\n    print(m.group())",
        "m = re.match('a', s)\nprint(m.__class__)",
        "try:\n    re.match('a', s).group()\nexcept AttributeError:\n    pass",
        "try:\n    m = re.match('a', s)\n    m.group()\nexcept Exception:\n    pass",
        "with suppress(AttributeError):\n    re.match('a', s).group()",
        "global m\nm = re.match('a', s)\ncheck()\nprint(m.group())",
        "re = other\nre.match('a', s).group()",
        "print(environ.get('HOME', '').split())",
        "print(environ.get(*s).split())",
        "print(s.get('key').split())",
        "print(re.findall('a', s).index(1))",
        "d = {}\nd = s\nprint(d.get('key').x)",
        "return (m := re.match('a', s)) and m.group()",
    ],
)
def test_any_check_on_the_way_is_no_proof(body: str) -> None:
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    assert proven(f"import re\nfrom os import environ\n\ndef f(s):\n{indented}") == []
