"""EndRecursion: a function called itself without end."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, replaced
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._insert import above, statements
from selfdebug.codemods._names import dotted
from selfdebug.codemods._place import first_statement, place
from selfdebug.codemods._style import is_generator, is_procedure, returned
from selfdebug.syntax.bindings import dotted as spelled
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.region import Tree, enclosing

_SUPER = Variant("super", "root-cause", "call the method of the base class", growth=0, prior=0.5)
_FIELD = Variant("field", "root-cause", "read or set the field itself", growth=0, prior=0.8)
_BASE_CASE = Variant("base-case", "root-cause", "answer the smallest case", prior=0.3)
_NEUTRAL = {cst.Add: "0", cst.Multiply: "1"}
_SETS = ("setattr", "self.__setattr__")


class EndRecursion(Codemod):
    """Reach what is behind a method's own name, or give a recursion its smallest case."""

    DESCRIPTION = (
        "End a recursion: by the base class, by the field behind a property, by a base case."
    )
    NAME = "end-recursion"
    ANSWERS = (Answer(("RecursionError",)),)
    VARIANTS = (_FIELD, _SUPER, _BASE_CASE)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the ways out at the place where the function comes back to itself."""
        tree = target.tree
        for node in tree.at(target.site.span):
            if not isinstance(node, cst.BaseExpression):
                continue
            function = place(tree, node).function
            if function is not None:
                forms = _repairs(target, node, function)
                yield from rewritten(tree, forms, f"{tree.code(node)} ")
            return


def _repairs(target: Target, node: cst.BaseExpression, function: cst.FunctionDef) -> Iterator[Form]:
    tree, name = target.tree, function.name.value
    owner = _class_at(target)
    match node:
        case cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=attr) as own):
            if owner and attr == name and f"self._{name}" in _spellings(owner):
                field = cst.Name(f"_{name}")
                yield _FIELD, {own: lambda _: field}, f"asks the property for itself, not _{name}"
        case cst.Call(func=func) if owner and name == "__setattr__" and dotted(func) in _SETS:
            yield _SUPER, _set_above(node), "comes back to __setattr__"
        case cst.Call(func=cst.Attribute(value=cst.Name(value="self") as receiver, attr=attr)):
            if owner and attr.value == name and owner.bases and not _is_property(function):
                base = cst.parse_expression("super()")
                yield _SUPER, replaced(tree, receiver, lambda _: base), "calls the method itself"
        case cst.Call(func=cst.Name(value=called)) if called == name:
            yield _BASE_CASE, _base_case(tree, node, function), "goes on below zero"


def _class_at(target: Target) -> ast.ClassDef | None:
    module = read_module(target.site.file, target.project)
    path = enclosing(module.tree, target.site.span.line)
    return next((each for each in reversed(path) if isinstance(each, ast.ClassDef)), None)


def _spellings(owner: ast.ClassDef) -> set[str]:
    return {spelled(node) for node in ast.walk(owner) if isinstance(node, ast.Attribute)}


def _is_property(function: cst.FunctionDef) -> bool:
    names = [dotted(each.decorator) or "" for each in function.decorators]
    return any("property" in name or name.endswith(".setter") for name in names)


def _set_above(call: cst.Call) -> Change:
    """Set an attribute as the base class does: ``setattr(self, name, value)`` has one argument more."""
    args = call.args[1:] if dotted(call.func) == "setattr" else call.args
    made = cst.parse_expression("super().__setattr__()")
    assert isinstance(made, cst.Call)
    return {call: lambda _: made.with_changes(args=args)}


def _base_case(tree: Tree, call: cst.Call, function: cst.FunctionDef) -> Change | None:
    """Answer zero and less where the argument gets smaller, by what the result is combined with."""
    match tree.parents[call]:
        case cst.BinaryOperation(operator=operator) if type(operator) in _NEUTRAL:
            answer = f"return {_NEUTRAL[type(operator)]}"
        case _ if is_procedure(function) and not is_generator(function):
            answer = "return"
        case _:
            return None
    params = [each.name.value for each in function.params.params]
    shrinking = [arg.value for arg in call.args if _shrinks(arg.value, params)]
    top = first_statement(function)
    if len(shrinking) != 1 or len(returned(function)) > 1 or top is None:
        return None
    assert isinstance(shrinking[0], cst.BinaryOperation)
    code = f"if {dotted(shrinking[0].left)} <= 0:\n    {answer}\n"
    return above(tree, top, statements(tree, code, top))


def _shrinks(value: cst.BaseExpression, params: list[str]) -> bool:
    match value:
        case cst.BinaryOperation(left=left, operator=cst.Subtract(), right=cst.Integer()):
            return dotted(left) in params
    return False


EndRecursion.EXAMPLES = examples(
    """
field: a property that asks for itself
    class Account:
        def __init__(self, balance):
            self._balance = balance

        @property
        def balance(self):
            return «self.balance»
RecursionError: maximum recursion depth exceeded
    class Account:
        def __init__(self, balance):
            self._balance = balance

        @property
        def balance(self):
            return self._balance

super: a method that extends one of the base class
    class Audited(Store):
        def save(self, item):
            # first the trail
            self.trail.append(item)
            return «self.save(item)»
RecursionError: maximum recursion depth exceeded
    class Audited(Store):
        def save(self, item):
            # first the trail
            self.trail.append(item)
            return super().save(item)

super: an attribute that is set while one is set
    class Tracked:
        def __setattr__(self, name, value):
            self.__dict__.setdefault("changed", set()).add(name)
            «setattr(self, name, value)»
RecursionError: maximum recursion depth exceeded
    class Tracked:
        def __setattr__(self, name, value):
            self.__dict__.setdefault("changed", set()).add(name)
            super().__setattr__(name, value)

base-case: a product
    def factorial(number):
        return number * «factorial(number - 1)»
RecursionError: maximum recursion depth exceeded
    def factorial(number):
        if number <= 0:
            return 1
        return number * factorial(number - 1)

base-case: a procedure
    def countdown(number):
        print(number)
        «countdown(number - 1)»
RecursionError: maximum recursion depth exceeded
    def countdown(number):
        if number <= 0:
            return
        print(number)
        countdown(number - 1)

not field: there is no such field
    class Account:
        @property
        def balance(self):
            return «self.balance»
RecursionError: maximum recursion depth exceeded

not super: there is no base class
    class Store:
        def save(self, item):
            return «self.save(item)»
RecursionError: maximum recursion depth exceeded

not base-case: it has one, which is wrong
    def factorial(number):
        if number == 0:
            return 1
        return number * «factorial(number - 1)»
RecursionError: maximum recursion depth exceeded

not base-case: nothing gets smaller
    def walk(node):
        return 1 + «walk(node.parent)»
RecursionError: maximum recursion depth exceeded

not super: the method has another name in the base class
    class Store(Base):
        def save(self, item):
            return «self.store(item)»

        def store(self, item):
            return self.save(item)
RecursionError: maximum recursion depth exceeded
"""
)
