# ruff: noqa
"""Examples that do not hold.

>>> 1 + 1
3
"""

from shop.cart import grandparent


def off():
    """Off by one.

    >>> x = 1
    >>> x
    2
    """


def raising():
    """Raises inside the library.

    >>> grandparent(None)
    'X'
    """
