"""Heal a red pytest suite with a minimal, verified diff, or leave the tree as it was and say why.

Importing this package is cheap: libcst, rich and pytest are imported where they are used.
"""

__version__ = "0.1.0"
