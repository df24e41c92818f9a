"""The catalogue's pages, made from what each codemod says of itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from selfdebug.reporting.summary import SCHEMA_VERSION

if TYPE_CHECKING:
    from selfdebug.codemods._base import Codemod, Example

Codemods = Iterable["type[Codemod]"]


def listing(codemods: Codemods) -> str:
    """Return a line for each codemod."""
    rows = [(codemod.NAME, codemod.DESCRIPTION) for codemod in codemods]
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name:{width}}  {what}\n" for name, what in rows)


def page(codemod: type[Codemod]) -> str:
    """Return all there is to know of a codemod: failures, variants, repairs and refusals."""
    return "\n".join(_page(codemod)) + "\n"


def as_json(codemods: Codemods) -> dict[str, Any]:
    """Return the catalogue as ``codemods --json`` prints it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "codemods": [
            {
                "name": codemod.NAME,
                "description": codemod.DESCRIPTION,
                "exceptions": sorted({name for one in codemod.ANSWERS for name in one.exceptions}),
                "variants": [
                    {"name": variant.name, "kind": variant.kind, "what": variant.what}
                    for variant in codemod.VARIANTS
                ],
            }
            for codemod in codemods
        ],
    }


def _page(codemod: type[Codemod]) -> Iterator[str]:
    yield f"{codemod.NAME}: {codemod.DESCRIPTION}\n"
    if codemod.ANSWERS:
        yield "Failures that it answers:"
        for answer in codemod.ANSWERS:
            about = f" with {answer.message!r} in the message" if answer.message else ""
            yield f"  {', '.join(answer.exceptions)}{about}"
        yield ""
    yield "Variants, most preferred first:"
    yield from (f"  {one.name} ({one.kind}): {one.what}" for one in codemod.VARIANTS)
    yield "\nRepairs («» marks the bad value):\n"
    for example in codemod.EXAMPLES:
        if example.after is not None:
            yield from _example(example)
    yield "Refusals: code that looks alike and stays:\n"
    for example in codemod.EXAMPLES:
        if example.after is None:
            yield from _example(example)


def _example(example: Example) -> Iterator[str]:
    note = example.note or example.variant
    yield f"  {note}: {example.failure}" if note else f"  {example.failure}"
    yield from (f"    - {line}" for line in example.before.splitlines())
    yield from (f"    + {line}" for line in (example.after or "").splitlines())
    yield ""
