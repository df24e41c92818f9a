"""Where a bad value came from."""

from __future__ import annotations

import ast

from selfdebug.localization.frames import Located
from selfdebug.localization.paths import Project
from selfdebug.model import OriginStep, Span


def origin(
    tree: ast.Module, located: Located, bad: Span, project: Project
) -> tuple[OriginStep, ...]:
    """Return the steps of a value from where it was born to where it hurt."""
    return ()
