"""Line numbers of a patch of several candidates, as the files had them before the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from selfdebug.model import Candidate, OriginStep, Site, Span
from selfdebug.syntax.source import apply


@dataclass(frozen=True)
class _Grown:
    """An edit that made its file longer by ``lines``, from the line ``at`` on."""

    file: Path
    at: int
    lines: int


def as_first_seen(
    patch: Sequence[Candidate], originals: Mapping[Path, bytes]
) -> tuple[Candidate, ...]:
    """Return the candidates with places in the files as they were before any of them.

    Each was worked out on what the ones before it had made of the file.
    """
    contents = dict(originals)
    grown: list[_Grown] = []
    told = []
    for candidate in patch:
        told.append(replace(candidate, site=_site(candidate.site, grown)))
        for edit in sorted(candidate.edits, key=lambda edit: edit.start, reverse=True):
            data = contents[edit.file]
            at = data.count(b"\n", 0, edit.start) + 1
            lines = edit.after.count(b"\n") - edit.before.count(b"\n")
            grown.append(_Grown(edit.file, at, lines))
            contents[edit.file] = apply(data, (edit,))
    return tuple(told)


def _site(site: Site, grown: Sequence[_Grown]) -> Site:
    return replace(
        site,
        span=_span(site.file, site.span, grown),
        bad=site.bad and _span(site.file, site.bad, grown),
        origin=tuple(_step(step, grown) for step in site.origin),
    )


def _span(file: Path, span: Span, grown: Sequence[_Grown]) -> Span:
    line = _line(file, span.line, grown)
    return replace(span, line=line, end_line=span.end_line - span.line + line)


def _step(step: OriginStep, grown: Sequence[_Grown]) -> OriginStep:
    return replace(step, line=_line(step.file, step.line, grown))


def _line(file: Path, line: int, grown: Sequence[_Grown]) -> int:
    for each in reversed(grown):
        if each.file == file and line >= each.at + each.lines:
            line -= each.lines
    return line
