"""What probes logged, as lines for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

from selfdebug.model import ProbeRecord, Value
from selfdebug.reporting.text import clean, relative

_NOTHING: Mapping[str, Value] = MappingProxyType({})


def lines(records: Iterable[ProbeRecord], root: Path) -> Iterator[str]:
    """Yield a line for each record: ``DBG-STMT shop/cart.py:41 in total: cart.user = None``.

    What a variable held before a statement is told once, and again where it holds something else.
    """
    before: dict[tuple[int, Path, int, str], Mapping[str, Value]] = {}
    for record in records:
        statement = record.pid, record.file, record.line, record.function
        yield _line(record, root, before.get(statement, _NOTHING))
        if record.kind == "DBG-PROBE":
            before[statement] = record.locals


def _line(record: ProbeRecord, root: Path, known: Mapping[str, Value]) -> str:
    place = f"{record.kind} {relative(record.file, root)}:{record.line} in {record.function}"
    if record.kind == "DBG-PROBE":
        known = _NOTHING
    raised = [": ".join(filter(None, record.exception))] if record.exception else []
    seen = [*record.locals.items(), *((each.code, each.value) for each in record.values)]
    news = [(code, value) for code, value in seen if known.get(code) != value]
    told = [*raised, *(f"{code} = {_shown(value)}" for code, value in news)]
    told = told or [f"{code} = {_shown(value)}" for code, value in seen] or [record.code]
    return clean(" ".join(f"{place}: {'; '.join(told)}".split("\n")))


def as_json(record: ProbeRecord, root: Path) -> dict[str, Any]:
    """Return an entry of ``probes``. Columns count from 1, as editors show them."""
    exc_type, msg = record.exception or (None, None)
    return {
        "kind": record.kind,
        "file": relative(record.file, root),
        "line": record.line,
        "column": record.column + 1,
        "function": record.function,
        "code": clean(record.code),
        "locals": {clean(name): _entry(value) for name, value in record.locals.items()},
        "values": [
            {
                "code": clean(seen.code),
                "line": seen.span.line,
                "column": seen.span.column + 1,
                "end_line": seen.span.end_line,
                "end_column": seen.span.end_column + 1,
                **_entry(seen.value),
            }
            for seen in record.values
        ],
        "exc_type": exc_type and clean(exc_type),
        "msg": msg and clean(msg),
        "pid": record.pid,
        "n": record.n,
        "hit": record.hit,
    }


def _shown(value: Value) -> str:
    return f"<{value.type}>" if value.text is None else value.text


def _entry(value: Value) -> dict[str, Any]:
    return {
        name: clean(part) if isinstance(part, str) else part for name, part in asdict(value).items()
    }
