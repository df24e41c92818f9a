"""DonorStatement: a statement that stands elsewhere in the function or class is needed here too."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

import libcst as cst

from selfdebug.codemods._base import examples
from selfdebug.codemods._blocks import (
    assigned_names,
    beside,
    block_of,
    branches,
    function_of,
    index_of,
    line_of,
    lines_of,
    loop_of,
    nodes_of,
    only,
    reads,
    simple_statements,
    whole_if,
    writes,
)
from selfdebug.codemods._edit import Change
from selfdebug.codemods._first_order import FirstOrder, Place, reaches_out, small_edit
from selfdebug.codemods._forms import Form
from selfdebug.codemods._insert import Line
from selfdebug.codemods._names import code_of
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.region import Tree
from selfdebug.syntax.source import Source

_LEFTOVER = small_edit(
    "leftover",
    "keep what is left over after the loop too",
    0.2,
    "missing-item empty number",
    growth=1,
)
_LAST = small_edit(
    "last",
    "do after the loop what a branch of it does, whatever was gathered",
    0.08,
    "missing-item empty number",
)
_RESET = small_edit(
    "reset",
    "begin anew where the variable was used, as another branch does",
    0.3,
    "extra-item duplicate text number",
)
_BEGUN = small_edit(
    "begun-anew",
    "begin anew where the variable was used",
    0.2,
    "extra-item duplicate text number raises",
)
_BRANCH = small_edit("branch", "call here what another branch calls", 0.2)
_SAME = small_edit("same", "do here what is done elsewhere", 0.06)
_RENAMED = small_edit("renamed", "do the same for the other name", 0.08, "missing-item number")
_ADVANCE = small_edit("advance", "take another step of the loop", 0.08, "hang text extra-item")
_CALL = small_edit("call", "call a method that moves the object on", 0.06, "text number")
_STATE = small_edit("state", "keep the object up to date as other methods do", 0.06)
_FIELD = small_edit("field", "do with the object's field what other methods do", 0.15)
_PLAIN = (cst.Assign, cst.AugAssign, cst.Expr)
_SHOWN = 4
_PAIRS = (
    *(("left", "right"), ("first", "last"), ("first", "second"), ("start", "end"), ("min", "max")),
    *(("low", "high"), ("lo", "hi"), ("width", "height"), ("row", "column"), ("row", "col")),
    *(("x", "y"), ("a", "b"), ("i", "j"), ("in", "out"), ("source", "target"), ("head", "tail")),
    *(("before", "after"), ("old", "new"), ("begin", "end"), ("top", "bottom"), ("lower", "upper")),
    *(
        ("rows", "columns"),
        ("rows", "cols"),
        ("src", "dst"),
        ("debit", "credit"),
        ("begin", "stop"),
    ),
)


class DonorStatement(FirstOrder):
    """Copy a statement of the function or its class, with one name changed at most."""

    DESCRIPTION = "Copy a statement of the same function or class."
    NAME = "donor-statement"
    VARIANTS = (
        _LEFTOVER,
        _LAST,
        _RESET,
        _BEGUN,
        _RENAMED,
        _BRANCH,
        _SAME,
        _ADVANCE,
        _CALL,
        _STATE,
        _FIELD,
    )

    @classmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the copies under, or above, a statement that has to do with them."""
        node, function = place.node, function_of(place.tree, place.node)
        line = line_of(place.tree, node) if node is place.statement else None
        if line is None or function is None or isinstance(node, cst.FunctionDef | cst.ClassDef):
            return
        yield from _leftover(place, line)
        yield from _last_yield(place, function, line)
        yield from _reset(place, function, line)
        yield from _renamed(place, function, line)
        yield from _copied(place, function, line)
        yield from _advanced(place, function, line)
        yield from _called(place, line)
        yield from _of_class(place, function, line)
        yield from _of_field(place, function, line)


@lru_cache(maxsize=16)
def _donors(function: cst.FunctionDef) -> tuple[tuple[cst.BaseSmallStatement, str], ...]:
    """Return the statements of a function that do something and go on, with their code."""
    found = ((each, code_of(each)) for each in simple_statements(function.body))
    return tuple((each, code) for each, code in found if _is_donor(each) and _is_small(code))


def _is_donor(statement: cst.BaseSmallStatement) -> bool:
    if reaches_out(statement):
        return False
    if isinstance(statement, cst.Expr):
        return not isinstance(statement.value, cst.BaseString | cst.Yield | cst.Ellipsis)
    if isinstance(statement, cst.Assign):
        return bool(reads(statement.value))  # not the first value of a variable
    return isinstance(statement, cst.AugAssign)


def _copied(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield the statements of other blocks that write what the code here reads."""
    near = {*map(only, lines_of(block_of(place.tree, line)))}
    known = {*place.names, "self"} | vars(builtins).keys()
    codes = {code for donor, code in _donors(function) if donor in near}
    chain = whole_if(place.tree, block_of(place.tree, line))
    found = (
        (code, change, donor)
        for donor, code in _donors(function)
        if code not in codes and reads(donor) | writes(donor) <= known
        if (change := _beside(place, line, donor, code))
    )
    for code, change, donor in islice(found, _SHOWN):
        block = place.tree.parents[place.tree.parents[donor]]
        called = isinstance(donor, cst.Expr) and isinstance(block, cst.IndentedBlock)
        like = called and chain is not None and _is_branch(block, chain)
        yield (_BRANCH if like else _SAME), change, f"`{code}` is done elsewhere only"


def _is_branch(block: cst.CSTNode, chain: cst.If) -> bool:
    return any(branch.body is block for branch in branches(chain))


def _advanced(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield, under a line of a loop, the statement by which the loop takes its next step."""
    loop = loop_of(place.tree, line)
    if not isinstance(loop, cst.While) or isinstance(line, cst.BaseCompoundStatement):
        return
    if block_of(place.tree, line) is loop.body or isinstance(only(line), _LEAVING):
        return
    for donor, code in _donors(function):
        steps = writes(donor) if isinstance(donor, cst.AugAssign) else frozenset()
        if steps & reads(loop.test) and steps.isdisjoint(writes(only(line))):
            yield _ADVANCE, beside(place.tree, line, code, under=True), "the loop stays where it is"


_LEAVING = (cst.Return, cst.Raise, cst.Continue, cst.Break)


def _called(place: Place, line: Line) -> Iterator[Form]:
    """Yield, under a line, a call without arguments of a method that changes the object."""
    if isinstance(line, cst.BaseCompoundStatement) or isinstance(only(line), _LEAVING):
        return
    for code in islice(_moving(place), _SHOWN):
        if code not in code_of(only(line)):
            yield (
                _CALL,
                beside(place.tree, line, code, under=True),
                f"`{code}` is done elsewhere only",
            )


def _moving(place: Place) -> Iterator[str]:
    """Yield the calls ``self.method()`` of the class around a place whose method changes the object."""
    source, at = place.tree.region.source, place.site.span.line
    for owner in read_module(source.path, place.project).tree.body:
        if isinstance(owner, ast.ClassDef) and owner.lineno <= at <= (owner.end_lineno or 0):
            called = {ast.unparse(node) for node in ast.walk(owner) if isinstance(node, ast.Call)}
            for method in owner.body:
                if isinstance(method, ast.FunctionDef) and f"self.{method.name}()" in called:
                    inside = method.lineno <= at <= (method.end_lineno or 0)
                    if not inside and any(map(_stores_in_self, ast.walk(method))):
                        yield f"self.{method.name}()"


def _stores_in_self(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store()):
            return True
    return False


def _is_small(code: str) -> bool:
    return "\n" not in code and "\r" not in code


def _beside(place: Place, line: Line, donor: cst.CSTNode, code: str) -> Change | None:
    """Return the change that puts a copy under a line, or above one that leaves."""
    written, read = writes(donor), reads(donor)
    leaving = only(line)
    if isinstance(leaving, cst.Continue | cst.Break):
        return beside(place.tree, line, code, under=False)
    if isinstance(leaving, cst.Return):
        wanted = not written.isdisjoint(reads(line))
        return beside(place.tree, line, code, under=False) if wanted else None
    if not writes(line).isdisjoint(read | written):
        under = not isinstance(line, cst.BaseCompoundStatement)
        return beside(place.tree, line, code, under=under)
    return None


def _leftover(place: Place, line: Line) -> Iterator[Form]:
    """Yield, under a loop, what a branch of it does with what it has gathered."""
    block = block_of(place.tree, line)
    at = index_of(block, line)
    loop = block.body[at - 1] if at else None
    if not isinstance(loop, cst.For | cst.While) or not isinstance(only(line), cst.Return):
        return
    for branch in nodes_of(loop.body):
        if not isinstance(branch, cst.If):
            continue
        for each in simple_statements(branch.body):
            match each:
                case cst.Expr(
                    value=cst.Call(func=cst.Attribute(), args=[cst.Arg(value=cst.Name() as item)])
                ) if not writes(each).isdisjoint(reads(line)):
                    code = code_of(each)
                    kept = item.value in assigned_names(branch.body)
                    if kept and item.value in place.names and _is_small(code):
                        why = f"`{item.value}` may hold something after the last round"
                        guarded = f"if {item.value}:\n    {code}"
                        yield _LEFTOVER, beside(place.tree, line, guarded, under=False), why
                        yield _LAST, beside(place.tree, line, code, under=False), why


def _last_yield(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield, under the loop that ends a generator, what a branch of it yields and begins anew."""
    if not isinstance(line, cst.For | cst.While) or line is not function.body.body[-1]:
        return
    asking = (each for each in nodes_of(line.body) if isinstance(each, cst.If))
    for body, each in (
        (asks.body, each) for asks in asking for each in simple_statements(asks.body)
    ):
        match each:
            case cst.Expr(value=cst.Yield(value=cst.Name(value=item))) if item in assigned_names(
                body
            ):
                why = f"`{item}` may hold something after the last round"
                guarded = f"if {item}:\n    {code_of(each)}"
                yield _LEFTOVER, beside(place.tree, line, guarded, under=True), why


def _reset(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield, under the use of a variable in a loop, the statement with which other branches empty it."""
    block, used = block_of(place.tree, line), reads(line) - assigned_names(line)
    if loop_of(place.tree, line) is None or isinstance(line, cst.BaseCompoundStatement):
        return
    if isinstance(only(line), cst.Return | cst.Raise | cst.Continue | cst.Break):
        return
    below = lines_of(block)[index_of(block, line) + 1 :]
    yield from _begun_anew(place, function, line)
    for name, donor in _resets(place.tree, function):
        if name not in used or name not in place.names:
            continue
        branch = place.tree.parents[place.tree.parents[donor]]
        again = any(name in assigned_names(each) for each in below)
        if branch is block or branch in place.tree.ancestors(line) or again:
            continue
        code = code_of(donor.with_changes(semicolon=cst.MaybeSentinel.DEFAULT))
        yield _RESET, beside(place.tree, line, code, under=True), f"`{code}` in another branch"


def _begun_anew(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield, at the end of a branch that uses what another one gathers, its first value."""
    tree, block = place.tree, block_of(place.tree, line)
    chain, loop = whole_if(tree, block), loop_of(tree, line)
    if chain is None or loop is None or line is not block.body[-1]:
        return
    others = [each.body for each in branches(chain) if each.body is not block]
    stepped = {name for each in others for name in _gathered(each)}
    for each in simple_statements(function.body):
        match each:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                first = tree.span(each).line < tree.span(loop).line and code_of(value) in _EMPTY
                if first and name in stepped & reads(block) - assigned_names(block):
                    code = code_of(each)
                    yield _BEGUN, beside(tree, line, code), f"`{name}` was used, and goes on"


_EMPTY = frozenset(("0", '""', "''", "[]"))


def _gathered(body: cst.BaseSuite) -> Iterator[str]:
    """Yield the variables that a block changes by what they held."""
    for each in simple_statements(body):
        if isinstance(each, cst.AugAssign):
            yield from assigned_names(each)
        elif isinstance(each, cst.Assign):
            yield from assigned_names(each) & reads(each.value)


def _resets(tree: Tree, function: cst.FunctionDef) -> Iterator[tuple[str, cst.Assign]]:
    """Yield what a branch in a loop gives a first value again, which other code in the loop changes."""
    found: dict[str, cst.Assign] = {}
    for each in simple_statements(function.body):
        match each:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                block = tree.parents[tree.parents[each]]
                nested = isinstance(block, cst.IndentedBlock) and whole_if(tree, block) is not None
                if nested and not reads(value) - {"list", "dict", "set", "deque"}:
                    loop = loop_of(tree, each)
                    if loop is not None and _grows(loop, name, each) and _is_small(code_of(each)):
                        found.setdefault(name, each)
    yield from found.items()


def _grows(loop: cst.BaseCompoundStatement, name: str, reset: cst.CSTNode) -> bool:
    """Say whether a loop changes a variable, but for one statement, by what it held."""
    return any(
        name in writes(each) and name in reads(each) | assigned_names(each)
        for each in simple_statements(loop.body)
        if each is not reset and isinstance(each, cst.AugAssign | cst.Expr)
    )


def _renamed(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield a copy of the statement itself for the other of two things that go together."""
    donor = only(line)
    code = code_of(donor) if isinstance(donor, cst.BaseSmallStatement) else ""
    if not isinstance(donor, _PLAIN) or not _is_small(code):
        return
    known = {*place.names}
    others = {code for _, code in _donors(function)}
    shown = 0
    for old, new in _pairs(code, known, _attributes(place)):
        copy = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, code)
        if copy != code and copy not in others and shown < _SHOWN:
            shown += 1
            yield _RENAMED, beside(place.tree, line, copy, under=True), f"`{new}` is left out"


def _pairs(code: str, names: set[str], attributes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the words of a statement, each with another that goes with it and exists."""
    words = dict.fromkeys(re.findall(r"(?<![\w\"'])[A-Za-z_]\w*", code))
    known = {*names, *attributes}
    for word in words:
        if word in known:
            yield from ((word, other) for other in _counterparts(word) if other in known)


def _counterparts(word: str) -> Iterator[str]:
    """Yield what a name is called for the other of two: ``left_edge`` and ``right_edge``."""
    parts = word.split("_")
    for one, other in (*_PAIRS, *((b, a) for a, b in _PAIRS)):
        if one in parts:
            yield "_".join(other if part == one else part for part in parts)
    if match := re.fullmatch(r"(.*?)([12])", word):
        yield f"{match[1]}{3 - int(match[2])}"


def _attributes(place: Place) -> list[str]:
    """Return the attributes that the file gives to ``self``."""
    return re.findall(r"\bself\.(\w+)(?:: [^=\n]+)? = ", place.tree.region.source.text)


def _of_class(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield what other methods do to the object, above the end of this one."""
    if line is not function.body.body[-1] or function.name.value == "__init__":
        return
    own = {code for _, code in _donors(function)}
    shown = 0
    for code in _by_siblings(place, function.name.value, _changes_self):
        if code not in own and shown < _SHOWN:
            shown += 1
            leaves = isinstance(only(line), cst.Return | cst.Raise)
            change = beside(place.tree, line, code, under=not leaves)
            yield _STATE, change, f"other methods do `{code}`"


def _of_field(place: Place, function: cst.FunctionDef, line: Line) -> Iterator[Form]:
    """Yield, beside the use of a field, the calls that other methods make with it and the like names."""
    used = _self_fields(code_of(line))
    if not used or isinstance(line, cst.BaseCompoundStatement) or function.name.value == "__init__":
        return
    known, text = {*place.names, "self"} | vars(builtins).keys(), code_of(function.body)
    shown = 0
    for code in _by_siblings(place, function.name.value, _calls_with_field):
        statement = cst.parse_module(f"{code}\n").body[0]
        fitting = code not in text and reads(statement) <= known and _self_fields(code) & used
        if fitting and not reaches_out(only(statement)) and shown < _SHOWN:
            shown += 1
            change = beside(place.tree, line, code, under=not isinstance(only(line), _LEAVING))
            yield _FIELD, change, f"other methods do `{code}`"


def _self_fields(code: str) -> frozenset[str]:
    return frozenset(re.findall(r"\bself\.\w+(?![\w(])", code))


def _calls_with_field(stmt: ast.AST) -> bool:
    """Say whether a statement is a call with a field of the object, or of a method of one."""
    match stmt:
        case ast.Expr(value=ast.Call(func=func, args=args)):
            parts = (func.value, *args) if isinstance(func, ast.Attribute) else tuple(args)
            return any(ast.unparse(part).startswith("self.") for part in parts)
    return False


def _by_siblings(place: Place, name: str, wanted: Callable[[ast.AST], bool]) -> list[str]:
    """Return the statements of one line, of a wanted form, that other methods of a class have."""
    source, at = place.tree.region.source, place.site.span.line
    for owner in read_module(source.path, place.project).tree.body:
        if isinstance(owner, ast.ClassDef) and owner.lineno <= at <= (owner.end_lineno or 0):
            methods = [each for each in owner.body if isinstance(each, ast.FunctionDef)]
            found = (
                code
                for method in methods
                if method.name not in (name, "__init__")
                for stmt in ast.walk(method)
                if wanted(stmt)
                for code in _code(source, stmt)
            )
            return [*dict.fromkeys(found)]
    return []


def _code(source: Source, stmt: ast.AST) -> Iterator[str]:
    """Yield the code of a statement of one line."""
    if isinstance(stmt, ast.stmt) and stmt.end_lineno == stmt.lineno:
        line = source.line(stmt.lineno).encode()
        yield line[stmt.col_offset : stmt.end_col_offset].decode()


def _changes_self(stmt: ast.AST) -> bool:
    """Say whether a statement changes ``self`` and needs nothing else."""
    match stmt:
        case ast.Assign(targets=[ast.Attribute()]) | ast.AugAssign(target=ast.Attribute()):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(), args=[])):
            pass
        case _:
            return False
    return {node.id for node in ast.walk(stmt) if isinstance(node, ast.Name)} == {"self"}


DonorStatement.EXAMPLES = examples(
    """
branch: what is changed is saved in each case
    from store import load, save

    def main(path, command, word):
        tasks = load(path)
        if command == "add":
            tasks = [*tasks, word]
            save(path, tasks)
        elif command == "done":
            «tasks[0] = "x"»
AssertionError: assert 'a' == 'x'
    from store import load, save

    def main(path, command, word):
        tasks = load(path)
        if command == "add":
            tasks = [*tasks, word]
            save(path, tasks)
        elif command == "done":
            tasks[0] = "x"
            save(path, tasks)

leftover: the last paragraph
    def paragraphs(lines):
        words = []
        «for line in lines:
            if line.strip():
                words += line.split()
            elif words:
                yield words
                words = []»
AssertionError: assert [] == [['a']]
    def paragraphs(lines):
        words = []
        for line in lines:
            if line.strip():
                words += line.split()
            elif words:
                yield words
                words = []
        if words:
            yield words

begun-anew: each letter has a count of its own
    def expand(packed):
        out, count = [], None
        count = 0
        for ch in packed:
            if ch.isdigit():
                count = count * 10 + int(ch)
            else:
                «out.append(ch * (count or 1))»
        return "".join(out)
AssertionError: assert 'aabb' == 'aab'
    def expand(packed):
        out, count = [], None
        count = 0
        for ch in packed:
            if ch.isdigit():
                count = count * 10 + int(ch)
            else:
                out.append(ch * (count or 1))
                count = 0
        return "".join(out)

not begun-anew: a sum of all
    def total(lines):
        count = 0
        for line in lines:
            if line:
                count = count + 1
                «print(count)»
            else:
                print(line)
        return count
AssertionError: assert 3 == 1

field: what was asked for is the latest too
    class Cache:
        def get(self, key):
            if key not in self.items:
                return None
            «return self.items[key]»

        def put(self, key, value):
            self.items[key] = value
            self.items.move_to_end(key)
AssertionError: assert None == 1
    class Cache:
        def get(self, key):
            if key not in self.items:
                return None
            self.items.move_to_end(key)
            return self.items[key]

        def put(self, key, value):
            self.items[key] = value
            self.items.move_to_end(key)

field: kept in order
    class Queue:
        def add(self, job):
            «self.jobs.append(job)»

        def move(self, job, due):
            job.due = due
            self.jobs.sort()
AssertionError: assert [2, 1] == [1, 2]
    class Queue:
        def add(self, job):
            self.jobs.append(job)
            self.jobs.sort()

        def move(self, job, due):
            job.due = due
            self.jobs.sort()

not field: the other method has a name that is unknown here
    class Cache:
        def first(self):
            «return self.items[0]»

        def put(self, key, value):
            self.items.move(key)
AssertionError: assert None == 1

not field: nothing may be deleted by a trial
    class Store:
        def path(self, key):
            «return self.root / key»

        def drop(self, key):
            shutil.rmtree(self.root)
AssertionError: assert None == 1

advance: past the doubled one
    def fields(text):
        at, found = 0, ""
        while at < len(text):
            if text[at] == text[at - 1]:
                «found += text[at]»  # one of two
            at += 1
        return found
AssertionError: assert 'aaa' == 'a'
    def fields(text):
        at, found = 0, ""
        while at < len(text):
            if text[at] == text[at - 1]:
                found += text[at]  # one of two
                at += 1
            at += 1
        return found

call: past the closing bracket
    class Parser:
        def take(self):
            self.at += 1
            return self.words[self.at - 1]

        def factor(self):
            if self.take() == "(":
                «value = self.sum()»
                return value
            return 0
AssertionError: assert 1 == 2
    class Parser:
        def take(self):
            self.at += 1
            return self.words[self.at - 1]

        def factor(self):
            if self.take() == "(":
                value = self.sum()
                self.take()
                return value
            return 0

leftover: the last part may be a short one
    def chunks(items, size):
        found, part = [], []
        for item in items:
            part.append(item)
            if len(part) == size:
                found.append(part)
                part = []
        # Whole parts.
        «return found»
AssertionError: assert [[1, 2]] == [[1, 2], [3]]
    def chunks(items, size):
        found, part = [], []
        for item in items:
            part.append(item)
            if len(part) == size:
                found.append(part)
                part = []
        # Whole parts.
        if part:
            found.append(part)
        return found

reset: the next word begins empty after a comma too
    def words(text):
        found, word = [], ""
        for char in text + " ":
            if char == " ":
                found.append(word)
                word = ""
            elif char == ",":
                «found.append(word)»  # as after a space
            else:
                word += char
        return found
AssertionError: assert ['a', 'ab'] == ['a', 'b']
    def words(text):
        found, word = [], ""
        for char in text + " ":
            if char == " ":
                found.append(word)
                word = ""
            elif char == ",":
                found.append(word)  # as after a space
                word = ""
            else:
                word += char
        return found

reset: the sum of a month
    def months(days):
        total = 0
        for day in days:
            total += day.sales
            if day.is_last:
                «yield day.month, total»
            if day.is_first_of_year:
                total = 0
AssertionError: assert [(1, 5), (2, 9)] == [(1, 5), (2, 4)]
    def months(days):
        total = 0
        for day in days:
            total += day.sales
            if day.is_last:
                yield day.month, total
                total = 0
            if day.is_first_of_year:
                total = 0

renamed: only one of two sides moves
    def shrink(values, left, right):
        while left < right and values[left] == values[right]:
            «left += 1»
        return left, right
AssertionError: assert (1, 3) == (1, 2)
    def shrink(values, left, right):
        while left < right and values[left] == values[right]:
            left += 1
            right += 1
        return left, right

renamed: a transfer has two sides
    def book(self, amount):
        «self.debit.append(amount)»  # in cents

    def clear(self):
        self.debit = []
        self.credit = []
AssertionError: assert [] == [5]
    def book(self, amount):
        self.debit.append(amount)  # in cents
        self.credit.append(amount)

    def clear(self):
        self.debit = []
        self.credit = []

branch: the other branch counts too
    def counts(rows):
        total = 0
        names = []
        for row in rows:
            if row.bad:
                names.append("?")
            else:
                names.append(row.name)
                total += row.size
                «names.sort()»
        return total, names
AssertionError: assert (1, []) == (2, [])
    def counts(rows):
        total = 0
        names = []
        for row in rows:
            if row.bad:
                names.append("?")
            else:
                names.append(row.name)
                total += row.size
                names.sort()
                names.append("?")
        return total, names

state: a cache that is thrown away by one method only
    class Cart:
        def add(self, item):
            self.items.append(item)
            self._total = None

        def remove(self, item):
            «self.items.remove(item)»

        def total(self):
            return self._total
AssertionError: assert 5 == 3
    class Cart:
        def add(self, item):
            self.items.append(item)
            self._total = None

        def remove(self, item):
            self.items.remove(item)
            self._total = None

        def total(self):
            return self._total

not leftover: every item is kept at once
    def even(items):
        found = []
        for item in items:
            if item % 2 == 0:
                found.append(item)
        «return found»
AssertionError: assert [[1, 2]] == [[1, 2], [3]]

not reset: it begins anew further down
    def words(text):
        found, word = [], ""
        for char in text + " ":
            if char == " ":
                «found.append(word)»
                word = ""
            elif char == ",":
                word = ""
            else:
                word += char
        return found
AssertionError: assert ['a', 'ab'] == ['a', 'b']

not reset: a mark that the loop never changes otherwise
    def first(rows):
        seen = True
        for row in rows:
            if row.end:
                seen = False
            else:
                «row.show(seen)»
AssertionError: assert 1 == 2

not renamed: the other side is done
    def shrink(left, right):
        «left += 1»
        right += 1
        return left, right
AssertionError: assert (1, 3) == (1, 2)

not state: the method does it
    class Cart:
        def add(self, item):
            self.items.append(item)
            self._total = None

        def remove(self, item):
            self._total = None
            «self.items.remove(item)»
AssertionError: assert 5 == 3

not any: there is nothing else
    def area(width):
        «size = width * width»
        return size
AssertionError: assert 5 == 3

not same: what ends the other branch ends all
    def counts(rows):
        total = 0
        for row in rows:
            if row.bad:
                return -1
            else:
                «total += row.size»
        return total
AssertionError: assert 1 == 2

not call: it is called there already
    class Parser:
        def take(self):
            self.at += 1
            return self.words[self.at - 1]

        def factor(self):
            «return self.take()»
AssertionError: assert 1 == 2

not advance: the loop itself goes on to the next
    def fields(text):
        found = ""
        for sign in text:
            if sign != " ":
                «found += sign»
        return found
AssertionError: assert 'aaa' == 'a'
"""
)
