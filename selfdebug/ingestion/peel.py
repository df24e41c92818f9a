"""What a terminal or a CI system wrapped around each line of a log, taken off again.

Escape sequences go first (ECMA-48), then column after column of whatever most lines of a stretch
begin with: tabs of ``gh run view --log``, timestamps, service names of ``docker compose logs``.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence

LINE_LIMIT = 16_384
_STRETCH = 4_096
_STRETCH_SIZE = 500_000
_LAYERS = 6
_SAMPLE = 512
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]_P^X][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-Z\\^`-~])"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d+)?"
_PREFIXES = [
    re.compile(r"(?P<key>[^\t]{1,120}\t[^\t]{1,120})\t"),  # job, step: gh run view --log
    re.compile(r"(?P<key>[\w.-]{1,80}) +\| ?"),  # service: docker compose logs
    re.compile(r"(?P<key>\[pod/[^\]]{1,120}\]) "),  # kubectl logs --prefix
    re.compile(
        rf"\ufeff?\[?\d{{4}}-\d\d-\d\d[T ]{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?\]?(?: \d\d[OE][ +]| |$)"
    ),
    re.compile(rf"\[?{_CLOCK}\]?(?: |$)"),  # Jenkins' timestamper
    re.compile(r"#\d+ (?:\d+\.\d+ |$)"),  # docker build
    re.compile(r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [^\s:]+: "),  # syslog
    re.compile(r"> ?"),  # quoted in a mail
]
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def lines(chunks: Iterable[bytes]) -> Iterator[str]:
    r"""Lines of text without their ends, split at ``\n`` only, each cut to LINE_LIMIT characters.

    UTF-8, or UTF-16 with a byte order mark (what PowerShell's ``>`` writes); bytes that are neither
    become U+FFFD. Escape sequences and control characters except tabs are gone. An unfinished last
    line ends in nothing that tells it from a finished one.
    """
    decoder: codecs.IncrementalDecoder | None = None
    rest = ""
    for chunk in chunks:
        decoder = decoder or _decoder(chunk)
        *whole, rest = (rest + decoder.decode(chunk)).split("\n")
        yield from map(_plain, whole)
        rest = rest[: 4 * LINE_LIMIT]
    if rest:
        yield _plain(rest)


def _decoder(start: bytes) -> codecs.IncrementalDecoder:
    encoding = next((name for bom, name in _BOMS.items() if start.startswith(bom)), "utf-8")
    return codecs.getincrementaldecoder(encoding)(errors="replace")


def _plain(line: str) -> str:
    line = line[: 4 * LINE_LIMIT]
    if "\x1b" in line or "\x9b" in line:
        line = _ESCAPES.sub("", line)
    return (line if line.isprintable() else _CONTROLS.sub("", line))[:LINE_LIMIT]


def unwrapped(source: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Each line without its prefixes, after the name of the service or job that wrote it ("")."""
    margin = None
    for stretch in _stretches(source):
        keys, texts = _peeled(stretch)
        margin = " " * _margin(texts) if margin is None else margin
        yield from zip(keys, (text.removeprefix(margin) for text in texts), strict=True)


def _stretches(source: Iterator[str]) -> Iterator[list[str]]:
    stretch: list[str] = []
    size = 0
    for line in source:
        stretch.append(line)
        size += len(line)
        if len(stretch) == _STRETCH or size > _STRETCH_SIZE:
            yield stretch
            stretch, size = [], 0
    if stretch:
        yield stretch


def _peeled(stretch: Sequence[str]) -> tuple[list[str], list[str]]:
    keys, texts = [""] * len(stretch), list(stretch)
    for _ in range(_LAYERS):
        if not (prefix := _majority(texts)):
            break
        for i, text in enumerate(texts):
            if match := prefix.match(text):
                keys[i] += match["key"] if prefix.groups else ""
                texts[i] = text[match.end() :]
    return keys, texts


def _majority(texts: Sequence[str]) -> re.Pattern[str] | None:
    """The prefix that most of the lines bear which are not empty, if there is one."""
    filled = [text for text in texts[:: max(1, len(texts) // _SAMPLE)] if text.strip()]
    for prefix in _PREFIXES:
        if filled and sum(prefix.match(text) is not None for text in filled) > 0.6 * len(filled):
            return prefix
    return None


def _margin(texts: Sequence[str]) -> int:
    """The indentation of a log that was pasted into something, where every line has it."""
    return min((len(text) - len(text.lstrip(" ")) for text in texts if text.strip()), default=0)
