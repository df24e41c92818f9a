"""RaisedClass: the right moment to raise, and the wrong exception."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import changed, replaced
from selfdebug.codemods._expected import expected, spelled
from selfdebug.codemods._names import bound
from selfdebug.model import Site
from selfdebug.syntax.bindings import dotted
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.region import Tree

_SIBLING = Variant(
    "sibling", "root-cause", "raise what the module raises elsewhere", growth=0, prior=0.5
)
_AWAITED = Variant("awaited", "root-cause", "raise what the test waits for", growth=0, prior=0.25)


class RaisedClass(Codemod):
    """Raise the exception that the test waits for, where the code raises another one by itself."""

    DESCRIPTION = "Raise the exception that callers wait for instead of another."
    NAME = "raised-class"
    ANSWERS = (Answer((), nodes=("Raise",)),)
    VARIANTS = (_SIBLING, _AWAITED)

    @classmethod
    def answers(cls, site: Site) -> bool:
        """Say whether the failure was raised by a statement of the project."""
        return site.node == "Raise" and not site.deeper

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the statement with the class that the test names, if this place knows it."""
        tree, site = target.tree, target.site
        raised = next((node for node in tree.at(site.span) if isinstance(node, cst.Raise)), None)
        kind = None if raised is None else _made_before(tree, raised) or _class(raised.exc)
        waited = expected(site, target.project)
        if kind is None:
            return
        module = read_module(site.file, target.project)
        name = tree.code(kind).rpartition(".")[2]
        if name in waited or spelled(name, module, target.project) is None:
            return
        for name in waited:
            spelling = spelled(name, module, target.project)
            made = spelling and changed(tree, replaced(tree, kind, _named(spelling)))
            if spelling and made:
                variant = _SIBLING if _raises(module, spelling) else _AWAITED
                why = f"the test waits for {name}, and `{tree.code(kind)}` is none"
                yield Rewrite(variant, made, why)


def _named(spelling: str) -> Callable[[object], cst.BaseExpression]:
    return lambda _: cst.parse_expression(spelling)


def _class(value: cst.BaseExpression | None) -> cst.BaseExpression | None:
    """Return the expression that names the class of an exception."""
    func = value.func if isinstance(value, cst.Call) else value
    return func if isinstance(func, cst.Name | cst.Attribute) else None


def _made_before(tree: Tree, raised: cst.Raise) -> cst.BaseExpression | None:
    """Return the class of an exception that the function made once, and raises by its name."""
    holders = (node for node in tree.ancestors(raised) if isinstance(node, cst.FunctionDef))
    holder = next(holders, None)
    if holder is None or not isinstance(raised.exc, cst.Name):
        return None
    made = [node for node in _below(holder) if raised.exc.value in bound(node)]
    match made:
        case [cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=cst.Call() as value)]:
            return _class(value)
    return None


def _below(node: cst.CSTNode) -> Iterator[cst.BaseSmallStatement]:
    for child in node.children:
        if isinstance(child, cst.BaseSmallStatement):
            yield child
        yield from _below(child)


def _raises(module: Module, spelling: str) -> bool:
    """Say whether a module raises an exception by this name."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if dotted(made) == spelling:
                return True
    return False


RaisedClass.EXAMPLES = examples(
    """
sibling: what the module raises for the same fault elsewhere
    class ParseError(ValueError):
        pass

    def number(text):
        if not text:
            raise ParseError("no number")
        return int(text)

    def word(text):
        if not text:
            «raise LookupError("no word")»  # nothing there
        return text
LookupError: no word
called test_shop.py:7 word
beside test_shop.py
    import pytest

    from shop import ParseError, word

    def test_no_word():
        with pytest.raises(ParseError):
            word("")
in shop.py
    class ParseError(ValueError):
        pass

    def number(text):
        if not text:
            raise ParseError("no number")
        return int(text)

    def word(text):
        if not text:
            raise ParseError("no word")  # nothing there
        return text

awaited: a builtin exception that unittest waits for
    def take(stock, name, count):
        if stock[name] < count:
            «raise AssertionError(f"only {stock[name]} left")»
        stock[name] -= count
AssertionError: only 2 left
called test_shop.py:5 take
beside test_shop.py
    from shop import take

    class TestTake(TestCase):
        def test_too_much(self):
            self.assertRaises(ValueError, take, {"nail": 2}, "nail", 3)
in shop.py
    def take(stock, name, count):
        if stock[name] < count:
            raise ValueError(f"only {stock[name]} left")
        stock[name] -= count

awaited: an exception of a module that is imported
    import errors

    def login(name):
        if name not in USERS:
            «raise KeyError»
        return USERS[name]
KeyError
called test_shop.py:4 login
beside test_shop.py
    import pytest, errors, shop
    def test_stranger():
        with pytest.raises((errors.Unknown,)):
            shop.login("eve")
beside errors.py
    class Unknown(Exception):
        pass
in shop.py
    import errors

    def login(name):
        if name not in USERS:
            raise errors.Unknown
        return USERS[name]

awaited: an exception that the function makes first, and raises in several places
    def parse(text):
        wrong = RuntimeError(f"no address: {text}")
        parts = text.split(".")
        if len(parts) != 4:
            raise wrong
        for part in parts:
            if not part.isdigit():
                «raise wrong»
        return parts
RuntimeError: no address: 1.2.3.x
called test_shop.py:5 parse
beside test_shop.py
    import pytest
    from shop import parse
    def test_letters():
        with pytest.raises(OSError):
            parse("1.2.3.x")
in shop.py
    def parse(text):
        wrong = OSError(f"no address: {text}")
        parts = text.split(".")
        if len(parts) != 4:
            raise wrong
        for part in parts:
            if not part.isdigit():
                raise wrong
        return parts

not any: the test waits for nothing
    def login(name):
        if name not in USERS:
            «raise KeyError(name)»
        return USERS[name]
KeyError: 'eve'
called test_shop.py:3 login
beside test_shop.py
    from shop import login
    def test_stranger():
        assert login("eve") is None

not any: what it raises is what the test waits for
    def login(name):
        if name not in USERS:
            «raise KeyError(name)»
        return USERS[name]
KeyError: 'eve'
called test_shop.py:5 login
beside test_shop.py
    import pytest
    from shop import login
    def test_stranger():
        with pytest.raises(KeyError):
            login("eve")

not any: the class is not known here
    def login(name):
        if name not in USERS:
            «raise KeyError(name)»
        return USERS[name]
KeyError: 'eve'
called test_shop.py:6 login
beside test_shop.py
    import pytest
    from errors import Unknown
    from shop import login
    def test_stranger():
        with pytest.raises(Unknown):
            login("eve")

not any: it was raised by what is called
    def login(name):
        return «USERS[name]»
KeyError: 'eve'
called test_shop.py:5 login
beside test_shop.py
    import pytest
    from shop import login
    def test_stranger():
        with pytest.raises(ValueError):
            login("eve")

not any: it passes on an exception that it was given
    def login(name, error):
        if error:
            «raise error»
        return USERS[name]
KeyError: 'eve'
called test_shop.py:5 login
beside test_shop.py
    import pytest
    from shop import login
    def test_stranger():
        with pytest.raises(ValueError):
            login("eve", KeyError("eve"))
"""
)
