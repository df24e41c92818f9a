"""A module that is changed in one place is printed as libcst prints it."""

from __future__ import annotations

import libcst as cst
import pytest

from selfdebug.syntax.printing import code_after, printed

CODE = '''\
import os  # first

def outer(a):
    """Say what it does."""

    # about the branches
    if a:
        b = 1; c = 2
    elif b:

        d = 3  # of old
    else:
        try:
            e = 4
        except ValueError:
            f = 5
        finally:
            g = 6
    match a:
        case 1:
            h = 7
    for i in a: j = 8
    with a: \\
        k = 9
    # the end

class Last:
  l = 10'''


class _Renamed(cst.CSTTransformer):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        renamed = updated_node.with_changes(value="longer_name")
        return renamed if original_node.value == self.name else updated_node


@pytest.mark.parametrize("name", "abcdefghijkl")
@pytest.mark.parametrize("end", ["", "\n", "\n# over\n"])
def test_a_name_is_changed(name: str, end: str) -> None:
    module = cst.parse_module(CODE + end)
    before = printed(module)
    assert before.code == CODE + end
    after = module.visit(_Renamed(name))
    assert after is not module
    assert code_after(after, before) == after.code


def test_statements_that_move_take_the_indentation_of_their_new_block() -> None:
    module = cst.parse_module("if a:\n    if b:\n        c()\n        d()\nelif e:\n    f()")
    outer = cst.ensure_type(module.body[0], cst.If)
    inner = cst.ensure_type(outer.body.body[0], cst.If)
    branch = cst.ensure_type(outer.orelse, cst.If)
    body = [*inner.body.body, branch.with_changes(leading_lines=()), branch]
    after = module.with_changes(body=[*body, outer.with_changes(orelse=None)])
    code = code_after(after, printed(module))
    assert code == after.code
    assert code.startswith("c()\nd()\nif e:\n    f()\nif e:\n")
