"""OnlyItem: a list or tuple of one stood where its item is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._known import Unknown, seen
from selfdebug.codemods._names import dotted
from selfdebug.codemods._operands import bad, of_type, types, value_of
from selfdebug.codemods._place import place
from selfdebug.codemods._use import Use, use_of, uses
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

_SOURCE = Variant("source", "root-cause", "take the item where the sequence comes from", prior=0.45)
_USE = Variant("use", "root-cause", "take the item where it is needed", prior=0.4)
_LAST = Variant("last", "root-cause", "take the last of the items that there may be", prior=0.2)

_KINDS = frozenset(("list", "tuple"))
_KIND = r"'?\"?(?:list|tuple)'?\"?"
_LACKS = re.compile(r"'(?:list|tuple)' object has no attribute '(?P<name>\w+)'")
_NEEDS_ONE = re.compile(
    r"^(?P<wants>int|float)\(\) argument must be|expected string or bytes-like object|"
    r"(?P<path>expected str, bytes or os\.PathLike object)|must be real number"
)
_NUMBERS = frozenset(("int", "float", "bool", "Decimal", "Fraction", "complex"))
_AS_SEQUENCE = frozenset((Use.SUBSCRIPT, Use.ITERATION, Use.UNPACKING, Use.CONTAINER, Use.MAPPING))
_MADE = (cst.List, cst.Tuple, cst.ListComp)


class OnlyItem(Codemod):
    """Take the only item of a sequence where the code works on an item."""

    DESCRIPTION = "Take the item out of a sequence of one."
    NAME = "only-item"
    ANSWERS = (
        Answer(("AttributeError",), rf"^{_LACKS.pattern}"),
        Answer(
            ("TypeError",),
            rf"(?:{_NEEDS_ONE.pattern}).*{_KIND}$|unsupported operand .*{_KIND}|"
            rf"not supported between instances of .*{_KIND}|concatenate str \(not {_KIND}\)",
        ),
    )
    VARIANTS = (_SOURCE, _USE, _LAST)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the code with the item in the place of the sequence."""
        yield from rewritten(target.tree, _forms(target.tree, target.site))


def _forms(tree: Tree, site: Site) -> Iterator[Form]:
    for node in dict.fromkeys(
        (*of_type(tree, site, _KINDS), *bad(tree, site), *_given(tree, site))
    ):
        if not _holds_what_is_meant(tree, node, site):
            continue
        code = tree.code(node)
        given = value_of(tree, node)
        if isinstance(given, _MADE):
            continue  # the code makes a sequence of it itself
        from_it = given is not None and not _is_used_as_sequence(tree, node)
        variant, source = (_SOURCE, given or node) if from_it else (_USE, node)
        yield variant, _item_of(tree, source), f"`{code}` held one item, and the item is meant"
        yield (
            _LAST,
            _item_of(tree, source, "OLD[-1]"),
            f"of several in `{code}` the last one counts",
        )


def _given(tree: Tree, site: Site) -> Iterator[cst.BaseExpression]:
    """Yield the arguments of a call that complains of one from within."""
    for node in tree.at(site.span) if site.bad is None else ():
        if isinstance(node, cst.Call):
            yield from (arg.value for arg in node.args if not arg.star)


def _holds_what_is_meant(tree: Tree, node: cst.BaseExpression, site: Site) -> bool:
    """Say whether a value was a sequence of one item, with which the code would have worked."""
    try:
        whole = seen(tree.code(node), site.locals)
        if not isinstance(whole, list | tuple) or len(whole) != 1:
            return False
    except Unknown:
        return False
    return _fits(whole[0], site.message)


def _fits(item: object, message: str) -> bool:
    if found := _LACKS.search(message):
        return hasattr(item, found["name"])
    if found := _NEEDS_ONE.search(message):
        texts = () if found["wants"] is None and "real number" in message else (str, bytes)
        numbers = () if found["path"] or "expected string" in message else (int, float)
        return isinstance(item, (*texts, *numbers))
    named = types(message) or ("str", "list")
    other = next((each for each in named if each not in _KINDS), "")
    kind = type(item).__name__
    return kind == other or {kind, other} <= _NUMBERS


def _is_used_as_sequence(tree: Tree, node: cst.BaseExpression) -> bool:
    """Say whether the function uses a variable as a sequence elsewhere."""
    function, spelling = place(tree, node).function, dotted(node)
    found = uses(tree, spelling, function.body) if function and spelling else ()
    return any(use_of(tree, each) in _AS_SEQUENCE or _is_measured(tree, each) for each in found)


def _is_measured(tree: Tree, node: cst.BaseExpression) -> bool:
    match tree.parents[tree.parents[node]]:
        case cst.Call(func=cst.Name(value="len" | "sum" | "sorted" | "list" | "tuple" | "set")):
            return True
    return _is_asked(tree, node)


def _is_asked(tree: Tree, node: cst.BaseExpression) -> bool:
    """Say whether a condition asks if there is something in a sequence."""
    match tree.parents[node]:
        case cst.UnaryOperation(operator=cst.Not()) | cst.BooleanOperation():
            return True
        case cst.If(test=test) | cst.While(test=test) | cst.IfExp(test=test):
            return test is node
    return False


def _item_of(tree: Tree, node: cst.BaseExpression, code: str = "OLD[0]") -> Change:
    return replaced(tree, node, lambda updated: expression(code, OLD=updated))


OnlyItem.EXAMPLES = examples(
    """
source: a row of one column
    def orders_of(cursor, customer):
        cursor.execute("select count(*) from orders where customer = ?", (customer,))
        count = cursor.fetchone()  # always one row
        if «count» > 0:
            return f"{count} orders"
        return "no orders"
TypeError: '>' not supported between instances of 'tuple' and 'int'
where count: tuple = (3,)
    def orders_of(cursor, customer):
        cursor.execute("select count(*) from orders where customer = ?", (customer,))
        count = cursor.fetchone()[0]  # always one row
        if count > 0:
            return f"{count} orders"
        return "no orders"

source: a query has a list for each name
    from urllib.parse import parse_qs

    def page_of(query):
        page = parse_qs(query).get("page", "1")
        return «int(page)» - 1
TypeError: int() argument must be a string, a bytes-like object or a real number, not 'list'
where page: list = ['3']
    from urllib.parse import parse_qs

    def page_of(query):
        page = parse_qs(query).get("page", "1")[0]
        return int(page) - 1

use: an item of a table of lists
    from urllib.parse import parse_qs

    def page_of(query):
        fields = parse_qs(query)
        return «int(fields["page"])» - 1
TypeError: int() argument must be a string, a bytes-like object or a real number, not 'list'
where fields: dict = {'page': ['3']}
    from urllib.parse import parse_qs

    def page_of(query):
        fields = parse_qs(query)
        return int(fields["page"][0]) - 1

use: an argument
    def shout(words):
        return «words».upper() + "!"
AttributeError: 'list' object has no attribute 'upper'
where words: list = ['hello']
    def shout(words):
        return words[0].upper() + "!"

source: a match of all
    import re

    def version(text):
        number = re.findall(r"[0-9.]+", text)
        return "v" + «number»
TypeError: can only concatenate str (not "list") to str
where number: list = ['1.2']
    import re

    def version(text):
        number = re.findall(r"[0-9.]+", text)[0]
        return "v" + number

use: the code counts the items, too
    def price(row):
        cells = row.split(";")
        if len(cells) == 1:
            return «float(cells)»
        return float(cells[1])
TypeError: float() argument must be a string or a real number, not 'list'
where cells: list = ['2.50']
    def price(row):
        cells = row.split(";")
        if len(cells) == 1:
            return float(cells[0])
        return float(cells[1])

use: the code asks whether there is one
    def page_of(fields):
        pages = fields.get("page")
        if not pages:
            return 1
        return «int(pages)»
TypeError: int() argument must be a string, a bytes-like object or a real number, not 'list'
where pages: list = ['3']
    def page_of(fields):
        pages = fields.get("page")
        if not pages:
            return 1
        return int(pages[0])

last: a field that is given twice
    def page_of(fields):
        pages = fields["page"]
        return «int(pages)» if pages else 1
TypeError: int() argument must be a string, a bytes-like object or a real number, not 'list'
where pages: list = ['3']
    def page_of(fields):
        pages = fields["page"]
        return int(pages[-1]) if pages else 1

not any: there were two
    def price(row):
        cells = row.split(";")
        return «float(cells)»
TypeError: float() argument must be a string or a real number, not 'list'
where cells: list = ['2.50', 'EUR']

not any: nothing is known of what it held
    def price(cells):
        return «float(cells)»
TypeError: float() argument must be a string or a real number, not 'list'

not any: the item has no such attribute either
    def shout(words):
        return «words».upper()
AttributeError: 'list' object has no attribute 'upper'
where words: list = [3]

not any: the list has to be filled, not read
    def collect(names):
        names.«add»("ann")
AttributeError: 'list' object has no attribute 'add'
where names: list = ['bob']

not any: an item of another kind would fail alike
    def later(days):
        return 1 + «days»
TypeError: unsupported operand type(s) for +: 'int' and 'list'
where days: list = ['2']

not any: the code makes the list itself
    def rate(percent):
        share = [percent]
        return 1 + «share»
TypeError: unsupported operand type(s) for +: 'int' and 'list'
where share: list = [0.2]

not any: another argument is the list
    def total(prices, rate):
        return sum(prices) * «rate»
TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'
where prices: list = [3]
"""
)
