"""MisspeltName: a name that does not exist, next to one that does."""

from __future__ import annotations

import builtins
import re
from collections import Counter
from collections.abc import Iterator, Mapping

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import changed
from selfdebug.codemods._near import better_spelt, is_slip, is_word, nearest, words_of
from selfdebug.codemods._rename import name_at, names_of, renamed
from selfdebug.syntax.bindings import Function, parameters
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.scopes import bound_names, function_of, names_at, scopes_at

_USE = Variant("use", "root-cause", "use the name that exists", prior=0.8)
_WORDS = Variant("words", "root-cause", "use the name that says the same", prior=0.4)
_BINDING = Variant("binding", "root-cause", "give the variable the name that is used", prior=0.85)
_TARGET = Variant("target", "root-cause", "assign to the variable that exists", prior=0.8)
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))


class MisspeltName(Codemod):
    """Write a misspelt name as the variable, function or class that it means."""

    DESCRIPTION = "Write a misspelt name as the one that exists."
    NAME = "misspelt-name"
    ANSWERS = (
        Answer(("NameError",), r"name '\w+' is not defined", ("Name",)),
        Answer(("UnboundLocalError",), "", ("Name",)),
    )
    VARIANTS = (_BINDING, _TARGET, _USE, _WORDS)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the names nearest in spelling among those that have a value at the place."""
        bad = name_at(target.tree, target.site.span)
        if bad is None or hasattr(builtins, bad.value):
            return
        module = read_module(target.site.file, target.project)
        own = scopes_at(module.tree, target.site.span)[0].names
        if bad.value in own:
            yield from _targets(target, bad, own)
            return
        known = names_at(module.tree, target.site.span)
        if bad.value not in known:
            local = nearest(bad.value, known.keys() & own.keys())
            for new in local or nearest(bad.value, {*known, *_BUILTINS}):
                yield from _instead(target, module, bad, new)


def _targets(target: Target, bad: cst.Name, own: Mapping[str, int]) -> Iterator[Rewrite]:
    """Yield the repairs of a variable that is only ever added to, next to one that is set up."""
    tree, line, name = target.tree, target.site.span.line, bad.value
    if all(isinstance(tree.parents[node], cst.AugAssign) for node in names_of(tree, bad, name)):
        for new in nearest(name, (each for each, first in own.items() if first < line)):
            if module := changed(tree, renamed(tree, bad, name, new)):
                yield Rewrite(_TARGET, module, f"`{name}` is never set up; `{new}` is")


def _instead(target: Target, module: Module, bad: cst.Name, new: str) -> Iterator[Rewrite]:
    tree, name = target.tree, bad.value
    function = function_of(scopes_at(module.tree, target.site.span))
    if function and new in bound_names(function) and _is_wrong(target, module, bad, new):
        binding = changed(tree, renamed(tree, bad, new, name))
        if binding and not _is_keyword(target, new, function):
            yield Rewrite(_BINDING, binding, f"what is used is called `{name}`, not `{new}`")
    if use := changed(tree, renamed(tree, bad, name, new)):
        variant = _USE if is_slip(name, new) else _WORDS
        yield Rewrite(variant, use, f"there is no `{name}` here, but `{new}`")


def _is_wrong(target: Target, module: Module, bad: cst.Name, new: str) -> bool:
    """Say whether the variable that exists is the one that is misspelt.

    So it is where only the name that is used has words that the file has elsewhere or Python's manual
    knows, or where nothing reads the variable while several places read the other name.
    """
    name = bad.value
    words = Counter(words_of(module.source.text))
    for node in (*names_of(target.tree, bad, name), *names_of(target.tree, bad, new)):
        words.subtract(words_of(node.value))

    def known(word: str) -> bool:
        return words[word] > 0 or is_word(word)

    if better_spelt(name, new, known):
        return True
    if better_spelt(new, name, known):
        return False
    unread = len(names_of(target.tree, bad, new)) == 1
    return unread and len(names_of(target.tree, bad, name)) > 1


def _is_keyword(target: Target, name: str, function: Function) -> bool:
    """Say whether a variable is a parameter that some call passes by its name."""
    if name not in (each.arg for each in parameters(function)):
        return False
    passed = re.compile(rb"[(,]\s*" + name.encode() + rb"\s*=[^=]")
    files = (target.project.root.joinpath(*parts) for parts in target.project.files)
    return any(passed.search(target.project.data(path)) for path in files)


MisspeltName.EXAMPLES = examples(
    """
use: letters swapped in a variable
    def total(orders):
        subtotal = sum(order.price for order in orders)
        return round(«subtoatl», 2)
NameError: name 'subtoatl' is not defined
    def total(orders):
        subtotal = sum(order.price for order in orders)
        return round(subtotal, 2)

use: a loop's variable for its sequence, everywhere in the function
    def names(customers):
        found = []
        for customer in customers:
            if «custmer».active:
                found.append(custmer.name)  # as typed
        return found
NameError: name 'custmer' is not defined
    def names(customers):
        found = []
        for customer in customers:
            if customer.active:
                found.append(customer.name)  # as typed
        return found

use: another style of words
    def charge(user_id, amount):
        return gateway.charge(«userId», amount)
    gateway = connect()
NameError: name 'userId' is not defined
    def charge(user_id, amount):
        return gateway.charge(user_id, amount)
    gateway = connect()

use: a function of the module
    def normalize_address(text):
        return " ".join(text.split())

    def load(rows):
        return [«normalise_address»(row) for row in rows]
NameError: name 'normalise_address' is not defined
    def normalize_address(text):
        return " ".join(text.split())

    def load(rows):
        return [normalize_address(row) for row in rows]

use: a builtin
    def longest(names):
        return max(names, key=«lenn»)
NameError: name 'lenn' is not defined
    def longest(names):
        return max(names, key=len)

words: a name shortened
    def line(quantity, price):
        return «qty» * price
NameError: name 'qty' is not defined
    def line(quantity, price):
        return quantity * price

use: in a comprehension
    def totals(invoices):
        return {invoice.id: «invocie».total() for invoice in invoices}
NameError: name 'invocie' is not defined
    def totals(invoices):
        return {invoice.id: invoice.total() for invoice in invoices}

use: the class of a base
    class Exporter: ...

    class CsvExporter(«Exprter»): ...
NameError: name 'Exprter' is not defined
    class Exporter: ...

    class CsvExporter(Exporter): ...

binding: what is misspelt is the variable, not its use
    def read(path):
        contnet = path.read_text()
        return parse(«content»)

    def parse(content): ...
NameError: name 'content' is not defined
    def read(path):
        content = path.read_text()
        return parse(content)

    def parse(content): ...

binding: a word that no other line has
    def first(path):
        messgae = path.read_text()
        return «message».partition(" ")[0]
NameError: name 'message' is not defined
    def first(path):
        message = path.read_text()
        return message.partition(" ")[0]

binding: a loop's variable that nothing reads
    def total(cart):
        total = 0
        for itm in cart:
            total += «item».price * item.count
        return total
NameError: name 'item' is not defined
    def total(cart):
        total = 0
        for item in cart:
            total += item.price * item.count
        return total

target: added to a variable that nobody set up
    def count(rows):
        counter = 0
        for row in rows:
            «countr» += row.amount
        return counter
UnboundLocalError: cannot access local variable 'countr' where it is not associated with a value
    def count(rows):
        counter = 0
        for row in rows:
            counter += row.amount
        return counter

not any: nothing is called alike
    def total(orders):
        return sum(orders) * «rate»
NameError: name 'rate' is not defined

not any: the variable gets its value only below
    def total(orders):
        print(«subtotl»)
        subtotal = sum(orders)
        return subtotal
NameError: name 'subtotl' is not defined

not any: a variable that is not set up on every path is no misspelling
    def total(orders, rates):
        if orders:
            rate = rates[0]
        return «rate»
UnboundLocalError: cannot access local variable 'rate' where it is not associated with a value

not any: a comprehension's variable is gone after it
    def last(rows):
        names = [record for record in rows]
        return «recrod»
NameError: name 'recrod' is not defined

not binding: the parameter is passed by its name
    def total(cart, discont=0):
        return sum(cart) * (1 - «discount»)

    discount_of = None
    print(total([], discont=0.5))
NameError: name 'discount' is not defined

not use: short names are like all others
    def scale(k):
        return «x» * k
NameError: name 'x' is not defined

not any: what is alike is an attribute
    def total(order):
        order.rates = 2
        return order.amount * «rate»
NameError: name 'rate' is not defined

not any: what is alike is in another function
    def load():
        records = []
        return records

    def count():
        return len(«recrods»)
NameError: name 'recrods' is not defined

not any: the other one is set up below
    def count(rows):
        for row in rows:
            «totl» += 1
        total = 0
        return total
UnboundLocalError: cannot access local variable 'totl' where it is not associated with a value

not any: a builtin that somebody deleted
    def count(rows):
        lens = []
        return «len»(rows)
NameError: name 'len' is not defined

not any: the name of a class's own, seen from outside
    class Cart:
        capacity = 3

    def is_full(count):
        return count >= «capacty»
NameError: name 'capacty' is not defined
"""
)
