"""Time to diagnose one frame, next to ``ast.parse`` of the same file.

Files of 100, 1,000 and 10,000 lines are made of the functions below; the failing line stands in the
middle. Medians of interleaved runs in one process, once imported. Goal: at most 3 times ``ast.parse``,
and under 20 ms for 1,000 lines.
"""

from __future__ import annotations

import ast
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from selfdebug.localization.localize import localize
from selfdebug.model import Failure, Frame, Raised, Span, Value
from selfdebug.syntax.project import Project

UNIT = '''
class Invoice{n}:
    """What a customer owes for an order."""

    def __init__(self, order, customer=None, *, currency="EUR"):
        self.order = order
        self.customer = customer  # None for a sale at the counter
        self.currency = currency

    def total(self, rates):
        amount = sum(line.price * line.quantity for line in self.order.lines)
        if self.order.discount:
            amount -= amount * self.order.discount / 100
        return round(amount * rates.get(self.currency, 1), 2)

    def address(self):
        lines = [part.strip() for part in self.order.shipping.split(",") if part]
        for index, line in enumerate(lines):
            if not line:
                raise ValueError(f"empty line {{index}} in the address of {{self.order.id}}")
        return self.customer.address.street.title() + ", " + lines[-1]
'''
FAILING = "return self.customer.address.street.title()"
MESSAGE = "'NoneType' object has no attribute 'address'"


def file_of(lines: int) -> str:
    """A module of about so many lines."""
    units = round(lines / UNIT.count("\n"))
    return "".join(UNIT.format(n=n) for n in range(max(units, 1)))


def failure_in(path: Path, text: str, *, exact: bool) -> Failure:
    """A failure in the middle of a file; ``exact`` with the span and locals that the plugin records."""
    at = text.index(FAILING, len(text) // 2 - len(UNIT) // 2)
    line = text.count("\n", 0, at) + 1
    span = Span(line, 15, line, 36) if exact else None
    values = {"self.customer": Value("NoneType")} if exact else {}
    quoted = text.splitlines()[line - 1]
    frame = Frame(str(path), line, "address", span, quoted, values)
    return Failure(
        "tests/test_invoice.py::test", "call", Raised("AttributeError", MESSAGE, (frame,))
    )


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def main() -> None:
    print(
        f"{'lines':>7} {'ast.parse':>12} {'exact frame':>16} {'frame of a log':>18}   (ms, times)"
    )
    with tempfile.TemporaryDirectory() as folder:
        for lines, rounds in ((100, 300), (1_000, 100), (10_000, 15)):
            path = Path(folder, f"invoices_{lines}.py")
            text = file_of(lines)
            path.write_text(text, encoding="utf-8")
            project = Project(Path(folder))
            works: list[Callable[[], object]] = [lambda text=text: ast.parse(text)]  # type: ignore[misc]
            for exact in (True, False):
                failure = failure_in(path, text, exact=exact)
                (site,) = localize(failure, project).sites
                assert site.bad_code == "self.customer", site
                works.append(lambda f=failure, p=project: localize(f, p))  # type: ignore[misc]
            times = zip(*([timed(work) for work in works] for _ in range(rounds)), strict=True)
            parse, *diagnoses = (median(each) for each in times)
            shown = "".join(f"{each:>11.2f} {each / parse:>5.2f}x" for each in diagnoses)
            print(f"{text.count(chr(10)):>7} {parse:>12.2f} {shown}")


if __name__ == "__main__":
    main()
