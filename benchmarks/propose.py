"""CPU time to propose candidates for a function of 100 lines, next to ``ast.parse`` of it.

One failure of each common kind in the middle of the same function, localized before; each round starts
with nothing parsed. Medians of interleaved rounds in one process, once imported, without collections of
garbage. Goal: under 50 ms.
"""

from __future__ import annotations

import ast
import gc
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from selfdebug.codemods import catalogue
from selfdebug.localization.localize import localize
from selfdebug.model import Failure, Frame, Raised, Site, Span, Value
from selfdebug.planning.propose import Plan, propose
from selfdebug.syntax.project import Project

FUNCTION = '''
def settle(orders, customers, rates, today, *, currency="EUR", limit=None, notes=()):
    """Turn orders into statements, one for each customer, and say what is left over."""
    statements = {}
    skipped = []
    totals = {}
    seen = set()
    for order in orders:
        if order.number in seen:
            skipped.append((order.number, "twice"))
            continue
        seen.add(order.number)
        if order.cancelled:
            skipped.append((order.number, "cancelled"))
            continue
        customer = customers.get(order.customer)
        name = customer.name.strip().title()
        street = customer.address.street
        key = (name, street)
        if key not in statements:
            statements[key] = []
            totals[key] = 0
        rate = rates[order.currency]
        amount = 0
        for line in order.lines:
            if line.quantity <= 0:
                continue
            price = line.price * rate
            if line.discount:
                price -= price * line.discount / 100
            amount += price * line.quantity
        if order.coupon:
            code, _, percent = order.coupon.partition(":")
            if code == "WELCOME" and customer.orders:
                skipped.append((order.number, "coupon is for new customers"))
            else:
                amount -= amount * int(percent) / 100
        first = order.lines[0]
        average = amount / len(order.lines)
        label = first.title + " and others" if len(order.lines) > 1 else first.title
        entry = {
            "number": order.number,
            "date": order.date or today,
            "label": label[:40],
            "amount": round(amount, 2),
            "average": round(average, 2),
        }
        if limit is not None and totals[key] + amount > limit:
            skipped.append((order.number, "over the limit of " + limit))
            continue
        statements[key].append(entry)
        totals[key] += entry["amount"]
    lines = []
    for (name, street), entries in sorted(statements.items()):
        entries.sort(key=lambda entry: (entry["date"], entry["number"]))
        lines.append(f"{name}, {street}")
        oldest = None
        for entry in entries:
            if oldest is None or entry["date"] < oldest:
                oldest = entry["date"]
            text = "{:>8} {:<40} {:>10.2f}".format(
                entry["number"], entry["label"], entry["amount"]
            )
            lines.append(text)
        days = (today - oldest).days
        if days > 60:
            reminder = "second reminder"
        elif days > 30:
            reminder = "first reminder"
        if days > 30:
            lines.append(reminder.upper())
        total = totals[name, street]
        lines.append(f"{'':>8} {'total':<40} {total:>10.2f} {currency}")
        lines.append("")
    for note in notes:
        wrapped = []
        row = ""
        for word in note.split():
            if len(row) + len(word) + 1 > 60:
                wrapped.append(row)
                row = word
            else:
                row = f"{row} {word}".strip()
        if row:
            wrapped.append(row)
        lines.extend(wrapped)
    overview = []
    for number, reason in skipped:
        overview.append(f"order {number}: {reason}")
    if overview:
        lines.append("left out:")
        lines.extend(overview)
    best = max(totals.values())
    worst = min(totals.values())
    spread = best - worst
    if spread > 1000 and len(totals) > 2:
        middle = sorted(totals.values())[len(totals) // 2]
        lines.append(f"from {worst:.2f} to {best:.2f}, half of them over {middle:.2f}")
    headline = f"{len(statements)} statements, {len(skipped)} left out"
    lines.insert(0, headlin)
    return "\\n".join(lines)
'''
TEST = """\
from billing import settle


def test_settle(orders, customers):
    text = settle(orders, customers, {"EUR": 1}, None)
    assert text.startswith("1 statements")
"""
NONE = Value("NoneType")
Kind = tuple[str, str, str, str, dict[str, Value]]
FAILURES: tuple[Kind, ...] = (
    (
        *("None", "AttributeError", "'NoneType' object has no attribute 'name'"),
        *("customer.name", {"customer": NONE}),
    ),
    (
        *("None far from its origin", "TypeError"),
        "unsupported operand type(s) for -: 'datetime.date' and 'NoneType'",
        *("today - oldest", {"oldest": NONE, "today": Value("datetime.date")}),
    ),
    (
        *("attribute", "AttributeError", "'Order' object has no attribute 'cancelled'"),
        *("order.cancelled", {"order": Value("Order")}),
    ),
    (
        *("key", "KeyError", "'USD'", "rates[order.currency]"),
        {"rates": Value("dict", "{'EUR': 1}", 1), "order.currency": Value("str", "'USD'", 3)},
    ),
    (
        *("index", "IndexError", "list index out of range", "order.lines[0]"),
        {"order.lines": Value("list", "[]", 0), "order": Value("Order")},
    ),
    (
        *("number", "ValueError", "invalid literal for int() with base 10: ''", "int(percent)"),
        {"percent": Value("str", "''", 0)},
    ),
    (
        *("zero", "ZeroDivisionError", "division by zero", "amount / len(order.lines)"),
        {"amount": Value("int", "0"), "order.lines": Value("list", "[]", 0)},
    ),
    (
        *("types", "TypeError", 'can only concatenate str (not "int") to str'),
        *('"over the limit of " + limit', {"limit": Value("int", "500")}),
    ),
    (
        *("unbound", "UnboundLocalError"),
        "cannot access local variable 'reminder' where it is not associated with a value",
        *("reminder", {"days": Value("int", "31")}),
    ),
    (
        *("empty", "ValueError", "max() arg is an empty sequence", "max(totals.values())"),
        {"totals": Value("dict", "{}", 0)},
    ),
    ("name", "NameError", "name 'headlin' is not defined", "headlin", {}),
)


def failure_of(path: Path, kind: Kind) -> Failure:
    """The failure of a kind where its code stands for the last time, as the plugin records it."""
    _, exc_type, message, code, values = kind
    text = path.read_text(encoding="utf-8")
    at = text.index("reminder.upper") if code == "reminder" else text.rindex(code)
    if code == "headlin":
        at = text.index("headlin)")
    line, column = text.count("\n", 0, at) + 1, at - text.rindex("\n", 0, at) - 1
    span = Span(line, column, line, column + len(code))
    frame = Frame(str(path), line, "settle", span, text.splitlines()[line - 1], values)
    called = Frame(str(path.parent / "test_billing.py"), 5, "test_settle")
    return Failure(
        "test_billing.py::test_settle", "call", Raised(exc_type, message, (called, frame))
    )


def cpu(work: Callable[[], object]) -> float:
    """Milliseconds of processor time."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def proposing(sites: Sequence[Site], root: Path) -> Callable[[], Plan]:
    """What is measured: everything from the sites to the ranked candidates, with nothing parsed."""
    codemods = catalogue()
    return lambda: propose(sites, codemods, Project(root), ("test_billing.py::test_settle",))


def main() -> None:
    rounds = 15
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        path = root / "billing.py"
        path.write_text(FUNCTION, encoding="utf-8")
        (root / "test_billing.py").write_text(TEST, encoding="utf-8")
        works: list[Callable[[], Plan]] = []
        for kind in FAILURES:
            sites = localize(failure_of(path, kind), Project(root)).sites
            assert [site.file for site in sites[:1]] == [path], kind
            works.append(proposing(sites, root))
        counts = [len(work().candidates) for work in works]
        every = [lambda: ast.parse(FUNCTION), *works]
        gc.disable()
        times = [*zip(*([cpu(work) for work in every] for _ in range(rounds)), strict=True)]
        gc.enable()
    parse, *proposals = (median(each) for each in times)
    print(f"{'failure':>25} {'candidates':>11} {'ms':>7} {'ast.parse':>10}")
    for kind, count, each in zip(FAILURES, counts, proposals, strict=True):
        print(f"{kind[0]:>25} {count:>11} {each:>7.1f} {each / parse:>9.0f}x")
    print(f"{'median':>25} {'':>11} {median(proposals):>7.1f} {median(proposals) / parse:>9.0f}x")


if __name__ == "__main__":
    main()
