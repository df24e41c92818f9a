"""``python -m selfdebug``."""

import os
import sys

# ``-m`` puts the project first on the path: a click.py of its own would be taken for the module that
# we need, and run inside selfdebug. Only modules that every start has loaded are used until then.
if sys.path and os.path.abspath(sys.path[0]) == os.getcwd():  # noqa: PTH100, PTH109
    del sys.path[0]

from selfdebug.cli import main

main(prog_name="selfdebug")
