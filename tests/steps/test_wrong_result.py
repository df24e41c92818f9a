"""Failures that share no likely cause may have one all the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from selfdebug.model import Candidate, Edit, Failure, Site, Span
from selfdebug.planning.search import State, beside, with_candidate
from selfdebug.steps.wrong_result import Group, _of_others, of_whole_groups

LEFT = Failure("test_shop.py::test_total", "call", None)
FOR_ALL, FOR_ITSELF, BREAKING = State(()), State((LEFT,)), State((LEFT, LEFT))


class Told:
    """Trials in which each of the states is known to leave something, nothing, or to break a test."""

    def left(self, state: State) -> tuple[Failure, ...] | None:
        return None if state is BREAKING else state.failures


def group(*found: State) -> Group:
    return Group((), (), cast("Any", Told()), cast("Any", None), State(()), list(found))


def test_a_patch_of_another_group_may_heal_a_group_too() -> None:
    alone = group()
    assert [*_of_others(alone, [group(FOR_ITSELF, BREAKING, FOR_ALL), alone])] == [FOR_ALL]
    assert [*_of_others(alone, [group(FOR_ITSELF, BREAKING), alone])] == []


def test_the_likeliest_patches_of_others_are_enough() -> None:
    many = group(FOR_ITSELF, FOR_ITSELF, FOR_ITSELF, FOR_ALL)
    assert [*_of_others(group(), [many])] == []


ONE, TWO, THREE = (Failure(f"test_shop.py::{name}", "call", None) for name in ("1", "2", "3"))


def healed(state: State, file: Path, *left: Failure) -> State:
    """The state after an edit of a file's first letter that leaves some failures."""
    edit = Edit(file, 0, 1, b"x", b"y")
    site = Site(file, Span(1, 0, 1, 1), "Name", "x", "NameError", "")
    made = with_candidate(state, Candidate((edit,), "toy", file.stem, "guard", "", site))
    return replace(made, failures=left, base=state)


def test_a_repair_of_a_crash_that_leaves_failures_of_the_same_code_is_left_out(
    tmp_path: Path,
) -> None:
    cart, shop = tmp_path / "cart.py", tmp_path / "shop.py"
    for file in (cart, shop):
        file.write_bytes(b"x = 1\n")
    begin = State((ONE, TWO, THREE))
    state = healed(healed(begin, cart, TWO, THREE), shop, THREE)
    groups = [(ONE, THREE), (TWO,)]
    whole = of_whole_groups(state, groups)
    assert whole.failures == (ONE, THREE)
    assert [each.variant for each in whole.patch] == ["shop"]
    assert whole.contents == {shop: b"y = 1\n"}


def test_so_is_one_that_only_led_to_it(tmp_path: Path) -> None:
    cart, shop, third = (tmp_path / f"{name}.py" for name in ("cart", "shop", "third"))
    for file in (cart, shop, third):
        file.write_bytes(b"x = 1\n")
    begin = State((ONE, TWO, THREE))
    moved = healed(begin, cart, ONE, TWO, THREE)
    state = healed(healed(moved, third, TWO, THREE), shop, THREE)
    whole = of_whole_groups(state, [(ONE, THREE), (TWO,)])
    assert [each.variant for each in whole.patch] == ["shop"]


def test_one_that_heals_all_failures_of_its_code_stays(tmp_path: Path) -> None:
    shop = tmp_path / "shop.py"
    shop.write_bytes(b"x = 1\n")
    state = healed(State((ONE, TWO)), shop, TWO)
    assert of_whole_groups(state, [(ONE,), (TWO,)]) is state


def test_what_heals_a_group_is_told_without_the_repairs_of_others(tmp_path: Path) -> None:
    cart, shop, third = (tmp_path / f"{name}.py" for name in ("cart", "shop", "third"))
    for file in (cart, shop, third):
        file.write_bytes(b"x = 1\n")
    crashes = healed(State((ONE, TWO, THREE)), cart, TWO, THREE)  # ONE has nothing to do with it
    crashes = healed(crashes, shop, TWO, THREE)  # a crash became a wrong result
    patch = healed(replace(crashes, failures=(TWO,)), third)
    suspects = SimpleNamespace(suspects=SimpleNamespace(open_tests=frozenset([TWO.test])))
    alone = Group((TWO,), (), cast("Any", suspects), cast("Any", None), crashes, [patch])
    assert [each.variant for each in alone.own(patch)] == ["shop", "third"]


def test_small_edits_that_heal_tests_of_their_own_are_not_counted_together(tmp_path: Path) -> None:
    cart, shop, third = (tmp_path / f"{name}.py" for name in ("cart", "shop", "third"))
    for file in (cart, shop, third):
        file.write_bytes(b"x = 1\n")
    first = healed(State((ONE, TWO)), cart, TWO)
    led = healed(first, shop, TWO)  # with the third it heals the second test
    patch = healed(led, third)
    names = [[each.variant for each in beside(patch, made)] for made in patch.patch]
    assert names == [[], ["third"], ["shop"]]


def test_those_of_one_function_are(tmp_path: Path) -> None:
    shop = tmp_path / "shop.py"
    shop.write_bytes(b"x = 1\n")
    first = healed(State((ONE, TWO)), shop, TWO)
    last = replace(first.patch[0], variant="again", edits=())
    patch = replace(with_candidate(first, last), failures=(), base=first)
    assert [each.variant for each in beside(patch, last)] == ["shop"]
