"""Failures that share no likely cause may have one all the same."""

from __future__ import annotations

from typing import Any, cast

from selfdebug.model import Failure
from selfdebug.planning.search import State
from selfdebug.steps.wrong_result import Group, _of_others

LEFT = Failure("test_shop.py::test_total", "call", None)
FOR_ALL, FOR_ITSELF, BREAKING = State(()), State((LEFT,)), State((LEFT, LEFT))


class Told:
    """Trials in which each of the states is known to leave something, nothing, or to break a test."""

    def left(self, state: State) -> tuple[Failure, ...] | None:
        return None if state is BREAKING else state.failures


def group(*found: State) -> Group:
    return Group((), (), cast("Any", Told()), cast("Any", None), list(found))


def test_a_patch_of_another_group_may_heal_a_group_too() -> None:
    alone = group()
    assert [*_of_others(alone, [group(FOR_ITSELF, BREAKING, FOR_ALL), alone])] == [FOR_ALL]
    assert [*_of_others(alone, [group(FOR_ITSELF, BREAKING), alone])] == []


def test_the_likeliest_patches_of_others_are_enough() -> None:
    many = group(FOR_ITSELF, FOR_ITSELF, FOR_ITSELF, FOR_ALL)
    assert [*_of_others(group(), [many])] == []
