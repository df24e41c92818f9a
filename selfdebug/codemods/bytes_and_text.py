"""BytesAndText: bytes met text: one of them has to be decoded, or the other encoded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeAlias

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import expression, replaced
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._operands import bad, sides, type_of, types, value_of
from selfdebug.codemods._passing import last_of
from selfdebug.codemods._place import place
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

_LITERAL = Variant(
    "literal", "root-cause", "write the literal in the type of what it meets", prior=0.7
)
_ENCODE = Variant("encode", "root-cause", "encode the text", prior=0.7)
_DECODE = Variant("decode", "root-cause", "decode the bytes", prior=0.65)
_PLAIN = Variant(
    "plain", "root-cause", "take the value, which is encoded or decoded already", prior=0.8
)
_MODE = Variant(
    "mode", "root-cause", "open the file in the mode that fits what it holds", prior=0.6
)

_CODEC = re.compile(r"""(?:\.(?:en|de)code\(|encoding\s*=)\s*["']([\w-]+)["']""")
_NEEDS_BYTES = (
    r"a bytes-like object is required, not 'str'|must be encoded before hashing|"
    r"must be bytes or a tuple of bytes, not str|or bytes-like object, not 'str'|"
    r"expected bytes or bytearray, but got 'str'|argument should be bytes"
)
_NEEDS_TEXT = (
    r"argument (?:\d )?must be str, not bytes|^must be str, not bytes|or a tuple of str, not bytes|"
    r"must be str or None, not bytes"
)
_METHOD = r"'(?:bytes|str)' object has no attribute '(?P<name>\w+)'"


class BytesAndText(Codemod):
    """Encode text and decode bytes where they meet, with the codec that the file uses elsewhere."""

    DESCRIPTION = "Encode or decode where bytes and text meet."
    NAME = "bytes-and-text"
    ANSWERS = (
        Answer(("TypeError",), rf"{_NEEDS_BYTES}|{_NEEDS_TEXT}"),
        Answer(("TypeError",), r"can't concat str to bytes|not \"bytes\"\) to str|str and bytes"),
        Answer(("TypeError",), r"cannot use a (?:string|bytes) pattern on a"),
        Answer(("TypeError",), r"expected a bytes-like object, str found|instance, bytes found"),
        Answer(("TypeError",), r"^string argument without an encoding"),
        Answer(("AttributeError",), _METHOD),
        Answer(("Error",), r"iterator should return strings, not bytes"),
    )
    VARIANTS = (_LITERAL, _ENCODE, _DECODE, _PLAIN, _MODE)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the code with one side in the type of the other."""
        yield from rewritten(target.tree, _forms(target.tree, target.site))


def _forms(tree: Tree, site: Site) -> Iterator[Form]:
    for pattern, find in _HANDLERS:
        if re.search(pattern, site.message):
            yield from find(tree, site)
            return


# --- one value ---


def _codec(tree: Tree) -> str:
    """Return the codec that the file names most often, quoted as there; "" where it names none."""
    found = Counter(match.group(1) for match in _CODEC.finditer(tree.region.source.text))
    return f'"{found.most_common(1)[0][0]}"' if found else ""


def _codecs(tree: Tree, node: cst.BaseExpression) -> Iterator[str]:
    """Yield the codecs that a place may mean: one that has a name there, then that of the file."""
    function = place(tree, node).function
    params = function.params if function else cst.Parameters()
    named = [each.name.value for each in (*params.params, *params.kwonly_params)]
    owned = {f"self.{name}" for name in _fields(tree)} if named[:1] == ["self"] else set()
    yield from (name for name in (*named, *sorted(owned)) if _NAMED.search(name))
    yield _codec(tree)


_NAMED = re.compile(r"(?:^|[._])(?:encoding|charset|codec)$")
_FIELD = re.compile(r"\bself\.(\w+)|^ +def (\w+)\(self\)", re.MULTILINE)


def _fields(tree: Tree) -> set[str]:
    """Return what the classes of the file keep in their objects, or work out of it."""
    found = _FIELD.findall(tree.region.source.text)
    return {name or method for name, method in found}


def _encoded(tree: Tree, node: cst.BaseExpression) -> Iterator[Form]:
    code = tree.code(node)
    if isinstance(node, cst.SimpleString) and not node.prefix:
        if node.value.isascii():
            new = cst.SimpleString(f"b{node.value}")
            yield _LITERAL, replaced(tree, node, lambda _: new), f"`{code}` meets bytes"
        return
    for codec in _codecs(tree, node):
        change = replaced(tree, node, _calling(f"OLD.encode({codec})"))
        yield _ENCODE, change, f"`{code}` is text, where bytes are needed"


def _decoded(tree: Tree, node: cst.BaseExpression) -> Iterator[Form]:
    """Decode bytes where a variable got them, else where they are used."""
    code = tree.code(node)
    if isinstance(node, cst.SimpleString):
        if node.prefix.lower() == "b":
            new = cst.SimpleString(node.value[1:])
            yield _LITERAL, replaced(tree, node, lambda _: new), f"`{code}` meets text"
        return
    given = value_of(tree, node)
    sources = (cst.Call, cst.Await, cst.Attribute)
    for codec in _codecs(tree, node):
        for each in (given, node) if isinstance(given, sources) else (node,):
            change = replaced(tree, each, _calling(f"OLD.decode({codec})"))
            yield _DECODE, change, f"`{code}` holds bytes, where text is needed"


def _calling(code: str) -> Callable[[cst.BaseExpression], cst.BaseExpression]:
    return lambda old: expression(code, OLD=old)


# --- calls ---


def _given(site: Site, call: cst.Call, kind: str) -> list[cst.BaseExpression]:
    """Return the arguments of a call that are of a type, else its only one."""
    plain = [arg.value for arg in call.args if not arg.star]
    known = [node for node in plain if type_of(site, node) == kind or _is_literal(node, kind)]
    strange = [node for node in plain if type_of(site, node) in {"", kind}]
    return known or (strange if len(strange) == 1 else [])


def _is_literal(node: cst.BaseExpression, kind: str) -> bool:
    if isinstance(node, cst.SimpleString):
        return ("b" in node.prefix.lower()) == (kind == "bytes")
    return isinstance(node, cst.FormattedString) and kind == "str"


def _needing_bytes(tree: Tree, site: Site) -> Iterator[Form]:
    yield from _converted(tree, site, "str", _encoded)
    yield from _reopened(tree, site)


def _needing_text(tree: Tree, site: Site) -> Iterator[Form]:
    yield from _converted(tree, site, "bytes", _decoded)
    yield from _reopened(tree, site)


_Convert: TypeAlias = Callable[[Tree, cst.BaseExpression], Iterator[Form]]


def _converted(tree: Tree, site: Site, kind: str, convert: _Convert) -> Iterator[Form]:
    """Convert the arguments of a type, all alike; or what their method belongs to, the other way."""
    reverse = _decoded if convert is _encoded else _encoded
    for node in tree.at(site.span):
        match node:
            case cst.Call(func=func):
                nodes = _given(site, node, kind)
                owner = func.value if isinstance(func, cst.Attribute) else None
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(comparator=other)]):
                nodes, owner = [left], other
            case _:
                continue
        yield from _alike(tree, nodes, convert)
        both = bytes if kind == "str" else str
        if owner is not None and _may_hold(site, owner, node, both):
            yield from reverse(tree, owner)
        return


def _alike(tree: Tree, nodes: list[cst.BaseExpression], convert: _Convert) -> Iterator[Form]:
    forms = [next(convert(tree, node), None) for node in nodes]
    if forms and None not in forms:
        found = [form for form in forms if form is not None]
        merged = {node: put for _, change, _ in found for node, put in (change or {}).items()}
        yield found[0][0], merged, found[0][2]


def _may_hold(site: Site, owner: cst.BaseExpression, node: cst.CSTNode, kind: type) -> bool:
    """Say whether what a method is called on, or a value is looked for in, can be text or bytes."""
    known = type_of(site, owner)
    method = last_of(node.func) if isinstance(node, cst.Call) else "__contains__"
    return known == kind.__name__ or (not known and hasattr(kind, method))


def _reopened(tree: Tree, site: Site) -> Iterator[Form]:
    """Change the mode in which the function opened the one file that it opens."""
    wants_bytes = re.search(rf"{_NEEDS_TEXT}", site.message) is not None
    is_file = re.search(r"write|iterator should|a bytes-like", site.message) and any(
        not isinstance(node, cst.Call)
        or last_of(node.func) in {"write", "writelines", "dump", "reader"}
        for node in tree.at(site.span)
    )
    function = next((place(tree, node).function for node in tree.at(site.span)), None)
    modes = [*_modes(function)] if function is not None and is_file else []
    if len(modes) != 1:
        return
    (mode,) = modes
    text = mode.value
    new = f"{text[:-1]}b{text[-1]}" if wants_bytes else text.replace("b", "")
    if new != text and ("b" in text) != wants_bytes:
        what = "bytes" if wants_bytes else "text"
        yield _MODE, replaced(tree, mode, lambda _: cst.SimpleString(new)), f"the file holds {what}"


def _modes(node: cst.CSTNode) -> Iterator[cst.SimpleString]:
    """Yield the modes that calls of ``open`` name."""
    for child in node.children:
        if isinstance(child, cst.Call) and last_of(child.func) == "open":
            for arg in child.args:
                literal = arg.value
                if isinstance(literal, cst.SimpleString) and re.fullmatch(
                    r"[\"'][rwaxbt+]{1,3}[\"']", literal.value
                ):
                    yield literal
        yield from _modes(child)


def _patterned(tree: Tree, site: Site) -> Iterator[Form]:
    """Make the pattern and what it is to match of one type."""
    to_bytes = "string pattern" in site.message
    for node in tree.at(site.span):
        if not isinstance(node, cst.Call):
            continue
        values = [arg.value for arg in node.args if not arg.star]
        literals = [each for each in values[:1] if isinstance(each, cst.SimpleString)]
        others = [each for each in values if each not in literals]
        subject = _given_subject(node, others)
        if subject is not None:
            yield from (_decoded if to_bytes else _encoded)(tree, subject)
        for each in literals:
            yield from _repatterned(tree, each, to_bytes)


def _given_subject(call: cst.Call, others: list[cst.BaseExpression]) -> cst.BaseExpression | None:
    """Return the text that is searched: of ``sub`` the one behind the replacement."""
    at = 1 if last_of(call.func) in {"sub", "subn"} else 0
    return others[at] if len(others) > at else None


def _repatterned(tree: Tree, node: cst.SimpleString, to_bytes: bool) -> Iterator[Form]:
    if to_bytes == ("b" in node.prefix.lower()) or not node.value.isascii():
        return
    quotes = node.value[len(node.prefix) :]
    prefix = f"{node.prefix}b" if to_bytes else re.sub("[bB]", "", node.prefix)
    new = cst.SimpleString(prefix + quotes)
    why = "a pattern is of the type of what it matches"
    yield _LITERAL, replaced(tree, node, lambda _: new), why


def _made(tree: Tree, site: Site) -> Iterator[Form]:
    """Encode text instead of asking ``bytes`` to."""
    encoded = f"OLD.encode({_codec(tree)})"
    for node in tree.at(site.span):
        match node:
            case cst.Call(func=cst.Name(value="bytes"), args=[cst.Arg(value=text, star="")]):
                change = replaced(
                    tree, node, lambda new: expression(encoded, OLD=new.args[0].value)
                )
                yield _ENCODE, change, f"`{tree.code(text)}` is text, which has to be encoded"


# --- operands, items, methods ---


def _concatenated(tree: Tree, site: Site) -> Iterator[Form]:
    named, operands = types(site.message), sides(tree, site)
    if named is None or operands is None or {*named} != {"str", "bytes"}:
        return
    text, data = operands if named[0] == "str" else operands[::-1]
    first, then = _decoded(tree, data), _encoded(tree, text)
    # The left operand shows what is built.
    yield from (*first, *then) if named[0] == "str" else (*then, *first)


def _items(tree: Tree, site: Site) -> Iterator[Form]:
    convert = _encoded if "bytes-like object, str found" in site.message else _decoded
    for node in bad(tree, site):
        if not isinstance(tree.parents[node], cst.Arg):
            yield from convert(tree, node)


def _unmade(tree: Tree, site: Site) -> Iterator[Form]:
    """Drop an ``encode`` of bytes or a ``decode`` of text; decode bytes for a method of text."""
    found = re.search(_METHOD, site.message)
    name = found["name"] if found else ""
    kind = "bytes" if "'bytes' object" in site.message else "str"
    for node in bad(tree, site):
        call = tree.parents[tree.parents[node]]
        if (kind, name) in {("bytes", "encode"), ("str", "decode")}:
            if isinstance(call, cst.Call):
                change = replaced(tree, call, lambda new: new.func.value)
                yield _PLAIN, change, f"`{tree.code(node)}` is of type {kind} already"
        elif kind == "bytes" and hasattr(str, name):
            yield from _decoded(tree, node)


_HANDLERS: tuple[tuple[str, Callable[[Tree, Site], Iterator[Form]]], ...] = (
    (r"iterator should return strings", _reopened),
    (_METHOD, _unmade),
    (r"pattern on a", _patterned),
    (r"str found|bytes found", _items),
    (r"concat", _concatenated),
    (r"without an encoding", _made),
    (_NEEDS_BYTES, _needing_bytes),
    (_NEEDS_TEXT, _needing_text),
)


BytesAndText.EXAMPLES = examples(
    """
literal: a separator for bytes
    def fields(line: bytes):
        return «line.split(",")»
TypeError: a bytes-like object is required, not 'str'
    def fields(line: bytes):
        return line.split(b",")

decode: the object knows how it is encoded
    class Request:
        def __init__(self, body, charset="utf-8"):
            self.body = body
            self.charset = charset

        def pairs(self):
            text = self.body
            return «text.split("&")»
TypeError: a bytes-like object is required, not 'str'
where text: bytes
    class Request:
        def __init__(self, body, charset="utf-8"):
            self.body = body
            self.charset = charset

        def pairs(self):
            text = self.body.decode(self.charset)
            return text.split("&")

encode: the function is told how to encode
    def send(peer, text, encoding):
        peer.write(«zlib.compress(text)»)
TypeError: a bytes-like object is required, not 'str'
    def send(peer, text, encoding):
        peer.write(zlib.compress(text.encode(encoding)))

decode: or else the bytes are what is wrong
    def fields(connection):
        line = connection.recv(80)  # one record
        return «line.split(",")»
TypeError: a bytes-like object is required, not 'str'
    def fields(connection):
        line = connection.recv(80).decode()  # one record
        return line.split(",")

encode: what is hashed, in the codec of the file
    def fingerprint(path, salt):
        text = path.read_text(encoding="utf-8")
        return «hashlib.sha256(salt + text)».hexdigest()
TypeError: Strings must be encoded before hashing
    def fingerprint(path, salt):
        text = path.read_text(encoding="utf-8")
        return hashlib.sha256((salt + text).encode("utf-8")).hexdigest()

decode: bytes behind a label
    def label(raw):
        return «"Name: " + raw»
TypeError: can only concatenate str (not "bytes") to str
    def label(raw):
        return "Name: " + raw.decode()

literal: text behind bytes
    def framed(payload):
        return «payload + "\\r\\n"»
TypeError: can't concat str to bytes
    def framed(payload):
        return payload + b"\\r\\n"

decode: what a pattern is to match
    def version(raw):
        return «re.search(r"v(\\d+)", raw)».group(1)
TypeError: cannot use a string pattern on a bytes-like object
    def version(raw):
        return re.search(r"v(\\d+)", raw.decode()).group(1)

literal: the pattern
    def version(raw):
        return «re.search(r"v(\\d+)", raw)».group(1)
TypeError: cannot use a string pattern on a bytes-like object
    def version(raw):
        return re.search(rb"v(\\d+)", raw).group(1)

plain: text that is decoded
    def words(response):
        return «response.text».decode("utf-8").split()
AttributeError: 'str' object has no attribute 'decode'
    def words(response):
        return response.text.split()

mode: bytes for a file opened for text
    def save(path, content):
        with open(path, "w") as file:
            «file.write(content)»
TypeError: write() argument must be str, not bytes
where content: bytes = b'x'
    def save(path, content):
        with open(path, "wb") as file:
            file.write(content)

mode: rows from a file opened for bytes
    def rows(path):
        with open(path, mode="rb") as file:
            return [row for row in «csv.reader(file)»]
Error: iterator should return strings, not bytes (the file should be opened in text mode)
    def rows(path):
        with open(path, mode="r") as file:
            return [row for row in csv.reader(file)]

encode: bytes of text
    def packet(name):
        return «bytes(name)»
TypeError: string argument without an encoding
    def packet(name):
        return name.encode()

encode: lines that are joined
    def body(lines):
        return b"\\n".join(«line.strip()» for line in lines)
TypeError: sequence item 0: expected a bytes-like object, str found
    def body(lines):
        return b"\\n".join(line.strip().encode() for line in lines)

not any: a number has no encoding
    def label(count):
        return «"Count: " + count»
TypeError: can only concatenate str (not "int") to str

not literal: a literal that bytes cannot hold
    def fields(line: bytes):
        return «line.split("→")»
TypeError: a bytes-like object is required, not 'str'

not any: the method is of neither
    def words(text):
        return «text».splitwords()
AttributeError: 'str' object has no attribute 'splitwords'

not mode: two files are open
    def copy(source, target, content):
        with open(source, "r") as one, open(target, "w") as two:
            «two.write(content)»
TypeError: write() argument must be str, not bytes
where content: bytes = b'x'

not any: which argument is text is not known
    def signed(key, message):
        return «sign(key, message)»
TypeError: a bytes-like object is required, not 'str'

not any: neither is text
    def framed(payload):
        return «payload + 1»
TypeError: can't concat int to bytes

not plain: a class of one's own may have no such method
    def words(response):
        return «response».decode("utf-8")
AttributeError: 'Response' object has no attribute 'decode'

not any: the items are bytes, and not the list
    def path(steps):
        return ".".join(«steps»)
TypeError: sequence item 0: expected str instance, bytes found

not mode: it is no file that was opened here
    def save(file, content):
        «file.write(content)»
TypeError: write() argument must be str, not bytes
where content: bytes = b'x'

not encode: the arguments are spread
    def packet(name):
        return «bytes(*name)»
TypeError: string argument without an encoding

not literal: the pattern is made elsewhere
    def version(pattern, raw):
        return «pattern.search(raw)»
TypeError: cannot use a string pattern on a bytes-like object

not decode: a method that text has not either
    def words(raw):
        return «raw».splitwords()
AttributeError: 'bytes' object has no attribute 'splitwords'
"""
)
