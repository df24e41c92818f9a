"""MissingReturn: a function of the project made its result and did not return it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._defined import defined_at, functions_on, own_nodes, target_in
from selfdebug.codemods._edit import Change
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._names import bound, dotted
from selfdebug.codemods._style import is_generator, returned
from selfdebug.model import Site
from selfdebug.syntax.bindings import falls_through
from selfdebug.syntax.modules import definitions, read_module
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Tree

_EXPRESSION = Variant(
    "expression", "root-cause", "return the expression that the function ends with", prior=0.8
)
_RESULT = Variant("result", "root-cause", "return the variable that holds the result", prior=0.75)
_INNER = Variant("inner", "root-cause", "return the function that was defined inside", prior=0.9)
_SELF = Variant("self", "root-cause", "return the object, so that calls can be chained", prior=0.7)

_WITHOUT_RESULT = frozenset(
    (
        *("print", "append", "extend", "insert", "remove", "sort", "reverse", "add", "discard"),
        *("update", "clear", "write", "writelines", "writerow", "writerows", "close", "flush"),
        *("debug", "info", "warning", "warn", "error", "exception", "log", "setattr", "sleep"),
        *("__init__", "shuffle", "heappush", "heapify", "join", "start", "seed", "dump"),
    )
)
_MADE = (cst.Call, cst.BinaryOperation, cst.BaseComp, cst.Await, cst.Comparison, cst.Subscript)
_SHOWN = (cst.Dict, cst.List, cst.Set, cst.Tuple, cst.FormattedString, cst.IfExp, cst.Attribute)


class MissingReturn(Codemod):
    """Return what a function made, where its caller got None because control ran off the end."""

    DESCRIPTION = "Return what a function computes but does not return."
    NAME = "missing-return"
    ANSWERS = (
        Answer(("TypeError", "AttributeError"), r"NoneType|\bNone\b"),
        Answer(("TypeError",), r"can only join an iterable|expected string or bytes-like object"),
        Answer(("AssertionError",), r"^assert None "),
    )
    VARIANTS = (_EXPRESSION, _RESULT, _INNER, _SELF)

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the functions on the way of the None that end without a return."""
        for step in site.origin:
            module = read_module(step.file, project)
            if project.is_test_file(step.file):
                continue
            for function in functions_on(module, step.line):
                if function.body[-1].lineno == step.line and falls_through(function.body):
                    yield target_in(function, module, site, project)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the function with a return of what it ends with, or of what it built up."""
        tree = target.tree
        function = defined_at(tree, target.site.span.line)
        if function is None or is_generator(function) or _returns_none(function):
            return
        forms = _returning(tree, function, target)
        yield from rewritten(tree, forms, f"`{function.name.value}` returned None: it made ")


def _returning(tree: Tree, function: cst.FunctionDef, target: Target) -> Iterator[Form]:
    tails = [
        part for part in _tails(function.body) if isinstance(part, cst.Expr) and _is_result(part)
    ]
    if tails:
        code = tree.code(tails[0].value)
        yield _EXPRESSION, dict.fromkeys(tails, _as_return), f"`{code}` and did not return it"
    if not isinstance(function.body, cst.IndentedBlock):
        return
    last = function.body.body[-1]
    if isinstance(last, cst.FunctionDef | cst.ClassDef):
        name = last.name.value
        yield _INNER, _ended(function, name), f"`{name}` and did not return it"
        return
    for name in _results(function, last):
        yield _RESULT, _ended(function, name), f"`{name}` and did not return it"
    if _is_chained(tree, function, target):
        yield _SELF, _ended(function, "self"), "no result, while calls of it are chained"


def _returns_none(function: cst.FunctionDef) -> bool:
    """Say whether the annotation promises that nothing is returned."""
    return function.returns is not None and dotted(function.returns.annotation) == "None"


def _as_return(updated: cst.Expr) -> cst.Return:
    return cst.Return(updated.value, semicolon=updated.semicolon)


def _ended(function: cst.FunctionDef, name: str) -> Change:
    """Return the change that puts ``return name`` at the end of a function."""
    body = function.body
    line = cst.SimpleStatementLine([cst.Return(cst.Name(name))])
    if isinstance(body.body[-1], cst.FunctionDef | cst.ClassDef):
        line = line.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    return {body: lambda updated: updated.with_changes(body=[*updated.body, line])}


def _tails(block: cst.BaseSuite) -> Iterator[cst.CSTNode]:
    """Yield the statements after which control runs off the end of a block."""
    last = block.body[-1]
    match last:
        case cst.SimpleStatementLine(body=parts):
            yield parts[-1]
        case cst.BaseSmallStatement():
            yield last
        case _:
            for inner in _last_blocks(last):
                yield from _tails(inner)


def _last_blocks(statement: cst.CSTNode) -> Iterator[cst.BaseSuite]:
    """Yield the blocks of a statement from whose ends control goes on behind it."""
    match statement:
        case cst.If(body=body, orelse=orelse):
            yield body
            if isinstance(orelse, cst.If):
                yield from _last_blocks(orelse)
            elif orelse is not None:
                yield orelse.body
        case cst.With(body=body):
            yield body
        case cst.Try(body=body, handlers=handlers, orelse=orelse, finalbody=None):
            yield orelse.body if orelse else body
            yield from (handler.body for handler in handlers)
        case cst.Match(cases=cases):
            yield from (case.body for case in cases)


def _is_result(part: cst.Expr) -> bool:
    """Say whether an expression statement makes a value that somebody may want."""
    match part.value:
        case cst.Call(func=func) | cst.Await(expression=cst.Call(func=func)):
            return (dotted(func) or _last(func)).rpartition(".")[2] not in _WITHOUT_RESULT
        case cst.Name():
            return True
    return isinstance(part.value, (*_MADE, *_SHOWN))


def _last(func: cst.BaseExpression) -> str:
    return func.attr.value if isinstance(func, cst.Attribute) else ""


def _results(function: cst.FunctionDef, last: cst.BaseStatement) -> Sequence[str]:
    """Return the variables that may hold the result: those returned elsewhere, else the last built.

    Only what is bound on every way to the end counts.
    """
    bound_before = {*_bound_surely(function.body.body[:-1])}
    surely = bound_before | {*_bound_surely([last])}
    elsewhere = [
        each.value.value for each in returned(function) if isinstance(each.value, cst.Name)
    ]
    known = [name for name in dict.fromkeys(elsewhere) if name in surely]
    if known or elsewhere:
        return known[:1]
    if any(each.value is not None for each in returned(function)):
        # A function that returns values hands back what it was given and changed, too.
        surely |= {each.name.value for each in function.params.params} - {"self", "cls"}
    built = [name for name in _changed_in(last) if name in surely]
    return tuple(dict.fromkeys(built))[:2]


def _bound_surely(lines: Sequence[cst.CSTNode]) -> Iterator[str]:
    for line in lines:
        match line:
            case cst.SimpleStatementLine(body=parts):
                yield from (
                    name
                    for part in parts
                    if not _imports(part)
                    for name in bound(part)
                    if name.isidentifier()
                )
            case cst.If(body=body, orelse=cst.Else(body=other)):
                yield from {*_bound_surely(body.body)} & {*_bound_surely(other.body)}
            case cst.With(body=body):
                yield from _bound_surely(body.body)


def _imports(part: cst.CSTNode) -> bool:
    return isinstance(part, cst.Import | cst.ImportFrom)


def _changed_in(last: cst.BaseStatement) -> Iterator[str]:
    """Yield the variables that a statement gives a value or changes in place, in the text's order."""
    for node in own_nodes(last):
        match node:
            case cst.AssignTarget(target=target) | cst.AugAssign(target=target):
                yield from _changed_name(target)
            case cst.AnnAssign(target=target, value=cst.BaseExpression()):
                yield from _changed_name(target)
            case cst.Call(
                func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=method))
            ):
                if method in _WITHOUT_RESULT or method in {"setdefault", "pop"}:
                    yield name


def _changed_name(target: cst.BaseExpression) -> Iterator[str]:
    while isinstance(target, cst.Subscript):
        target = target.value
    if isinstance(target, cst.Name):
        yield target.value


def _is_chained(tree: Tree, function: cst.FunctionDef, target: Target) -> bool:
    """Say whether a method's result is asked for what its class defines, or its siblings return self."""
    params = [each.name.value for each in function.params.params]
    if params[:1] != ["self"] or returned(function) or function.name.value == "__init__":
        return False
    here = tree.region.source.path
    asked = re.search(r"has no attribute '(\w+)'", target.site.message)
    for each in definitions(function.name.value, target.project):
        if each.owner is None or each.module.source.path != here:
            continue
        if each.node.lineno == target.site.span.line:
            methods = {stmt.name for stmt in each.owner.body if isinstance(stmt, ast.FunctionDef)}
            return (asked and asked[1] in methods) or any(map(_returns_self, each.owner.body))
    return False


def _returns_self(stmt: ast.stmt) -> bool:
    returns = (node for node in ast.walk(stmt) if isinstance(node, ast.Return))
    return any(isinstance(each.value, ast.Name) and each.value.id == "self" for each in returns)


MissingReturn.EXAMPLES = examples(
    """
result: a list that is built in a loop
    def overdue(invoices):
        late = []
        for invoice in invoices:
            if invoice.days > 30:
                late.append(invoice)

    def report(invoices):
        return len(«overdue(invoices)»)
TypeError: object of type 'NoneType' has no len()
    def overdue(invoices):
        late = []
        for invoice in invoices:
            if invoice.days > 30:
                late.append(invoice)
        return late

    def report(invoices):
        return len(overdue(invoices))

expression: the last expression, used by a test
in tests/test_shop.py
    from shop import with_tax

    def test_tax():
        assert round(«with_tax(100)») == 119
TypeError: type NoneType doesn't define __round__ method
beside shop.py
    def with_tax(net):
        # Rounded by the caller.
        net * 1.19
in shop.py
    def with_tax(net):
        # Rounded by the caller.
        return net * 1.19

expression: each branch that ends with a result
    def parse(text):
        if text.startswith("#"):
            comment(text)
        else:
            record(text)  # a row

    def first(lines):
        parsed = parse(lines[0])
        return «parsed».kind
AttributeError: 'NoneType' object has no attribute 'kind'
    def parse(text):
        if text.startswith("#"):
            return comment(text)
        else:
            return record(text)  # a row

    def first(lines):
        parsed = parse(lines[0])
        return parsed.kind

expression: the recursive call of another branch
    def find(node, key):
        if node.key == key:
            return node
        find(node.next, key)

    def value(node, key):
        return «find(node, key)».value
AttributeError: 'NoneType' object has no attribute 'value'
    def find(node, key):
        if node.key == key:
            return node
        return find(node.next, key)

    def value(node, key):
        return find(node, key).value

result: the variable that an early return gives back
    def merged(left, right):
        result = dict(left)
        if not right:
            return result
        result.update(right)
        size = len(result)

    def names(left, right):
        return sorted(«merged(left, right)»)
TypeError: 'NoneType' object is not iterable
    def merged(left, right):
        result = dict(left)
        if not right:
            return result
        result.update(right)
        size = len(result)
        return result

    def names(left, right):
        return sorted(merged(left, right))

result: a variable that both branches set
    def fee(weight):
        if weight > 20:
            amount = 12
        else:
            amount = 5

    def total(weights):
        return sum(fee(w) for w in weights) + «fee(0)»
TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'
    def fee(weight):
        if weight > 20:
            amount = 12
        else:
            amount = 5
        return amount

    def total(weights):
        return sum(fee(w) for w in weights) + fee(0)

result: the argument that it changed, where another way returns a value
    def insert(node, value):
        if node is None:
            return {"value": value}
        if value < node["value"]:
            node["left"] = insert(node.get("left"), value)
        else:
            node["right"] = insert(node.get("right"), value)

    def built(values):
        return «insert(insert(None, 1), 2)»["value"]
TypeError: 'NoneType' object is not subscriptable
    def insert(node, value):
        if node is None:
            return {"value": value}
        if value < node["value"]:
            node["left"] = insert(node.get("left"), value)
        else:
            node["right"] = insert(node.get("right"), value)
        return node

    def built(values):
        return insert(insert(None, 1), 2)["value"]

self: what a with statement binds
    class Timer:
        def __enter__(self):
            self.laps = []

        def lap(self, name):
            self.laps.append(name)

    def run(names):
        with Timer() as timer:
            for name in names:
                «timer».lap(name)
AttributeError: 'NoneType' object has no attribute 'lap'
    class Timer:
        def __enter__(self):
            self.laps = []
            return self

        def lap(self, name):
            self.laps.append(name)

    def run(names):
        with Timer() as timer:
            for name in names:
                timer.lap(name)

result: what an assertion of a test compares
in tests/test_shop.py
    from shop import slug

    def test_slug():
        assert «slug("A B")» == "a-b"
AssertionError: assert None == 'a-b'
beside shop.py
    def slug(title):
        words = title.lower().split()
        joined = "-".join(words)
in shop.py
    def slug(title):
        words = title.lower().split()
        joined = "-".join(words)
        return joined

inner: a decorator that does not return its wrapper
    def logged(function):
        def wrapper(*args):
            return function(*args)

    @logged
    def count(items):
        return len(items)

    def size(items):
        return «count»(items)
TypeError: 'NoneType' object is not callable
    def logged(function):
        def wrapper(*args):
            return function(*args)

        return wrapper

    @logged
    def count(items):
        return len(items)

    def size(items):
        return count(items)

inner: a decorator with arguments
    def retry(times):
        def decorate(function):
            def wrapper(*args):
                for _ in range(times):
                    function(*args)
        return decorate

    @retry(3)
    def ping(host):
        return host

    def check(host):
        return «ping»(host)
TypeError: 'NoneType' object is not callable
    def retry(times):
        def decorate(function):
            def wrapper(*args):
                for _ in range(times):
                    function(*args)

            return wrapper
        return decorate

    @retry(3)
    def ping(host):
        return host

    def check(host):
        return ping(host)

self: a builder whose calls are chained
    class Query:
        def where(self, clause):
            self.clauses.append(clause)

        def limit(self, count):
            self.count = count
            return self

    def recent(query):
        return «query.where("new")».limit(5)
AttributeError: 'NoneType' object has no attribute 'limit'
    class Query:
        def where(self, clause):
            self.clauses.append(clause)
            return self

        def limit(self, count):
            self.count = count
            return self

    def recent(query):
        return query.where("new").limit(5)

not any: it is said to return nothing
    def save(order) -> None:
        path = order.path

    def name(order):
        return «save(order)».name
AttributeError: 'NoneType' object has no attribute 'name'

not any: every way returns; one of the values is None
    def find(rows, key):
        for row in rows:
            if row.key == key:
                return row
        return None

    def name(rows):
        return «find(rows, 1)».name
AttributeError: 'NoneType' object has no attribute 'name'

not any: a procedure that only changes its argument
    def tidy(rows):
        rows.sort()

    def first(rows):
        return «tidy(rows)»[0]
TypeError: 'NoneType' object is not subscriptable

not result: the variable is not bound on every way
    def label(size):
        if size > 10:
            text = "large"

    def shout(size):
        return «label(size)».upper()
AttributeError: 'NoneType' object has no attribute 'upper'

not any: a generator returns itself
    def walk(node):
        yield node.left
        walk(node.right)

    def first(node):
        return next(walk(node)) or «node.parent».name
AttributeError: 'NoneType' object has no attribute 'name'

not any: the None comes from a parameter
    def upper(text):
        return «text».upper()
AttributeError: 'NoneType' object has no attribute 'upper'

not self: nothing is chained
    class Cart:
        def add(self, item):
            self.last = item

    def price(cart, item):
        return «cart.add(item)».price
AttributeError: 'NoneType' object has no attribute 'price'

not any: it only prints
    def show(rows):
        print(rows)

    def first(rows):
        return «show(rows)»[0]
TypeError: 'NoneType' object is not subscriptable

not any: it ends with an exception
    def load(path):
        raise NotImplementedError(path)

    def name(path):
        return «load(path)».name
AttributeError: 'NoneType' object has no attribute 'name'

not any: a loop may never begin
    def find(rows):
        for row in rows:
            found = row

    def name(rows):
        return «find(rows)».name
AttributeError: 'NoneType' object has no attribute 'name'

not any: a module is imported in it
    def load(path):
        import json

    def name(path):
        return «load(path)».name
AttributeError: 'NoneType' object has no attribute 'name'

not any: an object is made
    class Cart:
        def __init__(self, items):
            self.items = items

    def price(cart):
        return «cart.__init__([])».price
AttributeError: 'NoneType' object has no attribute 'price'
"""
)
