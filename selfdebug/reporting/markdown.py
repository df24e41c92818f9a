"""The report as the body of a pull request: failure, cause, diff, and how it was verified."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfdebug.model import Alternative, Candidate, Healing, OriginStep, Patch, Site, Traceback
from selfdebug.reporting.terminal import branches, in_own_words, small_edits
from selfdebug.reporting.text import clean, relative

_MOST = 3  # alternatives that are told
_KINDS = {
    "root-cause": "repairs the cause",
    "guard": "guards the failing place; the cause may lie earlier",
    "default": "replaces the bad value by a neutral one; the cause may lie earlier",
}


def markdown(healing: Healing) -> str:
    """Return the report; text that comes from the project or its tests stands in code spans only."""
    return "\n".join(_parts(healing)) + "\n"


def _parts(healing: Healing) -> Iterator[str]:
    yield f"## selfdebug: {healing.final_status}\n"
    yield f"{_plain(healing.message)}\n"
    if healing.tracebacks:
        yield "### Failure\n"
        yield from (_failure(traceback) for traceback in healing.tracebacks)
        yield ""
    if healing.patches:
        yield "### Cause\n"
        yield from (_cause(patch, healing) for patch in healing.patches)
        yield ""
    else:
        yield from _searched(healing)
    if healing.alternatives:
        yield "### Other patches under which the tests pass\n"
        yield from (_alternative(other, healing) for other in healing.alternatives[:_MOST])
        if more := len(healing.alternatives[_MOST:]):
            yield f"- and {more} more, in the JSON report"
        yield ""
    if healing.siblings:
        yield "### The same pattern elsewhere\n"
        yield from (_elsewhere(other, healing) for other in healing.siblings)
        yield ""
    if healing.diff:
        diff = clean(healing.diff.decode("utf-8", "replace"))
        fence = _fence(diff)
        yield f"### Diff\n\n{fence}diff\n{diff}{fence}\n"
    if healing.after:
        yield "### Verification\n"
        yield from _verification(healing)


def _searched(healing: Healing) -> Iterator[str]:
    """Say of a run without a patch where it looked, and how far it came."""
    if healing.suspects:
        yield "### Suspicious statements\n"
        yield from (_suspect(site, healing) for site in healing.suspects)
        yield ""
    if tried := [*branches(healing), *small_edits(healing)]:
        yield "### Search\n"
        yield from (f"- {line}" for line in tried)
        yield ""


def _suspect(site: Site, healing: Healing) -> str:
    place = f"{relative(site.file, healing.root)}:{site.span.line}"
    told = f"{site.suspicion:.2f}, {_prose(site.why)}" if site.why else f"{site.suspicion:.2f}"
    return f"- {_code(site.code.partition(chr(10))[0])} at {_code(place)} ({told})"


def _failure(traceback: Traceback) -> str:
    message = f"{traceback.exc_type}: {traceback.msg}".partition("\n")[0]
    place = f"{traceback.file}:{traceback.line}"
    return f"- {_code(traceback.test)} at {_code(place)}: {_code(message)}"


def _elsewhere(other: Candidate, healing: Healing) -> str:
    place = f"{relative(other.site.file, healing.root)}:{other.site.span.line}"
    return f"- {_code(other.site.code)} at {_code(place)}"


def _alternative(other: Alternative, healing: Healing) -> str:
    """Say what another patch would do, and first of all the call to which it answers differently."""
    made, differs = other.candidate, other.differs
    place = f"{relative(made.site.file, healing.root)}:{made.site.span.line}"
    words = _prose(in_own_words(other, healing))
    line = f"- {made.codemod}/{made.variant} at {_code(place)}: {words}"
    if differs is None:
        return f"{line}. {'No difference was found' if other.compared else 'It was not compared'}."
    return (
        f"{line}. {_code(differs.call)} {_code(differs.there)} with it,"
        f" {_code(differs.here)} with the patch above."
    )


def _cause(patch: Patch, healing: Healing) -> str:
    made = patch.candidate
    site = made.site
    place = f"{relative(site.file, healing.root)}:{site.span.line}"
    lines = [f"- {_code(site.bad_code or site.code)} at {_code(place)}. {_prose(made.why)}"]
    if site.origin:
        way = ", then ".join(_step(step, healing) for step in site.origin)
        lines.append(f"  - Where the value came from: {way}")
    lines.append(f"  - Kind: **{made.kind}** ({_KINDS[made.kind]}), {made.codemod}/{made.variant}")
    lines.append(f"  - Confidence: **{patch.confidence}**")
    lines += [f"    - {_prose(doubt)}" for doubt in patch.doubts]
    return "\n".join(lines)


def _step(step: OriginStep, healing: Healing) -> str:
    return f"{_prose(step.what)} at {_code(f'{relative(step.file, healing.root)}:{step.line}')}"


def _verification(healing: Healing) -> Iterator[str]:
    passed = sum(outcome == "passed" for outcome in healing.after.values())
    where = f", in a sandbox ({healing.sandbox})" if healing.sandbox else ""
    yield f"- A fresh `python -m pytest` over the suite{where}: {passed} passed."
    for test, now in sorted(healing.after.items()):
        was = healing.before.get(test)
        if was not in (now, None):
            yield f"- {_code(test)}: {was} before, {now} after."
    yield from (f"- {line}" for line in (*branches(healing), *small_edits(healing)))
    if command := healing.recovery.command:
        yield f"- Undo: {_code(command)}"


def _code(text: str) -> str:
    """Return a code span that holds any text: its fence is longer than any run of backticks in it."""
    flat = clean(text).replace("\n", " ") or " "
    fence = "`" * (max(map(len, re.findall(r"`+", flat)), default=0) + 1)
    space = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{space}{flat}{space}{fence}"


def _prose(text: str) -> str:
    """Return a sentence whose quoted code stays in code spans, as it is, and nothing else is markup."""
    words = clean(text).replace("\n", " ").split("`")
    if len(words) % 2 == 0:  # a backtick without its partner
        return _plain(text).replace("`", "\\`").replace("\n", " ")
    return "".join(_code(word) if number % 2 else _plain(word) for number, word in enumerate(words))


def _fence(text: str) -> str:
    return "`" * max(3, max(map(len, re.findall(r"`+", text)), default=0) + 1)


def _plain(text: str) -> str:
    """Escape what Markdown or HTML would take for markup."""
    return re.sub(r"([\\*_<>\[\]#|&])", r"\\\1", clean(text))
