"""``python -m selfdebug``."""

from selfdebug.cli import main

main(prog_name="selfdebug")
