"""The codemod of the guide for contributors works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from selfdebug.codemods._base import Codemod, examples
from tests.codemods.test_examples import repairs

GUIDE = Path(__file__).parents[2] / "docs/codemods.md"


def codemod() -> type[Codemod]:
    """The class on the page."""
    [code] = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    module = ModuleType("guide")
    exec(compile(code, str(GUIDE), "exec"), vars(module))
    found: type[Codemod] = module.ListAdd
    return found


def test_its_examples_hold() -> None:
    made = codemod()
    afters = [[each.after.decode() for each in repairs(example, made)] for example in made.EXAMPLES]
    assert afters == [[example.after] if example.after else [] for example in made.EXAMPLES]
    assert "found.append(each.name)  # in their order" in afters[0][0]


def test_an_example_of_another_form_is_named() -> None:
    right = "append: one\n    a = 1\nNameError: x\n    a = 2\n\n"
    assert len(examples(right)) == 1
    with pytest.raises(ValueError, match="after: 'append two'"):
        len(examples(right + "append two\n    a = 1\nNameError: x\n    a = 2\n" + right))
