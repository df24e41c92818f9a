"""Time and memory to read a log of 50 MB: what a suite prints when it fails, over and over."""

from __future__ import annotations

import time
import tracemalloc
from typing import BinaryIO, cast

from selfdebug.ingestion.logs import read_log

SIZE = 50_000_000
HEAD = """\
============================= test session starts ==============================
rootdir: /home/ci/shop
collected 9000 items

tests/test_shop.py FFFFFFFF                                              [100%]

=================================== FAILURES ===================================
"""
BLOCK = """\
__________________________________ test_total __________________________________

    def test_total():
>       assert total(["a", "b"]) == 4
               ^^^^^^^^^^^^^^^^^

tests/test_shop.py:26: \n\
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ \n\
shop/cart.py:32: in total
    return sum(price_of(name) for name in names)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ \n\
shop/cart.py:25: in price_of
    return find(name).price + 1
           ^^^^^^^^^^^^^^^^
E   AttributeError: 'NoneType' object has no attribute 'price'
"""
OUTPUT = "----------------------------- Captured stdout call -----------------------------\n"
LOGS = {
    "blocks": (HEAD, BLOCK),
    "captured output": (
        HEAD + BLOCK + OUTPUT,
        "2023-07-25 09:18:36 DEBUG shop.cart: looked up a\n",
    ),
    "no pytest at all": ("", "2023-07-25 09:18:36 DEBUG shop.cart: looked up a price\n"),
    "one line": (HEAD, "x" * 1_000),
}


class Repeated:
    """A beginning, then the same text over and over, without holding it."""

    def __init__(self, begin: str, block: str, size: int) -> None:
        self.begin, self.block, self.left = begin.encode(), block.encode(), size

    def read(self, size: int) -> bytes:
        size = min(size, self.left)
        self.left -= size
        begin, self.begin = self.begin, b""
        return (begin + self.block * (size // len(self.block) + 1))[:size]


def main() -> None:
    print(f"{'log of 50 MB':<20}{'seconds':>10}{'peak MB':>10}{'failures':>10}")
    for name, (begin, block) in LOGS.items():
        start = time.perf_counter()
        log = read_log(cast("BinaryIO", Repeated(begin, block, SIZE)))
        seconds = time.perf_counter() - start
        print(f"{name:<20}{seconds:>10.1f}{peak(begin, block):>10.1f}{len(log.failures):>10}")


def peak(begin: str, block: str) -> float:
    """Megabytes, measured apart because it slows reading, on a fifth of the log: it is bounded."""
    tracemalloc.start()
    read_log(cast("BinaryIO", Repeated(begin, block, SIZE // 5)))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


if __name__ == "__main__":
    main()
