"""UnboundLocal: a variable that is read before it has a value on some way through the function."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, changed
from selfdebug.codemods._insert import above, statements
from selfdebug.codemods._names import bound, identifiers
from selfdebug.codemods._rename import home, name_at, names_of
from selfdebug.syntax.modules import Module, read_module
from selfdebug.syntax.region import Tree
from selfdebug.syntax.scopes import names_at, scopes_at

_MOVE = Variant("move", "root-cause", "assign it before it is read", prior=0.7)
_START = Variant("start", "root-cause", "begin what is collected with nothing", prior=0.75)
_FLAG = Variant("flag", "root-cause", "begin a flag with its other value", prior=0.7)
_SHADOW = Variant("shadow", "root-cause", "give the local a name of its own", prior=0.5)
_NONE = Variant("none", "default", "begin with None", prior=0.15)
_GROWS = {"append": "[]", "extend": "[]", "insert": "[]", "add": "set()", "setdefault": "{}"}
_TEXT = (cst.SimpleString, cst.FormattedString, cst.ConcatenatedString)


class UnboundLocal(Codemod):
    """Give a variable its value on every way that leads to where it is read."""

    DESCRIPTION = "Give a variable a value before it is read."
    NAME = "unbound-local"
    ANSWERS = (
        Answer(("UnboundLocalError",), "", ("Name",)),
        Answer(("NameError",), r"name '\w+' is not defined", ("Name",)),
    )
    VARIANTS = (_START, _FLAG, _MOVE, _SHADOW, _NONE)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield what gives the variable a value: at the place where all of its uses begin."""
        tree, site = target.tree, target.site
        bad = name_at(tree, site.span)
        if bad is None:
            return
        module = read_module(site.file, target.project)
        scopes = scopes_at(module.tree, site.span)
        local = bad.value in scopes[0].names
        if not local and bad.value in names_at(module.tree, site.span):
            return
        if not any(isinstance(up, cst.FunctionDef) for up in tree.ancestors(bad)):
            return
        if hasattr(builtins, bad.value) or any(bad.value in each.names for each in scopes[1:]):
            if local and _is_defined(module, bad.value):
                yield from _shadowed(tree, bad)
            return
        yield from _started(tree, bad)
        if local:
            yield from _moved(tree, bad)
            yield from _flagged(tree, bad)


def _started(tree: Tree, bad: cst.Name) -> Iterator[Rewrite]:
    """Yield the empty value of what is only ever added to, above the loop that adds."""
    uses = names_of(tree, bad, bad.value)
    found = [value for use in uses if (value := _empty(tree, use))]
    if not found or len({*found}) > 1 or any(_is_bound_plainly(tree, use) for use in uses):
        return
    line = _first_line(tree, uses, out_of_loop=True)
    if line is not None and (new := _with_line(tree, line, f"{bad.value} = {found[0]}", bad)):
        yield Rewrite(_START, new, f"`{bad.value}` is added to, but never set up")


def _empty(tree: Tree, use: cst.Name) -> str | None:
    """Return the value that a use adds to when nothing was added yet; None for other uses."""
    parent = tree.parents[use]
    if isinstance(parent, cst.AugAssign) and parent.target is use:
        return _neutral(parent)
    if isinstance(parent, cst.Attribute) and isinstance(tree.parents[parent], cst.Call):
        return _GROWS.get(parent.attr.value)
    if isinstance(parent, cst.Subscript) and isinstance(tree.parents[parent], cst.AssignTarget):
        return "{}"
    return None


def _neutral(stmt: cst.AugAssign) -> str | None:
    match stmt.operator, stmt.value:
        case cst.AddAssign(), cst.List() | cst.ListComp():
            return "[]"
        case cst.AddAssign(), cst.SimpleString() | cst.FormattedString() | cst.ConcatenatedString():
            return '""'
        case cst.BitOrAssign(), cst.Set() | cst.SetComp():
            return "set()"
        case cst.AddAssign() | cst.SubtractAssign(), _:
            return "0"
        case cst.MultiplyAssign(), _:
            return "1"
    return None


def _is_bound_plainly(tree: Tree, use: cst.Name) -> bool:
    parent = tree.parents[use]
    return not isinstance(parent, cst.AugAssign) and use.value in bound(parent)


def _flagged(tree: Tree, bad: cst.Name) -> Iterator[Rewrite]:
    """Yield the value that holds where no assignment is reached: above all that assign."""
    uses = names_of(tree, bad, bad.value)
    assigned = [
        up.value
        for use in uses
        if isinstance(target := tree.parents[use], cst.AssignTarget)
        and isinstance(up := tree.parents[target], cst.Assign)
    ]
    if not assigned or any(isinstance(tree.parents[use], cst.AugAssign) for use in uses):
        return
    line = _first_line(tree, uses, out_of_loop=False)
    if line is None or isinstance(line, cst.SimpleStatementLine):
        return
    flags = {node.value for node in assigned if isinstance(node, cst.Name)}
    variant, value = _NONE, "None"
    if len(flags) == 1 and flags <= {"True", "False"} and len(flags) == len({*map(type, assigned)}):
        variant, value = _FLAG, "False" if flags == {"True"} else "True"
    if new := _with_line(tree, line, f"{bad.value} = {value}", bad):
        yield Rewrite(variant, new, f"`{bad.value}` has no value where nothing assigns it")


def _moved(tree: Tree, bad: cst.Name) -> Iterator[Rewrite]:
    """Yield the function with its only assignment above the first statement that reads it."""
    uses = names_of(tree, bad, bad.value)
    stores = [use for use in uses if isinstance(tree.parents[use], cst.AssignTarget)]
    if len(stores) != 1 or any(isinstance(tree.parents[use], cst.AugAssign) for use in uses):
        return
    block, line = _blocks(tree, stores[0])[-1]
    reader = next((stmt for each, stmt in _blocks(tree, bad) if each is block), None)
    if reader is None or not isinstance(block, cst.IndentedBlock):
        return
    first, last = block.body.index(reader), block.body.index(line)
    if first >= last or not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return
    passed = block.body[first:last]
    needed = {*identifiers(line)}
    if any(_leaves(stmt) or needed & {*bound(stmt)} for stmt in passed):
        return
    assert isinstance(reader, cst.SimpleStatementLine | cst.BaseCompoundStatement)
    body = [
        *block.body[:first],
        line.with_changes(leading_lines=reader.leading_lines),
        reader.with_changes(leading_lines=line.leading_lines),
        *passed[1:],
        *block.body[last + 1 :],
    ]
    if new := changed(tree, {block: lambda old: old.with_changes(body=body)}):
        yield Rewrite(_MOVE, new, f"`{bad.value}` is assigned only after it is read")


def _leaves(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.FunctionDef | cst.Lambda):
        return False
    leaving = isinstance(node, cst.Return | cst.Raise | cst.Break | cst.Continue | cst.Yield)
    return leaving or any(_leaves(child) for child in node.children)


def _is_defined(module: Module, name: str) -> bool:
    """Say whether a name outside the function is a function, a class or an import."""
    defined = any(each.qualname == name for each in module.definitions)
    return hasattr(builtins, name) or defined or name in module.imports


def _shadowed(tree: Tree, bad: cst.Name) -> Iterator[Rewrite]:
    """Yield the function with a local that has a name of its own, as PEP 8 spells such names."""
    uses = names_of(tree, bad, bad.value)
    stores = [use for use in uses if use.value in bound(tree.parents[use])]
    if len(stores) != 1 or not isinstance(tree.parents[stores[0]], cst.AssignTarget):
        return
    statement = tree.parents[tree.parents[stores[0]]]
    if bad not in _inside(statement):
        return
    name = f"{bad.value}_"
    own = [use for use in uses if use is stores[0] or tree.span(use) > tree.span(statement)]
    own = [use for use in own if use is stores[0] or use not in _inside(statement)]
    if name in identifiers(home(tree, bad)):
        return
    change: Change = {use: lambda old: old.with_changes(value=name) for use in own}
    if new := changed(tree, change):
        yield Rewrite(_SHADOW, new, f"the local `{bad.value}` hides what it is made with")


def _inside(node: cst.CSTNode) -> list[cst.CSTNode]:
    return [each for child in node.children for each in (child, *_inside(child))]


# --- where ---


def _first_line(tree: Tree, uses: Sequence[cst.Name], *, out_of_loop: bool) -> cst.CSTNode | None:
    """Return the first statement with a use, in the deepest block that holds all of them.

    ``out_of_loop`` leaves the loop in which something is added: it would begin anew in each turn.
    """
    paths = [_blocks(tree, use) for use in uses]
    depth = 0
    while all(len(path) > depth for path in paths) and len({path[depth][0] for path in paths}) == 1:
        depth += 1
    growing = {_loop(tree, use) for use in uses if out_of_loop and _empty(tree, use)}
    while depth and tree.parents[paths[0][depth - 1][0]] in growing:
        depth -= 1
    if not depth:
        return None
    lines = [path[depth - 1] for path in paths]
    block = lines[0][0]
    assert isinstance(block, cst.IndentedBlock)
    return next(stmt for stmt in block.body if any(stmt is line for _, line in lines))


def _loop(tree: Tree, node: cst.CSTNode) -> cst.CSTNode | None:
    """Return the innermost loop around a node."""
    around = tree.ancestors(node)
    return next((up for up in around if isinstance(up, cst.For | cst.While)), None)


def _blocks(tree: Tree, node: cst.CSTNode) -> list[tuple[cst.CSTNode, cst.CSTNode]]:
    """Return the blocks around a node inside its function with their statement, outermost first."""
    found: list[tuple[cst.CSTNode, cst.CSTNode]] = []
    child = node
    for up in tree.ancestors(node):
        if isinstance(up, cst.IndentedBlock):
            found.insert(0, (up, child))
        if isinstance(up, cst.FunctionDef):
            break
        child = up
    return found


def _with_line(tree: Tree, line: cst.CSTNode, code: str, near: cst.CSTNode) -> cst.Module | None:
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else line
    return changed(tree, above(tree, small, statements(tree, f"{code}\n", near)))


UnboundLocal.EXAMPLES = examples(
    '''
start: a sum over a loop
    def total(items):
        for item in items:
            «total_price» += item.price
        return total_price
UnboundLocalError: cannot access local variable 'total_price' where it is not associated with a value
    def total(items):
        total_price = 0
        for item in items:
            total_price += item.price
        return total_price

start: a list that is collected
    def active(users):
        """Return the active ones."""

        for user in users:
            if user.active:
                «found».append(user)
        return found
NameError: name 'found' is not defined
    def active(users):
        """Return the active ones."""

        found = []
        for user in users:
            if user.active:
                found.append(user)
        return found

start: a mapping that is filled, by turn of the outer loop
    def pages(books):
        result = []
        for book in books:
            for page in book.pages:
                «index»[page.title] = page  # the last wins
            result.append(index)
        return result
NameError: name 'index' is not defined
    def pages(books):
        result = []
        for book in books:
            index = {}
            for page in book.pages:
                index[page.title] = page  # the last wins
            result.append(index)
        return result

start: text
    def banner(lines):
        for line in lines:
            «text» += f"* {line}"
        return text
UnboundLocalError: cannot access local variable 'text' where it is not associated with a value
    def banner(lines):
        text = ""
        for line in lines:
            text += f"* {line}"
        return text

flag: found or not
    def has_admin(users):
        for user in users:
            if user.admin:
                found = True
                break
        return «found»
UnboundLocalError: cannot access local variable 'found' where it is not associated with a value
    def has_admin(users):
        found = False
        for user in users:
            if user.admin:
                found = True
                break
        return found

move: the assignment stands too low
    def invoice(order):
        # Taxes are added at the end.
        net = order.amount * «rate»
        rate = order.country.rate
        return net
UnboundLocalError: cannot access local variable 'rate' where it is not associated with a value
    def invoice(order):
        # Taxes are added at the end.
        rate = order.country.rate
        net = order.amount * rate
        return net

shadow: a local called like the function that makes it
    def total(items):
        return sum(item.price for item in items)

    def report(cart):
        total = «total»(cart.items)
        return f"{total} to pay"
UnboundLocalError: cannot access local variable 'total' where it is not associated with a value
    def total(items):
        return sum(item.price for item in items)

    def report(cart):
        total_ = total(cart.items)
        return f"{total_} to pay"

shadow: a local called like a builtin
    def widest(rows):
        max = «max»(len(row) for row in rows)
        return [row.ljust(max) for row in rows]
UnboundLocalError: cannot access local variable 'max' where it is not associated with a value
    def widest(rows):
        max_ = max(len(row) for row in rows)
        return [row.ljust(max_) for row in rows]

none: assigned by one branch only
    def name_of(row):
        if row.person:
            name = row.person.name
        elif row.company:
            name = row.company.title
        return «name»
UnboundLocalError: cannot access local variable 'name' where it is not associated with a value
    def name_of(row):
        name = None
        if row.person:
            name = row.person.name
        elif row.company:
            name = row.company.title
        return name

not any: the module has a variable of the name
    total = 0

    def add(value):
        «total» += value
UnboundLocalError: cannot access local variable 'total' where it is not associated with a value

not move: what it needs is assigned in between
    def invoice(order):
        net = order.amount * «rate»
        country = find(order)
        net = net + country.fee
        rate = country.rate
        return net
UnboundLocalError: cannot access local variable 'rate' where it is not associated with a value

not any: nothing is known of a name that is only read
    def greet(user):
        return "Hello " + «nickname»
NameError: name 'nickname' is not defined

not start: numbers and text are added
    def mixed(rows):
        for row in rows:
            «all_rows» += 1
            all_rows += f"{row}"
UnboundLocalError: cannot access local variable 'all_rows' where it is not associated with a value

not any: outside functions
    for item in [1, 2]:
        «found».append(item)
NameError: name 'found' is not defined

not any: the name stands for a value of the module
    rate = 2

    def price(net):
        rate = «rate» * net
        return rate
UnboundLocalError: cannot access local variable 'rate' where it is not associated with a value

not flag: two kinds of values
    def state(rows):
        for row in rows:
            if row:
                found = True
            else:
                found = "none"
        return «found»
UnboundLocalError: cannot access local variable 'found' where it is not associated with a value

not any: the statements between may leave
    def price(order):
        print(«rate»)
        if order is None:
            return 0
        rate = 2
        return rate
UnboundLocalError: cannot access local variable 'rate' where it is not associated with a value

not any: it was deleted
    def price(rate):
        del rate
        return «rate»
UnboundLocalError: cannot access local variable 'rate' where it is not associated with a value
'''
)
