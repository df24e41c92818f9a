"""Compares, where a test evaluates expressions, what others in their place would come to.

The code calls the watch before each evaluation; ``pure`` finds both values. What it does not know of
counts as another value. From Python 3.8 on.
"""

# ruff: noqa: UP036

from __future__ import annotations

import ast
import builtins
import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from .pure import Budget, Evaluator, Unknown, same

_STEPS = 300_000  # of evaluation, about half a second; what is evaluated later is unknown
_NAME = "__selfdebug__"


class Watch:
    """What stands in ``builtins`` for a run: it says yes each time, and remembers what it saw.

    ``watched`` are expressions by their numbers, each with others and whether only their truth counts.
    """

    def __init__(self, watched: Iterable[Any]) -> None:
        self._texts = [*watched]
        self._parsed: dict[int, Any] = {}
        self._left = [{*range(len(others))} for _, others in self._texts]
        self._budget = Budget(_STEPS)
        self._is_over = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self.end)  # what a fork evaluates is not seen here
        setattr(builtins, _NAME, self)

    def end(self) -> None:
        """Take nothing for the same."""
        self._is_over = True

    def __call__(self, number: int) -> bool:
        """Compare what the expression of this number is about to come to with the others."""
        left = self._left[number]
        if left and not self._is_over:
            self._compare(number, left, sys._getframe(1))
        return True

    def same(self) -> list[tuple[int, int]]:
        """Give the numbers of expressions, and of others that came to the same each time."""
        if self._is_over:
            return []
        return [(number, each) for number, left in enumerate(self._left) for each in sorted(left)]

    def _compare(self, number: int, left: Any, frame: Any) -> None:
        try:
            with _decimals():
                left.intersection_update(self._alike(number, frame))
        except Exception:  # noqa: BLE001 - what is watched must not notice
            left.clear()

    def _alike(self, number: int, frame: Any) -> list[int]:
        if number not in self._parsed:
            text, others = self._texts[number]
            self._parsed[number] = _parsed(text), [(_parsed(each), truth) for each, truth in others]
        before, others = self._parsed[number]
        evaluator = Evaluator(frame, self._budget)
        old = evaluator.value(before)
        return [
            each for each in sorted(self._left[number]) if _is_same(evaluator, old, *others[each])
        ]


def _is_same(evaluator: Evaluator, old: Any, node: ast.expr, truth: bool) -> bool:
    try:
        new = evaluator.value(node)
        if truth:
            return evaluator.truth(old) is evaluator.truth(new)
        return same(old, new, evaluator.fresh)
    except Exception:  # noqa: BLE001 - one of many
        return False


def _parsed(text: str) -> ast.expr:
    if sys.version_info < (3, 8):
        raise Unknown
    return ast.parse(f"({text}\n)", mode="eval").body


@contextlib.contextmanager
def _decimals() -> Iterator[None]:
    """Keep the flags that calculations with decimals raise."""
    decimal = sys.modules.get("decimal")
    if decimal is None:
        yield
        return
    with decimal.localcontext():
        yield
