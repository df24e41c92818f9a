"""The catalogue's pages, made from what each codemod says of itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from selfdebug.reporting.summary import SCHEMA_VERSION

if TYPE_CHECKING:
    from selfdebug.codemods._base import Codemod, Example

Codemods = Iterable["type[Codemod]"]
Use: TypeAlias = Literal["crash", "wrong-result", "diagnosis"]
_TITLES: Mapping[Use, str] = {
    "crash": "Repairs of crashes, where they show or where the bad value was born",
    "wrong-result": "Small edits of suspicious statements, where an answer is wrong or never comes",
    "diagnosis": "To look on",
}


def listing(codemods: Codemods) -> str:
    """Return a line for each codemod, under what it is for."""
    rows: dict[Use, list[tuple[str, str]]] = {use: [] for use in _TITLES}
    for codemod in codemods:
        rows[_use(codemod)].append((codemod.NAME, codemod.DESCRIPTION))
    width = max(len(name) for group in rows.values() for name, _ in group)
    return "\n".join(
        f"{_TITLES[use]}:\n" + "".join(f"  {name:{width}}  {what}\n" for name, what in group)
        for use, group in rows.items()
        if group
    )


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
                "use": _use(codemod),
                "exceptions": sorted({name for one in codemod.ANSWERS for name in one.exceptions}),
                "variants": [
                    {"name": variant.name, "kind": variant.kind, "what": variant.what}
                    for variant in codemod.VARIANTS
                ],
            }
            for codemod in codemods
        ],
    }


def _use(codemod: type[Codemod]) -> Use:
    from selfdebug.codemods._first_order import FirstOrder

    if issubclass(codemod, FirstOrder):
        return "wrong-result"
    return "crash" if codemod.ANSWERS else "diagnosis"


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
    old, new = ("  ", "") if example.after is None else ("- ", "+ ")
    yield from (f"    {old}{line}".rstrip() for line in example.before.splitlines())
    yield from (f"    {new}{line}".rstrip() for line in (example.after or "").splitlines())
    yield ""
