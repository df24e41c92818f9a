"""What all small edits of a suspicious statement leave alone."""

from __future__ import annotations

import pytest

from selfdebug.codemods import catalogue
from selfdebug.codemods._base import Repair
from selfdebug.codemods._first_order import FirstOrder
from selfdebug.localization.statements import site_at
from selfdebug.model import Failure, Raised
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import syntax_tree
from selfdebug.syntax.source import decode
from tests.codemods.examples import FILE, ROOT

EDITS = [each for each in catalogue() if issubclass(each, FirstOrder)]


def repairs(code: str, line: int) -> list[Repair]:
    source = decode(FILE, code.encode())
    failure = Failure("test_shop.py::test", "call", Raised("AssertionError", "assert 1 == 2"))
    site = site_at(source, syntax_tree(source), line, failure)
    assert site is not None
    project = Project(ROOT, (), {FILE: source.data})
    return [repair for each in EDITS for repair in each.repairs(site, project)]


@pytest.mark.parametrize(
    "statement",
    [
        "shutil.rmtree(root / name)",
        "os.remove(root + name)",
        "(root / name).unlink()",
        "os.kill(root, name + 1)",
        "subprocess.run([root, name, 0])",
        "peer.sendall(root + name)",
        "shutil.move(root, name)",
    ],
)
def test_what_deletes_or_sends_something_is_not_edited(statement: str) -> None:
    code = f"import os, shutil, subprocess\n\ndef clear(root, name, peer):\n    {statement}\n"
    assert repairs(code, 4) == []
    assert repairs(code.replace(statement, "return root + name"), 4)


def test_a_variable_that_nothing_reads_counts_from_where_it_has_a_value_on() -> None:
    code = "def joined(span, spans):\n    begin, last_end = spans[-1]\n    return begin, span.end\n"
    source = decode(FILE, code.encode())
    project = Project(ROOT, (), {FILE: source.data})
    made = []
    for line in (2, 3):
        site = site_at(source, syntax_tree(source), line, Failure("test", "call", None))
        assert site is not None
        found = (repair for each in EDITS for repair in each.repairs(site, project))
        made.append({edit.after for repair in found for edit in repair.edits})
    assert b", last_end" not in made[0]
    assert b", last_end" in made[1]


@pytest.mark.parametrize("size", ["(width, 3)", "[box[width]]", "max(width, 3)", "range(width)"])
def test_a_size_is_no_truth_value(size: str) -> None:
    def wraps(code: str) -> bool:
        made = repairs(f"def f(width: int, box):\n    return {code}\n", 2)
        return any(b"bool(width)" in edit.after for each in made for edit in each.edits)

    assert not wraps(size)
    assert wraps("width")


def test_annotations_and_docstrings_are_not_edited() -> None:
    code = 'def label(name: str = "", count: int = 3) -> str:\n    "A name, in capitals."\n    return name\n'
    assert repairs(code, 2) == []
    changed = {
        code.encode()[edit.start : edit.end] for each in repairs(code, 1) for edit in each.edits
    }
    assert b"3" in changed
    assert not changed & {b"str", b"int"}


def test_an_expression_in_parentheses_is_changed_alone() -> None:
    code = "def share(part, whole):\n    return 100 * (part - whole)  # in percent\n"
    made = {
        (edit.before, edit.after)
        for repair in repairs(code, 2)
        for edit in repair.edits
        if repair.variant.name == "opposite"
    }
    assert (b"-", b"+") in made
