"""Which expressions an edit changes, and where they are evaluated."""

from __future__ import annotations

import pytest

from selfdebug.planning.changes import Unfollowed, changes

BEFORE = """\
def total(items, rate):
    'The sum.'
    found = 0
    for item in items[1:]:
        if item.price > rate and not item.free:
            found += item.price * 2
        elif item.free:
            return None
        else:
            found = max(found, 1)
    while found: found -= 1
    é = f"{found}"; return [found, -é]
"""


def edited(old: str, new: str) -> list[list[tuple[str, str, bool]]]:
    assert BEFORE.count(old) == 1
    told = changes(BEFORE, BEFORE.replace(old, new))
    assert all(BEFORE[each.start : each.end] in (each.before, "") for way in told for each in way)
    return [[(each.before, each.after, each.truth) for each in way] for way in told]


def test_an_edit_changes_all_expressions_around_it_the_innermost_first() -> None:
    assert edited("* 2", "* 3") == [
        [("2", "3", False), ("item.price * 2", "item.price * 3", False)],
    ]
    assert edited("items[1:]", "items[2:]") == [
        [("1", "2", False), ("items[1:]", "items[2:]", False)]
    ]
    assert edited("max(found, 1)", "min(found, 1)") == [
        [("max", "min", False), ("max(found, 1)", "min(found, 1)", False)]
    ]


def test_of_a_condition_only_its_truth_counts() -> None:
    assert edited("> rate", ">= rate") == [
        [
            ("item.price > rate", "item.price >= rate", True),
            (
                "item.price > rate and not item.free",
                "item.price >= rate and not item.free",
                True,
            ),
        ]
    ]
    assert edited("not item.free", "not item.name")[0][0] == ("item.free", "item.name", True)


def test_columns_are_those_of_characters() -> None:
    assert edited("-é", "+é") == [[("-é", "+é", False), ("[found, -é]", "[found, +é]", False)]]


def test_a_text_with_fields_is_one_expression() -> None:
    assert edited('f"{found}"', 'f"{item}"') == [[('f"{found}"', 'f"{item}"', False)]]


def test_each_part_of_an_edit_is_told() -> None:
    both = BEFORE.replace("* 2", "* 3").replace("= 0", "= 1")
    assert [way[0].after for way in changes(BEFORE, both)] == ["1", "3"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "        if item.price",
            "        if not rate:\n            return 3\n        if item.price",
            ("False", "not rate", "", "\n        "),
        ),
        (
            "            found += item.price * 2\n",
            "            if rate > 1:\n                found += item.price * 2\n",
            ("True", "rate > 1", "", "\n            "),
        ),
        (
            "            found = max(found, 1)\n",
            "            found = max(found, 1)\n            if rate:\n                break\n",
            ("False", "rate", "\n            ", ""),
        ),
        (
            "        elif item.free:\n            return None\n        else",
            "        else",
            ("item.free", "False", "", ""),
        ),
        (
            "        elif item.free",
            "        elif rate:\n            return 1\n        elif item.free",
            ("False", "not (item.price > rate and not item.free) and (rate)", "", ""),
        ),
    ],
)
def test_a_condition_that_comes_or_goes_would_have_to_be_the_same_each_time(
    old: str, new: str, told: tuple[str, str, str, str]
) -> None:
    [[each]] = changes(BEFORE, BEFORE.replace(old, new))
    assert (each.before, each.after, each.lead, each.trail) == told
    assert each.truth


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("items, rate", "items, rate=1"),
        ("found += item", "found -= item"),
        ("for item in", "for found in"),
        ("    while found: found -= 1\n", ""),
        ("    while found: found -= 1\n", "    while found: found -= 1\n    found += 1\n"),
        ("> rate", "> (n := rate)"),
        ("max(found, 1)", "yield found"),
        ("while found: found -= 1", "while found:\n        if rate: item = 1\n        found -= 1"),
        ("    'The sum.'", "    if rate: return\n    'The sum.'"),
    ],
)
def test_what_changes_more_than_values_is_not_followed(old: str, new: str) -> None:
    assert BEFORE.count(old) == 1
    with pytest.raises(Unfollowed):
        changes(BEFORE, BEFORE.replace(old, new))


def test_where_variables_are_looked_at_by_their_names_nothing_is_followed() -> None:
    before = BEFORE.replace("return [found", "return [locals()")
    with pytest.raises(Unfollowed):
        changes(before, before.replace("* 2", "* 3"))
