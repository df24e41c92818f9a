"""Answers that are wrong, through the real command line; ``make bench-wrong`` runs all the projects."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.end_to_end.project import Project

FIXTURES = Path(__file__).parents[2] / "fixtures/wrong"
SOME = (
    "exchange-rates",
    "folder-sharing",
    "parking-fees",
    "plan-proration",
)
# Nothing small makes both of these pass.
CONTRADICTION = """\
from prices import total


def test_total():
    assert total([1, 2]) == 3


def test_another_total():
    assert total([1, 2]) == 30
"""
FEES = """\
from fees import fee


def test_long():
    assert [fee(16), fee(40)] == [2, 2]


def test_short():
    assert fee(14) == 0


def test_the_last_free_minute():
    assert fee(15) == 0
"""
RIVALS = """\
from prices import total


def test_none():
    assert total([]) == 0


def test_one():
    assert total([2]) == 4
"""


@pytest.mark.parametrize("name", SOME)
def test_the_slip_is_repaired_as_a_good_engineer_would(name: str, empty: Project) -> None:
    shutil.copytree(FIXTURES / name / "project", empty.root, dirs_exist_ok=True)
    empty.commit()
    ended = empty.heal("--jobs", "2", "--diff", str(empty.home / "the.patch"))
    report = ended.json
    assert (ended.code, report["final_status"]) == (0, "pass"), report["message"]
    assert changes(empty.home / "the.patch") == changes(FIXTURES / name / "expected.diff")
    assert report["attempts"] == 1
    assert report["suspects"]


def changes(patch: Path) -> list[str]:
    lines = patch.read_text("utf-8").splitlines()
    return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def test_no_file_is_written_before_an_edit_has_passed(empty: Project) -> None:
    code = "def total(prices):\n    return sum(prices)\n"
    empty.write({"prices.py": code, "test_prices.py": CONTRADICTION}).commit()
    before = {path: path.stat().st_mtime_ns for path in empty.root.glob("*.py")}
    ended = empty.heal()
    report = ended.json
    assert (ended.code, report["final_status"], report["attempts"]) == (128, "fail", 0)
    assert report["tried"] > 3
    assert {path: path.stat().st_mtime_ns for path in empty.root.glob("*.py")} == before


def test_an_edit_that_breaks_a_test_is_neither_written_nor_a_rival(empty: Project) -> None:
    code = "def fee(minutes):\n    return 0 if minutes < 15 else 2\n"
    empty.write({"fees.py": code, "test_fees.py": FEES}).commit()
    report = empty.heal().json
    assert (empty.root / "fees.py").read_text() == code.replace("<", "<=")
    assert report["attempts"] == 1
    # To charge nothing at all heals the failing test too.
    assert "tests that passed before fail with it" in {
        each["reason"] for each in report["rejected"]
    }


def test_a_crash_and_two_wrong_results_in_three_files_are_healed_together(empty: Project) -> None:
    fees = "def fee(minutes):\n    return 0 if minutes < 15 else 2\n"
    last = "def last(words):\n    return words[0]\n"
    name = "def shout(name):\n    return nam.upper()\n"
    tests = (
        "from last import last\nfrom name import shout\n\n\n"
        "def test_shout():\n    assert shout('ann') == 'ANN'\n\n\n"
        "def test_last():\n    assert last(['a', 'b']) == 'b'\n    assert last(['c']) == 'c'\n"
    )
    empty.write({"fees.py": fees, "last.py": last, "name.py": name})
    empty.write({"test_fees.py": FEES, "test_rest.py": tests}).commit()
    report = empty.heal().json
    assert report["final_status"] == "pass", report["message"]
    assert (empty.root / "fees.py").read_text() == fees.replace("<", "<=")
    assert (empty.root / "name.py").read_text() == name.replace("nam.", "name.")
    assert (empty.root / "last.py").read_text() == last.replace("[0]", "[-1]")


# Each has a slip of its own; the two of one file stand in different functions.
BUGS = {
    "ages.py": (
        "def is_adult(age):\n    return age > 18\n\n\n"
        "def later(age, years):\n    return age - years\n"
    ),
    "words.py": "def last(words):\n    return words[0]\n",
}
TESTED = """\
from ages import is_adult, later
from words import last


def test_adult():
    assert is_adult(18)


def test_minor():
    assert not is_adult(17)


def test_later():
    assert [later(1, 1), later(5, 2)] == [2, 7]


def test_now():
    assert later(3, 0) == 3


def test_last():
    assert [last("ab"), last("abc")] == ["b", "c"]


def test_only():
    assert last("a") == "a"
"""


def test_wrong_results_with_nothing_in_common_are_healed_in_one_run(empty: Project) -> None:
    empty.write({**BUGS, "test_all.py": TESTED}).commit()
    report = empty.heal().json
    assert report["final_status"] == "pass", report["message"]
    assert (empty.root / "ages.py").read_text() == BUGS["ages.py"].replace(">", ">=").replace(
        "- years", "+ years"
    )
    assert (empty.root / "words.py").read_text() == BUGS["words.py"].replace("[0]", "[-1]")
    assert report["attempts"] == 1
    assert [(each["file"], each["span"]["line"]) for each in report["patches"]] == [
        ("ages.py", 2),
        ("words.py", 2),
        ("ages.py", 6),
    ]
    assert not [
        doubt for each in report["patches"] for doubt in each["doubts"] if "small edits" in doubt
    ]


def test_where_one_of_them_has_no_repair_the_others_are_named_with_theirs(empty: Project) -> None:
    code = "def total(prices):\n    return sum(prices)\n"
    empty.write({**BUGS, "test_all.py": TESTED})
    empty.write({"prices.py": code, "test_prices.py": CONTRADICTION}).commit()
    report = empty.heal("--search-seconds", "20").json
    assert (report["final_status"], report["files_patched"]) == ("fail", [])
    notes = "\n".join(report["notes"])
    assert (
        "healed by itself: test_all.py::test_adult, by comparison-operator (bound) at ages.py:2"
        in notes
    )
    assert "for that part: --node test_all.py" in notes
    assert {each["file"] for each in report["suspects"]} == {"prices.py"}


def test_a_rival_is_told_with_the_input_on_which_it_disagrees(empty: Project) -> None:
    code = "def total(prices):\n    return sum(2 - price for price in prices)\n"
    empty.write({"prices.py": code, "test_prices.py": RIVALS}).commit()
    ended = empty.heal()
    report = ended.json
    assert ended.code == 0, report["message"]
    disagreeing = [each for each in report["alternatives"] if each["differs"]]
    assert disagreeing
    assert disagreeing[0]["differs"]["call"].startswith("total(prices=")
    assert report["patches"][0]["confidence"] != "high"


def test_diagnose_names_the_most_suspicious_statements(empty: Project) -> None:
    shutil.copytree(FIXTURES / "access-log-report/project", empty.root, dirs_exist_ok=True)
    report = empty.commit().run("diagnose", "--json").json
    first, second, *_ = report["suspects"]
    assert (first["file"], first["line"]) == ("report.py", 25)
    assert first["why"] == "sets `errors`, in which the result differs"
    assert second["why"] is None
    scores = [each["suspicion"] for each in report["suspects"]]
    assert scores == sorted(scores, reverse=True)


def test_diagnose_names_them_too_for_a_crash_that_no_codemod_answers(empty: Project) -> None:
    till = (
        "class Closed(Exception):\n    pass\n\n\ndef take(hour, amount):\n    if hour > 9:\n"
        '        raise Closed("come back tomorrow")\n    return amount\n'
    )
    tests = (
        "from till import take\n\n\ndef test_open():\n    assert take(10, 5) == 5\n\n\n"
        "def test_early():\n    assert take(8, 5) == 5\n"
    )
    empty.write({"till.py": till, "test_till.py": tests})
    report = empty.run("diagnose", "--json").json
    assert [(each["line"], each["codemods"]) for each in report["sites"]] == [(7, [])]
    assert [each["line"] for each in report["suspects"]] == [7, 6]


def test_a_small_edit_is_no_way_around_the_kind_that_the_user_requires(empty: Project) -> None:
    code = "def mail(users, name):\n    user = users.get(name)\n    return user['mail']\n"
    tests = (
        "from users import mail\n\n\nANN = {'ann': {'mail': 'ann@example'}}\n\n\n"
        "def test_ann():\n    assert mail(ANN, 'ann') == 'ann@example'\n\n\n"
        "def test_nobody():\n    assert mail(ANN, 'bob') is None\n"
    )
    empty.write({"users.py": code, "test_users.py": tests}).commit()
    ended = empty.heal("--require", "root-cause")
    assert (ended.code, ended.json["patches"]) == (128, [])
