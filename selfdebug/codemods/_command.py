"""The sites that a codemod's own command line asks for, in the file that libcst's tool is at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst
from libcst.codemod import SkipFile

from selfdebug.model import Site

if TYPE_CHECKING:
    from selfdebug.codemods._base import Codemod


def sites_in(codemod: Codemod, module: cst.Module) -> tuple[Site, ...]:
    """Return the file's sites, last first: from ``--at``, else ``--trace``, else proof.

    Raises SkipFile where the file has none, ValueError where an option is not of its form.
    """
    raise NotImplementedError
