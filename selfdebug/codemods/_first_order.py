"""Small edits of a suspicious statement, as right programs are from those with one slip.

Where an answer is wrong nothing points to a node: each kind of edit is tried at every node of the
statement that it fits. There are many, so an edit of an expression is printed alone, and neither parsed
again nor checked before it is its turn; whole modules are made only for ``libcst.tool``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import takewhile
from typing import Any, TypeAlias, cast

import libcst as cst
from libcst._nodes.internal import CodegenState

from selfdebug.codemods._base import Codemod, Repair, Rewrite, Target, Variant
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._import import importing
from selfdebug.model import Branch, Edit, Kind, Site, Span, Value
from selfdebug.syntax.modules import read_module
from selfdebug.syntax.parts import children_of
from selfdebug.syntax.precedence import level, needed, parenthesized, slot_of
from selfdebug.syntax.project import Project
from selfdebug.syntax.region import Statement, Tree, least, splice
from selfdebug.syntax.scopes import Scope, names_at, scopes_at
from selfdebug.syntax.source import Unreadable

# What prints the same wherever it stands, but for the indentation.
_ALONE = (cst.BaseExpression, cst.BaseSmallStatement, cst.IndentedBlock)
_BLOCKS = (
    cst.BaseSuite,
    cst.Else,
    cst.Finally,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
    cst.MatchCase,
)
_NO_CODE = (
    *(cst.Annotation, cst.LeftParen, cst.RightParen, cst.LeftSquareBracket, cst.RightSquareBracket),
    *(cst.LeftCurlyBrace, cst.RightCurlyBrace),
)


@dataclass(frozen=True)
class Place:
    """A node of a suspicious statement, which may be the statement itself.

    ``site`` says how suspicious it is, what variables held, and what the wrong result tells.
    """

    tree: Tree
    node: cst.CSTNode
    statement: Statement
    site: Site
    project: Project

    @property
    def parent(self) -> cst.CSTNode:
        """What holds the node."""
        return self.tree.parents[self.node]

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes in which a name of the statement is looked up, from the inside out."""
        source, parsed = self.tree.region.source, self.project.parsed
        key = ("scopes", source.path, self.site.span)
        if key not in parsed:
            tree = read_module(source.path, self.project).tree
            parsed[key] = scopes_at(tree, self.site.span)
        return cast("tuple[Scope, ...]", parsed[key])

    @cached_property
    def names(self) -> Sequence[str]:
        """The names that have a value here, those of the nearest scope first; no builtins."""
        source = self.tree.region.source
        key = ("names", source.path, self.site.span)
        found = self.project.parsed.get(key)
        if found is None:
            tree = read_module(source.path, self.project).tree
            found = self.project.parsed[key] = tuple(names_at(tree, self.site.span))
        assert isinstance(found, tuple)
        return found

    @property
    def values(self) -> Mapping[str, Value]:
        """What was seen of variables as the function returned, by their (dotted) names."""
        return self.site.locals

    @cached_property
    def is_read(self) -> bool:
        """Whether the node is an expression whose value is used here."""
        return is_read(self.tree, self.node)

    def in_front(self, variant: Variant) -> Variant:
        """Return the form of a check in front of the statement: where it crashed, that is a guard.

        A recursion or a loop without an end lacks just such a check.
        """
        crashed = self.site.exc_type.rpartition(".")[2] not in _NO_CRASH
        return _guarding(variant) if crashed and "hang" not in self.site.shapes else variant

    def put(self, code: str, **parts: cst.BaseExpression) -> Change:
        """Return the change that puts an expression in the node's place.

        In ``code`` the name ``OLD`` stands for the node, others for ``parts`` (see ``expression``).
        """
        assert isinstance(self.node, cst.BaseExpression)
        return replaced(self.tree, self.node, lambda old: expression(code, OLD=old, **parts))

    def keep(self, part: cst.BaseExpression) -> Change:
        """Return the change that leaves only a part of the node in its place."""
        node, parent = self.node, self.parent
        assert isinstance(node, cst.BaseExpression)
        source, span = self.tree.region.source, self.tree.span(node)
        before = source.text[: source.offset(span.line, span.column)].rstrip("(")
        if "\n" in self.code(parent) or before[-1:].isalnum():
            # There may be comments in its parentheses, or nothing else between it and a word.
            return self.put("PART", PART=part)
        tight = level(part) >= needed(parent, slot_of(parent, node))
        return {node: lambda _: part if tight else parenthesized(part)}

    def code(self, node: cst.CSTNode) -> str:
        """Return a node's source text."""
        return self.tree.code(node)


_NO_CRASH = ("", "AssertionError", "Failed", "RecursionError", "Timeout")


@cache
def _guarding(variant: Variant) -> Variant:
    return replace(variant, kind="guard")


def small_edit(
    name: str,
    what: str,
    prior: float,
    explains: str = "",
    *,
    growth: int = 0,
    kind: Kind = "root-cause",
) -> Variant:
    """Return a variant of a small edit (see ``Variant``). Shapes stand between spaces."""
    branch: Branch | None = "edit" if kind == "root-cause" else None
    return Variant(name, kind, what, growth, prior, tuple(explains.split()), branch)


class FirstOrder(Codemod):
    """A kind of small edit. It answers no failure in particular, but suspicious statements.

    All variants of one statement share its template's ``prior`` evenly; an edit that a reviewer would
    expect more than another has a variant of its own.
    """

    @classmethod
    def answers(cls, site: Site) -> bool:
        """Say whether a site is a suspicious statement."""
        return site.suspicion > 0

    @classmethod
    @abstractmethod
    def forms(cls, place: Place) -> Iterator[Form]:
        """Yield the edits at one node of a statement; none for a node of another kind."""

    @classmethod
    def importing(cls, place: Place) -> Iterator[tuple[str, Form]]:  # noqa: ARG003 - most import nothing
        """Yield the edits that need a name more, each with the statement that imports it."""
        yield from ()

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the whole module with each edit of the site's statement, or of its node alone."""
        for place in places(target):
            yield from rewritten(target.tree, cls.forms(place))
            for also, form in _with_imports(place, cls.importing(place)):
                yield from rewritten(target.tree, [form], also=also)

    @classmethod
    def repairs(cls, site: Site, project: Project) -> Iterator[Repair]:
        """Yield the edits of the site's statement, each as little of the text as it changes."""
        for target in cls.targets(site, project):
            for place in places(target):
                yield from _repairs(target.tree, cls.forms(place))
                for also, form in _with_imports(place, cls.importing(place)):
                    for repair in _repairs(target.tree, iter((form,))):
                        yield replace(repair, edits=(*also, *repair.edits))

    @classmethod
    def targets(cls, site: Site, project: Project) -> Iterator[Target]:
        """Yield the site's function, cut out once for all codemods that ask for the line."""
        key = ("function", site.file, site.span.line)
        tree = project.parsed.get(key)
        if not isinstance(tree, Tree):
            found = next(super().targets(site, project), None)
            if found is None:
                return
            tree = project.parsed[key] = found.tree
        yield Target(tree, site, project)


def _with_imports(
    place: Place, forms: Iterator[tuple[str, Form]]
) -> Iterator[tuple[tuple[Edit, ...], Form]]:
    """Yield edits with that which imports their name, unless it stands for something else there."""
    path, parsed = place.tree.region.source.path, place.project.parsed
    for statement, form in forms:
        key = ("importing", path, statement)
        if key not in parsed:
            parsed[key] = importing(path, statement, place.project)
        edit = cast("Edit | None", parsed[key])
        if edit is None:
            yield (), form
        elif statement.rpartition(" ")[2] not in place.names:
            yield (edit,), form


def _repairs(tree: Tree, forms: Iterator[Form]) -> Iterator[Repair]:
    for variant, change, why in forms:
        edits = _edits(tree, change) if change else None
        if edits is not None:
            yield Repair(variant, edits, why)
        elif change:
            yield from _reprinted(tree, variant, change, why)


def _reprinted(tree: Tree, variant: Variant, change: Change, why: str) -> Iterator[Repair]:
    for rewrite in rewritten(tree, [(variant, change, why)]):
        try:
            edit = splice(tree.region, tree.code_after(rewrite.module))
        except (Unreadable, RecursionError):
            continue
        if edit is not None:
            yield Repair(variant, (edit,), why)


def places(target: Target) -> Iterator[Place]:
    """Yield the nodes of the statement at a target's site, or only those at its ``bad`` span.

    The statement comes first, then what is in it, in the order of the text; what is in its blocks
    belongs to other statements.
    """
    tree, site = target.tree, target.site
    statement, nodes = _found(target)
    if statement is None:
        return
    wanted = site.bad or (site.span if tree.at(site.span) else None)
    exact = wanted is not None and wanted != tree.span(statement)
    for node in nodes:
        if not exact or tree.span(node) == wanted:
            yield Place(tree, node, statement, site, target.project)


_Found: TypeAlias = tuple[Tree, Statement | None, tuple[cst.CSTNode, ...]]


def _found(target: Target) -> tuple[Statement | None, tuple[cst.CSTNode, ...]]:
    """Return the statement at a target's site and its nodes, once for all codemods that ask."""
    tree, parsed = target.tree, target.project.parsed
    key = ("nodes", tree.region.source.path, target.site.span)
    known = cast("_Found | None", parsed.get(key))
    if known is None or known[0] is not tree:
        statement = _statement(tree, target.site.span)
        if statement is None or reaches_out(statement) or _is_docstring(statement):
            known = tree, None, ()
        else:
            known = tree, statement, tuple(own_nodes(statement))
        parsed[key] = known
    return known[1], known[2]


def reaches_out(statement: cst.CSTNode) -> bool:
    """Say whether a statement deletes or sends something when it runs: no trial may do so amiss."""
    for node in own_nodes(statement):
        match node:
            case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=name))):
                top = _first_name(owner)
                on_files = top in ("os", "shutil") and name in _ACTS_ON_FILES
                if name in _ACTS or top in _OUTSIDE or on_files:
                    return True
            case cst.Call(func=cst.Name(value=name)) if name in _ACTS:
                return True
    return False


def _first_name(node: cst.CSTNode) -> str:
    while isinstance(node, cst.Attribute | cst.Call | cst.Subscript):
        node = node.func if isinstance(node, cst.Call) else node.value
    return node.value if isinstance(node, cst.Name) else ""


_ACTS = frozenset(
    (
        *("rmtree", "unlink", "rmdir", "removedirs", "truncate", "kill", "killpg"),
        *("sendall", "sendto", "sendmail", "send_message", "urlopen", "urlretrieve"),
        *("system", "popen", "Popen"),
    )
)
_ACTS_ON_FILES = frozenset(
    ("remove", "rename", "renames", "replace", "move", "copyfile", "copytree")
)
_OUTSIDE = frozenset(("subprocess", "socket", "requests", "httpx", "smtplib", "ftplib"))


def _is_docstring(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.Expr) and isinstance(statement.value, cst.BaseString)


def _statement(tree: Tree, span: Span) -> Statement | None:
    """Return the innermost statement that begins before a place ends and holds where it begins."""
    found: Statement | None = None
    latest = 0, 0
    for node, at in tree.statements:
        begins = (at.line, at.column) <= (span.line, span.column)
        ends = (span.line, span.column) < (at.end_line, at.end_column)
        if begins and ends and (at.line, at.column) >= latest:
            found, latest = node, (at.line, at.column)
    return found


def is_read(tree: Tree, node: cst.CSTNode) -> bool:
    """Say whether a node is an expression whose value is used: no target, no name of anything."""
    if not isinstance(node, cst.BaseExpression):
        return False
    parent = tree.parents[node]
    while isinstance(parent, cst.Element | cst.Tuple | cst.List | cst.StarredElement):
        node, parent = parent, tree.parents[parent]
    match parent:
        case cst.Arg(value=value) | cst.NamedExpr(value=value):
            return node is value
        case cst.Attribute(value=value) | cst.AnnAssign(value=value) | cst.AugAssign(value=value):
            return node is value
        case cst.For(iter=iterated) | cst.CompFor(iter=iterated):
            return node is iterated
        case cst.Param(default=default):
            return node is default
        case cst.WithItem(item=item):
            return node is item
    return not isinstance(parent, _NAMING)


_NAMING = (
    *(cst.AssignTarget, cst.ImportAlias, cst.ImportFrom, cst.AsName, cst.NameItem, cst.Del),
    *(cst.FunctionDef, cst.ClassDef, cst.MatchPattern, cst.MatchKeywordElement, cst.Annotation),
)
_STATEMENTS = (cst.BaseSmallStatement, cst.BaseCompoundStatement)


def own_nodes(statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a statement and the nodes in it that run as part of it, outermost first.

    White space, punctuation and operators are left out.
    """
    yield statement
    for child in children_of(statement):
        if _is_code(type(child)):
            yield from own_nodes(child)


@cache  # to ask for a base class of abstract classes takes long
def _is_code(kind: type[cst.CSTNode]) -> bool:
    other = (*_BLOCKS, *_STATEMENTS, *_NO_CODE)
    return not (issubclass(kind, other) or kind.__module__ in _SIGNS)


_SIGNS = (cst.Comma.__module__, cst.SimpleWhitespace.__module__)


def _edits(tree: Tree, change: Change) -> tuple[Edit, ...] | None:
    """Return the change as edits of the changed nodes alone; None where that is not possible."""
    if len(change) > 1 and any(up in change for node in change for up in tree.ancestors(node)):
        return None
    source = tree.region.source
    found: list[Edit] = []
    for node, make in change.items():
        new: Any = make(node)
        if not (isinstance(node, _ALONE) and isinstance(new, _ALONE)):
            return None
        text = _changed_lines(tree, node, new) if isinstance(node, cst.IndentedBlock) else None
        start, old, after = text or (
            _start(tree, node),
            _text(tree, node),
            _printed(tree, [new], node),
        )
        if not source.text.startswith(old, start):
            return None
        if after != old:
            found.append(least(source, start, old, after))
    return tuple(found) or None


def _changed_lines(
    tree: Tree, old: cst.IndentedBlock, new: cst.CSTNode
) -> tuple[int, str, str] | None:
    """Return where the lines begin that a block has no more, their text, and that of new ones.

    None where more than lines changed, or where nothing is at the place of the new ones.
    """
    if not isinstance(new, cst.IndentedBlock) or old.footer is not new.footer:
        return None
    same = sum(1 for _ in takewhile(_is_same, zip(old.body, new.body, strict=False)))
    ends = zip(reversed(old.body[same:]), reversed(new.body[same:]), strict=False)
    kept = sum(1 for _ in takewhile(_is_same, ends))
    if same == len(old.body):
        same -= 1  # new lines at the end stand where the last one ends
    gone = old.body[same : len(old.body) - kept]
    added = new.body[same : len(new.body) - kept]
    first = old.body[same]
    above = *getattr(first, "leading_lines", ()), *getattr(first, "decorators", ()), first
    within = first.body[0] if isinstance(first, cst.SimpleStatementLine) else first
    return (
        tree.region.source.offset(tree.span(above[0]).line, 0),
        _printed(tree, gone, within),
        _printed(tree, added, within),
    )


def _is_same(pair: tuple[cst.CSTNode, cst.CSTNode]) -> bool:
    return pair[0] is pair[1]


def _text(tree: Tree, node: cst.CSTNode) -> str:
    """Return what a node of the tree prints as, which many edits of it ask for."""
    if node not in tree.texts:
        tree.texts[node] = _printed(tree, [node], node)
    return tree.texts[node]


def _start(tree: Tree, node: cst.CSTNode) -> int:
    """Return where a node's text begins in the file; libcst puts a block's place where its code is."""
    first: Any = node
    if isinstance(node, cst.IndentedBlock):
        first = node.header
    elif isinstance(node, cst.BaseExpression) and node.lpar:
        first = node.lpar[0]  # it belongs to the text, but not to the place
    span = tree.span(first)
    return tree.region.source.offset(span.line, span.column)


def _printed(tree: Tree, nodes: Sequence[cst.CSTNode], place: cst.CSTNode) -> str:
    """Return the text of nodes as they would stand in another's place."""
    module = tree.module
    state = CodegenState(module.default_indent, module.default_newline)
    blocks = [up for up in tree.ancestors(place) if isinstance(up, cst.IndentedBlock)]
    for block in reversed(blocks):
        state.increase_indent(module.default_indent if block.indent is None else block.indent)
    for node in nodes:
        node._codegen(state)
    return "".join(state.tokens)
