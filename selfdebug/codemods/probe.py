"""Log what a statement saw, to know which value was bad."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from selfdebug.codemods._base import Codemod, Example, Rewrite, Target, Variant
from selfdebug.codemods._probes import What, probed

if TYPE_CHECKING:
    from selfdebug.codemods._command import Command


class Probe(Codemod):
    """Log the variables before a statement, the values of its sub-expressions, and its exception.

    The program does what it did: each expression is evaluated once, in its place; exceptions go on
    unchanged; every line keeps its number. The records are JSON lines in the file that the variable
    SELFDEBUG_PROBES names. The probed program needs selfdebug's probe runtime (standard library only)
    on its PYTHONPATH; the command says where that is. ``--remove`` takes all probes out, byte for byte.

    Under a debugger or coverage, exceptions in headers and one-line suites are not seen. At the
    recursion limit the call of a probe is one call more. Columns of a traceback are those of the code
    with its probes. A bare decorator, and what an f-string with ``=`` shows, stay without a probe.
    """

    NAME = "probe"
    DESCRIPTION = (
        "Log what a statement saw: variables, sub-expressions, exception. --remove undoes it."
    )
    VARIANTS = (
        Variant("all", "guard", "all three together", growth=0),
        Variant("before", "guard", "the variables before the statement", growth=0),
        Variant("values", "guard", "the values of its sub-expressions", growth=0),
        Variant(
            "caught", "guard", "the exception that leaves it, and the variables then", growth=0
        ),
    )
    WHAT: ClassVar[dict[str, tuple[What, ...]]] = {
        "all": ("before", "values", "caught"),
        "before": ("before",),
        "values": ("values",),
        "caught": ("caught",),
    }
    EXAMPLES = (
        Example(
            before="total = sum(cart)\nprice = «order».price\n",
            failure="AttributeError: 'NoneType' object has no attribute 'price'",
            after="total = sum(cart)\n"
            '__import__("selfdebug_probe").before("2:0-2:19 price = order.price"); '
            "price = order.price\n",
            variant="before",
            note="no line is added, so every line keeps its number",
        ),
        Example(
            before="price = «order».price  # euros\n",
            failure="AttributeError: 'NoneType' object has no attribute 'price'",
            after='with __import__("selfdebug_probe").caught("1:0-1:19 price = order.price"): '
            "price = order.price  # euros\n",
            variant="caught",
            note="a one-line with lets the exception pass",
        ),
        Example(
            before="price = «order».price\n",
            failure="AttributeError: 'NoneType' object has no attribute 'price'",
            after='price = __import__("selfdebug_probe").value("1:0", "1:8-1:19 order.price", '
            '__import__("selfdebug_probe").value("1:0", "1:8-1:13 order", order).price)\n',
            variant="values",
            note="each value is logged where it is evaluated, once",
        ),
        Example(
            before="if «order».open:\n    ship()\n",
            failure="AttributeError: 'NoneType' object has no attribute 'open'",
            after='if __import__("selfdebug_probe").catching("1:3-1:13 order.open")(order.open):\n'
            "    ship()\n",
            variant="caught",
            note="in a header an expression watches itself",
        ),
        Example(
            before="class Order: price = «cart».total\n",
            failure="AttributeError: 'NoneType' object has no attribute 'total'",
            after='class Order: __import__("selfdebug_probe").catching("1:13-1:31 price = cart.total"); '
            "price = cart.total\n",
            variant="caught",
            note="in a one-line suite no with can stand",
        ),
        Example(
            before="users.sort(key=lambda x: «x».age)\n",
            failure="AttributeError: 'NoneType' object has no attribute 'age'",
            after='__import__("selfdebug_probe").before("1:0-1:31 users.sort(key=lambda x: x.age)"); '
            'users.sort(key=lambda x: __import__("selfdebug_probe").before("1:25-1:30 x.age")(x.age))\n',
            variant="before",
            note="what a lambda does is a statement of its own",
        ),
        Example(
            before='"""«Orders»."""\n',
            failure="AttributeError: 'NoneType' object has no attribute 'open'",
            after=None,
            note="a docstring must stay first, and can't fail",
        ),
        Example(
            before="from __future__ import «annotations»\n",
            failure="ImportError: cannot import name 'annotations'",
            after=None,
            note="a __future__ import must stay first",
        ),
    )

    @classmethod
    def rewrites(cls, target: Target) -> Iterator[Rewrite]:
        """Yield the module with probes in the statement of the site's line, for each variant."""
        for variant in cls.VARIANTS:
            module = probed(target.tree, {target.site.span.line}, cls.WHAT[variant.name])
            if module is not None:
                yield Rewrite(variant, module, f"logs {variant.what}; changes nothing else")

    @classmethod
    def command(cls) -> type[Command]:
        """Return the command that also takes probes out again."""
        from selfdebug.codemods._command import command
        from selfdebug.codemods._probe_command import ProbeCommand

        return command(cls, ProbeCommand)
