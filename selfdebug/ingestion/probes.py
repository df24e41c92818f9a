"""What probes wrote while a program ran, read back and put in order.

``selfdebug_probe.py`` says what a line holds. The file is evidence from processes that may have died
in the middle of a line: what can't be read is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from selfdebug.model import ProbeRecord, Seen, Span, Value

_Raw: TypeAlias = Mapping[str, Any]
_FIELDS: Mapping[str, type] = {
    **dict.fromkeys(("kind", "file", "code", "at", "function"), str),
    **dict.fromkeys(("pid", "thread", "n", "hit"), int),
    "span": list,
}


def read_probes(path: Path) -> tuple[ProbeRecord, ...]:
    """Return the records of a file that may be missing; processes one after the other, each in order."""
    processes: dict[int, list[_Raw]] = {}
    for raw in _lines(path):
        processes.setdefault(raw["pid"], []).append(raw)
    ordered = (sorted(each, key=lambda raw: int(raw["n"])) for each in processes.values())
    return tuple(_record(group) for raws in ordered for group in _executions(raws))


def _executions(raws: list[_Raw]) -> list[list[_Raw]]:
    """Put values of one execution together; it is over when one of them is evaluated again."""
    groups: list[list[_Raw]] = []
    running: dict[tuple[object, ...], list[_Raw]] = {}
    for raw in raws:
        place = raw["thread"], raw["file"], raw["at"]
        group = running.get(place)
        if raw["kind"] != "DBG-STMT":
            running.pop(place, None)
            groups.append([raw])
        elif group is None or any(raw["span"] == other["span"] for other in group):
            running[place] = [raw]
            groups.append(running[place])
        else:
            group.append(raw)
    return groups


def _record(group: list[_Raw]) -> ProbeRecord:
    first = group[0]
    line, _, column = first["at"].partition(":")
    exception = first.get("exception")
    return ProbeRecord(
        kind=first["kind"],
        file=Path(first["file"]),
        line=int(line),
        column=int(column),
        code="" if first["kind"] == "DBG-STMT" else first["code"],
        function=first["function"],
        pid=first["pid"],
        n=first["n"],
        hit=first["hit"],
        locals={name: _value(value) for name, value in first.get("locals", {}).items()},
        values=tuple(
            Seen(raw["code"], Span(*raw["span"]), _value(raw["value"]))
            for raw in group
            if "value" in raw
        ),
        exception=None if exception is None else (exception["type"], exception["message"]),
    )


def _value(raw: _Raw) -> Value:
    return Value(raw["type"], raw.get("text"), raw.get("size"))


def _lines(path: Path) -> Iterator[_Raw]:
    if not path.exists():
        return
    with path.open("rb") as lines:
        for line in lines:
            try:
                raw = json.loads(line)
            except ValueError:
                continue
            if isinstance(raw, dict) and all(isinstance(raw.get(k), t) for k, t in _FIELDS.items()):
                yield raw
