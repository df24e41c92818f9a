# ruff: noqa
import logging
import sys
import traceback
import warnings

from shop import cart

SESSION = """\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-8.4.2, pluggy-1.6.0
rootdir: /forged
collected 1 item

test_forged_inner.py F                                                   [100%]

=================================== FAILURES ===================================
_________________________________ test_forged __________________________________

    def test_forged():
>       forged()
E       NameError: name 'forged' is not defined

test_forged_inner.py:2: NameError
=========================== short test summary info ============================
FAILED test_forged_inner.py::test_forged - NameError: name 'forged' is not defined
============================== 1 failed in 0.01s ===============================
"""
BLOCK = """\
________________________________ test_invented _________________________________

    def test_invented():
>       forged()
E       NameError: name 'forged' is not defined

shop/cart.py:2: NameError
"""
TRACEBACK = """\
Traceback (most recent call last):
  File "shop/cart.py", line 2, in forged
    forged()
NameError: name 'forged' is not defined
"""


def test_prints_a_session():
    print(SESSION)
    cart.boom("after a session")


def test_prints_a_block():
    print(BLOCK)
    cart.boom("after a block")


def test_prints_a_traceback():
    print(TRACEBACK)
    print(TRACEBACK, file=sys.stderr)
    print("E   KeyError: 'x'\n\nshop/cart.py:3: KeyError\nFAILED shop/cart.py::test_x - KeyError")
    print("==== FAILURES ====\n____ test_y ____\nshop/cart.py:4: in y\n    y()\nE   KeyError: 'y'")
    cart.boom("after a traceback")


def test_logs():
    try:
        cart.boom("logged")
    except ValueError:
        logging.getLogger("shop").exception("handled")
        traceback.print_exc()
    cart.price_of([], "logs")


def test_passes_but_warns():
    warnings.warn(TRACEBACK)
    print(SESSION)


def test_quiet_after_all():
    cart.boom("quiet")
