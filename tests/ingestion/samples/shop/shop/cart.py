# ruff: noqa
"""A small library whose bugs the tests of this sample run into."""

import json


class Item:
    def __init__(self, name, price=None, parent=None):
        self.name = name
        self.price = price
        self.parent = parent


class CartError(Exception):
    """Raised from other errors."""


def find(items, name):
    for item in items:
        if item.name == name:
            return item


def price_of(items, name):
    return find(items, name).price + 1


def total(items, names):
    def each(name):
        return price_of(items, name)

    return sum(
        each(name)
        for name in names
    )  # fmt: skip


def grandparent(item):
    return item.parent.parent.name.upper()


def wrapped(items, name):
    try:
        return price_of(items, name)
    except AttributeError as error:
        raise CartError(f"no price for {name}") from error


def during(items, name):
    try:
        return wrapped(items, name)
    except CartError:
        return {}[name]


def load(text):
    return json.loads(text)


def endless(n):
    return endless(n)


def growing(n):
    return growing(n + 1) + 1


def ping(n):
    return pong(n + 1)


def pong(n):
    return ping(n + 1)


def boom(message=""):
    raise ValueError(message)


def checked(value):
    __tracebackhide__ = True
    if value is None:
        raise TypeError("hidden")


def wide(größe):
    return "日本語" + größe.name + größe.parent.name


many = lambda items: [item.name.upper() for item in items]


async def fetch(item):
    return item.parent.name


def codes():
    return eval("None.x")


def spread(a):
    return boom(
        "spread"
        if a
        else ""
    )  # fmt: skip
