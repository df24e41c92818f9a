"""The table of contracts is about functions that exist, and its defaults stand where they say."""

from __future__ import annotations

import builtins
import inspect
from importlib import import_module

import pytest

from selfdebug.syntax.optional_calls import OPTIONAL_CALLS, RESULTS

# Functions that newer versions of Python removed; a project may still call them.
REMOVED = {"pkgutil.find_loader", "pkgutil.get_loader"}


def named(name: str) -> object:
    """What a dotted name means."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            found: object = import_module(".".join(parts[:length]))
        except ImportError:
            continue
        break
    else:
        found, length = builtins, 0
    for part in parts[length:]:
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", sorted({*OPTIONAL_CALLS, *RESULTS} - REMOVED))
def test_what_is_called_exists(name: str) -> None:
    assert callable(named(name))


@pytest.mark.parametrize("name", sorted(set(RESULTS.values())))
def test_what_is_returned_is_a_class(name: str) -> None:
    assert inspect.isclass(named(name))


# CPython gives mappingproxy.get no text signature.
DEFAULTS = [name for name, each in OPTIONAL_CALLS.items() if each.default and "Proxy" not in name]


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_default_stands_where_the_signature_has_it(name: str) -> None:
    contract = OPTIONAL_CALLS[name]
    parameters = list(inspect.signature(named(name)).parameters)  # type: ignore[arg-type]
    place = parameters.index(contract.default or "")
    bound = parameters[0] == "self"
    assert place - bound == contract.position
