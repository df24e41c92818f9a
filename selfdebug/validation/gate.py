"""Wait before anything of the project is imported, until told to go on: a pytest plugin.

So that the proof of a patch need not wait for the interpreter, pytest and its plugins to start. One
file, standard library only, from Python 3.7 on. ``SELFDEBUG_GATE`` is the number of a pipe, which
brings one JSON object: the files that have ``changed`` since the start, the ``environment`` to add, and
a ``plugin`` to load, or null. It ends without a word where one of the files was imported already.
"""

# A test may patch pathlib, and pytest documents its hooks.
# ruff: noqa: D103

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Generator
from types import ModuleType
from typing import Any

import pytest

_gate = os.environ.pop("SELFDEBUG_GATE", None)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> Generator[None, Any, None]:
    if _gate is not None:
        _await(early_config, int(_gate))
    yield


def _await(early_config: Any, gate: int) -> None:
    gc.freeze()  # what pytest consists of stays: no search for the project's garbage goes through it
    with open(gate, "rb") as stream:
        said = stream.read()
    if not said:  # whoever started this is gone, or needs it no more
        os._exit(0)
    order = json.loads(said.decode())
    if _imported().intersection(order["changed"]):
        os._exit(0)
    os.environ.update(order["environment"])
    if order["plugin"] is not None:
        early_config.pluginmanager.import_plugin(order["plugin"])


def _imported() -> set[str]:
    """The real paths of the files that modules were made of."""
    modules = [each for each in list(sys.modules.values()) if isinstance(each, ModuleType)]
    files = [vars(module).get("__file__") for module in modules]
    return {os.path.realpath(file) for file in files if isinstance(file, str)}
