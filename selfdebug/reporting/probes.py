"""What probes logged, as lines for people and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from selfdebug.model import ProbeRecord, Value
from selfdebug.reporting.text import clean, relative


def line(record: ProbeRecord, root: Path) -> str:
    """Return one line: ``DBG-STMT shop/cart.py:41 in total: user = None; user.name = 'Ann'``."""
    place = f"{record.kind} {relative(record.file, root)}:{record.line} in {record.function}"
    told = [f"{name} = {_shown(value)}" for name, value in record.locals.items()]
    told += [f"{seen.code} = {_shown(seen.value)}" for seen in record.values]
    if record.exception is not None:
        told.insert(0, ": ".join(filter(None, record.exception)))
    return clean(" ".join(f"{place}: {'; '.join(told) or record.code}".split("\n")))


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
