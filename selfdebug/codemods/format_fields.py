"""FormatFields: the fields of a format string do not fit what is to fill them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from string import Formatter

import libcst as cst

from selfdebug.codemods._base import Answer, Codemod, Rewrite, Target, Variant, examples
from selfdebug.codemods._edit import Change, expression, replaced
from selfdebug.codemods._forms import Form, rewritten
from selfdebug.codemods._near import nearest
from selfdebug.codemods._operands import type_of, value_of
from selfdebug.model import Site
from selfdebug.syntax.region import Tree

_FIELD = Variant("field", "root-cause", "name the field as what fills it", growth=0, prior=0.85)
_ESCAPE = Variant("escape", "root-cause", "double what stands for itself", growth=0, prior=0.85)
_UNPACK = Variant("unpack", "root-cause", "give each field its own value", growth=0, prior=0.8)
_WRAP = Variant("wrap", "root-cause", "give the one field the whole tuple", growth=0, prior=0.6)
_METHOD = Variant("method", "root-cause", "fill the braces by `format`", growth=0, prior=0.85)
_NUMBERS = Variant("numbers", "root-cause", "count the fields from zero", growth=0, prior=0.85)

_DOUBLED = "a percent sign that stands for itself is doubled"
_PERCENT = re.compile(
    r"%(?:%|(?:\((?P<key>[^)]*)\))?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?[diouxXeEfFgGcrsa])"
)


class FormatFields(Codemod):
    """Make the fields of a format string and the values for them fit: names, numbers, braces."""

    DESCRIPTION = "Make format strings and their values fit."
    NAME = "format-fields"
    ANSWERS = (
        Answer(("KeyError",), "", ("Call", "BinaryOperation")),
        Answer(("IndexError",), r"Replacement index \d+ out of range|tuple index out of range"),
        Answer(
            ("ValueError",),
            r"encountered in format string|expected '}' before end|unmatched '{' in format"
            r"|unsupported format character|incomplete format|Invalid format specifier",
        ),
        Answer(("TypeError",), r"arguments for format string|not all arguments converted"),
    )
    VARIANTS = (_FIELD, _NUMBERS, _METHOD, _UNPACK, _WRAP, _ESCAPE)

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the format string, or the call, that fits."""
        tree, site = target.tree, target.site
        for node in tree.at(site.span):
            yield from rewritten(tree, _fitted(tree, site, node))


def _fitted(tree: Tree, site: Site, node: cst.CSTNode) -> Iterator[Form]:
    match node:
        case cst.Call(func=cst.Attribute(value=template, attr=cst.Name(value="format"))):
            literal = _literal(tree, template)
            if literal is not None:
                yield from _of_call(tree, site, node, literal)
        case cst.BinaryOperation(left=template, operator=cst.Modulo(), right=values):
            literal = _literal(tree, template)
            if literal is not None:
                yield from _of_percent(tree, site, node, literal, values)


def _literal(tree: Tree, template: cst.BaseExpression) -> cst.SimpleString | None:
    """Return the literal of a template: itself, or the local variable's only one."""
    found = value_of(tree, template) if isinstance(template, cst.Name) else template
    return found if isinstance(found, cst.SimpleString) and not found.prefix.strip("uU") else None


def _respelled(new: str, literal: cst.SimpleString) -> cst.SimpleString:
    return literal.with_changes(value=new)


def _rewritten(tree: Tree, literal: cst.SimpleString, new: str) -> Change | None:
    return None if new == literal.value else replaced(tree, literal, partial(_respelled, new))


# --- str.format ---


def _of_call(tree: Tree, site: Site, call: cst.Call, literal: cst.SimpleString) -> Iterator[Form]:
    plain = [arg for arg in call.args if not arg.star]
    named = [arg.keyword.value for arg in plain if arg.keyword]
    given = [arg for arg in plain if not arg.keyword]
    whole = len(plain) == len(call.args)
    if site.exc_type.endswith("KeyError"):
        key = site.attrs.get("key", site.message)[1:-1].encode().decode("unicode_escape")
        yield from _by_name(tree, literal, key, named, given) if whole else ()
    elif site.exc_type.endswith("IndexError") and whole:
        yield from _by_number(tree, site, literal, given)
    elif "format specifier" not in site.message:
        new = _escaped(literal.value, set(named), len(given))
        yield _ESCAPE, _rewritten(tree, literal, new), "a brace that stands for itself is doubled"


def _by_name(
    tree: Tree, literal: cst.SimpleString, key: str, named: list[str], given: list[cst.Arg]
) -> Iterator[Form]:
    if not key.isidentifier():
        new = _escaped(literal.value, set(named), len(given))
        yield _ESCAPE, _rewritten(tree, literal, new), "a brace that stands for itself is doubled"
        return
    fields = _names(literal)
    unused = [name for name in named if name not in fields]
    near = nearest(key, unused) or tuple(unused[:1] if len(unused) == 1 else ())
    for name in near:
        new = re.sub(rf"(?<!\{{)\{{{key}(?=[}}:!.\[])", f"{{{name}", literal.value)
        yield _FIELD, _rewritten(tree, literal, new), f"the value is called {name!r}, not {key!r}"
    if not named and len(given) == 1 and len(fields) > 1:
        node, arg = given[0], given[0].value
        star = node.with_changes(star="**", value=arg)
        yield _UNPACK, {node: lambda _: star}, "the fields are named after its keys"


def _names(literal: cst.SimpleString) -> list[str]:
    text = literal.evaluated_value
    try:
        parsed = [name for _, name, _, _ in Formatter().parse(str(text)) if name is not None]
    except ValueError:
        return []
    return [re.split(r"[.\[]", name, maxsplit=1)[0] for name in parsed]


def _by_number(
    tree: Tree, site: Site, literal: cst.SimpleString, given: list[cst.Arg]
) -> Iterator[Form]:
    fields = _names(literal)
    numbers = sorted({int(field) for field in fields if field.isdigit()})
    if numbers and numbers == [*range(1, len(given) + 1)]:
        new = re.sub(
            r"(?<!\{)\{(\d+)(?=[}:!.\[])", lambda found: f"{{{int(found[1]) - 1}", literal.value
        )
        yield _NUMBERS, _rewritten(tree, literal, new), "the first value has the number 0"
    elif len(given) == 1 and len(fields) > 1:
        node = given[0]
        if type_of(site, node.value) in ("list", "tuple", "") and not _is_text(node.value):
            star = node.with_changes(star="*")
            yield _UNPACK, {node: lambda _: star}, "there are as many fields as values in it"


def _is_text(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.BaseString | cst.BaseNumber)


def _escaped(code: str, named: set[str], given: int) -> str:
    """Double the braces of a literal that are no field of it."""
    field = re.compile(r"\{(\w*)((?:[.\[][^{}]*)?(?:![rsa])?(?::[^{}]*)?)\}")
    found = [
        match.span()
        for match in field.finditer(code)
        if match[1] in named or (not match[1] and given) or (match[1].isdigit() and given)
    ]
    inside = {at for start, end in found for at in range(start, end)}
    return "".join(
        sign * 2 if sign in "{}" and at not in inside else sign for at, sign in enumerate(code)
    )


# --- the percent sign ---


def _of_percent(
    tree: Tree,
    site: Site,
    node: cst.BinaryOperation,
    literal: cst.SimpleString,
    values: cst.BaseExpression,
) -> Iterator[Form]:
    text = literal.value
    fields = [found for found in _PERCENT.finditer(text) if found.group() != "%%"]
    if site.exc_type.endswith("KeyError"):
        yield from _by_key(tree, site, literal, fields, values)
    elif site.exc_type.endswith("ValueError") and "format specifier" not in site.message:
        ends = {at for found in _PERCENT.finditer(text) for at in range(*found.span())}
        new = "".join(
            "%%" if sign == "%" and at not in ends else sign for at, sign in enumerate(text)
        )
        yield _ESCAPE, _rewritten(tree, literal, new), _DOUBLED
    elif "not enough arguments" in site.message:
        spaced = [found for found in fields if found.group().startswith("% ")]
        if spaced and len(fields) - len(spaced) == _width(values):
            starts = {found.start() for found in spaced}
            new = "".join(sign * (1 + (at in starts)) for at, sign in enumerate(text))
            yield _ESCAPE, _rewritten(tree, literal, new), _DOUBLED
        if len(fields) > 1 and type_of(site, values) == "list":
            change = replaced(tree, values, lambda old: expression("tuple(OLD)", OLD=old))
            yield _UNPACK, change, "only a tuple fills several fields"
    elif not fields and "{}" in text and text.count("{}") == _width(values):
        yield _METHOD, _formatting(tree, node), "braces are filled by `format`"
    elif len(fields) == 1 and type_of(site, values) == "tuple":
        change = replaced(tree, values, lambda old: expression("(OLD,)", OLD=old))
        yield _WRAP, change, "a tuple fills several fields, unless it is in one"


def _by_key(
    tree: Tree,
    site: Site,
    literal: cst.SimpleString,
    fields: list[re.Match[str]],
    values: cst.BaseExpression,
) -> Iterator[Form]:
    key = site.attrs.get("key", site.message)[1:-1]
    known: set[str] = set()
    if isinstance(values, cst.Dict):
        keys = [each.key for each in values.elements if isinstance(each, cst.DictElement)]
        known = {str(each.evaluated_value) for each in keys if isinstance(each, cst.SimpleString)}
    known |= {name.strip("'\" ") for name in site.attrs.get("keys", "[]").strip("[]").split(",")}
    for name in nearest(key, known - {"", *(found["key"] or "" for found in fields)}):
        new = literal.value.replace(f"%({key})", f"%({name})")
        yield _FIELD, _rewritten(tree, literal, new), f"the value is called {name!r}, not {key!r}"


def _width(values: cst.BaseExpression) -> int:
    return len(values.elements) if isinstance(values, cst.Tuple) else 1


def _formatting(tree: Tree, node: cst.BinaryOperation) -> Change:
    """Call ``format`` with what stood behind the percent sign."""

    def call(old: cst.BinaryOperation) -> cst.BaseExpression:
        given = old.right.elements if isinstance(old.right, cst.Tuple) else [cst.Element(old.right)]
        args = [cst.Arg(each.value, comma=each.comma) for each in given]
        return cst.Call(cst.Attribute(old.left, cst.Name("format")), args)

    return replaced(tree, node, call)


FormatFields.EXAMPLES = examples(
    """
field: a misspelt name
    def line(item):
        return «"{name}: {prize:.2f}".format(name=item.name, price=item.price)»
KeyError: 'prize'
    def line(item):
        return "{name}: {price:.2f}".format(name=item.name, price=item.price)

field: the only value that is not used
    def hello(user):
        return «"Hello {user}!".format(name=user.name)»
KeyError: 'user'
    def hello(user):
        return "Hello {name}!".format(name=user.name)

field: a key of the percent sign
    def line(item):
        return «'%(nmae)s: %(price)d' % {'name': item.name, 'price': item.price}»
KeyError: 'nmae'
    def line(item):
        return '%(name)s: %(price)d' % {'name': item.name, 'price': item.price}

numbers: from one
    def span(first, last):
        template = "{1} to {2}"
        return «template.format(first, last)»
IndexError: Replacement index 2 out of range for positional args tuple
    def span(first, last):
        template = "{0} to {1}"
        return template.format(first, last)

method: braces and a percent sign
    def line(name, price):
        return «"{}: {}" % (name, price)»
TypeError: not all arguments converted during string formatting
    def line(name, price):
        return "{}: {}".format(name, price)

unpack: a dictionary
    def line(row):
        return «"{name}: {price}".format(row)»
KeyError: 'name'
    def line(row):
        return "{name}: {price}".format(**row)

unpack: a row
    def line(row):
        return «"{}: {}".format(row)»
IndexError: Replacement index 1 out of range for positional args tuple
where row: tuple = ('tea', 3)
    def line(row):
        return "{}: {}".format(*row)

unpack: a list for the percent sign
    def line(row):
        return «"%s: %d" % row»
TypeError: not enough arguments for format string
where row: list = ['tea', 3]
    def line(row):
        return "%s: %d" % tuple(row)

wrap: a tuple for one field
    def show(point):
        return «"at %s" % point»
TypeError: not all arguments converted during string formatting
where point: tuple = (1, 2)
    def show(point):
        return "at %s" % (point,)

escape: JSON
    def body(name):
        return «'{"name": "{name}"}'.format(name=name)»
KeyError: '"name"'
    def body(name):
        return '{{"name": "{name}"}}'.format(name=name)

escape: a style sheet
    def rule(name, colour):
        return «".{} { color: {}; }".format(name, colour)»
KeyError: ' color'
    def rule(name, colour):
        return ".{} {{ color: {}; }}".format(name, colour)

escape: a percent sign
    def share(part, name):
        return «"%d%, %s" % (part, name)»
ValueError: unsupported format character ',' (0x2c) at index 3
    def share(part, name):
        return "%d%%, %s" % (part, name)

escape: a percent sign that looks like a field
    def share(part):
        return «"%d% of all" % part»
TypeError: not enough arguments for format string
    def share(part):
        return "%d%% of all" % part

not any: two values that are not used
    def hello(user):
        return «"Hello {}, {title}".format(user.name, age=user.age, city=user.city)»
KeyError: 'title'

not any: the template comes from elsewhere
    def line(template, row):
        return «template.format(name=row)»
KeyError: 'nmae'

not unpack: one value for two fields
    def line(name):
        return «"{}: {}".format(name)»
IndexError: Replacement index 1 out of range for positional args tuple
where name: str = 'tea'

not wrap: which value is one too many
    def show(point):
        return «"at %s" % (point, 1)»
TypeError: not all arguments converted during string formatting
where point: int = 4

not any: a dictionary was asked, no format
    def label(row):
        return "{}: {}".format(«row["name"]», row["price"])
KeyError: 'name'
where row: dict = {'price': 3}

not field: more than it can be is spread
    def hello(user):
        return «"Hello {user}!".format(**user)»
KeyError: 'user'

not numbers: the first value is used, and there are too few
    def span(first, last):
        return «"{0} to {1}, {2}".format(first, last)»
IndexError: Replacement index 2 out of range for positional args tuple

not unpack: text is no row
    def line(row, name):
        return «"%s of %s" % row»
TypeError: not enough arguments for format string
where row: str = 'tea'

not method: one pair of braces for two values
    def line(name, price):
        return «"{}" % (name, price)»
TypeError: not all arguments converted during string formatting

not any: an f-string is filled in before
    def line(name, rest):
        return «f"{name}: %s" % (rest, name)»
TypeError: not all arguments converted during string formatting

not any: the value is of the wrong type
    def share(part):
        return «"%d of all" % part»
TypeError: %d format: a real number is required, not str

not escape: the braces are fields
    def pair(name, other):
        return «"{} and {}".format(name)»
IndexError: Replacement index 1 out of range for positional args tuple
where name: str = 'a'

not field: no value has a name like it
    def line(item):
        return «'%(colour)s' % {'name': item.name}»
KeyError: 'colour'
"""
)
