# ruff: noqa
import asyncio
import sys

import pytest

from shop import cart
from shop.cart import Item

if sys.version_info < (3, 11):
    from exceptiongroup import ExceptionGroup


def caught(function, *args):
    try:
        function(*args)
    except Exception as error:
        return error


def test_group():
    errors = [
        caught(cart.grandparent, Item("a")),
        caught(cart.boom, "two\nlines"),
        KeyError("bare"),
    ]
    raise ExceptionGroup("several", errors)


def test_single():
    raise ExceptionGroup("one", [caught(cart.boom, "only")])


def test_nested():
    inner = ExceptionGroup("inner", [caught(cart.during, [], "x"), caught(cart.boom, "y")])
    raise ExceptionGroup("outer", [inner, caught(cart.load, "{")])


def test_group_from():
    try:
        cart.boom("cause")
    except ValueError as error:
        raise ExceptionGroup("wrapped", [caught(cart.grandparent, None)]) from error


def test_after_group():
    try:
        raise ExceptionGroup("first", [caught(cart.boom, "inside")])
    except ExceptionGroup:
        cart.price_of([], "last")
