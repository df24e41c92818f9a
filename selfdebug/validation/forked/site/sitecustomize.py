"""Found first by a Python process that a test starts: it lets that tell what it does.

The module of this name that the process would have found runs as if this one were not there. It is
read by interpreters of any age.
"""

# ruff: noqa: PTH100, PTH119, PTH120, SIM105, UP036

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
_package = os.path.dirname(_here)


def _begin():  # type: ignore[no-untyped-def]
    """Compile what this imports only once."""
    folder, keeps = os.path.dirname(_package), sys.dont_write_bytecode
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = False
    try:
        child = __import__(os.path.basename(_package) + ".child").child
    finally:
        sys.path.remove(folder)
        sys.dont_write_bytecode = keeps
    child.begin(os.environ["SELFDEBUG_CHILD"])


if sys.version_info >= (3, 7):
    sys.path[:] = [each for each in sys.path if os.path.abspath(each or ".") != _here]
    if "SELFDEBUG_CHILD" in os.environ:
        try:
            _begin()  # type: ignore[no-untyped-call]
        except Exception:  # noqa: BLE001 - a program must not notice
            pass
    from _frozen_importlib import module_from_spec
    from _frozen_importlib_external import PathFinder

    _spec = PathFinder.find_spec("sitecustomize")
    if _spec is not None and _spec.loader is not None:
        _module = module_from_spec(_spec)
        sys.modules["sitecustomize"] = _module
        _spec.loader.exec_module(_module)
