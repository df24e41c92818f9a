"""SyntaxSlip: a file that does not parse for one token."""

from __future__ import annotations

from collections.abc import Iterator

from selfdebug.codemods._base import Answer, Codemod, Repair, Rewrite, Target, Variant, examples
from selfdebug.codemods._slips import Slip, slips
from selfdebug.codemods._tokens import Broken, broken, meaning, syntax_error
from selfdebug.model import Site
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import Unreadable

_LIKELY = 0.85
_VARIANTS = {
    name: Variant(name, "root-cause", what, growth=0, prior=_LIKELY)
    for name, what in {
        "colon": "add the colon that is missing",
        "comma": "add the comma that is missing",
        "bracket": "close what is open, and only that",
        "operator": "use the operator that belongs there",
        "keyword": "spell the keyword right",
        "quote": "end the string as it began",
        "character": "use the character that Python knows",
        "number": "write the number as Python does",
        "indentation": "indent the lines as their block is",
        "stray": "take away what is there twice, or for nothing",
    }.items()
}
_MOST = 400  # slips tried


class SyntaxSlip(Codemod):
    """Make a file parse by the only single token that does, if there is only one."""

    DESCRIPTION = "Repair syntax errors that one token explains."
    NAME = "syntax-slip"
    ANSWERS = (Answer(("SyntaxError", "IndentationError", "TabError")),)
    VARIANTS = tuple(_VARIANTS.values())

    @classmethod
    def repairs(cls, site: Site, project: Project) -> Iterator[Repair]:
        """Yield the only slip that explains why the file does not parse.

        Raises Unreadable, with the place, where there is none, or more than one; and OSError.
        """
        source = project.read(site.file)
        part = broken(source, site.span.line)
        if part is None:
            return
        found = _best(part)
        if len(found) != 1:
            error = syntax_error(source.text) or SyntaxError(site.message)
            raise Unreadable(source.path, f"SyntaxError: {error.msg}", error.lineno, error.offset)
        slip = found[0]
        edit = source.edit(slip.start, slip.end, slip.after)
        yield Repair(_VARIANTS[slip.name], (edit,), f"{slip.why}; no other token makes it parse")

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:  # noqa: ARG003
        """Yield nothing: what libcst can parse has no syntax error."""
        yield from ()


def _best(part: Broken) -> list[Slip]:
    """Return the slips of the best rank that explain the error, one for each meaning."""
    seen: set[str] = set()
    found: dict[str, Slip] = {}
    for slip in sorted(list(slips(part))[:_MOST], key=lambda each: each.rank):
        if found and slip.rank > next(iter(found.values())).rank:
            break
        code = _without(part, slip)
        if code in seen:
            continue
        seen.add(code)
        means = meaning(part.head + code)
        if means is not None and means not in found and _is_whole(part, slip):
            found[means] = slip
    return [*found.values()]


def _without(part: Broken, slip: Slip) -> str:
    return part.text[: slip.start - part.start] + slip.after + part.text[slip.end - part.start :]


def _is_whole(part: Broken, slip: Slip) -> bool:
    text = part.source.text
    return syntax_error(text[: slip.start] + slip.after + text[slip.end :]) is None


SyntaxSlip.EXAMPLES = examples(
    """
colon: the end of a header
    def total(lines)«»
        return sum(lines)
SyntaxError: expected ':'
    def total(lines):
        return sum(lines)

colon: a header that goes on, under a comment
    def total(lines):
        # only what is paid
        if (lines
                and lines[0]):
            return sum(lines)
        else«»  # nothing
            return 0
SyntaxError: expected ':'
    def total(lines):
        # only what is paid
        if (lines
                and lines[0]):
            return sum(lines)
        else:  # nothing
            return 0

colon: a key without it
    RATES = {"eur": 1, "usd" «1.1»}
SyntaxError: ':' expected after dictionary key
    RATES = {"eur": 1, "usd": 1.1}

comma: two items of a list
    CODES = [
        10,
        20«»
        30,
    ]
SyntaxError: invalid syntax. Perhaps you forgot a comma?
    CODES = [
        10,
        20,
        30,
    ]

comma: two arguments
    def area(w, h):
        return round(«w * h 2»)
SyntaxError: invalid syntax. Perhaps you forgot a comma?
    def area(w, h):
        return round(w * h, 2)

comma: two parameters
    def area(w «h»):
        return w * h
SyntaxError: invalid syntax
    def area(w, h):
        return w * h

bracket: the end of a call
    def show(items):
        print«(»len(items)
        return items
SyntaxError: '(' was never closed
    def show(items):
        print(len(items))
        return items

bracket: a header
    def show(items):
        for i in range«(»len(items):
            print(i)
SyntaxError: invalid syntax
    def show(items):
        for i in range(len(items)):
            print(i)

bracket: items on lines of their own
    LEVELS = «[»
        "low",
        "high",  # the last

    def level(n):
        return LEVELS[n]
SyntaxError: '[' was never closed
    LEVELS = [
        "low",
        "high",  # the last
    ]

    def level(n):
        return LEVELS[n]

bracket: another kind inside
    def first(rows):
        return str(rows[0«)»
SyntaxError: closing parenthesis ')' does not match opening parenthesis '['
    def first(rows):
        return str(rows[0])

bracket: one too many
    def first(rows):
        return str(rows[0])«)»
SyntaxError: unmatched ')'
    def first(rows):
        return str(rows[0])

bracket: a print of Python 2
    def show(row):
        «print row["name"]»
SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?
    def show(row):
        print(row["name"])

operator: an assignment for a comparison
    def name(user):
        if «user = None»:
            return ""
        return user.name
SyntaxError: invalid syntax. Maybe you meant '==' or ':=' instead of '='?
    def name(user):
        if user == None:
            return ""
        return user.name

operator: a name that the condition gives its value
    import re

    def number(text):
        if «match = re.search(r"[0-9]+", text)»:
            return match.group()
        return None
SyntaxError: invalid syntax. Maybe you meant '==' or ':=' instead of '='?
    import re

    def number(text):
        if match := re.search(r"[0-9]+", text):
            return match.group()
        return None

operator: signs of other languages
    def allowed(user, page):
        return user.admin «&»& page.open
SyntaxError: invalid syntax
    def allowed(user, page):
        return user.admin and page.open

operator: the signs in the other order
    def is_adult(age):
        return age «=»> 18
SyntaxError: invalid syntax
    def is_adult(age):
        return age >= 18

operator: an argument like an item
    def read(path):
        return open(path, encoding«:» "utf-8")
SyntaxError: invalid syntax
    def read(path):
        return open(path, encoding= "utf-8")

keyword: letters swapped
    def total(lines):
        retrun «sum»(lines)
SyntaxError: invalid syntax
    def total(lines):
        return sum(lines)

keyword: the elif of other languages
    def sign(n):
        if n < 0:
            return -1
        else «if» n > 0:
            return 1
        return 0
SyntaxError: expected ':'
    def sign(n):
        if n < 0:
            return -1
        elif n > 0:
            return 1
        return 0

keyword: no def
    class Cart:
        «total»(self):
            return sum(self.lines)
SyntaxError: invalid syntax
    class Cart:
        def total(self):
            return sum(self.lines)

keyword: a function that awaits
    class Client:
        def load(self, key):
            «await self.connect()»
            return self.data[key]
SyntaxError: 'await' outside async function
    class Client:
        async def load(self, key):
            await self.connect()
            return self.data[key]

quote: before the bracket
    def show(name):
        print(«"»Hello)
        return name
SyntaxError: unterminated string literal (detected at line 2)
    def show(name):
        print("Hello")
        return name

quote: a key
    def name(row):
        return row[«"»name]
SyntaxError: unterminated string literal (detected at line 2)
    def name(row):
        return row["name"]

quote: two kinds
    GREETING = «'»hello"
SyntaxError: unterminated string literal (detected at line 1)
    GREETING = 'hello'

quote: an apostrophe
    HINT = 'It«'»s empty'
SyntaxError: unterminated string literal (detected at line 1)
    HINT = "It's empty"

character: quotes from a text processor
    def name(row):
        return row[«“»name”]
SyntaxError: invalid character '“' (U+201C)
    def name(row):
        return row["name"]

number: a date with zeros
    import datetime

    START = datetime.date(2024, «0»3, 1)
SyntaxError: leading zeros in decimal integer literals are not permitted; use an 0o prefix
    import datetime

    START = datetime.date(2024, 3, 1)

indentation: one column off
    def total(lines):
        found = 0
        for line in lines:
            found += line
       «return» found
IndentationError: unindent does not match any outer indentation level
    def total(lines):
        found = 0
        for line in lines:
            found += line
        return found

indentation: a body beside its header
    def total(lines):
        found = 0
        for line in lines:
        «found» += line
        return found
IndentationError: expected an indented block after 'for' statement on line 3
    def total(lines):
        found = 0
        for line in lines:
            found += line
        return found

indentation: lines too deep
    def total(lines):
        found = 0
            «for» line in lines:
                found += line
            found += 1
    TOTAL = total([1])
IndentationError: unexpected indent
    def total(lines):
        found = 0
        for line in lines:
            found += line
        found += 1
    TOTAL = total([1])

stray: a word twice
    def total(lines):
        return «return» sum(lines)
SyntaxError: invalid syntax
    def total(lines):
        return sum(lines)

stray: a colon after a statement
    def total(lines):
        found = sum(lines)«:»
        return found
SyntaxError: invalid syntax
    def total(lines):
        found = sum(lines)
        return found

not any: it may close before the if, or at the end
    def token(word, name):
        return Token«(»word, name.lower() if name else Token(word)
SyntaxError: '(' was never closed

not any: what is compared, or the comparison
    def check(items):
        if len«(»items > 0:
            return items
SyntaxError: invalid syntax

not any: one string or two
    def show(name):
        print(«"»Hello, name)
SyntaxError: unterminated string literal (detected at line 2)

not any: in the loop or after it
    def total(lines):
        found = 0
        for line in lines:
            found += line
          «return» found
IndentationError: unindent does not match any outer indentation level

not any: 10 or 8
    MODE = «0»10
SyntaxError: leading zeros in decimal integer literals are not permitted; use an 0o prefix

not any: two errors
    def total(lines)«»
        return sum(lines

    def mean(lines):
        return total(lines) / len(lines)
SyntaxError: expected ':'

not any: a name that is no keyword
    def total(lines):
        found «lines»
        return found
SyntaxError: invalid syntax

not any: where a text of many lines ends
    HELP = «'''»Show the lines.

    def show(lines):
        return lines
SyntaxError: unterminated triple-quoted string literal (detected at line 4)

not any: one of two loops, or neither
    def show(rows):
        for row in rows:
            for item in row:
                print(item)
    «break»
SyntaxError: 'break' outside loop

not any: a function without a body
    def total(lines):

    «def» mean(lines):
        return total(lines) / len(lines)
IndentationError: expected an indented block after function definition on line 1

not any: which of the two values a parameter has
    def area(w=1, «h»):
        return w * h
SyntaxError: non-default argument follows default argument

not any: a parameter twice
    def area(w, «w»):
        return w * w
SyntaxError: duplicate argument 'w' in function definition

not any: the name of an argument
    def read(path):
        return open(encoding="utf-8", «path»)
SyntaxError: positional argument follows keyword argument

not any: a word of Python as a name
    def label(item):
        «class» = item.kind
        return class
SyntaxError: invalid syntax

not any: a condition of other languages
    def sign(n):
        return n < 0 «?» "-" : "+"
SyntaxError: invalid syntax

not any: a step of other languages
    def count(lines):
        n = 0
        for line in lines:
            n«++»
        return n
SyntaxError: invalid syntax

not any: both sides of a merge
    def total(lines):
    «<<<<<<<» ours
        return sum(lines)
    =======
        return max(lines)
    >>>>>>> theirs
SyntaxError: invalid syntax

not any: what the try catches
    def read(path):
        try:
            return open(path)
    «print»("no file")
SyntaxError: expected 'except' or 'finally' block

not any: two strings that are open
    def name(row):
        first = «"»Ann
        last = "Lee
        return first + last
SyntaxError: unterminated string literal (detected at line 2)

not any: where the declaration comes too late
    def add(n):
        total = n
        «global total»
SyntaxError: name 'total' is assigned to before global declaration

not any: a return of no function
    TOTAL = 3
    «return» TOTAL
SyntaxError: 'return' outside function

not any: a module that awaits
    import asyncio

    «await asyncio.sleep(1)»
SyntaxError: 'await' outside function

not any: the Python 2 print that ends no line
    def show(row):
        «print row,»
SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?

not any: an import of nothing
    from shop import«»

    def total(lines):
        return sum(lines)
SyntaxError: invalid syntax

not any: an exception as Python 2 raised it
    def check(n):
        if n < 0:
            raise ValueError«,» "negative"
SyntaxError: invalid syntax

not any: a value for a call
    def start(cart):
        «cart.total()» = 0
SyntaxError: cannot assign to function call here. Maybe you meant '==' instead of '='?

not any: a value that nobody gave
    def start(cart):
        cart.total =«»
        return cart
SyntaxError: invalid syntax

not any: braces of other languages
    def total(lines) «{»
        return sum(lines)
    }
SyntaxError: expected ':'
"""
)
