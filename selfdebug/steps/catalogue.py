"""The codemods of a run, of which those are imported that may answer a failure."""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from pathlib import Path

from selfdebug import codemods
from selfdebug.codemods._listing import Template, listing
from selfdebug.planning.propose import chosen
from selfdebug.settings import Settings
from selfdebug.workspace import atomic


def catalogue(settings: Settings, folder: Path | None) -> tuple[Template, ...]:
    """Return the catalogue less what the user left out. Raises UnknownCodemod, ValueError.

    ``folder`` is one of this user alone, where is kept what the codemods answer; None keeps nothing.
    """
    every = _every(folder) if folder else listing()[0]
    return chosen(settings.select, settings.ignore, every)


def _every(folder: Path) -> tuple[Template, ...]:
    installed = zlib.crc32(os.fsencode(codemods.__file__))
    file, known = folder / f"codemods-{installed:08x}.json", b""
    with suppress(OSError):
        known = file.read_bytes()
    every, told = listing(known)
    if told != known:
        with suppress(OSError):  # the next run imports them all, then, too
            atomic.renew(file, told)
    return every
